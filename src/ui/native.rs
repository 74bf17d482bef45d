//! The file dialogs of the system, where there are some: beside the frames, so that the window goes on meanwhile.

use super::file_request::{Ask, AskFor};
use crate::disk::read_text;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// An answer that comes sooner than any person can give one means that the dialog did not open.
const DIALOG_FAILED_WITHIN: Duration = Duration::from_millis(250);
/// Largest description of a portal that is read, bytes.
const MAX_DESCRIPTION_BYTES: u64 = 1 << 20;

/// Puts a dialog in front of the window that it belongs to.
#[cfg(windows)]
type InFront = dyn Fn(rfd::AsyncFileDialog) -> rfd::AsyncFileDialog + Send + Sync;

#[cfg(windows)]
static IN_FRONT: std::sync::OnceLock<Box<InFront>> = std::sync::OnceLock::new();

/// Lets `by` put every dialog in front of a window: on Windows they could open behind it. The first call decides.
#[cfg(windows)]
pub fn put_in_front(by: impl Fn(rfd::AsyncFileDialog) -> rfd::AsyncFileDialog + Send + Sync + 'static) {
    let _earlier = IN_FRONT.set(Box::new(by));
}

/// A dialog of the system that is open.
#[derive(Debug)]
pub struct NativeDialog {
    answer: Receiver<Option<PathBuf>>,
    asked: Instant,
}

/// What became of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogAnswer {
    /// It is open.
    Waiting,
    /// A file or folder was chosen.
    Chosen(PathBuf),
    /// Nothing was chosen.
    Cancelled,
    /// The system shows no dialog.
    Failed,
}

impl NativeDialog {
    /// Opens a dialog; `None` where no thread can wait for it.
    pub fn open(ask: &Ask) -> Option<Self> {
        let mut dialog = rfd::AsyncFileDialog::new().set_title(ask.title).set_directory(&ask.folder);
        #[cfg(windows)]
        if let Some(by) = IN_FRONT.get() {
            dialog = by(dialog);
        }
        for (name, extensions) in &ask.filters {
            dialog = dialog.add_filter(*name, extensions);
        }
        if let Some(name) = &ask.name {
            dialog = dialog.set_file_name(name);
        }
        // Made here, because some systems want that on the thread of the window; waited for elsewhere.
        let chosen: std::pin::Pin<Box<dyn Future<Output = Option<rfd::FileHandle>> + Send>> = match ask.wanted {
            AskFor::Open => Box::pin(dialog.pick_file()),
            AskFor::Save => Box::pin(dialog.save_file()),
            AskFor::Folder => Box::pin(dialog.pick_folder()),
        };
        let (tell, answer) = channel();
        let wait = move || drop(tell.send(pollster::block_on(chosen).map(|file| file.path().to_path_buf())));
        std::thread::Builder::new().name("file dialog".into()).spawn(wait).ok()?;
        Some(Self { answer, asked: Instant::now() })
    }

    /// What has become of it.
    pub fn poll(&self) -> DialogAnswer {
        match self.answer.try_recv() {
            Err(TryRecvError::Empty) => DialogAnswer::Waiting,
            Ok(Some(path)) => DialogAnswer::Chosen(path),
            Ok(None) | Err(TryRecvError::Disconnected) if self.asked.elapsed() < DIALOG_FAILED_WITHIN => {
                DialogAnswer::Failed
            }
            Ok(None) => DialogAnswer::Cancelled,
            Err(TryRecvError::Disconnected) => DialogAnswer::Failed,
        }
    }
}

/// Whether the system has file dialogs for programs.
pub fn is_there() -> bool {
    if cfg!(any(target_os = "windows", target_os = "macos")) {
        return true;
    }
    has_portal(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

/// Whether there is a desktop portal that opens file dialogs: a message bus to ask it over, and a description of one that
/// can. `variable` gives the variables of the environment.
fn has_portal(variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let socket = variable("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists());
    if !socket && variable("DBUS_SESSION_BUS_ADDRESS").is_none() {
        return false;
    }
    if Path::new("/.flatpak-info").exists() {
        return true;
    }
    let home = variable("XDG_DATA_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/share")));
    let usual = || OsString::from("/usr/local/share:/usr/share");
    let shared = variable("XDG_DATA_DIRS").unwrap_or_else(usual);
    let folders = home.into_iter().chain(std::env::split_paths(&shared).collect::<Vec<_>>());
    let known = variable("NIX_XDG_DESKTOP_PORTAL_DIR").map(PathBuf::from);
    folders.map(|folder| folder.join("xdg-desktop-portal/portals")).chain(known).any(|folder| opens_files(&folder))
}

/// Whether a folder of descriptions of portals has one that opens files.
fn opens_files(folder: &Path) -> bool {
    let descriptions = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    descriptions.filter(|path| path.extension().is_some_and(|end| end == "portal")).any(|path| {
        read_text(&path, MAX_DESCRIPTION_BYTES)
            .is_ok_and(|text| text.contains("org.freedesktop.impl.portal.FileChooser"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portal_needs_a_bus_and_a_description() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("share/xdg-desktop-portal/portals")).unwrap();
        let with = |names: &[(&str, &str)]| {
            let all: Vec<_> =
                names.iter().map(|(name, path)| ((*name).to_owned(), at(path).into_os_string())).collect();
            has_portal(&|name| all.iter().find(|one| one.0 == name).map(|one| one.1.clone()))
        };
        let data = ("XDG_DATA_DIRS", "share");
        let nowhere = [("HOME", "nowhere"), ("XDG_RUNTIME_DIR", "run")];
        let portal = at("share/xdg-desktop-portal/portals/some.portal");
        std::fs::write(&portal, "Interfaces=org.freedesktop.impl.portal.Screenshot;").unwrap();
        let bus = ("DBUS_SESSION_BUS_ADDRESS", "bus");
        assert!(!with(&[data, bus, nowhere[0]]), "it opens no files");
        std::fs::write(&portal, "Interfaces=org.freedesktop.impl.portal.FileChooser;").unwrap();
        assert!(with(&[data, bus, nowhere[0]]));
        assert!(!with(&[data, nowhere[0], nowhere[1]]), "there is no bus");
        std::fs::create_dir_all(at("run/bus")).unwrap();
        assert!(with(&[data, nowhere[0], nowhere[1]]));
        assert!(with(&[("XDG_DATA_HOME", "share"), ("XDG_DATA_DIRS", "none"), bus]));
    }

    #[test]
    fn an_answer_that_cannot_be_given_is_none() {
        let dialog = |asked: Instant| {
            let (tell, answer) = channel();
            (tell, NativeDialog { answer, asked })
        };
        let now = Instant::now();
        let (tell, quick) = dialog(now);
        assert_eq!(quick.poll(), DialogAnswer::Waiting);
        tell.send(None).unwrap();
        assert_eq!(quick.poll(), DialogAnswer::Failed);
        let before = now.checked_sub(DIALOG_FAILED_WITHIN * 4).unwrap();
        let (tell, slow) = dialog(before);
        tell.send(None).unwrap();
        assert_eq!(slow.poll(), DialogAnswer::Cancelled);
        let (tell, chosen) = dialog(now);
        tell.send(Some("a.acfg".into())).unwrap();
        assert_eq!(chosen.poll(), DialogAnswer::Chosen("a.acfg".into()));
        let (tell, gone) = dialog(before);
        drop(tell);
        assert_eq!(gone.poll(), DialogAnswer::Failed);
    }
}
