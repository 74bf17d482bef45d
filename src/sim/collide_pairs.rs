//! Contact between instances: found by their boxes, or by the spheres of their bones in the pose that they show.
//!
//! Nothing is searched while the scene's collisions are off. SphereSet are made only for those whose boxes touch, and
//! once a step for each.

use super::body::Body;
use super::event::EventKind;
use super::presence::{Presence, Role};
use super::step::is_shared_out;
use super::world::{Live, NavStatus, World};
use crate::collide::bone_spheres::{SphereBone, SphereSet, bone_spheres};
use crate::collide::instance_octree::box_pairs;
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::prefetch;
use crate::vocab::CollisionMode;
use glam::{Mat4, Vec3};
use rayon::prelude::*;

/// Contacts are looked for in every second step: nobody gets far in a thirtieth of a second.
const EVERY: u64 = 2;

/// How far ahead lists of instances are read, see [`prefetch`].
const SOON: usize = 4;

/// Pairs whose spheres one thread makes and holds against each other before it goes on: as many as stay in its caches.
const AT_ONCE: usize = 1024;

/// Who touches whom, and room to find out.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    pairs: Vec<(u32, u32)>,
    spheres: Vec<SphereSet>,
    /// Position in `spheres` of everyone, where there are any.
    found: Vec<Option<u32>>,
}

/// Where the model of an instance stands.
fn world_from_model(live: &Live, body: &Body) -> Mat4 {
    body.own.tilt.standing_at(live.now.position, live.now.yaw_rad, body.scale())
}

/// How an instance looks to others, with the box around it where that is wanted.
pub(super) fn presence_of(live: &Live, body: &Body, boxed: bool) -> Presence {
    let role = body.looks.role;
    let bounds = if boxed && role != Role::Absent { bounds_of(live, body) } else { Aabb::EMPTY };
    Presence {
        role,
        touching: body.contact,
        on_errand: body.nav.target.is_some() || live.nav != NavStatus::Off,
        stirred: !body.raised.is_empty(),
        bounds,
    }
}

/// The box around an instance as shown, world space: around its pose, that of a thing around the thing; around its
/// cylinder without a model.
pub fn bounds_of(live: &Live, body: &Body) -> Aabb {
    let posed = match body.looks.role {
        Role::Character => {
            body.looks.rig.animated_bounds().map(|animated_bounds| animated_bounds.bounds(&live.now.playback))
        }
        _ => body.looks.rest_bounds,
    };
    match posed.filter(|b| !b.is_empty()) {
        Some(posed) => posed.transformed(&world_from_model(live, body)),
        None => {
            let (r, p) = (body.size.radius, live.now.position);
            Aabb::new(p - Vec3::new(r, 0.0, r), p + Vec3::new(r, body.size.height, r))
        }
    }
}

/// The spheres of an instance in the pose that it shows, world space; none for things and without a model. `origins`
/// is room to work in.
fn spheres_of(live: &Live, body: &Body, origins: &mut Vec<Vec3>, out: &mut SphereSet) {
    let rig = &body.looks.rig;
    out.refill(|all| {
        if let Some(animated_bounds) = rig.animated_bounds().filter(|_| body.looks.role == Role::Character) {
            animated_bounds.origins(&live.now.playback, origins);
            bone_spheres(rig.bones(), origins, &world_from_model(live, body), body.scale(), all);
        }
    });
}

/// Fetches what a pose is made of into the caches.
#[inline]
fn ask_for_pose(live: &Live, body: &Body) {
    prefetch::value(&live.now.position);
    prefetch::value(&live.now.playback);
    prefetch::value(&body.looks);
    prefetch::value(&body.own);
}

impl World {
    /// Pairs of instances that touch each other, by position in [`World::iter`]; none while collisions are off.
    pub fn contacts(&self) -> &[(u32, u32)] {
        &self.contacts.pairs
    }

    /// What the bounding spheres of an instance's bones are made from; `None` for what is no character.
    pub fn bones(&self, id: InstanceId) -> Option<&[SphereBone]> {
        let looks = &self.bodies[self.index_of(id)?].looks;
        (looks.role == Role::Character).then(|| looks.rig.bones())
    }

