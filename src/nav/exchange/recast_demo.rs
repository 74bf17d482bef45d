//! What RecastDemo keeps beside meshes, as text: geometry sets (`.gset`: a level, settings, off-mesh connections, convex
//! volumes) and files of test cases (a sample, a level, paths and rays).

use std::path::{Component, Path, PathBuf};

use glam::{Vec2, Vec3};

use super::ExchangeError;
use crate::disk::InsideFolder;
use crate::nav::bake::{BakeSettings, Partition, Volume, VolumeShape};
use crate::nav::mesh::off_mesh::{LinkKind, PlacedLink};

/// Folders above a file in which its level is looked for.
const MAX_ABOVE: usize = 4;
/// Most corners of a volume.
const MAX_CORNERS: usize = 256;

/// A geometry set.
#[derive(Clone, Debug, PartialEq)]
pub struct GeometrySet {
    /// Name of the level's file.
    pub level: String,
    /// Settings, connections and volumes; RecastDemo's defaults where the file has no settings.
    pub bake: BakeSettings,
}

/// What a test case asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoQuestion {
    /// A path.
    Path,
    /// How far a straight line is free.
    Ray,
}

/// A test case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemoCase {
    /// What is asked for.
    pub question: DemoQuestion,
    /// Begin and end, world space.
    pub ends: [Vec3; 2],
    /// Flags of which a polygon needs one.
    pub include: u16,
    /// Flags of which it may have none.
    pub exclude: u16,
}

/// A file of test cases.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoCases {
    /// Name of the sample, such as "Solo Mesh".
    pub sample: String,
    /// Name of the level's file.
    pub level: String,
    /// The cases, in the order of the file.
    pub cases: Vec<DemoCase>,
}

/// The lines of a text that are neither empty nor comments.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_row = |line: &&str| !line.is_empty() && !["#", "//", ";"].iter().any(|mark| line.starts_with(mark));
    text.lines().map(str::trim).filter(is_row)
}

fn first_word(row: &str) -> &str {
    row.split_whitespace().next().unwrap_or("")
}

/// Whether a line `f FILE` names a level: those of OBJ files name vertices.
fn names_level(row: &str) -> bool {
    let is_vertex = |word: &str| word.chars().all(|c| c.is_ascii_digit() || "/-".contains(c));
    first_word(row) == "f" && row[1..].split_whitespace().any(|word| !is_vertex(word))
}

/// Whether a line `s NAME` names a sample: those of geometry sets have numbers, and those of OBJ files a group.
fn names_sample(row: &str) -> bool {
    let name = row.split_whitespace().nth(1).unwrap_or("");
    first_word(row) == "s" && name != "off" && number(name).is_none()
}

/// Whether a text begins as RecastDemo's do: with a level, a sample or settings, and names a level.
fn is_demo_text(text: &str) -> bool {
    rows(text).next().is_some_and(|row| ["f", "s"].contains(&first_word(row))) && rows(text).any(names_level)
}

fn has_cases(text: &str) -> bool {
    rows(text).any(|row| ["pf", "rc"].contains(&first_word(row)) || names_sample(row))
}

/// Whether a text is a geometry set. RecastDemo passes over lines that it does not know.
pub fn is_geometry_set(text: &str) -> bool {
    is_demo_text(text) && !has_cases(text)
}

/// Whether a text is a file of test cases. RecastDemo passes over lines that it does not know.
pub fn is_demo_cases(text: &str) -> bool {
    is_demo_text(text) && has_cases(text)
}

/// The flags that RecastDemo gives the polygons of an area (`SamplePolyAreas`, `SamplePolyFlags`): ground, road and grass are
/// walked on, water is swum in, doors are walked through and are doors; other areas have none.
pub fn flags_of_area(area: u8) -> u16 {
    match area {
        0 | 2 | 4 => 1,
        1 => 2,
        3 => 1 | 4,
        _ => 0,
    }
}

