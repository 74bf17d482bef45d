//! What a scene may hold: ranges of numbers, counts, names, references. Files and edits pass the same checks.

use super::barred_cells::BarredCells;
use super::camera::SceneCamera;
use super::camera_motion::CameraMotion;
use super::clip_track::ClipCurve;
use super::data::Scene;
use super::door::SceneDoor;
use super::instance::{ModelRef, SceneInstance};
use super::level::SceneLevel;
use super::model::SceneModel;
use super::nav::{MeshSource, ObstacleShape, SceneNav};
use super::rule::RuleError;
use super::settings::Settings;
use super::sounds::SceneSounds;
use super::zones::SceneZone;
use crate::anim::layer::MAX_LAYERS;
use crate::asset::ClipEdit;
use crate::behavior::graph::BehaviorGraph;
use crate::math::hull;
use crate::nav::exchange::MeshPlacement;
use glam::{Vec2, Vec3};
use std::collections::HashSet;

/// Farthest position from the origin along an axis, metres.
pub const MAX_POSITION: f32 = 1e6;
/// Largest angle as written, degrees, either way.
pub const MAX_ANGLE_DEG: f32 = 1e6;
/// Smallest and largest uniform scale.
pub const SCALE_RANGE: [f32; 2] = [1e-4, 1e4];
/// Largest speed, factor, weight, distance or range, either way.
pub const MAX_VALUE: f32 = 1e6;
/// Most instances.
pub const MAX_INSTANCES: usize = 100_000;
/// Most models, levels, cameras and behaviours, of each.
pub const MAX_ENTRIES: usize = 10_000;
/// Most entries in a list within an element: nodes, links, clips, bounding spheres.
pub const MAX_LIST: usize = 100_000;
/// Most edits, events and curves of clips of a model, of each, and keys of a curve.
pub const MAX_CLIP_EDITS: usize = 1000;
/// Latest time of a clip in an edit, seconds.
pub const MAX_CLIP_SECS: f32 = 86_400.0;
/// Largest tolerance of compressed clips, millimetres.
pub const MAX_CLIP_TOLERANCE_MM: f32 = 100.0;
/// Longest name or file name, bytes.
pub const MAX_TEXT: usize = 4096;
/// Longest key of a map as it is written, bytes: YAML readers look no farther for its colon.
pub const MAX_KEY: usize = 1000;
/// Most obstacles, threats, volumes and seeds, of each.
pub const MAX_PLACED: usize = 1000;
/// Most cells that are painted as not passable.
pub const MAX_BARRED_CELLS: usize = 20_000;
/// How many areas polygons may have.
pub const MAX_AREAS: usize = 64;
/// Most agents of all crowds together.
pub const MAX_AGENTS: usize = 20_000;
/// Most corners of a prism's outline: grown by an agent's radius it must still be an obstacle of a mesh.
pub const MAX_OUTLINE: usize = 16;
/// Thinnest obstacle, metres.
pub const MIN_SIZE: f32 = 0.01;
/// Range of the vertical field of view, degrees.
pub const FOV_RANGE_DEG: [f32; 2] = [1.0, 179.0];
/// Most iterations of the foot solver.
pub const MAX_IK_ITERATIONS: u32 = 1000;
/// Largest number of a node or link of a behaviour, either way; numbers of pins are a thousand times as large.
pub const MAX_GRAPH_ID: i64 = 1 << 32;
/// Deepest octree.
pub const MAX_OCTREE_DEPTH: u32 = 20;

/// An element and what is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{element} {reason}")]
pub struct Fault {
    /// Top-level key of the element's list (`instances`), empty for none.
    pub list: &'static str,
    /// Position in that list.
    pub index: usize,
    /// The element for people, counted from 1: `instance 14`.
    pub element: String,
    /// What is wrong and what would be right.
    pub reason: RuleError,
}

/// What is wrong with a value, without the element's name.
pub type Check = Result<(), RuleError>;

fn within(key: &str, value: f32, low: f32, high: f32) -> Check {
    // A NaN is in no range.
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(RuleError::OutOfRange { key: key.into(), value, low, high })
    }
}

fn all_within(key: &str, values: Vec3, limit: f32) -> Check {
    values.to_array().into_iter().try_for_each(|value| within(key, value, -limit, limit))
}

