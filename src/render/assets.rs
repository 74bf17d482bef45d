//! Models on the device: vertex and index buffers, materials, textures, animation.

use super::compute::model_animation::ModelAnimation;
use super::culling::ModelShape;
use super::lamps::{Lamp, is_window, lamps_of};
use super::lod::{self, CoarseMesh, CoarseVertex, HardEdges, LOD_CELLS, LOD_COUNT, LodMode};
use super::mip_maps::{ModelMipMaps, texel_source};
use super::named_morphs::own_targets;
use super::pipeline::{AlphaDrawing, ModelVariant};
use super::static_batching;
use super::types::{GpuSkinVertex, GpuVertex, MaterialUniforms, MeshUniforms, MorphDelta};
use super::upload::UploadContext;
use crate::asset::{AlphaMode, Image, Material, Mesh, Model};
use crate::gpu::GrowBuffer;
use crate::gpu::buffer::most_elements;
use crate::gpu::texture::{MipChain, TexelEncoding, TexelSource, upload_chain, upload_rgba};
use crate::math::Aabb;
use crate::math::triangle::normal;
use glam::Vec3;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use wgpu::BufferUsages;

/// First coarse level of detail whose edges are smoothed, because they are too small in the picture.
const FIRST_SMOOTH_LOD: usize = 3;

/// Alpha of blended surfaces below which they cast no shadow.
const SHADOW_CUTOFF: f32 = 0.5;

/// Vertices and indices of meshes that share buffers: so many that a thousand parts of a level need a few, so few that they fit the limits
/// of any device. A mesh with more has buffers of its own.
const MAX_SHARED: [usize; 2] = [1 << 20, 1 << 22];

/// Vertices and indices of meshes of one model. What follows in the same buffers is drawn without binding others.
#[derive(Debug)]
pub struct GpuGeometry {
    /// [`GpuVertex`] per vertex.
    pub vertices: GrowBuffer<GpuVertex>,
    /// Joint influences, for skinned models.
    pub skin: Option<GrowBuffer<GpuSkinVertex>>,
    /// Indices of all levels of detail of all meshes, into all vertices.
    pub indices: GrowBuffer<u32>,
}

/// A mesh on the device.
#[derive(Debug)]
pub struct GpuMesh {
    /// Index into [`GpuModel::geometry`].
    pub geometry: usize,
    /// Index range of each level of detail.
    pub lods: [Range<u32>; LOD_COUNT],
    /// Index into [`GpuModel::materials`].
    pub material: usize,
    /// The same in each material variant; empty where it is the same in all of them.
    pub variant_materials: Vec<usize>,
    /// Morph deltas, where its vertices begin, and their number; the same for all without morph targets.
    pub group: wgpu::BindGroup,
    /// Box around its vertices, in model space.
    pub bounds: Aabb,
}

/// A material on the device.
#[derive(Debug)]
pub struct GpuMaterial {
    /// Values, textures, sampler.
    pub group: wgpu::BindGroup,
    /// How its alpha is drawn.
    pub alpha: AlphaDrawing,
    /// Back faces are drawn.
    pub double_sided: bool,
    /// With textures beside that of the colour.
    pub mapped: bool,
}

/// A model on the device.
#[derive(Debug)]
pub struct GpuModel {
    /// Vertices and indices of its meshes.
    pub geometry: Vec<GpuGeometry>,
    /// Its meshes.
    pub meshes: Vec<GpuMesh>,
    /// Its materials.
    pub materials: Vec<GpuMaterial>,
    /// Clips and skeleton, for skinned models.
    pub animation: Option<ModelAnimation>,
    /// Box around all poses, in model space.
    pub bounds: Aabb,
    /// Longest edge of its rest box, in model space.
    pub extent: f32,
    /// Its levels of detail.
    pub lods: LodMode,
    /// Its lamps, in model space.
    pub lamps: Vec<Lamp>,
    /// Whether some of its materials are blended.
    pub is_blended: bool,
}

impl GpuMesh {
    /// The material in a material variant, 0 for none; index into [`GpuModel::materials`].
    pub fn material_in(&self, material_variant: u32) -> usize {
        let of_variant = (material_variant as usize).checked_sub(1).and_then(|i| self.variant_materials.get(i));
        of_variant.copied().unwrap_or(self.material)
    }
}

impl GpuModel {
    /// The shader permutation of one of its meshes with one of its materials.
    pub fn variant(&self, mesh: &GpuMesh, material: usize) -> ModelVariant {
        let material = &self.materials[material];
        ModelVariant {
            skinned: self.geometry[mesh.geometry].skin.is_some(),
            double_sided: material.double_sided,
            mapped: material.mapped,
            alpha: material.alpha,
        }
    }

