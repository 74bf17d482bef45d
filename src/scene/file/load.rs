//! From text to a checked scene.

use super::error::SceneError;
use super::loaded::LoadedScene;
use super::root::{resolve_backslashes, root_of};
use super::{census, migrate, nav, near_keys, recast_demo, sounds, v9, wording, yaml};
use crate::anim::inertialization::Transition;
use crate::asset::human_bone::{BoneNames, HumanBone};
use crate::asset::{BoneNumbers, ClipEdit, ClipSource, ClipSources, NodeTransforms};
use crate::behavior::graph::{BehaviorGraph, GraphComment, GraphLink, GraphNode};
use crate::disk::excerpt::shortened;
use crate::disk::{ReadFault, has_extension, read_text};
use crate::ids::{BehaviorId, ModelId};
use crate::nav::exchange::recast_demo::is_geometry_set;
use crate::nav::planner::Planner;
use crate::scene::instance::ModelRef;
use crate::scene::level::names_units;
use crate::scene::rule::RuleError;
use crate::scene::settings::LostRule;
use crate::scene::{
    ActionClip, BlendSet, ClipSpeed, Environment, Extra, Scene, SceneCamera, SceneInstance, SceneLevel, SceneModel,
    Selection, Settings, limits,
};
use crate::vocab::{
    CameraKind, CollisionMode, DayPreset, FaceExpression, HeadMove, MoveDirection, MoveState, Projection,
};
use glam::{Vec3, Vec4};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest scene file in bytes.
pub const MAX_SIZE: u64 = 32 << 20;

/// Reads and checks a scene file.
///
/// # Errors
/// The file cannot be read, is not YAML of the expected form, or an element holds what no scene may hold.
pub fn load(path: &Path) -> Result<LoadedScene, SceneError> {
    super::loaded::refuse_others(path)?;
    let unreadable = |reason: String| SceneError::Unreadable { path: path.into(), reason };
    let text = read_text(path, MAX_SIZE).map_err(|fault| match fault {
        ReadFault::TooLarge { limit, .. } => SceneError::TooLarge { path: path.into(), limit },
        fault => unreadable(fault.to_string()),
    })?;
    load_str(&text, path)
}

/// Reads and checks the text of a scene file; `path` says where it stands.
///
/// # Errors
/// As [`load`].
pub fn load_str(text: &str, path: &Path) -> Result<LoadedScene, SceneError> {
    if text.len() as u64 > MAX_SIZE {
        return Err(SceneError::TooLarge { path: path.into(), limit: MAX_SIZE });
    }
    if is_geometry_set(text) || has_extension(path, &["gset"]) {
        return recast_demo::scene_of(text, path);
    }
    let malformed = |reason: String| SceneError::Malformed { path: path.into(), reason };
    let wrong = |e: serde_yaml::Error| malformed(shortened(&wording::for_people(&e.to_string(), text)));
    // Counted before anything is parsed: a million entries would take half a minute to be refused.
    if line_of(text, "instances", limits::MAX_INSTANCES).is_some() {
        let reason = format!(
            "has too many instances; at most {} are allowed. So many take 1 GB of memory and 0.2 s for a step of a \
             sixtieth of a second on two cores, a million would take 10 GB and 2 s",
            limits::MAX_INSTANCES
        );
        return Err(SceneError::Invalid { path: path.into(), element: "the scene".into(), reason });
    }
    census::check(text).map_err(wrong)?;
    // An empty document is a scene without any key: what it lacks is the version.
    let mut file = serde_yaml::from_str::<Option<v9::File>>(text).map_err(wrong)?.unwrap_or_default();
    let mut loaded = LoadedScene {
        scene: Scene::default(),
        selection: Selection::default(),
        root: PathBuf::new(),
        warnings: Vec::new(),
        is_foreign: false,
    };
    migrate::migrate(&mut file, &mut loaded.warnings).map_err(|e| malformed(e.to_string()))?;
    loaded.warnings.extend(near_keys::warnings(&file));
    let built = SceneBuilder { out: &mut loaded }.build(&file);
    match built.and_then(|()| loaded.scene.check()) {
        Ok(()) => {
            if text.contains('\\') {
                resolve_backslashes(path, &mut loaded.scene);
            }
            loaded.root = root_of(path, &loaded.scene);
            Ok(loaded)
        }
        Err(fault) => {
            let element = match line_of(text, fault.list, fault.index) {
                Some(line) => format!("{} (line {line})", fault.element),
                None => fault.element,
            };
            Err(SceneError::Invalid { path: path.into(), element, reason: fault.reason.to_string() })
        }
    }
}

