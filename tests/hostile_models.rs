//! Damaged and hostile model files cost an error about one file, never the program.

#![allow(clippy::unwrap_used, reason = "a test that cannot write its files has to fail")]

#[path = "common/glb.rs"]
mod glb;
#[path = "common/quake.rs"]
mod quake;
#[path = "common/words.rs"]
mod words;

use glb::binary_gltf;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use walkabout::asset::cache::Cache;
use walkabout::asset::{AssetError, Importer, Model};

fn worker() -> Importer {
    Importer {
        program: Some(env!("CARGO_BIN_EXE_walkabout").into()),
        cache: Cache::default(),
        time_limit: Duration::from_secs(20),
        memory_limit: 4 << 30,
    }
}

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// Small, valid models of several formats.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let triangle = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"name":"a","children":[1]}},{{"name":"b","mesh":0,"translation":[1,2,3]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],
        "buffers":[{{"byteLength":36,"uri":"data:application/octet-stream;base64,{triangle}"}}]}}"#
    );
    let obj = "o a\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nvt 0 0\nvn 0 1 0\nf 1/1/1 3/1/1 2/1/1\nf 2/1/1 3/1/1 4/1/1\n";
    let dae = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="p">
        <float_array id="pa" count="9">0 0 0 1 0 0 0 0 1</float_array><technique_common>
        <accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source><vertices id="v">
        <input semantic="POSITION" source="#p"/></vertices><triangles count="1">
        <input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1</p></triangles></mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>
        </library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    vec![
        ("gltf", gltf.into_bytes()),
        ("obj", obj.as_bytes().to_vec()),
        ("dae", dae.as_bytes().to_vec()),
        ("mdl", quake::quake_box(glam::Vec3::new(1.0, 2.0, 3.0))),
        ("glb", fs::read(asset("props/marker.glb")).unwrap()),
    ]
}

/// A small deterministic generator: damage must be the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

fn damaged(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    if random.below(4) == 0 {
        bytes.truncate(random.below(bytes.len()));
        return bytes;
    }
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len());
        // The first kilobyte holds what decides most; half of the damage goes there.
        let at = if random.below(2) == 0 { at.min(random.below(1024)).min(bytes.len() - 1) } else { at };
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

fn assert_whole(model: &Model) {
    assert!(model.skeleton.is_well_formed());
    for mesh in &model.meshes {
        assert!(mesh.indices.iter().all(|&i| (i as usize) < mesh.vertices.len()));
        assert!(mesh.vertices.iter().all(|v| v.position.is_finite() && v.normal.is_finite()));
        assert!((mesh.material as usize) < model.materials.len());
        assert!(mesh.skin.iter().flat_map(|s| s.joints).all(|j| (j as usize) < model.joints.len()));
    }
}

