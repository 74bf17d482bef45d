//! The workbench's answers on a hall with a wall in its middle, and every overlay of the workbench.

use glam::Vec3;
use std::sync::Arc;
use walkabout::asset::{AssetStore, Mesh, Model, Vertex};
use walkabout::debug::{DebugDraw, Layer};
use walkabout::inspect::Inspector;
use walkabout::inspect::doctor::Examination;
use walkabout::inspect::mesh_compare::MeshBefore;
use walkabout::inspect::overlays::{BAKE, MESH, OVERLAYS, OverlayContext};
use walkabout::inspect::query_tool::*;
use walkabout::nav::bake::{Volume, VolumeShape};
use walkabout::nav::mesh::PolyId;
use walkabout::nav::mesh::off_mesh::{LinkKind, OffMeshLinks, PlacedLink};
use walkabout::nav::planner::Planner;
use walkabout::nav::query::sliced::Slice;
use walkabout::nav::search::strategy::{Heuristic, SearchAlgorithm, SearchStrategy};
use walkabout::nav::tactical::CoverMap;
use walkabout::scene::nav::{AreaRule, Mark, MeshSource, ObstacleShape, PlacedCrowd, PlacedObstacle};
use walkabout::scene::{Scene, SceneInstance, SceneLevel, SceneNav, Selection};
use walkabout::sim::World;
use walkabout::sim::nav_mesh::BuiltMesh;

struct Hall {
    scene: Scene,
    assets: AssetStore,
    world: World,
    inspector: Inspector,
}

impl Hall {
    /// Twelve by twelve metres of floor with a wall across that leaves two metres free at its end.
    fn new() -> Self {
        let p = Vec3::new;
        let mut quads = vec![[p(-6.0, 0.0, -6.0), p(-6.0, 0.0, 6.0), p(6.0, 0.0, 6.0), p(6.0, 0.0, -6.0)]];
        let (low, high) = (p(-0.2, 0.0, -6.0), p(0.2, 2.5, 4.0));
        let c = |x: f32, y: f32, z: f32| low + (high - low) * p(x, y, z);
        quads.push([c(0.0, 1.0, 0.0), c(0.0, 1.0, 1.0), c(1.0, 1.0, 1.0), c(1.0, 1.0, 0.0)]);
        quads.push([c(0.0, 0.0, 0.0), c(0.0, 0.0, 1.0), c(0.0, 1.0, 1.0), c(0.0, 1.0, 0.0)]);
        quads.push([c(1.0, 0.0, 1.0), c(1.0, 0.0, 0.0), c(1.0, 1.0, 0.0), c(1.0, 1.0, 1.0)]);
        quads.push([c(0.0, 0.0, 1.0), c(1.0, 0.0, 1.0), c(1.0, 1.0, 1.0), c(0.0, 1.0, 1.0)]);
        let mut mesh = Mesh::default();
        for corners in quads {
            let first = mesh.vertices.len() as u32;
            let normal = walkabout::math::triangle::normal(&[corners[0], corners[1], corners[2]]).unwrap();
            mesh.vertices.extend(corners.map(|position| Vertex { position, normal, ..Vertex::default() }));
            mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
        }
        let skeleton = walkabout::asset::Skeleton {
            names: vec!["root".into()],
            parents: vec![None],
            rest: vec![walkabout::math::Trs::IDENTITY],
        };
        let mut assets = AssetStore::default();
        assets.insert("hall", Model { skeleton, meshes: vec![mesh], ..Model::default() });
        let mut scene = Scene::default();
        let level = SceneLevel { name: "hall".into(), file: "hall".into(), ..SceneLevel::default() };
        scene.levels.insert(Arc::new(level));
        let mut hall = Self { scene, assets, world: World::default(), inspector: Inspector::default() };
        hall.change(|nav| {
            nav.mesh = MeshSource::Baked;
            nav.bake.cell_size = 0.2;
            let ends = [p(-3.0, 0.0, -3.0), p(3.0, 0.0, -3.0)].map(Some);
            [nav.probe.start, nav.probe.end] = ends;
            [nav.probe.ray_start, nav.probe.ray_end] = ends;
            [nav.probe.wall_from, nav.probe.around] = [ends[0]; 2];
            (nav.probe.planner, nav.probe.beside) = (Planner::Funnel, Some(Planner::Exact));
        });
        hall
    }

