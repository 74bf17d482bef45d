//! How much each clip counted over the last seconds, on the instance that shows the model.

use super::clips::{Chosen, clip_name};
use crate::anim::Playback;
use egui::Ui;
use egui_plot::{Legend, Line, Plot, PlotPoints};
use std::collections::{BTreeSet, VecDeque};

/// Time that is shown, seconds.
const SHOWN_SECS: f64 = 6.0;
/// Most moments that are kept.
const MAX_MOMENTS: usize = 2000;

/// Weights of clips at a moment.
#[derive(Clone, Debug, PartialEq)]
struct Moment {
    secs: f64,
    weights: Vec<(u32, f32)>,
}

/// The weights of the last seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightHistory {
    moments: VecDeque<Moment>,
}

impl WeightHistory {
    /// Adds what plays at a time; one that goes back, as in another scene, begins anew.
    pub fn observe(&mut self, secs: f64, playback: &Playback) {
        if self.moments.back().is_some_and(|last| secs < last.secs) {
            self.moments.clear();
        }
        if self.moments.back().is_some_and(|last| secs == last.secs) {
            return;
        }
        let mut weights: Vec<(u32, f32)> = Vec::with_capacity(4);
        for (at, weight) in playback.weighted_clips().into_iter().filter(|(_, weight)| *weight > 0.0) {
            match weights.iter_mut().find(|(clip, _)| *clip == at.clip.0) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((at.clip.0, weight)),
            }
        }
        self.moments.push_back(Moment { secs, weights });
        let kept = |moment: &Moment| secs - moment.secs <= SHOWN_SECS;
        while self.moments.len() > MAX_MOMENTS || self.moments.front().is_some_and(|moment| !kept(moment)) {
            self.moments.pop_front();
        }
    }

    /// A clip's weights by seconds before now; 0 where it did not play.
    fn line(&self, clip: u32) -> Vec<[f64; 2]> {
        let now = self.moments.back().map_or(0.0, |moment| moment.secs);
        let weight = |moment: &Moment| moment.weights.iter().find(|(other, _)| *other == clip).map_or(0.0, |one| one.1);
        self.moments.iter().map(|moment| [moment.secs - now, f64::from(weight(moment))]).collect()
    }

    fn clips(&self) -> BTreeSet<u32> {
        self.moments.iter().flat_map(|moment| moment.weights.iter().map(|one| one.0)).collect()
    }
}

/// Draws the page.
pub fn show(ui: &mut Ui, chosen: &Chosen<'_>, history: &WeightHistory) {
    if history.moments.is_empty() {
        ui.weak("No instance in the scene shows this model.");
        return;
    }
    let plot = Plot::new("clip weights")
        .height(ui.available_height().clamp(140.0, 320.0))
        .legend(Legend::default())
        .allow_scroll(false)
        .allow_zoom(false)
        .allow_drag(false)
        .include_x(-SHOWN_SECS)
        .include_x(0.0)
        .include_y(0.0)
        .include_y(1.0)
        .x_axis_label("seconds")
        .y_axis_label("weight");
    plot.show(ui, |plot| {
        for clip in history.clips() {
            plot.line(Line::new(clip_name(chosen.file, clip), PlotPoints::from(history.line(clip))).width(2.0));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::{Blend, ClipAt};
    use crate::ids::ClipId;

    #[test]
    fn the_last_seconds_are_kept_and_begin_anew_in_another_scene() {
        let clip = |clip| ClipAt { clip: ClipId(clip), time_secs: 0.0 };
        let mut history = WeightHistory::default();
        for i in 0..=600 {
            let weight = i as f32 / 600.0;
            let blend = Blend { clips: [clip(3), clip(7)], weight };
            history.observe(f64::from(i) / 60.0, &Playback::of(blend));
            history.observe(f64::from(i) / 60.0, &Playback::of(blend));
        }
        assert_eq!(history.clips().into_iter().collect::<Vec<_>>(), [3, 7]);
        let line = history.line(7);
        assert_eq!(line.len(), 361, "six seconds, each moment once");
        assert!((line[0][0] + 6.0).abs() < 1e-6 && line.last() == Some(&[0.0, 1.0]));
        assert!((history.line(3)[0][1] - 0.6).abs() < 1e-6);
        history.observe(0.0, &Playback::of(Blend::from(clip(1))));
        assert_eq!(history.moments.len(), 1);
    }
}
