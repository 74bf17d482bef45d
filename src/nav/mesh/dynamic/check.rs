//! Self-check of a patched mesh, for tests.

use thiserror::Error;

use super::state::DynamicMesh;
use crate::math::plan;
use crate::nav::mesh::{NONE, NavMesh, PolyId, PortalGraph};

/// `Ok`, or the fault.
type Checked = Result<(), MeshFault>;

/// A violated invariant of a patched mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct MeshFault(String);

impl DynamicMesh {
    /// Checks every invariant of the current mesh, which takes as long as building it.
    ///
    /// # Errors
    /// The first violated invariant and where.
    pub fn verify(&self) -> Result<(), MeshFault> {
        let m = &self.mesh;
        for slot in (0..m.len() as u32).filter(|&s| m.is_live(PolyId(s))) {
            self.verify_outline(slot)?;
            self.verify_edges(slot)?;
            self.verify_place(slot)?;
        }
        self.verify_portals()?;
        self.verify_islands()?;
        for (raw, &p) in m.order.iter().enumerate() {
            let right = p == NONE || m.is_live(PolyId(p)) && m.source[p as usize] as usize == raw;
            ensure(right, || format!("number {raw} of the file means polygon {p}"))?;
        }
        let flagged = (0..m.len() as u32).all(|s| !m.is_live(PolyId(s)) || m.polygons[s as usize].flags != 0);
        ensure(flagged || !m.every_poly_walkable, || "a polygon without flags is overlooked".into())
    }

    fn verify_outline(&self, slot: u32) -> Checked {
        let m = &self.mesh;
        let corners = m.corners_of(PolyId(slot));
        let count = corners.len();
        ensure(count >= 3, || format!("polygon {slot} has {count} corners"))?;
        let area: f64 = (2..count).map(|i| plan::cross(corners[0], corners[i - 1], corners[i])).sum();
        ensure(area > 0.0, || format!("polygon {slot} has no area"))?;
        for i in 0..count {
            let (a, b, c) = (corners[i], corners[(i + 1) % count], corners[(i + 2) % count]);
            let dent = -plan::cross(a, b, c) / f64::from((c - a).with_y(0.0).length()).max(self.tolerance);
            let share = -plan::cross(a, b, c) / f64::from((c - b).with_y(0.0).length() * (b - a).with_y(0.0).length());
            ensure(dent < 0.5 * self.tolerance || share < 1e-3, || format!("polygon {slot} is dented by {dent} m"))?;
        }
        Ok(())
    }

    fn verify_edges(&self, slot: u32) -> Checked {
        let m = &self.mesh;
        let p = m.polygon(PolyId(slot));
        for e in p.first_edge..p.first_edge + u32::from(p.edge_count) {
            let edge = m.edges[e as usize];
            let right = edge.polygon == slot && m.begins[e as usize] == m.vertices[edge.vertex as usize];
            ensure(right, || format!("edge {e} is not of polygon {slot}"))?;
            ensure((edge.twin == NONE) == (edge.neighbor == NONE), || format!("edge {e} has half a neighbour"))?;
            if edge.twin != NONE {
                let twin = m.edges[edge.twin as usize];
                let (a, b) = m.ends(e);
                let mutual = twin.twin == e && twin.polygon == edge.neighbor && twin.neighbor == slot;
                ensure(mutual && m.ends(edge.twin) == (b, a), || format!("edge {e} and {} are no twins", edge.twin))?;
                ensure(m.is_live(PolyId(edge.neighbor)), || format!("edge {e} leads to a dead polygon"))?;
            }
        }
        // An edge shared with an uncut neighbour leads there.
        if slot < m.own {
            for (new, old) in m.edges_of(PolyId(slot)).iter().zip(self.base.edges_of(PolyId(slot))) {
                let whole = m.edges_of(PolyId(slot)).len() == self.base.edges_of(PolyId(slot)).len();
                let lost =
                    whole && old.neighbor != NONE && m.is_live(PolyId(old.neighbor)) && new.neighbor != old.neighbor;
                ensure(!lost, || format!("polygon {slot} lost its neighbour {}", old.neighbor))?;
            }
        }
        Ok(())
    }

