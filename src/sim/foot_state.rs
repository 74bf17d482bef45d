//! What foot IK keeps of a character's feet between steps.

use crate::anim::leg_solve::LegSolve;
use glam::Vec2;

/// A plane of ground: its height at a point and its gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GroundPlane {
    /// A point in x and z, world space.
    pub at: Vec2,
    pub height: f32,
    pub gradient: Vec2,
}

impl GroundPlane {
    pub fn height_at(&self, p: Vec2) -> f32 {
        self.height + self.gradient.dot(p - self.at)
    }
}

/// Number of points of a sole that are compared with the ground: heel, middle, ball.
pub(super) const SOLE_POINTS: usize = 3;

/// Heights and slope of the ground that replaces the flat ground of the clip under a foot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SoleHeights {
    /// Height under each point of the sole.
    pub heights: [f32; SOLE_POINTS],
    /// Slope that the foot turns to.
    pub gradient: Vec2,
}

/// The ground ahead of a swinging foot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FootProbe {
    /// Height of the ground where it comes down, and its slope.
    pub landing: f32,
    pub gradient: Vec2,
    /// Greatest height of the ground on the way there above the line that the foot takes.
    pub over: f32,
}

/// State of one foot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FootState {
    pub planted: bool,
    /// Ground under each point of a planted foot.
    pub ground: [GroundPlane; SOLE_POINTS],
    /// Slope that a planted foot turns to.
    pub gradient: Vec2,
    /// Ground under the ball where the swing began.
    pub lift_off: GroundPlane,
    /// Height at which the swing ends.
    pub land: f32,
    /// Heights and slope as shown.
    pub shown: SoleHeights,
    /// Shown heights less the true ones; fades away.
    pub lag: SoleHeights,
    /// Height by which it is raised over an obstacle.
    pub raise: f32,
    /// Greatest height of its hip in the world from which a swinging leg will reach the ground it comes down on, less
    /// what the character will have climbed by then.
    pub hip_to_land: f32,
    /// The last probe of a swinging foot.
    pub probe: FootProbe,
    /// Offset in x and z that keeps a planted foot from sliding.
    pub slide: Vec2,
    /// Turn about the upright axis that keeps its heading, radians.
    pub twist: f32,
    /// Heading of its sole in the clip of the last step, about the upright axis in the world, radians.
    pub heading: f32,
    /// How far it is on a step back to its place in a clip that stands, 0…1; 0 where it takes none.
    pub restep: f32,
    /// Offset and turn with which that step began.
    pub restep_from: (Vec2, f32),
    /// Height of that step.
    pub arc: f32,
    /// Angle by which its heel is lifted for the leg to reach, radians.
    pub heel: f32,
    /// Points of its sole in the clip of the last step, turned to the slope, world space.
    pub sole: [Vec2; SOLE_POINTS],
}

/// Legs that are left to the graphics device, as they were in the last two steps.
#[derive(Clone, Debug)]
pub struct UnsolvedLegs {
    /// In the step before.
    pub before: [LegSolve; 2],
    /// In the last step.
    pub now: [LegSolve; 2],
}

impl UnsolvedLegs {
    /// Between the two steps.
    pub fn between(&self, alpha: f32) -> [LegSolve; 2] {
        std::array::from_fn(|i| self.before[i].blend(&self.now[i], alpha))
    }
}

/// State of both feet of a character.
#[derive(Clone, Copy, Debug, Default)]
pub struct FeetState {
    /// Whether the other fields are valid.
    pub(super) ready: bool,
    /// Which feet are planted in the clips.
    planted: [bool; 2],
    /// Whether one of them came down in this step.
    came_down: bool,
    pub(super) feet: [FootState; 2],
    /// Share of the correction that is shown, 0…1; `None` before the first step, which shows it in full at once.
    pub(super) ease: Option<f32>,
    /// Height of the pelvis' reference in the world, metres.
    pub(super) hips: f32,
    /// Vertical speed of the pelvis' reference, metres per second.
    pub(super) hips_speed: f32,
    /// Smoothed vertical speed of the character, metres per second.
    pub(super) climb: f32,
    /// Share by which strides are shorter than in the clip.
    pub(super) shortening: f32,
}

impl FeetState {
    /// Takes in which feet are planted in the clips of this step.
    pub(super) fn update_planted(&mut self, planted: [bool; 2], walks: bool) {
        self.came_down = walks && (0..2).any(|i| planted[i] && !self.planted[i]);
        self.planted = planted;
    }

    /// Whether a foot stands where it is, where that is known.
    pub fn is_planted(&self, leg: usize) -> Option<bool> {
        self.ready.then(|| self.feet[leg].planted)
    }

    /// Whether a foot of a walking character came down in this step.
    pub fn came_down(&self) -> bool {
        self.came_down
    }
}
