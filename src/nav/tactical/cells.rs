//! Exposure cells: a polygon cut along the outlines of the shadows, so that every cell is seen, or hidden, throughout.
//!
//! A shadow is a union of convex volumes. Each is subtracted from what is still seen, which leaves convex pieces; a
//! second subtraction, of the pieces from the whole polygon, drops the cuts that part nothing.

use glam::Vec3;
use smallvec::{SmallVec, smallvec};

use super::threats::Threats;
use crate::math::plan;

/// The corners of a convex cell, in the order of the mesh's polygons.
pub(super) type CellOutline = SmallVec<[Vec3; 8]>;

/// A convex part of a polygon.
#[derive(Clone, Debug)]
pub(super) struct ExposureCell {
    pub(super) outline: CellOutline,
    /// Whether an enemy sees it.
    pub(super) is_seen: bool,
}

/// What is hidden by less than this counts as seen, metres: paths along the outline of a shadow are hidden for sure.
const SHADOW_MARGIN: f32 = 5e-3;
/// Parts narrower than this are not cut off, metres.
const MIN_WIDTH: f32 = 0.03;
/// Parts narrower than this are nothing, metres.
const NO_WIDTH: f32 = 1e-4;
/// Most pieces of a polygon; further volumes are left out.
const MAX_PIECES: usize = 48;

/// Cuts a convex polygon into cells. Each is seen or hidden throughout, but for a few centimetres.
pub(super) fn split(corners: &[Vec3], threats: Option<&Threats>) -> SmallVec<[ExposureCell; 2]> {
    let whole = CellOutline::from_slice(corners);
    let Some(threats) = threats.filter(|t| !t.is_empty()) else {
        return smallvec![ExposureCell { outline: whole, is_seen: false }];
    };
    let (mut seen, mut hidden) = (Vec::new(), vec![whole.clone()]);
    for shadow in threats.shadows() {
        let targets: CellOutline = corners.iter().map(|&c| shadow.target(c)).collect();
        let mut open = std::mem::take(&mut hidden);
        for volume in shadow.volumes().iter().filter(|v| v.may_meet(&targets, SHADOW_MARGIN)) {
            if open.is_empty() || open.len() + hidden.len() + seen.len() > MAX_PIECES {
                break;
            }
            let pieces = std::mem::take(&mut open);
            for piece in pieces {
                let sides = volume.sides().map(|side| move |p: Vec3| side(shadow.target(p)) - SHADOW_MARGIN);
                subtract(piece, sides, MIN_WIDTH, &mut open, Some(&mut hidden));
            }
        }
        seen.append(&mut open);
    }
    if !seen.is_empty() && !hidden.is_empty() {
        hidden = rest(&whole, &seen);
        seen = rest(&whole, &hidden);
    }
    let cell = |is_seen| move |outline| ExposureCell { outline, is_seen };
    seen.into_iter().map(cell(true)).chain(hidden.into_iter().map(cell(false))).collect()
}

/// What is left of a polygon without some of its pieces.
fn rest(whole: &CellOutline, pieces: &[CellOutline]) -> Vec<CellOutline> {
    let mut left = vec![whole.clone()];
    for piece in pieces {
        let parts = std::mem::take(&mut left);
        for part in parts {
            let edges = (0..piece.len()).map(|i| (piece[i], piece[(i + 1) % piece.len()]));
            let sides = edges.map(|(a, b)| {
                let length = plan::distance(a, b).max(f32::MIN_POSITIVE);
                move |p: Vec3| plan::cross(a, b, p) as f32 / length
            });
            subtract(part, sides, NO_WIDTH, &mut left, None);
        }
    }
    left
}

/// Subtracts the intersection of half-spaces from a convex piece: `outside` gets what is left, `inside` the rest. Parts
/// narrower than `width` are not cut off.
fn subtract<S: Fn(Vec3) -> f32>(
    piece: CellOutline,
    sides: impl Iterator<Item = S>,
    width: f32,
    outside: &mut Vec<CellOutline>,
    inside: Option<&mut Vec<CellOutline>>,
) {
    let mut inner = piece.clone();
    let mut parts: SmallVec<[CellOutline; 4]> = SmallVec::new();
    for side in sides {
        let (mut front, mut behind) = (CellOutline::new(), CellOutline::new());
        if inner.iter().all(|&p| side(p) >= 0.0) {
            continue;
        }
        plan::clip_convex(&inner, &side, |p| front.push(p));
        if !is_wide(&front, width) {
            outside.push(piece);
            return;
        }
        plan::clip_convex(&inner, |p| -side(p), |p| behind.push(p));
        if is_wide(&behind, width) {
            parts.push(behind);
            inner = front;
        }
    }
    outside.extend(parts);
    if let Some(inside) = inside {
        inside.push(inner);
    }
}

/// Whether a convex outline is wider than this.
fn is_wide(outline: &CellOutline, width: f32) -> bool {
    let around: f32 = (0..outline.len()).map(|i| plan::distance(outline[i], outline[(i + 1) % outline.len()])).sum();
    outline.len() > 2 && 2.0 * plan::area(outline).abs() as f32 > width * around
}

#[cfg(test)]
mod tests {
    use super::super::{CoverClass, CoverMap, CoverSegment, Enemy, MapSettings, VisibilityModel, fixture};
    use super::*;

    fn threats(covers: &[(Vec3, Vec3)], enemies: &[Vec3]) -> Threats {
        let mesh = fixture::cells(&["."], 1.0);
        let segment = |&(a, b): &(Vec3, Vec3)| CoverSegment { a, b, class: CoverClass::Standing, height: 2.0 };
        let segments: Vec<CoverSegment> = covers.iter().map(segment).collect();
        let map = CoverMap::build(&mesh, &segments, &[], MapSettings::default());
        let enemies: Vec<Enemy> = enemies.iter().map(|&e| Enemy::at(e)).collect();
        Threats::new(&map, &enemies, VisibilityModel::default())
    }

    #[test]
    fn cells_are_seen_or_hidden_throughout_and_fill_the_polygon() {
        let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let square = [at(0.0, 0.0), at(20.0, 0.0), at(20.0, 20.0), at(0.0, 20.0)];
        let covers = [(at(5.0, -1.0), at(8.0, -1.0)), (at(8.0, -1.0), at(9.0, -2.0)), (at(14.0, -1.0), at(15.0, -1.0))];
        for (enemies, most) in [(&[at(6.0, -9.0)][..], 5), (&[at(6.0, -9.0), at(-30.0, -30.0)], 14)] {
            let threats = threats(&covers, enemies);
            let cells = split(&square, Some(&threats));
            let area: f64 = cells.iter().map(|c| plan::area(&c.outline)).sum();
            assert!((area - 400.0).abs() < 0.1, "{area}");
            assert!(cells.len() > 1 && cells.len() <= most, "{}", cells.len());
            for cell in &cells {
                let middle = cell.outline.iter().sum::<Vec3>() / cell.outline.len() as f32;
                for corner in &cell.outline {
                    let inner = corner.lerp(middle, 0.1);
                    let seen = threats.exposed_length(&[inner, inner + Vec3::X * 1e-3]) > 5e-4;
                    assert_eq!(seen, cell.is_seen, "{inner}");
                }
            }
        }
        assert_eq!(split(&square, None).len(), 1);
    }
}
