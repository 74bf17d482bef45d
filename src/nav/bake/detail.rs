//! Heights inside the polygons: edges and insides are sampled on the voxels' surface, and where the surface leaves
//! the triangles by more than the error allows, the farthest sample becomes a corner of them (after Mononen's Recast).

use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::BakeSettings;
use super::compact::Compact;
use super::delaunay::Triangulation;
use super::region::Regions;
use crate::nav::mesh::{Detail, RawMesh};

/// Most corners of the triangles of one polygon.
const MOST_POINTS: usize = 400;
/// Most samples along an edge.
const MOST_SAMPLES: usize = 64;
/// Most samples inside a polygon.
const MOST_INSIDE: usize = 1 << 14;

/// Triangles for all polygons; `of` names the region of each. Nothing if the settings want no samples.
pub fn build(
    mesh: &RawMesh,
    of: &[u32],
    compact: &Compact,
    regions: &Regions,
    settings: &BakeSettings,
    stop: &AtomicBool,
) -> Option<Detail> {
    if settings.detail_distance_cells < 0.9 {
        return None;
    }
    let ground = Ground { compact, regions };
    let (spacing, error) = (f64::from(settings.detail_distance_cells), f64::from(settings.detail_error_cells));
    let frame = &compact.frame;
    let scale = DVec3::new(frame.cell_size.into(), frame.cell_height.into(), frame.cell_size.into());
    let origin = frame.origin.as_dvec3();
    let corners: Vec<DVec3> = mesh.vertices.iter().map(|v| (*v - origin) / scale).collect();
    let made: Vec<Option<Triangulation>> = mesh
        .polygons
        .par_iter()
        .zip(of)
        .map(|(p, &region)| {
            if stop.load(Relaxed) {
                None
            } else {
                ground.cover(&corners, &p.vertices, region, spacing, error.max(1e-3))
            }
        })
        .collect();
    let mut out = Detail { points: Vec::new(), triangles: Vec::new(), starts: vec![0] };
    for t in made {
        // What a fan says as well needs no triangles.
        if let Some(t) = t.filter(|t| t.triangles.len() > 1) {
            let base = out.points.len() as u32;
            out.points.extend(t.points.iter().map(|p| *p * scale + origin));
            // A mesh's triangles turn the other way than outlines run.
            out.triangles.extend(t.triangles.iter().map(|&[a, b, c]| [b + base, a + base, c + base]));
        }
        out.starts.push(out.triangles.len() as u32);
    }
    Some(out)
}

/// The voxels' surface; places in cells and cell heights.
struct Ground<'a> {
    compact: &'a Compact,
    regions: &'a Regions,
}

impl Ground<'_> {
    /// Height of the floor over a place that belongs to the region, else of the floor nearest to the place.
    fn height(&self, at: DVec3, region: Option<u32>) -> f64 {
        let f = &self.compact.frame;
        let (x, z) = ((at.x.max(0.0) as usize).min(f.width - 1), (at.z.max(0.0) as usize).min(f.depth - 1));
        let column = z * f.width + x;
        let floors = self.compact.columns[column] as usize..self.compact.columns[column + 1] as usize;
        let own = floors.clone().filter(|&i| region.is_some_and(|r| self.regions.ids[i] == r));
        let y = |i: usize| f64::from(self.compact.floors[i].y);
        let nearer = |&i: &usize, &j: &usize| (y(i) - at.y).abs().total_cmp(&(y(j) - at.y).abs());
        let found = own.min_by(nearer).map(y);
        // A step more than the agent's own leads to another floor.
        let beside = || floors.min_by(nearer).map(y).filter(|y| (y - at.y).abs() < 6.0);
        found.or_else(beside).unwrap_or(at.y)
    }

    /// Points of an edge that the error asks for, without its ends. The same from both sides.
    fn edge(&self, a: DVec3, b: DVec3, spacing: f64, error: f64) -> Vec<DVec3> {
        let swapped = (b.x, b.z, b.y) < (a.x, a.z, a.y);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let length = (b - a).with_y(0.0).length();
        let parts = ((length / spacing) as usize + 1).min(MOST_SAMPLES);
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
        let mut t = Triangulation::of_outline(outline)?;
        let mut samples = self.inside(&t, list.len().max(count), region, spacing);
        while t.points.len() < MOST_POINTS {
            let off = |p: &DVec3| t.height_at(*p).map_or(0.0, |y| (y - p.y).abs());
            let worst = samples.iter().map(off).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((at, _)) = worst.filter(|w| w.1 > error) else { break };
            let p = samples.swap_remove(at);
            t.insert(p);
        }
        (t.points.len() > list.len()).then_some(t)
    }

    /// The surface at the points of a grid inside the outline, not next to it.
    fn inside(&self, t: &Triangulation, outline: usize, region: u32, spacing: f64) -> Vec<DVec3> {
        let ring = &t.points[..outline];
        let low = ring.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = ring.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut step = spacing;
        while ((high.x - low.x) / step + 1.0) * ((high.z - low.z) / step + 1.0) > MOST_INSIDE as f64 {
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
