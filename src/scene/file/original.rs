//! What the original program's reader asks of a scene file. In builds with debug assertions, which the tests run, every
//! text that is written is held against it.

use serde_yaml::{Mapping, Value};

/// Longest text that is checked, bytes: the check parses it again.
const MAX_BYTES: usize = 256 << 10;

/// How the original converts a value; what does not convert ends its reading.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A whole number, as C++ reads an `int`.
    Int,
    /// A whole number, 0 or more.
    Count,
    Float,
    Bool,
    Text,
    /// So many numbers.
    Floats(usize),
    /// Whole numbers.
    Ints,
    /// A list, of maps by [`Shape`].
    Maps(&'static [Key]),
    /// A list of maps with one whole number as key each.
    Table(&'static Kind),
    /// A list of lists of so many numbers.
    Rows(usize),
    /// A list of texts.
    Texts,
    /// A map with these keys.
    Map(&'static [Key]),
    /// A list of maps from text to text.
    Properties,
}

/// A key, how it is read, and whether the original fails without it.
#[derive(Clone, Copy, Debug)]
struct Key {
    name: &'static str,
    kind: Kind,
    required: bool,
}

const fn must(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, required: true }
}

const fn may(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, required: false }
}

/// Top level, in the order of the original.
const FILE: &[Key] = &[
    must("version", Kind::Text),
    must("settings", Kind::Map(SETTINGS)),
    may("levels", Kind::Maps(LEVEL)),
    must("cameras", Kind::Maps(CAMERA)),
    must("models", Kind::Maps(MODEL)),
    may("node-trees", Kind::Maps(TREE)),
    must("instances", Kind::Maps(INSTANCE)),
];

const SETTINGS: &[Key] = &[
    must("selected-model", Kind::Count),
    must("selected-instance", Kind::Count),
    must("selected-camera", Kind::Count),
    must("selected-level", Kind::Count),
    must("highlight-selection", Kind::Bool),
    must("collision-enabled", Kind::Int),
    must("interaction-enabled", Kind::Bool),
    must("interaction-min-range", Kind::Float),
    must("interaction-max-range", Kind::Float),
    must("interaction-fov", Kind::Float),
    must("gravity-enabled", Kind::Bool),
    must("level-collision-ground-slope", Kind::Float),
    must("level-collision-max-stairstep-height", Kind::Float),
    must("inverse-kinematics-enabled", Kind::Bool),
    must("inverse-kinematics-iterations", Kind::Int),
    must("navigation-enabled", Kind::Bool),
    may("skybox-enabled", Kind::Bool),
    may("fog-density", Kind::Float),
    may("light-source-angle-east-west", Kind::Float),
    may("light-source-angle-north-south", Kind::Float),
    may("light-source-intensity", Kind::Float),
    may("light-source-color", Kind::Floats(3)),
    may("time-of-day-enabled", Kind::Bool),
    may("time-of-day-scaling", Kind::Float),
    may("time-of-day-preset", Kind::Int),
];

const LEVEL: &[Key] = &[
    must("level-name", Kind::Text),
    must("level-file", Kind::Text),
    must("position", Kind::Floats(3)),
    must("rotation", Kind::Floats(3)),
    must("scale", Kind::Float),
    must("swap-axes", Kind::Bool),
];

const CAMERA: &[Key] = &[
    must("camera-name", Kind::Text),
    must("position", Kind::Floats(3)),
    must("view-azimuth", Kind::Float),
    must("view-elevation", Kind::Float),
    must("camera-type", Kind::Int),
    must("camera-projection", Kind::Int),
    may("field-of-view", Kind::Int),
    may("ortho-scale", Kind::Float),
    may("1st-person-view-lock", Kind::Bool),
    may("1st-person-bone-to-follow", Kind::Int),
    may("1st-person-view-offsets", Kind::Floats(3)),
    may("3rd-person-view-distance", Kind::Float),
    may("3rd-person-height-offset", Kind::Float),
    may("follow-cam-height-offset", Kind::Float),
];

