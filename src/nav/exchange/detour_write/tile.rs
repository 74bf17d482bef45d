//! The bytes of one of Detour's tiles (`DNAV`).

use glam::{DVec3, Vec3};

use super::super::detour_tile::{MAGIC, VERSION};
use super::cut::{CutMesh, ROOM};
use super::ground::{PartDetail, detail};
use super::portals::TileEdges;
use super::tree::{BoxNode, cells_per_metre, tree};
use crate::nav::mesh::DetourValues;
use crate::nav::mesh::off_mesh::PlacedLink;
use crate::nav::mesh::{MeshFile, NavMesh};

/// Little-endian bytes.
#[derive(Default)]
pub struct ByteWriter(pub Vec<u8>);

impl ByteWriter {
    fn u8(&mut self, v: u8) {
        self.0.push(v);
    }

    fn u16(&mut self, v: u16) {
        self.0.extend(v.to_le_bytes());
    }

    /// Four bytes.
    pub fn u32(&mut self, v: usize) {
        self.0.extend((v as u32).to_le_bytes());
    }

    /// Four bytes.
    pub fn f32(&mut self, v: f32) {
        self.0.extend(v.to_le_bytes());
    }

    /// Three numbers of four bytes each.
    pub fn vec3(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|c| self.f32(c));
    }
}

/// Which parts and links lie in a tile.
#[derive(Clone, Debug, Default)]
pub struct TileParts {
    /// Column and row.
    pub cell: [i32; 2],
    /// Numbers of parts.
    pub parts: Vec<u32>,
    /// Numbers of links that begin here, and the side of the tile beyond which they end: 255 for none.
    pub links: Vec<[u32; 2]>,
    /// Links of other tiles that end here.
    pub ending: usize,
    /// What the tile holds, from above: the square of the grid; `None` for a tile that is all of the set.
    pub square: Option<[glam::DVec2; 2]>,
}

/// What tiles are written of.
pub struct TileSource<'a> {
    /// The mesh.
    pub mesh: &'a NavMesh,
    /// The file that it was checked from.
    pub file: &'a MeshFile,
    /// Its parts.
    pub cut: &'a CutMesh,
    /// Their edges.
    pub edges: &'a TileEdges,
    /// What is not in the mesh.
    pub values: &'a DetourValues,
}

/// A tile before it is bytes.
struct TileLists<'a> {
    links: Vec<&'a PlacedLink>,
    /// Numbers of points, ascending: the tile's vertices.
    vertices: Vec<u32>,
    details: Vec<PartDetail>,
    low: Vec3,
    high: Vec3,
}

