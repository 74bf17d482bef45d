//! Which regions lie above each other: the columns that several regions share.
//!
//! Of two regions the smaller one's columns are looked up among the larger one's on request: lists of all that lie
//! above each other would grow with the square of the storeys.

use super::compact_heightfield::CompactHeightfield;
use foldhash::HashSet;

/// The shared columns of regions, and of groups of them.
pub struct RegionColumns {
    /// Per region where its columns begin in `columns`, and where the last one's end.
    starts: Vec<u32>,
    /// The shared columns of each region, ascending.
    columns: Vec<u32>,
    /// Whether some column holds a region twice.
    overlaps: Vec<bool>,
    /// Number of columns of the field.
    cells: usize,
    groups: Vec<RegionGroup>,
}

/// Regions that were merged into one.
#[derive(Default)]
struct RegionGroup {
    /// The regions merged into this one.
    others: Vec<u32>,
    /// How many shared columns the group has.
    count: usize,
    /// The columns, once they were requested.
    columns: Option<HashSet<u32>>,
}

impl RegionColumns {
    /// Looks for the columns that hold several of the regions numbered below `count`; `ids` are those of the spans, 0 for
    /// none.
    pub fn new(compact: &CompactHeightfield, ids: &[u32], count: u32) -> Self {
        let columns = compact.columns.windows(2).enumerate().filter(|(_, w)| w[1] - w[0] > 1);
        let regions = columns.map(|(cell, w)| (cell as u32, &ids[w[0] as usize..w[1] as usize]));
        let several: Vec<(u32, &[u32])> =
            regions.filter(|(_, ids)| ids.iter().filter(|id| **id != 0).count() > 1).collect();
        let mut starts = vec![0_u32; count as usize + 1];
        for id in several.iter().flat_map(|(_, ids)| *ids).filter(|id| **id != 0) {
            starts[*id as usize + 1] += 1;
        }
        for i in 0..count as usize {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut columns = vec![0; starts[count as usize] as usize];
        let mut overlaps = vec![false; count as usize];
        for (cell, ids) in several {
            for &id in ids.iter().filter(|id| **id != 0) {
                let at = next[id as usize] as usize;
                overlaps[id as usize] |= at > starts[id as usize] as usize && columns[at - 1] == cell;
                columns[at] = cell;
                next[id as usize] += 1;
            }
        }
        let group = |w: &[u32]| RegionGroup { count: (w[1] - w[0]) as usize, ..RegionGroup::default() };
        let groups = starts.windows(2).map(group).collect();
        Self { starts, columns, overlaps, cells: compact.frame.cells(), groups }
    }

    /// Whether some column holds a region twice.
    pub fn overlaps_itself(&self, region: u32) -> bool {
        self.overlaps[region as usize]
    }

    fn of_region(&self, region: u32) -> &[u32] {
        &self.columns[self.starts[region as usize] as usize..self.starts[region as usize + 1] as usize]
    }

    /// The columns of a region and of all that were merged into it.
    fn of_group(&self, region: u32) -> impl Iterator<Item = u32> + '_ {
        let members = std::iter::once(&region).chain(&self.groups[region as usize].others).copied();
        members.collect::<Vec<u32>>().into_iter().flat_map(|member| self.of_region(member)).copied()
    }

    /// Whether some column holds both of two groups, which are named by the regions that all others were merged into.
    pub fn share(&mut self, a: u32, b: u32) -> bool {
        let count = |region: u32| self.groups[region as usize].count;
        let (small, large) = if count(a) <= count(b) { (a, b) } else { (b, a) };
        if count(small) == 0 {
            return false;
        }
        let known = self.groups[large as usize].columns.take();
        let known = known.unwrap_or_else(|| self.of_group(large).collect());
        let is_shared = self.of_group(small).any(|column| known.contains(&column));
        self.groups[large as usize].columns = Some(known);
        is_shared
    }

    /// Puts a group to another one.
    pub fn join(&mut self, into: u32, from: u32) {
        let [mut a, mut b] = [into, from].map(|region| std::mem::take(&mut self.groups[region as usize]));
        a.others.push(from);
        if a.count < b.count {
            std::mem::swap(&mut a.columns, &mut b.columns);
        }
        if let Some(columns) = &mut a.columns {
            let smaller =
                if a.count < b.count { (into, &a.others[..a.others.len() - 1]) } else { (from, &b.others[..]) };
            for &member in std::iter::once(&smaller.0).chain(smaller.1) {
                columns.extend(self.of_region(member));
            }
        }
        if a.others.len() < b.others.len() {
            std::mem::swap(&mut a.others, &mut b.others);
        }
        a.others.append(&mut b.others);
        a.count += b.count;
        self.groups[into as usize] = a;
    }

    /// The columns of layers under construction.
    pub fn layer(&self) -> LayerColumns<'_> {
        LayerColumns { regions: self, last: vec![0; if self.columns.is_empty() { 0 } else { self.cells }] }
    }
}

/// The columns of layers that are made one after the other.
pub struct LayerColumns<'a> {
    regions: &'a RegionColumns,
    /// Per column the layer that came last.
    last: Vec<u32>,
}

impl LayerColumns<'_> {
    /// Puts a region to a layer.
    pub fn add(&mut self, layer: u32, region: u32) {
        self.regions.of_region(region).iter().for_each(|&column| self.last[column as usize] = layer);
    }

    /// Whether some column holds both a region and a part of a layer.
    pub fn is_shared(&self, layer: u32, region: u32) -> bool {
        self.regions.of_region(region).iter().any(|&column| self.last[column as usize] == layer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::BakeSettings;
    use super::super::heightfield::{GROUND, GridFrame, Heightfield, Span};
    use super::*;

    /// Three columns: regions 1 and 2; 3 alone; 2 twice.
    fn columns() -> RegionColumns {
        let frame = GridFrame { origin: glam::Vec3::ZERO, width: 3, depth: 1, cell_size: 1.0, cell_height: 1.0 };
        let span = |top| Span { bottom: top - 1, top, area: GROUND };
        let spans = [1, 50, 1, 1, 50].map(span).to_vec();
        let field = Heightfield { frame, columns: vec![0, 2, 3, 5], spans };
        let compact = CompactHeightfield::new(&field, BakeSettings::default().voxels().unwrap());
        RegionColumns::new(&compact, &[1, 2, 3, 2, 2, 0], 4)
    }

    #[test]
    fn groups_share_the_columns_of_their_regions() {
        let mut columns = columns();
        assert_eq!([1, 2, 3].map(|region| columns.overlaps_itself(region)), [false, true, false]);
        assert!(columns.share(1, 2) && columns.share(2, 1) && !columns.share(1, 3) && !columns.share(3, 2));
        columns.join(3, 1);
        assert!(columns.share(3, 2), "by the column of what was merged into it");
    }

    #[test]
    fn layers_share_the_columns_of_what_was_put_to_them() {
        let columns = columns();
        let mut layer = columns.layer();
        layer.add(1, 1);
        assert!(layer.is_shared(1, 2) && !layer.is_shared(1, 3) && !layer.is_shared(3, 2));
    }
}
