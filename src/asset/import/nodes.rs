//! The node tree.

use super::gltf::name_in_file;
use super::limits;
use super::raw::{self, Imported};
use crate::asset::{AssetError, Model, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use russimp::sys;
use std::collections::HashMap;
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
}

/// How the nodes of the file map to those of the model.
pub(super) struct NodeTable {
    /// One entry per use of a mesh by a node, in pre-order.
    pub mesh_uses: Vec<MeshUse>,
    /// The first node of each name.
    pub by_name: HashMap<String, NodeId>,
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

/// Reads the node tree into the skeleton, in pre-order.
pub(super) fn read(imported: &Imported, path: &Path, model: &mut Model) -> Result<NodeTable, AssetError> {
    let mut nodes = NodeTable { mesh_uses: Vec::new(), by_name: HashMap::new() };
    let tree = FileTree::read(imported.root(), path)?;
    let mut stack = vec![(0, None)];
    while let Some((index, parent)) = stack.pop() {
        let node = tree.nodes[index];
        let id = NodeId(model.skeleton.len() as u32);
        let local = match parent {
            None => {
                let stored = raw::matrix(&node.mTransformation);
                let root = imported.root_transform(path);
                model.stored_root = (root != stored).then(|| Trs::from_mat4(&stored));
                root
            }
            Some(_) => raw::matrix(&node.mTransformation),
        };
        let name = raw::string(&node.mName);
        push_node(&mut model.skeleton, name_in_file(&name).to_owned(), parent, Trs::from_mat4(&local));
        nodes.by_name.entry(name).or_insert(id);
        let meshes = raw::meshes_of(node);
        let own_count = meshes.len() / (1 + model.material_variants.len());
        nodes.mesh_uses.extend(meshes[..own_count].iter().enumerate().map(|(i, &mesh)| {
            let variants = meshes[own_count..].iter().skip(i).step_by(own_count).copied().collect();
            MeshUse { node: id, mesh, variants }
        }));
        // Reversed, so that the first child is taken from the stack first.
        stack.extend(tree.children[index].iter().rev().map(|&child| (child, Some(id))));
    }
    Ok(nodes)
}

fn push_node(skeleton: &mut Skeleton, name: String, parent: Option<NodeId>, rest: Trs) {
    skeleton.names.push(name);
    skeleton.parents.push(parent);
    skeleton.rest.push(rest);
}

#[cfg(test)]
mod tests {
    use super::is_tree;

    #[test]
    fn parents_in_a_circle_are_no_tree() {
        assert!(is_tree(&[None, Some(2), Some(0), Some(1)]));
        assert!(!is_tree(&[None, Some(2), Some(1), Some(0)]));
        assert!(!is_tree(&[None, Some(1)]));
    }
}
