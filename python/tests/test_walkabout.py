"""Tests of the Python package, run from the repository's root or this folder: `pytest python`."""

import math
import struct
from pathlib import Path

import numpy as np
import pytest

import walkabout

ROOT = Path(__file__).resolve().parents[2]
PLAZA = ROOT / "assets" / "levels" / "plaza.glb"


def floor(size=10.0, hole=None):
    """Squares of a metre, but for those in the hole [x0, x1, z0, z1]."""
    vertices, polygons, index = [], [], {}

    def corner(x, z):
        if (x, z) not in index:
            index[x, z] = len(vertices)
            vertices.append((float(x), 0.0, float(z)))
        return index[x, z]

    for x in range(int(size)):
        for z in range(int(size)):
            if hole and hole[0] <= x < hole[1] and hole[2] <= z < hole[3]:
                continue
            polygons.append([corner(x, z), corner(x + 1, z), corner(x + 1, z + 1), corner(x, z + 1)])
    return np.array(vertices), polygons


@pytest.fixture(scope="module")
def ring():
    """Ground of 10 by 10 metres around a square of 4 by 4."""
    return walkabout.NavMesh.from_polygons(*floor(hole=(3, 7, 3, 7)))


def test_polygons_come_back(ring):
    vertices, polygons = floor(hole=(3, 7, 3, 7))
    assert len(ring) == len(polygons) == 84
    assert np.array_equal(ring.vertices, vertices)
    assert [list(p) for p in ring.polygons] == polygons
    assert ring.island_count == 1 and set(ring.islands) == {0}
    assert ring.areas.dtype == np.uint8 and ring.triangles.shape == (168, 3)


@pytest.mark.parametrize("planner", ["exact", "exact-index"])
def test_exact_paths_are_the_shortest(ring, planner):
    path = ring.path((1, 0, 5), (9, 0, 5), planner=planner)
    # Around two corners of the square.
    expected = 2 * math.hypot(2, 2) + 4
    assert path.length == pytest.approx(expected, abs=1e-5)
    assert path.points.shape == (4, 3)
    assert np.allclose(path.points[1:3, 0], [3, 7], atol=1e-5)
    assert path.polygons.min() >= 0 and path.polygons.max() < len(ring)


def test_every_planner_answers(ring):
    for planner in walkabout.planners():
        path = ring.path((1, 0, 5), (9, 0, 5), planner=planner)
        assert path.length >= 2 * math.hypot(2, 2) + 4 - 1e-4, planner
    wide = ring.path((1, 0, 5), (9, 0, 5), planner="funnel", radius=1.0)
    assert wide.length > 2 * math.hypot(2, 2) + 4 + 0.5
    with pytest.raises(walkabout.Error, match="no planner|unknown|planner"):
        ring.path((1, 0, 5), (9, 0, 5), planner="nonsense")
    with pytest.raises(walkabout.Error, match="searches no mesh"):
        ring.path((1, 0, 5), (9, 0, 5), planner="centers")


def test_lengths_count_along_the_surface():
    # A ridge 2 m high across a floor of 6 by 6 metres, lower at its end.
    vertices, polygons = floor(6)
    vertices[:, 1] = np.where(vertices[:, 0] == 3, np.where(vertices[:, 2] >= 5, 0.5, 2.0), 0.0)
    mesh = walkabout.NavMesh.from_polygons(vertices, polygons)
    ends = (0.5, 0, 3.5), (5.5, 0, 3.5)
    plan, surface = mesh.path(*ends), mesh.path(*ends, along_surface=True)
    assert plan.cost is None and plan.length_2d == pytest.approx(5.0, abs=1e-5)
    straight_over = 3 + 2 * math.hypot(1, 2)
    assert surface.length < straight_over - 1 and surface.length_2d > plan.length_2d + 0.1
    assert surface.lower_bound <= surface.cost <= surface.lower_bound * 1.0001
    assert surface.cost == pytest.approx(surface.length, rel=1e-4)
    assert mesh.paths([ends[0]], [ends[1]], along_surface=True).lengths[0] == pytest.approx(surface.length)


