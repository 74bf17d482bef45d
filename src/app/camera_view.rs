//! What a camera of the scene sees: from its settings and the instance that it follows, to an eye, a direction and a lens.
//!
//! The window and the headless pictures both ask here, so that they agree.

use super::pick::{PickScene, placed};
use crate::anim::sample::PoseOverride;
use crate::asset::{AssetStore, Model};
use crate::camera::shake::Jolt;
use crate::camera::{FirstPerson, Lens, SpringArm, Target, ThirdPerson, View, follow};
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::render::extract::{between, place};
use crate::scene::{Scene, SceneCamera};
use crate::sim::pose::model_from_node;
use crate::sim::{InstanceState, STEP_SECS, World};
use crate::vocab::{CameraKind, Projection};
use glam::{Mat4, Quat, Vec3};

/// Height of the eyes above the feet where there is no bone to look through, metres at scale 1.
const EYE_HEIGHT: f32 = 1.7;

/// Height of the eyes as a share of that of the crown.
const EYE_SHARE: f32 = 0.93;
/// How far off the middle of the picture the crown of a character may be that is looked at, as a share of what is seen.
const SIGHT_SHARE: f32 = 0.8;

/// Where a camera stands and looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraPose {
    /// Eye in world space.
    pub eye: Vec3,
    /// View direction in world space, of any length.
    pub direction: Vec3,
    /// Lens.
    pub lens: Lens,
    /// Turn about the direction of view, radians.
    pub roll_rad: f32,
}

impl CameraPose {
    /// The view of this sight, for a picture of the given width over height.
    pub fn view(&self, aspect: f32) -> View {
        View::new(self.eye, self.direction, self.lens, aspect).rolled(self.roll_rad)
    }
}

/// Whether a camera follows an instance that is in the world.
pub fn follows(camera: &SceneCamera, world: &World) -> bool {
    !matches!(camera.kind, CameraKind::Free | CameraKind::Stationary)
        && camera.target.is_some_and(|target| world.live(target).is_some())
}

/// Whether a camera is elsewhere in every frame by itself: it follows an instance, travels, or shakes, as cameras of all kinds do.
pub fn moves(camera: &SceneCamera, world: &World) -> bool {
    let travels = camera.kind == CameraKind::Stationary && camera.motion.travels();
    follows(camera, world) || camera.motion.shakes() || travels
}

/// What `camera` sees, its arm at rest. `alpha` lies between the last two simulation steps.
pub fn of(camera: &SceneCamera, scene: &Scene, world: &World, assets: &AssetStore, alpha: f32) -> CameraPose {
    through_arm(camera, &PickScene { scene, world, assets, alpha }, &SpringArm::default())
}

/// Simulated time between the last two steps, seconds.
pub fn secs(world: &World, alpha: f32) -> f64 {
    (world.secs() - f64::from((1.0 - alpha) * STEP_SECS)).max(0.0)
}

/// A pose with the roll of `camera` and its shake at a moment.
pub fn shaken(camera: &SceneCamera, pose: CameraPose, secs: f64) -> CameraPose {
    let jolt = camera.motion.shake().at(secs);
    let roll_rad = camera.motion.roll_deg.to_radians() + jolt.turn_rad.z;
    let Some(ahead) = pose.direction.try_normalize().filter(|_| jolt != Jolt::default()) else {
        return CameraPose { roll_rad, ..pose };
    };
    let right = ahead.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
    let up = right.cross(ahead);
    let turn = Quat::from_axis_angle(up, -jolt.turn_rad.x) * Quat::from_axis_angle(right, jolt.turn_rad.y);
    let eye = pose.eye + right * jolt.shift.x + up * jolt.shift.y - ahead * jolt.shift.z;
    CameraPose { eye, direction: turn * pose.direction, roll_rad, ..pose }
}

/// What `camera` sees through `arm`.
pub fn through_arm(camera: &SceneCamera, stage: &PickScene<'_>, arm: &SpringArm) -> CameraPose {
    shaken(camera, steady(camera, stage, arm), secs(stage.world, stage.alpha))
}

