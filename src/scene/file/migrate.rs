//! Older versions become the current one, step by step in one chain.

use super::v9;
use crate::scene::{Environment, Settings};
use crate::vocab::DayPreset;
use glam::Vec3;
use serde_yaml::Value;
use thiserror::Error;

/// Whether a scene is saved with the keys of version 10.0: its light is not that of a file without them, or it was
/// read from a file that had them.
pub fn needs_light_keys(settings: &Settings) -> bool {
    let usual = Environment { sky_picture: settings.environment.sky_picture.clone(), ..Environment::default() };
    settings.keeps_light_keys || settings.environment != usual
}

/// The version that is written: the oldest that has all keys that are written.
pub fn version_of(settings: &Settings) -> &'static str {
    if needs_light_keys(settings) { "10.0" } else { "9.0" }
}

/// Oldest and newest version that the original wrote.
const KNOWN: [f64; 2] = [1.0, 10.0];

/// What is wrong with the key `version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VersionError {
    /// There is none.
    #[error("the key 'version' is missing; add a line 'version: 10.0'")]
    Missing,
    /// It is no number, or older than the first version.
    #[error("the key 'version' is not a version number; use 'version: 10.0'")]
    Malformed,
}

/// Brings `file` to the current version.
///
/// # Errors
/// What is wrong with the key `version`.
pub fn migrate(file: &mut v9::File, warnings: &mut Vec<String>) -> Result<(), VersionError> {
    let version = version(file.version.as_ref())?;
    if version > KNOWN[1] {
        warnings.push(format!("version {version} is newer than {}; what it added is kept, but not used", KNOWN[1]));
    }
    one_camera_becomes_a_list(file);
    one_clip_becomes_two(file);
    one_height_key(file);
    if version < 10.0 && file.walkabout.is_some() {
        light_of_preview_files(file);
    }
    Ok(())
}

fn version(value: Option<&Value>) -> Result<f64, VersionError> {
    let number = match value {
        None | Some(Value::Null) => return Err(VersionError::Missing),
        Some(Value::Number(n)) => n.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    number.filter(|v| v.is_finite() && *v >= KNOWN[0]).ok_or(VersionError::Malformed)
}

/// 1.0 had a single map `camera`.
fn one_camera_becomes_a_list(file: &mut v9::File) {
    if let Some(camera) = file.camera.take() {
        file.cameras.get_or_insert_default().insert(0, camera);
    }
}

/// Before blending, an instance played one clip, at full weight.
fn one_clip_becomes_two(file: &mut v9::File) {
    for instance in file.instances.iter_mut().flatten() {
        let old = instance.anim_clip_number.take();
        instance.first_clip = instance.first_clip.or(old);
        instance.second_clip = instance.second_clip.or(instance.first_clip);
    }
}

/// The original asks for one key and reads the other; both mean the height of the third-person camera.
fn one_height_key(file: &mut v9::File) {
    for camera in file.cameras.iter_mut().flatten() {
        let other = camera.third_view_height.take();
        camera.third_height = camera.third_height.or(other);
    }
}

/// Previews of Walkabout wrote the keys of 10.0 into files of version 9.0 with meanings of their own: the angles were
/// azimuth (from east to north) and elevation, and the presets counted from 0: none, morning, noon, evening, night.
fn light_of_preview_files(file: &mut v9::File) {
    let Some(settings) = file.settings.as_mut().filter(|settings| settings.has_light_keys()) else { return };
    let azimuth = settings.light_source_angle_east_west.unwrap_or(40.0).to_radians();
    let elevation = settings.light_source_angle_north_south.unwrap_or(48.0).to_radians();
    if !(azimuth.is_finite() && elevation.is_finite()) {
        return;
    }
    let to_light =
        Vec3::new(azimuth.cos() * elevation.cos(), elevation.sin().max(0.0), -azimuth.sin() * elevation.cos());
    let angles_deg = Environment::angles_deg(to_light.normalize_or(Vec3::Y));
    [settings.light_source_angle_east_west, settings.light_source_angle_north_south] = angles_deg.map(Some);
    let preset = match settings.time_of_day_preset {
        None | Some(0) => {
            settings.time_of_day_preset = Some(DayPreset::FullLight.to_file());
            return;
        }
        Some(1) => DayPreset::Morning,
        Some(2) => DayPreset::Noon,
        Some(3) => DayPreset::Evening,
        Some(4) => DayPreset::Midnight,
        Some(_) => return,
    };
    let mut light = Environment::default();
    light.apply_preset(preset);
    settings.time_of_day_preset = Some(preset.to_file());
    settings.light_source_angle_east_west = Some(light.light_east_west_deg);
    settings.light_source_angle_north_south = Some(light.light_north_south_deg);
    settings.light_source_intensity = Some(light.light_intensity);
    settings.light_source_color = Some(light.light_color);
}
