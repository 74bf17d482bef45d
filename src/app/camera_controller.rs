//! The camera rig: which camera of the scene is looked through, free flight, and the flight from one to the other.

use super::camera_view::{self, CameraPose};
use super::pick;
use crate::asset::AssetStore;
use crate::camera::framing::{self, Bearing};
use crate::camera::{FreeCamera, Lens, MouseLook, Orbit, SpringArm, View, azimuth_elevation, direction};
use crate::ids::{CameraId, InstanceId};
use crate::input::Input;
use crate::math::angle::wrap_rad;
use crate::math::smoothstep;
use crate::render::cube::PLACEHOLDER_BOUNDS;
use crate::scene::{Scene, SceneCamera};
use crate::sim::{InstanceState, World};
use crate::vocab::{CameraKind, Projection};
use glam::{Quat, Vec3};

/// Time of the flight to another camera, seconds.
const FLIGHT_SECS: f32 = 0.45;
/// Distance from the middle of the picture, as a share of that from the eye, up to which something lies there: what is framed
/// in perspective has its own middle a little aside.
const CENTERED: f32 = 0.2;

/// Least radius of a sphere that is framed, metres, and least width over height of a picture that it is framed for.
const MIN_FRAMED: f32 = 0.5;
const MIN_ASPECT: f32 = 0.1;

/// The cameras of a running scene.
#[derive(Clone, Debug, Default)]
pub struct CameraController {
    /// The free camera.
    pub free: FreeCamera,
    active: Option<CameraId>,
    flight: Option<(CameraPose, f32)>,
    last: Option<CameraPose>,
    watch: Option<Watch>,
    /// Where the arm of the active camera hangs.
    arm: SpringArm,
    /// The mouse look of a captured cursor.
    look: Option<MouseLook>,
    /// What was brought to the middle of the picture last.
    pivot: Option<Vec3>,
    /// The instance that was to be watched last; flying away from it does not start the watch anew.
    wanted: Option<InstanceId>,
    /// Width over height of the last picture; 0 before the first.
    aspect: f32,
}

/// An instance that is watched.
#[derive(Clone, Copy, Debug)]
struct Watch {
    id: InstanceId,
    orbit: Orbit,
}

impl CameraController {
    /// Starts with the camera that `selected` names, else the scene's first.
    pub fn start(scene: &Scene, selected: Option<CameraId>) -> Self {
        let mut controller = Self::default();
        if let Some(first) = scene.cameras.values().next() {
            controller.free = free_from(first);
        }
        controller.active = selected.filter(|id| scene.cameras.contains(*id)).or(scene.cameras.at(0));
        if let Some(camera) = controller.active.and_then(|id| scene.cameras.get(id)) {
            controller.free = free_from(camera);
        }
        controller
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
        self.watch = None;
        self.free = free_from(camera);
    }

    /// Takes over what was changed of the camera that is looked through: where it is, how it looks, its angle.
    pub fn take_over(&mut self, before: &SceneCamera, now: &SceneCamera) {
        let placed = |camera: &SceneCamera| (camera.position, camera.azimuth_deg, camera.elevation_deg);
        if placed(before) != placed(now) {
            self.free = FreeCamera { fov_rad: self.free.fov_rad, half_height: self.free.half_height, ..free_from(now) };
            self.flight = None;
        }
        if before.fov_deg != now.fov_deg {
            self.free.fov_rad = now.fov_deg.to_radians();
        }
    }

    /// What was brought to the middle of the picture, while it is still there: what the camera goes round.
    pub fn pivot(&self) -> Option<Vec3> {
        let to_pivot = self.pivot? - self.free.position;
        let is_free =
            self.flight.is_some() || self.last.is_some_and(|pose| pose.eye.distance(self.free.position) < 0.01);
        let ahead = direction(self.free.azimuth_rad, self.free.elevation_rad);
        let distance = to_pivot.dot(ahead);
        // The eye of an orthographic view may stand anywhere along its direction.
        let is_seen = distance > 0.0 || self.is_orthographic();
        let aside = (to_pivot - ahead * distance).length();
        (is_free && self.watch.is_none() && is_seen && aside < CENTERED * distance.abs().max(1.0))
            .then_some(self.pivot?)
    }

