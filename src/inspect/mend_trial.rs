//! Tries whether a change that the doctor offers opens the way in a scene whose mesh is baked: on a bake of the level around
//! the place.

use std::cell::Cell;
use std::sync::atomic::AtomicBool;

use glam::{DVec3, Vec3};

use crate::math::plan;
use crate::nav::bake::{BakeSettings, bake_until, silent};
use crate::nav::doctor::{Finding, Mend};
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::query::nearest::{SearchExtents, nearest};

/// Most cells of all bakes of an examination; what is found beyond them is not tried.
const MAX_CELLS: f32 = 8e6;
/// Most places of a finding that are tried.
const MAX_PLACES: usize = 4;
/// How much of the level is baked around a place, metres, and in agents' radii.
const AROUND: f32 = 3.0;
const AROUND_RADII: f32 = 8.0;
/// Smallest cells that are tried, metres.
const MIN_CELL: f32 = 0.02;
/// Most cells that the whole level may have.
const MAX_LEVEL_CELLS: f32 = 3e7;
/// Size of a triangle that is too small to stand on, metres.
const SPECK: f32 = 1e-3;
/// By how much a slope is raised that does not help yet, radians.
const MORE_SLOPE: f32 = 0.05;

/// A level and how it is baked.
pub(super) struct MendTrial<'a> {
    triangles: &'a [[Vec3; 3]],
    bake: &'a BakeSettings,
    stop: &'a AtomicBool,
    /// The lowest and the highest corner of the box around it.
    corners: [Vec3; 2],
    /// Cells that may still be baked.
    cells: Cell<f32>,
}

/// Whether a change helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialResult {
    Opens,
    Fails,
    /// It would cost too much to find out.
    Untried,
}

impl<'a> MendTrial<'a> {
    /// What is baked ends once `stop` is set.
    pub fn new(triangles: &'a [[Vec3; 3]], bake: &'a BakeSettings, stop: &'a AtomicBool) -> Self {
        let finite = || triangles.iter().flatten().copied().filter(|p| p.is_finite());
        let corners = finite().reduce(Vec3::min).zip(finite().reduce(Vec3::max)).unwrap_or_default();
        Self { triangles, bake, stop, corners: corners.into(), cells: Cell::new(MAX_CELLS) }
    }

    /// The finding with a change that opens the way: its own, a larger one where that does not, or none.
    pub fn tried(&self, finding: Finding) -> Finding {
        let Some(own) = finding.mend.clone().filter(is_of_agents).filter(|_| !finding.crossings.is_empty()) else {
            return finding;
        };
        for mend in std::iter::once(own.clone()).chain(self.larger(&own)) {
            match self.result(&mend, &finding) {
                TrialResult::Opens if mend == own => return finding,
                TrialResult::Opens => return finding.mended_by_agents(Some(mend)),
                TrialResult::Untried => return finding,
                TrialResult::Fails => {}
            }
        }
        finding.mended_by_agents(None)
    }

