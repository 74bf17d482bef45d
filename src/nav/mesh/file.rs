//! Navigation mesh files, `*.navmesh`.
//!
//! Layout, little-endian: 8 bytes of magic, the version (u32), the length of the payload (u64), its BLAKE3 hash (32
//! bytes), the payload: numbers of vertices and polygons, the vertices, the polygons, the height detail, the off-mesh
//! links; from version 2 on also the agents, cells and numbers that a file of another program had, and in version 3 the height
//! detail and the ends of links in double precision, where single would change them. Integers are LEB128 varints; a polygon is
//! its corners, neighbours, area and flags. Files are untrusted: no count is used before the bytes for it are present, and the
//! result still has to pass [`RawMesh::validate`].

use std::path::Path;

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::off_mesh::{LinkError, LinkKind, OffMeshLinks, PlacedLink};
use super::{ConnectionValues, Detail, DetourValues, ExchangeAgent, MeshError, NavMesh, RawMesh, RawPolygon};
use crate::disk::write::write_or_print;
use crate::disk::{ReadFault, WriteFault, read};

pub(in crate::nav) const MAGIC: [u8; 8] = *b"WALKNAV\n";
/// The version without and with values of other programs, and with all places as exact as these wrote them.
const VERSION: u32 = 1;
const VERSION_WITH_VALUES: u32 = 2;
const VERSION_EXACT: u32 = 3;
/// Link kinds by their number in a file.
const KINDS: [LinkKind; 6] =
    [LinkKind::Placed, LinkKind::Jump, LinkKind::Drop, LinkKind::Ladder, LinkKind::Door, LinkKind::Teleport];
const HEADER: usize = 8 + 4 + 8 + 32;
/// Largest file that is read, bytes.
pub const MAX_BYTES: u64 = 1 << 30;

