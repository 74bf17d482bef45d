//! Hub labels merged per cell: which of a cell's hubs a path can lead over, and by which of the corners that the cell sees.
//!
//! As the via-labels of J. Du, B. Shen, M. A. Cheema, "Ultrafast Euclidean Shortest Path Computation using Hub Labeling",
//! AAAI 2023, with the convex cells of the mesh in place of a grid. A query reads the hubs of two cells, with the least that
//! the cell's points are from each, in place of all labels of all corners that both ends see ([`CellMerge`] tells which count).
//! The hubs of a cell lie in a row and are all read, so that they are small: 6 bytes. Vias are read for few of them: they are packed
//! into as many bits as the cell's longest takes, and found by the counts of the hubs before.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::corner_sight::Sight;
use super::hub_labels::{BuiltLabels, HubLabels, place_bits};
use super::label_merge::{CellLabel, CellMerge, SAME_LENGTH, Via};
use super::mesh::PolyanyaMesh;

/// For one hub in so many it is known which of its cell's vias comes first; the counts of those between are added up.
const BLOCK: usize = 8;
/// Bits of a word of vias.
const WORD: usize = u32::BITS as usize;

/// Where a cell's hubs and their vias begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellVias {
    pub(super) hubs: u32,
    /// The first word of the vias.
    pub(super) words: u32,
    /// The unit of the least distances, metres.
    pub(super) unit: f32,
    /// A via is a number of so many bits.
    pub(super) bits: u8,
    /// As many of them, the lower ones, are the label, the others the sight.
    pub(super) label_bits: u8,
}

/// The hubs of all cells.
#[derive(Clone, Debug)]
pub(super) struct ViaLabels {
    /// Per cell; one more at the end.
    pub(super) cells: Vec<CellVias>,
    /// By rank in each cell: the rank and the number of vias, in one number of which the latter takes the lower
    /// [`place_bits`].
    pub(super) hubs: Vec<u32>,
    /// Per hub: none of the points for which its vias count is nearer to it, in units of the cell.
    pub(super) least: Vec<u16>,
    /// The vias, packed; those of each cell begin with a word. Two more at the end.
    pub(super) words: Vec<u32>,
    /// Per [`BLOCK`] hubs: how many vias of the same cell come before those of the first of them.
    blocks: Vec<u32>,
    count_bits: u32,
}

