//! Builds the edits that panels ask for, with names for the Edit menu and keys that join a drag into one step.

use super::UiContext;
use super::command::{Command, EditStep};
use crate::behavior::graph::BehaviorGraph;
use crate::ids::{BehaviorId, CameraId, Id, InstanceId, LevelId, ModelId};
use crate::nav::doctor::{Mend, UpAxis};
use crate::scene::edit::Edit;
use crate::scene::{Scene, SceneCamera, SceneInstance, SceneLevel, SceneModel, SceneNav, Settings};
use glam::Vec3;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The same for all edits of one field of one thing.
fn merge_key(field: &str, bits: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (field, bits).hash(&mut hasher);
    hasher.finish()
}

fn step(name: impl Into<String>, edit: Edit, merge: Option<u64>) -> Command {
    Command::Edit(Box::new(EditStep { name: name.into(), edit, merge }))
}

/// A change that is always a step of its own.
pub fn command(name: impl Into<String>, edit: Edit) -> Command {
    step(name, edit, None)
}

/// Takes a camera out.
pub fn remove_camera(id: CameraId, camera: &SceneCamera) -> EditStep {
    EditStep { name: format!("remove camera {}", camera.name), edit: Edit::RemoveCamera(id), merge: None }
}

/// A level in the unit, or with the axis up, that mends it, and what the button says that does; `None` of another mend, and of a
/// level that is turned already.
pub fn placed_anew(level: &SceneLevel, mend: &Mend) -> Option<(String, SceneLevel)> {
    let mut to = level.clone();
    let label = match mend {
        Mend::Scale(factor) => {
            to.scale *= factor;
            format!("Scale by {factor}")
        }
        Mend::StandUp(axis) if !level.swap_axes && level.rotation_deg == Vec3::ZERO => {
            match axis {
                UpAxis::Y => return None,
                UpAxis::Z => to.swap_axes = true,
                UpAxis::MinusZ => to.rotation_deg.x = 90.0,
                UpAxis::X => to.rotation_deg.z = 90.0,
                UpAxis::MinusX => to.rotation_deg.z = -90.0,
            }
            "Stand it up".to_owned()
        }
        _ => return None,
    };
    Some((label, to))
}

/// A change of one thing; those of the same field of the same thing become one step.
fn of<K>(name: String, id: Id<K>, field: &str, edit: Edit) -> Command {
    step(name, edit, Some(merge_key(field, id.to_bits())))
}

/// Changes all that is selected; `field` joins the edits of a drag.
pub fn change_chosen(what: String, cx: &UiContext<'_>, field: &str, change: impl Fn(&mut SceneInstance)) -> Command {
    let changed = |id: &InstanceId| {
        let mut to = SceneInstance::clone(cx.scene.instances.get(*id)?);
        change(&mut to);
        // No instance walks to itself.
        to.target = to.target.filter(|target| target != id);
        Some(Edit::SetInstance { id: *id, to: Arc::new(to) })
    };
    let edits = cx.chosen.iter().filter_map(changed).collect();
    let key = cx.chosen.iter().fold(0, |sum: u64, id| sum.rotate_left(5) ^ id.to_bits());
    step(what, Edit::Many(edits), Some(merge_key(field, key)))
}

/// A place or the angles of one of several instances of which the shown one goes from `before` to `to`: those that are where it is go
/// where it goes, exactly, and all others as far.
pub fn moved_along(one: Vec3, before: Vec3, to: Vec3) -> Vec3 {
    Vec3::select(one.cmpeq(before), to, one + (to - before))
}

/// Sets an instance; `field` joins the edits of a drag.
pub fn set_instance(what: String, id: InstanceId, field: &str, to: SceneInstance) -> Command {
    of(what, id, field, Edit::SetInstance { id, to: Arc::new(to) })
}

/// Gives all instances of a model a behaviour, or none.
pub fn set_model_behavior(scene: &Scene, model: ModelId, behavior: Option<BehaviorId>) -> Command {
    let of_model = scene.instances.iter().filter(|(_, instance)| instance.model_id() == Some(model));
    let set = |(id, instance): (InstanceId, &Arc<SceneInstance>)| {
        let to = SceneInstance { behavior, ..SceneInstance::clone(instance) };
        Edit::SetInstance { id, to: Arc::new(to) }
    };
    let edit = Edit::Many(of_model.map(set).collect());
    let name = scene.models.get(model).map_or("the model", |m| m.name.as_str());
    command(format!("give all of {name} a behaviour"), edit)
}

/// Sets a behaviour template; `field` joins the edits of a drag.
pub fn set_behavior(what: String, id: BehaviorId, field: &str, to: BehaviorGraph) -> Command {
    of(what, id, field, Edit::SetBehavior { id, to })
}

/// Sets a model; `field` joins the edits of a drag.
pub fn set_model(what: String, id: ModelId, field: &str, to: SceneModel) -> Command {
    of(what, id, field, Edit::SetModel { id, to })
}

/// Sets a camera; `field` joins the edits of a drag.
pub fn set_camera(what: String, id: CameraId, field: &str, to: SceneCamera) -> Command {
    of(what, id, field, Edit::SetCamera { id, to })
}

/// Sets a level; `field` joins the edits of a drag.
pub fn set_level(what: String, id: LevelId, field: &str, to: SceneLevel) -> Command {
    of(what, id, field, Edit::SetLevel { id, to })
}

/// Sets the global settings; `field` joins the edits of a drag.
pub fn set_settings(what: &str, field: &str, to: Settings) -> Command {
    step(what, Edit::SetSettings(to), Some(merge_key(field, 0)))
}

/// A change of what the scene says about navigation meshes; `field` joins the edits of a drag.
pub fn nav_step(name: impl Into<String>, field: Option<&str>, to: SceneNav) -> EditStep {
    EditStep { name: name.into(), edit: Edit::SetNav(Box::new(to)), merge: field.map(|field| merge_key(field, 1)) }
}

/// Sets what the scene says about navigation meshes; `field` joins the edits of a drag.
pub fn set_nav(name: impl Into<String>, field: &str, to: SceneNav) -> Command {
    Command::Edit(Box::new(nav_step(name, Some(field), to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_what_the_scene_holds() {
        let (before, to) = (Vec3::new(123_456.78, 3.3, 7.0), Vec3::new(5.3, 1.1, 7.0));
        assert_eq!(moved_along(before, before, to), to);
        let other = Vec3::new(1.0, 3.3, 2.0);
        assert_eq!(moved_along(other, before, to).to_array()[1..], [1.1, 2.0]);
        assert!((moved_along(other, before, to).x - (1.0 + 5.3 - 123_456.78)).abs() < 0.1);
    }

    #[test]
    fn whatever_axis_is_up_in_a_file_comes_to_be_up() {
        let placed = |level: &SceneLevel, axis| placed_anew(level, &Mend::StandUp(axis)).map(|(_, to)| to);
        for (axis, along) in
            [(UpAxis::Z, Vec3::Z), (UpAxis::MinusZ, -Vec3::Z), (UpAxis::X, Vec3::X), (UpAxis::MinusX, -Vec3::X)]
        {
            let to = placed(&SceneLevel::default(), axis).unwrap();
            let up = to.world_from_model().transform_vector3(along);
            assert!(up.abs_diff_eq(Vec3::Y, 1e-5), "{axis:?}: {up}");
            assert_eq!(placed(&to, axis), None, "it is turned already");
        }
    }
}
