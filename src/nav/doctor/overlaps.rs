//! Polygons that lie upon each other.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};

use super::finding::{FaultKind, Finding, LargestFaults, MAX_LINES, area_words};
use super::layered_rects::{LayeredRects, TallRect};
use super::limits::AgentLimits;
use super::outlines::{corners_of, middle};
use super::watch::{DoctorError, DoctorWatch};
use crate::math::disjoint_sets::DisjointSets;
use crate::math::plan::{self, PlanPoint, to_plan};
use crate::nav::mesh::RawMesh;
use crate::nav::rect_grid::Rect;

/// Smallest area of an overlap, square metres.
const MIN_AREA: f64 = 1e-3;
/// Most overlaps of a polygon with later ones that are looked for.
const MAX_OF_ONE: usize = 64;
/// Smallest part of the smaller polygon that is covered.
const MIN_PART: f64 = 0.01;

/// The overlaps of a mesh, and its polygons in sets of those that lie upon each other.
pub(super) fn examine(
    mesh: &RawMesh,
    limits: &AgentLimits,
    watch: &DoctorWatch<'_>,
) -> Result<(Vec<Finding>, DisjointSets), DoctorError> {
    let outlines: Vec<Outlined> = (0..mesh.polygons.len()).filter_map(|i| Outlined::new(mesh, i)).collect();
    let origin = outlines.first().map_or(DVec3::ZERO, |o| o.corners[0]);
    let local = |p: &DVec3| to_plan((*p - origin).as_vec3());
    let rect = |o: &Outlined| TallRect { rect: Rect::around(o.corners.iter().map(local)), heights: o.heights };
    let rects: Vec<TallRect> = outlines.iter().map(rect).collect();
    let climb = f64::from(limits.climb);
    let layers = LayeredRects::new(&rects, 0.0, climb);
    let mut joined = DisjointSets::new(mesh.polygons.len());
    let (mut largest, mut clip) = (LargestFaults::new(), OverlapClip::default());
    // Of each polygon with later ones.
    let mut sums = vec![OverlapSum::default(); mesh.polygons.len()];
    for (i, a) in outlines.iter().enumerate() {
        watch.check()?;
        let mut of_one = 0;
        layers.for_each_near(&rects[i], |j| {
            let b = &outlines[j as usize];
            if j as usize <= i {
                return;
            }
            if of_one == MAX_OF_ONE {
                sums[a.polygon].is_more = true;
                return;
            }
            if a.is_within(b, climb)
                && !a.is_beside(b)
                && let Some((area, apart)) = clip.overlap(a, b, climb)
            {
                of_one += 1;
                joined.join(a.polygon, b.polygon);
                let own = (area, [i, j as usize]);
                sums[a.polygon].add(&OverlapSum { count: 1, area, apart, largest: own, is_more: false });
                largest.push(area.sqrt(), [i, j as usize]);
            }
        });
    }
    let mut of_root: BTreeMap<usize, OverlapSum> = BTreeMap::new();
    for (polygon, sum) in sums.iter().enumerate().filter(|(_, sum)| sum.count > 0) {
        of_root.entry(joined.root(polygon)).or_default().add(sum);
    }
    let mut pairs: BTreeMap<usize, Vec<[usize; 2]>> =
        of_root.iter().map(|(&root, sum)| (root, vec![sum.largest.1])).collect();
    for pair in largest.kept() {
        let of_root = pairs.entry(joined.root(outlines[pair[0]].polygon)).or_default();
        if of_root.first() != Some(&pair) {
            of_root.push(pair);
        }
    }
    let findings = pairs.iter().map(|(root, pairs)| finding(&outlines, pairs, &of_root[root])).collect();
    Ok((findings, joined))
}

/// What polygons lie upon each other over, in all.
#[derive(Clone, Copy, Debug, Default)]
struct OverlapSum {
    /// Number of pairs.
    count: usize,
    /// Square metres.
    area: f64,
    /// How far apart in height at most, metres.
    apart: f64,
    /// The area of the largest, and its outlines.
    largest: (f64, [usize; 2]),
    /// Whether there may be more than were counted.
    is_more: bool,
}

impl OverlapSum {
    fn add(&mut self, other: &Self) {
        *self = Self {
            count: self.count + other.count,
            area: self.area + other.area,
            apart: self.apart.max(other.apart),
            is_more: self.is_more || other.is_more,
            largest: if other.largest.0 > self.largest.0 { other.largest } else { self.largest },
        };
    }
}

/// The finding for polygons that lie upon each other, of which `pairs` are the largest.
fn finding(outlines: &[Outlined], pairs: &[[usize; 2]], sum: &OverlapSum) -> Finding {
    let mut clip = OverlapClip::default();
    let parts: Vec<Vec<DVec3>> = pairs.iter().map(|&[i, j]| clip.outline(&outlines[i], &outlines[j])).collect();
    let center = middle(&parts.iter().map(|part| middle(part)).collect::<Vec<_>>());
    let off = |part: &&Vec<DVec3>| middle(part).distance_squared(center);
    let place = parts.iter().min_by(|a, b| off(a).total_cmp(&off(b))).map_or(center, |part| middle(part));
    let [a, b] = pairs[0].map(|i| outlines[i].polygon);
    let OverlapSum { count, area, apart, is_more, .. } = *sum;
    let least = if is_more { "At least " } else { "" };
    let words = area_words(area);
    let cause = match count {
        1 => format!("Polygons {a} and {b} lie upon each other over {words}, {apart:.2} m apart in height."),
        _ => format!(
            "{least}{count} pairs of polygons, {a} and {b} among them, lie upon each other over {words}, up to {apart:.2} m \
             apart in height."
        ),
    };
    let remedy = "Cut one of them back to the edge of the other, or bake the level again.".into();
    let found = Finding::new(FaultKind::Overlap, place, area.sqrt(), [cause, remedy]);
    parts.iter().take(MAX_LINES / 4).fold(found, |found, part| found.around(part))
}

