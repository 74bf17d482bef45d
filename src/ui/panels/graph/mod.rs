//! The behaviour editor: a template's graph as nodes and wires, with what is wrong and what is active on the nodes.

mod fields;
mod map;
mod sync;
mod viewer;

use crate::behavior::ActiveNode;
use crate::behavior::graph::BehaviorGraph;
use crate::ids::{BehaviorId, InstanceId};
use crate::scene::Scene;
use crate::scene::edit::Edit;
use crate::scene::file::part;
use crate::ui::choices::is_taken;
use crate::ui::command::{Action, Command, with_keys};
use crate::ui::theme::{color, ink};
use crate::ui::{UiContext, edits, menu_area};
use crate::vocab::{counted, free_name};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Color32, ComboBox, PopupCloseBehavior, Pos2, Rect, RichText, Ui};
use egui_snarl::NodeId;
use egui_snarl::ui::SnarlWidget;
use std::collections::BTreeSet;
use sync::GraphDocument;
use viewer::{GraphRequest, GraphViewer};
pub use viewer::{framing, pin};

/// A clipboard that holds nodes has answered after so many passes of the interface; what comes later was asked for by
/// the keys.
const PASTE_PASSES: u64 = 8;

/// What the editor remembers between frames.
#[derive(Clone, Debug, Default)]
pub struct GraphEditor {
    /// The template that was chosen; without one, that of the selected instance, or the first.
    chosen: Option<BehaviorId>,
    /// The template that is edited.
    open: Option<BehaviorId>,
    document: GraphDocument,
    /// Text that filters the kinds in the menu.
    search: String,
    /// Nodes that are to be put down.
    pasted: Option<BehaviorGraph>,
    /// Where they were asked for, in the space of the nodes, and in which pass of the interface; by the keys, they go to
    /// the cursor.
    paste_at: Option<(Pos2, u64)>,
    /// Where the map was clicked, in the space of the nodes.
    jump: Option<Pos2>,
    /// Templates that were brought into view when they were opened first.
    framed: BTreeSet<BehaviorId>,
    /// Where the nodes of the open one lie that are to be brought into view, in their space, once that is known.
    frame: Option<Vec<Rect>>,
    /// Where a button was pressed or let go last that may have opened a menu, on screen: the menu lies elsewhere where it has no room.
    menu_at: Option<Pos2>,
    /// Whether the mouse was used here last, so that the keys mean the nodes.
    has_keys: bool,
    /// What the keys ask for.
    asked: Vec<Action>,
    /// A new name of the template, while it is being typed.
    name: Option<String>,
    /// Name of the template that was just asked for: it is opened once it is there.
    added: Option<String>,
    /// The template that is to be opened in a window of its own.
    detached: Option<BehaviorId>,
    /// Number of the window that it lies in; 0 in the panel.
    number: u64,
}

impl GraphEditor {
    /// Whether keys mean the nodes: the mouse was used among them last.
    pub fn has_keys(&self) -> bool {
        self.has_keys
    }

    /// Copies, cuts, duplicates or deletes nodes when the editor is drawn next.
    pub fn ask(&mut self, action: Action) {
        self.asked.push(action);
    }

    /// The template that was asked for in a window of its own.
    fn take_detached(&mut self) -> Option<BehaviorId> {
        self.detached.take()
    }

    /// Puts nodes down when the editor is drawn next.
    pub fn paste(&mut self, nodes: BehaviorGraph) {
        self.pasted = Some(nodes);
    }

    /// Asks for what the clipboard holds, to be put down at a place.
    fn ask_paste(&mut self, ui: &Ui, at: Pos2) {
        (self.has_keys, self.paste_at) = (true, Some((at, ui.ctx().cumulative_pass_nr())));
        ui.ctx().send_viewport_cmd(egui::ViewportCommand::RequestPaste);
    }

    /// Does what the menus ask for; `watched` is the instance whose behaviour is shown.
    fn carry_out(
        &mut self,
        ui: &Ui,
        request: GraphRequest,
        selected: &[NodeId],
        watched: Option<InstanceId>,
        out: &mut Vec<Command>,
    ) {
        match request {
            GraphRequest::Add(kind, at) => _ = self.document.add(kind, at),
            GraphRequest::AddWired(kind, at, end) => self.document.add_wired(kind, at, end),
            GraphRequest::Duplicate(node) => self.document.duplicate(node),
            GraphRequest::Comment(at) => self.document.add_comment(at),
            GraphRequest::Copy(node) => {
                let nodes = if selected.contains(&node) { selected } else { &[node] };
                ui.ctx().copy_text(part::copy_nodes(&self.document.copied(nodes)));
            }
            GraphRequest::Paste(at) => self.ask_paste(ui, at),
            GraphRequest::Fire(node) => out.extend(watched.map(|watched| Command::FireNode(watched, node))),
            GraphRequest::Deactivate(node) => out.extend(watched.map(|watched| Command::DeactivateNode(watched, node))),
        }
    }

