//! `walkabout nav-test`: runs recorded test cases for paths.

use super::case_result::CaseResult;
use super::demo_cases;
use super::output::print_line;
use super::watch::{again_on_change, parts_of};
use crate::asset::AssetStore;
use crate::disk::folder_of;
use crate::inspect::Inspector;
use crate::inspect::query_tool::QueryResult;
use crate::scene::file::cases::{Case, read};
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, SceneNav, file};
use crate::sim::World;
use anyhow::{anyhow, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  walkabout nav-test paths.yaml
  walkabout nav-test paths.yaml --json
  walkabout nav-test paths.yaml --watch

A case of the file:
  - name: round the corner
    scene: courtyard.acfg        # or mesh: courtyard.navmesh
    planner: funnel
    radius: 0.0
    from: [0, 0, 5]
    to: [4, 0, -3]
    threats: [[2, 0, 2]]         # without this key those of the scene
    along-surface: true          # for exact planners; without this key as the scene's test path
    expect: { found: true, length: 8.94, tolerance: 0.01 }
RecastDemo's test cases run, too: on the level that they name, baked as RecastDemo does by default.
Where no path is expected, 'reason' may hold words of the answer: expect: { found: false, reason: island }";

/// Run recorded test cases for paths.
///
/// The navigation workbench records them ("Record as test case"). Each case is tried as the workbench tries it. The exit
/// code is 1 when a case fails or cannot be run.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct NavTestArgs {
    /// Files of test cases (.yaml, or RecastDemo's .txt).
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Print JSON to standard output.
    #[arg(long)]
    json: bool,

    /// Run again whenever a file of cases, or a scene, level or mesh of theirs has changed.
    #[arg(long)]
    watch: bool,
}

/// Runs the command.
///
/// # Errors
/// A file of cases that cannot be read; a case that fails is printed and gives exit code 1.
pub fn run(args: &NavTestArgs) -> anyhow::Result<ExitCode> {
    match args.watch {
        true => again_on_change(|| watched(args), || run_once(args)),
        false => run_once(args),
    }
}

/// The files of cases and what they name.
fn watched(args: &NavTestArgs) -> Vec<PathBuf> {
    let mut files = args.files.clone();
    for file in &args.files {
        if let Some(level) = demo_cases::level_of(file) {
            files.extend(parts_of(&level));
        }
        let folder = folder_of(file);
        let cases = read(file).unwrap_or_default();
        let mut named: Vec<&PathBuf> = cases.iter().filter_map(|c| c.scene.as_ref().or(c.mesh.as_ref())).collect();
        named.sort_unstable();
        named.dedup();
        files.extend(named.into_iter().flat_map(|name| parts_of(&folder.join(name))));
    }
    files
}

