//! COLLADA files in the one form of XML that Assimp 5.2 reads: text in UTF-8, whose lists begin behind their tags. Of lists
//! on a line of their own it does not read the first number, in colours and in the weights of skins. Pictures are named as in
//! version 1.4 of the format, and each names a file. Meshes that morph are shown as they are without it: Assimp leaves them out.

use memchr::{memchr, memmem};
use std::collections::{HashMap, HashSet};

/// Bytes at the beginning of a file in which its encoding is told.
const DECLARATION_BYTES: usize = 200;
/// Bytes at the beginning of a file in which its root is looked for.
const ROOT_BYTES: usize = 1 << 16;
/// Begins what morphs a mesh.
const MORPH: &[u8] = b"<morph";
/// Most controllers that morph one another.
const MAX_CONTROLLERS: usize = 8;

/// The file as Assimp reads it; `None` where it does so as it is.
pub fn readable(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = in_utf8(bytes);
    let text = with_named_pictures(text.as_deref().unwrap_or(bytes)).or(text);
    let text = without_morphs(text.as_deref().unwrap_or(bytes)).or(text);
    without_leading_spaces(text.as_deref().unwrap_or(bytes)).or(text)
}

/// Why a file is not read, where Assimp would say something else.
pub fn fault(bytes: &[u8]) -> Option<String> {
    let root = memmem::find(&bytes[..bytes.len().min(ROOT_BYTES)], b"<COLLADA").map(|at| &bytes[at..])?;
    let version = attribute(&root[..markup_length(root)], b"version")?;
    let old = [&b"1.0"[..], b"1.1", b"1.2", b"1.3"].iter().any(|old| version.starts_with(old));
    let version = String::from_utf8_lossy(version);
    old.then(|| format!("it is COLLADA {version}, and 1.4 and 1.5 are read; convert it"))
}

/// A file whose pictures are named as in COLLADA 1.4: Assimp 5.2 refuses one of version 1.5 for its pictures, and one of any
/// version that has a picture without a file. `None` where there is nothing to change.
fn with_named_pictures(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut is_1_5 = false;
    // The name of the picture that is open and has no file so far.
    let mut open: Option<&[u8]> = None;
    with_tags(bytes, |tag, behind| {
        let is_whole = tag.ends_with(b"/>");
        let named = |id: &[u8]| [b"<init_from>", id, b"</init_from>"].concat();
        match tag_name(tag) {
            b"COLLADA" => {
                is_1_5 = attribute(tag, b"version").is_some_and(|version| version.starts_with(b"1.5"));
                is_1_5.then(|| as_1_4(tag))
            }
            b"instance_image" if is_1_5 => Some([b"<source>", id_in(tag, b"url")?, b"</source>"].concat()),
            b"/instance_image" | b"ref" | b"/ref" if is_1_5 => Some(Vec::new()),
            b"image" => {
                let id = attribute(tag, b"id").unwrap_or(b"picture");
                open = (!is_whole).then_some(id);
                is_whole.then(|| [&tag[..tag.len() - 2], b">", &named(id), b"</image>"].concat())
            }
            b"init_from" | b"data" => {
                open = open.filter(|_| is_whole || behind.trim_ascii_start().starts_with(b"</"));
                None
            }
            b"/image" => open.take().map(|id| [&named(id)[..], tag].concat()),
            _ => None,
        }
    })
}