def test_costs_lead_around():
    vertices, polygons = floor(6)
    areas = [1 if 2 <= vertices[p].mean(axis=0)[0] <= 4 and vertices[p].mean(axis=0)[2] < 5 else 0 for p in polygons]
    mesh = walkabout.NavMesh.from_polygons(vertices, polygons, areas)
    straight = mesh.path((0.5, 0, 0.5), (5.5, 0, 0.5), planner="funnel")
    around = mesh.path((0.5, 0, 0.5), (5.5, 0, 0.5), planner="funnel", costs={1: 20.0})
    assert straight.length == pytest.approx(5.0, abs=1e-5) and around.length > 9.0
    with pytest.raises(walkabout.Error, match="costs 1 or more"):
        mesh.path((0.5, 0, 0.5), (5.5, 0, 0.5), costs={1: 0.5})


def test_many_paths_are_the_single_ones_on_any_number_of_threads(ring):
    places = ring.random_points(400, seed=3)
    starts, ends = places[:200], places[200:]
    one = ring.paths(starts, ends, threads=1)
    many = ring.paths(starts, ends, threads=4)
    assert np.array_equal(one.lengths, many.lengths) and np.array_equal(one.points, many.points)
    assert len(many) == 200 and all(reason is None for reason in many.reasons)
    for i in [0, 7, 199, -1]:
        single = ring.path(starts[i], ends[i])
        assert single.length == many.lengths[i]
        assert np.array_equal(single.points, many[i])
    assert len(many[3:6]) == 3
    with pytest.raises(walkabout.Error, match="as many of both"):
        ring.paths(starts, ends[:5])


def test_missing_paths_have_reasons():
    vertices, polygons = floor(4)
    beyond, more = floor(4)
    vertices = np.concatenate([vertices, beyond + [4.6, 0.52, 0]])
    polygons += [[corner + len(beyond) for corner in polygon] for polygon in more]
    mesh = walkabout.NavMesh.from_polygons(vertices, polygons)
    assert mesh.island_count == 2
    with pytest.raises(walkabout.NoPath, match="island"):
        mesh.path((1, 0, 1), (6, 0.5, 1))
    why = mesh.why_no_path((1, 0, 1), (6, 0.5, 1))
    assert why and "0.60 m" in why and "0.52 m higher" in why
    assert mesh.why_no_path((1, 0, 1), (3, 0, 3)) is None
    found = mesh.paths([(1, 0, 1), (1, 0, 1), (1, 99, 1)], [(3, 0, 1), (6, 0.5, 1), (1, 0, 1)])
    assert found.lengths[0] == pytest.approx(2.0) and np.isnan(found.lengths[1:]).all()
    assert found.reasons[0] is None and "island" in found.reasons[1] and found.reasons[2]
    assert len(found[1]) == 0
    finding = mesh.examine()[0]
    assert finding.fault == "unreachable-island" and finding.lines.shape[1:] == (2, 3) and finding.remedy


def test_nearest_ground_and_rays(ring):
    points, polygons = ring.nearest([(1.5, 1.0, 1.5), (5.0, 0.0, 5.0), (500, 0, 0)])
    assert np.allclose(points[0], (1.5, 0, 1.5)) and np.isnan(points[2]).all()
    assert polygons[0] >= 0 and polygons[2] == -1
    assert np.linalg.norm(points[1] - (5, 0, 5)) == pytest.approx(2.0), "the nearest side of the square"
    hits = ring.raycast((1, 0, 5), [(9, 0, 5), (1, 0, 9)])
    assert np.allclose(hits.shares, [0.25, 1.0], atol=1e-6)
    assert np.allclose(hits.points[0], (3, 0, 5), atol=1e-5)


