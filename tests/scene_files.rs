//! Scene files: every version opens, what is saved loads again, broken files give errors that help.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

#[path = "scene_files/original.rs"]
mod original;
#[path = "common/original_reader.rs"]
mod original_reader;

use original_reader::assert_readable;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use walkabout::asset::human_bone::{HumanBone, Limb, Side};
use walkabout::asset::{BoneNames, NodeTransforms};
use walkabout::nav::planner::Planner;
use walkabout::scene::file::{LoadedScene, SceneError, load, load_str, save, to_string};
use walkabout::scene::instance::ModelRef;
use walkabout::scene::level::LevelPresence;
use walkabout::scene::{ClipEventKind, Edit, Environment, Scene};
use walkabout::vocab::{CollisionMode, DayPreset, FaceExpression, MoveDirection, MoveState, Projection};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/scenes").join(name)
}

fn fixtures() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> = fs::read_dir(fixture("")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 11);
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn parse(text: &str) -> Result<LoadedScene, SceneError> {
    load_str(text, Path::new("world/config/test.acfg"))
}

fn refusal(text: &str) -> String {
    let message = parse(text).unwrap_err().to_string();
    assert!(message.ends_with("File: world/config/test.acfg"), "{message}");
    assert!(message.starts_with("Scene not loaded: "), "{message}");
    message
}

/// Loads, saves, loads: the scene is equal, the second text is the first, and the original could read it.
fn round_trip(loaded: &LoadedScene) -> String {
    let text = to_string(&loaded.scene, &loaded.selection);
    assert_readable(&text);
    let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(again.scene.settings, loaded.scene.settings);
    assert_eq!(references(&again.scene), references(&loaded.scene));
    assert_eq!(to_string(&again.scene, &again.selection), text);
    text
}

/// All values, with ids as positions: ids of two loads need not be equal.
fn references(scene: &Scene) -> String {
    let position = |id: Option<_>| id.map(|id| scene.instances.position(id).unwrap());
    let mut out = format!("{:?}{:?}{:?}{:?}", scene.levels, scene.models, scene.behaviors, scene.extra);
    for camera in scene.cameras.values() {
        let mut plain = (**camera).clone();
        out += &format!("{:?}", position(plain.target.take()));
        out += &format!("{plain:?}");
    }
    for instance in scene.instances.values() {
        let mut plain = (**instance).clone();
        out += &format!("{:?}", position(plain.target.take()));
        let behavior = plain.behavior.take().map(|id| scene.behaviors.position(id).unwrap());
        let model = match &plain.model {
            ModelRef::Known(id) => format!("{:?}", scene.models.position(*id).unwrap()),
            ModelRef::Missing(name) => name.clone(),
        };
        plain.model = ModelRef::Missing(model);
        out += &format!("{behavior:?}{plain:?}");
    }
    out.replace("-0.0,", "0.0,")
}

/// Requirement: B-8
#[test]
fn every_version_opens_and_survives_saving() {
    for (path, _) in fixtures() {
        let loaded = load(&path).unwrap();
        assert!(loaded.scene.is_valid());
        let text = round_trip(&loaded);
        let version = if path.ends_with("v10.acfg") { "10.0" } else { "9.0" };
        assert!(text.contains(&format!("\nversion: {version}\n")), "{}", path.display());
    }
}

