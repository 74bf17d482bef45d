//! Keeps the way of a walker clear of walls.
//!
//! A line over the ground knows no girth: it may pass corners closer than a body can. The next points of a way are
//! therefore pushed out of walls as they come up, and where the straight way to the next point brushes a wall, a
//! point beside the wall is put in. Only the next metres are looked at, a few times a second.

use super::character_controller::STEP_SLACK;
use crate::collide::ground::{NearTriangle, SurfaceClass, highest_at};
use crate::collide::walls::{Cylinder, find_free_position, penetration_depth, push_out};
use crate::math::Aabb;
use crate::math::plan::to_plan;
use crate::sim::character::CharacterState;
use crate::sim::derived::level::LevelGeometry;
use crate::sim::instance::InstanceState;
use glam::{Vec2, Vec3};

/// Points of the way ahead that are kept clear of walls.
const POINTS_AHEAD: usize = 2;
/// Room that a way gets, as a part of the radius: a little more than a body needs.
const ELBOW_ROOM: f32 = 1.1;
/// Overlap with a wall beside the way that is left to sliding, as a part of the radius.
const BRUSH: f32 = 0.1;
/// Places looked at on the straight way ahead, one radius apart.
const LOOKS: u32 = 5;
/// Way after which the way ahead is looked at again, as a part of the radius.
const LOOK_EVERY: f32 = 2.0;

/// Moves the next points of the way clear of walls, but for the last one, which is the target; `dropped` points have
/// just been left behind. Says whether the way has changed.
pub fn clear_path_ahead(
    instance: &mut InstanceState,
    character: &mut CharacterState,
    level: &LevelGeometry,
    dropped: usize,
) -> bool {
    let nav = &mut character.nav;
    nav.cleared = nav.cleared.saturating_sub(dropped);
    let inner = instance.path.len().saturating_sub(1).min(POINTS_AHEAD).min(instance.points_before_link());
    let mut changed = dropped > 0;
    while nav.cleared < inner {
        let point = &mut instance.path[nav.cleared];
        let room = Room::at(level, character.size.radius, character.size.height, *point, *point, &mut nav.near);
        let spot = room.free(to_plan(*point), false);
        changed |= spot.is_some();
        *point = spot.unwrap_or(*point);
        nav.cleared += 1;
    }
    let moved = to_plan(instance.now.position).distance(to_plan(nav.looked_from));
    if changed || !(moved <= character.size.radius * LOOK_EVERY) {
        nav.looked_from = instance.now.position;
        changed |= look_ahead(instance, character, level);
    }
    changed
}

/// Puts in a point where the straight way to the next one brushes a wall. Says whether it did.
fn look_ahead(instance: &mut InstanceState, character: &mut CharacterState, level: &LevelGeometry) -> bool {
    let (Some(&next), from) = (instance.path.first(), instance.now.position.with_y(character.ground_height)) else {
        return false;
    };
    let (radius, way) = (character.size.radius, to_plan(next) - to_plan(from));
    let length = way.length();
    let looks = ((length / radius) as u32).min(LOOKS);
    let end = from.lerp(next, (looks as f32 * radius / length).min(1.0));
    if looks == 0 || !end.is_finite() {
        return false;
    }
    let room = Room::at(level, radius, character.size.height, from, end, &mut character.nav.near);
    if room.walls.is_empty() {
        return false;
    }
    let places = (1..=looks).map(|i| to_plan(from).lerp(to_plan(end), i as f32 / looks as f32));
    let depths = places.map(|p| (penetration_depth(&level.contact, &room.walls, p, &room.cylinder(radius)), p));
    let deepest = depths.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(depth, _)| *depth > radius * BRUSH);
    let Some(spot) = deepest.and_then(|(_, place)| room.free(place, true)) else { return false };
    instance.path.insert(0, spot);
    character.nav.cleared += 1;
    true
}

/// The surroundings of a piece of way.
struct Room<'a> {
    level: &'a LevelGeometry,
    radius: f32,
    low: f32,
    high: f32,
    /// Heights between which there may be ground.
    ground: [f32; 2],
    walls: Vec<NearTriangle>,
}

impl<'a> Room<'a> {
    fn at(level: &'a LevelGeometry, radius: f32, height: f32, from: Vec3, to: Vec3, near: &mut Vec<u32>) -> Self {
        let step = level.settings.step_height.max(0.02);
        let (bottom, top) = (from.y.min(to.y), from.y.max(to.y));
        let low = top + step + STEP_SLACK;
        let (radius, high) = (radius * ELBOW_ROOM, (bottom + height).max(low + 0.3));
        let side = Vec3::new(radius, 0.0, radius);
        level.octree.query_aabb(&Aabb::new(from.min(to).with_y(low) - side, from.max(to).with_y(high) + side), near);
        let contact = &level.contact;
        let walls = near
            .iter()
            .filter(|&&t| contact.triangle(t).surface != SurfaceClass::Ground)
            .map(|&t| contact.near(t))
            .collect();
        Self { level, radius, low, high, ground: [bottom - step, top + step], walls }
    }

    fn cylinder(&self, radius: f32) -> Cylinder {
        Cylinder { radius, low: self.low, high: self.high }
    }

    /// The place nearest to `at` with room for a body and ground under it; `None` when `at` is that place or there is
    /// none. A gap with less room will do unless the place has to be `wide`.
    fn free(&self, at: Vec2, wide: bool) -> Option<Vec3> {
        if self.walls.is_empty() {
            return None;
        }
        let (mesh, character) = (&self.level.contact, self.cylinder(self.radius));
        let spot = if wide {
            push_out(mesh, &self.walls, at, &character)?
        } else {
            find_free_position(mesh, &self.walls, at, &character)
        };
        if spot == at {
            return None;
        }
        let [low, high] = self.ground;
        let mut under = Vec::new();
        self.level
            .octree
            .query_aabb(&Aabb::new(Vec3::new(spot.x, low, spot.y), Vec3::new(spot.x, high, spot.y)), &mut under);
        let under: Vec<NearTriangle> = under.into_iter().map(|t| mesh.near(t)).collect();
        highest_at(mesh, &under, spot, low, high)
            .filter(|hit| hit.walkable)
            .map(|hit| Vec3::new(spot.x, hit.height, spot.y))
    }
}
