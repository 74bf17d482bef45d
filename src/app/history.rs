//! Steps of the history: edits, what takes them back, and drags, each of which is one step.

use super::state::App;
use crate::ids::{Arena, CameraId};
use crate::scene::history::HistoryState;
use crate::scene::{Applied, Edit, Scene, SceneCamera, Selection};
use crate::ui::command::EditStep;
use crate::ui::nav_tools::PlacedItem;
use std::sync::Arc;

/// Name of the step that takes the scene's file as another program has written it.
pub(super) const TAKE_FILE: &str = "take the scene's file";

impl App {
    /// Applies an edit as one step of the history; what it adds is selected.
    pub(super) fn edit(&mut self, step: EditStep) {
        let _added = self.apply(step);
    }

    /// As [`App::edit`]. Returns what was added; `None` where the edit was refused, which a notice says, or changes nothing.
    pub(super) fn apply(&mut self, step: EditStep) -> Option<Applied> {
        if matches!(&step.edit, Edit::Many(all) if all.is_empty()) {
            return None;
        }
        let (before, camera) = (self.selection, self.looked_through());
        let nav_before = Arc::clone(&self.scene.nav);
        match self.scene.apply(&step.edit) {
            Ok(applied) => {
                self.follow_camera(camera);
                // Where something was taken out of its list, its place may be another's. What was just placed is picked already.
                let is_in_doubt = |item: &PlacedItem| item.of_its_kind(&self.scene.nav) < item.of_its_kind(&nav_before);
                if self.ui.nav_tools.picked.as_ref().is_some_and(is_in_doubt) {
                    self.ui.nav_tools.picked = None;
                }
                if let Some(id) = applied.instances.last() {
                    self.selection.instance = Some(*id);
                    self.group = applied.instances.iter().copied().collect();
                    // They were selected after the camera.
                    self.ui.camera = None;
                }
                self.prune_selection();
                self.history.push(step.name, step.merge, &self.scene, before, self.selection);
                self.stale = true;
                self.request_models();
                if step.merge.is_some() {
                    // A drag goes on: what it leads to is kept when it ends.
                    self.autosave_pending = true;
                } else {
                    self.keep_unsaved();
                }
                Some(applied)
            }
            Err(error) => {
                self.notices.error(error.to_string());
                None
            }
        }
    }

    /// Whether what changes now may go on in the next frame as the same step: while a button or key is down, while text
    /// is typed, while the wheel turns.
    pub(super) fn is_changing(&self, ctx: &egui::Context) -> bool {
        let is_held = ctx.input(|input| input.pointer.any_down() || !input.keys_down.is_empty());
        // What was asked for in this frame is done in the next.
        is_held || !self.pending.is_empty() || self.wheel_rest.is_some() || ctx.text_edit_focused()
    }

    pub(super) fn undo(&mut self) {
        let crosses = self.history.undo_name() == Some(TAKE_FILE);
        if let Some(state) = self.history.undo() {
            self.put_back_across(state, crosses);
        }
    }

    /// Takes a step back, by its name and how many were done with it, where no other followed.
    pub(super) fn undo_step(&mut self, name: &str, done: usize) {
        if self.history.count().0 == done && self.history.undo_name() == Some(name) {
            return self.undo();
        }
        let text = format!("\"{name}\" is not the last step any more: click the step before it in the History (F4).");
        self.notices.info(text);
    }

    pub(super) fn redo(&mut self) {
        let crosses = self.history.redo_name() == Some(TAKE_FILE);
        if let Some(state) = self.history.redo() {
            self.put_back_across(state, crosses);
        }
    }

    /// Goes back or forward until so many steps are done.
    pub(super) fn go_to_step(&mut self, step: usize) {
        let (done, _) = self.steps();
        let (mut last, mut crosses) = (None, false);
        for _ in step..done {
            crosses |= self.history.undo_name() == Some(TAKE_FILE);
            last = self.history.undo().or(last);
        }
        for _ in done..step {
            crosses |= self.history.redo_name() == Some(TAKE_FILE);
            last = self.history.redo().or(last);
        }
        if let Some(state) = last {
            self.put_back_across(state, crosses);
        }
    }

    /// Puts a scene that was read in place of the open one. Where ids stand for other things in it, what names things by them is forgotten,
    /// and the camera that is looked through is the one at its place. Returns the camera at the place of the selected one.
    pub(super) fn take_read(&mut self, scene: Scene) -> Option<CameraId> {
        let place = |id: Option<CameraId>| id.and_then(|id| self.scene.cameras.position(id));
        let (active, selected) = (place(self.camera_controller.active()), place(self.selection.camera));
        let is_renumbered = !numbers_alike(&self.scene, &scene);
        if self.scene.nav != scene.nav {
            self.ui.nav_tools.forget_places();
        }
        self.scene = scene;
        if is_renumbered {
            self.forget_ids();
            self.restart_world();
            if let Some(id) = active.and_then(|place| self.scene.cameras.at(place)) {
                self.camera_controller.use_camera(&self.scene, id);
            }
        }
        selected.and_then(|place| self.scene.cameras.at(place))
    }

    /// Puts a state back from which the scene was read again in between, where it `crosses` that: ids may stand for others.
    fn put_back_across(&mut self, state: HistoryState, crosses: bool) {
        if !crosses || numbers_alike(&self.scene, &state.scene) {
            return self.put_back(state);
        }
        let camera = self.take_read(state.scene);
        self.selection = Selection { camera, ..state.selection };
        self.prune_selection();
        self.stale = true;
        self.request_models();
        self.keep_unsaved();
    }

