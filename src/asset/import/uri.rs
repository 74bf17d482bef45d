//! Names of files beside a glTF.

use crate::disk::PICTURE_FOLDERS;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// What begins a URI that holds its data itself.
const DATA: &str = "data:";

/// What follows `data:` in a URI that holds its data itself; the scheme may be in upper case (RFC 3986, section 3.1).
pub fn data_of(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(DATA.len())?;
    scheme.eq_ignore_ascii_case(DATA).then_some(rest)
}

/// Whether a URI holds its data itself.
pub fn is_data(uri: &str) -> bool {
    data_of(uri).is_some()
}

/// A relative name without `.` and without folders that are left again: `a/../b` is `b`. An address stays as it is.
pub fn plain(name: &str) -> PathBuf {
    if name.contains("://") {
        return name.into();
    }
    let mut out = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// The name of a file in a folder beside, or in one of pictures one level up, without detours; `None` of all other names.
pub fn beside(name: &str) -> Option<PathBuf> {
    let name = plain(&name.replace('\\', "/"));
    let up = name.components().take_while(|part| *part == Component::ParentDir).count();
    let rest: Vec<Component> = name.components().skip(up).collect();
    let is_pictures = || PICTURE_FOLDERS.iter().any(|known| rest[0].as_os_str() == *known);
    let is_beside = rest.len() >= 2
        && rest.iter().all(|part| matches!(part, Component::Normal(_)))
        && (up == 1 || up == 2 && is_pictures());
    is_beside.then_some(name)
}

/// The file that a URI names: `%` and two hexadecimal digits stand for a byte of UTF-8 (RFC 3986, section 2.1). A URI that
/// stands for no text is taken as it is.
pub fn file_of(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|two| first == b'%' && two.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|two| std::str::from_utf8(two).ok());
        let escaped = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
}

/// Names the files of buffers and pictures as they are called in `folder`, which Assimp looks for by their URIs. A file whose
/// name is the URI itself stays; some programs on Windows put `\` between folders. Returns whether any are called otherwise.
pub fn name_files(root: &mut Value, folder: &Path) -> bool {
    let mut changed = false;
    for list in ["buffers", "images"] {
        for item in root.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(uri) = item.get("uri").and_then(Value::as_str) else { continue };
            let name = match data_of(uri) {
                // Assimp knows small letters alone.
                Some(data) => format!("{DATA}{data}"),
                None if folder.join(uri).is_file() => continue,
                None => {
                    let [named, slashed] = [file_of(uri), file_of(uri).replace('\\', "/")].map(|name| plain(&name));
                    let is_there = |name: &PathBuf| {
                        name.components().all(|part| matches!(part, Component::Normal(_)))
                            && folder.join(name).is_file()
                    };
                    let file = if !is_there(&named) && is_there(&slashed) { slashed } else { named };
                    file.to_string_lossy().into_owned()
                }
            };
            if name != uri {
                item["uri"] = name.into();
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_bytes() {
        assert_eq!(file_of("dir%20a/b%C3%BC.bin"), "dir a/bü.bin");
        assert_eq!(file_of("100%.png"), "100%.png");
        assert_eq!(file_of("%zz%4"), "%zz%4");
        assert_eq!(file_of("5%+5.bin"), "5%+5.bin", "a sign is no digit");
        assert_eq!(file_of("%ff.bin"), "%ff.bin", "no text");
    }

    #[test]
    fn names_that_lead_to_one_file_are_one() {
        for name in ["sub/../tri.bin", "./tri.bin", "a/./b/../../tri.bin"] {
            assert_eq!(plain(name), Path::new("tri.bin"), "{name}");
        }
        assert_eq!(plain("sub/../../tri.bin"), Path::new("../tri.bin"));
        assert_eq!(plain("../sub/../tri.bin"), Path::new("../tri.bin"));
        assert_eq!(plain("file:///etc/passwd").to_str(), Some("file:///etc/passwd"));
    }

    #[test]
    fn only_folders_beside_the_own_are_taken() {
        for name in ["../t/a.png", "..\\t\\a.png", "./../t/b/../a.png"] {
            assert_eq!(beside(name).as_deref(), Some(Path::new("../t/a.png")), "{name}");
        }
        for name in ["../a.png", "../../t/a.png", "t/a.png", "/t/a.png", "file://../t/a.png", ""] {
            assert_eq!(beside(name), None, "{name}");
        }
    }

    #[test]
    fn folders_may_be_parted_as_windows_does() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(folder.path().join("sub/a b.bin"), "a").unwrap();
        let mut root = serde_json::json!({"buffers": [{"uri": "sub\\a%20b.bin"}, {"uri": "sub\\none.bin"}]});
        assert!(name_files(&mut root, folder.path()));
        assert_eq!(root["buffers"], serde_json::json!([{"uri": "sub/a b.bin"}, {"uri": "sub\\none.bin"}]));
        let mut outside = serde_json::json!({"images": [{"uri": "..\\a b.bin"}]});
        std::fs::write(folder.path().join("a b.bin"), "a").unwrap();
        assert!(!name_files(&mut outside, &folder.path().join("sub")), "{outside}");
    }

    #[test]
    fn data_may_be_told_in_upper_case() {
        assert_eq!(
            (data_of("DATA:;base64,AA=="), data_of("data.bin"), data_of("dät")),
            (Some(";base64,AA=="), None, None)
        );
        let mut root = serde_json::json!({"buffers": [{"uri": "Data:;base64,AA=="}, {"uri": "data:,"}]});
        assert!(name_files(&mut root, Path::new(".")));
        assert_eq!(root["buffers"][0]["uri"], "data:;base64,AA==");
    }
}
