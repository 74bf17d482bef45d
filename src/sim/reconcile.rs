//! Brings the world in line with a scene that was loaded or edited, or got new assets.

use super::behavior_state::{BehaviorState, BehaviorTrees, NavGoal};
use super::character::{CharacterState, InstanceParams};
use super::derived::cover::CostChange;
use super::derived::model_rigs::ModelRigs;
use super::instance::{InstanceState, NavStatus, Pose};
use super::instance_arrays::InstanceArrays;
use super::orders::Orders;
use super::system_state::PathRules;
use super::systems::contact::summarize;
use super::systems::expression::{Approach, express};
use super::systems::path_repair::is_path_valid;
use super::world::World;
use crate::asset::AssetStore;
use crate::behavior::split_mix::mix;
use crate::ids::InstanceId;
use crate::math::angle;
use crate::nav::mesh::NavMesh;
use crate::nav::planner::Planner;
use crate::scene::{Scene, SceneInstance, SceneNav};
use crate::vocab::MoveState;
use glam::Vec3;
use std::sync::Arc;

/// Makes the random numbers of a behaviour differ from those of its character.
const BEHAVIOR_SEED: u64 = 0x6265_6861_7669_6f72;

/// What a reconcile changed beside the instances.
#[derive(Clone, Copy)]
struct DerivedChanges<'a> {
    level: bool,
    models: bool,
    mesh: bool,
    rigs: &'a ModelRigs,
    walkable_mesh: Option<&'a NavMesh>,
}

/// What a reconcile changed about the instances.
#[derive(Clone, Copy, Default)]
struct InstanceChanges {
    edited: bool,
    /// Whether one may have another target.
    retargeted: bool,
}

impl World {
    /// Brings the world in line with a scene that was loaded, edited or got new assets: live instances appear at
    /// their saved place, removed ones vanish, changed ones take over what changed. Cheap when nothing did.
    ///
    /// The level is derived anew only when its files, its placement or the settings of the ground changed. While
    /// files are still being loaded, characters stand where they are.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore) {
        self.parts.reconcile(scene, assets);
        let level = self.level.reconcile(scene, assets, &self.parts);
        self.mesh.set_doors(self.doors.reconcile(scene, assets));
        let built = self.mesh.built().cloned();
        let mesh = self.mesh.reconcile(scene, assets, &self.parts);
        let is_rebuilt = built.is_some_and(|before| !self.mesh.built().is_some_and(|now| Arc::ptr_eq(&before, now)));
        let replans = self.reconcile_cover(scene) | self.reconcile_rules(&scene.nav) | is_rebuilt;
        if mesh {
            self.navigation.unreachable.clear();
        }
        let models = self.rigs.reconcile(scene, assets);
        let listed = reconcile_list(&mut self.instances, &self.rigs, scene);
        let walkable_mesh = self.walkable_mesh(&scene.nav).cloned();
        let derived = DerivedChanges { level, models, mesh, rigs: &self.rigs, walkable_mesh: walkable_mesh.as_deref() };
        let changes = reconcile_instances(&mut self.instances, scene, derived);
        self.behaviors.refresh(scene);
        let retargeted = reconcile_behaviors(&mut self.instances, &self.behaviors, scene.settings.seed);
        if listed || changes.retargeted || retargeted {
            resolve_targets(&mut self.instances);
        }
        let is_stale = self.instances.summaries.len() != self.instances.len();
        if level || models || listed || changes.edited || retargeted || is_stale {
            refresh_summaries(&mut self.instances);
        }
        if replans {
            self.replan(scene);
        }
    }

    /// Notes by which rules paths are chosen. Returns whether they have changed.
    fn reconcile_rules(&mut self, nav: &SceneNav) -> bool {
        let rules = PathRules::from_scene(nav);
        self.navigation.finder.strategy = nav.search;
        if self.navigation.rules.as_ref() == Some(&rules) {
            return false;
        }
        self.navigation.rules.replace(rules).is_some()
    }

    /// Lets all that walk, or would like to, choose their paths anew, at once: also while no step is taken.
    fn replan(&mut self, scene: &Scene) {
        self.navigation.unreachable.clear();
        for (instance, character) in self.instances.iter_mut() {
            if !matches!(instance.nav, NavStatus::Off | NavStatus::Arrived) {
                character.nav.unreachable_islands = None;
                (character.nav.wants_path, character.nav.retry_step) = (true, 0);
            }
        }
        self.navigate(scene);
    }

    /// Lets paths follow a mesh on which doors were opened or shut.
    pub(super) fn revalidate_paths(&mut self, nav: &SceneNav) {
        self.navigation.unreachable.clear();
        let mesh = self.walkable_mesh(nav).cloned();
        for (instance, character) in self.instances.iter_mut() {
            revalidate_path(instance, character, mesh.as_deref());
        }
    }

    /// Brings covers and threats in line with the scene. Returns whether the costs have changed that paths were chosen
    /// by.
    fn reconcile_cover(&mut self, scene: &Scene) -> bool {
        let nav = &*scene.nav;
        let mesh = self.mesh.built().map(|built| built.mesh.clone());
        match self.cover.reconcile(nav, mesh.as_ref(), self.level.current()) {
            CostChange::None => false,
            CostChange::Exposure => nav.planner == Planner::Tactical,
            CostChange::Ground => true,
        }
    }
}

