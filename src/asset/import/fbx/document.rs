//! The tree of an FBX file: read from binary files of version 6, written as a binary file of version 7.

use thiserror::Error;

/// What a binary file begins with, up to the marks of its byte order.
pub const MAGIC: &[u8] = b"Kaydara FBX Binary  \0\x1a";
/// The version that is written: the last that Assimp knows.
const WRITTEN_VERSION: u32 = 7400;
/// Deepest nodes within each other.
pub const MAX_DEPTH: usize = 64;
/// Bytes before a node's name, and those of the empty one behind the last of a list.
const NODE_HEAD_BYTES: usize = 13;

/// Nodes that hold only whole numbers: written as one array.
const WHOLE_ARRAYS: [&str; 12] = [
    "PolygonVertexIndex",
    "Edges",
    "NormalsIndex",
    "NormalIndex",
    "UVIndex",
    "ColorIndex",
    "TangentsIndex",
    "BinormalsIndex",
    "Materials",
    "Smoothing",
    "TextureId",
    "Indexes",
];
/// Nodes that hold only fractions.
const REAL_ARRAYS: [&str; 9] =
    ["Vertices", "Normals", "Binormals", "Tangents", "UV", "Colors", "Weights", "Transform", "TransformLink"];

/// Why a file of version 6 is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FbxFault {
    /// It ends within a node, or holds what is no node or value.
    #[error("it is FBX 6, cut off or damaged at byte {0}")]
    Damaged(usize),
    /// Nodes lie too deep within each other.
    #[error("it is FBX 6 with more than {limit} nodes within each other: it is damaged", limit = MAX_DEPTH)]
    TooDeep,
    /// It has no list of objects.
    #[error("it is FBX 6 without a list of objects: it is cut off or damaged")]
    NoObjects,
}

/// A value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum FbxValue {
    /// A whole number.
    Integer(i64),
    /// An id or a time: a whole number that always takes 64 bits.
    Long(i64),
    /// A fraction.
    Real(f64),
    /// A text.
    Text(Box<[u8]>),
    /// The bytes of an embedded file.
    Raw(Box<[u8]>),
    /// Whole numbers.
    Integers(Vec<i32>),
    /// Whole numbers of 64 bits.
    Longs(Vec<i64>),
    /// Fractions.
    Reals(Vec<f64>),
}

impl FbxValue {
    /// A text.
    pub fn text(text: &[u8]) -> Self {
        Self::Text(text.into())
    }

    /// A number as a fraction; `None` of texts and arrays.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Integer(whole) | Self::Long(whole) => Some(whole as f64),
            Self::Real(real) => Some(real),
            _ => None,
        }
    }

    /// A number without its fraction; `None` of texts and arrays.
    pub fn whole(&self) -> Option<i64> {
        match *self {
            Self::Integer(whole) | Self::Long(whole) => Some(whole),
            Self::Real(real) => Some(real as i64),
            _ => None,
        }
    }
}

/// A node with its values and the nodes below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FbxNode {
    /// Its kind, such as `Model` or `Vertices`.
    pub name: String,
    /// In the order of the file.
    pub values: Vec<FbxValue>,
    /// In the order of the file.
    pub children: Vec<FbxNode>,
}

impl FbxNode {
    /// A node with values.
    pub fn with_values(name: &str, values: Vec<FbxValue>) -> Self {
        Self { name: name.to_owned(), values, children: Vec::new() }
    }

    /// A node with nodes below it.
    pub fn with_children(name: &str, children: Vec<FbxNode>) -> Self {
        Self { name: name.to_owned(), values: Vec::new(), children }
    }

    /// A node as it is read, to which [`Self::push`] adds: the numbers of arrays lie close together from the first on.
    pub fn empty(name: &str) -> Self {
        let values = if WHOLE_ARRAYS.contains(&name) {
            vec![FbxValue::Integers(Vec::new())]
        } else if REAL_ARRAYS.contains(&name) {
            vec![FbxValue::Reals(Vec::new())]
        } else {
            Vec::new()
        };
        Self::with_values(name, values)
    }

    /// Adds a value behind the others. Texts do not belong into arrays and are passed over there.
    pub fn push(&mut self, value: FbxValue) {
        match self.values.first_mut() {
            Some(FbxValue::Integers(list)) => list.extend(value.whole().map(|whole| whole as i32)),
            Some(FbxValue::Reals(list)) => list.extend(value.number()),
            _ => self.values.push(value),
        }
    }

    /// Whether no value was added yet.
    pub fn is_without_values(&self) -> bool {
        match self.values.as_slice() {
            [] => true,
            [FbxValue::Integers(list)] => list.is_empty(),
            [FbxValue::Reals(list)] => list.is_empty(),
            _ => false,
        }
    }

