//! The numbers of accessors: Assimp takes vertex attributes and keys as `f32` whatever the file says, so those in
//! integers (`KHR_mesh_quantization`, and texture coordinates, weights and rotations of plain glTF) are converted, and
//! sparse ones and those without data are written out.

use super::super::guard::GltfFault;
pub use super::super::ranges::component_bytes;
use super::super::ranges::items;
use super::data::{GltfData, data_fault, index};
use serde_json::Value;
use std::collections::BTreeMap;

/// The component type of `f32` (glTF 2.0, section 3.6.2.2).
const FLOAT: usize = 5126;

/// Components of an element of an accessor; `None` for matrices, which are never converted.
pub fn components(accessor: &Value) -> Option<usize> {
    match accessor.get("type")?.as_str()? {
        "SCALAR" => Some(1),
        "VEC2" => Some(2),
        "VEC3" => Some(3),
        "VEC4" => Some(4),
        _ => None,
    }
}

/// Appends one component of a type that [`component_bytes`] knows.
pub fn push_component(bytes: &mut Vec<u8>, kind: usize, x: f32) {
    match kind {
        5120 => bytes.extend((x as i8).to_le_bytes()),
        5121 => bytes.push(x as u8),
        5122 => bytes.extend((x as i16).to_le_bytes()),
        5123 => bytes.extend((x as u16).to_le_bytes()),
        5125 => bytes.extend((x as u32).to_le_bytes()),
        _ => bytes.extend(x.to_le_bytes()),
    }
}

/// The number that the first bytes of a slice stand for.
fn component(bytes: &[u8], kind: usize, normalized: bool) -> f32 {
    let scaled = |x: f32, most: f32| if normalized { (x / most).max(-1.0) } else { x };
    match (kind, bytes) {
        (5120, &[a, ..]) => scaled(f32::from(a as i8), 127.0),
        (5121, &[a, ..]) => scaled(f32::from(a), 255.0),
        (5122, &[a, b, ..]) => scaled(f32::from(i16::from_le_bytes([a, b])), 32_767.0),
        (5123, &[a, b, ..]) => scaled(f32::from(u16::from_le_bytes([a, b])), 65_535.0),
        (5125, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]) as f32,
        (_, &[a, b, c, d, ..]) => f32::from_le_bytes([a, b, c, d]),
        _ => 0.0,
    }
}

/// The index that the bytes of a slice stand for: as `f32` those above 2^24 would be others.
fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, &byte| (number << 8) | usize::from(byte))
}

/// How the numbers of an accessor are meant.
#[derive(Clone, Copy, Default)]
struct NumberUsage {
    /// Integers stand for fractions whatever the accessor says.
    is_fraction: bool,
    /// Colours have a fourth component, which is 1 where the file has three.
    is_color: bool,
}

/// Converts the accessors that Assimp would misread. Returns whether there were any.
///
/// # Errors
/// An accessor reaches beyond its data, or the file asks for too much memory.
pub fn convert(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let mut changed = false;
    for (accessor, usage) in numbers(root) {
        let value = &root["accessors"][accessor];
        let kind = index(value, "componentType").unwrap_or(0);
        let Some(width) = components(value) else { continue };
        let is_read = match usage.is_color {
            true => width == 4 && [5121, 5123, FLOAT].contains(&kind),
            false => kind == FLOAT,
        };
        // Without data all numbers are zero (glTF 2.0, section 3.6.2.1), which Assimp refuses: morph targets that leave a
        // mesh as it is are written so.
        // The places that sparse ones replace are looked at here; Assimp writes to some behind the last.
        let has_data = value.get("bufferView").is_some() && value.get("sparse").is_none();
        if is_read && has_data || component_bytes(kind).is_none() {
            continue;
        }
        let mut numbers = elements(root, data, accessor, usage.is_fraction)?;
        let mut new_type = None;
        if usage.is_color && width == 3 {
            numbers = numbers.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], 1.0]).collect();
            new_type = Some("VEC4");
        }
        let view = data.keep_as_view(root, bytemuck::cast_slice(&numbers))?;
        let Some(value) = root["accessors"][accessor].as_object_mut() else { continue };
        for key in ["normalized", "sparse", "byteOffset", "min", "max"] {
            value.remove(key);
        }
        value.insert("bufferView".into(), view.into());
        value.insert("componentType".into(), FLOAT.into());
        if let Some(name) = new_type {
            value.insert("type".into(), name.into());
        }
        changed = true;
    }
    Ok(changed)
}