    /// What culling needs to know.
    pub fn shape(&self) -> ModelShape {
        let (nodes, joints) = self.animation.as_ref().map_or((0, 0), |a| (a.node_count, a.joint_count));
        ModelShape {
            bounds: self.bounds,
            extent: if self.lods == LodMode::Full { self.extent } else { 0.0 },
            nodes,
            joints,
        }
    }
}

/// Uploads models.
#[derive(Clone, Copy, Debug)]
pub struct ModelLoader<'a> {
    /// Device, queue and layouts.
    pub upload: UploadContext<'a>,
    /// Sampler of material textures.
    pub sampler: &'a wgpu::Sampler,
}

impl ModelLoader<'_> {
    /// Uploads a model with these levels of detail and mip maps.
    pub fn load(&self, model: &Model, lods: LodMode, mip_maps: &ModelMipMaps) -> GpuModel {
        let textures = ModelTextures {
            colors: self.images(model, TexelEncoding::Srgb, &mip_maps.colors),
            values: self.images(model, TexelEncoding::Linear, &mip_maps.values),
            white: self.pixel([255; 4], TexelEncoding::Srgb),
            ones: self.pixel([255; 4], TexelEncoding::Linear),
            flat: self.pixel([128, 128, 255, 255], TexelEncoding::Linear),
        };
        let mut materials: Vec<GpuMaterial> = model.materials.iter().map(|m| self.surface(m, &textures)).collect();
        materials.push(self.surface(&Material::default(), &textures));
        let skinned = model.is_skinned();
        let longest = model.rest_bounds.size().max_element();
        let lod_extent = if lods == LodMode::Full { longest } else { 0.0 };
        let names = model.morph_names();
        let sources: Vec<Cow<'_, Mesh>> = if skinned {
            model.meshes.iter().filter(|mesh| model.is_drawn(mesh)).map(Cow::Borrowed).collect()
        } else {
            static_batching::batch_meshes(model)
        };
        let detailed =
            |mesh| DetailedMesh::new(mesh, if skinned { lod_extent / model.skinned_scale(mesh) } else { lod_extent });
        let detailed: Vec<DetailedMesh<'_>> = sources.iter().map(|mesh| detailed(mesh)).collect();
        let empty = Mesh::default();
        let plain = self.mesh_group(&empty, &MeshCorners::new(&empty), 0, &names);
        let (mut geometry, mut meshes) = (Vec::new(), Vec::new());
        for shared in runs(&detailed) {
            let mut first = [0; 2];
            let Some(gpu) = self.geometry(&model.name, shared, skinned) else { continue };
            for one in shared {
                let index = |material: u32| (material as usize).min(materials.len() - 1);
                let mesh = one.corners.mesh;
                meshes.push(GpuMesh {
                    geometry: geometry.len(),
                    lods: one.lods.clone().map(|lod| lod.start + first[1] as u32..lod.end + first[1] as u32),
                    material: index(mesh.material),
                    variant_materials: mesh.variant_materials.iter().map(|&material| index(material)).collect(),
                    group: if mesh.morphs.is_empty() {
                        plain.clone()
                    } else {
                        self.mesh_group(mesh, &one.corners, first[0] as u32, &names)
                    },
                    bounds: Aabb::from_points(mesh.vertices.iter().map(|v| v.position)),
                });
                first = [first[0] + one.corners.len(), first[1] + one.index_count()];
            }
            geometry.push(gpu);
        }
        GpuModel {
            geometry,
            meshes,
            materials,
            animation: skinned.then(|| ModelAnimation::new(self.upload, model)),
            bounds: pose_bounds(model),
            extent: longest,
            lods,
            lamps: if skinned { Vec::new() } else { lamps_of(model) },
            is_blended: model.materials.iter().any(|m| m.alpha == AlphaMode::Blended),
        }
    }

    /// The textures of those images that have mip maps.
    fn images(
        &self,
        model: &Model,
        texels: TexelEncoding,
        mip_maps: &[Option<MipChain>],
    ) -> Vec<Option<wgpu::Texture>> {
        let (device, queue) = (self.upload.device, self.upload.queue.queue);
        let texture = |(image, chain): (&Arc<Image>, &Option<MipChain>)| {
            Some(upload_chain(device, queue, &texel_source(image, texels), chain.as_ref()?))
        };
        model.images.iter().zip(mip_maps).map(texture).collect()
    }

    fn pixel(&self, rgba: [u8; 4], texels: TexelEncoding) -> wgpu::Texture {
        let source = TexelSource { label: "single colour", size: [1, 1], rgba: &rgba, texels };
        upload_rgba(self.upload.device, self.upload.queue.queue, &source)
    }

    fn surface(&self, material: &Material, textures: &ModelTextures) -> GpuMaterial {
        let ModelTextures { colors, values, white, ones, flat } = textures;
        let [r, g, b] = material.emissive;
        let (alpha, cutoff) = match material.alpha {
            AlphaMode::Opaque => (AlphaDrawing::Opaque, 0.0),
            AlphaMode::Cutout(cutoff) => (AlphaDrawing::Tested, cutoff),
            AlphaMode::Blended => (AlphaDrawing::Blended, SHADOW_CUTOFF),
        };
        let values_of_material = MaterialUniforms {
            base_color: material.base_color,
            emissive: [r, g, b, cutoff],
            surface: [
                material.metallic,
                material.roughness,
                f32::from(u8::from(is_window(material))),
                f32::from(u8::from(material.double_sided)),
            ],
        };
        let (device, queue) = (self.upload.device, self.upload.queue.queue);
        let uniform = GrowBuffer::with_data(device, queue, "material", BufferUsages::UNIFORM, &[values_of_material]);
        let views = [
            (1, chosen(colors, material.base_color_image, white)),
            (2, chosen(values, material.normal_image, flat)),
            (4, chosen(values, material.surface_image, ones)),
            (5, chosen(colors, material.emissive_image, white)),
        ]
        .map(|(binding, texture)| (binding, texture.create_view(&wgpu::TextureViewDescriptor::default())));
        let textures = views.iter().map(|(binding, view)| (*binding, wgpu::BindingResource::TextureView(view)));
        let others = [(0, uniform.raw().as_entire_binding()), (3, wgpu::BindingResource::Sampler(self.sampler))];
        let entries: Vec<_> =
            textures.chain(others).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let layout = &self.upload.layouts.material;
        let group =
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("material"), layout, entries: &entries });
        let maps = [material.normal_image, material.surface_image, material.emissive_image];
        let mapped = maps.iter().any(Option::is_some);
        GpuMaterial { group, alpha, double_sided: material.double_sided, mapped }
    }

    /// Buffers that hold these meshes of a model one after the other; `None`, with a warning, where the device has none so large.
    fn geometry(&self, model: &str, meshes: &[DetailedMesh<'_>], skinned: bool) -> Option<GpuGeometry> {
        let upload = (self.upload.device, self.upload.queue.queue);
        let device = self.upload.device;
        let vertex_count = meshes.iter().map(|one| one.corners.len()).sum();
        let index_count = meshes.iter().map(DetailedMesh::index_count).sum();
        let max_bytes = device.limits().max_buffer_size;
        if let Some(bytes) = oversized_bytes(vertex_count, index_count, max_bytes) {
            let mesh = meshes.first().map_or("", |one| one.corners.mesh.name.as_str());
            let [asked, most] = [bytes, max_bytes].map(|bytes| bytes >> 20);
            tracing::warn!(
                "The mesh '{mesh}' of the model '{model}' is not drawn: it takes a buffer of {asked} MiB, and the graphics device has none \
                 above {most} MiB."
            );
            return None;
        }
        let geometry = GpuGeometry {
            vertices: GrowBuffer::new(device, "vertices", BufferUsages::VERTEX, vertex_count),
            skin: skinned.then(|| GrowBuffer::new(device, "skin weights", BufferUsages::VERTEX, vertex_count)),
            indices: GrowBuffer::new(device, "indices", BufferUsages::INDEX, index_count),
        };
        let [mut vertex, mut index] = [0; 2];
        for one in meshes {
            let (mesh, corners) = (one.corners.mesh, &one.corners);
            geometry.vertices.write_from_fn(upload, vertex, corners.len(), |i| gpu_vertex(mesh, corners.get(i)));
            if let Some(skin) = &geometry.skin {
                skin.write_from_fn(upload, vertex, corners.len(), |i| gpu_skin(mesh, corners.get(i)));
            }
            geometry.indices.write_from_fn(upload, index, one.index_count(), |i| vertex as u32 + one.index(i));
            (vertex, index) = (vertex + corners.len(), index + one.index_count());
        }
        Some(geometry)
    }

    fn mesh_group(&self, mesh: &Mesh, corners: &MeshCorners<'_>, first_vertex: u32, names: &[&str]) -> wgpu::BindGroup {
        let (device, queue) = (self.upload.device, self.upload.queue.queue);
        let most = most_elements::<MorphDelta>(device, BufferUsages::STORAGE) / corners.len().max(1);
        let morphs = &mesh.morphs[..mesh.morphs.len().min(most)];
        if morphs.len() < mesh.morphs.len() {
            let (shown, all) = (morphs.len(), mesh.morphs.len());
            tracing::warn!(
                "Only the first {shown} of {all} morph targets of mesh {} are shown: the graphics device holds no more.",
                mesh.name
            );
        }
        let deltas: Vec<MorphDelta> = morphs
            .iter()
            .flat_map(|morph| {
                (0..corners.len()).map(move |i| {
                    let i = corners.get(i).place as usize;
                    let position = morph.positions.get(i).copied().unwrap_or(Vec3::ZERO);
                    let normal = morph.normals.get(i).copied().unwrap_or(Vec3::ZERO);
                    MorphDelta { position: position.extend(0.0).to_array(), normal: normal.extend(0.0).to_array() }
                })
            })
            .collect();
        let info = MeshUniforms {
            vertex_count: corners.len() as u32,
            morph_count: morphs.len() as u32,
            first_vertex,
            pad_0: 0,
            own_targets: own_targets(mesh, names),
        };
        let info = GrowBuffer::with_data(device, queue, "mesh", BufferUsages::UNIFORM, &[info]);
        let deltas = GrowBuffer::with_data(device, queue, "morph targets", BufferUsages::STORAGE, &deltas);
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("mesh"),
            layout: &self.upload.layouts.mesh,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: info.raw().as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: deltas.raw().as_entire_binding() },
            ],
        })
    }
}

