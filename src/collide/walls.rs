//! Wall collision: depenetration and sliding.
//!
//! A character is an upright cylinder; it collides with the part of each wall between the step height, below which it
//! climbs, and its head. A wall pushes it out horizontally, to the side from which it came. Movement is split into
//! substeps shorter than half the radius, so that no character tunnels through a thin wall.

use super::ground::{ContactMesh, NearTriangle};
use crate::math::plan::{self, to_plan};
use glam::{Vec2, Vec3};

/// Depenetration iterations per substep; a corner of two walls needs two or three.
const MAX_ITERATIONS: u32 = 4;
/// Penetration that is tolerated, as a fraction of the radius; keeps contact stable.
const SKIN: f32 = 0.01;

/// The upright cylinder of a character.
#[derive(Clone, Copy, Debug)]
pub struct Cylinder {
    /// Radius, metres.
    pub radius: f32,
    /// Height of the lower end in world space.
    pub low: f32,
    /// Height of the upper end in world space.
    pub high: f32,
}

/// The convex piece of a triangle between two heights, seen from above.
struct WallSlice {
    points: [Vec2; 8],
    count: usize,
}

impl WallSlice {
    fn new(triangle: &[Vec3; 3], low: f32, high: f32) -> Self {
        let (polygon, count) = clip(triangle, |p| p.y - low);
        let (polygon, count) = clip(&polygon[..count], |p| high - p.y);
        Self { points: polygon.map(to_plan), count }
    }

    /// Nearest point to `p` on the outline; the distance is 0 inside only when the outline is touched.
    fn nearest(&self, p: Vec2) -> Option<Vec2> {
        let mut best: Option<(f32, Vec2)> = None;
        for i in 0..self.count {
            let (a, b) = (self.points[i], self.points[(i + 1) % self.count]);
            let q = plan::closest_on_segment(a, b, p);
            let distance = q.distance_squared(p);
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, q));
            }
        }
        best.map(|(_, q)| q)
    }

    fn contains(&self, p: Vec2) -> bool {
        let mut sides = (false, false);
        for i in 0..self.count {
            let (a, b) = (self.points[i], self.points[(i + 1) % self.count]);
            let side = (b - a).perp_dot(p - a);
            sides = (sides.0 || side > 0.0, sides.1 || side < 0.0);
        }
        self.count >= 3 && sides.0 != sides.1
    }
}

/// The part of a convex polygon where `side` is not negative, and its number of corners; without allocation.
fn clip(polygon: &[Vec3], side: impl Fn(Vec3) -> f32) -> ([Vec3; 8], usize) {
    let (mut out, mut count) = ([Vec3::ZERO; 8], 0);
    plan::clip_convex(polygon, side, |p| {
        if let Some(corner) = out.get_mut(count) {
            *corner = p;
            count += 1;
        }
    });
    (out, count)
}

/// Separation of a cylinder from a wall: direction and depth.
struct Push {
    direction: Vec2,
    depth: f32,
}

fn push_from(mesh: &ContactMesh, wall: &NearTriangle, at: Vec2, came_from: Vec2, body: &Cylinder) -> Option<Push> {
    if !wall.is_around(at, body.radius) || wall.high <= body.low || wall.low >= body.high {
        return None;
    }
    let triangle = mesh.triangle(wall.triangle);
    if triangle.is_separated(at, body.low, body.high, body.radius) {
        return None;
    }
    let slice = WallSlice::new(&triangle.points, body.low, body.high);
    let nearest = slice.nearest(at)?;
    let away = at - nearest;
    let distance = away.length();
    if slice.contains(at) {
        // Below a slanted face: back towards where it came from.
        let direction = (came_from - at).try_normalize().or_else(|| (nearest - at).try_normalize())?;
        return Some(Push { direction, depth: body.radius + distance });
    }
    let depth = body.radius - distance;
    let direction = away.try_normalize().or_else(|| (came_from - at).try_normalize())?;
    (depth > 0.0).then_some(Push { direction, depth })
}

