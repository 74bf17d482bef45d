//! Scene files of versions 9.0 and 10.0, key by key as they are written.

use crate::anim::inertialization::Transition;
use crate::anim::speed_curve::SpeedCurve;
use crate::collide::triangle_tree::TriangleTreeKind;
use crate::scene::level::LevelPresence;
use crate::scene::{CameraMotion, ClipCurve, ClipEvent, ClipLayer, SceneDoor, SceneZone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Keys that have no field.
pub type Unknown = BTreeMap<String, serde_yaml::Value>;

/// Most keys of an entry that a warning names.
const MAX_NAMED_KEYS: usize = 3;

/// What a warning says of an entry whose `file` is missing, the value of `key`; `None` where it is there. Of keys that are not known
/// one may have been meant for it.
pub fn missing_file(file: &str, key: &str, unknown: &Unknown) -> Option<String> {
    if !file.is_empty() {
        return None;
    }
    let others: Vec<String> = unknown.keys().take(MAX_NAMED_KEYS).map(|other| format!("'{other}'")).collect();
    let others = match others.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} is no key that is known"),
        _ => format!("; {} are no keys that are known", others.join(", ")),
    };
    Some(format!("lacks '{key}'{others}"))
}

/// Single-entry maps with an integer key, the original's form of a table.
pub type Rows<T> = Vec<BTreeMap<i64, T>>;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct File {
    pub version: Option<serde_yaml::Value>,
    pub settings: Option<FileSettings>,
    pub levels: Option<Vec<FileLevel>>,
    pub camera: Option<FileCamera>,
    pub cameras: Option<Vec<FileCamera>>,
    pub models: Option<Vec<FileModel>>,
    pub node_trees: Option<Vec<NodeTree>>,
    pub instances: Option<Vec<FileInstance>>,
    pub walkabout: Option<FileOwnKeys>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Settings", default, rename_all = "kebab-case")]
pub struct FileSettings {
    pub selected_model: Option<i64>,
    pub selected_instance: Option<i64>,
    pub selected_camera: Option<i64>,
    pub selected_level: Option<i64>,
    pub highlight_selection: Option<bool>,
    pub collision_enabled: Option<i64>,
    pub interaction_enabled: Option<bool>,
    pub interaction_min_range: Option<f32>,
    pub interaction_max_range: Option<f32>,
    pub interaction_fov: Option<f32>,
    pub gravity_enabled: Option<bool>,
    pub level_collision_ground_slope: Option<f32>,
    pub level_collision_max_stairstep_height: Option<f32>,
    pub inverse_kinematics_enabled: Option<bool>,
    pub inverse_kinematics_iterations: Option<u32>,
    pub navigation_enabled: Option<bool>,
    pub skybox_enabled: Option<bool>,
    pub fog_density: Option<f32>,
    pub light_source_angle_east_west: Option<f32>,
    pub light_source_angle_north_south: Option<f32>,
    pub light_source_intensity: Option<f32>,
    pub light_source_color: Option<[f32; 3]>,
    pub time_of_day_enabled: Option<bool>,
    pub time_of_day_scaling: Option<f32>,
    pub time_of_day_preset: Option<i64>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl FileSettings {
    /// Whether it has a key of version 10.0.
    pub fn has_light_keys(&self) -> bool {
        self.skybox_enabled.is_some()
            || self.fog_density.is_some()
            || self.light_source_angle_east_west.is_some()
            || self.light_source_angle_north_south.is_some()
            || self.light_source_intensity.is_some()
            || self.light_source_color.is_some()
            || self.time_of_day_enabled.is_some()
            || self.time_of_day_scaling.is_some()
            || self.time_of_day_preset.is_some()
    }
}

/// What the original does not know, in a map of its own.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Own", default, rename_all = "kebab-case")]
pub struct FileOwnKeys {
    pub adjacency: Option<String>,
    pub triangle_tree: TriangleTreeKind,
    pub legs_on_device: bool,
    /// Cross-fades without the key, which is how such files were saved before there was another way.
    pub transitions: Transition,
    pub octree_threshold: Option<u32>,
    pub octree_max_depth: Option<u32>,
    pub overlays: Option<Vec<String>>,
    pub seed: Option<u64>,
    pub lost_characters: Option<String>,
    pub sky_picture: Option<String>,
    pub navigation: Option<Unknown>,
    pub sounds: Option<Unknown>,
    pub zones: Vec<SceneZone>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Level", default, rename_all = "kebab-case")]
pub struct FileLevel {
    pub level_name: String,
    pub level_file: String,
    pub position: Option<[f32; 3]>,
    pub rotation: Option<[f32; 3]>,
    pub scale: Option<f32>,
    pub swap_axes: bool,
    pub file_units: Option<bool>,
    pub presence: LevelPresence,
    pub presence_reach: Option<f32>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Camera", default, rename_all = "kebab-case")]
pub struct FileCamera {
    pub camera_name: Option<String>,
    #[serde(alias = "camera-position")]
    pub position: Option<[f32; 3]>,
    #[serde(alias = "camera-azimuth")]
    pub view_azimuth: Option<f32>,
    #[serde(alias = "camera-elevation")]
    pub view_elevation: Option<f32>,
    pub camera_type: i64,
    pub camera_projection: i64,
    pub field_of_view: Option<f32>,
    pub exact_field_of_view: Option<f32>,
    pub ortho_scale: Option<f32>,
    #[serde(rename = "1st-person-view-lock")]
    pub first_lock: Option<bool>,
    #[serde(rename = "1st-person-bone-to-follow")]
    pub first_bone: Option<u32>,
    #[serde(rename = "1st-person-view-offsets")]
    pub first_offsets: Option<[f32; 3]>,
    #[serde(rename = "3rd-person-view-distance")]
    pub third_distance: Option<f32>,
    #[serde(rename = "3rd-person-height-offset")]
    pub third_height: Option<f32>,
    #[serde(rename = "3rd-person-view-height-offset")]
    pub third_view_height: Option<f32>,
    pub follow_cam_height_offset: Option<f32>,
    #[serde(flatten)]
    pub motion: CameraMotion,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(expecting = "a map: BlendClips", default, rename_all = "kebab-case")]
pub struct BlendClips {
    pub idle_clip: u32,
    pub idle_clip_speed: f32,
    pub walk_clip: u32,
    pub walk_clip_speed: f32,
    pub run_clip: u32,
    pub run_clip_speed: f32,
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Default for BlendClips {
    fn default() -> Self {
        Self {
            idle_clip: 0,
            idle_clip_speed: 1.0,
            walk_clip: 0,
            walk_clip_speed: 1.0,
            run_clip: 0,
            run_clip_speed: 1.0,
            unknown: Unknown::new(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(expecting = "a map: ActionClip", default, rename_all = "kebab-case")]
pub struct FileActionClip {
    pub clip: u32,
    pub clip_speed: f32,
    pub clip_curve: SpeedCurve,
    pub clip_root_motion: bool,
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Default for FileActionClip {
    fn default() -> Self {
        Self {
            clip: 0,
            clip_speed: 1.0,
            clip_curve: SpeedCurve::default(),
            clip_root_motion: false,
            unknown: Unknown::new(),
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Model", default, rename_all = "kebab-case")]
pub struct FileModel {
    pub model_name: String,
    pub model_file: String,
    pub is_nav_target: bool,
    pub idle_walk_run_clips: Option<Rows<BlendClips>>,
    pub action_clips: Option<Rows<FileActionClip>>,
    pub action_sequences: Option<Rows<i64>>,
    pub bounding_sphere_adjustments: Option<Vec<[f32; 4]>>,
    pub forward_speed_factor: Option<f32>,
    pub head_movement_mappings: Option<Rows<i64>>,
    pub left_foot_ik_chain: Option<Vec<i64>>,
    pub right_foot_ik_chain: Option<Vec<i64>>,
    pub node_transforms: Option<String>,
    pub bone_numbers: Option<String>,
    pub clips_from: Vec<FileClipSource>,
    pub motion_matching: bool,
    pub motion_matching_clips: Vec<u32>,
    pub clip_edits: Vec<FileClipEdit>,
    /// Millimetres.
    pub clip_tolerance: f32,
    pub clip_events: Vec<ClipEvent>,
    pub clip_curves: Vec<ClipCurve>,
    pub bones: FileBones,
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl FileModel {
    /// A warning for each key of its blend sets and action clips that is not known, and so lost when the scene is saved.
    pub fn lost_keys(&self, number: usize) -> impl Iterator<Item = String> {
        let of_sets = self.idle_walk_run_clips.iter().flatten().flatten().flat_map(|(_, set)| set.unknown.keys());
        let of_actions = self.action_clips.iter().flatten().flatten().flat_map(|(_, clip)| clip.unknown.keys());
        let text = move |key: &String| {
            format!("model {number} has clips with the key '{key}', which is lost when the scene is saved")
        };
        of_sets.chain(of_actions).map(text)
    }
}

/// Names of nodes by names of bones.
pub type FileBones = BTreeMap<String, String>;

/// A file whose clips a model plays: its name, or a map that names bones of its body besides.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "a file name, or a map with `file` and `bones`")]
pub enum FileClipSource {
    Name(String),
    Map {
        file: String,
        #[serde(default)]
        bones: FileBones,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: clip edit", default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileClipEdit {
    pub clip: u32,
    pub copy_as: String,
    pub mirror: bool,
    pub start: f32,
    pub end: Option<f32>,
    pub root_track: bool,
    pub loop_blend: f32,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct NodeTree {
    pub node_tree_name: String,
    pub editor_settings: String,
    pub nodes: Option<Vec<FileNode>>,
    pub links: Option<Rows<[i64; 2]>>,
    #[serde(rename = "walkabout-comments")]
    pub comments: Option<Vec<(f32, f32, String)>>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Node", default, rename_all = "kebab-case")]
pub struct FileNode {
    pub node_type: i64,
    pub node_id: i64,
    pub node_data: Option<Vec<BTreeMap<String, Option<String>>>>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(expecting = "a map: Instance", default, rename_all = "kebab-case")]
pub struct FileInstance {
    pub model_file: String,
    pub position: Option<[f32; 3]>,
    pub rotation: Option<[f32; 3]>,
    pub scale: Option<f32>,
    pub swap_axes: bool,
    pub anim_clip_number: Option<u32>,
    #[serde(rename = "1st-anim-clip-number")]
    pub first_clip: Option<u32>,
    #[serde(rename = "2nd-anim-clip-number")]
    pub second_clip: Option<u32>,
    pub anim_clip_speed: Option<f32>,
    pub anim_blend_factor: Option<f32>,
    pub anim_layers: Vec<ClipLayer>,
    pub node_tree: Option<String>,
    pub face_anim: Option<i64>,
    pub face_anim_index: Option<i64>,
    pub face_anim_weight: Option<f32>,
    pub face_anim_weights: Option<[f32; 4]>,
    pub morph_weights: BTreeMap<String, f32>,
    pub material_variant: Option<String>,
    pub head_anim_left_right_timestamp: Option<f32>,
    pub head_anim_up_down_timestamp: Option<f32>,
    pub look_at_range: Option<f32>,
    pub look_at_smile: Option<f32>,
    pub instance_name: Option<String>,
    pub enable_navigation: bool,
    pub path_target_instance: Option<i64>,
    pub target_of_cameras: Option<Vec<String>>,
    pub door: Option<SceneDoor>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[cfg(test)]
mod tests {
    use crate::anim::inertialization::Transition;
    use crate::asset::BoneNumbers;
    use crate::scene::file::{load_str, to_string};

    #[test]
    fn clips_without_speed_play_in_the_time_of_the_longest() {
        let text = "models:\n  - model-name: a\n    model-file: a.glb\n    idle-walk-run-clips: [{255: {walk-clip: 1, tempo: 3}}]\n    \
                    action-clips: [{5: {clip: 2, loops: 4}}]\nversion: 9.0\n";
        let loaded = load_str(text, std::path::Path::new("clips.acfg")).unwrap();
        let model = loaded.scene.models.values().next().unwrap();
        assert_eq!((model.blend_sets[0].walk.speed, model.actions[0].clip.speed), (1.0, 1.0));
        for key in ["tempo", "loops"] {
            let warnings = &loaded.warnings;
            assert!(warnings.iter().any(|w| w.starts_with("model 1 ") && w.contains(key)), "{warnings:?}");
        }
    }

    #[test]
    fn entries_without_their_file_are_warnings_that_name_other_keys() {
        let text = "levels: [{level-name: a, file: b.obj}]\nmodels: [{model-name: c}]\n\
                    instances: [{model-name: c, model: c}, {model-file: c}, {model-file: d}]\nversion: 9.0\n";
        let warnings = load_str(text, std::path::Path::new("a.acfg")).unwrap().warnings;
        let expected = [
            "level 1 lacks 'level-file'; 'file' is no key that is known",
            "model 1 lacks 'model-file'",
            "instance 1 lacks 'model-file'; 'model', 'model-name' are no keys that are known",
            "instance 3 names model \"d\", which is not in the model list",
        ];
        assert_eq!(warnings, expected);
    }

    #[test]
    fn keys_of_clips_that_would_be_lost_are_refused() {
        let read = |key: &str, value: &str| {
            let text = format!("models: [{{model-name: a, model-file: a.glb, {key}: [{value}]}}]\nversion: 9.0\n");
            load_str(&text, std::path::Path::new("clips.acfg")).map(drop).map_err(|e| e.to_string())
        };
        assert_eq!(read("clip-edits", "{clip: 1, mirror: true}"), Ok(()));
        assert_eq!(read("clips-from", "b.glb, {file: c.glb, bones: {hips: Root}}"), Ok(()));
        let said = read("clip-edits", "{clip: 1, mirrored: true}").unwrap_err();
        assert!(said.contains("mirrored"), "{said}");
        let said = read("clips-from", "{file: c.glb, bone: {hips: Root}}").unwrap_err();
        assert!(said.contains("a file name, or a map with `file` and `bones`"), "{said}");
    }

    #[test]
    fn scenes_of_the_original_count_the_bones_of_skins() {
        let models =
            "version: 9.0\nmodels:\n  - model-name: a\n    model-file: a.glb\n    left-foot-ik-chain: [2, 1]\n";
        let load = |text: &str| load_str(text, std::path::Path::new("bones.acfg"));
        let numbers = |text: &str| {
            let loaded = load(text).unwrap();
            let model = loaded.scene.models.values().next().unwrap().clone();
            let saved = to_string(&loaded.scene, &loaded.selection);
            assert_eq!(load(&saved).unwrap().scene.models.values().next(), Some(&model), "{saved}");
            (model.bone_numbers, saved.contains("bone-numbers: skin"))
        };
        assert_eq!(numbers(models), (BoneNumbers::Skin, true));
        assert_eq!(numbers(&format!("{models}walkabout:\n  seed: 1\n")), (BoneNumbers::Nodes, false));
        assert_eq!(numbers(&format!("{models}    bone-numbers: nodes\n")), (BoneNumbers::Nodes, false));
        let said = load(&format!("{models}    bone-numbers: some\n")).unwrap_err().to_string();
        assert!(said.contains("bone-numbers") && said.contains("'nodes' or 'skin'"), "{said}");
    }

    #[test]
    fn only_saved_scenes_without_the_key_cross_fade() {
        let transition = |keys: &str| {
            let load = |text: &str| load_str(text, std::path::Path::new("transitions.acfg")).unwrap();
            let loaded = load(&format!("version: 9.0\n{keys}"));
            let transition = loaded.scene.settings.transition;
            let saved = to_string(&loaded.scene, &loaded.selection);
            assert_eq!(load(&saved).scene.settings.transition, transition, "{saved}");
            transition
        };
        assert_eq!(transition(""), Transition::Inertial, "a scene of the original");
        assert_eq!(transition("walkabout:\n  seed: 1\n"), Transition::CrossFade);
        assert_eq!(transition("walkabout:\n  transitions: inertial\n"), Transition::Inertial);
    }
}
