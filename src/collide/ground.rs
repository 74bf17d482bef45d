//! Ground contact: level triangles prepared for height queries, and the surface below a point.
//!
//! Every character caches a [`Vicinity`]: the triangles around it, queried from the octree once and valid until the
//! character leaves the queried box. A step then tests a handful of triangles without a tree query.

use super::settings::ContactSettings;
use super::triangle_tree::TriangleTree;
use crate::asset::LevelTriangle;
use crate::math::plan::to_plan;
use crate::math::{Aabb, triangle};
use glam::{Vec2, Vec3, Vec4};

/// Smallest upward component of a face normal that supports a falling body.
const MIN_SUPPORT: f32 = 0.1;
/// Margin of the plane rejection test against rounding, metres.
const PLANE_MARGIN: f32 = 1e-3;
/// Barycentric tolerance, so that triangles that share an edge leave no crack.
const EDGE_TOLERANCE: f32 = 1e-4;

/// Class of a triangle by slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceClass {
    /// Walkable.
    Ground,
    /// Too steep to walk on, flat enough to support a body; blocks like a wall.
    Steep,
    /// A wall or a ceiling.
    Wall,
}

/// A triangle prepared for contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactTriangle {
    /// Corners in world space.
    pub points: [Vec3; 3],
    /// Its class.
    pub surface: SurfaceClass,
    /// Its number in the level, see [`LevelTriangle`].
    pub index: u32,
    /// Rows of the map from an xz offset from the first corner to barycentric coordinates; zero when vertical.
    to_barycentric: [Vec2; 2],
    /// Unit normal by its winding; zero for a sliver.
    normal: Vec3,
}

impl ContactTriangle {
    fn new(t: &LevelTriangle, min_up: f32) -> Self {
        let [a, b, c] = t.points.map(to_plan);
        let (ab, ac) = (b - a, c - a);
        let det = ab.perp_dot(ac);
        let flat_enough = det.abs() > 1e-9 * (ab.length_squared() + ac.length_squared());
        let to_barycentric =
            if flat_enough { [Vec2::new(ac.y, -ac.x) / det, Vec2::new(-ab.y, ab.x) / det] } else { [Vec2::ZERO; 2] };
        let normal = triangle::normal(&t.points).unwrap_or(Vec3::ZERO);
        // The file's normal tells which way is up, the face normal how steep the triangle is.
        let face_up = normal.y.abs();
        let surface = if flat_enough && t.normal.y >= min_up {
            SurfaceClass::Ground
        } else if flat_enough && t.normal.y > MIN_SUPPORT && face_up > MIN_SUPPORT {
            SurfaceClass::Steep
        } else {
            SurfaceClass::Wall
        };
        Self { points: t.points, surface, index: t.index, to_barycentric, normal }
    }

    /// Whether the plane of the triangle is horizontally farther than `reach` from the vertical segment at `xz` between
    /// two heights: a cheap rejection test.
    pub fn is_separated(&self, xz: Vec2, low: f32, high: f32, reach: f32) -> bool {
        let (normal, corner) = (self.normal, self.points[0]);
        let side = to_plan(normal);
        let base = side.dot(xz - to_plan(corner));
        let (a, b) = (base + normal.y * (low - corner.y), base + normal.y * (high - corner.y));
        // With a margin, so that rounding cannot hide a contact.
        let reach = (reach + PLANE_MARGIN) * side.length();
        a.min(b) > reach || a.max(b) < -reach
    }

    /// Gradient of the height over x and z; `None` for a nearly vertical triangle.
    pub fn gradient(&self) -> Option<Vec2> {
        let n = (self.points[1] - self.points[0]).cross(self.points[2] - self.points[0]);
        (n.y * n.y > 1e-6 * n.length_squared()).then(|| Vec2::new(-n.x, -n.z) / n.y)
    }

