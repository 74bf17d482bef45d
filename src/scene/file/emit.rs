//! From a scene to text: the original's keys in the original's order, then ours, then the unknown keys.

use super::{migrate, nav, yaml};
use crate::anim::inertialization::Transition;
use crate::anim::speed_curve::SpeedCurve;
use crate::asset::{BoneNames, BoneNumbers, ClipEdit, NodeTransforms};
use crate::behavior::graph::{BehaviorGraph, GraphComment};
use crate::collide::triangle_tree::TriangleTreeKind;
use crate::ids::{Id, InstanceId};
use crate::nav::planner::Planner;
use crate::scene::level::LevelPresence;
use crate::scene::settings::LostRule;
use crate::scene::{
    Environment, Scene, SceneCamera, SceneInstance, SceneLevel, SceneModel, SceneNav, SceneSounds, SceneZone, Selection,
};
use crate::vocab::{CameraKind, FaceExpression, Projection};
use glam::Vec3;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The text of a scene file. Loading it gives an equal scene, and the same text again.
pub fn to_string(scene: &Scene, selection: &Selection) -> String {
    let mut out = Text { out: String::from("# Walkabout scene\n"), indent: 0, keys: Vec::new() };
    out.keys.push(HashSet::new());
    out.raw("version", migrate::version_of(&scene.settings));
    out.blank();
    out.map("settings", |out| settings(out, scene, selection));
    out.list("levels", scene.levels.values(), |out, level| self::level(out, level));
    let free = Arc::new(SceneCamera::default());
    let cameras = if scene.cameras.is_empty() { Some(&free) } else { None };
    out.list("cameras", scene.cameras.values().chain(cameras), |out, camera| self::camera(out, camera));
    out.required_list("models", scene.models.values(), |out, model| self::model(out, model));
    out.list("node-trees", scene.behaviors.values(), |out, graph| behavior(out, graph));
    let context = Instances::of(scene);
    out.required_list("instances", scene.instances.iter(), |out, (id, i)| context.write(out, id, i));
    out.map("walkabout", |out| own(out, scene));
    out.extra(&scene.extra);
    out.out
}

/// Text in the making: indentation, and the keys of the maps that are open, so that none is written twice.
struct Text {
    out: String,
    indent: usize,
    keys: Vec<HashSet<String>>,
}

impl Text {
    fn blank(&mut self) {
        self.out.push('\n');
    }

    fn pad(&mut self) {
        self.out.extend(std::iter::repeat_n(' ', self.indent));
    }

    /// `key: value`, where the value is YAML already.
    fn raw(&mut self, key: &str, value: &str) {
        self.pad();
        self.out.push_str(key);
        self.out.push_str(": ");
        self.out.push_str(value);
        self.out.push('\n');
        self.note(key);
    }

    fn note(&mut self, key: &str) {
        if let Some(keys) = self.keys.last_mut() {
            keys.insert(key.to_owned());
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &yaml::string(value));
    }

    fn number(&mut self, key: &str, value: f32) {
        self.raw(key, &yaml::number(value));
    }

    fn whole(&mut self, key: &str, value: impl ToString) {
        self.raw(key, &value.to_string());
    }

    fn numbers(&mut self, key: &str, values: &[f32]) {
        self.raw(key, &flow(values));
    }

    fn vec3(&mut self, key: &str, value: Vec3) {
        self.numbers(key, &value.to_array());
    }

    fn map(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.pad();
        self.out.push_str(key);
        self.out.push_str(":\n");
        self.note(key);
        self.indent += 2;
        self.keys.push(HashSet::new());
        fill(self);
        self.keys.pop();
        self.indent -= 2;
        if self.indent == 0 {
            self.blank();
        }
    }

