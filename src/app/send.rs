//! The tool that sends the selected characters to a place: a marker is put there, and they walk to it.

use super::files::sample;
use super::state::App;
use crate::disk::stem_of;
use crate::ids::{InstanceId, ModelId};
use crate::scene::edit::Edit;
use crate::scene::instance::ModelRef;
use crate::scene::{SceneInstance, SceneModel};
use crate::ui::command::EditStep;
use crate::ui::nav_tools::Gesture;
use crate::vocab::free_name;
use glam::Vec3;
use std::sync::Arc;

/// The model that marks where characters are sent.
const MARKER: &str = "assets/props/marker.glb";
/// Joins the edits of one gesture.
const MERGE_KEY: u64 = 0x5e_4d;
/// Why a click did nothing.
const NONE_SELECTED: &str = "No character is selected: click one, then the ground.";
const NO_MARKER: &str =
    "The marker that comes with Walkabout is missing (assets/props/marker.glb); make a model a target in its place.";

impl App {
    /// Sends the selected to a place of the ground by a press, and leads them about by a drag.
    pub(super) fn send_chosen(&mut self, gesture: Gesture, at: Vec3) {
        match gesture {
            Gesture::Press { .. } => match self.walkers() {
                walkers if walkers.is_empty() => self.ui.nav_tools.missed = Some(NONE_SELECTED),
                walkers => self.send(&walkers, at),
            },
            Gesture::Drag if self.ui.nav_tools.leads => {
                let walkers = self.walkers();
                if let Some(marker) = self.own_marker(&walkers) {
                    let name = format!("send {}", self.name_of_all(&walkers));
                    self.edit(EditStep { name, edit: self.moved(marker, at), merge: Some(MERGE_KEY) });
                }
            }
            Gesture::Drag => {}
            Gesture::Release => self.ui.nav_tools.leads = false,
        }
    }

    /// Whether an instance can be sent: it is no target itself.
    pub(super) fn is_walker(&self, id: InstanceId) -> bool {
        let Some(instance) = self.scene.instances.get(id) else { return false };
        let model = instance.model_id().and_then(|model| self.scene.models.get(model));
        model.is_none_or(|model| !model.is_nav_target)
    }

    fn walkers(&self) -> Vec<InstanceId> {
        self.selected().into_iter().filter(|id| self.is_walker(*id)).collect()
    }

    /// Lets characters walk to a place: by the marker of these characters alone, else by a new one.
    fn send(&mut self, walkers: &[InstanceId], at: Vec3) {
        let name = format!("send {}", self.name_of_all(walkers));
        let (selection, group) = (self.selection, self.group.clone());
        let marker = match self.own_marker(walkers) {
            Some(marker) => {
                self.edit(EditStep { name: name.clone(), edit: self.moved(marker, at), merge: Some(MERGE_KEY) });
                marker
            }
            None => match self.place_marker(&name, at) {
                Some(marker) => marker,
                None => return,
            },
        };
        // The walkers stay selected, for the next place.
        (self.selection, self.group) = (selection, group);
        let send = |id: &InstanceId| {
            let to = SceneInstance::clone(self.scene.instances.get(*id)?);
            let to = SceneInstance { target: Some(marker), navigation: true, ..to };
            Some(Edit::SetInstance { id: *id, to: Arc::new(to) })
        };
        let mut edits: Vec<Edit> = walkers.iter().filter_map(send).collect();
        if !self.scene.settings.nav.enabled {
            let mut to = (*self.scene.settings).clone();
            to.nav.enabled = true;
            edits.push(Edit::SetSettings(to));
        }
        self.edit(EditStep { name, edit: Edit::Many(edits), merge: Some(MERGE_KEY) });
        (self.clock.playing, self.ui.nav_tools.leads) = (true, true);
    }

    /// The marker to which exactly these walk.
    fn own_marker(&self, walkers: &[InstanceId]) -> Option<InstanceId> {
        let marker = self.scene.instances.get(*walkers.first()?)?.target.filter(|id| self.is_marker(*id))?;
        let walks_there = |id: &InstanceId| self.scene.instances.get(*id).is_some_and(|one| one.target == Some(marker));
        let count = self.scene.instances.values().filter(|one| one.target == Some(marker)).count();
        (walkers.iter().all(walks_there) && count == walkers.len()).then_some(marker)
    }

    fn is_marker(&self, id: InstanceId) -> bool {
        let model = self.scene.instances.get(id).and_then(|instance| instance.model_id());
        model.is_some() && model == self.marker_model()
    }

    /// The model of the markers, if the scene has it.
    fn marker_model(&self) -> Option<ModelId> {
        let file = self.name_in_scene(&std::path::absolute(sample(MARKER)?).ok()?);
        let is_it = |model: &SceneModel| model.is_nav_target && model.file == file;
        self.scene.models.iter().find(|(_, model)| is_it(model)).map(|(id, _)| id)
    }

    fn moved(&self, marker: InstanceId, at: Vec3) -> Edit {
        let now = self.scene.instances.get(marker).map(|one| SceneInstance::clone(one)).unwrap_or_default();
        Edit::SetInstance { id: marker, to: Arc::new(SceneInstance { position: at, ..now }) }
    }

    /// Puts a marker to a place, and its model into the scene where that is missing.
    fn place_marker(&mut self, name: &str, at: Vec3) -> Option<InstanceId> {
        let model = match self.marker_model() {
            Some(model) => model,
            None => self.add_marker_model(name)?,
        };
        let instance = SceneInstance { model: ModelRef::Known(model), position: at, ..SceneInstance::default() };
        let step = EditStep { name: name.to_owned(), edit: Edit::AddInstance(instance), merge: Some(MERGE_KEY) };
        self.apply(step)?.instances.first().copied()
    }

    fn add_marker_model(&mut self, name: &str) -> Option<ModelId> {
        let Some(file) = sample(MARKER).and_then(|file| std::path::absolute(file).ok()) else {
            self.ui.nav_tools.missed = Some(NO_MARKER);
            return None;
        };
        let model = SceneModel {
            name: free_name(&stem_of(&file), |name| self.scene.models.values().any(|other| other.name == name)),
            file: self.name_in_scene(&file),
            is_nav_target: true,
            ..SceneModel::default()
        };
        let step = EditStep { name: name.to_owned(), edit: Edit::AddModel(model), merge: Some(MERGE_KEY) };
        self.apply(step)?.models.first().copied()
    }
}
