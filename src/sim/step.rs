//! One step of the world: the systems in their order.

use super::derived::nav_mesh::erosion;
use super::event::{Event, EventKind};
use super::instance::Role;
use super::parallel::{Phase, is_parallel, period_factor, run_chunked};
use super::systems::expression::{Approach, express};
use super::systems::foot_ik::FootIkSettings;
use super::systems::navigation::NavigationInput;
use super::systems::path_requests::PathContext;
use super::systems::{
    behavior, character_controller, contact, crowd_adapter, doors, events, foot_ik, interaction, link_traversal,
    locomotion, look_at, navigation, plane,
};
use super::world::World;
use crate::asset::AssetStore;
use crate::ids::InstanceId;
use crate::prefetch;
use crate::scene::{Edit, Scene};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes at the front of a path that are prefetched.
const PATH_PREFETCH: usize = 64;
/// The phases before the crowd decides.
const THINKING: Range<usize> = 0..3;
/// The phases after the crowd has decided.
const ACTING: Range<usize> = 3..9;

/// What the phases of a step ask of the passes after them.
#[derive(Clone, Copy, Debug, Default)]
struct StepOutcome {
    /// Whether a behaviour wants a target to walk to.
    wants_targets: bool,
    /// Whether a character begins to interact.
    interacts: bool,
}

impl World {
    /// Advances by [`super::STEP_SECS`]. The result depends on the scene, its seed and the steps taken, never on time or
    /// the number of threads.
    pub fn step(&mut self, scene: &Scene) {
        if is_parallel(self.len()) {
            // On a thread of the pool: from outside, each of the dozen parallel passes would wait for the pool to wake.
            rayon::scope(|_| self.run_systems(scene));
        } else {
            self.run_systems(scene);
        }
    }

    /// Runs all systems of a step.
    fn run_systems(&mut self, scene: &Scene) {
        self.steps += 1;
        let thought = self.run_phases(scene, THINKING);
        self.assign_targets(scene, thought);
        self.step_crowd(scene);
        let acted = self.run_phases(scene, ACTING);
        self.assign_targets(scene, acted);
        self.move_doors(scene);
        self.move_parts();
        self.preview.reapply(&mut self.instances);
        self.navigate(scene);
        let (settings, step) = (&scene.settings, self.steps);
        let Self { profiler, instances, .. } = self;
        profiler.scope("sim.interaction", || {
            if thought.interacts || acted.interacts {
                interaction::interact(instances, settings);
            }
        });
        profiler.scope("sim.collisions", || {
            contact::find_contacts(&mut self.contacts, instances, settings.collision_mode, step);
        });
        profiler.scope("sim.look_at", || look_at::look_at_neighbors(instances, step));
        profiler.scope("sim.events", || {
            events::collect_events(&mut self.events, instances, settings.lost, step);
        });
        self.raise_dust();
        self.profiler.end_frame();
    }

    /// Runs some of the phases of a step that look at no other instance: keep the last pose, for drawing between steps;
    /// behaviour; heading and speed; then what the crowd has decided, movement, animation, feet and the summary that others
    /// read.
    fn run_phases(&mut self, scene: &Scene, which: Range<usize>) -> StepOutcome {
        let (settings, step) = (&scene.settings, self.steps);
        let (crowd, crowd_mesh) = (&self.crowd, self.walkable_mesh(&scene.nav).cloned());
        let (level, previewing) = (self.level.current().map(|level| &**level), self.preview.index(&self.instances));
        let on_plane = self.is_on_plane();
        let gravity = settings.gravity_enabled;
        let (enabled, on_device, iterations) = (settings.ik_enabled, settings.ik_on_device, settings.ik_iterations);
        let probe_period = foot_ik::PROBE_PERIOD * period_factor(self.len());
        let feet = FootIkSettings { enabled, on_device, iterations, step, probe_period };
        let needs_bounds = contact::is_due(settings.collision_mode, step, self.len());
        let [wants_targets, interacts] = std::array::from_fn(|_| AtomicBool::new(false));
        let phases: [Phase<'_>; 9] = [
            ("sim.remember", &|_, one| {
                one.character.prefetch();
                prefetch::slice(&one.instance.path, PATH_PREFETCH);
                one.instance.before = one.instance.now;
            }),
            ("sim.behavior", &|_, one| {
                behavior::tick_behavior(step, one.instance, one.character);
                if one.character.wants_target() {
                    wants_targets.store(true, Ordering::Relaxed);
                }
                if one.character.interacts {
                    interacts.store(true, Ordering::Relaxed);
                }
            }),
            ("sim.intent", &|i, one| match level {
                None if !on_plane => {}
                _ if previewing == Some(i) => locomotion::stand(one.character),
                level => locomotion::steer(one.instance, one.character, level),
            }),
            ("sim.crowd", &|_, one| {
                if let Some(mesh) = &crowd_mesh {
                    crowd_adapter::apply(crowd, mesh, one.instance, one.character);
                }
            }),
            ("sim.contact", &|_, one| {
                if one.character.binding.role == Role::Absent {
                    return;
                }
                match level {
                    Some(level) if !link_traversal::advance_traversal(one.instance, one.character) => {
                        character_controller::move_character(level, gravity, one.instance, one.character);
                    }
                    None if on_plane => plane::move_on_plane(one.instance, one.character),
                    _ => {}
                }
            }),
            ("sim.animation", &|_, one| locomotion::animate(one.instance, one.character, settings.transition)),
            ("sim.faces", &|_, one| express(one.instance, one.character, Approach::Step)),
            ("sim.feet", &|i, one| match level {
                Some(level) => foot_ik::solve(level, feet, i, one.instance, one.character),
                None => foot_ik::track_on_plane(one.instance, one.character),
            }),
            ("sim.summary", &|_, one| {
                behavior::notify_movement(one.instance, one.character);
                *one.summary = contact::summarize(one.instance, one.character, needs_bounds);
            }),
        ];
        run_chunked(&mut self.profiler, &mut self.instances, &phases[which]);
        StepOutcome { wants_targets: wants_targets.into_inner(), interacts: interacts.into_inner() }
    }