#[test]
fn a_thousand_damaged_files_never_take_the_program_down() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds();
    for (extension, bytes) in &seeds {
        let path = folder.path().join(format!("whole.{extension}"));
        fs::write(&path, bytes).unwrap();
        assert_whole(&worker().load(&path).unwrap_or_else(|e| panic!("the seed must load: {e}")));
    }
    let outcomes: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2_usize)
            .map(|thread| {
                let (seeds, folder) = (&seeds, folder.path());
                scope.spawn(move || {
                    let mut random = Random(thread as u64 + 1);
                    let importer = worker();
                    let mut outcomes = Vec::new();
                    for case in 0..500 {
                        let (extension, seed) = &seeds[case % seeds.len()];
                        let path = folder.join(format!("damaged-{thread}.{extension}"));
                        fs::write(&path, damaged(seed, &mut random)).unwrap();
                        let result = importer.load(&path);
                        if let Ok(model) = &result {
                            assert_whole(model);
                        }
                        outcomes.push(result.is_ok());
                    }
                    outcomes
                })
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    let loaded = outcomes.iter().filter(|ok| **ok).count();
    assert_eq!(outcomes.len(), 1000);
    assert!(loaded > 50 && loaded < 950, "the damage is of no use: {loaded} of 1000 files still load");
}

#[test]
fn a_crash_of_the_worker_is_an_error_about_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n").unwrap();
    let script = folder.path().join("worker.sh");
    let importer = |text: &str| {
        fs::write(&script, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::process::Command::new("chmod").arg("+x").arg(&script).status().unwrap();
        Importer { program: Some(script.clone()), time_limit: Duration::from_millis(300), ..worker() }
    };
    let error = importer("kill -SEGV $$").load(&path).unwrap_err();
    assert!(matches!(&error, AssetError::Crashed { reason, .. } if reason.contains("memory")), "{error}");
    let error = importer("exec sleep 60").load(&path).unwrap_err();
    assert!(matches!(error, AssetError::TimedOut { .. }), "{error}");
    let error = importer("echo nonsense").load(&path).unwrap_err();
    assert!(matches!(error, AssetError::Worker { .. }), "{error}");
    assert!(error.to_string().ends_with("a.obj"));
}

/// A named pipe, on which every reader waits.
#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn files_beside_a_model_are_regular_ones_in_its_folder() {
    use std::os::unix::fs::symlink;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("model");
    fs::create_dir(&folder).unwrap();
    fs::write(outer.path().join("far.mtl"), "newmtl m\nKd 1 0 0\n").unwrap();
    symlink("../far.mtl", folder.join("linked.mtl")).unwrap();
    symlink("/dev/zero", folder.join("device.mtl")).unwrap();
    pipe(&folder.join("pipe.mtl"));
    fs::write(folder.join("near.mtl"), "newmtl m\nKd 1 0 0\nmap_Kd picture.png\n").unwrap();
    let path = folder.join("a.obj");
    let with = |library: &str| {
        fs::write(&path, format!("mtllib {library}\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n")).unwrap();
        worker().load(&path).unwrap()
    };
    for (library, why) in [
        ("linked.mtl", "outside the folder"),
        ("../far.mtl", "outside the folder"),
        ("device.mtl", "outside the folder"),
        ("pipe.mtl", "it is a pipe"),
    ] {
        let warnings = with(library).warnings;
        assert!(warnings.iter().any(|w| w.contains(library) && w.contains(why)), "{library}: {warnings:?}");
    }
    let red = |model: &Model| model.materials.iter().any(|m| m.base_color[0] == 1.0 && m.base_color[1] == 0.0);
    assert!(red(&with("near.mtl")) && !red(&with("linked.mtl")));
}

#[test]
fn textures_in_a_folder_beside_are_read_where_the_file_names_it() {
    let outer = tempfile::tempdir().unwrap();
    let importer = Importer { cache: Cache::in_folder(outer.path().join("cache")), ..worker() };
    for folder in ["model", "textures"] {
        fs::create_dir(outer.path().join(folder)).unwrap();
    }
    let picture = outer.path().join("textures/leaf.png");
    image::RgbaImage::new(2, 2).save(&picture).unwrap();
    image::RgbaImage::new(2, 2).save(outer.path().join("bark.png")).unwrap();
    let path = outer.path().join("model/a.obj");
    fs::write(&path, "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n").unwrap();
    let with = |name: &str| {
        fs::write(outer.path().join("model/a.mtl"), format!("newmtl m\nmap_Kd {name}\n")).unwrap();
        importer.load(&path).unwrap()
    };
    let far = ["../../textures/leaf.png", "C:\\art\\textures\\leaf.png", "/home/ada/textures/leaf.png"];
    for name in ["../textures/leaf.png", "..\\textures\\leaf.png"].into_iter().chain(far) {
        assert_eq!(with(name).images.len(), 1, "{name}");
    }
    for name in ["../bark.png", "../textures/../bark.png", "../../model/../bark.png"] {
        assert_eq!(with(name).images.len(), 0, "{name}");
    }
    let known = "../textures/leaf.png";
    let small = with(known).images[0].width;
    image::RgbaImage::new(4, 4).save(&picture).unwrap();
    assert_eq!((small, with(known).images[0].width), (2, 4), "a change beside makes the model anew");
}

#[test]
fn pictures_are_found_where_collections_keep_them() {
    const PLACES: [&str; 5] =
        ["meshes/arm/textures", "meshes/Textures", "meshes/materials/textures", "textures", "materials/textures"];
    for place in PLACES {
        let pack = tempfile::tempdir().unwrap();
        let importer = Importer { cache: Cache::in_folder(pack.path().join("cache")), ..worker() };
        let (folder, place) = (pack.path().join("meshes/arm"), pack.path().join(place));
        for folder in [&folder, &place] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(folder.join("a.obj"), "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n").unwrap();
        for name in ["leaf.png", "../../materials/textures/leaf.png", "D:\\work\\leaf.png"] {
            fs::write(folder.join("a.mtl"), format!("newmtl m\nmap_Kd {name}\n")).unwrap();
            for side in [2, 4] {
                image::RgbaImage::new(side, side).save(place.join("leaf.png")).unwrap();
                let model = importer.load(&folder.join("a.obj")).unwrap();
                let found: Vec<u32> = model.images.iter().map(|image| image.width).collect();
                assert_eq!(found, [side], "{name} in {}: {:?}", place.display(), model.warnings);
            }
        }
    }
}

