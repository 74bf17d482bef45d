//! Meshes, bones and morph targets.

use super::clips::{MorphedChannel, MorphedChannels, holder_of};
use super::materials::base_texture;
use super::nodes::{FbxNodes, first_name, mat4, vec3};
use crate::asset::import::budget::ModelBudget;
use crate::asset::import::geometry::{Influences, JointTable, check_joints, shear, triangle_bytes};
use crate::asset::import::limits;
use crate::asset::import::nodes::MeshUse;
use crate::asset::{AssetError, Mesh, Model, Morph, SkinVertex, Vertex};
use foldhash::HashMap;
use glam::{Mat4, Vec2, Vec3};
use std::path::Path;
use ufbx::{BlendShape, MeshPart, Scene, SkinDeformer, Texture, VertexVec2, get_vertex_vec2, get_vertex_vec3};

/// Reads every mesh once per node that carries it, a part for each material. Returns the weight at rest of each morph target of each mesh
/// of the model.
///
/// # Errors
/// They take more memory, or have more vertices or joints, than a model may.
pub fn read(
    scene: &Scene,
    nodes: &FbxNodes,
    (path, budget): (&Path, &mut ModelBudget),
    model: &mut Model,
    channels: &mut MorphedChannels,
) -> Result<Vec<Vec<f32>>, AssetError> {
    let mut rest_weights = Vec::new();
    let mut joints = JointTable::of(model);
    let mut vertices = 0;
    let mut builder = PartBuilder::default();
    for mesh_use in &nodes.mesh_uses {
        let mesh = &scene.meshes[mesh_use.mesh as usize];
        budget.take(path, shape_count(mesh) * mesh.num_vertices as u64 * size_of::<[Vec3; 2]>() as u64)?;
        let targets = MorphTargets::of(mesh);
        for part in mesh.material_parts.iter().filter(|part| part.num_triangles > 0) {
            let corners = part.num_triangles as u64 * 3;
            vertices += corners;
            limits::check(path, "its number of vertices", vertices, limits::VERTICES as u64)?;
            budget.take(path, corners * targets.vertex_bytes() + triangle_bytes(part.num_triangles as u64))?;
            let node = nodes.in_file(scene, mesh_use.node);
            let material = material_of(scene, node, mesh, part);
            let texture = scene.materials.get(material as usize).and_then(|material| base_texture(material));
            let mut own = builder.build(mesh, part, texture);
            own.name = first_name([&mesh.element.name, &node.element.name]);
            (own.node, own.material) = (mesh_use.node, material);
            own.morphs = targets.of_part(&builder.sources);
            if !mesh.skin_deformers.is_empty() {
                let skin = &mesh.skin_deformers[0];
                own.skin = skin_of(skin, &builder.sources, (nodes, mesh_use), (&mut *model, &mut joints));
            } else if mesh_use.node_from_mesh != Mat4::IDENTITY {
                shear(&mut own, &mesh_use.node_from_mesh);
            }
            check_joints(path, model)?;
            channels.add(model.meshes.len(), &targets.channels);
            rest_weights.push(targets.rest_weights.clone());
            model.meshes.push(own);
        }
    }
    Ok(rest_weights)
}

/// The number of the material that a part of a mesh has on a node, behind all of the file's for none.
fn material_of(scene: &Scene, node: &ufbx::Node, mesh: &ufbx::Mesh, part: &MeshPart) -> u32 {
    let lists = [&node.materials, &mesh.materials].into_iter();
    let material = lists.filter_map(|list| list.get(part.index as usize)).next();
    material.map_or(scene.materials.len() as u32, |material| material.element.typed_id)
}

/// What makes two corners one vertex: their vertex in the file, and the bits of all that is drawn.
type CornerKey = (u32, [u32; 5], [u8; 4]);

/// Makes the triangles of parts, with as few vertices as their corners allow.
#[derive(Default)]
struct PartBuilder {
    /// For each vertex of the last part the one of the file.
    sources: Vec<u32>,
    known: HashMap<CornerKey, u32>,
    corners: Vec<u32>,
}

