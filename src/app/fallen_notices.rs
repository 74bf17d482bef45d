//! What the window says and does about instances that fell out of the level.

use super::state::App;
use crate::scene::Edit;
use crate::sim::EventKind;
use crate::ui::notices::Level;
use crate::ui::{edits, names};
use std::collections::BTreeSet;

/// Most instances that a notice names one by one.
const MAX_NAMED: usize = 100;

impl App {
    /// Reports which were put back, and removes, as a step that can be undone, those that the scene wants deleted.
    pub(super) fn note_fallen(&mut self) {
        let (mut back, mut gone) = (BTreeSet::new(), BTreeSet::new());
        for event in self.world.drain_events() {
            match event.kind {
                EventKind::PutBack => drop(back.insert(event.instance)),
                EventKind::Lost => drop(gone.insert(event.instance)),
                _ => {}
            }
        }
        // One that is no longer in the scene would keep the others in it.
        gone.retain(|id| self.scene.instances.contains(*id));
        let (back, names) = (names::names_of(&self.scene, &back), names::names_of(&self.scene, &gone));
        let details = |names: &[String]| names[..names.len().min(MAX_NAMED)].to_vec();
        if let [first, rest @ ..] = back.as_slice() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
            let text = format!("{first}{others} fell out of the level and was put back on safe ground.");
            self.notices.push(Level::Warning, text, details(&back));
        }
        if let [first, rest @ ..] = names.as_slice() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
            let text = format!("{first}{others} fell out of the level and was deleted, as the scene says.");
            self.notices.push(Level::Warning, text, details(&names));
            let name = format!("delete {first}, fallen out of the level");
            let edit = Edit::Many(gone.into_iter().map(Edit::RemoveInstance).collect());
            self.pending.push(edits::command(name, edit));
        }
    }
}