    /// Notes whether the mouse is used in the area of the nodes.
    fn note_press(&mut self, ui: &Ui, area: egui::Rect) {
        let pressed = ui.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten());
        // In a menu, commands are chosen for what was used before.
        if let Some(at) = pressed.filter(|at| !menu_area::contains(ui.ctx(), *at)) {
            self.paste_at = None;
            // The nodes lie on a layer of their own, of the same order; windows lie higher.
            let layer = ui.ctx().layer_id_at(at);
            self.has_keys = area.contains(at) && layer.is_none_or(|layer| layer.order == ui.layer_id().order);
        }
    }

    /// Notes where a menu opens.
    fn note_menu(&mut self, ui: &Ui, area: egui::Rect) {
        let is_used = |pointer: &egui::PointerState| pointer.any_pressed() || pointer.any_released();
        let used = ui.input(|input| input.pointer.interact_pos().filter(|_| is_used(&input.pointer)));
        let opens = |at: &Pos2| area.contains(*at) && !menu_area::contains(ui.ctx(), *at);
        self.menu_at = used.filter(opens).or(self.menu_at);
    }

    /// Does what the keys asked for to the selected nodes; without any, to the one under the cursor. Answers the name
    /// of the step.
    fn do_asked(&mut self, ui: &Ui, selected: &[NodeId], at: Pos2) -> Option<&'static str> {
        let mut name = None;
        let asked = self.paste_at.filter(|(_, pass)| ui.ctx().cumulative_pass_nr() - pass < PASTE_PASSES);
        if let Some(nodes) = self.pasted.take() {
            self.paste_at = None;
            self.document.paste(&nodes, asked.map_or(at, |asked| asked.0));
            name = Some("paste nodes into");
        }
        for action in std::mem::take(&mut self.asked) {
            let on_some = !selected.is_empty();
            match action {
                Action::Copy | Action::Cut if on_some => {
                    ui.ctx().copy_text(part::copy_nodes(&self.document.copied(selected)));
                }
                Action::Duplicate if on_some => {
                    self.document.paste(&self.document.copied(selected), at);
                    name = Some("duplicate nodes of");
                }
                _ => {}
            }
            if matches!(action, Action::Cut | Action::Delete) && on_some {
                for node in selected
                    .iter()
                    .filter(|node| self.document.snarl.get_node(**node).is_some())
                    .copied()
                    .collect::<Vec<_>>()
                {
                    self.document.snarl.remove_node(node);
                }
                name = Some(if action == Action::Cut { "cut nodes of" } else { "delete nodes of" });
            }
        }
        name
    }
}

/// Size of a new window of an editor, points.
const WINDOW_SIZE: [f32; 2] = [620.0, 380.0];

/// The editors that lie in windows of their own.
#[derive(Clone, Debug, Default)]
pub struct GraphWindows {
    opened: u64,
    editors: Vec<GraphEditor>,
}

impl GraphWindows {
    /// Draws the windows, and opens those that editors asked for.
    pub fn show(&mut self, ctx: &egui::Context, cx: &UiContext<'_>, main: &mut GraphEditor, out: &mut Vec<Command>) {
        self.editors.retain_mut(|editor| {
            let Some(name) = editor.chosen.and_then(|id| Some(&cx.scene.behaviors.get(id)?.name)) else { return false };
            let mut stays = true;
            let window = egui::Window::new(format!("Behaviour {name}")).id(egui::Id::new(("graph", editor.number)));
            let window = window.open(&mut stays).default_size(WINDOW_SIZE).min_size([320.0, 200.0]);
            window.show(ctx, |ui| show(ui, cx, editor, out));
            stays
        });
        let asked: Vec<_> =
            std::iter::once(main).chain(&mut self.editors).filter_map(GraphEditor::take_detached).collect();
        for id in asked {
            self.opened += 1;
            self.editors.push(GraphEditor { chosen: Some(id), number: self.opened, ..GraphEditor::default() });
        }
    }

    /// The editor in a window in which the mouse was used last.
    pub fn with_keys(&mut self) -> Option<&mut GraphEditor> {
        self.editors.iter_mut().find(|editor| editor.has_keys())
    }

    /// Whether the mouse was used last in one of them.
    pub fn has_keys(&self) -> bool {
        self.editors.iter().any(GraphEditor::has_keys)
    }
}

