//! Draws levels, things and characters: one draw per mesh, level of detail and model, instanced.

use crate::asset::AssetId;
use crate::render::assets::{GpuMesh, GpuModel};
use crate::render::pipelines::{Pipelines, Variant};
use crate::render::prepare::{Draw, Shown};
use std::collections::HashMap;
use std::sync::Arc;

use crate::asset::Model;

/// The models on the device.
#[derive(Debug)]
pub struct ModelSet {
    /// Loaded models, with what they were loaded from.
    pub by_asset: HashMap<AssetId, (Arc<Model>, GpuModel)>,
    /// The unit cube.
    pub cube: GpuModel,
}

impl ModelSet {
    /// What a draw shows; `None` when it is gone.
    pub fn get(&self, shown: Shown) -> Option<&GpuModel> {
        match shown {
            Shown::Model(asset) => self.by_asset.get(&asset).map(|(_, model)| model),
            Shown::Cube => Some(&self.cube),
        }
    }
}

/// Which of the passes draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Lit, into the picture.
    Light,
    /// Depth only, into a shadow map.
    Shadow,
    /// The numbers of instances, into a pick target.
    Pick,
}

/// Records `draws`; the frame's bind group is set already.
pub fn record(
    pass: &mut wgpu::RenderPass<'_>,
    pipelines: &Pipelines,
    models: &ModelSet,
    draws: &[Draw],
    purpose: Purpose,
) {
    let mut bound: Option<Variant> = None;
    for draw in draws {
        let Some(model) = models.get(draw.shown) else { continue };
        for mesh in order(model, draw, purpose) {
            let indices = mesh.lods[draw.lod].clone();
            if indices.is_empty() {
                continue;
            }
            let (surface, variant) = (&model.materials[mesh.material], variant(model, mesh));
            if bound != Some(variant) {
                pass.set_pipeline(match purpose {
                    Purpose::Light => pipelines.model(variant),
                    Purpose::Shadow => pipelines.shadow(variant),
                    Purpose::Pick => pipelines.pick(variant),
                });
                bound = Some(variant);
            }
            pass.set_bind_group(1, &surface.group, &[]);
            bind_mesh(pass, mesh);
            pass.draw_indexed(indices, 0, draw.entries.clone());
        }
    }
}

/// Which pipelines draw a mesh.
pub fn variant(model: &GpuModel, mesh: &GpuMesh) -> Variant {
    let surface = &model.materials[mesh.material];
    Variant {
        skinned: mesh.skin.is_some(),
        cutout: surface.cutout,
        double_sided: surface.double_sided,
        mapped: surface.mapped,
    }
}

/// The meshes that the view sees, the nearest first where that helps.
fn order<'a>(model: &'a GpuModel, draw: &Draw, purpose: Purpose) -> Vec<&'a GpuMesh> {
    let Some(seen) = draw.seen else { return model.meshes.iter().collect() };
    let mut meshes: Vec<_> = model.meshes.iter().filter(|mesh| seen.frustum.may_contain(&mesh.bounds)).collect();
    if purpose == Purpose::Light {
        meshes.sort_by(|a, b| {
            let distance = |mesh: &GpuMesh| mesh.bounds.distance_squared(seen.eye);
            distance(a).total_cmp(&distance(b))
        });
    }
    meshes
}

fn bind_mesh(pass: &mut wgpu::RenderPass<'_>, mesh: &GpuMesh) {
    pass.set_bind_group(2, &mesh.group, &[]);
    pass.set_vertex_buffer(0, mesh.vertices.raw().slice(..));
    if let Some(skin) = &mesh.skin {
        pass.set_vertex_buffer(1, skin.raw().slice(..));
    }
    pass.set_index_buffer(mesh.indices.raw().slice(..), wgpu::IndexFormat::Uint32);
}
