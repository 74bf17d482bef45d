//! The panels as tabs that can be moved about: which there are, how they lie at first, and their layout as text, so that
//! it is the same in the next run.

use super::bench::Bench;
use super::{Asked, Shown, UiState, panels, viewport};
use egui::{Id, Ui, WidgetText};
use egui_dock::{DockArea, DockState, Node, NodeIndex, Split, Style, SurfaceIndex, TabViewer, Tree};

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    /// The picture.
    View,
    /// What is in the scene.
    Outliner,
    /// What is selected, and the settings of the scene.
    Inspector,
    /// The navigation workbench.
    Workbench,
    /// Switches of the overlays.
    Overlays,
    /// Where the time goes.
    Profiler,
    /// What was said.
    Log,
    /// The steps of this session.
    History,
    /// The ground from above.
    Map,
    /// Graphs of the behaviour templates.
    Behavior,
    /// Clips, actions and bones of a model.
    Animation,
    /// The models that can be put into the scene.
    Assets,
}

/// All panels: name in the layout's text, title, explanation.
pub const PANELS: &[(Panel, &str, &str, &str)] = &[
    (Panel::View, "view", "Picture", "The scene."),
    (Panel::Outliner, "outliner", "Outliner", "What is in the scene."),
    (Panel::Inspector, "inspector", "Scene", "What is selected, and the settings of the scene."),
    (Panel::Workbench, "workbench", "Navigation", "The navigation workbench (F7)."),
    (Panel::Overlays, "overlays", "Overlays", "What is drawn over the picture."),
    (Panel::Profiler, "timers", "Profiler", "Where the time of a frame goes (F9)."),
    (Panel::Log, "log", "Log", "All notices of this run (F8)."),
    (Panel::History, "history", "History", "The steps of this session (F4)."),
    (Panel::Map, "map", "Map", "The ground from above, with everybody on it (F5)."),
    (Panel::Behavior, "behavior", "Behaviour", "The graphs of the behaviour templates (F6)."),
    (Panel::Assets, "assets", "Assets", "The models that can be put into the scene (F12)."),
    (Panel::Animation, "animation", "Animation", "Clips, actions and bones of the selected model (F3)."),
];

impl Panel {
    fn row(self) -> &'static (Panel, &'static str, &'static str, &'static str) {
        PANELS.iter().find(|row| row.0 == self).unwrap_or(&PANELS[0])
    }

    fn named(name: &str) -> Option<Self> {
        PANELS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether it is of those that open on demand, below the picture.
    fn is_below(self) -> bool {
        !matches!(self, Self::View | Self::Outliner | Self::Inspector | Self::Workbench | Self::Overlays)
    }
}

/// The layout of the panels.
#[derive(Clone, Debug)]
pub struct Dock {
    state: DockState<Panel>,
}

/// The layout of a first start.
const FIRST: &str =
    "h 0.775 h 0.222 leaf 0 outliner ; leaf 0 view ; v 0.66 leaf 0 inspector workbench ; leaf 0 overlays ;";
/// Share of the picture that stays when a panel opens below it.
const UPPER: f32 = 0.68;
/// Deepest nesting of a layout that is read.
const DEEPEST: u32 = 12;

impl Default for Dock {
    fn default() -> Self {
        Self::parse(FIRST).unwrap_or_else(|| Self { state: DockState::new(vec![Panel::View]) })
    }
}

/// A layout in the making.
enum Plan {
    Leaf(usize, Vec<Panel>),
    Split(Split, f32, Box<Plan>, Box<Plan>),
}

impl Plan {
    fn read<'a>(words: &mut impl Iterator<Item = &'a str>, depth: u32) -> Option<Self> {
        let word = words.next().filter(|_| depth < DEEPEST)?;
        if word == "leaf" {
            let active = words.next()?.parse().ok()?;
            let panels: Option<Vec<Panel>> = words.take_while(|word| *word != ";").map(Panel::named).collect();
            return panels.filter(|panels| active < panels.len()).map(|panels| Self::Leaf(active, panels));
        }
        let split = match word {
            "h" => Split::Right,
            "v" => Split::Below,
            _ => return None,
        };
        let share: f32 = words.next()?.parse().ok().filter(|share| (0.02..=0.98).contains(share))?;
        let [first, second] = [Self::read(words, depth + 1)?, Self::read(words, depth + 1)?];
        Some(Self::Split(split, share, Box::new(first), Box::new(second)))
    }

    fn panels(&self, out: &mut Vec<Panel>) {
        match self {
            Self::Leaf(_, panels) => out.extend(panels),
            Self::Split(_, _, first, second) => {
                first.panels(out);
                second.panels(out);
            }
        }
    }

    /// Puts the plan where a leaf is that holds anything.
    fn build(&self, tree: &mut Tree<Panel>, at: NodeIndex) {
        match self {
            Self::Leaf(active, panels) => {
                if let Ok(leaf) = tree.leaf_mut(at) {
                    leaf.retain_tabs(|_| false);
                    panels.iter().for_each(|panel| leaf.append_tab(*panel));
                    // The plan was read with an active tab that is there.
                    let _ = leaf.set_active_tab(*active);
                }
            }
            Self::Split(split, share, first, second) => {
                let [upper, lower] = tree.split(at, *split, *share, Node::leaf(Panel::View));
                // The later one first: splitting moves what lies behind.
                second.build(tree, lower);
                first.build(tree, upper);
            }
        }
    }
}

