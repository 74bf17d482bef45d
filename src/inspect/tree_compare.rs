//! What each kind of search tree costs over the scene's level, measured on another thread.

use crate::background::{BackgroundJob, Progress, Sources};
use crate::collide::triangle_tree::{TriangleTreeCost, TriangleTreeKind, TriangleTreeSettings, measure};
use crate::scene::Scene;
use crate::sim::{LevelGeometry, World};
use std::sync::Arc;

/// A level, and the settings of the trees that are built over it.
#[derive(Clone, Debug)]
struct ComparedTrees {
    level: Arc<LevelGeometry>,
    settings: TriangleTreeSettings,
}

impl Sources for ComparedTrees {
    type Built = Vec<(TriangleTreeKind, TriangleTreeCost)>;
    const NAME: &str = "search trees";

    fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.level, &other.level) && self.settings == other.settings
    }

    fn build(&self, _: &Progress) -> Self::Built {
        let cost = |kind| measure(self.level.triangles(), TriangleTreeSettings { kind, ..self.settings });
        TriangleTreeKind::ALL.iter().map(|&kind| (kind, cost(kind))).collect()
    }
}

/// Measures both kinds of search tree over the scene's level when asked to.
#[derive(Clone, Debug, Default)]
pub struct TreeCompare {
    job: BackgroundJob<ComparedTrees>,
    /// What is being measured.
    asked: Option<ComparedTrees>,
    costs: Vec<(TriangleTreeKind, TriangleTreeCost)>,
}

impl TreeCompare {
    /// Measures on another thread.
    pub fn in_background() -> Self {
        Self { job: BackgroundJob::in_background(), ..Self::default() }
    }

    /// Measures the trees of the world's level; [`reconcile`](Self::reconcile) takes the result. Without a level there is
    /// nothing to measure.
    pub fn start(&mut self, world: &World, scene: &Scene) {
        let settings = scene.settings.triangle_tree();
        self.asked = world.level().map(|level| ComparedTrees { level: level.clone(), settings });
        self.costs.clear();
    }

    /// Takes the result once it is there.
    pub fn reconcile(&mut self) {
        if let Some(asked) = &self.asked
            && let Some(costs) = self.job.poll(asked)
        {
            (self.costs, self.asked) = (costs, None);
        }
    }

    /// Forgets what was measured: it is of another level.
    pub fn clear(&mut self) {
        self.job.cancel();
        self.asked = None;
        self.costs.clear();
    }

    /// Whether it is at work.
    pub fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// What each kind of tree cost over the level when that was asked last; empty before that.
    pub fn costs(&self) -> &[(TriangleTreeKind, TriangleTreeCost)] {
        &self.costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_all_kinds_come_once_and_go_with_the_level() {
        let mut trees = TreeCompare::default();
        trees.start(&World::default(), &Scene::default());
        assert!(!trees.is_busy(), "without a level nothing is waited for");
        let settings = TriangleTreeSettings { threshold: 4, max_depth: 4, ..TriangleTreeSettings::default() };
        trees.asked = Some(ComparedTrees { level: Arc::default(), settings });
        trees.reconcile();
        assert_eq!((trees.costs().len(), trees.is_busy()), (TriangleTreeKind::ALL.len(), false));
        trees.clear();
        assert!(trees.costs().is_empty());
    }
}
