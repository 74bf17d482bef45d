//! Lists of what was placed: obstacles and doors, threats, volumes, links, seeds, crowds.

use crate::math::Ray;
use crate::nav::mesh::off_mesh::LinkKind;
use crate::scene::SceneNav;
use crate::scene::nav::{MeshSource, ObstacleShape, PlacedCrowd};
use crate::ui::command::Command;
use crate::ui::names::capitalized;
use crate::ui::nav_tools::{NavTools, PlacedItem};
use crate::ui::theme::{color, ink};
use crate::ui::widgets::{coordinates, drag, value_or};
use crate::ui::{UiContext, UiState, edits};
use egui::{Align, Layout, Ui};
use glam::Vec3;

/// Most rows of a list.
const MAX_ROWS: usize = 50;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    let bake = &nav.bake;
    let counts = [
        nav.obstacles.len(),
        nav.threats.len(),
        bake.volumes.len(),
        bake.placed_links.len(),
        bake.seeds.len(),
        nav.crowds.len(),
        nav.barred.len(),
        nav.destroyed.len(),
    ];
    if counts.iter().all(|count| *count == 0) {
        ui.add(egui::Label::new(egui::RichText::new("Nothing yet. The tools above place things.").weak()).wrap());
        return;
    }
    let nav_tools = &mut state.nav_tools;
    list(ui, "Obstacles and doors", counts[0], |ui, i| obstacle(ui, nav, nav_tools, i, out));
    list(ui, "Threats", counts[1], |ui, i| {
        row(ui, nav, nav_tools, PlacedItem::Threat(i), &place(nav.threats[i]), out, |_, _| {});
    });
    list(ui, "Volumes", counts[2], |ui, i| {
        row(ui, nav, nav_tools, PlacedItem::Volume(i), "", out, |ui, out| {
            let mut area = bake.volumes[i].area;
            if super::tools::area(ui, &format!("area-{i}"), &mut area) {
                let what = format!("change the area of volume {}", i + 1);
                out.push(changed(nav, what, ("area", i), |to| to.bake.volumes[i].area = area));
            }
        });
    });
    list(ui, "Links", counts[3], |ui, i| link(ui, cx, nav_tools, i, out));
    list(ui, "Seeds", counts[4], |ui, i| {
        row(ui, nav, nav_tools, PlacedItem::Seed(i), &place(bake.seeds[i].as_vec3()), out, |_, _| {});
    });
    list(ui, "Crowds", counts[5], |ui, i| {
        row(ui, nav, nav_tools, PlacedItem::CrowdGoal(i), "", out, |ui, out| {
            let (mut count, usual) = (nav.crowds[i].count, PlacedCrowd::default().count);
            let agents = drag(1.0..=2000.0, 1.0, " agents");
            let help = "How many it has; they start over.";
            if value_or(ui, "crowd", help, (&mut count, usual), agents).changed() {
                let what = format!("change crowd {}", i + 1);
                out.push(changed(nav, what, ("crowd-count", i), |to| to.crowds[i].count = count));
            }
        });
    });
    list(ui, "Blocked polygons", counts[6], |ui, i| {
        row(ui, nav, nav_tools, PlacedItem::Barred(i), &place(nav.barred[i]), out, |_, _| {});
    });
    list(ui, "Destroyed cover", counts[7], |ui, i| {
        row(ui, nav, nav_tools, PlacedItem::Destroyed(i), &place(nav.destroyed[i]), out, |_, _| {});
    });
}

