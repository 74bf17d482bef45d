//! The chains of nodes that Assimp makes of one node of an FBX file: translation, pivots, the rotations before and after the one that is
//! animated, and scale each become a node of their own above the one that keeps the name.

use super::raw::{self, Imported};
use crate::asset::skeleton::{FBX_PIVOT, Skeleton};
use crate::math::Trs;
use std::collections::HashSet;

/// The parts of a chain whose product is a place like that of any node: no pivots.
const PLAIN_PARTS: [&str; 5] = ["Translation", "PreRotation", "Rotation", "PostRotation", "Scaling"];

/// Puts each chain without pivots into its last node, where no clip moves a node before that. Assimp 5.2 makes chains, too, of nodes that
/// have but a rotation before the animated one, as all of Mixamo do; the channels of their clips, of this file or another one, tell the
/// place of the last node with everything in it: under the chain it would be done twice.
pub(super) fn fold_plain(imported: &Imported, skeleton: &mut Skeleton) {
    let channels = imported.animations().into_iter();
    let channels = channels.flat_map(|animation| raw::pointers(animation.mChannels, animation.mNumChannels));
    let moved: HashSet<String> = channels.map(|channel| raw::string(&channel.mNodeName)).collect();
    for node in 0..skeleton.len() {
        let chain = chain_of(skeleton, node);
        let part = |&id: &usize| skeleton.names[id].rsplit(FBX_PIVOT).next().unwrap_or_default();
        let is_plain = |id: &usize| PLAIN_PARTS.contains(&part(id)) && !moved.contains(&skeleton.names[*id]);
        if chain.iter().all(is_plain) {
            fold(skeleton, node, &chain);
        }
    }
}

/// The nodes of the chain above a node, the nearest first.
fn chain_of(skeleton: &Skeleton, node: usize) -> Vec<usize> {
    let parent = |node: usize| skeleton.parents[node].map(|id| id.0 as usize);
    let begin = format!("{}{FBX_PIVOT}", skeleton.names[node]);
    std::iter::successors(parent(node), |&id| parent(id))
        .take_while(|&id| skeleton.names[id].starts_with(&begin))
        .collect()
}

/// Puts the chain above a node into it.
fn fold(skeleton: &mut Skeleton, node: usize, chain: &[usize]) {
    for &id in chain {
        let place = std::mem::replace(&mut skeleton.rest[id], Trs::IDENTITY);
        skeleton.rest[node] = Trs::from_mat4(&(place.to_mat4() * skeleton.rest[node].to_mat4()));
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
        let chain = chain_of(&skeleton, 3);
        assert_eq!((&chain[..], chain_of(&skeleton, 4), chain_of(&skeleton, 2)), (&[2, 1][..], vec![], vec![]));
        fold(&mut skeleton, 3, &chain);
        let [root, first, second, arm, hand] = &skeleton.rest[..] else { panic!() };
        assert_eq!([root, hand, first, second], [&rest[0], &rest[4], &Trs::IDENTITY, &Trs::IDENTITY]);
        assert!(arm.translation.distance(Vec3::X) < 1e-6 && arm.rotation.angle_between(turn) < 1e-3, "{arm:?}");
    }
}
