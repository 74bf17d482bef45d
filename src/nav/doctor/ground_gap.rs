//! The gap between two pieces of a level's ground, measured from triangle to triangle.

use foldhash::{HashMap, HashMapExt};

use glam::{DVec3, Vec3};

use super::probe::LevelProbe;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::{self, to_plan};
use crate::math::triangle;
use crate::nav::rect_grid::Rect;

/// Corners nearer than this are one, metres.
const WELD: f64 = 1e-3;
/// How much farther than the gap ground is looked at around it, metres.
const MARGIN: f32 = 0.3;
/// How much farther away a place is taken for, for each metre that it lies aside.
const ASIDE: f32 = 1e-4;
/// Most pairs of triangles that are compared.
const MAX_PAIRS: usize = 1 << 18;

/// The nearest two places of the ground at the first of these places and of that at the second, seen from above and no
/// farther apart in height than a step; `None` where the triangles there do not part.
pub(super) fn nearest_ground(probe: &LevelProbe<'_>, ends: [Vec3; 2], climb: f32, slope_rad: f32) -> Option<[Vec3; 2]> {
    let run = plan::distance(ends[0], ends[1]);
    let rect = Rect::around(ends.map(to_plan)).expanded(run + MARGIN);
    let (low, high) = (ends[0].y.min(ends[1].y) - climb, ends[0].y.max(ends[1].y) + climb);
    let least = slope_rad.cos() - 1e-4;
    let mut ground: Vec<[Vec3; 3]> = Vec::new();
    for t in probe.triangles_near(&rect) {
        let heights = t.map(|p| p.y);
        let is_level = heights.iter().any(|y| *y >= low) && heights.iter().any(|y| *y <= high);
        if is_level && triangle::normal(t).is_some_and(|n| n.y >= least) {
            ground.push(*t);
        }
    }
    let mut joined = welded(&ground);
    // The ground at a place is the triangle nearest to it.
    let nearest = |place: Vec3| {
        let apart = |t: &[Vec3; 3]| to_triangle(t, place);
        (0..ground.len()).min_by(|&i, &k| apart(&ground[i]).total_cmp(&apart(&ground[k])))
    };
    let roots = [joined.root(nearest(ends[0])?), joined.root(nearest(ends[1])?)];
    if roots[0] == roots[1] {
        return None;
    }
    let sides = roots.map(|root| (0..ground.len()).filter(|&i| joined.root(i) == root).collect::<Vec<_>>());
    if sides[0].len() * sides[1].len() > MAX_PAIRS {
        return None;
    }
    // Of places that are equally near those beside the ends.
    let middle = (ends[0] + ends[1]) * 0.5;
    let cost = |p: Vec3, q: Vec3| plan::distance(p, q) + ASIDE * middle.distance((p + q) * 0.5);
    let mut best: Option<(f32, [Vec3; 2])> = None;
    for (a, b) in
        sides[0].iter().flat_map(|&i| sides[1].iter().map(move |&k| (i, k))).map(|(i, k)| (ground[i], ground[k]))
    {
        for (i, k) in (0..9).map(|pair| (pair / 3, pair % 3)) {
            let (p, q) = plan::closest_of_segments((a[i], a[(i + 1) % 3]), (b[k], b[(k + 1) % 3]));
            let apart = cost(p, q);
            if (p.y - q.y).abs() <= climb && best.is_none_or(|(known, _)| apart < known) {
                best = Some((apart, [p, q]));
            }
        }
    }
    best.map(|(_, line)| line)
}

/// Triangles in sets of those whose corners lie at one place.
fn welded(triangles: &[[Vec3; 3]]) -> DisjointSets {
    let mut joined = DisjointSets::new(triangles.len());
    let mut owners: HashMap<[i64; 3], usize> = HashMap::with_capacity(triangles.len());
    for (i, corner) in triangles.iter().enumerate().flat_map(|(i, t)| t.iter().map(move |p| (i, p.as_dvec3()))) {
        let key = (corner / DVec3::splat(WELD)).round().to_array().map(|v| v as i64);
        joined.join(*owners.entry(key).or_insert(i), i);
    }
    joined
}

/// How far a place is from a triangle, seen from above and in height.
fn to_triangle(t: &[Vec3; 3], place: Vec3) -> f32 {
    if let Some(y) = triangle::height_at(t, to_plan(place)) {
        return (y - place.y).abs();
    }
    let to_edge = |k: usize| {
        let (_, q) = plan::closest_of_segments((place, place), (t[k], t[(k + 1) % 3]));
        q.distance(place)
    };
    (0..3).map(to_edge).fold(f32::INFINITY, f32::min)
}
