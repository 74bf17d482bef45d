//! What Detour itself makes of the sets that are written. Detour is taken from Debian's package `librecast-dev`, or from
//! its sources where `WALKABOUT_DETOUR` names their folder (the one with `Include` and `Source`).

use super::program::{out_file, text, walkabout};
use glam::{DVec3, Vec3};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use walkabout::nav::exchange::{JoinedMesh, read_mesh};
use walkabout::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use walkabout::nav::mesh::{MeshFile, NONE, PolyId, RawPolygon};

/// Largest difference of heights between the two, metres: Detour's detail lies on the polygons' corners exactly.
const HEIGHT: f32 = 1e-3;

/// How a compiler finds Detour; `None` where it is not there.
fn compiler_arguments() -> Option<Vec<OsString>> {
    if let Some(folder) = std::env::var_os("WALKABOUT_DETOUR").map(PathBuf::from) {
        let sources = std::fs::read_dir(folder.join("Source")).unwrap().map(|entry| entry.unwrap().path());
        let sources = sources.filter(|path| path.extension().is_some_and(|end| end == "cpp"));
        let headers = [OsString::from("-I"), folder.join("Include").into()];
        return Some(headers.into_iter().chain(sources.map(PathBuf::into_os_string)).collect());
    }
    let headers = ["/usr/include/recastnavigation", "/usr/local/include/recastnavigation"];
    let headers = headers.into_iter().find(|folder| Path::new(folder).join("DetourNavMesh.h").exists())?;
    Some(["-I", headers, "-lDetour"].map(OsString::from).into())
}

/// The program that loads sets by Detour, built once.
fn reader() -> &'static Path {
    static READER: OnceLock<PathBuf> = OnceLock::new();
    READER.get_or_init(|| {
        let found = compiler_arguments().expect("no Detour: install librecast-dev, or set WALKABOUT_DETOUR");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/detour_reader.cpp");
        let program = out_file("detour-reader");
        let output = Command::new("c++").args(["-O1", "-o"]).arg(&program).arg(source).args(found).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        program
    })
}

/// A polygon or an off-mesh connection as Detour has it.
struct Line<'a> {
    words: std::str::SplitWhitespace<'a>,
}

impl Line<'_> {
    fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(&mut self) -> T {
        self.words.next().unwrap().parse().unwrap()
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// The bits of a polygon's corners, in an order of their own.
fn key(corners: impl Iterator<Item = Vec3>) -> Vec<[u32; 3]> {
    let mut bits: Vec<[u32; 3]> = corners.map(|c| c.to_array().map(f32::to_bits)).collect();
    bits.sort_unstable();
    bits
}

struct DetourPolygon {
    area: u8,
    flags: u16,
    corners: Vec<Vec3>,
    height: Option<f32>,
    neighbors: Vec<usize>,
}

fn polygon(line: &str) -> DetourPolygon {
    let (shape, rest) = line.split_once(" height ").unwrap();
    let (height, neighbors) = rest.split_once(" neighbors").unwrap();
    let mut line = Line { words: shape.split_whitespace() };
    let (area, flags) = (line.number(), line.number());
    let numbers: Vec<f32> = line.words.map(|word| word.parse().unwrap()).collect();
    let corners = numbers.chunks_exact(3).map(Vec3::from_slice).collect();
    let (known, height) = height.split_once(' ').unwrap();
    let height = (known == "1").then(|| height.parse().unwrap());
    let neighbors = neighbors.split_whitespace().map(|word| word.parse().unwrap()).collect();
    DetourPolygon { area, flags, corners, height, neighbors }
}

/// Holds what Detour has against the mesh that was written.
fn check(mesh: &JoinedMesh, printed: &str) {
    let JoinedMesh { mesh, file, .. } = mesh;
    let theirs: Vec<DetourPolygon> =
        printed.lines().filter_map(|line| line.strip_prefix("polygon ")).map(polygon).collect();
    let corners = |id: PolyId| file.mesh.polygons[mesh.source(id) as usize].vertices.iter();
    let vertex = |v: &u32| file.mesh.vertices[*v as usize].as_vec3();
    let ours: BTreeMap<Vec<[u32; 3]>, PolyId> =
        mesh.live_polygons().map(|id| (key(corners(id).map(vertex)), id)).collect();
    assert_eq!(theirs.len(), ours.len());
    let of: Vec<PolyId> =
        theirs.iter().map(|p| *ours.get(&key(p.corners.iter().copied())).expect("a polygon of the mesh")).collect();
    for (theirs, &id) in theirs.iter().zip(&of) {
        let polygon = mesh.polygon(id);
        assert_eq!((theirs.area, theirs.flags), (polygon.area, polygon.flags));
        let mut found: Vec<PolyId> = theirs.neighbors.iter().map(|&n| of[n]).collect();
        let edges = mesh.edges_of(id).iter().filter(|edge| edge.neighbor != NONE);
        let mut wanted: Vec<PolyId> = edges.map(|edge| PolyId(edge.neighbor)).collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted);
        let middle = theirs.corners.iter().map(|c| c.as_dvec3()).sum::<DVec3>() / theirs.corners.len() as f64;
        let height = mesh.world(Vec3::Y * mesh.height_at(id, mesh.local(middle))).y as f32;
        let found = theirs.height.expect("Detour knows the height");
        assert!((found - height).abs() <= HEIGHT, "{found} m instead of {height} m in {middle}");
    }
    let links: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("link ")).collect();
    assert_eq!(links.len(), file.links.len());
    for (line, link) in links.iter().zip(&file.links) {
        let mut line = Line { words: line.split_whitespace() };
        assert_eq!((line.number::<u8>(), line.number::<u16>()), (link.area, link.flags));
        assert_eq!((line.number::<u8>() != 0, line.number::<f32>()), (link.both_ways, link.reach));
        assert_eq!([line.point(), line.point()], [link.start, link.end].map(|end| end.as_vec3()));
        assert_eq!(line.number::<u32>(), 2, "{link:?} has no ground at an end");
    }
}

