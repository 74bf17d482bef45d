//! The scene's navigation mesh compared with another: one of a file, or the scene's own as it was.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use crate::background::{BackgroundJob, Progress, Sources};
use crate::behavior::split_mix::SplitMix64;
use crate::nav::diff::{
    DiffSide, DiffTolerance, IslandPart, LonePolygon, MeshDiff, PathChange, PathFate, compare, compare_paths,
    sample_pairs,
};
use crate::nav::exchange::{ExchangeError, read_mesh};
use crate::nav::mesh::off_mesh::OffMeshLinks;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::planner::Planner;
use crate::scene::Scene;
use crate::sim::World;
use crate::sim::nav_mesh::BuiltMesh;
use crate::vocab::labelled;

/// Random paths that are tried on both meshes.
const SAMPLES: usize = 200;
/// Seed of their ends.
const SEED: u64 = 1;
/// Most paths of a kind that are rows.
const MAX_PATHS: usize = 10;
/// Bare ground of a polygon that is worth a row, square metres.
const MIN_BARE_M2: f64 = 0.01;

/// Why two meshes are not compared.
#[derive(Clone, Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CompareError {
    #[error("{error}. File: {}", file.display())]
    File { file: PathBuf, error: Arc<ExchangeError> },
    #[error("comparing them ended without a result; the log says why")]
    NoResult,
}

/// What the scene's mesh is compared with.
#[derive(Clone, Debug)]
pub enum MeshBefore {
    /// The mesh of a file.
    File(PathBuf),
    /// The scene's mesh, as it was.
    Kept(Arc<BuiltMesh>),
}

impl MeshBefore {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(a), Self::File(b)) => a == b,
            (Self::Kept(a), Self::Kept(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

labelled! {
    /// How something differs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DifferenceKind: label {
        /// An island that is several now.
        Split = "Island split",
        /// Several islands that are one now.
        Joined = "Islands joined",
        /// An island whose ground is gone.
        IslandWent = "Island went",
        /// An island on new ground.
        IslandCame = "Island came",
        /// A path that is impossible now.
        Impossible = "Path impossible",
        /// A path that is longer now.
        Longer = "Path longer",
        /// A path that is possible now.
        Possible = "Path possible",
        /// A path that is shorter now.
        Shorter = "Path shorter",
        /// A polygon of the mesh before, with ground that is gone.
        Went = "Ground went",
        /// A polygon of the mesh now, with ground that is new.
        Came = "Ground came",
    }
}

impl DifferenceKind {
    /// Whether it is about a path.
    const fn is_path(self) -> bool {
        matches!(self, Self::Impossible | Self::Longer | Self::Possible | Self::Shorter)
    }
}

/// A difference: a row of the panel, a mark in the viewport.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What it is.
    pub kind: DifferenceKind,
    /// Where, in the world.
    pub at: DVec3,
    /// How far around there is to see of it, metres.
    pub reach: f64,
    /// How much it is: square metres of ground, percent or metres of a path.
    pub size: f64,
    /// With its measures, a sentence.
    pub text: String,
    /// Lines that show it, in the world.
    pub lines: Vec<[DVec3; 2]>,
}

/// What differs between two meshes.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The mesh before, and the scene's.
    pub meshes: [Arc<NavMesh>; 2],
    /// Polygons, ground and islands.
    pub diff: MeshDiff,
    /// How many paths have which fate.
    pub fates: BTreeMap<PathFate, usize>,
    /// What differs, islands first, then the paths that differ most, then ground; the largest of a kind first.
    pub differences: Vec<Difference>,
}

/// What is compared.
#[derive(Clone, Debug)]
struct ComparedMeshes {
    before: MeshBefore,
    after: Arc<BuiltMesh>,
    filter: Filter,
    /// How often a comparison was asked for: a file is read anew.
    round: u32,
}

impl Sources for ComparedMeshes {
    type Built = Option<Result<Arc<Comparison>, CompareError>>;
    const NAME: &str = "differences";

    fn same(&self, other: &Self) -> bool {
        self.before.same(&other.before)
            && self.after.mesh.id() == other.after.mesh.id()
            && self.filter == other.filter
            && self.round == other.round
    }

