//! Dynamic obstacles: they appear, move and vanish while queries go on.
//!
//! A polygon that an obstacle partly covers is cut along the edges of the footprint into convex pieces. The mesh is
//! patched in place, so that a change costs what lies around it and not the whole mesh; only a change that parts or
//! joins islands renumbers them by a flood over all polygons. All queries work on [`DynamicMesh::mesh`] as on any
//! other mesh.
//!
//! Invariants after each change:
//! - no polygon holds a point inside an obstacle's footprint and heights; ground farther than a millimetre from all
//!   obstacles is as it was (on meshes that reach farther than 500 m from their middle, two millionths of that);
//! - a polygon that no obstacle touches keeps its number and outline; neighbours of a cut one may get more corners on
//!   the shared edge. A cut polygon is no longer live ([`NavMesh::is_live`]); its pieces have numbers after those of
//!   all others, and keep its surface, area, flags and [`NavMesh::source`];
//! - a polygon is cut where the surface under the footprint comes between the obstacle's heights;
//! - when the last obstacle is gone, the mesh equals the first in every number.
//!
//! Polygon and edge indices kept from before a change are valid only for polygons that are not pieces: look positions
//! up again when [`NavMesh::id`] differs.

mod check;
mod cut;
mod free_lists;
mod islands;
mod patch;
mod shape;
mod state;

use crate::math::plan::to_plan_f64;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec2;

use super::changes::next_id;
use super::{NONE, NavMesh, PolyId};
use shape::FootprintSide;
pub use shape::{Obstacle, ObstacleError};
pub use state::{DynamicMesh, ObstacleId};
use state::{FreeLists, ObstacleEntry, PatchBuffers, Shared};

/// Vertices nearer to a footprint's edge than this are taken to lie on it, metres,
const MIN_TOLERANCE: f64 = 1e-4;
/// or than this fraction of the mesh's extent, if larger.
const TOLERANCE_FRACTION: f64 = 2e-7;
/// Footprints are grown by this multiple of the tolerance, so that nothing inside remains.
const GROWTH: f64 = 4.0;