/// Why a file is not a navigation mesh.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FileError {
    #[error(
        "the file begins neither as `walkabout bake` writes a mesh nor as a format of another program that is read; `walkabout convert --help` lists those"
    )]
    NotAMesh,
    #[error("the file has version {0}, this program reads {VERSION} to {VERSION_EXACT}; bake the level again")]
    Version(u32),
    #[error("the header promises {promised} bytes, but {found} follow; copy the file again or bake the level again")]
    Length { promised: u64, found: u64 },
    #[error("the file is damaged (its checksum is another); copy it again or bake the level again")]
    Checksum,
    #[error("{what} {index} is cut short or out of range; bake the level again")]
    Element { what: &'static str, index: usize },
    #[error("{0} bytes follow the last polygon; bake the level again")]
    Rest(usize),
    #[error("the file cannot be read: {0}")]
    Read(#[from] ReadFault),
    #[error("{0}")]
    Mesh(#[from] MeshError),
    #[error("{0}")]
    Link(#[from] LinkError),
    #[error("{0}")]
    Write(#[from] WriteFault),
}

/// The contents of a file, unchecked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// The mesh.
    pub mesh: RawMesh,
    /// Heights inside its polygons.
    pub detail: Option<Detail>,
    /// Off-mesh links.
    pub links: Vec<PlacedLink>,
    /// What a file of another program said besides.
    pub values: Option<DetourValues>,
}

impl MeshFile {
    /// Validates the mesh and its links.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self) -> Result<(NavMesh, OffMeshLinks), FileError> {
        let mut mesh = self.mesh.validate()?;
        if let Some(detail) = &self.detail {
            mesh = mesh.with_detail(detail)?;
        }
        let links = OffMeshLinks::new(&mesh, Vec::new(), &self.links)?;
        Ok((mesh, links))
    }

    /// Encodes the contents.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with(self.values.as_ref())
    }

    /// As [`to_bytes`](Self::to_bytes), with other values.
    pub fn to_bytes_with(&self, values: Option<&DetourValues>) -> Vec<u8> {
        let Self { mesh, detail, links, .. } = self;
        let mut out = vec![0; HEADER];
        put(&mut out, mesh.vertices.len() as u64);
        put(&mut out, mesh.polygons.len() as u64);
        // Single precision around a whole number where that is lossless.
        let origin = mesh.vertices.first().map_or(DVec3::ZERO, |v| v.round());
        let is_short = |v: &DVec3| (*v - origin).as_vec3().as_dvec3() + origin == *v;
        let short = mesh.vertices.iter().all(is_short);
        let places = detail.iter().flat_map(|d| &d.points).chain(links.iter().flat_map(|l| [&l.start, &l.end]));
        let is_exact = values.is_some() && !{ places }.all(is_short);
        let single = (!is_exact).then_some(origin);
        out.push(u8::from(short));
        out.extend(origin.to_array().iter().flat_map(|c| c.to_le_bytes()));
        for v in &mesh.vertices {
            put_place(&mut out, *v, short.then_some(origin));
        }
        for p in &mesh.polygons {
            put(&mut out, p.vertices.len() as u64);
            p.vertices.iter().for_each(|&v| put(&mut out, v.into()));
            put(&mut out, p.neighbors.as_ref().map_or(0, |n| n.len() as u64 + 1));
            p.neighbors.iter().flatten().for_each(|n| put(&mut out, n.map_or(0, |n| u64::from(n) + 1)));
            out.push(p.area);
            out.extend(p.flags.to_le_bytes());
        }
        put(&mut out, detail.as_ref().map_or(0, |d| d.points.len() as u64));
        if let Some(d) = detail.as_ref().filter(|d| !d.points.is_empty()) {
            d.points.iter().for_each(|p| put_place(&mut out, *p, single));
            for polygon in 0..mesh.polygons.len() {
                let triangles = d.of(polygon);
                put(&mut out, triangles.len() as u64);
                triangles.iter().flatten().for_each(|&i| put(&mut out, i.into()));
            }
        }
        put(&mut out, links.len() as u64);
        for l in links {
            [l.start, l.end].into_iter().for_each(|p| put_place(&mut out, p, single));
            out.extend(l.reach.to_le_bytes());
            let kind = KINDS.iter().position(|k| *k == l.kind).unwrap_or(0) as u8;
            out.extend([kind, u8::from(l.both_ways), l.area]);
            out.extend(l.flags.to_le_bytes());
        }
        let version = match values {
            None => VERSION,
            Some(_) if is_exact => VERSION_EXACT,
            Some(_) => VERSION_WITH_VALUES,
        };
        values.iter().for_each(|values| put_values(&mut out, values, links.len()));
        let (header, payload) = out.split_at_mut(HEADER);
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&version.to_le_bytes());
        header[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(blake3::hash(payload).as_bytes());
        out
    }

    /// Decodes the bytes of a file. Memory is bounded by a small multiple of their number.
    ///
    /// # Errors
    /// Bytes that [`MeshFile::to_bytes`] cannot have written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.len() < HEADER || bytes[..8] != MAGIC {
            return Err(FileError::NotAMesh);
        }
        let (header, payload) = bytes.split_at(HEADER);
        let mut header = ByteReader { rest: &header[8..] };
        let version = u32::from_le_bytes(header.array().unwrap_or_default());
        if !(VERSION..=VERSION_EXACT).contains(&version) {
            return Err(FileError::Version(version));
        }
        let promised = u64::from_le_bytes(header.array().unwrap_or_default());
        if promised != payload.len() as u64 {
            return Err(FileError::Length { promised, found: payload.len() as u64 });
        }
        if header.rest != blake3::hash(payload).as_bytes() {
            return Err(FileError::Checksum);
        }
        parse(payload, version)
    }

    /// Writes a file whole or not at all; `-` is standard output.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        Ok(write_or_print(path, &self.to_bytes())?)
    }

    /// Reads a `.navmesh` file; [`MeshFile::check`] validates its contents.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Self::from_bytes(&read(path, MAX_BYTES)?)
    }
}

