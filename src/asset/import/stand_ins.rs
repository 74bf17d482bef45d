//! Meshes that engines do not draw beside the mesh they belong to, told by the names of their nodes: coarser levels of detail and
//! collision shapes. Drawn together, they flicker through each other, and levels get their ground twice.
//!
//! Unity makes one object of `NAME_LOD0`, `NAME_LOD1` and so on (its manual, "Importing LOD meshes"). Unreal Engine takes
//! `UCX_NAME_00`, `UBX_`, `UCP_` and `USP_` as shapes of `NAME` (its "FBX static mesh pipeline"), Godot `NAME-colonly` and
//! `NAME-convcolonly` (its "Node type customization using name suffixes"). `NAME_Collision` and `NAME_Collider` are usual besides,
//! and `NAME_Col` beside levels of detail, elsewhere it may be a column. A mesh without the one that it stands in for is drawn.

use crate::vocab::quoted_names;
use std::collections::{HashMap, HashSet};

/// What begins the name of a collision shape.
const SHAPE_PREFIXES: [&str; 4] = ["ucx_", "ubx_", "ucp_", "usp_"];
/// What ends the name of a collision shape.
const SHAPE_SUFFIXES: [&str; 4] = ["-colonly", "-convcolonly", "_collision", "_collider"];
/// What ends the name of a collision shape where its object has levels of detail.
const SHORT_SUFFIX: &str = "_col";
/// What stands before the number of a level of detail.
const LEVEL: &str = "_lod";
/// Most names that a warning lists.
const MAX_LISTED: usize = 4;

