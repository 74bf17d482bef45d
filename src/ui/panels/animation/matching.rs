//! Motion matching of a model: whether it walks by it, the clips that it takes from, and what plays on the instance that
//! is looked at.

use super::clips::{Chosen, clip_name};
use crate::anim::legs::Legs;
use crate::ids::InstanceId;
use crate::ui::UiContext;
use crate::ui::command::Command;
use crate::ui::widgets::form;
use egui::{Checkbox, Ui};

/// Draws the page.
pub fn show(
    ui: &mut Ui,
    chosen: &Chosen<'_>,
    cx: &UiContext<'_>,
    shown_on: Option<InstanceId>,
    out: &mut Vec<Command>,
) {
    let mut to = chosen.entry.clone();
    let help = "Ten times a second the frame of its clips that fits its pose and its way ahead best is looked for, and plays on. \
                Clips that travel or turn play on the spot. Without it, it walks by its gaits.";
    ui.checkbox(&mut to.clip_sources.root_tracks, "Walk by motion matching").on_hover_text(help);
    if to.clip_sources.root_tracks {
        live(ui, chosen, cx, shown_on);
        ui.add_space(8.0);
        clips(ui, chosen, &mut to.matching_clips);
    } else {
        ui.weak("Off: it walks by its gaits. It takes a human body, foot chains (page Bones) and clips that move.");
    }
    if to != *chosen.entry {
        out.push(chosen.set("motion matching", "motion matching", to));
    }
}

/// Size of the database, and what plays.
fn live(ui: &mut Ui, chosen: &Chosen<'_>, cx: &UiContext<'_>, shown_on: Option<InstanceId>) {
    let Some(id) = shown_on else {
        ui.weak("No instance in the scene shows this model.");
        return;
    };
    let Some(database) = cx.world.motion_database(id) else {
        let text = format!("It walks by its gaits: {}.", missing(chosen));
        ui.colored_label(ui.visuals().warn_fg_color, text);
        return;
    };
    let matched = cx.world.matched_motion(id);
    form(ui, "motion-matching", |ui| {
        let mut row = |name: &str, text: String| {
            ui.label(name);
            ui.label(text);
            ui.end_row();
        };
        let (clips, secs) = (database.clips().len(), database.total_secs());
        row("Database", format!("{clips} clips, {secs:.1} s, {} frames", database.len()));
        row("Memory", format!("{:.2} MB", database.bytes() as f32 / 1e6));
        match matched {
            Some(matched) => {
                let clip = clip_name(chosen.file, matched.at.clip.0);
                row("Plays", format!("{clip} at {:.2} s", matched.at.time_secs));
                row("Cost", format!("{:.2}", matched.cost));
                row("Jumps", matched.jumps.to_string());
            }
            None => row("Plays", "an action".to_owned()),
        }
    });
    ui.weak("The overlay Motion trajectories shows where it is about to go, and where the clip would lead.");
}

/// What motion matching lacks, where it has no frames to take from.
fn missing(chosen: &Chosen<'_>) -> &'static str {
    let (entry, file) = (chosen.entry, chosen.file);
    let [left, right] =
        [&entry.left_foot_chain, &entry.right_foot_chain].map(|chain| entry.bone_numbers.nodes(file, chain));
    if Legs::new(file, &left, &right).is_none() {
        return "motion matching needs the foot chains of both legs (page Bones)";
    }
    match entry.matched_clips(file.clips.len()).is_empty() {
        true => "no clip is ticked, and all are those of actions or head movements",
        false => "none of the clips that are ticked lasts long enough to be matched",
    }
}

/// The clips that it takes from.
fn clips(ui: &mut Ui, chosen: &Chosen<'_>, named: &mut Vec<u32>) {
    ui.strong("Clips");
    let count = chosen.file.clips.len();
    let taken = chosen.entry.matched_clips(count);
    for clip in 0..count as u32 {
        let mut is_taken = taken.contains(&(clip as usize));
        // Without any, all but those of actions would count again.
        let is_last = is_taken && taken.len() == 1;
        let help = "It takes one clip at least: tick another one first, or switch motion matching off.";
        let checkbox = Checkbox::new(&mut is_taken, clip_name(chosen.file, clip));
        if ui.add_enabled(!is_last, checkbox).on_disabled_hover_text(help).changed() {
            *named = (0..count as u32)
                .filter(|c| if *c == clip { is_taken } else { taken.contains(&(*c as usize)) })
                .collect();
        }
    }
    if !named.is_empty() {
        let help = "All clips but those of actions and head movements.";
        if ui.button("⟲ Usual clips").on_hover_text(help).clicked() {
            named.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Clip, Model};
    use crate::ids::Arena;
    use crate::scene::SceneModel;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use std::sync::Arc;

    #[test]
    fn the_last_clip_stays_ticked() {
        let (file, id) =
            (Arc::new(Model { clips: vec![Clip::default(); 2], ..Model::default() }), Arena::default().insert(()));
        let show = |ui: &mut Ui, named: &mut Vec<u32>| {
            let entry = SceneModel { matching_clips: named.clone(), ..SceneModel::default() };
            let chosen = Chosen { id, entry: &entry, file: &file };
            assert!(missing(&chosen).contains("foot chains"));
            clips(ui, &chosen, named);
        };
        let mut window = Harness::new_ui_state(show, vec![1]);
        let mut tick = |clip: &str| {
            window.get_by_label(clip).click_accesskit();
            window.run_steps(3);
            window.state().clone()
        };
        assert_eq!(tick("clip 1"), [1]);
        assert_eq!(tick("clip 0"), [0, 1]);
        assert_eq!(tick("clip 1"), [0]);
    }
}
