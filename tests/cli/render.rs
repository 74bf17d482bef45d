//! The command `render` on what is no scene: levels, models, navigation meshes.

use super::program::{out_file, text, walkabout, write_corner_mesh};

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
