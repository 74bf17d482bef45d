//! Knots: where corners and ends of openings become vertices of the mesh.

use super::adjacency::{EdgePart, Opening, Openings};
use super::conform::Conforming;
use super::shared_sets::SharedSets;
use super::vertex_heights::{KnotPlace, VertexMembers};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use std::ops::Range;

/// Points nearer to each other in plan view are one vertex, metres.
const WELD: f64 = 1e-3;
/// Ends of openings on one edge nearer to each other than this are one, metres.
const SAME_PLACE: f64 = 1e-6;
/// No seam: a wall.
pub(super) const WALL: u32 = u32::MAX;

/// Knots: the places on the outlines of pieces where an edge begins or an opening begins or ends. They are numbered piece
/// by piece and in order around each; groups of them are one vertex.
pub(super) struct Knots<'a> {
    conforming: &'a Conforming<'a>,
    /// Per edge of all pieces the first of its knots, its first corner; then how many knots there are.
    pub of_edge: Vec<u32>,
    /// Of all knots that are no corners: how far from the first corner of the edge they lie, metres.
    along: Vec<f64>,
    groups: SharedSets,
}

/// A knot, and where it lies in plan view.
#[derive(Clone, Copy)]
struct Knot {
    number: u32,
    at: DVec2,
}

impl<'a> Knots<'a> {
    pub fn new(conforming: &'a Conforming<'a>, openings: &[Opening]) -> Self {
        let sides = openings.iter().flat_map(|o| &o.sides);
        // Most openings are whole edges and end at corners.
        let mut inner: Vec<(u32, f64)> = sides
            .flat_map(|side| {
                let (from, to) = conforming.edge(side.piece as usize, side.edge as usize);
                let most = from.distance(to) - SAME_PLACE;
                let is_inner = move |&x: &f64| x >= SAME_PLACE && x < most;
                [side.from, side.to].into_iter().filter(is_inner).map(move |x| (side.edge, x))
            })
            .collect();
        inner.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut inner = inner.into_iter().peekable();
        let edges = conforming.places.len() as u32;
        let (mut of_edge, mut along) = (Vec::with_capacity(edges as usize + 1), Vec::new());
        for edge in 0..edges {
            of_edge.push(edge + along.len() as u32);
            let mut last = 0.0;
            while let Some((_, x)) = inner.next_if(|(of, _)| *of == edge) {
                if x - last >= SAME_PLACE {
                    along.push(x);
                    last = x;
                }
            }
        }
        let count = edges + along.len() as u32;
        of_edge.push(count);
        Self { conforming, of_edge, along, groups: SharedSets::new(count as usize) }
    }

    fn len(&self) -> usize {
        self.of_edge.last().map_or(0, |&count| count as usize)
    }

    /// The knots along an edge.
    fn on_edge(&self, edge: usize) -> Range<usize> {
        self.of_edge[edge] as usize..self.of_edge[edge + 1] as usize
    }

    /// Of the knots along an edge that are no corners, how far they lie from its first one, metres.
    fn inner(&self, edge: usize) -> &[f64] {
        let knots = self.on_edge(edge);
        &self.along[knots.start - edge..knots.end - edge - 1]
    }

    /// The knot at the first corner of an edge.
    fn corner(&self, edge: usize) -> Knot {
        Knot { number: self.of_edge[edge], at: self.conforming.at[self.conforming.places[edge] as usize] }
    }

    /// The knot at a place along an edge; at its end the first corner of the next one.
    fn find(&self, side: &EdgePart, x: f64) -> Knot {
        let (piece, edge) = (side.piece as usize, side.edge as usize);
        if 0.0 >= x - SAME_PLACE {
            return self.corner(edge);
        }
        let inner = self.inner(edge);
        let before = inner.partition_point(|&along| along < x - SAME_PLACE);
        let Some(along) = inner.get(before) else { return self.corner(self.conforming.next(piece, edge)) };
        let (p, q) = self.conforming.edge(piece, edge);
        Knot { number: self.of_edge[edge] + 1 + before as u32, at: p.lerp(q, along / p.distance(q)) }
    }

