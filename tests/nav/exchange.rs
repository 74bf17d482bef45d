//! Meshes go out and come back; tiles join over their borders; damaged files are refused.

#[path = "exchange/beside.rs"]
mod beside;
#[path = "exchange/surface.rs"]
mod surface;
#[path = "exchange/text.rs"]
mod text;

use glam::DVec3;
use std::path::Path;
use walkabout::nav::exchange::*;
use walkabout::nav::mesh::off_mesh::{LinkKind, PlacedLink};
use walkabout::nav::mesh::{Detail, MeshFile, RawMesh, RawPolygon};

const AGENT: ExchangeAgent = ExchangeAgent { height: 1.8, radius: 0.3, climb: 0.4 };

/// A rectangle in plan at one height, as corners of positive winding.
fn rectangle(x: [f64; 2], y: f64, z: [f64; 2]) -> Vec<DVec3> {
    [[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]].map(|[x, z]| DVec3::new(x, y, z)).to_vec()
}

fn polygon(corners: Vec<DVec3>) -> ForeignPolygon {
    ForeignPolygon { corners, flags: 1, ..ForeignPolygon::default() }
}

fn joined(polygons: Vec<ForeignPolygon>, joining: Joining) -> JoinedMesh {
    ForeignMesh { polygons, ..ForeignMesh::new("test".into(), joining) }.join().unwrap()
}

/// A strip of squares with an octagon at its end, height detail on the first, two areas, and two links.
fn yard() -> MeshFile {
    let mut mesh = RawMesh::default();
    for x in 0..5 {
        mesh.vertices.extend([DVec3::new(x.into(), 0.5, 0.0), DVec3::new(x.into(), 0.5, 2.0)]);
    }
    for x in 0..4 {
        let first = 2 * x;
        let mut square = RawPolygon::new([first, first + 2, first + 3, first + 1]);
        (square.area, square.flags) = (x as u8, 1 << x);
        mesh.polygons.push(square);
    }
    let round = [[5.0, -1.0], [6.0, -1.0], [7.0, 0.0], [7.0, 2.0], [6.0, 3.0], [5.0, 3.0]];
    mesh.vertices.extend(round.map(|[x, z]| DVec3::new(x, 0.5, z)));
    mesh.polygons.push(RawPolygon::new([8, 10, 11, 12, 13, 14, 15, 9]));
    let middle = DVec3::new(0.5, 0.75, 1.0);
    let corners = [0, 2, 3, 1].map(|i: usize| mesh.vertices[i]);
    let detail = Detail {
        points: corners.into_iter().chain([middle]).collect(),
        triangles: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
        starts: vec![0, 4, 4, 4, 4, 4],
    };
    let link = |start: [f64; 2], end: [f64; 2], both_ways| PlacedLink {
        start: DVec3::new(start[0], 0.5, start[1]),
        end: DVec3::new(end[0], 0.5, end[1]),
        kind: LinkKind::Placed,
        both_ways,
        reach: 0.5,
        area: 5,
        flags: 2,
    };
    MeshFile {
        mesh,
        detail: Some(detail),
        links: vec![link([0.5, 1.0], [3.5, 1.0], true), link([6.0, 1.0], [0.5, 0.5], false)],
        values: None,
    }
}

fn written(file: &MeshFile, name: &str) -> WrittenMesh {
    let (mesh, _) = file.check().unwrap();
    write_as(&mesh, file, Path::new(name), &AGENT).unwrap()
}

fn parsed(bytes: &[u8]) -> Result<JoinedMesh, ExchangeError> {
    parse_mesh(bytes, MeshFormat::of(bytes).ok_or(ExchangeError::Unknown)?)
}

