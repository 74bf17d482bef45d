//! What the world derives from the levels of a scene: triangles, octree, contact surfaces, ground graph.

use crate::asset::level::{append_triangles, append_walk_meshes};
use crate::asset::{AssetState, AssetStore, LevelTriangle, Model, NodeTransforms};
use crate::background::{Progress, Sources};
use crate::collide::ground::ContactMesh;
use crate::collide::settings::ContactSettings;
use crate::collide::triangle_octree::TriangleOctree;
use crate::math::Aabb;
use crate::nav::ground::{Adjacency, GroundGraph, GroundSettings};
use crate::scene::{Scene, SceneLevel};
use std::sync::Arc;

/// The level that characters walk on. Immutable; rebuilt when its sources change.
#[derive(Debug, Default)]
pub struct Level {
    /// Triangles by place.
    pub octree: TriangleOctree,
    /// Triangles prepared for feet and walls.
    pub contact: ContactMesh,
    /// Walkable triangles as the original program links them, where a planner searches them.
    pub original: Option<Arc<GroundGraph>>,
    /// How characters touch it.
    pub settings: ContactSettings,
}

impl Level {
    /// Builds all parts from triangles in world space.
    pub fn build(triangles: &[LevelTriangle], sources: &LevelSources) -> Self {
        let contact = sources.contact();
        let original = sources.by_centers.then(|| {
            let settings = GroundSettings {
                slope_rad: contact.slope_rad,
                step_height: contact.step_height,
                adjacency: Adjacency::Original,
            };
            let graph = GroundGraph::build(triangles, &settings);
            graph.prepare();
            Arc::new(graph)
        });
        Self {
            octree: TriangleOctree::build(triangles, sources.octree_threshold, sources.octree_max_depth),
            contact: ContactMesh::build(triangles, &contact),
            original,
            settings: contact,
        }
    }

    /// The triangles.
    pub fn triangles(&self) -> &[LevelTriangle] {
        self.octree.triangles()
    }

    /// Box around the level.
    pub fn bounds(&self) -> Aabb {
        self.octree.bounds()
    }
}

impl Sources for LevelSources {
    type Built = Option<Arc<Level>>;
    const NAME: &str = "level";

    fn same(&self, other: &Self) -> bool {
        self.same(other)
    }

    fn build(&self, _: &Progress) -> Self::Built {
        self.build()
    }
}

/// All that the level depends on. Equal sources give equal levels.
#[derive(Clone, Debug, Default)]
pub struct LevelSources {
    parts: Vec<(Arc<SceneLevel>, Arc<Model>)>,
    /// Whether a planner searches the triangles as the original program links them.
    by_centers: bool,
    slope_deg: f32,
    step_height: f32,
    octree_threshold: u32,
    octree_max_depth: u32,
}

impl LevelSources {
    /// The sources of a scene's level; `None` while one of its files is still loading or has not been asked for.
    /// Files that cannot be had are left out.
    pub fn of(scene: &Scene, assets: &AssetStore) -> Option<Self> {
        let mut parts = Vec::with_capacity(scene.levels.len());
        for level in scene.levels.values() {
            match assets.find(&level.file).and_then(|id| assets.state(id))? {
                AssetState::Ready(model) => parts.push((level.clone(), model.clone())),
                AssetState::Failed(_) => {}
                AssetState::Loading => return None,
            }
        }
        let nav = &scene.settings.nav;
        Some(Self {
            parts,
            by_centers: scene.nav.planners().any(|planner| !planner.needs_mesh()),
            slope_deg: nav.ground_slope_deg,
            step_height: nav.max_step_height,
            octree_threshold: scene.settings.octree_threshold,
            octree_max_depth: scene.settings.octree_max_depth,
        })
    }

    /// Whether there is any geometry.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether both give the same level. Compares what is shared by address first.
    pub fn same(&self, other: &Self) -> bool {
        self.by_centers == other.by_centers
            && self.slope_deg.to_bits() == other.slope_deg.to_bits()
            && self.step_height.to_bits() == other.step_height.to_bits()
            && self.octree_threshold == other.octree_threshold
            && self.octree_max_depth == other.octree_max_depth
            && self.same_places(other)
    }

    /// Whether both have the same geometry at the same places, whatever the settings of the ground.
    pub fn same_places(&self, other: &Self) -> bool {
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|((la, ma), (lb, mb))| {
                Arc::ptr_eq(ma, mb) && (Arc::ptr_eq(la, lb) || la.world_from_model() == lb.world_from_model())
            })
    }

    /// Builds the level; `None` when there is no geometry.
    pub fn build(&self) -> Option<Arc<Level>> {
        if self.is_empty() {
            return None;
        }
        Some(Arc::new(Level::build(&self.triangles(), self))).filter(|level| !level.bounds().is_empty())
    }

    /// The level's triangles in world space.
    pub fn triangles(&self) -> Vec<LevelTriangle> {
        let mut out = Vec::new();
        for (level, model) in &self.parts {
            append_triangles(model, &level.world_from_model(), NodeTransforms::All, &mut out);
        }
        out
    }

    /// The triangles of the navigation meshes made by hand in the level's files, in world space.
    pub fn walk_meshes(&self) -> Vec<LevelTriangle> {
        let mut out = Vec::new();
        for (level, model) in &self.parts {
            append_walk_meshes(model, &level.world_from_model(), &mut out);
        }
        out
    }

    /// How characters touch the level.
    pub fn contact(&self) -> ContactSettings {
        let step = if self.step_height.is_finite() { self.step_height.clamp(0.0, 100.0) } else { 0.0 };
        let slope = if self.slope_deg.is_finite() { self.slope_deg.clamp(0.0, 90.0) } else { 0.0 };
        ContactSettings { slope_rad: slope.to_radians(), step_height: step }
    }
}
