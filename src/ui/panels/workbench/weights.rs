//! How characters weigh what designers marked.

use crate::scene::nav::MarkWeights;
use crate::ui::command::Command;
use crate::ui::widgets::{drag, form, number_or, switch};
use crate::ui::{Shown, edits};
use egui::{Label, RichText, Ui};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, shown: &Shown<'_>, out: &mut Vec<Command>) {
    let said = "Factors on a metre of ground that the tool Volume marks, for the tactical planner and for crowds.";
    ui.add(Label::new(RichText::new(said).weak()).wrap());
    let (mut to, usual) = ((*shown.scene.nav).clone(), MarkWeights::default());
    let weights = &mut to.weights;
    form(ui, "mark-weights", |ui| {
        let longer = || drag(1.0..=100.0, 0.02, "").decimals(2);
        number_or(ui, "On slow ground", "2: a metre is as long as two.", (&mut weights.slow, usual.slow), longer());
        let help = "Unsafe ground, whether anybody sees it or not.";
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
    let before = &shown.scene.nav.weights;
    if to.weights.amphibious.is_some() != before.amphibious.is_some() {
        out.push(edits::set_nav("change who is amphibious", "amphibious", to));
    } else if to.weights != *before {
        out.push(edits::set_nav("change how marked ground is weighed", "weights", to));
    }
}
