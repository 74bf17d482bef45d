//! The guide and what Walkabout is, in windows of their own.

use crate::ui::UiContext;
use egui::{Align2, Label, RichText, ScrollArea, Ui, Window};
use std::sync::LazyLock;

/// The guide as it is in the documents.
const GUIDE: &str = include_str!("../../../docs/guide.md");
/// The heading of what is for those who change Walkabout, from which on it is not shown.
const FOR_DEVELOPERS: &str = "\n## How this page stays true";
/// What is shown of it.
static SHOWN: LazyLock<Vec<GuideBlock>> =
    LazyLock::new(|| blocks(GUIDE.split_once(FOR_DEVELOPERS).map_or(GUIDE, |(shown, _)| shown)));
/// Width of the guide's text, points.
const WIDTH: f32 = 620.0;

/// Draws the guide while it is open.
pub fn show(ui: &mut Ui, open: &mut bool) {
    if !*open {
        return;
    }
    let room = ui.ctx().content_rect().size();
    Window::new("Guide")
        .open(open)
        .default_size([WIDTH.min(room.x - 60.0), (room.y * 0.7).max(200.0)])
        .pivot(Align2::CENTER_CENTER)
        .default_pos(ui.ctx().content_rect().center())
        .collapsible(false)
        .show(ui.ctx(), |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                for block in &*SHOWN {
                    match block {
                        GuideBlock::Heading(text) => {
                            ui.add_space(8.0);
                            ui.heading(text);
                        }
                        GuideBlock::Text(text) => _ = ui.add(Label::new(text).wrap()),
                    }
                    ui.add_space(2.0);
                }
            });
        });
}

/// A part of the guide.
#[derive(Debug, PartialEq, Eq)]
enum GuideBlock {
    Heading(String),
    Text(String),
}

/// Headings and paragraphs of a document, without its pictures and marks.
fn blocks(document: &str) -> Vec<GuideBlock> {
    let mut blocks = Vec::new();
    let mut paragraph = String::new();
    let finish = |paragraph: &mut String, blocks: &mut Vec<GuideBlock>| {
        if !paragraph.is_empty() {
            blocks.push(GuideBlock::Text(std::mem::take(paragraph)));
        }
    };
    for line in document.lines().map(str::trim) {
        // A number alone begins no list: text may be broken before one.
        let is_numbered = line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ");
        let is_row = line.starts_with('|') || line.starts_with("- ") || is_numbered;
        if line.is_empty() || line.starts_with("![") || line.starts_with('#') || is_row {
            finish(&mut paragraph, &mut blocks);
        }
        if let Some(title) = line.strip_prefix('#') {
            blocks.push(GuideBlock::Heading(title.trim_start_matches('#').trim().to_owned()));
        } else if line.starts_with('|') {
            let cells: Vec<String> = line.trim_matches('|').split('|').map(|cell| plain(cell.trim())).collect();
            if !cells.iter().all(|cell| cell.chars().all(|c| c == '-')) {
                blocks.push(GuideBlock::Text(cells.join(": ")));
            }
        } else if !line.is_empty() && !line.starts_with("![") {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph += &plain(line);
        }
    }
    finish(&mut paragraph, &mut blocks);
    blocks
}

/// Text without marks for bold, slanted and code; links by their names alone. The arrow between menus, which the interface's fonts lack,
/// becomes one that they have.
fn plain(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((link, after)) = rest.split_once("](") {
        let (before, name) = link.rsplit_once('[').unwrap_or(("", link));
        shown.extend([before, name]);
        rest = after.split_once(')').map_or(after, |(_, after)| after);
    }
    shown += rest;
    shown.retain(|c| !matches!(c, '*' | '`'));
    shown.replace('\u{2192}', "›")
}

/// Draws what Walkabout is while that is open.
pub fn about(ui: &mut Ui, cx: &UiContext<'_>, open: &mut bool) {
    if !*open {
        return;
    }
    Window::new("About Walkabout")
        .open(open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(ui.ctx(), |ui| {
            ui.set_width(380.0);
            ui.label(format!("Version {}", env!("CARGO_PKG_VERSION")));
            ui.label(env!("CARGO_PKG_DESCRIPTION"));
            ui.label(format!("License: {}", env!("CARGO_PKG_LICENSE")));
            ui.add_space(6.0);
            ui.add(Label::new(RichText::new(format!("Drawn by {}", cx.status.adapter)).weak()).wrap());
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_is_shown_whole_and_for_users() {
        assert!(GUIDE.contains(FOR_DEVELOPERS));
        let shown = format!("{:?}", *SHOWN);
        assert!(shown.contains("File › New") && shown.contains("Copy as text") && !shown.contains("tests/"));
        assert_eq!(crate::ui::theme::missing_letters(&shown), Vec::<char>::new());
    }

    #[test]
    fn a_document_becomes_headings_and_paragraphs() {
        let text = "# A *b*\n\nOne\n[two](a/b.md) `c`,\n3 d.\n\n![p](q.jpg)\n\n| [ and ] | y |\n| --- | --- |\n| 1 | **2** |\n1. First\n   goes on\n";
        let text_of = |text: &str| GuideBlock::Text(text.into());
        let expected = vec![
            GuideBlock::Heading("A *b*".into()),
            text_of("One two c, 3 d."),
            text_of("[ and ]: y"),
            text_of("1: 2"),
            text_of("1. First goes on"),
        ];
        assert_eq!(blocks(text), expected);
    }
}
