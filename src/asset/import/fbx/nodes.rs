//! The node tree.

use crate::asset::import::limits;
use crate::asset::import::nodes::{MeshUse, leave_out_stand_ins, push_node};
use crate::asset::{AssetError, Model};
use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Mat4, Quat, Vec3};
use std::path::Path;
use ufbx::{Matrix, Scene, Transform};

/// Name of the root, which has none in the file: that of other importers.
const ROOT: &str = "RootNode";

/// How the nodes of the file map to those of the model.
pub struct FbxNodes {
    /// By the number of a node among those of the file.
    ids: Vec<Option<NodeId>>,
    /// The numbers of nodes among those of the file, in the order of the model's.
    numbers: Vec<u32>,
    /// One entry per node with a mesh, in pre-order, with the number of the mesh among those of the file.
    pub mesh_uses: Vec<MeshUse>,
}

impl FbxNodes {
    /// The node of the model by its number among those of the file.
    pub fn by_number(&self, number: u32) -> Option<NodeId> {
        self.ids.get(number as usize).copied().flatten()
    }

    /// The node of the file.
    pub fn in_file<'a>(&self, scene: &'a Scene, node: NodeId) -> &'a ufbx::Node {
        &scene.nodes[self.numbers[node.0 as usize] as usize]
    }
}

/// Reads the node tree into the skeleton, in pre-order. The root brings the units and axes of the file to metres and Y up.
///
/// # Errors
/// It has more nodes than a model may have.
pub fn read(scene: &Scene, path: &Path, model: &mut Model) -> Result<FbxNodes, AssetError> {
    limits::check(path, "its number of nodes", scene.nodes.len() as u64, limits::NODES as u64)?;
    let mut nodes = FbxNodes { ids: vec![None; scene.nodes.len()], numbers: Vec::new(), mesh_uses: Vec::new() };
    let mut stack = vec![(scene.root_node.as_ref(), None)];
    while let Some((node, parent)) = stack.pop() {
        let id = NodeId(model.skeleton.len() as u32);
        nodes.ids[node.element.typed_id as usize] = Some(id);
        nodes.numbers.push(node.element.typed_id);
        let place = trs(&node.local_transform);
        if parent.is_none() {
            model.stored_root = (place != Trs::IDENTITY).then_some(Trs::IDENTITY);
        }
        let name = if node.is_root { ROOT } else { &*node.element.name };
        push_node(&mut model.skeleton, name.to_owned(), parent, place);
        if let Some(mesh) = &node.mesh {
            let node_from_mesh =
                if node.has_geometry_transform { mat4(&node.geometry_to_node) } else { Mat4::IDENTITY };
            nodes.mesh_uses.push(MeshUse {
                node: id,
                mesh: mesh.element.typed_id,
                variants: Vec::new(),
                node_from_mesh,
            });
        }
        // Reversed, so that the first child is taken from the stack first.
        stack.extend((0..node.children.len()).rev().map(|i| (&node.children[i], Some(id))));
    }
    leave_out_stand_ins(&mut nodes.mesh_uses, model);
    Ok(nodes)
}

/// The first of these names that is not empty; empty where all are.
pub fn first_name<const N: usize>(names: [&ufbx::String; N]) -> String {
    names.into_iter().find(|name| !name.is_empty()).map(ToString::to_string).unwrap_or_default()
}

/// A vector; components that are not finite become 0.
pub fn vec3(v: &ufbx::Vec3) -> Vec3 {
    let v = Vec3::new(v.x as f32, v.y as f32, v.z as f32);
    Vec3::select(v.is_finite_mask(), v, Vec3::ZERO)
}

/// A unit quaternion; the identity for one that cannot be normalised.
pub fn quat(q: &ufbx::Quat) -> Quat {
    let q = Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
    if q.is_finite() && q.length_squared() > 1e-12 { q.normalize() } else { Quat::IDENTITY }
}

fn trs(transform: &Transform) -> Trs {
    Trs {
        translation: vec3(&transform.translation),
        rotation: quat(&transform.rotation),
        scale: vec3(&transform.scale),
    }
}

/// A matrix; the identity for one that is not finite.
pub fn mat4(m: &Matrix) -> Mat4 {
    let column = |x: f64, y: f64, z: f64, w: f32| glam::Vec4::new(x as f32, y as f32, z as f32, w);
    let matrix = Mat4::from_cols(
        column(m.m00, m.m10, m.m20, 0.0),
        column(m.m01, m.m11, m.m21, 0.0),
        column(m.m02, m.m12, m.m22, 0.0),
        column(m.m03, m.m13, m.m23, 1.0),
    );
    if matrix.is_finite() { matrix } else { Mat4::IDENTITY }
}
