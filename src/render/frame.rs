//! What one frame shows, as plain data.

pub use super::extract::{extract, pick_number};
use super::types::OUTLINE_KINDS;
use crate::anim::Playback;
use crate::anim::sample::PoseOverride;
use crate::asset::AssetId;
use crate::camera::View;
use crate::collide::bone_spheres::SphereBone;
use crate::debug::{DebugDraw, Depth, Layer};
use crate::scene::Environment;
use glam::{Mat4, Vec3};

/// The view of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraFrame {
    /// View space (right-handed, looking along -Z) from world space.
    pub view_from_world: Mat4,
    /// Clip space (depth 0…1) from view space.
    pub clip_from_view: Mat4,
    /// Eye in world space.
    pub position: Vec3,
    /// Near plane distance, metres.
    pub near: f32,
    /// Far plane distance, metres.
    pub far: f32,
}

impl From<&View> for CameraFrame {
    fn from(view: &View) -> Self {
        Self {
            view_from_world: view.view_from_world,
            clip_from_view: view.clip_from_view,
            position: view.position,
            near: view.near,
            far: view.far,
        }
    }
}

/// A level to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelDraw {
    /// Its model.
    pub asset: AssetId,
    /// Its place.
    pub world_from_model: Mat4,
}

/// One instance of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceDraw {
    /// Its interpolated place.
    pub world_from_model: Mat4,
    /// Its pose.
    pub playback: Playback,
    /// Which of the frame's changes to poses are its own: the first, and the one after the last.
    pub overrides: [u32; 2],
    /// Weights of the first four morph targets.
    pub face: [f32; 4],
    /// Linear RGBA laid over its colour by the alpha.
    pub tint: [f32; 4],
    /// Number written into the pick target; 0 is nothing.
    pub pick: u32,
    /// Which of the frame's bones have their bounding spheres drawn: the first, and the one after the last.
    pub bones: [u32; 2],
    /// Whether those are drawn as touching somebody.
    pub touches: bool,
}

/// All instances of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelDraws {
    /// The model.
    pub asset: AssetId,
    /// Its instances.
    pub instances: Vec<InstanceDraw>,
}

/// A box in place of an instance whose model is missing or still loading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placeholder {
    /// World space from the cube 0…1.
    pub world_from_cube: Mat4,
    /// Linear RGBA.
    pub color: [f32; 4],
    /// As [`InstanceDraw::pick`].
    pub pick: u32,
}

/// Around whose silhouettes a line is drawn, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlines {
    /// By [`InstanceDraw::pick`]: which of the colours the line has, from 1. 0, and none beyond the end, is no line.
    pub kinds: Vec<u8>,
    /// Linear RGBA.
    pub colors: [[f32; 4]; OUTLINE_KINDS],
    /// Width of the line in pixels.
    pub width_px: f32,
}

impl Outlines {
    /// The kind of the line around an instance, by its number: from 1, or 0 for none.
    pub fn kind(&self, pick: u32) -> u32 {
        self.kinds.get(pick as usize).map_or(0, |kind| u32::from(*kind).min(OUTLINE_KINDS as u32))
    }
}

/// Everything that one frame shows.
#[derive(Clone, Debug)]
pub struct FrameData {
    /// Size of the picture in physical pixels, at least 1 × 1.
    pub size_px: [u32; 2],
    /// The view.
    pub camera: CameraFrame,
    /// Sky, light, fog.
    pub environment: Environment,
    /// Levels.
    pub levels: Vec<LevelDraw>,
    /// Instances by model.
    pub models: Vec<ModelDraws>,
    /// Changes to poses, see [`InstanceDraw::overrides`].
    pub overrides: Vec<PoseOverride>,
    /// Bones whose bounding spheres are drawn, see [`InstanceDraw::bones`].
    pub bones: Vec<SphereBone>,
    /// Boxes in place of models that are missing or still loading.
    pub placeholders: Vec<Placeholder>,
    /// The pixel (from the left, from the top) of which is asked who is drawn there: [`super::Renderer::take_picked`].
    pub pick: Option<[u32; 2]>,
    /// Who is outlined.
    pub outlines: Outlines,
    /// Debug geometry.
    pub debug: DebugDraw,
    /// How each layer of it treats depth; [`Depth::Tested`] when not named.
    pub layer_depth: Vec<(Layer, Depth)>,
}

impl FrameData {
    /// A frame of the usual sky and nothing else.
    pub fn of_sky(size_px: [u32; 2], view: &View) -> Self {
        Self {
            size_px,
            camera: view.into(),
            environment: Environment::of_new_scene(),
            levels: Vec::new(),
            models: Vec::new(),
            overrides: Vec::new(),
            bones: Vec::new(),
            placeholders: Vec::new(),
            pick: None,
            outlines: Outlines::default(),
            debug: DebugDraw::default(),
            layer_depth: Vec::new(),
        }
    }
}
