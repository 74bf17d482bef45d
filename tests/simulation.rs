//! Characters of our own scenes walk to their targets, the same way every time, and none gets lost; whole steps on small
//! levels are in the modules of `simulation`.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a scene has to fail")]

#[path = "simulation/behavior.rs"]
mod behavior;
#[path = "simulation/behavior_nodes.rs"]
mod behavior_nodes;
#[path = "simulation/doors.rs"]
mod doors;
#[path = "simulation/graphs.rs"]
#[allow(dead_code, reason = "tests from inside use the rest")]
mod graphs;
#[path = "common/halls.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod halls;
#[path = "simulation/layers.rs"]
mod layers;
#[path = "simulation/level_parts.rs"]
mod level_parts;
#[path = "simulation/many_in_view.rs"]
mod many_in_view;
#[path = "simulation/morph_weights.rs"]
mod morph_weights;
#[path = "common/own_models.rs"]
mod own_models;
#[path = "simulation/plane.rs"]
mod plane;
#[path = "simulation/root_motion.rs"]
mod root_motion;
#[path = "simulation/stage.rs"]
#[allow(dead_code, reason = "tests from inside use the rest")]
mod stage;
#[path = "simulation/walks.rs"]
mod walks;

use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use walkabout::asset::AssetStore;
use walkabout::ids::InstanceId;
use walkabout::inspect::Inspector;
use walkabout::nav::mesh::{Filter, NavMesh, PolyId};
use walkabout::nav::planner::{Planner, PlannerContext, Query};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::scene::nav::MeshSource;
use walkabout::scene::{Edit, Scene, SceneInstance, SceneLevel, SceneNav};
use walkabout::sim::{NavStatus, World};

fn stage(name: &str) -> (Scene, AssetStore, World) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("config").join(name);
    let loaded = walkabout::scene::file::load(&path).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    let mut assets = AssetStore::with_importer(own_models::importer());
    assets.set_root(loaded.root);
    loaded.scene.request_assets(&mut assets);
    assets.wait();
    let mut world = World::default();
    world.reconcile(&loaded.scene, &assets);
    (loaded.scene, assets, world)
}

/// Runs a scene and returns how many want to walk and how many have arrived at a target.
fn walk(name: &str, seconds: u32, (scene, _, world): (&Scene, &AssetStore, &mut World)) -> (usize, usize) {
    let mut at_target = BTreeSet::new();
    for _ in 0..seconds * 60 {
        world.step(scene);
        at_target.extend(world.iter().filter(|(_, live)| live.nav == NavStatus::Arrived).map(|(id, _)| id));
    }
    let (mut walkers, mut arrived) = (0, 0);
    for (id, instance) in scene.instances.iter() {
        let live = world.live(id).unwrap();
        assert!(live.now.position.is_finite(), "{name}: {id:?} is nowhere");
        let fallen = instance.position.y - live.now.position.y;
        assert!(fallen < 20.0, "{name}: {id:?} fell {fallen} m");
        if instance.navigation && instance.target.is_some() {
            walkers += 1;
            arrived += usize::from(at_target.contains(&id));
        }
    }
    (walkers, arrived)
}

/// Our scenes and how many walk in them at least.
const SCENES: [(&str, usize); 3] = [("plaza.acfg", 34), ("arena.acfg", 12), ("courtyard.acfg", 8)];

#[test]
fn everyone_in_our_scenes_arrives_and_goes_on() {
    for (name, least) in SCENES {
        let (scene, assets, mut world) = stage(name);
        assert_eq!((&scene.nav.mesh, scene.nav.planner), (&MeshSource::Baked, Planner::Exact), "{name}");
        let (walkers, arrived) = walk(name, 90, (&scene, &assets, &mut world));
        assert!(walkers >= least, "{name}: {walkers} walk");
        assert_eq!(arrived, walkers, "{name}");
        // They stay for a few seconds only.
        let underway = world.iter().filter(|(_, live)| live.nav == NavStatus::Walking).count();
        assert!(underway * 2 > walkers, "{name}: {underway} of {walkers} still walk");
    }
}

