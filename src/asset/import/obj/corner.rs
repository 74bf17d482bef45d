//! Words of an OBJ file: numbers, and corners of faces.

/// An index that is not given.
pub const NONE: u32 = u32::MAX;

/// A corner of a face: indices of vertex, texture coordinate and normal; the last two may be [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjCorner {
    /// Index of the vertex.
    pub vertex: u32,
    /// Index of the texture coordinate.
    pub uv: u32,
    /// Index of the normal.
    pub normal: u32,
}

impl ObjCorner {
    /// Reads `v`, `v/vt`, `v//vn` or `v/vt/vn`: counted from 1, or backwards from the last of `counts` so far (vertices,
    /// texture coordinates, normals). `None` for anything else, and for what is not there yet.
    pub fn read(word: &[u8], counts: [usize; 3]) -> Option<Self> {
        let mut parts = word.split(|&b| b == b'/');
        let vertex = index(parts.next()?, counts[0])?;
        let mut optional = |count: usize| match parts.next() {
            None | Some(b"") => Some(NONE),
            Some(part) => index(part, count),
        };
        let corner = Self { vertex, uv: optional(counts[1])?, normal: optional(counts[2])? };
        parts.next().is_none().then_some(corner)
    }
}

fn index(digits: &[u8], count: usize) -> Option<u32> {
    let (is_negative, digits) = match digits.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let mut value = 0_usize;
    for &digit in digits {
        value = value * 10 + usize::from(digit.checked_sub(b'0').filter(|&d| d < 10)?);
    }
    let index = if is_negative { count.checked_sub(value)? } else { value.checked_sub(1)? };
    (index < count).then_some(index as u32)
}

/// The words of a line, up to a comment.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| b == b' ' || b == b'\t').filter(|word| !word.is_empty()).take_while(|word| word[0] != b'#')
}

/// The finite numbers of a line; `None` where a word is none, or there are more than six.
pub fn numbers(line: &[u8]) -> Option<([f32; 6], usize)> {
    let (mut values, mut count) = ([0.0; 6], 0);
    for word in words(line) {
        let value: f32 = std::str::from_utf8(word).ok()?.parse().ok()?;
        *values.get_mut(count).filter(|_| value.is_finite())? = value;
        count += 1;
    }
    Some((values, count))
}
