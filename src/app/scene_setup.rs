//! Beginnings: adds models and sets them up, puts instances into the picture, makes cameras of views.

use super::clip_sources::foot_chain;
use super::footing::walkable_near;
use super::state::App;
use crate::anim::clip_classification::{ClipRoles, classify_clips};
use crate::anim::speed_curve::SpeedCurve;
use crate::asset::Model;
use crate::asset::human_bone::Side;
use crate::asset::level_guess::looks_like_level;
use crate::disk::stem_of;
use crate::ids::{CameraId, InstanceId, ModelId};
use crate::math::Ray;
use crate::math::plan::to_plan;
use crate::nav::mesh::{Filter, NavMesh};
use crate::scene::edit::Edit;
use crate::scene::instance::ModelRef;
use crate::scene::model::{ActionClip, BlendSet, ClipSpeed};
use crate::scene::{CameraMotion, SceneCamera, SceneInstance, SceneModel};
use crate::sim::nav_mesh::locate;
use crate::ui::command::EditStep;
use crate::ui::edits;
use crate::ui::names::without_extension;
use crate::vocab::{CameraKind, MoveDirection, MoveState, free_name};
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;
use std::path::Path;
use std::sync::Arc;

/// Walking speed of a model whose walk does not say how fast it is, metres per second.
const USUAL_SPEED: f32 = 1.4;
/// What an action may follow in a model that comes in.
const GAITS: [MoveState; 3] = [MoveState::Idle, MoveState::Walk, MoveState::Run];
/// Farthest place from the camera at which something is put down where there is no level, metres.
const FARTHEST: f32 = 200.0;
/// How far ahead of a camera that sees no ground something is put down: for each metre of its height, at least and at most, metres. Level
/// views show ground from 1.7 times their height on.
const AHEAD_PER_HEIGHT: f32 = 2.5;
const AHEAD: [f32; 2] = [4.0, 60.0];
/// How far a thing is put from the middle of the picture to stand where characters can walk, metres.
const FOOTING_REACH: f32 = 10.0;
/// Distance of what is put down from what stands there already, metres, and how many times as far off a place is sought.
const SPACING: f32 = 1.0;
const RINGS: u32 = 4;
/// What a new camera that follows a character looks at: its shoulders, metres above its feet.
const SHOULDER_HEIGHT: f32 = 1.4;

/// Joins the steps that set a new thing up, and stand it on the ground, with that which put it there.
const PLACE_KEY: u64 = 0x706c_6163_6500;

/// The name of the step that puts an instance of a model into the scene.
fn place_step(model: &str) -> String {
    format!("place {}", without_extension(model))
}

/// The name of the step that adds a model with an instance.
pub(super) fn add_step(model: &str) -> String {
    format!("add model {model}")
}

/// The settings of a model with everything that its clips tell; those that it has stay.
pub fn set_up(model: &SceneModel, file: &Model) -> SceneModel {
    let mut to = model.clone();
    let found: ClipRoles = classify_clips(file);
    let natural = |clip: usize, factor: f32| {
        let clip = clip as u32;
        ClipSpeed { clip, speed: file.natural_speed(clip) * factor }
    };
    if let (true, Some(idle)) = (to.blend_sets.is_empty(), found.idle) {
        let speed = found.walk_speed.unwrap_or(USUAL_SPEED);
        to.forward_speed_factor = speed;
        let walk = found.walk.unwrap_or(idle);
        // Running is twice as fast as walking: its clip is played so that it fits.
        let fit = found.run_speed.map_or(1.0, |run| 2.0 * speed / run);
        let run = found.run.map_or(natural(walk, 2.0), |run| natural(run, fit));
        let set = BlendSet { direction: MoveDirection::Any, idle: natural(idle, 1.0), walk: natural(walk, 1.0), run };
        to.blend_sets.push(set);
    }
    if to.actions.is_empty() {
        let clips = found.actions.iter().map(|(state, clip)| ActionClip {
            state: *state,
            clip: natural(*clip, 1.0),
            curve: SpeedCurve::Even,
            root_motion: false,
        });
        to.actions = clips.collect();
        if to.allowed_orders.is_empty() {
            to.allowed_orders = to.actions.iter().flat_map(|action| GAITS.map(|gait| (gait, action.state))).collect();
        }
    }
    if to.head_clips.is_empty() {
        to.head_clips = found.head.iter().map(|(turn, clip)| (*turn, *clip as u32)).collect();
    }
    for (side, chain) in [(Side::Left, &mut to.left_foot_chain), (Side::Right, &mut to.right_foot_chain)] {
        if chain.is_empty() && !file.clips.is_empty() {
            let nodes = foot_chain(file, &model.clip_sources.bones, side);
            *chain = model.bone_numbers.numbers(file, &nodes).unwrap_or_default();
        }
    }
    to
}

