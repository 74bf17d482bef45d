//! How a level was exported that has come in: its examination, on another thread.

use crate::asset::level::append_triangles;
use crate::asset::{Model, NodeTransforms};
use crate::background::{Progress, Sources};
use crate::nav::bake::BakeSettings;
use crate::nav::doctor::{AgentLimits, DoctorWatch, Finding, examine_export};
use crate::scene::SceneLevel;
use glam::Vec3;
use std::sync::Arc;

/// A level that has come in, and the bake whose agent it is examined for.
#[derive(Clone, Debug)]
pub(super) struct ImportedLevel {
    pub level: Arc<SceneLevel>,
    pub model: Arc<Model>,
    pub bake: BakeSettings,
}

impl Sources for ImportedLevel {
    type Built = Vec<Finding>;
    const NAME: &str = "level fit";

    fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.level, &other.level) && Arc::ptr_eq(&self.model, &other.model) && self.bake == other.bake
    }

    fn build(&self, progress: &Progress) -> Self::Built {
        let (limits, watch) = (AgentLimits::from(&self.bake), DoctorWatch::new(&|_| {}, progress.stop()));
        examine_export(&placed_triangles(&self.model, &self.level), &limits, &watch).unwrap_or_default()
    }
}

/// The triangles of a level where the scene places it.
pub(super) fn placed_triangles(model: &Model, level: &SceneLevel) -> Vec<[Vec3; 3]> {
    let mut triangles = Vec::new();
    append_triangles(model, &level.world_from_model(), NodeTransforms::All, &mut triangles);
    triangles.into_iter().map(|triangle| triangle.points).collect()
}
