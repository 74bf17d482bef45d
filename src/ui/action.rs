//! The commands without arguments, and the one table of them behind menus, keys and help.

use egui::{Key, KeyboardShortcut, Modifiers};

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

/// Makes [`Action`], [`MENUS`] and [`COMMANDS`] of one table. A menu holds rows of: the action, its label, its keys (the
/// first is shown), and one sentence of help.
macro_rules! commands {
    ($($menu:literal { $($action:ident $label:literal [$($key:expr),*] $help:literal;)+ })+) => {
        /// The commands without arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action { $($(#[doc = $help] $action,)+)+ }

        /// Menus in their order.
        pub const MENUS: &[&str] = &[$($menu,)+];

        /// Every command: menus, keys, help window and tests read this list.
        pub const COMMANDS: &[CommandInfo] = &[$($(CommandInfo {
            action: Action::$action,
            label: $label,
            menu: $menu,
            keys: &[$($key,)*],
            help: $help,
        },)+)+];
    };
}

commands! {
    "File" {
        New "New" [ctrl(Key::N)] "Start an empty scene.";
        Open "Open…" [ctrl(Key::O), ctrl(Key::L)] "Open a scene, a model, a level or a navigation mesh.";
        Save "Save" [ctrl(Key::S)] "Save the scene; the previous version is kept beside it.";
        SaveAs "Save as…" [ctrl_shift(Key::S)] "Save the scene under another name.";
        ExportPicture "Export image…" [ctrl(Key::E)] "Write what the viewport shows as an image (PNG).";
        ExportTurntable "Export turntable…" []
            "Write pictures of a turn round what is selected, or round all there is, as numbered files.";
        ExportFrames "Export frames…" []
            "Write the frames of the running scene as numbered files, each at its exact time.";
        Recover "Restore unsaved work…" [] "Open what a run left unsaved that ended without a word.";
        Quit "Quit" [ctrl(Key::Q)] "End Walkabout; asks when changes are not saved.";
    }
    "Edit" {
        Undo "Undo" [ctrl(Key::Z)] "Take the last edit back.";
        Redo "Redo" [ctrl(Key::Y), ctrl_shift(Key::Z)] "Do the edit again that was taken back.";
        Duplicate "Duplicate" [ctrl(Key::D)] "Put a copy of what is selected beside it: instances, or the camera.";
        Delete "Delete" [plain(Key::Delete)] "Remove what is selected, or what a tool of the workbench has picked.";
        Cut "Cut" [ctrl(Key::X)] "Copy what is selected as text, and remove it.";
        Copy "Copy" [ctrl(Key::C)] "Copy what is selected, with its models, as text.";
        Paste "Paste" [ctrl(Key::V)] "Add the instances that were copied, here or in another scene.";
        Rename "Rename" [plain(Key::F2)] "Type another name for the selected camera or instance, in the outliner.";
        SelectAll "Select all" [ctrl(Key::A)] "Select every instance.";
        CreateMany "Create many…" [ctrl(Key::M)]
            "Create many instances at once: scattered on the ground, at random, in a grid, or along a path.";
        Drop "Drop on ground" [plain(Key::G)] "Put what is selected onto the ground below it.";
        LineUpX "Line up along X" [] "Bring all that is selected to the Z of the last one.";
        LineUpZ "Line up along Z" [] "Bring all that is selected to the X of the last one.";
        TurnAlike "Turn alike" [] "Turn all that is selected as the last one is turned.";
        LocalAxes "Handles along own axes" [plain(Key::X)]
            "Let the handles lie along the axes of what is selected, or of the world.";
        MiddleDragMoves "Middle drag moves" [plain(Key::Num1)]
            "Let drags with the middle button move what is selected over the ground; with Shift, up and down.";
        MiddleDragTurns "Middle drag turns" [plain(Key::Num2)]
            "Let drags with the middle button tilt what is selected; with Shift, turn it about the up axis.";
        MiddleDragScales "Middle drag scales" [plain(Key::Num3)]
            "Let drags with the middle button make what is selected larger or smaller.";
        CloseOutline "Close outline" [plain(Key::Enter)]
            "Place what the corners span that a tool of the workbench has drawn.";
        Escape "Deselect" [plain(Key::Escape)]
            "Close notices, else leave the tool, else leave view mode, else select nothing.";
    }
    "Simulation" {
        PlayPause "Play / pause" [plain(Key::Space), plain(Key::K)]
            "Run or hold the simulation. K does so in view mode too, where Space jumps.";
        Step "Single step" [plain(Key::Period)] "Advance by a sixtieth of a second.";
        Restart "Restart" [ctrl(Key::R)] "Put all instances back to where the scene has them.";
        WalkHere "Walk here…" [plain(Key::T)]
            "Send the selected characters where you click, until the tool is left (Escape).";
        Bake "Bake navigation mesh" [plain(Key::B)]
            "Bake the navigation mesh from the level, and show it; one that is up to date is not baked again.";
        CompareMesh "Compare navigation mesh…" []
            "Choose the file of another navigation mesh, and show what differs: polygons, islands, paths.";
    }
    "View" {
        Focus "Focus selection" [plain(Key::F)] "Bring the camera to all that is selected.";
        FrameAll "Show all" [plain(Key::Home)] "Bring the camera to where everything is seen.";
        FocusTarget "Centre on target" [shift(Key::F)] "Bring the camera to what the selected instance walks to.";
        PreviousCamera "Previous camera" [plain(Key::OpenBracket)] "Look through the camera before.";
        NextCamera "Next camera" [plain(Key::CloseBracket)] "Look through the next camera.";
        PreviousFinding "Previous finding" [plain(Key::PageUp)]
            "Bring the camera to what the doctor found before, or to the difference from another mesh before.";
        NextFinding "Next finding" [plain(Key::PageDown)]
            "Bring the camera to the next thing that the doctor found, or to the next difference from another mesh.";
        ViewFront "From the front" [plain(NUMPAD_1)] "Look at the scene along -Z, onto faces.";
        ViewBack "From behind" [ctrl(NUMPAD_1)] "Look at the scene along +Z.";
        ViewRight "From the right" [plain(NUMPAD_3)] "Look at the scene along -X.";
        ViewLeft "From the left" [ctrl(NUMPAD_3)] "Look at the scene along +X.";
        ViewTop "From above" [plain(NUMPAD_7)] "Look straight down: the plan, with +X to the right.";
        ViewBottom "From below" [ctrl(NUMPAD_7)] "Look straight up.";
        Orthographic "Orthographic" [plain(NUMPAD_5)]
            "Show what is far away as large as what is near, without perspective, or with it again.";
        CameraPreview "Camera preview" [] "Show or hide the preview of the camera that is selected in the outliner.";
        Fullscreen "Full screen" [plain(Key::F11)] "Fill the screen, or leave it.";
        ViewMode "View mode" [plain(Key::F10)]
            "Switch from edit mode to view mode, where no panel hides the picture and the camera watches the \
             selected instance, and back.";
    }
    "Panels" {
        Workbench "Navigation workbench" [plain(Key::F7)]
            "Switch the panel on the right between the scene and the navigation workbench.";
        BehaviorEditor "Behaviour editor" [plain(Key::F6)] "Show or hide the graphs of the behaviour templates.";
        Animation "Animation" [plain(Key::F3)]
            "Show or hide the clips, actions and bones of the selected model, with a player.";
        Assets "Assets" [plain(Key::F12)] "Show or hide the models that can be put into the scene, as pictures.";
        Doctor "Doctor" [shift(Key::F7)]
            "Show or hide what is wrong with the level and its navigation, and how to mend it.";
        Differences "Differences" [shift(Key::F8)]
            "Show or hide what differs between the navigation mesh and another one, or how it was.";
        Map "Map" [plain(Key::F5)] "Show or hide the ground from above, with all instances on it.";
        History "History" [plain(Key::F4)] "Show or hide the steps of this session.";
        Profiler "Profiler" [plain(Key::F9)] "Show or hide where the time of a frame goes.";
        Log "Log" [plain(Key::F8)] "Show or hide all notices of this run.";
        ResetLayout "Reset layout" [] "Put all panels where they were at the first start.";
    }
    "Help" {
        Palette "Find a command…" [ctrl(Key::P)]
            "Find commands, tools, overlays and cameras by a few letters of their names, or by what they do.";
        Help "Keys and mouse" [plain(Key::F1)] "Show or hide this list.";
        Guide "Guide" [shift(Key::F1)] "Show or hide a tour from an empty window to a saved scene.";
        Welcome "Welcome…" [] "Show or hide samples, recent files and the first steps.";
        ReportProblem "Report a problem…" []
            "Write the log and the facts about graphics and scene into a file that can be sent.";
        About "About Walkabout" [] "Show or hide version and license.";
    }
}

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
