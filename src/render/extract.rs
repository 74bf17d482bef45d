//! Extracts the plain data of a frame from scene and world, interpolated between the last two simulation steps.

use super::frame::{CameraFrame, FrameData, InstanceDraw, LevelDraw, ModelDraws, Outlines, Placeholder};
use super::named_morphs::NamedMorphs;
use super::own_poses::{OwnPose, OwnPoseData, own_poses, share_beyond};
use super::shared_poses::MAX_SHARED_PX;
use crate::asset::{AssetId, AssetState, AssetStore, Model};
use crate::collide::bone_spheres::SphereBone;
use crate::debug::{DebugDraw, Layer};
use crate::ids::InstanceId;
use crate::math::angle;
use crate::scene::instance::ModelRef;
use crate::scene::{Scene, SceneInstance};
use crate::sim::pose::blend_playback;
use crate::sim::{Ghost, InstanceState, Pose, STEP_SECS, World};
use glam::{Mat4, Vec3, Vec4};
use rayon::prelude::*;
use std::collections::HashMap;

/// Distance in one step from which on a character was teleported and is not interpolated, metres.
const MIN_TELEPORT: f32 = 3.0;

/// Characters that have a pose of their own with feet on the ground and the rest of transitions: the nearest in the picture.
const MAX_OWN_POSES: usize = 500;

/// Instances that are extracted one after the other on one thread.
const INSTANCES_PER_TASK: usize = 128;

/// Colour of the second body of a preview.
const GHOST_TINT: [f32; 4] = [0.10, 0.45, 0.95, 0.6];

/// Colour of the placeholder of a loading model.
const LOADING: [f32; 4] = [0.35, 0.42, 0.5, 1.0];

/// Colour of the placeholder of a missing or failed model.
const MISSING: [f32; 4] = [0.75, 0.06, 0.30, 1.0];

/// An instance as the scene has it.
type SavedInstance<'a> = (InstanceId, &'a SceneInstance);

/// The id of an instance in the pick target; never 0.
pub fn pick_number(id: InstanceId) -> u32 {
    id.slot().wrapping_add(1)
}

/// Camera, size and time of a frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameView {
    /// The view.
    pub camera: CameraFrame,
    /// Size of the picture in physical pixels.
    pub size_px: [u32; 2],
    /// Fraction of a simulation step since the last one, 0…1: moving objects are interpolated between their last two
    /// states by it.
    pub alpha: f32,
}

/// Lists of a frame that was drawn, whose memory the next one takes: of new memory the system clears every page, which for ten thousand
/// characters takes as long as what is written into it (`benches/frame.rs`).
#[derive(Debug, Default)]
pub struct SpentFrame {
    models: Vec<ModelDraws>,
    own: OwnPoseData,
}

impl From<FrameData> for SpentFrame {
    fn from(frame: FrameData) -> Self {
        let FrameData { models, mut overrides, mut offsets, mut legs, .. } = frame;
        overrides.clear();
        offsets.clear();
        legs.clear();
        Self { models, own: OwnPoseData { overrides, offsets, legs } }
    }
}

/// What frames are extracted from.
#[derive(Clone, Copy, Debug)]
pub struct FrameSources<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// What happens in it.
    pub world: &'a World,
    /// Its models.
    pub assets: &'a AssetStore,
}

/// Extracts a frame.
pub fn extract(scene: &Scene, world: &World, assets: &AssetStore, view: FrameView, debug: DebugDraw) -> FrameData {
    extract_into(SpentFrame::default(), FrameSources { scene, world, assets }, view, debug)
}

