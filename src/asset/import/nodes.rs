//! The node tree.

use super::limits;
use super::raw::{self, Imported};
use crate::asset::{AssetError, Model, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use std::collections::HashMap;
use std::path::Path;

/// A node that carries a mesh.
#[derive(Clone, Copy)]
pub(super) struct MeshUse {
    /// The node.
    pub node: NodeId,
    /// Index into the meshes of the file.
    pub mesh: u32,
}

/// How the nodes of the file map to those of the model.
pub(super) struct NodeTable {
    /// One entry per use of a mesh by a node, in pre-order.
    pub mesh_uses: Vec<MeshUse>,
    /// The first node of each name.
    pub by_name: HashMap<String, NodeId>,
}

/// Reads the node tree into the skeleton, in pre-order. Iterates with an explicit stack, so that a deep chain cannot
/// overflow the thread's.
pub(super) fn read(imported: &Imported, path: &Path, model: &mut Model) -> Result<NodeTable, AssetError> {
    let mut nodes = NodeTable { mesh_uses: Vec::new(), by_name: HashMap::new() };
    let mut stack = vec![(imported.root(), None)];
    while let Some((node, parent)) = stack.pop() {
        limits::check(path, "its number of nodes", model.skeleton.len() as u64 + 1, limits::NODES as u64)?;
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
        push_node(&mut model.skeleton, name.clone(), parent, Trs::from_mat4(&local));
        nodes.by_name.entry(name).or_insert(id);
        nodes.mesh_uses.extend(raw::meshes_of(node).iter().map(|&mesh| MeshUse { node: id, mesh }));
        // Reversed, so that the first child is taken from the stack first.
        stack.extend(raw::children(node).into_iter().rev().map(|child| (child, Some(id))));
    }
    Ok(nodes)
}

fn push_node(skeleton: &mut Skeleton, name: String, parent: Option<NodeId>, rest: Trs) {
    skeleton.names.push(name);
    skeleton.parents.push(parent);
    skeleton.rest.push(rest);
}
