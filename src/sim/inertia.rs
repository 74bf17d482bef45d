//! What is left of the last transition of a character's animation: offsets that keep place and velocity of its joints.

use crate::anim::inertialization::{InertiaAt, Inertialization};

/// The offsets since a character's last transition.
#[derive(Clone, Debug)]
pub struct Inertia {
    offsets: Inertialization,
    /// Time from the transition to the last step, seconds.
    secs: f32,
}

impl Inertia {
    /// The offsets of a transition that begins now.
    pub fn new(offsets: Inertialization) -> Self {
        Self { offsets, secs: 0.0 }
    }

    /// Advances by a step.
    pub fn advance(&mut self, dt_secs: f32) {
        self.secs += dt_secs;
    }

    /// Whether nothing is left of them.
    pub fn is_over(&self) -> bool {
        self.offsets.is_over(self.secs)
    }

    /// The offsets so long after the last step, seconds; before it below zero.
    pub fn at(&self, after_secs: f32) -> InertiaAt<'_> {
        InertiaAt { offsets: &self.offsets, secs: (self.secs + after_secs).max(0.0) }
    }
}
