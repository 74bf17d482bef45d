//! Programs that end in the middle of their work: what was saved stays whole, and little of the rest is lost.
//!
//! One test starts itself as a child that edits and saves a scene through the user interface, and stops it without
//! warning; a frame of the child counts as a second. Another stops the commands that write a file.
//! `WALKABOUT_KILLS=1000 cargo test --test recovery` kills so many of each.

#![allow(clippy::unwrap_used, reason = "a test that cannot start its child has to fail")]

use libtest_mimic::{Arguments, Failed, Trial};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::recovery::{self, Recovery};
use walkabout::app::window::FrameHandler;
use walkabout::scene::file;

/// Names the folder in which a child works.
const CHILD: &str = "WALKABOUT_RECOVERY_TEST";
/// Frames between two saves of the child; 0 for never.
const SAVES: &str = "WALKABOUT_RECOVERY_TEST_SAVES";
/// The frame in which the child comes upon a defect.
const DEFECT: &str = "WALKABOUT_RECOVERY_TEST_DEFECT";
/// How many programs each test kills, if more than by itself.
const KILLS: &str = "WALKABOUT_KILLS";
/// Most seconds of work that may be lost.
const MAX_LOST: usize = 30;

fn main() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return work(Path::new(&folder));
    }
    let tests = vec![
        Trial::test("killed_at_any_moment_loses_half_a_minute_at_most_and_never_what_was_saved", || {
            kills(number(KILLS).max(200))
        }),
        Trial::test("commands_killed_at_any_moment_leave_the_old_file_or_the_new", || {
            command_kills(number(KILLS).max(150))
        }),
        Trial::test("a_defect_keeps_everything_and_says_where", defect),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit()
}

fn number(name: &str) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Press and release of a key with Ctrl.
fn key(key: egui::Key) -> [egui::Event; 2] {
    let modifiers = egui::Modifiers::COMMAND.plus(egui::Modifiers::CTRL);
    [true, false].map(|pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers })
}

