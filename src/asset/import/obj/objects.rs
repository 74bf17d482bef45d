//! Very many objects in an OBJ file: Assimp compares the name of each with those of all before it.

use memchr::memchr_iter;

/// Objects from which on they are read as groups, of which Assimp keeps a table: both make a node and its meshes.
const MANY_OBJECTS: usize = 5000;

/// A text with groups in place of its objects; `None` where they are few.
pub fn as_groups(text: &[u8]) -> Option<Vec<u8>> {
    let starts = || std::iter::once(0).chain(memchr_iter(b'\n', text).map(|end| end + 1));
    let is_object = |start: &usize| matches!(text.get(*start..), Some([b'o', b' ' | b'\t', ..]));
    if starts().filter(is_object).take(MANY_OBJECTS).count() < MANY_OBJECTS {
        return None;
    }
    let mut out = text.to_vec();
    starts().filter(is_object).for_each(|start| out[start] = b'g');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_objects_are_groups() {
        let text =
            |key: &str| format!("v 0 0 0\n{key} box\noff\n{}f 1 1 1", format!("{key}\tother\n").repeat(MANY_OBJECTS));
        assert_eq!(as_groups(text("o").as_bytes()).unwrap(), text("g").as_bytes());
        assert_eq!(as_groups(b"o a\no b\n"), None);
    }
}
