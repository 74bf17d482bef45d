//! What hides somebody from a scene's enemies: covers along its mesh, its floors, its obstacles.

use crate::background::{Progress, Sources};
use crate::nav::cover::{
    CoverId, CoverMap, CoverSettings, Enemy, MapSettings, Obstacles, Sight, Threats, extract, floors,
};
use crate::nav::mesh::NavMesh;
use crate::scene::SceneNav;
use crate::sim::level::Level;
use crate::sim::placed::obstacle_outline;
use glam::Vec3;
use std::sync::Arc;

/// Covers that pass a place of destruction within this distance are gone: both sides of a thin wall, metres.
const BLAST: f32 = 1.5;
/// How many covers more a polygon has where heights count, for floors above and below.
const FOR_FLOORS: usize = 4;

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
    pub(super) places: Vec<Vec3>,
    /// Those that are gone, in ascending order.
    gone: Vec<CoverId>,
}

impl CoverView {
    /// Finds covers along the walls of a mesh: as high as the level's triangles beside them, in the world, or without a
    /// level as high as people; and with heights the floors that lie over one another.
    pub fn find(mesh: &NavMesh, level: Option<impl IntoIterator<Item = [Vec3; 3]>>, with_floors: bool) -> Self {
        let settings = CoverSettings::default();
        let covers = match level {
            Some(triangles) => {
                let obstacles = Obstacles::new(triangles, mesh.origin());
                extract(mesh, &settings, |a, b, out| obstacles.height(a, b, out))
            }
            None => extract(mesh, &settings, |_, _, _| settings.standing_height),
        };
        let slabs = if with_floors { floors(mesh) } else { Vec::new() };
        let usual = MapSettings::default();
        let capacity = usual.capacity + if slabs.is_empty() { 0 } else { FOR_FLOORS };
        let map = CoverMap::build(mesh, &covers, &slabs, MapSettings { capacity, ..usual });
        let whole = Arc::new(map.clone());
        Self { mesh: mesh.id(), whole, map, with_floors, places: Vec::new(), gone: Vec::new() }
    }

    /// What it was made from: the mesh's number, and whether heights count.
    pub(super) fn key(&self) -> (u64, bool) {
        (self.mesh, self.with_floors)
    }

    /// Whether these are the covers of a mesh as a scene wants them.
    pub(super) fn fits(&self, mesh: &NavMesh, nav: &SceneNav) -> bool {
        self.key() == (mesh.id(), nav.sight.heights)
    }

    /// Takes away the covers at these places and puts back all others. What is taken away costs a choice among the
    /// rest in the polygons that it mattered to; only what comes back begins from a copy of the whole map.
    pub fn destroy_at(&mut self, mesh: &NavMesh, places: &[Vec3]) {
        let near = |p: &Vec3| self.whole.segments_near(mesh.local(p.as_dvec3()), BLAST);
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
        let mut threats = Threats::new(mesh, &self.map, &enemies, sight(nav));
        for obstacle in nav.obstacles.iter().filter(|o| !o.open) {
            let (mut outline, height) = obstacle_outline(&obstacle.shape);
            outline.iter_mut().for_each(|p| *p = mesh.local(p.as_dvec3()));
            threats.hide_behind(&outline, height, &CoverSettings::default(), self.map.settings().reach);
        }
        Some(threats)
    }
}

/// How high characters are who stand, and who duck, metres.
const BODY_HEIGHTS: [f32; 2] = [1.8, 0.9];
/// How far walls go on below the ground beside them, metres: no one looks through under a railing.
const SKIRT: f32 = 1.0;

/// How a scene judges cover.
fn sight(nav: &SceneNav) -> Sight {
    if nav.sight.heights {
        Sight::Solid { body_height: BODY_HEIGHTS[usize::from(nav.sight.ducked)], skirt: SKIRT }
    } else {
        Sight::Flat { crouching: nav.sight.ducked }
    }
}

/// What covers are found from.
#[derive(Clone, Debug)]
pub(super) struct CoverSources {
    pub(super) mesh: Arc<NavMesh>,
    pub(super) level: Option<Arc<Level>>,
    pub(super) with_floors: bool,
}

impl Sources for CoverSources {
    type Built = Option<Arc<CoverView>>;
    const NAME: &str = "cover";

    fn same(&self, other: &Self) -> bool {
        self.mesh.id() == other.mesh.id() && self.with_floors == other.with_floors
    }

    fn build(&self, _: &Progress) -> Self::Built {
        let triangles = self.level.as_ref().map(|level| level.triangles().iter().map(|t| t.points));
        Some(Arc::new(CoverView::find(&self.mesh, triangles, self.with_floors)))
    }
}
