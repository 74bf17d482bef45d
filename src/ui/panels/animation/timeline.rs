//! The timeline of the clip that the player shows: where its feet stand, its events and its curves; and their values.

use super::clips::{Chosen, clip_name};
use super::player::Player;
use crate::ids::InstanceId;
use crate::scene::limits::MAX_CLIP_EDITS;
use crate::scene::{ClipCurve, ClipEvent, ClipEventKind, SceneModel};
use crate::ui::UiContext;
use crate::ui::choices::choice_row;
use crate::ui::command::Command;
use crate::ui::sound_choice::SoundChoice;
use crate::ui::theme::ink;
use crate::ui::widgets::{drag, value_or};
use egui::{
    Align2, Color32, ComboBox, FontId, Grid, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo, WidgetType, pos2, vec2,
};

/// Heights of the ruler, of a foot, of the events and of a curve, points.
const RULER: f32 = 18.0;
const FOOT: f32 = 14.0;
const EVENTS: f32 = 20.0;
const CURVE: f32 = 36.0;
/// Room for the names of the rows, points.
const NAMES: f32 = 76.0;
/// How near a pointer is at a mark, points.
const REACH: f32 = 6.0;

/// What the page keeps between frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimelineState {
    /// The event that is dragged, by its place in the model's list, and where it is dragged to, seconds.
    dragged: Option<(usize, f32)>,
}

/// Draws the page.
pub fn show(
    ui: &mut Ui,
    chosen: &Chosen<'_>,
    (cx, shown_on): (&UiContext<'_>, Option<InstanceId>),
    (player, state): (&mut Player, &mut TimelineState),
    out: &mut Vec<Command>,
) {
    let clip = player.clip();
    let plants = shown_on.and_then(|id| cx.world.plants(id, clip)).unwrap_or_default();
    let mut to = chosen.entry.clone();
    ui.strong(clip_name(chosen.file, clip));
    let view = TimelineView { chosen, clip, plants: &plants, duration_secs: duration_secs(chosen, clip) };
    view.show(ui, player, state, &mut to);
    ui.add_space(6.0);
    events(ui, chosen, &mut to, player, out);
    footsteps(ui, clip, &plants, &mut to);
    ui.add_space(8.0);
    curves(ui, chosen, player, &mut to);
    if to != *chosen.entry {
        out.push(chosen.set("events of clips", "clip events", to));
    }
}

fn duration_secs(chosen: &Chosen<'_>, clip: u32) -> f32 {
    chosen.file.clips.get(clip as usize).map_or(0.0, |clip| clip.duration_secs).max(1e-3)
}

/// The clip over time, as it is drawn.
struct TimelineView<'a> {
    chosen: &'a Chosen<'a>,
    clip: u32,
    /// When each foot stands, seconds.
    plants: &'a [Vec<[f32; 2]>],
    duration_secs: f32,
}

