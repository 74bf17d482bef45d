//! Bakes a navigation mesh from the triangles of a level, after Mikko Mononen's Recast.
//!
//! The level becomes columns of voxel spans ([`heightfield`]); spans where nobody can stand lose their walkability
//! ([`filter`]); the open space above the others is linked, kept clear of walls and marked by volumes
//! ([`compact`]); it is cut into regions ([`region`]), whose outlines are simplified ([`contour`]) and cut into
//! convex polygons ([`polygon`]), whose insides get the heights of the ground ([`detail`]).

mod awake;
mod columns;
pub mod compact;
pub mod contour;
mod convex;
pub mod debug;
mod delaunay;
mod detail;
mod distance;
pub mod filter;
pub mod heightfield;
mod merge;
mod passage;
pub mod polygon;
pub mod region;
mod settings;

pub use settings::{BakeSettings, Partition, SpanMerge, Volume, VolumeShape, VoxelSettings};

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use glam::Vec3;
use thiserror::Error;

use super::mesh::links::{LinkError, Links, PlacedLink};
use super::mesh::{Detail, ISLAND_REACH, MeshError, NavMesh, RawMesh};
use compact::Compact;
use contour::Contour;
use heightfield::Heightfield;
use region::Regions;

/// A step of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Triangles to spans.
    Rasterize,
    /// Spans where nobody can stand.
    Filter,
    /// Open space and its links.
    Compact,
    /// The agent's radius and the volumes.
    Erode,
    /// Regions.
    Regions,
    /// Outlines.
    Contours,
    /// Convex polygons.
    Polygons,
    /// Heights inside the polygons.
    Detail,
    /// Ways off the mesh.
    Links,
}

impl Step {
    /// All of them in their order.
    pub const ALL: [Self; 9] = [
        Self::Rasterize,
        Self::Filter,
        Self::Compact,
        Self::Erode,
        Self::Regions,
        Self::Contours,
        Self::Polygons,
        Self::Detail,
        Self::Links,
    ];

    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rasterize => "Voxels",
            Self::Filter => "Filters",
            Self::Compact => "Open space",
            Self::Erode => "Erosion and areas",
            Self::Regions => "Regions",
            Self::Contours => "Outlines",
            Self::Polygons => "Polygons",
            Self::Detail => "Heights",
            Self::Links => "Links",
        }
    }
}

/// What a bake made.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The mesh; `validate` accepts it.
    pub mesh: RawMesh,
    /// Heights inside its polygons, if the settings ask for them.
    pub detail: Option<Detail>,
    /// Ways off the mesh, placed and found.
    pub links: Vec<PlacedLink>,
    /// Milliseconds of each step.
    pub log: Vec<(Step, f32)>,
    /// How many triangles went in.
    pub triangles: usize,
    /// How many columns and spans there were.
    pub cells: usize,
    /// See `cells`.
    pub spans: usize,
    /// How many regions.
    pub regions: u32,
    /// The stages, if the settings ask for them.
    pub stages: Option<Stages>,
}

impl Baked {
    /// Milliseconds of all steps.
    pub fn total_ms(&self) -> f32 {
        self.log.iter().map(|(_, ms)| ms).sum()
    }

    /// The checked mesh with its heights.
    ///
    /// # Errors
    /// None that is known: what was baked is a mesh.
    pub fn nav_mesh(&self) -> Result<NavMesh, MeshError> {
        let mesh = self.mesh.validate()?;
        self.detail.as_ref().map_or(Ok(mesh.clone()), |d| mesh.with_detail(d))
    }

    /// How many polygons.
    pub fn polygons(&self) -> usize {
        self.mesh.polygons.len()
    }
}

/// What lies between triangles and polygons, for drawing.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Spans after the filters.
    pub field: Heightfield,
    /// Open space after erosion.
    pub compact: Compact,
    /// Regions of the open space's floors.
    pub regions: Regions,
    /// Simplified outlines.
    pub contours: Vec<Contour>,
}

/// Whether a bake goes on.
pub type Progress<'a> = &'a mut dyn FnMut(Step, f32) -> ControlFlow<()>;

/// A [`Progress`] that is not interested.
pub fn silent(_: Step, _: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Times the steps and tells how far they are.
struct Log<'a> {
    times: Vec<(Step, f32)>,
    progress: Progress<'a>,
    stop: &'a AtomicBool,
}

impl Log<'_> {
    fn step<T>(&mut self, step: Step, work: impl FnOnce() -> T) -> Result<T, BakeError> {
        let share = self.times.len() as f32 / Step::ALL.len() as f32;
        if (self.progress)(step, share).is_break() {
            return Err(BakeError::Cancelled(step.label()));
        }
        let start = Instant::now();
        let result = work();
        if self.stop.load(Ordering::Relaxed) {
            // What there is now is a part.
            return Err(BakeError::Cancelled(step.label()));
        }
        self.times.push((step, start.elapsed().as_secs_f32() * 1e3));
        Ok(result)
    }
}

