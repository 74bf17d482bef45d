//! Ways over links on small meshes, and against brute force over all ways to take them.

use glam::DVec3;
use walkabout::nav::mesh::off_mesh::{LinkKind, OffMeshExit, OffMeshLinks, PlacedLink};
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId, RawMesh, RawPolygon};
use walkabout::nav::query::QueryError;
use walkabout::nav::query::funnel::Crossings;
use walkabout::nav::query::off_mesh::*;
use walkabout::nav::query::path::{Corridor, CorridorFinder};
use walkabout::nav::query::random::random_point;

/// Rectangles: x from, x to, z from, z to, y.
fn plates(list: &[[f64; 5]]) -> NavMesh {
    let mut raw = RawMesh::default();
    for &[x0, x1, z0, z1, y] in list {
        let mut corner = |x: f64, z: f64| {
            let at = DVec3::new(x, y, z);
            raw.vertices.iter().position(|&v| v == at).unwrap_or_else(|| {
                raw.vertices.push(at);
                raw.vertices.len() - 1
            }) as u32
        };
        let outline = [corner(x0, z0), corner(x0, z1), corner(x1, z1), corner(x1, z0)];
        raw.polygons.push(RawPolygon::new(outline));
    }
    raw.validate().unwrap()
}

/// Two plates with two metres between them, the second lower by `drop`, and two hops of land on the first.
fn gap(drop: f64) -> NavMesh {
    plates(&[[0.0, 5.0, 0.0, 10.0, 0.0], [5.0, 10.0, 0.0, 10.0, 0.0], [12.0, 22.0, 0.0, 10.0, -drop]])
}

fn link(from: [f64; 3], to: [f64; 3], kind: LinkKind) -> PlacedLink {
    let (start, end) = (DVec3::from(from), DVec3::from(to));
    PlacedLink { start, end, kind, both_ways: kind != LinkKind::Drop, reach: 0.3, area: 0, flags: 1 }
}

fn place(mesh: &NavMesh, x: f64, y: f64, z: f64) -> NavPoint {
    let at = mesh.local(DVec3::new(x, y, z));
    let over = |&p: &PolyId| mesh.contains_2d(p, at) && (mesh.height_at(p, at) - at.y).abs() < 0.5;
    NavPoint::new((0..mesh.len() as u32).map(PolyId).find(over).unwrap(), at)
}

/// The numbers of the links taken, with whether backwards.
fn taken(linked_path: &LinkedPath) -> Vec<(u32, bool)> {
    linked_path.segments.iter().filter_map(|s| s.exit).map(|e| (e.link, e.backwards)).collect()
}

#[test]
fn d_05_links_join_islands_for_paths_that_take_them() {
    let mesh = gap(0.0);
    let (start, end) = (place(&mesh, 1.0, 0.0, 5.0), place(&mesh, 20.0, 0.0, 5.0));
    let (mut paths, mut linked_path, filter) = (LinkedPathFinder::new(), LinkedPath::default(), Filter::default());
    let none = OffMeshLinks::default();
    assert!(matches!(
        paths.find(&mesh, &none, start, end, &filter, &mut linked_path),
        Err(QueryError::OtherIsland(..))
    ));
    let links =
        OffMeshLinks::new(&mesh, Vec::new(), &[link([9.9, 0.0, 3.0], [12.1, 0.0, 3.0], LinkKind::Jump)]).unwrap();
    for (from, to, backwards) in [(start, end, false), (end, start, true)] {
        paths.find(&mesh, &links, from, to, &filter, &mut linked_path).unwrap();
        assert_eq!(taken(&linked_path), [(0, backwards)]);
        let mut line = Vec::new();
        let begins = straight_linked_path(&mesh, &links, &linked_path, Crossings::None, &mut line);
        let way = links.taken(OffMeshExit { link: 0, backwards });
        assert_eq!(begins, [(1, OffMeshExit { link: 0, backwards })]);
        assert_eq!(line.iter().map(|t| t.point).collect::<Vec<_>>(), [from.point, way.start, way.end, to.point]);
        assert_eq!((line[1].polygon, line[2].polygon), (way.from.0, way.to.0));
    }
}

