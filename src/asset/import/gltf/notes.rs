//! What a glTF holds that is passed over: it comes in, and a warning says what is missing.

use super::super::ranges::items;
use super::super::uri::data_of;
use serde_json::Value;

/// Most warnings of a file.
const MAX_NOTES: usize = 16;

/// The warnings about a file.
pub fn of(root: &Value) -> Vec<String> {
    let mut notes: Vec<String> = pointers(root).chain(pictures(root)).take(MAX_NOTES + 1).collect();
    if notes.len() > MAX_NOTES {
        notes.truncate(MAX_NOTES);
        notes.push("more of the same is not listed".to_owned());
    }
    notes
}

/// Clips that move something else than nodes and weights.
fn pointers(root: &Value) -> impl Iterator<Item = String> {
    items(root, "animations").filter_map(|(i, animation)| {
        let is_pointer = |(_, channel): &(usize, &Value)| {
            channel.get("target").and_then(|target| target.get("path")).is_some_and(|path| path == "pointer")
        };
        let count = items(animation, "channels").filter(is_pointer).count();
        let name = animation.get("name").and_then(Value::as_str).unwrap_or("");
        (count > 0).then(|| {
            format!(
                "clip {i} ({name:?}) moves {count} things by KHR_animation_pointer, which is not played; bake it into \
                 nodes and morph weights"
            )
        })
    })
}

/// Pictures that hold their data themselves, and none that is read.
fn pictures(root: &Value) -> impl Iterator<Item = String> {
    items(root, "images").filter_map(|(i, image)| {
        let uri = image.get("uri").and_then(Value::as_str)?;
        let problem = match data_of(uri) {
            Some(data) => match data.split_once(";base64,") {
                None => "is data that is not in base64",
                Some((_, text)) if text.trim().is_empty() => "is empty",
                Some((kind, _))
                    if !kind.is_empty() && !kind.starts_with("image/") && !kind.starts_with("application/") =>
                {
                    "is data that says it is no picture"
                }
                Some(_) => return None,
            },
            None if uri.is_empty() => "names no file",
            None => return None,
        };
        Some(format!("image {i} {problem}: what it is for is drawn plain; save it as PNG or JPEG"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_passed_over_is_said() {
        let root = json!({
            "animations": [{"name": "glow", "channels": [{"target": {"path": "pointer"}}, {"target": {"path": "scale"}}]}],
            "images": [{"uri": "a.png"}, {"uri": "data:image/png;base64,AA=="}, {"uri": "data:text/html;base64,AA=="},
                {"uri": ""}, {"uri": "data:,abc"}, {"bufferView": 0}]
        });
        let notes = of(&root);
        assert_eq!(notes.len(), 4, "{notes:?}");
        assert!(notes[0].contains("clip 0 (\"glow\") moves 1 things by KHR_animation_pointer"), "{}", notes[0]);
        assert!(
            notes[1].starts_with("image 2 ") && notes[2].starts_with("image 3 ") && notes[3].starts_with("image 4 ")
        );
        let many = json!({"images": vec![json!({"uri": ""}); 99]});
        assert_eq!(of(&many).len(), MAX_NOTES + 1);
        assert_eq!(of(&json!({})), Vec::<String>::new());
    }
}
