//! Overlay geometry: anti-aliased lines of constant width and filled triangles, grouped by depth mode.

use crate::debug::{DebugDraw, Depth, Layer};
use crate::gpu::{GpuError, GrowBuffer};
use crate::render::frame::FrameData;
use crate::render::layouts::bind_buffers;
use crate::render::pipeline::{DepthWrite, PipelineContext, PipelineSpec, depth_state, flag};
use crate::render::shaders::ShaderModules;
use crate::render::types::{GpuCorner, LineData};
use crate::render::upload::UploadContext;
use std::ops::Range;
use std::sync::OnceLock;
use wgpu::{BufferUsages, CompareFunction, ShaderModule};

/// Width of overlay lines in pixels.
const WIDTH_PX: f64 = 2.2;
/// Opacity of the occluded part of [`Depth::Dimmed`] layers.
const DIMMED_OPACITY: f64 = 0.22;
/// Drawing order of the depth modes.
const ORDER: [Depth; 3] = [Depth::Tested, Depth::Dimmed, Depth::OnTop];

/// Overlay pipelines with one depth test.
#[derive(Debug)]
pub struct OverlayPipelines {
    /// Lines.
    pub lines: wgpu::RenderPipeline,
    /// Wire spheres.
    pub spheres: wgpu::RenderPipeline,
    /// Filled triangles.
    pub triangles: wgpu::RenderPipeline,
}

/// The overlay pipelines of all depth modes, each created on first use.
#[derive(Debug)]
pub struct OverlayPipelineSet {
    context: PipelineContext,
    module: ShaderModule,
    in_front: OnceLock<OverlayPipelines>,
    occluded: OnceLock<OverlayPipelines>,
    on_top: OnceLock<OverlayPipelines>,
}

impl OverlayPipelineSet {
    fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            context: context.clone(),
            module: shaders.lines.clone(),
            in_front: OnceLock::new(),
            occluded: OnceLock::new(),
            on_top: OnceLock::new(),
        }
    }

    /// The pipelines that draw a layer of a depth mode, in order.
    pub fn get(&self, depth: Depth) -> Vec<&OverlayPipelines> {
        let in_front = || self.in_front.get_or_init(|| self.create(CompareFunction::GreaterEqual, 1.0));
        match depth {
            Depth::Tested => vec![in_front()],
            Depth::Dimmed => {
                let occluded = self.occluded.get_or_init(|| self.create(CompareFunction::Less, DIMMED_OPACITY));
                vec![occluded, in_front()]
            }
            Depth::OnTop => vec![self.on_top.get_or_init(|| self.create(CompareFunction::Always, 1.0))],
        }
    }

    fn create(&self, compare: CompareFunction, opacity: f64) -> OverlayPipelines {
        let PipelineContext { device, layouts, quality, .. } = &self.context;
        let create = |label, vertex, buffers: &[_], topology| {
            let spec = PipelineSpec {
                vertex,
                buffers,
                constants: &[
                    ("OPACITY", opacity),
                    ("WIDTH_PX", WIDTH_PX),
                    ("SHOWN_TARGET", flag(quality.is_display_referred())),
                ],
                target: Some(quality.light_format()),
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                depth: depth_state(compare, DepthWrite::Off),
                topology,
                samples: quality.samples(),
                ..PipelineSpec::full_screen(label, &self.module)
            };
            spec.create(device, &[&layouts.frame, &layouts.lines])
        };
        let (strip, list) = (wgpu::PrimitiveTopology::TriangleStrip, wgpu::PrimitiveTopology::TriangleList);
        OverlayPipelines {
            lines: create("overlay lines", "vs_line", &[], strip),
            spheres: create("overlay spheres", "vs_sphere", &[], strip),
            triangles: create("overlay triangles", "vs_triangle", &[Some(GpuCorner::LAYOUT)], list),
        }
    }
}

/// Lines and triangles of one depth mode.
#[derive(Clone, Debug, PartialEq)]
struct DepthGroup {
    depth: Depth,
    lines: Range<u32>,
    corners: Range<u32>,
}

/// Debug geometry sorted by depth mode.
#[derive(Clone, Debug, Default)]
struct SortedOverlays {
    lines: Vec<LineData>,
    corners: Vec<GpuCorner>,
    groups: Vec<DepthGroup>,
}