fn text(key: &str, value: &str) -> Check {
    if value.len() > MAX_TEXT {
        return Err(RuleError::TooLong { key: key.into(), bytes: value.len(), limit: MAX_TEXT });
    }
    Ok(())
}

/// Checks a text that is a key in files, where an escape of up to six characters may stand for one.
fn key_text(key: &str, value: &str) -> Check {
    let is_plain = |c: char| !c.is_control() && !"\"\\[{\u{2028}\u{2029}\u{feff}\u{fffe}\u{ffff}".contains(c);
    let bytes: usize = value.chars().map(|c| if is_plain(c) { c.len_utf8() } else { 6 }).sum();
    if bytes > MAX_KEY {
        return Err(RuleError::TooLong { key: key.into(), bytes, limit: MAX_KEY });
    }
    Ok(())
}

fn named(key: &str, value: &str) -> Check {
    if value.is_empty() {
        return Err(RuleError::Unnamed { key: key.into() });
    }
    text(key, value)
}

pub(super) fn count(key: &str, value: usize, limit: usize) -> Check {
    if value > limit {
        return Err(RuleError::TooMany { key: key.into(), count: value, limit });
    }
    Ok(())
}

/// Most morph targets that an instance names.
const MAX_MORPH_WEIGHTS: usize = 255;

fn placed(position: Vec3, rotation_deg: Vec3, scale: f32) -> Check {
    all_within("position", position, MAX_POSITION)?;
    all_within("rotation", rotation_deg, MAX_ANGLE_DEG)?;
    within("scale", scale, SCALE_RANGE[0], SCALE_RANGE[1])
}

/// Checks an instance's own values.
///
/// # Errors
/// What is wrong and what would be right.
pub fn check_instance(instance: &SceneInstance) -> Check {
    placed(instance.position, instance.rotation_deg, instance.scale)?;
    within("anim-clip-speed", instance.clip_speed, -MAX_VALUE, MAX_VALUE)?;
    within("anim-blend-factor", instance.clip_blend, -MAX_VALUE, MAX_VALUE)?;
    within("face-anim-weight", instance.face_weight, -MAX_VALUE, MAX_VALUE)?;
    for weight in instance.face_more {
        within("face-anim-weights", weight, -MAX_VALUE, MAX_VALUE)?;
    }
    count("morph-weights", instance.morphs.len(), MAX_MORPH_WEIGHTS)?;
    text("material-variant", instance.material_variant.as_deref().unwrap_or_default())?;
    for (name, weight) in &instance.morphs {
        key_text("name in morph-weights", name)?;
        within("morph-weights", *weight, 0.0, 1.0)?;
    }
    within("head-anim-left-right-timestamp", instance.head_left_right, -MAX_VALUE, MAX_VALUE)?;
    within("head-anim-up-down-timestamp", instance.head_up_down, -MAX_VALUE, MAX_VALUE)?;
    within("look-at-range", instance.look_at_range, 0.0, MAX_VALUE)?;
    within("look-at-smile", instance.look_at_smile, 0.0, 1.0)?;
    text("instance-name", &instance.name)?;
    count("anim-layers", instance.layers.len(), MAX_LAYERS)?;
    for layer in &instance.layers {
        within("weight of a layer", layer.weight, 0.0, 1.0)?;
        within("speed of a layer", layer.speed, -MAX_VALUE, MAX_VALUE)?;
        text("joint of a layer", &layer.joint)?;
    }
    instance.door.as_deref().map_or(Ok(()), check_door)?;
    match &instance.model {
        ModelRef::Missing(name) => text("model-file", name),
        ModelRef::Known(_) => Ok(()),
    }
}

/// How a door moves.
fn check_door(door: &SceneDoor) -> Check {
    all_within("shift of a door", door.shift, MAX_VALUE)?;
    within("turn of a door", door.turn, -MAX_ANGLE_DEG, MAX_ANGLE_DEG)?;
    within("secs of a door", door.secs, 0.0, MAX_VALUE)?;
    within("reach of a door", door.reach, 0.0, MAX_VALUE)?;
    within("stays-open of a door", door.stays_open, 0.0, MAX_VALUE)?;
    text("opens of a door", &door.opens)
}