impl PartBuilder {
    fn build(&mut self, mesh: &ufbx::Mesh, part: &MeshPart, texture: Option<&Texture>) -> Mesh {
        self.sources.clear();
        self.known.clear();
        let uvs = uvs_of(mesh, texture);
        let mut built = Mesh::default();
        for &face in &part.face_indices {
            let face = mesh.faces[face as usize];
            if face.num_indices < 3 {
                continue;
            }
            self.corners.resize((face.num_indices as usize - 2) * 3, 0);
            let triangles = ufbx::triangulate_face(&mut self.corners, mesh, face) as usize;
            for i in 0..triangles * 3 {
                let corner = self.corners[i] as usize;
                let source = mesh.vertex_indices[corner];
                let vertex = vertex_at(mesh, corner, uvs, texture);
                let drawn = [vertex.normal.x, vertex.normal.y, vertex.normal.z, vertex.uv.x, vertex.uv.y];
                let next = built.vertices.len() as u32;
                let index = *self.known.entry((source, drawn.map(f32::to_bits), vertex.color)).or_insert(next);
                if index == next {
                    built.vertices.push(vertex);
                    self.sources.push(source);
                }
                built.indices.push(index);
            }
        }
        built
    }
}

/// The texture coordinates that a texture names, else the first.
fn uvs_of<'a>(mesh: &'a ufbx::Mesh, texture: Option<&Texture>) -> &'a VertexVec2 {
    let named = texture.and_then(|texture| mesh.uv_sets.iter().find(|set| *set.name == *texture.uv_set));
    named.map_or(&mesh.vertex_uv, |set| &set.vertex_uv)
}

