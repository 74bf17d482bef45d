//! The polygons under a path that bends at corners of the mesh: for exact planners, whose searches know no polygons.

use glam::Vec3;

use crate::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use crate::nav::query::raycast::raycast;
use crate::nav::query::surface::Surface;

/// Polygons within this distance of a point of the line are tried for what comes next, metres.
const AT_POINT: f32 = 1e-3;
/// Limit on the continuations of a leg that touches walls.
const MAX_STOPS: usize = 256;

/// The tracer and its memory.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    surface: Surface,
    /// Polygons around the point where the line goes on.
    near: Vec<PolyId>,
    leg: Vec<PolyId>,
    best: Vec<PolyId>,
    /// Which of `near` a search over them came from.
    from: Vec<usize>,
}

impl Tracer {
    /// Writes the polygons from the first's to the last's. Neighbours in the list share an edge, except where the line
    /// passes a vertex at which the polygons do not hang together.
    pub(super) fn trace(
        &mut self,
        mesh: &NavMesh,
        [start, end]: [PolyId; 2],
        points: &[Vec3],
        filter: &Filter,
        out: &mut Vec<PolyId>,
    ) {
        out.push(start);
        for pair in points.windows(2) {
            let mut at = pair[0];
            for _ in 0..MAX_STOPS {
                let last = out[out.len() - 1];
                let Some((polygon, share)) = self.advance(mesh, NavPoint::new(last, at), pair[1], filter) else {
                    break;
                };
                self.join(mesh, last, self.best[0], out);
                out.extend_from_slice(&self.best[1..]);
                // Not by `lerp`, which leaves lines along an axis.
                at += (pair[1] - at) * share;
                at.y = mesh.height_at(polygon, at);
                if share >= 1.0 {
                    break;
                }
            }
        }
        if let (Some(&last), Some(&at)) = (out.last(), points.last())
            && last != end
        {
            self.surface.polygons_around(mesh, NavPoint::new(last, at), AT_POINT, filter, &mut self.near);
            self.join(mesh, last, end, out);
        }
    }

    /// Finds the polygon beside `from` from which the leg gets farthest; `best` gets those under it. Returns the last
    /// of them and the share of the leg, if there is any progress.
    fn advance(&mut self, mesh: &NavMesh, from: NavPoint, to: Vec3, filter: &Filter) -> Option<(PolyId, f32)> {
        self.surface.polygons_around(mesh, from, AT_POINT, filter, &mut self.near);
        let mut found: Option<(PolyId, f32)> = None;
        for &polygon in &self.near {
            self.leg.clear();
            let hit = raycast(mesh, NavPoint::new(polygon, mesh.clamp_to_poly(polygon, from.point)), to, filter, |p| {
                self.leg.push(p)
            });
            if hit.share > found.map_or(0.0, |f| f.1) {
                found = Some((hit.polygon, hit.share));
                std::mem::swap(&mut self.leg, &mut self.best);
            }
            if hit.share >= 1.0 {
                break;
            }
        }
        // Progress within rounding is none.
        found.filter(|f| f.1 >= 1.0 || f.1 * from.point.distance(to) > 0.1 * AT_POINT)
    }

    /// Adds the polygons from one to another of `near`, over shared edges where there are some.
    fn join(&mut self, mesh: &NavMesh, last: PolyId, next: PolyId, out: &mut Vec<PolyId>) {
        if last == next {
            return;
        }
        let shares_edge = |a: PolyId, b: PolyId| mesh.edges_of(a).iter().any(|e| e.neighbor == b.0);
        // Backwards, so that the steps come out in order.
        self.leg.clear();
        self.from.clear();
        self.leg.push(next);
        self.from.push(0);
        let mut i = 0;
        while i < self.leg.len() && !shares_edge(last, self.leg[i]) {
            for &other in &self.near {
                if other != last && !self.leg.contains(&other) && shares_edge(other, self.leg[i]) {
                    self.leg.push(other);
                    self.from.push(i);
                }
            }
            i += 1;
        }
        i = if i < self.leg.len() { i } else { 0 };
        loop {
            out.push(self.leg[i]);
            if i == 0 {
                break;
            }
            i = self.from[i];
        }
    }
}
