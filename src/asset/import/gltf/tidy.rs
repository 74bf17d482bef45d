//! What Assimp takes otherwise than it is meant: zeros in names, data of other programs, clips of nothing, nodes of no scene,
//! hidden nodes.

use super::super::guard::VISIBILITY;
use super::data::index;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Takes zero characters out of all texts, which Assimp's own check refuses. Returns whether there were any in `text`, the
/// file.
pub fn drop_zeros(root: &mut Value, text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\\u0000").is_some() && drop_zeros_of(root)
}

fn drop_zeros_of(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let had = text.contains('\0');
            text.retain(|letter| letter != '\0');
            had
        }
        // All of them are changed, not only as far as the first that had one.
        Value::Array(list) => list.iter_mut().map(drop_zeros_of).filter(|had| *had).count() > 0,
        Value::Object(fields) => fields.values_mut().map(drop_zeros_of).filter(|had| *had).count() > 0,
        _ => false,
    }
}

/// Takes out data of other programs that is no object, for which Assimp refuses a file; it may be anything (glTF 2.0, section
/// 3.2). Returns whether there was any in `text`, the file.
pub fn drop_extras(root: &mut Value, text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\"extras\"").is_some() && drop_extras_of(root)
}

fn drop_extras_of(value: &mut Value) -> bool {
    match value {
        // As above.
        Value::Array(list) => list.iter_mut().map(drop_extras_of).filter(|had| *had).count() > 0,
        Value::Object(fields) => {
            let had = fields.get("extras").is_some_and(|extras| !extras.is_object());
            if had {
                fields.remove("extras");
            }
            fields.values_mut().map(drop_extras_of).filter(|had| *had).count() > 0 || had
        }
        _ => false,
    }
}

/// Takes out clips that move nothing, for which Assimp refuses a file. Returns whether there were any.
pub fn drop_empty_clips(root: &mut Value) -> bool {
    let Some(clips) = root.get_mut("animations").and_then(Value::as_array_mut) else { return false };
    let count = clips.len();
    clips.retain(|clip| clip.get("channels").and_then(Value::as_array).is_some_and(|channels| !channels.is_empty()));
    clips.len() < count
}

/// Takes out kinds of interpolation that are no words, which Babylon's exporters wrote for a time and for which Assimp refuses a
/// file: what is not said is linear (glTF 2.0, section 5.6). Returns whether there were any.
pub fn drop_numbered_interpolations(root: &mut Value) -> bool {
    let clips = root.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten();
    let samplers = clips.filter_map(|clip| clip.get_mut("samplers").and_then(Value::as_array_mut)).flatten();
    let mut changed = false;
    for sampler in samplers.filter_map(Value::as_object_mut) {
        if sampler.get("interpolation").is_some_and(|kind| !kind.is_string()) {
            sampler.remove("interpolation");
            changed = true;
        }
    }
    changed
}

/// Makes a scene of all nodes without a parent where a file has none: what is shown then is left to the reader (glTF 2.0,
/// section 3.5.1). Returns whether that was so.
pub fn complete_scenes(root: &mut Value) -> bool {
    let list = |root: &Value, name: &str| root.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    let count = list(root, "nodes");
    if count == 0 || list(root, "scenes") > 0 {
        return false;
    }
    let children: BTreeSet<u64> = (root["nodes"].as_array().into_iter().flatten())
        .filter_map(|node| node.get("children")?.as_array())
        .flat_map(|children| children.iter().filter_map(Value::as_u64))
        .collect();
    let roots: Vec<u64> = (0..count as u64).filter(|node| !children.contains(node)).collect();
    root["scenes"] = json!([{"nodes": roots}]);
    root["scene"] = 0.into();
    true
}