/// Checks a level's own values.
///
/// # Errors
/// What is wrong and what would be right.
pub fn check_level(level: &SceneLevel) -> Check {
    named("level-name", &level.name)?;
    text("level-file", &level.file)?;
    within("presence-reach", level.presence_reach, 0.0, MAX_VALUE)?;
    placed(level.position, level.rotation_deg, level.scale)
}

/// Checks a camera's own values.
///
/// # Errors
/// What is wrong and what would be right.
pub fn check_camera(camera: &SceneCamera) -> Check {
    named("camera-name", &camera.name)?;
    all_within("position", camera.position, MAX_POSITION)?;
    within("view-azimuth", camera.azimuth_deg, -MAX_ANGLE_DEG, MAX_ANGLE_DEG)?;
    within("view-elevation", camera.elevation_deg, -90.0, 90.0)?;
    within("field-of-view", camera.fov_deg, FOV_RANGE_DEG[0], FOV_RANGE_DEG[1])?;
    within("ortho-scale", camera.ortho_scale, 1e-3, MAX_VALUE)?;
    all_within("1st-person-view-offsets", camera.first_person_offset, MAX_VALUE)?;
    within("3rd-person-view-distance", camera.third_person_distance, -MAX_VALUE, MAX_VALUE)?;
    within("3rd-person-height-offset", camera.third_person_height, -MAX_VALUE, MAX_VALUE)?;
    within("follow-cam-height-offset", camera.follow_height, -MAX_VALUE, MAX_VALUE)?;
    check_motion(&camera.motion)
}

/// How a camera moves by itself.
fn check_motion(motion: &CameraMotion) -> Check {
    within("camera-roll", motion.roll_deg, -MAX_ANGLE_DEG, MAX_ANGLE_DEG)?;
    within("shake-angle", motion.shake_angle_deg, 0.0, 180.0)?;
    within("shake-distance", motion.shake_distance, 0.0, MAX_VALUE)?;
    within("shake-rate", motion.shake_hz, 0.0, 100.0)?;
    within("arm-lag", motion.arm_lag_secs, 0.0, 60.0)?;
    count("rail points", motion.rail.len(), MAX_PLACED)?;
    motion.rail.iter().try_for_each(|p| all_within("rail", *p, MAX_POSITION))?;
    within("rail-duration", motion.rail_secs, 0.1, MAX_VALUE)
}

/// Checks a model entry's own values.
///
/// # Errors
/// What is wrong and what would be right.
pub fn check_model(model: &SceneModel) -> Check {
    named("model-name", &model.name)?;
    text("model-file", &model.file)?;
    count("files of clips", model.clip_sources.files.len(), MAX_LIST)?;
    for source in &model.clip_sources.files {
        named("file of clips-from", &source.file)?;
        source.bones.values().try_for_each(|node| text("bones", node))?;
    }
    model.clip_sources.bones.values().try_for_each(|node| text("bones", node))?;
    count("motion-matching-clips", model.matching_clips.len(), MAX_LIST)?;
    count("clip-edits", model.clip_sources.edits.len(), MAX_CLIP_EDITS)?;
    model.clip_sources.edits.iter().try_for_each(check_clip_edit)?;
    count("clip-events", model.clip_events.len(), MAX_CLIP_EDITS)?;
    for event in &model.clip_events {
        within("time of clip-events", event.time, 0.0, MAX_CLIP_SECS)?;
        text("file of clip-events", &event.file)?;
        within("strength of clip-events", event.strength, 0.0, 1.0)?;
    }
    count("clip-curves", model.clip_curves.len(), MAX_CLIP_EDITS)?;
    model.clip_curves.iter().try_for_each(check_clip_curve)?;
    within("forward-speed-factor", model.forward_speed_factor, -MAX_VALUE, MAX_VALUE)?;
    for set in &model.blend_sets {
        for clip in [set.idle, set.walk, set.run] {
            within("clip speed", clip.speed, -MAX_VALUE, MAX_VALUE)?;
        }
    }
    for action in &model.actions {
        within("clip-speed", action.clip.speed, -MAX_VALUE, MAX_VALUE)?;
    }
    for sphere in &model.sphere_adjustments {
        for value in sphere.to_array() {
            within("bounding sphere adjustment", value, -MAX_VALUE, MAX_VALUE)?;
        }
    }
    count("blend sets", model.blend_sets.len(), MAX_LIST)?;
    count("action clips", model.actions.len(), MAX_LIST)?;
    count("clip orders", model.allowed_orders.len(), MAX_LIST)?;
    count("bounding sphere adjustments", model.sphere_adjustments.len(), MAX_LIST)?;
    count("foot chain nodes", model.left_foot_chain.len().max(model.right_foot_chain.len()), MAX_LIST)
}