#[test]
fn old_versions_mean_what_they_meant() {
    let one = load(&fixture("v1.acfg")).unwrap();
    let camera = one.scene.cameras.values().next().unwrap();
    assert_eq!((camera.position.y, camera.azimuth_deg, camera.elevation_deg), (2.5, 310.0, -15.0));
    let clips: Vec<_> = one.scene.instances.values().map(|i| i.clips).collect();
    assert_eq!(clips, [[3, 3], [4, 4], [5, 5]]);
    let eight = load(&fixture("v8.acfg")).unwrap();
    assert!(!eight.scene.settings.nav.enabled);
    assert_eq!(eight.scene.settings.collision_mode, CollisionMode::Spheres);
    let model = eight.scene.models.values().next().unwrap();
    assert_eq!(model.forward_speed_factor, 4.0);
    assert_eq!(model.head_clips.len(), 2, "-1 is no clip");
    assert_eq!(model.left_foot_chain, [33, 32, 31]);
    assert_eq!(model.allowed_orders[1], (MoveState::Walk, MoveState::Roll));
    assert_eq!(model.blend_sets[0].direction, MoveDirection::Any);
    let cameras: Vec<_> = eight.scene.cameras.values().collect();
    assert_eq!(cameras[1].third_person_height, 0.5);
    assert_eq!(cameras[1].target, eight.scene.instances.at(1));
    assert_eq!((cameras[2].projection, cameras[2].ortho_scale), (Projection::Orthogonal, 35.0));
    assert_eq!(eight.selection.instance, eight.scene.instances.at(1));
    assert_eq!(eight.selection.camera, eight.scene.cameras.at(1));
    let face = eight.scene.instances.values().nth(1).unwrap();
    assert_eq!((face.face, face.face_weight, face.head_left_right), (FaceExpression::Happy, 0.75, -0.5));
    let nine = load(&fixture("v9.acfg")).unwrap();
    let first = nine.scene.instances.values().next().unwrap();
    assert_eq!(first.target, nine.scene.instances.at(2), "1-based");
    assert!(first.navigation && nine.scene.settings.nav.enabled);
    let ten = load(&fixture("v10.acfg")).unwrap();
    assert_eq!(ten.scene.settings.environment.light_color, [1.0, 0.5, 0.25]);
    assert!(!ten.scene.settings.environment.sky_enabled);
    assert_eq!(ten.scene.settings.environment.day_preset, DayPreset::Morning);
    assert!(ten.scene.settings.extra.is_empty(), "every key of it is known");
    assert!(to_string(&ten.scene, &ten.selection).contains("\n  time-of-day-scaling: 10\n"));
}

#[test]
fn what_nobody_knows_survives() {
    let loaded = load(&fixture("unknown.acfg")).unwrap();
    assert_eq!(loaded.scene.nav.planner, Planner::Centers);
    assert_eq!(loaded.scene.settings.seed, u64::MAX);
    assert_eq!(loaded.warnings.len(), 4, "{:?}", loaded.warnings);
    let text = round_trip(&loaded);
    for kept in [
        "\nauthor: \"A. Person: painter\"\n",
        "\n  wind: [1, 2.5, -0.1]\n",
        "\n  planner: any-angle\n",
        "\n    echo: {room: hall, size: 3}\n",
        "\n    lens: \"two\\nlines\\n\"\n",
        "\n    mood: ~\n",
        "\n    comment: \"yes\"\n",
        "\n      - node-type: 99\n",
        "\n        colour: [255, 0, 0]\n",
        "\n          - future-property: 7\n",
        "\n    team: red\n",
        "\n  - model-file: Gone.gltf\n",
        "\n    node-tree: Lost\n",
    ] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
}

#[test]
fn names_of_instances_are_kept() {
    let text = "version: 9.0\ninstances:\n  - model-file: A\n    instance-name: \"Guard: east\"\n  - model-file: A\n";
    let loaded = parse(text).unwrap();
    let names: Vec<&str> = loaded.scene.instances.values().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["Guard: east", ""]);
    let saved = round_trip(&loaded);
    assert_eq!(saved.matches("instance-name").count(), 1, "{saved}");
}

/// Requirement: B-8
#[test]
fn the_original_finds_its_keys_in_its_order() {
    let loaded = load(&fixture("v9.acfg")).unwrap();
    let text = to_string(&loaded.scene, &loaded.selection);
    let top: Vec<&str> = text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_alphabetic())).collect();
    let order =
        ["version: 9.0", "settings:", "levels:", "cameras:", "models:", "node-trees:", "instances:", "walkabout:"];
    assert_eq!(top, order);
    for same in [
        "  selected-instance: 2\n",
        "  collision-enabled: 2\n",
        "      - 255:\n          idle-clip: 0\n          idle-clip-speed: 1.5\n",
        "      - 0: 5\n",
        "      - [0, -0.314, 0, 0.6]\n",
        "    left-foot-ik-chain:\n      - 33\n",
        "          - wait-time: 2.500000\n",
        "    links:\n      - 10001: [4200, 5000]\n      - 10000: [0, 4000]\n",
        "    face-anim-index: 4\n    face-anim: 4\n",
        "    path-target-instance: 3\n",
        "    target-of-cameras:\n      - Behind\n",
    ] {
        assert!(text.contains(same), "{same} is not in\n{text}");
    }
}

