//! Joining the polygons of another program's mesh: borders that lie upon each other get the same vertices, and a vertex
//! in the middle of a neighbour's edge splits that edge, so that neighbours share whole edges.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use glam::{DVec2, DVec3};

use super::ExchangeError;
use super::foreign::{BorderJoint, ForeignMesh, ForeignPolygon, JoinedRegions, Joining};
use super::outline::convex_parts;
use super::overlaps::{PairFault, for_each_near_pair};
use super::pieces::{ConvexPiece, Pieces};
use super::shared_borders::{SNAP, SharedBorders, is_no_ground, is_upright};
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::{self, PlanPoint};
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{DetourValues, FileError, MeshFile, NavMesh};
use crate::vocab::counted;

/// Largest distance over which a joint named by a file moves a border, metres.
const MAX_GAP: f64 = 0.5;
/// A corner that moves further up or down is named, metres.
const MAX_RISE: f64 = 0.01;

/// Most borders that lie upon each other, for each border there is; polygons of a mesh seldom lie upon each other.
const MAX_OVERLAPS_PER_EDGE: usize = 16;

/// A mesh of another program in our form.
#[derive(Debug)]
pub struct JoinedMesh {
    /// Its format in words.
    pub format: String,
    /// What a file of ours would hold.
    pub file: MeshFile,
    /// The same, checked.
    pub mesh: NavMesh,
    /// What a set of Detour's tiles says besides.
    pub detour: Option<DetourValues>,
    /// Its links on that mesh.
    pub links: OffMeshLinks,
    /// Places to hide, in the world.
    pub cover: Vec<DVec3>,
    /// What was left out or changed, a sentence each.
    pub notes: Vec<String>,
}

/// Points, and which of them become one vertex.
#[derive(Default)]
struct Nodes {
    /// Corners come before cuts, so that a cut takes the corner's place.
    groups: DisjointSets,
    points: Vec<DVec3>,
}

impl Nodes {
    fn add(&mut self, point: DVec3) -> u32 {
        self.groups.add();
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    fn root(&mut self, node: u32) -> u32 {
        self.groups.root(node as usize) as u32
    }
}

/// The places along an edge where neighbours' borders begin or end: nodes by the bits of a share of the edge, from 0 at its begin to 1.
/// A long edge may have very many.
#[derive(Default)]
struct EdgeCuts(BTreeMap<u64, u32>);

impl EdgeCuts {
    /// The node that is nearest to a place, and no farther from it than `near`.
    fn node_near(&self, at: f64, near: f64) -> Option<u32> {
        let around = (at - near).max(0.0).to_bits()..=(at + near).to_bits();
        let off = |bits: u64| (f64::from_bits(bits) - at).abs();
        let found = self.0.range(around).min_by(|(a, _), (b, _)| off(**a).total_cmp(&off(**b)));
        found.map(|(_, &node)| node)
    }
}

/// The parts of edges that have a neighbour: their ends by the bits of their begins, metres along the edge. They overlap by no more than
/// [`SNAP`].
#[derive(Default)]
struct CoveredParts(HashMap<[u32; 2], BTreeMap<u64, f64>>);

impl CoveredParts {
    fn add(&mut self, edge: [u32; 2], [begin, end]: [f64; 2]) {
        // A zero with a sign would be the largest number.
        let known = self.0.entry(edge).or_default().entry((begin + 0.0).to_bits()).or_insert(end);
        *known = known.max(end);
    }

    /// Whether a part of an edge has a neighbour along more than a snap.
    fn has(&self, edge: [u32; 2], [begin, end]: [f64; 2]) -> bool {
        let before = ..((end - SNAP).max(0.0) + 0.0).to_bits();
        let last = self.0.get(&edge).and_then(|parts| parts.range(before).next_back());
        last.is_some_and(|(_, &last)| begin < last - SNAP)
    }
}

/// Where two edges lie beside each other: along the first and along the second, at both ends of the passage.
struct Overlap {
    a: [f64; 2],
    b: [f64; 2],
}

struct Joiner<'a> {
    polygons: &'a [ForeignPolygon],
    /// First corner of each polygon among all, then their number.
    starts: Vec<u32>,
    nodes: Nodes,
    /// By the edge's first corner.
    cuts: HashMap<u32, EdgeCuts>,
    /// Pairs of polygons that have a passage.
    pairs: HashSet<[u32; 2]>,
    /// Polygons that are no ground, and are not joined.
    no_ground: HashSet<u32>,
}

