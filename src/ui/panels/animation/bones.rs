//! The bones of a model: their bounding spheres, and the chains from the feet to the hips.

use super::clips::Chosen;
use crate::anim::fabrik::MAX_CHAIN;
use crate::asset::Skeleton;
use crate::scene::SceneModel;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::widgets::{axis, drag, form, number_or, text, vector};
use egui::{ComboBox, ScrollArea, Ui, WidgetInfo, WidgetType};
use glam::{Vec3, Vec4};

/// Draws the page; `picked` is the bone that is looked at.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, picked: &mut Option<u32>, out: &mut Vec<Command>) {
    let skeleton = &chosen.file.skeleton;
    *picked = picked.filter(|bone| (*bone as usize) < skeleton.len());
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            ui.set_width(210.0);
            list(ui, skeleton, picked);
        });
        ui.separator();
        ui.vertical(|ui| {
            sphere(ui, chosen, *picked, out);
            ui.add_space(8.0);
            legs(ui, chosen, out);
        });
    });
}

/// All bones as a tree.
fn list(ui: &mut Ui, skeleton: &Skeleton, picked: &mut Option<u32>) {
    let rows = skeleton.len();
    let height = ui.text_style_height(&egui::TextStyle::Body);
    ScrollArea::both().id_salt("bones").max_height(260.0).auto_shrink(false).show_rows(ui, height, rows, |ui, seen| {
        for bone in seen {
            ui.horizontal(|ui| {
                ui.add_space(8.0 * depth(skeleton, bone) as f32);
                let on = *picked == Some(bone as u32);
                if ui.selectable_label(on, skeleton.names[bone].as_str()).clicked() {
                    *picked = (!on).then_some(bone as u32);
                }
            });
        }
    });
}

/// How many bones stand above one; parents come before their children.
fn depth(skeleton: &Skeleton, bone: usize) -> usize {
    std::iter::successors(skeleton.parents[bone], |parent| skeleton.parents[parent.0 as usize]).count().min(24)
}

/// The bounding sphere of a bone.
fn sphere(ui: &mut Ui, chosen: &Chosen<'_>, bone: Option<u32>, out: &mut Vec<Command>) {
    let Some(bone) = bone else {
        ui.weak("Choose a bone to change its bounding sphere.");
        return;
    };
    let name = chosen.file.skeleton.names[bone as usize].as_str();
    let mut to = chosen.entry.clone();
    let Some(at) = to.bone_numbers.number(chosen.file, bone).map(|number| number as usize) else {
        ui.weak(format!("{name} is no bone of the skin: in scenes of the original program it has no bounding sphere."));
        return;
    };
    let mut adjust = to.sphere_adjustments.get(at).copied().unwrap_or(Vec4::W);
    let before = adjust;
    form(ui, "sphere", |ui| {
        text(ui, "Bone", name);
        let mut offset = adjust.truncate();
        vector(
            ui,
            "Sphere moved by",
            "Offset of the bone's bounding sphere.",
            (&mut offset, Vec3::ZERO),
            axis(0.01, "m"),
        );
        let factor = drag(0.0..=20.0, 0.01, "×");
        let help = "Radius of the sphere: 1 is half the distance to the parent bone. Too small ones count as none.";
        number_or(ui, "Sphere radius", help, (&mut adjust.w, 1.0), factor);
        adjust = offset.extend(adjust.w);
    });
    if adjust != before {
        if to.sphere_adjustments.len() <= at {
            to.sphere_adjustments.resize(at + 1, Vec4::W);
        }
        to.sphere_adjustments[at] = adjust;
        out.push(chosen.set("bounding spheres", &format!("sphere {bone}"), to));
    }
}