    /// Height at `xz` when that lies inside or on the edge.
    pub fn height_at(&self, xz: Vec2) -> Option<f32> {
        let a = self.points[0];
        let d = xz - to_plan(a);
        let (u, v) = (self.to_barycentric[0].dot(d), self.to_barycentric[1].dot(d));
        let usable = self.to_barycentric[0] != Vec2::ZERO || self.to_barycentric[1] != Vec2::ZERO;
        (usable && u >= -EDGE_TOLERANCE && v >= -EDGE_TOLERANCE && u + v <= 1.0 + EDGE_TOLERANCE)
            .then(|| a.y + u * (self.points[1].y - a.y) + v * (self.points[2].y - a.y))
    }
}

/// All triangles of a level, prepared for contact. Numbered like the octree's.
#[derive(Clone, Debug, Default)]
pub struct ContactMesh {
    triangles: Vec<ContactTriangle>,
}

impl ContactMesh {
    /// Prepares the triangles of a level.
    pub fn build(triangles: &[LevelTriangle], settings: &ContactSettings) -> Self {
        let min_up = triangle::min_up(settings.slope_rad);
        Self { triangles: triangles.iter().map(|t| ContactTriangle::new(t, min_up)).collect() }
    }

    /// All triangles.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = &ContactTriangle> {
        self.triangles.iter()
    }

    /// A triangle.
    ///
    /// # Panics
    /// When `i` is not a position in the slice the mesh was built from.
    pub fn triangle(&self, i: u32) -> &ContactTriangle {
        &self.triangles[i as usize]
    }

    /// The bounds of a triangle for a candidate list, widened horizontally by the edge tolerance.
    ///
    /// # Panics
    /// Like [`ContactMesh::triangle`].
    pub fn near(&self, i: u32) -> NearTriangle {
        let b = triangle::aabb(&self.triangles[i as usize].points);
        let slack = (b.max.x - b.min.x).max(b.max.z - b.min.z) * 2.0 * EDGE_TOLERANCE;
        let b = b.expanded(Vec3::new(slack, 0.0, slack));
        NearTriangle { sides: [b.min.x, b.min.z, -b.max.x, -b.max.z], low: b.min.y, high: b.max.y, triangle: i }
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }
}

/// A candidate triangle with its bounds inline, so that most are rejected without loading the triangle.
#[derive(Clone, Copy, Debug)]
pub struct NearTriangle {
    /// Bounds as (min x, min z, -max x, -max z): one SIMD comparison tests a point against all four.
    sides: [f32; 4],
    /// Height of its lowest point.
    pub low: f32,
    /// Height of its highest point.
    pub high: f32,
    /// Its number.
    pub triangle: u32,
}

impl NearTriangle {
    /// Whether the box, seen from above and expanded by `reach`, contains `xz`.
    #[inline]
    pub fn is_around(&self, xz: Vec2, reach: f32) -> bool {
        let point = Vec4::new(xz.x, xz.y, -xz.x, -xz.y) + Vec4::splat(reach);
        Vec4::from_array(self.sides).cmple(point).all()
    }
}

/// Cached triangles around a character.
#[derive(Clone, Debug, Default)]
pub struct Vicinity {
    /// The box in which the lists are valid.
    bounds: Aabb,
    /// Triangles with a height: ground and steep faces.
    pub supports: Vec<NearTriangle>,
    /// Everything that is not ground.
    pub walls: Vec<NearTriangle>,
    scratch: Vec<u32>,
}

impl Vicinity {
    /// Makes the lists valid for `needed`; queries a box larger by `margin` metres, so that following calls are free.
    /// Returns whether the tree was queried.
    pub fn cover(&mut self, needed: &Aabb, margin: Vec3, mesh: &ContactMesh, tree: &TriangleTree) -> bool {
        if !self.bounds.is_empty() && needed.min.cmpge(self.bounds.min).all() && needed.max.cmple(self.bounds.max).all()
        {
            return false;
        }
        self.bounds = needed.expanded(margin);
        tree.query_aabb(&self.bounds, &mut self.scratch);
        self.supports.clear();
        self.walls.clear();
        for &i in &self.scratch {
            let surface = mesh.triangle(i).surface;
            if surface != SurfaceClass::Wall {
                self.supports.push(mesh.near(i));
            }
            if surface != SurfaceClass::Ground {
                self.walls.push(mesh.near(i));
            }
        }
        true
    }

