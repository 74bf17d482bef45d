//! Planners against each other on a plan with a pillar and a yard.

use crate::fixture;
use glam::DVec3;
use std::sync::Arc;
use walkabout::nav::mesh::off_mesh::{LinkKind, OffMeshExit, OffMeshLinks, PlacedLink};
use walkabout::nav::mesh::{Filter, NavMesh, NavPoint, PolyId};
use walkabout::nav::planner::*;
use walkabout::nav::query::random::random_point;
use walkabout::nav::query::raycast::raycast;
use walkabout::nav::tactical::{Biases, Markup, TacticalQuery};

fn plan(rows: &[&str]) -> NavMesh {
    fixture::plan(rows, false).validate().unwrap()
}

fn query<'a>(mesh: &NavMesh, filter: &'a Filter, start: (f64, f64), end: (f64, f64)) -> Query<'a> {
    let place = |p: (f64, f64)| {
        let point = mesh.local(DVec3::new(p.0, 0.0, p.1));
        let over = |&i: &u32| mesh.contains_2d(PolyId(i), point);
        NavPoint::new(PolyId((0..mesh.len() as u32).find(over).unwrap()), point)
    };
    ask(filter, place(start), place(end))
}

fn ask(filter: &Filter, start: NavPoint, end: NavPoint) -> Query<'_> {
    Query::new(start, end, filter)
}

#[test]
fn every_planner_finds_a_path_and_none_beats_the_exact_ones() {
    let mesh = plan(&["......", ".####.", ".####.", "......", "..##.."]);
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    let ask = query(&mesh, &filter, (0.5, 2.5), (5.5, 1.5));
    let lengths: Vec<f64> = Planner::ON_MESH
        .iter()
        .map(|p| {
            let found = p.find(&mut planning, &mesh, &ask);
            assert_eq!(found.reason, None, "{p}");
            assert_eq!(
                (found.points[0], found.points[found.points.len() - 1]),
                (ask.start.point, ask.end.point),
                "{p}"
            );
            assert_eq!(found.polygons.first(), Some(&ask.start.polygon), "{p}");
            assert_eq!(found.polygons.last(), Some(&ask.end.polygon), "{p}");
            for pair in found.polygons.windows(2) {
                assert!(mesh.edges_of(pair[0]).iter().any(|e| e.neighbor == pair[1].0), "{p}: {pair:?}");
            }
            assert!((found.length - found.length_2d).abs() < 1e-9, "flat ground");
            found.length
        })
        .collect();
    let least = 2.0 * (0.5f64.hypot(0.5)) + 0.0;
    let length_by = |planner| lengths[Planner::ON_MESH.iter().position(|p| *p == planner).unwrap()];
    assert!(
        length_by(Planner::Exact) > least && (length_by(Planner::Exact) - length_by(Planner::ExactIndex)).abs() < 1e-5
    );
    assert!(lengths.iter().all(|&l| l >= length_by(Planner::Exact) - 1e-5), "{lengths:?}");
}

#[test]
fn n_03_ends_over_or_under_the_ground_are_put_on_it() {
    let mesh = plan(&["...", "#..", "..."]);
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    let even = query(&mesh, &filter, (0.5, 0.5), (0.5, 2.5));
    for p in Planner::ON_MESH {
        let plain = p.find(&mut planning, &mesh, &even);
        for y in [7.0, -3.0, f32::NAN, f32::INFINITY] {
            let lift = |place: NavPoint| NavPoint::new(place.polygon, place.point.with_y(y));
            let found = p.find(&mut planning, &mesh, &ask(&filter, lift(even.start), lift(even.end)));
            assert_eq!((found.reason, &found.points), (None, &plain.points), "{p} from a height of {y}");
            assert_eq!(found.length, plain.length, "{p} from a height of {y}");
        }
    }
}

