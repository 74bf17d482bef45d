//! Names of things for people.

use crate::asset::import::EXTENSIONS;
use crate::ids::InstanceId;
use crate::scene::instance::ModelRef;
use crate::scene::{Scene, SceneInstance};
use crate::sim::NavStatus;
use crate::vocab::MoveState;
use std::collections::{BTreeSet, HashMap};

/// Name of the model that an instance shows, without the extension of a file; "?" where there is none.
pub fn model_name<'a>(scene: &'a Scene, instance: &'a SceneInstance) -> &'a str {
    match scene.model_name(instance) {
        "" => "?",
        name => without_extension(name),
    }
}

/// A name without the extension of a model file.
pub fn without_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && EXTENSIONS.contains(&end.to_lowercase().as_str()) => stem,
        _ => name,
    }
}

/// A text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Name of an instance whose number among those of its model is known: its own, else its model and number, "Man 3".
fn title(scene: &Scene, instance: &SceneInstance, number: u32) -> String {
    if instance.name.is_empty() { format!("{} {number}", model_name(scene, instance)) } else { instance.name.clone() }
}

/// Name of an instance: its own, else its model and its number among those of that model, from 1: "Man 3".
pub fn instance_name(scene: &Scene, id: InstanceId) -> String {
    let Some(instance) = scene.instances.get(id) else { return "nothing".into() };
    if !instance.name.is_empty() {
        return instance.name.clone();
    }
    let before = scene.instances.iter().take_while(|(other, _)| *other != id);
    let number = 1 + before.filter(|(_, other)| other.model == instance.model).count();
    title(scene, instance, number as u32)
}

/// What an action that interrupts a walk does, "Walking, now picking up"; none for a character that walks on or has nowhere to go.
pub fn interrupted_walk(nav: &NavStatus, state: MoveState) -> Option<String> {
    let action = match state {
        MoveState::Idle | MoveState::Walk | MoveState::Run => return None,
        MoveState::Hop => "hopping",
        MoveState::Jump => "jumping",
        MoveState::Punch => "punching",
        MoveState::Pick => "picking up",
        MoveState::Roll => "rolling",
        MoveState::Kick => "kicking",
        MoveState::Interact => "interacting",
        MoveState::Wave => "waving",
    };
    (*nav == NavStatus::Walking).then(|| format!("Walking, now {action}"))
}

/// A name for some instances: "Man 3", "Man 3 and 4 more".
pub fn name_of_all<'a>(scene: &Scene, ids: impl IntoIterator<Item = &'a InstanceId>) -> String {
    let mut ids = ids.into_iter();
    let name = ids.next().map_or("nothing".into(), |id| instance_name(scene, *id));
    match ids.count() {
        0 => name,
        more => format!("{name} and {more} more"),
    }
}

/// An instance with its number among those of its model, from 1.
#[derive(Clone, Copy, Debug)]
pub struct NumberedInstance<'a> {
    /// Which.
    pub id: InstanceId,
    /// What the scene says of it.
    pub instance: &'a SceneInstance,
    /// Its number.
    pub number: u32,
}

impl NumberedInstance<'_> {
    /// Its name: its own, else its model and number, "Man 3".
    pub fn title(&self, scene: &Scene) -> String {
        title(scene, self.instance, self.number)
    }
}

/// All instances in order with their numbers among those of their model.
pub fn numbered(scene: &Scene) -> Vec<NumberedInstance<'_>> {
    // By the slots of the models' ids; models that are missing have names alone.
    let mut known: Vec<u32> = Vec::new();
    let mut missing: HashMap<&str, u32> = HashMap::new();
    let mut rows = Vec::with_capacity(scene.instances.len());
    for (id, instance) in scene.instances.iter() {
        let count = match &instance.model {
            ModelRef::Known(model) => {
                let slot = model.slot() as usize;
                if known.len() <= slot {
                    known.resize(slot + 1, 0);
                }
                &mut known[slot]
            }
            ModelRef::Missing(name) => missing.entry(name).or_default(),
        };
        *count += 1;
        rows.push(NumberedInstance { id, instance: instance.as_ref(), number: *count });
    }
    rows
}

/// Some instances with their names, in the order of the scene: in one pass, which each name takes by itself.
pub fn named(scene: &Scene, ids: &BTreeSet<InstanceId>) -> Vec<(InstanceId, String)> {
    if ids.is_empty() {
        return Vec::new();
    }
    let wanted = numbered(scene).into_iter().filter(|row| ids.contains(&row.id));
    wanted.map(|row| (row.id, row.title(scene))).collect()
}

/// The names of some instances, in the order of the scene.
pub fn names_of(scene: &Scene, ids: &BTreeSet<InstanceId>) -> Vec<String> {
    named(scene, ids).into_iter().map(|(_, name)| name).collect()
}

/// Whether an instance can be walked to.
pub fn is_nav_target(scene: &Scene, instance: &SceneInstance) -> bool {
    instance.model_id().and_then(|id| scene.models.get(id)).is_some_and(|model| model.is_nav_target)
}

/// The instances that can be walked to, with their names.
pub fn nav_targets(scene: &Scene) -> Vec<(InstanceId, String)> {
    numbered(scene)
        .into_iter()
        .filter(|row| is_nav_target(scene, row.instance))
        .map(|row| (row.id, row.title(scene)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneModel;
    use std::sync::Arc;

    #[test]
    fn a_status_says_what_interrupts_a_walk() {
        let says = |nav, state| interrupted_walk(&nav, state);
        assert_eq!(says(NavStatus::Walking, MoveState::Pick).as_deref(), Some("Walking, now picking up"));
        assert_eq!(says(NavStatus::Walking, MoveState::Walk), None);
        assert_eq!(says(NavStatus::Off, MoveState::Wave), None);
    }

    #[test]
    fn only_model_extensions_are_left_out() {
        assert_eq!(without_extension("marker.glb"), "marker");
        assert_eq!(without_extension("v2.final"), "v2.final");
        assert_eq!(without_extension(".glb"), ".glb");
    }

    #[test]
    fn instances_are_numbered_per_model() {
        let mut scene = Scene::default();
        let man = scene.models.insert(Arc::new(SceneModel { name: "Man".into(), ..SceneModel::default() }));
        let cone = scene.models.insert(Arc::new(SceneModel {
            name: "Cone".into(),
            is_nav_target: true,
            ..SceneModel::default()
        }));
        let place = |model| Arc::new(SceneInstance { model, ..SceneInstance::default() });
        let mut ids = Vec::new();
        for model in [man, cone, man] {
            ids.push(scene.instances.insert(place(ModelRef::Known(model))));
        }
        let lost = scene.instances.insert(place(ModelRef::Missing("Ghost".into())));
        assert_eq!(instance_name(&scene, ids[2]), "Man 2");
        assert_eq!(instance_name(&scene, lost), "Ghost 1");
        assert_eq!(names_of(&scene, &BTreeSet::from([lost, ids[2]])), ["Man 2", "Ghost 1"]);
        assert_eq!(names_of(&scene, &BTreeSet::new()), [""; 0]);
        assert_eq!(nav_targets(&scene), [(ids[1], "Cone 1".to_owned())]);
        assert_eq!(numbered(&scene).iter().map(|row| row.number).collect::<Vec<_>>(), [1, 1, 2, 1]);
        Arc::make_mut(scene.instances.get_mut(ids[1]).unwrap()).name = "Well".into();
        assert_eq!(instance_name(&scene, ids[1]), "Well");
        assert_eq!(nav_targets(&scene), [(ids[1], "Well".to_owned())]);
    }
}
