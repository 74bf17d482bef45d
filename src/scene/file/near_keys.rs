//! Warnings of keys that are not read and are written almost as one that is. Others are kept in silence: they may be of
//! another program or a later version.

use super::v9::{self, Unknown};
use super::{nav, sounds};
use crate::scene::SceneNav;
use serde::Serialize;
use std::collections::BTreeMap;

/// Fewest characters of a key in which two may be wrong; in a shorter one it is one, for short words resemble each other.
const LONG_KEY: usize = 8;
/// Most edits of a key that is taken for another.
const MAX_EDITS: usize = 2;
/// Most different keys of a kind of element that are compared, which takes some microseconds each.
const MAX_COMPARED: usize = 1000;

/// The warnings of a file.
pub fn warnings(file: &v9::File) -> Vec<String> {
    let mut out = Vec::new();
    KnownKeys::of::<v9::File>().warn(&mut out, || "the file".into(), &file.unknown);
    if let Some(settings) = &file.settings {
        KnownKeys::of::<v9::FileSettings>().warn(&mut out, || "the map 'settings'".into(), &settings.unknown);
    }
    if let Some(own) = &file.walkabout {
        KnownKeys::of::<v9::FileOwnKeys>().warn(&mut out, || "the map 'walkabout'".into(), &own.unknown);
        if let Some(map) = &own.navigation {
            KnownKeys::of::<SceneNav>().warn(&mut out, || "the map 'walkabout: navigation'".into(), map);
        }
        if let Some(map) = &own.sounds {
            let keys = sounds::KEYS.map(str::to_owned).to_vec();
            KnownKeys::new(keys).warn(&mut out, || "the map 'walkabout: sounds'".into(), map);
        }
    }
    let mut keys = KnownKeys::of::<v9::FileLevel>();
    for (i, level) in (1..).zip(file.levels.iter().flatten()) {
        keys.warn(&mut out, || format!("level {i}"), &level.unknown);
    }
    let mut keys = KnownKeys::of::<v9::FileCamera>();
    for (i, camera) in (1..).zip(file.cameras.iter().flatten()) {
        keys.warn(&mut out, || format!("camera {i}"), &camera.unknown);
    }
    let mut keys = KnownKeys::of::<v9::FileModel>();
    for (i, model) in (1..).zip(file.models.iter().flatten()) {
        keys.warn(&mut out, || format!("model {i}"), &model.unknown);
    }
    let (mut keys, mut node_keys) = (KnownKeys::of::<v9::NodeTree>(), KnownKeys::of::<v9::FileNode>());
    for tree in file.node_trees.iter().flatten() {
        let name = &tree.node_tree_name;
        keys.warn(&mut out, || format!("node tree {name:?}"), &tree.unknown);
        for node in tree.nodes.iter().flatten() {
            node_keys.warn(&mut out, || format!("node {} of node tree {name:?}", node.node_id), &node.unknown);
        }
    }
    let mut keys = KnownKeys::of::<v9::FileInstance>();
    for (i, instance) in (1..).zip(file.instances.iter().flatten()) {
        keys.warn(&mut out, || format!("instance {i}"), &instance.unknown);
    }
    out
}

/// The keys that are read of a kind of element.
struct KnownKeys {
    keys: Vec<String>,
    /// What the keys that were compared are taken for: a list of instances has the same ones many times.
    compared: BTreeMap<String, Option<String>>,
}

impl KnownKeys {
    fn new(keys: Vec<String>) -> Self {
        Self { keys, compared: BTreeMap::new() }
    }

    /// Those of a struct that holds no unknown ones by default.
    fn of<T: Default + Serialize>() -> Self {
        Self::new(nav::keys(&T::default()))
    }

    /// Adds a warning for each key of a map that is almost one of these.
    fn warn(&mut self, out: &mut Vec<String>, element: impl Fn() -> String, map: &Unknown) {
        for key in map.keys() {
            let meant = match self.compared.get(key) {
                Some(meant) => meant.clone(),
                None if self.compared.len() >= MAX_COMPARED => None,
                None => {
                    let meant = self.nearest(key).map(str::to_owned);
                    self.compared.insert(key.clone(), meant.clone());
                    meant
                }
            };
            if let Some(meant) = meant {
                let element = element();
                out.push(format!("{element} has the key '{key}', which is not known; '{meant}' may be meant"));
            }
        }
    }

    /// The key that is written almost as `key`; `None` where there is none, or where `key` is one of these.
    fn nearest(&self, key: &str) -> Option<&str> {
        if self.keys.iter().any(|known| known == key) {
            return None;
        }
        let count = |text: &str| text.chars().count();
        let written = letters(key);
        let distance = |known: &String| {
            let wanted = letters(known);
            let most = if count(&wanted) < LONG_KEY { 1 } else { MAX_EDITS };
            let is_comparable = count(&written).abs_diff(count(&wanted)) <= most;
            let edits = is_comparable.then(|| strsim::osa_distance(&written, &wanted));
            edits.filter(|&edits| edits <= most)
        };
        let near = self.keys.iter().filter_map(|known| Some((distance(known)?, known.as_str())));
        near.min().map(|(_, known)| known)
    }
}

/// The characters of a key that count: hyphens, underscores and the case of letters are confused.
fn letters(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::file::load_str;

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in [("scale", "scale", 0), ("sacle", "scale", 1), ("scal", "scale", 1), ("", "ab", 2)] {
            assert_eq!(strsim::osa_distance(&letters(a), &letters(b)), count, "{a} {b}");
        }
        assert_eq!(letters("Level_Name"), letters("level-name"));
    }

    #[test]
    fn misspelt_keys_are_warnings_that_name_the_one_meant() {
        let text = "levles: []\nsettings: {gravity_enabled: true}\n\
                    walkabout: {sede: 3, navigation: {baek: 1}, sounds: {musik-folder: a}}\n\
                    levels: [{level-name: a, level-file: b.obj, sacle: 2, author: me}]\n\
                    cameras: [{camera-name: c, 1st-person-view-look: true, camera-rol: 1}]\n\
                    models: [{model-name: c, model-file: c.glb, Is-Nav-Target: true}]\n\
                    instances: [{model-file: c, face-anim-wieght: 1, enabel-navigaton: true, note: a}]\nversion: 9.0\n";
        let loaded = load_str(text, std::path::Path::new("a.acfg")).unwrap();
        let expected = [
            "the file has the key 'levles', which is not known; 'levels' may be meant",
            "the map 'settings' has the key 'gravity_enabled', which is not known; 'gravity-enabled' may be meant",
            "the map 'walkabout' has the key 'sede', which is not known; 'seed' may be meant",
            "the map 'walkabout: navigation' has the key 'baek', which is not known; 'bake' may be meant",
            "the map 'walkabout: sounds' has the key 'musik-folder', which is not known; 'music-folder' may be meant",
            "level 1 has the key 'sacle', which is not known; 'scale' may be meant",
            "camera 1 has the key '1st-person-view-look', which is not known; '1st-person-view-lock' may be meant",
            "camera 1 has the key 'camera-rol', which is not known; 'camera-roll' may be meant",
            "model 1 has the key 'Is-Nav-Target', which is not known; 'is-nav-target' may be meant",
            "instance 1 has the key 'enabel-navigaton', which is not known; 'enable-navigation' may be meant",
            "instance 1 has the key 'face-anim-wieght', which is not known; 'face-anim-weight' may be meant",
        ];
        assert_eq!(loaded.warnings, expected);
        let level = loaded.scene.levels.values().next().unwrap();
        assert_eq!(level.extra.len(), 2, "what is not read is kept");
    }
}
