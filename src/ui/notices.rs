//! Notices: what the program has to tell, as toasts that fade and a log that stays.

use super::theme::color;
use crate::ids::{LevelId, ModelId};
use crate::vocab::labelled;
use glam::Vec3;
use std::path::PathBuf;
use std::time::Duration;

labelled! {
    /// How much a notice matters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Level: label {
        /// Good to know.
        Info = "Info",
        /// Something was done differently.
        Warning = "Warning",
        /// What was asked was not done.
        Error = "Error",
    }
}

impl Level {
    /// Its colour.
    pub fn color(self) -> egui::Color32 {
        match self {
            Self::Info => color::INFO,
            Self::Warning => color::WARN,
            Self::Error => color::BAD,
        }
    }

    /// How long its toast stays; errors stay until they are closed.
    fn lifetime(self) -> Option<Duration> {
        match self {
            Self::Info => Some(Duration::from_secs(4)),
            Self::Warning => Some(Duration::from_secs(10)),
            Self::Error => None,
        }
    }
}

/// What one click on a notice does.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeOffer {
    /// Text of the button.
    pub label: String,
    /// What the button does.
    pub action: NoticeAction,
}

/// What the button of a notice does.
#[derive(Clone, Debug, PartialEq)]
pub enum NoticeAction {
    /// Fits a model, as the text says.
    FitModel(ModelId),
    /// Scales and turns a level, as the text says.
    FitLevel {
        /// The level.
        id: LevelId,
        /// Its new scale.
        scale: f32,
        /// Its new angles around the axes, degrees.
        rotation_deg: Vec3,
        /// Whether z is up in its file.
        swap_axes: bool,
    },
    /// Takes a step of the history back.
    UndoStep {
        /// Its name.
        name: String,
        /// Steps that are done with it.
        done: usize,
    },
    /// Shows a folder in the system's file manager.
    ShowFolder(PathBuf),
}

impl NoticeAction {
    /// Whether it is about the open scene, so that it means nothing in another.
    fn is_of_scene(&self) -> bool {
        !matches!(self, Self::ShowFolder(_))
    }
}

/// Something to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// How much it matters.
    pub level: Level,
    /// One sentence: what was asked, what is wrong, what to do.
    pub text: String,
    /// Further lines, shown on request.
    pub details: Vec<String>,
    /// What a button of it does.
    pub offer: Option<NoticeOffer>,
    /// How often it was said in a row.
    pub count: u32,
    /// When it was said last, after the start of the program.
    pub at: Duration,
    /// Time left as a toast; `None` stays until closed.
    left: Option<Duration>,
    toast: bool,
}

/// Notices kept in the log.
const KEPT: usize = 500;
/// Toasts on screen at once.
const TOASTS: usize = 4;

/// All notices of this run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    all: Vec<Notice>,
    /// How many were said before the oldest that is kept: numbers of notices count from the first that was said.
    dropped: usize,
    /// Time since the start of the program.
    now: Duration,
}

impl Notices {
    /// Says something. The same thing said again counts up instead of filling the screen.
    pub fn push(&mut self, level: Level, text: impl Into<String>, details: Vec<String>) {
        let text = text.into();
        match self.all.last_mut().filter(|last| last.level == level && last.text == text && last.details == details) {
            Some(last) => {
                last.count += 1;
                (last.left, last.toast, last.at) = (level.lifetime(), true, self.now);
            }
            None => {
                if self.all.len() == KEPT {
                    self.all.remove(0);
                    self.dropped += 1;
                }
                let left = level.lifetime();
                self.all.push(Notice { level, text, details, offer: None, count: 1, at: self.now, left, toast: true });
            }
        }
    }

    /// Says something with a button, until it is clicked or closed.
    pub fn offer(&mut self, text: impl Into<String>, offer: NoticeOffer) {
        self.push(Level::Warning, text, Vec::new());
        if let Some(last) = self.all.last_mut() {
            (last.offer, last.left) = (Some(offer), None);
        }
    }

    /// Says something good to know, with a button.
    pub fn info_with(&mut self, text: impl Into<String>, offer: NoticeOffer) {
        self.push(Level::Info, text, Vec::new());
        if let Some(last) = self.all.last_mut() {
            // Longer than one without: it is to be read, and to be reached.
            (last.offer, last.left) = (Some(offer), Level::Warning.lifetime());
        }
    }

    /// Another scene is open: takes away the buttons that are about the one before, with their toasts.
    pub fn forget_scene(&mut self) {
        for notice in &mut self.all {
            if notice.offer.take_if(|offer| offer.action.is_of_scene()).is_some() {
                notice.toast = false;
            }
        }
    }