    /// A list of maps; nothing at all for none.
    fn list<T>(&mut self, key: &str, items: impl Iterator<Item = T>, mut fill: impl FnMut(&mut Self, T)) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.map(key, |out| {
            for item in items {
                let start = out.out.len();
                out.indent += 2;
                out.keys.push(HashSet::new());
                fill(out, item);
                out.keys.pop();
                out.indent -= 2;
                // The first line of an item carries its dash in place of the last two blanks.
                let dash = start + out.indent;
                out.out.replace_range(dash..=dash, "-");
            }
        });
    }

    /// A list of maps that the original asks for even where it is empty.
    fn required_list<T>(&mut self, key: &str, items: impl Iterator<Item = T>, fill: impl FnMut(&mut Self, T)) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            self.raw(key, "[]");
            self.blank();
        } else {
            self.list(key, items, fill);
        }
    }

    /// A list of values on one line each, which are YAML already; nothing at all for none.
    fn rows(&mut self, key: &str, rows: impl Iterator<Item = String>) {
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return;
        }
        self.map(key, |out| {
            for row in rows {
                out.pad();
                out.out.push_str("- ");
                out.out.push_str(&row);
                out.out.push('\n');
            }
        });
    }

    /// What was not known when it was read, but for keys that are known now and written.
    fn extra(&mut self, extra: &[(String, String)]) {
        for (key, value) in extra {
            if self.keys.last().is_some_and(|keys| !keys.contains(key)) {
                let value = yaml::kept(value);
                let quoted = yaml::string(key);
                self.raw(&quoted, &value);
                self.note(key);
            }
        }
    }
}

fn flow(values: &[f32]) -> String {
    format!("[{}]", values.iter().map(|&v| yaml::number(v)).collect::<Vec<_>>().join(", "))
}

fn settings(out: &mut Text, scene: &Scene, selection: &Selection) {
    fn one_based<K, T>(arena: &crate::ids::Arena<K, T>, id: Option<Id<K>>) -> usize {
        id.and_then(|id| arena.position(id)).map_or(0, |i| i + 1)
    }
    let s = &scene.settings;
    out.whole("selected-model", one_based(&scene.models, selection.model));
    out.whole("selected-instance", one_based(&scene.instances, selection.instance));
    out.whole("selected-camera", selection.camera.and_then(|id| scene.cameras.position(id)).unwrap_or(0));
    out.whole("selected-level", one_based(&scene.levels, selection.level));
    out.whole("highlight-selection", s.highlight_selection);
    out.whole("collision-enabled", s.collision_mode.to_file());
    out.whole("interaction-enabled", s.interaction_enabled);
    out.number("interaction-min-range", s.interaction_min_range);
    out.number("interaction-max-range", s.interaction_max_range);
    out.number("interaction-fov", s.interaction_fov_deg);
    out.whole("gravity-enabled", s.gravity_enabled);
    out.number("level-collision-ground-slope", s.nav.ground_slope_deg);
    out.number("level-collision-max-stairstep-height", s.nav.max_step_height);
    out.whole("inverse-kinematics-enabled", s.ik_enabled);
    out.whole("inverse-kinematics-iterations", s.ik_iterations);
    out.whole("navigation-enabled", s.nav.enabled);
    if migrate::needs_light_keys(s) {
        environment(out, &s.environment);
    }
    out.extra(&s.extra);
}

/// The keys of version 10.0.
fn environment(out: &mut Text, environment: &Environment) {
    out.whole("skybox-enabled", environment.sky_enabled);
    out.number("fog-density", environment.fog_density);
    out.number("light-source-angle-east-west", environment.light_east_west_deg);
    out.number("light-source-angle-north-south", environment.light_north_south_deg);
    out.number("light-source-intensity", environment.light_intensity);
    out.numbers("light-source-color", &environment.light_color);
    out.whole("time-of-day-enabled", environment.day_enabled);
    out.number("time-of-day-scaling", environment.day_minutes_per_sec);
    out.whole("time-of-day-preset", environment.day_preset.to_file());
}