#[test]
fn a_mesh_set_of_detour_comes_back_equal() {
    let file = yard();
    let out = written(&file, "yard.bin");
    assert!(out.notes.iter().any(|n| n.contains("at most 6 corners: 1 polygons")), "{:?}", out.notes);
    let back = parsed(&out.bytes).unwrap();
    assert!(back.notes.is_empty(), "{:?}", back.notes);
    assert_eq!((back.mesh.len(), back.mesh.island_count()), (6, 1), "the octagon is two polygons");
    assert_eq!(back.file.links, file.links);
    for (ours, theirs) in file.mesh.polygons.iter().zip(&back.file.mesh.polygons).take(4) {
        assert_eq!((ours.area, ours.flags), (theirs.area, theirs.flags));
        let places = |mesh: &RawMesh, polygon: &RawPolygon| {
            let mut all: Vec<_> = polygon.vertices.iter().map(|&v| mesh.vertices[v as usize].to_array()).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            all
        };
        assert_eq!(places(&file.mesh, ours), places(&back.file.mesh, theirs));
    }
    let height = |mesh: &walkabout::nav::mesh::NavMesh| {
        let id = mesh.from_source(0).unwrap();
        let middle = mesh.local(DVec3::new(0.5, 0.0, 1.0));
        mesh.world(middle.with_y(mesh.height_at(id, middle))).y
    };
    assert_eq!(height(&back.mesh), 0.75);
    // What came from Detour goes back to Detour as it was.
    let again = written(&back.file, "yard.bin");
    assert!(again.notes.is_empty(), "{:?}", again.notes);
    let third = parsed(&again.bytes).unwrap();
    assert_eq!(third.file.mesh, back.file.mesh);
    assert_eq!(third.file.detail, back.file.detail);
}

#[test]
fn polygons_are_split_for_detour_without_losing_ways() {
    // A rectangle with seven squares along its upper side, whose corners lie on one line.
    let mut mesh = RawMesh::default();
    mesh.vertices.extend((0..8).flat_map(|x| [2.0, 3.0].map(|z| DVec3::new(f64::from(x), 0.0, z))));
    mesh.vertices.extend([0.0, 7.0].map(|x| DVec3::new(x, 0.0, 0.0)));
    mesh.polygons.push(RawPolygon::new([16, 17].into_iter().chain((0..8).rev().map(|x| 2 * x)).collect::<Vec<_>>()));
    mesh.polygons.extend((0..7).map(|x| RawPolygon::new([2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1])));
    let file = MeshFile { mesh, ..MeshFile::default() };
    let back = parsed(&written(&file, "comb.bin").bytes).unwrap();
    assert!(back.notes.is_empty(), "{:?}", back.notes);
    assert_eq!((back.mesh.len(), back.mesh.island_count()), (9, 1));
    let ground: f64 =
        back.mesh.live_polygons().map(|id| walkabout::math::plan::area(back.mesh.corners_of(id)).abs()).sum();
    assert!((ground - 21.0).abs() < 1e-3, "{ground}");
}

#[test]
fn sets_go_back_to_detour_with_agents_radii_and_numbers() {
    let mut bytes = written(&yard(), "yard.bin").bytes;
    // The tile begins at 48; its user number is at 20, the agent at 60, and two connections of 36 bytes end the file.
    let connections = bytes.len() - 72;
    let mut put = |at: usize, word: u32| bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    put(48 + 20, 99);
    [1.5_f32, 0.25, 0.5].iter().enumerate().for_each(|(i, v)| put(48 + 60 + 4 * i, v.to_bits()));
    for (i, (radius, user_id)) in [(0.2_f32, 5), (0.75, 77)].into_iter().enumerate() {
        put(connections + 36 * i + 24, radius.to_bits());
        put(connections + 36 * i + 32, user_id);
    }
    let read = parsed(&bytes).unwrap();
    let again = write_joined(&read, Path::new("yard.bin"), None, &AGENT).unwrap();
    assert!(again.notes.is_empty(), "{:?}", again.notes);
    assert_eq!(again.bytes[48 + 16..48 + 72], bytes[48 + 16..48 + 72]);
    assert_eq!(again.bytes[again.bytes.len() - 72..], bytes[connections..]);
    // Our own format keeps all of it, and others say what they leave out.
    let own = write_joined(&read, Path::new("yard.navmesh"), None, &AGENT).unwrap();
    assert!(own.notes.is_empty(), "{:?}", own.notes);
    let back = parse_mesh(&own.bytes, MeshFormat::Navmesh).unwrap();
    assert_eq!(write_joined(&back, Path::new("yard.bin"), None, &AGENT).unwrap().bytes, again.bytes);
    let godot = write_joined(&back, Path::new("yard.tres"), None, &AGENT).unwrap().notes.join(" ");
    assert!(godot.contains("radii and numbers of 2 links") && godot.contains("The number 99 of its tiles"), "{godot}");
    assert!(!godot.contains("agents"), "{godot}");
    // What is asked for comes first.
    let asked = write_joined(&read, Path::new("yard.bin"), Some(&AGENT), &AGENT).unwrap().bytes;
    assert_eq!(asked[48 + 60..48 + 64], 1.8_f32.to_le_bytes());
    // A link without ground goes, and the numbers of the others stay theirs.
    let far = connections + 8;
    bytes[far..far + 4].copy_from_slice(&900.0_f32.to_le_bytes());
    let read = parsed(&bytes).unwrap();
    assert_eq!(read.detour.as_ref().unwrap().connections, [ConnectionValues { radius: 0.75, user_id: 77 }]);
    // Two tiles that differ.
    let mut two: Vec<u8> = [0x4d53_4554_u32, 1, 2].iter().flat_map(|word| word.to_le_bytes()).collect();
    two.resize(40, 0);
    two.extend_from_slice(&bytes[40..]);
    bytes[48 + 8] = 9;
    bytes[48 + 20] = 98;
    bytes[48 + 60..48 + 64].copy_from_slice(&4.0_f32.to_le_bytes());
    two.extend_from_slice(&bytes[40..]);
    let notes = write_joined(&parsed(&two).unwrap(), Path::new("yard.bin"), None, &AGENT).unwrap().notes.join(" ");
    for part in ["user numbers of the tiles differ", "largest height 4 m, radius 0.25 m", "grid of 2 tiles is left out"]
    {
        assert!(notes.contains(part), "{notes}");
    }
}

