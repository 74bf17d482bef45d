//! What goes along with a clip: events at moments of it, and curves over it.

use serde::{Deserialize, Serialize};

/// What an event of a clip does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClipEventKind {
    /// A foot comes down: the sound of a step on the ground below, in place of those that the feet find by themselves.
    #[default]
    Footstep,
    /// A sound of a file.
    Sound,
    /// A puff of dust at the feet.
    Dust,
}

impl ClipEventKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Footstep, Self::Sound, Self::Dust];

    /// Name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Footstep => "Footstep",
            Self::Sound => "Sound",
            Self::Dust => "Dust",
        }
    }
}

/// Something that happens at a moment of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClipEvent {
    /// Clip by position in the model.
    pub clip: u32,
    /// When it happens, seconds from the clip's start.
    pub time: f32,
    /// What happens.
    pub kind: ClipEventKind,
    /// The file of a sound, named like models; empty for others.
    pub file: String,
    /// Amplitude of a sound, amount of dust, 0…1; of no account to a footstep.
    pub strength: f32,
}

impl Default for ClipEvent {
    fn default() -> Self {
        Self { clip: 0, time: 0.0, kind: ClipEventKind::default(), file: String::new(), strength: 1.0 }
    }
}

/// A curve over a clip, which sets the weight of a morph target while the clip plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClipCurve {
    /// Clip by position in the model.
    pub clip: u32,
    /// Name of the morph target.
    pub morph: String,
    /// Seconds from the clip's start with weights 0…1, in order of time; linear between, steady before and after.
    pub keys: Vec<[f32; 2]>,
}

impl ClipCurve {
    /// Its value at a time of the clip; 0 without keys.
    pub fn at(&self, time_secs: f32) -> f32 {
        let after = self.keys.partition_point(|key| key[0] <= time_secs);
        match (after.checked_sub(1).and_then(|i| self.keys.get(i)), self.keys.get(after)) {
            (Some([from_secs, from]), Some([to_secs, to])) => {
                from + (to - from) * (time_secs - from_secs) / (to_secs - from_secs)
            }
            (Some([_, value]), None) | (None, Some([_, value])) => *value,
            (None, None) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_linear_between_their_keys_and_steady_outside() {
        let curve = ClipCurve { keys: vec![[0.5, 0.0], [1.0, 1.0], [1.0, 0.25], [2.0, 0.25]], ..ClipCurve::default() };
        let at = [0.0, 0.5, 0.75, 1.0, 1.5, 9.0].map(|time| curve.at(time));
        assert_eq!(at, [0.0, 0.0, 0.5, 0.25, 0.25, 0.25]);
        assert_eq!(ClipCurve::default().at(1.0), 0.0);
    }
}