/// The line on which entry `index` of a top-level list begins, where the list is written line by line; that of a map's key.
fn line_of(text: &str, list: &str, index: usize) -> Option<usize> {
    let mut lines = text.lines().enumerate();
    let head = format!("{list}:");
    let (start, _) = lines.by_ref().find(|(_, line)| !list.is_empty() && line.trim_end() == head)?;
    if ["settings", "walkabout"].contains(&list) {
        return Some(start + 1);
    }
    let mut indent = None;
    let mut seen = 0;
    for (number, line) in lines {
        let code = line.trim_start();
        let depth = line.len() - code.len();
        let item = code.starts_with("- ") || code == "-";
        if !code.is_empty() && depth == 0 && !item && !code.starts_with('#') {
            return None;
        }
        if item && depth == *indent.get_or_insert(depth) {
            if seen == index {
                return Some(number + 1);
            }
            seen += 1;
        }
    }
    None
}

struct SceneBuilder<'a> {
    out: &'a mut LoadedScene,
}

type LoadResult<T> = Result<T, limits::Fault>;

/// Names of bones, for errors.
const BONES: &str = "hips, spine, chest, upper-chest, neck, head, left-upper-leg, left-index-proximal and so on";

/// A fault of entry `index` of `list`, whose entries people call `word`.
fn fault(list: &'static str, word: &str, index: usize, reason: RuleError) -> limits::Fault {
    limits::Fault { list, index, element: format!("{word} {}", index + 1), reason }
}

/// The exact field of view, unless the whole number beside it was changed.
fn field_of_view(camera: &v9::FileCamera) -> Option<f32> {
    let whole = camera.field_of_view;
    camera.exact_field_of_view.filter(|exact| whole.is_none_or(|whole| whole == exact.round())).or(whole)
}

/// A value that is none of the known ones.
fn unknown(has: &'static str, value: impl ToString, choices: &'static str) -> RuleError {
    RuleError::Unknown { has, value: value.to_string(), choices }
}

fn vec3(v: Option<[f32; 3]>) -> Vec3 {
    v.map_or(Vec3::ZERO, Vec3::from)
}

fn extra(unknown: &v9::Unknown) -> Extra {
    unknown.iter().map(|(key, value)| (key.clone(), yaml::flow(value))).collect()
}

/// Sky, light and fog, but for the sky's picture.
fn environment(s: &v9::FileSettings) -> Result<Environment, RuleError> {
    let usual = Environment::default();
    let preset = s.time_of_day_preset.unwrap_or(usual.day_preset.to_file());
    Ok(Environment {
        sky_enabled: s.skybox_enabled.unwrap_or(usual.sky_enabled),
        fog_density: s.fog_density.unwrap_or(usual.fog_density),
        light_east_west_deg: s.light_source_angle_east_west.unwrap_or(usual.light_east_west_deg),
        light_north_south_deg: s.light_source_angle_north_south.unwrap_or(usual.light_north_south_deg),
        light_intensity: s.light_source_intensity.unwrap_or(usual.light_intensity),
        light_color: s.light_source_color.unwrap_or(usual.light_color),
        day_enabled: s.time_of_day_enabled.unwrap_or(usual.day_enabled),
        day_minutes_per_sec: s.time_of_day_scaling.unwrap_or(usual.day_minutes_per_sec),
        day_preset: DayPreset::from_file(preset)
            .ok_or_else(|| unknown("has the 'time-of-day-preset'", preset, "0 to 7"))?,
        ..usual
    })
}

