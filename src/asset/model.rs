//! A loaded model: node tree, meshes, materials, images, clips.

use super::human_bone::BoneNames;
use super::root_track::RootTrack;
use super::{Clip, CompressedClip, Image, Skeleton};
use crate::ids::NodeId;
use crate::math::{Aabb, Trs, triangle};
use glam::{Mat3, Mat4, Vec2, Vec3};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// A static or skinned vertex, in the space of its mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vertex {
    /// Position in metres.
    pub position: Vec3,
    /// Unit normal; +Y where the file has none that is usable.
    pub normal: Vec3,
    /// Texture coordinates, v downwards.
    pub uv: Vec2,
    /// Vertex colour, linear, white when the file has none.
    pub color: [u8; 4],
}

/// Skinning weights of up to four joints; they sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkinVertex {
    /// Indices into [`Model::joints`].
    pub joints: [u16; 4],
    /// Weights, largest first.
    pub weights: [f32; 4],
}

/// A node that skins vertices, with its inverse bind matrix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// The node.
    pub node: NodeId,
    /// Inverse bind matrix: node space from mesh space in the bind pose.
    pub node_from_mesh: Mat4,
}

/// A morph target as differences to the mesh's vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Morph {
    /// Name in the file.
    pub name: String,
    /// Position differences, one per vertex.
    pub positions: Vec<Vec3>,
    /// Normal differences, one per vertex, or empty.
    pub normals: Vec<Vec3>,
}

/// What a mesh is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MeshPurpose {
    /// It is drawn, and characters stand on it and are stopped by it.
    #[default]
    DrawnAndSolid,
    /// It is drawn, and characters pass through it, as through water and leaves.
    DrawnOnly,
    /// Characters stand on it and are stopped by it, and it is not seen.
    SolidOnly,
}

/// One part of a model. Meshes stand in node pre-order: a node's own meshes, then its children's.
/// A mesh that several nodes refer to stands here once per node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// Name in the file.
    pub name: String,
    /// The node that carries it.
    pub node: NodeId,
    /// Index into [`Model::materials`].
    pub material: u32,
    /// Material in each of [`Model::material_variants`]; empty where it is the same in all of them.
    pub variant_materials: Vec<u32>,
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Joint influences, one per vertex. In a model without clips and bones empty; in all others every mesh has
    /// them, a mesh without bones hanging from a joint of its own node with an identity matrix.
    pub skin: Vec<SkinVertex>,
    /// Triangles, three vertex indices each, all in range.
    pub indices: Vec<u32>,
    /// Whether each triangle is lit by the normal of its own plane. The normals of the vertices, which triangles share,
    /// are then the means of those around them, for coarser meshes.
    pub is_flat: bool,
    /// Morph targets.
    pub morphs: Vec<Morph>,
    /// What it is there for.
    pub purpose: MeshPurpose,
}

impl Mesh {
    /// The corners of a triangle; `None` past the last.
    pub fn triangle(&self, index: usize) -> Option<[Vec3; 3]> {
        let corners = self.indices.get(index * 3..index * 3 + 3)?;
        Some([corners[0], corners[1], corners[2]].map(|i| self.vertices[i as usize].position))
    }

    /// Sets the normal of every vertex to the mean of the triangles around it, weighted by their areas.
    pub fn set_mean_normals(&mut self) {
        self.vertices.iter_mut().for_each(|vertex| vertex.normal = Vec3::ZERO);
        for i in 0..self.indices.len() / 3 {
            let Some([a, b, c]) = self.triangle(i) else { continue };
            let doubled = (b - a).cross(c - a);
            for &corner in &self.indices[i * 3..i * 3 + 3] {
                self.vertices[corner as usize].normal += doubled;
            }
        }
        for vertex in &mut self.vertices {
            vertex.normal = vertex.normal.try_normalize().unwrap_or(Vec3::Y);
        }
    }

