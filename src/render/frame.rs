//! The content of one frame, as plain data.

use super::named_morphs::NamedMorphs;
use super::types::OUTLINE_KINDS;
use crate::anim::Playback;
use crate::anim::inertialization::NodeOffset;
use crate::anim::leg_solve::UnsolvedLeg;
use crate::anim::sample::PoseOverride;
use crate::asset::AssetId;
use crate::camera::View;
use crate::collide::bone_spheres::SphereBone;
use crate::debug::{DebugDraw, Depth, Layer};
use crate::math::Ray;
use crate::scene::Environment;
use crate::sim::Grain;
use glam::{Mat4, Vec2, Vec3, Vec4};

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
    /// Far plane distance, metres; infinite in perspective.
    pub far: f32,
}

impl CameraFrame {
    /// Whether things become smaller with their distance.
    pub fn is_perspective(&self) -> bool {
        self.near > 0.0
    }

    /// The ray through a place of the picture, from -1 to 1 to the right and upwards; its parameters are depths behind the
    /// eye in perspective, behind the near plane otherwise.
    pub fn ray(&self, x: f32, y: f32) -> Ray {
        let relative_from_view = self.view_from_relative().inverse();
        let at = (self.half_size() * Vec2::new(x, y)).extend(0.0);
        let (from, aside) = if self.is_perspective() { (Vec3::ZERO, at) } else { (at.with_z(-self.near), Vec3::ZERO) };
        Ray {
            origin: self.position + relative_from_view.transform_vector3(from),
            direction: relative_from_view.transform_vector3(aside + Vec3::NEG_Z),
        }
    }

    /// View space from places relative to the eye, along the axes of world space: the view without its translation, which
    /// tens of kilometres from the origin would leave no digits for millimetres.
    pub fn view_from_relative(&self) -> Mat4 {
        Mat4 { w_axis: Vec4::W, ..self.view_from_world }
    }

    /// Clip space from places relative to the eye.
    pub fn clip_from_relative(&self) -> Mat4 {
        self.clip_from_view * self.view_from_relative()
    }

    /// A transform into world space as one into places relative to the eye.
    pub fn relative(&self, world_from_model: &Mat4) -> Mat4 {
        let place = world_from_model.w_axis - self.position.extend(0.0);
        Mat4 { w_axis: place, ..*world_from_model }
    }

    /// Pixels per metre at a distance from the eye, in a picture of this height in pixels.
    pub fn meter_px(&self, distance: f32, height_px: f32) -> f32 {
        let distance = if self.is_perspective() { distance.max(self.near) } else { 1.0 };
        self.clip_from_view.y_axis.y * height_px * 0.5 / distance
    }

    /// Half of what is seen across and upwards, metres: in perspective at a depth of one metre.
    pub fn half_size(&self) -> Vec2 {
        Vec2::new(self.clip_from_view.x_axis.x, self.clip_from_view.y_axis.y).recip()
    }
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
    /// Its transform.
    pub world_from_model: Mat4,
}

/// One instance of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceDraw {
    /// Its interpolated transform: a rotation with one scale along all axes.
    pub world_from_model: Mat4,
    /// Its pose.
    pub playback: Playback,
    /// Whether it may take the pose of another one that plays nearly the same, without overrides, offsets and legs.
    pub shares_pose: bool,
    /// Its pose overrides among those of the frame, as a half-open range.
    pub overrides: [u32; 2],
    /// What is left of its last transition: its node offsets among those of the frame, one per node, as a half-open range.
    pub offsets: [u32; 2],
    /// Its legs among those of the frame that the device solves, as a half-open range.
    pub legs: [u32; 2],
    /// Weights of the first four morph targets.
    pub face: [f32; 4],
    /// Morph targets that are shown by name.
    pub morphs: NamedMorphs,
    /// Number of its material variant among those of its model, from 1; 0 for none.
    pub material_variant: u32,
    /// Linear RGBA, 0 to 1, blended over its colour by the alpha.
    pub tint: [f32; 4],
    /// Id written into the pick target; 0 for none.
    pub pick: u32,
    /// Bones among those of the frame whose bounding spheres are drawn, as a half-open range.
    pub bones: [u32; 2],
    /// Whether the spheres are drawn as touching another character.
    pub touches: bool,
}

