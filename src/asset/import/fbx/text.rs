//! Text FBX files of version 6, whose lists of numbers stand in lines: `Vertices: 0,0,1` and, from the comma on, the next line.

use super::document::{FbxFault, FbxNode, FbxValue, MAX_DEPTH};
use memchr::memchr;

/// Longest name of a node.
const MAX_NAME_BYTES: usize = 100;

/// Reads a text file of version 6.
pub struct TextFbxReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> TextFbxReader<'a> {
    /// Of a whole file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The nodes of the file.
    ///
    /// # Errors
    /// [`FbxFault::Damaged`] or [`FbxFault::TooDeep`].
    pub fn read(&mut self) -> Result<Vec<FbxNode>, FbxFault> {
        self.nodes(0)
    }

    fn nodes(&mut self, depth: usize) -> Result<Vec<FbxNode>, FbxFault> {
        if depth > MAX_DEPTH {
            return Err(FbxFault::TooDeep);
        }
        let mut nodes = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None if depth == 0 => return Ok(nodes),
                None => return Err(FbxFault::Damaged(self.at)),
                Some(b'}') if depth > 0 => {
                    self.at += 1;
                    return Ok(nodes);
                }
                Some(_) => {
                    let node = self.node(depth)?;
                    nodes.push(node);
                }
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<FbxNode, FbxFault> {
        let rest = &self.bytes[self.at..];
        let rest = &rest[..rest.len().min(MAX_NAME_BYTES + 1)];
        let damaged = FbxFault::Damaged(self.at);
        let length = memchr(b':', rest).ok_or(damaged)?;
        let name = rest[..length].trim_ascii();
        if name.is_empty() || name.iter().any(|byte| b"{}\"\n,".contains(byte)) {
            return Err(damaged);
        }
        self.at += length + 1;
        let mut node = FbxNode::empty(&String::from_utf8_lossy(name));
        if self.values(&mut node)? {
            node.children = self.nodes(depth + 1)?;
        }
        Ok(node)
    }

    /// Reads the values of a node. Returns whether a list of nodes begins behind them.
    fn values(&mut self, node: &mut FbxNode) -> Result<bool, FbxFault> {
        let mut is_behind_comma = false;
        loop {
            self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
            match self.peek() {
                None | Some(b'}') => return Ok(false),
                Some(b'{') => {
                    self.at += 1;
                    return Ok(true);
                }
                Some(b',') => {
                    self.at += 1;
                    is_behind_comma = true;
                }
                Some(b'\n' | b';') => {
                    self.skip_space();
                    // A list goes on behind a comma and before one, and may begin in the line below its name.
                    let begins =
                        |byte: u8| node.is_without_values() && (byte.is_ascii_digit() || b"-\"".contains(&byte));
                    let goes_on = |byte: u8| b",{".contains(&byte) || byte != b'}' && (is_behind_comma || begins(byte));
                    if !self.peek().is_some_and(goes_on) {
                        return Ok(false);
                    }
                }
                Some(_) => {
                    let value = self.value()?;
                    node.push(value);
                    is_behind_comma = false;
                }
            }
        }
    }

    fn value(&mut self) -> Result<FbxValue, FbxFault> {
        let start = self.at;
        if self.peek() == Some(b'"') {
            let rest = &self.bytes[start + 1..];
            let length = memchr(b'"', rest).ok_or(FbxFault::Damaged(start))?;
            self.at += length + 2;
            return Ok(unescaped(&rest[..length]));
        }
        self.skip_while(|byte| !byte.is_ascii_whitespace() && !b",;{}\"".contains(&byte));
        let word = &self.bytes[start..self.at];
        if word.is_empty() {
            return Err(FbxFault::Damaged(start));
        }
        // Words as "nan" and "inf" are none of its numbers.
        let is_number = word[0].is_ascii_digit() || b"+-.".contains(&word[0]);
        let text = std::str::from_utf8(word).ok().filter(|_| is_number);
        let whole = text.and_then(|text| text.parse::<i64>().ok()).map(FbxValue::Integer);
        let number = whole.or_else(|| text.and_then(|text| text.parse::<f64>().ok()).map(FbxValue::Real));
        Ok(number.unwrap_or_else(|| FbxValue::text(word)))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace());
            if self.peek() != Some(b';') {
                return;
            }
            self.skip_while(|byte| byte != b'\n');
        }
    }

    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| !is_skipped(byte)).unwrap_or(rest.len());
    }
}

/// A text without the escapes of its quotes.
fn unescaped(text: &[u8]) -> FbxValue {
    const QUOTE: &[u8] = b"&quot;";
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, QUOTE) {
        out.extend_from_slice(&text[from..at]);
        out.push(b'"');
        from = at + QUOTE.len();
    }
    out.extend_from_slice(&text[from..]);
    FbxValue::Text(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<FbxNode>, FbxFault> {
        TextFbxReader::new(text.as_bytes()).read()
    }

    #[test]
    fn lists_go_on_behind_and_before_commas() {
        let lists = "Vertices: 0,0.5,\r\n  1\r\n  ,-2e1,3\nEdges: \n\t4,5,\n\t6\nUV: \nMaterials: 7";
        let nodes = read(&format!("; FBX 6.1.0\r\n{lists}")).unwrap();
        assert_eq!(nodes[0].values, [FbxValue::Reals(vec![0.0, 0.5, 1.0, -20.0, 3.0])]);
        assert_eq!((nodes[1].integers(), nodes[3].integers()), (&[4, 5, 6][..], &[7][..]));
        assert!(nodes[2].is_without_values() && nodes.len() == 4);
    }

    #[test]
    fn nodes_hold_words_texts_and_nodes() {
        let model = "Model: \"Model::a &quot;b&quot;\", \"Mesh\" {\n\tShading: T ; comment\n\tInner:  {\n\t}\n}\n";
        let nodes = read(&format!("{model}Key: 5,0.25,U,s,0,1,n\n")).unwrap();
        let text = |value: &[u8]| FbxValue::text(value);
        assert_eq!(nodes[0].values, [text(b"Model::a \"b\""), text(b"Mesh")]);
        assert_eq!(nodes[0].child("Shading").unwrap().values, [text(b"T")]);
        assert_eq!(nodes[0].child("Inner"), Some(&FbxNode::empty("Inner")));
        let letters = [text(b"U"), text(b"s"), FbxValue::Integer(0), FbxValue::Integer(1), text(b"n")];
        assert_eq!(nodes[1].values[..2], [FbxValue::Integer(5), FbxValue::Real(0.25)]);
        assert_eq!(nodes[1].values[2..], letters);
    }

    #[test]
    fn damaged_texts_are_faults() {
        assert_eq!(read(&"a: {".repeat(MAX_DEPTH + 2)), Err(FbxFault::TooDeep));
        for text in ["a", "a: {", "a: \"b", "}: 1", "a: 1 {\n b", ": 1"] {
            assert!(matches!(read(text), Err(FbxFault::Damaged(_))), "{text}");
        }
        assert_eq!(read(" ; nothing\n"), Ok(Vec::new()));
    }
}
