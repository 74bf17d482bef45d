//! The line to walk along: the shortest one through the openings between the nodes of a path.
//!
//! The corners are found by the funnel algorithm (Lee and Preparata 1984; Mononen, "Simple Stupid Funnel Algorithm",
//! 2010) seen from above. Then every opening gets the point where the line passes it, on the surface of both nodes.
//! Each part of the line joins two points of one convex node, so it cannot leave the ground.

use crate::math::flat;
use crate::nav::ground::{Adjacency, GroundGraph, GroundNode};
use glam::{Vec2, Vec3};

/// Steps smaller than this are slopes, metres.
const LEAST_STEP: f32 = 0.01;
/// Points that change the line by less are left out, metres.
const STRAIGHT: f32 = 0.003;

/// The line from `from` (on the first node) to `to` (on the last) over `nodes`, which follow each other in `graph`.
///
/// Where something solid stands at the end of an opening, the line keeps `margin` metres away from it along the opening
/// (less beside it, where the line crosses aslant), as far as the opening is wide enough. Under the `original` rule the
/// line leads through the centres of the nodes in between.
/// Nodes that do not follow each other are joined through their centres.
pub fn walk_line(graph: &GroundGraph, from: Vec3, to: Vec3, nodes: &[GroundNode], margin: f32) -> Vec<Vec3> {
    if graph.adjacency() == Adjacency::Original {
        let inner = nodes.get(1..nodes.len().saturating_sub(1)).unwrap_or(&[]);
        return std::iter::once(from).chain(inner.iter().map(|&n| graph.center(n))).chain([to]).collect();
    }
    let openings: Vec<[Vec2; 2]> = nodes
        .windows(2)
        .map(|w| match graph.portal(w[0], w[1]) {
            Some(portal) => inset(portal.left, portal.right, portal.left_solid, portal.right_solid, margin),
            None => [flat(graph.center(w[1])); 2],
        })
        .collect();
    let crossings = cross(flat(from), flat(to), &openings);
    let mut line = Vec::with_capacity(crossings.len() + 2);
    line.push(from);
    for (xz, w) in crossings.iter().zip(nodes.windows(2)) {
        let (before, after) = (graph.height(w[0], *xz), graph.height(w[1], *xz));
        line.push(Vec3::new(xz.x, before, xz.y));
        if (before - after).abs() > LEAST_STEP {
            line.push(Vec3::new(xz.x, after, xz.y));
        }
    }
    line.push(to);
    straighten(&line)
}

/// Moves the ends of an opening inwards where they are solid; both to one point where it is too narrow.
fn inset(left: Vec2, right: Vec2, left_solid: bool, right_solid: bool, margin: f32) -> [Vec2; 2] {
    let width = left.distance(right);
    let keep = |solid| if solid && margin > 0.0 { margin } else { 0.0 };
    let (l, r) = (keep(left_solid), keep(right_solid));
    if l + r <= 0.0 || !(width > 0.0) {
        return [left, right];
    }
    let fit = (width / (l + r)).min(1.0) / width;
    [left.lerp(right, l * fit), right.lerp(left, r * fit)]
}

/// Where the shortest line from `from` to `to` passes each opening (left, right).
fn cross(from: Vec2, to: Vec2, openings: &[[Vec2; 2]]) -> Vec<Vec2> {
    let corners = funnel(from, to, openings);
    let mut points = Vec::with_capacity(openings.len());
    for pair in corners.windows(2) {
        let ((_, a), (end, b)) = (pair[0], pair[1]);
        while points.len() < end.min(openings.len()) {
            points.push(on_opening(&openings[points.len()], a, b));
        }
    }
    points
}

/// The point of an opening that lies on, or nearest to, the line through `a` and `b`.
fn on_opening(&[left, right]: &[Vec2; 2], a: Vec2, b: Vec2) -> Vec2 {
    let (d, side) = (b - a, right - left);
    let t = (a - left).perp_dot(d) / side.perp_dot(d);
    if t.is_finite() {
        return left + side * t.clamp(0.0, 1.0);
    }
    let t = (b - left).dot(side) / side.length_squared();
    if t.is_finite() { left + side * t.clamp(0.0, 1.0) } else { left }
}

/// Corners of the shortest line, each with the number of openings that lie before it or at it; the start has 0, the
/// end has all.
fn funnel(from: Vec2, to: Vec2, openings: &[[Vec2; 2]]) -> Vec<(usize, Vec2)> {
    // Positive when `c` lies on the right hand of the way from `a` to `b` (in (x, z) a turn to the right is
    // counter-clockwise).
    let right_of = |a: Vec2, b: Vec2, c: Vec2| (b - a).perp_dot(c - a);
    let count = openings.len();
    let at = |i: usize| if i < count { openings[i] } else { [to, to] };
    let mut corners = vec![(0, from)];
    let mut apex = from;
    // Sides of the funnel, with the opening they come from plus one.
    let (mut left, mut right) = ((0, from), (0, from));
    let mut i = 0;
    while i <= count {
        let [l, r] = at(i);
        if right_of(apex, right.1, r) <= 0.0 {
            if apex == right.1 || right_of(apex, left.1, r) > 0.0 {
                right = (i + 1, r);
            } else {
                apex = left.1;
                i = left.0;
                corners.push((left.0, apex));
                right = left;
                continue;
            }
        }
        if right_of(apex, left.1, l) >= 0.0 {
            if apex == left.1 || right_of(apex, right.1, l) < 0.0 {
                left = (i + 1, l);
            } else {
                apex = right.1;
                i = right.0;
                corners.push((right.0, apex));
                left = right;
                continue;
            }
        }
        i += 1;
    }
    corners.push((count, to));
    corners
}

/// Leaves out points that lie on the line between their neighbours.
fn straighten(line: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![line[0]];
    let mut anchor = 0;
    for i in 1..line.len() {
        let last = i + 1 == line.len();
        let fits = !last
            && i - anchor < 64
            && line[anchor + 1..=i].iter().all(|p| {
                let near = crate::math::triangle::closest_point_on_segment(line[anchor], line[i + 1], *p);
                near.distance_squared(*p) <= STRAIGHT * STRAIGHT
            });
        if !fits && (last || line[i].distance_squared(line[anchor]) > 1e-8) {
            out.push(line[i]);
            anchor = i;
        }
    }
    out
}