/// A file without controllers that morph: in their place stands what they morph, a mesh or a skin. `None` without any.
fn without_morphs(bytes: &[u8]) -> Option<Vec<u8>> {
    memmem::find(bytes, MORPH)?;
    let (mut morphed, mut controllers, mut open) = (HashMap::new(), HashSet::new(), None);
    with_tags(bytes, |tag, _| {
        match tag_name(tag) {
            b"controller" => {
                open = attribute(tag, b"id");
                controllers.extend(open);
            }
            b"morph" => morphed.extend(open.zip(id_in(tag, b"source"))),
            _ => {}
        }
        None
    });
    let base_of = |id: &[u8]| {
        let mut base = *morphed.get(id)?;
        for _ in 0..MAX_CONTROLLERS {
            base = morphed.get(base).copied().unwrap_or(base);
        }
        Some(base)
    };
    let (mut is_open, mut is_left_out) = (false, false);
    with_tags(bytes, |tag, _| {
        let name = tag_name(tag);
        if is_left_out {
            is_left_out = name != b"/controller";
            return match is_left_out {
                true => tag.starts_with(b"<!--").then(Vec::new),
                false => Some(b"-->".to_vec()),
            };
        }
        let attribute = match name {
            b"controller" => {
                is_left_out = attribute(tag, b"id").is_some_and(|id| morphed.contains_key(id));
                return is_left_out.then(|| b"<!--".to_vec());
            }
            b"skin" => &b"source"[..],
            b"instance_controller" => b"url",
            b"/instance_controller" => {
                return std::mem::take(&mut is_open).then(|| b"</instance_geometry>".to_vec());
            }
            _ => return None,
        };
        let id = id_in(tag, attribute)?;
        let base = base_of(id)?;
        if name == b"skin" || controllers.contains(base) {
            let start = memmem::find(tag, &[b"#", id].concat())? + 1;
            return Some([&tag[..start], base, &tag[start + id.len()..]].concat());
        }
        is_open = !tag.ends_with(b"/>");
        let end: &[u8] = if is_open { b"\">" } else { b"\"/>" };
        Some([b"<instance_geometry url=\"#", base, end].concat())
    })
}

/// What of a file is left out.
pub fn left_out(bytes: &[u8]) -> Vec<String> {
    let has_morphs = memmem::find(bytes, MORPH).is_some();
    has_morphs
        .then(|| "its morph targets are left out, which are not read from COLLADA".to_owned())
        .into_iter()
        .collect()
}

/// The file with other markup in place of that for which `new` gives some: it gets each, and what lies behind it. `None` where
/// nothing changes.
fn with_tags<'a>(bytes: &'a [u8], mut new: impl FnMut(&'a [u8], &'a [u8]) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let (mut out, mut copied, mut at) = (Vec::new(), 0, 0);
    while let Some(start) = memchr(b'<', &bytes[at..]).map(|found| at + found) {
        at = start + markup_length(&bytes[start..]);
        if let Some(new) = new(&bytes[start..at], &bytes[at..]) {
            out.extend_from_slice(&bytes[copied..start]);
            out.extend_from_slice(&new);
            copied = at;
        }
    }
    (copied > 0).then(|| [&out, &bytes[copied..]].concat())
}

/// The tag of a document of version 1.5 as one of version 1.4.1.
fn as_1_4(tag: &[u8]) -> Vec<u8> {
    let Some(version) = attribute(tag, b"version") else { return tag.to_vec() };
    let start = memmem::find(tag, version).unwrap_or_default();
    [&tag[..start], b"1.4.1", &tag[start + version.len()..]].concat()
}

/// What an attribute of a tag refers to in the same file.
fn id_in<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    attribute(tag, name)?.strip_prefix(b"#")
}

/// The name of a tag, with the slash of one that ends an element; empty for other markup.
fn tag_name(tag: &[u8]) -> &[u8] {
    let name = tag.get(1..).unwrap_or_default();
    let is_end = |&(i, b): &(usize, &u8)| b.is_ascii_whitespace() || *b == b'>' || *b == b'/' && i > 0;
    let end = name.iter().enumerate().find(is_end).map_or(name.len(), |(i, _)| i);
    &name[..end]
}

