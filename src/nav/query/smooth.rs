//! Rounds the corners of a path, for agents with a turn radius.
//!
//! A taut path bends at corners of walls, so that cutting a corner would cross the wall. A disk is placed on the inside
//! of each bend, its rim through the corner, and the path is made taut around the disks instead: it swings wide and
//! turns in arcs. Where that leaves the mesh, the disks beside are halved, down to the corner itself.

use glam::{DVec2, Vec3};

use super::raycast::raycast;
use super::surface::Surface;
use crate::math::plan::to_plan_f64;
use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};

/// Largest turn between two pieces of an arc, radians.
const PIECE_RAD: f64 = 0.2;
/// Bends by less are left as they are, radians.
const STRAIGHT_RAD: f64 = 1e-3;
/// How often a disk is halved before the corner stays as it is.
const HALVINGS: u32 = 5;
/// Polygons within this distance of a corner are tried for the next leg, metres.
const AT_CORNER: f32 = 1e-3;
/// Share of a leg that has to be free; the rest is rounding.
const WHOLE: f32 = 1.0 - 1e-4;

/// Rounds paths; keeps its memory from path to path.
#[derive(Clone, Debug, Default)]
pub struct Smoother {
    disks: Vec<Disk>,
    line: Vec<(DVec2, usize)>,
    /// Per disk the direction of the way to it, and how long the line was before it.
    ways: Vec<DVec2>,
    marks: Vec<usize>,
    /// The first disk from which on the line is not drawn.
    drawn: usize,
    /// How much of the line is as it was when it was last laid on the mesh, and the polygons under what was laid.
    same: usize,
    under: Vec<PolyId>,
    surface: Surface,
    near: Vec<PolyId>,
}

/// A bend: the path is taut around the disk on its inside.
#[derive(Clone, Copy, Debug)]
struct Disk {
    corner: Vec3,
    /// From the corner to the middle of the disk, of length 1.
    inward: DVec2,
    /// +1 where the path turns counter-clockwise in the plane of x and z, -1 clockwise.
    side: f64,
    radius: f64,
    halved: u32,
}

impl Disk {
    fn middle(&self) -> DVec2 {
        to_plan_f64(self.corner) + self.inward * self.radius
    }

    fn halve(&mut self) -> bool {
        let possible = self.radius > 0.0;
        self.halved += 1;
        self.radius = if self.halved >= HALVINGS { 0.0 } else { self.radius * 0.5 };
        possible
    }
}

impl Smoother {
    /// Rounds the bends of a path over the mesh, `points` from its start in polygon `start`, to arcs of `turn_radius`
    /// metres, of less where there is no room. Its ends stay. A path that leaves the mesh itself comes back as it is.
    pub fn round(
        &mut self,
        mesh: &NavMesh,
        start: PolyId,
        points: &[Vec3],
        filter: &Filter,
        turn_radius: f32,
        out: &mut Vec<Vec3>,
    ) {
        out.clear();
        self.lay_disks(points, f64::from(turn_radius));
        self.line.clear();
        self.marks.clear();
        self.marks.resize(points.len(), 1);
        self.ways.clear();
        self.ways.resize(points.len(), DVec2::ZERO);
        self.drawn = 1;
        self.under.clear();
        self.same = 0;
        let mut changed = 1;
        let mut left = self.disks.iter().filter(|d| d.radius > 0.0).count();
        // Each round halves a disk at least, and each disk can be halved so often only. What lies before the first
        // disk that was halved stays as it is.
        while left > 0 {
            let pulled = self.pull(changed);
            let Err((a, b)) = pulled.and_then(|()| self.put_on(mesh, start, filter, out)) else { return };
            changed = a.min(b).max(1);
            let mut halve = |disk: &mut Disk| {
                let possible = disk.halve();
                left -= usize::from(possible && disk.radius == 0.0);
                possible
            };
            let (first, second) = (halve(&mut self.disks[a]), halve(&mut self.disks[b]));
            if !(first || second) {
                break;
            }
        }
        out.clear();
        out.extend_from_slice(points);
    }