    fn assign_targets(&mut self, scene: &Scene, outcome: StepOutcome) {
        if outcome.wants_targets {
            self.profiler.scope("sim.behavior", || behavior::assign_targets(&mut self.instances, scene));
        }
    }

    /// Takes a step, and brings the world in line with the parts of the level that came or went in it.
    pub fn advance(&mut self, scene: &Scene, assets: &AssetStore) {
        self.step(scene);
        if self.parts.take_changed() {
            self.reconcile(scene, assets);
        }
    }

    /// Takes the instances out of the scene that have fallen out of its level where it wants them deleted, and follows it. Returns all
    /// pending events, oldest first.
    pub fn delete_lost(&mut self, scene: &mut Scene, assets: &AssetStore) -> Vec<Event> {
        let events: Vec<Event> = self.drain_events().collect();
        let lost = events.iter().filter(|event| event.kind == EventKind::Lost).map(|event| event.instance);
        let gone: BTreeSet<InstanceId> = lost.filter(|id| scene.instances.contains(*id)).collect();
        if !gone.is_empty() && scene.apply(&Edit::Many(gone.into_iter().map(Edit::RemoveInstance).collect())).is_ok() {
            self.reconcile(scene, assets);
        }
        events
    }

    fn move_parts(&mut self) {
        let Self { parts, doors, instances, steps, .. } = self;
        for name in doors.take_pressed() {
            parts.use_named(&name);
        }
        parts.step(*steps, || {
            let characters = instances.iter().filter(|(_, character)| character.binding.role == Role::Character);
            characters.map(|(instance, _)| instance.now.position)
        });
    }

    fn move_doors(&mut self, scene: &Scene) {
        let needs_bounds = contact::is_due(scene.settings.collision_mode, self.steps, self.len());
        let Self { profiler, doors, instances, .. } = self;
        let mut moved = None;
        profiler.scope("sim.doors", || moved = doors::step(doors, instances, needs_bounds));
        if let Some(obstacles) = moved
            && self.mesh.hold_doors(&scene.nav, obstacles)
        {
            self.revalidate_paths(&scene.nav);
        }
    }

    fn step_crowd(&mut self, scene: &Scene) {
        let mesh = self.walkable_mesh(&scene.nav).cloned();
        let erosion = erosion(&scene.nav);
        self.profiler.scope("sim.crowd", || {
            crowd_adapter::step(&mut self.crowd, &mut self.instances, mesh.as_deref(), erosion, self.steps);
        });
    }

    /// Advances the navigation of all instances.
    pub(super) fn navigate(&mut self, scene: &Scene) {
        let enabled = scene.settings.nav.enabled;
        let on_plane = self.is_on_plane();
        let mesh = self.walkable_mesh(&scene.nav).cloned();
        let Self { profiler, instances, navigation: state, level, .. } = self;
        profiler.scope("sim.navigation", || match level.current() {
            _ if on_plane => plane::navigate(state, instances, enabled),
            None => navigation::stop_without_level(instances, enabled, level.is_known()),
            Some(level) => {
                let paths = PathContext { mesh: &self.mesh, cover: &self.cover, nav: &scene.nav, step: self.steps };
                let input = NavigationInput { enabled, level, mesh: mesh.as_deref(), paths };
                navigation::navigate(state, instances, &input);
            }
        });
    }
}
