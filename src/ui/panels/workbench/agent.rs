//! Bakes a mesh for an agent: the button, presets, and the agent's size and ability in one row.

use super::bake::{MAX_HEIGHT_CELLS, MAX_RADIUS_CELLS};
use crate::ids::InstanceId;
use crate::math::Aabb;
use crate::nav::bake::BakeSettings;
use crate::scene::SceneNav;
use crate::scene::nav::MeshSource;
use crate::ui::choices::is_taken;
use crate::ui::command::{Action, Command, tip};
use crate::ui::theme::color;
use crate::ui::widgets::{Drag, drag, reset};
use crate::ui::{UiContext, edits, names};
use egui::{Button, ComboBox, Label, Response, RichText, Ui};

/// What decides where an agent can walk.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AgentSize {
    radius: f32,
    height: f32,
    climb: f32,
    slope_rad: f32,
}

impl AgentSize {
    fn from_settings(bake: &BakeSettings) -> Self {
        let &BakeSettings { agent_radius, agent_height, agent_climb, slope_rad, .. } = bake;
        Self { radius: agent_radius, height: agent_height, climb: agent_climb, slope_rad }
    }

    fn on(self, bake: &BakeSettings) -> BakeSettings {
        let Self { radius, height, climb, slope_rad } = self;
        let mut to =
            BakeSettings { agent_radius: radius, agent_height: height, agent_climb: climb, slope_rad, ..bake.clone() };
        super::bake::keep_possible(&mut to);
        to
    }
}

/// A choice of the list of presets.
struct AgentPreset {
    label: String,
    help: &'static str,
    size: AgentSize,
}

fn presets(cx: &UiContext<'_>) -> Vec<AgentPreset> {
    let mut presets = vec![
        AgentPreset {
            label: "Person".into(),
            help: "The agent of a new scene.",
            size: AgentSize::from_settings(&SceneNav::default().bake),
        },
        AgentPreset {
            label: "RecastDemo".into(),
            help: "The agent that RecastDemo starts with.",
            size: AgentSize::from_settings(&BakeSettings::default()),
        },
    ];
    if let Some((name, bounds)) = cx.selection.instance.and_then(|id| character(cx, id)) {
        let size = bounds.size();
        let ground = &cx.scene.settings.nav;
        presets.push(AgentPreset {
            label: name,
            help: "As wide and high as the selected character, with the step and slope of the scene's characters.",
            size: AgentSize {
                radius: round(0.5 * size.x.min(size.z)),
                height: round(size.y),
                climb: ground.max_step_height,
                slope_rad: ground.ground_slope_deg.to_radians(),
            },
        });
    }
    presets
}

/// The name of an instance, and the box around its model in its size.
fn character(cx: &UiContext<'_>, id: InstanceId) -> Option<(String, Aabb)> {
    let instance = cx.scene.instances.get(id)?;
    let (_, model) = cx.assets.by_file(cx.scene.models.get(instance.model_id()?)?)?;
    let size = model.rest_bounds.size() * instance.scale;
    let bounds = Aabb { min: glam::Vec3::ZERO, max: size };
    (size.is_finite() && size.min_element() > 0.0).then(|| (names::instance_name(cx.scene, id), bounds))
}

/// To centimetres.
fn round(metres: f32) -> f32 {
    (metres * 100.0).round() * 0.01
}

/// Draws the button, the presets and the row of values.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, out: &mut Vec<Command>) {
    let nav = &*cx.scene.nav;
    let now = AgentSize::from_settings(&nav.bake);
    let mut to = now;
    let mut what = "agent";
    ui.horizontal(|ui| {
        let bake = Button::new(RichText::new("Bake").strong()).fill(color::ACCENT.gamma_multiply(0.55));
        if ui.add(bake.min_size(egui::vec2(76.0, 26.0))).on_hover_text(tip(ui.ctx(), Action::Bake)).clicked() {
            out.push(Command::Run(Action::Bake));
        }
        let presets = presets(cx);
        let chosen = presets.iter().find(|preset| preset.size == now).map_or("Custom", |preset| &preset.label);
        let name = ui.label("for").on_hover_text("The agent that the mesh is baked for.");
        let width = crate::ui::widgets::choice_width(ui, 150.0, 4.0);
        let list = ComboBox::from_id_salt("agent-preset").selected_text(chosen).width(width).truncate();
        let shown = list.show_ui(ui, |ui| {
            for preset in &presets {
                let is_chosen = preset.size == now;
                let row = ui.selectable_label(is_chosen, &preset.label).on_hover_text(preset.help);
                if is_taken(ui, &row, is_chosen) {
                    to = preset.size;
                    what = "agent-preset";
                }
            }
        });
        shown.response.labelled_by(name.id).on_hover_text("Agent: presets of radius, height, step and slope.");
    });
    values(ui, &nav.bake, &mut to, &mut what);
    limits(ui, cx);
    if to != now {
        let to = SceneNav { bake: to.on(&nav.bake), ..nav.clone() };
        out.push(edits::set_nav("change the agent of the bake", what, to));
    }
}

