//! Whether there is a display and what it takes to use it, found out before the window system is started.

/// Says in one sentence why no window can open, if none can.
///
/// # Errors
/// No display server is named in the environment, or a library is missing without which winit panics.
pub fn check() -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    linux::check(&|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()), &linux::can_load)?;
    Ok(())
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
