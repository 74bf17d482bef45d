//! Poses on the device: clip sampling, forward kinematics and skinning matrices. Each shader has a CPU twin in `anim` or
//! `collide` of the same name.

pub mod bone_spheres;
pub mod leg_ik;
pub mod local_to_model;
pub mod model_animation;
pub mod pipelines;
pub mod pose_buffers;
pub mod sample;