/// Takes over edits of the scene and what follows from other models, another level or another mesh.
fn reconcile_instances(instances: &mut InstanceArrays, scene: &Scene, derived: DerivedChanges<'_>) -> InstanceChanges {
    let mut changes = InstanceChanges::default();
    let InstanceArrays { ids, states, characters, .. } = instances;
    for (id, (instance, character)) in ids.iter().zip(states.iter_mut().zip(characters)) {
        let Some(saved) = scene.instances.get(*id) else { continue };
        let edited = !Arc::ptr_eq(saved, &character.saved);
        changes.edited |= edited;
        let before = &character.saved;
        changes.retargeted |= edited && (saved.target, saved.navigation) != (before.target, before.navigation);
        if edited {
            apply_edit(*id, instance, character, saved.clone());
        }
        let binding = (edited || derived.models).then(|| derived.rigs.bind(saved));
        if let Some(binding) = binding.filter(|new| edited || !Arc::ptr_eq(&new.rig, &character.binding.rig)) {
            character.binding = binding;
            (character.asleep, character.agent_id) = (false, None);
            instance.now.playback = character.advance_clips(instance.state.gait(), None, 0.0).playback;
            instance.inertia = None;
            express(instance, character, Approach::Snap);
            instance.before.playback = instance.now.playback;
            instance.before.face = instance.now.face;
        }
        if derived.level {
            leave_level(instance, character);
        } else if derived.mesh {
            revalidate_path(instance, character, derived.walkable_mesh);
        }
    }
    changes
}

/// Summarizes all instances as they are now.
fn refresh_summaries(instances: &mut InstanceArrays) {
    let InstanceArrays { states, characters, summaries, .. } = instances;
    summaries.clear();
    let all = states.iter().zip(characters.iter());
    summaries.extend(all.map(|(instance, character)| summarize(instance, character, false)));
}

/// Makes the arrays hold the scene's instances in its order. Returns whether they did not already.
fn reconcile_list(instances: &mut InstanceArrays, rigs: &ModelRigs, scene: &Scene) -> bool {
    if scene.instances.ids().eq(instances.ids.iter().copied()) {
        return false;
    }
    // States are large: those that can stay in place do.
    let stays: Vec<bool> = instances.ids.iter().map(|id| scene.instances.contains(*id)).collect();
    let mut which = [stays.iter(), stays.iter(), stays.iter()];
    instances.states.retain(|_| which[0].next() == Some(&true));
    instances.characters.retain(|_| which[1].next() == Some(&true));
    instances.ids.retain(|_| which[2].next() == Some(&true));
    if !scene.instances.ids().take(instances.ids.len()).eq(instances.ids.iter().copied()) {
        reorder(instances, rigs, scene);
    }
    spawn_new(instances, rigs, scene);
    instances.refresh_slots();
    true
}

