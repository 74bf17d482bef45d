//! Copies of a node's mesh (`EXT_mesh_gpu_instancing`): Assimp draws one. Each copy becomes a node below its own.

use super::super::guard::{GltfFault, INSTANCING};
use super::super::limits;
use super::data::{GltfData, data_fault, index};
use super::values::{components, elements};
use serde_json::{Value, json};

/// Puts a node below its own in place of each copy. Returns whether there were any.
///
/// # Errors
/// The numbers of the copies are not there, or there are more than a model has nodes.
pub fn expand(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let count = root.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
    let (mut copies, mut changed) = (Vec::new(), false);
    for node in 0..count {
        let value = &root["nodes"][node];
        let attributes = value.get("extensions").and_then(|list| list.get(INSTANCING)?.get("attributes"));
        let (Some(attributes), Some(mesh)) = (attributes, index(value, "mesh")) else { continue };
        let own = copies_of(root, data, (node, attributes), mesh, limits::NODES - copies.len())?;
        let first = count + copies.len();
        let Some(value) = root["nodes"][node].as_object_mut() else { continue };
        let children = value.entry("children").or_insert_with(|| json!([]));
        if let Some(children) = children.as_array_mut() {
            children.extend((first..first + own.len()).map(Value::from));
        }
        value.remove("mesh");
        copies.extend(own);
        changed = true;
    }
    if let Some(nodes) = root.get_mut("nodes").and_then(Value::as_array_mut) {
        nodes.extend(copies);
    }
    Ok(changed)
}

/// The nodes of all copies of a mesh, at most `room`.
fn copies_of(
    root: &Value,
    data: &mut GltfData,
    (node, attributes): (usize, &Value),
    mesh: usize,
    room: usize,
) -> Result<Vec<Value>, GltfFault> {
    let mut copies: Option<Vec<Value>> = None;
    for (attribute, key, width) in
        [("TRANSLATION", "translation", 3), ("ROTATION", "rotation", 4), ("SCALE", "scale", 3)]
    {
        let Some(accessor) = index(attributes, attribute) else { continue };
        let Some(value) = root.get("accessors").and_then(|list| list.get(accessor)) else {
            return Err(data_fault("accessor", accessor, "does not exist"));
        };
        if components(value) != Some(width) {
            return Err(data_fault("accessor", accessor, format!("has other numbers than {key}s of copies")));
        }
        // Before they are read: a file may declare any number.
        if index(value, "count").is_some_and(|count| count > room) {
            let reason = format!("has copies beyond the limit of {} nodes for a file", limits::NODES);
            return Err(data_fault("node", node, reason));
        }
        // Only rotations may be integers, which are fractions then.
        let numbers = elements(root, data, accessor, key == "rotation")?;
        let list = copies.get_or_insert_with(|| vec![json!({"mesh": mesh}); numbers.len() / width]);
        if list.len() * width != numbers.len() {
            return Err(data_fault("node", node, "has copies with a different number of places, rotations and scales"));
        }
        for (copy, numbers) in list.iter_mut().zip(numbers.chunks_exact(width)) {
            copy[key] = numbers.into();
        }
    }
    Ok(copies.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A node with three copies two metres apart, turned by bytes.
    fn file(rotations: usize) -> Value {
        let places = "AAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAACAQAAAAAAAAAAA";
        json!({
            "buffers": [{"uri": format!("data:;base64,{places}")}, {"uri": "data:;base64,AAAAfwAAAH8AfwAA"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 1, "byteLength": 12}],
            "accessors": [
                {"bufferView": 0, "count": 3, "type": "VEC3", "componentType": 5126},
                {"bufferView": 1, "count": rotations, "type": "VEC4", "componentType": 5120, "normalized": true},
            ],
            "nodes": [
                {"children": [1]},
                {"mesh": 4, "translation": [0, 1, 0],
                    "extensions": {INSTANCING: {"attributes": {"TRANSLATION": 0, "ROTATION": 1}}}},
            ],
        })
    }

    #[test]
    fn copies_become_nodes_below_their_own() {
        let mut root = file(3);
        let mut data = GltfData::new(Path::new("."), None, &root);
        assert!(expand(&mut root, &mut data).unwrap());
        let nodes = root["nodes"].as_array().unwrap();
        assert_eq!((&nodes[1]["children"], nodes[1].get("mesh"), nodes.len()), (&json!([2, 3, 4]), None, 5));
        assert_eq!(nodes[2], json!({"mesh": 4, "translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0]}));
        assert_eq!(nodes[4], json!({"mesh": 4, "translation": [4.0, 0.0, 0.0], "rotation": [0.0, 1.0, 0.0, 0.0]}));
    }

    #[test]
    fn copies_are_counted_before_their_numbers_are_read() {
        let mut many = file(3);
        let mut data = GltfData::new(Path::new("."), None, &many);
        many["accessors"][0] = json!({"count": u64::MAX, "type": "VEC3", "componentType": 5126});
        let error = expand(&mut many, &mut data).unwrap_err().to_string();
        assert!(error.contains("limit of 65535 nodes"), "{error}");
        // Of all nodes together.
        many["accessors"][0]["count"] = json!(limits::NODES / 2);
        many["nodes"] = vec![json!({"mesh": 0, "extensions": {INSTANCING: {"attributes": {"SCALE": 0}}}}); 3].into();
        let error = expand(&mut many, &mut data).unwrap_err();
        assert!(matches!(error, GltfFault::Data { element: "node", index: 2, .. }), "{error}");
    }

    #[test]
    fn uneven_and_missing_numbers_are_faults_and_other_files_stay() {
        let mut uneven = file(2);
        let mut data = GltfData::new(Path::new("."), None, &uneven);
        assert!(expand(&mut uneven, &mut data).unwrap_err().to_string().contains("different number"));
        let mut missing = file(3);
        missing["nodes"][1]["extensions"][INSTANCING]["attributes"]["SCALE"] = json!(9);
        assert!(expand(&mut missing, &mut data).unwrap_err().to_string().contains("does not exist"));
        let mut other = file(3);
        other["accessors"][0]["type"] = json!("VEC4");
        assert!(expand(&mut other, &mut data).unwrap_err().to_string().contains("other numbers"));
        let mut nameless = file(3);
        nameless["nodes"][1]["mesh"] = json!(["what", "may", "be", "long"]);
        assert!(!expand(&mut nameless, &mut data).unwrap(), "it has no mesh to copy");
        let mut plain = json!({"nodes": [{"mesh": 0}]});
        assert!(!expand(&mut plain, &mut data).unwrap());
        assert_eq!(plain, json!({"nodes": [{"mesh": 0}]}));
    }
}