    /// The same mesh with three vertices of its own for each triangle, and its plane's normal in them, where it is flat.
    pub fn with_own_corners(&self) -> Cow<'_, Self> {
        if !self.is_flat {
            return Cow::Borrowed(self);
        }
        let mut vertices = Vec::with_capacity(self.indices.len());
        for i in 0..self.indices.len() / 3 {
            let normal = self.triangle(i).and_then(|points| triangle::normal(&points));
            let corners = &self.indices[i * 3..i * 3 + 3];
            vertices.extend(corners.iter().map(|&corner| {
                let vertex = self.vertices[corner as usize];
                Vertex { normal: normal.unwrap_or(vertex.normal), ..vertex }
            }));
        }
        let own = |i: &u32| self.skin.get(*i as usize).copied().unwrap_or_default();
        let skin = if self.skin.is_empty() { Vec::new() } else { self.indices.iter().map(own).collect() };
        let difference = |list: &[Vec3]| -> Vec<Vec3> {
            let at = |i: &u32| list.get(*i as usize).copied().unwrap_or_default();
            if list.is_empty() { Vec::new() } else { self.indices.iter().map(at).collect() }
        };
        let morphs = self.morphs.iter().map(|morph| Morph {
            name: morph.name.clone(),
            positions: difference(&morph.positions),
            normals: difference(&morph.normals),
        });
        Cow::Owned(Self {
            name: self.name.clone(),
            variant_materials: self.variant_materials.clone(),
            indices: (0..vertices.len() as u32).collect(),
            vertices,
            skin,
            morphs: morphs.collect(),
            is_flat: false,
            ..*self
        })
    }
}

/// What the alpha of a material's colour means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum AlphaMode {
    /// Nothing: all of it is drawn.
    #[default]
    Opaque,
    /// Texels with less alpha than this, 0…1, are not drawn.
    Cutout(f32),
    /// How much it covers of what lies behind it.
    Blended,
}

/// A physically based material (metallic-roughness).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name in the file.
    pub name: String,
    /// Linear RGBA that multiplies the texture and the vertex colour.
    pub base_color: [f32; 4],
    /// Index into [`Model::images`] of the base colour texture (sRGB).
    pub base_color_image: Option<u32>,
    /// Index into [`Model::images`] of the tangent-space normal map.
    pub normal_image: Option<u32>,
    /// Index into [`Model::images`] of the texture whose green multiplies the roughness and whose blue the metallic (linear).
    pub surface_image: Option<u32>,
    /// Index into [`Model::images`] of the texture that multiplies the emission (sRGB).
    pub emissive_image: Option<u32>,
    /// 0 dielectric … 1 metal.
    pub metallic: f32,
    /// 0 mirror … 1 matt.
    pub roughness: f32,
    /// Linear RGB emission.
    pub emissive: [f32; 3],
    /// What is drawn of it.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_color_image: None,
            normal_image: None,
            surface_image: None,
            emissive_image: None,
            metallic: 0.0,
            roughness: 0.9,
            emissive: [0.0; 3],
            alpha: AlphaMode::Opaque,
            double_sided: true,
        }
    }
}

impl Material {
    /// Indices of its textures into [`Model::images`].
    pub fn images(&self) -> impl Iterator<Item = u32> {
        [self.base_color_image, self.normal_image, self.surface_image, self.emissive_image].into_iter().flatten()
    }
}

