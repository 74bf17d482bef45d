//! Whether a level is in other units than metres.

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding, Mend};
use super::limits::AgentLimits;
use crate::math::triangle;

/// Largest extent of a level in agents' heights that is taken for right where its smallest walls are tall, too.
const LARGE: f32 = 150.0;
/// Height of the lowest tenth of walls in agents' heights, beyond which a large level is taken for another unit.
const TALL_WALLS: f32 = 3.0;
/// Smallest extent of a level in agents' heights.
const SMALL: f32 = 1.0;
/// Height of most walls in agents' heights.
const USUAL_WALL: f32 = 1.6;
/// Height of most walls in agents' heights that no building has.
const HIGHEST_WALL: f32 = 12.0;

/// What a length may be in a file that is not in metres.
struct LengthUnit {
    /// Metres to it.
    metres: f32,
    /// Its plural.
    name: &'static str,
}

/// Units that make a level too large.
const UNITS: [LengthUnit; 4] = [
    LengthUnit { metres: 0.3048, name: "feet" },
    LengthUnit { metres: 0.0254, name: "inches" },
    LengthUnit { metres: 0.01, name: "centimetres" },
    LengthUnit { metres: 0.001, name: "millimetres" },
];

/// Whether the level looks many times too large or too small.
pub(super) fn examine(triangles: &[[Vec3; 3]], limits: &AgentLimits) -> Option<Finding> {
    let corners = || triangles.iter().flatten().filter(|p| p.is_finite()).map(|p| p.as_dvec3());
    let low = corners().reduce(DVec3::min)?;
    let high = corners().reduce(DVec3::max)?;
    let size = (high - low).as_vec3();
    let (height, largest) = (limits.height.max(1e-3), size.max_element());
    let say = |times: &str, word: &str, factor: f32, unit: String| {
        let cause = format!(
            "The level is {:.4} by {:.4} by {:.4} m beside agents of {height} m: it looks {times} times too {word}{unit}.",
            size.x, size.y, size.z
        );
        let remedy = format!("Scale it by {factor}, or export it in metres.");
        let finding = Finding::new(FaultKind::Units, (low + high) * 0.5, f64::from(largest), [cause, remedy]);
        Some(finding.mended_by(Mend::Scale(factor)))
    };
    if largest < SMALL * height {
        let factor = if largest * 100.0 < SMALL * height { 1000.0 } else { 100.0 };
        return say(&factor.to_string(), "small", factor, String::new());
    }
    if largest < LARGE * height {
        return None;
    }
    // Terrain may be as large as it likes; walls that are all taller than houses are doors and steps in another unit.
    let walls = WallHeights::of(triangles)?;
    if walls.lowest_tenth <= TALL_WALLS * height {
        return None;
    }
    let unit = walls.unit(height);
    let times = ((100.0 / unit.metres).round() / 100.0).to_string();
    say(&times, "large", unit.metres, format!(", as if it were in {}", unit.name))
}

/// How tall the walls of a level are, metres.
struct WallHeights {
    lowest_tenth: f32,
    /// Half of their area belongs to walls that are no taller.
    middle: f32,
}

impl WallHeights {
    /// `None` of a level without walls.
    fn of(triangles: &[[Vec3; 3]]) -> Option<Self> {
        let upright = triangles.iter().filter(|t| triangle::normal(t).is_some_and(|n| n.y.abs() < 0.1));
        let mut walls: Vec<(f32, f64)> = upright
            .map(|t| {
                let [low, high] =
                    [t.map(|p| p.y).into_iter().reduce(f32::min), t.map(|p| p.y).into_iter().reduce(f32::max)];
                (high.unwrap_or(0.0) - low.unwrap_or(0.0), f64::from(triangle::area(t)))
            })
            .filter(|(height, _)| *height > 0.0)
            .collect();
        walls.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let half = walls.iter().map(|(_, area)| area).sum::<f64>() * 0.5;
        let mut below = 0.0;
        let middle = walls.iter().find(|(_, area)| {
            below += area;
            below >= half
        });
        Some(Self { lowest_tenth: walls.get(walls.len() / 10)?.0, middle: middle.or(walls.last())?.0 })
    }

    /// The unit in which most walls are about as tall as walls are.
    fn unit(&self, height: f32) -> &'static LengthUnit {
        let [.., centimetres, millimetres] = &UNITS;
        if self.middle * centimetres.metres > HIGHEST_WALL * height {
            return millimetres;
        }
        let off = |unit: &LengthUnit| (self.middle * unit.metres / (USUAL_WALL * height)).ln().abs();
        UNITS[..3].iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(millimetres)
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::*;

    /// A hall with walls and a lintel, times a factor.
    fn hall(width: f32, factor: f32) -> Vec<[Vec3; 3]> {
        let mut triangles = Vec::new();
        let mut wall = |from: [f32; 2], to: [f32; 2], y: [f32; 2]| {
            let [a, b] = [from, to].map(|[x, z]| Vec3::new(x, y[0], z) * factor);
            let up = Vec3::Y * (y[1] - y[0]) * factor;
            triangles.extend([[a, b, b + up], [a, b + up, a + up]]);
        };
        wall([0.0, 0.0], [width, 0.0], [0.0, 3.0]);
        wall([0.0, 40.0], [width, 40.0], [0.0, 3.0]);
        wall([0.0, 0.0], [0.0, 40.0], [0.0, 3.0]);
        wall([10.0, 0.0], [10.0, 2.0], [2.1, 3.0]);
        (1..12).for_each(|k| wall([4.0 * k as f32, 5.0], [4.0 * k as f32, 20.0], [0.0, 3.0]));
        triangles
    }

    #[test]
    fn the_unit_of_a_level_is_told_by_its_walls() {
        let told = |width: f32, metres: f32| {
            let finding = examine(&hall(width, 1.0 / metres), &PERSON)?;
            let Some(Mend::Scale(factor)) = finding.mend else { panic!("{finding:?}") };
            Some((factor, finding.cause, finding.remedy))
        };
        assert_eq!(told(60.0, 1.0), None);
        for LengthUnit { metres, name } in UNITS {
            // In feet only a large level is unlike one with high walls.
            let (factor, cause, remedy) = told(if metres > 0.1 { 200.0 } else { 60.0 }, metres).unwrap();
            assert_eq!(factor, metres);
            assert!(cause.ends_with(&format!("times too large, as if it were in {name}.")), "{cause}");
            assert!(remedy.starts_with(&format!("Scale it by {metres}, ")), "{remedy}");
        }
        let (_, cause, _) = told(60.0, 0.0254).unwrap();
        assert!(cause.contains("it looks 39.37 times too large"), "{cause}");
    }
}
