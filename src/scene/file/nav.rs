//! What a scene says about navigation meshes, as YAML: by key, and only what differs from the default.

use super::v9::Unknown;
use super::yaml;
use crate::disk::excerpt::shortened;
use crate::scene::SceneNav;
use crate::scene::rule::RuleError;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_yaml::Value;
use std::collections::BTreeMap;

/// Keys and values of a struct, values as one line of JSON, which is YAML too.
fn parts<T: Serialize>(value: &T) -> BTreeMap<String, String> {
    let text = serde_json::to_string(value).unwrap_or_default();
    let map: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text).unwrap_or_default();
    map.into_iter().map(|(key, value)| (key, yaml::from_json(value.get()))).collect()
}

/// Keys of a struct.
pub fn keys<T: Serialize>(value: &T) -> Vec<String> {
    parts(value).into_keys().collect()
}

/// A value as one line of JSON, which is YAML too.
pub fn flow<T: Serialize>(value: &T) -> String {
    yaml::from_json(&serde_json::to_string(value).unwrap_or_default())
}

/// What of a struct differs from its default, as keys and lines of YAML.
pub fn lines<T: Serialize>(value: &T, default: &T) -> BTreeMap<String, String> {
    let known = parts(default);
    let mut lines = parts(value);
    lines.retain(|key, value| known.get(key) != Some(value));
    lines
}

/// The struct of a map; what is not in it is as by default.
///
/// # Errors
/// What is wrong with which key.
pub fn read(map: &Unknown) -> Result<SceneNav, RuleError> {
    let unreadable = |key: &str, e: serde_json::Error| RuleError::Unreadable { key: key.into(), reason: shortened(&e) };
    let default = SceneNav::default();
    let known = parts(&default);
    let bake = parts(&default.bake);
    let (mut object, mut extra) = (serde_json::Map::new(), Vec::new());
    for (key, value) in map {
        if !known.contains_key(key) {
            extra.push((key.clone(), yaml::flow(value)));
            continue;
        }
        if let Some(name) = not_finite(key, value) {
            let reason = format!("'{name}' is not a finite number");
            return Err(RuleError::Unreadable { key: key.clone(), reason });
        }
        let mut value = serde_json::to_value(value).map_err(|e| unreadable(key, e))?;
        if let ("bake", Some(given)) = (key.as_str(), value.as_object_mut()) {
            // Settings of a bake begin from the scene's defaults, not from the baker's.
            for (name, text) in &bake {
                if !given.contains_key(name) {
                    given.insert(name.clone(), serde_json::from_str(text).unwrap_or_default());
                }
            }
        }
        // Key by key, so that an error can name the key.
        let one = serde_json::Map::from_iter([(key.clone(), value.clone())]);
        let read = serde_json::from_value::<SceneNav>(one.into());
        read.map_err(|e| unreadable(key, e))?;
        object.insert(key.clone(), value);
    }
    let nav: SceneNav = serde_json::from_value(object.into()).map_err(|e| unreadable("navigation", e))?;
    Ok(SceneNav { extra, ..nav })
}

