//! Where the camera is brought to: what is selected, everything, along an axis.

use super::state::App;
use super::{camera_view, pick};
use crate::camera::framing::{Bearing, overview};
use crate::camera::{MAX_ELEVATION_RAD, direction};
use crate::ids::{InstanceId, LevelId};
use crate::math::Aabb;
use crate::math::angle::wrap_rad;
use crate::ui::command::Action;
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// How much of the ground the camera shows that was brought to a place, metres.
pub(super) const LOOK_RADIUS: f32 = 8.0;
/// Least size of what is shown around a finding of the doctor, metres.
pub(super) const FINDING_RADIUS: f32 = 3.0;
/// Height over the ground at which a place that is shown has its mark, metres.
const MARK_HEIGHT: f32 = 0.5;
/// Share of the distance of the camera that is clear of the level where nothing hides a place.
const OPEN_SHARE: f32 = 0.9;
/// How much of the surroundings of a camera that it was brought to, metres.
const CAMERA_RADIUS: f32 = 2.0;
/// Elevation of the view of a scene without level, at most and at least, radians.
const OPEN_ELEVATION_RAD: [f32; 2] = [-PI / 4.0, -PI / 12.0];

/// The direction of a view along an axis: the front of a character that faces +Z is seen from the front.
fn bearing_of(action: Action) -> Option<Bearing> {
    let (azimuth_rad, elevation_rad) = match action {
        Action::ViewFront => (0.0, 0.0),
        Action::ViewBack => (PI, 0.0),
        Action::ViewRight => (-FRAC_PI_2, 0.0),
        Action::ViewLeft => (FRAC_PI_2, 0.0),
        Action::ViewTop => (0.0, -MAX_ELEVATION_RAD),
        Action::ViewBottom => (0.0, MAX_ELEVATION_RAD),
        _ => return None,
    };
    Some(Bearing { azimuth_rad, elevation_rad })
}

impl App {
    /// Carries out a command that moves the camera.
    pub(super) fn run_view(&mut self, action: Action) {
        if let Some(along) = bearing_of(action) {
            let around = self.orbited();
            return self.camera_controller.look_along(&self.scene, around, along);
        }
        match action {
            Action::Focus => self.focus_selected(),
            Action::FrameAll => self.frame_all(),
            Action::FocusTarget => self.focus_target(),
            Action::NextCamera => self.other_camera(1),
            Action::PreviousCamera => self.other_camera(-1),
            Action::Orthographic => {
                let around = self.orbited();
                self.camera_controller.switch_lens(&self.scene, around);
            }
            _ => {}
        }
    }

    /// Brings the camera to the selected camera, else to all selected instances, else to the selected level.
    fn focus_selected(&mut self) {
        if let Some(camera) = self.picked_camera().and_then(|id| self.scene.cameras.get(id)) {
            return self.camera_controller.focus(&self.scene, camera.position, CAMERA_RADIUS);
        }
        match (&self.selected()[..], self.selection.level) {
            ([], Some(level)) => self.show_levels(&[level]),
            (instances, _) => self.focus(instances),
        }
    }

    /// Brings the camera to the target of the selected character.
    fn focus_target(&mut self) {
        let walker = self.selection.instance.and_then(|id| self.scene.instances.get(id));
        let target = walker.and_then(|walker| walker.target);
        self.focus(target.as_slice());
    }

    /// Brings the camera to where all of some instances are seen.
    fn focus(&mut self, ids: &[InstanceId]) {
        let corners = ids.iter().filter_map(|id| {
            let (instance, live) = (self.scene.instances.get(*id)?, self.world.live(*id)?);
            let (world_from_model, bounds) = pick::placed(&self.scene, &self.assets, instance, live, 1.0);
            Some(bounds.transformed(&world_from_model).corners())
        });
        let bounds = Aabb::from_points(corners.flatten());
        if bounds.is_empty() {
            return;
        }
        let (center, radius) = (bounds.center(), bounds.size().length());
        let along = self.open_bearing(center, radius);
        self.camera_controller.focus_along(&self.scene, center, radius, along);
    }

    /// Brings the camera to a place on the ground, from where nothing of the level hides it: nearer where walls or a ceiling
    /// are all around.
    pub(super) fn show_place(&mut self, place: Vec3, radius: f32) {
        let mark = place + Vec3::Y * MARK_HEIGHT;
        let wanted = self.camera_controller.framing_distance(radius);
        let (along, clear) = self.clearest_bearing(mark, wanted);
        let nearer = if clear > OPEN_SHARE * wanted { 1.0 } else { clear / wanted };
        self.camera_controller.focus_along(&self.scene, mark, radius * nearer, along);
    }

    /// The direction nearest to that of the camera from which nothing of the level hides a place; that of the camera where
    /// there is none.
    fn open_bearing(&self, center: Vec3, radius: f32) -> Bearing {
        let wanted = self.camera_controller.framing_distance(radius);
        let (along, clear) = self.clearest_bearing(center, wanted);
        if clear > OPEN_SHARE * wanted { along } else { self.camera_controller.bearing() }
    }

