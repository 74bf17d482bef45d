"""Mesh building, constrained ground triangulation and light baking for the levels.

Frame: glTF's, right-handed, metres, Y up. Plans are (x, z) pairs; +z is south, +x is east.
Needs numpy and Blender's Python package (`bpy`), which brings `mathutils`.
"""
import math
import zlib

import bpy  # noqa: F401  (makes mathutils importable)
import numpy as np

UP = np.array([0.0, 1.0, 0.0])


def srgb(r, g, b):
    """sRGB 0..1 to the linear factors that glTF stores."""
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (r, g, b)]


class Material:
    """texture name (or None), tint in sRGB, roughness, metres per texture repeat (None: UV 0..1 given)."""

    def __init__(self, texture, tint=(1, 1, 1), rough=0.9, metres=2.0, emissive=None):
        self.texture, self.tint, self.rough = texture, tint, rough
        self.metres, self.emissive = metres, emissive


MATERIALS = {}


def material(name, *args, **kw):
    MATERIALS[name] = Material(*args, **kw)


def translate(x, y, z):
    m = np.eye(4)
    m[:3, 3] = x, y, z
    return m


def rot_y(a):
    c, s = math.cos(a), math.sin(a)
    m = np.eye(4)
    m[0, 0], m[0, 2], m[2, 0], m[2, 2] = c, s, -s, c
    return m


def rot_axis(axis, a):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    c, s = math.cos(a), math.sin(a)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    m = np.eye(4)
    m[:3, :3] = np.eye(3) + s * k + (1 - c) * (k @ k)
    return m


def scaling(x, y=None, z=None):
    return np.diag([x, x if y is None else y, x if z is None else z, 1.0])


