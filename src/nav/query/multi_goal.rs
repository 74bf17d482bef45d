//! One search for many goals: Dijkstra's algorithm over the same positions and costs as [`path`](super::path).

use glam::Vec3;

use super::path::{Corridor, Node, cost_within, sanitize, weight};
use super::{QueryError, check};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint, PolyId};
use crate::nav::search::kernel::{OpenList, Search, SearchSpace};

/// How many of the goals are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The one that costs least.
    Cheapest,
    /// All that can be reached.
    All,
}

/// The cheapest path to a goal so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: f32,
    /// The polygon before the goal's and the portal between, [`NONE`] when the start lies on the goal's polygon.
    from: u32,
    portal: u32,
}

/// Searches for many goals at once; keeps its memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct MultiGoalSearch {
    kernel: Search<Node>,
    /// Polygons of goals with the goals' numbers, sorted.
    goals: Vec<(u32, u32)>,
    best: Vec<Option<Best>>,
}

impl MultiGoalSearch {
    /// With no memory allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds paths from `start` to `goals`. The answer has as many entries as there are goals: a corridor with its
    /// cost, or why there is none; with [`Wanted::Cheapest`] the others are `Ok(None)`. Goals that tie may both come.
    ///
    /// # Errors
    /// The start is invalid; see [`QueryError`].
    pub fn find(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        goals: &[NavPoint],
        filter: &Filter,
        wanted: Wanted,
    ) -> Result<Vec<Result<Option<Corridor>, QueryError>>, QueryError> {
        check(mesh, start, start, filter)?;
        let faults: Vec<_> = goals.iter().map(|&g| check(mesh, start, g, filter).err()).collect();
        self.begin(mesh, start, goals, &faults, filter);
        let least = self.best.iter().flatten().map(|b| b.cost).fold(f32::INFINITY, f32::min);
        let (places, goals_of, best) = (goals, &self.goals[..], &mut self.best[..]);
        self.kernel.run(&mut Flood { mesh, filter, places, goals: goals_of, best, wanted, least, done: 0 });
        let expanded = self.kernel.expanded();
        let least = self.best.iter().flatten().map(|b| b.cost).fold(f32::INFINITY, f32::min);
        let answer = |i: usize| match (faults[i], self.best[i]) {
            (Some(fault), _) => Err(fault),
            (None, Some(best)) if wanted == Wanted::All || best.cost <= least => {
                let mut out = Corridor { cost: best.cost, expanded, ..Corridor::default() };
                self.trace(mesh, best, goals[i].polygon, &mut out);
                Ok(Some(out))
            }
            (None, _) if wanted == Wanted::Cheapest && least.is_finite() => Ok(None),
            (None, _) => Err(QueryError::Blocked(start.polygon.0, goals[i].polygon.0)),
        };
        Ok((0..goals.len()).map(answer).collect())
    }

    /// Opens the start and notes the goals that can be searched for.
    fn begin(
        &mut self,
        mesh: &NavMesh,
        start: NavPoint,
        goals: &[NavPoint],
        faults: &[Option<QueryError>],
        filter: &Filter,
    ) {
        let at = sanitize(mesh, start);
        self.kernel.begin(mesh.len(), |open| {
            let stamp = open.stamp();
            *open.slot(start.polygon.0) = Node { at, cost: 0.0, total: 0.0, parent: NONE, portal: NONE, stamp };
            open.push(start.polygon.0, 0.0);
        });
        self.best.clear();
        self.best.resize(goals.len(), None);
        self.goals.clear();
        for (i, goal) in goals.iter().enumerate().filter(|g| faults[g.0].is_none()) {
            self.goals.push((goal.polygon.0, i as u32));
            if goal.polygon == start.polygon {
                let cost = cost_within(mesh, filter, start.polygon.0, [at, sanitize(mesh, *goal)]);
                self.best[i] = Some(Best { cost, from: NONE, portal: NONE });
            }
        }
        self.goals.sort_unstable();
    }

    fn trace(&self, mesh: &NavMesh, best: Best, goal: PolyId, out: &mut Corridor) {
        let (mut portal, mut from) = (best.portal, best.from);
        while portal != NONE {
            out.portals.push(portal);
            let node = self.kernel.parent(from);
            (portal, from) = (node.portal, node.parent);
        }
        out.finish(mesh, goal);
    }
}

