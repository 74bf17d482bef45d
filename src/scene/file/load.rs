//! From text to a checked scene.

use super::{SceneError, v9};
use crate::behavior::graph::{BehaviorGraph, GraphLink, GraphNode};
use crate::ids::{BehaviorId, ModelId};
use crate::scene::instance::ModelRef;
use crate::scene::{
    ActionClip, BlendSet, ClipSpeed, Scene, SceneCamera, SceneInstance, SceneLevel, SceneModel, Selection,
};
use crate::vocab::{CameraKind, CollisionMode, FaceExpression, HeadMove, MoveDirection, MoveState, Projection};
use glam::{Vec3, Vec4};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene as it came out of a file.
#[derive(Debug)]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// What the file says is selected.
    pub selection: Selection,
    /// The folder against which the scene's file names resolve: the one above `config/`.
    pub root: PathBuf,
    /// What was odd but did not prevent loading.
    pub warnings: Vec<String>,
}

/// Reads and checks a scene file.
///
/// # Errors
/// The file cannot be read, is not YAML of the expected form, or an element holds what no scene may hold.
pub fn load(path: &Path) -> Result<Loaded, SceneError> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| SceneError::Unreadable { path: path.into(), reason: e.to_string() })?;
    load_str(&text, path)
}

/// Reads and checks the text of a scene file; `path` says where it stands.
///
/// # Errors
/// As [`load`].
pub fn load_str(text: &str, path: &Path) -> Result<Loaded, SceneError> {
    let file: v9::File =
        serde_yaml::from_str(text).map_err(|e| SceneError::Malformed { path: path.into(), reason: e.to_string() })?;
    if file.version.is_none() {
        return Err(SceneError::Malformed { path: path.into(), reason: "the key 'version' is missing".into() });
    }
    let mut loaded =
        Loaded { scene: Scene::default(), selection: Selection::default(), root: root_of(path), warnings: Vec::new() };
    Builder { path, out: &mut loaded }.build(&file)?;
    Ok(loaded)
}

/// The folder above `config/`; the file's own folder when it lies elsewhere.
pub fn root_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.file_name().is_some_and(|name| name == "config") {
        let above = folder.parent().unwrap_or(Path::new("."));
        if above.as_os_str().is_empty() { PathBuf::from(".") } else { above.into() }
    } else if folder == Path::new(".") && std::env::current_dir().is_ok_and(|d| d.ends_with("config")) {
        PathBuf::from("..")
    } else {
        folder.into()
    }
}

struct Builder<'a> {
    path: &'a Path,
    out: &'a mut Loaded,
}

fn vec3(v: Option<[f32; 3]>) -> Vec3 {
    v.map_or(Vec3::ZERO, Vec3::from)
}