/// A model file in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// File name.
    pub name: String,
    /// Node tree.
    pub skeleton: Skeleton,
    /// Joints of all meshes.
    pub joints: Vec<Joint>,
    /// Meshes in node pre-order.
    pub meshes: Vec<Mesh>,
    /// Materials; every mesh's index is in range.
    pub materials: Vec<Material>,
    /// Names of the material variants: other dresses, colours or finishes of the same model.
    pub material_variants: Vec<String>,
    /// The nodes of the bones of its skins, numbered as the original program does: those of the first mesh with a skin in
    /// their order there, then of each further mesh those whose places in its own list lie past the end of this one.
    pub skin_bones: Vec<NodeId>,
    /// Nodes of bones of a human body by name, where the file says which they are (VRM).
    pub human_bones: BoneNames,
    /// Decoded textures, each in memory once and shared by all that use it.
    #[serde(skip)]
    pub images: Vec<Arc<Image>>,
    /// Clips in file order.
    pub clips: Vec<Clip>,
    /// What was taken out of the clips so that they play on the spot, by clip; none where they are as in their files.
    #[serde(skip)]
    pub root_tracks: Vec<Option<RootTrack>>,
    /// What clip speeds are relative to, seconds, where clips have been added or edited since; none where the longest of
    /// all clips counts.
    #[serde(skip)]
    pub speed_base_secs: Option<f32>,
    /// What compression made of each clip; empty where they have all their keys.
    #[serde(skip)]
    pub compression: Vec<CompressedClip>,
    /// The root's transform as it stands in the file, where units and axes of the file have taken its place.
    pub stored_root: Option<Trs>,
    /// Box around all vertices of the rest pose, in model space.
    pub rest_bounds: Aabb,
    /// Problems of the file that did not prevent loading, as sentences for the user.
    pub warnings: Vec<String>,
}

/// Name of a mesh that is an authored navigation mesh.
const WALK_MESH: &str = "navmesh";

impl Model {
    /// Whether the model is drawn skinned.
    pub fn is_skinned(&self) -> bool {
        !self.joints.is_empty()
    }

    /// The mean emission of one of its materials, linear RGB.
    pub fn emission(&self, material: &Material) -> Vec3 {
        let factor = Vec3::from(material.emissive);
        let image = material.emissive_image.and_then(|i| self.images.get(i as usize));
        image.filter(|_| factor != Vec3::ZERO).map_or(factor, |image| factor * image.mean_light())
    }

    /// The root track of a clip, where one was taken out.
    pub fn root_track(&self, clip: usize) -> Option<&RootTrack> {
        self.root_tracks.get(clip)?.as_ref()
    }

    /// Length of the longest clip of its own in seconds, of a model without any that of the first other file whose clips
    /// it plays; 0 without clips. Clip speeds in scene files are relative to it.
    pub fn longest_clip_secs(&self) -> f32 {
        let longest = || self.clips.iter().map(|c| c.duration_secs).fold(0.0, f32::max);
        self.speed_base_secs.unwrap_or_else(longest)
    }

    /// The speed, relative to [`longest_clip_secs`](Self::longest_clip_secs), at which a clip plays as it was made; 1 for a
    /// pose and for a clip that is not there.
    pub fn natural_speed(&self, clip: u32) -> f32 {
        let secs = self.clips.get(clip as usize).map_or(0.0, |clip| clip.duration_secs);
        if secs > 0.0 { self.longest_clip_secs() / secs } else { 1.0 }
    }

    /// Keeps what clip speeds are relative to from here on, whatever becomes of the clips.
    pub(super) fn keep_speeds(&mut self) {
        self.speed_base_secs = Some(self.longest_clip_secs());
    }

    /// Whether a mesh is an authored navigation mesh: the mesh or its node is named `navmesh`, in any case, with any
    /// suffix that an editor appends (`navmesh.001`, `NavMesh_0`). Such a mesh is only walked on where a scene asks for
    /// it; it is neither drawn nor collided with.
    pub fn is_walk_mesh(&self, mesh: &Mesh) -> bool {
        let node = self.skeleton.names.get(mesh.node.0 as usize);
        [Some(&mesh.name), node].into_iter().flatten().any(|name| {
            let (word, rest) = name.split_at_checked(WALK_MESH.len()).unwrap_or((name, ""));
            word.eq_ignore_ascii_case(WALK_MESH) && !rest.starts_with(char::is_alphanumeric)
        })
    }

