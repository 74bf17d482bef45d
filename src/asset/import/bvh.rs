//! Motion capture as programs write it besides how Assimp 5.2 reads it: joints with spaces in their names, names of end
//! sites, keywords and channels in other upper and lower case, comments.

use memchr::memchr;

/// Keywords that a name follows.
const NAMED: [&[u8]; 2] = [b"ROOT", b"JOINT"];
/// Keywords behind which nothing is changed.
const KEYWORDS: [&[u8]; 3] = [b"HIERARCHY", b"OFFSET", b"MOTION"];
/// What the numbers in front of the motion stand behind.
const OF_MOTION: [&[u8]; 2] = [b"Frames:", b"Frame Time:"];
const CHANNELS: [&[u8]; 6] = [b"Xposition", b"Yposition", b"Zposition", b"Xrotation", b"Yrotation", b"Zrotation"];

/// The text as Assimp reads it, with `_` for the spaces in names; `None` where it does so anyway.
pub fn readable(text: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut rest, mut is_changed) = (Vec::with_capacity(text.len()), text, false);
    while !rest.is_empty() {
        let (line, after) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
        let new = written(line.trim_ascii());
        is_changed |= new.is_some();
        match new {
            Some(new) => out.extend([&new[..], b"\n"].concat()),
            None => out.extend_from_slice(line),
        }
        rest = after;
        // Nothing but numbers follows.
        if words(line).next().is_some_and(|word| word.eq_ignore_ascii_case(b"Frame")) {
            break;
        }
    }
    out.extend_from_slice(rest);
    is_changed.then_some(out)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// How a line without space around it is to read; `None` where it stays.
fn written(line: &[u8]) -> Option<Vec<u8>> {
    let first = words(line).next()?;
    let (head, block) = line.split_at(memchr(b'{', line).unwrap_or(line.len()));
    let is = |keyword: &&&[u8]| first.eq_ignore_ascii_case(keyword);
    let is_key = |key: &&&[u8]| line.get(..key.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(key));
    if first.starts_with(b"#") {
        return Some(Vec::new());
    }
    if let Some(keyword) = NAMED.iter().find(is) {
        let name: Vec<&[u8]> = words(head).skip(1).collect();
        let is_plain = first == *keyword && name.len() == 1;
        return (!is_plain).then(|| [keyword, &name.join(&b'_')[..], block].join(&b' '));
    }
    if first.eq_ignore_ascii_case(b"End") {
        let is_plain = words(head).eq([&b"End"[..], b"Site"]);
        return (!is_plain).then(|| [b"End Site", block].join(&b' '));
    }
    if first.eq_ignore_ascii_case(b"CHANNELS") {
        let known = |word: &[u8]| CHANNELS.iter().find(|channel| channel.eq_ignore_ascii_case(word)).copied();
        let channels = words(line).skip(1).map(|word| known(word).unwrap_or(word));
        let wanted: Vec<&[u8]> = std::iter::once(&b"CHANNELS"[..]).chain(channels).collect();
        return (!words(line).eq(wanted.iter().copied())).then(|| wanted.join(&b' '));
    }
    if let Some(key) = OF_MOTION.iter().find(is_key) {
        // The number may follow the colon without a space.
        let is_plain = line.starts_with(key) && line.get(key.len()).is_none_or(u8::is_ascii_whitespace);
        return (!is_plain).then(|| [key, line[key.len()..].trim_ascii()].join(&b' '));
    }
    let keyword = KEYWORDS.iter().find(is)?;
    (first != *keyword).then(|| [keyword, line[first.len()..].trim_ascii()].join(&b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 3 Zrotation Xrotation Yrotation\n\tJOINT a:Left_Leg {\n\
        OFFSET 0 -1 0\nCHANNELS 0\n\t\tEnd Site\n{\nOFFSET 0 -1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time:\t0.0333\n0 # 0 0\n";

    #[test]
    fn other_dialects_are_written_as_the_importer_reads_them() {
        let text = "# by hand\nhierarchy\nRoot Hips Root\n{\noffset 0 0 0\nChannels 3 ZROTATION xrotation Yrotation\n\
            JOINT Left  Leg {\nEnd site LeftToe\n{\n}\n}\n}\nMotion\nFrames:2\nFRAME TIME:0.1\n# 0\n";
        let read = "\nHIERARCHY \nROOT Hips_Root \n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
            JOINT Left_Leg {\nEnd Site \n{\n}\n}\n}\nMOTION \nFrames: 2\nFrame Time: 0.1\n# 0\n";
        assert_eq!(String::from_utf8(readable(text.as_bytes()).unwrap()).unwrap(), read);
    }

    #[test]
    fn what_the_importer_reads_stays() {
        assert_eq!(readable(PLAIN.as_bytes()), None);
        assert_eq!(readable(PLAIN.replace('\n', "\r\n").as_bytes()), None);
        assert_eq!((readable(b""), readable(b"no motion at all")), (None, None));
    }
}
