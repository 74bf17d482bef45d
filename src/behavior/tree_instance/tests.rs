//! What runs of trees hold and give up, looked at from inside; nodes and properties are in `tests/simulation`.

use super::*;
use crate::behavior::compile::compile;
use crate::behavior::graph::{BehaviorGraph, GraphLink, GraphNode};
use crate::behavior::kind::KINDS;
use graphs::{Row, graph, live, step};

#[path = "../../../tests/simulation/graphs.rs"]
mod graphs;

#[test]
fn every_event_has_its_listener_and_what_nobody_hears_is_gone() {
    for &event in NodeEvent::ALL.iter().filter(|e| **e != NodeEvent::None) {
        let number = event.to_file().to_string();
        let g = graph(&[(1, 8, &[("event-type", &number)]), (2, 10, &[])], &[(1, 0, 2)]);
        let mut r = live(&g);
        assert_eq!(step(&mut r, &[event]).len(), 1);
        assert!(step(&mut r, &[]).is_empty());
        assert_eq!(step(&mut r, &[event]).len(), 1, "without a cooldown it listens again at once");
        for &other in NodeEvent::ALL.iter().filter(|e| **e != event) {
            assert!(step(&mut r, &[other]).is_empty());
        }
        assert!(step(&mut r, &[]).is_empty() && r.work.is_empty());
    }
}

#[test]
fn a_tree_that_never_ends_takes_many_steps_and_no_memory() {
    // Ten sequences in a row, each firing the next four times: a million logs.
    let outs: &[_] = &[("sequence-num-outs", "4")];
    let mut nodes: Vec<Row<'_>> = (1..=10).map(|i| (i, 6, outs)).collect();
    nodes.push((11, 10, &[]));
    let links: Vec<_> = (1..=10).flat_map(|i| (0..4).map(move |out| (i, out, i + 1))).chain([(0, 0, 1)]).collect();
    let mut r = live(&graph(&nodes, &links));
    for _ in 0..500 {
        let out = step(&mut r, &[NodeEvent::InstanceToLevel]);
        assert!(!out.is_empty() && out.len() <= MAX_EFFECTS);
        assert!(r.work.len() < 100 && r.active.len() <= 12);
    }
}

#[test]
fn random_graphs_never_hang_nor_break() {
    let mut random = SplitMix64::new(5);
    for round in 0..400 {
        let count = random.below(12) as i64 + 1;
        let mut g = graph(&[], &[]);
        for id in 1..=count {
            let number = random.below(15) as i64;
            let properties = KINDS.iter().find(|k| k.number == number).map_or(&[][..], |k| k.properties);
            let values = ["0", "1", "2", "-1", "1e9", "NaN", "x", "", "0.3"];
            let properties =
                properties.iter().map(|p| (p.key.to_owned(), values[random.below(values.len())].to_owned())).collect();
            g.nodes.push(GraphNode {
                kind: number,
                id: id - random.below(10) as i64 / 9,
                properties,
                extra: Vec::new(),
            });
        }
        for id in 0..random.below(40) as i64 {
            let pin = |r: &mut SplitMix64| r.below(count as usize + 2) as i64 * 1000;
            let (from, to_pin) = (pin(&mut random), pin(&mut random));
            let from_pin = if random.below(20) == 0 { i64::MIN + from } else { from + 200 + random.below(4) as i64 };
            g.links.push(GraphLink { id, from_pin, to_pin });
        }
        let (tree, problems) = compile(&g);
        assert!(problems.iter().all(|p| !p.text.ends_with('.') && p.text.contains(';')), "{problems:?}");
        let mut r = TreeInstance::new(Arc::new(tree.clone()), round);
        for i in 0..120 {
            let out = step(&mut r, NodeEvent::ALL);
            assert!(out.len() <= MAX_EFFECTS + 24);
            for effect in out {
                match effect {
                    Effect::Face(_, w) => assert!((0.0..=1.0).contains(&w)),
                    Effect::Move(m) => {
                        assert!(m.turn_rad.is_none_or(f32::is_finite) && m.speed.is_none_or(f32::is_finite))
                    }
                    _ => {}
                }
            }
            if i == 60 {
                let mut other = tree.clone();
                other.nodes.truncate(random.below(tree.nodes.len()) + 1);
                other = compile(&BehaviorGraph { nodes: g.nodes[..other.nodes.len()].to_vec(), ..g.clone() }).0;
                r.replace_tree(&Arc::new(other));
            }
        }
        assert!(r.active.len() <= r.states.len() && r.work.len() < 10_000);
    }
}

#[test]
fn a_blend_that_is_edited_goes_on_and_ends_where_it_shall() {
    let face = |secs: &str| {
        let row = [("face-anim", "1"), ("face-anim-end-weight", "1"), ("face-anim-blend-time", secs)];
        graph(&[(1, 11, &row[..])], &[(0, 0, 1)])
    };
    // Two of ten seconds are over, and a quarter more after the step.
    for (secs, wanted) in [("4", 2.25_f32 / 4.0), ("40", 2.25 / 40.0), ("1", 1.0)] {
        let mut r = live(&face("10"));
        (0..9).for_each(|_| drop(step(&mut r, &[])));
        r.replace_tree(&Arc::new(compile(&face(secs)).0));
        let out = step(&mut r, &[]);
        let is_right = matches!(out.as_slice(), [Effect::Face(_, weight)] if (weight - wanted).abs() < 1e-5);
        assert!(is_right, "{secs} s: {out:?}");
    }
}

#[test]
fn the_hash_is_of_all_that_decides_the_future() {
    let hash = |r: &TreeInstance| {
        let mut words = Vec::new();
        r.hash_state(|word| words.push(word));
        words
    };
    let logs = graph(&[(1, 2, &[]), (2, 2, &[]), (3, 10, &[])], &[(1, 0, 3), (2, 0, 3)]);
    let [one, other] = [1, 2].map(|id| {
        let mut r = live(&logs);
        assert!(r.fire(id));
        r
    });
    assert_ne!(hash(&one), hash(&other), "another node starts");
    let reports = TreeInstance { work: vec![WorkItem::Report { node: 1 }], ..one.clone() };
    assert_ne!(hash(&one), hash(&reports), "it is told instead of started");

    let mut r = live(&graph(&[(1, 6, &[("sequence-rounds", "1000000")]), (2, 3, &[])], &[(0, 0, 1), (1, 0, 2)]));
    step(&mut r, &[]);
    assert_eq!(r.active, [0, 1, 2]);
    let changes: [fn(&mut NodeExecution); 3] =
        [|state| state.rounds += 1 << 16, |state| state.total += 1.0, |state| state.caller = NONE];
    for (i, change) in changes.into_iter().enumerate() {
        let mut changed = r.clone();
        change(&mut changed.states[1]);
        assert_ne!(hash(&r), hash(&changed), "change {i}");
    }
    let mut seen = r.clone();
    let mut conditions = ConditionSet::default();
    conditions.note(Condition::Wall, true);
    seen.set_conditions(conditions);
    assert_ne!(hash(&r), hash(&seen));
    assert_eq!(hash(&r), hash(&r.clone()));
}
