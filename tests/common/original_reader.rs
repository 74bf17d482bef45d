//! What the original program's reader asks of a scene file: the reference that scenes written by tests are held against.

use serde_yaml::{Mapping, Value};

/// Longest text that is checked, bytes: the check parses it again.
const MAX_BYTES: usize = 256 << 10;

/// How the original converts a value; what does not convert ends its reading.
#[derive(Clone, Copy, Debug)]
enum OriginalType {
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
    Maps(&'static [OriginalKey]),
    /// A list of maps with one whole number as key each.
    Table(&'static OriginalType),
    /// A list of lists of so many numbers.
    Rows(usize),
    /// A list of texts.
    Texts,
    /// A map with these keys.
    Map(&'static [OriginalKey]),
    /// A list of maps from text to text.
    Properties,
}

/// A key, how it is read, and whether the original fails without it.
#[derive(Clone, Copy, Debug)]
struct OriginalKey {
    name: &'static str,
    kind: OriginalType,
    required: bool,
}

const fn must(name: &'static str, kind: OriginalType) -> OriginalKey {
    OriginalKey { name, kind, required: true }
}

const fn may(name: &'static str, kind: OriginalType) -> OriginalKey {
    OriginalKey { name, kind, required: false }
}

/// Top level, in the order of the original.
const FILE: &[OriginalKey] = &[
    must("version", OriginalType::Text),
    must("settings", OriginalType::Map(SETTINGS)),
    may("levels", OriginalType::Maps(LEVEL)),
    must("cameras", OriginalType::Maps(CAMERA)),
    must("models", OriginalType::Maps(MODEL)),
    may("node-trees", OriginalType::Maps(TREE)),
    must("instances", OriginalType::Maps(INSTANCE)),
];

const SETTINGS: &[OriginalKey] = &[
    must("selected-model", OriginalType::Count),
    must("selected-instance", OriginalType::Count),
    must("selected-camera", OriginalType::Count),
    must("selected-level", OriginalType::Count),
    must("highlight-selection", OriginalType::Bool),
    must("collision-enabled", OriginalType::Int),
    must("interaction-enabled", OriginalType::Bool),
    must("interaction-min-range", OriginalType::Float),
    must("interaction-max-range", OriginalType::Float),
    must("interaction-fov", OriginalType::Float),
    must("gravity-enabled", OriginalType::Bool),
    must("level-collision-ground-slope", OriginalType::Float),
    must("level-collision-max-stairstep-height", OriginalType::Float),
    must("inverse-kinematics-enabled", OriginalType::Bool),
    must("inverse-kinematics-iterations", OriginalType::Int),
    must("navigation-enabled", OriginalType::Bool),
    may("skybox-enabled", OriginalType::Bool),
    may("fog-density", OriginalType::Float),
    may("light-source-angle-east-west", OriginalType::Float),
    may("light-source-angle-north-south", OriginalType::Float),
    may("light-source-intensity", OriginalType::Float),
    may("light-source-color", OriginalType::Floats(3)),
    may("time-of-day-enabled", OriginalType::Bool),
    may("time-of-day-scaling", OriginalType::Float),
    may("time-of-day-preset", OriginalType::Int),
];

const LEVEL: &[OriginalKey] = &[
    must("level-name", OriginalType::Text),
    must("level-file", OriginalType::Text),
    must("position", OriginalType::Floats(3)),
    must("rotation", OriginalType::Floats(3)),
    must("scale", OriginalType::Float),
    must("swap-axes", OriginalType::Bool),
];

const CAMERA: &[OriginalKey] = &[
    must("camera-name", OriginalType::Text),
    must("position", OriginalType::Floats(3)),
    must("view-azimuth", OriginalType::Float),
    must("view-elevation", OriginalType::Float),
    must("camera-type", OriginalType::Int),
    must("camera-projection", OriginalType::Int),
    may("field-of-view", OriginalType::Int),
    may("ortho-scale", OriginalType::Float),
    may("1st-person-view-lock", OriginalType::Bool),
    may("1st-person-bone-to-follow", OriginalType::Int),
    may("1st-person-view-offsets", OriginalType::Floats(3)),
    may("3rd-person-view-distance", OriginalType::Float),
    may("3rd-person-height-offset", OriginalType::Float),
    may("follow-cam-height-offset", OriginalType::Float),
];

const BLEND: OriginalType = OriginalType::Map(&[
    must("idle-clip", OriginalType::Int),
    must("idle-clip-speed", OriginalType::Float),
    must("walk-clip", OriginalType::Int),
    must("walk-clip-speed", OriginalType::Float),
    must("run-clip", OriginalType::Int),
    must("run-clip-speed", OriginalType::Float),
]);
const ACTION: OriginalType =
    OriginalType::Map(&[must("clip", OriginalType::Int), must("clip-speed", OriginalType::Float)]);

const MODEL: &[OriginalKey] = &[
    must("model-name", OriginalType::Text),
    must("model-file", OriginalType::Text),
    must("is-nav-target", OriginalType::Bool),
    may("idle-walk-run-clips", OriginalType::Table(&BLEND)),
    may("action-clips", OriginalType::Table(&ACTION)),
    may("action-sequences", OriginalType::Table(&OriginalType::Int)),
    may("bounding-sphere-adjustments", OriginalType::Rows(4)),
    may("forward-speed-factor", OriginalType::Float),
    may("head-movement-mappings", OriginalType::Table(&OriginalType::Int)),
    may("left-foot-ik-chain", OriginalType::Ints),
    may("right-foot-ik-chain", OriginalType::Ints),
];

const NODE: &[OriginalKey] = &[
    must("node-type", OriginalType::Int),
    must("node-id", OriginalType::Int),
    may("node-data", OriginalType::Properties),
];

const TREE: &[OriginalKey] = &[
    must("node-tree-name", OriginalType::Text),
    must("editor-settings", OriginalType::Text),
    may("nodes", OriginalType::Maps(NODE)),
    may("links", OriginalType::Table(&OriginalType::Ints)),
];

const INSTANCE: &[OriginalKey] = &[
    must("model-file", OriginalType::Text),
    must("position", OriginalType::Floats(3)),
    must("rotation", OriginalType::Floats(3)),
    must("scale", OriginalType::Float),
    must("swap-axes", OriginalType::Bool),
    must("1st-anim-clip-number", OriginalType::Count),
    must("2nd-anim-clip-number", OriginalType::Count),
    must("anim-clip-speed", OriginalType::Float),
    must("anim-blend-factor", OriginalType::Float),
    may("node-tree", OriginalType::Text),
    may("face-anim-index", OriginalType::Int),
    may("face-anim-weight", OriginalType::Float),
    may("head-anim-left-right-timestamp", OriginalType::Float),
    may("head-anim-up-down-timestamp", OriginalType::Float),
    may("enable-navigation", OriginalType::Bool),
    may("path-target-instance", OriginalType::Int),
    may("target-of-cameras", OriginalType::Texts),
];

/// Where the original would stop reading, and why.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the original cannot read {place}: {reason}")]
pub struct Refusal {
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
fn check(value: &Value, kind: OriginalType, place: &str) -> Result<(), Refusal> {
    let good = match kind {
        OriginalType::Int => value.as_i64().is_some_and(|v| i32::try_from(v).is_ok()),
        OriginalType::Count => value.as_u64().is_some_and(|v| u32::try_from(v).is_ok()),
        OriginalType::Float => value.as_f64().is_some(),
        OriginalType::Bool => value.is_bool(),
        OriginalType::Text => value.is_string() || value.is_number() || value.is_bool(),
        OriginalType::Floats(count) => {
            value.as_sequence().is_some_and(|list| list.len() == count && list.iter().all(|v| v.as_f64().is_some()))
        }
        OriginalType::Ints => return every(value, place, |item, place| check(item, OriginalType::Int, place)),
        OriginalType::Texts => return every(value, place, |item, place| check(item, OriginalType::Text, place)),
        OriginalType::Rows(count) => {
            return every(value, place, |item, place| check(item, OriginalType::Floats(count), place));
        }
        OriginalType::Maps(keys) => return every(value, place, |item, place| check_map(item, keys, place)),
        OriginalType::Map(keys) => return check_map(value, keys, place),
        OriginalType::Table(of) => {
            return every(value, place, |item, place| {
                let Some((key, value)) = single(item) else { return refused(place, "it is no map of one entry") };
                check(key, OriginalType::Int, place)?;
                check(value, *of, place)
            });
        }
        OriginalType::Properties => {
            return every(value, place, |item, place| {
                let Some((key, value)) = single(item) else { return refused(place, "it is no map of one entry") };
                check(key, OriginalType::Text, place)?;
                check(value, OriginalType::Text, place)
            });
        }
    };
    if good { Ok(()) } else { refused(place, "the value does not convert") }
}

fn single(item: &Value) -> Option<(&Value, &Value)> {
    let map = item.as_mapping()?;
    map.iter().next().filter(|_| map.len() == 1)
}

fn check_map(value: &Value, keys: &[OriginalKey], place: &str) -> Result<(), Refusal> {
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

/// Whether the original could read a text.
pub fn readable(text: &str) -> Result<(), Refusal> {
    let Ok(Value::Mapping(map)) = serde_yaml::from_str::<Value>(text) else {
        return refused("the file", "it is no map");
    };
    check_order(&map)?;
    check_map(&Value::Mapping(map), FILE, "")
}

/// Panics where the original could not read a text that was written; texts longer than [`MAX_BYTES`] are not checked.
pub fn assert_readable(text: &str) {
    if text.len() <= MAX_BYTES
        && let Err(refusal) = readable(text)
    {
        panic!("{refusal}");
    }
}
