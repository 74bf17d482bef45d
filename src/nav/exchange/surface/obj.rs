//! Wavefront OBJ: vertices (`v`) and faces (`f`); all else is left out.

use std::borrow::Cow;

use glam::DVec3;

use super::super::indexed::MAX_CORNERS;
use super::super::{ExchangeError, ForeignMesh};
use super::unreal::UnrealExport;
use super::{IndexedPolygons, mesh_of};

/// First words of lines.
const WORDS: [&str; 11] = ["v", "vn", "vt", "vp", "f", "o", "g", "s", "mtllib", "usemtl", "l"];

/// Whether a text begins as an OBJ file does: with a line of one.
pub fn is_obj(begin: &[u8]) -> bool {
    let begin = String::from_utf8_lossy(begin);
    let mut lines = begin
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = |line: &str| line.split_whitespace().next().is_some_and(|word| WORDS.contains(&word));
    let is_vertex = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("v") && point(&mut words).is_some()
    };
    // Other programs put lines of their own before the first vertex.
    lines.next().is_some_and(|first| words(first) || lines.any(is_vertex))
}

/// Reads the faces of an OBJ file. Unreal Engine's export is told by its last lines, and brought to our axes.
///
/// # Errors
/// A line is damaged, or there is no face.
pub fn read_obj(text: &str) -> Result<ForeignMesh, ExchangeError> {
    let (mut vertices, mut faces, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    let mut unreal = UnrealExport::default();
    for (index, line) in whole_lines(text) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let place = point(&mut words).ok_or(ExchangeError::Element { what: "the vertex of line", index })?;
                vertices.push(place);
            }
            Some("f") => {
                let first = corners.len();
                for word in words.take_while(|word| !word.starts_with('#')) {
                    let corner = corner(word, vertices.len());
                    corners.push(corner.ok_or(ExchangeError::Element { what: "the face of line", index })?);
                }
                faces.push(first..corners.len());
                let count = corners.len().max(faces.len());
                if count > MAX_CORNERS {
                    return Err(ExchangeError::TooMany { what: "corners", count, limit: MAX_CORNERS });
                }
            }
            Some(word) if word.starts_with("rd_") => unreal.take(word, words),
            _ => {}
        }
    }
    let format = unreal.place(&mut vertices).unwrap_or("Wavefront OBJ, metres, Y up");
    let mut polygons = IndexedPolygons::new(vertices)?;
    for face in faces {
        polygons.add(&corners[face], 0, 1)?;
    }
    let mesh = mesh_of(format, [polygons])?;
    Ok(ForeignMesh { agent_radius: unreal.agent_radius(), ..mesh })
}

/// The lines of a text, each with its number: one that ends with `\` goes on in the next. Comments do not.
fn whole_lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        let (number, line) = lines.next()?;
        let goes_on = |line: &str| line.trim_end().ends_with('\\');
        if !goes_on(line) || line.trim_start().starts_with('#') {
            return Some((number, Cow::Borrowed(line)));
        }
        let mut whole = line.trim_end().trim_end_matches('\\').to_owned();
        for (_, next) in lines.by_ref() {
            whole.push(' ');
            whole.push_str(next.trim_end().trim_end_matches('\\'));
            if !goes_on(next) {
                break;
            }
        }
        Some((number, Cow::Owned(whole)))
    })
}

/// Three numbers; what follows them are weights and colours. Scripts of Unity and others that write numbers in the user's
/// language put commas into them.
fn point<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<DVec3> {
    let mut number = || {
        let word = words.next()?;
        word.parse::<f64>().ok().or_else(|| word.replacen(',', ".", 1).parse().ok())
    };
    Some(DVec3::new(number()?, number()?, number()?))
}

/// The vertex of a corner `v/vt/vn`: counted from 1, or backwards from the last so far.
fn corner(word: &str, vertices: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let vertex = if number < 0 { (vertices as i64).checked_add(number)? } else { number - 1 };
    u32::try_from(vertex).ok()
}
