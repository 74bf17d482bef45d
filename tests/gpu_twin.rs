//! The animation shaders against their twins on the processor: same skeletons, clips and blends, same matrices.

#![allow(clippy::unwrap_used, reason = "a test that cannot reach a device has to fail")]

use glam::{EulerRot, Mat4, Quat, Vec3, Vec4};
use std::cell::Cell;
use walkabout::anim::fabrik::MAX_CHAIN;
use walkabout::anim::inertialization::{InertiaAt, Inertialization, MovingPose};
use walkabout::anim::layer::{LayerKind, PoseLayer};
use walkabout::anim::leg_solve::{LegSolve, UnsolvedLeg};
use walkabout::anim::local_to_model::{local_to_model, model_to_skin};
use walkabout::anim::sample::{PoseOverride, sample_playback};
use walkabout::anim::{Blend, ClipAt, Playback};
use walkabout::asset::{Channel, Clip, Joint, Model, Skeleton, Track};
use walkabout::camera::{Lens, View};
use walkabout::collide::bone_spheres::{bone_spheres, sphere_bones};
use walkabout::gpu::GpuContext;
use walkabout::gpu::readback::read_buffer;
use walkabout::gpu::shader::ShaderLibrary;
use walkabout::gpu::{GrowBuffer, MeteredQueue};
use walkabout::ids::{ClipId, NodeId};
use walkabout::math::Trs;
use walkabout::render::compute::leg_ik;
use walkabout::render::compute::model_animation::ModelAnimation;
use walkabout::render::compute::pipelines::ComputePipelines;
use walkabout::render::compute::pose_buffers::{BatchRange, PoseBuffers, PoseInput};
use walkabout::render::draw_lists::DrawLists;
use walkabout::render::frame::static_instance;
use walkabout::render::layouts::{Layouts, bind_buffers};
use walkabout::render::pass::bone_spheres::BoneSpherePass;
use walkabout::render::pipeline::PipelineContext;
use walkabout::render::shaders::ShaderModules;
use walkabout::render::types::{
    Affine, InstanceData, LegJob, MAX_OVERRIDES, PoseJob, PoseOverrideData, SphereData, SphereJob,
};
use walkabout::render::upload::UploadContext;
use walkabout::render::{FrameData, Quality};

/// Numbers that look random and are the same every time (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    fn vec3(&mut self, reach: f32) -> Vec3 {
        Vec3::new(self.between(-reach, reach), self.between(-reach, reach), self.between(-reach, reach))
    }

    fn rotation(&mut self) -> Quat {
        let v = self.vec3(3.0);
        Quat::from_euler(EulerRot::YXZ, v.x, v.y, v.z)
    }

    /// About 1, now and then mirrored.
    fn scale(&mut self) -> Vec3 {
        let s = Vec3::ONE + self.vec3(0.08);
        if self.below(8) == 0 { s * Vec3::new(-1.0, 1.0, 1.0) } else { s }
    }

    fn track<T>(&mut self, most: usize, mut value: impl FnMut(&mut Self) -> T) -> Track<T> {
        let count = self.below(most + 1);
        let mut time = self.between(0.0, 0.2);
        let mut track = Track { times_secs: Vec::new(), values: Vec::new() };
        for _ in 0..count {
            track.times_secs.push(time);
            track.values.push(value(self));
            time += self.between(0.02, 0.5);
        }
        track
    }
}

fn random_model(nodes: usize, numbers: &mut Numbers) -> Model {
    // Short bones in long chains: errors add up down the chain, and so would a wrong order of multiplication.
    let parents =
        (0..nodes).map(|i| (i > 0).then(|| NodeId(if numbers.below(3) > 0 { i - 1 } else { numbers.below(i) } as u32)));
    let parents: Vec<_> = parents.collect();
    let rest = (0..nodes)
        .map(|_| Trs { translation: numbers.vec3(0.1), rotation: numbers.rotation(), scale: numbers.scale() })
        .collect();
    let clip = |numbers: &mut Numbers| Clip {
        name: String::new(),
        duration_secs: 3.0,
        channels: (0..nodes)
            .filter(|i| i % 5 != 3)
            .map(|i| Channel {
                node: NodeId(i as u32),
                translation: numbers.track(3, |n| n.vec3(0.1)),
                rotation: numbers.track(9, Numbers::rotation),
                scale: numbers.track(2, Numbers::scale),
            })
            .collect(),
        ..Clip::default()
    };
    let clips = vec![clip(numbers), clip(numbers)];
    let joints = (0..nodes + 1)
        .map(|i| Joint {
            // The last one hangs on a node that does not exist.
            node: NodeId(i as u32),
            node_from_mesh: Mat4::from_rotation_translation(numbers.rotation(), numbers.vec3(1.0)),
        })
        .collect();
    Model { skeleton: Skeleton { names: vec![String::new(); nodes], parents, rest }, clips, joints, ..Model::default() }
}