/// The accessors whose numbers Assimp takes as `f32`.
fn numbers(root: &Value) -> BTreeMap<usize, NumberUsage> {
    let mut found = BTreeMap::new();
    for (_, primitive) in items(root, "meshes").flat_map(|(_, mesh)| items(mesh, "primitives")) {
        let targets = items(primitive, "targets").map(|(_, target)| target);
        let sets = primitive.get("attributes").into_iter().chain(targets).filter_map(Value::as_object);
        for (name, accessor) in sets.flatten() {
            let usage = match name.split('_').next().unwrap_or("") {
                "POSITION" | "NORMAL" | "TANGENT" | "TEXCOORD" => NumberUsage::default(),
                "WEIGHTS" => NumberUsage { is_fraction: true, is_color: false },
                "COLOR" => NumberUsage { is_fraction: true, is_color: true },
                _ => continue,
            };
            found.extend(accessor.as_u64().map(|accessor| (accessor as usize, usage)));
        }
    }
    let samplers = items(root, "animations").flat_map(|(_, animation)| items(animation, "samplers"));
    found.extend(samplers.filter_map(|(_, sampler)| {
        Some((index(sampler, "output")?, NumberUsage { is_fraction: true, is_color: false }))
    }));
    found.retain(|&accessor, _| root.get("accessors").and_then(|list| list.get(accessor)).is_some());
    found
}

