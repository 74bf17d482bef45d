//! The command palette: everything that can be asked for, found by a few letters.

use super::cameras::NEW_HELP;
use super::environment::{PRESETS, set_light};
use crate::asset::level_guess::looks_like_level;
use crate::disk::has_extension;
use crate::inspect::overlays::OVERLAYS;
use crate::scene::file::is_scene_file;
use crate::ui::command::{AUTOMATIC_QUALITY, Action, COMMANDS, Command};
use crate::ui::creation::{Creation, Spread};
use crate::ui::dialogs::MODEL_EXTENSIONS;
use crate::ui::names::without_extension;
use crate::ui::nav_tools::{TOOLS, Tool};
use crate::ui::{UiContext, edits, samples, synonyms, typed_ahead};
use crate::vocab::{DayPreset, Quality};
use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Key, Modifiers, RichText, ScrollArea, TextEdit, Ui, Window};
use std::path::Path;

/// Most rows that are shown.
const MAX_ROWS: usize = 60;

/// What the palette remembers while it is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// What was typed.
    pub text: String,
    /// The row that Enter takes.
    row: usize,
    /// Whether the field has had the keyboard.
    focused: bool,
}

/// What a row does.
#[derive(Clone, Debug)]
enum PaletteAction {
    Run(Command),
    Tool(Tool),
}

struct PaletteRow {
    label: String,
    /// The heading under which panels show it; it is found by this too.
    section: &'static str,
    keys: String,
    help: &'static str,
    action: PaletteAction,
}

impl PaletteRow {
    /// A row that runs a command, without keys.
    fn new(section: &'static str, label: impl Into<String>, help: &'static str, command: Command) -> Self {
        let action = PaletteAction::Run(command);
        Self { label: label.into(), section, keys: String::new(), help, action }
    }
}

/// Draws the palette while it is open. Returns the tool that was chosen.
pub fn show(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    open: &mut Option<Palette>,
    creation: &Creation,
    out: &mut Vec<Command>,
) -> Option<Tool> {
    let palette = open.as_mut()?;
    let context = ui.ctx().clone();
    let (up, down, enter, escape) = context.input_mut(|input| {
        let again = input.consume_key(Modifiers::COMMAND, Key::P);
        let mut taken = |key| input.consume_key(Modifiers::NONE, key);
        (taken(Key::ArrowUp), taken(Key::ArrowDown), taken(Key::Enter), taken(Key::Escape) || again)
    });
    let mut chosen = None;
    let size = [440.0_f32.min(context.content_rect().width() - 40.0), 320.0];
    let was_open = palette.focused;
    let window = Window::new("Commands")
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_TOP, [0.0, 60.0])
        .fixed_size(size)
        .show(&context, |ui| {
            let is_new = !std::mem::replace(&mut palette.focused, true);
            if is_new {
                palette.text += &typed_ahead::take(ui.ctx());
            }
            let end = CCursor::new(palette.text.chars().count());
            let field = TextEdit::singleline(&mut palette.text).hint_text("What do you want to do?");
            let mut output = field.desired_width(f32::INFINITY).show(ui);
            let field = output.response.response.clone();
            if is_new {
                output.state.cursor.set_char_range(Some(CCursorRange::one(end)));
                output.state.store(ui.ctx(), field.id);
                field.request_focus();
            }
            if field.changed() {
                palette.row = 0;
            }
            let rows = found(ui, cx, &palette.text, creation);
            palette.row = moved(palette.row, usize::from(down), usize::from(up), rows.len());
            if rows.is_empty() {
                ui.weak("Nothing has such a name or explanation.");
            }
            ScrollArea::vertical().max_height(size[1] - 40.0).auto_shrink(false).show(ui, |ui| {
                for (i, row) in rows.into_iter().enumerate() {
                    let text = RichText::new(row.label);
                    let button =
                        egui::Button::selectable(i == palette.row, text).right_text(RichText::new(row.keys).weak());
                    let response = ui.add_sized([ui.available_width(), 22.0], button).on_hover_text(row.help);
                    if i == palette.row && (up || down) {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() || (enter && i == palette.row) {
                        chosen = Some(row.action);
                    }
                }
            });
        });
    // A click beside it takes the keyboard from its field.
    let left = was_open && window.is_some_and(|window| window.response.clicked_elsewhere());
    if chosen.is_some() || escape || left {
        *open = None;
    }
    match chosen {
        Some(PaletteAction::Tool(tool)) => return Some(tool),
        Some(PaletteAction::Run(command)) => out.push(command),
        None => {}
    }
    None
}

