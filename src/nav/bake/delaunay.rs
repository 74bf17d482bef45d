//! Delaunay triangulation of a convex polygon and points inside it, by incremental insertion (Bowyer 1981, Watson
//! 1981).

use glam::DVec3;

use crate::math::plan;

/// Smallest area of a triangle, doubled, cells².
const MIN_AREA: f64 = 1e-6;

/// Twice the signed area in plan view; positive for outlines of polygons.
pub fn area2(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    -plan::cross(a, b, c)
}

/// A triangulation under construction.
#[derive(Clone, Debug)]
pub struct Triangulation {
    /// The outline in order, then the inserted points.
    pub points: Vec<DVec3>,
    /// Point indices; every triangle has positive [`area2`].
    pub triangles: Vec<[u32; 3]>,
    /// The triangles that the last insertion has replaced; all others are as they were, in the same order, before the new
    /// ones.
    pub replaced: Vec<[u32; 3]>,
}

impl Triangulation {
    /// Triangulates a convex outline whose points may be collinear with their neighbours. `None` without area.
    pub fn from_outline(points: Vec<DVec3>) -> Option<Self> {
        let mut ring: Vec<u32> = (0..points.len() as u32).collect();
        let at = |i: u32| points[i as usize];
        let mut left: f64 = (1..ring.len().max(2) - 1).map(|i| area2(points[0], points[i], points[i + 1])).sum();
        let mut triangles = Vec::with_capacity(ring.len());
        while ring.len() > 3 {
            let n = ring.len();
            let ear = |i: usize| [ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]];
            let size = |i: usize| {
                let [a, b, c] = ear(i).map(at);
                area2(a, b, c)
            };
            let cut = |i: usize| at(ear(i)[0]).distance_squared(at(ear(i)[2]));
            // The remainder must have an area.
            let good = (0..n).filter(|&i| size(i) > MIN_AREA && left - size(i) > MIN_AREA);
            let best = good.min_by(|&i, &j| cut(i).total_cmp(&cut(j)))?;
            triangles.push(ear(best));
            left -= size(best);
            ring.remove(best);
        }
        let last: [u32; 3] = ring.try_into().ok()?;
        let [a, b, c] = last.map(at);
        if area2(a, b, c) <= MIN_AREA {
            return None;
        }
        triangles.push(last);
        Some(Self { points, triangles, replaced: Vec::new() })
    }

    /// Inserts a point if it lies inside; returns whether it was inserted.
    pub fn insert(&mut self, p: DVec3) -> bool {
        self.replaced.clear();
        let turn = |points: &[DVec3], a: u32, b: u32| area2(points[a as usize], points[b as usize], p);
        let holds = |t: &[u32; 3]| (0..3).all(|k| turn(&self.points, t[k], t[(k + 1) % 3]) >= 0.0);
        let Some(home) = self.triangles.iter().position(holds) else { return false };
        // The cavity: triangles whose circumcircle contains the point, fewer where it would not be star-shaped around
        // the point.
        let mut cavity: Vec<bool> = self.triangles.iter().map(|t| self.circumcircle_contains(t, p)).collect();
        cavity[home] = true;
        loop {
            let rim = self.rim(&cavity);
            let blind = rim.iter().find(|(_, edge)| turn(&self.points, edge[0], edge[1]) <= MIN_AREA);
            match blind {
                None if self.is_connected(&cavity, home) => break,
                Some(&(t, _)) if t != home => cavity[t] = false,
                // Too near to an edge of the outline.
                _ => return false,
            }
        }
        let rim = self.rim(&cavity);
        let mut index = 0;
        let (triangles, replaced) = (&mut self.triangles, &mut self.replaced);
        triangles.retain(|triangle| {
            index += 1;
            if cavity[index - 1] {
                replaced.push(*triangle);
            }
            !cavity[index - 1]
        });
        let new = self.points.len() as u32;
        self.points.push(p);
        self.triangles.extend(rim.iter().map(|(_, [a, b])| [*a, *b, new]));
        true
    }

    /// Edges between the cavity and the rest, each with its triangle.
    fn rim(&self, cavity: &[bool]) -> Vec<(usize, [u32; 2])> {
        let hits = || (0..cavity.len()).filter(|&t| cavity[t]);
        let edges = |t: usize| (0..3).map(move |k| (t, [self.triangles[t][k], self.triangles[t][(k + 1) % 3]]));
        let all: Vec<(usize, [u32; 2])> = hits().flat_map(edges).collect();
        all.iter().filter(|(_, [a, b])| !all.iter().any(|(_, e)| *e == [*b, *a])).copied().collect()
    }

    /// Whether the cavity is connected to `home`.
    fn is_connected(&self, cavity: &[bool], home: usize) -> bool {
        let mut seen = vec![false; cavity.len()];
        let mut stack = vec![home];
        seen[home] = true;
        while let Some(t) = stack.pop() {
            let own = self.triangles[t];
            for (o, other) in self.triangles.iter().enumerate() {
                let shared = other.iter().filter(|v| own.contains(v)).count();
                if cavity[o] && !seen[o] && shared == 2 {
                    seen[o] = true;
                    stack.push(o);
                }
            }
        }
        seen.iter().zip(cavity).all(|(s, h)| s == h)
    }

    fn circumcircle_contains(&self, t: &[u32; 3], p: DVec3) -> bool {
        let [a, b, c] = t.map(|i| {
            let q = self.points[i as usize] - p;
            (q.x, q.z, q.x * q.x + q.z * q.z)
        });
        let det = a.0 * (b.1 * c.2 - b.2 * c.1) - a.1 * (b.0 * c.2 - b.2 * c.0) + a.2 * (b.0 * c.1 - b.1 * c.0);
        // Positive order in this plane is clockwise in (x, z).
        det < -1e-9
    }

    /// The first triangle over or under a point inside, and its height there.
    pub fn triangle_at(&self, p: DVec3) -> Option<([u32; 3], f64)> {
        self.triangles.iter().find_map(|t| {
            let [a, b, c] = t.map(|i| self.points[i as usize]);
            let (u, v, w) = (area2(b, c, p), area2(c, a, p), area2(a, b, p));
            let whole = area2(a, b, c);
            let inside = u >= -MIN_AREA && v >= -MIN_AREA && w >= -MIN_AREA;
            inside.then(|| (*t, (a.y * u + b.y * v + c.y * w) / whole))
        })
    }

    /// Interpolated height at the xz of a point inside.
    pub fn height_at(&self, p: DVec3) -> Option<f64> {
        self.triangle_at(p).map(|(_, height)| height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(t: &Triangulation) -> f64 {
        t.triangles
            .iter()
            .map(|t3| {
                let [a, b, c] = t3.map(|i| t.points[i as usize]);
                let area = area2(a, b, c);
                assert!(area > 0.0);
                area
            })
            .sum()
    }

    /// A rectangle with `n` extra points on its first side.
    fn outline(n: usize, width: f64, depth: f64) -> Vec<DVec3> {
        let mut out: Vec<DVec3> = (0..=n).map(|k| DVec3::new(0.0, 0.0, depth * k as f64 / (n + 1) as f64)).collect();
        out.extend([DVec3::new(0.0, 0.0, depth), DVec3::new(width, 0.0, depth), DVec3::new(width, 0.0, 0.0)]);
        out
    }

    #[test]
    fn outlines_with_points_in_a_line_are_covered() {
        for n in 0..6 {
            let t = Triangulation::from_outline(outline(n, 3.0, 5.0)).unwrap();
            assert_eq!(t.triangles.len(), n + 2);
            assert!((total(&t) - 30.0).abs() < 1e-9);
        }
        let line = vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0];
        assert!(Triangulation::from_outline(line).is_none());
        assert!(Triangulation::from_outline(vec![DVec3::ZERO, DVec3::X]).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn points_inside_keep_the_whole_covered(
            n in 0usize..5, list in proptest::collection::vec((0.0f64..=1.0, 0.0f64..=1.0, -3.0f64..3.0), 0..40), grid in any::<bool>(),
        ) {
            let mut t = Triangulation::from_outline(outline(n, 20.0, 30.0)).unwrap();
            let whole = total(&t);
            for (x, z, y) in list {
                let snap = |v: f64| if grid { v.round() } else { v };
                let p = DVec3::new(snap(x * 20.0), y, snap(z * 30.0));
                let count = t.triangles.len();
                let corners = t.points.len();
                let before = t.triangles.clone();
                if t.insert(p) {
                    let kept: Vec<[u32; 3]> = before.into_iter().filter(|t3| !t.replaced.contains(t3)).collect();
                    prop_assert_eq!(kept.len() + t.replaced.len(), count);
                    prop_assert_eq!(&t.triangles[..kept.len()], &kept[..]);
                    prop_assert_eq!((t.triangles.len(), t.points.len()), (count + 2, corners + 1));
                    prop_assert!((t.height_at(p).unwrap() - y).abs() < 1e-6);
                }
                prop_assert!((total(&t) - whole).abs() < 1e-6);
            }
        }
    }
}
