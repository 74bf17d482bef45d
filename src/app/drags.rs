//! Drags in the viewport, of handles and with the middle button: what they do to the selected instances.

use super::gizmo::{Gizmo, Handle};
use super::gizmo_drag::{GizmoDrag, MERGE, MOVED};
use super::middle_drag::{MiddleDrag, change};
use super::pick::ground_at;
use super::state::App;
use crate::camera::View;
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::scene::SceneInstance;
use crate::scene::edit::Edit;
use crate::ui::command::EditStep;
use crate::ui::viewport_input::MiddleDragMode;
use crate::ui::{Mode, ViewportInput};
use glam::{Vec2, Vec3};

impl App {
    /// The handles of what is selected: in edit mode, without a tool.
    fn gizmo(&self, view: &View) -> Option<(InstanceId, Gizmo)> {
        let id = self.selection.instance?;
        let edits = self.ui.mode == crate::ui::Mode::Edit && self.ui.nav_tools.tool == crate::ui::nav_tools::Tool::None;
        let live = self.world.live(id).filter(|_| edits)?;
        let axes = if self.ui.local_axes { self.axes_of(id, live) } else { Vec3::AXES };
        Some((id, Gizmo::new(live.now.position, axes, view)))
    }

    /// The axes of an instance as it stands, in world space.
    fn axes_of(&self, id: InstanceId, live: &crate::sim::InstanceState) -> [Vec3; 3] {
        let Some(instance) = self.scene.instances.get(id) else { return Vec3::AXES };
        let placed = crate::render::extract::place(instance, Some(live), 1.0);
        let axes = [placed.x_axis, placed.y_axis, placed.z_axis].map(|axis| axis.truncate().try_normalize());
        match axes {
            [Some(x), Some(y), Some(z)] => [x, y, z],
            _ => Vec3::AXES,
        }
    }

    /// While something is dragged, numbers that are typed belong to the drag.
    pub(super) fn type_into_drag(&mut self, ctx: &egui::Context) {
        let escape =
            |event: &egui::Event| matches!(event, egui::Event::Key { key: egui::Key::Escape, pressed: true, .. });
        let drags = self.gizmo_drag.is_some() || self.history.is_dragging() || self.ui.marquee.is_some();
        if drags && ctx.input(|input| input.events.iter().any(escape)) {
            ctx.input_mut(|input| input.events.retain(|event| !escape(event)));
            self.cancel_drag();
        }
        let Some(gizmo_drag) = &mut self.gizmo_drag else {
            self.ui.drag_text = None;
            return;
        };
        ctx.input_mut(|input| {
            for event in &input.events {
                if let egui::Event::Text(text) = event {
                    text.chars().for_each(|character| gizmo_drag.type_in(character));
                }
                if matches!(event, egui::Event::Key { key: egui::Key::Backspace, pressed: true, .. }) {
                    gizmo_drag.typed.pop();
                }
            }
            // Nothing that is typed means a command meanwhile.
            input.events.retain(|event| !matches!(event, egui::Event::Text(_) | egui::Event::Key { .. }));
        });
    }

    /// Applies viewport input to the transform handles. Returns whether they took it.
    pub(super) fn use_gizmo(&mut self, viewport: &ViewportInput, view: &View, scale: f32) -> bool {
        let size = viewport.size_px(scale);
        let px = |p: egui::Pos2| viewport.picture_px(p, scale);
        if let Some(at) = viewport.press {
            self.gizmo_drag = self.gizmo(view).and_then(|(id, gizmo)| {
                let handle = gizmo.under(view, px(at), size, scale)?;
                let gizmo_drag = self.grab(id, handle, &gizmo, &view.ray_through(px(at), size))?;
                Some(GizmoDrag { copies: viewport.shift, ..gizmo_drag })
            });
            if self.gizmo_drag.is_some() {
                self.begin_drag();
            }
        }
        let Some(mut gizmo_drag) = self.gizmo_drag.take() else { return false };
        if let Some(at) = viewport.drag {
            self.drag(&mut gizmo_drag, &view.ray_through(px(at), size), viewport.command);
        }
        let held = viewport.release.is_none() && viewport.click.is_none() && viewport.press.or(viewport.drag).is_some();
        self.gizmo_drag = held.then_some(gizmo_drag);
        true
    }