/// Draws the panel.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, editor: &mut GraphEditor, out: &mut Vec<Command>) {
    let scene = cx.scene;
    if let Some(name) = editor.added.take() {
        let added = scene.behaviors.iter().find(|(_, graph)| graph.name == name);
        editor.chosen = added.map(|(id, _)| id).or(editor.chosen);
    }
    let of_selected = cx.selection.instance.and_then(|id| scene.instances.get(id)?.behavior);
    let chosen = editor.chosen.filter(|id| scene.behaviors.contains(*id));
    let id = chosen.or(of_selected).or_else(|| scene.behaviors.at(0));
    let mut add = None;
    ui.horizontal_wrapped(|ui| add = bar(ui, scene, id, editor, out));
    let Some((id, graph)) = id.and_then(|id| Some((id, scene.behaviors.get(id)?))) else {
        // There is nothing that keys could mean.
        (editor.has_keys, editor.pasted) = (false, None);
        editor.asked.clear();
        ui.weak("The scene has no behaviour template. ➕ New makes one; instances get theirs in the scene panel.");
        return;
    };
    if editor.open != Some(id) || editor.document.graph != **graph {
        (editor.open, editor.document) = (Some(id), GraphDocument::of(graph));
    }
    let (watched, active) = active(cx, id);
    let mut snarl = std::mem::take(&mut editor.document.snarl);
    let area = ui.available_rect_before_wrap();
    let mut viewer = GraphViewer {
        document: &editor.document,
        active: &active,
        watched,
        scene,
        search: &mut editor.search,
        wanted: Vec::new(),
        middle: area.center(),
        menu_at: editor.menu_at,
        landing: landing(area, ui.input(|input| input.pointer.latest_pos())),
        jump: editor.jump.take(),
        frame: editor.frame.take(),
        seen: area,
        cursor: ui
            .input(|input| input.pointer.hover_pos())
            .filter(|at| area.contains(*at) && !menu_area::contains(ui.ctx(), *at)),
        under: None,
        rects: Vec::new(),
    };
    let widget = SnarlWidget::new().id(egui::Id::new(("behaviour", editor.number, id.to_bits())));
    widget.show(&mut snarl, &mut viewer, ui);
    let mut selected = widget.get_selected_nodes(ui);
    let (cursor, under) = (viewer.cursor, viewer.under);
    let (mut wanted, middle, seen, rects) = (viewer.wanted, viewer.middle, viewer.seen, viewer.rects);
    let landing = viewer.landing;
    editor.document.snarl = snarl;
    editor.note_press(ui, area);
    editor.note_menu(ui, area);
    editor.jump = map::show(ui, area, seen, &rects);
    // How large the nodes are is known once they have been drawn.
    if !rects.is_empty() && editor.framed.insert(id) {
        editor.frame = Some(rects.iter().map(|(rect, _)| *rect).collect());
        ui.ctx().request_repaint();
    }
    match add {
        Some(Bar::Add(kind)) => wanted.push(GraphRequest::Add(kind, below_others(&rects, landing))),
        Some(Bar::Comment) => wanted.push(GraphRequest::Comment(beside_all(&rects, seen, middle))),
        Some(Bar::Paste) => wanted.push(GraphRequest::Paste(landing)),
        Some(Bar::Arrange) => editor.document.arrange(),
        None => {}
    }
    for request in wanted {
        editor.carry_out(ui, request, &selected, watched, out);
    }
    if selected.is_empty() {
        selected.extend(under);
    }
    let by_keys = editor.do_asked(ui, &selected, cursor.unwrap_or(middle));
    if let Some(to) = editor.document.changed() {
        out.push(match by_keys {
            Some(what) => edits::command(format!("{what} {}", to.name), Edit::SetBehavior { id, to }),
            None => edits::set_behavior(format!("change the behaviour {}", to.name), id, "graph", to),
        });
    }
}

/// Room for a new node or comment, and the gap to others, in the space of the nodes.
const NODE_SPACE: egui::Vec2 = egui::vec2(180.0, 70.0);
const GAP: f32 = 24.0;

/// Where a new node begins that the bar asks for: at the cursor, so far inside the area that all of it is seen.
fn landing(area: Rect, cursor: Option<Pos2>) -> Pos2 {
    let inside = Rect::from_min_max(area.min, (area.max - NODE_SPACE).max(area.min));
    cursor.map_or(area.center(), |at| inside.clamp(at))
}

