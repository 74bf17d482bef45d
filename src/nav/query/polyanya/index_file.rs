//! Files of an index of corners, `*.index`, to lie beside the mesh that they belong to.
//!
//! Layout, little-endian: 8 bytes of magic, the version (u32), the length of the payload (u64), its BLAKE3 hash (32
//! bytes), the payload: the BLAKE3 hash of the mesh, the filter's include and exclude flags (u16 each), the number of
//! corners, of labels, of cells, of sights, of hubs by cell and of words of vias (u32 each), then by corner the lengths of labels and
//! the next labels, by cell the sights, where its hubs and vias begin and how they are packed, the hubs, the vias, the least distances (u16 each). Files are untrusted: no count is used before the bytes for it are present, and every number is in
//! its range.

use std::path::Path;

use thiserror::Error;

use super::corner_sight::Sight;
use super::hub_labels::HubLabels;
use super::index::CornerIndex;
use super::mesh::PolyanyaMesh;
use super::via_labels::{CellVias, ViaLabels};
use crate::disk::write::write_or_print;
use crate::disk::{ReadFault, WriteFault, read};
use crate::nav::mesh::{Filter, NavMesh};

const MAGIC: [u8; 8] = *b"WALKIDX\n";
/// Raised also where cells, corners or what they see of each other come out otherwise of the same mesh: a file's numbers count them.
const VERSION: u32 = 5;
const HEADER: usize = 8 + 4 + 8 + 32;
/// Largest file that is read, bytes.
const MAX_BYTES: u64 = 4 << 30;

/// Why a file is not the index of a mesh.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum IndexFileError {
    #[error("the file does not begin as an index of exact paths does; choose one that `walkabout index` wrote")]
    NotAnIndex,
    #[error("the file has version {0}, this program reads {VERSION}; build the index again")]
    Version(u32),
    #[error("the file is damaged or cut short; copy it again or build the index again")]
    Damaged,
    #[error("the index belongs to another mesh, or to this one as it was before; build the index again")]
    OtherMesh,
    #[error("the index is for other flags of polygons: {include:x}/{exclude:x}; build one for these")]
    OtherFilter { include: u16, exclude: u16 },
    #[error("the file cannot be read: {0}")]
    Read(#[from] ReadFault),
    #[error("{0}")]
    Write(#[from] WriteFault),
}

impl CornerIndex {
    /// Encodes the index of a mesh.
    pub fn to_bytes(&self, mesh: &NavMesh) -> Vec<u8> {
        let mut out = vec![0; HEADER];
        out.extend(hash_of(mesh).as_bytes());
        out.extend([self.filter.include, self.filter.exclude].into_iter().flat_map(u16::to_le_bytes));
        let (labels, vias) = (&self.labels, &self.vias);
        let counts = [
            labels.corners(),
            labels.len(),
            self.first.len() - 1,
            self.sights.len(),
            vias.hubs.len(),
            vias.words.len(),
        ];
        put(&mut out, counts.into_iter().map(|count| count as u32));
        put(&mut out, labels.first.iter().copied());
        put(&mut out, labels.lengths.iter().map(|length| length.to_bits()));
        put(&mut out, labels.next.iter().chain(&self.first).copied());
        put(&mut out, self.sights.iter().flat_map(|s| [s.left as u32, s.right as u32, s.corner]));
        put(&mut out, vias.cells.iter().map(|cell| cell.hubs));
        put(&mut out, vias.cells.iter().map(|cell| cell.words));
        put(&mut out, vias.cells.iter().map(|cell| cell.unit.to_bits()));
        put(&mut out, vias.cells.iter().map(|cell| u32::from(cell.bits) | u32::from(cell.label_bits) << 8));
        put(&mut out, vias.hubs.iter().chain(&vias.words).copied());
        let high = |pair: &[u16]| pair.get(1).map_or(0, |&least| u32::from(least) << 16);
        put(&mut out, vias.least.chunks(2).map(|pair| u32::from(pair[0]) | high(pair)));
        let (header, payload) = out.split_at_mut(HEADER);
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(blake3::hash(payload).as_bytes());
        out
    }

    /// Decodes the index of a mesh. Memory is bounded by a small multiple of the number of bytes.
    ///
    /// # Errors
    /// Bytes that [`to_bytes`](Self::to_bytes) cannot have written for this mesh and filter.
    pub fn from_bytes(mesh: &NavMesh, filter: &Filter, bytes: &[u8]) -> Result<Self, IndexFileError> {
        let (header, payload) = bytes.split_at_checked(HEADER).ok_or(IndexFileError::NotAnIndex)?;
        if header[..8] != MAGIC {
            return Err(IndexFileError::NotAnIndex);
        }
        let mut rest = WordReader(&header[8..]);
        let version = rest.next().unwrap_or_default();
        if version != VERSION {
            return Err(IndexFileError::Version(version));
        }
        if header[12..20] != (payload.len() as u64).to_le_bytes() || header[20..] != *blake3::hash(payload).as_bytes() {
            return Err(IndexFileError::Damaged);
        }
        let (hash, payload) = payload.split_at_checked(32).ok_or(IndexFileError::Damaged)?;
        if hash != hash_of(mesh).as_bytes() {
            return Err(IndexFileError::OtherMesh);
        }
        let mut words = WordReader(payload);
        let flags = words.next().ok_or(IndexFileError::Damaged)?;
        let (include, exclude) = (flags as u16, (flags >> 16) as u16);
        if (include, exclude) != (filter.include, filter.exclude) {
            return Err(IndexFileError::OtherFilter { include, exclude });
        }
        parse(mesh, filter, words).ok_or(IndexFileError::Damaged)
    }

    /// Writes a file whole or not at all; `-` is standard output.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn save(&self, mesh: &NavMesh, path: &Path) -> Result<(), IndexFileError> {
        Ok(write_or_print(path, &self.to_bytes(mesh))?)
    }

    /// Reads the index of a mesh.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or belongs to another mesh or filter.
    pub fn load(mesh: &NavMesh, filter: &Filter, path: &Path) -> Result<Self, IndexFileError> {
        Self::from_bytes(mesh, filter, &read(path, MAX_BYTES)?)
    }
}