    /// Changes that go further, the smallest first.
    fn larger(&self, own: &Mend) -> Vec<Mend> {
        let mut parts = match own {
            Mend::Many(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        let is_cell = |mend: &Mend| matches!(mend, Mend::CellSize(_));
        let edge = parts.iter().find_map(|mend| if let Mend::CellSize(edge) = mend { Some(*edge) } else { None });
        let edge = edge.unwrap_or(self.bake.cell_size).min(self.bake.cell_size);
        parts.retain(|mend| !is_cell(mend));
        let of = |steps: f32, share: f32| {
            let mut all: Vec<Mend> = parts.iter().filter_map(|mend| self.further(mend, steps)).collect();
            if all.len() < parts.len() {
                return None;
            }
            let cell = (edge * share * 100.0).floor() / 100.0;
            if cell.max(MIN_CELL) < self.bake.cell_size {
                all.push(Mend::CellSize(cell.max(MIN_CELL)));
            }
            Mend::all(all)
        };
        [(0.0, 0.5), (1.0, 1.0), (1.0, 0.5), (2.0, 1.0), (2.0, 0.34)]
            .into_iter()
            .filter_map(|(steps, share)| of(steps, share))
            .collect()
    }

    /// A change by so many steps more, cells or slopes; `None` where agents would become nothing.
    fn further(&self, mend: &Mend, steps: f32) -> Option<Mend> {
        let (edge, height) = (self.bake.cell_size, self.bake.cell_height);
        let rounded = |metres: f32| (metres * 100.0).floor() / 100.0;
        Some(match mend {
            Mend::Climb(climb) => Mend::Climb(climb + steps * height),
            Mend::Slope(slope) => Mend::Slope((slope + steps * MORE_SLOPE).min(1.45)),
            Mend::Radius(radius) => Mend::Radius(Some(rounded(radius - 0.5 * steps * edge)).filter(|r| *r > 0.0)?),
            Mend::Height(tall) => {
                Mend::Height(Some(rounded(tall - steps * height)).filter(|h| *h > self.bake.agent_climb)?)
            }
            other => other.clone(),
        })
    }

    fn result(&self, mend: &Mend, finding: &Finding) -> TrialResult {
        let mut settings = BakeSettings {
            links: None,
            placed_links: Vec::new(),
            seeds: Vec::new(),
            keep_stages: false,
            tile_cells: 0,
            ..self.bake.clone()
        };
        apply(&mut settings, mend);
        if self.level_cells(settings.cell_size) > MAX_LEVEL_CELLS {
            return TrialResult::Fails;
        }
        let places = finding.crossings.iter().take(MAX_PLACES);
        let mut results = places.map(|line| self.opens(&settings, line.map(|p| p.as_vec3())));
        // Each costs a bake: none is tried beyond the first that decides.
        results.find(|result| *result != TrialResult::Opens).unwrap_or(TrialResult::Opens)
    }

    /// Whether a bake with these settings leads from one of these places to the other.
    fn opens(&self, settings: &BakeSettings, line: [Vec3; 2]) -> TrialResult {
        let margin = Vec3::new(1.0, 0.0, 1.0) * (AROUND + AROUND_RADII * self.bake.agent_radius);
        let (low, high) = (line[0].min(line[1]) - margin, line[0].max(line[1]) + margin);
        let sides = (high - low) / settings.cell_size;
        let left = self.cells.get() - sides.x * sides.z;
        if left < 0.0 {
            return TrialResult::Untried;
        }
        self.cells.set(left);
        let around = self.around(low, high, settings.cell_size);
        let baked = bake_until(&around, settings, &mut silent, self.stop);
        let Some(mesh) = baked.ok().and_then(|baked| baked.nav_mesh().ok()) else { return TrialResult::Fails };
        let reach = 2.0 * (self.bake.agent_radius + self.bake.cell_size) + settings.cell_size;
        match line.map(|place| island_near(&mesh, place.as_dvec3(), reach)) {
            [Some(a), Some(b)] if a == b => TrialResult::Opens,
            _ => TrialResult::Fails,
        }
    }

    /// The level between two corners of a box, whose cells lie as those of the whole level do.
    fn around(&self, low: Vec3, high: Vec3, edge: f32) -> Vec<[Vec3; 3]> {
        let [begin, _] = self.corners;
        let steps = ((low - begin) / edge).floor().max(Vec3::ZERO);
        let low = (begin + steps * edge).with_y(begin.y);
        let mut around = clipped(self.triangles, low, high);
        // A speck of a wall, so that cells are counted from there.
        around.push([low, low + Vec3::Y * SPECK, low + Vec3::X * SPECK]);
        around
    }

    /// Cells of the whole level.
    fn level_cells(&self, edge: f32) -> f32 {
        let size = self.corners[1] - self.corners[0];
        (size.x / edge) * (size.z / edge)
    }
}

/// The island of the ground nearest to a place.
fn island_near(mesh: &NavMesh, place: DVec3, reach: f32) -> Option<u32> {
    let extents = SearchExtents { half_extents: Vec3::splat(reach), climb: 0.0 };
    nearest(mesh, mesh.local(place), &extents, &Filter::default()).map(|found| mesh.polygon(found.polygon).island)
}

/// The parts of triangles between two corners of a box, seen from above.
fn clipped(triangles: &[[Vec3; 3]], low: Vec3, high: Vec3) -> Vec<[Vec3; 3]> {
    let sides: [&dyn Fn(Vec3) -> f32; 4] = [&|p| p.x - low.x, &|p| high.x - p.x, &|p| p.z - low.z, &|p| high.z - p.z];
    let (mut found, mut part, mut next) = (Vec::new(), Vec::new(), Vec::new());
    for t in triangles {
        if sides.iter().any(|side| t.iter().all(|&p| side(p) < 0.0)) {
            continue;
        }
        part.clear();
        part.extend_from_slice(t);
        for side in sides {
            next.clear();
            plan::clip_convex(&part, side, |corner| next.push(corner));
            std::mem::swap(&mut part, &mut next);
        }
        found.extend(part.get(1..).unwrap_or_default().windows(2).map(|w| [part[0], w[0], w[1]]));
    }
    found
}

/// Whether a change is one of agents and of the bake alone.
fn is_of_agents(mend: &Mend) -> bool {
    match mend {
        Mend::Climb(_) | Mend::Slope(_) | Mend::Radius(_) | Mend::Height(_) | Mend::CellSize(_) => true,
        Mend::Many(all) => all.iter().all(is_of_agents),
        _ => false,
    }
}

/// Changes settings as the button of the doctor does.
fn apply(bake: &mut BakeSettings, mend: &Mend) {
    match mend {
        Mend::Climb(height) => bake.agent_climb = bake.agent_climb.max(*height),
        Mend::Slope(slope) => bake.slope_rad = bake.slope_rad.max(*slope),
        Mend::Radius(radius) => bake.agent_radius = *radius,
        Mend::Height(height) => bake.agent_height = *height,
        Mend::CellSize(edge) => bake.cell_size = bake.cell_size.min(*edge),
        Mend::Many(all) => all.iter().for_each(|mend| apply(bake, mend)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::doctor::FaultKind;

    #[test]
    fn a_change_that_fails_in_one_place_is_tried_in_no_other() {
        let floor = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let [a, b, c, d] = [floor(0.0, 0.0), floor(0.0, 20.0), floor(20.0, 20.0), floor(20.0, 0.0)];
        let triangles = [[a, b, c], [a, c, d]];
        let (bake, stop) = (BakeSettings::default(), AtomicBool::new(false));
        let tried = |crossings: &[[Vec3; 2]]| {
            let trial = MendTrial::new(&triangles, &bake, &stop);
            let mut finding = Finding::new(FaultKind::StepTooHigh, DVec3::ZERO, 0.0, Default::default());
            finding.crossings = crossings.iter().map(|line| line.map(|p| p.as_dvec3())).collect();
            (trial.result(&Mend::Climb(bake.agent_climb), &finding), trial.cells.get())
        };
        let (open, closed) = ([floor(8.0, 8.0), floor(12.0, 12.0)], [floor(18.0, 8.0), floor(30.0, 8.0)]);
        assert_eq!(tried(&[open]).0, TrialResult::Opens);
        assert_eq!(tried(&[open, closed]).0, TrialResult::Fails);
        assert_eq!(tried(&[closed, open]), tried(&[closed]), "no further cells are baked");
    }
}
