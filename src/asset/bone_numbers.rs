//! What the numbers of bones in scenes count.

use super::Model;

/// What the numbers of bones in scenes count: of chains of the feet, of bounding spheres, and of the bone that a camera
/// looks through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoneNumbers {
    /// All nodes of the file, in pre-order.
    #[default]
    Nodes,
    /// The bones of its skins alone, as the original program counts them: see [`Model::skin_bones`].
    Skin,
}

impl BoneNumbers {
    /// The node with this number; `None` where the file has none.
    pub fn node(self, file: &Model, number: u32) -> Option<u32> {
        match self {
            Self::Nodes => ((number as usize) < file.skeleton.len()).then_some(number),
            Self::Skin => file.skin_bones.get(number as usize).map(|node| node.0),
        }
    }

    /// The number of a node; `None` for one that is no bone of a skin where these alone are counted.
    pub fn number(self, file: &Model, node: u32) -> Option<u32> {
        match self {
            Self::Nodes => ((node as usize) < file.skeleton.len()).then_some(node),
            Self::Skin => file.skin_bones.iter().position(|bone| bone.0 == node).map(|number| number as u32),
        }
    }

    /// The nodes of some numbers; those that the file does not have are left out.
    pub fn nodes(self, file: &Model, numbers: &[u32]) -> Vec<u32> {
        numbers.iter().filter_map(|number| self.node(file, *number)).collect()
    }

    /// The numbers of some nodes; `None` where one of them has none.
    pub fn numbers(self, file: &Model, nodes: &[u32]) -> Option<Vec<u32>> {
        nodes.iter().map(|node| self.number(file, *node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;

    #[test]
    fn bones_are_counted_as_nodes_or_along_the_skin() {
        let mut file = Model { skin_bones: vec![NodeId(2), NodeId(3), NodeId(1)], ..Model::default() };
        file.skeleton.parents = vec![None; 4];
        let (nodes, skin) = (BoneNumbers::Nodes, BoneNumbers::Skin);
        assert_eq!((nodes.node(&file, 3), nodes.node(&file, 4), nodes.number(&file, 0)), (Some(3), None, Some(0)));
        assert_eq!((skin.node(&file, 2), skin.node(&file, 3), skin.number(&file, 0)), (Some(1), None, None));
        assert_eq!(skin.nodes(&file, &[2, 1, 9]), [1, 3]);
        assert_eq!((skin.numbers(&file, &[1, 3]), skin.numbers(&file, &[1, 0])), (Some(vec![2, 1]), None));
    }
}