/// Bakes the triangles (any winding order faces up: counter-clockwise seen from above is ground). `progress` is told
/// each step as it begins and the share of the steps that are done, 0 to 1; it may end the bake.
///
/// # Errors
/// Settings out of range, triangles that are none, a level too large for the cell size, nothing to walk on, an end
/// that `progress` asked for.
pub fn bake(triangles: &[[Vec3; 3]], settings: &BakeSettings, progress: Progress) -> Result<Baked, BakeError> {
    bake_until(triangles, settings, progress, &AtomicBool::new(false))
}

/// As [`bake`], which ends as soon as `stop` is set, within a step too: rows, levels of water, outlines, polygons
/// and walls that are not begun yet are left out.
///
/// # Errors
/// As [`bake`].
pub fn bake_until(
    triangles: &[[Vec3; 3]],
    settings: &BakeSettings,
    progress: Progress,
    stop: &AtomicBool,
) -> Result<Baked, BakeError> {
    let voxels = settings.voxels()?;
    let _awake = awake::Awake::new();
    let mut log = Log { times: Vec::new(), progress, stop };
    let mut field = log.step(Step::Rasterize, || Heightfield::rasterize(triangles, settings, voxels.climb, stop))??;
    log.step(Step::Filter, || filter::filter(&mut field, settings, voxels, stop))?;
    let mut compact = log.step(Step::Compact, || Compact::new(&field, voxels))?;
    let (cells, spans, frame) = (field.frame.cells(), field.spans.len(), field.frame);
    let linked = settings.links.is_some() || !settings.placed_links.is_empty();
    let field = (settings.keep_stages || linked).then_some(field);
    log.step(Step::Erode, || compact.shape(settings, voxels, stop))?;
    let regions = log.step(Step::Regions, || region::build(&compact, settings, voxels, stop))?;
    let contours = log.step(Step::Contours, || contour::trace(&compact, &regions, settings, voxels, stop))?;
    let (mesh, of) = log.step(Step::Polygons, || {
        let (mesh, of) = polygon::build(&contours, &frame, settings.corners as usize, stop);
        if settings.seeds.is_empty() {
            return Ok::<_, BakeError>((mesh, of));
        }
        let kept = mesh.islands_of(&settings.seeds).map_err(|point| BakeError::Seed { point, reach: ISLAND_REACH })?;
        let of = of.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(of, _)| of).collect();
        Ok((mesh.retain(&kept), of))
    })??;
    if mesh.polygons.is_empty() {
        return Err(BakeError::NothingWalkable);
    }
    let detail = log.step(Step::Detail, || detail::build(&mesh, &of, &compact, &regions, settings, stop))?;
    let links = log.step(Step::Links, || match &field {
        Some(field) if linked => link(&mesh, detail.as_ref(), field, (settings, voxels), stop),
        _ => Ok(Vec::new()),
    })??;
    let Log { times, progress, .. } = log;
    let _ = progress(Step::Links, 1.0);
    let count = regions.count - 1;
    let stages = field.filter(|_| settings.keep_stages).map(|field| Stages { field, compact, regions, contours });
    Ok(Baked { mesh, detail, links, log: times, triangles: triangles.len(), cells, spans, regions: count, stages })
}

/// Jumps and drops that the voxels let pass, and the links placed by hand.
fn link(
    mesh: &RawMesh,
    detail: Option<&Detail>,
    field: &Heightfield,
    (settings, voxels): (&BakeSettings, VoxelSettings),
    stop: &AtomicBool,
) -> Result<Vec<PlacedLink>, BakeError> {
    let plain = mesh.validate()?;
    let mesh = detail.map_or(Ok(plain.clone()), |d| plain.with_detail(d))?;
    let free = |a: Vec3, b: Vec3| field.is_passage(mesh.world(a), mesh.world(b), voxels);
    let found = settings.links.as_ref().map_or(Ok(Vec::new()), |s| s.find_until(&mesh, &free, stop))?;
    Ok(Links::new(&mesh, found, &settings.placed_links)?.placed(&mesh))
}

/// Why nothing was baked.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BakeError {
    #[error("there are no triangles to bake; choose a level that has some")]
    Empty,
    #[error("triangle {0} has a corner that is not a finite number; repair the level")]
    NotFinite(usize),
    #[error("nobody can walk on this level with these settings; check slope, agent height and radius")]
    NothingWalkable,
    #[error("the bake was cancelled at the step \"{0}\"; the mesh from before stays")]
    Cancelled(&'static str),
    #[error("{0}")]
    Link(#[from] LinkError),
    #[error("the baked mesh is none: {0}; change the settings a little")]
    Mesh(#[from] MeshError),
    #[error("seed {point} has no polygon within {reach} m; move it onto walkable ground or remove it")]
    Seed { point: usize, reach: f64 },
    #[error("{name} is {value}, but {low} to {high} is possible")]
    Setting { name: &'static str, value: f32, low: f32, high: f32 },
    #[error(
        "the level is {columns} × {rows} cells and {layers} voxels high, more than can be baked; \
         use larger cells or a smaller part of the level"
    )]
    TooLarge { columns: f32, rows: f32, layers: f32 },
    #[error("the level makes {0} spans, more than can be baked; use larger cells or a smaller part of the level")]
    TooManySpans(usize),
}

#[cfg(test)]
mod ground_tests;
#[cfg(test)]
mod tests;
