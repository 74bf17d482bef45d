//! The original's scene files, one of each version that is there: they open, are saved, and open again with no key lost
//! and no value changed but by the migrations that `docs/scene-format.md` names.

use crate::trial;
use libtest_mimic::Trial;
use serde_yaml::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use walkabout::asset::{AssetState, AssetStore};
use walkabout::scene::Scene;
use walkabout::scene::file::{load, load_str, to_string};
use walkabout::sim::{EventKind, World, plane};

/// All trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("scenes::every_file_survives_saving", |data| every_file_survives_saving(&data)),
        trial("scenes::light_of_chapter_14_is_that_of_its_clock", |data| light_of_chapter_14(&data)),
        trial("scenes::crowd_of_chapter_9_walks_on_its_plane", |data| crowd_of_chapter_9_walks(&data)),
        trial("scenes::every_file_simulates_ten_minutes", |data| every_file_simulates_ten_minutes(&data)),
        trial("scenes::cones_stand", |data| cones_stand(&data)),
    ]
}

/// All values by their keys and places in lists, joined by slashes.
fn flatten(value: &Value, at: &str, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Mapping(map) => {
            for (key, value) in map {
                let key = key.as_str().map_or_else(|| format!("{key:?}"), str::to_owned);
                flatten(value, &format!("{at}/{key}"), out);
            }
        }
        Value::Sequence(list) => {
            for (i, value) in list.iter().enumerate() {
                flatten(value, &format!("{at}/{i}"), out);
            }
        }
        // Numbers are kept as the nearest of single precision, as in the original.
        Value::Number(n) => drop(out.insert(at.into(), format!("{}", n.as_f64().unwrap_or(f64::NAN) as f32))),
        Value::String(text) => {
            let number: Result<f32, _> = text.parse();
            out.insert(at.into(), number.map_or_else(|_| text.clone(), |n| n.to_string()));
        }
        other => drop(out.insert(at.into(), format!("{other:?}"))),
    }
}

fn values(text: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    flatten(&serde_yaml::from_str(text).unwrap(), "", &mut out);
    out
}

/// Where a value of an older version stands in what is saved.
fn migrated(key: &str) -> String {
    let key = match key.strip_prefix("/camera/camera-") {
        Some(rest) if rest == "position" || rest.starts_with("position/") => format!("/cameras/0/{rest}"),
        Some(rest) => format!("/cameras/0/view-{rest}"),
        None => key.to_owned(),
    };
    key.replace("/anim-clip-number", "/1st-anim-clip-number")
}

fn files(data: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data.join("original/scenes")).unwrap();
    let mut files: Vec<PathBuf> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "acfg")).collect();
    files.sort();
    files
}

fn every_file_survives_saving(data: &Path) {
    let files = files(data);
    assert!(files.len() >= 7, "{files:?}");
    for file in files {
        let loaded = load(&file).unwrap_or_else(|e| panic!("{e}"));
        let text = to_string(&loaded.scene, &loaded.selection);
        crate::original_reader::assert_readable(&text);
        let (before, after) = (values(&std::fs::read_to_string(&file).unwrap()), values(&text));
        for (key, value) in before.iter().filter(|(key, _)| *key != "/version") {
            let saved = after.get(&migrated(key));
            assert_eq!(saved, Some(value), "{key} of {}", file.display());
        }
        let again = load_str(&text, &file).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(to_string(&again.scene, &again.selection), text, "{}", file.display());
    }
}

fn light_of_chapter_14(data: &Path) {
    let loaded = load(&data.join("original/scenes/ch14_de_dust_nav_v10.acfg")).unwrap();
    let saved = &loaded.scene.settings.environment;
    assert!(saved.sky_enabled && saved.day_enabled && saved.day_preset.to_file() == 7, "{saved:?}");
    // It was saved while its clock ran: one minute of the day gives all four settings.
    let minute = 720.0 + (saved.light_east_west_deg - 90.0) / 60.0 * 360.0;
    let then = saved.at(f64::from((minute - 720.0) / saved.day_minutes_per_sec));
    assert!((then.light_intensity - saved.light_intensity).abs() < 1e-4, "{then:?}");
    assert!(then.light_color.iter().zip(saved.light_color).all(|(a, b)| (a - b).abs() < 1e-4), "{then:?}");
    assert!((then.light_north_south_deg - saved.light_north_south_deg).abs() < 1e-3, "{then:?}");
}

/// A scene and its world after so many seconds.
fn simulated(data: &Path, file: &Path, secs: u32) -> (Scene, World) {
    let scene = load(file).unwrap_or_else(|e| panic!("{e}")).scene;
    let assets = scene.load_assets(data.join("original"));
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    (0..secs * 60).for_each(|_| world.step(&scene));
    (scene, world)
}

fn every_file_simulates_ten_minutes(data: &Path) {
    for file in files(data) {
        let (scene, world) = simulated(data, &file, 600);
        assert_eq!(world.len(), scene.instances.len(), "{}", file.display());
        assert!(world.iter().all(|(_, live)| live.now.position.is_finite()), "{}", file.display());
        let gone = |kind| matches!(kind, EventKind::Lost | EventKind::PutBack);
        let lost: u64 = world.event_counts().filter(|(kind, _)| gone(*kind)).map(|(_, count)| count).sum();
        assert_eq!(lost, 0, "{} fell out of {}", lost, file.display());
    }
}

fn crowd_of_chapter_9_walks(data: &Path) {
    let (scene, world) = simulated(data, &data.join("original/scenes/ch09_v5.acfg"), 10);
    let begins = |id| scene.instances.get(id).unwrap().position;
    let walk = world.iter().filter(|(id, live)| live.now.position.distance(begins(*id)) > 1.0).count();
    assert!(world.len() == 521 && walk > 400, "{walk} of {} are on their way", world.len());
    let events = |kind| world.event_counts().find(|(k, _)| *k == kind).map_or(0, |(_, count)| count);
    assert!(events(EventKind::Border) > 10, "{} came to the border", events(EventKind::Border));
    assert!(events(EventKind::Contact) > 10, "{} met", events(EventKind::Contact));
    let within = |p: glam::Vec3| p.x.abs() <= plane::EXTENT && p.z.abs() <= plane::EXTENT;
    assert!(world.iter().all(|(id, live)| within(live.now.position) || !within(begins(id))));
}

fn cones_stand(data: &Path) {
    let loaded = load(&data.join("original/config/de_dust_nav.acfg")).unwrap();
    let mut assets = AssetStore::default();
    assets.set_root(loaded.root);
    let cone = loaded.scene.models.values().find(|m| m.file.contains("cone")).unwrap();
    let ids = [assets.request(cone), assets.request(&cone.file)];
    assets.wait();
    let [stands, lies] = ids.map(|id| match assets.state(id) {
        Some(AssetState::Ready(model)) => model.rest_bounds,
        other => panic!("{other:?}"),
    });
    assert!(stands.size().y > 1.02 * stands.size().z, "{stands:?}");
    assert!(stands.min.y.abs() < 0.05 * stands.size().y, "it stands on the ground: {stands:?}");
    assert!(lies.min.y < -0.2 * lies.size().y, "by all nodes it is half buried: {lies:?}");
}