/// An instance without animation.
pub fn static_instance(world_from_model: Mat4) -> InstanceDraw {
    InstanceDraw {
        world_from_model,
        playback: Playback::default(),
        shares_pose: false,
        overrides: [0; 2],
        offsets: [0; 2],
        legs: [0; 2],
        face: [0.0; 4],
        morphs: NamedMorphs::default(),
        material_variant: 0,
        tint: [0.0; 4],
        pick: 0,
        bones: [0; 2],
        touches: false,
    }
}

/// All instances of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelDraws {
    /// The model.
    pub asset: AssetId,
    /// Its instances.
    pub instances: Vec<InstanceDraw>,
}

/// A box that stands in for an instance whose model is missing or loading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placeholder {
    /// World space from the space of the [box](super::cube::placeholder).
    pub world_from_model: Mat4,
    /// Linear RGBA.
    pub color: [f32; 4],
    /// As [`InstanceDraw::pick`].
    pub pick: u32,
}

/// Outlines around silhouettes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlines {
    /// By [`InstanceDraw::pick`]: index of the colour from 1; 0 and beyond the end for no outline.
    pub kinds: Vec<u8>,
    /// Linear RGBA.
    pub colors: [[f32; 4]; OUTLINE_KINDS],
    /// Width of the line in pixels.
    pub width_px: f32,
}

impl Outlines {
    /// The kind of outline of an instance by its id: from 1, or 0 for none.
    pub fn kind(&self, pick: u32) -> u32 {
        self.kinds.get(pick as usize).map_or(0, |kind| u32::from(*kind).min(OUTLINE_KINDS as u32))
    }
}

/// Everything that one frame draws.
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
    /// Pose overrides, see [`InstanceDraw::overrides`].
    pub overrides: Vec<PoseOverride>,
    /// Node offsets, see [`InstanceDraw::offsets`].
    pub offsets: Vec<NodeOffset>,
    /// Legs that the device solves, see [`InstanceDraw::legs`].
    pub legs: Vec<UnsolvedLeg>,
    /// Bones whose bounding spheres are drawn, see [`InstanceDraw::bones`].
    pub bones: Vec<SphereBone>,
    /// Boxes that stand in for missing models.
    pub placeholders: Vec<Placeholder>,
    /// Grains of dust.
    pub dust: Vec<Grain>,
    /// The pixel (from the left, from the top) to pick at; the result arrives at `Renderer::take_picked`.
    pub pick: Option<[u32; 2]>,
    /// Outlines.
    pub outlines: Outlines,
    /// Debug geometry.
    pub debug: DebugDraw,
    /// Depth mode of each of its layers; [`Depth::Tested`] without an entry.
    pub layer_depth: Vec<(Layer, Depth)>,
    /// Pixels per point of the display: factor on the widths of overlay lines.
    pub line_scale: f32,
    /// Depth up to which a perspective view shows nothing of the level, about: 0 where that is not known.
    pub open_depth: f32,
}

impl FrameData {
    /// A frame of the default sky and nothing else.
    pub fn of_sky(size_px: [u32; 2], view: &View) -> Self {
        Self {
            size_px,
            camera: view.into(),
            environment: Environment::of_new_scene(),
            levels: Vec::new(),
            models: Vec::new(),
            overrides: Vec::new(),
            offsets: Vec::new(),
            legs: Vec::new(),
            bones: Vec::new(),
            placeholders: Vec::new(),
            dust: Vec::new(),
            pick: None,
            outlines: Outlines::default(),
            debug: DebugDraw::default(),
            layer_depth: Vec::new(),
            line_scale: 1.0,
            open_depth: 0.0,
        }
    }
}