    /// Whether a mesh is seen.
    pub fn is_drawn(&self, mesh: &Mesh) -> bool {
        mesh.purpose != MeshPurpose::SolidOnly && !self.is_walk_mesh(mesh)
    }

    /// Whether a mesh is ground and wall of a level.
    pub fn is_solid(&self, mesh: &Mesh) -> bool {
        mesh.purpose != MeshPurpose::DrawnOnly && !self.is_walk_mesh(mesh)
    }

    /// About as many bytes as vertices and indices take.
    pub(super) fn approximate_bytes(&self) -> usize {
        let meshes = self.meshes.iter().map(|mesh| size_of_val(&mesh.vertices[..]) + size_of_val(&mesh.indices[..]));
        meshes.sum()
    }

    /// Number of triangles in all meshes.
    pub fn triangle_count(&self) -> usize {
        self.meshes.iter().map(|m| m.indices.len() / 3).sum()
    }

    /// Names of the morph targets of all meshes, each once, in the order in which they come first. Targets of one name
    /// on several meshes, such as face, teeth and eyes, are one.
    pub fn morph_names(&self) -> Vec<&str> {
        let mut known = HashSet::new();
        let all = self.meshes.iter().flat_map(|mesh| &mesh.morphs).map(|morph| morph.name.as_str());
        all.filter(|name| known.insert(*name)).collect()
    }

    /// The smallest box around all vertices in the rest pose, skinned or not, in model space.
    pub fn compute_rest_bounds(&self) -> Aabb {
        self.bounds_under(&self.skeleton.rest_model_from_node())
    }

    /// The smallest box around all vertices, skinned or not, under these matrices of the nodes, in the space that they lead to.
    pub fn bounds_under(&self, model_from_node: &[Mat4]) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for mesh in &self.meshes {
            let Some(mesh_to_model) = model_from_node.get(mesh.node.0 as usize) else {
                continue;
            };
            // Of a node of scale 0 nothing is seen.
            if mesh.skin.is_empty() && Mat3::from_mat4(*mesh_to_model) == Mat3::ZERO {
                continue;
            }
            for (i, vertex) in mesh.vertices.iter().enumerate() {
                let p = match mesh.skin.get(i) {
                    Some(skin) => self.skinned_point(skin, vertex.position, model_from_node),
                    None => mesh_to_model.transform_point3(vertex.position),
                };
                if p.is_finite() {
                    bounds = bounds.including(p);
                }
            }
        }
        bounds
    }

    /// How much larger a skinned mesh is in the rest pose than its vertices are: its own unit in metres. Files keep
    /// vertices in centimetres under a root that is 100 times smaller, or the other way round.
    pub fn skinned_scale(&self, mesh: &Mesh) -> f32 {
        let model_from_node = self.skeleton.rest_model_from_node();
        let scale = |skin: &SkinVertex| {
            let joint = self.joints.get(skin.joints[0] as usize)?;
            let skinned = *model_from_node.get(joint.node.0 as usize)? * joint.node_from_mesh;
            Some(skinned.determinant().abs().cbrt()).filter(|scale| scale.is_finite() && *scale > 0.0)
        };
        mesh.skin.iter().find_map(scale).unwrap_or(1.0)
    }

    /// Linear blend skinning of one mesh-space point into model space, for given node matrices.
    pub fn skinned_point(&self, skin: &SkinVertex, point: Vec3, model_from_node: &[Mat4]) -> Vec3 {
        let mut out = Vec3::ZERO;
        for (&joint, &weight) in skin.joints.iter().zip(&skin.weights) {
            if weight > 0.0
                && let Some(joint) = self.joints.get(joint as usize)
                && let Some(node) = model_from_node.get(joint.node.0 as usize)
            {
                out += node.transform_point3(joint.node_from_mesh.transform_point3(point)) * weight;
            }
        }
        out
    }
}
