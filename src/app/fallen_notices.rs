//! What the window says and does about instances that fell out of the level.

use super::state::App;
use crate::scene::Edit;
use crate::sim::EventKind;
use crate::ui::EditStep;
use crate::ui::names;
use crate::ui::notices::Level;
use crate::vocab::counted;
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
            let text = format!("{} put back on safe ground.", fell_out(first, rest.len()));
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
            let text = format!("{} deleted, as the scene says.", fell_out(first, rest.len()));
            self.notices.push(Level::Warning, text, details(&names));
            let name = format!("delete {first}, fallen out of the level");
            let edit = Edit::Many(gone.into_iter().map(Edit::RemoveInstance).collect());
            self.edit(EditStep { name, edit, merge: None });
        }
    }
}

/// How a notice begins about an instance, and others, that fell out of the level.
fn fell_out(first: &str, others: usize) -> String {
    match others {
        0 => format!("{first} fell out of the level and was"),
        others => format!("{first} and {} fell out of the level and were", counted(others, "other")),
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
    fn those_that_fell_out_are_one_or_many() {
        assert_eq!(fell_out("ada", 0), "ada fell out of the level and was");
        assert_eq!(fell_out("ada", 1), "ada and 1 other fell out of the level and were");
        assert_eq!(fell_out("ada", 2), "ada and 2 others fell out of the level and were");
    }

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
