//! The level of a scene: its triangles, their search tree, contact surfaces and ground graph.

use crate::asset::level::{append_triangles, append_walk_meshes};
use crate::asset::{AssetState, AssetStore, LevelTriangle, Model, NodeTransforms};
use crate::background::{BackgroundJob, Progress, Sources};
use crate::collide::ground::ContactMesh;
use crate::collide::settings::ContactSettings;
use crate::collide::triangle_tree::{TriangleTree, TriangleTreeSettings};
use crate::math::Aabb;
use crate::nav::mesh::from_level::GroundSettings;
use crate::nav::original::GroundGraph;
use crate::scene::{Scene, SceneLevel};
use crate::sim::level_parts::LevelParts;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The level that characters walk on. Immutable; rebuilt when its sources change.
#[derive(Debug, Default)]
pub struct LevelGeometry {
    /// Triangles by place.
    pub tree: TriangleTree,
    /// Triangles prepared for feet and walls, once they are needed.
    contact: OnceLock<ContactMesh>,
    /// Walkable triangles as the original program links them, where a planner searches them.
    pub original: Option<Arc<GroundGraph>>,
    /// How characters touch it.
    pub settings: ContactSettings,
    /// How long it took to find walkable ground and its neighbours, milliseconds.
    pub ground_ms: f32,
}

impl LevelGeometry {
    /// Builds all parts from triangles in world space.
    pub fn build(triangles: Vec<LevelTriangle>, sources: &LevelSources) -> Self {
        let (contact, start) = (sources.contact(), Instant::now());
        let original = sources.by_centers.then(|| {
            let settings = GroundSettings { slope_rad: contact.slope_rad, step_height: contact.step_height };
            let graph = GroundGraph::build(&triangles, &settings);
            graph.prepare();
            Arc::new(graph)
        });
        let mut ground_ms = start.elapsed().as_secs_f32() * 1e3;
        let tree = TriangleTree::build(triangles, sources.tree);
        let level = Self { tree, original, settings: contact, ..Self::default() };
        if !sources.is_only_seen {
            let start = Instant::now();
            level.contact();
            ground_ms += start.elapsed().as_secs_f32() * 1e3;
        }
        Self { ground_ms, ..level }
    }

    /// The triangles, prepared for feet and walls.
    pub fn contact(&self) -> &ContactMesh {
        self.contact.get_or_init(|| ContactMesh::build(self.triangles(), &self.settings))
    }

    /// The triangles.
    pub fn triangles(&self) -> &[LevelTriangle] {
        self.tree.triangles()
    }

    /// Box around the level.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }
}

impl Sources for LevelSources {
    type Built = Option<Arc<LevelGeometry>>;
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
    tree: TriangleTreeSettings,
    /// Whether it is drawn and no more, so that surfaces for feet are made when they are first asked for. Changes no result.
    is_only_seen: bool,
}

