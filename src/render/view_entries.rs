//! What the views of a frame show of the instances of one model, grouped by level of detail and material variant.

use super::frame::InstanceDraw;
use super::lod::LOD_COUNT;
use super::types::MAX_CASCADES;
use rayon::prelude::*;

/// Views of a frame: the picture, the shadow maps, the pick target.
pub const MAX_VIEWS: usize = MAX_CASCADES + 2;
/// Stands for a level of detail where an instance is not in a view.
pub const UNSEEN: u8 = u8::MAX;
/// An instance that is in some view.
pub struct CulledInstance<'a> {
    /// What is drawn of it.
    pub instance: &'a InstanceDraw,
    /// Its size in the picture, pixels.
    pub size_px: f32,
    /// Level of detail by view, or [`UNSEEN`].
    pub lods: [u8; MAX_VIEWS],
    /// Kind of its outline, 0 for none.
    pub outline: u32,
    /// As [`InstanceDraw::material_variant`].
    pub material_variant: u32,
    /// Number of the pose that it shares with others.
    pub pose: Option<u64>,
}

/// What a view shows of the instances of one model.
pub struct ViewEntries {
    /// Entries of the visible list: by level of detail, then by material variant, then by number.
    pub entries: Vec<u32>,
    /// Where those of each level of detail and variant end.
    pub ends: Vec<u32>,
}

/// What each view shows of instances, the first of which has this number; `tags` has the bits that stand in the entries of each view.
pub fn view_entries(tags: &[u32], culled: &[CulledInstance<'_>], first_number: u32) -> Vec<ViewEntries> {
    let variant_count = culled.iter().map(|one| one.material_variant as usize + 1).max().unwrap_or(1);
    let of_view = |(view, tag): (usize, &u32)| {
        let shown = (first_number..).zip(culled).filter(|(_, one)| one.lods[view] != UNSEEN);
        let shown = shown.map(|(number, one)| {
            (one.lods[view] as usize * variant_count + one.material_variant as usize, number | tag)
        });
        // Counting sort.
        let mut ends = vec![0; LOD_COUNT * variant_count];
        shown.clone().for_each(|(group, _)| ends[group] += 1);
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        let mut entries = vec![0; total as usize];
        for (group, entry) in shown {
            entries[ends[group] as usize] = entry;
            ends[group] += 1;
        }
        ViewEntries { entries, ends }
    };
    tags.par_iter().enumerate().map(of_view).collect()
}
