//! Finds jumps and drops: from points along walls, straight out, to the first ground within reach.

use crate::math::plan;
use crate::nav::search::kernel::{NodeState, OpenList, Progress, Search, SearchSpace};
use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::super::{NONE, NavMesh, NavPoint, PolyId};
use super::{LinkError, LinkKind, MAX_LINKS, OffMeshLink};

/// Limits of jumps and drops, metres.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkSettings {
    /// Widest gap between meshes in plan view; the mesh keeps the agent's radius from each brink.
    pub max_gap: f32,
    /// Highest rise of a jump.
    pub max_rise: f32,
    /// Deepest drop.
    pub max_drop: f32,
    /// Spacing of links along a wall.
    pub spacing: f32,
    /// A link must save at least this multiple of its own length.
    pub min_detour: f32,
    /// Area of found links, for the costs of a filter.
    pub area: u8,
    /// Flags of found links, for a filter.
    pub flags: u16,
}

impl Default for LinkSettings {
    fn default() -> Self {
        Self { max_gap: 3.0, max_rise: 0.5, max_drop: 3.0, spacing: 2.0, min_detour: 3.0, area: 0, flags: 1 }
    }
}

impl LinkSettings {
    /// Finds all jumps and drops. `is_free` tells whether an agent can pass from the first point to the second, both
    /// local and on the ground: the mesh does not know what stands between.
    ///
    /// # Errors
    /// A setting out of range, more than [`MAX_LINKS`] links.
    pub fn find(
        &self,
        mesh: &NavMesh,
        is_free: &(dyn Fn(Vec3, Vec3) -> bool + Sync),
    ) -> Result<Vec<OffMeshLink>, LinkError> {
        self.find_until(mesh, is_free, &AtomicBool::new(false))
    }

    /// As [`find`](Self::find); once `stop` is set, walls that are not begun are skipped.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn find_until(
        &self,
        mesh: &NavMesh,
        is_free: &(dyn Fn(Vec3, Vec3) -> bool + Sync),
        stop: &AtomicBool,
    ) -> Result<Vec<OffMeshLink>, LinkError> {
        self.check()?;
        let mut found: Vec<OffMeshLink> = (0..mesh.edges().len() as u32)
            .into_par_iter()
            .filter(|&e| mesh.edges()[e as usize].neighbor == NONE && mesh.is_live_edge(e))
            .filter(|_| !stop.load(Ordering::Relaxed))
            .map_init(Search::default, |search, e| self.links_along(mesh, e, is_free, search))
            .flatten_iter()
            .collect();
        if found.len() > MAX_LINKS {
            return Err(LinkError::TooMany(found.len()));
        }
        // Two-way links were found from both sides: the shorter one is kept.
        found.sort_by(|a, b| a.start.distance(a.end).total_cmp(&b.start.distance(b.end)));
        let mut kept: Vec<OffMeshLink> = Vec::new();
        let mut near: std::collections::HashMap<(PolyId, PolyId), Vec<u32>> = std::collections::HashMap::new();
        for l in found {
            let pair = if l.both_ways { (l.from.min(l.to), l.from.max(l.to)) } else { (l.from, l.to) };
            let list = near.entry(pair).or_default();
            let close = |a: Vec3, b: Vec3| plan::distance(a, b) < 0.75 * self.spacing;
            let double = list.iter().map(|&k| kept[k as usize]).any(|k| {
                (close(k.start, l.start) && close(k.end, l.end)) || (close(k.start, l.end) && close(k.end, l.start))
            });
            if !double {
                list.push(kept.len() as u32);
                kept.push(l);
            }
        }
        kept.sort_by_key(|l| (l.from, l.to));
        Ok(kept)
    }

    fn check(&self) -> Result<(), LinkError> {
        let list = [
            ("max_gap", self.max_gap, 0.0, 100.0),
            ("max_rise", self.max_rise, 0.0, 100.0),
            ("max_drop", self.max_drop, 0.0, 1000.0),
            ("spacing", self.spacing, 0.05, 1e4),
            ("min_detour", self.min_detour, 1.0, 100.0),
            ("area", f32::from(self.area), 0.0, 63.0),
        ];
        match list.into_iter().find(|(_, value, low, high)| !(value >= low && value <= high)) {
            Some((name, value, low, high)) => Err(LinkError::Setting { name, value, low, high }),
            None => Ok(()),
        }
    }

    /// Links from points along a wall.
    fn links_along(
        &self,
        mesh: &NavMesh,
        edge: u32,
        is_free: &(dyn Fn(Vec3, Vec3) -> bool + Sync),
        search: &mut Search<DetourState>,
    ) -> Vec<OffMeshLink> {
        let from = PolyId(mesh.edges()[edge as usize].polygon);
        let (a, b) = mesh.edge_points(edge);
        let length = plan::distance(a, b);
        // The interior lies where `plan::cross` of the edge is positive.
        let out = Vec3::new(b.z - a.z, 0.0, a.x - b.x) / length.max(1e-6);
        let samples = ((length / self.spacing) as usize).clamp(1, 4096);
        let mut links = Vec::new();
        for k in 0..samples {
            let on_edge = a.lerp(b, (k as f32 + 0.5) / samples as f32);
            let start = on_edge.with_y(mesh.height_at(from, on_edge));
            let Some(NavPoint { polygon: to, point: end }) = self.find_landing(mesh, from, start, out) else {
                continue;
            };
            let rise = end.y - start.y;
            if rise > self.max_rise || rise < -self.max_drop || !is_free(start, end) {
                continue;
            }
            let jump = rise >= -self.max_rise;
            let ends = [NavPoint::new(from, start), NavPoint::new(to, end)];
            if is_near(search, mesh, ends, self.min_detour * start.distance(end).max(0.1)) {
                continue;
            }
            let kind = if jump { LinkKind::Jump } else { LinkKind::Drop };
            links.push(OffMeshLink { from, to, start, end, kind, both_ways: jump, area: self.area, flags: self.flags });
        }
        links
    }

    /// The first ground straight out from a wall: the highest within reach if several lie there.
    fn find_landing(&self, mesh: &NavMesh, from: PolyId, start: Vec3, out: Vec3) -> Option<NavPoint> {
        let step = (self.max_gap / 64.0).max(0.05);
        let count = (self.max_gap / step) as u32;
        (1..=count).find_map(|k| {
            let at = start + out * (k as f32 * step);
            let mut best: Option<NavPoint> = None;
            for &p in mesh.grid().at(at) {
                let id = PolyId(p);
                if id == from || !mesh.contains_2d(id, at) {
                    continue;
                }
                let y = mesh.height_at(id, at);
                let in_reach = y <= start.y + self.max_rise && y >= start.y - self.max_drop;
                if in_reach && best.is_none_or(|b| y > b.point.y) {
                    best = Some(NavPoint::new(id, Vec3::new(at.x, y, at.z)));
                }
            }
            best
        })
    }
}

