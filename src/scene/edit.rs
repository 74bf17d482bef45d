//! The one door to a scene: an [`Edit`] says what to change, [`Scene::apply`] does it or leaves the scene as it was.

use super::camera::SceneCamera;
use super::data::Scene;
use super::instance::SceneInstance;
use super::level::SceneLevel;
use super::limits::{self, Check};
use super::model::SceneModel;
use super::nav::SceneNav;
use super::rule::RuleError;
use super::settings::Settings;
use crate::behavior::graph::BehaviorGraph;
use crate::ids::{Arena, BehaviorId, CameraId, Id, InstanceId, LevelId, ModelId};
use crate::vocab::CameraKind;
use std::collections::HashSet;
use std::sync::Arc;
use thiserror::Error;

/// A change of the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Puts an instance at the end.
    AddInstance(SceneInstance),
    /// Replaces an instance's values.
    SetInstance {
        /// The instance.
        id: InstanceId,
        /// Its new values.
        to: Arc<SceneInstance>,
    },
    /// Takes an instance out; what walked to it or followed it has no target then.
    RemoveInstance(InstanceId),
    /// Sets where an instance walks to.
    SetTarget {
        /// The instance.
        id: InstanceId,
        /// Where it walks to.
        target: Option<InstanceId>,
    },
    /// Puts a model at the end of the list.
    AddModel(SceneModel),
    /// Replaces a model's values.
    SetModel {
        /// The model.
        id: ModelId,
        /// Its new values.
        to: SceneModel,
    },
    /// Takes a model out, and its instances.
    RemoveModel(ModelId),
    /// Puts a level at the end of the list.
    AddLevel(SceneLevel),
    /// Replaces a level's values.
    SetLevel {
        /// The level.
        id: LevelId,
        /// Its new values.
        to: SceneLevel,
    },
    /// Takes a level out.
    RemoveLevel(LevelId),
    /// Puts a camera at the end of the list.
    AddCamera(SceneCamera),
    /// Replaces a camera's values.
    SetCamera {
        /// The camera.
        id: CameraId,
        /// Its new values.
        to: SceneCamera,
    },
    /// Takes a camera out; not the first, the free camera.
    RemoveCamera(CameraId),
    /// Puts a behaviour template at the end of the list.
    AddBehavior(BehaviorGraph),
    /// Replaces a behaviour template.
    SetBehavior {
        /// The template.
        id: BehaviorId,
        /// Its new nodes and links.
        to: BehaviorGraph,
    },
    /// Takes a behaviour template out; its instances have none then.
    RemoveBehavior(BehaviorId),
    /// Replaces the settings.
    SetSettings(Settings),
    /// Replaces what the scene says about navigation meshes.
    SetNav(Box<SceneNav>),
    /// Several edits, all or none, in this order.
    Many(Vec<Edit>),
}

/// The ids that an edit brought into the scene, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// New instances.
    pub instances: Vec<InstanceId>,
    /// New models.
    pub models: Vec<ModelId>,
    /// New levels.
    pub levels: Vec<LevelId>,
    /// New cameras.
    pub cameras: Vec<CameraId>,
    /// New behaviour templates.
    pub behaviors: Vec<BehaviorId>,
}

/// Why an edit was not done; the scene is as it was.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EditError {
    /// The element is not in the scene.
    #[error("Not changed: the {what} is no longer in the scene. Select another and try again.")]
    Gone {
        /// "instance", "model" …
        what: &'static str,
    },
    /// The values break a rule.
    #[error("Not changed: the {what} {reason}.")]
    Refused {
        /// "instance", "model" …
        what: &'static str,
        /// What is wrong and what would be right.
        reason: RuleError,
    },
}

fn refuse(what: &'static str, check: Check) -> Result<(), EditError> {
    check.map_err(|reason| EditError::Refused { what, reason })
}

fn room_for(what: &'static str, len: usize, limit: usize) -> Result<(), EditError> {
    let full = len >= limit;
    refuse(what, if full { Err(RuleError::Full { limit }) } else { Ok(()) })
}

/// What a scene has a list of, with names of their own.
trait NamedEntry: Clone {
    const WHAT: &'static str;

    fn name(&self) -> &str;

    fn check(&self) -> Check;
}

/// Implements [`NamedEntry`] by the name of the kind and the check of its values.
macro_rules! named_entries {
    ($($entry:ty, $what:literal, $check:path;)*) => {$(
        impl NamedEntry for $entry {
            const WHAT: &'static str = $what;

            fn name(&self) -> &str {
                &self.name
            }

            fn check(&self) -> Check {
                $check(self)
            }
        }
    )*};
}