impl TileSource<'_> {
    /// The bytes of a tile; counts parts whose detail is left out.
    pub fn bytes(&self, tile: &TileParts, too_fine: &mut usize) -> Vec<u8> {
        let lists = self.lists(tile, too_fine);
        let factor = cells_per_metre(lists.high - lists.low);
        let nodes = self.tree(tile, &lists, factor);
        let (count, links) = (tile.parts.len(), lists.links.len());
        let neighbors = || tile.parts.iter().flat_map(|&p| &self.edges.neighbors[p as usize]);
        let room = neighbors().count() + neighbors().filter(|n| **n >= 0x8000).count() + 4 * links + tile.ending;
        let mut out = ByteWriter::default();
        [MAGIC, VERSION].into_iter().for_each(|v| out.u32(v as usize));
        tile.cell.into_iter().for_each(|v| out.u32(v as u32 as usize));
        [0, self.values.user_id as usize, count + links, lists.vertices.len() + 2 * links, room, count]
            .into_iter()
            .for_each(|v| out.u32(v));
        out.u32(lists.details.iter().map(|d| d.points.len()).sum());
        out.u32(lists.details.iter().map(|d| d.triangles.len()).sum());
        [nodes.len(), links, count].into_iter().for_each(|v| out.u32(v));
        let agent = &self.values.agent;
        [agent.height, agent.radius, agent.climb].into_iter().for_each(|v| out.f32(v));
        out.vec3(lists.low);
        out.vec3(lists.high);
        out.f32(factor);
        lists.vertices.iter().for_each(|&v| out.vec3(self.cut.points[v as usize].as_vec3()));
        // On the ground, as Detour itself keeps them once it has joined the ends.
        let grounded = |l: &&PlacedLink| match l.snapped(self.mesh, 0) {
            Ok(on) => [on.start, on.end].map(|p| self.mesh.world(p)),
            Err(_) => [l.start, l.end],
        };
        lists.links.iter().flat_map(grounded).for_each(|p| out.vec3(p.as_vec3()));
        self.write_polygons(&mut out, tile, &lists);
        // Room for the links between polygons: Detour makes them when it loads the tile.
        out.0.resize(out.0.len() + 12 * room, 0);
        write_details(&mut out, &lists.details);
        for n in &nodes {
            n.low.into_iter().chain(n.high).for_each(|v| out.u16(v));
            out.u32(n.number as u32 as usize);
        }
        self.write_connections(&mut out, tile, &lists);
        out.0
    }

    fn lists(&self, tile: &TileParts, too_fine: &mut usize) -> TileLists<'_> {
        let links: Vec<&PlacedLink> = tile.links.iter().map(|&[link, _]| &self.file.links[link as usize]).collect();
        let parts = || tile.parts.iter().map(|&p| &self.cut.polygons[p as usize]);
        let mut vertices: Vec<u32> = parts().flat_map(|p| p.corners.iter().copied()).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let details: Vec<PartDetail> =
            parts().map(|p| detail(self.mesh, self.file, p, &self.cut.corners_of(p), too_fine)).collect();
        let places = vertices.iter().map(|&v| self.cut.points[v as usize]);
        let places = places.chain(details.iter().flat_map(|d| d.points.iter().copied()));
        let places = places.chain(links.iter().flat_map(|l| [l.start, l.end]));
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (mut low, mut high) = places.map(DVec3::as_vec3).fold(start, |(low, high), p| (low.min(p), high.max(p)));
        if let Some(square) = tile.square {
            let [from, to] = square.map(|corner| corner.as_vec2());
            (low, high) = (Vec3::new(from.x, low.y, from.y), Vec3::new(to.x, high.y, to.y));
        }
        TileLists { links, vertices, details, low, high }
    }

    fn tree(&self, tile: &TileParts, lists: &TileLists<'_>, factor: f32) -> Vec<BoxNode> {
        let ends = |(&p, d): (&u32, &PartDetail)| {
            let corners = self.cut.polygons[p as usize].corners.iter().map(|&v| self.cut.points[v as usize]);
            let points = corners.chain(d.points.iter().copied()).map(DVec3::as_vec3);
            points.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
        };
        let boxes: Vec<[Vec3; 2]> = tile.parts.iter().zip(&lists.details).map(ends).collect();
        tree(&boxes, lists.low, factor)
    }

    fn write_polygons(&self, out: &mut ByteWriter, tile: &TileParts, lists: &TileLists<'_>) {
        let mut one = |corners: &[u16], neighbors: &[u16], flags: u16, area_and_type: u8| {
            out.u32(0xffff_ffff);
            (0..ROOM).for_each(|i| out.u16(corners.get(i).copied().unwrap_or(0)));
            (0..ROOM).for_each(|i| out.u16(neighbors.get(i).copied().unwrap_or(0)));
            out.u16(flags);
            out.u8(corners.len() as u8);
            out.u8(area_and_type);
        };
        for &part in &tile.parts {
            let p = &self.cut.polygons[part as usize];
            let number = |v: &u32| lists.vertices.binary_search(v).unwrap_or(0) as u16;
            let corners: Vec<u16> = p.corners.iter().map(number).collect();
            let source = &self.file.mesh.polygons[p.source as usize];
            one(&corners, &self.edges.neighbors[part as usize], source.flags, source.area & 0x3f);
        }
        for (i, l) in lists.links.iter().enumerate() {
            let first = (lists.vertices.len() + 2 * i) as u16;
            one(&[first, first + 1], &[], l.flags, (l.area & 0x3f) | 1 << 6);
        }
    }

    fn write_connections(&self, out: &mut ByteWriter, tile: &TileParts, lists: &TileLists<'_>) {
        for (i, (&[number, side], l)) in tile.links.iter().zip(&lists.links).enumerate() {
            let values = self.values.connections.get(number as usize);
            [l.start, l.end].into_iter().for_each(|p| out.vec3(p.as_vec3()));
            out.f32(values.map_or(l.reach, |v| v.radius));
            out.u16((tile.parts.len() + i) as u16);
            out.u8(u8::from(l.both_ways));
            out.u8(side as u8);
            out.u32(values.map_or(0, |v| v.user_id as usize));
        }
    }
}

fn write_details(out: &mut ByteWriter, details: &[PartDetail]) {
    let (mut points, mut triangles) = (0, 0);
    for d in details {
        out.u32(points);
        out.u32(triangles);
        out.u8(d.points.len() as u8);
        out.u8(d.triangles.len() as u8);
        out.u16(0);
        points += d.points.len();
        triangles += d.triangles.len();
    }
    details.iter().flat_map(|d| &d.points).for_each(|p| out.vec3(p.as_vec3()));
    details.iter().flat_map(|d| &d.triangles).for_each(|t| out.0.extend(t));
}