impl SortedOverlays {
    /// Sorts the content of a sink; layers without an entry are depth tested. The order within a layer is kept.
    fn new(debug: &DebugDraw, layer_depth: &[(Layer, Depth)]) -> Self {
        let depth_of =
            |layer: Layer| layer_depth.iter().find(|(l, _)| *l == layer).map_or(Depth::Tested, |(_, depth)| *depth);
        let mut out = Self::default();
        for depth in ORDER {
            let (first_line, first_corner) = (out.lines.len() as u32, out.corners.len() as u32);
            out.lines.extend(debug.lines.iter().filter(|l| depth_of(l.layer) == depth).map(|l| LineData {
                start: l.ends[0].extend(0.0).to_array(),
                end: l.ends[1].extend(0.0).to_array(),
                color: l.color,
            }));
            for triangle in debug.triangles.iter().filter(|t| depth_of(t.layer) == depth) {
                let corner = |p: glam::Vec3| GpuCorner { position: p.to_array(), color: triangle.color };
                out.corners.extend(triangle.points.map(corner));
            }
            let lines = first_line..out.lines.len() as u32;
            let corners = first_corner..out.corners.len() as u32;
            if !lines.is_empty() || !corners.is_empty() {
                out.groups.push(DepthGroup { depth, lines, corners });
            }
        }
        out
    }
}

/// The overlay geometry of a frame on the device, with its pipelines.
#[derive(Debug)]
pub struct OverlayLines {
    pipelines: OverlayPipelineSet,
    lines: GrowBuffer<LineData>,
    corners: GrowBuffer<GpuCorner>,
    line_group: wgpu::BindGroup,
    groups: Vec<DepthGroup>,
}

impl OverlayLines {
    /// Without geometry.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let PipelineContext { device, layouts, .. } = context;
        let lines = GrowBuffer::new(device, "overlay lines", BufferUsages::STORAGE, 1024);
        let corners = GrowBuffer::new(device, "overlay triangles", BufferUsages::VERTEX, 1024);
        let line_group = bind_buffers(device, "overlay lines", &layouts.lines, &[(0, lines.raw())]);
        Self { pipelines: OverlayPipelineSet::new(context, shaders), lines, corners, line_group, groups: Vec::new() }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipelines = OverlayPipelineSet::new(context, shaders);
    }

    /// Uploads the debug geometry of a frame.
    ///
    /// # Errors
    /// When the device cannot hold so much.
    pub fn upload(&mut self, upload: UploadContext<'_>, frame: &FrameData) -> Result<(), GpuError> {
        let UploadContext { device, queue, layouts } = upload;
        let sorted = SortedOverlays::new(&frame.debug, &frame.layer_depth);
        if self.lines.fill(device, queue, &sorted.lines)? {
            self.line_group = bind_buffers(device, "overlay lines", &layouts.lines, &[(0, self.lines.raw())]);
        }
        self.corners.fill(device, queue, &sorted.corners)?;
        self.groups = sorted.groups;
        Ok(())
    }

    /// Records it; bind group 0 is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>) {
        if self.groups.is_empty() {
            return;
        }
        pass.set_bind_group(1, &self.line_group, &[]);
        for group in &self.groups {
            for pipelines in self.pipelines.get(group.depth) {
                if !group.corners.is_empty() {
                    pass.set_pipeline(&pipelines.triangles);
                    pass.set_vertex_buffer(0, self.corners.raw().slice(..));
                    pass.draw(group.corners.clone(), 0..1);
                }
                if !group.lines.is_empty() {
                    pass.set_pipeline(&pipelines.lines);
                    pass.draw(0..4, group.lines.clone());
                }
            }
        }
    }

    /// The overlay pipelines.
    pub fn pipelines(&self) -> &OverlayPipelineSet {
        &self.pipelines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn layers_are_grouped_by_depth_mode() {
        let mut d = DebugDraw::wanting([Layer::NavPath, Layer::NavGround, Layer::LevelBox]);
        d.line(Layer::NavPath, Vec3::ZERO, Vec3::X, [1.0; 4]);
        d.line(Layer::LevelBox, Vec3::ZERO, Vec3::Y, [1.0; 4]);
        d.triangle(Layer::NavGround, [Vec3::ZERO, Vec3::X, Vec3::Z], [0.5; 4]);
        let sorted = SortedOverlays::new(&d, &[(Layer::NavPath, Depth::OnTop)]);
        let group = |depth, lines, corners| DepthGroup { depth, lines, corners };
        assert_eq!(sorted.groups, [group(Depth::Tested, 0..1, 0..3), group(Depth::OnTop, 1..2, 3..3)]);
        assert_eq!(sorted.lines[1].end, [1.0, 0.0, 0.0, 0.0]);
    }
}