/// The row after going down and up, round at the ends.
fn moved(row: usize, down: usize, up: usize, count: usize) -> usize {
    if count == 0 { 0 } else { (row.min(count - 1) + down + count - up) % count }
}

/// All that fits the text, the best first.
fn found(ui: &Ui, cx: &UiContext<'_>, text: &str, creation: &Creation) -> Vec<PaletteRow> {
    let files = files(ui, text);
    if !files.is_empty() {
        return files;
    }
    let commands = COMMANDS.iter().filter(|row| row.action != Action::Palette).map(|row| {
        let label = format!("{}: {}", row.menu, row.label);
        let found = PaletteRow::new(row.menu, label, row.help, Command::Run(row.action));
        PaletteRow { keys: row.key_text(ui.ctx()), ..found }
    });
    let overlays = OVERLAYS.iter().map(|overlay| {
        let on = cx.overlays.contains(&overlay.layer);
        let label = format!("{}: {}", if on { "Hide" } else { "Show" }, overlay.label);
        PaletteRow::new(overlay.group, label, overlay.help, Command::Overlay(overlay.layer, !on))
    });
    let tools = TOOLS.iter().map(|info| PaletteRow {
        label: format!("Tool: {}", info.label),
        section: "Navigation workbench",
        keys: String::new(),
        help: info.help,
        action: PaletteAction::Tool(info.tool),
    });
    let cameras = cx.scene.cameras.iter().map(|(id, camera)| {
        let label = format!("Camera: {}", camera.name);
        PaletteRow::new("View", label, "Look through this camera.", Command::UseCamera(id))
    });
    let lights = PRESETS.into_iter().map(|preset| light(cx, preset));
    let all =
        commands.chain(others()).chain(lights).chain(tools).chain(overlays).chain(cameras).chain(models(cx, creation));
    let mut fitting: Vec<(u32, PaletteRow)> = all.filter_map(|row| Some((distance(text, &row)?, row))).collect();
    fitting.sort_by_key(|(score, _)| *score);
    fitting.into_iter().take(MAX_ROWS).map(|(_, row)| row).collect()
}

/// The light of a time of day.
fn light(cx: &UiContext<'_>, preset: DayPreset) -> PaletteRow {
    let help = "Sets direction, strength and colour of the light.";
    let command = set_light(&cx.scene.settings, preset);
    PaletteRow::new("Environment", format!("Light: {}", preset.label()), help, command)
}

/// What has buttons and no commands of its own.
fn others() -> impl Iterator<Item = PaletteRow> {
    let row = |label: &str, help, command| PaletteRow::new("View", label, help, command);
    let qualities = Quality::ALL.map(|level| {
        PaletteRow::new("View", format!("Quality: {}", level.label()), level.help(), Command::Quality(Some(level)))
    });
    [
        row("View: Dark theme", "Light text on dark ground, in all panels.", Command::Theme(egui::Theme::Dark)),
        row("View: Light theme", "Dark text on light ground, in all panels.", Command::Theme(egui::Theme::Light)),
        row("Quality: Automatic", AUTOMATIC_QUALITY, Command::Quality(None)),
        row("Camera: New", NEW_HELP, Command::NewCamera),
    ]
    .into_iter()
    .chain(qualities)
    .chain(samples::SAMPLES.iter().map(|sample| {
        PaletteRow::new("File", format!("Sample: {}", sample.title), sample.help, Command::OpenSample(sample.file))
    }))
}

/// What lies at a path that was typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypedFile {
    Level,
    Model,
    Scene,
}

