//! The human body that a VRM model names: the extensions `VRM` (0.x) and `VRMC_vrm` (1.0).

use super::data::index;
use crate::asset::human_bone::{BoneNames, HumanBone};
use serde_json::Value;

/// The nodes of the bones, by name; none where the file names none.
pub fn bones(root: &Value) -> BoneNames {
    let bones = |extension: &str| root.get("extensions")?.get(extension)?.get("humanoid")?.get("humanBones");
    let node = |of: &Value| Some(root.get("nodes")?.get(index(of, "node")?)?.get("name")?.as_str()?.to_owned());
    let old = bones("VRM").and_then(Value::as_array).into_iter().flatten();
    let old = old.filter_map(|of| Some((bone(of.get("bone")?.as_str()?)?, node(of)?)));
    let new = bones("VRMC_vrm").and_then(Value::as_object).into_iter().flatten();
    let new = new.filter_map(|(name, of)| {
        // Version 1.0 counts the bone of the thumb within the palm: the same three joints under other names.
        let thumb = name.replace("ThumbProximal", "ThumbIntermediate").replace("ThumbMetacarpal", "ThumbProximal");
        Some((bone(&thumb)?, node(of)?))
    });
    old.chain(new).collect()
}

/// The bone of a name such as `leftUpperLeg`; `None` of eyes and jaw.
fn bone(name: &str) -> Option<HumanBone> {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push('-');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::human_bone::{Finger, Limb, Phalanx, Side};
    use serde_json::json;

    #[test]
    fn both_versions_name_the_same_bones() {
        let nodes = json!([{"name": "koshi"}, {"name": "oyayubi0"}, {"name": "oyayubi1"}, {"name": "hiza"}]);
        let thumb = |phalanx| HumanBone::Finger(Side::Left, Finger::Thumb, phalanx);
        let wanted = BoneNames::from([
            (HumanBone::Hips, "koshi".to_owned()),
            (thumb(Phalanx::Proximal), "oyayubi0".to_owned()),
            (thumb(Phalanx::Intermediate), "oyayubi1".to_owned()),
            (HumanBone::Limb(Side::Right, Limb::LowerLeg), "hiza".to_owned()),
        ]);
        let new = json!({"nodes": nodes, "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": {
            "hips": {"node": 0}, "leftThumbMetacarpal": {"node": 1}, "leftThumbProximal": {"node": 2},
            "rightLowerLeg": {"node": 3}, "leftEye": {"node": 0}, "head": {"node": 9}}}}}});
        assert_eq!(bones(&new), wanted);
        let old = json!({"nodes": nodes, "extensions": {"VRM": {"humanoid": {"humanBones": [
            {"bone": "hips", "node": 0}, {"bone": "leftThumbProximal", "node": 1},
            {"bone": "leftThumbIntermediate", "node": 2}, {"bone": "rightLowerLeg", "node": 3}]}}}});
        assert_eq!(bones(&old), wanted);
        assert_eq!(bones(&json!({"nodes": nodes})), BoneNames::new());
    }
}