#[test]
fn files_resolve_against_the_folder_above_config() {
    assert_eq!(parse("version: 9.0").unwrap().root, Path::new("world"));
    assert_eq!(load_str("version: 9.0", Path::new("a/b.acfg")).unwrap().root, Path::new("a"));
    assert_eq!(load_str("version: 9.0", Path::new("config/b.acfg")).unwrap().root, Path::new("."));
}

#[test]
fn errors_name_the_place_the_element_and_the_remedy() {
    let head = "version: 9.0\ninstances:\n  - model-file: A\n    position: [0, 0, 0]\n  - model-file: B\n    ";
    let message = refusal(&format!("{head}position: [0, x, 0]\n"));
    assert!(message.contains("instance 2, position[1]: invalid type: string \"x\", expected a number"), "{message}");
    assert!(message.contains("line 6 column 19"), "{message}");
    for (line, expected) in [
        ("scale: -1", "instance 2 (line 5) has the scale -1; use a number from 0.0001 to 10000"),
        ("position: [.nan, 0, 0]", "instance 2 (line 5) has the position NaN"),
        ("position: [1e400, 0, 0]", "position[0]: invalid type: string \"1e400\", expected a number"),
        ("position: [1e39, 0, 0]", "instance 2 (line 5) has the position inf"),
        ("position: [-.inf, 0, 0]", "instance 2 (line 5) has the position -inf"),
        ("position: [0, 2e6, 0]", "use a number from -1000000 to 1000000"),
        ("face-anim: 9", "instance 2 (line 5) has the 'face-anim' 9; use 0 to 4"),
        ("1st-anim-clip-number: -3", "expected a whole number, 0 or more"),
        ("1st-anim-clip-number: \"3\"", "invalid type: string \"3\""),
        ("scale: 1\n    scale: 2", "the key 'scale' is given twice"),
        ("scale: !big 2", "tags ('!name') have no place"),
    ] {
        let message = refusal(&format!("{head}{line}\n"));
        assert!(message.contains(expected), "{message}");
    }
    for (text, expected) in [
        ("settings: {}", "the key 'version' is missing"),
        ("version: {}", "not a version number"),
        ("version: 0.5", "not a version number"),
        ("version: .nan", "not a version number"),
        ("- 1", "invalid type: sequence"),
        ("", "the key 'version' is missing"),
        ("version: 9.0\n---\nversion: 9.0", "more than one document"),
        ("version: 9.0\nsettings: {collision-enabled: 3}", "has the 'collision-enabled' 3; use 0, 1 or 2"),
        (
            "version: 9.0\ncameras:\n- camera-name: A\n- camera-name: A\n",
            "camera 2 (\"A\") (line 4) has a name that an earlier one has",
        ),
        ("version: 9.0\nmodels: [{model-name: A}, {model-name: A}]", "model 2 (\"A\") has a name"),
        ("version: 9.0\nmodels: [{model-name: A, action-clips: [{11: {clip: 0}}]}]", "names the state 11; use 0 to 10"),
        ("version: 9.0\nwalkabout: {adjacency: both}", "use 'shared' or 'original'"),
        ("version: 9.0\nwalkabout: {octree-max-depth: 4000000000}", "at most 20 are allowed"),
        ("version: 9.0\nlevels: [{level-name: a, position: [0, 0]}]", "level 1, position: invalid length 2"),
    ] {
        let message = refusal(text);
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let missing = load(Path::new("no/such.acfg")).unwrap_err().to_string();
    assert!(missing.contains("cannot be read") && missing.ends_with("File: no/such.acfg"), "{missing}");
    assert!(load(&fixture("")).unwrap_err().to_string().contains("it is a folder"));
}

#[test]
fn dangling_references_are_warnings() {
    let loaded = parse(
        "version: 9.0\ncameras: [{camera-name: C}]\ninstances:\n- {model-file: A, path-target-instance: 7}\n\
         - {model-file: A, path-target-instance: 2, target-of-cameras: [C, D]}\n- {model-file: A, target-of-cameras: [C]}\n\
         - {model-file: A, path-target-instance: 0}\n- {model-file: A, path-target-instance: -9223372036854775808}\n",
    )
    .unwrap();
    assert_eq!(loaded.warnings.len(), 5 + 2 + 2, "{:#?}", loaded.warnings);
    assert!(loaded.scene.instances.values().all(|i| i.target.is_none()));
    assert_eq!(loaded.scene.cameras.values().next().unwrap().target, loaded.scene.instances.at(1));
    round_trip(&loaded);
}

#[test]
fn light_and_time_of_day_are_kept() {
    let keys = "skybox-enabled: false, fog-density: 0.02, light-source-angle-east-west: 12, light-source-angle-north-south: 34, \
                light-source-intensity: 0.5, light-source-color: [0.1, 0.2, 0.3], time-of-day-enabled: true, \
                time-of-day-scaling: 2.5, time-of-day-preset: 4";
    let loaded = parse(&format!("version: 10.0\nsettings: {{{keys}}}")).unwrap();
    let expected = Environment {
        sky_enabled: false,
        sky_picture: String::new(),
        fog_density: 0.02,
        light_east_west_deg: 12.0,
        light_north_south_deg: 34.0,
        light_intensity: 0.5,
        light_color: [0.1, 0.2, 0.3],
        day_enabled: true,
        day_minutes_per_sec: 2.5,
        day_preset: DayPreset::Evening,
    };
    assert_eq!(loaded.scene.settings.environment, expected);
    round_trip(&loaded);
    assert!(refusal("version: 10.0\nsettings: {time-of-day-preset: 8}").contains("use 0 to 7"));
    assert!(refusal("version: 10.0\nsettings: {time-of-day-scaling: -1}").contains("time-of-day-scaling"));
}

#[test]
fn a_file_without_light_keys_gains_none() {
    let plain = parse("version: 8.0").unwrap();
    let usual = Environment {
        sky_enabled: false,
        fog_density: 0.0,
        light_east_west_deg: 40.0,
        light_north_south_deg: 40.0,
        light_intensity: 1.0,
        light_color: [1.0; 3],
        day_enabled: false,
        day_preset: DayPreset::FullLight,
        ..Environment::default()
    };
    assert_eq!(plain.scene.settings.environment, usual);
    let text = round_trip(&plain);
    assert!(text.contains("version: 9.0\n") && !text.contains("fog-") && !text.contains(" light-"), "{text}");
    // Keys that were there stay, and a changed light brings them and their version.
    let kept = parse("version: 10.0\nsettings: {fog-density: 0}").unwrap();
    assert!(round_trip(&kept).contains("version: 10.0\n"));
    let mut changed = plain.scene;
    let mut settings = (*changed.settings).clone();
    settings.environment.apply_preset(DayPreset::Evening);
    changed.apply(&Edit::SetSettings(settings)).unwrap();
    let text = to_string(&changed, &plain.selection);
    for key in ["version: 10.0\n", "\n  skybox-enabled: false\n", "\n  time-of-day-preset: 4\n"] {
        assert!(text.contains(key), "{key} is not in\n{text}");
    }
}

#[test]
fn light_of_preview_files_keeps_its_direction() {
    let keys = "light-source-angle-east-west: 228, light-source-angle-north-south: 50, time-of-day-preset: 0";
    let old = parse(&format!("version: 9.0\nsettings: {{{keys}}}\nwalkabout: {{seed: 1}}")).unwrap();
    let (turn, height) = (228_f32.to_radians(), 50_f32.to_radians());
    let toward = glam::Vec3::new(turn.cos() * height.cos(), height.sin(), -turn.sin() * height.cos());
    let environment = &old.scene.settings.environment;
    assert!(environment.to_light().distance(toward) < 1e-4, "{environment:?}");
    assert_eq!(environment.day_preset, DayPreset::FullLight);
    let evening = parse("version: 9.0\nsettings: {time-of-day-preset: 3}\nwalkabout: {}").unwrap();
    assert_eq!(evening.scene.settings.environment.light_east_west_deg, 150.0);
    assert_eq!(evening.scene.settings.environment.day_preset, DayPreset::Evening);
}

#[test]
fn hostile_files_are_refused_soon() {
    let start = Instant::now();
    let refusal = |text: &str| {
        let message = refusal(text);
        eprintln!("{:.1} s: {}", start.elapsed().as_secs_f64(), &message[..message.len().min(120)]);
        message
    };
    let doubling: String = (1..40).map(|i| format!("a{i}: &a{i} [*a{0}, *a{0}, *a{0}]\n", i - 1)).collect();
    assert!(refusal(&format!("version: 9.0\na0: &a0 [1]\n{doubling}")).contains("repe"));
    let long = "1, ".repeat(100_000);
    let often = "*a, ".repeat(100_000);
    assert!(refusal(&format!("version: 9.0\na: &a [{long}]\nb: [{often}]")).contains("repeat too much"));
    refusal(&format!("version: 9.0\na: {}", "[".repeat(100_000)));
    refusal(&format!("version: 9.0\na: {}{}", "[".repeat(100_000), "]".repeat(100_000)));
    refusal(&format!("version: 9.0\n{}", "- ".repeat(100_000)));
    let many = "- {model-file: A}\n".repeat(1_000_000);
    assert!(refusal(&format!("version: 9.0\ninstances:\n{many}")).contains("at most 100000 are allowed"));
    // Counted before it is parsed: what is broken behind the last of them is never reached.
    let refused = refusal(&format!("version: 9.0\ninstances:\n{many}  - [\n"));
    assert!(refused.contains("at most 100000 are allowed"), "{refused}");
    refusal(&format!("version: 9.0\n{}: 1", "k".repeat(100_000)));
    let large = " ".repeat(walkabout::scene::file::MAX_SIZE as usize);
    assert!(refusal(&format!("version: 9.0{large}")).contains("larger than"));
}

#[test]
fn only_valid_scenes_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut loaded = load(&fixture("v9.acfg")).unwrap();
    let path = folder.path().join("x.acfg");
    let id = loaded.scene.instances.at(0).unwrap();
    std::sync::Arc::make_mut(loaded.scene.instances.get_mut(id).unwrap()).scale = f32::NAN;
    let error = save(&loaded.scene, &loaded.selection, &path).unwrap_err().to_string();
    assert!(error.contains("Scene not saved: instance 1 has the scale NaN"), "{error}");
    assert!(!path.exists());
}

