//! What is drawn of models: what a view may show, and in shadow maps what may shade that.

use super::light::{Cascade, ShadowFall};
use crate::math::{Aabb, Frustum};
use glam::{Mat4, Vec3};

/// What culling knows of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelShape {
    /// Box around all poses, in model space.
    pub bounds: Aabb,
    /// Longest edge of its rest box, in model space; 0 without coarser levels of detail.
    pub extent: f32,
    /// Number of nodes, 0 when it is not skinned.
    pub nodes: u32,
    /// Number of joints, 0 when it is not skinned.
    pub joints: u32,
}

/// A view, for culling the meshes of a model one by one; all of it in one space, that of their boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshCulling {
    /// The view frustum.
    pub frustum: Frustum,
    /// The eye: near meshes are drawn first, so that they hide others before those are shaded.
    pub eye: Vec3,
    /// What shadow maps leave out.
    pub shading: Option<MeshShading>,
}

/// Of a shadow map, what culling knows beside its frustum.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshShading {
    /// Where shadows fall.
    pub fall: ShadowFall,
    /// The view frustum of the picture, which they have to reach.
    pub picture: Frustum,
    /// The cascades before this one: what their maps hold all shadows of is not drawn again.
    pub before: Vec<Cascade>,
}

impl MeshCulling {
    /// The same in model space, where this one is relative to the eye.
    pub fn in_model(&self, relative_from_model: &Mat4) -> Self {
        let shading = self.shading.as_ref().map(|MeshShading { fall, picture, before }| MeshShading {
            fall: fall.in_space(relative_from_model),
            picture: picture.in_space(relative_from_model),
            before: before.iter().map(|cascade| cascade.in_space(relative_from_model)).collect(),
        });
        let eye = relative_from_model.inverse().transform_point3(self.eye);
        Self { frustum: self.frustum.in_space(relative_from_model), eye, shading }
    }

    /// Whether a mesh in this box may be seen, or shade what is.
    pub fn may_show(&self, bounds: &Aabb) -> bool {
        self.frustum.may_contain(bounds)
            && self.shading.as_ref().is_none_or(|MeshShading { fall, picture, before }| {
                let is_held = || before.iter().any(|cascade| cascade.holds_shadows_of(bounds));
                picture.may_contain(&fall.shaded_by(bounds)) && !is_held()
            })
    }
}