    fn lay_disks(&mut self, points: &[Vec3], radius: f64) {
        self.disks.clear();
        let radius = if radius.is_finite() && points.iter().all(|p| p.is_finite()) { radius.max(0.0) } else { 0.0 };
        for (i, &corner) in points.iter().enumerate() {
            let mut disk = Disk { corner, inward: DVec2::ZERO, side: 1.0, radius: 0.0, halved: 0 };
            if i > 0 && i + 1 < points.len() {
                let way_in = (to_plan_f64(corner) - to_plan_f64(points[i - 1])).normalize_or_zero();
                let way_out = (to_plan_f64(points[i + 1]) - to_plan_f64(corner)).normalize_or_zero();
                let turn = way_in.perp_dot(way_out).atan2(way_in.dot(way_out));
                if turn.abs() > STRAIGHT_RAD && way_in != DVec2::ZERO && way_out != DVec2::ZERO {
                    disk.inward = (way_out - way_in).normalize_or_zero();
                    (disk.side, disk.radius) = (turn.signum(), radius);
                }
            }
            self.disks.push(disk);
        }
    }

    /// Makes the path taut around the disks from number `changed` on; on failure returns two neighbouring disks that
    /// leave no room.
    fn pull(&mut self, changed: usize) -> Result<(), (usize, usize)> {
        self.drawn = self.drawn.min(changed);
        for i in changed..self.disks.len() {
            let (a, b) = (&self.disks[i - 1], &self.disks[i]);
            let between = b.middle() - a.middle();
            let shift = b.side * b.radius - a.side * a.radius;
            let distance = between.length();
            if shift.abs() >= distance {
                return Err((i - 1, i));
            }
            // The direction to whose left side the middles lie apart by `shift`.
            let sin = shift / distance;
            let way = DVec2::new((1.0 - sin * sin).sqrt(), -sin).rotate(between / distance);
            if i > 1 && a.radius > 0.0 {
                // The sign of the turn, which is half a one where the path goes straight back.
                let (across, along) = (self.ways[i - 1].perp_dot(way), self.ways[i - 1].dot(way));
                if (across != 0.0 || along < 0.0) && across.is_sign_negative() != (a.side < 0.0) {
                    return Err((i - 1, i - 1));
                }
            }
            self.ways[i] = way;
        }
        self.draw();
        Ok(())
    }

    /// Draws the line along the ways and around the disks, from the first one on that is not as it was.
    fn draw(&mut self) {
        let Some((first, last)) = self.disks.first().zip(self.disks.last()) else { return };
        let kept = self.marks.get(self.drawn).map_or(1, |&kept| kept);
        self.line.truncate(kept);
        self.same = self.same.min(kept);
        if self.line.is_empty() {
            self.line.push((to_plan_f64(first.corner), 0));
        }
        for i in self.drawn..self.disks.len() {
            self.marks[i] = self.line.len();
            if i > 1 {
                bend(&self.disks[i - 1], i - 1, [self.ways[i - 1], self.ways[i]], &mut self.line);
            }
        }
        self.line.push((to_plan_f64(last.corner), self.disks.len() - 1));
        self.drawn = self.disks.len();
    }

