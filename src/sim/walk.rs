//! Gravity and contact of one body with the level: walls stop it, steps lift it, edges hold it back, and where
//! there is nothing below it falls.

use super::STEP_SECS;
use super::body::{Body, Girth};
use super::event::EventKind;
use super::level::Level;
use super::presence::Role;
use super::world::{Live, NavStatus};
use crate::collide::ground::{GroundHit, SurfaceClass, ground_hit, highest_at};
use crate::collide::settings::{GRAVITY, MAX_FALL_SPEED};
use crate::collide::walls::{Cylinder, penetration_depth, slide};
use crate::math::plan::to_plan;
use crate::math::{Aabb, angle};
use glam::{Vec2, Vec3};

/// Longest piece of way that is tested at once, as a part of the radius.
const PIECE: f32 = 0.45;
/// Most pieces per step; what is faster is slowed down.
const MOST_PIECES: u32 = 32;
/// How far below the level something counts as lost, metres.
const LOST_BELOW: f32 = 5.0;
/// A body that gets on by less than this part of what it wants is held up.
const HELD_UP: f32 = 0.6;
/// Slack of step heights: a step of exactly the greatest height is still climbed.
pub const STEP_SLACK: f32 = 0.02;

/// What contact needs to know about a body in this step.
#[derive(Clone, Copy)]
struct Contact<'a> {
    level: &'a Level,
    gravity: bool,
    /// Radius that walls see.
    radius: f32,
    /// Radius that the ground sees: a body that squeezes keeps its ground hit.
    foot_radius: f32,
    height: f32,
    step: f32,
}

/// Moves one body by its pace and by what pushes it, for one step.
pub fn move_body(level: &Level, gravity: bool, live: &mut Live, body: &mut Body) {
    let contact = Contact {
        level,
        gravity,
        radius: body.size.radius * body.girth.share(),
        foot_radius: body.size.radius,
        height: body.size.height,
        step: level.settings.step_height.max(0.02),
    };
    if !body.placed {
        contact.place(live, body);
    }
    if body.resting && body.pace.speed == 0.0 && body.shove == Vec2::ZERO {
        live.now.velocity = Vec3::ZERO;
        return;
    }
    let from = live.now.position;
    let wish = to_plan(angle::direction_of_yaw(body.pace.yaw_rad + body.course.1)) * body.pace.speed + body.shove;
    let to = contact.go(wish * STEP_SECS, live, body);
    live.now.position = Vec3::new(to.x, from.y, to.y);
    contact.rise_or_fall(live, body);
    contact.mind_the_way(wish, to_plan(from), body, live);
    contact.put_back_if_lost(live, body);
    live.now.velocity = (live.now.position - from) / STEP_SECS;
    body.resting = live.on_ground && live.now.position == from;
}

