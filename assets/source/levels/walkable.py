"""Where people can stand on a level: walkable triangles, their connections, clearances.

    python3 walkable.py LEVEL [SCENE]

prints the connected components of LEVEL; with SCENE (an .acfg file that uses it) checks that every person and
marker stands on the same component, at ground height, clear of walls. Exit code 1 if not.
Rule: normal within 40 degrees of up; neighbours share a part of an edge in plan and differ by at most 0.4 m there.
"""
import math
import sys

import numpy as np

SLOPE, STEP, RADIUS, HEIGHT = math.radians(40), 0.4, 0.30, 1.80


def load(path):
    """World-space triangles (n, 3, 3) of a GLB, or of an OBJ or FBX through Blender."""
    if path.endswith(".glb"):
        from glb import read_glb
        return read_glb(path)[0]
    import bpy
    bpy.ops.wm.read_factory_settings(use_empty=True)
    (bpy.ops.wm.obj_import if path.endswith(".obj") else bpy.ops.import_scene.fbx)(filepath=path)
    out = []
    for o in sorted(bpy.data.objects, key=lambda o: o.name):
        if o.type == "MESH":
            o.data.calc_loop_triangles()
            p = np.array([o.matrix_world @ v.co for v in o.data.vertices])
            p = np.stack([p[:, 0], p[:, 2], -p[:, 1]], 1)
            out.append(p[np.array([t.vertices[:] for t in o.data.loop_triangles])])
    return np.concatenate(out)


def point_distance(p, t):
    """Distance of a point to triangles (n, 3, 3)."""
    best = np.full(len(t), np.inf)
    for i in range(3):
        a, b = t[:, i], t[:, (i + 1) % 3]
        d = b - a
        k = np.clip(((p - a) * d).sum(1) / np.maximum((d * d).sum(1), 1e-12), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - a - d * k[:, None], axis=1))
    n = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    ln = np.maximum(np.linalg.norm(n, axis=1), 1e-12)
    h = ((p - t[:, 0]) * n).sum(1) / ln
    q = p - n / ln[:, None] * h[:, None]
    ok = np.ones(len(t), bool)
    for i in range(3):
        ok &= (np.cross(t[:, (i + 1) % 3] - t[:, i], q - t[:, i]) * n).sum(1) >= 0
    return np.where(ok, np.minimum(best, np.abs(h)), best)


