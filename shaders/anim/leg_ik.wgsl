// Leg IK: the rotations of a leg's joints that bring its foot to its target. The twin of src/anim/leg_solve.rs and
// src/anim/fabrik.rs.

#import "shared/types.wgsl"

@group(0) @binding(0) var<storage, read> legs: array<LegJob>;
@group(0) @binding(1) var<storage, read_write> overrides: array<PoseOverrideData>;

const LEG_WORKGROUP: u32 = 64u;
// Joints of a chain.
const MAX_CHAIN: u32 = 5u;
// Bones between them.
const MAX_BONES: u32 = 4u;
// Iterations of FABRIK.
const MAX_ITERATIONS: u32 = 1000u;
// Iterations that fold a chain.
const NEWTON_STEPS: u32 = 8u;
// Fraction of the chain's length at which the target counts as reached.
const TOLERANCE: f32 = 1e-4;
// A chain whose inner joints deviate by less than this fraction of its length is straight and gets a default bend.
const STRAIGHT_SHARE: f32 = 0.01;
const IDENTITY: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, 1.0);
const EPSILON: f32 = 1.1920929e-7;
const FAR: f32 = 3.0e38;

var<private> joints: array<vec3<f32>, 5>;
var<private> lengths: array<f32, 5>;
var<private> aside: array<vec3<f32>, 5>;

fn product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

