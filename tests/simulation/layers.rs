//! Layers of clips over the animation.

use crate::stage::{Plan, Stage};
use glam::Vec3;
use std::sync::Arc;
use walkabout::anim::layer::LayerKind;
use walkabout::scene::ClipLayer;

#[test]
fn layers_play_over_the_other_animation() {
    let mut stage = Stage::new(Plan::default().floor([-5.0, 5.0], 0.0, [-5.0, 5.0]));
    let id = stage.add(stage.person, Vec3::ZERO, None);
    let layer = ClipLayer { clip: 1, joint: "root".into(), weight: 0.5, ..ClipLayer::default() };
    let layers = vec![
        ClipLayer { joint: "tail".into(), ..layer.clone() },
        ClipLayer { kind: LayerKind::Override, ..layer.clone() },
        ClipLayer { clip: 7, ..layer.clone() },
        ClipLayer { speed: 0.0, ..layer },
    ];
    Arc::make_mut(stage.scene.instances.get_mut(id).unwrap()).layers = layers;
    stage.world.reconcile(&stage.scene, &stage.assets);
    stage.run(0.75);
    let shown = stage.live(id).now.playback.layers;
    // One without its joint or its clip is left out.
    assert_eq!(shown.map(|layer| layer.weight), [0.5, 0.5, 0.0, 0.0]);
    assert_eq!((shown[0].kind, shown[0].nodes), (LayerKind::Override, [0, 1]));
    assert!((shown[0].time_secs - 0.75).abs() < 1e-3 && shown[1].time_secs == 1.0, "{shown:?}");
    stage.run(0.5);
    assert!((stage.live(id).now.playback.layers[0].time_secs - 0.25).abs() < 1e-3, "it plays over and over");
}