impl LevelSources {
    /// The sources of the parts that are there of a scene's level; `None` while one of its files is still loading or has not been asked for.
    /// Files that cannot be had are left out.
    pub fn from_scene(scene: &Scene, assets: &AssetStore, shown: &LevelParts) -> Option<Self> {
        let mut parts = Vec::with_capacity(scene.levels.len());
        for (_, level) in scene.levels.iter().filter(|(id, _)| shown.is_there(*id)) {
            match assets.find(level).and_then(|id| assets.state(id))? {
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
            tree: scene.settings.triangle_tree(),
            is_only_seen: false,
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
            && self.tree == other.tree
            && self.same_places(other)
    }

    /// Whether both have the same geometry at the same places, whatever the settings of the ground.
    pub fn same_places(&self, other: &Self) -> bool {
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|((la, ma), (lb, mb))| {
                Arc::ptr_eq(ma, mb) && (Arc::ptr_eq(la, lb) || la.world_from_model() == lb.world_from_model())
            })
    }

    /// The boxes around the parts that another level has not, or has elsewhere, and around those that it has and this one
    /// has not.
    pub fn changed_since(&self, other: &Self) -> Vec<Aabb> {
        let is_same = |(la, ma): &(Arc<SceneLevel>, Arc<Model>), (lb, mb): &(Arc<SceneLevel>, Arc<Model>)| {
            Arc::ptr_eq(ma, mb) && (Arc::ptr_eq(la, lb) || la.world_from_model() == lb.world_from_model())
        };
        let without = |ours: &[(Arc<SceneLevel>, Arc<Model>)], theirs: &[(Arc<SceneLevel>, Arc<Model>)]| {
            let only = ours.iter().filter(|part| !theirs.iter().any(|other| is_same(part, other)));
            only.map(|(level, model)| model.rest_bounds.transformed(&level.world_from_model())).collect::<Vec<_>>()
        };
        [without(&self.parts, &other.parts), without(&other.parts, &self.parts)].concat()
    }

    /// Whether one has all parts of the other at the same places, and more.
    fn is_extension(&self, other: &Self) -> bool {
        let has = |(lb, mb): &(Arc<SceneLevel>, Arc<Model>)| {
            let is_it = |(la, ma): &(Arc<SceneLevel>, Arc<Model>)| {
                Arc::ptr_eq(ma, mb) && la.world_from_model() == lb.world_from_model()
            };
            self.parts.iter().any(is_it)
        };
        !other.parts.is_empty() && self.parts.len() > other.parts.len() && other.parts.iter().all(has)
    }

    /// Builds the level; `None` when there is no geometry.
    pub fn build(&self) -> Option<Arc<LevelGeometry>> {
        if self.is_empty() {
            return None;
        }
        Some(Arc::new(LevelGeometry::build(self.triangles(), self))).filter(|level| !level.bounds().is_empty())
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

/// The level of a world, kept in line with its scene.
#[derive(Clone, Debug, Default)]
pub struct LevelState {
    current: Option<Arc<LevelGeometry>>,
    sources: Option<LevelSources>,
    job: BackgroundJob<LevelSources>,
    is_only_seen: bool,
}

impl LevelState {
    /// A state whose levels are built on another thread.
    pub fn in_background() -> Self {
        Self { job: BackgroundJob::in_background(), ..Self::default() }
    }

    /// A state whose levels are looked at: what feet need of them is made for the first that stand there.
    pub fn only_seen() -> Self {
        Self { is_only_seen: true, ..Self::default() }
    }

    /// The level; while another is being built, the one before.
    pub fn current(&self) -> Option<&Arc<LevelGeometry>> {
        self.current.as_ref()
    }

    /// Whether the scene's files are loaded, so that a level that is not there will not come.
    pub fn is_known(&self) -> bool {
        self.sources.is_some()
    }

    /// Whether the scene has no level.
    pub fn is_plane(&self) -> bool {
        self.current.is_none() && self.sources.as_ref().is_some_and(LevelSources::is_empty)
    }

    /// Whether a level is being built.
    pub fn is_building(&self) -> bool {
        self.job.is_running()
    }

    /// Brings the level in line with a scene. Returns whether there is another one, or none any more.
    pub fn reconcile(&mut self, scene: &Scene, assets: &AssetStore, shown: &LevelParts) -> bool {
        let sources = LevelSources::from_scene(scene, assets, shown)
            .map(|sources| LevelSources { is_only_seen: self.is_only_seen, ..sources });
        let is_same = match (&self.sources, &sources) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            self.job.cancel();
            return false;
        }
        let Some(sources) = sources else {
            self.job.cancel();
            self.sources = None;
            return self.current.take().is_some();
        };
        match self.job.poll(&sources) {
            Some(level) => {
                self.current = level;
                self.sources = Some(sources);
                true
            }
            // Other settings of the same ground, or parts that came or went: the old level serves meanwhile.
            None if self.sources.as_ref().is_some_and(|old| {
                old.same_places(&sources) || old.is_extension(&sources) || sources.is_extension(old)
            }) =>
            {
                false
            }
            None => {
                self.sources = None;
                self.current.take().is_some()
            }
        }
    }
}
