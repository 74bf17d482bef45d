//! Runs the steps of a bake.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use glam::Vec3;

use super::baked::{BakeDebug, Baked};
use super::compact_heightfield::CompactHeightfield;
use super::contours::{Contour, build_contours};
use super::detail_mesh::build_detail;
use super::error::BakeError;
use super::filter::filter_onto;
use super::heightfield::{GridFrame, Heightfield};
use super::partition::build_regions;
use super::poly_mesh::build_poly_mesh;
use super::rasterize::KeptRows;
use super::region::KeptTiles;
use super::settings::BakeSettings;
use super::step::{BakeProgress, BakeStep};
use super::tiles::{BakeTile, TileGrid};
use crate::math::Aabb;
use crate::nav::mesh::off_mesh::{OffMeshLinks, PlacedLink};
use crate::nav::mesh::{Detail, ISLAND_REACH, RawMesh};

/// Times the steps, reports progress and ends the bake when asked to.
struct StepTimer<'a> {
    times: Vec<(BakeStep, f32)>,
    /// Steps that an earlier bake has done.
    skipped: usize,
    progress: BakeProgress<'a>,
    stop: &'a AtomicBool,
}

impl StepTimer<'_> {
    /// Runs a step on a thread of the pool: from another one, each parallel loop in it would wake the pool and wait for it,
    /// which takes a twentieth of the time of a small level.
    fn step<T: Send>(&mut self, step: BakeStep, work: impl FnOnce() -> T + Send) -> Result<T, BakeError> {
        let done = (self.skipped + self.times.len()) as f32 / BakeStep::ALL.len() as f32;
        if (self.progress)(step, done).is_break() {
            return Err(BakeError::Cancelled(step.label()));
        }
        let start = Instant::now();
        let result = rayon::scope(|_| work());
        if self.stop.load(Ordering::Relaxed) {
            // The result is incomplete.
            return Err(BakeError::Cancelled(step.label()));
        }
        self.times.push((step, start.elapsed().as_secs_f32() * 1e3));
        Ok(result)
    }
}

/// Bakes triangles, world space, which face up where they run counter-clockwise as seen from above. `progress` is called
/// as each step begins, with the fraction of the steps that are done, 0 to 1, and may cancel the bake.
///
/// # Errors
/// Settings out of range, no or non-finite triangles, a level too large for the cell size, nothing walkable, or
/// cancelled by `progress`.
pub fn bake(triangles: &[[Vec3; 3]], settings: &BakeSettings, progress: BakeProgress) -> Result<Baked, BakeError> {
    bake_until(triangles, settings, progress, &AtomicBool::new(false))
}

/// As [`bake`], also cancelled as soon as `stop` is set, within a step: rows, distance levels, contours, polygons and
/// walls that are not begun are skipped.
///
/// # Errors
/// As [`bake`].
pub fn bake_until(
    triangles: &[[Vec3; 3]],
    settings: &BakeSettings,
    progress: BakeProgress,
    stop: &AtomicBool,
) -> Result<Baked, BakeError> {
    let timer = StepTimer { times: Vec::new(), skipped: 0, progress, stop };
    voxelize(triangles, settings, timer, None, Vec::new())
}

/// A level that has changed since it was baked.
#[derive(Clone, Copy, Debug)]
pub struct ChangedLevel<'a> {
    /// Its triangles, world space.
    pub triangles: &'a [[Vec3; 3]],
    /// Boxes outside of which they are the same as before, in the same order.
    pub changed: &'a [Aabb],
    /// Boxes in which all is made anew, changed or not.
    pub again: &'a [Aabb],
}

/// As [`bake_until`], from a bake of the level before it changed whose settings
/// [have the same voxels](BakeSettings::has_same_voxels): rows of voxels without a change are kept, and so are the regions of
/// tiles in which nothing has become different. `None` when that bake has not kept its stages.
///
/// # Errors
/// As [`bake`].
pub fn bake_changed(
    before: &Baked,
    level: &ChangedLevel<'_>,
    settings: &BakeSettings,
    progress: BakeProgress,
    stop: &AtomicBool,
) -> Option<Result<Baked, BakeError>> {
    let stages = before.debug.as_ref()?;
    let timer = StepTimer { times: Vec::new(), skipped: 0, progress, stop };
    let changed = [level.changed, level.again].concat();
    let rows = KeptRows { field: &stages.field, areas: &stages.rasterized, changed: &changed };
    let is_again = |tile: &BakeTile| level.again.iter().any(|part| tile.is_under(part));
    let tiles = stages.regions.tiles.iter().zip(stages.tiles.tiles());
    let kept = tiles.map(|(regions, tile)| (!is_again(tile)).then(|| Arc::clone(regions))).collect();
    Some(voxelize(level.triangles, settings, timer, Some(rows), kept))
}

/// The steps up to the open space, and all after them.
fn voxelize(
    triangles: &[[Vec3; 3]],
    settings: &BakeSettings,
    mut timer: StepTimer<'_>,
    rows: Option<KeptRows<'_>>,
    kept: KeptTiles,
) -> Result<Baked, BakeError> {
    let (voxels, stop) = (settings.voxels()?, timer.stop);
    let rasterize = || Heightfield::rasterize_onto(triangles, settings, voxels.climb, rows, stop);
    let mut field = timer.step(BakeStep::Rasterize, rasterize)??;
    let areas = || field.spans.iter().map(|span| span.area).collect();
    let rasterized = if settings.keep_stages { areas() } else { Vec::new() };
    timer.step(BakeStep::Filter, || filter_onto(&mut field, settings, voxels, rows, stop))?;
    let compact = timer.step(BakeStep::Compact, || CompactHeightfield::new(&field, voxels))?;
    let triangles = triangles.len();
    finish(OpenSpace { field, rasterized, compact, is_eroded: false, triangles, kept }, settings, timer)
}