/// Where a ray meets the level of the origin, on which things stand where there is no level.
fn plane_of_origin(ray: &Ray) -> Option<Vec3> {
    let t = -ray.origin.y / ray.direction.y;
    (t > 0.0 && t * ray.direction.length() < FARTHEST).then(|| ray.at(t))
}

impl App {
    /// Sets up the models that were added and whose files are there now.
    pub(super) fn set_up_models(&mut self) {
        // A step amid a drag would cut that in two.
        if self.history.is_dragging() {
            return;
        }
        for id in std::mem::take(&mut self.importing_models) {
            if self.lend_clips(id) {
                continue;
            }
            let Some(model) = self.scene.models.get(id) else { continue };
            let Some((_, file)) = self.assets.by_file(model) else {
                match self.assets.has_failed(model) {
                    true => self.take_back_model(id),
                    false => self.importing_models.push(id),
                }
                continue;
            };
            let mut edits = Vec::new();
            let to = set_up(model, file);
            if to != **model && !file.clips.is_empty() {
                edits.push(Edit::SetModel { id, to });
            }
            edits.extend(self.stands_on_ground(id));
            self.finish_placing(id, edits);
            self.note_fit(id);
        }
    }

    /// Changes a model that has just come in, and its instances: one step with that which put it into the scene, where nothing was done
    /// since.
    fn finish_placing(&mut self, id: ModelId, edits: Vec<Edit>) {
        let Some(model) = self.scene.models.get(id).filter(|_| !edits.is_empty()) else { return };
        let last = self.history.undo_name();
        let follows = [place_step(&model.name), add_step(&model.name)].iter().any(|step| last == Some(step));
        let name = format!("set up {}", without_extension(&model.name));
        if follows {
            self.history.join(PLACE_KEY);
        }
        self.edit(EditStep { name, edit: Edit::Many(edits), merge: follows.then_some(PLACE_KEY) });
        self.history.seal();
    }

    /// Height of the origin of an instance over the ground that it stands on, metres: of a thing whose model is there.
    pub(super) fn origin_height(&self, instance: &SceneInstance) -> f32 {
        let model = instance.model_id().and_then(|id| self.scene.models.get(id));
        let file = model.and_then(|model| self.assets.by_file(model)).map(|(_, file)| file);
        let thing = file.filter(|file| file.clips.is_empty() && !file.is_skinned());
        let yaw_rad = instance.rotation_deg.y.to_radians();
        thing.map_or(0.0, |file| instance.tilt().origin_height(&file.rest_bounds, yaw_rad, instance.scale))
    }

    /// Edits that let what was put on the ground before its model was there stand on it.
    fn stands_on_ground(&self, id: ModelId) -> Vec<Edit> {
        let raise = |(id, instance): (InstanceId, &Arc<SceneInstance>)| {
            let height = self.origin_height(instance);
            let to = SceneInstance { position: instance.position + Vec3::Y * height, ..SceneInstance::clone(instance) };
            (height > 0.0).then(|| Edit::SetInstance { id, to: Arc::new(to) })
        };
        let of_model = self.scene.instances.iter().filter(|(_, instance)| instance.model_id() == Some(id));
        of_model.filter_map(raise).collect()
    }