    /// The bounding spheres of an instance's bones as shown, world space; empty for what is no character.
    pub fn bone_spheres(&self, id: InstanceId) -> SphereSet {
        let mut spheres = SphereSet::default();
        if let Some(i) = self.index_of(id) {
            spheres_of(&self.live[i], &self.bodies[i], &mut Vec::new(), &mut spheres);
        }
        spheres
    }

    /// Whether an instance touched another one when that was last looked for.
    pub fn is_touching(&self, id: InstanceId) -> bool {
        self.index_of(id).is_some_and(|i| self.bodies[i].contact)
    }

    /// Whether contacts are looked for in this step, so that boxes are wanted.
    pub(super) fn looks_for_contacts(&self, mode: CollisionMode) -> bool {
        mode != CollisionMode::Off && !self.steps.is_multiple_of(EVERY)
    }

    /// Finds who touches whom, and tells those for whom that is new. What was found holds until the next look.
    pub(super) fn find_contacts(&mut self, mode: CollisionMode) {
        if mode != CollisionMode::Off && !self.looks_for_contacts(mode) {
            return;
        }
        let pairs = &mut self.contacts.pairs;
        pairs.clear();
        if mode != CollisionMode::Off {
            let everyone = &self.presences;
            // Two things that stand where they are have nothing to tell each other.
            let is_thing = |i: u32| everyone[i as usize].role == Role::Thing;
            box_pairs(everyone.iter().map(|seen| seen.bounds), |a, b| !(is_thing(a) && is_thing(b)), pairs);
            if mode == CollisionMode::Spheres {
                self.contacts.keep_touching(&self.live, &self.bodies);
            }
        }
        let mut now = vec![false; self.bodies.len()];
        for &(a, b) in &self.contacts.pairs {
            (now[a as usize], now[b as usize]) = (true, true);
        }
        // Few change from one look to the next: the others need not be touched.
        for (i, (seen, now)) in
            self.presences.iter_mut().zip(now).enumerate().filter(|(_, (s, now))| s.touching != *now)
        {
            seen.touching = now;
            self.bodies[i].contact = now;
            if now {
                self.bodies[i].raised.raise(EventKind::Contact);
                seen.stirred = true;
            }
        }
    }
}

/// Makes the spheres of the instances at `wanted`, one list for each.
fn make_spheres(live: &[Live], bodies: &[Body], wanted: &[u32], out: &mut [SphereSet], shared_out: bool) {
    let fill = |origins: &mut Vec<Vec3>, (k, (out, &i)): (usize, (&mut SphereSet, &u32))| {
        if let Some(&soon) = wanted.get(k + SOON) {
            ask_for_pose(&live[soon as usize], &bodies[soon as usize]);
        }
        spheres_of(&live[i as usize], &bodies[i as usize], origins, out);
    };
    if shared_out {
        out.par_iter_mut().zip(wanted).enumerate().with_min_len(32).for_each_init(Vec::new, fill);
    } else {
        let mut origins = Vec::new();
        out.iter_mut().zip(wanted).enumerate().for_each(|pair| fill(&mut origins, pair));
    }
}

impl Contacts {
    /// Keeps the pairs whose spheres touch. Pairs with a thing, which has no bones, stay as they are.
    fn keep_touching(&mut self, live: &[Live], bodies: &[Body]) {
        let Self { pairs, spheres, found } = self;
        found.clear();
        found.resize(bodies.len(), None);
        let shared_out = is_shared_out(pairs.len());
        let at_once = if shared_out { pairs.len() } else { AT_ONCE };
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
            make_spheres(live, bodies, &wanted[made..], &mut spheres[made..wanted.len()], shared_out);
            let of = |i: u32| found[i as usize].map(|k| &spheres[k as usize]).filter(|s| !s.is_empty());
            let touch = |&&(a, b): &&(u32, u32)| of(a).zip(of(b)).is_none_or(|(a, b)| a.touch(b));
            if shared_out {
                kept.par_extend(some.par_iter().with_min_len(128).filter(touch).copied());
            } else {
                kept.extend(some.iter().filter(touch));
            }
        }
        *pairs = kept;
    }
}
