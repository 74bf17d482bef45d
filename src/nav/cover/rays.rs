//! Exposure by rays, one after the other against every cover: slow, for judging the maps. Searches never come here,
//! and the count of rays proves it.

use std::cell::Cell;

use glam::Vec3;

use super::segment::CoverSegment;

thread_local! {
    static CAST: Cell<u64> = const { Cell::new(0) };
}

/// How many rays this thread has cast so far.
pub fn rays_cast() -> u64 {
    CAST.get()
}

/// Which part of the way from `p` to `q` an enemy sees over these covers, as seen from above: `count` rays to points
/// spread evenly over the way. 0 (none) to 1 (all).
pub fn exposure_by_rays<'a>(
    covers: impl Iterator<Item = &'a CoverSegment> + Clone,
    enemy: Vec3,
    p: Vec3,
    q: Vec3,
    count: u32,
) -> f32 {
    let seen = (0..count).filter(|&i| {
        CAST.set(CAST.get() + 1);
        let target = p.lerp(q, (i as f32 + 0.5) / count as f32);
        !covers.clone().any(|c| crosses(enemy, target, c))
    });
    seen.count() as f32 / count.max(1) as f32
}

/// Whether the line from `from` to `to` crosses the cover's line, as seen from above.
fn crosses(from: Vec3, to: Vec3, cover: &CoverSegment) -> bool {
    let side = |a: Vec3, b: Vec3, p: Vec3| (b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x) >= 0.0;
    side(from, to, cover.a) != side(from, to, cover.b) && side(cover.a, cover.b, from) != side(cover.a, cover.b, to)
}
