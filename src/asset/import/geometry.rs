//! Meshes, bones and morph targets.

use super::budget::ModelBudget;
use super::limits;
use super::nodes::{MeshUse, NodeTable};
use super::obj::{ObjGeometry, OutlineCorner, VertexFinder};
use super::raw::{self, Imported};
use crate::asset::{AssetError, Joint, Mesh, Model, Morph, SkinVertex, Vertex};
use crate::ids::NodeId;
use glam::{Mat4, Vec2, Vec3};
use russimp::sys;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Bytes that a triangle takes, not only in its model: also where this is a level, or drawn.
const TRIANGLE_BYTES: u64 = 84;

/// Reads every mesh once per node that carries it. Of a file that was read in two parts, `large` has the geometry. Returns
/// the weight at rest of each morph target of each mesh of the model.
pub fn read(
    imported: &Imported,
    nodes: &NodeTable,
    large: Option<ObjGeometry>,
    (path, budget): (&Path, &mut ModelBudget),
    model: &mut Model,
) -> Result<Vec<Vec<f32>>, AssetError> {
    let meshes = imported.meshes();
    let mut rest_weights = Vec::new();
    let mut joints = JointTable::of(model);
    let mut vertices = 0;
    let mut finder = VertexFinder::default();
    for MeshUse { node, mesh: index, variants, node_from_mesh } in &nodes.mesh_uses {
        let node = *node;
        let Some(raw_mesh) = meshes.get(*index as usize) else { continue };
        vertices += raw_mesh.mNumVertices as u64;
        limits::check(path, "its number of vertices", vertices, limits::VERTICES as u64)?;
        budget.take(path, mesh_bytes(raw_mesh))?;
        let geometry = match &large {
            Some(large) => large.mesh(&outline_triangles(raw_mesh), &mut finder),
            None => read_mesh(raw_mesh),
        };
        // Points and lines are not drawn, and do not make a model larger.
        if geometry.indices.is_empty() {
            continue;
        }
        let mut mesh =
            Mesh { name: raw::string(&raw_mesh.mName), node, material: material_of(raw_mesh, model), ..geometry };
        let in_variants =
            variants.iter().map(|&i| meshes.get(i as usize).map_or(mesh.material, |m| material_of(m, model)));
        mesh.variant_materials = in_variants.collect();
        if mesh.variant_materials.iter().all(|&material| material == mesh.material) {
            mesh.variant_materials = Vec::new();
        }
        mesh.morphs = read_morphs(raw_mesh, &mesh.vertices);
        if *node_from_mesh != Mat4::IDENTITY {
            shear(&mut mesh, node_from_mesh);
        }
        mesh.skin = read_skin(raw_mesh, nodes, node, (&mut *model, &mut joints));
        check_joints(path, model)?;
        model.meshes.push(mesh);
        let targets = raw::pointers(raw_mesh.mAnimMeshes, raw_mesh.mNumAnimMeshes);
        rest_weights.push(targets.iter().map(|target| target.mWeight).collect());
    }
    Ok(rest_weights)
}

/// Puts a shear into the vertices of a mesh and the differences of its morph targets.
pub(super) fn shear(mesh: &mut Mesh, node_from_mesh: &Mat4) {
    let normal_matrix = node_from_mesh.inverse().transpose();
    for vertex in &mut mesh.vertices {
        vertex.position = node_from_mesh.transform_point3(vertex.position);
        let normal = normal_matrix.transform_vector3(vertex.normal);
        vertex.normal = normal.try_normalize().unwrap_or(vertex.normal);
    }
    for morph in &mut mesh.morphs {
        morph.positions.iter_mut().for_each(|by| *by = node_from_mesh.transform_vector3(*by));
        morph.normals.iter_mut().for_each(|by| *by = normal_matrix.transform_vector3(*by));
    }
}

