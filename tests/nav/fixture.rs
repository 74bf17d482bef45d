//! Small meshes and levels for tests.

use glam::{DVec3, Vec3};
use walkabout::asset::LevelTriangle;
use walkabout::math::triangle;
use walkabout::nav::mesh::{NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};

/// Unit squares of a plan, x to the right and z down, at height 0; `#` is a hole. With `cut`, every square is two
/// triangles.
pub fn plan(rows: &[&str], cut: bool) -> RawMesh {
    let width = rows[0].len() as u32 + 1;
    let mut raw = RawMesh::default();
    for z in 0..=rows.len() {
        raw.vertices.extend((0..width).map(|x| DVec3::new(f64::from(x), 0.0, z as f64)));
    }
    for (z, row) in (0u32..).zip(rows) {
        for (x, _) in (0u32..).zip(row.chars()).filter(|c| c.1 != '#') {
            let v = z * width + x;
            let (ahead, across) = (v + 1, v + width);
            if cut {
                raw.polygons.push(RawPolygon::new([v, ahead, across]));
                raw.polygons.push(RawPolygon::new([ahead, across + 1, across]));
            } else {
                raw.polygons.push(RawPolygon::new([v, ahead, across + 1, across]));
            }
        }
    }
    raw
}

/// The polygon at a point of the plan, and the point in local space.
pub fn over(mesh: &NavMesh, x: f64, z: f64) -> Option<NavPoint> {
    let point = mesh.local(DVec3::new(x, 0.0, z));
    let id = (0..mesh.len() as u32).map(PolyId).find(|&p| mesh.contains_2d(p, point))?;
    Some(NavPoint::new(id, point))
}

/// Whether a local point lies on the mesh in plan view.
pub fn on_mesh(mesh: &NavMesh, point: Vec3) -> bool {
    let near = |p: Vec3| (0..mesh.len() as u32).any(|i| mesh.contains_2d(PolyId(i), p));
    // Tolerates rounding beside a wall.
    near(point) || [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].iter().any(|d| near(point + *d * 1e-3))
}

/// Deterministic pseudo-random numbers in [0, 1).
pub fn chance(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// A square of cells with holes and displaced corners on a slope, every other cell cut in two; areas 0 to 2. Corners
/// lie up to a fifth of `rough` above or below the slope.
pub fn random_mesh(seed: u64, size: u32, rough: f64) -> RawMesh {
    let mut chance = chance(seed);
    let mut raw = RawMesh::default();
    for z in 0..=size {
        for x in 0..=size {
            let mut bend = || f64::from(chance() - 0.5) * 0.4;
            let bump = if rough > 0.0 { rough * bend() } else { 0.0 };
            let at = DVec3::new(f64::from(x) + bend(), bump, f64::from(z) + bend());
            raw.vertices.push(DVec3 { y: at.y + 0.2 * at.x, ..at });
        }
    }
    for z in 0..size {
        for x in 0..size {
            let (a, w) = (z * (size + 1) + x, size + 1);
            let (hole, cut, area) = (chance() < 0.25, chance() < 0.5, (chance() * 3.0) as u8);
            if hole && raw.polygons.len() > 2 {
                continue;
            }
            let outlines = if cut {
                vec![vec![a, a + 1, a + w], vec![a + 1, a + w + 1, a + w]]
            } else {
                vec![vec![a, a + 1, a + w + 1, a + w]]
            };
            raw.polygons.extend(outlines.into_iter().map(|o| RawPolygon { area, ..RawPolygon::new(o) }));
        }
    }
    raw
}

/// Adds a quadrilateral with the normal of its winding turned upwards.
pub fn quad(corners: [Vec3; 4], level: &mut Vec<LevelTriangle>) {
    let [a, b, c, d] = corners;
    for points in [[a, b, c], [a, c, d]] {
        let normal = triangle::normal(&points).map_or(Vec3::Y, |n| if n.y < 0.0 { -n } else { n });
        level.push(LevelTriangle { index: level.len() as u32, points, normal });
    }
}

/// Adds a level rectangle at height `y`, from the first to the second of `x` and `z`.
pub fn floor(x: [f32; 2], y: f32, z: [f32; 2], level: &mut Vec<LevelTriangle>) {
    let p = |x, z| Vec3::new(x, y, z);
    quad([p(x[0], z[0]), p(x[0], z[1]), p(x[1], z[1]), p(x[1], z[0])], level);
}

/// Adds triangles without area or with corners that are no numbers; their normals say that they are level.
pub fn degenerate_triangles(level: &mut Vec<LevelTriangle>) {
    let odd = [
        [Vec3::ZERO; 3],
        [Vec3::ZERO, Vec3::X, Vec3::X * 2.0],
        [Vec3::ZERO, Vec3::NAN, Vec3::Z],
        [Vec3::ZERO, Vec3::X * 1e-30, Vec3::Z * 1e-30],
    ];
    for points in odd {
        level.push(LevelTriangle { index: level.len() as u32, points, normal: Vec3::Y });
    }
}

/// Adds a wall in the plane x = `x`.
pub fn wall(x: f32, y: [f32; 2], z: [f32; 2], level: &mut Vec<LevelTriangle>) {
    let p = |y, z| Vec3::new(x, y, z);
    quad([p(y[0], z[0]), p(y[1], z[0]), p(y[1], z[1]), p(y[0], z[1])], level);
}
