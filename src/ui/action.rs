//! The commands without arguments, and the one table of them behind menus, keys and help.

use egui::{Key, KeyboardShortcut, Modifiers};

/// The commands without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// An empty scene.
    New,
    /// Choose a scene file.
    Open,
    /// Save under the same name.
    Save,
    /// Choose a name and save.
    SaveAs,
    /// Write what is seen as a picture.
    ExportPicture,
    /// Write pictures of a turn round what is selected.
    ExportTurntable,
    /// Write the frames of the running scene.
    ExportFrames,
    /// Offer unsaved work that was left behind.
    Recover,
    /// End the program.
    Quit,
    /// Take the last edit back.
    Undo,
    /// Do it again.
    Redo,
    /// Copies of what is selected, in the scene.
    Duplicate,
    /// Remove what is selected.
    Delete,
    /// Text of what is selected, into the clipboard, and out of the scene.
    Cut,
    /// Text of what is selected, into the clipboard.
    Copy,
    /// Add what the clipboard holds.
    Paste,
    /// Select every instance.
    SelectAll,
    /// Show or hide the window that creates many instances.
    CreateMany,
    /// What is selected onto the ground below.
    Drop,
    /// What is selected into a row along X.
    LineUpX,
    /// What is selected into a row along Z.
    LineUpZ,
    /// What is selected looks the same way.
    TurnAlike,
    /// Close the outline that is being drawn.
    CloseOutline,
    /// Select nothing, close what is open.
    Escape,
    /// Run or hold the simulation.
    PlayPause,
    /// One simulation step.
    Step,
    /// Puts all instances back to the start.
    Restart,
    /// Bake the navigation mesh from the level.
    Bake,
    /// Camera to the selected instance.
    Focus,
    /// Camera to everything.
    FrameAll,
    /// Look at the scene from the front, along -Z.
    ViewFront,
    /// From behind, along +Z.
    ViewBack,
    /// From the right, along -X.
    ViewRight,
    /// From the left, along +X.
    ViewLeft,
    /// From above.
    ViewTop,
    /// From below.
    ViewBottom,
    /// Orthographic or perspective.
    Orthographic,
    /// Change the name of what is selected.
    Rename,
    /// Show or hide the small picture of what the selected camera sees.
    CameraPreview,
    /// Handles along the axes of the world or of what is selected.
    LocalAxes,
    /// Let the middle button move what is selected.
    MiddleDragMoves,
    /// Let it turn what is selected.
    MiddleDragTurns,
    /// Let it scale what is selected.
    MiddleDragScales,
    /// Camera to the target of the selected instance.
    FocusTarget,
    /// The next camera.
    NextCamera,
    /// The previous camera.
    PreviousCamera,
    /// Camera to the next finding or difference.
    NextFinding,
    /// Camera to the finding or difference before.
    PreviousFinding,
    /// Fill the screen.
    Fullscreen,
    /// Edit mode or view mode.
    ViewMode,
    /// Show or leave the navigation workbench.
    Workbench,
    /// Show or hide the list of steps.
    History,
    /// Show or hide what the doctor found.
    Doctor,
    /// Compare the navigation mesh with another.
    CompareMesh,
    /// Show or hide what differs from another mesh.
    Differences,
    /// Show or hide the map.
    Map,
    /// Show or hide the behaviour editor.
    BehaviorEditor,
    /// The models that can be put into the scene.
    Assets,
    /// Clips, actions and bones of the selected model.
    Animation,
    /// Show or hide the times.
    Profiler,
    /// Show or hide the log.
    Log,
    /// Put the panels where they were at first.
    ResetLayout,
    /// Show or hide the help window.
    Help,
    /// Show or hide the welcome window.
    Welcome,
    /// Show or hide the guide.
    Guide,
    /// Show or hide what Walkabout is.
    About,
    /// Collect what helps to find a fault in a file.
    ReportProblem,
    /// Find a command by its name.
    Palette,
}

/// A row of the command table.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// What it does.
    pub action: Action,
    /// Label in menus.
    pub label: &'static str,
    /// Menu in which it stands.
    pub menu: &'static str,
    /// Keys; the first is shown.
    pub keys: &'static [KeyboardShortcut],
    /// One sentence of help.
    pub help: &'static str,
}

/// The keys 1, 3, 5 and 7 of the number pad. The interface's library tells them from those of the top row by nothing, so
/// [`numpad_key`] gives them names of function keys that no keyboard has.
const NUMPAD_1: Key = Key::F27;
const NUMPAD_3: Key = Key::F29;
const NUMPAD_5: Key = Key::F31;
const NUMPAD_7: Key = Key::F33;