/// Adds the morph targets that a model shows at rest to its vertices, except those of meshes whose weights clips move.
pub fn add_targets_at_rest(model: &mut Model, rest_weights: &[Vec<f32>]) {
    let moved: HashSet<u32> = model.clips.iter().flat_map(|clip| clip.morphs.iter().map(|track| track.mesh)).collect();
    let meshes = (0..).zip(&mut model.meshes).zip(rest_weights).filter(|((index, _), _)| !moved.contains(index));
    for ((_, Mesh { vertices, morphs, .. }), weights) in meshes {
        let shown = morphs.iter().zip(weights).filter(|(_, weight)| weight.is_finite() && **weight != 0.0);
        for (morph, &weight) in shown {
            for (vertex, to) in vertices.iter_mut().zip(&morph.positions) {
                vertex.position += to * weight;
            }
            for (vertex, to) in vertices.iter_mut().zip(&morph.normals) {
                vertex.normal = (vertex.normal + to * weight).try_normalize().unwrap_or(vertex.normal);
            }
        }
    }
}

/// About as many bytes as a mesh takes in a model.
fn mesh_bytes(raw_mesh: &sys::aiMesh) -> u64 {
    let targets = raw::pointers(raw_mesh.mAnimMeshes, raw_mesh.mNumAnimMeshes);
    let of_targets = targets.iter().map(|target| {
        let lists = [target.mVertices, target.mNormals].iter().filter(|list| !list.is_null()).count().max(1);
        (lists * size_of::<Vec3>()) as u64
    });
    let of_vertex = (size_of::<Vertex>() + size_of::<SkinVertex>()) as u64 + of_targets.sum::<u64>();
    u64::from(raw_mesh.mNumVertices) * of_vertex + triangle_bytes(u64::from(raw_mesh.mNumFaces))
}

/// About as many bytes as triangles take besides their vertices.
pub(super) fn triangle_bytes(triangles: u64) -> u64 {
    triangles * TRIANGLE_BYTES
}

fn material_of(raw_mesh: &sys::aiMesh, model: &Model) -> u32 {
    raw_mesh.mMaterialIndex.min((model.materials.len() as u32).saturating_sub(1))
}

/// The triangles of a mesh of an outline.
fn outline_triangles(raw_mesh: &sys::aiMesh) -> Vec<[OutlineCorner; 3]> {
    let uvs = raw::slice(raw_mesh.mTextureCoords[0], raw_mesh.mNumVertices);
    let corner = |&i: &u32| {
        let uv = uvs.get(i as usize)?;
        // The importer has turned v over.
        Some([uv.x.round() as usize, (1.0 - uv.y).round() as usize])
    };
    let faces = raw::slice(raw_mesh.mFaces, raw_mesh.mNumFaces).iter();
    let corners = faces.map(|face| raw::slice(face.mIndices, face.mNumIndices));
    let triangle = |corners: &[u32]| match corners {
        [a, b, c] => Some([corner(a)?, corner(b)?, corner(c)?]),
        _ => None,
    };
    corners.filter_map(triangle).collect()
}

/// The geometry of a mesh.
fn read_mesh(raw_mesh: &sys::aiMesh) -> Mesh {
    let count = raw_mesh.mNumVertices;
    let positions = raw::slice(raw_mesh.mVertices, count);
    let normals = raw::slice(raw_mesh.mNormals, count);
    let uvs = raw::slice(raw_mesh.mTextureCoords[0], count);
    let colors = raw::slice(raw_mesh.mColors[0], count);
    let vertices: Vec<Vertex> = (0..positions.len())
        .map(|i| Vertex {
            position: raw::vec3(&positions[i]),
            normal: normals.get(i).and_then(|n| raw::vec3(n).try_normalize()).unwrap_or(Vec3::Y),
            uv: uvs.get(i).map(|uv| raw::vec3(uv).truncate()).unwrap_or(Vec2::ZERO),
            color: colors
                .get(i)
                .map_or([255; 4], |c| [c.r, c.g, c.b, c.a].map(|x| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)),
        })
        .collect();
    let indices = raw::slice(raw_mesh.mFaces, raw_mesh.mNumFaces)
        .iter()
        .map(|face| raw::slice(face.mIndices, face.mNumIndices))
        .filter(|corners| corners.len() == 3 && corners.iter().all(|&i| (i as usize) < vertices.len()))
        .flatten()
        .copied()
        .collect();
    Mesh { vertices, indices, ..Mesh::default() }
}