impl SceneBuilder<'_> {
    fn build(&mut self, file: &v9::File) -> LoadResult<()> {
        let count = file.instances.as_ref().map_or(0, Vec::len);
        limits::count("instances", count, limits::MAX_INSTANCES).map_err(|reason| limits::Fault {
            list: "",
            index: 0,
            element: "the scene".into(),
            reason,
        })?;
        let none = v9::FileSettings::default();
        let settings = file.settings.as_ref().unwrap_or(&none);
        self.settings(settings, file.walkabout.as_ref())?;
        self.out.scene.extra = extra(&file.unknown);
        for (i, level) in file.levels.iter().flatten().enumerate() {
            let lacks = v9::missing_file(&level.level_file, "level-file", &level.unknown);
            self.out.warnings.extend(lacks.map(|lacks| format!("level {} {lacks}", i + 1)));
            self.level(level, file.walkabout.is_some());
        }
        for (i, camera) in file.cameras.iter().flatten().enumerate() {
            self.camera(i, camera)?;
        }
        if self.out.scene.cameras.is_empty() {
            self.out.scene.cameras.insert(Arc::new(SceneCamera::default()));
        }
        // A scene of the original means what its author saw there.
        let usual = match file.walkabout {
            Some(_) => (NodeTransforms::All, BoneNumbers::Nodes),
            None => (NodeTransforms::RootOnly, BoneNumbers::Skin),
        };
        let mut models = HashMap::new();
        for (i, entry) in file.models.iter().flatten().enumerate() {
            let lacks = v9::missing_file(&entry.model_file, "model-file", &entry.unknown);
            self.out.warnings.extend(lacks.map(|lacks| format!("model {} {lacks}", i + 1)));
            self.out.warnings.extend(entry.lost_keys(i + 1));
            let model = Arc::new(model(i, entry, usual)?);
            models.insert(model.name.clone(), self.out.scene.models.insert(model));
        }
        let mut behaviors = HashMap::new();
        for tree in file.node_trees.iter().flatten() {
            let graph = behavior(tree);
            let problems = crate::behavior::compile(&graph).1;
            self.out.warnings.extend(problems.iter().map(ToString::to_string));
            let id = self.out.scene.behaviors.insert(Arc::new(graph));
            behaviors.insert(tree.node_tree_name.clone(), id);
        }
        for (i, instance) in file.instances.iter().flatten().enumerate() {
            self.instance(i, instance, &models, &behaviors)?;
        }
        self.targets(file);
        self.selection(settings);
        Ok(())
    }

    fn settings(&mut self, s: &v9::FileSettings, own: Option<&v9::FileOwnKeys>) -> LoadResult<()> {
        let wrong = |reason| limits::Fault { list: "settings", index: 0, element: "the map 'settings'".into(), reason };
        let mut settings = Settings { extra: extra(&s.unknown), ..Settings::default() };
        let set = |to: &mut f32, from: Option<f32>| *to = from.unwrap_or(*to);
        settings.highlight_selection = s.highlight_selection.unwrap_or(true);
        let mode = s.collision_enabled.unwrap_or(0);
        settings.collision_mode = CollisionMode::from_file(mode)
            .ok_or_else(|| wrong(unknown("has the 'collision-enabled'", mode, "0, 1 or 2")))?;
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
        settings.environment = environment(s).map_err(wrong)?;
        settings.keeps_light_keys = s.has_light_keys() && settings.environment == Environment::default();
        // The original cross-fades, by which joints jump to up to four times the accelerations of their clips.
        settings.transition = own.map_or(Transition::Inertial, |own| own.transitions);
        if let Some(own) = own {
            let links_as_original = match own.adjacency.as_deref() {
                None | Some("shared") => false,
                Some("original") => true,
                Some(other) => {
                    return Err(wrong(unknown("has the adjacency", format!("{other:?}"), "'shared' or 'original'")));
                }
            };
            settings.tree_kind = own.triangle_tree;
            settings.ik_on_device = own.legs_on_device;
            settings.octree_threshold = own.octree_threshold.unwrap_or(settings.octree_threshold);
            settings.octree_max_depth = own.octree_max_depth.unwrap_or(settings.octree_max_depth);
            settings.overlays = own.overlays.clone().unwrap_or(settings.overlays);
            settings.seed = own.seed.unwrap_or(settings.seed);
            settings.environment.sky_picture = own.sky_picture.clone().unwrap_or_default();
            settings.lost = match own.lost_characters.as_deref() {
                None | Some("put-back") => LostRule::PutBack,
                Some("delete") => LostRule::Delete,
                Some(other) => {
                    return Err(wrong(unknown(
                        "has the lost-characters",
                        format!("{other:?}"),
                        "'put-back' or 'delete'",
                    )));
                }
            };
            settings.zones.clone_from(&own.zones);
            settings.own_extra = extra(&own.unknown);
            if let Some(map) = &own.sounds {
                settings.sounds = sounds::read(map).map_err(|reason| limits::Fault {
                    list: "walkabout",
                    index: 0,
                    element: "the map 'walkabout: sounds'".into(),
                    reason,
                })?;
            }
            if let Some(map) = &own.navigation {
                self.out.scene.nav = Arc::new(nav::read(map).map_err(|reason| limits::Fault {
                    list: "walkabout",
                    index: 0,
                    element: "the map 'walkabout: navigation'".into(),
                    reason,
                })?);
            }
            let nav = Arc::make_mut(&mut self.out.scene.nav);
            let names_planner = own.navigation.as_ref().is_some_and(|map| map.contains_key("planner"));
            // Earlier files call the planner over the ground `centers` under either rule.
            nav.planner = match nav.planner {
                Planner::Centers if !links_as_original => Planner::Funnel,
                _ if links_as_original && !names_planner => Planner::Centers,
                planner => planner,
            };
        }
        self.out.scene.settings = Arc::new(settings);
        Ok(())
    }

    /// A level; the units of its file count where the scene is Walkabout's own, unless it says otherwise.
    fn level(&mut self, level: &v9::FileLevel, is_own: bool) {
        let level = SceneLevel {
            name: level.level_name.clone(),
            file: level.level_file.clone(),
            position: vec3(level.position),
            rotation_deg: vec3(level.rotation),
            scale: level.scale.unwrap_or(1.0),
            swap_axes: level.swap_axes,
            file_units: level.file_units.unwrap_or(is_own || !names_units(&level.level_file)),
            presence: level.presence,
            presence_reach: level.presence_reach.unwrap_or(SceneLevel::default().presence_reach),
            extra: extra(&level.unknown),
        };
        self.out.scene.levels.insert(Arc::new(level));
    }

    fn camera(&mut self, i: usize, c: &v9::FileCamera) -> LoadResult<()> {
        let wrong = |reason| fault("cameras", "camera", i, reason);
        let kind = CameraKind::from_file(c.camera_type)
            .ok_or_else(|| wrong(unknown("has the 'camera-type'", c.camera_type, "0 to 4")))?;
        let projection = Projection::from_file(c.camera_projection)
            .ok_or_else(|| wrong(unknown("has the 'camera-projection'", c.camera_projection, "0 or 1")))?;
        let default = SceneCamera::default();
        // Versions before 5.0 knew cameras without names.
        let name = match (&c.camera_name, i) {
            (Some(name), _) => name.clone(),
            (None, 0) => default.name,
            (None, i) => format!("Camera{i}"),
        };
        let camera = SceneCamera {
            name,
            kind,
            position: vec3(c.position),
            azimuth_deg: c.view_azimuth.unwrap_or(0.0),
            elevation_deg: c.view_elevation.unwrap_or(0.0),
            projection,
            fov_deg: field_of_view(c).unwrap_or(default.fov_deg),
            ortho_scale: c.ortho_scale.unwrap_or(default.ortho_scale),
            target: None,
            first_person_lock: c.first_lock.unwrap_or(false),
            first_person_bone: c.first_bone.unwrap_or(0),
            first_person_offset: vec3(c.first_offsets),
            third_person_distance: c.third_distance.unwrap_or(default.third_person_distance),
            third_person_height: c.third_height.unwrap_or(default.third_person_height),
            follow_height: c.follow_cam_height_offset.unwrap_or(default.follow_height),
            motion: c.motion.clone(),
            extra: extra(&c.unknown),
        };
        self.out.scene.cameras.insert(Arc::new(camera));
        Ok(())
    }

    fn instance(
        &mut self,
        i: usize,
        s: &v9::FileInstance,
        models: &HashMap<String, ModelId>,
        behaviors: &HashMap<String, BehaviorId>,
    ) -> LoadResult<()> {
        let mut warn = |text: String| self.out.warnings.push(format!("instance {} {text}", i + 1));
        let model = match models.get(&s.model_file) {
            Some(&id) => ModelRef::Known(id),
            None => {
                let names = || format!("names model {:?}, which is not in the model list", s.model_file);
                warn(v9::missing_file(&s.model_file, "model-file", &s.unknown).unwrap_or_else(names));
                ModelRef::Missing(s.model_file.clone())
            }
        };
        let mut kept = extra(&s.unknown);
        let behavior = s.node_tree.as_ref().filter(|name| !name.is_empty()).and_then(|name| {
            let found = behaviors.get(name).copied();
            if found.is_none() {
                warn(format!("names node tree {name:?}, which is not in the list; it has no behaviour now"));
                kept.push(("node-tree".into(), yaml::string(name)));
            }
            found
        });
        let face = s.face_anim.or(s.face_anim_index).unwrap_or(0);
        let face = FaceExpression::from_file(face)
            .ok_or_else(|| fault("instances", "instance", i, unknown("has the 'face-anim'", face, "0 to 4")))?;
        let first = s.first_clip.unwrap_or(0);
        let instance = SceneInstance {
            name: s.instance_name.clone().unwrap_or_default(),
            model,
            position: vec3(s.position),
            rotation_deg: vec3(s.rotation),
            scale: s.scale.unwrap_or(1.0),
            swap_axes: s.swap_axes,
            clips: [first, s.second_clip.unwrap_or(first)],
            clip_speed: s.anim_clip_speed.unwrap_or(1.0),
            clip_blend: s.anim_blend_factor.unwrap_or(0.0),
            layers: s.anim_layers.clone(),
            behavior,
            face,
            face_weight: s.face_anim_weight.unwrap_or(0.0),
            face_more: s.face_anim_weights.unwrap_or_default(),
            morphs: s.morph_weights.clone(),
            material_variant: s.material_variant.clone(),
            head_left_right: s.head_anim_left_right_timestamp.unwrap_or(0.0),
            head_up_down: s.head_anim_up_down_timestamp.unwrap_or(0.0),
            look_at_range: s.look_at_range.unwrap_or(0.0),
            look_at_smile: s.look_at_smile.unwrap_or(0.0),
            navigation: s.enable_navigation,
            target: None,
            door: s.door.clone().map(Box::new),
            extra: kept,
        };
        self.out.scene.instances.insert(Arc::new(instance));
        Ok(())
    }

    /// Indices in files count the original's hidden null instance as 0.
    fn targets(&mut self, file: &v9::File) {
        let LoadedScene { scene, warnings, .. } = &mut *self.out;
        let count = scene.instances.len();
        let mut cameras: HashMap<String, _> = scene.cameras.iter().map(|(id, c)| (c.name.clone(), id)).collect();
        for (i, s) in file.instances.iter().flatten().enumerate() {
            let Some(own) = scene.instances.at(i) else { continue };
            let number = i + 1;
            let wanted = s.path_target_instance.filter(|&t| t > 0);
            let target = wanted.and_then(|t| scene.instances.at(usize::try_from(t - 1).ok()?)).filter(|t| *t != own);
            if let (Some(wanted), None) = (wanted, target) {
                let why = if wanted == number as i64 { "itself".to_owned() } else { format!("one of {count}") };
                warnings.push(format!("instance {number} walks to instance {wanted}, {why}; it has no target now"));
            }
            if let Some(instance) = scene.instances.get_mut(own) {
                Arc::make_mut(instance).target = target;
            }
            for name in s.target_of_cameras.iter().flatten() {
                // Taken out: a camera follows one instance, the first that claims it.
                match cameras.remove(name).and_then(|id| scene.cameras.get_mut(id)) {
                    Some(camera) => Arc::make_mut(camera).target = Some(own),
                    None => warnings.push(format!(
                        "instance {number} is the target of camera {name:?}, which is missing or follows another"
                    )),
                }
            }
        }
    }

    fn selection(&mut self, s: &v9::FileSettings) {
        let scene = &self.out.scene;
        let one_based = |i: Option<i64>| i.and_then(|i| usize::try_from(i.checked_sub(1)?).ok());
        self.out.selection = Selection {
            instance: one_based(s.selected_instance).and_then(|i| scene.instances.at(i)),
            model: one_based(s.selected_model).and_then(|i| scene.models.at(i)),
            level: one_based(s.selected_level).and_then(|i| scene.levels.at(i)),
            camera: s
                .selected_camera
                .and_then(|i| scene.cameras.at(usize::try_from(i).ok()?))
                .or_else(|| scene.cameras.at(0)),
            behavior: None,
        };
    }
}