/// The first place from `at` downwards where a new node covers none.
fn below_others(rects: &[(Rect, Color32)], at: Pos2) -> Pos2 {
    let mut rects: Vec<Rect> = rects.iter().map(|(rect, _)| rect.expand(GAP * 0.5)).collect();
    rects.sort_by(|a, b| a.top().total_cmp(&b.top()));
    rects.iter().fold(at, |at, rect| {
        let covers = rect.intersects(Rect::from_min_size(at, NODE_SPACE));
        if covers { egui::pos2(at.x, rect.bottom() + GAP * 0.5) } else { at }
    })
}

/// A place above, below or to the right of all nodes that are seen, where a comment covers neither nodes nor wires;
/// `middle` where there is no room for it.
fn beside_all(rects: &[(Rect, Color32)], seen: Rect, middle: Pos2) -> Pos2 {
    let all = rects.iter().map(|(rect, _)| *rect).filter(|rect| rect.intersects(seen)).reduce(Rect::union);
    let Some(all) = all else { return middle };
    let left = all.left().max(seen.left());
    let places = [
        egui::pos2(left, all.top() - NODE_SPACE.y - GAP),
        egui::pos2(left, all.bottom() + GAP),
        egui::pos2(all.right() + GAP, all.top()),
    ];
    let fits =
        |at: &Pos2| seen.top() < at.y && at.y + NODE_SPACE.y < seen.bottom() && at.x + NODE_SPACE.x < seen.right();
    places.into_iter().find(fits).unwrap_or(middle)
}

/// What the bar asks of the document.
#[derive(Clone, Copy)]
enum Bar {
    Add(i64),
    Comment,
    Paste,
    Arrange,
}

/// Least width of the panel, in points, at which all of the bar stands in one row; below it a menu takes what is used
/// least, so that the nodes keep their room.
const WIDE_BAR: f32 = 1000.0;
/// Width of the list of templates, in points: in a wide bar, and in a narrow one.
const LIST: [f32; 2] = [150.0, 90.0];

/// The template that is shown, and what can be done to it.
fn bar(
    ui: &mut Ui,
    scene: &Scene,
    id: Option<BehaviorId>,
    editor: &mut GraphEditor,
    out: &mut Vec<Command>,
) -> Option<Bar> {
    let mut wanted = None;
    let wide = ui.available_width() >= WIDE_BAR;
    let graph = id.and_then(|id| scene.behaviors.get(id));
    let shown = graph.map_or("none", |graph| &graph.name);
    let list = ComboBox::from_id_salt("graph").selected_text(shown).width(LIST[usize::from(!wide)]).truncate();
    list.show_ui(ui, |ui| {
        for (other, graph) in scene.behaviors.iter() {
            let is_chosen = Some(other) == id;
            let row = ui.selectable_label(is_chosen, graph.name.as_str());
            if is_taken(ui, &row, is_chosen) {
                editor.chosen = Some(other);
            }
        }
    });
    if ui.button("➕ New").on_hover_text("A new template: a root that waits.").clicked() {
        let name = free_name("Behaviour1", |name| scene.behaviors.values().any(|other| other.name == name));
        out.push(edits::command(format!("add behaviour {name}"), Edit::AddBehavior(sync::beginning(name.clone()))));
        editor.added = Some(name);
    }
    let (id, graph) = (id?, &**graph?);
    if wide {
        of_template(ui, scene, (id, graph), editor, out);
        ui.separator();
    }
    ui.menu_button("Add node", |ui| wanted = viewer::kinds(ui, &mut editor.search).map(Bar::Add))
        .response
        .on_hover_text("Right click between the nodes does so too.");
    if wide {
        wanted = of_nodes(ui).or(wanted);
    } else {
        // A click into the name leaves the menu open.
        let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let (button, _) = MenuButton::new("More").config(stays).ui(ui, |ui| {
            let commands = out.len();
            of_template(ui, scene, (id, graph), editor, out);
            ui.separator();
            wanted = of_nodes(ui).or(wanted);
            if wanted.is_some() || out.len() > commands {
                ui.close();
            }
        });
        button.on_hover_text("Name, copy or remove the template; comments, paste, arrange.");
    }
    let problems = &editor.document.problems;
    if !problems.is_empty() {
        let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let text = RichText::new(format!("⚠ {}", counted(problems.len(), "problem"))).color(ink(ui, color::WARN));
        ui.label(text).on_hover_text(list.join("\n"));
    }
    wanted
}

