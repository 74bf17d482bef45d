//! The scenes that are measured, and with any number of their instances.

use crate::app::files::{default_scene, sample};
use crate::asset::AssetStore;
use crate::ids::ModelId;
use crate::math::angle::GOLDEN_ANGLE_RAD;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::scene::{Scene, SceneInstance, SceneModel};
use glam::Vec3;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The scene that is measured beside the default one.
const SECOND_SCENE: &str = "config/courtyard.acfg";
/// Room for each of the instances that are repeated, square metres.
const AREA_PER_INSTANCE_M2: f32 = 2.0;
/// Places that are looked at for ground, for each instance asked for.
const SPOTS: usize = 50;

/// The scene that was named, else those that come with the program.
///
/// # Errors
/// There are none.
pub(super) fn measured_scenes(named: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let scenes: Vec<PathBuf> = match named {
        Some(scene) => vec![scene.to_owned()],
        None => default_scene().into_iter().chain(sample(SECOND_SCENE)).collect(),
    };
    anyhow::ensure!(!scenes.is_empty(), "Name a scene: the default one was not found.");
    Ok(scenes)
}

/// Repeats the characters of a scene as [`repeat`] does. Markers of targets, doors and crates stay as they are, so that a number of
/// instances means the same work in every scene.
pub(super) fn repeat_characters(scene: &mut Scene, assets: &AssetStore, ground: &NavMesh, count: usize) {
    let is_character = characters_of(scene, assets);
    repeat(scene, ground, count, is_character);
}

/// Tells the characters of a scene from its other instances: their models have a skin.
pub(super) fn characters_of(scene: &Scene, assets: &AssetStore) -> impl Fn(&SceneInstance) -> bool + use<> {
    let is_skinned = |model: &SceneModel| assets.by_file(model).is_some_and(|(_, file)| file.is_skinned());
    let models = scene.models.iter().filter(|(_, model)| is_skinned(model));
    let characters: BTreeSet<ModelId> = models.map(|(id, _)| id).collect();
    move |instance| instance.model_id().is_some_and(|id| characters.contains(&id))
}

/// Leaves out the last of the scene's instances that are `counted`, or repeats all of these, until there are `count`. Copies stand on
/// the ground around the first, one on every [`AREA_PER_INSTANCE_M2`] and as near as there is ground: however many there are, each has
/// as much room. Without enough ground the others stand around where there is none.
fn repeat(scene: &mut Scene, ground: &NavMesh, count: usize, counted: impl Fn(&SceneInstance) -> bool) {
    let of_all = scene.instances.iter().filter(|(_, instance)| counted(instance));
    let ids: Vec<_> = of_all.map(|(id, _)| id).collect();
    for id in ids.iter().skip(count) {
        scene.instances.remove(*id);
    }
    let originals: Vec<_> = scene.instances.values().filter(|instance| counted(instance)).cloned().collect();
    let Some(center) = originals.first().map(|first| first.position) else { return };
    // A sunflower.
    let spot = |i: usize| {
        let (angle, far) =
            (i as f32 * GOLDEN_ANGLE_RAD, (i as f32 * AREA_PER_INSTANCE_M2 / std::f32::consts::PI).sqrt());
        center + Vec3::new(angle.cos(), 0.0, angle.sin()) * far
    };
    let below_or_above = SearchExtents { half_extents: Vec3::new(0.05, 1e4, 0.05), climb: 0.0 };
    let grounded = (1..count * SPOTS).map(spot).filter_map(|p| {
        let local = ground.local(p.as_dvec3());
        let under = nearest(ground, local, &below_or_above, &Filter::default())?;
        Some(ground.world(local.with_y(ground.height_at(under.polygon, local))).as_vec3())
    });
    let beside = (1..).map(spot);
    for (original, position) in originals.iter().cycle().zip(grounded.chain(beside)).take(count - originals.len()) {
        let mut copy = (**original).clone();
        copy.position = position;
        scene.instances.insert(copy.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::LevelTriangle;
    use crate::nav::mesh::from_level::{GroundSettings, LevelMesh};

    #[test]
    fn instances_are_repeated_or_left_out() {
        let corners = [Vec3::ZERO, Vec3::new(0.0, 0.0, 6.0), Vec3::new(6.0, 0.0, 0.0), Vec3::new(6.0, 0.0, 6.0)];
        let triangles = [(0, [0, 1, 2]), (1, [2, 1, 3])].map(|(index, t)| LevelTriangle {
            index,
            points: t.map(|i: usize| corners[i]),
            normal: Vec3::Y,
        });
        let ground = LevelMesh::build(&triangles, &GroundSettings::default()).nav_mesh().unwrap();
        let mut scene = Scene::default();
        repeat(&mut scene, &ground, 5, |_| true);
        assert_eq!(scene.instances.len(), 0, "there is nothing to repeat");
        for _ in 0..3 {
            scene
                .instances
                .insert(SceneInstance { position: Vec3::new(1.0, 0.4, 1.0), ..SceneInstance::default() }.into());
        }
        repeat(&mut scene, &ground, 10, |_| true);
        let places: Vec<Vec3> = scene.instances.values().map(|i| i.position).collect();
        assert_eq!(places.len(), 10);
        let on_ground = |p: &Vec3| p.y == 0.0 && p.cmpge(Vec3::ZERO).all() && p.max_element() <= 6.0;
        assert!(places[3..].iter().all(on_ground), "{places:?}");
        for (i, a) in places.iter().enumerate().skip(3) {
            assert!(places[i + 1..].iter().all(|b| a.distance(*b) > 1.0), "{places:?}");
        }
        repeat(&mut scene, &ground, 100, |_| true);
        assert_eq!(scene.instances.len(), 100, "the others stand beside the ground");
        repeat(&mut scene, &ground, 2, |_| true);
        assert_eq!(scene.instances.len(), 2);
        // Of those that are counted alone: the other stays.
        scene.instances.insert(SceneInstance { scale: 3.0, ..SceneInstance::default() }.into());
        for count in [20, 1] {
            repeat(&mut scene, &ground, count, |instance| instance.scale != 3.0);
            assert_eq!(scene.instances.len(), count + 1);
            assert_eq!(scene.instances.values().filter(|instance| instance.scale == 3.0).count(), 1);
        }
    }
}