    /// Says something good to know.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Level::Info, text, Vec::new());
    }

    /// Says that something failed.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Level::Error, text, Vec::new());
    }

    /// Lets toasts grow old.
    pub fn advance(&mut self, dt: Duration) {
        self.now += dt;
        for notice in &mut self.all {
            if let Some(left) = &mut notice.left {
                *left = left.saturating_sub(dt);
                notice.toast &= !left.is_zero();
            }
        }
    }

    /// All notices, oldest first.
    pub fn all(&self) -> &[Notice] {
        &self.all
    }

    /// The toasts on screen with their numbers, newest last.
    pub fn toasts(&self) -> impl Iterator<Item = (usize, &Notice)> {
        let shown = self.all.iter().filter(|n| n.toast).count();
        let numbered = (self.dropped..).zip(&self.all);
        numbered.filter(|(_, n)| n.toast).skip(shown.saturating_sub(TOASTS))
    }

    /// Time until a toast on screen fades; `None` when none will.
    pub fn next_change(&self) -> Option<Duration> {
        self.all.iter().filter(|n| n.toast).filter_map(|n| n.left).min()
    }

    /// Closes one toast, by its number; it stays in the log.
    pub fn close(&mut self, number: usize) {
        if let Some(notice) = number.checked_sub(self.dropped).and_then(|place| self.all.get_mut(place)) {
            notice.toast = false;
        }
    }

    /// Closes the toasts of errors whose text has this part; they stay in the log.
    pub fn close_errors_of(&mut self, part: &str) {
        let is_of = |notice: &&mut Notice| notice.level == Level::Error && notice.text.contains(part);
        self.all.iter_mut().filter(is_of).for_each(|notice| notice.toast = false);
    }

    /// Closes all toasts. Returns whether there were any.
    pub fn close_all(&mut self) -> bool {
        let any = self.all.iter().any(|n| n.toast);
        self.all.iter_mut().for_each(|n| n.toast = false);
        any
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.dropped += self.all.len();
        self.all.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_notices_count_up_and_toasts_fade_while_errors_stay() {
        let mut notices = Notices::default();
        notices.info("saved");
        notices.info("saved");
        notices.error("not saved");
        assert_eq!(notices.all().len(), 2);
        assert_eq!(notices.all()[0].count, 2);
        assert_eq!(notices.toasts().count(), 2);
        notices.advance(Duration::from_secs(60));
        let left: Vec<&str> = notices.toasts().map(|(_, n)| n.text.as_str()).collect();
        assert_eq!(left, ["not saved"]);
        notices.error("not saved");
        assert_eq!([0, 1].map(|index| notices.all()[index].at.as_secs()), [0, 60], "the last time counts");
        assert_eq!(notices.next_change(), None);
        assert!(notices.close_all() && !notices.close_all());
        assert_eq!(notices.all().len(), 2, "closing a toast keeps the log");
    }

    #[test]
    fn buttons_about_a_scene_go_with_it() {
        let mut notices = Notices::default();
        let offer = |label: &str, action| NoticeOffer { label: label.into(), action };
        notices.offer("a mesh was taken", offer("Undo", NoticeAction::UndoStep { name: "use".into(), done: 1 }));
        notices.info_with("written", offer("Show", NoticeAction::ShowFolder("/pictures".into())));
        notices.forget_scene();
        let left: Vec<&str> = notices.toasts().filter_map(|(_, n)| Some(n.offer.as_ref()?.label.as_str())).collect();
        assert_eq!((left, notices.toasts().count(), notices.all().len()), (vec!["Show"], 1, 2));
    }

    #[test]
    fn a_toast_is_closed_by_its_number_in_a_full_log_too() {
        let mut notices = Notices::default();
        for i in 0..KEPT {
            notices.error(format!("{i}"));
        }
        let number = notices.toasts().last().unwrap().0;
        // Said between the click and the frame in which it takes effect.
        notices.error("one more");
        notices.close(number);
        let (last, left) = ((KEPT - 1).to_string(), notices.toasts().map(|(_, n)| n.text.as_str()).collect::<Vec<_>>());
        assert!(left.contains(&"one more") && !left.contains(&last.as_str()), "{left:?}");
    }

    #[test]
    fn the_log_is_bounded() {
        let mut notices = Notices::default();
        for i in 0..2 * KEPT {
            notices.error(format!("{i}"));
        }
        assert_eq!(notices.all().len(), KEPT);
        assert!(notices.toasts().count() <= TOASTS);
    }
}
