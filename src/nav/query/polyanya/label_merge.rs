//! Merges the hub labels of the corners that a cell sees: which of them count for points of the cell.
//!
//! A shortest path is taut: it turns around walls alone. So a corner's label counts for those points of a cell alone that see
//! the corner and whose way over it to the label's next corner turns around its wall; a label that counts for no point of the
//! cell is left out of the cell, and so is one over which each of them is farther from the hub than all points of the cell are
//! over another corner.

use std::ops::Range;

use glam::DVec2;

use super::corner_sight::Sight;
use super::hub_labels::BuiltLabels;
use super::mesh::{Cell, Corner, PolyanyaMesh};
use crate::math::plan::{clip_convex, closest_on_segment};

/// Sights are rounded: their cones are widened by this angle, radians.
const SIGHT_SLACK: f64 = 1e-6;
/// Half-planes reach this part of the farthest point's distance from the corner over their lines, so that rounding leaves
/// nothing out.
const LINE_SLACK: f64 = 1e-10;
/// What lies no farther from the corner than this part of that distance is the corner itself.
const AT_CORNER: f64 = 1e-7;
/// Ways that turn less than this beside a wall lead along it.
const SAME_WAY: f64 = 1e-9;
/// Lengths are compared in single precision: by this part they may be wrong.
pub(super) const SAME_LENGTH: f64 = 1e-6;

/// A label of a corner that a cell sees, which counts for some of the cell's points.
pub(super) struct CellLabel {
    /// The hub's rank.
    pub(super) hub: u32,
    length: f64,
    /// The part of the edges around these points.
    edges: Range<usize>,
    /// None of these points is nearer to the hub over the corner.
    pub(super) least: f64,
    pub(super) via: Via,
}

/// A corner by which points of a cell go to a hub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Via {
    /// Which of the cell's sights.
    pub(super) sight: u16,
    /// Which of the corner's labels.
    pub(super) label: u16,
}

/// Merges the labels of one cell after the other.
#[derive(Default)]
pub(super) struct CellMerge {
    labels: Vec<CellLabel>,
    /// Per hub of the corners that the cell's middle sees, the nearest of these corners by its own labels.
    reached: Vec<Option<WayFromMiddle>>,
    /// Per hub the way to it from the middle, where it was asked for.
    ways: Vec<Option<WayFromMiddle>>,
    /// The hubs for which one of both is known.
    known: Vec<u32>,
    /// Around the points for which labels count, with how far they are from the corner.
    edges: Vec<([DVec2; 2], f64)>,
}

/// How far a cell's middle is from a hub, and over which of the cell's sights.
#[derive(Clone, Copy)]
struct WayFromMiddle {
    length: f64,
    sight: u32,
}

impl CellMerge {
    /// The labels that count for points of a cell, by hub and the nearest of each hub first; none where numbers do not suffice.
    pub(super) fn run(
        &mut self,
        net: &PolyanyaMesh,
        all: &BuiltLabels,
        (cell, sights): (&Cell, &[Sight]),
    ) -> Option<&[CellLabel]> {
        self.labels.clear();
        self.edges.clear();
        let outline = outline(net, cell);
        let middle = outline.iter().sum::<DVec2>() / outline.len() as f64;
        let radius = outline.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        self.reach(net, all, (middle, sights));
        for (number, sight) in (0..).zip(sights) {
            let corner = &net.corners[sight.corner as usize];
            let zones = Zones::of(corner, sight, &outline);
            let nearest = zones.add_edges(corner, DVec2::ZERO, &mut self.edges);
            if nearest.is_infinite() {
                continue;
            }
            let (mut before, mut near, mut edges) = (None, f64::INFINITY, 0..0);
            for (place, label) in (0..).zip(all.labels.of(sight.corner)) {
                let (hub, length) = (all.hubs[label], f64::from(all.labels.lengths[label]));
                let from_middle = self.way_from_middle(all, hub);
                // All points of the cell see its middle, which may see no corner itself.
                let most =
                    from_middle.map_or(f64::INFINITY, |way| (way.length + radius) * (1.0 + SAME_LENGTH) - length);
                if nearest > most {
                    continue;
                }
                let next = all.labels.next_corner(label);
                if before != Some(next) {
                    before = Some(next);
                    let first = self.edges.len();
                    near = zones.add_edges(corner, net.corners[next as usize].at - corner.at, &mut self.edges);
                    edges = first..self.edges.len();
                }
                let is_longer = |way: WayFromMiddle| {
                    let other = &sights[way.sight as usize];
                    let other_at = net.corners[other.corner as usize].at;
                    let less = length * (1.0 - SAME_LENGTH) - (way.length - middle.distance(other_at));
                    are_nearer(&self.edges[edges.clone()], corner.at, (other, other_at), less)
                };
                if near.is_finite() && near <= most && !from_middle.is_some_and(is_longer) {
                    let via = Via { sight: u16::try_from(number).ok()?, label: u16::try_from(place).ok()? };
                    self.labels.push(CellLabel { hub, length, edges: edges.clone(), least: near + length, via });
                }
            }
        }
        for hub in self.known.drain(..) {
            (self.reached[hub as usize], self.ways[hub as usize]) = (None, None);
        }
        self.drop_dominated(net, sights);
        Some(&self.labels)
    }

