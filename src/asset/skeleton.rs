//! The node tree of a model.

use crate::ids::NodeId;
use crate::math::Trs;
use glam::Mat4;
use serde::{Deserialize, Serialize};

/// Nodes as parallel arrays, parents before children; node 0 is the root of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skeleton {
    /// Node names, unique or not, as the file has them.
    pub names: Vec<String>,
    /// Parent of each node; always a smaller index. `None` for the root.
    pub parents: Vec<Option<NodeId>>,
    /// Rest transform of each node relative to its parent.
    pub rest: Vec<Trs>,
}

impl Skeleton {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The first node called `name`.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.names.iter().position(|n| n == name).map(|i| NodeId(i as u32))
    }

    /// How many nodes stand above each.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.len());
        for parent in &self.parents {
            depths.push(parent.map_or(0, |NodeId(parent)| depths[parent as usize] + 1));
        }
        depths
    }

    /// The first node that hangs from another.
    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.parents.iter().position(|parent| *parent == Some(node)).map(|i| NodeId(i as u32))
    }

    /// The nodes from one up to the root, itself first.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |at| self.parents.get(at.0 as usize).copied().flatten())
    }

    /// Whether a node is another or hangs from it.
    pub fn is_below(&self, node: NodeId, top: NodeId) -> bool {
        self.ancestors(node).any(|at| at == top)
    }

    /// Model-space matrices of the rest pose, one per node.
    pub fn rest_model_from_node(&self) -> Vec<Mat4> {
        self.model_from_node(|_, rest| *rest)
    }

    /// Model-space matrices of a pose, one per node: `local` gives each node's transform relative to its parent, given
    /// its rest, and is asked in the order of the nodes.
    pub fn model_from_node(&self, mut local: impl FnMut(NodeId, &Trs) -> Trs) -> Vec<Mat4> {
        let mut out: Vec<Mat4> = Vec::with_capacity(self.len());
        for (i, (parent, rest)) in self.parents.iter().zip(&self.rest).enumerate() {
            let local = local(NodeId(i as u32), rest).to_mat4();
            out.push(match parent {
                Some(NodeId(p)) => out[*p as usize] * local,
                None => local,
            });
        }
        out
    }

    /// Whether the arrays have one length and every parent stands before its child.
    pub fn is_well_formed(&self) -> bool {
        self.names.len() == self.len()
            && self.rest.len() == self.len()
            && self.parents.iter().enumerate().all(|(i, p)| p.is_none_or(|p| (p.0 as usize) < i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn rest_pose_multiplies_down_the_chain() {
        let step = Trs { translation: Vec3::X, ..Trs::IDENTITY };
        let skeleton = Skeleton {
            names: vec!["a".into(), "b".into(), "c".into()],
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1))],
            rest: vec![step; 3],
        };
        assert!(skeleton.is_well_formed());
        let m = skeleton.rest_model_from_node();
        assert_eq!(m[2].transform_point3(Vec3::ZERO), Vec3::X * 3.0);
        assert_eq!(skeleton.find("c"), Some(NodeId(2)));
        assert_eq!(skeleton.depths(), [0, 1, 2]);
    }
}
