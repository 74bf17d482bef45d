//! What is heard: music from a folder, steps by pace and ground, sounds of actions and places.
//!
//! [`Mixer`] plays all of it on a device, or renders it without one (see [`offline`]). It knows files, places in world
//! space and the listener, but no scenes and no windows. Nothing of it fails or blocks where there is no device.

mod bank;
mod decoding;
pub mod error;
pub mod listener;
mod mixer;
pub mod music;
pub mod offline;
pub mod playlist;
mod settings;
pub mod steps;

pub use listener::Listener;
pub use mixer::{Mixer, PlacedSound, SoundAt};
pub use music::MusicStatus;
pub use settings::{MusicCommand, SoundSettings};
pub use steps::{Footstep, GroundMaterial};

use kira::Decibels;

/// Extensions of sound files that are read.
pub const EXTENSIONS: &[&str] = &["wav", "ogg", "mp3", "flac"];

/// An amplitude, 0…1, as decibels.
fn decibels(amplitude: f32) -> Decibels {
    Decibels(20.0 * amplitude.clamp(1e-4, 1.0).log10())
}