named_entries! {
    SceneModel, "model", limits::check_model;
    SceneLevel, "level", limits::check_level;
    SceneCamera, "camera", limits::check_camera;
    BehaviorGraph, "behaviour", limits::check_behavior;
}

fn check_entry<K, T: NamedEntry>(list: &Arena<K, Arc<T>>, own: Option<Id<K>>, to: &T) -> Result<(), EditError> {
    refuse(T::WHAT, to.check())?;
    let taken = list.iter().any(|(id, other)| Some(id) != own && other.name() == to.name());
    refuse(T::WHAT, if taken { Err(RuleError::NameTaken { name: to.name().to_owned() }) } else { Ok(()) })
}

fn add<K, T: NamedEntry>(list: &mut Arena<K, Arc<T>>, to: &T, added: &mut Vec<Id<K>>) -> Result<(), EditError> {
    room_for(T::WHAT, list.len(), limits::MAX_ENTRIES)?;
    check_entry(list, None, to)?;
    added.push(list.insert(Arc::new(to.clone())));
    Ok(())
}

fn set<K, T: NamedEntry>(list: &mut Arena<K, Arc<T>>, id: Id<K>, to: &T) -> Result<(), EditError> {
    check_entry(list, Some(id), to)?;
    replace(list, id, T::WHAT, Arc::new(to.clone()))
}

fn remove<K, T: NamedEntry>(list: &mut Arena<K, Arc<T>>, id: Id<K>) -> Result<(), EditError> {
    list.remove(id).map(drop).ok_or(EditError::Gone { what: T::WHAT })
}

fn replace<K, T>(arena: &mut Arena<K, Arc<T>>, id: Id<K>, what: &'static str, to: Arc<T>) -> Result<(), EditError> {
    *arena.get_mut(id).ok_or(EditError::Gone { what })? = to;
    Ok(())
}

impl Scene {
    /// Does `edit`, or leaves the scene as it was.
    ///
    /// # Errors
    /// The edit speaks of something that is gone, or of values that no scene may hold.
    pub fn apply(&mut self, edit: &Edit) -> Result<Applied, EditError> {
        let mut applied = Applied::default();
        if let Edit::Many(_) = edit {
            let mut after = self.clone();
            after.one(edit, &mut applied)?;
            *self = after;
        } else {
            self.one(edit, &mut applied)?;
        }
        Ok(applied)
    }

    /// Does one edit; each but `Many` checks everything before it changes anything.
    fn one(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        match edit {
            Edit::AddInstance(_) | Edit::SetInstance { .. } | Edit::RemoveInstance(_) | Edit::SetTarget { .. } => {
                self.edit_instance(edit, applied)
            }
            Edit::AddModel(to) => add(&mut self.models, to, &mut applied.models),
            Edit::SetModel { id, to } => set(&mut self.models, *id, to),
            Edit::RemoveModel(id) => {
                remove(&mut self.models, *id)?;
                let of_model = self.instances.iter().filter(|(_, i)| i.model_id() == Some(*id));
                let gone = of_model.map(|(id, _)| id).collect();
                self.remove_instances(&gone);
                Ok(())
            }
            Edit::AddLevel(to) => add(&mut self.levels, to, &mut applied.levels),
            Edit::SetLevel { id, to } => set(&mut self.levels, *id, to),
            Edit::RemoveLevel(id) => remove(&mut self.levels, *id),
            Edit::AddCamera(_) | Edit::SetCamera { .. } | Edit::RemoveCamera(_) => self.edit_camera(edit, applied),
            Edit::AddBehavior(to) => add(&mut self.behaviors, to, &mut applied.behaviors),
            Edit::SetBehavior { id, to } => set(&mut self.behaviors, *id, to),
            Edit::RemoveBehavior(id) => {
                remove(&mut self.behaviors, *id)?;
                for instance in self.instances.ids().collect::<Vec<_>>() {
                    if let Some(i) = self.instances.get_mut(instance).filter(|i| i.behavior == Some(*id)) {
                        Arc::make_mut(i).behavior = None;
                    }
                }
                Ok(())
            }
            Edit::SetSettings(to) => {
                refuse("settings", limits::check_settings(to))?;
                self.settings = Arc::new(to.clone());
                Ok(())
            }
            Edit::SetNav(to) => {
                refuse("navigation", limits::check_nav(to))?;
                self.nav = Arc::new((**to).clone());
                Ok(())
            }
            Edit::Many(edits) => self.many(edits, applied),
        }
    }