/// A mesh with its levels of detail, before it is on the device.
struct DetailedMesh<'a> {
    corners: MeshCorners<'a>,
    /// Into the corners.
    coarse_indices: Vec<u32>,
    /// Ranges of the indices, those of the finest level first.
    lods: [Range<u32>; LOD_COUNT],
}

impl<'a> DetailedMesh<'a> {
    /// `lod_extent` is the longest edge of the whole model in the mesh's unit, 0 for no coarser levels of detail.
    fn new(mesh: &'a Mesh, lod_extent: f32) -> Self {
        let mut corners = MeshCorners::new(mesh);
        let mut coarse_indices: Vec<u32> = Vec::new();
        let finest = mesh.indices.len();
        let mut lods: [Range<u32>; LOD_COUNT] = std::array::from_fn(|_| 0..finest as u32);
        let coarse_meshes = if lod_extent > 0.0 { coarse_meshes(mesh, lod_extent) } else { Vec::new() };
        for (i, coarse) in coarse_meshes.into_iter().enumerate() {
            lods[i + 1] = lods[i].clone();
            if coarse.indices.len() < (lods[i].end - lods[i].start) as usize {
                let begin = finest + coarse_indices.len();
                lods[i + 1] = begin as u32..(begin + coarse.indices.len()) as u32;
                let first = corners.len() as u32;
                coarse_indices.extend(coarse.indices.iter().map(|index| index + first));
                corners.coarse.extend(coarse.vertices);
            }
        }
        Self { corners, coarse_indices, lods }
    }

