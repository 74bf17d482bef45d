//! What may stand on the ground or hang over it: the triangles of a level, pairs of them that make one flat convex face as
//! one, found by their rectangles in plan view.

use super::convex::Corners;
use super::fans::{Fans, MIN_FAN};
use super::frame::Frame;
use crate::asset::LevelTriangle;
use crate::math::plan::to_plan;
use crate::nav::rect_grid::{Rect, TallGrid};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Corners of triangles farther apart in height than this are no flat face, metres.
const MAX_OFF_FACE: f64 = 1e-4;
/// Marks two triangles, one after the other in the level's list, that are one face.
const PAIR: u32 = 1 << 31;

/// A face of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Face(u32);

impl Face {
    /// The position of its first triangle in the level's list.
    pub fn first(self) -> u32 {
        self.0 & !PAIR
    }

    /// The positions of its triangles.
    pub fn triangles(self) -> std::ops::Range<u32> {
        self.first()..self.first() + if self.0 & PAIR == 0 { 1 } else { 2 }
    }
}

/// Between which heights over a triangle faces are looked at, metres.
#[derive(Clone, Copy)]
pub(super) struct Heights {
    /// From which one on over its lowest corner, for ground.
    pub ground: f32,
    /// As `ground`, for what is none; not below it.
    pub other: f32,
    /// Below which one over its highest corner.
    pub high: f32,
}

impl Heights {
    /// The lowest and the highest one over a triangle.
    fn over(self, triangle: &[Vec3; 3]) -> [f32; 2] {
        let heights = triangle.map(|p| p.y);
        let (floor, ceiling) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
        [floor + self.ground, ceiling + self.high]
    }
}

/// All faces of a level, by rectangles and heights.
pub(super) struct Faces<'a> {
    triangles: &'a [LevelTriangle],
    /// Per triangle whether it is ground.
    ground: &'a [bool],
    list: Vec<Face>,
    /// Per face how its triangles make it, see [`quad_order`]; 0 for one triangle.
    orders: Vec<u8>,
    rects: Vec<Rect>,
    heights: Vec<[f32; 2]>,
    /// All but those of fans.
    grid: TallGrid,
    fans: Fans,
}

impl<'a> Faces<'a> {
    /// The faces of a level without the triangles marked in `repeated`; those marked in `ground` are faces of their own.
    pub fn new(triangles: &'a [LevelTriangle], ground: &'a [bool], repeated: &[bool]) -> Self {
        let (mut list, mut orders) = (Vec::with_capacity(triangles.len()), Vec::with_capacity(triangles.len()));
        let mut next = 0;
        while next < triangles.len() {
            let other = next + 1;
            let may_pair = other < triangles.len()
                && ground[next] == ground[other]
                && ![next, other].into_iter().any(|i| repeated[i]);
            let order = if may_pair { quad_order(&triangles[next].points, &triangles[other].points) } else { None };
            if !repeated[next] {
                list.push(Face(next as u32 | if order.is_some() { PAIR } else { 0 }));
                orders.push(order.unwrap_or(0));
            }
            next += if order.is_some() { 2 } else { 1 };
        }
        list.shrink_to_fit();
        orders.shrink_to_fit();
        let (rects, heights) = (Vec::new(), Vec::new());
        let (grid, fans) = (TallGrid::default(), Fans::default());
        let mut faces = Self { triangles, ground, list, orders, rects, heights, grid, fans };
        let around =
            |face: &Face| Rect::around(face.triangles().flat_map(|i| triangles[i as usize].points).map(to_plan));
        faces.rects = faces.list.par_iter().map(around).collect();
        let heights = |face: &Face| {
            let heights = face.triangles().flat_map(|i| triangles[i as usize].points).map(|p| p.y);
            heights.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
        };
        faces.heights = faces.list.par_iter().map(heights).collect();
        faces.grid = TallGrid::build(&faces.rects, &faces.heights);
        faces.take_fans();
        faces
    }

    /// Takes the faces of fans out of the grid.
    fn take_fans(&mut self) {
        let mut crowded = self.grid.grid().crowded(MIN_FAN);
        crowded.retain(|&number| self.is_ground(number));
        self.fans = Fans::find(&crowded, |number| self.corners(number));
        let mut others = None;
        for number in self.fans.faces() {
            others.get_or_insert_with(|| self.rects.clone())[number as usize] = Rect::EMPTY;
        }
        if let Some(others) = others {
            self.grid = TallGrid::build(&others, &self.heights);
        }
    }

