//! What a scene says about sounds, as YAML: by key, and only what differs from the default.

use super::v9::Unknown;
use super::yaml;
use crate::disk::excerpt::shortened;
use crate::scene::SceneSounds;
use crate::scene::rule::RuleError;
use serde_yaml::{Mapping, Value};

/// The keys of [`SceneSounds`].
pub const KEYS: [&str; 4] = ["music-folder", "actions", "grounds", "places"];

/// The sounds of a map.
///
/// # Errors
/// What is wrong with which key.
pub fn read(map: &Unknown) -> Result<SceneSounds, RuleError> {
    let unreadable = |key: &str, e: serde_yaml::Error| RuleError::Unreadable { key: key.into(), reason: shortened(&e) };
    let (mut known, mut extra) = (Mapping::new(), Vec::new());
    for (key, value) in map {
        if !KEYS.contains(&key.as_str()) {
            extra.push((key.clone(), yaml::flow(value)));
            continue;
        }
        // Key by key, so that an error can name the key.
        let one = Mapping::from_iter([(Value::String(key.clone()), value.clone())]);
        let read = serde_yaml::from_value::<SceneSounds>(Value::Mapping(one.clone()));
        read.map_err(|e| unreadable(key, e))?;
        known.extend(one);
    }
    let sounds: SceneSounds = serde_yaml::from_value(Value::Mapping(known)).map_err(|e| unreadable("sounds", e))?;
    Ok(SceneSounds { extra, ..sounds })
}