    /// The first node below it of this kind.
    pub fn child(&self, name: &str) -> Option<&FbxNode> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text that is the value of this number.
    pub fn text(&self, value: usize) -> Option<&[u8]> {
        match self.values.get(value)? {
            FbxValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The array of whole numbers that it holds.
    pub fn integers(&self) -> &[i32] {
        match self.values.first() {
            Some(FbxValue::Integers(list)) => list,
            _ => &[],
        }
    }
}

/// Reads a binary file of version 6.
pub struct BinaryFbxReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BinaryFbxReader<'a> {
    /// Of a whole file that begins with [`MAGIC`].
    pub fn new(bytes: &'a [u8]) -> Self {
        // One byte of the byte order and four of the version.
        Self { bytes, at: MAGIC.len() + 5 }
    }

    /// The nodes of the file.
    ///
    /// # Errors
    /// [`FbxFault::Damaged`] or [`FbxFault::TooDeep`].
    pub fn read(&mut self) -> Result<Vec<FbxNode>, FbxFault> {
        self.nodes(self.bytes.len(), 0)
    }

    fn nodes(&mut self, end: usize, depth: usize) -> Result<Vec<FbxNode>, FbxFault> {
        if depth > MAX_DEPTH {
            return Err(FbxFault::TooDeep);
        }
        let mut nodes = Vec::new();
        while self.at < end {
            let start = self.at;
            let node_end = self.number()? as usize;
            let count = self.number()?;
            // The bytes of all values, which tell themselves how long they are.
            self.number()?;
            let name_bytes = self.take(1)?[0];
            if node_end == 0 {
                return Ok(nodes);
            }
            let name = String::from_utf8_lossy(self.take(usize::from(name_bytes))?);
            let mut node = FbxNode::empty(&name);
            for _ in 0..count {
                let value = self.value()?;
                node.push(value);
            }
            if node_end < self.at || node_end > end {
                return Err(FbxFault::Damaged(start));
            }
            if self.at < node_end {
                node.children = self.nodes(node_end, depth + 1)?;
            }
            self.at = node_end;
            nodes.push(node);
        }
        Ok(nodes)
    }

    fn value(&mut self) -> Result<FbxValue, FbxFault> {
        let start = self.at;
        let kind = self.take(1)?[0];
        Ok(match kind {
            // A letter, or whether something is.
            b'C' | b'B' => match self.take(1)?[0] {
                letter if letter.is_ascii_alphabetic() => FbxValue::text(&[letter]),
                number => FbxValue::Integer(i64::from(number)),
            },
            b'Y' => FbxValue::Integer(i64::from(i16::from_le_bytes(self.array()?))),
            b'I' => FbxValue::Integer(i64::from(i32::from_le_bytes(self.array()?))),
            b'L' => FbxValue::Integer(i64::from_le_bytes(self.array()?)),
            b'F' => FbxValue::Real(f64::from(f32::from_le_bytes(self.array()?))),
            b'D' => FbxValue::Real(f64::from_le_bytes(self.array()?)),
            b'S' | b'R' => {
                let length = self.number()? as usize;
                let bytes: Box<[u8]> = self.take(length)?.into();
                if kind == b'R' { FbxValue::Raw(bytes) } else { FbxValue::Text(bytes) }
            }
            _ => return Err(FbxFault::Damaged(start)),
        })
    }

    fn number(&mut self) -> Result<u32, FbxFault> {
        self.array().map(u32::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FbxFault> {
        let mut bytes = [0_u8; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], FbxFault> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.get(..count)).ok_or(FbxFault::Damaged(self.at))?;
        self.at += count;
        Ok(bytes)
    }
}

/// The file of a tree.
pub fn written(nodes: &[FbxNode]) -> Vec<u8> {
    let mut out = [MAGIC, &[0]].concat();
    out.extend(WRITTEN_VERSION.to_le_bytes());
    for node in nodes {
        write_node(node, &mut out);
    }
    out.extend([0_u8; NODE_HEAD_BYTES]);
    out
}

fn write_node(node: &FbxNode, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0_u8; NODE_HEAD_BYTES - 1]);
    let name = &node.name.as_bytes()[..node.name.len().min(usize::from(u8::MAX))];
    out.push(name.len() as u8);
    out.extend(name);
    let values_start = out.len();
    for value in &node.values {
        write_value(value, out);
    }
    let value_bytes = out.len() - values_start;
    // A list without nodes, too, has its end, where the node has no values: readers ask for the list of some.
    if !node.children.is_empty() || node.values.is_empty() {
        for child in &node.children {
            write_node(child, out);
        }
        out.extend([0_u8; NODE_HEAD_BYTES]);
    }
    let head = [out.len(), node.values.len(), value_bytes].map(|number| (number as u32).to_le_bytes());
    out[start..start + NODE_HEAD_BYTES - 1].copy_from_slice(&head.concat());
}

