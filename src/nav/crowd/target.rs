//! Goals: agents with the very same goal share one entry, which knows its place on the mesh and who has arrived.

use std::collections::HashMap;

use glam::Vec3;

use super::ground::locate;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};

/// Share of the ground that discs cover which stand around a goal.
const PACKING: f32 = 0.6;

#[derive(Clone, Copy, Debug)]
struct Target {
    asked: Vec3,
    /// Where it lies on the mesh, once looked up.
    place: Option<Option<NavPoint>>,
    users: u32,
    /// Sum of the squared radii of those who have arrived.
    crowd: f32,
}

/// All goals.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    by_point: HashMap<[u32; 3], u32>,
    list: Vec<Target>,
    free: Vec<u32>,
}

fn key(point: Vec3) -> [u32; 3] {
    point.to_array().map(f32::to_bits)
}

impl Targets {
    /// One more agent goes there.
    pub(super) fn take(&mut self, asked: Vec3) -> u32 {
        if let Some(&known) = self.by_point.get(&key(asked)) {
            self.list[known as usize].users += 1;
            return known;
        }
        let target = Target { asked, place: None, users: 1, crowd: 0.0 };
        let number = match self.free.pop() {
            Some(free) => {
                self.list[free as usize] = target;
                free
            }
            None => {
                self.list.push(target);
                self.list.len() as u32 - 1
            }
        };
        self.by_point.insert(key(asked), number);
        number
    }

    /// One agent fewer goes there.
    pub(super) fn release(&mut self, target: Option<u32>) {
        let Some(number) = target else { return };
        let target = &mut self.list[number as usize];
        target.users -= 1;
        if target.users == 0 {
            let key = key(target.asked);
            if self.by_point.get(&key) == Some(&number) {
                self.by_point.remove(&key);
            }
            self.free.push(number);
        }
    }

    pub(super) fn asked(&self, target: u32) -> Vec3 {
        self.list[target as usize].asked
    }

    /// Its place on the mesh.
    pub(super) fn place(&mut self, target: u32, mesh: &NavMesh, filter: &Filter) -> Option<NavPoint> {
        let target = &mut self.list[target as usize];
        *target.place.get_or_insert_with(|| locate(mesh, filter, target.asked, false))
    }

    /// The mesh has changed: places have to be looked up again.
    pub(super) fn shift(&mut self, by: Vec3) {
        if by != Vec3::ZERO {
            self.by_point.clear();
        }
        for (number, target) in (0..).zip(&mut self.list) {
            target.asked += by;
            target.place = None;
            if by != Vec3::ZERO && target.users > 0 {
                self.by_point.insert(key(target.asked), number);
            }
        }
    }

    pub(super) fn forget_arrivals(&mut self) {
        self.list.iter_mut().for_each(|t| t.crowd = 0.0);
    }

    pub(super) fn note_arrival(&mut self, target: u32, radius: f32) {
        self.list[target as usize].crowd += radius * radius;
    }

    /// How far from the goal those who have arrived stand, one more of them with `radius` included, metres.
    pub(super) fn ring(&self, target: u32, radius: f32) -> f32 {
        ((self.list[target as usize].crowd + radius * radius) / PACKING).sqrt()
    }
}
