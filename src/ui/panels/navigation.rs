//! Navigation and physics switches of the whole scene.

use crate::anim::inertialization::Transition;
use crate::scene::Settings;
use crate::scene::limits::IK_ITERATIONS_MAX;
use crate::sim::EventKind;
use crate::ui::command::Command;
use crate::ui::widgets::{choice, drag, form, number_or, section, switch, text};
use crate::ui::{UiContext, edits};
use crate::vocab::CollisionMode;
use egui::Ui;
use egui_plot::{Line, Plot, PlotPoints};

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Navigation", true, |ui| {
        let (mut to, usual) = ((*cx.scene.settings).clone(), Settings::of_new_scene());
        form(ui, "navigation", |ui| {
            let help = "Whether characters walk to their targets.";
            if switch(ui, "Characters walk", help, (&mut to.nav.enabled, usual.nav.enabled)).changed() {
                let what = if to.nav.enabled { "switch navigation on" } else { "switch navigation off" };
                out.push(edits::set_settings(what, "nav", to.clone()));
            }
            let gravity = (&mut to.gravity_enabled, usual.gravity_enabled);
            if switch(ui, "Gravity", "Whether characters fall.", gravity).changed() {
                let what = if to.gravity_enabled { "switch gravity on" } else { "switch gravity off" };
                out.push(edits::set_settings(what, "gravity", to.clone()));
            }
            let help = "Steepest ground that can be walked on, in degrees.";
            let slope = drag(0.0..=90.0, 0.2, "°");
            let value = (&mut to.nav.ground_slope_deg, usual.nav.ground_slope_deg);
            if number_or(ui, "Slope", help, value, slope).changed() {
                out.push(edits::set_settings("change the walkable slope", "slope", to.clone()));
            }
            let help = "Highest step that can be walked up, in metres.";
            let step = drag(0.0..=10.0, 0.01, " m");
            let value = (&mut to.nav.max_step_height, usual.nav.max_step_height);
            if number_or(ui, "Step", help, value, step).changed() {
                out.push(edits::set_settings("change the step height", "step", to.clone()));
            }
            let help = "How characters that touch each other are found.";
            let mode = (&mut to.collision_mode, usual.collision_mode);
            if choice(ui, "Collisions", help, mode, CollisionMode::ALL, CollisionMode::label) {
                out.push(edits::set_settings("change the collision test", "collisions", to.clone()));
            }
            if to.collision_mode != CollisionMode::Off {
                let of_kind = |row: &(EventKind, u64)| row.0 == EventKind::Contact;
                let count = cx.world.event_counts().find(of_kind).map_or(0, |row| row.1);
                text(ui, "So far", format!("{count} contacts"));
                contacts(ui, cx);
            }
            transitions(ui, &mut to, &usual, out);
            feet(ui, &mut to, &usual, out);
        });
    });
}

/// How many pairs touch each other now, and in the last seconds.
fn contacts(ui: &mut Ui, cx: &UiContext<'_>) {
    let history = cx.inspector.contacts();
    text(ui, "Touch now", format!("{} pairs", history.last()));
    ui.label("");
    let samples: Vec<f32> = history.iter().map(|pairs| pairs as f32).collect();
    let plot = Plot::new("contacts").height(48.0).width(160.0).include_y(0.0).show_x(false).show_axes([false, true]);
    let plot = plot.allow_drag(false).allow_zoom(false).allow_scroll(false);
    plot.show(ui, |plot| plot.line(Line::new("touching pairs", PlotPoints::from_ys_f32(&samples))));
    ui.end_row();
}

/// How the animation of characters goes from one state into another.
fn transitions(ui: &mut Ui, to: &mut Settings, usual: &Settings, out: &mut Vec<Command>) {
    let help = "At a change of gait or action the next clip plays at once, and joints keep their speed (inertialization), in \
                place of a cross-fade of both clips.";
    let mut inertial = to.transition == Transition::Inertial;
    if switch(ui, "Inertial transitions", help, (&mut inertial, usual.transition == Transition::Inertial)).changed() {
        to.transition = if inertial { Transition::Inertial } else { Transition::CrossFade };
        let what = if inertial { "inertialize transitions" } else { "cross-fade transitions" };
        out.push(edits::set_settings(what, "transitions", to.clone()));
    }
}

/// Whether feet are put on the ground, and how exactly.
fn feet(ui: &mut Ui, to: &mut Settings, usual: &Settings, out: &mut Vec<Command>) {
    let help = "Bend the legs so that feet stand on slopes and steps.";
    if switch(ui, "Feet on the ground", help, (&mut to.ik_enabled, usual.ik_enabled)).changed() {
        let what = if to.ik_enabled { "put feet on the ground" } else { "leave feet as the clips have them" };
        out.push(edits::set_settings(what, "feet", to.clone()));
    }
    if to.ik_enabled {
        let help = "Most iterations of the solver (FABRIK) for a leg; more are more exact.";
        let rounds = drag(1.0..=f64::from(IK_ITERATIONS_MAX), 0.05, "");
        if number_or(ui, "IK iterations", help, (&mut to.ik_iterations, usual.ik_iterations), rounds).changed() {
            out.push(edits::set_settings("change the iterations of leg IK", "feet-rounds", to.clone()));
        }
        let help = "Solve the legs on the graphics processor, in place of the processor; they look the same.";
        if switch(ui, "Legs on the device", help, (&mut to.ik_on_device, usual.ik_on_device)).changed() {
            let what = if to.ik_on_device { "solve legs on the device" } else { "solve legs on the processor" };
            out.push(edits::set_settings(what, "feet-device", to.clone()));
        }
    }
}