    /// Number of indices of all levels of detail.
    fn index_count(&self) -> usize {
        self.corners.mesh.indices.len() + self.coarse_indices.len()
    }

    /// An index by its number.
    fn index(&self, i: usize) -> u32 {
        let mesh = self.corners.mesh;
        match i.checked_sub(mesh.indices.len()) {
            Some(coarse) => self.coarse_indices[coarse],
            None if mesh.is_flat => i as u32,
            None => mesh.indices[i],
        }
    }
}

/// Bytes of the vertex or index buffer that is larger than a device's largest.
fn oversized_bytes(vertex_count: usize, index_count: usize, max_bytes: u64) -> Option<u64> {
    let sizes = [vertex_count * size_of::<GpuVertex>(), index_count * size_of::<u32>()];
    sizes.into_iter().map(|bytes| bytes as u64).find(|&bytes| bytes > max_bytes)
}

/// Meshes that share buffers, in their order.
fn runs<'a, 'm>(meshes: &'a [DetailedMesh<'m>]) -> Vec<&'a [DetailedMesh<'m>]> {
    let (mut runs, mut begin, mut size) = (Vec::new(), 0, [0; 2]);
    for (i, one) in meshes.iter().enumerate() {
        let own = [one.corners.len(), one.index_count()];
        if begin < i && (0..2).any(|k| size[k] + own[k] > MAX_SHARED[k]) {
            runs.push(&meshes[begin..i]);
            (begin, size) = (i, [0; 2]);
        }
        size = [size[0] + own[0], size[1] + own[1]];
    }
    if begin < meshes.len() {
        runs.push(&meshes[begin..]);
    }
    runs
}

