//! Reads model files through Assimp: the only place that knows it.
//!
//! Assimp is C++ and may crash on damaged files; [`super::worker`] therefore runs this in a child process.
//! Post-processing keeps the order and number of triangles: only triangulation, missing normals, validation and the
//! flip of texture coordinates so that v points downwards.

mod geometry;
pub mod guard;
mod material;
mod motion;
mod raw;

use super::{AssetError, Model, Skeleton};
use crate::ids::NodeId;
use crate::math::Trs;
use raw::Imported;
use std::collections::HashMap;
use std::path::Path;

/// Extensions that are imported.
pub const EXTENSIONS: &[&str] = &["gltf", "glb", "fbx", "obj", "dae", "mdl", "md3"];

/// Bounds on what one file may hold.
pub mod limits {
    /// Bytes of the model file itself.
    pub const FILE_BYTES: u64 = 512 << 20;
    /// Nodes of the tree.
    pub const NODES: usize = 65_535;
    /// Vertices of all meshes, counted once per node that carries them.
    pub const VERTICES: usize = 20_000_000;
    /// Joints of the model.
    pub const JOINTS: usize = 65_535;
    /// Keys of one clip.
    pub const KEYS: usize = 20_000_000;
    /// Side of an image in pixels.
    pub const IMAGE_SIDE: u32 = 16_384;
    /// Bytes of all decoded images.
    pub const IMAGE_BYTES: u64 = 2 << 30;
}

/// Imports a model file in this process.
///
/// # Errors
/// The file cannot be read, has an unknown extension, is refused by Assimp or over a limit.
pub fn import_file(path: &Path) -> Result<Model, AssetError> {
    check_file(path)?;
    let imported = Imported::open(path)?;
    let mut model = Model {
        name: path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        ..Model::default()
    };
    let nodes = read_nodes(&imported, path, &mut model)?;
    material::read(&imported, path, &mut model)?;
    geometry::read(&imported, &nodes, path, &mut model)?;
    motion::read(&imported, &nodes, path, &mut model)?;
    geometry::settle_skins(&mut model);
    model.rest_bounds = model.compute_rest_bounds();
    Ok(model)
}

/// Checks what can be told without reading the file: kind, size, access.
///
/// # Errors
/// [`AssetError::UnknownFormat`], [`AssetError::Unreadable`] or [`AssetError::TooLarge`].
pub fn check_file(path: &Path) -> Result<(), AssetError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !EXTENSIONS.contains(&extension.as_str()) {
        return Err(AssetError::UnknownFormat { path: path.into(), extension, supported: EXTENSIONS.join(", ") });
    }
    let unreadable = |e: std::io::Error| AssetError::Unreadable { path: path.into(), reason: e.to_string() };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(AssetError::Unreadable { path: path.into(), reason: "it is not a file".into() });
    }
    std::fs::File::open(path).map_err(unreadable)?;
    check_limit(path, "its size in bytes", metadata.len(), limits::FILE_BYTES)
}

fn check_limit(path: &Path, what: &str, value: u64, limit: u64) -> Result<(), AssetError> {
    if value > limit {
        return Err(AssetError::TooLarge { path: path.into(), what: what.into(), value, limit });
    }
    Ok(())
}

/// Where the file's nodes went.
struct Nodes {
    /// Meshes by node, in pre-order.
    mesh_uses: Vec<(NodeId, u32)>,
    by_name: HashMap<String, NodeId>,
}

/// Walks the tree in pre-order with a stack of its own: a deep chain must not exhaust the thread's.
fn read_nodes(imported: &Imported, path: &Path, model: &mut Model) -> Result<Nodes, AssetError> {
    let mut nodes = Nodes { mesh_uses: Vec::new(), by_name: HashMap::new() };
    let skeleton = &mut model.skeleton;
    let mut stack = vec![(imported.root(), None)];
    while let Some((node, parent)) = stack.pop() {
        check_limit(path, "its number of nodes", skeleton.len() as u64 + 1, limits::NODES as u64)?;
        let id = NodeId(skeleton.len() as u32);
        let local = match parent {
            None => imported.root_transform(path),
            Some(_) => raw::matrix(&node.mTransformation),
        };
        let name = raw::string(&node.mName);
        push_node(skeleton, name.clone(), parent, Trs::from_mat4(&local));
        nodes.by_name.entry(name).or_insert(id);
        nodes.mesh_uses.extend(raw::meshes_of(node).iter().map(|&mesh| (id, mesh)));
        // Reversed, so that the first child is taken from the stack first.
        stack.extend(raw::children(node).into_iter().rev().map(|child| (child, Some(id))));
    }
    Ok(nodes)
}

fn push_node(skeleton: &mut Skeleton, name: String, parent: Option<NodeId>, rest: Trs) {
    skeleton.names.push(name);
    skeleton.parents.push(parent);
    skeleton.rest.push(rest);
}
