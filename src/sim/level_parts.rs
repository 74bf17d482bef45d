//! Parts of a level that come and go: which of the scene's levels are there.

use crate::asset::{AssetState, AssetStore};
use crate::ids::{LevelId, ModelId};
use crate::math::Aabb;
use crate::scene::level::LevelPresence;
use crate::scene::{Scene, SceneLevel};
use glam::Vec3;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Steps between two looks for characters near the parts.
const EVERY: u64 = 15;
/// A part that is there goes only once every instance is farther off than its reach by this factor.
const STAYS: f32 = 1.2;

/// The levels of a scene.
#[derive(Clone, Debug, Default)]
pub struct LevelParts {
    list: Vec<LevelPart>,
    /// Position of each in the list.
    positions: HashMap<LevelId, usize>,
    /// Whether one came or went since that was last asked.
    changed: bool,
}

/// One of them.
#[derive(Clone, Debug)]
struct LevelPart {
    saved: Arc<SceneLevel>,
    /// Its box in world space; empty while its file is not there.
    bounds: Aabb,
    is_there: bool,
}

impl LevelPart {
    /// Whether one of some places is within its reach.
    fn is_near(&self, mut places: impl Iterator<Item = Vec3>) -> bool {
        let reach = self.saved.presence_reach * if self.is_there { STAYS } else { 1.0 };
        !self.bounds.is_empty() && places.any(|at| self.bounds.distance_squared(at) <= reach * reach)
    }
}

/// Where the characters of a scene stand at its start: instances of models with clips, and of those that may have some
/// once their files are loaded.
fn places_of_characters(scene: &Scene, assets: &AssetStore) -> Vec<Vec3> {
    let walks = scene.models.iter().filter(|(_, entry)| match assets.find(*entry).and_then(|id| assets.state(id)) {
        Some(AssetState::Ready(model)) => !model.clips.is_empty(),
        Some(AssetState::Failed(_)) => false,
        Some(AssetState::Loading) | None => true,
    });
    let walking: HashSet<ModelId> = walks.map(|(id, _)| id).collect();
    let characters = scene.instances.values().filter(|one| one.model_id().is_some_and(|id| walking.contains(&id)));
    characters.map(|character| character.position).collect()
}

impl LevelParts {
    /// The levels of a scene as they are at its start.
    pub fn of(scene: &Scene, assets: &AssetStore) -> Self {
        let mut parts = Self::default();
        parts.reconcile(scene, assets);
        parts
    }

    /// Takes in the levels of a scene. Those that are used stay as they are; one that comes with characters is there from
    /// the start where one is near.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore) {
        let (before, positions_before) = (std::mem::take(&mut self.list), std::mem::take(&mut self.positions));
        let mut characters = None;
        for (id, saved) in scene.levels.iter() {
            let known = positions_before.get(&id).map(|at| &before[*at]);
            let model = assets.by_file(saved).map(|(_, model)| model.rest_bounds);
            let bounds = model.filter(|bounds| !bounds.is_empty());
            let bounds = bounds.map_or(Aabb::EMPTY, |bounds| bounds.transformed(&saved.world_from_model()));
            let is_kept = known.is_some_and(|part| {
                part.saved.presence == saved.presence && (part.bounds.is_empty() == bounds.is_empty())
            });
            let mut part = LevelPart { saved: saved.clone(), bounds, is_there: false };
            part.is_there = match saved.presence {
                LevelPresence::Always => true,
                LevelPresence::Never => false,
                _ if is_kept => known.is_some_and(|part| part.is_there),
                LevelPresence::Near => {
                    let places = characters.get_or_insert_with(|| places_of_characters(scene, assets));
                    part.is_near(places.iter().copied())
                }
                LevelPresence::OnceUsed => false,
                LevelPresence::UntilUsed => true,
            };
            self.positions.insert(id, self.list.len());
            self.list.push(part);
        }
    }

    /// Lets parts come where `characters` are near, and go.
    pub(super) fn step<I: Iterator<Item = Vec3>>(&mut self, step: u64, characters: impl Fn() -> I) {
        if !step.is_multiple_of(EVERY) {
            return;
        }
        for part in self.list.iter_mut().filter(|part| part.saved.presence == LevelPresence::Near) {
            let is_near = part.is_near(characters());
            self.changed |= is_near != part.is_there;
            part.is_there = is_near;
        }
    }

    /// Lets the parts of a name that are used come or go. Returns whether there is one.
    pub(super) fn use_named(&mut self, name: &str) -> bool {
        let mut is_one = false;
        for part in self.list.iter_mut().filter(|part| part.saved.presence.is_used() && part.saved.name == name) {
            (part.is_there, is_one) = (!part.is_there, true);
        }
        self.changed |= is_one;
        is_one
    }

    /// Whether a level of the scene is there.
    pub fn is_there(&self, id: LevelId) -> bool {
        self.positions.get(&id).is_none_or(|at| self.list[*at].is_there)
    }

    /// Whether one came or went since this was last asked.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }
}