fn vertex_at(mesh: &ufbx::Mesh, corner: usize, uvs: &VertexVec2, texture: Option<&Texture>) -> Vertex {
    let normal = if mesh.vertex_normal.exists { vec3(&get_vertex_vec3(&mesh.vertex_normal, corner)) } else { Vec3::Y };
    let color = |c: f64| ((c as f32).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    Vertex {
        position: vec3(&get_vertex_vec3(&mesh.vertex_position, corner)),
        normal: normal.try_normalize().unwrap_or(Vec3::Y),
        uv: if uvs.exists { uv_at(uvs, corner, texture) } else { Vec2::ZERO },
        color: if mesh.vertex_color.exists {
            let at = ufbx::get_vertex_vec4(&mesh.vertex_color, corner);
            [at.x, at.y, at.z, at.w].map(color)
        } else {
            [255; 4]
        },
    }
}

/// The place in the picture of a texture, v downwards.
fn uv_at(uvs: &VertexVec2, corner: usize, texture: Option<&Texture>) -> Vec2 {
    let uv = get_vertex_vec2(uvs, corner);
    let uv = match texture {
        Some(texture) if texture.has_uv_transform => {
            ufbx::transform_position(&texture.uv_to_texture, ufbx::Vec3 { x: uv.x, y: uv.y, z: 0.0 })
        }
        _ => ufbx::Vec3 { x: uv.x, y: uv.y, z: 0.0 },
    };
    vec3(&ufbx::Vec3 { y: 1.0 - uv.y, ..uv }).truncate()
}

/// Skinning weights of a part. Vertices without a bone follow the node of their mesh.
fn skin_of(
    skin: &SkinDeformer,
    sources: &[u32],
    (nodes, mesh_use): (&FbxNodes, &MeshUse),
    (model, joints): (&mut Model, &mut JointTable),
) -> Vec<SkinVertex> {
    let mut influences = vec![Influences::default(); sources.len()];
    let weights_of = |source: u32| {
        let vertex = skin.vertices.get(source as usize);
        let weights = vertex.map_or(0..0, |v| v.weight_begin as usize..(v.weight_begin + v.num_weights) as usize);
        skin.weights.get(weights).unwrap_or_default()
    };
    let mut is_used = vec![false; skin.clusters.len()];
    for weight in sources.iter().flat_map(|&source| weights_of(source)) {
        is_used[weight.cluster_index as usize] = true;
    }
    let mut joint_of = vec![None; skin.clusters.len()];
    let used = (0..skin.clusters.len()).filter(|&number| is_used[number]);
    for (place, number) in used.enumerate() {
        let cluster = &skin.clusters[number];
        let bone = cluster.bone_node.as_ref().and_then(|bone| nodes.by_number(bone.element.typed_id));
        let Some(bone) = bone else {
            model.warnings.push(format!("bone {:?} has no node and is left out", &*cluster.element.name));
            continue;
        };
        if place >= model.skin_bones.len() {
            model.skin_bones.push(bone);
        }
        joint_of[number] = Some(joints.number(model, bone, mat4(&cluster.geometry_to_bone)));
    }
    for (list, &source) in influences.iter_mut().zip(sources) {
        for weight in weights_of(source) {
            if let Some(joint) = joint_of[weight.cluster_index as usize]
                && weight.weight > 0.0
                && weight.weight.is_finite()
            {
                list.add(weight.weight as f32, joint);
            }
        }
    }
    let own = joints.number(model, mesh_use.node, mesh_use.node_from_mesh);
    influences.into_iter().map(|list| list.skin_vertex(own)).collect()
}

/// How many shapes the morph targets of a mesh have.
fn shape_count(mesh: &ufbx::Mesh) -> u64 {
    let deformers = (0..mesh.blend_deformers.len()).map(|i| &mesh.blend_deformers[i].channels);
    deformers.flat_map(|list| (0..list.len()).map(|i| list[i].keyframes.len() as u64)).sum()
}

/// The morph targets of a mesh of the file: one for each shape of each channel.
#[derive(Default)]
struct MorphTargets {
    names: Vec<String>,
    channels: Vec<MorphedChannel>,
    rest_weights: Vec<f32>,
    /// For each shape the differences of all vertices of the file.
    differences: Vec<[Vec<Vec3>; 2]>,
}

impl MorphTargets {
    fn of(mesh: &ufbx::Mesh) -> Self {
        let mut targets = Self::default();
        for deformer in 0..mesh.blend_deformers.len() {
            let channels = &mesh.blend_deformers[deformer].channels;
            for channel in (0..channels.len()).map(|i| &channels[i]) {
                targets.channels.push(MorphedChannel {
                    held_by: holder_of(channel),
                    rest: channel.weight,
                    first_target: targets.names.len(),
                    full_at: channel.keyframes.iter().map(|key| key.target_weight).collect(),
                });
                for key in &channel.keyframes {
                    let names = [&channel.element.name, &key.shape.element.name];
                    let names = if channel.keyframes.len() > 1 { [names[1], names[0]] } else { names };
                    let name = Some(first_name(names)).filter(|name| !name.is_empty());
                    targets.names.push(name.unwrap_or_else(|| format!("target {}", targets.names.len())));
                    targets.rest_weights.push(key.effective_weight as f32);
                    targets.differences.push(differences(&key.shape, mesh.num_vertices));
                }
            }
        }
        targets
    }

    /// Bytes of a vertex with the differences of all targets.
    fn vertex_bytes(&self) -> u64 {
        let lists = self.differences.iter().flatten().filter(|list| !list.is_empty()).count();
        (size_of::<Vertex>() + size_of::<SkinVertex>() + lists * size_of::<Vec3>()) as u64
    }

    /// The targets for vertices of these numbers in the file.
    fn of_part(&self, sources: &[u32]) -> Vec<Morph> {
        let at = |list: &[Vec3]| -> Vec<Vec3> {
            if list.is_empty() { Vec::new() } else { sources.iter().map(|&i| list[i as usize]).collect() }
        };
        let targets = self.names.iter().zip(&self.differences);
        targets
            .map(|(name, [positions, normals])| Morph {
                name: name.clone(),
                positions: at(positions),
                normals: at(normals),
            })
            .collect()
    }
}

/// The differences of positions and, where there are some, of normals that a shape makes to each vertex of the file.
fn differences(shape: &BlendShape, vertices: usize) -> [Vec<Vec3>; 2] {
    [(&shape.position_offsets, true), (&shape.normal_offsets, false)].map(|(offsets, is_asked)| {
        if offsets.is_empty() && !is_asked {
            return Vec::new();
        }
        let mut list = vec![Vec3::ZERO; vertices];
        for (&vertex, offset) in shape.offset_vertices.iter().zip(offsets) {
            if let Some(at) = list.get_mut(vertex as usize) {
                *at = vec3(offset);
            }
        }
        list
    })
}
