//! Clearance of off-mesh links: whether the voxels leave room for a jump or drop.

use glam::{DVec3, Vec3};

use super::heightfield::Heightfield;
use super::settings::VoxelSettings;

impl Heightfield {
    /// Whether an agent can jump or drop from one point on the ground to another, world space: no span between them
    /// rises more than a step above the higher point, none hangs lower than the agent's height over it, and the column
    /// of the lower point is free up to there. Space outside the field is free.
    pub fn is_link_clear(&self, from: DVec3, to: DVec3, voxels: VoxelSettings) -> bool {
        let f = &self.frame;
        let scale = Vec3::new(f.cell_size, f.cell_height, f.cell_size).as_dvec3();
        let [a, b] = [from, to].map(|p| (p - f.origin.as_dvec3()) / scale);
        if !(a.is_finite() && b.is_finite()) {
            return false;
        }
        let ground = a.y.max(b.y);
        // One voxel more, since the spans of the ground are rounded up.
        let low = ground + f64::from(voxels.climb) + 1.0;
        let high = ground + f64::from(voxels.height);
        let steps = ((b - a).with_y(0.0).length() * 2.0).ceil().clamp(1.0, 1e5);
        let over = a.y.min(b.y) + f64::from(voxels.climb) + 1.0;
        let foot = if a.y < b.y { a } else { b };
        (0..=steps as u32).all(|k| self.is_column_clear(a.lerp(b, f64::from(k) / steps), low, high))
            && self.is_column_clear(foot, over, high)
    }

    /// Whether no span of the column at a point (in cells) intersects a range of heights.
    fn is_column_clear(&self, at: DVec3, low: f64, high: f64) -> bool {
        let inside = at.x >= 0.0 && at.z >= 0.0 && at.x < self.frame.width as f64 && at.z < self.frame.depth as f64;
        if !inside {
            return true;
        }
        let column = self.column(at.z as usize * self.frame.width + at.x as usize);
        !self.spans[column].iter().any(|s| f64::from(s.bottom) < high && f64::from(s.top) > low)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BakeSettings, bake, fixture, silent};
    use super::*;
    use crate::nav::mesh::off_mesh::{LinkKind, LinkSettings};

    /// A platform 2.4 m high on a plain, optionally with a wall along one side, or with a low roof over the plain.
    fn level(wall: bool, roof: bool) -> Vec<[Vec3; 3]> {
        let mut t = fixture::floor([0.0, 24.0], [0.0, 24.0], 0.0);
        t.extend(fixture::block([8.0, 16.0], [8.0, 16.0], 2.4));
        if wall {
            t.extend(fixture::block([15.4, 15.8], [8.0, 16.0], 6.0));
        }
        if roof {
            t.extend(fixture::floor([16.2, 20.0], [6.0, 18.0], 3.0));
        }
        t
    }

    /// Number of drops that lead east from the platform, and of all others.
    fn drops(t: &[[Vec3; 3]]) -> (usize, usize) {
        let settings = BakeSettings { links: Some(LinkSettings::default()), ..Default::default() };
        let baked = bake(t, &settings, &mut silent).unwrap();
        assert!(baked.debug.is_none());
        let links = baked.links;
        assert!(links.iter().all(|l| l.kind == LinkKind::Drop && l.start.y > l.end.y + 2.0));
        let east = links.iter().filter(|l| l.end.x > l.start.x + 0.5).count();
        (east, links.len() - east)
    }

    #[test]
    fn n_7_no_drop_leads_through_walls_or_under_low_roofs() {
        let (east, others) = drops(&level(false, false));
        assert!(east >= 3 && others >= 9, "{east} {others}");
        let (behind_wall, still) = drops(&level(true, false));
        assert!(behind_wall == 0 && still >= 6, "{behind_wall} {still}");
        assert_eq!(drops(&level(false, true)).0, 0);
    }
}
