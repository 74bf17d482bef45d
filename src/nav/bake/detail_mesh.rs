//! Height detail (Recast's `rcBuildPolyMeshDetail`): edges and insides of the polygons are sampled on the surface of
//! the compact heightfield; where it deviates from the triangles by more than the error, the worst sample is inserted
//! into a [Delaunay triangulation](super::delaunay).

use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::compact_heightfield::CompactHeightfield;
use super::delaunay::Triangulation;
use super::region::Regions;
use super::settings::BakeSettings;
use crate::nav::mesh::{Detail, RawMesh};

/// Most points of the triangulation of one polygon.
const MAX_POINTS: usize = 400;
/// Most samples along an edge.
const MAX_SAMPLES: usize = 64;
/// Most samples inside a polygon.
const MAX_INSIDE: usize = 1 << 14;

/// Builds the detail of all polygons; `region_of` names the region of each. `None` if the settings take no samples.
pub fn build_detail(
    mesh: &RawMesh,
    region_of: &[u32],
    compact: &CompactHeightfield,
    regions: &Regions,
    settings: &BakeSettings,
    stop: &AtomicBool,
) -> Option<Detail> {
    if settings.detail_distance_cells < 0.9 {
        return None;
    }
    let sampler = SurfaceSampler { compact, regions };
    let (spacing, error) = (f64::from(settings.detail_distance_cells), f64::from(settings.detail_error_cells));
    let frame = &compact.frame;
    let scale = DVec3::new(frame.cell_size.into(), frame.cell_height.into(), frame.cell_size.into());
    let origin = frame.origin.as_dvec3();
    let corners: Vec<DVec3> = mesh.vertices.iter().map(|v| (*v - origin) / scale).collect();
    let made: Vec<Option<Triangulation>> = mesh
        .polygons
        .par_iter()
        .zip(region_of)
        .map(|(p, &region)| {
            if stop.load(Relaxed) {
                None
            } else {
                sampler.cover(&corners, &p.vertices, region, spacing, error.max(1e-3))
            }
        })
        .collect();
    let mut out = Detail { points: Vec::new(), triangles: Vec::new(), starts: vec![0] };
    for t in made {
        // A polygon that its own fan describes as well needs no triangles.
        if let Some(t) = t.filter(|t| t.triangles.len() > 1) {
            let base = out.points.len() as u32;
            out.points.extend(t.points.iter().map(|p| *p * scale + origin));
            // Triangles of a mesh are wound opposite to contours.
            out.triangles.extend(t.triangles.iter().map(|&[a, b, c]| [b + base, a + base, c + base]));
        }
        out.starts.push(out.triangles.len() as u32);
    }
    Some(out)
}

/// A sample of the surface, measured against a triangulation: again only where that has changed.
#[derive(Clone, Copy)]
struct MeasuredSample {
    at: DVec3,
    /// The triangle that it was measured against; `None` where none is over or under it.
    triangle: Option<[u32; 3]>,
    /// How far it is from that, cell heights.
    off: f64,
}

impl MeasuredSample {
    fn new(at: DVec3, triangulation: &Triangulation) -> Self {
        let found = triangulation.triangle_at(at);
        let off = found.map_or(0.0, |(_, y)| (y - at.y).abs());
        Self { at, triangle: found.map(|(triangle, _)| triangle), off }
    }
}

/// Samples the surface of the compact heightfield; positions in cells and cell heights.
struct SurfaceSampler<'a> {
    compact: &'a CompactHeightfield,
    regions: &'a Regions,
}

