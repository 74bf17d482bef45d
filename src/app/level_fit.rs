//! Notices levels that come in lying on their sides or in another unit than metres, and mends them on request; brings the camera to
//! levels.

use super::imported_level::{ImportedLevel, placed_triangles};
use super::state::App;
use crate::ids::LevelId;
use crate::nav::doctor::Finding;
use crate::scene::SceneLevel;
use crate::scene::edit::Edit;
use crate::ui::command::EditStep;
use crate::ui::edits;
use crate::ui::names::{capitalized, without_extension};
use crate::ui::notices::{Level, NoticeAction, NoticeOffer};
use glam::Vec3;

impl App {
    /// Examines levels that were added and whose files are there now, one after the other, and says what is strange about them, with
    /// a button that mends it.
    pub(super) fn note_levels(&mut self) {
        self.take_back_levels();
        let (scene, assets) = (&self.scene, &self.assets);
        self.importing_levels.retain(|id| scene.levels.contains(*id));
        let imported = self.importing_levels.iter().enumerate().find_map(|(place, id)| {
            let level = scene.levels.get(*id)?;
            let (_, model) = assets.by_file(level)?;
            Some((place, ImportedLevel { level: level.clone(), model: model.clone(), bake: scene.bake_settings() }))
        });
        let Some((place, imported)) = imported else {
            // The level that is being examined may be gone.
            self.level_fit.cancel();
            return;
        };
        if let Some(findings) = self.level_fit.poll(&imported) {
            let id = self.importing_levels.remove(place);
            self.note_level(id, &findings);
        }
    }

    /// Says what is strange about a level.
    fn note_level(&mut self, id: LevelId, findings: &[Finding]) {
        let Some(level) = self.scene.levels.get(id).filter(|_| !findings.is_empty()) else { return };
        let causes: Vec<&str> = findings.iter().map(|finding| finding.cause.as_str()).collect();
        let text = format!("{}: {}", without_extension(&level.name), causes.join(" "));
        let (mut to, mut labels) = (SceneLevel::clone(level), Vec::new());
        for mend in findings.iter().filter_map(|finding| finding.mend.as_ref()) {
            if let Some((label, mended)) = edits::placed_anew(&to, mend) {
                to = mended;
                labels.push(label);
            }
        }
        if labels.is_empty() {
            self.notices.push(Level::Warning, text, findings.iter().map(|finding| finding.remedy.clone()).collect());
            return;
        }
        let SceneLevel { scale, rotation_deg, swap_axes, .. } = to;
        let action = NoticeAction::FitLevel { id, scale, rotation_deg, swap_axes };
        self.notices.offer(text, NoticeOffer { label: capitalized(&labels.join(", ").to_lowercase()), action });
    }

    /// Changes how a level is placed, in one step, and brings the camera to it.
    pub(super) fn fit_level(&mut self, id: LevelId, placed: impl FnOnce(SceneLevel) -> SceneLevel) {
        let Some(level) = self.scene.levels.get(id) else { return };
        let name = format!("fit level {}", without_extension(&level.name));
        let to = placed(SceneLevel::clone(level));
        self.edit(EditStep { name, edit: Edit::SetLevel { id, to }, merge: None });
        self.show_levels(&[id]);
    }

    /// Brings the camera to where levels are seen whole, as the scene places them: the world may still have them as they were.
    pub(super) fn show_levels(&mut self, ids: &[LevelId]) {
        let levels = ids.iter().filter_map(|id| self.scene.levels.get(*id));
        let read = levels.filter_map(|level| Some(placed_triangles(self.assets.by_file(level)?.1, level)));
        let points: Vec<Vec3> = read.flatten().flatten().collect();
        if !points.is_empty() {
            self.awaits_level = false;
            self.show_from_above(&points);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::nav::bake::BakeSettings;

    #[test]
    fn a_level_that_is_gone_is_examined_no_longer() {
        let mut app = App::new(Recent::default());
        let (level, model) = Default::default();
        let imported = ImportedLevel { level, model, bake: BakeSettings::default() };
        assert!(app.level_fit.poll(&imported).is_none() && app.level_fit.is_running());
        app.note_levels();
        assert!(!app.level_fit.is_running(), "no more frames are asked for");
    }
}
