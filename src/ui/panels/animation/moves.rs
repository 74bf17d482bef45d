//! Gaits, actions, allowed orders and head movements of a model.

use super::clips::{Chosen, clip_box, clip_speed};
use super::player::Player;
use crate::anim::speed_curve::SpeedCurve;
use crate::asset::Model;
use crate::scene::model::{ActionClip, BlendSet, ClipSpeed};
use crate::ui::choices::{choice_row, is_taken};
use crate::ui::command::Command;
use crate::vocab::{HeadMove, MoveDirection, MoveState};
use egui::{ComboBox, Grid, Ui, WidgetInfo, WidgetType};

/// The clips for standing, walking and running in each direction.
pub fn gaits(ui: &mut Ui, chosen: &Chosen<'_>, player: &mut Player, out: &mut Vec<Command>) {
    player.try_gait(ui, chosen);
    let mut to = chosen.entry.clone();
    let mut removed = None;
    Grid::new("gaits").num_columns(5).striped(true).spacing([12.0, 6.0]).show(ui, |ui| {
        for title in ["Direction", "Standing", "Walking", "Running", ""] {
            ui.strong(title);
        }
        ui.end_row();
        for (i, set) in to.blend_sets.iter_mut().enumerate() {
            let direction = set.direction.label();
            ui.label(direction);
            for (what, clip) in [("idle", &mut set.idle), ("walk", &mut set.walk), ("run", &mut set.run)] {
                clip_speed(ui, &format!("{direction} {what} {i}"), chosen.file, clip);
            }
            if ui.button("✖").on_hover_text("Take this direction out.").clicked() {
                removed = Some(i);
            }
            ui.end_row();
        }
    });
    let missing = |direction: &&MoveDirection| to.blend_sets.iter().all(|set| set.direction != **direction);
    let free: Vec<MoveDirection> = MoveDirection::ALL.iter().filter(missing).copied().collect();
    let mut added = None;
    if !free.is_empty() {
        ComboBox::from_id_salt("direction").selected_text("➕ Direction").show_ui(ui, |ui| {
            for direction in free {
                let row = ui.selectable_label(false, direction.label());
                if is_taken(ui, &row, false) {
                    added = Some(direction);
                }
            }
        });
    }
    ui.weak("A direction without clips of its own takes those of Any.");
    if let Some(direction) = added {
        // Begins as the set that would have been played.
        let like = chosen.entry.blend_set(direction).copied();
        let plain = ClipSpeed { clip: 0, speed: chosen.file.natural_speed(0) };
        let set = like.unwrap_or(BlendSet { direction, idle: plain, walk: plain, run: plain });
        to.blend_sets.push(BlendSet { direction, ..set });
        out.push(chosen.set("directions", "directions", to));
    } else if let Some(i) = removed {
        to.blend_sets.remove(i);
        out.push(chosen.set("directions", "directions", to));
    } else if to != *chosen.entry {
        out.push(chosen.set("clips", "clips", to));
    }
}

/// The clips of the actions.
pub fn actions(ui: &mut Ui, chosen: &Chosen<'_>, player: &mut Player, out: &mut Vec<Command>) {
    let mut to = chosen.entry.clone();
    Grid::new("actions").num_columns(5).striped(true).spacing([12.0, 6.0]).show(ui, |ui| {
        for &state in MoveState::ALL.iter().filter(|state| state.is_action()) {
            let at = to.actions.iter().position(|action| action.state == state);
            let mut on = at.is_some();
            if ui.checkbox(&mut on, state.label()).on_hover_text("Whether the model can do this.").changed() {
                match at {
                    Some(at) => drop(to.actions.remove(at)),
                    None => to.actions.push(plain_action(state, chosen.file)),
                }
            } else if let Some(at) = at {
                clip_speed(ui, &format!("clip of {}", state.label()), chosen.file, &mut to.actions[at].clip);
                speed_curve(ui, state, &mut to.actions[at].curve);
                has_root_motion(ui, state, &mut to.actions[at].root_motion);
                if ui.button("▶").on_hover_text("Play it.").clicked() {
                    player.play(to.actions[at].clip.clip);
                }
            }
            ui.end_row();
        }
    });
    if to != *chosen.entry {
        out.push(chosen.set("actions", "actions", to));
    }
}