/// Extracts a frame into the lists of a spent one.
pub fn extract_into(spent: SpentFrame, sources: FrameSources<'_>, view: FrameView, debug: DebugDraw) -> FrameData {
    let FrameSources { scene, world, assets } = sources;
    let alpha = if view.alpha.is_finite() { view.alpha.clamp(0.0, 1.0) } else { 1.0 };
    let view = FrameView { alpha, ..view };
    let FrameView { camera, size_px, .. } = view;
    let levels = scene
        .levels
        .iter()
        .filter(|(id, _)| world.parts().is_there(*id))
        .filter_map(|(_, level)| {
            let (asset, _) = assets.by_file(level)?;
            Some(LevelDraw { asset, world_from_model: level.world_from_model() })
        })
        .collect();
    let SpentFrame { models, own } = spent;
    let grouped = Grouped::of(sources, alpha);
    let mut drawn = grouped.draws(models, world, view);
    let mut bones = Bones::default();
    let spheres = [Layer::CollisionSpheres, Layer::CollidingSpheres].map(|layer| debug.wants(layer));
    for (_, instances, drawn) in grouped.with(&mut drawn) {
        instances.iter().zip(drawn).for_each(|((id, _), draw)| bones.show(*id, draw, world, spheres));
    }
    let OwnPoseData { overrides, offsets, legs } = grouped.own_poses(&mut drawn, world, alpha, own);
    FrameData {
        size_px: size_px.map(|px| px.max(1)),
        camera,
        environment: scene
            .settings
            .environment
            .at(world.secs() - f64::from((1.0 - alpha) * STEP_SECS))
            .in_zones(&scene.settings.zones, camera.position),
        levels,
        models: grouped.models(drawn, world),
        overrides,
        offsets,
        legs,
        bones: bones.all,
        placeholders: grouped.placeholders,
        dust: world.dust(alpha).collect(),
        pick: None,
        outlines: Outlines::default(),
        debug,
        layer_depth: Vec::new(),
        line_scale: 1.0,
        open_depth: open_depth(world, &camera),
    }
}

/// The instances of a scene by their models.
struct Grouped<'a> {
    drawables: Drawables<'a>,
    /// By model.
    instances: Vec<Vec<SavedInstance<'a>>>,
    placeholders: Vec<Placeholder>,
}

impl<'a> Grouped<'a> {
    fn of(FrameSources { scene, world, assets }: FrameSources<'a>, alpha: f32) -> Self {
        let drawables = Drawables::of(scene, assets);
        let mut placeholders = Vec::new();
        let mut instances: Vec<Vec<SavedInstance<'_>>> = vec![Vec::new(); drawables.models.len()];
        // Each is somewhere else in memory: looking them up takes longer than sorting them.
        let ids: Vec<InstanceId> = scene.instances.ids().collect();
        let look_up = |id: &InstanceId| scene.instances.get(*id).map(|one| (*id, &**one, drawables.of_instance(one)));
        let known: Vec<_> = ids.par_iter().with_min_len(INSTANCES_PER_TASK).map(look_up).collect();
        for (id, instance, drawable) in known.into_iter().flatten() {
            match drawable {
                Ok(model) => instances[model].push((id, instance)),
                Err(color) => placeholders.push(Placeholder {
                    world_from_model: place(instance, world.live(id), alpha),
                    color,
                    pick: pick_number(id),
                }),
            }
        }
        Self { drawables, instances, placeholders }
    }

