//! Checks that views, accessors and samplers of a glTF lie within what they are parts of: the importer adds offsets as they
//! are, and reads before or behind its memory where a sum overflows.

use super::gltf_fault::GltfFault;
use serde_json::Value;

/// The elements of a list of a glTF, with their numbers.
pub fn items<'a>(root: &'a Value, list: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    root.get(list).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// Bytes of a component type (glTF 2.0, section 3.6.2.2).
pub fn component_bytes(kind: usize) -> Option<usize> {
    match kind {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

/// Bytes of an element of an accessor; `None` where its type is unknown.
pub fn element_bytes(accessor: &Value) -> Option<u64> {
    let components = match accessor.get("type")?.as_str()? {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    };
    Some(components * component_bytes(usize::try_from(number(accessor, "componentType")?).ok()?)? as u64)
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

/// The fault of an element of a list.
pub fn data_fault(element: &'static str, index: usize, reason: impl Into<String>) -> GltfFault {
    GltfFault::Data { element, index, reason: reason.into() }
}

/// Checks all views, accessors and samplers.
///
/// # Errors
/// [`GltfFault::Data`] names the first that reaches beyond what it is a part of, with figures.
pub fn check_ranges(root: &Value) -> Result<(), GltfFault> {
    items(root, "bufferViews").try_for_each(|(i, view)| check_view(root, i, view))?;
    items(root, "accessors").try_for_each(|(i, accessor)| check_accessor(root, i, accessor))?;
    items(root, "animations").try_for_each(|(i, animation)| check_samplers(root, i, animation))
}

fn check_view(root: &Value, i: usize, view: &Value) -> Result<(), GltfFault> {
    let (offset, length) = (number(view, "byteOffset").unwrap_or(0), number(view, "byteLength").unwrap_or(0));
    let buffer = number(view, "buffer").unwrap_or(u64::MAX);
    // The chunk of a binary file may be longer than the file says.
    let of_file = usize::try_from(buffer).ok().and_then(|buffer| root.get("buffers")?.get(buffer));
    let room = of_file.filter(|buffer| buffer.get("uri").is_some()).and_then(|buffer| number(buffer, "byteLength"));
    let end = offset.checked_add(length).filter(|&end| end <= room.unwrap_or(i64::MAX as u64));
    if end.is_some() {
        return Ok(());
    }
    let has = room.map_or_else(String::new, |room| format!(", which has {room}"));
    Err(data_fault(
        "bufferView",
        i,
        format!("begins at byte {offset} and is {length} bytes long, beyond the end of buffer {buffer}{has}"),
    ))
}

/// Checks that `length` bytes from `offset` on lie in a view; `what` takes them.
fn check_in_view(
    root: &Value,
    (accessor, what): (usize, &str),
    view: u64,
    (offset, length): (u64, Option<u64>),
) -> Result<(), GltfFault> {
    let found = usize::try_from(view).ok().and_then(|view| root.get("bufferViews")?.get(view));
    let Some(room) = found.map(|view| number(view, "byteLength").unwrap_or(0)) else {
        return Err(data_fault("accessor", accessor, format!("{what} in bufferView {view}, which does not exist")));
    };
    let end = length.and_then(|length| offset.checked_add(length));
    if end.is_some_and(|end| end <= room) {
        return Ok(());
    }
    let end = end.map_or_else(|| "more than can be counted".to_owned(), |end| format!("byte {end}"));
    let reason = format!("{what} from byte {offset} to {end} of bufferView {view}, which has {room} bytes");
    Err(data_fault("accessor", accessor, reason))
}

fn check_accessor(root: &Value, i: usize, accessor: &Value) -> Result<(), GltfFault> {
    let (Some(element), count) = (element_bytes(accessor), number(accessor, "count").unwrap_or(0)) else {
        return Ok(());
    };
    if let Some(view) = number(accessor, "bufferView") {
        let of_file = usize::try_from(view).ok().and_then(|view| root.get("bufferViews")?.get(view));
        // Some write 0 for elements without gaps.
        let stride = of_file.and_then(|view| number(view, "byteStride")).filter(|&stride| stride > 0);
        let stride = stride.unwrap_or(element);
        if stride < element {
            let reason =
                format!("has elements of {element} bytes, but the byteStride of bufferView {view} is {stride}");
            return Err(data_fault("accessor", i, reason));
        }
        let length = match count.checked_sub(1) {
            Some(gaps) => gaps.checked_mul(stride).and_then(|gaps| gaps.checked_add(element)),
            None => Some(0),
        };
        let offset = number(accessor, "byteOffset").unwrap_or(0);
        check_in_view(root, (i, "has its elements"), view, (offset, length))?;
    }
    let Some(sparse) = accessor.get("sparse") else { return Ok(()) };
    let replaced = number(sparse, "count").unwrap_or(0);
    let index_kind = sparse.get("indices").and_then(|part| number(part, "componentType")).unwrap_or(0);
    let index_bytes = usize::try_from(index_kind).ok().and_then(component_bytes).unwrap_or(0) as u64;
    for (name, what, bytes) in
        [("indices", "has its sparse indices", index_bytes), ("values", "has its sparse values", element)]
    {
        let Some((part, view)) = sparse.get(name).and_then(|part| Some((part, number(part, "bufferView")?))) else {
            continue;
        };
        let offset = number(part, "byteOffset").unwrap_or(0);
        check_in_view(root, (i, what), view, (offset, replaced.checked_mul(bytes)))?;
    }
    Ok(())
}

/// Checks that there are values for all keys of a clip: the importer goes by the number of times.
fn check_samplers(root: &Value, i: usize, animation: &Value) -> Result<(), GltfFault> {
    for (s, sampler) in items(animation, "samplers") {
        let count = |key: &str| {
            let accessor = usize::try_from(number(sampler, key)?).ok()?;
            number(root.get("accessors")?.get(accessor)?, "count")
        };
        let (Some(keys), Some(values)) = (count("input"), count("output")) else { continue };
        let is_cubic = sampler.get("interpolation").is_some_and(|name| name == "CUBICSPLINE");
        let needed = keys.saturating_mul(if is_cubic { 3 } else { 1 });
        if values < needed {
            let reason =
                format!("has a sampler {s} with {keys} keys, which need {needed} values, and {values} of them");
            return Err(data_fault("animation", i, reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file() -> Value {
        json!({
            "buffers": [{"byteLength": 48, "uri": "a.bin"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                {"componentType": 5126, "count": 9, "type": "VEC3", "sparse": {"count": 1,
                    "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 1}}}],
            "animations": [{"samplers": [{"input": 0, "output": 1, "interpolation": "CUBICSPLINE"}]}]
        })
    }

    #[test]
    fn what_reaches_beyond_its_buffer_is_named_with_figures() {
        assert_eq!(check_ranges(&file()), Ok(()));
        let huge = u64::MAX - 3;
        for (place, value, said) in [
            (
                "/bufferViews/1/byteLength",
                13,
                "bufferView 1 begins at byte 36 and is 13 bytes long, beyond the end of buffer 0, which has 48",
            ),
            ("/bufferViews/1/byteOffset", huge, "bufferView 1 begins at byte 18446744073709551612 and is 12 bytes"),
            (
                "/accessors/0/byteOffset",
                huge,
                "accessor 0 has its elements from byte 18446744073709551612 to more than can be counted",
            ),
            ("/accessors/0/byteOffset", 4, "from byte 4 to byte 40 of bufferView 0, which has 36 bytes"),
            ("/accessors/0/count", 4, "from byte 0 to byte 48 of bufferView 0, which has 36"),
            ("/accessors/0/count", huge, "to more than can be counted of bufferView 0"),
            ("/accessors/0/bufferView", 7, "in bufferView 7, which does not exist"),
            (
                "/accessors/1/sparse/values/byteOffset",
                huge,
                "accessor 1 has its sparse values from byte 18446744073709551612",
            ),
            ("/accessors/1/sparse/indices/byteOffset", 11, "accessor 1 has its sparse indices from byte 11 to byte 13"),
            ("/bufferViews/0/byteStride", 1, "elements of 12 bytes, but the byteStride of bufferView 0 is 1"),
            ("/accessors/1/count", 8, "animation 0 has a sampler 0 with 3 keys, which need 9 values, and 8 of them"),
        ] {
            let mut root = file();
            let (parent, key) = place.rsplit_once('/').unwrap();
            root.pointer_mut(parent).unwrap()[key] = value.into();
            let error = check_ranges(&root).unwrap_err().to_string();
            assert!(error.contains(said), "{place}: {error}");
        }
        let mut zero = file();
        zero["bufferViews"][0]["byteStride"] = 0.into();
        assert_eq!(check_ranges(&zero), Ok(()), "without gaps");
    }
}
