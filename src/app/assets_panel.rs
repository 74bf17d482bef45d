//! The pictures of models that the panel of the assets shows: where models are looked for, and when.

use super::state::App;
use super::thumbnails::LOOK_AGAIN;
use crate::ui::dock::Panel;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

impl App {
    /// Whether the panel of the assets shows all that it has to: false until it was first opened, and while pictures of
    /// models are read or drawn.
    pub fn has_pictures_of_models(&self) -> bool {
        self.thumbnails.is_complete()
    }

    /// Goes on with the pictures of the models while their panel is on screen.
    pub(super) fn look_at_models(&mut self, ctx: &egui::Context) {
        if !self.ui.dock.shows(Panel::Assets) {
            return;
        }
        let folders = self.asset_folders();
        self.thumbnails.scan(folders);
        self.thumbnails.work(ctx);
        ctx.request_repaint_after(if self.thumbnails.is_busy() { Duration::from_millis(30) } else { LOOK_AGAIN });
    }

    /// Where models are looked for: the folders of the scene's models and levels, the folder `assets` beside the
    /// scene's folder, and that of the program.
    fn asset_folders(&self) -> BTreeSet<PathBuf> {
        let root = crate::disk::absolute(self.assets.root());
        let levels = self.scene.levels.values().map(|level| &level.file);
        let files = levels.chain(self.scene.models.values().map(|model| &model.file));
        let parents = files.filter_map(|file| Some(root.join(file).parent()?.to_path_buf()));
        let own = super::files::default_scene().and_then(|scene| Some(scene.parent()?.parent()?.join("assets")));
        let own = own.and_then(|folder| std::path::absolute(folder).ok());
        let all: BTreeSet<PathBuf> = parents.chain([root.join("assets")]).chain(own).filter(|f| f.is_dir()).collect();
        // What lies below another is found there.
        let below = |folder: &PathBuf| all.iter().any(|other| other != folder && folder.starts_with(other));
        all.iter().filter(|folder| !below(folder)).cloned().collect()
    }
}
