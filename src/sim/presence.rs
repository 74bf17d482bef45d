//! What the step's bookkeeping and contacts need to know of an instance, side by side for all.

use crate::math::Aabb;

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

/// An instance as others see it, at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Presence {
    /// What it can do.
    pub role: Role,
    /// Whether it touches another instance.
    pub touching: bool,
    /// Whether it has a target, or did until now.
    pub on_errand: bool,
    /// Whether events wait at it to be collected.
    pub stirred: bool,
    /// The box around it; empty where that was not asked for.
    pub bounds: Aabb,
}
