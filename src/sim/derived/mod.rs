//! What is derived from a scene and its files, beside the frame in the window: the level's octree and contact surfaces,
//! the navigation mesh with its obstacles, the covers, the rigs of the models.

pub mod cover;
pub mod level;
pub mod model_rigs;
pub mod nav_mesh;