fn own(out: &mut Text, scene: &Scene) {
    let s = &scene.settings;
    let adjacency = match scene.nav.planner {
        Planner::Centers => "original",
        _ => "shared",
    };
    out.text("adjacency", adjacency);
    if s.tree_kind != TriangleTreeKind::Octree {
        out.raw("triangle-tree", &nav::flow(&s.tree_kind));
    }
    if s.ik_on_device {
        out.whole("legs-on-device", true);
    }
    if s.transition != Transition::default() {
        out.raw("transitions", &nav::flow(&s.transition));
    }
    out.whole("octree-threshold", s.octree_threshold);
    out.whole("octree-max-depth", s.octree_max_depth);
    let overlays: Vec<String> = s.overlays.iter().map(|name| yaml::string(name)).collect();
    out.raw("overlays", &format!("[{}]", overlays.join(", ")));
    out.whole("seed", s.seed);
    if s.lost == LostRule::Delete {
        out.text("lost-characters", "delete");
    }
    if !s.environment.sky_picture.is_empty() {
        out.text("sky-picture", &s.environment.sky_picture);
    }
    let sounds = nav::lines(&s.sounds, &SceneSounds::default());
    if !sounds.is_empty() || !s.sounds.extra.is_empty() {
        out.map("sounds", |out| {
            sounds.iter().for_each(|(key, value)| out.raw(key, value));
            out.extra(&s.sounds.extra);
        });
    }
    zones(out, &s.zones);
    navigation(out, &scene.nav);
    out.extra(&s.own_extra);
}

/// Zones, a line each; nothing for none.
fn zones(out: &mut Text, zones: &[SceneZone]) {
    out.rows("zones", zones.iter().map(nav::flow));
}

/// What differs from a scene without a navigation mesh.
fn navigation(out: &mut Text, nav: &SceneNav) {
    let lines = nav::lines(nav, &SceneNav::default());
    let bake = nav::lines(&nav.bake, &SceneNav::default().bake);
    if lines.is_empty() && nav.extra.is_empty() {
        return;
    }
    out.map("navigation", |out| {
        for (key, value) in &lines {
            if key == "bake" {
                out.map("bake", |out| bake.iter().for_each(|(key, value)| out.raw(key, value)));
            } else {
                out.raw(key, value);
            }
        }
        out.extra(&nav.extra);
    });
}

fn level(out: &mut Text, level: &SceneLevel) {
    out.text("level-name", &level.name);
    out.text("level-file", &level.file);
    out.vec3("position", level.position);
    out.vec3("rotation", level.rotation_deg);
    out.number("scale", level.scale);
    out.whole("swap-axes", level.swap_axes);
    if !level.file_units {
        out.whole("file-units", false);
    }
    if level.presence != LevelPresence::Always {
        out.raw("presence", &nav::flow(&level.presence));
    }
    if level.presence_reach != SceneLevel::default().presence_reach {
        out.number("presence-reach", level.presence_reach);
    }
    out.extra(&level.extra);
}

/// Writes what the camera's kind uses, and whatever else is not at its default, so that nothing is lost.
fn camera(out: &mut Text, c: &SceneCamera) {
    let default = SceneCamera::default();
    out.text("camera-name", &c.name);
    out.vec3("position", c.position);
    out.number("view-azimuth", c.azimuth_deg);
    out.number("view-elevation", c.elevation_deg);
    out.whole("camera-type", c.kind.to_file());
    out.whole("camera-projection", c.projection.to_file());
    if c.projection == Projection::Perspective || c.fov_deg != default.fov_deg {
        // The original reads a whole number and stops at any other.
        out.number("field-of-view", c.fov_deg.round());
        if c.fov_deg != c.fov_deg.round() {
            out.number("exact-field-of-view", c.fov_deg);
        }
    }
    if c.projection == Projection::Orthogonal || c.ortho_scale != default.ortho_scale {
        out.number("ortho-scale", c.ortho_scale);
    }
    if c.kind == CameraKind::FirstPerson
        || c.first_person_lock
        || c.first_person_bone != 0
        || c.first_person_offset != Vec3::ZERO
    {
        out.whole("1st-person-view-lock", c.first_person_lock);
        out.whole("1st-person-bone-to-follow", c.first_person_bone);
        out.vec3("1st-person-view-offsets", c.first_person_offset);
    }
    if c.kind == CameraKind::ThirdPerson
        || c.third_person_distance != default.third_person_distance
        || c.third_person_height != default.third_person_height
    {
        out.number("3rd-person-view-distance", c.third_person_distance);
        // The original reads the first only where the second stands.
        out.number("3rd-person-height-offset", c.third_person_height);
        out.number("3rd-person-view-height-offset", c.third_person_height);
    }
    if c.kind == CameraKind::StationaryFollowing || c.follow_height != default.follow_height {
        out.number("follow-cam-height-offset", c.follow_height);
    }
    nav::lines(&c.motion, &default.motion).iter().for_each(|(key, value)| out.raw(key, value));
    out.extra(&c.extra);
}

