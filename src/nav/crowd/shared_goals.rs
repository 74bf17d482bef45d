//! Shared goals: agents with an equal goal share one entry, which caches its position on the mesh and the area taken
//! by agents that arrived.

use std::collections::HashMap;

use glam::Vec3;

use super::crowd_mesh::locate;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};

/// Packing density of agents standing around a goal.
const PACKING: f32 = 0.6;

#[derive(Clone, Copy, Debug)]
struct SharedGoal {
    asked: Vec3,
    /// Its position on the mesh, once looked up.
    located: Option<Option<NavPoint>>,
    users: u32,
    /// Sum of the squared radii of the agents that arrived, m².
    arrived_area: f32,
}

/// All goals.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedGoals {
    by_point: HashMap<[u32; 3], u32>,
    list: Vec<SharedGoal>,
    free: Vec<u32>,
}

fn key(point: Vec3) -> [u32; 3] {
    point.to_array().map(f32::to_bits)
}

impl SharedGoals {
    /// Returns the entry of a goal, with one more user.
    pub(super) fn acquire(&mut self, asked: Vec3) -> u32 {
        if let Some(&known) = self.by_point.get(&key(asked)) {
            self.list[known as usize].users += 1;
            return known;
        }
        let target = SharedGoal { asked, located: None, users: 1, arrived_area: 0.0 };
        let index = match self.free.pop() {
            Some(free) => {
                self.list[free as usize] = target;
                free
            }
            None => {
                self.list.push(target);
                self.list.len() as u32 - 1
            }
        };
        self.by_point.insert(key(asked), index);
        index
    }

    /// Releases an entry by one user.
    pub(super) fn release(&mut self, target: Option<u32>) {
        let Some(index) = target else { return };
        let target = &mut self.list[index as usize];
        target.users -= 1;
        if target.users == 0 {
            let key = key(target.asked);
            if self.by_point.get(&key) == Some(&index) {
                self.by_point.remove(&key);
            }
            self.free.push(index);
        }
    }

    /// Whether no agent has a goal.
    pub(super) fn is_empty(&self) -> bool {
        self.list.len() == self.free.len()
    }

    pub(super) fn asked(&self, target: u32) -> Vec3 {
        self.list[target as usize].asked
    }

    /// Position on the mesh.
    pub(super) fn locate(&mut self, target: u32, mesh: &NavMesh, filter: &Filter) -> Option<NavPoint> {
        let target = &mut self.list[target as usize];
        *target.located.get_or_insert_with(|| locate(mesh, filter, target.asked, false))
    }

    /// Invalidates the positions after a change of the mesh.
    pub(super) fn shift(&mut self, by: Vec3) {
        if by != Vec3::ZERO {
            self.by_point.clear();
        }
        for (index, target) in (0..).zip(&mut self.list) {
            target.asked += by;
            target.located = None;
            if by != Vec3::ZERO && target.users > 0 {
                self.by_point.insert(key(target.asked), index);
            }
        }
    }

    pub(super) fn clear_arrivals(&mut self) {
        self.list.iter_mut().for_each(|t| t.arrived_area = 0.0);
    }

    pub(super) fn add_arrival(&mut self, target: u32, radius: f32) {
        self.list[target as usize].arrived_area += radius * radius;
    }

    /// Radius of the disc that the arrived agents and one more with `radius` take up around the goal, metres.
    pub(super) fn arrival_radius(&self, target: u32, radius: f32) -> f32 {
        ((self.list[target as usize].arrived_area + radius * radius) / PACKING).sqrt()
    }
}
