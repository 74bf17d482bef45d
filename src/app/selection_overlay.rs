//! Marks the selected instances in the picture: a line around their silhouettes and a ring on the ground at their feet;
//! boxes where there are too many for that. The instance under the cursor has a line of another colour.

use super::pick;
use crate::debug::{DebugDraw, Depth, Layer, shapes};
use crate::ids::InstanceId;
use crate::inspect::overlays::OverlayContext;
use crate::render::draw_lists::MAX_OUTLINED;
use crate::render::frame::Outlines;
use crate::render::pick_number;
use crate::render::types::OUTLINE_KINDS;
use crate::scene::SceneInstance;
use crate::sim::InstanceState;
use glam::Vec3;
use std::collections::BTreeSet;

/// How the mark treats the geometry in front of it.
pub const DEPTH: (Layer, Depth) = (Layer::Selection, Depth::Dimmed);

/// Colour of the mark: the accent of the user interface, linear.
const COLOR: [f32; 4] = [0.87, 0.30, 0.05, 1.0];
/// Colours of the lines around silhouettes: of the selected, of the hovered, and of one that is both, linear.
const LINES: [[f32; 4]; OUTLINE_KINDS] = [COLOR, [0.9, 0.9, 0.8, 0.9], [1.0, 0.55, 0.2, 1.0]];
/// Width of these lines in points.
const LINE_WIDTH: f32 = 2.0;
/// How much of the ground shows through the ring, and through the disc inside it.
const ALPHA: [f32; 2] = [0.85, 0.18];
/// Most that are marked by rings and boxes.
pub const MAX_MARKED: usize = 1000;
/// Most that get a ring each; of more, lines and boxes say enough.
const RINGED: usize = 100;
/// Width of the ring as a share of its radius, and its greatest, metres: around a model that reaches far.
const RING: [f32; 2] = [0.14, 0.125];
/// Corners of the ring.
const SEGMENTS: u32 = 40;
/// Height above the ground, so that the ring does not flicker with it, metres.
const LIFT: f32 = 0.03;

/// Adds the mark of what is selected to the debug geometry of a frame, which may not want its layer otherwise.
/// `alpha` lies between the last two simulation steps.
pub fn selected(context: &OverlayContext<'_>, chosen: &[InstanceId], alpha: f32, debug: &mut DebugDraw) {
    for id in chosen {
        if let (Some(instance), Some(live)) = (context.scene.instances.get(*id), context.world.live(*id)) {
            one(context, instance, live, alpha, chosen.len(), debug);
        }
    }
}

/// The lines around the silhouettes of the selected and of the hovered instance, on a display of `scale` pixels per
/// point.
pub fn outlines(chosen: &BTreeSet<InstanceId>, hovered: Option<InstanceId>, scale: f32) -> Outlines {
    let mut kinds = Vec::new();
    let selected = chosen.iter().map(|id| (*id, 1));
    for (id, kind) in selected.chain(hovered.map(|id| (id, 2))) {
        let number = pick_number(id) as usize;
        if kinds.len() <= number {
            kinds.resize(number + 1, 0);
        }
        kinds[number] |= kind;
    }
    Outlines { kinds, colors: LINES, width_px: LINE_WIDTH * scale }
}

/// Adds a path in the making: a line over its corners, and a pin on each.
pub fn corners(corners: &[Vec3], debug: &mut DebugDraw) {
    let mut mark = DebugDraw::wanting([Layer::Selection]);
    shapes::polyline(
        &mut mark,
        Layer::Selection,
        &corners.iter().map(|at| *at + Vec3::Y * LIFT).collect::<Vec<_>>(),
        3.0,
        COLOR,
    );
    for at in corners {
        shapes::pin(&mut mark, Layer::Selection, *at, 0.5, COLOR);
    }
    debug.lines.append(&mut mark.lines);
    debug.triangles.append(&mut mark.triangles);
}

/// The edges of a box.
fn edges(mark: &mut DebugDraw, world_from_model: &glam::Mat4, bounds: &crate::math::Aabb, color: [f32; 4]) {
    let corners = bounds.corners().map(|c| world_from_model.transform_point3(c));
    for (i, &from) in corners.iter().enumerate() {
        for axis in [1, 2, 4].into_iter().filter(|axis| i & axis == 0) {
            mark.line(Layer::Selection, from, corners[i | axis], color);
        }
    }
}

