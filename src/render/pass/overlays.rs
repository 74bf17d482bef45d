//! Draws debug geometry: lines of an even width and filled triangles, each layer with its own way with depth.

use crate::debug::{DebugDraw, Depth, Layer};
use crate::gpu::{GpuError, GrowBuffer};
use crate::render::layouts::{Layouts, buffers_group};
use crate::render::pipelines::Pipelines;
use crate::render::types::{GpuCorner, Line};
use std::ops::Range;
use wgpu::BufferUsages;

/// In this order they are drawn.
const ORDER: [Depth; 3] = [Depth::Tested, Depth::Dimmed, Depth::OnTop];

/// Debug geometry, sorted by its way with depth.
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    /// Lines.
    pub lines: Vec<Line>,
    /// Corners of triangles.
    pub corners: Vec<GpuCorner>,
    /// Which lines and corners go which way.
    pub groups: Vec<(Depth, Range<u32>, Range<u32>)>,
}

impl Sorted {
    /// Sorts the content of a sink; layers that are not named are tested. Order within a layer stays.
    pub fn new(debug: &DebugDraw, layer_depth: &[(Layer, Depth)]) -> Self {
        let depth_of =
            |layer: Layer| layer_depth.iter().find(|(l, _)| *l == layer).map_or(Depth::Tested, |(_, depth)| *depth);
        let mut out = Self::default();
        for depth in ORDER {
            let (first_line, first_corner) = (out.lines.len() as u32, out.corners.len() as u32);
            out.lines.extend(debug.lines.iter().filter(|l| depth_of(l.layer) == depth).map(|l| Line {
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
                out.groups.push((depth, lines, corners));
            }
        }
        out
    }
}

/// The overlays of a frame on the device.
#[derive(Debug)]
pub struct Overlays {
    lines: GrowBuffer<Line>,
    corners: GrowBuffer<GpuCorner>,
    group: wgpu::BindGroup,
    groups: Vec<(Depth, Range<u32>, Range<u32>)>,
}

impl Overlays {
    /// Nothing to draw yet.
    pub fn new(device: &wgpu::Device, layouts: &Layouts) -> Self {
        let lines = GrowBuffer::new(device, "overlay lines", BufferUsages::STORAGE, 1024);
        let corners = GrowBuffer::new(device, "overlay triangles", BufferUsages::VERTEX, 1024);
        let group = buffers_group(device, "overlay lines", &layouts.lines, &[(0, lines.raw())]);
        Self { lines, corners, group, groups: Vec::new() }
    }

    /// Takes over the debug geometry of a frame.
    ///
    /// # Errors
    /// When the device cannot hold so much.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layouts: &Layouts,
        sorted: Sorted,
    ) -> Result<(), GpuError> {
        if self.lines.fill(device, queue, &sorted.lines)? {
            self.group = buffers_group(device, "overlay lines", &layouts.lines, &[(0, self.lines.raw())]);
        }
        self.corners.fill(device, queue, &sorted.corners)?;
        self.groups = sorted.groups;
        Ok(())
    }

    /// Records them; the frame's bind group is set already.
    pub fn record(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        if self.groups.is_empty() {
            return;
        }
        pass.set_bind_group(1, &self.group, &[]);
        for (depth, lines, corners) in &self.groups {
            for overlay in pipelines.overlay(*depth) {
                if !corners.is_empty() {
                    pass.set_pipeline(&overlay.triangles);
                    pass.set_vertex_buffer(0, self.corners.raw().slice(..));
                    pass.draw(corners.clone(), 0..1);
                }
                if !lines.is_empty() {
                    pass.set_pipeline(&overlay.lines);
                    pass.draw(0..4, lines.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn layers_are_grouped_by_their_way_with_depth() {
        let mut d = DebugDraw::wanting([Layer::NavPath, Layer::NavGround, Layer::LevelBox]);
        d.line(Layer::NavPath, Vec3::ZERO, Vec3::X, [1.0; 4]);
        d.line(Layer::LevelBox, Vec3::ZERO, Vec3::Y, [1.0; 4]);
        d.triangle(Layer::NavGround, [Vec3::ZERO, Vec3::X, Vec3::Z], [0.5; 4]);
        let sorted = Sorted::new(&d, &[(Layer::NavPath, Depth::OnTop)]);
        assert_eq!(sorted.groups, [(Depth::Tested, 0..1, 0..3), (Depth::OnTop, 1..2, 3..3)]);
        assert_eq!(sorted.lines[1].end, [1.0, 0.0, 0.0, 0.0]);
    }
}