/// What is left of a transition from one random pose to another.
fn random_offsets(nodes: usize, numbers: &mut Numbers) -> Inertialization {
    let mut pose = || -> Vec<Trs> {
        (0..nodes)
            .map(|_| Trs { translation: numbers.vec3(0.1), rotation: numbers.rotation(), scale: Vec3::ONE })
            .collect()
    };
    let [left, entered] = std::array::from_fn(|_| pose());
    Inertialization::new(MovingPose { from: &left, to: &left }, MovingPose { from: &entered, to: &entered }, 1.0 / 60.0)
}

fn nodes_on_processor(
    model: &Model,
    playback: &Playback,
    inertia: Option<InertiaAt<'_>>,
    overrides: &[PoseOverride],
) -> Vec<Mat4> {
    let mut locals = vec![Trs::IDENTITY; model.skeleton.len()];
    sample_playback(&model.skeleton, &model.clips, playback, inertia, overrides, &mut locals);
    let mut nodes = vec![Mat4::IDENTITY; locals.len()];
    local_to_model(&model.skeleton, &locals, &mut nodes);
    nodes
}

fn on_processor(
    model: &Model,
    playback: &Playback,
    inertia: Option<InertiaAt<'_>>,
    overrides: &[PoseOverride],
) -> Vec<Mat4> {
    let nodes = nodes_on_processor(model, playback, inertia, overrides);
    let mut skin = vec![Mat4::IDENTITY; model.joints.len()];
    model_to_skin(&model.joints, &nodes, &mut skin);
    skin
}

fn pipeline_context(gpu: &GpuContext) -> (PipelineContext, ShaderModules) {
    let device = gpu.device.clone();
    let shaders = ShaderModules::load(&device, &ShaderLibrary::default()).unwrap();
    let (layouts, target_format) = (Layouts::new(&device), wgpu::TextureFormat::Rgba8UnormSrgb);
    (PipelineContext { device, layouts, quality: Quality::Software, target_format, clamps_bias: true }, shaders)
}

/// Applies `overrides` to every other playback, beginning with the first, and `inertia` to every third.
fn on_device(
    gpu: &GpuContext,
    model: &Model,
    playbacks: &[Playback],
    inertia: InertiaAt<'_>,
    overrides: &[PoseOverride],
) -> Vec<Mat4> {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let (context, shaders) = pipeline_context(gpu);
    let written_bytes = Cell::default();
    let queue = MeteredQueue { queue, written_bytes: &written_bytes };
    let upload = UploadContext { device, queue, layouts: &context.layouts };
    let pipelines = ComputePipelines::new(&context, &shaders);
    let (nodes, joints) = (model.skeleton.len(), model.joints.len());
    let per_job = overrides.len() as u32;
    let jobs: Vec<PoseJob> = (0..)
        .zip(playbacks)
        .map(|(i, p)| {
            let job = PoseJob::new(p, i * joints as u32, if i % 2 == 0 { [0, per_job] } else { [0, 0] });
            if i % 3 == 0 { job.with_offsets(per_job) } else { job }
        })
        .collect();
    let mut overrides: Vec<PoseOverrideData> = overrides.iter().map(PoseOverrideData::from).collect();
    overrides.extend(inertia.nodes().map(PoseOverrideData::from));
    let mut poses = PoseBuffers::new(device);
    let (node_count, skin_count) = (nodes * jobs.len(), joints * jobs.len());
    let input = PoseInput { jobs: &jobs, overrides: &overrides, legs: &[], node_count, skin_count };
    poses.upload(device, queue, input).unwrap();
    let mut animation = ModelAnimation::new(upload, model);
    let range = BatchRange { first_job: 0, job_count: jobs.len() as u32, first_node: 0 };
    animation.upload(upload, &poses, &range).unwrap();
    let matrices: Vec<Affine> = computed(gpu, poses.skin.raw(), joints * jobs.len(), |pass| {
        animation.record(pass, &pipelines, &range);
    });
    matrices.iter().map(Affine::to_mat4).collect()
}