/// Most of a path on the plaza beyond the shortest one, as a mean.
const MAX_DETOUR: f64 = 0.02;

#[test]
fn paths_on_the_plaza_are_there_and_hardly_longer_than_exact() {
    let (scene, _, mut world) = stage("plaza.acfg");
    let mesh = world.mesh().current().unwrap().clone();
    let mut planner = PlannerContext::new();
    let ground = |at: Vec3| nearest(&mesh, mesh.local(at.as_dvec3()), &SearchExtents::default(), &Filter::default());
    // Each walker once for every target that it is sent to.
    let (mut detours, mut without, mut seen) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for _ in 0..60 * 60 {
        world.step(&scene);
        for (id, live) in world.iter() {
            if matches!(live.nav, NavStatus::Failed(_)) {
                without.insert(id);
            }
            let Some(goal) = live.path.last().filter(|_| live.nav == NavStatus::Walking) else { continue };
            if !seen.insert((id, goal.to_array().map(|v| (v * 10.0).round() as i64))) {
                continue;
            }
            let points: Vec<Vec3> = std::iter::once(live.now.position).chain(live.path.iter().copied()).collect();
            let length: f64 = points.windows(2).map(|leg| f64::from(leg[0].distance(leg[1]))).sum();
            let [start, end] = [live.now.position, *goal].map(|at| ground(at).expect("it is on the mesh").nav_point());
            let filter = &Filter::default();
            let query = Query { skip_polygons: true, ..Query::new(start, end, filter) };
            let exact = Planner::Exact.find(&mut planner, &mesh, &query);
            // What is almost there turns about more than it walks.
            if exact.length > 4.0 {
                detours.push(length / exact.length - 1.0);
            }
        }
    }
    assert!(without.is_empty(), "{without:?} have no path");
    let walkers: BTreeSet<InstanceId> = seen.iter().map(|(id, _)| *id).collect();
    assert!(walkers.len() >= SCENES[0].1 && detours.len() > walkers.len(), "{} paths", detours.len());
    let mean = detours.iter().sum::<f64>() / detours.len() as f64;
    assert!(mean <= MAX_DETOUR, "paths are {:.2} % longer than the shortest", 100.0 * mean);
}

#[test]
fn our_scenes_stay_busy() {
    for (name, minutes) in [("plaza.acfg", 30), ("courtyard.acfg", 20), ("arena.acfg", 20)] {
        let (scene, assets, mut world) = stage(name);
        let mesh = world.mesh().current().unwrap().clone();
        let strollers: Vec<InstanceId> =
            scene.instances.iter().filter(|(_, i)| i.navigation).map(|(id, _)| id).collect();
        let place = |world: &World, id: InstanceId| world.live(id).unwrap().now.position;
        let mut before: Vec<Vec3> = Vec::new();
        for minute in 1..=minutes {
            // Of a moment it may be chance: they stand at their targets for a while.
            let mut walking = 0;
            for second in 0..60 {
                for _ in 0..60 {
                    world.advance(&scene, &assets);
                }
                let now = strollers.iter().filter(|&&id| world.live(id).unwrap().nav == NavStatus::Walking).count();
                assert!(now > 0, "{name}: no character walks {second} s into minute {minute}");
                walking += now;
            }
            let of_all = walking as f32 / (60 * strollers.len()) as f32;
            assert!(of_all > 0.75, "{name}: {:.0} % walk in minute {minute}", 100.0 * of_all);
            for (id, instance) in scene.instances.iter() {
                let live = world.live(id).unwrap();
                assert!(live.on_ground, "{name}: {id:?} is off the ground after {minute} minutes");
                if instance.navigation {
                    let off = off_mesh(&mesh, live.now.position);
                    assert!(off < 0.1, "{name}: {id:?} is {off} m off the mesh after {minute} minutes");
                } else {
                    let moved = live.now.position.distance(instance.position);
                    assert!(moved < 1.0, "{name}: {id:?} stands and was pushed {moved} m in {minute} minutes");
                }
            }
            let now: Vec<Vec3> = strollers.iter().map(|&id| place(&world, id)).collect();
            let stuck = now.iter().zip(&before).filter(|(a, b)| a.distance(**b) < 0.5).count();
            assert!(stuck <= 2, "{name}: {stuck} are where they were a minute before, after {minute} minutes");
            before = now;
        }
    }
}