    /// Projects the line onto the mesh; on failure returns the disks between which it leaves the mesh.
    fn put_on(
        &mut self,
        mesh: &NavMesh,
        start: PolyId,
        filter: &Filter,
        out: &mut Vec<Vec3>,
    ) -> Result<(), (usize, usize)> {
        let same = self.same.min(out.len());
        out.truncate(same);
        self.under.truncate(same);
        self.same = self.line.len();
        let (mut polygon, last) = (self.under.last().copied().unwrap_or(start), self.line.len().saturating_sub(1));
        for (k, &(at, disk)) in self.line.iter().enumerate().skip(same) {
            if k == 0 {
                out.push(self.disks[0].corner);
                self.under.push(start);
                continue;
            }
            let from = out[k - 1];
            let mut to = Vec3::new(at.x as f32, from.y, at.y as f32);
            polygon = leg(mesh, &mut self.surface, &mut self.near, NavPoint::new(polygon, from), to, filter)
                .ok_or((self.line[k - 1].1, disk))?;
            let given = k == last || self.disks[disk].radius == 0.0;
            to.y = if given { self.disks[disk].corner.y } else { mesh.height_at(polygon, to) };
            out.push(to);
            self.under.push(polygon);
        }
        Ok(())
    }
}

/// Goes around disk number `i` by pieces that touch it.
fn bend(disk: &Disk, i: usize, [way_in, way_out]: [DVec2; 2], line: &mut Vec<(DVec2, usize)>) {
    if disk.radius == 0.0 {
        line.push((to_plan_f64(disk.corner), i));
        return;
    }
    let turn = way_in.perp_dot(way_out).atan2(way_in.dot(way_out));
    let pieces = (turn.abs() / PIECE_RAD).ceil().max(1.0);
    let piece = turn / pieces;
    let reach = disk.radius / (piece * 0.5).cos();
    // The path has the centre of a disk of side +1 on its left.
    let touch = -way_in.perp() * disk.side;
    for k in 0..pieces as u32 {
        let arm = DVec2::from_angle(piece * (f64::from(k) + 0.5)).rotate(touch);
        line.push((disk.middle() + arm * reach, i));
    }
}

/// The polygon at the end of a leg that does not leave the mesh.
pub(super) fn leg(
    mesh: &NavMesh,
    surface: &mut Surface,
    near: &mut Vec<PolyId>,
    from: NavPoint,
    to: Vec3,
    filter: &Filter,
) -> Option<PolyId> {
    let whole = |polygon| {
        let hit = raycast(mesh, NavPoint { polygon, point: from.point }, to, filter, |_| ());
        (hit.share >= WHOLE).then_some(hit.polygon)
    };
    whole(from.polygon).or_else(|| {
        // A leg from a corner may begin in another polygon than the one before ended in.
        surface.polygons_around(mesh, from, AT_CORNER, filter, near);
        near.iter().find_map(|&polygon| whole(polygon))
    })
}