/// All numbers of an accessor, element by element.
///
/// # Errors
/// It is of an unknown type, reaches beyond its data, or asks for too much memory.
pub fn elements(root: &Value, data: &mut GltfData, accessor: usize, is_fraction: bool) -> Result<Vec<f32>, GltfFault> {
    let value = &root["accessors"][accessor];
    let fault = |reason: &str| data_fault("accessor", accessor, reason);
    let count = index(value, "count").unwrap_or(0);
    let kind = index(value, "componentType").unwrap_or(0);
    let (Some(width), Some(size)) = (components(value), component_bytes(kind)) else {
        return Err(fault("is of an unknown type"));
    };
    let normalized = is_fraction || value.get("normalized").and_then(Value::as_bool).unwrap_or(false);
    data.check_room((count as u64).saturating_mul(16))?;
    let short = || fault("reaches beyond its data");
    let read = |bytes: &[u8], [from, stride, element]: [usize; 3], out: &mut [f32]| -> Option<()> {
        let start = element.checked_mul(stride)?.checked_add(from)?;
        let bytes = bytes.get(start..start.checked_add(width * size)?)?;
        for (number, bytes) in out.iter_mut().zip(bytes.chunks_exact(size)) {
            *number = component(bytes, kind, normalized);
        }
        Some(())
    };
    let mut numbers = vec![0.0; count * width];
    if let Some(view) = index(value, "bufferView") {
        let stride = root["bufferViews"].get(view).and_then(|v| index(v, "byteStride"));
        let stride = stride.filter(|&stride| stride > 0).unwrap_or(width * size);
        let bytes = data.view(root, view)?;
        let from = index(value, "byteOffset").unwrap_or(0);
        for (i, out) in numbers.chunks_exact_mut(width).enumerate() {
            read(bytes, [from, stride, i], out).ok_or_else(short)?;
        }
    }
    let Some(sparse) = value.get("sparse") else { return Ok(numbers) };
    let (indices, values) = (&sparse["indices"], &sparse["values"]);
    let index_kind = index(indices, "componentType").unwrap_or(0);
    let index_size = component_bytes(index_kind).ok_or_else(|| fault("has indices of an unknown type"))?;
    let views = [indices, values].map(|part| index(part, "bufferView"));
    let [Some(index_view), Some(value_view)] = views else { return Err(fault("is sparse without data")) };
    let places = data.view(root, index_view)?.to_vec();
    let places = places.get(index(indices, "byteOffset").unwrap_or(0)..).unwrap_or(&[]).chunks_exact(index_size);
    let bytes = data.view(root, value_view)?;
    let from = index(values, "byteOffset").unwrap_or(0);
    for (i, place) in places.take(index(sparse, "count").unwrap_or(0)).enumerate() {
        let place = whole(place);
        let out = numbers.get_mut(place * width..(place + 1) * width).ok_or_else(short)?;
        read(bytes, [from, width * size, i], out).ok_or_else(short)?;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::super::data::GltfData;
    use super::*;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn integers_become_the_numbers_that_they_stand_for() {
        let chunk = [127_u8, 0, 129, 0, 255, 51, 0, 0, 0, 64, 0, 192, 2, 0, 0, 0, 0, 1, 0, 0];
        let mut root = json!({
            "buffers": [{"byteLength": 20}],
            "bufferViews": [{"buffer": 0, "byteLength": 4}, {"buffer": 0, "byteOffset": 4, "byteLength": 4},
                {"buffer": 0, "byteOffset": 8, "byteLength": 4}, {"buffer": 0, "byteOffset": 12, "byteLength": 8}],
            "accessors": [
                {"bufferView": 0, "componentType": 5120, "normalized": true, "count": 1, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5121, "normalized": true, "count": 1, "type": "VEC3"},
                {"bufferView": 2, "componentType": 5122, "count": 1, "type": "VEC2"},
                {"componentType": 5121, "count": 3, "type": "SCALAR", "sparse": {"count": 1,
                    "indices": {"bufferView": 3, "componentType": 5125},
                    "values": {"bufferView": 3, "byteOffset": 5}}}],
            "meshes": [{"primitives": [{"attributes": {"NORMAL": 0, "COLOR_0": 1, "TEXCOORD_0": 2, "WEIGHTS_0": 3}}]}]
        });
        let mut data = GltfData::new(Path::new("."), Some(&chunk), &root);
        assert!(convert(&mut root, &mut data).unwrap());
        let mut read = |accessor| elements(&root, &mut data, accessor, false).unwrap();
        assert_eq!(read(0), [1.0, 0.0, -1.0]);
        assert_eq!(read(1), [1.0, 0.2, 0.0, 1.0]);
        assert_eq!(read(2), [16384.0, -16384.0]);
        assert_eq!(read(3), [0.0, 0.0, 1.0 / 255.0]);
        assert!(!convert(&mut root, &mut data).unwrap());
        root["accessors"][0] = json!({"bufferView": 0, "componentType": 5120, "count": 2, "type": "VEC3"});
        assert!(matches!(convert(&mut root, &mut data), Err(GltfFault::Data { element: "accessor", index: 0, .. })));
    }

    #[test]
    fn indices_are_whole_numbers() {
        assert_eq!((whole(&[7]), whole(&[1, 2]), whole(&[1, 0, 0, 1])), (7, 513, (1 << 24) + 1));
    }

    #[test]
    fn numbers_without_data_are_zeros() {
        let mut root = json!({
            "buffers": [],
            "bufferViews": [],
            "accessors": [{"componentType": 5126, "count": 2, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]}],
            "meshes": [{"primitives": [{"attributes": {}, "targets": [{"POSITION": 0}]}]}]
        });
        let mut data = GltfData::new(Path::new("."), None, &root);
        assert!(convert(&mut root, &mut data).unwrap());
        assert!(root["accessors"][0].get("bufferView").is_some());
        assert_eq!(elements(&root, &mut data, 0, false).unwrap(), [0.0; 6]);
        assert!(!convert(&mut root, &mut data).unwrap());
    }
}