impl ViaLabels {
    /// Merges the labels of all corners per cell; `sights` are those of each cell. Tells which share of the cells is done.
    ///
    /// # Errors
    /// They would take more than this many bytes: about how many they take. Numbers of more than 65,536 corners that a
    /// cell sees, or labels of one of them, do not fit into a via.
    pub(super) fn build<'a>(
        net: &PolyanyaMesh,
        labels: &BuiltLabels,
        sights: impl Fn(usize) -> &'a [Sight] + Sync,
        max_bytes: usize,
        tell: impl Fn(f32) + Sync,
    ) -> Result<Self, usize> {
        let count = net.cells.len();
        let (bytes, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let corners = labels.labels.corners();
        let merge = |merge: &mut CellMerge, cell: usize| {
            // No more is merged once it is too much.
            if bytes.load(Relaxed) > max_bytes {
                return None;
            }
            let merged =
                PackedCell::pack(merge.run(net, labels, (&net.cells[cell], sights(cell)))?, place_bits(corners))?;
            bytes.fetch_add(merged.bytes(), Relaxed);
            tell(done.fetch_add(1, Relaxed) as f32 / count as f32);
            Some(merged)
        };
        let cells: Option<Vec<PackedCell>> = (0..count).into_par_iter().map_init(CellMerge::default, merge).collect();
        let in_all = bytes.into_inner() as f64 * count as f64 / done.into_inner().max(1) as f64;
        let too_many = (in_all as usize).max(max_bytes.saturating_add(1));
        let mut starts = Vec::with_capacity(count + 1);
        let (mut hubs, mut least, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for cell in cells.ok_or(too_many)? {
            starts.push(CellVias { hubs: hubs.len() as u32, words: words.len() as u32, ..cell.vias });
            hubs.extend(cell.hubs);
            least.extend(cell.least);
            words.extend(cell.words);
        }
        starts.push(CellVias { hubs: hubs.len() as u32, words: words.len() as u32, unit: 0.0, bits: 0, label_bits: 0 });
        words.extend([0; 2]);
        hubs.shrink_to_fit();
        least.shrink_to_fit();
        words.shrink_to_fit();
        let built = Self::from_parts(starts, hubs, least, words, corners);
        if built.bytes() > max_bytes { Err(too_many) } else { Ok(built) }
    }

    /// From their parts, for so many corners.
    pub(super) fn from_parts(
        cells: Vec<CellVias>,
        hubs: Vec<u32>,
        least: Vec<u16>,
        words: Vec<u32>,
        corners: usize,
    ) -> Self {
        let mut built = Self { cells, hubs, least, words, blocks: Vec::new(), count_bits: place_bits(corners) };
        for cell in 0..built.cells.len() - 1 {
            let mut count = 0_u32;
            for hub in built.of(cell as u32) {
                if hub.is_multiple_of(BLOCK) {
                    built.blocks.push(count);
                }
                count = count.wrapping_add(built.count(built.hubs[hub]));
            }
        }
        built
    }

    /// The numbers of a cell's hubs.
    #[inline]
    pub(super) fn of(&self, cell: u32) -> Range<usize> {
        self.cells[cell as usize].hubs as usize..self.cells[cell as usize + 1].hubs as usize
    }

    /// The rank of a hub.
    #[inline]
    pub(super) fn rank(&self, hub: u32) -> usize {
        (hub >> self.count_bits) as usize
    }

    /// How many vias a hub has.
    #[inline]
    fn count(&self, hub: u32) -> u32 {
        hub & ((1 << self.count_bits) - 1)
    }

    /// How near points of a cell are to one of its hubs, at least, metres.
    #[inline]
    pub(super) fn least(&self, cell: u32, hub: usize) -> f32 {
        f32::from(self.least[hub]) * self.cells[cell as usize].unit
    }

    /// The vias of a hub of a cell.
    #[inline]
    pub(super) fn vias(&self, cell: u32, hub: usize) -> impl Iterator<Item = Via> {
        let vias = self.cells[cell as usize];
        let (block, begin) = (hub / BLOCK * BLOCK, vias.hubs as usize);
        let before = if block > begin { self.blocks[hub / BLOCK] } else { 0 };
        let counts = self.hubs[block.max(begin)..hub].iter().map(|&hub| self.count(hub));
        let first = (before + counts.sum::<u32>()) as usize;
        let (bits, label_bits) = (usize::from(vias.bits), u32::from(vias.label_bits));
        let words = &self.words[vias.words as usize..];
        (first..first + self.count(self.hubs[hub]) as usize).map(move |via| {
            let (word, shift) = (via * bits / WORD, via * bits % WORD);
            let both = u64::from(words[word]) | u64::from(words[word + 1]) << WORD;
            let number = (both >> shift) & ((1 << bits) - 1);
            Via { sight: (number >> label_bits) as u16, label: (number & ((1 << label_bits) - 1)) as u16 }
        })
    }

    /// Whether all hubs are corners, and all vias sights of their cells and labels there: else a file is damaged.
    pub(super) fn lead_to<'a>(&self, labels: &HubLabels, sights: impl Fn(usize) -> &'a [Sight]) -> bool {
        let is_via = |seen: &[Sight], via: Via| {
            let sight = seen.get(usize::from(via.sight));
            sight.is_some_and(|sight| usize::from(via.label) < labels.of(sight.corner).len())
        };
        (0..self.cells.len() - 1).all(|cell| {
            let (vias, end) = (self.cells[cell], self.cells[cell + 1].words);
            let hubs = &self.hubs[self.of(cell as u32)];
            let count: u64 = hubs.iter().map(|&hub| u64::from(self.count(hub))).sum();
            let words = count.saturating_mul(u64::from(vias.bits)).div_ceil(WORD as u64);
            // Vias of one hub differ: no more of them than numbers of so many bits.
            vias.bits <= 32
                && vias.label_bits <= vias.bits
                && (0.0..f32::INFINITY).contains(&vias.unit)
                && words == u64::from(end - vias.words)
                && count <= u64::from(u32::MAX)
                && hubs
                    .iter()
                    .all(|&hub| self.rank(hub) < labels.corners() && u64::from(self.count(hub)) <= 1 << vias.bits)
                && self.of(cell as u32).all(|hub| self.vias(cell as u32, hub).all(|via| is_via(sights(cell), via)))
        })
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        let words = self.hubs.len() + self.words.len() + self.blocks.len();
        size_of_val(&self.cells[..]) + size_of_val(&self.least[..]) + words * 4
    }
}

/// The hubs and vias of one cell, packed.
struct PackedCell {
    hubs: Vec<u32>,
    least: Vec<u16>,
    words: Vec<u32>,
    vias: CellVias,
}

impl PackedCell {
    /// Packs the labels that count for a cell, by hub; none where numbers do not suffice.
    fn pack(labels: &[CellLabel], count_bits: u32) -> Option<Self> {
        let bits = |numbers: &mut dyn Iterator<Item = u16>| u16::BITS - numbers.max().unwrap_or(0).leading_zeros();
        let label_bits = bits(&mut labels.iter().map(|label| label.via.label));
        let width = (label_bits + bits(&mut labels.iter().map(|label| label.via.sight))) as usize;
        let mut words = vec![0; (labels.len() * width).div_ceil(WORD)];
        for (i, label) in labels.iter().enumerate() {
            let number = u64::from(label.via.sight) << label_bits | u64::from(label.via.label);
            let both = number << (i * width % WORD);
            for (word, part) in words.iter_mut().skip(i * width / WORD).zip([both as u32, (both >> WORD) as u32]) {
                *word |= part;
            }
        }
        let least = |label: &CellLabel| (label.least * (1.0 - SAME_LENGTH)) as f32;
        let unit = labels.iter().map(least).fold(0.0, f32::max) / f32::from(u16::MAX);
        let (mut hubs, mut units) = (Vec::new(), Vec::new());
        for of_hub in labels.chunk_by(|a, b| a.hub == b.hub) {
            let count = u32::try_from(of_hub.len()).ok().filter(|&count| u64::from(count) >> count_bits == 0)?;
            hubs.push(of_hub[0].hub << count_bits | count);
            // Rounded down, and once more for the rounding of the product.
            let least = least(&of_hub[0]);
            let number = (least / unit) as u16;
            units.push(if f32::from(number) * unit > least { number - 1 } else { number });
        }
        let vias = CellVias { hubs: 0, words: 0, unit, bits: width as u8, label_bits: label_bits as u8 };
        Some(Self { hubs, least: units, words, vias })
    }

    /// How much it adds to an index.
    fn bytes(&self) -> usize {
        self.hubs.len() * 6 + self.hubs.len() / BLOCK * 4 + self.words.len() * 4 + size_of::<CellVias>()
    }
}
