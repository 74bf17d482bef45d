//! Exports images: asks for one, begins it, and follows how far it is.

use super::export_job::{Export, ExportJob, Eye, LOOK, file_of};
use super::state::App;
use super::{camera_view, pick};
use crate::camera::{Lens, SpringArm, azimuth_elevation};
use crate::disk::{absolute, stem_of};
use crate::ids::CameraId;
use crate::math::Aabb;
use crate::ui::export::{ExportKind, ExportSettings};
use crate::ui::names::without_extension;
use crate::ui::notices::{NoticeAction, NoticeOffer};
use glam::Vec3;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Elevation of the eye on a turn: from a little above the ground to well above, radians.
const TURN_ELEVATION: [f32; 2] = [-1.0, -0.15];

/// Vertical field of view of a turn, radians.
const TURN_FOV_RAD: f32 = 0.8;

/// The smaller of the two half angles of a picture of a turn, radians.
fn half_angle([width, height]: [u32; 2]) -> f32 {
    let aspect = width as f32 / height.max(1) as f32;
    ((TURN_FOV_RAD * 0.5).tan() * aspect.min(1.0)).atan()
}

impl App {
    /// Opens the window of the export for one kind.
    pub(super) fn ask_export(&mut self, kind: ExportKind) {
        let export = &mut self.ui.export;
        (export.open, export.wanted.kind) = (true, kind);
        if export.wanted.folder.as_os_str().is_empty() {
            let folder = self.recent.export_folder().unwrap_or_else(|| self.folder().join("pictures"));
            self.ui.export.wanted.folder = folder;
        }
    }

    /// What the scene is called: as its file, else as its first level.
    pub(super) fn scene_name(&self) -> Option<String> {
        let of_level = || Some(without_extension(&self.scene.levels.values().next()?.name).to_owned());
        self.file.as_deref().map(stem_of).or_else(of_level).filter(|name| !name.trim().is_empty())
    }

    /// Whether the first file that an export would write is there already. It is looked for when the window opens, when
    /// another file is chosen, and after an export. The window is brought in line with the scene's name.
    pub(super) fn export_replaces(&mut self) -> bool {
        if !self.ui.export.open || self.export.is_some() {
            self.export_target = None;
            return false;
        }
        let name = self.scene_name().unwrap_or_else(|| "scene".to_owned());
        self.ui.export.propose(&name);
        let wanted = &self.ui.export.wanted;
        let first = file_of(&wanted.folder, wanted.name.trim(), wanted.kind, 0);
        match &self.export_target {
            Some((known, exists)) if *known == first => *exists,
            _ => {
                let exists = first.exists();
                self.export_target = Some((first, exists));
                exists
            }
        }
    }

    /// Shows a folder in the system's file manager.
    pub(super) fn show_folder(&mut self, folder: &Path) {
        let program = match () {
            () if cfg!(windows) => "explorer",
            () if cfg!(target_os = "macos") => "open",
            () => "xdg-open",
        };
        match std::process::Command::new(program).arg(absolute(folder)).spawn() {
            // Waited for elsewhere: some file managers go on for as long as their window is open.
            Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
            Err(error) => {
                let folder = folder.display();
                self.notices.error(format!("The system shows no folders ({program}: {error}). Folder: {folder}"));
            }
        }
    }

    /// Begins an export; only one goes on at a time.
    pub(super) fn export(&mut self, wanted: ExportSettings) {
        if self.export.is_some() {
            self.notices.info("The pictures before are still being written.");
            return;
        }
        let Some(eye) = self.export_eye(&wanted) else { return };
        self.recent.keep_export_folder(&wanted.folder);
        let overlays = if wanted.overlays { self.overlays.iter().copied().collect() } else { Vec::new() };
        let alpha = if wanted.kind == ExportKind::Frames { 1.0 } else { self.clock.alpha() };
        let mut scene = self.scene.clone();
        if let Eye::Camera(id) = eye
            && let Some(camera) = scene.cameras.get_mut(id)
        {
            // The free one has flown from where the scene has it.
            *camera = Arc::new(self.camera_controller.store(id, camera));
        }
        let job = ExportJob {
            stem: wanted.name.trim().to_owned(),
            scene,
            selection: self.selection,
            world: self.world.clone(),
            inspector: self.inspector.clone(),
            assets: self.assets.copy(),
            wanted,
            eye,
            overlays,
            alpha,
            quality: self.viewport.quality,
            arm: SpringArm::default(),
        };
        self.export = Some(Export::start(job));
    }

