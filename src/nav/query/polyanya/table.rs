//! Shortest any-angle paths by table, for a mesh that does not change: the distances between all corners, and the
//! corners that each cell sees.
//!
//! A shortest path that is not straight leaves its start to a corner that the start sees and arrives from one that
//! its end sees, so a query compares the pairs of these. The table takes memory that grows with the square of the
//! number of corners; above a limit it is refused, and [`Polyanya`](super::Polyanya) remains.

use glam::{DVec2, Vec3};
use thiserror::Error;

use super::ShortestPath;
use super::interval::{Interval, Side, VisiblePortal};
use super::mesh::{Corner, PolyanyaMesh};
use crate::nav::mesh::{Filter, NONE, NavMesh, NavPoint};
use crate::nav::query::{QueryError, check, check_places};
use crate::nav::search::heap::{Heap, Keyed};

/// The mesh has too many corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a table of exact paths for {corners} corners takes {needed} bytes, more than {max}; search without one")]
pub struct TableTooLarge {
    /// Where paths may turn.
    pub corners: usize,
    /// Bytes of the distances alone.
    pub needed: usize,
    /// The limit.
    pub max: usize,
}

/// A corner that a part of a cell sees.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// Directions from the corner: between them it is seen. Without limits (the corner lies on the cell) both are zero.
    left: DVec2,
    right: DVec2,
    at: DVec2,
    corner: u32,
}

/// A corner and how far it is.
#[derive(Clone, Copy, Debug)]
struct VisibleCorner {
    at: DVec2,
    corner: u32,
    length: f64,
}

/// Memory that queries use again. One per thread.
#[derive(Debug, Default)]
pub struct TableScratch {
    starts: Vec<u32>,
    ends: Vec<u32>,
    from: Vec<VisibleCorner>,
    to: Vec<VisibleCorner>,
    /// Cells that the straight line enters: cell, portal.
    open: Vec<(u32, u32)>,
    /// Cells that it enters exactly at a portal's end, from both sides of that.
    touched: Vec<u32>,
}

/// The table, for any number of threads.
#[derive(Clone, Debug)]
pub struct CornerTable {
    net: PolyanyaMesh,
    filter: Filter,
    /// Row per corner: distances to all corners.
    lengths: Vec<f32>,
    /// Row per corner: the corner before on the way there.
    before: Vec<u32>,
    /// Per cell the part of `sights`.
    first: Vec<u32>,
    sights: Vec<Sight>,
}

impl CornerTable {
    /// Builds the table: for each corner what it sees, then the distances.
    ///
    /// # Errors
    /// The distances would take more than `max_bytes`.
    pub fn build(mesh: &NavMesh, filter: &Filter, max_bytes: usize) -> Result<Self, TableTooLarge> {
        let net = PolyanyaMesh::build(mesh, filter);
        let corners = net.corners.len();
        let needed = corners.saturating_mul(corners).saturating_mul(8);
        if needed > max_bytes {
            return Err(TableTooLarge { corners, needed, max: max_bytes });
        }
        let mut found = Visibility::default();
        let mut links = Vec::new();
        for corner in 0..corners as u32 {
            found.look(&net, corner);
            links.push(std::mem::take(&mut found.links));
        }
        found.look_from_cells(&net);
        found.sights.sort_by_key(|s| (s.0, s.1.corner));
        let first = (0..=net.cells.len() as u32).map(|c| found.sights.partition_point(|s| s.0 < c) as u32).collect();
        let sights = found.sights.into_iter().map(|s| s.1).collect();
        let (lengths, before) = all_lengths(&net, &links);
        Ok(Self { net, filter: filter.clone(), lengths, before, first, sights })
    }

    /// Number of corners in the table.
    pub fn corners(&self) -> usize {
        self.net.corners.len()
    }

    /// Its size in memory.
    pub fn bytes(&self) -> usize {
        self.lengths.len() * 8 + self.sights.len() * size_of::<Sight>() + self.first.len() * 4
    }

    /// As [`Polyanya::find`](super::Polyanya::find) with the filter given to [`CornerTable::build`]; nothing is
    /// expanded.
    ///
    /// # Errors
    /// As there. A mesh that is not the table's own gives [`QueryError::OtherMesh`].
    pub fn find(
        &self,
        mesh: &NavMesh,
        start: NavPoint,
        end: NavPoint,
        scratch: &mut TableScratch,
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
        let straight = straight(net, from, to, scratch);
        let pair = if straight { None } else { self.best_pair(from, to, scratch) };
        if !straight && pair.is_none() {
            // The reason of a mesh whose parts do not hang together is the better one.
            return check(mesh, start, end, &self.filter).and(Err(QueryError::Blocked(start.polygon.0, end.polygon.0)));
        }
        out.points.push(Vec3 { y: mesh.height_at(end.polygon, end.point), ..end.point });
        out.length_2d = match pair {
            None => from.distance(to),
            Some((first, last)) => self.walk_back(mesh, (first, last), (from, to), out),
        };
        out.points.push(Vec3 { y: mesh.height_at(start.polygon, start.point), ..start.point });
        out.points.reverse();
        out.ends = net.polygons_at_ends(mesh, start, end, &out.points);
        Ok(())
    }

