//! What editing a scene of ten thousand instances costs: a clone, a step of the history, saving and loading.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::Vec3;
use std::hint::black_box;
use std::sync::Arc;
use walkabout::scene::edit::Edit;
use walkabout::scene::history::History;
use walkabout::scene::instance::ModelRef;
use walkabout::scene::{Scene, SceneInstance, SceneModel, Selection};

const INSTANCES: usize = 10_000;

fn crowded() -> Scene {
    let mut scene = Scene::default();
    let entry = SceneModel { name: "ada.glb".into(), file: "assets/people/ada.glb".into(), ..SceneModel::default() };
    let model = ModelRef::Known(scene.models.insert(Arc::new(entry)));
    for i in 0..INSTANCES {
        let position = Vec3::new((i % 100) as f32 * 1.25, 0.0, (i / 100) as f32 * 1.25);
        let instance = SceneInstance { model: model.clone(), position, ..SceneInstance::default() };
        scene.instances.insert(Arc::new(instance));
    }
    scene
}

fn editing(criterion: &mut Criterion) {
    let scene = crowded();
    criterion.bench_function("clone 10,000 instances", |b| b.iter(|| black_box(&scene).clone()));

    let none = Selection::default();
    let Some(id) = scene.instances.at(INSTANCES / 2) else { return };
    let Some(moved) = scene.instances.get(id).map(|i| SceneInstance { position: Vec3::ONE, ..(**i).clone() }) else {
        return;
    };
    let edit = Edit::SetInstance { id, to: moved.into() };
    criterion.bench_function("edit and history step, 10,000 instances", |b| {
        b.iter_batched_ref(
            || (scene.clone(), History::new(scene.clone(), none)),
            |(scene, history)| {
                scene.apply(&edit).unwrap_or_else(|e| panic!("{e}"));
                history.push("Move", None, scene, none, none);
            },
            BatchSize::SmallInput,
        );
    });
}

fn files(criterion: &mut Criterion) {
    let scene = crowded();
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let path = folder.path().join("crowded.acfg");
    let save = || walkabout::scene::file::save(&scene, &Selection::default(), &path).unwrap_or_else(|e| panic!("{e}"));
    criterion.bench_function("save 10,000 instances", |b| b.iter(save));
    let load = || walkabout::scene::file::load(&path).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(load().scene.instances.len(), INSTANCES);
    criterion.bench_function("load 10,000 instances", |b| b.iter(load));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = editing, files
}
criterion_main!(benches);
