//! How characters go: how they walk bends, and how they weigh what designers marked.

use crate::scene::SceneNav;
use crate::scene::nav::{Bends, MarkWeights};
use crate::ui::command::Command;
use crate::ui::widgets::{choice, drag, form, number_or, switch};
use crate::ui::{UiContext, edits};
use egui::{Label, RichText, Ui};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    form(ui, "bends", |ui| bends(ui, &cx.scene.nav, out));
    ui.add_space(4.0);
    let said = "Factors on a metre of ground that the tool Volume marks, for the tactical planner and for crowds.";
    ui.add(Label::new(RichText::new(said).weak()).wrap());
    let (mut to, usual) = ((*cx.scene.nav).clone(), MarkWeights::default());
    let weights = &mut to.weights;
    form(ui, "mark-weights", |ui| {
        let longer = || drag(1.0..=100.0, 0.02, "").decimals(2);
        number_or(ui, "On slow ground", "2: a metre is as long as two.", (&mut weights.slow, usual.slow), longer());
        let help = "Ground open to attack, whether anybody sees it or not.";
        number_or(ui, "On vulnerable ground", help, (&mut weights.vulnerable, usual.vulnerable), longer());
        let help = "Below 1 they look for cover even where no enemy is known.";
        let range = drag(0.01..=100.0, 0.02, "").decimals(2);
        number_or(ui, "On ground with cover", help, (&mut weights.cover, usual.cover), range);
        let help = "How much of what enemies see such ground takes away: 0 nothing, 1 all.";
        let range = drag(0.0..=1.0, 0.01, "").decimals(2);
        number_or(ui, "Concealment", help, (&mut weights.concealment, usual.concealment), range);
        let mut swims = weights.amphibious.is_some();
        let help = "Whether they go on amphibious ground at all.";
        if switch(ui, "Amphibious characters", help, (&mut swims, usual.amphibious.is_some())).changed() {
            weights.amphibious = swims.then_some(1.0);
        }
        if let Some(factor) = &mut weights.amphibious {
            number_or(ui, "On amphibious ground", "2: a metre is as long as two.", (factor, 1.0), longer());
        }
    });
    let before = &cx.scene.nav.weights;
    if to.weights.amphibious.is_some() != before.amphibious.is_some() {
        out.push(edits::set_nav("change whether characters are amphibious", "amphibious", to));
    } else if to.weights != *before {
        out.push(edits::set_nav("change how marked ground is weighed", "weights", to));
    }
}

/// How characters walk bends.
fn bends(ui: &mut Ui, nav: &SceneNav, out: &mut Vec<Command>) {
    let mut to = nav.clone();
    let help = "On a mesh: arcs with straight segments between, or a spline through the corners of the path.";
    let named = |bends| if bends == Bends::Arcs { "Arcs" } else { "Spline" };
    choice(ui, "Bends by", help, (&mut to.bends, Bends::Arcs), &[Bends::Arcs, Bends::Spline], named);
    if to.bends == Bends::Arcs {
        let help = "Radius of the arcs where there is room; 0 for sharp bends.";
        let (radius, range) = ((&mut to.turn_radius, SceneNav::default().turn_radius), drag(0.0..=20.0, 0.01, " m"));
        number_or(ui, "Turn radius", help, radius, range.decimals(2));
    }
    if to.bends != nav.bends {
        out.push(edits::set_nav("change how bends are walked", "bends", to));
    } else if to.turn_radius != nav.turn_radius {
        out.push(edits::set_nav("change the turn radius", "turn-radius", to));
    }
}
