//! Overlays of instances: boxes, bounding spheres, bones and legs, of all or of those that touch or are selected.

use super::context::OverlayContext;
use crate::anim::debug::{MATCHED_WAY, WANTED_WAY, legs as leg_lines, skeleton, trajectory};
use crate::asset::Model;
use crate::collide::debug as collide_debug;
use crate::debug::{DebugDraw, Layer, shapes};
use crate::ids::InstanceId;
use crate::sim;
use glam::{Mat4, Quat, Vec3};

/// Height of the label of the clip that plays, metres at scale 1.
const LABEL_HEIGHT: f32 = 2.0;

/// Which instances an overlay shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BoxFilter {
    /// All.
    All,
    /// Those that touch another one.
    Colliding,
    /// The selected one.
    Selected,
}

/// The boxes around instances: of those that touch another one red, the selected one's green.
pub(super) fn boxes(context: &OverlayContext<'_>, d: &mut DebugDraw, which: BoxFilter, layer: Layer) {
    for ((id, _), bounds) in context.world.iter().zip(context.world.instance_boxes()) {
        let (touches, selected) = (context.world.is_touching(id), context.selection.instance == Some(id));
        let color = match which {
            BoxFilter::Colliding if !touches => continue,
            BoxFilter::Selected if !selected => continue,
            _ if touches => collide_debug::CONTACT_BOX,
            _ if selected => collide_debug::SELECTED_BOX,
            _ => collide_debug::INSTANCE_BOX,
        };
        shapes::aabb(d, layer, &bounds, color);
    }
}

/// The bounding spheres of the selected instance's bones.
pub(super) fn selected_spheres(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let Some(id) = context.selection.instance else { return };
    let color = if context.world.is_touching(id) { collide_debug::CONTACT_BOX } else { collide_debug::SELECTED_BOX };
    let spheres = context.world.bone_spheres(id);
    for sphere in spheres.list().iter().filter(|sphere| sphere.radius > 0.0) {
        shapes::sphere(d, Layer::SelectedSpheres, sphere, color);
    }
}

/// The model of the selected instance and its pose: world space from model space, model space from each node.
fn posed<'a>(context: &OverlayContext<'a>) -> Option<(InstanceId, &'a Model, Mat4, Vec<Mat4>)> {
    let id = context.selection.instance?;
    let (live, instance) = (context.world.live(id)?, context.scene.instances.get(id)?);
    let file = context.scene.models.get(instance.model_id()?)?;
    let (_, model) = context.assets.by_file(file)?;
    let world_from_model = instance.standing_at(live.now.position, live.now.yaw_rad, instance.scale);
    let mut overrides = Vec::new();
    context.world.overrides(id, 1.0, &mut overrides);
    Some((id, model, world_from_model, sim::pose::model_from_node(model, live, &overrides, 1.0)))
}

/// The bones of the selected instance.
pub(super) fn bones(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    if let Some((_, model, world_from_model, posed)) = posed(context) {
        skeleton(d, &model.skeleton, &world_from_model, &posed);
    }
}

/// The joint chains of the selected instance's legs, from hip to foot, as they stand after inverse kinematics.
pub(super) fn legs(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    let Some((id, _, world_from_model, posed)) = posed(context) else { return };
    for chain in context.world.leg_chains(id) {
        leg_lines(d, &chain, &world_from_model, &posed);
    }
}

