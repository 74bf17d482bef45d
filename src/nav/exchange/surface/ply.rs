//! PLY, the polygon file format of Stanford: as text, and binary in both byte orders. Of the element `vertex` the
//! properties `x`, `y` and `z` are read, of `face` the list `vertex_indices` or `vertex_index`; all else is passed over.

use glam::DVec3;

use super::super::indexed::MAX_CORNERS;
use super::super::{Bytes, ExchangeError, ForeignMesh};
use super::{IndexedPolygons, mesh_of};
use crate::asset::import::ply_header::{PlyElement, PlyNumber, PlyProperty, elements_of};

/// Most corners of one face.
const MAX_FACE: usize = 1024;

/// The numbers after the header.
enum PlyBody<'a> {
    Text(std::str::SplitAsciiWhitespace<'a>),
    Binary(Bytes<'a>),
}

impl PlyBody<'_> {
    fn next(&mut self, kind: PlyNumber) -> Option<f64> {
        match self {
            Self::Text(words) => words.next()?.parse().ok(),
            Self::Binary(bytes) => Some(kind.value(bytes.low_first(kind.bytes())?)),
        }
    }
}

/// Whether bytes begin as a PLY file does.
pub fn is_ply(begin: &[u8]) -> bool {
    begin.starts_with(b"ply\n") || begin.starts_with(b"ply\r")
}

/// Reads the faces of a PLY file.
///
/// # Errors
/// The header is damaged, the numbers end too early, or there is no face.
pub fn read_ply(bytes: &[u8]) -> Result<ForeignMesh, ExchangeError> {
    const END: &[u8] = b"end_header";
    let fault = ExchangeError::element;
    let end = memchr::memmem::find(bytes, END).ok_or(fault("the header, line", 1))?;
    // Comments may be in Latin-1, as some programs write the names of users and folders.
    let header = String::from_utf8_lossy(&bytes[..end]);
    let after = &bytes[end + END.len()..];
    let line_end = after.iter().position(|&b| b == b'\n').ok_or(fault("the header, line", 1))?;
    let body = &after[line_end + 1..];
    let mut body = match header.lines().find_map(|line| line.trim().strip_prefix("format ")) {
        Some("ascii 1.0") => {
            let text = std::str::from_utf8(body).map_err(|_| ExchangeError::NotText("PLY"))?;
            PlyBody::Text(text.split_ascii_whitespace())
        }
        Some("binary_little_endian 1.0") => PlyBody::Binary(Bytes::new(body)),
        Some("binary_big_endian 1.0") => PlyBody::Binary(Bytes::new(body).big_endian()),
        _ => return Err(ExchangeError::Text("the PLY file is of no known format; save it as ascii 1.0".into())),
    };
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    let elements = elements_of(header.lines()).map_err(|line| fault("the header, line", line + 1))?;
    for element in elements.iter().filter(|e| !e.properties.is_empty()) {
        let count = faces.len().saturating_add(element.count);
        if element.name == "face" && count > MAX_CORNERS {
            return Err(ExchangeError::TooMany { what: "faces", count, limit: MAX_CORNERS });
        }
        for index in 0..element.count {
            match element.name {
                "vertex" => vertices.push(vertex(element, &mut body).ok_or(fault("vertex", index))?),
                "face" => faces.push(face(element, &mut body).ok_or(fault("face", index))?),
                _ => read_element(element, &mut body, |_, _, _| {}).ok_or(fault("element", index))?,
            }
        }
    }
    let mut polygons = IndexedPolygons::new(vertices)?;
    for face in faces {
        polygons.add(&face, 0, 1)?;
    }
    mesh_of("PLY, metres, Y up", [polygons])
}

/// Reads one element, and gives each number with its property and its place in the list.
fn read_element<'a>(
    element: &PlyElement<'a>,
    body: &mut PlyBody<'_>,
    mut take: impl FnMut(&PlyProperty<'a>, usize, f64),
) -> Option<()> {
    for property in &element.properties {
        let count = property.counted_by.map_or(Some(1.0), |kind| body.next(kind))?;
        if !(count >= 0.0 && count <= f64::from(u32::MAX)) {
            return None;
        }
        for i in 0..count as usize {
            take(property, i, body.next(property.kind)?);
        }
    }
    Some(())
}

fn vertex(element: &PlyElement<'_>, body: &mut PlyBody<'_>) -> Option<DVec3> {
    let mut place = DVec3::NAN;
    read_element(element, body, |property, _, number| match property.name {
        "x" => place.x = number,
        "y" => place.y = number,
        "z" => place.z = number,
        _ => {}
    })?;
    place.is_finite().then_some(place)
}

fn face(element: &PlyElement<'_>, body: &mut PlyBody<'_>) -> Option<Vec<u32>> {
    let mut corners = Vec::new();
    let mut is_good = true;
    read_element(element, body, |property, i, number| {
        if ["vertex_indices", "vertex_index"].contains(&property.name) {
            is_good &= i < MAX_FACE && number >= 0.0 && number < f64::from(u32::MAX);
            if is_good {
                corners.push(number as u32);
            }
        }
    })?;
    is_good.then_some(corners)
}
