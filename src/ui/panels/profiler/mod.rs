//! Where the time of a frame goes: a flame graph of its scopes, plots, a table, memory and counts; all of it as text.

mod flame;

use crate::profile::{HISTORY, ProfileSpan, ProfileTrack, Profiler};
use crate::ui::UiContext;
use crate::ui::theme::ink;
use egui::{Grid, Label, ScrollArea, Ui, vec2};
use egui_plot::{Line, Plot, PlotPoints};

/// What is looked at: a frame while newer ones pass by, and a part of it.
#[derive(Clone, Debug, Default)]
pub struct FrozenProfile {
    /// The bars of a frame that is held.
    frame: Option<Vec<ProfileSpan>>,
    /// The scope that fills the width of the flame graph.
    focus: Option<&'static str>,
}

impl FrozenProfile {
    /// The bars of the frame that is held, else of the last one.
    fn bars(&self, profiler: &Profiler) -> Vec<ProfileSpan> {
        self.frame.clone().unwrap_or_else(|| flame::bars(profiler.spans(), &device_passes(profiler)))
    }
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, frozen: &mut FrozenProfile) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("Copy as text").on_hover_text("All figures of this panel, for the clipboard").clicked() {
            ui.ctx().copy_text(as_text(cx, frozen));
        }
        let mut holds = frozen.frame.is_some();
        if ui.checkbox(&mut holds, "Hold").on_hover_text("Keep this frame in the flame graph").changed() {
            frozen.frame = holds.then(|| frozen.bars(cx.profiler));
        }
        for (name, value, help) in figures(cx) {
            ui.separator();
            // Never broken between the name and its value.
            ui.add(Label::new(format!("{name} {value}")).extend()).on_hover_text(help);
        }
    });
    let bars = frozen.bars(cx.profiler);
    let below = ui.available_height() - flame::height(&bars);
    if below < PLOT[0] {
        // Too low for all of it: it is scrolled.
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            flame::show(ui, &bars, &mut frozen.focus);
            ui.add_space(4.0);
            plot(ui, cx, PLOT[0]);
            ui.add_space(6.0);
            tables(ui, cx);
        });
        return;
    }
    flame::show(ui, &bars, &mut frozen.focus);
    ui.add_space(4.0);
    // All of the plot is to be seen, whatever is scrolled.
    let height = (below - 10.0).clamp(PLOT[0] - 10.0, PLOT[1]);
    if ui.available_width() < 700.0 {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            plot(ui, cx, height);
            ui.add_space(6.0);
            tables(ui, cx);
        });
        return;
    }
    // There is room for both side by side.
    ui.columns(2, |columns| {
        plot(&mut columns[0], cx, height);
        ScrollArea::vertical().auto_shrink(false).show(&mut columns[1], |ui| tables(ui, cx));
    });
}

/// Least and greatest height of the plot, points.
const PLOT: [f32; 2] = [44.0, 180.0];

/// The passes of the picture on the device, with their times in milliseconds.
fn device_passes(profiler: &Profiler) -> Vec<(&'static str, f32)> {
    let passes = profiler.tracks().filter(|(name, _)| name.starts_with(flame::DEVICE));
    passes.map(|(name, track)| (name, track.last_ms())).collect()
}

/// Memory and counts: name, value, explanation.
fn figures(cx: &UiContext<'_>) -> Vec<(&'static str, String, &'static str)> {
    let mib = |bytes: Option<u64>| bytes.map_or("unknown".into(), |bytes| format!("{} MiB", bytes >> 20));
    let status = cx.status;
    let [passes, draws, dispatches] = status.counts.passes;
    vec![
        ("Memory", mib(status.memory.process), "What the program holds, as the system sees it"),
        ("GPU memory", mib(status.memory.device), "What the program has taken on the graphics device"),
        ("Instances", cx.scene.instances.len().to_string(), "Instances of the scene"),
        ("Drawn", status.counts.drawn.to_string(), "Instances and levels in the viewport"),
        ("Passes", passes.to_string(), "Passes of the graphics device for the viewport, of drawing and of computing"),
        ("Draws", draws.to_string(), "Draws of models, each of any number of instances"),
        ("Dispatches", dispatches.to_string(), "Parts of the work that compute shaders do for the viewport"),
        (
            "Uploaded",
            format!("{} KiB", status.counts.uploaded_bytes >> 10),
            "What goes to the graphics device for one picture",
        ),
        ("Triangles", status.triangles.to_string(), "Triangles of all that could be drawn, before it is thinned out"),
        ("Ground", cx.world.triangles().len().to_string(), "Triangles of the levels that characters walk on"),
        ("Ground neighbours", ground_ms(cx), "Time to find walkable ground and its neighbours, once per level"),
        ("Overlays", status.counts.overlay.to_string(), "Lines and triangles that are drawn over the viewport"),
        ("Steps", cx.world.steps().to_string(), "Steps of the simulation since its start"),
    ]
}

fn ground_ms(cx: &UiContext<'_>) -> String {
    cx.world.ground_ms().map_or("none".into(), |ms| format!("{ms:.1} ms"))
}