/// The keys of the number pad that commands use, each with its digit.
const NUMPAD: [(Key, u32); 4] = [(NUMPAD_1, 1), (NUMPAD_3, 3), (NUMPAD_5, 5), (NUMPAD_7, 7)];

/// The key of the command table for a digit of the number pad.
pub fn numpad_key(digit: u32) -> Option<Key> {
    NUMPAD.iter().find(|(_, of)| *of == digit).map(|(key, _)| *key)
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

const fn row(
    action: Action,
    menu: &'static str,
    label: &'static str,
    keys: &'static [KeyboardShortcut],
    help: &'static str,
) -> CommandInfo {
    CommandInfo { action, label, menu, keys, help }
}

/// Menus in their order.
pub const MENUS: &[&str] = &["File", "Edit", "Simulation", "View", "Panels", "Help"];

/// Every command: menus, keys, help window and tests read this list.
pub const COMMANDS: &[CommandInfo] = &[
    row(Action::New, "File", "New", &[ctrl(Key::N)], "Start an empty scene."),
    row(Action::Open, "File", "Open…", &[ctrl(Key::O), ctrl(Key::L)], "Open a scene or a level file."),
    row(Action::Save, "File", "Save", &[ctrl(Key::S)], "Save the scene; the previous version is kept beside it."),
    row(Action::SaveAs, "File", "Save as…", &[ctrl_shift(Key::S)], "Save the scene under another name."),
    row(
        Action::ExportPicture,
        "File",
        "Export image…",
        &[ctrl(Key::E)],
        "Write what the viewport shows as an image (PNG).",
    ),
    row(
        Action::ExportTurntable,
        "File",
        "Export turntable…",
        &[],
        "Write pictures of a turn round what is selected, or round all there is, as numbered files.",
    ),
    row(
        Action::ExportFrames,
        "File",
        "Export frames…",
        &[],
        "Write the frames of the running scene as numbered files, each at its exact time.",
    ),
    row(
        Action::Recover,
        "File",
        "Restore unsaved work…",
        &[],
        "Open what a run left unsaved that ended without a word.",
    ),
    row(Action::Quit, "File", "Quit", &[ctrl(Key::Q)], "End Walkabout; asks when changes are not saved."),
    row(Action::Undo, "Edit", "Undo", &[ctrl(Key::Z)], "Take the last edit back."),
    row(Action::Redo, "Edit", "Redo", &[ctrl(Key::Y), ctrl_shift(Key::Z)], "Do the edit again that was taken back."),
    row(
        Action::Duplicate,
        "Edit",
        "Duplicate",
        &[ctrl(Key::D)],
        "Put a copy of what is selected beside it: instances, or the camera.",
    ),
    row(
        Action::Delete,
        "Edit",
        "Delete",
        &[plain(Key::Delete)],
        "Remove what is selected, or what a tool of the workbench has picked.",
    ),
    row(Action::Cut, "Edit", "Cut", &[ctrl(Key::X)], "Copy what is selected as text, and remove it."),
    row(Action::Copy, "Edit", "Copy", &[ctrl(Key::C)], "Copy what is selected, with its models, as text."),
    row(
        Action::Paste,
        "Edit",
        "Paste",
        &[ctrl(Key::V)],
        "Add the instances that were copied, here or in another scene.",
    ),
    row(
        Action::Rename,
        "Edit",
        "Rename",
        &[plain(Key::F2)],
        "Type another name for the selected camera or instance, in the outliner.",
    ),
    row(Action::SelectAll, "Edit", "Select all", &[ctrl(Key::A)], "Select every instance."),
    row(
        Action::CreateMany,
        "Edit",
        "Create many…",
        &[ctrl(Key::M)],
        "Create many instances at once: scattered on the ground, at random, or in a grid.",
    ),
    row(Action::Drop, "Edit", "Drop on ground", &[plain(Key::G)], "Put what is selected onto the ground below it."),
    row(Action::LineUpX, "Edit", "Line up along X", &[], "Bring all that is selected to the Z of the last one."),
    row(Action::LineUpZ, "Edit", "Line up along Z", &[], "Bring all that is selected to the X of the last one."),
    row(Action::TurnAlike, "Edit", "Turn alike", &[], "Turn all that is selected as the last one is turned."),
    row(
        Action::LocalAxes,
        "Edit",
        "Handles along own axes",
        &[plain(Key::X)],
        "Let the handles lie along the axes of what is selected, or of the world.",
    ),
    row(
        Action::MiddleDragMoves,
        "Edit",
        "Middle drag moves",
        &[plain(Key::Num1)],
        "Let drags with the middle button move what is selected over the ground; with Shift, up and down.",
    ),
    row(
        Action::MiddleDragTurns,
        "Edit",
        "Middle drag turns",
        &[plain(Key::Num2)],
        "Let drags with the middle button tilt what is selected; with Shift, turn it about the up axis.",
    ),
    row(
        Action::MiddleDragScales,
        "Edit",
        "Middle drag scales",
        &[plain(Key::Num3)],
        "Let drags with the middle button make what is selected larger or smaller.",
    ),
    row(
        Action::CloseOutline,
        "Edit",
        "Close outline",
        &[plain(Key::Enter)],
        "Place what the corners span that a tool of the workbench has drawn.",
    ),
    row(
        Action::Escape,
        "Edit",
        "Deselect",
        &[plain(Key::Escape)],
        "Close notices, else leave the tool, else leave view mode, else select nothing.",
    ),
    row(
        Action::PlayPause,
        "Simulation",
        "Play / pause",
        &[plain(Key::Space), plain(Key::K)],
        "Run or hold the simulation. K does so in view mode too, where Space jumps.",
    ),
    row(Action::Step, "Simulation", "Single step", &[plain(Key::Period)], "Advance by a sixtieth of a second."),
    row(
        Action::Restart,
        "Simulation",
        "Restart",
        &[ctrl(Key::R)],
        "Put all instances back to where the scene has them.",
    ),
    row(
        Action::Bake,
        "Simulation",
        "Bake navigation mesh",
        &[plain(Key::B)],
        "Bake the navigation mesh from the level, and show it; one that is up to date is not baked again.",
    ),
    row(
        Action::CompareMesh,
        "Simulation",
        "Compare navigation mesh…",
        &[],
        "Choose the file of another navigation mesh, and show what differs: polygons, islands, paths.",
    ),
    row(Action::Focus, "View", "Focus selection", &[plain(Key::F)], "Bring the camera to the selected instance."),
    row(Action::FrameAll, "View", "Show all", &[plain(Key::Home)], "Bring the camera to where everything is seen."),
    row(
        Action::FocusTarget,
        "View",
        "Centre on target",
        &[shift(Key::F)],
        "Bring the camera to what the selected instance walks to.",
    ),
    row(
        Action::PreviousCamera,
        "View",
        "Previous camera",
        &[plain(Key::OpenBracket)],
        "Look through the camera before.",
    ),
    row(Action::NextCamera, "View", "Next camera", &[plain(Key::CloseBracket)], "Look through the next camera."),
    row(
        Action::PreviousFinding,
        "View",
        "Previous finding",
        &[plain(Key::PageUp)],
        "Bring the camera to what the doctor found before, or to the difference from another mesh before.",
    ),
    row(
        Action::NextFinding,
        "View",
        "Next finding",
        &[plain(Key::PageDown)],
        "Bring the camera to the next thing that the doctor found, or to the next difference from another mesh.",
    ),
    row(Action::ViewFront, "View", "From the front", &[plain(NUMPAD_1)], "Look at the scene along -Z, onto faces."),
    row(Action::ViewBack, "View", "From behind", &[ctrl(NUMPAD_1)], "Look at the scene along +Z."),
    row(Action::ViewRight, "View", "From the right", &[plain(NUMPAD_3)], "Look at the scene along -X."),
    row(Action::ViewLeft, "View", "From the left", &[ctrl(NUMPAD_3)], "Look at the scene along +X."),
    row(
        Action::ViewTop,
        "View",
        "From above",
        &[plain(NUMPAD_7)],
        "Look straight down: the plan, with +X to the right.",
    ),
    row(Action::ViewBottom, "View", "From below", &[ctrl(NUMPAD_7)], "Look straight up."),
    row(
        Action::Orthographic,
        "View",
        "Orthographic",
        &[plain(NUMPAD_5)],
        "Show what is far away as large as what is near, without perspective, or with it again.",
    ),
    row(
        Action::CameraPreview,
        "View",
        "Camera preview",
        &[],
        "Show or hide the preview of the camera that is selected in the outliner.",
    ),
    row(Action::Fullscreen, "View", "Full screen", &[plain(Key::F11)], "Fill the screen, or leave it."),
    row(
        Action::ViewMode,
        "View",
        "View mode",
        &[plain(Key::F10)],
        "Switch from edit mode to view mode, where no panel hides the picture and the camera watches the selected \
         instance, and back.",
    ),
    row(
        Action::Workbench,
        "Panels",
        "Navigation workbench",
        &[plain(Key::F7)],
        "Switch the panel on the right between the scene and the navigation workbench.",
    ),
    row(
        Action::BehaviorEditor,
        "Panels",
        "Behaviour editor",
        &[plain(Key::F6)],
        "Show or hide the graphs of the behaviour templates.",
    ),
    row(
        Action::Animation,
        "Panels",
        "Animation",
        &[plain(Key::F3)],
        "Show or hide the clips, actions and bones of the selected model, with a player.",
    ),
    row(
        Action::Assets,
        "Panels",
        "Assets",
        &[plain(Key::F12)],
        "Show or hide the models that can be put into the scene, as pictures.",
    ),
    row(
        Action::Doctor,
        "Panels",
        "Doctor",
        &[shift(Key::F7)],
        "Show or hide what is wrong with the level and its navigation, and how to mend it.",
    ),
    row(
        Action::Differences,
        "Panels",
        "Differences",
        &[shift(Key::F8)],
        "Show or hide what differs between the navigation mesh and another one, or how it was.",
    ),
    row(
        Action::Map,
        "Panels",
        "Map",
        &[plain(Key::F5)],
        "Show or hide the ground from above, with all instances on it.",
    ),
    row(Action::History, "Panels", "History", &[plain(Key::F4)], "Show or hide the steps of this session."),
    row(Action::Profiler, "Panels", "Profiler", &[plain(Key::F9)], "Show or hide where the time of a frame goes."),
    row(Action::Log, "Panels", "Log", &[plain(Key::F8)], "Show or hide all notices of this run."),
    row(Action::ResetLayout, "Panels", "Reset layout", &[], "Put all panels where they were at the first start."),
    row(
        Action::Palette,
        "Help",
        "Find a command…",
        &[ctrl(Key::P)],
        "Find commands, tools, overlays and cameras by a few letters of their names, or by what they do.",
    ),
    row(Action::Help, "Help", "Keys and mouse", &[plain(Key::F1)], "Show or hide this list."),
    row(
        Action::Guide,
        "Help",
        "Guide",
        &[shift(Key::F1)],
        "Show or hide a tour from an empty window to a saved scene.",
    ),
    row(Action::Welcome, "Help", "Welcome…", &[], "Show or hide samples, recent files and the first steps."),
    row(
        Action::ReportProblem,
        "Help",
        "Report a problem…",
        &[],
        "Write the log and the facts about graphics and scene into a file that can be sent.",
    ),
    row(Action::About, "Help", "About Walkabout", &[], "Show or hide version and license."),
];

/// The row of an action.
pub fn info(action: Action) -> &'static CommandInfo {
    COMMANDS.iter().find(|row| row.action == action).unwrap_or(&COMMANDS[0])
}

