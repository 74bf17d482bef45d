//! What is selected: instances, the last of them, a camera, nodes of the behaviour editor.

use super::state::App;
use crate::ids::{CameraId, InstanceId};
use crate::ui::command::SelectionMode;
use crate::ui::names;
use crate::ui::panels::graph::GraphEditor;
use std::borrow::Cow;
use std::collections::BTreeSet;

impl App {
    /// All selected instances, in the order of the scene.
    pub fn selected(&self) -> Vec<InstanceId> {
        let Some(active) = self.selection.instance.filter(|id| self.scene.instances.contains(*id)) else {
            return Vec::new();
        };
        // A group without the one that was selected last is out of date.
        if self.group.len() < 2 || !self.group.contains(&active) {
            return vec![active];
        }
        let instances = &self.scene.instances;
        let mut is_chosen = Vec::new();
        for id in self.group.iter().filter(|id| instances.contains(**id)) {
            let slot = id.slot() as usize;
            if is_chosen.len() <= slot {
                is_chosen.resize(slot + 1, false);
            }
            is_chosen[slot] = true;
        }
        instances.ids().filter(|id| is_chosen.get(id.slot() as usize) == Some(&true)).collect()
    }

    /// All selected instances, as a set.
    pub(super) fn selected_set(&self) -> Cow<'_, BTreeSet<InstanceId>> {
        let active = self.selection.instance.filter(|id| self.scene.instances.contains(*id));
        match active {
            Some(active) if self.group.len() > 1 && self.group.contains(&active) => Cow::Borrowed(&self.group),
            active => Cow::Owned(active.into_iter().collect()),
        }
    }

    /// Drops what is selected and no longer in the scene.
    pub(super) fn prune_selection(&mut self) {
        let (scene, selection) = (&self.scene, &mut self.selection);
        self.group.retain(|id| scene.instances.contains(*id));
        selection.instance = selection.instance.filter(|id| scene.instances.contains(*id));
        selection.model = selection.model.filter(|id| scene.models.contains(*id));
        selection.level = selection.level.filter(|id| scene.levels.contains(*id));
        selection.behavior = selection.behavior.filter(|id| scene.behaviors.contains(*id));
    }

    /// A name for some instances.
    pub(super) fn name_of_all(&self, ids: &[InstanceId]) -> String {
        names::name_of_all(&self.scene, ids)
    }

    /// Selects some in place of, in addition to, or out of the selected.
    pub(super) fn choose(&mut self, ids: &[InstanceId], how: SelectionMode) {
        self.ui.nav_tools.picked = None;
        self.ui.camera = None;
        let before = self.selected();
        self.group = if how == SelectionMode::Only { Default::default() } else { before.iter().copied().collect() };
        if how == SelectionMode::Remove {
            for id in ids {
                self.group.remove(id);
            }
            let active = self.selection.instance.filter(|id| self.group.contains(id));
            self.selection.instance = active.or_else(|| before.into_iter().rfind(|id| self.group.contains(id)));
        } else {
            // Built and merged as a whole: one by one, thousands take longer than the rest of a frame.
            self.group.append(&mut ids.iter().copied().collect());
            let kept = self.selection.instance.filter(|_| how == SelectionMode::Add);
            self.selection.instance = ids.last().copied().or(kept);
        }
    }

    /// Selects a camera: the keys mean it, and not what a tool picked before.
    pub(super) fn select_camera(&mut self, id: CameraId) {
        self.ui.nav_tools.picked = None;
        self.ui.camera = Some(id);
    }

    /// The camera that is selected: what the keys mean while there is one.
    pub(super) fn picked_camera(&self) -> Option<CameraId> {
        self.ui.camera.filter(|id| self.scene.cameras.contains(*id))
    }

    /// The behaviour editor that keys mean.
    pub(super) fn graph_with_keys(&mut self) -> &mut GraphEditor {
        let ui = &mut self.ui;
        ui.graph_windows.with_keys().unwrap_or(&mut ui.graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::scene::{Edit, SceneCamera, SceneNav};
    use crate::ui::command::{Action, Command, EditStep};
    use crate::ui::edits;
    use crate::ui::nav_tools::{PlacedItem, Tool};
    use glam::Vec3;

    #[test]
    fn del_means_the_camera_that_was_selected_last() {
        let (mut app, context) = (App::new(Recent::default()), egui::Context::default());
        app.edit(edits::nav_step("place", None, SceneNav { threats: vec![Vec3::ZERO], ..SceneNav::default() }));
        let camera = SceneCamera { name: "Second".into(), ..SceneCamera::default() };
        let step = EditStep { name: "add".into(), edit: Edit::AddCamera(camera), merge: None };
        let id = app.apply(step).unwrap().cameras[0];
        app.ui.nav_tools.choose(Tool::Threat);
        app.ui.nav_tools.picked = Some(PlacedItem::Threat(0));
        app.execute(Command::PickCamera(id), &context);
        app.execute(Command::Run(Action::Delete), &context);
        assert_eq!((app.scene.nav.threats.len(), app.scene.cameras.contains(id)), (1, false));
    }
}
