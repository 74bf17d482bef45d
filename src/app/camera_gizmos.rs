//! Cameras as they are seen in the picture: a pyramid of what each shows, and the rail that it travels on. A click on one
//! selects it.

use super::camera_view;
use super::pick::PickScene;
use super::state::App;
use crate::camera::{Lens, Rail, View};
use crate::debug::{DebugDraw, Layer, shapes};
use crate::ids::CameraId;
use crate::scene::SceneCamera;
use glam::{Vec2, Vec3};

/// Colour of a camera, and of the selected one: the accent of the user interface, linear.
const COLOR: [f32; 4] = [0.25, 0.62, 0.95, 1.0];
const PICKED: [f32; 4] = [0.87, 0.30, 0.05, 1.0];
/// Length of the pyramid and largest half height of its base, metres.
const LENGTH: f32 = 0.9;
const MAX_HALF: f32 = 0.7;
/// Width over height of the base.
const ASPECT: f32 = 16.0 / 9.0;
/// How near to a camera a click has to be, pixels at scale 1.
const REACH_PX: f32 = 14.0;
/// A camera that is nearer to the eye than this is not drawn, metres.
const AT_EYE: f32 = 1.0;
/// Radius of the handle that is clicked, metres.
const HANDLE_RADIUS: f32 = 0.15;

/// Which cameras are drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShownCameras {
    /// The one that the picture is taken from: it is not drawn.
    pub active: Option<CameraId>,
    /// The selected one: it is always drawn.
    pub picked: Option<CameraId>,
    /// Where the picture is taken from: a camera that stands there would cover it.
    pub eye: Option<Vec3>,
}

impl ShownCameras {
    /// Adds the cameras of the scene to the debug geometry of a frame: all if their layer is wanted, else the selected
    /// one, whose layer the frame may not want otherwise.
    pub fn draw(&self, stage: &PickScene<'_>, debug: &mut DebugDraw) {
        let all = debug.wants(Layer::Cameras);
        for (id, camera) in stage.scene.cameras.iter().filter(|(id, _)| Some(*id) != self.active) {
            let is_picked = self.picked == Some(id);
            if (!all && !is_picked) || self.is_at_eye(camera, stage) {
                continue;
            }
            let (layer, color) = if is_picked { (Layer::Selection, PICKED) } else { (Layer::Cameras, COLOR) };
            let mut mark = DebugDraw::wanting([layer]);
            one(camera, stage, layer, color, &mut mark);
            debug.lines.append(&mut mark.lines);
            debug.triangles.append(&mut mark.triangles);
        }
    }

    /// Whether a camera stands where the picture is taken from.
    fn is_at_eye(&self, camera: &SceneCamera, stage: &PickScene<'_>) -> bool {
        let seen = camera_view::of(camera, stage.scene, stage.world, stage.assets, stage.alpha);
        self.eye.is_some_and(|eye| eye.distance(seen.eye) < AT_EYE)
    }

    /// The drawn camera nearest to a point of the picture.
    pub fn under(&self, stage: &PickScene<'_>, all: bool, view: &View, at_px: Vec2, size_px: Vec2) -> Option<CameraId> {
        let off = |(id, camera): (CameraId, &std::sync::Arc<SceneCamera>)| {
            let seen = camera_view::of(camera, stage.scene, stage.world, stage.assets, stage.alpha);
            let off = view.project(seen.eye, size_px)?.distance(at_px);
            (off <= REACH_PX).then_some((off, id))
        };
        let shown = |id: &CameraId| Some(*id) != self.active && (all || Some(*id) == self.picked);
        let hits = stage.scene.cameras.iter().filter(|(id, _)| shown(id)).filter_map(off);
        hits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
    }
}

