//! Characters of our own scenes walk to their targets, the same way every time, and nobody gets lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a scene has to fail")]

use std::path::Path;
use walkabout::asset::cache::Cache;
use walkabout::asset::{AssetStore, Importer};
use walkabout::nav::planner::PLANNERS;
use walkabout::scene::nav::MeshSource;
use walkabout::scene::{Edit, Scene, SceneNav};
use walkabout::sim::{NavStatus, World};

fn stage(name: &str) -> (Scene, AssetStore, World) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("config").join(name);
    let loaded = walkabout::scene::file::load(&path).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    let importer = Importer {
        program: Some(env!("CARGO_BIN_EXE_walkabout").into()),
        cache: Cache::in_folder(std::env::temp_dir().join("walkabout-simulation")),
        ..Importer::default()
    };
    let mut assets = AssetStore::with_importer(importer);
    assets.set_root(loaded.root);
    for file in loaded.scene.levels.values().map(|l| &l.file).chain(loaded.scene.models.values().map(|m| &m.file)) {
        assets.request(file);
    }
    assets.wait();
    let mut world = World::default();
    world.reconcile(&loaded.scene, &assets);
    (loaded.scene, assets, world)
}

/// Runs a scene and returns how many want to walk and how many have arrived.
fn run(name: &str, seconds: u32) -> (usize, usize) {
    walk(name, seconds, stage(name))
}

fn walk(name: &str, seconds: u32, (scene, assets, mut world): (Scene, AssetStore, World)) -> (usize, usize) {
    for _ in 0..seconds * 60 {
        world.step(&scene, &assets);
    }
    let (mut walkers, mut arrived) = (0, 0);
    for (id, instance) in scene.instances.iter() {
        let live = world.live(id).unwrap();
        assert!(live.now.position.is_finite(), "{name}: {id:?} is nowhere");
        let fallen = instance.position.y - live.now.position.y;
        assert!(fallen < 20.0, "{name}: {id:?} fell {fallen} m");
        if instance.navigation && instance.target.is_some() {
            walkers += 1;
            arrived += usize::from(live.nav == NavStatus::Arrived);
        }
    }
    (walkers, arrived)
}

#[test]
fn everyone_on_the_plaza_arrives() {
    let (walkers, arrived) = run("plaza.acfg", 90);
    assert!(walkers >= 34, "{walkers} walk");
    assert_eq!(arrived, walkers);
}

#[test]
fn everyone_in_the_smaller_scenes_arrives() {
    for name in ["arena.acfg", "courtyard.acfg"] {
        let (walkers, arrived) = run(name, 90);
        assert!(walkers >= 4, "{name}: {walkers} walk");
        assert_eq!(arrived, walkers, "{name}");
    }
}

#[test]
fn everyone_arrives_by_every_planner_on_a_baked_mesh() {
    for planner in PLANNERS {
        let (mut scene, assets, mut world) = stage("courtyard.acfg");
        let nav = SceneNav { mesh: MeshSource::Baked, planner: planner.name.into(), ..SceneNav::default() };
        scene.apply(&Edit::SetNav(nav)).unwrap();
        world.reconcile(&scene, &assets);
        assert_eq!(world.mesh().error(), None);
        let (walkers, arrived) = walk(planner.name, 90, (scene, assets, world));
        assert_eq!((walkers >= 4, arrived), (true, walkers), "{}", planner.name);
    }
}

#[test]
fn the_same_steps_give_the_same_state_however_they_are_grouped() {
    let (scene, assets, mut one) = stage("courtyard.acfg");
    let (_, _, mut other) = stage("courtyard.acfg");
    for _ in 0..300 {
        one.step(&scene, &assets);
    }
    for burst in [1, 7, 92, 200] {
        for _ in 0..burst {
            other.step(&scene, &assets);
        }
    }
    assert_eq!(one.hash(), other.hash());
    other.step(&scene, &assets);
    assert_ne!(one.hash(), other.hash(), "the hash must see movement");
}
