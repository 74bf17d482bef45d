//! Keeps how the window looks in a file, from one run to the next: the layout of the panels, the theme, how large the
//! interface is, and the size of the window.

use crate::disk::read_text;
use crate::disk::write::write_with_folder;
use crate::render::Quality;
use crate::ui::Dock;
use egui::{Context, Theme};
use std::path::PathBuf;

/// Smallest and largest factor of the interface's size that is taken from a file.
const ZOOMS: [f32; 2] = [0.4, 4.0];

/// Smallest and largest side of a window that is taken from a file, points.
const SIDES: [f32; 2] = [320.0, 16_384.0];
/// Largest layout that is read, bytes.
const MAX_LAYOUT_BYTES: u64 = 1 << 20;

/// How the window looks besides its panels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WindowLook {
    theme: Theme,
    /// Factor of the interface's size.
    zoom: f32,
    /// Width and height of the window, points at factor 1.
    size: [f32; 2],
    /// Whether the welcome window is shown at the start.
    welcome: bool,
    /// The chosen quality of the drawing.
    quality: Option<Quality>,
}

/// The word for a start without the welcome window.
const NO_WELCOME: &str = "no-welcome";
/// The word before the chosen quality.
const QUALITY: &str = "quality=";

impl Default for WindowLook {
    fn default() -> Self {
        Self { theme: Theme::Dark, zoom: 1.0, size: [1440.0, 900.0], welcome: true, quality: None }
    }
}

impl WindowLook {
    /// How it looks now; the window keeps its size while it fills the screen.
    fn of(ctx: &Context, before: Self) -> Self {
        let (zoom, rect) = (ctx.zoom_factor(), ctx.content_rect());
        let size = [rect.width(), rect.height()].map(|side| (side * zoom).round());
        let fills_screen = ctx.input(|input| input.viewport().fullscreen == Some(true));
        let usable = !fills_screen && size.iter().all(|side| (SIDES[0]..=SIDES[1]).contains(side));
        Self { theme: ctx.theme(), zoom, size: if usable { size } else { before.size }, ..before }
    }

    /// The second line of the file.
    fn text(&self) -> String {
        let theme = if self.theme == Theme::Light { "light" } else { "dark" };
        let welcome = if self.welcome { String::new() } else { format!(" {NO_WELCOME}") };
        let quality = self.quality.map_or_else(String::new, |quality| format!(" {QUALITY}{}", quality.name()));
        format!("{theme} {:.3} {} {}{welcome}{quality}", self.zoom, self.size[0], self.size[1])
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let theme = match words.next()? {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => return None,
        };
        let mut number = |[low, high]: [f32; 2]| {
            let number: f32 = words.next()?.parse().ok()?;
            (low..=high).contains(&number).then_some(number)
        };
        let (zoom, size) = (number(ZOOMS)?, [number(SIDES)?, number(SIDES)?]);
        let mut look = Self { theme, zoom, size, ..Self::default() };
        for word in words {
            look.welcome &= word != NO_WELCOME;
            let quality = word.strip_prefix(QUALITY).and_then(|name| Quality::by_name(name).ok());
            look.quality = quality.or(look.quality);
        }
        Some(look)
    }
}

/// Where the layout is kept, and what is there.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    file: Option<PathBuf>,
    kept: String,
    look: WindowLook,
    /// Whether the first frame has taken over what was kept.
    begun: bool,
}

impl Layout {
    /// Reads a layout; what cannot be read gives the first one.
    pub fn load(file: PathBuf) -> (Self, Dock) {
        let kept = read_text(&file, MAX_LAYOUT_BYTES).unwrap_or_default();
        let (panels, look) = kept.split_once('\n').unwrap_or((&kept, ""));
        let dock = Dock::parse(panels).unwrap_or_default();
        let look = WindowLook::parse(look).unwrap_or_default();
        let kept = format!("{}\n{}\n", dock.text(), look.text());
        (Self { file: Some(file), kept, look, begun: false }, dock)
    }

    /// Width and height in which the window opens, points.
    pub fn size(&self) -> [f32; 2] {
        self.look.size
    }

