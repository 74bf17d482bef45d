//! Drags the handles of what is selected. A drag is one step of the history; with Ctrl it goes by quarters of a metre,
//! by 15 degrees and by tenths of the size; numbers that are typed meanwhile count in place of the cursor, and Escape
//! puts all back. With Shift,
//! copies are dragged. All that is selected goes along, about the one that was selected last.

use super::App;
use super::gizmo::{Gizmo, Handle};
use super::tool::ground_at;
use crate::camera::View;
use crate::ids::InstanceId;
use crate::math::Ray;
use crate::scene::SceneInstance;
use crate::scene::edit::Edit;
use crate::scene::limits::SCALE_RANGE;
use crate::ui::ViewportInput;
use crate::ui::command::EditStep;
use glam::{EulerRot, Quat, Vec2, Vec3};

/// Steps with Ctrl.
pub(super) const STEP_M: f32 = 0.25;
pub(super) const STEP_DEG: f32 = 15.0;
const STEP_SCALE: f32 = 0.1;
/// Smallest scale that a drag leads to.
const SCALE_MIN: f32 = 0.01;
/// Key under which the edits of a drag become one.
const MERGE: u64 = 0x6769_7a6d;
/// Most characters of a number that is typed.
const TYPED_MAX: usize = 12;
/// Movement of the first that counts as a drag, metres, degrees and shares; copies are made only then.
const MOVED: f32 = 1e-3;

/// What is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub struct GizmoDrag {
    handle: Handle,
    /// The handles as they lay when the drag began.
    gizmo: Gizmo,
    /// The dragged instances, as when the drag began; the handles stand on the first.
    start: Vec<(InstanceId, SceneInstance)>,
    /// Where along the axis, or at which angle (radians), the cursor was then.
    from: f32,
    /// Where the cursor met the plane of the handle then.
    from_at: Vec3,
    /// What is typed while it is dragged.
    typed: String,
    /// Whether copies are to be dragged that are not made yet.
    copies: bool,
}

/// What a drag does to all dragged instances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// Metres, world space.
    pub by: Vec3,
    /// Unit axis of the turn, world space.
    pub axis: Vec3,
    /// How far about it, degrees.
    pub turn_deg: f32,
    /// Factor.
    pub scale: f32,
}

impl Change {
    /// What changes nothing.
    pub const NONE: Self = Self { by: Vec3::ZERO, axis: Vec3::Y, turn_deg: 0.0, scale: 1.0 };

    /// The instances after the change, about the first of them; `None` where that is not finite.
    pub fn of_all(&self, start: &[(InstanceId, SceneInstance)]) -> Option<Vec<(InstanceId, SceneInstance)>> {
        let pivot = start.first()?.1.position;
        let turn = Quat::from_axis_angle(self.axis, self.turn_deg.to_radians());
        let one = |start: &SceneInstance| {
            let mut to = start.clone();
            to.position = pivot + turn * ((start.position - pivot) * self.scale) + self.by;
            to.rotation_deg = turned(to.rotation_deg, self.axis, self.turn_deg);
            to.scale = (to.scale * self.scale).clamp(SCALE_RANGE[0], SCALE_RANGE[1]);
            to
        };
        let all: Vec<_> = start.iter().map(|(id, start)| (*id, one(start))).collect();
        let finite =
            |to: &SceneInstance| to.position.is_finite() && to.rotation_deg.is_finite() && to.scale.is_finite();
        all.iter().all(|(_, to)| finite(to)).then_some(all)
    }
}

/// Euler angles of an instance, degrees, after it was turned about an axis in world space.
fn turned(rotation_deg: Vec3, axis: Vec3, turn_deg: f32) -> Vec3 {
    let full = |deg: f32| (deg + 180.0).rem_euclid(360.0) - 180.0;
    if turn_deg == 0.0 {
        return rotation_deg;
    }
    if axis == Vec3::Y && rotation_deg.z == 0.0 {
        // Without a turn about z, those about the up axis just add: the others stay as they are, to the bit.
        return rotation_deg.with_y(full(rotation_deg.y + turn_deg));
    }
    let [x, y, z] = rotation_deg.to_array().map(f32::to_radians);
    let turn = Quat::from_axis_angle(axis, turn_deg.to_radians()) * Quat::from_euler(EulerRot::ZYX, z, y, x);
    let (z, y, x) = turn.normalize().to_euler(EulerRot::ZYX);
    Vec3::new(x, y, z).map(f32::to_degrees)
}

pub(super) fn snapped(value: f32, step: f32, snap: bool) -> f32 {
    if snap { (value / step).round() * step } else { value }
}