#[test]
fn z_05_midpoint_lines_run_over_centres_and_midpoints() {
    let mesh = plan(&["..."]);
    let filter = Filter::default();
    let ask = query(&mesh, &filter, (0.25, 0.5), (2.75, 0.5));
    let found = Planner::EdgeMidpoints.find(&mut PlannerContext::new(), &mesh, &ask);
    let xs: Vec<f64> = found.points.iter().map(|&p| mesh.world(p).x).collect();
    assert_eq!(xs, [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 2.75]);
}

#[test]
fn z_05_midpoint_lines_stay_on_random_meshes() {
    let (filter, mut planning, mut ways) = (Filter::default(), PlannerContext::new(), 0);
    for seed in 1..30 {
        let (mesh, mut chance) = (fixture::random_mesh(seed, 7, 0.0).validate().unwrap(), fixture::chance(seed));
        for _ in 0..10 {
            let mut place = || random_point(&mesh, &filter, &mut chance).unwrap();
            let ask = ask(&filter, place(), place());
            let [line, least] =
                [Planner::EdgeMidpoints, Planner::Exact].map(|planner| planner.find(&mut planning, &mesh, &ask));
            assert_eq!(line.reason, least.reason);
            if line.reason.is_some() {
                continue;
            }
            ways += 1;
            assert!(
                line.length_2d >= least.length_2d - 1e-4,
                "seed {seed}: {} for {}",
                line.length_2d,
                least.length_2d
            );
            let mut at = ask.start;
            for &to in &line.points[1..] {
                let ray = raycast(&mesh, at, to, &filter, |_| ());
                assert!(ray.share > 1.0 - 1e-4, "seed {seed}: from {} to {to} {} is free", at.point, ray.share);
                at = NavPoint::new(ray.polygon, to);
            }
        }
    }
    assert!(ways > 100, "{ways}");
}

#[test]
fn n_03_the_answer_says_why_there_is_no_path() {
    let mesh = plan(&["..#..", "..#.."]);
    let filter = Filter::default();
    let ask = query(&mesh, &filter, (0.5, 0.5), (4.5, 0.5));
    for p in Planner::ON_MESH {
        let found = p.find(&mut PlannerContext::new(), &mesh, &ask);
        assert!(found.points.is_empty() && found.polygons.is_empty() && found.length == 0.0);
        assert!(found.reason.unwrap().to_string().contains("island"), "{p}");
    }
    let wide = Query { radius: 0.5, ..query(&mesh, &filter, (0.5, 0.5), (1.5, 1.5)) };
    for name in [Planner::EdgeMidpoints, Planner::Tactical] {
        let found = name.find(&mut PlannerContext::new(), &mesh, &wide);
        assert!(found.reason.unwrap().to_string().contains("choose 'funnel' or 'exact'"), "{name}");
    }
}

#[test]
fn an_index_is_built_anew_for_another_filter_or_mesh() {
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    let index = Planner::ExactIndex;
    for rows in [&["...", ".#.", "..."], &["...", "...", "..."]] {
        let mesh = plan(rows);
        let ask = query(&mesh, &filter, (0.5, 0.5), (2.5, 2.5));
        let by_search = Planner::Exact.find(&mut planning, &mesh, &ask).length;
        assert!((index.find(&mut planning, &mesh, &ask).length - by_search).abs() < 1e-6);
    }
}

