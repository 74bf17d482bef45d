//! Rows of forms that edit a thing of the scene: what is changed in a row becomes a step that can be undone.

use super::command::Command;
use super::widgets::{Drag, choice, number_or, switch, vector};
use super::{UiContext, edits};
use crate::ids::{CameraId, LevelId, ModelId};
use crate::nav::bake::BakeSettings;
use crate::scene::{SceneCamera, SceneInstance, SceneLevel, SceneModel, SceneNav, Settings};
use egui::Ui;
use egui::emath::Numeric;
use glam::Vec3;

/// The command of a changed row: by name of the step, key, the thing as it becomes, and the change itself.
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

/// Rows that edit the settings of the scene.
pub fn of_settings<'a>(ui: &'a mut Ui, cx: &UiContext<'_>, out: &'a mut Vec<Command>) -> EditRows<'a, Settings> {
    let (now, usual) = (&*cx.scene.settings, Settings::of_new_scene());
    EditRows::new(ui, (now, usual), out, |name, key, to, _| edits::set_settings(&name, key, to.clone()))
}

/// Rows that edit what the scene says about navigation meshes.
pub fn of_nav<'a>(ui: &'a mut Ui, nav: &SceneNav, out: &'a mut Vec<Command>) -> EditRows<'a, SceneNav> {
    let usual = SceneNav::default();
    EditRows::new(ui, (nav, usual), out, |name, key, to, _| edits::set_nav(name, key, to.clone()))
}

/// Rows that edit the settings of the bake; `finish` follows each change.
pub fn of_bake<'a>(
    ui: &'a mut Ui,
    nav: &'a SceneNav,
    finish: impl Fn(&mut BakeSettings) + 'a,
    out: &'a mut Vec<Command>,
) -> EditRows<'a, BakeSettings> {
    EditRows::new(ui, (&nav.bake, SceneNav::default().bake), out, move |name, key, to, _| {
        let mut bake = to.clone();
        finish(&mut bake);
        edits::set_nav(name, key, SceneNav { bake, ..nav.clone() })
    })
}

/// Rows that show an instance; a change goes to all that are selected.
pub fn of_chosen<'a>(
    ui: &'a mut Ui,
    cx: &'a UiContext<'_>,
    instance: &SceneInstance,
    out: &'a mut Vec<Command>,
) -> EditRows<'a, SceneInstance> {
    let usual = SceneInstance::default();
    EditRows::new(ui, (instance, usual), out, |name, key, _, change| edits::change_chosen(name, cx, key, change))
}

/// Rows that edit a model.
pub fn of_model<'a>(
    ui: &'a mut Ui,
    (id, model): (ModelId, &SceneModel),
    out: &'a mut Vec<Command>,
) -> EditRows<'a, SceneModel> {
    let usual = SceneModel::default();
    EditRows::new(ui, (model, usual), out, move |name, key, to, _| edits::set_model(name, id, key, to.clone()))
}

/// Rows that edit a level.
pub fn of_level<'a>(
    ui: &'a mut Ui,
    (id, level): (LevelId, &SceneLevel),
    out: &'a mut Vec<Command>,
) -> EditRows<'a, SceneLevel> {
    let usual = SceneLevel::default();
    EditRows::new(ui, (level, usual), out, move |name, key, to, _| edits::set_level(name, id, key, to.clone()))
}

/// Rows that edit a camera; `finish` follows each change. Steps are named after their fields.
pub fn of_camera<'a>(
    ui: &'a mut Ui,
    (id, camera): (CameraId, &'a SceneCamera),
    finish: impl Fn(&mut SceneCamera) + 'a,
    out: &'a mut Vec<Command>,
) -> EditRows<'a, SceneCamera> {
    EditRows::new(ui, (camera, SceneCamera::default()), out, move |_, field, to, _| {
        let mut to = to.clone();
        finish(&mut to);
        edits::set_camera(format!("change the {field} of {}", camera.name), id, field, to)
    })
}

impl<'a, T: Clone> EditRows<'a, T> {
    fn new(
        ui: &'a mut Ui,
        (now, usual): (&T, T),
        out: &'a mut Vec<Command>,
        command: impl Fn(String, &str, &T, &dyn Fn(&mut T)) -> Command + 'a,
    ) -> Self {
        Self { ui, to: now.clone(), out, usual, command: Box::new(command) }
    }

    /// Begins a row. Its step is named after the label, which is its key, unless it is said otherwise.
    pub fn row<'r>(&'r mut self, label: &'r str, help: &'r str) -> EditRow<'r, 'a, T> {
        EditRow { rows: self, label, help, names: Default::default(), key: label }
    }

    /// Asks for a step with what a change has made of the thing, named after its key unless it has a name.
    pub fn ask(&mut self, name: impl Into<String>, key: &str, change: impl Fn(&mut T)) {
        change(&mut self.to);
        let name = Some(name.into()).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("change {}", key.to_lowercase()));
        self.out.push((self.command)(name, key, &self.to, &change));
    }
}

impl<'r, T: Clone> EditRow<'r, '_, T> {
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
        self.value(field, |ui, label, help, value| number_or(ui, label, help, value, drag).changed());
    }

    /// Three coordinates.
    pub fn vector(self, drag: Drag, field: impl Fn(&mut T) -> &mut Vec3) {
        self.value(field, |ui, label, help, value| vector(ui, label, help, value, drag).changed());
    }

    /// One of several.
    pub fn choice<'n, V: Copy + PartialEq>(
        self,
        all: &[V],
        named: impl Fn(V) -> &'n str,
        field: impl Fn(&mut T) -> &mut V,
    ) {
        self.value(field, |ui, label, help, value| choice(ui, label, help, value, all, named));
    }

    /// A value beside its default, by a widget that says whether it was changed.
    fn value<V: Copy>(
        self,
        field: impl Fn(&mut T) -> &mut V,
        show: impl FnOnce(&mut Ui, &str, &str, (&mut V, V)) -> bool,
    ) {
        let Self { rows, label, help, names: [name, _], key } = self;
        let usual = *field(&mut rows.usual);
        if show(rows.ui, label, help, (field(&mut rows.to), usual)) {
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