impl GizmoDrag {
    /// The instances as a ray drags the handle; `ground` is where the ray meets the ground.
    fn moved(&self, ray: &Ray, ground: Option<Vec3>, snap: bool) -> Option<(Change, Vec<(InstanceId, SceneInstance)>)> {
        let pivot = &self.start.first()?.1;
        let change = self.change(pivot, ray, ground, snap)?;
        change.of_all(&self.start).map(|all| (change, all))
    }

    fn change(&self, pivot: &SceneInstance, ray: &Ray, ground: Option<Vec3>, snap: bool) -> Option<Change> {
        let mut change = Change::NONE;
        let gizmo = &self.gizmo;
        let numbers = self.numbers();
        let typed = numbers.first().copied();
        match self.handle {
            Handle::Axis(axis) => {
                let along = match typed {
                    Some(metres) => metres,
                    None => self.on_grid(axis, gizmo.measure(self.handle, ray)? - self.from, snap),
                };
                change.by = gizmo.axes[axis] * along;
            }
            // Along the axes of the plane in their order, or along all three: what is not typed is nothing.
            Handle::Plane(across) if typed.is_some() => {
                for (axis, metres) in (0..3).filter(|axis| *axis != across).zip(numbers) {
                    change.by += gizmo.axes[axis] * metres;
                }
            }
            Handle::Free if typed.is_some() => {
                change.by = gizmo.axes.iter().zip(numbers).map(|(axis, metres)| *axis * metres).sum();
            }
            Handle::Plane(across) => {
                let by = gizmo.meets(self.handle, ray)? - self.from_at;
                for axis in (0..3).filter(|axis| *axis != across) {
                    change.by += gizmo.axes[axis] * self.on_grid(axis, by.dot(gizmo.axes[axis]), snap);
                }
            }
            Handle::Free => {
                let by = gizmo.meets(self.handle, ray)? - self.from_at;
                for axis in 0..3 {
                    change.by += gizmo.axes[axis] * self.on_grid(axis, by.dot(gizmo.axes[axis]), snap);
                }
            }
            Handle::Ground => {
                let at = ground?;
                let at = Vec3::new(snapped(at.x, STEP_M, snap), at.y, snapped(at.z, STEP_M, snap));
                change.by = at - pivot.position;
            }
            Handle::Turn(axis) => {
                change.axis = gizmo.axes[axis];
                // About the up axis to round headings, else by round angles.
                let start = if change.axis == Vec3::Y { pivot.rotation_deg.y } else { 0.0 };
                let by = match typed {
                    Some(degrees) => degrees,
                    None => {
                        let now = gizmo.measure(self.handle, ray)?;
                        snapped(start + (now - self.from).to_degrees(), STEP_DEG, snap) - start
                    }
                };
                change.turn_deg = (by + 180.0).rem_euclid(360.0) - 180.0;
            }
            Handle::Scale => {
                let scale = match typed {
                    Some(factor) => pivot.scale * factor,
                    None => {
                        let now = gizmo.measure(self.handle, ray)?;
                        snapped(pivot.scale * (now / self.from).max(0.0), STEP_SCALE, snap)
                    }
                };
                change.scale = scale.max(SCALE_MIN) / pivot.scale;
            }
        }
        Some(change)
    }

    /// A way along an axis, by steps: to round places along the axes of the world, else by round lengths.
    fn on_grid(&self, axis: usize, by: f32, snap: bool) -> f32 {
        let start = if self.gizmo.axes == Vec3::AXES { self.gizmo.at[axis] } else { 0.0 };
        snapped(start + by, STEP_M, snap) - start
    }

    /// How many numbers the handle takes.
    fn takes(&self) -> usize {
        match self.handle {
            Handle::Plane(_) => 2,
            Handle::Free => 3,
            Handle::Axis(_) | Handle::Turn(_) | Handle::Scale | Handle::Ground => 1,
        }
    }

    /// The numbers that were typed; none while the first is none yet.
    fn numbers(&self) -> Vec<f32> {
        let number = |text: &str| text.parse::<f32>().ok().filter(|value| value.is_finite());
        self.typed.split(' ').map_while(number).collect()
    }

    /// Takes a character that was typed, if it belongs to a number or parts two.
    fn type_in(&mut self, character: char) {
        let begin = self.typed.rfind(' ').map_or(0, |space| space + 1);
        let number = &self.typed[begin..];
        let room = number.len() < TYPED_MAX;
        match character {
            '0'..='9' if room => self.typed.push(character),
            '.' | ',' if room && !number.contains('.') => self.typed.push('.'),
            // A sign counts wherever it is typed.
            '-' if number.starts_with('-') => drop(self.typed.remove(begin)),
            '-' if room => self.typed.insert(begin, '-'),
            ' ' if !number.is_empty() && self.typed.split(' ').count() < self.takes() => self.typed.push(' '),
            _ => {}
        }
    }