/// Checks a curve over a clip.
fn check_clip_curve(curve: &ClipCurve) -> Check {
    named("morph of clip-curves", &curve.morph)?;
    count("keys of clip-curves", curve.keys.len(), MAX_CLIP_EDITS)?;
    for [secs, weight] in &curve.keys {
        within("time of clip-curves", *secs, 0.0, MAX_CLIP_SECS)?;
        within("weight of clip-curves", *weight, 0.0, 1.0)?;
    }
    let ascends = curve.keys.windows(2).all(|pair| pair[0][0] <= pair[1][0]);
    if ascends { Ok(()) } else { Err(RuleError::Unordered { key: "keys of clip-curves".to_owned() }) }
}

/// Checks an edit of a clip.
///
/// # Errors
/// What is wrong and what would be right.
fn check_clip_edit(edit: &ClipEdit) -> Check {
    text("copy-as", &edit.copy_name)?;
    within("start", edit.start_secs, 0.0, MAX_CLIP_SECS)?;
    edit.end_secs.map_or(Ok(()), |end_secs| within("end", end_secs, 0.0, MAX_CLIP_SECS))?;
    within("loop-blend", edit.loop_blend_secs, 0.0, MAX_CLIP_SECS)
}

/// A number of a node or link.
fn graph_id(has: &'static str, id: i64) -> Check {
    if (-MAX_GRAPH_ID..=MAX_GRAPH_ID).contains(&id) {
        return Ok(());
    }
    let choices = "a whole number from -4294967296 to 4294967296";
    Err(RuleError::Unknown { has, value: id.to_string(), choices })
}

/// Checks a behaviour template's sizes and numbers; whether it makes sense is for the behaviour check to say.
///
/// # Errors
/// What is wrong and what would be right.
pub fn check_behavior(graph: &BehaviorGraph) -> Check {
    named("node-tree-name", &graph.name)?;
    count("nodes", graph.nodes.len(), MAX_LIST)?;
    count("links", graph.links.len(), MAX_LIST)?;
    count("walkabout-comments", graph.comments.len(), MAX_LIST)?;
    for node in &graph.nodes {
        graph_id("has the node-id", node.id)?;
        count("properties of a node", node.properties.len(), MAX_LIST)?;
        for (key, value) in &node.properties {
            key_text("key of node-data", key)?;
            text("value of node-data", value)?;
        }
    }
    graph.links.iter().try_for_each(|link| graph_id("has the link number", link.id))?;
    for comment in &graph.comments {
        comment.at.into_iter().try_for_each(|v| within("place of a comment", v, -MAX_VALUE, MAX_VALUE))?;
        text("text of a comment", &comment.text)?;
    }
    Ok(())
}

/// Checks the settings.
///
/// # Errors
/// What is wrong and what would be right.
pub fn check_settings(s: &Settings) -> Check {
    check_shared_settings(s)?;
    check_own_settings(s)
}

/// The settings of a file's map `settings`, which the original has too.
fn check_shared_settings(s: &Settings) -> Check {
    within("interaction-min-range", s.interaction_min_range, 0.0, MAX_VALUE)?;
    within("interaction-max-range", s.interaction_max_range, 0.0, MAX_VALUE)?;
    within("interaction-fov", s.interaction_fov_deg, 0.0, 360.0)?;
    within("level-collision-ground-slope", s.nav.ground_slope_deg, 0.0, 180.0)?;
    within("level-collision-max-stairstep-height", s.nav.max_step_height, 0.0, MAX_VALUE)?;
    let sky = &s.environment;
    within("fog-density", sky.fog_density, 0.0, 1e3)?;
    within("light-source-angle-east-west", sky.light_east_west_deg, -MAX_ANGLE_DEG, MAX_ANGLE_DEG)?;
    within("light-source-angle-north-south", sky.light_north_south_deg, -MAX_ANGLE_DEG, MAX_ANGLE_DEG)?;
    within("light-source-intensity", sky.light_intensity, 0.0, 1e3)?;
    within("time-of-day-scaling", sky.day_minutes_per_sec, 0.0, 1440.0)?;
    sky.light_color.into_iter().try_for_each(|c| within("light-source-color", c, 0.0, 1e3))?;
    count("inverse-kinematics-iterations", s.ik_iterations as usize, MAX_IK_ITERATIONS as usize)
}