/// Everything as text: columns set apart by tabs.
fn as_text(cx: &UiContext<'_>, frozen: &FrozenProfile) -> String {
    let mut text = format!("{}\n", cx.status.adapter);
    figures(cx).iter().for_each(|(name, value, _)| text += &format!("{name}\t{value}\n"));
    text += &table_text(cx.profiler);
    text += "\nOne step of the simulation\n";
    text += &table_text(cx.world.profiler());
    text += "\nThe frame\nPart\tBegan ms\tTook ms\n";
    for span in frozen.bars(cx.profiler).iter().filter(|span| !span.name.starts_with(flame::DEVICE)) {
        let indent = "  ".repeat(span.depth as usize);
        text += &format!("{indent}{}\t{:.3}\t{:.3}\n", span.name, span.start_ms, span.ms);
    }
    text
}

fn table_text(profiler: &Profiler) -> String {
    let mut text = String::from("Part\tLast ms\t30 s mean ms\tMost ms\n");
    for (name, track) in profiler.tracks() {
        text += &format!("{name}\t{:.3}\t{:.3}\t{:.3}\n", track.last_ms(), track.long_mean_ms(), most_ms(track));
    }
    text
}

fn most_ms(track: &ProfileTrack) -> f32 {
    track.samples_ms().fold(0.0, f32::max)
}

fn plot(ui: &mut Ui, cx: &UiContext<'_>, height: f32) {
    let plot = Plot::new("profiler")
        .height(height)
        .include_y(0.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .show_x(false)
        .y_axis_label("ms");
    let colors: Vec<_> = (0..cx.profiler.tracks().count()).map(|i| line_color(ui, i)).collect();
    plot.show(ui, |plot| {
        for ((name, track), color) in cx.profiler.tracks().zip(colors) {
            plot.line(Line::new(name, line(track)).color(color));
        }
    });
}

/// The times of one part, one for each of the last frames or steps.
fn track_plot(ui: &mut Ui, name: &str, track: &ProfileTrack) {
    ui.label(format!("{name}: the last {HISTORY}, in milliseconds"));
    let plot = Plot::new(("track", name)).width(320.0).height(100.0).include_y(0.0).show_x(false);
    plot.show(ui, |plot| plot.line(Line::new(name, line(track))));
}

/// Milliseconds over the place in the history, whose last is the newest: a part that is younger than others begins later.
fn line(track: &ProfileTrack) -> PlotPoints<'static> {
    let before = HISTORY - track.samples_ms().count();
    (before..).zip(track.samples_ms()).map(|(at, ms)| [at as f64, f64::from(ms)]).collect()
}

/// Colours that stay apart: steps of the golden angle round the circle of hues.
fn line_color(ui: &Ui, index: usize) -> egui::Color32 {
    let hue = (index as f32 * 0.618_034).fract();
    ink(ui, egui::ecolor::Hsva::new(hue, 0.62, 0.92, 1.0).into())
}

fn tables(ui: &mut Ui, cx: &UiContext<'_>) {
    table(ui, "frame-table", "Part of a frame", cx.profiler, true);
    ui.add_space(8.0);
    table(ui, "step-table", "Part of a step", cx.world.profiler(), false);
}

fn table(ui: &mut Ui, id: &str, heading: &str, profiler: &Profiler, colored: bool) {
    Grid::new(id).num_columns(4).striped(true).min_col_width(76.0).show(ui, |ui| {
        for title in [heading, "Last", "30 s mean", "Most"] {
            ui.strong(title);
        }
        ui.end_row();
        for (i, (name, track)) in profiler.tracks().enumerate() {
            ui.horizontal(|ui| {
                if colored {
                    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), egui::Sense::hover());
                    ui.painter().rect_filled(rect, 2.0, line_color(ui, i));
                }
                let name = name.trim_start_matches("sim.");
                ui.label(name).on_hover_ui(|ui| track_plot(ui, name, track));
            });
            for ms in [track.last_ms(), track.long_mean_ms(), most_ms(track)] {
                ui.monospace(format!("{ms:6.2} ms"));
            }
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_times_of_all_parts_stand_below_each_other() {
        let mut profiler = Profiler::default();
        for frame in 0..5 {
            profiler.add_ms("old", 1.0);
            if frame >= 3 {
                profiler.add_ms("young", 2.0);
            }
            profiler.end_frame();
        }
        let lines: Vec<_> = profiler.tracks().map(|(_, track)| line(track).points().to_vec()).collect();
        let ends = lines.iter().map(|line| line.last().map(|point| point.x)).collect::<Vec<_>>();
        assert_eq!(ends, [Some(239.0); 2]);
        assert_eq!([lines[0][0].x, lines[1][0].x], [235.0, 238.0]);
    }

    #[test]
    fn the_table_is_copied_line_by_line() {
        let mut profiler = Profiler::default();
        profiler.add_ms("overlays", 1.5);
        profiler.add_ms("GPU scene", 2.0);
        profiler.end_frame();
        let text = table_text(&profiler);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[2].starts_with("overlays\t1.500\t"), "{text}");
        assert_eq!(device_passes(&profiler), [("GPU scene", 2.0)]);
    }
}