/// Lets the arm of `camera` follow its target for a while. Returns whether it still moves.
pub fn follow_with(arm: &mut SpringArm, camera: Option<&SceneCamera>, world: &World, dt_secs: f32) -> bool {
    let lags = camera.filter(|camera| camera.kind == CameraKind::ThirdPerson);
    let target = lags.and_then(|camera| world.live(camera.target?)).map(|live| target_of(live, 1.0));
    arm.follow(target.as_ref(), lags.map_or(0.0, |camera| camera.motion.arm_lag_secs), dt_secs)
}

/// What `camera` sees without roll and shake, through `arm` where it lags behind its target. A camera that follows no
/// instance looks as its settings say; those in first and third person are always in perspective.
pub fn steady(camera: &SceneCamera, stage: &PickScene<'_>, arm: &SpringArm) -> CameraPose {
    let &PickScene { scene, world, assets, alpha } = stage;
    let target = camera.target.and_then(|id| Some((id, world.live(id)?)));
    let lens = match camera.shown_projection(target.is_some()) {
        Projection::Perspective => Lens::Perspective { fov_rad: camera.fov_deg.to_radians() },
        Projection::Orthogonal => Lens::Orthogonal { half_height: camera.ortho_scale },
    };
    match (camera.kind, target) {
        (CameraKind::FirstPerson, Some((id, live))) => {
            let mut overrides = Vec::new();
            world.overrides(id, alpha, &mut overrides);
            let settings = FirstPerson {
                offset: camera.first_person_offset,
                locked: camera.first_person_lock,
                azimuth_rad: camera.azimuth_deg.to_radians(),
                elevation_rad: camera.elevation_deg.to_radians(),
            };
            let (eye, direction) = settings.eye(&world_from_head(camera, scene, assets, id, (live, &overrides), alpha));
            CameraPose { eye, direction, lens, roll_rad: 0.0 }
        }
        (CameraKind::ThirdPerson, Some((id, live))) => {
            let third = ThirdPerson { distance: camera.third_person_distance, height: camera.third_person_height };
            let target = arm.target().unwrap_or_else(|| target_of(live, alpha));
            let crown = target.position + Vec3::Y * height_above_feet(stage, id, live);
            let head = target.position.lerp(crown, EYE_SHARE);
            let (eye, direction) = before_walls(world, third.eye(&target), head);
            let direction = with_in_sight(direction, crown - eye, SIGHT_SHARE * 0.5 * camera.fov_deg.to_radians());
            CameraPose { eye, direction, lens, roll_rad: 0.0 }
        }
        (CameraKind::StationaryFollowing, Some((_, live))) => {
            let eye = on_rail(camera, world, alpha).map_or(camera.position, |(at, _)| at);
            let direction = follow::look_at(eye, &target_of(live, alpha), camera.follow_height);
            CameraPose { eye, direction, lens, roll_rad: 0.0 }
        }
        (CameraKind::Stationary, _) => {
            let (eye, ahead) = on_rail(camera, world, alpha).unwrap_or((camera.position, camera.direction()));
            let direction = if camera.motion.rail_looks_ahead { ahead } else { camera.direction() };
            CameraPose { eye, direction, lens, roll_rad: 0.0 }
        }
        _ => CameraPose { eye: camera.position, direction: camera.direction(), lens, roll_rad: 0.0 },
    }
}

/// How far the crown of an instance lies above its feet, metres.
fn height_above_feet(stage: &PickScene<'_>, id: InstanceId, live: &InstanceState) -> f32 {
    let &PickScene { scene, assets, alpha, .. } = stage;
    let known = scene.instances.get(id).filter(|instance| {
        instance.model_id().and_then(|id| scene.models.get(id)).is_some_and(|model| assets.by_file(model).is_some())
    });
    let height = known.map(|instance| {
        let (world_from_model, bounds) = placed(scene, assets, instance, live, alpha);
        bounds.transformed(&world_from_model).max.y - target_of(live, alpha).position.y
    });
    let scale = scene.instances.get(id).map_or(1.0, |instance| instance.scale);
    height.filter(|height| height.is_finite() && *height > 0.0).unwrap_or(EYE_HEIGHT / EYE_SHARE * scale)
}

/// A direction of view, turned towards another so far that this lies at most an angle off it.
fn with_in_sight(view: Vec3, other: Vec3, most_rad: f32) -> Vec3 {
    let off = view.angle_between(other) - most_rad;
    match view.cross(other).try_normalize() {
        Some(axis) if off > 0.0 => Quat::from_axis_angle(axis, off) * view,
        _ => view,
    }
}

