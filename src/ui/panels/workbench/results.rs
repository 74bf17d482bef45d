//! The test path: which planners, what they found, and recording it as a test case.

use super::parts::{along_surface, planner_choice, search_rows, swatch};
use crate::inspect::doctor::Examination;
use crate::inspect::query_tool::QueryResult;
use crate::inspect::query_tool::debug::{PATH_COLORS, SEEN_COLORS};
use crate::nav::planner::Planner;
use crate::nav::search::strategy::SearchStrategy;
use crate::scene::SceneNav;
use crate::ui::command::Command;
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::names::capitalized;
use crate::ui::theme::{color, ink, swatch_color};
use crate::ui::widgets::{drag, form};
use crate::ui::{UiContext, edits};
use egui::{Label, RichText, Ui};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    choices(ui, nav, out);
    ui.add_space(4.0);
    let results = cx.inspector.query().results();
    if results.is_empty() {
        let missing = match (nav.probe.start, nav.probe.end) {
            (None, _) => "Choose the tool Path and click where the path starts.",
            _ => "Click where the path ends.",
        };
        ui.add(Label::new(RichText::new(missing).weak()).wrap());
        return;
    }
    table(ui, results);
    for (i, result) in results.iter().enumerate() {
        let missing = result.reason.as_ref().map(|reason| format!("No path: {reason}."));
        let strays = || "The search strays: with a smaller exposure bias it expands fewer nodes.".to_owned();
        let bad = missing.or_else(|| result.is_excessive.then(strays));
        let bad = bad.map(|said| RichText::new(said).color(ink(ui, color::BAD)));
        let notes = result.notes.iter().map(|note| RichText::new(sentence(note)).weak());
        for said in bad.into_iter().chain(notes) {
            ui.horizontal_top(|ui| {
                swatch(ui, swatch_color(PATH_COLORS[i.min(1)]));
                ui.add(Label::new(said).wrap());
            });
        }
    }
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        if let (Some(start), Some(end)) = (nav.probe.start, nav.probe.end)
            && results.iter().any(|result| result.reason.is_some())
        {
            let help = "Let the doctor say what is between start and end: a step, a slope, a gap, a narrow passage.";
            if ui.button("Why?").on_hover_text(help).clicked() {
                out.push(Command::Examine(Examination::Path([start.as_dvec3(), end.as_dvec3()])));
            }
        }
        let help = "Add this path to a YAML file of test cases; 'walkabout nav-test' runs them.";
        if ui.button("Record as test case…").on_hover_text(help).clicked() {
            out.push(Command::AskRecord);
        }
        if ui.button("Clear").on_hover_text("Remove start and end.").clicked() {
            let mut to = nav.clone();
            (to.probe.start, to.probe.end) = (None, None);
            out.push(Command::Edit(Box::new(edits::nav_step("clear the test path", None, to))));
        }
    });
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{}.", capitalized(text)) }
}

fn choices(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    form(ui, "tried", |ui| {
        let mut rows = edit_rows::of_nav(ui, nav, out);
        let EditRows { ui, to, out, .. } = &mut rows;
        let name = ui.horizontal(|ui| {
            swatch(ui, swatch_color(PATH_COLORS[0]));
            ui.label("Planner").on_hover_text("Planner that finds the test path.").id
        });
        if planner_choice(ui, ("probe-planner", name.inner), &mut to.probe.planner) {
            out.push(edits::set_nav("try another planner", "probe-planner", to.clone()));
        }
        ui.end_row();
        if to.probe.planner == Planner::Centers {
            let labels = ["Search", "Estimate"];
            if search_rows(ui, labels, &mut to.probe.search) {
                out.push(edits::set_nav("try another search", "probe-search", to.clone()));
            }
        }
        let mut on = to.probe.beside.is_some();
        let switch = ui.horizontal(|ui| {
            swatch(ui, swatch_color(PATH_COLORS[1]));
            ui.checkbox(&mut on, "Compare with").on_hover_text("Lay the path of a second planner over it.")
        });
        if switch.inner.changed() {
            to.probe.beside = on.then_some(Planner::Exact);
            let what = if on { "compare two planners" } else { "try one planner" };
            out.push(edits::set_nav(what, "beside", to.clone()));
        }
        match &mut to.probe.beside {
            Some(beside) => {
                if planner_choice(ui, ("probe-beside", switch.inner.id), beside) {
                    out.push(edits::set_nav("compare with another planner", "beside", to.clone()));
                }
            }
            None => drop(ui.label("")),
        }
        ui.end_row();
        if to.probe.beside == Some(Planner::Centers) {
            let labels = ["Its search", "Its estimate"];
            if search_rows(ui, labels, &mut to.probe.beside_search) {
                out.push(edits::set_nav("compare with another search", "beside-search", to.clone()));
            }
        }
        let help = "Distance to keep from the edges of the mesh, beyond what a baked mesh keeps from walls itself.";
        let row = rows.row("Radius", help).edit("change the tried radius", "probe-radius");
        row.number(drag(0.0..=20.0, 0.01, " m").decimals(2), |to| &mut to.probe.radius);
        if [Some(rows.to.probe.planner), rows.to.probe.beside].iter().flatten().any(Planner::is_exact) {
            along_surface(&mut rows, "probe-surface", |to| &mut to.probe.along_surface);
        }
    });
}

