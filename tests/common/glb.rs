//! Binary glTF files.

use serde_json::Value;

/// A binary glTF whose only buffer, if it has one, is `data` (specification 2.0, section 4.4).
pub fn binary_gltf(json: &Value, data: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], bytes: &[u8], filled_by: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), filled_by);
        [&(bytes.len() as u32).to_le_bytes()[..], kind, &bytes].concat()
    };
    let chunks = [chunk(b"JSON", json.to_string().as_bytes(), b' '), chunk(b"BIN\0", data, 0)].concat();
    [&b"glTF"[..], &2_u32.to_le_bytes(), &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
}
