//! What is left of a surface while what covers it is subtracted by and by.

use super::areas::{FIRST_UNITED, Shapes, difference, united, without_slivers};
use super::convex;
use super::level_grid::{Contour, LevelGrid};
use crate::nav::rect_grid::{Rect, RectGrid};
use glam::{DVec2, Vec2};

/// Footprints farther than this from what is left of a surface take nothing of it, metres.
const BESIDE_LEFT: f32 = 0.01;

/// What nothing has covered so far of a surface upon which much lies.
pub(super) struct Remainder<'a> {
    pub shapes: Shapes,
    /// An outline around the surface.
    hull: &'a [DVec2],
    grid: LevelGrid,
    /// The rectangles of the areas.
    areas: Rects,
    /// The edges of their outlines and holes: a floor on which a town stands has many, of which few lie near one wall.
    edges: Vec<[DVec2; 2]>,
    edge_rects: Rects,
}

impl<'a> Remainder<'a> {
    /// What is left within outlines without the areas of `solid`.
    pub fn new(outlines: &[Contour], solid: Vec<Contour>, hull: &'a [DVec2], grid: LevelGrid) -> Self {
        let shapes = without_slivers(difference(outlines, &united(solid)), &grid);
        let areas = Rects::new(shapes.iter().map(|shape| grid.rect(&shape[0])).collect());
        let mut edges = Vec::with_capacity(shapes.iter().flatten().map(Vec::len).sum());
        for contour in shapes.iter().flatten() {
            let following = contour.iter().cycle().skip(1);
            edges.extend(contour.iter().zip(following).map(|(&a, &b)| [a, b].map(|p| grid.point(p))));
        }
        let edge_rects = Rects::new(edges.iter().map(|ends| Rect::around(ends.map(|p| p.as_vec2()))).collect());
        Self { shapes, hull, grid, areas, edges, edge_rects }
    }

    pub fn into_contours(self) -> Vec<Contour> {
        self.shapes.into_iter().flatten().collect()
    }

    /// How many outlines are subtracted at once. Outlines that all cross each other take the square of their number; with
    /// about as many corners as what is left has, they take no longer than what is left does by itself.
    pub fn at_once(&self) -> usize {
        FIRST_UNITED.max(self.edges.len() / 2)
    }

    /// The next ones of `waiting` to subtract at once. What came before them may have taken all that they cover.
    pub fn next_group(&self, waiting: &mut impl Iterator<Item = Contour>) -> Vec<Contour> {
        let points = |contour: &Contour| contour.iter().map(|&p| self.grid.point(p)).collect::<convex::FewCorners>();
        waiting.filter(|contour| self.meets(&points(contour))).take(self.at_once()).collect()
    }

    pub fn meets_rect(&self, rect: &Rect) -> bool {
        self.areas.any_meeting(rect, |_| true)
    }

    /// Whether a convex polygon takes anything of what is left: whether it comes nearer than [`BESIDE_LEFT`].
    pub fn meets(&self, polygon: &[DVec2]) -> bool {
        // Long ones that cross a narrow surface do so in a small part of it.
        let within = convex::intersection(polygon, self.hull);
        let own = Rect::around(within.iter().map(|p| p.as_vec2())).expanded(BESIDE_LEFT);
        let Some(&first) = within.first().filter(|_| self.meets_rect(&own)) else { return false };
        let is_near = |edge: u32| {
            let [a, b] = self.edges[edge as usize];
            convex::clip_segment(&within, a, b, -f64::from(BESIDE_LEFT)).is_some()
        };
        self.edge_rects.any_meeting(&own, is_near) || self.holds(first)
    }

    /// Whether a point lies in what is left, by the number of edges beside it.
    fn holds(&self, p: DVec2) -> bool {
        let mut is_inside = false;
        let from = p.as_vec2();
        let beside = Rect { min: from, max: Vec2::new(f32::INFINITY, from.y) };
        self.edge_rects.any_meeting(&beside, |edge| {
            let [a, b] = self.edges[edge as usize];
            is_inside ^= (a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y);
            false
        });
        is_inside
    }
}

/// Rectangles and a grid of them.
struct Rects {
    all: Vec<Rect>,
    grid: RectGrid,
}

impl Rects {
    fn new(all: Vec<Rect>) -> Self {
        let grid = RectGrid::build(&all);
        Self { all, grid }
    }

