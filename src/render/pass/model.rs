//! Draws levels, props and characters: one instanced draw per mesh, level of detail and model. Owns the pipelines of
//! `shaders/model.wgsl`, which light them; other passes draw the same lists with pipelines of their own.

use crate::render::assets::{GpuGeometry, GpuMaterial, GpuMesh, GpuModel};
use crate::render::draw_lists::{Draw, INSTANCE_MASK};
use crate::render::frame_resources::{FrameResources, ModelSet};
use crate::render::pipeline::{
    AlphaDrawing, DepthWrite, ModelVariant, PipelineContext, PipelineSpec, VariantPipelines, depth_state, flag,
};
use crate::render::shaders::ShaderModules;
use std::ops::Range;
use wgpu::{CompareFunction, Face};

/// First level of detail at which blended surfaces are drawn as cut-outs: they are small in the picture, and many.
const FIRST_CUTOUT_LOD: usize = 3;

/// Which meshes of a model are drawn, in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshSet {
    /// The shapes of all, as they are stored.
    All,
    /// Those that are not blended, the nearest first, so that they hide others before those are shaded.
    Solid,
}

/// The lighting pipelines. Blended meshes whose back faces are drawn, too, are drawn twice, once with each of them: the far side of a
/// convex body lies behind its near side then, whatever the order of its triangles.
#[derive(Debug)]
pub struct LightingPipelines {
    /// All that is drawn of meshes that are not blended, and the front faces of those that are.
    fronts: VariantPipelines,
    /// The back faces of blended meshes.
    backs: VariantPipelines,
}

impl LightingPipelines {
    /// No pipeline yet.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let fronts = VariantPipelines::new(context, &shaders.model, |context, module, variant| {
            pipeline(context, module, variant, Face::Back)
        });
        let backs = VariantPipelines::new(context, &shaders.model, |context, module, variant| {
            pipeline(context, module, variant, Face::Front)
        });
        Self { fronts, backs }
    }

    /// The pipelines of a variant.
    pub fn get(&self, variant: ModelVariant) -> Vec<&wgpu::RenderPipeline> {
        let backs = is_drawn_twice(variant).then(|| self.backs.get(variant));
        backs.into_iter().chain([self.fronts.get(variant)]).collect()
    }
}

/// Whether back faces are drawn by themselves, before front faces.
fn is_drawn_twice(variant: ModelVariant) -> bool {
    variant.alpha == AlphaDrawing::Blended && variant.double_sided
}

/// A lighting pipeline; `culled` holds for blended variants.
fn pipeline(
    context: &PipelineContext,
    module: &wgpu::ShaderModule,
    variant: ModelVariant,
    culled: Face,
) -> wgpu::RenderPipeline {
    let PipelineContext { device, layouts, quality, .. } = context;
    let spec = PipelineSpec {
        fragment: Some("fs_main"),
        constants: &[
            ("ALPHA_TEST", flag(variant.alpha == AlphaDrawing::Tested)),
            ("BLENDED", flag(variant.alpha == AlphaDrawing::Blended)),
            ("MAPPED", flag(variant.mapped)),
            ("SHADOW_SAMPLES", f64::from(quality.shadow_samples())),
            ("MIRROR_SKY", flag(quality.mirrors_sky())),
            ("SHOWN_TARGET", flag(quality.is_display_referred())),
        ],
        target: Some(quality.light_format()),
        samples: quality.samples(),
        ..PipelineSpec::model("model", module, variant)
    };
    let is_blended = variant.alpha == AlphaDrawing::Blended;
    let spec = PipelineSpec {
        blend: is_blended.then_some(wgpu::BlendState::ALPHA_BLENDING),
        depth: if is_blended { depth_state(CompareFunction::Greater, DepthWrite::Off) } else { spec.depth },
        cull_mode: if is_blended { Some(culled) } else { spec.cull_mode },
        ..spec
    };
    spec.create(device, &[&layouts.frame, &layouts.material, &layouts.mesh])
}

