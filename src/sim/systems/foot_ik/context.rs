//! What foot IK reads in a step: the legs as the clip has them, and the ground around the character.

use crate::anim::legs::{LegChain, LegPose, Legs};
use crate::collide::ground::{ContactMesh, NearTriangle, highest_at};
use crate::math::plan::to_plan;
use crate::sim::STEP_SECS;
use crate::sim::foot_state::{GroundPlane, SOLE_POINTS, SoleHeights};
use glam::{Quat, Vec2, Vec3};

/// Greatest offset of a foot against sliding, as a share of the leg.
pub(super) const MAX_SLIDE: f32 = 0.5;
/// Share of a leg's length up to which it is stretched.
pub(super) const MAX_STRETCH: f32 = 0.99;
/// Greatest angle at which a foot with its heel lifted stands on its ball, radians.
const MAX_HEEL_RAD: f32 = 1.35;
/// Depth to which a sole may be in the ground, metres at scale 1: blends of a clip that stands and one that walks have toes
/// centimetres in it, and each of the clips by itself some millimetres.
const MAX_SINK: f32 = 0.008;
/// Steepest ground that a foot turns to: rise over run.
const MAX_FOOT_SLOPE: f32 = 1.0;

/// A leg as the clip has it in a step, relative to the character.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnimatedLeg {
    /// Where the leg begins.
    pub hip: Vec3,
    /// Where it ends.
    pub ankle: Vec3,
    /// The points of the sole.
    pub points: [Vec3; SOLE_POINTS],
    /// Height of the lowest of them.
    pub lowest: f32,
    /// Length of the leg, metres.
    pub length: f32,
    /// Greatest distance of the ankle from the hip: beyond a stretched leg only where the clip has it so.
    pub reach: f32,
    /// Greatest angle by which its heel may be lifted beyond the clip, radians.
    pub max_heel_rad: f32,
    /// Turn about the upright axis that its foot has beyond the clip.
    pub twist: Quat,
}

impl AnimatedLeg {
    /// Reads a leg, the first or second, from the pose of a model of this scale.
    pub fn new(legs: &Legs, pose: &LegPose, leg: usize, scale: f32) -> Self {
        let [heel, ball] = legs.sole(pose, leg);
        let points = [heel, (heel + ball) * 0.5, ball];
        let LegChain { chain, length, .. } = &legs.legs[leg];
        let [hip, ankle] = [0, chain.len() - 1].map(|i| pose.places[chain[i]].position);
        let length = length * scale;
        let reach = (MAX_STRETCH * length).max(hip.distance(ankle));
        let lifted = (heel.y - ball.y).atan2(to_plan(ball - heel).length());
        let max_heel_rad = (MAX_HEEL_RAD - lifted.max(0.0)).max(0.0);
        let lowest = heel.y.min(ball.y);
        Self { hip, ankle, points, lowest, length, reach, max_heel_rad, twist: Quat::IDENTITY }
    }

    /// The part of the sole that carries: heel or ball. A foot whose heel is lifted beyond the clip stands on its ball.
    pub fn carrying(&self, heel_rad: f32) -> usize {
        let ball = SOLE_POINTS - 1;
        if heel_rad > 0.0 || self.points[ball].y < self.points[0].y { ball } else { 0 }
    }

    /// Shortens the stride: moves the foot along `ahead` towards below its hip by this share of the way.
    pub fn shortened(&self, ahead: Vec3, share: f32) -> Self {
        let shift = ahead * ((self.ankle - self.hip).dot(ahead) * -share);
        Self { ankle: self.ankle + shift, points: self.points.map(|p| p + shift), ..*self }
    }

    /// Turns the foot about the upright axis through the part that carries.
    pub fn twisted(&self, twist_rad: f32) -> Self {
        let (twist, center) = (Quat::from_rotation_y(twist_rad), self.points[self.carrying(0.0)]);
        let turned = |p: Vec3| center + twist * (p - center);
        Self { ankle: turned(self.ankle), points: self.points.map(turned), twist, ..*self }
    }

    /// The points of the sole of a foot that is turned to a slope about its ankle, in x and z.
    pub fn sole_on(&self, gradient: Vec2) -> [Vec2; SOLE_POINTS] {
        let turn = slope_turn(gradient);
        self.points.map(|p| to_plan(self.ankle + turn * (p - self.ankle)))
    }

    /// The heights under a sole, none below the ball as the foot holds it: a ball beyond an edge hangs over the ground
    /// there, and a foot that lifts begins where it hung.
    pub fn carried(&self, under: &SoleHeights) -> SoleHeights {
        let turn = slope_turn(under.gradient);
        let over_ankle = self.points.map(|p| (turn * (p - self.ankle)).y);
        let held = under.heights.iter().zip(over_ankle).map(|(height, over)| height - over);
        let ball = held.fold(f32::NEG_INFINITY, f32::max) + over_ankle[SOLE_POINTS - 1];
        let at_ball = to_plan(self.points[SOLE_POINTS - 1]);
        let heights =
            std::array::from_fn(|i| under.heights[i].max(ball + under.gradient.dot(to_plan(self.points[i]) - at_ball)));
        SoleHeights { heights, gradient: under.gradient }
    }

