//! Real model files come in whole.

use crate::program::{out_file, text, walkabout};
use crate::trial;
use libtest_mimic::Trial;
use std::path::Path;
use walkabout::asset::Model;
use walkabout::asset::fit_guess::FitGuess;
use walkabout::asset::import::import_file;

/// All trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("import::man_has_its_bones_clips_and_faces", |data| {
            let man = import(&data.join("original/assets/man/Man.gltf"));
            assert_eq!((man.skeleton.len(), man.meshes.len(), man.triangle_count()), (65, 4, 5856));
            assert_eq!((man.clips.len(), man.morph_names().len()), (28, 4));
            let bones: std::collections::BTreeSet<u32> = man.joints.iter().map(|j| j.node.0).collect();
            assert!(bones.len() >= 60, "{} bones", bones.len());
        }),
        trial("import::woman_has_her_bones_and_clips", |data| {
            let woman = import(&data.join("original/assets/woman/Woman.gltf"));
            assert_eq!((woman.skeleton.len(), woman.triangle_count()), (44, 1966));
            assert_eq!((woman.clips.len(), woman.morph_names().len()), (10, 4));
            let names = [33, 32, 31, 38, 5].map(|bone| &woman.skeleton.names[woman.skin_bones[bone].0 as usize]);
            assert_eq!(names, ["LeftFoot", "LeftLeg", "LeftUpLeg", "RightFoot", "Head"], "as the original counts them");
        }),
        trial("import::town_has_all_triangles_and_textures", |data| {
            let town = import(&data.join("original/assets/level/de_dust.glb"));
            assert_eq!((town.skeleton.len(), town.meshes.len(), town.triangle_count()), (24, 22, 10_711));
            assert_eq!(town.images.len(), 21);
            assert!(!town.is_skinned());
        }),
        trial("import::people_stand_are_textured_and_move", |data| {
            for file in ["original/assets/man/Man.gltf", "original/assets/woman/Woman.gltf"] {
                let (file, out) = (data.join(file), out_file("shared-person.png"));
                let person = import(&file);
                let size = person.rest_bounds.size();
                assert!(size.y > size.x.max(size.z) && FitGuess::of(&person).is_none(), "{}: {size}", file.display());
                assert!(person.materials.iter().any(|material| material.base_color_image.is_some()));
                let [before, after] = ["0", "0.7"].map(|seconds| {
                    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
                    let drawn = walkabout(&["render", file, "--out", out, "--size", "160x160", "--seconds", seconds]);
                    assert_eq!(drawn.status.code(), Some(0), "{}", text(&drawn.stderr));
                    image::open(out).unwrap().to_rgb8()
                });
                let others = before.pixels().zip(after.pixels()).filter(|(a, b)| a != b).count();
                assert!(others > 50, "{}: {others} pixels change", file.display());
            }
        }),
        trial("import::cone_is_static", |data| {
            let cone = import(&data.join("original/assets/waypointmarker/traffic_cone_prop.glb"));
            assert_eq!((cone.triangle_count(), cone.is_skinned()), (1018, false));
        }),
        trial("import::bare_obj_level", |data| {
            let level = import(&data.join("meshes/nav_test.obj"));
            assert!(level.triangle_count() > 1000);
            assert!(level.meshes.iter().flat_map(|m| &m.vertices).all(|v| v.normal.is_normalized()));
        }),
    ]
}

fn import(path: &Path) -> Model {
    let model = import_file(path).unwrap_or_else(|e| panic!("{e}"));
    assert!(model.skeleton.is_well_formed());
    for mesh in &model.meshes {
        assert!(mesh.indices.iter().all(|&i| (i as usize) < mesh.vertices.len()));
        assert!(mesh.skin.is_empty() || mesh.skin.len() == mesh.vertices.len());
    }
    model
}
