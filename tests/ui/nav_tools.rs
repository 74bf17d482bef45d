//! Gestures, and the scene that comes of them.

use glam::Vec3;
use walkabout::debug::Layer;
use walkabout::math::Ray;
use walkabout::nav::bake::{Volume, VolumeShape};
use walkabout::scene::nav::{MeshSource, ObstacleShape, PlacedObstacle};
use walkabout::scene::{Edit, SceneNav};
use walkabout::ui::command::EditStep;
use walkabout::ui::nav_tools::*;

/// The tools while outlines are drawn.
fn drawing() -> NavTools {
    let mut nav_tools = NavTools::default();
    nav_tools.draws = true;
    nav_tools
}

fn down(at: Vec3) -> Gesture {
    Gesture::Press { ray: Ray { origin: at + Vec3::Y * 10.0, direction: Vec3::NEG_Y }, shift: false }
}

fn after(step: Option<EditStep>) -> SceneNav {
    match step.unwrap().edit {
        Edit::SetNav(nav) => *nav,
        other => panic!("{other:?}"),
    }
}

#[test]
fn clicks_set_start_then_end_and_drag_them() {
    let mut nav_tools = NavTools::default();
    nav_tools.choose(Tool::Path);
    assert_eq!(nav_tools.shown().collect::<Vec<_>>(), [Layer::ProbePath, Layer::NavMesh]);
    nav_tools.show(Layer::NavMesh, false);
    assert_eq!(nav_tools.shown().collect::<Vec<_>>(), [Layer::ProbePath], "what was switched off stays so");
    nav_tools.show(Layer::NavMesh, true);
    let nav = after(nav_tools.act(&SceneNav::default(), down(Vec3::X), Vec3::X));
    assert_eq!((nav.probe.start, nav.probe.end), (Some(Vec3::X), None));
    nav_tools.act(&nav, Gesture::Release, Vec3::X);
    let far = Vec3::new(9.0, 0.0, 2.0);
    let nav = after(nav_tools.act(&nav, down(far), far));
    assert_eq!(nav.probe.end, Some(far));
    let nav = after(nav_tools.act(&nav, Gesture::Drag, far + Vec3::Z));
    assert_eq!((nav.probe.start, nav.probe.end), (Some(Vec3::X), Some(far + Vec3::Z)));
    nav_tools.act(&nav, Gesture::Release, far);
    assert!(nav_tools.act(&nav, Gesture::Drag, far).is_none(), "nothing is held any more");
}

#[test]
fn each_tool_has_places_of_its_own() {
    let mut nav_tools = NavTools::default();
    let mut nav = SceneNav::default();
    let mut click = |nav_tools: &mut NavTools, tool: Tool, x: f32| {
        if nav_tools.tool != tool {
            nav_tools.choose(tool);
        }
        nav = after(nav_tools.act(&nav, down(Vec3::X * x), Vec3::X * x));
        nav_tools.act(&nav, Gesture::Release, Vec3::X * x);
        nav.probe.clone()
    };
    for (tool, x) in [(Tool::Path, 1.0), (Tool::Path, 3.0), (Tool::Raycast, 5.0), (Tool::Raycast, 7.0)] {
        click(&mut nav_tools, tool, x);
    }
    click(&mut nav_tools, Tool::Wall, 9.0);
    let probe = click(&mut nav_tools, Tool::Random, 11.0);
    let places = [probe.start, probe.end, probe.ray_start, probe.ray_end, probe.wall_from, probe.around];
    assert_eq!(places, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0].map(|x| Some(Vec3::X * x)));
    assert_eq!((probe.random, probe.seed), (100, 1));
    assert!(nav_tools.picked == Some(PlacedItem::Around));
}

