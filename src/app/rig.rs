//! The camera rig: which camera of the scene is looked through, free flight, and the flight from one to the other.

use crate::asset::AssetStore;
use crate::camera::{FirstPerson, FreeCamera, Lens, Target, ThirdPerson, View, azimuth_elevation, direction, follow};
use crate::ids::{CameraId, InstanceId};
use crate::input::Input;
use crate::math::angle::wrap_rad;
use crate::scene::{Scene, SceneCamera};
use crate::sim::{Live, World};
use crate::vocab::{CameraKind, Projection};
use glam::{Mat4, Quat, Vec3};

/// Time of the flight to another camera, seconds.
const FLIGHT_SECS: f32 = 0.45;

/// Where a camera stands and looks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pose {
    eye: Vec3,
    direction: Vec3,
    lens: Lens,
}

/// The cameras of a running scene.
#[derive(Clone, Debug, Default)]
pub struct Rig {
    /// The free camera.
    pub free: FreeCamera,
    active: Option<CameraId>,
    flight: Option<(Pose, f32)>,
    last: Option<Pose>,
}

impl Rig {
    /// Starts with the camera that `selected` names, else the scene's first.
    pub fn start(scene: &Scene, selected: Option<CameraId>) -> Self {
        let mut rig = Self::default();
        if let Some(first) = scene.cameras.values().next() {
            rig.free = free_from(first);
        }
        rig.active = selected.filter(|id| scene.cameras.contains(*id)).or(scene.cameras.at(0));
        if let Some(camera) = rig.active.and_then(|id| scene.cameras.get(id)) {
            rig.free = free_from(camera);
        }
        rig
    }

    /// The camera looked through; `None` while flying without one.
    pub fn active(&self) -> Option<CameraId> {
        self.active
    }

    /// Flies to a camera of the scene and looks through it.
    pub fn use_camera(&mut self, scene: &Scene, id: CameraId) {
        let Some(camera) = scene.cameras.get(id) else { return };
        self.flight = self.last.map(|from| (from, 0.0));
        self.active = Some(id);
        self.free = free_from(camera);
    }

    /// The camera `by` places on in the scene's order, without going round.
    pub fn neighbor(&self, scene: &Scene, by: isize) -> Option<CameraId> {
        let at = self.active.and_then(|id| scene.cameras.position(id)).unwrap_or(0);
        scene.cameras.at(at.checked_add_signed(by)?)
    }

    /// Brings the free camera to a sphere.
    pub fn focus(&mut self, scene: &Scene, center: Vec3, radius: f32) {
        self.leave(scene);
        self.flight = self.last.map(|from| (from, 0.0));
        self.free.frame(center, radius);
    }

    /// Free flight from where the picture is taken now.
    fn leave(&mut self, scene: &Scene) {
        if let Some(pose) = self.last {
            let (azimuth_rad, elevation_rad) = azimuth_elevation(pose.direction);
            self.free = FreeCamera { position: pose.eye, azimuth_rad, elevation_rad, ..self.free };
        }
        self.flight = None;
        self.active = scene.cameras.iter().find(|(_, c)| c.kind == CameraKind::Free).map(|(id, _)| id);
    }

    /// Steers. Steering a camera that does not fly by itself goes over to free flight. Returns whether anything moved.
    pub fn update(&mut self, input: &Input, dt_secs: f32, scene: &Scene, world: &World) -> bool {
        let steered = input.fly != Vec3::ZERO || input.look_px != glam::Vec2::ZERO;
        if steered && !self.is_free(scene, world) {
            self.leave(scene);
        }
        if steered {
            self.flight = None;
        }
        if let Some((_, t)) = &mut self.flight {
            *t += dt_secs / FLIGHT_SECS;
            if !(*t < 1.0) {
                self.flight = None;
            }
            return true;
        }
        self.free.update(input, dt_secs)
    }

    /// Whether the active camera is steered by hand.
    fn is_free(&self, scene: &Scene, world: &World) -> bool {
        match self.active.and_then(|id| scene.cameras.get(id)) {
            None => true,
            Some(camera) => match camera.kind {
                CameraKind::Free => true,
                CameraKind::Stationary => false,
                _ => camera.target.is_none_or(|target| world.live(target).is_none()),
            },
        }
    }