impl TimelineView<'_> {
    fn curves(&self) -> impl Iterator<Item = &ClipCurve> {
        self.chosen.entry.clip_curves.iter().filter(|curve| curve.clip == self.clip)
    }

    /// Draws it; a press on a mark drags its event, elsewhere it scrubs.
    fn show(&self, ui: &mut Ui, player: &mut Player, state: &mut TimelineState, to: &mut SceneModel) {
        let feet = self.plants.len() as f32 * FOOT;
        let height = RULER + feet + EVENTS + self.curves().count() as f32 * CURVE;
        let width = ui.available_width().clamp(160.0, 1200.0);
        let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, "timeline"));
        let inner = Rect::from_min_max(pos2(rect.left() + NAMES, rect.top()), rect.max - vec2(4.0, 0.0));
        let x_of = |secs: f32| inner.left() + inner.width() * (secs / self.duration_secs).clamp(0.0, 1.0);
        let secs_of = |x: f32| ((x - inner.left()) / inner.width()).clamp(0.0, 1.0) * self.duration_secs;
        let row = inner.top() + RULER + feet;
        if let Some(at) = response.interact_pointer_pos() {
            // By where the press was: when a drag is known as one, the pointer is off the mark.
            if let Some(pressed) = ui.input(|input| input.pointer.press_origin()).filter(|_| state.dragged.is_none()) {
                let near = |event: &&(usize, &ClipEvent)| (x_of(event.1.time) - pressed.x).abs() < REACH;
                let own = to.clip_events.iter().enumerate().filter(|(_, event)| event.clip == self.clip);
                let is_row = (row..row + EVENTS).contains(&pressed.y);
                state.dragged = own.filter(|_| is_row).find(|event| near(&event)).map(|(i, event)| (i, event.time));
            }
            match &mut state.dragged {
                Some((_, time)) if response.dragged() => *time = (secs_of(at.x) * 1000.0).round() / 1000.0,
                Some(_) => {}
                None => player.scrub(secs_of(at.x)),
            }
        }
        // The model is made ready anew with each change, so that there is one for a drag.
        let is_over = response.drag_stopped() || !response.is_pointer_button_down_on();
        if let Some((i, time)) = state.dragged.take_if(|_| is_over)
            && let Some(event) = to.clip_events.get_mut(i)
        {
            event.time = time;
        }
        response.on_hover_text("Drag to see the clip moment by moment; drag a mark to move its event.");
        self.paint(ui, [rect, inner], &x_of, state.dragged);
        let now = x_of(player.time_secs());
        let line = [pos2(now, inner.top()), pos2(now, rect.bottom())];
        ui.painter().line_segment(line, Stroke::new(1.5, ui.visuals().selection.stroke.color));
    }

    fn paint(&self, ui: &Ui, [rect, inner]: [Rect; 2], x_of: &impl Fn(f32) -> f32, dragged: Option<(usize, f32)>) {
        let (painter, visuals) = (ui.painter(), ui.visuals());
        let font = FontId::proportional(11.0);
        let name = |y: f32, text: &str| {
            painter.text(pos2(rect.left(), y), Align2::LEFT_CENTER, text, font.clone(), visuals.weak_text_color());
        };
        painter.rect_filled(inner, 2.0, visuals.extreme_bg_color);
        let gap = ruler_gap(self.duration_secs, inner.width());
        let mut secs = 0.0;
        while secs <= self.duration_secs + 1e-4 {
            let x = x_of(secs);
            let faint = Stroke::new(1.0, visuals.weak_text_color().gamma_multiply(0.3));
            painter.line_segment([pos2(x, inner.top()), pos2(x, inner.bottom())], faint);
            if x < inner.right() - 24.0 {
                let text = format!("{secs:.1} s");
                painter.text(
                    pos2(x + 3.0, inner.top() + 8.0),
                    Align2::LEFT_CENTER,
                    text,
                    font.clone(),
                    visuals.weak_text_color(),
                );
            }
            secs += gap;
        }
        let mut y = inner.top() + RULER;
        for (foot, plants) in self.plants.iter().enumerate() {
            name(y + FOOT / 2.0, ["Left foot", "Right foot"][foot.min(1)]);
            for [from, until] in plants {
                let bar = Rect::from_min_max(pos2(x_of(*from), y + 4.0), pos2(x_of(*until), y + FOOT - 4.0));
                painter.rect_filled(bar, 1.0, ink(ui, FOOT_COLORS[foot.min(1)]));
            }
            y += FOOT;
        }
        name(y + EVENTS / 2.0, "Events");
        let events = self.chosen.entry.clip_events.iter().enumerate();
        for (i, event) in events.filter(|(_, event)| event.clip == self.clip) {
            let time = dragged.filter(|dragged| dragged.0 == i).map_or(event.time, |dragged| dragged.1);
            mark(ui, pos2(x_of(time), y + EVENTS / 2.0), event.kind);
        }
        y += EVENTS;
        for curve in self.curves() {
            name(y + CURVE / 2.0, &curve.morph);
            let y_of = |value: f32| y + CURVE - 4.0 - value * (CURVE - 8.0);
            let points = (0..=120).map(|i| self.duration_secs * i as f32 / 120.0);
            let points: Vec<Pos2> = points.map(|secs| pos2(x_of(secs), y_of(curve.at(secs)))).collect();
            painter.line(points, Stroke::new(1.5, ink(ui, CURVE_COLOR)));
            for [secs, value] in &curve.keys {
                painter.circle_filled(pos2(x_of(*secs), y_of(*value)), 2.5, ink(ui, CURVE_COLOR));
            }
            y += CURVE;
        }
    }
}