/// What can be done to the template as a whole.
fn of_template(
    ui: &mut Ui,
    scene: &Scene,
    (id, graph): (BehaviorId, &BehaviorGraph),
    editor: &mut GraphEditor,
    out: &mut Vec<Command>,
) {
    rename(ui, id, graph, editor, out);
    let help = "Open this template in a window of its own, beside the others.";
    if ui.button("Own window").on_hover_text(help).clicked() {
        editor.detached = Some(id);
    }
    if ui.button("Copy").on_hover_text("A new template like this one.").clicked() {
        let name = free_name(&graph.name, |name| scene.behaviors.values().any(|other| other.name == name));
        let copy = BehaviorGraph { name: name.clone(), ..graph.clone() };
        editor.added = Some(name);
        out.push(edits::command(format!("copy behaviour {}", graph.name), Edit::AddBehavior(copy)));
    }
    let help = "Take this template out of the scene. Undo brings it back.";
    if ui.button("✖ Remove template").on_hover_text(help).clicked() {
        out.push(edits::command(format!("remove behaviour {}", graph.name), Edit::RemoveBehavior(id)));
    }
}

/// What can be done among its nodes, but for adding one.
fn of_nodes(ui: &mut Ui) -> Option<Bar> {
    let paste = "Put down the nodes that were copied, here, in another template or in another window of Walkabout";
    let paste = with_keys(ui.ctx(), paste, Action::Paste);
    let rows = [
        ("Comment", "A note beside the nodes; the original program leaves it out.", Bar::Comment),
        ("Paste nodes", paste.as_str(), Bar::Paste),
        ("Arrange", "Put every node to the right of what fires it.", Bar::Arrange),
    ];
    let mut wanted = None;
    for (label, help, does) in rows {
        if ui.button(label).on_hover_text(help).clicked() {
            wanted = Some(does);
        }
    }
    wanted
}

/// The template's name, which is taken over when the field is left; Escape gives up what was typed.
fn rename(ui: &mut Ui, id: BehaviorId, graph: &BehaviorGraph, editor: &mut GraphEditor, out: &mut Vec<Command>) {
    let mut name = editor.name.take().unwrap_or_else(|| graph.name.clone());
    let field =
        ui.add(egui::TextEdit::singleline(&mut name).desired_width(120.0)).on_hover_text("Name of the template");
    let is_given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
    if field.has_focus() {
        editor.name = Some(name);
    } else if field.lost_focus() && !is_given_up && !["", graph.name.as_str()].contains(&name.trim()) {
        let to = BehaviorGraph { name: name.trim().to_owned(), ..graph.clone() };
        out.push(edits::set_behavior(format!("rename behaviour {}", graph.name), id, "name", to));
    }
}

/// The watched instance and its active nodes: the selected instance, or else the first one that lives by the template.
fn active(cx: &UiContext<'_>, id: BehaviorId) -> (Option<InstanceId>, Vec<ActiveNode>) {
    let lives = |of: &crate::scene::SceneInstance| of.behavior == Some(id);
    let selected = cx.selection.instance.filter(|i| cx.scene.instances.get(*i).is_some_and(|i| lives(i)));
    let watched = selected.or_else(|| cx.scene.instances.iter().find(|(_, i)| lives(i)).map(|(id, _)| id));
    let running = watched.and_then(|id| cx.world.behavior(id));
    (watched, running.map(|running| running.active_nodes().collect()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn new_nodes_and_comments_cover_nothing() {
        let node = |x: f32, y: f32| (Rect::from_min_size(pos2(x, y), NODE_SPACE), Color32::WHITE);
        let rects = [node(0.0, 110.0), node(0.0, 0.0), node(400.0, 50.0)];
        let at = below_others(&rects, pos2(10.0, 20.0));
        assert!(at.y > 180.0 && at.x == 10.0, "below both: {at}");
        assert_eq!(below_others(&rects, pos2(200.0, 20.0)), pos2(200.0, 20.0));
        let seen = |top: f32, bottom: f32| Rect::from_min_max(pos2(-50.0, top), pos2(700.0, bottom));
        assert!(beside_all(&rects, seen(-200.0, 300.0), pos2(9.0, 9.0)).y < -70.0, "above");
        assert!(beside_all(&rects, seen(-50.0, 300.0), pos2(9.0, 9.0)).y > 180.0, "below");
        assert_eq!(beside_all(&rects, seen(-50.0, 200.0), pos2(9.0, 9.0)), pos2(9.0, 9.0), "there is no room");
        let wide = Rect::from_min_max(pos2(-50.0, -50.0), pos2(900.0, 200.0));
        assert_eq!(beside_all(&rects, wide, pos2(9.0, 9.0)), pos2(604.0, 0.0), "to the right");
        assert_eq!(beside_all(&[], seen(0.0, 1.0), pos2(9.0, 9.0)), pos2(9.0, 9.0));
    }
}
