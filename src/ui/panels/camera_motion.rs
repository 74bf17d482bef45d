//! How a camera moves by itself: roll, shake, the lag of its arm, and its rail.

use crate::camera::RailEnd;
use crate::scene::{CameraMotion, SceneCamera};
use crate::ui::UiContext;
use crate::ui::widgets::{choice, drag, number_or, switch};
use crate::vocab::CameraKind;
use egui::Ui;

/// Draws the fields. Returns what was changed.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, to: &mut SceneCamera) -> Option<&'static str> {
    let usual = CameraMotion::default();
    let kind = to.kind;
    let motion = &mut to.motion;
    let mut changed = None;
    let roll = drag(-180.0..=180.0, 0.2, "°").decimals(1);
    let help = "Turn about the direction of view, clockwise.";
    if number_or(ui, "Roll", help, (&mut motion.roll_deg, usual.roll_deg), roll).changed() {
        changed = Some("roll");
    }
    let angle = drag(0.0..=45.0, 0.02, "°");
    let help = "Largest turn by the shake; it shakes while the simulation runs.";
    if number_or(ui, "Shake turn", help, (&mut motion.shake_angle_deg, usual.shake_angle_deg), angle).changed() {
        changed = Some("shake");
    }
    let distance = drag(0.0..=5.0, 0.002, " m");
    let help = "Largest shift by the shake.";
    if number_or(ui, "Shake shift", help, (&mut motion.shake_distance, usual.shake_distance), distance).changed() {
        changed = Some("shake");
    }
    if motion.shake_angle_deg != 0.0 || motion.shake_distance != 0.0 {
        let rate = drag(0.0..=30.0, 0.02, " /s");
        let help = "Swings per second: below 1 the camera sways, from 5 on it shakes.";
        if number_or(ui, "Shake rate", help, (&mut motion.shake_hz, usual.shake_hz), rate).changed() {
            changed = Some("shake");
        }
    }
    if kind == CameraKind::ThirdPerson {
        let lag = drag(0.0..=5.0, 0.005, " s");
        let help = "Spring arm: how far it lags behind whom it follows; 0 is a rigid arm.";
        if number_or(ui, "Arm lag", help, (&mut motion.arm_lag_secs, usual.arm_lag_secs), lag).changed() {
            changed = Some("arm lag");
        }
    }
    if matches!(kind, CameraKind::Stationary | CameraKind::StationaryFollowing) {
        changed = rail(ui, cx, kind, motion).or(changed);
    }
    changed
}

/// The spline that it travels on while the simulation runs. Returns what was changed.
fn rail(ui: &mut Ui, cx: &UiContext<'_>, kind: CameraKind, motion: &mut CameraMotion) -> Option<&'static str> {
    let usual = CameraMotion::default();
    let mut changed = None;
    ui.label("Rail").on_hover_text("A spline through points that it travels on while the simulation runs.");
    ui.horizontal_wrapped(|ui| {
        ui.label(match motion.rail.len() {
            0 => "none".to_owned(),
            1 => "1 point".to_owned(),
            count => format!("{count} points"),
        });
        let eye = cx.status.eye.map(|(eye, _)| eye);
        let add = ui.add_enabled(eye.is_some(), egui::Button::new("➕ Point here"));
        if add.on_hover_text("Another point at the end of the rail, where the viewport's eye is.").clicked() {
            motion.rail.extend(eye);
            changed = Some("rail");
        }
        let any = !motion.rail.is_empty();
        if any && ui.button("✖ Last point").on_hover_text("Take the last point out.").clicked() {
            motion.rail.pop();
            changed = Some("end of the rail");
        }
        if any && ui.button("Clear rail").on_hover_text("Take all points out: the camera stands still.").clicked() {
            motion.rail.clear();
            changed = Some("whole rail");
        }
    });
    ui.end_row();
    if motion.rail.len() < 2 {
        return changed;
    }
    let time = drag(0.1..=3600.0, 0.1, " s");
    let help = "From one end of the rail to the other, at constant speed.";
    if number_or(ui, "Rail time", help, (&mut motion.rail_secs, usual.rail_secs), time).changed() {
        changed = Some("rail time");
    }
    let help = "What it does where the rail ends.";
    if choice(ui, "Rail end", help, (&mut motion.rail_end, usual.rail_end), &RailEnd::ALL, RailEnd::label) {
        changed = Some("rail end");
    }
    let ahead = (&mut motion.rail_looks_ahead, usual.rail_looks_ahead);
    let help = "Look along the rail; else as its angles say.";
    if kind == CameraKind::Stationary && switch(ui, "Looks along the rail", help, ahead).changed() {
        changed = Some("view along the rail");
    }
    changed
}
