//! All live instances as a structure of arrays.

use super::character::CharacterState;
use super::instance::{InstanceState, InstanceSummary};
use crate::ids::InstanceId;
use crate::nav::original::GroundNode;
use glam::Vec3;

/// The live instances, in the order of the scene. All arrays have the same length between two reconciles.
#[derive(Clone, Debug, Default)]
pub struct InstanceArrays {
    pub(super) ids: Vec<InstanceId>,
    /// Position in the arrays by slot of the id; `u32::MAX` for none.
    by_slot: Vec<u32>,
    pub(super) states: Vec<InstanceState>,
    pub(super) characters: Vec<CharacterState>,
    /// Refreshed at the end of every step.
    pub(super) summaries: Vec<InstanceSummary>,
}

impl InstanceArrays {
    /// Number of instances.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Position of an instance in the arrays.
    pub fn index_of(&self, id: InstanceId) -> Option<usize> {
        let i = *self.by_slot.get(id.slot() as usize)? as usize;
        (self.ids.get(i) == Some(&id)).then_some(i)
    }

    /// The instance at a position in the arrays.
    pub fn at_mut(&mut self, i: usize) -> (&mut InstanceState, &mut CharacterState) {
        (&mut self.states[i], &mut self.characters[i])
    }

    /// All instances.
    pub fn iter(&self) -> impl Iterator<Item = (&InstanceState, &CharacterState)> {
        self.states.iter().zip(&self.characters)
    }

    /// All instances, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut InstanceState, &mut CharacterState)> {
        self.states.iter_mut().zip(&mut self.characters)
    }

    /// Whether an instance requests a path in this step and stands where one can begin.
    pub fn wants_path(&self, i: usize, step: u64) -> bool {
        let nav = &self.characters[i].nav;
        nav.wants_path && step >= nav.retry_step && self.states[i].on_ground
    }

    /// Position of the target of an instance, world space.
    pub fn goal_of(&self, i: usize) -> Option<Vec3> {
        self.characters[i].nav.target.map(|target| self.states[target as usize].now.position)
    }

    /// Node of the triangle graph under the target of an instance.
    pub fn goal_node_of(&self, i: usize) -> Option<GroundNode> {
        self.characters[i].nav.target.and_then(|target| self.characters[target as usize].ground_node)
    }

    /// Numbers the slots anew after `ids` have changed.
    pub fn refresh_slots(&mut self) {
        self.by_slot.clear();
        for (i, id) in self.ids.iter().enumerate() {
            let slot = id.slot() as usize;
            if self.by_slot.len() <= slot {
                self.by_slot.resize(slot + 1, u32::MAX);
            }
            self.by_slot[slot] = i as u32;
        }
    }
}