impl Builder<'_> {
    fn invalid(&self, element: &str, reason: impl Into<String>) -> SceneError {
        SceneError::Invalid { path: self.path.into(), element: element.into(), reason: reason.into() }
    }

    fn build(&mut self, file: &v9::File) -> Result<(), SceneError> {
        self.settings(&file.settings)?;
        for level in file.levels.iter().flatten() {
            let level = SceneLevel {
                name: level.level_name.clone(),
                file: level.level_file.clone(),
                position: vec3(level.position),
                rotation_deg: vec3(level.rotation),
                scale: level.scale.unwrap_or(1.0),
                swap_axes: level.swap_axes,
                ..SceneLevel::default()
            };
            self.out.scene.levels.insert(Arc::new(level));
        }
        for (i, camera) in file.camera.iter().chain(file.cameras.iter().flatten()).enumerate() {
            self.camera(i, camera)?;
        }
        if self.out.scene.cameras.is_empty() {
            self.out.scene.cameras.insert(Arc::new(SceneCamera::default()));
        }
        let mut models = HashMap::new();
        for (i, model) in file.models.iter().flatten().enumerate() {
            let model = self.model(i, model)?;
            let name = model.name.clone();
            models.insert(name, self.out.scene.models.insert(Arc::new(model)));
        }
        let mut behaviors = HashMap::new();
        for tree in file.node_trees.iter().flatten() {
            let id = self.out.scene.behaviors.insert(Arc::new(behavior(tree)));
            behaviors.insert(tree.node_tree_name.clone(), id);
        }
        for (i, instance) in file.instances.iter().flatten().enumerate() {
            self.instance(i, instance, &models, &behaviors)?;
        }
        self.targets(file);
        self.selection(&file.settings);
        Ok(())
    }

    fn settings(&mut self, s: &v9::Settings) -> Result<(), SceneError> {
        let mut settings = (*self.out.scene.settings).clone();
        let set = |to: &mut f32, from: Option<f32>| *to = from.unwrap_or(*to);
        settings.highlight_selection = s.highlight_selection.unwrap_or(false);
        let mode = s.collision_enabled.unwrap_or(0);
        settings.collision_mode = CollisionMode::from_file(mode)
            .ok_or_else(|| self.invalid("settings", format!("'collision-enabled' is {mode}; use 0, 1 or 2")))?;
        settings.interaction_enabled = s.interaction_enabled.unwrap_or(false);
        set(&mut settings.interaction_min_range, s.interaction_min_range);
        set(&mut settings.interaction_max_range, s.interaction_max_range);
        set(&mut settings.interaction_fov_deg, s.interaction_fov);
        settings.gravity_enabled = s.gravity_enabled.unwrap_or(false);
        settings.ik_enabled = s.inverse_kinematics_enabled.unwrap_or(false);
        settings.ik_iterations = s.inverse_kinematics_iterations.unwrap_or(10);
        settings.nav.enabled = s.navigation_enabled.unwrap_or(false);
        set(&mut settings.nav.ground_slope_deg, s.level_collision_ground_slope);
        set(&mut settings.nav.max_step_height, s.level_collision_max_stairstep_height);
        settings.environment.sky_enabled = s.skybox_enabled.unwrap_or(true);
        set(&mut settings.environment.fog_density, s.fog_density);
        set(&mut settings.environment.light_east_west_deg, s.light_source_angle_east_west);
        set(&mut settings.environment.light_north_south_deg, s.light_source_angle_north_south);
        set(&mut settings.environment.light_intensity, s.light_source_intensity);
        settings.environment.light_color = s.light_source_color.unwrap_or(settings.environment.light_color);
        self.out.scene.settings = Arc::new(settings);
        Ok(())
    }

    fn camera(&mut self, i: usize, c: &v9::Camera) -> Result<(), SceneError> {
        let element = format!("camera {i}");
        let kind = CameraKind::from_file(c.camera_type)
            .ok_or_else(|| self.invalid(&element, format!("has the unknown 'camera-type' {}", c.camera_type)))?;
        let projection = Projection::from_file(c.camera_projection).ok_or_else(|| {
            self.invalid(&element, format!("has the unknown 'camera-projection' {}", c.camera_projection))
        })?;
        let default = SceneCamera::default();
        let camera = SceneCamera {
            name: c.camera_name.clone().unwrap_or(default.name),
            kind,
            position: vec3(c.position),
            azimuth_deg: c.view_azimuth.unwrap_or(0.0),
            elevation_deg: c.view_elevation.unwrap_or(0.0),
            projection,
            fov_deg: c.field_of_view.unwrap_or(default.fov_deg),
            ortho_scale: c.ortho_scale.unwrap_or(default.ortho_scale),
            target: None,
            first_person_lock: c.first_lock.unwrap_or(false),
            first_person_bone: c.first_bone.unwrap_or(0),
            first_person_offset: vec3(c.first_offsets),
            third_person_distance: c.third_distance.unwrap_or(default.third_person_distance),
            third_person_height: c.third_height.unwrap_or(default.third_person_height),
            follow_height: c.follow_cam_height_offset.unwrap_or(default.follow_height),
            ..SceneCamera::default()
        };
        self.out.scene.cameras.insert(Arc::new(camera));
        Ok(())
    }

    fn model(&self, i: usize, m: &v9::Model) -> Result<SceneModel, SceneError> {
        let element = format!("model {i} ({:?})", m.model_name);
        let state = |value: i64| {
            MoveState::from_file(value)
                .ok_or_else(|| self.invalid(&element, format!("names the unknown state {value}")))
        };
        let mut model = SceneModel {
            name: m.model_name.clone(),
            file: m.model_file.clone(),
            is_nav_target: m.is_nav_target,
            forward_speed_factor: m.forward_speed_factor.unwrap_or(4.0),
            sphere_adjustments: m.bounding_sphere_adjustments.iter().flatten().map(|v| Vec4::from(*v)).collect(),
            left_foot_chain: chain(&m.left_foot_ik_chain),
            right_foot_chain: chain(&m.right_foot_ik_chain),
            ..SceneModel::default()
        };
        for (&direction, clips) in m.idle_walk_run_clips.iter().flatten().flatten() {
            let direction = MoveDirection::from_file(direction)
                .ok_or_else(|| self.invalid(&element, format!("names the unknown direction {direction}")))?;
            model.blend_sets.push(BlendSet {
                direction,
                idle: ClipSpeed { clip: clips.idle_clip, speed: clips.idle_clip_speed },
                walk: ClipSpeed { clip: clips.walk_clip, speed: clips.walk_clip_speed },
                run: ClipSpeed { clip: clips.run_clip, speed: clips.run_clip_speed },
            });
        }
        for (&key, clip) in m.action_clips.iter().flatten().flatten() {
            let clip_speed = ClipSpeed { clip: clip.clip, speed: clip.clip_speed };
            model.actions.push(ActionClip { state: state(key)?, clip: clip_speed });
        }
        for (&from, &to) in m.action_sequences.iter().flatten().flatten() {
            model.allowed_orders.push((state(from)?, state(to)?));
        }
        for (&head, &clip) in m.head_movement_mappings.iter().flatten().flatten() {
            let head = HeadMove::from_file(head)
                .ok_or_else(|| self.invalid(&element, format!("names the unknown head movement {head}")))?;
            if let Ok(clip) = u32::try_from(clip) {
                model.head_clips.push((head, clip));
            }
        }
        Ok(model)
    }

    fn instance(
        &mut self,
        i: usize,
        s: &v9::Instance,
        models: &HashMap<String, ModelId>,
        behaviors: &HashMap<String, BehaviorId>,
    ) -> Result<(), SceneError> {
        let element = format!("instance {i}");
        let model = match models.get(&s.model_file) {
            Some(&id) => ModelRef::Known(id),
            None => {
                let text = format!("{element} names model {:?}, which is not in the model list", s.model_file);
                self.out.warnings.push(text);
                ModelRef::Missing(s.model_file.clone())
            }
        };
        let face = s.face_anim.or(s.face_anim_index).unwrap_or(0);
        let first = s.first_clip.or(s.anim_clip_number).unwrap_or(0);
        let instance = SceneInstance {
            model,
            position: vec3(s.position),
            rotation_deg: vec3(s.rotation),
            scale: s.scale.unwrap_or(1.0),
            swap_axes: s.swap_axes,
            clips: [first, s.second_clip.unwrap_or(first)],
            clip_speed: s.anim_clip_speed.unwrap_or(1.0),
            clip_blend: s.anim_blend_factor.unwrap_or(0.0),
            behavior: s.node_tree.as_ref().and_then(|name| behaviors.get(name).copied()),
            face: FaceExpression::from_file(face)
                .ok_or_else(|| self.invalid(&element, format!("has the unknown 'face-anim' {face}")))?,
            face_weight: s.face_anim_weight.unwrap_or(0.0),
            head_left_right: s.head_anim_left_right_timestamp.unwrap_or(0.0),
            head_up_down: s.head_anim_up_down_timestamp.unwrap_or(0.0),
            navigation: s.enable_navigation,
            target: None,
            ..SceneInstance::default()
        };
        self.out.scene.instances.insert(Arc::new(instance));
        Ok(())
    }

    /// Indices in files count the original's hidden null instance as 0.
    fn targets(&mut self, file: &v9::File) {
        let scene = &mut self.out.scene;
        for (i, s) in file.instances.iter().flatten().enumerate() {
            let Some(own) = scene.instances.at(i) else { continue };
            let target = s.path_target_instance.and_then(|t| scene.instances.at(usize::try_from(t - 1).ok()?));
            if let Some(instance) = scene.instances.get_mut(own) {
                Arc::make_mut(instance).target = target.filter(|t| *t != own);
            }
            for name in s.target_of_cameras.iter().flatten() {
                let camera = scene.cameras.iter().find(|(_, c)| c.name == *name).map(|(id, _)| id);
                if let Some(camera) = camera.and_then(|id| scene.cameras.get_mut(id)) {
                    Arc::make_mut(camera).target = Some(own);
                }
            }
        }
    }

    fn selection(&mut self, s: &v9::Settings) {
        let scene = &self.out.scene;
        let one_based = |i: Option<i64>| i.and_then(|i| usize::try_from(i - 1).ok());
        self.out.selection = Selection {
            instance: one_based(s.selected_instance).and_then(|i| scene.instances.at(i)),
            model: one_based(s.selected_model).and_then(|i| scene.models.at(i)),
            level: one_based(s.selected_level).and_then(|i| scene.levels.at(i)),
            camera: scene.cameras.at(s.selected_camera.and_then(|i| usize::try_from(i).ok()).unwrap_or(0)),
            behavior: None,
        };
    }
}

fn chain(nodes: &Option<Vec<i64>>) -> Vec<u32> {
    nodes.iter().flatten().filter_map(|&n| u32::try_from(n).ok()).collect()
}

fn behavior(tree: &v9::NodeTree) -> BehaviorGraph {
    let text = |value: &serde_yaml::Value| match value {
        serde_yaml::Value::String(s) => s.clone(),
        other => serde_yaml::to_string(other).map(|s| s.trim_end().to_owned()).unwrap_or_default(),
    };
    BehaviorGraph {
        name: tree.node_tree_name.clone(),
        editor_settings: tree.editor_settings.clone(),
        nodes: tree
            .nodes
            .iter()
            .flatten()
            .map(|node| GraphNode {
                kind: node.node_type,
                id: node.node_id,
                properties: node.node_data.iter().flatten().flatten().map(|(k, v)| (k.clone(), text(v))).collect(),
                ..GraphNode::default()
            })
            .collect(),
        links: tree
            .links
            .iter()
            .flatten()
            .flatten()
            .map(|(&id, &[from_pin, to_pin])| GraphLink { id, from_pin, to_pin })
            .collect(),
        ..BehaviorGraph::default()
    }
}
