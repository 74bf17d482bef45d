//! Draws the panels as tabs.

use super::command::with_keys;
use super::dock::{Panel, put_back, widen};
use super::{UiContext, UiOutput, UiState, panels, viewport};
use egui::{Id, Ui, WidgetText};
use egui_dock::{DockArea, NodeIndex, Style, TabViewer};

/// Least width or height to which a part of the layout is dragged, points.
const MIN_PART: f32 = 24.0;

/// Draws all panels.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut UiState, output: &mut UiOutput) {
    let mut dock = std::mem::take(&mut state.dock);
    let mut style = Style::from_egui(ui.style());
    // Round corners would let through what lies behind the panels.
    style.tab.tab_body.corner_radius = egui::CornerRadius::ZERO;
    style.tab_bar.corner_radius = egui::CornerRadius::ZERO;
    style.tab.tab_body.inner_margin = egui::Margin::symmetric(8, 4);
    // The area moves splits that lie nearer to an edge than this, for good: in a window that is small once, those of its layout would.
    style.separator.extra = MIN_PART;
    let mut moved = Vec::new();
    widen(dock.state.main_surface_mut(), NodeIndex::root(), ui.available_width(), &mut moved);
    let mut viewer = PanelViewer { cx, state, output, seen: false };
    DockArea::new(&mut dock.state)
        .style(style)
        .show_leaf_close_all_buttons(false)
        .show_leaf_collapse_buttons(false)
        .show_inside(ui, &mut viewer);
    if !viewer.seen {
        // Another tab lies over the picture.
        output.viewport.rect = egui::Rect::from_min_size(ui.max_rect().min, egui::Vec2::splat(1.0));
    }
    put_back(dock.state.main_surface_mut(), &moved);
    state.dock = dock;
}

struct PanelViewer<'a, 'b> {
    cx: &'a UiContext<'b>,
    state: &'a mut UiState,
    output: &'a mut UiOutput,
    seen: bool,
}

impl TabViewer for PanelViewer<'_, '_> {
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
        let help = tab.row().3;
        let help = tab.action().map_or(help.into(), |action| with_keys(&response.ctx, help, action));
        response.clone().on_hover_text(help);
    }

    fn is_closeable(&self, tab: &Panel) -> bool {
        tab.is_below() || *tab == Panel::Map
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
        let (cx, state, out) = (self.cx, &mut *self.state, &mut self.output.commands);
        match tab {
            Panel::View => {
                self.output.viewport = viewport::show(ui, cx, state, out);
                self.seen = true;
            }
            Panel::Outliner => panels::outliner::show(ui, cx, state, out),
            Panel::Inspector => {
                panels::inspector::show(ui, cx, out);
                panels::model::show(ui, cx, out);
                panels::behavior::show(ui, cx, out);
                panels::looks::show(ui, cx, out);
                panels::layers::show(ui, cx, out);
                panels::door::show(ui, cx, out);
                panels::navigation::show(ui, cx, out);
                panels::interaction::show(ui, cx, out);
                panels::level::show(ui, cx, out);
                panels::environment::show(ui, cx, out);
                panels::zones::show(ui, cx, out);
                panels::sound::show(ui, cx, out);
                panels::cameras::show(ui, cx, out);
            }
            Panel::Workbench => panels::workbench::show(ui, cx, state, out),
            Panel::Overlays => panels::overlays::show(ui, cx, state, out),
            Panel::Profiler => panels::profiler::show(ui, cx, &mut state.profiler),
            Panel::Log => panels::log::show(ui, cx, &mut state.log, out),
            Panel::History => panels::history::show(ui, cx, &mut state.history, out),
            Panel::Doctor => panels::doctor::show(ui, cx, out),
            Panel::Differences => panels::differences::show(ui, cx, out),
            Panel::Map => panels::map::show(ui, cx, &mut state.map, out),
            Panel::Behavior => panels::graph::show(ui, cx, &mut state.graph, out),
            Panel::Assets => panels::assets::show(ui, cx, state, out),
            Panel::Animation => panels::animation::show(ui, cx, &mut state.animation, out),
        }
    }
}
