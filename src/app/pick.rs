//! Finds the instance under the cursor: the nearest one whose surface, as it is posed now, the cursor's ray meets before
//! any wall.
//!
//! Spheres and boxes select the candidates; only those few are posed, so the answer is that of the frame in which it is asked
//! for, and costs no drawing: it serves what follows the cursor from frame to frame, and clicks while nothing is drawn.
//! Other clicks are answered by the picture itself ([`crate::render::pass::pick`]).

use crate::anim::local_to_model::model_to_skin;
use crate::asset::{AssetStore, Mesh, Model, SkinVertex};
use crate::camera::View;
use crate::collide::triangle_tree::TriangleTree;
use crate::ids::{InstanceId, ModelId};
use crate::math::{Aabb, Ray, triangle};
use crate::nav::mesh::NavMesh;
use crate::render::cube::PLACEHOLDER_BOUNDS;
use crate::render::extract::{between, place};
use crate::scene::{Scene, SceneInstance};
use crate::sim::pose::model_from_node;
use crate::sim::{InstanceState, LevelParts, World};
use glam::{Mat4, Vec2, Vec3};
use std::sync::Arc;

/// Most polygons that are looked through where there is no level.
const MAX_POLYGONS: u32 = 1 << 16;

/// Matrix and box (in model space) of a live instance, `alpha` between the last two simulation steps.
pub fn placed(
    scene: &Scene,
    assets: &AssetStore,
    instance: &SceneInstance,
    live: &InstanceState,
    alpha: f32,
) -> (Mat4, Aabb) {
    (place(instance, Some(live), alpha), rest_bounds(scene, assets, instance.model_id()))
}

/// The box of a model at rest, model space; that of the placeholder where there is none.
fn rest_bounds(scene: &Scene, assets: &AssetStore, model: Option<ModelId>) -> Aabb {
    model
        .and_then(|id| scene.models.get(id))
        .and_then(|model| assets.by_file(model))
        .map(|(_, model)| model.rest_bounds)
        .filter(|bounds| !bounds.is_empty())
        .unwrap_or(PLACEHOLDER_BOUNDS)
}

/// What is looked at.
#[derive(Clone, Copy)]
pub struct PickScene<'a> {
    /// The written scene.
    pub scene: &'a Scene,
    /// What happens in it.
    pub world: &'a World,
    /// What is loaded.
    pub assets: &'a AssetStore,
    /// Share of the way between the last two simulation steps.
    pub alpha: f32,
}

/// Instances whose boxes are lower than this in the picture are hit anywhere in their boxes, pixels: it is hard to meet a
/// limb that is two pixels wide.
const SMALL_PX: f32 = 40.0;
/// How far a pose may reach out of the box of the rest pose, as a part of the box's size.
const POSE_REACH: f32 = 0.5;

/// The instance that is drawn nearest to the eye at a point of the picture, as it is posed; small ones are hit beside
/// themselves, too. None where a part of the level lies before it.
pub fn instance_at(stage: &PickScene<'_>, view: &View, point_px: Vec2, size_px: Vec2) -> Option<InstanceId> {
    let ray = view.ray_through(point_px, size_px);
    let wall = level_distance(stage.scene, stage.world, stage.assets, &ray);
    let mut hits = candidates(stage, &ray);
    hits.sort_unstable_by(|a, b| a.enter.total_cmp(&b.enter));
    let mut nearest = (wall, None);
    let mut beside = (wall, None);
    for hit in hits {
        if hit.enter >= nearest.0 {
            break;
        }
        let small = is_small(&hit.world_from_model, &hit.bounds, view, size_px);
        if let Some(t) = surface_distance(stage, &hit).filter(|t| *t < nearest.0) {
            nearest = (t, Some(hit.id));
        } else if let Some(enter) = hit.box_enter.filter(|enter| small && *enter < beside.0) {
            beside = (enter, Some(hit.id));
        }
    }
    nearest.1.or(beside.1)
}

/// An instance that a ray may hit.
struct PickCandidate<'a> {
    id: InstanceId,
    instance: &'a SceneInstance,
    live: &'a InstanceState,
    world_from_model: Mat4,
    bounds: Aabb,
    /// The ray in the model's space; its parameter still counts metres of the world.
    ray: Ray,
    /// Where the ray enters the room that its pose may take, and its box, if it does.
    enter: f32,
    box_enter: Option<f32>,
}

