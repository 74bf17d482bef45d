//! The line to walk along: the shortest one through the openings between the nodes of a path.
//!
//! The corners are found by the funnel algorithm (Lee and Preparata 1984; Mononen, "Simple Stupid Funnel Algorithm",
//! 2010) seen from above. Then every opening gets the point where the line passes it, on the surface of both nodes.
//! Each part of the line joins two points of one convex node, so it cannot leave the ground.

use crate::math::plan::to_plan;
use crate::nav::ground::{Adjacency, GroundGraph, GroundNode};
use glam::{Vec2, Vec3};

/// Steps smaller than this are slopes, metres.
const LEAST_STEP: f32 = 0.01;
/// Points that change the line by less are left out, metres.
const STRAIGHT: f32 = 0.003;
/// How often openings are narrowed for lines that cross them aslant.
const ROUNDS: usize = 6;
/// Most by which an opening's end moves inwards in a round, as a factor.
const STEEPEST: f32 = 3.0;
/// The share of the margin that is enough.
const ENOUGH: f32 = 0.99;

/// An opening between two nodes, with what stands at its ends and how far inwards they are moved, metres.
struct Opening {
    ends: [Vec2; 2],
    solid: [bool; 2],
    inset: [f32; 2],
}

/// The line from `from` (on the first node) to `to` (on the last) over `nodes`, which follow each other in `graph`.
///
/// Where something solid stands at the end of an opening, the line keeps `margin` metres away from it as far as the
/// opening is wide enough. Under the `original` rule the line leads through the centres of the nodes in between.
/// Nodes that do not follow each other are joined through their centres.
pub fn walk_line(graph: &GroundGraph, from: Vec3, to: Vec3, nodes: &[GroundNode], margin: f32) -> Vec<Vec3> {
    if graph.adjacency() == Adjacency::Original {
        let inner = nodes.get(1..nodes.len().saturating_sub(1)).unwrap_or(&[]);
        return std::iter::once(from).chain(inner.iter().map(|&n| graph.center(n))).chain([to]).collect();
    }
    let mut openings: Vec<Opening> = nodes.windows(2).map(|w| Opening::between(graph, w, margin)).collect();
    let ends = [to_plan(from), to_plan(to)];
    let mut crossings = Vec::new();
    for _ in 0..ROUNDS {
        let narrowed: Vec<[Vec2; 2]> = openings.iter().map(Opening::narrowed).collect();
        crossings = cross(ends[0], ends[1], &narrowed);
        let passed = |i: usize| i.checked_sub(1).map_or(ends[0], |i| *crossings.get(i).unwrap_or(&ends[1]));
        let keeps = |(i, o): (usize, &mut Opening)| o.keeps(&[i, i + 1, i + 2].map(passed), ends, margin);
        // All of them, not as far as the first that does not.
        if openings.iter_mut().enumerate().map(keeps).filter(|keeps| !keeps).count() == 0 {
            break;
        }
    }
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

impl Opening {
    /// The one between two nodes that follow each other, else the centre of the second.
    fn between(graph: &GroundGraph, nodes: &[GroundNode], margin: f32) -> Self {
        let Some(portal) = graph.portal(nodes[0], nodes[1]) else {
            return Self { ends: [to_plan(graph.center(nodes[1])); 2], solid: [false; 2], inset: [0.0; 2] };
        };
        let solid = [portal.left_solid, portal.right_solid].map(|solid| solid && margin > 0.0);
        Self { ends: [portal.left, portal.right], solid, inset: solid.map(|s| if s { margin } else { 0.0 }) }
    }

    /// The opening with its ends moved inwards where they are solid; both to one point where it is too narrow.
    fn narrowed(&self) -> [Vec2; 2] {
        let ([left, right], [l, r]) = (self.ends, self.inset);
        let width = left.distance(right);
        if l + r <= 0.0 || !(width > 0.0) {
            return [left, right];
        }
        let fit = (width / (l + r)).min(1.0) / width;
        [left.lerp(right, l * fit), right.lerp(left, r * fit)]
    }

    /// Whether the line through three points, of which it passes the opening at the second, keeps the margin from solid
    /// ends. Those that it does not keep it from are moved further inwards where there is room: what a line keeps that
    /// crosses aslant is less than what its crossing does.
    fn keeps(&mut self, passed: &[Vec2; 3], line_ends: [Vec2; 2], margin: f32) -> bool {
        let (width, mut keeps) = (self.ends[0].distance(self.ends[1]), true);
        for i in (0..2).filter(|&i| self.solid[i]) {
            let corner = self.ends[i];
            // Nobody who stands nearer than that can keep more.
            let wanted = line_ends.iter().fold(margin, |least, end| least.min(end.distance(corner)));
            let near = nearest(passed[1], passed[0], corner).min(nearest(passed[1], passed[2], corner));
            let most = width - self.inset[1 - i].min(0.5 * width);
            if near < wanted * ENOUGH && self.inset[i] < most {
                let factor = if near * STEEPEST > wanted { wanted / near } else { STEEPEST };
                self.inset[i] = (self.inset[i] * factor).min(most);
                keeps = false;
            }
        }
        keeps
    }
}

/// How near a leg comes to a corner before its end, where another opening sees to that.
fn nearest(from: Vec2, to: Vec2, corner: Vec2) -> f32 {
    let (way, off) = (to - from, corner - from);
    let t = off.dot(way) / way.length_squared();
    if t >= 1.0 {
        return f32::INFINITY;
    }
    if t > 0.0 { (off - way * t).length() } else { off.length() }
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
