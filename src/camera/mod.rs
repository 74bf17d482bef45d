//! Cameras: how each kind turns its settings into a view.
//!
//! This room sees neither scene nor world: callers hand in plain values and get a [`View`] back.

pub mod angles;
pub mod follow;
pub mod framing;
pub mod free;
pub mod mouse_look;
pub mod orbit;
pub mod projection;
pub mod rail;
pub mod shake;
pub mod spring_arm;

pub use angles::{MAX_ELEVATION_RAD, azimuth_elevation, direction};
pub use follow::{FirstPerson, Target, ThirdPerson};
pub use free::FreeCamera;
pub use mouse_look::MouseLook;
pub use orbit::Orbit;
pub use projection::{Lens, View};
pub use rail::{Rail, RailEnd};
pub use shake::Shake;
pub use spring_arm::SpringArm;