#[test]
fn d_09_every_planner_takes_links_at_their_fixed_points() {
    let mesh = plan(&["....", "####", "...."]);
    let placed = |x: f64, both_ways| PlacedLink {
        both_ways,
        ..PlacedLink::new(LinkKind::Jump, [DVec3::new(x, 0.0, 0.95), DVec3::new(x, 0.0, 2.05)], 0.2)
    };
    let links = OffMeshLinks::new(&mesh, Vec::new(), &[placed(0.5, true), placed(3.5, false)]).unwrap();
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    for p in Planner::ON_MESH {
        let down = Query { links: Some(&links), ..query(&mesh, &filter, (2.9, 0.5), (2.9, 2.5)) };
        let alone = p.find(&mut planning, &mesh, &Query { links: None, ..down });
        assert!(alone.reason.is_some() && alone.points.is_empty(), "{p}");
        let up = Query { start: down.end, end: down.start, links: Some(&links), ..down };
        for (ask, link, backwards) in [(down, 1, false), (up, 0, true)] {
            let found = p.find(&mut planning, &mesh, &ask);
            assert_eq!(found.reason, None, "{p}");
            let (at, exit) = found.links[0];
            assert_eq!((found.links.len(), exit), (1, OffMeshExit { link, backwards }), "{p}");
            let way = links.taken(exit);
            assert_eq!((found.points[at], found.points[at + 1]), (way.start, way.end), "{p}");
            assert_eq!(
                (found.points[0], found.points[found.points.len() - 1]),
                (ask.start.point, ask.end.point),
                "{p}"
            );
            assert!(found.polygons.windows(2).any(|w| (w[0], w[1]) == (way.from, way.to)), "{p}");
        }
        // On one island links change nothing that they do not shorten.
        let near = query(&mesh, &filter, (0.5, 0.5), (3.5, 0.5));
        let with = p.find(&mut planning, &mesh, &Query { links: Some(&links), ..near });
        let without = p.find(&mut planning, &mesh, &near);
        assert_eq!((with.points, with.polygons, with.links.len()), (without.points, without.polygons, 0), "{p}");
    }
}

#[test]
fn d_09_wide_agents_take_only_links_they_fit_through_to() {
    // To the first link leads a lane of one metre, to the second one of three.
    let mesh = plan(&["......", "......", ".##...", ".##...", "######", "......", "......"]);
    let placed = |x: f64| PlacedLink::new(LinkKind::Jump, [DVec3::new(x, 0.0, 3.9), DVec3::new(x, 0.0, 5.1)], 0.2);
    let links = OffMeshLinks::new(&mesh, Vec::new(), &[placed(0.5), placed(4.5)]).unwrap();
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    let funnel = Planner::Funnel;
    let ask = Query { links: Some(&links), ..query(&mesh, &filter, (1.0, 1.0), (1.0, 6.0)) };
    for (radius, link) in [(0.0, 0), (0.3, 0), (0.6, 1)] {
        let found = funnel.find(&mut planning, &mesh, &Query { radius, ..ask });
        assert_eq!((found.reason, found.links[0].1.link), (None, link), "radius {radius}");
    }
    let found = funnel.find(&mut planning, &mesh, &Query { radius: 1.1, ..ask });
    assert!(found.reason.is_some_and(|r| r.to_string().contains("too narrow")) && found.points.is_empty());
}

#[test]
fn d_09_a_link_into_a_nook_hides_no_other_one() {
    // The near link leads into a nook that a wide agent cannot leave, the far one to the same ground.
    let mesh = plan(&[
        ".................",
        ".................",
        "#################",
        "##.#.............",
        "##...............",
        "####.............",
        "####.............",
    ]);
    let placed = |x: f64| PlacedLink::new(LinkKind::Jump, [DVec3::new(x, 0.0, 1.9), DVec3::new(x, 0.0, 3.1)], 0.2);
    let links = OffMeshLinks::new(&mesh, Vec::new(), &[placed(2.5), placed(14.5)]).unwrap();
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    let ask = Query { links: Some(&links), ..query(&mesh, &filter, (2.4, 0.9), (8.4, 5.4)) };
    for (radius, link) in [(0.0, 0), (0.3, 0), (0.6, 1)] {
        let found = Planner::Funnel.find(&mut planning, &mesh, &Query { radius, ..ask });
        assert_eq!((found.reason, found.links.first().map(|l| l.1.link)), (None, Some(link)), "radius {radius}");
    }
}