    /// Adds a level floor between two corners of the same height to the level.
    fn roof(&mut self, low: Vec3, high: Vec3) {
        let corners = [low, Vec3::new(low.x, low.y, high.z), high, Vec3::new(high.x, low.y, low.z)];
        let vertices = corners.map(|position| Vertex { position, normal: Vec3::Y, ..Vertex::default() }).to_vec();
        let mesh = Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3], ..Mesh::default() };
        let (_, hall) = self.assets.by_file("hall").unwrap();
        let mut model = Model::clone(hall);
        model.meshes.push(mesh);
        model.rest_bounds = model.compute_rest_bounds();
        self.assets.insert("roofed", model);
        let level = SceneLevel { name: "roofed".into(), file: "roofed".into(), ..SceneLevel::default() };
        self.scene.levels = walkabout::ids::Arena::default();
        self.scene.levels.insert(Arc::new(level));
    }

    fn change(&mut self, by: impl FnOnce(&mut SceneNav)) {
        by(Arc::make_mut(&mut self.scene.nav));
        self.world.reconcile(&self.scene, &self.assets);
        self.inspector.reconcile(&self.world, &self.scene);
        assert!(self.world.mesh().error().is_none(), "{:?}", self.world.mesh().error());
    }

    fn results(&self) -> &[QueryResult] {
        self.inspector.query().results()
    }
}

fn doorway() -> PlacedObstacle {
    let shape = ObstacleShape::Box { base: Vec3::new(0.0, 0.0, 5.0), size: Vec3::new(1.0, 2.0, 4.0), yaw_deg: 0.0 };
    PlacedObstacle { shape, open: false }
}

#[test]
fn n_07_a_link_over_the_wall_is_taken_also_beside_obstacles() {
    let mut hall = Hall::new();
    let around: Vec<f64> = hall.results().iter().map(|r| r.length).collect();
    let ends = [Vec3::new(-1.5, 0.0, -3.0), Vec3::new(1.5, 0.0, -3.0)].map(|p| p.as_dvec3());
    let link = PlacedLink {
        start: ends[0],
        end: ends[1],
        kind: LinkKind::Placed,
        both_ways: true,
        reach: 0.5,
        area: 0,
        flags: 1,
    };
    hall.change(|nav| nav.bake.placed_links.push(link));
    for _ in 0..2 {
        for (result, around) in hall.results().iter().zip(&around) {
            assert!((result.length - 6.0).abs() < 0.1 && *around > 10.0, "{} {}", result.planner, result.length);
        }
        // In the only other way.
        hall.change(|nav| nav.obstacles.push(doorway()));
    }
    hall.change(|nav| nav.bake.placed_links.clear());
    assert!(hall.results().iter().all(|r| r.reason.is_some()), "{:?}", hall.results());
}

#[test]
fn two_planners_find_the_way_round_the_wall() {
    let mut hall = Hall::new();
    let [funnel, exact] = hall.results() else { panic!("{:?}", hall.results()) };
    assert_eq!((funnel.planner, exact.planner), (Planner::Funnel, Planner::Exact));
    for result in [funnel, exact] {
        assert_eq!(result.reason, None);
        assert!((14.0..18.0).contains(&result.length), "{}", result.length);
        assert!(result.length_2d <= result.length && result.expanded > 0 && !result.polygons.is_empty());
        assert!(result.points.iter().any(|p| p.z > 4.0), "the way leads round the end of the wall");
    }
    assert!(exact.length <= funnel.length + 1e-6);
    let (ray, wall) = (*hall.inspector.query().ray().unwrap(), *hall.inspector.query().wall().unwrap());
    assert!(!ray.free && ray.reached.x < -0.3 && ray.reached.x > -1.0, "{ray:?}");
    assert!(wall.distance > 2.0 && wall.distance < 3.0, "{wall:?}");
    hall.change(|nav| nav.probe.planner = Planner::Centers);
    let by_triangles = &hall.results()[0];
    assert!(by_triangles.reason.is_none() && by_triangles.length < 12.0, "through the wall: {by_triangles:?}");
}

