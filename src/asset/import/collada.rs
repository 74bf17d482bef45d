//! White space in COLLADA files: XML lets a list of numbers begin on a line of its own. Of colours, and of the weights
//! of skins, Assimp 5.2 does not read the first number then.

/// The file without the white space between a tag and the text behind it; `None` where there is none, or the file is
/// not in an encoding whose signs are bytes.
pub fn without_leading_spaces(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || bytes.iter().take(4).any(|&b| b == 0) {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(start) = rest.iter().position(|&b| b == b'<') {
        let markup = markup_length(&rest[start..]);
        out.extend_from_slice(&rest[..start + markup]);
        rest = &rest[start + markup..];
        let spaces = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        if rest.get(spaces).is_some_and(|&b| b != b'<') {
            rest = &rest[spaces..];
        }
    }
    out.extend_from_slice(rest);
    (out.len() < bytes.len()).then_some(out)
}

/// Bytes of the tag, comment, quoted section or instruction that begins here; all of them where it does not end.
fn markup_length(bytes: &[u8]) -> usize {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if bytes.starts_with(start.as_bytes()) {
            let found = bytes[start.len()..].windows(end.len()).position(|w| w == end.as_bytes());
            return found.map_or(bytes.len(), |at| start.len() + at + end.len());
        }
    }
    let mut quote = None;
    for (i, &b) in bytes.iter().enumerate() {
        match quote {
            Some(open) if b == open => quote = None,
            Some(_) => {}
            None if b == b'>' => return i + 1,
            None if b == b'"' || b == b'\'' => quote = Some(b),
            None => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_space_before_text_goes() {
        let mended = |text: &str| without_leading_spaces(text.as_bytes()).map(|b| String::from_utf8(b).unwrap());
        assert_eq!(mended("<a b='>  x'>\n\t 1 2 </a>\n <c/>").unwrap(), "<a b='>  x'>1 2 </a>\n <c/>");
        for whole in
            ["<a>1</a> \n<b/>", "<!-- <a> 1 --><b/>", "<![CDATA[<a> 1]]>", "<? <a> 1 ?>", "<a", "", "\u{feff}<a>1</a>"]
        {
            assert_eq!(mended(whole), None, "{whole}");
        }
        assert_eq!(without_leading_spaces(b"\xff\xfe<\0a\0>\0 \x001\0"), None);
    }
}
