"""Navigation meshes, paths and simulated scenes of Walkabout, with NumPy arrays in and out.

Lengths are metres, angles degrees where the name says so, Y is up. Points are arrays whose last axis has three numbers.

    import walkabout
    mesh = walkabout.bake(*walkabout.load_level("level.glb"), agent_radius=0.3)
    path = mesh.path((0, 0, 0), (10, 0, 4), planner="exact")
    print(path.length, path.points)
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _walkabout
from ._walkabout import Error, NoPath, __version__, planners

__all__ = [
    "Error",
    "Finding",
    "NavMesh",
    "NoPath",
    "Path",
    "Paths",
    "RayHits",
    "Simulation",
    "__version__",
    "bake",
    "load_level",
    "load_mesh",
    "planners",
]

FileName = Union[str, "os.PathLike[str]"]
Floats = npt.NDArray[np.float64]


def _floats(numbers: npt.ArrayLike, what: str) -> Floats:
    try:
        return np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Error(f"{what}: {error}") from None


def _whole(numbers: npt.ArrayLike, what: str, largest: int) -> Floats:
    array = _floats(numbers, what)
    wrong = array[~((array >= 0) & (array <= largest) & (array == np.floor(array)))]
    if wrong.size > 0:
        raise Error(f"{what}: {wrong.flat[0]:g} is among them; give whole numbers from 0 to {largest}")
    return array


def _count(number: int, what: str, largest: int = 2**63 - 1) -> int:
    if not 0 <= number <= largest or number != int(number):
        raise Error(f"{what} is {number}; give a whole number from 0 to {largest}")
    return int(number)


def _points(points: npt.ArrayLike, what: str) -> Floats:
    array = _floats(points, what)
    if array.ndim == 1 and array.shape == (3,):
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != 3:
        raise Error(f"{what} has shape {array.shape}; give (n, 3)")
    return np.ascontiguousarray(array)


def _point(point: npt.ArrayLike, what: str) -> List[float]:
    array = _floats(point, what)
    if array.shape != (3,):
        raise Error(f"{what} has shape {array.shape}; give three numbers")
    return [float(number) for number in array]


@dataclass(frozen=True)
class Path:
    """A path from start to end."""

    #: Where it turns, start and end included, (n, 3).
    points: Floats
    #: Length along its line.
    length: float
    #: The same seen from above.
    length_2d: float
    #: The polygons that it crosses, by their numbers in the mesh.
    polygons: npt.NDArray[np.int64]
    #: Places in `points` where off-mesh links begin.
    links: List[int]
    #: Nodes that the search expanded.
    expanded: int
    #: What the planner could not do as asked, and did instead.
    notes: List[str]
    #: What it costs, from the exact planners where areas cost differently or lengths count along the surface.
    cost: Optional[float] = None
    #: No path costs less than this, where `cost` is given.
    lower_bound: Optional[float] = None


@dataclass(frozen=True)
class Paths(Sequence[Floats]):
    """Many paths, in the order in which they were asked; the points of path `i` are `paths[i]`."""

    #: Length of each; NaN where there is none.
    lengths: Floats
    #: Why there is none; `None` where there is one.
    reasons: List[Optional[str]]
    #: Points of all paths, one path after the other, (n, 3).
    points: Floats
    #: Where each path begins in `points`, and the end: one more than there are paths.
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.points[self.offsets[index] : self.offsets[index + 1]]


@dataclass(frozen=True)
class RayHits:
    """Where rays along the ground end."""

    #: Free share of each ray, 0 to 1; 1 where nothing is in the way.
    shares: Floats
    #: Where the free part ends, (n, 3).
    points: Floats


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a mesh."""

    #: Its kind, such as `open-seam`.
    fault: str
    #: Where.
    place: Tuple[float, float, float]
    #: How large it is.
    size: float
    #: The cause, a sentence.
    cause: str
    #: What to do, a sentence.
    remedy: str
    #: Lines that show it, (n, 2, 3).
    lines: Floats = field(repr=False, compare=False)