fn read_morphs(raw_mesh: &sys::aiMesh, vertices: &[Vertex]) -> Vec<Morph> {
    raw::pointers(raw_mesh.mAnimMeshes, raw_mesh.mNumAnimMeshes)
        .into_iter()
        .enumerate()
        .map(|(number, target)| {
            let positions = raw::slice(target.mVertices, target.mNumVertices);
            let normals = raw::slice(target.mNormals, target.mNumVertices);
            let difference = |i: usize, to: Option<&sys::aiVector3D>, from: fn(&Vertex) -> Vec3| {
                to.map_or(Vec3::ZERO, |v| raw::vec3(v) - from(&vertices[i]))
            };
            Morph {
                name: Some(raw::string(&target.mName))
                    .filter(|name| !name.is_empty())
                    .unwrap_or_else(|| format!("target {number}")),
                positions: (0..vertices.len()).map(|i| difference(i, positions.get(i), |v| v.position)).collect(),
                normals: if normals.is_empty() {
                    Vec::new()
                } else {
                    (0..vertices.len()).map(|i| difference(i, normals.get(i), |v| v.normal)).collect()
                },
            }
        })
        .collect()
}

/// Skinning weights per vertex; empty for a mesh without bones. Vertices without a bone follow the mesh's node.
fn read_skin(
    raw_mesh: &sys::aiMesh,
    nodes: &NodeTable,
    node: NodeId,
    (model, joints): (&mut Model, &mut JointTable),
) -> Vec<SkinVertex> {
    let bones = raw::pointers(raw_mesh.mBones, raw_mesh.mNumBones);
    if bones.is_empty() {
        return Vec::new();
    }
    let mut influences = vec![Influences::default(); raw_mesh.mNumVertices as usize];
    for (number, bone) in bones.into_iter().enumerate() {
        let name = raw::string(&bone.mName);
        let Some(bone_node) = nodes.moved(&name) else {
            model.warnings.push(format!("bone {name:?} has no node and is left out"));
            continue;
        };
        if number >= model.skin_bones.len() {
            model.skin_bones.push(bone_node);
        }
        let joint = joints.number(model, bone_node, raw::matrix(&bone.mOffsetMatrix));
        for weight in raw::slice(bone.mWeights, bone.mNumWeights) {
            if let Some(list) = influences.get_mut(weight.mVertexId as usize)
                && weight.mWeight > 0.0
                && weight.mWeight.is_finite()
            {
                list.add(weight.mWeight, joint);
            }
        }
    }
    let own = joints.number(model, node, Mat4::IDENTITY);
    influences.into_iter().map(|list| list.skin_vertex(own)).collect()
}

/// The four strongest influences on a vertex, the strongest first.
#[derive(Clone, Copy, Default)]
pub(super) struct Influences {
    list: [(f32, u16); 4],
    count: usize,
}

impl Influences {
    /// Adds one, in place of the weakest where there are four.
    pub(super) fn add(&mut self, weight: f32, joint: u16) {
        let is_before = |&(w, j): &(f32, u16)| w > weight || w == weight && j <= joint;
        let at = self.list[..self.count].iter().take_while(|known| is_before(known)).count();
        if at < self.list.len() {
            self.list[at..].rotate_right(1);
            self.list[at] = (weight, joint);
            self.count = (self.count + 1).min(self.list.len());
        }
    }

    /// The influences, normalised; all of `fallback` where there is none.
    pub(super) fn skin_vertex(&self, fallback: u16) -> SkinVertex {
        let own = &self.list[..self.count];
        let sum: f32 = own.iter().map(|(weight, _)| weight).sum();
        let mut skin = SkinVertex { joints: [fallback; 4], weights: [0.0; 4] };
        if !(sum > 0.0) {
            skin.weights[0] = 1.0;
            return skin;
        }
        for (i, &(weight, joint)) in own.iter().enumerate() {
            skin.joints[i] = joint;
            skin.weights[i] = weight / sum;
        }
        skin
    }
}

