//! Surfaces of materials that Assimp takes for white metal: those of `KHR_materials_pbrSpecularGlossiness` alone, and of
//! `KHR_materials_unlit` without a word about metal; and light of `KHR_materials_emissive_strength`, which it does not know.

use serde_json::{Value, json};

const STRENGTH: &str = "KHR_materials_emissive_strength";

const GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";
const UNLIT: &str = "KHR_materials_unlit";

/// Tells these surfaces by metal and roughness, of which they have no metal, and light by its factor alone. Returns whether there
/// were any.
pub fn complete(root: &mut Value) -> bool {
    let materials = root.get_mut("materials").and_then(Value::as_array_mut).into_iter().flatten();
    // All of them, not only as far as the first that is changed.
    materials.map(|material| complete_one(material) | strengthen(material)).filter(|is_changed| *is_changed).count() > 0
}

/// Multiplies the emission by its strength.
fn strengthen(material: &mut Value) -> bool {
    let strength = material.pointer(&format!("/extensions/{STRENGTH}/emissiveStrength")).and_then(Value::as_f64);
    let Some(strength) = strength.filter(|strength| strength.is_finite()) else { return false };
    let Some(factor) = material.get_mut("emissiveFactor").and_then(Value::as_array_mut) else { return false };
    factor.iter_mut().for_each(|light| *light = json!(light.as_f64().unwrap_or(0.0) * strength));
    true
}

fn complete_one(material: &mut Value) -> bool {
    const SURFACE: &str = "pbrMetallicRoughness";
    let extension = |name: &str| material.get("extensions").and_then(|list| list.get(name)).cloned();
    let (glossy, is_unlit) = (extension(GLOSSINESS), extension(UNLIT).is_some());
    let surface = match (material.get(SURFACE), glossy) {
        (None, Some(glossy)) => {
            let glossiness = glossy.get("glossinessFactor").and_then(Value::as_f64).unwrap_or(1.0);
            let mut surface = json!({"metallicFactor": 0, "roughnessFactor": (1.0 - glossiness).clamp(0.0, 1.0)});
            for (from, to) in [("diffuseFactor", "baseColorFactor"), ("diffuseTexture", "baseColorTexture")] {
                if let Some(value) = glossy.get(from) {
                    surface[to] = value.clone();
                }
            }
            surface
        }
        (None, None) if is_unlit => json!({"metallicFactor": 0}),
        (Some(Value::Object(fields)), _) if is_unlit && !fields.contains_key("metallicFactor") => {
            let mut fields = fields.clone();
            fields.insert("metallicFactor".into(), 0.into());
            fields.into()
        }
        _ => return false,
    };
    if let Some(fields) = material.as_object_mut() {
        fields.insert(SURFACE.into(), surface);
        if let Some(list) = fields.get_mut("extensions").and_then(Value::as_object_mut) {
            list.remove(GLOSSINESS);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glossy_and_unlit_surfaces_are_no_metal() {
        let texture = json!({"index": 3, "texCoord": 1});
        let glossy = json!({"diffuseFactor": [1, 0, 0, 1], "diffuseTexture": texture, "glossinessFactor": 0.25});
        let mut root = json!({"materials": [
            {"name": "a", "extensions": {GLOSSINESS: glossy, "other": {}}},
            {"extensions": {UNLIT: {}}},
            {"extensions": {UNLIT: {}}, "pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 1]}},
        ]});
        assert!(complete(&mut root));
        let surface = |i: usize| root["materials"][i]["pbrMetallicRoughness"].clone();
        let red = json!({"metallicFactor": 0, "roughnessFactor": 0.75, "baseColorFactor": [1, 0, 0, 1], "baseColorTexture": texture});
        assert_eq!((surface(0), &root["materials"][0]["extensions"]), (red, &json!({"other": {}})));
        assert_eq!(surface(1), json!({"metallicFactor": 0}));
        assert_eq!(surface(2), json!({"baseColorFactor": [0, 1, 0, 1], "metallicFactor": 0}));
    }

    #[test]
    fn light_is_multiplied_by_its_strength() {
        let strong = |strength: Value| json!({"emissiveFactor": [1, 0.5, 0], "extensions": {STRENGTH: strength}});
        let mut root =
            json!({"materials": [strong(json!({"emissiveStrength": 4})), strong(json!({})), strong(json!(7))]});
        assert!(complete(&mut root));
        let light = |i: usize| &root["materials"][i]["emissiveFactor"];
        assert_eq!((light(0), light(1), light(2)), (&json!([4.0, 2.0, 0.0]), &json!([1, 0.5, 0]), &json!([1, 0.5, 0])));
    }

    #[test]
    fn other_surfaces_stay() {
        let metal = json!({"metallicFactor": 1});
        let mut root = json!({"materials": [
            {}, {"pbrMetallicRoughness": metal}, {"extensions": {UNLIT: {}}, "pbrMetallicRoughness": metal},
            {"extensions": {GLOSSINESS: {}}, "pbrMetallicRoughness": metal}, 7]});
        let before = root.clone();
        assert!(!complete(&mut root) && root == before, "{root}");
        assert!(!complete(&mut json!({})));
    }
}