impl Dock {
    /// Reads a layout; `None` for text that is none, or that shows a panel twice or the picture never.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let plan = Plan::read(&mut words, 0).filter(|_| words.next().is_none())?;
        let mut panels = Vec::new();
        plan.panels(&mut panels);
        let twice = panels.iter().enumerate().any(|(i, panel)| panels[..i].contains(panel));
        if twice || !panels.contains(&Panel::View) {
            return None;
        }
        let mut state = DockState::new(vec![Panel::View]);
        plan.build(state.main_surface_mut(), NodeIndex::root());
        Some(Self { state })
    }

    /// The layout as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        write(self.state.main_surface(), NodeIndex::root(), &mut out);
        out
    }

    /// Whether a panel is on screen.
    pub fn shows(&self, panel: Panel) -> bool {
        self.state.find_tab(&panel).is_some_and(|path| {
            self.state.leaf(path.node_path()).is_ok_and(|leaf| leaf.tabs().get(leaf.active.0) == Some(&panel))
        })
    }

    /// Brings a panel on screen.
    pub fn open(&mut self, panel: Panel) {
        if let Some(path) = self.state.find_tab(&panel) {
            // The path was found just now.
            let _ = self.state.set_active_tab(path);
            return;
        }
        let like = |other: &Panel| *other != Panel::View && other.is_below() == panel.is_below();
        let near = |dock: &Self, like: &dyn Fn(&Panel) -> bool| {
            let path = dock.state.iter_all_tabs().find(|(_, other)| like(other)).map(|(path, _)| path);
            path.filter(|path| path.surface == SurfaceIndex::main()).map(|path| path.node)
        };
        let tree_at = near(self, &like);
        let picture = near(self, &|other| *other == Panel::View);
        let tree = self.state.main_surface_mut();
        match (tree_at, picture) {
            (Some(at), _) => {
                if let Ok(leaf) = tree.leaf_mut(at) {
                    leaf.append_tab(panel);
                }
            }
            (None, Some(at)) => {
                tree.split(at, Split::Below, UPPER, Node::leaf(panel));
            }
            (None, None) => tree.push_to_first_leaf(panel),
        }
        if let Some(path) = self.state.find_tab(&panel) {
            let _ = self.state.set_active_tab(path);
        }
    }

    /// Brings a panel on screen, or closes it when it is there.
    pub fn toggle(&mut self, panel: Panel) {
        if !self.shows(panel) {
            self.open(panel);
        } else if let Some(path) = self.state.find_tab(&panel) {
            self.state.remove_tab(path);
        }
    }

    /// Switches between the workbench and the scene.
    pub fn switch_workbench(&mut self) {
        self.open(if self.shows(Panel::Workbench) { Panel::Inspector } else { Panel::Workbench });
    }
}

fn write(tree: &Tree<Panel>, at: NodeIndex, out: &mut String) {
    let (letter, split) = match tree.iter().nth(at.0) {
        Some(Node::Leaf(leaf)) => {
            *out += &format!("leaf {} ", leaf.active.0);
            leaf.tabs().iter().for_each(|panel| *out += &format!("{} ", panel.row().1));
            *out += "; ";
            return;
        }
        Some(Node::Horizontal(split)) => ("h", split),
        Some(Node::Vertical(split)) => ("v", split),
        _ => return,
    };
    *out += &format!("{letter} {:.3} ", split.fraction);
    write(tree, at.left(), out);
    write(tree, at.right(), out);
}

/// Draws all panels.
pub(super) fn show(ui: &mut Ui, shown: &Shown<'_>, state: &mut UiState, asked: &mut Asked) {
    let mut dock = std::mem::take(&mut state.dock);
    let mut style = Style::from_egui(ui.style());
    style.tab.tab_body.inner_margin = egui::Margin::symmetric(8, 4);
    let mut viewer = Viewer { shown, state, asked, seen: false };
    DockArea::new(&mut dock.state)
        .style(style)
        .show_leaf_close_all_buttons(false)
        .show_leaf_collapse_buttons(false)
        .show_inside(ui, &mut viewer);
    if !viewer.seen {
        // Another tab lies over the picture.
        asked.viewport.rect = egui::Rect::from_min_size(ui.max_rect().min, egui::Vec2::splat(1.0));
    }
    state.dock = dock;
}

struct Viewer<'a, 'b> {
    shown: &'a Shown<'b>,
    state: &'a mut UiState,
    asked: &'a mut Asked,
    seen: bool,
}

impl TabViewer for Viewer<'_, '_> {
    type Tab = Panel;

    fn id(&mut self, tab: &mut Panel) -> Id {
        Id::new(("panel", tab.row().1))
    }