    /// The first and the last corner of the shortest way.
    fn best_pair(&self, from: DVec2, to: DVec2, scratch: &mut TableScratch) -> Option<(u32, u32)> {
        self.reach(&scratch.starts, from, &mut scratch.from);
        self.reach(&scratch.ends, to, &mut scratch.to);
        let count = self.net.corners.len();
        let mut best = (f32::INFINITY, None);
        for a in &scratch.from {
            let so_far = a.length as f32;
            if f64::from(best.0) <= a.length + a.at.distance(to) {
                continue;
            }
            let row = &self.lengths[a.corner as usize * count..][..count];
            for b in &scratch.to {
                let length = so_far + row[b.corner as usize] + b.length as f32;
                if length < best.0 {
                    best = (length, Some((a.corner, b.corner)));
                }
            }
        }
        best.1
    }

    /// The corners that a point sees.
    fn reach(&self, cells: &[u32], point: DVec2, found: &mut Vec<VisibleCorner>) {
        found.clear();
        for &cell in cells {
            let part = self.first[cell as usize] as usize..self.first[cell as usize + 1] as usize;
            for s in &self.sights[part] {
                let d = point - s.at;
                if s.left.perp_dot(d) <= 0.0 && s.right.perp_dot(d) >= 0.0 {
                    found.push(VisibleCorner { at: s.at, corner: s.corner, length: d.length() });
                }
            }
        }
    }

    /// Writes the corners from the last to the first; returns the length of the path.
    fn walk_back(
        &self,
        mesh: &NavMesh,
        (first, last): (u32, u32),
        ends: (DVec2, DVec2),
        out: &mut ShortestPath,
    ) -> f64 {
        let row = &self.before[first as usize * self.net.corners.len()..];
        let (mut length, mut at, mut ahead) = (0.0, ends.1, ends.1);
        let mut corner = last;
        loop {
            let Corner { at: here, vertex, .. } = self.net.corners[corner as usize];
            let next = if corner == first { NONE } else { row[corner as usize] };
            let behind = if next == NONE { ends.0 } else { self.net.corners[next as usize].at };
            length += at.distance(here);
            at = here;
            if (here - behind).perp_dot(ahead - here) != 0.0 {
                out.points.push(mesh.vertices()[vertex as usize]);
                ahead = here;
            }
            if next == NONE {
                return length + here.distance(behind);
            }
            corner = next;
        }
    }
}

/// Whether the straight line between two points stays inside. A line that only just passes between two corners may
/// be taken for blocked: the way around them is as long.
fn straight(net: &PolyanyaMesh, from: DVec2, to: DVec2, scratch: &mut TableScratch) -> bool {
    let TableScratch { starts, ends, open, touched, .. } = scratch;
    touched.clear();
    open.clear();
    open.extend(starts.iter().map(|&cell| (cell, NONE)));
    let d = to - from;
    while let Some((cell, entry)) = open.pop() {
        if ends.contains(&cell) {
            return true;
        }
        let c = &net.cells[cell as usize];
        for portal in c.first..c.end {
            let p = &net.portals[portal as usize];
            let (a, b) = (p.a - from, p.b - from);
            let (right, left) = (a.perp_dot(d), d.perp_dot(b));
            // Where the target lies before the portal, the line ends before it.
            let crosses = right >= 0.0 && left >= 0.0 && a.perp_dot(b) > 0.0 && (b - a).perp_dot(to - p.a) <= 0.0;
            if !crosses || portal == entry || starts.contains(&p.to) {
                continue;
            }
            if right == 0.0 || left == 0.0 {
                if touched.contains(&p.to) {
                    continue;
                }
                touched.push(p.to);
            }
            open.push((p.to, p.twin));
        }
    }
    false
}

/// What a corner sees.
#[derive(Default)]
struct Visibility {
    sights: Vec<(u32, Sight)>,
    /// Corners to turn at, and how far they are.
    links: Vec<(u32, f64)>,
    open: Vec<Interval>,
}

impl Visibility {
    /// Looks around in all directions from which a path may come to turn at the corner.
    fn look(&mut self, net: &PolyanyaMesh, corner: u32) {
        let c = &net.corners[corner as usize];
        for (wall, side) in [(c.left_wall, Side::Right), (c.right_wall, Side::Left)] {
            let mut seen = Vec::new();
            c.beside(net, -wall, side, |s| seen.push(s));
            for s in seen {
                self.add(net, c, s);
            }
        }
        let mut seen = Vec::new();
        while let Some(view) = self.open.pop() {
            let entry = &net.portals[view.portal as usize];
            let Interval { left, right, .. } = view;
            self.sights.push((entry.to, Sight { left, right, at: c.at, corner }));
            if view.right_end {
                self.link(net, c, (entry.corner_a, Side::Right));
            }
            if view.left_end {
                self.link(net, c, (entry.corner_b, Side::Left));
            }
            view.through(net, c.at, |s| seen.push(s));
            for s in seen.drain(..) {
                self.add(net, c, s);
            }
        }
        self.links.sort_by_key(|l| l.0);
        self.links.dedup_by_key(|l| l.0);
    }

