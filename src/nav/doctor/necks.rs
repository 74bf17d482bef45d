//! How wide a passage is at a place: between walls and brinks that lie opposite to each other, from a level's triangles.

use glam::{Vec2, Vec3};

use super::limits::AgentLimits;
use super::probe::LevelProbe;
use crate::math::plan::{self, to_plan};
use crate::math::triangle;
use crate::nav::rect_grid::Rect;

/// Directions in which brinks are looked for.
const DIRECTIONS: usize = 32;
/// Steps in which they are looked for along each.
const BRINK_STEPS: usize = 12;
/// How often the step that holds a brink is halved.
const BRINK_HALVINGS: usize = 8;
/// Largest cosine of the angle between what lies opposite to each other.
const OPPOSITE: f32 = -0.2;
/// What is nearer than this is at the place itself, metres.
const HERE: f32 = 1e-4;
/// Walls nearer than this are joined, metres.
const JOINED: f32 = 1e-3;
/// How much ground rises or falls at most towards a wall that is looked at from as high as the place, metres.
const LEVEL: f32 = 0.02;

/// Something at the side of a place, seen from above.
#[derive(Clone, Copy)]
struct PassageSide<'a> {
    /// Its nearest point from the place on, metres.
    at: Vec2,
    /// The wall; `None` of a brink.
    wall: Option<&'a [Vec3; 3]>,
}

/// Measures passages for agents of some size.
pub(super) struct NeckMeasure<'a, 'b> {
    probe: &'a LevelProbe<'b>,
    climb: f32,
    /// Least vertical part of the normals of ground.
    flat: f32,
    /// Heights over the ground between which something is a wall, metres.
    band: [f32; 2],
    /// Passages wider than that are wide enough, metres.
    most: f32,
}

impl<'a, 'b> NeckMeasure<'a, 'b> {
    pub fn new(probe: &'a LevelProbe<'b>, limits: &AgentLimits) -> Self {
        let low = limits.climb + 0.05;
        Self {
            probe,
            climb: limits.climb,
            flat: limits.slope_rad.cos(),
            band: [low, (limits.height * 0.95).max(low + 0.01)],
            most: 2.0 * limits.radius,
        }
    }

    /// How wide the passage is at a place on the ground, metres: the least distance of two things that lie about opposite to each
    /// other; twice what an agent needs where nothing does.
    pub fn width(&self, ground: Vec3) -> f32 {
        let (mut sides, edges) = self.walls(ground);
        sides.extend(self.brinks(ground, &edges));
        loop {
            sides.sort_by(|a, b| a.at.length_squared().total_cmp(&b.at.length_squared()));
            let Some((width, pair)) = narrowest(&sides) else { return 2.0 * self.most };
            let mut is_changed = false;
            for i in pair.into_iter().rev() {
                match self.standing(ground, sides[i]) {
                    Some(side) => {
                        is_changed |= side.at.distance(sides[i].at) > LEVEL;
                        // Looked at once.
                        sides[i] = PassageSide { wall: None, ..side };
                    }
                    None => {
                        sides.remove(i);
                        is_changed = true;
                    }
                }
            }
            if !is_changed {
                return width;
            }
        }
    }

    /// The nearest points of the walls around, and the walls' edges, seen from the place. A point that another wall passes which
    /// comes nearer is none.
    fn walls(&self, ground: Vec3) -> (Vec<PassageSide<'b>>, Vec<[Vec2; 2]>) {
        let rect = Rect::around([to_plan(ground)]).expanded(self.most);
        let mut found: Vec<(PassageSide<'b>, Vec<[Vec2; 2]>)> = Vec::new();
        for wall in self.probe.triangles_near(&rect) {
            // What is flat is ground or a ceiling.
            if triangle::normal(wall).is_none_or(|n| n.y.abs() >= self.flat) {
                continue;
            }
            let own = self.edges_of(wall, ground, 0.0);
            if let Some(at) = nearest_of(&own).filter(|at| at.length() <= self.most) {
                found.push((PassageSide { at, wall: Some(wall) }, own));
            }
        }
        found.sort_by(|(a, _), (b, _)| a.at.length_squared().total_cmp(&b.at.length_squared()));
        let passes = |edges: &[[Vec2; 2]], at: Vec2| {
            edges.iter().any(|&[a, b]| plan::closest_on_segment(a, b, at).distance_squared(at) < JOINED * JOINED)
        };
        let is_nearest = |&i: &usize| {
            let at = found[i].0.at;
            let nearer = found[..i].iter().take_while(|(other, _)| other.at.length() < at.length() - JOINED);
            !{ nearer }.any(|(_, edges)| passes(edges, at))
        };
        let sides = (0..found.len()).filter(is_nearest).map(|i| found[i].0).collect();
        (sides, found.into_iter().flat_map(|(_, edges)| edges).collect())
    }

    /// The edges of a wall over ground that lies so much higher than the place, seen from there.
    fn edges_of(&self, wall: &[Vec3; 3], ground: Vec3, rise: f32) -> Vec<[Vec2; 2]> {
        let [low, high] = self.band.map(|height| ground.y + rise + height);
        let (mut above, mut part) = (Vec::new(), Vec::new());
        plan::clip_convex(wall, |p: Vec3| p.y - low, |p| above.push(p));
        plan::clip_convex(&above, |p: Vec3| high - p.y, |p| part.push(to_plan(p - ground)));
        (0..part.len()).map(|k| [part[k], part[(k + 1) % part.len()]]).collect()
    }

    /// The nearest points of the brinks around.
    fn brinks(&self, ground: Vec3, walls: &[[Vec2; 2]]) -> Vec<PassageSide<'b>> {
        let away = |angle: f32| self.brink(ground, Vec2::from_angle(angle), walls);
        let step = std::f32::consts::TAU / DIRECTIONS as f32;
        let around: Vec<(f32, bool)> = (0..DIRECTIONS).map(|k| away(k as f32 * step)).collect();
        let mut sides = Vec::new();
        for (k, &(here, is_brink)) in around.iter().enumerate() {
            let [before, after] = [k + DIRECTIONS - 1, k + 1].map(|other| around[other % DIRECTIONS].0);
            if !is_brink || here > before || here >= after {
                continue;
            }
            let mut best = (here, k as f32 * step);
            for part in [0.5, 0.25, 0.125] {
                for angle in [best.1 - part * step, best.1 + part * step] {
                    let (there, is_brink) = away(angle);
                    if is_brink && there < best.0 {
                        best = (there, angle);
                    }
                }
            }
            sides.push(PassageSide { at: Vec2::from_angle(best.1) * best.0, wall: None });
        }
        sides
    }

