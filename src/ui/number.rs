//! The field of a number: dragged or typed in. What was typed and does not fit stays as it was typed, with the range
//! beside it, until it is mended, given up by Escape, or the value changes by something else.

use super::theme::{ROW_HEIGHT, color, ink};
use egui::emath::Numeric;
use egui::{DragValue, Id, Response, RichText, Ui};
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// How far a value may lie outside of its range by rounding to single precision, as a share of the end of the range.
const ROUNDING: f64 = 1e-6;
/// Ends of a range beyond this are no limits to speak of.
const MAX_LIMIT: f64 = 1e5;

/// How a number is changed by dragging and typing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    range: [f64; 2],
    least_above_zero: Option<f64>,
    speed: f64,
    decimals: Option<usize>,
    unit: &'static str,
}

/// A number of this range, which goes by `speed` for each point of a drag and is shown with its unit.
pub fn drag(range: RangeInclusive<f64>, speed: f64, unit: &'static str) -> Drag {
    Drag { range: [*range.start(), *range.end()], least_above_zero: None, speed, decimals: None, unit }
}

/// One of three coordinates in this unit.
pub fn axis(speed: f64, unit: &'static str) -> Drag {
    drag(-1e6..=1e6, speed, unit).decimals(2)
}

/// What was typed last, and does not fit.
#[derive(Clone, Debug)]
struct RefusedText {
    text: String,
    /// The value that it did not replace.
    value: f64,
}

/// What was typed in this frame.
enum TypedNumber {
    Fits,
    Refused(String),
}

impl Drag {
    /// Shows no more decimals than so many.
    pub fn decimals(self, most: usize) -> Self {
        Self { decimals: Some(most), ..self }
    }

    /// Allows zero beside the values from `least` on.
    pub fn zero_or(self, least: f64) -> Self {
        Self { least_above_zero: Some(least), ..self }
    }

    /// The unit, and the field without it.
    pub fn without_unit(self) -> (&'static str, Self) {
        (self.unit.trim(), Self { unit: "", ..self })
    }

    /// Whether a value lies in the range.
    fn fits(self, value: f64) -> bool {
        let [low, high] = self.range;
        let slack = |end: f64| end.abs() * ROUNDING;
        let above = self.least_above_zero.is_none_or(|least| value == 0.0 || value >= least);
        value >= low - slack(low) && value <= high + slack(high) && above
    }

    /// The value that fits where a drag from `before` has come to one that does not: it goes over the gap above zero in one step.
    fn fitted(self, value: f64, before: f64) -> f64 {
        let value = value.clamp(self.range[0], self.range[1]);
        match self.least_above_zero.filter(|least| value > 0.0 && value < *least) {
            Some(least) if value > before => least,
            Some(_) => 0.0,
            None => value,
        }
    }

    /// The range in words; empty where it has no ends to speak of.
    fn range_text(self) -> String {
        let text = |value: f64| {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let [low, high] = self.range;
        let unit = self.unit;
        match (self.least_above_zero, low.abs() < MAX_LIMIT, high.abs() < MAX_LIMIT) {
            (Some(least), ..) => format!("0, or {} to {}{unit}", text(least), text(high)),
            (None, true, true) => format!("{} to {}{unit}", text(low), text(high)),
            (None, true, false) => format!("{}{unit} or more", text(low)),
            (None, false, true) => format!("{}{unit} or less", text(high)),
            (None, false, false) => String::new(),
        }
    }

    fn parse(self, text: &str) -> Option<f64> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = text.replace('−', "-").replace(',', ".");
        text.strip_suffix(self.unit.trim()).unwrap_or(&text).parse().ok()
    }

    /// What was typed, without the unit behind a number, which the field adds.
    fn without_unit_typed(self, text: &str) -> String {
        let number = text.trim().strip_suffix(self.unit.trim()).map(str::trim_end);
        let number = number.filter(|number| number.ends_with(|c: char| c.is_ascii_digit() || c == '.'));
        number.unwrap_or(text).to_owned()
    }

    /// Draws the field of a value, and the range beside it where what was typed does not fit. A value of a file that
    /// lies outside stays as it is until it is changed.
    pub fn show<N: Numeric>(self, ui: &mut Ui, value: &mut N, help: &str) -> Response {
        self.show_sized(ui, None, value, help)
    }