#[test]
fn links_keep_ends_that_detour_moved_far_to_the_ground() {
    let mut mesh = RawMesh::default();
    mesh.vertices.extend(rectangle([0.0, 9.0], 0.0, [0.0, 9.0]));
    mesh.polygons.push(RawPolygon::new([0, 1, 2, 3]));
    let ends = [DVec3::new(1.0, 1.5, 1.0), DVec3::new(8.0, 0.0, 8.0)];
    let file = MeshFile { mesh, links: vec![PlacedLink::new(LinkKind::Placed, ends, 2.0)], ..MeshFile::default() };
    let mut bytes = written(&file, "yard.bin").bytes;
    // The radius of the connection, the last of the file, is less than what its start lies above the ground.
    let radius = bytes.len() - 12;
    assert_eq!(bytes[radius..radius + 4], 2.0_f32.to_le_bytes());
    bytes[radius..radius + 4].copy_from_slice(&0.5_f32.to_le_bytes());
    let back = parsed(&bytes).unwrap();
    assert_eq!(back.notes, [""; 0]);
    let [link] = &back.file.links[..] else { panic!("{:?}", back.file.links) };
    assert_eq!(([link.start, link.end], link.reach), (ends, 1.5));
    let again = write_joined(&back, Path::new("yard.bin"), None, &AGENT).unwrap();
    assert_eq!(parsed(&again.bytes).unwrap().file.links, back.file.links);
    // In tiles of 3 m the connection ends where Detour looks for no ground.
    bytes[24..32].copy_from_slice([3.0_f32; 2].map(f32::to_le_bytes).as_flattened());
    let notes = parsed(&bytes).unwrap().notes.join(" ");
    assert!(notes.contains("where Detour joins none: 1;"), "{notes}");
}

#[test]
fn sets_of_more_polygons_than_a_tile_holds_are_tiles() {
    let mut file = MeshFile::default();
    let (columns, rows) = (200, 170);
    let corners = (0..=rows).flat_map(|z| (0..=columns).map(move |x| DVec3::new(x.into(), 0.0, z.into())));
    file.mesh.vertices.extend(corners);
    for i in 0..columns * rows {
        let first = i / columns * (columns + 1) + i % columns;
        let above = first + columns + 1;
        file.mesh.polygons.push(RawPolygon::new([first, first + 1, above + 1, above]));
    }
    let out = written(&file, "field.bin");
    let notes = out.notes.join(" ");
    assert!(notes.contains("A tile of Detour holds 32766 polygons: the mesh is 4 tiles of"), "{notes}");
    let back = parsed(&out.bytes).unwrap();
    assert!(back.mesh.len() >= 34_000 && back.mesh.island_count() == 1, "{} polygons", back.mesh.len());
    let ground: f64 =
        back.mesh.live_polygons().map(|id| walkabout::math::plan::area(back.mesh.corners_of(id)).abs()).sum();
    assert!((ground - 34_000.0).abs() < 0.1, "{ground}");
}

/// The tile in a set of one that was written.
fn tile_of(set: &[u8]) -> &[u8] {
    &set[48..]
}

