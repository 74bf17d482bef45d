//! Splines through the points of a path: lines without kinks, for cameras on rails and for drawing.
//!
//! The curves are [`catmull_rom`]'s. A stretch that leaves the mesh is drawn nearer to its straight leg, half as far each
//! time, down to the leg itself.

use glam::{Vec2, Vec3};

use super::smooth::leg;
use super::surface::Surface;
use crate::math::plan::to_plan;
use crate::math::spline::catmull_rom;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};

/// How far a stretch stands out from its leg, as a part of the curve: tried one after the other.
const PARTS: [f32; 5] = [1.0, 0.5, 0.25, 0.125, 0.0];
/// Most pieces of a stretch.
const PIECES: f32 = 1000.0;

/// Draws splines; keeps its memory from path to path.
#[derive(Clone, Debug, Default)]
pub struct Spline {
    surface: Surface,
    near: Vec<PolyId>,
}

impl Spline {
    /// Draws a curve over the mesh through all `points` of a path, from its start in polygon `start`, with a point about
    /// every `spacing` metres. A path that leaves the mesh itself, and one that is no line of finite points, comes back
    /// as it is. Widths do not count: the curve may come nearer to a wall than the path does.
    pub fn draw(
        &mut self,
        mesh: &NavMesh,
        start: PolyId,
        points: &[Vec3],
        filter: &Filter,
        spacing: f32,
        out: &mut Vec<Vec3>,
    ) {
        out.clear();
        let usable = points.len() > 2 && spacing > 0.0 && points.iter().all(|p| p.is_finite());
        if usable {
            out.push(points[0]);
            let mut at = Some(start);
            for i in 0..points.len() - 1 {
                at = at.and_then(|polygon| self.stretch(mesh, polygon, (points, i), filter, spacing, out));
            }
            if at.is_some() {
                return;
            }
            out.clear();
        }
        out.extend_from_slice(points);
    }

    /// Draws from the `i`th point to the next, as far out as the mesh lets it; the polygon at its end.
    fn stretch(
        &mut self,
        mesh: &NavMesh,
        start: PolyId,
        (points, i): (&[Vec3], usize),
        filter: &Filter,
        spacing: f32,
        out: &mut Vec<Vec3>,
    ) -> Option<PolyId> {
        let (from, to) = (points[i], points[i + 1]);
        let (b, c) = (to_plan(from), to_plan(to));
        let a = if i == 0 { b * 2.0 - c } else { to_plan(points[i - 1]) };
        let d = points.get(i + 2).map_or(c * 2.0 - b, |p| to_plan(*p));
        let pieces = (b.distance(c) / spacing).ceil().clamp(1.0, PIECES) as usize;
        let begin = out.len();
        for part in PARTS {
            out.truncate(begin);
            let pieces = if part == 0.0 { 1 } else { pieces };
            let mut at = NavPoint::new(start, from);
            for k in 1..=pieces {
                let share = k as f32 / pieces as f32;
                let straight = b.lerp(c, share);
                let p = if k == pieces {
                    c
                } else {
                    straight + (catmull_rom([a, b, c, d], Vec2::distance, share) - straight) * part
                };
                let mut next = Vec3::new(p.x, at.point.y, p.y);
                let Some(polygon) = leg(mesh, &mut self.surface, &mut self.near, at, next, filter) else { break };
                next.y = if k == pieces { to.y } else { mesh.height_at(polygon, next) };
                out.push(next);
                at = NavPoint::new(polygon, next);
            }
            if out.len() == begin + pieces {
                return Some(at.polygon);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::{chance, on_mesh, over, plan};
    use crate::nav::query::polyanya::{Polyanya, ShortestPath};
    use glam::DVec3;

    /// Sharpest turn of a line, radians.
    fn sharpest(line: &[Vec3]) -> f32 {
        let turn = |w: &[Vec3]| (to_plan(w[1]) - to_plan(w[0])).angle_to(to_plan(w[2]) - to_plan(w[1])).abs();
        line.windows(3).map(turn).fold(0.0, f32::max)
    }

    #[test]
    fn e_1_a_spline_goes_through_all_points_without_kinks() {
        let mesh = plan(&["........"; 8], false).validate().unwrap();
        let points: Vec<Vec3> =
            [(0.5, 0.5), (4.0, 1.0), (4.5, 4.0), (7.5, 7.0)].map(|(x, z)| mesh.local(DVec3::new(x, 0.0, z))).into();
        let start = over(&mesh, 0.5, 0.5).unwrap().polygon;
        let mut line = Vec::new();
        Spline::default().draw(&mesh, start, &points, &Filter::default(), 0.1, &mut line);
        assert!(points.iter().all(|p| line.contains(p)), "{line:?}");
        assert!(line.windows(2).all(|w| w[0].distance(w[1]) < 0.2));
        assert!(sharpest(&points) > 1.0 && sharpest(&line) < 0.25, "{}", sharpest(&line));
        for same in [&points[..2], &[][..], &[points[0], Vec3::NAN, points[1]]] {
            Spline::default().draw(&mesh, start, same, &Filter::default(), 0.1, &mut line);
            assert_eq!(format!("{line:?}"), format!("{same:?}"));
        }
        let twice = [points[0], points[1], points[1], points[2]];
        Spline::default().draw(&mesh, start, &twice, &Filter::default(), 0.1, &mut line);
        assert!(line.iter().all(|p| p.is_finite()) && line.last() == twice.last());
        Spline::default().draw(&mesh, start, &points, &Filter::default(), 0.0, &mut line);
        assert_eq!(line, points);
    }

    #[test]
    fn e_1_splines_of_random_plans_stay_on_the_mesh() {
        let mut chance = chance(11);
        let (mut bent, mut line, mut spline) = (0, Vec::new(), Spline::default());
        for _ in 0..200 {
            let rows: Vec<String> =
                (0..9).map(|_| (0..12).map(|_| if chance() < 0.25 { '#' } else { '.' }).collect()).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let Ok(mesh) = plan(&rows, chance() < 0.5).validate() else { continue };
            let mut place = || over(&mesh, f64::from(chance()) * 12.0, f64::from(chance()) * 9.0);
            let (Some(start), Some(end)) = (place(), place()) else { continue };
            let (mut exact, filter) = (ShortestPath::default(), Filter::default());
            if Polyanya::new().find(&mesh, start, end, &filter, &mut exact).is_err() || exact.points.len() < 3 {
                continue;
            }
            spline.draw(&mesh, start.polygon, &exact.points, &filter, 0.2, &mut line);
            bent += usize::from(sharpest(&line) < 0.9 * sharpest(&exact.points));
            assert!(exact.points.iter().all(|p| line.contains(p)));
            for w in line.windows(2) {
                for k in 0..=10 {
                    let p = w[0].lerp(w[1], k as f32 / 10.0);
                    assert!(on_mesh(&mesh, p), "{p} of {w:?} on {rows:?}");
                }
            }
        }
        assert!(bent > 20, "{bent}");
    }
}