/// Boxes of the models of a scene, looked up once for all instances.
struct ModelBoxes {
    placeholder: ModelBox,
    /// By the slot of the model's id.
    by_slot: Vec<ModelBox>,
}

/// The box of a model at rest, and the bounding sphere about its origin of the room that its poses may take.
#[derive(Clone, Copy)]
struct ModelBox {
    bounds: Aabb,
    radius: f32,
}

impl ModelBox {
    fn of(bounds: Aabb) -> Self {
        let room = pose_room(&bounds);
        Self { bounds, radius: room.min.abs().max(room.max.abs()).length() }
    }

    /// Whether a ray may meet the room, however the instance is turned: no sine and no inverse, since most are far from it.
    fn may_be_met(&self, position: Vec3, scale: f32, ray: &Ray) -> bool {
        let to_center = position - ray.origin;
        let along = to_center.dot(ray.direction) / ray.direction.length_squared();
        let distance_squared = (to_center - ray.direction * along.max(0.0)).length_squared();
        // What the matrices of the exact test round is in proportion to the coordinates.
        let rounding = (position.length() + ray.origin.length()) * 1e-5;
        let reach = self.radius * scale.abs() * 1.001 + rounding;
        // What is not finite is left to the exact test.
        !(distance_squared > reach * reach)
    }
}

impl ModelBoxes {
    fn of(scene: &Scene, assets: &AssetStore) -> Self {
        let placeholder = ModelBox::of(PLACEHOLDER_BOUNDS);
        let mut by_slot = Vec::new();
        for id in scene.models.ids() {
            let slot = id.slot() as usize;
            if by_slot.len() <= slot {
                by_slot.resize(slot + 1, placeholder);
            }
            by_slot[slot] = ModelBox::of(rest_bounds(scene, assets, Some(id)));
        }
        Self { placeholder, by_slot }
    }

    fn of_instance(&self, instance: &SceneInstance) -> &ModelBox {
        instance.model_id().and_then(|id| self.by_slot.get(id.slot() as usize)).unwrap_or(&self.placeholder)
    }
}

/// The room that poses may take: the box of the rest pose, widened.
fn pose_room(bounds: &Aabb) -> Aabb {
    bounds.expanded(Vec3::splat(bounds.size().max_element() * POSE_REACH))
}

/// The instances whose rooms a ray enters.
fn candidates<'a>(stage: &PickScene<'a>, ray: &Ray) -> Vec<PickCandidate<'a>> {
    let boxes = ModelBoxes::of(stage.scene, stage.assets);
    let of = |(id, instance): (InstanceId, &'a Arc<SceneInstance>)| {
        let live = stage.world.live(id)?;
        let model = boxes.of_instance(instance);
        let (position, _) = between(&live.before, &live.now, stage.alpha);
        let may_be_met = model.may_be_met(position, instance.scale, ray);
        may_be_met.then(|| candidate(stage, (id, &**instance, live), model.bounds, ray))?
    };
    stage.scene.instances.iter().filter_map(of).collect()
}

fn candidate<'a>(
    stage: &PickScene<'a>,
    (id, instance, live): (InstanceId, &'a SceneInstance, &'a InstanceState),
    bounds: Aabb,
    ray: &Ray,
) -> Option<PickCandidate<'a>> {
    let world_from_model = place(instance, Some(live), stage.alpha);
    let model_from_world = world_from_model.inverse();
    if !model_from_world.is_finite() {
        return None;
    }
    let ray = Ray {
        origin: model_from_world.transform_point3(ray.origin),
        direction: model_from_world.transform_vector3(ray.direction),
    };
    let (enter, _) = ray.aabb_interval(&pose_room(&bounds))?;
    let box_enter = ray.aabb_interval(&bounds).map(|interval| interval.0);
    Some(PickCandidate { id, instance, live, world_from_model, bounds, ray, enter, box_enter })
}

/// Whether an instance is so small in the viewport that its surface is hard to hit.
pub fn is_small_in_picture(stage: &PickScene<'_>, id: InstanceId, view: &View, size_px: Vec2) -> bool {
    let known = stage.scene.instances.get(id).zip(stage.world.live(id));
    known.is_some_and(|(instance, live)| {
        let (world_from_model, bounds) = placed(stage.scene, stage.assets, instance, live, stage.alpha);
        is_small(&world_from_model, &bounds, view, size_px)
    })
}