#[test]
fn what_lies_under_the_cursor_is_moved_not_placed_again() {
    for tool in [Tool::Threat, Tool::Destroy, Tool::Obstacle, Tool::Volume, Tool::Seed] {
        let mut nav_tools = NavTools::default();
        nav_tools.choose(tool);
        let nav = after(nav_tools.act(&SceneNav::default(), down(Vec3::ZERO), Vec3::ZERO));
        nav_tools.act(&nav, Gesture::Release, Vec3::ZERO);
        assert!(nav_tools.act(&nav, down(Vec3::ZERO), Vec3::ZERO).is_none(), "{tool:?} places two things at once");
        let item = nav_tools.picked.unwrap();
        let before = item.shape(&nav).unwrap().bounds();
        let nav = after(nav_tools.act(&nav, Gesture::Drag, Vec3::X * 3.0));
        assert!((item.shape(&nav).unwrap().bounds().center() - before.center() - Vec3::X * 3.0).length() < 1e-4);
        let nav = after(nav_tools.remove(&nav, item));
        assert_eq!(nav, SceneNav::default(), "{tool:?}");
        assert!(nav_tools.remove(&nav, item).is_none());
    }
}

#[test]
fn links_need_two_clicks_or_one_drag() {
    let mut nav_tools = NavTools::default();
    nav_tools.choose(Tool::Link);
    let nav = SceneNav::default();
    assert!(nav_tools.act(&nav, down(Vec3::ZERO), Vec3::ZERO).is_none());
    assert!(nav_tools.act(&nav, Gesture::Release, Vec3::ZERO).is_none());
    let nav = after(nav_tools.act(&nav, down(Vec3::X * 4.0), Vec3::X * 4.0));
    assert_eq!(nav.bake.placed_links.len(), 1);
    nav_tools.act(&nav, Gesture::Release, Vec3::X * 4.0);
    assert!(nav_tools.act(&nav, down(Vec3::Z * 9.0), Vec3::Z * 9.0).is_none());
    let nav = after(nav_tools.act(&nav, Gesture::Release, Vec3::Z * 14.0));
    assert_eq!(nav.bake.placed_links.len(), 2);
    assert_eq!(nav.bake.placed_links[1].end.z, 14.0);
}

#[test]
fn a_crowd_is_sent_from_one_click_to_the_next() {
    let mut nav_tools = NavTools::default();
    nav_tools.choose(Tool::Crowd);
    nav_tools.crowd.count = 7;
    let nav = SceneNav { mesh: MeshSource::Triangles, ..SceneNav::default() };
    assert!(nav_tools.act(&nav, down(Vec3::ZERO), Vec3::ZERO).is_none());
    nav_tools.act(&nav, Gesture::Release, Vec3::ZERO);
    let sent = after(nav_tools.act(&nav, down(Vec3::X * 4.0), Vec3::X * 4.0));
    let crowd = &sent.crowds[0];
    assert_eq!((crowd.from, crowd.to, crowd.count), (Vec3::ZERO, Vec3::X * 4.0, 7));
    assert_eq!(crowd.clearance, crowd.radius, "this mesh reaches to the walls");
    nav_tools.act(&sent, Gesture::Release, Vec3::X * 4.0);
    assert!(nav_tools.act(&sent, down(Vec3::ZERO), Vec3::ZERO).is_none());
    let moved = after(nav_tools.act(&sent, Gesture::Drag, Vec3::Z));
    assert_eq!((moved.crowds[0].from, moved.crowds[0].to), (Vec3::Z, Vec3::X * 4.0));
    let step = nav_tools.remove(&moved, PlacedItem::CrowdStart(0));
    assert_eq!(step.as_ref().map(|s| s.name.as_str()), Some("remove crowd 1"));
    assert_eq!(after(step), nav);
}

#[test]
fn every_tool_says_what_it_does_and_shows_overlays_that_exist() {
    for info in TOOLS {
        assert!(info.help.ends_with('.') && !info.hint.is_empty(), "{}", info.label);
        for &layer in info.overlays {
            assert!(walkabout::inspect::overlays::of(layer).is_some(), "{layer:?}");
        }
    }
    let mut nav_tools = NavTools::default();
    nav_tools.choose(Tool::Seed);
    nav_tools.choose(Tool::Seed);
    assert_eq!(nav_tools.shown().count(), 0, "what the tool showed goes with it");
    assert_eq!(nav_tools.tool, Tool::None, "choosing it again leaves it");
}

