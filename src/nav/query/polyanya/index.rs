//! Shortest any-angle paths from an index, for a mesh that does not change: hub labels of all corners, and the corners
//! that each cell sees.
//!
//! A shortest path that is not straight leaves its start to a corner that the start sees and arrives from one that its
//! end sees, and the corners between have a hub in common with both: as in J. Du, B. Shen, M. A. Cheema, "Ultrafast
//! Euclidean Shortest Path Computation using Hub Labeling", AAAI 2023, with convex cells in place of a grid. Labels are
//! merged per cell ([`ViaLabels`]): that takes a query on the public maps of `dao` from 1.6 to 0.7 µs in the mean, the queries of
//! the town one after the other from 1.4 to 0.65, and the index about as much memory as before. Memory is bounded by a budget; a
//! larger index is refused, and [`Polyanya`](super::Polyanya) remains.

use glam::{DVec2, Vec3};
use rayon::prelude::*;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use thiserror::Error;

use super::ShortestPath;
use super::corner_sight::Sight;
use super::hub_labels::{HubLabels, both_ways};
use super::interval::Side;
use super::line::LineWalk;
use super::mesh::{Corner, PolyanyaMesh};
use super::via_labels::ViaLabels;
use super::visible_corners::CornerView;
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint};
use crate::nav::query::{QueryError, check, check_places};

/// The index would be larger than its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "an index of exact paths for {corners} corners takes about {} MB, more than the {} MB that it may; allow it more, or search \
    without one",
    needed.div_ceil(1_000_000), max / 1_000_000
)]
pub struct IndexTooLarge {
    /// Where paths may turn.
    pub corners: usize,
    /// The budget.
    pub max: usize,
    /// About how much it takes.
    pub needed: usize,
}

/// A hub that both ends can lead over.
#[derive(Clone, Copy, Debug, Default)]
struct CommonHub {
    /// No path over it is shorter.
    least: f32,
    /// The hubs of the cells of both ends.
    hubs: [u32; 2],
}

/// The best way over a hub: the labels of it at the corners that the start and the end see.
#[derive(Clone, Copy, Debug)]
struct HubPath {
    length: f32,
    first: u32,
    last: u32,
}

/// Memory that queries use again. One per thread.
#[derive(Debug, Default)]
pub struct IndexScratch {
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Per hub: the number of the last pair of cells whose first one has it, and which of that cell's hubs it is.
    hubs: Vec<[u32; 2]>,
    pair: u32,
    common: Vec<CommonHub>,
    /// Corners of the path.
    path: Vec<u32>,
    back: Vec<u32>,
    line: LineWalk,
}

/// The index, for any number of threads.
#[derive(Clone, Debug)]
pub struct CornerIndex {
    pub(super) net: PolyanyaMesh,
    pub(super) filter: Filter,
    pub(super) labels: HubLabels,
    /// Per cell the part of `sights`.
    pub(super) first: Vec<u32>,
    pub(super) sights: Vec<Sight>,
    pub(super) vias: ViaLabels,
}

impl CornerIndex {
    /// Builds the index on all cores: for each corner what it sees, then the labels.
    ///
    /// # Errors
    /// It would take more than `max_bytes`.
    pub fn build(mesh: &NavMesh, filter: &Filter, max_bytes: usize) -> Result<Self, IndexTooLarge> {
        Self::build_and_tell(mesh, filter, max_bytes, &|_, _| ())
    }