/// A walk from a place over the mesh to another: one through the nearest point of each edge on the way, which is seldom the
/// shortest. Where only a shorter one would do, a link is kept that saves a little less.
struct DetourSearch<'a> {
    mesh: &'a NavMesh,
    to: PolyId,
    /// Longest walk that is followed, metres.
    most: f32,
}

/// How a walk comes into a polygon.
#[derive(Clone, Copy, Debug, Default)]
struct DetourState {
    walked: f32,
    point: Vec3,
    stamp: u32,
}

impl NodeState for DetourState {
    fn total(&self) -> f32 {
        self.walked
    }

    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl SearchSpace for DetourSearch<'_> {
    type State = DetourState;

    fn is_goal(&self, node: u32, _: &DetourState) -> bool {
        node == self.to.0
    }

    fn expand(
        &mut self,
        node: u32,
        &DetourState { walked, point, .. }: &DetourState,
        open: &mut OpenList<DetourState>,
    ) {
        let (mesh, stamp) = (self.mesh, open.stamp());
        let first = mesh.polygon(PolyId(node)).first_edge;
        for (e, edge) in (first..).zip(mesh.edges_of(PolyId(node))).filter(|(_, edge)| edge.neighbor != NONE) {
            let (a, b) = mesh.edge_points(e);
            // The point of the edge nearest to the point before it.
            let t = (point - a).dot(b - a) / (b - a).length_squared().max(1e-12);
            let through = a.lerp(b, t.clamp(0.0, 1.0));
            let far = walked + point.distance(through);
            let known = open.slot(edge.neighbor);
            if far <= self.most && (known.stamp != stamp || far < known.walked) {
                *known = DetourState { walked: far, point: through, stamp };
                open.push(edge.neighbor, far);
            }
        }
    }
}

/// Whether a walk over the mesh of at most `most` metres connects two places.
fn is_near(search: &mut Search<DetourState>, mesh: &NavMesh, [from, to]: [NavPoint; 2], most: f32) -> bool {
    if mesh.polygon(from.polygon).island != mesh.polygon(to.polygon).island {
        return false;
    }
    search.begin(mesh.len(), |open| {
        *open.slot(from.polygon.0) = DetourState { walked: 0.0, point: from.point, stamp: open.stamp() };
        open.push(from.polygon.0, 0.0);
    });
    match search.run(&mut DetourSearch { mesh, to: to.polygon, most }) {
        Progress::Found(node) => search.get(node).is_some_and(|s| s.walked + s.point.distance(to.point) <= most),
        Progress::Open | Progress::Exhausted => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::plan;

    #[test]
    fn links_that_save_too_little_are_left_out_on_open_ground() {
        let open = ".".repeat(24);
        let slot = format!("..{}..", "#".repeat(20));
        let rows: Vec<&str> = (0..24).map(|row| if row == 12 { slot.as_str() } else { open.as_str() }).collect();
        let mesh = plan(&rows, false).validate().unwrap();
        let found = |min_detour| {
            let settings = LinkSettings { min_detour, spacing: 1.0, ..LinkSettings::default() };
            settings.find(&mesh, &|_, _| true).unwrap()
        };
        // The slot is 1 m wide and 20 m long: from its middle a walk around it takes 21 m, from its ends 2.
        let links = found(10.0);
        assert!((8..=12).contains(&links.len()), "{}", links.len());
        assert_eq!(found(30.0).len(), 0);
        // Nor where walks a hundred times as long as the link are followed over open ground.
        assert_eq!(found(100.0).len(), 0);
    }
}
