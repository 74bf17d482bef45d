//! The node tree.

use super::gltf::name_in_file;
use super::limits;
use super::raw::{self, Imported};
use super::stand_ins;
use crate::asset::{AssetError, Model, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Mat4, Vec4};
use russimp::sys;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A node that carries a mesh.
#[derive(Clone)]
pub(super) struct MeshUse {
    /// The node.
    pub node: NodeId,
    /// Index into the meshes of the file.
    pub mesh: u32,
    /// For each material variant of the model the mesh that carries its material.
    pub variants: Vec<u32>,
    /// What the matrices of the file do to the mesh besides the transforms of the nodes: a shear; mostly nothing.
    pub node_from_mesh: Mat4,
}

/// How the nodes of the file map to those of the model.
pub(super) struct NodeTable {
    /// One entry per use of a mesh by a node, in pre-order.
    pub mesh_uses: Vec<MeshUse>,
    /// The first node of each name.
    pub by_name: HashMap<String, NodeId>,
    /// The first node without a mesh of each name that a bone has and a node with a mesh has before.
    bones: HashMap<String, NodeId>,
}

impl NodeTable {
    /// The node of a bone or a channel. Other programs than Assimp's tell a bone and a mesh of one name apart: of the two the
    /// bone carries no mesh.
    pub fn moved(&self, name: &str) -> Option<NodeId> {
        self.bones.get(name).or_else(|| self.by_name.get(name)).copied()
    }
}

/// The nodes of the file, each with what hangs from it, by index; the root is the first.
struct FileTree<'a> {
    nodes: Vec<&'a sys::aiNode>,
    children: Vec<Vec<usize>>,
}

impl<'a> FileTree<'a> {
    /// Assimp 5.2 lists all bones of a Half-Life model below one node, and each says alone what it hangs from: so what
    /// a node says of itself counts, where that makes a tree. Iterates with an explicit stack, so that a deep chain
    /// cannot overflow the thread's.
    fn read(root: &'a sys::aiNode, path: &Path) -> Result<Self, AssetError> {
        let (mut nodes, mut listed, mut stack) = (Vec::new(), Vec::new(), vec![(root, None)]);
        while let Some((node, parent)) = stack.pop() {
            limits::check(path, "its number of nodes", nodes.len() as u64 + 1, limits::NODES as u64)?;
            let index = nodes.len();
            nodes.push(node);
            listed.push(parent);
            // Reversed, so that the first child is taken from the stack first.
            stack.extend(raw::children(node).into_iter().rev().map(|child| (child, Some(index))));
        }
        let by_address: HashMap<*const sys::aiNode, usize> =
            nodes.iter().enumerate().map(|(i, &node)| (std::ptr::from_ref(node), i)).collect();
        let own = |i: usize| by_address.get(&nodes[i].mParent.cast_const()).copied();
        let own: Vec<Option<usize>> =
            (0..nodes.len()).map(|i| listed[i].map(|parent| own(i).unwrap_or(parent))).collect();
        let parents = if is_tree(&own) { own } else { listed };
        let mut children = vec![Vec::new(); nodes.len()];
        for (i, parent) in parents.into_iter().enumerate() {
            if let Some(parent) = parent {
                children[parent].push(i);
            }
        }
        Ok(Self { nodes, children })
    }
}

/// Whether following the parents leads from every node to one without.
fn is_tree(parents: &[Option<usize>]) -> bool {
    let mut is_rooted = vec![false; parents.len()];
    for start in 0..parents.len() {
        let mut walked = Vec::new();
        let mut at = Some(start);
        while let Some(i) = at.filter(|&i| !is_rooted[i]) {
            if walked.len() > parents.len() {
                return false;
            }
            walked.push(i);
            at = parents[i];
        }
        walked.into_iter().for_each(|i| is_rooted[i] = true);
    }
    true
}

/// How much of its longest axis a matrix may differ from a place that is all of it.
const NO_SHEAR: f32 = 1e-4;

/// What a matrix does besides moving, turning and scaling as its place does; the identity where that is all.
fn shear_of(matrix: &Mat4, place: &Trs) -> Mat4 {
    let size = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec4::length).into_iter().fold(0.0, f32::max);
    let placed = place.to_mat4();
    let shear = if placed.abs_diff_eq(*matrix, NO_SHEAR * size) { Mat4::IDENTITY } else { placed.inverse() * *matrix };
    if shear.is_finite() { shear } else { Mat4::IDENTITY }
}

