//! What a person can ask for.

pub use super::action::{Action, COMMANDS, CommandInfo, MENUS, info, key_text, numpad_key, tip, with_keys};
use super::creation::Creation;
pub use super::file_request::Purpose;
use super::notices::NoticeAction;
use super::sound_choice::SoundChoice;
use crate::debug::Layer;
use crate::ids::{CameraId, InstanceId, LevelId, ModelId};
use crate::inspect::doctor::Examination;
use crate::inspect::overlay_style::OverlayStyle;
use crate::math::Aabb;
use crate::nav::mesh::debug::MeshColoring;
use crate::scene::Selection;
use crate::scene::edit::Edit;
use crate::sound::{MusicCommand, SoundSettings};
use crate::vocab::Quality;
use egui::Modifiers;
use std::path::PathBuf;

/// What the quality of the drawing is that is not chosen.
pub const AUTOMATIC_QUALITY: &str = "The level that fits how fast this device was measured to shade pixels.";

/// What the user interface asks for, carried out at the start of the next frame.
#[derive(Clone, Debug)]
pub enum Command {
    /// A command of the table.
    Run(Action),
    /// A change of the scene, undone as one.
    Edit(Box<EditStep>),
    /// Another selection.
    Select(Selection),
    /// Selects instances in place of, in addition to, or less than those that are selected.
    Choose(Vec<InstanceId>, SelectionMode),
    /// Creates many instances at once.
    CreateMany(Box<Creation>),
    /// Adds what was copied.
    Paste(String),
    /// Opens a scene file.
    Open(PathBuf),
    /// Opens a scene that comes with Walkabout, named relative to the program's folder.
    OpenSample(&'static str),
    /// Chooses a file or a folder for a purpose.
    Ask(Purpose),
    /// Whether the welcome window is shown at the start.
    WelcomeAtStart(bool),
    /// Saves the scene under a path.
    SaveTo(PathBuf),
    /// Opens a model file as the level of a new scene.
    OpenLevel(PathBuf),
    /// Adds a model file to the scene as a level.
    AddLevel(PathBuf),
    /// Adds a model file to the scene, with one instance under a point of the window, else before the camera.
    AddModel(PathBuf, Option<egui::Pos2>),
    /// Puts an instance of a model into the picture.
    Place(ModelId),
    /// Does what the button of a notice offers.
    Notice(NoticeAction),
    /// Brings the camera to where these levels are seen, as the scene has them now.
    ShowLevels(Vec<LevelId>),
    /// Puts an instance of a model file into the picture: where it was dropped, in points, else in the middle.
    PlaceFile(PathBuf, Option<egui::Pos2>),
    /// Adds a camera that looks as the picture does, and looks through it.
    NewCamera,
    /// Moves a camera to where the picture is taken from.
    CameraHere(CameraId),
    /// Answer to the question about unsaved changes.
    Unsaved(UnsavedChoice),
    /// Answer to the offer of unsaved work.
    Restore(RestoreChoice),
    /// Switches the overlay of a layer.
    Overlay(Layer, bool),
    /// Switches the overlays of these layers on, and all others off.
    Overlays(&'static [Layer]),
    /// Draws overlays in another way.
    OverlayStyle(OverlayStyle),
    /// Colours the navigation mesh by something else, and shows it.
    ColorMesh(MeshColoring),
    /// Fires a test node of an instance's behaviour.
    FireNode(InstanceId, i64),
    /// Ends an active node of an instance's behaviour, with all that it fired.
    DeactivateNode(InstanceId, i64),
    /// Uses a door or a button, as a character does.
    UseDoor(InstanceId),
    /// Lets a part of the level come or go, as a button does.
    UseLevel(String),
    /// Lets instances stand still.
    Stop(Vec<InstanceId>),
    /// Simulation speed as a factor of real time.
    Speed(f32),
    /// Brings the camera to a place in world space.
    LookAt(glam::Vec3),
    /// Goes back or forward until so many steps are done.
    GoToStep(usize),
    /// Looks through a camera.
    UseCamera(CameraId),
    /// Selects a camera: the small picture shows what it sees.
    PickCamera(CameraId),
    /// Closes a toast by its number.
    CloseNotice(usize),
    /// Empties the log.
    ClearLog,
    /// Writes pictures into a folder.
    Export(Box<super::export::ExportSettings>),
    /// Stops that.
    CancelExport,
    /// Takes that folder.
    ExportFolder(PathBuf),
    /// Let a model play the clips of a file; without one, ask for it.
    PlayClips(ModelId, Option<PathBuf>),
    /// Takes the scene's sky from a picture file.
    UseSky(PathBuf),
    /// Chooses the file of test cases to which the test path is added, once the scene is saved.
    AskRecord,
    /// Ends the bake that runs.
    CancelBake,
    /// Build what lies in a tile of the bake again.
    RebuildTile(Aabb),
    /// Takes the scene's navigation mesh from a file.
    UseMesh(PathBuf),
    /// Saves the navigation mesh.
    SaveMesh(PathBuf),
    /// Adds the test path to a file of test cases.
    Record(PathBuf),
    /// Asks the doctor, and shows the panel of the doctor.
    Examine(Examination),
    /// Stops that.
    CancelExamination,
    /// Brings the camera to a finding of the doctor by its number, and lets it stand out.
    ShowFinding(usize),
    /// What is asked of the comparison with another mesh.
    Compare(CompareCommand),
    /// Measures what each kind of search tree over the level costs.
    CompareTrees,
    /// Takes so many steps of the search from start to end; 0 begins anew.
    Search(u32),
    /// Dark or light.
    Theme(egui::Theme),
    /// Quality of the drawing; the one that fits the device without.
    Quality(Option<Quality>),
    /// What is to be heard.
    Sound(SoundSettings),
    /// What is asked of the music.
    Music(MusicCommand),
    /// Chooses a sound file or the folder of the music.
    AskSound(SoundChoice),
    /// Takes it.
    UseSound(SoundChoice, PathBuf),
}

/// What is asked of the comparison of the scene's navigation mesh with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareCommand {
    /// Chooses the file of the other mesh.
    AskFile,
    /// Compares with the mesh of a file.
    File(PathBuf),
    /// Compares with the mesh as it is now.
    Keep,
    /// Compares with nothing any more.
    Forget,
    /// Brings the camera to a difference by its number, and lets it stand out.
    Show(usize),
}

/// How a selection changes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionMode {
    /// Takes its place.
    Only,
    /// Is added to it.
    Add,
    /// Is taken out of it.
    Remove,
}

impl SelectionMode {
    /// What a click with these keys held means: Shift adds, Ctrl removes.
    pub fn of(modifiers: Modifiers) -> Self {
        match (modifiers.shift, modifiers.command) {
            (true, _) => Self::Add,
            (_, true) => Self::Remove,
            _ => Self::Only,
        }
    }
}

/// A change of the scene that is undone as one.
#[derive(Clone, Debug)]
pub struct EditStep {
    /// What is done, for the Edit menu: "move Man 3".
    pub name: String,
    /// The change.
    pub edit: Edit,
    /// Steps in a row with the same key become one (a drag).
    pub merge: Option<u64>,
}

/// Answer to the question about unsaved changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsavedChoice {
    /// Save, then go on.
    Save,
    /// Go on without saving.
    Discard,
    /// Stay.
    Cancel,
}

/// Answer to the offer of unsaved work that was left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreChoice {
    /// Open it.
    Restore,
    /// Delete it for good.
    Delete,
    /// Keep it and ask again later.
    Later,
}