/// The child: adds an instance in every frame, and tells after each how many there are and how many are saved.
fn work(folder: &Path) {
    let mut app = App::new(Recent::default());
    app.open_at_start(&folder.join("scene.acfg"));
    app.keep_unsaved_in(folder.join("recovery"));
    recovery::write_on_panic(folder.join("reports"));
    let (context, saves, defect) = (egui::Context::default(), number(SAVES), number(DEFECT));
    let mut out = std::io::stdout().lock();
    let mut saved = 1;
    for frame in 1..=100_000 {
        let mut events = key(egui::Key::D).to_vec();
        if saves > 0 && frame % saves == 0 {
            events.extend(key(egui::Key::S));
        }
        let mut output = context.run_ui(egui::RawInput { events, ..Default::default() }, |ui| {
            app.update(ui, Duration::from_secs(1));
        });
        output.textures_delta.clear();
        assert_ne!(frame, defect, "the defect of the test");
        let count = app.scene().instances.len();
        if !app.is_dirty() {
            saved = count;
        }
        // A parent that is gone wants no more.
        if writeln!(out, "{count} {saved}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn fixture(folder: &Path) -> PathBuf {
    let text = "version: 9.0\nsettings:\n  selected-model: 0\n  selected-instance: 1\n  navigation-enabled: false\n\
        cameras:\n  - camera-name: FreeCam\n    position: [0, 2, 8]\n    view-azimuth: 0\n    view-elevation: 0\n    \
        camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n\
        models:\n  - model-name: thing\n    model-file: thing.glb\n\
        instances:\n  - model-file: thing\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n";
    let path = folder.join("scene.acfg");
    std::fs::write(&path, text).unwrap();
    path
}

fn start(folder: &Path, saves: u64, defect: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .env(CHILD, folder)
        .env(SAVES, saves.to_string())
        .env(DEFECT, defect.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn kills(times: u64) -> Result<(), Failed> {
    let (mut restorable, mut kept_all) = (0, 0);
    for turn in 0..times {
        let folder = tempfile::tempdir().unwrap();
        let scene = fixture(folder.path());
        // Every other child never saves; the rest saves after 2, 5, 8 … frames.
        let saves = if turn % 2 == 0 { 0 } else { 2 + turn % 9 * 3 };
        let lives = turn * 7919 % 97 + 3;
        let mut child = start(folder.path(), saves, 0);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut last = None;
        for _ in 0..lives {
            last = lines.next().and_then(Result::ok);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it wrote until the kill arrived; its last line may be cut off.
        let (done, saved) = lines.map_while(Result::ok).chain(last).filter_map(|line| counts(&line)).max().unwrap();

        if done + 2 < lives as usize {
            return Err(format!("turn {turn}: {done} instances after {lives} frames: the child does not work").into());
        }
        let kept = file::load(&scene).map_err(|error| format!("turn {turn}: the saved file is gone: {error}"))?;
        let kept = kept.scene.instances.len();
        if kept < saved {
            return Err(format!("turn {turn}: {saved} were saved, {kept} are in the file").into());
        }
        let found = Recovery::in_folder(folder.path().join("recovery")).found();
        let recovered = match &found[..] {
            [] => 0,
            [one] => {
                assert_eq!(one.scene.as_deref(), Some(&*scene));
                one.load().map_err(|error| format!("turn {turn}: {error}"))?.scene.instances.len()
            }
            more => return Err(format!("turn {turn}: {} recovery files", more.len()).into()),
        };
        restorable += u64::from(recovered > 1);
        kept_all += u64::from(kept > 1);
        if kept.max(recovered) + MAX_LOST < done {
            return Err(format!("turn {turn}: of {done}, {kept} are saved and {recovered} can be restored").into());
        }
    }
    if restorable < times / 4 || kept_all < times / 4 {
        return Err(format!("{restorable} times something was kept, {kept_all} times saved: too few to tell").into());
    }
    Ok(())
}

/// A whole line of a child: how many instances there are, and how many are saved.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (count, saved) = line.split_once(' ')?;
    Some((count.parse().ok()?, saved.parse().ok()?))
}

fn defect() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    fixture(folder.path());
    let mut child = start(folder.path(), 0, 6);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!child.wait().unwrap().success());
    let found = Recovery::in_folder(folder.path().join("recovery")).found();
    assert_eq!(found.len(), 1, "{said}");
    let count = found[0].load().unwrap().scene.instances.len();
    assert!(count > 3, "{count} instances were kept: {said}");
    assert!(said.contains(found[0].file.to_str().unwrap()), "{said}");
    let report = said.lines().find_map(|line| line.trim().strip_prefix("A report is in ")).expect("a report is named");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("the defect of the test") && report.contains(env!("CARGO_PKG_VERSION")), "{report}");
    Ok(())
}

/// The arguments of each command that writes a file, the file last; `mesh` and `scene` are what they read.
fn writing_commands(mesh: &str, scene: &str) -> Vec<Vec<String>> {
    let level = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/levels/arena.obj");
    let commands: [&[&str]; 8] = [
        &["bake", level, "--out", "a.navmesh"],
        &["index", mesh, "--out", "a.index"],
        &["convert", mesh, "a.tres"],
        &["convert", mesh, "a.bin"],
        &["convert", mesh, "a.obj"],
        &["convert", scene, "a.acfg"],
        &["render", scene, "--size", "64x48", "--out", "a.png"],
        &["render", scene, "--seconds", "0.2", "--sound", "a.wav"],
    ];
    commands.iter().map(|words| words.iter().map(|&word| word.to_owned()).collect()).collect()
}

fn command_kills(times: u64) -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let scene = fixture(folder.path());
    let mesh = folder.path().join("level.navmesh");
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_walkabout"));
        command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let commands = writing_commands(mesh.to_str().unwrap(), scene.to_str().unwrap());
    let mut baking = commands[0].clone();
    baking[3] = mesh.to_string_lossy().into_owned();
    assert!(program().args(&baking).status()?.success());
    let old = b"what was there before".to_vec();
    let (mut outcomes, mut in_the_middle) = ([0_u64; 2], 0);
    for words in &commands {
        let file = folder.path().join(words.last().unwrap());
        let begun = Instant::now();
        assert!(program().args(words).status()?.success(), "{words:?}");
        let whole = begun.elapsed();
        let new = std::fs::read(&file)?;
        for turn in 0..times / commands.len() as u64 {
            std::fs::write(&file, &old)?;
            let mut child = program().args(words).spawn()?;
            if turn % 2 == 0 {
                std::thread::sleep(whole.mul_f64((turn * 7919 % 97) as f64 / 80.0));
            } else {
                // At a moment between the first byte and the last rename.
                while temporaries(folder.path()).is_empty() && child.try_wait()?.is_none() {
                    std::thread::yield_now();
                }
            }
            child.kill()?;
            child.wait()?;
            let left = temporaries(folder.path());
            in_the_middle += u64::from(!left.is_empty());
            left.iter().for_each(|file| std::fs::remove_file(file).unwrap());
            let now = std::fs::read(&file).map_err(|error| format!("{words:?}, turn {turn}: {error}"))?;
            if now != old && now != new {
                return Err(format!("{words:?}, turn {turn}: {} bytes, neither old nor new", now.len()).into());
            }
            outcomes[usize::from(now == new)] += 1;
        }
    }
    println!("{} files stayed, {} were replaced, {in_the_middle} kills came while writing", outcomes[0], outcomes[1]);
    if outcomes.contains(&0) || in_the_middle == 0 {
        return Err(format!("{outcomes:?}, {in_the_middle} while writing: too few to tell").into());
    }
    Ok(())
}

/// The files in a folder that were being written.
fn temporaries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "tmp")).collect()
}