/// Records the meshes of the picture that are not blended. Bind group 0 is set already. Returns as [`record`] does.
pub fn record_solid(
    pass: &mut wgpu::RenderPass<'_>,
    pipelines: &LightingPipelines,
    frame: FrameResources<'_>,
) -> (u32, u64) {
    record(pass, &pipelines.fronts, frame.models, &frame.lists.main, MeshSet::Solid)
}

/// Records `draws`; bind group 0 is set already. Returns how many draws the device makes of them, and of how many triangles.
pub fn record(
    pass: &mut wgpu::RenderPass<'_>,
    pipelines: &VariantPipelines,
    models: &ModelSet,
    draws: &[Draw],
    set: MeshSet,
) -> (u32, u64) {
    let mut bound = Bound::default();
    for draws in draws.chunk_by(differ_by_material_variant) {
        let Some(model) = models.get(draws[0].target) else { continue };
        for mesh in visible_meshes(model, &draws[0], set) {
            let part = |draw: &Draw| Part::new(model, mesh, draw);
            for draws in draws.chunk_by(|a, b| are_drawn_alike(&part(a), &part(b), set)) {
                let (part, entries) = (part(&draws[0]), draws[0].entries.start..draws[draws.len() - 1].entries.end);
                if set == MeshSet::All || part.variant.alpha != AlphaDrawing::Blended {
                    bound.draw(pass, pipelines, &part, entries);
                }
            }
        }
    }
    (bound.draws, bound.triangles)
}

/// Whether `b` goes on where `a` ends, with the same geometry.
fn differ_by_material_variant(a: &Draw, b: &Draw) -> bool {
    (a.target, a.lod, a.entries.end) == (b.target, b.lod, b.entries.start) && a.culling.is_none() && b.culling.is_none()
}

/// Whether a mesh looks the same in two material variants. Of [`MeshSet::All`] without holes only the shape is drawn.
fn are_drawn_alike(a: &Part<'_>, b: &Part<'_>, set: MeshSet) -> bool {
    let has_no_hole = |part: &Part<'_>| part.variant.alpha == AlphaDrawing::Opaque;
    let is_shape = set == MeshSet::All && has_no_hole(a) && has_no_hole(b);
    a.material == b.material || is_shape && a.variant.double_sided == b.variant.double_sided
}

/// Records the blended meshes of the picture after all that is not, each copy of each mesh by itself and the farthest first, by their
/// middles, and of each the back faces first. Bind group 0 is set already. Returns as [`record`] does.
pub fn record_blended(
    pass: &mut wgpu::RenderPass<'_>,
    pipelines: &LightingPipelines,
    frame: FrameResources<'_>,
) -> (u32, u64) {
    let lists = frame.lists;
    let number = |entry: &u32| lists.instances.get((entry & INSTANCE_MASK) as usize);
    let mut parts: Vec<BlendedPart<'_>> = Vec::new();
    for draw in &lists.main {
        let Some(model) = frame.models.get(draw.target).filter(|model| model.is_blended) else { continue };
        for mesh in visible_meshes(model, draw, MeshSet::All) {
            let part = Part::new(model, mesh, draw);
            if part.variant.alpha != AlphaDrawing::Blended {
                continue;
            }
            // Where the bones take a mesh is known to the device alone.
            let middle = if part.variant.skinned { model.bounds.center() } else { mesh.bounds.center() };
            for entry in draw.entries.clone() {
                let Some(instance) = lists.visible.get(entry as usize).and_then(number) else { continue };
                let place = instance.relative_from_model();
                let distance_squared = place.transform_point3(middle).length_squared();
                parts.push(BlendedPart { distance_squared, is_mirrored: place.determinant() < 0.0, part, entry });
            }
        }
    }
    parts.sort_by(|a, b| b.distance_squared.total_cmp(&a.distance_squared));
    let mut bound = Bound::default();
    for BlendedPart { is_mirrored, part, entry, .. } in &parts {
        let LightingPipelines { fronts, backs } = pipelines;
        // A mirror turns the winding of triangles round.
        let sides = match is_drawn_twice(part.variant) {
            true if *is_mirrored => [Some(fronts), Some(backs)],
            true => [Some(backs), Some(fronts)],
            false => [None, Some(fronts)],
        };
        for side in sides.into_iter().flatten() {
            bound.draw(pass, side, part, *entry..*entry + 1);
        }
    }
    (bound.draws, bound.triangles)
}

