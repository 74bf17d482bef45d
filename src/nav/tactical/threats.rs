//! The enemies of a query, each with the shadows of all covers that it sees.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec3;

use super::map::CoverMap;
use super::segment::{CoverSegment, CoverSettings};
use super::shadow::{Enemy, Intervals, Shadow, VisibilityModel};
use crate::math::plan;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::mesh::{NavMesh, PolyId};

/// Several enemies: a point is exposed if any of them sees it.
#[derive(Clone, Debug, Default)]
pub struct Threats {
    shadows: Vec<Shadow>,
    /// Identity of the contents, shared by copies.
    id: u64,
}

/// The last identity assigned; 0 is the default value's.
static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Threats {
    /// Casts the shadows of all covers of the map, so that exposure is that of the true geometry however the ground is cut
    /// into polygons. Enemies whose positions are not finite are ignored.
    pub fn new(map: &CoverMap, enemies: &[Enemy], sight: VisibilityModel) -> Self {
        let shadow = |e: &Enemy| {
            let mut shadow = Shadow::new(e, sight);
            shadow.add_all(map.covers());
            shadow
        };
        let is_finite = |e: &&Enemy| e.eye_height.is_finite() && e.position.is_finite();
        let shadows = enemies.iter().filter(is_finite).map(shadow).collect();
        Self { shadows, id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Identity of the contents, for caches of exposures.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Number of enemies.
    pub fn len(&self) -> usize {
        self.shadows.len()
    }

    /// The shadow of each enemy's covers.
    pub(super) fn shadows(&self) -> &[Shadow] {
        &self.shadows
    }

    /// Whether there is no enemy.
    pub fn is_empty(&self) -> bool {
        self.shadows.is_empty()
    }

    /// Adds an obstacle beside or on the mesh as cover: a convex prism by the corners of its base, local, and its height,
    /// metres. Its silhouette hides what lies behind; it hides nothing from an enemy inside it, and is ignored for
    /// enemies farther than `reach` metres from its outline.
    pub fn add_obstacle(&mut self, outline: &[Vec3], height: f32, settings: &CoverSettings, reach: f32) {
        let Some(class) = settings.class_of(height).filter(|_| outline.iter().all(|p| p.is_finite())) else { return };
        let is_near = |eye: Vec3| {
            let sides = outline.iter().zip(outline.iter().cycle().skip(1));
            sides.map(|(&a, &b)| plan::closest_on_segment(a, b, eye)).any(|p| plan::distance(p, eye) <= reach)
        };
        for shadow in &mut self.shadows {
            if let Some((a, b)) = silhouette(shadow.apex(), outline).filter(|_| is_near(shadow.apex())) {
                shadow.add_segment(&CoverSegment { a, b, class, height });
            }
        }
        self.id = LAST_ID.fetch_add(1, Ordering::Relaxed) + 1;
    }

    /// Writes the parts of the segment from `p` to `q` that no enemy sees into `out`; all of it without enemies.
    pub fn hidden(&self, p: Vec3, q: Vec3, out: &mut Intervals, scratch: &mut Intervals) {
        let Some((first, others)) = self.shadows.split_first() else {
            *out = Intervals::default();
            out.add(0.0, 1.0);
            return;
        };
        first.hidden(p, q, out);
        for shadow in others {
            shadow.hidden(p, q, scratch);
            out.intersect(scratch);
        }
    }

    /// Length of the parts of a line that an enemy sees, metres.
    pub fn exposed_length(&self, points: &[Vec3]) -> f64 {
        let (mut hidden, mut scratch) = (Intervals::default(), Intervals::default());
        let mut exposed = |p: Vec3, q: Vec3| {
            self.hidden(p, q, &mut hidden, &mut scratch);
            f64::from(p.distance(q) * (1.0 - hidden.total()))
        };
        points.windows(2).map(|leg| exposed(leg[0], leg[1])).sum()
    }

    /// Whether the exposure of a line depends on its height between its ends.
    pub(super) fn counts_heights(&self) -> bool {
        self.shadows.iter().any(Shadow::counts_heights)
    }
}

/// Rightmost and leftmost corner of a convex outline as seen from a point; `None` from inside.
fn silhouette(eye: Vec3, outline: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let first = *outline.first()?;
    let (mut right, mut left) = (first, first);
    for &corner in outline {
        if plan::cross(eye, right, corner) < 0.0 {
            right = corner;
        }
        if plan::cross(eye, left, corner) > 0.0 {
            left = corner;
        }
    }
    // From outside, all corners lie between the two, which are less than half a turn apart.
    let between = |&c: &Vec3| plan::cross(eye, right, c) >= 0.0 && plan::cross(eye, left, c) <= 0.0;
    (plan::cross(eye, right, left) > 0.0 && outline.iter().all(between)).then_some((right, left))
}

/// The polygon under a character at `point`: the next surface below, a step of half a metre up included, else the next
/// one above, else, off the mesh, the nearest. `None` only for points that are not finite, and where nothing is left of
/// the mesh.
pub fn polygon_below(mesh: &NavMesh, point: Vec3) -> Option<PolyId> {
    const STEP: f32 = 0.5;
    if !point.is_finite() {
        return None;
    }
    let over = mesh.grid().at(point).iter().map(|&p| PolyId(p)).filter(|&p| mesh.contains_2d(p, point));
    let drop = |p: PolyId| point.y + STEP - mesh.height_at(p, point);
    // Below before above, then the smaller distance.
    let rank = |p: &PolyId| (drop(*p) < 0.0, drop(*p).abs());
    let best = over.min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal));
    best.or_else(|| {
        let distance = |p: &PolyId| {
            let first = mesh.polygon(*p).first_edge;
            let to = |e| {
                let (a, b) = mesh.edge_points(e);
                closest_point_on_segment(a, b, point).distance_squared(point)
            };
            (first..).take(mesh.edges_of(*p).len()).map(to).fold(f32::INFINITY, f32::min)
        };
        mesh.live_polygons().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    })
}