/// Puts the arrays into the order of the scene, with new instances among the old ones.
fn reorder(instances: &mut InstanceArrays, rigs: &ModelRigs, scene: &Scene) {
    instances.refresh_slots();
    let states = std::mem::take(&mut instances.states);
    let characters = std::mem::take(&mut instances.characters);
    let mut old: Vec<Option<(InstanceState, CharacterState)>> = states.into_iter().zip(characters).map(Some).collect();
    let mut ids = Vec::with_capacity(scene.instances.len());
    instances.states.reserve(scene.instances.len());
    instances.characters.reserve(scene.instances.len());
    for (id, saved) in scene.instances.iter() {
        let kept = instances.index_of(id).and_then(|i| old[i].take());
        let (instance, character) = kept.unwrap_or_else(|| spawn(rigs, id, saved, scene.settings.seed));
        ids.push(id);
        instances.states.push(instance);
        instances.characters.push(character);
    }
    instances.ids = ids;
}

/// Adds the scene's instances after those that are there.
fn spawn_new(instances: &mut InstanceArrays, rigs: &ModelRigs, scene: &Scene) {
    let new = scene.instances.len() - instances.ids.len();
    instances.states.reserve(new);
    instances.characters.reserve(new);
    for (id, saved) in scene.instances.iter().skip(instances.ids.len()) {
        let (instance, character) = spawn(rigs, id, saved, scene.settings.seed);
        instances.states.push(instance);
        instances.characters.push(character);
        instances.ids.push(id);
    }
}

/// Finds the targets in the arrays, whose order may have changed. A target that went or came starts navigation over.
fn resolve_targets(instances: &mut InstanceArrays) {
    for i in 0..instances.len() {
        if let NavGoal::To(id) = instances.characters[i].nav_goal
            && instances.index_of(id).is_none()
        {
            instances.characters[i].nav_goal = NavGoal::Done;
        }
        let target = instances.characters[i].target().and_then(|t| instances.index_of(t)).map(|t| t as u32);
        let (instance, character) = instances.at_mut(i);
        if character.nav.target.is_some() != target.is_some() {
            character.nav.reset();
            instance.clear_path();
        }
        character.nav.target = target;
    }
}

/// Gives all instances the behaviours that the scene has for them. A changed template goes on where it was. Returns
/// whether some walk to targets of the scene again, because they have lost the behaviour that had chosen others.
fn reconcile_behaviors(instances: &mut InstanceArrays, trees: &BehaviorTrees, seed: u64) -> bool {
    let mut retargeted = false;
    let InstanceArrays { ids, states, characters, .. } = instances;
    for (id, (instance, character)) in ids.iter().zip(states.iter_mut().zip(characters)) {
        let wanted = character.saved.behavior.and_then(|b| Some((b, trees.tree(b)?)));
        match (wanted, &mut character.behavior) {
            (None, None) => {}
            (None, Some(_)) => {
                character.behavior = None;
                character.orders = Orders::default();
                retargeted |= forget_chosen_target(instance, character);
            }
            (Some((id, tree)), Some(state)) if state.behavior == id => {
                if !Arc::ptr_eq(state.running.tree(), tree) {
                    state.running.replace_tree(tree);
                }
            }
            (Some((behavior, tree)), before) => {
                let is_another = before.is_some();
                let seed = mix(seed ^ BEHAVIOR_SEED ^ mix(id.to_bits()));
                character.behavior = Some(Box::new(BehaviorState::new(behavior, tree.clone(), seed)));
                character.orders = Orders::default();
                retargeted |= is_another && forget_chosen_target(instance, character);
            }
        }
    }
    retargeted
}

