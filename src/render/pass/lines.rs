//! Overlay geometry: anti-aliased lines of constant width in the picture and filled triangles, grouped by depth mode.

use crate::debug::{DebugDraw, DebugLine, DebugTriangle, Depth, Layer, LineStyle};
use crate::gpu::{GpuError, GrowBuffer};
use crate::render::frame::FrameData;
use crate::render::layouts::bind_buffers;
use crate::render::pipeline::{DepthWrite, PipelineContext, PipelineSpec, depth_state, flag};
use crate::render::shaders::ShaderModules;
use crate::render::types::{GpuCorner, LineData};
use crate::render::upload::UploadContext;
use glam::Vec3;
use std::ops::Range;
use std::sync::OnceLock;
use wgpu::{BufferUsages, CompareFunction, ShaderModule};

/// Least width of a line in pixels: thinner ones would flicker.
const MIN_WIDTH_PX: f32 = 1.5;
/// Parts of a pixel in which widths and shifts are counted.
const PX_PARTS: f32 = 16.0;
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
    solid: OnceLock<wgpu::RenderPipeline>,
}

impl OverlayPipelineSet {
    fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        Self {
            context: context.clone(),
            module: shaders.lines.clone(),
            in_front: OnceLock::new(),
            occluded: OnceLock::new(),
            on_top: OnceLock::new(),
            solid: OnceLock::new(),
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

    /// The pipeline of triangles that hide what lies behind them.
    fn solid(&self) -> &wgpu::RenderPipeline {
        let depth = depth_state(CompareFunction::GreaterEqual, DepthWrite::On);
        self.solid.get_or_init(|| self.pipeline(("overlay solids", "vs_triangle"), depth, 1.0))
    }

    fn create(&self, compare: CompareFunction, opacity: f64) -> OverlayPipelines {
        let depth = || depth_state(compare, DepthWrite::Off);
        OverlayPipelines {
            lines: self.pipeline(("overlay lines", "vs_line"), depth(), opacity),
            spheres: self.pipeline(("overlay spheres", "vs_sphere"), depth(), opacity),
            triangles: self.pipeline(("overlay triangles", "vs_triangle"), depth(), opacity),
        }
    }

    /// A pipeline by its label and the entry point of its vertex shader.
    fn pipeline(
        &self,
        (label, vertex): (&str, &str),
        depth: Option<wgpu::DepthStencilState>,
        opacity: f64,
    ) -> wgpu::RenderPipeline {
        let PipelineContext { device, layouts, quality, .. } = &self.context;
        let of_triangles = vertex == "vs_triangle";
        let spec = PipelineSpec {
            vertex,
            buffers: if of_triangles { &[Some(GpuCorner::LAYOUT)] } else { &[] },
            constants: &[
                ("OPACITY", opacity),
                ("SPHERE_STYLE", f64::from(pack(LineStyle::default(), 1.0))),
                ("SHOWN_TARGET", flag(quality.is_display_referred())),
            ],
            target: Some(quality.light_format()),
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth,
            topology: if of_triangles {
                wgpu::PrimitiveTopology::TriangleList
            } else {
                wgpu::PrimitiveTopology::TriangleStrip
            },
            samples: quality.samples(),
            ..PipelineSpec::full_screen(label, &self.module)
        };
        spec.create(device, &[&layouts.frame, &layouts.lines])
    }
}

/// Width and shift of a line on a display of `scale` pixels per point, as the shader reads them.
fn pack(style: LineStyle, scale: f32) -> u32 {
    let width = ((style.width * scale).max(MIN_WIDTH_PX) * PX_PARTS).round() as u16;
    let shift = (style.shift * scale * PX_PARTS).round() as i16;
    u32::from(shift.cast_unsigned()) << 16 | u32::from(width)
}

/// Lines and triangles of one depth mode.
#[derive(Clone, Debug, PartialEq)]
struct DepthGroup {
    depth: Depth,
    lines: Range<u32>,
    /// Of triangles that hide what lies behind them; they come first.
    solid: Range<u32>,
    /// Of all others.
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
    /// Sorts the content of a sink in place of what it held, seen from an eye; layers without an entry are depth tested. The order within
    /// a layer is kept.
    fn fill(&mut self, debug: &DebugDraw, layer_depth: &[(Layer, Depth)], eye: Vec3, scale: f32) {
        let depth_of =
            |layer: Layer| layer_depth.iter().find(|(l, _)| *l == layer).map_or(Depth::Tested, |(_, depth)| *depth);
        let out = self;
        out.lines.clear();
        out.corners.clear();
        out.groups.clear();
        for depth in ORDER {
            let (first_line, first_corner) = (out.lines.len() as u32, out.corners.len() as u32);
            let of_depth = |l: &&DebugLine| l.style.depth.unwrap_or_else(|| depth_of(l.layer)) == depth;
            out.lines.extend(debug.lines.iter().filter(of_depth).map(|l| LineData {
                start: (l.ends[0] - eye).to_array(),
                style: pack(l.style, scale),
                end: (l.ends[1] - eye).to_array(),
                spacing: l.style.spacing,
                color: l.color,
            }));
            let is_solid = |t: &DebugTriangle| depth == Depth::Tested && t.color[3] >= 1.0;
            let mut first_clear = first_corner;
            for solid in [true, false] {
                let of_group = |t: &&DebugTriangle| depth_of(t.layer) == depth && is_solid(t) == solid;
                for triangle in debug.triangles.iter().filter(of_group) {
                    let corner = |p: Vec3| GpuCorner { position: (p - eye).to_array(), color: triangle.color };
                    out.corners.extend(triangle.points.map(corner));
                }
                first_clear = if solid { out.corners.len() as u32 } else { first_clear };
            }
            let lines = first_line..out.lines.len() as u32;
            let (solid, corners) = (first_corner..first_clear, first_clear..out.corners.len() as u32);
            if !(lines.is_empty() && solid.is_empty() && corners.is_empty()) {
                out.groups.push(DepthGroup { depth, lines, solid, corners });
            }
        }
    }