#[test]
fn everyone_in_our_scenes_arrives_over_the_levels_triangles() {
    for (name, _) in SCENES {
        let (mut scene, assets, mut world) = stage(name);
        scene.apply(&Edit::SetNav(Box::default())).unwrap();
        world.reconcile(&scene, &assets);
        let (walkers, arrived) = walk(name, 90, (&scene, &assets, &mut world));
        assert_eq!(arrived, walkers, "{name}");
    }
}

#[test]
fn everyone_arrives_by_every_planner_on_a_baked_mesh() {
    for planner in Planner::ON_MESH {
        let (mut scene, assets, mut world) = stage("courtyard.acfg");
        let nav = SceneNav { mesh: MeshSource::Baked, planner, ..SceneNav::default() };
        scene.apply(&Edit::SetNav(Box::new(nav))).unwrap();
        world.reconcile(&scene, &assets);
        assert!(world.mesh().error().is_none(), "{:?}", world.mesh().error());
        let (walkers, arrived) = walk(planner.name(), 90, (&scene, &assets, &mut world));
        assert_eq!((walkers >= 4, arrived), (true, walkers), "{planner}");
    }
}

/// Who walks on the crowded plaza, and what has been seen of them.
struct Watch {
    ids: Vec<InstanceId>,
    /// Where each was and whether it wanted to go on, at each second.
    seconds: Vec<Vec<(Vec3, bool)>>,
    /// For how many steps in a row two have been in each other.
    inside: BTreeMap<(usize, usize), u32>,
    longest_inside: u32,
    arrivals: usize,
}

impl Watch {
    /// Distance of two people whose bodies, 0.6 m wide each, are in each other by half, metres.
    const HALF: f32 = 0.3;
    /// How far one has to come in so many seconds not to be stuck, metres.
    const HEADWAY: f32 = 0.3;
    const PATIENCE_SECS: usize = 10;

    fn step(&mut self, world: &World) {
        let at: Vec<Vec3> = self.ids.iter().map(|&id| world.live(id).unwrap().now.position).collect();
        let mut order: Vec<usize> = (0..at.len()).collect();
        order.sort_by(|&a, &b| at[a].x.total_cmp(&at[b].x));
        let mut now = BTreeMap::new();
        for (k, &a) in order.iter().enumerate() {
            for &b in order[k + 1..].iter().take_while(|&&b| at[b].x - at[a].x < Self::HALF) {
                if (at[a] - at[b]).with_y(0.0).length() < Self::HALF && (at[a].y - at[b].y).abs() < 1.0 {
                    let pair = (a.min(b), a.max(b));
                    let steps = self.inside.get(&pair).map_or(1, |n| n + 1);
                    self.longest_inside = self.longest_inside.max(steps);
                    now.insert(pair, steps);
                }
            }
        }
        self.inside = now;
    }

