//! Where two islands of a mesh come nearest: what keeps a path from leading across.

use glam::{DVec3, Vec3};
use std::fmt;

use super::surface::wall_segments;
use crate::math::{Aabb, plan};
use crate::nav::mesh::{Filter, NavMesh};

/// The nearest points of two islands, one on the outline of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandGap {
    /// On the first island, world space.
    pub from: DVec3,
    /// On the second island, world space.
    pub to: DVec3,
}

impl IslandGap {
    /// Width of the gap seen from above, metres.
    pub fn width(&self) -> f64 {
        (self.to - self.from).with_y(0.0).length()
    }

    /// How much higher the second island lies there, metres.
    pub fn rise(&self) -> f64 {
        self.to.y - self.from.y
    }
}

impl fmt::Display for IslandGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, rise) = (self.from, self.rise());
        write!(f, "they come nearest at ({:.2}, {:.2}, {:.2}): ", at.x, at.y, at.z)?;
        if self.width() < 0.005 && rise.abs() >= 0.005 {
            return write!(f, "{:.2} m straight {}", rise.abs(), if rise > 0.0 { "up" } else { "down" });
        }
        write!(f, "{:.2} m apart", self.width())?;
        match rise {
            rise if rise >= 0.005 => write!(f, ", {rise:.2} m up"),
            rise if rise <= -0.005 => write!(f, ", {:.2} m down", -rise),
            _ => Ok(()),
        }
    }
}

/// Finds where two islands come nearest in space; `None` if one of them has no outline. Compares every wall of one with
/// those of the other that are near enough along the longer side of their ground: a question that a person asks, not a step of
/// a simulation.
pub fn island_gap(mesh: &NavMesh, islands: (u32, u32)) -> Option<IslandGap> {
    let filter = Filter::default();
    let walls = |island: u32| -> Vec<(Vec3, Vec3)> {
        let own = mesh.live_polygons().filter(|&id| mesh.polygon(id).island == island);
        own.flat_map(|id| wall_segments(mesh, id, &filter, false)).map(|side| (side.from, side.to)).collect()
    };
    let (mine, mut others) = (walls(islands.0), walls(islands.1));
    // Along one axis, so that only a stretch of the others is in reach.
    let size = Aabb::from_points(others.iter().flat_map(|wall| [wall.0, wall.1])).size();
    let axis = if size.z > size.x { 2 } else { 0 };
    let low = |wall: &(Vec3, Vec3)| wall.0[axis].min(wall.1[axis]);
    others.sort_by(|a, b| low(a).total_cmp(&low(b)));
    let longest = others.iter().map(|wall| (wall.0[axis] - wall.1[axis]).abs()).fold(0.0, f32::max);
    let (mut least, mut best) = (f32::INFINITY, None);
    for wall in &mine {
        let (from, to) = (wall.0.min(wall.1), wall.0.max(wall.1));
        let first = others.partition_point(|other| low(other) < from[axis] - least - longest);
        for other in &others[first..] {
            if low(other) > to[axis] + least {
                break;
            }
            let apart = (from - other.0.max(other.1)).max(other.0.min(other.1) - to).max(Vec3::ZERO);
            if apart.length() >= least {
                continue;
            }
            let (a, b) = plan::closest_of_segments(*wall, *other);
            if a.distance(b) < least {
                (least, best) = (a.distance(b), Some((a, b)));
            }
        }
    }
    best.map(|(a, b)| IslandGap { from: mesh.world(a), to: mesh.world(b) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::mesh::{RawMesh, RawPolygon, fixture};

    #[test]
    fn n_04_the_gap_between_two_islands_is_named() {
        // Two rooms, nearest where the wall between them is one cell thick.
        let mesh = fixture::plan(&["..###", "..###", "..#..", "..#.."], true).validate().unwrap();
        let island = |x: f64| {
            let id = mesh.live_polygons().find(|&id| mesh.contains_2d(id, mesh.local(DVec3::new(x, 0.0, 2.5))));
            mesh.polygon(id.unwrap()).island
        };
        let gap = island_gap(&mesh, (island(0.5), island(4.5))).unwrap();
        assert!((gap.width() - 1.0).abs() < 1e-4 && gap.rise().abs() < 1e-4, "{gap:?}");
        assert!((gap.from.x - 2.0).abs() < 1e-4 && (gap.to.x - 3.0).abs() < 1e-4 && gap.to.z >= 2.0, "{gap:?}");
        assert!(gap.to_string().ends_with("1.00 m apart"), "{gap}");
        let steep = IslandGap { to: gap.to.with_y(0.52), ..gap };
        assert!(steep.to_string().ends_with("1.00 m apart, 0.52 m up"), "{steep}");
        assert_eq!(island_gap(&mesh, (island(0.5), 77)), None);
    }

    #[test]
    fn n_04_gaps_are_found_along_either_side_of_the_ground() {
        // Two long bars, nearest where one has a tooth.
        let rows: Vec<String> = (0..60).map(|row| if row == 41 { "..#" } else { ".##" }.to_owned() + ".").collect();
        let along = |i: usize| rows.iter().map(|row| row.as_bytes()[i] as char).collect::<String>();
        let turned: Vec<String> = (0..4).map(along).collect();
        for (rows, turned) in [(&rows, false), (&turned, true)] {
            let raw = fixture::plan(&rows.iter().map(String::as_str).collect::<Vec<_>>(), true);
            let gap = island_gap(&raw.validate().unwrap(), (0, 1)).unwrap();
            assert!((gap.width() - 1.0).abs() < 1e-4, "{gap}");
            let at = if turned { gap.from.x } else { gap.from.z };
            assert!((41.0..=42.0).contains(&at), "{gap}");
        }
    }

    #[test]
    fn n_04_a_bridge_is_no_gap_of_the_ground_below() {
        let mut raw = RawMesh::default();
        for (y, [x0, x1], [z0, z1]) in [(3.0, [0.0, 10.0], [-1.0, 1.0]), (0.0, [4.0, 6.0], [-5.0, 5.0])] {
            let first = raw.vertices.len() as u32;
            raw.vertices.extend([(x0, z0), (x1, z0), (x1, z1), (x0, z1)].map(|(x, z)| DVec3::new(x, y, z)));
            raw.polygons.push(RawPolygon::new([0, 1, 2, 3].map(|i| first + i)));
        }
        let mesh = raw.validate().unwrap();
        let gap = island_gap(&mesh, (0, 1)).unwrap();
        assert!((gap.rise().abs() - 3.0).abs() < 1e-4, "{gap:?}");
    }
}