    /// The seam along which each knot's edge goes on from it: `i` for the pair `i` of whole edges, and after these
    /// `2 i` for the first side of opening `i` and `2 i + 1` for its second; [`WALL`] where none is. `ends` are the knots
    /// at the ends of the openings' sides.
    pub fn seams(&self, openings: &Openings, ends: &[[[u32; 2]; 2]]) -> Vec<u32> {
        let mut seams = vec![WALL; self.len()];
        for (seam, edge) in (0..).zip(&openings.whole).flat_map(|(seam, pair)| pair.map(|edge| (seam, edge as usize))) {
            seams[self.on_edge(edge)].fill(seam);
        }
        let sides = openings.parts.iter().flat_map(|o| &o.sides).zip(ends.iter().flatten());
        for (seam, (side, &[from, to])) in (openings.whole.len() as u32..).zip(sides) {
            let range = self.on_edge(side.edge as usize);
            let (from, to) = (from as usize, to as usize);
            let to = if (from + 1..range.end).contains(&to) { to } else { range.end };
            for knot in seams.get_mut(from..to).into_iter().flatten().filter(|knot| **knot == WALL) {
                *knot = seam;
            }
        }
        seams
    }

    /// Makes the ends of two sides that face each other one vertex each, where they are close enough.
    fn weld(&self, [a, b]: [[Knot; 2]; 2]) {
        for [a, b] in [[a[0], b[1]], [a[1], b[0]]] {
            if a.at.distance(b.at) <= WELD {
                self.groups.join(a.number, b.number);
            }
        }
    }

    /// Welds the ends of all openings, and gives the knots at the ends of those that are not whole edges.
    pub fn weld_all(&self, openings: &Openings) -> Vec<[[u32; 2]; 2]> {
        let owners = self.conforming.owners();
        openings.whole.par_iter().for_each(|pair| {
            let ends = pair.map(|edge| {
                let next = self.conforming.next(owners[edge as usize] as usize, edge as usize);
                [edge as usize, next].map(|edge| self.corner(edge))
            });
            self.weld(ends);
        });
        let mut numbers = Vec::with_capacity(openings.parts.len());
        for Opening { sides } in &openings.parts {
            let ends = sides.map(|side| [side.from, side.to].map(|x| self.find(&side, x)));
            self.weld(ends);
            numbers.push(ends.map(|side| side.map(|knot| knot.number)));
        }
        numbers
    }

    /// Vertices of the groups, and the vertex of each knot. Each lies at a corner rather than at the end of an opening, and
    /// at the mean height of what meets there.
    pub fn vertices(&self) -> (Vec<DVec3>, Vec<u32>) {
        let mut vertex_of: Vec<u32> =
            (0..self.len() as u32).into_par_iter().map(|knot| self.groups.root(knot)).collect();
        let mut count = 0;
        // A group goes by its first knot.
        for knot in 0..vertex_of.len() {
            let root = vertex_of[knot] as usize;
            vertex_of[knot] = if root == knot { count } else { vertex_of[root] };
            count += u32::from(root == knot);
        }
        let mut members = Vec::with_capacity(count as usize);
        (0..count).into_par_iter().map(|_| VertexMembers::default()).collect_into_vec(&mut members);
        (0..self.conforming.len()).into_par_iter().for_each(|piece| {
            let plane = self.conforming.plane(piece);
            for edge in self.conforming.edges_of(piece) {
                let (p, q) = self.conforming.edge(piece, edge);
                let (h, k) = (plane.height_at(p), plane.height_at(q));
                for (i, knot) in self.on_edge(edge).enumerate() {
                    let height = if i == 0 { h } else { h + (k - h) * (self.inner(edge)[i - 1] / p.distance(q)) };
                    members[vertex_of[knot] as usize].join(KnotPlace { edge: edge as u32, inner: i as u32 }, height);
                }
            }
        });
        let place = |members: &VertexMembers| {
            let (KnotPlace { edge, inner }, height) = members.result();
            let at = self.place(edge as usize, inner as usize);
            DVec3::new(at.x, height, at.y)
        };
        (members.par_iter().map(place).collect(), vertex_of)
    }

    /// Where a knot along an edge lies, the first one at its first corner.
    fn place(&self, edge: usize, knot: usize) -> DVec2 {
        if knot == 0 {
            return self.corner(edge).at;
        }
        let piece = self.conforming.starts.partition_point(|&start| start as usize <= edge) - 1;
        let (p, q) = self.conforming.edge(piece, edge);
        p.lerp(q, self.inner(edge)[knot - 1] / p.distance(q))
    }
}
