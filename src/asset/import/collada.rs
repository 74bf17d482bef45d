//! COLLADA files in the one form of XML that Assimp 5.2 reads: text in UTF-8, whose lists begin behind their tags. Of lists
//! on a line of their own it does not read the first number, in colours and in the weights of skins.

use memchr::memmem;

/// Bytes at the beginning of a file in which its encoding is told.
const DECLARATION_BYTES: usize = 200;

/// The file as Assimp reads it; `None` where it does so as it is.
pub fn readable(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = in_utf8(bytes);
    without_leading_spaces(text.as_deref().unwrap_or(bytes)).or(text)
}

/// A file in UTF-16, told by its first bytes (XML 1.0, appendix F), or in ISO 8859-1, told by its declaration; `None` of all
/// others.
fn in_utf8(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = match bytes {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => from_utf16(bytes, u16::from_le_bytes),
        [0xfe, 0xff, ..] | [0, b'<', ..] => from_utf16(bytes, u16::from_be_bytes),
        [b'<', b'?', ..] => {
            let start = bytes[..bytes.len().min(DECLARATION_BYTES)].to_ascii_lowercase();
            let declaration = start.split(|&b| b == b'>').next()?;
            let is_latin =
                ["iso-8859-1\"", "iso-8859-1'"].iter().any(|name| memmem::find(declaration, name.as_bytes()).is_some());
            (is_latin && !bytes.is_ascii()).then(|| bytes.iter().map(|&b| char::from(b)).collect::<String>())?
        }
        _ => return None,
    };
    Some(text.into_bytes())
}

/// Text without a mark before it; what is no character is replaced.
fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|two| unit([two[0], two[1]])).skip_while(|&unit| unit == 0xfeff);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The file without the white space between a tag and the text behind it; `None` where there is none.
fn without_leading_spaces(bytes: &[u8]) -> Option<Vec<u8>> {
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
    fn encodings_are_told_by_marks_and_declarations() {
        let text = "<?xml version='1.0' encoding='utf-16'?><a n=\"Größe 𝄞\">1</a>";
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            let marked = [&unit(0xfeff)[..], &bytes].concat();
            assert_eq!(readable(&bytes).unwrap(), text.as_bytes());
            assert_eq!(readable(&marked).unwrap(), text.as_bytes());
        }
        let latin = |name: &str| [format!("<?xml encoding=\"{name}\"?><a n='").as_bytes(), b"\xdf'/>"].concat();
        assert!(readable(&latin("ISO-8859-1")).unwrap().ends_with("ß'/>".as_bytes()));
        for name in ["ISO-8859-15", "utf-8"] {
            assert_eq!(readable(&latin(name)), None, "{name}");
        }
        assert_eq!(readable(b"<?xml encoding=\"ISO-8859-1\"?><a/>"), None, "the same in both");
        assert_eq!(readable(b"\xff\xfe<\0a\0>\0 \x001\0").unwrap(), b"<a>1", "spaces go too");
    }

    #[test]
    fn only_space_before_text_goes() {
        let mended = |text: &str| without_leading_spaces(text.as_bytes()).map(|b| String::from_utf8(b).unwrap());
        assert_eq!(mended("<a b='>  x'>\n\t 1 2 </a>\n <c/>").unwrap(), "<a b='>  x'>1 2 </a>\n <c/>");
        for whole in
            ["<a>1</a> \n<b/>", "<!-- <a> 1 --><b/>", "<![CDATA[<a> 1]]>", "<? <a> 1 ?>", "<a", "", "\u{feff}<a>1</a>"]
        {
            assert_eq!(mended(whole), None, "{whole}");
        }
    }
}
