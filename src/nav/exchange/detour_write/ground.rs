//! The height detail of a part: triangles over it, as Detour keeps them.

use glam::DVec3;

use super::super::flat::is_flat;
use super::cut::CutPolygon;
use crate::math::plan;
use crate::nav::mesh::{MeshFile, NavMesh};

/// Most triangles and points of a part's detail.
const MAX_DETAIL: usize = 255;
/// Distance within which a detail edge lies on the polygon's border, metres.
const ON_BORDER: f64 = 1e-3;
/// Distance along each axis within which points of cuts are one, metres.
const SAME_POINT: f32 = 1e-4;
/// Twice the area of the smallest triangle that is kept, square metres.
const MIN_AREA: f64 = 2e-7;

/// A part's detail.
#[derive(Debug, Default)]
pub struct PartDetail {
    /// Points besides the part's corners.
    pub points: Vec<DVec3>,
    /// Three corners and the edges on the border.
    pub triangles: Vec<[u8; 4]>,
}

/// The detail of a part; of one that is flat, or whose detail is more than Detour counts, the fan of its corners.
pub fn detail(
    mesh: &NavMesh,
    file: &MeshFile,
    part: &CutPolygon,
    corners: &[DVec3],
    too_fine: &mut usize,
) -> PartDetail {
    let triangles = file.detail.as_ref().map_or(&[][..], |d| d.of(part.source as usize));
    let own = match &file.detail {
        Some(d) => triangles.iter().map(|t| t.map(|i| d.points[i as usize])).collect(),
        None => Vec::new(),
    };
    let found = match (part.is_whole, own.is_empty()) {
        (true, true) => None,
        (true, false) => numbered(corners, &own, 0.0),
        (false, is_plain) => {
            let ground = if is_plain { fan(mesh, file, part.source) } else { own };
            if is_plain && is_flat(ground.as_flattened().iter().copied(), &[]) {
                None
            } else {
                numbered(corners, &clipped(&ground, corners), SAME_POINT)
            }
        }
    };
    if let Some(found) = found {
        return found;
    }
    if !triangles.is_empty() {
        *too_fine += 1;
    }
    let count = corners.len();
    // Of a polygon that is not cut the mesh has a fan from its first corner, the last of the turned order.
    let fan = (0..count.saturating_sub(2)).map(|i| {
        let [a, b, c] = if part.is_whole { [count - 1, i, i + 1] } else { [0, i + 1, i + 2] };
        [a as u8, b as u8, c as u8, border_flags(corners, &[corners[a], corners[b], corners[c]])]
    });
    PartDetail { points: Vec::new(), triangles: fan.collect() }
}

/// The triangles that the mesh has over a polygon without detail.
fn fan(mesh: &NavMesh, file: &MeshFile, polygon: u32) -> Vec<[DVec3; 3]> {
    let edges = mesh.from_source(polygon).map_or(&[][..], |id| mesh.edges_of(id));
    let corners: Vec<DVec3> = edges.iter().map(|e| file.mesh.vertices[e.vertex as usize]).collect();
    let Some((&first, rest)) = corners.split_first() else { return Vec::new() };
    rest.windows(2).map(|pair| [first, pair[0], pair[1]]).collect()
}

/// What of triangles lies over a convex part.
fn clipped(triangles: &[[DVec3; 3]], corners: &[DVec3]) -> Vec<[DVec3; 3]> {
    let winding = plan::area(corners).signum();
    let mut out = Vec::new();
    let (mut ring, mut next) = (Vec::new(), Vec::new());
    for triangle in triangles {
        ring.clear();
        ring.extend(triangle);
        for (k, &a) in corners.iter().enumerate() {
            let b = corners[(k + 1) % corners.len()];
            next.clear();
            plan::clip_convex(&ring, |p: DVec3| winding * plan::cross(a, b, p), |p| next.push(p));
            std::mem::swap(&mut ring, &mut next);
        }
        if let Some((&first, rest)) = ring.split_first() {
            out.extend(rest.windows(2).map(|pair| [first, pair[0], pair[1]]));
        }
    }
    out.retain(|&[a, b, c]| plan::cross(a, b, c).abs() > MIN_AREA);
    out
}

/// Triangles by the numbers of their points, which are one where they lie as near to each other as `same`: first the part's
/// corners, then its own. `None` where Detour cannot count
/// them, or there are none.
fn numbered(corners: &[DVec3], triangles: &[[DVec3; 3]], same: f32) -> Option<PartDetail> {
    let mut out = PartDetail::default();
    let is_same = |a: DVec3, b: DVec3| (a.as_vec3() - b.as_vec3()).abs().max_element() <= same;
    for t in triangles {
        let numbers = t.map(|p| {
            let own = corners.iter().position(|&c| is_same(c, p));
            own.unwrap_or_else(|| {
                let known = out.points.iter().position(|&q| is_same(q, p));
                corners.len()
                    + known.unwrap_or_else(|| {
                        out.points.push(p);
                        out.points.len() - 1
                    })
            })
        });
        let [a, b, c] = numbers;
        if a == b || b == c || c == a {
            continue;
        }
        let [a, b, c] = numbers.map(|n| n.min(MAX_DETAIL) as u8);
        out.triangles.push([a, b, c, border_flags(corners, t)]);
    }
    let is_countable = corners.len() + out.points.len() <= MAX_DETAIL && out.triangles.len() <= MAX_DETAIL;
    (is_countable && !out.triangles.is_empty()).then_some(out)
}

/// Which edges of a triangle lie on the polygon's border, two bits each.
fn border_flags(corners: &[DVec3], t: &[DVec3; 3]) -> u8 {
    let on = |p: DVec3, a: DVec3, b: DVec3| {
        let long = (b - a).length();
        plan::cross(a, b, p).abs() <= ON_BORDER * long.max(ON_BORDER)
    };
    (0..3).fold(0, |flags, i| {
        let (p, q) = (t[i], t[(i + 1) % 3]);
        let is_border = (0..corners.len()).any(|k| {
            let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
            on(p, a, b) && on(q, a, b)
        });
        flags | (u8::from(is_border) << (2 * i))
    })
}
