//! What a scene's enemies see, and what hides from them: covers along the mesh, floors, obstacles.

use super::level::LevelGeometry;
use crate::background::{BackgroundJob, Progress, Sources};
use crate::nav::mesh::NavMesh;
use crate::nav::tactical::{
    CoverId, CoverMap, CoverSettings, Enemy, MapSettings, ObstacleHeights, Threats, VisibilityModel, extract,
    floor_slabs,
};
use crate::scene::SceneNav;
use crate::scene::nav::{AreaRule, MarkWeights, PlacedObstacle, SightRule};
use glam::Vec3;
use std::sync::Arc;

/// Radius of destruction around a place, metres: covers on both sides of a thin wall are gone.
const DESTRUCTION_RADIUS: f32 = 1.5;
/// Further covers of a polygon where heights count, for floors above and below.
const FLOOR_COVERS: usize = 4;

/// Covers of a mesh.
#[derive(Clone, Debug)]
pub struct CoverView {
    /// Number of the mesh.
    pub mesh: u64,
    /// The covers, and which of them matter from each polygon.
    pub map: CoverMap,
    /// Whether floors are among them: where heights count.
    with_floors: bool,
    /// The covers of the level before anything was destroyed.
    whole: Arc<CoverMap>,
    /// Where covers were destroyed, world space.
    places: Vec<Vec3>,
    /// Covers that are gone, in ascending order.
    gone: Vec<CoverId>,
}

impl CoverView {
    /// Finds covers along the walls of a mesh: as high as the level's triangles beside them, in the world, or without a
    /// level as high as people; and with heights the floors that lie over one another.
    pub fn find(mesh: &NavMesh, level: Option<impl IntoIterator<Item = [Vec3; 3]>>, with_floors: bool) -> Self {
        let settings = CoverSettings::default();
        let covers = match level {
            Some(triangles) => {
                let obstacles = ObstacleHeights::new(triangles, mesh.origin());
                extract(mesh, &settings, |a, b, out| obstacles.height(a, b, out))
            }
            None => extract(mesh, &settings, |_, _, _| settings.standing_height),
        };
        let slabs = if with_floors { floor_slabs(mesh) } else { Vec::new() };
        let usual = MapSettings::default();
        let capacity = usual.capacity + if slabs.is_empty() { 0 } else { FLOOR_COVERS };
        let map = CoverMap::build(mesh, &covers, &slabs, MapSettings { capacity, ..usual });
        let whole = Arc::new(map.clone());
        Self { mesh: mesh.id(), whole, map, with_floors, places: Vec::new(), gone: Vec::new() }
    }

    /// What it was made from: the mesh's number, and whether heights count.
    pub fn key(&self) -> (u64, bool) {
        (self.mesh, self.with_floors)
    }

    /// Whether these are the covers of a mesh as a scene wants them.
    fn fits(&self, mesh: &NavMesh, nav: &SceneNav) -> bool {
        self.key() == (mesh.id(), nav.sight.heights)
    }

    /// Takes away the covers at these places and puts back all others. What is taken away costs a choice among the
    /// rest in the polygons that it mattered to; only what comes back begins from a copy of the whole map.
    pub fn destroy_at(&mut self, mesh: &NavMesh, places: &[Vec3]) {
        let near = |p: &Vec3| self.whole.segments_near(mesh.local(p.as_dvec3()), DESTRUCTION_RADIUS);
        let mut gone: Vec<CoverId> = places.iter().flat_map(near).collect();
        gone.sort_unstable();
        gone.dedup();
        if self.gone.iter().any(|c| gone.binary_search(c).is_err()) {
            self.map = CoverMap::clone(&self.whole);
        }
        for cover in &gone {
            self.map.remove(mesh, *cover);
        }
        (self.places, self.gone) = (places.to_vec(), gone);
    }