    /// Invalidates the lists, because the level changed.
    pub fn clear(&mut self) {
        self.bounds = Aabb::EMPTY;
        self.supports.clear();
        self.walls.clear();
    }
}

/// The surface below a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundHit {
    /// The triangle.
    pub triangle: u32,
    /// Its height there, world space.
    pub height: f32,
    /// Whether it can be walked on.
    pub walkable: bool,
}

/// The highest surface at `xz` between the heights `low` and `high`. Ground takes precedence over steep faces; of equal
/// heights the triangle with the smaller number wins.
pub fn highest_at(mesh: &ContactMesh, supports: &[NearTriangle], xz: Vec2, low: f32, high: f32) -> Option<GroundHit> {
    let mut best: Option<GroundHit> = None;
    for near in supports {
        if !near.is_around(xz, 0.0) || near.high < low || near.low > high {
            continue;
        }
        let i = near.triangle;
        let t = mesh.triangle(i);
        let walkable = t.surface == SurfaceClass::Ground;
        if let Some(height) = t.height_at(xz)
            && (low..=high).contains(&height)
            && best.is_none_or(|b| (walkable, height) > (b.walkable, b.height))
        {
            best = Some(GroundHit { triangle: i, height, walkable });
        }
    }
    best
}

/// The surface that supports a character of `radius`: the ground at its centre, else the highest surface below eight
/// points of its rim, so that feet neither slip into cracks nor off edges.
pub fn ground_hit(
    mesh: &ContactMesh,
    supports: &[NearTriangle],
    xz: Vec2,
    radius: f32,
    low: f32,
    high: f32,
) -> Option<GroundHit> {
    if let Some(hit) = highest_at(mesh, supports, xz, low, high).filter(|h| h.walkable) {
        return Some(hit);
    }
    let rim = radius * 0.6;
    let diagonal = rim * std::f32::consts::FRAC_1_SQRT_2;
    let ring = [
        Vec2::new(rim, 0.0),
        Vec2::new(-rim, 0.0),
        Vec2::new(0.0, rim),
        Vec2::new(0.0, -rim),
        Vec2::new(diagonal, diagonal),
        Vec2::new(-diagonal, diagonal),
        Vec2::new(diagonal, -diagonal),
        Vec2::new(-diagonal, -diagonal),
    ];
    let mut best = highest_at(mesh, supports, xz, low, high);
    for offset in ring {
        if let Some(hit) = highest_at(mesh, supports, xz + offset, low, high)
            && hit.walkable
            && best.is_none_or(|b| (hit.walkable, hit.height) > (b.walkable, b.height))
        {
            best = Some(hit);
        }
    }
    best
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use glam::Quat;

    /// A level triangle with the normal of its winding turned upwards.
    pub(crate) fn level_triangle(index: u32, points: [Vec3; 3]) -> LevelTriangle {
        let normal = triangle::normal(&points).unwrap_or(Vec3::ZERO);
        let normal = if normal.y < 0.0 { -normal } else { normal };
        LevelTriangle { index, points, normal }
    }

    /// Two triangles of a quadrilateral.
    pub(crate) fn quad(corners: [Vec3; 4], out: &mut Vec<LevelTriangle>) {
        let [a, b, c, d] = corners;
        for points in [[a, b, c], [a, c, d]] {
            out.push(level_triangle(out.len() as u32, points));
        }
    }

    fn square(y: f32, half: f32, out: &mut Vec<LevelTriangle>) {
        let p = |x, z| Vec3::new(x, y, z);
        quad([p(-half, -half), p(-half, half), p(half, half), p(half, -half)], out);
    }

    #[test]
    fn the_right_floor_is_found() {
        let mut level = Vec::new();
        square(0.0, 5.0, &mut level);
        square(3.0, 5.0, &mut level);
        let mesh = ContactMesh::build(&level, &ContactSettings::default());
        let all: Vec<NearTriangle> = (0..mesh.len() as u32).map(|i| mesh.near(i)).collect();
        let at = |low, high| highest_at(&mesh, &all, Vec2::new(1.0, 2.0), low, high).map(|h| h.height);
        assert_eq!(at(-1.0, 1.0), Some(0.0));
        assert_eq!(at(2.0, 4.0), Some(3.0));
        assert_eq!(at(-1.0, 4.0), Some(3.0));
        assert_eq!(at(0.5, 2.5), None);
    }

    #[test]
    fn a_ramp_at_the_limit_is_ground_however_it_is_turned() {
        for degrees in [20.0, 30.0, 40.0, 45.0] {
            let slope_rad = f32::to_radians(degrees);
            let settings = ContactSettings { slope_rad, ..ContactSettings::default() };
            for turn in 0..500 {
                let yaw = Quat::from_rotation_y(turn as f32 * 0.0137);
                let rise = 7.3 * slope_rad.tan();
                let corners = [Vec3::ZERO, Vec3::Z * 4.0, Vec3::new(7.3, rise, 4.0), Vec3::new(7.3, rise, 0.0)];
                let mut level = Vec::new();
                quad(corners.map(|p| yaw * p), &mut level);
                let ramp = ContactMesh::build(&level, &settings);
                assert!(ramp.triangles().all(|t| t.surface == SurfaceClass::Ground), "{degrees} degrees, turn {turn}");
            }
        }
    }

    #[test]
    fn no_crack_between_triangles_and_a_foot_hangs_on_the_edge() {
        let mut level = Vec::new();
        square(0.0, 1.0, &mut level);
        let mesh = ContactMesh::build(&level, &ContactSettings::default());
        let all: Vec<NearTriangle> = (0..mesh.len() as u32).map(|i| mesh.near(i)).collect();
        for i in 0..=100 {
            let s = i as f32 / 50.0 - 1.0;
            assert!(highest_at(&mesh, &all, Vec2::new(s, s), -0.1, 0.1).is_some(), "on the diagonal at {s}");
        }
        let edge = |x| ground_hit(&mesh, &all, Vec2::new(x, 0.0), 0.3, -0.1, 0.1).is_some();
        assert!(edge(1.1));
        assert!(!edge(1.3));
    }

    #[test]
    fn degenerate_and_vertical_triangles_have_no_height() {
        let level = [
            level_triangle(0, [Vec3::ZERO; 3]),
            level_triangle(1, [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]),
            level_triangle(2, [Vec3::ZERO, Vec3::X, Vec3::Y]),
            LevelTriangle { index: 3, points: [Vec3::ZERO; 3], normal: Vec3::Y },
        ];
        let mesh = ContactMesh::build(&level, &ContactSettings::default());
        assert!((0..4).all(|i| mesh.triangle(i).surface == SurfaceClass::Wall));
        let all = [0, 1, 2, 3].map(|i| mesh.near(i));
        assert_eq!(highest_at(&mesh, &all, Vec2::ZERO, -1.0, 1.0), None);
    }

    #[test]
    fn the_vicinity_queries_the_tree_only_when_left() {
        let mut level = Vec::new();
        square(0.0, 50.0, &mut level);
        let mesh = ContactMesh::build(&level, &ContactSettings::default());
        let tree = crate::collide::triangle_octree::TriangleOctree::build(&level, 10, 5).into();
        let mut vicinity = Vicinity::default();
        let body = |x: f32| Aabb::new(Vec3::new(x - 0.3, -0.5, -0.3), Vec3::new(x + 0.3, 2.0, 0.3));
        let asked = (0..100).filter(|i| vicinity.cover(&body(*i as f32 * 0.05), Vec3::ONE, &mesh, &tree)).count();
        assert!((4..=7).contains(&asked), "{asked}");
        assert!(!vicinity.supports.is_empty() && vicinity.walls.is_empty());
    }
}