fn run_once(args: &NavTestArgs) -> anyhow::Result<ExitCode> {
    let mut outcomes = Vec::new();
    for file in &args.files {
        if let Some(results) = demo_cases::run(file)? {
            outcomes.extend(results);
            continue;
        }
        let cases = read(file)?;
        if cases.is_empty() {
            bail!("there are no test cases to run; record some in the navigation workbench. File: {}", file.display());
        }
        let folder = folder_of(file);
        let mut stage: Option<(PathBuf, CaseScene)> = None;
        for case in cases {
            let outcome = answer(&case, folder, &mut stage);
            outcomes.push(judge(file, case, outcome));
        }
    }
    let failed = outcomes.iter().filter(|o| !o.passed).count();
    if args.json {
        let all = serde_json::json!({ "cases": outcomes, "passed": outcomes.len() - failed, "failed": failed });
        print_line(&all.to_string())?;
    } else {
        for o in &outcomes {
            let said = match (&o.failure, o.length) {
                // What names a file already is about that.
                (Some(failure), _) if failure.contains("File: ") => format!("FAIL  {}: {failure}", o.name),
                (Some(failure), _) => format!("FAIL  {}: {failure}. File: {}", o.name, o.file.display()),
                (None, Some(length)) => {
                    let reason = o.reason.iter().map(|reason| format!("; {reason}")).collect::<String>();
                    format!("pass  {}: {length:.2} m, {:.1} µs{reason}", o.name, o.micros)
                }
                (None, None) => format!("pass  {}: no path, as expected", o.name),
            };
            print_line(&said)?;
        }
        print_line(&format!("{} of {} passed", outcomes.len() - failed, outcomes.len()))?;
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// A scene in which cases are tried one after the other.
struct CaseScene {
    /// What the scene's file says.
    nav: Arc<SceneNav>,
    scene: Scene,
    assets: AssetStore,
    world: World,
    inspector: Inspector,
}

impl CaseScene {
    fn open(case: &Case, path: &Path) -> anyhow::Result<Self> {
        let (scene, root) = if case.mesh.is_some() {
            if !path.is_file() {
                bail!("there is no mesh {}; mend the name in the case", path.display());
            }
            let path = std::path::absolute(path)?;
            let mesh = MeshSource::File(path.to_string_lossy().into_owned());
            (Scene { nav: Arc::new(SceneNav { mesh, ..SceneNav::default() }), ..Scene::default() }, PathBuf::new())
        } else {
            let loaded = file::load(path)?;
            (loaded.scene, loaded.root)
        };
        let assets = super::assets::load(&scene, root, &mut super::progress::ProgressLine::new());
        Ok(Self { nav: scene.nav.clone(), scene, assets, world: World::default(), inspector: Inspector::default() })
    }

    fn answer(&mut self, case: &Case) -> anyhow::Result<QueryResult> {
        let mut nav = (*self.nav).clone();
        let probe = &mut nav.probe;
        (probe.start, probe.end, probe.radius) = (Some(case.from), Some(case.to), case.radius);
        (probe.planner, probe.beside) = (case.planner, None);
        probe.along_surface = case.along_surface.unwrap_or(probe.along_surface);
        probe.search = case.search.unwrap_or(probe.search);
        if let Some(threats) = &case.threats {
            nav.threats.clone_from(threats);
        }
        self.scene.nav = Arc::new(nav);
        self.world.reconcile(&self.scene, &self.assets);
        self.inspector.reconcile(&self.world, &self.scene);
        if let Some(fault) = self.world.mesh().faults().next() {
            bail!("there is no navigation mesh, or not all of it: {fault}");
        }
        self.inspector.query().results().first().cloned().ok_or_else(|| anyhow!("it was not tried"))
    }
}

/// Tries a case; cases in a row in one scene share it.
fn answer(case: &Case, folder: &Path, stage: &mut Option<(PathBuf, CaseScene)>) -> anyhow::Result<QueryResult> {
    let Some(name) = case.scene.as_ref().or(case.mesh.as_ref()) else { bail!("it names neither scene nor mesh") };
    let path = folder.join(name);
    if stage.as_ref().is_none_or(|(known, _)| *known != path) {
        *stage = Some((path.clone(), CaseScene::open(case, &path)?));
    }
    match stage {
        Some((_, stage)) => stage.answer(case),
        None => bail!("its scene is not open"),
    }
}

fn judge(file: &Path, case: Case, answer: anyhow::Result<QueryResult>) -> CaseResult {
    let mut outcome = CaseResult::new(file, case.name);
    let result = match answer {
        Ok(result) => result,
        Err(error) => {
            outcome.failure = Some(format!("it cannot be run: {error:#}"));
            return outcome;
        }
    };
    (outcome.expanded, outcome.micros) = (result.expanded, result.micros);
    outcome.length = result.reason.is_none().then_some(result.length);
    outcome.reason = result.reason;
    let expect = &case.expect;
    let remedy = "mend the scene, or record the case anew";
    outcome.failure = match (expect.found, outcome.length, &outcome.reason) {
        (true, Some(length), _) => expect
            .length
            .filter(|e| !((length - e).abs() <= expect.tolerance))
            .map(|wanted| format!("the path is {length:.4} m long, not {wanted} ± {}; {remedy}", expect.tolerance)),
        (true, None, reason) => Some(format!("there is no path: {}; {remedy}", reason.as_deref().unwrap_or("–"))),
        (false, Some(length), _) => Some(format!("there is a path of {length:.4} m where none was expected; {remedy}")),
        (false, None, reason) => {
            let (said, wanted) = (reason.as_deref().unwrap_or(""), expect.reason.as_deref().unwrap_or(""));
            (!said.contains(wanted)).then(|| format!("the reason is '{said}', without '{wanted}'; {remedy}"))
        }
    };
    outcome.passed = outcome.failure.is_none();
    outcome
}