    /// Sorts the labels by hub, the nearest first, and drops those that are longer than another one of the hub wherever they count.
    fn drop_dominated(&mut self, net: &PolyanyaMesh, sights: &[Sight]) {
        self.labels.sort_by(|a, b| a.hub.cmp(&b.hub).then(a.least.total_cmp(&b.least)));
        let is_dominated = |label: &CellLabel, others: &[CellLabel]| {
            let place = |label: &CellLabel| {
                let sight = &sights[usize::from(label.via.sight)];
                (sight, net.corners[sight.corner as usize].at)
            };
            let (edges, at) = (&self.edges[label.edges.clone()], place(label).1);
            others.iter().any(|other| {
                let less = label.length * (1.0 - SAME_LENGTH) - other.length;
                other.via.sight != label.via.sight && are_nearer(edges, at, place(other), less)
            })
        };
        let kept: Vec<bool> = self
            .labels
            .chunk_by(|a, b| a.hub == b.hub)
            .flat_map(|of_hub| of_hub.iter().map(|label| !is_dominated(label, of_hub)))
            .collect();
        let mut kept = kept.into_iter();
        self.labels.retain(|_| kept.next() == Some(true));
    }

    /// Finds the hubs of all corners that the middle sees.
    fn reach(&mut self, net: &PolyanyaMesh, all: &BuiltLabels, (middle, sights): (DVec2, &[Sight])) {
        self.reached.resize(all.corners.len(), None);
        self.ways.resize(all.corners.len(), None);
        for (number, sight) in (0..).zip(sights) {
            let offset = middle - net.corners[sight.corner as usize].at;
            if !sight.is_seen(offset) {
                continue;
            }
            for label in all.labels.of(sight.corner) {
                let length = offset.length() + f64::from(all.labels.lengths[label]);
                let reached = &mut self.reached[all.hubs[label] as usize];
                if reached.is_none() {
                    self.known.push(all.hubs[label]);
                }
                if reached.is_none_or(|way| length < way.length) {
                    *reached = Some(WayFromMiddle { length, sight: number });
                }
            }
        }
    }

    /// The shortest way from the middle to a hub, over any other one.
    fn way_from_middle(&mut self, all: &BuiltLabels, hub: u32) -> Option<WayFromMiddle> {
        let way = &mut self.ways[hub as usize];
        if way.is_none() {
            self.known.push(hub);
            let over = |label: usize| {
                let WayFromMiddle { length, sight } = self.reached[all.hubs[label] as usize]?;
                Some(WayFromMiddle { length: length + f64::from(all.labels.lengths[label]), sight })
            };
            let own = all.labels.of(all.corners[hub as usize]);
            *way = own.filter_map(over).min_by(|a, b| a.length.total_cmp(&b.length));
        }
        *way
    }
}

/// Whether all points within edges see another corner, and are less than so much farther from it than from `at`.
fn are_nearer(edges: &[([DVec2; 2], f64)], at: DVec2, (other, other_at): (&Sight, DVec2), less: f64) -> bool {
    let is_near = |p: DVec2| p.distance(other_at) - p.distance(at) < less && other.is_seen(p - other_at);
    // Along rays from `at` the difference falls, so that it is greatest on an edge.
    edges.iter().all(|&([p, _], _)| is_near(p)) && edges.iter().all(|&(edge, _)| most_detour(edge, at, other_at) < less)
}

/// The corners of a cell, in order around it.
fn outline(net: &PolyanyaMesh, cell: &Cell) -> Vec<DVec2> {
    let portals = &net.portals[cell.first as usize..cell.end as usize];
    let walls = &net.walls[cell.walls as usize..cell.walls_end as usize];
    let mut points: Vec<DVec2> = portals.iter().map(|p| p.a).chain(walls.iter().map(|wall| wall[0])).collect();
    let center = points.iter().sum::<DVec2>() / points.len() as f64;
    points.sort_by(|&a, &b| (a - center).to_angle().total_cmp(&(b - center).to_angle()));
    points
}