class Mesh:
    """Polygons by material. Points pass through `xf` (a 4x4 matrix) when they are added."""

    def __init__(self):
        self.prims = {}
        self.counts = {}
        self.xf = np.eye(4)
        self.uv_shift = (0.0, 0.0)

    def at(self, xf):
        """A context that multiplies `xf` onto the current matrix."""
        return _At(self, xf)

    def poly(self, pts, mat, uv=None, nrm=None, shade=1.0, slope_uv=False):
        """Adds a convex polygon, counter-clockwise seen from its front."""
        p = np.asarray(pts, float) @ self.xf[:3, :3].T + self.xf[:3, 3]
        n = np.zeros(3)
        for i in range(1, len(p) - 1):
            n = n + np.cross(p[i] - p[0], p[i + 1] - p[0])
        ln = np.linalg.norm(n)
        if ln < 1e-9:
            return
        n /= ln
        if nrm is None:
            nn = np.repeat(n[None], len(p), 0)
        else:
            nn = np.asarray(nrm, float) @ self.xf[:3, :3].T
            nn /= np.linalg.norm(nn, axis=1)[:, None]
        if uv is None:
            uv = self.project(p, n, mat, slope_uv)
        sh = np.full(len(p), shade) if np.isscalar(shade) else np.asarray(shade, float)
        pr = self.prims.setdefault(mat, [[], [], [], [], [], []])
        base = self.counts.get(mat, 0)
        self.counts[mat] = base + len(p)
        pr[0].append(p)
        pr[1].append(nn)
        pr[2].append(np.asarray(uv, float))
        pr[3].append(sh)
        pr[4].append(np.array([[base, base + i, base + i + 1] for i in range(1, len(p) - 1)]))
        pr[5].append(np.repeat(p.mean(0)[None], len(p), 0))

    def project(self, p, n, mat, slope_uv):
        """World-scale planar coordinates: from above for floors, along the surface otherwise."""
        s = MATERIALS[mat].metres or 1.0
        if abs(n[1]) > 0.7 and not slope_uv:
            uv = np.stack([p[:, 0], p[:, 2]], 1) / s
        else:
            t = np.cross(UP, n)
            t /= max(np.linalg.norm(t), 1e-9)
            b = np.cross(n, t)
            uv = np.stack([p @ t, -(p @ b)], 1) / s
        return uv + np.asarray(self.uv_shift)

    def quad(self, a, b, c, d, mat, **kw):
        self.poly([a, b, c, d], mat, **kw)

    def box(self, x0, x1, y0, y1, z0, z1, mat, skip="d", top=None, uv01=False, shade=1.0):
        """A box; `skip` leaves out faces by letter: u d (up, down), n s (-z, +z), w e (-x, +x)."""
        faces = {
            "s": [(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)],
            "e": [(x1, y0, z1), (x1, y0, z0), (x1, y1, z0), (x1, y1, z1)],
            "n": [(x1, y0, z0), (x0, y0, z0), (x0, y1, z0), (x1, y1, z0)],
            "w": [(x0, y0, z0), (x0, y0, z1), (x0, y1, z1), (x0, y1, z0)],
            "u": [(x0, y1, z1), (x1, y1, z1), (x1, y1, z0), (x0, y1, z0)],
            "d": [(x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)],
        }
        unit = [(0, 1), (1, 1), (1, 0), (0, 0)]
        for k, f in faces.items():
            if k not in skip:
                sh = [shade * (0.8 if k in "nsew" and i < 2 else 1.0) for i in range(4)] if k != "u" else shade
                self.poly(f, top if (k == "u" and top) else mat, uv=unit if uv01 else None,
                          shade=sh if shade != 1.0 else 1.0)

    def frustum(self, r0, r1, y0, y1, n, mat, cap=True, smooth=True, bottom=False, phase=0.0, shade=(1.0, 1.0),
                cap_mat=None):
        """A cone section around the y axis, n sides."""
        a = [2 * math.pi * i / n + phase for i in range(n + 1)]
        s = MATERIALS[mat].metres or 1.0
        slant = (r0 - r1) / max(y1 - y0, 1e-6)
        for i in range(n):
            c0, s0, c1, s1 = math.cos(a[i]), math.sin(a[i]), math.cos(a[i + 1]), math.sin(a[i + 1])
            # counter-clockwise from outside: angle grows from +x towards -z
            p = [(r0 * c0, y0, -r0 * s0), (r0 * c1, y0, -r0 * s1), (r1 * c1, y1, -r1 * s1), (r1 * c0, y1, -r1 * s0)]
            nr = [(c0, slant, -s0), (c1, slant, -s1), (c1, slant, -s1), (c0, slant, -s0)]
            u0, u1 = a[i] * max(r0, r1) / s, a[i + 1] * max(r0, r1) / s
            uv = [(u0, -y0 / s), (u1, -y0 / s), (u1, -y1 / s), (u0, -y1 / s)]
            sh = [shade[0], shade[0], shade[1], shade[1]]
            if r1 < 1e-6:
                p, nr, uv, sh = p[:3], nr[:3], uv[:3], sh[:3]
            elif r0 < 1e-6:
                p, nr, uv, sh = p[1:], nr[1:], uv[1:], sh[1:]
            self.poly(p, mat, uv=uv, nrm=nr if smooth else None, shade=sh)
        if cap and r1 > 1e-6:
            self.poly([(r1 * math.cos(t), y1, -r1 * math.sin(t)) for t in a[:-1]], cap_mat or mat, shade=shade[1])
        if bottom and r0 > 1e-6:
            self.poly([(r0 * math.cos(t), y0, -r0 * math.sin(t)) for t in a[:-1]][::-1], mat, shade=shade[0])

    def tri_count(self):
        return sum(len(t) for pr in self.prims.values() for t in pr[4])

    def arrays(self, mat):
        pr = self.prims[mat]
        return [np.concatenate(a) for a in pr]


class _At:
    def __init__(self, mesh, xf):
        self.mesh, self.xf = mesh, xf

    def __enter__(self):
        self.saved = self.mesh.xf
        self.mesh.xf = self.saved @ self.xf
        return self.mesh

    def __exit__(self, *_):
        self.mesh.xf = self.saved


class Node:
    """A node of the scene tree; `mesh` may be shared by several nodes."""

    def __init__(self, name, mesh=None, pos=(0, 0, 0), yaw=0.0, scale=None, bake=True):
        self.name, self.mesh, self.children = name, mesh, []
        self.pos, self.yaw, self.scale, self.bake = pos, yaw, scale, bake

    def add(self, *args, **kw):
        child = args[0] if isinstance(args[0], Node) else Node(*args, **kw)
        self.children.append(child)
        return child

    def local(self):
        m = translate(*self.pos) @ rot_y(self.yaw)
        return m @ scaling(*self.scale) if self.scale else m

    def walk(self, world=np.eye(4)):
        w = world @ self.local()
        yield self, w
        for c in self.children:
            yield from c.walk(w)


