//! Bodies of a map of Quake III ("brushes") that stop players and are not seen: the convex space behind some planes, as mappers put it over
//! stairs and before ledges. The map has no faces of them, so that they are made here. The layout is that of `qfiles.h`.

use super::bsp::{MODEL_BYTES, MODELS, QuakeMap, range, upright};
use super::surface::{MapSurface, MapVertex, SurfaceKey};
use crate::asset::bytes::u32_at;
use glam::{DVec3, Vec2};
use std::collections::BTreeMap;

/// Numbers of lumps, and sizes of their items.
const PLANES: usize = 2;
const BRUSHES: usize = 8;
const BRUSH_SIDES: usize = 9;
const PLANE_BYTES: usize = 16;
const BRUSH_BYTES: usize = 12;
const BRUSH_SIDE_BYTES: usize = 8;
/// Half the side of the square on a plane that is cut to a face: farther than any place of a map.
const REACH: f64 = 131_072.0;
/// Distance from a plane up to which a corner lies on it, units of the game.
const TOUCH: f64 = 0.01;
/// Narrowest face: planes that only touch a body are there so that boxes slide along it.
const MIN_WIDTH: f64 = 0.1;
/// Largest difference of the normal and of the distance of two planes that are one.
const SAME_PLANE: f64 = 1e-4;
/// Most corners that are held against planes, some seconds' worth: bodies of a file may share their planes.
const MAX_CORNER_TESTS: usize = 200_000_000;

/// A plane, whose normal leads out of the body.
#[derive(Clone, Copy, Debug)]
struct BodyPlane {
    normal: DVec3,
    distance: f64,
}

impl BodyPlane {
    /// `None` of one whose normal is not of unit length.
    fn of(item: &[u8]) -> Option<Self> {
        let at = |place: usize| u32_at(item, place).map(|bits| f64::from(f32::from_bits(bits)));
        let (normal, distance) = (DVec3::new(at(0)?, at(4)?, at(8)?), at(12)?);
        let length = normal.length();
        let is_plane = (length - 1.0).abs() < 0.01 && distance.abs() < REACH;
        is_plane.then(|| Self { normal: normal / length, distance: distance / length })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.normal.abs_diff_eq(other.normal, SAME_PLANE) && (self.distance - other.distance).abs() < SAME_PLANE
    }

    /// The part of a polygon behind the plane.
    fn cut(&self, corners: &[DVec3]) -> Vec<DVec3> {
        let height = |corner: DVec3| self.normal.dot(corner) - self.distance;
        let mut out = Vec::with_capacity(corners.len() + 1);
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let (a, b) = (height(from), height(to));
            if a <= TOUCH {
                out.push(from);
            }
            if a.min(b) < -TOUCH && a.max(b) > TOUCH {
                out.push(from.lerp(to, a / (a - b)));
            }
        }
        out
    }
}

/// The corners of a body on one of its planes, in order around it; none where the plane only touches the body.
fn face(planes: &[BodyPlane], at: usize) -> Vec<DVec3> {
    let plane = &planes[at];
    if planes[..at].iter().any(|other| other.is_same(plane)) {
        return Vec::new();
    }
    let (along, across) = plane.normal.any_orthonormal_pair();
    let middle = plane.normal * plane.distance;
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut corners = square.map(|[x, y]| middle + (along * x + across * y) * REACH).to_vec();
    for other in planes.iter().filter(|other| !other.is_same(plane)) {
        corners = other.cut(&corners);
    }
    let Some(&first) = corners.first() else { return Vec::new() };
    let length = corners.iter().map(|corner| corner.distance(first)).fold(0.0, f64::max);
    let doubled: DVec3 = corners.windows(2).map(|pair| (pair[0] - first).cross(pair[1] - first)).sum();
    if doubled.length() < 2.0 * MIN_WIDTH * length.max(MIN_WIDTH) {
        corners.clear();
    }
    corners
}

/// Adds the faces of all bodies whose texture has a key; answers how many bodies there are, and whether more are left out because they
/// would take too long. `grant` is asked before so many vertices or corners of triangles are made.
///
/// # Errors
/// Those of `grant`.
pub(super) fn append<E>(
    map: &QuakeMap,
    keys: &[Option<SurfaceKey>],
    mut grant: impl FnMut(usize) -> Result<(), E>,
    surfaces: &mut BTreeMap<SurfaceKey, MapSurface>,
) -> Result<(usize, bool), E> {
    let planes: Vec<Option<BodyPlane>> = map.items(PLANES, PLANE_BYTES).into_iter().map(BodyPlane::of).collect();
    let (bodies, sides) = (map.items(BRUSHES, BRUSH_BYTES), map.items(BRUSH_SIDES, BRUSH_SIDE_BYTES));
    let models = map.items(MODELS, MODEL_BYTES);
    let (mut count, mut tests_left) = (0, MAX_CORNER_TESTS);
    for model in map.drawn_models() {
        let own = models.get(model.number).and_then(|item| range(item, 32));
        for body in own.and_then(|own| bodies.get(own)).unwrap_or_default() {
            let key = u32_at(body, 8).and_then(|texture| keys.get(texture as usize)?.as_ref());
            let own = range(body, 0).and_then(|own| sides.get(own));
            let tests = key.and(own).map_or(0, |own| own.len().saturating_pow(3));
            let Some(left) = tests_left.checked_sub(tests.saturating_add(1)) else { return Ok((count, true)) };
            tests_left = left;
            let (Some(key), Some(own)) = (key, own) else { continue };
            let plane = |side: &&[u8]| *planes.get(u32_at(side, 0)? as usize)?;
            let Some(own) = own.iter().map(plane).collect::<Option<Vec<BodyPlane>>>() else { continue };
            let faces = (0..own.len()).map(|at| (face(&own, at), own[at].normal));
            let mut is_there = false;
            for (corners, normal) in faces.filter(|(corners, _)| corners.len() >= 3) {
                grant(corners.len() * 3)?;
                is_there = true;
                let surface = surfaces.entry(key.clone()).or_default();
                let first = surface.vertices.len() as u32;
                surface.vertices.extend(corners.iter().map(|corner| MapVertex {
                    position: upright(corner.as_vec3().to_array()) + model.offset,
                    normal: upright(normal.as_vec3().to_array()),
                    uv: Vec2::ZERO,
                }));
                for next in 1..corners.len() as u32 - 1 {
                    surface.push([first, first + next, first + next + 1]);
                }
            }
            count += usize::from(is_there);
        }
    }
    Ok((count, false))
}
