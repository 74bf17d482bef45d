//! Edits of the clip that the player shows, and the compression of all clips.

use super::clips::{Chosen, clip_name};
use crate::asset::ClipEdit;
use crate::asset::clip_compression::clip_size;
use crate::scene::limits::{MAX_CLIP_EDITS, MAX_CLIP_SECS, MAX_CLIP_TOLERANCE_MM};
use crate::ui::command::Command;
use crate::ui::widgets::{drag, form, number_or, switch};
use egui::{Grid, TextEdit, Ui};

/// Tolerance that is offered first, millimetres.
const USUAL_TOLERANCE_MM: f32 = 0.5;

/// What is set up before it is applied: an edit makes the model anew.
#[derive(Clone, Debug)]
pub struct ClipEditDraft {
    edit: ClipEdit,
    /// The edit of the scene that it began with.
    made: Option<ClipEdit>,
    tolerance_mm: Option<f32>,
}

impl Default for ClipEditDraft {
    fn default() -> Self {
        // No clip: that which is shown is taken up with the edit that it has.
        Self { edit: ClipEdit { clip: u32::MAX, ..ClipEdit::default() }, made: None, tolerance_mm: None }
    }
}

impl ClipEditDraft {
    /// Begins with the edit that a clip has, where it is about another clip, or the edit has changed: applied, taken out or undone.
    fn follow(&mut self, clip: u32, made: Option<&ClipEdit>) {
        if self.edit.clip != clip || self.made.as_ref() != made {
            self.edit = made.cloned().unwrap_or_else(|| ClipEdit { clip, ..ClipEdit::default() });
            self.made = made.cloned();
        }
    }
}

/// Draws the page; `clip` is the one that the player shows.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, clip: u32, draft: &mut ClipEditDraft, out: &mut Vec<Command>) {
    edit_of(ui, chosen, clip, draft, out);
    list(ui, chosen, out);
    ui.add_space(8.0);
    compression(ui, chosen, draft, out);
}

/// The edit of a clip.
fn edit_of(ui: &mut Ui, chosen: &Chosen<'_>, clip: u32, draft: &mut ClipEditDraft, out: &mut Vec<Command>) {
    let edits = &chosen.entry.clip_sources.edits;
    let in_place = edits.iter().position(|edit| edit.clip == clip && edit.copy_name.is_empty());
    draft.follow(clip, in_place.map(|i| &edits[i]));
    ui.strong(format!("Edit of {}", clip_name(chosen.file, clip)));
    let duration_secs = chosen.file.clips.get(clip as usize).map_or(0.0, |clip| clip.duration_secs);
    let whole_secs = whole_secs(&draft.edit, in_place.map(|i| &edits[i]), duration_secs);
    let edit = &mut draft.edit;
    form(ui, "clip-edit", |ui| {
        let help = "Left and right change places.";
        switch(ui, "Mirror", help, (&mut edit.is_mirrored, false));
        let secs = || drag(0.0..=f64::from(MAX_CLIP_SECS), 0.01, " s").decimals(2);
        number_or(ui, "Start", "Where it begins; what comes before is cut off.", (&mut edit.start_secs, 0.0), secs());
        let mut end_secs = edit.end_secs.or(whole_secs).unwrap_or(duration_secs);
        let usual_secs = whole_secs.unwrap_or(end_secs);
        let help = "Where it ends; what comes after is cut off.";
        if number_or(ui, "End", help, (&mut end_secs, usual_secs), secs()).changed() {
            edit.end_secs = Some(end_secs).filter(|end_secs| Some(*end_secs) != whole_secs);
        }
        let help = "Takes its way and its turns over the ground out of the pose. As an action with root motion it moves and \
                    turns the character by them.";
        switch(ui, "Root track", help, (&mut edit.has_root_track, false));
        let help = "Length of the part at its end over which the pose turns into that of its start, so that it repeats \
                    without a jump.";
        number_or(ui, "Loop blend", help, (&mut edit.loop_blend_secs, 0.0), secs());
        let name = ui.label("Copy as");
        let field =
            TextEdit::singleline(&mut edit.copy_name).hint_text("the clip itself is changed").desired_width(160.0);
        let help = "Name of a copy that is changed; without one the clip itself is.";
        ui.add(field).labelled_by(name.id).on_hover_text(help);
        ui.end_row();
    });
    let replaced = in_place.filter(|_| draft.edit.copy_name.is_empty());
    let is_new = replaced.is_none_or(|i| edits[i] != draft.edit) && !draft.edit.is_empty();
    ui.horizontal(|ui| {
        let can = is_new && (replaced.is_some() || edits.len() < MAX_CLIP_EDITS);
        let button = ui.add_enabled(can, egui::Button::new("Apply"));
        let help = "Make the edit. The file of the model stays as it is.";
        let full = format!("A model has at most {MAX_CLIP_EDITS} edits: take one out first.");
        let why_not = if is_new { full.as_str() } else { "Nothing is changed yet." };
        if button.on_hover_text(help).on_disabled_hover_text(why_not).clicked() {
            let mut to = chosen.entry.clone();
            match replaced {
                Some(i) => to.clip_sources.edits[i] = draft.edit.clone(),
                None => to.clip_sources.edits.push(draft.edit.clone()),
            }
            // The next edit begins from nothing.
            draft.edit = ClipEdit { clip: u32::MAX, ..ClipEdit::default() };
            out.push(chosen.set("clip edits", "clip edits", to));
        }
    });
    for warning in chosen.file.warnings.iter().filter(|warning| ClipEdit::is_warning(warning)) {
        ui.colored_label(ui.visuals().warn_fg_color, format!("It {warning}."));
    }
}