/// What paths depend on: vertices, polygons and their neighbours and flags.
fn hash_of(mesh: &NavMesh) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut bytes = Vec::new();
    put(&mut bytes, mesh.vertices().iter().flat_map(|v| v.to_array().map(f32::to_bits)));
    put(&mut bytes, mesh.edges().iter().flat_map(|e| [e.vertex, e.neighbor, e.polygon]));
    put(&mut bytes, mesh.polygons().iter().flat_map(|p| [p.first_edge, u32::from(p.edge_count), u32::from(p.flags)]));
    hasher.update(&bytes);
    hasher.finalize()
}

fn put(out: &mut Vec<u8>, words: impl Iterator<Item = u32>) {
    out.extend(words.flat_map(u32::to_le_bytes));
}

/// The unread rest of the payload.
struct WordReader<'a>(&'a [u8]);

impl Iterator for WordReader<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*first))
    }
}

impl WordReader<'_> {
    /// So many numbers below `end`.
    fn list(&mut self, count: usize, end: usize) -> Option<Vec<u32>> {
        let (list, rest) = self.0.split_at_checked(count.checked_mul(4)?)?;
        self.0 = rest;
        let list: Vec<u32> = WordReader(list).collect();
        list.iter().all(|&number| (number as usize) < end).then_some(list)
    }

    /// Where the parts of a list of `total` begin, and its end.
    fn starts(&mut self, parts: usize, total: usize) -> Option<Vec<u32>> {
        let starts = self.list(parts.checked_add(1)?, total.checked_add(1)?)?;
        let ends = (*starts.first()?, *starts.last()?);
        (starts.is_sorted() && ends == (0, total as u32)).then_some(starts)
    }
}

fn parse(mesh: &NavMesh, filter: &Filter, mut words: WordReader<'_>) -> Option<CornerIndex> {
    let mut counts = [0; 6];
    for count in &mut counts {
        *count = words.next()? as usize;
    }
    let [corners, count, cells, seen, hubs, vias] = counts;
    let first = words.starts(corners, count)?;
    let lengths: Vec<f32> = words.list(count, usize::MAX)?.into_iter().map(f32::from_bits).collect();
    let labels = HubLabels { first, lengths, next: words.list(count, usize::MAX)? };
    let first = words.starts(cells, seen)?;
    let net = PolyanyaMesh::build(mesh, filter);
    let sights = words.list(seen.checked_mul(3)?, usize::MAX)?;
    let sights: Vec<Sight> =
        sights.chunks_exact(3).map(|s| Sight { left: s[0] as i32, right: s[1] as i32, corner: s[2] }).collect();
    let vias = parse_vias(&mut words, cells, [hubs, vias], corners)?;
    let fits = net.corners.len() == corners && net.cells.len() == cells;
    let in_range = sights.iter().all(|s| (s.corner as usize) < corners);
    let are_lengths = labels.lengths.iter().all(|&length| length >= 0.0);
    let leads_on = fits && in_range && are_lengths && labels.leads_on();
    let are_vias = leads_on && vias.lead_to(&labels, |cell| &sights[first[cell] as usize..first[cell + 1] as usize]);
    (are_vias && words.0.is_empty()).then(|| CornerIndex { net, filter: filter.clone(), labels, first, sights, vias })
}

