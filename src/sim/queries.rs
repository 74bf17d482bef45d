//! Questions to the world about single instances, beyond what [`InstanceState`](super::InstanceState) shows.

use super::derived::nav_mesh::polygon_at;
use super::instance::{NavStatus, Role};
use super::instance_arrays::InstanceArrays;
use super::system_state::OTHER_ISLAND;
use super::systems::character_controller;
use super::systems::contact::{bounds_of, spheres_of};
use super::systems::doors;
use super::systems::interaction::{self, InteractionView};
use super::world::World;
use crate::anim::leg_solve::UnsolvedLeg;
use crate::anim::sample::PoseOverride;
use crate::behavior::TreeInstance;
use crate::collide::bone_spheres::{SphereBone, SphereSet};
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::nav::query::island_gap::{IslandGap, island_gap};
use crate::scene::Settings;
use glam::{Quat, Vec3};
use std::borrow::Cow;

/// A foot that came down in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footfall {
    /// Position of its character, world space.
    pub position: Vec3,
    /// Speed of its character, metres per second.
    pub speed: f32,
}

impl World {
    /// Bounding boxes of all live instances in world space, in the order of [`World::iter`].
    pub fn instance_boxes(&self) -> impl Iterator<Item = Aabb> + '_ {
        self.instances.iter().map(|(instance, character)| bounds_of(instance, character))
    }

    /// Level triangles that an instance touches: the ground and the walls within its reach, as positions in
    /// [`World::triangles`].
    pub fn touching(&self, id: InstanceId, out: &mut Vec<u32>) {
        out.clear();
        let (Some(i), Some(level)) = (self.index_of(id), self.level.current()) else { return };
        let InstanceArrays { states, characters, .. } = &self.instances;
        character_controller::touching(level, &states[i], &characters[i], out);
    }

    /// Whether an instance is a character: one that has clips to walk with.
    pub fn can_walk(&self, id: InstanceId) -> bool {
        self.index_of(id).is_some_and(|i| self.instances.characters[i].binding.locomotion_params.is_some())
    }

    /// How far open a door is, 0 shut … 1 open; none for an instance that is no door.
    pub fn door_openness(&self, id: InstanceId) -> Option<f32> {
        doors::openness(&self.doors, id)
    }

    /// Uses a door or a button as a character does that interacts with it. Returns whether it is one that can be used.
    pub fn use_door(&mut self, id: InstanceId) -> bool {
        doors::use_by_id(&mut self.doors, id)
    }

    /// Lets the levels of a name that are used come or go, with the next step. Returns whether there is one.
    pub fn use_level(&mut self, name: &str) -> bool {
        self.parts.use_named(name)
    }

    /// Whether an instance plays an action.
    pub fn is_busy(&self, id: InstanceId) -> bool {
        self.index_of(id).is_some_and(|i| self.instances.characters[i].is_busy())
    }

    /// Why an instance has no path to its target, `None` unless its navigation has failed. Where the two stand on islands of the mesh
    /// that nothing joins, it says where these come nearest.
    pub fn path_failure(&self, id: InstanceId) -> Option<Cow<'_, str>> {
        let i = self.index_of(id)?;
        let NavStatus::Failed(reason) = &self.instances.states[i].nav else { return None };
        let gap = if reason == OTHER_ISLAND { self.gap_to_goal(i) } else { None };
        Some(gap.map_or(Cow::Borrowed(reason.as_str()), |gap| format!("{reason}; {gap}").into()))
    }

    /// Where the islands of an instance and its target come nearest; found once for all that stand on them.
    fn gap_to_goal(&self, i: usize) -> Option<IslandGap> {
        let mesh = self.mesh.current()?;
        let from = self.instances.states[i].now.position.with_y(self.instances.characters[i].ground_height);
        let island = |at: Vec3| polygon_at(mesh, at).map(|polygon| mesh.polygon(polygon).island);
        let islands = (island(from)?, island(self.instances.goal_of(i)?)?);
        *self.navigation.unreachable.get(&islands)?.get_or_init(|| island_gap(mesh, islands))
    }

    /// The running behaviour of an instance.
    pub fn behavior(&self, id: InstanceId) -> Option<&TreeInstance> {
        self.instances.characters[self.index_of(id)?].behavior.as_ref().map(|behavior| &behavior.running)
    }

    /// Pairs of instances that touch each other, by position in [`World::iter`]; none while collisions are off.
    pub fn contacts(&self) -> &[(u32, u32)] {
        &self.contacts.pairs
    }

    /// Whether an instance touched another one when that was last looked for.
    pub fn is_touching(&self, id: InstanceId) -> bool {
        self.index_of(id).is_some_and(|i| self.instances.characters[i].has_contact)
    }

    /// What the bounding spheres of an instance's bones are made from; `None` for what is no character.
    pub fn bones(&self, id: InstanceId) -> Option<&[SphereBone]> {
        let binding = &self.instances.characters[self.index_of(id)?].binding;
        (binding.role == Role::Character).then(|| binding.rig.bones())
    }

    /// The bounding spheres of an instance's bones as shown, world space; empty for what is no character.
    pub fn bone_spheres(&self, id: InstanceId) -> SphereSet {
        let mut spheres = SphereSet::default();
        if let Some(i) = self.index_of(id) {
            let InstanceArrays { states, characters, .. } = &self.instances;
            spheres_of(&states[i], &characters[i], &mut Vec::new(), &mut spheres);
        }
        spheres
    }

    /// The character that would answer if an instance interacted now: the nearest in range, both facing each other; of
    /// two equally near the first in the scene.
    pub fn interaction_partner(&self, id: InstanceId, settings: &Settings) -> Option<InstanceId> {
        let i = self.index_of(id).filter(|_| settings.interaction_enabled)?;
        interaction::partner_of(&self.instances, i, settings).map(|other| self.instances.ids[other])
    }

    /// The characters within range of an instance, and which of them would answer; none where interaction is off.
    pub fn interaction_view(&self, id: InstanceId, settings: &Settings) -> Option<InteractionView> {
        let i = self.index_of(id).filter(|_| settings.interaction_enabled)?;
        Some(interaction::view(&self.instances, i, settings))
    }

    /// The nodes of an instance's legs, from hip to foot; none where its model names no foot chains.
    pub fn leg_chains(&self, id: InstanceId) -> Vec<Vec<u32>> {
        let i = self.index_of(id);
        let Some(legs) = i.and_then(|i| self.instances.characters[i].binding.rig.legs.as_ref()) else {
            return Vec::new();
        };
        legs.legs.iter().map(|leg| leg.chain.iter().map(|&at| legs.nodes[at]).collect()).collect()
    }

    /// The correction of an instance's pose by root motion and foot IK between the last two steps, one entry per node.
    pub fn overrides(&self, id: InstanceId, alpha: f32, out: &mut Vec<PoseOverride>) {
        let Some(i) = self.index_of(id) else { return };
        self.root_overrides(i, alpha, out);
        let (instance, character) = (&self.instances.states[i], &self.instances.characters[i]);
        if let Some(legs) = &character.binding.rig.legs {
            let mut change = instance.before.feet.blend(&instance.now.feet, alpha);
            if let Some(unsolved) = &character.unsolved_legs {
                change = legs.solved(change, &unsolved.between(alpha));
            }
            legs.overrides(&change, out);
        }
    }

    /// The same for drawing: legs that are left to the graphics device are appended to `unsolved`, and their overrides
    /// turn nothing yet.
    pub fn overrides_and_legs(
        &self,
        id: InstanceId,
        alpha: f32,
        out: &mut Vec<PoseOverride>,
        unsolved: &mut Vec<UnsolvedLeg>,
    ) {
        let own = self.index_of(id).map(|i| (i, &self.instances.characters[i]));
        let Some((i, legs, left)) =
            own.and_then(|(i, c)| Some((i, c.binding.rig.legs.as_ref()?, c.unsolved_legs.as_ref()?)))
        else {
            return self.overrides(id, alpha, out);
        };
        let (instance, first) = (&self.instances.states[i], out.len());
        self.root_overrides(i, alpha, out);
        let pelvis = instance.before.feet.blend(&instance.now.feet, alpha);
        unsolved.extend(legs.unsolved_overrides(&pelvis, &left.between(alpha), first, out));
    }

    fn root_overrides(&self, i: usize, alpha: f32, out: &mut Vec<PoseOverride>) {
        let instance = &self.instances.states[i];
        for (before, now) in instance.before.root.iter().zip(&instance.now.root) {
            let from = if before.node == now.node { before.shift } else { now.shift };
            let translation = from.lerp(now.shift, alpha);
            if translation != Vec3::ZERO {
                out.push(PoseOverride { node: now.node, rotation: Quat::IDENTITY, translation });
            }
        }
    }
}
