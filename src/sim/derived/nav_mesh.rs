//! The navigation mesh of a scene: baked, taken from the level's triangles or read from a file, beside the frame.

use super::level::LevelSources;
use crate::asset::AssetStore;
use crate::background::{BackgroundJob, Progress, Sources};
use crate::math::Aabb;
use crate::nav::bake::{self, BakeError, BakeProgress, BakeSettings, BakeStep, Baked, ChangedLevel};
use crate::nav::exchange::{ExchangeError, JoinedMesh, MeshPlacement, read_placed};
use crate::nav::mesh::dynamic::{DynamicMesh, Obstacle, ObstacleId};
use crate::nav::mesh::from_level::{GroundSettings, LevelMesh};
use crate::nav::mesh::off_mesh::{LinkError, OffMeshLinks};
use crate::nav::mesh::{Filter, MeshError, MeshFile, NavMesh, NavPoint, PolyId, RawMesh};
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::scene::barred_cells::BarredCells;
use crate::scene::nav::{MeshSource, ObstacleShape, PlacedObstacle};
use crate::scene::{Scene, SceneNav};
use crate::sim::level_parts::LevelParts;
use glam::{DVec3, Vec3, Vec3Swizzles};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// Why a scene has no navigation mesh.
#[derive(Clone, Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SceneMeshError {
    #[error("the scene's levels hold no mesh called 'navmesh'; name one so, or choose another source")]
    NoWalkMesh,
    #[error("no triangle of the scene's levels that faces up is flat enough to walk on; see the slope in Navigation")]
    NothingWalkable,
    #[error("the scene's levels hold no triangles, or could not be loaded; see what is said of each")]
    NoTriangles,
    #[error("the scene has no level to make a mesh from; add one, or choose a mesh file")]
    NoLevel,
    #[error(transparent)]
    Bake(#[from] BakeError),
    #[error(transparent)]
    Mesh(#[from] MeshError),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("{error}. File: {}", file.display())]
    File { file: PathBuf, error: Arc<ExchangeError> },
    #[error("building it ended without a result; the log says why")]
    NoResult,
}

/// A mesh and what was made with it. Immutable; rebuilt when its sources change.
#[derive(Clone, Debug)]
pub struct BuiltMesh {
    /// The mesh.
    pub mesh: Arc<NavMesh>,
    /// Its off-mesh links.
    pub links: OffMeshLinks,
    /// Why links placed by hand are not among them.
    pub left_out: Vec<LinkError>,
    /// The bake with its stages, if there was one.
    pub baked: Option<Baked>,
    /// The mesh as it was before it was checked, unless it was baked.
    pub raw: Option<MeshFile>,
    /// The format of its file in words, where it comes from one.
    pub format: Option<String>,
}

impl BuiltMesh {
    /// All of it, as it is saved.
    pub fn file(&self) -> MeshFile {
        match (&self.baked, &self.raw) {
            (Some(baked), _) => baked.file(),
            (None, Some(raw)) => MeshFile { links: self.links.placed(&self.mesh), ..raw.clone() },
            (None, None) => MeshFile::default(),
        }
    }
}

/// What a mesh depends on.
#[derive(Clone, Debug)]
pub struct MeshSources {
    level: LevelSources,
    source: MeshSource,
    file: Option<PathBuf>,
    /// How often the file has changed on disk.
    revision: u64,
    placement: MeshPlacement,
    bake: BakeSettings,
    /// What of the level's triangles is walkable.
    ground: GroundSettings,
    /// How often a part was asked to be built again.
    rebuilds: u32,
    /// A bake from which a new one goes on.
    before: Option<EarlierBake>,
}

/// A bake from which another goes on, whose settings have the same voxels.
#[derive(Clone, Debug)]
struct EarlierBake {
    built: Arc<BuiltMesh>,
    /// Its level.
    level: LevelSources,
    /// Boxes around the parts of the level that have come or gone since.
    parts: Vec<Aabb>,
    /// A box that was asked to be built again.
    again: Option<Aabb>,
}

impl EarlierBake {
    /// Boxes in which the level's triangles are not those of before; none where all are the same.
    fn changed(&self, triangles: &[[Vec3; 3]]) -> Vec<Aabb> {
        let exact = || bake::changed_boxes(&points(&self.level), triangles);
        let boxes = if self.parts.is_empty() { None } else { exact() };
        boxes.unwrap_or_else(|| self.parts.clone())
    }
}

/// The corners of a level's triangles, world space.
fn points(level: &LevelSources) -> Vec<[Vec3; 3]> {
    level.triangles().iter().map(|t| t.points).collect()
}

/// Steepest face of a mesh made by hand that is walkable: all that are no walls.
const MAX_HANDMADE_SLOPE_RAD: f32 = 1.5;

impl Sources for MeshSources {
    type Built = Option<Result<Arc<BuiltMesh>, SceneMeshError>>;
    const NAME: &str = "mesh";

    fn same(&self, other: &Self) -> bool {
        self.source == other.source
            && self.file == other.file
            && self.revision == other.revision
            && self.rebuilds == other.rebuilds
            && self.placement == other.placement
            && self.bake == other.bake
            && (self.source != MeshSource::Triangles || self.ground == other.ground)
            && (self.file.is_some() || self.level.same_places(&other.level))
    }

    fn build(&self, progress: &Progress) -> Self::Built {
        let mut tell = |step: BakeStep, _: f32| {
            let done = BakeStep::ALL.iter().position(|s| *s == step).unwrap_or(0);
            progress.step.store(done as u32, Ordering::Relaxed);
            if progress.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        Some(self.build_mesh(&mut tell, progress.stop()).map(Arc::new))
    }
}

impl MeshSources {
    /// The sources of a scene's mesh; `None` when it has none or its level is still loading.
    fn from_scene(scene: &Scene, assets: &AssetStore, shown: &LevelParts) -> Option<Self> {
        let nav = &scene.nav;
        let file = match &nav.mesh {
            MeshSource::File(file) => Some(assets.resolve(file)),
            MeshSource::Baked | MeshSource::Triangles | MeshSource::Level => None,
        };
        let level = match file {
            Some(_) => LevelSources::default(),
            None => LevelSources::from_scene(scene, assets, shown)?,
        };
        let revision = file.as_deref().map_or(0, |file| assets.revision(file));
        let bake = BakeSettings { keep_stages: true, ..scene.bake_settings() };
        let contact = level.contact();
        let ground = GroundSettings { slope_rad: contact.slope_rad, step_height: contact.step_height };
        Some(Self {
            level,
            source: nav.mesh.clone(),
            file,
            revision,
            placement: nav.mesh_placement,
            bake,
            ground,
            rebuilds: 0,
            before: None,
        })
    }

    /// Whether a bake of other sources has the same voxels, but where the level has changed.
    fn goes_on_from(&self, other: &Self) -> bool {
        let are_baked = [self, other].iter().all(|sources| sources.source == MeshSource::Baked);
        are_baked && self.bake.has_same_voxels(&other.bake)
    }

    fn build_mesh(&self, tell: BakeProgress<'_>, stop: &AtomicBool) -> Result<BuiltMesh, SceneMeshError> {
        if let Some(file) = &self.file {
            return read(file, &self.placement);
        }
        if self.source == MeshSource::Level {
            let triangles: Vec<[Vec3; 3]> = self.level.walk_meshes().iter().map(|t| t.points).collect();
            if triangles.is_empty() {
                return Err(SceneMeshError::NoWalkMesh);
            }
            let raw = RawMesh::from_triangles(&triangles, MAX_HANDMADE_SLOPE_RAD);
            return with_links(MeshFile { mesh: raw, ..MeshFile::default() }, &self.bake);
        }
        if self.source == MeshSource::Triangles {
            if self.level.triangles().is_empty() {
                return Err(SceneMeshError::NoTriangles);
            }
            let LevelMesh { mesh, detail, .. } = LevelMesh::build(self.level.triangles(), &self.ground);
            if mesh.polygons.is_empty() {
                return Err(SceneMeshError::NothingWalkable);
            }
            return with_links(MeshFile { mesh, detail: Some(detail), ..MeshFile::default() }, &self.bake);
        }
        let mut baked = self.bake(tell, stop)?;
        let mesh = baked.nav_mesh()?;
        let found = OffMeshLinks::new(&mesh, Vec::new(), &baked.links)?;
        let (links, left_out) = OffMeshLinks::with_valid(&mesh, found.all().to_vec(), &self.bake.placed_links)?;
        baked.links = links.placed(&mesh);
        Ok(BuiltMesh { mesh: Arc::new(mesh), links, left_out, baked: Some(baked), raw: None, format: None })
    }

    /// Bakes the level without the links placed by hand, going on from the bake of before as far as it serves.
    fn bake(&self, tell: BakeProgress<'_>, stop: &AtomicBool) -> Result<Baked, SceneMeshError> {
        let settings = &BakeSettings { placed_links: Vec::new(), ..self.bake.clone() };
        let going_on = self.before.as_ref().and_then(|before| Some((before.built.baked.as_ref()?, before)));
        let is_same_level = |before: &EarlierBake| before.parts.is_empty() && before.again.is_none();
        if let Some((baked, _)) = going_on.filter(|(_, before)| is_same_level(before))
            && let Some(baked) = bake::bake_from(baked, settings, tell, stop)
        {
            return Ok(baked?);
        }
        let triangles = points(&self.level);
        if triangles.is_empty() {
            return Err(SceneMeshError::NoLevel);
        }
        if let Some((baked, before)) = going_on {
            let changed = before.changed(&triangles);
            let baked = if changed.is_empty() && before.again.is_none() {
                bake::bake_from(baked, settings, tell, stop)
            } else {
                let level = ChangedLevel { triangles: &triangles, changed: &changed, again: before.again.as_slice() };
                bake::bake_changed(baked, &level, settings, tell, stop)
            };
            if let Some(baked) = baked {
                return Ok(baked?);
            }
        }
        Ok(bake::bake_until(&triangles, settings, tell, stop)?)
    }
}

fn with_links(raw: MeshFile, bake: &BakeSettings) -> Result<BuiltMesh, SceneMeshError> {
    let mut mesh = raw.mesh.validate()?;
    if let Some(detail) = &raw.detail {
        mesh = mesh.with_detail(detail)?;
    }
    let (links, left_out) = OffMeshLinks::with_valid(&mesh, Vec::new(), &bake.placed_links)?;
    Ok(BuiltMesh { mesh: Arc::new(mesh), links, left_out, baked: None, raw: Some(raw), format: None })
}

/// Reads a saved mesh, or one of another program.
fn read(file: &Path, placement: &MeshPlacement) -> Result<BuiltMesh, SceneMeshError> {
    let joined = read_placed(file, placement)
        .map_err(|error| SceneMeshError::File { file: file.to_owned(), error: Arc::new(error) })?;
    joined.notes.iter().for_each(|note| tracing::warn!("{note} File: {}", file.display()));
    let JoinedMesh { format, mesh, links, file, detour, .. } = joined;
    let raw = MeshFile { values: detour, ..file };
    let left_out = Vec::new();
    Ok(BuiltMesh { mesh: Arc::new(mesh), links, left_out, baked: None, raw: Some(raw), format: Some(format) })
}

/// The mesh of a world, kept in line with its scene.
#[derive(Clone, Debug, Default)]
pub struct MeshState {
    sources: Option<MeshSources>,
    built: Option<Arc<BuiltMesh>>,
    error: Option<SceneMeshError>,
    /// Why the file was not read again after it had changed on disk.
    rejected: Option<SceneMeshError>,
    builder: BackgroundJob<MeshSources>,
    /// Whether no mesh is ever built.
    is_off: bool,
    /// How often a part was asked to be built again, and the last of them.
    rebuilds: (u32, Option<Aabb>),
    obstructed: Option<ObstructedMesh>,
    /// Doors that bar paths while they are shut.
    doors: Vec<PlacedObstacle>,
    /// Off-mesh links of the current mesh.
    links: Option<Arc<OffMeshLinks>>,
}

/// How far obstacles reach beyond their shape on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ObstacleMargins {
    /// Distance from walls that the mesh keeps by itself, metres.
    erosion: f32,
    /// Height of the agents, which do not pass below where they would hit their heads, metres.
    agent_height: f32,
}

/// A mesh with the scene's obstacles.
#[derive(Clone, Debug)]
struct ObstructedMesh {
    dynamic: DynamicMesh,
    /// The scene's obstacles in their order, with what they are on the mesh.
    placed: Vec<(PlacedObstacle, Option<ObstacleId>)>,
    /// Polygons of the mesh without obstacles that are barred, ascending.
    barred: Vec<PolyId>,
    /// Boxes of barred cells, with what they are on the mesh.
    cells: Vec<(Aabb, Option<ObstacleId>)>,
    margins: ObstacleMargins,
}

/// An obstacle as it lies on a mesh.
fn obstacle_on_mesh(shape: &ObstacleShape, margins: ObstacleMargins) -> Obstacle {
    let obstacle = match shape {
        ObstacleShape::Box { base, size, yaw_deg } => {
            let half = size.as_dvec3() * 0.5;
            Obstacle::cuboid(base.as_dvec3() + DVec3::Y * half.y, half, f64::from(yaw_deg.to_radians()))
        }
        ObstacleShape::Cylinder { base, radius, height } => {
            Obstacle::cylinder(base.as_dvec3(), f64::from(*radius), f64::from(*height))
        }
        ObstacleShape::Prism { base, outline, height } => {
            let footprint = outline.iter().map(|p| p.as_dvec2() + base.as_dvec3().xz()).collect();
            Obstacle { footprint, low: f64::from(base.y), high: f64::from(base.y + height) }
        }
    };
    let low = obstacle.low - f64::from(margins.agent_height);
    Obstacle { low, ..obstacle.grown(f64::from(margins.erosion)) }
}

/// Barred cells as they lie on a mesh: the ground in them, and a little below and above.
fn cell_on_mesh(bounds: &Aabb) -> Obstacle {
    let (middle, half) = (bounds.center().as_dvec3(), bounds.size().as_dvec3() * 0.5);
    Obstacle::cuboid(middle, half + DVec3::Y * f64::from(BarredCells::HEIGHT) * 0.25, 0.0)
}

/// The location on a mesh of a place in world space.
pub fn locate(mesh: &NavMesh, place: Vec3, filter: &Filter) -> Option<NavPoint> {
    nearest(mesh, mesh.local(place.as_dvec3()), &SearchExtents::default(), filter).map(|n| n.nav_point())
}

/// The polygon of a mesh at a place in world space.
pub fn polygon_at(mesh: &NavMesh, place: Vec3) -> Option<PolyId> {
    locate(mesh, place, &Filter::default()).map(|p| p.polygon)
}

/// Distance from walls that the mesh of a scene keeps by itself, metres.
pub fn erosion(nav: &SceneNav) -> f32 {
    if nav.mesh == MeshSource::Baked { nav.bake.agent_radius } else { 0.0 }
}

impl ObstructedMesh {
    /// Makes the mesh hold these obstacles, and bar the scene's cells and the polygons at its places. Returns whether it
    /// has changed. Invalid obstacles and places off the mesh are left out.
    fn update(&mut self, obstacles: &[PlacedObstacle], nav: &SceneNav) -> bool {
        let id = self.dynamic.mesh().id();
        self.update_cells(nav.barred_cells.boxes());
        self.update_obstacles(obstacles, &nav.barred);
        self.dynamic.mesh().id() != id
    }

    /// Cuts these boxes out of the mesh, and takes back those that are no longer there.
    fn update_cells(&mut self, boxes: Vec<Aabb>) {
        if self.cells.len() == boxes.len() && self.cells.iter().zip(&boxes).all(|(known, now)| known.0 == *now) {
            return;
        }
        let mut before = std::mem::take(&mut self.cells);
        let cells = &mut self.cells;
        self.dynamic.batch(|mesh| {
            for bounds in boxes {
                let known = before.iter().position(|known| known.0 == bounds).map(|at| before.swap_remove(at).1);
                cells.push((bounds, known.unwrap_or_else(|| mesh.add(&cell_on_mesh(&bounds)).ok())));
            }
            // Each was added by this mesh, and is removed once.
            before.into_iter().filter_map(|(_, id)| id).for_each(|id| _ = mesh.remove(id));
        });
    }

    fn update_obstacles(&mut self, obstacles: &[PlacedObstacle], barred: &[Vec3]) {
        let (placed, margins) = (&mut self.placed, self.margins);
        let base = self.dynamic.base().clone();
        let mut polygons: Vec<PolyId> = barred.iter().filter_map(|p| polygon_at(&base, *p)).collect();
        polygons.sort_unstable();
        polygons.dedup();
        let before = std::mem::replace(&mut self.barred, polygons);
        let barred = &self.barred;
        self.dynamic.batch(|mesh| {
            for polygon in before.iter().filter(|p| barred.binary_search(p).is_err()) {
                // A polygon of this mesh: it was looked up on it.
                let _ = mesh.set_flags(*polygon, base.polygon(*polygon).flags);
            }
            for polygon in barred {
                let _ = mesh.set_flags(*polygon, 0);
            }
            for (_, id) in placed.drain(obstacles.len().min(placed.len())..) {
                id.map(|id| mesh.remove(id));
            }
            for (i, obstacle) in obstacles.iter().enumerate() {
                match placed.get_mut(i) {
                    Some((known, _)) if known == obstacle => {}
                    Some((known, id)) => {
                        let shape = obstacle_on_mesh(&obstacle.shape, margins);
                        *id = match *id {
                            Some(id) if mesh.set(id, &shape).is_ok() => Some(id),
                            Some(id) => mesh.remove(id).ok().and(None),
                            None => mesh.add(&shape).ok(),
                        };
                        id.map(|id| mesh.set_enabled(id, !obstacle.open));
                        *known = obstacle.clone();
                    }
                    None => {
                        let id = mesh.add(&obstacle_on_mesh(&obstacle.shape, margins)).ok();
                        id.filter(|_| obstacle.open).map(|id| mesh.set_enabled(id, false));
                        placed.push((obstacle.clone(), id));
                    }
                }
            }
        });
    }
}

impl MeshState {
    /// A state whose meshes are built on another thread.
    pub fn in_background() -> Self {
        Self { builder: BackgroundJob::in_background(), ..Self::default() }
    }

    /// A state that never has a mesh.
    pub fn off() -> Self {
        Self { is_off: true, ..Self::default() }
    }

    /// The mesh without what opened doors and dragged obstacles have done to it; it is not built again.
    pub fn restarted(self) -> Self {
        let mut state = Self { obstructed: None, doors: Vec::new(), ..self };
        state.relink();
        state
    }

    /// Whether meshes are built beside the caller's thread, which must not wait.
    pub fn is_in_background(&self) -> bool {
        self.builder.is_in_background()
    }

    /// The mesh; while another is being built, the one before.
    pub fn built(&self) -> Option<&Arc<BuiltMesh>> {
        self.built.as_ref()
    }

    /// The mesh that characters walk on: with obstacles.
    pub fn current(&self) -> Option<&Arc<NavMesh>> {
        self.obstructed.as_ref().map(|o| o.dynamic.shared()).or(self.built.as_ref().map(|b| &b.mesh))
    }

    /// Off-mesh links of [`MeshState::current`].
    pub fn links(&self) -> Option<&Arc<OffMeshLinks>> {
        self.links.as_ref()
    }

    /// Why there is none, or why links placed by hand are left out of it.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let left_out = self.built.iter().flat_map(|built| &built.left_out);
        self.error.iter().map(ToString::to_string).chain(left_out.map(ToString::to_string))
    }

    /// The file that the mesh is read from, and how it is placed; of a scene whose mesh comes from one.
    pub fn file(&self) -> Option<(&Path, &MeshPlacement)> {
        let sources = self.sources.as_ref()?;
        Some((sources.file.as_deref()?, &sources.placement))
    }

    /// Why there is none, or none but the one from before.
    pub fn error(&self) -> Option<&SceneMeshError> {
        self.error.as_ref()
    }

    /// Why the file was not read again after it had changed on disk, since the last call: the mesh as it was stays.
    pub fn take_rejected(&mut self) -> Option<SceneMeshError> {
        self.rejected.take()
    }

    /// Whether one is being built.
    pub fn is_building(&self) -> bool {
        self.builder.is_running()
    }

    /// Ends the bake that runs: the mesh from before stays until something changes, or until it is resumed.
    pub fn cancel(&mut self) {
        let step = self.progress().map_or("", |(step, _)| step.label());
        if let Some(sources) = self.builder.cancel().cloned() {
            (self.sources, self.error) = (Some(sources), Some(BakeError::Cancelled(step).into()));
        }
    }

    /// Lets a bake that was cancelled begin again with the next reconcile. Returns whether one was.
    pub fn resume(&mut self) -> bool {
        let cancelled = self.error.take_if(|error| matches!(error, SceneMeshError::Bake(BakeError::Cancelled(_))));
        self.sources.take_if(|_| cancelled.is_some());
        cancelled.is_some()
    }

    /// The step that a bake is at, and the share of all steps that are done.
    pub fn progress(&self) -> Option<(BakeStep, f32)> {
        let done = self.builder.step()? as usize;
        Some((*BakeStep::ALL.get(done)?, done as f32 / BakeStep::ALL.len() as f32))
    }

    /// Brings the mesh in line with the scene. Returns whether there is another one, or none any more.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore, shown: &LevelParts) -> bool {
        let changed = self.rebuild(scene, assets, shown) | self.obstruct(&scene.nav);
        if changed {
            self.relink();
        }
        changed
    }

    /// Builds what lies in a box again with the next reconcile, though nothing has changed there.
    pub fn rebuild_within(&mut self, part: Aabb) {
        self.rebuilds = (self.rebuilds.0.wrapping_add(1), Some(part));
    }

    /// Sets the doors that bar paths, for the next reconcile.
    pub fn set_doors(&mut self, doors: Vec<PlacedObstacle>) {
        self.doors = doors;
    }

    /// Takes in doors that were opened or shut. Returns whether the mesh has changed.
    pub fn hold_doors(&mut self, nav: &SceneNav, doors: Vec<PlacedObstacle>) -> bool {
        self.doors = doors;
        let changed = self.obstruct(nav);
        if changed {
            self.relink();
        }
        changed
    }

    /// Puts the off-mesh links onto the current mesh.
    fn relink(&mut self) {
        let of = |(built, mesh): (&Arc<BuiltMesh>, &Arc<NavMesh>)| Arc::new(built.links.on(mesh));
        self.links = self.built.as_ref().zip(self.current()).map(of);
    }

    /// Puts the scene's obstacles onto the mesh. Returns whether it has changed.
    fn obstruct(&mut self, nav: &SceneNav) -> bool {
        let margins = ObstacleMargins { erosion: erosion(nav), agent_height: nav.bake.agent_height };
        let obstacles: Vec<PlacedObstacle> = nav.obstacles.iter().chain(&self.doors).cloned().collect();
        let bars_ground = !nav.barred.is_empty() || !nav.barred_cells.is_empty();
        let Some(base) = self.built.as_ref().map(|b| b.mesh.clone()).filter(|_| !obstacles.is_empty() || bars_ground)
        else {
            return self.obstructed.take().is_some();
        };
        let fits = |o: &ObstructedMesh| o.dynamic.base().id() == base.id() && o.margins == margins;
        if !self.obstructed.as_ref().is_some_and(fits) {
            let dynamic = DynamicMesh::new(base);
            self.obstructed =
                Some(ObstructedMesh { dynamic, placed: Vec::new(), barred: Vec::new(), cells: Vec::new(), margins });
        }
        self.obstructed.as_mut().is_some_and(|o| o.update(&obstacles, nav))
    }

    fn rebuild(&mut self, scene: &Scene, assets: &AssetStore, shown: &LevelParts) -> bool {
        let sources = if self.is_off { None } else { MeshSources::from_scene(scene, assets, shown) };
        let Some(mut sources) = sources else {
            self.builder.cancel();
            (self.sources, self.error) = (None, None);
            return self.built.take().is_some();
        };
        sources.rebuilds = self.rebuilds.0;
        if self.sources.as_ref().is_some_and(|known| known.same(&sources)) {
            self.builder.cancel();
            return false;
        }
        if let (Some(known), Some(built), None) = (&self.sources, &self.built, &self.error)
            && sources.goes_on_from(known)
        {
            sources.before = Some(EarlierBake {
                built: Arc::clone(built),
                level: known.level.clone(),
                parts: sources.level.changed_since(&known.level),
                again: self.rebuilds.1.filter(|_| known.rebuilds != sources.rebuilds),
            });
        }
        let Some(result) = self.builder.poll(&sources) else { return false };
        // What is built goes on from nothing any more: it would be kept in memory.
        sources.before = None;
        let is_newer = |known: &MeshSources| known.revision != sources.revision && known.file == sources.file;
        let is_reread = self.built.is_some() && self.sources.as_ref().is_some_and(is_newer);
        self.sources = Some(sources);
        match result.unwrap_or(Err(SceneMeshError::NoResult)) {
            Ok(built) => (self.built, self.error) = (Some(built), None),
            Err(error) if is_reread => {
                self.rejected = Some(error);
                return false;
            }
            Err(error) => (self.built, self.error) = (None, Some(error)),
        }
        true
    }
}
