"""What the parts of the plaza share: heights, the node tree, the ground, plan shapes."""
import math

from townkit import Ground, Node

TERRACE, QUAY, WATER = 2.4, -3.5, -4.15
X0, X1, Z0, Z1 = -41.0, 43.0, -42.0, 41.0  # inner faces of the town wall
RISE = 0.16

root = Node("plaza_town")
n_ground, n_houses, n_church = root.add("ground"), root.add("houses"), root.add("church")
n_canal, n_walls, n_props = root.add("canal"), root.add("town_wall"), root.add("props")
ground = Ground(2.3, "plaza")


def rect(x0, x1, z0, z1):
    return [(x0, z1), (x1, z1), (x1, z0), (x0, z0)]


def ngon(x, z, r, n, phase=0.0):
    return [(x + r * math.cos(2 * math.pi * i / n + phase), z - r * math.sin(2 * math.pi * i / n + phase)) for i in range(n)]


def turned(x, z, w, d, yaw):
    """A rectangle of width w (x) and depth d (z) about its centre."""
    c, s = math.cos(yaw), math.sin(yaw)
    return [(x + a * c + b * s, z - a * s + b * c) for a, b in ((-w / 2, d / 2), (w / 2, d / 2), (w / 2, -d / 2), (-w / 2, -d / 2))]
