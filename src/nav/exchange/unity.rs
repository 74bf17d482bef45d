//! Unity's `NavMeshTriangulation` as JSON: `vertices` (objects with `x`, `y`, `z`, or lists of three numbers), `indices`
//! (three for each triangle) and `areas` (one for each triangle). Metres, Y up, left-handed: z is mirrored.
//!
//! Triangles that follow each other as a fan around one vertex, as Unity writes the polygons of its mesh, become one
//! polygon again where it is convex.

use crate::disk::excerpt::shortened;
use glam::DVec3;
use serde::Deserialize;

use super::indexed::{IndexedPolygons, SAME_BORDER};
use super::outline::MAX_CONCAVITY;
use super::{ExchangeError, ForeignMesh, Joining};
use crate::math::plan;

/// Most corners of a polygon that is put together.
const MAX_FAN: usize = 64;
/// Largest difference of heights over the border of two tiles, metres.
const STEP: f64 = 0.25;

#[derive(Deserialize)]
struct UnityFile {
    vertices: Vec<UnityPoint>,
    indices: Vec<u32>,
    areas: Option<Vec<i64>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum UnityPoint {
    Named { x: f64, y: f64, z: f64 },
    List([f64; 3]),
}

/// Reads a triangulation.
///
/// # Errors
/// The text is no such JSON, or its lists do not fit each other.
pub fn read_unity(text: &str) -> Result<ForeignMesh, ExchangeError> {
    let file: UnityFile = serde_json::from_str(text).map_err(|e| {
        ExchangeError::Text(format!(
            "not a triangulation of Unity in JSON (`vertices`, `indices`, `areas`): {}",
            shortened(&e)
        ))
    })?;
    let (triangles, rest) = file.indices.as_chunks::<3>();
    let given = file.areas.as_ref().map_or(triangles.len(), Vec::len);
    if !rest.is_empty() || given != triangles.len() {
        let error = format!(
            "`indices` has {} entries and `areas` {given}; give three and one for each triangle",
            file.indices.len()
        );
        return Err(ExchangeError::Text(error));
    }
    let place = |p: &UnityPoint| match *p {
        UnityPoint::Named { x, y, z } | UnityPoint::List([x, y, z]) => DVec3::new(x, y, -z),
    };
    let vertices: Vec<DVec3> = file.vertices.iter().map(place).collect();
    let mut polygons = IndexedPolygons::new(vertices.clone())?;
    let mut fan: Vec<u32> = Vec::new();
    let mut fan_area = 0;
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        let fault = |what| ExchangeError::Element { what, index };
        let area = file.areas.as_ref().map_or(0, |areas| areas[index]);
        let area = u8::try_from(area).ok().filter(|&a| a < 64).ok_or(fault("area of triangle"))?;
        if [a, b, c].iter().any(|&i| i as usize >= vertices.len()) {
            return Err(fault("triangle"));
        }
        let continues = fan.first() == Some(&a) && fan.last() == Some(&b) && area == fan_area && fan.len() < MAX_FAN;
        if continues && !fan.contains(&c) {
            fan.push(c);
            if is_convex(&fan, &vertices) {
                continue;
            }
            fan.pop();
        }
        if !fan.is_empty() {
            polygons.add(&fan, fan_area, 1)?;
        }
        (fan, fan_area) = (vec![a, b, c], area);
    }
    if !fan.is_empty() {
        polygons.add(&fan, fan_area, 1)?;
    }
    let joining = Joining::Nearby { reach: SAME_BORDER, climb: STEP };
    let mut mesh = ForeignMesh::new("Unity triangulation, metres, Y up, z mirrored".into(), joining);
    polygons.add_to(&mut mesh);
    Ok(mesh)
}

/// Whether an outline is convex.
fn is_convex(outline: &[u32], vertices: &[DVec3]) -> bool {
    let points: Vec<DVec3> = outline.iter().map(|&i| vertices[i as usize]).collect();
    plan::first_reflex_corner(&points, MAX_CONCAVITY).is_none()
}
