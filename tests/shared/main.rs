//! Tests against real models, scenes and measured answers that are not part of this repository, and against Detour.
//!
//! They look for their data at `$WALKABOUT_SHARED/data`, else at `../shared/data` beside the checkout, and are
//! reported as ignored, by name, where it is absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its data has to fail")]

mod bake;
mod behave;
mod cover;
#[path = "../common/cover_rays.rs"]
mod cover_rays;
mod detour;
mod exact;
mod exchange;
mod ground;
mod import;
mod obstacles;
#[path = "../common/original_reader.rs"]
mod original_reader;
#[path = "../common/pairs.rs"]
mod pairs;
#[allow(dead_code, reason = "the tests of the command line use the rest")]
#[path = "../cli/program.rs"]
mod program;
mod query;
mod scenes;
mod sim;
mod source_nav;
#[path = "../common/walked.rs"]
mod walked;

use glam::{Mat4, Vec3};
use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use walkabout::asset::import::import_file;
use walkabout::asset::level::append_triangles;
use walkabout::asset::{LevelTriangle, NodeTransforms};

/// The folder with the shared data, if it is there.
pub fn shared_data() -> Option<PathBuf> {
    let root = std::env::var_os("WALKABOUT_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let data = root.join("data");
    data.is_dir().then_some(data)
}

/// The triangles of the town, in so many times its size: `de_dust_nav.acfg` places it at five times.
pub fn town(data: &Path, scale: f32) -> Vec<LevelTriangle> {
    let model = import_file(&data.join("original/assets/level/de_dust.glb")).unwrap();
    let mut triangles = Vec::new();
    append_triangles(&model, &Mat4::from_scale(Vec3::splat(scale)), NodeTransforms::All, &mut triangles);
    triangles
}

/// A test that gets the shared data folder; ignored where that is absent. It fails by panicking.
pub fn trial(name: &str, body: fn(PathBuf)) -> Trial {
    let data = shared_data();
    let absent = data.is_none();
    Trial::test(name, move || {
        let data = data.ok_or("the shared data is absent; set WALKABOUT_SHARED to the folder that holds data/")?;
        body(data);
        Ok(())
    })
    .with_ignored_flag(absent)
}

fn main() -> ExitCode {
    let rooms = [
        bake::trials(),
        behave::trials(),
        cover::trials(),
        detour::trials(),
        exact::trials(),
        exchange::trials(),
        ground::trials(),
        import::trials(),
        obstacles::trials(),
        query::trials(),
        scenes::trials(),
        sim::trials(),
        source_nav::trials(),
    ];
    let trials: Vec<Trial> = rooms.into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
