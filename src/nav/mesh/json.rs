//! Meshes as JSON: `{"verts": [[x, y, z], …], "polys": [[vertex, …], …], "neis": [[polygon or -1, …], …]}`, with
//! optional lists `areas` and `flags`, one number per polygon.

use crate::disk::excerpt::shortened;
use glam::DVec3;
use serde::Deserialize;
use thiserror::Error;

use super::{RawMesh, RawPolygon};

/// A text that is not a mesh.
#[derive(Debug, Error)]
#[error("not a navigation mesh in JSON (`verts`, `polys`, optional `neis`, `areas`, `flags`): {0}")]
pub struct JsonError(String);

#[derive(Deserialize)]
struct JsonMesh {
    verts: Vec<[f64; 3]>,
    polys: Vec<PolygonEntries<u32>>,
    neis: Option<Vec<PolygonEntries<i64>>>,
    areas: Option<Vec<u8>>,
    flags: Option<Vec<u16>>,
}

/// The corners or neighbours of a polygon: one at least, because an empty list of three letters would take many times as
/// much memory.
#[derive(Deserialize)]
#[serde(try_from = "Vec<T>")]
struct PolygonEntries<T>(Vec<T>);

impl<T> TryFrom<Vec<T>> for PolygonEntries<T> {
    type Error = &'static str;

    fn try_from(entries: Vec<T>) -> Result<Self, &'static str> {
        if entries.is_empty() { Err("a polygon has an empty list") } else { Ok(Self(entries)) }
    }
}

impl RawMesh {
    /// Parses a mesh in JSON; [`RawMesh::validate`] checks it.
    ///
    /// # Errors
    /// The text is no such JSON, or its lists differ in length.
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        let file: JsonMesh = serde_json::from_str(text).map_err(|e| JsonError(shortened(&e)))?;
        let count = file.polys.len();
        let lists = [
            ("neis", file.neis.as_ref().map(Vec::len)),
            ("areas", file.areas.as_ref().map(Vec::len)),
            ("flags", file.flags.as_ref().map(Vec::len)),
        ];
        for (name, length) in lists {
            if let Some(length) = length.filter(|&l| l != count) {
                return Err(JsonError(format!("`{name}` has {length} entries for {count} polygons")));
            }
        }
        let neighbor = |n: &i64| if *n < 0 { None } else { Some(u32::try_from(*n).unwrap_or(u32::MAX)) };
        let polygons = file.polys.into_iter().enumerate().map(|(i, PolygonEntries(vertices))| RawPolygon {
            neighbors: file.neis.as_ref().map(|all| all[i].0.iter().map(neighbor).collect()),
            area: file.areas.as_ref().map_or(0, |a| a[i]),
            flags: file.flags.as_ref().map_or(1, |f| f[i]),
            vertices,
        });
        Ok(Self { vertices: file.verts.into_iter().map(DVec3::from).collect(), polygons: polygons.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lists_and_refuses_lists_of_other_lengths() {
        let text = r#"{"verts": [[0,0,0],[1,0,0],[0,0,1]], "polys": [[0,1,2]], "neis": [[-1,-1,-1]], "areas": [3]}"#;
        let raw = RawMesh::from_json(text).unwrap();
        assert_eq!((raw.polygons[0].area, raw.polygons[0].flags), (3, 1));
        assert_eq!(raw.polygons[0].neighbors, Some(vec![None; 3]));
        assert!(raw.validate().is_ok());
        let error = RawMesh::from_json(&text.replace("[3]", "[3, 4]")).unwrap_err().to_string();
        assert!(error.contains("`areas` has 2 entries for 1 polygons"), "{error}");
        assert!(RawMesh::from_json("{").is_err());
        // Millions of polygons without corners fit into a small file.
        let empty = |from: &str, to: &str| RawMesh::from_json(&text.replace(from, to)).unwrap_err().to_string();
        for error in [empty("[[0,1,2]]", "[[]]"), empty("[[-1,-1,-1]]", "[[]]")] {
            assert!(error.contains("a polygon has an empty list"), "{error}");
        }
    }
}
