//! Surfaces of modelling programs as navigation meshes: OBJ, PLY and glTF. These are levels as well: they are taken as
//! meshes only where a mesh is asked for.
//!
//! Polygons are taken as they are; neighbours are those whose borders lie upon each other.

mod gltf;
mod imported;
mod obj;
mod ply;
mod unreal;

use super::indexed::{IndexedPolygons, SAME_BORDER, SAME_HEIGHT};
use super::{ExchangeError, ForeignMesh, Joining};

pub use self::gltf::{is_gltf, read_gltf};
pub use self::obj::{is_obj, read_obj};
pub use self::ply::{is_ply, read_ply};

/// The mesh of polygons, which parts of a file hold that share no vertices.
fn mesh_of(format: &str, parts: impl IntoIterator<Item = IndexedPolygons>) -> Result<ForeignMesh, ExchangeError> {
    let joining = Joining::Nearby { reach: SAME_BORDER, climb: SAME_HEIGHT };
    let mut mesh = ForeignMesh::new(format.into(), joining);
    let mut repeated = 0;
    for part in parts {
        repeated += part.repeated;
        part.add_to(&mut mesh);
    }
    if mesh.polygons.is_empty() {
        return Err(ExchangeError::Empty);
    }
    if repeated > 0 {
        mesh.notes.push(match repeated {
            1 => "1 polygon that repeats another is left out.".to_owned(),
            count => format!("{count} polygons that repeat others are left out."),
        });
    }
    Ok(mesh)
}
