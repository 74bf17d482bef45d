//! Files of test cases for paths: YAML lists that the workbench writes and `walkabout nav-test` runs.

use super::{census, wording};
use crate::disk::excerpt::shortened;
use crate::disk::{ReadFault, read_text, write};
use crate::nav::planner::Planner;
use crate::nav::search::strategy::SearchStrategy;
use crate::scene::SceneNav;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Largest file that is read, bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Default of [`Expected::tolerance`], metres.
pub const TOLERANCE: f64 = 0.01;

/// One path that is tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// Scene in which it is tried; relative names count from the file of cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<PathBuf>,
    /// Or the mesh (`.navmesh`, `.json`) on which it is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<PathBuf>,
    /// Planner that finds it.
    pub planner: Planner,
    /// Distance to keep from the edges of the mesh, metres.
    #[serde(default)]
    pub radius: f32,
    /// Whether exact planners measure lengths along the surface; without this key as the scene's test path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along_surface: Option<bool>,
    /// How the planner `centers` searches; without this key as the scene's test path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchStrategy>,
    /// Where it begins, world space.
    pub from: Vec3,
    /// Where it ends.
    pub to: Vec3,
    /// Enemies, world space; without this key those of the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threats: Option<Vec<Vec3>>,
    /// What has to come of it.
    pub expect: Expected,
}

/// What has to come of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expected {
    /// Whether there is a path.
    pub found: bool,
    /// Its length, metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// How far from that it may be, metres.
    #[serde(default = "tolerance", skip_serializing_if = "is_usual")]
    pub tolerance: f64,
    /// Words of the reason why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn tolerance() -> f64 {
    TOLERANCE
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_usual(tolerance: &f64) -> bool {
    (*tolerance - TOLERANCE).abs() < f64::EPSILON
}

/// What a case says that no path can be tried with. The text follows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CaseError {
    /// It names no place to try, or two.
    #[error("needs either 'scene' or 'mesh'; give one of them")]
    Place,
    /// The planner does not search meshes.
    #[error("has the planner '{0}', which needs a scene; choose another")]
    Planner(Planner),
    /// A coordinate is not finite.
    #[error("has a point that is not finite; give three numbers each")]
    Point,
    /// A distance is negative or no number.
    #[error("has a 'radius' or 'tolerance' that is negative or no number; give 0 or more")]
    Distance,
    /// The length that is expected is negative or no number.
    #[error("expects a 'length' that is negative or no number; give 0 or more, or none")]
    Length,
}

/// Why a file of cases was not read or written.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CasesError {
    #[error("Test cases not read: {reason}. Check that the file exists and may be read. File: {}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("Test cases not read: {reason}. Mend that place; a file is a list of maps with name, scene or mesh, planner, from, to and expect. File: {}", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("Test cases not read: case {number} ({name:?}) {reason}. File: {}", path.display())]
    Case { path: PathBuf, number: usize, name: String, reason: CaseError },
    #[error("Test case not recorded: {reason}. Choose another file or folder; the file is as it was. File: {}", path.display())]
    Unwritable { path: PathBuf, reason: String },
}

impl Case {
    /// The test path of a scene, to be found as it was found now.
    pub fn of_scene(nav: &SceneNav, scene: &Path, length: Option<f64>, reason: Option<&str>) -> Self {
        let probe = &nav.probe;
        Self {
            name: String::new(),
            scene: Some(scene.to_path_buf()),
            mesh: None,
            planner: probe.planner,
            radius: probe.radius,
            along_surface: probe.planner.is_exact().then_some(probe.along_surface),
            search: (probe.planner == Planner::Centers).then_some(probe.search),
            from: probe.start.unwrap_or_default(),
            to: probe.end.unwrap_or_default(),
            threats: Some(nav.threats.clone()).filter(|t| !t.is_empty()),
            expect: Expected {
                found: length.is_some(),
                length: length.map(|l| (l * 1e4).round() / 1e4),
                tolerance: TOLERANCE,
                reason: reason.map(str::to_owned),
            },
        }
    }

    /// What is wrong with it.
    fn check(&self) -> Result<(), CaseError> {
        if self.scene.is_some() == self.mesh.is_some() {
            return Err(CaseError::Place);
        }
        if self.mesh.is_some() && !self.planner.needs_mesh() {
            return Err(CaseError::Planner(self.planner));
        }
        let mut points = [self.from, self.to].into_iter().chain(self.threats.iter().flatten().copied());
        if !points.all(Vec3::is_finite) {
            return Err(CaseError::Point);
        }
        if !(self.radius >= 0.0 && self.radius.is_finite() && self.expect.tolerance >= 0.0) {
            return Err(CaseError::Distance);
        }
        if self.expect.length.is_some_and(|length| !(length >= 0.0 && length.is_finite())) {
            return Err(CaseError::Length);
        }
        Ok(())
    }
}

/// Reads a file of cases; what they name is relative to its folder.
///
/// # Errors
/// The file cannot be read, is no list of cases, or a case cannot be.
pub fn read(path: &Path) -> Result<Vec<Case>, CasesError> {
    let unreadable = |reason: String| CasesError::Unreadable { path: path.to_path_buf(), reason };
    parse(&read_text(path, MAX_BYTES).map_err(|fault| unreadable(fault.to_string()))?, path)
}