#[test]
fn colours_that_users_add_to_nodes_of_fbx_files_stop_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fbx");
    let text = "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\nObjects:  {\n\
        Geometry: 1, \"Geometry::a\", \"Mesh\" {\nVertices: *9 {\na: 0,0,0,100,0,0,0,100,0\n}\nPolygonVertexIndex: *3 {\n\
        a: 0,1,-3\n}\nGeometryVersion: 124\n}\nModel: 2, \"Model::a\", \"Mesh\" {\nVersion: 232\nProperties70:  {\n\
        P: \"tint\", \"ColorAndAlpha\", \"\", \"A+U\",1,0,0,1\n}\n}\n}\nConnections:  {\nC: \"OO\",2,0\nC: \"OO\",1,2\n}\n";
    fs::write(&path, text).unwrap();
    assert_eq!(worker().load(&path).unwrap().triangle_count(), 1);
}

#[cfg(unix)]
#[test]
fn a_cached_model_whose_texture_became_a_pipe_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let importer = Importer { cache: Cache::in_folder(folder.path().join("cache")), ..worker() };
    let path = folder.path().join("a.obj");
    fs::write(&path, "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n").unwrap();
    fs::write(folder.path().join("a.mtl"), "newmtl m\nmap_Kd a.png\n").unwrap();
    let picture = folder.path().join("a.png");
    image::RgbaImage::new(2, 2).save(&picture).unwrap();
    assert_eq!(importer.load(&path).unwrap().images.len(), 1);
    fs::remove_file(&picture).unwrap();
    pipe(&picture);
    let again = importer.load(&path).unwrap();
    assert!(again.images.is_empty());
    assert!(again.warnings.iter().any(|w| w.contains("a.png") && w.contains("it is a pipe")), "{:?}", again.warnings);
}

/// A COLLADA triangle whose material names the picture `textures/leaf.png`.
const LEAF: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <library_images><image id="leaf"><init_from>textures/leaf.png</init_from></image></library_images>
    <library_effects><effect id="e"><profile_COMMON>
    <newparam sid="surface"><surface type="2D"><init_from>leaf</init_from></surface></newparam>
    <newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
    <technique sid="t"><lambert><diffuse><texture texture="sampler" texcoord="UV"/></diffuse></lambert></technique>
    </profile_COMMON></effect></library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
    <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array>
    <technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
    <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
    </mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"><bind_material>
    <technique_common><instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry>
    </node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

#[test]
fn a_texture_that_comes_or_changes_is_no_longer_cached() {
    let folder = tempfile::tempdir().unwrap();
    let importer = Importer { cache: Cache::in_folder(folder.path().join("cache")), ..worker() };
    let path = folder.path().join("leaf.dae");
    fs::write(&path, LEAF).unwrap();
    let missing = importer.load(&path).unwrap();
    assert!(missing.images.is_empty() && missing.warnings.iter().any(|w| w.contains("leaf.png")), "{missing:?}");
    // Where the warning asks for it; then where the file names it, which goes before; then another one there.
    fs::create_dir(folder.path().join("textures")).unwrap();
    for (place, side) in [("leaf.png", 2), ("textures/leaf.png", 4), ("textures/leaf.png", 8)] {
        image::RgbaImage::new(side, side).save(folder.path().join(place)).unwrap();
        let model = importer.load(&path).unwrap();
        assert_eq!(model.images.iter().map(|image| image.width).collect::<Vec<_>>(), [side], "{place}");
        assert_eq!(importer.load(&path).unwrap(), model, "from the cache");
    }
}

#[test]
fn pictures_that_ask_for_too_much_are_shown_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    fs::write(&path, "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n").unwrap();
    fs::write(folder.path().join("a.mtl"), "newmtl m\nmap_Kd a.png\n").unwrap();
    image::GrayImage::new(8192, 8192).save(folder.path().join("a.png")).unwrap();
    let model = Importer { memory_limit: 1 << 30, ..worker() }.load(&path).unwrap();
    let [image] = &model.images[..] else { panic!("{:?}", model.warnings) };
    assert_eq!((image.width, image.height), (4096, 4096));
    let warning = "shown at 1/2 of its size: 8192 × 8192 pixels take 256 MiB";
    assert!(model.warnings.iter().any(|w| w.contains("a.png") && w.contains(warning)), "{:?}", model.warnings);
}