# --- ground ---------------------------------------------------------------------------------


def inside(points, polygon):
    """Even-odd test of (n, 2) points against a polygon."""
    poly = np.asarray(polygon, float)
    res = np.zeros(len(points), bool)
    x, y = points[:, 0], points[:, 1]
    for i in range(len(poly)):
        x0, y0 = poly[i]
        x1, y1 = poly[i - 1]
        if y0 != y1:
            cross = ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
            res ^= cross
    return res


def outset(poly, by):
    """A convex polygon with every side moved outwards."""
    sign = 1 if sum(poly[i - 1][0] * poly[i][1] - poly[i][0] * poly[i - 1][1] for i in range(len(poly))) > 0 else -1
    out = []
    for i in range(len(poly)):
        a, b = poly[i] - poly[i - 1], poly[(i + 1) % len(poly)] - poly[i]
        n0 = sign * np.array([a[1], -a[0]]) / np.linalg.norm(a)
        n1 = sign * np.array([b[1], -b[0]]) / np.linalg.norm(b)
        out.append(poly[i] + (n0 + n1) / (1 + n0 @ n1) * by)
    return np.array(out)


def closest(p, q):
    """The nearest pair of points of two polygon outlines that do not cross."""
    best = (np.inf, None, None)
    for a, b, swap in ((p, q, False), (q, p, True)):
        for v in a:
            for k in range(len(b)):
                e0, e1 = b[k - 1], b[k]
                d = e1 - e0
                w = e0 + d * np.clip(((v - e0) @ d) / max(d @ d, 1e-12), 0, 1)
                dist = np.linalg.norm(w - v)
                if dist < best[0]:
                    best = (dist, w, v) if swap else (dist, v, w)
    return best[1], best[2]


class Region:
    """A part of the ground: polygon in plan, height as a plane y = a + b x + c z, material, group."""

    def __init__(self, polygon, height, mat, group, wall="stone_wall"):
        self.polygon = np.asarray(polygon, float)
        self.plane = height if isinstance(height, tuple) else (height, 0.0, 0.0)
        self.mat, self.group, self.wall = mat, group, wall


