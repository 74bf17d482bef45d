//! Clips of steps and of cubic splines (glTF 2.0, appendix C): Assimp gives their keys alone, which are then played along
//! straight lines. So steps become pairs of keys, and splines as many keys as hold straight lines close to them.

use super::super::guard::GltfFault;
use super::data::{GltfData, data_fault, index};
use super::values::elements;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most bytes of keys that are written anew: samplers may share numbers, each in its own way.
const MAX_WRITTEN_BYTES: u64 = 128 << 20;
/// How far straight lines may lie off a spline, as a share of how far it reaches.
const TOLERANCE: f32 = 1e-3;
/// Most straight lines between two keys of a spline.
const MAX_PIECES: f32 = 64.0;
/// How long before its key a step begins, seconds, and as a share of the key's time, which has 24 bits.
const STEP_SECS: f32 = 1e-5;
const STEP_SHARE: f32 = 1e-6;

/// How a sampler leads from key to key otherwise than straight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum KeyCurve {
    Step,
    Cubic,
}

/// Keys between which lines are straight.
#[derive(Debug, Default)]
struct StraightKeys {
    times_secs: Vec<f32>,
    /// So many for each time.
    values: Vec<f32>,
}

impl StraightKeys {
    fn push(&mut self, time: f32, value: impl IntoIterator<Item = f32>) {
        self.times_secs.push(time);
        self.values.extend(value);
    }

    /// Each value lasts until shortly before the next.
    fn of_steps(times: &[f32], values: &[f32]) -> Self {
        let width = values.len() / times.len().max(1);
        let value = |key: usize| &values[key * width..(key + 1) * width];
        let mut out = Self::default();
        for (key, &time) in times.iter().enumerate() {
            if let Some(before) = key.checked_sub(1).filter(|&before| value(before) != value(key)) {
                let gap = STEP_SECS.max(time * STEP_SHARE).min((time - times[before]) * 0.5);
                if gap > 0.0 {
                    out.push(time - gap, value(before).iter().copied());
                }
            }
            out.push(time, value(key).iter().copied());
        }
        out
    }

    fn of_splines(splines: &Splines) -> Self {
        let tolerance = splines.tolerance();
        let mut out = Self::default();
        for (key, &time) in splines.times.iter().enumerate() {
            out.push(time, (0..splines.width).map(|i| splines.at(key, 1, i)));
            let pieces = splines.pieces(key, tolerance);
            for piece in 1..pieces {
                let share = piece as f32 / pieces as f32;
                let at = time + splines.gap_secs(key) * share;
                out.push(at, (0..splines.width).map(|i| splines.between(key, i, share)));
            }
        }
        out
    }
}

/// The numbers of a sampler of splines: of each key the tangent before it, itself and the tangent behind it.
struct Splines<'a> {
    times: &'a [f32],
    values: &'a [f32],
    /// Numbers of a value.
    width: usize,
}

impl<'a> Splines<'a> {
    fn of(times: &'a [f32], values: &'a [f32]) -> Self {
        Self { times, values, width: values.len() / (times.len() * 3).max(1) }
    }

    fn tolerance(&self) -> f32 {
        self.extent() * TOLERANCE
    }

    /// Bytes of the straight keys.
    fn straight_bytes(&self) -> u64 {
        let tolerance = self.tolerance();
        let keys = (0..self.times.len()).map(|key| u64::from(self.pieces(key, tolerance).max(1))).sum::<u64>();
        keys.saturating_mul((self.width as u64 + 1) * size_of::<f32>() as u64)
    }

    /// One number of a key: of the tangent before it (0), of itself (1), of the tangent behind it (2).
    fn at(&self, key: usize, part: usize, i: usize) -> f32 {
        self.values[(key * 3 + part) * self.width + i]
    }

    /// Seconds from a key to the next; 0 behind the last.
    fn gap_secs(&self, key: usize) -> f32 {
        self.times.get(key + 1).map_or(0.0, |next| next - self.times[key])
    }

    /// Values at both ends and the tangents there, per length of the gap.
    fn ends(&self, key: usize, i: usize) -> [f32; 4] {
        let gap = self.gap_secs(key);
        [self.at(key, 1, i), self.at(key, 2, i) * gap, self.at(key + 1, 1, i), self.at(key + 1, 0, i) * gap]
    }

