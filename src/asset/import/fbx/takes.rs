//! The takes of FBX 6 as clips of version 7: a stack, its layer, a node for each animated property, and a curve for each axis.

use super::document::{FbxNode, FbxValue};
use super::objects::joined;
use super::version_seven::VersionSevenScene;

/// Channels of a model's transform, and the properties that they move.
const TRANSFORMS: [(&[u8], &[u8]); 3] = [(b"T", b"Lcl Translation"), (b"R", b"Lcl Rotation"), (b"S", b"Lcl Scaling")];
/// The property that the channel of a morph target moves.
const MORPH: &[u8] = b"DeformPercent";

/// The keys of a property's axis.
struct AxisCurve {
    axis: Vec<u8>,
    /// In ticks of the format.
    times: Vec<i64>,
    values: Vec<f64>,
}

/// A property that moves.
struct AnimatedProperty {
    object: i64,
    name: &'static [u8],
    curves: Vec<AxisCurve>,
}

/// Adds the clip of a take. One without keys adds nothing.
pub fn add_take(scene: &mut VersionSevenScene, take: &FbxNode) {
    let mut moved = Vec::new();
    for model in take.children.iter().filter(|child| child.name == "Model") {
        let Some(id) = model.text(0).and_then(|label| scene.id(label)) else { continue };
        for (name, channel) in channels(model) {
            if name == b"Transform" {
                for (part, channel) in channels(channel) {
                    let property = TRANSFORMS.iter().find(|&&(of, _)| of == part);
                    moved.extend(property.and_then(|&(_, property)| animated(id, property, channels(channel))));
                }
            } else if let Some(target) = scene.target(id, name) {
                moved.extend(animated(target, MORPH, [(MORPH, channel)].into_iter()));
            }
        }
    }
    if moved.is_empty() {
        return;
    }
    let name = take.text(0).unwrap_or_default();
    let times = FbxNode::with_children("Properties70", span_of(take));
    let stack = scene.objects.add("AnimationStack", &joined(name, "AnimStack"), b"", vec![times]);
    let empty = || vec![FbxNode::with_children("Properties70", Vec::new())];
    let layer = scene.objects.add("AnimationLayer", &joined(b"BaseLayer", "AnimLayer"), b"", empty());
    scene.objects.connect(layer, stack);
    for AnimatedProperty { object, name, curves } in moved {
        let node = scene.objects.add("AnimationCurveNode", &joined(name, "AnimCurveNode"), b"", empty());
        scene.objects.connect(node, layer);
        scene.objects.connect_property(node, object, name);
        for AxisCurve { axis, times, values } in curves {
            let keys = vec![
                FbxNode::with_values("KeyTime", vec![FbxValue::Longs(times)]),
                FbxNode::with_values("KeyValueFloat", vec![FbxValue::Reals(values)]),
            ];
            let curve = scene.objects.add("AnimationCurve", &joined(b"", "AnimCurve"), b"", keys);
            scene.objects.connect_property(curve, node, &[&b"d|"[..], &axis].concat());
        }
    }
}

/// The channels below a node, with their names.
fn channels(node: &FbxNode) -> impl Iterator<Item = (&[u8], &FbxNode)> {
    let channels = node.children.iter().filter(|child| child.name == "Channel");
    channels.filter_map(|channel| Some((channel.text(0)?, channel)))
}

/// A property with the curves of its axes; `None` where none has keys. An axis without keys stays where the take says.
fn animated<'a>(
    object: i64,
    name: &'static [u8],
    axes: impl Iterator<Item = (&'a [u8], &'a FbxNode)>,
) -> Option<AnimatedProperty> {
    let axes: Vec<_> = axes.map(|(axis, channel)| (curve_of(axis, channel), channel)).collect();
    let first = axes.iter().filter_map(|(curve, _)| curve.times.first()).min().copied()?;
    let mut curves = Vec::with_capacity(axes.len());
    for (mut curve, channel) in axes {
        if curve.times.is_empty() {
            let rest = channel.child("Default").and_then(|rest| rest.values.first()).and_then(FbxValue::number);
            let Some(rest) = rest else { continue };
            curve.times.push(first);
            curve.values.push(rest);
        }
        curves.push(curve);
    }
    Some(AnimatedProperty { object, name, curves })
}

/// The keys of a channel. Each begins with its time and value; what follows depends on how it goes on to the next: `L` is all of a
/// straight line, `C` has a letter behind it, and of `U` come the slopes and weights of a curve. Keys that are not later than
/// those before them are passed over.
fn curve_of(axis: &[u8], channel: &FbxNode) -> AxisCurve {
    let mut curve = AxisCurve { axis: axis.to_vec(), times: Vec::new(), values: Vec::new() };
    let mut rest = channel.child("Key").map(|keys| keys.values.as_slice()).unwrap_or_default();
    while let [time, value, after @ ..] = rest {
        let (Some(time), Some(value)) = (time.whole(), value.number()) else { break };
        if curve.times.last().is_none_or(|&last| time > last) {
            curve.times.push(time);
            curve.values.push(value);
        }
        let Some(count) = interpolation_values(after) else { break };
        rest = after.get(count..).unwrap_or_default();
    }
    curve
}

/// How many values of a key lie behind its time and value; `None` where its letter is none that is known.
fn interpolation_values(after: &[FbxValue]) -> Option<usize> {
    let letter = |at: usize| match after.get(at) {
        Some(FbxValue::Text(text)) => text.first().copied(),
        _ => None,
    };
    match letter(0)? {
        b'L' => Some(1),
        b'C' => Some(2),
        b'U' => {
            let slopes = if matches!(letter(1)?, b's' | b'b') { 2 } else { 0 };
            let weights = if letter(2 + slopes)? == b'a' { 2 } else { 0 };
            Some(3 + slopes + weights)
        }
        _ => None,
    }
}

/// When a take begins and ends, as properties of its stack.
fn span_of(take: &FbxNode) -> Vec<FbxNode> {
    let Some(span) = take.child("LocalTime") else { return Vec::new() };
    let ends = span.values.iter().filter_map(FbxValue::whole);
    let property = |(name, time): (&[u8], i64)| {
        let head = [name, b"KTime", b"Time", b""].map(FbxValue::text);
        FbxNode::with_values("P", head.into_iter().chain([FbxValue::Long(time)]).collect())
    };
    [&b"LocalStart"[..], b"LocalStop"].into_iter().zip(ends).map(property).collect()
}

#[cfg(test)]
mod tests {
    use super::super::text::TextFbxReader;
    use super::*;

    fn curve(keys: &str) -> AxisCurve {
        let nodes = TextFbxReader::new(format!("Channel: \"X\" {{\n Key: {keys}\n}}").as_bytes()).read().unwrap();
        curve_of(b"X", &nodes[0])
    }

    #[test]
    fn keys_of_every_kind_follow_each_other() {
        let all = curve("10,1,L,20,2,C,n,30,3,U,s,0,0.5,n,40,4,U,b,0,0,a,0.3,0.2,50,5,U,a,n,60,6,L");
        assert_eq!(all.times, [10, 20, 30, 40, 50, 60]);
        assert_eq!(all.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let odd = curve("10,1,L,10,7,L,5,8,L,20,2,?,30,3,L");
        assert_eq!((odd.times, odd.values), (vec![10, 20], vec![1.0, 2.0]), "not later, and of an unknown kind");
        assert!(curve("").times.is_empty() && curve("7").times.is_empty());
    }
}