fn write_value(value: &FbxValue, out: &mut Vec<u8>) {
    match value {
        FbxValue::Integer(whole) => match i32::try_from(*whole) {
            Ok(whole) => write_scalar(b'I', &whole.to_le_bytes(), out),
            Err(_) => write_scalar(b'L', &whole.to_le_bytes(), out),
        },
        FbxValue::Long(whole) => write_scalar(b'L', &whole.to_le_bytes(), out),
        FbxValue::Real(real) => write_scalar(b'D', &real.to_le_bytes(), out),
        FbxValue::Text(bytes) | FbxValue::Raw(bytes) => {
            let kind = if matches!(value, FbxValue::Raw(_)) { b'R' } else { b'S' };
            write_scalar(kind, &(bytes.len() as u32).to_le_bytes(), out);
            out.extend_from_slice(bytes);
        }
        FbxValue::Integers(list) => write_array(b'i', list.iter().map(|number| number.to_le_bytes()), out),
        FbxValue::Longs(list) => write_array(b'l', list.iter().map(|number| number.to_le_bytes()), out),
        FbxValue::Reals(list) => write_array(b'd', list.iter().map(|number| number.to_le_bytes()), out),
    }
}

fn write_scalar(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(bytes);
}

/// An array that is not compressed.
fn write_array<const N: usize>(kind: u8, numbers: impl ExactSizeIterator<Item = [u8; N]>, out: &mut Vec<u8>) {
    out.push(kind);
    for number in [numbers.len(), 0, numbers.len() * N] {
        out.extend((number as u32).to_le_bytes());
    }
    numbers.for_each(|number| out.extend(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8]) -> Result<Vec<FbxNode>, FbxFault> {
        BinaryFbxReader::new(file).read()
    }

    fn model() -> FbxNode {
        let raw = FbxValue::Raw(Box::new([1, 2]));
        let values = vec![FbxValue::text(b"cube\0\x01Model"), FbxValue::Integer(1 << 40), FbxValue::Real(0.5), raw];
        let inner = FbxNode::with_values("Version", vec![FbxValue::Integer(-7)]);
        FbxNode { children: vec![inner], ..FbxNode::with_values("Model", values) }
    }

    #[test]
    fn trees_come_back_as_they_were_written() {
        let nodes = [model(), FbxNode::with_children("Properties70", Vec::new())];
        assert_eq!(read(&written(&nodes)).unwrap(), nodes);
        let array = written(&[FbxNode::with_values("UV", vec![FbxValue::Reals(vec![0.25, 1.0])])]);
        let head = [&b"UVd\x02\0\0\0\0\0\0\0\x10\0\0\0"[..], &0.25_f64.to_le_bytes()].concat();
        assert!(memchr::memmem::find(&array, &head).is_some(), "{array:?}");
    }

    #[test]
    fn numbers_of_arrays_lie_together() {
        let mut node = FbxNode::empty("Vertices");
        assert!(node.is_without_values());
        [FbxValue::Integer(2), FbxValue::text(b"x"), FbxValue::Real(0.5)].into_iter().for_each(|v| node.push(v));
        assert_eq!(node.values, [FbxValue::Reals(vec![2.0, 0.5])]);
        let mut node = FbxNode::empty("Edges");
        [FbxValue::Integer(-3), FbxValue::Real(4.0)].into_iter().for_each(|v| node.push(v));
        assert_eq!(node.integers(), [-3, 4]);
    }

    #[test]
    fn damaged_files_are_faults() {
        let whole = written(&[model()]);
        for length in MAGIC.len() + 5..whole.len() - NODE_HEAD_BYTES {
            // Short of the whole, none is taken for a file.
            assert!(read(&whole[..length]).unwrap_or_default().is_empty(), "{length}");
        }
        let mut deep = FbxNode::with_children("a", Vec::new());
        for _ in 0..MAX_DEPTH + 1 {
            deep = FbxNode::with_children("a", vec![deep]);
        }
        assert_eq!(read(&written(&[deep])), Err(FbxFault::TooDeep));
        let mut unknown = written(&[FbxNode::with_values("a", vec![FbxValue::Real(0.5)])]);
        let kind = MAGIC.len() + 5 + NODE_HEAD_BYTES + 1;
        unknown[kind] = b'?';
        assert_eq!(read(&unknown), Err(FbxFault::Damaged(kind)));
    }
}
