//! The window as it opens: its size on the screen, its icon, and the name by which desktops know it.

use std::sync::Arc;
use winit::dpi::LogicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Icon, Window, WindowAttributes};

/// What title bars, frames and bars of the desktop take of a screen, points.
const AROUND_WINDOW: [f32; 2] = [8.0, 64.0];

/// The size that a window opens with.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OpeningSize {
    /// Size of its inside, points.
    points: [f32; 2],
    /// Whether it takes all of the screen that the desktop leaves.
    maximized: bool,
}

/// The wanted size, points, where it fits on the screen with title bar and frame; else the window is maximized: what lies outside
/// could not be reached.
fn fitting(wanted: [f32; 2], screen: Option<[f32; 2]>) -> OpeningSize {
    // Some systems tell of screens without a size.
    let Some(screen) = screen.filter(|size| size.iter().all(|side| *side >= 1.0)) else {
        return OpeningSize { points: wanted, maximized: false };
    };
    let room = [0, 1].map(|side| (screen[side] - AROUND_WINDOW[side]).max(1.0));
    let points = [0, 1].map(|side| wanted[side].min(room[side]));
    OpeningSize { points, maximized: points != wanted }
}

/// The icon for title bars and task bars of X11 and Windows; on Wayland and macOS the application's package brings it.
fn icon() -> Option<Icon> {
    let picture = image::load_from_memory(include_bytes!("../../packaging/walkabout-128.png")).ok()?.into_rgba8();
    let (width, height) = picture.dimensions();
    Icon::from_rgba(picture.into_raw(), width, height).ok()
}

/// The name of the program's files in `packaging`, and of its entry on desktops. No site stands behind it.
#[cfg(any(target_os = "linux", test))]
const APPLICATION_ID: &str = "invalid.walkabout.walkabout";

/// The name by which desktops find the program's entry. Flatpak gives the files of a package another.
#[cfg(target_os = "linux")]
fn application_id() -> String {
    std::env::var("FLATPAK_ID").ok().filter(|id| !id.is_empty()).unwrap_or_else(|| APPLICATION_ID.into())
}

/// Attributes with the name by which desktops find the program's entry: WM_CLASS on X11, the application id on Wayland.
#[cfg(target_os = "linux")]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    winit::platform::wayland::WindowAttributesExtWayland::with_name(attributes, application_id(), "walkabout")
}

/// Attributes with the icon of the task bar, which Windows has apart from that of the title bar.
#[cfg(windows)]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    winit::platform::windows::WindowAttributesExtWindows::with_taskbar_icon(attributes, icon())
}

/// Lets file dialogs open in front of the window.
#[cfg(windows)]
fn put_dialogs_in_front(window: &Arc<Window>) {
    let window = Arc::downgrade(window);
    crate::ui::native::put_in_front(move |dialog| match window.upgrade() {
        Some(window) => dialog.set_parent(&*window),
        None => dialog,
    });
}

/// Other systems know the program by its file.
#[cfg(not(any(target_os = "linux", windows)))]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

/// Opens the window, `wanted` points wide and high where that fits on the screen.
///
/// # Errors
/// The window system refuses.
pub(super) fn open(event_loop: &ActiveEventLoop, wanted: [f32; 2]) -> anyhow::Result<Arc<Window>> {
    let screen = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let screen = screen.map(|screen| screen.size().to_logical(screen.scale_factor()));
    let opening = fitting(wanted, screen.map(|LogicalSize { width, height }| [width, height]));
    let [width, height] = opening.points;
    let attributes = Window::default_attributes()
        .with_title("Walkabout")
        .with_window_icon(icon())
        .with_inner_size(LogicalSize::new(f64::from(width), f64::from(height)))
        .with_maximized(opening.maximized)
        .with_min_inner_size(LogicalSize::new(640.0, 400.0));
    let window = Arc::new(event_loop.create_window(named(attributes))?);
    #[cfg(windows)]
    put_dialogs_in_front(&window);
    Ok(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn desktops_find_the_program_by_one_name() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging");
        for ending in [".desktop", ".metainfo.xml", "-mime.xml"] {
            let text = std::fs::read_to_string(folder.join(format!("{APPLICATION_ID}{ending}"))).unwrap();
            assert!(text.contains(APPLICATION_ID), "{ending}");
        }
        assert!(std::fs::read_to_string(folder.join("Info.plist")).unwrap().contains(APPLICATION_ID));
    }

    #[test]
    fn a_window_is_no_larger_than_its_screen() {
        let opens = |wanted, screen| {
            let opening = fitting(wanted, screen);
            (opening.points, opening.maximized)
        };
        let wanted = [1440.0, 900.0];
        assert_eq!(opens(wanted, Some([1280.0, 720.0])), ([1272.0, 656.0], true));
        assert_eq!(opens(wanted, Some([1024.0, 2000.0])), ([1016.0, 900.0], true));
        assert_eq!(opens(wanted, Some([1440.0, 900.0])), ([1432.0, 836.0], true), "the title bar takes room, too");
        assert_eq!(opens(wanted, Some([2560.0, 1440.0])), (wanted, false));
        assert_eq!(opens(wanted, Some([0.0, 0.0])), (wanted, false), "a screen that tells no size");
        assert_eq!(opens(wanted, None), (wanted, false));
    }
}