    /// Greatest raise of the pelvis from which the leg reaches an ankle; `None` for one too far aside.
    pub fn highest(&self, ankle: Vec3) -> Option<f32> {
        let side_squared = to_plan(ankle - self.hip).length_squared();
        let up_squared = self.reach * self.reach - side_squared;
        (up_squared > 0.0).then(|| ankle.y + up_squared.sqrt() - self.hip.y)
    }
}

/// What the solver reads of one character and the ground around it in a step.
pub(super) struct IkContext<'a> {
    pub contact: &'a ContactMesh,
    /// Triangles that may carry a foot.
    pub supports: &'a [NearTriangle],
    pub legs: &'a Legs,
    pub position: Vec3,
    /// Metres per unit of the model.
    pub scale: f32,
    /// Rate of the clip, seconds of the clip per second.
    pub rate: f32,
    pub velocity: Vec3,
    /// Smoothed vertical speed, metres per second.
    pub climb: f32,
    pub facing: Quat,
    /// Highest and lowest ground that may carry a foot, relative to the character, metres.
    pub high: f32,
    pub low: f32,
    /// Share by which strides are shorter than in the clip.
    pub shortening: f32,
    /// Whether swinging feet probe the ground ahead in this step.
    pub probes_ahead: bool,
}

impl IkContext<'_> {
    /// Height of the lowest part of a sole over the ground of the clip, metres.
    pub fn height_in_clip(&self, animated: &AnimatedLeg) -> f32 {
        animated.lowest - self.floor()
    }

    /// The same as it is shown: no more than [`MAX_SINK`] below the ground.
    pub fn shown_height(&self, animated: &AnimatedLeg) -> f32 {
        self.height_in_clip(animated).max(-MAX_SINK * self.scale)
    }

    /// Whether the clip has a foot farther in its ground than is shown.
    pub fn sinks(&self, animated: &AnimatedLeg) -> bool {
        self.height_in_clip(animated) < self.shown_height(animated)
    }

    /// The ground at a point, and its gradient.
    pub fn ground(&self, p: Vec2) -> Option<GroundPlane> {
        let y = self.position.y;
        let contact = self.contact;
        let hit = highest_at(contact, self.supports, p, y + self.low, y + self.high)?;
        let gradient =
            contact.triangle(hit.triangle).gradient().filter(|g| g.length_squared() <= MAX_FOOT_SLOPE * MAX_FOOT_SLOPE);
        let gradient = gradient.unwrap_or(Vec2::ZERO);
        Some(GroundPlane { at: p, height: hit.height, gradient })
    }

    /// The ground under each of these points of a foot, and the slope that it turns to.
    pub fn support(&self, points: [Vec2; SOLE_POINTS]) -> ([GroundPlane; SOLE_POINTS], Vec2) {
        let found = points.map(|p| self.ground(p));
        let nothing = self.low + self.position.y;
        let planes: [GroundPlane; SOLE_POINTS] = std::array::from_fn(|i| {
            found[i].unwrap_or(GroundPlane { at: points[i], height: nothing, gradient: Vec2::ZERO })
        });
        if found.iter().all(Option::is_none) {
            return (points.map(|at| GroundPlane { at, height: self.position.y, gradient: Vec2::ZERO }), Vec2::ZERO);
        }
        let [h, _, b] = planes;
        let (heel, ball) = (points[0], points[2]);
        let (over_ball, over_heel) = (h.height_at(ball) - b.height, b.height_at(heel) - h.height);
        let slack = 0.01 * self.scale;
        let gradient = if over_ball >= -slack && (over_ball <= over_heel || over_heel < -slack) {
            h.gradient
        } else if over_heel >= -slack {
            b.gradient
        } else {
            // A hollow: the foot bridges it.
            let along = ball - heel;
            along * ((b.height - h.height) / along.length_squared().max(1e-6))
        };
        (planes, gradient)
    }

    /// Height of planted soles in the clips, relative to the character, metres.
    pub fn floor(&self) -> f32 {
        self.legs.floor * self.scale
    }
}

/// The rotation of a foot from flat ground to a slope.
pub(super) fn slope_turn(gradient: Vec2) -> Quat {
    if gradient == Vec2::ZERO {
        return Quat::IDENTITY;
    }
    Quat::from_rotation_arc(Vec3::Y, Vec3::new(-gradient.x, 1.0, -gradient.y).normalize())
}

/// Share that a step leaves of a value that decays with this half-life.
pub(super) fn left_after_step(half_life_secs: f32) -> f32 {
    0.5_f32.powf(STEP_SECS / half_life_secs)
}