def test_faults_of_input_are_errors(ring):
    vertices, polygons = floor(2)
    with pytest.raises(walkabout.Error, match="polygon 0"):
        walkabout.NavMesh.from_polygons(vertices, [[0, 1, 99]] + polygons)
    with pytest.raises(walkabout.Error, match="shape"):
        ring.paths(np.zeros((4, 2)), np.zeros((4, 3)))
    with pytest.raises(walkabout.Error, match="radius"):
        ring.path((1, 0, 1), (2, 0, 2), radius=-1.0)
    with pytest.raises(walkabout.Error, match="nothing.navmesh"):
        walkabout.load_mesh("nothing.navmesh")
    with pytest.raises(walkabout.Error, match="agent_radius_m"):
        walkabout.bake(vertices, [[0, 1, 2]], agent_radius_m=1.0)
    with pytest.raises(walkabout.Error, match="vertex"):
        walkabout.bake(vertices, [[0, 1, 77]])


def test_meshes_are_saved_and_read(ring, tmp_path):
    for ending in ["navmesh", "json", "bin", "tres", "obj", "glb"]:
        file = tmp_path / f"ring.{ending}"
        notes = ring.save(file)
        assert isinstance(notes, list)
        back = walkabout.load_mesh(file)
        assert len(back) == len(ring) and back.island_count == 1, ending
        assert back.path((1, 0, 5), (9, 0, 5)).length == pytest.approx(2 * math.hypot(2, 2) + 4, abs=1e-4)
    flat = walkabout.load_mesh(tmp_path / "ring.obj", scale=0.5)
    assert flat.vertices.max() == pytest.approx(5.0)
    with pytest.raises(walkabout.Error, match="a scale of 0 is none; give a number from"):
        walkabout.load_mesh(tmp_path / "ring.obj", scale=0.0)
    with pytest.raises(walkabout.Error, match="endings"):
        ring.save(tmp_path / "ring.docx")


@pytest.mark.parametrize("areas", [[300] + [0] * 3, [-1] + [0] * 3, [0.5] + [0] * 3, np.array([300, 0, 0, 0])])
def test_numbers_that_do_not_fit_are_errors(areas):
    vertices, polygons = floor(2)
    with pytest.raises(walkabout.Error, match="0 to 63"):
        walkabout.NavMesh.from_polygons(vertices, polygons, areas)


def test_other_faults_of_numbers_are_errors(ring):
    vertices, polygons = floor(2)
    with pytest.raises(walkabout.Error, match="one for each"):
        walkabout.NavMesh.from_polygons(vertices, polygons, [0] * 5)
    with pytest.raises(walkabout.Error, match="polygons"):
        walkabout.NavMesh.from_polygons(vertices, [[0, 1, -2]])
    with pytest.raises(walkabout.Error, match="triangles"):
        walkabout.bake(vertices, [[0, 1, 2.5]])
    with pytest.raises(walkabout.Error, match="vertices"):
        walkabout.bake([[0, 0, 0], [1, 0]], [[0, 1, 2]])
    for refused in [dict(threads=-1), dict(costs={-1: 2.0}), dict(costs={300: 2.0})]:
        with pytest.raises(walkabout.Error, match="whole number"):
            ring.paths([(1, 0, 1)], [(2, 0, 2)], **refused)
    for count in [-1, 2.5, math.nan]:
        with pytest.raises(walkabout.Error, match="count"):
            ring.random_points(count)
    with pytest.raises(walkabout.Error, match="half_extents"):
        ring.nearest([(1, 0, 1)], (1, 2))


def test_the_agent_of_a_bake_is_saved(tmp_path):
    flat = walkabout.NavMesh.from_polygons(*floor())
    settings = dict(agent_height=1.75, agent_radius=0.25, agent_climb=0.5)
    mesh = walkabout.bake(flat.vertices, flat.triangles[:, ::-1], **settings)
    file, again = tmp_path / "a.bin", tmp_path / "b.bin"
    mesh.save(file)
    walkabout.load_mesh(file).save(again)
    # Behind the heads of the set, of the tile's entry and of the tile: height, radius and climb of its agents.
    for saved in [file, again]:
        assert struct.unpack_from("<3f", saved.read_bytes(), 12 + 28 + 8 + 60) == (1.75, 0.25, 0.5)