/// Where characters that walk by motion matching are about to go, and where the frame that plays would lead.
pub(super) fn motion_trajectories(context: &OverlayContext<'_>, d: &mut DebugDraw) {
    for (id, live) in context.world.iter() {
        let Some(matched) = context.world.matched_motion(id) else { continue };
        let scale = context.scene.instances.get(id).map_or(1.0, |instance| instance.scale);
        let world_from_root = Mat4::from_scale_rotation_translation(
            Vec3::splat(scale),
            Quat::from_rotation_y(live.now.yaw_rad),
            live.now.position,
        );
        trajectory(d, &world_from_root, &matched.wanted, WANTED_WAY);
        trajectory(d, &world_from_root, &matched.leads, MATCHED_WAY);
        if context.selection.instance == Some(id) {
            let clips = context.world.model_of(id).map(|model| &model.clips);
            let name = clips.and_then(|clips| clips.get(matched.at.clip.0 as usize)).map_or("", |clip| &clip.name);
            let text = format!("{name} {:.1} s, cost {:.2}", matched.at.time_secs, matched.cost);
            let above = live.now.position + Vec3::Y * LABEL_HEIGHT * scale;
            d.text(Layer::MotionTrajectories, above, text, MATCHED_WAY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{AssetStore, Clip, Mesh, Skeleton, Vertex};
    use crate::ids::NodeId;
    use crate::inspect::Inspector;
    use crate::math::Trs;
    use crate::scene::instance::ModelRef;
    use crate::scene::{Scene, SceneInstance, SceneModel, Selection};
    use crate::sim::World;
    use crate::vocab::CollisionMode;
    use std::sync::Arc;

    /// A model of one bone, half a metre wide, with a clip.
    fn person() -> Model {
        let corners = [Vec3::new(-0.25, 0.0, -0.25), Vec3::new(0.25, 1.8, 0.25), Vec3::new(0.25, 0.0, 0.25)];
        let vertices = corners.map(|position| Vertex { position, ..Vertex::default() }).into();
        let mesh = Mesh { vertices, indices: vec![0, 1, 2], node: NodeId(0), ..Mesh::default() };
        let skeleton = Skeleton { names: vec!["root".into()], parents: vec![None], rest: vec![Trs::IDENTITY] };
        let clip = Clip { name: "stand".into(), duration_secs: 1.0, ..Clip::default() };
        let mut model = Model { skeleton, meshes: vec![mesh], clips: vec![clip], ..Model::default() };
        model.rest_bounds = model.compute_rest_bounds();
        model
    }

    #[test]
    fn overlays_show_those_that_touch_and_the_selected_one() {
        let (mut scene, mut assets, mut world) = (Scene::default(), AssetStore::default(), World::default());
        assets.insert("person", person());
        Arc::make_mut(&mut scene.settings).collision_mode = CollisionMode::Boxes;
        let entry = SceneModel { name: "person".into(), file: "person".into(), ..SceneModel::default() };
        let model = scene.models.insert(Arc::new(entry));
        let ids = [0.0, 0.2, 9.0].map(|x| {
            let model = ModelRef::Known(model);
            scene.instances.insert(Arc::new(SceneInstance { model, position: Vec3::X * x, ..Default::default() }))
        });
        world.reconcile(&scene, &assets);
        let mut inspector = Inspector::default();
        for _ in 0..4 {
            world.step(&scene);
            inspector.step(&world, &scene);
        }
        assert_eq!((inspector.contacts().last(), inspector.contacts().iter().count()), (1, 4));
        let selection = Selection { instance: Some(ids[2]), ..Selection::default() };
        let context = OverlayContext {
            world: &world,
            inspector: &inspector,
            scene: &scene,
            assets: &assets,
            selection: &selection,
        };
        let colors = |which, layer| {
            let mut d = DebugDraw::wanting([layer]);
            boxes(&context, &mut d, which, layer);
            // Twelve edges each.
            d.lines.chunks(12).map(|lines| lines[0].color).collect::<Vec<_>>()
        };
        let (red, green) = (collide_debug::CONTACT_BOX, collide_debug::SELECTED_BOX);
        assert_eq!(colors(BoxFilter::All, Layer::InstanceBoxes), [red, red, green]);
        assert_eq!(colors(BoxFilter::Colliding, Layer::CollidingBoxes), [red, red]);
        assert_eq!(colors(BoxFilter::Selected, Layer::SelectedBox), [green]);
    }
}
