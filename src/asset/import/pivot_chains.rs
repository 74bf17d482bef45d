//! The chains of nodes that Assimp makes of one node of an FBX file: translation, pivots, the rotations before and after the one that is
//! animated, and scale each become a node of their own above the one that keeps the name.

use super::nodes::NodeTable;
use super::raw::{self, Imported};
use crate::asset::Skeleton;
use crate::math::Trs;
use std::collections::BTreeSet;

/// What follows the name of a node in the names of the nodes of its chain.
const MARK: &str = "_$AssimpFbx$_";

/// Puts each chain into its last node where the clips move that and no other node of the chain. Assimp 5.2 makes chains, too, of nodes
/// without pivots that have a rotation before the animated one, as all of Mixamo do, but the channels of their clips tell the place
/// of the last node with everything in it: under the chain it would be done twice.
pub(super) fn fold_moved(imported: &Imported, nodes: &NodeTable, skeleton: &mut Skeleton) {
    let channels = imported.animations().into_iter();
    let channels = channels.flat_map(|animation| raw::pointers(animation.mChannels, animation.mNumChannels));
    let moved: BTreeSet<String> = channels.map(|channel| raw::string(&channel.mNodeName)).collect();
    for name in moved.iter().filter(|name| !name.contains(MARK)) {
        let chain = format!("{name}{MARK}");
        let is_moved_inside = moved.range(chain.clone()..).next().is_some_and(|next| next.starts_with(&chain));
        if let Some(node) = nodes.moved(name).filter(|_| !is_moved_inside) {
            fold(skeleton, node.0 as usize, &chain);
        }
    }
}

/// Puts the nodes above a node whose names begin so into it.
fn fold(skeleton: &mut Skeleton, node: usize, chain: &str) {
    let mut above = skeleton.parents[node];
    while let Some(id) = above.map(|id| id.0 as usize).filter(|&id| skeleton.names[id].starts_with(chain)) {
        let place = std::mem::replace(&mut skeleton.rest[id], Trs::IDENTITY);
        skeleton.rest[node] = Trs::from_mat4(&(place.to_mat4() * skeleton.rest[node].to_mat4()));
        above = skeleton.parents[id];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use glam::{Quat, Vec3};

    #[test]
    fn a_chain_becomes_its_last_node() {
        let names = ["root", "arm_$AssimpFbx$_Translation", "arm_$AssimpFbx$_PreRotation", "arm", "hand"];
        let turn = Quat::from_rotation_x(1.0);
        let at = |translation: Vec3| Trs { translation, ..Trs::IDENTITY };
        let rest = [at(Vec3::Y), at(Vec3::X), Trs { rotation: turn, ..Trs::IDENTITY }, Trs::IDENTITY, at(Vec3::Z)];
        let mut skeleton = Skeleton {
            names: names.map(str::to_owned).to_vec(),
            parents: [None, Some(0), Some(1), Some(2), Some(3)].map(|parent| parent.map(NodeId)).to_vec(),
            rest: rest.to_vec(),
        };
        fold(&mut skeleton, 3, "arm_$AssimpFbx$_");
        let [root, first, second, arm, hand] = &skeleton.rest[..] else { panic!() };
        assert_eq!([root, hand, first, second], [&rest[0], &rest[4], &Trs::IDENTITY, &Trs::IDENTITY]);
        assert!(arm.translation.distance(Vec3::X) < 1e-6 && arm.rotation.angle_between(turn) < 1e-3, "{arm:?}");
    }
}