#[test]
fn a_map_of_a_warcraft_server_opens_with_its_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let set = written(&yard(), "yard.bin").bytes;
    let tile = tile_of(&set);
    let header: Vec<u8> =
        [0x4d4d_4150, 7, 16, tile.len() as u32, 1].iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let mut map: Vec<u8> = [0x4d4d_4150_u32, 16].iter().flat_map(|word| word.to_le_bytes()).collect();
    map.resize(40, 0);
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let (new, old) = (write("0571.mmap", &map), write("001.mmap", &[0; 28]));
    for path in [&new, &old] {
        assert!(is_mesh_file(path));
        let error = read_mesh(path).unwrap_err().to_string();
        assert!(error.contains("no tile"), "{error}");
    }
    let tile = [header, tile.to_vec()].concat();
    for name in ["05713230.mmtile", "05713231.mmtile", "0013230.mmtile", "05723230.mmtile", "057132.mmtile"] {
        write(name, &tile);
    }
    let mesh = read_mesh(&new).unwrap();
    assert_eq!((mesh.mesh.len(), mesh.file.links.len()), (12, 4), "{}", mesh.format);
    assert_eq!(mesh.format, "map of World of Warcraft as a Detour mesh set (MSET), 2 tiles");
    assert_eq!(read_mesh(&old).unwrap().mesh.len(), 6);
    // As servers of today name them, and the mesh of a ship.
    let (today, ship) = (write("0870.mmap", &map), write("go00012.mmap", &[0; 28]));
    for name in ["0870_32_30.mmtile", "0870_32_31.mmtile", "0871_32_30.mmtile", "go00012.mmtile"] {
        write(name, &tile);
    }
    assert_eq!([today, ship].map(|path| read_mesh(&path).unwrap().mesh.len()), [12, 6]);
    write("05713231.mmtile", &tile[..tile.len() - 1]);
    let error = read_mesh(&new).unwrap_err().to_string();
    assert!(error.contains("its tile 05713231.mmtile"), "{error}");
}

#[test]
fn texts_that_are_read_again_keep_polygons_and_neighbors() {
    let file = yard();
    let mesh = file.check().unwrap().0;
    for name in ["yard.json", "yard.mesh"] {
        let back = parsed(&written(&file, name).bytes).unwrap();
        assert_eq!(back.mesh.len(), 5, "{name}");
        for (a, b) in mesh.edges().iter().zip(back.mesh.edges()) {
            assert_eq!((a.neighbor, a.twin), (b.neighbor, b.twin), "{name}");
        }
        let notes = written(&file, name).notes.join(" ");
        assert!(notes.contains("2 links are left out"), "{notes}");
    }
    let whole = parsed(&written(&file, "yard.navmesh").bytes).unwrap();
    assert_eq!(whole.file, file);
}

#[test]
fn walls_between_touching_polygons_are_said_to_be_lost() {
    let mut file = yard();
    let walls =
        |file: &MeshFile, name: &str| written(file, name).notes.iter().any(|n| n.starts_with("1 walls between"));
    let names = ["tres", "unity.json", "obj", "glb", "json", "mesh", "bin", "navmesh"].map(|end| format!("yard.{end}"));
    assert!(names.iter().all(|name| !walls(&file, name)));
    // A wall between the first two squares.
    for (number, polygon) in file.mesh.polygons.iter_mut().enumerate() {
        let left = number.checked_sub(1).filter(|&left| left != 0).map(|left| left as u32);
        polygon.neighbors = Some(match number {
            4 => [vec![None; 7], vec![left]].concat(),
            _ => vec![None, Some(number as u32 + 1).filter(|_| number != 0), None, left],
        });
    }
    for (i, name) in names.iter().enumerate() {
        assert_eq!(walls(&file, name), i < 4, "{name}: {:?}", written(&file, name).notes);
    }
}

