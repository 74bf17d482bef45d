//! What the processor does for one picture of many characters, beside the simulation and the recording of commands: what it shows is
//! extracted, culled and put into draw lists. No graphics device is needed.

use glam::Vec3;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use walkabout::asset::AssetStore;
use walkabout::asset::import::import_file;
use walkabout::camera::{Lens, View, direction};
use walkabout::debug::DebugDraw;
use walkabout::render::culling::ModelShape;
use walkabout::render::draw_lists::{DrawLists, ViewSet};
use walkabout::render::light::{Light, ShadowFall, fit_cascades};
use walkabout::render::{FrameSources, FrameView, SpentFrame, extract_into};
use walkabout::scene::Scene;
use walkabout::sim::World;

/// Sides of the squares on which they stand, in characters.
const SIDES: [usize; 3] = [32, 100, 224];
/// Distance between neighbours, metres.
const APART: f32 = 1.4;
/// Pictures of which the median counts.
const ROUNDS: usize = 60;

/// The plaza's people, again and again, without its level.
fn crowd(side: usize) -> (Scene, AssetStore, World) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/plaza.acfg");
    let loaded = walkabout::scene::file::load(&path).unwrap_or_else(|e| panic!("{e}"));
    let plaza = loaded.scene;
    let mut scene = Scene { settings: plaza.settings.clone(), models: plaza.models.clone(), ..Scene::default() };
    let mut assets = AssetStore::default();
    for model in plaza.models.values() {
        let read = import_file(&loaded.root.join(&model.file)).unwrap_or_else(|e| panic!("{e}"));
        assets.insert(model, read);
    }
    let people = plaza.instances.values().filter(|instance| instance.model_id().is_some());
    let people: Vec<_> = people.collect();
    for (i, one) in people.iter().cycle().take(side * side).enumerate() {
        let mut copy = (***one).clone();
        copy.position = Vec3::new((i % side) as f32 * APART, 0.0, (i / side) as f32 * APART);
        scene.instances.insert(Arc::new(copy));
    }
    let mut world = World::without_nav_mesh();
    world.reconcile(&scene, &assets);
    (scene, assets, world)
}

fn median(mut ms: Vec<f64>) -> f64 {
    ms.sort_by(f64::total_cmp);
    ms[ms.len() / 2]
}

fn main() {
    for side in SIDES {
        let (scene, assets, mut world) = crowd(side);
        for _ in 0..5 {
            world.step(&scene);
        }
        let looking = direction(2.4, -0.5);
        let (middle, away) = (side as f32 * APART * 0.5, 15.0 + side as f32 * 0.95);
        let eye = Vec3::new(middle, 0.0, middle) - looking * away;
        let view = View::new(eye, looking, Lens::Perspective { fov_rad: 1.2 }, 16.0 / 9.0);
        let view = FrameView { camera: (&view).into(), size_px: [1920, 1080], alpha: 0.5 };
        let shape = |asset| {
            let model = assets.model(asset)?;
            let (nodes, joints) = (model.skeleton.len() as u32, model.joints.len() as u32);
            let bounds = model.rest_bounds;
            Some(ModelShape { bounds, extent: bounds.size().max_element(), nodes, joints })
        };
        let sources = FrameSources { scene: &scene, world: &world, assets: &assets };
        let (mut extracted, mut listed) = (Vec::new(), Vec::new());
        let (mut visible, mut spent, mut lists) = (0, SpentFrame::default(), DrawLists::default());
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let frame = extract_into(spent, sources, view, DebugDraw::default());
            extracted.push(begin.elapsed().as_secs_f64() * 1e3);
            let light = Light::new(&frame.environment);
            let cascades = fit_cascades(&frame.camera, light.to_sun, 2, 1.0..70.0, 1536);
            let views = ViewSet {
                camera: &frame.camera,
                height_px: 1080.0,
                cascades: &cascades,
                shadow_fall: ShadowFall::new(light.to_sun, -frame.camera.position.y),
                pick: None,
                lod_bias: 2.0,
                shadow_lod_texels: 6.0,
                min_shadow_caster_px: 12.0,
                levels_last: true,
            };
            let begin = Instant::now();
            lists.fill(&frame, &views, shape);
            listed.push(begin.elapsed().as_secs_f64() * 1e3);
            visible = lists.visible_count();
            spent = frame.into();
        }
        let count = side * side;
        println!(
            "{count:6} characters, {visible:6} in the picture: extracted in {:6.2} ms, listed in {:6.2} ms",
            median(extracted),
            median(listed)
        );
    }
}
