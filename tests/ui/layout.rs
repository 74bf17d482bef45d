//! Nothing is cut off and nothing lies over something else, in every panel and at the sizes of small screens.

use super::*;
use egui::{Rect, vec2};
use egui_kittest::kittest::NodeT;
use std::collections::BTreeSet;
use walkabout::ui::dock::PANELS;

/// What cuts less than so many points off shows no difference.
const SLACK: f32 = 1.5;
/// Sizes of windows, pixels, each with its scale.
const SIZES: [([f32; 2], f32); 3] = [([1280.0, 720.0], 1.0), ([1600.0, 1000.0], 1.0), ([1600.0, 1000.0], 2.0)];

/// A widget that reacts: its name, its rectangle, and the part of that which is not cut off.
struct Seen {
    name: String,
    layer: egui::LayerId,
    whole: Rect,
    open: Rect,
}

/// The widgets of the last frame that can be clicked, dragged or read, without those that are scrolled out of sight.
fn seen<S>(window: &Harness<'_, S>) -> Vec<Seen> {
    let label = |node: egui_kittest::Node<'_>| {
        let known = node.accesskit_node();
        known.bounding_box()?;
        let label = known.label().or_else(|| known.value()).unwrap_or_default();
        Some((node.rect(), format!("{:?} '{label}'", known.role())))
    };
    let names: Vec<(Rect, String)> =
        window.query_all(egui_kittest::kittest::by().predicate(|_| true)).filter_map(label).collect();
    let all: Vec<(egui::LayerId, egui::WidgetRect)> = window.ctx.viewport(|viewport| {
        let widgets = &viewport.prev_pass.widgets;
        widgets.layers().flat_map(|(layer, all)| all.iter().map(move |widget| (*layer, *widget))).collect()
    });
    let named = all.into_iter().filter_map(|(layer, widget)| {
        // Without a name it is a ground that something else lies on.
        let same = |rect: &Rect| rect.min.distance(widget.rect.min) < 0.5 && rect.max.distance(widget.rect.max) < 0.5;
        let (_, name) = names
            .iter()
            .find(|(rect, name)| same(rect) && !name.contains("Container") && !name.contains("ScrollBar"))?;
        Some(Seen { name: name.clone(), layer, whole: widget.rect, open: widget.interact_rect })
    });
    named.filter(|seen| seen.open.height() > 0.5 * seen.whole.height() && seen.whole.width() > 0.0).collect()
}

/// What is wrong with the widgets of the last frame.
fn faults<S>(window: &Harness<'_, S>) -> BTreeSet<String> {
    let all = seen(window);
    let cut = all
        .iter()
        .filter(|seen| seen.open.left() > seen.whole.left() + SLACK || seen.open.right() < seen.whole.right() - SLACK);
    let mut faults: BTreeSet<String> =
        cut.map(|seen| format!("{} is cut off: {} of {}", seen.name, seen.open, seen.whole)).collect();
    for (i, a) in all.iter().enumerate() {
        for b in all[i + 1..].iter().filter(|b| b.layer == a.layer) {
            let both = a.open.intersect(b.open);
            // The ends of the view gizmo lie before each other as the axes do.
            let is_gizmo = [a, b].iter().all(|seen| seen.name.contains("'Look from "));
            let within =
                is_gizmo || a.open.expand(SLACK).contains_rect(b.open) || b.open.expand(SLACK).contains_rect(a.open);
            if both.width() > 2.0 * SLACK && both.height() > 2.0 * SLACK && !within {
                faults.insert(format!("{} lies over {}: {} and {}", b.name, a.name, b.open, a.open));
            }
        }
    }
    faults.extend(elided(window).into_iter().map(|text| format!("'{text}' is cut short")));
    faults
}

/// Texts of the last frame that end in an ellipsis for want of room.
fn elided<S>(window: &Harness<'_, S>) -> BTreeSet<String> {
    fn collect(shape: &egui::Shape, into: &mut BTreeSet<String>) {
        match shape {
            egui::Shape::Text(text) if text.galley.elided => {
                into.insert(text.galley.text().to_owned());
            }
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, into)),
            _ => {}
        }
    }
    let mut all = BTreeSet::new();
    window.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut all));
    all
}

