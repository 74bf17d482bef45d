//! Material variants (`KHR_materials_variants`). Assimp does not read them, and drops materials that no primitive uses. So
//! every mesh gets one point per primitive and variant, behind its own primitives, which carries the material of that variant.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The name of the extension.
const EXTENSION: &str = "KHR_materials_variants";
/// Most variants of a file; more are left out.
const MAX_VARIANTS: usize = 64;
/// Most points that are added to a file; of one that needs more, no variants are read.
const MAX_POINTS: usize = 50_000;

/// Adds the points and returns the names of the variants. The mesh of `n` primitives has `n` points for each of them then,
/// variant after variant; in a file without variants nothing changes.
pub fn spread(root: &mut Value) -> Vec<String> {
    let names = names(root);
    let meshes = root.get("meshes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let primitive_count: usize = meshes.iter().map(|mesh| primitives(mesh).len()).sum();
    if names.is_empty() || primitive_count.saturating_mul(names.len()) > MAX_POINTS {
        return Vec::new();
    }
    let mut accessors = root.get("accessors").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut firsts = BTreeMap::new();
    let mut added = Vec::with_capacity(meshes.len());
    for mesh in meshes {
        let starts = primitives(mesh).iter().map(|primitive| first_position(primitive, &mut accessors, &mut firsts));
        let Some(starts) = starts.collect::<Option<Vec<usize>>>() else { return Vec::new() };
        let of_variant = |variant| primitives(mesh).iter().zip(&starts).map(move |(own, at)| point(own, *at, variant));
        added.push((0..names.len()).flat_map(of_variant).collect::<Vec<Value>>());
    }
    root["accessors"] = Value::Array(accessors);
    let meshes = root.get_mut("meshes").and_then(Value::as_array_mut).into_iter().flatten();
    for (mesh, points) in meshes.zip(added) {
        if let Some(list) = mesh.get_mut("primitives").and_then(Value::as_array_mut) {
            list.extend(points);
        }
    }
    names
}

fn names(root: &Value) -> Vec<String> {
    let list = root.get("extensions").and_then(|e| e.get(EXTENSION)?.get("variants")?.as_array());
    let name = |variant: &Value| variant.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    list.into_iter().flatten().take(MAX_VARIANTS).map(name).collect()
}

fn primitives(mesh: &Value) -> &[Value] {
    mesh.get("primitives").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The accessor of the first position of a primitive, made once for each accessor of positions (`firsts`); `None` where the
/// primitive has no positions.
fn first_position(primitive: &Value, accessors: &mut Vec<Value>, firsts: &mut BTreeMap<usize, usize>) -> Option<usize> {
    let position = usize::try_from(primitive.get("attributes")?.get("POSITION")?.as_u64()?).ok()?;
    if let Some(known) = firsts.get(&position) {
        return Some(*known);
    }
    let mut first = accessors.get(position)?.clone();
    let fields = first.as_object_mut()?;
    for name in ["sparse", "min", "max"] {
        fields.remove(name);
    }
    fields.insert("count".into(), 1.into());
    firsts.insert(position, accessors.len());
    accessors.push(first);
    Some(accessors.len() - 1)
}

/// The point that carries the material of a primitive in a variant, at the position of an accessor.
fn point(primitive: &Value, accessor: usize, variant: usize) -> Value {
    let mut point = json!({"mode": 0, "attributes": {"POSITION": accessor}});
    // Something else than an index may be of any size, and there are many points.
    if let Some(material) = material_in(primitive, variant).or(primitive.get("material")).and_then(Value::as_u64) {
        point["material"] = material.into();
    }
    point
}

/// The material that a primitive has in a variant, where it has one of its own.
fn material_in(primitive: &Value, variant: usize) -> Option<&Value> {
    let mappings = primitive.get("extensions")?.get(EXTENSION)?.get("mappings")?.as_array()?;
    let has = |mapping: &&Value| {
        let variants = mapping.get("variants").and_then(Value::as_array);
        variants.is_some_and(|list| list.iter().any(|v| v.as_u64() == Some(variant as u64)))
    };
    mappings.iter().find(has)?.get("material")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Value {
        json!({
            "extensions": {"KHR_materials_variants": {"variants": [{"name": "red"}, {"name": "green"}]}},
            "accessors": [{"bufferView": 3, "count": 24, "type": "VEC3", "componentType": 5126, "max": [1, 1, 1]}],
            "meshes": [{"primitives": [
                {"attributes": {"POSITION": 0}, "material": 0, "extensions": {"KHR_materials_variants": {
                    "mappings": [{"material": 2, "variants": [1]}]}}},
                {"attributes": {"POSITION": 0}},
            ]}],
        })
    }

    #[test]
    fn primitives_get_points_with_the_materials_of_variants() {
        let mut root = file();
        assert_eq!(spread(&mut root), ["red", "green"]);
        let primitives = root["meshes"][0]["primitives"].as_array().unwrap();
        let materials: Vec<_> = primitives.iter().map(|p| p.get("material").and_then(Value::as_u64)).collect();
        assert_eq!(materials, [Some(0), None, Some(0), None, Some(2), None]);
        let point = json!({"bufferView": 3, "count": 1, "type": "VEC3", "componentType": 5126});
        assert_eq!(root["accessors"].as_array().unwrap()[1..], [point]);
        assert!(primitives[2..].iter().all(|p| p["attributes"]["POSITION"] == 1 && p["mode"] == 0));
    }

    #[test]
    fn files_without_variants_or_sound_primitives_stay() {
        let mut plain = file();
        plain["extensions"] = json!({});
        let mut broken = file();
        broken["meshes"][0]["primitives"][1]["attributes"]["POSITION"] = json!(7);
        for mut root in [plain, broken] {
            let before = root.clone();
            assert_eq!(spread(&mut root), [""; 0]);
            assert_eq!(root, before);
        }
    }
}