impl CommandInfo {
    /// Its first key combination for people; empty without one.
    pub fn key_text(&self, ctx: &egui::Context) -> String {
        self.keys.first().map(|key| key_text(ctx, key)).unwrap_or_default()
    }
}

/// What a command does and its first keys, as a tooltip says it.
pub fn tip(ctx: &egui::Context, action: Action) -> String {
    with_keys(ctx, info(action).help, action)
}

/// A tooltip's own words about a command, and its first keys behind them: "Remove it (Del)".
pub fn with_keys(ctx: &egui::Context, help: &str, action: Action) -> String {
    let keys = info(action).key_text(ctx);
    if keys.is_empty() { help.to_owned() } else { format!("{help} ({keys})") }
}

/// A shortcut as people read it: `Ctrl+S`, and `[` in place of a key's long name.
pub fn key_text(ctx: &egui::Context, shortcut: &KeyboardShortcut) -> String {
    let key = shortcut.logical_key;
    let text = ctx.format_shortcut(shortcut);
    if let Some((_, digit)) = NUMPAD.iter().find(|(other, _)| *other == key) {
        return text.replace(key.name(), &format!("Num {digit}"));
    }
    if key.symbol_or_name().is_ascii() { text.replace(key.name(), key.symbol_or_name()) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn actions_labels_and_keys_are_unique_and_explained() {
        let mut actions = HashSet::new();
        let mut keys = HashSet::new();
        for row in COMMANDS {
            assert!(actions.insert(row.action), "{:?} stands twice", row.action);
            assert!(MENUS.contains(&row.menu), "{} is in no menu", row.label);
            assert!(row.help.ends_with('.'), "{} is not explained", row.label);
            assert_eq!(info(row.action).label, row.label);
            for key in row.keys {
                assert!(keys.insert(format!("{key:?}")), "{key:?} is taken twice");
            }
        }
    }

    #[test]
    fn keys_of_the_number_pad_are_called_so() {
        let ctx = egui::Context::default();
        assert_eq!(info(Action::ViewTop).key_text(&ctx), "Num 7");
        assert_eq!(info(Action::ViewBottom).key_text(&ctx), "Ctrl+Num 7");
        assert_eq!((numpad_key(5), numpad_key(2)), (Some(NUMPAD_5), None));
    }
}
