//! Costs of the tactical search, against going on until nothing improves.

use super::super::cell_graph::BorderPoint;
use super::super::fixture::{place, threats, town};
use super::*;
use proptest::prelude::*;

/// The least cost over points on the borders of cells by going on until nothing improves: no heap, no estimate.
fn least_cost(query: &TacticalQuery, start: NavPoint, end: NavPoint) -> f64 {
    let run = prepare(query, start, end).unwrap();
    let (mesh, mut graph) = (query.mesh, CellGraph::default());
    graph.keep_for(mesh, run.threats);
    (0..mesh.len() as u32).for_each(|p| graph.open(mesh, run.threats, p));
    let ends = [start, end].map(|place| graph.cell_at(mesh, run.threats, place));
    let weight =
        |cell: u32| f64::from(run.weight(graph.cells[cell as usize].polygon, graph.cells[cell as usize].is_seen));
    let mut cost = vec![f64::INFINITY; graph.nodes.len()];
    for to in &graph.cells[ends[0] as usize].points {
        cost[to.node as usize] = weight(ends[0]) * f64::from(start.point.distance(to.point));
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (cell, own) in (0..).zip(&graph.cells) {
            let may_enter = run.may_enter(own.polygon);
            for (from, to) in
                own.points.iter().flat_map(|a| own.points.iter().map(move |b| (a, b))).filter(|_| may_enter)
            {
                let next = cost[from.node as usize] + weight(cell) * f64::from(from.point.distance(to.point));
                if next < cost[to.node as usize] - 1e-9 {
                    cost[to.node as usize] = next;
                    changed = true;
                }
            }
        }
    }
    let direct =
        if ends[0] == ends[1] { weight(ends[1]) * f64::from(start.point.distance(end.point)) } else { f64::INFINITY };
    let last =
        |from: &BorderPoint| cost[from.node as usize] + weight(ends[1]) * f64::from(from.point.distance(end.point));
    graph.cells[ends[1] as usize].points.iter().map(last).fold(direct, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Strict or scaled, the way found is the cheapest; strict, no way costs less than the straight line.
    #[test]
    fn tp_13_ways_are_the_cheapest(
        ends in (0u32..100, 0u32..100), enemies in prop::collection::vec(0u32..100, 0..3),
        exposure in 0.0f32..8.0, scaled: bool, least in 0.2f32..1.0, seed: u32,
    ) {
        let (mesh, walls) = town();
        let filter = Filter::default();
        let mut markup = Markup::new(&mesh);
        for p in 0..mesh.len() as u32 {
            let pick = [Marks::NONE, Marks::NONE, Marks::SLOW, Marks::COVER, Marks::VULNERABLE, Marks::SLOW | Marks::COVER];
            markup.set(PolyId(p), pick[(p.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7) as usize % pick.len()]);
        }
        let cover = if scaled { least } else { 1.0 };
        let biases = Biases { exposure, cover, scaled, concealment: 0.5, ..Biases::default() };
        let threats = threats(&mesh, &walls, &enemies);
        let threats = Some(&threats).filter(|t| !t.is_empty());
        let query = TacticalQuery { markup: Some(&markup), threats, ..TacticalQuery::new(&mesh, &filter, &biases) };
        let (start, end) = (place(&mesh, ends.0), place(&mesh, ends.1));
        let path = TacticalSearch::default().find(&query, start, end).unwrap();
        let expected = least_cost(&query, start, end);
        prop_assert!((f64::from(path.cost) - expected).abs() <= 1e-4 * expected, "{} for {expected}", path.cost);
        if !scaled {
            prop_assert!(path.cost >= start.point.distance(end.point) * 0.99999);
        }
    }
}