/// `usual` holds for a model that does not say which transforms of its file count, and what the numbers of its bones do.
fn model(i: usize, m: &v9::FileModel, usual: (NodeTransforms, BoneNumbers)) -> LoadResult<SceneModel> {
    let wrong = |reason| fault("models", "model", i, reason);
    let state =
        |value: i64| MoveState::from_file(value).ok_or_else(|| wrong(unknown("names the state", value, "0 to 10")));
    let mut model = SceneModel {
        clip_sources: clip_sources(i, m)?,
        name: m.model_name.clone(),
        file: m.model_file.clone(),
        transforms: match m.node_transforms.as_deref() {
            None => usual.0,
            Some("all") => NodeTransforms::All,
            Some("root") => NodeTransforms::RootOnly,
            Some(other) => {
                return Err(wrong(unknown("has the node-transforms", format!("{other:?}"), "'all' or 'root'")));
            }
        },
        bone_numbers: match m.bone_numbers.as_deref() {
            None => usual.1,
            Some("nodes") => BoneNumbers::Nodes,
            Some("skin") => BoneNumbers::Skin,
            Some(other) => {
                return Err(wrong(unknown("has the bone-numbers", format!("{other:?}"), "'nodes' or 'skin'")));
            }
        },
        is_nav_target: m.is_nav_target,
        forward_speed_factor: m.forward_speed_factor.unwrap_or(4.0),
        sphere_adjustments: m.bounding_sphere_adjustments.iter().flatten().map(|v| Vec4::from(*v)).collect(),
        matching_clips: m.motion_matching_clips.clone(),
        clip_events: m.clip_events.clone(),
        clip_curves: m.clip_curves.clone(),
        left_foot_chain: chain(&m.left_foot_ik_chain),
        right_foot_chain: chain(&m.right_foot_ik_chain),
        extra: extra(&m.unknown),
        ..SceneModel::default()
    };
    for (&direction, clips) in m.idle_walk_run_clips.iter().flatten().flatten() {
        let direction = MoveDirection::from_file(direction)
            .ok_or_else(|| wrong(unknown("names the direction", direction, "0, 1, 2, 4, 5, 6, 8, 9, 10 or 255")))?;
        model.blend_sets.push(BlendSet {
            direction,
            idle: ClipSpeed { clip: clips.idle_clip, speed: clips.idle_clip_speed },
            walk: ClipSpeed { clip: clips.walk_clip, speed: clips.walk_clip_speed },
            run: ClipSpeed { clip: clips.run_clip, speed: clips.run_clip_speed },
        });
    }
    for (&key, clip) in m.action_clips.iter().flatten().flatten() {
        let clip_speed = ClipSpeed { clip: clip.clip, speed: clip.clip_speed };
        let (curve, root_motion) = (clip.clip_curve, clip.clip_root_motion);
        model.actions.push(ActionClip { state: state(key)?, clip: clip_speed, curve, root_motion });
    }
    for (&from, &to) in m.action_sequences.iter().flatten().flatten() {
        model.allowed_orders.push((state(from)?, state(to)?));
    }
    for (&head, &clip) in m.head_movement_mappings.iter().flatten().flatten() {
        let head =
            HeadMove::from_file(head).ok_or_else(|| wrong(unknown("names the head movement", head, "0 to 3")))?;
        // -1 stands for no clip.
        if let Ok(clip) = u32::try_from(clip) {
            model.head_clips.push((head, clip));
        }
    }
    Ok(model)
}