/// The coarse levels of detail of a mesh of a model whose longest edge is `lod_extent`, in the mesh's unit.
fn coarse_meshes(mesh: &Mesh, lod_extent: f32) -> Vec<CoarseMesh> {
    let simplify = |(i, cells): (usize, &f32)| {
        if !mesh.skin.is_empty() {
            return lod::simplify_body(&mesh.vertices, &mesh.indices, lod_extent * lod::body_error(*cells));
        }
        let hard_edges = if i < FIRST_SMOOTH_LOD { HardEdges::Keep } else { HardEdges::Smooth };
        lod::simplify(&mesh.vertices, &mesh.indices, lod_extent / cells, hard_edges)
    };
    LOD_CELLS.par_iter().enumerate().map(simplify).collect()
}

/// The textures of a model, in the order of its images: none where no material uses it so.
struct ModelTextures {
    colors: Vec<Option<wgpu::Texture>>,
    values: Vec<Option<wgpu::Texture>>,
    white: wgpu::Texture,
    ones: wgpu::Texture,
    flat: wgpu::Texture,
}

/// The texture of an image, else another one.
fn chosen<'a>(textures: &'a [Option<wgpu::Texture>], image: Option<u32>, or: &'a wgpu::Texture) -> &'a wgpu::Texture {
    image.and_then(|i| textures.get(i as usize)?.as_ref()).unwrap_or(or)
}

/// The vertices of a mesh on the device: those of its finest level of detail, then those of the coarser ones.
struct MeshCorners<'a> {
    mesh: &'a Mesh,
    /// How many the finest level has: where it is flat, each triangle has its own.
    finest: usize,
    coarse: Vec<CoarseVertex>,
}

impl<'a> MeshCorners<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let finest = if mesh.is_flat { mesh.indices.len() / 3 * 3 } else { mesh.vertices.len() };
        Self { mesh, finest, coarse: Vec::new() }
    }

    fn len(&self) -> usize {
        self.finest + self.coarse.len()
    }

    fn get(&self, i: usize) -> CoarseVertex {
        if i >= self.finest {
            return self.coarse[i - self.finest];
        }
        let vertex = if self.mesh.is_flat { self.mesh.indices[i] } else { i as u32 };
        let own = if self.mesh.is_flat { self.mesh.triangle(i / 3).and_then(|points| normal(&points)) } else { None };
        let normal = own.unwrap_or(self.mesh.vertices[vertex as usize].normal);
        CoarseVertex { place: vertex, look: vertex, normal }
    }
}

fn gpu_vertex(mesh: &Mesh, corner: CoarseVertex) -> GpuVertex {
    let (place, look) = (&mesh.vertices[corner.place as usize], &mesh.vertices[corner.look as usize]);
    let normal = corner.normal.try_normalize().unwrap_or(Vec3::Y);
    let snorm = |x: f32| (x * 32767.0).round() as i16;
    GpuVertex {
        position: place.position.to_array(),
        normal: [snorm(normal.x), snorm(normal.y), snorm(normal.z), 0],
        uv: look.uv.to_array(),
        color: look.color,
    }
}

fn gpu_skin(mesh: &Mesh, corner: CoarseVertex) -> GpuSkinVertex {
    let skin = mesh.skin.get(corner.place as usize).copied().unwrap_or_default();
    let weights = skin.weights.map(|w| (w.clamp(0.0, 1.0) * 65535.0).round() as u16);
    GpuSkinVertex { joints: skin.joints, weights }
}

/// Box around all poses: the rest box, for skinned models expanded by half its longest edge.
fn pose_bounds(model: &Model) -> Aabb {
    if model.is_skinned() && !model.rest_bounds.is_empty() {
        model.rest_bounds.expanded(Vec3::splat(model.rest_bounds.size().max_element() * 0.5))
    } else {
        model.rest_bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_beyond_the_largest_of_a_device_are_found() {
        let vertex_bytes = size_of::<GpuVertex>();
        assert_eq!(oversized_bytes(8, 24, 8 * vertex_bytes as u64), None);
        assert_eq!(oversized_bytes(9, 24, 8 * vertex_bytes as u64), Some(9 * vertex_bytes as u64));
        assert_eq!(oversized_bytes(1, 300, 1000), Some(1200));
    }
}