impl SurfaceSampler<'_> {
    /// Height of the span under a position: the nearest of the region, else the nearest of the column.
    fn height(&self, at: DVec3, region: Option<u32>) -> f64 {
        let f = &self.compact.frame;
        let (x, z) = ((at.x.max(0.0) as usize).min(f.width - 1), (at.z.max(0.0) as usize).min(f.depth - 1));
        let column = z * f.width + x;
        let spans = self.compact.columns[column] as usize..self.compact.columns[column + 1] as usize;
        let y = |i: usize| f64::from(self.compact.spans[i].y);
        // The spans from the nearest on, of equals the lower one: floors lie from low to high.
        let mut above =
            spans.start + self.compact.spans[spans.clone()].partition_point(|span| f64::from(span.y) < at.y);
        let mut below = above;
        let mut nearest = std::iter::from_fn(|| {
            let [down, up] = [below > spans.start, above < spans.end];
            if down && (!up || at.y - y(below - 1) <= y(above) - at.y) {
                below -= 1;
                Some(below)
            } else {
                above += 1;
                up.then_some(above - 1)
            }
        });
        let first = nearest.next();
        let is_own = |&i: &usize| region.is_some_and(|r| self.regions.ids[i] == r);
        let found = first.into_iter().chain(nearest).take_while(|_| region.is_some()).find(is_own).map(y);
        // Spans farther away belong to another floor.
        let beside = || first.map(y).filter(|y| (y - at.y).abs() < 6.0);
        found.or_else(beside).unwrap_or(at.y)
    }

    /// The inner points of an edge that the error requires. Equal for both polygons at the edge.
    fn edge(&self, a: DVec3, b: DVec3, spacing: f64, error: f64) -> Vec<DVec3> {
        let swapped = (b.x, b.z, b.y) < (a.x, a.z, a.y);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let length = (b - a).with_y(0.0).length();
        let parts = ((length / spacing) as usize + 1).min(MAX_SAMPLES);
        let walk = ((length / parts as f64) as usize).clamp(1, 64);
        let mut y = a.y;
        let mut samples = vec![a];
        for k in 1..parts * walk {
            let mut p = a.lerp(b, k as f64 / (parts * walk) as f64);
            // Cell by cell, so that steep ground does not lead to another floor.
            p.y = y;
            y = self.height(p, None);
            p.y = y;
            if k % walk == 0 {
                samples.push(p);
            }
        }
        samples.push(b);
        let mut kept = vec![0, samples.len() - 1];
        let mut i = 0;
        while i + 1 < kept.len() {
            let (from, to) = (kept[i], kept[i + 1]);
            let off = |&k: &usize| {
                let line = samples[from].lerp(samples[to], (k - from) as f64 / (to - from) as f64);
                (samples[k].y - line.y).abs()
            };
            match (from + 1..to).max_by(|k, l| off(k).total_cmp(&off(l))).filter(|k| off(k) > error) {
                Some(k) => kept.insert(i + 1, k),
                None => i += 1,
            }
        }
        let mut out: Vec<DVec3> = kept[1..kept.len() - 1].iter().map(|&k| samples[k]).collect();
        if swapped {
            out.reverse();
        }
        out
    }

    fn cover(&self, corners: &[DVec3], list: &[u32], region: u32, spacing: f64, error: f64) -> Option<Triangulation> {
        let mut outline = Vec::new();
        for (k, &v) in list.iter().enumerate() {
            let (a, b) = (corners[v as usize], corners[list[(k + 1) % list.len()] as usize]);
            outline.push(a);
            outline.extend(self.edge(a, b, spacing, error));
        }
        let count = outline.len();
        let mut t = Triangulation::from_outline(outline)?;
        let inside = self.inside(&t, list.len().max(count), region, spacing);
        let mut samples: Vec<MeasuredSample> = inside.into_iter().map(|at| MeasuredSample::new(at, &t)).collect();
        while t.points.len() < MAX_POINTS {
            let worst = samples.iter().map(|s| s.off).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((at, _)) = worst.filter(|w| w.1 > error) else { break };
            let p = samples.swap_remove(at).at;
            t.insert(p);
            for sample in samples.iter_mut().filter(|s| s.triangle.is_none_or(|own| t.replaced.contains(&own))) {
                *sample = MeasuredSample::new(sample.at, &t);
            }
        }
        (t.points.len() > list.len()).then_some(t)
    }

    /// Samples on a grid inside the outline, half a cell off its edges at least.
    fn inside(&self, t: &Triangulation, outline: usize, region: u32, spacing: f64) -> Vec<DVec3> {
        let ring = &t.points[..outline];
        let low = ring.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = ring.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut step = spacing;
        while ((high.x - low.x) / step + 1.0) * ((high.z - low.z) / step + 1.0) > MAX_INSIDE as f64 {
            step *= 2.0;
        }
        let first = |v: f64| (v / step).floor() as i64;
        let mut out = Vec::new();
        for z in first(low.z)..=first(high.z) {
            for x in first(low.x)..=first(high.x) {
                // The middle of a cell.
                let p = DVec3::new((x as f64 * step).floor() + 0.5, 0.0, (z as f64 * step).floor() + 0.5);
                let clear = (0..ring.len()).all(|k| {
                    let (a, b) = (ring[k], ring[(k + 1) % ring.len()]);
                    super::delaunay::area2(a, b, p) > 0.5 * (b - a).with_y(0.0).length()
                });
                if let Some(y) = t.height_at(p).filter(|_| clear) {
                    out.push(DVec3 { y: self.height(DVec3 { y, ..p }, Some(region)), ..p });
                }
            }
        }
        out
    }
}