    /// Says who has wanted to go on for so long and has not.
    fn second(&mut self, world: &World) -> Vec<String> {
        let live = self.ids.iter().map(|&id| world.live(id).unwrap());
        self.seconds.push(live.map(|l| (l.now.position, l.nav == NavStatus::Walking)).collect());
        let begin = self.seconds.len().checked_sub(Self::PATIENCE_SECS + 1);
        let Some(seen) = begin.map(|n| &self.seconds[n..]) else { return Vec::new() };
        let far = |i: usize| seen.iter().map(|s| s[i].0.distance(seen[0][i].0)).fold(0.0, f32::max);
        let stuck = (0..self.ids.len()).filter(|&i| seen.iter().all(|s| s[i].1) && far(i) < Self::HEADWAY);
        stuck.map(|i| format!("{:?} stands at {}", self.ids[i], seen[0][i].0)).collect()
    }
}

/// How far from the mesh a place is, seen from above, metres.
fn off_mesh(mesh: &NavMesh, place: Vec3) -> f32 {
    let at = mesh.local(place.as_dvec3());
    let near = nearest(mesh, at, &SearchExtents::default(), &Filter::default());
    near.map_or(f32::INFINITY, |n| (n.point - at).with_y(0.0).length())
}

/// Everybody who walks on the plaza four times, beside each other, over a baked mesh; who has arrived goes on to the
/// next one's target.
fn crowded_plaza() -> (Scene, AssetStore, World, Watch) {
    let (mut scene, assets, mut world) = stage("plaza.acfg");
    // Voxels so large close the way down to the canal: whose target lies there stays where it is, in the way of others.
    let mut nav = SceneNav { mesh: MeshSource::Baked, planner: Planner::Funnel, ..SceneNav::default() };
    nav.bake.cell_size = 0.2;
    scene.apply(&Edit::SetNav(Box::new(nav))).unwrap();
    let walks = |i: &SceneInstance| i.navigation && i.target.is_some();
    let walkers: Vec<_> = scene.instances.iter().filter(|(_, i)| walks(i)).map(|(id, i)| (id, i.clone())).collect();
    let mut ids: Vec<InstanceId> = walkers.iter().map(|w| w.0).collect();
    for id in &ids {
        Arc::make_mut(scene.instances.get_mut(*id).unwrap()).behavior = None;
    }
    world.reconcile(&scene, &assets);
    let mesh = world.mesh().current().unwrap();
    for offset in [Vec3::X, Vec3::Z, Vec3::NEG_X].map(|d| d * 0.7) {
        for (_, instance) in &walkers {
            let beside = SceneInstance { position: instance.position + offset, behavior: None, ..(**instance).clone() };
            if off_mesh(mesh, beside.position) < 0.06 {
                ids.push(scene.instances.insert(beside.into()));
            }
        }
    }
    world.reconcile(&scene, &assets);
    let watch = Watch { ids, seconds: Vec::new(), inside: BTreeMap::new(), longest_inside: 0, arrivals: 0 };
    (scene, assets, world, watch)
}

#[test]
fn n_08_the_crowded_plaza_neither_jams_nor_overlaps() {
    let (mut scene, assets, mut world, mut watch) = crowded_plaza();
    let targets: Vec<_> = watch.ids.iter().map(|&id| scene.instances.get(id).unwrap().target).collect();
    let mut at_target: Vec<usize> = (0..targets.len()).collect();
    let (mut stuck, mut on_mesh) = (Vec::new(), vec![false; targets.len()]);
    for step in 0..120 * 60 {
        world.step(&scene);
        watch.step(&world);
        if step % 60 != 59 {
            continue;
        }
        stuck.extend(watch.second(&world).into_iter().map(|s| format!("{s} after {} s", (step + 1) / 60)));
        let mesh = world.mesh().current().unwrap().clone();
        for (i, id) in watch.ids.clone().into_iter().enumerate() {
            let live = world.live(id).unwrap();
            let off = off_mesh(&mesh, live.now.position);
            assert!(off < 0.06 || !on_mesh[i], "{id:?} is {off} m off the mesh at {}", live.now.position);
            on_mesh[i] |= off < 0.06;
            if live.nav == NavStatus::Arrived {
                watch.arrivals += 1;
                at_target[i] = (at_target[i] + 7) % targets.len();
                Arc::make_mut(scene.instances.get_mut(id).unwrap()).target = targets[at_target[i]];
            }
        }
        world.reconcile(&scene, &assets);
    }
    println!("{} walked, {} arrivals, {} steps in each other", watch.ids.len(), watch.arrivals, watch.longest_inside);
    let lost: Vec<_> = (0..targets.len()).filter(|&i| !on_mesh[i]).map(|i| watch.ids[i]).collect();
    assert_eq!(lost, Vec::new(), "never on the mesh");
    assert!(watch.ids.len() > 120 && watch.arrivals > watch.ids.len(), "{}", watch.arrivals);
    assert_eq!(stuck, Vec::<String>::new());
    assert!(watch.longest_inside <= 30, "two were in each other for {} steps", watch.longest_inside);
}