/// The paths from one start, without a heuristic.
struct Flood<'a> {
    mesh: &'a NavMesh,
    filter: &'a Filter,
    /// Where the goals are, the polygons of those that count with their numbers, and the best paths to them so far.
    places: &'a [NavPoint],
    goals: &'a [(u32, u32)],
    best: &'a mut [Option<Best>],
    wanted: Wanted,
    /// What the cheapest path to a goal costs so far.
    least: f32,
    /// How many of the first goals have paths that no other can undercut any more.
    done: usize,
}

impl SearchSpace for Flood<'_> {
    type State = Node;

    fn is_goal(&self, _: u32, here: &Node) -> bool {
        match self.wanted {
            Wanted::Cheapest => self.goals.is_empty() || self.least <= here.cost,
            Wanted::All => self.goals[self.done..].iter().all(|goal| self.is_done(goal, here)),
        }
    }

    fn expand(&mut self, at: u32, here: &Node, open: &mut OpenList<Node>) {
        // Costs grow from one polygon to the next, so what is done stays done.
        self.done += self.goals[self.done..].iter().take_while(|goal| self.is_done(goal, here)).count();
        let Self { mesh, filter, .. } = *self;
        let (weight_here, stamp) = (weight(mesh, filter, at), open.stamp());
        for way in mesh.portals().links_of(at) {
            if !filter.passes(mesh.polygon(PolyId(way.neighbor))) {
                continue;
            }
            let here_to = |place: Vec3| here.cost + place.distance(here.at) * weight_here;
            let entered = Best { cost: here_to(way.middle), from: at, portal: way.portal };
            self.offer(way.neighbor, entered, way.middle);
            let next = open.slot(way.neighbor);
            let known = next.stamp == stamp;
            let place = if known { next.at } else { way.middle };
            let cost = here_to(place);
            if known && cost >= next.cost || !(cost < f32::INFINITY) {
                continue;
            }
            *next = Node { at: place, cost, total: cost, parent: at, portal: way.portal, stamp };
            open.push(way.neighbor, cost);
        }
    }
}

impl Flood<'_> {
    /// Whether no path that leads over a polygon reached at this cost or later is cheaper to a goal.
    fn is_done(&self, goal: &(u32, u32), here: &Node) -> bool {
        self.best[goal.1 as usize].is_some_and(|best| best.cost <= here.cost)
    }

    /// Ends the path at the goals of a polygon, entered at `place`.
    fn offer(&mut self, polygon: u32, entered: Best, place: Vec3) {
        let first = self.goals.partition_point(|g| g.0 < polygon);
        for &(_, goal) in self.goals[first..].iter().take_while(|g| g.0 == polygon) {
            let end = sanitize(self.mesh, self.places[goal as usize]);
            let cost = entered.cost + place.distance(end) * weight(self.mesh, self.filter, polygon);
            let best = &mut self.best[goal as usize];
            if best.is_none_or(|b| cost < b.cost) && cost < f32::INFINITY {
                *best = Some(Best { cost, ..entered });
                self.least = self.least.min(cost);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture;

    #[test]
    fn no_search_goes_on_when_no_goal_is_left() {
        let mesh = fixture::plan(&["......#.", "......#."], false).validate().unwrap();
        let at = |x: f64| fixture::over(&mesh, x, 0.5).unwrap();
        let (filter, mut search) = (Filter::default(), MultiGoalSearch::new());
        for wanted in [Wanted::Cheapest, Wanted::All] {
            // On another island, and where the start is.
            let none = search.find(&mesh, at(0.5), &[at(7.5)], &filter, wanted).unwrap();
            assert!(matches!(none[..], [Err(QueryError::OtherIsland(..))]));
            assert_eq!(search.kernel.expanded(), 0);
            let here = search.find(&mesh, at(0.5), &[at(0.5)], &filter, wanted).unwrap();
            assert!(matches!(&here[..], [Ok(Some(way))] if way.cost == 0.0));
            assert_eq!(search.kernel.expanded(), 0);
        }
        let goals = [1.5, 5.5, 3.5].map(at);
        let all = search.find(&mesh, at(0.5), &goals, &filter, Wanted::All).unwrap();
        let costs: Vec<f32> = all.iter().filter_map(|way| Some(way.as_ref().ok()?.as_ref()?.cost)).collect();
        assert!(costs.len() == 3 && costs.iter().zip([1.0, 5.0, 3.0]).all(|(cost, least)| (cost - least).abs() < 1e-5));
        let cheapest = search.find(&mesh, at(0.5), &goals, &filter, Wanted::Cheapest).unwrap();
        assert!(matches!(&cheapest[..], [Ok(Some(_)), Ok(None), Ok(None)]));
    }
}
