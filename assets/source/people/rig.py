"""Poses: rotations about world axes per bone, feet placed by two-bone inverse kinematics."""

import numpy as np


def quat(axis, angle):
    axis = np.asarray(axis, float)
    return np.concatenate([axis / np.linalg.norm(axis) * np.sin(angle / 2), [np.cos(angle / 2)]])


def mul(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return np.array([
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ])


def inv(q):
    return q * [-1, -1, -1, 1]


def rotate(q, v):
    u, w = q[:3], q[3]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def between(a, b):
    """Shortest rotation from direction `a` to direction `b`."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    q = np.concatenate([np.cross(a, b), [1.0 + a @ b]])
    n = np.linalg.norm(q)
    return q / n if n > 1e-8 else np.array([1.0, 0, 0, 0])


def frame_quat(x, y, z):
    m = np.stack([x, y, z], 1)
    t = np.trace(m)
    if t > 0:
        s = np.sqrt(t + 1) * 2
        return np.array([(m[2, 1] - m[1, 2]) / s, (m[0, 2] - m[2, 0]) / s, (m[1, 0] - m[0, 1]) / s, s / 4])
    i = int(np.argmax(np.diag(m)))
    j, k = (i + 1) % 3, (i + 2) % 3
    s = np.sqrt(1 + m[i, i] - m[j, j] - m[k, k]) * 2
    q = np.zeros(4)
    q[i], q[j], q[k], q[3] = s / 4, (m[j, i] + m[i, j]) / s, (m[k, i] + m[i, k]) / s, (m[k, j] - m[j, k]) / s
    return q


def euler(x=0.0, y=0.0, z=0.0):
    """Degrees about x, then y, then z."""
    r = np.radians
    return mul(quat([0, 0, 1], r(z)), mul(quat([0, 1, 0], r(y)), quat([1, 0, 0], r(x))))


class Rig:
    """Rest heads and parents; turns a pose into local rotations and translations."""

    def __init__(self, bones):
        self.names = [b[0] for b in bones]
        self.parent = [self.names.index(b[1]) if b[1] else -1 for b in bones]
        self.head = np.array([b[2] for b in bones])
        self.index = {n: i for i, n in enumerate(self.names)}
        self.rest_local = np.array([h - (self.head[p] if p >= 0 else 0) for h, p in zip(self.head, self.parent)])

    def evaluate(self, pose):
        """`pose`: bone → quaternion, `hips_at` offset, `feet`: side → (ankle, pitch°, toe°, yaw°) or absent.
        Returns local rotations, local translations and model-space heads and rotations."""
        n = len(self.names)
        local = np.tile([0.0, 0, 0, 1], (n, 1))
        shift = self.rest_local.copy()
        for name, q in pose.get("rot", {}).items():
            local[self.index[name]] = q
        shift[self.index["hips"]] = shift[self.index["hips"]] + pose.get("hips_at", np.zeros(3))
        for side, foot in pose.get("feet", {}).items():
            self.place_leg(local, shift, side, foot)
        heads, spin = self.forward(local, shift)
        return local, shift, heads, spin

    def forward(self, local, shift):
        heads, spin = np.zeros((len(self.names), 3)), np.zeros((len(self.names), 4))
        for i, p in enumerate(self.parent):
            if p < 0:
                heads[i], spin[i] = shift[i], local[i]
            else:
                heads[i] = heads[p] + rotate(spin[p], shift[i])
                spin[i] = mul(spin[p], local[i])
        return heads, spin

    def place_leg(self, local, shift, side, foot):
        ankle, pitch, toe, yaw = foot
        hip_i, knee_i, foot_i, toe_i = (self.index[f"{b}_{side}"] for b in ("upper_leg", "lower_leg", "foot", "toes"))
        heads, spin = self.forward(local, shift)
        hip = heads[hip_i]
        upper, lower = self.rest_local[knee_i], self.rest_local[foot_i]
        a, b = np.linalg.norm(upper), np.linalg.norm(lower)
        reach = ankle - hip
        d = np.clip(np.linalg.norm(reach), abs(a - b) + 1e-3, (a + b) * 0.9995)
        along = reach / np.linalg.norm(reach)
        # The knee bends in the plane of the leg and where the foot points.
        ahead = rotate(quat([0, 1, 0], np.radians(yaw)), np.array([0.0, 0.05, 1.0]))
        ahead = ahead - along * (ahead @ along)
        ahead /= np.linalg.norm(ahead)
        cos_hip = np.clip((a * a + d * d - b * b) / (2 * a * d), -1, 1)
        knee = hip + a * (along * cos_hip + ahead * np.sqrt(1 - cos_hip**2))
        target = hip + along * d
        parent_spin = spin[self.parent[hip_i]]
        upper_spin = self.limb(upper, knee - hip, ahead)
        lower_spin = self.limb(lower, target - knee, ahead)
        foot_spin = mul(quat([0, 1, 0], np.radians(yaw)), quat([1, 0, 0], np.radians(pitch)))
        local[hip_i] = mul(inv(parent_spin), upper_spin)
        local[knee_i] = mul(inv(upper_spin), lower_spin)
        local[foot_i] = mul(inv(lower_spin), foot_spin)
        local[toe_i] = quat([1, 0, 0], np.radians(toe))

    @staticmethod
    def limb(rest, now, ahead):
        """Rotation that takes a rest segment to a new direction with its front facing `ahead`."""

        def basis(v, front):
            y = -v / np.linalg.norm(v)
            z = front - y * (front @ y)
            z /= np.linalg.norm(z)
            return frame_quat(np.cross(y, z), y, z)

        return mul(basis(now, ahead), inv(basis(rest, np.array([0.0, 0, 1.0]))))
