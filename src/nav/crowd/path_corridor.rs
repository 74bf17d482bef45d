//! Path corridor of an agent (Detour's `dtPathCorridor`): polygons from the agent to its goal, trimmed, extended and
//! repaired while the agent walks.

use glam::{Vec2, Vec3};

use super::crowd_mesh::CrowdMesh;
use crate::math::plan::to_plan;
use crate::nav::mesh::{NavMesh, PolyId};
use crate::nav::query::path::Corridor;

/// Polygons ahead among which the agent's polygon is searched.
const LOOKAHEAD_POLYGONS: usize = 24;
/// Portals ahead that the funnel crosses.
const MAX_PORTALS: usize = 64;
/// Corners ahead.
pub(super) const MAX_CORNERS: usize = 3;
/// Distance by which the middle of a portal may differ in another mesh, metres.
const MAX_PORTAL_SHIFT: f32 = 0.01;

/// A polygon of the corridor and the portal to the next.
#[derive(Clone, Copy, Debug)]
struct CorridorLeg {
    polygon: u32,
    portal: u32,
    /// Middle of the portal.
    middle: Vec3,
    /// Distance from there to the goal over the middles of the portals, metres.
    remaining: f32,
}

/// The corners ahead.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corners {
    pub(super) list: [Vec3; MAX_CORNERS],
    pub(super) count: usize,
    /// Whether the last of them is the goal.
    pub(super) ends: bool,
}

impl Corners {
    fn add(&mut self, point: Vec3) -> bool {
        if self.count < MAX_CORNERS {
            self.list[self.count] = point;
            self.count += 1;
        }
        self.count < MAX_CORNERS
    }
}

/// A corridor whose first legs may lie behind the agent.
#[derive(Clone, Debug, Default)]
pub(super) struct PathCorridor {
    legs: Vec<CorridorLeg>,
    front: usize,
    last: Option<PolyId>,
}

impl PathCorridor {
    pub(super) fn clear(&mut self) {
        self.legs.clear();
        (self.front, self.last) = (0, None);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The polygon of the goal.
    pub(super) fn last(&self) -> Option<PolyId> {
        self.last
    }

    /// The polygons from the agent to the goal.
    pub(super) fn polygons(&self) -> impl Iterator<Item = PolyId> + '_ {
        self.legs[self.front..].iter().map(|l| PolyId(l.polygon)).chain(self.last)
    }

    pub(super) fn set(&mut self, mesh: &NavMesh, corridor: &Corridor, goal: Vec3) {
        self.clear();
        self.last = corridor.polygons.last().copied();
        self.legs.reserve_exact(corridor.portals.len());
        for (polygon, &portal) in corridor.polygons.iter().zip(&corridor.portals) {
            self.legs.push(CorridorLeg { polygon: polygon.0, portal, middle: middle(mesh, portal), remaining: 0.0 });
        }
        self.measure(goal);
    }

    fn measure(&mut self, goal: Vec3) {
        let (mut remaining, mut next) = (0.0, goal);
        for leg in self.legs[self.front..].iter_mut().rev() {
            remaining += leg.middle.distance(next);
            (leg.remaining, next) = (remaining, leg.middle);
        }
    }

    /// Approximate distance from `at` to the goal, metres.
    pub(super) fn remaining(&self, at: Vec3, goal: Vec3) -> f32 {
        self.legs.get(self.front).map_or_else(|| at.distance(goal), |l| l.middle.distance(at) + l.remaining)
    }

    fn polygon_at(&self, index: usize) -> Option<u32> {
        match self.legs.get(index) {
            Some(leg) => Some(leg.polygon),
            None if index == self.legs.len() => self.last.map(|l| l.0),
            None => None,
        }
    }

    fn find(&self, polygon: PolyId) -> Option<usize> {
        (self.front..=(self.front + LOOKAHEAD_POLYGONS).min(self.legs.len()))
            .find(|&i| self.polygon_at(i) == Some(polygon.0))
    }

    /// Moves the front along the polygons that the agent has crossed, the last of them its own. Returns whether the
    /// agent is still on the corridor.
    pub(super) fn follow(&mut self, mesh: &NavMesh, walked: &[PolyId]) -> bool {
        let Some(&now) = walked.last() else { return true };
        if self.polygon_at(self.front) == Some(now.0) {
            return true;
        }
        let Some((met, index)) = walked.iter().enumerate().rev().find_map(|(i, &p)| Some((i, self.find(p)?))) else {
            return false;
        };
        self.front = index;
        for pair in walked[met..].windows(2) {
            let Some(portal) = portal_between(mesh, pair[1], pair[0]) else { return false };
            let middle = middle(mesh, portal);
            let remaining = self.legs.get(self.front).map_or(0.0, |l| l.remaining + l.middle.distance(middle));
            let leg = CorridorLeg { polygon: pair[1].0, portal, middle, remaining };
            if self.front > 0 {
                self.front -= 1;
                self.legs[self.front] = leg;
            } else {
                self.legs.insert(0, leg);
            }
        }
        true
    }

