//! Which transforms of its file a model is shown with: all, as the formats say, or the root's alone, as the original
//! program shows models without clips.

use super::{ClipSources, Model};
use crate::math::Trs;

/// Which transforms of a file count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeTransforms {
    /// Those of all nodes, and the units and axes of the file.
    #[default]
    All,
    /// As in the original program: the root's alone for what has no clips, and neither units nor axes of an FBX file.
    RootOnly,
    /// Those of all nodes, but neither units nor axes of an FBX file: levels as in the original program.
    Unconverted,
}

/// A model file by its name in a scene, and how it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelFile<'a> {
    /// Name, relative to the scene's root.
    pub file: &'a str,
    /// Which transforms of it count.
    pub transforms: NodeTransforms,
    /// Files whose clips it plays besides its own.
    pub clips: &'a ClipSources,
}

impl<'a> From<&'a str> for ModelFile<'a> {
    fn from(file: &'a str) -> Self {
        Self { file, transforms: NodeTransforms::All, clips: ClipSources::NONE }
    }
}

impl<'a> From<&'a String> for ModelFile<'a> {
    fn from(file: &'a String) -> Self {
        file.as_str().into()
    }
}

impl Model {
    /// The model with other transforms; `self` has all.
    #[must_use]
    pub fn with_transforms(mut self, transforms: NodeTransforms) -> Self {
        if transforms == NodeTransforms::All {
            return self;
        }
        if let (Some(stored), Some(root)) = (self.stored_root, self.skeleton.rest.first_mut()) {
            *root = stored;
        }
        if transforms == NodeTransforms::RootOnly && self.clips.is_empty() {
            self.skeleton.rest.iter_mut().skip(1).for_each(|rest| *rest = Trs::IDENTITY);
            self.meshes.iter_mut().for_each(|mesh| mesh.skin.clear());
            self.joints.clear();
        }
        self.rest_bounds = self.compute_rest_bounds();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Clip, Mesh, Skeleton, Vertex};
    use crate::ids::NodeId;
    use glam::{Quat, Vec3};

    /// A pole that its two nodes turn and turn back, under a root that makes it smaller.
    fn pole() -> Model {
        let turn = |angle: f32| Trs { rotation: Quat::from_rotation_x(angle), ..Trs::IDENTITY };
        let scaled = Trs { scale: Vec3::splat(0.01), ..Trs::IDENTITY };
        Model {
            skeleton: Skeleton {
                names: vec!["root".into(), "a".into()],
                parents: vec![None, Some(NodeId(0))],
                rest: vec![scaled, turn(std::f32::consts::FRAC_PI_2)],
            },
            meshes: vec![Mesh {
                node: NodeId(1),
                vertices: [Vec3::ZERO, Vec3::Y].map(|position| Vertex { position, ..Vertex::default() }).to_vec(),
                ..Mesh::default()
            }],
            stored_root: Some(Trs::IDENTITY),
            ..Model::default()
        }
    }

    #[test]
    fn a_model_without_clips_has_the_roots_transform_alone() {
        let all = pole().with_transforms(NodeTransforms::All);
        assert!(all.compute_rest_bounds().max.distance(Vec3::Z * 0.01) < 1e-5);
        let root_only = pole().with_transforms(NodeTransforms::RootOnly);
        assert!(root_only.rest_bounds.max.distance(Vec3::Y) < 1e-5, "{:?}", root_only.rest_bounds);
        let unconverted = pole().with_transforms(NodeTransforms::Unconverted);
        assert!(unconverted.rest_bounds.max.distance(Vec3::Z) < 1e-5, "{:?}", unconverted.rest_bounds);
    }

    #[test]
    fn animated_models_keep_nodes_but_not_file_units() {
        let moving = Model { clips: vec![Clip::default()], ..pole() };
        let shown = moving.with_transforms(NodeTransforms::RootOnly);
        assert!(shown.rest_bounds.max.distance(Vec3::Z) < 1e-5, "{:?}", shown.rest_bounds);
    }
}
