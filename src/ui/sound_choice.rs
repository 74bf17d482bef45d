//! What a sound file or a folder of tracks is chosen for.

use crate::ids::ModelId;
use crate::vocab::MoveState;

/// What a sound file is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundChoice {
    /// The folder of the music.
    MusicFolder,
    /// An action.
    Action(MoveState),
    /// Steps on a ground.
    Ground,
    /// The place of what is selected, or before the camera.
    Place,
    /// The music of a zone, by its place in the list.
    Zone(usize),
    /// An event of a clip, by its place in the list of a model.
    ClipEvent(ModelId, usize),
}