    /// Extends the corridor along the polygons that the goal has crossed, the first of them its former one. Returns
    /// whether it could.
    pub(super) fn extend(&mut self, mesh: &NavMesh, walked: &[PolyId], goal: Vec3) -> bool {
        let Some(mut last) = self.last else { return false };
        if walked.first() != Some(&last) {
            return false;
        }
        for &next in &walked[1..] {
            if self.legs.len() > self.front && self.legs.last().map(|l| l.polygon) == Some(next.0) {
                self.legs.pop();
            } else {
                let Some(portal) = portal_between(mesh, last, next) else { return false };
                self.legs.push(CorridorLeg { polygon: last.0, portal, middle: middle(mesh, portal), remaining: 0.0 });
            }
            last = next;
        }
        self.last = Some(last);
        self.measure(goal);
        true
    }

    /// Finds the same corridor in another mesh, from the agent's polygon there to the goal's, without a search.
    /// Returns whether it exists; else the corridor is cleared.
    pub(super) fn transfer(
        &mut self,
        mesh: &NavMesh,
        shift: Vec3,
        from: PolyId,
        to: PolyId,
        crowd_mesh: &CrowdMesh,
    ) -> bool {
        self.legs.drain(..self.front);
        self.front = 0;
        let mut at = from;
        for leg in &mut self.legs {
            let wanted = leg.middle + shift;
            let same = mesh.portals().links_of(at.0).iter().find(|link| {
                let is_near = link.middle.distance_squared(wanted) < MAX_PORTAL_SHIFT * MAX_PORTAL_SHIFT;
                is_near && crowd_mesh.passes(link.neighbor)
            });
            let Some(link) = same else {
                self.clear();
                return false;
            };
            (leg.polygon, leg.portal, leg.middle) = (at.0, link.portal, link.middle);
            at = PolyId(link.neighbor);
        }
        self.last = Some(at);
        if at != to {
            self.clear();
        }
        at == to
    }

    /// The corners ahead within the portals that [`CrowdMesh::portal_ends`] leaves: a funnel that stops at the third corner.
    ///
    /// It stands beside that of [`straight_path`](crate::nav::query::funnel::straight_path): while a side lies at the
    /// apex, it takes the next end whatever the other side says. By that one 13 of 100 agents with one goal do not
    /// arrive (`n_08_a_hundred_with_one_goal_stand_around_it`).
    pub(super) fn corners(
        &self,
        mesh: &NavMesh,
        crowd_mesh: &CrowdMesh,
        from: Vec3,
        goal: Vec3,
        room: (f32, f32),
    ) -> Corners {
        let mut out = Corners::default();
        let legs = &self.legs[self.front.min(self.legs.len())..];
        let seen = legs.len().min(MAX_PORTALS);
        let end = if seen < legs.len() { legs[seen].middle } else { goal };
        let mut apex = to_plan(from);
        let (mut left, mut right) = ((Vec2::ZERO, end, 0), (Vec2::ZERO, end, 0));
        let mut fresh = true;
        let mut i = 0;
        while i <= seen {
            let (l, r) = if i < seen { crowd_mesh.portal_ends(mesh, legs[i].portal, room) } else { (end, end) };
            let (to_l, to_r) = (to_plan(l) - apex, to_plan(r) - apex);
            let mut corner = None;
            if fresh || right.0 == Vec2::ZERO || right.0.perp_dot(to_r) <= 0.0 {
                if fresh || left.0 == Vec2::ZERO || left.0.perp_dot(to_r) >= 0.0 {
                    right = (to_r, r, i);
                } else {
                    corner = Some(left);
                }
            }
            if corner.is_none() && (fresh || left.0 == Vec2::ZERO || left.0.perp_dot(to_l) >= 0.0) {
                if fresh || right.0 == Vec2::ZERO || to_l.perp_dot(right.0) >= 0.0 {
                    left = (to_l, l, i);
                } else {
                    corner = Some(right);
                }
            }
            fresh = false;
            i += 1;
            if let Some((_, point, portal)) = corner {
                if to_plan(point) != apex && !out.add(point) {
                    return out;
                }
                apex = to_plan(point);
                fresh = true;
                i = portal + 1;
            }
        }
        out.add(end);
        out.ends = seen == legs.len();
        out
    }
}

fn middle(mesh: &NavMesh, portal: u32) -> Vec3 {
    let portal = mesh.portals().portal(portal);
    (portal.left + portal.right) * 0.5
}

fn portal_between(mesh: &NavMesh, from: PolyId, to: PolyId) -> Option<u32> {
    mesh.portals().links_of(from.0).iter().find(|link| link.neighbor == to.0).map(|link| link.portal)
}