fn is_small(world_from_model: &Mat4, bounds: &Aabb, view: &View, size_px: Vec2) -> bool {
    let bounds = bounds.transformed(world_from_model);
    let middle = bounds.center();
    let ends = [bounds.min.y, bounds.max.y].map(|y| view.project(middle.with_y(y), size_px));
    matches!(ends, [Some(low), Some(high)] if low.distance(high) < SMALL_PX)
}

/// Where the ray meets the surface of the model as it is posed; that of the box without a model.
fn surface_distance(stage: &PickScene<'_>, hit: &PickCandidate<'_>) -> Option<f32> {
    let file = hit.instance.model_id().and_then(|id| stage.scene.models.get(id));
    let Some((_, model)) = file.and_then(|file| stage.assets.by_file(file)).filter(|(_, m)| m.triangle_count() > 0)
    else {
        return hit.box_enter;
    };
    let (mut overrides, mut posed, mut joints) = (Vec::new(), Vec::new(), Vec::new());
    if model.is_skinned() {
        stage.world.overrides(hit.id, stage.alpha, &mut overrides);
        posed = model_from_node(model, hit.live, &overrides, stage.alpha);
        joints.resize(model.joints.len(), Mat4::IDENTITY);
        model_to_skin(&model.joints, &posed, &mut joints);
    } else {
        posed.clone_from(&model.skeleton.rest_model_from_node());
    }
    let mut points = Vec::new();
    let mut nearest = f32::INFINITY;
    for mesh in model.meshes.iter().filter(|mesh| model.is_drawn(mesh)) {
        points.clear();
        let of_node = posed.get(mesh.node.0 as usize).copied().unwrap_or_default();
        points.extend(mesh.vertices.iter().enumerate().map(|(i, vertex)| match mesh.skin.get(i) {
            Some(skin) => carried(&joints, skin, vertex.position),
            None => of_node.transform_point3(vertex.position),
        }));
        for corners in mesh.indices.chunks_exact(3) {
            let triangle = [0, 1, 2].map(|k| points[corners[k] as usize]);
            if let Some(t) = hit.ray.triangle(&triangle) {
                nearest = nearest.min(t);
            }
        }
    }
    nearest.is_finite().then_some(nearest)
}

/// A point of a mesh where its joints carry it, model space.
fn carried(model_from_mesh: &[Mat4], skin: &SkinVertex, point: Vec3) -> Vec3 {
    let influences = skin.joints.iter().zip(&skin.weights).filter(|(_, weight)| **weight > 0.0);
    let of = |(joint, weight): (&u16, &f32)| {
        model_from_mesh.get(*joint as usize).map_or(Vec3::ZERO, |m| m.transform_point3(point) * *weight)
    };
    influences.map(of).sum()
}

/// Distance along the ray to the first level triangle that is drawn towards its origin, metres; infinite without one.
fn level_distance(scene: &Scene, world: &World, assets: &AssetStore, ray: &Ray) -> f32 {
    let Some(octree) = world.triangle_tree() else { return f32::INFINITY };
    triangle_distance(octree, ray, |index| is_double_sided(scene, world, assets, index))
}

/// Distance along the ray to the first triangle whose front it meets, or either side of one that has two, metres.
fn triangle_distance(octree: &TriangleTree, ray: &Ray, has_two_sides: impl Fn(u32) -> bool) -> f32 {
    let mut nearest = f32::INFINITY;
    octree.query_ray(ray, f32::INFINITY, |t| {
        let triangle = octree.triangle(t);
        let front = triangle::normal(&triangle.points).is_none_or(|normal| normal.dot(ray.direction) < 0.0);
        if let Some(hit) = ray.triangle(&triangle.points)
            && hit < nearest
            && (front || has_two_sides(triangle.index))
        {
            nearest = hit;
        }
    });
    nearest
}

/// The solid meshes of the levels that are there and loaded, with their models: triangles of levels are numbered over all of these.
pub(super) fn level_meshes<'a>(
    scene: &'a Scene,
    assets: &'a AssetStore,
    parts: &'a LevelParts,
) -> impl Iterator<Item = (&'a Model, &'a Mesh)> {
    let levels = scene.levels.iter().filter(move |(id, _)| parts.is_there(*id));
    let models = levels.filter_map(move |(_, level)| Some(&**assets.by_file(level)?.1));
    models.flat_map(|model| {
        let solid = model.meshes.iter().filter(move |mesh| model.is_solid(mesh));
        solid.map(move |mesh| (model, mesh))
    })
}