#[test]
fn polygons_left_out_change_no_path() {
    let mesh = plan(&["......", ".####.", ".####.", "......"]);
    let filter = Filter::default();
    let ask = query(&mesh, &filter, (0.5, 0.5), (5.5, 3.5));
    for p in Planner::ON_MESH {
        let mut planning = PlannerContext::new();
        let whole = p.find(&mut planning, &mesh, &ask);
        let alone = p.find(&mut planning, &mesh, &Query { skip_polygons: true, ..ask });
        assert!(!whole.polygons.is_empty() && whole.points == alone.points, "{p}");
        assert_eq!(alone.polygons.is_empty(), [Planner::Exact, Planner::ExactIndex].contains(&p), "{p}");
    }
}

#[test]
fn n_06_exact_planners_hold_up_no_frame_when_a_mesh_changes() {
    let (filter, mut planning) = (Filter::default(), PlannerContext::new());
    for rows in [&["....", ".##.", "...."], &["....", ".#..", "...."]] {
        let mesh = Arc::new(plan(rows));
        let ask = query(&mesh, &filter, (0.5, 0.5), (2.7, 2.5));
        let alone = Planner::Exact.find(&mut PlannerContext::new(), &mesh, &ask);
        planning.share(&mesh);
        for planner in [Planner::Exact, Planner::ExactIndex] {
            let first = planner.find(&mut planning, &mesh, &ask);
            assert!(first.reason.is_none() && first.length >= alone.length - 1e-5, "an answer at once: {planner}");
            while planning.is_preparing() {
                planner.find(&mut planning, &mesh, &ask);
                std::thread::yield_now();
            }
            let found = planner.find(&mut planning, &mesh, &ask);
            assert!((found.length - alone.length).abs() < 1e-5, "{planner}: {} for {}", found.length, alone.length);
        }
    }
}

#[test]
fn n_06_cheapest_paths_hold_up_no_frame_either() {
    let (mesh, mut planning) = (Arc::new(plan(&["....", ".##.", "...."])), PlannerContext::new());
    planning.share(&mesh);
    let filter = Filter::default();
    let ask = Query { metric: Metric::Surface, ..query(&mesh, &filter, (0.5, 0.5), (2.7, 2.5)) };
    let alone = Planner::Exact.find(&mut PlannerContext::new(), &mesh, &ask);
    assert!(alone.cost.is_some() && alone.notes.is_empty());
    let first = Planner::Exact.find(&mut planning, &mesh, &ask);
    assert_eq!((first.notes.as_slice(), first.cost), ([PREPARING].as_slice(), None));
    let mut found = first;
    while found.cost.is_none() {
        assert_eq!(found.reason, None);
        std::thread::yield_now();
        found = Planner::Exact.find(&mut planning, &mesh, &ask);
    }
    assert_eq!((found.cost, found.notes.len()), (alone.cost, 0));
}

