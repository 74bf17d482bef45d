//! The original's scenes with their behaviours: they do what their trees say, and nobody gets lost or jitters.

use crate::trial;
use libtest_mimic::Trial;
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