const BLEND: Kind = Kind::Map(&[
    must("idle-clip", Kind::Int),
    must("idle-clip-speed", Kind::Float),
    must("walk-clip", Kind::Int),
    must("walk-clip-speed", Kind::Float),
    must("run-clip", Kind::Int),
    must("run-clip-speed", Kind::Float),
]);
const ACTION: Kind = Kind::Map(&[must("clip", Kind::Int), must("clip-speed", Kind::Float)]);

const MODEL: &[Key] = &[
    must("model-name", Kind::Text),
    must("model-file", Kind::Text),
    must("is-nav-target", Kind::Bool),
    may("idle-walk-run-clips", Kind::Table(&BLEND)),
    may("action-clips", Kind::Table(&ACTION)),
    may("action-sequences", Kind::Table(&Kind::Int)),
    may("bounding-sphere-adjustments", Kind::Rows(4)),
    may("forward-speed-factor", Kind::Float),
    may("head-movement-mappings", Kind::Table(&Kind::Int)),
    may("left-foot-ik-chain", Kind::Ints),
    may("right-foot-ik-chain", Kind::Ints),
];

const NODE: &[Key] = &[must("node-type", Kind::Int), must("node-id", Kind::Int), may("node-data", Kind::Properties)];

const TREE: &[Key] = &[
    must("node-tree-name", Kind::Text),
    must("editor-settings", Kind::Text),
    may("nodes", Kind::Maps(NODE)),
    may("links", Kind::Table(&Kind::Ints)),
];

const INSTANCE: &[Key] = &[
    must("model-file", Kind::Text),
    must("position", Kind::Floats(3)),
    must("rotation", Kind::Floats(3)),
    must("scale", Kind::Float),
    must("swap-axes", Kind::Bool),
    must("1st-anim-clip-number", Kind::Count),
    must("2nd-anim-clip-number", Kind::Count),
    must("anim-clip-speed", Kind::Float),
    must("anim-blend-factor", Kind::Float),
    may("node-tree", Kind::Text),
    may("face-anim-index", Kind::Int),
    may("face-anim-weight", Kind::Float),
    may("head-anim-left-right-timestamp", Kind::Float),
    may("head-anim-up-down-timestamp", Kind::Float),
    may("enable-navigation", Kind::Bool),
    may("path-target-instance", Kind::Int),
    may("target-of-cameras", Kind::Texts),
];

/// Where the original would stop reading, and why.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the original cannot read {place}: {reason}")]
struct Refusal {
    place: String,
    reason: &'static str,
}

fn refused(place: &str, reason: &'static str) -> Result<(), Refusal> {
    Err(Refusal { place: place.to_owned(), reason })
}

fn every(list: &Value, place: &str, check: impl Fn(&Value, &str) -> Result<(), Refusal>) -> Result<(), Refusal> {
    let Some(items) = list.as_sequence() else { return refused(place, "it is no list") };
    items.iter().enumerate().try_for_each(|(i, item)| check(item, &format!("{place}[{i}]")))
}

/// Whether `value` converts as the original reads it.
fn check(value: &Value, kind: Kind, place: &str) -> Result<(), Refusal> {
    let good = match kind {
        Kind::Int => value.as_i64().is_some_and(|v| i32::try_from(v).is_ok()),
        Kind::Count => value.as_u64().is_some_and(|v| u32::try_from(v).is_ok()),
        Kind::Float => value.as_f64().is_some(),
        Kind::Bool => value.is_bool(),
        Kind::Text => value.is_string() || value.is_number() || value.is_bool(),
        Kind::Floats(count) => {
            value.as_sequence().is_some_and(|list| list.len() == count && list.iter().all(|v| v.as_f64().is_some()))
        }
        Kind::Ints => return every(value, place, |item, place| check(item, Kind::Int, place)),
        Kind::Texts => return every(value, place, |item, place| check(item, Kind::Text, place)),
        Kind::Rows(count) => return every(value, place, |item, place| check(item, Kind::Floats(count), place)),
        Kind::Maps(keys) => return every(value, place, |item, place| check_map(item, keys, place)),
        Kind::Map(keys) => return check_map(value, keys, place),
        Kind::Table(of) => {
            return every(value, place, |item, place| {
                let Some((key, value)) = single(item) else { return refused(place, "it is no map of one entry") };
                check(key, Kind::Int, place)?;
                check(value, *of, place)
            });
        }
        Kind::Properties => {
            return every(value, place, |item, place| {
                let Some((key, value)) = single(item) else { return refused(place, "it is no map of one entry") };
                check(key, Kind::Text, place)?;
                check(value, Kind::Text, place)
            });
        }
    };
    if good { Ok(()) } else { refused(place, "the value does not convert") }
}

