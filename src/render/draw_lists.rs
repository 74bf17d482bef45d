//! Draw lists: instances culled per view, with a level of detail each, grouped into instanced draws.

use super::compute::leg_ik;
use super::compute::pose_buffers::BatchRange;
use super::cube::PLACEHOLDER_BOUNDS;
use super::culling::{MeshCulling, MeshShading, ModelShape};
use super::frame::{CameraFrame, FrameData, InstanceDraw, Outlines, static_instance};
use super::light::{Cascade, ShadowFall};
use super::lod::{LOD_COUNT, coarsest};
use super::outline_parts::covered_parts;
use super::shared_poses::{SharedPose, SharedPoses};
use super::types::{InstanceData, LegJob, NO_OFFSETS, PoseJob, PoseOverrideData, SphereJob};
use super::view_entries::{CulledInstance, MAX_VIEWS, UNSEEN, ViewEntries, view_entries};
use crate::anim::inertialization::NodeOffset;
use crate::anim::leg_solve::UnsolvedLeg;
use crate::anim::sample::PoseOverride;
use crate::asset::AssetId;
use crate::math::{Aabb, Frustum};
use glam::{Mat4, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Bit position of the shadow cascade in an entry of the visible list.
pub const CASCADE_SHIFT: u32 = 30;

/// The instance in an entry of the visible list.
pub const INSTANCE_MASK: u32 = (1 << CASCADE_SHIFT) - 1;

/// The geometry of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawTarget {
    /// A loaded model.
    Model(AssetId),
    /// The box that stands in for a missing model.
    Placeholder,
}

/// One or more instances of one model at one level of detail, all in one material variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// Geometry.
    pub target: DrawTarget,
    /// Level of detail, 0 the finest.
    pub lod: usize,
    /// Number of the material variant, from 1; 0 for none.
    pub material_variant: u32,
    /// Entries of the visible list.
    pub entries: Range<u32>,
    /// Culling of its meshes, when it draws a single instance that is not skinned.
    pub culling: Option<MeshCulling>,
}

/// The draw lists of a frame and the data that they index.
#[derive(Clone, Debug, Default)]
pub struct DrawLists {
    /// Instances visible in any view.
    pub instances: Vec<InstanceData>,
    /// Poses of the skinned ones.
    pub jobs: Vec<PoseJob>,
    /// Pose overrides of these.
    pub overrides: Vec<PoseOverrideData>,
    /// Legs that are solved on the device.
    pub legs: Vec<LegJob>,
    /// Jobs by model.
    pub batches: Vec<(AssetId, BatchRange)>,
    /// Nodes of all jobs.
    pub node_count: u32,
    /// Skin matrices of all jobs.
    pub skin_count: u32,
    /// Characters whose bounding spheres are drawn.
    pub spheres: Vec<SphereJob>,
    /// Number of spheres of all of these.
    pub sphere_count: u32,
    /// Indices into the instances, with the cascade in the top bits.
    pub visible: Vec<u32>,
    /// Draws of the picture.
    pub main: Vec<Draw>,
    /// Draws of the pick target.
    pub pick: Vec<Draw>,
    /// Draws of the outlined instances.
    pub outline: Vec<Draw>,
    /// Disjoint rectangles of the picture that contain the outlines: left, top, right, bottom, 0…1.
    pub outline_parts: Vec<[f32; 4]>,
    /// Draws of each shadow cascade.
    pub shadows: Vec<Vec<Draw>>,
}

/// Outlined instances: the largest in the picture.
pub const MAX_OUTLINED: usize = 256;

/// An instance with an outline.
#[derive(Debug)]
struct OutlinedInstance {
    target: DrawTarget,
    lod: usize,
    /// Index into the instances.
    number: u32,
    /// Relative to the eye.
    bounds: Aabb,
    /// Size in the picture, pixels.
    size_px: f32,
}

