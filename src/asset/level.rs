//! A level's triangles in world space, numbered.

use super::{Model, NodeTransforms};
use glam::{Mat4, Vec3};

/// A triangle of a level in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelTriangle {
    /// Number over all levels of a scene: levels in order, meshes in node pre-order, triangles in file order.
    pub index: u32,
    /// Corners in world space, counter-clockwise as seen from where the face looks. Where a transform mirrors, the second and
    /// the third have changed places (glTF 2.0, section 3.7.4).
    pub points: [Vec3; 3],
    /// Unit normal: the first corner's normal of the file, carried by the inverse transpose; the face's own normal
    /// where that is not usable; zero when there is neither. Never NaN.
    pub normal: Vec3,
}

/// Appends the triangles of `model`, placed by `world_from_model`, numbering on from `out.len()`.
///
/// Triangles with non-finite corners keep their number and become three equal points at the origin of the level.
/// Authored navigation meshes ([`Model::is_walk_mesh`]) and what characters pass through are left out.
pub fn append_triangles(model: &Model, world_from_model: &Mat4, source: NodeTransforms, out: &mut Vec<LevelTriangle>) {
    append(model, world_from_model, source, MeshKind::Solid, out);
}

/// Appends the triangles of the authored navigation meshes of `model`, as [`append_triangles`] does for those that are solid.
pub fn append_walk_meshes(model: &Model, world_from_model: &Mat4, out: &mut Vec<LevelTriangle>) {
    append(model, world_from_model, NodeTransforms::All, MeshKind::Walk, out);
}

/// Which meshes of a model are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MeshKind {
    /// Those that hold and stop characters.
    Solid,
    /// Authored navigation meshes alone.
    Walk,
}

fn append(
    model: &Model,
    world_from_model: &Mat4,
    source: NodeTransforms,
    kind: MeshKind,
    out: &mut Vec<LevelTriangle>,
) {
    let model_from_node = model.skeleton.rest_model_from_node();
    let meshes = model.meshes.iter().filter(|mesh| match kind {
        MeshKind::Solid => model.is_solid(mesh),
        MeshKind::Walk => model.is_walk_mesh(mesh),
    });
    // Large levels take twice the memory where the list grows by doubling.
    out.reserve_exact(meshes.clone().map(|mesh| mesh.indices.len() / 3).sum());
    for mesh in meshes {
        let node = match source {
            NodeTransforms::All | NodeTransforms::Unconverted => mesh.node.0 as usize,
            NodeTransforms::RootOnly => 0,
        };
        let model_from_mesh = model_from_node.get(node).copied().unwrap_or(Mat4::IDENTITY);
        let world_from_mesh = *world_from_model * model_from_mesh;
        let normal_matrix = world_from_mesh.inverse().transpose();
        let is_mirrored = world_from_mesh.determinant() < 0.0;
        for corner in mesh.indices.chunks_exact(3) {
            let vertices = [corner[0], corner[1], corner[2]].map(|i| &mesh.vertices[i as usize]);
            let own = if mesh.is_flat { crate::math::triangle::normal(&vertices.map(|v| v.position)) } else { None };
            let mut points = vertices.map(|v| world_from_mesh.transform_point3(v.position));
            if !points.iter().all(|p| p.is_finite()) {
                points = [world_from_model.w_axis.truncate(); 3];
            }
            if is_mirrored {
                points.swap(1, 2);
            }
            let normal = normal_matrix
                .transform_vector3(own.unwrap_or(vertices[0].normal))
                .try_normalize()
                .or_else(|| crate::math::triangle::normal(&points))
                .unwrap_or(Vec3::ZERO);
            out.push(LevelTriangle { index: out.len() as u32, points, normal });
        }
    }
}

