//! Obstacles on a navigation mesh: they appear, move and vanish while queries go on.
//!
//! A polygon that an obstacle covers in part is cut along the footprint's edges into convex pieces; the mesh is
//! patched in place, so that a change costs what lies around it and not the whole mesh (but where it parts or joins
//! islands: these are numbered anew by a flood over all polygons). All queries work on [`DynamicMesh::mesh`] as on any other.
//!
//! What holds after each change:
//! - no polygon holds a point inside an obstacle's footprint and heights; ground farther than a millimetre from all
//!   obstacles is as it was (on meshes that reach farther than 500 m from their middle, two millionths of that);
//! - a polygon that no obstacle touches keeps its number and outline; neighbours of a cut one may get more corners on
//!   the shared edge. A cut polygon is no longer live ([`NavMesh::is_live`]); its pieces have numbers after those of
//!   all others, and keep its surface, area, flags and [`NavMesh::source`];
//! - a polygon is cut where the surface under the footprint comes between the obstacle's heights;
//! - when the last obstacle is gone, the mesh equals the first in every number.
//!
//! Numbers of polygons and edges that were kept from before a change hold only for polygons that are not pieces:
//! look places up anew when [`NavMesh::id`] is another.

mod check;
mod cut;
mod islands;
mod patch;
mod shape;
mod spare;
#[cfg(test)]
mod tests;

use crate::math::plan::to_plan_f64;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use glam::DVec2;

use super::validate::next_id;
use super::{NONE, NavMesh, PolyId};
use cut::{Cut, Points};
use patch::Scratch;
use shape::Side;
pub use shape::{Obstacle, ObstacleError};
use spare::Spares;

/// Vertices nearer to a footprint's edge than this are taken to lie on it, metres …
const NEAR: f64 = 1e-4;
/// … or than this share of the mesh's size.
const NEAR_SHARE: f64 = 2e-7;
/// Footprints are cut out larger by this many times as much, so that nothing is left inside.
const SPARE: f64 = 4.0;

/// An obstacle of a [`DynamicMesh`]; never used again after it was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObstacleId(u32);

/// An obstacle and what it does.
#[derive(Clone, Debug)]
struct Entry {
    obstacle: Obstacle,
    sides: Vec<Side>,
    enabled: bool,
    /// The polygons that it cuts, of the mesh without obstacles.
    polygons: Vec<u32>,
}

/// The mesh as it is now. It is changed in place where nobody else holds it; who holds it keeps what it was.
#[derive(Clone, Debug)]
struct Shared {
    kept: Arc<NavMesh>,
    /// The mesh itself during a change, so that who holds it is not asked for with every number that is written.
    open: Option<Box<NavMesh>>,
}

impl Shared {
    fn open(&mut self) {
        if self.open.is_none() {
            self.open = Some(Box::new(std::mem::take(Arc::make_mut(&mut self.kept))));
        }
    }

    fn close(&mut self) {
        if let Some(mesh) = self.open.take() {
            *Arc::make_mut(&mut self.kept) = *mesh;
        }
    }
}

impl Deref for Shared {
    type Target = NavMesh;

    fn deref(&self) -> &NavMesh {
        match &self.open {
            Some(mesh) => mesh,
            None => &self.kept,
        }
    }
}

impl DerefMut for Shared {
    fn deref_mut(&mut self) -> &mut NavMesh {
        match &mut self.open {
            Some(mesh) => mesh,
            None => Arc::make_mut(&mut self.kept),
        }
    }
}

/// A mesh with obstacles.
#[derive(Clone, Debug)]
pub struct DynamicMesh {
    base: Arc<NavMesh>,
    mesh: Shared,
    obstacles: BTreeMap<ObstacleId, Entry>,
    next: u32,
    /// Flags of the polygons, as they were set.
    flags: Vec<u16>,
    /// How many polygons have other flags than at first, and how many have none.
    reflagged: usize,
    unflagged: usize,
    /// Per polygon, the obstacles that cut it and the pieces that they leave.
    cuts: Vec<Option<Box<Cut>>>,
    /// Per edge, of two twins at the lower, where lines of footprints cross it.
    points: Vec<Option<Box<Points>>>,
    /// Edges that have points.
    pointed: Vec<u32>,
    /// Per edge of the patched mesh the edge that it lies on; [`NONE`] inside of a polygon.
    labels: Vec<u32>,
    dirty: Vec<u32>,
    /// Polygons whose flags changed, with their neighbours, that the mesh's number does not tell of yet.
    switched: Vec<u32>,
    held: bool,
    near: f64,
    spares: Spares,
    scratch: Scratch,
}

