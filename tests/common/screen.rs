//! A virtual display with a window in it, and how tests wait for what is on screen.

#![allow(dead_code, reason = "every test that includes it uses a part")]

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for anything: generous, as the software driver compiles its shaders on the way.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// Width and height of the window that the program opens, pixels, and of a Wayland screen.
pub const SIZE: (u32, u32) = (1440, 900);
/// Room on an X screen beside such a window: one that does not fit with its title bar opens maximized.
const MARGIN: u32 = 100;

/// A virtual display, gone with its value.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    pub fn start() -> Self {
        let screen = format!("{}x{}x24", SIZE.0 + MARGIN, SIZE.1 + MARGIN);
        // Without -noreset the server starts anew when its last client leaves, and refuses connections meanwhile: the program
        // would find no display whenever a question of xdotool ends at the wrong moment.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset", "-screen", "0", &screen])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs Xvfb (Debian: apt-get install xvfb xdotool imagemagick)");
        let mut out = server.stdout.take().unwrap();
        let mut number = String::new();
        let mut byte = [0];
        while out.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            number.push(char::from(byte[0]));
        }
        assert!(!number.is_empty(), "Xvfb did not start");
        Self { server, name: format!(":{number}") }
    }

    /// What `xdotool` answers to a question.
    fn asked(&self, arguments: &[&str]) -> Option<String> {
        let done = self.command("xdotool").args(arguments).output().ok()?;
        String::from_utf8(done.stdout).ok()?.lines().next().map(str::to_owned)
    }

    /// The window of the program, once it is there.
    pub fn window(&self, program: &mut Program) -> String {
        wait_for("the window", || {
            program.assert_runs();
            self.asked(&["search", "--name", "Walkabout"])
        })
    }

    /// The title of a window.
    pub fn title(&self, window: &str) -> String {
        self.asked(&["getwindowname", window]).unwrap_or_default()
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        // Without a message bus there are no file dialogs of the desktop that runs the tests.
        command.env_remove("DBUS_SESSION_BUS_ADDRESS").env_remove("XDG_RUNTIME_DIR");
        command
    }

    pub fn xdotool(&self, arguments: &[&str]) {
        assert!(self.tried(arguments).is_some(), "xdotool {arguments:?} failed");
    }

    /// Does something by `xdotool` that may fail; nothing then.
    pub fn tried(&self, arguments: &[&str]) -> Option<()> {
        let done = self.command("xdotool").args(arguments).stdout(Stdio::null()).status();
        done.expect("this test needs xdotool").success().then_some(())
    }

    /// What is on screen, as RGB.
    pub fn picture(&self) -> image::RgbImage {
        self.picture_of("root")
    }

    /// What a window shows, as RGB.
    pub fn picture_of(&self, window: &str) -> image::RgbImage {
        let shot = self.command("import").args(["-silent", "-window", window, "png:-"]).output();
        let shot = shot.expect("this test needs ImageMagick's import");
        assert!(shot.status.success(), "import failed: {}", String::from_utf8_lossy(&shot.stderr));
        image::load_from_memory(&shot.stdout).unwrap().to_rgb8()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Nothing can be done about a server that is already gone.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program, stopped with its value if it is still running.
pub struct Program(pub Child);

impl Program {
    /// Starts it on a scene, with everything it writes below `folder`, where it runs.
    pub fn start(display: &Display, folder: &Path, scene: &Path) -> Self {
        Self::spawn(display.command(env!("CARGO_BIN_EXE_walkabout")), folder, scene)
    }

    /// Starts what `command` names as [`Program::start`] does.
    pub fn spawn(mut command: Command, folder: &Path, scene: &Path) -> Self {
        let child = command
            .arg(scene)
            .current_dir(folder)
            .env("WALKABOUT_CONFIG_DIR", folder.join("config"))
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Panics where the program is not running any more; what it said stands in the test's output.
    pub fn assert_runs(&mut self) {
        let ended = self.0.try_wait().unwrap();
        assert!(ended.is_none(), "the program ended by itself: {ended:?}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until `found` gives something; says what was waited for when it does not come.
pub fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = found() {
            return value;
        }
        assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// How many pixels of two pictures differ visibly.
pub fn differing(a: &image::RgbImage, b: &image::RgbImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(x, y)| x.abs_diff(y) > 24)).count()
}