    /// Puts an instance of a model file on the ground: under a point of the window, else in the middle of the picture.
    /// A model that the scene does not have yet is added; about a file that looks like a level it is asked first.
    pub(super) fn place_file(&mut self, path: &Path, at: Option<egui::Pos2>, scale: f32) {
        let file = self.name_in_scene(path);
        let known = self.scene.models.iter().find(|(_, model)| model.file == file).map(|(id, _)| id);
        let ground = at.and_then(|at| self.ground_under(at, scale));
        match known {
            Some(id) => self.place_at(id, ground),
            None if looks_like_level(path) => self.ask_about_model(path, at),
            None => self.add_model_at(path, ground),
        }
    }

    /// The ground under a point of the window; `None` beside the picture, and where there is none.
    fn ground_under(&self, at: egui::Pos2, scale: f32) -> Option<Vec3> {
        let at_px = Vec2::new(at.x, at.y) * scale;
        let ray = self.viewport.ray_through(at_px).filter(|_| self.viewport.holds(at_px))?;
        super::pick::ground_at(&self.world, &ray).or_else(|| plane_of_origin(&ray))
    }

    /// Puts an instance of a model on the ground in the middle of the picture.
    pub(super) fn place(&mut self, id: ModelId) {
        self.place_at(id, None);
    }

    /// Puts an instance of a model at a place, else on the ground in the middle of the picture.
    fn place_at(&mut self, id: ModelId, at: Option<Vec3>) {
        self.place_in_step(id, at, None);
    }

    /// The same, in one step with the one before where that has the same key.
    fn place_in_step(&mut self, id: ModelId, at: Option<Vec3>, merge: Option<u64>) {
        let Some(model) = self.scene.models.get(id) else { return };
        let name = place_step(&model.name);
        let position = at.unwrap_or_else(|| self.beside_others(self.place_in_view()));
        let mut instance = SceneInstance { model: ModelRef::Known(id), position, ..SceneInstance::default() };
        instance.position.y += self.origin_height(&instance);
        self.edit(EditStep { name, edit: Edit::AddInstance(instance), merge });
    }

    /// The ground in the middle of the picture, or walkable ground near it, or a place before the camera.
    pub(super) fn place_in_view(&self) -> Vec3 {
        let has_ground = !self.world.triangles().is_empty() || self.world.mesh().current().is_some();
        let seen = self.viewport.view.and_then(|view| {
            let ray = view.ray_through(Vec2::splat(0.5), Vec2::ONE);
            let on_plane = || plane_of_origin(&ray).filter(|_| !has_ground);
            super::pick::ground_at(&self.world, &ray).or_else(on_plane)
        });
        let at = seen.unwrap_or_else(|| self.ground_ahead());
        let at = if at.is_finite() { at } else { Vec3::ZERO };
        // The middle of the picture may be the top of a wall.
        let near = self.world.mesh().current().and_then(|mesh| walkable_near(mesh, at));
        near.filter(|near| near.distance(at) < FOOTING_REACH).unwrap_or(at)
    }

    /// The ground before a camera that does not look at it.
    fn ground_ahead(&self) -> Vec3 {
        let free = &self.camera_controller.free;
        let [near, far] = AHEAD;
        let away = (free.position.y * AHEAD_PER_HEIGHT).max(near).min(far);
        let ahead = free.position + crate::camera::direction(free.azimuth_rad, 0.0) * away;
        let down = Ray { origin: ahead, direction: Vec3::NEG_Y };
        super::pick::ground_at(&self.world, &down).unwrap_or(ahead.with_y(0.0))
    }

    /// A place as near to another as nothing stands there yet, on the navigation mesh where that place lies on it; that place itself where
    /// all around is taken.
    fn beside_others(&self, at: Vec3) -> Vec3 {
        let is_taken = |place: Vec3| {
            let mut others = self.scene.instances.values().map(|other| other.position - place);
            others.any(|apart| to_plan(apart).length() < 0.9 * SPACING && apart.y.abs() < SPACING)
        };
        let on_mesh = |mesh: &NavMesh, place: Vec3| {
            let on = locate(mesh, place, &Filter::default()).map(|on| mesh.world(on.point).as_vec3());
            on.filter(|on| to_plan(*on).distance(to_plan(place)) < 0.1 && (on.y - at.y).abs() < SPACING)
        };
        let mesh = self.world.mesh().current().filter(|mesh| on_mesh(mesh, at).is_some());
        let on_ground = |place: Vec3| match mesh {
            Some(mesh) => on_mesh(mesh, place),
            None => Some(self.ground_below(place).filter(|on| (on.y - at.y).abs() < SPACING).unwrap_or(place)),
        };
        let around = |ring: u32| {
            (0..6 * ring).map(move |i| {
                let (sin, cos) = (TAU * i as f32 / (6 * ring) as f32).sin_cos();
                at + Vec3::new(cos, 0.0, sin) * (SPACING * ring as f32)
            })
        };
        if !is_taken(at) {
            return at;
        }
        let free = (1..=RINGS).flat_map(around).filter_map(on_ground).find(|place| !is_taken(*place));
        free.unwrap_or(at)
    }