/// The first values of a buffer after a compute pass.
fn computed<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    gpu: &GpuContext,
    buffer: &wgpu::Buffer,
    count: usize,
    record: impl FnOnce(&mut wgpu::ComputePass<'_>),
) -> Vec<T> {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let bytes = (count * size_of::<T>()) as u64;
    let out = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: bytes,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    record(&mut encoder.begin_compute_pass(&Default::default()));
    encoder.copy_buffer_to_buffer(buffer, 0, &out, 0, bytes);
    queue.submit([encoder.finish()]);
    let bytes = read_buffer(device, &out).unwrap();
    assert_eq!(gpu.take_errors(), Vec::<String>::new());
    bytemuck::pod_collect_to_vec(&bytes)
}

#[test]
fn skin_matrices_agree_for_skeletons_of_all_sizes() {
    let gpu = GpuContext::headless().unwrap_or_else(|e| panic!("{e}"));
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for nodes in [1, 2, 63, 65, 300] {
        let model = random_model(nodes, &mut numbers);
        let playbacks: Vec<Playback> = (0..70)
            .map(|i| {
                let at =
                    |clip, numbers: &mut Numbers| ClipAt { clip: ClipId(clip), time_secs: numbers.between(-0.5, 4.0) };
                // Every ninth asks for a clip that does not exist.
                let second = if i % 9 == 0 { 7 } else { 1 };
                let mut pair = || [at(0, &mut numbers), at(second, &mut numbers)];
                let (clips, from, head) = (pair(), pair(), pair());
                let weight = [0.0, 1.0, numbers.between(0.0, 1.0)][i % 3];
                let from = Blend { clips: from, weight: numbers.between(0.0, 1.0) };
                let from_weight = if i % 4 < 2 { 0.0 } else { numbers.between(0.0, 1.0) };
                let head = if i % 5 < 3 { head } else { Default::default() };
                let mut layer = |k: usize| PoseLayer {
                    clip: ClipId([0, 1, 1, 7][k]),
                    time_secs: numbers.between(-0.5, 4.0),
                    weight: [0.0, 1.0, 0.4][(i + k) % 3],
                    kind: LayerKind::ALL[(i / 3 + k) % 2],
                    nodes: [0, 1 + nodes as u32 / 2].map(|first| first + (k * nodes / 4) as u32),
                };
                let layers = if i % 6 < 3 { Default::default() } else { std::array::from_fn(&mut layer) };
                Playback { clips, weight, from, from_weight, head, layers }
            })
            .collect();
        let overrides: Vec<PoseOverride> = (0..nodes.min(MAX_OVERRIDES as usize))
            .map(|i| PoseOverride {
                node: (i * 7 % nodes) as u32,
                rotation: numbers.rotation(),
                translation: numbers.vec3(0.1),
            })
            .collect();
        let offsets = random_offsets(nodes, &mut numbers);
        let inertia = InertiaAt { offsets: &offsets, secs: 0.13 };
        let device = on_device(&gpu, &model, &playbacks, inertia, &overrides);
        let left = |i: usize| i.is_multiple_of(3).then_some(inertia);
        let fixed = |i: usize| if i.is_multiple_of(2) { overrides.as_slice() } else { &[] };
        let processor: Vec<Mat4> =
            playbacks.iter().enumerate().flat_map(|(i, p)| on_processor(&model, p, left(i), fixed(i))).collect();
        assert_eq!(device.len(), processor.len());
        for (i, (a, b)) in device.iter().zip(&processor).enumerate() {
            // Scales multiply down the chain; so does the error allowed.
            let size = b.to_cols_array().iter().fold(1.0_f32, |m, v| m.max(v.abs()));
            assert!(a.abs_diff_eq(*b, 2e-3 * size), "{nodes} nodes, matrix {i}:\n{a}\n{b}");
        }
    }
}