/// A link: its kind, whether it leads back, and below it why no character could take it.
fn link(ui: &mut Ui, cx: &UiContext<'_>, nav_tools: &mut NavTools, i: usize, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    row(ui, nav, nav_tools, PlacedItem::LinkEnd(i), "", out, |ui, out| {
        let link = &nav.bake.placed_links[i];
        let (mut kind, mut both_ways) = (link.kind, link.both_ways);
        super::tools::link_kind(ui, &format!("link-kind-{i}"), &mut kind);
        let is_back = ui.checkbox(&mut both_ways, "Both ways").on_hover_text("Whether it leads back too.");
        let what = || format!("change link {}", i + 1);
        if kind != link.kind {
            out.push(changed(nav, what(), ("link-kind", i), |to| {
                let link = &mut to.bake.placed_links[i];
                (link.kind, link.both_ways) = (kind, both_ways && kind != LinkKind::Drop);
            }));
        } else if is_back.changed() {
            out.push(changed(nav, what(), ("both-ways", i), |to| to.bake.placed_links[i].both_ways = both_ways));
        }
    });
    let is_free = |from: Vec3, to: Vec3| {
        let ray = Ray { origin: from, direction: to - from };
        cx.world.triangle_tree().is_none_or(|tree| tree.raycast(&ray, 1.0).is_none())
    };
    let link = &nav.bake.placed_links[i];
    // The mesh of a file has links of its own.
    let built = cx.world.mesh().built().filter(|_| !matches!(nav.mesh, MeshSource::File(_)));
    let fault = built.and_then(|built| link.snapped(&built.mesh, i).err());
    let left_out = fault.map(|fault| format!("⚠ {}. The mesh goes without it.", capitalized(&fault.to_string())));
    let doubted = || link.doubt(is_free).map(|doubt| format!("⚠ Link {}: {doubt}.", i + 1));
    if let Some(text) = left_out.or_else(doubted) {
        ui.add(egui::Label::new(egui::RichText::new(text).small().color(ink(ui, color::WARN))).wrap());
    }
}

/// A step that changes the field of one thing of a list by its number: the edits of two things become two steps. The whole is copied only
/// then, and not for each row.
fn changed(nav: &SceneNav, what: String, (field, i): (&str, usize), change: impl FnOnce(&mut SceneNav)) -> Command {
    let mut to = nav.clone();
    change(&mut to);
    edits::set_nav(what, &format!("{field} {i}"), to)
}

fn place(at: Vec3) -> String {
    coordinates(at, 1)
}

fn list(ui: &mut Ui, title: &str, count: usize, mut body: impl FnMut(&mut Ui, usize)) {
    if count == 0 {
        return;
    }
    egui::CollapsingHeader::new(format!("{title} ({count})")).id_salt(title).default_open(true).show(ui, |ui| {
        (0..count.min(MAX_ROWS)).for_each(|i| body(ui, i));
        if count > MAX_ROWS {
            ui.weak(format!("and {} more", count - MAX_ROWS));
        }
    });
}

/// A row: the name picks it, the cross removes it.
fn row(
    ui: &mut Ui,
    nav: &SceneNav,
    nav_tools: &mut NavTools,
    item: PlacedItem,
    text: &str,
    out: &mut Vec<Command>,
    body: impl FnOnce(&mut Ui, &mut Vec<Command>),
) {
    ui.horizontal(|ui| {
        let label = capitalized(&item.whole());
        if ui.selectable_label(nav_tools.picked == Some(item), label).on_hover_text("Mark it in the viewport").clicked()
        {
            if nav_tools.tool != item.tool() {
                nav_tools.choose(item.tool());
            }
            nav_tools.picked = Some(item);
        }
        body(ui, out);
        if !text.is_empty() {
            ui.weak(text);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.small_button("✖").on_hover_text("Remove it").clicked()
                && let Some(step) = nav_tools.remove(nav, item)
            {
                out.push(Command::Edit(Box::new(step)));
            }
        });
    });
}

fn obstacle(ui: &mut Ui, nav: &SceneNav, nav_tools: &mut NavTools, i: usize, out: &mut Vec<Command>) {
    row(ui, nav, nav_tools, PlacedItem::Obstacle(i), "", out, |ui, out| {
        let one = &nav.obstacles[i];
        let mut open = one.open;
        let help = "An open door is no obstacle.";
        if ui.checkbox(&mut open, "Open").on_hover_text(help).changed() {
            let what = format!("{} obstacle {}", if open { "open" } else { "close" }, i + 1);
            out.push(changed(nav, what, ("open", i), |to| to.obstacles[i].open = open));
            return;
        }
        if let ObstacleShape::Box { yaw_deg: before, .. } = one.shape {
            let (mut turned, turn) = (before, drag(-360.0..=360.0, 1.0, "°").decimals(0));
            if value_or(ui, "turn", "Turn about the up axis.", (&mut turned, 0.0), turn).changed() {
                out.push(changed(nav, format!("turn obstacle {}", i + 1), ("turn", i), |to| {
                    if let ObstacleShape::Box { yaw_deg, .. } = &mut to.obstacles[i].shape {
                        *yaw_deg = turned;
                    }
                }));
            }
        }
    });
}