    /// Leaves out what comes after so many lines and corners of triangles. Returns whether there was any.
    fn cut(&mut self, most_lines: usize, most_corners: usize) -> bool {
        let most_corners = most_corners / 3 * 3;
        let is_cut = self.lines.len() > most_lines || self.corners.len() > most_corners;
        self.lines.truncate(most_lines);
        self.corners.truncate(most_corners);
        let (lines, corners) = (self.lines.len() as u32, self.corners.len() as u32);
        for group in &mut self.groups {
            for (range, end) in [(&mut group.lines, lines), (&mut group.solid, corners), (&mut group.corners, corners)]
            {
                *range = range.start.min(end)..range.end.min(end);
            }
        }
        is_cut
    }
}

/// The overlay geometry of a frame on the device, with its pipelines.
#[derive(Debug)]
pub struct OverlayLines {
    pipelines: OverlayPipelineSet,
    lines: GrowBuffer<LineData>,
    corners: GrowBuffer<GpuCorner>,
    line_group: wgpu::BindGroup,
    /// What was uploaded last; kept for its memory, too.
    sorted: SortedOverlays,
    /// Whether the device could not hold all of it, which is said once.
    is_cut: bool,
}

impl OverlayLines {
    /// Without geometry.
    pub fn new(context: &PipelineContext, shaders: &ShaderModules) -> Self {
        let PipelineContext { device, layouts, .. } = context;
        let lines = GrowBuffer::new(device, "overlay lines", BufferUsages::STORAGE, 1024);
        let corners = GrowBuffer::new(device, "overlay triangles", BufferUsages::VERTEX, 1024);
        let line_group = bind_buffers(device, "overlay lines", &layouts.lines, &[(0, lines.raw())]);
        let pipelines = OverlayPipelineSet::new(context, shaders);
        Self { pipelines, lines, corners, line_group, sorted: SortedOverlays::default(), is_cut: false }
    }

    /// Replaces the pipelines.
    pub fn reload(&mut self, context: &PipelineContext, shaders: &ShaderModules) {
        self.pipelines = OverlayPipelineSet::new(context, shaders);
    }

    /// Uploads the debug geometry of a frame. What the device cannot hold of it is not drawn, and a line in the log says so.
    ///
    /// # Errors
    /// When a buffer cannot be written.
    pub fn upload(&mut self, upload: UploadContext<'_>, frame: &FrameData) -> Result<(), GpuError> {
        let UploadContext { device, queue, layouts } = upload;
        self.sorted.fill(&frame.debug, &frame.layer_depth, frame.camera.position, frame.line_scale);
        let was_cut = self.is_cut;
        self.is_cut = self.sorted.cut(self.lines.most(device), self.corners.most(device));
        if self.is_cut && !was_cut {
            let (lines, triangles) = (frame.debug.lines.len(), frame.debug.triangles.len());
            tracing::warn!(
                "Overlays of {lines} lines and {triangles} triangles are more than the graphics device holds; the last are not \
                 drawn. Switch some overlays off."
            );
        }
        if self.lines.fill(device, queue, &self.sorted.lines)? {
            self.line_group = bind_buffers(device, "overlay lines", &layouts.lines, &[(0, self.lines.raw())]);
        }
        self.corners.fill(device, queue, &self.sorted.corners)?;
        Ok(())
    }

