//! Names under which the pictures of materials are looked for.

use crate::disk::has_extension;
use std::path::{Path, PathBuf};

/// Where pictures are looked for at last: below the model's folder, beside it, and one level up.
pub(super) const PICTURE_PLACES: [&str; 7] = [
    "textures",
    "../textures",
    "../Textures",
    "../materials/textures",
    "../../textures",
    "../../Textures",
    "../../materials/textures",
];

/// Endings of pictures that are read.
const READ_ENDINGS: [&str; 10] = ["png", "jpg", "jpeg", "tga", "dds", "webp", "bmp", "ktx2", "tif", "tiff"];
/// Endings of pictures that other programs read: their documents, and what engines convert while they import.
const UNREAD_ENDINGS: [&str; 6] = ["psd", "gif", "exr", "hdr", "pcx", "ktx"];

/// Whether a picture is of a format that is not read, by its ending.
pub(super) fn is_unread(file: &Path) -> bool {
    has_extension(file, &UNREAD_ENDINGS)
}

/// The names of a picture in the other formats that are read, in the model's folder and where pictures are kept. Materials name
/// what the artist painted on, `leaf.psd`, where collections hold `leaf.png`; those of Quake III name no format at all.
pub(super) fn in_other_formats(file: &str) -> Vec<PathBuf> {
    let (stem, own) = match file.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_picture_ending(ending) => (stem, ending),
        _ => (file, ""),
    };
    let others = READ_ENDINGS.iter().filter(|ending| !own.eq_ignore_ascii_case(ending));
    let names: Vec<String> = others.map(|ending| format!("{stem}.{ending}")).collect();
    let places = [""].into_iter().chain(PICTURE_PLACES);
    places.flat_map(|place| names.iter().map(move |name| Path::new(place).join(name))).collect()
}

fn is_picture_ending(ending: &str) -> bool {
    READ_ENDINGS.iter().chain(&UNREAD_ENDINGS).any(|known| ending.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::PICTURE_FOLDERS;

    #[test]
    fn pictures_are_looked_for_where_they_may_be_read() {
        for place in PICTURE_PLACES.iter().filter(|place| place.starts_with("../")) {
            let folder = place.trim_start_matches("../").split('/').next().unwrap_or_default();
            assert!(PICTURE_FOLDERS.contains(&folder), "{place}");
        }
    }

    #[test]
    fn only_the_ending_of_a_picture_changes() {
        let first = |file: &str| in_other_formats(file)[0].clone();
        assert_eq!(first("leaf.psd"), Path::new("leaf.png"));
        assert_eq!(first("leaf.PNG"), Path::new("leaf.jpg"), "its own format was looked for");
        for whole in ["leaf.v2", "leaf", ".png"] {
            assert_eq!(first(whole), PathBuf::from(format!("{whole}.png")), "{whole}");
        }
        assert!(in_other_formats("leaf.tif").contains(&PathBuf::from("../textures/leaf.tiff")));
        assert!(
            is_unread(Path::new("a/leaf.PSD")) && !is_unread(Path::new("leaf.tga")) && !is_unread(Path::new("psd"))
        );
    }
}
