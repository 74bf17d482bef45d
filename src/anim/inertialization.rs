//! Inertialization: at a transition the new animation plays alone at once, and the pose keeps place and velocity of every
//! joint by an offset to it, which decays (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War",
//! GDC 2018).
//!
//! The offset of a joint is a vector each for translation and rotation (axis times angle), and decays by the polynomial of
//! degree five that begins with its value and velocity and ends with neither, at rest. Bollo's polynomial begins with an
//! acceleration that makes the jerk zero at the end; here the acceleration is zero at both ends, which bounds it by a
//! third of that.

use crate::math::Trs;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Shortest decay, seconds.
const MIN_SECS: f32 = 0.3;
/// Longest decay, seconds.
const MAX_SECS: f32 = 0.5;
/// Turn of a joint from which on the decay takes longest, radians.
const FAR_RAD: f32 = 1.5;
/// Greatest angular velocity that an offset takes over, radians per second.
const MAX_SPIN: f32 = 12.0;
/// Greatest velocity that an offset takes over, metres per second.
const MAX_SPEED: f32 = 4.0;
/// Offsets below this are none.
const NEGLIGIBLE: f32 = 1e-6;

/// How one animation goes over into the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transition {
    /// Both play, and the weight goes from one to the other.
    #[default]
    CrossFade,
    /// The next one plays at once, and the difference decays.
    Inertial,
}

/// What is added to a joint's local transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeOffset {
    /// Multiplied onto the rotation from the left.
    pub rotation: Quat,
    /// Added to the translation.
    pub translation: Vec3,
}

impl NodeOffset {
    /// Adds nothing.
    pub const NONE: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    /// Applies it to a local transform.
    pub fn apply(&self, pose: &mut Trs) {
        pose.rotation = self.rotation * pose.rotation;
        pose.translation += self.translation;
    }
}

/// A vector with its velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct DecayingVector {
    value: Vec3,
    velocity: Vec3,
}

impl DecayingVector {
    /// Its value after a share `s` of `secs`: begins with value, velocity and no acceleration, ends with none of them.
    fn at(&self, s: f32, secs: f32) -> Vec3 {
        let left = 1.0 - s;
        let cube = left * left * left;
        self.value * (cube * (1.0 + s * (3.0 + 6.0 * s))) + self.velocity * (secs * s * cube * (1.0 + 3.0 * s))
    }
}

/// A joint's offset at the transition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JointDecay {
    rotation: DecayingVector,
    translation: DecayingVector,
}

/// A pose at a transition and how it moves: two poses, one step apart.
#[derive(Clone, Copy, Debug)]
pub struct MovingPose<'a> {
    /// The earlier pose.
    pub from: &'a [Trs],
    /// The later one.
    pub to: &'a [Trs],
}

/// The offsets of all joints of a character since a transition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inertialization {
    joints: Vec<JointDecay>,
    /// Length of the decay, seconds.
    secs: f32,
}

impl Inertialization {
    /// The offsets that keep place and velocity of the joints. `left` is the pose that was left, which ends at the
    /// transition; `entered` the one that plays from now on, which begins there. Both are over `dt_secs`.
    pub fn new(left: MovingPose<'_>, entered: MovingPose<'_>, dt_secs: f32) -> Self {
        let poses = left.from.iter().zip(left.to).zip(entered.from.iter().zip(entered.to));
        let joint = |((before, now), (first, second)): ((&Trs, &Trs), (&Trs, &Trs))| {
            let rotation = scaled_axis(now.rotation * first.rotation.inverse());
            // The pose that was left, one step further by its own velocity.
            let ahead = now.rotation * before.rotation.inverse() * now.rotation;
            let next = near(scaled_axis(ahead * second.rotation.inverse()), rotation);
            let spin = ((next - rotation) / dt_secs).clamp_length_max(MAX_SPIN);
            let translation = now.translation - first.translation;
            let change = (now.translation - before.translation) - (second.translation - first.translation);
            let speed = (change / dt_secs).clamp_length_max(MAX_SPEED);
            JointDecay {
                rotation: DecayingVector { value: rotation, velocity: spin },
                translation: DecayingVector { value: translation, velocity: speed },
            }
        };
        let joints: Vec<JointDecay> = poses.map(joint).collect();
        let most = joints.iter().map(|joint| joint.rotation.value.length()).fold(0.0, f32::max);
        let secs = MIN_SECS + (MAX_SECS - MIN_SECS) * (most / FAR_RAD).min(1.0);
        Self { joints, secs }
    }

    /// Whether nothing is left of the offsets.
    pub fn is_over(&self, secs: f32) -> bool {
        secs >= self.secs
    }

