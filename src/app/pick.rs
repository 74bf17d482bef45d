//! Finds the instance under the cursor: the nearest box that the cursor's ray meets.

use crate::asset::AssetStore;
use crate::camera::View;
use crate::ids::InstanceId;
use crate::math::{Aabb, Ray};
use crate::scene::{Scene, SceneInstance};
use crate::sim::{Live, World};
use glam::{Mat4, Quat, Vec2, Vec3};

/// The box of an instance without a loaded model, in its own space: about a person.
pub const PLACEHOLDER: Aabb = Aabb::new(Vec3::new(-0.3, 0.0, -0.3), Vec3::new(0.3, 1.8, 0.3));

/// Matrix and box (in model space) of a live instance.
pub fn placed(scene: &Scene, assets: &AssetStore, instance: &SceneInstance, live: &Live) -> (Mat4, Aabb) {
    let written = instance.rotation_deg;
    let turn = live.now.yaw_rad - written.y.to_radians();
    let moved = SceneInstance { position: Vec3::ZERO, ..instance.clone() };
    let world_from_model =
        Mat4::from_rotation_translation(Quat::from_rotation_y(turn), live.now.position) * moved.world_from_model();
    let bounds = instance
        .model_id()
        .and_then(|id| scene.models.get(id))
        .and_then(|model| assets.by_file(&model.file))
        .map(|(_, model)| model.rest_bounds)
        .filter(|bounds| !bounds.is_empty())
        .unwrap_or(PLACEHOLDER);
    (world_from_model, bounds)
}

/// The instance whose box the ray through a point of the picture meets first, not beyond `farthest` metres.
pub fn instance_at(
    scene: &Scene,
    world: &World,
    assets: &AssetStore,
    view: &View,
    point_px: Vec2,
    size_px: Vec2,
    farthest: f32,
) -> Option<InstanceId> {
    let ray = view.ray_through(point_px, size_px);
    let mut nearest = (farthest, None);
    for (id, instance) in scene.instances.iter() {
        let Some(live) = world.live(id) else { continue };
        let (world_from_model, bounds) = placed(scene, assets, instance, live);
        let model_from_world = world_from_model.inverse();
        if !model_from_world.is_finite() {
            continue;
        }
        // The direction keeps its length in model space, so that the parameter still counts metres of the world.
        let local = Ray {
            origin: model_from_world.transform_point3(ray.origin),
            direction: model_from_world.transform_vector3(ray.direction),
        };
        if let Some((enter, _)) = local.aabb_interval(&bounds)
            && enter < nearest.0
        {
            nearest = (enter, Some(id));
        }
    }
    nearest.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Lens;
    use std::sync::Arc;

    #[test]
    fn the_nearest_box_wins_and_the_sky_selects_nothing() {
        let mut scene = Scene::default();
        let at = |z| Arc::new(SceneInstance { position: Vec3::new(0.0, 0.0, z), ..SceneInstance::default() });
        let far = scene.instances.insert(at(-20.0));
        let near = scene.instances.insert(at(-10.0));
        let (mut world, assets) = (World::default(), AssetStore::default());
        world.reconcile(&scene, &assets);
        let view = View::new(Vec3::Y, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        let size = Vec2::splat(100.0);
        let pick = |point, farthest| instance_at(&scene, &world, &assets, &view, point, size, farthest);
        assert_eq!(pick(size * 0.5, f32::INFINITY), Some(near));
        assert_eq!(pick(size * 0.5, 5.0), None, "what lies behind a wall is not picked");
        assert_eq!(pick(Vec2::new(50.0, 5.0), f32::INFINITY), None);
        scene.instances.remove(near);
        world.reconcile(&scene, &assets);
        let view_far = instance_at(&scene, &world, &assets, &view, size * 0.5, size, f32::INFINITY);
        assert_eq!(view_far, Some(far));
    }
}
