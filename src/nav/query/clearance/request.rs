//! A validated request for a path with clearance, as all parts of the search take it.

use crate::nav::mesh::{Filter, NavMesh, NavPoint};

/// How much nearer than the radius a path may come to a wall, metres.
pub const TOLERANCE: f64 = 1e-3;

/// A way through a polygon: the portal that leads in, [`NONE`](crate::nav::mesh::NONE) at the start, and the one that
/// leads out.
pub(super) type PortalPair = (u32, u32);

/// A validated query.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) mesh: &'a NavMesh,
    pub(super) start: NavPoint,
    pub(super) end: NavPoint,
    pub(super) filter: &'a Filter,
    pub(super) radius: f64,
}

impl Request<'_> {
    /// The width that a portal pair must have, metres.
    pub(super) fn needed_width(&self) -> f32 {
        (2.0 * (self.radius - TOLERANCE)) as f32
    }
}
