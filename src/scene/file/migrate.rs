//! Older versions become the current one, step by step in one chain.

use super::v9;
use serde_yaml::Value;

/// The version that is written. The original looks at the version only to recognise 1.0 and 3.0, and 9.0 is the
/// newest in which it has every key that it needs; keys of 10.0 are written too, and ignored by older programs.
pub const VERSION: &str = "9.0";

/// Oldest and newest version that the original wrote.
const KNOWN: [f64; 2] = [1.0, 10.0];

/// Brings `file` to the current version.
///
/// # Errors
/// What is wrong with the key `version`.
pub fn migrate(file: &mut v9::File, warnings: &mut Vec<String>) -> Result<(), String> {
    let version = version(file.version.as_ref())?;
    if version > KNOWN[1] {
        warnings.push(format!("version {version} is newer than {}; what it added is kept, but not used", KNOWN[1]));
    }
    one_camera_becomes_a_list(file);
    one_clip_becomes_two(file);
    one_height_key(file);
    Ok(())
}

fn version(value: Option<&Value>) -> Result<f64, String> {
    let number = match value {
        None | Some(Value::Null) => return Err("the key 'version' is missing; add a line 'version: 9.0'".into()),
        Some(Value::Number(n)) => n.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    number
        .filter(|v| v.is_finite() && *v >= KNOWN[0])
        .ok_or_else(|| "the key 'version' is not a version number; use 'version: 9.0'".into())
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