/// As [`bake_until`], from the open space of a bake of the same triangles whose settings
/// [have the same voxels](BakeSettings::has_same_voxels): what volumes, regions and polygons depend on is made anew, the
/// voxels are not. `None` when that bake has not kept its stages.
///
/// # Errors
/// As [`bake`].
pub fn bake_from(
    before: &Baked,
    settings: &BakeSettings,
    progress: BakeProgress,
    stop: &AtomicBool,
) -> Option<Result<Baked, BakeError>> {
    let stages = before.debug.as_ref()?;
    // What comes before the erosion and the erosion itself.
    let timer = StepTimer { times: Vec::new(), skipped: 3, progress, stop };
    let compact = CompactHeightfield { areas: stages.eroded.clone(), ..stages.compact.clone() };
    let open = OpenSpace {
        field: stages.field.clone(),
        rasterized: stages.rasterized.clone(),
        compact,
        is_eroded: true,
        triangles: before.triangles,
        kept: stages.regions.tiles.iter().cloned().map(Some).collect(),
    };
    Some(finish(open, settings, timer))
}

/// The open space of a level.
struct OpenSpace {
    field: Heightfield,
    /// Areas of its spans before the filters; empty unless stages are kept.
    rasterized: Vec<u8>,
    compact: CompactHeightfield,
    is_eroded: bool,
    /// Regions of an earlier bake.
    kept: KeptTiles,
    /// Number of the triangles that it was made of.
    triangles: usize,
}

/// The steps from the erosion on.
fn finish(open: OpenSpace, settings: &BakeSettings, mut timer: StepTimer<'_>) -> Result<Baked, BakeError> {
    let (voxels, stop) = (settings.voxels()?, timer.stop);
    let OpenSpace { field, rasterized, mut compact, is_eroded, triangles, kept } = open;
    let (cells, spans, frame) = (field.frame.cells(), field.spans.len(), field.frame);
    let wants_links = settings.links.is_some() || !settings.placed_links.is_empty();
    let field = (settings.keep_stages || wants_links).then_some(field);
    let eroded = timer.step(BakeStep::Erode, || {
        if !is_eroded {
            compact.erode(voxels.radius, stop);
        }
        let eroded = if settings.keep_stages { compact.areas.clone() } else { Vec::new() };
        compact.mark_all(settings, stop);
        eroded
    })?;
    let regions = timer.step(BakeStep::Regions, || build_regions(&compact, settings, voxels, &kept, stop))?;
    let contours = timer.step(BakeStep::Contours, || build_contours(&compact, &regions, settings, voxels, stop))?;
    let (mesh, region_of) =
        timer.step(BakeStep::Polygons, || seeded_poly_mesh(&contours, &frame, settings, stop))??;
    if mesh.polygons.is_empty() {
        return Err(BakeError::NothingWalkable);
    }
    let detail =
        timer.step(BakeStep::Detail, || build_detail(&mesh, &region_of, &compact, &regions, settings, stop))?;
    let links = timer.step(BakeStep::Links, || match &field {
        Some(field) if wants_links => find_links(&mesh, detail.as_ref(), field, settings, stop),
        _ => Ok(Vec::new()),
    })??;
    let StepTimer { times, progress, .. } = timer;
    let _ = progress(BakeStep::Links, 1.0);
    let count = regions.count - 1;
    let debug = field.filter(|_| settings.keep_stages).map(|field| {
        let tiles = TileGrid::new(&compact, &regions, &mesh, settings.tile_cells as usize);
        BakeDebug { field, rasterized, compact, eroded, regions, contours, tiles }
    });
    Ok(Baked { mesh, detail, links, log: times, triangles, cells, spans, regions: count, region_of, debug })
}

/// Builds the polygons, and the region of each, without the islands that hold none of the settings' seeds.
fn seeded_poly_mesh(
    contours: &[Contour],
    frame: &GridFrame,
    settings: &BakeSettings,
    stop: &AtomicBool,
) -> Result<(RawMesh, Vec<u32>), BakeError> {
    let (mesh, region_of) = build_poly_mesh(contours, frame, settings.corners as usize, stop);
    if settings.seeds.is_empty() {
        return Ok((mesh, region_of));
    }
    let kept = mesh.islands_of(&settings.seeds).map_err(|point| BakeError::Seed { point, reach: ISLAND_REACH })?;
    let region_of = region_of.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(region, _)| region).collect();
    Ok((mesh.retain(&kept), region_of))
}

/// Finds the jumps and drops that the voxels leave clear, and adds the links placed by hand.
fn find_links(
    mesh: &RawMesh,
    detail: Option<&Detail>,
    field: &Heightfield,
    settings: &BakeSettings,
    stop: &AtomicBool,
) -> Result<Vec<PlacedLink>, BakeError> {
    let voxels = settings.voxels()?;
    let plain = mesh.validate()?;
    let mesh = match detail {
        Some(detail) => plain.with_detail(detail)?,
        None => plain,
    };
    let clear = |a: Vec3, b: Vec3| field.is_link_clear(mesh.world(a), mesh.world(b), voxels);
    let found = settings.links.as_ref().map_or(Ok(Vec::new()), |s| s.find_until(&mesh, &clear, stop))?;
    Ok(OffMeshLinks::new(&mesh, found, &settings.placed_links)?.placed(&mesh))
}
