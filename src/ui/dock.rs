//! The panels as tabs that can be moved about: which there are, how they lie at first, and their layout as text, so that
//! it is the same in the next run.

use super::command::Action;
use egui_dock::{DockState, Node, NodeIndex, Split, SurfaceIndex, Tree};

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
    /// What is wrong with the level and its navigation.
    Doctor,
    /// What differs between the mesh and another one.
    Differences,
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
    (Panel::View, "view", "Viewport", "The scene."),
    (Panel::Outliner, "outliner", "Outliner", "What is in the scene."),
    (Panel::Inspector, "inspector", "Scene", "What is selected, and the settings of the scene."),
    (Panel::Workbench, "workbench", "Navigation", "The navigation workbench."),
    (Panel::Overlays, "overlays", "Overlays", "What is drawn over the viewport."),
    (Panel::Profiler, "timers", "Profiler", "Where the time of a frame goes."),
    (Panel::Log, "log", "Log", "All notices of this run."),
    (Panel::History, "history", "History", "The steps of this session."),
    (Panel::Doctor, "doctor", "Doctor", "What is wrong with the level and its navigation."),
    (Panel::Differences, "differences", "Differences", "What differs between the navigation mesh and another one."),
    (Panel::Map, "map", "Map", "The ground from above, with all instances on it."),
    (Panel::Behavior, "behavior", "Behaviour", "The graphs of the behaviour templates."),
    (Panel::Assets, "assets", "Assets", "The models that can be put into the scene."),
    (Panel::Animation, "animation", "Animation", "Clips, actions and bones of the selected model."),
];

impl Panel {
    pub(super) fn row(self) -> &'static (Panel, &'static str, &'static str, &'static str) {
        PANELS.iter().find(|row| row.0 == self).unwrap_or(&PANELS[0])
    }

    /// The command that opens and closes it, of those that are not there at first.
    pub fn action(self) -> Option<Action> {
        Some(match self {
            Self::View | Self::Outliner | Self::Inspector | Self::Overlays => return None,
            Self::Workbench => Action::Workbench,
            Self::Profiler => Action::Profiler,
            Self::Log => Action::Log,
            Self::History => Action::History,
            Self::Doctor => Action::Doctor,
            Self::Differences => Action::Differences,
            Self::Map => Action::Map,
            Self::Behavior => Action::BehaviorEditor,
            Self::Animation => Action::Animation,
            Self::Assets => Action::Assets,
        })
    }

    /// Width that it needs for all of its rows to be seen, points.
    fn least_width(self) -> f32 {
        match self {
            Self::View => PICTURE_WIDTH,
            Self::Outliner => 170.0,
            Self::Inspector | Self::Workbench | Self::Overlays => 290.0,
            _ => 0.0,
        }
    }

    fn named(name: &str) -> Option<Self> {
        PANELS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether it is of those that open on demand, below the picture.
    pub(super) fn is_below(self) -> bool {
        !matches!(self, Self::View | Self::Outliner | Self::Inspector | Self::Workbench | Self::Overlays | Self::Map)
    }
}

/// The layout of the panels.
#[derive(Clone, Debug)]
pub struct Dock {
    pub(super) state: DockState<Panel>,
}

/// The layout of a first start.
const FIRST: &str =
    "h 0.775 h 0.222 leaf 0 outliner ; leaf 0 view ; v 0.72 leaf 0 inspector workbench ; leaf 0 overlays ;";
/// Share of the picture that stays when a panel opens below it.
const UPPER: f32 = 0.68;
/// Share of the picture that stays when the map opens beside it.
const BESIDE: f32 = 0.58;
/// Least width that the picture keeps while panels beside it are widened, points.
const PICTURE_WIDTH: f32 = 240.0;
/// Least and greatest share of a split that is kept.
const SHARES: [f32; 2] = [0.02, 0.98];

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
    fn read<'a>(words: &mut impl Iterator<Item = &'a str>, depth: usize) -> Option<Self> {
        // Every leaf has a panel of its own, so that no leaf lies deeper.
        let word = words.next().filter(|_| depth < PANELS.len())?;
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
        let [low, high] = SHARES;
        let share: f32 = words.next()?.parse().ok().filter(|share| (low..=high).contains(share))?;
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
        // The map has a place of its own, as high as the picture: the ground is as deep as it is wide.
        let is_map = |panel: Panel| panel == Panel::Map;
        let like = |other: &Panel| {
            *other != Panel::View && other.is_below() == panel.is_below() && !is_map(*other) && !is_map(panel)
        };
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
                let (split, share) = if is_map(panel) { (Split::Right, BESIDE) } else { (Split::Below, UPPER) };
                tree.split(at, split, share, Node::leaf(panel));
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
}

/// A split that was moved for one frame: where it is, its share before and for the frame.
pub(super) struct Moved {
    at: NodeIndex,
    before: f32,
    now: f32,
}