/// Where the rail of `camera` has brought it, and the direction along it.
fn on_rail(camera: &SceneCamera, world: &World, alpha: f32) -> Option<(Vec3, Vec3)> {
    camera.motion.on_rail(secs(world, alpha))
}

/// Distance that an eye keeps from walls, metres.
const WALL_GAP: f32 = 0.25;

/// How far an eye can go from `from` towards `direction` (unit), at most `wanted`, without the level between.
pub fn clear_distance(world: &World, from: Vec3, direction: Vec3, wanted: f32) -> f32 {
    let wall =
        world.triangle_tree().and_then(|octree| octree.raycast(&Ray { origin: from, direction }, wanted + WALL_GAP));
    wall.map_or(wanted, |(_, at)| (at - WALL_GAP).max(WALL_GAP))
}

/// Eye and view of a third-person camera, drawn in towards the character's head so far that no wall lies between. The
/// nearer it comes, the more it looks at the head in place of what it looked at, which would leave the head out of sight.
fn before_walls(world: &World, (eye, view): (Vec3, Vec3), head: Vec3) -> (Vec3, Vec3) {
    let wanted = head.distance(eye);
    let Some(back) = (eye - head).try_normalize() else { return (eye, view) };
    let clear = clear_distance(world, head, back, wanted);
    if clear >= wanted {
        return (eye, view);
    }
    let drawn_in = head + back * clear;
    (drawn_in, head.lerp(eye + view, clear / wanted) - drawn_in)
}

/// An instance as drawn between the last two steps.
pub fn target_of(live: &InstanceState, alpha: f32) -> Target {
    let (position, yaw_rad) = between(&live.before, &live.now, alpha);
    Target { position, yaw_rad }
}

/// World space from the space of a first-person camera's head: at the bone as it is posed now, +Z ahead and +Y up
/// while the bone is in its rest pose, turning with it from there. So it matters not how the model's bones are turned.
fn world_from_head(
    camera: &SceneCamera,
    scene: &Scene,
    assets: &AssetStore,
    id: InstanceId,
    (live, overrides): (&InstanceState, &[PoseOverride]),
    alpha: f32,
) -> Mat4 {
    let target = target_of(live, alpha);
    let heading = Quat::from_rotation_y(target.yaw_rad);
    let instance = scene.instances.get(id);
    let scale = instance.map_or(1.0, |instance| instance.scale);
    let found = instance.and_then(|instance| {
        let entry = scene.models.get(instance.model_id()?)?;
        let (_, model) = assets.by_file(entry)?;
        let bone = entry.bone_numbers.node(model, camera.first_person_bone)?;
        let world_from_model = place(instance, Some(live), alpha);
        let [rest, posed] = bone_places(model, bone as usize, live, overrides, alpha)?;
        let (_, rest, _) = (world_from_model * rest).to_scale_rotation_translation();
        let (_, turn, position) = (world_from_model * posed).to_scale_rotation_translation();
        Some((turn * rest.inverse() * heading, position))
    });
    let (rotation, position) = found
        .filter(|(rotation, position)| rotation.is_finite() && position.is_finite())
        .unwrap_or((heading, target.position + Vec3::Y * EYE_HEIGHT * scale));
    Mat4::from_scale_rotation_translation(Vec3::splat(scale), rotation, position)
}

