//! Whether a level is in other units than metres.

use glam::{DVec3, Vec3};

use super::finding::{FaultKind, Finding, Mend};
use super::limits::AgentLimits;
use super::outlines::corners_of;
use super::scale_evidence::{ScaleEvidence, lowest_tenth};
use super::welded::Welded;
use crate::math::triangle;
use crate::nav::exchange::MeshPlacement;
use crate::nav::mesh::RawMesh;

/// Largest extent of a level in agents' heights that is taken for right where its smallest walls are tall, too.
const LARGE: f32 = 150.0;
/// Height of the lowest tenth of walls in agents' heights, beyond which a large level is taken for another unit.
const TALL_WALLS: f32 = 3.0;
/// Heights of the lowest tenth of walls in agents' heights, by number and by area, beyond which a large level is taken for another
/// unit as well: furniture is low, but has little of the area.
const LOW_WALLS: f32 = 0.7;
const TALL_AREA: f32 = 12.0;
/// Smallest extent of a level in agents' heights.
const SMALL: f32 = 1.0;
/// Smallest extent of a mesh in agents' heights.
const SMALL_MESH: f32 = 0.5;
/// Length of the shorter edges of a mesh in agents' heights, beyond which a large one is taken for another unit.
const LONG_EDGES: f32 = 6.0;
/// Length of the shorter edges of most meshes, metres.
const USUAL_EDGE: f32 = 1.0;
/// Height of an object in agents' heights, and in heights of all others, from which on it is taken for another unit.
const GIANT: f32 = 40.0;
const GIANT_BESIDE: f32 = 20.0;
/// Length of the edges of ground without walls in agents' heights, of which nine in ten are longer, beyond which a large level is
/// taken for another unit, and the least number of its triangles for that.
const LONG_GROUND_EDGES: f32 = 15.0;
const MANY_TRIANGLES: usize = 32;
/// By how much more stairs, doors and rooms must speak for another unit than for metres, as the logarithm of a likelihood.
const CLEARLY: f32 = 4.5;
/// Smallest extent of a level in agents' heights, once it is scaled.
const SCALED: f32 = 2.5;
/// Units for which no more speaks less than for the likeliest are named beside it, the likeliest of them.
const LESS_LIKELY: f32 = 2.35;
const MAX_NAMED_UNITS: usize = 2;

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
pub(super) fn examine(welded: &Welded<'_>, limits: &AgentLimits) -> Option<Finding> {
    let triangles = welded.triangles;
    let corners = || triangles.iter().flatten().filter(|p| p.is_finite()).map(|p| p.as_dvec3());
    let low = corners().reduce(DVec3::min)?;
    let high = corners().reduce(DVec3::max)?;
    let size = (high - low).as_vec3();
    let (height, largest) = (limits.height.max(1e-3), size.max_element());
    let say = |times: &str, word: &str, factors: &[f32], unit: String| {
        let cause = format!(
            "The level is {} by {} by {} m beside agents of {height} m: it looks {times} times too {word}{unit}.",
            figures(size.x),
            figures(size.y),
            figures(size.z)
        );
        let named: Vec<String> = factors.iter().map(f32::to_string).collect();
        let remedy = format!("Scale it by {}, or export it in metres.", named.join(" or "));
        let finding = Finding::new(FaultKind::Units, (low + high) * 0.5, f64::from(largest), [cause, remedy]);
        Some(finding.mended_by(Mend::Scale(*factors.first()?)))
    };
    if largest < SMALL * height {
        let factor = if largest * 100.0 < SMALL * height { 1000.0 } else { 100.0 };
        return say(&factor.to_string(), "small", &[factor], String::new());
    }
    let evidence = ScaleEvidence::of(welded);
    let units = likely_units(&evidence, limits);
    let best = evidence.fit(units[0].metres, limits);
    let is_made_for_others = evidence.is_usual(units[0].metres, height)
        && largest * units[0].metres >= SCALED * height
        && best > evidence.fit(1.0, limits) + CLEARLY;
    let is_huge = largest >= LARGE * height && is_all_large(triangles, height);
    if !is_made_for_others && !is_huge {
        return None;
    }
    let all = |word: &dyn Fn(&LengthUnit) -> String| units.iter().map(|u| word(u)).collect::<Vec<_>>().join(" or ");
    let times = all(&|unit| ((100.0 / unit.metres).round() / 100.0).to_string());
    let names = format!(", as if it were in {}{}", all(&|unit| unit.name.to_owned()), sizes(&evidence));
    let factors: Vec<f32> = units.iter().map(|unit| unit.metres).collect();
    say(&times, "large", &factors, names)
}