impl NavMesh {
    /// Reads and validates a file without its links.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or holds an invalid mesh.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Ok(MeshFile::load(path)?.check()?.0)
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A place in single precision from another one on, or in double precision.
fn put_place(out: &mut Vec<u8>, place: DVec3, origin: Option<DVec3>) {
    // Zeros without a sign, which they lose when they are read and the origin is added.
    match origin {
        Some(origin) => {
            let offset = (place - origin).as_vec3() + Vec3::ZERO;
            out.extend(offset.to_array().iter().flat_map(|c| c.to_le_bytes()));
        }
        None => out.extend((place + DVec3::ZERO).to_array().iter().flat_map(|c| c.to_le_bytes())),
    }
}

/// Agents, cells, numbers of tiles, and values of links where they are those of these.
fn put_values(out: &mut Vec<u8>, values: &DetourValues, links: usize) {
    let ExchangeAgent { height, radius, climb } = values.agent;
    let cell = values.cell.unwrap_or_default();
    out.extend([height, radius, climb, cell[0], cell[1]].into_iter().flat_map(f32::to_le_bytes));
    out.push(u8::from(values.cell.is_some()));
    out.extend(values.user_id.to_le_bytes());
    put(out, values.tiles as u64);
    let connections = if values.connections.len() == links { &values.connections[..] } else { &[] };
    put(out, connections.len() as u64);
    for connection in connections {
        out.extend(connection.radius.to_le_bytes());
        out.extend(connection.user_id.to_le_bytes());
    }
}

/// The unread rest of the payload.
struct ByteReader<'a> {
    rest: &'a [u8],
}

impl ByteReader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*first)
    }

    /// A varint of at most 33 bits: a vertex, a count, or a polygon plus one.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return (number <= 1 << 32).then_some(number);
            }
        }
        None
    }

    /// A count of elements of at least `bytes` bytes each, checked against the rest.
    fn count(&mut self, bytes: usize) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.rest.len() / bytes).then_some(count)
    }

    fn vertex(&mut self, origin: Option<DVec3>) -> Option<DVec3> {
        let mut v = [0.0; 3];
        for c in &mut v {
            *c = match origin {
                Some(_) => f32::from_le_bytes(self.array()?).into(),
                None => f64::from_le_bytes(self.array()?),
            };
        }
        Some(DVec3::from(v) + origin.unwrap_or(DVec3::ZERO))
    }

    fn polygon(&mut self) -> Option<RawPolygon> {
        let corners = self.count(1)?;
        let vertices =
            (0..corners).map(|_| self.number().and_then(|v| u32::try_from(v).ok())).collect::<Option<_>>()?;
        let neighbors = match self.count(1)? {
            0 => None,
            n => Some((1..n).map(|_| self.neighbor()).collect::<Option<_>>()?),
        };
        let [area] = self.array()?;
        Some(RawPolygon { vertices, neighbors, area, flags: u16::from_le_bytes(self.array()?) })
    }

    fn triangles(&mut self, out: &mut Vec<[u32; 3]>) -> Option<()> {
        for _ in 0..self.count(3)? {
            let mut t = [0; 3];
            for i in &mut t {
                *i = u32::try_from(self.number()?).ok()?;
            }
            out.push(t);
        }
        Some(())
    }

    fn link(&mut self, origin: Option<DVec3>) -> Option<PlacedLink> {
        let (start, end) = (self.vertex(origin)?, self.vertex(origin)?);
        let reach = f32::from_le_bytes(self.array()?);
        let [kind, both_ways, area] = self.array()?;
        let (kind, both_ways) = (*KINDS.get(usize::from(kind))?, both_ways != 0);
        Some(PlacedLink { start, end, kind, both_ways, reach, area, flags: u16::from_le_bytes(self.array()?) })
    }

    /// A length; `None` for what is none.
    fn length(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.array()?)).filter(|length| length.is_finite() && *length >= 0.0)
    }

    /// The values of so many links, or of none of them.
    fn values(&mut self, links: usize) -> Option<DetourValues> {
        let [height, radius, climb] = [self.length()?, self.length()?, self.length()?];
        let cell = [self.length()?, self.length()?];
        let [has_cell] = self.array()?;
        let user_id = u32::from_le_bytes(self.array()?);
        let tiles = usize::try_from(self.number()?).ok()?;
        let count = self.count(8)?;
        let connection = |bytes: &mut Self| {
            Some(ConnectionValues { radius: bytes.length()?, user_id: u32::from_le_bytes(bytes.array()?) })
        };
        let connections = (0..count).map(|_| connection(self)).collect::<Option<Vec<_>>>()?;
        let values =
            DetourValues { user_id, tiles, connections, ..DetourValues::new(ExchangeAgent { height, radius, climb }) };
        (count == 0 || count == links).then_some(DetourValues { cell: (has_cell != 0).then_some(cell), ..values })
    }

    fn neighbor(&mut self) -> Option<Option<u32>> {
        Some(match self.number()? {
            0 => None,
            n => Some((n - 1) as u32),
        })
    }
}

