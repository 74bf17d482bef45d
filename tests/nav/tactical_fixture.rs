//! Small levels for the tests of tactical path finding.

use glam::{DVec3, Vec3};
use walkabout::nav::mesh::{NavMesh, NavPoint, RawMesh, RawPolygon};
use walkabout::nav::tactical::{
    CoverMap, CoverSegment, CoverSettings, Enemy, MapSettings, Threats, VisibilityModel, extract,
};

/// Returns a mesh of square cells of edge `size`; `#` is a hole. Row 0 lies at z = 0, column 0 at x = 0.
pub fn cells(rows: &[&str], size: f64) -> NavMesh {
    cells_at(rows, size, DVec3::ZERO)
}

/// As [`cells`], moved by `offset`.
pub fn cells_at(rows: &[&str], size: f64, offset: DVec3) -> NavMesh {
    let width = rows[0].len();
    let vertex = |x: usize, z: usize| (z * (width + 1) + x) as u32;
    let mut raw = RawMesh { vertices: Vec::new(), polygons: Vec::new() };
    for z in 0..=rows.len() {
        for x in 0..=width {
            raw.vertices.push(DVec3::new(x as f64, 0.0, z as f64) * size + offset);
        }
    }
    for (z, row) in rows.iter().enumerate() {
        for x in row.char_indices().filter(|c| c.1 != '#').map(|c| c.0) {
            raw.polygons.push(RawPolygon::new([
                vertex(x, z),
                vertex(x + 1, z),
                vertex(x + 1, z + 1),
                vertex(x, z + 1),
            ]));
        }
    }
    raw.validate().unwrap()
}

/// The twelve triangles of a box.
pub fn box_triangles(low: Vec3, high: Vec3) -> Vec<[Vec3; 3]> {
    let corner = |i: usize| {
        Vec3::new(
            if i & 1 == 0 { low.x } else { high.x },
            if i & 2 == 0 { low.y } else { high.y },
            if i & 4 == 0 { low.z } else { high.z },
        )
    };
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        .iter()
        .flat_map(|q| [[corner(q[0]), corner(q[1]), corner(q[2])], [corner(q[0]), corner(q[2]), corner(q[3])]])
        .collect()
}

/// A court of 20 by 20 metres with walls of 3 m, a block of 4 by 4 (2 m high) and a wall of 6 by 2 (1 m high).
pub fn courtyard() -> (NavMesh, Vec<(Vec3, Vec3)>) {
    courtyard_at(DVec3::ZERO)
}

/// As [`courtyard`] with the mesh moved by `offset`; the blocks stay.
pub fn courtyard_at(offset: DVec3) -> (NavMesh, Vec<(Vec3, Vec3)>) {
    let rows = [
        "..........",
        ".##.......",
        ".##.......",
        "..........",
        "..........",
        "......###.",
        "..........",
        "..........",
        "..........",
        "..........",
    ];
    let blocks = vec![
        (Vec3::new(2.0, -1.0, 2.0), Vec3::new(6.0, 2.0, 6.0)),
        (Vec3::new(12.0, -1.0, 10.0), Vec3::new(18.0, 1.0, 12.0)),
        (Vec3::new(-0.5, -1.0, -0.5), Vec3::new(0.0, 3.0, 20.5)),
        (Vec3::new(20.0, -1.0, -0.5), Vec3::new(20.5, 3.0, 20.5)),
        (Vec3::new(-0.5, -1.0, -0.5), Vec3::new(20.5, 3.0, 0.0)),
        (Vec3::new(-0.5, -1.0, 20.0), Vec3::new(20.5, 3.0, 20.5)),
    ];
    (cells_at(&rows, 2.0, offset), blocks)
}

/// A town of blocks with walls of 2 m, every cell 4 m wide.
pub fn town() -> (NavMesh, Vec<CoverSegment>) {
    let mesh = cells(
        &[
            "..............",
            ".##.#..##...#.",
            ".#..#..##.#...",
            "..........#.#.",
            ".###.#.......#",
            ".....#.####...",
            ".#.#...#....#.",
            ".#.###.#.##.#.",
            ".......#.#....",
            ".###.#...#.##.",
            "..............",
        ],
        4.0,
    );
    let walls = extract(&mesh, &CoverSettings::default(), |_, _, _| 2.0);
    (mesh, walls)
}

/// The middle of a polygon, by its number in the file.
pub fn place(mesh: &NavMesh, source: u32) -> NavPoint {
    let polygon = mesh.from_source(source).unwrap();
    NavPoint::new(polygon, mesh.polygon(polygon).center)
}

/// What enemies in the middle of these polygons see.
pub fn threats(mesh: &NavMesh, walls: &[CoverSegment], at: &[u32]) -> Threats {
    let map = CoverMap::build(mesh, walls, &[], MapSettings::default());
    let enemies: Vec<Enemy> = at.iter().map(|&p| Enemy::at(place(mesh, p).point)).collect();
    Threats::new(&map, &enemies, VisibilityModel::default())
}
