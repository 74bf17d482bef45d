//! Enemies on a mesh, each with the covers that his polygon's map names.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec3;

use super::map::CoverMap;
use super::segment::{CoverSegment, CoverSettings};
use super::wedge::{Enemy, Intervals, Lee, Sides, Sight};
use crate::math::plan;
use crate::math::triangle::closest_point_on_segment;
use crate::nav::mesh::{NavMesh, PolyId};

/// What several enemies see: a place is exposed as soon as one of them sees it.
#[derive(Clone, Debug, Default)]
pub struct Threats {
    lees: Vec<Lee>,
    /// Its own number; copies, which see the same, have the same.
    id: u64,
}

/// The last number that was given away; 0 is that of no threats.
static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Threats {
    /// Looks up every enemy's polygon and the covers that matter from there. Enemies that are nowhere (positions
    /// that are not finite) are left out.
    pub fn new(mesh: &NavMesh, map: &CoverMap, enemies: &[Enemy], sight: Sight) -> Self {
        let lee = |e: &Enemy| Some(map.lee(e, polygon_below(mesh, e.position)?, sight));
        let lees = enemies.iter().filter(|e| e.eye_height.is_finite()).filter_map(lee).collect();
        Self { lees, id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// A number that no other threats have, for those who remember what was seen.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lees.len()
    }

    /// Whether there is nobody to hide from.
    pub fn is_empty(&self) -> bool {
        self.lees.is_empty()
    }

    /// Adds an obstacle that stands beside or on the mesh: an upright convex thing by the corners of its lower side,
    /// local, and its height in metres. What it hides lies behind the two corners that an enemy sees farthest apart.
    /// It hides nothing from an enemy who stands in it, and nothing farther from him than `reach` metres does.
    pub fn hide_behind(&mut self, outline: &[Vec3], height: f32, settings: &CoverSettings, reach: f32) {
        let Some(class) = settings.class_of(height).filter(|_| outline.iter().all(|p| p.is_finite())) else { return };
        for lee in &mut self.lees {
            let near = outline.iter().any(|&p| plan::distance(p, lee.apex()) <= reach);
            if let Some((a, b)) = silhouette(lee.apex(), outline).filter(|_| near) {
                lee.add_segment(&CoverSegment { a, b, class, height });
            }
        }
        self.id = LAST_ID.fetch_add(1, Ordering::Relaxed) + 1;
    }

    /// Puts the parts of the way from `p` to `q` into `out` that nobody sees; without enemies that is all.
    pub fn hidden(&self, p: Vec3, q: Vec3, out: &mut Intervals, scratch: &mut Intervals) {
        self.common(out, scratch, |lee, out| lee.hidden(p, q, out));
    }

    /// Where a place lies to all covers' planes, for [`hidden_from`](Self::hidden_from).
    pub(super) fn sides(&self, p: Vec3, out: &mut Vec<Sides>) {
        out.clear();
        self.lees.iter().for_each(|lee| out.extend(lee.sides(p)));
    }

    /// [`hidden`](Self::hidden) from a place with these sides.
    pub(super) fn hidden_from(&self, mut from: &[Sides], q: Vec3, out: &mut Intervals, scratch: &mut Intervals) {
        self.common(out, scratch, |lee, out| {
            let (own, others) = from.split_at(lee.side_count());
            lee.hidden_from(own, q, out);
            from = others;
        });
    }

    /// Which part of the way from a place with these sides to `q` is seen, 0 to 1. The intervals are memory.
    #[inline]
    pub(super) fn exposure_from(&self, from: &[Sides], q: Vec3, memory: &mut (Intervals, Intervals)) -> f32 {
        if let [lee] = &self.lees[..]
            && let Some(hidden) = lee.total_from(from, q)
        {
            return 1.0 - hidden;
        }
        self.hidden_from(from, q, &mut memory.0, &mut memory.1);
        1.0 - memory.0.total()
    }

    /// Whether heights count: how high the line of a way lies between its ends.
    pub(super) fn counts_heights(&self) -> bool {
        self.lees.iter().any(Lee::counts_heights)
    }

    /// Keeps what is hidden from every enemy.
    #[inline]
    fn common(&self, out: &mut Intervals, scratch: &mut Intervals, mut hidden: impl FnMut(&Lee, &mut Intervals)) {
        let Some((first, others)) = self.lees.split_first() else {
            *out = Intervals::default();
            out.add(0.0, 1.0);
            return;
        };
        hidden(first, out);
        for lee in others {
            hidden(lee, scratch);
            out.keep(scratch);
        }
    }
}

/// The corners of a convex outline that are seen farthest right and left from a place; none from inside of it.
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

/// The polygon that someone stands on: the next surface below `point` (a step of half a metre up included), else the
/// next one above, else, beside the mesh, the nearest. None only for points that are not finite.
pub fn polygon_below(mesh: &NavMesh, point: Vec3) -> Option<PolyId> {
    const STEP: f32 = 0.5;
    if !point.is_finite() {
        return None;
    }
    let over = mesh.grid().at(point).iter().map(|&p| PolyId(p)).filter(|&p| mesh.contains_2d(p, point));
    let drop = |p: PolyId| point.y + STEP - mesh.height_at(p, point);
    // Below comes before above, the smaller distance first.
    let rank = |p: &PolyId| (drop(*p) < 0.0, drop(*p).abs());
    let best = over.min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal));
    best.or_else(|| {
        let distance = |p: &u32| {
            let edges = mesh.polygons()[*p as usize].first_edge..;
            let count = usize::from(mesh.polygons()[*p as usize].edge_count);
            let to = |e| {
                let (a, b) = mesh.segment(e);
                closest_point_on_segment(a, b, point).distance_squared(point)
            };
            edges.take(count).map(to).fold(f32::INFINITY, f32::min)
        };
        (0..mesh.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b))).map(PolyId)
    })
}
