//! Turn of a character's head and weights of its face's morph targets.

use super::STEP_SECS;
use super::orders::Orders;
use crate::scene::SceneInstance;
use crate::vocab::FaceExpression;
use glam::Vec2;

/// Fastest change of the head, ranges from the middle to one side per second.
pub(super) const HEAD_PER_SEC: f32 = 3.0;
/// Fastest change of a morph weight per second.
pub(super) const FACE_PER_SEC: f32 = 6.0;

/// A neighbour to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LookAt {
    /// Turn and tilt of the head, -1 left or up … 1 right or down.
    pub head: Vec2,
    /// Weight of the smile, 0…1.
    pub smile: f32,
}

/// Turn of the head and weights of the face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeadAndFace {
    /// Left/right and up/down, -1…1.
    pub head: Vec2,
    /// Weights of the morph targets.
    pub face: [f32; 4],
}

impl HeadAndFace {
    /// Head and face as the scene has them.
    pub fn saved(saved: &SceneInstance) -> Self {
        let head = usable_head(Vec2::new(saved.head_left_right, saved.head_up_down));
        Self { head, face: usable_face((saved.face, saved.face_weight), saved.face_more) }
    }

    /// Head and face to come to: by orders first, then by the neighbour to look at, then as the scene has them.
    pub fn wanted(saved: &Self, orders: &Orders, look_at: Option<LookAt>) -> Self {
        let mut face = orders.face.map_or(saved.face, |ordered| usable_face(ordered, [0.0; 4]));
        let Some(look_at) = look_at else {
            return Self { head: orders.head.map_or(saved.head, usable_head), face };
        };
        let smile = usable_face((FaceExpression::Happy, look_at.smile), [0.0; 4]);
        for (shown, smile) in face.iter_mut().zip(smile) {
            *shown = shown.max(smile);
        }
        Self { head: orders.head.map_or(look_at.head, usable_head), face }
    }

    /// Approaches `wanted` by one step.
    pub fn follow(&mut self, wanted: &Self) {
        let step = |now: f32, to: f32, most: f32| now + (to - now).clamp(-most, most);
        let most = HEAD_PER_SEC * STEP_SECS;
        self.head = Vec2::new(step(self.head.x, wanted.head.x, most), step(self.head.y, wanted.head.y, most));
        for (now, to) in self.face.iter_mut().zip(wanted.face) {
            *now = step(*now, to, FACE_PER_SEC * STEP_SECS);
        }
    }
}

/// `x` between `low` and 1; 0 for what is no number.
fn usable(x: f32, low: f32) -> f32 {
    if x.is_finite() { x.clamp(low, 1.0) } else { 0.0 }
}

fn usable_head(head: Vec2) -> Vec2 {
    Vec2::new(usable(head.x, -1.0), usable(head.y, -1.0))
}

/// The weights of the morph targets that show an expression, and more of each.
fn usable_face((shown, weight): (FaceExpression, f32), more: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|i| {
        let own = if shown.to_file() == i as i64 + 1 && shown != FaceExpression::None { weight } else { 0.0 };
        usable(own, 0.0).max(usable(more[i], 0.0))
    })
}
