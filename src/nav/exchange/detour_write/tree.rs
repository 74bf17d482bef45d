//! The tree of boxes by which Detour finds the polygons of a tile.

use glam::Vec3;

/// Largest number of the quantized bounds. Detour adds one to the upper end of the box that it asks for.
const MAX_QUANTIZED: f32 = 65_530.0;
/// Cells of the quantized bounds, metres, where the tile is small enough.
const QUANTIZED_CELL: f32 = 0.1;

/// A node of the tree of boxes: a polygon, or minus the nodes to skip.
pub struct BoxNode {
    /// The least corner.
    pub low: [u16; 3],
    /// The greatest corner.
    pub high: [u16; 3],
    /// The polygon, or minus the number of nodes below.
    pub number: i32,
}

/// Quantized cells to a metre for a tile of this size.
pub fn cells_per_metre(size: Vec3) -> f32 {
    (1.0 / QUANTIZED_CELL).min(MAX_QUANTIZED / size.max_element().max(1e-3))
}

/// The tree of boxes, each from its least to its greatest corner, of a tile whose least corner is `low`.
pub fn tree(boxes: &[[Vec3; 2]], low: Vec3, cells_per_metre: f32) -> Vec<BoxNode> {
    let quantized = |p: Vec3| ((p - low) * cells_per_metre).clamp(Vec3::ZERO, Vec3::splat(MAX_QUANTIZED));
    let leaf = |(i, &[least, most]): (usize, &[Vec3; 2])| BoxNode {
        low: quantized(least).floor().to_array().map(|v| v as u16),
        high: quantized(most).ceil().min(Vec3::splat(MAX_QUANTIZED)).to_array().map(|v| v as u16),
        number: i as i32,
    };
    let mut leaves: Vec<BoxNode> = boxes.iter().enumerate().map(leaf).collect();
    let mut out = Vec::with_capacity(2 * leaves.len());
    if !leaves.is_empty() {
        subdivide(&mut leaves, &mut out);
    }
    out
}

/// Halves the leaves along their longest axis; depth is the logarithm of their number.
fn subdivide(leaves: &mut [BoxNode], out: &mut Vec<BoxNode>) {
    let low = |k: usize| leaves.iter().map(|n| n.low[k]).min().unwrap_or(0);
    let high = |k: usize| leaves.iter().map(|n| n.high[k]).max().unwrap_or(0);
    let (low, high) = ([low(0), low(1), low(2)], [high(0), high(1), high(2)]);
    if let [leaf] = leaves {
        out.push(BoxNode { low, high, number: leaf.number });
        return;
    }
    let at = out.len();
    out.push(BoxNode { low, high, number: 0 });
    let axis = (0..3).max_by_key(|&k| high[k] - low[k]).unwrap_or(0);
    leaves.sort_by_key(|n| n.low[axis]);
    let (first, second) = leaves.split_at_mut(leaves.len() / 2);
    subdivide(first, out);
    subdivide(second, out);
    out[at].number = -((out.len() - at) as i32);
}