impl ForeignMesh {
    /// Joins the polygons and checks the whole. Polygons that cannot be part of a mesh, and links without ground, are
    /// left out and named in the notes.
    ///
    /// # Errors
    /// Nothing is left to walk on, or too much of it is damaged.
    pub fn join(self) -> Result<JoinedMesh, ExchangeError> {
        let mut notes = self.notes;
        drop(self.listed);
        let upright = self.polygons.iter().filter(|p| is_upright(&p.corners)).count();
        let hint = format!(
            "{upright} of {} polygons stand upright: if z is up in the file, give --axes x,z,-y",
            self.polygons.len()
        );
        if 2 * upright > self.polygons.len() {
            notes.push(format!("{hint}."));
        }
        let mut joiner = Joiner::new(&self.polygons);
        let (joints, gap, climb) = match self.joining {
            Joining::Explicit { joints, climb } => (joints, MAX_GAP, climb),
            Joining::Nearby { reach, climb } => {
                joiner.mark_no_ground();
                let shared = SharedBorders::of(&self.polygons, reach);
                let near = joiner.nearby(shared.others, reach, climb, |_, _| true)?;
                ([shared.joints, near].concat(), reach, climb)
            }
        };
        joints.iter().for_each(|joint| joiner.join(joint, gap, climb));
        if let Some(regions) = &self.regions {
            notes.extend(joiner.join_regions(&joints, regions)?);
        }
        let pieces = joiner.pieces(&mut notes);
        // The pieces have the corners now.
        let mut polygons = self.polygons;
        polygons.iter_mut().for_each(|p| p.corners = Vec::new());
        drop(joints);
        let checked = pieces.check(&mut polygons, &mut notes);
        drop(polygons);
        let (mesh, file) = checked.map_err(|error| match error {
            ExchangeError::Empty if upright > 0 => ExchangeError::Text(format!("no polygon to walk on: {hint}")),
            error => error,
        })?;
        let mut file = MeshFile { links: self.links, ..file };
        let grounded: Vec<bool> = file.links.iter().map(|link| link.snapped(&mesh, 0).is_ok()).collect();
        let left_out = grounded.iter().filter(|g| !**g).count();
        let mut detour = self.detour;
        if left_out > 0 {
            notes.push(left_out_words(left_out, "link", "without ground at an end"));
            retain_by(&mut file.links, &grounded);
            detour.iter_mut().for_each(|d| retain_by(&mut d.connections, &grounded));
        }
        let links = OffMeshLinks::new(&mesh, Vec::new(), &file.links).map_err(FileError::from)?;
        Ok(JoinedMesh { format: self.format, file, mesh, detour, links, cover: self.cover, notes })
    }
}

/// Keeps the elements of a list whose flag is set.
fn retain_by<T>(list: &mut Vec<T>, flags: &[bool]) {
    let mut flags = flags.iter();
    list.retain(|_| flags.next() == Some(&true));
}

impl<'a> Joiner<'a> {
    fn new(polygons: &'a [ForeignPolygon]) -> Self {
        let mut starts = vec![0];
        let mut nodes = Nodes::default();
        for polygon in polygons {
            polygon.corners.iter().for_each(|&corner| {
                nodes.add(corner);
            });
            starts.push(nodes.points.len() as u32);
        }
        Self { polygons, starts, nodes, cuts: HashMap::new(), pairs: HashSet::new(), no_ground: HashSet::new() }
    }

    /// Marks the polygons that are no ground.
    fn mark_no_ground(&mut self) {
        let no_ground = (0..).zip(self.polygons).filter(|(_, polygon)| is_no_ground(&polygon.corners));
        self.no_ground = no_ground.map(|(number, _)| number).collect();
    }

    /// The ends of an edge; `None` for numbers that name none.
    fn ends(&self, [polygon, edge]: [u32; 2]) -> Option<[DVec3; 2]> {
        let corners = &self.polygons.get(polygon as usize)?.corners;
        Some([*corners.get(edge as usize)?, corners[(edge as usize + 1) % corners.len()]])
    }

    /// Shares of an edge as metres along it, as seen from above.
    fn metres_along(&self, edge: [u32; 2], shares: [f64; 2]) -> [f64; 2] {
        let length = self.ends(edge).map_or(0.0, |[a, b]| (b - a).plan().length());
        shares.map(|share| share * length)
    }