impl TypedFile {
    /// What a file is told to be by its name and its beginning; `None` where there is no such file.
    fn at(path: &Path) -> Option<Self> {
        if !path.is_file() {
            None
        } else if has_extension(path, MODEL_EXTENSIONS) {
            Some(if looks_like_level(path) { Self::Level } else { Self::Model })
        } else {
            is_scene_file(path).then_some(Self::Scene)
        }
    }
}

/// What can be done with a file whose path was typed.
fn files(ui: &Ui, text: &str) -> Vec<PaletteRow> {
    let path = Path::new(text.trim());
    // The disk is asked when the text has changed, and not in every frame.
    let id = egui::Id::new("typed file");
    let known: Option<(String, Option<TypedFile>)> = ui.data(|data| data.get_temp(id));
    let known = known.filter(|(of, _)| of == text).map(|(_, kind)| kind);
    let kind = known.unwrap_or_else(|| {
        let kind = TypedFile::at(path);
        ui.data_mut(|data| data.insert_temp(id, (text.to_owned(), kind)));
        kind
    });
    let row = |what, help, command| PaletteRow::new("File", format!("{what}: {}", path.display()), help, command);
    match kind {
        None => Vec::new(),
        Some(TypedFile::Scene) => vec![row("Open", "Open this scene.", Command::Open(path.into()))],
        Some(likelier) => {
            let mut rows = vec![
                row("Add as model", "A character or thing, with one instance.", Command::AddModel(path.into(), None)),
                row("Add as level", "Ground and walls of this scene.", Command::AddLevel(path.into())),
                row("New scene with level", "Open it as the level of a new scene.", Command::OpenLevel(path.into())),
            ];
            // The likelier comes first.
            rows[..2].rotate_left(usize::from(likelier == TypedFile::Level));
            rows
        }
    }
}

/// What can be done with the models of the scene: put one or many into it, let them be walked to.
fn models<'a>(cx: &'a UiContext<'_>, creation: &'a Creation) -> impl Iterator<Item = PaletteRow> + 'a {
    cx.scene.models.iter().flat_map(move |(id, model)| {
        let name = without_extension(&model.name);
        let row = |label: String, help, command| PaletteRow::new("Model", label, help, command);
        let mut to = (**model).clone();
        to.is_nav_target = !model.is_nav_target;
        let (verb, what) = if to.is_nav_target { ("Can", "make") } else { ("Cannot", "no longer make") };
        let switch = edits::set_model(format!("{what} {name} a target"), id, "target", to);
        let mut rows = vec![
            row(format!("Place: {name}"), "Put an instance of this model into the viewport.", Command::Place(id)),
            row(format!("{verb} be walked to: {name}"), "Whether characters can be sent to this model.", switch),
        ];
        rows.extend(Spread::ALL.into_iter().filter(|spread| *spread != Spread::Path).map(|spread| {
            let wanted = Creation { model: Some(id), spread, walk: true, ..creation.clone() };
            let label = format!("Create {} of {name}: {}", wanted.count, spread.label());
            row(label, spread.help(), Command::CreateMany(Box::new(wanted)))
        }));
        rows
    })
}

/// Distance of what is found by its explanation: behind names that fit, before those that merely hold the letters
/// somewhere.
const EXPLAINED: u32 = 15;

/// Distance of what is found by a synonym: behind names that begin so.
const SYNONYM: u32 = 2;
/// Fewest letters by which a synonym is found.
const MIN_SYNONYM: usize = 2;

/// How far a row is from what was typed: by its name, or by its section and explanation, in which every word that was
/// typed has to begin one.
fn distance(text: &str, row: &PaletteRow) -> Option<u32> {
    let named = score(text, &row.label);
    if text.len() >= MIN_SYNONYM && synonyms::fit(text, &row.label) {
        return Some(named.map_or(SYNONYM, |far| far.min(SYNONYM)));
    }
    if named.is_some_and(|far| far < EXPLAINED) {
        return named;
    }
    let all = format!("{} {} {}", row.label, row.section, row.help).to_lowercase();
    let words: Vec<&str> = all.split(|c: char| !c.is_alphanumeric()).collect();
    let typed = text.to_lowercase();
    let begins = |typed: &str| words.iter().any(|word| word.starts_with(typed));
    if typed.split_whitespace().all(begins) { Some(EXPLAINED) } else { named }
}

