//! Commands that run again when files change.

use super::program::{out_file, program, write_corner_mesh};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A command that waits for changes.
struct Watching {
    child: Child,
    lines: Receiver<String>,
    /// Lines that came before one that was waited for: those of the two streams overtake each other.
    early: Vec<String>,
}

impl Watching {
    fn start(arguments: &[&str]) -> Self {
        let mut child = program().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (tell, lines) = channel();
        let pipes: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let tell = tell.clone();
            let read =
                move || BufReader::new(pipe).lines().map_while(Result::ok).for_each(|line| drop(tell.send(line)));
            std::thread::spawn(read);
        }
        Self { child, lines, early: Vec::new() }
    }

    /// Waits for a line with these words. Patient: other programs may have the processor.
    fn wait_for(&mut self, words: &str) -> String {
        if let Some(at) = self.early.iter().position(|line| line.contains(words)) {
            return self.early.remove(at);
        }
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(120)).unwrap_or_else(|_| panic!("no {words}"));
            if line.contains(words) {
                return line;
            }
            self.early.push(line);
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn cases_and_bakes_run_again_when_a_file_changes() {
    let mesh = write_corner_mesh("watch.mesh.json");
    let file = out_file("cli-watch.yaml");
    let case = |x: u32| {
        let expect = "expect: {found: true, length: 2.8284}";
        format!("- {{name: round, mesh: '{mesh}', planner: exact, from: [1, 0, 1], to: [{x}, 0, 3], {expect}}}\n")
    };
    std::fs::write(&file, case(3)).unwrap();
    let mut watching = Watching::start(&["nav-test", file.to_str().unwrap(), "--watch"]);
    watching.wait_for("1 of 1 passed");
    watching.wait_for("waiting for changes of 2 files");
    std::fs::write(&file, case(2)).unwrap();
    watching.wait_for("0 of 1 passed");
    watching.wait_for("waiting for changes");
    // A broken file is said, and does not end it.
    std::fs::write(&file, "levels: 3\n").unwrap();
    watching.wait_for("list of maps");
    watching.wait_for("waiting for changes");
    std::fs::write(&file, case(3) + &case(3)).unwrap();
    watching.wait_for("2 of 2 passed");

    let level = out_file("watch.obj");
    let square = |width: u32| format!("v 0 0 0\nv 0 0 9\nv {width} 0 9\nv {width} 0 0\nf 1 2 3 4\n");
    std::fs::write(&level, square(9)).unwrap();
    let mut baking = Watching::start(&["bake", level.to_str().unwrap(), "--watch"]);
    let before = baking.wait_for(" polygon");
    baking.wait_for("waiting for changes of 1 file;");
    std::fs::remove_file(&level).unwrap();
    baking.wait_for("watch.obj is gone");
    std::fs::write(&level, square(19)).unwrap();
    assert_ne!(baking.wait_for(" polygon").split(" island").next(), before.split(" island").next());
}

#[test]
fn a_bake_does_not_wait_for_what_it_writes() {
    let folder = out_file("watch-own-mesh");
    std::fs::create_dir_all(&folder).unwrap();
    let [level, scene, mesh] = ["yard.obj", "yard.acfg", "yard.navmesh"].map(|name| folder.join(name));
    std::fs::write(level, "v 0 0 0\nv 0 0 9\nv 9 0 9\nv 9 0 0\nf 1 2 3 4\n").unwrap();
    let text = "version: 9.0\nlevels: [{level-name: yard, level-file: yard.obj}]\n\
                walkabout: {navigation: {mesh: {file: yard.navmesh}}}\n";
    std::fs::write(&scene, text).unwrap();
    let (scene, mesh) = (scene.to_str().unwrap(), mesh.to_str().unwrap());
    let mut baking = Watching::start(&["bake", scene, "--out", mesh, "--watch"]);
    baking.wait_for(" polygon");
    baking.wait_for("waiting for changes of 2 files");
}