/// How much farther from `b` than from `a` a point of a segment is, at most.
fn most_detour([p, q]: [DVec2; 2], a: DVec2, b: DVec2) -> f64 {
    let way = q - p;
    let detour = |at: DVec2| at.distance(b) - at.distance(a);
    // On the segment's line that is most where the line meets the one through both; where they lie on different sides, one of
    // them is mirrored.
    let (a_beside, b_beside) = (way.perp_dot(a - p), way.perp_dot(b - p));
    let mirrored = if a_beside * b_beside < 0.0 { b - way.perp() * (2.0 * b_beside / way.length_squared()) } else { b };
    let t = (a - p).perp_dot(mirrored - a) / way.perp_dot(mirrored - a);
    let between = if t > 0.0 && t < 1.0 { detour(p + way * t) } else { f64::NEG_INFINITY };
    detour(p).max(detour(q)).max(between)
}

/// The parts of a cell from which a path that comes straight to a corner may turn around its right and its left wall.
struct Zones {
    right: Vec<DVec2>,
    left: Vec<DVec2>,
    /// No point of the cell is farther from the corner.
    far: f64,
}

impl Zones {
    /// Of a cell with this outline.
    fn of(corner: &Corner, sight: &Sight, outline: &[DVec2]) -> Self {
        let far = outline.iter().map(|p| p.distance(corner.at)).fold(0.0, f64::max);
        let mut zones = Self { right: Vec::new(), left: Vec::new(), far };
        let cone = [(sight.right(), -SIGHT_SLACK, 1.0), (sight.left(), SIGHT_SLACK, -1.0)];
        let [right, left] = cone.map(|(way, by, sign)| (way.rotate(DVec2::from_angle(by)), sign));
        let seen = zones.beside(&zones.beside(outline, corner, right), corner, left);
        if corner.spiral {
            zones.right = seen;
            return zones;
        }
        let (right, left) = (corner.right_wall, corner.left_wall);
        zones.right = zones.beside(&zones.beside(&seen, corner, (right, -1.0)), corner, (left, -1.0));
        zones.left = zones.beside(&zones.beside(&seen, corner, (left, 1.0)), corner, (right, 1.0));
        zones
    }

    /// The part of a convex polygon on one side of a corner's line in a direction: to the left of it for the sign 1, empty where only the
    /// corner itself is left.
    fn beside(&self, polygon: &[DVec2], corner: &Corner, (way, sign): (DVec2, f64)) -> Vec<DVec2> {
        let (mut part, way) = (Vec::new(), way.normalize_or_zero());
        let side = |p: DVec2| sign * way.perp_dot(p - corner.at) + LINE_SLACK * self.far;
        clip_convex(polygon, side, |p| part.push(p));
        if part.iter().all(|p| p.distance(corner.at) <= AT_CORNER * self.far) {
            part.clear();
        }
        part
    }

