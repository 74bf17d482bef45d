//! Contact between characters, level and each other.

pub mod debug;
pub mod ground;
pub mod octree;
pub mod settings;
pub mod tri_octree;
pub mod walls;