    /// The view of this frame. `alpha` lies between the last two simulation steps.
    pub fn view(&mut self, scene: &Scene, world: &World, assets: &AssetStore, alpha: f32, aspect: f32) -> View {
        let goal = self.pose(scene, world, assets, alpha);
        let pose = match self.flight {
            Some((from, t)) => blend(&from, &goal, smooth(t)),
            None => goal,
        };
        self.last = Some(pose);
        View::new(pose.eye, pose.direction, pose.lens, aspect)
    }

    fn pose(&self, scene: &Scene, world: &World, assets: &AssetStore, alpha: f32) -> Pose {
        let free = Pose {
            eye: self.free.position,
            direction: direction(self.free.azimuth_rad, self.free.elevation_rad),
            lens: Lens::Perspective { fov_rad: self.free.fov_rad },
        };
        let Some(camera) = self.active.and_then(|id| scene.cameras.get(id)) else { return free };
        let lens = match camera.projection {
            Projection::Perspective => free.lens,
            Projection::Orthogonal => Lens::Orthogonal { half_height: camera.ortho_scale },
        };
        let target = camera.target.and_then(|id| Some((id, world.live(id)?)));
        match (camera.kind, target) {
            (CameraKind::Stationary, _) => Pose { eye: camera.position, direction: camera.direction(), lens },
            (CameraKind::FirstPerson, Some((id, live))) => {
                let (eye, direction) = first_person(camera, scene, assets, id, live, alpha);
                Pose { eye, direction, lens: free.lens }
            }
            (CameraKind::ThirdPerson, Some((_, live))) => {
                let third = ThirdPerson { distance: camera.third_person_distance, height: camera.third_person_height };
                let (eye, direction) = third.eye(&target_of(live, alpha));
                Pose { eye, direction, lens: free.lens }
            }
            (CameraKind::StationaryFollowing, Some((_, live))) => {
                let eye = camera.position;
                Pose { eye, direction: follow::look_at(eye, &target_of(live, alpha), camera.follow_height), lens }
            }
            _ => Pose { lens, ..free },
        }
    }

    /// Writes the free camera's place into the scene's free camera, so that it is saved.
    pub fn store(&self, scene: &Scene, camera: &SceneCamera) -> SceneCamera {
        let is_active = self.active.and_then(|id| scene.cameras.get(id)).is_some_and(|c| c.name == camera.name);
        if !is_active || camera.kind != CameraKind::Free {
            return camera.clone();
        }
        SceneCamera {
            position: self.free.position,
            azimuth_deg: self.free.azimuth_rad.to_degrees().rem_euclid(360.0),
            elevation_deg: self.free.elevation_rad.to_degrees(),
            fov_deg: self.free.fov_rad.to_degrees(),
            ..camera.clone()
        }
    }
}

fn free_from(camera: &SceneCamera) -> FreeCamera {
    FreeCamera {
        position: camera.position,
        azimuth_rad: wrap_rad(camera.azimuth_deg.to_radians()),
        elevation_rad: camera.elevation_deg.to_radians(),
        fov_rad: camera.fov_deg.to_radians(),
        velocity: Vec3::ZERO,
    }
}

fn target_of(live: &Live, alpha: f32) -> Target {
    let turn = wrap_rad(live.now.yaw_rad - live.before.yaw_rad);
    Target {
        position: live.before.position.lerp(live.now.position, alpha),
        yaw_rad: live.before.yaw_rad + turn * alpha,
    }
}