/// The views of a frame.
#[derive(Debug)]
pub struct ViewSet<'a> {
    /// The camera.
    pub camera: &'a CameraFrame,
    /// Height of the picture in pixels.
    pub height_px: f32,
    /// The shadow maps.
    pub cascades: &'a [Cascade],
    /// Where shadows fall, relative to the eye.
    pub shadow_fall: ShadowFall,
    /// Clip space of the pick target from that of the picture, with a pick request.
    pub pick: Option<Mat4>,
    /// Factor on the size below which coarser levels of detail are used; 0 always uses the finest.
    pub lod_bias: f32,
    /// Size of the details that shadows may omit, in shadow texels.
    pub shadow_lod_texels: f32,
    /// Size in the picture, in pixels, below which models cast no shadow.
    pub min_shadow_caster_px: f32,
    /// Whether levels are drawn after everything else, and that from the finest level of detail on, which is near. Where pixels have one
    /// sample, as many as it can hide are not shaded then (`walkabout bench --gpu` with 10,000 characters: the plaza 11 % faster); with
    /// several, it costs more than it saves.
    pub levels_last: bool,
}

impl ViewSet<'_> {
    /// The cascade of a view: the picture is the first view, the pick target the last.
    fn cascade(&self, view: usize) -> Option<usize> {
        view.checked_sub(1).filter(|cascade| *cascade < self.cascades.len())
    }
}

/// Instances that are culled one after the other on one thread.
const INSTANCES_PER_TASK: usize = 256;

impl DrawLists {
    /// Culls and groups the content of a frame. `shape` returns the loaded models.
    pub fn new(frame: &FrameData, views: &ViewSet<'_>, shape: impl Fn(AssetId) -> Option<ModelShape>) -> Self {
        let mut lists = Self::default();
        lists.fill(frame, views, shape);
        lists
    }

    /// As [`DrawLists::new`], in the memory of lists that are no longer needed.
    pub fn fill(&mut self, frame: &FrameData, views: &ViewSet<'_>, shape: impl Fn(AssetId) -> Option<ModelShape>) {
        let mut builder = ListBuilder::new(views, frame, std::mem::take(self).emptied());
        let levels: Vec<[InstanceDraw; 1]> =
            frame.levels.iter().map(|level| [static_instance(level.world_from_model)]).collect();
        let boxes = frame.placeholders.iter();
        let boxes: Vec<InstanceDraw> = boxes
            .map(|b| InstanceDraw { pick: b.pick, tint: b.color, ..static_instance(b.world_from_model) })
            .collect();
        let of_model =
            |asset, instances| Some(DrawnSet { target: DrawTarget::Model(asset), shape: shape(asset)?, instances });
        let levels = frame.levels.iter().zip(&levels).filter_map(|(level, one)| of_model(level.asset, &one[..]));
        let mut sets: Vec<DrawnSet<'_>> = levels.collect();
        let level_count = sets.len();
        sets.extend(frame.models.iter().filter_map(|draws| of_model(draws.asset, &draws.instances)));
        let shape = ModelShape { bounds: PLACEHOLDER_BOUNDS, extent: 0.0, nodes: 0, joints: 0 };
        sets.push(DrawnSet { target: DrawTarget::Placeholder, shape, instances: &boxes });
        let level_draws = builder.fill(&sets, level_count);
        builder.finish_outline();
        if views.levels_last {
            builder.out.main[level_draws..].sort_by_key(|draw| draw.lod);
            builder.out.main.rotate_left(level_draws);
        }
        *self = builder.out;
    }

    /// Nothing, in the same memory.
    fn emptied(self) -> Self {
        fn empty<T>(mut list: Vec<T>) -> Vec<T> {
            list.clear();
            list
        }
        let (overrides, legs, visible) = (empty(self.overrides), empty(self.legs), empty(self.visible));
        Self { instances: empty(self.instances), jobs: empty(self.jobs), overrides, legs, visible, ..Self::default() }
    }

