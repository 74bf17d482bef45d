//! The walls near an agent, kept until it has moved.

use glam::Vec2;

use super::neighbors::insert_sorted;
use super::orca::HalfPlane;
use super::scratch::WorkerScratch;
use crate::math::plan::{self, to_plan};
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::surface::wall_segments;

/// Most walls of an agent.
pub(super) const MAX_WALLS: usize = 8;
/// Distance that an agent moves before its walls are searched again, metres.
const STALE: f32 = 0.4;
/// Cosine of the bend up to which one edge of the mesh goes on in the next.
const STRAIGHT: f32 = 0.7;
/// Rounding of the distances of walls, metres.
const REACH_SLACK: f32 = 1e-3;

/// The nearest walls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NearWalls {
    center: Vec2,
    /// The polygon that they were searched from; `None` before the first search.
    polygon: Option<PolyId>,
    count: usize,
    list: [(f32, Vec2, Vec2); MAX_WALLS],
}

impl NearWalls {
    /// Forgets the walls.
    pub(super) fn clear(&mut self) {
        (self.polygon, self.count) = (None, 0);
    }

    /// Searches the walls within `reach` metres if the known ones are stale.
    pub(super) fn refresh(
        &mut self,
        mesh: &NavMesh,
        filter: &Filter,
        scratch: &mut WorkerScratch,
        place: NavPoint,
        reach: f32,
    ) {
        let at = to_plan(place.point);
        if self.polygon.is_some() && at.distance_squared(self.center) <= STALE * STALE {
            return;
        }
        (self.polygon, self.center, self.count) = (Some(place.polygon), at, 0);
        let reach = reach + STALE;
        scratch.surface.polygons_around(mesh, place, reach, filter, &mut scratch.polygons);
        for &polygon in &scratch.polygons {
            for side in wall_segments(mesh, polygon, filter, false) {
                let (a, b) = (to_plan(side.from), to_plan(side.to));
                let apart = plan::closest_on_segment(a, b, at).distance_squared(at);
                if apart <= reach * reach {
                    insert_sorted(&mut self.list, &mut self.count, (apart, a, b), |wall, other| wall.0 < other.0);
                }
            }
        }
    }

