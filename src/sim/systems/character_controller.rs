//! Character controller: gravity and contact of a body with the level. Walls stop it, steps lift it, edges hold it back,
//! and where there is no ground it falls.

use crate::collide::ground::{GroundHit, SurfaceClass, ground_hit, highest_at};
use crate::collide::settings::{GRAVITY, MAX_FALL_SPEED};
use crate::collide::walls::{Cylinder, penetration_depth, slide};
use crate::math::plan::to_plan;
use crate::math::{Aabb, angle};
use crate::sim::STEP_SECS;
use crate::sim::character::CharacterState;
use crate::sim::derived::level::LevelGeometry;
use crate::sim::event::EventKind;
use crate::sim::instance::{InstanceState, NavStatus, Role};
use crate::sim::path_state::RadiusScale;
use glam::{Vec2, Vec3};

/// Longest movement that is tested at once, as a share of the radius.
const MAX_SUBSTEP: f32 = 0.45;
/// Most substeps per step; a faster body is slowed down.
const MAX_SUBSTEPS: u32 = 32;
/// Distance below the level at which a body counts as lost, metres.
const LOST_DEPTH: f32 = 5.0;
/// Share of the wanted speed below which a body is held up.
const MIN_PROGRESS: f32 = 0.6;
/// Slack of step heights: a step of exactly the greatest height is still climbed.
pub const STEP_SLACK: f32 = 0.02;

/// What contact reads of the level and a body in a step.
#[derive(Clone, Copy)]
struct ContactContext<'a> {
    level: &'a LevelGeometry,
    gravity: bool,
    /// Radius against walls, metres.
    radius: f32,
    /// Radius on the ground: a body that squeezes keeps its footing, metres.
    foot_radius: f32,
    height: f32,
    /// Greatest height of a step, metres.
    step: f32,
}

/// Moves a body by its locomotion and by what pushes it, for one step. A thing whose origin is not its base is moved by its lowest point.
pub fn move_character(
    level: &LevelGeometry,
    gravity: bool,
    instance: &mut InstanceState,
    character: &mut CharacterState,
) {
    if is_at_rest(character) {
        instance.now.velocity = Vec3::ZERO;
        return;
    }
    let height = origin_height(instance, character);
    if height == 0.0 {
        return move_body(level, gravity, instance, character);
    }
    let lowered = |at: Vec3| at.with_y(at.y - height);
    // What stays in place does so to the bit.
    let raised = |at: Vec3, from: Vec3| if at == lowered(from) { from } else { at.with_y(at.y + height) };
    let (now, before) = (instance.now.position, instance.before.position);
    (instance.now.position, instance.before.position) = (lowered(now), lowered(before));
    move_body(level, gravity, instance, character);
    instance.now.position = raised(instance.now.position, now);
    instance.before.position = raised(instance.before.position, before);
    character.asleep |= instance.on_ground && instance.now.position == now;
}

/// Whether nothing moves a body that stands.
fn is_at_rest(character: &CharacterState) -> bool {
    character.is_placed
        && character.asleep
        && character.locomotion.speed == 0.0
        && character.push_velocity + character.root_velocity == Vec2::ZERO
}

/// Height of the origin of a thing over the ground that it stands on, metres; 0 for a character, whose origin is between its feet,
/// and for a door, which is where its scene has it.
fn origin_height(instance: &InstanceState, character: &CharacterState) -> f32 {
    let binding = &character.binding;
    let is_skinned = || binding.rig.model.as_ref().is_some_and(|model| model.is_skinned());
    if binding.role != Role::Thing || character.saved.door.is_some() || is_skinned() {
        return 0.0;
    }
    let height = |bounds| character.params.tilt.origin_height(&bounds, instance.now.yaw_rad, character.scale());
    binding.rest_bounds.map_or(0.0, height)
}

