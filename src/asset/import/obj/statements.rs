//! Statements of OBJ files that Assimp 5.2 passes over, misreads or refuses the file for: those behind a space, comments
//! behind numbers, faces of two corners, texture coordinates of one number, numbers that begin with their point, faces that name
//! texture coordinates where there are none, and free-form curves, which are not shown.

use super::corner::words;
use memchr::{memchr, memmem};

/// First words of statements that Assimp reads where nothing stands before them.
const READ: [&[u8]; 13] = [b"v", b"vt", b"vn", b"f", b"fo", b"l", b"p", b"o", b"g", b"s", b"usemtl", b"mtllib", b"mg"];
/// Those of them that only numbers follow.
const OF_NUMBERS: [&[u8]; 7] = [b"v", b"vt", b"vn", b"f", b"fo", b"l", b"p"];

/// A text with these statements as Assimp reads them; `None` where there are none.
pub fn readable(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut copied, mut start, mut goes_on) = (0, 0, false);
    let (mut is_face, has_uvs) = (false, memmem::find(text, b"vt").is_some());
    while start < text.len() {
        let end = memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length);
        let line = text[start..end].strip_suffix(b"\r").unwrap_or(&text[start..end]);
        let is_begin = !std::mem::replace(&mut goes_on, line.ends_with(b"\\"));
        is_face = if is_begin { is_face_statement(line) } else { is_face };
        let bare = if is_face && !has_uvs { without_uvs(line) } else { None };
        let new = if is_begin { changed(bare.as_deref().unwrap_or(line)).or(bare) } else { bare };
        if let Some(new) = new {
            out.extend_from_slice(&text[copied..start]);
            out.extend_from_slice(&new);
            copied = end;
        }
        start = end + 1;
    }
    (copied > 0).then(|| {
        out.extend_from_slice(&text[copied..]);
        out
    })
}

fn is_face_statement(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    matches!(words.next(), Some(b"f" | b"fo"))
}

/// A line of a face, or what goes on with one, whose corners name no texture coordinates: `1/1/1` is `1//1`. `None` where they
/// do not.
fn without_uvs(line: &[u8]) -> Option<Vec<u8>> {
    let is_corner = |word: &[u8]| word.iter().all(|b| b.is_ascii_digit() || matches!(b, b'/' | b'-'));
    let corner = |word: &[u8]| {
        let mut parts = word.split(|&b| b == b'/');
        let (place, uv, normal) = (parts.next()?, parts.next()?, parts.next());
        let is_named = is_corner(word) && !uv.is_empty() && !place.is_empty();
        is_named.then(|| normal.map_or(place.to_vec(), |normal| [place, b"//", normal].concat()))
    };
    let words = || line.split(u8::is_ascii_whitespace);
    words().any(|word| corner(word).is_some()).then_some(())?;
    Some(words().map(|word| corner(word).unwrap_or_else(|| word.to_vec())).collect::<Vec<_>>().join(&b' '))
}

/// How a line with which a statement begins is to read; `None` where it stays.
fn changed(line: &[u8]) -> Option<Vec<u8>> {
    match with_zeros(line) {
        Some(whole) => Some(rewritten(&whole).unwrap_or(whole)),
        None => rewritten(line),
    }
}

/// A line of coordinates with a zero before each point that begins a number: Assimp counts no such number. `None` without any.
fn with_zeros(line: &[u8]) -> Option<Vec<u8>> {
    line.trim_ascii_start().starts_with(b"v").then_some(())?;
    let begins = |at: usize| match line[..at] {
        [.., before, b'-' | b'+'] | [.., before] => before.is_ascii_whitespace(),
        [] => false,
    };
    let (mut out, mut copied) = (Vec::new(), 0);
    for at in memchr::memchr_iter(b'.', line).filter(|&at| begins(at)) {
        out.extend_from_slice(&line[copied..at]);
        out.push(b'0');
        copied = at;
    }
    (!out.is_empty()).then(|| [&out, &line[copied..]].concat())
}

