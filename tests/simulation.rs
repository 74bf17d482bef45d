//! Characters of our own scenes walk to their targets, the same way every time, and nobody gets lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a scene has to fail")]

use glam::Vec3;
use std::path::Path;
use walkabout::asset::cache::Cache;
use walkabout::asset::{AssetStore, Importer};
use walkabout::nav::mesh::PolyId;
use walkabout::nav::planner::PLANNERS;
use walkabout::scene::nav::MeshSource;
use walkabout::scene::{Edit, Scene, SceneLevel, SceneNav};
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

/// A yard with a ring of a navigation mesh, made by hand, around its middle.
#[test]
fn e_5_a_mesh_called_navmesh_inside_a_level_is_taken_and_is_no_part_of_the_level() {
    let (mut assets, mut scene) = (AssetStore::default(), Scene::default());
    assets.set_root(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models"));
    let model = walkabout::asset::import::import_file(&assets.resolve("yard_with_navmesh.obj")).unwrap();
    assets.insert("yard_with_navmesh.obj", model);
    let level = SceneLevel { name: "yard".into(), file: "yard_with_navmesh.obj".into(), ..SceneLevel::default() };
    scene.levels.insert(level.into());
    scene.nav = SceneNav { mesh: MeshSource::Level, ..SceneNav::default() }.into();
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    assert_eq!(world.mesh().error(), None);
    let mesh = world.mesh().current().unwrap().clone();
    assert_eq!(mesh.len(), 16, "two triangles for each of eight fields");
    let triangle = |p: u32| {
        let c = mesh.corners_of(PolyId(p));
        0.5 * (c[1] - c[0]).cross(c[2] - c[0]).y.abs()
    };
    let area: f32 = (0..16).map(triangle).sum();
    assert!((area - (100.0 - 16.0)).abs() < 1e-3, "{area}");
    // The ground is the yard alone, its middle included.
    assert_eq!(world.ground().unwrap().len(), 2);
    let asks = |planner: &str| {
        let mut nav = (*scene.nav).clone();
        (nav.probe.start, nav.probe.end) = (Some(Vec3::new(-4.0, 0.0, 0.0)), Some(Vec3::new(4.0, 0.0, 0.0)));
        nav.probe.planner = planner.into();
        let mut scene = scene.clone();
        scene.nav = nav.into();
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        world.probe().results()[0].length_2d
    };
    assert!((asks("centers") - 8.0).abs() < 1e-3, "straight over the yard");
    assert!((asks("exact") - (4.0 + 2.0 * 8.0_f64.sqrt())).abs() < 1e-3, "around the middle on the mesh");
    scene.levels = walkabout::scene::Scene::default().levels;
    world.reconcile(&scene, &assets);
    assert!(world.mesh().error().unwrap().contains("navmesh"));
}
