//! What is fuzzed: each function takes any bytes, and whatever they are must neither panic nor hang nor take much memory.
//! What is accepted must hold together. `tests/fuzz_finds.rs` runs the same functions over what was found.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use walkabout::app::App;
use walkabout::app::recent::Recent;
use walkabout::app::window::FrameHandler;
use walkabout::asset::Image;
use walkabout::asset::import::{EXTENSIONS, guard, import_file, prepare};
use walkabout::nav::exchange::{
    ExchangeAgent, JoinedMesh, MeshFormat, WRITTEN_FORMATS, parse_mesh, recast_demo, write_as,
};
use walkabout::nav::mesh::{Filter, MeshFile, PolyId};
use walkabout::nav::planner::{Planner, PlannerContext, Query};
use walkabout::scene::file;

/// Polygons up to which paths over a mesh are compared.
const MAX_POLYGONS: usize = 400;
/// Coordinates up to which lengths are compared, metres.
const MAX_COORDINATE: f32 = 10_000.0;
/// Events of one session in the window.
const MAX_EVENTS: usize = 60;

/// A navigation mesh in the format that its begin tells, or in the one that the first byte chooses. One that is accepted
/// can be written in every format, comes back whole from our own, and has no path that is shorter than the shortest.
pub fn mesh(bytes: &[u8]) {
    let Some(joined) = open_mesh(bytes) else { return };
    let agent = ExchangeAgent { radius: 0.3, height: 1.8, climb: 0.4 };
    for [ending, _] in WRITTEN_FORMATS {
        let name = PathBuf::from(format!("mesh.{ending}"));
        let Ok(written) = write_as(&joined.mesh, &joined.file, &name, &agent) else { continue };
        if ending == "navmesh" {
            let back = MeshFile::from_bytes(&written.bytes).expect("our own file is read");
            assert_eq!(back.to_bytes(), written.bytes, "the file comes back as it was");
        }
    }
    compare_paths(&joined);
}

/// A navigation mesh as it is opened, and nothing else; the program of this target measures memory.
pub fn parse(bytes: &[u8]) {
    // Refusing is as good as opening.
    let _ = open_mesh(bytes);
}

fn open_mesh(bytes: &[u8]) -> Option<JoinedMesh> {
    use MeshFormat as F;
    let (&choice, rest) = bytes.split_first()?;
    let by_choice = [F::Navmesh, F::Json, F::Polyanya, F::SourceNav, F::Godot, F::Unity, F::Obj, F::Ply, F::Gltf];
    let (format, bytes) = match MeshFormat::of(bytes).or_else(|| MeshFormat::of_surface(bytes)) {
        Some(format) => (format, bytes),
        None => (by_choice[usize::from(choice) % by_choice.len()], rest),
    };
    parse_mesh(bytes, format).ok()
}

fn compare_paths(joined: &JoinedMesh) {
    let mesh = &joined.mesh;
    let bounds = mesh.bounds();
    let is_small = bounds.min.abs().max(bounds.max.abs()).max_element() < MAX_COORDINATE;
    if mesh.len() > MAX_POLYGONS || !is_small {
        return;
    }
    let centre = |id: PolyId| {
        let corners: Vec<glam::Vec3> = mesh.corners(id).collect();
        mesh.world(corners.iter().sum::<glam::Vec3>() / corners.len().max(1) as f32)
    };
    let (Some(first), Some(last)) = (mesh.live_polygons().next(), mesh.live_polygons().last()) else { return };
    let filter = Filter::default();
    let Ok(query) = Query::between(mesh, centre(first), centre(last), &filter) else { return };
    let mut context = PlannerContext::new();
    let [exact, funnel] = [Planner::Exact, Planner::Funnel].map(|planner| planner.find(&mut context, mesh, &query));
    assert_eq!(exact.reason.is_none(), funnel.reason.is_none(), "{:?}, {:?}", exact.reason, funnel.reason);
    if exact.reason.is_none() {
        // In plan view: over heights the shortest path of the plan may be the longer one.
        let [exact, funnel] = [exact.length_2d, funnel.length_2d];
        assert!(exact <= funnel * 1.001 + 0.001, "{exact} over {funnel}");
    }
}

/// A scene file. One that is accepted is written and read again without a change.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let path = Path::new("/nowhere/config/scene.acfg");
    let Ok(loaded) = file::load_str(text, path) else { return };
    let once = file::to_string(&loaded.scene, &loaded.selection);
    let again =
        file::load_str(&once, path).unwrap_or_else(|error| panic!("what was saved is refused: {error}\n{once}"));
    let twice = file::to_string(&again.scene, &again.selection);
    assert_eq!(once, twice, "saving twice gives two files");
}