/// Moves a body whose position is that of its lowest point.
fn move_body(level: &LevelGeometry, gravity: bool, instance: &mut InstanceState, character: &mut CharacterState) {
    let contact = ContactContext {
        level,
        gravity,
        radius: character.size.radius * character.radius_scale.factor(),
        foot_radius: character.size.radius,
        height: character.size.height,
        step: level.settings.step_height.max(0.02),
    };
    if !character.is_placed {
        contact.place(instance, character);
    }
    let from = instance.now.position;
    let wanted = to_plan(angle::direction_of_yaw(character.locomotion.yaw_rad + character.move_yaw_rad))
        * character.locomotion.speed
        + character.push_velocity
        + character.root_velocity;
    let to = contact.walk(wanted * STEP_SECS, instance, character);
    instance.now.position = Vec3::new(to.x, from.y, to.y);
    contact.rise_or_fall(instance, character);
    contact.limit_to_progress(wanted, to_plan(from), character, instance);
    contact.put_back_if_lost(instance, character);
    instance.now.velocity = (instance.now.position - from) / STEP_SECS;
    character.asleep = instance.on_ground && instance.now.position == from;
}

impl ContactContext<'_> {
    /// Puts a body that is new in the level on the ground: right under its feet, else within a step, else within its
    /// height above and a little below.
    fn place(&self, instance: &mut InstanceState, character: &mut CharacterState) {
        character.is_placed = true;
        character.asleep = false;
        let p = instance.now.position;
        let reach = [(0.05, 0.05), (self.step, self.step), (self.step.max(0.5), self.step.max(self.height))];
        self.cover_vicinity(p, 0.0, character, reach[2].0, reach[2].1);
        let hit = reach.iter().find_map(|(down, up)| {
            let found = ground_hit(
                self.level.contact(),
                &character.vicinity.supports,
                to_plan(p),
                self.foot_radius,
                p.y - down,
                p.y + up,
            );
            found.filter(|h| h.walkable)
        });
        if let Some(hit) = hit {
            self.stand(hit, instance, character);
            instance.now.position.y = hit.height;
            instance.before.position.y = hit.height;
        }
    }

    /// Loads the triangles around a body that moves by `way` metres.
    fn cover_vicinity(&self, p: Vec3, way: f32, character: &mut CharacterState, down: f32, up: f32) {
        let side = self.foot_radius + way;
        let needed = Aabb::new(p - Vec3::new(side, down, side), p + Vec3::new(side, up, side));
        let margin = Vec3::new(1.0, 0.5, 1.0) * (self.foot_radius * 2.5).max(way * 8.0);
        character.vicinity.cover(&needed, margin, self.level.contact(), &self.level.tree);
    }

    /// Puts a body on what it hit.
    fn stand(&self, hit: GroundHit, instance: &mut InstanceState, character: &mut CharacterState) {
        character.ground_height = hit.height;
        character.fall_speed = 0.0;
        instance.on_ground = true;
        instance.ground_triangle = Some(self.level.contact().triangle(hit.triangle).index);
        if hit.walkable {
            character.last_safe_position =
                Some(Vec3::new(instance.now.position.x, hit.height, instance.now.position.z));
        }
    }

    /// Position in x and z after a movement, in substeps that no wall slips through.
    fn walk(&self, way: Vec2, instance: &mut InstanceState, character: &mut CharacterState) -> Vec2 {
        let mut at = to_plan(instance.now.position);
        let length = way.length();
        let feet = if instance.on_ground { character.ground_height } else { instance.now.position.y };
        let p = Vec3::new(at.x, feet, at.y);
        let drop = self.step + MAX_FALL_SPEED.min(character.fall_speed) * STEP_SECS * 2.0 + 0.1;
        self.cover_vicinity(p, length, character, drop, self.step + self.height);
        let (touched_wall, touched_border) = (character.touches_wall, character.touches_border);
        (character.touches_wall, character.touches_border) = (false, false);
        if length == 0.0 {
            return at;
        }
        let count = ((length / (self.radius * MAX_SUBSTEP)).ceil() as u32).clamp(1, MAX_SUBSTEPS);
        let substep = way / count as f32;
        let substep = substep.clamp_length_max(self.radius * MAX_SUBSTEP);
        for _ in 0..count {
            let Some(next) = self.substep(at, substep, instance, character) else { break };
            at = next;
        }
        if character.touches_wall && !touched_wall {
            character.pending_events.raise(EventKind::Wall);
        }
        if character.touches_border && !touched_border {
            character.pending_events.raise(EventKind::Border);
        }
        at
    }

    /// Position after a substep; `None` when the body cannot move on.
    fn substep(
        &self,
        at: Vec2,
        substep: Vec2,
        instance: &mut InstanceState,
        character: &mut CharacterState,
    ) -> Option<Vec2> {
        let feet = if instance.on_ground { character.ground_height } else { instance.now.position.y };
        let cylinder = self.cylinder(self.radius, instance, character);
        let moved = slide(self.level.contact(), &character.vicinity.walls, at, substep, &cylinder);
        character.touches_wall |= moved.touched.is_some();
        let bounded = self.within_border(at, moved.to, character);
        if !instance.on_ground {
            return Some(bounded);
        }
        // Straight on, else along one of the axes: an edge is followed like a wall.
        let ways = [bounded, Vec2::new(bounded.x, at.y), Vec2::new(at.x, bounded.y)];
        for to in ways {
            if let Some(hit) = self.step_at(to, feet, character) {
                self.stand_at(hit, to, instance, character);
                return Some(to);
            }
        }
        None
    }

    fn stand_at(&self, hit: GroundHit, to: Vec2, instance: &mut InstanceState, character: &mut CharacterState) {
        self.stand(hit, instance, character);
        if hit.walkable {
            character.last_safe_position = Some(Vec3::new(to.x, hit.height, to.y));
        }
    }

    /// The ground within a step of `feet` at `to`.
    fn step_at(&self, to: Vec2, feet: f32, character: &CharacterState) -> Option<GroundHit> {
        let reach = self.step + STEP_SLACK;
        ground_hit(self.level.contact(), &character.vicinity.supports, to, self.foot_radius, feet - reach, feet + reach)
            .filter(|h| h.walkable)
    }

    /// Keeps a body that is inside the level's box inside.
    fn within_border(&self, from: Vec2, to: Vec2, character: &mut CharacterState) -> Vec2 {
        let b = self.level.bounds();
        let (min, max) = (to_plan(b.min), to_plan(b.max));
        let inside = |p: Vec2| p.cmpge(min).all() && p.cmple(max).all();
        if inside(to) || !inside(from) {
            return to;
        }
        character.touches_border = true;
        to.clamp(min, max)
    }

    /// Height after the step: follows the ground smoothly, or falls.
    fn rise_or_fall(&self, instance: &mut InstanceState, character: &mut CharacterState) {
        let p = instance.now.position;
        if instance.on_ground {
            let rate = (3.0 * character.scale() + 1.5 * character.locomotion.speed) * STEP_SECS;
            instance.now.position.y = p.y + (character.ground_height - p.y).clamp(-rate, rate);
            return;
        }
        if !self.gravity {
            return;
        }
        character.fall_speed = (character.fall_speed + GRAVITY * STEP_SECS).min(MAX_FALL_SPEED);
        let y = p.y - character.fall_speed * STEP_SECS;
        let supports = &character.vicinity.supports;
        let high = p.y + self.step.min(0.3 * self.height);
        let landing = highest_at(self.level.contact(), supports, to_plan(p), y, high)
            .or_else(|| ground_hit(self.level.contact(), supports, to_plan(p), self.foot_radius, y, high));
        match landing {
            Some(hit) => {
                if character.fall_speed > 2.0 {
                    character.pending_events.raise(EventKind::Landed);
                }
                self.stand(hit, instance, character);
                instance.now.position.y = hit.height.min(p.y).max(y);
            }
            None => instance.now.position.y = y,
        }
    }

    /// Limits the speed of a body that is held up to its progress, and shrinks it between walls.
    fn limit_to_progress(&self, wanted: Vec2, from: Vec2, character: &mut CharacterState, instance: &InstanceState) {
        let wanted_speed = wanted.length();
        if character.locomotion.speed > 0.0 && wanted_speed > 0.0 {
            let real = (to_plan(instance.now.position) - from).length() / STEP_SECS;
            let share = (real / wanted_speed).min(1.0);
            let full = character.binding.locomotion_params.map_or(0.0, |s| s.full_speed);
            if share < 0.9 {
                character.locomotion.speed =
                    character.locomotion.speed.min((full * share).max(character.locomotion.speed * 0.8));
            }
            if share < MIN_PROGRESS && character.touches_wall && instance.nav == NavStatus::Walking {
                character.radius_scale = character.radius_scale.shrunk(STEP_SECS);
                return;
            }
        }
        self.regrow_radius(instance, character);
    }

    /// Grows a body to its full radius again, as far as walls allow.
    fn regrow_radius(&self, instance: &InstanceState, character: &mut CharacterState) {
        if character.radius_scale == RadiusScale::FULL {
            return;
        }
        let wider = character.radius_scale.grown(STEP_SECS);
        let cylinder = self.cylinder(character.size.radius * wider.factor(), instance, character);
        if penetration_depth(self.level.contact(), &character.vicinity.walls, to_plan(instance.now.position), &cylinder)
            == 0.0
        {
            character.radius_scale = wider;
        }
    }

    /// A body as walls see it.
    fn cylinder(&self, radius: f32, instance: &InstanceState, character: &CharacterState) -> Cylinder {
        let feet = if instance.on_ground { character.ground_height } else { instance.now.position.y };
        let low = feet + self.step + STEP_SLACK;
        Cylinder { radius, low, high: (feet + self.height).max(low + 0.3) }
    }

    /// Puts a body that has fallen out of the level back to where it last stood, or to the nearest ground.
    fn put_back_if_lost(&self, instance: &mut InstanceState, character: &mut CharacterState) {
        let p = instance.now.position;
        if p.is_finite() && p.y >= self.level.bounds().min.y - LOST_DEPTH {
            return;
        }
        let nearest = || {
            let from = if p.is_finite() { p } else { self.level.bounds().center() };
            let walkable = self.level.contact().triangles().filter(|triangle| triangle.surface == SurfaceClass::Ground);
            walkable
                .map(|triangle| triangle.points.iter().sum::<Vec3>() / 3.0)
                .min_by(|a, b| to_plan(*a - from).length_squared().total_cmp(&to_plan(*b - from).length_squared()))
        };
        let Some(to) = character.last_safe_position.or_else(nearest) else {
            // A level without ground: stay at its lower edge.
            instance.now.position = self.level.bounds().center().with_y(self.level.bounds().min.y);
            character.fall_speed = 0.0;
            character.pending_events.raise(EventKind::PutBack);
            return;
        };
        instance.now.position = to;
        instance.before.position = to;
        character.fall_speed = 0.0;
        character.locomotion.speed = 0.0;
        character.is_placed = false;
        character.pending_events.raise(EventKind::PutBack);
    }
}

/// Level triangles that a body touches: the ground and the walls within its radius.
pub fn touching(level: &LevelGeometry, instance: &InstanceState, character: &CharacterState, out: &mut Vec<u32>) {
    if character.binding.role == Role::Absent {
        return;
    }
    let p = instance.now.position;
    let r = character.size.radius;
    let mut found = Vec::new();
    let around = Aabb::new(p - Vec3::new(r, 0.1, r), p + Vec3::new(r, character.size.height, r));
    level.tree.query_aabb(&around, &mut found);
    out.extend(found.into_iter().filter(|&i| {
        let t = level.contact().triangle(i);
        let near = crate::math::triangle::closest_point(&t.points, p.with_y(p.y.max(level.contact().near(i).low)));
        to_plan(near - p).length() <= r * 1.1
    }));
}