    /// What a scene's enemies see; `None` without enemies, or when these are the covers of another mesh.
    pub fn seen_by(&self, nav: &SceneNav, mesh: &NavMesh) -> Option<Threats> {
        if nav.threats.is_empty() || !self.fits(mesh, nav) {
            return None;
        }
        let enemies: Vec<Enemy> = nav.threats.iter().map(|t| Enemy::at(mesh.local(t.as_dvec3()))).collect();
        let mut threats = Threats::new(&self.map, &enemies, visibility_model(nav));
        for obstacle in nav.obstacles.iter().filter(|o| !o.open) {
            let (mut outline, height) = obstacle.shape.outline();
            outline.iter_mut().for_each(|p| *p = mesh.local(p.as_dvec3()));
            threats.add_obstacle(&outline, height, &CoverSettings::default(), self.map.settings().reach);
        }
        Some(threats)
    }
}

/// Heights of standing and of ducking characters, metres.
const BODY_HEIGHTS: [f32; 2] = [1.8, 0.9];
/// Depth of walls below the ground beside them, metres: there is no view under a railing.
const SKIRT: f32 = 1.0;

/// The visibility model of a scene.
fn visibility_model(nav: &SceneNav) -> VisibilityModel {
    if nav.sight.heights {
        VisibilityModel::Solid { body_height: BODY_HEIGHTS[usize::from(nav.sight.ducked)], skirt: SKIRT }
    } else {
        VisibilityModel::Flat { crouching: nav.sight.ducked }
    }
}

/// What covers are found from.
#[derive(Clone, Debug)]
struct CoverSources {
    mesh: Arc<NavMesh>,
    level: Option<Arc<LevelGeometry>>,
    with_floors: bool,
}

impl Sources for CoverSources {
    type Built = Option<Arc<CoverView>>;
    const NAME: &str = "cover";

    fn same(&self, other: &Self) -> bool {
        self.mesh.id() == other.mesh.id()
            && self.with_floors == other.with_floors
            && is_same_level(self.level.as_ref(), other.level.as_ref())
    }

    fn build(&self, _: &Progress) -> Self::Built {
        let triangles = self.level.as_ref().map(|level| level.triangles().iter().map(|t| t.points));
        Some(Arc::new(CoverView::find(&self.mesh, triangles, self.with_floors)))
    }
}

/// Whether covers beside walls are as high: the levels are the same one, or there is none.
fn is_same_level(a: Option<&Arc<LevelGeometry>>, b: Option<&Arc<LevelGeometry>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// What [`Threats`] depend on.
#[derive(Clone, Debug, PartialEq)]
struct ThreatKey {
    threats: Vec<Vec3>,
    obstacles: Vec<PlacedObstacle>,
    destroyed: Vec<Vec3>,
    sight: SightRule,
    bias: f32,
    areas: Vec<AreaRule>,
    weights: MarkWeights,
    /// Id of the mesh of the covers, and whether floors are among them.
    cover: Option<(u64, bool)>,
    /// How often covers have been extracted.
    extractions: u64,
}

impl ThreatKey {
    fn new(nav: &SceneNav, cover: Option<&Arc<CoverView>>, extractions: u64) -> Self {
        Self {
            threats: nav.threats.clone(),
            // Obstacles hide from enemies; without enemies they change nothing here.
            obstacles: if nav.threats.is_empty() { Vec::new() } else { nav.obstacles.clone() },
            destroyed: nav.destroyed.clone(),
            sight: nav.sight,
            bias: nav.bias,
            areas: nav.areas.clone(),
            weights: nav.weights.clone(),
            cover: cover.map(|c| c.key()),
            extractions,
        }
    }
}

/// What a reconcile changed about the costs that paths are chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostChange {
    /// Nothing.
    None,
    /// What enemies see, which the tactical planner alone weighs.
    Exposure,
    /// What ground costs, for every planner.
    Ground,
}

/// The covers of a scene's mesh and what its enemies see, kept in line with scene, mesh and level.
#[derive(Clone, Debug, Default)]
pub struct CoverState {
    view: Option<Arc<CoverView>>,
    /// The level that the covers were extracted beside; held, so that no other one has its address.
    level: Option<Arc<LevelGeometry>>,
    /// How often covers have been extracted.
    extractions: u64,
    threats: Option<Arc<Threats>>,
    key: Option<ThreatKey>,
    revision: u64,
    builder: BackgroundJob<CoverSources>,
}

impl CoverState {
    /// A state whose covers are extracted on another thread.
    pub fn in_background() -> Self {
        Self { builder: BackgroundJob::in_background(), ..Self::default() }
    }