    fn build(&self, progress: &Progress) -> Self::Built {
        let (mesh, links) = match &self.before {
            MeshBefore::Kept(built) => (built.mesh.clone(), built.links.clone()),
            MeshBefore::File(file) => match read_mesh(file) {
                Ok(joined) => (Arc::new(joined.mesh), joined.links),
                Err(error) => {
                    return Some(Err(CompareError::File { file: file.clone(), error: Arc::new(error) }));
                }
            },
        };
        let links = [&links, &self.after.links];
        Some(Ok(Arc::new(Comparison::of([mesh, self.after.mesh.clone()], links, &self.filter, progress))))
    }
}

impl Comparison {
    /// Of two meshes without links.
    #[cfg(test)]
    pub(super) fn between(meshes: [Arc<NavMesh>; 2]) -> Self {
        let links = OffMeshLinks::default();
        Self::of(meshes, [&links, &links], &Filter::default(), &Progress::default())
    }

    fn of(meshes: [Arc<NavMesh>; 2], links: [&OffMeshLinks; 2], filter: &Filter, progress: &Progress) -> Self {
        let diff = compare([&meshes[0], &meshes[1]], &DiffTolerance::default());
        let side =
            |i: usize| DiffSide { mesh: &meshes[i], links: links[i], filter, planner: Planner::Exact, radius: 0.0 };
        let sides = [side(0), side(1)];
        let mut random = SplitMix64::new(SEED);
        let pairs =
            if progress.is_cancelled() { Vec::new() } else { sample_pairs(&sides, SAMPLES, &mut || random.unit()) };
        let paths = compare_paths(&sides, &pairs);
        let mut fates = BTreeMap::new();
        paths.iter().for_each(|path| *fates.entry(path.fate).or_default() += 1);
        let mut differences: Vec<Difference> = islands(&diff).chain(paths.iter().filter_map(path)).collect();
        differences.extend(diff.went.iter().filter_map(|p| ground(DifferenceKind::Went, p)));
        differences.extend(diff.came.iter().filter_map(|p| ground(DifferenceKind::Came, p)));
        differences.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.size.total_cmp(&a.size)));
        let mut of_kind: BTreeMap<DifferenceKind, usize> = BTreeMap::new();
        differences.retain(|difference| {
            let count = of_kind.entry(difference.kind).or_default();
            *count += 1;
            !difference.kind.is_path() || *count <= MAX_PATHS
        });
        Self { meshes, diff, fates, differences }
    }
}

fn islands(diff: &MeshDiff) -> impl Iterator<Item = Difference> {
    let several = |kind: DifferenceKind, verb: &'static str| {
        move |parts: &Vec<IslandPart>| {
            let sizes: Vec<String> = parts.iter().map(|part| format!("{:.1} m²", part.area_m2)).collect();
            let main = parts[0];
            let lines: Vec<[DVec3; 2]> = parts[1..].iter().map(|part| [main.at, part.at]).collect();
            let reach = lines.iter().map(|[a, b]| a.distance(*b)).fold(0.0, f64::max);
            let text = format!("An island {verb} {}.", sizes.join(", "));
            // The smallest part is where it happened: the largest may reach over the whole level.
            let least = parts.last().copied().unwrap_or(main);
            Difference { kind, at: least.at, reach, size: least.area_m2, text, lines }
        }
    };
    let one = |kind: DifferenceKind, verb: &'static str| {
        move |part: &IslandPart| {
            let text = format!("An island of {:.1} m² {verb}.", part.area_m2);
            let size = part.area_m2;
            Difference { kind, at: part.at, reach: size.sqrt(), size, text, lines: Vec::new() }
        }
    };
    let islands = &diff.islands;
    let split = islands.split.iter().map(several(DifferenceKind::Split, "fell into parts of"));
    let joined = islands.joined.iter().map(several(DifferenceKind::Joined, "was joined of parts of"));
    let went = islands.went.iter().map(one(DifferenceKind::IslandWent, "is gone"));
    let came = islands.came.iter().map(one(DifferenceKind::IslandCame, "is new"));
    split.chain(joined).chain(went).chain(came)
}