/// The corners of a level's triangles where its file places them: what a bake takes.
pub fn corners(model: &Model) -> Vec<[Vec3; 3]> {
    let mut triangles = Vec::new();
    append_triangles(model, &Mat4::IDENTITY, Default::default(), &mut triangles);
    triangles.into_iter().map(|t| t.points).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Mesh, MeshPurpose, Skeleton, Vertex};
    use crate::ids::NodeId;
    use crate::math::Trs;

    fn two_node_model() -> Model {
        let vertex = |x, z| Vertex { position: Vec3::new(x, 0.0, z), normal: Vec3::Y, ..Vertex::default() };
        Model {
            skeleton: Skeleton {
                names: vec!["root".into(), "child".into()],
                parents: vec![None, Some(NodeId(0))],
                rest: vec![
                    Trs { translation: Vec3::Y, ..Trs::IDENTITY },
                    Trs { translation: Vec3::X * 10.0, ..Trs::IDENTITY },
                ],
            },
            meshes: vec![Mesh {
                node: NodeId(1),
                vertices: vec![vertex(0.0, 0.0), vertex(0.0, 1.0), vertex(1.0, 0.0)],
                indices: vec![0, 1, 2],
                ..Mesh::default()
            }],
            ..Model::default()
        }
    }

    #[test]
    fn e_5_meshes_called_navmesh_are_told_from_the_others() {
        let mut model = two_node_model();
        let names = ["navmesh", "NavMesh.001", "NAVMESH_0", "navmesh", "navmeshes", "my navmesh", "", "nav"];
        model.meshes = names.iter().map(|n| Mesh { name: (*n).into(), ..model.meshes[0].clone() }).collect();
        let walked: Vec<bool> = model.meshes.iter().map(|m| model.is_walk_mesh(m)).collect();
        assert_eq!(walked, [true, true, true, true, false, false, false, false]);
        let (mut drawn, mut walk) = (Vec::new(), Vec::new());
        append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::All, &mut drawn);
        append_walk_meshes(&model, &Mat4::IDENTITY, &mut walk);
        assert_eq!((drawn.len(), walk.len()), (4, 4));
        model.skeleton.names[1] = "Navmesh".into();
        assert!(model.meshes.iter().all(|m| model.is_walk_mesh(m)), "by the name of the node");
    }

    #[test]
    fn what_is_passed_through_is_no_ground_and_what_is_unseen_is() {
        let mut model = two_node_model();
        let purposes = [MeshPurpose::DrawnAndSolid, MeshPurpose::DrawnOnly, MeshPurpose::SolidOnly];
        model.meshes = purposes.map(|purpose| Mesh { purpose, ..model.meshes[0].clone() }).to_vec();
        let seen = [0, 1, 2].map(|i| (model.is_drawn(&model.meshes[i]), model.is_solid(&model.meshes[i])));
        assert_eq!(seen, [(true, true), (true, false), (false, true)]);
        let mut solid = Vec::new();
        append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::All, &mut solid);
        assert_eq!(solid.iter().map(|triangle| triangle.index).collect::<Vec<_>>(), [0, 1]);
        model.skeleton.names[1] = "navmesh".into();
        assert!(model.meshes.iter().all(|mesh| !model.is_drawn(mesh) && !model.is_solid(mesh)));
    }

    #[test]
    fn child_transforms_count_unless_asked_otherwise() {
        let model = two_node_model();
        let mut all = Vec::new();
        append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::All, &mut all);
        append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::RootOnly, &mut all);
        assert_eq!(all[0].points[0], Vec3::new(10.0, 1.0, 0.0));
        assert_eq!(all[1].points[0], Vec3::new(0.0, 1.0, 0.0));
        assert_eq!((all[0].index, all[1].index), (0, 1));
        assert_eq!(all[0].normal, Vec3::Y);
    }

    #[test]
    fn mirrored_triangles_face_where_their_normals_point() {
        let mut model = two_node_model();
        for scale in [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 1.0, -2.0], [-1.0, -1.0, -1.0], [1.0, -1.0, 1.0]] {
            model.skeleton.rest[1].scale = scale.into();
            let mut all = Vec::new();
            append_triangles(&model, &Mat4::IDENTITY, NodeTransforms::All, &mut all);
            assert_eq!(all[0].normal, Vec3::Y * scale[1], "{scale:?}");
            let face = crate::math::triangle::normal(&all[0].points);
            assert!(face.is_some_and(|face| face.abs_diff_eq(all[0].normal, 1e-6)), "{scale:?}: {face:?}");
        }
    }
}
