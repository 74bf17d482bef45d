//! The original's scenes with their behaviours: they do what their trees say, and none gets lost or jitters.

use crate::trial;
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use walkabout::scene::file;
use walkabout::sim::{EventKind, World};
use walkabout::vocab::MoveState;

/// All trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("behave::characters_live_by_their_trees", |data| live(&data, "level.acfg", false)),
        trial("behave::characters_live_by_their_trees_while_navigating", |data| live(&data, "de_dust_nav.acfg", true)),
        trial("behave::feet_of_the_original_walk_on_the_ground", |data| feet_walk_on_the_ground(&data)),
    ]
}

fn live(data: &Path, name: &str, navigation: bool) {
    let loaded = file::load(&data.join("original/config").join(name)).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let mut scene = loaded.scene;
    Arc::make_mut(&mut scene.settings).nav.enabled = navigation;
    assert!(!scene.models.is_empty() && !scene.levels.is_empty());
    let assets = scene.load_assets(loaded.root);
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    let with_behavior = scene.instances.iter().filter(|(_, i)| i.behavior.is_some()).count();
    assert_eq!(world.iter().filter(|(id, _)| world.behavior(*id).is_some()).count(), with_behavior);
    let (mut jitter, mut idle, mut acted, mut walked) = (0, 0, 0, 0);
    for _ in 0..60 * 40 {
        world.step(&scene);
        for (_, live) in world.iter() {
            let speed = live.now.velocity.with_y(0.0).length();
            match live.state {
                MoveState::Idle => (idle, jitter) = (idle + 1, jitter + usize::from(speed > 0.01)),
                MoveState::Walk | MoveState::Run => walked += 1,
                _ => acted += 1,
            }
        }
    }
    let count = |kind| world.event_counts().find(|(k, _)| *k == kind).map_or(0, |(_, n)| n);
    assert_eq!((count(EventKind::PutBack), count(EventKind::Lost)), (0, 0));
    assert!(idle > 1000 && walked > 1000 && acted > 100, "{idle} idle, {walked} walking, {acted} acting");
    assert!(jitter * 200 < idle, "{jitter} of {idle} idle samples move");
}

/// The chains of feet in the original's scene, which count the bones of skins, are those of feet.
fn feet_walk_on_the_ground(data: &Path) {
    let loaded = file::load(&data.join("original/config/de_dust_nav.acfg")).unwrap();
    let scene = loaded.scene;
    let assets = scene.load_assets(loaded.root);
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    let (mut steps, mut feet, mut planted) = (0, 0, BTreeMap::new());
    for _ in 0..60 * 20 {
        world.step(&scene);
        let walking = world.iter().filter(|(_, live)| matches!(live.state, MoveState::Walk | MoveState::Run));
        for (id, live) in walking {
            let Some(places) = world.drawn_pose(id).and_then(|pose| world.feet(id, &pose)) else { continue };
            // The people of that scene are five metres tall, and swing their feet behind them as they run.
            let heights = places.map(|foot| foot.sole.map(|point| point.y - live.now.position.y));
            assert!(heights.as_flattened().iter().all(|height| height.abs() < 2.0), "{id:?}: {heights:?}");
            let now = places.map(|foot| foot.planted);
            let before = planted.insert(id, now).unwrap_or(now);
            steps += now.iter().zip(before).filter(|(now, before)| **now && !before).count();
            feet += 1;
        }
    }
    assert!(feet > 1000 && steps > 20, "{feet} samples, {steps} steps");
}