    pub(super) fn put_back(&mut self, state: HistoryState) {
        let camera = self.looked_through();
        let is_another = |item: &PlacedItem| item.of_its_kind(&self.scene.nav) != item.of_its_kind(&state.scene.nav);
        if self.ui.nav_tools.picked.as_ref().is_some_and(is_another) {
            self.ui.nav_tools.picked = None;
        }
        self.scene = state.scene;
        self.follow_camera(camera);
        self.selection = Selection { camera: self.selection.camera, ..state.selection };
        self.prune_selection();
        self.stale = true;
        self.request_models();
        self.keep_unsaved();
    }

    /// The camera that the picture is taken from, as the scene has it.
    fn looked_through(&self) -> Option<(CameraId, Arc<SceneCamera>)> {
        self.camera_controller.active().and_then(|id| Some((id, Arc::clone(self.scene.cameras.get(id)?))))
    }

    /// Lets the picture follow what a step has changed of the camera that it is taken from.
    fn follow_camera(&mut self, before: Option<(CameraId, Arc<SceneCamera>)>) {
        let Some((id, before)) = before else { return };
        if let Some(now) = self.scene.cameras.get(id) {
            self.camera_controller.take_over(&before, now);
        }
    }

    /// Notes that a drag in the picture begins, which Escape takes back.
    pub(super) fn begin_drag(&mut self) {
        self.history.begin_drag();
        self.before_drag = Some((self.group.clone(), self.ui.nav_tools.clone()));
    }

    /// Puts back what was there before the drag in the picture. The button counts as let go until it is.
    pub(super) fn cancel_drag(&mut self) {
        (self.gizmo_drag, self.ui.marquee, self.drag_cancelled) = (None, None, true);
        let state = self.history.cancel_drag();
        if let Some((group, nav_tools)) = self.before_drag.take() {
            self.ui.nav_tools = nav_tools;
            if let Some(state) = state {
                self.put_back(state);
                self.group = group;
            }
        }
        self.autosave_pending = false;
    }
}

/// Whether things at the same places of two scenes have the same ids: a scene that is read numbers everything anew, so that they have others
/// where something was removed before.
fn numbers_alike(a: &Scene, b: &Scene) -> bool {
    fn alike<Kind, T>(a: &Arena<Kind, T>, b: &Arena<Kind, T>) -> bool {
        a.ids().zip(b.ids()).all(|(a, b)| a == b)
    }
    alike(&a.instances, &b.instances)
        && alike(&a.models, &b.models)
        && alike(&a.levels, &b.levels)
        && alike(&a.cameras, &b.cameras)
        && alike(&a.behaviors, &b.behaviors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::recent::Recent;
    use crate::scene::{SceneInstance, SceneModel, SceneNav};
    use crate::ui::edits;
    use glam::Vec3;

    #[test]
    fn what_is_picked_is_forgotten_where_its_list_gets_shorter() {
        let mut app = App::new(Recent::default());
        let threats = |count: usize| {
            let threats = (0..count).map(|i| Vec3::X * i as f32).collect();
            SceneNav { threats, ..SceneNav::default() }
        };
        app.edit(edits::nav_step("place three", None, threats(3)));
        app.ui.nav_tools.picked = Some(PlacedItem::Threat(2));
        app.edit(edits::nav_step("place a fourth", None, threats(4)));
        assert_eq!(app.ui.nav_tools.picked, Some(PlacedItem::Threat(2)));
        app.edit(edits::nav_step("remove one", None, threats(3)));
        assert_eq!(app.ui.nav_tools.picked, None, "the third may be another now");
    }

    #[test]
    fn what_is_picked_is_forgotten_where_a_file_has_other_lists() {
        let mut app = App::new(Recent::default());
        let threats = |places: &[Vec3]| SceneNav { threats: places.to_vec(), ..SceneNav::default() };
        app.edit(edits::nav_step("place two", None, threats(&[Vec3::ZERO, Vec3::X])));
        app.ui.nav_tools.picked = Some(PlacedItem::Threat(1));
        app.take_read(app.scene.clone());
        assert_eq!(app.ui.nav_tools.picked, Some(PlacedItem::Threat(1)), "it is the same one");
        let read = Scene { nav: Arc::new(threats(&[Vec3::Z, Vec3::ZERO, Vec3::X])), ..app.scene.clone() };
        app.take_read(read);
        assert_eq!(app.ui.nav_tools.picked, None, "the second is another now");
    }

    #[test]
    fn what_is_gone_is_not_selected() {
        let mut app = App::new(Recent::default());
        let step = |name: &str, edit| EditStep { name: name.into(), edit, merge: None };
        let cone = SceneModel { name: "cone".into(), ..SceneModel::default() };
        let model = app.apply(step("add", Edit::AddModel(cone))).unwrap().models[0];
        let instance = app.apply(step("place", Edit::AddInstance(SceneInstance::default()))).unwrap().instances[0];
        app.selection.model = Some(model);
        app.edit(step("delete", Edit::RemoveInstance(instance)));
        app.edit(step("remove", Edit::RemoveModel(model)));
        let selected = |app: &App| (app.selection.instance, app.selection.model);
        assert_eq!(selected(&app), (None, None));
        app.undo();
        app.undo();
        assert_eq!(selected(&app), (Some(instance), Some(model)), "undo selects them again");
        app.redo();
        app.redo();
        assert_eq!(selected(&app), (None, None), "and redo leaves nothing that is gone");
    }
}