#[test]
fn bounding_spheres_agree_with_those_of_the_simulation() {
    let gpu = GpuContext::headless().unwrap_or_else(|e| panic!("{e}"));
    let (device, queue) = (&gpu.device, &gpu.queue);
    let (context, shaders) = pipeline_context(&gpu);
    let written_bytes = Cell::default();
    let queue = MeteredQueue { queue, written_bytes: &written_bytes };
    let upload = UploadContext { device, queue, layouts: &context.layouts };
    let pipelines = ComputePipelines::new(&context, &shaders);
    let mut numbers = Numbers(11);
    let (count, nodes) = (70, 40);
    let model = random_model(nodes, &mut numbers);
    let adjustments: Vec<Vec4> = (0..nodes).map(|_| numbers.vec3(0.3).extend(numbers.between(0.4, 3.0))).collect();
    // Every bone counts as long as can be, so that none is left out before its pose is known.
    let bones = sphere_bones(&model.skeleton, |node| adjustments.get(node as usize).copied(), |_| 100.0);
    let playback = |i: usize| Playback {
        clips: [ClipAt { clip: ClipId(0), time_secs: i as f32 * 0.05 }; 2],
        ..Playback::default()
    };
    let place = |i: usize| {
        let turn = Quat::from_rotation_y(i as f32);
        Mat4::from_scale_rotation_translation(Vec3::splat(0.5 + i as f32 * 0.02), turn, Vec3::splat(i as f32))
    };
    let jobs: Vec<PoseJob> =
        (0..count).map(|i| PoseJob::new(&playback(i), (i * model.joints.len()) as u32, [0, 0])).collect();
    let mut poses = PoseBuffers::new(device);
    let (node_count, skin_count) = (nodes * count, model.joints.len() * count);
    poses.upload(device, queue, PoseInput { jobs: &jobs, overrides: &[], legs: &[], node_count, skin_count }).unwrap();
    let mut animation = ModelAnimation::new(upload, &model);
    let range = BatchRange { first_job: 0, job_count: count as u32, first_node: 0 };
    animation.upload(upload, &poses, &range).unwrap();
    let instances: Vec<InstanceData> =
        (0..count).map(|i| InstanceData::new(&static_instance(place(i)), Vec3::ZERO, 0, 0)).collect();
    let instances = GrowBuffer::with_data(device, queue.queue, "instances", wgpu::BufferUsages::STORAGE, &instances);
    let wanted: Vec<SphereJob> = (0..count as u32)
        .map(|i| SphereJob {
            instance: i,
            first_node: i * nodes as u32,
            first_bone: 0,
            bone_count: bones.len() as u32,
            first_sphere: i * bones.len() as u32,
            touches: i % 2,
            pad_0: 0,
            pad_1: 0,
        })
        .collect();
    let all = count * bones.len();
    let mut spheres = BoneSpherePass::new(&context, &shaders);
    let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective { fov_rad: 1.0 }, 1.0);
    let frame = FrameData { bones: bones.clone(), ..FrameData::of_sky([1; 2], &view) };
    let lists = DrawLists { spheres: wanted, sphere_count: all as u32, ..DrawLists::default() };
    spheres.upload(upload, &frame, &lists, &poses, &instances).unwrap();
    let found: Vec<SphereData> = computed(&gpu, spheres.spheres().raw(), all, |pass| {
        animation.record(pass, &pipelines, &range);
        spheres.compute(pass);
    });
    let (mut expected, mut shown) = (Vec::new(), 0);
    for (i, found) in found.chunks(bones.len()).enumerate() {
        let origins: Vec<Vec3> =
            nodes_on_processor(&model, &playback(i), None, &[]).iter().map(|m| m.w_axis.truncate()).collect();
        let scale = place(i).y_axis.truncate().length();
        bone_spheres(&bones, &origins, &place(i), scale, &mut expected);
        let mut rest = expected.iter();
        for sphere in found.iter().filter(|s| s.sphere[3] > 0.0) {
            let (center, radius) = (Vec3::from_slice(&sphere.sphere), sphere.sphere[3]);
            // One whose radius is as good as the least may be left out on one side.
            let same = rest.find(|e| e.center.abs_diff_eq(center, 1e-2) && (e.radius - radius).abs() < 1e-3 * scale);
            assert!(same.is_some() || radius < 0.051 * scale, "{i}: {sphere:?}");
            assert_eq!(sphere.color[0] > 0.9, i % 2 == 1, "red where it touches");
            shown += 1;
        }
        let drawn = found.iter().filter(|s| s.sphere[3] > 0.0).count();
        assert!(expected.len().abs_diff(drawn) <= 1, "{i}: {} and {drawn}", expected.len());
    }
    assert!(shown > count * 5, "{shown}");
}

