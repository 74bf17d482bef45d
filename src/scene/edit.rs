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
    /// Takes an instance out; whoever walked to it or followed it has no target then.
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

fn unique<K, T>(
    what: &'static str,
    arena: &Arena<K, Arc<T>>,
    own: Option<Id<K>>,
    name: &str,
    name_of: impl Fn(&T) -> &str,
) -> Result<(), EditError> {
    let taken = arena.iter().any(|(id, other)| Some(id) != own && name_of(other) == name);
    refuse(what, if taken { Err(RuleError::NameTaken { name: name.to_owned() }) } else { Ok(()) })
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
            Edit::AddModel(_) | Edit::SetModel { .. } | Edit::RemoveModel(_) => self.edit_model(edit, applied),
            Edit::AddLevel(_) | Edit::SetLevel { .. } | Edit::RemoveLevel(_) => self.edit_level(edit, applied),
            Edit::AddCamera(_) | Edit::SetCamera { .. } | Edit::RemoveCamera(_) => self.edit_camera(edit, applied),
            Edit::AddBehavior(_) | Edit::SetBehavior { .. } | Edit::RemoveBehavior(_) => {
                self.edit_behavior(edit, applied)
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
                room_for(WHAT, self.instances.len(), limits::INSTANCES_MAX)?;
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

    fn edit_model(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        const WHAT: &str = "model";
        let checked = |scene: &Self, own, to: &SceneModel| {
            refuse(WHAT, limits::check_model(to))?;
            unique(WHAT, &scene.models, own, &to.name, |m| &m.name)
        };
        match edit {
            Edit::AddModel(to) => {
                room_for(WHAT, self.models.len(), limits::ENTRIES_MAX)?;
                checked(self, None, to)?;
                applied.models.push(self.models.insert(Arc::new(to.clone())));
                Ok(())
            }
            Edit::SetModel { id, to } => {
                checked(self, Some(*id), to)?;
                replace(&mut self.models, *id, WHAT, Arc::new(to.clone()))
            }
            Edit::RemoveModel(id) if self.models.contains(*id) => {
                let of_model = self.instances.iter().filter(|(_, i)| i.model_id() == Some(*id));
                let gone = of_model.map(|(id, _)| id).collect();
                self.remove_instances(&gone);
                self.models.remove(*id);
                Ok(())
            }
            _ => Err(EditError::Gone { what: WHAT }),
        }
    }

    fn edit_level(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        const WHAT: &str = "level";
        let checked = |scene: &Self, own, to: &SceneLevel| {
            refuse(WHAT, limits::check_level(to))?;
            unique(WHAT, &scene.levels, own, &to.name, |l| &l.name)
        };
        match edit {
            Edit::AddLevel(to) => {
                room_for(WHAT, self.levels.len(), limits::ENTRIES_MAX)?;
                checked(self, None, to)?;
                applied.levels.push(self.levels.insert(Arc::new(to.clone())));
                Ok(())
            }
            Edit::SetLevel { id, to } => {
                checked(self, Some(*id), to)?;
                replace(&mut self.levels, *id, WHAT, Arc::new(to.clone()))
            }
            Edit::RemoveLevel(id) => self.levels.remove(*id).map(drop).ok_or(EditError::Gone { what: WHAT }),
            _ => Err(EditError::Gone { what: WHAT }),
        }
    }

    fn edit_camera(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        const WHAT: &str = "camera";
        let checked = |scene: &Self, own, to: &SceneCamera| {
            refuse(WHAT, limits::check_camera(to))?;
            unique(WHAT, &scene.cameras, own, &to.name, |c| &c.name)?;
            let gone = to.target.is_some_and(|id| !scene.instances.contains(id));
            refuse(WHAT, if gone { Err(RuleError::Dangling("follows an instance")) } else { Ok(()) })
        };
        match edit {
            Edit::AddCamera(to) => {
                room_for(WHAT, self.cameras.len(), limits::ENTRIES_MAX)?;
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
            Edit::RemoveCamera(id) => self.cameras.remove(*id).map(drop).ok_or(EditError::Gone { what: WHAT }),
            _ => Err(EditError::Gone { what: WHAT }),
        }
    }

    fn edit_behavior(&mut self, edit: &Edit, applied: &mut Applied) -> Result<(), EditError> {
        const WHAT: &str = "behaviour";
        let checked = |scene: &Self, own, to: &BehaviorGraph| {
            refuse(WHAT, limits::check_behavior(to))?;
            unique(WHAT, &scene.behaviors, own, &to.name, |b| &b.name)
        };
        match edit {
            Edit::AddBehavior(to) => {
                room_for(WHAT, self.behaviors.len(), limits::ENTRIES_MAX)?;
                checked(self, None, to)?;
                applied.behaviors.push(self.behaviors.insert(Arc::new(to.clone())));
                Ok(())
            }
            Edit::SetBehavior { id, to } => {
                checked(self, Some(*id), to)?;
                replace(&mut self.behaviors, *id, WHAT, Arc::new(to.clone()))
            }
            Edit::RemoveBehavior(id) if self.behaviors.remove(*id).is_some() => {
                for instance in self.instances.ids().collect::<Vec<_>>() {
                    if let Some(i) = self.instances.get_mut(instance).filter(|i| i.behavior == Some(*id)) {
                        Arc::make_mut(i).behavior = None;
                    }
                }
                Ok(())
            }
            _ => Err(EditError::Gone { what: WHAT }),
        }
    }
}

fn not_itself(id: InstanceId, target: Option<InstanceId>) -> Result<(), EditError> {
    refuse("instance", if target == Some(id) { Err(RuleError::OwnTarget) } else { Ok(()) })
}