    /// Where the last picture was taken from.
    pub fn seen(&self) -> Option<CameraPose> {
        self.last
    }

    /// Whether the picture is that of the active camera, and not of a watched instance.
    pub fn is_looked_through(&self) -> bool {
        self.watch.is_none()
    }

    /// The camera `by` places on in the scene's order, without going round; the first while flying without one.
    pub fn neighbor(&self, scene: &Scene, by: isize) -> Option<CameraId> {
        let Some(at) = self.active.and_then(|id| scene.cameras.position(id)) else { return scene.cameras.at(0) };
        scene.cameras.at(at.checked_add_signed(by)?)
    }

    /// The radius of the sphere that fills the height of the picture where a sphere of this radius, metres, fills its shorter side.
    fn framed_radius(&self, radius: f32) -> f32 {
        let is_narrow = self.aspect > 0.0 && self.aspect < 1.0;
        if is_narrow { radius.max(MIN_FRAMED) / self.aspect.max(MIN_ASPECT) } else { radius }
    }

    /// How far away a sphere fills the shorter side of the picture, metres.
    pub fn framing_distance(&self, radius: f32) -> f32 {
        self.free.framing_distance(self.framed_radius(radius))
    }

    /// Brings the free camera to a sphere.
    pub fn focus(&mut self, scene: &Scene, center: Vec3, radius: f32) {
        self.fly_off(scene, center);
        self.free.frame(center, self.framed_radius(radius));
    }

    /// The same, looking along a direction.
    pub fn focus_along(&mut self, scene: &Scene, center: Vec3, radius: f32, along: Bearing) {
        self.fly_off(scene, center);
        (self.free.azimuth_rad, self.free.elevation_rad) = (along.azimuth_rad, along.elevation_rad);
        self.free.frame(center, self.framed_radius(radius));
    }

    /// Brings the free camera to where all points fill the picture, seen along a direction; `false` without points.
    pub fn show_points(
        &mut self,
        scene: &Scene,
        points: impl IntoIterator<Item = Vec3>,
        along: Bearing,
        aspect: f32,
    ) -> bool {
        let fov_rad = self.free.fov_rad;
        let Some(fit) = framing::fit(points, along, fov_rad, aspect) else { return false };
        self.fly_off(scene, fit.middle);
        let half_height = self.free.half_height.map(|_| fit.half_height);
        let Bearing { azimuth_rad, elevation_rad } = along;
        self.free =
            FreeCamera { position: fit.eye, azimuth_rad, elevation_rad, fov_rad, velocity: Vec3::ZERO, half_height };
        true
    }

    /// Looks along a direction, with `around` in the middle of the picture.
    pub fn look_along(&mut self, scene: &Scene, around: Vec3, along: Bearing) {
        self.fly_off(scene, around);
        self.free.look_along(around, along.azimuth_rad, along.elevation_rad);
    }

    /// Changes between a perspective and an orthographic view; what lies as far away as `around` keeps its size.
    pub fn switch_lens(&mut self, scene: &Scene, around: Vec3) {
        self.leave(scene);
        self.free.switch_lens(around);
        let is_orthographic = |camera: &SceneCamera| camera.projection == Projection::Orthogonal;
        if self.free.half_height.is_none()
            && self.active.and_then(|id| scene.cameras.get(id)).is_some_and(|c| is_orthographic(c))
        {
            // That one would not show perspective.
            self.active = None;
        }
    }

    /// Whether the free camera is orthographic by [`switch_lens`](Self::switch_lens): the wheel is for it.
    pub fn is_orthographic(&self) -> bool {
        self.free.half_height.is_some()
    }

    /// Where the free camera looks.
    pub fn bearing(&self) -> Bearing {
        let (azimuth_rad, elevation_rad) = self.last.map_or((0.0, 0.0), |pose| azimuth_elevation(pose.direction));
        Bearing { azimuth_rad, elevation_rad }
    }