/// A picture of any format; the first byte says whether its name ends in `.tga`, which has no signature.
pub fn picture(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let name = if choice % 2 == 0 { "a.png" } else { "a.tga" };
    if let Ok(image) = Image::decode(rest, name.to_owned()) {
        assert_eq!(image.rgba.len() as u64, u64::from(image.width) * u64::from(image.height) * 4);
    }
}

/// A model, as far as it is looked at before Assimp sees it, in a process of its own; the first byte chooses the format.
pub fn model(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let ending = ["gltf", "glb", "obj", "dae"][usize::from(choice) % 4];
    let path = PathBuf::from(format!("/nowhere/model.{ending}"));
    if guard::check(&path, rest).is_ok() {
        // Refusing is as good as decoding.
        let _ = prepare(&path, rest);
    }
}

/// A model, whole: what an import worker does, in this process. Assimp may crash, which a worker is for; what may not be
/// is that it takes more time or memory than a worker is given. The first byte chooses the format.
pub fn import(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let path = folder().join("model").with_extension(EXTENSIONS[usize::from(choice) % EXTENSIONS.len()]);
    if guard::check(&path, rest).is_ok() {
        std::fs::write(&path, rest).expect("the folder of the trials can be written");
        // Refusing is as good as importing.
        let _ = import_file(&path);
    }
}

/// Cases of this program and of RecastDemo, and RecastDemo's scenes; the first byte chooses.
pub fn cases(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    match (choice % 3, std::str::from_utf8(rest)) {
        (0, _) => {
            let file = folder().join("cases.json");
            std::fs::write(&file, rest).expect("the folder of the trials can be written");
            let _ = file::cases::read(&file);
        }
        (1, Ok(text)) => drop(recast_demo::read_demo_cases(text)),
        (_, Ok(text)) => drop(recast_demo::read_geometry_set(text)),
        (_, Err(_)) => {}
    }
}

/// A session in the window: three bytes are an event of mouse or keys. Whatever was done, the scene can be saved and read.
pub fn window(bytes: &[u8]) {
    let mut app = App::new(Recent::default());
    let path = folder().join("scene.acfg");
    std::fs::write(&path, SCENE).expect("the folder of the trials can be written");
    app.open_at_start(&path);
    let context = egui::Context::default();
    let frame = |app: &mut App, events: Vec<egui::Event>| {
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 720.0)));
        let input = egui::RawInput { events, screen_rect, focused: true, ..Default::default() };
        let mut output = context.run_ui(input, |ui| {
            app.update(ui, Duration::from_millis(16));
        });
        output.textures_delta.clear();
    };
    frame(&mut app, Vec::new());
    for three in bytes.chunks_exact(3).take(MAX_EVENTS) {
        frame(&mut app, events(three[0], three[1], three[2]));
        frame(&mut app, Vec::new());
    }
    let text = file::to_string(app.scene(), &Default::default());
    file::load_str(&text, &path).unwrap_or_else(|error| panic!("what was made cannot be read: {error}\n{text}"));
}

fn events(kind: u8, a: u8, b: u8) -> Vec<egui::Event> {
    use egui::{Event, Key, Modifiers, PointerButton};
    let at = egui::pos2(f32::from(a) * 5.02, f32::from(b) * 2.82);
    let modifiers =
        Modifiers { alt: b & 1 != 0, ctrl: b & 2 != 0, shift: b & 4 != 0, mac_cmd: false, command: b & 2 != 0 };
    let button = |button, pressed| Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE };
    let key = |key, pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    match kind % 8 {
        0 | 1 => {
            vec![Event::PointerMoved(at), button(PointerButton::Primary, true), button(PointerButton::Primary, false)]
        }
        2 => vec![
            Event::PointerMoved(at),
            button(PointerButton::Secondary, true),
            button(PointerButton::Secondary, false),
        ],
        3 => vec![Event::PointerMoved(at), button(PointerButton::Primary, true)],
        4 => vec![Event::PointerMoved(at), button(PointerButton::Primary, false)],
        5 => vec![Event::Text(char::from(a & 127).to_string())],
        _ => {
            let key_of = Key::ALL[usize::from(a) % Key::ALL.len()];
            vec![key(key_of, true), key(key_of, false)]
        }
    }
}

/// A folder of this process.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder can be made")).path()
}

const SCENE: &str = "version: 9.0\nsettings:\n  selected-model: 0\n  selected-instance: 1\n  navigation-enabled: true\n\
    cameras:\n  - camera-name: FreeCam\n    position: [0, 2, 8]\n    view-azimuth: 0\n    view-elevation: 0\n    \
    camera-type: 0\n    camera-projection: 0\n    field-of-view: 60\n\
    models:\n  - model-name: thing\n    model-file: thing.glb\n\
    instances:\n  - model-file: thing\n    position: [0, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n  \
    - model-file: thing\n    position: [3, 0, 0]\n    rotation: [0, 0, 0]\n    scale: 1\n";