#[test]
fn n_02_exact_planners_weigh_area_costs_and_obey_flags() {
    let mut raw = fixture::plan(&["...", "...", "..."], false);
    // The cell in the middle, and one of the far corner that a flag excludes.
    (raw.polygons[4].area, raw.polygons[8].area, raw.polygons[8].flags) = (7, 9, 2);
    let mesh = raw.validate().unwrap();
    let mut planning = PlannerContext::new();
    let mut find = |name: Planner, filter: &Filter| {
        let found = name.find(&mut planning, &mesh, &query(&mesh, filter, (0.5, 1.5), (2.5, 1.5)));
        assert_eq!(found.reason, None, "{name}");
        (found.notes, found.length, found.points)
    };
    let cost = |area: usize, cost: f32| {
        let mut filter = Filter::default();
        filter.cost[area] = cost;
        filter
    };
    for name in [Planner::Exact, Planner::ExactIndex] {
        let (plain, around) = (find(name, &Filter::default()), find(name, &cost(7, 9.0)));
        assert!(plain.0.is_empty() && (plain.1 - 2.0).abs() < 1e-6, "{plain:?}");
        // Along two sides of the cell in the middle and to its corners.
        assert!(around.0.is_empty() && (around.1 - (1.0 + 2f64.sqrt())).abs() < 1e-6, "{around:?}");
        assert_eq!(find(name, &cost(7, f32::INFINITY)).0, [AREAS_DIFFER], "{name}");
        let even = Filter { cost: [3.0; 64], ..Filter::default() };
        assert_eq!(find(name, &even), plain, "{name}: the same everywhere");
        assert_eq!(find(name, &cost(30, 3.0)), plain, "{name}: no such ground");
        let hole = Filter { exclude: 2, ..cost(9, 3.0) };
        assert_eq!(find(name, &hole), plain, "{name}: what flags exclude costs nothing");
        assert_eq!(find(name, &cost(9, 3.0)).1, plain.1, "{name}: no way leads over it");
    }
    let markup = Markup::from_areas([(7, walkabout::nav::tactical::Marks::SLOW)]);
    let (filter, biases) = (Filter::default(), Biases::default());
    let tactics =
        Tactics { threats: None, markup: Some(&markup), biases: &biases, excessive_ratio: TacticalQuery::EXCESSIVE };
    let ask = Query { tactics: Some(tactics), ..query(&mesh, &filter, (0.5, 1.5), (2.5, 1.5)) };
    for p in Planner::ON_MESH {
        let notes = p.find(&mut planning, &mesh, &ask).notes;
        let said: &[&str] = if p.weighs_marks() { &[] } else { &[MARKS_LEFT_OUT] };
        assert_eq!(notes, said, "{p}");
    }
}

#[test]
fn n_01_a_radius_that_is_negative_or_no_number_counts_as_none() {
    let mut raw = fixture::plan(&["...", "...", "..."], false);
    raw.polygons[4].area = 7;
    let mesh = raw.validate().unwrap();
    let mut filter = Filter::default();
    filter.cost[7] = 9.0;
    for planner in Planner::ON_MESH {
        let find = |radius: f32| {
            let ask = Query { radius, ..query(&mesh, &filter, (0.5, 1.5), (2.5, 1.5)) };
            let found = planner.find(&mut PlannerContext::new(), &mesh, &ask);
            (found.reason, found.notes, found.points)
        };
        let plain = find(0.0);
        for radius in [-1.0, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(find(radius), plain, "{planner} {radius}");
        }
    }
}

/// For every planner, what it finds from (0.5, 1.5) to the vertex (1, 1), an end over this polygon: length and cost.
fn to_touching_vertex(mesh: &NavMesh, beside: (f64, f64), filter: &Filter, metric: Metric) -> Vec<(Planner, f64, f64)> {
    let start = fixture::over(mesh, 0.5, 1.5).unwrap();
    let polygon = fixture::over(mesh, beside.0, beside.1).unwrap().polygon;
    let end = NavPoint::new(polygon, mesh.local(DVec3::new(1.0, 0.0, 1.0)));
    let mut planning = PlannerContext::new();
    let mut find = |planner: Planner, start: NavPoint, end: NavPoint| {
        let found = planner.find(&mut planning, mesh, &Query { metric, ..Query::new(start, end, filter) });
        assert_eq!(found.reason, None, "{planner} {beside:?} {metric:?}");
        assert_eq!(found.notes, Vec::<&str>::new());
        let step = |p: &[PolyId]| p[0] != p[1];
        assert!(found.polygons.windows(2).all(step), "{planner}: {:?}", found.polygons);
        (planner, found.length_2d, found.cost.map_or(found.length_2d, |cost| cost.cost))
    };
    let on_mesh = Planner::ON_MESH.into_iter().filter(|p| *p != Planner::EdgeMidpoints);
    on_mesh.flat_map(|p| [find(p, start, end), find(p, end, start)]).collect()
}

