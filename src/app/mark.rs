//! Marks the selected instances in the picture: a box around each and a ring on the ground at its feet.

use super::pick;
use crate::debug::{DebugDraw, Depth, Layer, shapes};
use crate::ids::InstanceId;
use crate::scene::SceneInstance;
use crate::sim::Live;
use crate::sim::overlays::OverlayContext;
use glam::Vec3;

/// How the mark treats the geometry in front of it.
pub const DEPTH: (Layer, Depth) = (Layer::Selection, Depth::Dimmed);

/// Colour of the mark: the accent of the user interface, linear.
const COLOR: [f32; 4] = [0.87, 0.30, 0.05, 1.0];
/// Colour of the outline of who is under the cursor.
const HOVERED: [f32; 4] = [0.9, 0.9, 0.8, 0.9];
/// How much of the ground shows through the ring, and through the disc inside it.
const ALPHA: [f32; 2] = [0.85, 0.18];
/// Most that are marked.
pub const MOST: usize = 1000;
/// Most that get a ring each; of more, the boxes say enough.
const RINGED: usize = 100;
/// Corners of the ring.
const SEGMENTS: u32 = 40;
/// Height above the ground, so that the ring does not flicker with it, metres.
const LIFT: f32 = 0.03;

/// Adds the mark of what is selected to the debug geometry of a frame, which may not want its layer otherwise.
/// `alpha` lies between the last two simulation steps.
pub fn selected(context: &OverlayContext<'_>, chosen: &[InstanceId], alpha: f32, debug: &mut DebugDraw) {
    for id in chosen {
        if let (Some(instance), Some(live)) = (context.scene.instances.get(*id), context.world.live(*id)) {
            one(context, instance, live, alpha, chosen.len() <= RINGED, debug);
        }
    }
}

/// Adds the outline of who is under the cursor: a pale box.
pub fn hovered(context: &OverlayContext<'_>, id: InstanceId, alpha: f32, debug: &mut DebugDraw) {
    let (Some(instance), Some(live)) = (context.scene.instances.get(id), context.world.live(id)) else { return };
    let (world_from_model, bounds) = pick::placed(context.scene, context.assets, instance, live, alpha);
    let mut mark = DebugDraw::wanting([Layer::Selection]);
    edges(&mut mark, &world_from_model, &bounds.expanded(Vec3::splat(0.05)), HOVERED);
    debug.lines.append(&mut mark.lines);
}

/// Adds a path in the making: a line over its corners, and a pin on each.
pub fn corners(corners: &[Vec3], debug: &mut DebugDraw) {
    let mut mark = DebugDraw::wanting([Layer::Selection]);
    shapes::ribbon(
        &mut mark,
        Layer::Selection,
        &corners.iter().map(|at| *at + Vec3::Y * LIFT).collect::<Vec<_>>(),
        0.06,
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

fn one(
    context: &OverlayContext<'_>,
    instance: &SceneInstance,
    live: &Live,
    alpha: f32,
    ringed: bool,
    debug: &mut DebugDraw,
) {
    let (world_from_model, bounds) = pick::placed(context.scene, context.assets, instance, live, alpha);
    let mut mark = DebugDraw::wanting([Layer::Selection]);
    edges(&mut mark, &world_from_model, &bounds.expanded(Vec3::splat(0.03)), COLOR);
    let placed = bounds.transformed(&world_from_model);
    let across = placed.size().with_y(0.0).length();
    let feet = if live.on_ground { world_from_model.w_axis.truncate() } else { placed.center().with_y(placed.min.y) };
    if ringed {
        ring(&mut mark, feet, normal_under(context, live), (across * 0.5).max(0.35));
    }
    debug.lines.append(&mut mark.lines);
    debug.triangles.append(&mut mark.triangles);
}

/// Upward normal of the ground under somebody; straight up where there is none.
fn normal_under(context: &OverlayContext<'_>, live: &Live) -> Vec3 {
    let triangle = live.ground_triangle.and_then(|index| context.world.triangles().get(index as usize));
    let normal = triangle.and_then(|triangle| crate::math::triangle::normal(&triangle.points)).unwrap_or(Vec3::Y);
    if normal.y < 0.0 { -normal } else { normal }
}

/// A ring with a faint disc inside, on the plane through `center` with this normal.
fn ring(mark: &mut DebugDraw, center: Vec3, normal: Vec3, radius: f32) {
    let center = center + normal * LIFT;
    let (u, v) = normal.any_orthonormal_pair();
    let inner = radius * 0.86;
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
            let context = OverlayContext { world: &world, scene: &scene, assets: &assets, selection: &selection };
            selected(&context, chosen, 1.0, &mut debug);
            debug
        };
        let none = marked(&[]);
        assert!(none.lines.is_empty() && none.triangles.is_empty());
        let some = marked(&[id]);
        assert_eq!(some.lines.len(), 12, "the edges of the box");
        assert_eq!(some.triangles.len(), 3 * SEGMENTS as usize);
        for point in some.triangles.iter().flat_map(|triangle| triangle.points) {
            assert!((point.y - position.y - LIFT).abs() < 1e-4, "the ring lies at the feet, not at {point}");
            assert!((point - position).with_y(0.0).length() < 0.6);
        }
    }
}