    /// Records it; bind group 0 is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>) {
        if self.sorted.groups.is_empty() {
            return;
        }
        pass.set_bind_group(1, &self.line_group, &[]);
        for group in &self.sorted.groups {
            if !group.solid.is_empty() {
                pass.set_pipeline(self.pipelines.solid());
                pass.set_vertex_buffer(0, self.corners.raw().slice(..));
                pass.draw(group.solid.clone(), 0..1);
            }
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

    fn sorted_overlays(debug: &DebugDraw, layer_depth: &[(Layer, Depth)], scale: f32) -> SortedOverlays {
        let mut sorted = SortedOverlays::default();
        sorted.fill(debug, layer_depth, Vec3::ZERO, scale);
        sorted
    }

    #[test]
    fn layers_are_grouped_by_depth_mode() {
        let mut d = DebugDraw::wanting([Layer::NavPath, Layer::NavGround, Layer::LevelBox]);
        d.line(Layer::NavPath, Vec3::ZERO, Vec3::X, [1.0; 4]);
        d.line(Layer::LevelBox, Vec3::ZERO, Vec3::Y, [1.0; 4]);
        d.triangle(Layer::NavGround, [Vec3::ZERO, Vec3::X, Vec3::Z], [0.5; 4]);
        let sorted = sorted_overlays(&d, &[(Layer::NavPath, Depth::OnTop)], 1.0);
        let group = |depth, lines, corners: [u32; 3]| {
            let [solid, clear, end] = corners;
            DepthGroup { depth, lines, solid: solid..clear, corners: clear..end }
        };
        assert_eq!(sorted.groups, [group(Depth::Tested, 0..1, [0, 0, 3]), group(Depth::OnTop, 1..2, [3, 3, 3])]);
        d.triangle(Layer::NavGround, [Vec3::ZERO, Vec3::X, Vec3::Y], [1.0; 4]);
        let sorted = sorted_overlays(&d, &[(Layer::NavPath, Depth::OnTop)], 1.0);
        assert_eq!(sorted.groups[0], group(Depth::Tested, 0..1, [0, 3, 6]), "what hides others comes first");
        assert_eq!(sorted.corners[0].color, [1.0; 4]);
        assert_eq!(sorted.lines[1].end, [1.0, 0.0, 0.0]);
        let mut again = sorted.clone();
        again.fill(&d, &[(Layer::NavPath, Depth::OnTop)], Vec3::ZERO, 1.0);
        assert_eq!(
            (again.groups.clone(), again.lines.len(), again.corners.len()),
            (sorted.groups, 2, 6),
            "nothing of before"
        );
        again.fill(&d, &[], Vec3::new(2.0, 0.0, 0.0), 1.0);
        assert_eq!(again.lines[0].start, [-2.0, 0.0, 0.0], "as seen from the eye");
    }

    #[test]
    fn what_a_device_cannot_hold_is_left_out() {
        let mut d = DebugDraw::wanting([Layer::NavPath, Layer::NavGround]);
        for x in 0..4 {
            let end = Vec3::X * x as f32;
            d.line(Layer::NavPath, Vec3::ZERO, end, [1.0; 4]);
            d.triangle(Layer::NavGround, [Vec3::ZERO, Vec3::Y, end], [0.5; 4]);
        }
        let whole = sorted_overlays(&d, &[(Layer::NavPath, Depth::OnTop)], 1.0);
        let mut cut = whole.clone();
        assert!(!cut.cut(4, 12) && cut.groups == whole.groups && cut.lines.len() == 4);
        assert!(cut.cut(3, 8));
        assert_eq!((cut.lines.len(), cut.corners.len()), (3, 6), "whole triangles");
        assert_eq!((cut.groups[0].corners.clone(), cut.groups[1].lines.clone()), (0..6, 0..3));
        assert!(cut.cut(0, 0) && cut.groups.iter().all(|group| group.lines.is_empty() && group.corners.is_empty()));
    }

    #[test]
    fn lines_keep_their_width_on_every_display_and_never_vanish() {
        let unpack = |style: LineStyle, scale: f32| {
            let packed = pack(style, scale);
            [(packed & 0xffff) as f32 / PX_PARTS, f32::from((packed >> 16) as u16 as i16) / PX_PARTS]
        };
        let style = LineStyle { width: 3.0, shift: -4.0, ..LineStyle::default() };
        assert_eq!(unpack(style, 1.0), [3.0, -4.0]);
        assert_eq!(unpack(style, 2.0), [6.0, -8.0]);
        assert_eq!(unpack(LineStyle { width: 0.1, ..style }, 1.0)[0], MIN_WIDTH_PX);
    }

    #[test]
    fn a_line_may_treat_depth_in_another_way_than_its_layer() {
        let mut d = DebugDraw::wanting([Layer::NavPath]);
        d.line(Layer::NavPath, Vec3::ZERO, Vec3::X, [1.0; 4]);
        let style = LineStyle { depth: Some(Depth::Dimmed), ..LineStyle::default() };
        d.styled_line(Layer::NavPath, [Vec3::ZERO, Vec3::Y], [1.0; 4], style);
        let depths: Vec<Depth> = sorted_overlays(&d, &[], 1.0).groups.iter().map(|group| group.depth).collect();
        assert_eq!(depths, [Depth::Tested, Depth::Dimmed]);
    }
}