class Ground:
    """Regions (later ones win) and obstacles in one constrained triangulation.

    The floor goes around every obstacle, neighbouring floors share vertices, and where two regions differ
    in height a vertical wall (or riser) closes the gap.
    """

    def __init__(self, step=2.2, seed="ground"):
        self.regions, self.obstacles, self.extra, self.patches = [], [], [], []
        self.step, self.seed = step, seed

    def region(self, polygon, height, mat, group, wall="stone_wall"):
        self.regions.append(Region(polygon, height, mat, group, wall))

    def obstacle(self, polygon, patch=False):
        """The floor leaves `polygon` out. `patch` covers the hole 4 mm below the floor, unconnected to it."""
        self.obstacles.append(np.asarray(polygon, float))
        if patch:
            self.patches.append(self.obstacles[-1])

    def close_gaps(self, gap):
        """Bars passages between obstacles that are too narrow for a person (a strip across the narrowest place)."""
        polys = list(self.obstacles)
        boxes = [(p.min(0), p.max(0)) for p in polys]
        count = 0
        for i in range(len(polys)):
            for j in range(i):
                if (boxes[i][0] > boxes[j][1] + gap).any() or (boxes[j][0] > boxes[i][1] + gap).any():
                    continue
                a, b = closest(polys[i], polys[j])
                d = float(np.linalg.norm(b - a))
                if not 0.03 < d < gap or inside(a[None], polys[j])[0] or inside(b[None], polys[i])[0]:
                    continue
                t = (b - a) / d
                n = np.array([-t[1], t[0]]) * 0.12
                a, b = a - t * 0.04, b + t * 0.04
                self.obstacle([a + n, a - n, b - n, b + n], patch=True)
                count += 1
        return count

    def _input(self):
        verts, edges = [], []
        for poly in [r.polygon for r in self.regions] + self.obstacles:
            ring = []
            for i in range(len(poly)):
                a, b = poly[i], poly[(i + 1) % len(poly)]
                k = max(1, int(np.linalg.norm(b - a) / (self.step * 1.3)))
                ring += [a + (b - a) * j / k for j in range(k)]
            base = len(verts)
            verts += ring
            edges += [(base + i, base + (i + 1) % len(ring)) for i in range(len(ring))]
        return np.round(np.array(verts), 4), edges

    def triangulate(self):
        """Returns vertices (n, 2), triangles (m, 3), region number (-1: none) and obstacle flag per triangle."""
        from mathutils import Vector
        from mathutils.geometry import delaunay_2d_cdt

        verts, edges = self._input()
        lo, hi = verts.min(0), verts.max(0)
        rng = np.random.default_rng(zlib.crc32(self.seed.encode()))
        pts, row = [], 0
        z = lo[1]
        while z < hi[1]:
            x = lo[0] + (self.step / 2 if row % 2 else 0)
            while x < hi[0]:
                pts.append((x, z) + (rng.random(2) - 0.5) * self.step * 0.3)
                x += self.step
            z += self.step * 0.87
            row += 1
        pts = np.array(list(pts) + list(self.extra))
        keep = np.ones(len(pts), bool)
        for poly in self.obstacles:
            keep &= ~inside(pts, poly)
        a = verts[[e[0] for e in edges]]
        b = verts[[e[1] for e in edges]]
        d = b - a
        l2 = np.maximum((d * d).sum(1), 1e-12)
        near = np.array([0.62] * (len(pts) - len(self.extra)) + [0.33] * len(self.extra))
        for i in np.nonzero(keep)[0]:
            t = np.clip(((pts[i] - a) * d).sum(1) / l2, 0, 1)
            q = a + d * t[:, None] - pts[i]
            keep[i] = (q * q).sum(1).min() > near[i] ** 2
        pts = pts[keep]
        allv = np.concatenate([verts, np.round(pts, 4)])
        out = delaunay_2d_cdt([Vector((float(p[0]), float(p[1]))) for p in allv], edges, [], 0, 1e-4)
        v = np.round(np.array([[p.x, p.y] for p in out[0]]), 4)
        f = np.array([list(t) for t in out[2]])
        area = np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]])
        flip = area > 0  # in (x, z) a face seen from above turns clockwise
        f[flip] = f[flip][:, ::-1]
        f = f[np.abs(area) > 1e-7]
        c = v[f].mean(1)
        reg = np.full(len(f), -1)
        for i, r in enumerate(self.regions):
            reg[inside(c, r.polygon)] = i
        obs = np.zeros(len(f), bool)
        for poly in self.obstacles:
            obs |= inside(c, poly)
        return v, f, reg, obs

    def height(self, reg, p):
        a, b, c = self.regions[reg].plane
        return float(np.round(a + b * p[0] + c * p[1], 5))

    def build(self):
        """Returns meshes by group: floors, and walls under '<group>' of the upper region's `wall` material."""
        v, f, reg, obs = self.triangulate()
        out = {}
        owner = {}
        for k, t in enumerate(f):
            if reg[k] < 0:
                continue
            for i in range(3):
                owner.setdefault((min(t[i], t[i - 1]), max(t[i], t[i - 1])), []).append(k)
            if obs[k]:
                continue
            r = self.regions[reg[k]]
            m = out.setdefault(r.group, Mesh())
            m.poly([(v[i][0], self.height(reg[k], v[i]), v[i][1]) for i in t], r.mat)
        for poly in self.patches:
            mid = poly.mean(0)
            where = [i for i, r in enumerate(self.regions) if inside(mid[None], r.polygon)[0]][-1]
            grown = outset(poly, 0.14)
            pts = [(p[0], self.height(where, p) - 0.004, p[1]) for p in grown]
            area = sum(grown[i - 1][0] * grown[i][1] - grown[i][0] * grown[i - 1][1] for i in range(len(grown)))
            out.setdefault("under_props", Mesh()).poly(pts if area < 0 else pts[::-1], self.regions[where].mat)
        for (i, j), ks in sorted(owner.items()):
            if len(ks) != 2 or reg[ks[0]] == reg[ks[1]]:
                continue
            hi_k, lo_k = ks
            hs = [[self.height(reg[k], v[i]), self.height(reg[k], v[j])] for k in (hi_k, lo_k)]
            if sum(hs[0]) < sum(hs[1]):
                hi_k, lo_k, hs = lo_k, hi_k, hs[::-1]
            if max(hs[0][0] - hs[1][0], hs[0][1] - hs[1][1]) < 1e-4:
                continue
            r = self.regions[reg[hi_k]]
            m = out.setdefault(r.group, Mesh())
            a, b = v[i], v[j]
            toward = v[f[lo_k]].mean(0) - a
            right = b - a
            # outward normal of a -> b (right = R, up = Y) is R x Y = (-rz, rx) in plan
            if (-right[1] * toward[0] + right[0] * toward[1]) < 0:
                a, b, hs = b, a, [hs[0][::-1], hs[1][::-1]]
            tall = max(hs[0][0] - hs[1][0], hs[0][1] - hs[1][1]) > 0.45
            mat = r.wall if tall else "limestone"
            p = [(a[0], hs[1][0], a[1]), (b[0], hs[1][1], b[1]), (b[0], hs[0][1], b[1]), (a[0], hs[0][0], a[1])]
            if abs(hs[0][0] - hs[1][0]) < 1e-4:
                p.pop(0)
            elif abs(hs[0][1] - hs[1][1]) < 1e-4:
                p.pop(1)
            m.poly(p, mat)
        return out