/// Whether a large level has nothing that is as small as what people use. Terrain may be as large as it likes; walls that are all
/// taller than houses are doors and steps in another unit, and so are edges that are all longer than houses where there are no walls.
fn is_all_large(triangles: &[[Vec3; 3]], height: f32) -> bool {
    let Some(walls) = WallHeights::of(triangles) else {
        let lengths = |t: &[Vec3; 3]| [0, 1, 2].map(|k| t[k].distance(t[(k + 1) % 3]));
        let edge = lowest_tenth(triangles.iter().flat_map(lengths).filter(|length| *length > 0.0).collect());
        return triangles.len() >= MANY_TRIANGLES && edge.is_some_and(|edge| edge > LONG_GROUND_EDGES * height);
    };
    let is_furnished = walls.lowest_tenth > LOW_WALLS * height && walls.lowest_area > TALL_AREA * height;
    walls.lowest_tenth > TALL_WALLS * height || is_furnished
}

/// The units in which the sizes in a level fit, the likeliest first.
fn likely_units(evidence: &ScaleEvidence, limits: &AgentLimits) -> Vec<&'static LengthUnit> {
    let mut units: Vec<(f32, &LengthUnit)> =
        UNITS.iter().map(|unit| (evidence.fit(unit.metres, limits), unit)).collect();
    units.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = units[0].0 - LESS_LIKELY;
    units.into_iter().take(MAX_NAMED_UNITS).filter(|(fit, _)| *fit >= least).map(|(_, unit)| unit).collect()
}

/// What tells the unit, as the end of a sentence.
fn sizes(evidence: &ScaleEvidence) -> String {
    let stairs = evidence.stairs.map(|step| format!("its stairs rise {} m a step", figures(step.rise)));
    let lintel = evidence.lintel.map(|lintel| format!("lintels lie {} m above the ground", figures(lintel)));
    let said: Vec<String> = stairs.into_iter().chain(lintel).collect();
    if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
}

/// Whether the mesh looks many times too large or too small: it has no walls, but edges.
/// `placement` is how it was read.
pub(super) fn examine_mesh(mesh: &RawMesh, limits: &AgentLimits, placement: &MeshPlacement) -> Option<Finding> {
    let used: Vec<DVec3> =
        (0..mesh.polygons.len()).flat_map(|i| corners_of(mesh, i)).filter(|v| v.is_finite()).collect();
    let (low, high) = (used.iter().copied().reduce(DVec3::min)?, used.iter().copied().reduce(DVec3::max)?);
    let (size, height) = ((high - low).as_vec3(), limits.height.max(1e-3));
    let largest = size.max_element();
    let (times, word, scale, unit) = if largest < SMALL_MESH * height {
        let scale = if largest * 100.0 < height { 1000.0 } else { 100.0 };
        (scale, "small", scale, String::new())
    } else {
        let edge = lowest_tenth_of_edges(mesh)?;
        if largest < LARGE * height || edge < LONG_EDGES * height {
            return None;
        }
        let off = |unit: &&LengthUnit| (edge * unit.metres / USUAL_EDGE).ln().abs();
        let unit = UNITS[1..].iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
        (1.0 / unit.metres, "large", unit.metres, format!(", as if it were in {}", unit.name))
    };
    let times = (times * 100.0).round() / 100.0;
    let cause = format!(
        "The mesh is {} by {} by {} m beside agents of {height} m: it looks {times} times too {word}{unit}.",
        figures(size.x),
        figures(size.y),
        figures(size.z)
    );
    let scale = (f64::from(scale) * placement.scale) as f32;
    let remedy = format!("Read it with another unit, as by --scale {scale}, or export it in metres.");
    Some(Finding::new(FaultKind::Units, (low + high) * 0.5, f64::from(largest), [cause, remedy]))
}

/// A length below which a tenth of the edges are that have one, metres.
fn lowest_tenth_of_edges(mesh: &RawMesh) -> Option<f32> {
    let rings = (0..mesh.polygons.len()).map(|i| corners_of(mesh, i));
    let lengths = |ring: Vec<DVec3>| {
        (0..ring.len()).map(|k| ring[k].distance(ring[(k + 1) % ring.len()]) as f32).collect::<Vec<_>>()
    };
    lowest_tenth(rings.flat_map(lengths).filter(|length| length.is_finite() && *length > 0.0).collect())
}