#[test]
fn texts_for_other_programs_have_their_axes_and_windings() {
    let file = yard();
    let text = |name| String::from_utf8(written(&file, name).bytes).unwrap();
    let godot = text("yard.tres");
    assert!(godot.starts_with("[gd_resource type=\"NavigationMesh\" format=3]"), "{godot}");
    assert!(godot.contains("PackedVector3Array(0, 0.5, 0, 0, 0.5, 2, 1, 0.5, 0"), "{godot}");
    assert_eq!(godot.matches("PackedInt32Array").count(), 5);
    let unity: serde_json::Value = serde_json::from_str(&text("yard.unity.json")).unwrap();
    assert_eq!(unity["vertices"][1]["z"], -2.0);
    assert_eq!(unity["indices"].as_array().unwrap().len(), 3 * (4 * 2 + 6));
    assert_eq!(unity["areas"].as_array().unwrap().len(), 4 * 2 + 6);
    let obj = text("yard.obj");
    assert_eq!((obj.matches("\nv ").count(), obj.matches("\nf ").count()), (16, 5));
    let name = Path::new("yard.fbx");
    let error = write_as(&file.check().unwrap().0, &file, name, &AGENT).unwrap_err().to_string();
    assert!(error.contains(".bin (Detour mesh set (MSET))"), "{error}");
}

#[test]
fn borders_upon_each_other_share_vertices_and_are_cut() {
    let joining = || Joining::Nearby { reach: 0.01, climb: 0.3 };
    // A long one beside three short ones, the last a step too high.
    let polygons = vec![
        polygon(rectangle([0.0, 9.0], 0.0, [0.0, 2.0])),
        polygon(rectangle([0.0, 3.0], 0.0, [2.0, 4.0])),
        polygon(rectangle([3.0, 6.0], 0.2, [2.005, 4.0])),
        polygon(rectangle([6.0, 9.0], 0.9, [2.0, 4.0])),
    ];
    let mesh = joined(polygons.clone(), joining());
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (4, 2));
    assert_eq!(mesh.file.mesh.polygons[0].vertices.len(), 6, "two cuts");
    // Of three that lie upon each other the first has the neighbour.
    let mut twice = polygons;
    twice.push(twice[1].clone());
    assert_eq!(joined(twice, joining()).mesh.len(), 5);
}

#[test]
fn slivers_between_polygons_that_share_borders_stay() {
    // A triangle 8 mm wide and 40 m long, flat or with a corner as high as a wall, corner to corner with three others: nothing is
    // drawn together.
    for height in [0.0, 1.4] {
        let corners = [[0.0, 0.0], [40.0, 0.0], [40.0, 9.0], [40.0, -9.0], [20.0, 0.008]];
        let mut corners = corners.map(|[x, z]| DVec3::new(x, 0.0, z));
        corners[4].y = height;
        let of = |numbers: [usize; 3]| polygon(numbers.map(|i| corners[i]).to_vec());
        let polygons = vec![of([0, 1, 4]), of([0, 3, 1]), of([0, 4, 2]), of([4, 1, 2])];
        let mesh = joined(polygons.clone(), Joining::Nearby { reach: 0.01, climb: 0.05 });
        assert!(mesh.notes.is_empty(), "{:?}", mesh.notes);
        assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (4, 1));
        for (ours, theirs) in polygons.iter().zip(&mesh.file.mesh.polygons) {
            assert!(theirs.vertices.iter().all(|&v| ours.corners.contains(&mesh.file.mesh.vertices[v as usize])));
        }
    }
}

#[test]
fn walls_and_lines_between_polygons_move_no_ground() {
    let joining = || Joining::Nearby { reach: 0.01, climb: 0.05 };
    // Floors 16 m upon each other, with a wall of two triangles from one to the other, and a line of no width beside it.
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let (low, high) =
        (polygon(rectangle([0.0, 4.0], 0.0, [0.0, 4.0])), polygon(rectangle([4.0, 8.0], 16.0, [0.0, 4.0])));
    let wall = [at(4.0, 0.0, 0.0), at(4.0, 0.0, 4.0), at(4.0, 16.0, 4.0), at(4.0, 16.0, 0.0)];
    let polygons = vec![
        low,
        polygon(wall[..3].to_vec()),
        polygon(vec![wall[0], wall[2], wall[3]]),
        high,
        polygon(vec![at(0.0, 0.0, 4.0), at(1.0, 0.0, 4.0), at(4.0, 0.0, 4.0)]),
        polygon(rectangle([0.0, 1.0], 0.0, [4.0, 8.0])),
    ];
    let mesh = joined(polygons, joining());
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (3, 2));
    let heights: Vec<f64> = mesh.file.mesh.vertices.iter().map(|v| v.y).collect();
    assert!(heights.iter().all(|y| [0.0, 16.0].contains(y)), "{heights:?}");
    assert!(mesh.notes.iter().all(|note| note.contains("without area")), "{:?}", mesh.notes);
}

