//! Cover segments: lines along the walls of a mesh, with the height of what stands behind them.

use std::cmp::Ordering;

use glam::Vec3;

use crate::math::plan;
use crate::nav::mesh::{NONE, NavMesh};

/// The posture that a segment hides on level ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoverClass {
    /// A crouching character: a wall up to the waist.
    Crouching,
    /// A standing character.
    Standing,
}

/// A straight part of an obstacle beside walkable ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverSegment {
    /// Begin, on the ground, local.
    pub a: Vec3,
    /// End, on the ground, local; walkable ground lies where [`plan::cross`]`(a, b, point)` is positive.
    pub b: Vec3,
    /// The posture that it hides.
    pub class: CoverClass,
    /// Height over the ground of its lowest part, metres.
    pub height: f32,
}

impl CoverSegment {
    /// Length in plan view, metres.
    pub fn length(&self) -> f32 {
        (self.b.x - self.a.x).hypot(self.b.z - self.a.z)
    }
}

/// Settings for the extraction of segments from walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverSettings {
    /// Smallest height that hides a crouching character, metres.
    pub crouching_height: f32,
    /// Smallest height that hides a standing character, metres.
    pub standing_height: f32,
    /// Wall edges are measured in pieces of at most this length, metres.
    pub piece_length: f32,
    /// Neighbours are joined while no point between them lies farther than this from the joined line, metres; a
    /// negative value joins nothing.
    pub join_deviation: f32,
    /// Neighbours of one class are joined while their heights differ by at most this, metres.
    pub join_height: f32,
}

impl Default for CoverSettings {
    /// For characters 1.8 m tall.
    fn default() -> Self {
        Self { crouching_height: 0.7, standing_height: 1.7, piece_length: 2.0, join_deviation: 0.05, join_height: 0.5 }
    }
}

impl CoverSettings {
    /// The class of an obstacle of this height; `None` below both limits and for NaN.
    pub fn class_of(&self, height: f32) -> Option<CoverClass> {
        match height {
            h if h >= self.standing_height => Some(CoverClass::Standing),
            h if h >= self.crouching_height => Some(CoverClass::Crouching),
            _ => None,
        }
    }
}

/// Most pieces of an edge and of a joined segment: bounds the time on degenerate meshes.
const MAX_PIECES: usize = 256;

/// Corners of an outline this near to the line between their neighbours only cut a wall in two, metres.
const CUT_DEVIATION: f32 = 1e-3;

/// Extracts the cover segments of a mesh: one per wall with an obstacle beside it, collinear neighbours joined. They are
/// the same however the ground is cut into polygons.
///
/// `height_of` takes both ends of a piece of a wall and the horizontal unit vector that points off the mesh, and returns
/// the height of the obstacle there over the ground, 0 for none (a drop). [`super::ObstacleHeights`] does so from
/// triangles.
pub fn extract(
    mesh: &NavMesh,
    settings: &CoverSettings,
    mut height_of: impl FnMut(Vec3, Vec3, Vec3) -> f32,
) -> Vec<CoverSegment> {
    let mut seen: Vec<bool> = (0..mesh.edges().len() as u32).map(|e| !mesh.is_live_edge(e)).collect();
    let mut found = Vec::new();
    let (mut outline, mut pieces) = (Vec::new(), Vec::new());
    for first in 0..mesh.edges().len() as u32 {
        if seen[first as usize] || mesh.edges()[first as usize].neighbor != NONE {
            continue;
        }
        outline.clear();
        pieces.clear();
        let mut edge = first;
        while !seen[edge as usize] {
            seen[edge as usize] = true;
            outline.push(mesh.edge_points(edge).0);
            edge = next_wall(mesh, edge);
        }
        if settings.join_deviation >= 0.0 {
            drop_cuts(&mut outline);
        }
        for (i, &a) in outline.iter().enumerate() {
            measure((a, outline[(i + 1) % outline.len()]), settings, &mut height_of, &mut pieces);
        }
        join(&pieces, settings, &mut found);
    }
    found
}

/// Drops the corners of a closed outline at which it only is cut, and begins it at its lowest corner in x, then z.
fn drop_cuts(outline: &mut Vec<Vec3>) {
    let key = |p: &Vec3| (p.x, p.z);
    let lowest = outline.iter().enumerate().min_by(|a, b| key(a.1).partial_cmp(&key(b.1)).unwrap_or(Ordering::Equal));
    let lowest = lowest.map_or(0, |l| l.0);
    outline.rotate_left(lowest);
    let mut kept: Vec<Vec3> = Vec::with_capacity(outline.len());
    let mut since = 0;
    for (i, &corner) in outline.iter().enumerate() {
        let next = outline[(i + 1) % outline.len()];
        let straight = kept.last().is_some_and(|&before| {
            let ahead = (next - corner).dot(corner - before) > 0.0;
            ahead && outline[since + 1..=i].iter().all(|&p| distance_to_line(before, next, p) <= CUT_DEVIATION)
        });
        if !straight {
            kept.push(corner);
            since = i;
        }
    }
    *outline = kept;
}