/// An object of the level that is many times taller than all others: `objects` are the boxes around them.
pub(super) fn examine_objects(objects: &[[Vec3; 2]], limits: &AgentLimits) -> Option<Finding> {
    let tall = |object: &[Vec3; 2]| object[1].y - object[0].y;
    let (number, giant) = objects.iter().enumerate().max_by(|a, b| tall(a.1).total_cmp(&tall(b.1)))?;
    let rest = || objects.iter().enumerate().filter(|(i, _)| *i != number).map(|(_, object)| object);
    let others = rest().copied().reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
    // Skies and backdrops are around the rest.
    let is_around = giant[0].x <= others[0].x
        && giant[0].z <= others[0].z
        && giant[1].x >= others[1].x
        && giant[1].z >= others[1].z;
    let (height, all) = (tall(giant), tall(&others));
    (height > GIANT * limits.height && height > GIANT_BESIDE * all.max(limits.height) && !is_around).then(|| {
        let cause = format!(
            "One object is {} m high, all others together {} m: it looks as if it were in another unit.",
            figures(height),
            figures(all)
        );
        let remedy = "Scale it in the modelling program, or apply its scale before the export.".into();
        let [low, high] = giant.map(|p| p.as_dvec3());
        let finding = Finding::new(FaultKind::Units, (low + high) * 0.5, f64::from(height), [cause, remedy]);
        finding.along([low.with_x((low.x + high.x) * 0.5), high.with_x((low.x + high.x) * 0.5)])
    })
}

/// A length in metres with three figures, or all before the point.
fn figures(metres: f32) -> String {
    if metres < 5e-5 {
        return "0".into();
    }
    if metres >= 1e7 {
        return format!("{metres:.2e}");
    }
    let places = (2.0 - metres.max(1e-4).log10().floor()).max(0.0) as usize;
    format!("{metres:.places$}")
}

/// How tall the walls of a level are, metres.
struct WallHeights {
    lowest_tenth: f32,
    /// A tenth of their area belongs to walls that are no taller.
    lowest_area: f32,
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
        let all = walls.iter().map(|(_, area)| area).sum::<f64>();
        let below = |share: f64| {
            let mut below = 0.0;
            let found = walls.iter().find(|(_, area)| {
                below += area;
                below >= share * all
            });
            Some(found.or(walls.last())?.0)
        };
        Some(Self { lowest_tenth: walls.get(walls.len() / 10)?.0, lowest_area: below(0.1)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::PERSON;
    use super::super::watch::DoctorWatch;
    use super::*;
    use crate::nav::mesh::RawPolygon;

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
    fn the_unit_of_a_mesh_is_told_by_its_edges() {
        let told_where = |factor: f64, scale: f64| {
            let mut mesh = RawMesh::default();
            mesh.vertices.extend((0..169).map(|i| DVec3::new(f64::from(i % 13), 0.0, f64::from(i / 13)) * factor));
            let square = |i: u32| RawPolygon::new([i, i + 1, i + 14, i + 13]);
            mesh.polygons.extend((0..144).map(|i| square(i / 12 * 13 + i % 12)));
            let read = MeshPlacement { scale, ..MeshPlacement::default() };
            examine_mesh(&mesh, &PERSON, &read).map(|finding| format!("{} {}", finding.cause, finding.remedy))
        };
        let told = |factor| told_where(factor, 1.0);
        for factor in [0.5, 1.0, 3.0, 9.0] {
            assert_eq!(told(factor), None, "cells of {factor} m");
        }
        for (factor, times, scale) in [
            (100.0, "100 times too large, as if it were in centimetres", "--scale 0.01"),
            (1000.0, "1000 times too large, as if it were in millimetres", "--scale 0.001"),
            (0.001, "1000 times too small", "--scale 1000"),
            (0.01, "100 times too small", "--scale 100"),
        ] {
            let told = told(factor).unwrap();
            assert!(told.contains(times) && told.contains(scale), "{told}");
        }
        // What was read with a scale takes it times what is missing.
        assert!(told_where(0.001, 0.01).unwrap().contains("--scale 10,"));
        assert!(told(0.001).unwrap().starts_with("The mesh is 0.0120 by 0 by 0.0120 m beside"));
    }

    #[test]
    fn one_object_in_another_unit_is_noticed() {
        let object = |size: [f32; 3], x: f32| [Vec3::X * x, Vec3::X * x + Vec3::from_array(size)];
        let house = [object([12.0, 0.0, 10.0], 0.0), object([12.0, 3.0, 0.2], 0.0), object([1.0, 2.0, 0.1], 4.0)];
        let with = |size: [f32; 3], x: f32| examine_objects(&[&house[..], &[object(size, x)]].concat(), &PERSON);
        assert_eq!(with([1.0, 2.0, 0.1], 8.0), None);
        assert!(with([100.0, 200.0, 5.0], 8.0).unwrap().cause.contains("is 200 m high, all others together 3.00 m"));
        // A mast, and a sky around all.
        assert_eq!(with([2.0, 50.0, 2.0], 8.0), None);
        assert_eq!(with([500.0, 300.0, 500.0], -1.0), None);
    }

    #[test]
    fn the_unit_of_a_level_is_told_by_its_walls() {
        let told = |width: f32, metres: f32| {
            let triangles = hall(width, 1.0 / metres);
            let finding = examine(&Welded::new(&triangles, &DoctorWatch::default()).unwrap(), &PERSON)?;
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