/// Puts the end of a line on the mesh, which begins in polygon `start`: the middle of a leg over a change of slope lies
/// above the ground or below it. A line that leaves the mesh stays as it is.
pub fn lay_end(mesh: &NavMesh, start: PolyId, line: &mut [Vec3], filter: &Filter) {
    let (mut surface, mut near, mut at) = (Surface::new(), Vec::new(), start);
    for ends in line.windows(2) {
        let from = NavPoint::new(at, ends[0]);
        let Some(polygon) = leg(mesh, &mut surface, &mut near, from, ends[1], filter) else { return };
        at = polygon;
    }
    if let Some(end) = line.last_mut() {
        end.y = mesh.height_at(at, *end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::fixture::{on_mesh, over, plan};
    use crate::nav::query::polyanya::{Polyanya, ShortestPath};
    use glam::DVec3;

    /// Least radius of the bends: length of the shorter half of a piece over the tangent of half the turn.
    fn tightest(line: &[Vec3]) -> f64 {
        let bend = |w: &[Vec3]| {
            let (a, b) = (to_plan_f64(w[1]) - to_plan_f64(w[0]), to_plan_f64(w[2]) - to_plan_f64(w[1]));
            let turn = a.angle_to(b).abs();
            if turn < 1e-4 { f64::INFINITY } else { a.length().min(b.length()) * 0.5 / (turn * 0.5).tan() }
        };
        line.windows(3).map(bend).fold(f64::INFINITY, f64::min)
    }

    fn path(mesh: &NavMesh, from: (f64, f64), to: (f64, f64)) -> (PolyId, Vec<Vec3>) {
        let (start, end) = (over(mesh, from.0, from.1).unwrap(), over(mesh, to.0, to.1).unwrap());
        let mut path = ShortestPath::default();
        Polyanya::new().find(mesh, start, end, &Filter::default(), &mut path).unwrap();
        (start.polygon, path.points)
    }

    #[test]
    fn e_1_a_corner_becomes_an_arc_around_it() {
        let mesh = plan(&["........", "........", "........", "###.....", "###.....", "###....."], false);
        let mesh = mesh.validate().unwrap();
        let (start, tight) = path(&mesh, (0.5, 2.5), (3.5, 5.5));
        assert_eq!(tight.len(), 3);
        let mut round = Vec::new();
        Smoother::default().round(&mesh, start, &tight, &Filter::default(), 0.8, &mut round);
        assert_eq!((round[0], round[round.len() - 1]), (tight[0], tight[2]));
        assert!(round.len() > 5 && tightest(&round) > 0.79, "{} of {round:?}", tightest(&round));
        let length = |line: &[Vec3]| line.windows(2).map(|w| w[0].distance(w[1])).sum::<f32>();
        assert!(length(&round) >= length(&tight) && length(&round) < length(&tight) * 1.1);
    }

    #[test]
    fn e_1_arcs_shrink_to_the_room_there_is() {
        // A lane one metre wide around a corner.
        let mesh = plan(&["....", "###.", "###.", "###."], false).validate().unwrap();
        let (start, tight) = path(&mesh, (0.5, 0.9), (3.1, 3.5));
        let mut round = Vec::new();
        Smoother::default().round(&mesh, start, &tight, &Filter::default(), 3.0, &mut round);
        assert!(tightest(&round) > 0.05 && tightest(&round) < 3.0, "{round:?}");
        for line in [&[][..], &tight[..1], &[tight[0], tight[0], tight[0]], &[tight[0], Vec3::NAN, tight[1]]] {
            Smoother::default().round(&mesh, start, line, &Filter::default(), 3.0, &mut round);
            assert_eq!(format!("{round:?}"), format!("{line:?}"));
        }
        let straight_through_the_wall = [tight[0], mesh.local(DVec3::new(1.0, 0.0, 3.0)), tight[tight.len() - 1]];
        Smoother::default().round(&mesh, start, &straight_through_the_wall, &Filter::default(), 1.0, &mut round);
        assert_eq!(round, straight_through_the_wall);
    }

    #[test]
    fn e_1_rounded_paths_of_random_plans_stay_on_the_mesh() {
        let mut seed = 7u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let (mut rounded, mut smoother, mut round) = (0, Smoother::default(), Vec::new());
        for _ in 0..200 {
            let rows: Vec<String> =
                (0..9).map(|_| (0..12).map(|_| if random(4) == 0 { '#' } else { '.' }).collect()).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let Ok(mesh) = plan(&rows, random(2) == 0).validate() else { continue };
            let mut place = || over(&mesh, random(1200) as f64 / 100.0, random(900) as f64 / 100.0);
            let (Some(start), Some(end)) = (place(), place()) else { continue };
            let (mut exact, filter) = (ShortestPath::default(), Filter::default());
            if Polyanya::new().find(&mesh, start, end, &filter, &mut exact).is_err() {
                continue;
            }
            smoother.round(&mesh, start.polygon, &exact.points, &filter, 0.1 + random(20) as f32 * 0.1, &mut round);
            assert_eq!((round[0], round.last()), (exact.points[0], exact.points.last()));
            rounded += usize::from(round.len() > exact.points.len());
            for w in round.windows(2) {
                for k in 0..=20 {
                    let p = w[0].lerp(w[1], k as f32 / 20.0);
                    assert!(on_mesh(&mesh, p), "{p} of {:?} on {rows:?}", w);
                }
            }
        }
        assert!(rounded > 30, "{rounded}");
    }
}