/// Label, help and text of a row of the table.
type Row<'a> = (&'a str, &'a str, &'a dyn Fn(&QueryResult) -> String);

fn table(ui: &mut Ui, results: &[QueryResult]) {
    let found = |result: &QueryResult, text: String| if result.reason.is_some() { "–".to_owned() } else { text };
    let time = |us: f64| if us < 1000.0 { format!("{us:.1} µs") } else { format!("{:.2} ms", us / 1000.0) };
    let costs = results.iter().any(|r| r.cost.is_some());
    let rows: [Row; 7] = [
        ("Length", "Of the line through all points.", &|r| found(r, format!("{:.2} m", r.length))),
        ("Length in plan", "The same without heights.", &|r| found(r, format!("{:.2} m", r.length_2d))),
        ("Cost", "By what a metre costs on each area, and what no path costs less than.", &|r| {
            r.cost.map_or("–".to_owned(), |c| format!("{:.2} (≥ {:.2})", c.cost, c.lower_bound))
        }),
        ("Time", "Of one query: the median of a few.", &|r| time(r.micros)),
        ("Expanded", "Nodes that the search expanded.", &|r| r.expanded.to_string()),
        ("Points", "Corners of the line, with its ends.", &|r| found(r, r.points.len().to_string())),
        ("Polygons", "Polygons that the path crosses.", &|r| found(r, r.polygons.len().to_string())),
    ];
    let grid = egui::Grid::new("results").num_columns(1 + results.len()).min_col_width(84.0).spacing([8.0, 3.0]);
    grid.striped(true).show(ui, |ui| {
        ui.label("");
        for (i, result) in results.iter().enumerate() {
            ui.horizontal(|ui| {
                swatch(ui, swatch_color(PATH_COLORS[i.min(1)]));
                ui.strong(result.search.map_or(result.planner.name().to_owned(), SearchStrategy::label));
            });
        }
        ui.end_row();
        for (label, help, text) in rows.into_iter().filter(|row| costs || row.0 != "Cost") {
            ui.label(label).on_hover_text(help);
            results.iter().for_each(|result| drop(ui.label(text(result))));
            ui.end_row();
        }
        if results.iter().any(|result| result.expanded_ratio.is_some()) {
            ui.label("Per node").on_hover_text("Nodes expanded per node of the path, by the tactical planner.");
            for result in results {
                let text = RichText::new(result.expanded_ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.1}")));
                ui.label(if result.is_excessive { text.color(ink(ui, color::BAD)) } else { text });
            }
            ui.end_row();
        }
        if results.iter().any(|result| !result.seen.is_empty()) {
            ui.horizontal(|ui| {
                swatch(ui, swatch_color(SEEN_COLORS[0]));
                ui.label("Seen").on_hover_text("Metres of the path that threats see.");
            });
            results.iter().for_each(|result| drop(ui.label(format!("{:.2} m", result.exposed_length()))));
            ui.end_row();
        }
    });
}
