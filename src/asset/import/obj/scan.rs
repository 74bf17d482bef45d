//! Reads the lines of a large OBJ file.

use super::corner::{NONE, ObjCorner, numbers, words};
use super::geometry::{Item, ObjGeometry};
use glam::{Vec2, Vec3};
use std::io::Write;

/// Most items that a texture coordinate can number exactly.
const MAX_ITEMS: usize = 1 << 24;
/// Most corners of a polygon that Assimp is given to split.
const MAX_POLYGON: usize = 1000;
/// How far corners of a flat face may lie off its plane, as a share of their distance.
const MAX_BEND: f32 = 1e-4;
/// The vertices of the triangle that stands for a run.
const OUTLINE_START: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n";
/// A face without area, as the outline has it: it makes a mesh, and nothing in it.
const OUTLINE_LINE: &[u8] = b"l 1 2\n";

/// An OBJ file in two parts.
pub struct SplitObj {
    /// What Assimp reads in its place.
    pub outline: Vec<u8>,
    /// What the triangles of the outline stand for.
    pub geometry: ObjGeometry,
}

impl SplitObj {
    /// Reads a file; `None` where it holds anything that only Assimp reads, or that Assimp refuses.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let Scan { outline, geometry, .. } = Scan::read(bytes)?;
        Some(Self { outline, geometry })
    }
}

/// What is read so far.
struct Scan {
    geometry: ObjGeometry,
    outline: Vec<u8>,
    /// Triangles that belong to an item.
    told: usize,
    /// The corners of one face.
    face: Vec<ObjCorner>,
}

