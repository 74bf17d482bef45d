//! Models on the device: vertex and index buffers, materials, textures, animation data.

use super::compute::ModelAnimation;
use super::layouts::Layouts;
use super::lod::{self, Merged};
use super::merge;
use super::prepare::Shape;
use super::types::{GpuSkinVertex, GpuVertex, Material as GpuMaterial, MeshInfo, MorphDelta};
use crate::asset::{Image, Material, Mesh, Model};
use crate::gpu::GrowBuffer;
use crate::gpu::texture::{TexelEncoding, upload_rgba};
use crate::math::Aabb;
use glam::Vec3;
use std::ops::Range;
use wgpu::BufferUsages;

/// Number of levels of detail, the finest included.
pub const LODS: usize = 5;

/// Cells over the longest edge of a model in each coarser level of detail.
pub const LOD_CELLS: [f32; LODS - 1] = [64.0, 34.0, 18.0, 11.0];

/// Levels of detail from this one on are too small in the picture for sharp edges.
const SMOOTH_FROM: usize = 2;

/// A mesh on the device.
#[derive(Debug)]
pub struct GpuMesh {
    /// [`GpuVertex`] per vertex.
    pub vertices: GrowBuffer<GpuVertex>,
    /// Joint influences, for skinned models.
    pub skin: Option<GrowBuffer<GpuSkinVertex>>,
    /// Indices of all levels of detail.
    pub indices: GrowBuffer<u32>,
    /// Where each level of detail lies in the indices.
    pub lods: [Range<u32>; LODS],
    /// Index into [`GpuModel::materials`].
    pub material: usize,
    /// Morph deltas and vertex count.
    pub group: wgpu::BindGroup,
    /// Box around its vertices, in model space.
    pub bounds: Aabb,
}

/// A material on the device.
#[derive(Debug)]
pub struct GpuSurface {
    /// Values, textures, sampler.
    pub group: wgpu::BindGroup,
    /// Whether texels are left out by alpha.
    pub cutout: bool,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether normals come from a map.
    pub mapped: bool,
}

/// A model on the device.
#[derive(Debug)]
pub struct GpuModel {
    /// Its meshes.
    pub meshes: Vec<GpuMesh>,
    /// Its materials.
    pub materials: Vec<GpuSurface>,
    /// Clips and skeleton, for skinned models.
    pub animation: Option<ModelAnimation>,
    /// Box around everything that it may cover in any pose, in model space.
    pub bounds: Aabb,
    /// Longest edge of its rest box, in model space.
    pub extent: f32,
    /// Whether it has coarser levels of detail.
    pub coarser: bool,
}

impl GpuModel {
    /// What culling needs to know.
    pub fn shape(&self) -> Shape {
        let (nodes, joints) = self.animation.as_ref().map_or((0, 0), |a| (a.node_count, a.joint_count));
        Shape { bounds: self.bounds, extent: if self.coarser { self.extent } else { 0.0 }, nodes, joints }
    }
}

/// What uploading a model needs.
#[derive(Clone, Copy, Debug)]
pub struct Loader<'a> {
    /// Makes resources.
    pub device: &'a wgpu::Device,
    /// Takes uploads.
    pub queue: &'a wgpu::Queue,
    /// Shapes of bind groups.
    pub layouts: &'a Layouts,
    /// How surfaces are sampled.
    pub sampler: &'a wgpu::Sampler,
}