    /// A face by its number.
    pub fn face(&self, number: u32) -> Face {
        self.list[number as usize]
    }

    /// Whether a face is ground.
    pub fn is_ground(&self, number: u32) -> bool {
        self.ground[self.face(number).first() as usize]
    }

    /// The rectangle of a face.
    pub fn rect(&self, number: u32) -> &Rect {
        &self.rects[number as usize]
    }

    /// The corners of a face, around it.
    pub fn corners(&self, number: u32) -> Corners {
        let face = self.face(number);
        let points = |i: u32| &self.triangles[i as usize].points;
        let first = points(face.first());
        if face.0 & PAIR == 0 {
            return Corners::from_slice(first);
        }
        Corners::from_buf(in_order(first, points(face.first() + 1), self.orders[number as usize]))
    }

    /// How many faces are looked at for a triangle, see [`for_each_near`](Self::for_each_near).
    pub fn count_near(&self, triangle: &[Vec3; 3], margin: f32, among: Heights) -> usize {
        let rect = Rect::around(triangle.map(to_plan)).expanded(margin);
        let mut count = self.grid.count_near(&self.heights, &rect, among.over(triangle));
        self.fans.for_each_over(triangle, &rect, among.over(triangle), |_| count += 1);
        count
    }

    /// Calls `f` with the numbers of the faces whose rectangles come as near to that of a triangle as `margin`, metres, and that
    /// reach `among` these heights. Ground that has no area in common with the triangle, seen from above, may be left out.
    pub fn for_each_near(&self, triangle: &[Vec3; 3], margin: f32, among: Heights, mut f: impl FnMut(u32)) {
        let rect = Rect::around(triangle.map(to_plan)).expanded(margin);
        let [low, high] = among.over(triangle);
        let other = Heights { ground: among.other, ..among }.over(triangle)[0];
        let mut reaching = |number: u32| {
            let [bottom, top] = self.heights[number as usize];
            if bottom < high && (top >= other || top >= low && self.is_ground(number)) {
                f(number);
            }
        };
        self.grid.for_each_meeting((&self.rects, &self.heights), &rect, [low, high], &mut reaching);
        self.fans.for_each_over(triangle, &rect, [low, high], |number| {
            if self.rects[number as usize].intersects(&rect) {
                reaching(number);
            }
        });
    }

    /// Whether a face reaches above the lowest corner of a triangle by `low` metres or more.
    pub fn reaches(&self, number: u32, triangle: &[Vec3; 3], low: f32) -> bool {
        self.heights[number as usize][1] >= triangle[0].y.min(triangle[1].y).min(triangle[2].y) + low
    }

    /// Whether a face and a triangle have a height in common, or are nearer to each other than `margin`, metres.
    pub fn is_level_with(&self, number: u32, triangle: &[Vec3; 3], margin: f32) -> bool {
        let [bottom, top] = self.heights[number as usize];
        let [low, high] = Heights { ground: -margin, other: -margin, high: margin }.over(triangle);
        bottom <= high && top >= low
    }

    /// A frame of a triangle of the level.
    pub fn frame(&self, triangle: u32) -> Frame {
        Frame::new(&self.triangles[triangle as usize].points)
    }

    /// The corners of a triangle of the level.
    pub fn points(&self, triangle: u32) -> &'a [Vec3; 3] {
        &self.triangles[triangle as usize].points
    }
}

/// The corners of two triangles around the face that they make: the corner of the first that is none of the second, the next
/// one of the first, the corner of the second that is none of the first, and the last one. The order is 3 times the number of
/// the former plus that of the latter.
fn in_order(first: &[Vec3; 3], second: &[Vec3; 3], order: u8) -> [Vec3; 4] {
    let [apex, beyond] = [order / 3, order % 3].map(usize::from);
    [first[apex], first[(apex + 1) % 3], second[beyond], first[(apex + 2) % 3]]
}