/// A binary glTF that keeps its data in the file.
fn glb(mut json: serde_json::Value, data: &[u8]) -> Vec<u8> {
    json["asset"] = serde_json::json!({"version": "2.0"});
    json["scene"] = 0.into();
    json["buffers"] = serde_json::json!([{"byteLength": data.len()}]);
    binary_gltf(&json, data)
}

/// Small files that say a thing once and refer to it often, and what the error names.
fn repeating_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    use serde_json::{Value, json};
    let list = |count: usize, of: &dyn Fn(usize) -> Value| (0..count).map(of).collect::<Vec<Value>>();
    // 20,000 vertices, whose bytes are their indices, too.
    let data: Vec<u8> = (0..60_000).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let bounds = json!([{"buffer": 0, "byteLength": data.len()}]);
    let points = json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 20_000, "min": [0, 0, 0], "max": [6e4, 6e4, 6e4]});
    let bytes = json!({"bufferView": 0, "componentType": 5121, "type": "SCALAR", "count": 240_000});
    let numbers =
        json!({"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 20_000, "min": [0], "max": [6e4]});
    let accessors = json!([points, bytes, numbers]);
    let plain = json!({"attributes": {"POSITION": 0}, "indices": 1});
    let file = |nodes: Vec<Value>, primitives: Vec<Value>, rest: Value| {
        let mut json = json!({"accessors": accessors, "bufferViews": bounds, "meshes": [{"primitives": primitives}]});
        json["scenes"] = json!([{"nodes": (0..nodes.len()).collect::<Vec<usize>>()}]);
        json["nodes"] = nodes.into();
        json.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        glb(json, &data)
    };
    let node = |i: usize| json!({"mesh": 0, "name": i.to_string()});
    let target = json!({"POSITION": 0, "NORMAL": 0});
    let with_targets = json!({"attributes": {"POSITION": 0}, "targets": list(3_000, &|_| target.clone())});
    let channel = |i: usize| json!({"sampler": 0, "target": {"node": i, "path": "translation"}});
    let clip = json!({"samplers": [{"input": 2, "output": 0}], "channels": list(5_000, &channel)});
    let skins = json!([{"joints": (0..8_000).collect::<Vec<usize>>()}]);
    let skinned = json!({"attributes": {"POSITION": 2, "JOINTS_0": 0, "WEIGHTS_0": 1}});
    let influences = |kind: u32| json!({"bufferView": 0, "componentType": kind, "type": "VEC4", "count": 15_000});
    let fewer = json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 15_000, "min": [0, 0, 0], "max": [6e4, 6e4, 6e4]});
    let weights = json!([influences(5121), influences(5126), fewer]);
    vec![
        ("nodes.glb", file(list(8_000, &node), vec![plain.clone()], json!({})), "once for each node"),
        ("primitives.glb", file(vec![node(0)], list(900, &|_| plain.clone()), json!({})), "takes more than"),
        ("targets.glb", file(vec![node(0)], vec![with_targets], json!({})), "takes more than"),
        (
            "clips.glb",
            file(list(5_000, &|i| json!({"name": i.to_string()})), vec![plain.clone()], json!({"animations": [clip]})),
            "takes more than",
        ),
        (
            "bones.glb",
            file(
                list(8_000, &|i| if i == 0 { json!({"mesh": 0, "skin": 0}) } else { json!({}) }),
                list(1_000, &|_| skinned.clone()),
                json!({"skins": skins, "accessors": weights}),
            ),
            "8000000 bones",
        ),
    ]
}

/// The most memory that a worker takes for a file, bytes.
#[cfg(unix)]
fn worker_peak_bytes(path: &Path) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_walkabout"));
    command.args(["import-worker", "8589934592", "60"]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut answer = child.stdout.take().unwrap();
    std::io::copy(&mut answer, &mut std::io::sink()).unwrap();
    // SAFETY: zeros are a valid value, and there is room for the answer.
    let (mut usage, mut status): (libc::rusage, _) = (unsafe { std::mem::zeroed() }, 0);
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
    assert_eq!(waited, child.id() as libc::pid_t);
    // It is waited for already, without the library's knowledge.
    let _ = child.wait();
    usage.ru_maxrss as u64 * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn small_files_take_less_than_a_gigabyte() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, told) in repeating_files() {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        assert!(bytes.len() < 1 << 20, "{name}: {} bytes", bytes.len());
        let peak = worker_peak_bytes(&path);
        assert!(peak < 1_000_000_000, "{name} takes {} MiB", peak >> 20);
        let error = Importer { memory_limit: 8 << 30, ..worker() }.load(&path).expect_err(name).to_string();
        assert!(error.contains(told) && error.contains(name), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_worker_ends_when_nobody_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    // Takes seconds.
    let corner =
        |i: usize| format!("v {i} 0 0\nv {i} 0 1\nv {i} 1 0\nf {0} {1} {2}\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    fs::write(&path, (0..200_000).map(corner).collect::<String>()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_walkabout"));
    command.args(["import-worker", "4000000000", "60"]).arg(&path).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
}