/// Eye and direction through a bone of the character; in its rest pose, so that the view does not shake.
fn first_person(
    camera: &SceneCamera,
    scene: &Scene,
    assets: &AssetStore,
    id: InstanceId,
    live: &Live,
    alpha: f32,
) -> (Vec3, Vec3) {
    let target = target_of(live, alpha);
    let instance = scene.instances.get(id);
    let scale = instance.map_or(1.0, |instance| instance.scale);
    let model = instance
        .and_then(|instance| scene.models.get(instance.model_id()?))
        .and_then(|model| Some(assets.by_file(&model.file)?.1));
    let model_from_bone = model
        .and_then(|m| m.skeleton.rest_model_from_node().get(camera.first_person_bone as usize).copied())
        .unwrap_or(Mat4::from_translation(Vec3::Y * 1.7));
    let world_from_model = Mat4::from_scale_rotation_translation(
        Vec3::splat(scale),
        Quat::from_rotation_y(target.yaw_rad),
        target.position,
    );
    let settings = FirstPerson {
        offset: camera.first_person_offset,
        locked: false,
        azimuth_rad: camera.azimuth_deg.to_radians(),
        elevation_rad: camera.elevation_deg.to_radians(),
    };
    let (eye, own) = settings.eye(&(world_from_model * model_from_bone));
    let ahead = crate::math::angle::direction_of_yaw(target.yaw_rad);
    (eye, if camera.first_person_lock { ahead } else { own })
}

fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn blend(from: &Pose, to: &Pose, t: f32) -> Pose {
    let a = from.direction.try_normalize().unwrap_or(Vec3::NEG_Z);
    let b = to.direction.try_normalize().unwrap_or(Vec3::NEG_Z);
    let turn = Quat::IDENTITY.slerp(Quat::from_rotation_arc(a, b), t);
    Pose { eye: from.eye.lerp(to.eye, t), direction: turn * a, lens: to.lens }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn scene_with(kinds: &[CameraKind]) -> Scene {
        let mut scene = Scene::default();
        for (i, &kind) in kinds.iter().enumerate() {
            let camera = SceneCamera { name: format!("cam{i}"), kind, ..SceneCamera::default() };
            scene.cameras.insert(Arc::new(camera));
        }
        scene
    }

    #[test]
    fn cameras_without_target_fly_and_stationary_ones_stand() {
        let scene = scene_with(&[CameraKind::ThirdPerson, CameraKind::Stationary]);
        let (world, assets) = (World::default(), AssetStore::default());
        let input = Input { fly: Vec3::Z, ..Input::default() };
        let mut rig = Rig::start(&scene, None);
        let before = rig.view(&scene, &world, &assets, 1.0, 1.0).position;
        assert!(rig.update(&input, 0.1, &scene, &world));
        assert!(rig.view(&scene, &world, &assets, 1.0, 1.0).position.distance(before) > 0.01);

        let mut rig = Rig::start(&scene, scene.cameras.at(1));
        let before = rig.view(&scene, &world, &assets, 1.0, 1.0).position;
        rig.update(&Input::default(), 0.1, &scene, &world);
        assert_eq!(rig.view(&scene, &world, &assets, 1.0, 1.0).position, before);
        rig.update(&input, 0.1, &scene, &world);
        assert_eq!(rig.active(), None, "steering a standing camera goes over to free flight");
    }

    #[test]
    fn neighbors_end_at_the_ends_and_flights_arrive() {
        let scene = scene_with(&[CameraKind::Free, CameraKind::Stationary]);
        let (world, assets) = (World::default(), AssetStore::default());
        let mut rig = Rig::start(&scene, None);
        assert_eq!(rig.neighbor(&scene, -1), None);
        assert_eq!(rig.neighbor(&scene, 1), scene.cameras.at(1));
        rig.view(&scene, &world, &assets, 1.0, 1.0);
        rig.use_camera(&scene, scene.cameras.at(1).unwrap());
        for _ in 0..60 {
            rig.update(&Input::default(), 1.0 / 60.0, &scene, &world);
        }
        assert!(!rig.update(&Input::default(), 1.0 / 60.0, &scene, &world), "an arrived flight asks for no frames");
        assert_eq!(rig.neighbor(&scene, 1), None);
    }

    #[test]
    fn a_blend_between_opposite_directions_is_finite() {
        let pose = |direction| Pose { eye: Vec3::ZERO, direction, lens: Lens::Perspective { fov_rad: 1.0 } };
        for t in [0.0, 0.25, 0.5, 1.0] {
            let mid = blend(&pose(Vec3::Z), &pose(Vec3::NEG_Z), t);
            assert!(mid.direction.is_finite() && (mid.direction.length() - 1.0).abs() < 1e-3);
        }
    }
}
