//! A door: an instance that moves between two places. A shut door that is used lies on the navigation mesh as an
//! obstacle, and is taken out of it while it stands open.

use super::STEP_SECS;
use crate::asset::AssetStore;
use crate::ids::InstanceId;
use crate::math::{Aabb, angle, smoothstep};
use crate::scene::door::{DoorTrigger, SceneDoor};
use crate::scene::nav::{ObstacleShape, PlacedObstacle};
use crate::scene::{Scene, SceneInstance};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// From this part on a door can be passed.
const PASSABLE: f32 = 0.6;

/// All doors of a world.
#[derive(Clone, Debug, Default)]
pub struct Doors {
    pub(super) list: Vec<Door>,
    /// What the buttons use that were pressed, by name.
    pressed: Vec<String>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Door {
    /// The instance.
    pub(super) id: InstanceId,
    saved: Arc<SceneInstance>,
    /// Its box in its own space, at its scale.
    pub(super) bounds: Aabb,
    /// 0 shut … 1 open.
    pub(super) openness: f32,
    /// Whether it opens or stays open; else it shuts.
    pub(super) is_opening: bool,
    /// Time since it was open and the last character left, seconds.
    idle_secs: f32,
}

impl Door {
    /// How it moves.
    pub(super) fn settings(&self) -> SceneDoor {
        self.saved.door.as_deref().cloned().unwrap_or_default()
    }

    /// Place and heading at a part of the way from shut to open.
    pub(super) fn pose(&self, settings: &SceneDoor, openness: f32) -> (Vec3, f32) {
        let eased = smoothstep(openness);
        let yaw_rad = self.saved.rotation_deg.y.to_radians();
        let shift = Quat::from_rotation_y(yaw_rad) * settings.shift;
        (self.saved.position + shift * eased, angle::wrap_rad(yaw_rad + settings.turn.to_radians() * eased))
    }

    /// Its box as an obstacle where it is shut.
    fn obstacle(&self, is_open: bool) -> PlacedObstacle {
        let (position, yaw_rad) = (self.saved.position, self.saved.rotation_deg.y.to_radians());
        let (center, size) = (self.bounds.center(), self.bounds.size().max(Vec3::splat(0.05)));
        let base = position + Quat::from_rotation_y(yaw_rad) * center.with_y(self.bounds.min.y);
        PlacedObstacle { shape: ObstacleShape::Box { base, size, yaw_deg: yaw_rad.to_degrees() }, open: is_open }
    }

    fn bars(&self) -> bool {
        self.saved.door.as_ref().is_some_and(|door| door.trigger == DoorTrigger::Used)
    }

    /// Distance of a place on the ground from its box, as it stands at a part of its way.
    pub(super) fn distance(&self, settings: &SceneDoor, openness: f32, at: Vec3) -> f32 {
        let (position, yaw_rad) = self.pose(settings, openness);
        let own = Quat::from_rotation_y(-yaw_rad) * (at - position);
        (own - own.clamp(self.bounds.min, self.bounds.max)).length()
    }

    /// A step of its movement.
    pub(super) fn advance(&mut self, settings: &SceneDoor, is_near: bool, is_blocked: bool) {
        let opens = self.is_opening && self.openness < 1.0;
        self.idle_secs = if is_near || opens { 0.0 } else { self.idle_secs + STEP_SECS };
        match settings.trigger {
            DoorTrigger::Near if is_near => self.is_opening = true,
            DoorTrigger::Near => self.is_opening &= self.idle_secs < settings.stays_open,
            // It falls back by itself.
            DoorTrigger::Button => self.is_opening &= self.openness < 1.0,
            DoorTrigger::Used if settings.stays_open > 0.0 => {
                self.is_opening &= self.idle_secs < settings.stays_open;
            }
            DoorTrigger::Used => {}
        }
        let by = STEP_SECS / settings.secs.max(STEP_SECS);
        if self.is_opening {
            self.openness = (self.openness + by).min(1.0);
        } else if !is_blocked {
            self.openness = (self.openness - by).max(0.0);
        }
    }
}

impl Doors {
    /// Takes in the doors of a scene, and says which of them are obstacles on its mesh. Those that were there stay as far
    /// open as they were.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore) -> Vec<PlacedObstacle> {
        let before = std::mem::take(&mut self.list);
        for (id, saved) in scene.instances.iter().filter(|(_, one)| one.door.is_some()) {
            let model = saved.model_id().and_then(|id| scene.models.get(id)).and_then(|model| assets.by_file(model));
            let Some(bounds) = model.map(|(_, model)| model.rest_bounds).filter(|bounds| !bounds.is_empty()) else {
                continue;
            };
            let known = before.iter().find(|door| door.id == id);
            let tilt = saved.standing_at(Vec3::ZERO, 0.0, saved.scale);
            self.list.push(Door {
                id,
                saved: saved.clone(),
                bounds: bounds.transformed(&tilt),
                openness: known.map_or(0.0, |door| door.openness),
                is_opening: known.is_some_and(|door| door.is_opening),
                idle_secs: known.map_or(0.0, |door| door.idle_secs),
            });
        }
        self.obstacles()
    }

    /// What of them lies on the mesh.
    pub(super) fn obstacles(&self) -> Vec<PlacedObstacle> {
        self.list.iter().filter(|door| door.bars()).map(|door| door.obstacle(door.openness >= PASSABLE)).collect()
    }

    /// What the buttons use that were pressed since this was last asked, by name.
    pub(super) fn take_pressed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.pressed)
    }

    /// Uses a door: opens or shuts it; a button uses its doors.
    pub(super) fn use_one(&mut self, i: usize) {
        let settings = self.list[i].settings();
        if settings.trigger == DoorTrigger::Near {
            return;
        }
        if settings.trigger == DoorTrigger::Button {
            if self.list[i].is_opening {
                return;
            }
            let at = self.list[i].saved.position;
            let is_meant = |door: &Door| match settings.opens.as_str() {
                "" => door.saved.position.distance(at) <= settings.reach,
                name => door.saved.name == name,
            };
            let doors: Vec<usize> =
                (0..self.list.len()).filter(|&k| self.list[k].bars() && is_meant(&self.list[k])).collect();
            doors.into_iter().for_each(|k| self.use_one(k));
            self.pressed.push(settings.opens);
        }
        let door = &mut self.list[i];
        (door.is_opening, door.idle_secs) = (!door.is_opening, 0.0);
    }
}
