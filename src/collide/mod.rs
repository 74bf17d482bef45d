//! Contact between characters, level and each other.

pub mod debug;
pub mod ground;
pub mod interact;
pub mod octree;
pub mod pairs;
pub mod settings;
pub mod tri_octree;
pub mod walls;
