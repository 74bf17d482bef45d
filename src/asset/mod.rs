//! Loaded assets: immutable models, shared by id.
//!
//! [`store::AssetStore`] owns them; [`import`] reads files through Assimp and ufbx, [`worker`] runs it in a child process
//! without rights ([`sandbox`]),
//! [`cache`] stores the result by content hash.

mod bone_numbers;
mod bytes;
pub mod cache;
pub mod clip;
pub mod clip_compression;
pub mod clip_edit;
mod clip_mirror;
pub mod clip_sources;
mod clip_trim;
mod dds;
mod downscale;
pub mod error;
pub mod fit_guess;
pub mod glb;
pub mod glb_model;
pub mod head;
pub mod human_bone;
pub mod humanoid;
pub mod image;
pub mod import;
#[cfg(windows)]
mod job;
mod ktx2;
pub mod level;
pub mod level_guess;
mod load_queue;
pub mod model;
pub mod packed_clip;
mod pixels;
pub mod retarget;
mod root_extraction;
pub mod root_track;
pub mod sandbox;
pub mod skeleton;
pub mod sky;
mod sole;
pub mod store;
pub mod track;
pub mod transforms;
pub mod worker;

pub use bone_numbers::BoneNumbers;
pub use clip::{Clip, CompressedClip, MorphTrack};
pub use clip_edit::ClipEdit;
pub use clip_sources::{ClipSource, ClipSources};
pub use error::AssetError;
pub use human_bone::{BoneNames, HumanBone};
pub use image::Image;
pub use level::LevelTriangle;
pub use model::{AlphaMode, Joint, Material, Mesh, MeshPurpose, Model, Morph, SkinVertex, Vertex};
pub use skeleton::Skeleton;
pub use sky::SkyPicture;
pub use store::{AssetId, AssetState, AssetStore, load_model};
pub use track::{Channel, Track};
pub use transforms::{ModelFile, NodeTransforms};
pub use worker::Importer;
