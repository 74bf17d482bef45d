//! How characters go: how they walk bends, and how they weigh what designers marked.

use crate::scene::SceneNav;
use crate::scene::nav::{Bends, MarkWeights};
use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::widgets::{Drag, drag, form, switch};
use egui::{Label, RichText, Ui};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    form(ui, "bends", |ui| bends(ui, &cx.scene.nav, out));
    ui.add_space(4.0);
    let said = "Factors on a metre of ground that the tool Volume marks, for the tactical planner and for crowds.";
    ui.add(Label::new(RichText::new(said).weak()).wrap());
    form(ui, "mark-weights", |ui| {
        let mut rows = edit_rows::of_nav(ui, &cx.scene.nav, out);
        let longer = drag(1.0..=100.0, 0.02, "").decimals(2);
        factor(&mut rows, ("On slow ground", "2: a metre is as long as two."), longer, |to| &mut to.slow);
        let help = "Ground open to attack, whether an enemy sees it or not.";
        factor(&mut rows, ("On vulnerable ground", help), longer, |to| &mut to.vulnerable);
        let help = "Below 1 they look for cover even where no enemy is known.";
        let any = drag(0.01..=100.0, 0.02, "").decimals(2);
        factor(&mut rows, ("On ground with cover", help), any, |to| &mut to.cover);
        let help = "How much of what enemies see such ground takes away: 0 nothing, 1 all.";
        let share = drag(0.0..=1.0, 0.01, "").decimals(2);
        factor(&mut rows, ("Concealment", help), share, |to| &mut to.concealment);
        let mut swims = rows.to.weights.amphibious.is_some();
        let usual = MarkWeights::default().amphibious.is_some();
        let help = "Whether they go on amphibious ground at all.";
        if switch(rows.ui, "Amphibious characters", help, (&mut swims, usual)).changed() {
            let name = "change whether characters are amphibious";
            rows.ask(name, "amphibious", |to| to.weights.amphibious = swims.then_some(1.0));
        }
        if swims {
            let row = ("On amphibious ground", "2: a metre is as long as two.");
            factor(&mut rows, row, longer, |to| to.amphibious.get_or_insert(1.0));
        }
    });
}

/// A row with what a metre of marked ground counts.
fn factor(
    rows: &mut EditRows<'_, SceneNav>,
    (label, help): (&str, &str),
    range: Drag,
    field: impl Fn(&mut MarkWeights) -> &mut f32,
) {
    let row = rows.row(label, help).edit("change how marked ground is weighed", "weights");
    row.number(range, |to| field(&mut to.weights));
}

/// How characters walk bends.
fn bends(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    let mut rows = edit_rows::of_nav(ui, nav, out);
    let help = "On a mesh: arcs with straight segments between, or a spline through the corners of the path.";
    let named = |bends| if bends == Bends::Arcs { "Arcs" } else { "Spline" };
    rows.row("Bends by", help).edit("change how bends are walked", "bends").choice(
        &[Bends::Arcs, Bends::Spline],
        named,
        |to| &mut to.bends,
    );
    if rows.to.bends == Bends::Arcs {
        rows.row("Turn radius", "Radius of the arcs where there is room; 0 for sharp bends.")
            .edit("change the turn radius", "turn-radius")
            .number(drag(0.0..=20.0, 0.01, " m").decimals(2), |to| &mut to.turn_radius);
    }
}
