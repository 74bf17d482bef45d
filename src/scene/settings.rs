//! Global settings of a scene.

use super::sounds::SceneSounds;
use super::zones::SceneZone;
use crate::anim::inertialization::Transition;
use crate::collide::triangle_tree::{TriangleTreeKind, TriangleTreeSettings};
use crate::vocab::{CollisionMode, DayPreset};

/// How the ground is derived from levels and searched.
#[derive(Clone, Debug, PartialEq)]
pub struct NavSettings {
    /// Whether characters walk to their targets.
    pub enabled: bool,
    /// Steepest walkable slope in degrees.
    pub ground_slope_deg: f32,
    /// Highest step that can be walked up, metres.
    pub max_step_height: f32,
}

impl Default for NavSettings {
    fn default() -> Self {
        Self { enabled: false, ground_slope_deg: 90.0, max_step_height: 2.0 }
    }
}

/// Sky, light and fog. Keys of file version 10.0.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Whether a sky is drawn (a plain background otherwise).
    pub sky_enabled: bool,
    /// Picture that is the sky, named like a model's file; empty for Walkabout's own sky.
    pub sky_picture: String,
    /// Fog density per metre, 0 for none.
    pub fog_density: f32,
    /// Angle of the light between east (0) and west (180), degrees; 90 is the meridian. See [`Self::to_light`].
    pub light_east_west_deg: f32,
    /// Angle of the light between south (0) and north (180), degrees.
    pub light_north_south_deg: f32,
    /// Strength of the light, 1 = full daylight.
    pub light_intensity: f32,
    /// Linear RGB colour of the light.
    pub light_color: [f32; 3],
    /// Whether the clock runs: then it sets angles, intensity and colour of the light.
    pub day_enabled: bool,
    /// How fast the day goes: its minutes per simulated second.
    pub day_minutes_per_sec: f32,
    /// The preset that was chosen last.
    pub day_preset: DayPreset,
}

impl Default for Environment {
    /// That of a file without the keys of version 10.0.
    fn default() -> Self {
        Self {
            sky_enabled: false,
            sky_picture: String::new(),
            fog_density: 0.0,
            light_east_west_deg: 40.0,
            light_north_south_deg: 40.0,
            light_intensity: 1.0,
            light_color: [1.0; 3],
            day_enabled: false,
            day_minutes_per_sec: 10.0,
            day_preset: DayPreset::FullLight,
        }
    }
}

impl Environment {
    /// That of a new scene: a clear day.
    pub fn of_new_scene() -> Self {
        Self {
            sky_enabled: true,
            light_east_west_deg: 58.25,
            light_north_south_deg: 116.2,
            light_color: [1.0, 0.93, 0.82],
            ..Self::default()
        }
    }
}

/// What becomes of characters that fall out of the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostRule {
    /// They are put back to where they last stood safely.
    #[default]
    PutBack,
    /// They are deleted from the scene.
    Delete,
}

/// Settings that belong to no single thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether the selected instance is highlighted.
    pub highlight_selection: bool,
    /// Collision test between instances.
    pub collision_mode: CollisionMode,
    /// Whether instances interact.
    pub interaction_enabled: bool,
    /// Nearest interaction distance, metres.
    pub interaction_min_range: f32,
    /// Edge of the box in which interaction partners are sought, metres.
    pub interaction_max_range: f32,
    /// Angle within which both must face each other, degrees.
    pub interaction_fov_deg: f32,
    /// Whether characters fall.
    pub gravity_enabled: bool,
    /// What becomes of instances that fall out of the level.
    pub lost: LostRule,
    /// Whether feet are put on the ground.
    pub ik_enabled: bool,
    /// Iterations of the foot solver.
    pub ik_iterations: u32,
    /// Whether the graphics device solves the legs.
    pub ik_on_device: bool,
    /// How the animation of characters goes from one state into another.
    pub transition: Transition,
    /// Ground and path finding.
    pub nav: NavSettings,
    /// Sky, light and fog.
    pub environment: Environment,
    /// Whether the keys of file version 10.0 are saved although all have their defaults: the file had them.
    pub keeps_light_keys: bool,
    /// What sounds.
    pub sounds: SceneSounds,
    /// Where fog, light and music are others.
    pub zones: Vec<SceneZone>,
    /// The kind of search tree over the level's triangles.
    pub tree_kind: TriangleTreeKind,
    /// Triangles per octree cell before it splits.
    pub octree_threshold: u32,
    /// Deepest octree level.
    pub octree_max_depth: u32,
    /// Overlays that are on, by name.
    pub overlays: Vec<String>,
    /// Seed of everything random in the simulation.
    pub seed: u64,
    /// Keys of the file that this version does not know, with their values as YAML; saved again.
    pub extra: super::extra::Extra,
    /// The same, of the file's own map `walkabout`.
    pub own_extra: super::extra::Extra,
}

impl Settings {
    /// What a person who builds a scene expects; a file that leaves a key out means the original's values, which are
    /// those of [`Settings::default`].
    pub fn of_new_scene() -> Self {
        let nav = NavSettings { enabled: true, ground_slope_deg: 40.0, max_step_height: 0.4 };
        let environment = Environment::of_new_scene();
        Self {
            nav,
            gravity_enabled: true,
            ik_enabled: true,
            environment,
            transition: Transition::Inertial,
            ..Self::default()
        }
    }

    /// How the search tree over the level's triangles is built.
    pub fn triangle_tree(&self) -> TriangleTreeSettings {
        let (threshold, max_depth) = (self.octree_threshold, self.octree_max_depth);
        TriangleTreeSettings { kind: self.tree_kind, threshold, max_depth }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            highlight_selection: true,
            collision_mode: CollisionMode::Off,
            interaction_enabled: false,
            interaction_min_range: 1.5,
            interaction_max_range: 10.0,
            interaction_fov_deg: 45.0,
            gravity_enabled: false,
            lost: LostRule::PutBack,
            ik_enabled: false,
            ik_iterations: 10,
            ik_on_device: false,
            transition: Transition::CrossFade,
            nav: NavSettings::default(),
            environment: Environment::default(),
            keeps_light_keys: false,
            sounds: SceneSounds::default(),
            zones: Vec::new(),
            tree_kind: TriangleTreeKind::Octree,
            octree_threshold: 10,
            octree_max_depth: 5,
            overlays: vec!["grid".into(), "paths".into()],
            seed: 1,
            extra: super::extra::Extra::new(),
            own_extra: super::extra::Extra::new(),
        }
    }
}
