//! A Wayland compositor without a screen, and what tests do to it.

use super::screen::{Program, SIZE, wait_for};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The user that owns nothing: Sway refuses to run as root.
const NOBODY: u32 = 65534;

/// Sway with one output that no screen shows, gone with its value.
pub struct Compositor {
    server: Child,
    runtime_dir: tempfile::TempDir,
}

impl Compositor {
    pub fn start() -> Self {
        let runtime_dir = tempfile::tempdir().unwrap();
        let config = runtime_dir.path().join("config");
        let text =
            format!("output HEADLESS-1 resolution {}x{}\ndefault_border none\nxwayland disable\n", SIZE.0, SIZE.1);
        std::fs::write(&config, text).unwrap();
        let mut command = Command::new("sway");
        command
            .args(["--config".as_ref(), config.as_os_str()])
            .env("XDG_RUNTIME_DIR", runtime_dir.path())
            .env("HOME", runtime_dir.path())
            .env("WLR_BACKENDS", "headless")
            .env("WLR_RENDERER", "pixman")
            .env("WLR_LIBINPUT_NO_DEVICES", "1")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // SAFETY: asks for the number of the user, and nothing else.
        if unsafe { libc::getuid() } == 0 {
            std::os::unix::fs::chown(runtime_dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
            command.uid(NOBODY).gid(NOBODY);
        }
        let server = command.spawn().expect("this test needs Sway (Debian: apt-get install sway grim wtype)");
        let compositor = Self { server, runtime_dir };
        wait_for("the compositor", || compositor.socket("wayland-"));
        wait_for("the compositor's control", || compositor.socket("sway-ipc"));
        compositor
    }

    /// The socket whose name begins so.
    fn socket(&self, start: &str) -> Option<PathBuf> {
        let files = std::fs::read_dir(self.runtime_dir.path()).unwrap().flatten();
        files.map(|file| file.path()).find(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with(start) && !name.ends_with(".lock")
        })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("XDG_RUNTIME_DIR", self.runtime_dir.path())
            .env("WAYLAND_DISPLAY", self.socket("wayland-").expect("waited for"))
            .env("SWAYSOCK", self.socket("sway-ipc").expect("waited for"))
            .env_remove("DISPLAY")
            .env_remove("DBUS_SESSION_BUS_ADDRESS");
        command
    }

    /// Runs a tool and returns what it prints.
    pub fn run(&self, tool: &str, arguments: &[&str]) -> Vec<u8> {
        let done = self.command(tool).args(arguments).output();
        let done = done.unwrap_or_else(|error| panic!("this test needs {tool}: {error}"));
        assert!(done.status.success(), "{tool} {arguments:?} failed");
        done.stdout
    }

    /// Presses keys as `wtype` is told. Its keyboard exists while it runs alone: the window has to hear of it before the first
    /// key, and has to have all of them before it goes.
    pub fn type_keys(&self, arguments: &[&str]) {
        const PAUSE_MS: &str = "1500";
        self.run("wtype", &[&["-s", PAUSE_MS], arguments, &["-s", PAUSE_MS]].concat());
    }

    /// The text on the clipboard; `None` where there is none.
    pub fn clipboard(&self) -> Option<String> {
        let done = self.command("wl-paste").args(["--no-newline"]).stderr(Stdio::null()).output();
        let done = done.expect("this test needs wl-paste (Debian: apt-get install wl-clipboard)");
        done.status.success().then(|| String::from_utf8(done.stdout).unwrap())
    }

    /// Puts a text on the clipboard. A process beside holds it there until another text is put there, or the compositor ends.
    pub fn set_clipboard(&self, text: &str) {
        let status = self.command("wl-copy").arg(text).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("this test needs wl-copy (Debian: apt-get install wl-clipboard)").success());
    }

    /// What is on the output, as RGB.
    pub fn picture(&self) -> image::RgbImage {
        image::load_from_memory(&self.run("grim", &["-"])).unwrap().to_rgb8()
    }

    /// Starts the program on a scene, with everything that it writes below `folder`, where it runs.
    pub fn start_program(&self, folder: &Path, scene: &Path) -> Program {
        Program::spawn(self.command(env!("CARGO_BIN_EXE_walkabout")), folder, scene)
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        // Nothing can be done about a server that is already gone.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
