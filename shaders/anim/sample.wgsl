// Clip sampling: the local transform of every node of every instance. The twin of src/anim/sample.rs.

#import "shared/types.wgsl"

@group(0) @binding(0) var<storage, read> nodes: array<NodeData>;
// Three per clip and node: translation, rotation, scale.
@group(0) @binding(1) var<storage, read> key_ranges: array<KeyRange>;
@group(0) @binding(2) var<storage, read> key_times_secs: array<f32>;
@group(0) @binding(3) var<storage, read> key_values: array<vec4<f32>>;

@group(1) @binding(0) var<uniform> batch: PoseBatch;
@group(1) @binding(1) var<storage, read> jobs: array<PoseJob>;
@group(1) @binding(2) var<storage, read_write> locals: array<LocalTransform>;
@group(1) @binding(3) var<storage, read> overrides: array<PoseOverrideData>;

const SAMPLE_WORKGROUP: u32 = 64u;
// Iterations of a binary search over 2^32 keys.
const MAX_HALVINGS: u32 = 32u;

// Tracks of a node in a clip: translation, rotation, scale.
const TRACKS: u32 = 3u;

// Layers of a pose, in the order of their application.
const PLAYING: u32 = 0u;
const LEAVING: u32 = 1u;
const TURN: u32 = 2u;
const TILT: u32 = 3u;
const MASKED: u32 = 4u;
const LAYERS: u32 = 8u;

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

// The value of a track; rotations interpolate along the shorter arc.
fn sample_track(range: KeyRange, time_secs: f32, rest: vec4<f32>, turns: bool) -> vec4<f32> {
    if (range.count == 0u) {
        return rest;
    }
    let found = find_key(range, time_secs);
    let value = key_values[found.key];
    if (found.share == 0.0) {
        return value;
    }
    let next = key_values[found.key + 1u];
    if (turns) {
        return slerp(value, next, found.share);
    }
    return mix(value, next, found.share);
}

// Tracks are sampled in a loop, and clips below in another: compilers inline a function at every call, and software
// rasterizers would spend seconds on compiling two dozen copies of the key search.
fn sample_clip(clip: u32, node: u32, time_secs: f32) -> LocalTransform {
    var out = nodes[node].rest;
    if (clip >= batch.clip_count) {
        return out;
    }
    let first = (clip * batch.node_count + node) * TRACKS;
    for (var track = 0u; track < TRACKS; track++) {
        let turns = track == 1u;
        let rest = select(select(out.scale, out.rotation, turns), out.translation, track == 0u);
        let value = sample_track(key_ranges[first + track], time_secs, rest, turns);
        if (track == 0u) {
            out.translation = value;
        } else if (turns) {
            out.rotation = value;
        } else {
            out.scale = value;
        }
    }
    return out;
}

fn mixed(a: LocalTransform, b: LocalTransform, weight: f32) -> LocalTransform {
    return LocalTransform(
        mix(a.translation, b.translation, weight),
        slerp(a.rotation, b.rotation, weight),
        mix(a.scale, b.scale, weight),
    );
}

// First a, then b: rotations as quaternions multiply from the right.
fn turned(b: vec4<f32>, a: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(b.w * a.xyz + a.w * b.xyz + cross(b.xyz, a.xyz), b.w * a.w - dot(b.xyz, a.xyz));
}

