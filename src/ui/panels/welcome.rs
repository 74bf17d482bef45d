//! The welcome window: samples, recent files, and the first steps.

use crate::asset::Image;
use crate::disk::name_of;
use crate::ui::UiContext;
use crate::ui::command::{Action, Command, Purpose, info};
use crate::ui::samples::{SAMPLES, Sample};
use crate::ui::theme::color;
use egui::{Align2, Button, ColorImage, Key, RichText, Sense, TextureHandle, Ui, Window, vec2};
use std::path::PathBuf;

/// Size of a sample's picture, points.
const PICTURE: egui::Vec2 = vec2(208.0, 117.0);
/// Most recent files that are listed.
const MAX_RECENT: usize = 4;

/// The window and the pictures in it.
#[derive(Clone, Default)]
pub struct Welcome {
    /// Whether it is shown.
    pub open: bool,
    /// Pictures of the samples, made when they are first shown.
    pictures: Vec<Option<TextureHandle>>,
    /// Whether something had the keyboard in the last frame.
    had_focus: bool,
}

/// Room that it takes, points.
const NEEDED: egui::Vec2 = vec2(3.0 * PICTURE.x + 60.0, 540.0);

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, welcome: &mut Welcome, out: &mut Vec<Command>) {
    if !welcome.open || cx.question.is_some() {
        return;
    }
    if welcome.pictures.is_empty() {
        welcome.pictures = SAMPLES.iter().map(|sample| load(ui, sample)).collect();
    }
    // Tab begins with the samples, and not with the menus behind.
    let begins = !welcome.had_focus && ui.input(|input| input.key_pressed(Key::Tab));
    let mut open = true;
    let before = out.len();
    // In small windows it is scrolled.
    let room = ui.ctx().content_rect().size() - vec2(24.0, 64.0);
    Window::new("Welcome to Walkabout")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .max_size(room)
        .scroll([room.x < NEEDED.x, room.y < NEEDED.y])
        .show(ui.ctx(), |ui| {
            ui.set_width(3.0 * PICTURE.x + 2.0 * 12.0);
            ui.label("A workbench for characters that find their way: bake a navigation mesh, try paths, send crowds.");
            ui.add_space(8.0);
            ui.strong("Look at a sample");
            samples(ui, &welcome.pictures, begins, out);
            ui.add_space(8.0);
            ui.columns(2, |columns| {
                begin(&mut columns[0], cx, out);
                first_steps(&mut columns[1]);
            });
            ui.add_space(8.0);
            ui.separator();
            ui.horizontal(|ui| {
                let mut at_start = cx.status.welcome_at_start;
                let help = "Help, Welcome… shows this window at any time.";
                if ui.checkbox(&mut at_start, "Show this at the start").on_hover_text(help).changed() {
                    out.push(Command::WelcomeAtStart(at_start));
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.button("Start").on_hover_text("Close this window (Escape)").clicked() {
                        welcome.open = false;
                    }
                });
            });
        });
    welcome.had_focus = ui.memory(|memory| memory.focused().is_some());
    let chosen = out[before..].iter().any(|command| !matches!(command, Command::WelcomeAtStart(_)));
    if !open || chosen {
        welcome.open = false;
    }
}

fn load(ui: &Ui, sample: &Sample) -> Option<TextureHandle> {
    let image = Image::decode(sample.picture, sample.title.into()).ok()?;
    let pixels = ColorImage::from_rgba_unmultiplied([image.width as usize, image.height as usize], &image.rgba);
    Some(ui.ctx().load_texture(sample.title, pixels, egui::TextureOptions::LINEAR))
}

/// The samples as pictures; the first takes the keyboard where it `begins` there.
fn samples(ui: &mut Ui, pictures: &[Option<TextureHandle>], begins: bool, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 12.0;
        for (number, (sample, picture)) in SAMPLES.iter().zip(pictures).enumerate() {
            ui.vertical(|ui| {
                let (rect, response) = ui.allocate_exact_size(PICTURE, Sense::click());
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, sample.title));
                if begins && number == 0 {
                    response.request_focus();
                }
                match picture {
                    Some(picture) => {
                        egui::Image::new((picture.id(), rect.size())).corner_radius(6).paint_at(ui, rect);
                    }
                    None => _ = ui.painter().rect_filled(rect, 6.0, ui.visuals().extreme_bg_color),
                }
                if response.hovered() || response.has_focus() {
                    let stroke = egui::Stroke::new(2.0, color::ACCENT);
                    ui.painter().rect_stroke(rect, 6.0, stroke, egui::StrokeKind::Inside);
                }
                if response.on_hover_cursor(egui::CursorIcon::PointingHand).on_hover_text(sample.help).clicked() {
                    out.push(Command::OpenSample(sample.file));
                }
                ui.strong(sample.title);
                ui.set_max_width(PICTURE.x);
                ui.add(egui::Label::new(RichText::new(sample.help).small().weak()).wrap());
            });
        }
    });
}

/// What one begins with that is one's own.
fn begin(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    ui.strong("Begin with your own");
    let width = vec2(ui.available_width() - 12.0, 24.0);
    if ui
        .add_sized(width, Button::new("Open a level…"))
        .on_hover_text("A model file whose ground is walked on.")
        .clicked()
    {
        out.push(Command::Ask(Purpose::Level));
    }
    for (action, label) in [(Action::Open, "Open a scene…"), (Action::New, "New empty scene")] {
        if ui.add_sized(width, Button::new(label)).on_hover_text(info(action).help).clicked() {
            out.push(Command::Run(action));
        }
    }
    // The samples stand above as pictures.
    let is_own = |path: &&PathBuf| SAMPLES.iter().all(|sample| !path.ends_with(sample.file));
    let recent: Vec<&PathBuf> = cx.recent.iter().filter(is_own).take(MAX_RECENT).collect();
    if recent.is_empty() {
        return;
    }
    ui.add_space(4.0);
    ui.weak("Recent files");
    for path in recent {
        if ui.add(egui::Link::new(name_of(path))).on_hover_text(path.display().to_string()).clicked() {
            out.push(Command::Open(path.clone()));
        }
    }
}

fn first_steps(ui: &mut Ui) {
    ui.strong("Three first steps");
    let keys = |action: Action| info(action).key_text(ui.ctx());
    let (bake, panel, play) = (keys(Action::Bake), keys(Action::Workbench), keys(Action::PlayPause));
    let steps = [
        (
            "1",
            "Look".to_owned(),
            "Drag with the right button to turn, W A S D to fly, Home to see everything.".to_owned(),
        ),
        (
            "2",
            format!("Bake ({bake})"),
            "The level's walkable ground becomes a mesh; the legend explains its colours.".to_owned(),
        ),
        (
            "3",
            format!("Try a path ({panel})"),
            format!("Choose the tool Path, click a start and an end. {play} plays and pauses."),
        ),
    ];
    for (number, title, text) in steps {
        ui.horizontal_top(|ui| {
            ui.label(RichText::new(number).strong().color(color::ACCENT));
            ui.vertical(|ui| {
                ui.label(title);
                ui.add(egui::Label::new(RichText::new(text).weak()).wrap());
            });
        });
    }
}