fn model(out: &mut Text, m: &SceneModel) {
    out.text("model-name", &m.name);
    out.text("model-file", &m.file);
    out.whole("is-nav-target", m.is_nav_target);
    out.list("idle-walk-run-clips", m.blend_sets.iter(), |out, set| {
        out.map(&set.direction.to_file().to_string(), |out| {
            for (name, clip) in [("idle", set.idle), ("walk", set.walk), ("run", set.run)] {
                out.whole(&format!("{name}-clip"), clip.clip);
                out.number(&format!("{name}-clip-speed"), clip.speed);
            }
        });
    });
    out.list("action-clips", m.actions.iter(), |out, action| {
        out.map(&action.state.to_file().to_string(), |out| {
            out.whole("clip", action.clip.clip);
            out.number("clip-speed", action.clip.speed);
            if action.curve != SpeedCurve::Even {
                out.raw("clip-curve", &nav::flow(&action.curve));
            }
            if action.root_motion {
                out.whole("clip-root-motion", true);
            }
        });
    });
    let orders = m.allowed_orders.iter().map(|(from, to)| format!("{}: {}", from.to_file(), to.to_file()));
    out.rows("action-sequences", orders);
    out.rows("bounding-sphere-adjustments", m.sphere_adjustments.iter().map(|v| flow(&v.to_array())));
    out.number("forward-speed-factor", m.forward_speed_factor);
    let head = m.head_clips.iter().map(|(movement, clip)| format!("{}: {clip}", movement.to_file()));
    out.rows("head-movement-mappings", head);
    out.rows("left-foot-ik-chain", m.left_foot_chain.iter().map(u32::to_string));
    out.rows("right-foot-ik-chain", m.right_foot_chain.iter().map(u32::to_string));
    if m.transforms == NodeTransforms::RootOnly {
        out.text("node-transforms", "root");
    }
    if m.bone_numbers == BoneNumbers::Skin {
        out.text("bone-numbers", "skin");
    }
    out.list("clips-from", m.clip_sources.files.iter(), |out, source| {
        out.text("file", &source.file);
        bones(out, &source.bones);
    });
    bones(out, &m.clip_sources.bones);
    if m.clip_sources.root_tracks {
        out.whole("motion-matching", true);
    }
    out.rows("motion-matching-clips", m.matching_clips.iter().map(u32::to_string));
    out.list("clip-edits", m.clip_sources.edits.iter(), clip_edit);
    if m.clip_sources.tolerance_um > 0 {
        out.number("clip-tolerance", m.clip_sources.tolerance_um as f32 * 1e-3);
    }
    out.rows("clip-events", m.clip_events.iter().map(nav::flow));
    out.rows("clip-curves", m.clip_curves.iter().map(nav::flow));
    out.extra(&m.extra);
}

fn clip_edit(out: &mut Text, edit: &ClipEdit) {
    out.whole("clip", edit.clip);
    if !edit.copy_name.is_empty() {
        out.text("copy-as", &edit.copy_name);
    }
    if edit.is_mirrored {
        out.whole("mirror", true);
    }
    if edit.start_secs != 0.0 {
        out.number("start", edit.start_secs);
    }
    if let Some(end_secs) = edit.end_secs {
        out.number("end", end_secs);
    }
    if edit.has_root_track {
        out.whole("root-track", true);
    }
    if edit.loop_blend_secs != 0.0 {
        out.number("loop-blend", edit.loop_blend_secs);
    }
}

/// Bones whose nodes are named by hand; nothing where there are none.
fn bones(out: &mut Text, names: &BoneNames) {
    if !names.is_empty() {
        out.map("bones", |out| names.iter().for_each(|(bone, node)| out.text(&bone.to_string(), node)));
    }
}

