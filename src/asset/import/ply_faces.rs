//! PLY files whose faces Assimp 5.2 does not read as they are meant. Where faces carry the texture coordinates of their corners,
//! as MeshLab writes scans, it gives each vertex those of the last face that meets there, which tears the picture along its seams:
//! each corner becomes a vertex. Of strips of triangles, as Stanford's scans have them, it reads the first triangle.

use super::ply_header::{PlyElement, PlyNumber, PlyProperty, elements_of};

/// Most bytes of the new file for each byte of the old one: a vertex may be a corner of any number of faces.
const MAX_GROWTH: usize = 16;

/// How numbers stand behind the header.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    Text,
    LowFirst,
    HighFirst,
}

/// The numbers behind a header, one after the other.
struct PlyNumbers<'a> {
    storage: Storage,
    rest: &'a [u8],
    /// What is left of the line of an element, in text.
    line: &'a [u8],
}

impl PlyNumbers<'_> {
    /// Begins an element: in text it is a line, of which some programs write more than they declare.
    fn begin(&mut self) {
        if self.storage == Storage::Text {
            let text = self.rest.trim_ascii_start();
            let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
            (self.line, self.rest) = text.split_at(end);
        }
    }

    fn next(&mut self, kind: PlyNumber) -> Option<f64> {
        if self.storage == Storage::Text {
            let line = self.line.trim_ascii_start();
            let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
            let (word, rest) = line.split_at(end);
            self.line = rest;
            return std::str::from_utf8(word).ok()?.parse().ok();
        }
        let (bytes, rest) = self.rest.split_at_checked(kind.bytes())?;
        self.rest = rest;
        let mut low_first = [0; 8];
        low_first[..bytes.len()].copy_from_slice(bytes);
        if self.storage == Storage::HighFirst {
            low_first[..bytes.len()].reverse();
        }
        Some(kind.value(low_first))
    }

    /// The numbers of a property: one, or as many as a list says that it has.
    fn of(&mut self, property: &PlyProperty) -> Option<Vec<f64>> {
        let count = match property.counted_by {
            Some(kind) => self.next(kind).filter(|count| *count >= 0.0)? as usize,
            None => 1,
        };
        (0..count).map(|_| self.next(property.kind)).collect()
    }
}

/// The lines of a header, without the one that ends it, and what lies behind.
fn header_of(bytes: &[u8]) -> Option<(Vec<&str>, &[u8])> {
    let (mut lines, mut rest) = (Vec::new(), bytes);
    loop {
        let end = memchr::memchr(b'\n', rest)?;
        let line = std::str::from_utf8(&rest[..end]).ok()?.trim_end();
        rest = &rest[end + 1..];
        match line {
            "end_header" => return Some((lines, rest)),
            line if lines.is_empty() && line != "ply" => return None,
            line => lines.push(line),
        }
    }
}

/// How numbers stand behind a header; `None` of a format that is not known.
fn storage_of(lines: &[&str]) -> Option<Storage> {
    lines.iter().find_map(|line| match line.split_whitespace().collect::<Vec<&str>>()[..] {
        ["format", "ascii", _] => Some(Storage::Text),
        ["format", "binary_little_endian", _] => Some(Storage::LowFirst),
        ["format", "binary_big_endian", _] => Some(Storage::HighFirst),
        _ => None,
    })
}

/// A number of a vertex as it is written: bytes, as which colours are known, or single precision.
fn write(kind: PlyNumber, value: f64, out: &mut Vec<u8>) {
    match kind {
        PlyNumber::Unsigned(1) => out.push(value as u8),
        _ => out.extend_from_slice(&(value as f32).to_le_bytes()),
    }
}

/// A file as Assimp reads it; `None` where it does so as it is, and of damaged files.
pub(super) fn readable(bytes: &[u8]) -> Option<Vec<u8>> {
    let (lines, data) = header_of(bytes)?;
    let (storage, elements) = (storage_of(&lines)?, elements_of(lines.iter().copied()).ok()?);
    if elements.iter().any(|element| element.properties.is_empty()) {
        // Any number of them takes no bytes.
        return None;
    }
    let of = |name: &str| elements.iter().find(|element| element.name == name);
    let has = |element: &PlyElement, name: &str| element.properties.iter().any(|property| property.name == name);
    let vertex =
        of("vertex").filter(|vertex| vertex.properties.iter().all(|property| property.counted_by.is_none()))?;
    let has_corners = of("face").is_some_and(|face| has(face, "texcoord")) && !has(vertex, "s");
    if !has_corners && of("tristrips").is_none() {
        return None;
    }
    let mut numbers = PlyNumbers { storage, rest: data, line: &[] };
    let mut out = NewMesh { limit: bytes.len().saturating_mul(MAX_GROWTH), ..NewMesh::default() };
    for element in &elements {
        for _ in 0..element.count {
            numbers.begin();
            let values: Vec<Vec<f64>> =
                element.properties.iter().map(|property| numbers.of(property)).collect::<Option<_>>()?;
            let named = |names: [&str; 2]| {
                let found = element.properties.iter().position(|property| names.contains(&property.name));
                found.and_then(|i| values.get(i))
            };
            let places = || named(["vertex_indices", "vertex_index"]);
            match element.name {
                "vertex" => out.take_vertex(element, &values),
                "face" if has_corners => out.take_corners(places()?, named(["texcoord"; 2])?)?,
                "face" => out.take_face(&places()?.iter().map(|place| *place as u32).collect::<Vec<_>>())?,
                "tristrips" => out.take_strip(places()?)?,
                _ => {}
            }
        }
    }
    let (vertices, count) = match has_corners {
        true => (out.corners, out.corner_count),
        false => (out.vertices.concat(), out.vertices.len() as u32),
    };
    Some([header(&lines, vertex, [count, out.face_count], has_corners).as_bytes(), &vertices, &out.faces].concat())
}

