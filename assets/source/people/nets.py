"""Polygonises signed distance functions with naive surface nets."""

import numpy as np


def sd_capsule(p, a, b, ra, rb):
    """Distance to a capsule with a radius that changes from `ra` at `a` to `rb` at `b`."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    ab = b - a
    t = np.clip(((p - a) @ ab) / max(ab @ ab, 1e-9), 0.0, 1.0)
    return np.linalg.norm(p - (a + t[..., None] * ab), axis=-1) - (ra + (rb - ra) * t)


def sd_ellipsoid(p, center, radii):
    """Approximate distance to an axis-aligned ellipsoid."""
    q = (p - np.asarray(center, float)) / np.asarray(radii, float)
    k0 = np.linalg.norm(q, axis=-1)
    k1 = np.linalg.norm(q / np.asarray(radii, float), axis=-1)
    return np.where(k1 > 1e-9, k0 * (k0 - 1.0) / np.maximum(k1, 1e-9), -min(radii))


def smooth_union(a, b, k):
    """Union of two distances with a fillet of size `k`."""
    h = np.clip(0.5 + 0.5 * (b - a) / k, 0.0, 1.0)
    return b + (a - b) * h - k * h * (1.0 - h)


def polygonise(distance, low, high, cell):
    """Vertices, triangles and normals of the zero level of `distance` in the box from `low` to `high`."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    counts = np.maximum(np.ceil((high - low) / cell).astype(int) + 1, 3)
    axes = [low[i] + np.arange(counts[i]) * cell for i in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    value = distance(grid)
    inside = value < 0.0
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
    nx, ny, nz = counts - 1
    stack = np.stack([value[c[0] : c[0] + nx, c[1] : c[1] + ny, c[2] : c[2] + nz] for c in corners], axis=-1)
    signs = stack < 0.0
    active = signs.any(-1) & ~signs.all(-1)
    cells = np.argwhere(active)
    total = np.zeros((len(cells), 3))
    hits = np.zeros(len(cells))
    v = stack[active]
    for a in range(8):
        for bit in (1, 2, 4):
            b = a | bit
            if b == a:
                continue
            crossing = (v[:, a] < 0.0) != (v[:, b] < 0.0)
            d = v[:, a] - v[:, b]
            t = np.where(crossing, v[:, a] / np.where(d == 0.0, 1.0, d), 0.0)
            point = corners[a] + t[:, None] * (corners[b] - corners[a])
            total += np.where(crossing[:, None], point, 0.0)
            hits += crossing
    vertices = low + (cells + total / np.maximum(hits, 1)[:, None]) * cell
    number = -np.ones((nx, ny, nz), int)
    number[tuple(cells.T)] = np.arange(len(cells))
    faces = []
    for axis in range(3):
        u, w = [(1, 2), (2, 0), (0, 1)][axis]
        edge = np.argwhere(np.take(inside, range(counts[axis] - 1), axis) != np.take(inside, range(1, counts[axis]), axis))
        ok = (edge[:, u] > 0) & (edge[:, w] > 0) & (edge[:, u] < counts[u] - 1) & (edge[:, w] < counts[w] - 1)
        edge = edge[ok]
        quad = []
        for du, dw in [(-1, -1), (0, -1), (0, 0), (-1, 0)]:
            c = edge.copy()
            c[:, u] += du
            c[:, w] += dw
            quad.append(number[tuple(c.T)])
        quad = np.stack(quad, 1)
        quad = quad[(quad >= 0).all(1)]
        flip = ~inside[tuple(edge.T)][: len(quad)]
        quad[flip] = quad[flip][:, ::-1]
        faces += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    triangles = np.concatenate(faces)
    eps = cell * 0.2
    gradient = np.stack(
        [distance(vertices + eps * e) - distance(vertices - eps * e) for e in np.eye(3)], axis=-1
    )
    # One Newton step pulls the vertices onto the surface.
    length = np.linalg.norm(gradient, axis=-1, keepdims=True)
    normals = gradient / np.maximum(length, 1e-9)
    vertices = vertices - normals * np.clip(distance(vertices), -cell * 0.5, cell * 0.5)[:, None]
    return vertices, triangles, normals