def test_a_level_is_baked_and_walked():
    vertices, triangles = walkabout.load_level(PLAZA)
    assert vertices.shape == (3 * len(triangles), 3)
    mesh = walkabout.bake(vertices, triangles, agent_radius=0.3, agent_climb=0.4, slope_deg=45)
    path = mesh.path((-22, 0, 27), (16.6, 2.4, -28.5))
    straight = np.linalg.norm(np.subtract((16.6, 2.4, -28.5), (-22, 0, 27)))
    assert straight < path.length < 1.5 * straight
    assert np.allclose(path.points[0], (-22, 0, 27), atol=0.5)


def test_errors_of_a_bake_name_what_was_given():
    corners, triangle = np.array([[0, 0, 0], [0, 0, 9], [9, 0, 0]], dtype=float), [[0, 1, 2]]
    with pytest.raises(walkabout.Error, match="slope_deg is 120"):
        walkabout.bake(corners, triangle, slope_deg=120)
    with pytest.raises(walkabout.Error, match="`slope_deg`") as unknown:
        walkabout.bake(corners, triangle, slope=45)
    assert "slope_rad" not in str(unknown.value)


def test_a_scene_is_simulated_the_same_way_each_time():
    def run():
        world = walkabout.Simulation(ROOT / "config" / "plaza.acfg")
        before = world.positions
        events = world.step(3.0)
        assert all(0 < second <= 3.1 for second, _ in events)
        return world, before

    (first, before), (second, _) = run(), run()
    assert first.time == pytest.approx(3.0, abs=0.05) and first.warnings == []
    assert len(first) == len(first.names) == len(first.states) == len(first.positions)
    assert first.hash == second.hash and np.array_equal(first.positions, second.positions)
    moved = np.linalg.norm(first.positions - before, axis=1)
    assert (moved > 0.5).sum() > 5 and "walking" in first.states
    assert first.velocities.shape == first.positions.shape and first.headings_deg.shape == (len(first),)
    assert first.mesh is not None and len(first.mesh) > 100
    with pytest.raises(walkabout.Error, match="seconds"):
        first.step(-1)


def test_parts_of_a_level_come_and_go(tmp_path):
    # Somebody falls towards a platform, which comes when he is near.
    assets = ROOT / "assets"
    scene = tmp_path / "fall.acfg"
    scene.write_text(
        f"""version: 9.0
settings: {{gravity-enabled: true, level-collision-ground-slope: 40, level-collision-max-stairstep-height: 0.4}}
levels:
  - {{level-name: ground, level-file: {assets}/levels/arena.obj}}
  - {{level-name: platform, level-file: {assets}/levels/arena.obj, position: [0, 2.9, 0], scale: 0.1, presence: near, presence-reach: 1}}
models:
  - {{model-name: ada, model-file: {assets}/people/ada.glb}}
instances:
  - {{model-file: ada, position: [0, 5, 0]}}
walkabout: {{seed: 1}}
"""
    )
    world = walkabout.Simulation(scene)
    assert world.warnings == []
    world.step(2.0)
    assert world.positions[0, 1] == pytest.approx(2.9, abs=0.05), "without it the ground is at 2.4"


def test_levels_and_models_that_are_missing_are_warned_of(tmp_path):
    scene = tmp_path / "config" / "arena.acfg"
    scene.parent.mkdir()
    scene.write_text((ROOT / "config" / "arena.acfg").read_text())
    warnings = walkabout.Simulation(scene).warnings
    assert any("arena.obj" in warning and "not loaded" in warning for warning in warnings), warnings