/// A polygon with its corners counter-clockwise as seen from above.
struct Outlined {
    polygon: usize,
    corners: Vec<DVec3>,
    area: f64,
    /// Lowest and highest corner.
    heights: [f64; 2],
}

impl Outlined {
    fn new(mesh: &RawMesh, polygon: usize) -> Option<Self> {
        let mut corners = corners_of(mesh, polygon);
        let area = plan::area(&corners);
        if area < 0.0 {
            corners.reverse();
        }
        let low = corners.iter().map(|c| c.y).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|c| c.y).fold(f64::NEG_INFINITY, f64::max);
        (corners.iter().all(|c| c.is_finite()) && area.abs() > 1e-9).then_some(Self {
            polygon,
            corners,
            area: area.abs(),
            heights: [low, high],
        })
    }

    /// Whether the ranges of heights are no further apart than that.
    fn is_within(&self, other: &Self, apart: f64) -> bool {
        self.heights[0] - other.heights[1] < apart && other.heights[0] - self.heights[1] < apart
    }

    /// Whether an edge of one parts it from the other.
    fn is_beside(&self, other: &Self) -> bool {
        self.parts(other) || other.parts(self)
    }

    /// Whether an edge has all of another polygon on its outer side. Most neighbours are told so without cutting them.
    fn parts(&self, other: &Self) -> bool {
        let mut from = self.corners[self.corners.len() - 1];
        for &to in &self.corners {
            let (x, z) = (to.x - from.x, to.z - from.z);
            let most = MIN_AREA * 1e-3;
            // As `plan::cross`, in a loop that is run for each pair.
            if other.corners.iter().all(|c| x * (c.z - from.z) - z * (c.x - from.x) < most) {
                return true;
            }
            from = to;
        }
        false
    }

    /// Height over a place inside, on the fan of the corners.
    fn height(&self, at: DVec2) -> f64 {
        let corners = &self.corners;
        let first = corners[0];
        let fan = corners[1..].windows(2).map(|w| [first, w[0], w[1]]);
        let mut best = (f64::NEG_INFINITY, first.y);
        for [a, b, c] in fan {
            let twice = plan::cross(a, b, c);
            let sides = [(b, c), (c, a), (a, b)].map(|(p, q)| plan::cross(p.plan(), q.plan(), at) / twice);
            let inside = sides.iter().copied().fold(f64::INFINITY, f64::min);
            if inside > best.0 {
                best = (inside, a.y * sides[0] + b.y * sides[1] + c.y * sides[2]);
            }
        }
        best.1
    }
}

/// Where two polygons lie upon each other, seen from above.
#[derive(Default)]
struct OverlapClip {
    part: Vec<DVec2>,
    next: Vec<DVec2>,
}

impl OverlapClip {
    /// Cuts one polygon with the other.
    fn cut(&mut self, a: &Outlined, b: &Outlined) {
        self.part.clear();
        self.part.extend(a.corners.iter().map(|c| c.plan()));
        for (k, &p) in b.corners.iter().enumerate() {
            let q = b.corners[(k + 1) % b.corners.len()];
            self.next.clear();
            let next = &mut self.next;
            plan::clip_convex(&self.part, |c: DVec2| plan::cross(p.plan(), q.plan(), c), |c| next.push(c));
            std::mem::swap(&mut self.part, &mut self.next);
            if self.part.len() < 3 {
                self.part.clear();
                return;
            }
        }
    }

    /// How far apart in height the polygons are at the middle of what they share, metres.
    fn apart(&self, a: &Outlined, b: &Outlined) -> f64 {
        let place = self.part.iter().sum::<DVec2>() / self.part.len().max(1) as f64;
        (a.height(place) - b.height(place)).abs()
    }

    /// The area over which they lie upon each other, square metres, and how far apart in height, metres; `None` where that is nearly nothing, or where there
    /// is a step between.
    fn overlap(&mut self, a: &Outlined, b: &Outlined, climb: f64) -> Option<(f64, f64)> {
        self.cut(a, b);
        let area = plan::area(&self.part).abs();
        let is_large = area >= MIN_AREA && area >= MIN_PART * a.area.min(b.area);
        let apart = if is_large { self.apart(a, b) } else { climb };
        (apart < climb).then_some((area, apart))
    }

    /// The outline of what they share, at the height of the first.
    fn outline(&mut self, a: &Outlined, b: &Outlined) -> Vec<DVec3> {
        self.cut(a, b);
        self.part.iter().map(|&at| DVec3::new(at.x, a.height(at), at.y)).collect()
    }
}
