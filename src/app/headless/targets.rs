//! Finds characters that cannot get to their navigation targets: for `walkabout check`.

use crate::asset::AssetStore;
use crate::ids::InstanceId;
use crate::nav::mesh::NavMesh;
use crate::nav::original::NoPath;
use crate::scene::instance::ModelRef;
use crate::scene::{Scene, Settings};
use crate::sim::nav_mesh::polygon_at;
use crate::sim::{EventKind, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Steps that instances get to come to the ground: ten seconds.
const SETTLING_STEPS: u32 = 600;

/// Appends a warning for each instance that is to walk to a target and cannot reach it: start or target stand off
/// the ground, or no way joins them. The files of the scene must be in `assets`.
///
/// Instances stand where the world puts them and where they land when they fall from there. Those that switch
/// navigation off or whose model has no clips do not walk, so nothing is said of them.
pub fn check(scene: &Scene, assets: &AssetStore, warnings: &mut Vec<String>) {
    let walkers: Vec<(InstanceId, InstanceId)> = scene
        .instances
        .iter()
        .filter(|(_, instance)| instance.navigation && moves(scene, assets, &instance.model))
        .filter_map(|(id, instance)| Some((id, instance.target.filter(|t| scene.instances.contains(*t))?)))
        .collect();
    if walkers.is_empty() {
        return;
    }
    let stage = TargetField::set(scene, assets, &walkers);
    let Some(mesh) = stage.world.mesh().current() else {
        let count = walkers.len();
        warnings.push(format!(
            "No character can walk to a target ({count} shall): the scene has no level to walk on. Add one."
        ));
        return;
    };
    let mut reached = BTreeMap::new();
    for (walker, target) in walkers {
        if let Err(reason) = stage.path(mesh, &mut reached, [walker, target]) {
            warnings.push(format!(
                "{} cannot reach its target, {}: {reason}. Move one of them, or change the level or the step height.",
                name(scene, walker),
                name(scene, target),
            ));
        }
    }
}

fn moves(scene: &Scene, assets: &AssetStore, model: &ModelRef) -> bool {
    let ModelRef::Known(id) = model else { return false };
    let entry = scene.models.get(*id);
    entry.and_then(|e| assets.by_file(e)).is_some_and(|(_, model)| !model.clips.is_empty())
}

/// An instance by its number in the file, counted from 1, its model and its place.
fn name(scene: &Scene, id: InstanceId) -> String {
    let number = scene.instances.position(id).map_or(0, |i| i + 1);
    let Some(instance) = scene.instances.get(id) else { return format!("instance {number}") };
    let (model, p) = (scene.model_name(instance), instance.position);
    format!("instance {number} ({model} at {:.2} {:.2} {:.2})", p.x, p.y, p.z)
}

/// A world in which every instance has come to rest.
struct TargetField {
    world: World,
    /// Those that had no ground below them: the world has put them elsewhere.
    fallen: BTreeSet<InstanceId>,
}

impl TargetField {
    fn set(scene: &Scene, assets: &AssetStore, walkers: &[(InstanceId, InstanceId)]) -> Self {
        let still = without_intent(scene);
        let mut stage = Self { world: World::default(), fallen: BTreeSet::new() };
        stage.world.reconcile(&still, assets);
        let steps = if stage.world.triangles().is_empty() { 0 } else { SETTLING_STEPS };
        for _ in 0..steps {
            stage.world.step(&still);
            let events = stage.world.drain_events();
            stage.fallen.extend(events.filter(|e| e.kind == EventKind::PutBack).map(|e| e.instance));
            let stands =
                |id: InstanceId| stage.fallen.contains(&id) || stage.world.live(id).is_none_or(|live| live.on_ground);
            if walkers.iter().all(|(walker, target)| stands(*walker) && stands(*target)) {
                break;
            }
        }
        stage
    }

    /// Whether a path leads from one instance to another, by the islands of the mesh and the links between them; `reached`
    /// keeps which islands links lead to, by the island where they begin.
    fn path(
        &self,
        mesh: &NavMesh,
        reached: &mut BTreeMap<u32, Vec<bool>>,
        [from, to]: [InstanceId; 2],
    ) -> Result<(), NoPath> {
        let start = self.island(mesh, from, true).ok_or(NoPath::StartOffGround)?;
        let target = self.island(mesh, to, false).ok_or(NoPath::TargetOffGround)?;
        if start == target {
            return Ok(());
        }
        let links = self.world.mesh().links().ok_or(NoPath::OtherIsland)?;
        let islands = reached.entry(start).or_insert_with(|| links.reachable(mesh, start));
        if islands.get(target as usize) == Some(&true) { Ok(()) } else { Err(NoPath::OtherIsland) }
    }

    /// The island of the mesh under an instance, found as the world does for a walk.
    fn island(&self, mesh: &NavMesh, id: InstanceId, must_stand: bool) -> Option<u32> {
        let live = self.world.live(id).filter(|live| live.on_ground || !must_stand)?;
        let polygon = Some(live.now.position).filter(|_| !self.fallen.contains(&id)).and_then(|p| polygon_at(mesh, p));
        polygon.map(|polygon| mesh.polygon(polygon).island)
    }
}

/// The scene with every instance standing still: none sets out while others are still falling.
fn without_intent(scene: &Scene) -> Scene {
    let mut still = scene.clone();
    let mut settings = Settings::clone(&still.settings);
    settings.nav.enabled = false;
    still.settings = Arc::new(settings);
    let ids: Vec<InstanceId> = still.instances.ids().collect();
    for id in ids {
        if let Some(instance) = still.instances.get_mut(id).filter(|i| i.behavior.is_some()) {
            Arc::make_mut(instance).behavior = None;
        }
    }
    still
}
