//! What ten thousand characters in one picture cost, without a graphics device.

use glam::Vec3;
use std::sync::Arc;
use walkabout::asset::AssetStore;
use walkabout::camera::{Lens, View, direction};
use walkabout::debug::DebugDraw;
use walkabout::render::culling::ModelShape;
use walkabout::render::draw_lists::{DrawLists, ViewSet};
use walkabout::render::light::{Light, ShadowFall, fit_cascades};
use walkabout::render::quality::Quality;
use walkabout::render::{FrameView, extract};
use walkabout::scene::Scene;
use walkabout::sim::World;

/// Side of the square on which they stand, in characters.
const SIDE: usize = 100;
/// Distance between neighbours, metres: about two square metres for each.
const APART: f32 = 1.4;

/// The people of the plaza on a square, playing what their own are playing there.
fn crowd() -> (Scene, AssetStore, World) {
    let (mut scene, assets, _) = super::stage("plaza.acfg");
    let levels: Vec<_> = scene.levels.ids().collect();
    for level in levels {
        scene.levels.remove(level);
    }
    let originals: Vec<_> = scene.instances.values().filter(|i| i.model_id().is_some()).cloned().collect();
    let ids: Vec<_> = scene.instances.ids().collect();
    ids.into_iter().for_each(|id| drop(scene.instances.remove(id)));
    for (i, original) in originals.iter().cycle().take(SIDE * SIDE).enumerate() {
        let mut copy = (**original).clone();
        copy.position = Vec3::new((i % SIDE) as f32 * APART, 0.0, (i / SIDE) as f32 * APART);
        scene.instances.insert(Arc::new(copy));
    }
    let mut world = World::without_nav_mesh();
    world.reconcile(&scene, &assets);
    (scene, assets, world)
}

#[test]
fn ten_thousand_in_view_upload_two_megabytes_at_most() {
    let (scene, assets, mut world) = crowd();
    for _ in 0..5 {
        world.step(&scene);
    }
    let looking = direction(2.4, -0.5);
    let middle = Vec3::new(SIDE as f32 * APART * 0.5, 0.0, SIDE as f32 * APART * 0.5);
    // The first stand a few metres before the eye, the last in the background.
    let view = View::new(middle - looking * 110.0, looking, Lens::Perspective { fov_rad: 1.2 }, 16.0 / 9.0);
    let frame_view = FrameView { camera: (&view).into(), size_px: [1920, 1080], alpha: 0.5 };
    let frame = extract(&scene, &world, &assets, frame_view, DebugDraw::default());
    let light = Light::new(&frame.environment);
    let cascades = fit_cascades(&frame.camera, light.to_sun, 3, 1.0..160.0, 2048);
    let views = ViewSet {
        camera: &frame.camera,
        height_px: 1080.0,
        cascades: &cascades,
        shadow_fall: ShadowFall::new(light.to_sun, f32::NEG_INFINITY),
        pick: None,
        lod_bias: Quality::High.lod_bias(),
        shadow_lod_texels: Quality::High.shadow_lod_texels(),
        min_shadow_caster_px: Quality::High.min_shadow_caster_px(),
        levels_last: false,
    };
    let lists = DrawLists::new(&frame, &views, |asset| {
        let model = assets.model(asset)?;
        Some(ModelShape {
            bounds: model.rest_bounds,
            extent: model.rest_bounds.size().max_element(),
            nodes: model.skeleton.len() as u32,
            joints: model.joints.len() as u32,
        })
    });
    let visible = lists.visible_count();
    assert!(visible > 9500, "{visible} are in the picture, the rest throws shadows into it");
    let bytes = lists.uploaded_bytes();
    assert!(bytes <= 2_000_000, "{bytes} bytes, {} poses", lists.jobs.len());
    // One for each model, level of detail and view at most.
    let draws = lists.main.len() + lists.shadows.iter().map(Vec::len).sum::<usize>();
    assert!(draws <= 200, "{draws} draws");
    assert!(lists.jobs.len() * 3 < SIDE * SIDE, "{} poses", lists.jobs.len());
}