/// Model space from a bone's space, in its rest pose and as posed now; `None` when the model has no such bone.
fn bone_places(
    model: &Model,
    bone: usize,
    live: &InstanceState,
    overrides: &[PoseOverride],
    alpha: f32,
) -> Option<[Mat4; 2]> {
    let skeleton = &model.skeleton;
    let rest = *skeleton.rest_model_from_node().get(bone)?;
    let posed = model_from_node(model, live, overrides, alpha);
    Some([rest, *posed.get(bone)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::{ClipAt, Playback};
    use crate::asset::{Channel, Clip, Mesh, Skeleton, Track, Vertex};
    use crate::ids::{ClipId, NodeId};
    use crate::math::Trs;
    use crate::scene::instance::ModelRef;
    use crate::scene::{SceneInstance, SceneLevel, SceneModel};
    use std::f32::consts::FRAC_PI_2;
    use std::sync::Arc;

    /// A model of two bones, whose second sits 1.5 metres up and is turned at rest; its one clip turns it by a quarter
    /// to the left of where it looks and lifts it by half a metre.
    fn nodding() -> Model {
        let rest = Trs {
            translation: Vec3::Y * 1.5,
            rotation: Quat::from_rotation_x(0.7) * Quat::from_rotation_z(1.1),
            ..Trs::IDENTITY
        };
        let turned = Quat::from_rotation_y(FRAC_PI_2) * rest.rotation;
        let channel = Channel {
            node: NodeId(1),
            translation: Track { times_secs: vec![0.0], values: vec![Vec3::Y * 2.0] },
            rotation: Track { times_secs: vec![0.0], values: vec![turned] },
            ..Channel::default()
        };
        Model {
            skeleton: Skeleton {
                names: vec!["root".into(), "head".into()],
                parents: vec![None, Some(NodeId(0))],
                rest: vec![Trs::IDENTITY, rest],
            },
            clips: vec![Clip { name: "look".into(), duration_secs: 1.0, channels: vec![channel], ..Clip::default() }],
            ..Model::default()
        }
    }

    #[test]
    fn the_first_person_looks_through_the_bone_as_it_is_posed() {
        let mut scene = Scene::default();
        let model = SceneModel { name: "man".into(), file: "man.glb".into(), ..SceneModel::default() };
        let model = scene.models.insert(Arc::new(model));
        let instance =
            SceneInstance { model: ModelRef::Known(model), position: Vec3::X * 4.0, scale: 2.0, ..Default::default() };
        let id = scene.instances.insert(Arc::new(instance));
        let mut assets = AssetStore::default();
        assets.insert("man.glb", nodding());
        let camera = SceneCamera {
            kind: CameraKind::FirstPerson,
            target: Some(id),
            first_person_bone: 1,
            first_person_lock: true,
            first_person_offset: Vec3::Z * 0.1,
            ..SceneCamera::default()
        };
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        let mut live = world.live(id).unwrap().clone();
        let seen = |live: &InstanceState| {
            let head = world_from_head(&camera, &scene, &assets, id, (live, &[]), 1.0);
            FirstPerson { offset: camera.first_person_offset, locked: true, azimuth_rad: 0.0, elevation_rad: 0.0 }
                .eye(&head)
        };
        live.now.playback = Playback { clips: [ClipAt { clip: ClipId(9), time_secs: 0.0 }; 2], ..Playback::default() };
        live.before = live.now;
        let (eye, ahead) = seen(&live);
        assert!(eye.abs_diff_eq(Vec3::new(4.0, 3.0, 0.2), 1e-4), "{eye}");
        assert!(ahead.normalize().abs_diff_eq(Vec3::Z, 1e-4), "at rest it looks ahead, not to {ahead}");

        live.now.playback = Playback { clips: [ClipAt { clip: ClipId(0), time_secs: 0.0 }; 2], ..Playback::default() };
        live.before = live.now;
        let (eye, ahead) = seen(&live);
        assert!(eye.abs_diff_eq(Vec3::new(4.2, 4.0, 0.0), 1e-4), "{eye}");
        assert!(ahead.normalize().abs_diff_eq(Vec3::X, 1e-4), "{ahead}");

        let lost = SceneCamera { first_person_bone: 99, ..camera.clone() };
        let head = world_from_head(&lost, &scene, &assets, id, (&live, &[]), 1.0);
        assert!(head.w_axis.truncate().abs_diff_eq(Vec3::new(4.0, EYE_HEIGHT * 2.0, 0.0), 1e-4));
    }

    #[test]
    fn cameras_without_target_look_as_they_are_set() {
        let (scene, world, assets) = (Scene::default(), World::default(), AssetStore::default());
        for &kind in CameraKind::ALL {
            let camera = SceneCamera { kind, projection: Projection::Orthogonal, ..SceneCamera::default() };
            let pose = of(&camera, &scene, &world, &assets, 0.5);
            assert_eq!((pose.eye, pose.direction), (camera.position, camera.direction()), "{kind:?}");
            assert_eq!(pose.lens, Lens::Orthogonal { half_height: camera.ortho_scale });
            assert!(!follows(&camera, &world));
        }
    }

    #[test]
    fn what_follows_in_person_shows_perspective_whatever_is_set() {
        let (mut scene, mut world, assets) = (Scene::default(), World::default(), AssetStore::default());
        let id = scene.instances.insert(Arc::new(SceneInstance::default()));
        world.reconcile(&scene, &assets);
        for &kind in CameraKind::ALL {
            let camera = SceneCamera { kind, projection: Projection::Orthogonal, ..SceneCamera::default() };
            assert_eq!(camera.shown_projection(false), Projection::Orthogonal);
            let camera = SceneCamera { target: Some(id), ..camera };
            let is_in_person = matches!(kind, CameraKind::FirstPerson | CameraKind::ThirdPerson);
            let is_perspective = matches!(of(&camera, &scene, &world, &assets, 1.0).lens, Lens::Perspective { .. });
            assert_eq!(
                (is_perspective, camera.shown_projection(true) == Projection::Perspective),
                (is_in_person, is_in_person)
            );
        }
    }

    #[test]
    fn the_third_person_sees_the_head_of_the_tallest() {
        let mut scene = Scene::default();
        let model = SceneModel { name: "giant".into(), file: "giant".into(), ..SceneModel::default() };
        let model = scene.models.insert(Arc::new(model));
        let instance = SceneInstance { model: ModelRef::Known(model), ..SceneInstance::default() };
        let id = scene.instances.insert(Arc::new(instance));
        let mut assets = AssetStore::default();
        let rest_bounds = crate::math::Aabb::from_points([Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 4.2, 1.0)]);
        assets.insert("giant", Model { rest_bounds, ..nodding() });
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        let camera =
            SceneCamera { kind: CameraKind::ThirdPerson, target: Some(id), fov_deg: 91.0, ..SceneCamera::default() };
        let seen = of(&camera, &scene, &world, &assets, 1.0);
        for height in [0.0, 4.2] {
            let off = seen.direction.angle_between(Vec3::Y * height - seen.eye);
            assert!(off < 45.0_f32.to_radians(), "what is {height} m up lies {off} off the middle");
        }
    }

    #[test]
    fn walls_stop_the_third_person() {
        let mut scene = Scene::default();
        let id = scene.instances.insert(Arc::new(SceneInstance::default()));
        let camera = SceneCamera {
            kind: CameraKind::ThirdPerson,
            target: Some(id),
            third_person_distance: 8.0,
            third_person_height: 1.0,
            ..SceneCamera::default()
        };
        // A floor, and a wall two metres behind a character at the origin that faces +Z.
        let corner = |x: f32, y: f32, z: f32| Vertex { position: Vec3::new(x, y, z), ..Vertex::default() };
        let vertices = [(-9.0, 0.0, 9.0), (9.0, 0.0, 9.0), (9.0, 0.0, -9.0), (-9.0, 0.0, -9.0)]
            .into_iter()
            .chain([(-9.0, 0.0, -2.0), (9.0, 0.0, -2.0), (9.0, 9.0, -2.0), (-9.0, 9.0, -2.0)])
            .map(|(x, y, z)| corner(x, y, z))
            .collect();
        let mesh = Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7], ..Mesh::default() };
        let skeleton = Skeleton { names: vec!["root".into()], parents: vec![None], rest: vec![Trs::IDENTITY] };
        let mut model = Model { skeleton, meshes: vec![mesh], ..Model::default() };
        model.rest_bounds = model.compute_rest_bounds();
        let mut assets = AssetStore::default();
        assets.insert("room.obj", model);
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        let open = of(&camera, &scene, &world, &assets, 1.0);
        assert!(open.eye.z < -5.0, "nothing is behind it: {}", open.eye);
        scene.levels.insert(Arc::new(SceneLevel { file: "room.obj".into(), ..SceneLevel::default() }));
        world.reconcile(&scene, &assets);
        let walled = of(&camera, &scene, &world, &assets, 1.0);
        assert!((-2.0..-1.5).contains(&walled.eye.z), "the eye stays before the wall: {}", walled.eye);
        let head = (Vec3::Y * EYE_HEIGHT - walled.eye).angle_between(walled.direction);
        assert!(walled.eye.y > EYE_HEIGHT && head < 20_f32.to_radians(), "the head stays in sight: {head} {walled:?}");
    }
}