    /// Whether any of the rectangles that meet `rect` is one that `is_sought`.
    fn any_meeting(&self, rect: &Rect, mut is_sought: impl FnMut(u32) -> bool) -> bool {
        let mut is_found = false;
        self.grid.for_each_meeting(&self.all, rect, |number| is_found = is_found || is_sought(number));
        is_found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::LevelTriangle;
    use glam::Vec3;

    /// Strips of one metre by 20 m across one place, turned further and further from that of an angle of zero up to 90°.
    fn strips(count: usize, grid: &LevelGrid) -> Vec<Contour> {
        let strip = |i: usize| {
            let turn = DVec2::from_angle(i as f64 / count as f64 * std::f64::consts::FRAC_PI_2);
            let corners = [(-10.0, -0.5), (10.0, -0.5), (10.0, 0.5), (-10.0, 0.5)];
            grid.contour(&corners.map(|(x, y)| turn.rotate(DVec2::new(x, y))))
        };
        (0..=count).map(strip).collect()
    }

    #[test]
    fn crossings_looked_at_grow_with_the_slabs_in_one_place() {
        let points = [Vec3::new(-16.0, 0.0, -16.0), Vec3::new(-16.0, 0.0, 16.0), Vec3::new(16.0, 0.0, 16.0)];
        let grid = LevelGrid::around(&[LevelTriangle { index: 0, points, normal: Vec3::Y }]);
        for count in [32, 128] {
            let strips = strips(count, &grid);
            let hull: Vec<DVec2> = strips[0].iter().map(|&p| grid.point(p)).collect();
            let mut left = strips[..1].to_vec();
            let mut waiting = strips[1..].iter().cloned();
            let mut group: Vec<Contour> = waiting.by_ref().take(FIRST_UNITED).collect();
            let mut crossings = 0;
            while !group.is_empty() {
                crossings += group.len().pow(2);
                let after = Remainder::new(&left, group, &hull, grid);
                group = after.next_group(&mut waiting);
                left = after.into_contours();
            }
            // What is left are two wedges of at most seven corners, so no group is larger than the first.
            assert!(crossings <= FIRST_UNITED * count, "{crossings} of {count} slabs");
            let area = |contours: &[Contour]| contours.iter().map(|c| grid.double_area(c)).sum::<f64>();
            let at_once = Remainder::new(&strips[..1], strips[1..].to_vec(), &hull, grid).into_contours();
            let areas = [area(&left), area(&at_once)];
            assert!(
                (areas[0] - areas[1]).abs() < 0.01,
                "{areas:?} m², twice what is left by groups and by all at once"
            );
        }
    }

    #[test]
    fn few_edges_of_what_is_left_are_looked_at_for_one() {
        let size = 64_u16;
        let square = |x: f64, z: f64, side: f64| {
            [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)].map(|(i, k)| DVec2::new(x + i, z + k))
        };
        let points = [Vec3::ZERO, Vec3::new(0.0, 0.0, 64.0), Vec3::new(64.0, 0.0, 64.0)];
        let grid = LevelGrid::around(&[LevelTriangle { index: 0, points, normal: Vec3::Y }]);
        // A floor with a hole in each square metre.
        let floor = square(0.0, 0.0, size.into());
        let places = (0..size).flat_map(|x| (0..size).map(move |z| [x, z].map(f64::from)));
        let holes = places.clone().map(|[x, z]| grid.contour(&square(x + 0.25, z + 0.25, 0.5))).collect();
        let left = Remainder::new(&[grid.contour(&floor)], holes, &floor, grid);
        assert_eq!(left.edges.len(), 4 + 4 * usize::from(size).pow(2));
        for [x, z] in places {
            let near = Rect::around(square(x, z, 1.0).map(|p| p.as_vec2()));
            let count = left.edge_rects.grid.count_near(&near);
            assert!(count <= 128, "{count} edges near a square metre");
            assert!(left.meets(&square(x + 0.1, z + 0.1, 0.1)), "between holes");
            assert!(left.meets(&square(x + 0.1, z + 0.1, 0.8)), "around a hole");
            assert!(!left.meets(&square(x + 0.3, z + 0.3, 0.2)), "in a hole");
        }
        assert!(!left.meets(&square(70.0, 0.0, 1.0)), "beside the floor");
    }
}