fn mutated() -> impl Strategy<Value = String> {
    let texts: Vec<String> = fixtures().into_iter().map(|(_, text)| text).collect();
    let pieces = prop::sample::select(vec![
        "",
        "~",
        "-1",
        "1e400",
        ".nan",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "\"",
        ":",
        "\n",
        "- ",
        "!t ",
        "\u{feff}",
        "99999999999999999999",
        "\t",
        "#",
        "é",
    ]);
    (
        prop::sample::select(texts),
        prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, pieces), 1..4),
        any::<bool>(),
    )
        .prop_map(|(text, changes, cut)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (at, remove, piece) in changes {
                let at = at.index(chars.len() + 1);
                let end = (at + remove).min(chars.len());
                chars.splice(at..end, piece.chars());
                if cut {
                    chars.truncate(at.max(1));
                }
            }
            chars.into_iter().collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens to a file, loading gives a valid scene or an error, and a scene that loads can be saved.
    #[test]
    fn damaged_files_never_do_harm(text in mutated()) {
        if let Ok(loaded) = parse(&text) {
            prop_assert!(loaded.scene.is_valid());
            round_trip(&loaded);
        }
    }
}

#[test]
fn comments_of_behaviours_are_kept() {
    let text = "version: 9.0\nnode-trees:\n  - node-tree-name: walk\n    editor-settings: \"\"\n    nodes:\n      - \
                node-type: 1\n        node-id: 0\n    walkabout-comments:\n      - [-3, 4.5, \"two\\nlines: yes\"]\n      - \
                [.nan, 0, lost]\n";
    let loaded = parse(text).unwrap();
    let comments = &loaded.scene.behaviors.values().next().unwrap().comments;
    assert_eq!(comments.len(), 1, "one that stands nowhere is left out");
    assert_eq!((comments[0].at, comments[0].text.as_str()), ([-3.0, 4.5], "two\nlines: yes"));
    let again = parse(&to_string(&loaded.scene, &loaded.selection)).unwrap();
    assert_eq!(again.scene.behaviors, loaded.scene.behaviors);
}