    /// Each model with its instances and their draws.
    fn with<'b>(
        &self,
        drawn: &'b mut [Vec<InstanceDraw>],
    ) -> impl Iterator<Item = (&'a Model, &[SavedInstance<'a>], &'b mut Vec<InstanceDraw>)> {
        let models = self.drawables.models.iter().zip(&self.instances);
        models.zip(drawn).map(|(((_, model), instances), drawn)| (*model, instances.as_slice(), drawn))
    }

    /// The draws of all instances by model, in the memory of spent ones.
    fn draws(&self, spent: Vec<ModelDraws>, world: &World, view: FrameView) -> Vec<Vec<InstanceDraw>> {
        let mut drawn: Vec<Vec<InstanceDraw>> = spent.into_iter().map(|model| model.instances).collect();
        drawn.resize_with(self.instances.len(), Vec::new);
        // All models at once: to wake threads takes as long as the draws of hundreds.
        let sets: Vec<_> = self.with(&mut drawn).collect();
        let own = sets.into_par_iter().flat_map(|(model, instances, drawn)| {
            let morph_names = model.morph_names();
            let draw = |one: &SavedInstance<'_>| instance_draw(one, world, (model, morph_names.as_slice()), view);
            instances.par_iter().with_min_len(INSTANCES_PER_TASK).map(draw).collect_into_vec(drawn);
            let may_share = move |id: InstanceId, draw: &InstanceDraw| {
                model.is_skinned() && !draw.shares_pose && world.live(id).is_some_and(stands_where_it_is)
            };
            let own = instances.par_iter().zip(drawn).with_min_len(INSTANCES_PER_TASK);
            own.filter_map(move |((id, _), draw)| may_share(*id, draw).then_some(draw))
        });
        share_beyond(MAX_OWN_POSES, own.collect(), &view.camera);
        drawn
    }

    /// What the poses of those show that share none.
    fn own_poses(&self, drawn: &mut [Vec<InstanceDraw>], world: &World, alpha: f32, spent: OwnPoseData) -> OwnPoseData {
        let ghost = world.ghost();
        let skinned: Vec<_> = self.with(drawn).filter(|(model, ..)| model.is_skinned()).collect();
        let own = skinned.into_par_iter().flat_map(|(_, instances, drawn)| {
            let own = instances.par_iter().zip(drawn).with_min_len(INSTANCES_PER_TASK);
            own.filter_map(|(&(id, _), draw)| {
                draw.shares_pose &= ghost.is_none_or(|ghost| ghost.0 != id);
                (!draw.shares_pose).then_some(OwnPose { id, draw })
            })
        });
        let own = own.collect();
        own_poses(own, world, alpha, spent)
    }

    /// The draws with their models; the ghost is the last of those of its model.
    fn models(&self, drawn: Vec<Vec<InstanceDraw>>, world: &World) -> Vec<ModelDraws> {
        let ghost = world.ghost();
        let of_model = |((&(asset, _), saved), mut instances): ((&(AssetId, &Model), &Vec<_>), Vec<InstanceDraw>)| {
            if let Some((id, ghost)) = &ghost
                && let Some(at) = saved.iter().position(|(one, _): &SavedInstance<'_>| one == id)
            {
                instances.push(ghost_draw(&instances[at], ghost));
            }
            ModelDraws { asset, instances }
        };
        let models = self.drawables.models.iter().zip(&self.instances).zip(drawn).map(of_model);
        models.filter(|model| !model.instances.is_empty()).collect()
    }
}

/// Depth up to which nothing of the level is seen, by rays through the middle and near the corners of the picture.
fn open_depth(world: &World, camera: &CameraFrame) -> f32 {
    let Some(tree) = world.triangle_tree().filter(|_| camera.is_perspective()) else { return 0.0 };
    // The lowest first: what they hit is most often the nearest, so that the others end soon.
    let places = [(-0.8, -0.8), (0.8, -0.8), (0.0, 0.0), (-0.8, 0.8), (0.8, 0.8)];
    let nearer = |nearest: f32, (x, y)| tree.raycast(&camera.ray(x, y), nearest).map_or(nearest, |(_, depth)| depth);
    let nearest = places.into_iter().fold(f32::INFINITY, nearer);
    if nearest.is_finite() { nearest } else { 0.0 }
}

/// The bones of a frame, once per model.
#[derive(Default)]
struct Bones {
    all: Vec<SphereBone>,
    known: HashMap<*const SphereBone, [u32; 2]>,
}

impl Bones {
    /// Lets the spheres of an instance be drawn where those of all are wanted, or of those that touch another one.
    fn show(&mut self, id: InstanceId, draw: &mut InstanceDraw, world: &World, [all, touching]: [bool; 2]) {
        if (all || touching && world.is_touching(id))
            && let Some(own) = world.bones(id)
        {
            (draw.bones, draw.touches) = (self.range(own), world.is_touching(id));
            // The spheres are those of its own pose.
            draw.shares_pose = false;
        }
    }

    /// The range of these bones among all.
    fn range(&mut self, own: &[SphereBone]) -> [u32; 2] {
        let all = &mut self.all;
        *self.known.entry(own.as_ptr()).or_insert_with(|| {
            let first = all.len() as u32;
            all.extend_from_slice(own);
            [first, all.len() as u32]
        })
    }
}