/// The numbers of a line, after its first word.
fn numbers(line: &str) -> impl Iterator<Item = Option<f32>> + '_ {
    line.split_whitespace().skip(1).map(number)
}

fn number(word: &str) -> Option<f32> {
    word.parse::<f32>().ok().filter(|n| n.is_finite())
}

/// Reads a geometry set.
///
/// # Errors
/// A line is damaged, or none names a level.
pub fn read_geometry_set(text: &str) -> Result<GeometrySet, ExchangeError> {
    let mut set = GeometrySet { level: String::new(), bake: BakeSettings::default() };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let fault = |what| ExchangeError::Element { what, index: at + 1 };
        match line.split_whitespace().next() {
            Some("f") => line.trim_start()[1..].trim().clone_into(&mut set.level),
            Some("s") => take_settings(line, &mut set.bake).ok_or(fault("the settings of line"))?,
            Some("c") => set.bake.placed_links.push(connection(line).ok_or(fault("the connection of line"))?),
            Some("v") => {
                let rows = lines.by_ref().map(|(_, row)| row).filter(|row| !row.trim().is_empty());
                set.bake.volumes.push(volume(line, rows).ok_or(fault("the volume of line"))?);
            }
            _ => {}
        }
    }
    match set.level.is_empty() {
        true => Err(ExchangeError::Text("no line `f FILE` names a level; add one".into())),
        false => Ok(set),
    }
}

/// Settings in the order of RecastDemo's `BuildSettings`; the bounds are not used. Early versions end before them.
fn take_settings(line: &str, bake: &mut BakeSettings) -> Option<()> {
    let n = numbers(line).collect::<Option<Vec<f32>>>()?;
    let values = n.get(..14)?;
    let whole = |n: f32| (n >= 0.0).then_some(n as u32);
    *bake = BakeSettings {
        cell_size: values[0],
        cell_height: values[1],
        agent_height: values[2],
        agent_radius: values[3],
        agent_climb: values[4],
        slope_rad: values[5].to_radians(),
        region_min_cells: whole(values[6])?,
        region_merge_cells: whole(values[7])?,
        edge_length: values[8],
        edge_error_cells: values[9],
        corners: whole(values[10])?,
        detail_distance_cells: values[11],
        detail_error_cells: values[12],
        partition: match whole(values[13])? {
            1 => Partition::Monotone,
            2 => Partition::Layers,
            _ => Partition::Watershed,
        },
        tile_cells: n.get(20).map_or(Some(0), |&n| whole(n))?,
        ..bake.clone()
    };
    Some(())
}

/// `c`: begin, end, radius, both ways, area, flags.
fn connection(line: &str) -> Option<PlacedLink> {
    let n = numbers(line).collect::<Option<Vec<f32>>>()?;
    let place = |at: usize| Some(Vec3::from_slice(n.get(at..at + 3)?).as_dvec3());
    let [radius, both_ways, area, flags] = *n.get(6..10)? else { return None };
    Some(PlacedLink {
        start: place(0)?,
        end: place(3)?,
        kind: LinkKind::Placed,
        both_ways: both_ways != 0.0,
        reach: radius,
        area: (0.0..64.0).contains(&area).then_some(area as u8)?,
        flags: (0.0..65536.0).contains(&flags).then_some(flags as u16)?,
    })
}

/// `v`: number of corners, area, lower and upper end; then a line of x, y and z for each corner.
fn volume<'a>(line: &str, rows: impl Iterator<Item = &'a str>) -> Option<Volume> {
    let [corners, area, low, high] = numbers(line).collect::<Option<Vec<f32>>>()?.try_into().ok()?;
    if !(3.0..=MAX_CORNERS as f32).contains(&corners) || !(0.0..64.0).contains(&area) {
        return None;
    }
    let corner = |row: &str| {
        let [x, _, z] = row.split_whitespace().map(number).collect::<Option<Vec<f32>>>()?.try_into().ok()?;
        Some(Vec2::new(x, z))
    };
    let outline = rows.take(corners as usize).map(corner).collect::<Option<Vec<Vec2>>>()?;
    let is_whole = outline.len() == corners as usize;
    is_whole.then_some(Volume { shape: VolumeShape::Convex { outline, low, high }, area: Some(area as u8) })
}

