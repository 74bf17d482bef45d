//! Collision: characters with the level, and with each other.

pub mod bone_spheres;
pub mod debug;
pub mod ground;
pub mod instance_octree;
pub mod interaction;
pub mod octree_cell;
pub mod settings;
pub mod triangle_bvh;
pub mod triangle_octree;
pub mod triangle_tree;
pub mod walls;
