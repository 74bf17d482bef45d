//! Brings glTF files into the form that Assimp reads: compressed geometry decoded, integers as the numbers that they
//! stand for, keys with straight lines between them, copies of a mesh as nodes, pictures of extensions in the places of
//! plain ones, surfaces by metal and roughness, material variants as primitives, names and skins apart, texture
//! coordinates as materials take them.
//!
//! The glTF may lie in a tile of 3D Tiles.
//!
//! Runs in the worker, after [`super::guard`] has looked at the file. A file that needs none of it is left as it is.

mod data;
mod draco;
mod instancing;
mod interpolation;
mod meshopt;
mod notes;
mod skins;
mod surfaces;
mod texcoords;
mod tidy;
mod values;
mod variants;
mod vrm;

use super::batched_tile::{left_out, model_in};
use super::file_io::{Replacement, SideFile};
use super::guard::{self, GltfFault, chunks};
use super::uri;
use crate::disk::read::BYTE_ORDER_MARK;
use data::GltfData;
use serde_json::Value;
pub(super) use skins::name_in_file;
use std::path::Path;

/// Extensions of textures, each with a picture of its own beside or in place of the plain one.
const PICTURE_EXTENSIONS: [&str; 3] = ["EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds"];

/// Extensions of text and binary glTF.
pub const EXTENSIONS: &[&str] = &["gltf", "glb", "vrm", "b3dm"];

/// What Assimp gets in place of a text or binary glTF in `folder`; `None` where the file will do. Its JSON is parsed where it is not
/// known.
///
/// # Errors
/// The file is damaged, or asks for too much memory.
pub fn prepare(folder: &Path, file: &[u8], known: Option<Value>) -> Result<Option<Replacement>, GltfFault> {
    let bytes = model_in(file)?;
    let is_binary = bytes.starts_with(b"glTF");
    let (json, chunk) = if is_binary { chunks(bytes)? } else { (bytes, None) };
    let mut root = known.map_or_else(|| guard::document_of(json), Ok)?;
    // Chunks are filled up with spaces to whole words (specification 2.0, section 4.4.3).
    let is_filled_otherwise = is_binary && (json.last() == Some(&0) || !json.len().is_multiple_of(4));
    let marks = [json.starts_with(BYTE_ORDER_MARK), tidy::drop_zeros(&mut root, json), is_filled_otherwise];
    let warnings: Vec<String> = notes::of(&root).into_iter().chain(left_out(file)).collect();
    let mut data = GltfData::new(folder, chunk, &root);
    let bones = vrm::bones(&root);
    let own_chunk = if is_binary { take_first_buffer(&mut root, &mut data)? } else { None };
    let steps = [
        marks.contains(&true) || bytes.len() < file.len() || own_chunk.is_some() || !warnings.is_empty(),
        tidy::drop_extras(&mut root, json),
        tidy::drop_empty_clips(&mut root),
        tidy::drop_numbered_interpolations(&mut root),
        tidy::complete_scenes(&mut root),
        tidy::hide(&mut root),
        uri::name_files(&mut root, folder),
        take_pictures(&mut root),
        surfaces::complete(&mut root),
        meshopt::decode(&mut root, &mut data)?,
        draco::decode(&mut root, &mut data)?,
        instancing::expand(&mut root, &mut data)?,
        interpolation::straighten(&mut root, &mut data)?,
        values::convert(&mut root, &mut data)?,
        texcoords::apply(&mut root, &mut data)?,
        skins::complete_bind_matrices(&mut root, &mut data)?,
        skins::part_meshes(&mut root),
        skins::name_nodes_apart(&mut root),
        skins::has_second_sets(&root),
    ];
    let variants = variants::spread(&mut root);
    if !steps.contains(&true) && variants.is_empty() && bones.is_empty() {
        return Ok(None);
    }
    let decoded = data.finish(&mut root);
    let side_file = (!decoded.is_empty()).then_some(SideFile { name: data::DECODED_FILE, bytes: decoded });
    for list in ["extensionsRequired", "extensionsUsed"] {
        if let Some(names) = root.get_mut(list).and_then(Value::as_array_mut) {
            names.retain(|name| name.as_str().is_none_or(|name| !guard::COMPRESSIONS.contains(&name)));
        }
    }
    if own_chunk.is_some()
        && let Some(buffer) = root["buffers"][0].as_object_mut()
    {
        buffer.remove("uri");
    }
    let text = root.to_string().into_bytes();
    // What was decoded obeys the same rules as what is plain.
    guard::check_gltf(&guard::document_of(&text)?)?;
    let others = own_chunk.as_deref().unwrap_or_else(|| bytes.get(20 + json.len()..).unwrap_or(&[]));
    let model = if is_binary { with_json(others, text) } else { text };
    Ok(Some(Replacement { model, side_file, variants, bones, warnings }))
}