    /// The same in a field so wide.
    pub fn show_sized<N: Numeric>(self, ui: &mut Ui, width: Option<f32>, value: &mut N, help: &str) -> Response {
        let key = ui.next_auto_id().with("refused");
        let before = *value;
        let refusal: Option<RefusedText> = ui.data(|data| data.get_temp(key));
        let refusal = refusal.filter(|refusal| refusal.value == before.to_f64());
        let typed = RefCell::new(None);
        // For two passes egui takes a field that was left by Escape for one that was left by Return.
        let (left, pass) = (key.with("left"), ui.ctx().cumulative_pass_nr());
        let was_left = ui.data(|data| data.get_temp::<u64>(left)).is_some_and(|at| pass <= at + 2);
        let style = ui.style().clone();
        if refusal.is_some() {
            ui.visuals_mut().override_text_color = Some(ink(ui, color::BAD));
        }
        let widget = self.widget(value, refusal.as_ref(), (!was_left).then_some(&typed));
        let mut response = match width {
            Some(width) => ui.add_sized([width, ROW_HEIGHT], widget),
            None => ui.add(widget),
        };
        ui.set_style(style);
        let moved = *value != before;
        // Text that leaves the value alone counts as no change.
        response.flags.set(egui::response::Flags::CHANGED, moved);
        if moved && !self.fits(value.to_f64()) && self.fits(before.to_f64()) {
            *value = N::from_f64(self.fitted(value.to_f64(), before.to_f64()));
        }
        let given_up = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Escape));
        if given_up {
            ui.data_mut(|data| data.insert_temp(left, pass));
        }
        let refusal = match typed.into_inner() {
            Some(TypedNumber::Refused(text)) if !moved => Some(RefusedText { text, value: before.to_f64() }),
            Some(_) => None,
            None => refusal.filter(|_| !moved && !given_up),
        };
        let range = self.range_text();
        if !range.is_empty() {
            response = response.on_hover_text(if help.is_empty() { range.clone() } else { format!("{help}\n{range}") });
        } else if !help.is_empty() {
            response = response.on_hover_text(help);
        }
        if refusal.is_some() || !self.fits(value.to_f64()) {
            let is_number = refusal.as_ref().is_none_or(|refusal| self.parse(&refusal.text).is_some());
            let range = match (range.is_empty(), is_number) {
                (false, _) => range,
                (true, true) => "too large".to_owned(),
                (true, false) => "not a number".to_owned(),
            };
            ui.label(RichText::new(range).small().color(ink(ui, color::BAD)))
                .on_hover_text("What fits here. Escape while typing gives the value back.");
        }
        keep(ui, key, refusal);
        response
    }

    fn widget<'a, N: Numeric>(
        self,
        value: &'a mut N,
        refusal: Option<&'a RefusedText>,
        typed: Option<&'a RefCell<Option<TypedNumber>>>,
    ) -> DragValue<'a> {
        let [low, high] = self.range;
        let widget = DragValue::new(value).range(low..=high).clamp_existing_to_range(false);
        let widget = widget.speed(self.speed).suffix(self.unit).custom_parser(move |text| {
            let typed = typed?;
            let parsed = self.parse(text).filter(|parsed| self.fits(*parsed));
            let is_fit = parsed.is_some() || text.trim().is_empty();
            *typed.borrow_mut() =
                Some(if is_fit { TypedNumber::Fits } else { TypedNumber::Refused(self.without_unit_typed(text)) });
            parsed.map(|parsed| parsed.clamp(low, high))
        });
        let widget = match self.decimals {
            Some(most) => widget.max_decimals(most),
            None => widget,
        };
        match refusal {
            Some(refusal) => widget.custom_formatter(|_, _| refusal.text.clone()),
            None => widget,
        }
    }
}

fn keep(ui: &Ui, key: Id, refusal: Option<RefusedText>) {
    ui.data_mut(|data| match refusal {
        Some(refusal) => drop(data.insert_temp(key, refusal)),
        None => data.remove::<RefusedText>(key),
    });
}

#[cfg(test)]
mod tests {
    use super::drag;

    #[test]
    fn ranges_are_told_and_numbers_read_with_units() {
        assert_eq!(drag(0.02..=10.0, 0.1, " m").range_text(), "0.02 to 10 m");
        assert_eq!(drag(0.0..=4096.0, 0.1, "").zero_or(8.0).range_text(), "0, or 8 to 4096");
        assert_eq!(drag(-1e6..=1e6, 0.1, " m").range_text(), "");
        let size = drag(0.02..=10.0, 0.1, " m");
        assert_eq!([size.parse("−1"), size.parse("0,5 m"), size.parse("wide")], [Some(-1.0), Some(0.5), None]);
        let kept = ["200 m", "200m", "wide m", "5 mm", "−7"].map(|text| size.without_unit_typed(text));
        assert_eq!(kept, ["200", "200", "wide m", "5 mm", "−7"], "the field adds its unit");
        assert!(size.fits(f64::from(0.02_f32)) && size.fits(10.0) && !size.fits(-1.0) && !size.fits(f64::NAN));
        let tiles = drag(0.0..=4096.0, 0.1, "").zero_or(8.0);
        assert!(tiles.fits(0.0) && tiles.fits(8.0) && !tiles.fits(5.0));
        assert_eq!([tiles.fitted(1.0, 0.0), tiles.fitted(7.0, 8.0), tiles.fitted(5e3, 8.0)], [8.0, 0.0, 4096.0]);
    }
}