    /// Whether the welcome window is shown at the start.
    pub fn has_welcome(&self) -> bool {
        self.look.welcome
    }

    /// Changes that; kept with the rest.
    pub fn set_welcome(&mut self, on: bool) {
        self.look.welcome = on;
    }

    /// The chosen quality of the drawing, if one was chosen.
    pub fn quality(&self) -> Option<Quality> {
        self.look.quality
    }

    /// Changes that; kept with the rest.
    pub fn set_quality(&mut self, quality: Option<Quality>) {
        self.look.quality = quality;
    }

    /// Takes over theme and factor in the first frame; without a file, the interface stays as it is.
    pub fn begin(&mut self, ctx: &Context) {
        if !std::mem::replace(&mut self.begun, true) && self.file.is_some() {
            ctx.set_theme(self.look.theme);
            ctx.set_zoom_factor(self.look.zoom);
        }
    }

    /// Writes how the window looks if it has changed. Failing to do so costs nothing but the memory of it.
    pub fn keep(&mut self, dock: &Dock, ctx: &Context) {
        let Some(file) = &self.file else { return };
        self.look = WindowLook::of(ctx, self.look);
        let text = format!("{}\n{}\n", dock.text(), self.look.text());
        if text == self.kept {
            return;
        }
        if let Err(error) = write_with_folder(file, text.as_bytes()) {
            tracing::warn!("The layout of the panels was not saved ({error}). File: {}", file.display());
        }
        self.kept = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::dock::Panel;

    /// An interface in a window of so many points.
    fn context(width: f32, height: f32, fills_screen: bool) -> Context {
        let ctx = Context::default();
        ctx.set_theme(Theme::Dark);
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, height)));
        let mut input = egui::RawInput { screen_rect, ..Default::default() };
        input.viewports.entry(egui::ViewportId::ROOT).or_default().fullscreen = Some(fills_screen);
        let mut output = ctx.run_ui(input, |_| {});
        output.textures_delta.clear();
        ctx
    }

    #[test]
    fn how_the_window_looks_outlives_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/layout.txt");
        let (mut layout, mut dock) = Layout::load(file.clone());
        let ctx = context(1440.0, 900.0, false);
        layout.keep(&dock, &ctx);
        assert!(!file.exists(), "nothing has changed yet");
        dock.toggle(Panel::Log);
        layout.keep(&dock, &ctx);
        assert!(Layout::load(file.clone()).1.shows(Panel::Log));

        let ctx = context(1000.0, 600.0, false);
        ctx.set_theme(Theme::Light);
        layout.keep(&dock, &ctx);
        let (mut next, _) = Layout::load(file.clone());
        assert_eq!(next.size(), [1000.0, 600.0]);
        let other = context(1000.0, 600.0, false);
        next.begin(&other);
        assert_eq!(other.theme(), Theme::Light);
        other.set_theme(Theme::Dark);
        next.begin(&other);
        assert_eq!(other.theme(), Theme::Dark, "only once");
        layout.keep(&dock, &context(1920.0, 1080.0, true));
        assert_eq!(Layout::load(file).0.size(), [1000.0, 600.0], "that of the screen is not the window's own");
    }

    #[test]
    fn what_cannot_be_read_gives_the_first_look() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("layout.txt");
        for damaged in
            ["leaf 9", "leaf 9\nlight NaN 1 1", "\ngrey 1 900 900", "\ndark 1 2 900", "\ndark 1000 900 900", ""]
        {
            std::fs::write(&file, damaged).unwrap();
            let (layout, dock) = Layout::load(file.clone());
            assert_eq!((dock.text(), layout.look), (Dock::default().text(), WindowLook::default()), "{damaged:?}");
        }
        let look = WindowLook { theme: Theme::Light, zoom: 1.25, size: [800.0, 600.0], welcome: false, quality: None };
        assert_eq!(WindowLook::parse(&look.text()), Some(look));
        let chosen = WindowLook { welcome: true, quality: Some(Quality::High), ..look };
        assert_eq!(WindowLook::parse(&chosen.text()), Some(chosen));
        assert_eq!(WindowLook::parse("dark 1 800 600 quality=best").and_then(|look| look.quality), None);
    }
}