    /// All edges: their polygons and their numbers there.
    fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let numbered = (0..).zip(self.polygons);
        numbered.flat_map(|(p, polygon)| (0..polygon.corners.len() as u32).map(move |edge| [p, edge]))
    }

    /// All pairs of edges, of polygons that may be joined, whose borders lie upon each other.
    ///
    /// # Errors
    /// There are far more than a mesh has.
    fn nearby(
        &self,
        places: Vec<[u32; 2]>,
        reach: f64,
        climb: f64,
        may_join: impl Fn(u32, u32) -> bool,
    ) -> Result<Vec<BorderJoint>, ExchangeError> {
        let segments: Vec<[DVec2; 2]> =
            places.iter().map(|&place| self.ends(place).unwrap_or_default().map(DVec3::plan)).collect();
        let limit = MAX_OVERLAPS_PER_EDGE * places.len();
        let mut joints: Vec<BorderJoint> = Vec::new();
        let owners: Vec<u32> = places.iter().map(|place| place[0]).collect();
        let searched = for_each_near_pair(&segments, &owners, reach, |a, b| {
            let joint = BorderJoint { from: places[a as usize], to: places[b as usize] };
            if may_join(joint.from[0], joint.to[0]) && self.overlap(&joint, reach, climb).is_some() {
                joints.push(joint);
            }
            joints.len() <= limit
        });
        searched.map_err(|fault| match fault {
            PairFault::Ended => ExchangeError::TooMany { what: "borders upon each other", count: joints.len(), limit },
            PairFault::Crowded { count, limit } => {
                ExchangeError::TooMany { what: "pairs of borders near each other", count, limit }
            }
        })?;
        joints.sort_unstable_by_key(|joint| (joint.from, joint.to));
        joints.dedup();
        Ok(joints)
    }

    /// Where the edges of a joint lie beside each other, within `gap` seen from above and `climb` of height at one end
    /// at least, or crossing.
    fn overlap(&self, joint: &BorderJoint, gap: f64, climb: f64) -> Option<Overlap> {
        let (a, b) = (self.ends(joint.from)?, self.ends(joint.to)?);
        let (along_a, along_b) = ((a[1] - a[0]).plan(), (b[1] - b[0]).plan());
        let (long_a, long_b) = (along_a.length(), along_b.length());
        if long_a < SNAP || long_b < SNAP || along_a.dot(along_b).abs() < 0.5 * long_a * long_b {
            return None;
        }
        let on_a = |p: DVec3| ((p - a[0]).plan().dot(along_a) / (long_a * long_a)).clamp(0.0, 1.0);
        let on_b = |p: DVec3| ((p - b[0]).plan().dot(along_b) / (long_b * long_b)).clamp(0.0, 1.0);
        let (first, second) = (on_a(b[0]), on_a(b[1]));
        let at_a = [first.min(second), first.max(second)];
        if (at_a[1] - at_a[0]) * long_a < SNAP {
            return None;
        }
        let points = at_a.map(|t| a[0].lerp(a[1], t));
        let at_b = points.map(on_b);
        let beside = at_b.map(|t| b[0].lerp(b[1], t));
        let apart = [0, 1].map(|i| (points[i] - beside[i]).plan().length());
        let step = [0, 1].map(|i| points[i].y - beside[i].y);
        let climbs = step[0] * step[1] < 0.0 || step[0].abs().min(step[1].abs()) <= climb;
        (apart[0].max(apart[1]) <= gap && climbs).then_some(Overlap { a: at_a, b: at_b })
    }

    /// The node of a place along an edge: a corner, a cut that is there, or a new one.
    fn node_at(&mut self, [polygon, edge]: [u32; 2], at: f64) -> u32 {
        let corners = self.polygons[polygon as usize].corners.len() as u32;
        let first = self.starts[polygon as usize];
        let (begin, end) = (first + edge, first + (edge + 1) % corners);
        let (from, to) = (self.nodes.points[begin as usize], self.nodes.points[end as usize]);
        let near = SNAP / (to - from).plan().length().max(SNAP);
        if at <= near {
            return begin;
        }
        if at >= 1.0 - near {
            return end;
        }
        if let Some(known) = self.cuts.get(&begin).and_then(|cuts| cuts.node_near(at, near)) {
            return known;
        }
        let node = self.nodes.add(from.lerp(to, at));
        self.cuts.entry(begin).or_default().0.insert(at.to_bits(), node);
        node
    }

    fn join(&mut self, joint: &BorderJoint, gap: f64, climb: f64) {
        let Some(overlap) = self.overlap(joint, gap, climb) else { return };
        for i in [0, 1] {
            let a = self.node_at(joint.from, overlap.a[i]);
            let b = self.node_at(joint.to, overlap.b[i]);
            self.nodes.groups.join(a as usize, b as usize);
        }
        let (a, b) = (joint.from[0], joint.to[0]);
        self.pairs.insert([a.min(b), a.max(b)]);
    }

    /// Joins the borders of regions over gaps, as Godot does: those that have no neighbour yet, the narrowest gaps first.
    fn join_regions(
        &mut self,
        joints: &[BorderJoint],
        regions: &JoinedRegions,
    ) -> Result<Option<String>, ExchangeError> {
        let taken: HashSet<[u32; 2]> = joints.iter().flat_map(|joint| [joint.from, joint.to]).collect();
        let region = |polygon: u32| regions.of.get(polygon as usize).copied().flatten();
        let is_free = |place: &[u32; 2]| {
            region(place[0]).is_some() && !taken.contains(place) && !self.no_ground.contains(&place[0])
        };
        let places = self.edges().filter(is_free).collect();
        let found = self.nearby(places, regions.margin, regions.margin, |a, b| region(a) != region(b))?;
        let mut gaps: Vec<(f64, BorderJoint)> = found.into_iter().filter_map(|joint| self.gap(&joint)).collect();
        gaps.retain(|(gap, _)| *gap <= regions.margin);
        gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut covered = CoveredParts::default();
        let mut widest: Option<f64> = None;
        let mut count = 0;
        for (gap, joint) in gaps {
            let Some(overlap) = self.overlap(&joint, regions.margin, regions.margin) else { continue };
            let on_b = [overlap.b[0].min(overlap.b[1]), overlap.b[0].max(overlap.b[1])];
            let parts =
                [(joint.from, overlap.a), (joint.to, on_b)].map(|(edge, on)| (edge, self.metres_along(edge, on)));
            if parts.iter().any(|&(edge, on)| covered.has(edge, on)) {
                continue;
            }
            parts.into_iter().for_each(|(edge, on)| covered.add(edge, on));
            self.join(&joint, regions.margin, regions.margin);
            (count, widest) = (count + 1, Some(widest.map_or(gap, |w| w.max(gap))));
        }
        Ok(widest.filter(|w| *w > SNAP).map(|w| {
            format!(
                "{count} borders of regions that lie up to {w:.3} m apart are joined, as the engine does within {} m \
                 (edge_connection_margin): their corners meet halfway.",
                regions.margin
            )
        }))
    }

    /// The larger distance in space of two edges at the ends of where they lie beside each other.
    fn gap(&self, joint: &BorderJoint) -> Option<(f64, BorderJoint)> {
        let overlap = self.overlap(joint, f64::INFINITY, f64::INFINITY)?;
        let (a, b) = (self.ends(joint.from)?, self.ends(joint.to)?);
        let apart = [0, 1].map(|i| a[0].lerp(a[1], overlap.a[i]).distance(b[0].lerp(b[1], overlap.b[i])));
        Some((apart[0].max(apart[1]), *joint))
    }

    /// The polygons with their cuts, split where they are not convex.
    fn pieces(mut self, notes: &mut Vec<String>) -> Pieces {
        let places = self.places();
        let rise = |node: u32, root: u32| (self.nodes.points[node as usize].y - places[root as usize].y).abs();
        let corners = self.starts.last().copied().unwrap_or(0);
        let roots: Vec<u32> = (0..corners).map(|node| self.nodes.groups.root(node as usize) as u32).collect();
        let rises = (0..corners).map(|node| rise(node, roots[node as usize])).filter(|rise| *rise > MAX_RISE);
        let (count, most) = rises.fold((0, 0.0_f64), |(count, most), rise| (count + 1, most.max(rise)));
        if count > 0 {
            notes.push(format!(
                "{count} corners at borders of different heights lie between these, up to {most:.2} m from where the file \
                 has them; height detail of the file keeps its own heights."
            ));
        }
        let mut pieces = Pieces { places, list: Vec::new(), pairs: std::mem::take(&mut self.pairs) };
        let (mut split, mut halved, mut dropped) = (0, 0, 0);
        for source in 0..self.polygons.len() as u32 {
            let ring = self.ring(source);
            let points: Vec<DVec3> = ring.iter().map(|&n| pieces.places[n as usize]).collect();
            let parts = convex_parts(&points);
            match parts.len() {
                0 => dropped += 1,
                1 => {}
                _ if parts.iter().all(|part| part.len() == 3) => split += 1,
                _ => halved += 1,
            }
            let is_whole = parts.len() == 1;
            for part in parts {
                let nodes = part.iter().map(|&i| ring[i]).collect();
                pieces.list.push(ConvexPiece { nodes, source, is_whole });
            }
        }
        if dropped > 0 {
            notes.push(left_out_words(
                dropped,
                "polygon",
                "without area, narrower than the borders that are joined, or with crossing borders",
            ));
        }
        if halved > 0 {
            notes.push(format!("{halved} polygons of very many corners are cut into parts."));
        }
        if split > 0 {
            notes.push(format!("{split} polygons that are not convex are split into triangles."));
        }
        pieces
    }

    /// Where each node lies: at the mean of the corners that it unites, exactly there where these agree.
    fn places(&mut self) -> Vec<DVec3> {
        let corners = self.starts.last().copied().unwrap_or(0);
        let mut offsets = vec![(DVec3::ZERO, 0u32); self.nodes.points.len()];
        for node in 0..corners {
            let root = self.nodes.root(node) as usize;
            offsets[root].0 += self.nodes.points[node as usize] - self.nodes.points[root];
            offsets[root].1 += 1;
        }
        // Means of single precision stay in single precision, so that such a file can hold them again.
        let single = |p: DVec3| p.as_vec3().as_dvec3();
        let is_single = self.nodes.points[..corners as usize].iter().all(|&p| single(p) == p);
        let place = |root: usize| {
            let (sum, count) = offsets[root];
            let mean = self.nodes.points[root] + sum / f64::from(count.max(1));
            if is_single { single(mean) } else { mean }
        };
        (0..offsets.len()).map(place).collect()
    }

    /// The nodes around a polygon with its cuts, without repeats, of positive winding; empty where it is damaged.
    fn ring(&mut self, polygon: u32) -> Vec<u32> {
        let (first, end) = (self.starts[polygon as usize], self.starts[polygon as usize + 1]);
        let mut ring = Vec::new();
        if self.no_ground.contains(&polygon) {
            return ring;
        }
        for corner in first..end {
            ring.push(self.nodes.root(corner));
            if let Some(cuts) = self.cuts.remove(&corner) {
                ring.extend(cuts.0.into_values().map(|node| self.nodes.root(node)));
            }
        }
        ring.dedup();
        while ring.len() > 1 && ring.first() == ring.last() {
            ring.pop();
        }
        let mut sorted = ring.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|w| w[0] == w[1]) {
            ring.clear();
        }
        let points: Vec<DVec3> = ring.iter().map(|&n| self.nodes.points[n as usize]).collect();
        if plan::area(&points) < 0.0 {
            ring.reverse();
        }
        ring
    }
}