/// An action with the first clip, as it was made.
pub(super) fn plain_action(state: MoveState, file: &Model) -> ActionClip {
    let clip = ClipSpeed { clip: 0, speed: file.natural_speed(0) };
    ActionClip { state, clip, curve: SpeedCurve::Even, root_motion: false }
}

/// How fast the clip of an action plays from begin to end.
pub(super) fn speed_curve(ui: &mut Ui, state: MoveState, curve: &mut SpeedCurve) {
    let combo = ComboBox::from_id_salt(("curve", state.label())).selected_text(curve.label()).width(90.0).truncate();
    let list = combo.show_ui(ui, |ui| {
        for other in SpeedCurve::ALL {
            choice_row(ui, curve, other, other.label());
        }
    });
    let label = format!("Speed curve of {}", state.label());
    list.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, &label));
}

/// Whether the movement of its root joint moves the character.
pub(super) fn has_root_motion(ui: &mut Ui, state: MoveState, on: &mut bool) {
    let help =
        "The way that the clip's root joint goes over the ground moves the character, and is no part of the pose.";
    let label = format!("Root motion of {}", state.label());
    let response = ui.checkbox(on, "Root motion").on_hover_text(help);
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, *on, &label));
}

/// Which action may follow what, as a table.
pub fn orders(ui: &mut Ui, chosen: &Chosen<'_>, player: &mut Player, out: &mut Vec<Command>) {
    let mut to = chosen.entry.clone();
    if chosen.entry.allowed_orders.is_empty() {
        ui.weak("No action may follow another yet: switch on what may.");
    } else {
        ui.horizontal_wrapped(|ui| {
            ui.label("Try").on_hover_text("Play a state and the action that follows it, again and again.");
            for &(from, next) in &chosen.entry.allowed_orders {
                if ui.small_button(format!("▶ {} to {}", from.label(), next.label())).clicked() {
                    player.play_order(from, next);
                }
            }
        });
    }
    ui.weak("Rows: the current action. Columns: what may follow it when asked for.");
    Grid::new("orders").striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
        ui.label("");
        for state in MoveState::ALL {
            ui.strong(state.label());
        }
        ui.end_row();
        for &from in MoveState::ALL {
            ui.strong(from.label());
            for &next in MoveState::ALL {
                let at = to.allowed_orders.iter().position(|order| *order == (from, next));
                let mut on = at.is_some();
                let label = format!("{} to {}", from.label(), next.label());
                let response = ui.checkbox(&mut on, "").on_hover_text(&label);
                response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, &label));
                if response.changed() {
                    match at {
                        Some(_) => to.allowed_orders.retain(|order| *order != (from, next)),
                        None => to.allowed_orders.push((from, next)),
                    }
                }
            }
            ui.end_row();
        }
    });
    if to != *chosen.entry {
        out.push(chosen.set("orders", "orders", to));
    }
}

/// The clips of the head movements.
pub fn head(ui: &mut Ui, chosen: &Chosen<'_>, player: &mut Player, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("Try").on_hover_text("Turn the head of the selected instance, or of the first of this model.");
        player.try_head(ui);
    });
    let mut to = chosen.entry.clone();
    Grid::new("head").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
        for &movement in HeadMove::ALL {
            let at = to.head_clips.iter().position(|(other, _)| *other == movement);
            let mut on = at.is_some();
            let help = "Whether the head moves this way; the clip goes from straight ahead to the side.";
            if ui.checkbox(&mut on, format!("Head {}", movement.label().to_lowercase())).on_hover_text(help).changed() {
                match at {
                    Some(at) => drop(to.head_clips.remove(at)),
                    None => to.head_clips.push((movement, 0)),
                }
            } else if let Some(at) = at {
                let label = format!("clip of head {}", movement.label());
                clip_box(ui, &label, chosen.file, &mut to.head_clips[at].1);
            }
            ui.end_row();
        }
    });
    if to != *chosen.entry {
        out.push(chosen.set("head movements", "head", to));
    }
}