/// The files whose clips a model plays, and bones that its names do not tell.
fn clip_sources(i: usize, m: &v9::FileModel) -> LoadResult<ClipSources> {
    let bones = |names: &v9::FileBones| -> LoadResult<BoneNames> {
        let bone = |name: &String| {
            let refused = |_| fault("models", "model", i, unknown("names the bone", name, BONES));
            name.parse::<HumanBone>().map_err(refused)
        };
        names.iter().map(|(name, node)| Ok((bone(name)?, node.clone()))).collect()
    };
    let source = |source: &v9::FileClipSource| match source {
        v9::FileClipSource::Name(file) => Ok(ClipSource { file: file.clone(), bones: BoneNames::new() }),
        v9::FileClipSource::Map { file, bones: names } => Ok(ClipSource { file: file.clone(), bones: bones(names)? }),
    };
    let files = m.clips_from.iter().map(source).collect::<LoadResult<_>>()?;
    let edit = |edit: &v9::FileClipEdit| ClipEdit {
        clip: edit.clip,
        copy_name: edit.copy_as.clone(),
        is_mirrored: edit.mirror,
        start_secs: edit.start,
        end_secs: edit.end,
        has_root_track: edit.root_track,
        loop_blend_secs: edit.loop_blend,
    };
    if !(0.0..=limits::MAX_CLIP_TOLERANCE_MM).contains(&m.clip_tolerance) {
        return Err(fault("models", "model", i, unknown("has the clip-tolerance", m.clip_tolerance, "0 to 100 mm")));
    }
    Ok(ClipSources {
        files,
        bones: bones(&m.bones)?,
        root_tracks: m.motion_matching,
        edits: m.clip_edits.iter().map(edit).collect(),
        tolerance_um: (m.clip_tolerance * 1e3).round() as u32,
    })
}