#[test]
fn too_little_memory_is_an_error_about_the_file() {
    let importer = Importer { memory_limit: 120 << 20, ..worker() };
    let error = importer.load(&asset("levels/plaza.glb")).unwrap_err();
    assert!(
        matches!(error, AssetError::Crashed { .. } | AssetError::Malformed { .. } | AssetError::Worker { .. }),
        "{error}"
    );
}

#[test]
fn the_second_load_comes_from_the_cache_and_damage_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path());
    let importer = Importer { cache: cache.clone(), ..worker() };
    let path = asset("props/marker.glb");
    let first = importer.load(&path).unwrap();
    let broken = Importer { program: Some("/nonexistent/program".into()), ..importer.clone() };
    assert_eq!(broken.load(&path).unwrap(), first, "the second load must not need the importer");
    let entry = cache.entry_path(&path, &fs::read(&path).unwrap()).unwrap();
    let mut bytes = fs::read(&entry).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&entry, &bytes).unwrap();
    assert!(broken.load(&path).is_err(), "a damaged entry must not be believed");
    assert_eq!(importer.load(&path).unwrap(), first);
    assert_eq!(broken.load(&path).unwrap(), first);
}

#[test]
fn hand_made_hostile_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.bin");
    fs::write(&secret, [0; 64]).unwrap();
    let model_folder = folder.path().join("model");
    fs::create_dir(&model_folder).unwrap();
    let outside = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":64,"uri":"../secret.bin"}]}"#;
    let huge = r#"{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"count":4000000000,"type":"VEC3"}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}"#;
    let nested = "[".repeat(1_000_000);
    for (name, text) in
        [("outside.gltf", outside), ("huge.gltf", huge), ("nested.gltf", nested.as_str()), ("empty.fbx", "")]
    {
        let path = model_folder.join(name);
        fs::write(&path, text).unwrap();
        let error = worker().load(&path).expect_err(name).to_string();
        assert!(error.contains(name) && error.len() < 1000, "{error}");
    }
    let error = worker().load(&model_folder.join("none.glb")).unwrap_err().to_string();
    assert!(error.contains("cannot be read"), "{error}");
    fs::write(model_folder.join("a.xyz"), "").unwrap();
    let error = worker().load(&model_folder.join("a.xyz")).unwrap_err().to_string();
    assert!(error.contains("Use one of"), "{error}");
}

#[test]
fn what_is_no_file_and_what_has_no_format_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let reason = |name: &str| worker().load(&folder.path().join(name)).unwrap_err().to_string();
    assert!(reason("nope").contains("there is no such file"), "{}", reason("nope"));
    fs::write(folder.path().join("bare"), "v 0 0 0").unwrap();
    assert!(reason("bare").contains("its name has no ending, which tells the format"), "{}", reason("bare"));
    fs::write(folder.path().join("a.txt"), "v 0 0 0").unwrap();
    assert!(reason("a.txt").contains("the format \"txt\" is not supported"), "{}", reason("a.txt"));
    fs::write(folder.path().join("page.dae"), "<!DOCTYPE html>\n<html></html>").unwrap();
    assert!(reason("page.dae").contains("an HTML page"), "{}", reason("page.dae"));
}

#[test]
fn many_objects_and_libraries_are_no_reason_to_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.obj");
    fs::write(folder.path().join("many.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
    let mut text = "v 0 0 0\nv 1 0 0\nv 0 0 1\n".to_owned();
    for i in 0..8000 {
        text += &format!("mtllib many.mtl\no part{i}\nusemtl red\nf 1 3 2\n");
    }
    fs::write(&path, text).unwrap();
    let model = worker().load(&path).unwrap();
    let names = model.skeleton.names.iter().filter(|name| name.starts_with("part")).count();
    assert_eq!((names, model.meshes.len()), (8000, 8000));
    let red = model.materials.iter().filter(|material| material.name == "red").count();
    assert_eq!((red, model.warnings.len()), (1, 0), "{:?}", model.warnings);
}