impl DynamicMesh {
    /// A mesh without obstacles yet.
    pub fn new(base: Arc<NavMesh>) -> Self {
        let count = base.own as usize;
        let extent = f64::from(base.bounds.min.abs().max(base.bounds.max.abs()).max_element());
        let flags: Vec<u16> = base.polygons.iter().map(|p| p.flags).collect();
        Self {
            mesh: Shared { kept: base.clone(), open: None },
            obstacles: BTreeMap::new(),
            next: 0,
            reflagged: 0,
            unflagged: flags.iter().filter(|&&f| f == 0).count(),
            flags,
            cuts: vec![None; count],
            points: vec![None; base.edges.len()],
            pointed: Vec::new(),
            labels: (0..base.edges.len() as u32).collect(),
            dirty: Vec::new(),
            held: false,
            switched: Vec::new(),
            near: NEAR.max(extent * NEAR_SHARE),
            spares: Spares::default(),
            scratch: Scratch::new(&base),
            base,
        }
    }

    /// The mesh as it is now.
    pub fn mesh(&self) -> &NavMesh {
        &self.mesh
    }

    /// The mesh as it is now, to be kept. A change while somebody keeps it costs a copy of it.
    pub fn shared(&self) -> &Arc<NavMesh> {
        &self.mesh.kept
    }

    /// The mesh without obstacles and with its first flags.
    pub fn base(&self) -> &Arc<NavMesh> {
        &self.base
    }

    /// Puts an obstacle onto the mesh. For a mesh that keeps an agent's radius from walls, grow it by that radius.
    ///
    /// # Errors
    /// The obstacle is none; see [`Obstacle::check`].
    pub fn add(&mut self, obstacle: &Obstacle) -> Result<ObstacleId, ObstacleError> {
        obstacle.check()?;
        let id = ObstacleId(self.next);
        self.next += 1;
        let sides = self.sides(obstacle);
        let entry = Entry { obstacle: obstacle.clone(), sides, enabled: true, polygons: Vec::new() };
        self.obstacles.insert(id, entry);
        self.place(id);
        self.update();
        Ok(id)
    }

    /// Moves an obstacle or changes its shape.
    ///
    /// # Errors
    /// There is no such obstacle, or the shape is none; nothing is changed then.
    pub fn set(&mut self, id: ObstacleId, obstacle: &Obstacle) -> Result<(), ObstacleError> {
        obstacle.check()?;
        let sides = self.sides(obstacle);
        let entry = self.obstacles.get_mut(&id).ok_or(ObstacleError::Unknown(id.0))?;
        if entry.obstacle == *obstacle {
            return Ok(());
        }
        (entry.obstacle, entry.sides) = (obstacle.clone(), sides);
        self.lift(id);
        self.place(id);
        self.update();
        Ok(())
    }

    /// Switches an obstacle off and on: a door that opens and closes.
    ///
    /// # Errors
    /// There is no such obstacle.
    pub fn set_enabled(&mut self, id: ObstacleId, enabled: bool) -> Result<(), ObstacleError> {
        let entry = self.obstacles.get_mut(&id).ok_or(ObstacleError::Unknown(id.0))?;
        if std::mem::replace(&mut entry.enabled, enabled) != enabled {
            self.lift(id);
            self.place(id);
            self.update();
        }
        Ok(())
    }

    /// Takes an obstacle away.
    ///
    /// # Errors
    /// There is no such obstacle.
    pub fn remove(&mut self, id: ObstacleId) -> Result<(), ObstacleError> {
        if !self.obstacles.contains_key(&id) {
            return Err(ObstacleError::Unknown(id.0));
        }
        self.lift(id);
        self.obstacles.remove(&id);
        self.update();
        Ok(())
    }