fn path(change: &PathChange) -> Option<Difference> {
    let [was, is] = change.lengths.map(Option::unwrap_or_default);
    let (kind, text) = match change.fate {
        PathFate::Impossible => {
            let reason = change.reason.as_deref().unwrap_or("there is no way");
            (DifferenceKind::Impossible, format!("A path of {was:.2} m is impossible now: {reason}."))
        }
        PathFate::Possible => (DifferenceKind::Possible, format!("A path of {is:.2} m is possible now.")),
        PathFate::Longer | PathFate::Shorter => {
            let percent = change.growth_percent().unwrap_or_default();
            let is_longer = change.fate == PathFate::Longer;
            let kind = if is_longer { DifferenceKind::Longer } else { DifferenceKind::Shorter };
            (kind, format!("A path of {was:.2} m takes {is:.2} m now ({percent:+.1} %)."))
        }
        PathFate::Same | PathFate::Never => return None,
    };
    let line = [change.ends.from, change.ends.to];
    let at = (line[0] + line[1]) * 0.5;
    let size = change.growth_percent().map_or(was.max(is), f64::abs);
    Some(Difference { kind, at, reach: line[0].distance(line[1]) * 0.5, size, text, lines: vec![line] })
}

fn ground(kind: DifferenceKind, polygon: &LonePolygon) -> Option<Difference> {
    (polygon.bare_m2 >= MIN_BARE_M2).then(|| {
        let state = if kind == DifferenceKind::Went { "gone" } else { "new" };
        let text =
            format!("Polygon {}: {:.2} of {:.2} m² are {state}.", polygon.polygon, polygon.bare_m2, polygon.area_m2);
        let size = polygon.bare_m2;
        Difference { kind, at: polygon.at, reach: size.sqrt(), size, text, lines: Vec::new() }
    })
}

/// Compares the scene's mesh with another, again whenever it changes.
#[derive(Clone, Debug, Default)]
pub struct MeshCompare {
    job: BackgroundJob<ComparedMeshes>,
    before: Option<MeshBefore>,
    round: u32,
    done: Option<ComparedMeshes>,
    result: Option<Result<Arc<Comparison>, CompareError>>,
    is_busy: bool,
    selected: Option<usize>,
}

impl MeshCompare {
    /// Compares on another thread.
    pub fn in_background() -> Self {
        Self { job: BackgroundJob::in_background(), ..Self::default() }
    }

    /// Compares with this from now on.
    pub fn start(&mut self, before: MeshBefore) {
        self.round += 1;
        (self.before, self.result, self.selected) = (Some(before), None, None);
        self.is_busy = true;
    }

    /// Compares with nothing any more.
    pub fn clear(&mut self) {
        self.job.cancel();
        *self = Self { job: std::mem::take(&mut self.job), round: self.round, ..Self::default() };
    }

    /// Compares again where the scene's mesh is another than it was. Cheap when nothing changed.
    pub fn reconcile(&mut self, world: &World, scene: &Scene) {
        let Some(before) = &self.before else { return };
        let Some(after) = world.mesh().built().filter(|_| !world.is_building()).cloned() else {
            // Without a mesh that is being built there is nothing to wait for.
            self.is_busy &= world.is_building();
            return;
        };
        let wanted = ComparedMeshes { before: before.clone(), after, filter: scene.nav.filter(), round: self.round };
        self.is_busy = self.done.as_ref().is_none_or(|done| !done.same(&wanted));
        if !self.is_busy {
            return;
        }
        if let Some(result) = self.job.poll(&wanted) {
            self.result = Some(result.unwrap_or(Err(CompareError::NoResult)));
            (self.done, self.selected, self.is_busy) = (Some(wanted), None, false);
        }
    }

    /// Whether it is at work.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// What is compared with.
    pub fn before(&self) -> Option<&MeshBefore> {
        self.before.as_ref()
    }

    /// What differs, or why the mesh before cannot be read.
    pub fn result(&self) -> Option<Result<&Arc<Comparison>, &CompareError>> {
        self.result.as_ref().map(Result::as_ref)
    }

    /// Number of the difference that is looked at.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Looks at a difference.
    pub fn select(&mut self, number: usize) -> Option<&Difference> {
        self.selected = Some(number);
        self.result.as_ref()?.as_ref().ok()?.differences.get(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_waited_for_where_no_mesh_is_built() {
        let mut compare = MeshCompare::default();
        compare.start(MeshBefore::File("before.navmesh".into()));
        compare.reconcile(&World::default(), &Scene::default());
        assert!(!compare.is_busy(), "frame after frame would be drawn for it");
    }
}
