//! What is drawn where: instances culled per view, a level of detail each, and the lists that the draws walk through.

use super::assets::{LOD_CELLS, LODS};
use super::compute::BatchRange;
use super::frame::{CameraFrame, FrameData, InstanceDraw, Outlines};
use super::light::Cascade;
use super::types::{Instance, KIND_SHIFT, PoseJob, PoseOverrideData, SphereJob};
use crate::anim::Playback;
use crate::anim::sample::PoseOverride;
use crate::asset::AssetId;
use crate::math::{Aabb, Frustum};
use glam::{Mat4, Vec3};
use std::ops::Range;

/// Bit from which on an entry of the visible list names its shadow cascade.
pub const CASCADE_SHIFT: u32 = 30;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A loaded model.
    Model(AssetId),
    /// The unit cube.
    Cube,
}

/// What must be known of a model to place and cull it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Box around all that it may cover, in model space.
    pub bounds: Aabb,
    /// Longest edge of its rest box, in model space; 0 without coarser levels of detail.
    pub extent: f32,
    /// Number of nodes, 0 when it is not skinned.
    pub nodes: u32,
    /// Number of joints, 0 when it is not skinned.
    pub joints: u32,
}

/// A view in the space of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// What lies in the picture.
    pub frustum: Frustum,
    /// Where it is seen from: near meshes are drawn first, so that they hide others before those are lit.
    pub eye: Vec3,
}

/// One or more instances of one model at one level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// What.
    pub shown: Shown,
    /// Level of detail, 0 the finest.
    pub lod: usize,
    /// Entries of the visible list.
    pub entries: Range<u32>,
    /// What the view sees, when one instance that is not skinned is drawn: meshes outside are left out.
    pub seen: Option<Seen>,
}

/// A frame ready for upload.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// All instances that some view sees.
    pub instances: Vec<Instance>,
    /// Poses of the skinned ones.
    pub jobs: Vec<PoseJob>,
    /// Changes to those poses.
    pub overrides: Vec<PoseOverrideData>,
    /// Which jobs are which model's.
    pub batches: Vec<(AssetId, BatchRange)>,
    /// Nodes of all jobs.
    pub node_count: u32,
    /// Skin matrices of all jobs.
    pub skin_count: u32,
    /// Characters whose bounding spheres are drawn.
    pub spheres: Vec<SphereJob>,
    /// Spheres of all of these.
    pub sphere_count: u32,
    /// Indices into the instances, with the cascade in the top bits.
    pub visible: Vec<u32>,
    /// Draws of the picture.
    pub main: Vec<Draw>,
    /// Draws of the few pixels of which is asked who is drawn there.
    pub pick: Vec<Draw>,
    /// Draws of those around whose silhouettes a line is drawn.
    pub outline: Vec<Draw>,
    /// Parts of the picture that hold those lines and do not overlap: left, top, right, bottom, 0…1.
    pub outline_parts: Vec<[f32; 4]>,
    /// Draws of each shadow cascade.
    pub shadows: Vec<Vec<Draw>>,
}

/// Most instances that have a line around their silhouettes: the largest in the picture.
pub const MOST_OUTLINED: usize = 256;

/// The picture has so many rows and columns of parts in which lines are sought or not.
const PARTS: usize = 32;

/// Somebody around whom a line is wanted.
#[derive(Debug)]
struct Outlined {
    shown: Shown,
    lod: usize,
    /// Index into the instances.
    number: u32,
    bounds: Aabb,
    /// Size in the picture, pixels.
    size_px: f32,
}

/// The views of a frame.
#[derive(Debug)]
pub struct Views<'a> {
    /// The camera.
    pub camera: &'a CameraFrame,
    /// Height of the picture in pixels.
    pub height_px: f32,
    /// The shadow maps.
    pub cascades: &'a [Cascade],
    /// From the clip space of the picture to that of the pixels of which is asked who is drawn there, if there are any.
    pub pick: Option<Mat4>,
    /// Factor on the size below which coarser levels of detail are taken; 0 always takes the finest.
    pub lod_bias: f32,
    /// Size of a detail, in shadow texels, that shadows may lack.
    pub shadow_lod_texels: f32,
    /// Size in the picture, in pixels, below which models cast no shadow.
    pub shadow_least_px: f32,
}

type Lists = Vec<[Vec<u32>; LODS]>;

