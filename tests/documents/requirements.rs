//! The table of requirements in docs/requirements.md, made from the tests.
//!
//! A test says which requirements it holds in a line of its documentation, `/// Requirement: D-2, N-5`, or by the beginning
//! of its name. The table is written anew by `UPDATE_REQUIREMENTS=1 cargo test --test documents`.

use super::text;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const MARK: &str = "/// Requirement: ";

/// What stands above the table.
const HEAD: &str = "# Requirements and their tests

Made from the tests by `UPDATE_REQUIREMENTS=1 cargo test --test documents`; do not edit. A test names what it holds in a line
`/// Requirement: D-2`, or by the beginning of its name. [navigation.md](navigation.md) explains what is meant.

B is the original program and its exercises (E), R is Recast, D is Detour, Z is a mesh of imported triangles, TP is tactical
paths with cover, N is what none of them has.

| id | what | tests | remarks |
| --- | --- | --- | --- |
";

/// A requirement.
struct Requirement {
    id: &'static str,
    what: &'static str,
    /// What is done in another way, or shown elsewhere; may be empty.
    remark: &'static str,
}

const fn row(id: &'static str, what: &'static str, remark: &'static str) -> Requirement {
    Requirement { id, what, remark }
}

const REQUIREMENTS: &[Requirement] = &[
    row(
        "B-1",
        "Ground triangles by slope",
        "The ground of a reference level, triangle by triangle (`tests/shared/ground.rs`).",
    ),
    row("B-2", "Lists of neighbours", "All 31,698 links of that level (`tests/shared/ground.rs`)."),
    row(
        "B-3",
        "A* by distances between centres",
        "The 150 paths of the original on its level (`tests/shared/ground.rs`).",
    ),
    row("B-4", "Targets by flag and choice; a new search only for a new triangle", ""),
    row("B-5", "The walked path begins and ends at people, not at centres", ""),
    row("B-6", "Turning while walking", ""),
    row("B-7", "Gravity for targets", ""),
    row("B-8", "Saved in YAML", ""),
    row("B-9", "Path lines, switchable; centre on the target", "Panels and overlays by their labels in `tests/ui`."),
    row("D-1", "`nearest` with half extents and filter", ""),
    row("D-2", "The right floor first", ""),
    row("D-3", "Heights by detail triangles", ""),
    row("D-4", "Points in polygons by odd and even crossings", "Polygons are convex, the signs of their edges decide."),
    row("D-5", "Links", ""),
    row("D-6", "A* over edge middles", ""),
    row("D-7", "Partial paths", "There is no limit on nodes."),
    row("D-8", "Invalid input is refused", ""),
    row("D-9", "Portals left and right", "There are no tile borders."),
    row("D-10", "Straight path by funnel, with crossings", ""),
    row("D-11", "The path to any node", ""),
    row("E-1", "Smooth ways over large triangles", ""),
    row("E-2", "Only neighbours that share a part of an edge", ""),
    row("E-3", "Distance to walls", "On meshes see N-1, exactly."),
    row(
        "E-4",
        "Narrow passages by the size of an instance",
        "On meshes. The original's graph, for the planner `centers`, has one path for all sizes.",
    ),
    row("E-5", "Meshes made in an editor", "Also JSON meshes."),
    row("N-1", "One mesh, every radius", ""),
    row("N-2", "Exact shortest paths", ""),
    row("N-3", "Every reachable pair; refusals say why", ""),
    row("N-4", "No path leaves the ground", ""),
    row("N-5", "The right floor", ""),
    row("N-6", "Obstacles of any convex shape", ""),
    row("N-7", "Jump and drop links", ""),
    row("N-8", "Crowds that do not jam", ""),
    row("N-9", "Deterministic", "Also by processes, in `tests/cli`."),
    row("N-10", "Every stage and search can be drawn", ""),
    row("R-1", "Adjacent convex polygons", ""),
    row("R-2", "Settings in world units", ""),
    row("R-3", "From bounds and triangles", ""),
    row("R-4", "Walkable by slope", ""),
    row("R-5", "Rasterising cuts keep area and corners", ""),
    row("R-6", "One new corner per crossed edge", ""),
    row("R-7", "Merged spans: whose area wins", ""),
    row("R-8", "Degenerate triangles", ""),
    row("R-9", "Every stage can be kept and drawn", ""),
    row("TP-1", "Cover segments with heights", ""),
    row("TP-2", "From the geometry beside the mesh", ""),
    row("TP-3", "Small cover maps per polygon", ""),
    row("TP-4", "Chosen by direction, distance, occlusion", ""),
    row("TP-5", "More entries are more exact", ""),
    row("TP-6", "The enemy's polygon gives the list", ""),
    row("TP-7", "Wedges of three planes", ""),
    row("TP-8", "Hidden parts are united", ""),
    row("TP-9", "Exposure ratio and bias", ""),
    row("TP-10", "Expanded nodes are reported", ""),
    row("TP-11", "Mark-up by designers", ""),
    row("TP-12", "Mark-up keeps edges of the mesh", "Marks go by area of a bake's volumes."),
    row("TP-13", "Factors of at least one", ""),
    row("TP-14", "No ray in the search", ""),
    row("TP-15", "Small moves change little", ""),
    row("TP-16", "Rectangles and floors", ""),
    row("TP-17", "Cover that vanishes", ""),
    row("TP-18", "Several enemies", ""),
    row("Z-1", "Triangles as imported", "Also the original's graph (`tests/nav/original.rs`)."),
    row("Z-2", "A solver that knows no geometry", ""),
    row("Z-3", "Costs between centres", "The original's graph costs so; on meshes a switch per polygon."),
    row("Z-4", "Click start and end", ""),
    row("Z-5", "Points over edge middles", ""),
    row("Z-6", "Smoothing", "Pulled tight instead, see E-1."),
];

