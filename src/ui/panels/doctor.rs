//! What the doctor found: a row for each finding, which leads there, and a button that mends it where the program can.

use crate::inspect::doctor::{Diagnosis, Doctor, Examination};
use crate::nav::doctor::{DoctorStep, Finding, Mend};
use crate::scene::edit::Edit;
use crate::scene::nav::MeshSource;
use crate::scene::{Scene, SceneInstance, SceneNav, Settings};
use crate::ui::UiContext;
use crate::ui::command::{Command, EditStep};
use crate::ui::edits;
use crate::ui::names::capitalized;
use crate::ui::theme::{color, ink};
use crate::ui::widgets::follow_selected;
use crate::vocab::counted;
use egui::{Button, Response, RichText, ScrollArea, Ui};
use std::sync::Arc;

/// Help of the buttons that mend.
const MEND_HELP: &str = "Change this in the scene, and examine it again; Undo takes it back.";
/// Most rows that are drawn.
const MAX_ROWS: usize = 500;

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let doctor = cx.inspector.doctor();
    ui.horizontal_wrapped(|ui| {
        let help = "Examine the level, the navigation mesh, links and targets for the agents of the bake settings.";
        if ui.add_enabled(!doctor.is_busy(), Button::new("Examine")).on_hover_text(help).clicked() {
            out.push(Command::Examine(Examination::Everything));
        }
        if doctor.is_busy() {
            if ui.button("Cancel").on_hover_text("Stop; what was found before stays.").clicked() {
                out.push(Command::CancelExamination);
            }
            ui.spinner();
            ui.weak(doctor.step().map_or("Waiting for the level…", DoctorStep::label));
        } else if let Some(diagnosis) = doctor.diagnosis().filter(|diagnosis| diagnosis.answer.is_none()) {
            ui.weak(match diagnosis.findings.len() {
                0 => "Nothing found.".to_owned(),
                count => format!("{}. Click one to see it.", counted(count, "finding")),
            });
        } else if doctor.diagnosis().is_none() {
            ui.weak("Says what is wrong with the level and its navigation, where, and how to mend it.");
        }
    });
    let Some(diagnosis) = doctor.diagnosis() else { return };
    ui.separator();
    if doctor.is_outdated() {
        let text = "The scene has changed since: examine it again.";
        ui.label(RichText::new(text).color(ink(ui, color::WARN)));
    }
    if let Some(answer) = &diagnosis.answer {
        ui.strong("Why is there no path?");
        ui.label(answer);
        ui.add_space(4.0);
    }
    if let Some(error) = &diagnosis.error {
        ui.label(RichText::new(error).color(ink(ui, color::BAD)));
    }
    if let Some(note) = &diagnosis.note {
        ui.weak(note);
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let count = diagnosis.findings.len();
        for number in 0..count.min(MAX_ROWS) {
            let shown = row(ui, cx.scene, (&**diagnosis, number), doctor, out);
            if doctor.selected() == Some(number) {
                follow_selected(ui, "selected finding", number, &shown);
            }
        }
        if count > MAX_ROWS {
            ui.weak(format!("{} more; `walkabout doctor` lists all.", count - MAX_ROWS));
        }
    });
}

/// A finding by its number, and what mends it; all of its lines.
fn row(
    ui: &mut Ui,
    scene: &Scene,
    (diagnosis, number): (&Diagnosis, usize),
    doctor: &Doctor,
    out: &mut Vec<Command>,
) -> Response {
    let finding = &diagnosis.findings[number];
    let shown = ui.push_id(number, |ui| {
        ui.horizontal_wrapped(|ui| {
            let title = RichText::new(finding.fault.label()).strong();
            let title = Button::selectable(doctor.selected() == Some(number), title);
            if ui.add(title).on_hover_text("Show it").clicked() {
                out.push(Command::ShowFinding(number));
            }
            let mended = finding.mend.as_ref().and_then(|mend| mending(scene, diagnosis, finding, mend));
            if let Some((label, step)) = mended
                && mend_button(ui, label, doctor).clicked()
            {
                out.push(Command::Edit(Box::new(step)));
                if matches!(finding.mend, Some(Mend::Scale(_) | Mend::StandUp(_))) {
                    // What had another size or lay is elsewhere now.
                    out.push(Command::ShowLevels(scene.levels.ids().collect()));
                }
                // After an answer the same question is asked again.
                let again = if diagnosis.answer.is_some() { doctor.question() } else { Examination::Everything };
                out.push(Command::Examine(again));
            }
            let [x, y, z] = finding.place.to_array();
            ui.weak(format!("at ({x:.2}, {y:.2}, {z:.2})"));
        });
        ui.label(&finding.cause);
        ui.weak(&finding.remedy);
        ui.add_space(4.0);
    });
    shown.response
}