    /// Bytes that go to the device for them: all of a frame but its uniforms and overlays.
    pub fn uploaded_bytes(&self) -> usize {
        size_of_val(&*self.instances)
            + size_of_val(&*self.jobs)
            + size_of_val(&*self.overrides)
            + size_of_val(&*self.legs)
            + size_of_val(&*self.spheres)
            + size_of_val(&*self.visible)
    }

    /// Number of instances in the picture.
    pub fn visible_count(&self) -> usize {
        self.main.iter().map(|d| d.entries.len()).sum()
    }
}

/// What is drawn of one model.
struct DrawnSet<'a> {
    target: DrawTarget,
    shape: ModelShape,
    instances: &'a [InstanceDraw],
}

struct ListBuilder<'a> {
    views: &'a ViewSet<'a>,
    overrides: &'a [PoseOverride],
    offsets: &'a [NodeOffset],
    legs: &'a [UnsolvedLeg],
    /// Number of bones with spheres.
    bones: u32,
    /// Those of the views, relative to the eye, as all places here are.
    frusta: Vec<Frustum>,
    clip_from_relative: Mat4,
    outlines: &'a Outlines,
    outlined: Vec<OutlinedInstance>,
    out: DrawLists,
}

impl<'a> ListBuilder<'a> {
    fn new(views: &'a ViewSet<'a>, frame: &'a FrameData, empty: DrawLists) -> Self {
        let clip_from_relative = views.camera.clip_from_relative();
        let mut frusta = vec![Frustum::from_clip(&clip_from_relative)];
        frusta.extend(views.cascades.iter().map(Cascade::frustum));
        frusta.extend(views.pick.map(|target_from_clip| Frustum::from_clip(&(target_from_clip * clip_from_relative))));
        let out = DrawLists { shadows: vec![Vec::new(); views.cascades.len()], ..empty };
        Self {
            views,
            overrides: &frame.overrides,
            offsets: &frame.offsets,
            legs: &frame.legs,
            bones: frame.bones.len() as u32,
            frusta,
            clip_from_relative,
            outlines: &frame.outlines,
            outlined: Vec::new(),
            out,
        }
    }

    /// Makes the lists of all sets, the first of which are levels. Returns how many draws of the picture are of these.
    fn fill(&mut self, sets: &[DrawnSet<'_>], level_count: usize) -> usize {
        let cascade_bits = |view| (self.views.cascade(view).unwrap_or(0) as u32) << CASCADE_SHIFT;
        let tags: Vec<u32> = (0..self.frusta.len()).map(cascade_bits).collect();
        let this = &*self;
        // All models at once: to wake threads takes as long as to cull hundreds.
        let culled: Vec<Vec<CulledInstance<'_>>> = sets
            .par_iter()
            .map(|set| {
                let all = set.instances.par_iter().with_min_len(INSTANCES_PER_TASK);
                all.filter_map(|instance| this.culled(&set.shape, instance)).collect()
            })
            .collect();
        let firsts = culled.iter().scan(0, |next, culled| Some(std::mem::replace(next, *next + culled.len() as u32)));
        let firsts: Vec<u32> = firsts.collect();
        let of_set = |(culled, first): (&Vec<CulledInstance<'_>>, &u32)| view_entries(&tags, culled, *first);
        let (entries, first_skins): (Vec<_>, Vec<_>) = rayon::join(
            || culled.par_iter().zip(&firsts).map(of_set).collect(),
            || {
                sets.iter()
                    .zip(&culled)
                    .zip(&firsts)
                    .flat_map(|((set, culled), first)| self.push_poses(set, culled, *first))
                    .collect()
            },
        );
        let eye = self.views.camera.position;
        let all: Vec<&CulledInstance<'_>> = culled.iter().flatten().collect();
        let data = all.par_iter().zip(&first_skins).with_min_len(INSTANCES_PER_TASK);
        let data = data.map(|(one, first)| InstanceData::new(one.instance, eye, *first, one.outline));
        self.out.instances.par_extend(data);
        let mut level_draws = 0;
        for (i, (set, entries)) in sets.iter().zip(entries).enumerate() {
            self.push_all_outlined(set, &culled[i], firsts[i]);
            self.push_draws(set, entries);
            if i < level_count {
                level_draws = self.out.main.len();
            }
        }
        level_draws
    }

    /// Appends the poses of instances, the first of which has this number. Returns where the skin matrices of each begin.
    fn push_poses(&mut self, set: &DrawnSet<'_>, culled: &[CulledInstance<'_>], first_number: u32) -> Vec<u32> {
        let shape = &set.shape;
        let first_job = self.out.jobs.len() as u32;
        let mut shared = SharedPoses::default();
        let mut first_skin = |number, one: &CulledInstance<'_>| match one.pose {
            Some(pose) => {
                let job = || SharedPose::of(&one.instance.playback, one.size_px).job;
                shared.first_skin(pose, job, &mut self.out.jobs, (&mut self.out.skin_count, shape.joints))
            }
            None => self.push_pose(shape, one.instance, number, first_job),
        };
        let first_skins = (first_number..).zip(culled).map(|(number, one)| first_skin(number, one)).collect();
        let job_count = self.out.jobs.len() as u32 - first_job;
        if let DrawTarget::Model(asset) = set.target
            && job_count > 0
        {
            let first_node = self.out.node_count;
            self.out.node_count += job_count * shape.nodes;
            self.out.batches.push((asset, BatchRange { first_job, job_count, first_node }));
        }
        first_skins
    }