#[test]
fn searches_of_triangles_are_compared_on_one_path() {
    let mut hall = Hall::new();
    hall.change(|nav| {
        (nav.probe.planner, nav.probe.beside) = (Planner::Centers, Some(Planner::Centers));
        nav.probe.beside_search.algorithm = SearchAlgorithm::BreadthFirst;
    });
    let [first, second] = hall.results() else { panic!("{:?}", hall.results()) };
    assert_eq!(
        (first.search, second.search.map(SearchStrategy::label).as_deref()),
        (Some(SearchStrategy::default()), Some("Breadth first"))
    );
    assert!(second.length >= first.length && first.reason.is_none() && second.reason.is_none());
    assert!(!first.search_tree.is_empty() && second.expanded >= first.expanded);
    // Other estimates are heard.
    hall.change(|nav| nav.probe.search.heuristic = Heuristic::Manhattan);
    assert_eq!(hall.results()[0].search.unwrap().heuristic, Heuristic::Manhattan);
}

#[test]
fn doors_close_the_way_and_open_it_again() {
    let mut hall = Hall::new();
    let (before, free) = (hall.results()[1].length, hall.world.mesh().current().unwrap().id());
    hall.change(|nav| nav.obstacles.push(doorway()));
    assert!(hall.results().iter().all(|r| r.reason.is_some()), "{:?}", hall.results());
    hall.change(|nav| nav.obstacles[0].open = true);
    assert_eq!(hall.results()[1].length, before);
    hall.change(|nav| nav.obstacles[0].open = false);
    hall.change(|nav| *nav.obstacles[0].shape.base_mut() += Vec3::new(-3.0, 0.0, -4.0));
    assert!(hall.results()[1].reason.is_none(), "moved aside it lets pass");
    hall.change(|nav| nav.obstacles.clear());
    assert_eq!(hall.world.mesh().current().unwrap().id(), free, "without obstacles the mesh is the first one");
}

#[test]
fn a_drawn_obstacle_closes_the_way_as_a_box_does() {
    let mut hall = Hall::new();
    let corners = [[-0.5, -2.0], [0.5, -2.0], [0.5, 2.0], [-0.5, 2.0]];
    let outline = corners.map(glam::Vec2::from).to_vec();
    let shape = ObstacleShape::Prism { base: Vec3::new(0.0, 0.0, 5.0), outline, height: 2.0 };
    hall.change(|nav| nav.obstacles.push(PlacedObstacle { shape, open: false }));
    assert!(hall.results().iter().all(|r| r.reason.is_some()), "{:?}", hall.results());
}

#[test]
fn barred_polygons_are_walked_around_until_they_are_let_through() {
    let mut hall = Hall::new();
    let before = hall.results().to_vec();
    let mesh = hall.world.mesh().built().unwrap().mesh.clone();
    for place in [Vec3::new(0.0, 0.0, 5.0), Vec3::new(0.0, 900.0, 5.0)] {
        hall.change(|nav| nav.barred.push(place));
        let polygon = walkabout::sim::nav_mesh::polygon_at(&mesh, Vec3::new(0.0, 0.0, 5.0)).unwrap();
        assert_eq!(hall.world.mesh().current().unwrap().polygon(polygon).flags, 0);
        for (result, before) in hall.results().iter().zip(&before) {
            assert!(result.reason.is_some() || result.length > before.length, "{result:?}");
            assert!(!result.polygons.contains(&polygon));
        }
    }
    hall.change(|nav| nav.barred.clear());
    for (result, before) in hall.results().iter().zip(&before) {
        assert_eq!((&result.points, &result.reason), (&before.points, &before.reason));
    }
}

#[test]
fn painted_cells_close_the_way_and_open_it_again() {
    let mut hall = Hall::new();
    let before = hall.results().to_vec();
    hall.change(|nav| {
        // A line across the hall.
        for z in -200..200 {
            nav.barred_cells.set([0, 0, z], true);
        }
    });
    assert!(hall.results().iter().all(|r| r.reason.is_some()), "{:?}", hall.results());
    hall.change(|nav| {
        for z in 16..24 {
            nav.barred_cells.set([0, 0, z], false);
        }
    });
    assert!(hall.results().iter().all(|r| r.reason.is_none()), "{:?}", hall.results());
    hall.change(|nav| nav.barred_cells.clear());
    for (result, before) in hall.results().iter().zip(&before) {
        assert_eq!((&result.points, &result.reason), (&before.points, &before.reason));
    }
}

