//! The text of Godot's resources and scenes: tags in square brackets, each followed by lines `key = value`.

use super::super::ExchangeError;

/// Most sections of a text: an empty tag takes many times as much memory as text.
const MAX_SECTIONS: usize = 1 << 20;

/// A tag with what follows it.
#[derive(Debug, Default)]
pub struct GodotSection<'a> {
    /// What stands in its brackets.
    pub tag: &'a str,
    /// Keys and the texts of their values.
    pub values: Vec<GodotValue<'a>>,
}

/// A key and the text of its value.
#[derive(Clone, Copy, Debug)]
pub struct GodotValue<'a> {
    /// The key.
    pub key: &'a str,
    /// The text.
    pub text: &'a str,
}

impl<'a> GodotSection<'a> {
    /// The first word of the tag: what it is.
    pub fn kind(&self) -> &'a str {
        self.tag.split_whitespace().next().unwrap_or("")
    }

    /// An attribute of the tag, without quotes.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.tag;
        while let Some(at) = rest.find('=') {
            let key = rest[..at].split_whitespace().next_back().unwrap_or("");
            let text = &rest[at + 1..];
            let end = extent(text, |c| c == ' ');
            if key == name {
                return Some(text[..end].trim().trim_matches('"'));
            }
            rest = &text[end..];
        }
        None
    }

    /// The text of a value.
    pub fn value(&self, key: &str) -> Option<&'a str> {
        self.values.iter().find(|v| v.key == key).map(|v| v.text)
    }
}

/// Bytes up to a character that ends a value, outside of quotes and brackets; to the end without one.
fn extent(text: &str, is_end: impl Fn(char) -> bool) -> usize {
    let (mut depth, mut is_quoted, mut is_escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            c if depth == 0 && is_end(c) => return at,
            _ => {}
        }
    }
    text.len()
}

/// The sections of a text; the first is its head.
///
/// # Errors
/// A tag is not closed, a line is no `key = value`, or there are too many tags.
pub fn sections(text: &str) -> Result<Vec<GodotSection<'_>>, ExchangeError> {
    let mut sections: Vec<GodotSection<'_>> = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while !rest.is_empty() {
        let index = sections.len();
        if rest.starts_with(';') {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(inner) = rest.strip_prefix('[') {
            let end = extent(inner, |c| c == ']');
            let after = inner.get(end + 1..).ok_or(ExchangeError::Element { what: "tag", index })?;
            if index == MAX_SECTIONS {
                return Err(ExchangeError::TooMany { what: "tags", count: index + 1, limit: MAX_SECTIONS });
            }
            sections.push(GodotSection { tag: &inner[..end], values: Vec::new() });
            rest = after;
        } else {
            let section = sections.last_mut().ok_or(ExchangeError::Element { what: "tag", index })?;
            let at = rest.find('=').ok_or(ExchangeError::Element { what: "value of tag", index })?;
            let value = &rest[at + 1..];
            let end = extent(value, |c| c == '\n');
            section.values.push(GodotValue { key: rest[..at].trim(), text: value[..end].trim() });
            rest = &value[end..];
        }
        rest = rest.trim_start();
    }
    Ok(sections)
}

/// The numbers of a text such as `PackedVector3Array(1, 2, 3)`: of the first pair of brackets that holds no other.
pub fn numbers(text: &str) -> Option<Vec<f64>> {
    lists(text).next().unwrap_or_else(|| Some(Vec::new()))
}

/// The numbers of each innermost pair of round brackets; `None` where something else stands in one than numbers or a list
/// without any.
pub fn lists(text: &str) -> impl Iterator<Item = Option<Vec<f64>>> + '_ {
    let inner = text.split('(').skip(1).filter_map(|after| Some(after.split_once(')')?.0.trim()));
    inner.filter(|inner| *inner != "[]").map(|inner| {
        let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| part.parse::<f64>().ok().filter(|n| n.is_finite())).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_counted() {
        assert_eq!(sections(&"[]".repeat(MAX_SECTIONS)).map(|all| all.len()).ok(), Some(MAX_SECTIONS));
        let error = sections(&"[]".repeat(MAX_SECTIONS + 1)).unwrap_err();
        assert!(matches!(error, ExchangeError::TooMany { what: "tags", limit: MAX_SECTIONS, .. }), "{error}");
    }
}