/// Length of the clip that an edit begins with, where `duration_secs` is that of the clip as it is: `None` where the edit that it takes
/// the place of has cut its end off.
fn whole_secs(edit: &ClipEdit, made: Option<&ClipEdit>, duration_secs: f32) -> Option<f32> {
    match made.filter(|_| edit.copy_name.is_empty()) {
        None => Some(duration_secs),
        Some(made) => made.end_secs.is_none().then_some(made.start_secs + duration_secs),
    }
}

/// The edits that are made.
fn list(ui: &mut Ui, chosen: &Chosen<'_>, out: &mut Vec<Command>) {
    let edits = &chosen.entry.clip_sources.edits;
    if edits.is_empty() {
        return;
    }
    ui.add_space(8.0);
    ui.strong("Edits");
    for (i, edit) in edits.iter().enumerate() {
        ui.horizontal_wrapped(|ui| {
            ui.label(sentence(chosen, edit));
            let help = "Undo this edit. Numbers of the clips after a copy change.";
            if ui.button("✖").on_hover_text(help).clicked() {
                let mut to = chosen.entry.clone();
                to.clip_sources.edits.remove(i);
                out.push(chosen.set("clip edits", "clip edits", to));
            }
        });
    }
}

/// What an edit does, in a line.
fn sentence(chosen: &Chosen<'_>, edit: &ClipEdit) -> String {
    let mut parts = Vec::new();
    if edit.is_mirrored {
        parts.push("mirrored".to_owned());
    }
    if edit.start_secs > 0.0 || edit.end_secs.is_some() {
        let end = edit.end_secs.map_or_else(|| "its end".to_owned(), |end_secs| format!("{end_secs:.2} s"));
        parts.push(format!("{:.2} s to {end}", edit.start_secs));
    }
    if edit.has_root_track {
        parts.push("root track".to_owned());
    }
    if edit.loop_blend_secs > 0.0 {
        parts.push(format!("loop blend {:.2} s", edit.loop_blend_secs));
    }
    let name = clip_name(chosen.file, edit.clip);
    let what = if parts.is_empty() { "as it is".to_owned() } else { parts.join(", ") };
    if edit.copy_name.is_empty() { format!("{name}: {what}") } else { format!("{name} as {}: {what}", edit.copy_name) }
}