#[test]
fn threats_see_a_part_of_the_path_and_the_wall_hides_the_rest() {
    let mut hall = Hall::new();
    assert!(hall.results()[0].seen.is_empty());
    hall.change(|nav| nav.threats.push(Vec3::new(4.0, 0.0, -4.0)));
    for result in hall.results() {
        let all: f32 = result.seen.iter().map(|s| s.ends[0].distance(s.ends[1])).sum();
        assert!((f64::from(all) - result.length).abs() < 1e-2, "parts and path differ: {all}, {}", result.length);
        let seen = result.exposed_length();
        assert!(seen > 3.0 && seen < all - 3.0, "{seen} of {all} m");
    }
}

#[test]
fn n_10_searches_step_to_their_end_and_reset_on_a_change() {
    let mut hall = Hall::new();
    hall.inspector.query_mut().step_search(&hall.world, 1);
    assert_eq!(hall.inspector.query().search().unwrap().path.expanded(), 1);
    hall.world.reconcile(&hall.scene, &hall.assets);
    assert!(hall.inspector.query().search().is_some(), "nothing has changed");
    for _ in 0..1000 {
        hall.inspector.query_mut().step_search(&hall.world, 1);
    }
    let search = hall.inspector.query().search().unwrap();
    assert_eq!((search.slice, search.corridor.is_empty()), (Slice::Found, false));
    hall.change(|nav| nav.probe.end = Some(Vec3::new(-4.0, 0.0, 4.0)));
    assert!(hall.inspector.query().search().is_none());
    hall.inspector.query_mut().step_search(&hall.world, 1);
    hall.inspector.query_mut().reset_search();
    assert!(hall.inspector.query().search().is_none());
}

#[test]
fn random_places_lie_in_their_circle_and_follow_their_seed() {
    let mut hall = Hall::new();
    hall.change(|nav| (nav.probe.random, nav.probe.reach, nav.probe.seed) = (50, 2.0, 1));
    let first = hall.inspector.query().random().to_vec();
    assert_eq!(first.len(), 50);
    let start = hall.scene.nav.probe.around.unwrap();
    assert!(first.iter().all(|p| (*p - start).with_y(0.0).length() < 2.01));
    hall.change(|nav| nav.probe.seed = 2);
    assert_ne!(hall.inspector.query().random(), first);
    hall.change(|nav| nav.probe.seed = 1);
    assert_eq!(hall.inspector.query().random(), first);
}

#[test]
fn what_cannot_be_asked_says_why() {
    let mut hall = Hall::new();
    hall.change(|nav| nav.probe.end = Some(Vec3::new(80.0, 0.0, 0.0)));
    assert!(hall.results()[0].reason.as_ref().unwrap().contains("the end is off"));
    Arc::make_mut(&mut hall.scene.nav).mesh = MeshSource::File("absent.navmesh".into());
    hall.world.reconcile(&hall.scene, &hall.assets);
    hall.inspector.reconcile(&hall.world, &hall.scene);
    assert!(hall.results()[0].reason.as_ref().unwrap().contains("no navigation mesh"));
    hall.change(|nav| (nav.mesh, nav.probe.end) = (MeshSource::Triangles, None));
    assert!(hall.results().is_empty() && hall.inspector.query().ray().is_some(), "the raycast has ends of its own");
    hall.change(|nav| {
        let away = Some(Vec3::new(80.0, 0.0, 0.0));
        (nav.probe.ray_start, nav.probe.wall_from, nav.probe.around) = (away, away, away);
        (nav.probe.random, nav.probe.reach) = (5, 2.0);
    });
    let query = hall.inspector.query();
    assert!(query.ray().is_none() && query.wall().is_none() && query.random().is_empty());
}

