//! Undo and redo: scenes as they were, under the names of the steps that led to them.
//!
//! A state is a whole [`Scene`] whose parts are shared with its neighbours, so there is no inverse operation to get
//! wrong. Ids live inside the scene and therefore stay the same through undo and redo.

use super::data::{Scene, Selection};
use std::collections::VecDeque;

/// Steps that are remembered.
const MAX_STEPS: usize = 200;

/// A scene and what was selected in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryState {
    /// The scene.
    pub scene: Scene,
    /// What was selected.
    pub selection: Selection,
}

/// The steps before a drag.
#[derive(Clone, Debug)]
struct Kept {
    done: usize,
    saved: Option<usize>,
    /// What could be redone then, once it is forgotten.
    redo: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    name: String,
    merge_key: Option<u64>,
    after: HistoryState,
    /// What was selected when the step began: undoing it selects that again.
    selection_before: Selection,
}

/// The steps of an editing session. It starts with a scene that counts as saved.
#[derive(Clone, Debug)]
pub struct History {
    start: HistoryState,
    steps: VecDeque<Step>,
    /// Steps that are done; the rest can be redone.
    done: usize,
    /// Number of done steps in the saved state; none when that state can no longer be reached.
    saved: Option<usize>,
    drag: Option<Kept>,
}

impl History {
    /// Begins with `scene`, which is taken as saved.
    pub fn new(scene: Scene, selection: Selection) -> Self {
        Self { start: HistoryState { scene, selection }, steps: VecDeque::new(), done: 0, saved: Some(0), drag: None }
    }

    /// The scene after the last done step.
    pub fn current(&self) -> &HistoryState {
        match self.done.checked_sub(1).and_then(|i| self.steps.get(i)) {
            Some(step) => &step.after,
            None => &self.start,
        }
    }

    /// The scenes that at most so many steps back or forward lead to, with the one that is shown.
    pub fn scenes_within(&self, steps: usize) -> impl Iterator<Item = &Scene> {
        let after = self.steps.iter().map(|step| &step.after.scene);
        let all = std::iter::once(&self.start.scene).chain(after);
        all.skip(self.done.saturating_sub(steps)).take(self.done.min(steps) + 1 + steps)
    }

    /// How many steps are done, and how many there are with those that can be done again.
    pub fn count(&self) -> (usize, usize) {
        (self.done, self.steps.len())
    }

    /// Notes that step `name` led to `scene`; what could be redone is forgotten. With a merge key, it becomes one
    /// with the step before if that has the same key: so a drag is one step. `selection_before` is selected again when
    /// the step is undone, `selection` when it is redone.
    pub fn push(
        &mut self,
        name: impl Into<String>,
        merge_key: Option<u64>,
        scene: &Scene,
        selection_before: Selection,
        selection: Selection,
    ) {
        let after = HistoryState { scene: scene.clone(), selection };
        let redo_gone = self.done < self.steps.len();
        let gone = self.steps.drain(self.done..);
        match &mut self.drag {
            Some(kept) => kept.redo.extend(gone),
            None => drop(gone),
        }
        if redo_gone && self.saved.is_some_and(|saved| saved > self.done) {
            self.saved = None;
        }
        let saved_here = self.saved == Some(self.done);
        if let Some(last) = self.steps.back_mut()
            && merge_key.is_some()
            && last.merge_key == merge_key
            && !saved_here
        {
            last.after = after;
            return;
        }
        self.steps.push_back(Step { name: name.into(), merge_key, after, selection_before });
        self.done += 1;
        if self.steps.len() > MAX_STEPS
            && let Some(oldest) = self.steps.pop_front()
        {
            self.start = oldest.after;
            self.done -= 1;
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
            if let Some(kept) = &mut self.drag {
                kept.done = kept.done.saturating_sub(1);
                kept.saved = kept.saved.and_then(|saved| saved.checked_sub(1));
            }
        }
    }

    /// Lets the steps to come with this key become one with the last one, under its name.
    pub fn join(&mut self, merge_key: u64) {
        if let Some(last) = self.done.checked_sub(1).and_then(|i| self.steps.get_mut(i)) {
            last.merge_key = Some(merge_key);
        }
    }

    /// Ends a run of merged steps: the next one with the same key is a step of its own.
    pub fn seal(&mut self) {
        if let Some(last) = self.done.checked_sub(1).and_then(|i| self.steps.get_mut(i)) {
            last.merge_key = None;
        }
    }

    /// A drag begins: until [`History::end_drag`] its steps can be taken back as if they had never been.
    pub fn begin_drag(&mut self) {
        self.seal();
        self.drag = Some(Kept { done: self.done, saved: self.saved, redo: Vec::new() });
    }

    /// The drag is over, and its steps stay.
    pub fn end_drag(&mut self) {
        self.drag = None;
    }

    /// Whether a drag goes on.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// Takes the drag back: its steps are gone, what could be redone before it can be redone again. Returns the state
    /// before it, which the caller puts back; none when the drag has not done anything.
    pub fn cancel_drag(&mut self) -> Option<HistoryState> {
        let kept = self.drag.take()?;
        let selection = self.steps.get(kept.done).filter(|_| self.done > kept.done)?.selection_before;
        self.steps.truncate(kept.done);
        self.steps.extend(kept.redo);
        (self.done, self.saved) = (kept.done, kept.saved);
        Some(HistoryState { scene: self.current().scene.clone(), selection })
    }