fn inverse_of(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

fn rotated(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn normalized_or(v: vec3<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    let size = length(v);
    if (size > 0.0) {
        return v / size;
    }
    return otherwise;
}

fn rejected(v: vec3<f32>, axis: vec3<f32>) -> vec3<f32> {
    return v - axis * dot(v, axis);
}

// The shortest rotation from a unit vector to another.
fn arc(a: vec3<f32>, b: vec3<f32>) -> vec4<f32> {
    let cosine = dot(a, b);
    if (cosine < -1.0 + 2.0 * EPSILON) {
        // Half a turn about any axis across.
        let side = select(-1.0, 1.0, a.z >= 0.0);
        let c = -1.0 / (side + a.z);
        return vec4<f32>(a.x * a.y * c, side + a.y * a.y * c, -a.y, 0.0);
    }
    return normalize(vec4<f32>(cross(a, b), 1.0 + cosine));
}

// Moves the inner joints to the side of `bend` of the line from the root along `axis`.
fn bend_to(count: u32, axis: vec3<f32>, bend: vec3<f32>, total: f32) {
    let side = rejected(bend, axis);
    if (length(side) == 0.0) {
        return;
    }
    let unit = normalize(side);
    let bone_limit = min(count - 1u, MAX_BONES);
    var farthest = 0.0;
    for (var i = 1u; i < bone_limit; i++) {
        farthest = max(farthest, length(rejected(joints[i] - joints[0], axis)));
    }
    for (var i = 1u; i < bone_limit; i++) {
        let out = dot(joints[i] - joints[0], unit);
        if (farthest < STRAIGHT_SHARE * total) {
            joints[i] += unit * (STRAIGHT_SHARE * total - out);
        } else if (out < 0.0) {
            joints[i] -= unit * (2.0 * out);
        }
    }
}

fn along(i: u32, u: f32) -> f32 {
    return sqrt(max(lengths[i] * lengths[i] - u * dot(aside[i], aside[i]), 0.0));
}

fn reached(count: u32, u: f32) -> f32 {
    var sum = 0.0;
    let bone_limit = min(count - 1u, MAX_BONES);
    for (var i = 0u; i < bone_limit; i++) {
        sum += along(i, u);
    }
    return sum;
}

// Scales the deviation of the inner joints from the line along `axis` so that the chain ends at `distance` along it.
fn fold(count: u32, axis: vec3<f32>, distance: f32) {
    var most = FAR;
    let bone_limit = min(count - 1u, MAX_BONES);
    for (var i = 0u; i < bone_limit; i++) {
        aside[i] = rejected(joints[i + 1u] - joints[i], axis);
        let squared = dot(aside[i], aside[i]);
        if (squared > 0.0) {
            most = min(most, lengths[i] * lengths[i] / squared);
        }
    }
    if (most >= FAR || reached(count, most) > distance) {
        return;
    }
    var low = 0.0;
    var high = most;
    var u = min(most, 1.0);
    for (var step = 0u; step < NEWTON_STEPS; step++) {
        let over = reached(count, u) - distance;
        if (abs(over) <= 0.1 * TOLERANCE * distance) {
            break;
        }
        if (over > 0.0) {
            low = u;
        } else {
            high = u;
        }
        var slope = 0.0;
        for (var i = 0u; i < bone_limit; i++) {
            slope += 0.5 * dot(aside[i], aside[i]) / max(along(i, u), 1e-30);
        }
        let next = u + over / slope;
        if (next > low && next < high) {
            u = next;
        } else {
            u = 0.5 * (low + high);
        }
    }
    let factor = sqrt(u);
    for (var i = 0u; i < bone_limit; i++) {
        joints[i + 1u] = joints[i] + axis * along(i, u) + aside[i] * factor;
    }
}

// FABRIK (Aristidou and Lasenby, 2011) on `joints`, root first.
fn solve_chain(count: u32, goal: vec3<f32>, bend: vec3<f32>, iterations: u32) {
    let last = count - 1u;
    var total = 0.0;
    let bone_limit = min(count - 1u, MAX_BONES);
    let joint_limit = min(count, MAX_CHAIN);
    let round_limit = min(iterations, MAX_ITERATIONS);
    for (var i = 0u; i < bone_limit; i++) {
        lengths[i] = distance(joints[i], joints[i + 1u]);
        total += lengths[i];
    }
    let root = joints[0];
    let to = goal - root;
    let reach = length(to);
    if (reach == 0.0) {
        return;
    }
    let axis = to / reach;
    let from_size = length(joints[last] - root);
    if (from_size > 0.0) {
        let turn = arc((joints[last] - root) / from_size, axis);
        for (var i = 1u; i < joint_limit; i++) {
            joints[i] = root + rotated(turn, joints[i] - root);
        }
    }
    bend_to(count, axis, bend, total);
    if (reach >= total) {
        for (var i = 1u; i < joint_limit; i++) {
            joints[i] = joints[i - 1u] + axis * lengths[i - 1u];
        }
        return;
    }
    if (iterations > 0u) {
        fold(count, axis, reach);
    }
    for (var round = 0u; round < round_limit; round++) {
        if (distance(joints[last], goal) <= TOLERANCE * total) {
            break;
        }
        joints[last] = goal;
        for (var k = 0u; k < bone_limit; k++) {
            let i = last - 1u - k;
            joints[i] = joints[i + 1u] + normalized_or(joints[i] - joints[i + 1u], -axis) * lengths[i];
        }
        joints[0] = root;
        for (var i = 0u; i < bone_limit; i++) {
            joints[i + 1u] = joints[i] + normalized_or(joints[i + 1u] - joints[i], axis) * lengths[i];
        }
    }
}

// One invocation per leg.
@compute @workgroup_size(LEG_WORKGROUP)
fn solve_legs(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.y * groups.x * LEG_WORKGROUP + id.x;
    if (index >= arrayLength(&legs)) {
        return;
    }
    let count = legs[index].joint_count;
    let joint_limit = min(count, MAX_CHAIN);
    // Jobs that fill up the last workgroup have no joints.
    if (count < 2u || count > MAX_CHAIN) {
        return;
    }
    for (var i = 0u; i < joint_limit; i++) {
        joints[i] = legs[index].joints[i].xyz;
    }
    solve_chain(count, legs[index].goal.xyz, legs[index].ahead.xyz, legs[index].iterations);
    let lift = legs[index].lift;
    var parent = legs[index].parent;
    var parent_before = parent;
    for (var i = 0u; i < joint_limit; i++) {
        let before = legs[index].rotations[i];
        var turn = product(lift, legs[index].turn);
        if (i + 1u < count) {
            let a = legs[index].joints[i + 1u].xyz - legs[index].joints[i].xyz;
            let b = joints[i + 1u] - joints[i];
            turn = IDENTITY;
            if (length(a) > 0.0 && length(b) > 0.0) {
                turn = arc(normalize(a), normalize(b));
            }
        }
        let after = product(turn, before);
        // Right factor: parent' · local · turn = after.
        let local = product(inverse_of(parent_before), before);
        overrides[legs[index].first_override + i].rotation =
            normalize(product(inverse_of(local), product(inverse_of(parent), after)));
        parent_before = before;
        parent = after;
    }
    if (legs[index].toes_override != NO_OVERRIDE) {
        // Right factor: lift · turn · foot · rest · toes = turn · foot · rest.
        let lifted = product(parent, legs[index].toes_rest);
        let resting = product(inverse_of(lift), lifted);
        overrides[legs[index].toes_override].rotation = normalize(product(inverse_of(lifted), resting));
    }
}