/// Takes the data of the first buffer of a binary file where it names them, as a chunk of the file: Assimp takes this
/// buffer for the chunk whatever it names. `None` where the chunk is its data.
fn take_first_buffer(root: &mut Value, data: &mut GltfData) -> Result<Option<Vec<u8>>, GltfFault> {
    let is_named = |root: &Value| root.get("buffers")?.get(0)?.get("uri")?.as_str().map(|_| ());
    if is_named(root).is_none() {
        return Ok(None);
    }
    let bytes = data.buffer(root, 0)?;
    let mut chunk = Vec::with_capacity(bytes.len() + 12);
    chunk.extend_from_slice(&(bytes.len().next_multiple_of(4) as u32).to_le_bytes());
    chunk.extend_from_slice(b"BIN\0");
    chunk.extend_from_slice(bytes);
    chunk.resize(chunk.len().next_multiple_of(4), 0);
    Ok(Some(chunk))
}

/// A binary glTF of a JSON chunk and others (specification 2.0, section 4.4).
fn with_json(others: &[u8], mut json: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = (20 + json.len() + others.len()) as u32;
    [
        b"glTF",
        &2_u32.to_le_bytes()[..],
        &length.to_le_bytes(),
        &(json.len() as u32).to_le_bytes(),
        b"JSON",
        &json,
        others,
    ]
    .concat()
}

/// Gives textures without a plain picture that of an extension. Returns whether there were any.
fn take_pictures(root: &mut Value) -> bool {
    let mut changed = false;
    for texture in root.get_mut("textures").and_then(Value::as_array_mut).into_iter().flatten() {
        if texture.get("source").is_some() {
            continue;
        }
        let source = |name| texture.get("extensions")?.get(name)?.get("source")?.as_u64();
        if let Some(source) = PICTURE_EXTENSIONS.into_iter().find_map(source) {
            texture["source"] = source.into();
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::guard::json_chunk;
    use super::*;
    use serde_json::json;

    #[test]
    fn pictures_of_extensions_take_the_place_of_plain_ones() {
        let file = json!({"textures": [
            {"extensions": {"EXT_texture_webp": {"source": 1}}},
            {"source": 0, "extensions": {"EXT_texture_webp": {"source": 1}}},
        ]});
        let prepared = prepare(Path::new("."), file.to_string().as_bytes(), None).unwrap().unwrap();
        let root: Value = serde_json::from_slice(&prepared.model).unwrap();
        assert_eq!((&root["textures"][0]["source"], &root["textures"][1]["source"]), (&json!(1), &json!(0)));
        assert!(prepare(Path::new("."), b"{}", None).unwrap().is_none());
    }

    #[test]
    fn a_buffer_in_the_text_of_a_binary_file_becomes_its_chunk() {
        let json = br#"{"buffers":[{"byteLength":3,"uri":"data:;base64,AQID"}]}"#;
        let start = [b"glTF", &2_u32.to_le_bytes()[..], &[0; 4], &(json.len() as u32).to_le_bytes(), b"JSON"].concat();
        let model = prepare(Path::new("."), &[&start[..], json].concat(), None).unwrap().unwrap().model;
        assert!(model.ends_with(&[4, 0, 0, 0, b'B', b'I', b'N', 0, 1, 2, 3, 0]), "{model:?}");
        let root: Value = serde_json::from_slice(json_chunk(&model).unwrap()).unwrap();
        assert_eq!(root["buffers"], json!([{"byteLength": 3}]));
    }

    #[test]
    fn a_binary_file_may_be_filled_up_with_zeros_or_not_at_all() {
        for end in [&b"\0\0\0"[..], b"\0", b"", b"  \0"] {
            let json = [br#"{"asset":{"version":"2.0"}}"#, end].concat();
            let length = (json.len() as u32).to_le_bytes();
            let bytes = [
                b"glTF",
                &2_u32.to_le_bytes()[..],
                &[0; 4],
                &length,
                b"JSON",
                &json,
                &[0, 0, 0, 0, b'B', b'I', b'N', 0],
            ];
            let model = prepare(Path::new("."), &bytes.concat(), None).unwrap().unwrap().model;
            let read = json_chunk(&model).unwrap();
            assert!(read.len().is_multiple_of(4) && read.starts_with(b"{\"asset\"") && !read.contains(&0), "{read:?}");
            assert!(model.ends_with(&[0, 0, 0, 0, b'B', b'I', b'N', 0]));
        }
    }

    #[test]
    fn a_binary_file_keeps_its_other_chunks() {
        let json = br#"{"textures":[{"extensions":{"MSFT_texture_dds":{"source":7}}}]}   "#;
        let data = [4, 0, 0, 0, b'B', b'I', b'N', 0, 1, 2, 3, 4];
        let start = [b"glTF", &2_u32.to_le_bytes()[..], &[0; 4], &(json.len() as u32).to_le_bytes(), b"JSON"].concat();
        let model = prepare(Path::new("."), &[&start[..], json, &data].concat(), None).unwrap().unwrap().model;
        assert_eq!(u32::from_le_bytes(model[8..12].try_into().unwrap()) as usize, model.len());
        let root: Value = serde_json::from_slice(json_chunk(&model).unwrap()).unwrap();
        assert_eq!(root["textures"][0]["source"], 7);
        assert!(model.ends_with(&data));
    }
}
