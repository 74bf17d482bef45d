//! The search for a corridor, one step at a time.

use super::parts::swatch;
use crate::debug::Layer;
use crate::inspect::query_tool::debug::NODE_COLORS;
use crate::nav::query::sliced::Slice;
use crate::ui::command::Command;
use crate::ui::theme::swatch_color;
use crate::ui::{UiContext, UiState};
use egui::{Button, Label, RichText, Ui};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    let probe = cx.inspector.query();
    if probe.ends().iter().any(Option::is_none) {
        let said = "Needs a navigation mesh, and a start and an end on it.";
        ui.add(Label::new(RichText::new(said).weak()).wrap());
        return;
    }
    let search = probe.search();
    let open = search.is_none_or(|s| s.slice == Slice::Open);
    ui.horizontal_wrapped(|ui| {
        let on = |ui: &mut Ui, label: &str, help: &str, enabled: bool| {
            ui.add_enabled(enabled, Button::new(label)).on_hover_text(help).clicked()
        };
        let show = Command::Overlay(Layer::SearchNodes, true);
        if on(ui, "Step", "Expand one more polygon.", open) {
            state.nav_tools.search_runs = false;
            out.extend([show.clone(), Command::Search(1)]);
        }
        let label = if state.nav_tools.search_runs { "Pause" } else { "Run" };
        if on(ui, label, "Expand one polygon per frame.", open) {
            state.nav_tools.search_runs = !state.nav_tools.search_runs;
            out.push(show.clone());
        }
        if on(ui, "Finish", "Search to the end at once.", open) {
            state.nav_tools.search_runs = false;
            out.extend([show, Command::Search(u32::MAX)]);
        }
        if on(ui, "Reset", "Forget this search.", search.is_some()) {
            state.nav_tools.search_runs = false;
            out.push(Command::Search(0));
        }
    });
    let Some(search) = search else { return };
    let waiting = search.path.nodes().filter(|n| n.open).count();
    let known = search.path.nodes().count();
    for (count, text, color) in [(waiting, "open", NODE_COLORS[0]), (known - waiting, "closed", NODE_COLORS[1])] {
        ui.horizontal(|ui| {
            swatch(ui, swatch_color(color));
            ui.label(format!("{count} {text}"));
        });
    }
    let said = match search.slice {
        Slice::Open => format!("{} expanded so far", search.path.expanded()),
        Slice::Found => {
            format!("Found after {} expansions: {} polygons", search.path.expanded(), search.corridor.len())
        }
        Slice::Failed => {
            format!("No path after {} expansions; the part that ends nearest is shown", search.path.expanded())
        }
    };
    ui.add(Label::new(said).wrap());
}