impl Loader<'_> {
    /// Uploads a model; `coarser` says whether with coarser levels of detail.
    pub fn load(&self, model: &Model, coarser: bool) -> GpuModel {
        let images: Vec<Option<wgpu::Texture>> =
            model.images.iter().enumerate().map(|(i, image)| self.color_image(model, i, image)).collect();
        let white = self.pixel([255; 4], TexelEncoding::Srgb);
        let flat = self.pixel([128, 128, 255, 255], TexelEncoding::Linear);
        let textures = Textures { images: &images, white: &white, flat: &flat };
        let mut materials: Vec<GpuSurface> =
            model.materials.iter().map(|m| self.surface(model, m, &textures)).collect();
        materials.push(self.surface(model, &Material::default(), &textures));
        let skinned = model.is_skinned();
        let longest = model.rest_bounds.size().max_element();
        let lod_extent = if coarser { longest } else { 0.0 };
        let upload = |mesh: &Mesh| {
            let material = (mesh.material as usize).min(materials.len() - 1);
            self.mesh(mesh, material, lod_extent, skinned)
        };
        let meshes = if skinned {
            model.meshes.iter().filter(|m| !model.is_walk_mesh(m)).map(upload).collect()
        } else {
            merge::merged(model).iter().map(upload).collect()
        };
        GpuModel {
            meshes,
            materials,
            animation: skinned.then(|| ModelAnimation::new(self.device, self.queue, self.layouts, model)),
            bounds: reach(model),
            extent: longest,
            coarser,
        }
    }

    fn color_image(&self, model: &Model, index: usize, image: &Image) -> Option<wgpu::Texture> {
        let used = |m: &Material| m.base_color_image == Some(index as u32);
        model.materials.iter().any(used).then(|| {
            upload_rgba(
                self.device,
                self.queue,
                &image.name,
                [image.width, image.height],
                &image.rgba,
                TexelEncoding::Srgb,
            )
        })
    }

    fn pixel(&self, rgba: [u8; 4], texels: TexelEncoding) -> wgpu::Texture {
        upload_rgba(self.device, self.queue, "single colour", [1, 1], &rgba, texels)
    }

    fn surface(&self, model: &Model, material: &Material, textures: &Textures<'_>) -> GpuSurface {
        let base = material.base_color_image.and_then(|i| textures.images.get(i as usize)?.as_ref());
        let normal = material.normal_image.and_then(|i| model.images.get(i as usize)).map(|image| {
            upload_rgba(
                self.device,
                self.queue,
                &image.name,
                [image.width, image.height],
                &image.rgba,
                TexelEncoding::Linear,
            )
        });
        let [r, g, b] = material.emissive;
        let values = GpuMaterial {
            base_color: material.base_color,
            emissive: [r, g, b, material.alpha_cutoff],
            surface: [material.metallic, material.roughness, 0.0, f32::from(u8::from(material.double_sided))],
        };
        let uniform = GrowBuffer::with_data(self.device, self.queue, "material", BufferUsages::UNIFORM, &[values]);
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let base_view = view(base.unwrap_or(textures.white));
        let normal_view = view(normal.as_ref().unwrap_or(textures.flat));
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("material"),
            layout: &self.layouts.material,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: uniform.raw().as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&base_view) },
                wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::TextureView(&normal_view) },
                wgpu::BindGroupEntry { binding: 3, resource: wgpu::BindingResource::Sampler(self.sampler) },
            ],
        });
        GpuSurface {
            group,
            cutout: material.alpha_cutoff > 0.0,
            double_sided: material.double_sided,
            mapped: normal.is_some(),
        }
    }

    /// `lod_extent` is the longest edge of the whole model, 0 for no coarser levels of detail.
    fn mesh(&self, mesh: &Mesh, material: usize, lod_extent: f32, skinned: bool) -> GpuMesh {
        let mut corners: Vec<Merged> = (0..mesh.vertices.len() as u32)
            .map(|i| Merged { place: i, look: i, normal: mesh.vertices[i as usize].normal })
            .collect();
        let mut indices = mesh.indices.clone();
        let mut lods: [Range<u32>; LODS] = std::array::from_fn(|_| 0..mesh.indices.len() as u32);
        for (i, cells) in LOD_CELLS.iter().enumerate().filter(|_| lod_extent > 0.0) {
            let coarse = lod::simplified(&mesh.vertices, &mesh.indices, lod_extent / cells, i < SMOOTH_FROM);
            lods[i + 1] = lods[i].clone();
            if coarse.indices.len() < (lods[i].end - lods[i].start) as usize {
                lods[i + 1] = indices.len() as u32..(indices.len() + coarse.indices.len()) as u32;
                indices.extend(coarse.indices.iter().map(|index| index + corners.len() as u32));
                corners.extend(coarse.vertices);
            }
        }
        let (device, queue) = (self.device, self.queue);
        let vertices = gpu_vertices(mesh, &corners);
        let skin = skinned.then(|| {
            let skin = gpu_skin(mesh, &corners);
            GrowBuffer::with_data(device, queue, "skin weights", BufferUsages::VERTEX, &skin)
        });
        GpuMesh {
            vertices: GrowBuffer::with_data(device, queue, "vertices", BufferUsages::VERTEX, &vertices),
            skin,
            indices: GrowBuffer::with_data(device, queue, "indices", BufferUsages::INDEX, &indices),
            lods,
            material,
            group: self.mesh_group(mesh, &corners),
            bounds: Aabb::from_points(mesh.vertices.iter().map(|v| v.position)),
        }
    }

    fn mesh_group(&self, mesh: &Mesh, corners: &[Merged]) -> wgpu::BindGroup {
        let deltas: Vec<MorphDelta> = mesh
            .morphs
            .iter()
            .flat_map(|morph| {
                corners.iter().map(move |corner| {
                    let i = corner.place as usize;
                    let position = morph.positions.get(i).copied().unwrap_or(Vec3::ZERO);
                    let normal = morph.normals.get(i).copied().unwrap_or(Vec3::ZERO);
                    MorphDelta { position: position.extend(0.0).to_array(), normal: normal.extend(0.0).to_array() }
                })
            })
            .collect();
        let info =
            MeshInfo { vertex_count: corners.len() as u32, morph_count: mesh.morphs.len() as u32, pad_0: 0, pad_1: 0 };
        let (device, queue) = (self.device, self.queue);
        let info = GrowBuffer::with_data(device, queue, "mesh", BufferUsages::UNIFORM, &[info]);
        let deltas = GrowBuffer::with_data(device, queue, "morph targets", BufferUsages::STORAGE, &deltas);
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("mesh"),
            layout: &self.layouts.mesh,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: info.raw().as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: deltas.raw().as_entire_binding() },
            ],
        })
    }
}

