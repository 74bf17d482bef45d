//! The pictures of models that the panel of the assets shows: where models are looked for, and when.

use super::state::App;
use super::thumbnails::LOOK_AGAIN;
use crate::ui::dock::Panel;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The folder of the models that come with the program.
fn own_folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let scene = super::files::default_scene()?;
        std::path::absolute(scene.parent()?.parent()?.join("assets")).ok()
    });
    folder.as_ref()
}

impl App {
    /// Whether the panel of the assets shows all that it has to: false until it was first opened, and while pictures of
    /// models are read or drawn.
    pub fn has_pictures_of_models(&self) -> bool {
        self.thumbnails.is_complete()
    }

    /// Goes on with the pictures of the models while their panel is on screen.
    pub(super) fn look_at_models(&mut self, ctx: &egui::Context) {
        if !self.ui.shows(Panel::Assets) {
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
        // Asked every frame: whether they are there is seen by the thread that looks through them.
        let all: BTreeSet<PathBuf> = parents.chain([root.join("assets")]).chain(own_folder().cloned()).collect();
        // What lies below another is found there.
        let below = |folder: &PathBuf| all.iter().any(|other| other != folder && folder.starts_with(other));
        all.iter().filter(|folder| !below(folder)).cloned().collect()
    }
}