    /// Shifts the view with the mouse, `around` staying under the cursor; goes over to free flight as
    /// [`orbit`](Self::orbit).
    pub fn pan(&mut self, (scene, world): (&Scene, &World), around: Vec3, travel_px: glam::Vec2, height_px: f32) {
        if self.watch.is_some() || self.flight.is_some() || !self.is_free(scene, world) {
            self.leave(scene);
        }
        self.free.pan(around, travel_px, height_px);
    }

    /// Goes round a point and nearer to it; a camera that does not fly by itself goes over to free flight.
    pub fn orbit(&mut self, scene: &Scene, world: &World, around: Vec3, travel_px: glam::Vec2, notches: f32) {
        if self.watch.is_some() || self.flight.is_some() || !self.is_free(scene, world) {
            self.leave(scene);
        }
        self.free.orbit(around, travel_px, notches);
    }

    /// Begins the flight to where the free camera is put next, with `pivot` in the middle of the picture there.
    fn fly_off(&mut self, scene: &Scene, pivot: Vec3) {
        self.leave(scene);
        self.flight = self.last.map(|from| (from, 0.0));
        self.pivot = Some(pivot);
    }

    /// Free flight from where the picture is taken now.
    fn leave(&mut self, scene: &Scene) {
        if let Some(pose) = self.last {
            let (azimuth_rad, elevation_rad) = azimuth_elevation(pose.direction);
            let half_height = match pose.lens {
                Lens::Orthogonal { half_height } => Some(half_height),
                Lens::Perspective { .. } => None,
            };
            self.free = FreeCamera { position: pose.eye, azimuth_rad, elevation_rad, half_height, ..self.free };
        }
        self.flight = None;
        self.watch = None;
        self.active = scene.cameras.iter().find(|(_, c)| c.kind == CameraKind::Free).map(|(id, _)| id);
    }

    /// Watches an instance from behind until another is named, or flies back when none is. Does nothing while the one
    /// named stays the same, and where the camera looked through follows an instance already.
    pub fn watch(&mut self, wanted: Option<InstanceId>, scene: &Scene, world: &World, assets: &AssetStore) {
        if self.wanted == wanted {
            return;
        }
        self.wanted = wanted;
        let live = wanted.and_then(|id| Some((id, world.live(id)?))).filter(|_| !self.follows(scene, world));
        let before = self.watch.take();
        if let Some((id, live)) = live {
            let distance = 2.5 * height_of(id, scene, assets, live);
            self.watch = Some(Watch { id, orbit: Orbit::behind(live.now.yaw_rad, distance) });
        }
        if before.is_some() || self.watch.is_some() {
            self.flight = self.last.map(|from| (from, 0.0));
        }
    }

    /// Takes the mouse look of a captured cursor, `None` while the cursor is free.
    pub fn set_mouse_look(&mut self, look: Option<MouseLook>) {
        self.look = look;
    }

    /// Steers. Steering a camera that does not fly by itself goes over to free flight. Returns whether anything moved.
    pub fn update(&mut self, input: &Input, dt_secs: f32, scene: &Scene, world: &World) -> bool {
        let camera = self.active.and_then(|id| scene.cameras.get(id));
        let swings = camera_view::follow_with(&mut self.arm, camera.map(|camera| &**camera), world, dt_secs);
        self.steer(input, dt_secs, scene, world) || swings
    }

    fn steer(&mut self, input: &Input, dt_secs: f32, scene: &Scene, world: &World) -> bool {
        if let Some(watch) = &mut self.watch {
            match world.live(watch.id) {
                Some(live) if input.fly == Vec3::ZERO => {
                    let before = watch.orbit;
                    watch.orbit.update(input, live.now.yaw_rad, dt_secs);
                    if let Some(look) = self.look {
                        watch.orbit.face(look.yaw_rad);
                    }
                    let moved = watch.orbit != before;
                    return self.fly_on(dt_secs) || moved;
                }
                _ => self.leave(scene),
            }
        }
        if self.look.is_some() {
            return self.fly_on(dt_secs);
        }
        let steered = input.fly != Vec3::ZERO || input.look_px != glam::Vec2::ZERO;
        if steered && !self.is_free(scene, world) {
            self.leave(scene);
        }
        if steered {
            self.flight = None;
        }
        if input.fly != Vec3::ZERO {
            // It may be flown past.
            self.pivot = None;
        }
        self.fly_on(dt_secs) || self.free.update(input, dt_secs)
    }