/// The hubs of so many cells: so many hubs, and words of vias.
fn parse_vias(words: &mut WordReader<'_>, cells: usize, [hubs, vias]: [usize; 2], corners: usize) -> Option<ViaLabels> {
    let first_hub = words.starts(cells, hubs)?;
    // Two words that belong to no cell come last.
    let first_word = words.starts(cells, vias.checked_sub(2)?)?;
    let units = words.list(cells.checked_add(1)?, usize::MAX)?;
    let bits = words.list(cells.checked_add(1)?, 1 << 16)?;
    let cells = first_hub.into_iter().zip(first_word).zip(units.into_iter().zip(bits));
    let cells = cells.map(|((hubs, words), (unit, bits))| {
        let [bits, label_bits, ..] = bits.to_le_bytes();
        CellVias { hubs, words, unit: f32::from_bits(unit), bits, label_bits }
    });
    let cells = cells.collect();
    let (of_cells, vias) = (words.list(hubs, usize::MAX)?, words.list(vias, usize::MAX)?);
    let least = words.list(hubs.div_ceil(2), usize::MAX)?;
    let mut least: Vec<u16> = least.into_iter().flat_map(|pair| [pair as u16, (pair >> 16) as u16]).collect();
    least.truncate(hubs);
    Some(ViaLabels::from_parts(cells, of_cells, least, vias, corners))
}

#[cfg(test)]
mod tests {
    use super::super::index::IndexScratch;
    use super::super::tests::{Maze, Random};
    use super::super::{ShortestPath, index};
    use super::*;

    fn built() -> (Maze, CornerIndex, Vec<u8>) {
        let maze = Maze::random(&mut Random(11), 7);
        let index = index::CornerIndex::build(&maze.mesh, &maze.filter, usize::MAX).unwrap();
        let bytes = index.to_bytes(&maze.mesh);
        (maze, index, bytes)
    }

    #[test]
    fn an_index_comes_back_from_its_file_with_the_same_answers() {
        let (maze, index, bytes) = built();
        let back = CornerIndex::from_bytes(&maze.mesh, &maze.filter, &bytes).unwrap();
        assert_eq!(back.to_bytes(&maze.mesh), bytes);
        let (mut random, mut scratch) = (Random(3), IndexScratch::default());
        let (mut path, mut other) = (ShortestPath::default(), ShortestPath::default());
        for _ in 0..50 {
            let (start, end) = (maze.place(&mut random), maze.place(&mut random));
            let found = index.find(&maze.mesh, start, end, &mut scratch, &mut path);
            assert_eq!(back.find(&maze.mesh, start, end, &mut scratch, &mut other), found);
            assert_eq!(path, other);
        }
    }

    #[test]
    fn foreign_and_damaged_files_are_refused() {
        let (maze, _, bytes) = built();
        let load = |bytes: &[u8]| CornerIndex::from_bytes(&maze.mesh, &maze.filter, bytes);
        let other = Maze::random(&mut Random(12), 7);
        assert!(matches!(CornerIndex::from_bytes(&other.mesh, &other.filter, &bytes), Err(IndexFileError::OtherMesh)));
        let all = CornerIndex::from_bytes(&maze.mesh, &Filter::default(), &bytes);
        assert!(matches!(all, Err(IndexFileError::OtherFilter { .. })));
        assert!(matches!(load(b"WALKNAV\n"), Err(IndexFileError::NotAnIndex)));
        // Version 4 knew no passages without width, and lacks what their corners see.
        let mut older = bytes.clone();
        older[8..12].copy_from_slice(&4_u32.to_le_bytes());
        assert!(matches!(load(&older), Err(IndexFileError::Version(4))));
        for length in 0..bytes.len() {
            assert!(load(&bytes[..length]).is_err(), "cut at {length}");
        }
        // With the checksum made right, every number has to be judged by itself: no panic, whatever comes out.
        let (mut random, mut refused) = (Random(9), 0);
        for _ in 0..3000 {
            let mut damaged = bytes.clone();
            let at = HEADER + 36 + random.below(damaged.len() - HEADER - 36);
            damaged[at] = random.below(256) as u8;
            let hash = blake3::hash(&damaged[HEADER..]);
            damaged[20..HEADER].copy_from_slice(hash.as_bytes());
            let Ok(index) = load(&damaged) else {
                refused += 1;
                continue;
            };
            let (mut scratch, mut path) = (IndexScratch::default(), ShortestPath::default());
            let _ = index.find(&maze.mesh, maze.place(&mut random), maze.place(&mut random), &mut scratch, &mut path);
        }
        assert!(refused > 300, "{refused}");
    }
}