/// Width that what lies below a node needs, points.
fn least_width(tree: &Tree<Panel>, at: NodeIndex) -> f32 {
    match tree.iter().nth(at.0) {
        Some(Node::Leaf(leaf)) => leaf.tabs().iter().map(|panel| panel.least_width()).fold(0.0, f32::max),
        Some(Node::Horizontal(_)) => least_width(tree, at.left()) + least_width(tree, at.right()),
        Some(Node::Vertical(_)) => least_width(tree, at.left()).max(least_width(tree, at.right())),
        _ => 0.0,
    }
}

/// What both sides of a split may need at most, as a multiple of the room, to share it by their needs; below that nothing helps.
const MAX_NEED: f32 = 1.25;
/// Part of the room that needs take which are more than it: so much of it is left to drag the split.
const SHARED_ROOM: f32 = 0.95;

/// Moves the splits of a node that is so wide in such a way that both sides have the width that they need, and where there is a little
/// less room, nearly.
pub(super) fn widen(tree: &mut Tree<Panel>, at: NodeIndex, width: f32, moved: &mut Vec<Moved>) {
    let [left, right] = [at.left(), at.right()];
    let needs = [left, right].map(|side| least_width(tree, side) / width.max(1.0));
    let Some(node) = tree.iter_mut().nth(at.0) else { return };
    let shares = match node {
        Node::Vertical(_) => [1.0, 1.0],
        Node::Horizontal(split) => {
            let before = split.fraction;
            let all = needs[0] + needs[1];
            if all <= MAX_NEED {
                let needs = if all > 1.0 { needs.map(|need| need * SHARED_ROOM / all) } else { needs };
                // Not `clamp`: where both just fit, rounding may swap its ends.
                split.fraction = before.min(1.0 - needs[1]).max(needs[0]);
            }
            if split.fraction != before {
                moved.push(Moved { at, before, now: split.fraction });
            }
            [split.fraction, 1.0 - split.fraction]
        }
        _ => return,
    };
    widen(tree, left, width * shares[0], moved);
    widen(tree, right, width * shares[1], moved);
}

/// Puts back the splits that were not moved since: in a wider window the layout is as it was.
pub(super) fn put_back(tree: &mut Tree<Panel>, moved: &[Moved]) {
    for Moved { at, before, now } in moved {
        if let Some(Node::Horizontal(split)) = tree.iter_mut().nth(at.0)
            && split.fraction == *now
        {
            split.fraction = *before;
        }
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
    let [low, high] = SHARES;
    *out += &format!("{letter} {:.3} ", split.fraction.clamp(low, high));
    write(tree, at.left(), out);
    write(tree, at.right(), out);
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
        assert_eq!(dock.text().trim(), FIRST.replace("0.72 ", "0.720 "));
        dock.toggle(Panel::Log);
        dock.toggle(Panel::Profiler);
        assert!(dock.shows(Panel::Profiler) && !dock.shows(Panel::Log) && dock.shows(Panel::View));
        dock.open(Panel::Workbench);
        assert!(dock.shows(Panel::Workbench) && !dock.shows(Panel::Inspector));
        let again = Dock::parse(&dock.text()).unwrap();
        assert_eq!(again.text(), dock.text());
        dock.toggle(Panel::Profiler);
        dock.toggle(Panel::Log);
        dock.open(Panel::Inspector);
        assert_eq!(dock.text(), Dock::default().text(), "closing what was opened leaves nothing behind");
    }

    #[test]
    fn a_layout_of_all_panels_side_by_side_is_read_again() {
        let others = PANELS[1..].iter().map(|row| format!("h 0.500 leaf 0 {} ; ", row.1));
        let text = others.collect::<String>() + "leaf 0 view ; ";
        assert_eq!(Dock::parse(&text).map(|dock| dock.text()), Some(text));
    }

    #[test]
    fn panels_widen_in_a_narrow_window_and_return_in_a_wide_one() {
        let widths = |width: f32| {
            let mut dock = Dock::default();
            let mut moved = Vec::new();
            let tree = dock.state.main_surface_mut();
            widen(tree, NodeIndex::root(), width, &mut moved);
            let share = |at: NodeIndex| match tree.iter().nth(at.0) {
                Some(Node::Horizontal(split)) => split.fraction,
                _ => panic!("no split"),
            };
            let (rest, outliner) = (share(NodeIndex::root()), share(NodeIndex::root().left()));
            let all = [rest * outliner, rest * (1.0 - outliner), 1.0 - rest].map(|share| share * width);
            put_back(dock.state.main_surface_mut(), &moved);
            assert_eq!(dock.text(), Dock::default().text());
            all
        };
        let [outliner, picture, inspector] = widths(960.0);
        assert!(outliner > 169.9 && picture > 400.0 && inspector > 289.9, "{outliner} {picture} {inspector}");
        let [outliner, _, inspector] = widths(1440.0);
        assert!((inspector - 324.0).abs() < 0.1 && (outliner - 247.8).abs() < 0.1, "{outliner} {inspector}");
        assert!((widths(400.0)[2] - 90.0).abs() < 0.1, "there is no room for all");
        // A screen of 1320 pixels at two a point.
        let [outliner, picture, inspector] = widths(660.0);
        assert!(outliner > 150.0 && picture > 230.0 && inspector > 255.0, "{outliner} {picture} {inspector}");
        for tenths in 6890..6911 {
            widths(tenths as f32 * 0.1);
        }
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