fn rewritten(line: &[u8]) -> Option<Vec<u8>> {
    let statement = line.trim_ascii_start();
    let (key, rest) = statement.split_at(statement.iter().position(u8::is_ascii_whitespace).unwrap_or(statement.len()));
    // A text whose lines end with carriage returns alone is a single line here.
    if memchr(b'\r', line).is_some() {
        return None;
    }
    if !READ.contains(&key) {
        // Assimp goes by the first letter: `parm` would be a point, `lod` a line.
        return matches!(key, [b'f' | b'l' | b'p', ..]).then(|| b"#".to_vec());
    }
    // How many numbers there are is not known before the last line.
    if OF_NUMBERS.contains(&key) && !line.ends_with(b"\\") {
        let joined = |count: usize, more: &[&[u8]]| {
            let own: Vec<&[u8]> = std::iter::once(key).chain(words(rest).take(count)).collect();
            [&own[..], more].concat().join(&b' ')
        };
        match (key, words(rest).count()) {
            // Places with colours, of which the importer takes three numbers.
            (b"v", 7) => return Some(joined(6, &[])),
            (b"vt", 1) => return Some(joined(1, &[&b"0"[..]])),
            (b"f" | b"fo", 0..3) => return Some(b"#".to_vec()),
            (_, count) if memchr(b'#', rest).is_some() => return Some(joined(count, &[])),
            _ => {}
        }
    }
    (statement.len() < line.len()).then(|| statement.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> Option<String> {
        readable(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn statements_are_written_as_the_importer_reads_them() {
        for (line, read) in [
            ("  f 1 2 3", "f 1 2 3"),
            ("\tusemtl my wood # 2", "usemtl my wood # 2"),
            ("f 1/1 2/2 3/3 # a face", "f 1 2 3"),
            ("v 0 0 0 # a place", "v 0 0 0"),
            ("f 1 2", "#"),
            ("vt 0.5", "vt 0.5 0"),
            ("v 1 2 3 0.1 0.2 0.3 1", "v 1 2 3 0.1 0.2 0.3"),
            ("v .5 -.25 1.5", "v 0.5 -0.25 1.5"),
            ("  vn +.5 0 -1. # up", "vn +0.5 0 -1."),
            ("vt .5", "vt 0.5 0"),
            ("parm u 0 1", "#"),
            ("lod 2", "#"),
        ] {
            let around = |line: &str| format!("v 0 0 0\r\n{line}\nf 1 2 3\n");
            assert_eq!(mended(&around(line)).unwrap(), around(read));
            assert_eq!(mended(line).unwrap(), read, "alone");
        }
    }

    #[test]
    fn faces_name_no_texture_coordinates_where_there_are_none() {
        let box_of = |faces: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\n{faces}\n");
        for (faces, read) in [
            ("f 1/1/1 2/2/1 3/3/1", "f 1//1 2//1 3//1"),
            ("f 1/1 2/2 3/3", "f 1 2 3"),
            ("f -3/-3/-1 -2/-2/-1 -1/-1/-1", "f -3//-1 -2//-1 -1//-1"),
            ("f 1/1/1 2/2/1 \\\n3/3/1", "f 1//1 2//1 \\\n3//1"),
        ] {
            assert_eq!(mended(&box_of(faces)).unwrap(), box_of(read));
            assert_eq!(mended(&format!("vt 0 0\n{}", box_of(faces))), None);
        }
        for faces in ["f 1//1 2//1 3//1", "f 1 2 3", "o 1/2/3", "# 2/3"] {
            assert_eq!(mended(&box_of(faces)), None, "{faces}");
        }
    }

    #[test]
    fn what_the_importer_reads_stays() {
        let whole = "# a box\nmtllib box.mtl\no my box #1\nv 0 0 0 1\nv 0 0 0 1 0 0\nvt 0 1\nvn 0 0 1\ng a b\ns off\n\
            usemtl red\nf 1/1/1 2/2/1 3/3/1\r\nf 1 2 \\\n  3 # c\nl 1 2\np 1\ncurv 0 1 1 2\n  # indented\n\nend\n";
        assert_eq!(mended(whole), None);
        assert_eq!(mended("v 0 0 0 # one line\rf 1 2 3\r  f 1 2 3\r"), None);
        assert_eq!(mended(""), None);
    }
}
