//! How wide the ways through polygons are, measured when first asked for.

use glam::Vec3;

use super::TOLERANCE;
use super::reach::Reach;
use crate::nav::mesh::{Filter, NONE, NavMesh, PolyId, Portal, cross_2d, distance_2d};
use crate::nav::query::surface::closest_of_segments_2d;

/// How many polygons beyond a side of a transit are looked into.
const MOST_LOOKED_INTO: usize = 64;
/// How many classes of radii are kept lists for.
const MOST_REACHES: usize = 8;

/// What stands at walls of a mesh, for one filter.
#[derive(Debug, Default)]
pub(super) struct Walls {
    key: Option<(u64, u16, u16)>,
    /// Per vertex, whether a wall touches it.
    corners: Vec<bool>,
    /// Per portal, what added to a portal to leave by gives the place of the transit's width (modulo 2³²).
    starts: Vec<u32>,
    /// Widths; negative ones are not measured yet.
    widths: Vec<f32>,
    /// Per polygon, the least width of its transits; negative ones are not measured yet.
    narrowest: Vec<f32>,
    /// Walls around polygons, per class of radii.
    reaches: Vec<Reach>,
}

/// A wall, or one corner of it.
type Piece = (Vec3, Vec3);

impl Walls {
    /// Forgets what belongs to another mesh or filter.
    pub(super) fn prepare(&mut self, mesh: &NavMesh, filter: &Filter) {
        let key = Some((mesh.id(), filter.include, filter.exclude));
        if self.key == key {
            return;
        }
        self.key = key;
        self.corners = vec![false; mesh.vertices().len()];
        self.starts.clear();
        self.starts.resize(mesh.portals().len(), 0);
        let mut count = 0u32;
        for polygon in (0..mesh.len() as u32).map(PolyId).filter(|&p| mesh.is_live(p)) {
            let first = mesh.polygon(polygon).first_edge;
            for edge in first..first + mesh.edges_of(polygon).len() as u32 {
                if beyond(mesh, filter, edge).is_none() {
                    let (a, b) = mesh.ends(edge);
                    self.corners[a as usize] = true;
                    self.corners[b as usize] = true;
                }
            }
            for way in mesh.portals().of(polygon.0) {
                let out = mesh.portals().of(way.neighbor);
                self.starts[way.number as usize] = count.wrapping_sub(out.first().map_or(0, |p| p.number));
                count += out.len() as u32;
            }
        }
        self.widths.clear();
        self.widths.resize(count as usize, -1.0);
        self.narrowest.clear();
        self.narrowest.resize(mesh.len(), -1.0);
        self.reaches.clear();
    }

    /// The walls around polygons for agents of this radius.
    pub(super) fn reach(&mut self, mesh: &NavMesh, radius: f32) -> &mut Reach {
        // Four classes to a doubling.
        let metres = (((radius + TOLERANCE as f32).log2() * 4.0).ceil() / 4.0).exp2();
        let known = self.reaches.iter().position(|r| r.metres() == metres).unwrap_or_else(|| {
            if self.reaches.len() == MOST_REACHES {
                self.reaches.remove(0);
            }
            self.reaches.push(Reach::new(mesh, metres));
            self.reaches.len() - 1
        });
        &mut self.reaches[known]
    }

    /// Whether a wall touches the vertex.
    pub(super) fn touch(&self, vertex: u32) -> bool {
        self.corners[vertex as usize]
    }

    /// The width of the way in by one portal and out by another, metres; without limit from the start.
    pub(super) fn width(&mut self, mesh: &NavMesh, filter: &Filter, by: u32, out: u32) -> f32 {
        if by == NONE {
            return f32::INFINITY;
        }
        let slot = self.starts[by as usize].wrapping_add(out) as usize;
        if self.widths[slot] < 0.0 {
            self.widths[slot] = self.measure(mesh, filter, by, out);
        }
        self.widths[slot]
    }

    /// The width of the narrowest way through a polygon, metres.
    #[inline]
    pub(super) fn narrowest(&mut self, mesh: &NavMesh, filter: &Filter, polygon: u32) -> f32 {
        if self.narrowest[polygon as usize] < 0.0 {
            self.measure_all(mesh, filter, polygon);
        }
        self.narrowest[polygon as usize]
    }