/// Reads the node tree into the skeleton, in pre-order. Nodes move, turn and scale: where nothing moves them, a shear of
/// their matrices goes on to the meshes.
pub(super) fn read(imported: &Imported, path: &Path, model: &mut Model) -> Result<NodeTable, AssetError> {
    let mut nodes = NodeTable { mesh_uses: Vec::new(), by_name: HashMap::new(), bones: HashMap::new() };
    let bones = imported.meshes().into_iter().flat_map(|mesh| raw::pointers(mesh.mBones, mesh.mNumBones));
    let bones: HashSet<String> = bones.map(|bone| raw::string(&bone.mName)).collect();
    let mut with_mesh = HashSet::new();
    let tree = FileTree::read(imported.root(), path)?;
    let is_still = imported.animations().is_empty() && imported.meshes().iter().all(|mesh| mesh.mNumBones == 0);
    let mut stack = vec![(0, None, Mat4::IDENTITY)];
    while let Some((index, parent, sheared)) = stack.pop() {
        let node = tree.nodes[index];
        let id = NodeId(model.skeleton.len() as u32);
        let own = match parent {
            None => {
                let stored = raw::matrix(&node.mTransformation);
                let root = imported.root_transform();
                model.stored_root = (root != stored).then(|| Trs::from_mat4(&stored));
                root
            }
            Some(_) => raw::matrix(&node.mTransformation),
        };
        let local = sheared * own;
        let place = Trs::from_mat4(&local);
        let shear = if is_still { shear_of(&local, &place) } else { Mat4::IDENTITY };
        let name = raw::string(&node.mName);
        push_node(&mut model.skeleton, name_in_file(&name).to_owned(), parent, place);
        let meshes = raw::meshes_of(node);
        if !meshes.is_empty() {
            with_mesh.insert(id);
        } else if bones.contains(&name) && nodes.by_name.get(&name).is_some_and(|first| with_mesh.contains(first)) {
            nodes.bones.entry(name.clone()).or_insert(id);
        }
        nodes.by_name.entry(name).or_insert(id);
        let own_count = meshes.len() / (1 + model.material_variants.len());
        nodes.mesh_uses.extend(meshes[..own_count].iter().enumerate().map(|(i, &mesh)| {
            let variants = meshes[own_count..].iter().skip(i).step_by(own_count).copied().collect();
            MeshUse { node: id, mesh, variants, node_from_mesh: shear }
        }));
        // Reversed, so that the first child is taken from the stack first.
        stack.extend(tree.children[index].iter().rev().map(|&child| (child, Some(id), shear)));
    }
    leave_out_stand_ins(&mut nodes.mesh_uses, model);
    Ok(nodes)
}

/// Keeps the meshes that engines draw.
pub(super) fn leave_out_stand_ins(mesh_uses: &mut Vec<MeshUse>, model: &mut Model) {
    let names: Vec<&str> =
        mesh_uses.iter().map(|mesh_use| model.skeleton.names[mesh_use.node.0 as usize].as_str()).collect();
    let are_drawn = stand_ins::are_drawn(&names);
    let said = stand_ins::said(&names, &are_drawn);
    let mut are_drawn = are_drawn.into_iter();
    mesh_uses.retain(|_| are_drawn.next().unwrap_or(true));
    model.warnings.extend(said);
}

pub(super) fn push_node(skeleton: &mut Skeleton, name: String, parent: Option<NodeId>, rest: Trs) {
    skeleton.names.push(name);
    skeleton.parents.push(parent);
    skeleton.rest.push(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    #[test]
    fn parents_in_a_circle_are_no_tree() {
        assert!(is_tree(&[None, Some(2), Some(0), Some(1)]));
        assert!(!is_tree(&[None, Some(2), Some(1), Some(0)]));
        assert!(!is_tree(&[None, Some(1)]));
    }

    #[test]
    fn only_what_a_place_cannot_do_is_a_shear() {
        let place =
            Trs { translation: Vec3::ONE, rotation: Quat::from_rotation_y(1.0), scale: Vec3::new(90.0, -0.01, 3.0) };
        assert_eq!(shear_of(&place.to_mat4(), &Trs::from_mat4(&place.to_mat4())), Mat4::IDENTITY);
        assert_eq!(
            shear_of(&Mat4::from_scale(Vec3::ZERO), &Trs::from_mat4(&Mat4::from_scale(Vec3::ZERO))),
            Mat4::IDENTITY
        );
        let mut matrix = Mat4::from_scale(Vec3::splat(100.0));
        matrix.y_axis.x = 50.0;
        let nearest = Trs::from_mat4(&matrix);
        let shear = shear_of(&matrix, &nearest);
        assert!((nearest.to_mat4() * shear).abs_diff_eq(matrix, 1e-3), "{shear}");
        assert_eq!(shear_of(&Mat4::NAN, &Trs::from_mat4(&Mat4::NAN)), Mat4::IDENTITY);
    }
}