/// The key below which a number is infinite or none at all.
fn not_finite<'a>(key: &'a str, value: &'a Value) -> Option<&'a str> {
    match value {
        Value::Number(number) => (!number.is_finite()).then_some(key),
        Value::Sequence(all) => all.iter().find_map(|value| not_finite(key, value)),
        Value::Mapping(map) => map.iter().find_map(|(name, value)| not_finite(name.as_str().unwrap_or(key), value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::exchange::MeshPlacement;
    use crate::nav::planner::Planner;
    use crate::scene::nav::{AreaRule, Mark, MarkWeights, MeshSource, ObstacleShape, PlacedObstacle, Probe};
    use crate::scene::{Edit, Scene, SceneDoor, SceneInstance, Selection, file, limits};
    use glam::{DVec3, Vec3};

    fn full() -> SceneNav {
        let mut nav = SceneNav {
            mesh: MeshSource::File("assets/levels/yard.navmesh".into()),
            mesh_placement: MeshPlacement { axes: "x,z,-y".parse().unwrap(), scale: 0.0254 },
            planner: Planner::Funnel,
            destroyed: vec![Vec3::new(1.5, 0.0, -7.0)],
            threats: vec![Vec3::new(0.1, -2.0, 1e-5)],
            bias: 0.3,
            areas: vec![AreaRule { area: 7, cost: 1.5, marks: vec![Mark::Slow, Mark::Cover] }],
            weights: MarkWeights { slow: 3.0, amphibious: Some(1.0), ..MarkWeights::default() },
            probe: Probe { start: Some(Vec3::ONE), beside: Some(Planner::Exact), radius: 0.35, ..Probe::default() },
            extra: vec![("later".into(), "[1, {a: ~}]".into())],
            ..SceneNav::default()
        };
        nav.bake.cell_size = 0.25;
        nav.bake.seeds = vec![DVec3::new(0.1, 1e6, -1.0 / 3.0)];
        let shape = ObstacleShape::Box { base: Vec3::splat(0.1), size: Vec3::ONE, yaw_deg: 33.3 };
        nav.obstacles.push(PlacedObstacle { shape, open: true });
        let shape = ObstacleShape::Cylinder { base: Vec3::ZERO, radius: 0.7, height: 1.9 };
        nav.obstacles.push(PlacedObstacle { shape, open: false });
        nav
    }

    #[test]
    fn saved_and_read_again_it_is_the_same() {
        let mut scene = Scene::default();
        scene.apply(&Edit::SetNav(Box::new(full()))).unwrap();
        let text = file::to_string(&scene, &Selection::default());
        let again = file::load_str(&text, std::path::Path::new("nav.acfg")).unwrap();
        assert_eq!(*again.scene.nav, full());
        let text = file::to_string(&again.scene, &again.selection);
        let third = file::load_str(&text, std::path::Path::new("nav.acfg")).unwrap();
        assert_eq!(file::to_string(&third.scene, &third.selection), text);
    }

    #[test]
    fn any_text_of_many_instances_is_read_again() {
        let mut scene = Scene::default();
        for opens in ["Door [", "{\u{7f}\u{85}\u{ffff}\"["] {
            let door = SceneDoor { opens: opens.into(), ..SceneDoor::default() };
            let instance = SceneInstance {
                door: Some(Box::new(door)),
                morphs: [("x".repeat(limits::MAX_KEY), 0.5)].into(),
                ..SceneInstance::default()
            };
            for _ in 0..600 {
                scene.apply(&Edit::AddInstance(instance.clone())).unwrap();
            }
        }
        let text = file::to_string(&scene, &Selection::default());
        let again = file::load_str(&text, std::path::Path::new("doors.acfg")).unwrap();
        assert_eq!(again.scene.instances.len(), scene.instances.len());
        for (one, other) in scene.instances.values().zip(again.scene.instances.values()) {
            assert_eq!((&one.door, &one.morphs), (&other.door, &other.morphs));
        }
    }

    #[test]
    fn defaults_are_not_written() {
        let text = file::to_string(&Scene::default(), &Selection::default());
        assert!(!text.contains("navigation:"), "{text}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let read = |text: &str| {
            let scene = format!("walkabout: {{navigation: {text}}}\nversion: 9.0\n");
            file::load_str(&scene, std::path::Path::new("nav.acfg")).map(drop).unwrap_err().to_string()
        };
        for (text, word) in [
            ("{bias: much}", "much"),
            ("{mesh: carved}", "carved"),
            ("{planner: crow}", "crow"),
            ("{bake: {cell_size: 0}}", "cell_size"),
            ("{bake: {sell_size: 1}}", "sell_size"),
            ("{obstacles: [{shape: {cylinder: {base: [0,0,0], radius: -1, height: 1}}}]}", "size of an obstacle"),
            ("{threats: [[.nan, 0, 0]]}", "'threats' is not a finite number"),
            ("{probe: {radius: .inf}}", "'radius' is not a finite number"),
            ("{bake: {cell_size: .nan}}", "'cell_size' is not a finite number"),
        ] {
            let said = read(text);
            assert!(said.contains(word) && said.contains("navigation"), "{text}: {said}");
        }
        let scene = "walkabout:\n  overlays:\n    - grid\n  navigation: {bias: -1}\nversion: 9.0\n";
        let said = file::load_str(scene, std::path::Path::new("nav.acfg")).map(drop).unwrap_err().to_string();
        assert!(said.contains("(line 1)"), "the map's line, and not that of a list in it: {said}");
        let scene = "settings:\n  gravity-enabled: true\nwalkabout:\n  octree-threshold: 0\nversion: 9.0\n";
        let said = file::load_str(scene, std::path::Path::new("nav.acfg")).map(drop).unwrap_err().to_string();
        assert!(said.contains("the map 'walkabout' (line 3)"), "{said}");
    }
}
