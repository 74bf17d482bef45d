//! Models of Quake III (MD3): a header with offsets, and surfaces one behind the other. Their layout is that of `qfiles.h` in the
//! published source of the game.

use crate::asset::bytes::length_at;

const MAGIC: &[u8] = b"IDP3";
/// Where the header has the number of surfaces, and where frames, tags, surfaces and the end lie.
const SURFACE_COUNT: usize = 84;
const FRAMES_AT: usize = 92;
const TAGS_AT: usize = 96;
const SURFACES_AT: usize = 100;
const END_AT: usize = 104;
/// Where a surface has its numbers of vertices and triangles, and its length.
const VERTEX_COUNT: usize = 80;
const TRIANGLE_COUNT: usize = 84;
const LENGTH: usize = 104;

/// The file without its surfaces that hold nothing, which Assimp 5.2 reads beyond their end; `None` where there are none of the one
/// or none of the other kind.
pub(super) fn without_empty_surfaces(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.get(..MAGIC.len())? != MAGIC {
        return None;
    }
    let (count, from) = (length_at(bytes, SURFACE_COUNT)?, length_at(bytes, SURFACES_AT)?);
    // What lies behind the surfaces would move.
    if length_at(bytes, FRAMES_AT)? > from || length_at(bytes, TAGS_AT)? > from {
        return None;
    }
    let mut out = bytes.get(..from)?.to_vec();
    let (mut at, mut kept) = (from, 0_u32);
    for _ in 0..count {
        let surface = bytes.get(at..at.checked_add(length_at(bytes, at.checked_add(LENGTH)?)?)?)?;
        if surface.len() < LENGTH + 4 {
            return None;
        }
        if length_at(surface, VERTEX_COUNT)? > 0 && length_at(surface, TRIANGLE_COUNT)? > 0 {
            out.extend_from_slice(surface);
            kept += 1;
        }
        at += surface.len();
    }
    if kept == 0 || kept as usize == count {
        return None;
    }
    let end = u32::try_from(out.len()).ok()?;
    out[SURFACE_COUNT..SURFACE_COUNT + 4].copy_from_slice(&kept.to_le_bytes());
    out[END_AT..END_AT + 4].copy_from_slice(&end.to_le_bytes());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::import::import_file;

    fn words(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn name(text: &str) -> Vec<u8> {
        let mut name = text.as_bytes().to_vec();
        name.resize(64, 0);
        name
    }

    /// A surface of one triangle, or of nothing.
    fn surface(is_empty: bool) -> Vec<u8> {
        let triangles = if is_empty { Vec::new() } else { words(&[0, 1, 2]) };
        let shader = [name("plain"), words(&[0])].concat();
        let coordinates = if is_empty { Vec::new() } else { words(&[0; 6]) };
        let corners: [[i16; 4]; 3] = [[0, 0, 0, 0], [64, 0, 0, 0], [0, 64, 0, 0]];
        let positions: Vec<u8> = corners.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let positions = if is_empty { Vec::new() } else { positions };
        let mut at = 108;
        let offsets = [&triangles, &shader, &coordinates, &positions].map(|list| {
            at += list.len() as u32;
            at - list.len() as u32
        });
        let vertices = if is_empty { 0 } else { 3 };
        let counts = words(&[0, 1, 1, vertices, vertices / 3]);
        [
            b"IDP3".to_vec(),
            name("part"),
            counts,
            words(&offsets),
            words(&[at]),
            triangles,
            shader,
            coordinates,
            positions,
        ]
        .concat()
    }

    fn file(surfaces: &[Vec<u8>]) -> Vec<u8> {
        let frame = [words(&[0; 10]), vec![0; 16]].concat();
        let (frames_at, surfaces_at) = (108, 108 + frame.len() as u32);
        let all = surfaces.concat();
        let counts = words(&[0, 1, 0, surfaces.len() as u32, 0]);
        let offsets = words(&[frames_at, surfaces_at, surfaces_at, surfaces_at + all.len() as u32]);
        [b"IDP3".to_vec(), words(&[15]), name("model"), counts, offsets, frame, all].concat()
    }

    #[test]
    fn surfaces_without_triangles_go() {
        let mixed = file(&[surface(true), surface(false), surface(true)]);
        assert_eq!(without_empty_surfaces(&mixed), Some(file(&[surface(false)])));
        assert_eq!(without_empty_surfaces(&file(&[surface(false)])), None);
        assert_eq!(without_empty_surfaces(&file(&[surface(true)])), None, "nothing would be left");
        for end in 0..mixed.len() {
            assert_eq!(without_empty_surfaces(&mixed[..end]), None, "{end}");
        }
    }

    #[test]
    fn a_model_with_an_empty_surface_comes_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vest.md3");
        std::fs::write(&path, file(&[surface(false), surface(true)])).unwrap();
        assert_eq!(import_file(&path).unwrap().triangle_count(), 1);
        std::fs::write(&path, file(&[])).unwrap();
        let error = import_file(&path).unwrap_err().to_string();
        assert!(error.contains("no surfaces") && error.contains("joins other models"), "{error}");
    }
}