    /// Each cell sees the corners of its own portals from everywhere.
    fn look_from_cells(&mut self, net: &PolyanyaMesh) {
        for (cell, c) in net.cells.iter().enumerate() {
            let mut near: Vec<u32> = net.portals[c.first as usize..c.end as usize]
                .iter()
                .flat_map(|p| [p.corner_a, p.corner_b])
                .filter(|&c| c != NONE)
                .collect();
            near.sort_unstable();
            near.dedup();
            let sight = |corner: u32| Sight {
                left: DVec2::ZERO,
                right: DVec2::ZERO,
                at: net.corners[corner as usize].at,
                corner,
            };
            self.sights.extend(near.into_iter().map(|corner| (cell as u32, sight(corner))));
        }
    }

    fn add(&mut self, net: &PolyanyaMesh, from: &Corner, seen: VisiblePortal) {
        if seen.a.perp_dot(seen.b) > 0.0 {
            self.open.push(seen.view);
        } else {
            self.link(net, from, seen.nearer_end(&net.portals[seen.view.portal as usize]));
        }
    }

    fn link(&mut self, net: &PolyanyaMesh, from: &Corner, (corner, side): (u32, Side)) {
        if corner != NONE {
            let c = &net.corners[corner as usize];
            let ray = c.at - from.at;
            if c.turns(ray, side) {
                self.links.push((corner, ray.length()));
            }
        }
    }
}

/// Distances between all corners, and the corner before the last on the path (E. W. Dijkstra, 1959): in double
/// precision, unlike the kernel.
fn all_lengths(net: &PolyanyaMesh, links: &[Vec<(u32, f64)>]) -> (Vec<f32>, Vec<u32>) {
    let count = net.corners.len();
    let mut lengths = Vec::with_capacity(count * count);
    let mut before = vec![NONE; count * count];
    let mut heap = Heap::default();
    let mut row = vec![f64::INFINITY; count];
    for root in 0..count {
        row.fill(f64::INFINITY);
        row[root] = 0.0;
        heap.clear();
        heap.push(Keyed { key: 0.0, number: root as u32 });
        while let Some(Keyed { key: length, number: at }) = heap.pop() {
            if length > row[at as usize] {
                continue;
            }
            for &(next, step) in &links[at as usize] {
                if length + step < row[next as usize] {
                    row[next as usize] = length + step;
                    before[root * count + next as usize] = at;
                    heap.push(Keyed { key: length + step, number: next });
                }
            }
        }
        lengths.extend(row.iter().map(|&l| l as f32));
    }
    (lengths, before)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Maze, Random};
    use super::*;

    #[test]
    fn paths_are_as_short_as_those_of_the_search() {
        let (mut random, mut exact, mut scratch) = (Random(5), super::super::Polyanya::new(), TableScratch::default());
        let (mut path, mut other, mut bent) = (ShortestPath::default(), ShortestPath::default(), 0);
        for round in 0..150 {
            let maze = Maze::random(&mut random, 3 + round % 5);
            let brute = maze.brute();
            let table = CornerTable::build(&maze.mesh, &maze.filter, usize::MAX).unwrap();
            for query in 0..12 {
                let (start, end) = (maze.place(&mut random), maze.place(&mut random));
                let found = table.find(&maze.mesh, start, end, &mut scratch, &mut path);
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
    fn tables_above_the_limit_and_other_meshes_are_refused() {
        let maze = Maze::random(&mut Random(1), 6);
        let table = CornerTable::build(&maze.mesh, &maze.filter, usize::MAX).unwrap();
        let corners = table.corners();
        let max = corners * corners * 8;
        let refused = CornerTable::build(&maze.mesh, &maze.filter, max - 1).unwrap_err();
        assert_eq!(refused, TableTooLarge { corners, needed: max, max: max - 1 });
        assert!(corners > 3 && table.bytes() >= max && CornerTable::build(&maze.mesh, &maze.filter, max).is_ok());
        let other = Maze::random(&mut Random(1), 6);
        let place = other.place(&mut Random(2));
        let (mut scratch, mut path) = (TableScratch::default(), ShortestPath::default());
        assert_eq!(table.find(&other.mesh, place, place, &mut scratch, &mut path), Err(QueryError::OtherMesh));
        assert_eq!(table.find(&maze.mesh, place, place, &mut scratch, &mut path), Ok(()));
    }
}
