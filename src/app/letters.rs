//! Which letters are shown and typed: those that the interface's own fonts lack are looked for in fonts of the system.

use super::state::App;

impl App {
    /// Notes the names of the scene, which may have letters of any script.
    pub(super) fn note_names(&mut self) {
        let (scene, fonts) = (&self.scene, &mut self.fonts);
        scene.instances.values().for_each(|one| fonts.note(&one.name));
        scene.models.values().for_each(|one| fonts.note(&one.name));
        scene.levels.values().for_each(|one| fonts.note(&one.name));
        scene.cameras.values().for_each(|one| fonts.note(&one.name));
        scene.settings.zones.iter().for_each(|one| fonts.note(&one.name));
    }

    /// Looks after the letters that are typed and shown.
    pub(super) fn look_after_fonts(&mut self, ctx: &egui::Context) {
        let fonts = &mut self.fonts;
        fonts.note(&self.status.file);
        self.thumbnails.files().iter().for_each(|file| fonts.note(&file.name));
        ctx.input(|input| {
            for event in &input.events {
                match event {
                    egui::Event::Text(text)
                    | egui::Event::Paste(text)
                    | egui::Event::Ime(egui::ImeEvent::Commit(text) | egui::ImeEvent::Preedit { text, .. }) => {
                        fonts.note(text);
                    }
                    _ => {}
                }
            }
        });
        fonts.work(ctx);
    }
}