/// The mark of one of so many.
fn one(
    context: &OverlayContext<'_>,
    instance: &SceneInstance,
    live: &InstanceState,
    alpha: f32,
    of: usize,
    debug: &mut DebugDraw,
) {
    let (world_from_model, bounds) = pick::placed(context.scene, context.assets, instance, live, alpha);
    let mut mark = DebugDraw::wanting([Layer::Selection]);
    if of > MAX_OUTLINED {
        edges(&mut mark, &world_from_model, &bounds.expanded(Vec3::splat(0.03)), COLOR);
    }
    let placed = bounds.transformed(&world_from_model);
    let across = placed.size().with_y(0.0).length();
    let feet = if live.on_ground { world_from_model.w_axis.truncate() } else { placed.center().with_y(placed.min.y) };
    if of <= RINGED {
        ring(&mut mark, feet, normal_under(context, live), (across * 0.5).max(0.35));
    }
    debug.lines.append(&mut mark.lines);
    debug.triangles.append(&mut mark.triangles);
}

/// Upward normal of the ground under an instance; straight up where there is none.
fn normal_under(context: &OverlayContext<'_>, live: &InstanceState) -> Vec3 {
    let triangle = live.ground_triangle.and_then(|index| context.world.triangles().get(index as usize));
    let normal = triangle.and_then(|triangle| crate::math::triangle::normal(&triangle.points)).unwrap_or(Vec3::Y);
    if normal.y < 0.0 { -normal } else { normal }
}

/// A ring with a faint disc inside, on the plane through `center` with this normal.
fn ring(mark: &mut DebugDraw, center: Vec3, normal: Vec3, radius: f32) {
    let center = center + normal * LIFT;
    let (u, v) = normal.any_orthonormal_pair();
    let inner = radius - (radius * RING[0]).min(RING[1]);
    let at = |i: u32, radius: f32| {
        let (sin, cos) = (i as f32 / SEGMENTS as f32 * std::f32::consts::TAU).sin_cos();
        center + (u * cos + v * sin) * radius
    };
    let [r, g, b, _] = COLOR;
    for i in 0..SEGMENTS {
        let [a0, a1] = [at(i, inner), at(i + 1, inner)];
        let [b0, b1] = [at(i, radius), at(i + 1, radius)];
        mark.triangle(Layer::Selection, [a0, b0, b1], [r, g, b, ALPHA[0]]);
        mark.triangle(Layer::Selection, [a0, b1, a1], [r, g, b, ALPHA[0]]);
        mark.triangle(Layer::Selection, [center, a0, a1], [r, g, b, ALPHA[1]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::AssetStore;
    use crate::inspect::Inspector;
    use crate::scene::{Scene, SceneInstance, Selection};
    use crate::sim::World;
    use std::sync::Arc;

    #[test]
    fn the_mark_lies_around_the_selected_instance_only() {
        let mut scene = Scene::default();
        let position = Vec3::new(5.0, 1.0, -3.0);
        let id = scene.instances.insert(Arc::new(SceneInstance { position, ..SceneInstance::default() }));
        let (mut world, assets) = (World::default(), AssetStore::default());
        world.reconcile(&scene, &assets);
        let marked = |chosen: &[InstanceId]| {
            let (mut debug, selection) = (DebugDraw::default(), Selection::default());
            let context = OverlayContext {
                world: &world,
                inspector: &Inspector::default(),
                scene: &scene,
                assets: &assets,
                selection: &selection,
            };
            selected(&context, chosen, 1.0, &mut debug);
            debug
        };
        let none = marked(&[]);
        assert!(none.lines.is_empty() && none.triangles.is_empty());
        let some = marked(&[id]);
        assert!(some.lines.is_empty(), "the line around the silhouette is drawn by the renderer");
        assert_eq!(some.triangles.len(), 3 * SEGMENTS as usize);
        for point in some.triangles.iter().flat_map(|triangle| triangle.points) {
            assert!((point.y - position.y - LIFT).abs() < 1e-4, "the ring lies at the feet, not at {point}");
            assert!((point - position).with_y(0.0).length() < 0.6);
        }
        let many = marked(&[id; MAX_OUTLINED + 1]);
        assert_eq!(many.lines.len(), 12 * (MAX_OUTLINED + 1), "the edges of their boxes");
        assert!(many.triangles.is_empty());
    }

    #[test]
    fn lines_tell_the_selected_from_the_hovered() {
        let mut scene = Scene::default();
        let ids = [0; 4].map(|_| scene.instances.insert(Arc::new(SceneInstance::default())));
        let kinds = |chosen: &[InstanceId], hovered| {
            let lines = outlines(&chosen.iter().copied().collect(), hovered, 2.0);
            assert_eq!(lines.width_px, 2.0 * LINE_WIDTH);
            ids.map(|id| lines.kind(pick_number(id)))
        };
        assert_eq!(kinds(&[], None), [0; 4]);
        assert_eq!(kinds(&ids[1..3], None), [0, 1, 1, 0]);
        assert_eq!(kinds(&ids[1..3], Some(ids[0])), [2, 1, 1, 0]);
        assert_eq!(kinds(&ids[1..3], Some(ids[2])), [0, 1, 3, 0]);
    }
}
