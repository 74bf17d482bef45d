//! Keeps the layout of the panels in a file, from one run to the next.

use crate::ui::Dock;
use std::path::PathBuf;

/// Where the layout is kept, and what is there.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    file: Option<PathBuf>,
    kept: String,
}

impl Layout {
    /// Reads a layout; what cannot be read gives the first one.
    pub fn load(file: PathBuf) -> (Self, Dock) {
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let dock = Dock::parse(&kept).unwrap_or_default();
        (Self { file: Some(file), kept: dock.text() }, dock)
    }

    /// Writes the layout if it has changed. Failing to do so costs nothing but the memory of it.
    pub fn keep(&mut self, dock: &Dock) {
        let Some(file) = &self.file else { return };
        let text = dock.text();
        if text == self.kept {
            return;
        }
        let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(file, &text)) {
            tracing::warn!("The layout of the panels was not saved ({error}). File: {}", file.display());
        }
        self.kept = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::dock::Panel;

    #[test]
    fn the_layout_outlives_the_run_and_damage_gives_the_first_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/layout.txt");
        let (mut layout, mut dock) = Layout::load(file.clone());
        layout.keep(&dock);
        assert!(!file.exists(), "nothing has changed yet");
        dock.toggle(Panel::Log);
        layout.keep(&dock);
        assert!(Layout::load(file.clone()).1.shows(Panel::Log));
        std::fs::write(&file, "leaf 9").unwrap();
        assert_eq!(Layout::load(file).1.text(), Dock::default().text());
    }
}
