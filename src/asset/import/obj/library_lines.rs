//! Lines of material libraries for which Assimp 5.2 refuses the model: it goes by first letters, and takes a number for
//! granted behind them. Blender writes such lines with its option for physically based materials (`aniso`).

use super::corner::words;

/// Keys behind which a colour stands, in any case.
const COLORS: [&[u8]; 5] = [b"Ka", b"Kd", b"Ks", b"Ke", b"Tf"];

/// A library as Assimp reads it; `None` where it does so anyway.
pub fn readable_library(text: &[u8]) -> Option<Vec<u8>> {
    let mut is_changed = false;
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&b| b == b'\n') {
        match changed(line.trim_ascii()) {
            Some(new) => {
                is_changed = true;
                out.extend(new);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    is_changed.then_some(out)
}

/// How a line without space around it is to read; `None` where it stays.
fn changed(line: &[u8]) -> Option<Vec<u8>> {
    let mut values = words(line);
    let key = values.next()?;
    let values: Vec<&[u8]> = values.filter(|word| *word != b"-halo").collect();
    let is_number = |word: &&[u8]| matches!(word.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.'));
    let is_color = COLORS.iter().any(|color| color.eq_ignore_ascii_case(key));
    let comment = || Some(b"#".to_vec());
    match (key, &values[..]) {
        // Of a single number all three are that (MTL, "Material color and illumination").
        (_, [value]) if is_color && is_number(value) => Some([key, value, value, value].join(&b' ')),
        // Spectral curves, CIE colours, and what is cut off.
        (_, values) if is_color => {
            if values.len() == 3 && values.iter().all(is_number) {
                None
            } else {
                comment()
            }
        }
        (b"d" | b"Tr", [value]) if is_number(value) => {
            let is_plain = words(line).count() == 2;
            (!is_plain).then(|| [key, value].join(&b' '))
        }
        (b"d" | b"Tr", _) => comment(),
        (b"disp", _) => None,
        // Such as `aniso` and `decal`.
        ([b'a' | b'd', ..], _) => comment(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_refuse_a_model_are_written_otherwise() {
        for (line, read) in [
            ("aniso 0.5", "#"),
            ("anisor 0", "#"),
            ("decal -s 1 1 1 x.png", "#"),
            ("\td -halo 0.66", "d 0.66"),
            ("Tr x", "#"),
            ("Kd 0.5", "Kd 0.5 0.5 0.5"),
            ("Ka spectral a.rfl 1", "#"),
            ("Tf xyz 1 1 1", "#"),
            ("Ke", "#"),
        ] {
            let around = |line: &str| format!("newmtl my a\r\n{line}\nmap_Kd a b.png\n");
            let changed = readable_library(around(line).as_bytes()).map(|text| String::from_utf8(text).unwrap());
            assert_eq!(changed, Some(around(read)));
        }
    }

    #[test]
    fn other_lines_stay() {
        let text = b"# Blender\nnewmtl d a\r\nNs 250\nKa 1 1 1 # white\nKd 0,8 .8 +0.8\nd 1\nTr 0.5 # half\nillum 2\ndisp a.png\n\n\
            Pr 0.5\nmap_Kd -s 1 1 1 a.png\nbump n.png\n";
        assert_eq!(readable_library(text), None);
        assert_eq!(readable_library(b""), None);
    }
}