/// The settings of a file's map `walkabout`.
fn check_own_settings(s: &Settings) -> Check {
    text("sky-picture", &s.environment.sky_picture)?;
    count("octree levels", s.octree_max_depth as usize, MAX_OCTREE_DEPTH as usize)?;
    if s.octree_threshold == 0 {
        return Err(RuleError::ZeroThreshold);
    }
    check_sounds(&s.sounds)?;
    count("zones", s.zones.len(), MAX_PLACED)?;
    s.zones.iter().try_for_each(check_zone)?;
    count("overlays", s.overlays.len(), MAX_ENTRIES)?;
    s.overlays.iter().try_for_each(|name| named("overlay name", name))
}

/// The sounds of a scene.
fn check_sounds(sounds: &SceneSounds) -> Check {
    text("music-folder", &sounds.music_folder)?;
    sounds.files().try_for_each(|file| named("file of a sound", file))?;
    // One that is empty, as while it is typed anew, is the material of no ground.
    sounds.grounds.iter().try_for_each(|ground| text("material of a sound", &ground.material))?;
    count("sounds", sounds.files().count(), MAX_PLACED)?;
    for place in &sounds.places {
        all_within("place of a sound", place.position, MAX_POSITION)?;
        within("reach of a sound", place.reach, 0.1, MAX_VALUE)?;
        within("volume of a sound", place.volume, 0.0, 1.0)?;
    }
    Ok(())
}

/// A zone of fog, light and music.
fn check_zone(zone: &SceneZone) -> Check {
    text("name of a zone", &zone.name)?;
    text("music of a zone", &zone.music)?;
    all_within("middle of a zone", zone.center, MAX_POSITION)?;
    zone.size.to_array().into_iter().try_for_each(|v| within("size of a zone", v, MIN_SIZE, MAX_POSITION))?;
    within("fade of a zone", zone.fade, 0.0, MAX_VALUE)?;
    within("fog-density of a zone", zone.fog_density.unwrap_or_default(), 0.0, 1e3)?;
    within("light-intensity of a zone", zone.light_intensity.unwrap_or_default(), 0.0, 1e3)?;
    let color = zone.light_color.unwrap_or_default();
    color.into_iter().try_for_each(|c| within("light-color of a zone", c, 0.0, 1e3))
}

/// The outline of the prism that is obstacle `number`.
fn check_outline(number: usize, outline: &[Vec2]) -> Check {
    if !(3..=MAX_OUTLINE).contains(&outline.len()) {
        return Err(RuleError::OutlineCorners { number, corners: outline.len(), limit: MAX_OUTLINE });
    }
    outline
        .iter()
        .try_for_each(|p| all_within(&format!("outline of obstacle {number}"), p.extend(0.0), MAX_POSITION))?;
    let at = |i: usize| outline[i % outline.len()];
    let turns_left = |i: usize| (at(i + 1) - at(i)).perp_dot(at(i + 2) - at(i + 1)) > 0.0;
    if (0..outline.len()).all(turns_left) && hull::convex(outline).len() == outline.len() {
        return Ok(());
    }
    Err(RuleError::OutlineShape { number })
}