impl Prepared {
    /// Culls and sorts the content of a frame. `shape` knows the models that can be drawn.
    pub fn new(frame: &FrameData, views: &Views<'_>, shape: impl Fn(AssetId) -> Option<Shape>) -> Self {
        let mut builder = Builder::new(views, frame);
        for level in &frame.levels {
            if let Some(shape) = shape(level.asset) {
                builder.set(Shown::Model(level.asset), &shape, [still(level.world_from_model)].iter());
            }
        }
        for draws in &frame.models {
            if let Some(shape) = shape(draws.asset) {
                builder.set(Shown::Model(draws.asset), &shape, draws.instances.iter());
            }
        }
        let cube = Shape { bounds: Aabb::new(Vec3::ZERO, Vec3::ONE), extent: 0.0, nodes: 0, joints: 0 };
        let boxes = frame.placeholders.iter();
        let boxes: Vec<InstanceDraw> =
            boxes.map(|b| InstanceDraw { pick: b.pick, tint: b.color, ..still(b.world_from_cube) }).collect();
        builder.set(Shown::Cube, &cube, boxes.iter());
        builder.finish_outline();
        builder.out
    }

    /// Number of instances in the picture.
    pub fn seen(&self) -> usize {
        self.main.iter().map(|d| d.entries.len()).sum()
    }
}

/// Something without an animation at a place.
pub(super) fn still(world_from_model: Mat4) -> InstanceDraw {
    InstanceDraw {
        world_from_model,
        playback: Playback::default(),
        overrides: [0; 2],
        face: [0.0; 4],
        tint: [0.0; 4],
        pick: 0,
        bones: [0; 2],
        touches: false,
    }
}

struct Builder<'a> {
    views: &'a Views<'a>,
    overrides: &'a [PoseOverride],
    /// Bones whose spheres are drawn.
    bones: u32,
    frusta: Vec<Frustum>,
    clip_from_world: Mat4,
    outlines: &'a Outlines,
    outlined: Vec<Outlined>,
    out: Prepared,
}

impl<'a> Builder<'a> {
    fn new(views: &'a Views<'a>, frame: &'a FrameData) -> Self {
        let camera = views.camera;
        let clip_from_world = camera.clip_from_view * camera.view_from_world;
        let mut frusta = vec![Frustum::from_clip(&clip_from_world)];
        frusta.extend(views.cascades.iter().map(Cascade::frustum));
        frusta.extend(views.pick.map(|target_from_clip| Frustum::from_clip(&(target_from_clip * clip_from_world))));
        let out = Prepared { shadows: vec![Vec::new(); views.cascades.len()], ..Prepared::default() };
        Self {
            views,
            overrides: &frame.overrides,
            bones: frame.bones.len() as u32,
            frusta,
            clip_from_world,
            outlines: &frame.outlines,
            outlined: Vec::new(),
            out,
        }
    }