    /// In which views an instance is, and how; none where it is in no view.
    fn culled<'b>(&self, shape: &ModelShape, instance: &'b InstanceDraw) -> Option<CulledInstance<'b>> {
        if !instance.world_from_model.is_finite() {
            return None;
        }
        let bounds = shape.bounds.transformed(&self.views.camera.relative(&instance.world_from_model));
        let size = shape.extent * instance.world_from_model.y_axis.truncate().length();
        let meter_px = self.meter_px(&bounds);
        let mut lods = [UNSEEN; MAX_VIEWS];
        let too_small = shape.extent > 0.0 && size * meter_px < self.views.min_shadow_caster_px;
        let has_shadows = !self.views.cascades.is_empty() && !too_small;
        let mut shades = has_shadows && self.frusta[0].may_contain(&self.views.shadow_fall.shaded_by(&bounds));
        for (view, (lod, frustum)) in lods.iter_mut().zip(&self.frusta).enumerate() {
            let cascade = self.views.cascade(view);
            if (cascade.is_none() || shades) && frustum.may_contain(&bounds) {
                *lod = self.lod(cascade, size, size * meter_px) as u8;
            }
            // What a map holds all shadows of is in no later one.
            shades = shades && cascade.is_none_or(|cascade| !self.views.cascades[cascade].holds_shadows_of(&bounds));
        }
        let is_seen = lods.iter().any(|lod| *lod != UNSEEN);
        let size_px = size * meter_px;
        let pose = || SharedPose::of(&instance.playback, size_px).number();
        let pose = (is_seen && instance.shares_pose && shape.joints > 0).then(pose);
        let (outline, material_variant) = (self.outlines.kind(instance.pick), instance.material_variant);
        is_seen.then_some(CulledInstance { instance, size_px, lods, outline, material_variant, pose })
    }

    /// Notes those that are outlined of instances, the first of which has this number.
    fn push_all_outlined(&mut self, set: &DrawnSet<'_>, culled: &[CulledInstance<'_>], first_number: u32) {
        let DrawnSet { target, shape, .. } = *set;
        for (number, one) in (first_number..).zip(culled) {
            if one.outline > 0 && one.lods[0] != UNSEEN {
                let relative_from_model = self.views.camera.relative(&one.instance.world_from_model);
                let bounds = shape.bounds.transformed(&relative_from_model);
                let size_px = bounds.size().length() * self.meter_px(&bounds);
                self.outlined.push(OutlinedInstance { target, lod: one.lods[0] as usize, number, bounds, size_px });
            }
        }
    }

    /// Appends the pose of an instance by its `number`; the jobs of its model begin at `first_job`. Returns where its skin matrices
    /// begin.
    fn push_pose(&mut self, shape: &ModelShape, instance: &InstanceDraw, number: u32, first_job: u32) -> u32 {
        let first_skin = self.out.skin_count;
        if shape.joints == 0 {
            return first_skin;
        }
        let [first, end] = instance.overrides.map(|i| i as usize);
        let own = self.overrides.get(first..end).unwrap_or_default();
        let first_override = self.out.overrides.len() as u32;
        self.out.overrides.extend(own.iter().map(PoseOverrideData::from));
        let [first_leg, end_leg] = instance.legs.map(|i| i as usize);
        let legs = self.legs.get(first_leg..end_leg).unwrap_or_default();
        self.out.legs.extend(legs.iter().map(|leg| leg_ik::job(leg, first_override)));
        let range = [first_override, self.out.overrides.len() as u32];
        let first_offset = self.push_offsets(shape, instance);
        let [first_bone, end] = instance.bones;
        let bone_count = end.min(self.bones).saturating_sub(first_bone);
        if bone_count > 0 {
            self.out.spheres.push(SphereJob {
                instance: number,
                first_node: self.out.node_count + (self.out.jobs.len() as u32 - first_job) * shape.nodes,
                first_bone,
                bone_count,
                first_sphere: self.out.sphere_count,
                touches: u32::from(instance.touches),
                pad_0: 0,
                pad_1: 0,
            });
            self.out.sphere_count += bone_count;
        }
        self.out.jobs.push(PoseJob::new(&instance.playback, first_skin, range).with_offsets(first_offset));
        self.out.skin_count += shape.joints;
        first_skin
    }

    /// Appends the node offsets of an instance to the overrides; returns where they begin.
    fn push_offsets(&mut self, shape: &ModelShape, instance: &InstanceDraw) -> u32 {
        let [first, end] = instance.offsets.map(|i| i as usize);
        let offsets = self.offsets.get(first..end).filter(|offsets| offsets.len() == shape.nodes as usize);
        let Some(offsets) = offsets.filter(|offsets| !offsets.is_empty()) else { return NO_OFFSETS };
        let first = self.out.overrides.len() as u32;
        self.out.overrides.extend(offsets.iter().map(|offset| PoseOverrideData::from(*offset)));
        first
    }

    /// Pixels per metre at the near side of a box.
    fn meter_px(&self, bounds: &Aabb) -> f32 {
        self.views.camera.meter_px(bounds.distance_squared(Vec3::ZERO).sqrt(), self.views.height_px)
    }

    /// Level of detail for a model of this size in metres and pixels; size 0 has only the finest.
    fn lod(&self, cascade: Option<usize>, size: f32, size_px: f32) -> usize {
        if size <= 0.0 {
            return 0;
        }
        if let Some(cascade) = cascade {
            let texel = self.views.cascades[cascade].texel;
            return coarsest(|cells| size / cells <= texel * self.views.shadow_lod_texels);
        }
        let bias = self.views.lod_bias;
        if bias <= 0.0 { 0 } else { coarsest(|cells| size_px / cells <= 2.0 * bias) }
    }

    /// Makes draws of what each view shows of the instances of one model.
    fn push_draws(&mut self, set: &DrawnSet<'_>, views: Vec<ViewEntries>) {
        let DrawnSet { target, shape, .. } = *set;
        for (view, ViewEntries { entries, ends }) in views.into_iter().enumerate() {
            let base = self.out.visible.len() as u32;
            let variant_count = ends.len() / LOD_COUNT;
            let mut first = 0;
            for (group, end) in ends.into_iter().enumerate() {
                if end == first {
                    continue;
                }
                let culling = match entries[first as usize..end as usize] {
                    [only] if shape.joints == 0 => Some(self.mesh_culling(view, only)),
                    _ => None,
                };
                let (lod, material_variant) = (group / variant_count, (group % variant_count) as u32);
                let draw = Draw { target, lod, material_variant, entries: base + first..base + end, culling };
                first = end;
                match self.views.cascade(view) {
                    Some(cascade) => self.out.shadows[cascade].push(draw),
                    None if view == 0 => self.out.main.push(draw),
                    None => self.out.pick.push(draw),
                }
            }
            self.out.visible.extend(entries);
        }
    }

    /// Culling of the meshes of the one instance of an entry in a view.
    fn mesh_culling(&self, view: usize, entry: u32) -> MeshCulling {
        let relative_from_model = self.out.instances[(entry & INSTANCE_MASK) as usize].relative_from_model();
        let shading = self.views.cascade(view).map(|cascade| MeshShading {
            fall: self.views.shadow_fall,
            picture: self.frusta[0],
            before: self.views.cascades[..cascade].to_vec(),
        });
        MeshCulling { frustum: self.frusta[view], eye: Vec3::ZERO, shading }.in_model(&relative_from_model)
    }
}

