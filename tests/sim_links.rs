//! Characters take the links of the navigation mesh: they leap over gaps, drop from ledges, climb, and walk on.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its hall has to fail")]

use glam::{DVec3, Vec3};
use walkabout::debug::{DebugDraw, Layer};
use walkabout::ids::InstanceId;
use walkabout::inspect::Inspector;
use walkabout::inspect::overlays::{self, OverlayContext};
use walkabout::nav::mesh::off_mesh::{LinkKind, LinkSettings, PlacedLink};
use walkabout::nav::planner::Planner;
use walkabout::scene::nav::MeshSource;
use walkabout::sim::{EventKind, NavStatus, STEP_SECS};
use walkabout::vocab::MoveState;

#[path = "common/halls.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod halls;
use halls::*;

fn link(start: DVec3, end: DVec3, kind: LinkKind, both_ways: bool) -> PlacedLink {
    PlacedLink { start, end, kind, both_ways, reach: 0.5, area: 0, flags: 1 }
}

/// Two platforms two metres apart, the right one `rise` metres higher, with a link between them; someone on the left
/// one whose target is on the right one, or the other way round.
fn platforms(rise: f32, kind: LinkKind, back: bool) -> (Hall, InstanceId, InstanceId) {
    let quads = [floor([-6.0, 0.0], 0.0, [-3.0, 3.0]), floor([2.0, 8.0], rise, [-3.0, 3.0])];
    let mut hall = Hall::new(&quads, MeshSource::Triangles, Planner::Funnel);
    let ends = (DVec3::new(-0.3, 0.0, 1.0), DVec3::new(2.3, f64::from(rise), 1.0));
    hall.nav().bake.placed_links.push(link(ends.0, ends.1, kind, true));
    let (mut from, mut to) = (Vec3::new(-4.0, 0.0, -2.0), Vec3::new(6.0, rise, -2.0));
    if back {
        (from, to) = (to, from);
    }
    let target = hall.marker(to);
    let walker = hall.walker(from, target);
    hall.reconcile();
    (hall, walker, target)
}

#[test]
fn a_link_without_ground_leaves_the_mesh_and_the_other_links() {
    for source in [MeshSource::Triangles, MeshSource::Baked] {
        let (mut hall, walker, _) = platforms(0.0, LinkKind::Jump, false);
        hall.nav().mesh = source.clone();
        let (far, near) = (DVec3::new(0.0, 0.0, 90.0), DVec3::new(-3.0, 0.0, 0.0));
        hall.nav().bake.placed_links.insert(0, link(near, far, LinkKind::Jump, true));
        hall.nav().bake.placed_links[1].reach = 1.5;
        hall.reconcile();
        let faults: Vec<String> = hall.world.mesh().faults().collect();
        assert!(matches!(&faults[..], [fault] if fault.contains("end of link 1")), "{source:?}: {faults:?}");
        assert_eq!(hall.world.mesh().links().unwrap().all().len(), 1, "{source:?}");
        hall.until_arrived(walker, 30.0, |_| {});
    }
}

#[test]
fn n_08_a_gap_is_leapt_over_and_back() {
    for (rise, back) in [(0.0, false), (0.0, true), (0.6, false), (-1.5, false), (-1.5, true)] {
        let (mut hall, walker, _) = platforms(rise, LinkKind::Jump, back);
        let (mut air, mut last) = (Vec::new(), hall.at(walker));
        let secs = hall.until_arrived(walker, 30.0, |hall| {
            let at = hall.at(walker);
            if hall.live(walker).traversal.is_some() {
                assert!(!hall.live(walker).on_ground);
                air.push(at);
            } else {
                let ground = at.x < 0.0 && at.y.abs() < 0.05 || at.x > 2.0 && (at.y - rise).abs() < 0.05;
                assert!(ground || last == at, "{at} is neither on a platform nor on the link");
            }
            last = at;
        });
        let highest = air.iter().map(|p| p.y).fold(f32::MIN, f32::max);
        assert!(highest > rise.max(0.0) + 0.05 && highest < rise.max(0.0) + 1.2, "{rise} m: {highest}");
        assert!(air.len() as f32 * STEP_SECS < 1.5 && secs < 12.0, "{rise} m: {} steps, {secs} s", air.len());
        assert_eq!((hall.count(EventKind::LinkTaken), hall.count(EventKind::PutBack)), (1, 0));
        assert_eq!(hall.count(EventKind::Stuck), 0);
    }
}

#[test]
fn n_08_stairs_are_walked_straight() {
    let (mut hall, walker, _) = platforms(1.5, LinkKind::Placed, false);
    let mut on_link = 0;
    hall.until_arrived(walker, 30.0, |hall| {
        let at = hall.at(walker);
        if hall.live(walker).traversal.is_some() {
            on_link += 1;
            assert!((hall.live(walker).now.velocity.length() - SPEED).abs() < 0.1);
            assert!((at.y - 1.5 * (at.x + 0.3) / 2.6).abs() < 0.2, "{at}");
        }
    });
    assert!((on_link as f32 * STEP_SECS - 3.0 / SPEED).abs() < 0.2, "{on_link}");
}

