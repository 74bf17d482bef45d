//! Finds the instance under the cursor: the nearest box that the cursor's ray meets before any wall.

use crate::asset::AssetStore;
use crate::camera::View;
use crate::ids::InstanceId;
use crate::math::{Aabb, Ray, triangle};
use crate::render::extract::place;
use crate::scene::{Scene, SceneInstance};
use crate::sim::{Live, World};
use glam::{Mat4, Vec2, Vec3};

/// The box of an instance without a loaded model, in its own space: about a person.
pub const PLACEHOLDER: Aabb = Aabb::new(Vec3::new(-0.3, 0.0, -0.3), Vec3::new(0.3, 1.8, 0.3));

/// Matrix and box (in model space) of a live instance, `alpha` between the last two simulation steps.
pub fn placed(scene: &Scene, assets: &AssetStore, instance: &SceneInstance, live: &Live, alpha: f32) -> (Mat4, Aabb) {
    let world_from_model = place(instance, Some(live), alpha);
    let bounds = instance
        .model_id()
        .and_then(|id| scene.models.get(id))
        .and_then(|model| assets.by_file(&model.file))
        .map(|(_, model)| model.rest_bounds)
        .filter(|bounds| !bounds.is_empty())
        .unwrap_or(PLACEHOLDER);
    (world_from_model, bounds)
}

/// The instance whose box the ray through a point of the picture meets first, if no part of the level lies before it.
pub fn instance_at(
    scene: &Scene,
    world: &World,
    assets: &AssetStore,
    view: &View,
    point_px: Vec2,
    size_px: Vec2,
) -> Option<InstanceId> {
    let ray = view.ray_through(point_px, size_px);
    let mut nearest = (level_distance(scene, world, assets, &ray), None);
    for (id, instance) in scene.instances.iter() {
        let Some(live) = world.live(id) else { continue };
        let (world_from_model, bounds) = placed(scene, assets, instance, live, 1.0);
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

/// Distance along the ray to the first level triangle that is drawn towards its origin, metres; infinite without one.
fn level_distance(scene: &Scene, world: &World, assets: &AssetStore, ray: &Ray) -> f32 {
    let mut nearest = f32::INFINITY;
    let Some(octree) = world.octree() else { return nearest };
    octree.query_ray(ray, f32::INFINITY, |t| {
        let triangle = octree.triangle(t);
        let front = triangle::normal(&triangle.points).is_none_or(|normal| normal.dot(ray.direction) < 0.0);
        if let Some(hit) = ray.triangle(&triangle.points)
            && hit < nearest
            && (front || is_double_sided(scene, assets, triangle.index))
        {
            nearest = hit;
        }
    });
    nearest
}

/// Whether a level triangle is drawn from behind too. `index` counts over all levels of the scene that are loaded.
fn is_double_sided(scene: &Scene, assets: &AssetStore, index: u32) -> bool {
    let mut left = index as usize;
    for (_, model) in scene.levels.values().filter_map(|level| assets.by_file(&level.file)) {
        for mesh in &model.meshes {
            let count = mesh.indices.len() / 3;
            if left < count {
                return model.materials.get(mesh.material as usize).is_none_or(|material| material.double_sided);
            }
            left -= count;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Model;
    use crate::camera::Lens;
    use crate::render::cube;
    use crate::scene::SceneLevel;
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
        let pick = |point| instance_at(&scene, &world, &assets, &view, point, size);
        assert_eq!(pick(size * 0.5), Some(near));
        assert_eq!(pick(Vec2::new(50.0, 5.0)), None);
        scene.instances.remove(near);
        world.reconcile(&scene, &assets);
        let view_far = instance_at(&scene, &world, &assets, &view, size * 0.5, size);
        assert_eq!(view_far, Some(far));
    }

    /// What a look from the origin along -Z selects, with somebody 10 metres ahead and the unit cube of the file at `x`
    /// and `z`, with sides of 4 metres.
    fn picked_past(model: Model, x: f32, z: f32) -> bool {
        let mut scene = Scene::default();
        let position = Vec3::new(0.0, 0.0, -10.0);
        let somebody = scene.instances.insert(Arc::new(SceneInstance { position, ..SceneInstance::default() }));
        let level =
            SceneLevel { file: "wall.glb".into(), position: Vec3::new(x, -1.0, z), scale: 4.0, ..Default::default() };
        scene.levels.insert(Arc::new(level));
        let (mut world, mut assets) = (World::default(), AssetStore::default());
        assets.insert("wall.glb", model);
        world.reconcile(&scene, &assets);
        assert!(world.octree().is_some_and(|octree| octree.len() == 12));
        let view = View::new(Vec3::Y, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        let found = instance_at(&scene, &world, &assets, &view, Vec2::splat(50.0), Vec2::splat(100.0));
        assert!(found.is_none_or(|found| found == somebody));
        found.is_some()
    }

    #[test]
    fn who_stands_behind_a_wall_is_not_picked() {
        assert!(!picked_past(cube::model(), -2.0, -8.0), "the wall lies before");
        assert!(picked_past(cube::model(), 2.0, -8.0), "the wall lies beside");
        assert!(picked_past(cube::model(), -2.0, -20.0), "the wall lies behind");
    }

    #[test]
    fn walls_that_are_not_drawn_from_behind_do_not_hide() {
        // The eye is inside the cube and looks at the back of a side.
        assert!(picked_past(cube::model(), -2.0, -2.0));
        let mut both = cube::model();
        both.materials[0].double_sided = true;
        assert!(!picked_past(both, -2.0, -2.0));
    }
}