/// Models of a scene, looked up once for all instances.
struct Drawables<'a> {
    /// The loaded ones, each once.
    models: Vec<(AssetId, &'a Model)>,
    /// By the slot of the model's id: its place among these, or the colour of its placeholders.
    by_slot: Vec<Result<usize, [f32; 4]>>,
}

impl<'a> Drawables<'a> {
    fn of(scene: &Scene, assets: &'a AssetStore) -> Self {
        let (mut models, mut by_slot): (Vec<(AssetId, &Model)>, _) = (Vec::new(), Vec::new());
        // Two models of a scene may be read from one file.
        let mut places: HashMap<AssetId, usize> = HashMap::new();
        for (id, entry) in scene.models.iter() {
            let slot = id.slot() as usize;
            if by_slot.len() <= slot {
                by_slot.resize(slot + 1, Err(MISSING));
            }
            let asset = assets.find(entry);
            by_slot[slot] = match asset.and_then(|asset| Some((asset, assets.state(asset)?))) {
                Some((asset, AssetState::Ready(model))) => Ok(*places.entry(asset).or_insert_with(|| {
                    models.push((asset, model));
                    models.len() - 1
                })),
                Some((_, AssetState::Loading)) | None => Err(LOADING),
                Some((_, AssetState::Failed(_))) => Err(MISSING),
            };
        }
        Self { models, by_slot }
    }

    /// The place of an instance's model among the loaded ones, or the colour of its placeholder.
    fn of_instance(&self, instance: &SceneInstance) -> Result<usize, [f32; 4]> {
        let ModelRef::Known(id) = instance.model else { return Err(MISSING) };
        self.by_slot.get(id.slot() as usize).copied().unwrap_or(Err(MISSING))
    }
}

/// An instance without the ranges of what only a pose of its own shows.
fn instance_draw(
    &(id, instance): &SavedInstance<'_>,
    world: &World,
    (model, morph_names): (&Model, &[&str]),
    view: FrameView,
) -> InstanceDraw {
    let (live, alpha) = (world.live(id), view.alpha);
    let playback = live.map(|l| blend_playback(&l.before.playback, &l.now.playback, model, alpha)).unwrap_or_default();
    let world_from_model = place(instance, live, alpha);
    let shares_pose = model.is_skinned() && live.is_some_and(|live| shares_pose(live, model, &world_from_model, view));
    // What clips do to a face is not seen in small ones.
    let morphs = if shares_pose {
        NamedMorphs::of(morph_names, &instance.morphs)
    } else {
        NamedMorphs::of(morph_names, &world.morph_weights(id, &instance.morphs))
    };
    let face = live.map_or(Vec4::ZERO, |l| Vec4::from(l.before.face).lerp(Vec4::from(l.now.face), alpha)).to_array();
    InstanceDraw {
        world_from_model,
        playback,
        shares_pose,
        overrides: [0; 2],
        offsets: [0; 2],
        legs: [0; 2],
        face,
        morphs,
        material_variant: material_variant(model, instance),
        tint: [0.0; 4],
        pick: pick_number(id),
        bones: [0; 2],
        touches: false,
    }
}

/// Whether its clips leave its root where it is. One whose root is moved stands where its own pose puts it, and cannot take another.
fn stands_where_it_is(live: &InstanceState) -> bool {
    live.now.root.iter().chain(&live.before.root).all(|root| root.shift == Vec3::ZERO)
}

/// Whether a character is so small in the picture that it may take the pose of another.
fn shares_pose(live: &InstanceState, model: &Model, world_from_model: &Mat4, view: FrameView) -> bool {
    let scale = world_from_model.y_axis.truncate().length();
    let reach = model.rest_bounds.size().max_element() * scale;
    let distance = world_from_model.w_axis.truncate().distance(view.camera.position) - reach;
    let is_small = reach * view.camera.meter_px(distance.max(0.0), view.size_px[1] as f32) <= MAX_SHARED_PX;
    is_small && stands_where_it_is(live)
}