    /// Goes on with the flight to another camera. Returns whether there is one.
    fn fly_on(&mut self, dt_secs: f32) -> bool {
        let Some((_, t)) = &mut self.flight else { return false };
        *t += dt_secs / FLIGHT_SECS;
        if !(*t < 1.0) {
            self.flight = None;
        }
        true
    }

    /// Whether the active camera is steered by hand.
    fn is_free(&self, scene: &Scene, world: &World) -> bool {
        let camera = self.active.and_then(|id| scene.cameras.get(id));
        camera.is_none_or(|camera| camera.kind != CameraKind::Stationary && !self.follows(scene, world))
    }

    /// Whether the active camera follows an instance.
    fn follows(&self, scene: &Scene, world: &World) -> bool {
        self.active.and_then(|id| scene.cameras.get(id)).is_some_and(|camera| camera_view::follows(camera, world))
    }

    /// The view of this frame. `alpha` lies between the last two simulation steps.
    pub fn view(&mut self, scene: &Scene, world: &World, assets: &AssetStore, alpha: f32, aspect: f32) -> View {
        self.aspect = aspect;
        let goal = self.pose(scene, world, assets, alpha);
        let pose = match self.flight {
            Some((from, t)) => blend(&from, &goal, smoothstep(t)),
            None => goal,
        };
        self.last = Some(pose);
        pose.view(aspect)
    }

    fn pose(&self, scene: &Scene, world: &World, assets: &AssetStore, alpha: f32) -> CameraPose {
        let free = CameraPose {
            eye: self.free.position,
            direction: direction(self.free.azimuth_rad, self.free.elevation_rad),
            lens: self.free.lens(),
            roll_rad: 0.0,
        };
        if let Some((watch, live)) = self.watch.and_then(|watch| Some((watch, world.live(watch.id)?))) {
            let looked_at = camera_view::target_of(live, alpha).position
                + Vec3::Y * 0.75 * height_of(watch.id, scene, assets, live);
            let direction = watch.orbit.direction();
            let distance = camera_view::clear_distance(world, looked_at, -direction, watch.orbit.distance());
            let lens = Lens::Perspective { fov_rad: self.free.fov_rad };
            return CameraPose { eye: looked_at - direction * distance, direction, lens, ..free };
        }
        let Some(camera) = self.active.and_then(|id| scene.cameras.get(id)) else { return free };
        let mut seen = camera_view::steady(camera, &pick::PickScene { scene, world, assets, alpha }, &self.arm);
        let target = camera.target.and_then(|id| world.live(id)).filter(|_| camera.kind == CameraKind::FirstPerson);
        if let (Some(look), Some(live)) = (self.look, target) {
            let yaw_rad = camera_view::target_of(live, alpha).yaw_rad;
            seen.direction = look.first_person(camera.first_person_lock, seen.direction, yaw_rad);
        }
        // The wheel zooms every camera; only those that follow no instance fly.
        let is_switched = self.free.half_height.is_some();
        let lens = if is_switched || matches!(seen.lens, Lens::Perspective { .. }) { free.lens } else { seen.lens };
        let steady = if self.is_free(scene, world) { CameraPose { lens, ..free } } else { CameraPose { lens, ..seen } };
        camera_view::shaken(camera, steady, camera_view::secs(world, alpha))
    }