const FOOT_COLORS: [Color32; 2] = [Color32::from_rgb(224, 130, 60), Color32::from_rgb(80, 150, 236)];
const CURVE_COLOR: Color32 = Color32::from_rgb(96, 184, 84);

/// The mark of an event: a dot for a footstep, a diamond for a sound, a ring for dust.
fn mark(ui: &Ui, at: Pos2, kind: ClipEventKind) {
    let color = ui.visuals().strong_text_color();
    match kind {
        ClipEventKind::Footstep => _ = ui.painter().circle_filled(at, 4.5, color),
        ClipEventKind::Sound => {
            let corners = [vec2(0.0, -6.0), vec2(6.0, 0.0), vec2(0.0, 6.0), vec2(-6.0, 0.0)].map(|by| at + by).to_vec();
            ui.painter().add(egui::Shape::convex_polygon(corners, color, Stroke::NONE));
        }
        ClipEventKind::Dust => _ = ui.painter().circle_stroke(at, 4.5, Stroke::new(1.5, color)),
    }
}

/// Seconds between two lines of a ruler of this length and width, so that their labels do not touch.
fn ruler_gap(duration_secs: f32, width: f32) -> f32 {
    let gaps = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];
    let wide = |gap: &f32| width * gap / duration_secs >= 44.0;
    gaps.into_iter().find(wide).unwrap_or(duration_secs)
}

/// The events of the clip with their values, and buttons for more.
fn events(ui: &mut Ui, chosen: &Chosen<'_>, to: &mut SceneModel, player: &mut Player, out: &mut Vec<Command>) {
    let clip = player.clip();
    let mut gone = None;
    Grid::new("clip events").num_columns(5).striped(true).spacing([10.0, 4.0]).show(ui, |ui| {
        for (i, event) in to.clip_events.iter_mut().enumerate().filter(|(_, event)| event.clip == clip) {
            let name = format!("event {}", i + 1);
            let time = drag(0.0..=f64::from(duration_secs(chosen, clip)), 0.005, " s").decimals(3);
            let response = time.show(ui, &mut event.time, "When it happens.");
            response.widget_info(|| WidgetInfo::labeled(WidgetType::DragValue, true, format!("time of {name}")));
            let list = ComboBox::from_id_salt(&name).selected_text(event.kind.label()).width(90.0).show_ui(ui, |ui| {
                for &kind in ClipEventKind::ALL {
                    choice_row(ui, &mut event.kind, kind, kind.label());
                }
            });
            list.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, &name));
            if event.kind == ClipEventKind::Sound {
                let file = event.file.rsplit('/').next().filter(|file| !file.is_empty()).unwrap_or("Choose…");
                let help = "The sound that is heard.";
                if ui.add(egui::Button::new(file).truncate()).on_hover_text(help).clicked() {
                    out.push(Command::AskSound(SoundChoice::ClipEvent(chosen.id, i)));
                }
            } else {
                ui.weak(if event.kind == ClipEventKind::Footstep { "by the ground" } else { "at the feet" });
            }
            let share = drag(0.0..=1.0, 0.01, "").decimals(2);
            value_or(
                ui,
                &format!("strength of {name}"),
                "How loud a sound is, or how thick dust, 0 to 1.",
                (&mut event.strength, 1.0),
                share,
            );
            ui.horizontal(|ui| {
                if ui.button("▶").on_hover_text("Go to this moment.").clicked() {
                    player.scrub(event.time);
                }
                if ui.button("✖").on_hover_text("Take this event out.").clicked() {
                    gone = Some(i);
                }
            });
            ui.end_row();
        }
    });
    if let Some(i) = gone {
        to.clip_events.remove(i);
    }
    ui.horizontal_wrapped(|ui| {
        for &kind in ClipEventKind::ALL {
            let help = format!("Add a {} at this moment of the clip.", kind.label().to_lowercase());
            let can = to.clip_events.len() < MAX_CLIP_EDITS;
            if ui.add_enabled(can, egui::Button::new(format!("➕ {}", kind.label()))).on_hover_text(help).clicked() {
                to.clip_events.push(ClipEvent { clip, time: player.time_secs(), kind, ..ClipEvent::default() });
            }
        }
    });
}