/// That so many things are left out, with what is wrong about them.
fn left_out_words(count: usize, noun: &str, fault: &str) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("{} {fault} {are} left out.", counted(count, noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_of_an_edge_are_found_within_their_distance() {
        let mut cuts = EdgeCuts::default();
        assert_eq!(cuts.node_near(0.5, 0.1), None);
        for (at, node) in [(0.5, 1), (0.1, 2), (0.53, 3), (0.9, 4)] {
            cuts.0.insert(f64::to_bits(at), node);
        }
        let found = [0.5, 0.52, 0.49, 0.11, 0.2, 0.91].map(|at| cuts.node_near(at, 0.02));
        assert_eq!(found, [Some(1), Some(3), Some(1), Some(2), None, Some(4)]);
        assert!(cuts.0.into_values().eq([2, 1, 3, 4]), "in their order along the edge");
    }

    #[test]
    fn parts_of_edges_are_compared_in_metres() {
        let mut covered = CoveredParts::default();
        let edge = [7, 2];
        covered.add(edge, [-0.0, 50.0]);
        covered.add(edge, [60.0, 70.0]);
        let has = |part| covered.has(edge, part);
        assert!(has([49.9, 60.0]) && has([50.0, 60.1]) && has([65.0, 66.0]) && has([0.0, 100.0]));
        assert!(!has([50.0, 60.0]) && !has([50.0 - SNAP / 2.0, 60.0 + SNAP / 2.0]) && !has([70.0, 80.0]));
        assert!(!covered.has([7, 3], [0.0, 50.0]));
    }
}