class NavMesh:
    """A navigation mesh: convex polygons with areas, and off-mesh links. It does not change."""

    def __init__(self, core: _walkabout.Mesh) -> None:
        self._core = core
        arrays = core.arrays()
        #: Corners of polygons, (n, 3).
        self.vertices: Floats = arrays["vertices"]
        #: Area of each polygon, 0 to 63.
        self.areas: npt.NDArray[np.uint8] = arrays["areas"]
        #: Flags of each polygon.
        self.flags: npt.NDArray[np.uint16] = arrays["flags"]
        #: Island of each polygon: equal where one can walk from one to the other.
        self.islands: npt.NDArray[np.int64] = arrays["islands"]
        self._corners: npt.NDArray[np.uint32] = arrays["corners"]
        self._offsets = np.concatenate([[0], np.cumsum(arrays["counts"], dtype=np.int64)])

    @staticmethod
    def from_polygons(
        vertices: npt.ArrayLike,
        polygons: Sequence[Sequence[int]],
        areas: Optional[npt.ArrayLike] = None,
    ) -> "NavMesh":
        """A mesh of convex polygons that share their vertices, given as indices in order, of either winding.

        Raises Error for the first polygon that no search accepts.
        """
        counts = np.array([len(polygon) for polygon in polygons], dtype=np.uint32)
        corners = _whole([corner for polygon in polygons for corner in polygon], "polygons", 2**32 - 1).astype(np.uint32)
        given = None if areas is None else _whole(areas, "areas", 63).astype(np.uint8)
        if given is not None and given.shape != counts.shape:
            raise Error(f"areas has shape {given.shape} for {len(counts)} polygons; give one for each")
        return NavMesh(_walkabout.Mesh.from_polygons(_points(vertices, "vertices"), corners, counts, given))

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<NavMesh: {len(self)} polygons on {self.island_count} islands, {self.link_count} links>"

    @property
    def format(self) -> str:
        """The format of its file, in words."""
        return self._core.format

    @property
    def notes(self) -> List[str]:
        """What reading its file left out or changed, a sentence each."""
        return self._core.notes

    @property
    def island_count(self) -> int:
        """Number of islands."""
        return self._core.island_count

    @property
    def link_count(self) -> int:
        """Number of off-mesh links."""
        return self._core.link_count

    @property
    def polygons(self) -> List[npt.NDArray[np.uint32]]:
        """Corners of each polygon, as indices of `vertices`."""
        return [self._corners[a:b] for a, b in zip(self._offsets[:-1], self._offsets[1:])]

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """The polygons cut into triangles, (m, 3), for drawing."""
        fans = [[p[0], p[i], p[i + 1]] for p in self.polygons for i in range(1, len(p) - 1)]
        return np.array(fans, dtype=np.uint32).reshape(-1, 3)

    def save(self, path: FileName) -> List[str]:
        """Writes a file in the format of the name's ending: .navmesh, .bin (a set of Detour's tiles), .tres (Godot), .unity.json, .json,
        .mesh, .obj, .glb, for the agents that it was baked or saved for. What the format cannot hold is answered, a sentence each."""
        return self._core.save(os.fspath(path))

    def path(
        self,
        start: npt.ArrayLike,
        end: npt.ArrayLike,
        planner: str = "exact",
        radius: float = 0.0,
        costs: Optional[Mapping[int, float]] = None,
        along_surface: bool = False,
    ) -> Path:
        """A path between two places, each taken to the nearest ground.

        `planner` is one of `planners()`, `radius` the distance to keep from the edges of the mesh (planners `funnel` and `exact`), `costs` what a metre
        costs by area, 1 or more. With `along_surface` the exact planners count lengths up and down hill, not as seen from above.
        Raises NoPath where there is none, with the reason; see `why_no_path`.
        """
        options = (planner, radius, _costs(costs), along_surface)
        found = self._core.path([_point(start, "start"), _point(end, "end")], options)
        return Path(**found)

    def paths(
        self,
        starts: npt.ArrayLike,
        ends: npt.ArrayLike,
        planner: str = "exact",
        radius: float = 0.0,
        costs: Optional[Mapping[int, float]] = None,
        threads: int = 0,
        along_surface: bool = False,
    ) -> Paths:
        """Paths from each start to the end beside it, on so many threads (0: one for each core); the answers are the same for any number."""
        options = (planner, radius, _costs(costs), along_surface)
        found = self._core.paths(_points(starts, "starts"), _points(ends, "ends"), options, _count(threads, "threads"))
        offsets = np.concatenate([[0], np.cumsum(found["counts"], dtype=np.int64)])
        return Paths(found["lengths"], found["reasons"], found["points"], offsets)

    def nearest(
        self, points: npt.ArrayLike, half_extents: Tuple[float, float, float] = (2.0, 4.0, 2.0)
    ) -> Tuple[Floats, npt.NDArray[np.int64]]:
        """The nearest ground to each point within a box around it, and its polygon; NaN and -1 where there is none."""
        return self._core.nearest(_points(points, "points"), _point(half_extents, "half_extents"))

    def raycast(self, start: npt.ArrayLike, ends: npt.ArrayLike) -> RayHits:
        """Rays along the ground from one place to others, up to the first wall."""
        return RayHits(*self._core.raycast(_point(start, "start"), _points(ends, "ends")))

    def random_points(self, count: int, seed: int = 0) -> Floats:
        """Places spread evenly over the mesh; the same seed gives the same ones."""
        return self._core.random_points(_count(count, "count"), _count(seed, "seed", 2**64 - 1))

    def examine(self) -> List[Finding]:
        """What is wrong with the mesh: the findings of `walkabout doctor`."""
        findings = []
        for found in json.loads(self._core.examine()):
            lines = np.array(found["lines"], dtype=np.float64).reshape(-1, 2, 3)
            x, y, z = found["place"]
            findings.append(
                Finding(found["fault"], (x, y, z), found["size"], found["cause"], found["remedy"], lines)
            )
        return findings

    def why_no_path(self, start: npt.ArrayLike, end: npt.ArrayLike) -> Optional[str]:
        """What is between two places, a sentence; `None` where nothing is."""
        return self._core.why_no_path(_point(start, "start"), _point(end, "end"))


