//! The unit cube, and the box of a person's size that is drawn in place of missing models.

use crate::asset::{Material, Mesh, Model, Skeleton, Vertex};
use crate::ids::NodeId;
use crate::math::{Aabb, Trs};
use glam::Vec3;

/// The box in place of a missing model, metres: it stands on the origin.
pub const PLACEHOLDER_BOUNDS: Aabb = Aabb::new(Vec3::new(-0.3, 0.0, -0.3), Vec3::new(0.3, 1.8, 0.3));

/// The box in place of a missing model.
pub fn placeholder() -> Model {
    let Aabb { min, max } = PLACEHOLDER_BOUNDS;
    let mut model = model();
    for vertex in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.vertices) {
        vertex.position = min + vertex.position * (max - min);
    }
    Model { rest_bounds: PLACEHOLDER_BOUNDS, ..model }
}

/// The cube as a model: six faces with their own normals, seen from outside counter-clockwise.
pub fn model() -> Model {
    let mut mesh = Mesh { node: NodeId(0), ..Mesh::default() };
    for axis in 0..3 {
        for sign in [-1.0_f32, 1.0] {
            let normal = Vec3::AXES[axis] * sign;
            let (u, v) = (Vec3::AXES[(axis + 1) % 3], Vec3::AXES[(axis + 2) % 3] * sign);
            let first = mesh.vertices.len() as u32;
            for (a, b) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                let position = normal * 0.5 + u * a + v * b + 0.5;
                mesh.vertices.push(Vertex { position, normal, color: [255; 4], ..Vertex::default() });
            }
            mesh.indices.extend([0, 1, 2, 2, 3, 0].map(|i| first + i));
        }
    }
    Model {
        name: "cube".into(),
        skeleton: Skeleton { names: vec!["cube".into()], parents: vec![None], rest: vec![Trs::IDENTITY] },
        meshes: vec![mesh],
        materials: vec![Material { double_sided: false, ..Material::default() }],
        rest_bounds: Aabb::new(Vec3::ZERO, Vec3::ONE),
        ..Model::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faces_look_outwards() {
        let model = model();
        let mesh = &model.meshes[0];
        assert_eq!(mesh.indices.len(), 36);
        for t in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]].map(|i| mesh.vertices[i as usize]);
            let face = (b.position - a.position).cross(c.position - a.position).normalize();
            assert!(face.abs_diff_eq(a.normal, 1e-6));
            assert!((a.position - 0.5).dot(face) > 0.0);
        }
        assert_eq!(model.compute_rest_bounds(), model.rest_bounds);
        assert_eq!(placeholder().compute_rest_bounds(), PLACEHOLDER_BOUNDS);
    }
}
