//! What an enemy sees of a way, by rays: the slow reference of cover maps.

use glam::Vec3;
use walkabout::nav::tactical::CoverSegment;

/// Fraction of the segment from `p` to `q` visible to an enemy past these covers in plan view, 0 (none) to 1 (all), by
/// `count` rays to evenly spaced points: the slow reference that cover maps are measured against.
pub fn exposure_by_rays<'a>(
    covers: impl Iterator<Item = &'a CoverSegment> + Clone,
    enemy: Vec3,
    p: Vec3,
    q: Vec3,
    count: u32,
) -> f32 {
    let seen = (0..count).filter(|&i| {
        let target = p.lerp(q, (i as f32 + 0.5) / count as f32);
        !covers.clone().any(|c| crosses(enemy, target, c))
    });
    seen.count() as f32 / count.max(1) as f32
}

/// Whether the segment from `from` to `to` crosses the cover in plan view.
fn crosses(from: Vec3, to: Vec3, cover: &CoverSegment) -> bool {
    let side = |a: Vec3, b: Vec3, p: Vec3| (b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x) >= 0.0;
    side(from, to, cover.a) != side(from, to, cover.b) && side(cover.a, cover.b, from) != side(cover.a, cover.b, to)
}