/// The wall edge that begins where this one ends, found by turning around the vertex through its polygons.
fn next_wall(mesh: &NavMesh, edge: u32) -> u32 {
    let following = |edge: u32| {
        let p = &mesh.polygons()[mesh.edges()[edge as usize].polygon as usize];
        if edge + 1 == p.first_edge + u32::from(p.edge_count) { p.first_edge } else { edge + 1 }
    };
    let mut next = following(edge);
    // Twins are paired one to one, so the walk around the vertex never repeats an edge and ends.
    while mesh.edges()[next as usize].twin != NONE {
        next = following(mesh.edges()[next as usize].twin);
    }
    next
}

/// A part of a wall edge; one without a class only separates its neighbours.
#[derive(Clone, Copy)]
struct WallPiece {
    a: Vec3,
    b: Vec3,
    height: f32,
    class: Option<CoverClass>,
}

fn measure(
    (a, b): (Vec3, Vec3),
    settings: &CoverSettings,
    height_of: &mut impl FnMut(Vec3, Vec3, Vec3) -> f32,
    out: &mut Vec<WallPiece>,
) {
    let (dx, dz) = (b.x - a.x, b.z - a.z);
    let length = dx.hypot(dz);
    if !(length > 0.0) {
        return;
    }
    let outward = Vec3::new(dz, 0.0, -dx) / length;
    // The cast saturates, so that any setting gives 1 to MAX_PIECES.
    let count = ((length / settings.piece_length - 1e-3).ceil() as usize).clamp(1, MAX_PIECES);
    let at = |i: usize| if i == count { b } else { a + (b - a) * (i as f32 / count as f32) };
    for i in 0..count {
        let height = height_of(at(i), at(i + 1), outward);
        out.push(WallPiece { a: at(i), b: at(i + 1), height, class: settings.class_of(height) });
    }
}

/// Joins the pieces of one closed outline.
fn join(pieces: &[WallPiece], settings: &CoverSettings, out: &mut Vec<CoverSegment>) {
    let count = pieces.len();
    let before = |i: usize| &pieces[(i + count - 1) % count];
    let start = (0..count).find(|&i| !joins(&[*before(i)], &pieces[i], before(i).height, settings)).unwrap_or(0);
    let mut run: Vec<WallPiece> = Vec::new();
    let mut low = 0.0;
    let mut close = |run: &mut Vec<WallPiece>, low: f32| {
        if let (Some(first), Some(last)) = (run.first(), run.last())
            && let Some(class) = first.class
        {
            out.push(CoverSegment { a: first.a, b: last.b, class, height: low });
        }
        run.clear();
    };
    for i in 0..count {
        let piece = pieces[(start + i) % count];
        if !joins(&run, &piece, low, settings) {
            close(&mut run, low);
            low = piece.height;
        }
        low = low.min(piece.height);
        run.push(piece);
    }
    close(&mut run, low);
}

fn joins(run: &[WallPiece], piece: &WallPiece, low: f32, settings: &CoverSettings) -> bool {
    let Some(first) = run.first() else { return false };
    if first.class != piece.class || piece.class.is_none() || run.len() >= MAX_PIECES {
        return false;
    }
    // A polyline that turns back is no line, however near its points are.
    let ahead = (piece.b - piece.a).dot(first.b - first.a) > 0.0;
    ahead
        && (piece.height - low).abs() <= settings.join_height
        && run.iter().all(|p| distance_to_line(first.a, piece.b, p.b) <= settings.join_deviation)
}

