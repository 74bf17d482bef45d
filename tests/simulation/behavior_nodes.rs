//! Every kind of node and property, step by step.

use crate::graphs::{Row, graph, live, step};
use glam::Vec3;
use std::sync::Arc;
use walkabout::behavior::compile::{Severity, compile};
use walkabout::behavior::condition::{Condition, ConditionSet};
use walkabout::behavior::effect::MovementOrder;
use walkabout::behavior::graph::BehaviorGraph;
use walkabout::behavior::patrol::Waypoints;
use walkabout::behavior::{ActiveNode, Effect, NodeEventSet, TreeInstance};
use walkabout::vocab::{FaceExpression, MoveDirection, MoveState, NodeEvent};

/// The same, owning its properties.
type OwnRow = (i64, i64, Vec<(&'static str, &'static str)>);

/// Steps until node `id` writes to the log; how many steps that took.
fn steps_to_log(r: &mut TreeInstance, id: i64) -> usize {
    let wanted = Effect::Log(format!("node {id} of \"test\""));
    (0..2000).find(|_| step(r, &[]).contains(&wanted)).unwrap()
}

#[test]
fn waits_take_their_time_and_the_root_begins_anew() {
    let g = graph(&[(1, 3, &[("wait-time", "1.0")]), (2, 10, &[])], &[(0, 0, 1), (1, 0, 2)]);
    let mut r = live(&g);
    assert_eq!(steps_to_log(&mut r, 2), 4, "a second is four steps after the first");
    assert_eq!(steps_to_log(&mut r, 2), 4, "begun anew in the next step");
    step(&mut r, &[]);
    step(&mut r, &[]);
    assert_eq!(r.current(), Some(ActiveNode { id: 1, kind: 3, time: Some((0.75, 1.0)) }));
    assert_eq!(r.active_nodes().map(|w| w.id).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_wait_without_properties_lasts_three_seconds() {
    let mut r = live(&graph(&[(1, 3, &[]), (2, 10, &[])], &[(0, 0, 1), (1, 0, 2)]));
    assert_eq!(steps_to_log(&mut r, 2), 12);
}

#[test]
fn long_waits_end_on_their_step_and_short_ones_beside_them() {
    let outs: &[_] = &[("sequence-num-outs", "1")];
    let waits: [&[_]; 2] = [&[("wait-time", "600")], &[("wait-time", "7")]];
    let nodes: &[_] = &[(1, 6, outs), (2, 3, waits[0]), (3, 3, waits[1]), (4, 10, &[]), (5, 10, &[])];
    let mut r = live(&graph(nodes, &[(0, 0, 1), (1, 0, 2), (1, 0, 3), (2, 0, 4), (3, 0, 5)]));
    let mut logs = Vec::new();
    for i in 0..=36_000 {
        let mut out = Vec::new();
        r.step(1.0 / 60.0, NodeEventSet::default(), &mut out);
        logs.extend(out.iter().map(|_| i));
        if i == 4200 {
            let left: Vec<f32> = r.active_nodes().filter_map(|w| w.time).map(|(left, _)| left).collect();
            assert!(left.len() == 1 && (left[0] - 530.0).abs() < 1e-3, "{left:?}");
        }
    }
    assert_eq!(logs, [420, 36_000]);
}

#[test]
fn random_waits_stay_within_their_times() {
    let times: &[_] = &[("random-wait-min-time", "1"), ("random-wait-max-time", "3")];
    let mut r = live(&graph(&[(1, 4, times), (2, 10, &[])], &[(0, 0, 1), (1, 0, 2)]));
    let steps: Vec<usize> = (0..200).map(|_| steps_to_log(&mut r, 2)).collect();
    assert!(steps.iter().all(|s| (4..=13).contains(s)), "{steps:?}");
    assert!(steps.iter().any(|s| *s <= 5) && steps.iter().any(|s| *s >= 11));
}

#[test]
fn selectors_wait_and_fire_one_output_at_random() {
    let outs: &[_] = &[("selector-wait-time", "0.5"), ("selector-num-outs", "3")];
    let g =
        graph(&[(1, 5, outs), (2, 10, &[]), (3, 10, &[]), (4, 10, &[])], &[(0, 0, 1), (1, 0, 2), (1, 1, 3), (1, 2, 4)]);
    let mut r = live(&g);
    let mut seen = [0; 3];
    for round in 0..300 {
        assert!(step(&mut r, &[]).is_empty() && step(&mut r, &[]).is_empty());
        let out = step(&mut r, &[]);
        assert_eq!(out.len(), 1, "round {round}: one output");
        let Effect::Log(text) = &out[0] else { panic!() };
        seen[text[5..6].parse::<usize>().unwrap() - 2] += 1;
    }
    assert!(seen.iter().all(|n| (70..130).contains(n)), "{seen:?}");
}

#[test]
fn sequences_wait_for_all_that_an_output_set_off() {
    // The first output fires two waits at once, the second nothing, the third logs.
    let g = graph(
        &[
            (1, 6, &[("sequence-num-outs", "3")]),
            (2, 3, &[("wait-time", "0.5")]),
            (3, 3, &[("wait-time", "1")]),
            (4, 3, &[("wait-time", "0.5")]),
            (5, 10, &[]),
        ],
        &[(0, 0, 1), (1, 0, 2), (1, 0, 3), (2, 0, 4), (1, 2, 5)],
    );
    let mut r = live(&g);
    step(&mut r, &[]);
    assert_eq!(r.active_nodes().filter(|w| w.time.is_some()).map(|w| w.id).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(steps_to_log(&mut r, 5), 3, "when the longer of both ways is over");
}

#[test]
fn events_fire_at_once_and_ignore_others_while_cooling_down() {
    let g = graph(
        &[(1, 3, &[("wait-time", "20")]), (2, 8, &[("event-type", "4"), ("event-cooldown", "1")]), (3, 10, &[])],
        &[(0, 0, 1), (2, 0, 3)],
    );
    let mut r = live(&g);
    assert!(step(&mut r, &[]).is_empty());
    for _ in 0..3 {
        assert_eq!(step(&mut r, &[NodeEvent::InstanceToLevel]).len(), 1);
        for _ in 0..3 {
            assert!(step(&mut r, &[NodeEvent::InstanceToLevel]).is_empty(), "deaf for a second");
        }
    }
    for _ in 0..8 {
        step(&mut r, &[]);
    }
    for other in
        [NodeEvent::InstanceToInstance, NodeEvent::InstanceToEdge, NodeEvent::Interaction, NodeEvent::TargetReached]
    {
        assert!(step(&mut r, &[other, NodeEvent::None]).is_empty(), "not its event");
    }
    assert_eq!(step(&mut r, &[NodeEvent::InstanceToLevel, NodeEvent::Interaction]).len(), 1);
}

#[test]
fn movements_carry_every_property() {
    let all: &[_] = &[
        ("instance-move-state", "2"),
        ("instance-move-direction", "4"),
        ("instance-min-rotation", "90"),
        ("instance-max-rotation", "180"),
        ("instance-random-rotation", "1"),
        ("instance-relative-rotation", "1"),
        ("instance-min-speed", "0.5"),
        ("instance-max-speed", "1.5"),
        ("instance-random-speed", "1"),
        ("instance-position-x", "1"),
        ("instance-position-y", "2"),
        ("instance-position-z", "3"),
    ];
    let mut r = live(&graph(&[(1, 7, all)], &[(0, 0, 1)]));
    let (mut turns, mut speeds) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let out = step(&mut r, &[]);
        let [Effect::Move(drawn)] = out.as_slice() else { panic!("{out:?}") };
        let m = drawn.movement;
        assert_eq!((m.state, m.direction), (Some(MoveState::Run), Some(MoveDirection::Right)));
        assert_eq!((m.relative, m.position), (true, Some(Vec3::new(1.0, 2.0, 3.0))));
        turns.push(drawn.turn_rad.unwrap().to_degrees());
        speeds.push(drawn.speed.unwrap());
    }
    assert!(turns.iter().all(|t| (89.99..180.01).contains(t)) && turns.iter().any(|t| *t > 150.0));
    assert!(speeds.iter().all(|s| (0.5..=1.5).contains(s)) && speeds.iter().any(|s| *s < 0.7));
    // Not random: the least value alone counts. Nothing given: nothing changes.
    let fixed: &[_] =
        &[("instance-min-rotation", "-50"), ("instance-max-rotation", "10"), ("instance-min-speed", "0.75")];
    let out = step(&mut live(&graph(&[(1, 7, fixed)], &[(0, 0, 1)])), &[]);
    let [Effect::Move(drawn)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((drawn.turn_rad, drawn.speed), (Some(-50_f32.to_radians()), Some(0.75)));
    assert!(!drawn.movement.relative);
    assert_eq!(step(&mut live(&graph(&[(1, 7, &[])], &[(0, 0, 1)])), &[]), [Effect::Move(MovementOrder::default())]);
}

#[test]
fn actions_logs_and_walks_are_asked_for_once() {
    let g = graph(
        &[
            (1, 9, &[("action-move-state", "5")]),
            (2, 10, &[]),
            (3, 13, &[]),
            (4, 9, &[]),
            (5, 3, &[("wait-time", "9")]),
        ],
        &[(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4), (4, 0, 5)],
    );
    let mut r = live(&g);
    let log = Effect::Log("node 2 of \"test\"".into());
    let all = [
        Effect::Action(MoveState::Punch),
        log,
        Effect::WalkTo(Waypoints { first: 1, ..Waypoints::default() }),
        Effect::Action(MoveState::Idle),
    ];
    assert_eq!(step(&mut r, &[]), all);
    assert!(step(&mut r, &[]).is_empty());
}

#[test]
fn faces_blend_and_go_back() {
    let smile: &[_] = &[
        ("face-anim", "4"),
        ("face-anim-start-weight", "0.2"),
        ("face-anim-end-weight", "1"),
        ("face-anim-blend-time", "1"),
    ];
    let mut r = live(&graph(&[(1, 11, smile), (2, 11, &[])], &[(0, 0, 1), (1, 0, 2)]));
    for weight in [0.2, 0.4, 0.6, 0.8] {
        let out = step(&mut r, &[]);
        let [Effect::Face(FaceExpression::Happy, w)] = out.as_slice() else { panic!("{out:?}") };
        assert!((w - weight).abs() < 1e-5);
    }
    assert_eq!(step(&mut r, &[]), [Effect::Face(FaceExpression::Happy, 1.0), Effect::Face(FaceExpression::None, 0.0)]);
    assert!((0..3).all(|_| step(&mut r, &[]).is_empty()), "going back takes a second");
    assert!(step(&mut r, &[]).is_empty());
    assert_eq!(step(&mut r, &[]), [Effect::Face(FaceExpression::Happy, 0.2)], "begun anew");
}

#[test]
fn heads_turn_and_tilt_each_in_its_time() {
    let both: &[_] = &[
        ("head-anim-left-right", "1"),
        ("head-anim-left-right-start-weight", "-1"),
        ("head-anim-left-right-end-weight", "1"),
        ("head-anim-left-right-blend-time", "0.5"),
        ("head-anim-up-down", "1"),
        ("head-anim-up-down-start-weight", "0"),
        ("head-anim-up-down-end-weight", "-0.5"),
        ("head-anim-up-down-blend-time", "1"),
    ];
    let mut r = live(&graph(&[(1, 12, both), (2, 12, &[])], &[(0, 0, 1), (1, 0, 2)]));
    let head = |left_right, up_down| Effect::Head { left_right, up_down };
    let seen: Vec<Effect> = (0..4).flat_map(|_| step(&mut r, &[])).collect();
    let expected = [(-1.0, 0.0), (0.0, -0.125), (1.0, -0.25), (1.0, -0.375)];
    assert_eq!(seen, expected.map(|(x, y)| head(Some(x), Some(y))));
    assert_eq!(step(&mut r, &[]), [head(Some(1.0), Some(-0.5)), head(Some(0.0), Some(0.0))]);
    let turn: &[_] = &[("head-anim-left-right", "1"), ("head-anim-left-right-end-weight", "0.75")];
    let out = step(&mut live(&graph(&[(1, 12, turn)], &[(0, 0, 1)])), &[]);
    assert_eq!(out, [head(Some(0.0), None)], "the other axis stays as it is");
}

#[test]
fn tests_fire_by_hand() {
    let mut r = live(&graph(&[(1, 2, &[]), (2, 10, &[])], &[(1, 0, 2)]));
    assert!(step(&mut r, &[]).is_empty());
    assert!(r.fire(1) && !r.fire(2) && !r.fire(77));
    assert_eq!(step(&mut r, &[]).len(), 1);
    assert!(step(&mut r, &[]).is_empty());
}

#[test]
fn a_node_that_is_deactivated_ends_with_all_that_it_fired() {
    let long: &[_] = &[("wait-time", "60")];
    let outs: &[_] = &[("sequence-num-outs", "2")];
    // The root fires a sequence: its first output a wait that logs and two more waits below it, its second a log.
    let nodes: &[_] = &[(1, 6, outs), (2, 3, &[("wait-time", "0")]), (3, 3, long), (4, 3, long), (5, 10, &[])];
    let g = graph(nodes, &[(0, 0, 1), (1, 0, 2), (2, 0, 3), (2, 0, 4), (1, 1, 5)]);
    let active = |r: &TreeInstance| r.active_nodes().map(|w| w.id).collect::<Vec<_>>();
    let mut r = live(&g);
    step(&mut r, &[]);
    assert_eq!(active(&r), [0, 1, 2, 3, 4]);
    assert!(!r.deactivate(5) && !r.deactivate(77), "neither is active");
    assert!(r.deactivate(3), "one of two children");
    assert_eq!(active(&r), [0, 1, 2, 4]);
    assert!(step(&mut r, &[]).is_empty(), "the other is waited for");
    assert!(r.deactivate(2) && !r.deactivate(2));
    assert_eq!(active(&r), [0, 1], "with its child");
    assert_eq!(step(&mut r, &[]), [Effect::Log("node 5 of \"test\"".into())], "the sequence goes on");

    let mut r = live(&g);
    step(&mut r, &[]);
    assert!(r.deactivate(0));
    assert!(active(&r).is_empty());
    step(&mut r, &[]);
    assert_eq!(active(&r), [0, 1, 2, 3, 4], "begun anew");
    assert!(r.deactivate(4) && r.deactivate(3));
    assert_eq!(step(&mut r, &[]).len(), 1, "both children have ended");
}

#[test]
fn an_event_that_is_deactivated_listens_again() {
    let g = graph(&[(2, 8, &[("event-type", "4"), ("event-cooldown", "9")]), (3, 10, &[])], &[(2, 0, 3)]);
    let mut r = live(&g);
    let heard = |r: &mut TreeInstance| step(r, &[NodeEvent::InstanceToLevel]).len();
    assert_eq!((heard(&mut r), heard(&mut r)), (1, 0), "deaf while it rests");
    assert!(r.deactivate(2));
    assert_eq!((heard(&mut r), heard(&mut r)), (1, 0));
}

#[test]
fn unknown_kinds_do_nothing_and_hold_nobody_up() {
    let mut r = live(&graph(
        &[(1, 6, &[]), (2, 14, &[("x", "1")]), (3, 10, &[])],
        &[(0, 0, 1), (1, 0, 2), (2, 0, 3), (1, 1, 3)],
    ));
    assert_eq!(step(&mut r, &[]).len(), 1);
}

#[test]
fn the_same_seed_gives_the_same_life() {
    let g = graph(
        &[
            (1, 4, &[]),
            (2, 5, &[]),
            (
                3,
                7,
                &[("instance-min-rotation", "0"), ("instance-max-rotation", "90"), ("instance-random-rotation", "1")],
            ),
            (4, 10, &[]),
        ],
        &[(0, 0, 1), (1, 0, 2), (2, 0, 3), (2, 1, 4)],
    );
    let tree = Arc::new(compile(&g).0);
    let life = |seed| {
        let mut r = TreeInstance::new(tree.clone(), seed);
        let out: Vec<Effect> = (0..500).flat_map(|_| step(&mut r, &[])).collect();
        let mut hash = Vec::new();
        r.hash_state(|x| hash.push(x));
        (out, hash)
    };
    assert_eq!(life(3), life(3));
    assert_ne!(life(3), life(4));
}

#[test]
fn a_changed_tree_keeps_what_still_fits() {
    let nodes = |wait: &'static str| -> Vec<OwnRow> {
        vec![(1, 6, vec![]), (2, 3, vec![("wait-time", wait)]), (3, 10, vec![]), (4, 10, vec![])]
    };
    let build = |nodes: &[OwnRow], links: &[(i64, i64, i64)]| {
        let nodes: Vec<_> = nodes.iter().map(|(id, kind, p)| (*id, *kind, p.as_slice())).collect();
        Arc::new(compile(&graph(&nodes, links)).0)
    };
    let links = [(0, 0, 1), (1, 0, 2), (1, 1, 3), (1, 2, 4)];
    let old = build(&nodes("10"), &links);
    let begun = || {
        let mut r = TreeInstance::new(old.clone(), 1);
        (0..9).for_each(|_| drop(step(&mut r, &[])));
        assert_eq!(r.current().unwrap().time, Some((8.0, 10.0)));
        r
    };
    // A node more in front, another order: the wait goes on, and the sequence after it.
    let mut r = begun();
    let mut more = nodes("10");
    more.insert(0, (9, 10, vec![]));
    r.replace_tree(&build(&more, &links));
    assert_eq!(r.current().unwrap().time, Some((8.0, 10.0)));
    assert_eq!(steps_to_log(&mut r, 3), 31);
    // A shorter wait: no longer than that.
    let mut r = begun();
    r.replace_tree(&build(&nodes("1"), &links));
    assert_eq!(steps_to_log(&mut r, 3), 3);
    // No wait at all: what hangs on it is fired nevertheless.
    let mut r = begun();
    let mut on_wait = nodes("0");
    on_wait.push((5, 10, vec![]));
    r.replace_tree(&build(&on_wait, &[&links[..], &[(2, 0, 5)]].concat()));
    assert_eq!(step(&mut r, &[]).len(), 3, "after the wait, and the two of the sequence");
    // The wait is gone, or has become something else: the sequence goes on.
    let mut changed = nodes("10");
    changed[1] = (2, 10, vec![]);
    let mut gone = nodes("10");
    gone.remove(1);
    for tree in [build(&changed, &links), build(&gone, &[(0, 0, 1), (1, 1, 3), (1, 2, 4)]), build(&[], &[])] {
        let mut r = begun();
        r.replace_tree(&tree);
        let out = step(&mut r, &[]);
        assert_eq!(out.len(), if tree.nodes.len() > 1 { 2 } else { 0 }, "{out:?}");
    }
}

#[test]
fn what_is_wrong_with_a_graph_is_said_with_its_place_and_remedy() {
    let said = |g: &BehaviorGraph| {
        let (_, problems) = compile(g);
        problems.into_iter().map(|p| (p.severity, p.to_string())).collect::<Vec<_>>()
    };
    let wait: &[_] = &[("wait-time", "1")];
    assert!(said(&graph(&[(1, 3, wait)], &[(0, 0, 1)])).is_empty());
    let cases: Vec<(BehaviorGraph, Severity, &str)> = vec![
        (
            graph(&[(1, 3, wait), (2, 3, wait)], &[(0, 0, 1), (1, 0, 2), (2, 0, 1)]),
            Severity::Error,
            "node 2 (wait) has link 10002 back to node 1: a circle",
        ),
        (
            graph(&[(1, 3, wait)], &[(0, 0, 1), (1, 0, 5)]),
            Severity::Error,
            "node 1 (wait) has link 10001 to node 5, which does not exist",
        ),
        (
            graph(&[(1, 3, wait)], &[(0, 0, 1), (5, 0, 1)]),
            Severity::Error,
            "has link 10001 from node 5, which does not exist",
        ),
        (graph(&[(1, 3, wait)], &[(0, 0, 1), (1, 3, 1)]), Severity::Error, "from pin 1203, but only 1 outputs"),
        (
            graph(&[(1, 8, &[("event-type", "1")]), (2, 10, &[])], &[(0, 0, 1), (1, 0, 2)]),
            Severity::Error,
            "to pin 1000, which is no input",
        ),
        (graph(&[(1, 3, wait), (1, 3, wait)], &[(0, 0, 1)]), Severity::Error, "has a number that another node has"),
        (graph(&[(1, 1, &[]), (2, 10, &[])], &[(0, 0, 2)]), Severity::Error, "is a second root"),
        (
            BehaviorGraph { name: "test".into(), ..BehaviorGraph::default() },
            Severity::Error,
            "has neither a root nor an event",
        ),
        (graph(&[(1, 21, &[])], &[(0, 0, 1)]), Severity::Warning, "node 1 (unknown kind) is of kind 21"),
        (graph(&[], &[]), Severity::Warning, "node 0 (root) has no child"),
        (
            graph(&[(1, 5, &[])], &[(0, 0, 1)]),
            Severity::Warning,
            "node 1 (selector) has no child at output 1, 2, 3 of 3",
        ),
        (graph(&[(1, 3, wait), (2, 10, &[])], &[(0, 0, 1)]), Severity::Warning, "node 2 (debug log) is never reached"),
        (graph(&[(1, 3, &[("wait-time", "-4")])], &[(0, 0, 1)]), Severity::Warning, "has 'wait-time' -4; 0 is used"),
        (
            graph(&[(1, 3, &[("wait-time", "long")])], &[(0, 0, 1)]),
            Severity::Warning,
            "has 'wait-time' \"long\", which is no number; 3 is used",
        ),
        (graph(&[(1, 3, &[("weight", "1")])], &[(0, 0, 1)]), Severity::Warning, "has the property 'weight', which"),
        (
            graph(&[(1, 9, &[("action-move-state", "11")])], &[(0, 0, 1)]),
            Severity::Warning,
            "has 'action-move-state' 11, which stands for nothing",
        ),
        (
            graph(&[(1, 7, &[("instance-move-state", "5")])], &[(0, 0, 1)]),
            Severity::Warning,
            "has the 'instance-move-state' Punch",
        ),
        (
            graph(&[(1, 7, &[("instance-position-x", "5")])], &[(0, 0, 1)]),
            Severity::Warning,
            "has only a part of 'instance-position-x'",
        ),
        (
            graph(&[(1, 8, &[]), (2, 10, &[])], &[(0, 0, 2), (1, 0, 2)]),
            Severity::Warning,
            "node 1 (event) listens to no event",
        ),
    ];
    for (g, severity, text) in cases {
        let said = said(&g);
        let found = said.iter().find(|(_, s)| s.contains(text));
        assert!(found.is_some_and(|(s, t)| *s == severity && t.starts_with("node tree \"test\"")), "{text}: {said:?}");
    }
    let many: Vec<Row<'_>> = (1..500).map(|i| (i, 30, &[][..])).collect();
    assert!(said(&graph(&many, &[])).len() <= 52);
}

#[test]
fn sequences_go_round_as_often_as_they_are_told() {
    let log_wait = [("wait-time", "0.5")];
    let g = graph(
        &[(1, 6, &[("sequence-num-outs", "2"), ("sequence-rounds", "3")]), (2, 10, &[]), (3, 3, &log_wait)],
        &[(0, 0, 1), (1, 0, 2), (1, 1, 3)],
    );
    let mut r = live(&g);
    let log = Effect::Log("node 2 of \"test\"".into());
    let logs: usize = (0..5).map(|_| step(&mut r, &[]).iter().filter(|e| **e == log).count()).sum();
    assert_eq!(logs, 3, "once in each round of two steps");
    assert!(r.active_nodes().any(|node| node.id == 1), "the third round still waits");
}

#[test]
fn selectors_with_a_condition_choose_by_it() {
    let g = graph(
        &[
            (1, 5, &[("selector-wait-time", "0"), ("selector-num-outs", "2"), ("selector-condition", "2")]),
            (2, 9, &[("action-move-state", "10")]),
            (3, 9, &[("action-move-state", "5")]),
        ],
        &[(0, 0, 1), (1, 0, 2), (1, 1, 3)],
    );
    let mut r = live(&g);
    for touches in [true, false, false, true] {
        let mut conditions = ConditionSet::default();
        conditions.note(Condition::Contact, touches);
        r.set_conditions(conditions);
        let action = if touches { MoveState::Wave } else { MoveState::Punch };
        assert!(step(&mut r, &[]).contains(&Effect::Action(action)));
    }
}
