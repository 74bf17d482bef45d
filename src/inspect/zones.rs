//! Zones of fog, light and music as boxes, each with the seam over which it fades.

use super::context::OverlayContext;
use crate::debug::{Color, DebugDraw, Layer, shapes};
use crate::math::Aabb;
use glam::Vec3;

const BOX: Color = [0.55, 0.35, 0.95, 0.95];
const SEAM: Color = [0.55, 0.35, 0.95, 0.35];

/// All zones.
pub(super) fn draw(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for zone in &context.scene.settings.zones {
        let half = zone.size * 0.5;
        shapes::aabb(d, Layer::Zones, &Aabb::new(zone.center - half, zone.center + half), BOX);
        let half = half + Vec3::splat(zone.fade);
        shapes::aabb(d, Layer::Zones, &Aabb::new(zone.center - half, zone.center + half), SEAM);
    }
}