/// A copy of a blended mesh.
struct BlendedPart<'a> {
    /// Distance of its middle from the eye, squared.
    distance_squared: f32,
    is_mirrored: bool,
    part: Part<'a>,
    /// Entry of the visible list.
    entry: u32,
}

/// A mesh as a draw shows it.
#[derive(Clone, Copy)]
struct Part<'a> {
    model: &'a GpuModel,
    mesh: &'a GpuMesh,
    material: usize,
    lod: usize,
    variant: ModelVariant,
}

impl<'a> Part<'a> {
    fn new(model: &'a GpuModel, mesh: &'a GpuMesh, draw: &Draw) -> Self {
        let material = mesh.material_in(draw.material_variant);
        let mut variant = model.variant(mesh, material);
        if variant.alpha == AlphaDrawing::Blended && draw.lod >= FIRST_CUTOUT_LOD {
            variant.alpha = AlphaDrawing::Tested;
        }
        Self { model, mesh, material, lod: draw.lod, variant }
    }
}

/// What a pass has bound. What is bound already is not bound again: a level of a thousand meshes binds a few buffers.
#[derive(Default)]
struct Bound<'a> {
    pipeline: Option<&'a wgpu::RenderPipeline>,
    material: Option<&'a GpuMaterial>,
    geometry: Option<&'a GpuGeometry>,
    mesh: Option<&'a wgpu::BindGroup>,
    /// Draws and triangles so far.
    draws: u32,
    triangles: u64,
}

impl<'a> Bound<'a> {
    /// Draws these entries of the visible list.
    fn draw(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        pipelines: &'a VariantPipelines,
        part: &Part<'a>,
        entries: Range<u32>,
    ) {
        let Part { model, mesh, material, lod, variant } = *part;
        let indices = mesh.lods[lod].clone();
        if indices.is_empty() {
            return;
        }
        let pipeline = pipelines.get(variant);
        if !self.pipeline.replace(pipeline).is_some_and(|bound| std::ptr::eq(bound, pipeline)) {
            pass.set_pipeline(pipeline);
        }
        self.bind(pass, &model.materials[material], &model.geometry[mesh.geometry], &mesh.group);
        self.draws += 1;
        self.triangles += indices.len() as u64 / 3 * entries.len() as u64;
        pass.draw_indexed(indices, 0, entries);
    }

    fn bind(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        material: &'a GpuMaterial,
        geometry: &'a GpuGeometry,
        mesh: &'a wgpu::BindGroup,
    ) {
        if !self.material.replace(material).is_some_and(|bound| std::ptr::eq(bound, material)) {
            pass.set_bind_group(1, &material.group, &[]);
        }
        if self.mesh.replace(mesh) != Some(mesh) {
            pass.set_bind_group(2, mesh, &[]);
        }
        if !self.geometry.replace(geometry).is_some_and(|bound| std::ptr::eq(bound, geometry)) {
            pass.set_vertex_buffer(0, geometry.vertices.raw().slice(..));
            if let Some(skin) = &geometry.skin {
                pass.set_vertex_buffer(1, skin.raw().slice(..));
            }
            pass.set_index_buffer(geometry.indices.raw().slice(..), wgpu::IndexFormat::Uint32);
        }
    }
}

/// The meshes inside the view, in drawing order.
fn visible_meshes<'a>(model: &'a GpuModel, draw: &Draw, set: MeshSet) -> Vec<&'a GpuMesh> {
    let Some(culling) = &draw.culling else { return model.meshes.iter().collect() };
    let mut meshes: Vec<_> = model.meshes.iter().filter(|mesh| culling.may_show(&mesh.bounds)).collect();
    if set == MeshSet::Solid {
        meshes.sort_by(|a, b| {
            let distance = |mesh: &GpuMesh| mesh.bounds.distance_squared(culling.eye);
            distance(a).total_cmp(&distance(b))
        });
    }
    meshes
}