/// Compression, and what came of it.
fn compression(ui: &mut Ui, chosen: &Chosen<'_>, draft: &mut ClipEditDraft, out: &mut Vec<Command>) {
    ui.strong("Compression");
    let now_mm = chosen.entry.clip_sources.tolerance_um as f32 * 1e-3;
    let mut set = |tolerance_mm: f32| {
        let mut to = chosen.entry.clone();
        to.clip_sources.tolerance_um = (tolerance_mm * 1e3).round() as u32;
        out.push(chosen.set("compression of clips", "clip tolerance", to));
    };
    let usual_mm = if now_mm > 0.0 { now_mm } else { USUAL_TOLERANCE_MM };
    let tolerance_mm = draft.tolerance_mm.get_or_insert(usual_mm);
    form(ui, "clip-compression", |ui| {
        let help =
            "How far a point on the skin may be from where the clip has it. Keys that are not needed for that go.";
        let range = drag(0.01..=f64::from(MAX_CLIP_TOLERANCE_MM), 0.01, " mm").decimals(2);
        number_or(ui, "Tolerance", help, (tolerance_mm, usual_mm), range);
    });
    ui.horizontal(|ui| {
        let is_new = (*tolerance_mm - now_mm).abs() > 5e-4;
        let help = "Leave out keys of all clips, within the tolerance.";
        if ui.add_enabled(is_new, egui::Button::new("Compress")).on_hover_text(help).clicked() {
            set(*tolerance_mm);
        }
        let help = "Use the clips with all keys of their files.";
        if ui.add_enabled(now_mm > 0.0, egui::Button::new("Keep all keys")).on_hover_text(help).clicked() {
            set(0.0);
        }
    });
    table(ui, chosen);
}

/// Keys, memory and error of each clip.
fn table(ui: &mut Ui, chosen: &Chosen<'_>) {
    let kilobytes = |bytes: usize| format!("{:.1} kB", bytes as f32 / 1e3);
    let compression = &chosen.file.compression;
    let sizes: Vec<(usize, usize)> = chosen.file.clips.iter().map(clip_size).collect();
    let bytes: usize = sizes.iter().map(|size| size.1).sum();
    let before: usize = compression.iter().map(|one| one.bytes_before).sum();
    if before > bytes {
        let share = 100.0 * bytes as f32 / before as f32;
        ui.label(format!("{} of {}, {share:.0} %", kilobytes(bytes), kilobytes(before)));
    } else {
        ui.label(kilobytes(bytes));
    }
    Grid::new("clip sizes").num_columns(4).striped(true).spacing([12.0, 4.0]).show(ui, |ui| {
        for title in ["Clip", "Keys", "Size", "Error"] {
            ui.strong(title);
        }
        ui.end_row();
        for (i, (keys, bytes)) in sizes.into_iter().enumerate() {
            let made = compression.get(i);
            ui.label(clip_name(chosen.file, i as u32));
            ui.label(made.map_or_else(|| keys.to_string(), |made| format!("{keys} of {}", made.keys_before)));
            ui.label(kilobytes(bytes));
            ui.label(made.map_or_else(|| "–".to_owned(), |made| format!("{:.2} mm", made.error_mm)));
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_or_undone_is_not_offered_as_made() {
        let (mut draft, mirrored) =
            (ClipEditDraft::default(), ClipEdit { clip: 3, is_mirrored: true, ..ClipEdit::default() });
        draft.follow(3, Some(&mirrored));
        assert_eq!(draft.edit, mirrored);
        draft.edit.start_secs = 0.5;
        draft.follow(3, Some(&mirrored));
        assert_eq!(draft.edit.start_secs, 0.5, "what is being set up stays");
        draft.follow(3, None);
        assert_eq!(draft.edit, ClipEdit { clip: 3, ..ClipEdit::default() });
    }

    #[test]
    fn an_edit_begins_with_the_clip_before_the_edit_it_replaces() {
        let edit = ClipEdit::default();
        let cut = |start_secs, end_secs| ClipEdit { start_secs, end_secs, ..ClipEdit::default() };
        assert_eq!(whole_secs(&edit, None, 2.0), Some(2.0));
        assert_eq!(whole_secs(&edit, Some(&cut(0.5, None)), 1.5), Some(2.0));
        assert_eq!(whole_secs(&edit, Some(&cut(0.5, Some(1.0))), 0.5), None, "0.5 s is not its end");
        let copy = ClipEdit { copy_name: "copy".into(), ..ClipEdit::default() };
        assert_eq!(whole_secs(&copy, Some(&cut(0.5, Some(1.0))), 0.5), Some(0.5), "a copy is made of what is there");
    }
}