/// The requirements that the name of a test begins with: `d_02_n_05_nearest_takes_the_right_floor`.
fn leading_ids(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = name.split('_');
    while let (Some(kind), Some(Ok(number))) = (words.next(), words.next().map(str::parse::<u32>))
        && ["b", "d", "e", "n", "r", "tp", "z"].contains(&kind)
    {
        found.push(format!("{}-{number}", kind.to_uppercase()));
    }
    found
}

/// Reads the marks of a file: requirements with the test below each mark.
fn marks(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(list) = line.strip_prefix(MARK) {
            ids = list.split(", ").collect();
        } else if let Some(rest) = line.strip_prefix("fn ") {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            let marked = ids.drain(..).map(str::to_owned).chain(leading_ids(name));
            found.extend(marked.map(|id| (id, name.to_owned())));
        }
    }
    assert!(ids.is_empty(), "a mark {ids:?} has no test below it");
    found
}

/// Tests by requirement, each with its file.
fn tests_by_requirement() -> BTreeMap<String, Vec<String>> {
    fn read(folder: &Path, out: &mut BTreeMap<String, Vec<String>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("documents/requirements.rs") {
                for (id, name) in marks(&fs::read_to_string(&path).unwrap()) {
                    out.entry(id).or_default().push(name);
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    for folder in ["src", "tests"] {
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    found.values_mut().for_each(|names| names.sort_unstable());
    found
}

/// The whole document.
fn document(tests: &BTreeMap<String, Vec<String>>) -> String {
    let mut out = HEAD.to_owned();
    for Requirement { id, what, remark } in REQUIREMENTS {
        let names = tests.get(*id).map_or_else(String::new, |names| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        });
        writeln!(out, "| {id} | {what} | {names} | {remark} |").unwrap();
    }
    out
}

#[test]
fn the_table_of_requirements_is_that_of_the_tests() {
    let tests = tests_by_requirement();
    for id in tests.keys() {
        assert!(REQUIREMENTS.iter().any(|r| r.id == id), "a test names the requirement {id}, which there is not");
    }
    for Requirement { id, remark, .. } in REQUIREMENTS {
        assert!(tests.contains_key(*id) || !remark.is_empty(), "no test holds {id}, and no remark says why");
    }
    let made = document(&tests);
    if std::env::var_os("UPDATE_REQUIREMENTS").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/requirements.md"), &made).unwrap();
    }
    let kept = text("docs/requirements.md");
    let differs = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    let advice = "write it anew: UPDATE_REQUIREMENTS=1 cargo test --test documents";
    assert!(kept == made, "docs/requirements.md is not what the tests say, first at {differs:?}; {advice}");
}

#[test]
fn every_requirement_stands_in_the_table_once() {
    for (kind, count) in [("B", 9), ("D", 11), ("E", 5), ("N", 10), ("R", 9), ("TP", 18), ("Z", 6)] {
        for number in 1..=count {
            let id = format!("{kind}-{number}");
            assert_eq!(REQUIREMENTS.iter().filter(|r| r.id == id).count(), 1, "{id}");
        }
    }
    assert_eq!(REQUIREMENTS.len(), 68);
}

#[test]
fn marks_belong_to_the_test_below_them() {
    let source =
        "/// Requirement: D-2, N-5\n#[test]\nfn two() {\n}\nfn none(a: u8) {}\n    /// Requirement: R-1\n    fn one(\n";
    let found = marks(source);
    let pairs: Vec<(&str, &str)> = found.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
    assert_eq!(pairs, [("D-2", "two"), ("N-5", "two"), ("R-1", "one")]);
    assert_eq!(leading_ids("d_02_n_05_the_right_floor"), ["D-2", "N-5"]);
    assert_eq!(leading_ids("e_voice"), [""; 0]);
}
