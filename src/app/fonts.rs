//! Fonts of the system for letters that the interface's own fonts lack: names may be written in any script. They are looked
//! for on another thread, and only once such a letter is shown or typed.

use crate::background::caught;
use crate::disk::{files_below, read};
use crate::ui::theme::has_letter;
use egui::epaint::text::{FontInsert, FontPriority, InsertFontFamily};
use egui::{FontData, FontFamily};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// The first letter of the scripts that are looked for: the interface's own fonts have Latin, Greek and Cyrillic.
const FIRST_LETTER: char = '\u{0530}';
/// Most searches of a run: a letter that no font has is not looked for without end.
const MAX_SEARCHES: usize = 12;
/// Largest font that is read, bytes.
const MAX_FONT_BYTES: u64 = 64 << 20;
/// How deep folders are looked through, and most entries that are looked at.
const MAX_FOLDER_DEPTH: u32 = 5;
const MAX_ENTRIES: usize = 20_000;
/// Beginnings of the names of fonts with many letters, as Linux, Windows and macOS have them, the first preferred.
const NAMES: &[&str] = &[
    "notosanscjk",
    "sourcehansans",
    "wqy-",
    "droidsansfallback",
    "notosanssc",
    "notosansjp",
    "notosanskr",
    "msyh",
    "yugoth",
    "malgun",
    "msgothic",
    "simsun",
    "pingfang",
    "hiragino",
    "ヒラギノ角ゴシック w3",
    "applesdgothic",
    "ipag",
    "takao",
    "nanumgothic",
    "arial unicode",
    "segoeui",
    "leelawui",
    "nirmala",
    "geezapro",
    "thonburi",
    "notosansarabic",
    "notosanshebrew",
    "notosansthai",
    "notosansdevanagari",
    "dejavusans",
    "freesans",
    "unifont",
];
/// Words of the names of fonts that are no plain ones.
const NOT_PLAIN: &[&str] = &["bold", "black", "heavy", "light", "thin", "italic", "oblique", "medium", "mono"];

/// What is known of letters that the interface's own fonts may lack.
#[derive(Debug, Default)]
pub struct SystemFonts {
    /// Letters that were asked for.
    noted: BTreeSet<char>,
    /// Letters to look for.
    wanted: Vec<char>,
    search: Option<Receiver<Vec<FontInsert>>>,
    searches: usize,
}

impl SystemFonts {
    /// Notes a text that is shown.
    pub(super) fn note(&mut self, text: &str) {
        if text.is_ascii() {
            return;
        }
        for letter in text.chars().filter(|letter| *letter >= FIRST_LETTER) {
            if self.noted.insert(letter) {
                self.wanted.push(letter);
            }
        }
    }

    /// Begins to look for what is missing, and takes in what was found.
    pub(super) fn work(&mut self, ctx: &egui::Context) {
        if let Some(search) = &self.search {
            match search.try_recv() {
                Ok(found) => found.into_iter().for_each(|font| ctx.add_font(font)),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {}
            }
            self.search = None;
            ctx.request_repaint();
            return;
        }
        if self.wanted.is_empty() || self.searches >= MAX_SEARCHES {
            return;
        }
        let mut missing = std::mem::take(&mut self.wanted);
        missing.retain(|letter| !has_letter(ctx, *letter));
        if missing.is_empty() {
            return;
        }
        self.searches += 1;
        let ((send, receive), context) = (channel(), ctx.clone());
        let work = move || {
            // There is no receiver any more when the program ends.
            let _ = send.send(fonts_with(missing, &candidates(&folders())));
            context.request_repaint();
        };
        if std::thread::Builder::new().name("fonts".into()).spawn(work).is_ok() {
            self.search = Some(receive);
        }
    }
}

/// Where the system keeps fonts.
fn folders() -> Vec<PathBuf> {
    let below = |variable: &str, folder: &str| Some(PathBuf::from(std::env::var_os(variable)?).join(folder));
    let known = if cfg!(windows) {
        vec![below("WINDIR", "Fonts"), below("LOCALAPPDATA", "Microsoft/Windows/Fonts")]
    } else if cfg!(target_os = "macos") {
        vec![Some("/System/Library/Fonts".into()), Some("/Library/Fonts".into()), below("HOME", "Library/Fonts")]
    } else {
        let mut known: Vec<Option<PathBuf>> = ["/usr/share/fonts", "/usr/local/share/fonts", "/run/host/fonts"]
            .map(|folder| Some(folder.into()))
            .to_vec();
        known.push(below("HOME", ".local/share/fonts"));
        known
    };
    known.into_iter().flatten().collect()
}