/// The actions shown in the air and on the ground on the way over a link with ends this far apart.
fn shown(width: f32, rise: f32, kind: LinkKind, known: &[(MoveState, MoveState)]) -> (Vec<MoveState>, Vec<MoveState>) {
    let quads = [floor([-6.0, 0.0], 0.0, [-3.0, 3.0]), floor([width, 8.0], rise, [-3.0, 3.0])];
    let mut hall = Hall::new(&quads, MeshSource::Triangles, Planner::Funnel);
    hall.teach(known);
    let ends = (DVec3::new(-0.1, 0.0, 0.0), DVec3::new(f64::from(width) + 0.1, f64::from(rise), 0.0));
    hall.nav().bake.placed_links.push(link(ends.0, ends.1, kind, true));
    let target = hall.marker(Vec3::new(7.0, rise, 0.0));
    let walker = hall.walker(Vec3::new(-3.0, 0.0, 0.0), target);
    hall.reconcile();
    let (mut air, mut ground) = (Vec::new(), Vec::new());
    hall.until_arrived(walker, 30.0, |hall| {
        let live = hall.live(walker);
        let seen = if live.traversal.is_some() { &mut air } else { &mut ground };
        if live.state.is_action() && seen.last() != Some(&live.state) {
            seen.push(live.state);
        }
    });
    (air, ground)
}

#[test]
fn n_08_gap_links_are_jumped_or_hopped_others_walked() {
    use MoveState::{Hop, Jump, Walk};
    let (both, jump) = (&[(Walk, Jump), (Walk, Hop)][..], &[(Walk, Jump)][..]);
    assert_eq!(shown(2.0, 0.0, LinkKind::Jump, both).0, [Jump]);
    assert_eq!(shown(0.5, -1.2, LinkKind::Drop, both).0, [Jump]);
    assert_eq!(shown(0.5, 0.2, LinkKind::Jump, both).0, [Hop]);
    assert_eq!(shown(0.5, 0.2, LinkKind::Jump, jump).0, [Jump], "who knows no hop jumps");
    assert_eq!(shown(2.0, 0.0, LinkKind::Jump, &[]), (vec![], vec![]), "who knows neither walks through the air");
    assert_eq!(shown(2.0, 0.5, LinkKind::Placed, both), (vec![], vec![]));
}

#[test]
fn n_08_one_who_drops_cannot_go_back() {
    let quads = [floor([-6.0, 0.0], 2.0, [-3.0, 3.0]), floor([0.5, 8.0], 0.0, [-3.0, 3.0])];
    let mut hall = Hall::new(&quads, MeshSource::Baked, Planner::Funnel);
    hall.nav().bake.links = Some(LinkSettings::default());
    let (low, high) = (Vec3::new(5.0, 0.0, 0.0), Vec3::new(-4.0, 2.0, 0.0));
    let (below, above) = (hall.marker(low), hall.marker(high));
    let (down, up) = (hall.walker(high + Vec3::Z, below), hall.walker(low + Vec3::Z, above));
    hall.reconcile();
    assert!(hall.world.mesh().links().unwrap().all().iter().any(|l| l.kind == LinkKind::Drop));
    hall.until_arrived(down, 30.0, |_| {});
    assert!(matches!(hall.live(up).nav, NavStatus::Failed(_)), "{:?}", hall.live(up).nav);
    assert_eq!((hall.count(EventKind::LinkTaken), hall.count(EventKind::PutBack)), (1, 0));
}

/// Steps until someone is over the gap.
fn into_the_air(hall: &mut Hall, walker: InstanceId) {
    for _ in 0..600 {
        hall.step();
        if hall.live(walker).traversal.is_some() && hall.at(walker).x > 0.5 {
            return;
        }
    }
    panic!("{:?} at {}", hall.live(walker).nav, hall.at(walker));
}

#[test]
fn n_08_who_has_leapt_lands_even_if_the_link_or_the_target_goes() {
    let (mut hall, walker, _) = platforms(0.0, LinkKind::Jump, false);
    into_the_air(&mut hall, walker);
    hall.nav().bake.placed_links.clear();
    hall.reconcile();
    hall.until_arrived(walker, 20.0, |_| {});
    assert_eq!(hall.count(EventKind::PutBack), 0);

    let (mut hall, walker, target) = platforms(0.0, LinkKind::Jump, false);
    into_the_air(&mut hall, walker);
    hall.move_to(target, Vec3::new(-5.0, 0.0, 2.0));
    hall.until_arrived(walker, 30.0, |_| {});
    assert_eq!((hall.count(EventKind::LinkTaken), hall.count(EventKind::PutBack)), (2, 0));

    let (mut hall, walker, _) = platforms(0.0, LinkKind::Jump, false);
    into_the_air(&mut hall, walker);
    std::sync::Arc::make_mut(&mut hall.scene.settings).nav.enabled = false;
    hall.reconcile();
    (0..120).for_each(|_| hall.step());
    let at = hall.at(walker);
    assert!(at.x > 2.0 && at.y.abs() < 0.05 && hall.live(walker).on_ground, "{at}");
}

