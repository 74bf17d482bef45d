//! Tiles of 3D Tiles 1.0 that hold a batched model (`.b3dm`, "Batched 3D Model" of the specification): a header of 28 bytes, two tables of
//! what is known about the parts of the model, and a binary glTF. What the tables say of single parts is not drawn.

use super::gltf_fault::GltfFault;
use crate::asset::bytes::length_at;
use serde_json::Value;

const MAGIC: &[u8] = b"b3dm";
/// The only version.
const VERSION: usize = 1;
/// Marks of the other kinds of tiles, with what they hold.
const OTHER_KINDS: [(&[u8], &str); 3] = [(b"i3dm", "copies of a model"), (b"pnts", "points"), (b"cmpt", "other tiles")];
const HEADER_BYTES: usize = 28;
/// Where the header has the number of bytes of each table's JSON, behind which is that of its binary data.
const FEATURE_TABLE: usize = 12;
const BATCH_TABLE: usize = 20;
/// Where a binary glTF has its number of bytes.
const MODEL_BYTES: usize = 8;

/// The binary glTF of a tile; a file that is no tile as it is.
///
/// # Errors
/// It is a tile of another kind or version, cut off, or holds no binary glTF.
pub(super) fn model_in(file: &[u8]) -> Result<&[u8], GltfFault> {
    if let Some((_, holds)) = OTHER_KINDS.iter().find(|(mark, _)| file.starts_with(mark)) {
        return Err(GltfFault::OtherTile(holds));
    }
    if !file.starts_with(MAGIC) {
        return Ok(file);
    }
    let number = |at: usize| length_at(file, at).ok_or(GltfFault::ShortTile);
    let version = number(MAGIC.len())?;
    if version != VERSION {
        return Err(GltfFault::TileVersion(version));
    }
    let mut at = HEADER_BYTES;
    for length in [FEATURE_TABLE, FEATURE_TABLE + 4, BATCH_TABLE, BATCH_TABLE + 4] {
        at = at.checked_add(number(length)?).ok_or(GltfFault::ShortTile)?;
    }
    let model = file.get(at..).ok_or(GltfFault::ShortTile)?;
    if !model.starts_with(b"glTF") {
        return Err(GltfFault::EmptyTile);
    }
    // Tiles are filled up to whole words of 8 bytes.
    Ok(length_at(model, MODEL_BYTES).and_then(|length| model.get(..length)).unwrap_or(model))
}

/// What of a tile does not come in, of a file that [`model_in`] has read; `None` of one that is no tile.
pub(super) fn left_out(file: &[u8]) -> Option<String> {
    let length = length_at(file, FEATURE_TABLE).filter(|_| file.starts_with(MAGIC))?;
    let table = file.get(HEADER_BYTES..HEADER_BYTES.checked_add(length)?)?;
    let table: Value = serde_json::from_slice(table).ok()?;
    let is_placed = table.get("RTC_CENTER").is_some();
    is_placed.then(|| {
        "its place on the globe (RTC_CENTER) is left out: it lies around the origin, and leans as it does on the globe"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::glb::GlbWriter;
    use crate::asset::import::{guard, import_contents, prepare};
    use glam::Vec3;
    use serde_json::json;
    use std::path::Path;

    /// A tile with two tables, and a binary glTF filled up to whole words of 8 bytes.
    fn tile(features: &str, model: &[u8]) -> Vec<u8> {
        let (batch, data) = ("{\"id\":[7]}", [1_u8, 2, 3, 4]);
        let lengths = [features.len(), 0, batch.len(), data.len()];
        let body = [features.as_bytes(), batch.as_bytes(), &data, model, &[0; 4]].concat();
        let numbers = [VERSION, HEADER_BYTES + body.len()].into_iter().chain(lengths);
        let numbers: Vec<u8> = numbers.flat_map(|number| (number as u32).to_le_bytes()).collect();
        [MAGIC, &numbers, &body].concat()
    }

    /// A binary glTF of one triangle.
    fn triangle() -> Vec<u8> {
        let mut writer = GlbWriter::default();
        let attributes = json!({ "POSITION": writer.positions(&[Vec3::ZERO, Vec3::X, Vec3::Y]) });
        let primitive = json!({ "attributes": attributes, "indices": writer.indices(&[0, 1, 2]) });
        let mesh = writer.push("meshes", json!({ "primitives": [primitive] }));
        let node = writer.push("nodes", json!({ "mesh": mesh }));
        writer.finish(&[node]).unwrap()
    }

    #[test]
    fn a_tile_comes_in_as_the_model_in_it() {
        let model = triangle();
        let file = tile("{\"BATCH_LENGTH\":1}", &model);
        assert_eq!(model_in(&file), Ok(&model[..]));
        assert_eq!((model_in(&model), left_out(&file), left_out(&model)), (Ok(&model[..]), None, None));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roof.b3dm");
        std::fs::write(&path, &file).unwrap();
        let read = |file: Vec<u8>| {
            let mut checked = guard::check(&path, &file).unwrap();
            import_contents(&path, file, &mut checked).unwrap()
        };
        let known = read(file);
        assert_eq!((known.triangle_count(), known.warnings.len()), (1, 0), "{:?}", known.warnings);
        let placed = read(tile("{\"RTC_CENTER\":[1,2,3]}", &model));
        assert_eq!(placed.triangle_count(), 1);
        assert!(placed.warnings[0].contains("RTC_CENTER"), "{:?}", placed.warnings);
    }

    #[test]
    fn other_tiles_and_damaged_ones_are_refused_by_name() {
        let path = Path::new("roof.b3dm");
        let model = triangle();
        let file = tile("{}", &model);
        let model_at = file.len() - 4 - model.len();
        for end in 0..file.len() {
            let cut = &file[..end];
            assert!(!(MAGIC.len()..model_at + 4).contains(&end) || model_in(cut).is_err(), "cut at {end}");
            // It is read or it is not.
            let _ = (left_out(cut), prepare(path, cut));
        }
        let said = |file: &[u8]| guard::check(path, file).unwrap_err().to_string();
        assert!(said(b"i3dm\x01\0\0\0").contains("holds copies of a model"));
        assert!(said(b"b3dm\x02\0\0\0").contains("of version 2"));
        assert!(said(&file[..30]).contains("ends within its header or its tables"));
        assert!(said(&tile("{}", b"{}")).contains("no binary glTF"));
        let mut long = file.clone();
        long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(model_in(&long), Err(GltfFault::ShortTile));
    }
}
