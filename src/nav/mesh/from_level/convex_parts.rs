//! Areas as convex parts: those of a Delaunay triangulation, as few as their edges make.

use super::areas::Shapes;
use super::level_grid::{Contour, Point};
use i_triangle::advanced::delaunay::{DelaunayRefine, IntDelaunay};
use i_triangle::geom::point::IndexPoint;
use i_triangle::geom::triangle::IntTriangle;
use i_triangle::int::triangulatable::IntTriangulatable;
use i_triangle::int::triangulation::RawIntTriangulation;

/// Corners of areas from which on they are [sheared](Shear): the flips of fewer take a twentieth of a second at most.
const MANY_CORNERS: usize = 1 << 15;
/// Coordinates are below this, see [`super::level_grid::LevelGrid`].
const MAX_COORDINATE: i64 = 1 << 30;

/// Cuts areas into convex parts.
pub(super) fn convex_parts(shapes: &Shapes) -> Vec<Contour> {
    let count: usize = shapes.iter().flatten().map(Vec::len).sum();
    let shear = Some(shapes).filter(|_| count >= MANY_CORNERS).and_then(Shear::around);
    match shear {
        Some(shear) => shear.delaunay(shapes).to_convex_polygons(),
        None => shapes.triangulate().into_delaunay().to_convex_polygons(),
    }
}

/// Areas pushed aside along x the more the larger y is, whole cells, so that triangles stay triangles of the same area.
///
/// A triangulation sweeps along x and is made a Delaunay one by flips of edges. Between rows of things along x and y many
/// corners have one x: those of a whole street at once, which becomes a fan around one of them, and takes the square of their
/// number of flips. Sheared, the corners of both sides of a street follow each other along it.
struct Shear {
    middle: [i64; 2],
}

impl Shear {
    /// Not a multiple of 45° against the axes: few streets run along (−3, 1).
    const ALONG_X: i64 = 3;

    /// The one around areas, if it has room for them.
    fn around(shapes: &Shapes) -> Option<Self> {
        let points = || shapes.iter().flatten().flatten().map(|p| [p.x, p.y].map(i64::from));
        let low = points().reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])])?;
        let high = points().reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])])?;
        let half = [0, 1].map(|i| (high[i] - low[i]) / 2 + 1);
        let middle = [0, 1].map(|i| low[i] + half[i]);
        (half[0] + Self::ALONG_X * half[1] < MAX_COORDINATE).then_some(Self { middle })
    }

    fn push(&self, p: Point) -> Point {
        let [x, y] = [i64::from(p.x) - self.middle[0], i64::from(p.y) - self.middle[1]];
        Point::new((x + Self::ALONG_X * y) as i32, y as i32)
    }

    fn pull(&self, p: Point) -> Point {
        let [x, y] = [i64::from(p.x), i64::from(p.y)];
        Point::new((x - Self::ALONG_X * y + self.middle[0]) as i32, (y + self.middle[1]) as i32)
    }

    /// A triangulation that is made in sheared areas.
    fn triangulation(&self, shapes: &Shapes) -> RawIntTriangulation<i32> {
        let push = |contour: &Contour| contour.iter().map(|&p| self.push(p)).collect();
        let pushed: Shapes = shapes.iter().map(|shape| shape.iter().map(push).collect()).collect();
        pushed.triangulate()
    }

    fn delaunay(&self, shapes: &Shapes) -> IntDelaunay<i32> {
        let sheared = self.triangulation(shapes);
        let points: Vec<Point> = sheared.points().iter().map(|&p| self.pull(p)).collect();
        let corners = sheared.triangle_indices::<u32>();
        let neighbors = sheared.triangle_neighbors();
        let at = |i: u32| IndexPoint::new(i as usize, points[i as usize]);
        let triangle =
            |(corners, neighbors): (&[u32; 3], [usize; 3])| IntTriangle { vertices: corners.map(at), neighbors };
        let (corners, _) = corners.as_chunks::<3>();
        let mut triangles: Vec<IntTriangle<i32>> = corners.iter().zip(neighbors).map(triangle).collect();
        triangles.build();
        IntDelaunay { triangles, points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of this many streets in both directions between blocks, as one outline and the holes.
    fn streets(count: i32) -> Shapes {
        let square =
            |x: i32, y: i32, size: i32| [[0, 0], [size, 0], [size, size], [0, size]].map(|[i, k]| [x + i, y + k]);
        let contour = |corners: &[[i32; 2]]| corners.iter().map(|&[x, y]| Point::new(x, y)).collect::<Contour>();
        let mut shape = vec![contour(&square(0, 0, 300 * count - 200))];
        for x in 0..count - 1 {
            shape.extend((0..count - 1).map(|y| {
                let mut hole = square(100 + 300 * x, 100 + 300 * y, 200);
                hole.reverse();
                contour(&hole)
            }));
        }
        vec![shape]
    }

    /// The mean over all corners of the squares of how many triangles meet there: what flips of fans take.
    fn mean_square_fan(triangulation: &RawIntTriangulation<i32>) -> usize {
        let mut fans = vec![0_usize; triangulation.points().len()];
        triangulation.triangle_indices::<u32>().into_iter().for_each(|corner| fans[corner as usize] += 1);
        fans.iter().map(|fan| fan * fan).sum::<usize>() / fans.len()
    }

    #[test]
    fn streets_become_no_fans_to_be_flipped() {
        for count in [16, 64, 256] {
            let shapes = streets(count);
            let shear = Shear::around(&shapes).unwrap();
            let fan = mean_square_fan(&shear.triangulation(&shapes));
            assert!(fan <= 100, "{fan} for {count} streets");
        }
        let fan = mean_square_fan(&streets(256).triangulate());
        assert!(fan >= 200, "{fan} without a shear");
    }

    #[test]
    fn sheared_areas_have_the_same_parts() {
        let shapes = streets(16);
        let double_area = |contours: &[Contour]| {
            let turn = |a: &Point, b: &Point| i64::from(a.x) * i64::from(b.y) - i64::from(b.x) * i64::from(a.y);
            let of = |c: &Contour| (0..c.len()).map(|i| turn(&c[i], &c[(i + 1) % c.len()])).sum::<i64>();
            contours.iter().map(of).sum::<i64>()
        };
        let parts = Shear::around(&shapes).unwrap().delaunay(&shapes).to_convex_polygons();
        assert_eq!(parts.len(), shapes.triangulate().into_delaunay().to_convex_polygons().len());
        assert_eq!(double_area(&parts), double_area(&shapes[0]));
    }

    #[test]
    fn areas_without_room_are_not_sheared() {
        let wide = |half: i32| vec![vec![vec![Point::new(-half, 0), Point::new(half, 0), Point::new(0, half)]]];
        assert!(Shear::around(&wide(1 << 28)).is_some_and(|shear| {
            let p = Point::new(5, 7);
            shear.pull(shear.push(p)) == p
        }));
        assert!(Shear::around(&wide(1 << 29)).is_none() && Shear::around(&Vec::new()).is_none());
    }
}
