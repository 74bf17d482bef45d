//! What the window says and does about instances that fell out of the level.

use super::state::App;
use crate::scene::Edit;
use crate::sim::EventKind;
use crate::ui::EditStep;
use crate::ui::names;
use crate::ui::notices::Level;
use std::collections::BTreeSet;

/// Most instances that a notice names one by one.
const MAX_NAMED: usize = 100;

impl App {
    /// Reports which were put back, and removes, as a step that can be undone, those that the scene wants deleted: after a drag, which such
    /// a step would cut in two.
    pub(super) fn note_fallen(&mut self) {
        let mut back = BTreeSet::new();
        for event in self.world.drain_events() {
            match event.kind {
                EventKind::PutBack => drop(back.insert(event.instance)),
                EventKind::Lost => drop(self.fallen.insert(event.instance)),
                _ => {}
            }
        }
        let back = names::names_of(&self.scene, &back);
        if let [first, rest @ ..] = back.as_slice() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
            let text = format!("{first}{others} fell out of the level and was put back on safe ground.");
            self.notices.push(Level::Warning, text, details(&back));
        }
        if self.history.is_dragging() {
            return;
        }
        let mut gone = std::mem::take(&mut self.fallen);
        // One that is no longer in the scene would keep the others in it.
        gone.retain(|id| self.scene.instances.contains(*id));
        let names = names::names_of(&self.scene, &gone);
        if let [first, rest @ ..] = names.as_slice() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
            let text = format!("{first}{others} fell out of the level and was deleted, as the scene says.");
            self.notices.push(Level::Warning, text, details(&names));
            let name = format!("delete {first}, fallen out of the level");
            let edit = Edit::Many(gone.into_iter().map(Edit::RemoveInstance).collect());
            self.edit(EditStep { name, edit, merge: None });
        }
    }
}

/// The first of some names, for a notice.
fn details(names: &[String]) -> Vec<String> {
    names[..names.len().min(MAX_NAMED)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::scene::SceneInstance;

    #[test]
    fn what_fell_out_amid_a_drag_is_deleted_after_it() {
        let mut app = App::new(Recent::default());
        let step = EditStep { name: "add".into(), edit: Edit::AddInstance(SceneInstance::default()), merge: None };
        let id = app.apply(step).unwrap().instances[0];
        let steps = app.history.count();
        app.begin_drag();
        app.fallen.insert(id);
        app.note_fallen();
        assert_eq!(app.history.count(), steps, "the drag stays one step");
        assert!(app.scene.instances.contains(id) && app.pending.is_empty());
        app.cancel_drag();
        app.note_fallen();
        assert_eq!(app.history.count().0, steps.0 + 1);
        assert!(!app.scene.instances.contains(id) && app.fallen.is_empty());
        app.undo();
        assert!(app.scene.instances.contains(id));
    }
}