    /// The mesh's covers, once they are extracted; only scenes with threats have them.
    pub fn view(&self) -> Option<&Arc<CoverView>> {
        self.view.as_ref()
    }

    /// What the scene's enemies see; none without enemies.
    pub fn threats(&self) -> Option<&Arc<Threats>> {
        self.threats.as_ref()
    }

    /// A number that grows whenever [`threats`](Self::threats) change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether covers are being extracted.
    pub fn is_building(&self) -> bool {
        self.builder.is_running()
    }

    /// Brings covers and threats in line with a scene, its mesh without obstacles and its level.
    pub fn reconcile(
        &mut self,
        nav: &SceneNav,
        mesh: Option<&Arc<NavMesh>>,
        level: Option<&Arc<LevelGeometry>>,
    ) -> CostChange {
        self.extract(nav, mesh, level);
        let key = ThreatKey::new(nav, self.view.as_ref(), self.extractions);
        if self.key.as_ref() == Some(&key) {
            return CostChange::None;
        }
        // Covers are those of the mesh without obstacles; those hide by themselves.
        let seen = mesh.zip(self.view.as_ref()).and_then(|(mesh, cover)| cover.seen_by(nav, mesh));
        self.threats = seen.map(Arc::new);
        self.revision += 1;
        let before = self.key.replace(key);
        let same_ground = |k: ThreatKey| k.areas == nav.areas && k.weights == nav.weights && k.sight == nav.sight;
        if before.is_none_or(same_ground) { CostChange::Exposure } else { CostChange::Ground }
    }

    /// Extracts the covers of a mesh where a scene has threats.
    fn extract(&mut self, nav: &SceneNav, mesh: Option<&Arc<NavMesh>>, level: Option<&Arc<LevelGeometry>>) {
        let Some(mesh) = mesh.filter(|_| !nav.threats.is_empty()) else {
            self.builder.cancel();
            (self.view, self.level) = (None, None);
            return;
        };
        if self.view.as_ref().is_some_and(|c| c.fits(mesh, nav)) && is_same_level(self.level.as_ref(), level) {
            self.builder.cancel();
        } else {
            let with_floors = nav.sight.heights;
            let sources = CoverSources { mesh: mesh.clone(), level: level.cloned(), with_floors };
            if let Some(built) = self.builder.poll(&sources) {
                self.extractions += u64::from(built.is_some());
                (self.view, self.level) = (built, sources.level);
            }
        }
        let damaged = |c: &&mut Arc<CoverView>| c.mesh == mesh.id() && c.places != nav.destroyed;
        if let Some(cover) = self.view.as_mut().filter(damaged) {
            Arc::make_mut(cover).destroy_at(mesh, &nav.destroyed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon};
    use glam::DVec3;

    #[test]
    fn covers_are_those_of_the_level_that_comes_after_the_mesh() {
        let corners = [(0.0, 0.0), (0.0, 9.0), (9.0, 9.0), (9.0, 0.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let raw = RawMesh { vertices: corners.to_vec(), polygons: vec![RawPolygon::new([0_u32, 1, 2, 3])] };
        let mesh = Arc::new(raw.validate().unwrap());
        let nav = SceneNav { threats: vec![Vec3::new(1.0, 0.0, 1.0)], ..SceneNav::default() };
        let mut state = CoverState::default();
        assert_eq!(state.reconcile(&nav, Some(&mesh), None), CostChange::Exposure);
        let count = |state: &CoverState| state.view().unwrap().map.segments().count();
        assert!(count(&state) > 0, "without a level all walls are high");
        // One without any obstacle beside the mesh.
        let level = Arc::new(LevelGeometry::default());
        assert_eq!(state.reconcile(&nav, Some(&mesh), Some(&level)), CostChange::Exposure);
        assert_eq!(count(&state), 0);
        assert_eq!(state.reconcile(&nav, Some(&mesh), Some(&level)), CostChange::None);
        let elsewhere = Arc::new(LevelGeometry::default());
        assert_eq!(state.reconcile(&nav, Some(&mesh), Some(&elsewhere)), CostChange::Exposure);
    }
}
