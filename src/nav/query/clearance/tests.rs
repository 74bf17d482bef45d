//! Widths and walls that are kept over changes of the mesh, against those that are measured anew.

use super::nearby_walls::Leg;
use super::width_cache::WidthCache;
use crate::nav::mesh::{DynamicMesh, Filter, NavMesh, Obstacle, PolyId, fixture};
use glam::DVec3;

/// Compares what was kept over changes with what is measured anew, at random places; says how much was kept.
fn compare(mesh: &NavMesh, kept: &mut WidthCache, filter: &Filter, chance: &mut impl FnMut() -> f32) -> usize {
    let (mut new, mut measured) = (WidthCache::default(), 0);
    kept.prepare(mesh, filter, 1.0);
    new.prepare(mesh, filter, 1.0);
    for vertex in 0..mesh.vertices().len() as u32 {
        assert_eq!(kept.touch(vertex), new.touch(vertex), "vertex {vertex}");
    }
    for polygon in (0..mesh.len() as u32).filter(|&p| mesh.is_live(PolyId(p))) {
        for way in mesh.portals().links_of(polygon) {
            for out in mesh.portals().links_of(way.neighbor).iter().map(|out| out.portal) {
                measured += usize::from(kept.is_measured(way.portal, out));
                if chance() < 0.7 {
                    let widths = [&mut *kept, &mut new].map(|w| w.width(mesh, filter, way.portal, out).to_bits());
                    assert_eq!(widths[0], widths[1], "from portal {} to portal {out}", way.portal);
                }
            }
        }
        if chance() < 0.7 {
            let need = chance();
            let wide = [&mut *kept, &mut new].map(|w| w.is_wide(mesh, filter, polygon, need));
            assert_eq!(wide[0], wide[1], "polygon {polygon}, {need} m");
        }
        for radius in [0.2, 0.9] {
            let middle = mesh.polygon(PolyId(polygon)).center;
            let listed = [&mut *kept, &mut new].map(|walls| {
                let reach = walls.reach(mesh, radius);
                reach.is_clear(mesh, filter, PolyId(polygon), &Leg::new(middle, middle, radius));
                reach.listed(PolyId(polygon))
            });
            assert_eq!(listed[0], listed[1], "walls within {radius} m of polygon {polygon}");
        }
    }
    measured
}

#[test]
fn n_06_n_01_measures_kept_over_changes_are_those_measured_anew() {
    let mut shares = (0, 0);
    for seed in 1..25 {
        let base = std::sync::Arc::new(fixture::random_mesh(seed, 14, 0.3).validate().unwrap());
        let (mut chance, filter) = (fixture::chance(seed), Filter::default());
        let (mut mesh, mut ids, mut kept) = (DynamicMesh::new(base.clone()), Vec::new(), WidthCache::default());
        compare(mesh.mesh(), &mut kept, &filter, &mut chance);
        for round in 0..30 {
            let mut next = |low: f32, high: f32| f64::from(low + (high - low) * chance());
            let at = DVec3::new(next(0.0, 14.0), 0.0, next(0.0, 14.0));
            let obstacle = match round % 2 {
                0 => Obstacle::cuboid(at, DVec3::new(next(0.1, 0.9), 9.0, next(0.1, 0.5)), next(0.0, 6.3)),
                _ => Obstacle::cylinder(at - DVec3::Y * 9.0, next(0.1, 0.7), 18.0),
            };
            let any = next(0.0, ids.len() as f32) as usize;
            match (round % 5, ids.is_empty()) {
                (2, false) => mesh.set(ids[any], &obstacle).unwrap(),
                (3, false) => mesh.remove(ids.swap_remove(any)).unwrap(),
                (4, _) => {
                    let polygon = PolyId(next(0.0, base.len() as f32) as u32);
                    let flags = if mesh.flags(polygon) == Some(0) { 1 } else { 0 };
                    mesh.set_flags(polygon, flags).unwrap();
                }
                _ => ids.push(mesh.add(&obstacle).unwrap()),
            }
            // Not every searcher queries after each change.
            if chance() < 0.7 {
                shares.0 += compare(mesh.mesh(), &mut kept, &filter, &mut chance);
                let portals = mesh.mesh().portals();
                let ways = (0..mesh.mesh().len() as u32).flat_map(|p| portals.links_of(p));
                shares.1 += ways.map(|way| portals.links_of(way.neighbor).len()).sum::<usize>();
            }
        }
    }
    assert!(shares.0 * 2 > shares.1, "{} of {} widths were kept", shares.0, shares.1);
}
