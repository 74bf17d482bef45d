//! Draws levels, props and characters: one instanced draw per mesh, level of detail and model. Owns the pipelines of
//! `shaders/model.wgsl`, which light them; other passes draw the same lists with pipelines of their own.

use crate::render::assets::{GpuGeometry, GpuMaterial, GpuMesh, GpuModel};
use crate::render::draw_lists::Draw;
use crate::render::frame_resources::ModelSet;
use crate::render::pipeline::{ModelVariant, PipelineContext, PipelineSpec, VariantPipelines, flag};
use crate::render::shaders::ShaderModules;

/// In which order the meshes of a model are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshOrder {
    /// As they are stored.
    Stored,
    /// The nearest first, so that they hide others before those are shaded.
    FrontToBack,
}

/// The lighting pipelines.
pub fn pipelines(context: &PipelineContext, shaders: &ShaderModules) -> VariantPipelines {
    VariantPipelines::new(context, &shaders.model, |context, module, variant| {
        let PipelineContext { device, layouts, quality, .. } = context;
        let spec = PipelineSpec {
            fragment: Some("fs_main"),
            constants: &[
                ("ALPHA_TEST", flag(variant.cutout)),
                ("NORMAL_MAP", flag(variant.mapped)),
                ("SHADOW_SAMPLES", f64::from(quality.shadow_samples())),
                ("MIRROR_SKY", flag(quality.mirrors_sky())),
                ("SHOWN_TARGET", flag(quality.is_display_referred())),
            ],
            target: Some(quality.light_format()),
            samples: quality.samples(),
            ..PipelineSpec::model("model", module, variant)
        };
        spec.create(device, &[&layouts.frame, &layouts.material, &layouts.mesh])
    })
}

/// Records `draws`; bind group 0 is set already. Returns how many draws the device makes of them, and of how many triangles.
pub fn record(
    pass: &mut wgpu::RenderPass<'_>,
    pipelines: &VariantPipelines,
    models: &ModelSet,
    draws: &[Draw],
    order: MeshOrder,
) -> (u32, u64) {
    let (mut count, mut triangles) = (0, 0);
    let mut bound = Bound::default();
    for draw in draws {
        let Some(model) = models.get(draw.target) else { continue };
        for mesh in visible_meshes(model, draw, order) {
            let indices = mesh.lods[draw.lod].clone();
            if indices.is_empty() {
                continue;
            }
            let material = mesh.material_in(draw.material_variant);
            let variant = model.variant(mesh, material);
            if bound.variant.replace(variant) != Some(variant) {
                pass.set_pipeline(pipelines.get(variant));
            }
            bound.bind(pass, &model.materials[material], &model.geometry[mesh.geometry], &mesh.group);
            count += 1;
            triangles += indices.len() as u64 / 3 * draw.entries.len() as u64;
            pass.draw_indexed(indices, 0, draw.entries.clone());
        }
    }
    (count, triangles)
}

/// What a pass has bound. What is bound already is not bound again: a level of a thousand meshes binds a few buffers.
#[derive(Default)]
struct Bound<'a> {
    variant: Option<ModelVariant>,
    material: Option<&'a GpuMaterial>,
    geometry: Option<&'a GpuGeometry>,
    mesh: Option<&'a wgpu::BindGroup>,
}

impl<'a> Bound<'a> {
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
fn visible_meshes<'a>(model: &'a GpuModel, draw: &Draw, order: MeshOrder) -> Vec<&'a GpuMesh> {
    let Some(culling) = draw.culling else { return model.meshes.iter().collect() };
    let mut meshes: Vec<_> = model.meshes.iter().filter(|mesh| culling.frustum.may_contain(&mesh.bounds)).collect();
    if order == MeshOrder::FrontToBack {
        meshes.sort_by(|a, b| {
            let distance = |mesh: &GpuMesh| mesh.bounds.distance_squared(culling.eye);
            distance(a).total_cmp(&distance(b))
        });
    }
    meshes
}
