//! Skins and names that glTF allows and Assimp 5.2 takes for others: it looks for bones by name, keeps one skin for a mesh,
//! and follows inverse bind matrices that need not be there.

use super::super::guard::GltfFault;
use super::data::{GltfData, index};
use glam::Mat4;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Separates the name of a node from what tells it from others of the same name.
pub const NAME_SEPARATOR: char = '\u{1f}';
/// Most primitives that are written a second time, for meshes with several skins.
const MAX_COPIED_PRIMITIVES: usize = 50_000;

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

/// Gives each mesh as many copies as it has skins. Returns whether any has several.
pub fn part_meshes(root: &mut Value) -> bool {
    let meshes = root.get("meshes").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut copies = Vec::new();
    // The mesh of each skin, or of none, that a node gives it.
    let mut of_skin: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
    let mut is_taken = vec![false; meshes.len()];
    let mut copied = 0;
    for node in list_mut(root, "nodes") {
        let Some((mesh, value)) = index(node, "mesh").and_then(|mesh| Some((mesh, meshes.get(mesh)?))) else {
            continue;
        };
        let own = *of_skin.entry((mesh, index(node, "skin"))).or_insert_with(|| {
            let size = value.get("primitives").and_then(Value::as_array).map_or(0, Vec::len);
            if !std::mem::replace(&mut is_taken[mesh], true) || copied + size > MAX_COPIED_PRIMITIVES {
                return mesh;
            }
            copied += size;
            copies.push(value.clone());
            meshes.len() + copies.len() - 1
        });
        if own != mesh {
            node["mesh"] = own.into();
        }
    }
    let changed = !copies.is_empty();
    if let Some(list) = root.get_mut("meshes").and_then(Value::as_array_mut) {
        list.extend(copies);
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
}
