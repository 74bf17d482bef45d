//! What the doctor found, and what differs from another navigation mesh: asks for it, and brings the camera there.

use super::state::App;
use super::views::FINDING_RADIUS;
use crate::debug::Layer;
use crate::inspect::doctor::Examination;
use crate::inspect::mesh_compare::MeshBefore;
use crate::ui::command::{CompareCommand, Purpose};
use crate::ui::dock::Panel;
use std::path::Path;

/// Most of the surroundings of a difference that is shown, metres.
const MAX_RADIUS: f32 = 60.0;

impl App {
    /// Shows or hides the doctor, with the marks of what was found; it begins at once where nothing was examined yet.
    pub(super) fn toggle_doctor(&mut self) {
        self.ui.toggle_panel(Panel::Doctor);
        if !self.ui.shows(Panel::Doctor) {
            self.overlays.remove(&Layer::Findings);
            return;
        }
        self.overlays.insert(Layer::Findings);
        let doctor = self.inspector.doctor();
        if doctor.diagnosis().is_none() && !doctor.is_busy() {
            self.examine(Examination::Everything);
        }
    }

    /// Shows or hides what differs from another mesh, with its colours in the viewport.
    pub(super) fn toggle_differences(&mut self) {
        self.ui.toggle_panel(Panel::Differences);
        if !self.ui.shows(Panel::Differences) {
            self.overlays.remove(&Layer::MeshDifferences);
        } else if self.inspector.mesh_compare().before().is_some() {
            self.overlays.insert(Layer::MeshDifferences);
        }
    }

    /// Asks the doctor, whose panel shows the answer, and the viewport what was found.
    pub(super) fn examine(&mut self, examination: Examination) {
        self.ui.open_panel(Panel::Doctor);
        self.overlays.insert(Layer::Findings);
        self.inspector.doctor_mut().examine(examination);
    }

    /// Brings the camera to a finding of the doctor.
    pub(super) fn show_finding(&mut self, number: usize) {
        if let Some(finding) = self.inspector.doctor_mut().select(number) {
            self.overlays.insert(Layer::Findings);
            let radius = (finding.size as f32).clamp(FINDING_RADIUS, 4.0 * FINDING_RADIUS);
            let place = finding.place.as_vec3();
            self.show_place(place, radius);
        }
    }

    /// Brings the camera to the next finding or the one before: to a difference while those alone are on screen.
    pub(super) fn step_finding(&mut self, by: isize) {
        let next = |selected: Option<usize>, count: usize| {
            let last = count.checked_sub(1)?;
            Some(match selected {
                None if by < 0 => last,
                None => 0,
                Some(at) => at.min(last).wrapping_add_signed(by).wrapping_add(count) % count,
            })
        };
        let (doctor, compare) = (self.inspector.doctor(), self.inspector.mesh_compare());
        let findings = doctor.diagnosis().map_or(0, |diagnosis| diagnosis.findings.len());
        let differences = compare.result().and_then(Result::ok).map_or(0, |result| result.differences.len());
        let of_differences = self.ui.dock.shows(Panel::Differences) && !self.ui.dock.shows(Panel::Doctor);
        if (of_differences || findings == 0)
            && let Some(number) = next(compare.selected(), differences)
        {
            return self.compare(CompareCommand::Show(number));
        }
        match next(doctor.selected(), findings) {
            Some(number) => self.show_finding(number),
            None => self.notices.info("Nothing is found yet: ask the doctor, or compare the mesh with another."),
        }
    }

    /// Compares the scene's mesh with that of a file, and shows what differs.
    pub fn compare_with(&mut self, file: &Path) {
        self.start_comparing(MeshBefore::File(file.to_path_buf()));
    }

    fn start_comparing(&mut self, before: MeshBefore) {
        self.ui.open_panel(Panel::Differences);
        self.overlays.insert(Layer::MeshDifferences);
        self.inspector.mesh_compare_mut().start(before);
    }

    /// Carries out a command of the comparison.
    pub(super) fn compare(&mut self, command: CompareCommand) {
        match command {
            CompareCommand::AskFile => self.ask(Purpose::Compare),
            CompareCommand::File(file) => self.compare_with(&file),
            CompareCommand::Keep => match self.world.mesh().built().cloned() {
                Some(built) => self.start_comparing(MeshBefore::Kept(built)),
                None => self.notices.info("The scene has no navigation mesh to keep. Bake one first."),
            },
            CompareCommand::Forget => {
                self.overlays.remove(&Layer::MeshDifferences);
                self.inspector.mesh_compare_mut().clear();
            }
            CompareCommand::Show(number) => {
                if let Some(difference) = self.inspector.mesh_compare_mut().select(number) {
                    let radius = (difference.reach as f32).clamp(FINDING_RADIUS, MAX_RADIUS);
                    let place = difference.at.as_vec3();
                    self.show_place(place, radius);
                }
            }
        }
    }
}