#[test]
fn the_comparison_can_fail() {
    let gpu = GpuContext::headless().unwrap_or_else(|e| panic!("{e}"));
    let mut numbers = Numbers(7);
    let model = random_model(12, &mut numbers);
    let playback = Playback { clips: [ClipAt { clip: ClipId(0), time_secs: 0.4 }; 2], ..Playback::default() };
    let later = Playback { clips: [ClipAt { clip: ClipId(0), time_secs: 0.5 }; 2], ..Playback::default() };
    let offsets = random_offsets(12, &mut numbers);
    let inertia = InertiaAt { offsets: &offsets, secs: 0.1 };
    let device = on_device(&gpu, &model, &[playback], inertia, &[]);
    let differs = |other: Vec<Mat4>| device.iter().zip(other).any(|(a, b)| !a.abs_diff_eq(b, 2e-3));
    assert!(differs(on_processor(&model, &later, Some(inertia), &[])));
    assert!(
        differs(on_processor(&model, &playback, None, &[]))
            && !differs(on_processor(&model, &playback, Some(inertia), &[]))
    );
}

/// A leg in a random pose with a random target, now and then out of its reach or straight ahead.
fn random_leg(numbers: &mut Numbers) -> LegSolve {
    let count = 2 + numbers.below(MAX_CHAIN - 1);
    let (mut joints, mut rotations) = ([Vec3::ZERO; MAX_CHAIN], [Quat::IDENTITY; MAX_CHAIN]);
    let straight = numbers.below(6) == 0;
    for i in 0..count {
        let bone = if straight { Vec3::NEG_Y * 0.4 } else { Vec3::NEG_Y * 0.4 + numbers.vec3(0.15) };
        joints[i] = if i == 0 { numbers.vec3(1.0) } else { joints[i - 1] + bone };
        rotations[i] = numbers.rotation();
    }
    let reach = if numbers.below(5) == 0 { 1.5 } else { 0.7 };
    LegSolve {
        count,
        joints,
        rotations,
        parent: numbers.rotation(),
        target: joints[0] + (Vec3::NEG_Y + numbers.vec3(0.4)).normalize() * 0.4 * (count - 1) as f32 * reach,
        turn: numbers.rotation(),
        lift: if numbers.below(2) == 0 { Quat::IDENTITY } else { numbers.rotation() },
        toes: (numbers.below(3) > 0).then(|| numbers.rotation()),
        ahead: Vec3::Z,
        iterations: 10,
    }
}

#[test]
fn legs_are_solved_on_the_device_as_on_the_processor() {
    let gpu = GpuContext::headless().unwrap();
    let (context, shaders) = pipeline_context(&gpu);
    let pipelines = ComputePipelines::new(&context, &shaders);
    let mut numbers = Numbers(11);
    let legs: Vec<LegSolve> = (0..100).map(|_| random_leg(&mut numbers)).collect();
    // Each leg has room for all joints and the toes.
    let each = MAX_CHAIN as u32 + 1;
    let unsolved = legs.iter().map(|leg| UnsolvedLeg {
        solve: *leg,
        first_override: 0,
        toes_override: leg.bends_toes().then_some(each - 1),
    });
    let jobs: Vec<LegJob> = (0..).zip(unsolved).map(|(i, leg)| leg_ik::job(&leg, i * each)).collect();
    let still = PoseOverride { node: 0, rotation: Quat::IDENTITY, translation: Vec3::ZERO };
    let overrides = vec![PoseOverrideData::from(&still); legs.len() * each as usize];
    let mut poses = PoseBuffers::new(&gpu.device);
    let input = PoseInput { jobs: &[], overrides: &overrides, legs: &jobs, node_count: 0, skin_count: 0 };
    let written_bytes = Cell::default();
    poses.upload(&gpu.device, MeteredQueue { queue: &gpu.queue, written_bytes: &written_bytes }, input).unwrap();
    let buffers = [(0, poses.legs.raw()), (1, poses.overrides.raw())];
    let group = bind_buffers(&gpu.device, "legs", &context.layouts.legs, &buffers);
    let solved: Vec<PoseOverrideData> = computed(&gpu, poses.overrides.raw(), overrides.len(), |pass| {
        pass.set_bind_group(0, &group, &[]);
        leg_ik::record(pass, &pipelines, leg_ik::padded(&jobs).len() as u32);
    });
    assert_eq!(gpu.take_errors(), Vec::<String>::new());
    for (leg, solved) in legs.iter().zip(solved.chunks(each as usize)) {
        let turns = leg.solve();
        let expected = turns.chain[..leg.count].iter().zip(solved).chain([(&turns.toes, &solved[each as usize - 1])]);
        for (expected, solved) in expected {
            let found = Quat::from_array(solved.rotation);
            // A quaternion and its opposite are one rotation.
            assert!(expected.dot(found).abs() > 1.0 - 1e-4, "{leg:?}: {expected} and {found}");
        }
    }
}