#[test]
fn n_10_every_overlay_of_the_workbench_draws_on_its_layer_alone() {
    let mut hall = Hall::new();
    hall.change(|nav| {
        nav.threats.push(Vec3::new(4.0, 0.0, -4.0));
        nav.probe.random = 5;
        let (from, to) = (Vec3::new(-4.0, 0.0, -2.0), Vec3::new(-2.0, 0.0, 2.0));
        nav.crowds.push(PlacedCrowd { from, to, count: 3, ..PlacedCrowd::default() });
        let aside = ObstacleShape::Cylinder { base: Vec3::new(-3.0, 0.0, 3.0), radius: 0.5, height: 1.0 };
        nav.obstacles.push(PlacedObstacle { shape: aside, open: false });
        let shape = VolumeShape::Box { min: Vec3::new(2.0, -1.0, 2.0), max: Vec3::new(4.0, 1.0, 4.0) };
        nav.bake.volumes.push(Volume { shape, area: Some(3) });
        nav.bake.seeds.push(glam::DVec3::new(-3.0, 0.0, -3.0));
        nav.bake.placed_links.push(PlacedLink {
            start: glam::DVec3::new(-2.0, 0.0, 0.0),
            end: glam::DVec3::new(2.0, 0.0, 0.0),
            kind: LinkKind::Placed,
            both_ways: true,
            reach: 1.0,
            area: 0,
            flags: 1,
        });
    });
    // A target off the mesh, which the doctor finds.
    let target = SceneInstance { position: Vec3::X * 40.0, ..SceneInstance::default() };
    let target = hall.scene.instances.insert(Arc::new(target));
    hall.scene.instances.insert(Arc::new(SceneInstance { target: Some(target), ..SceneInstance::default() }));
    hall.world.step(&hall.scene);
    hall.inspector.doctor_mut().examine(Examination::Everything);
    // Another mesh to compare with.
    let mesh = Arc::new(crate::fixture::plan(&["..", ".."], true).validate().unwrap());
    let links = OffMeshLinks::default();
    let other = BuiltMesh { mesh, links, left_out: Vec::new(), baked: None, raw: None, format: None };
    hall.inspector.mesh_compare_mut().start(MeshBefore::Kept(Arc::new(other)));
    hall.inspector.reconcile(&hall.world, &hall.scene);
    hall.inspector.step(&hall.world, &hall.scene);
    hall.inspector.query_mut().step_search(&hall.world, 5);
    let selection = Selection::default();
    let context = OverlayContext {
        world: &hall.world,
        inspector: &hall.inspector,
        scene: &hall.scene,
        assets: &hall.assets,
        selection: &selection,
    };
    for row in OVERLAYS.iter().filter(|row| [MESH, BAKE].contains(&row.group)) {
        let mut d = DebugDraw::wanting([row.layer]);
        (row.draw)(&context, &mut d);
        // Level ground needs no heights inside its polygons.
        let some = d.lines.len() + d.triangles.len() > 0;
        assert!(some || row.name == "bake-heights", "{} draws nothing", row.name);
        let mut none = DebugDraw::wanting([]);
        (row.draw)(&context, &mut none);
        assert_eq!(none.lines.len() + none.triangles.len(), 0, "{} draws what was not asked for", row.name);
        for other in OVERLAYS.iter().filter(|other| other.layer != row.layer) {
            let mut d = DebugDraw::wanting([other.layer]);
            (row.draw)(&context, &mut d);
            assert_eq!(d.lines.len() + d.triangles.len(), 0, "{} draws on the layer of {}", row.name, other.name);
        }
    }
}

#[test]
fn tp_17_only_closed_obstacles_hide_from_enemies() {
    let mut hall = Hall::new();
    let crate_ = |open| {
        let shape =
            ObstacleShape::Box { base: Vec3::new(-2.0, 0.0, 1.0), size: Vec3::new(1.0, 2.0, 3.0), yaw_deg: 0.0 };
        vec![PlacedObstacle { shape, open }]
    };
    hall.change(|nav| {
        nav.threats = vec![Vec3::new(-1.0, 0.0, 1.0)];
        (nav.probe.start, nav.probe.end) = (Some(Vec3::new(-4.0, 0.0, -1.0)), Some(Vec3::new(-4.0, 0.0, 3.0)));
        (nav.probe.planner, nav.probe.beside) = (Planner::Exact, None);
    });
    let exposed = |hall: &Hall| hall.results()[0].exposed_length();
    assert!(exposed(&hall) > 3.9, "the enemy sees the whole way: {}", exposed(&hall));
    hall.change(|nav| nav.obstacles = crate_(false));
    // From (-1, 1) the near side of the crate, x = -1.5, hides all beyond z = 1 ± 9 at x = -4.
    assert!(exposed(&hall) < 0.01, "the crate is in between: {}", exposed(&hall));
    hall.change(|nav| nav.obstacles = crate_(true));
    assert!(exposed(&hall) > 3.9, "it is away: {}", exposed(&hall));
}