/// What the name of a node says of its mesh.
#[derive(Debug, PartialEq)]
enum MeshRole<'a> {
    /// A level of detail of an object, 0 the finest; a name that does not tell one is an object's at 0.
    Level(&'a str, u32),
    /// A collision shape of one of these objects.
    Shape([&'a str; 2]),
    /// A collision shape of this object where that has levels of detail.
    LevelShape(&'a str),
}

impl<'a> MeshRole<'a> {
    /// By a name in lower case.
    fn of(name: &'a str) -> Self {
        let name = without_number(name, '.');
        let prefixed = SHAPE_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
        let suffixed = || SHAPE_SUFFIXES.iter().find_map(|suffix| without_number(name, '_').strip_suffix(suffix));
        if let Some(of) = prefixed.or_else(suffixed).filter(|of| !of.is_empty()) {
            return Self::Shape([of, without_number(of, '_')].map(object_of));
        }
        if let Some(object) = name.strip_suffix(SHORT_SUFFIX) {
            return Self::LevelShape(object);
        }
        match level_of(name) {
            Some((object, level)) => Self::Level(object, level),
            None => Self::Level(name, 0),
        }
    }
}

/// The object and the number of a level of detail, by its name.
fn level_of(name: &str) -> Option<(&str, u32)> {
    let (object, number) = name.rsplit_once(LEVEL)?;
    Some((object, number.parse().ok().filter(|_| !object.is_empty())?))
}

/// The object that a name stands for, which may be one of its levels of detail.
fn object_of(name: &str) -> &str {
    level_of(name).map_or(name, |(object, _)| object)
}

/// A name without a number behind it: Blender tells copies apart by `.001`, and Unreal Engine counts shapes by `_00`.
fn without_number(name: &str, separator: char) -> &str {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once(separator)
        .filter(|(start, end)| !start.is_empty() && is_number(end))
        .map_or(name, |(start, _)| start)
}

/// Whether each of the nodes that carry a mesh, by their names, is drawn.
pub(super) fn are_drawn(names: &[&str]) -> Vec<bool> {
    let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let roles: Vec<MeshRole> = names.iter().map(|name| MeshRole::of(name)).collect();
    let mut finest: HashMap<&str, u32> = HashMap::new();
    for role in &roles {
        if let MeshRole::Level(object, level) = *role {
            finest.entry(object).and_modify(|known| *known = level.min(*known)).or_insert(level);
        }
    }
    let with_levels: HashSet<&str> =
        names.iter().filter_map(|name| Some(level_of(without_number(name, '.'))?.0)).collect();
    let is_drawn = |role: &MeshRole| match role {
        MeshRole::Level(object, level) => finest.get(object) == Some(level),
        MeshRole::Shape(objects) => !objects.iter().any(|object| finest.contains_key(object)),
        MeshRole::LevelShape(object) => !with_levels.contains(object),
    };
    roles.iter().map(is_drawn).collect()
}

/// What is said of the meshes that are not drawn; `None` where there are none.
pub(super) fn said(names: &[&str], are_drawn: &[bool]) -> Option<String> {
    let mut left_out: Vec<&str> =
        names.iter().zip(are_drawn).filter(|(_, drawn)| !**drawn).map(|(name, _)| *name).collect();
    let mut known = HashSet::new();
    left_out.retain(|name| known.insert(*name));
    if left_out.is_empty() {
        return None;
    }
    let text = quoted_names(&left_out, MAX_LISTED);
    Some(format!(
        "left out, as engines do: {text}, by name coarser levels of detail or collision shapes of meshes that are there; rename \
         them to see them"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::import::import_file;

    #[test]
    fn the_finest_level_of_detail_is_drawn() {
        assert_eq!(are_drawn(&["Rock_LOD0", "Rock_LOD1", "Rock_lod2.001", "Tree_LOD1"]), [true, false, false, true]);
        assert_eq!(are_drawn(&["Tree_LOD2", "Tree_LOD1", "Tree_LOD1.001"]), [false, true, true]);
        assert_eq!(
            are_drawn(&["Rock", "Rock_LOD1", "Rock.001", "Rock_LODs", "_LOD1", ""]),
            [true, false, true, true, true, true]
        );
    }

    #[test]
    fn collision_shapes_are_drawn_where_nothing_else_is() {
        let names = ["Wall_01", "UCX_Wall_01", "ucx_wall_01_02", "UBX_Gate", "UCP_"];
        assert_eq!(are_drawn(&names), [true, false, false, true, true]);
        let names =
            ["Hall_01_LOD0", "Hall_01_Col", "Hall_02_Col", "Stair", "Stair-colonly", "Stair_Collision_3", "Col"];
        assert_eq!(are_drawn(&names), [true, false, true, true, false, false, true]);
        assert_eq!(are_drawn(&["UCX_Tower_LOD0_01", "Tower_LOD0"]), [false, true]);
    }

    #[test]
    fn what_is_left_out_is_said_by_name() {
        let names = ["A", "A_LOD1", "A_LOD2", "A_LOD1", "A_LOD3", "A_LOD4", "UCX_A"];
        let text = said(&names, &are_drawn(&names)).unwrap();
        assert!(text.contains("\"A_LOD1\", \"A_LOD2\", \"A_LOD3\", \"A_LOD4\" and 1 more"), "{text}");
        assert_eq!(said(&["A"], &[true]), None);
    }

    #[test]
    fn a_file_with_levels_of_detail_comes_in_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rock.obj");
        let triangle = |name: &str, first: u32| {
            format!("o {name}\nv 0 0 0\nv 1 0 0\nv 0 0 -1\nf {first} {} {}\n", first + 1, first + 2)
        };
        std::fs::write(&path, triangle("Rock_LOD0", 1) + &triangle("Rock_LOD1", 4) + &triangle("UCX_Rock_LOD0", 7))
            .unwrap();
        let model = import_file(&path).unwrap();
        let names: Vec<&str> = model.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
        assert_eq!((names, model.triangle_count()), (vec!["Rock_LOD0"], 1));
        assert!(model.warnings.len() == 1 && model.warnings[0].starts_with("left out"), "{:?}", model.warnings);
    }
}
