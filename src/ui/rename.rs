//! The name of an instance or a camera while it is changed.

use super::command::Command;
use super::edits;
use super::names::instance_name;
use crate::ids::{CameraId, InstanceId};
use crate::scene::edit::Edit;
use crate::scene::{Scene, SceneCamera, SceneInstance};

/// Longest name that is typed, letters.
pub const MAX_NAME_LETTERS: usize = 100;

/// What has a name that can be changed in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A camera.
    Camera(CameraId),
    /// An instance.
    Instance(InstanceId),
}

/// A name that is being changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// What is renamed.
    pub named: Named,
    /// What is typed.
    pub(super) text: String,
    /// Whether the field was shown.
    pub(super) shown: bool,
}

impl Rename {
    /// Begins with the name as it is.
    pub fn of(scene: &Scene, named: Named) -> Self {
        let text = match named {
            Named::Camera(id) => scene.cameras.get(id).map(|camera| camera.name.clone()),
            Named::Instance(id) => scene.instances.get(id).map(|instance| instance.name.clone()),
        };
        Self { named, text: text.unwrap_or_default(), shown: false }
    }

    /// The step that gives the new name, without spaces at its ends; `None` when it is the old one, or none at all for a camera.
    pub(super) fn step(&self, scene: &Scene) -> Option<Command> {
        let text = self.text.trim();
        match self.named {
            Named::Camera(id) => {
                let camera = scene.cameras.get(id).filter(|camera| !text.is_empty() && camera.name != text)?;
                let to = SceneCamera { name: text.to_owned(), ..(**camera).clone() };
                Some(edits::command(format!("rename camera {}", camera.name), Edit::SetCamera { id, to }))
            }
            Named::Instance(id) => {
                let instance = scene.instances.get(id).filter(|instance| instance.name != text)?;
                let to = SceneInstance { name: text.to_owned(), ..(**instance).clone() };
                Some(edits::set_instance(format!("rename {}", instance_name(scene, id)), id, "name", to))
            }
        }
    }
}