/// Reads a file of test cases.
///
/// # Errors
/// A line is damaged, or none names a level.
pub fn read_demo_cases(text: &str) -> Result<DemoCases, ExchangeError> {
    let mut file = DemoCases { sample: String::new(), level: String::new(), cases: Vec::new() };
    for (at, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let rest = || line.trim_start()[1..].trim().to_owned();
        match line.split_whitespace().next() {
            Some("s") => file.sample = rest(),
            Some("f") => file.level = rest(),
            Some(word @ ("pf" | "rc")) => {
                let question = if word == "pf" { DemoQuestion::Path } else { DemoQuestion::Ray };
                let fault = ExchangeError::Element { what: "the case of line", index: at + 1 };
                file.cases.push(case(line, question).ok_or(fault)?);
            }
            _ => {}
        }
    }
    match file.level.is_empty() {
        true => Err(ExchangeError::Text("no line `f FILE` names a level; add one".into())),
        false => Ok(file),
    }
}

fn case(line: &str, question: DemoQuestion) -> Option<DemoCase> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let places = words.get(..6)?.iter().map(|word| number(word)).collect::<Option<Vec<f32>>>()?;
    let flags = |at: usize| u16::from_str_radix(words.get(at)?.trim_start_matches("0x"), 16).ok();
    let ends = [Vec3::from_slice(&places[..3]), Vec3::from_slice(&places[3..])];
    Some(DemoCase { question, ends, include: flags(6)?, exclude: flags(7)? })
}

