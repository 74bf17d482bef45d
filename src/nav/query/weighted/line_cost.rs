//! What a line over known polygons costs.

use glam::{DVec2, Vec3};

use super::Metric;
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NavMesh, PolyId};

/// By how much the parts of a leg on all polygons may differ from the whole.
const MISSING: f64 = 1e-3;

/// What a line costs that leads over these polygons and no others; `None` where it leaves them, or passes twice over one place.
pub fn line_cost(mesh: &NavMesh, filter: &Filter, metric: Metric, points: &[Vec3], polygons: &[PolyId]) -> Option<f64> {
    let mut over = polygons.to_vec();
    over.sort_unstable();
    over.dedup();
    let mut cost = 0.0;
    for leg in points.windows(2) {
        let ends = [leg[0], leg[1]].map(to_plan_f64);
        if ends[0] == ends[1] {
            continue;
        }
        let mut share = 0.0;
        for &polygon in &over {
            let (from, to) = part_inside(mesh, polygon, ends);
            if from >= to {
                continue;
            }
            share += to - from;
            let weight = f64::from(filter.cost[usize::from(mesh.polygon(polygon).area & 63)]);
            let length = match metric {
                Metric::Plan => ends[0].distance(ends[1]) * (to - from),
                Metric::Surface => {
                    let [a, b] = [from, to].map(|share| {
                        let point = leg[0].lerp(leg[1], share as f32);
                        Vec3 { y: mesh.height_at(polygon, point), ..point }.as_dvec3()
                    });
                    a.distance(b)
                }
            };
            cost += weight * length;
        }
        if (share - 1.0).abs() > MISSING {
            return None;
        }
    }
    Some(cost)
}

/// The part of a segment inside a polygon, as shares of its length; the first is not the smaller where it is outside.
fn part_inside(mesh: &NavMesh, polygon: PolyId, [a, b]: [DVec2; 2]) -> (f64, f64) {
    let corners = mesh.corners_of(polygon);
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for i in 0..corners.len() {
        let [c, d] = [i, (i + 1) % corners.len()].map(|i| to_plan_f64(corners[i]));
        let [before, after] = [a, b].map(|p| (d - c).perp_dot(p - c));
        if before < 0.0 && after < 0.0 {
            return (1.0, 0.0);
        }
        if before < 0.0 {
            from = from.max(before / (before - after));
        } else if after < 0.0 {
            to = to.min(before / (before - after));
        }
    }
    (from, to)
}
