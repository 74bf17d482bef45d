// Reading clips: the local transform of every node of every instance. The twin of src/anim/sample.rs.

#import "shared/types.wgsl"

@group(0) @binding(0) var<storage, read> nodes: array<Node>;
// Three per clip and node: translation, rotation, scale.
@group(0) @binding(1) var<storage, read> key_ranges: array<KeyRange>;
@group(0) @binding(2) var<storage, read> key_times_secs: array<f32>;
@group(0) @binding(3) var<storage, read> key_values: array<vec4<f32>>;

@group(1) @binding(0) var<uniform> batch: PoseBatch;
@group(1) @binding(1) var<storage, read> jobs: array<PoseJob>;
@group(1) @binding(2) var<storage, read_write> locals: array<Local>;
@group(1) @binding(3) var<storage, read> fixes: array<PoseFix>;

const SAMPLE_WORKGROUP: u32 = 64u;
// A binary search over 2^32 keys ends after as many halvings.
const MAX_HALVINGS: u32 = 32u;

// Number of keys at or before the time.
fn keys_before(range: KeyRange, time_secs: f32) -> u32 {
    var low = 0u;
    var high = range.count;
    for (var i = 0u; i < MAX_HALVINGS; i++) {
        if (low >= high) {
            break;
        }
        let middle = (low + high) / 2u;
        if (key_times_secs[range.first + middle] <= time_secs) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

struct Found {
    key: u32,
    share: f32,
}

fn find_key(range: KeyRange, time_secs: f32) -> Found {
    let after = keys_before(range, time_secs);
    if (after == 0u) {
        return Found(range.first, 0.0);
    }
    let key = range.first + after - 1u;
    if (after >= range.count) {
        return Found(key, 0.0);
    }
    let from_secs = key_times_secs[key];
    return Found(key, (time_secs - from_secs) / (key_times_secs[key + 1u] - from_secs));
}

fn slerp(from_rotation: vec4<f32>, to_rotation: vec4<f32>, share: f32) -> vec4<f32> {
    var cosine = dot(from_rotation, to_rotation);
    let end = select(to_rotation, -to_rotation, cosine < 0.0);
    cosine = abs(cosine);
    if (cosine > 0.9995) {
        return normalize(mix(from_rotation, end, share));
    }
    let angle = acos(cosine);
    return (from_rotation * sin((1.0 - share) * angle) + end * sin(share * angle)) / sin(angle);
}

fn sample_linear(range: KeyRange, time_secs: f32, rest: vec4<f32>) -> vec4<f32> {
    if (range.count == 0u) {
        return rest;
    }
    let found = find_key(range, time_secs);
    if (found.share == 0.0) {
        return key_values[found.key];
    }
    return mix(key_values[found.key], key_values[found.key + 1u], found.share);
}

fn sample_rotation(range: KeyRange, time_secs: f32, rest: vec4<f32>) -> vec4<f32> {
    if (range.count == 0u) {
        return rest;
    }
    let found = find_key(range, time_secs);
    if (found.share == 0.0) {
        return key_values[found.key];
    }
    return slerp(key_values[found.key], key_values[found.key + 1u], found.share);
}

fn sample_clip(clip: u32, node: u32, time_secs: f32) -> Local {
    let rest = nodes[node].rest;
    if (clip >= batch.clip_count) {
        return rest;
    }
    let first = (clip * batch.node_count + node) * 3u;
    return Local(
        sample_linear(key_ranges[first], time_secs, rest.translation),
        sample_rotation(key_ranges[first + 1u], time_secs, rest.rotation),
        sample_linear(key_ranges[first + 2u], time_secs, rest.scale),
    );
}

fn mixed(a: Local, b: Local, weight: f32) -> Local {
    return Local(
        mix(a.translation, b.translation, weight),
        slerp(a.rotation, b.rotation, weight),
        mix(a.scale, b.scale, weight),
    );
}

fn sample_blend(clips: vec2<u32>, times_secs: vec2<f32>, weight: f32, node: u32) -> Local {
    let first = sample_clip(clips.x, node, times_secs.x);
    if (weight > 0.0) {
        return mixed(first, sample_clip(clips.y, node, times_secs.y), weight);
    }
    return first;
}

// First a, then b: rotations as quaternions multiply from the right.
fn turned(b: vec4<f32>, a: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(b.w * a.xyz + a.w * b.xyz + cross(b.xyz, a.xyz), b.w * a.w - dot(b.xyz, a.xyz));
}

fn inverse_of(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

// Lays the difference of a head clip to its own start on a pose: a turn before it, a tilt behind it.
fn with_head(pose: Local, clip: u32, time_secs: f32, node: u32, tilts: bool) -> Local {
    if (time_secs <= 0.0 || clip >= batch.clip_count) {
        return pose;
    }
    let start = sample_clip(clip, node, 0.0);
    let now = sample_clip(clip, node, time_secs);
    var out = pose;
    if (tilts) {
        out.rotation = turned(turned(pose.rotation, inverse_of(start.rotation)), now.rotation);
    } else {
        out.rotation = turned(turned(now.rotation, inverse_of(start.rotation)), pose.rotation);
    }
    out.translation += now.translation - start.translation;
    return out;
}

@compute @workgroup_size(SAMPLE_WORKGROUP)
fn sample_poses(
    @builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = id.y * groups.x * SAMPLE_WORKGROUP + id.x;
    if (index >= batch.job_count * batch.node_count) {
        return;
    }
    let job = jobs[batch.first_job + index / batch.node_count];
    let node = index % batch.node_count;
    var local = sample_blend(job.clips.xy, job.times_secs.xy, job.weights.x, node);
    if (job.weights.z > 0.0) {
        local = mixed(local, sample_blend(job.clips.zw, job.times_secs.zw, job.weights.y, node), job.weights.z);
    }
    local = with_head(local, job.head_clips.x, job.head_times_secs.x, node, false);
    local = with_head(local, job.head_clips.y, job.head_times_secs.y, node, true);
    let fix_limit = min(job.fix_count, MAX_FIXES);
    for (var i = 0u; i < fix_limit; i++) {
        let fix = fixes[job.first_fix + i];
        if (fix.node == node) {
            local.rotation = turned(local.rotation, fix.rotation);
            local.translation += fix.translation;
        }
    }
    locals[batch.first_node + index] = local;
}
