//! What an import worker may do: read the model's folder and those beside it that the model names, and nothing else.
//!
//! The test starts itself as a child that gives up its rights as a worker does, and then tries.

#![allow(clippy::unwrap_used, reason = "a test that cannot start its child has to fail")]

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use walkabout::asset::cache::Cache;
use walkabout::asset::{Importer, sandbox, worker};

/// Names the model of a child.
const CHILD: &str = "WALKABOUT_SANDBOX_TEST";

fn main() {
    if let Some(code) = worker::run_if_worker() {
        std::process::exit(code.into());
    }
    if let Some(model) = std::env::var_os(CHILD) {
        return attempt(Path::new(&model));
    }
    let here = sandbox::supported();
    let tests = vec![
        Trial::test("a_worker_reads_its_folder_and_nothing_else", attempts)
            .with_ignored_flag(!here.files || !here.calls),
        Trial::test("programs_of_any_name_start_themselves_as_workers", own_worker),
        Trial::test("workers_give_up_their_rights", running_worker).with_ignored_flag(!here.calls),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit()
}

/// The child: one line for each thing that it tries, with what came of it.
fn attempt(model: &Path) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let confined = sandbox::enter(model, &[model.parent().unwrap().with_file_name("textures")]);
    let say = |what: &str, result: Result<(), std::io::Error>| {
        let outcome = result.map_or_else(|e| format!("{:?}", e.kind()), |()| "done".to_owned());
        println!("{what}: {outcome}");
    };
    let folder = model.parent().unwrap();
    println!("{confined:?}");
    say("model", fs::read(model).map(drop));
    say("side file", fs::read(folder.join("textures/a.png")).map(drop));
    say("list", fs::read_dir(folder).map(drop));
    say("free memory", fs::read("/proc/meminfo").map(drop));
    say("passwords", fs::read("/etc/passwd").map(drop));
    say("folder beside", fs::read(folder.join("../textures/b.png")).map(drop));
    say("beside", fs::read(folder.join("../secret")).map(drop));
    say("new file", fs::write(folder.join("new"), "x"));
    say("overwrite", fs::write(model, "x"));
    say("delete", fs::remove_file(model));
    say("connect", TcpStream::connect(address).map(drop));
    say("listen", TcpListener::bind("127.0.0.1:0").map(drop));
    say("datagram", UdpSocket::bind("127.0.0.1:0").map(drop));
    say("program", Command::new("/bin/true").status().map(drop));
    // Threads that start later have no more rights.
    let inner = std::thread::spawn(|| fs::read("/etc/passwd").map(drop)).join().unwrap();
    say("passwords on a thread", inner);
    say("signal", signal_parent());
}

#[cfg(unix)]
fn signal_parent() -> std::io::Result<()> {
    // SAFETY: signal 0 only asks whether a signal could be sent.
    let answer = unsafe { libc::kill(libc::getppid(), 0) };
    if answer == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[cfg(not(unix))]
fn signal_parent() -> std::io::Result<()> {
    Err(ErrorKind::PermissionDenied.into())
}

/// A model's folder with a side file, a folder and a file beside it.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let textures = root.path().join("model/textures");
    fs::create_dir_all(&textures).unwrap();
    fs::write(textures.join("a.png"), "a").unwrap();
    fs::create_dir(root.path().join("textures")).unwrap();
    fs::write(root.path().join("textures/b.png"), "b").unwrap();
    fs::write(root.path().join("secret"), "s").unwrap();
    let model = root.path().join("model/a.obj");
    // So large that its answer does not fit into a pipe.
    let vertices: String = (0..20_000).map(|i| format!("v {} {} {}\n", i % 100, i / 100, i % 7)).collect();
    let faces: String = (1..19_998).map(|i| format!("f {i} {} {}\n", i + 1, i + 2)).collect();
    fs::write(&model, vertices + &faces).unwrap();
    (root, model)
}

fn attempts() -> Result<(), Failed> {
    let (_root, model) = folder();
    let output = Command::new(std::env::current_exe()?).env(CHILD, &model).output()?;
    let said = String::from_utf8(output.stdout)?;
    let denied = format!("{:?}", ErrorKind::PermissionDenied);
    let allowed = ["model", "side file", "list", "free memory", "folder beside"];
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("Confinement { files: true, calls: true }"));
    let outcomes: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    assert_eq!(outcomes.len(), 16, "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for (what, outcome) in outcomes {
        assert_eq!(outcome, if allowed.contains(&what) { "done" } else { &denied }, "{what}");
    }
    assert!(model.is_file());
    Ok(())
}

/// This program is not called as Walkabout is, but begins as it does.
fn own_worker() -> Result<(), Failed> {
    let (root, model) = folder();
    let importer = Importer { cache: Cache::in_folder(root.path().join("cache")), ..Importer::default() };
    assert_eq!(importer.program, Some(std::env::current_exe()?));
    assert_eq!(importer.load(&model)?.meshes[0].vertices.len(), 3 * 19_997);
    Ok(())
}

/// A worker that waits for its answer to be read says itself what it may do.
fn running_worker() -> Result<(), Failed> {
    let (_root, model) = folder();
    let mut worker = Command::new(env!("CARGO_BIN_EXE_walkabout"))
        .args(["import-worker", "4294967296", "60"])
        .arg(&model)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut first = [0];
    std::io::Read::read_exact(&mut worker.stdout.take().ok_or("no output")?, &mut first)?;
    let status = fs::read_to_string(format!("/proc/{}/status", worker.id()));
    worker.kill()?;
    worker.wait()?;
    let status = status?;
    let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    assert_eq!((line("Seccomp:"), line("NoNewPrivs:")), (Some("2"), Some("1")), "{status}");
    Ok(())
}
