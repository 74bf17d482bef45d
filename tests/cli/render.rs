//! The command `render` on what is no scene: levels, models, navigation meshes.

use super::glb::binary_gltf;
use super::program::{out_file, text, walkabout, write_corner_mesh};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

/// The picture of a model by itself after so many seconds.
fn drawn(input: &Path, seconds: &str) -> image::RgbImage {
    let out = out_file(&format!("{}.png", input.file_stem().unwrap().to_str().unwrap()));
    let [input, file] = [input, &out].map(|path| path.to_str().unwrap());
    let drawn = walkabout(&["render", input, "--out", file, "--size", "320x180", "--seconds", seconds]);
    assert_eq!(drawn.status.code(), Some(0), "{input}: {}", text(&drawn.stderr));
    image::open(&out).unwrap().to_rgb8()
}

/// The share of pixels in which two pictures differ by more than this.
fn others(a: &image::RgbImage, b: &image::RgbImage, most: u8) -> f32 {
    let differs = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > most);
    let count = a.pixels().zip(b.pixels()).filter(differs).count();
    count as f32 / (a.width() * a.height()) as f32
}

/// How much of a picture differs from its upper left corner, from 0 to 1.
fn covered(file: &std::path::Path) -> f32 {
    let picture = image::open(file).unwrap().to_rgb8();
    let first = *picture.get_pixel(0, 0);
    let is_other = |pixel: &image::Rgb<u8>| pixel.0.iter().zip(first.0).any(|(a, b)| a.abs_diff(b) > 20);
    picture.pixels().filter(|pixel| is_other(pixel)).count() as f32 / (picture.width() * picture.height()) as f32
}