fn parse(payload: &[u8], version: u32) -> Result<MeshFile, FileError> {
    let cut = |what, index| FileError::Element { what, index };
    let mut bytes = ByteReader { rest: payload };
    // Fewest bytes of each: three numbers; two counts, an area and flags.
    let vertices = bytes.count(12).ok_or(cut("the number of vertices, entry", 0))?;
    let polygons = bytes.count(5).ok_or(cut("the number of polygons, entry", 1))?;
    let [short] = bytes.array().ok_or(cut("the header of the vertices, entry", 2))?;
    let origin = bytes.vertex(None).ok_or(cut("the header of the vertices, entry", 3))?;
    let short = (short != 0).then_some(origin);
    let single = (version < VERSION_EXACT).then_some(origin);
    let mut mesh = RawMesh { vertices: Vec::with_capacity(vertices), polygons: Vec::with_capacity(polygons) };
    for i in 0..vertices {
        mesh.vertices.push(bytes.vertex(short).ok_or(cut("vertex", i))?);
    }
    for i in 0..polygons {
        mesh.polygons.push(bytes.polygon().ok_or(cut("polygon", i))?);
    }
    let points = bytes.count(12).ok_or(cut("the number of heights, entry", 3))?;
    let mut detail = (points > 0).then(|| Detail { starts: vec![0], ..Detail::default() });
    if let Some(d) = &mut detail {
        for i in 0..points {
            d.points.push(bytes.vertex(single).ok_or(cut("height", i))?);
        }
        for i in 0..polygons {
            bytes.triangles(&mut d.triangles).ok_or(cut("the height detail of polygon", i))?;
            d.starts.push(d.triangles.len() as u32);
        }
    }
    let count = bytes.count(33).ok_or(cut("the number of links, entry", 4))?;
    let links = (0..count).map(|i| bytes.link(single).ok_or(cut("link", i))).collect::<Result<_, _>>()?;
    let links: Vec<PlacedLink> = links;
    let values =
        (version > VERSION).then(|| bytes.values(links.len()).ok_or(cut("the values behind the links, entry", 0)));
    let values = values.transpose()?;
    match bytes.rest.len() {
        0 => Ok(MeshFile { mesh, detail, links, values }),
        rest => Err(FileError::Rest(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strip(count: u32, at: DVec3) -> RawMesh {
        let vertices = (0..2 * count + 2).map(|i| at + DVec3::new(f64::from(i / 2), 0.0, f64::from(i % 2))).collect();
        let polygon = |i: u32| {
            let mut p = RawPolygon::new([2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2]);
            (p.area, p.flags) = ((i % 64) as u8, i as u16 | 1);
            p.neighbors = Some(vec![i.checked_sub(1), None, (i + 1 < count).then_some(i + 1), None]);
            p
        };
        RawMesh { vertices, polygons: (0..count).map(polygon).collect() }
    }

    fn bare(mesh: &RawMesh) -> MeshFile {
        MeshFile { mesh: mesh.clone(), ..MeshFile::default() }
    }

    #[test]
    fn zeros_below_zero_come_back_as_they_are_written() {
        // In single precision, and in double.
        for z in [1.0, 1.1] {
            let mut file = bare(&strip(2, DVec3::ZERO));
            file.mesh.vertices[1] = DVec3::new(-0.0, 0.0, z);
            let bytes = file.to_bytes();
            assert_eq!(read(&bytes).unwrap().to_bytes(), bytes, "{z}");
        }
    }

    fn read(bytes: &[u8]) -> Result<MeshFile, FileError> {
        MeshFile::from_bytes(bytes)
    }

    /// A strip with tents and two links.
    fn furnished(count: u32, at: DVec3) -> MeshFile {
        let mesh = strip(count, at);
        let detail = Some(tents(&mesh));
        let link = |kind, both_ways| PlacedLink {
            start: at,
            end: at + DVec3::new(2.0, 0.0, 1.0),
            kind,
            both_ways,
            reach: 0.5,
            area: 3,
            flags: 5,
        };
        let links = vec![link(LinkKind::Jump, true), link(LinkKind::Drop, false)];
        MeshFile { mesh, detail, links, values: None }
    }

    /// A tent over each polygon.
    fn tents(mesh: &RawMesh) -> Detail {
        let mut d = Detail { starts: vec![0], ..Detail::default() };
        for p in &mesh.polygons {
            let base = d.points.len() as u32;
            d.points.extend(p.vertices.iter().map(|&v| mesh.vertices[v as usize]));
            let middle = d.points[base as usize..].iter().sum::<DVec3>() / 4.0;
            d.points.push(middle + DVec3::Y);
            d.triangles.extend([0, 1, 2, 3].map(|k| [base + (k + 1) % 4, base + k, base + 4]));
            d.starts.push(d.triangles.len() as u32);
        }
        d
    }

    #[test]
    fn places_of_other_programs_come_back_as_they_were() {
        // Single precision from the origin on, as Detour keeps places, which a whole number far away makes others.
        let mut file = furnished(4, DVec3::new(1000.1, 20.3, -900.7));
        let odd = |p: &mut DVec3| *p = p.as_vec3().as_dvec3() + DVec3::splat(1e-9);
        file.mesh.vertices.iter_mut().for_each(odd);
        file.detail.iter_mut().flat_map(|d| &mut d.points).for_each(odd);
        file.links.iter_mut().for_each(|l| [&mut l.start, &mut l.end].into_iter().for_each(odd));
        let agent = ExchangeAgent { height: 2.0, radius: 0.6, climb: 0.9 };
        file.values = Some(DetourValues::new(agent));
        let bytes = file.to_bytes();
        assert_eq!(bytes[8], 3);
        assert_eq!(read(&bytes).unwrap(), file);
        assert_eq!(MeshFile { values: None, ..file }.to_bytes()[8], 1, "what is baked stays small");
    }

    /// The bytes with a matching checksum.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.len() >= HEADER {
            let length = (bytes.len() - HEADER) as u64;
            bytes[12..20].copy_from_slice(&length.to_le_bytes());
            let hash = *blake3::hash(&bytes[HEADER..]).as_bytes();
            bytes[20..HEADER].copy_from_slice(&hash);
        }
        bytes
    }

    #[test]
    fn meshes_round_trip_near_and_far_in_both_precisions() {
        for at in [DVec3::ZERO, DVec3::new(1e7, -3.0, 5e8), DVec3::splat(0.1)] {
            let mut raw = strip(300, at);
            assert_eq!(read(&bare(&raw).to_bytes()).unwrap(), bare(&raw));
            raw.polygons.iter_mut().step_by(3).for_each(|p| p.neighbors = None);
            assert_eq!(read(&bare(&raw).to_bytes()).unwrap(), bare(&raw));
        }
        assert!(bare(&strip(300, DVec3::ZERO)).to_bytes().len() < 602 * 12 + 300 * 20 + 100);
        assert_eq!(read(&MeshFile::default().to_bytes()).unwrap(), MeshFile::default());
    }

    #[test]
    fn errors_name_what_is_wrong_and_what_to_do() {
        let bytes = bare(&strip(9, DVec3::ZERO)).to_bytes();
        let say = |b: &[u8]| read(b).unwrap_err().to_string();
        assert!(say(b"hello").contains("convert --help"));
        assert!(say(&bytes[..bytes.len() - 1]).contains("header promises"));
        let mut other = bytes.clone();
        other[8] = 9;
        assert!(say(&other).contains("version 9"));
        let mut other = bytes.clone();
        other[70] ^= 1;
        assert!(say(&other).contains("checksum"));
        assert!(say(&sealed(bytes[..bytes.len() - 3].to_vec())).contains("polygon 8 is cut short"));
        assert!(say(&sealed([&bytes[..], &[0]].concat())).contains("1 bytes follow"));
        // Four billion vertices in a file of a few bytes.
        let huge = [&bytes[..HEADER], &[0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0]].concat();
        assert!(say(&sealed(huge)).contains("number of vertices"));
    }

    #[test]
    fn files_are_saved_whole_and_checked_when_loaded() {
        let path = std::env::temp_dir().join(format!("walkabout-{}-strip.navmesh", std::process::id()));
        bare(&strip(5, DVec3::ZERO)).save(&path).unwrap();
        assert_eq!(NavMesh::load(&path).unwrap().len(), 5);
        let mut bad = strip(5, DVec3::ZERO);
        bad.polygons[3].vertices[0] = 99;
        bare(&bad).save(&path).unwrap();
        let error = NavMesh::load(&path).unwrap_err().to_string();
        assert!(error.contains("polygon 3 names vertex 99"), "{error}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(NavMesh::load(&path), Err(FileError::Read(ReadFault::Missing))));
        assert!(bare(&bad).save(Path::new("/no/such/folder/x")).is_err());
    }

    #[test]
    fn heights_and_links_are_saved_with_the_mesh() {
        let whole = furnished(7, DVec3::new(1e6, 5.0, 0.0));
        let bytes = whole.to_bytes();
        assert_eq!(read(&bytes).unwrap(), whole);
        let (mesh, links) = whole.check().unwrap();
        assert_eq!((links.all().len(), links.placed(&mesh)), (2, whole.links.clone()));
        let say = |file: &MeshFile, cut: usize| {
            let bytes = file.to_bytes();
            read(&sealed(bytes[..bytes.len() - cut].to_vec())).unwrap_err().to_string()
        };
        assert!(say(&whole, 1).contains("number of links"), "{}", say(&whole, 1));
        let unlinked = MeshFile { links: Vec::new(), ..whole.clone() };
        assert!(say(&unlinked, 2).contains("the height detail of polygon 6"), "{}", say(&unlinked, 2));
        let mut astray = whole.clone();
        astray.links[1].end.x += 50.0;
        assert!(astray.check().unwrap_err().to_string().contains("the end of link 2"));
    }

    #[test]
    fn values_of_other_programs_are_saved_with_the_mesh() {
        let agent = ExchangeAgent { height: 1.8, radius: 0.3, climb: 0.4 };
        let connections = [(0.25, 77), (0.5, 0)].map(|(radius, user_id)| ConnectionValues { radius, user_id }).to_vec();
        let values = DetourValues { user_id: 99, tiles: 3, connections, ..DetourValues::new(agent) };
        let with = |values: DetourValues| MeshFile { values: Some(values), ..furnished(7, DVec3::ONE) };
        let whole = with(DetourValues { cell: Some([0.1, 0.05]), ..values.clone() });
        let bytes = whole.to_bytes();
        assert_eq!((bytes[8], read(&bytes).unwrap()), (2, whole.clone()));
        assert_eq!(read(&with(values.clone()).to_bytes()).unwrap().values, Some(values.clone()));
        // Without values a file is one that earlier versions read.
        assert_eq!(furnished(7, DVec3::ONE).to_bytes()[8], 1);
        let say = |bytes: &[u8]| read(&sealed(bytes.to_vec())).unwrap_err().to_string();
        assert!(say(&bytes[..bytes.len() - 1]).contains("the values behind the links"), "{}", say(&bytes));
        // Values of other links than the mesh has are none.
        let one = DetourValues { connections: values.connections[..1].to_vec(), ..values };
        assert_eq!(read(&with(one).to_bytes()).unwrap().values.unwrap().connections, []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn damaged_files_are_errors_and_never_more(
            cut in 0usize..4000, flips in proptest::collection::vec((0usize..4000, 0u8..8), 0..6), seal in any::<bool>(),
        ) {
            let whole = furnished(20, DVec3::new(7.0, 0.0, -3.0)).to_bytes();
            let mut bytes = whole[..whole.len().min(cut)].to_vec();
            for (at, bit) in flips {
                if let Some(b) = bytes.get_mut(at) {
                    *b ^= 1 << bit;
                }
            }
            let changed = bytes != whole;
            match read(&if seal { sealed(bytes) } else { bytes }) {
                // With a fitting checksum another mesh may come out, which is then checked.
                Ok(file) => {
                    prop_assert!(!changed || seal);
                    prop_assert!(file.check().is_ok_and(|(m, _)| m.len() <= 20) || changed);
                }
                Err(e) => prop_assert!(changed && !e.to_string().is_empty()),
            }
        }

        #[test]
        fn any_bytes_are_read_without_harm(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = MeshFile::default().to_bytes()[..HEADER].to_vec();
            bytes.extend(body);
            if let Ok(file) = read(&sealed(bytes)) {
                prop_assert!(file.mesh.vertices.len() < 300);
            }
        }
    }
}
