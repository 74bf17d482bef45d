// Bounding spheres of bones in the drawn pose. The twin of src/collide/bone_spheres.rs.

#import "shared/placement.wgsl"

@group(0) @binding(0) var<storage, read> jobs: array<SphereJob>;
@group(0) @binding(1) var<storage, read> bones: array<BoneSphereData>;
@group(0) @binding(2) var<storage, read> model_from_node: array<Affine>;
@group(0) @binding(3) var<storage, read> instances: array<InstanceData>;
@group(0) @binding(4) var<storage, read_write> spheres: array<SphereData>;

const POSE_WORKGROUP: u32 = 64u;
// Smallest radius that is drawn, and radius of a root's sphere, which has no bone to measure; metres at scale 1.
const MIN_RADIUS: f32 = 0.05;
const ROOT_RADIUS: f32 = 1.0;

const FREE: vec4<f32> = vec4<f32>(0.3, 0.9, 0.5, 0.7);
const TOUCHING: vec4<f32> = vec4<f32>(1.0, 0.25, 0.15, 0.9);

fn origin(node: u32) -> vec3<f32> {
    let m = model_from_node[node];
    return vec3<f32>(m.row_0.w, m.row_1.w, m.row_2.w);
}

// One invocation per character; the list of jobs is padded with empty ones.
@compute @workgroup_size(POSE_WORKGROUP)
fn bone_spheres(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&jobs)) {
        return;
    }
    let job = jobs[id.x];
    let instance = instances[job.instance];
    let scale = abs(instance.scale);
    let bone_limit = min(job.bone_count, arrayLength(&bones));
    for (var i = 0u; i < bone_limit; i++) {
        let bone = bones[job.first_bone + i];
        let at = origin(job.first_node + bone.node);
        var half = ROOT_RADIUS;
        if (bone.parent != NO_PARENT) {
            half = distance(at, origin(job.first_node + bone.parent)) * 0.5;
        }
        let radius = half * bone.adjust.w;
        let center = relative_place(instance, at) + bone.adjust.xyz * scale;
        let shown = select(0.0, radius * scale, radius >= MIN_RADIUS);
        spheres[job.first_sphere + i] =
            SphereData(vec4<f32>(center, shown), select(FREE, TOUCHING, job.touches != 0u));
    }
}