#[test]
fn n_07_a_ledge_is_dropped_from_and_never_climbed() {
    let mesh = gap(3.0);
    let (up, down) = (place(&mesh, 1.0, 0.0, 5.0), place(&mesh, 20.0, -3.0, 5.0));
    let links =
        OffMeshLinks::new(&mesh, Vec::new(), &[link([9.9, 0.0, 5.0], [12.1, -3.0, 5.0], LinkKind::Drop)]).unwrap();
    let (mut paths, mut linked_path, filter) = (LinkedPathFinder::new(), LinkedPath::default(), Filter::default());
    paths.find(&mesh, &links, up, down, &filter, &mut linked_path).unwrap();
    assert_eq!(taken(&linked_path), [(0, false)]);
    let back = paths.find(&mesh, &links, down, up, &filter, &mut linked_path);
    assert!(matches!(back, Err(QueryError::OtherIsland(..))) && linked_path.segments.is_empty());
}

#[test]
fn d_05_filters_and_costs_choose_among_links() {
    let mesh = gap(0.0);
    let (start, end) = (place(&mesh, 9.0, 0.0, 5.0), place(&mesh, 13.0, 0.0, 5.0));
    let near = PlacedLink { area: 7, flags: 2, ..link([9.9, 0.0, 5.0], [12.1, 0.0, 5.0], LinkKind::Jump) };
    let far = link([9.9, 0.0, 9.0], [12.1, 0.0, 9.0], LinkKind::Jump);
    let links = OffMeshLinks::new(&mesh, Vec::new(), &[near, far]).unwrap();
    let (mut paths, mut linked_path, mut filter) = (LinkedPathFinder::new(), LinkedPath::default(), Filter::default());
    let mut ask = |filter: &Filter| {
        let found = paths.find(&mesh, &links, start, end, filter, &mut linked_path);
        found.map(|()| (taken(&linked_path)[0].0, linked_path.cost))
    };
    let (first, cost) = ask(&filter).unwrap();
    assert!(first == 0 && (cost - 4.0).abs() < 1e-4, "{first} {cost}");
    filter.cost[7] = 2.0;
    let (first, cost) = ask(&filter).unwrap();
    assert!(first == 0 && (cost - 6.2).abs() < 1e-4, "{first} {cost}");
    filter.cost[7] = 10.0;
    assert_eq!(ask(&filter).unwrap().0, 1, "the dear one is avoided");
    filter = Filter { exclude: 2, ..Filter::default() };
    assert_eq!(ask(&filter).unwrap().0, 1, "the excluded one is avoided");
    filter.include = 4;
    assert!(ask(&filter).is_err());
}

#[test]
fn n_07_a_way_that_no_link_makes_shorter_is_the_plain_one() {
    // A wall of two metres' thickness with a way around it, or a hop over it.
    let mesh = plates(&[
        [0.0, 4.0, 0.0, 4.0, 0.0],
        [4.0, 6.0, 0.0, 1.0, 0.0],
        [6.0, 10.0, 0.0, 1.0, 0.0],
        [6.0, 10.0, 1.0, 4.0, 0.0],
    ]);
    // The first square has a corner of the corridor in its side, so that no edge joins them: a link does.
    let links = OffMeshLinks::new(
        &mesh,
        Vec::new(),
        &[
            link([3.9, 0.0, 0.5], [4.1, 0.0, 0.5], LinkKind::Placed),
            link([3.9, 0.0, 3.5], [6.1, 0.0, 3.5], LinkKind::Jump),
        ],
    )
    .unwrap();
    let (mut paths, mut linked_path, filter) = (LinkedPathFinder::new(), LinkedPath::default(), Filter::default());
    let (a, b) = (place(&mesh, 1.0, 0.0, 3.5), place(&mesh, 9.0, 0.0, 3.5));
    paths.find(&mesh, &links, a, b, &filter, &mut linked_path).unwrap();
    assert_eq!(taken(&linked_path), [(1, false)]);
    let (c, d) = (place(&mesh, 5.0, 0.0, 0.5), place(&mesh, 9.0, 0.0, 0.5));
    paths.find(&mesh, &links, c, d, &filter, &mut linked_path).unwrap();
    let (mut plain, mut corridor) = (CorridorFinder::new(), Corridor::default());
    plain.find(&mesh, c, d, &filter, &mut corridor).unwrap();
    assert_eq!(linked_path.segments.len(), 1);
    assert_eq!(linked_path.segments[0].corridor, corridor);
}