/// How far a label is from what was typed: every letter has to come in its order; letters that begin a word or follow
/// the one before are nearest. `None` when it does not fit.
fn score(text: &str, label: &str) -> Option<u32> {
    let label: Vec<char> = label.to_lowercase().chars().collect();
    let (mut at, mut sum) = (0, 0);
    for c in text.to_lowercase().chars().filter(|c| !c.is_whitespace()) {
        let starts = |i: usize| i == 0 || !label[i - 1].is_alphanumeric();
        let fits = |i: &usize| label[*i] == c;
        let next = Some(at).filter(|i| *i > 0 && *i < label.len() && fits(i));
        let begin = || (at..label.len()).find(|i| fits(i) && starts(*i));
        let (i, cost) = match next.or_else(begin) {
            Some(i) if i == at => (i, 0),
            Some(i) => (i, 1),
            None => ((at..label.len()).find(fits)?, 8),
        };
        (at, sum) = (i + 1, sum + cost);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_words_and_runs_of_letters_come_first() {
        let best = |text: &str, labels: &[&str]| {
            let fit = labels.iter().filter_map(|l| Some((score(text, l)?, (*l).to_owned())));
            fit.min().map(|(_, l)| l)
        };
        let labels = ["File: Save", "File: Save as…", "Show: Skeleton", "View: Fill the screen", "Edit: Undo"];
        assert_eq!(best("sav", &labels).as_deref(), Some("File: Save"));
        assert_eq!(best("fs", &labels).as_deref(), Some("File: Save"));
        assert_eq!(best("undo", &labels).as_deref(), Some("Edit: Undo"));
        assert_eq!(best("SKEL", &labels).as_deref(), Some("Show: Skeleton"));
        assert_eq!(best("xyz", &labels), None);
        assert!(labels.iter().all(|l| score("", l) == Some(0)));
    }

    #[test]
    fn a_typed_path_offers_what_its_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| TypedFile::at(&folder.path().join(name));
        for name in ["yard.acfg", "man.glb", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert!(at("yard.acfg") == Some(TypedFile::Scene) && at("man.glb") == Some(TypedFile::Model));
        assert!(at("notes.txt").is_none() && at("gone.acfg").is_none() && at("").is_none());
    }

    #[test]
    fn what_no_name_fits_is_found_by_section_and_explanation() {
        let row = |label: &str, section, help| PaletteRow {
            label: label.into(),
            section,
            keys: String::new(),
            help,
            action: PaletteAction::Tool(Tool::None),
        };
        let shot = row("File: Export image…", "File", "Write what the viewport shows as an image (PNG).");
        assert_eq!(distance("viewport", &shot), Some(EXPLAINED));
        assert_eq!(distance("screensh", &shot), Some(SYNONYM), "by another word for it");
        let scattered = row("Show: Paths, nodes, ground", "Paths", "");
        assert!(distance("png", &scattered).is_some_and(|far| far < EXPLAINED), "they begin words");
        let scattered = row("Open change", "", "");
        assert!(distance("png", &scattered).is_some_and(|far| far > EXPLAINED), "letters somewhere in it");
        assert!(distance("image", &shot).is_some_and(|far| far < EXPLAINED));
        assert!(distance("shows imag", &shot).is_some(), "every word begins one");
        assert_eq!(distance("iewport", &shot), None, "in the middle of a word it means nothing");
        let bones = row("Show: Skeleton", "Animation", "Lines from joint to joint.");
        assert!(distance("animation joint", &bones).is_some());
        assert_eq!(distance("animation walls", &bones), None);
    }

    #[test]
    fn arrows_go_round() {
        assert_eq!([moved(0, 1, 0, 3), moved(2, 1, 0, 3), moved(0, 0, 1, 3), moved(9, 0, 0, 3)], [1, 0, 2, 2]);
        assert_eq!(moved(5, 1, 1, 0), 0);
    }
}
