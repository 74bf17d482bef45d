//! Texture coordinates as the material of a primitive takes them: from one of several sets, and transformed
//! (`KHR_texture_transform`). Assimp leaves both to the renderer, so they are applied to the first set.

use super::super::guard::GltfFault;
use super::data::{GltfData, index};
use super::values::elements;
use glam::{Mat2, Vec2};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TRANSFORM: &str = "KHR_texture_transform";
/// Most bytes of coordinates that are written anew: materials may share those of one primitive, each in its own way.
const MAX_WRITTEN_BYTES: u64 = 128 << 20;

/// Where a material takes texture coordinates from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TextureMapping {
    /// Number of the set.
    set: usize,
    scale: Vec2,
    rotation_rad: f32,
    offset: Vec2,
}

impl TextureMapping {
    const PLAIN: Self = Self { set: 0, scale: Vec2::ONE, rotation_rad: 0.0, offset: Vec2::ZERO };

    /// That of the base colour, or of the normals where there is no texture of colours: one set serves both.
    fn of_material(material: &Value) -> Option<Self> {
        let colors = material.get("pbrMetallicRoughness").and_then(|pbr| pbr.get("baseColorTexture"));
        let texture = colors.or_else(|| material.get("normalTexture"))?;
        let transform = texture.get("extensions").and_then(|list| list.get(TRANSFORM));
        let set = transform.and_then(|t| index(t, "texCoord")).or_else(|| index(texture, "texCoord")).unwrap_or(0);
        let number = |value: &Value| value.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
        let pair = |key: &str, usual: Vec2| {
            let list = transform.and_then(|t| t.get(key)?.as_array());
            list.and_then(|list| Some(Vec2::new(number(list.first()?)?, number(list.get(1)?)?))).unwrap_or(usual)
        };
        let rotation_rad = transform.and_then(|t| number(t.get("rotation")?)).unwrap_or(0.0);
        Some(Self { set, scale: pair("scale", Vec2::ONE), rotation_rad, offset: pair("offset", Vec2::ZERO) })
    }

    /// The rotation turns counter-clockwise as the picture is seen, whose v points down.
    fn apply(&self, uv: Vec2) -> Vec2 {
        Mat2::from_angle(-self.rotation_rad) * (uv * self.scale) + self.offset
    }
}

/// Gives the first set of every primitive the coordinates that its material takes. Returns whether any are others.
///
/// # Errors
/// An accessor reaches beyond its data, or the file asks for too much memory.
pub fn apply(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let materials = root.get("materials").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mappings: Vec<Option<TextureMapping>> = materials
        .iter()
        .map(|material| TextureMapping::of_material(material).filter(|mapping| *mapping != TextureMapping::PLAIN))
        .collect();
    let mut made: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut bytes = 0_u64;
    for (mesh, primitive) in primitives(root) {
        let value = &root["meshes"][mesh]["primitives"][primitive];
        let Some(material) = index(value, "material") else { continue };
        let Some(Some(mapping)) = mappings.get(material) else { continue };
        let accessor = value.get("attributes").and_then(|a| index(a, &format!("TEXCOORD_{}", mapping.set)));
        let is_there = |i: &usize| root.get("accessors").and_then(|list| list.get(*i)).is_some();
        let Some(accessor) = accessor.filter(is_there) else { continue };
        let new = match made.get(&(accessor, material)) {
            Some(&known) => known,
            None => {
                let count = index(&root["accessors"][accessor], "count").unwrap_or(0);
                bytes = bytes.saturating_add((count as u64).saturating_mul(size_of::<Vec2>() as u64));
                if bytes > MAX_WRITTEN_BYTES {
                    return Err(GltfFault::TooMuchDecoded { bytes, limit: MAX_WRITTEN_BYTES });
                }
                transformed(root, data, accessor, mapping)?
            }
        };
        made.insert((accessor, material), new);
        root["meshes"][mesh]["primitives"][primitive]["attributes"]["TEXCOORD_0"] = new.into();
    }
    Ok(!made.is_empty())
}

fn primitives(root: &Value) -> Vec<(usize, usize)> {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let of_mesh = |mesh: usize| (0..list(&root["meshes"][mesh], "primitives")).map(move |primitive| (mesh, primitive));
    (0..list(root, "meshes")).flat_map(of_mesh).collect()
}

/// The index of a new accessor of transformed coordinates.
fn transformed(
    root: &mut Value,
    data: &mut GltfData,
    accessor: usize,
    mapping: &TextureMapping,
) -> Result<usize, GltfFault> {
    let numbers = elements(root, data, accessor, false)?;
    let uvs: Vec<Vec2> = numbers.chunks_exact(2).map(|uv| mapping.apply(Vec2::new(uv[0], uv[1]))).collect();
    let view = data.keep_as_view(root, bytemuck::cast_slice(&uvs))?;
    let Some(accessors) = root["accessors"].as_array_mut() else { return Ok(accessor) };
    accessors.push(json!({"bufferView": view, "componentType": 5126, "count": uvs.len(), "type": "VEC2"}));
    Ok(accessors.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_materials_of_one_primitive_are_bounded() {
        let texture = |i: u32| json!({"index": 0, "extensions": {TRANSFORM: {"offset": [i, 1]}}});
        let material = |i| json!({"pbrMetallicRoughness": {"baseColorTexture": texture(i)}});
        let primitive = |i: u32| json!({"attributes": {"TEXCOORD_0": 0}, "material": i});
        let mut root = json!({
            "materials": (0..9).map(material).collect::<Vec<Value>>(),
            "meshes": [{"primitives": (0..9).map(primitive).collect::<Vec<Value>>()}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 2_000_000}],
            "bufferViews": [{"buffer": 0, "byteLength": 16_000_000}], "buffers": [{"byteLength": 16_000_000}],
        });
        let chunk = vec![0; 16_000_000];
        let mut data = GltfData::new(std::path::Path::new("."), Some(&chunk), &root);
        let fault = apply(&mut root, &mut data);
        assert_eq!(fault, Err(GltfFault::TooMuchDecoded { bytes: 144_000_000, limit: MAX_WRITTEN_BYTES }));
    }

    #[test]
    fn the_example_of_the_extension_takes_the_lower_left() {
        let transform = json!({"offset": [0, 1], "rotation": 1.570_796_4, "scale": [0.5, 0.5]});
        let texture = json!({"index": 0, "texCoord": 1, "extensions": {TRANSFORM: transform}});
        let material = json!({"pbrMetallicRoughness": {"baseColorTexture": texture}});
        let mapping = TextureMapping::of_material(&material).unwrap();
        assert_eq!(mapping.set, 1);
        for (from, to) in [(Vec2::ZERO, Vec2::Y), (Vec2::X, Vec2::new(0.0, 0.5)), (Vec2::ONE, Vec2::new(0.5, 0.5))] {
            assert!(mapping.apply(from).distance(to) < 1e-5, "{from} goes to {}", mapping.apply(from));
        }
        let plain = json!({"normalTexture": {"index": 0}});
        assert_eq!(TextureMapping::of_material(&plain), Some(TextureMapping::PLAIN));
    }
}
