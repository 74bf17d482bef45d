//! Which corners see each other, found when a search asks for it and kept for the mesh; and, for the last radius, which
//! tangents between them are free.

use glam::DVec2;

use super::super::interval::{Interval, VisiblePortal};
use super::super::mesh::PolyanyaMesh;
use crate::nav::mesh::NONE;

/// With more sights than this, all are looked for anew with the next query.
const MAX_SIGHTS: usize = 1 << 22;

/// What is known of a tangent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TangentState {
    #[default]
    Nothing,
    Free,
    Blocked,
}

/// What corners see.
#[derive(Debug, Default)]
pub(super) struct Sights {
    key: Option<(u64, u16, u16)>,
    radius: u64,
    /// Per corner its part of the sights, [`NONE`] before it was looked for.
    spans: Vec<(u32, u32)>,
    seen: Vec<u32>,
    /// Per sight: the tangents by the turns at both ends.
    known: Vec<[TangentState; 4]>,
    /// Per corner the cells around it.
    fans: Vec<Vec<u32>>,
    open: Vec<Interval>,
    found: Vec<u32>,
}

impl Sights {
    /// Forgets what is of another mesh, and of tangents of another radius.
    pub(super) fn keep_for(&mut self, net: &PolyanyaMesh, radius: f64) {
        if self.key != Some(net.key) || self.seen.len() > MAX_SIGHTS {
            self.key = Some(net.key);
            self.spans.clear();
            self.spans.resize(net.corners.len(), (NONE, NONE));
            self.seen.clear();
            self.known.clear();
            self.fans.clear();
            self.fans.resize(net.corners.len(), Vec::new());
            for portal in &net.portals {
                for corner in [portal.corner_a, portal.corner_b] {
                    if corner != NONE && !self.fans[corner as usize].contains(&portal.to) {
                        self.fans[corner as usize].push(portal.to);
                    }
                }
            }
        }
        if self.radius != radius.to_bits() {
            self.radius = radius.to_bits();
            self.known.fill([TangentState::Nothing; 4]);
        }
    }

    /// The cells around a corner.
    pub(super) fn fan(&self, corner: u32) -> &[u32] {
        &self.fans[corner as usize]
    }

    /// The sights of a corner.
    pub(super) fn of(&mut self, net: &PolyanyaMesh, corner: u32) -> std::ops::Range<u32> {
        if self.spans[corner as usize].0 == NONE {
            let (fan, mut found) = (std::mem::take(&mut self.fans[corner as usize]), std::mem::take(&mut self.found));
            self.look(net, net.corners[corner as usize].at, &fan, &mut found);
            self.fans[corner as usize] = fan;
            let first = self.seen.len() as u32;
            self.seen.extend(found.iter().filter(|&&other| other != corner));
            self.known.resize(self.seen.len(), [TangentState::Nothing; 4]);
            self.spans[corner as usize] = (first, self.seen.len() as u32);
            self.found = found;
        }
        let (first, end) = self.spans[corner as usize];
        first..end
    }

    /// The corner that is seen.
    pub(super) fn corner(&self, sight: u32) -> u32 {
        self.seen[sight as usize]
    }

    /// Whether a tangent is free, as far as that is known.
    pub(super) fn known(&self, sight: u32, which: usize) -> Option<bool> {
        match self.known.get(sight as usize).map_or(TangentState::Nothing, |k| k[which]) {
            TangentState::Nothing => None,
            known => Some(known == TangentState::Free),
        }
    }

    /// Remembers whether a tangent is free.
    pub(super) fn learn(&mut self, sight: u32, which: usize, is_free: bool) {
        if let Some(known) = self.known.get_mut(sight as usize) {
            known[which] = if is_free { TangentState::Free } else { TangentState::Blocked };
        }
    }

    /// Writes the corners that a point in or on these cells sees, sorted.
    pub(super) fn look(&mut self, net: &PolyanyaMesh, at: DVec2, cells: &[u32], found: &mut Vec<u32>) {
        found.clear();
        self.open.clear();
        for &cell in cells {
            let cell = net.cells[cell as usize];
            for portal in cell.first..cell.end {
                let p = &net.portals[portal as usize];
                found.extend([p.corner_a, p.corner_b]);
                let (a, b) = (p.a - at, p.b - at);
                if a.perp_dot(b) > 0.0 && !cells.contains(&p.to) {
                    self.open.push(VisiblePortal::whole(portal, a, b).view);
                }
            }
        }
        while let Some(view) = self.open.pop() {
            let entry = &net.portals[view.portal as usize];
            found.extend(view.right_end.then_some(entry.corner_a));
            found.extend(view.left_end.then_some(entry.corner_b));
            view.through(net, at, |seen| {
                if seen.a.perp_dot(seen.b) > 0.0 {
                    self.open.push(seen.view);
                } else {
                    let p = &net.portals[seen.view.portal as usize];
                    found.extend([p.corner_a, p.corner_b]);
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        if found.last() == Some(&NONE) {
            found.pop();
        }
    }
}