/// The chains that put the feet on the ground.
fn legs(ui: &mut Ui, chosen: &Chosen<'_>, out: &mut Vec<Command>) {
    let (skeleton, entry) = (&chosen.file.skeleton, chosen.entry);
    let numbers = entry.bone_numbers;
    form(ui, "legs", |ui| {
        for (side, chain) in [("Left", &entry.left_foot_chain), ("Right", &entry.right_foot_chain)] {
            ui.label(format!("{side} foot")).on_hover_text("The last joint of the leg, and where the leg begins.");
            let nodes = numbers.nodes(chosen.file, chain);
            let wanted = ui.horizontal(|ui| leg(ui, side, skeleton, &nodes)).inner;
            ui.end_row();
            if let Some(wanted) = numbers.numbers(chosen.file, &wanted).filter(|_| wanted != nodes) {
                let to = match side {
                    "Left" => SceneModel { left_foot_chain: wanted, ..entry.clone() },
                    _ => SceneModel { right_foot_chain: wanted, ..entry.clone() },
                };
                out.push(chosen.set(&format!("{} leg", side.to_lowercase()), side, to));
            }
        }
    });
}

/// The boxes of one leg; returns the chain that is wanted, foot first.
fn leg(ui: &mut Ui, side: &str, skeleton: &Skeleton, chain: &[u32]) -> Vec<u32> {
    let foot = chain.first().copied();
    let wanted = bone_box(ui, &format!("{side} foot bone"), skeleton, foot, 0..skeleton.len() as u32);
    if wanted != foot {
        // A thigh, a shin and a foot at first.
        return wanted.map_or_else(Vec::new, |foot| upwards(skeleton, foot, 3));
    }
    let above = foot.map_or_else(Vec::new, |foot| upwards(skeleton, foot, MAX_CHAIN));
    let hip = chain.last().copied();
    if foot.is_some() {
        let wanted = bone_box(ui, &format!("{side} leg begins at"), skeleton, hip, above.iter().skip(1).copied());
        if let Some(end) = above.iter().position(|bone| wanted != hip && Some(*bone) == wanted) {
            return above[..=end].to_vec();
        }
    }
    chain.to_vec()
}

/// A bone and up to `most - 1` of those above it, without the root, which no leg holds.
fn upwards(skeleton: &Skeleton, bone: u32, most: usize) -> Vec<u32> {
    std::iter::successors(Some(bone), |bone| skeleton.parents.get(*bone as usize)?.map(|parent| parent.0))
        .take_while(|bone| skeleton.parents.get(*bone as usize).is_some_and(Option::is_some))
        .take(most)
        .collect()
}

/// A box to choose a bone from, or none.
pub fn bone_box(
    ui: &mut Ui,
    label: &str,
    skeleton: &Skeleton,
    now: Option<u32>,
    among: impl Iterator<Item = u32>,
) -> Option<u32> {
    let name = |bone: Option<u32>| bone.and_then(|b| skeleton.names.get(b as usize)).map_or("none", String::as_str);
    let mut wanted = now;
    let response = ComboBox::from_id_salt(label).selected_text(name(now)).width(130.0).truncate().show_ui(ui, |ui| {
        choice_row(ui, &mut wanted, None, "none");
        for bone in among {
            choice_row(ui, &mut wanted, Some(bone), name(Some(bone)));
        }
    });
    response.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, label));
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::math::Trs;

    #[test]
    fn chains_go_up_from_the_foot_and_end_below_the_root() {
        let parents = [None, Some(0), Some(1), Some(2), Some(3)].map(|p| p.map(NodeId));
        let names = (0..5).map(|i| format!("b{i}")).collect();
        let skeleton = Skeleton { names, parents: parents.to_vec(), rest: vec![Trs::IDENTITY; 5] };
        assert_eq!(upwards(&skeleton, 4, 3), [4, 3, 2]);
        assert_eq!(upwards(&skeleton, 2, 5), [2, 1]);
        assert_eq!(upwards(&skeleton, 9, 3), [0; 0]);
        assert_eq!(depth(&skeleton, 4), 4);
    }
}