/// What is written in place of a file's vertices and faces.
#[derive(Default)]
struct NewMesh {
    /// The vertices of the file, each as it is written.
    vertices: Vec<Vec<u8>>,
    /// Those that are corners, with their texture coordinates.
    corners: Vec<u8>,
    corner_count: u32,
    faces: Vec<u8>,
    face_count: u32,
    /// Most bytes of corners and of faces.
    limit: usize,
}

impl NewMesh {
    fn take_vertex(&mut self, element: &PlyElement, values: &[Vec<f64>]) {
        let mut out = Vec::new();
        let each = element.properties.iter().zip(values.iter().flatten());
        each.for_each(|(property, value)| write(property.kind, *value, &mut out));
        self.vertices.push(out);
    }

    /// A face whose corners become vertices; `None` of one that names no vertex, and beyond the limit.
    fn take_corners(&mut self, places: &[f64], uvs: &[f64]) -> Option<()> {
        let first = self.corner_count;
        // Before any is written: a list may have any number.
        u8::try_from(places.len()).ok()?;
        for (i, place) in places.iter().enumerate() {
            let vertex = (*place >= 0.0).then_some(*place as usize)?;
            self.corners.extend_from_slice(self.vertices.get(vertex)?);
            for axis in 0..2 {
                let value = uvs.get(2 * i + axis).copied().unwrap_or(0.0);
                write(PlyNumber::Float(4), value, &mut self.corners);
            }
            self.corner_count = self.corner_count.checked_add(1)?;
            (self.corners.len() <= self.limit).then_some(())?;
        }
        self.take_face(&(first..self.corner_count).collect::<Vec<_>>())
    }

    fn take_face(&mut self, places: &[u32]) -> Option<()> {
        self.faces.push(u8::try_from(places.len()).ok()?);
        places.iter().for_each(|place| self.faces.extend_from_slice(&place.to_le_bytes()));
        self.face_count += 1;
        (self.faces.len() <= self.limit).then_some(())
    }

    /// Strips of triangles that share an edge with the one before, with -1 between them; every other one is turned round.
    fn take_strip(&mut self, places: &[f64]) -> Option<()> {
        for strip in places.split(|place| *place < 0.0) {
            for (i, corners) in strip.windows(3).enumerate() {
                let [a, b, c] = [corners[0], corners[1], corners[2]].map(|place| place as u32);
                self.take_face(&if i % 2 == 0 { [a, b, c] } else { [b, a, c] })?;
            }
        }
        Some(())
    }
}

