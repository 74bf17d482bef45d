//! Many instances at once: how many of which model, and where they go.

use crate::ui::UiContext;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::creation::{Creation, MAX_COUNT, Spread};
use crate::ui::names::without_extension;
use crate::ui::widgets::{drag, form, number_or, switch};
use egui::{Align2, ComboBox, Ui, Window, vec2};

/// Draws the window while it is open.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, open: &mut bool, wanted: &mut Creation, out: &mut Vec<Command>) {
    if !*open {
        return;
    }
    Window::new("Create many")
        .open(open)
        .resizable(false)
        .collapsible(false)
        .anchor(Align2::CENTER_TOP, vec2(-40.0, 80.0))
        .show(ui.ctx(), |ui| body(ui, cx, wanted, out));
}

fn body(ui: &mut Ui, cx: &UiContext<'_>, wanted: &mut Creation, out: &mut Vec<Command>) {
    let models = &cx.scene.models;
    let Some(model) = wanted.model.filter(|id| models.contains(*id)).or_else(|| models.at(0)) else {
        ui.weak("The scene has no model. Drop a model file on the window.");
        return;
    };
    wanted.model = Some(model);
    let name = |id| models.get(id).map_or("", |model| without_extension(&model.name));
    let usual = Creation::default();
    form(ui, "create-many", |ui| {
        ui.label("Model");
        ComboBox::from_id_salt("create-model").selected_text(name(model)).width(190.0).truncate().show_ui(ui, |ui| {
            for id in models.ids() {
                choice_row(ui, &mut wanted.model, Some(id), name(id));
            }
        });
        ui.end_row();
        let count = drag(1.0..=f64::from(MAX_COUNT), 0.5, "");
        number_or(ui, "Count", "How many are created.", (&mut wanted.count, usual.count), count);
        ui.label("Where");
        ComboBox::from_id_salt("create-spread").selected_text(wanted.spread.label()).width(190.0).show_ui(ui, |ui| {
            for spread in Spread::ALL {
                choice_row(ui, &mut wanted.spread, spread, spread.label()).on_hover_text(spread.help());
            }
        });
        ui.end_row();
        if wanted.spread == Spread::Path {
            return path(ui, cx, wanted);
        }
        let distance = drag(0.0..=100.0, 0.02, " m");
        let help = "Least distance between two of them; in a grid, from one to the next.";
        number_or(ui, "Distance", help, (&mut wanted.distance, usual.distance), distance);
        if wanted.spread == Spread::Random {
            let reach = drag(0.1..=1000.0, 0.1, " m");
            let help = "How far from the middle of the viewport they may be, along each axis.";
            number_or(ui, "Reach", help, (&mut wanted.reach, usual.reach), reach);
        }
        let seed = drag(0.0..=f64::from(u32::MAX), 1.0, "");
        number_or(ui, "Seed", "The same seed gives the same places.", (&mut wanted.seed, usual.seed), seed);
    });
    form(ui, "create-how", |ui| {
        let turned = (&mut wanted.turned, usual.turned);
        switch(ui, "Random headings", "Turned at random about the up axis.", turned);
        let help = "Each walks to a random one of the scene's targets.";
        switch(ui, "Walk to random targets", help, (&mut wanted.walk, usual.walk));
        let known = models.get(model).and_then(|model| cx.assets.by_file(&**model));
        if known.is_some_and(|(_, model)| !model.material_variants.is_empty()) {
            let help = "They take the material variants of their model in turn: dresses, colours, finishes.";
            switch(ui, "In all variants", help, (&mut wanted.dressed, usual.dressed));
        }
    });
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        let label = format!("Create {}", wanted.count);
        let possible = wanted.spread != Spread::Path || wanted.corners.len() > 1;
        if ui
            .add_enabled(possible, egui::Button::new(label))
            .on_hover_text("One step that can be undone; all of them are selected then")
            .clicked()
        {
            out.push(Command::CreateMany(Box::new(wanted.clone())));
            // The next ones go elsewhere.
            wanted.seed = wanted.seed.wrapping_add(1);
        }
    });
}

/// The corners of the path, and what can be done to them.
fn path(ui: &mut Ui, cx: &UiContext<'_>, wanted: &mut Creation) {
    ui.label("Corners").on_hover_text("Click on the ground in the viewport: each click adds one.");
    ui.horizontal(|ui| {
        ui.label(match wanted.corners.len() {
            0 => "click on the ground".to_owned(),
            count => count.to_string(),
        });
        let live = cx.selection.instance.and_then(|id| cx.world.live(id)).filter(|live| !live.path.is_empty());
        let take = ui.add_enabled(live.is_some(), egui::Button::new("Take its path"));
        if take.on_hover_text("The rest of the path of the selected character").clicked()
            && let Some(live) = live
        {
            wanted.corners = std::iter::once(live.now.position).chain(live.path.iter().copied()).collect();
        }
        if !wanted.corners.is_empty() && ui.button("Clear").clicked() {
            wanted.corners.clear();
        }
    });
    ui.end_row();
}
