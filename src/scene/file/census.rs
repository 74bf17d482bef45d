//! A first walk through the text that builds nothing: it refuses what would blow up memory (aliases that multiply)
//! or silently lose something (a key given twice, tags).

use crate::scene::limits::MAX_KEY;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

/// Deepest nesting before the text is refused unread: a reader takes time with the square of the depth.
const MAX_DEPTH: usize = 1000;

/// Walks through `text`.
///
/// # Errors
/// Not YAML; nested too deeply; a key twice in one map; a tag; aliases that repeat more than was written.
pub fn check(text: &str) -> Result<(), serde_yaml::Error> {
    if let Some(line) = too_deep(text) {
        return Err(serde_yaml::Error::custom(format!("too many brackets or dashes are open at line {line}")));
    }
    // Without aliases every node takes at least a character, but for empty values after a key.
    let left = Cell::new(2 * text.len() + 1000);
    CensusNode { left: &left }.deserialize(serde_yaml::Deserializer::from_str(text))
}

/// The line on which more brackets are open, or more one-line list marks stand, than any scene has. Quotes and
/// comments count too: no name holds that many.
fn too_deep(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (number, line) in text.lines().enumerate() {
        let mut marks = 0_usize;
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                b'-' | b'?' | b':' if line.as_bytes().get(at + 1).is_none_or(u8::is_ascii_whitespace) => marks += 1,
                b' ' | b'\t' => {}
                _ => marks = 0,
            }
            if open.max(marks) > MAX_DEPTH {
                return Some(number + 1);
            }
        }
    }
    None
}

#[derive(Clone, Copy)]
struct CensusNode<'a> {
    left: &'a Cell<usize>,
}

impl CensusNode<'_> {
    fn count<E: Error>(self) -> Result<(), E> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| E::custom("aliases ('*name') repeat too much; write the values out"))?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for CensusNode<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! leaves {
    ($($visit:ident: $kind:ty),+) => {
        $(fn $visit<E: Error>(self, _: $kind) -> Result<(), E> {
            self.count()
        })+
    };
}

impl<'de> Visitor<'de> for CensusNode<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a scene")
    }

    leaves!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.count()
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.count()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.count()?;
        while list.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.count()?;
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            self.count()?;
            if key.len() > MAX_KEY {
                return Err(A::Error::custom(format!("a key of {} bytes; at most {MAX_KEY} are allowed", key.len())));
            }
            map.next_value_seed(self)?;
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format!("the key '{twice}' is given twice; remove one")));
            }
        }
        Ok(())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(A::Error::custom("tags ('!name') have no place in scene files; remove it"))
    }
}
