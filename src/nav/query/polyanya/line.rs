//! Whether a straight line stays inside.

use glam::DVec2;

use super::mesh::{Corner, PolyanyaMesh};
use crate::nav::mesh::NONE;

/// Follows straight lines from cell to cell.
#[derive(Debug, Default)]
pub(super) struct LineWalk {
    /// Cells that the line enters: cell, portal.
    open: Vec<(u32, u32)>,
    /// Cells that it enters exactly at a portal's end, from both sides of that.
    touched: Vec<u32>,
}

impl LineWalk {
    /// Whether the straight line between two points, which lie in or on these cells, stays inside. A line that only just
    /// passes between two corners may be taken for blocked: the way around them is as long.
    pub(super) fn is_free(&mut self, net: &PolyanyaMesh, [from, to]: [DVec2; 2], starts: &[u32], ends: &[u32]) -> bool {
        self.touched.clear();
        self.open.clear();
        self.open.extend(starts.iter().map(|&cell| (cell, NONE)));
        self.run(net, [from, to], starts, ends)
    }

    /// As [`is_free`](Self::is_free), from a corner.
    pub(super) fn is_free_from(&mut self, net: &PolyanyaMesh, corner: &Corner, to: DVec2, ends: &[u32]) -> bool {
        self.touched.clear();
        self.open.clear();
        for &portal in &net.seen[corner.seen as usize..corner.seen_end as usize] {
            self.cross(net, [corner.at, to], portal);
        }
        self.run(net, [corner.at, to], &[], ends)
    }

    fn run(&mut self, net: &PolyanyaMesh, line: [DVec2; 2], starts: &[u32], ends: &[u32]) -> bool {
        while let Some((cell, entry)) = self.open.pop() {
            if ends.contains(&cell) {
                return true;
            }
            let c = &net.cells[cell as usize];
            for portal in c.first..c.end {
                if portal != entry && !starts.contains(&net.portals[portal as usize].to) {
                    self.cross(net, line, portal);
                }
            }
        }
        false
    }

    /// Opens the cell behind a portal, if the line crosses it.
    #[inline]
    fn cross(&mut self, net: &PolyanyaMesh, [from, to]: [DVec2; 2], portal: u32) {
        let (p, d) = (&net.portals[portal as usize], to - from);
        let (a, b) = (p.a - from, p.b - from);
        let (right, left) = (a.perp_dot(d), d.perp_dot(b));
        // Where the target lies before the portal, the line ends before it.
        let crosses = right >= 0.0 && left >= 0.0 && a.perp_dot(b) > 0.0 && (b - a).perp_dot(to - p.a) <= 0.0;
        if !crosses {
            return;
        }
        if right == 0.0 || left == 0.0 {
            if self.touched.contains(&p.to) {
                return;
            }
            self.touched.push(p.to);
        }
        self.open.push((p.to, p.twin));
    }
}