    /// All selected instances, `first` first, as the world has them now: where they stand, and, if `turned`, how they
    /// are turned.
    fn as_seen(&self, first: InstanceId, turned: bool) -> Vec<(InstanceId, SceneInstance)> {
        let mut all = self.selected();
        all.retain(|other| *other != first);
        all.insert(0, first);
        let seen = |id: InstanceId| {
            let live = self.world.live(id)?;
            let mut start = (**self.scene.instances.get(id)?).clone();
            start.position = live.now.position;
            if turned {
                start.rotation_deg.y = live.now.yaw_rad.to_degrees();
            }
            Some((id, start))
        };
        all.into_iter().filter_map(seen).collect()
    }

    /// All selected instances, as the world has them now: a drag begins where they are drawn.
    fn grab(&self, id: InstanceId, handle: Handle, gizmo: &Gizmo, ray: &Ray) -> Option<GizmoDrag> {
        let from = gizmo.measure(handle, ray)?;
        // Too near to the middle, every small move would scale without bound.
        let usable = handle != Handle::Scale || from > 1e-3;
        let from_at = gizmo.meets(handle, ray)?;
        usable.then(|| GizmoDrag {
            handle,
            gizmo: *gizmo,
            start: self.as_seen(id, matches!(handle, Handle::Turn(_))),
            from,
            from_at,
            typed: String::new(),
            copies: false,
        })
    }

    /// Puts copies where the drag began, selects them and drags them in place of what was selected. Returns whether there are any: the scene
    /// may be full.
    fn copy_dragged(&mut self, gizmo_drag: &mut GizmoDrag) -> bool {
        gizmo_drag.copies = false;
        // The one that the handles stand on comes last: what is added last is selected.
        gizmo_drag.start.rotate_left(1);
        let ids: Vec<InstanceId> = gizmo_drag.start.iter().map(|one| one.0).collect();
        let name = format!("copy {}", self.name_of_all(&ids));
        let edits = gizmo_drag.start.iter().map(|(_, start)| Edit::AddInstance(start.clone())).collect();
        let added = self.apply(EditStep { name, edit: Edit::Many(edits), merge: None });
        for (start, id) in gizmo_drag.start.iter_mut().zip(added.iter().flat_map(|added| &added.instances)) {
            start.0 = *id;
        }
        gizmo_drag.start.rotate_right(1);
        if added.is_none() {
            return false;
        }
        if let Some((first, _)) = gizmo_drag.start.first() {
            // The way that they are dragged belongs to the same step.
            self.history.join(MERGE ^ first.to_bits());
        }
        self.reconcile();
        true
    }

    fn drag(&mut self, gizmo_drag: &mut GizmoDrag, ray: &Ray, snap: bool) {
        // What is dragged over the ground stands on it.
        let height = gizmo_drag.start.first().map_or(0.0, |(_, first)| self.origin_height(first));
        let ground = ground_at(&self.world, ray).map(|at| at + Vec3::Y * height);
        let Some((change, mut all)) = gizmo_drag.moved(ray, ground, snap) else { return };
        self.ui.drag_text = all.first().and_then(|(_, now)| gizmo_drag.text(&change, now));
        if gizmo_drag.copies {
            let (start, now) = (&gizmo_drag.start[0].1, &all[0].1);
            let differs = change.turn_deg.abs().max((now.scale - start.scale).abs());
            if now.position.distance(start.position).max(differs) < MOVED {
                return;
            }
            if !self.copy_dragged(gizmo_drag) {
                // What was selected stays where it is.
                gizmo_drag.copies = true;
                return;
            }
            all.iter_mut().zip(&gizmo_drag.start).for_each(|(one, start)| one.0 = start.0);
        }
        self.drag_to(
            match gizmo_drag.handle {
                Handle::Turn(_) => "turn",
                Handle::Scale => "scale",
                Handle::Axis(_) | Handle::Plane(_) | Handle::Free | Handle::Ground => "move",
            },
            all,
        );
    }