fn single(item: &Value) -> Option<(&Value, &Value)> {
    let map = item.as_mapping()?;
    map.iter().next().filter(|_| map.len() == 1)
}

fn check_map(value: &Value, keys: &[Key], place: &str) -> Result<(), Refusal> {
    let Some(map) = value.as_mapping() else { return refused(place, "it is no map") };
    for key in keys {
        let place = format!("{place}/{}", key.name);
        match map.get(key.name) {
            Some(value) => check(value, key.kind, &place)?,
            None if key.required => return refused(&place, "it is missing"),
            None => {}
        }
    }
    Ok(())
}

/// Whether known keys stand in the original's order, before all others.
fn check_order(map: &Mapping) -> Result<(), Refusal> {
    let mut last = 0;
    for key in map.keys().filter_map(Value::as_str) {
        let at = FILE.iter().position(|known| known.name == key).unwrap_or(FILE.len());
        if at < last {
            return refused(key, "it stands behind a later key");
        }
        last = at;
    }
    Ok(())
}

fn readable(text: &str) -> Result<(), Refusal> {
    let Ok(Value::Mapping(map)) = serde_yaml::from_str::<Value>(text) else {
        return refused("the file", "it is no map");
    };
    check_order(&map)?;
    check_map(&Value::Mapping(map), FILE, "")
}

/// Panics where the original could not read a text that is about to be saved.
pub fn assert_readable(text: &str) {
    if text.len() <= MAX_BYTES
        && let Err(refusal) = readable(text)
    {
        panic!("{refusal}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, SceneCamera, Selection};
    use std::sync::Arc;

    #[test]
    fn an_empty_scene_has_all_that_the_original_asks_for() {
        let text = crate::scene::file::to_string(&Scene::default(), &Selection::default());
        assert_eq!(readable(&text), Ok(()));
        assert!(text.contains("\nmodels: []\n") && text.contains("\ninstances: []\n"), "{text}");
        for key in ["models: []", "instances: []", "  camera-type: 0", "  navigation-enabled: false"] {
            let without = text.replacen(key, "", 1);
            let said = readable(&without).unwrap_err().to_string();
            assert!(said.contains(key.trim().split(':').next().unwrap()), "{said}");
        }
        let moved = text.replacen("models: []\n", "", 1) + "models: []\n";
        assert!(readable(&moved).unwrap_err().to_string().contains("behind a later key"));
    }

    #[test]
    fn a_field_of_view_is_a_whole_number_and_none_is_lost() {
        let mut scene = Scene::default();
        scene.cameras.insert(Arc::new(SceneCamera { fov_deg: 64.25, ..SceneCamera::default() }));
        let text = crate::scene::file::to_string(&scene, &Selection::default());
        assert!(text.contains("field-of-view: 64\n"), "{text}");
        assert!(readable(&text.replacen("field-of-view: 64\n", "field-of-view: 64.25\n", 1)).is_err());
        let read = |text: &str| crate::scene::file::load_str(text, std::path::Path::new("a.acfg")).unwrap().scene;
        assert_eq!(read(&text).cameras.values().next().unwrap().fov_deg, 64.25);
        // Changed by the original, which keeps no other key.
        let changed = text.replacen("field-of-view: 64\n", "field-of-view: 70\n", 1);
        assert_eq!(read(&changed).cameras.values().next().unwrap().fov_deg, 70.0);
    }
}