def _costs(costs: Optional[Mapping[int, float]]) -> List[Tuple[int, float]]:
    return [(_count(area, "an area of costs", 63), float(cost)) for area, cost in (costs or {}).items()]


def load_mesh(path: FileName, axes: Optional[str] = None, scale: float = 1.0) -> NavMesh:
    """Reads a navigation mesh of any format that Walkabout reads, told by its content.

    `axes` names the axes of the file that are right, up and towards the viewer, such as "x,z,-y" for Z up; `scale` is metres to its unit.
    """
    return NavMesh(_walkabout.Mesh.load(os.fspath(path), axes, scale))


def load_level(path: FileName) -> Tuple[Floats, npt.NDArray[np.int64]]:
    """The triangles of a level or model (glTF, FBX, OBJ, COLLADA …): vertices (3 m, 3) and their indices (m, 3)."""
    vertices = _walkabout.load_level(os.fspath(path))
    return vertices, np.arange(len(vertices), dtype=np.int64).reshape(-1, 3)


def bake(
    vertices: npt.ArrayLike, triangles: npt.ArrayLike, *, slope_deg: Optional[float] = None, **settings: Any
) -> NavMesh:
    """Bakes a navigation mesh from triangles, counter-clockwise as seen from above where they face up.

    Settings are those of `walkabout bake`: `cell_size`, `cell_height`, `agent_height`, `agent_radius`, `agent_climb`, `region_min_cells`,
    `region_merge_cells`, `edge_length`, `edge_error_cells`, `corners`, `detail_distance_cells`, `detail_error_cells`, `tile_cells`, ...; those
    that are not given are RecastDemo's. Raises Error where they are out of range or nothing is walkable.
    """
    values: Dict[str, Any] = dict(settings)
    if slope_deg is not None:
        if not 0 <= slope_deg <= 90:
            raise Error(f"slope_deg is {slope_deg}; give a number from 0 to 90")
        values["slope_rad"] = math.radians(slope_deg)
    try:
        text = json.dumps(values)
    except TypeError as error:
        raise Error(f"settings: {error}") from None
    corners = np.ascontiguousarray(_whole(triangles, "triangles", 2**53).astype(np.int64))
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise Error(f"triangles has shape {corners.shape}; give (m, 3)")
    points = _points(vertices, "vertices")
    try:
        return NavMesh(_walkabout.Mesh.bake(points, corners, text))
    except Error as error:
        if "slope_rad" in settings:
            raise
        # The core names its settings; here the slope is given in degrees.
        raise Error(str(error).replace("slope_rad", "slope_deg")) from None


class Simulation:
    """A scene whose characters walk, stepped by hand. The same scene goes the same way each time."""

    def __init__(self, scene: FileName) -> None:
        self._core = _walkabout.Simulation(os.fspath(scene))
        #: Names of the instances, in the order of all arrays; empty for those without.
        self.names: List[str] = self._core.names

    def __len__(self) -> int:
        return len(self._core)

    def step(self, seconds: float) -> List[Tuple[float, str]]:
        """Goes on for so many seconds; answers the events of that time, each with its second and its name."""
        return self._core.step(seconds)

    @property
    def warnings(self) -> List[str]:
        """What of the scene's file was not understood, and which of its models and levels could not be loaded."""
        return self._core.warnings

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self._core.time

    @property
    def positions(self) -> Floats:
        """Where each instance stands, (n, 3)."""
        return self._core.positions

    @property
    def velocities(self) -> Floats:
        """How each moves, metres per second, (n, 3)."""
        return self._core.velocities

    @property
    def headings_deg(self) -> npt.NDArray[np.float32]:
        """Where each looks, degrees about Y; 0 faces +Z."""
        return np.degrees(self._core.yaws)

    @property
    def states(self) -> List[str]:
        """`off`, `waiting`, `walking`, `arrived` or `failed: REASON` for each."""
        return self._core.states

    @property
    def hash(self) -> int:
        """A number that two runs share only if they went alike."""
        return self._core.hash

    @property
    def mesh(self) -> Optional[NavMesh]:
        """The mesh that the characters walk on, without what obstacles and doors bar; `None` where the scene has none."""
        core = self._core.mesh()
        return None if core is None else NavMesh(core)
