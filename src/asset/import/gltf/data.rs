//! The binary data of a glTF file, and what is decoded of it into a buffer of its own.

use super::super::guard::GltfFault;
use super::super::limits;
pub use super::super::ranges::data_fault;
use super::super::uri::data_of;
use crate::disk::{base64, read_inside};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Name under which Assimp opens the decoded buffer.
pub const DECODED_FILE: &str = "walkabout-decoded.bin";
/// Most bytes that the compressed parts of a file may take when they are decoded.
pub const MAX_DECODED_BYTES: u64 = 1 << 30;

/// A run of bytes in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct ByteRange {
    /// Index of the buffer.
    pub buffer: usize,
    /// First byte.
    pub offset: usize,
    /// Number of bytes.
    pub length: usize,
}

/// The buffers of a file.
pub struct GltfData<'a> {
    folder: &'a Path,
    binary_chunk: Option<&'a [u8]>,
    loaded: HashMap<usize, Vec<u8>>,
    decoded: Vec<u8>,
    decoded_buffer: usize,
}

impl<'a> GltfData<'a> {
    /// The buffers of `root`, of which the first may be the chunk of a binary file.
    pub fn new(folder: &'a Path, binary_chunk: Option<&'a [u8]>, root: &Value) -> Self {
        let decoded_buffer = root.get("buffers").and_then(Value::as_array).map_or(0, Vec::len);
        Self { folder, binary_chunk, loaded: HashMap::new(), decoded: Vec::new(), decoded_buffer }
    }

    /// The bytes of a buffer view.
    ///
    /// # Errors
    /// It does not exist, or reaches beyond its buffer.
    pub fn view(&mut self, root: &Value, view: usize) -> Result<&[u8], GltfFault> {
        let fault = |reason: &str| data_fault("bufferView", view, reason);
        let value = root.get("bufferViews").and_then(|views| views.get(view)).ok_or_else(|| fault("does not exist"))?;
        let buffer = index(value, "buffer").ok_or_else(|| fault("names no buffer"))?;
        let length = index(value, "byteLength").ok_or_else(|| fault("has no length"))?;
        let range = ByteRange { buffer, offset: index(value, "byteOffset").unwrap_or(0), length };
        self.range(root, range)?.ok_or_else(|| fault("reaches beyond its buffer"))
    }

    /// A run of bytes; `None` where the buffer is shorter.
    ///
    /// # Errors
    /// The buffer cannot be read.
    pub fn range(&mut self, root: &Value, range: ByteRange) -> Result<Option<&[u8]>, GltfFault> {
        let bytes = if range.buffer == self.decoded_buffer { &self.decoded } else { self.buffer(root, range.buffer)? };
        Ok(range.offset.checked_add(range.length).and_then(|end| bytes.get(range.offset..end)))
    }

    /// The bytes of a buffer.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn buffer(&mut self, root: &Value, buffer: usize) -> Result<&[u8], GltfFault> {
        let fault = |reason: &str| data_fault("buffer", buffer, reason);
        let value = root.get("buffers").and_then(|list| list.get(buffer)).ok_or_else(|| fault("does not exist"))?;
        let Some(uri) = value.get("uri").and_then(Value::as_str) else {
            return self.binary_chunk.filter(|_| buffer == 0).ok_or_else(|| fault("has no data"));
        };
        if !self.loaded.contains_key(&buffer) {
            let bytes = match data_of(uri) {
                Some(data) => {
                    let text = data.split_once(";base64,").map_or("", |(_, text)| text);
                    base64::decode(text).ok_or_else(|| fault("is not base64"))?
                }
                None => read_inside(self.folder, Path::new(uri), limits::FILE_BYTES)
                    .map_err(|e| fault(&format!("({uri}) cannot be read: {e}")))?,
            };
            self.loaded.insert(buffer, bytes);
        }
        Ok(&self.loaded[&buffer])
    }

    /// Whether so many more bytes may be decoded.
    ///
    /// # Errors
    /// [`GltfFault::TooMuchDecoded`].
    pub fn check_room(&self, more: u64) -> Result<(), GltfFault> {
        let bytes = (self.decoded.len() as u64).saturating_add(more);
        let limit = MAX_DECODED_BYTES;
        if bytes > limit { Err(GltfFault::TooMuchDecoded { bytes, limit }) } else { Ok(()) }
    }

    /// Keeps decoded bytes, and returns a buffer view of them.
    ///
    /// # Errors
    /// [`GltfFault::TooMuchDecoded`].
    pub fn keep(&mut self, bytes: &[u8]) -> Result<Value, GltfFault> {
        self.check_room(bytes.len() as u64 + 4)?;
        self.decoded.resize(self.decoded.len().next_multiple_of(4), 0);
        let offset = self.decoded.len();
        self.decoded.extend_from_slice(bytes);
        Ok(json!({"buffer": self.decoded_buffer, "byteOffset": offset, "byteLength": bytes.len()}))
    }

    /// Keeps decoded bytes, and returns the index of a new buffer view of them.
    ///
    /// # Errors
    /// [`GltfFault::TooMuchDecoded`].
    pub fn keep_as_view(&mut self, root: &mut Value, bytes: &[u8]) -> Result<usize, GltfFault> {
        let view = self.keep(bytes)?;
        let views = root.get_mut("bufferViews").and_then(Value::as_array_mut);
        let views = views.ok_or_else(|| data_fault("bufferView", 0, "does not exist"))?;
        views.push(view);
        Ok(views.len() - 1)
    }

    /// Lists the decoded buffer in the file, empties those that only stand in for it, and returns its bytes.
    pub fn finish(self, root: &mut Value) -> Vec<u8> {
        if let Some(buffers) = root.get_mut("buffers").and_then(Value::as_array_mut) {
            for (i, buffer) in buffers.iter_mut().enumerate() {
                if buffer.get("uri").is_none() && (i > 0 || self.binary_chunk.is_none()) {
                    *buffer = json!({"byteLength": 0});
                }
            }
            if !self.decoded.is_empty() {
                buffers.push(json!({"byteLength": self.decoded.len(), "uri": DECODED_FILE}));
            }
        }
        self.decoded
    }
}

/// A number of a JSON object that counts or is an index.
pub fn index(value: &Value, key: &str) -> Option<usize> {
    usize::try_from(value.get(key)?.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_read_from_texts_and_bounded() {
        let root = json!({"buffers": [{"uri": "data:;base64,Zm9vYg=="}],
            "bufferViews": [{"buffer": 0, "byteOffset": 1, "byteLength": 2}, {"buffer": 0, "byteLength": 5}]});
        let mut data = GltfData::new(Path::new("."), None, &root);
        assert_eq!(data.view(&root, 0).unwrap(), b"oo");
        for view in [1, 2] {
            assert!(
                matches!(data.view(&root, view), Err(GltfFault::Data { element: "bufferView", index, .. }) if index == view)
            );
        }
        assert!(matches!(data.check_room(MAX_DECODED_BYTES + 1), Err(GltfFault::TooMuchDecoded { .. })));
    }
}