# --- light ----------------------------------------------------------------------------------


def bake_ao(root, rays=24, reach=5.0, floor=0.48):
    """Ray-cast ambient occlusion per vertex, multiplied into the shade of all nodes with `bake`."""
    from mathutils import Vector
    from mathutils.bvhtree import BVHTree

    pts, tris, base = [], [], 0
    for node, w in root.walk():
        if node.mesh:
            for mat in node.mesh.prims:
                p, _, _, _, t, _ = node.mesh.arrays(mat)
                pts.append(p @ w[:3, :3].T + w[:3, 3])
                tris.append(t + base)
                base += len(p)
    tree = BVHTree.FromPolygons(np.concatenate(pts).tolist(), np.concatenate(tris).tolist(), all_triangles=True)
    k = np.arange(rays) + 0.5
    phi = k * math.pi * (3 - math.sqrt(5))
    cos_t = np.sqrt(1 - k / rays)  # cosine-weighted directions
    sin_t = np.sqrt(k / rays)
    local = np.stack([np.cos(phi) * sin_t, np.sin(phi) * sin_t, cos_t], 1)
    for node, w in root.walk():
        if not node.mesh or not node.bake:
            continue
        for mat, pr in node.mesh.prims.items():
            p, n, _, s, _, c = node.mesh.arrays(mat)
            q = p + np.clip(0.10 / np.maximum(np.linalg.norm(c - p, axis=1), 1e-6), 0, 0.3)[:, None] * (c - p)
            q = q @ w[:3, :3].T + w[:3, 3]
            n = n @ w[:3, :3].T
            n /= np.linalg.norm(n, axis=1)[:, None]
            q = q + n * 0.02
            cache = {}
            ao = np.ones(len(q))
            for i in range(len(q)):
                key = tuple(np.round(np.concatenate([q[i], n[i]]), 3))
                if key not in cache:
                    t = np.cross(n[i], (1.0, 0, 0) if abs(n[i][0]) < 0.7 else (0, 0, 1.0))
                    t /= np.linalg.norm(t)
                    b = np.cross(n[i], t)
                    dirs = local @ np.stack([t, b, n[i]])
                    o = Vector(q[i])
                    lit = 0.0
                    for d in dirs:
                        hit = tree.ray_cast(o, Vector(d), reach)
                        lit += 1.0 if hit[0] is None else min(1.0, hit[3] / reach) ** 0.8
                    cache[key] = lit / rays
                ao[i] = cache[key]
            pr[3] = [s * (floor + (1 - floor) * ao)]
