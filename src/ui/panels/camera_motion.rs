//! How a camera moves by itself: roll, shake, the lag of its arm, and its rail.

use crate::camera::RailEnd;
use crate::scene::SceneCamera;
use crate::ui::UiContext;
use crate::ui::edit_rows::EditRows;
use crate::ui::widgets::drag;
use crate::vocab::{CameraKind, counted};

/// Draws the fields.
pub fn show(rows: &mut EditRows<'_, SceneCamera>, cx: &UiContext<'_>) {
    let row = rows.row("Roll", "Turn about the direction of view, clockwise.").field("roll");
    row.number(drag(-180.0..=180.0, 0.2, "°").decimals(1), |to| &mut to.motion.roll_deg);
    let row = rows.row("Shake turn", "Largest turn by the shake; it shakes while the simulation runs.").field("shake");
    row.number(drag(0.0..=45.0, 0.02, "°"), |to| &mut to.motion.shake_angle_deg);
    let row = rows.row("Shake shift", "Largest shift by the shake.").field("shake");
    row.number(drag(0.0..=5.0, 0.002, " m"), |to| &mut to.motion.shake_distance);
    if rows.to.motion.shake_angle_deg != 0.0 || rows.to.motion.shake_distance != 0.0 {
        let help = "Swings per second: below 1 the camera sways, from 5 on it shakes.";
        let row = rows.row("Shake rate", help).field("shake");
        row.number(drag(0.0..=30.0, 0.02, " /s"), |to| &mut to.motion.shake_hz);
    }
    if rows.to.kind == CameraKind::ThirdPerson {
        let help = "Spring arm: how far it lags behind the instance that it follows; 0 is a rigid arm.";
        let row = rows.row("Arm lag", help).field("arm lag");
        row.number(drag(0.0..=5.0, 0.005, " s"), |to| &mut to.motion.arm_lag_secs);
    }
    if matches!(rows.to.kind, CameraKind::Stationary | CameraKind::StationaryFollowing) {
        rail(rows, cx);
    }
}

/// The spline that it travels on while the simulation runs.
fn rail(rows: &mut EditRows<'_, SceneCamera>, cx: &UiContext<'_>) {
    let ui = &mut *rows.ui;
    let mut rail = rows.to.motion.rail.clone();
    let mut changed = None;
    ui.label("Rail").on_hover_text("A spline through points that it travels on while the simulation runs.");
    ui.horizontal_wrapped(|ui| {
        ui.label(if rail.is_empty() { "none".to_owned() } else { counted(rail.len(), "point") });
        let eye = cx.status.eye.map(|(eye, _)| eye);
        let add = ui.add_enabled(eye.is_some(), egui::Button::new("➕ Point here"));
        if add.on_hover_text("Another point at the end of the rail, where the viewport's eye is.").clicked() {
            rail.extend(eye);
            changed = Some("rail");
        }
        let any = !rail.is_empty();
        if any && ui.button("✖ Last point").on_hover_text("Take the last point out.").clicked() {
            rail.pop();
            changed = Some("end of the rail");
        }
        if any && ui.button("Clear rail").on_hover_text("Take all points out: the camera stands still.").clicked() {
            rail.clear();
            changed = Some("whole rail");
        }
    });
    ui.end_row();
    if let Some(field) = changed {
        rows.ask("", field, |to| to.motion.rail.clone_from(&rail));
    }
    if rail.len() < 2 {
        return;
    }
    let row = rows.row("Rail time", "From one end of the rail to the other, at constant speed.").field("rail time");
    row.number(drag(0.1..=3600.0, 0.1, " s"), |to| &mut to.motion.rail_secs);
    let row = rows.row("Rail end", "What it does where the rail ends.").field("rail end");
    row.choice(&RailEnd::ALL, RailEnd::label, |to| &mut to.motion.rail_end);
    if rows.to.kind == CameraKind::Stationary {
        let help = "Look along the rail; else as its angles say.";
        let row = rows.row("Looks along the rail", help).field("view along the rail");
        row.switch(|to| &mut to.motion.rail_looks_ahead);
    }
}