fn parse(text: &str, path: &Path) -> Result<Vec<Case>, CasesError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let malformed = |e: serde_yaml::Error| {
        let reason = shortened(&wording::for_people(&e.to_string(), text));
        CasesError::Malformed { path: path.to_path_buf(), reason }
    };
    census::check(text).map_err(malformed)?;
    let cases: Vec<Case> = serde_yaml::from_str(text).map_err(malformed)?;
    for (i, case) in cases.iter().enumerate() {
        case.check().map_err(|reason| CasesError::Case {
            path: path.to_path_buf(),
            number: i + 1,
            name: case.name.clone(),
            reason,
        })?;
    }
    Ok(cases)
}

/// Adds a case to a file, which need not exist, and answers how many there are. What the file holds, comments
/// included, stays as it is. A case without a name gets one.
///
/// # Errors
/// The file holds something else, or cannot be written.
pub fn append(path: &Path, mut case: Case) -> Result<usize, CasesError> {
    let unwritable = |reason: String| CasesError::Unwritable { path: path.to_path_buf(), reason };
    let mut text = match read_text(path, MAX_BYTES) {
        Ok(text) => text,
        Err(ReadFault::Missing) => String::new(),
        Err(fault) => return Err(unwritable(fault.to_string())),
    };
    let count = parse(&text, path)?.len() + 1;
    if case.name.is_empty() {
        case.name = format!("path {count}");
    }
    let folder = path.parent().and_then(|folder| std::path::absolute(folder).ok());
    if let (Some(scene), Some(folder)) = (&mut case.scene, folder)
        && let Ok(inside) = scene.strip_prefix(&folder)
    {
        *scene = inside.to_path_buf();
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text += &serde_yaml::to_string(&[case]).map_err(|e| unwritable(e.to_string()))?;
    if parse(&text, path).is_ok_and(|cases| cases.len() == count) {
        return write(path, text.as_bytes()).map(|()| count).map_err(|fault| unwritable(fault.to_string()));
    }
    Err(unwritable("its list is not written with one '- ' per case, so that nothing can be added".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::search::strategy::SearchAlgorithm;

    fn tried() -> Case {
        let mut nav = SceneNav { threats: vec![Vec3::X], ..SceneNav::default() };
        (nav.probe.start, nav.probe.end) = (Some(Vec3::ZERO), Some(Vec3::new(0.1, 2.5, -7.0)));
        Case::of_scene(&nav, Path::new("yard.acfg"), Some(7.123_456), None)
    }

    #[test]
    fn recorded_cases_are_read_again_and_comments_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cases.yaml");
        assert_eq!(append(&file, tried()).unwrap(), 1);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("# my cases\n{}", text.trim_end())).unwrap();
        let inside = Case { scene: Some(folder.path().join("inner/yard.acfg")), ..tried() };
        assert_eq!(append(&file, inside).unwrap(), 2);
        let cases = read(&file).unwrap();
        assert_eq!(cases[0], Case { name: "path 1".into(), ..tried() });
        assert_eq!((cases[1].name.as_str(), cases[0].expect.length), ("path 2", Some(7.1235)));
        assert_eq!(cases[1].scene.as_deref(), Some(Path::new("inner/yard.acfg")));
        assert!(std::fs::read_to_string(&file).unwrap().starts_with("# my cases\n"));
    }

    #[test]
    fn a_case_records_what_its_planner_heeds() {
        let recorded = |planner| {
            let mut nav = SceneNav::default();
            (nav.probe.planner, nav.probe.along_surface) = (planner, true);
            nav.probe.search.algorithm = SearchAlgorithm::Greedy;
            let case = Case { name: "a".into(), ..Case::of_scene(&nav, Path::new("yard.acfg"), None, None) };
            let text = serde_yaml::to_string(&[case]).unwrap();
            let read = parse(&text, Path::new("cases.yaml")).unwrap().remove(0);
            (read.along_surface, read.search.map(|search| search.algorithm))
        };
        assert_eq!(recorded(Planner::Exact), (Some(true), None));
        assert_eq!(recorded(Planner::Centers), (None, Some(SearchAlgorithm::Greedy)));
        assert_eq!(recorded(Planner::Funnel), (None, None));
    }

    #[test]
    fn what_is_no_case_is_named() {
        let said = |text: &str| parse(text, Path::new("cases.yaml")).map(drop).unwrap_err().to_string();
        let case =
            |rest: &str| format!("- {{name: a, from: [0, 0, 0], to: [1, 0, 0], expect: {{found: true}}, {rest}}}");
        for (text, word) in [
            ("levels: 3".to_owned(), "expected a list, whose entries begin with '- '"),
            ("levels:\n\t- name: a".to_owned(), "line 2 is indented by a tab"),
            (case("planner: funnel"), "either 'scene' or 'mesh'"),
            (case("planner: crow, scene: a.acfg"), "'crow'"),
            (case("planner: centers, mesh: a.navmesh"), "'centers'"),
            (case("planner: funnel, mesh: a.navmesh, radius: -1"), "'radius'"),
            (case("planner: funnel, mesh: a.navmesh, colour: red"), "colour"),
            (
                case("planner: funnel, mesh: a.navmesh").replace("found: true", "found: true, length: .nan"),
                "expects a 'length'",
            ),
            // Reading takes time with the square of the depth.
            ("[".repeat(10_000_000), "too many brackets"),
        ] {
            let said = said(&text);
            assert!(said.contains(word) && said.ends_with("File: cases.yaml"), "{said}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other.yaml");
        std::fs::write(&file, "[]\n").unwrap();
        assert!(append(&file, tried()).unwrap_err().to_string().contains("one '- ' per case"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "[]\n");
    }
}
