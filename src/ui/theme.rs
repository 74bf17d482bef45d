//! The look of the user interface: spacing, corners, colours, text sizes.

use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, vec2};

/// Colours that mean something, in both themes.
pub mod color {
    use egui::Color32;

    /// What is selected or switched on.
    pub const ACCENT: Color32 = Color32::from_rgb(240, 150, 62);
    /// Done, arrived.
    pub const GOOD: Color32 = Color32::from_rgb(96, 190, 120);
    /// Done differently, or worth a look.
    pub const WARN: Color32 = Color32::from_rgb(232, 184, 74);
    /// Failed.
    pub const BAD: Color32 = Color32::from_rgb(232, 100, 92);
    /// For information.
    pub const INFO: Color32 = Color32::from_rgb(104, 168, 230);
}

/// A colour that means something as text: in the light theme so dark that it can be read.
pub fn ink(ui: &egui::Ui, color: Color32) -> Color32 {
    const SHADE: f32 = 0.6;
    if ui.visuals().dark_mode {
        return color;
    }
    let [r, g, b, a] = color.to_array();
    let [r, g, b] = [r, g, b].map(|part| (f32::from(part) * SHADE) as u8);
    Color32::from_rgba_premultiplied(r, g, b, a)
}

/// A colour of an overlay, linear, as the interface shows it.
pub fn swatch_color([r, g, b, _]: crate::debug::Color) -> Color32 {
    egui::Rgba::from_rgb(r, g, b).into()
}

/// Height of a row in lists, points.
pub const ROW_HEIGHT: f32 = 22.0;

/// Gives `ctx` the look of Walkabout, in dark and light.
pub fn install(ctx: &egui::Context) {
    ctx.style_mut_of(Theme::Dark, |style| {
        shape(style);
        dark(&mut style.visuals);
    });
    ctx.style_mut_of(Theme::Light, |style| {
        shape(style);
        light(&mut style.visuals);
    });
    ctx.set_theme(Theme::Dark);
}

/// A number with its decimals; what rounds to zero is zero, without a sign.
fn number_text(value: f64, decimals: std::ops::RangeInclusive<usize>) -> String {
    let format = |value| egui::emath::format_with_decimals_in_range(value, decimals.clone());
    let text = format(value);
    if is_zero(&text) { format(0.0) } else { text }
}

fn is_zero(text: &str) -> bool {
    text.contains('0') && text.chars().all(|c| !c.is_ascii_digit() || c == '0')
}

/// The text of a number without its sign where all of its digits are zero.
pub fn unsigned_zero(text: String) -> String {
    if is_zero(&text) { text.trim_start_matches(['-', '−']).to_owned() } else { text }
}

/// Sizes and distances, the same in both themes.
fn shape(style: &mut egui::Style) {
    style.number_formatter = egui::style::NumberFormatter::new(number_text);
    let proportional = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, proportional(12.0)),
        (TextStyle::Body, proportional(14.0)),
        (TextStyle::Button, proportional(14.0)),
        (TextStyle::Heading, proportional(16.0)),
        (TextStyle::Monospace, FontId::new(13.0, FontFamily::Monospace)),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(8.0, 6.0);
    spacing.button_padding = vec2(8.0, 3.0);
    spacing.interact_size = vec2(36.0, 22.0);
    spacing.indent = 16.0;
    spacing.menu_margin = Margin::same(6);
    spacing.window_margin = Margin::same(12);
    spacing.combo_width = 120.0;
    spacing.slider_width = 120.0;
    style.animation_time = 0.08;
    let visuals = &mut style.visuals;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    let widgets = &mut visuals.widgets;
    for state in [
        &mut widgets.noninteractive,
        &mut widgets.inactive,
        &mut widgets.hovered,
        &mut widgets.active,
        &mut widgets.open,
    ] {
        state.corner_radius = CornerRadius::same(5);
        state.expansion = 0.0;
    }
    visuals.indent_has_left_vline = false;
    visuals.slider_trailing_fill = true;
    visuals.selection.bg_fill = color::ACCENT.gamma_multiply(0.42);
    visuals.warn_fg_color = color::WARN;
    visuals.error_fg_color = color::BAD;
}

