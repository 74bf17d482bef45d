//! A plot of horizontal bars, each put together from parts.

use egui_plot::{Bar, BarChart, GridMark, Legend, Plot};

/// Bars, the first on top; every list has a value for each of them.
#[derive(Clone, Debug, Default)]
pub struct StackedBars {
    /// Their names.
    pub labels: Vec<String>,
    /// Their parts, one after the other, by name.
    pub stacked: Vec<(String, Vec<f64>)>,
    /// What is shown as a thin bar below each, by name.
    pub whole: (String, Vec<f64>),
}

impl StackedBars {
    /// Draws them into all the room that there is.
    pub fn show(&self, ui: &mut egui::Ui) {
        let count = self.labels.len();
        let at = |i: usize| count.saturating_sub(i + 1) as f64;
        let bars = |values: &[f64], shift: f64, width: f64| -> Vec<Bar> {
            values.iter().enumerate().map(|(i, value)| Bar::new(at(i) + shift, *value).width(width)).collect()
        };
        let label = |mark: GridMark, _: &_| {
            let i = (0..count).find(|i| (at(*i) - mark.value).abs() < 0.01);
            i.map_or_else(String::new, |i| self.labels[i].clone())
        };
        Plot::new("stacked bars")
            .legend(Legend::default())
            .y_axis_formatter(label)
            .y_grid_spacer(move |_| (0..count).map(|i| GridMark { value: i as f64, step_size: 1.0 }).collect())
            .y_axis_min_width(190.0)
            .include_x(0.0)
            .show(ui, |plot| {
                let mut stacked: Vec<BarChart> = Vec::new();
                for (name, values) in &self.stacked {
                    let chart = BarChart::new(name, bars(values, 0.1, 0.5)).horizontal();
                    stacked.push(chart.stack_on(&stacked.iter().collect::<Vec<_>>()));
                }
                stacked.into_iter().for_each(|chart| plot.bar_chart(chart));
                let (name, values) = &self.whole;
                plot.bar_chart(BarChart::new(name, bars(values, -0.28, 0.14)).horizontal().color(egui::Color32::GRAY));
            });
    }
}