/// The name of a level without what leads out of a folder.
pub fn name_inside(name: &str) -> PathBuf {
    let name = name.replace('\\', "/");
    Path::new(&name).components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// The level that a file of RecastDemo names: beside it, in a folder `Meshes` there, or in the folders above, and nowhere
/// else, whatever the name begins with.
pub fn find_level(file: &Path, name: &str) -> Option<PathBuf> {
    let name = name_inside(name);
    let bare = name.file_name()?;
    let folder = std::path::absolute(file).ok()?;
    let places = |folder: &Path| {
        [folder.join(&name), folder.join(bare), folder.join("Meshes").join(bare), folder.join("meshes").join(bare)]
    };
    let folders = || folder.ancestors().skip(1).take(MAX_ABOVE);
    let exact = folders().flat_map(places).find(|path| path.is_file());
    // Windows does not tell upper and lower case apart.
    let in_any_case = |folder: &Path| {
        let inside = InsideFolder::of(folder);
        let names = [name.clone(), bare.into(), Path::new("Meshes").join(bare)];
        names.iter().find_map(|name| inside.resolve(name).ok().filter(|path| path.is_file()))
    };
    exact.or_else(|| folders().find_map(in_any_case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    const SET: &str = "f Meshes/yard.obj\n\
        s 0.3 0.2 2 0.6 0.9 45 8 20 12 1.3 6 6 1 2 -1 -2 -3 4 5 6 48\n\
        c 1 2 3 4 5 6 0.5 1 5 8\nv 3 4 -1.5 2.5\n0 0 0\n4 0 0\n\n4 0 3\n";

    #[test]
    fn geometry_sets_have_level_settings_links_and_volumes() {
        assert!(is_geometry_set(SET) && !is_demo_cases(SET));
        let set = read_geometry_set(SET).unwrap();
        assert_eq!(set.level, "Meshes/yard.obj");
        let bake = &set.bake;
        assert_eq!((bake.partition, bake.tile_cells, bake.corners), (Partition::Layers, 48, 6));
        assert_eq!((bake.cell_size, bake.agent_climb, bake.detail_error_cells), (0.3, 0.9, 1.0));
        let link = &bake.placed_links[0];
        assert_eq!((link.end, link.both_ways, link.area, link.flags), (DVec3::new(4.0, 5.0, 6.0), true, 5, 8));
        let outline = vec![Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(4.0, 3.0)];
        assert_eq!(bake.volumes[0].shape, VolumeShape::Convex { outline, low: -1.5, high: 2.5 });
        for (from, to, words) in [
            ("v 3", "v 4", "the volume of line 4"),
            ("1 5 8", "1 99 8", "the connection of line 3"),
            ("0.3 0.2", "0.3 nan", "the settings of line 2"),
            ("f Meshes/yard.obj", "f", "names a level"),
        ] {
            let error = read_geometry_set(&SET.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn test_cases_are_paths_and_rays() {
        let text = "s Tile Mesh\nf nav_test.obj\npf 1 2 3  4 5 6  0x3 0x0\nrc -1 0 0 1 0 0 0xffef 0x10";
        assert!(is_demo_cases(text) && !is_geometry_set(text));
        let file = read_demo_cases(text).unwrap();
        assert_eq!((file.sample.as_str(), file.level.as_str()), ("Tile Mesh", "nav_test.obj"));
        assert_eq!(file.cases[0].ends, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(
            (file.cases[1].question, file.cases[1].include, file.cases[1].exclude),
            (DemoQuestion::Ray, 0xffef, 16)
        );
        let error = read_demo_cases(&text.replace("0xffef", "0xfffef")).unwrap_err().to_string();
        assert!(error.contains("the case of line 4"), "{error}");
        assert!(!is_demo_cases("- name: a") && !is_geometry_set("version: 9.0"));
    }

    #[test]
    fn comments_unknown_lines_and_any_order_are_legal() {
        let level = "f nav_test.obj\n";
        let settings = "s 0.3 0.2 2 0.6 0.9 45 8 20 12 1.3 6 6 1 0\n";
        for text in [
            format!("# a comment\n{level}"),
            format!("\u{feff}{level}# a comment\nx unknown 1 2\n"),
            format!("{settings}{level}"),
            format!("// first\n\n{settings}{level}"),
        ] {
            assert!(is_geometry_set(&text) && !is_demo_cases(&text), "{text}");
            let set = read_geometry_set(&text).unwrap();
            assert_eq!(set.level, "nav_test.obj", "{text}");
            assert_eq!(set.bake.cell_size, 0.3);
        }
        let cases = "# all\ns Tile Mesh\nf a.gset\n# c\nunknown 1\npf 9 -2 26 20 -2 20 0x3 0x0\n";
        for text in [cases, &format!("\u{feff}{cases}"), &cases.replace("s Tile Mesh\n", "")] {
            assert!(is_demo_cases(text) && !is_geometry_set(text), "{text}");
            assert_eq!(read_demo_cases(text).unwrap().cases.len(), 1);
        }
        for text in ["s off\nv 0 0 0\nf 1/1/1 2//2 -3\n", "f 1 2 3\n", "# scene\nversion: 9.0\n", "s 1\nf 1 2 3\n"] {
            assert!(!is_geometry_set(text) && !is_demo_cases(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_mesh_is_told_from_one() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |text: &str| {
            let file = folder.path().join("yard.txt");
            std::fs::write(&file, text).unwrap();
            crate::nav::exchange::read_mesh(&file).unwrap_err().to_string()
        };
        let cases = "s Solo Mesh\nf yard.obj\npf 1 0 1  2 0 2  0x3 0x0\n";
        assert_eq!(refused(cases), "the file holds test cases of RecastDemo, no mesh; `walkabout nav-test` runs them");
        assert!(refused(SET).contains("a scene of RecastDemo"), "{}", refused(SET));
    }
}