    /// What the drag has done so far, for people.
    fn text(&self, change: &Change, now: &SceneInstance) -> Option<String> {
        let start = &self.start.first()?.1;
        let by = now.position - start.position;
        let axes = ["X", "Y", "Z"];
        let text = match self.handle {
            Handle::Axis(axis) => format!("{} {:+.2} m", axes[axis], by.dot(self.gizmo.axes[axis])),
            Handle::Plane(_) | Handle::Free | Handle::Ground => format!("{:+.2}  {:+.2}  {:+.2} m", by.x, by.y, by.z),
            Handle::Turn(axis) => format!("{} {:+.1}°", axes[axis], change.turn_deg),
            Handle::Scale => format!("× {:.2}", now.scale / start.scale),
        };
        let typed = if self.typed.is_empty() { String::new() } else { format!("   typed: {}", self.typed) };
        Some(text + &typed)
    }
}

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

    /// Notes that a drag in the picture begins, which Escape takes back.
    pub(super) fn begin_drag(&mut self) {
        self.history.begin_drag();
        self.before_drag = Some((self.group.clone(), self.ui.nav_tools.clone()));
    }

    /// Puts back what was there before the drag in the picture. The button counts as let go until it is.
    fn cancel_drag(&mut self) {
        (self.gizmo_drag, self.ui.marquee, self.drag_cancelled) = (None, None, true);
        let state = self.history.cancel_drag();
        if let Some((group, nav_tools)) = self.before_drag.take() {
            self.ui.nav_tools = nav_tools;
            if let Some(state) = state {
                self.put_back(state);
                self.group = group;
            }
        }
        self.autosave_pending = false;
    }

    /// Takes what was done in the picture to the handles; says whether they had it.
    pub(super) fn use_gizmo(&mut self, viewport: &ViewportInput, view: &View, scale: f32) -> bool {
        let size = viewport.rect.size() * scale;
        let size = Vec2::new(size.x, size.y);
        let px = |p: egui::Pos2| {
            let at = (p - viewport.rect.min) * scale;
            Vec2::new(at.x, at.y)
        };
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
    pub(super) fn as_seen(&self, first: InstanceId, turned: bool) -> Vec<(InstanceId, SceneInstance)> {
        let mut all = self.chosen();
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

    /// Puts copies where the drag began, selects them and drags them in place of what was selected.
    fn copy_dragged(&mut self, gizmo_drag: &mut GizmoDrag) {
        gizmo_drag.copies = false;
        // The one that the handles stand on comes last: what is added last is selected.
        gizmo_drag.start.rotate_left(1);
        let before = self.scene.instances.len();
        let ids: Vec<InstanceId> = gizmo_drag.start.iter().map(|one| one.0).collect();
        let name = format!("copy {}", self.name_of_all(&ids));
        let edits = gizmo_drag.start.iter().map(|(_, start)| Edit::AddInstance(start.clone())).collect();
        self.edit(EditStep { name, edit: Edit::Many(edits), merge: None });
        let made: Vec<InstanceId> = self.scene.instances.ids().skip(before).collect();
        for (start, id) in gizmo_drag.start.iter_mut().zip(made) {
            start.0 = id;
        }
        gizmo_drag.start.rotate_right(1);
        if let Some((first, _)) = gizmo_drag.start.first() {
            // The way that they are dragged belongs to the same step.
            self.history.join(MERGE ^ first.to_bits());
        }
        self.reconcile();
    }

    fn drag(&mut self, gizmo_drag: &mut GizmoDrag, ray: &Ray, snap: bool) {
        let ground = ground_at(&self.world, ray);
        let Some((change, mut all)) = gizmo_drag.moved(ray, ground, snap) else { return };
        self.ui.drag_text = all.first().and_then(|(_, now)| gizmo_drag.text(&change, now));
        if gizmo_drag.copies {
            let (start, now) = (&gizmo_drag.start[0].1, &all[0].1);
            let differs = change.turn_deg.abs().max((now.scale - start.scale).abs());
            if now.position.distance(start.position).max(differs) < MOVED {
                return;
            }
            self.copy_dragged(gizmo_drag);
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
    pub(super) fn drag_to(&mut self, what: &str, all: Vec<(InstanceId, SceneInstance)>) {
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
        let hot = self.gizmo_drag.as_ref().map(|gizmo_drag| gizmo_drag.handle).or(self.hovered_handle);
        Some((self.gizmo(view)?.1, hot))
    }

    /// The handle under the cursor.
    pub(super) fn hover_gizmo(&mut self, viewport: &ViewportInput, view: &View, scale: f32) {
        let size = viewport.rect.size() * scale;
        self.hovered_handle = viewport.hover.and_then(|at| {
            let at = (at - viewport.rect.min) * scale;
            let (_, gizmo) = self.gizmo(view)?;
            gizmo.under(view, Vec2::new(at.x, at.y), Vec2::new(size.x, size.y), scale)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Lens;
    use crate::ids::Arena;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    fn view() -> View {
        View::new(Vec3::new(3.0, 4.0, 8.0), Vec3::new(-3.0, -4.0, -8.0), Lens::Perspective { fov_rad: 1.0 }, 4.0 / 3.0)
    }

    fn ray(to: Vec3) -> Ray {
        view().ray_through(view().project(to, SIZE).unwrap(), SIZE)
    }

    /// A drag of two instances: one at the origin, turned by 10 degrees, one a metre ahead of it.
    fn gizmo_drag(handle: Handle, from: Vec3) -> GizmoDrag {
        let gizmo = Gizmo::new(Vec3::ZERO, Vec3::AXES, &view());
        let (from, from_at) = (gizmo.measure(handle, &ray(from)).unwrap(), gizmo.meets(handle, &ray(from)).unwrap());
        let mut ids = Arena::default();
        let first = SceneInstance { rotation_deg: Vec3::Y * 10.0, ..SceneInstance::default() };
        let second = SceneInstance { position: Vec3::Z, scale: 2.0, ..SceneInstance::default() };
        let start = vec![(ids.insert(()), first), (ids.insert(()), second)];
        GizmoDrag { handle, gizmo, start, from, from_at, typed: String::new(), copies: false }
    }

    fn dragged(handle: Handle, from: Vec3, to: Vec3, snap: bool) -> [SceneInstance; 2] {
        let (_, all) = gizmo_drag(handle, from).moved(&ray(to), Some(to), snap).unwrap();
        [all[0].1.clone(), all[1].1.clone()]
    }

    #[test]
    fn arrows_move_along_their_axis_by_what_the_cursor_goes() {
        let [to, other] = dragged(Handle::Axis(0), Vec3::X, Vec3::X * 2.1, false);
        assert!(to.position.abs_diff_eq(Vec3::X * 1.1, 1e-2), "{}", to.position);
        assert!(other.position.abs_diff_eq(Vec3::X * 1.1 + Vec3::Z, 1e-2), "the other goes along");
        let [to, _] = dragged(Handle::Axis(0), Vec3::X, Vec3::X * 2.1, true);
        assert!(to.position.abs_diff_eq(Vec3::X, 1e-4), "by quarters of a metre: {}", to.position);
        let [to, _] = dragged(Handle::Axis(1), Vec3::Y * 0.5, Vec3::Y * 1.5, false);
        assert!(to.position.abs_diff_eq(Vec3::Y, 1e-2));
    }

    #[test]
    fn the_middle_follows_the_ground_and_the_ring_turns() {
        let ground = Vec3::new(1.3, 0.4, -2.0);
        assert_eq!(dragged(Handle::Ground, Vec3::ZERO, ground, false)[0].position, ground);
        // From +Z to +X is a quarter turn.
        let [to, other] = dragged(Handle::Turn(1), Vec3::Z, Vec3::X, false);
        assert!((to.rotation_deg.y - 100.0).abs() < 0.5 && to.position == Vec3::ZERO, "{}", to.rotation_deg);
        assert!(other.position.abs_diff_eq(Vec3::X, 1e-2), "the other goes round the first");
        assert!((dragged(Handle::Turn(1), Vec3::Z, Vec3::X, true)[0].rotation_deg.y - 105.0).abs() < 1e-3);
    }

    #[test]
    fn the_other_rings_tilt_about_their_axes() {
        // From +Y to +Z is a quarter turn about +X.
        let [to, other] = dragged(Handle::Turn(0), Vec3::Y, Vec3::Z, true);
        let up = |of: &SceneInstance| of.world_from_model().transform_vector3(Vec3::Y).normalize();
        assert!(up(&to).abs_diff_eq(Vec3::Z, 1e-3), "{}", to.rotation_deg);
        assert!(other.position.abs_diff_eq(Vec3::NEG_Y, 1e-3), "the other goes round the first: {}", other.position);
        let [to, _] = dragged(Handle::Turn(2), Vec3::X, Vec3::Y, true);
        assert!(up(&to).abs_diff_eq(Vec3::NEG_X, 1e-3), "{}", to.rotation_deg);
        assert_eq!(turned(Vec3::new(7.0, 170.0, 0.0), Vec3::Y, 20.0), Vec3::new(7.0, -170.0, 0.0));
        let tilted = Vec3::new(10.0, 20.0, 30.0);
        assert!(turned(turned(tilted, Vec3::Z, 50.0), Vec3::Z, -50.0).abs_diff_eq(tilted, 1e-3));
    }

    #[test]
    fn the_knob_scales_all_about_the_first() {
        let [to, other] = dragged(Handle::Scale, Vec3::Y, Vec3::Y * 1.5, false);
        assert!((to.scale - 1.5).abs() < 0.02 && to.position == Vec3::ZERO, "{}", to.scale);
        assert!((other.scale - 3.0).abs() < 0.04 && other.position.abs_diff_eq(Vec3::Z * 1.5, 0.02));
        assert!((dragged(Handle::Scale, Vec3::Y, Vec3::Y * 1.52, true)[0].scale - 1.5).abs() < 1e-4);
        let [to, _] = dragged(Handle::Scale, Vec3::Y, Vec3::NEG_Y, false);
        assert!((to.scale - SCALE_MIN).abs() < 1e-6, "never nothing, never inside out: {}", to.scale);
    }

    #[test]
    fn squares_move_within_their_plane_and_the_diamond_across_the_view() {
        let [to, _] = dragged(Handle::Plane(1), Vec3::new(0.5, 0.0, 0.5), Vec3::new(1.5, 0.0, -0.5), false);
        assert!(to.position.abs_diff_eq(Vec3::new(1.0, 0.0, -1.0), 1e-2), "{}", to.position);
        let [to, _] = dragged(Handle::Plane(0), Vec3::new(0.0, 0.5, 0.5), Vec3::new(0.0, 1.6, 0.5), true);
        assert!(to.position.abs_diff_eq(Vec3::Y, 1e-4), "by quarters: {}", to.position);
        let [to, _] = dragged(Handle::Free, Vec3::ZERO, Vec3::X, false);
        assert!(to.position.dot(view().direction).abs() < 1e-3 && to.position.x > 0.5, "{}", to.position);
    }

    #[test]
    fn a_typed_number_counts_in_place_of_the_cursor() {
        let typed = |handle, text: &str| {
            let mut gizmo_drag = gizmo_drag(handle, Vec3::new(0.6, 0.8, 0.6));
            text.chars().for_each(|character| gizmo_drag.type_in(character));
            gizmo_drag.moved(&ray(Vec3::new(0.2, 0.9, 0.1)), None, false).unwrap().1[0].1.clone()
        };
        assert!(typed(Handle::Axis(0), "2.5-").position.abs_diff_eq(Vec3::X * -2.5, 1e-5));
        assert!((typed(Handle::Turn(1), "9x0").rotation_deg.y - 100.0).abs() < 1e-3);
        assert!((typed(Handle::Scale, "1,5").scale - 1.5).abs() < 1e-5);
        assert!(typed(Handle::Plane(1), "2.5 x-1").position.abs_diff_eq(Vec3::new(2.5, 0.0, -1.0), 1e-5));
        assert!(typed(Handle::Plane(0), " 4").position.abs_diff_eq(Vec3::Y * 4.0, 1e-5), "the rest is nothing");
        assert!(typed(Handle::Free, "1 -,5  3 9").position.abs_diff_eq(Vec3::new(1.0, -0.5, 39.0), 1e-5));
        assert!((typed(Handle::Scale, "-").scale - typed(Handle::Scale, "").scale).abs() < 1e-6, "no number yet");
    }

    #[test]
    fn local_axes_are_followed() {
        let mut gizmo_drag = gizmo_drag(Handle::Axis(0), Vec3::ZERO);
        gizmo_drag.gizmo.axes = [Vec3::NEG_Z, Vec3::Y, Vec3::X];
        gizmo_drag.typed = "2".into();
        let to = gizmo_drag.moved(&ray(Vec3::ZERO), None, false).unwrap();
        assert!(to.1[0].1.position.abs_diff_eq(Vec3::NEG_Z * 2.0, 1e-5));
    }

    #[test]
    fn a_ray_along_an_axis_moves_nothing() {
        let along = Ray { origin: Vec3::X * 9.0, direction: Vec3::NEG_X };
        assert!(gizmo_drag(Handle::Axis(0), Vec3::X).moved(&along, None, false).is_none());
    }
}