#[test]
fn what_is_no_scene_is_shown_by_itself() {
    // Far from the origin: the camera has to go there.
    let level = out_file("render-level.obj");
    std::fs::write(&level, "v 900 0 400\nv 900 0 460\nv 960 0 460\nv 960 0 400\nf 1 2 3 4\n").unwrap();
    let mesh = write_corner_mesh("render-corner.json");
    for (input, least) in [(level.to_str().unwrap(), 0.05), ("assets/people/ada.glb", 0.05), (mesh.as_str(), 0.05)] {
        let out = out_file("render-alone.png");
        let drawn = walkabout(&["render", input, "--out", out.to_str().unwrap(), "--size", "320x180"]);
        assert_eq!(drawn.status.code(), Some(0), "{input}: {}", text(&drawn.stderr));
        let covered = covered(&out);
        assert!(covered > least && covered < 0.95, "{input} covers {covered}");
    }
    let broken = out_file("render-broken.glb");
    std::fs::write(&broken, "no model").unwrap();
    let out = out_file("render-broken.png");
    let refused = walkabout(&["render", broken.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("render-broken.glb") && !out.exists(), "{}", text(&refused.stderr));
}

/// Hills on a square with this side, in 32 by 32 pieces.
fn write_hills(name: &str, side: f32) -> std::path::PathBuf {
    let (mut text, mut faces, row) = (String::new(), String::new(), 33);
    for (j, i) in (0..row).flat_map(|j| (0..row).map(move |i| (j, i))) {
        let [x, z] = [i, j].map(|k| k as f32 / (row - 1) as f32 - 0.5);
        let y = 0.02 * ((19.0 * x).sin() + (23.0 * z).cos());
        writeln!(text, "v {} {} {}", x * side, y * side, z * side).unwrap();
        if i + 1 < row && j + 1 < row {
            let first = j * row + i + 1;
            writeln!(faces, "f {first} {} {} {}", first + row, first + row + 1, first + 1).unwrap();
        }
    }
    let file = out_file(name);
    std::fs::write(&file, text + &faces).unwrap();
    file
}

/// Near, far, fog, light and the camera follow the size of a level: nothing is cut off, and nothing lies in haze.
#[test]
fn a_level_of_two_kilometres_looks_as_one_of_twenty_metres() {
    let [land, yard] = [("render-land.obj", 2000.0), ("render-yard.obj", 20.0)].map(|(name, side)| {
        let drawn = drawn(&write_hills(name, side), "0");
        let covered = covered(&out_file(name).with_extension("png"));
        assert!(covered > 0.1 && covered < 0.95, "{name} covers {covered}");
        drawn
    });
    let others = others(&land, &yard, 6);
    assert!(others < 0.005, "{others} of the pixels differ");
}

/// A figure of two rigid parts, of which one swings in a second and back in another.
#[test]
fn a_figure_without_bones_that_walks_is_shown_walking() {
    let corners = [[-0.2, 0.0], [0.2, 0.0], [0.2, 1.0], [-0.2, 0.0], [0.2, 1.0], [-0.2, 1.0]];
    let (times, ways) = ([0.0, 1.0, 2.0], [[0.4, 0.0, 0.0], [-0.4, 0.0, 0.0], [0.4, 0.0, 0.0]]);
    let numbers: Vec<f32> = corners.iter().flat_map(|[x, y]| [*x, *y, 0.0]).chain(times).chain(ways.concat()).collect();
    let data: Vec<u8> = numbers.iter().flat_map(|number: &f32| number.to_le_bytes()).collect();
    let figure = |clip: &str| {
        let json = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "body", "children": [1, 2]}, {"name": "torso", "mesh": 0, "translation": [0, 1, 0]},
                {"name": "leg", "mesh": 0, "translation": [0.4, 0, 0]}],
            "materials": [{"doubleSided": true, "pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.1, 0.1, 1]}}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
            "animations": [{"name": clip, "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}}],
                "samplers": [{"input": 1, "output": 2}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3", "min": [-0.2, 0, 0], "max": [0.2, 1, 0]},
                {"bufferView": 1, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [2]},
                {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": 72}, {"buffer": 0, "byteOffset": 72, "byteLength": 12},
                {"buffer": 0, "byteOffset": 84, "byteLength": 36}],
            "buffers": [{"byteLength": 120}]
        });
        let file = out_file(&format!("render-{clip}.glb"));
        std::fs::write(&file, binary_gltf(&json, &data)).unwrap();
        ["0", "1"].map(|seconds| drawn(&file, seconds))
    };
    let [before, after] = figure("walk");
    assert!(others(&before, &after, 24) > 0.02, "the leg is elsewhere");
    let [before, after] = figure("fan");
    assert!(others(&before, &after, 24) == 0.0, "a level does not move");
}

/// A body whose clip has it far from where it is at rest, and on its way.
#[test]
fn a_body_is_in_the_picture_where_its_clip_has_it() {
    let joint = |offset: &str| format!("{{\nOFFSET {offset}\nCHANNELS 3 Zrotation Xrotation Yrotation\n");
    let bones = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nJOINT Spine\n{}\
         End Site\n{{\nOFFSET 0 40 0\n}}\n}}\nJOINT Leg\n{}End Site\n{{\nOFFSET 0 -40 0\n}}\n}}\n}}\n",
        joint("0 40 0"),
        joint("10 -40 0")
    );
    let frames: String = (0..=60).map(|i| format!("{} 90 2000 0 0 0 0 0 0 0 0 0\n", 5000 + 100 * i)).collect();
    let file = out_file("render-far.bvh");
    std::fs::write(&file, format!("{bones}MOTION\nFrames: 61\nFrame Time: 0.0333333\n{frames}")).unwrap();
    for seconds in ["0", "1.5"] {
        drawn(&file, seconds);
        let covered = covered(&file.with_extension("png"));
        assert!(covered > 0.003 && covered < 0.5, "it covers {covered} after {seconds} s");
    }
}

#[test]
fn files_of_unknown_formats_and_of_other_programs_are_told() {
    let files: [(&str, &[u8], &str); 3] = [
        ("render-guy.iqm", b"INTERQUAKEMODEL\0\xff\xfe", "the format \"iqm\" is not supported"),
        ("render-frame.x", b"xof 0303txt 0032 Frame A { }", "the format \"x\" is not supported"),
        ("render-mesh.res", b"RSRC\0\0\0\0\xff\xff", "save it as text (.tres, .tscn)"),
    ];
    for (name, bytes, said) in files {
        let file = out_file(name);
        std::fs::write(&file, bytes).unwrap();
        let (input, out) = (file.to_str().unwrap(), out_file("render-unknown.png"));
        for command in [&["render", input, "--out", out.to_str().unwrap()][..], &["check", input], &["doctor", input]] {
            let refused = walkabout(command);
            let told = text(&refused.stderr) + &text(&refused.stdout);
            assert!(
                refused.status.code() == Some(1) && told.contains(said) && told.contains(name),
                "{command:?}: {told}"
            );
        }
    }
}
