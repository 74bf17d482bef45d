//! Writing binary glTF 2.0: accessors packed into one buffer, and the lists that refer to them.

use glam::{Mat4, Quat, Vec2, Vec3};
use serde_json::{Map, Value, json};

/// glTF's numbers of component types.
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
/// glTF's numbers of what views are for.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
/// Bytes of the header, and of the heads of both chunks.
const HEADS: usize = 12 + 8 + 8;

/// A file in the making.
#[derive(Clone, Debug, Default)]
pub struct GlbWriter {
    /// Lists of the document by name.
    lists: Map<String, Value>,
    binary: Vec<u8>,
}

impl GlbWriter {
    /// Appends an entry to a list of the document, such as `nodes`, and answers its index.
    pub fn push(&mut self, list: &str, entry: Value) -> usize {
        match self.lists.entry(list).or_insert_with(|| json!([])) {
            Value::Array(entries) => {
                entries.push(entry);
                entries.len() - 1
            }
            _ => 0,
        }
    }

    /// Names an extension that the file makes use of, once however often it is used.
    pub fn use_extension(&mut self, name: &str) {
        let is_named = |list: &Value| list.as_array().is_some_and(|names| names.iter().any(|known| known == name));
        if !self.lists.get("extensionsUsed").is_some_and(is_named) {
            self.push("extensionsUsed", json!(name));
        }
    }

    /// An entry that was appended, to be changed.
    pub fn entry(&mut self, list: &str, index: usize) -> Option<&mut Value> {
        self.lists.get_mut(list)?.get_mut(index)
    }

    /// Bytes so far, without the document.
    pub fn len(&self) -> usize {
        self.binary.len()
    }

    /// Whether nothing is written yet.
    pub fn is_empty(&self) -> bool {
        self.binary.is_empty() && self.lists.is_empty()
    }

    /// Bytes as they are, such as those of a picture; answers the index of their view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let offset = self.binary.len();
        self.binary.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    fn accessor(&mut self, bytes: &[u8], kind: &str, component: u32, count: usize) -> usize {
        let view = self.view(bytes);
        self.push("accessors", json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }))
    }

    fn floats(&mut self, values: impl Iterator<Item = f32>, kind: &str, count: usize) -> usize {
        let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        self.accessor(&bytes, kind, FLOAT, count)
    }

    /// Says that an accessor's view holds vertices or their indices, and answers the accessor.
    fn used_as(&mut self, target: u32, accessor: usize) -> usize {
        let view = self.entry("accessors", accessor).and_then(|entry| entry["bufferView"].as_u64());
        if let Some(entry) = view.and_then(|view| self.entry("bufferViews", view as usize)) {
            entry["target"] = json!(target);
        }
        accessor
    }

    fn set_range(&mut self, accessor: usize, low: &[f32], high: &[f32]) {
        if let Some(Value::Object(entry)) = self.entry("accessors", accessor) {
            entry.insert("min".into(), json!(low));
            entry.insert("max".into(), json!(high));
        }
    }

    /// Positions, with their range.
    pub fn positions(&mut self, values: &[Vec3]) -> usize {
        let accessor = self.normals(values);
        let low = values.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = values.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        self.set_range(accessor, &low.to_array(), &high.to_array());
        accessor
    }

    /// Normals.
    pub fn normals(&mut self, values: &[Vec3]) -> usize {
        let accessor = self.vectors(values);
        self.used_as(VERTICES, accessor)
    }

    /// Translations, scales.
    pub fn vectors(&mut self, values: &[Vec3]) -> usize {
        self.floats(values.iter().flat_map(|v| v.to_array()), "VEC3", values.len())
    }

    /// Texture coordinates.
    pub fn coordinates(&mut self, values: &[Vec2]) -> usize {
        let accessor = self.floats(values.iter().flat_map(|v| v.to_array()), "VEC2", values.len());
        self.used_as(VERTICES, accessor)
    }

    /// Rotations.
    pub fn rotations(&mut self, values: &[Quat]) -> usize {
        self.floats(values.iter().flat_map(|q| q.to_array()), "VEC4", values.len())
    }

    /// Weights of joints.
    pub fn weights(&mut self, values: &[[f32; 4]]) -> usize {
        let accessor = self.floats(values.iter().flatten().copied(), "VEC4", values.len());
        self.used_as(VERTICES, accessor)
    }

    /// Colours of vertices, linear.
    pub fn colors(&mut self, values: &[[u8; 4]]) -> usize {
        let accessor = self.accessor(values.as_flattened(), "VEC4", UNSIGNED_BYTE, values.len());
        if let Some(entry) = self.entry("accessors", accessor) {
            entry["normalized"] = json!(true);
        }
        self.used_as(VERTICES, accessor)
    }

    /// Inverse bind matrices.
    pub fn matrices(&mut self, values: &[Mat4]) -> usize {
        self.floats(values.iter().flat_map(|m| m.to_cols_array()), "MAT4", values.len())
    }

    /// Times of keys, ascending, with their range.
    pub fn times(&mut self, values: &[f32]) -> usize {
        let accessor = self.floats(values.iter().copied(), "SCALAR", values.len());
        let ends = [values.first(), values.last()].map(|end| end.copied().unwrap_or(0.0));
        self.set_range(accessor, &ends[..1], &ends[1..]);
        accessor
    }

    /// Numbers of vertices.
    pub fn indices(&mut self, values: &[u32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|i| i.to_le_bytes()).collect();
        let accessor = self.accessor(&bytes, "SCALAR", UNSIGNED_INT, values.len());
        self.used_as(INDICES, accessor)
    }

    /// Numbers of joints.
    pub fn joints(&mut self, values: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|j| j.to_le_bytes()).collect();
        let accessor = self.accessor(&bytes, "VEC4", UNSIGNED_SHORT, values.len());
        self.used_as(VERTICES, accessor)
    }

    /// The file, whose scene has these nodes at its root; `None` where it is larger than the format can say, 4 GiB.
    pub fn finish(mut self, roots: &[usize]) -> Option<Vec<u8>> {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut document = self.lists;
        document.insert("asset".into(), json!({ "version": "2.0", "generator": "Walkabout" }));
        document.insert("scene".into(), json!(0));
        // A list without entries is none in glTF.
        document.insert("scenes".into(), if roots.is_empty() { json!([{}]) } else { json!([{ "nodes": roots }]) });
        if !self.binary.is_empty() {
            document.insert("buffers".into(), json!([{ "byteLength": self.binary.len() }]));
        }
        let mut text = Value::Object(document).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = HEADS + text.len() + self.binary.len();
        let mut out = Vec::with_capacity(total);
        out.extend(b"glTF");
        out.extend(2u32.to_le_bytes());
        out.extend(u32::try_from(total).ok()?.to_le_bytes());
        for (kind, bytes) in [(b"JSON", &text), (b"BIN\0", &self.binary)] {
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(kind);
            out.extend_from_slice(bytes);
        }
        Some(out)
    }
}