    /// The direction nearest to that of the camera in which the level leaves open most of a distance, metres, and how much;
    /// else the one in which it leaves most.
    fn clearest_bearing(&self, center: Vec3, wanted: f32) -> (Bearing, f32) {
        let now = self.camera_controller.bearing();
        let turned = |eighths: f32, elevation_rad: f32| {
            let azimuth_rad = wrap_rad(now.azimuth_rad + eighths * FRAC_PI_4);
            Bearing { azimuth_rad, elevation_rad }
        };
        let elevations = [now.elevation_rad, -PI / 10.0, -PI / 30.0];
        let all =
            elevations.into_iter().flat_map(|e| [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0].map(|t| turned(t, e)));
        let mut best = (now, 0.0);
        for along in all {
            let back = -direction(along.azimuth_rad, along.elevation_rad);
            let clear = camera_view::clear_distance(&self.world, center, back, wanted);
            if clear > OPEN_SHARE * wanted {
                return (along, clear);
            }
            if clear > best.1 {
                best = (along, clear);
            }
        }
        best
    }

    /// Brings the camera to where everything is seen: a level along a diagonal and from above, over its walls.
    fn frame_all(&mut self) {
        let (scene, world, assets) = (&self.scene, &self.world, &self.assets);
        let triangles = world.triangles();
        let mesh = world.mesh().current().filter(|_| triangles.is_empty());
        let of_mesh = mesh.into_iter().flat_map(|mesh| mesh.vertices().iter().map(move |&v| mesh.world(v).as_vec3()));
        let level = triangles.iter().flat_map(|triangle| triangle.points).chain(of_mesh);
        let instances = scene.instances.iter().filter_map(|(id, instance)| {
            let (world_from_model, bounds) = pick::placed(scene, assets, instance, world.live(id)?, 1.0);
            Some(bounds.transformed(&world_from_model).corners())
        });
        let (along, aspect) = self.shown_along(&Aabb::from_points(level.clone()));
        let points = level.chain(instances.flatten());
        if !self.camera_controller.show_points(scene, points, along, aspect) {
            self.camera_controller.focus(scene, Vec3::ZERO, LOOK_RADIUS);
        }
    }

    /// Brings the camera to the first level of an empty scene, and to levels that were added to others, once they are there, unless it was
    /// moved meanwhile.
    pub(super) fn frame_new_levels(&mut self) {
        if self.flying {
            self.awaited_levels.clear();
        }
        let (scene, assets) = (&self.scene, &self.assets);
        let is_there = |id: &mut LevelId| scene.levels.get(*id).is_some_and(|level| assets.by_file(level).is_some());
        let there: Vec<LevelId> = self.awaited_levels.extract_if(.., is_there).collect();
        self.show_levels(&there);
        self.awaits_level &= !self.flying && !self.scene.levels.is_empty();
        if self.awaits_level && !self.world.triangles().is_empty() {
            self.awaits_level = false;
            self.frame_all();
        }
    }

    /// Looks at points as into a level.
    pub(super) fn show_from_above(&mut self, points: &[Vec3]) {
        let points = points.iter().copied();
        let (along, aspect) = self.shown_along(&Aabb::from_points(points.clone()));
        self.camera_controller.show_points(&self.scene, points, along, aspect);
    }

    /// The direction in which a level of these bounds is shown, and the width of the picture over its height.
    fn shown_along(&self, level: &Aabb) -> (Bearing, f32) {
        let now = self.camera_controller.bearing();
        let [low, high] = OPEN_ELEVATION_RAD;
        let along = if level.is_empty() {
            Bearing { elevation_rad: now.elevation_rad.clamp(low, high), ..now }
        } else {
            overview(level.size(), now.azimuth_rad)
        };
        let size = self.viewport.size();
        (along, size.x.max(1.0) / size.y.max(1.0))
    }

    fn other_camera(&mut self, by: isize) {
        if let Some(id) = self.camera_controller.neighbor(&self.scene, by) {
            self.camera_controller.use_camera(&self.scene, id);
        }
    }

    /// What the camera goes round: the middle of what is selected, else what was brought to the middle of the picture, else
    /// where that meets the ground, else a place before the eye.
    pub(super) fn orbited(&self) -> Vec3 {
        let chosen = self.selected();
        let places: Vec<Vec3> = chosen.iter().filter_map(|id| Some(self.world.live(*id)?.now.position)).collect();
        if !places.is_empty() {
            // About the middle of a person.
            return places.iter().sum::<Vec3>() / places.len() as f32 + Vec3::Y;
        }
        if let Some(pivot) = self.camera_controller.pivot() {
            return pivot;
        }
        let Some(view) = self.viewport.view else { return Vec3::ZERO };
        // The eye of an orthographic view may stand anywhere: what is seen begins before it.
        let ray = view.ray_through(glam::Vec2::splat(0.5), glam::Vec2::ONE);
        pick::ground_at(&self.world, &ray).unwrap_or_else(|| self.before_eye(&view))
    }

    /// A place before the eye: on the level of the origin where that is near, else ten metres away.
    fn before_eye(&self, view: &crate::camera::View) -> Vec3 {
        let away = -view.position.y / view.direction.y;
        let away = if away.is_finite() && (1.0..200.0).contains(&away) { away } else { 10.0 };
        view.position + view.direction * away
    }
}