    /// Does several edits, one after the other; instances that go one after the other go at once.
    fn many(&mut self, edits: &[Edit], applied: &mut Applied) -> Result<(), EditError> {
        let removes_instance = |edit: &Edit| matches!(edit, Edit::RemoveInstance(_));
        for run in edits.chunk_by(|a, b| removes_instance(a) && removes_instance(b)) {
            if run.len() == 1 {
                self.one(&run[0], applied)?;
                continue;
            }
            let mut gone = HashSet::with_capacity(run.len());
            for edit in run {
                if let Edit::RemoveInstance(id) = edit
                    && !(self.instances.contains(*id) && gone.insert(*id))
                {
                    return Err(EditError::Gone { what: "instance" });
                }
            }
            self.remove_instances(&gone);
        }
        Ok(())
    }

    fn edit_instance(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        const WHAT: &str = "instance";
        let checked = |scene: &Self, to: &SceneInstance| {
            refuse(WHAT, limits::check_instance(to).and_then(|()| scene.check_references(to)))
        };
        match edit {
            Edit::AddInstance(to) => {
                room_for(WHAT, self.instances.len(), limits::MAX_INSTANCES)?;
                checked(self, to)?;
                applied.instances.push(self.instances.insert(Arc::new(to.clone())));
                Ok(())
            }
            Edit::SetInstance { id, to } => {
                checked(self, to)?;
                not_itself(*id, to.target)?;
                replace(&mut self.instances, *id, WHAT, Arc::clone(to))
            }
            Edit::SetTarget { id, target } => {
                not_itself(*id, *target)?;
                if target.is_some_and(|target| !self.instances.contains(target)) {
                    return Err(EditError::Gone { what: "target" });
                }
                Arc::make_mut(self.instances.get_mut(*id).ok_or(EditError::Gone { what: WHAT })?).target = *target;
                Ok(())
            }
            Edit::RemoveInstance(id) if self.instances.contains(*id) => {
                self.remove_instances(&HashSet::from([*id]));
                Ok(())
            }
            _ => Err(EditError::Gone { what: WHAT }),
        }
    }

    /// Takes instances out and clears what pointed at them.
    fn remove_instances(&mut self, gone: &HashSet<InstanceId>) {
        // In the order of the scene: which slots are used next must not depend on chance.
        let ids: Vec<_> = self.instances.ids().filter(|id| gone.contains(id)).collect();
        self.instances.remove_all(ids);
        let lost = |target: Option<InstanceId>| target.is_some_and(|t| gone.contains(&t));
        let astray: Vec<_> = self.instances.iter().filter(|(_, i)| lost(i.target)).map(|(id, _)| id).collect();
        for id in astray {
            if let Some(instance) = self.instances.get_mut(id) {
                Arc::make_mut(instance).target = None;
            }
        }
        let astray: Vec<_> = self.cameras.iter().filter(|(_, c)| lost(c.target)).map(|(id, _)| id).collect();
        for id in astray {
            if let Some(camera) = self.cameras.get_mut(id) {
                Arc::make_mut(camera).target = None;
            }
        }
    }

    fn edit_camera(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        const WHAT: &str = SceneCamera::WHAT;
        let checked = |scene: &Self, own, to: &SceneCamera| {
            check_entry(&scene.cameras, own, to)?;
            let gone = to.target.is_some_and(|id| !scene.instances.contains(id));
            refuse(WHAT, if gone { Err(RuleError::Dangling("follows an instance")) } else { Ok(()) })
        };
        match edit {
            Edit::AddCamera(to) => {
                room_for(WHAT, self.cameras.len(), limits::MAX_ENTRIES)?;
                checked(self, None, to)?;
                applied.cameras.push(self.cameras.insert(Arc::new(to.clone())));
                Ok(())
            }
            Edit::SetCamera { id, to } => {
                checked(self, Some(*id), to)?;
                if self.cameras.at(0) == Some(*id) && to.kind != CameraKind::Free {
                    return refuse(WHAT, Err(RuleError::FirstCamera("which stays a free camera")));
                }
                replace(&mut self.cameras, *id, WHAT, Arc::new(to.clone()))
            }
            Edit::RemoveCamera(id) if self.cameras.at(0) == Some(*id) => {
                refuse(WHAT, Err(RuleError::FirstCamera("the free camera, and cannot be deleted")))
            }
            Edit::RemoveCamera(id) => remove(&mut self.cameras, *id),
            _ => Err(EditError::Gone { what: WHAT }),
        }
    }
}

fn not_itself(id: InstanceId, target: Option<InstanceId>) -> Result<(), EditError> {
    refuse("instance", if target == Some(id) { Err(RuleError::OwnTarget) } else { Ok(()) })
}
