//! What Assimp gets in place of a file that it would not read as it is.

use super::file_io::Replacement;
use super::guard::Checked;
use super::obj::libraries::Libraries;
use super::obj::objects::as_groups;
use super::obj::statements::readable;
use super::{bvh, collada, gltf, md3, ply, ply_faces, stl};
use crate::asset::AssetError;
use crate::disk::folder_of;
use crate::disk::read::{BYTE_ORDER_MARK, without_mark};
use std::path::Path;

/// Looks at the contents of the model file at `path`; `None` where Assimp reads them as they are.
///
/// # Errors
/// [`AssetError::Malformed`]: what the file holds cannot be decoded.
pub fn prepare(path: &Path, bytes: &[u8]) -> Result<Option<Replacement>, AssetError> {
    prepare_checked(path, bytes, Checked::default())
}

/// The same of a file that was looked at: the JSON of a glTF is not parsed again, nor an OBJ searched for libraries.
pub(super) fn prepare_checked(path: &Path, bytes: &[u8], checked: Checked) -> Result<Option<Replacement>, AssetError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let malformed = |reason: String| AssetError::Malformed { path: path.into(), reason };
    match extension.as_str() {
        "gltf" | "glb" | "vrm" | "b3dm" => {
            gltf::prepare(folder_of(path), bytes, checked.document).map_err(|fault| malformed(fault.to_string()))
        }
        // Assimp takes the mark for a part of the first word.
        "obj" => {
            let libraries = checked.libraries.unwrap_or_else(|| Libraries::of(path, bytes));
            let model = libraries.one_a_line(without_mark(bytes)).or_else(|| copy_without_mark(bytes));
            let model = readable(model.as_deref().unwrap_or(bytes)).or(model);
            let model = as_groups(model.as_deref().unwrap_or(bytes)).or(model);
            Ok(model.map(Replacement::of))
        }
        "bvh" => {
            let model = copy_without_mark(bytes);
            let model = bvh::readable(model.as_deref().unwrap_or(bytes)).or(model);
            Ok(model.map(Replacement::of))
        }
        "dae" => Ok(collada::readable(bytes)
            .map(|model| Replacement { warnings: collada::left_out(bytes), ..Replacement::of(model) })),
        "ply" => {
            let model = ply_faces::readable(bytes);
            let model = ply::with_marked_end(model.as_deref().unwrap_or(bytes)).or(model);
            Ok(model.map(Replacement::of))
        }
        "md3" => Ok(md3::without_empty_surfaces(bytes).map(Replacement::of)),
        "stl" => Ok(stl::without_empty_solids(bytes).map(Replacement::of)),
        _ => Ok(None),
    }
}

/// A copy of a text without the mark before it; `None` where there is none.
fn copy_without_mark(text: &[u8]) -> Option<Vec<u8>> {
    text.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec)
}