    /// Makes several changes at the price of one: [`mesh`](Self::mesh) shows obstacles and its new number when `changes`
    /// is done.
    pub fn batch<T>(&mut self, changes: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.held, true);
        let out = changes(self);
        self.held = outer;
        self.update();
        out
    }

    /// Sets the flags of a polygon of the mesh without obstacles, and of the pieces that obstacles leave of it. With
    /// flags 0 no filter passes it: a switch for what can be walked on.
    ///
    /// # Errors
    /// There is no such polygon.
    pub fn set_flags(&mut self, polygon: PolyId, flags: u16) -> Result<(), ObstacleError> {
        let all = self.flags.len();
        let old = *self.flags.get(polygon.index()).ok_or(ObstacleError::NoSuchPolygon(polygon.0, all))?;
        if old == flags {
            return Ok(());
        }
        let first = self.base.polygons[polygon.index()].flags;
        self.flags[polygon.index()] = flags;
        self.reflagged = self.reflagged + usize::from(old == first) - usize::from(flags == first);
        self.unflagged = self.unflagged + usize::from(flags == 0) - usize::from(old == 0);
        self.show_flags(polygon.0);
        let around = self.base.edges_of(polygon).iter().map(|e| e.neighbor).filter(|&n| n != NONE);
        self.switched.extend(around.chain([polygon.0]));
        self.update();
        Ok(())
    }

    /// The flags of a polygon of the mesh without obstacles, as they are now.
    pub fn flags(&self, polygon: PolyId) -> Option<u16> {
        self.flags.get(polygon.index()).copied()
    }

    /// All obstacles, with whether each is switched on, in the order in which they came.
    pub fn obstacles(&self) -> impl Iterator<Item = (ObstacleId, &Obstacle, bool)> {
        self.obstacles.iter().map(|(&id, e)| (id, &e.obstacle, e.enabled))
    }

    /// One obstacle.
    pub fn obstacle(&self, id: ObstacleId) -> Option<&Obstacle> {
        self.obstacles.get(&id).map(|e| &e.obstacle)
    }

    /// The polygons of the mesh without obstacles that an obstacle cuts.
    pub fn cut_by(&self, id: ObstacleId) -> impl Iterator<Item = PolyId> + '_ {
        self.obstacles.get(&id).into_iter().flat_map(|e| e.polygons.iter().map(|&p| PolyId(p)))
    }

    /// The lines that are cut along.
    fn sides(&self, obstacle: &Obstacle) -> Vec<Side> {
        obstacle.grown(self.near * SPARE).lines(self.base.origin)
    }

    /// Takes the obstacle from the polygons that it cuts.
    fn lift(&mut self, id: ObstacleId) {
        let Some(entry) = self.obstacles.get_mut(&id) else { return };
        for &p in &entry.polygons {
            if let Some(cut) = &mut self.cuts[p as usize] {
                cut.obstacles.retain(|&o| o != id);
            }
        }
        self.dirty.append(&mut entry.polygons);
    }

    /// Finds the polygons that the obstacle cuts.
    fn place(&mut self, id: ObstacleId) {
        let Some(entry) = self.obstacles.get(&id).filter(|e| e.enabled) else { return };
        let found = self.covered(entry);
        for &p in &found {
            let cut = self.cuts[p as usize].get_or_insert_default();
            let at = cut.obstacles.partition_point(|&o| o < id);
            cut.obstacles.insert(at, id);
        }
        self.dirty.extend_from_slice(&found);
        if let Some(entry) = self.obstacles.get_mut(&id) {
            entry.polygons = found;
        }
    }

    /// A number for what the mesh has become by a change that concerned these polygons, and cut the latter anew.
    fn mark(&mut self, touched: Vec<u32>, recut: Vec<u32>) {
        self.mesh.all_flagged = self.unflagged == 0;
        let same = self.mesh.parents.is_empty() && self.reflagged == 0 && self.pointed.is_empty();
        let id = if same { self.base.id } else { next_id() };
        let before = std::mem::replace(&mut self.mesh.id, id);
        self.mesh.changes.note(before, touched, recut);
    }

    /// A vertex of the mesh, seen from above.
    fn in_plan(&self, vertex: u32) -> DVec2 {
        to_plan_f64(self.mesh.vertices[vertex as usize])
    }

    fn update(&mut self) {
        if self.held {
            return;
        }
        let mut touched = std::mem::take(&mut self.switched);
        let mut recut = touched.clone();
        if !self.dirty.is_empty() {
            let (ring, cut) = self.patch();
            recut.extend_from_slice(&ring[..cut]);
            touched.extend(ring);
        }
        if !touched.is_empty() {
            touched.sort_unstable();
            touched.dedup();
            self.mark(touched, recut);
        }
    }

    /// The edge or its twin, whichever has the lower number, and whether that is the twin.
    fn side_of(&self, edge: u32) -> (u32, usize) {
        let twin = self.base.edges[edge as usize].twin;
        if twin != NONE && twin < edge { (twin, 1) } else { (edge, 0) }
    }
}