    /// Adds a model file with one instance under a point of the window, or beside what stands there, else in front of the camera.
    pub(super) fn add_model(&mut self, path: &Path, at: Option<egui::Pos2>, scale: f32) {
        self.question = None;
        let ground = at.and_then(|at| self.ground_under(at, scale));
        self.add_model_at(path, ground.map(|at| self.beside_others(at)));
    }

    /// Adds a model file with one instance at a place, else in front of the camera.
    fn add_model_at(&mut self, path: &Path, at: Option<glam::Vec3>) {
        let name = free_name(&stem_of(path), |name| self.scene.models.values().any(|other| other.name == name));
        let model = SceneModel { name, file: self.name_in_scene(path), ..SceneModel::default() };
        let name = add_step(&model.name);
        // One step with the instance, and none with a model that was added before.
        self.history.seal();
        let added = self.apply(EditStep { name, edit: Edit::AddModel(model), merge: Some(PLACE_KEY) });
        let Some(&id) = added.as_ref().and_then(|added| added.models.first()) else { return };
        self.importing_models.push(id);
        self.place_in_step(id, at, Some(PLACE_KEY));
        self.history.seal();
    }

    /// Adds a camera that looks as the picture does, or follows what is selected, and looks through it.
    pub(super) fn new_camera(&mut self) {
        let name = free_name("Camera1", |name| self.scene.cameras.values().any(|camera| camera.name == name));
        let like = self.camera_controller.active().and_then(|id| self.scene.cameras.get(id));
        let lens = like.map_or_else(SceneCamera::default, |camera| (**camera).clone());
        let target = self.selection.instance.filter(|id| self.scene.instances.contains(*id));
        let camera = SceneCamera {
            name: name.clone(),
            kind: if target.is_some() { CameraKind::ThirdPerson } else { CameraKind::Stationary },
            target,
            third_person_height: SHOULDER_HEIGHT,
            motion: CameraMotion::default(),
            extra: Vec::new(),
            ..self.looking(lens)
        };
        let step = EditStep { name: format!("add camera {name}"), edit: Edit::AddCamera(camera), merge: None };
        let Some(added) = self.apply(step) else { return };
        self.ui.camera = None;
        if let Some(id) = added.cameras.first() {
            self.camera_controller.use_camera(&self.scene, *id);
        }
    }

    /// Adds a camera like another, and selects it.
    pub(super) fn clone_camera(&mut self, id: CameraId) {
        let Some(camera) = self.scene.cameras.get(id) else { return };
        let taken = |name: &str| self.scene.cameras.values().any(|camera| camera.name == name);
        let name = free_name(&camera.name, taken);
        let step = format!("duplicate camera {}", camera.name);
        let copy = SceneCamera { name, ..(**camera).clone() };
        let added = self.apply(EditStep { name: step, edit: Edit::AddCamera(copy), merge: None });
        if let Some(id) = added.and_then(|added| added.cameras.first().copied()) {
            self.select_camera(id);
        }
    }

    /// Takes a camera out of the scene.
    pub(super) fn remove_camera(&mut self, id: CameraId) {
        let Some(camera) = self.scene.cameras.get(id) else { return };
        let step = edits::remove_camera(id, camera);
        self.edit(step);
    }