fn chain(nodes: &Option<Vec<i64>>) -> Vec<u32> {
    nodes.iter().flatten().filter_map(|&n| u32::try_from(n).ok()).collect()
}

fn behavior(tree: &v9::NodeTree) -> BehaviorGraph {
    let property = |(key, value): (&String, &Option<String>)| (key.clone(), value.clone().unwrap_or_default());
    let node = |node: &v9::FileNode| GraphNode {
        kind: node.node_type,
        id: node.node_id,
        properties: node.node_data.iter().flatten().flatten().map(property).collect(),
        extra: extra(&node.unknown),
    };
    let links = tree.links.iter().flatten().flatten();
    BehaviorGraph {
        name: tree.node_tree_name.clone(),
        editor_settings: tree.editor_settings.clone(),
        nodes: tree.nodes.iter().flatten().map(node).collect(),
        links: links.map(|(&id, &[from_pin, to_pin])| GraphLink { id, from_pin, to_pin }).collect(),
        comments: tree.comments.iter().flatten().filter_map(comment).collect(),
        extra: extra(&tree.unknown),
    }
}

fn comment((x, y, text): &(f32, f32, String)) -> Option<GraphComment> {
    (x.is_finite() && y.is_finite()).then(|| GraphComment { at: [*x, *y], text: text.clone() })
}
