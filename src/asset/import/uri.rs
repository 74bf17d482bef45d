//! Names of files beside a glTF.

use serde_json::Value;
use std::path::Path;

/// The file that a URI names: `%` and two hexadecimal digits stand for a byte of UTF-8 (RFC 3986, section 2.1). A URI that
/// stands for no text is taken as it is.
pub fn file_of(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let escaped = digits.filter(|_| first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
}

/// Names the files of buffers and pictures as they are called in `folder`, which Assimp looks for by their URIs. A file whose
/// name is the URI itself stays. Returns whether any are called otherwise.
pub fn name_files(root: &mut Value, folder: &Path) -> bool {
    let mut changed = false;
    for list in ["buffers", "images"] {
        for item in root.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(uri) = item.get("uri").and_then(Value::as_str).filter(|uri| !uri.starts_with("data:")) else {
                continue;
            };
            let file = file_of(uri);
            if file != uri && !folder.join(uri).is_file() {
                item["uri"] = file.into();
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
        assert_eq!(file_of("%ff.bin"), "%ff.bin", "no text");
    }
}
