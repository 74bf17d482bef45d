//! Contact between instances: found by their boxes, or by the spheres of their bones in the pose that they show.
//!
//! Nothing is searched while the scene's collisions are off. Spheres are made only for instances whose boxes touch, and
//! once a step for each.

use crate::collide::bone_spheres::{SphereSet, bone_spheres};
use crate::collide::instance_octree::box_pairs;
use crate::math::Aabb;
use crate::prefetch;
use crate::sim::character::CharacterState;
use crate::sim::event::EventKind;
use crate::sim::instance::{InstanceState, InstanceSummary, NavStatus, Role};
use crate::sim::instance_arrays::InstanceArrays;
use crate::sim::parallel::{is_parallel, period_factor};
use crate::sim::system_state::InstanceContacts;
use crate::vocab::CollisionMode;
use glam::{Mat4, Vec3};
use rayon::prelude::*;

/// Steps between two looks for contacts among few: a character moves little in a thirtieth of a second.
const EVERY: u64 = 2;

/// Number of instances by which reads are prefetched, see [`prefetch`].
const PREFETCH_DISTANCE: usize = 4;

/// Pairs whose spheres one thread makes and compares before it goes on: as many as stay in its caches.
const PAIRS_PER_BLOCK: usize = 1024;

/// Transform of the model of an instance.
fn world_from_model(instance: &InstanceState, character: &CharacterState) -> Mat4 {
    character.params.tilt.standing_at(instance.now.position, instance.now.yaw_rad, character.scale())
}

/// Summary of an instance, with its bounding box in a step that needs it.
pub fn summarize(instance: &InstanceState, character: &CharacterState, needs_bounds: bool) -> InstanceSummary {
    let role = character.binding.role;
    let bounds = if needs_bounds && role != Role::Absent { bounds_of(instance, character) } else { Aabb::EMPTY };
    InstanceSummary {
        role,
        has_contact: character.has_contact,
        navigates: (character.nav.target.is_some() && character.has_goal()) || instance.nav != NavStatus::Off,
        has_events: !character.pending_events.is_empty(),
        bounds,
    }
}

/// Bounding box of an instance as shown, world space: of its pose, of a thing's rest pose, or of its cylinder without a
/// model.
pub fn bounds_of(instance: &InstanceState, character: &CharacterState) -> Aabb {
    let posed = match character.binding.role {
        Role::Character => character
            .binding
            .rig
            .animated_bounds()
            .map(|animated_bounds| animated_bounds.bounds(&instance.now.playback))
            .map(|b| Aabb::new(b.min + instance.now.root_in_model(), b.max + instance.now.root_in_model())),
        _ => character.binding.rest_bounds,
    };
    match posed.filter(|b| !b.is_empty()) {
        Some(posed) => posed.transformed(&world_from_model(instance, character)),
        None => {
            let (r, p) = (character.size.radius, instance.now.position);
            Aabb::new(p - Vec3::new(r, 0.0, r), p + Vec3::new(r, character.size.height, r))
        }
    }
}

/// Bounding spheres of an instance in the pose that it shows, world space; none for a thing and without a model.
/// `origins` is a buffer.
pub fn spheres_of(instance: &InstanceState, character: &CharacterState, origins: &mut Vec<Vec3>, out: &mut SphereSet) {
    let rig = &character.binding.rig;
    out.refill(|all| {
        if let Some(animated_bounds) = rig.animated_bounds().filter(|_| character.binding.role == Role::Character) {
            animated_bounds.origins(&instance.now.playback, origins);
            let shift = instance.now.root_in_model();
            origins.iter_mut().for_each(|origin| *origin += shift);
            bone_spheres(rig.bones(), origins, &world_from_model(instance, character), character.scale(), all);
        }
    });
}

/// Prefetches what a pose is made of.
#[inline]
fn prefetch_pose(instance: &InstanceState, character: &CharacterState) {
    prefetch::value(&instance.now.position);
    prefetch::value(&instance.now.playback);
    prefetch::value(&character.binding);
    prefetch::value(&character.params);
}

