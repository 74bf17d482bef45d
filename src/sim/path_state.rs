//! What a character keeps of its path between steps.

use crate::nav::original::GroundNode;
use glam::Vec3;

/// A character's path to its target: requests, progress and bookkeeping. The points themselves are part of
/// [`InstanceState`](super::InstanceState).
#[derive(Clone, Debug, Default)]
pub struct PathState {
    /// Position of the target in the arrays; `None` when there is none.
    pub target: Option<u32>,
    /// The node of the triangle graph that the path leads to.
    pub target_node: Option<GroundNode>,
    /// Position of the target when the path was last bent to it, world space.
    pub last_goal: Vec3,
    /// Level triangles of the path.
    pub triangles: Vec<u32>,
    /// The ground triangle that was last compared with those of the path.
    pub checked_triangle: Option<u32>,
    /// Whether a path is requested.
    pub wants_path: bool,
    /// Earliest step of the next search.
    pub retry_step: u64,
    /// Searches in a row without success.
    pub failures: u32,
    /// How often it was stuck in a row, without a metre of progress between.
    pub times_stuck: u32,
    /// Where the target was when the last search failed, world space.
    pub failed_goal: Option<Vec3>,
    /// Islands of start and target that are known not to be connected.
    pub unreachable_islands: Option<(u32, u32)>,
    /// Length of the path from its next point to the target, metres.
    pub length_beyond_next: f32,
    /// Shortest length left so far on this path, metres.
    pub shortest_left: f32,
    /// Step in which `shortest_left` was reached, later where standing still is no lack of progress.
    pub progress_step: u64,
    /// Number of points at the end of the path that are not smoothed yet.
    pub unsmoothed: usize,
    /// Distance that the path over the mesh keeps from walls, metres.
    pub clearance: f32,
    /// Number of points at the front of the path that have been moved clear of walls.
    pub cleared: usize,
    /// Where the leg to the next point began, world space.
    pub leg_start: Vec3,
    /// Where the path ahead was last tested for walls, world space.
    pub looked_from: Vec3,
    /// Buffer for triangles around a point of the path.
    pub near: Vec<u32>,
    /// Whether it lets other agents pass; that is no lack of progress.
    pub yields: bool,
    /// Distance that the target has moved since the last search, metres.
    pub goal_drift: f32,
    /// Distance at which it stops, or stopped, at its target, metres.
    pub stop_distance: f32,
}

impl PathState {
    /// Drops path and progress; the target stays.
    pub fn reset(&mut self) {
        let mut triangles = std::mem::take(&mut self.triangles);
        triangles.clear();
        *self = Self { target: self.target, triangles, ..Self::default() };
    }
}

/// Share of its radius that a body shows to walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadiusScale(f32);

impl Default for RadiusScale {
    fn default() -> Self {
        Self::FULL
    }
}

impl RadiusScale {
    /// The whole radius.
    pub const FULL: Self = Self(1.0);
    /// The smallest share: with it a body passes wherever a path leads.
    pub const MIN: Self = Self(0.08);
    /// Change per second.
    const RATE: f32 = 2.0;

    /// The share of the radius.
    pub fn factor(self) -> f32 {
        self.0
    }

    /// Smaller by the change of `dt_secs`.
    pub fn shrunk(self, dt_secs: f32) -> Self {
        Self((self.0 - Self::RATE * dt_secs).max(Self::MIN.0))
    }

    /// Larger by the change of `dt_secs`.
    pub fn grown(self, dt_secs: f32) -> Self {
        Self((self.0 + Self::RATE * dt_secs).min(Self::FULL.0))
    }
}