/// The deepest penetration of a cylinder into `walls`; 0 when it is free.
pub fn penetration_depth(mesh: &ContactMesh, walls: &[NearTriangle], at: Vec2, body: &Cylinder) -> f32 {
    walls.iter().filter_map(|w| push_from(mesh, w, at, at, body)).map(|p| p.depth).fold(0.0, f32::max)
}

/// The result of a move among walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// Final position of the cylinder's axis.
    pub to: Vec2,
    /// Horizontal unit direction out of the wall that was touched last.
    pub touched: Option<Vec2>,
}

/// Moves a cylinder's axis from `from` by one substep (at most half the radius) and slides along walls. A cylinder that
/// cannot be freed stays at `from`.
pub fn slide(mesh: &ContactMesh, walls: &[NearTriangle], from: Vec2, piece: Vec2, body: &Cylinder) -> Slide {
    let mut at = from + piece;
    let mut touched = None;
    for _ in 0..MAX_ITERATIONS {
        let deepest = walls
            .iter()
            .filter_map(|w| push_from(mesh, w, at, from, body))
            .max_by(|a, b| a.depth.total_cmp(&b.depth))
            .filter(|p| p.depth > body.radius * SKIN);
        let Some(push) = deepest else { return Slide { to: at, touched } };
        // Limited to half the radius, so that an overlap at the start is resolved without a jump.
        let out = (push.depth - body.radius * SKIN * 0.5).min(body.radius * 0.5);
        at += push.direction * out;
        touched = Some(push.direction);
    }
    let left = penetration_depth(mesh, walls, at, body);
    if left > body.radius * 0.25 && left >= penetration_depth(mesh, walls, from, body) {
        at = from;
    }
    Slide { to: at, touched }
}

/// A free position for a cylinder's axis near `at`, found by depenetration. Between opposing walls the radius is reduced
/// in steps down to a fifth.
pub fn find_free_position(mesh: &ContactMesh, walls: &[NearTriangle], at: Vec2, body: &Cylinder) -> Vec2 {
    let free = |share| push_out(mesh, walls, at, &Cylinder { radius: body.radius * share, ..*body });
    [1.0, 0.7, 0.45, 0.2].into_iter().find_map(free).unwrap_or(at)
}

