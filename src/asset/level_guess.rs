//! Guesses whether a model file is a level or a character, without importing it.

use crate::disk::{has_extension, read};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file that are looked at.
const MAX_BYTES: u64 = 8 << 20;

/// What announces bones in a file: skins of glTF, deformers of FBX, controllers of COLLADA.
const SIGNS_OF_BONES: [&[u8]; 3] = [b"\"skins\"", b"Deformer", b"<library_controllers"];
/// Folders that hold levels, and folders that hold anything else.
const LEVEL_FOLDERS: [&str; 3] = ["levels", "level", "maps"];
const OTHER_FOLDERS: [&str; 5] = ["people", "characters", "props", "models", "objects"];

/// Whether a file looks like a level: it has no bones, and lies in no folder of models.
pub fn looks_like_level(path: &Path) -> bool {
    let in_one_of = |folders: &[&str]| {
        let names = path.parent().into_iter().flat_map(Path::components);
        names.last().is_some_and(|name| folders.contains(&name.as_os_str().to_string_lossy().to_lowercase().as_str()))
    };
    if in_one_of(&OTHER_FOLDERS) {
        return false;
    }
    if has_bones(path) {
        return false;
    }
    let is_obj = has_extension(path, &["obj"]);
    in_one_of(&LEVEL_FOLDERS) || is_obj && path.is_file()
}

/// Whether a model file tells of bones, as all of motion captures do; `false` where it cannot be read.
pub fn has_bones(path: &Path) -> bool {
    if has_extension(path, &["bvh"]) {
        return path.is_file();
    }
    let mut bytes = Vec::new();
    // Of a larger one the beginning is enough.
    let opened = read::open(path, u64::MAX).map_err(io::Error::other);
    let read = opened.and_then(|(file, _)| file.take(MAX_BYTES).read_to_end(&mut bytes));
    let has = |sign: &&[u8]| bytes.windows(sign.len()).any(|window| window == *sign);
    read.is_ok() && SIGNS_OF_BONES.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_bones_and_props_are_no_levels() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        for level in ["levels/courtyard.fbx", "levels/arena.obj", "levels/plaza.glb"] {
            assert!(looks_like_level(&root.join(level)), "{level}");
        }
        for model in ["people/ada.glb", "props/marker.glb"] {
            assert!(!looks_like_level(&root.join(model)), "{model}");
        }
    }
}
