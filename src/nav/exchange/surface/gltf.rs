//! glTF 2.0: the triangles of its scene, or polygons where it says which triangles they are of (`FB_ngon_encoding`), as
//! one file (`.glb`), or as JSON (`.gltf`) whose buffers stand in it or in files beside it. Metres, Y up, as here.

mod document;

use crate::asset::import::guard::{COMPRESSIONS, GltfFault, chunks, without_zeros};
use crate::disk::excerpt::shortened;
use crate::disk::read::unmarked;
use glam::{DMat4, DVec3};

use self::document::{Accessor, Document, Primitive, TRIANGLES};
use super::super::format::contains;
use super::super::indexed::MAX_CORNERS;
use super::super::side_files::SideFiles;
use super::super::{Bytes, ExchangeError, ForeignMesh};
use super::imported::read_imported;
use super::{IndexedPolygons, mesh_of};

/// The format in words.
const FORMAT: &str = "glTF, metres, Y up";
/// Most nodes that are gone through, those that come more than once counted anew.
const MAX_NODES: usize = 1 << 16;
/// Most primitives that are gone through, likewise.
const MAX_PRIMITIVES: usize = 1 << 18;
/// Most nodes above another.
const MAX_DEPTH: usize = 128;
const STRIP: u32 = 5;
const FAN: u32 = 6;

/// Whether a file begins as glTF does, as one file or as JSON.
pub fn is_gltf(begin: &[u8]) -> bool {
    let text = unmarked(begin).unwrap_or(begin).trim_ascii_start();
    begin.starts_with(b"glTF")
        || text.starts_with(b"{") && (contains(text, b"\"asset\"") || contains(text, b"\"accessors\""))
}

/// Reads the triangles of a glTF file.
///
/// # Errors
/// The file is damaged, its buffers lie in files that are not beside it, or it has no triangles.
pub fn read_gltf(bytes: &[u8], side: Option<&SideFiles>) -> Result<ForeignMesh, ExchangeError> {
    let fault = |fault: GltfFault| ExchangeError::Text(fault.to_string());
    let (json, chunk) = if bytes.starts_with(b"glTF") { chunks(bytes).map_err(fault)? } else { (bytes, None) };
    let document: Document = serde_json::from_slice(unmarked(without_zeros(json))?)
        .map_err(|e| ExchangeError::Text(format!("not glTF 2.0: {}", shortened(&e))))?;
    if let Some(name) = document.unread_extension() {
        // What is compressed the importer of models decodes, where there is a file to give it.
        if let Some(side) = side.filter(|_| COMPRESSIONS.contains(&name)) {
            return read_imported(side.file(), FORMAT);
        }
        let error = format!("its geometry needs the extension {name}, which meshes are not read with; save it without");
        return Err(ExchangeError::Text(error));
    }
    let surface = GltfReader { buffers: document.buffers(chunk, side)?, document: &document };
    let mut gathered = Gathered::default();
    for root in document.roots() {
        surface.visit(root, &DMat4::IDENTITY, 0, &mut gathered)?;
    }
    let mut parts = Vec::new();
    for GltfPart { vertices, polygons } in gathered.parts {
        let mut part = IndexedPolygons::new(vertices)?;
        polygons.iter().try_for_each(|polygon| part.add(polygon, 0, 1))?;
        parts.push(part);
    }
    mesh_of(FORMAT, parts)
}

/// The primitives that were gone through.
#[derive(Default)]
struct Gathered {
    parts: Vec<GltfPart>,
    /// Of all parts: vertices, corners of polygons.
    vertices: usize,
    corners: usize,
    nodes: usize,
    primitives: usize,
}

/// Vertices of a primitive in the world, and polygons of them.
#[derive(Default)]
struct GltfPart {
    vertices: Vec<DVec3>,
    polygons: Vec<Vec<u32>>,
}

impl GltfPart {
    fn add(&mut self, triangle: [u32; 3]) {
        self.polygons.push(triangle.to_vec());
    }

    /// Adds a triangle to the last polygon if it is the next of its fan.
    fn add_to_fan(&mut self, triangle: [u32; 3]) {
        match self.polygons.last_mut() {
            Some(fan) if fan.first() == Some(&triangle[0]) && fan.last() == Some(&triangle[1]) => {
                fan.push(triangle[2]);
            }
            _ => self.add(triangle),
        }
    }
}

/// A document with its buffers.
struct GltfReader<'a> {
    document: &'a Document,
    buffers: Vec<std::borrow::Cow<'a, [u8]>>,
}

