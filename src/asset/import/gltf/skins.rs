//! Skins and names that glTF allows and Assimp 5.2 takes for others: it looks for bones by name, keeps one skin for a mesh,
//! and follows inverse bind matrices that need not be there.

use super::super::guard::GltfFault;
use super::data::{GltfData, index};
use glam::Mat4;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Separates the name of a node from what tells it from others of the same name.
pub const NAME_SEPARATOR: char = '\u{1f}';
/// Bytes of JSON that are written a second time, for meshes with several skins: some fifty thousand primitives.
const MAX_COPIED_BYTES: usize = 8 << 20;

/// The name that a node has in the file.
pub fn name_in_file(name: &str) -> &str {
    name.split_once(NAME_SEPARATOR).map_or(name, |(name, _)| name)
}

/// Gives each node a name of its own. Returns whether any were the same.
pub fn name_nodes_apart(root: &mut Value) -> bool {
    let mut names = BTreeSet::new();
    let mut changed = false;
    for (i, node) in list_mut(root, "nodes").enumerate() {
        let Some(name) = node.get("name").and_then(Value::as_str).map(str::to_owned) else { continue };
        if !names.insert(name.clone()) {
            node["name"] = format!("{name}{NAME_SEPARATOR}{i}").into();
            changed = true;
        }
    }
    changed
}

/// Gives each mesh as many copies as nodes use it with different skins or weights of morph targets, which Assimp reads of
/// meshes alone. Returns whether anything is changed.
pub fn part_meshes(root: &mut Value) -> bool {
    let meshes = root.get("meshes").and_then(Value::as_array).cloned().unwrap_or_default();
    let (mut copies, mut weighted) = (Vec::new(), Vec::new());
    // The mesh of each skin, or of none, and of the weights that a node gives it.
    let mut of_use: BTreeMap<(usize, Option<usize>, Option<String>), usize> = BTreeMap::new();
    let mut is_taken = vec![false; meshes.len()];
    let mut sizes: Vec<Option<usize>> = vec![None; meshes.len()];
    let mut copied = 0;
    for node in list_mut(root, "nodes") {
        let Some((mesh, value)) = index(node, "mesh").and_then(|mesh| Some((mesh, meshes.get(mesh)?))) else {
            continue;
        };
        let is_other = |weights: &&Value| weights.is_array() && value.get("weights") != Some(*weights);
        let weights = node.get("weights").filter(is_other).cloned();
        let key = (mesh, index(node, "skin"), weights.as_ref().map(Value::to_string));
        let own = *of_use.entry(key).or_insert_with(|| {
            let own = if std::mem::replace(&mut is_taken[mesh], true) {
                let size = *sizes[mesh].get_or_insert_with(|| value.to_string().len());
                if copied + size > MAX_COPIED_BYTES {
                    return mesh;
                }
                copied += size;
                copies.push(value.clone());
                meshes.len() + copies.len() - 1
            } else {
                mesh
            };
            weighted.extend(weights.map(|weights| (own, weights)));
            own
        });
        if own != mesh {
            node["mesh"] = own.into();
        }
    }
    let changed = !copies.is_empty() || !weighted.is_empty();
    if let Some(list) = root.get_mut("meshes").and_then(Value::as_array_mut) {
        list.extend(copies);
        for (mesh, weights) in weighted {
            if let Some(fields) = list.get_mut(mesh).and_then(Value::as_object_mut) {
                fields.insert("weights".into(), weights);
            }
        }
    }
    changed
}

/// Writes out the inverse bind matrices that a skin leaves out: the identity (glTF 2.0, section 3.7.3.1). Returns whether
/// there were any.
///
/// # Errors
/// [`GltfFault::TooMuchDecoded`].
pub fn complete_bind_matrices(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let skins = root.get("skins").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let joints = |skin: &Value| skin.get("joints").and_then(Value::as_array).map_or(0, Vec::len);
    let without: Vec<(usize, usize)> = (skins.iter().enumerate())
        .filter(|(_, skin)| skin.get("inverseBindMatrices").is_none() && joints(skin) > 0)
        .map(|(i, skin)| (i, joints(skin)))
        .collect();
    let Some(most) = without.iter().map(|&(_, joints)| joints).max() else { return Ok(false) };
    let matrices = vec![Mat4::IDENTITY; most];
    let view = data.keep_as_view(root, bytemuck::cast_slice(&matrices))?;
    for (skin, joints) in without {
        let Some(accessors) = root.get_mut("accessors").and_then(Value::as_array_mut) else { return Ok(false) };
        accessors.push(json!({"bufferView": view, "componentType": 5126, "count": joints, "type": "MAT4"}));
        let accessor = accessors.len() - 1;
        root["skins"][skin]["inverseBindMatrices"] = accessor.into();
    }
    Ok(true)
}

