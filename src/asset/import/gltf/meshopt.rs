//! Buffer views compressed by meshoptimizer (`EXT_meshopt_compression`, `KHR_meshopt_compression`).

use super::super::guard::{GltfFault, MESHOPT};
use super::data::{ByteRange, GltfData, data_fault, index};
use meshopt::ffi;
use serde_json::Value;

/// Decodes all compressed buffer views in their places. Returns whether there were any.
///
/// # Errors
/// A view is damaged, or the file asks for too much memory.
pub fn decode(root: &mut Value, data: &mut GltfData) -> Result<bool, GltfFault> {
    let mut changed = false;
    for view in 0..root.get("bufferViews").and_then(Value::as_array).map_or(0, Vec::len) {
        let old = &root["bufferViews"][view];
        let Some(compressed) = MESHOPT.iter().find_map(|name| old.get("extensions")?.get(name)) else { continue };
        let layout = CompressedLayout::read(compressed).ok_or_else(|| {
            data_fault(
                "bufferView",
                view,
                "is compressed by meshoptimizer with values that the extension does not allow",
            )
        })?;
        data.check_room(layout.bytes() as u64)?;
        let source = data.range(root, layout.source)?;
        let damaged = || data_fault("bufferView", view, "is compressed by meshoptimizer and damaged");
        let bytes = source.and_then(|bytes| layout.decode(bytes)).ok_or_else(damaged)?;
        let mut new = data.keep(&bytes)?;
        if let Some(stride) = root["bufferViews"][view].get("byteStride") {
            new["byteStride"] = stride.clone();
        }
        root["bufferViews"][view] = new;
        changed = true;
    }
    Ok(changed)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum MeshoptCodec {
    Attributes(MeshoptFilter),
    Triangles,
    Indices,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum MeshoptFilter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// What the extension says of a view; all its rules hold (KHR_meshopt_compression, JSON schema updates).
#[derive(Clone, Copy, Debug)]
struct CompressedLayout {
    source: ByteRange,
    stride: usize,
    count: usize,
    codec: MeshoptCodec,
}

impl CompressedLayout {
    fn read(value: &Value) -> Option<Self> {
        let source = ByteRange {
            buffer: index(value, "buffer")?,
            offset: index(value, "byteOffset").unwrap_or(0),
            length: index(value, "byteLength")?,
        };
        let (stride, count) = (index(value, "byteStride")?, index(value, "count")?);
        let filter = match value.get("filter").and_then(Value::as_str).unwrap_or("NONE") {
            "NONE" => MeshoptFilter::None,
            "OCTAHEDRAL" => MeshoptFilter::Octahedral,
            "QUATERNION" => MeshoptFilter::Quaternion,
            "EXPONENTIAL" => MeshoptFilter::Exponential,
            "COLOR" => MeshoptFilter::Color,
            _ => return None,
        };
        let codec = match value.get("mode").and_then(Value::as_str)? {
            "ATTRIBUTES" => MeshoptCodec::Attributes(filter),
            "TRIANGLES" => MeshoptCodec::Triangles,
            "INDICES" => MeshoptCodec::Indices,
            _ => return None,
        };
        let fits = match codec {
            MeshoptCodec::Attributes(MeshoptFilter::Octahedral | MeshoptFilter::Color) => stride == 4 || stride == 8,
            MeshoptCodec::Attributes(MeshoptFilter::Quaternion) => stride == 8,
            MeshoptCodec::Attributes(_) => stride.is_multiple_of(4) && (4..=256).contains(&stride),
            MeshoptCodec::Triangles => count.is_multiple_of(3) && (stride == 2 || stride == 4),
            MeshoptCodec::Indices => stride == 2 || stride == 4,
        };
        (fits && count.checked_mul(stride).is_some()).then_some(Self { source, stride, count, codec })
    }

    fn bytes(&self) -> usize {
        self.count * self.stride
    }

    /// `None` for damaged data.
    fn decode(&self, from: &[u8]) -> Option<Vec<u8>> {
        // Whole words, so that the filters find their numbers aligned.
        let mut words = vec![0_u64; self.bytes().div_ceil(8)];
        let (count, stride, to) = (self.count, self.stride, words.as_mut_ptr().cast());
        // SAFETY: `to` has room for `count` elements of `stride` bytes, and the stride is one that the decoder takes;
        // it checks the bytes that it reads, of which there are as many as it is told.
        let result = unsafe {
            match self.codec {
                MeshoptCodec::Attributes(_) => {
                    ffi::meshopt_decodeVertexBuffer(to, count, stride, from.as_ptr(), from.len())
                }
                MeshoptCodec::Triangles => ffi::meshopt_decodeIndexBuffer(to, count, stride, from.as_ptr(), from.len()),
                MeshoptCodec::Indices => ffi::meshopt_decodeIndexSequence(to, count, stride, from.as_ptr(), from.len()),
            }
        };
        if result != 0 {
            return None;
        }
        if let MeshoptCodec::Attributes(filter) = self.codec {
            // SAFETY: as above; the strides are those that each filter takes.
            unsafe {
                match filter {
                    MeshoptFilter::None => {}
                    MeshoptFilter::Octahedral => ffi::meshopt_decodeFilterOct(to, count, stride),
                    MeshoptFilter::Quaternion => ffi::meshopt_decodeFilterQuat(to, count, stride),
                    MeshoptFilter::Exponential => ffi::meshopt_decodeFilterExp(to, count, stride),
                    MeshoptFilter::Color => ffi::meshopt_decodeFilterColor(to, count, stride),
                }
            }
        }
        Some(bytemuck::cast_slice(&words)[..self.bytes()].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn layouts_that_the_extension_forbids_are_refused() {
        let layout = |stride: u64, count: u64, mode: &str, filter: &str| {
            CompressedLayout::read(&json!({"buffer": 0, "byteLength": 9, "byteStride": stride, "count": count,
                "mode": mode, "filter": filter}))
        };
        assert!(layout(16, 3, "ATTRIBUTES", "NONE").is_some());
        for (stride, count, mode, filter) in [
            (6, 3, "ATTRIBUTES", "NONE"),
            (260, 3, "ATTRIBUTES", "NONE"),
            (0, 3, "ATTRIBUTES", "EXPONENTIAL"),
            (16, 3, "ATTRIBUTES", "QUATERNION"),
            (12, 3, "ATTRIBUTES", "OCTAHEDRAL"),
            (4, 4, "TRIANGLES", "NONE"),
            (8, 3, "INDICES", "NONE"),
            (4, 3, "POINTS", "NONE"),
            (8, u64::MAX, "ATTRIBUTES", "NONE"),
        ] {
            assert!(layout(stride, count, mode, filter).is_none(), "{stride} {count} {mode} {filter}");
        }
    }
}
