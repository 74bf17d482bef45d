//! What behaviours and sounds may hold; the rest is in `tests/scene_files`.

use super::*;
use crate::behavior::graph::{GraphComment, GraphLink, GraphNode};
use crate::scene::sounds::GroundSound;

#[test]
fn sounds_of_grounds_have_files_and_may_wait_for_a_material() {
    let with = |material: &str, file: &str| {
        let mut settings = Settings::default();
        settings.sounds.grounds.push(GroundSound { material: material.into(), file: file.into() });
        check_settings(&settings).map_err(|fault| fault.to_string())
    };
    assert_eq!(with("", "step.ogg"), Ok(()), "its name may be typed anew");
    assert_eq!(with("stone", ""), Err("has no file of a sound; give it one".to_owned()));
    assert!(with(&"x".repeat(MAX_TEXT + 1), "step.ogg").is_err());
}

#[test]
fn numbers_and_texts_of_a_behaviour_have_limits() {
    let properties = vec![("wait-time".to_owned(), "1".to_owned())];
    let good = BehaviorGraph {
        name: "wait".into(),
        nodes: vec![GraphNode { kind: 3, id: MAX_GRAPH_ID, properties, ..GraphNode::default() }],
        links: vec![GraphLink { id: -MAX_GRAPH_ID, ..GraphLink::default() }],
        comments: vec![GraphComment { at: [1.0, -2.0], text: "x".repeat(MAX_TEXT) }],
        ..BehaviorGraph::default()
    };
    assert_eq!(check_behavior(&good), Ok(()));
    let mut longest = good.clone();
    longest.nodes[0].properties[0].0 = "x".repeat(MAX_KEY);
    assert_eq!(check_behavior(&longest), Ok(()));
    let spoils: [fn(&mut BehaviorGraph); 8] = [
        |graph| graph.nodes[0].id = 1 << 62,
        |graph| graph.nodes[0].properties[0].0 = "x".repeat(MAX_KEY + 1),
        |graph| graph.nodes[0].properties[0].0 = "\u{1}".repeat(MAX_KEY / 2),
        |graph| graph.nodes[0].properties[0].1 = "x".repeat(MAX_TEXT + 1),
        |graph| graph.links[0].id = i64::MIN,
        |graph| graph.comments[0].at[1] = f32::INFINITY,
        |graph| graph.comments[0].text.push('x'),
        |graph| graph.comments = vec![GraphComment::default(); MAX_LIST + 1],
    ];
    for (i, spoil) in spoils.into_iter().enumerate() {
        let mut graph = good.clone();
        spoil(&mut graph);
        assert!(check_behavior(&graph).is_err(), "{i}");
    }
    let far = BehaviorGraph { nodes: vec![GraphNode { id: 1 << 62, ..GraphNode::default() }], ..good };
    let reason = check_behavior(&far).unwrap_err().to_string();
    let limit = MAX_GRAPH_ID.to_string();
    assert!(reason.contains("has the node-id 4611686018427387904; use") && reason.contains(&limit), "{reason}");
}