impl GltfReader<'_> {
    /// Gathers the triangles of a node and of those below it.
    fn visit(&self, node: usize, world: &DMat4, depth: usize, to: &mut Gathered) -> Result<(), ExchangeError> {
        to.nodes += 1;
        if depth > MAX_DEPTH || to.nodes > MAX_NODES {
            return Err(ExchangeError::TooMany { what: "nodes", count: to.nodes.max(depth), limit: MAX_NODES });
        }
        let fault = ExchangeError::element;
        let Some(place) = self.document.nodes.get(node) else { return Err(fault("node", node)) };
        let world = *world * place.parent_from_node();
        if let Some(mesh) = place.mesh {
            let mesh = self.document.meshes.get(mesh).ok_or(fault("mesh", mesh))?;
            for (index, primitive) in mesh.primitives.iter().enumerate() {
                to.primitives += 1;
                if to.primitives > MAX_PRIMITIVES {
                    let (what, count, limit) = ("primitives", to.primitives, MAX_PRIMITIVES);
                    return Err(ExchangeError::TooMany { what, count, limit });
                }
                if ![TRIANGLES, STRIP, FAN].contains(&primitive.mode()) {
                    continue;
                }
                let bounded = |count: usize| match count > MAX_CORNERS {
                    true => Err(ExchangeError::TooMany { what: "corners", count, limit: MAX_CORNERS }),
                    false => Ok(()),
                };
                // Before they are read: a number of one byte becomes one of eight.
                let lists = primitive.attributes.get("POSITION").into_iter().chain(&primitive.indices);
                let lists = lists.filter_map(|&list| self.document.accessors.get(list));
                bounded(lists.map(|list| list.count).max().unwrap_or(0))?;
                let part = self.gather(primitive, &world).ok_or(fault("primitive", index))?;
                to.vertices += part.vertices.len();
                to.corners += part.polygons.iter().map(Vec::len).sum::<usize>();
                to.parts.push(part);
                bounded(to.vertices.max(to.corners))?;
            }
        }
        place.children.iter().try_for_each(|&child| self.visit(child, &world, depth + 1, to))
    }

    fn gather(&self, primitive: &Primitive, world: &DMat4) -> Option<GltfPart> {
        let mut part = GltfPart::default();
        let places = self.numbers(*primitive.attributes.get("POSITION")?, 3)?;
        let count = places.len() / 3;
        part.vertices.extend(places.as_chunks::<3>().0.iter().map(|&p| world.transform_point3(DVec3::from_array(p))));
        let indices: Vec<u32> = match primitive.indices {
            Some(accessor) => self.numbers(accessor, 1)?.into_iter().map(|n| n as u32).collect(),
            None => (0..u32::try_from(count).ok()?).collect(),
        };
        if indices.iter().any(|&i| i as usize >= count) {
            return None;
        }
        match primitive.mode() {
            TRIANGLES if primitive.has_polygons() => {
                indices.as_chunks::<3>().0.iter().for_each(|&t| part.add_to_fan(t));
            }
            TRIANGLES => indices.as_chunks::<3>().0.iter().for_each(|&t| part.add(t)),
            // Every second triangle of a strip is wound the other way.
            STRIP => (0..).zip(indices.windows(3)).for_each(|(i, w)| {
                part.add(if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
            }),
            _ => indices.get(1..)?.windows(2).for_each(|w| part.add([indices[0], w[0], w[1]])),
        }
        if world.determinant() < 0.0 {
            // Mirrors turn triangles over, and the format turns them back.
            part.polygons.iter_mut().for_each(|polygon| polygon.reverse());
        }
        Some(part)
    }

    /// The numbers of an accessor of so many parts.
    fn numbers(&self, accessor: usize, parts: usize) -> Option<Vec<f64>> {
        let accessor: &Accessor = self.document.accessors.get(accessor)?;
        let width = accessor.bytes()?;
        let is_sparse = accessor.sparse.is_some();
        if is_sparse || accessor.parts() != parts {
            return None;
        }
        let view = self.document.views.get(accessor.view?)?;
        let buffer = self.buffers.get(view.buffer)?;
        let bytes = buffer.get(view.offset..view.offset.checked_add(view.length)?)?.get(accessor.offset..)?;
        let stride = view.stride.unwrap_or(width * parts).max(width * parts);
        if accessor.count > bytes.len() / (width * parts) {
            return None;
        }
        let mut numbers = Vec::with_capacity(accessor.count * parts);
        for element in 0..accessor.count {
            let mut b = Bytes::new(bytes.get(element.checked_mul(stride)?..)?);
            for _ in 0..parts {
                numbers.push(accessor.read(&mut b)?);
            }
        }
        Some(numbers)
    }
}