/// Whether contacts are looked for in a step of so many instances, so that it needs bounding boxes.
pub fn is_due(mode: CollisionMode, step: u64, instances: usize) -> bool {
    mode != CollisionMode::Off && step % (EVERY * period_factor(instances)) == 1
}

/// Finds the instances that touch each other, and raises events where that is new. What is found holds until the next
/// look.
pub fn find_contacts(contacts: &mut InstanceContacts, instances: &mut InstanceArrays, mode: CollisionMode, step: u64) {
    if mode != CollisionMode::Off && !is_due(mode, step, instances.len()) {
        return;
    }
    let pairs = &mut contacts.pairs;
    pairs.clear();
    if mode != CollisionMode::Off {
        let summaries = &instances.summaries;
        // Two things do not move: a contact between them tells nothing.
        let is_thing = |i: u32| summaries[i as usize].role == Role::Thing;
        box_pairs(summaries.iter().map(|summary| summary.bounds), |a, b| !(is_thing(a) && is_thing(b)), pairs);
        if mode == CollisionMode::Spheres {
            keep_touching(contacts, &instances.states, &instances.characters);
        }
    }
    let mut now = vec![false; instances.len()];
    for &(a, b) in &contacts.pairs {
        (now[a as usize], now[b as usize]) = (true, true);
    }
    // Few change from one look to the next: the others are not touched.
    let summaries = instances.summaries.iter_mut().zip(now).enumerate();
    for (i, (summary, now)) in summaries.filter(|(_, (summary, now))| summary.has_contact != *now) {
        summary.has_contact = now;
        instances.characters[i].has_contact = now;
        if now {
            instances.characters[i].pending_events.raise(EventKind::Contact);
            summary.has_events = true;
        }
    }
}

/// Makes the spheres of the instances at `wanted`, one set for each.
fn make_spheres(
    states: &[InstanceState],
    characters: &[CharacterState],
    wanted: &[u32],
    out: &mut [SphereSet],
    parallel: bool,
) {
    let fill = |origins: &mut Vec<Vec3>, (k, (out, &i)): (usize, (&mut SphereSet, &u32))| {
        if let Some(&next) = wanted.get(k + PREFETCH_DISTANCE) {
            prefetch_pose(&states[next as usize], &characters[next as usize]);
        }
        spheres_of(&states[i as usize], &characters[i as usize], origins, out);
    };
    if parallel {
        out.par_iter_mut().zip(wanted).enumerate().with_min_len(32).for_each_init(Vec::new, fill);
    } else {
        let mut origins = Vec::new();
        out.iter_mut().zip(wanted).enumerate().for_each(|pair| fill(&mut origins, pair));
    }
}

/// Keeps the pairs whose spheres touch. Pairs with a thing, which has no bones, stay as they are.
fn keep_touching(contacts: &mut InstanceContacts, states: &[InstanceState], characters: &[CharacterState]) {
    let InstanceContacts { pairs, spheres, sphere_index: found } = contacts;
    found.clear();
    found.resize(characters.len(), None);
    let parallel = is_parallel(pairs.len());
    let at_once = if parallel { pairs.len() } else { PAIRS_PER_BLOCK };
    let mut wanted = Vec::new();
    let mut kept = Vec::with_capacity(pairs.len());
    for some in pairs.chunks(at_once.max(1)) {
        let made = wanted.len();
        for i in some.iter().flat_map(|&(a, b)| [a, b]) {
            found[i as usize].get_or_insert_with(|| {
                wanted.push(i);
                wanted.len() as u32 - 1
            });
        }
        if spheres.len() < wanted.len() {
            spheres.resize(wanted.len(), SphereSet::default());
        }
        make_spheres(states, characters, &wanted[made..], &mut spheres[made..wanted.len()], parallel);
        let of = |i: u32| found[i as usize].map(|k| &spheres[k as usize]).filter(|s| !s.is_empty());
        let touch = |&&(a, b): &&(u32, u32)| of(a).zip(of(b)).is_none_or(|(a, b)| a.touch(b));
        if parallel {
            kept.par_extend(some.par_iter().with_min_len(128).filter(touch).copied());
        } else {
            kept.extend(some.iter().filter(touch));
        }
    }
    *pairs = kept;
}