/// Opens every section of what is shown.
fn open_sections(window: &mut Window) {
    for section in ["Model", "Interaction", "Level", "Environment", "Sound", "Camera", "Zones"] {
        let all = window.query_all_by_role_and_label(egui::accesskit::Role::Button, section);
        if let Some(node) = all.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top())) {
            node.click_accesskit();
        }
        window.run_steps(4);
    }
}

/// Scrolls through what is shown, so that everything has been in sight once.
fn all_faults(window: &mut Window) -> BTreeSet<String> {
    let mut all = faults(window);
    let screen = window.ctx.content_rect();
    for x in [0.08, 0.5, 0.92] {
        window.event(egui::Event::PointerMoved(egui::pos2(screen.width() * x, screen.height() * 0.6)));
        for _ in 0..12 {
            window.event(egui::Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta: vec2(0.0, -220.0),
                phase: egui::TouchPhase::Move,
                modifiers: Modifiers::NONE,
            });
            window.run_steps(8);
            all.extend(faults(window));
        }
    }
    all
}

#[test]
fn what_is_cut_off_or_covered_is_found() {
    let mut window = Harness::builder().with_size([400.0, 200.0]).build_ui(|ui| {
        let place = |left: f32, top: f32| Rect::from_min_size(egui::pos2(left, top), vec2(100.0, 24.0));
        ui.put(place(10.0, 10.0), egui::Button::new("free"));
        ui.put(place(10.0, 60.0), egui::Button::new("below"));
        ui.put(place(60.0, 70.0), egui::Button::new("above"));
        ui.put(place(350.0, 10.0), egui::Button::new("outside"));
        ui.put(place(10.0, 120.0), egui::Label::new("too long for the room that it has here").truncate());
    });
    window.run_steps(2);
    let found: Vec<String> = faults(&window).into_iter().collect();
    let says = |text: &str| found.iter().any(|fault| fault.contains(text));
    assert!(seen(&window).len() >= 4);
    assert!(says("'above' lies over") && says("'outside' is cut off"), "{found:?}");
    assert!(says("'too long for the room that it has here' is cut short"), "{found:?}");
    assert!(!says("'free'"), "{found:?}");
}

#[test]
fn nothing_is_cut_off_or_covered_in_any_panel() {
    let (_folder, mut window) = ground_window();
    press(&mut window, Modifiers::NONE, Key::F7);
    let mut all = Vec::new();
    for (size, scale) in SIZES {
        window.set_pixels_per_point(scale);
        window.set_size(vec2(size[0], size[1]) / scale);
        window.run_steps(6);
        open_sections(&mut window);
        assert!(seen(&window).len() > 30, "{} widgets", seen(&window).len());
        let mut add = |panel: &str, found: BTreeSet<String>| {
            all.extend(found.into_iter().map(|fault| format!("{size:?} at {scale}, {panel}: {fault}")));
        };
        add("at first", all_faults(&mut window));
        let at_first = ["view", "outliner", "inspector", "overlays"];
        for (_, name, _, _) in PANELS.iter().filter(|row| !at_first.contains(&row.1)) {
            let (_, with, key) = panels::KEYS.iter().find(|row| row.0 == *name).expect("every panel has its key");
            press(&mut window, *with, *key);
            window.run_steps(8);
            add(name, all_faults(&mut window));
            press(&mut window, *with, *key);
        }
        open_sections(&mut window);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn panels_are_as_wide_as_before_after_the_window_was_small() {
    let mut window = window(None);
    press(&mut window, Modifiers::NONE, Key::F8);
    let places = |window: &Window| ["Outliner", "Scene", "Overlays", "Log"].map(|tab| window.get_by_label(tab).rect());
    let before = places(&window);
    for size in [vec2(560.0, 420.0), vec2(400.0, 300.0), vec2(1440.0, 900.0)] {
        window.set_size(size);
        window.run_steps(6);
    }
    let after = places(&window);
    assert!(before.iter().zip(after).all(|(a, b)| a.min.distance(b.min) < 1.0), "{before:?} became {after:?}");
}