impl ListBuilder<'_> {
    /// Builds the outline draws of the largest instances, and the rectangles that contain them.
    fn finish_outline(&mut self) {
        let mut all = std::mem::take(&mut self.outlined);
        if all.len() > MAX_OUTLINED {
            all.select_nth_unstable_by(MAX_OUTLINED, |a, b| b.size_px.total_cmp(&a.size_px));
            all.truncate(MAX_OUTLINED);
        }
        // Outlines lie outside of the boxes.
        let margin = 4.0 * self.outlines.width_px / self.views.height_px.max(1.0);
        self.out.outline_parts = covered_parts(all.iter().map(|one| one.bounds), &self.clip_from_relative, margin);
        let mut lists: Vec<(DrawTarget, usize, Vec<u32>)> = Vec::new();
        for one in &all {
            match lists.iter_mut().find(|(target, lod, _)| (*target, *lod) == (one.target, one.lod)) {
                Some((.., list)) => list.push(one.number),
                None => lists.push((one.target, one.lod, vec![one.number])),
            }
        }
        for (target, lod, entries) in lists {
            let first = self.out.visible.len() as u32;
            self.out.visible.extend(entries);
            let entries = first..self.out.visible.len() as u32;
            self.out.outline.push(Draw { target, lod, material_variant: 0, entries, culling: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::render::frame::ModelDraws;
    use crate::render::types::OUTLINE_SHIFT;

    fn frame(places: &[Vec3]) -> FrameData {
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.6);
        let instances = places.iter().map(|p| static_instance(Mat4::from_translation(*p))).collect();
        let models = vec![ModelDraws { asset: AssetId(3), instances }];
        FrameData { models, ..FrameData::of_sky([640, 400], &view) }
    }

    fn prepared(frame: &FrameData, cascades: &[Cascade]) -> DrawLists {
        let shape =
            ModelShape { bounds: Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0)), extent: 2.0, nodes: 7, joints: 5 };
        let views = ViewSet {
            camera: &frame.camera,
            height_px: 400.0,
            cascades,
            shadow_fall: ShadowFall::new(Vec3::new(0.0, 3.0, 4.0) / 5.0, -3.0),
            pick: None,
            lod_bias: 1.0,
            shadow_lod_texels: 2.5,
            min_shadow_caster_px: 0.0,
            levels_last: false,
        };
        DrawLists::new(frame, &views, |_| Some(shape))
    }

    #[test]
    fn only_visible_instances_are_posed_and_drawn() {
        let frame = frame(&[Vec3::Z * 10.0, Vec3::NEG_Z * 4.0, Vec3::NEG_Z * 200.0]);
        let p = prepared(&frame, &[]);
        assert_eq!((p.instances.len(), p.jobs.len()), (2, 2));
        assert_eq!((p.node_count, p.skin_count), (14, 10));
        assert_eq!(p.batches, [(AssetId(3), BatchRange { first_job: 0, job_count: 2, first_node: 0 })]);
        assert_eq!(p.jobs[1].first_skin, 5);
        assert_eq!(p.visible_count(), 2);
        // The far one is drawn coarser.
        assert_eq!(p.main.len(), 2);
        assert!(p.main[0].lod < p.main[1].lod);
    }

    #[test]
    fn shadow_casters_outside_the_picture_are_posed_too() {
        let frame = frame(&[Vec3::Z * 3.0]);
        let cascade = |per_metre: f32| {
            let scale = Mat4::from_scale(Vec3::new(per_metre, per_metre, 0.01));
            Cascade { texture_from_relative: Mat4::from_translation(Vec3::splat(0.5)) * scale, texel: 0.02 }
        };
        // The first holds a part of it, the second all.
        let p = prepared(&frame, &[0.6, 0.01, 0.01].map(cascade));
        assert!(p.main.is_empty());
        assert_eq!((p.instances.len(), p.jobs.len()), (1, 1));
        assert_eq!(p.visible, [0, 1 << CASCADE_SHIFT]);
        assert_eq!(p.shadows[1][0].entries, 1..2);
        assert!(p.shadows[2].is_empty(), "nothing looks its shadow up there");
    }

    #[test]
    fn casters_whose_shadows_fall_beside_the_picture_are_left_out() {
        // The light falls along the view by four metres for each three downwards: of these behind the eye one is too far, one too low.
        let frame = frame(&[Vec3::Z * 6.0, Vec3::Z * 12.0, Vec3::new(0.0, -3.0, 4.0)]);
        let matrix = Mat4::from_translation(Vec3::splat(0.5)) * Mat4::from_scale(Vec3::splat(0.01));
        let p = prepared(&frame, &[Cascade { texture_from_relative: matrix, texel: 0.02 }]);
        assert_eq!(p.instances.len(), 1);
        assert_eq!(p.instances[0].position, [0.0, 0.0, 6.0]);
    }

    #[test]
    fn instances_are_grouped_by_material_variant_in_their_order() {
        let mut frame = frame(&[-2.0, -1.0, 0.0, 1.0].map(|x| Vec3::new(x, 0.0, -20.0)));
        let numbered = frame.models[0].instances.iter_mut().zip([2, 0, 2, 1]);
        numbered.for_each(|(instance, variant)| instance.material_variant = variant);
        let lists = prepared(&frame, &[]);
        let draws: Vec<_> = lists.main.iter().map(|d| (d.material_variant, d.entries.clone())).collect();
        assert_eq!(draws, [(0, 0..1), (1, 1..2), (2, 2..4)]);
        assert_eq!(lists.visible, [1, 3, 0, 2]);
    }

    #[test]
    fn outlines_are_searched_where_outlined_instances_are() {
        let mut frame = frame(&[Vec3::new(-2.0, 0.0, -12.0), Vec3::new(2.0, 0.0, -12.0)]);
        let numbered = frame.models[0].instances.iter_mut().zip(1..);
        numbered.for_each(|(instance, number)| instance.pick = number);
        let outline = |frame: &FrameData| {
            let p = prepared(frame, &[]);
            (p.outline.iter().map(|d| d.entries.len()).sum::<usize>(), p.outline_parts, p.instances[1].pick)
        };
        assert_eq!(outline(&frame), (0, Vec::new(), 2));
        frame.outlines = Outlines { kinds: vec![0, 0, 1], width_px: 2.0, ..Outlines::default() };
        let (count, parts, pick) = outline(&frame);
        assert_eq!((count, pick), (1, 2 | 1 << OUTLINE_SHIFT));
        assert!(!parts.is_empty() && parts.iter().all(|[left, ..]| *left >= 0.5), "{parts:?}");
        // One that reaches behind the eye may be anywhere.
        frame.models[0].instances[1].world_from_model = Mat4::IDENTITY;
        assert_eq!(outline(&frame).1.len(), crate::render::outline_parts::PART_GRID);
    }

    #[test]
    fn instances_at_non_finite_places_are_left_out() {
        assert_eq!(prepared(&frame(&[Vec3::NAN]), &[]).instances.len(), 0);
    }
}