#[test]
fn a_set_of_kbengine_opens_though_no_word_marks_it() {
    let marked = written(&yard(), "yard.bin").bytes;
    // Its version is that of RecastDemo, and its references have 32 bits.
    let set = &marked[4..];
    assert_eq!(MeshFormat::of(set), Some(MeshFormat::DetourSet));
    let (read, known) = (parsed(set).unwrap(), parsed(&marked).unwrap());
    assert_eq!(read.format, "KBEngine mesh set, 1 tile");
    assert_eq!((&read.file.mesh, &read.file.links), (&known.file.mesh, &known.file.links));
    let none = [&1_u32.to_le_bytes()[..], &0_u32.to_le_bytes(), &set[8..]].concat();
    assert_eq!(MeshFormat::of(&none), None);
    assert!(parsed(&set[..set.len() - 1]).is_err());
}

#[test]
fn a_set_with_bounds_opens_as_one_without() {
    let plain = written(&yard(), "yard.bin").bytes;
    let bounds = [0.0_f32, 0.5, -1.0, 7.0, 0.75, 3.0].map(f32::to_le_bytes);
    // Behind version, number of tiles and parameters.
    let set = [&b"TASM"[..], &plain[4..40], bounds.as_flattened(), &plain[40..]].concat();
    assert_eq!(MeshFormat::of(&set), Some(MeshFormat::DetourSet));
    let (read, known) = (parsed(&set).unwrap(), parsed(&plain).unwrap());
    assert_eq!(read.format, "Detour mesh set with bounds (MSAT), 1 tile");
    assert_eq!((&read.file.mesh, &read.file.links), (&known.file.mesh, &known.file.links));
    for end in 0..set.len() {
        assert!(parsed(&set[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn damaged_polygons_and_links_are_left_out_by_name() {
    let bow_tie = [[0.0, 5.0], [1.0, 6.0], [1.0, 5.0], [0.0, 6.0]].map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
    let dart = [[20.0, 0.0], [22.0, 2.0], [24.0, 0.0], [22.0, 4.0]].map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
    let polygons = vec![
        polygon(rectangle([0.0, 1.0], 0.0, [0.0, 1.0])),
        polygon(bow_tie),
        polygon(rectangle([3.0, 3.0], 0.0, [0.0, 1.0])),
        polygon(dart),
        polygon(Vec::new()),
    ];
    let far = PlacedLink { start: DVec3::ZERO, end: DVec3::splat(99.0), ..yard().links[0].clone() };
    let mesh = ForeignMesh {
        polygons,
        links: vec![far],
        ..ForeignMesh::new("test".into(), Joining::Nearby { reach: 0.01, climb: 0.1 })
    };
    let mesh = mesh.join().unwrap();
    assert_eq!((mesh.mesh.len(), mesh.mesh.island_count()), (3, 2), "a square and the dart as two triangles");
    let notes = mesh.notes.join(" ");
    for part in ["3 polygons without area", "1 polygons that are not convex", "1 link without ground"] {
        assert!(notes.contains(part), "{notes}");
    }
    let none = ForeignMesh::new("test".into(), Joining::Nearby { reach: 0.01, climb: 0.1 });
    assert!(matches!(none.join(), Err(ExchangeError::Empty)));
}

#[test]
fn damaged_sets_of_tiles_are_refused_and_never_harm() {
    let bytes = written(&yard(), "yard.bin").bytes;
    for length in 0..bytes.len() {
        assert!(parsed(&bytes[..length]).is_err(), "cut at {length}");
    }
    // Every byte changed in turn: refused or read, within bounds.
    for i in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[i] ^= 0x5a;
        let _ = parsed(&damaged);
    }
    let mut version = bytes.clone();
    version[4] = 9;
    let error = parsed(&version).unwrap_err().to_string();
    assert!(error.contains("of version 9 is not read, only 1, 34817 and 34818"), "{error}");
    // A count of the tile that its length does not bear out, as of programs that changed the layout.
    let mut other = bytes.clone();
    other[48 + 28] += 1;
    let error = parsed(&other).unwrap_err().to_string();
    assert!(error.contains("lays tiles out its own way") && error.contains("as OBJ"), "{error}");
    let cache = parsed(b"TEST\x02\0\0\0").unwrap_err().to_string();
    assert!(cache.contains("a tile cache of Detour of version 2 is not read"), "{cache}");
    assert!(matches!(parsed(b"glTF\x02\0\0\0"), Err(ExchangeError::Unknown)));
}
