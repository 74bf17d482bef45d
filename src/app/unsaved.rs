//! The questions about unsaved changes, and what goes on after their answers.

use super::pending_action::PendingAction;
use super::state::App;
use crate::ui::Question;
use crate::ui::command::{Purpose, RestoreChoice, UnsavedChoice};

impl App {
    /// Does `then` at once, or after asking what becomes of unsaved changes.
    pub(super) fn unless_dirty(&mut self, then: PendingAction, loser: &'static str) {
        self.pending_action = Some(then);
        if self.history.is_dirty() {
            self.question = Some(Question::Unsaved(loser));
        } else {
            self.go_on();
        }
    }

    /// Asks for the file of test cases; a scene that is not in a file as it is now is to be saved first.
    pub(super) fn ask_record(&mut self) {
        self.pending_action = Some(PendingAction::Record);
        if self.file.is_none() || self.history.is_dirty() {
            let why = "A test case names the scene file that it is tried in.";
            self.question = Some(Question::SaveFirst(why));
        } else {
            self.go_on();
        }
    }

    pub(super) fn answer(&mut self, choice: UnsavedChoice) {
        self.question = None;
        match choice {
            UnsavedChoice::Save => {
                // Without a name a dialog opens, and saving under the chosen one goes on.
                if self.save(None) {
                    self.go_on();
                }
            }
            UnsavedChoice::Discard => self.go_on(),
            UnsavedChoice::Cancel => self.pending_action = None,
        }
    }

    pub(super) fn go_on(&mut self) {
        match self.pending_action.take() {
            Some(PendingAction::Quit) => {
                self.recovery.forget();
                self.keep_layout();
                self.exit = true;
            }
            Some(PendingAction::New) => self.new_scene(),
            Some(PendingAction::Open(path)) => self.open(&path),
            Some(PendingAction::Restore) => self.restore_found(),
            Some(PendingAction::OpenLevel(path)) => self.open_level(&path),
            Some(PendingAction::Record) => self.ask(Purpose::Record),
            None => {}
        }
    }

    /// Does what was answered to the offer of unsaved work.
    pub(super) fn restore(&mut self, choice: RestoreChoice) {
        self.question = None;
        let Some(found) = self.recovery_offer.take() else { return };
        match choice {
            RestoreChoice::Later => {}
            RestoreChoice::Delete => {
                found.remove();
                self.offer_found();
            }
            RestoreChoice::Restore => {
                self.recovery_offer = Some(found);
                self.unless_dirty(PendingAction::Restore, "restoring another scene");
            }
        }
    }
}
