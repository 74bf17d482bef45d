//! A fine mesh: a plan of many small squares with pillars, walls with doors, and rooms without.

use glam::DVec3;
use walkabout::nav::mesh::{NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};

/// A mesh of squares of half a metre and what a look at the plan says of it.
pub struct Fine {
    pub mesh: NavMesh,
    /// Per polygon of the mesh, which island it belongs to.
    pub islands: Vec<u32>,
}

/// Numbers that look random, always the same.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize * limit) >> 31
    }
}

impl Fine {
    /// A plan of `side` × `side` squares, of which about three quarters are ground.
    pub fn new(side: usize, seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let mut open: Vec<bool> = (0..side * side).map(|_| numbers.below(6) > 0).collect();
        for wall in (12..side).step_by(12) {
            for i in 0..side {
                // Doors are rare, so that some rooms have none.
                open[wall * side + i] = numbers.below(9) == 0;
                open[i * side + wall] = numbers.below(7) == 0;
            }
        }
        let corner = |x: usize, z: usize| (z * (side + 1) + x) as u32;
        let height = |x: usize, z: usize| 0.6 * (x as f64 * 0.11).sin() + 0.4 * (z as f64 * 0.17).cos();
        let vertices = (0..(side + 1) * (side + 1)).map(|i| (i % (side + 1), i / (side + 1)));
        let vertices = vertices.map(|(x, z)| DVec3::new(x as f64 * 0.5, height(x, z), z as f64 * 0.5)).collect();
        let cells: Vec<usize> = (0..side * side).filter(|&i| open[i]).collect();
        let square = |&i: &usize| {
            let (x, z) = (i % side, i / side);
            RawPolygon::new([corner(x, z), corner(x + 1, z), corner(x + 1, z + 1), corner(x, z + 1)])
        };
        let mesh = RawMesh { vertices, polygons: cells.iter().map(square).collect() }.validate().unwrap();
        let flooded = flood(side, &open);
        let islands = (0..mesh.len() as u32).map(|p| flooded[cells[mesh.source(PolyId(p)) as usize]]).collect();
        Self { mesh, islands }
    }

    /// A place in a random polygon.
    pub fn place(&self, numbers: &mut Numbers) -> NavPoint {
        let id = PolyId(numbers.below(self.mesh.len()) as u32);
        let corners = self.mesh.corners_of(id);
        let towards = corners[numbers.below(corners.len())];
        NavPoint::new(id, self.mesh.polygon(id).center.lerp(towards, numbers.below(95) as f32 * 0.01))
    }
}

/// Numbers the islands of a plan: squares that share a side.
fn flood(side: usize, open: &[bool]) -> Vec<u32> {
    let mut islands = vec![u32::MAX; open.len()];
    let mut count = 0;
    for first in 0..open.len() {
        if !open[first] || islands[first] != u32::MAX {
            continue;
        }
        let mut stack = vec![first];
        islands[first] = count;
        while let Some(i) = stack.pop() {
            let (x, z) = (i % side, i / side);
            let beside = [(x > 0, i.wrapping_sub(1)), (x + 1 < side, i + 1)];
            let along = [(z > 0, i.wrapping_sub(side)), (z + 1 < side, i + side)];
            for (inside, next) in beside.into_iter().chain(along) {
                if inside && open[next] && islands[next] == u32::MAX {
                    islands[next] = count;
                    stack.push(next);
                }
            }
        }
        count += 1;
    }
    islands
}
