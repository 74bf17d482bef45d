//! What is done to all selected instances in one step, and selecting by clicks and boxes in the viewport.

use super::pick;
use super::state::App;
use crate::camera::View;
use crate::ids::InstanceId;
use crate::scene::SceneInstance;
use crate::scene::edit::Edit;
use crate::ui::command::{Action, EditStep, SelectionMode};
use crate::ui::{Mode, ViewportInput};
use glam::{Vec2, Vec3};
use std::sync::Arc;

/// Shortest drag that draws a box, points.
const MIN_BOX: f32 = 6.0;

impl App {
    /// Moves what is selected: what one frame of a drag does.
    pub fn drag_selected(&mut self, by: Vec3) {
        let ids = self.selected();
        let set = |id: &InstanceId| {
            let instance = self.scene.instances.get(*id)?;
            let to = SceneInstance { position: instance.position + by, ..(**instance).clone() };
            Some(Edit::SetInstance { id: *id, to: Arc::new(to) })
        };
        let (edits, name) = (ids.iter().filter_map(set).collect(), format!("move {}", self.name_of_all(&ids)));
        let merge = ids.first().map(|id| id.to_bits());
        self.edit(EditStep { name, edit: Edit::Many(edits), merge });
    }

    /// One step that changes all selected instances.
    fn change_all(&mut self, what: &str, change: impl Fn(&Self, &SceneInstance) -> SceneInstance) {
        let ids = self.selected();
        let set = |id: &InstanceId| {
            let instance = self.scene.instances.get(*id)?;
            let to = change(self, instance);
            (to != **instance).then(|| Edit::SetInstance { id: *id, to: Arc::new(to) })
        };
        let edits: Vec<Edit> = ids.iter().filter_map(set).collect();
        if !edits.is_empty() {
            let name = format!("{what} {}", self.name_of_all(&ids));
            self.edit(EditStep { name, edit: Edit::Many(edits), merge: None });
        }
    }

    /// The commands that work on all selected instances.
    pub(super) fn run_on_all(&mut self, action: Action) {
        let active = self.selection.instance.and_then(|id| self.scene.instances.get(id)).cloned();
        let Some(active) = active else { return };
        match action {
            Action::Drop => self.change_all("drop", |app, instance| {
                let stand = |ground: Vec3| ground + Vec3::Y * app.origin_height(instance);
                let position = app.ground_below(instance.position).map_or(instance.position, stand);
                SceneInstance { position, ..instance.clone() }
            }),
            Action::LineUpX => self.change_all("line up", |_, instance| {
                let position = Vec3 { z: active.position.z, ..instance.position };
                SceneInstance { position, ..instance.clone() }
            }),
            Action::LineUpZ => self.change_all("line up", |_, instance| {
                let position = Vec3 { x: active.position.x, ..instance.position };
                SceneInstance { position, ..instance.clone() }
            }),
            Action::TurnAlike => self.change_all("turn alike", |_, instance| SceneInstance {
                rotation_deg: active.rotation_deg,
                ..instance.clone()
            }),
            _ => {}
        }
    }

    pub(super) fn select_all(&mut self) {
        let ids: Vec<InstanceId> = self.scene.instances.ids().collect();
        self.choose(&ids, SelectionMode::Only);
    }

    pub(super) fn duplicate(&mut self) {
        if let Some(id) = self.picked_camera() {
            return self.clone_camera(id);
        }
        let ids = self.selected();
        let copy = |id: &InstanceId| {
            let mut copy = (**self.scene.instances.get(*id)?).clone();
            copy.position += Vec3::X;
            Some(Edit::AddInstance(copy))
        };
        let edits: Vec<Edit> = ids.iter().filter_map(copy).collect();
        if !edits.is_empty() {
            let name = format!("duplicate {}", self.name_of_all(&ids));
            self.edit(EditStep { name, edit: Edit::Many(edits), merge: None });
        }
    }

    pub(super) fn delete(&mut self) {
        if self.remove_picked() {
            return;
        }
        if let Some(id) = self.picked_camera() {
            return self.remove_camera(id);
        }
        let ids = self.selected();
        if ids.is_empty() {
            return;
        }
        let name = format!("delete {}", self.name_of_all(&ids));
        let edit = Edit::Many(ids.into_iter().map(Edit::RemoveInstance).collect());
        self.edit(EditStep { name, edit, merge: None });
    }

    /// How a click or a box with these keys held selects.
    fn selection_mode_of(viewport: &ViewportInput) -> SelectionMode {
        SelectionMode::of(egui::Modifiers { shift: viewport.shift, command: viewport.command, ..Default::default() })
    }

    /// Takes a drag with Shift or Ctrl over the picture as a box that selects. Returns whether it had the mouse.
    pub(super) fn use_box(&mut self, viewport: &ViewportInput, view: &View) -> bool {
        if self.ui.mode != Mode::Edit {
            self.ui.marquee = None;
            return false;
        }
        if let Some(at) = viewport.press.filter(|_| viewport.shift || viewport.command) {
            self.ui.marquee = Some((egui::Rect::from_min_max(at, at), Self::selection_mode_of(viewport)));
        }
        let Some((marquee, how)) = self.ui.marquee else { return false };
        if let Some(at) = viewport.drag {
            self.ui.marquee = Some((egui::Rect { min: marquee.min, max: at }, how));
            return true;
        }
        if viewport.press.is_some() {
            return true;
        }
        self.ui.marquee = None;
        let marquee = egui::Rect::from_two_pos(marquee.min, marquee.max);
        if marquee.width().max(marquee.height()) < MIN_BOX {
            return false;
        }
        let inside = |at: Vec2| marquee.contains(viewport.rect.min + egui::vec2(at.x, at.y));
        let size = Vec2::new(viewport.rect.width(), viewport.rect.height());
        let middle = |id: InstanceId, instance: &SceneInstance| {
            let (world_from_model, bounds) =
                pick::placed(&self.scene, &self.assets, instance, self.world.live(id)?, 1.0);
            view.project(world_from_model.transform_point3(bounds.center()), size)
        };
        let seen = self.scene.instances.iter().filter(|(id, i)| middle(*id, i).is_some_and(inside));
        let ids: Vec<InstanceId> = seen.map(|(id, _)| id).collect();
        self.choose(&ids, how);
        true
    }

    /// Takes a click on an instance, or on none.
    pub(super) fn click_on(&mut self, found: Option<InstanceId>, viewport: &ViewportInput) {
        let how = if self.ui.mode == Mode::Edit { Self::selection_mode_of(viewport) } else { SelectionMode::Only };
        match found {
            Some(id) => self.choose(&[id], how),
            None if how == SelectionMode::Only => self.choose(&[], how),
            None => {}
        }
    }
}