class Level:
    def __init__(self, path):
        t = load(path)
        n = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
        ln = np.linalg.norm(n, axis=1)
        self.degenerate = int((ln < 1e-9).sum())
        self.all = t
        up = n[:, 1] / np.maximum(ln, 1e-12)
        self.walk = t[up >= math.cos(SLOPE)]
        self.rest = t[(up < math.cos(SLOPE)) & (ln > 1e-9)]
        self._connect()

    def _connect(self):
        """Union-find over edges that lie on the same line in plan."""
        parent = list(range(len(self.walk)))

        def find(i):
            while parent[i] != i:
                parent[i] = parent[parent[i]]
                i = parent[i]
            return i

        buckets, edges, self.links = {}, [], 0
        for k, tri in enumerate(self.walk):
            for i in range(3):
                a, b = tri[i], tri[(i + 1) % 3]
                d = np.array([b[0] - a[0], b[2] - a[2]])
                ln = math.hypot(*d)
                if ln < 1e-3:
                    continue
                d /= ln
                if d[0] < -1e-9 or (abs(d[0]) <= 1e-9 and d[1] < 0):
                    d = -d
                ang = math.atan2(d[1], d[0])
                off = -d[1] * a[0] + d[0] * a[2]
                s0, s1 = a[0] * d[0] + a[2] * d[1], b[0] * d[0] + b[2] * d[1]
                y0, y1 = a[1], b[1]
                if s0 > s1:
                    s0, s1, y0, y1 = s1, s0, y1, y0
                # an edge seen from mid-span keeps the offset stable for slightly different angles
                key = (int(round(ang / 2e-3)), int(round(off / 4e-3)))
                edges.append((k, s0, s1, y0, y1, ang, off))
                for da in (-1, 0, 1):
                    for do in (-1, 0, 1):
                        for e in buckets.get((key[0] + da, key[1] + do), ()):
                            k2, t0, t1, z0, z1, an2, of2 = edges[e]
                            if k2 == k or abs(of2 - off) > 4e-3:
                                continue
                            lo, hi = max(s0, t0), min(s1, t1)
                            if hi - lo < 0.05:
                                continue
                            m = (lo + hi) / 2
                            ya = y0 + (y1 - y0) * (m - s0) / (s1 - s0)
                            yb = z0 + (z1 - z0) * (m - t0) / (t1 - t0)
                            if abs(ya - yb) <= STEP + 1e-4:
                                self.links += 1
                                parent[find(k)] = find(k2)
                buckets.setdefault(key, []).append(len(edges) - 1)
        self.comp = np.array([find(i) for i in range(len(self.walk))])
        area = np.linalg.norm(np.cross(self.walk[:, 1] - self.walk[:, 0], self.walk[:, 2] - self.walk[:, 0]), axis=1) / 2
        ids, inv = np.unique(self.comp, return_inverse=True)
        self.areas = dict(zip(ids.tolist(), np.bincount(inv, area)))
        self.sizes = dict(zip(ids.tolist(), np.bincount(inv).tolist()))
        self.main = max(self.areas, key=self.areas.get)

    def at(self, x, z, y=None, comp=None):
        """(height, triangle) of the walkable ground at (x, z): the nearest to y, else the highest; None if none."""
        t = self.walk
        a, b, c = t[:, 0], t[:, 1], t[:, 2]
        d = (b[:, 2] - c[:, 2]) * (a[:, 0] - c[:, 0]) + (c[:, 0] - b[:, 0]) * (a[:, 2] - c[:, 2])
        with np.errstate(divide="ignore", invalid="ignore"):
            u = ((b[:, 2] - c[:, 2]) * (x - c[:, 0]) + (c[:, 0] - b[:, 0]) * (z - c[:, 2])) / d
            v = ((c[:, 2] - a[:, 2]) * (x - c[:, 0]) + (a[:, 0] - c[:, 0]) * (z - c[:, 2])) / d
            h = u * a[:, 1] + v * b[:, 1] + (1 - u - v) * c[:, 1]
        ok = (u >= -1e-6) & (v >= -1e-6) & (u + v <= 1 + 1e-6) & np.isfinite(h)
        if comp is not None:
            ok &= self.comp == comp
        k = np.nonzero(ok)[0]
        if not len(k):
            return None
        best = k[np.argmax(h[k])] if y is None else k[np.argmin(np.abs(h[k] - y))]
        return float(h[best]), int(best)

    def clearance(self, x, y, z):
        """Distance to the nearest wall or prop from a standing body's axis, and the free height above."""
        r = self.rest
        near = (r[:, :, 0].min(1) < x + 1) & (r[:, :, 0].max(1) > x - 1) & (r[:, :, 2].min(1) < z + 1) & (r[:, :, 2].max(1) > z - 1)
        near &= (r[:, :, 1].max(1) > y + STEP + 0.02) & (r[:, :, 1].min(1) < y + HEIGHT)
        t = r[near]
        side = 9.0
        if len(t):
            side = min(float(point_distance(np.array([x, h, z]), t).min()) for h in np.linspace(y + 0.45, y + HEIGHT, 6))
        al = self.all
        over = (al[:, :, 1].max(1) > y + 0.3) & (al[:, :, 0].min(1) < x) & (al[:, :, 0].max(1) > x) & (al[:, :, 2].min(1) < z) & (al[:, :, 2].max(1) > z)
        head = 99.0
        for tri in al[over]:
            n = np.cross(tri[1] - tri[0], tri[2] - tri[0])
            if abs(n[1]) < 1e-9:
                continue
            h = tri[0][1] - (n[0] * (x - tri[0][0]) + n[2] * (z - tri[0][2])) / n[1]
            p = np.array([x, h, z])
            inside = all(np.dot(np.cross(tri[(i + 1) % 3] - tri[i], p - tri[i]), n) >= -1e-9 for i in range(3))
            if inside and h > y + 0.3:
                head = min(head, h - y)
        return side, head


def check_scene(level, scene_path):
    import yaml
    scene = yaml.safe_load(open(scene_path))
    targets = {m["model-name"] for m in scene["models"] if m.get("is-nav-target")}
    bad = 0
    for i, inst in enumerate(scene["instances"], 1):
        x, y, z = inst["position"]
        marker = inst["model-file"] in targets
        hit = level.at(x, z, y)
        why = []
        if hit is None or abs(hit[0] - y) > 0.02:
            why.append(f"ground at {hit and hit[0]}")
        else:
            if level.comp[hit[1]] != level.main:
                why.append("on another component")
            side, head = level.clearance(x, y, z)
            if side < (0.45 if marker else RADIUS):
                why.append(f"wall at {side:.2f} m")
            if head < HEIGHT + 0.1:
                why.append(f"headroom {head:.2f} m")
        target = inst.get("path-target-instance", -1)
        if target != -1 and scene["instances"][target - 1]["model-file"] not in targets:
            why.append(f"target {target} is no marker")
        if why:
            bad += 1
            print(f"  instance {i} {inst['model-file']} at {inst['position']}: {'; '.join(why)}")
    people = [i for i in scene["instances"] if i["model-file"] not in targets]
    print(f"{scene_path}: {len(people)} people, {len(scene['instances']) - len(people)} markers, {bad} problems")
    return bad


if __name__ == "__main__":
    lv = Level(sys.argv[1])
    lo, hi = lv.all.reshape(-1, 3).min(0), lv.all.reshape(-1, 3).max(0)
    print(f"{sys.argv[1]}: {len(lv.all)} triangles, {lv.degenerate} degenerate, box {lo.round(2)} .. {hi.round(2)}")
    print(f"walkable {len(lv.walk)} triangles in {len(lv.sizes)} components, {lv.links} links; largest:")
    for k in sorted(lv.areas, key=lv.areas.get)[::-1][:6]:
        p = lv.walk[lv.comp == k].reshape(-1, 3)
        print(f"  {lv.sizes[k]:5d} triangles {lv.areas[k]:8.1f} m2  y {p[:, 1].min():.2f}..{p[:, 1].max():.2f}")
    problems = sum(check_scene(lv, s) for s in sys.argv[2:])
    sys.exit(1 if problems else 0)
