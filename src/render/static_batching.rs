//! Static batching: meshes of one material that lie near each other become one mesh, so that a level of a thousand parts
//! takes a few dozen draws, each with its own culling box.

use super::lamps::{is_window, light_windows};
use crate::asset::{Mesh, Model};
use crate::ids::NodeId;
use crate::math::Aabb;
use glam::{Mat4, Vec3};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Batching cells along the model's longest edge.
const CELLS: f32 = 6.0;

/// Meshes with the same key become one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PartKey {
    material: u32,
    variant_materials: Vec<u32>,
    /// The batching cell of their middle.
    cell: [i32; 3],
    /// A number of its own for each mesh that is not batched, else 0.
    alone: usize,
    is_flat: bool,
}

/// The batched meshes of a model that is not skinned, in model space whatever their nodes. Meshes with morph targets are
/// not batched; what is not drawn is left out. No copy is made of a mesh that is alone and lies in model space already,
/// as the one of a large landscape does.
pub fn batch_meshes(model: &Model) -> Vec<Cow<'_, Mesh>> {
    let model_from_node = model.skeleton.rest_model_from_node();
    let cube = (model.rest_bounds.size().max_element() / CELLS).max(1e-3);
    let mut parts: BTreeMap<PartKey, Cow<'_, Mesh>> = BTreeMap::new();
    for (i, mesh) in model.meshes.iter().enumerate().filter(|(_, m)| model.is_drawn(m)) {
        let model_from_mesh = model_from_node.get(mesh.node.0 as usize).copied().unwrap_or_default();
        let mut placed = placed(mesh, &model_from_mesh);
        if model.materials.get(mesh.material as usize).is_some_and(is_window) {
            light_windows(placed.to_mut());
        }
        let middle = Aabb::from_points(placed.vertices.iter().map(|v| v.position)).center() / cube;
        let alone = if mesh.morphs.is_empty() { 0 } else { i + 1 };
        let cell = middle.floor().to_array().map(|x| x as i32);
        let variant_materials = mesh.variant_materials.clone();
        let key = PartKey { material: mesh.material, variant_materials, cell, alone, is_flat: mesh.is_flat };
        match parts.get_mut(&key) {
            Some(part) => {
                let part = part.to_mut();
                let first = part.vertices.len() as u32;
                part.vertices.extend(&placed.vertices);
                part.indices.extend(placed.indices.iter().map(|index| index + first));
            }
            None => {
                parts.insert(key, placed);
            }
        }
    }
    parts.into_values().collect()
}

/// Transforms a mesh to model space; a mirroring transform inverts the winding, so that front faces stay outside.
fn placed<'a>(mesh: &'a Mesh, model_from_mesh: &Mat4) -> Cow<'a, Mesh> {
    if *model_from_mesh == Mat4::IDENTITY {
        return Cow::Borrowed(mesh);
    }
    let mut out = Mesh { node: NodeId(0), ..mesh.clone() };
    let normal_matrix = model_from_mesh.inverse().transpose();
    // Lengths before normals are made units: the differences of morph targets to them shrink alike.
    let mut lengths = Vec::with_capacity(out.vertices.len());
    for v in &mut out.vertices {
        v.position = model_from_mesh.transform_point3(v.position);
        let normal = normal_matrix.transform_vector3(v.normal);
        lengths.push(normal.length());
        v.normal = normal.try_normalize().unwrap_or(Vec3::Y);
    }
    if model_from_mesh.determinant() < 0.0 {
        for triangle in out.indices.chunks_exact_mut(3) {
            triangle.swap(1, 2);
        }
    }
    for morph in &mut out.morphs {
        for p in &mut morph.positions {
            *p = model_from_mesh.transform_vector3(*p);
        }
        for (n, &length) in morph.normals.iter_mut().zip(&lengths) {
            let difference = normal_matrix.transform_vector3(*n) / length;
            *n = if difference.is_finite() { difference } else { Vec3::ZERO };
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Morph, Vertex};

    fn part(material: u32, x: f32) -> Mesh {
        let corners = [Vec3::ZERO, Vec3::Z, Vec3::X];
        Mesh {
            material,
            vertices: corners
                .iter()
                .map(|&p| Vertex { position: p + Vec3::X * x, normal: Vec3::Y, ..Vertex::default() })
                .collect(),
            indices: vec![0, 1, 2],
            ..Mesh::default()
        }
    }

    #[test]
    fn neighbours_of_one_material_become_one_mesh() {
        let meshes = vec![part(0, 0.0), part(0, 0.5), part(1, 0.0), part(0, 99.0)];
        let rest_bounds = Aabb::new(Vec3::ZERO, Vec3::new(100.0, 0.0, 1.0));
        let model = Model { meshes, rest_bounds, ..Model::default() };
        let mut hand_made = model.clone();
        hand_made.meshes.push(Mesh { name: "navmesh".into(), ..part(1, 3.0) });
        assert_eq!(batch_meshes(&hand_made), batch_meshes(&model), "E-5: navigation meshes are not drawn");
        let merged = batch_meshes(&model);
        let sizes: Vec<_> = merged.iter().map(|m| (m.material, m.indices.clone())).collect();
        assert_eq!(sizes, [(0, vec![0, 1, 2, 3, 4, 5]), (0, vec![0, 1, 2]), (1, vec![0, 1, 2])]);
        assert_eq!(merged[0].vertices[3].position.x, 0.5);
    }

    #[test]
    fn mirrored_triangles_keep_their_front() {
        let part = part(0, 0.0);
        let mirrored = placed(&part, &Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
        let [a, b, c] = [0, 1, 2].map(|i| mirrored.vertices[mirrored.indices[i] as usize].position);
        assert!((b - a).cross(c - a).dot(mirrored.vertices[0].normal) > 0.0);
    }

    #[test]
    fn normals_of_morph_targets_keep_their_proportion() {
        let morph = Morph { name: "tilt".into(), positions: vec![Vec3::X; 3], normals: vec![Vec3::Z * 0.5; 3] };
        let part = Mesh { morphs: vec![morph], ..part(0, 0.0) };
        // A model in centimetres, and one that is flattened.
        let small = placed(&part, &Mat4::from_scale(Vec3::splat(0.01)));
        let (position, normal) = (small.morphs[0].positions[0], small.morphs[0].normals[0]);
        assert!(small.vertices[0].normal.abs_diff_eq(Vec3::Y, 1e-5) && position.abs_diff_eq(Vec3::X * 0.01, 1e-6));
        assert!(normal.abs_diff_eq(Vec3::Z * 0.5, 1e-4), "{normal}");
        let flat = placed(&part, &Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0)));
        assert!(flat.morphs[0].normals.iter().all(|n| n.is_finite()));
    }
}