fn detour_loads_what_is_written_as_it_was() {
    let [own, set] = ["detour-plaza.navmesh", "detour-plaza.bin"].map(out_file);
    let [own, set] = [&own, &set].map(|file| file.to_str().unwrap());
    let baked = walkabout(&["bake", "assets/levels/plaza.glb", "--out", own, "--links"]);
    assert!(baked.status.success(), "{}", text(&baked.stderr));
    let converted = walkabout(&["convert", own, set]);
    assert!(converted.status.success(), "{}", text(&converted.stderr));
    let output = Command::new(reader()).arg(set).output().unwrap();
    assert!(output.status.success(), "Detour refuses it");
    let mesh = read_mesh(Path::new(own)).unwrap();
    assert!(mesh.mesh.len() > 50 && mesh.file.detail.is_some(), "{} polygons", mesh.mesh.len());
    check(&mesh, &text(&output.stdout));
}

/// A field of turned squares, more than a tile holds, with a link over the middle.
fn field() -> MeshFile {
    let (sin, cos) = 0.37_f64.sin_cos();
    let place = |x: f64, z: f64| {
        let height = (x * 0.11).sin() * 0.6;
        DVec3::new(x * cos - z * sin, height, x * sin + z * cos).as_vec3().as_dvec3()
    };
    let (columns, rows) = (200, 180);
    let mut file = MeshFile::default();
    let corners = (0..=rows).flat_map(|z| (0..=columns).map(move |x| [f64::from(x), f64::from(z)]));
    file.mesh.vertices.extend(corners.map(|[x, z]| place(x, z)));
    for i in (0..columns * rows).filter(|i| i % columns != 100 || i / columns == 90) {
        let first = i / columns * (columns + 1) + i % columns;
        let above = first + columns + 1;
        let mut square = RawPolygon::new([first, first + 1, above + 1, above]);
        (square.area, square.flags) = ((i % 7) as u8, 1 << (i % 3));
        file.mesh.polygons.push(square);
    }
    for z in 0..40 {
        let ends = [place(99.5, f64::from(z) + 0.5), place(101.5, f64::from(z) + 1.5)];
        file.links.push(PlacedLink::new(LinkKind::Placed, ends, 0.9));
    }
    file
}

fn detour_joins_the_tiles_that_are_written() {
    let [own, set] = ["detour-field.navmesh", "detour-field.bin"].map(out_file);
    let file = field();
    file.save(&own).unwrap();
    let converted = walkabout(&["convert", own.to_str().unwrap(), set.to_str().unwrap()]);
    assert!(converted.status.success(), "{}", text(&converted.stderr));
    let output = Command::new(reader()).arg(&set).output().unwrap();
    assert!(output.status.success(), "Detour refuses it");
    // What is read of the tiles has the parts of the polygons.
    let mesh = read_mesh(&set).unwrap();
    assert_eq!(mesh.mesh.island_count(), 1);
    assert_eq!(mesh.file.links, file.links);
    check(&mesh, &text(&output.stdout));
}

/// The trials of this file; ignored where there is no Detour, or no compiler for it.
pub fn trials() -> Vec<Trial> {
    let is_there = compiler_arguments().is_some() && Command::new("c++").arg("--version").output().is_ok();
    let trial = |name: &str, body: fn()| {
        Trial::test(name, move || {
            body();
            Ok(())
        })
        .with_ignored_flag(!is_there)
    };
    vec![
        trial("detour_loads_what_is_written_as_it_was", detour_loads_what_is_written_as_it_was),
        trial("detour_joins_the_tiles_that_are_written", detour_joins_the_tiles_that_are_written),
    ]
}