#[test]
fn an_outline_closes_on_its_first_corner_and_becomes_its_hull() {
    let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(1.5, 0.0, 0.5), Vec3::new(0.0, 1.0, 3.0)];
    for tool in [Tool::Obstacle, Tool::Volume] {
        let mut nav_tools = drawing();
        nav_tools.choose(tool);
        let nav = SceneNav::default();
        for at in corners {
            assert!(nav_tools.act(&nav, down(at), at).is_none());
            assert!(nav_tools.act(&nav, Gesture::Release, at).is_none());
        }
        let drawn = after(nav_tools.act(&nav, down(Vec3::X * 0.1), Vec3::X * 0.1));
        walkabout::scene::limits::check_nav(&drawn).unwrap();
        let bounds = nav_tools.picked.unwrap().shape(&drawn).unwrap().bounds();
        assert!((bounds.max.x - 4.0).abs() < 1e-5 && bounds.max.z == 3.0 && bounds.min.x.abs() < 1e-5);
        let count = match (drawn.obstacles.first(), drawn.bake.volumes.first()) {
            (Some(PlacedObstacle { shape: ObstacleShape::Prism { outline, .. }, .. }), None) => outline.len(),
            (None, Some(Volume { shape: VolumeShape::Convex { outline, .. }, .. })) => outline.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(count, 3, "the corner inside is none of the hull's");
    }
}

#[test]
fn an_outline_without_area_places_nothing() {
    let mut nav_tools = drawing();
    nav_tools.choose(Tool::Obstacle);
    let nav = SceneNav::default();
    assert!(nav_tools.close_outline(&nav).is_none());
    for at in [Vec3::ZERO, Vec3::X, Vec3::X * 2.0] {
        nav_tools.act(&nav, down(at), at);
    }
    assert!(nav_tools.close_outline(&nav).is_none() && nav_tools.outline.is_empty());
}

#[test]
fn a_polygon_is_barred_and_let_through_again() {
    let mut nav_tools = NavTools::default();
    let nav = after(Some(nav_tools.switch(&SceneNav::default(), None, Vec3::ONE)));
    assert_eq!(nav.barred, [Vec3::ONE]);
    assert_eq!(after(Some(nav_tools.switch(&nav, Some(0), Vec3::ONE))), SceneNav::default());
}

#[test]
fn what_is_turned_is_met_where_it_is_not_in_the_box_around_it() {
    let shape = ObstacleShape::Box { base: Vec3::ZERO, size: Vec3::new(4.0, 1.0, 0.5), yaw_deg: 45.0 };
    let nav = SceneNav { obstacles: vec![PlacedObstacle { shape, open: false }], ..SceneNav::default() };
    let mut nav_tools = NavTools::default();
    nav_tools.choose(Tool::Obstacle);
    let under = |x: f32, z: f32| {
        let ray = Ray { origin: Vec3::new(x, 5.0, z), direction: Vec3::NEG_Y };
        nav_tools.under(&nav, &ray, 9.0)
    };
    assert_eq!([under(1.2, 1.2), under(1.2, -1.2)].iter().flatten().count(), 1, "one diagonal of the box around it");
    assert_eq!(under(0.0, 0.0), Some(PlacedItem::Obstacle(0)));
    assert_eq!(PlacedItem::Obstacle(0).shape(&nav).unwrap().expanded(0.1).outline.len(), 4);
}

#[test]
fn an_outline_shows_what_it_will_become() {
    let mut nav_tools = drawing();
    nav_tools.choose(Tool::Volume);
    let nav = SceneNav::default();
    for at in [Vec3::ZERO, Vec3::new(0.0, 1.0, 4.0)] {
        nav_tools.act(&nav, down(at), at);
        assert_eq!(nav_tools.drawn(), None, "two corners have no area");
    }
    let last = Vec3::new(4.0, 0.0, 4.0);
    nav_tools.act(&nav, down(last), last);
    let drawn = nav_tools.drawn().unwrap();
    assert_eq!((drawn.outline.len(), drawn.low, drawn.high), (3, -0.5, 1.0 + VOLUME.y - 0.5));
    let placed = after(nav_tools.close_outline(&nav));
    let expected = VolumeShape::Convex { outline: drawn.outline, low: drawn.low, high: drawn.high };
    assert_eq!(placed.bake.volumes[0].shape, expected);
    assert_eq!(nav_tools.drawn(), None);
}