#[test]
fn who_stops_on_the_way_has_no_link_ahead_any_more() {
    let (mut hall, walker, _) = platforms(0.0, LinkKind::Jump, false);
    (0..60).for_each(|_| hall.step());
    assert_eq!(hall.live(walker).links_ahead.len(), 1);
    std::sync::Arc::make_mut(&mut hall.scene.settings).nav.enabled = false;
    hall.reconcile();
    (0..2).for_each(|_| hall.step());
    let live = hall.live(walker);
    assert!(live.nav == NavStatus::Off && live.path.is_empty() && live.links_ahead.is_empty(), "{live:?}");
}

#[test]
fn n_08_links_are_taken_in_turns_and_repeatably() {
    let stage = || {
        let quads: Vec<_> = (0..4).map(|i| floor([4.0 * i as f32, 4.0 * i as f32 + 2.5], 0.0, [-3.0, 3.0])).collect();
        let mut hall = Hall::new(&quads, MeshSource::Triangles, Planner::Exact);
        for i in 0..3 {
            let at = |x: f64| DVec3::new(4.0 * f64::from(i) + x, 0.0, f64::from(i) - 1.0);
            hall.nav().bake.placed_links.push(link(at(2.3), at(4.2), LinkKind::Jump, true));
        }
        let targets = [hall.marker(Vec3::new(14.0, 0.0, 0.0)), hall.marker(Vec3::new(0.5, 0.0, 0.0))];
        let walkers: Vec<_> = (0..8)
            .map(|i| {
                let z = 0.7 * (i / 2) as f32 - 1.5;
                let x = if i % 2 == 0 { 1.0 } else { 13.5 };
                hall.walker(Vec3::new(x, 0.0, z), targets[i % 2])
            })
            .collect();
        hall.reconcile();
        (hall, walkers)
    };
    let run = || {
        let (mut hall, walkers) = stage();
        (0..60 * 60).for_each(|_| hall.step());
        let left = walkers.iter().map(|&w| hall.live(w)).filter(|l| l.nav != NavStatus::Arrived);
        let left: Vec<_> = left.map(|l| (l.now.position, &l.nav, l.traversal, &l.path)).collect();
        assert!(left.is_empty() && hall.count(EventKind::PutBack) == 0, "{left:?}");
        assert!(hall.count(EventKind::LinkTaken) >= 24);
        hall.world.hash()
    };
    assert_eq!(run(), run());
}

#[test]
fn n_10_the_overlay_of_paths_shows_the_arc() {
    let (mut hall, walker, _) = platforms(0.0, LinkKind::Jump, false);
    let top = |hall: &Hall| {
        let mut d = DebugDraw::wanting([Layer::NavPath]);
        let context = OverlayContext {
            scene: &hall.scene,
            world: &hall.world,
            inspector: &Inspector::default(),
            assets: &hall.assets,
            selection: &walkabout::scene::Selection::default(),
        };
        overlays::draw([Layer::NavPath], &context, &mut d);
        d.lines.iter().map(|l| l.ends[1].y).fold(0.0, f32::max)
    };
    (0..30).for_each(|_| hall.step());
    assert!(top(&hall) > 0.3, "ahead: {}", top(&hall));
    into_the_air(&mut hall, walker);
    assert!(top(&hall) > 0.2, "on it: {}", top(&hall));
}

#[test]
fn links_that_no_character_could_take_are_doubted() {
    let link = |kind, end: [f64; 3], both_ways| PlacedLink {
        start: DVec3::ZERO,
        end: DVec3::from_array(end),
        kind,
        both_ways,
        reach: 1.0,
        area: 0,
        flags: 1,
    };
    let free = |_: Vec3, _: Vec3| true;
    // A floor 3 m above the ground.
    let floor = |a: Vec3, b: Vec3| (a.y - 3.0) * (b.y - 3.0) > 0.0;
    let up = [0.0, 3.3, 0.0];
    for kind in LinkKind::ALL {
        let is_doubted = link(kind, up, true).doubt(floor).is_some();
        assert_eq!(is_doubted, kind != LinkKind::Teleport, "{kind:?} straight up through a floor");
        assert_eq!(link(kind, [1.0, 0.0, 0.0], true).doubt(free), None, "{kind:?} beside");
    }
    assert_eq!(link(LinkKind::Ladder, up, true).doubt(free), None);
    assert!(link(LinkKind::Placed, up, true).doubt(free).unwrap().contains("ladder"));
    let down = [1.0, -3.0, 0.0];
    assert_eq!(link(LinkKind::Drop, down, false).doubt(free), None);
    assert!(link(LinkKind::Drop, down, true).doubt(free).unwrap().contains("Both ways"));
    assert!(link(LinkKind::Jump, [9.0, 0.0, 0.0], false).doubt(free).unwrap().contains("9.0 m far"));
}
