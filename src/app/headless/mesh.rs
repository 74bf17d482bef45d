//! What commands that ask a navigation mesh share: the mesh that their input names, and places on it.

use super::level;
use crate::nav::bake::{BakeSettings, bake, silent};
use crate::nav::mesh::links::Links;
use crate::nav::mesh::{Filter, MeshFile, NavMesh, PolyId};
use crate::nav::query::nearest::{Reach, nearest};
use anyhow::Context;
use glam::{DVec3, Vec3};
use std::path::Path;

/// Whether a file holds a navigation mesh, by its ending.
pub fn is_mesh(input: &Path) -> bool {
    input.extension().is_some_and(|e| e.eq_ignore_ascii_case("json") || e.eq_ignore_ascii_case("navmesh"))
}

/// The mesh of a file, moved by `offset`: saved by `walkabout bake`, written as JSON, or baked right now from a scene or
/// a level with the default settings.
///
/// # Errors
/// The file cannot be read, is damaged, or holds no ground.
pub fn load(input: &Path, scale: f32, offset: DVec3) -> anyhow::Result<NavMesh> {
    load_linked(input, scale, offset).map(|loaded| loaded.0)
}

/// The same with the links that a saved mesh has.
///
/// # Errors
/// As [`load`].
pub fn load_linked(input: &Path, scale: f32, offset: DVec3) -> anyhow::Result<(NavMesh, Links)> {
    let say = || format!("mesh not loaded. File: {}", input.display());
    if !offset.is_finite() {
        super::misused!("--offset is not finite; give three numbers, X,Y,Z");
    }
    let ending = |e: &str| input.extension().is_some_and(|x| x.eq_ignore_ascii_case(e));
    if (ending("json") || ending("navmesh")) && scale != 1.0 {
        super::misused!("--scale is for levels; a navigation mesh is taken as it is. File: {}", input.display());
    }
    if ending("json") {
        let mut raw = MeshFile::read(input).with_context(say)?.mesh;
        raw.translate(offset);
        return Ok((raw.validate().with_context(say)?, Links::default()));
    }
    if ending("navmesh") {
        let (mesh, links) = MeshFile::read(input).and_then(|file| file.check()).with_context(say)?;
        return Ok((mesh.moved(offset), links));
    }
    let triangles: Vec<[Vec3; 3]> = level::triangles(input, scale)?.iter().map(|t| t.points).collect();
    let baked = bake(&triangles, &BakeSettings::default(), &mut silent).with_context(say)?;
    Ok((baked.nav_mesh().with_context(say)?.moved(offset), Links::default()))
}

/// The place on a mesh for a point in the world; in a polygon by its number in the file where that is given.
///
/// # Errors
/// Nothing of the mesh is near, or there is no such polygon.
pub fn place(mesh: &NavMesh, point: DVec3, polygon: Option<u32>, filter: &Filter) -> Result<(PolyId, Vec3), String> {
    let local = mesh.local(point);
    if let Some(number) = polygon {
        let id = mesh.from_source(number).ok_or_else(|| format!("the mesh has no polygon {number}"))?;
        return Ok((id, local));
    }
    nearest(mesh, local, &Reach::default(), filter)
        .map(|n| (n.polygon, n.point))
        .ok_or_else(|| format!("no polygon within 2 m beside and 4 m over or under {point}"))
}