impl DynamicMesh {
    /// A mesh without obstacles.
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
            is_batching: false,
            switched: Vec::new(),
            tolerance: MIN_TOLERANCE.max(extent * TOLERANCE_FRACTION),
            free: FreeLists::default(),
            buffers: PatchBuffers::new(&base),
            base,
        }
    }

    /// The current mesh.
    pub fn mesh(&self) -> &NavMesh {
        &self.mesh
    }

    /// The current mesh, shared. A change while it is shared copies it.
    pub fn shared(&self) -> &Arc<NavMesh> {
        &self.mesh.kept
    }

    /// The original mesh, without obstacles and with its original flags.
    pub fn base(&self) -> &Arc<NavMesh> {
        &self.base
    }

    /// Adds an obstacle. On a mesh that keeps an agent's radius from walls, [grow](Obstacle::grown) it by that radius
    /// first.
    ///
    /// # Errors
    /// The obstacle is invalid; see [`Obstacle::check`].
    pub fn add(&mut self, obstacle: &Obstacle) -> Result<ObstacleId, ObstacleError> {
        obstacle.check()?;
        let id = ObstacleId(self.next);
        self.next += 1;
        let sides = self.sides(obstacle);
        let entry = ObstacleEntry { obstacle: obstacle.clone(), sides, enabled: true, polygons: Vec::new() };
        self.obstacles.insert(id, entry);
        self.attach(id);
        self.update();
        Ok(id)
    }

    /// Moves an obstacle or changes its shape.
    ///
    /// # Errors
    /// No such obstacle, or an invalid shape; nothing is changed then.
    pub fn set(&mut self, id: ObstacleId, obstacle: &Obstacle) -> Result<(), ObstacleError> {
        obstacle.check()?;
        let sides = self.sides(obstacle);
        let entry = self.obstacles.get_mut(&id).ok_or(ObstacleError::Unknown(id.0))?;
        if entry.obstacle == *obstacle {
            return Ok(());
        }
        (entry.obstacle, entry.sides) = (obstacle.clone(), sides);
        self.detach(id);
        self.attach(id);
        self.update();
        Ok(())
    }

    /// Switches an obstacle on or off, like a door that closes or opens.
    ///
    /// # Errors
    /// No such obstacle.
    pub fn set_enabled(&mut self, id: ObstacleId, enabled: bool) -> Result<(), ObstacleError> {
        let entry = self.obstacles.get_mut(&id).ok_or(ObstacleError::Unknown(id.0))?;
        if std::mem::replace(&mut entry.enabled, enabled) != enabled {
            self.detach(id);
            self.attach(id);
            self.update();
        }
        Ok(())
    }

    /// Removes an obstacle.
    ///
    /// # Errors
    /// No such obstacle.
    pub fn remove(&mut self, id: ObstacleId) -> Result<(), ObstacleError> {
        if !self.obstacles.contains_key(&id) {
            return Err(ObstacleError::Unknown(id.0));
        }
        self.detach(id);
        self.obstacles.remove(&id);
        self.update();
        Ok(())
    }

    /// Applies several changes at the cost of one: [`mesh`](Self::mesh) shows them, and its new id, when `changes`
    /// returns.
    pub fn batch<T>(&mut self, changes: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_batching, true);
        let out = changes(self);
        self.is_batching = outer;
        self.update();
        out
    }

    /// Sets the flags of an original polygon and of its pieces. No filter passes a polygon with flags 0.
    ///
    /// # Errors
    /// No such polygon.
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
        self.write_flags(polygon.0);
        let around = self.base.edges_of(polygon).iter().map(|e| e.neighbor).filter(|&n| n != NONE);
        self.switched.extend(around.chain([polygon.0]));
        self.update();
        Ok(())
    }

    /// Current flags of an original polygon.
    pub fn flags(&self, polygon: PolyId) -> Option<u16> {
        self.flags.get(polygon.index()).copied()
    }

    /// All obstacles in order of addition, switched off ones included.
    pub fn obstacles(&self) -> impl Iterator<Item = (ObstacleId, &Obstacle)> {
        self.obstacles.iter().map(|(&id, e)| (id, &e.obstacle))
    }

    /// An obstacle.
    pub fn obstacle(&self, id: ObstacleId) -> Option<&Obstacle> {
        self.obstacles.get(&id).map(|e| &e.obstacle)
    }

    /// The lines along which polygons are cut.
    fn sides(&self, obstacle: &Obstacle) -> Vec<FootprintSide> {
        obstacle.grown(self.tolerance * GROWTH).lines(self.base.origin)
    }

    /// Detaches an obstacle from the polygons that it cuts.
    fn detach(&mut self, id: ObstacleId) {
        let Some(entry) = self.obstacles.get_mut(&id) else { return };
        for &p in &entry.polygons {
            if let Some(cut) = &mut self.cuts[p as usize] {
                cut.obstacles.retain(|&o| o != id);
            }
        }
        self.dirty.append(&mut entry.polygons);
    }

    /// Attaches an obstacle to the polygons that it cuts.
    fn attach(&mut self, id: ObstacleId) {
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

    /// Gives the mesh a new id and logs the changed and the reshaped polygons.
    fn log_change(&mut self, changed: Vec<u32>, reshaped: Vec<u32>) {
        self.mesh.every_poly_walkable = self.unflagged == 0;
        let same = self.mesh.parents.is_empty() && self.reflagged == 0 && self.pointed.is_empty();
        let id = if same { self.base.id } else { next_id() };
        let before = std::mem::replace(&mut self.mesh.id, id);
        self.mesh.changes.log(before, changed, reshaped);
    }

    /// A vertex of the mesh in plan view.
    fn in_plan(&self, vertex: u32) -> DVec2 {
        to_plan_f64(self.mesh.vertices[vertex as usize])
    }

    fn update(&mut self) {
        if self.is_batching {
            return;
        }
        let mut changed = std::mem::take(&mut self.switched);
        let mut reshaped = changed.clone();
        if !self.dirty.is_empty() {
            let (ring, cut) = self.patch();
            reshaped.extend_from_slice(&ring[..cut]);
            changed.extend(ring);
        }
        if !changed.is_empty() {
            changed.sort_unstable();
            changed.dedup();
            self.log_change(changed, reshaped);
        }
    }

    /// The lower of an edge and its twin, and whether that is the twin (0 or 1).
    fn side_of(&self, edge: u32) -> (u32, usize) {
        let twin = self.base.edges[edge as usize].twin;
        if twin != NONE && twin < edge { (twin, 1) } else { (edge, 0) }
    }
}
