//! What a person wants to hear.

/// What is to be heard; kept between runs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct SoundSettings {
    /// Steps of characters near the camera.
    pub footsteps: bool,
    /// Sounds of actions and of places.
    pub effects: bool,
    /// Music.
    pub music: bool,
    /// Of steps, actions and places, 0…1.
    #[serde(alias = "volume")]
    pub effects_volume: f32,
    /// Of music, 0…1.
    pub music_volume: f32,
}

impl Default for SoundSettings {
    fn default() -> Self {
        Self { footsteps: true, effects: true, music: false, effects_volume: 0.6, music_volume: 0.3 }
    }
}

/// What can be asked of the music.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MusicCommand {
    /// Plays a track of the list.
    Track(usize),
    /// Plays on, or from the first track.
    Play,
    /// Holds the track where it is.
    Pause,
    /// Fades out.
    Stop,
    /// The track after this one.
    Next,
    /// The track before this one.
    Previous,
    /// Any other track.
    Random,
    /// Plays the track from here on, seconds.
    Seek(f64),
    /// Reads the folder and all sounds again.
    Reload,
}