    /// Goes one step back; none at the beginning.
    pub fn undo(&mut self) -> Option<HistoryState> {
        self.drag = None;
        self.done = self.done.checked_sub(1)?;
        let selection = self.steps.get(self.done)?.selection_before;
        Some(HistoryState { scene: self.current().scene.clone(), selection })
    }

    /// Goes one step back as if it had never been, nor those that could be redone.
    pub fn take_back(&mut self) -> Option<HistoryState> {
        let state = self.undo()?;
        self.steps.truncate(self.done);
        self.saved = self.saved.filter(|saved| *saved <= self.done);
        Some(state)
    }

    /// Goes one step forward; none at the end.
    pub fn redo(&mut self) -> Option<HistoryState> {
        self.drag = None;
        let after = self.steps.get(self.done)?.after.clone();
        self.done += 1;
        Some(after)
    }

    /// Name of the step that undo would take back.
    pub fn undo_name(&self) -> Option<&str> {
        Some(&self.steps.get(self.done.checked_sub(1)?)?.name)
    }

    /// Name of the step that redo would do again.
    pub fn redo_name(&self) -> Option<&str> {
        Some(&self.steps.get(self.done)?.name)
    }

    /// All steps from the oldest, each with whether it is done.
    pub fn list(&self) -> impl Iterator<Item = (&str, bool)> {
        self.steps.iter().enumerate().map(|(i, step)| (step.name.as_str(), i < self.done))
    }

    /// Whether the scene differs from the saved one, as far as steps tell.
    pub fn is_dirty(&self) -> bool {
        self.saved != Some(self.done)
    }

    /// The scene as it is now has been saved.
    pub fn mark_saved(&mut self) {
        self.saved = Some(self.done);
        self.drag = None;
        self.seal();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Settings;
    use std::sync::Arc;

    fn scene(gravity: bool, adds: f32) -> Scene {
        let mut settings = Settings { gravity_enabled: gravity, ..Settings::default() };
        settings.nav.ground_slope_deg = adds;
        Scene { settings: Arc::new(settings), ..Scene::default() }
    }

    #[test]
    fn scenes_of_neighbouring_steps_are_found() {
        let (mut history, none) = (History::new(scene(false, 0.0), Selection::default()), Selection::default());
        let slopes = |history: &History, steps| -> Vec<f32> {
            history.scenes_within(steps).map(|scene| scene.settings.nav.ground_slope_deg).collect()
        };
        assert_eq!(slopes(&history, 2), [0.0]);
        for i in 1..=4 {
            history.push("step", None, &scene(false, i as f32), none, none);
        }
        assert_eq!(slopes(&history, 2), [2.0, 3.0, 4.0]);
        assert!(history.undo().is_some() && history.undo().is_some() && history.undo().is_some());
        assert_eq!(slopes(&history, 2), [0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_step_that_is_taken_back_cannot_be_redone() {
        let (mut history, none) = (History::new(scene(false, 0.0), Selection::default()), Selection::default());
        history.push("one", None, &scene(false, 1.0), none, none);
        history.push("two", None, &scene(false, 2.0), none, none);
        assert_eq!(history.take_back().unwrap().scene, scene(false, 1.0));
        assert_eq!((history.count(), history.redo_name()), ((1, 1), None));
        history.mark_saved();
        assert!(history.take_back().is_some() && history.is_dirty(), "what is saved cannot be reached again");
    }

    #[test]
    fn a_drag_that_is_cancelled_leaves_no_trace() {
        let (mut history, none) = (History::new(scene(false, 0.0), Selection::default()), Selection::default());
        history.push("one", None, &scene(false, 1.0), none, none);
        history.mark_saved();
        history.push("two", None, &scene(false, 2.0), none, none);
        assert!(history.undo().is_some());
        history.begin_drag();
        assert!(history.cancel_drag().is_none(), "nothing was done");
        history.begin_drag();
        history.push("drag", Some(7), &scene(true, 1.0), none, none);
        history.push("drag", Some(7), &scene(true, 5.0), none, none);
        assert_eq!(history.count(), (2, 2));
        assert_eq!(history.cancel_drag().unwrap().scene, scene(false, 1.0));
        assert_eq!((history.count(), history.is_dirty(), history.redo_name()), ((1, 2), false, Some("two")));
        assert_eq!(history.redo().unwrap().scene, scene(false, 2.0));

        // A drag that throws the oldest step out.
        for i in 0..MAX_STEPS {
            history.push("more", None, &scene(false, i as f32), none, none);
        }
        history.begin_drag();
        history.push("drag", Some(7), &scene(true, 1.0), none, none);
        assert_eq!(history.cancel_drag().unwrap().scene, scene(false, MAX_STEPS as f32 - 1.0));
        history.end_drag();
        assert!(!history.is_dragging() && history.cancel_drag().is_none());
    }
}