/// Puts a footstep where each foot comes down.
fn footsteps(ui: &mut Ui, clip: u32, plants: &[Vec<[f32; 2]>], to: &mut SceneModel) {
    let mut down: Vec<f32> = plants.iter().flatten().map(|span| span[0]).filter(|secs| *secs > 0.0).collect();
    down.sort_by(f32::total_cmp);
    let has = to.clip_events.iter().any(|event| event.clip == clip && event.kind == ClipEventKind::Footstep);
    let room = to.clip_events.len() + down.len() <= MAX_CLIP_EDITS;
    if down.is_empty() || has || !room {
        return;
    }
    let help = "Add a footstep at every moment at which a foot comes down.";
    if ui.button("➕ Footsteps of the feet").on_hover_text(help).clicked() {
        let step = |time: f32| ClipEvent { clip, time: (time * 1000.0).round() / 1000.0, ..ClipEvent::default() };
        to.clip_events.extend(down.into_iter().map(step));
    }
}

/// The curves of the clip: which morph target each moves, and its keys.
fn curves(ui: &mut Ui, chosen: &Chosen<'_>, player: &mut Player, to: &mut SceneModel) {
    let names = chosen.file.morph_names();
    let clip = player.clip();
    ui.strong("Curves");
    if names.is_empty() {
        ui.weak("The model has no morph targets that a curve could move.");
        return;
    }
    let mut gone = None;
    for (i, curve) in to.clip_curves.iter_mut().enumerate().filter(|(_, curve)| curve.clip == clip) {
        ui.horizontal_wrapped(|ui| {
            let list =
                ComboBox::from_id_salt(("curve", i)).selected_text(&curve.morph).width(120.0).show_ui(ui, |ui| {
                    for name in &names {
                        choice_row(ui, &mut curve.morph, (*name).to_owned(), *name);
                    }
                });
            let name = format!("curve {}", i + 1);
            list.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, &name));
            let now = player.time_secs();
            let mut value = curve.at(now);
            let help = "Its value at this moment; a change sets a key.";
            let share = drag(0.0..=1.0, 0.01, "").decimals(2);
            if share.show(ui, &mut value, help).changed() {
                set_key(&mut curve.keys, now, value);
            }
            if ui.button("Clear keys").on_hover_text("Take all keys out.").clicked() {
                curve.keys.clear();
            }
            if ui.button("✖").on_hover_text("Take this curve out.").clicked() {
                gone = Some(i);
            }
        });
    }
    if let Some(i) = gone {
        to.clip_curves.remove(i);
    }
    let help = "Moves a morph target while the clip plays.";
    let can = to.clip_curves.len() < MAX_CLIP_EDITS;
    if ui.add_enabled(can, egui::Button::new("➕ Curve")).on_hover_text(help).clicked() {
        to.clip_curves.push(ClipCurve { clip, morph: names[0].to_owned(), keys: Vec::new() });
    }
}

/// Sets the key at a time, or adds one in its place in their order.
fn set_key(keys: &mut Vec<[f32; 2]>, secs: f32, value: f32) {
    let secs = (secs * 1000.0).round() / 1000.0;
    match keys.iter().position(|key| (key[0] - secs).abs() < 5e-3) {
        Some(near) => keys[near][1] = value,
        None if keys.len() < MAX_CLIP_EDITS => keys.insert(keys.partition_point(|key| key[0] <= secs), [secs, value]),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_order_and_labels_apart() {
        let mut keys = vec![[0.5, 0.1]];
        set_key(&mut keys, 1.0, 0.7);
        set_key(&mut keys, 0.2, 0.3);
        set_key(&mut keys, 1.001, 0.9);
        assert_eq!(keys, [[0.2, 0.3], [0.5, 0.1], [1.0, 0.9]]);
        assert_eq!(ruler_gap(1.0, 500.0), 0.1);
        assert_eq!(ruler_gap(10.0, 500.0), 1.0);
        assert_eq!(ruler_gap(100_000.0, 500.0), 100_000.0);
    }
}