/// A button that mends. It waits while what was found may be mended already: a mend counts from the scene that was examined, so that
/// a second click would scale twice or take out another link.
fn mend_button(ui: &mut Ui, label: String, doctor: &Doctor) -> Response {
    let is_new = !(doctor.is_busy() || doctor.is_outdated());
    let button = ui.add_enabled(is_new, Button::new(label)).on_hover_text(MEND_HELP);
    button.on_disabled_hover_text("The scene has changed since: it has to be examined again first.")
}

/// The edit that mends a finding, and what its button says; `None` where the scene cannot hold it.
fn mending(scene: &Scene, diagnosis: &Diagnosis, finding: &Finding, mend: &Mend) -> Option<(String, EditStep)> {
    let (label, edit) = change(scene, diagnosis, mend)?;
    let name = format!("mend: {}", finding.fault.label().to_lowercase());
    Some((capitalized(&label), EditStep { name, edit, merge: None }))
}

/// The label of a button that mends, and the edit that it makes.
fn change(scene: &Scene, diagnosis: &Diagnosis, mend: &Mend) -> Option<(String, Edit)> {
    let nav = |change: &dyn Fn(&mut SceneNav)| {
        let mut to = SceneNav::clone(&scene.nav);
        change(&mut to);
        Edit::SetNav(Box::new(to))
    };
    Some(match mend {
        Mend::Climb(_)
        | Mend::Slope(_)
        | Mend::Radius(_)
        | Mend::Height(_)
        | Mend::CellSize(_)
        | Mend::Link(_)
        | Mend::Many(_) => {
            let (mut nav, mut settings) = (SceneNav::clone(&scene.nav), Settings::clone(&scene.settings));
            let label = adjust(&mut nav, &mut settings, mend)?;
            (label, Edit::Many(vec![Edit::SetNav(Box::new(nav)), Edit::SetSettings(settings)]))
        }
        Mend::MoveTarget { target, to } => {
            let id = *diagnosis.targets.get(*target)?;
            let instance = scene.instances.get(id)?;
            let to = SceneInstance { position: to.as_vec3(), ..SceneInstance::clone(instance) };
            ("Move it onto the ground".to_owned(), Edit::SetInstance { id, to: Arc::new(to) })
        }
        Mend::Scale(_) | Mend::StandUp(_) => {
            let placed = scene.levels.iter().map(|(id, level)| {
                let (label, to) = edits::placed_anew(level, mend)?;
                Some((label, Edit::SetLevel { id, to }))
            });
            let (labels, edits): (Vec<String>, Vec<Edit>) = placed.collect::<Option<Vec<_>>>()?.into_iter().unzip();
            (labels.into_iter().next()?, Edit::Many(edits))
        }
        // Links of a file of a mesh are no part of the scene.
        Mend::RemoveLink(_) | Mend::MoveLink { .. } if matches!(scene.nav.mesh, MeshSource::File(_)) => return None,
        Mend::RemoveLink(link) => {
            scene.nav.bake.placed_links.get(*link)?;
            ("Remove the link".to_owned(), nav(&|nav| _ = nav.bake.placed_links.remove(*link)))
        }
        Mend::MoveLink { link, ends } => {
            scene.nav.bake.placed_links.get(*link)?;
            let moved = nav(&|nav| {
                let link = &mut nav.bake.placed_links[*link];
                [link.start, link.end] = *ends;
            });
            ("Move it onto the ground".to_owned(), moved)
        }
    })
}

/// Changes what agents can do, the cells of the bake, or its links; the label of the button that does.
fn adjust(nav: &mut SceneNav, settings: &mut Settings, mend: &Mend) -> Option<String> {
    let bake = &mut nav.bake;
    Some(match mend {
        Mend::Climb(height) => {
            bake.agent_climb = bake.agent_climb.max(*height);
            settings.nav.max_step_height = settings.nav.max_step_height.max(*height);
            format!("Climb {height:.2} m")
        }
        Mend::Slope(slope) => {
            let degrees = slope.to_degrees();
            bake.slope_rad = bake.slope_rad.max(*slope);
            settings.nav.ground_slope_deg = settings.nav.ground_slope_deg.max(degrees);
            format!("Walk slopes of {degrees:.0}°")
        }
        Mend::Radius(radius) => {
            bake.agent_radius = *radius;
            format!("Radius {radius:.2} m")
        }
        Mend::Height(height) => {
            bake.agent_height = *height;
            format!("Height {height:.2} m")
        }
        Mend::CellSize(edge) => {
            bake.cell_size = bake.cell_size.min(*edge);
            format!("cells {edge:.2} m")
        }
        Mend::Link(link) => {
            bake.placed_links.push(link.clone());
            "Place a link".to_owned()
        }
        Mend::Many(all) => {
            let labels: Option<Vec<String>> = all.iter().map(|mend| adjust(nav, settings, mend)).collect();
            labels?.join(", ")
        }
        Mend::MoveTarget { .. } | Mend::Scale(_) | Mend::StandUp(_) | Mend::RemoveLink(_) | Mend::MoveLink { .. } => {
            return None;
        }
    })
}