    fn between(&self, key: usize, i: usize, t: f32) -> f32 {
        let [from, leaving, to, arriving] = self.ends(key, i);
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * from
            + (t3 - 2.0 * t2 + t) * leaving
            + (3.0 * t2 - 2.0 * t3) * to
            + (t3 - t2) * arriving
    }

    fn gaps(&self) -> impl Iterator<Item = (usize, usize)> {
        let keys = (0..self.times.len()).filter(|&key| self.gap_secs(key) > 0.0);
        keys.flat_map(|key| (0..self.width).map(move |i| (key, i)))
    }

    /// How far any of the numbers reaches: splines stay between the points that their tangents end in.
    fn extent(&self) -> f32 {
        let mut reach = vec![[f32::INFINITY, f32::NEG_INFINITY]; self.width];
        for (key, i) in self.gaps() {
            let [from, leaving, to, arriving] = self.ends(key, i);
            for x in [from, from + leaving / 3.0, to - arriving / 3.0, to] {
                reach[i] = [reach[i][0].min(x), reach[i][1].max(x)];
            }
        }
        reach.into_iter().map(|[low, high]| high - low).fold(0.0, f32::max)
    }

    /// Straight pieces from a key to the next that lie within a tolerance: a line of length h is off by an eighth of the
    /// largest second derivative times h² at most, and this is largest at an end.
    fn pieces(&self, key: usize, tolerance: f32) -> u32 {
        if self.gap_secs(key) <= 0.0 {
            return 0;
        }
        let bend = |i: usize| {
            let [from, leaving, to, arriving] = self.ends(key, i);
            let way = 6.0 * (to - from);
            (way - 4.0 * leaving - 2.0 * arriving).abs().max((2.0 * leaving + 4.0 * arriving - way).abs())
        };
        let most = (0..self.width).map(bend).fold(0.0, f32::max);
        (most / (8.0 * tolerance.max(f32::MIN_POSITIVE))).sqrt().ceil().clamp(1.0, MAX_PIECES) as u32
    }
}

/// Makes all samplers lead straight from key to key. Returns whether any did not.
///
/// # Errors
/// An accessor reaches beyond its data, a sampler has values for part of its keys, or the keys take too much memory.
pub fn straighten(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let mut made: BTreeMap<(usize, usize, KeyCurve), [usize; 2]> = BTreeMap::new();
    let mut bytes = 0;
    for (animation, sampler) in samplers(root) {
        let value = &root["animations"][animation]["samplers"][sampler];
        let curve = match value.get("interpolation").and_then(Value::as_str) {
            Some("STEP") => KeyCurve::Step,
            Some("CUBICSPLINE") => KeyCurve::Cubic,
            _ => continue,
        };
        let accessor = |key| index(value, key).filter(|&i| root.get("accessors").is_some_and(|a| a.get(i).is_some()));
        let (Some(input), Some(output)) = (accessor("input"), accessor("output")) else { continue };
        let new = match made.get(&(input, output, curve)) {
            Some(&known) => known,
            None => {
                let keys = straight_keys(root, data, [input, output], curve)?.ok_or_else(|| {
                    let reason = format!("has a sampler {sampler} with values for part of its keys");
                    data_fault("animation", animation, reason)
                })?;
                bytes += size_of_val(&keys.times_secs[..]) as u64 + size_of_val(&keys.values[..]) as u64;
                if bytes > MAX_WRITTEN_BYTES {
                    return Err(GltfFault::TooMuchDecoded { bytes, limit: MAX_WRITTEN_BYTES });
                }
                write(root, data, output, &keys)?
            }
        };
        made.insert((input, output, curve), new);
        let value = &mut root["animations"][animation]["samplers"][sampler];
        value["interpolation"] = "LINEAR".into();
        [value["input"], value["output"]] = new.map(Value::from);
    }
    Ok(!made.is_empty())
}