    fn export_eye(&self, wanted: &ExportSettings) -> Option<Eye> {
        let seen = self.camera_controller.seen()?;
        if wanted.kind == ExportKind::Turntable {
            let bounds = self.turn_bounds();
            let (azimuth_rad, elevation_rad) = azimuth_elevation(seen.direction);
            let radius = (bounds.size().length() * 0.5).max(0.3);
            let lens = Lens::Perspective { fov_rad: TURN_FOV_RAD };
            return Some(Eye::Round {
                middle: bounds.center(),
                distance: radius / half_angle(wanted.size_px).sin() * 1.05,
                azimuth_rad,
                elevation_rad: elevation_rad.clamp(TURN_ELEVATION[0], TURN_ELEVATION[1]),
                lens,
            });
        }
        let follows = |id: &CameraId| {
            self.camera_controller.is_looked_through()
                && self.scene.cameras.get(*id).is_some_and(|c| camera_view::moves(c, &self.world))
        };
        Some(self.camera_controller.active().filter(follows).map_or(Eye::Fixed(seen), Eye::Camera))
    }

    /// What a turn goes round: what is selected, else all there is.
    fn turn_bounds(&self) -> Aabb {
        let chosen = self.selected_set();
        let mut all = Aabb::EMPTY;
        for (id, instance) in self.scene.instances.iter().filter(|(id, _)| chosen.is_empty() || chosen.contains(id)) {
            let Some(live) = self.world.live(id) else { continue };
            let (world_from_model, bounds) = pick::placed(&self.scene, &self.assets, instance, live, 1.0);
            all = all.union(&bounds.transformed(&world_from_model));
        }
        if chosen.is_empty() {
            let ground = self.world.triangles().iter().flat_map(|triangle| triangle.points);
            all = ground.fold(all, |all, point| all.including(point));
        }
        if all.is_empty() { Aabb::new(Vec3::NEG_ONE, Vec3::ONE) } else { all }
    }

    /// Stops an export after the picture that is being drawn; those that are written stay.
    pub(super) fn cancel_export(&mut self) {
        if let Some(export) = &self.export {
            export.cancel();
        }
    }

    /// How long the window waits at least from one frame to the next while there is no input: images that are being
    /// written need the processor.
    pub(super) fn least_wait(&self) -> Duration {
        if self.export.is_some() { LOOK } else { Duration::ZERO }
    }

    /// Notes how far the export is, and says how it ended.
    pub(super) fn follow_export(&mut self, ctx: &egui::Context) {
        let Some(export) = &mut self.export else { return };
        let (done, total) = export.progress();
        self.status.export = Some((done, total));
        ctx.request_repaint_after(LOOK);
        let Some(worker) = export.take_finished() else { return };
        let (first, path) = (export.first_file().display().to_string(), export.folder().to_path_buf());
        let folder = path.display().to_string();
        (self.export, self.status.export) = (None, None);
        let show = NoticeOffer { label: "Show folder".to_owned(), action: NoticeAction::ShowFolder(path) };
        match worker.join() {
            Ok(Ok(())) if done < total => {
                let text = format!("The export was cancelled; {done} of {total} pictures are in {folder}.");
                self.notices.info_with(text, show);
            }
            Ok(Ok(())) if total == 1 => self.notices.info_with(format!("The image was written: {first}"), show),
            Ok(Ok(())) => {
                let text = format!("{total} pictures were written into {folder}. The first: {first}");
                self.notices.info_with(text, show);
            }
            Ok(Err(error)) => {
                self.notices.error(format!("The export ended after {done} of {total} pictures: {error}"));
            }
            Err(_) => self.notices.error(format!("The export broke off after {done} of {total} pictures.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;

    #[test]
    fn the_file_of_an_export_is_looked_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = App::new(Recent::default());
        app.ui.export.wanted.folder = folder.path().to_path_buf();
        app.ask_export(ExportKind::Picture);
        assert!(!app.export_replaces());
        std::fs::write(folder.path().join("scene.png"), "").unwrap();
        assert!(!app.export_replaces(), "not in every frame");
        app.ui.export.open = false;
        assert!(!app.export_replaces());
        app.ui.export.open = true;
        assert!(app.export_replaces(), "when the window opens");
        app.ui.export.wanted.kind = ExportKind::Turntable;
        assert!(!app.export_replaces(), "of another name");
    }
}