    fn set<'b>(&mut self, shown: Shown, shape: &Shape, instances: impl Iterator<Item = &'b InstanceDraw>) {
        let mut lists: Lists = vec![Default::default(); self.frusta.len()];
        let first_job = self.out.jobs.len() as u32;
        for instance in instances {
            if !instance.world_from_model.is_finite() {
                continue;
            }
            let bounds = shape.bounds.transformed(&instance.world_from_model);
            let size = shape.extent * instance.world_from_model.y_axis.truncate().length();
            let size_px = size * self.meter_px(&bounds);
            let number = self.out.instances.len() as u32;
            let kind = self.outlines.kind(instance.pick);
            let mut seen = false;
            for (view, list) in lists.iter_mut().enumerate() {
                let cascade = self.cascade(view);
                let too_small = cascade.is_some() && shape.extent > 0.0 && size_px < self.views.shadow_least_px;
                if !too_small && self.frusta[view].may_contain(&bounds) {
                    seen = true;
                    let lod = self.lod(cascade, size, size_px);
                    if view == 0 && kind > 0 {
                        let size_px = bounds.size().length() * self.meter_px(&bounds);
                        self.outlined.push(Outlined { shown, lod, number, bounds, size_px });
                    }
                    list[lod].push(number | ((cascade.unwrap_or(0) as u32) << CASCADE_SHIFT));
                }
            }
            if seen {
                self.push(shape, instance, first_job, kind);
            }
        }
        let job_count = self.out.jobs.len() as u32 - first_job;
        if let Shown::Model(asset) = shown
            && job_count > 0
        {
            let first_node = self.out.node_count;
            self.out.node_count += job_count * shape.nodes;
            self.out.batches.push((asset, BatchRange { first_job, job_count, first_node }));
        }
        self.finish(shown, shape, lists);
    }

    /// The cascade that a view is: the picture is the first view, and the pixels that are asked about are the last.
    fn cascade(&self, view: usize) -> Option<usize> {
        view.checked_sub(1).filter(|cascade| *cascade < self.views.cascades.len())
    }

    /// Takes in an instance, with the kind of the line around it; the jobs of its model begin at `first_job`.
    fn push(&mut self, shape: &Shape, instance: &InstanceDraw, first_job: u32, kind: u32) {
        let first_skin = self.out.skin_count;
        if shape.joints > 0 {
            let [first, end] = instance.overrides.map(|i| i as usize);
            let own = self.overrides.get(first..end).unwrap_or_default();
            let first_override = self.out.overrides.len() as u32;
            self.out.overrides.extend(own.iter().map(PoseOverrideData::from));
            let range = [first_override, self.out.overrides.len() as u32];
            let [first_bone, end] = instance.bones;
            let bone_count = end.min(self.bones).saturating_sub(first_bone);
            if bone_count > 0 {
                self.out.spheres.push(SphereJob {
                    instance: self.out.instances.len() as u32,
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
            self.out.jobs.push(PoseJob::new(&instance.playback, first_skin, range));
            self.out.skin_count += shape.joints;
        }
        self.out.instances.push(Instance {
            world_from_model: instance.world_from_model.to_cols_array_2d(),
            tint: instance.tint,
            pick: instance.pick | kind << KIND_SHIFT,
            first_skin,
            face: instance.face,
            pad_0: 0,
            pad_1: 0,
        });
    }

    /// Pixels that a metre covers in the picture at the near side of a box.
    fn meter_px(&self, bounds: &Aabb) -> f32 {
        let camera = self.views.camera;
        let distance =
            if camera.near > 0.0 { bounds.distance_squared(camera.position).sqrt().max(camera.near) } else { 1.0 };
        camera.clip_from_view.y_axis.y * self.views.height_px * 0.5 / distance
    }

    /// Level of detail for a model of this size in metres and in pixels of the picture; size 0 has but one.
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

    fn finish(&mut self, shown: Shown, shape: &Shape, lists: Lists) {
        for (view, list) in lists.into_iter().enumerate() {
            for (lod, entries) in list.into_iter().enumerate() {
                if entries.is_empty() {
                    continue;
                }
                let seen = match entries[..] {
                    [only] if shape.joints == 0 => {
                        let instance = &self.out.instances[(only & ((1 << CASCADE_SHIFT) - 1)) as usize];
                        let world_from_model = Mat4::from_cols_array_2d(&instance.world_from_model);
                        let eye = world_from_model.inverse().transform_point3(self.views.camera.position);
                        Some(Seen { frustum: self.frusta[view].in_space(&world_from_model), eye })
                    }
                    _ => None,
                };
                let first = self.out.visible.len() as u32;
                self.out.visible.extend(entries);
                let draw = Draw { shown, lod, entries: first..self.out.visible.len() as u32, seen };
                match self.cascade(view) {
                    Some(cascade) => self.out.shadows[cascade].push(draw),
                    None if view == 0 => self.out.main.push(draw),
                    None => self.out.pick.push(draw),
                }
            }
        }
    }
}

impl Builder<'_> {
    /// Draws of the largest of those around whom a line is wanted, and where in the picture they are.
    fn finish_outline(&mut self) {
        let mut all = std::mem::take(&mut self.outlined);
        if all.len() > MOST_OUTLINED {
            all.select_nth_unstable_by(MOST_OUTLINED, |a, b| b.size_px.total_cmp(&a.size_px));
            all.truncate(MOST_OUTLINED);
        }
        // Lines lie outside of what the boxes hold, which are those of all poses.
        let margin = 4.0 * self.outlines.width_px / self.views.height_px.max(1.0);
        let mut rows = [0_u32; PARTS];
        let mut lists: Vec<(Shown, usize, Vec<u32>)> = Vec::new();
        for one in &all {
            match lists.iter_mut().find(|(shown, lod, _)| (*shown, *lod) == (one.shown, one.lod)) {
                Some((.., list)) => list.push(one.number),
                None => lists.push((one.shown, one.lod, vec![one.number])),
            }
            let [left, top, right, bottom] = self.part(&one.bounds);
            let cell = |at: f32| ((at * PARTS as f32).max(0.0) as usize).min(PARTS - 1);
            let [first, last] = [cell(left - margin), cell(right + margin)];
            let columns = (u32::MAX >> (PARTS - 1 - last)) & (u32::MAX << first);
            rows[cell(top - margin)..=cell(bottom + margin)].iter_mut().for_each(|row| *row |= columns);
        }
        self.out.outline_parts = parts(&rows);
        for (shown, lod, entries) in lists {
            let first = self.out.visible.len() as u32;
            self.out.visible.extend(entries);
            self.out.outline.push(Draw { shown, lod, entries: first..self.out.visible.len() as u32, seen: None });
        }
    }

    /// The part of the picture that a box may cover: left, top, right, bottom.
    fn part(&self, bounds: &Aabb) -> [f32; 4] {
        let mut part = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        for corner in bounds.corners() {
            let clip = self.clip_from_world * corner.extend(1.0);
            if clip.w <= 1e-4 {
                // It reaches behind the eye.
                return [0.0, 0.0, 1.0, 1.0];
            }
            let (x, y) = (clip.x / clip.w * 0.5 + 0.5, 0.5 - clip.y / clip.w * 0.5);
            part = [part[0].min(x), part[1].min(y), part[2].max(x), part[3].max(y)];
        }
        part
    }
}

/// The parts whose bits are set, joined within each row.
fn parts(rows: &[u32; PARTS]) -> Vec<[f32; 4]> {
    let mut parts = Vec::new();
    let at = |i: usize| i as f32 / PARTS as f32;
    for (y, &row) in rows.iter().enumerate() {
        let mut x = 0;
        while let Some(rest) = row.checked_shr(x as u32).filter(|rest| *rest != 0) {
            let first = x + rest.trailing_zeros() as usize;
            x = first + (row >> first).trailing_ones() as usize;
            parts.push([at(first), at(y), at(x), at(y + 1)]);
        }
    }
    parts
}

/// The coarsest level of detail whose number of cells passes; the finest if none does.
fn coarsest(passes: impl Fn(f32) -> bool) -> usize {
    LOD_CELLS.iter().rposition(|cells| passes(*cells)).map_or(0, |i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Lens, View};
    use crate::render::frame::ModelDraws;

    fn frame(places: &[Vec3]) -> FrameData {
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.6);
        let instances = places.iter().map(|p| still(Mat4::from_translation(*p))).collect();
        let models = vec![ModelDraws { asset: AssetId(3), instances }];
        FrameData { models, ..FrameData::of_sky([640, 400], &view) }
    }

    fn prepared(frame: &FrameData, cascades: &[Cascade]) -> Prepared {
        let shape = Shape { bounds: Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0)), extent: 2.0, nodes: 7, joints: 5 };
        let views = Views {
            camera: &frame.camera,
            height_px: 400.0,
            cascades,
            pick: None,
            lod_bias: 1.0,
            shadow_lod_texels: 2.5,
            shadow_least_px: 0.0,
        };
        Prepared::new(frame, &views, |_| Some(shape))
    }

    #[test]
    fn only_what_is_seen_is_posed_and_drawn() {
        let frame = frame(&[Vec3::Z * 10.0, Vec3::NEG_Z * 4.0, Vec3::NEG_Z * 200.0]);
        let p = prepared(&frame, &[]);
        assert_eq!((p.instances.len(), p.jobs.len()), (2, 2));
        assert_eq!((p.node_count, p.skin_count), (14, 10));
        assert_eq!(p.batches, [(AssetId(3), BatchRange { first_job: 0, job_count: 2, first_node: 0 })]);
        assert_eq!(p.jobs[1].first_skin, 5);
        assert_eq!(p.seen(), 2);
        // The far one is drawn coarser.
        assert_eq!(p.main.len(), 2);
        assert!(p.main[0].lod < p.main[1].lod);
    }

    #[test]
    fn what_only_casts_a_shadow_is_posed_too() {
        let frame = frame(&[Vec3::Z * 3.0]);
        let cascade = Cascade {
            texture_from_world: Mat4::from_translation(Vec3::splat(0.5)) * Mat4::from_scale(Vec3::splat(0.01)),
            texel: 0.02,
        };
        let p = prepared(&frame, &[cascade, cascade]);
        assert!(p.main.is_empty());
        assert_eq!((p.instances.len(), p.jobs.len()), (1, 1));
        assert_eq!(p.visible, [0, 1 << CASCADE_SHIFT]);
        assert_eq!(p.shadows[1][0].entries, 1..2);
    }

    #[test]
    fn parts_of_the_picture_are_joined_in_rows() {
        let mut rows = [0; PARTS];
        assert!(parts(&rows).is_empty());
        rows[0] = u32::MAX;
        rows[31] = 0b1101 | 1 << 31;
        let at = |i: u8| f32::from(i) / 32.0;
        let last = |from, to| [at(from), at(31), at(to), 1.0];
        assert_eq!(parts(&rows), [[0.0, 0.0, 1.0, at(1)], last(0, 1), last(2, 4), last(31, 32)]);
    }

    #[test]
    fn lines_are_sought_where_those_are_who_have_them() {
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
        assert_eq!((count, pick), (1, 2 | 1 << KIND_SHIFT));
        assert!(!parts.is_empty() && parts.iter().all(|[left, ..]| *left >= 0.5), "{parts:?}");
        // One that reaches behind the eye may be anywhere.
        frame.models[0].instances[1].world_from_model = Mat4::IDENTITY;
        assert_eq!(outline(&frame).1.len(), PARTS);
    }

    #[test]
    fn instances_that_are_nowhere_are_left_out() {
        assert_eq!(prepared(&frame(&[Vec3::NAN]), &[]).instances.len(), 0);
    }
}