impl Scan {
    /// Reads a file; `None` where Assimp has to.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut scan =
            Self { geometry: ObjGeometry::default(), outline: OUTLINE_START.to_vec(), told: 0, face: Vec::new() };
        let mut joined = Vec::new();
        for line in bytes.split(|&b| b == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            match line.strip_suffix(b"\\") {
                Some(begin) => joined.extend_from_slice(begin),
                None if joined.is_empty() => scan.line(line)?,
                None => {
                    joined.extend_from_slice(line);
                    scan.line(&joined)?;
                    joined.clear();
                }
            }
        }
        scan.line(&joined)?;
        scan.end_run()?;
        Some(scan)
    }

    fn line(&mut self, line: &[u8]) -> Option<()> {
        let end = line.iter().position(|&b| b == b' ' || b == b'\t').unwrap_or(line.len());
        let (key, rest) = line.split_at(end);
        let geometry = &mut self.geometry;
        match key {
            b"v" => self.vertex(rest)?,
            b"vn" => match numbers(rest)? {
                ([x, y, z, ..], 3) => geometry.normals.push(Vec3::new(x, y, z)),
                _ => return None,
            },
            b"vt" => match numbers(rest)? {
                // As everywhere in the program, v points downwards.
                ([u, v, ..], 2 | 3) => geometry.uvs.push(Vec2::new(u, 1.0 - v)),
                _ => return None,
            },
            b"f" => self.face(rest)?,
            b"l" | b"p" => self.line_or_point()?,
            b"o" | b"g" | b"usemtl" | b"mtllib" => {
                self.end_run()?;
                self.outline.extend_from_slice(line);
                self.outline.push(b'\n');
            }
            b"s" | b"mg" | b"vp" => {}
            // Blank lines. One that begins with a space is another matter.
            b"" if words(rest).next().is_none() => {}
            // Assimp goes by first letters.
            _ if b"cfglmopsuv \t".contains(line.first()?) || line.contains(&b'\r') || line.contains(&0) => return None,
            _ => {}
        }
        Some(())
    }

    fn vertex(&mut self, rest: &[u8]) -> Option<()> {
        let ([x, y, z, r, g, b], count) = numbers(rest)?;
        let place = Vec3::new(x, y, z);
        let geometry = &mut self.geometry;
        let colors = geometry.colors.len();
        match count {
            3 if colors == 0 => geometry.positions.push(place),
            // Homogeneous.
            4 if colors == 0 && r != 0.0 && (place / r).is_finite() => geometry.positions.push(place / r),
            // What a vertex without a colour among others has depends on the importer's version.
            6 if colors == geometry.positions.len() => {
                geometry.positions.push(place);
                geometry.colors.push([r, g, b, 1.0].map(|x| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8));
            }
            _ => return None,
        }
        Some(())
    }

    fn face(&mut self, rest: &[u8]) -> Option<()> {
        let counts = [self.geometry.positions.len(), self.geometry.uvs.len(), self.geometry.normals.len()];
        self.face.clear();
        for word in words(rest) {
            self.face.push(ObjCorner::read(word, counts)?);
        }
        let first = *self.face.first()?;
        let is_even =
            |c: &ObjCorner| (c.uv == NONE) == (first.uv == NONE) && (c.normal == NONE) == (first.normal == NONE);
        if !self.face.iter().all(is_even) {
            return None;
        }
        match self.face[..] {
            [_] | [_, _] => self.line_or_point()?,
            [a, b, c] => self.geometry.push_triangle([a, b, c]),
            [a, b, c, d] => {
                let corners = [a, b, c, d];
                let points = corners.map(|corner| self.geometry.positions[corner.vertex as usize]);
                let start = fan_start(&points);
                let [a, b, c, d] = std::array::from_fn(|i| corners[(start + i) % 4]);
                self.geometry.push_triangle([a, b, c]);
                self.geometry.push_triangle([a, c, d]);
            }
            // One that is not flat may be split otherwise: the file is left to Assimp.
            _ if self.face.len() <= MAX_POLYGON && self.is_flat() => self.polygon()?,
            _ => return None,
        }
        Some(())
    }

    /// Whether the corners of the face lie in a plane.
    fn is_flat(&self) -> bool {
        let points: Vec<Vec3> = self.face.iter().map(|c| self.geometry.positions[c.vertex as usize]).collect();
        let arms: Vec<Vec3> = points.iter().map(|p| *p - points[0]).collect();
        let normal = arms.windows(2).map(|pair| pair[0].cross(pair[1])).sum::<Vec3>().normalize_or_zero();
        arms.iter().all(|arm| arm.dot(normal).abs() <= MAX_BEND * arm.length())
    }

    fn line_or_point(&mut self) -> Option<()> {
        self.end_run()?;
        if !self.outline.ends_with(OUTLINE_LINE) {
            self.outline.extend_from_slice(OUTLINE_LINE);
        }
        Some(())
    }

    fn polygon(&mut self) -> Option<()> {
        self.end_run()?;
        let number = self.number()?;
        for (i, corner) in self.face.iter().enumerate() {
            let place = self.geometry.positions[corner.vertex as usize];
            write!(self.outline, "v {} {} {}\nvt {number} {i}\n", place.x, place.y, place.z).ok()?;
        }
        self.outline.push(b'f');
        for back in (1..=self.face.len()).rev() {
            write!(self.outline, " -{back}/-{back}").ok()?;
        }
        self.outline.push(b'\n');
        let first = self.geometry.polygon_corners.len();
        self.geometry.polygon_corners.extend_from_slice(&self.face);
        self.geometry.items.push(Item::Polygon(first));
        Some(())
    }

    /// Lets one triangle of the outline stand for those since the last item.
    fn end_run(&mut self) -> Option<()> {
        let end = self.geometry.triangle_count();
        if end == self.told {
            return Some(());
        }
        let number = self.number()?;
        write!(self.outline, "vt {number} 0\nf 1/-1 2/-1 3/-1\n").ok()?;
        self.geometry.items.push(Item::Run(self.told..end));
        self.told = end;
        Some(())
    }

    fn number(&self) -> Option<usize> {
        Some(self.geometry.items.len()).filter(|&number| number < MAX_ITEMS)
    }
}

/// The corner from which a quadrilateral is split, as Assimp does: the one that is not convex, or the first.
fn fan_start(points: &[Vec3; 4]) -> usize {
    let is_reflex = |&i: &usize| {
        let to = |j: usize| (points[(i + j) % 4] - points[i]).normalize_or_zero();
        let angle = |a: Vec3, b: Vec3| a.dot(b).acos();
        angle(to(3), to(2)) + angle(to(1), to(2)) > std::f32::consts::PI
    };
    (0..4).find(is_reflex).unwrap_or(0)
}