/// Whether a level triangle is drawn from behind too.
fn is_double_sided(scene: &Scene, world: &World, assets: &AssetStore, index: u32) -> bool {
    let mut left = index as usize;
    for (model, mesh) in level_meshes(scene, assets, world.parts()) {
        let count = mesh.indices.len() / 3;
        if left < count {
            return model.materials.get(mesh.material as usize).is_none_or(|material| material.double_sided);
        }
        left -= count;
    }
    true
}

/// Where a ray meets the level, or without one the navigation mesh, world space.
pub fn ground_at(world: &World, ray: &Ray) -> Option<Vec3> {
    let distance = match world.triangle_tree() {
        Some(octree) => triangle_distance(octree, ray, |_| false),
        None => mesh_distance(world.mesh().current()?, ray),
    };
    distance.is_finite().then(|| ray.at(distance))
}

fn mesh_distance(mesh: &NavMesh, ray: &Ray) -> f32 {
    let place = |p: Vec3| mesh.world(p).as_vec3();
    let mut nearest = f32::INFINITY;
    // Those that obstacles took away are not met.
    for id in mesh.live_polygons().take(MAX_POLYGONS as usize) {
        let [first, others @ ..] = mesh.corners_of(id) else { continue };
        for w in others.windows(2) {
            nearest = ray.triangle(&[*first, w[0], w[1]].map(place)).unwrap_or(nearest).min(nearest);
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Material;
    use crate::behavior::split_mix::SplitMix64;
    use crate::camera::Lens;
    use crate::render::cube;
    use crate::scene::instance::ModelRef;
    use crate::scene::{SceneLevel, SceneModel};

    fn stage<'a>(scene: &'a Scene, world: &'a World, assets: &'a AssetStore) -> PickScene<'a> {
        PickScene { scene, world, assets, alpha: 1.0 }
    }

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
        let pick = |point| instance_at(&stage(&scene, &world, &assets), &view, point, size);
        assert_eq!(pick(size * 0.5), Some(near));
        assert_eq!(pick(Vec2::new(50.0, 5.0)), None);
        scene.instances.remove(near);
        world.reconcile(&scene, &assets);
        let view_far = instance_at(&stage(&scene, &world, &assets), &view, size * 0.5, size);
        assert_eq!(view_far, Some(far));
    }

    /// Instances of models whose boxes lie beside their origins, turned and scaled at random, in a cube of 40 m around `middle`.
    fn scattered(random: &mut SplitMix64, middle: Vec3) -> (Scene, World, AssetStore) {
        let (mut scene, mut world, mut assets) = (Scene::default(), World::default(), AssetStore::default());
        let boxes = [[-0.3, 0.0, -0.3, 0.3, 1.8, 0.3], [1.0, -0.2, 1.5, 2.0, 0.2, 1.8]].map(|c| {
            let [min, max] = [0, 3].map(|k| Vec3::new(c[k], c[k + 1], c[k + 2]));
            Aabb::new(min, max)
        });
        let mut models = vec![ModelRef::Missing("none".into())];
        for (i, rest_bounds) in boxes.into_iter().enumerate() {
            let file = format!("{i}.glb");
            assets.insert(file.as_str(), Model { rest_bounds, ..Model::default() });
            let model = SceneModel { name: file.clone(), file, ..SceneModel::default() };
            models.push(ModelRef::Known(scene.models.insert(Arc::new(model))));
        }
        for i in 0..400 {
            let instance = SceneInstance {
                model: models[i % models.len()].clone(),
                position: middle + point_within(random, 20.0),
                rotation_deg: point_within(random, 180.0),
                scale: random.between(0.1, 2.0),
                swap_axes: i % 2 == 0,
                ..SceneInstance::default()
            };
            scene.instances.insert(Arc::new(instance));
        }
        world.reconcile(&scene, &assets);
        (scene, world, assets)
    }

    fn point_within(random: &mut SplitMix64, reach: f32) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|_| random.between(-reach, reach)))
    }

    #[test]
    fn spheres_leave_out_none_that_a_ray_enters() {
        let mut random = SplitMix64::new(5);
        // Far from the origin, too, where the matrices round to millimetres.
        for middle in [Vec3::ZERO, Vec3::new(20_000.0, 300.0, -30_000.0)] {
            let (scene, world, assets) = scattered(&mut random, middle);
            let (stage, boxes) = (stage(&scene, &world, &assets), ModelBoxes::of(&scene, &assets));
            let (mut entered, mut near) = (0, 0);
            for _ in 0..400 {
                let origin = middle + point_within(&mut random, 25.0);
                let ray = Ray { origin, direction: point_within(&mut random, 3.0) };
                let all = || scene.instances.iter().map(|(id, instance)| (id, &**instance, world.live(id).unwrap()));
                let plain: Vec<InstanceId> = all()
                    .filter_map(|one| candidate(&stage, one, rest_bounds(&scene, &assets, one.1.model_id()), &ray))
                    .map(|found| found.id)
                    .collect();
                let found: Vec<InstanceId> = candidates(&stage, &ray).iter().map(|found| found.id).collect();
                assert_eq!(found, plain, "{ray:?}");
                entered += plain.len();
                near += all()
                    .filter(|(_, instance, live)| {
                        boxes.of_instance(instance).may_be_met(live.now.position, instance.scale, &ray)
                    })
                    .count();
            }
            assert!(entered > 100 && near < 400 * 400 / 10, "{entered} entered, {near} near");
        }
    }

    /// What a look from the origin along -Z selects, with an instance 10 metres ahead and the unit cube of the file at `x`
    /// and `z`, with sides of 4 metres.
    fn picked_past(model: Model, x: f32, z: f32) -> bool {
        let mut scene = Scene::default();
        let position = Vec3::new(0.0, 0.0, -10.0);
        let instance = scene.instances.insert(Arc::new(SceneInstance { position, ..SceneInstance::default() }));
        let level =
            SceneLevel { file: "wall.glb".into(), position: Vec3::new(x, -1.0, z), scale: 4.0, ..Default::default() };
        scene.levels.insert(Arc::new(level));
        let (mut world, mut assets) = (World::default(), AssetStore::default());
        assets.insert("wall.glb", model);
        world.reconcile(&scene, &assets);
        assert!(world.triangle_tree().is_some_and(|octree| octree.len() == 12));
        let view = View::new(Vec3::Y, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        let stage = stage(&scene, &world, &assets);
        let found = instance_at(&stage, &view, Vec2::splat(50.0), Vec2::splat(100.0));
        assert!(found.is_none_or(|found| found == instance));
        found.is_some()
    }

    #[test]
    fn ground_without_a_level_is_that_of_the_mesh_as_it_is_now() {
        use crate::nav::mesh::{DynamicMesh, Obstacle, RawMesh};
        use glam::DVec3;
        let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let square = |x: f32| {
            let corners = [corner(x, 0.0), corner(x, 4.0), corner(x + 4.0, 4.0), corner(x + 4.0, 0.0)];
            [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
        };
        let triangles: Vec<[Vec3; 3]> = [square(0.0), square(20.0)].concat();
        let mut mesh = DynamicMesh::new(Arc::new(RawMesh::from_triangles(&triangles, 0.8).validate().unwrap()));
        let pillar = |x: f64| Obstacle::cuboid(DVec3::new(x, 0.0, 2.0), DVec3::new(0.5, 1.0, 0.5), 0.0);
        let ray = Ray { origin: Vec3::new(2.0, 5.0, 2.0), direction: Vec3::NEG_Y };
        assert_eq!(mesh_distance(mesh.mesh(), &ray), 5.0);
        let first = mesh.add(&pillar(2.0)).unwrap();
        mesh.add(&pillar(22.0)).unwrap();
        assert!(mesh_distance(mesh.mesh(), &ray).is_infinite(), "the obstacle has cut it away");
        mesh.remove(first).unwrap();
        assert_eq!(mesh_distance(mesh.mesh(), &ray), 5.0);
    }

    #[test]
    fn an_instance_behind_a_wall_is_not_picked() {
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
        // An authored navigation mesh, with a material of its own, counts for nothing.
        let mut beside = cube::model();
        let walk = Mesh { name: "navmesh".into(), material: 1, ..beside.meshes[0].clone() };
        beside.meshes.insert(0, walk);
        beside.materials.push(Material { double_sided: true, ..Material::default() });
        assert!(picked_past(beside, -2.0, -2.0));
    }
}