/// The second body of a preview, as it stands beside the first or in its place.
fn ghost_draw(draw: &InstanceDraw, ghost: &Ghost) -> InstanceDraw {
    InstanceDraw {
        world_from_model: draw.world_from_model * Mat4::from_translation(Vec3::X * ghost.beside),
        playback: ghost.shows,
        overrides: [0; 2],
        offsets: [0; 2],
        legs: [0; 2],
        bones: [0; 2],
        tint: GHOST_TINT,
        ..*draw
    }
}

/// The number of the material variant that an instance names, as [`InstanceDraw::material_variant`].
fn material_variant(model: &Model, instance: &SceneInstance) -> u32 {
    let Some(name) = &instance.material_variant else { return 0 };
    model.material_variants.iter().position(|known| known == name).map_or(0, |i| i as u32 + 1)
}

/// World space from model space, interpolated between the last two steps; the saved transform without a live state.
pub fn place(instance: &SceneInstance, live: Option<&InstanceState>, alpha: f32) -> Mat4 {
    let Some(live) = live else { return instance.world_from_model() };
    let (position, yaw_rad) = between(&live.before, &live.now, alpha);
    instance.standing_at(position, yaw_rad, instance.scale)
}

/// Interpolates position and heading between two steps, along the shorter turn.
pub fn between(before: &Pose, now: &Pose, alpha: f32) -> (Vec3, f32) {
    if before.position.distance(now.position) > MIN_TELEPORT {
        return (now.position, now.yaw_rad);
    }
    let turn = angle::shortest_turn_rad(before.yaw_rad, now.yaw_rad);
    (before.position.lerp(now.position, alpha), before.yaw_rad + turn * alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneModel;
    use std::sync::Arc;

    fn motion(x: f32, yaw_rad: f32) -> Pose {
        Pose { position: Vec3::X * x, yaw_rad, ..Pose::default() }
    }

    #[test]
    fn headings_turn_the_shorter_way() {
        let (p, yaw) = between(&motion(0.0, 3.0), &motion(1.0, -3.0), 0.5);
        assert_eq!(p.x, 0.5);
        assert!((angle::wrap_rad(yaw).abs() - std::f32::consts::PI).abs() < 1e-4, "{yaw}");
    }

    #[test]
    fn what_was_put_elsewhere_is_there_at_once() {
        assert_eq!(between(&motion(0.0, 0.0), &motion(50.0, 1.0), 0.1), (Vec3::X * 50.0, 1.0));
    }

    #[test]
    fn missing_models_become_boxes_and_loaded_ones_are_grouped() {
        let mut scene = Scene::default();
        let model = Arc::new(SceneModel { file: "cube".into(), ..SceneModel::default() });
        let known = scene.models.insert(Arc::clone(&model));
        let same_file = ModelRef::Known(scene.models.insert(model));
        for model in [ModelRef::Known(known), ModelRef::Missing("gone".into()), ModelRef::Known(known), same_file] {
            scene.instances.insert(Arc::new(SceneInstance { model, ..SceneInstance::default() }));
        }
        let camera = CameraFrame {
            view_from_world: Mat4::IDENTITY,
            clip_from_view: Mat4::IDENTITY,
            position: Vec3::ZERO,
            near: 0.1,
            far: 10.0,
        };
        let mut assets = AssetStore::default();
        let draw = |assets: &AssetStore| {
            let view = FrameView { camera, size_px: [0, 4], alpha: 0.5 };
            extract(&scene, &World::default(), assets, view, DebugDraw::default())
        };
        let frame = draw(&assets);
        assert_eq!((frame.placeholders.len(), frame.models.len()), (4, 0));
        assert_eq!(frame.size_px, [1, 4]);
        assets.insert("cube", crate::render::cube::model());
        let frame = draw(&assets);
        assert_eq!((frame.placeholders.len(), frame.models.len(), frame.models[0].instances.len()), (1, 1, 3));
        assert_ne!(frame.models[0].instances[0].pick, frame.models[0].instances[1].pick);
    }
}
