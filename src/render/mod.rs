//! Drawing: from plain frame data to pixels.

pub mod frame;

pub use frame::{CameraFrame, FrameData, InstanceDraw, LevelDraw, ModelDraws};