    /// Moves a camera to where the picture is taken from.
    pub(super) fn camera_here(&mut self, id: CameraId) {
        let Some(camera) = self.scene.cameras.get(id) else { return };
        let name = format!("move camera {}", camera.name);
        let to = self.looking((**camera).clone());
        self.edit(EditStep { name, edit: Edit::SetCamera { id, to }, merge: None });
        self.camera_controller.use_camera(&self.scene, id);
    }

    /// A camera, put where the picture is taken from.
    fn looking(&self, camera: SceneCamera) -> SceneCamera {
        let Some(view) = self.viewport.view else { return camera };
        let (azimuth_rad, elevation_rad) = crate::camera::azimuth_elevation(view.direction);
        SceneCamera {
            position: view.position,
            azimuth_deg: azimuth_rad.to_degrees().rem_euclid(360.0),
            elevation_deg: elevation_rad.to_degrees().clamp(-89.0, 89.0),
            ..camera
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Clip;

    #[test]
    fn what_a_model_has_clips_for_it_may_do() {
        let clip = |name: &str| Clip { name: name.into(), duration_secs: 1.0, ..Clip::default() };
        let file = Model { clips: ["Idle", "Walk", "Jump"].map(clip).to_vec(), ..Model::default() };
        let to = set_up(&SceneModel::default(), &file);
        assert_eq!(to.actions.len(), 1);
        assert_eq!(to.allowed_orders, GAITS.map(|gait| (gait, MoveState::Jump)));
        let none = SceneModel { allowed_orders: vec![(MoveState::Walk, MoveState::Roll)], ..SceneModel::default() };
        assert_eq!(set_up(&none, &file).allowed_orders, none.allowed_orders, "what the scene says stays");
    }

    #[test]
    fn a_model_that_comes_in_amid_a_drag_is_set_up_after_it() {
        let mut app = App::new(crate::app::recent::Recent::default());
        let clip = |name: &str| Clip { name: name.into(), duration_secs: 1.0, ..Clip::default() };
        app.assets.insert("walker", Model { clips: ["Idle", "Walk"].map(clip).to_vec(), ..Model::default() });
        let walker = SceneModel { name: "walker".into(), file: "walker".into(), ..SceneModel::default() };
        let step = EditStep { name: "add".into(), edit: Edit::AddModel(walker), merge: None };
        app.importing_models = app.apply(step).unwrap().models;
        let steps = app.history.count();
        app.begin_drag();
        app.set_up_models();
        assert_eq!(app.history.count(), steps, "the drag stays one step");
        app.history.end_drag();
        app.set_up_models();
        assert!(app.importing_models.is_empty() && app.history.count().0 == steps.0 + 1);
    }

    #[test]
    fn without_a_level_things_land_in_the_middle_of_the_picture() {
        let mut app = App::new(crate::app::recent::Recent::default());
        let lens = crate::camera::Lens::Perspective { fov_rad: 1.0 };
        let (eye, wanted) = (Vec3::new(3.0, 110.0, 5.0), Vec3::new(40.0, 0.0, -60.0));
        app.viewport.view = Some(crate::camera::View::new(eye, wanted - eye, lens, 1.0));
        assert!(app.place_in_view().distance(wanted) < 0.01, "{}", app.place_in_view());
        app.viewport.view = Some(crate::camera::View::new(eye, Vec3::X, lens, 1.0));
        app.camera_controller.free.position = Vec3::new(0.0, 6.0, 0.0);
        let ahead = app.place_in_view();
        assert!(ahead.y == 0.0 && (10.4..60.0).contains(&ahead.length()), "a view that is level shows it: {ahead}");
    }

    #[test]
    fn what_is_put_down_stands_beside_what_stands_there() {
        let mut app = App::new(crate::app::recent::Recent::default());
        let mut places = Vec::new();
        for _ in 0..20 {
            let position = app.beside_others(Vec3::X);
            places.push(position);
            app.scene.instances.insert(Arc::new(SceneInstance { position, ..SceneInstance::default() }));
        }
        assert_eq!(places[0], Vec3::X);
        for (i, a) in places.iter().enumerate() {
            assert!(places[..i].iter().all(|b| a.distance(*b) > 0.9), "{places:?}");
        }
    }
}
