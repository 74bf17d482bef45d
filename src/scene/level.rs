//! A level entry of the scene.

use glam::{Mat4, Vec3};

/// A model file placed as level geometry.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneLevel {
    /// Name for people.
    pub name: String,
    /// Path relative to the folder above `config/`, with forward slashes.
    pub file: String,
    /// Position in world space, metres.
    pub position: Vec3,
    /// Rotation in degrees about x, y, z; applied x first, then y, then z.
    pub rotation_deg: Vec3,
    /// Uniform scale.
    pub scale: f32,
    /// Whether the file has Z up.
    pub swap_axes: bool,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: super::extra::Extra,
}

impl Default for SceneLevel {
    fn default() -> Self {
        Self {
            name: String::new(),
            file: String::new(),
            position: Vec3::ZERO,
            rotation_deg: Vec3::ZERO,
            scale: 1.0,
            swap_axes: false,
            extra: super::extra::Extra::new(),
        }
    }
}

impl SceneLevel {
    /// World space from the model space of the level's file.
    pub fn world_from_model(&self) -> Mat4 {
        super::instance::placement(self.position, self.rotation_deg, self.scale, self.swap_axes)
    }
}