/// The order, see [`in_order`], in which two triangles make a flat convex face; `None` where they make none.
fn quad_order(first: &[Vec3; 3], second: &[Vec3; 3]) -> Option<u8> {
    // The corner of the first that is none of the second, and the other way around.
    let lone = |own: &[Vec3; 3], other: &[Vec3; 3]| {
        let mut lone = (0..3).filter(|&i| !other.contains(&own[i]));
        lone.next().filter(|_| lone.next().is_none())
    };
    let order = (3 * lone(first, second)? + lone(second, first)?) as u8;
    let at: [DVec3; 4] = in_order(first, second, order).map(|p| p.as_dvec3());
    let normal = (at[1] - at[0]).cross(at[3] - at[0]).try_normalize()?;
    let turn = |i: usize| (at[(i + 1) % 4] - at[i]).cross(at[(i + 2) % 4] - at[(i + 1) % 4]).dot(normal);
    let is_flat = normal.dot(at[2] - at[0]).abs() <= MAX_OFF_FACE;
    (is_flat && (0..4).all(|i| turn(i) > 0.0)).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(points: &[[Vec3; 3]]) -> Vec<LevelTriangle> {
        points.iter().map(|&points| LevelTriangle { index: 0, points, normal: Vec3::Y }).collect()
    }

    #[test]
    fn two_triangles_of_a_flat_convex_face_are_one() {
        let [a, b, c, d] = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let quad = |first: &[Vec3; 3], second: &[Vec3; 3]| {
            quad_order(first, second).map(|order| in_order(first, second, order))
        };
        assert_eq!(quad(&[a, b, c], &[a, c, d]), Some([b, c, d, a]));
        assert_eq!(quad(&[c, a, b], &[d, a, c]).map(|q| q.len()), Some(4));
        assert_eq!(quad(&[a, b, c], &[a, c, d + Vec3::Y * 0.01]), None, "not flat");
        assert_eq!(quad(&[a, b, c], &[a, c, b]), None, "the same triangle");
        assert_eq!(quad(&[a, b, c], &[a, c, b + Vec3::X * 0.1]), None, "folded over");
        assert_eq!(quad(&[a, b, c], &[a, c, Vec3::new(-4.0, 0.0, -1.0)]), None, "not convex");
        let level = level(&[[a, b, c], [a, c, d], [a, b, c]]);
        let faces = |repeated: [bool; 3]| Faces::new(&level, &[false; 3], &repeated).list.clone();
        assert_eq!(faces([false, false, true]), [Face(PAIR)]);
        assert_eq!(faces([true, false, false]).len(), 1, "the others make a face");
    }

    #[test]
    fn few_storeys_of_a_tower_are_looked_at_for_one() {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        for count in [100_u16, 3000] {
            // Each a little aside: those around one corner would be a fan.
            let floor = |storey: u16| {
                let aside = f32::from(storey) * 1e-4;
                [(0.0, 0.0), (0.0, 4.0), (4.0, 0.0)].map(|(x, z)| at(x + aside, f32::from(storey) * 3.0, z + aside))
            };
            let mut points: Vec<[Vec3; 3]> = (0..count).map(floor).collect();
            // A shaft through all of them.
            points.push([at(1.0, 0.0, 1.0), at(2.0, 0.0, 1.0), at(1.0, f32::from(count) * 3.0, 1.0)]);
            let level = level(&points);
            let ground: Vec<bool> = (0..=count).map(|i| i < count).collect();
            let faces = Faces::new(&level, &ground, &vec![false; points.len()]);
            let heights = Heights { ground: -1e-4, other: 0.05, high: 1.8 };
            for own in 0..u32::from(count) {
                let mut found = Vec::new();
                faces.for_each_near(faces.points(own), 0.05, heights, |face| found.push(faces.face(face).first()));
                found.sort_unstable();
                assert_eq!(found, [own, u32::from(count)]);
                let looked_at = faces.count_near(faces.points(own), 0.05, heights);
                assert!(looked_at <= 500, "{looked_at} of {count} storeys, in 9 cells");
            }
        }
    }

    #[test]
    fn sides_are_not_looked_at_from_the_height_where_they_end() {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let top = [at(0.0, 1.0, 0.0), at(0.0, 1.0, 1.0), at(1.0, 1.0, 0.0)];
        let side = [at(0.0, 1.0, 0.0), at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.0)];
        let floor = [at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.0), at(1.0, 0.0, 0.0)];
        let level = level(&[top, side, floor]);
        let ground = [true, false, true];
        let faces = Faces::new(&level, &ground, &[false; 3]);
        let heights = Heights { ground: -1e-4, other: 0.05, high: 1.8 };
        let looked_at = |own: u32| {
            let mut found = Vec::new();
            faces.for_each_near(faces.points(own), 0.05, heights, |face| found.push(faces.face(face).first()));
            found.sort_unstable();
            found
        };
        assert_eq!(looked_at(0), [0]);
        assert_eq!(looked_at(2), [0, 1, 2]);
    }
}