    /// Writes the free camera's place into the scene's free camera, so that it is saved. One that stands as the scene has it
    /// keeps every bit of its numbers.
    pub fn store(&self, id: CameraId, camera: &SceneCamera) -> SceneCamera {
        let placed = |free: &FreeCamera| (free.position, free.azimuth_rad, free.elevation_rad, free.fov_rad);
        let is_flown = self.active == Some(id) && placed(&self.free) != placed(&free_from(camera));
        if !is_flown || camera.kind != CameraKind::Free {
            return camera.clone();
        }
        let before = free_from(camera);
        // What was not changed is not rounded.
        let kept = |now: f32, before: f32, deg: f32, to_deg: f32| if now == before { deg } else { to_deg };
        let FreeCamera { position, azimuth_rad, elevation_rad, fov_rad, .. } = self.free;
        let azimuth_deg = azimuth_rad.to_degrees().rem_euclid(360.0);
        SceneCamera {
            position,
            azimuth_deg: kept(azimuth_rad, before.azimuth_rad, camera.azimuth_deg, azimuth_deg),
            elevation_deg: kept(elevation_rad, before.elevation_rad, camera.elevation_deg, elevation_rad.to_degrees()),
            fov_deg: kept(fov_rad, before.fov_rad, camera.fov_deg, fov_rad.to_degrees()),
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
        half_height: None,
    }
}

/// Height of an instance as it stands, metres.
fn height_of(id: InstanceId, scene: &Scene, assets: &AssetStore, live: &InstanceState) -> f32 {
    scene.instances.get(id).map_or(PLACEHOLDER_BOUNDS.size().y, |instance| {
        let (world_from_model, bounds) = pick::placed(scene, assets, instance, live, 1.0);
        bounds.transformed(&world_from_model).size().y
    })
}

fn blend(from: &CameraPose, to: &CameraPose, t: f32) -> CameraPose {
    let a = from.direction.try_normalize().unwrap_or(Vec3::NEG_Z);
    let b = to.direction.try_normalize().unwrap_or(Vec3::NEG_Z);
    let turn = Quat::IDENTITY.slerp(Quat::from_rotation_arc(a, b), t);
    let roll_rad = from.roll_rad + wrap_rad(to.roll_rad - from.roll_rad) * t;
    CameraPose { eye: from.eye.lerp(to.eye, t), direction: turn * a, lens: to.lens, roll_rad }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneInstance;
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
        let mut controller = CameraController::start(&scene, None);
        let before = controller.view(&scene, &world, &assets, 1.0, 1.0).position;
        assert!(controller.update(&input, 0.1, &scene, &world));
        assert!(controller.view(&scene, &world, &assets, 1.0, 1.0).position.distance(before) > 0.01);

        let mut controller = CameraController::start(&scene, scene.cameras.at(1));
        let before = controller.view(&scene, &world, &assets, 1.0, 1.0).position;
        controller.update(&Input::default(), 0.1, &scene, &world);
        assert_eq!(controller.view(&scene, &world, &assets, 1.0, 1.0).position, before);
        controller.update(&input, 0.1, &scene, &world);
        assert_eq!(controller.active(), None, "steering a standing camera goes over to free flight");
    }

    #[test]
    fn neighbors_end_at_the_ends_and_flights_arrive() {
        let scene = scene_with(&[CameraKind::Free, CameraKind::Stationary]);
        let (world, assets) = (World::default(), AssetStore::default());
        let mut controller = CameraController::start(&scene, None);
        assert_eq!(controller.neighbor(&scene, -1), None);
        assert_eq!(controller.neighbor(&scene, 1), scene.cameras.at(1));
        controller.view(&scene, &world, &assets, 1.0, 1.0);
        controller.use_camera(&scene, scene.cameras.at(1).unwrap());
        for _ in 0..60 {
            controller.update(&Input::default(), 1.0 / 60.0, &scene, &world);
        }
        assert!(
            !controller.update(&Input::default(), 1.0 / 60.0, &scene, &world),
            "an arrived flight asks for no frames"
        );
        assert_eq!(controller.neighbor(&scene, 1), None);
        controller.active = None;
        assert_eq!(controller.neighbor(&scene, 1), scene.cameras.at(0), "from free flight");
    }