    /// Adds the edges of the parts whose paths over the corner may go on this way, of all for zero, the way of the corner's label of
    /// itself; returns how near to the corner they come, infinite where there are none.
    fn add_edges(&self, corner: &Corner, way: DVec2, edges: &mut Vec<([DVec2; 2], f64)>) -> f64 {
        let first = edges.len();
        let [unit, right, left] = [way, corner.right_wall, corner.left_wall].map(DVec2::normalize_or_zero);
        let is_any = corner.spiral || way == DVec2::ZERO;
        // A path that turns right leaves the way to its left.
        let sides = [(&self.right, -1.0, right.perp_dot(unit)), (&self.left, 1.0, unit.perp_dot(left))];
        for (zone, sign, beside) in sides {
            if is_any || beside >= -SAME_WAY {
                let part = if is_any { zone.clone() } else { self.beside(zone, corner, (way, sign)) };
                edges.extend(part.iter().enumerate().map(|(i, &p)| {
                    let q = part[(i + 1) % part.len()];
                    ([p, q], closest_on_segment(p, q, corner.at).distance(corner.at))
                }));
            }
        }
        edges[first..].iter().map(|edge| edge.1).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::super::index::CornerIndex;
    use super::super::line::LineWalk;
    use super::super::tests::{Maze, Random};
    use super::*;

    /// A number from 0 to 1.
    fn share(random: &mut Random) -> f64 {
        random.below(1 << 20) as f64 / f64::from(1 << 20)
    }

    /// The labels of an index as they were built.
    fn built_labels(index: &CornerIndex) -> BuiltLabels {
        let labels = index.labels.clone();
        let (mut hubs, mut path) = (Vec::new(), Vec::new());
        for label in 0..labels.len() as u32 {
            path.clear();
            labels.walk(label, &mut path);
            hubs.push(path[path.len() - 1]);
        }
        // Ranks of corners that are a hub of no cell do not matter.
        let mut corners: Vec<Option<u32>> = vec![None; labels.corners()];
        for cell in 0..index.net.cells.len() as u32 {
            for hub in index.vias.of(cell) {
                let via = index.vias.vias(cell, hub).next().unwrap();
                let corner = index.sights_of(cell)[usize::from(via.sight)].corner;
                let label = labels.of(corner).start + usize::from(via.label);
                corners[index.vias.rank(index.vias.hubs[hub])] = Some(hubs[label]);
            }
        }
        let mut others =
            (0..labels.corners() as u32).filter(|&corner| !corners.contains(&Some(corner))).collect::<Vec<_>>();
        let corners: Vec<u32> = corners.iter().map(|corner| corner.unwrap_or_else(|| others.pop().unwrap())).collect();
        let rank = |hub: u32| corners.iter().position(|&corner| corner == hub).unwrap() as u32;
        let hubs = hubs.into_iter().map(rank).collect();
        BuiltLabels { labels, hubs, corners }
    }

    /// A point of a cell, often near its corners and edges.
    fn point_of(net: &PolyanyaMesh, cell: u32, random: &mut Random) -> DVec2 {
        let outline = outline(net, &net.cells[cell as usize]);
        let weights: Vec<f64> = outline.iter().map(|_| share(random).powi(4) + 1e-9).collect();
        weights.iter().zip(&outline).map(|(&w, &p)| p * w).sum::<DVec2>() / weights.iter().sum::<f64>()
    }

    #[test]
    fn vias_make_ways_as_short_as_all_labels_do() {
        let (mut random, mut vias, mut all, mut compared) = (Random(21), 0, 0, 0);
        for round in 0..60 {
            let maze = Maze::random(&mut random, 3 + round % 6);
            let index = CornerIndex::build(&maze.mesh, &maze.filter, usize::MAX).unwrap();
            let (net, labels) = (&index.net, built_labels(&index));
            for cell in 0..net.cells.len() as u32 {
                vias += index.vias.of(cell).map(|hub| index.vias.vias(cell, hub).count()).sum::<usize>();
                all += index.sights_of(cell).iter().map(|s| labels.labels.of(s.corner).len()).sum::<usize>();
            }
            for _ in 0..300 {
                let cells = [(); 2].map(|()| random.below(net.cells.len()) as u32);
                let points = cells.map(|cell| point_of(net, cell, &mut random));
                if LineWalk::default().is_free(net, points, &cells[..1], &cells[1..]) {
                    continue;
                }
                let (mut by_labels, mut by_vias) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
                for (end, (&cell, &point)) in cells.iter().zip(&points).enumerate() {
                    let mut merge = CellMerge::default();
                    merge.reach(net, &labels, (point, index.sights_of(cell)));
                    by_labels[end] = merge.reached.iter().map(|way| way.map_or(f64::INFINITY, |w| w.length)).collect();
                    by_vias[end] = vec![f64::INFINITY; net.corners.len()];
                    for hub in index.vias.of(cell) {
                        let rank = index.vias.rank(index.vias.hubs[hub]);
                        if let Some((length, _)) = index.nearest_via(cell, hub as u32, point) {
                            by_vias[end][rank] = f64::from(length);
                        }
                    }
                }
                let [wanted, found] = [by_labels, by_vias]
                    .map(|[from, to]| from.iter().zip(&to).map(|(a, b)| a + b).fold(f64::INFINITY, f64::min));
                let is_same = wanted == found || (wanted - found).abs() < 1e-5 * (1.0 + wanted);
                assert!(is_same, "mesh {round}, {cells:?}, {points:?}: {found}, not {wanted}");
                compared += usize::from(wanted.is_finite());
            }
        }
        assert!(compared > 3000 && 2 * vias < all, "{compared} ways, {vias} vias of {all} labels");
    }

    #[test]
    fn no_point_of_a_segment_is_farther_off_than_the_most() {
        let mut random = Random(4);
        let (mut point, mut between) = (|| DVec2::new(share(&mut random), share(&mut random)), 0);
        for _ in 0..2000 {
            let ([p, q], a, b) = ([point(), point()], point(), point());
            let detour = |at: DVec2| at.distance(b) - at.distance(a);
            let tried = (0..=1000).map(|i| detour(p.lerp(q, f64::from(i) / 1000.0))).fold(f64::NEG_INFINITY, f64::max);
            let most = most_detour([p, q], a, b);
            assert!(tried <= most + 1e-12 && tried > most - 1e-2, "{p} {q} {a} {b}: {tried} {most}");
            between += usize::from(most > detour(p).max(detour(q)) + 1e-3);
        }
        assert!(between > 100, "{between} between the ends");
    }
}