    /// The walls that may be within `reach` metres of a position.
    fn within(&self, at: Vec2, reach: f32) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
        // They are sorted by their distance from the centre.
        let reach = reach + at.distance(self.center) + REACH_SLACK;
        self.list[..self.count].iter().take_while(move |wall| wall.0 <= reach * reach).map(|&(_, a, b)| (a, b))
    }

    /// Whether a wall separates two positions. On a mesh that keeps `erosion` metres from walls its edges lie so far in
    /// front of these: across a corner of the mesh two bodies meet that no wall separates.
    pub(super) fn separate(&self, from: Vec2, to: Vec2, erosion: f32) -> bool {
        // A wall between the two is no farther from the first than the second.
        let distance = from.distance(to);
        let crosses = |a: Vec2, b: Vec2| plan::segments_cross([a, b], [from, to]);
        let is_edge_between = self.within(from, distance).any(|(a, b)| crosses(a, b));
        let is_wall_between = || {
            self.within(from, distance).any(|(a, b)| {
                let along = (b - a).normalize_or_zero();
                // Where the edge ends at a corner, its wall ends sooner.
                let goes_on = |(c, d): (Vec2, Vec2)| (d - c).normalize_or_zero().dot(along) > STRAIGHT;
                let edges = || self.list[..self.count].iter().map(|&(_, c, d)| (c, d));
                let before = edges().any(|edge| edge.1 == a && goes_on(edge));
                let after = edges().any(|edge| edge.0 == b && goes_on(edge));
                let cut = |goes_on: bool| if goes_on { 0.0 } else { erosion };
                let (from, to) = (cut(before), a.distance(b) - cut(after));
                // Edges face inwards.
                let behind = a - along.perp() * erosion;
                from < to && crosses(behind + along * from, behind + along * to)
            })
        };
        is_edge_between && (erosion <= 0.0 || is_wall_between())
    }

    /// Writes the half-planes of velocities that keep `clearance` metres for `horizon_secs`; where there is less room
    /// already, those that come no nearer. Returns their number.
    pub(super) fn planes(&self, at: Vec2, clearance: f32, horizon_secs: f32, out: &mut [HalfPlane]) -> usize {
        let mut count = 0;
        for &(_, a, b) in &self.list[..self.count] {
            if count == out.len() {
                break;
            }
            // Walls face inwards.
            if (b - a).perp_dot(at - a) < -1e-4 * (b - a).length() {
                continue;
            }
            let closest = plan::closest_on_segment(a, b, at);
            let away = at - closest;
            let distance = away.length();
            if distance <= 1e-4 && (closest == a || closest == b) {
                // On a corner the walls on its two sides would bar the way around it; the mesh ends there anyway.
                continue;
            }
            let normal = if distance > 1e-4 { away / distance } else { (b - a).perp().normalize_or_zero() };
            if normal == Vec2::ZERO {
                continue;
            }
            let room = (distance - clearance).max(0.0);
            out[count] = HalfPlane::new(normal * (-room / horizon_secs), normal);
            count += 1;
        }
        count
    }

    /// Distance between the walls on both sides of a position, along a direction of length 1, metres; infinite where there
    /// is none within `reach` metres on a side.
    pub(super) fn width(&self, at: Vec2, across: Vec2, reach: f32) -> f32 {
        let (mut left, mut right) = (f32::INFINITY, f32::INFINITY);
        for (a, b) in self.within(at, reach) {
            let (way, side) = (a - at, b - a);
            let turn = across.perp_dot(side);
            let (distance, share) = (way.perp_dot(side) / turn, way.perp_dot(across) / turn);
            if (0.0..=1.0).contains(&share) {
                let nearest = if distance > 0.0 { &mut left } else { &mut right };
                *nearest = nearest.min(distance.abs());
            }
        }
        left + right
    }

    /// Push away from walls nearer than `clearance`, metres.
    pub(super) fn push(&self, at: Vec2, clearance: f32) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for (a, b) in self.within(at, clearance) {
            let away = at - plan::closest_on_segment(a, b, at);
            let distance = away.length();
            if distance > 1e-4 && distance < clearance && (b - a).perp_dot(at - a) >= 0.0 {
                sum += away * ((clearance - distance) / distance);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::stage::{at, floor};
    use super::*;

    #[test]
    fn bodies_meet_across_a_corner_of_an_eroded_mesh() {
        // Two lanes of a metre, 0.7 metres apart, that join at their end: a wall of 0.1 metres between them, eroded.
        let mesh = floor(&[0.0, 1.0, 8.0], &[0.0, 1.0, 1.7, 2.7], |x, z| x == 0 || z != 1);
        let filter = Filter::default();
        let (mut walls, mut scratch) = (NearWalls::default(), WorkerScratch::default());
        let mut separates = |from: (f64, f64), to: (f64, f64), erosion: f32| {
            let (from, to) = (at(&mesh, from.0, from.1), at(&mesh, to.0, to.1));
            let polygon = (0..mesh.len() as u32).map(PolyId).find(|&id| mesh.contains_2d(id, from)).unwrap();
            walls.clear();
            walls.refresh(&mesh, &filter, &mut scratch, NavPoint { polygon, point: from }, 2.0);
            walls.separate(to_plan(from), to_plan(to), erosion)
        };
        // Across the end of the wall, which stands 0.3 metres behind the edge of the mesh.
        assert!(separates((1.1, 0.95), (1.1, 1.75), 0.0));
        assert!(!separates((1.1, 0.95), (1.1, 1.75), 0.3));
        // Across the wall.
        assert!(separates((2.0, 0.95), (2.0, 1.75), 0.0));
        assert!(separates((2.0, 0.95), (2.0, 1.75), 0.3));
        // In one lane.
        assert!(!separates((2.0, 0.5), (3.0, 0.5), 0.3));
    }
}