/// Takes the meshes off nodes that are hidden, and off all below them (`KHR_node_visibility`). Returns whether there were
/// any. The nodes form a forest.
pub fn hide(root: &mut Value) -> bool {
    let Some(nodes) = root.get_mut("nodes").and_then(Value::as_array_mut) else { return false };
    let is_hidden = |node: &Value| {
        node.get("extensions").and_then(|list| list.get(VISIBILITY)?.get("visible")) == Some(&Value::Bool(false))
    };
    let mut stack: Vec<usize> = (0..nodes.len()).filter(|&node| is_hidden(&nodes[node])).collect();
    let mut changed = false;
    let mut seen = BTreeSet::new();
    while let Some(i) = stack.pop() {
        let Some(node) = nodes.get_mut(i).filter(|_| seen.insert(i)) else { continue };
        let children = node.get("children").and_then(Value::as_array).into_iter().flatten();
        stack.extend(children.filter_map(Value::as_u64).map(|child| child as usize));
        if index(node, "mesh").is_some()
            && let Some(fields) = node.as_object_mut()
        {
            fields.remove("mesh");
            fields.remove("skin");
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_in_names_are_left_out() {
        let text = br#"{"nodes": [{"name": "a\u0000b"}, {"name": "c", "extras": {"d": ["\u0000"]}}]}"#;
        let mut root = serde_json::from_slice(text).unwrap();
        assert!(drop_zeros(&mut root, text));
        assert_eq!(root, json!({"nodes": [{"name": "ab"}, {"name": "c", "extras": {"d": [""]}}]}));
        assert!(!drop_zeros(&mut root, b"{}"));
    }

    #[test]
    fn data_of_other_programs_and_clips_of_nothing_go() {
        let text = br#"{"extras": 1, "meshes": [{"extras": [], "name": "a"}, {"extras": {"extras": null, "b": 2}}]}"#;
        let mut root = serde_json::from_slice(text).unwrap();
        assert!(drop_extras(&mut root, text));
        assert_eq!(root, json!({"meshes": [{"name": "a"}, {"extras": {"b": 2}}]}));
        assert!(!drop_extras(&mut root, text));
        let clip = json!({"channels": [{"sampler": 0}]});
        let mut root = json!({"animations": [{"channels": [], "samplers": []}, clip, {}]});
        assert!(drop_empty_clips(&mut root));
        assert_eq!(root, json!({"animations": [clip]}));
        assert!(!drop_empty_clips(&mut root) && !drop_empty_clips(&mut json!({})));
    }

    #[test]
    fn interpolations_that_are_no_words_are_linear() {
        let sampler = json!({"input": 0, "output": 1});
        let mut numbered = sampler.clone();
        numbered["interpolation"] = json!(0);
        let mut step = sampler.clone();
        step["interpolation"] = json!("STEP");
        let mut root = json!({"animations": [{"samplers": [numbered, step]}, {}]});
        assert!(drop_numbered_interpolations(&mut root));
        assert_eq!(root, json!({"animations": [{"samplers": [sampler, step]}, {}]}));
        assert!(!drop_numbered_interpolations(&mut root) && !drop_numbered_interpolations(&mut json!({})));
    }

    #[test]
    fn nodes_of_no_scene_are_all_shown() {
        let mut root = json!({"nodes": [{"children": [1]}, {}, {"mesh": 0}]});
        assert!(complete_scenes(&mut root));
        assert_eq!((&root["scenes"], &root["scene"]), (&json!([{"nodes": [0, 2]}]), &json!(0)));
        assert!(!complete_scenes(&mut root) && !complete_scenes(&mut json!({})));
    }

    #[test]
    fn hidden_nodes_have_no_meshes() {
        let visible = |is: bool| json!({VISIBILITY: {"visible": is}});
        let mut root = json!({"nodes": [
            {"mesh": 0, "extensions": visible(true)}, {"mesh": 0, "skin": 0, "children": [2], "extensions": visible(false)},
            {"children": [3]}, {"mesh": 1, "extensions": visible(true)}]});
        assert!(hide(&mut root));
        let meshes: Vec<bool> = root["nodes"].as_array().unwrap().iter().map(|n| n.get("mesh").is_some()).collect();
        assert_eq!(meshes, [true, false, false, false]);
        assert!(!hide(&mut json!({"nodes": [{"mesh": 0}]})));
    }
}