struct Textures<'a> {
    images: &'a [Option<wgpu::Texture>],
    white: &'a wgpu::Texture,
    flat: &'a wgpu::Texture,
}

fn gpu_vertices(mesh: &Mesh, corners: &[Merged]) -> Vec<GpuVertex> {
    corners
        .iter()
        .map(|corner| {
            let (place, look) = (&mesh.vertices[corner.place as usize], &mesh.vertices[corner.look as usize]);
            let normal = corner.normal.try_normalize().unwrap_or(Vec3::Y);
            let snorm = |x: f32| (x * 32767.0).round() as i16;
            GpuVertex {
                position: place.position.to_array(),
                normal: [snorm(normal.x), snorm(normal.y), snorm(normal.z), 0],
                uv: look.uv.to_array(),
                color: look.color,
            }
        })
        .collect()
}

fn gpu_skin(mesh: &Mesh, corners: &[Merged]) -> Vec<GpuSkinVertex> {
    corners
        .iter()
        .map(|corner| {
            let skin = mesh.skin.get(corner.place as usize).copied().unwrap_or_default();
            let weights = skin.weights.map(|w| (w.clamp(0.0, 1.0) * 65535.0).round() as u16);
            GpuSkinVertex { joints: skin.joints, weights }
        })
        .collect()
}

/// The box that a model may cover in any pose: its rest box, and for skinned models half its longest edge around it.
fn reach(model: &Model) -> Aabb {
    if model.is_skinned() && !model.rest_bounds.is_empty() {
        model.rest_bounds.expanded(Vec3::splat(model.rest_bounds.size().max_element() * 0.5))
    } else {
        model.rest_bounds
    }
}
