//! Heights of the obstacles beside a mesh, from the triangles of its level.

use glam::{DVec3, Vec3};

use crate::math::Aabb;
use crate::nav::mesh::Grid;

/// The triangles of a level, indexed for height queries. A wall is sectioned by vertical planes perpendicular to it,
/// which is exact where rays at fixed heights could slip through a gap.
#[derive(Clone, Debug)]
pub struct ObstacleHeights {
    triangles: Vec<[Vec3; 3]>,
    grid: Grid,
    /// Distance from the mesh up to which an obstacle counts, metres: the agents' radius and a cell or two.
    pub reach: f32,
    /// An obstacle must begin at most this high over the ground, metres; what hangs higher hides nothing.
    pub step: f32,
}

/// Gaps in an obstacle up to this size do not end it, metres.
const SLACK: f32 = 0.02;

impl ObstacleHeights {
    /// Takes triangles in world space and the [origin](crate::nav::mesh::NavMesh::origin) of the mesh; triangles that
    /// are not finite are ignored.
    pub fn new(triangles: impl IntoIterator<Item = [Vec3; 3]>, origin: DVec3) -> Self {
        let triangles: Vec<[Vec3; 3]> = triangles
            .into_iter()
            .filter(|t| t.iter().all(|v| v.is_finite()))
            .map(|t| t.map(|v| (v.as_dvec3() - origin).as_vec3()))
            .collect();
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(*t)).collect();
        Self { grid: Grid::build(&boxes), triangles, reach: 1.0, step: 0.5 }
    }

    /// Height over the ground of the obstacle beside the wall from `a` to `b`, metres, where it is lowest; 0 without an
    /// obstacle. `outward` is the horizontal unit vector that points off the mesh.
    pub fn height(&self, a: Vec3, b: Vec3, outward: Vec3) -> f32 {
        let along = Vec3::new(-outward.z, 0.0, outward.x);
        let mut spans = Vec::new();
        [0.2, 0.5, 0.8].into_iter().fold(f32::INFINITY, |low: f32, part| {
            if low == 0.0 {
                return 0.0;
            }
            let foot = a + (b - a) * part;
            self.spans(foot, along, outward, &mut spans);
            low.min(self.reached(&mut spans))
        })
    }

    /// Collects the height intervals over `foot` that triangles block within reach.
    fn spans(&self, foot: Vec3, along: Vec3, outward: Vec3, out: &mut Vec<(f32, f32)>) {
        out.clear();
        let back = foot - outward * SLACK;
        let tip = foot + outward * self.reach;
        self.grid.for_each_in(back.min(tip), back.max(tip), |i| {
            let corners = self.triangles[i as usize].map(|v| v - foot);
            let flat = corners.map(|v| (v.dot(along), v.dot(outward), v.y));
            if flat.iter().all(|v| v.0 == 0.0) {
                // The triangle lies in the section plane: its edges block the same heights.
                (0..3).for_each(|i| {
                    let (from, to) = (flat[i], flat[(i + 1) % 3]);
                    self.block((from.1, from.2), (to.1, to.2), out);
                });
            }
            let mut ends = [(0.0, 0.0); 3];
            let mut count = 0;
            for (i, from) in flat.iter().enumerate() {
                let to = &flat[(i + 1) % 3];
                if (from.0 < 0.0) != (to.0 < 0.0) {
                    let t = from.0 / (from.0 - to.0);
                    ends[count] = (from.1 + (to.1 - from.1) * t, from.2 + (to.2 - from.2) * t);
                    count += 1;
                }
            }
            if count >= 2 {
                self.block(ends[0], ends[1], out);
            }
        });
    }

    /// Adds the heights of the line between two (outward, height) points, clipped to the reach.
    fn block(&self, from: (f32, f32), to: (f32, f32), out: &mut Vec<(f32, f32)>) {
        let (mut p, mut q) = if from.0 <= to.0 { (from, to) } else { (to, from) };
        if q.0 < -SLACK || p.0 > self.reach {
            return;
        }
        let slope = if q.0 > p.0 { (q.1 - p.1) / (q.0 - p.0) } else { 0.0 };
        if p.0 < -SLACK {
            p = (-SLACK, p.1 + slope * (-SLACK - p.0));
        }
        if q.0 > self.reach {
            q = (self.reach, p.1 + slope * (self.reach - p.0));
        }
        out.push((p.1.min(q.1), p.1.max(q.1)));
    }

    /// Upper end of the intervals that block without a gap, beginning at most a step over the ground.
    fn reached(&self, spans: &mut [(f32, f32)]) -> f32 {
        spans.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let mut top = self.step;
        let mut met = 0.0f32;
        for &(low, high) in spans.iter() {
            if low > top.max(self.step) + SLACK {
                break;
            }
            top = top.max(high);
            met = met.max(high);
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::box_triangles;
    use super::*;

    fn height(boxes: &[(Vec3, Vec3)]) -> f32 {
        let all = boxes.iter().flat_map(|&(low, high)| box_triangles(low, high));
        ObstacleHeights::new(all, DVec3::ZERO).height(Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::NEG_Z)
    }

    #[test]
    fn windows_end_an_obstacle_and_signs_are_none() {
        let wall = |from: f32, to: f32| (Vec3::new(-1.0, from, -0.9), Vec3::new(3.0, to, -0.5));
        assert!((height(&[wall(0.0, 2.0)]) - 2.0).abs() < 1e-5);
        assert!((height(&[wall(0.0, 1.0), wall(1.5, 3.0)]) - 1.0).abs() < 1e-5, "a window from 1 to 1.5");
        assert!((height(&[wall(0.0, 1.0), wall(1.0, 3.0)]) - 3.0).abs() < 1e-5, "two courses of stone");
        assert_eq!(height(&[wall(2.0, 3.0)]), 0.0, "a sign overhead");
        assert_eq!(height(&[wall(-3.0, 0.0)]), 0.0, "a ledge level with the ground");
        assert_eq!(height(&[]), 0.0);
        let half = (Vec3::new(-1.0, 0.0, -0.9), Vec3::new(1.0, 2.0, -0.5));
        assert_eq!(height(&[half]), 0.0, "it hides only half");
        assert_eq!(height(&[(Vec3::new(-1.0, 0.0, -9.0), Vec3::new(3.0, 2.0, -1.5))]), 0.0, "out of reach");
    }
}