/// The free position of a cylinder near `at`; `None` when walls push in opposing directions.
pub fn push_out(mesh: &ContactMesh, walls: &[NearTriangle], at: Vec2, body: &Cylinder) -> Option<Vec2> {
    let mut spot = at;
    let mut way_out = Vec2::ZERO;
    for _ in 0..MAX_ITERATIONS {
        let mut deepest: Option<Push> = None;
        for push in walls.iter().filter_map(|w| push_from(mesh, w, spot, at, body)) {
            if push.depth <= body.radius * SKIN {
                continue;
            }
            let against = |d: Vec2| d.dot(push.direction) < -0.3;
            if against(way_out) || deepest.as_ref().is_some_and(|d| against(d.direction)) {
                return None;
            }
            if deepest.as_ref().is_none_or(|d| push.depth > d.depth) {
                deepest = Some(push);
            }
        }
        let Some(push) = deepest else { return Some(spot) };
        way_out = push.direction;
        spot += push.direction * push.depth;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::ground::tests::{level_triangle, quad};
    use super::super::settings::ContactSettings;
    use super::*;
    use crate::asset::LevelTriangle;

    const BODY: Cylinder = Cylinder { radius: 0.3, low: 0.4, high: 1.8 };

    /// A wall in the plane x = `x`, from z = -5 to 5.
    fn wall_x(x: f32, low: f32, high: f32, out: &mut Vec<LevelTriangle>) {
        let p = |y, z| Vec3::new(x, y, z);
        quad([p(low, -5.0), p(high, -5.0), p(high, 5.0), p(low, 5.0)], out);
    }

    fn mesh_of(level: &[LevelTriangle]) -> (ContactMesh, Vec<NearTriangle>) {
        let mesh = ContactMesh::build(level, &ContactSettings::default());
        let all = (0..mesh.len() as u32).map(|i| mesh.near(i)).collect();
        (mesh, all)
    }

    fn walk(mesh: &ContactMesh, walls: &[NearTriangle], from: Vec2, piece: Vec2, steps: u32, body: &Cylinder) -> Vec2 {
        (0..steps).fold(from, |at, _| slide(mesh, walls, at, piece, body).to)
    }

    #[test]
    fn a_wall_stops_head_on_and_slides_at_an_angle() {
        let mut level = Vec::new();
        wall_x(2.0, 0.0, 3.0, &mut level);
        let (mesh, walls) = mesh_of(&level);
        let ahead = walk(&mesh, &walls, Vec2::ZERO, Vec2::new(0.05, 0.0), 200, &BODY);
        assert!((1.65..1.72).contains(&ahead.x), "{ahead}");
        let aslant = walk(&mesh, &walls, Vec2::ZERO, Vec2::new(0.05, 0.02), 200, &BODY);
        assert!((1.65..1.72).contains(&aslant.x) && aslant.y > 3.5, "{aslant}");
    }

    #[test]
    fn both_sides_of_a_wall_count_and_low_or_high_walls_do_not() {
        let mut level = Vec::new();
        wall_x(2.0, 0.0, 3.0, &mut level);
        let (mesh, walls) = mesh_of(&level);
        let back = walk(&mesh, &walls, Vec2::new(4.0, 0.0), Vec2::new(-0.05, 0.0), 200, &BODY);
        assert!((2.28..2.35).contains(&back.x), "{back}");
        for (low, high) in [(0.0, 0.3), (1.9, 4.0)] {
            let mut level = Vec::new();
            wall_x(2.0, low, high, &mut level);
            let (mesh, walls) = mesh_of(&level);
            let through = walk(&mesh, &walls, Vec2::ZERO, Vec2::new(0.05, 0.0), 100, &BODY);
            assert!((through.x - 5.0).abs() < 1e-3, "{through}");
        }
    }

    #[test]
    fn a_corner_holds() {
        let mut level = Vec::new();
        wall_x(2.0, 0.0, 3.0, &mut level);
        let p = |x, y| Vec3::new(x, y, 2.0);
        quad([p(-5.0, 0.0), p(-5.0, 3.0), p(5.0, 3.0), p(5.0, 0.0)], &mut level);
        let (mesh, walls) = mesh_of(&level);
        let corner = walk(&mesh, &walls, Vec2::ZERO, Vec2::new(0.06, 0.06), 300, &BODY);
        assert!(corner.x < 1.75 && corner.y < 1.75 && corner.x > 1.6 && corner.y > 1.6, "{corner}");
    }

    #[test]
    fn an_overlap_at_the_start_is_left_without_a_leap() {
        let mut level = Vec::new();
        wall_x(0.1, 0.0, 3.0, &mut level);
        let (mesh, walls) = mesh_of(&level);
        let mut at = Vec2::ZERO;
        for _ in 0..30 {
            let next = slide(&mesh, &walls, at, Vec2::ZERO, &BODY).to;
            assert!(next.distance(at) <= 0.61);
            at = next;
        }
        assert!((-0.21..-0.18).contains(&at.x), "{at}");
    }

    #[test]
    fn degenerate_walls_do_no_harm() {
        let level =
            [level_triangle(0, [Vec3::Y; 3]), level_triangle(1, [Vec3::Y, Vec3::Y + Vec3::X, Vec3::Y + Vec3::X * 2.0])];
        let (mesh, walls) = mesh_of(&level);
        let out = slide(&mesh, &walls, Vec2::new(0.0, 0.0), Vec2::new(0.01, 0.0), &BODY);
        assert!(out.to.is_finite());
    }
}