/// The value of an attribute in a tag.
fn attribute<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    for at in memmem::find_iter(tag, name) {
        let rest = tag[at + name.len()..].trim_ascii_start();
        let is_name = tag[..at].last().is_some_and(u8::is_ascii_whitespace);
        let Some(rest) = rest.strip_prefix(b"=").filter(|_| is_name) else { continue };
        let (quote, value) = rest.trim_ascii_start().split_first()?;
        return value.split(|b| b == quote).next();
    }
    None
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
    fn pictures_are_named_as_in_version_1_4() {
        let mended = |text: &str| readable(text.as_bytes()).map(|b| String::from_utf8(b).unwrap());
        let new = "<COLLADA version=\"1.5.0\"><image id='a'><init_from><ref>a.png</ref></init_from></image>\
            <sampler2D><instance_image url=\"#a\"/></sampler2D></COLLADA>";
        let old = "<COLLADA version=\"1.4.1\"><image id='a'><init_from>a.png</init_from></image>\
            <sampler2D><source>a</source></sampler2D></COLLADA>";
        assert_eq!(mended(new).unwrap(), old);
        assert_eq!(mended(old), None);
    }

    #[test]
    fn a_picture_without_a_file_gets_its_own_name() {
        let mended = |text: &str| readable(text.as_bytes()).map(|b| String::from_utf8(b).unwrap());
        let commented = "<image id=\"wood\" name=\"b\"><!--<init_from>wood.png</init_from>--></image>";
        assert_eq!(
            mended(commented).unwrap(),
            "<image id=\"wood\" name=\"b\"><!--<init_from>wood.png</init_from>--><init_from>wood</init_from></image>"
        );
        assert_eq!(mended("<image id='a'/>").unwrap(), "<image id='a'><init_from>a</init_from></image>");
        assert!(mended("<image id='a'><init_from/></image>").unwrap().contains(">a</init_from>"));
        assert!(mended("<image id='a'><init_from> </init_from></image>").unwrap().contains(">a</init_from>"));
        for whole in ["<image id='a'><init_from>a</init_from></image>", "<image id='a'><data>00</data></image>"] {
            assert_eq!(mended(whole), None, "{whole}");
        }
    }

    #[test]
    fn what_morphs_is_shown_as_it_is() {
        let text = "<controller id='m'><!-- a --><morph source='#g'/></controller><controller id='s'><skin source='#m'></skin></controller>\
            <controller id='n'><morph method='RELATIVE' source=\"#s\"></morph></controller>\
            <node><instance_controller url='#m'><bind_material/></instance_controller></node>\
            <node><instance_controller url='#n'><skeleton>#b</skeleton></instance_controller></node>\
            <node><instance_controller url=\"#s\"/></node><node><instance_controller url=\"#m\" /></node>";
        let without = "<!--<morph source='#g'/>--><controller id='s'><skin source='#g'></skin></controller>\
            <!--<morph method='RELATIVE' source=\"#s\"></morph>-->\
            <node><instance_geometry url=\"#g\"><bind_material/></instance_geometry></node>\
            <node><instance_controller url='#s'><skeleton>#b</skeleton></instance_controller></node>\
            <node><instance_controller url=\"#s\"/></node><node><instance_geometry url=\"#g\"/></node>";
        assert_eq!(String::from_utf8(readable(text.as_bytes()).unwrap()).unwrap(), without);
        let round = "<controller id='m'><morph source='#m'/></controller><instance_controller url='#m'/>";
        assert!(readable(round.as_bytes()).is_some_and(|text| text.ends_with(b"url='#m'/>")), "ends");
        assert_eq!(left_out(text.as_bytes()).len(), 1);
        assert_eq!(left_out(b"<COLLADA/>").len(), 0);
    }

    #[test]
    fn versions_that_are_not_read_are_named() {
        assert!(fault(b"<?xml?><COLLADA xmlns='x' version='1.3.1'>").unwrap().contains("COLLADA 1.3.1, and 1.4"));
        for read in ["<COLLADA version='1.4.1'>", "<COLLADA version=\"1.5.0\">", "<COLLADA>", ""] {
            assert_eq!(fault(read.as_bytes()), None, "{read}");
        }
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