/// What a scene may say about navigation meshes.
pub fn check_nav(nav: &SceneNav) -> Check {
    if let MeshSource::File(file) = &nav.mesh {
        named("mesh file", file)?;
    }
    if !nav.mesh_placement.is_valid() {
        let value = nav.mesh_placement.scale as f32;
        let [low, high] = MeshPlacement::SCALES.map(|s| s as f32);
        return Err(RuleError::OutOfRange { key: "scale of the mesh".into(), value, low, high });
    }
    nav.bake.voxels()?;
    count("obstacles", nav.obstacles.len(), MAX_PLACED)?;
    count("threats", nav.threats.len(), MAX_PLACED)?;
    count("places of destroyed cover", nav.destroyed.len(), MAX_PLACED)?;
    nav.destroyed.iter().try_for_each(|p| all_within("place of destroyed cover", *p, MAX_POSITION))?;
    count("barred places", nav.barred.len(), MAX_PLACED)?;
    nav.barred.iter().try_for_each(|p| all_within("barred place", *p, MAX_POSITION))?;
    count("barred cells", nav.barred_cells.len(), MAX_BARRED_CELLS)?;
    let mut middles = nav.barred_cells.iter().map(BarredCells::middle);
    middles.try_for_each(|p| all_within("barred cell", p, MAX_POSITION))?;
    count("volumes", nav.bake.volumes.len(), MAX_PLACED)?;
    count("seeds", nav.bake.seeds.len(), MAX_PLACED)?;
    count("links", nav.bake.placed_links.len(), MAX_LIST)?;
    for (i, obstacle) in nav.obstacles.iter().enumerate() {
        let good = |what: &str, v: Vec3| all_within(&format!("{what} of obstacle {}", i + 1), v, MAX_POSITION);
        good("place", obstacle.shape.base())?;
        let size = match &obstacle.shape {
            ObstacleShape::Box { size, yaw_deg, .. } => {
                within("turn of an obstacle", *yaw_deg, -MAX_ANGLE_DEG, MAX_ANGLE_DEG)?;
                *size
            }
            ObstacleShape::Cylinder { radius, height, .. } => Vec3::new(*radius, *height, *radius),
            ObstacleShape::Prism { outline, height, .. } => {
                check_outline(i + 1, outline)?;
                Vec3::splat(*height)
            }
        };
        size.to_array().into_iter().try_for_each(|v| within("size of an obstacle", v, MIN_SIZE, MAX_POSITION))?;
    }
    for crowd in &nav.crowds {
        all_within("start of a crowd", crowd.from, MAX_POSITION)?;
        all_within("goal of a crowd", crowd.to, MAX_POSITION)?;
        within("radius of a crowd's agents", crowd.radius, MIN_SIZE, 10.0)?;
        within("clearance of a crowd's agents", crowd.clearance, 0.0, 10.0)?;
        within("speed of a crowd's agents", crowd.speed, 0.0, 100.0)?;
    }
    count("crowds", nav.crowds.len(), MAX_PLACED)?;
    let agents: u64 = nav.crowds.iter().map(|crowd| u64::from(crowd.count)).sum();
    count("agents in its crowds", agents as usize, MAX_AGENTS)?;
    nav.threats.iter().try_for_each(|t| all_within("place of a threat", *t, MAX_POSITION))?;
    within("turn-radius", nav.turn_radius, 0.0, MAX_VALUE)?;
    within("bias", nav.bias, 0.0, MAX_VALUE)?;
    within("excessive-ratio", nav.excessive_ratio, 0.0, MAX_VALUE)?;
    count("areas", nav.areas.len(), MAX_AREAS)?;
    for rule in &nav.areas {
        within("area", f32::from(rule.area), 0.0, MAX_AREAS as f32 - 1.0)?;
        within("cost of an area", rule.cost, 1.0, MAX_VALUE)?;
    }
    let weights = &nav.weights;
    within("weight of slow ground", weights.slow, 1.0, MAX_VALUE)?;
    within("weight of ground for amphibious characters", weights.amphibious.unwrap_or(1.0), 1.0, MAX_VALUE)?;
    within("weight of cover", weights.cover, 0.01, MAX_VALUE)?;
    within("concealment", weights.concealment, 0.0, 1.0)?;
    within("weight of vulnerable ground", weights.vulnerable, 1.0, MAX_VALUE)?;
    within("radius of the test path", nav.probe.radius, 0.0, MAX_VALUE)?;
    within("reach of random places", nav.probe.reach, 0.0, MAX_VALUE)?;
    count("random places", nav.probe.random as usize, MAX_PLACED)?;
    let probe = &nav.probe;
    probe.start.iter().chain(&probe.end).try_for_each(|p| all_within("end of the test path", *p, MAX_POSITION))?;
    let others = [probe.ray_start, probe.ray_end, probe.wall_from, probe.around];
    others.iter().flatten().try_for_each(|p| all_within("place of a tool", *p, MAX_POSITION))
}