    /// Applies what a drag leads to; all of a drag is one step.
    fn drag_to(&mut self, what: &str, all: Vec<(InstanceId, SceneInstance)>) {
        let differs =
            |(id, to): &(InstanceId, SceneInstance)| self.scene.instances.get(*id).is_some_and(|i| **i != *to);
        if !all.iter().any(differs) {
            return;
        }
        let ids: Vec<InstanceId> = all.iter().map(|one| one.0).collect();
        let name = format!("{what} {}", self.name_of_all(&ids));
        let merge = Some(MERGE ^ ids[0].to_bits());
        let mut edits: Vec<Edit> = all.into_iter().map(|(id, to)| Edit::SetInstance { id, to: to.into() }).collect();
        let edit = if edits.len() == 1 { edits.remove(0) } else { Edit::Many(edits) };
        self.edit(EditStep { name, edit, merge });
    }

    /// The handles that are shown, and which of them is lit: the one held, or else the one under the cursor.
    pub(super) fn shown_gizmo(&self, view: &View) -> Option<(Gizmo, Option<Handle>)> {
        let hovered = self.gizmo_drag.as_ref().map(|gizmo_drag| gizmo_drag.handle).or(self.hovered_handle);
        Some((self.gizmo(view)?.1, hovered))
    }

    /// The handle under the cursor.
    pub(super) fn hover_gizmo(&mut self, viewport: &ViewportInput, view: &View, scale: f32) {
        self.hovered_handle = viewport.hover.and_then(|at| {
            let (_, gizmo) = self.gizmo(view)?;
            gizmo.under(view, viewport.picture_px(at, scale), viewport.size_px(scale), scale)
        });
    }

    /// Takes what the middle button did in the picture.
    pub(super) fn use_middle_drag(&mut self, viewport: &ViewportInput, view: &View) {
        let selected = self.selection.instance.filter(|_| self.ui.mode == Mode::Edit && self.gizmo_drag.is_none());
        if let Some(id) = selected.filter(|_| viewport.middle_drag_begins) {
            let start = self.as_seen(id, self.ui.middle_drag == MiddleDragMode::Turn);
            self.begin_drag();
            self.middle_drag = Some(MiddleDrag { start, travel: Vec2::ZERO });
        }
        // Escape takes it back, and the end of the drag ends it.
        let Some(mut middle_drag) = self.middle_drag.take().filter(|_| self.history.is_dragging()) else { return };
        let travel = Vec2::new(viewport.middle_drag.x, viewport.middle_drag.y);
        middle_drag.travel += travel;
        if let Some((_, first)) = middle_drag.start.first().filter(|_| travel != Vec2::ZERO) {
            let size = Vec2::new(viewport.rect.width(), viewport.rect.height()).max(Vec2::ONE);
            let far = view.position.distance(first.position);
            let at = |point: Vec2| {
                let ray = view.ray_through(point, size);
                ray.origin + ray.direction.normalize_or_zero() * far
            };
            let metres = at(size * 0.5).distance(at(size * 0.5 + Vec2::X));
            let (mode, held) = (self.ui.middle_drag, (viewport.shift, viewport.command));
            let change = change(mode, middle_drag.travel, metres, view.direction, held.0, held.1);
            let what = match mode {
                MiddleDragMode::Move => "move",
                MiddleDragMode::Turn => "turn",
                MiddleDragMode::Scale => "scale",
            };
            if let Some(all) = change.of_all(&middle_drag.start) {
                self.drag_to(what, all);
            }
        }
        self.middle_drag = Some(middle_drag);
    }
}
