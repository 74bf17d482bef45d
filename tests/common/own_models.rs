//! Loads the models that come with the program.

use glam::Mat4;
use std::path::Path;
use walkabout::anim::local_to_model::local_to_model;
use walkabout::anim::sample::sample_clip;
use walkabout::asset::cache::Cache;
use walkabout::asset::{Clip, Importer, Model};
use walkabout::math::Trs;

/// An importer that runs the program under test, with a cache that the tests share.
pub fn importer() -> Importer {
    Importer {
        program: Some(env!("CARGO_BIN_EXE_walkabout").into()),
        cache: Cache::in_folder(std::env::temp_dir().join("walkabout-tests")),
        ..Importer::default()
    }
}

/// A model below `assets/`.
#[allow(dead_code, reason = "not every test loads a single model")]
pub fn load(name: &str) -> Model {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    importer().load(&file).unwrap_or_else(|error| panic!("{error}"))
}

/// Transforms of all nodes at a time of a clip.
#[allow(dead_code, reason = "not every test looks at poses")]
pub fn matrices(model: &Model, clip: &Clip, time_secs: f32) -> Vec<Mat4> {
    let mut locals = vec![Trs::IDENTITY; model.skeleton.len()];
    let mut matrices = vec![Mat4::IDENTITY; model.skeleton.len()];
    sample_clip(&model.skeleton, Some(clip), time_secs, &mut locals);
    local_to_model(&model.skeleton, &locals, &mut matrices);
    matrices
}
