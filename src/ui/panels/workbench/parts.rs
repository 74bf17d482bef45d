//! Widgets that sections of the workbench share.

use crate::nav::planner::Planner;
use crate::nav::search::strategy::{Heuristic, SearchAlgorithm, SearchStrategy};
use crate::scene::SceneNav;
use crate::ui::choices::choice_row;
use crate::ui::edit_rows::EditRows;
use crate::ui::widgets::{choice, choice_width};
use egui::{Color32, ComboBox, Id, Sense, Ui, vec2};

/// A small square of a colour.
pub(super) fn swatch(ui: &mut Ui, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
    ui.painter().rect_filled(rect, 3.0, color);
}

/// A choice of planner, named by a label; returns whether it changed.
pub(super) fn planner_choice(ui: &mut Ui, (id, name): (&str, Id), planner: &mut Planner) -> bool {
    let before = *planner;
    let list = ComboBox::from_id_salt(id).selected_text(planner.label()).width(choice_width(ui, 160.0, 4.0));
    let shown = list.truncate().show_ui(ui, |ui| {
        for one in Planner::ALL {
            choice_row(ui, planner, one, one.label()).on_hover_text(one.help());
        }
    });
    shown.response.labelled_by(name);
    *planner != before
}

/// A row with whether lengths count along the surface.
pub(super) fn along_surface(rows: &mut EditRows<'_, SceneNav>, key: &str, field: impl Fn(&mut SceneNav) -> &mut bool) {
    let help = "Exact planners look for the path that is shortest along the surface, up and down hill; else for the one that is \
        shortest as seen from above.";
    rows.row("Along the surface", help).edit("measure another length", key).switch(field);
}

/// Rows with the search of the planner `centers` and its estimate; returns whether one changed.
pub(super) fn search_rows(ui: &mut Ui, [search, estimate]: [&str; 2], strategy: &mut SearchStrategy) -> bool {
    let help = "In which order triangles are searched. The overlay Search nodes shows those of the test path.";
    let algorithm = (&mut strategy.algorithm, SearchAlgorithm::AStar);
    let mut changed = choice(ui, search, help, algorithm, &SearchAlgorithm::ALL, SearchAlgorithm::label);
    if strategy.algorithm.estimates() {
        let help = "How the rest of a path is estimated: along the axes (Manhattan) is too long, so that A* may take a detour.";
        let heuristic = (&mut strategy.heuristic, Heuristic::Landmarks);
        changed |= choice(ui, estimate, help, heuristic, &Heuristic::ALL, Heuristic::label);
    }
    changed
}