/// The pyramid of a camera with an arrow on its upper edge, and its rail.
fn one(camera: &SceneCamera, stage: &PickScene<'_>, layer: Layer, color: [f32; 4], mark: &mut DebugDraw) {
    let seen = camera_view::of(camera, stage.scene, stage.world, stage.assets, stage.alpha);
    let world_from_view = seen.view(ASPECT).view_from_world.inverse();
    let (half, depth, apex) = match seen.lens {
        Lens::Perspective { fov_rad } => {
            let slope = (fov_rad * 0.5).tan().max(1e-3);
            let depth = LENGTH.min(MAX_HALF / slope);
            (slope * depth, depth, 0.0)
        }
        Lens::Orthogonal { .. } => (0.3, LENGTH, 0.3),
    };
    let corner = |x: f32, y: f32, half: f32, z: f32| {
        world_from_view.transform_point3(Vec3::new(x * half * ASPECT, y * half, -z))
    };
    let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let base = signs.map(|(x, y)| corner(x, y, half, depth));
    let near = signs.map(|(x, y)| corner(x, y, apex, 0.0));
    for i in 0..4 {
        mark.line(layer, base[i], base[(i + 1) % 4], color);
        mark.line(layer, near[i], base[i], color);
        mark.line(layer, near[i], near[(i + 1) % 4], color);
    }
    let [left, right, tip] = [(-0.4, 1.05), (0.4, 1.05), (0.0, 1.5)].map(|(x, y)| corner(x, y, half, depth));
    mark.triangle(layer, [left, right, tip], color);
    shapes::sphere(mark, layer, &crate::math::Sphere { center: seen.eye, radius: HANDLE_RADIUS }, color);
    if let Some(rail) = Rail::new(&camera.motion.rail, camera.motion.rail_end) {
        shapes::path(mark, layer, &rail.line().collect::<Vec<_>>(), color);
    }
    for point in &camera.motion.rail {
        shapes::sphere(mark, layer, &crate::math::Sphere { center: *point, radius: 0.5 * HANDLE_RADIUS }, color);
    }
}

impl App {
    /// The cameras that the picture shows.
    pub(super) fn shown_cameras(&self) -> ShownCameras {
        let active = self.camera_controller.active().filter(|_| self.camera_controller.is_looked_through());
        ShownCameras { active, picked: self.picked_camera(), eye: self.viewport.eye() }
    }

    /// The camera drawn at a point of the picture.
    pub(super) fn camera_at(&self, at_px: Vec2, size_px: Vec2) -> Option<CameraId> {
        let view = self.viewport.view.filter(|_| self.ui.mode == crate::ui::Mode::Edit)?;
        let all = self.overlays.contains(&Layer::Cameras);
        self.shown_cameras().under(&self.stage(), all, &view, at_px, size_px)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::AssetStore;
    use crate::scene::Scene;
    use crate::sim::World;
    use crate::vocab::CameraKind;
    use std::sync::Arc;

    #[test]
    fn other_cameras_are_drawn_and_found_under_the_cursor() {
        let mut scene = Scene::default();
        let mut add = |name: &str, x: f32| {
            let mut camera = SceneCamera { name: name.into(), kind: CameraKind::Stationary, ..SceneCamera::default() };
            camera.position = Vec3::X * x;
            camera.motion.rail = vec![Vec3::ZERO, Vec3::Y];
            scene.cameras.insert(Arc::new(camera))
        };
        let (active, left, right) = (add("active", 0.0), add("left", -2.0), add("right", 2.0));
        let (world, assets) = (World::default(), AssetStore::default());
        let stage = PickScene { scene: &scene, world: &world, assets: &assets, alpha: 1.0 };
        let lines = |picked, layers: &[Layer]| {
            let mut debug = DebugDraw::wanting(layers.iter().copied());
            ShownCameras { active: Some(active), picked, eye: None }.draw(&stage, &mut debug);
            debug.lines.len()
        };
        assert_eq!(lines(None, &[]), 0);
        let one = lines(Some(left), &[]);
        assert!(one > 12 && lines(None, &[Layer::Cameras]) == 2 * one, "the active one is not drawn");
        // A rail of two points is where both stand at first: at the origin and one metre above.
        let view = View::new(Vec3::Z * 9.0, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
        let size = Vec2::splat(400.0);
        let shown = ShownCameras { active: Some(left), ..ShownCameras::default() };
        assert_eq!(shown.under(&stage, true, &view, Vec2::splat(203.0), size), Some(active));
        assert_eq!(shown.under(&stage, false, &view, Vec2::splat(203.0), size), None);
        assert_eq!(shown.under(&stage, true, &view, Vec2::splat(20.0), size), None);
        let at_eye = ShownCameras { eye: Some(Vec3::Z * 0.5), picked: Some(right), active: None };
        let mut debug = DebugDraw::default();
        at_eye.draw(&stage, &mut debug);
        assert!(debug.lines.is_empty(), "one that would cover the picture is left out");
    }
}
