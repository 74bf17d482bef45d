//! Whether there is a display and what it takes to use it, found out before the window system is started; and how a program without a
//! terminal tells why it opens no window.

use std::io::IsTerminal;

/// Says in one sentence why no window can open, if none can.
///
/// # Errors
/// No display server is named in the environment, or a library is missing without which winit panics.
pub fn check() -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    linux::check(&|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()), &linux::can_load)?;
    Ok(())
}

/// Says in a box why no window opened, where no terminal shows it: started from a menu or by an icon. Waits until it is read.
pub fn show_failure(text: &str) {
    let terminals = [std::io::stdin().is_terminal(), std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
    if terminals.contains(&true) || !has_boxes() {
        return;
    }
    let dialog = rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error).set_title("Walkabout");
    dialog.set_description(text).show();
}

#[cfg(not(target_os = "linux"))]
fn has_boxes() -> bool {
    true
}

/// On Linux another program shows them, on a display.
#[cfg(target_os = "linux")]
fn has_boxes() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let folders = std::env::var_os("PATH").unwrap_or_default();
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
        && std::env::split_paths(&folders).any(|folder| folder.join("zenity").is_file())
}

/// Closes the console that Windows opened for this program alone, as it does when it is started by its icon. One that it was typed into
/// stays.
pub fn leave_console() {
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::Console::{FreeConsole, GetConsoleProcessList};
        let mut programs = [0; 2];
        // SAFETY: the length is that of the list; what is written without a console is lost, as the standard library knows.
        unsafe {
            if GetConsoleProcessList(programs.as_mut_ptr(), programs.len() as u32) == 1 {
                FreeConsole();
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::CStr;

    /// Libraries that winit opens when it runs on X11, with the Debian packages that hold them.
    const X11_LIBRARIES: &[(&CStr, &str)] = &[
        (c"libX11.so.6", "libx11-6"),
        (c"libX11-xcb.so.1", "libx11-xcb1"),
        (c"libXcursor.so.1", "libxcursor1"),
        (c"libXi.so.6", "libxi6"),
        (c"libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ];

    pub fn check(is_set: &dyn Fn(&str) -> bool, can_load: &dyn Fn(&CStr) -> bool) -> anyhow::Result<()> {
        let wayland = is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET");
        if !wayland && !is_set("DISPLAY") {
            anyhow::bail!(
                "There is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set); \
                 `walkabout render` and `walkabout simulate` work without one."
            );
        }
        if wayland {
            return Ok(());
        }
        let missing: Vec<&str> =
            X11_LIBRARIES.iter().filter(|(name, _)| !can_load(name)).map(|(_, package)| *package).collect();
        anyhow::ensure!(
            missing.is_empty(),
            "Libraries of the window system are missing. Install them (Debian: apt-get install {}); \
             `walkabout render` and `walkabout simulate` work without them.",
            missing.join(" ")
        );
        Ok(())
    }

    /// Whether the dynamic linker finds a library.
    pub fn can_load(name: &CStr) -> bool {
        // SAFETY: the name is a C string, and loading these libraries has no effect beyond their being loaded, which
        // winit does next anyway; the handle is not closed, so nothing that points into them can dangle.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        !handle.is_null()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn says_what_is_missing() {
            let nothing = check(&|_| false, &|_| true).unwrap_err().to_string();
            assert!(nothing.contains("no display") && nothing.contains("walkabout render"), "{nothing}");
            let x11 = |name: &str| name == "DISPLAY";
            let no_keyboard = |name: &CStr| name != c"libxkbcommon-x11.so.0";
            let text = check(&x11, &no_keyboard).unwrap_err().to_string();
            assert!(text.contains("apt-get install libxkbcommon-x11-0"), "{text}");
            assert!(check(&x11, &|_| true).is_ok());
            assert!(check(&|name| name == "WAYLAND_DISPLAY", &|_| false).is_ok());
            assert!(!can_load(c"libdoes-not-exist.so.77"));
        }
    }
}
