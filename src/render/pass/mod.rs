//! The passes of a frame, in order: poses and bone spheres (compute), shadows, scene (models, sky, dust, overlays), ambient
//! occlusion and bloom, pick, outline ids, tone mapping with the outline. Each owns its pipelines, targets and buffers.

pub mod bloom;
pub mod bone_spheres;
pub mod dust;
pub mod lines;
pub mod model;
pub mod occlusion;
mod occlusion_blur;
pub mod outline;
pub mod pick;
pub mod poses;
pub mod scene;
pub mod shadow;
pub mod sky;
mod sky_picture;
pub mod tonemap;