    fn verify_place(&self, slot: u32) -> Checked {
        let m = &self.mesh;
        let b = m.bounds_of(PolyId(slot));
        for &corner in m.corners_of(PolyId(slot)) {
            let slack = self.tolerance as f32;
            ensure((corner.clamp(b.min, b.max) - corner).length() < slack, || {
                format!("polygon {slot} leaves its box")
            })?;
        }
        let middle = m.polygon(PolyId(slot)).center;
        let listed = m.grid.at(middle).contains(&slot);
        ensure(listed, || format!("the grid does not know polygon {slot}"))?;
        let lane = m.soa_polygons.get(slot);
        ensure(m.soa_polygons.poly_id(lane) == slot, || format!("the blocks of polygon {slot} are another's"))?;
        for (i, edge) in m.edges_of(PolyId(slot)).iter().enumerate() {
            let (next, flags) = m.soa_polygons.beyond(lane, i);
            let right = match edge.neighbor {
                NONE => flags == 0,
                n => next == m.soa_polygons.get(n) && flags == m.polygons[n as usize].flags,
            };
            let at = m.soa_polygons.corner(lane, i).as_vec2();
            let v = m.vertices[edge.vertex as usize];
            ensure(right && at == glam::Vec2::new(v.x, v.z), || format!("rays leave polygon {slot} wrongly"))?;
        }
        Ok(())
    }

    fn verify_portals(&self) -> Checked {
        let m = &self.mesh;
        let fresh = PortalGraph::build(&m.vertices, &m.polygons, &m.edges);
        for slot in (0..m.len() as u32).filter(|&s| m.is_live(PolyId(s))) {
            let (now, wanted) = (m.portals.links_of(slot), fresh.links_of(slot));
            ensure(now.len() == wanted.len(), || format!("polygon {slot} has {} portals", now.len()))?;
            for (a, b) in now.iter().zip(wanted) {
                let (g, h) = (m.portals.portal(a.portal), fresh.portal(b.portal));
                let same =
                    (a.middle, a.neighbor, g.edge, g.left, g.right) == (b.middle, b.neighbor, h.edge, h.left, h.right);
                let ends = m.portals.ends(a.portal) == fresh.ends(b.portal) && g.polygon == slot;
                ensure(same && ends, || format!("a portal of polygon {slot} is wrong: {a:?} for {b:?}"))?;
                let after: Vec<_> = m
                    .portals
                    .links_beyond(a.portal)
                    .iter()
                    .map(|w| (m.portals.portal(w.portal).edge, w.neighbor, w.step))
                    .collect();
                let right: Vec<_> = fresh
                    .links_beyond(b.portal)
                    .iter()
                    .map(|w| (fresh.portal(w.portal).edge, w.neighbor, w.step))
                    .collect();
                ensure(after == right, || format!("the exits of a portal of polygon {slot} are wrong"))?;
                self.verify_goals(slot, a, b.goals, &fresh)?;
            }
        }
        Ok(())
    }

    /// A reachable goal must not be excluded.
    fn verify_goals(
        &self,
        slot: u32,
        way: &super::super::PolyLink,
        right: super::super::GoalRange,
        fresh: &PortalGraph,
    ) -> Checked {
        let m = &self.mesh;
        let island = m.polygons[slot as usize].island;
        for goal in (0..m.len() as u32).filter(|&g| g != slot && m.polygons[g as usize].island == island) {
            let lost = right.contains(fresh.goal_number(goal)) && !way.goals.contains(m.portals.goal_number(goal));
            ensure(!lost, || format!("from polygon {slot} by {} no way is known to {goal}", way.neighbor))?;
        }
        Ok(())
    }

    fn verify_islands(&self) -> Checked {
        let m: &NavMesh = &self.mesh;
        let mut polygons = m.polygons.clone();
        let mut count = 0;
        let mut stack = Vec::new();
        let mut names = std::collections::HashSet::new();
        for start in 0..polygons.len() {
            let name = polygons[start].island;
            if name == NONE {
                continue;
            }
            count += 1;
            ensure(names.insert(name), || format!("two islands have number {name}"))?;
            stack.push(start as u32);
            while let Some(at) = stack.pop() {
                if polygons[at as usize].island == NONE {
                    continue;
                }
                ensure(polygons[at as usize].island == name, || format!("polygon {at} is of another island"))?;
                polygons[at as usize].island = NONE;
                stack.extend(m.edges_of(PolyId(at)).iter().map(|e| e.neighbor).filter(|&n| n != NONE));
            }
        }
        ensure(count == m.island_count, || format!("there are {count} islands, not {}", m.island_count))
    }
}

fn ensure(right: bool, fault: impl FnOnce() -> String) -> Checked {
    if right { Ok(()) } else { Err(MeshFault(fault())) }
}
