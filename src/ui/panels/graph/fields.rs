//! The properties of a node, as fields inside of it.

use crate::behavior::condition::Condition;
use crate::behavior::graph::GraphNode;
use crate::behavior::kind::{self, Property, PropertyType};
use crate::behavior::patrol::PatrolOrder;
use crate::behavior::task;
use crate::ui::choices::choice_row;
use crate::ui::names::capitalized;
use crate::ui::widgets::{Drag, drag, value_or};
use crate::vocab::{FaceExpression, MoveDirection, MoveState, NodeEvent};
use egui::{ComboBox, Grid, Ui};

/// Draws the fields of a node and writes what is changed into it.
pub fn show(ui: &mut Ui, node: &mut GraphNode) {
    let Some(kind) = kind::by_number(node.kind).filter(|kind| !kind.properties.is_empty()) else { return };
    Grid::new(("fields", node.id)).num_columns(2).spacing([6.0, 3.0]).show(ui, |ui| {
        // Values that may be left out stand here only once they are there: that keeps nodes small.
        for property in kind.properties {
            if property.default.is_some() || has(node, property) {
                row(ui, node, property);
                ui.end_row();
            }
        }
    });
    let rest: Vec<&Property> =
        kind.properties.iter().filter(|property| property.default.is_none() && !has(node, property)).collect();
    if rest.is_empty() {
        return;
    }
    ui.menu_button("➕ Value", |ui| {
        for property in rest {
            if ui.button(label(property.key)).on_hover_text(property.help).clicked() {
                node.properties.push((property.key.into(), "0".into()));
                ui.close();
            }
        }
    })
    .response
    .on_hover_text("What this node leaves alone so far.");
}

fn has(node: &GraphNode, property: &Property) -> bool {
    node.properties.iter().any(|(key, _)| key == property.key)
}

fn row(ui: &mut Ui, node: &mut GraphNode, property: &Property) {
    let known = node.properties.iter().position(|(key, _)| key == property.key);
    let Some(default) = property.default else {
        let Some(at) = known else { return };
        // Without it, the node leaves that thing alone.
        let mut on = true;
        if ui.checkbox(&mut on, label(property.key)).on_hover_text(property.help).changed() {
            node.properties.remove(at);
        } else {
            field(ui, property, &mut node.properties[at].1);
        }
        return;
    };
    ui.label(label(property.key)).on_hover_text(property.help);
    match known {
        Some(at) => field(ui, property, &mut node.properties[at].1),
        None => {
            let mut text = default.to_string();
            let before = text.clone();
            field(ui, property, &mut text);
            if text != before {
                node.properties.push((property.key.into(), text));
            }
        }
    }
}

/// A key of scene files for people: without the name of its kind, with spaces.
fn label(key: &str) -> String {
    const KINDS: [&str; 9] = [
        "instance-",
        "head-anim-",
        "face-anim-",
        "random-wait-",
        "selector-",
        "sequence-",
        "wait-",
        "action-",
        "event-",
    ];
    let short = KINDS.iter().find_map(|kind| key.strip_prefix(kind)).unwrap_or(key);
    capitalized(&short.replace('-', " "))
}

/// The number that a text stands for, as the tree reads it: text that is no number counts as the default.
fn value_of(property: &Property, text: &str) -> f32 {
    task::number(text).or(property.default).unwrap_or(0.0)
}

/// A field for a value that is kept as text, which stays until it is changed.
fn field(ui: &mut Ui, property: &Property, text: &mut String) {
    let value = value_of(property, text);
    let (whole, help) = (value as i64, property.help);
    match property.ty {
        PropertyType::Number(low, high) => {
            let mut to = value;
            let field = drag(f64::from(low)..=f64::from(high), 0.01, "");
            if number(ui, property, &mut to, field) {
                *text = to.to_string();
            }
        }
        PropertyType::Whole(low, high) => {
            let mut to = whole;
            if number(ui, property, &mut to, drag(low as f64..=high as f64, 0.05, "")) {
                *text = to.to_string();
            }
        }
        PropertyType::Flag => {
            let mut on = value != 0.0;
            if ui.checkbox(&mut on, "").on_hover_text(help).changed() {
                *text = i32::from(on).to_string();
            }
        }
        PropertyType::State => {
            choice(ui, property, whole, text, MoveState::ALL.iter().map(|v| (v.to_file(), v.label())))
        }
        PropertyType::Direction => {
            choice(ui, property, whole, text, MoveDirection::ALL.iter().map(|v| (v.to_file(), v.label())));
        }
        PropertyType::Face => {
            choice(ui, property, whole, text, FaceExpression::ALL.iter().map(|v| (v.to_file(), v.label())))
        }
        PropertyType::Condition => {
            choice(ui, property, whole, text, Condition::ALL.iter().map(|v| (v.to_file(), v.label())))
        }
        PropertyType::Order => {
            choice(ui, property, whole, text, PatrolOrder::ALL.iter().map(|v| (v.to_file(), v.label())))
        }
        PropertyType::Event => {
            choice(ui, property, whole, text, NodeEvent::ALL.iter().map(|v| (v.to_file(), v.label())))
        }
    }
}

/// A number, and the way back to its default where it has one. Returns whether it was changed.
fn number<N: egui::emath::Numeric>(ui: &mut Ui, property: &Property, value: &mut N, field: Drag) -> bool {
    ui.horizontal(|ui| match property.default {
        Some(default) => {
            let default = N::from_f64(f64::from(default));
            value_or(ui, &label(property.key), property.help, (value, default), field)
        }
        None => field.show(ui, value, property.help),
    })
    .inner
    .changed()
}

fn choice(
    ui: &mut Ui,
    property: &Property,
    value: i64,
    text: &mut String,
    all: impl Iterator<Item = (i64, &'static str)> + Clone,
) {
    let mut to = value;
    let shown = all.clone().find(|(number, _)| *number == to).map_or("?", |(_, label)| label);
    ComboBox::from_id_salt(property.key).selected_text(shown).width(110.0).show_ui(ui, |ui| {
        for (number, label) in all {
            choice_row(ui, &mut to, number, label);
        }
    });
    if to != value {
        *text = to.to_string();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_the_tree_reads_them() {
        let wait = &kind::KINDS[2].properties[0];
        let shown = ["2.5", " true", "false", "inf", "soon"].map(|text| value_of(wait, text));
        assert_eq!(shown, [2.5, 1.0, 0.0, 3.0, 3.0]);
    }

    #[test]
    fn keys_become_words() {
        assert_eq!(label("wait-time"), "Time");
        assert_eq!(label("instance-min-rotation"), "Min rotation");
        assert_eq!(label("random-wait-max-time"), "Max time");
        for property in kind::KINDS.iter().flat_map(|kind| kind.properties) {
            assert!(!label(property.key).is_empty());
        }
    }
}
