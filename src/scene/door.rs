//! Instances that move between two places: doors, drawbridges, lifts, and the buttons that open them.

use crate::vocab::labelled;
use glam::Vec3;
use serde::{Deserialize, Serialize};

labelled! {
    /// What opens a door.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum DoorTrigger: label {
        /// A character that comes near. It bars no way on the navigation mesh.
        #[default]
        Near = "When someone is near",
        /// A character that interacts within reach, or a button. While it is shut it bars the way.
        Used = "When it is used",
        /// It is a button: a character that interacts within reach presses it, and it uses doors.
        Button = "It is a button",
    }
}

/// How an instance moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneDoor {
    /// What opens it.
    pub trigger: DoorTrigger,
    /// Shift from shut to open, along its own axes, metres.
    pub shift: Vec3,
    /// Turn from shut to open about the up axis at its origin, degrees.
    pub turn: f32,
    /// Time from shut to open, seconds.
    pub secs: f32,
    /// How near a character has to be, metres.
    pub reach: f32,
    /// How long it stays open once it is open, and after the last character has gone where it opens by itself, seconds;
    /// one that is used stays open until it is used again where this is 0.
    pub stays_open: f32,
    /// Name of the instances that a button uses; empty for all doors within its reach.
    pub opens: String,
}

impl Default for SceneDoor {
    fn default() -> Self {
        Self {
            trigger: DoorTrigger::Near,
            shift: Vec3::ZERO,
            turn: 90.0,
            secs: 0.8,
            reach: 2.5,
            stays_open: 1.0,
            opens: String::new(),
        }
    }
}
