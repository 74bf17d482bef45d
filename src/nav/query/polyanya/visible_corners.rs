//! Which corners a path can go on to from each corner, found when a search first turns there and kept for the mesh.
//!
//! A path that has turned at a corner goes straight on to another one at which it turns, or to its end. Looking for those
//! through the portals is what a search would do with most of its time, each time anew: on maps with many small
//! obstacles it comes to thousands of corners.
//!
//! Not to be taken for `CornerWays` of the weighted search, which bend where area costs change, have costs, and are found for all
//! corners when a mesh is prepared: here a corner is visible in a straight line, and what it sees is found when it is asked for.

use std::ops::Range;

use glam::{DVec2, Vec2};

use super::interval::{Interval, Side, VisiblePortal};
use super::mesh::PolyanyaMesh;
use crate::nav::mesh::NONE;

/// With more visible corners than this, 40 MB, all are looked for anew with the next query.
const MAX_VISIBLE: usize = 1 << 21;

/// A corner at which a path may turn that comes straight from another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisibleCorner {
    /// Where it is: vertices are of single precision.
    pub(super) at: Vec2,
    pub(super) corner: u32,
    /// The block of the portal at whose end it lies.
    pub(super) block: u32,
    /// To which side the path turns there.
    pub(super) side: Side,
}

/// What the corners see at which a search has turned.
#[derive(Debug, Default)]
pub(super) struct VisibleCorners {
    /// Per corner and side to which it is turned around its part of `list`; [`NONE`] before it was looked for.
    spans: Vec<[Range<u32>; 2]>,
    list: Vec<VisibleCorner>,
    view: CornerView,
}

impl VisibleCorners {
    /// Makes room for the corners of a mesh; forgets them where there are too many.
    pub(super) fn begin(&mut self, net: &PolyanyaMesh) {
        if self.spans.len() != net.corners.len() || self.list.len() > MAX_VISIBLE {
            self.spans.clear();
            self.spans.resize(net.corners.len(), [const { NONE..NONE }; 2]);
            self.list.clear();
        }
    }

    /// Where a path may turn next that turns around a corner to a side.
    #[inline]
    pub(super) fn of(&mut self, net: &PolyanyaMesh, corner: u32, side: Side) -> &[VisibleCorner] {
        if self.spans[corner as usize][side as usize].start == NONE {
            self.look(net, corner, side);
        }
        let span = &self.spans[corner as usize][side as usize];
        &self.list[span.start as usize..span.end as usize]
    }

    #[cold]
    fn look(&mut self, net: &PolyanyaMesh, corner: u32, side: Side) {
        let first = self.list.len() as u32;
        self.view.look(net, corner, side, |_| ());
        self.list.extend(&self.view.visible);
        self.spans[corner as usize][side as usize] = first..self.list.len() as u32;
    }
}

/// What a corner sees.
#[derive(Debug, Default)]
pub(super) struct CornerView {
    /// Where paths may turn next, sorted by corner.
    pub(super) visible: Vec<VisibleCorner>,
    open: Vec<Interval>,
    seen: Vec<VisiblePortal>,
}

impl CornerView {
    /// Looks from a corner in all directions in which a path may go on that turns around it to a side; calls `f` with the
    /// portals that it sees.
    pub(super) fn look(&mut self, net: &PolyanyaMesh, corner: u32, side: Side, mut f: impl FnMut(&Interval)) {
        let at = &net.corners[corner as usize];
        let along = if side == Side::Right { -at.left_wall } else { -at.right_wall };
        self.visible.clear();
        at.beside(net, along, side, |seen| self.seen.push(seen));
        self.open_seen(net, at.at);
        while let Some(view) = self.open.pop() {
            f(&view);
            let entry = &net.portals[view.portal as usize];
            if view.right_end {
                self.link(net, at.at, (view.portal, entry.corner_a, Side::Right));
            }
            if view.left_end {
                self.link(net, at.at, (view.portal, entry.corner_b, Side::Left));
            }
            view.through(net, at.at, |seen| self.seen.push(seen));
            self.open_seen(net, at.at);
        }
        // Of the portals that end at a corner the nearest comes first, and stays.
        self.visible.sort_by_key(|seen| (seen.corner, seen.side));
        self.visible.dedup_by_key(|seen| (seen.corner, seen.side));
    }

    fn open_seen(&mut self, net: &PolyanyaMesh, from: DVec2) {
        while let Some(seen) = self.seen.pop() {
            if seen.a.perp_dot(seen.b) > 0.0 {
                self.open.push(seen.view);
            } else {
                for (corner, side) in seen.nearer_ends(&net.portals[seen.view.portal as usize]) {
                    self.link(net, from, (seen.view.portal, corner, side));
                }
            }
        }
    }

    fn link(&mut self, net: &PolyanyaMesh, from: DVec2, (portal, corner, side): (u32, u32, Side)) {
        let Some(to) = net.corners.get(corner as usize) else { return };
        if to.turns(to.at - from, side) {
            let block = net.portals[portal as usize].block;
            self.visible.push(VisibleCorner { at: to.at.as_vec2(), corner, block, side });
        }
    }
}