/// A scene with what is Walkabout's own beside the navigation.
const OWN_KEYS: &str = "version: 9.0
cameras:
  - camera-name: FreeCam
  - camera-name: Rail
    camera-type: 3
    camera-roll: -12.5
    shake-angle: 0.5
    shake-distance: 0.02
    shake-rate: 8
    arm-lag: 0.25
    rail: [[0, 1, 2], [3, 4, 5.5], [-1, 0, 0]]
    rail-duration: 7
    rail-end: there-and-back
    rail-looks-ahead: true
    lens: odd
levels:
  - level-name: bridge
    level-file: bridge.glb
    presence: once-used
    file-units: false
    presence-reach: 7.5
models:
  - model-name: A
    model-file: a.glb
    idle-walk-run-clips:
      - 5: {idle-clip: 0, idle-clip-speed: 1, walk-clip: 1, walk-clip-speed: -1, run-clip: 2, run-clip-speed: 1}
    action-clips:
      - 5: {clip: 3, clip-speed: -2, clip-curve: slow-ends, clip-root-motion: true}
    clips-from: [b.glb, {file: walk.bvh, bones: {hips: Root}}]
    bones: {left-foot: Sabot, neck: \"\"}
    motion-matching: true
    motion-matching-clips: [0, 2]
    clip-edits:
      - {clip: 1, mirror: true, start: 0.25, end: 1.5, loop-blend: 0.1}
      - {clip: 1, copy-as: \"Turn: left\", root-track: true}
    clip-tolerance: 0.35
    clip-events: [{clip: 1, time: 0.3}, {clip: 2, time: 1, kind: sound, file: a.ogg, strength: 0.5}]
    clip-curves: [{clip: 1, morph: smile, keys: [[0, 0], [0.5, 1]]}]
instances:
  - model-file: A
    morph-weights: {jaw open: 1, smile: 0.5}
    material-variant: blue blouse
    anim-layers: [{clip: 2, kind: override, joint: spine, weight: 0.5, speed: -1}, {clip: 1}]
    door: {trigger: used, shift: [1, 0, 0], turn: 0, stays-open: 0, reach: 1.5, opens: gate}
walkabout:
  triangle-tree: bvh
  legs-on-device: true
  transitions: inertial
  zones:
    - {name: Cellar, center: [1, 2, 3], size: [4, 5, 6], fade: 0.5, fog-density: 0.2, light-color: [1, 0.5, 0], music: a.ogg}
    - {center: [9, 9, 9]}
";

#[test]
fn what_moves_by_itself_and_zones_survive_saving() {
    let loaded = parse(OWN_KEYS).unwrap();
    let saved = round_trip(&loaded);
    let camera = loaded.scene.cameras.values().nth(1).unwrap();
    assert_eq!((camera.motion.rail.len(), camera.motion.rail_secs, camera.motion.shake_hz), (3, 7.0, 8.0));
    assert_eq!(camera.extra, [("lens".to_owned(), "odd".to_owned())], "other keys are kept beside them");
    assert!(loaded.scene.settings.ik_on_device);
    assert_eq!(loaded.scene.settings.zones[0].light_color, Some([1.0, 0.5, 0.0]));
    let door = loaded.scene.instances.values().next().unwrap().door.as_deref().unwrap();
    assert_eq!((door.secs, door.reach, door.opens.as_str()), (0.8, 1.5, "gate"));
    let layers = &loaded.scene.instances.values().next().unwrap().layers;
    assert_eq!((layers[0].joint.as_str(), layers[1].weight, layers[1].speed), ("spine", 1.0, 1.0));
    let weights: Vec<_> = loaded.scene.instances.values().next().unwrap().morphs.clone().into_iter().collect();
    assert_eq!(weights, [("jaw open".to_owned(), 1.0), ("smile".to_owned(), 0.5)]);
    let dressed = loaded.scene.instances.values().next().unwrap();
    assert_eq!(dressed.material_variant.as_deref(), Some("blue blouse"));
    assert!(loaded.scene.models.values().next().unwrap().actions[0].root_motion);
    let clips = &loaded.scene.models.values().next().unwrap().clip_sources;
    let files: Vec<&str> = clips.files.iter().map(|source| source.file.as_str()).collect();
    assert_eq!(files, ["b.glb", "walk.bvh"]);
    assert_eq!(clips.files[1].bones, BoneNames::from([(HumanBone::Hips, "Root".to_owned())]));
    let foot = HumanBone::Limb(Side::Left, Limb::Foot);
    assert_eq!(clips.bones, BoneNames::from([(foot, "Sabot".to_owned()), (HumanBone::Neck, String::new())]));
    assert!(clips.root_tracks);
    let model = loaded.scene.models.values().next().unwrap();
    assert_eq!(model.matching_clips, [0, 2]);
    let [mirrored, copy] = &clips.edits[..] else { panic!("two edits") };
    assert!(mirrored.is_mirrored && (mirrored.start_secs, mirrored.end_secs) == (0.25, Some(1.5)));
    assert_eq!((mirrored.loop_blend_secs, copy.copy_name.as_str(), copy.has_root_track), (0.1, "Turn: left", true));
    assert_eq!((clips.tolerance_um, model.clip_events[0].strength), (350, 1.0));
    assert_eq!((model.clip_events[1].kind, model.clip_events[1].file.as_str()), (ClipEventKind::Sound, "a.ogg"));
    assert_eq!(model.clip_curves[0].keys, [[0.0, 0.0], [0.5, 1.0]]);
    let level = loaded.scene.levels.values().next().unwrap();
    assert_eq!((level.presence, level.presence_reach, level.file_units), (LevelPresence::OnceUsed, 7.5, false));
    assert!(saved.contains("rail-end: \"there-and-back\"") && saved.contains("clip-curve: \"slow-ends\""), "{saved}");
}

#[test]
fn bones_that_no_body_has_are_refused_by_name() {
    let fault = parse(&OWN_KEYS.replace("left-foot: Sabot", "left-hoof: Sabot")).unwrap_err().to_string();
    assert!(fault.contains("left-hoof") && fault.contains("left-upper-leg"), "{fault}");
}

#[test]
fn own_keys_are_checked_and_never_gained() {
    let plain = to_string(&Scene::default(), &walkabout::scene::Selection::default());
    for key in [
        "camera-roll",
        "shake",
        "rail",
        "arm-lag",
        "zones",
        "door",
        "clip-curve",
        "clip-root-motion",
        "clip-edits",
        "clip-tolerance",
        "clip-events",
        "clip-curves",
        "anim-layers",
        "morph-weights",
        "material-variant",
        "presence",
        "file-units",
        "triangle-tree",
        "legs-on-device",
        "transitions",
    ] {
        assert!(!plain.contains(key), "a scene without it does not gain {key}");
    }
    for (was, odd, word) in [
        ("rail-duration: 7", "rail-duration: 0", "rail-duration"),
        ("shake-rate: 8", "shake-rate: fast", "fast"),
        ("size: [4, 5, 6]", "size: [4, 0, 6]", "size of a zone"),
        ("trigger: used", "trigger: magic", "magic"),
        ("kind: override", "kind: over", "over"),
        ("triangle-tree: bvh", "triangle-tree: kd", "kd"),
        ("legs-on-device: true", "legs-on-device: some", "legs-on-device"),
        ("transitions: inertial", "transitions: slow", "transitions"),
        ("presence: once-used", "presence: sometimes", "sometimes"),
        ("presence-reach: 7.5", "presence-reach: -1", "presence-reach"),
        ("weight: 0.5", "weight: 2", "weight of a layer"),
        ("smile: 0.5", "smile: 2", "morph-weights"),
        ("{clip: 1}]", "{clip: 1}, {}, {}, {}]", "anim-layers"),
        ("there-and-back", "nowhere", "nowhere"),
        ("clip-tolerance: 0.35", "clip-tolerance: -1", "clip-tolerance"),
        ("start: 0.25", "start: -2", "start"),
        ("kind: sound", "kind: noise", "noise"),
        ("[[0, 0], [0.5, 1]]", "[[1, 0], [0.5, 1]]", "order of their times"),
    ] {
        let said = refusal(&OWN_KEYS.replacen(was, odd, 1));
        assert!(said.contains(word), "{odd}: {said}");
    }
}

#[test]
fn fbx_levels_of_the_original_keep_their_size() {
    let levels =
        "version: 9.0\nlevels:\n  - level-name: a\n    level-file: a.FBX\n  - level-name: b\n    level-file: b.glb\n";
    let transforms = |text: &str| {
        let loaded = parse(text).unwrap();
        let saved = round_trip(&loaded);
        let levels = loaded.scene.levels.values().map(|level| level.transforms()).collect::<Vec<_>>();
        (levels, saved.contains("file-units: false"))
    };
    use NodeTransforms::{All, Unconverted};
    assert_eq!(transforms(levels), (vec![Unconverted, All], true));
    assert_eq!(transforms(&format!("{levels}walkabout:\n  seed: 1\n")), (vec![All, All], false));
}
