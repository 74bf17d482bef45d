//! Island filter: removes the islands of a raw mesh that hold none of some seed points.

use glam::DVec3;

use super::RawMesh;

/// Largest distance between a seed and its island, metres.
pub const ISLAND_REACH: f64 = 10.0;

impl RawMesh {
    /// Marks the polygons of the islands nearest to the seeds. Neighbours must be listed, as bakers do; a polygon
    /// without a list is an island.
    ///
    /// # Errors
    /// Index of a seed without a polygon within [`ISLAND_REACH`].
    pub fn islands_of(&self, seeds: &[DVec3]) -> Result<Vec<bool>, usize> {
        let mut kept = vec![false; self.polygons.len()];
        let mut stack = Vec::new();
        for (i, &seed) in seeds.iter().enumerate() {
            let near = (0..self.polygons.len()).map(|p| (self.distance_squared(p, seed), p));
            let best = near.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|b| b.0 <= ISLAND_REACH * ISLAND_REACH);
            stack.push(best.ok_or(i)?.1);
        }
        while let Some(p) = stack.pop() {
            if !std::mem::replace(&mut kept[p], true) {
                let around = self.polygons[p].neighbors.iter().flatten().flatten();
                stack.extend(around.map(|&n| n as usize).filter(|&n| kept.get(n) == Some(&false)));
            }
        }
        Ok(kept)
    }

    /// Keeps the marked polygons and the vertices they use.
    pub fn retain(&self, kept: &[bool]) -> Self {
        let mut numbers = vec![u32::MAX; self.polygons.len()];
        let list = (0..self.polygons.len()).filter(|&p| kept.get(p) == Some(&true));
        list.clone().zip(0..).for_each(|(p, number)| numbers[p] = number);
        let mut vertex_numbers = vec![u32::MAX; self.vertices.len()];
        let mut out = Self::default();
        for p in list {
            let mut polygon = self.polygons[p].clone();
            for v in &mut polygon.vertices {
                let Some(number) = vertex_numbers.get_mut(*v as usize) else { continue };
                if *number == u32::MAX {
                    *number = out.vertices.len() as u32;
                    out.vertices.push(self.vertices[*v as usize]);
                }
                *v = *number;
            }
            for n in polygon.neighbors.iter_mut().flatten() {
                *n = n.and_then(|n| numbers.get(n as usize).copied()).filter(|&n| n != u32::MAX);
            }
            out.polygons.push(polygon);
        }
        out
    }

    /// Squared distance from a point to a polygon, taken as the fan from its first corner.
    fn distance_squared(&self, polygon: usize, seed: DVec3) -> f64 {
        let corners = &self.polygons[polygon].vertices;
        let at = |i: usize| self.vertices.get(corners[i] as usize).copied().unwrap_or(DVec3::INFINITY);
        (1..corners.len().max(2) - 1)
            .map(|i| nearest(seed, at(0), at(i), at(i + 1)).distance_squared(seed))
            .fold(f64::INFINITY, f64::min)
    }
}

/// The point of triangle a, b, c nearest to p (Ericson, "Real-Time Collision Detection", section 5.1.5).
fn nearest(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let normal = ab.cross(ac);
    let inside = |from: DVec3, along: DVec3| along.cross(p - from).dot(normal) >= 0.0;
    if normal != DVec3::ZERO && inside(a, ab) && inside(b, bc) && inside(c, a - c) {
        return p - normal * ((p - a).dot(normal) / normal.length_squared());
    }
    let on = |from: DVec3, along: DVec3| {
        let length = along.length_squared();
        if length > 0.0 { from + along * ((p - from).dot(along) / length).clamp(0.0, 1.0) } else { from }
    };
    let mut best = on(a, ab);
    for other in [on(b, bc), on(c, a - c)] {
        if other.distance_squared(p) < best.distance_squared(p) {
            best = other;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::RawPolygon;

    #[test]
    fn only_islands_with_a_place_remain() {
        let mut raw = RawMesh::default();
        for x in [0.0, 1.0, 20.0, 40.0] {
            let first = raw.vertices.len() as u32;
            let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
            raw.vertices.extend(corners.map(|(dx, z)| DVec3::new(x + dx, 3.0, z)));
            let mut p = RawPolygon::new([first, first + 1, first + 2, first + 3]);
            p.neighbors = Some(vec![None; 4]);
            raw.polygons.push(p);
        }
        // The first two share an edge.
        (raw.polygons[1].vertices[0], raw.polygons[1].vertices[1]) = (3, 2);
        raw.polygons[0].neighbors = Some(vec![None, None, Some(1), None]);
        raw.polygons[1].neighbors = Some(vec![Some(0), None, None, None]);
        let count = |seeds: &[DVec3]| raw.islands_of(seeds).map(|k| raw.retain(&k).validate().map_or(0, |m| m.len()));
        assert_eq!(count(&[DVec3::new(1.5, 0.0, 0.5)]), Ok(2));
        assert_eq!(count(&[DVec3::new(1.5, 0.0, 0.5), DVec3::new(42.0, 3.0, 0.5)]), Ok(3));
        assert_eq!(count(&[DVec3::new(20.0, 3.0, 0.5), DVec3::new(20.0, 14.0, 0.5)]), Err(1));
        assert_eq!(count(&[DVec3::NAN]), Err(0));
        assert_eq!(raw.retain(&[false, false, false, true]).vertices.len(), 4);
    }
}