/// Makes a character walk to the target of the scene again where its behaviour had chosen another, or none. Returns
/// whether it had.
fn forget_chosen_target(instance: &mut InstanceState, character: &mut CharacterState) -> bool {
    if character.nav_goal == NavGoal::Saved {
        return false;
    }
    character.nav_goal = NavGoal::Saved;
    character.nav.reset();
    instance.clear_path();
    true
}

/// An instance at its saved place.
fn spawn(rigs: &ModelRigs, id: InstanceId, saved: &Arc<SceneInstance>, seed: u64) -> (InstanceState, CharacterState) {
    let mut character = CharacterState::new(id, saved.clone(), rigs.bind(saved), seed);
    let mut instance = InstanceState::default();
    instance.now.playback = character.advance_clips(MoveState::Idle, None, 0.0).playback;
    express(&mut instance, &mut character, Approach::Snap);
    put_at_saved_place(&mut instance, saved);
    (instance, character)
}

/// Takes over an edit: a new place or scale puts the instance there, a new target starts navigation over.
fn apply_edit(id: InstanceId, instance: &mut InstanceState, character: &mut CharacterState, saved: Arc<SceneInstance>) {
    let old = std::mem::replace(&mut character.saved, saved.clone());
    character.params = InstanceParams::new(&saved);
    if (old.position, old.rotation_deg, old.scale) != (saved.position, saved.rotation_deg, saved.scale) {
        let fresh = CharacterState::new(id, saved.clone(), character.binding.clone(), 0);
        let (target, controller, orders) = (character.nav.target, character.controller, character.orders);
        let (behavior, nav_goal) = (character.behavior.take(), character.nav_goal);
        *character = CharacterState { controller, orders, behavior, nav_goal, ..fresh };
        character.nav.target = target;
        put_at_saved_place(instance, &saved);
        instance.clear_path();
    }
    if (old.target, old.navigation) != (saved.target, saved.navigation) {
        character.nav_goal = NavGoal::Saved;
        character.nav.reset();
        instance.clear_path();
    }
}

/// Makes the path of an instance fit another mesh: a path that is valid on `mesh` is kept; all other instances that
/// want one search again, for a door may have opened.
fn revalidate_path(instance: &InstanceState, character: &mut CharacterState, mesh: Option<&NavMesh>) {
    let is_kept = match instance.nav {
        NavStatus::Off | NavStatus::Arrived => true,
        NavStatus::Walking => mesh.is_some_and(|mesh| is_path_valid(instance, mesh)),
        NavStatus::Waiting | NavStatus::Failed(_) => false,
    };
    character.nav.unreachable_islands = None;
    if !is_kept {
        (character.nav.wants_path, character.nav.retry_step) = (true, 0);
    }
}

/// Drops everything that was derived from the old level.
fn leave_level(instance: &mut InstanceState, character: &mut CharacterState) {
    character.vicinity.clear();
    (character.ground_node, character.ground_node_at) = (None, Vec3::NAN);
    character.is_placed = false;
    character.asleep = false;
    character.last_safe_position = None;
    character.nav.reset();
    instance.ground_triangle = None;
    instance.on_ground = false;
    instance.traversal = None;
    instance.clear_path();
}

fn put_at_saved_place(instance: &mut InstanceState, saved: &SceneInstance) {
    let pose = Pose {
        position: if saved.position.is_finite() { saved.position } else { Vec3::ZERO },
        yaw_rad: angle::wrap_rad(saved.rotation_deg.y.to_radians()),
        playback: instance.now.playback,
        face: instance.now.face,
        ..Pose::default()
    };
    (instance.now, instance.before) = (pose, pose);
    instance.traversal = None;
    instance.on_ground = false;
    instance.ground_triangle = None;
}
