//! Navigation and physics switches of the whole scene.

use crate::anim::inertialization::Transition;
use crate::scene::Settings;
use crate::scene::limits::MAX_IK_ITERATIONS;
use crate::scene::nav::MeshSource;
use crate::sim::EventKind;
use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::edit_rows::{self, EditRows};
use crate::ui::widgets::{drag, form, section, text};
use crate::vocab::CollisionMode;
use egui::{Label, RichText, Ui};
use egui_plot::{Line, Plot, PlotPoints};

/// Draws the section.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    section(ui, "Navigation", true, |ui| {
        form(ui, "navigation", |ui| {
            let mut rows = edit_rows::of_settings(ui, cx, out);
            rows.row("Characters walk", "Whether characters walk to their targets.")
                .either("switch navigation on", "switch navigation off", "nav")
                .switch(|to| &mut to.nav.enabled);
            rows.row("Gravity", "Whether characters fall.")
                .either("switch gravity on", "switch gravity off", "gravity")
                .switch(|to| &mut to.gravity_enabled);
            rows.row("Slope", "Steepest ground that can be walked on, in degrees. On a baked mesh the slope of its agent counts, too: the smaller of both.")
                .edit("change the walkable slope", "slope")
                .number(drag(0.0..=90.0, 0.2, "°"), |to| &mut to.nav.ground_slope_deg);
            rows.row("Step", "Highest step that can be walked up, in metres. On a baked mesh that of its agent counts, too: the smaller of both.")
                .edit("change the step height", "step")
                .number(drag(0.0..=10.0, 0.01, " m"), |to| &mut to.nav.max_step_height);
            agent_limits(rows.ui, cx);
            rows.row("Collisions", "How characters that touch each other are found.")
                .edit("change the collision test", "collisions")
                .choice(CollisionMode::ALL, CollisionMode::label, |to| &mut to.collision_mode);
            if rows.to.collision_mode != CollisionMode::Off {
                let of_kind = |row: &(EventKind, u64)| row.0 == EventKind::Contact;
                let count = cx.world.event_counts().find(of_kind).map_or(0, |row| row.1);
                text(rows.ui, "So far", format!("{count} contacts"));
                contacts(rows.ui, cx);
            }
            transitions(&mut rows);
            feet(&mut rows);
        });
    });
}

/// Says where the agent of a baked mesh walks less than characters could: it holds there.
fn agent_limits(ui: &mut Ui, cx: &UiContext<'_>) {
    let (nav, ground) = (&cx.scene.nav, &cx.scene.settings.nav);
    let slope_deg = nav.bake.slope_rad.to_degrees();
    let slope = (slope_deg + 0.01 < ground.ground_slope_deg).then(|| format!("slope {slope_deg:.0}°"));
    let climb = nav.bake.agent_climb;
    let step = (climb + 1e-3 < ground.max_step_height).then(|| format!("step {climb:.2} m"));
    let said: Vec<String> = slope.into_iter().chain(step).collect();
    if nav.mesh != MeshSource::Baked || said.is_empty() {
        return;
    }
    let said = format!("On the mesh its agent counts: {}.", said.join(", "));
    ui.label("");
    let help = "The smaller of both holds. The agent is changed in the panel Navigation, beside Bake.";
    ui.add(Label::new(RichText::new(said).small().weak()).wrap()).on_hover_text(help);
    ui.end_row();
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
fn transitions(rows: &mut EditRows<'_, Settings>) {
    let help = "At a change of gait or action the next clip plays at once, and joints keep their speed (inertialization), in \
                place of a cross-fade of both clips.";
    rows.row("Inertial transitions", help)
        .either("inertialize transitions", "cross-fade transitions", "transitions")
        .switch_between([Transition::Inertial, Transition::CrossFade], |to| &mut to.transition);
}

/// Whether feet are put on the ground, and how exactly.
fn feet(rows: &mut EditRows<'_, Settings>) {
    rows.row("Feet on the ground", "Bend the legs so that feet stand on slopes and steps.")
        .either("put feet on the ground", "leave feet as the clips have them", "feet")
        .switch(|to| &mut to.ik_enabled);
    if rows.to.ik_enabled {
        rows.row("IK iterations", "Most iterations of the solver (FABRIK) for a leg; more are more exact.")
            .edit("change the iterations of leg IK", "feet-rounds")
            .number(drag(1.0..=f64::from(MAX_IK_ITERATIONS), 0.05, ""), |to| &mut to.ik_iterations);
        let help = "Solve the legs on the graphics processor, in place of the processor; they look the same.";
        rows.row("Legs on the device", help)
            .either("solve legs on the device", "solve legs on the processor", "feet-device")
            .switch(|to| &mut to.ik_on_device);
    }
}