#[test]
fn n_06_paths_on_the_ground_lead_around_closed_obstacles() {
    let mut hall = Hall::new();
    let boulder = |open| {
        let shape = ObstacleShape::Cylinder { base: Vec3::new(-3.0, 0.0, 0.0), radius: 1.5, height: 2.0 };
        vec![PlacedObstacle { shape, open }]
    };
    hall.change(|nav| {
        (nav.probe.start, nav.probe.end) = (Some(Vec3::new(-3.0, 0.0, -4.0)), Some(Vec3::new(-3.0, 0.0, 4.0)));
        (nav.mesh, nav.probe.planner, nav.probe.beside) = (MeshSource::Triangles, Planner::Exact, None);
    });
    let length = |hall: &Hall| (hall.results()[0].reason.clone(), hall.results()[0].length);
    assert!((length(&hall).1 - 8.0).abs() < 1e-3, "straight: {:?}", length(&hall));
    hall.change(|nav| nav.obstacles = boulder(false));
    let around = length(&hall);
    // Two tangents and an arc around the cylinder.
    let bend = 2.0 * (4.0f64 * 4.0 - 1.5 * 1.5).sqrt() + 1.5 * 2.0 * (1.5f64 / 4.0).asin();
    assert!(around.0.is_none() && (around.1 - bend).abs() < 0.3, "{around:?}, not {bend}");
    hall.change(|nav| nav.obstacles = boulder(true));
    assert!((length(&hall).1 - 8.0).abs() < 1e-3, "straight again: {:?}", length(&hall));
}

#[test]
fn tp_11_area_marks_and_costs_of_a_scene_change_the_path() {
    const BUSHES: u8 = 7;
    let mut hall = Hall::new();
    hall.change(|nav| {
        let shape = VolumeShape::Box { min: Vec3::new(-4.5, -1.0, -1.0), max: Vec3::new(-1.5, 1.0, 1.0) };
        nav.bake.volumes = vec![Volume { shape, area: Some(BUSHES) }];
        (nav.probe.start, nav.probe.end) = (Some(Vec3::new(-3.0, 0.0, -5.0)), Some(Vec3::new(-3.0, 0.0, 5.0)));
        (nav.probe.planner, nav.probe.beside) = (Planner::Tactical, Some(Planner::Funnel));
    });
    let mut lengths = |by: &dyn Fn(&mut SceneNav)| {
        hall.change(|nav| by(nav));
        [0, 1].map(|i| hall.results()[i].length)
    };
    let around = |length: f64| length > 10.2;
    let rule = |cost: f32, marks: &[Mark]| AreaRule { area: BUSHES, cost, marks: marks.to_vec() };
    let plain = lengths(&|_| ());
    assert!(plain.iter().all(|&l| !around(l)), "{plain:?}");
    // A cost is for every planner that weighs costs, a mark for the tactical one.
    assert!(lengths(&|nav| nav.areas = vec![rule(9.0, &[])]).iter().all(|&l| around(l)));
    for mark in [Mark::Slow, Mark::Vulnerable, Mark::Amphibious] {
        let [tactical, funnel] = lengths(&|nav| nav.areas = vec![rule(1.0, &[mark])]);
        assert!(around(tactical) && !around(funnel), "{mark:?}: {tactical} {funnel}");
    }
    let frog = |nav: &mut SceneNav| nav.weights.amphibious = Some(1.0);
    assert!(!around(lengths(&frog)[0]), "another agent, another way");
    assert!(!around(lengths(&|nav| nav.areas = vec![rule(1.0, &[Mark::Cover])])[0]));
}

#[test]
fn z_04_the_polygons_of_a_path_are_pink_red_and_blue() {
    let hall = Hall::new();
    let polygons = hall.results()[0].polygons.len();
    assert!(polygons > 2, "{polygons}");
    let selection = Selection::default();
    let (world, scene, assets) = (&hall.world, &hall.scene, &hall.assets);
    let mut d = DebugDraw::wanting([Layer::ProbeCorridor]);
    let inspector = &hall.inspector;
    debug::corridor(&OverlayContext { world, inspector, scene, assets, selection: &selection }, &mut d);
    let mut colors: Vec<_> = d.triangles.iter().map(|t| t.color).collect();
    colors.dedup();
    assert_eq!(colors, debug::CORRIDOR_COLORS);
}