    /// The offset of a node so many seconds after the transition.
    pub fn offset(&self, node: usize, secs: f32) -> NodeOffset {
        let share = (secs / self.secs.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let Some(joint) = self.joints.get(node).filter(|_| share < 1.0) else { return NodeOffset::NONE };
        NodeOffset {
            rotation: Quat::from_scaled_axis(joint.rotation.at(share, self.secs)),
            translation: joint.translation.at(share, self.secs),
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }
}

/// The offsets of a character at a moment.
#[derive(Clone, Copy, Debug)]
pub struct InertiaAt<'a> {
    /// The offsets since a transition.
    pub offsets: &'a Inertialization,
    /// Time since then, seconds.
    pub secs: f32,
}

impl InertiaAt<'_> {
    /// The offset of a node.
    pub fn node(&self, node: usize) -> NodeOffset {
        self.offsets.offset(node, self.secs)
    }

    /// The offsets of all nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeOffset> + '_ {
        (0..self.offsets.len()).map(|node| self.node(node))
    }
}

/// Axis times angle of a rotation, the shorter way about.
fn scaled_axis(rotation: Quat) -> Vec3 {
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    let axis = rotation.to_scaled_axis();
    if axis.is_finite() && axis.length_squared() > NEGLIGIBLE * NEGLIGIBLE { axis } else { Vec3::ZERO }
}

/// The rotation vector of the same rotation that is nearer to another: beyond half a turn the axis flips.
fn near(vector: Vec3, other: Vec3) -> Vec3 {
    let angle = vector.length();
    if angle < 1.0 {
        return vector;
    }
    let flipped = vector * (1.0 - std::f32::consts::TAU / angle);
    if flipped.distance_squared(other) < vector.distance_squared(other) { flipped } else { vector }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 1.0 / 60.0;

    fn turned(angle: f32, x: f32) -> Trs {
        let axis = Vec3::new(0.3, 0.8, -0.5).normalize();
        Trs { rotation: Quat::from_axis_angle(axis, angle), translation: Vec3::X * x, ..Trs::IDENTITY }
    }

    /// What was left turns at 3 rad/s, what is entered at -1 rad/s, more than a radian away.
    fn transition() -> Inertialization {
        let left = [[turned(1.2 - 3.0 * DT, 0.1)], [turned(1.2, 0.15)]];
        let entered = [[turned(0.0, 0.0)], [turned(-DT, 0.0)]];
        let moving = |[from, to]: &[[Trs; 1]; 2]| (*from, *to);
        let (left, entered) = (moving(&left), moving(&entered));
        Inertialization::new(
            MovingPose { from: &left.0, to: &left.1 },
            MovingPose { from: &entered.0, to: &entered.1 },
            DT,
        )
    }

    #[test]
    fn place_and_velocity_are_kept_and_all_of_it_decays() {
        let inertia = transition();
        let angle = |secs: f32| scaled_axis(inertia.offset(0, secs).rotation);
        let at = |secs: f32| inertia.offset(0, secs).translation.x;
        assert!((angle(0.0).length() - 1.2).abs() < 1e-4 && (at(0.0) - 0.15).abs() < 1e-6);
        let step = 1e-3;
        // 3 rad/s less -1 rad/s, and 5 cm a step.
        assert!(((angle(step).length() - 1.2) / step - 4.0).abs() < 0.05, "{}", angle(step).length());
        assert!(((at(step) - 0.15) / step - 3.0).abs() < 0.05, "{}", at(step));
        let end = inertia.secs;
        assert!((MIN_SECS..=MAX_SECS).contains(&end) && inertia.is_over(end) && !inertia.is_over(end - DT));
        assert_eq!(inertia.offset(0, end), NodeOffset::NONE);
        assert!(angle(end - step).length() < 1e-4, "it ends at rest");
        assert_eq!(inertia.offset(7, 0.0), NodeOffset::NONE, "a node that is not there");
    }

    #[test]
    fn acceleration_is_bounded_and_begins_at_zero() {
        let decay = DecayingVector { value: Vec3::X, velocity: Vec3::ZERO };
        let (secs, step) = (0.4, 1e-3);
        let at = |i: i32| decay.at(i as f32 * step / secs, secs).x;
        let acceleration = |i: i32| (at(i + 1) - 2.0 * at(i) + at(i - 1)) / (step * step);
        assert!(acceleration(1).abs() < 3.0, "{}", acceleration(1));
        let most = (1..399).map(|i| acceleration(i).abs()).fold(0.0, f32::max);
        assert!(most < 5.9 / (secs * secs), "{most}");
        let falls = (1..400).all(|i| at(i) < at(i - 1));
        assert!(falls, "it overshoots");
    }

    #[test]
    fn rotations_go_the_shorter_way_and_stay_continuous() {
        assert!(scaled_axis(-Quat::from_rotation_x(0.3)).abs_diff_eq(Vec3::X * 0.3, 1e-5));
        let (a, b) = (Quat::from_rotation_y(3.1), Quat::from_rotation_y(3.2));
        let (a, b) = (scaled_axis(a), near(scaled_axis(b), scaled_axis(a)));
        assert!((b - a).length() < 0.11, "{a} {b}");
        assert_eq!(scaled_axis(Quat::IDENTITY), Vec3::ZERO);
    }
}
