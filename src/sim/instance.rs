//! What is seen of an instance: its pose, what it does, how its navigation stands.

use super::inertia::Inertia;
use super::traversal::{ActiveTraversal, LINE_SEGMENTS, LinkTraversal};
use crate::anim::Playback;
use crate::anim::legs::LegIkResult;
use crate::anim::root_motion::RootShift;
use crate::math::Aabb;
use crate::vocab::MoveState;
use glam::Vec3;

/// Place, velocity and animation of an instance at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position of the model's origin (between the feet) in world space, metres.
    pub position: Vec3,
    /// Heading about +Y in radians, (-π, π]; 0 faces +Z.
    pub yaw_rad: f32,
    /// Velocity in world space, metres per second.
    pub velocity: Vec3,
    /// Clips, times and weights of the animation.
    pub playback: Playback,
    /// What takes the root motion of actions out of the pose.
    pub root: [RootShift; 2],
    /// Correction of the legs by foot IK.
    pub feet: LegIkResult,
    /// Weights of the face's morph targets, in the order of [`crate::vocab::FaceExpression`] without its first.
    pub face: [f32; 4],
}

impl Pose {
    /// Shift of the whole pose in model space that takes out its root motion.
    pub fn root_in_model(&self) -> Vec3 {
        self.root[0].in_model + self.root[1].in_model
    }
}

/// State of an instance's navigation to its target.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NavStatus {
    /// Has no target, or navigation is off.
    #[default]
    Off,
    /// Waits for a path search.
    Waiting,
    /// Walks along a path.
    Walking,
    /// Is at its target.
    Arrived,
    /// Found no path, for this reason.
    Failed(String),
}

/// State of an instance after a step, as drawing, panels and tests read it.
#[derive(Clone, Debug, Default)]
pub struct InstanceState {
    /// Pose at the end of the last step.
    pub now: Pose,
    /// Pose one step before; drawing interpolates from here.
    pub before: Pose,
    /// What is left of the last transition of its animation.
    pub(super) inertia: Option<Box<Inertia>>,
    /// Gait or action.
    pub state: MoveState,
    /// Whether it stands on something.
    pub on_ground: bool,
    /// The level triangle under its feet.
    pub ground_triangle: Option<u32>,
    /// State of its navigation.
    pub nav: NavStatus,
    /// Path points ahead in world space, next first; ends at the target.
    pub path: Vec<Vec3>,
    /// Length of the path ahead, metres; the straight distance once arrived.
    pub distance_left: Option<f32>,
    /// Off-mesh links on the path ahead, next first.
    pub links_ahead: Vec<LinkTraversal>,
    /// The off-mesh link that it is on.
    pub traversal: Option<ActiveTraversal>,
}

impl InstanceState {
    /// Drops the path and the state of the navigation.
    pub(super) fn clear_path(&mut self) {
        self.nav = NavStatus::Off;
        self.drop_points();
        self.distance_left = None;
    }

    /// Drops the points of the path and the links between them.
    pub(super) fn drop_points(&mut self) {
        self.path.clear();
        self.links_ahead.clear();
    }

    /// Number of path points that may be dropped before the next off-mesh link begins.
    pub(super) fn points_before_link(&self) -> usize {
        self.links_ahead.first().map_or(usize::MAX, |link| self.path.len().saturating_sub(link.points_left))
    }

    /// The path ahead with the arcs of its off-mesh links, world space, from the character on.
    pub fn line_ahead(&self) -> Vec<Vec3> {
        let mut line = Vec::with_capacity(self.path.len() + LINE_SEGMENTS as usize);
        line.extend(self.traversal.iter().flat_map(|traversal| traversal.line().skip(1).collect::<Vec<_>>()));
        for (i, &point) in self.path.iter().enumerate() {
            line.push(point);
            if let Some(link) = self.links_ahead.iter().find(|link| link.points_left + i == self.path.len()) {
                let arc = ActiveTraversal::new(point, link.end, link.kind, 0.0, 1.0);
                line.extend(arc.line().skip(1).take(LINE_SEGMENTS as usize - 1));
            }
        }
        line
    }
}

/// What an instance can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Its model is not (yet) there: stays where it is.
    #[default]
    Absent,
    /// A thing without clips: falls, does not walk.
    Thing,
    /// Walks.
    Character,
}

/// The few properties of an instance that passes over all instances read. They lie side by side in an array, so that
/// such a pass touches one cache line an instance and not its whole state.
#[derive(Clone, Copy, Debug)]
pub struct InstanceSummary {
    /// What it can do.
    pub role: Role,
    /// Whether it touches another instance.
    pub has_contact: bool,
    /// Whether it walks to a target, or did until now.
    pub navigates: bool,
    /// Whether it has pending events.
    pub has_events: bool,
    /// Its bounding box in world space; empty in steps that look for no contacts.
    pub bounds: Aabb,
}