impl Contact<'_> {
    /// Finds the ground for a body that has just come into the level: right under its feet, else within a step, else
    /// within its height above and a little below.
    fn place(&self, live: &mut Live, body: &mut Body) {
        body.placed = true;
        body.resting = false;
        let p = live.now.position;
        let reach = [(0.05, 0.05), (self.step, self.step), (self.step.max(0.5), self.step.max(self.height))];
        self.look_around(p, 0.0, body, reach[2].0, reach[2].1);
        let hit = reach.iter().find_map(|(down, up)| {
            let found = ground_hit(
                &self.level.contact,
                &body.vicinity.supports,
                to_plan(p),
                self.foot_radius,
                p.y - down,
                p.y + up,
            );
            found.filter(|h| h.walkable)
        });
        if let Some(hit) = hit {
            self.stand(hit, live, body);
            live.now.position.y = hit.height;
            live.before.position.y = hit.height;
        }
    }

    fn look_around(&self, p: Vec3, way: f32, body: &mut Body, down: f32, up: f32) {
        let side = self.foot_radius + way;
        let needed = Aabb::new(p - Vec3::new(side, down, side), p + Vec3::new(side, up, side));
        let margin = Vec3::new(1.0, 0.5, 1.0) * (self.foot_radius * 2.5).max(way * 8.0);
        body.vicinity.cover(&needed, margin, &self.level.contact, &self.level.octree);
    }

    fn stand(&self, hit: GroundHit, live: &mut Live, body: &mut Body) {
        body.floor = hit.height;
        body.fall_speed = 0.0;
        live.on_ground = true;
        live.ground_triangle = Some(self.level.contact.triangle(hit.triangle).index);
        if hit.walkable {
            body.safe = Some(Vec3::new(live.now.position.x, hit.height, live.now.position.z));
        }
    }

    /// The body's place on the map after a way, cut into pieces that no wall slips through.
    fn go(&self, way: Vec2, live: &mut Live, body: &mut Body) -> Vec2 {
        let mut at = to_plan(live.now.position);
        let length = way.length();
        let feet = if live.on_ground { body.floor } else { live.now.position.y };
        let p = Vec3::new(at.x, feet, at.y);
        let drop = self.step + MAX_FALL_SPEED.min(body.fall_speed) * STEP_SECS * 2.0 + 0.1;
        self.look_around(p, length, body, drop, self.step + self.height);
        let was = body.touched;
        body.touched = (false, false);
        if length == 0.0 {
            return at;
        }
        let pieces = ((length / (self.radius * PIECE)).ceil() as u32).clamp(1, MOST_PIECES);
        let piece = way / pieces as f32;
        let piece = piece.clamp_length_max(self.radius * PIECE);
        for _ in 0..pieces {
            let Some(next) = self.piece(at, piece, live, body) else { break };
            at = next;
        }
        if body.touched.0 && !was.0 {
            body.raised.raise(EventKind::Wall);
        }
        if body.touched.1 && !was.1 {
            body.raised.raise(EventKind::Border);
        }
        at
    }

    /// One piece of way; `None` when there is no going on.
    fn piece(&self, at: Vec2, piece: Vec2, live: &mut Live, body: &mut Body) -> Option<Vec2> {
        let feet = if live.on_ground { body.floor } else { live.now.position.y };
        let cylinder = self.cylinder(self.radius, live, body);
        let moved = slide(&self.level.contact, &body.vicinity.walls, at, piece, &cylinder);
        body.touched.0 |= moved.touched.is_some();
        let bounded = self.within_border(at, moved.to, body);
        if !live.on_ground {
            return Some(bounded);
        }
        // Straight on, else along one of the axes: an edge is followed like a wall.
        let ways = [bounded, Vec2::new(bounded.x, at.y), Vec2::new(at.x, bounded.y)];
        for to in ways {
            if let Some(hit) = self.step_at(to, feet, body) {
                self.stand_at(hit, to, live, body);
                return Some(to);
            }
        }
        None
    }

    fn stand_at(&self, hit: GroundHit, to: Vec2, live: &mut Live, body: &mut Body) {
        self.stand(hit, live, body);
        if hit.walkable {
            body.safe = Some(Vec3::new(to.x, hit.height, to.y));
        }
    }

    /// The ground within a step of `feet` at `to`.
    fn step_at(&self, to: Vec2, feet: f32, body: &Body) -> Option<GroundHit> {
        let reach = self.step + STEP_SLACK;
        ground_hit(&self.level.contact, &body.vicinity.supports, to, self.foot_radius, feet - reach, feet + reach)
            .filter(|h| h.walkable)
    }

    /// Keeps those who are inside the level's box inside.
    fn within_border(&self, from: Vec2, to: Vec2, body: &mut Body) -> Vec2 {
        let b = self.level.bounds();
        let (min, max) = (to_plan(b.min), to_plan(b.max));
        let inside = |p: Vec2| p.cmpge(min).all() && p.cmple(max).all();
        if inside(to) || !inside(from) {
            return to;
        }
        body.touched.1 = true;
        to.clamp(min, max)
    }

    /// Height after the step: follows the floor smoothly, or falls.
    fn rise_or_fall(&self, live: &mut Live, body: &mut Body) {
        let p = live.now.position;
        if live.on_ground {
            let rate = (3.0 * body.scale() + 1.5 * body.pace.speed) * STEP_SECS;
            live.now.position.y = p.y + (body.floor - p.y).clamp(-rate, rate);
            return;
        }
        if !self.gravity {
            return;
        }
        body.fall_speed = (body.fall_speed + GRAVITY * STEP_SECS).min(MAX_FALL_SPEED);
        let y = p.y - body.fall_speed * STEP_SECS;
        let supports = &body.vicinity.supports;
        let high = p.y + self.step.min(0.3 * self.height);
        let landing = highest_at(&self.level.contact, supports, to_plan(p), y, high)
            .or_else(|| ground_hit(&self.level.contact, supports, to_plan(p), self.foot_radius, y, high));
        match landing {
            Some(hit) => {
                if body.fall_speed > 2.0 {
                    body.raised.raise(EventKind::Landed);
                }
                self.stand(hit, live, body);
                live.now.position.y = hit.height.min(p.y).max(y);
            }
            None => live.now.position.y = y,
        }
    }

    /// A body that is held up does not keep up a speed that it does not have.
    fn mind_the_way(&self, wish: Vec2, from: Vec2, body: &mut Body, live: &Live) {
        let wished = wish.length();
        if body.pace.speed > 0.0 && wished > 0.0 {
            let real = (to_plan(live.now.position) - from).length() / STEP_SECS;
            let share = (real / wished).min(1.0);
            let full = body.looks.stride.map_or(0.0, |s| s.full_speed);
            if share < 0.9 {
                body.pace.speed = body.pace.speed.min((full * share).max(body.pace.speed * 0.8));
            }
            if share < HELD_UP && body.touched.0 && live.nav == NavStatus::Walking {
                body.girth = body.girth.less(STEP_SECS);
                return;
            }
        }
        self.breathe_out(live, body);
    }

    /// Takes up its full room again, as far as walls allow.
    fn breathe_out(&self, live: &Live, body: &mut Body) {
        if body.girth == Girth::FULL {
            return;
        }
        let wider = body.girth.more(STEP_SECS);
        let cylinder = self.cylinder(body.size.radius * wider.share(), live, body);
        if penetration_depth(&self.level.contact, &body.vicinity.walls, to_plan(live.now.position), &cylinder) == 0.0 {
            body.girth = wider;
        }
    }

    /// What walls see of a body.
    fn cylinder(&self, radius: f32, live: &Live, body: &Body) -> Cylinder {
        let feet = if live.on_ground { body.floor } else { live.now.position.y };
        let low = feet + self.step + STEP_SLACK;
        Cylinder { radius, low, high: (feet + self.height).max(low + 0.3) }
    }

    /// What has fallen out of the level goes back to where it last stood, or to the nearest ground.
    fn put_back_if_lost(&self, live: &mut Live, body: &mut Body) {
        let p = live.now.position;
        if p.is_finite() && p.y >= self.level.bounds().min.y - LOST_BELOW {
            return;
        }
        let nearest = || {
            let from = if p.is_finite() { p } else { self.level.bounds().center() };
            let walkable = self.level.contact.triangles().filter(|triangle| triangle.surface == SurfaceClass::Ground);
            walkable
                .map(|triangle| triangle.points.iter().sum::<Vec3>() / 3.0)
                .min_by(|a, b| to_plan(*a - from).length_squared().total_cmp(&to_plan(*b - from).length_squared()))
        };
        let Some(to) = body.safe.or_else(nearest) else {
            // A level without ground: stay at its lower edge.
            live.now.position = self.level.bounds().center().with_y(self.level.bounds().min.y);
            body.fall_speed = 0.0;
            return;
        };
        live.now.position = to;
        live.before.position = to;
        body.fall_speed = 0.0;
        body.pace.speed = 0.0;
        body.placed = false;
        body.raised.raise(EventKind::PutBack);
    }
}

/// Level triangles that a body touches: what it stands on and the walls within its radius.
pub fn touching(level: &Level, live: &Live, body: &Body, out: &mut Vec<u32>) {
    if body.looks.role == Role::Absent {
        return;
    }
    let p = live.now.position;
    let r = body.size.radius;
    let mut found = Vec::new();
    let around = Aabb::new(p - Vec3::new(r, 0.1, r), p + Vec3::new(r, body.size.height, r));
    level.octree.query_aabb(&around, &mut found);
    out.extend(found.into_iter().filter(|&i| {
        let t = level.contact.triangle(i);
        let near = crate::math::triangle::closest_point(&t.points, p.with_y(p.y.max(level.contact.near(i).low)));
        to_plan(near - p).length() <= r * 1.1
    }));
}