#[test]
fn n_02_an_end_where_polygons_touch_lies_in_all_of_them() {
    // A ring around the vertex (1, 1), where its first and its last square touch; and two squares that touch there alone.
    for (rows, beside) in [(["#..", ".#.", "..."], (1.5, 0.5)), (["#..", ".#.", "###"], (1.5, 0.5))] {
        for cut in [false, true] {
            let mut raw = fixture::plan(&rows, cut);
            raw.polygons.iter_mut().skip(3).step_by(2).for_each(|p| p.area = 1);
            let mesh = raw.validate().unwrap();
            let own = mesh.polygon(fixture::over(&mesh, 0.5, 1.5).unwrap().polygon).area;
            for (cost, metric) in
                [(1.0, Metric::Plan), (1.5, Metric::Plan), (1.0, Metric::Surface), (1.5, Metric::Surface)]
            {
                let mut filter = Filter::default();
                filter.cost[usize::from(1 - own.min(1))] = cost;
                for beside in [beside, (0.5, 1.5)] {
                    for (planner, length, cost) in to_touching_vertex(&mesh, beside, &filter, metric) {
                        assert!((length - 0.5f64.sqrt()).abs() < 1e-6, "{planner} {rows:?} {metric:?}: {length}");
                        assert!((cost - length).abs() < 1e-6, "{planner} {rows:?} {metric:?}: {cost}");
                    }
                }
            }
        }
    }
}

#[test]
fn n_02_ground_of_one_cost_other_than_1_costs_that() {
    let mesh = fixture::plan(&["...", "...", "..."], false).validate().unwrap();
    let filter = Filter { cost: [3.0; 64], ..Filter::default() };
    for planner in [Planner::Exact, Planner::ExactIndex] {
        let found = planner.find(&mut PlannerContext::new(), &mesh, &query(&mesh, &filter, (0.5, 1.5), (2.5, 1.5)));
        let PathCost { cost, lower_bound } = found.cost.unwrap();
        assert!((cost - 6.0).abs() < 1e-6 && lower_bound < cost && lower_bound > 5.9999, "{cost} {lower_bound}");
    }
}

#[test]
fn n_02_on_the_surface_areas_that_are_nowhere_cost_nothing() {
    let mesh = plan(&["...", "...", "..."]);
    let find = |planner: Planner, cost: f32| {
        let mut filter = Filter::default();
        filter.cost[30] = cost;
        let ask = Query { metric: Metric::Surface, ..query(&mesh, &filter, (0.5, 1.5), (2.5, 1.5)) };
        let found = planner.find(&mut PlannerContext::new(), &mesh, &ask);
        (found.reason, found.notes, found.points)
    };
    for planner in [Planner::Exact, Planner::ExactIndex] {
        let plain = find(planner, 1.0);
        assert!(plain.0.is_none() && plain.1.is_empty(), "{plain:?}");
        for cost in [f32::INFINITY, f32::NAN, 0.0] {
            assert_eq!(find(planner, cost), plain, "{planner} {cost}");
        }
    }
}

#[test]
fn n_02_ground_that_costs_without_end_is_searched_by_funnel() {
    let mesh = plan(&["..."]);
    let find = |planner: Planner, cost: f32| {
        let filter = Filter { cost: [cost; 64], ..Filter::default() };
        planner.find(&mut PlannerContext::new(), &mesh, &query(&mesh, &filter, (0.5, 0.5), (2.5, 0.5)))
    };
    for planner in [Planner::Exact, Planner::ExactIndex] {
        let endless = find(planner, f32::INFINITY);
        assert!(endless.reason.is_some() && endless.points.is_empty() && endless.cost.is_none(), "{planner}");
        assert_eq!(endless.reason, find(Planner::Funnel, f32::INFINITY).reason);
        // What is no cost counts as none, as in the searches for corridors.
        for cost in [f32::NAN, -2.0] {
            let free = find(planner, cost);
            assert_eq!((free.reason, free.cost.map(|cost| cost.cost)), (None, Some(0.0)), "{planner} {cost}");
        }
    }
}