fn dark(visuals: &mut egui::Visuals) {
    let text = Color32::from_rgb(214, 219, 226);
    visuals.panel_fill = Color32::from_rgb(27, 30, 36);
    visuals.window_fill = Color32::from_rgb(33, 37, 44);
    visuals.window_stroke = Stroke::new(1.0, Color32::from_rgb(58, 64, 75));
    visuals.extreme_bg_color = Color32::from_rgb(18, 20, 25);
    visuals.faint_bg_color = Color32::from_rgb(34, 38, 45);
    visuals.hyperlink_color = color::INFO;
    visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(255, 240, 224));
    let widgets = &mut visuals.widgets;
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, Color32::from_rgb(46, 51, 60));
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, text);
    let fills = [
        (&mut widgets.inactive, Color32::from_rgb(48, 53, 63)),
        (&mut widgets.hovered, Color32::from_rgb(62, 69, 82)),
        (&mut widgets.active, Color32::from_rgb(78, 86, 102)),
        (&mut widgets.open, Color32::from_rgb(56, 62, 74)),
    ];
    for (state, fill) in fills {
        (state.bg_fill, state.weak_bg_fill) = (fill, fill);
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, text);
    }
    widgets.hovered.fg_stroke.color = Color32::WHITE;
    widgets.active.fg_stroke.color = Color32::WHITE;
}

fn light(visuals: &mut egui::Visuals) {
    visuals.panel_fill = Color32::from_rgb(242, 243, 245);
    visuals.window_fill = Color32::from_rgb(250, 250, 251);
    visuals.faint_bg_color = Color32::from_rgb(233, 235, 239);
    visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(70, 34, 0));
    visuals.extreme_bg_color = Color32::WHITE;
    let text = Color32::from_rgb(36, 40, 47);
    visuals.weak_text_color = Some(Color32::from_rgb(92, 98, 108));
    let widgets = &mut visuals.widgets;
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, Color32::from_rgb(205, 209, 216));
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, text);
    // The first of each pair fills boxes and tracks, the second buttons.
    let fills = [
        (&mut widgets.inactive, [(212, 216, 223), (226, 229, 234)]),
        (&mut widgets.hovered, [(198, 203, 212), (214, 218, 225)]),
        (&mut widgets.active, [(180, 186, 197), (198, 203, 212)]),
        (&mut widgets.open, [(205, 209, 217), (219, 223, 229)]),
    ];
    for (state, fills) in fills {
        [state.bg_fill, state.weak_bg_fill] = fills.map(|(r, g, b)| Color32::from_rgb(r, g, b));
        state.bg_stroke = Stroke::new(1.0, Color32::from_rgb(190, 195, 204));
        state.fg_stroke = Stroke::new(1.0, text);
    }
}

/// Whether the fonts of the interface have a letter. egui's own answer is no for all that are of the same font as the sign for
/// missing ones: what these look like tells them apart.
pub fn has_letter(ctx: &egui::Context, letter: char) -> bool {
    let drawn = |letter: char| {
        let color = Color32::WHITE;
        let text = ctx.fonts_mut(|fonts| fonts.layout_no_wrap(letter.to_string(), egui::FontId::default(), color));
        text.rows.first().and_then(|row| row.glyphs.first()).map(|glyph| glyph.uv_rect)
    };
    drawn(letter) != drawn(char::MAX)
}

/// The letters of a text that the interface's own fonts lack.
#[cfg(test)]
pub fn missing_letters(text: &str) -> Vec<char> {
    let context = egui::Context::default();
    context.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
    let letters: std::collections::BTreeSet<char> = text.chars().filter(|letter| !letter.is_ascii()).collect();
    letters.into_iter().filter(|&letter| !has_letter(&context, letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::{missing_letters, number_text};
    use crate::disk::{files_below, has_extension};

    #[test]
    fn the_interface_has_all_letters_that_it_writes() {
        assert_eq!(missing_letters("a → b"), ['→'], "what none of its fonts has is found");
        let sources = ["ui", "app", "inspect", "nav", "scene"];
        let sources = sources.map(|room| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room));
        let mut missing = Vec::new();
        for file in files_below(sources, 8, 10_000).iter().filter(|file| has_extension(file, &["rs"])) {
            let text = std::fs::read_to_string(file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
            let shown: String = code.filter_map(|line| line.split("//").next()).collect();
            missing.extend(missing_letters(&shown).into_iter().map(|letter| (letter, file.clone())));
        }
        // Names of fonts are no text.
        missing.retain(|(_, file)| !file.ends_with("app/fonts.rs"));
        assert_eq!(missing, []);
    }

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        let text = |value| number_text(value, 0..=2);
        assert_eq!([text(-0.001), text(-0.0), text(0.0)], ["0", "0", "0"]);
        assert_eq!(number_text(-0.001, 2..=2), "0.00");
        assert!(text(-0.01).ends_with("0.01") && text(-0.01).len() > 4, "{}", text(-0.01));
    }
}
