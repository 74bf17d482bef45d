//! Keys of properties over time.

use crate::ids::NodeId;
use crate::math::Trs;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Keys of one property over time. Times ascend strictly; at least one key, or the track is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Track<T> {
    /// Key times in seconds from the start of the clip.
    pub times_secs: Vec<f32>,
    /// Key values, one per time.
    pub values: Vec<T>,
}

impl<T> Track<T> {
    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.times_secs.is_empty()
    }
}

impl Track<Vec3> {
    /// The value at a time, linear between keys; `rest` without keys.
    pub fn at(&self, time_secs: f32, rest: Vec3) -> Vec3 {
        match find_key(&self.times_secs, time_secs) {
            Some((i, 0.0)) => self.values[i],
            Some((i, share)) => self.values[i].lerp(self.values[i + 1], share),
            None => rest,
        }
    }
}

impl Track<Quat> {
    /// The rotation at a time, spherical linear along the shorter arc between keys; `rest` without keys.
    pub fn at(&self, time_secs: f32, rest: Quat) -> Quat {
        match find_key(&self.times_secs, time_secs) {
            Some((i, 0.0)) => self.values[i],
            Some((i, share)) => self.values[i].slerp(self.values[i + 1], share),
            None => rest,
        }
    }
}

impl Track<Vec<f32>> {
    /// The weights at a time, linear between keys; empty without keys.
    pub fn at(&self, time_secs: f32) -> Vec<f32> {
        let weights = |i: usize| self.values.get(i).map(Vec::as_slice).unwrap_or_default();
        match find_key(&self.times_secs, time_secs) {
            Some((i, share)) => {
                let to = if share > 0.0 { weights(i + 1) } else { weights(i) };
                weights(i).iter().zip(to).map(|(a, b)| a + (b - a) * share).collect()
            }
            None => Vec::new(),
        }
    }
}

/// Index of the last key at or before `time_secs`, and the fraction of the interval to the next key. Clamped at both
/// ends; `None` without keys. NaN counts as 0.
fn find_key(times_secs: &[f32], time_secs: f32) -> Option<(usize, f32)> {
    let time = if time_secs.is_nan() { 0.0 } else { time_secs };
    let last = times_secs.len().checked_sub(1)?;
    let after = times_secs.partition_point(|&t| t <= time);
    if after == 0 {
        return Some((0, 0.0));
    }
    if after > last {
        return Some((last, 0.0));
    }
    let (from, to) = (times_secs[after - 1], times_secs[after]);
    Some((after - 1, (time - from) / (to - from)))
}

/// The keyed properties of one node. An empty track leaves the rest value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// The node.
    pub node: NodeId,
    /// Translations relative to the parent, metres.
    pub translation: Track<Vec3>,
    /// Unit rotations relative to the parent.
    pub rotation: Track<Quat>,
    /// Scales.
    pub scale: Track<Vec3>,
}

impl Channel {
    /// Key times of translations, rotations and scales.
    pub fn times_secs(&self) -> [&[f32]; 3] {
        [&self.translation.times_secs, &self.rotation.times_secs, &self.scale.times_secs].map(Vec::as_slice)
    }

    /// The local transform at a time, given the node's rest.
    pub fn at(&self, time_secs: f32, rest: &Trs) -> Trs {
        Trs {
            translation: self.translation.at(time_secs, rest.translation),
            rotation: self.rotation.at(time_secs, rest.rotation),
            scale: self.scale.at(time_secs, rest.scale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_clamped() {
        let times = [0.0, 1.0, 3.0];
        assert_eq!(find_key(&times, -1.0), Some((0, 0.0)));
        assert_eq!(find_key(&times, 0.25), Some((0, 0.25)));
        assert_eq!(find_key(&times, 1.0), Some((1, 0.0)));
        assert_eq!(find_key(&times, 2.0), Some((1, 0.5)));
        assert_eq!(find_key(&times, 9.0), Some((2, 0.0)));
        assert_eq!(find_key(&times, f32::NAN), Some((0, 0.0)));
        assert_eq!(find_key(&[0.5], 0.1), Some((0, 0.0)));
        assert_eq!(find_key(&[], 0.0), None);
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let track = Track { times_secs: vec![0.0, 1.0], values: vec![Quat::IDENTITY, -Quat::from_rotation_y(1.0)] };
        let half = track.at(0.5, Quat::IDENTITY);
        assert!(half.angle_between(Quat::from_rotation_y(0.5)) < 1e-3);
    }
}
