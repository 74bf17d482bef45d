//! The systems of a step: functions over the instances and what they keep beside them, in the order of
//! [`step`](super::step).

pub mod behavior;
pub mod character_controller;
pub mod contact;
pub mod crowd_adapter;
pub mod doors;
pub mod events;
pub mod expression;
pub mod foot_ik;
pub mod inertialize;
pub mod interaction;
pub mod link_traversal;
pub mod locomotion;
pub mod look_at;
mod motion_matching;
pub mod motion_prediction;
pub mod navigation;
mod path_builder;
mod path_clearance;
mod path_progress;
pub mod path_repair;
pub mod path_requests;
mod path_smoothing;
pub mod plane;
mod triangle_paths;
