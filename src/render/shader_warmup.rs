//! Content that exercises the pipelines of every first frame: one pose, an empty picture, and a pick and outline of a
//! character and a box.

use super::RenderError;
use super::compute::model_animation::ModelAnimation;
use super::compute::pose_buffers::BatchRange;
use super::cube;
use super::frame::{FrameData, InstanceDraw, ModelDraws, Outlines, Placeholder, static_instance};
use super::pass::poses::PosePass;
use super::upload::UploadContext;
use crate::asset::{AssetStore, Joint, Model, SkinVertex};
use crate::camera::{Lens, View};
use crate::ids::NodeId;
use glam::{Mat4, Vec3};

/// Size of the picture. Not a power of two: drivers compile a separate variant for those.
const SIZE_PX: [u32; 2] = [48, 27];

/// The cube with a joint.
fn model() -> Model {
    let joint = Joint { node: NodeId(0), node_from_mesh: Mat4::IDENTITY };
    Model { joints: vec![joint], ..cube::model() }
}

/// Commands that compute one pose.
///
/// # Errors
/// Never in practice: the buffers hold one job.
pub fn record_pose(upload: UploadContext<'_>, poses: &PosePass) -> Result<wgpu::CommandBuffer, RenderError> {
    let mut animation = ModelAnimation::new(upload, &model());
    let range = BatchRange { job_count: 1, ..BatchRange::default() };
    animation.upload(upload, &poses.buffers, &range)?;
    let mut encoder = upload.device.create_command_encoder(&Default::default());
    animation.record(&mut encoder.begin_compute_pass(&Default::default()), poses.pipelines(), &range);
    Ok(encoder.finish())
}

/// A picture of the sky.
pub fn empty_frame() -> FrameData {
    let aspect = SIZE_PX[0] as f32 / SIZE_PX[1] as f32;
    let view = View::new(Vec3::Y, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, aspect);
    FrameData::of_sky(SIZE_PX, &view)
}

/// A frame with a pick request and outlines around a character and a box, and the assets it refers to.
pub fn character_frame() -> (AssetStore, FrameData) {
    let mut model = model();
    for mesh in &mut model.meshes {
        let skin = SkinVertex { joints: [0; 4], weights: [1.0, 0.0, 0.0, 0.0] };
        mesh.skin = vec![skin; mesh.vertices.len()];
    }
    let mut assets = AssetStore::default();
    let asset = assets.insert("character", model);
    let world_from_model = Mat4::from_translation(Vec3::new(-0.5, 0.5, -3.0));
    let instance = InstanceDraw { pick: 1, ..static_instance(world_from_model) };
    let frame = FrameData {
        models: vec![ModelDraws { asset, instances: vec![instance] }],
        placeholders: vec![Placeholder { world_from_model, color: [1.0; 4], pick: 1 }],
        pick: Some(SIZE_PX.map(|px| px / 2)),
        outlines: Outlines { kinds: vec![0, 1], width_px: 1.0, ..Outlines::default() },
        ..empty_frame()
    };
    (assets, frame)
}
