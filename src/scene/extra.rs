//! What a scene file holds that this version does not know.

/// Keys that this version does not know, each with its value as one line of YAML.
pub type Extra = Vec<(String, String)>;
