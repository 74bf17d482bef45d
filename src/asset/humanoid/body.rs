//! The bones of a human body among the nodes of a model.

use super::names;
use crate::asset::human_bone::{BoneNames, HumanBone, Limb, Side};
use crate::asset::{Model, Skeleton};
use crate::ids::NodeId;
use std::collections::BTreeMap;

/// The nodes of a model that are bones of a human body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Humanoid {
    nodes: BTreeMap<HumanBone, NodeId>,
}

impl Humanoid {
    /// The bones of a model by what its file says, else by the names of its nodes and by what hangs from what; those that
    /// `named` gives are taken from there, by the name of the node (an empty name: none). `None` where it has no two legs
    /// and no back.
    pub fn of(model: &Model, named: &BoneNames) -> Option<Self> {
        let mut found = names::find(model);
        for (&bone, name) in model.human_bones.iter().chain(named) {
            match model.skeleton.find(name) {
                Some(node) => drop(found.insert(bone, node)),
                None => drop(found.remove(&bone)),
            }
        }
        let body = Self { nodes: found };
        body.is_whole().then_some(body)
    }

    /// The node of a bone.
    pub fn node(&self, bone: HumanBone) -> Option<NodeId> {
        self.nodes.get(&bone).copied()
    }

    /// The bones with their nodes, parents before children.
    pub fn bones(&self) -> impl Iterator<Item = (HumanBone, NodeId)> + '_ {
        self.nodes.iter().map(|(&bone, &node)| (bone, node))
    }

    /// Number of bones found.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no bone was found.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nearest bone above one that the body has.
    pub fn parent(&self, bone: HumanBone) -> Option<HumanBone> {
        std::iter::successors(bone.parent(), |above| above.parent()).find(|above| self.nodes.contains_key(above))
    }

    /// The uppermost bone of the back that the body has: shoulders and neck hang from it.
    pub fn top_of_back(&self) -> Option<HumanBone> {
        let back = [HumanBone::UpperChest, HumanBone::Chest, HumanBone::Spine];
        back.into_iter().find(|bone| self.nodes.contains_key(bone))
    }

    /// Whether a bone's node hangs from that of the bone above it.
    pub fn hangs_from_parent(&self, skeleton: &Skeleton, bone: HumanBone) -> bool {
        let nodes = self.node(bone).zip(self.parent(bone).and_then(|parent| self.node(parent)));
        nodes.is_none_or(|(node, parent)| skeleton.is_below(node, parent))
    }

    fn is_whole(&self) -> bool {
        let has = |bone| self.nodes.contains_key(&bone);
        let leg =
            |side| [Limb::UpperLeg, Limb::LowerLeg, Limb::Foot].into_iter().all(|l| has(HumanBone::Limb(side, l)));
        has(HumanBone::Hips)
            && Side::BOTH.into_iter().all(leg)
            && (self.top_of_back().is_some() || has(HumanBone::Head))
    }
}