fn inverse_of(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

// Applies the difference of a head clip to its own start: a yaw from the left, a pitch from the right.
fn with_head(pose: LocalTransform, start: LocalTransform, now: LocalTransform, tilts: bool) -> LocalTransform {
    var out = pose;
    if (tilts) {
        out.rotation = turned(turned(pose.rotation, inverse_of(start.rotation)), now.rotation);
    } else {
        out.rotation = turned(turned(now.rotation, inverse_of(start.rotation)), pose.rotation);
    }
    out.translation += now.translation - start.translation;
    return out;
}

// Two samples that are taken together.
struct Pair {
    clips: vec2<u32>,
    times_secs: vec2<f32>,
    // Weight of the second; at 0 the second is not sampled.
    weight: f32,
}

// Applies a layer with a mask: its pose in place of what is there, or its difference to the start of its clip.
fn with_layer(pose: LocalTransform, start: LocalTransform, now: LocalTransform, overrides: bool, weight: f32) -> LocalTransform {
    if (overrides) {
        return mixed(pose, start, weight);
    }
    let turn = turned(inverse_of(start.rotation), now.rotation);
    var out = pose;
    out.rotation = turned(pose.rotation, slerp(vec4<f32>(0.0, 0.0, 0.0, 1.0), turn, weight));
    out.translation += (now.translation - start.translation) * weight;
    return out;
}

// Whether a layer with a mask takes the place of the pose.
fn is_override(job: PoseJob, layer: u32) -> bool {
    return layer >= MASKED && (job.override_layers >> (layer - MASKED) & 1u) == 1u;
}

// The layers, in order: current clips, clips that fade out, head yaw, head pitch, layers with a mask. An additive clip
// is paired with its own start.
fn pair_of(job: PoseJob, layer: u32) -> Pair {
    if (layer == PLAYING) {
        return Pair(job.clips.xy, job.times_secs.xy, job.weights.x);
    }
    if (layer == LEAVING) {
        return Pair(job.clips.zw, job.times_secs.zw, job.weights.y);
    }
    if (layer >= MASKED) {
        let clip = job.layer_clips[layer - MASKED];
        let now_secs = job.layer_times_secs[layer - MASKED];
        if (is_override(job, layer)) {
            return Pair(vec2<u32>(clip), vec2<f32>(now_secs), 0.0);
        }
        return Pair(vec2<u32>(clip), vec2<f32>(0.0, now_secs), 1.0);
    }
    let tilts = layer == TILT;
    let clip = select(job.head_clips.x, job.head_clips.y, tilts);
    let time_secs = select(job.head_times_secs.x, job.head_times_secs.y, tilts);
    return Pair(vec2<u32>(clip), vec2<f32>(0.0, time_secs), 1.0);
}

fn adds_nothing(job: PoseJob, layer: u32, pair: Pair, node: u32) -> bool {
    if (layer == PLAYING) {
        return false;
    }
    if (layer == LEAVING) {
        return job.weights.z <= 0.0;
    }
    if (layer >= MASKED) {
        let i = layer - MASKED;
        return job.layer_weights[i] <= 0.0 || pair.clips.x >= batch.clip_count
            || node < job.layer_first_nodes[i] || node >= job.layer_end_nodes[i];
    }
    return pair.times_secs.y <= 0.0 || pair.clips.x >= batch.clip_count;
}

fn sample_layers(job: PoseJob, node: u32) -> LocalTransform {
    var pose: LocalTransform;
    for (var layer = 0u; layer < LAYERS; layer++) {
        if (layer == TURN && job.first_offset != NO_OFFSETS) {
            let offset = overrides[job.first_offset + node];
            pose.rotation = turned(offset.rotation, pose.rotation);
            pose.translation += offset.translation;
        }
        let pair = pair_of(job, layer);
        if (adds_nothing(job, layer, pair, node)) {
            continue;
        }
        var first: LocalTransform;
        var second: LocalTransform;
        for (var i = 0u; i < 2u; i++) {
            if (i == 1u && pair.weight <= 0.0) {
                break;
            }
            let read = sample_clip(select(pair.clips.x, pair.clips.y, i == 1u), node,
                select(pair.times_secs.x, pair.times_secs.y, i == 1u));
            if (i == 0u) {
                first = read;
            } else {
                second = read;
            }
        }
        if (layer >= MASKED) {
            pose = with_layer(pose, first, second, is_override(job, layer), job.layer_weights[layer - MASKED]);
            continue;
        }
        if (layer >= TURN) {
            pose = with_head(pose, first, second, layer == TILT);
            continue;
        }
        if (pair.weight > 0.0) {
            first = mixed(first, second, pair.weight);
        }
        if (layer == LEAVING) {
            first = mixed(pose, first, job.weights.z);
        }
        pose = first;
    }
    return pose;
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
    var local = sample_layers(job, node);
    let override_limit = min(job.override_count, MAX_OVERRIDES);
    for (var i = 0u; i < override_limit; i++) {
        let change = overrides[job.first_override + i];
        if (change.node == node) {
            local.rotation = turned(local.rotation, change.rotation);
            local.translation += change.translation;
        }
    }
    locals[batch.first_node + index] = local;
}