/// Whether a primitive has a second set of an attribute. Assimp reads sets in their order alone, which is that of the names
/// once the file has been written anew.
pub fn has_second_sets(root: &Value) -> bool {
    let meshes = root.get("meshes").and_then(Value::as_array).into_iter().flatten();
    let primitives = meshes.filter_map(|mesh| mesh.get("primitives")?.as_array()).flatten();
    let mut names = primitives.filter_map(|primitive| primitive.get("attributes")?.as_object()).flat_map(|a| a.keys());
    names.any(|name| name.ends_with("_1"))
}

fn list_mut<'a>(root: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    root.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_one_name_are_told_apart() {
        let mut root = json!({"nodes": [{"name": "Hips"}, {"name": "Spine"}, {"name": "Hips"}, {}, {"name": "Hips"}]});
        assert!(name_nodes_apart(&mut root));
        let names: Vec<_> = root["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str()).collect();
        assert!(names[..2] == ["Hips", "Spine"] && names[2] != "Hips" && names[2] != names[3], "{names:?}");
        assert!(names.iter().all(|name| ["Hips", "Spine"].contains(&name_in_file(name))));
        assert!(!name_nodes_apart(&mut json!({"nodes": [{"name": "a"}, {"name": "b"}, {}, {}]})));
    }

    #[test]
    fn a_mesh_of_several_skins_is_one_for_each() {
        let mut root = json!({
            "meshes": [{"primitives": [{}], "name": "a"}, {"primitives": [{}]}],
            "nodes": [{"mesh": 0, "skin": 0}, {"mesh": 1}, {"mesh": 0, "skin": 1}, {"mesh": 0}, {"mesh": 0, "skin": 1}]
        });
        assert!(part_meshes(&mut root));
        let meshes: Vec<_> = root["nodes"].as_array().unwrap().iter().map(|node| node["mesh"].as_u64()).collect();
        assert_eq!(meshes, [0, 1, 2, 3, 2].map(Some));
        assert_eq!(root["meshes"][2], root["meshes"][0]);
        assert!(!part_meshes(&mut root));
    }

    #[test]
    fn copies_of_meshes_are_bounded_by_their_size() {
        let copies = |name_bytes: usize| {
            let nodes: Vec<Value> = (0..9).map(|skin| json!({"mesh": 0, "skin": skin})).collect();
            let mut root = json!({"meshes": [{"primitives": [], "name": "a".repeat(name_bytes)}], "nodes": nodes});
            part_meshes(&mut root);
            root["meshes"].as_array().unwrap().len() - 1
        };
        assert_eq!([copies(1), copies(MAX_COPIED_BYTES / 4), copies(MAX_COPIED_BYTES)], [8, 3, 0]);
    }

    #[test]
    fn weights_of_a_node_are_those_of_its_mesh() {
        let nodes = json!([{"mesh": 0, "weights": [1]}, {"mesh": 0}, {"mesh": 0, "weights": [0.5]}, {"mesh": 0, "weights": [1]}]);
        let mut root = json!({"meshes": [{"primitives": [{}], "weights": [0.5]}], "nodes": nodes});
        assert!(part_meshes(&mut root));
        let weights = |node: &Value| root["meshes"][index(node, "mesh").unwrap()]["weights"].to_string();
        let shown: Vec<String> = root["nodes"].as_array().unwrap().iter().map(weights).collect();
        assert_eq!(
            (shown, root["meshes"].as_array().map(Vec::len)),
            (vec!["[1]".into(), "[0.5]".into(), "[0.5]".into(), "[1]".into()], Some(2))
        );
        let mut same =
            json!({"meshes": [{"primitives": [{}], "weights": [1]}], "nodes": [{"mesh": 0, "weights": [1]}]});
        assert!(!part_meshes(&mut same));
    }
}