    /// How far the ground goes on in a direction before a wall is reached, and whether it ends before.
    fn brink(&self, ground: Vec3, along: Vec2, walls: &[[Vec2; 2]]) -> (f32, bool) {
        let hit = |&[a, b]: &[Vec2; 2]| {
            let across = along.perp_dot(b - a);
            let part = a.perp_dot(along) / across;
            let out = a.perp_dot(b - a) / across;
            ((0.0..=1.0).contains(&part) && out >= 0.0).then_some(out)
        };
        let free = walls.iter().filter_map(hit).fold(self.most, f32::min);
        let (end, _) = self.follow(ground, along, free);
        (end, end < free)
    }

    /// How far the ground goes on in a direction, at most so far, and its height there.
    fn follow(&self, ground: Vec3, along: Vec2, most: f32) -> (f32, f32) {
        let mut y = ground.y;
        let height = |out: f32, y: f32| {
            let at = ground + Vec3::new(along.x, 0.0, along.y) * out;
            self.probe.covered(at.with_y(y), self.climb)
        };
        let step = most / BRINK_STEPS as f32;
        for number in 1..=BRINK_STEPS {
            // At the wall itself nothing may lie below.
            let out = if number < BRINK_STEPS { step * number as f32 } else { most - 1e-3 };
            if let Some(next) = height(out, y) {
                y = next;
                continue;
            }
            let mut ends = [step * (number - 1) as f32, out];
            for _ in 0..BRINK_HALVINGS {
                let middle = (ends[0] + ends[1]) * 0.5;
                ends[usize::from(height(middle, y).is_none())] = middle;
            }
            return (ends[1], y);
        }
        (most, y)
    }

    /// A side as it stands on its own ground; `None` where it does not.
    fn standing(&self, ground: Vec3, side: PassageSide<'b>) -> Option<PassageSide<'b>> {
        let Some(wall) = side.wall else { return Some(side) };
        let length = side.at.length();
        let (end, y) = self.follow(ground, side.at / length.max(HERE), length);
        let rise = y - ground.y;
        if rise.abs() <= LEVEL || end < length - 2.0 * LEVEL {
            return Some(side);
        }
        nearest_of(&self.edges_of(wall, ground, rise)).map(|at| PassageSide { at, ..side })
    }
}

/// The point of edges that is nearest to the place.
fn nearest_of(edges: &[[Vec2; 2]]) -> Option<Vec2> {
    let nearest = edges.iter().map(|&[a, b]| plan::closest_on_segment(a, b, Vec2::ZERO));
    nearest.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
}

/// The least distance of two sides opposite to each other, and those; `sides` are sorted by how far they lie from the place.
fn narrowest(sides: &[PassageSide<'_>]) -> Option<(f32, [usize; 2])> {
    let mut best: Option<(f32, [usize; 2])> = None;
    for (k, b) in sides.iter().enumerate() {
        let away = b.at.length();
        if best.is_some_and(|(known, _)| away >= known) {
            break;
        }
        for (i, a) in sides[..k].iter().enumerate() {
            let is_opposite = a.at.length() > HERE && a.at.dot(b.at) < OPPOSITE * a.at.length() * away;
            let apart = a.at.distance(b.at);
            if is_opposite && best.is_none_or(|(known, _)| apart < known) {
                best = Some((apart, [i, k]));
            }
        }
    }
    best
}