    #[test]
    fn only_the_camera_that_has_flown_is_stored() {
        let mut scene = scene_with(&[CameraKind::Free, CameraKind::Free]);
        let ids: Vec<CameraId> = scene.cameras.ids().collect();
        for id in &ids {
            let camera = Arc::make_mut(scene.cameras.get_mut(*id).unwrap());
            (camera.name, camera.azimuth_deg, camera.fov_deg) = ("both".into(), 33.3, 47.1);
        }
        let mut controller = CameraController::start(&scene, Some(ids[0]));
        let kept = scene.cameras.get(ids[0]).unwrap();
        assert_eq!(controller.store(ids[0], kept), **kept, "it has not flown");
        controller.free.position = Vec3::X;
        assert_eq!(controller.store(ids[0], kept).position, Vec3::X);
        assert_eq!(controller.store(ids[1], kept), **kept, "another of the same name");
    }

    #[test]
    fn a_sphere_is_seen_whole_in_narrow_pictures() {
        let (scene, world, assets) = (scene_with(&[CameraKind::Free]), World::default(), AssetStore::default());
        let (center, radius) = (Vec3::new(3.0, 2.0, 1.0), 4.0);
        for aspect in [0.3, 0.7, 1.0, 2.5] {
            let mut controller = CameraController::start(&scene, None);
            controller.view(&scene, &world, &assets, 1.0, aspect);
            controller.focus(&scene, center, radius);
            controller.flight = None;
            let view = controller.view(&scene, &world, &assets, 1.0, aspect);
            let size = glam::Vec2::new(1000.0 * aspect, 1000.0);
            for offset in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
                let seen = view.project(center + offset * radius, size).unwrap();
                assert!(seen.cmpge(glam::Vec2::ZERO).all() && seen.cmple(size).all(), "{aspect}: {offset} at {seen}");
            }
        }
    }

    #[test]
    fn watching_goes_along_and_back_again() {
        let mut scene = scene_with(&[CameraKind::Free, CameraKind::Stationary]);
        let at = |x| Arc::new(SceneInstance { position: Vec3::new(x, 0.0, 0.0), ..SceneInstance::default() });
        let ids = [10.0, -10.0].map(|x| scene.instances.insert(at(x)));
        let (mut world, assets) = (World::default(), AssetStore::default());
        world.reconcile(&scene, &assets);
        let mut controller = CameraController::start(&scene, scene.cameras.at(1));
        let start = controller.view(&scene, &world, &assets, 1.0, 1.0);
        let after = |controller: &mut CameraController, input: &Input| {
            for _ in 0..60 {
                controller.update(input, 1.0 / 60.0, &scene, &world);
            }
            controller.view(&scene, &world, &assets, 1.0, 1.0)
        };
        for (id, x) in [(ids[0], 10.0), (ids[1], -10.0)] {
            controller.watch(Some(id), &scene, &world, &assets);
            let view = after(&mut controller, &Input::default());
            assert!((view.position.x - x).abs() < 0.5 && view.position.z < -1.0, "{:?}", view.position);
            let size = glam::Vec2::splat(100.0);
            let seen = view.project(Vec3::new(x, 1.0, 0.0), size).unwrap();
            assert!(seen.distance(size * 0.5) < 25.0, "{seen}");
        }
        controller.watch(None, &scene, &world, &assets);
        assert_eq!(after(&mut controller, &Input::default()), start, "the camera before the watch comes back");

        controller.watch(Some(ids[0]), &scene, &world, &assets);
        after(&mut controller, &Input { fly: Vec3::Y, ..Input::default() });
        assert!(controller.watch.is_none(), "flying ends the watch");
        controller.watch(Some(ids[0]), &scene, &world, &assets);
        assert!(controller.watch.is_none(), "and it does not begin again by itself");
    }

    #[test]
    fn a_blend_between_opposite_directions_is_finite() {
        let lens = Lens::Perspective { fov_rad: 1.0 };
        let pose = |direction| CameraPose { eye: Vec3::ZERO, direction, lens, roll_rad: 0.0 };
        for t in [0.0, 0.25, 0.5, 1.0] {
            let mid = blend(&pose(Vec3::Z), &pose(Vec3::NEG_Z), t);
            assert!(mid.direction.is_finite() && (mid.direction.length() - 1.0).abs() < 1e-3);
        }
    }
}