#[test]
fn tp_10_the_workbench_says_when_a_tactical_search_strays() {
    let mut hall = Hall::new();
    hall.change(|nav| {
        nav.threats = vec![Vec3::new(4.0, 0.0, -4.0)];
        nav.probe.planner = Planner::Tactical;
    });
    let [tactical, exact] = hall.results() else { panic!("{:?}", hall.results()) };
    let (ratio, points) = (tactical.expanded_ratio.unwrap(), tactical.points.clone());
    assert!(ratio > 0.0 && !tactical.is_excessive && exact.expanded_ratio.is_none());
    hall.change(|nav| nav.excessive_ratio = ratio * 0.99);
    assert!(hall.results()[0].is_excessive && !hall.results()[1].is_excessive);
    assert_eq!(hall.results()[0].points, points, "it is said, nothing else");
}

#[test]
fn tp_17_destroyed_cover_hides_nobody_until_it_is_restored() {
    let mut hall = Hall::new();
    hall.change(|nav| nav.threats = vec![Vec3::new(4.0, 0.0, -4.0)]);
    let seen = |hall: &Hall| hall.results().iter().map(QueryResult::exposed_length).collect::<Vec<f32>>();
    let (before, whole) = (seen(&hall), hall.world.cover().view().unwrap().map.clone());
    let enemy = hall.world.mesh().current().unwrap().id();
    // In the middle of the wall: both its sides are gone, its end and the walls of the hall are not.
    hall.change(|nav| nav.destroyed = vec![Vec3::new(0.0, 0.0, -1.0)]);
    let cover = hall.world.cover().view().unwrap().clone();
    assert_eq!(cover.mesh, enemy, "nothing was built anew");
    let left: Vec<_> = whole.segments().filter(|(id, _)| cover.map.cover(*id).is_some()).map(|(_, s)| *s).collect();
    assert_eq!(left.len() + 2, whole.segments().count(), "{left:?}");
    let mesh = hall.world.mesh().current().unwrap().clone();
    let fresh = CoverMap::build(&mesh, &left, &[], *whole.settings());
    for polygon in (0..mesh.len() as u32).map(PolyId) {
        let covers = |map: &CoverMap| map.covers_of(polygon).map(|c| map.cover(c).copied()).collect::<Vec<_>>();
        assert_eq!(covers(&cover.map), covers(&fresh), "as if it never stood: {polygon:?}");
    }
    assert!(seen(&hall).iter().zip(&before).all(|(now, before)| *now > before + 2.0), "{before:?} {:?}", seen(&hall));
    hall.change(|nav| nav.destroyed.push(Vec3::new(90.0, 0.0, 0.0)));
    hall.change(|nav| nav.destroyed = nav.destroyed.split_off(1));
    assert_eq!(seen(&hall), before, "it is there again");
}

#[test]
fn tp_16_heights_and_floors_count_in_a_scene_that_says_so() {
    let mut hall = Hall::new();
    // Over the hall, three metres up, a roof on which an enemy stands in the middle.
    hall.roof(Vec3::new(-6.0, 5.0, -2.0), Vec3::new(-1.0, 5.0, 2.0));
    hall.change(|nav| {
        nav.threats = vec![Vec3::new(-3.5, 5.0, 0.5)];
        (nav.probe.start, nav.probe.end) = (Some(Vec3::new(-3.5, 0.0, -5.0)), Some(Vec3::new(-3.5, 0.0, 5.0)));
        (nav.probe.planner, nav.probe.beside) = (Planner::Exact, None);
    });
    let exposed = |hall: &Hall| hall.results()[0].exposed_length();
    let flat = exposed(&hall);
    assert!(flat > 9.9, "from above the roof is nowhere in between: {flat}");
    let without: Vec<_> = hall.world.cover().view().unwrap().map.slabs().copied().collect();
    assert!(without.is_empty());
    hall.change(|nav| nav.sight.heights = true);
    assert!(hall.world.cover().view().unwrap().map.slabs().count() > 0);
    // The roof's mesh ends about half a metre before the roof, a metre from the enemy. With eyes at 6.7 it sees heads, 1.8
    // high, from 4.9 / 1.7 metres off; to the other side from farther off than the path leads.
    let high = exposed(&hall);
    assert!((high - (4.5 - 4.9 / 1.7)).abs() < 0.4, "{high} of {flat} m");
    hall.change(|nav| nav.sight.ducked = true);
    let ducked = exposed(&hall);
    assert!(
        (ducked - (4.5 - 5.8 / 1.7)).abs() < 0.4 && ducked < high - 0.3,
        "who ducks is hidden farther off: {ducked}"
    );
    hall.change(|nav| nav.sight.heights = false);
    assert_eq!(exposed(&hall), flat);
}
