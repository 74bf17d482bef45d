//! How the selected instance moves: as a door or as a button.

use crate::ids::InstanceId;
use crate::scene::SceneInstance;
use crate::scene::door::{DoorTrigger, SceneDoor};
use crate::ui::command::Command;
use crate::ui::widgets::{axis, choice, drag, form, number_or, section, text, vector};
use crate::ui::{UiContext, edits, names};
use egui::Ui;

/// Draws the section; nothing without a selected instance.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let selected = cx.selection.instance.and_then(|id| Some((id, cx.scene.instances.get(id)?)));
    let Some((id, instance)) = selected.filter(|_| cx.camera.is_none()) else { return };
    section(ui, "Door", false, |ui| {
        let mut on = instance.door.is_some();
        let help = "It moves between two places: a door, a drawbridge, a lift, or a button that opens doors.";
        if ui.checkbox(&mut on, "Moves as a door").on_hover_text(help).changed() {
            let name = names::name_of_all(cx.scene, cx.chosen);
            let what = if on { format!("let {name} move as a door") } else { format!("let {name} stand still") };
            out.push(edits::change_chosen(what, cx, "is a door", |one| one.door = on.then(Box::default)));
        }
        if let Some(door) = &instance.door {
            form(ui, "door", |ui| fields(ui, cx, (id, instance), door, out));
        }
    });
}

fn fields(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    (id, instance): (InstanceId, &SceneInstance),
    door: &SceneDoor,
    out: &mut Vec<Command>,
) {
    let (mut to, usual) = (door.clone(), SceneDoor::default());
    let help = "What opens it. One that is used bars the way on the navigation mesh while it is shut.";
    choice(ui, "Opens", help, (&mut to.trigger, usual.trigger), &DoorTrigger::ALL, DoorTrigger::label);
    let help = "From shut to open, along its own axes.";
    vector(ui, "Shift", help, (&mut to.shift, usual.shift), axis(0.02, "m"));
    let turn = drag(-360.0..=360.0, 0.5, "°").decimals(1);
    number_or(ui, "Turn", "From shut to open, about the up axis at its origin.", (&mut to.turn, usual.turn), turn);
    let time = drag(0.0..=60.0, 0.01, " s");
    number_or(ui, "Opens in", "Time from shut to open.", (&mut to.secs, usual.secs), time);
    let metres = drag(0.0..=50.0, 0.05, " m");
    number_or(ui, "Door reach", "How near a character has to be.", (&mut to.reach, usual.reach), metres);
    if to.trigger == DoorTrigger::Button {
        let help = "Name of the doors that it opens and shuts; empty for all within its reach.";
        let label = ui.label("Uses").on_hover_text(help);
        let field = egui::TextEdit::singleline(&mut to.opens).hint_text("all in reach").desired_width(120.0);
        ui.add(field.char_limit(200)).labelled_by(label.id).on_hover_text(help);
        ui.end_row();
    } else {
        let time = drag(0.0..=600.0, 0.05, " s");
        let help = "Once it is open; one that is used stays open until it is used again where this is 0.";
        number_or(ui, "Stays open", help, (&mut to.stays_open, usual.stays_open), time);
    }
    if let Some(openness) = cx.world.door_openness(id) {
        text(ui, "Is open", format!("{:.0} %", openness * 100.0));
    }
    if to.trigger != DoorTrigger::Near {
        ui.label("");
        if ui.button("Use it now").on_hover_text("As a character does that interacts with it.").clicked() {
            out.push(Command::UseDoor(id));
        }
        ui.end_row();
    }
    if to != *door {
        let what = format!("change the door {}", names::instance_name(cx.scene, id));
        let field = changed_field(door, &to);
        out.push(edits::set_instance(what, id, field, SceneInstance { door: Some(Box::new(to)), ..instance.clone() }));
    }
}

/// The field in which a door was changed: the edits of one field become one step, those of two fields two.
fn changed_field(before: &SceneDoor, to: &SceneDoor) -> &'static str {
    let SceneDoor { trigger, shift, turn, secs, reach, stays_open, opens } = before;
    let fields = [
        ("door trigger", *trigger != to.trigger),
        ("door shift", *shift != to.shift),
        ("door turn", *turn != to.turn),
        ("door time", *secs != to.secs),
        ("door reach", *reach != to.reach),
        ("door stays open", *stays_open != to.stays_open),
        ("door opens", *opens != to.opens),
    ];
    fields.into_iter().find(|(_, is_changed)| *is_changed).map_or("door", |(field, _)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_of_a_door_is_a_step_of_its_own() {
        let usual = SceneDoor::default();
        let turned = SceneDoor { turn: 45.0, ..usual.clone() };
        let quick = SceneDoor { secs: 0.1, ..turned.clone() };
        assert_eq!(changed_field(&usual, &turned), changed_field(&quick, &SceneDoor { turn: 50.0, ..quick.clone() }));
        assert_ne!(changed_field(&usual, &turned), changed_field(&turned, &quick));
    }
}