#[test]
fn d_09_costs_of_ways_over_random_links_are_the_least_there_are() {
    // Plates in a row, each its own island: the cheapest way over links, by Bellman and Ford over the links' ends.
    let list: Vec<[f64; 5]> = (0..9).map(|i| f64::from(i) * 3.0).map(|x| [x, x + 2.0, 0.0, 9.0, 0.0]).collect();
    let mesh = plates(&list);
    let (mut paths, mut linked_path, filter) = (LinkedPathFinder::new(), LinkedPath::default(), Filter::default());
    let (mut ways, mut refused) = (0, 0);
    for seed in 1..200u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut chance = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let placed: Vec<PlacedLink> = (0..14)
            .map(|_| {
                let mut end = || mesh.world(random_point(&mesh, &filter, &mut chance).unwrap().point).to_array();
                let (a, b) = (end(), end());
                link(a, b, if chance() < 0.5 { LinkKind::Jump } else { LinkKind::Drop })
            })
            .collect();
        let links = OffMeshLinks::new(&mesh, Vec::new(), &placed).unwrap();
        let mut spot = || random_point(&mesh, &filter, &mut chance).unwrap();
        let (start, end) = (spot(), spot());
        let mut least = [f32::INFINITY; 28];
        let exits: Vec<_> = (0..28).map(|i| OffMeshExit { link: i / 2, backwards: i % 2 == 1 }).collect();
        let usable = |e: &OffMeshExit| !e.backwards || links.all()[e.link as usize].both_ways;
        for _ in 0..30 {
            for (i, exit) in exits.iter().enumerate().filter(|e| usable(e.1)) {
                let way = links.taken(*exit);
                let mut to = if way.from == start.polygon { start.point.distance(way.start) } else { f32::INFINITY };
                for (k, before) in exits.iter().enumerate() {
                    let from = links.taken(*before);
                    if from.to == way.from {
                        to = to.min(least[k] + from.end.distance(way.start));
                    }
                }
                least[i] = least[i].min(to + way.start.distance(way.end));
            }
        }
        let mut best = if start.polygon == end.polygon { start.point.distance(end.point) } else { f32::INFINITY };
        for (k, exit) in exits.iter().enumerate().filter(|e| links.taken(*e.1).to == end.polygon) {
            best = best.min(least[k] + links.taken(*exit).end.distance(end.point));
        }
        match paths.find(&mesh, &links, start, end, &filter, &mut linked_path) {
            Ok(()) => {
                ways += 1;
                let cost = linked_path.cost;
                assert!((cost - best).abs() < 1e-3 * best.max(1.0), "seed {seed}: {cost} for {best}");
                let mut line = Vec::new();
                straight_linked_path(&mesh, &links, &linked_path, Crossings::None, &mut line);
                let length: f32 = line.windows(2).map(|w| w[0].point.distance(w[1].point)).sum();
                assert!((length - best).abs() < 1e-3 * best.max(1.0), "seed {seed}: {length} for {best}");
            }
            Err(_) => {
                refused += 1;
                assert_eq!(best, f32::INFINITY, "seed {seed}");
            }
        }
    }
    assert!(ways > 60 && refused > 20, "{ways} {refused}");
}
