//! The window that writes pictures of the scene into a folder.

use crate::ui::UiContext;
use crate::ui::choices::choice_row;
use crate::ui::command::{Command, Purpose};
use crate::ui::export::{ExportKind, ExportSettings, ExportWindow};
use crate::ui::rename::MAX_NAME_LETTERS;
use crate::ui::theme::{color, ink};
use crate::ui::widgets::{drag, form, number_or, switch};
use egui::{Align2, ComboBox, ProgressBar, RichText, Ui, Window, vec2};

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, window: &mut ExportWindow, out: &mut Vec<Command>) {
    if !window.open {
        return;
    }
    let mut open = true;
    Window::new("Export pictures")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .pivot(Align2::CENTER_TOP)
        .default_pos(ui.ctx().content_rect().center_top() + vec2(0.0, 140.0))
        .show(ui.ctx(), |ui| {
            ui.set_width(360.0);
            ui.add_enabled_ui(cx.status.export.is_none(), |ui| fields(ui, &mut window.wanted, out));
            ui.add_space(8.0);
            match cx.status.export {
                Some((done, total)) => progress(ui, done, total, out),
                None => begin(ui, cx, &window.wanted, out),
            }
        });
    window.open = open;
}

fn fields(ui: &mut Ui, wanted: &mut ExportSettings, out: &mut Vec<Command>) {
    let usual = ExportSettings::default();
    form(ui, "export", |ui| {
        ui.label("What");
        ComboBox::from_id_salt("export-kind").selected_text(wanted.kind.label()).width(170.0).show_ui(ui, |ui| {
            for kind in ExportKind::ALL {
                choice_row(ui, &mut wanted.kind, kind, kind.label()).on_hover_text(kind.help());
            }
        });
        ui.end_row();
        let [width, height] = &mut wanted.size_px;
        let pixels = drag(16.0..=8192.0, 1.0, " px");
        number_or(ui, "Width", "Of an image.", (width, usual.size_px[0]), pixels);
        number_or(ui, "Height", "Of an image.", (height, usual.size_px[1]), pixels);
        if wanted.kind != ExportKind::Picture {
            let help = "How many pictures make a second.";
            number_or(ui, "Per second", help, (&mut wanted.fps, usual.fps), drag(1.0..=240.0, 0.2, ""));
            let secs = drag(0.05..=600.0, 0.05, " s").decimals(2);
            number_or(ui, "Takes", "How long it is when it is played.", (&mut wanted.secs, usual.secs), secs);
        }
        let overlays = (&mut wanted.overlays, usual.overlays);
        switch(ui, "With overlays", "Draw the overlays that are on, too.", overlays);
        let help = "What the names of the files begin with.";
        let label = ui.label("Name").on_hover_text(help);
        let field =
            ui.add(egui::TextEdit::singleline(&mut wanted.name).desired_width(170.0).char_limit(MAX_NAME_LETTERS));
        if field.labelled_by(label.id).on_hover_text(help).changed() {
            // Names of files have none of these.
            wanted.name.retain(|letter| !letter.is_control() && !r#"/\:*?"<>|"#.contains(letter));
        }
        ui.end_row();
        ui.label("Folder");
        ui.horizontal(|ui| {
            let mut text = wanted.folder.to_string_lossy().into_owned();
            let field = ui.add(egui::TextEdit::singleline(&mut text).desired_width(170.0));
            field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Export folder"));
            if field.on_hover_text("Where the files go; it is made when it is not there.").changed() {
                wanted.folder = text.into();
            }
            if ui.button("Choose…").on_hover_text("Choose the folder.").clicked() {
                out.push(Command::Ask(Purpose::ExportFolder));
            }
        });
        ui.end_row();
    });
}

fn progress(ui: &mut Ui, done: u32, total: u32, out: &mut Vec<Command>) {
    let text = if done == 0 { "preparing…".to_owned() } else { format!("{done} of {total}") };
    ui.horizontal(|ui| {
        ui.add(ProgressBar::new(done as f32 / total.max(1) as f32).text(text).desired_width(250.0));
        if ui.button("Cancel").on_hover_text("Stop; the pictures that are written stay.").clicked() {
            out.push(Command::CancelExport);
        }
    });
}

fn begin(ui: &mut Ui, cx: &UiContext<'_>, wanted: &ExportSettings, out: &mut Vec<Command>) {
    if cx.status.export_replaces {
        ui.label(
            RichText::new("The folder has pictures of these names: they are replaced.").color(ink(ui, color::WARN)),
        );
    }
    let count = wanted.count();
    let label = if count == 1 { "Export 1 image".to_owned() } else { format!("Export {count} images") };
    let ready = !wanted.folder.as_os_str().is_empty() && !wanted.name.trim().is_empty();
    if ui.add_enabled(ready, egui::Button::new(label)).on_hover_text("Write PNG files into the folder.").clicked() {
        out.push(Command::Export(Box::new(wanted.clone())));
    }
}
