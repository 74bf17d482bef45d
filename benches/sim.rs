//! One simulation step with a thousand people who all walk to far targets, on one thread, beside what the original
//! program takes for its step.
//!
//! The rival's 47 ms were measured on shared cores of the same kind of machine. Our plaza is always walked; the
//! rival's own level too, where the shared data is at hand. First all thousand set out at once, so that their searches
//! wait in the queue; then, with everyone on the way, the plain steps are timed. People walk over the level's triangles,
//! as the rival's do, and then over navigation meshes, as members of a crowd.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::Vec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use walkabout::asset::AssetStore;
use walkabout::asset::import::import_file;
use walkabout::ids::InstanceId;
use walkabout::nav::mesh::{NavMesh, PolyId};
use walkabout::nav::planner::Planner;
use walkabout::scene::instance::ModelRef;
use walkabout::scene::nav::MeshSource;
use walkabout::scene::{Scene, SceneInstance, SceneModel};
use walkabout::sim::{NavStatus, World};

const RIVAL_STEP_MS: f64 = 47.0;
const PEOPLE: usize = 1000;
const TARGETS: usize = 20;
/// Steps that are timed with everyone on the way.
const STEPS: usize = 300;
/// Steps of one iteration for criterion.
const BURST: usize = 20;

struct Stage {
    scene: Scene,
    world: World,
}

/// The level and settings of a scene file with a thousand people in place of its instances.
fn stage(config: &Path, mesh: MeshSource) -> Stage {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let load = |path: &Path| walkabout::scene::file::load(path).unwrap_or_else(|e| panic!("{e}"));
    let (loaded, plaza) = (load(config), load(&own.join("config/plaza.acfg")));
    let mut scene = Scene { settings: loaded.scene.settings.clone(), ..Scene::default() };
    let settings = Arc::make_mut(&mut scene.settings);
    settings.nav.enabled = true;
    settings.gravity_enabled = true;
    let nav = Arc::make_mut(&mut scene.nav);
    (nav.mesh, nav.planner) = (mesh, Planner::Funnel);
    let mut assets = AssetStore::default();
    for level in loaded.scene.levels.values() {
        if let Ok(model) = import_file(&loaded.root.join(&level.file)) {
            assets.insert(&level.file, model);
            scene.levels.insert(level.clone());
        }
    }
    let person = plaza.scene.models.values().find(|m| m.name.starts_with("ada")).cloned();
    let person = person.unwrap_or_else(|| Arc::new(SceneModel::default()));
    let model = import_file(&plaza.root.join(&person.file)).unwrap_or_else(|e| panic!("{e}"));
    assets.insert(&person, model);
    let person = ModelRef::Known(scene.models.insert(person));
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    if let Some(mesh) = world.mesh().current().cloned() {
        populate(&mut scene, &mesh, &person);
    }
    world.reconcile(&scene, &assets);
    Stage { scene, world }
}

/// Puts people all over the largest part of the ground, each with the farthest of the targets.
fn populate(scene: &mut Scene, mesh: &NavMesh, person: &ModelRef) {
    let mut sizes = std::collections::BTreeMap::<u32, usize>::new();
    mesh.live_polygons().for_each(|id| *sizes.entry(mesh.polygon(id).island).or_default() += 1);
    let largest = sizes.iter().max_by_key(|(_, size)| **size).map_or(0, |(id, _)| *id);
    let polygons: Vec<PolyId> = mesh.live_polygons().filter(|id| mesh.polygon(*id).island == largest).collect();
    let center = |id: PolyId| {
        let outline = mesh.world_outline(id);
        let count = outline.len() as f32;
        outline.sum::<Vec3>() / count
    };
    let place = |i: usize| center(polygons[i % polygons.len()]);
    let target = |i: usize| SceneInstance { model: person.clone(), position: place(i), ..SceneInstance::default() };
    let targets: Vec<InstanceId> =
        (0..TARGETS).map(|i| scene.instances.insert(Arc::new(target(i * polygons.len() / TARGETS + 7)))).collect();
    for i in 0..PEOPLE {
        let position = place(i * 7919);
        let distance = |id: &InstanceId| scene.instances.get(*id).map_or(0.0, |t| t.position.distance(position));
        let farthest = targets.iter().copied().max_by(|a, b| distance(a).total_cmp(&distance(b)));
        let walker = SceneInstance { position, navigation: true, target: farthest, ..target(0) };
        scene.instances.insert(Arc::new(walker));
    }
}

impl Stage {
    fn walking(&self) -> usize {
        self.world.iter().filter(|(_, live)| live.nav == NavStatus::Walking).count()
    }

    /// Makes `count` steps; their times in milliseconds, ascending.
    fn time(&mut self, count: usize) -> Vec<f64> {
        let mut times: Vec<f64> = (0..count)
            .map(|_| {
                let start = Instant::now();
                self.world.step(&self.scene);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times
    }
}

fn report(name: &str, what: &str, walking: usize, times: &[f64]) {
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(0.0);
    println!(
        "{name:13} {what:12} {walking:4} walk: mean {mean:6.3} ms, median {:6.3}, 99 % {:6.3}; {:6.1} times faster",
        at(50),
        at(99),
        RIVAL_STEP_MS / mean
    );
}

fn people(criterion: &mut Criterion) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("WALKABOUT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let rival = shared.join("data/original/config/de_dust_nav.acfg");
    // One thread, as the rival has, unless somebody asks for more.
    let threads = std::env::var("WALKABOUT_THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    if rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().is_err() {
        return;
    }
    let plaza = root.join("config/plaza.acfg");
    let town = MeshSource::File(shared.join("data/navmesh/de_dust_x5.mesh.json").display().to_string());
    for (name, config, mesh) in [
        ("plaza", &plaza, MeshSource::Triangles),
        ("plaza, mesh", &plaza, MeshSource::Baked),
        ("de_dust", &rival, MeshSource::Triangles),
        ("de_dust, mesh", &rival, town),
    ] {
        if !config.is_file() {
            continue;
        }
        let mut stage = stage(config, mesh);
        let times = stage.time(120);
        report(name, "setting out", stage.walking(), &times);
        assert!(stage.walking() > PEOPLE / 2, "{name}: people who stand are no measure of steps");
        let searches = stage.world.searches();
        let times = stage.time(STEPS);
        report(name, "on the way", stage.walking(), &times);
        println!("{name:13} {searches} searches to set out, {} later", stage.world.searches() - searches);
        for (scope, track) in stage.world.profiler().tracks() {
            println!("{name:13}   {scope:16} {:6.3} ms", track.mean_ms());
        }
        criterion.bench_function(&format!("{BURST} steps of {PEOPLE} people, {name}"), |b| {
            b.iter_batched_ref(
                || stage.world.clone(),
                |world| (0..BURST).for_each(|_| world.step(&stage.scene)),
                BatchSize::LargeInput,
            );
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = people
}
criterion_main!(benches);