    fn title(&mut self, tab: &mut Panel) -> WidgetText {
        tab.row().2.into()
    }

    fn on_tab_button(&mut self, tab: &mut Panel, response: &egui::Response) {
        // Screen readers and tests find the tab by its title.
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, tab.row().2));
        response.clone().on_hover_text(tab.row().3);
    }

    fn is_closeable(&self, tab: &Panel) -> bool {
        tab.is_below()
    }

    fn allowed_in_windows(&self, _: &mut Panel) -> bool {
        false
    }

    fn clear_background(&self, tab: &Panel) -> bool {
        *tab != Panel::View
    }

    fn scroll_bars(&self, tab: &Panel) -> [bool; 2] {
        [false, matches!(tab, Panel::Inspector | Panel::Workbench | Panel::Overlays)]
    }

    fn tab_style_override(&self, tab: &Panel, style: &egui_dock::TabStyle) -> Option<egui_dock::TabStyle> {
        (*tab == Panel::View).then(|| {
            let mut style = style.clone();
            style.tab_body.inner_margin = egui::Margin::ZERO;
            style.tab_body.stroke = egui::Stroke::NONE;
            style
        })
    }

    fn ui(&mut self, ui: &mut Ui, tab: &mut Panel) {
        let (shown, state, out) = (self.shown, &mut *self.state, &mut self.asked.commands);
        match tab {
            Panel::View => {
                self.asked.viewport = viewport::show(ui, shown, state, out);
                self.seen = true;
            }
            Panel::Outliner => panels::outliner::show(ui, shown, state, out),
            Panel::Inspector => {
                panels::inspector::show(ui, shown, out);
                panels::model::show(ui, shown, out);
                panels::behavior::show(ui, shown, out);
                panels::navigation::show(ui, shown, out);
                panels::interaction::show(ui, shown, out);
                panels::level::show(ui, shown, out);
                panels::environment::show(ui, shown, out);
                panels::cameras::show(ui, shown, out);
            }
            Panel::Workbench => panels::workbench::show(ui, shown, state, out),
            Panel::Overlays => panels::overlays::show(ui, shown, out),
            Panel::Profiler => panels::profiler::show(ui, shown, &mut state.profiler),
            Panel::Log => panels::log::show(ui, shown, out),
            Panel::History => panels::history::show(ui, shown, out),
            Panel::Map => panels::map::show(ui, shown, &mut state.map, out),
            Panel::Behavior => panels::graph::show(ui, shown, &mut state.graph, out),
            Panel::Assets => panels::assets::show(ui, shown, state, out),
            Panel::Animation => panels::animation::show(ui, shown, &mut state.animation, out),
        }
    }
}

/// Opens the workbench with a tool; one that is on stays so.
pub(super) fn take_tool(state: &mut UiState, tool: super::bench::Tool) -> Vec<super::Command> {
    state.mode = super::Mode::Edit;
    state.dock.open(Panel::Workbench);
    let bench: &mut Bench = &mut state.bench;
    if bench.tool == tool { Vec::new() } else { bench.choose(tool) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_the_same_after_writing_and_reading() {
        let mut dock = Dock::default();
        for panel in [Panel::Outliner, Panel::View, Panel::Inspector, Panel::Overlays] {
            assert!(dock.shows(panel), "{panel:?} is on screen at first");
        }
        assert!(!dock.shows(Panel::Workbench) && !dock.shows(Panel::Log));
        assert_eq!(dock.text().trim(), FIRST.replace("0.66 ", "0.660 "));
        dock.toggle(Panel::Log);
        dock.toggle(Panel::Profiler);
        assert!(dock.shows(Panel::Profiler) && !dock.shows(Panel::Log) && dock.shows(Panel::View));
        dock.switch_workbench();
        assert!(dock.shows(Panel::Workbench) && !dock.shows(Panel::Inspector));
        let again = Dock::parse(&dock.text()).unwrap();
        assert_eq!(again.text(), dock.text());
        dock.toggle(Panel::Profiler);
        dock.toggle(Panel::Log);
        dock.switch_workbench();
        assert_eq!(dock.text(), Dock::default().text(), "closing what was opened leaves nothing behind");
    }

    #[test]
    fn text_that_is_no_layout_is_refused() {
        let deep = "h 0.5 ".repeat(100) + FIRST;
        for text in [
            "",
            "leaf",
            "leaf 0 ;",
            "leaf 1 view ;",
            "leaf 0 outliner ;",
            "leaf 0 view view ;",
            "leaf 0 view ; leaf 0 log ;",
            "h NaN leaf 0 view ; leaf 0 log ;",
            "h 2 leaf 0 view ; leaf 0 log ;",
            "h 0.5 leaf 0 view ;",
            "leaf 0 view nonsense ;",
            &deep,
        ] {
            assert!(Dock::parse(text).is_none(), "{text:?}");
        }
        assert!(Dock::parse("v 0.5 leaf 0 view ; leaf 0 log ;").is_some());
    }
}
