//! Contact between characters, level and each other.

pub mod tri_octree;