/// The joints of a model in the making: their numbers by node and matrix.
pub(super) struct JointTable {
    numbers: HashMap<JointKey, u16>,
}

/// A node and the bits of a matrix, whose zeros have no sign.
type JointKey = (NodeId, [u32; 16]);

fn joint_key(joint: &Joint) -> JointKey {
    (joint.node, joint.node_from_mesh.to_cols_array().map(|x| (x + 0.0).to_bits()))
}

impl JointTable {
    /// Those that a model has.
    pub(super) fn of(model: &Model) -> Self {
        let numbers = model.joints.iter().enumerate();
        Self { numbers: numbers.map(|(i, joint)| (joint_key(joint), i.min(limits::JOINTS) as u16)).collect() }
    }

    /// The joint of a node and matrix; new ones are appended.
    pub(super) fn number(&mut self, model: &mut Model, node: NodeId, node_from_mesh: Mat4) -> u16 {
        let matrix = if node_from_mesh.is_finite() { node_from_mesh } else { Mat4::IDENTITY };
        let joint = Joint { node, node_from_mesh: matrix };
        *self.numbers.entry(joint_key(&joint)).or_insert_with(|| {
            model.joints.push(joint);
            (model.joints.len() - 1).min(limits::JOINTS) as u16
        })
    }
}

pub(super) fn check_joints(path: &Path, model: &Model) -> Result<(), AssetError> {
    limits::check(path, "its number of joints", model.joints.len() as u64, limits::JOINTS as u64)
}

/// In an animated model, skins every mesh without bones to its own node; in a static one, drops all joints.
///
/// # Errors
/// That makes more joints than a model may have.
pub fn complete_skins(model: &mut Model, path: &Path) -> Result<(), AssetError> {
    let moves = !model.clips.is_empty() || model.meshes.iter().any(|m| !m.skin.is_empty());
    if !moves {
        model.joints.clear();
        return Ok(());
    }
    let mut joints = JointTable::of(model);
    for i in 0..model.meshes.len() {
        if model.meshes[i].skin.is_empty() {
            let node = model.meshes[i].node;
            let joint = joints.number(model, node, Mat4::IDENTITY);
            let skin = SkinVertex { joints: [joint; 4], weights: [1.0, 0.0, 0.0, 0.0] };
            model.meshes[i].skin = vec![skin; model.meshes[i].vertices.len()];
        }
    }
    check_joints(path, model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_strongest_influences_count() {
        let mut influences = Influences::default();
        assert_eq!(influences.skin_vertex(9), SkinVertex { joints: [9; 4], weights: [1.0, 0.0, 0.0, 0.0] });
        for (weight, joint) in [(0.2, 5), (0.1, 4), (0.4, 7), (0.2, 1), (0.05, 2), (0.2, 3)] {
            influences.add(weight, joint);
        }
        let skin = influences.skin_vertex(9);
        assert_eq!(skin.joints, [7, 1, 3, 5]);
        assert!((skin.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6 && skin.weights[0] > 0.39, "{skin:?}");
    }
    #[test]
    fn meshes_of_one_node_share_a_joint_and_joints_have_a_limit() {
        let mesh = |node| Mesh { node: NodeId(node), vertices: vec![Vertex::default()], ..Mesh::default() };
        let mut model = Model {
            clips: vec![crate::asset::Clip::default()],
            meshes: vec![mesh(1), mesh(2), mesh(1)],
            ..Model::default()
        };
        let path = Path::new("many.glb");
        assert!(complete_skins(&mut model, path).is_ok());
        let joints: Vec<u16> = model.meshes.iter().map(|mesh| mesh.skin[0].joints[0]).collect();
        assert_eq!((joints, model.joints.len()), (vec![0, 1, 0], 2));
        let joint = |node| Joint { node: NodeId(node), node_from_mesh: Mat4::IDENTITY };
        model.joints = (0..limits::JOINTS as u32).map(joint).collect();
        model.meshes.push(mesh(limits::JOINTS as u32));
        assert!(matches!(complete_skins(&mut model, path), Err(AssetError::TooLarge { .. })));
    }
}