fn behavior(out: &mut Text, graph: &BehaviorGraph) {
    out.text("node-tree-name", &graph.name);
    out.text("editor-settings", &graph.editor_settings);
    out.list("nodes", graph.nodes.iter(), |out, node| {
        out.whole("node-type", node.kind);
        out.whole("node-id", node.id);
        let row = |(key, value): &(String, String)| format!("{}: {}", yaml::string(key), yaml::scalar(value));
        out.rows("node-data", node.properties.iter().map(row));
        out.extra(&node.extra);
    });
    let links = graph.links.iter().map(|link| format!("{}: [{}, {}]", link.id, link.from_pin, link.to_pin));
    out.rows("links", links);
    let comment = |one: &GraphComment| format!("[{}, {}, {}]", one.at[0], one.at[1], yaml::string(&one.text));
    out.rows("walkabout-comments", graph.comments.iter().map(comment));
    out.extra(&graph.extra);
}

/// What instances need to know of the rest: indices of their targets, cameras that follow them.
struct Instances<'a> {
    scene: &'a Scene,
    number: HashMap<InstanceId, usize>,
    cameras: HashMap<InstanceId, Vec<String>>,
}

impl<'a> Instances<'a> {
    fn of(scene: &'a Scene) -> Self {
        let mut cameras: HashMap<InstanceId, Vec<String>> = HashMap::new();
        for camera in scene.cameras.values() {
            if let Some(id) = camera.target {
                cameras.entry(id).or_default().push(yaml::string(&camera.name));
            }
        }
        // The original's hidden null instance is number 0.
        Self { scene, number: scene.instances.ids().zip(1..).collect(), cameras }
    }

    fn write(&self, out: &mut Text, id: InstanceId, i: &SceneInstance) {
        out.text("model-file", self.scene.model_name(i));
        out.vec3("position", i.position);
        out.vec3("rotation", i.rotation_deg);
        out.number("scale", i.scale);
        out.whole("swap-axes", i.swap_axes);
        out.whole("1st-anim-clip-number", i.clips[0]);
        out.whole("2nd-anim-clip-number", i.clips[1]);
        out.number("anim-clip-speed", i.clip_speed);
        out.number("anim-blend-factor", i.clip_blend);
        out.rows("anim-layers", i.layers.iter().map(nav::flow));
        if let Some(behavior) = i.behavior.and_then(|id| self.scene.behaviors.get(id)) {
            out.text("node-tree", &behavior.name);
        }
        if i.face != FaceExpression::None || i.face_weight != 0.0 {
            out.whole("face-anim-index", i.face.to_file());
            // The original writes the one and reads the other.
            out.whole("face-anim", i.face.to_file());
            out.number("face-anim-weight", i.face_weight);
        }
        if i.face_more != [0.0; 4] {
            out.numbers("face-anim-weights", &i.face_more);
        }
        if !i.morphs.is_empty() {
            out.raw("morph-weights", &nav::flow(&i.morphs));
        }
        if let Some(variant) = &i.material_variant {
            out.text("material-variant", variant);
        }
        if i.head_left_right != 0.0 {
            out.number("head-anim-left-right-timestamp", i.head_left_right);
        }
        if i.head_up_down != 0.0 {
            out.number("head-anim-up-down-timestamp", i.head_up_down);
        }
        if i.look_at_range != 0.0 || i.look_at_smile != 0.0 {
            out.number("look-at-range", i.look_at_range);
            out.number("look-at-smile", i.look_at_smile);
        }
        if !i.name.is_empty() {
            out.text("instance-name", &i.name);
        }
        out.whole("enable-navigation", i.navigation);
        let target = i.target.and_then(|id| self.number.get(&id)).map_or_else(|| "-1".into(), usize::to_string);
        out.raw("path-target-instance", &target);
        if let Some(cameras) = self.cameras.get(&id) {
            out.rows("target-of-cameras", cameras.iter().cloned());
        }
        if let Some(door) = &i.door {
            out.raw("door", &nav::flow(door));
        }
        out.extra(&i.extra);
    }
}
