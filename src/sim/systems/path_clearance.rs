//! Keeps the path of a character clear of the level's walls.
//!
//! The mesh ends where walls begin as far as a planner knows them, but contact sees every triangle: rails, door frames,
//! the undersides of stairs. The next points of a path are therefore pushed out of walls as they come up, and where the
//! straight line to the next point overlaps a wall, a point beside the wall is inserted. Only the next metres are
//! tested, a few times a second. Without it characters touch walls 147 times in place of 4 in 300 s of
//! `config/plaza.acfg`, 66 in place of 0 in the courtyard, 65 in place of 10 in the arena, and get stuck more often.

use super::character_controller::STEP_SLACK;
use crate::collide::ground::{NearTriangle, SurfaceClass, highest_at};
use crate::collide::walls::{Cylinder, find_free_position, penetration_depth, push_out};
use crate::math::Aabb;
use crate::math::plan::to_plan;
use crate::sim::character::CharacterState;
use crate::sim::derived::level::LevelGeometry;
use crate::sim::instance::InstanceState;
use glam::{Vec2, Vec3};

/// Number of path points ahead that are kept clear of walls.
const POINTS_AHEAD: usize = 2;
/// Clearance of a path from walls, in radii: a little more than a body needs.
const CLEARANCE_SCALE: f32 = 1.1;
/// Overlap with a wall beside the path that is left to sliding, in radii.
const MAX_OVERLAP: f32 = 0.1;
/// Samples of the straight line ahead, one radius apart.
const MAX_SAMPLES: u32 = 5;
/// Movement after which the line ahead is tested again, in radii.
const RETEST_DISTANCE: f32 = 2.0;

/// How much room a free position needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RoomNeeded {
    /// The whole clearance.
    Full,
    /// As much as there is.
    Any,
}

/// Moves the next points of a path clear of walls, but for the last one, which is the target; `dropped` points were just
/// passed. Returns whether the path has changed.
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
        let walls = PathWalls::query(level, character.size.radius, character.size.height, [*point; 2], &mut nav.near);
        let free = walls.free_position(to_plan(*point), RoomNeeded::Any);
        changed |= free.is_some();
        *point = free.unwrap_or(*point);
        nav.cleared += 1;
    }
    let moved = to_plan(instance.now.position).distance(to_plan(nav.looked_from));
    if changed || !(moved <= character.size.radius * RETEST_DISTANCE) {
        nav.looked_from = instance.now.position;
        changed |= insert_detour(instance, character, level);
    }
    changed
}

/// Inserts a point where the straight line to the next one overlaps a wall. Returns whether it did.
fn insert_detour(instance: &mut InstanceState, character: &mut CharacterState, level: &LevelGeometry) -> bool {
    let (Some(&next), from) = (instance.path.first(), instance.now.position.with_y(character.ground_height)) else {
        return false;
    };
    let (radius, line) = (character.size.radius, to_plan(next) - to_plan(from));
    let length = line.length();
    let samples = ((length / radius) as u32).min(MAX_SAMPLES);
    let end = from.lerp(next, (samples as f32 * radius / length).min(1.0));
    if samples == 0 || !end.is_finite() {
        return false;
    }
    let walls = PathWalls::query(level, radius, character.size.height, [from, end], &mut character.nav.near);
    if walls.triangles.is_empty() {
        return false;
    }
    let samples = (1..=samples).map(|i| to_plan(from).lerp(to_plan(end), i as f32 / samples as f32));
    let cylinder = walls.cylinder(radius);
    let depths = samples.map(|p| (penetration_depth(level.contact(), &walls.triangles, p, &cylinder), p));
    let deepest = depths.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(depth, _)| *depth > radius * MAX_OVERLAP);
    let free = deepest.and_then(|(_, sample)| walls.free_position(sample, RoomNeeded::Full));
    let Some(point) = free else { return false };
    instance.path.insert(0, point);
    character.nav.cleared += 1;
    true
}

/// The walls around a line.
struct PathWalls<'a> {
    level: &'a LevelGeometry,
    /// Radius of a body with its clearance, metres.
    radius: f32,
    /// Heights between which walls count, world space.
    low: f32,
    high: f32,
    /// Heights between which there may be ground, world space.
    ground: [f32; 2],
    triangles: Vec<NearTriangle>,
}

impl<'a> PathWalls<'a> {
    /// The walls near the line between two points, for a body of this radius and height; `near` is a buffer.
    fn query(level: &'a LevelGeometry, radius: f32, height: f32, [from, to]: [Vec3; 2], near: &mut Vec<u32>) -> Self {
        let step = level.settings.step_height.max(0.02);
        let (bottom, top) = (from.y.min(to.y), from.y.max(to.y));
        let low = top + step + STEP_SLACK;
        let (radius, high) = (radius * CLEARANCE_SCALE, (bottom + height).max(low + 0.3));
        let side = Vec3::new(radius, 0.0, radius);
        level.tree.query_aabb(&Aabb::new(from.min(to).with_y(low) - side, from.max(to).with_y(high) + side), near);
        let contact = level.contact();
        let triangles = near
            .iter()
            .filter(|&&t| contact.triangle(t).surface != SurfaceClass::Ground)
            .map(|&t| contact.near(t))
            .collect();
        Self { level, radius, low, high, ground: [bottom - step, top + step], triangles }
    }

    fn cylinder(&self, radius: f32) -> Cylinder {
        Cylinder { radius, low: self.low, high: self.high }
    }

    /// The position nearest to `at` with room for a body and ground under it; `None` when `at` is that position or there
    /// is none.
    fn free_position(&self, at: Vec2, needed: RoomNeeded) -> Option<Vec3> {
        if self.triangles.is_empty() {
            return None;
        }
        let (mesh, cylinder) = (self.level.contact(), self.cylinder(self.radius));
        let free = match needed {
            RoomNeeded::Full => push_out(mesh, &self.triangles, at, &cylinder)?,
            RoomNeeded::Any => find_free_position(mesh, &self.triangles, at, &cylinder),
        };
        if free == at {
            return None;
        }
        let [low, high] = self.ground;
        let mut under = Vec::new();
        let column = Aabb::new(Vec3::new(free.x, low, free.y), Vec3::new(free.x, high, free.y));
        self.level.tree.query_aabb(&column, &mut under);
        let under: Vec<NearTriangle> = under.into_iter().map(|t| mesh.near(t)).collect();
        highest_at(mesh, &under, free, low, high)
            .filter(|hit| hit.walkable)
            .map(|hit| Vec3::new(free.x, hit.height, free.y))
    }
}
