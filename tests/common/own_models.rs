//! Loads the models that come with the program.

use std::path::Path;
use walkabout::asset::cache::Cache;
use walkabout::asset::{Importer, Model};

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
