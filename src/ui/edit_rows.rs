//! Rows of forms that edit a thing of the scene: what is changed in a row becomes a step that can be undone.

use super::command::Command;
use super::widgets::{Drag, choice, number_or, switch, vector};
use super::{UiContext, edits};
use crate::ids::{CameraId, LevelId, ModelId};
use crate::scene::{SceneCamera, SceneInstance, SceneLevel, SceneModel, SceneNav, Settings};
use egui::Ui;
use egui::emath::Numeric;
use glam::Vec3;

/// The command of a changed row: name of the step, key that joins the edits of a drag, the thing as it becomes, and
/// the change itself.
type EditCommand<'a, T> = Box<dyn Fn(String, &str, &T, &dyn Fn(&mut T)) -> Command + 'a>;

/// Rows that edit a copy of one thing and ask for a step for each change.
pub struct EditRows<'a, T> {
    /// Where the rows are drawn.
    pub ui: &'a mut Ui,
    /// The thing as the rows so far have left it.
    pub to: T,
    /// Where the steps go.
    pub out: &'a mut Vec<Command>,
    usual: T,
    command: EditCommand<'a, T>,
}

/// A row with its label and help, before it is said what is edited.
pub struct EditRow<'r, 'a, T> {
    rows: &'r mut EditRows<'a, T>,
    label: &'r str,
    help: &'r str,
    /// Names of the step where a switch is put on and off; others take the first.
    names: [String; 2],
    key: &'r str,
}

impl<'a> EditRows<'a, Settings> {
    /// Rows that edit the settings of the scene.
    pub fn of_settings(ui: &'a mut Ui, cx: &UiContext<'_>, out: &'a mut Vec<Command>) -> Self {
        let command = |name: String, key: &str, to: &Settings, _: &dyn Fn(&mut Settings)| {
            edits::set_settings(&name, key, to.clone())
        };
        let to = Settings::clone(&cx.scene.settings);
        Self { ui, to, out, usual: Settings::of_new_scene(), command: Box::new(command) }
    }
}

impl<'a> EditRows<'a, SceneNav> {
    /// Rows that edit what the scene says about navigation meshes.
    pub fn of_nav(ui: &'a mut Ui, nav: &SceneNav, out: &'a mut Vec<Command>) -> Self {
        let command =
            |name: String, key: &str, to: &SceneNav, _: &dyn Fn(&mut SceneNav)| edits::set_nav(name, key, to.clone());
        Self { ui, to: nav.clone(), out, usual: SceneNav::default(), command: Box::new(command) }
    }
}

impl<'a> EditRows<'a, SceneInstance> {
    /// Rows that show an instance; a change goes to all that are selected.
    pub fn of_chosen(
        ui: &'a mut Ui,
        cx: &'a UiContext<'_>,
        instance: &SceneInstance,
        out: &'a mut Vec<Command>,
    ) -> Self {
        let command = |name: String, key: &str, _: &SceneInstance, change: &dyn Fn(&mut SceneInstance)| {
            edits::change_chosen(name, cx, key, change)
        };
        Self { ui, to: instance.clone(), out, usual: SceneInstance::default(), command: Box::new(command) }
    }
}

impl<'a> EditRows<'a, SceneModel> {
    /// Rows that edit a model.
    pub fn of_model(ui: &'a mut Ui, id: ModelId, model: &SceneModel, out: &'a mut Vec<Command>) -> Self {
        let command = move |name: String, key: &str, to: &SceneModel, _: &dyn Fn(&mut SceneModel)| {
            edits::set_model(name, id, key, to.clone())
        };
        Self { ui, to: model.clone(), out, usual: SceneModel::default(), command: Box::new(command) }
    }
}

impl<'a> EditRows<'a, SceneLevel> {
    /// Rows that edit a level.
    pub fn of_level(ui: &'a mut Ui, id: LevelId, level: &SceneLevel, out: &'a mut Vec<Command>) -> Self {
        let command = move |name: String, key: &str, to: &SceneLevel, _: &dyn Fn(&mut SceneLevel)| {
            edits::set_level(name, id, key, to.clone())
        };
        Self { ui, to: level.clone(), out, usual: SceneLevel::default(), command: Box::new(command) }
    }
}