fn samplers(root: &Value) -> Vec<(usize, usize)> {
    let animations = root.get("animations").and_then(Value::as_array).into_iter().flatten();
    let count = |animation: &Value| animation.get("samplers").and_then(Value::as_array).map_or(0, Vec::len);
    let of_animation = |(i, animation): (usize, &Value)| (0..count(animation)).map(move |sampler| (i, sampler));
    animations.enumerate().flat_map(of_animation).collect()
}

/// The keys of a sampler; `None` where the numbers do not fit the times.
fn straight_keys(
    root: &Value,
    data: &mut GltfData,
    [input, output]: [usize; 2],
    curve: KeyCurve,
) -> Result<Option<StraightKeys>, GltfFault> {
    let times = elements(root, data, input, false)?;
    // Integers stand for fractions in all values of clips.
    let values = elements(root, data, output, true)?;
    let parts = if curve == KeyCurve::Cubic { times.len() * 3 } else { times.len() };
    if parts > 0 && (values.len() < parts || !values.len().is_multiple_of(parts)) {
        return Ok(None);
    }
    Ok(Some(match curve {
        KeyCurve::Step => StraightKeys::of_steps(&times, &values),
        KeyCurve::Cubic => {
            let splines = Splines::of(&times, &values);
            let (bytes, limit) = (splines.straight_bytes(), MAX_WRITTEN_BYTES);
            if bytes > limit {
                return Err(GltfFault::TooMuchDecoded { bytes, limit });
            }
            StraightKeys::of_splines(&splines)
        }
    }))
}

/// New accessors of the times and of the values, which are of the type of `output`.
fn write(root: &mut Value, data: &mut GltfData, output: usize, keys: &StraightKeys) -> Result<[usize; 2], GltfFault> {
    let kind = root["accessors"][output]["type"].clone();
    let width = super::values::components(&root["accessors"][output]).unwrap_or(1);
    let mut new = [0; 2];
    let lists = [(&keys.times_secs, json!("SCALAR"), 1), (&keys.values, kind, width)];
    for (new, (numbers, kind, width)) in new.iter_mut().zip(lists) {
        let view = data.keep_as_view(root, bytemuck::cast_slice(numbers))?;
        let Some(accessors) = root["accessors"].as_array_mut() else { continue };
        let count = numbers.len() / width;
        accessors.push(json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind}));
        *new = accessors.len() - 1;
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_lasts_until_shortly_before_the_next_key() {
        let keys = StraightKeys::of_steps(&[0.0, 1.0, 2.0, 2.0, 100.0], &[5.0, 5.0, 7.0, 8.0, 9.0]);
        assert_eq!(keys.values, [5.0, 5.0, 5.0, 7.0, 8.0, 8.0, 9.0]);
        assert_eq!(keys.times_secs[..2], [0.0, 1.0]);
        assert!((1.9999..2.0).contains(&keys.times_secs[2]) && (99.9998..100.0).contains(&keys.times_secs[5]));
    }

    #[test]
    fn straight_lines_stay_close_to_splines() {
        // Up from rest within a second, then to both sides of where it is by tangents alone.
        let (times, values) = ([0.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0, 1.0, 4.0, 4.0, 1.0, 0.0]);
        let splines = Splines::of(&times, &values);
        let keys = StraightKeys::of_splines(&splines);
        assert_eq!(splines.straight_bytes(), keys.times_secs.len() as u64 * 8);
        assert!(keys.times_secs.len() < 2 * MAX_PIECES as usize, "{} keys", keys.times_secs.len());
        let reach = splines.extent();
        for (key, span) in keys.times_secs.windows(2).enumerate() {
            let middle = (span[0] + span[1]) * 0.5;
            let segment = usize::from(middle > 1.0);
            let share = (middle - times[segment]) / splines.gap_secs(segment);
            let off = (keys.values[key] + keys.values[key + 1]) * 0.5 - splines.between(segment, 0, share);
            assert!(off.abs() <= TOLERANCE * reach * 1.01, "{off} m at {middle} s");
        }
        let middle = splines.between(0, 0, 0.5);
        assert!((middle - 0.5).abs() < 1e-6, "{middle}");
        assert!(keys.values.iter().any(|x| *x > 1.76), "{:?}", keys.values);
    }
}