/// The header of a file of so many vertices, with texture coordinates or without, and faces; with the comments of the old one,
/// which name its picture.
fn header(lines: &[&str], vertex: &PlyElement, [vertices, faces]: [u32; 2], has_uvs: bool) -> String {
    let mut out = "ply\nformat binary_little_endian 1.0\n".to_owned();
    lines.iter().filter(|line| line.starts_with("comment")).for_each(|line| out += &format!("{line}\n"));
    out += &format!("element vertex {vertices}\n");
    for property in &vertex.properties {
        let kind = if property.kind == PlyNumber::Unsigned(1) { "uchar" } else { "float" };
        out += &format!("property {kind} {}\n", property.name);
    }
    if has_uvs {
        out += "property float s\nproperty float t\n";
    }
    out + &format!("element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "comment TextureFile a.png\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        property uchar red\nelement face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n\
        property uchar flags\nend_header\n";
    #[test]
    fn elements_without_properties_are_not_counted_out() {
        let faces = "element face 0\nproperty list uchar float texcoord\nend_header\n";
        let file = format!("ply\nformat ascii 1.0\nelement vertex 4000000000\n{faces}");
        assert_eq!(readable(file.as_bytes()), None);
    }

    const PLACES: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.5, 0.0]];
    const FACES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

    /// A square whose faces have their own texture coordinates: those of corner `i` of a face `f` are `f` and `i`.
    fn text() -> Vec<u8> {
        let mut out = format!("ply\nformat ascii 1.0\n{HEADER}");
        PLACES.iter().for_each(|[x, y, z]| out += &format!("{x} {y} {z} 200\n"));
        for (f, [a, b, c]) in FACES.iter().enumerate() {
            out += &format!("3 {a} {b} {c} 6 {f} 0 {f} 1 {f} 2 7 8 9\n");
        }
        out.into_bytes()
    }

    fn binary(order: &str, float: fn(f32) -> [u8; 4], integer: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let mut out = format!("ply\nformat binary_{order}_endian 1.0\n{HEADER}").into_bytes();
        for place in PLACES {
            place.iter().for_each(|x| out.extend(float(*x)));
            out.push(200);
        }
        for (f, face) in FACES.iter().enumerate() {
            out.push(3);
            face.iter().for_each(|place| out.extend(integer(*place)));
            out.push(6);
            (0..3).for_each(|i| [f as f32, i as f32].iter().for_each(|x| out.extend(float(*x))));
            out.push(7);
        }
        out
    }

    #[test]
    fn each_corner_keeps_its_texture_coordinates() {
        let split = readable(&text()).unwrap();
        assert_eq!(Some(&split), readable(&binary("little", f32::to_le_bytes, u32::to_le_bytes)).as_ref());
        assert_eq!(Some(&split), readable(&binary("big", f32::to_be_bytes, u32::to_be_bytes)).as_ref());
        let end = memchr::memmem::find(&split, b"end_header\n").unwrap() + 11;
        let head = std::str::from_utf8(&split[..end]).unwrap();
        assert!(
            head.contains("comment TextureFile a.png")
                && head.contains("element vertex 6")
                && head.contains("uchar red")
        );
        let corner = |i: usize| &split[end + i * 21..][..21];
        let number = |bytes: &[u8]| f32::from_le_bytes(*bytes.first_chunk().unwrap());
        for (i, place) in FACES.concat().into_iter().enumerate() {
            let at = |byte: usize| number(&corner(i)[byte..]);
            assert_eq!([at(0), at(4), at(8)], PLACES[place as usize]);
            assert_eq!((corner(i)[12], at(13), at(17)), (200, (i / 3) as f32, (i % 3) as f32));
        }
        assert_eq!(split.len(), end + 6 * 21 + 2 * 13);
        assert_eq!(split[end + 6 * 21..][..5], [3, 0, 0, 0, 0]);
    }

    #[test]
    fn other_files_and_damaged_ones_stay() {
        let whole = text();
        for end in 0..whole.len() - 7 {
            assert_eq!(readable(&whole[..end]), None, "{end}");
        }
        let changed = |from: &str, to: &str| String::from_utf8(text()).unwrap().replace(from, to).into_bytes();
        for (from, to) in
            [("texcoord", "flat"), ("3 0 2 3", "3 0 2 4"), ("3 0 2 3", "3 0 2 -1"), ("float y", "float s")]
        {
            assert_eq!(readable(&changed(from, to)), None, "{from} {to}");
        }
        assert_eq!(readable(b""), None);
    }

    #[test]
    fn strips_become_triangles() {
        let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
            element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n\
            8 0 1 2 3 -1 3 2 1\n";
        let cut = readable(text.as_bytes()).unwrap();
        let end = memchr::memmem::find(&cut, b"end_header\n").unwrap() + 11;
        assert!(std::str::from_utf8(&cut[..end]).unwrap().contains("element vertex 4\n"));
        assert!(std::str::from_utf8(&cut[..end]).unwrap().contains("element face 3\n"));
        let faces = &cut[end + 4 * 12..];
        let place = |face: usize, i: usize| faces[face * 13 + 1 + i * 4];
        let triangles: Vec<[u8; 3]> = (0..3).map(|face| [0, 1, 2].map(|i| place(face, i))).collect();
        assert_eq!((triangles, faces.len()), (vec![[0, 1, 2], [2, 1, 3], [3, 2, 1]], 39));
    }

    #[test]
    fn corners_are_counted_before_they_are_written() {
        let mut mesh = NewMesh { vertices: vec![vec![0; 10]], limit: 25, ..NewMesh::default() };
        assert!(mesh.take_corners(&[0.0; 300], &[]).is_none() && mesh.corners.is_empty());
        assert!(mesh.take_corners(&[0.0; 200], &[]).is_none() && mesh.corners.len() == 2 * 18);
    }

    #[test]
    fn files_grow_no_more_than_they_may() {
        let many = "property float a\n".repeat(2000);
        let corners = "1 0 0\n".repeat(3000);
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 1\n{many}element face 3000\nproperty list uchar int vertex_indices\n\
            property list uchar float texcoord\nend_header\n{}\n{corners}",
            "1 ".repeat(2000)
        );
        assert_eq!(readable(text.as_bytes()), None);
    }
}
