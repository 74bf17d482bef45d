//! *Report a problem*: what helps to find a fault, in a file that a person can read before it is sent.

use super::recent;
use super::state::App;
use crate::asset::sandbox;
use crate::disk::write;
use crate::vocab::counted;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

impl App {
    /// Writes the report and says where it is.
    pub(super) fn report_problem(&mut self, ctx: &egui::Context) {
        let secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let folder = recent::folder().unwrap_or_else(std::env::temp_dir).join("reports");
        let path = folder.join(format!("problem-{secs}.txt"));
        let text = self.problem_report(ctx);
        match write::write_with_folder(&path, text.as_bytes()) {
            Ok(()) => self.notices.push(
                crate::ui::notices::Level::Info,
                format!("The log and the facts about graphics and scene are in {}.", path.display()),
                vec!["Look through it, add what you did and what you expected, and send it with the scene.".into()],
            ),
            Err(error) => {
                self.notices.error(format!("The report was not written ({error}). File: {}", path.display()));
            }
        }
    }

    /// The text of the report.
    fn problem_report(&self, ctx: &egui::Context) -> String {
        let (scene, rect) = (&self.scene, ctx.content_rect());
        let file = self.file.clone().unwrap_or_else(|| PathBuf::from("never saved"));
        let mesh = self.world.mesh();
        let mut lines = vec![
            format!("Walkabout {}", env!("CARGO_PKG_VERSION")),
            format!("System: {} {}", std::env::consts::OS, std::env::consts::ARCH),
            import_rights(),
            "What I did: ".to_owned(),
            "What I expected: ".to_owned(),
            "What happened: ".to_owned(),
            String::new(),
            "Graphics".to_owned(),
        ];
        lines.extend(self.graphics.iter().map(|fact| format!("  {fact}")));
        lines.push(format!(
            "  window {:.0} x {:.0} at {} pixels per point",
            rect.width(),
            rect.height(),
            ctx.pixels_per_point()
        ));
        lines.push(format!("  {:.0} frames per second, {} triangles", self.status.fps, self.status.triangles));
        lines.extend([String::new(), "Scene".to_owned(), format!("  file {}", file.display())]);
        lines.push(format!(
            "  {} levels, {} models, {} instances, {} cameras",
            scene.levels.len(),
            scene.models.len(),
            scene.instances.len(),
            scene.cameras.len()
        ));
        lines.push(match (mesh.current(), mesh.error()) {
            (_, Some(error)) => format!("  no navigation mesh: {error}"),
            (Some(mesh), None) => {
                format!(
                    "  navigation mesh of {} on {}",
                    counted(mesh.len(), "polygon"),
                    counted(mesh.island_count() as usize, "island")
                )
            }
            (None, None) => "  no navigation mesh".to_owned(),
        });
        lines.push(format!("  planner {}, step {} of the simulation", scene.nav.planner, self.world.steps()));
        lines.extend([String::new(), "Log, oldest first".to_owned()]);
        for notice in self.notices.all() {
            lines.push(format!("  {}: {}", notice.level.label(), notice.text.replace('\n', " ")));
            lines.extend(notice.details.iter().map(|detail| format!("    {detail}")));
        }
        lines.join("\n") + "\n"
    }
}

/// What holds back the processes that import models.
fn import_rights() -> String {
    let held = sandbox::supported();
    let word = |held: bool| if held { "held back" } else { "not held back" };
    format!("Import workers: files {}, network and programs {}", word(held.files), word(held.calls))
}