/// The fonts below some folders that may have other letters, the most likely first.
fn candidates(folders: &[PathBuf]) -> Vec<PathBuf> {
    let files = files_below(folders.to_vec(), MAX_FOLDER_DEPTH, MAX_ENTRIES);
    let found: BTreeSet<_> = files.into_iter().filter_map(|path| Some((rank(&path)?, path))).collect();
    found.into_iter().map(|(_, path)| path).collect()
}

/// How likely a font has other letters, 0 the most; `None` for one that is not known, or not plain.
fn rank(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let is_font = [".ttf", ".ttc", ".otf"].iter().any(|end| name.ends_with(end));
    let is_plain = !NOT_PLAIN.iter().any(|word| name.contains(word));
    if is_font && is_plain { NAMES.iter().position(|known| name.starts_with(known)) } else { None }
}

/// Fonts that have as many of the missing letters as there are fonts for.
fn fonts_with(mut missing: Vec<char>, candidates: &[PathBuf]) -> Vec<FontInsert> {
    let mut found = Vec::new();
    for path in candidates {
        if missing.is_empty() {
            break;
        }
        let Some(font) = font(path) else { continue };
        let left = lacked(&font, &missing);
        if left.len() < missing.len() {
            missing = left;
            tracing::info!("Letters of other scripts are shown by the font {}", path.display());
            found.push(font);
        }
    }
    found
}

/// A font that comes after those of the interface; `None` where the file is none, or is not whole.
fn font(path: &Path) -> Option<FontInsert> {
    let bytes = read(path, MAX_FONT_BYTES).ok().filter(|bytes| is_whole(bytes))?;
    let families = [FontFamily::Proportional, FontFamily::Monospace];
    let families = families.map(|family| InsertFontFamily { family, priority: FontPriority::Lowest });
    Some(FontInsert::new(&path.to_string_lossy(), FontData::from_owned(bytes), families.to_vec()))
}

/// Whether the tables of a font (of the first in a collection) lie inside its file.
fn is_whole(bytes: &[u8]) -> bool {
    let word = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let tables = || {
        let first = if bytes.starts_with(b"ttcf") { word(12)? as usize } else { 0 };
        let is_font = matches!(word(first)?, 0x0001_0000 | 0x4f54_544f | 0x7472_7565);
        let count = usize::from(u16::from_be_bytes(bytes.get(first + 4..first + 6)?.try_into().ok()?));
        let is_inside = |i: usize| {
            let entry = first + 12 + 16 * i;
            let end = word(entry + 8)?.checked_add(word(entry + 12)?)?;
            Some(end as usize <= bytes.len())
        };
        Some(is_font && count > 0 && (0..count).all(|i| is_inside(i) == Some(true)))
    };
    tables().unwrap_or(false)
}

/// The letters that the interface would lack with this font, too; all of them where it cannot be read.
fn lacked(font: &FontInsert, letters: &[char]) -> Vec<char> {
    // A font that cannot be read breaks the thread off and not the window.
    let look = || {
        let context = egui::Context::default();
        context.add_font(font.clone());
        context.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
        letters.iter().copied().filter(|&letter| !has_letter(&context, letter)).collect()
    };
    caught(look).unwrap_or_else(|| letters.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_scripts_are_looked_for_once() {
        let mut fonts = SystemFonts::default();
        for text in ["Door 3", "Tür, дверь", "扉 2", "扉 3", "扇", "باب"] {
            fonts.note(text);
        }
        assert_eq!(fonts.wanted, ['扉', '扇', 'ب', 'ا'], "one of a block may be there where others are not");
        fonts.wanted.clear();
        fonts.note("扉");
        assert!(fonts.wanted.is_empty());
    }

    #[test]
    fn plain_fonts_with_many_letters_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("opentype/noto");
        std::fs::create_dir_all(&deep).unwrap();
        for name in ["NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "FONTLOG.txt", "Comic.ttf"] {
            std::fs::write(deep.join(name), "no font").unwrap();
        }
        std::fs::write(folder.path().join("msyh.ttc"), "no font").unwrap();
        let found = candidates(&[folder.path().to_path_buf()]);
        assert_eq!(found, [deep.join("NotoSansCJK-Regular.ttc"), folder.path().join("msyh.ttc")]);
        assert!(fonts_with(vec!['扉'], &found).is_empty(), "files that are no fonts are passed over");
    }

    #[test]
    fn fonts_that_are_cut_off_are_told() {
        // One table of four bytes behind the directory.
        let mut bytes = vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        bytes.extend(*b"name\0\0\0\0");
        bytes.extend([28_u32, 4].map(u32::to_be_bytes).concat());
        bytes.extend([0; 4]);
        assert!(is_whole(&bytes) && !is_whole(&bytes[..bytes.len() - 1]) && !is_whole(b"no font") && !is_whole(&[]));
    }
}