    #[cold]
    fn measure_all(&mut self, mesh: &NavMesh, filter: &Filter, polygon: u32) {
        let mut least = f32::INFINITY;
        let ways = mesh.portals().of(polygon);
        let passes = |way: &&Portal| filter.passes(mesh.polygon(PolyId(way.neighbor)));
        for way_in in ways.iter().filter(passes) {
            let edge = mesh.edges()[mesh.portals().gate(way_in.number).edge as usize].twin;
            let back = mesh.portals().of(way_in.neighbor);
            let Some(by) = back.iter().find(|p| mesh.portals().gate(p.number).edge == edge) else { continue };
            for out in ways.iter().filter(passes).filter(|out| out.number != way_in.number) {
                least = least.min(self.width(mesh, filter, by.number, out.number));
            }
        }
        self.narrowest[polygon as usize] = least;
    }

    /// The least distance of what stands left of the transit from what stands right of it.
    fn measure(&self, mesh: &NavMesh, filter: &Filter, by: u32, out: u32) -> f32 {
        let way_in = mesh.edges()[mesh.portals().gate(by).edge as usize].twin;
        let way_out = mesh.portals().gate(out).edge;
        if way_in == way_out {
            let (a, b) = mesh.segment(way_in);
            return distance_2d(a, b);
        }
        let sides = [self.side(mesh, filter, way_in, way_out), self.side(mesh, filter, way_out, way_in)];
        let mut width = f32::INFINITY;
        for a in &sides[0].0 {
            width = width.min(distance(*a, &sides[1].0));
        }
        for (side, other) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
            for &edge in &side.1 {
                width = look_into(mesh, filter, edge, &other.0, width);
            }
        }
        width
    }

    /// What stands on the side between the end of edge `from` and the beginning of edge `to` of one polygon, and the
    /// portals there.
    fn side(&self, mesh: &NavMesh, filter: &Filter, from: u32, to: u32) -> (Vec<Piece>, Vec<u32>) {
        let (mut pieces, mut portals) = (Vec::new(), Vec::new());
        let polygon = mesh.polygon(PolyId(mesh.edges()[from as usize].polygon));
        let last = polygon.first_edge + u32::from(polygon.edge_count) - 1;
        let after = |edge: u32| if edge == last { polygon.first_edge } else { edge + 1 };
        let mut edge = after(from);
        loop {
            let vertex = mesh.edges()[edge as usize].vertex;
            if self.touch(vertex) {
                let at = mesh.vertices()[vertex as usize];
                pieces.push((at, at));
            }
            if edge == to {
                return (pieces, portals);
            }
            match beyond(mesh, filter, edge) {
                Some(_) => portals.push(edge),
                None => pieces.push(mesh.segment(edge)),
            }
            edge = after(edge);
        }
    }
}

pub(super) fn beyond(mesh: &NavMesh, filter: &Filter, edge: u32) -> Option<u32> {
    let neighbor = mesh.edges()[edge as usize].neighbor;
    (neighbor != NONE && filter.passes(mesh.polygon(PolyId(neighbor)))).then_some(neighbor)
}

fn distance(piece: Piece, others: &[Piece]) -> f32 {
    others.iter().map(|&o| apart(piece, o).2).fold(f32::INFINITY, f32::min)
}

/// The nearest points of two pieces and their distance.
fn apart(a: Piece, b: Piece) -> (Vec3, Vec3, f32) {
    let (on_a, on_b) = closest_of_segments_2d(a, b);
    (on_a, on_b, distance_2d(on_a, on_b))
}

/// The least distance, below `width`, of the walls beyond a portal from what stands on the other side, straight
/// through the portal.
fn look_into(mesh: &NavMesh, filter: &Filter, portal: u32, others: &[Piece], mut width: f32) -> f32 {
    let door = mesh.segment(portal);
    if !(distance(door, others) < width) {
        return width;
    }
    let through =
        |a: Vec3, b: Vec3| cross_2d(door.0, door.1, a) < 0.0 && cross_2d(a, b, door.0) * cross_2d(a, b, door.1) <= 0.0;
    let mut met = vec![mesh.edges()[portal as usize].polygon, mesh.edges()[portal as usize].neighbor];
    let mut next = 1;
    while next < met.len().min(MOST_LOOKED_INTO) {
        let p = mesh.polygon(PolyId(met[next]));
        for edge in p.first_edge..p.first_edge + u32::from(p.edge_count) {
            for &other in others {
                let (a, b, distance) = apart(mesh.segment(edge), other);
                if !(distance < width) {
                    continue;
                }
                match beyond(mesh, filter, edge) {
                    Some(neighbor) if !met.contains(&neighbor) => met.push(neighbor),
                    None if through(a, b) => width = distance,
                    _ => {}
                }
            }
        }
        next += 1;
    }
    width
}