/// Width of a value of the agent, points.
const FIELD_WIDTH: f32 = 58.0;

/// Radius, height, step and slope beside each other, each below its name and, while it differs, the button that sets it back.
/// The range of what does not fit stands below its field: the others keep their places.
fn values(ui: &mut Ui, bake: &BakeSettings, to: &mut AgentSize, what: &mut &'static str) {
    let usual = AgentSize::from_settings(&SceneNav::default().bake);
    let mut degrees = to.slope_rad.to_degrees();
    let mut slope_changed = false;
    egui::Grid::new("agent").num_columns(4).min_col_width(FIELD_WIDTH).spacing([6.0, 2.0]).show(ui, |ui| {
        let [low_cell, cell] = [bake.cell_height, bake.cell_size].map(f64::from);
        let widest = (cell * MAX_RADIUS_CELLS).min(10.0);
        let [lowest, highest] = [low_cell.max(0.05), (low_cell * MAX_HEIGHT_CELLS).min(50.0)];
        let step = f64::from(to.height).min(10.0);
        let metres = |low: f64, high: f64| drag(low..=high, 0.01, " m").decimals(2);
        let mut fields = [
            AgentField {
                name: "Radius",
                key: "agent-radius",
                value: &mut to.radius,
                usual: usual.radius,
                drag: metres(0.0, widest),
                help: "Agent radius: distance that the mesh keeps from walls.",
            },
            AgentField {
                name: "Height",
                key: "agent-height",
                value: &mut to.height,
                usual: usual.height,
                drag: metres(lowest, highest),
                help: "Agent height: free height over the ground that it needs.",
            },
            AgentField {
                name: "Step",
                key: "agent-climb",
                value: &mut to.climb,
                usual: usual.climb,
                drag: metres(0.0, step),
                help: "Step height: highest step that it takes. The step of the scene's characters (panel Scene, section \
                       Navigation) counts, too: the smaller of both.",
            },
            AgentField {
                name: "Slope",
                key: "agent-slope",
                value: &mut degrees,
                usual: usual.slope_rad.to_degrees(),
                drag: drag(0.0..=90.0, 0.2, "°").decimals(1),
                help: "Steepest slope that it walks on. The slope of the scene's characters (panel Scene, section Navigation) \
                       counts, too: the smaller of both.",
            },
        ];
        let mut changed = |field: &AgentField<'_>| {
            *what = field.key;
            slope_changed |= field.key == "agent-slope";
        };
        let names = fields.each_mut().map(|field| {
            let name = field.title(ui);
            if name.changed() {
                changed(field);
            }
            name.id
        });
        ui.end_row();
        for (field, name) in fields.iter_mut().zip(names) {
            let shown = ui.vertical(|ui| {
                ui.set_max_width(FIELD_WIDTH);
                field.drag.show(ui, field.value, field.help)
            });
            if shown.inner.labelled_by(name).changed() {
                changed(field);
            }
        }
        ui.end_row();
    });
    if slope_changed {
        to.slope_rad = degrees.to_radians().min(std::f32::consts::FRAC_PI_2);
    }
}

/// A value of the agent and how it is changed.
struct AgentField<'a> {
    name: &'static str,
    key: &'static str,
    value: &'a mut f32,
    usual: f32,
    drag: Drag,
    help: &'static str,
}

impl AgentField<'_> {
    /// Its name, with the button that sets it back; counts as changed by that.
    fn title(&mut self, ui: &mut Ui) -> Response {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let name = ui.weak(self.name);
            reset(ui, &format!("agent {}", self.name.to_lowercase()), self.value, self.usual, name)
        })
        .inner
    }
}

/// Says where the scene's characters can do less than the agent: a mesh that is baked then goes by them.
fn limits(ui: &mut Ui, cx: &UiContext<'_>) {
    if cx.scene.nav.mesh != MeshSource::Baked {
        return;
    }
    let (bake, ground) = (&cx.scene.nav.bake, &cx.scene.settings.nav);
    let mut said = Vec::new();
    if bake.agent_climb > ground.max_step_height {
        said.push(format!("steps above {:.2} m", ground.max_step_height));
    }
    if bake.slope_rad.to_degrees() > ground.ground_slope_deg + 0.01 {
        said.push(format!("slopes above {:.0}°", ground.ground_slope_deg));
    }
    if !said.is_empty() {
        let said = format!("The scene's characters take no {}; so the mesh has none.", said.join(" and no "));
        ui.add(Label::new(RichText::new(said).small().weak()).wrap())
            .on_hover_text("See Step and Slope in the section Navigation of the panel Scene.");
    }
}