#[test]
fn the_same_steps_give_the_same_state_however_they_are_grouped() {
    let (scene, _, mut one) = stage("courtyard.acfg");
    let (_, _, mut other) = stage("courtyard.acfg");
    for _ in 0..300 {
        one.step(&scene);
    }
    for burst in [1, 7, 92, 200] {
        for _ in 0..burst {
            other.step(&scene);
        }
    }
    assert_eq!(one.hash(), other.hash());
    other.step(&scene);
    assert_ne!(one.hash(), other.hash(), "the hash must see movement");
}

/// A yard with a ring of a navigation mesh, made by hand, around its middle.
#[test]
fn e_5_a_level_mesh_called_navmesh_is_taken_out_and_used() {
    let (mut assets, mut scene) = (AssetStore::default(), Scene::default());
    assets.set_root(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models"));
    let model = walkabout::asset::import::import_file(&assets.resolve("yard_with_navmesh.obj")).unwrap();
    assets.insert("yard_with_navmesh.obj", model);
    let level = SceneLevel { name: "yard".into(), file: "yard_with_navmesh.obj".into(), ..SceneLevel::default() };
    scene.levels.insert(level.into());
    scene.nav = SceneNav { mesh: MeshSource::Level, ..SceneNav::default() }.into();
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    assert!(world.mesh().error().is_none(), "{:?}", world.mesh().error());
    let mesh = world.mesh().current().unwrap().clone();
    assert_eq!(mesh.len(), 16, "two triangles for each of eight fields");
    let triangle = |p: u32| {
        let c = mesh.corners_of(PolyId(p));
        0.5 * (c[1] - c[0]).cross(c[2] - c[0]).y.abs()
    };
    let area: f32 = (0..16).map(triangle).sum();
    assert!((area - (100.0 - 16.0)).abs() < 1e-3, "{area}");
    let asks = |mesh: MeshSource, planner: Planner| {
        let mut nav = SceneNav { mesh, ..(*scene.nav).clone() };
        (nav.probe.start, nav.probe.end) = (Some(Vec3::new(-4.0, 0.0, 0.0)), Some(Vec3::new(4.0, 0.0, 0.0)));
        nav.probe.planner = planner;
        let mut scene = scene.clone();
        scene.nav = nav.into();
        let mut world = World::default();
        world.reconcile(&scene, &assets);
        let mut inspector = Inspector::default();
        inspector.reconcile(&world, &scene);
        inspector.query().results()[0].length_2d
    };
    assert!((asks(MeshSource::Triangles, Planner::Exact) - 8.0).abs() < 1e-3, "straight over the yard");
    assert!(
        (asks(MeshSource::Level, Planner::Exact) - (4.0 + 2.0 * 8.0_f64.sqrt())).abs() < 1e-3,
        "around the middle on the mesh"
    );
    scene.levels = walkabout::scene::Scene::default().levels;
    world.reconcile(&scene, &assets);
    assert!(world.mesh().error().unwrap().to_string().contains("navmesh"));
}