    /// As [`build`](Self::build); tells what is being done and which share of it is, from any thread.
    ///
    /// # Errors
    /// As there.
    pub fn build_and_tell(
        mesh: &NavMesh,
        filter: &Filter,
        max_bytes: usize,
        tell: &(dyn Fn(&'static str, f32) + Sync),
    ) -> Result<Self, IndexTooLarge> {
        let net = PolyanyaMesh::build(mesh, filter);
        let count = net.corners.len();
        let too_large = |needed: usize| IndexTooLarge { corners: count, max: max_bytes, needed };
        let (seen, looked) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let look = |found: &mut CornerSights, corner: u32| {
            // Nothing more is looked at once it is too much.
            if seen.load(Relaxed) * size_of::<Sight>() <= max_bytes {
                found.look(&net, corner);
                tell("what corners see", looked.fetch_add(1, Relaxed) as f32 / count as f32);
            }
            seen.fetch_add(found.sights.len(), Relaxed);
            (std::mem::take(&mut found.links), std::mem::take(&mut found.sights))
        };
        let corners = 0..count as u32;
        let views: Vec<_> = corners.into_par_iter().map_init(CornerSights::default, look).collect();
        let (first, sights) = sights_by_cell(&net, views.iter().map(|view| &view.1));
        let bytes = sights.len() * size_of::<Sight>();
        let in_all = (bytes as f64 * count as f64 / looked.into_inner().max(1) as f64) as usize;
        let rest = max_bytes.checked_sub(bytes).ok_or_else(|| too_large(in_all))?;
        let links = both_ways(views.into_iter().map(|view| view.0).collect());
        let labels = HubLabels::build(&links, rest, |share| tell("labels", share));
        let labels = labels.map_err(|labels| too_large(bytes + labels))?;
        let bytes = bytes + labels.labels.bytes();
        let of_cell = |cell: usize| &sights[first[cell] as usize..first[cell + 1] as usize];
        let vias = ViaLabels::build(&net, &labels, of_cell, max_bytes.saturating_sub(bytes), |share| {
            tell("labels of cells", share)
        });
        let vias = vias.map_err(|vias| too_large(bytes.saturating_add(vias)))?;
        let labels = labels.labels;
        Ok(Self { net, filter: filter.clone(), labels, first, sights, vias })
    }

    /// The mesh and the flags of the filter that it answers for.
    pub(in crate::nav) fn key(&self) -> (u64, u16, u16) {
        self.net.key
    }

    /// Number of corners in the index.
    pub fn corners(&self) -> usize {
        self.labels.corners()
    }

    /// Number of hub labels, of all corners together.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// Its size in memory.
    pub fn bytes(&self) -> usize {
        self.labels.bytes() + self.vias.bytes() + self.sights.len() * size_of::<Sight>() + self.first.len() * 4
    }

    /// As [`Polyanya::find`](super::Polyanya::find) with the filter given to [`build`](Self::build); nothing is expanded.
    ///
    /// # Errors
    /// As there. A mesh that is not the index's own gives [`QueryError::OtherMesh`].
    pub fn find(
        &self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        scratch: &mut IndexScratch,
        out: &mut ShortestPath,
    ) -> Result<(), QueryError> {
        out.points.clear();
        (out.length_2d, out.expanded) = (0.0, 0);
        if self.net.key.0 != mesh.id() {
            return Err(QueryError::OtherMesh);
        }
        check_places(mesh, start, end, &self.filter)?;
        let net = &self.net;
        let (_, from) = net.locate(mesh, start, &mut scratch.starts);
        let (_, to) = net.locate(mesh, end, &mut scratch.ends);
        let straight = scratch.line.is_free(net, [from, to], &scratch.starts, &scratch.ends);
        let best = if straight { None } else { self.best_path(from, to, scratch) };
        if !straight && best.is_none() {
            // The reason of a mesh whose parts do not hang together is the better one.
            return check(mesh, start, end, &self.filter).and(Err(QueryError::Blocked(start.polygon.0, end.polygon.0)));
        }
        out.points.push(Vec3 { y: mesh.height_at(end.polygon, end.point), ..end.point });
        out.length_2d = match best {
            None => from.distance(to),
            Some(best) => self.walk_back(mesh, best, (from, to), scratch, out),
        };
        out.points.push(Vec3 { y: mesh.height_at(start.polygon, start.point), ..start.point });
        out.points.reverse();
        out.ends = net.touching.at_ends(mesh, [start, end], &out.points);
        Ok(())
    }

    /// The corners that a cell sees.
    #[inline]
    pub(super) fn sights_of(&self, cell: u32) -> &[Sight] {
        &self.sights[self.first[cell as usize] as usize..self.first[cell as usize + 1] as usize]
    }

    /// The shortest way over corners.
    fn best_path(&self, from: DVec2, to: DVec2, scratch: &mut IndexScratch) -> Option<HubPath> {
        let mut best: Option<HubPath> = None;
        for start in 0..scratch.starts.len() {
            for end in 0..scratch.ends.len() {
                let cells = [scratch.starts[start], scratch.ends[end]];
                self.best_between(cells, [from, to], scratch, &mut best);
            }
        }
        best
    }

    /// Looks for a better way between points of two cells, over the hubs that both have.
    fn best_between(
        &self,
        cells: [u32; 2],
        [from, to]: [DVec2; 2],
        scratch: &mut IndexScratch,
        best: &mut Option<HubPath>,
    ) {
        let IndexScratch { hubs, pair, common, .. } = scratch;
        *pair = pair.wrapping_add(1);
        if *pair == 0 || hubs.len() != self.corners() {
            hubs.clear();
            hubs.resize(self.corners(), [0; 2]);
            *pair = 1;
        }
        let [a, b] = cells.map(|cell| self.vias.of(cell));
        for (number, &hub) in (a.start as u32..).zip(&self.vias.hubs[a]) {
            hubs[self.vias.rank(hub)] = [*pair, number];
        }
        common.clear();
        let mut first = CommonHub { least: f32::INFINITY, hubs: [0; 2] };
        for (number, &hub) in (b.start as u32..).zip(&self.vias.hubs[b]) {
            let [known, other] = hubs[self.vias.rank(hub)];
            if known == *pair {
                let least = self.vias.least(cells[0], other as usize) + self.vias.least(cells[1], number as usize);
                let found = CommonHub { least, hubs: [other, number] };
                common.push(found);
                if least < first.least {
                    first = found;
                }
            }
        }
        // The one that promises most first: what it takes rules others out.
        let mut limit = best.map_or(f32::INFINITY, |best| best.length);
        for hub in std::iter::once(&first).chain(&*common) {
            let [there, back] = hub.hubs;
            if hub.least >= limit {
                continue;
            }
            let Some((length, first)) = self.nearest_via(cells[0], there, from) else { continue };
            if length + self.vias.least(cells[1], back as usize) >= limit {
                continue;
            }
            let Some((rest, last)) = self.nearest_via(cells[1], back, to) else { continue };
            if length + rest < limit {
                limit = length + rest;
                *best = Some(HubPath { length: limit, first, last });
            }
        }
    }

    /// How far a point of a cell is from one of the cell's hubs, and the label that the way there begins with.
    #[inline]
    pub(super) fn nearest_via(&self, cell: u32, hub: u32, point: DVec2) -> Option<(f32, u32)> {
        let sights = self.sights_of(cell);
        let mut best: Option<(f32, u32)> = None;
        for via in self.vias.vias(cell, hub as usize) {
            let sight = &sights[usize::from(via.sight)];
            let offset = point - self.net.corners[sight.corner as usize].at;
            if !sight.is_seen(offset) {
                continue;
            }
            let label = self.labels.first[sight.corner as usize] + u32::from(via.label);
            let length = offset.length() as f32 + self.labels.lengths[label as usize];
            if best.is_none_or(|best| length < best.0) {
                best = Some((length, label));
            }
        }
        best
    }

    /// Writes the corners from the last to the first; returns the length of the path.
    fn walk_back(
        &self,
        mesh: &NavMesh,
        best: HubPath,
        ends: (DVec2, DVec2),
        scratch: &mut IndexScratch,
        out: &mut ShortestPath,
    ) -> f64 {
        let IndexScratch { path, back, .. } = scratch;
        path.clear();
        back.clear();
        self.labels.walk(best.last, path);
        self.labels.walk(best.first, back);
        // Both come to the hub.
        path.extend(back.iter().rev().skip(1));
        let (mut length, mut at, mut ahead) = (0.0, ends.1, ends.1);
        for (i, &corner) in path.iter().enumerate() {
            let Corner { at: here, vertex, .. } = self.net.corners[corner as usize];
            let behind = path.get(i + 1).map_or(ends.0, |&next| self.net.corners[next as usize].at);
            length += at.distance(here);
            at = here;
            if (here - behind).perp_dot(ahead - here) != 0.0 {
                out.points.push(mesh.vertices()[vertex as usize]);
                ahead = here;
            }
        }
        length + at.distance(ends.0)
    }
}

/// The sights of all corners, those of each cell in a row with those of the corners of its own portals, which it sees
/// from everywhere; and per cell the first.
fn sights_by_cell<'a>(
    net: &PolyanyaMesh,
    views: impl Iterator<Item = &'a Vec<(u32, Sight)>>,
) -> (Vec<u32>, Vec<Sight>) {
    let mut sights: Vec<(u32, Sight)> = views.flatten().copied().collect();
    for (cell, c) in (0..).zip(&net.cells) {
        let portals = &net.portals[c.first as usize..c.end as usize];
        let mut near: Vec<u32> = portals.iter().flat_map(|p| [p.corner_a, p.corner_b]).filter(|&c| c != NONE).collect();
        near.sort_unstable();
        near.dedup();
        sights.extend(near.into_iter().map(|corner| (cell, Sight::between(DVec2::ZERO, DVec2::ZERO, corner))));
    }
    sights.sort_by_key(|s| (s.0, s.1.corner));
    let first = (0..=net.cells.len() as u32).map(|c| sights.partition_point(|s| s.0 < c) as u32).collect();
    (first, sights.into_iter().map(|s| s.1).collect())
}

/// What a corner sees: parts of cells, and corners to turn at with how far they are.
#[derive(Default)]
struct CornerSights {
    sights: Vec<(u32, Sight)>,
    links: Vec<(u32, f64)>,
    view: CornerView,
}

impl CornerSights {
    /// Looks around in all directions from which a path may come to turn at the corner.
    fn look(&mut self, net: &PolyanyaMesh, corner: u32) {
        let at = net.corners[corner as usize].at;
        for side in [Side::Right, Side::Left] {
            self.view.look(net, corner, side, |view| {
                let sight = Sight::between(view.left, view.right, corner);
                self.sights.push((net.portals[view.portal as usize].to, sight));
            });
            self.links.extend(self.view.visible.iter().map(|next| (next.corner, at.distance(next.at.as_dvec2()))));
        }
        self.links.sort_by_key(|l| l.0);
        self.links.dedup_by_key(|l| l.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Maze, Random};
    use super::*;

    #[test]
    fn paths_are_as_short_as_those_of_the_search() {
        let (mut random, mut exact, mut scratch) = (Random(5), super::super::Polyanya::new(), IndexScratch::default());
        let (mut path, mut other, mut bent) = (ShortestPath::default(), ShortestPath::default(), 0);
        for round in 0..150 {
            let maze = Maze::random(&mut random, 3 + round % 5);
            let brute = maze.brute();
            let index = CornerIndex::build(&maze.mesh, &maze.filter, usize::MAX).unwrap();
            for query in 0..12 {
                let (start, end) = (maze.place(&mut random), maze.place(&mut random));
                let found = index.find(&maze.mesh, start, end, &mut scratch, &mut path);
                let expected = exact.find(&maze.mesh, start, end, &maze.filter, &mut other);
                let name = format!("mesh {round}, query {query}: {start:?} {end:?} {path:?}, not {other:?}");
                assert_eq!(found, expected, "{name}");
                if found.is_ok() {
                    assert!((path.length_2d - other.length_2d).abs() < 1e-5 * (1.0 + other.length_2d), "{name}");
                    assert!(brute.follows(&path, start.point, end.point), "{name}");
                    bent += usize::from(path.points.len() > 3);
                }
            }
        }
        assert!(bent > 100, "{bent} paths with several corners");
    }

    #[test]
    fn directions_of_sights_are_precise_to_a_billionth() {
        for i in 0..4000 {
            let way = DVec2::from_angle(f64::from(i) * std::f64::consts::TAU / 4000.0);
            for length in [1e-3, 1.0, 700.0] {
                let sight = Sight::between(way * length, -way, 0);
                assert!(sight.left().normalize().distance(way) < 2e-9, "{way}: {}", sight.left());
                assert!(sight.right().normalize().distance(-way) < 2e-9, "{way}: {}", sight.right());
            }
        }
        let everywhere = Sight::between(DVec2::ZERO, DVec2::ZERO, 0);
        assert_eq!((everywhere.left(), everywhere.right()), (DVec2::ZERO, DVec2::ZERO));
        assert!(everywhere.is_seen(DVec2::X) && everywhere.is_seen(-DVec2::X));
    }

    #[test]
    fn indices_above_the_budget_and_other_meshes_are_refused() {
        let maze = Maze::random(&mut Random(1), 6);
        let index = CornerIndex::build(&maze.mesh, &maze.filter, usize::MAX).unwrap();
        let corners = index.corners();
        assert!(corners > 3 && index.label_count() >= corners);
        let max = index.bytes() / 2;
        let refused = CornerIndex::build(&maze.mesh, &maze.filter, max).unwrap_err();
        assert_eq!((refused.corners, refused.max), (corners, max));
        assert!(refused.needed > max && refused.needed < 4 * index.bytes(), "{refused}, it takes {}", index.bytes());
        let told = AtomicUsize::new(0);
        let tell = |_: &'static str, share: f32| {
            assert!((0.0..=1.0).contains(&share));
            told.fetch_add(1, Relaxed);
        };
        CornerIndex::build_and_tell(&maze.mesh, &maze.filter, usize::MAX, &tell).unwrap();
        assert!(told.into_inner() > corners);
        assert!(CornerIndex::build(&maze.mesh, &maze.filter, index.bytes()).is_ok());
        let other = Maze::random(&mut Random(1), 6);
        let place = other.place(&mut Random(2));
        let (mut scratch, mut path) = (IndexScratch::default(), ShortestPath::default());
        assert_eq!(index.find(&other.mesh, place, place, &mut scratch, &mut path), Err(QueryError::OtherMesh));
        assert_eq!(index.find(&maze.mesh, place, place, &mut scratch, &mut path), Ok(()));
    }
}