struct Faults<'a> {
    names: HashSet<&'a str>,
}

impl<'a> Faults<'a> {
    fn new() -> Self {
        Self { names: HashSet::new() }
    }

    /// Passes an element's check on under the element's name, and refuses a name that was there before.
    fn look(
        &mut self,
        (list, word): (&'static str, &str),
        index: usize,
        name: Option<&'a str>,
        check: Check,
    ) -> Result<(), Fault> {
        let element = || match name {
            Some(name) => format!("{word} {} ({name:?})", index + 1),
            None => format!("{word} {}", index + 1),
        };
        check.map_err(|reason| Fault { list, index, element: element(), reason })?;
        match name {
            Some(name) if !self.names.insert(name) => {
                Err(Fault { list, index, element: element(), reason: RuleError::NameRepeated })
            }
            _ => Ok(()),
        }
    }
}

impl Scene {
    /// Checks all that holds for every scene: numbers in range, unique names, ids that refer to what is there.
    ///
    /// # Errors
    /// The first element that breaks a rule.
    pub fn check(&self) -> Result<(), Fault> {
        let fault = |list, element: &str, reason| Fault { list, index: 0, element: element.into(), reason };
        let whole = |reason: RuleError| fault("", "the scene", reason);
        check_shared_settings(&self.settings).map_err(|e| fault("settings", "the map 'settings'", e))?;
        check_own_settings(&self.settings).map_err(|e| fault("walkabout", "the map 'walkabout'", e))?;
        check_nav(&self.nav).map_err(|e| fault("walkabout", "the map 'walkabout: navigation'", e))?;
        count("instances", self.instances.len(), MAX_INSTANCES).map_err(whole)?;
        for (key, value) in [
            ("levels", self.levels.len()),
            ("cameras", self.cameras.len()),
            ("models", self.models.len()),
            ("node trees", self.behaviors.len()),
        ] {
            count(key, value, MAX_ENTRIES).map_err(whole)?;
        }
        let mut faults = Faults::new();
        for (i, level) in self.levels.values().enumerate() {
            faults.look(("levels", "level"), i, Some(&level.name), check_level(level))?;
        }
        let mut faults = Faults::new();
        for (i, camera) in self.cameras.values().enumerate() {
            let target = camera.target.is_none_or(|id| self.instances.contains(id));
            let check =
                check_camera(camera).and(if target { Ok(()) } else { Err(RuleError::Dangling("follows an instance")) });
            faults.look(("cameras", "camera"), i, Some(&camera.name), check)?;
        }
        let mut faults = Faults::new();
        for (i, model) in self.models.values().enumerate() {
            faults.look(("models", "model"), i, Some(&model.name), check_model(model))?;
        }
        let mut faults = Faults::new();
        for (i, graph) in self.behaviors.values().enumerate() {
            faults.look(("node-trees", "node tree"), i, Some(&graph.name), check_behavior(graph))?;
        }
        let mut faults = Faults::new();
        for (i, instance) in self.instances.values().enumerate() {
            let check = check_instance(instance).and_then(|()| self.check_references(instance));
            faults.look(("instances", "instance"), i, None, check)?;
        }
        Ok(())
    }

    /// Whether [`Scene::check`] finds nothing.
    pub fn is_valid(&self) -> bool {
        self.check().is_ok()
    }

    /// Checks that what an instance refers to is there.
    pub(super) fn check_references(&self, instance: &SceneInstance) -> Check {
        if instance.model_id().is_some_and(|id| !self.models.contains(id)) {
            return Err(RuleError::Dangling("shows a model"));
        }
        if instance.behavior.is_some_and(|id| !self.behaviors.contains(id)) {
            return Err(RuleError::Dangling("has a behaviour"));
        }
        if instance.target.is_some_and(|id| !self.instances.contains(id)) {
            return Err(RuleError::Dangling("walks to an instance"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