fn distance_to_line(a: Vec3, b: Vec3, p: Vec3) -> f32 {
    let level = (b.x - a.x).hypot(b.z - a.z);
    if !(level > 0.0) {
        return f32::INFINITY;
    }
    let aside = plan::cross(a, b, p).abs() as f32 / level;
    let along = ((p.x - a.x) * (b.x - a.x) + (p.z - a.z) * (b.z - a.z)) / (level * level);
    aside.hypot(p.y - (a.y + (b.y - a.y) * along))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{self, box_triangles, courtyard};
    use super::super::{ObstacleHeights, extract};
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    #[test]
    fn tp_01_walls_give_segments_and_collinear_ones_join() {
        let mesh = fixture::cells(&["..", ".."], 3.0);
        let settings = CoverSettings::default();
        let apart = CoverSettings { join_deviation: -1.0, piece_length: 100.0, ..settings };
        for (height, class) in [(2.0, Some(CoverClass::Standing)), (1.0, Some(CoverClass::Crouching)), (0.3, None)] {
            let each = extract(&mesh, &apart, |_, _, _| height);
            let joined = extract(&mesh, &settings, |_, _, _| height);
            let Some(class) = class else {
                assert!(each.is_empty() && joined.is_empty());
                continue;
            };
            assert_eq!((each.len(), joined.len()), (8, 4), "{height}");
            for s in &joined {
                assert_eq!((s.class, s.height, s.length()), (class, height, 6.0));
                assert!(plan::cross(s.a, s.b, mesh.bounds().center()) > 0.0, "ground lies on its left");
            }
        }
        assert!(extract(&mesh, &settings, |_, _, _| f32::NAN).is_empty());
    }

    #[test]
    fn tp_01_classes_and_steps_in_height_keep_segments_apart() {
        let mesh = fixture::cells(&["...."], 2.0);
        // Along z = 0 the wall rises: 1, 1, 2, 3 metres; the other sides are drops.
        let side = mesh.bounds().min.z;
        let low = mesh.bounds().min.x;
        let found = extract(&mesh, &CoverSettings::default(), |a, b, outward| {
            assert!((outward.length() - 1.0).abs() < 1e-6);
            let middle = (a + b) * 0.5;
            assert!(plan::cross(a, b, middle + outward) < 0.0, "points off the mesh");
            let column = ((middle.x - low) / 2.0) as usize;
            if a.z == side && b.z == side { [1.0, 1.0, 2.0, 3.0][column] } else { 0.0 }
        });
        let mut lengths: Vec<(f32, f32)> = found.iter().map(|s| (s.height, s.length())).collect();
        lengths.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(lengths, [(1.0, 4.0), (2.0, 2.0), (3.0, 2.0)]);
    }

    #[test]
    fn segments_are_the_same_however_the_ground_is_cut() {
        // A wall that rises along x; the floor as one rectangle, and cut at places that fit no piece.
        let height = |a: Vec3, b: Vec3, _: Vec3| 1.0 + (a.x + b.x) * 0.05;
        let floor = |cuts: &[f64]| {
            let mut raw = RawMesh::default();
            for &x in cuts {
                raw.vertices.extend([DVec3::new(x, 0.0, 0.0), DVec3::new(x, 0.0, 5.0)]);
            }
            let quad = |i: u32| RawPolygon::new([2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
            raw.polygons.extend((1..cuts.len() as u32).map(|i| quad(i - 1)));
            raw.validate().unwrap()
        };
        let whole = extract(&floor(&[0.0, 21.0]), &CoverSettings::default(), height);
        assert!(whole.len() > 4);
        for cuts in [&[0.0, 0.7, 21.0][..], &[0.0, 3.3, 3.4, 11.1, 20.9, 21.0]] {
            let other = extract(&floor(cuts), &CoverSettings::default(), height);
            assert_eq!(other.len(), whole.len());
            for (a, b) in whole.iter().zip(&other) {
                assert!(a.a.distance(b.a) + a.b.distance(b.b) < 1e-4 && a.class == b.class);
            }
        }
    }

    #[test]
    fn tp_02_count_and_length_of_a_courtyard_are_known() {
        // 20 by 20 metres with a wall of 3 m around; inside a block of 4 by 4 (2 m) and one of 2 by 6 (1 m).
        let (mesh, blocks) = courtyard();
        let triangles: Vec<[Vec3; 3]> = blocks.iter().flat_map(|&(low, high)| box_triangles(low, high)).collect();
        let obstacles = ObstacleHeights::new(triangles.iter().copied(), mesh.origin());
        let found = extract(&mesh, &CoverSettings::default(), |a, b, out| obstacles.height(a, b, out));
        let of = |class: CoverClass| found.iter().filter(move |s| s.class == class);
        assert_eq!((of(CoverClass::Standing).count(), of(CoverClass::Crouching).count()), (8, 4));
        let standing: f32 = of(CoverClass::Standing).map(CoverSegment::length).sum();
        let crouching: f32 = of(CoverClass::Crouching).map(CoverSegment::length).sum();
        assert!((standing - 96.0).abs() < 1e-3 && (crouching - 16.0).abs() < 1e-3, "{standing} {crouching}");
        assert!(of(CoverClass::Crouching).all(|s| (s.height - 1.0).abs() < 1e-3));
        assert!(of(CoverClass::Standing).all(|s| s.height > 1.99));
        // Moved far off, the answer is the same.
        let far = glam::DVec3::new(50_000.0, 0.0, -50_000.0);
        let (mesh, _) = fixture::courtyard_at(far);
        let moved = triangles.iter().map(|t| t.map(|v| v + far.as_vec3()));
        let obstacles = ObstacleHeights::new(moved, mesh.origin());
        assert_eq!(extract(&mesh, &CoverSettings::default(), |a, b, out| obstacles.height(a, b, out)).len(), 12);
    }

    #[test]
    fn outlines_that_touch_in_a_corner_are_followed_one_by_one() {
        let mesh = fixture::cells(&[".#", "#."], 1.0);
        assert_eq!(extract(&mesh, &CoverSettings::default(), |_, _, _| 2.0).len(), 8);
    }
}