impl<'a> EditRows<'a, SceneCamera> {
    /// Rows that edit a camera; `finish` follows each change. Steps are named after their fields.
    pub fn of_camera(
        ui: &'a mut Ui,
        (id, camera): (CameraId, &'a SceneCamera),
        finish: impl Fn(&mut SceneCamera) + 'a,
        out: &'a mut Vec<Command>,
    ) -> Self {
        let command = move |_: String, field: &str, to: &SceneCamera, _: &dyn Fn(&mut SceneCamera)| {
            let mut to = to.clone();
            finish(&mut to);
            edits::set_camera(format!("change the {field} of {}", camera.name), id, field, to)
        };
        Self { ui, to: camera.clone(), out, usual: SceneCamera::default(), command: Box::new(command) }
    }
}

impl<'a, T> EditRows<'a, T> {
    /// Begins a row.
    pub fn row<'r>(&'r mut self, label: &'r str, help: &'r str) -> EditRow<'r, 'a, T> {
        EditRow { rows: self, label, help, names: Default::default(), key: label }
    }

    /// Asks for a step with what a change has made of the thing.
    pub fn ask(&mut self, name: impl Into<String>, key: &str, change: impl Fn(&mut T)) {
        change(&mut self.to);
        self.out.push((self.command)(name.into(), key, &self.to, &change));
    }
}

impl<'r, T> EditRow<'r, '_, T> {
    /// Names the step, and the key that joins the edits of a drag.
    pub fn edit(self, name: impl Into<String>, key: &'r str) -> Self {
        Self { names: [name.into(), String::new()], key, ..self }
    }

    /// The key that joins the edits of a drag, where the step is named after it.
    pub fn field(self, key: &'r str) -> Self {
        Self { key, ..self }
    }

    /// Names the steps that put a switch on and off, and their key.
    pub fn either(self, on: impl Into<String>, off: impl Into<String>, key: &'r str) -> Self {
        Self { names: [on.into(), off.into()], key, ..self }
    }

    /// A number.
    pub fn number<N: Numeric>(self, drag: Drag, field: impl Fn(&mut T) -> &mut N) {
        let Self { rows, label, help, names: [name, _], key } = self;
        let usual = *field(&mut rows.usual);
        if number_or(rows.ui, label, help, (field(&mut rows.to), usual), drag).changed() {
            let value = *field(&mut rows.to);
            rows.ask(name, key, |to| *field(to) = value);
        }
    }

    /// Three coordinates.
    pub fn vector(self, drag: Drag, field: impl Fn(&mut T) -> &mut Vec3) {
        let Self { rows, label, help, names: [name, _], key } = self;
        let usual = *field(&mut rows.usual);
        if vector(rows.ui, label, help, (field(&mut rows.to), usual), drag).changed() {
            let value = *field(&mut rows.to);
            rows.ask(name, key, |to| *field(to) = value);
        }
    }

    /// One of several.
    pub fn choice<V: Copy + PartialEq>(
        self,
        all: &[V],
        named: impl Fn(V) -> &'static str,
        field: impl Fn(&mut T) -> &mut V,
    ) {
        let Self { rows, label, help, names: [name, _], key } = self;
        let usual = *field(&mut rows.usual);
        if choice(rows.ui, label, help, (field(&mut rows.to), usual), all, named) {
            let value = *field(&mut rows.to);
            rows.ask(name, key, |to| *field(to) = value);
        }
    }

    /// A switch.
    pub fn switch(self, field: impl Fn(&mut T) -> &mut bool) {
        self.switch_between([true, false], field);
    }

    /// A switch that is on while the thing has one of two values.
    pub fn switch_between<V: Copy + PartialEq>(self, [on, off]: [V; 2], field: impl Fn(&mut T) -> &mut V) {
        let Self { rows, label, help, names, key } = self;
        let usual = *field(&mut rows.usual) == on;
        let mut is_on = *field(&mut rows.to) == on;
        if switch(rows.ui, label, help, (&mut is_on, usual)).changed() {
            let [name_on, name_off] = names;
            let value = if is_on { on } else { off };
            rows.ask(if is_on || name_off.is_empty() { name_on } else { name_off }, key, |to| *field(to) = value);
        }
    }
}
