//! Gizmos of what a scene places for navigation: threats, obstacles, volumes, seeds, off-mesh links.

use super::context::OverlayContext;
use crate::debug::{Color, DebugDraw, Layer, shapes};
use crate::nav::bake::VolumeShape;
use crate::nav::mesh::debug::area_color;
use glam::{DVec3, Vec3};

const THREAT: Color = [0.85, 0.06, 0.05, 0.95];
const SEED: Color = [0.35, 0.85, 0.1, 0.95];
const BARRED: Color = [0.8, 0.1, 0.08, 0.25];
const CLOSED: Color = [0.85, 0.35, 0.05, 0.45];
const CLOSED_EDGE: Color = [0.95, 0.55, 0.15, 1.0];
const OPEN_EDGE: Color = [0.3, 0.8, 0.35, 0.9];
const LINK: Color = [0.95, 0.7, 0.1, 1.0];
const NO_FILL: Color = [0.0; 4];
const FINDING: Color = [1.0, 0.45, 0.05, 0.9];
const SELECTED_FINDING: Color = [1.0, 0.1, 0.25, 1.0];
/// Lines stand off the ground by this much, metres.
const LIFT: f32 = 0.04;
/// Height of an enemy's mark, metres: a person's.
const PERSON: f32 = 1.8;

/// Outline of a volume's lower side and its height, world space.
pub fn volume_outline(shape: &VolumeShape) -> (Vec<Vec3>, f32) {
    match shape {
        VolumeShape::Convex { outline, low, high } => {
            (outline.iter().map(|p| Vec3::new(p.x, *low, p.y)).collect(), high - low)
        }
        VolumeShape::Box { min, max } => {
            let corner = |x: f32, z: f32| Vec3::new(x, min.y, z);
            let outline = vec![corner(min.x, min.z), corner(min.x, max.z), corner(max.x, max.z), corner(max.x, min.z)];
            (outline, max.y - min.y)
        }
        VolumeShape::Cylinder { base, radius, height } => (shapes::rim(*base, *radius, 24), *height),
    }
}

/// All enemies, and crosses where cover was destroyed.
pub(super) fn threats(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for &at in &context.scene.nav.threats {
        shapes::pin(d, Layer::Threats, at + Vec3::Y * 0.05, PERSON, THREAT);
        shapes::circle(d, Layer::Threats, at + Vec3::Y * 0.06, 0.5, 24, THREAT);
    }
    context.scene.nav.destroyed.iter().for_each(|&at| destroyed(d, at));
}

/// A cross on the ground.
fn destroyed(d: &mut DebugDraw, at: Vec3) {
    for turn in [-1.0, 1.0] {
        let half = Vec3::new(0.3, 0.0, 0.3 * turn);
        let up = Vec3::Y * 0.08;
        d.line(Layer::Threats, at - half + up, at + half + up, THREAT);
    }
}

/// All obstacles, and the cells that are painted as not passable.
pub(super) fn obstacles(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for obstacle in &context.scene.nav.obstacles {
        let (outline, height) = obstacle.shape.outline();
        let (fill, edge) = if obstacle.open { (NO_FILL, OPEN_EDGE) } else { (CLOSED, CLOSED_EDGE) };
        shapes::prism(d, Layer::Obstacles, &outline, height, fill, edge);
    }
    for part in context.scene.nav.barred_cells.boxes() {
        let (low, high, y) = (part.min, part.max, part.center().y + LIFT);
        let square = [low, low.with_z(high.z), high, high.with_z(low.z)].map(|corner| corner.with_y(y));
        let [r, g, b, _] = BARRED;
        shapes::quad(d, Layer::Obstacles, square, [r, g, b, 0.5]);
    }
}

/// All volumes.
pub(super) fn volumes(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for volume in &context.scene.nav.bake.volumes {
        let [r, g, b, _] = volume.area.map_or(BARRED, area_color);
        let (outline, height) = volume_outline(&volume.shape);
        shapes::prism(d, Layer::Volumes, &outline, height, [r, g, b, 0.22], [r, g, b, 1.0]);
    }
}

/// All seeds.
pub(super) fn seeds(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for seed in &context.scene.nav.bake.seeds {
        shapes::pin(d, Layer::Seeds, seed.as_vec3() + Vec3::Y * 0.05, 1.0, SEED);
    }
}

/// A pin at each finding of the doctor, and the lines that show it.
pub(super) fn findings(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let doctor = context.inspector.doctor();
    let Some(diagnosis) = doctor.diagnosis() else { return };
    let lifted = |p: DVec3| p.as_vec3() + Vec3::Y * LIFT;
    for (i, finding) in diagnosis.findings.iter().enumerate() {
        let color = if doctor.selected() == Some(i) { SELECTED_FINDING } else { FINDING };
        shapes::pin(d, Layer::Findings, lifted(finding.place), 1.0, color);
        for [a, b] in &finding.lines {
            d.line(Layer::Findings, lifted(*a), lifted(*b), color);
        }
    }
}

/// The ends of the links that were placed by hand, and arcs between them.
pub(super) fn links(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for link in &context.scene.nav.bake.placed_links {
        let (a, b) = (link.start.as_vec3() + Vec3::Y * 0.1, link.end.as_vec3() + Vec3::Y * 0.1);
        let rise = a.distance(b) * 0.25;
        let at = |i: u8| {
            let t = f32::from(i) / 12.0;
            a.lerp(b, t) + Vec3::Y * (rise * 4.0 * t * (1.0 - t))
        };
        let arc: Vec<Vec3> = (0..=12).map(at).collect();
        shapes::polyline(d, Layer::NavLinks, &arc, 3.0, LINK);
        for end in [a, b] {
            shapes::circle(d, Layer::NavLinks, end, 0.25, 16, LINK);
        }
        shapes::disc(d, Layer::NavLinks, b, 0.16, 12, LINK);
    }
}
