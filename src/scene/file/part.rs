//! Parts of a scene as text, for the clipboard: instances with the models and behaviours that they need, or nodes of a
//! behaviour, written as a small scene, so that they can be pasted into another scene, or read by people.

use super::emit::to_string;
use super::error::SceneError;
use super::load::load_str;
use crate::behavior::graph::BehaviorGraph;
use crate::disk::{absolute, with_slashes};
use crate::ids::{BehaviorId, InstanceId, ModelId};
use crate::scene::edit::{Edit, EditError};
use crate::scene::instance::ModelRef;
use crate::scene::{Scene, SceneCamera, SceneInstance, SceneModel, Selection};
use crate::vocab::free_name;
use glam::Vec3;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Why text cannot be pasted.
#[derive(Debug, Error)]
pub enum PasteError {
    /// It is no scene.
    #[error("The clipboard does not hold what was copied from a scene: {0}")]
    Unreadable(#[from] SceneError),
    /// It is a scene without instances.
    #[error("The clipboard holds a scene without instances. Copy some and try again.")]
    Empty,
    /// It is a scene of nodes alone.
    #[error(
        "The clipboard holds nodes of a behaviour. Open the behaviour editor (F6), click among its nodes and paste."
    )]
    Nodes,
    /// The scene cannot take it.
    #[error(transparent)]
    Refused(#[from] EditError),
}

/// Farthest to the side that what is pasted is put, metres.
const MAX_SHIFT_M: u16 = 100;

/// Text of the instances `ids` of `scene`, whose files are found against `root`. Who walks to one that is not among
/// them has no target in the copy.
pub fn copy(scene: &Scene, ids: &[InstanceId], root: &Path) -> String {
    let mut part = Scene::default();
    part.cameras.insert(Arc::new(SceneCamera::default()));
    let mut models: HashMap<ModelId, ModelId> = HashMap::new();
    let mut behaviors: HashMap<BehaviorId, BehaviorId> = HashMap::new();
    let mut copies: HashMap<InstanceId, InstanceId> = HashMap::new();
    for (id, instance) in ids.iter().filter_map(|id| Some((*id, scene.instances.get(*id)?))) {
        let mut to = SceneInstance { target: None, ..(**instance).clone() };
        if let Some((id, model)) = instance.model_id().and_then(|id| Some((id, scene.models.get(id)?))) {
            to.model = ModelRef::Known(*models.entry(id).or_insert_with(|| part.models.insert(Arc::clone(model))));
        }
        to.behavior = instance
            .behavior
            .and_then(|id| Some((id, scene.behaviors.get(id)?)))
            .map(|(id, graph)| *behaviors.entry(id).or_insert_with(|| part.behaviors.insert(Arc::clone(graph))));
        copies.insert(id, part.instances.insert(Arc::new(to)));
    }
    for (id, copy) in &copies {
        let target = scene.instances.get(*id).and_then(|i| copies.get(&i.target?)).copied();
        if let Some(instance) = part.instances.get_mut(*copy).filter(|_| target.is_some()) {
            Arc::make_mut(instance).target = target;
        }
    }
    part.rename_files(|name| with_slashes(&absolute(&root.join(name))));
    to_string(&part, &Selection::default())
}

/// The edits that add what `text` holds to `scene`. A model that the scene has already under whatever name is used, and
/// so is a behaviour that it has; `name_of` says how a file is named in the scene. Whatever would stand exactly where
/// something stands is put beside it.
///
/// # Errors
/// The text is not a scene with instances, or the scene cannot take more.
pub fn paste(scene: &Scene, text: &str, name_of: impl Fn(&Path) -> String) -> Result<Vec<Edit>, PasteError> {
    let mut part = load_str(text, Path::new("the clipboard"))?.scene;
    if part.instances.is_empty() {
        return Err(if sole_graph(&part).is_some() { PasteError::Nodes } else { PasteError::Empty });
    }
    part.rename_files(|name| name_of(Path::new(name)));
    // Ids come out the same when the edits are applied to the scene itself.
    let (mut after, mut edits) = (scene.clone(), Vec::new());
    let mut add = |after: &mut Scene, edit: Edit| {
        let applied = after.apply(&edit);
        edits.push(edit);
        applied
    };
    let mut models = HashMap::new();
    for (id, model) in part.models.iter() {
        let named = |name: &str| SceneModel { name: name.to_owned(), ..(**model).clone() };
        let is_same = |other: &SceneModel| other.file == model.file && named(&other.name) == *other;
        let known = after.models.iter().find(|(_, other)| is_same(other)).map(|(id, _)| id);
        let name = free_name(&model.name, |name| after.models.values().any(|other| other.name == name));
        let known = match known {
            Some(known) => known,
            None => add(&mut after, Edit::AddModel(named(&name)))?.models[0],
        };
        models.insert(id, known);
    }
    let mut behaviors = HashMap::new();
    for (id, graph) in part.behaviors.iter() {
        let known = after.behaviors.iter().find(|(_, other)| *other == graph).map(|(id, _)| id);
        let name = free_name(&graph.name, |name| after.behaviors.values().any(|other| other.name == name));
        let known = match known {
            Some(known) => known,
            None => add(&mut after, Edit::AddBehavior(BehaviorGraph { name, ..(**graph).clone() }))?.behaviors[0],
        };
        behaviors.insert(id, known);
    }
    let aside = free_shift(scene, &part);
    let mut pasted = HashMap::new();
    for (id, instance) in part.instances.iter() {
        let mut to = SceneInstance { target: None, ..(**instance).clone() };
        to.position += aside;
        if let Some(model) = instance.model_id().and_then(|id| models.get(&id)) {
            to.model = ModelRef::Known(*model);
        }
        to.behavior = instance.behavior.and_then(|id| behaviors.get(&id)).copied();
        pasted.insert(id, add(&mut after, Edit::AddInstance(to))?.instances[0]);
    }
    for (id, instance) in part.instances.iter() {
        if let Some(target) = instance.target.and_then(|target| pasted.get(&target)).copied() {
            add(&mut after, Edit::SetTarget { id: pasted[&id], target: Some(target) })?;
        }
    }
    Ok(edits)
}

/// The least shift to the side, in whole metres, with which nothing of `part` stands exactly where something of `scene`
/// stands, so that whatever is pasted again stands beside what was pasted before.
fn free_shift(scene: &Scene, part: &Scene) -> Vec3 {
    // Zero has no sign there.
    let bits = |at: Vec3| (at + Vec3::ZERO).to_array().map(f32::to_bits);
    let taken: HashSet<[u32; 3]> = scene.instances.values().map(|other| bits(other.position)).collect();
    let is_free = |shift: &Vec3| !part.instances.values().any(|i| taken.contains(&bits(i.position + *shift)));
    (0..MAX_SHIFT_M).map(|metres| Vec3::X * f32::from(metres)).find(is_free).unwrap_or(Vec3::X)
}

/// Text of some nodes of a behaviour, as a graph of their own.
pub fn copy_nodes(nodes: &BehaviorGraph) -> String {
    let mut part = Scene::default();
    part.cameras.insert(Arc::new(SceneCamera::default()));
    part.behaviors.insert(Arc::new(nodes.clone()));
    to_string(&part, &Selection::default())
}

/// The nodes that `text` holds; `None` when it is something else.
pub fn nodes(text: &str) -> Option<BehaviorGraph> {
    let part = load_str(text, Path::new("the clipboard")).ok()?.scene;
    sole_graph(&part).cloned()
}

/// The graph of a scene that holds nothing else: what [`copy_nodes`] makes.
fn sole_graph(part: &Scene) -> Option<&BehaviorGraph> {
    let alone = part.instances.is_empty() && part.models.is_empty() && part.levels.is_empty();
    let graph = part.behaviors.values().next().filter(|_| alone && part.behaviors.len() == 1)?;
    (!graph.nodes.is_empty() || !graph.comments.is_empty()).then_some(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::ClipSource;
    use crate::behavior::graph::{GraphComment, GraphLink, GraphNode};
    use crate::scene::{ClipEvent, ClipEventKind};

    fn scene(models: &[&str]) -> Scene {
        let mut scene = Scene::default();
        scene.cameras.insert(Arc::new(SceneCamera::default()));
        for name in models {
            let model = SceneModel { name: (*name).into(), file: format!("{name}.glb"), ..SceneModel::default() };
            scene.models.insert(Arc::new(model));
        }
        scene
    }

    fn place(scene: &mut Scene, model: usize, x: f32, target: Option<InstanceId>) -> InstanceId {
        let model = ModelRef::Known(scene.models.at(model).unwrap());
        let instance = SceneInstance { model, position: Vec3::X * x, target, ..SceneInstance::default() };
        scene.instances.insert(Arc::new(instance))
    }

    /// Names as a scene in `/there` gives them.
    fn there(path: &Path) -> String {
        path.strip_prefix("/there").unwrap_or(path).to_string_lossy().into_owned()
    }

    #[test]
    fn instances_are_copied_with_models_behaviours_and_targets() {
        let mut from = scene(&["man", "flag", "unused"]);
        let flag = place(&mut from, 1, 5.0, None);
        let other = place(&mut from, 1, 9.0, None);
        let graph = BehaviorGraph { name: "greet".into(), ..BehaviorGraph::default() };
        let graph = from.behaviors.insert(Arc::new(graph));
        let walks = place(&mut from, 0, 1.0, Some(flag));
        Arc::make_mut(from.instances.get_mut(walks).unwrap()).behavior = Some(graph);
        let away = place(&mut from, 0, 2.0, Some(other));
        let text = copy(&from, &[flag, walks, away], Path::new("/here"));

        // The other scene has another man, and the same flag under another name.
        let mut to = scene(&["man"]);
        let pole = SceneModel { name: "pole".into(), file: "/here/flag.glb".into(), ..SceneModel::default() };
        to.models.insert(Arc::new(pole));
        let edits = paste(&to, &text, there).unwrap();
        let added = to.apply(&Edit::Many(edits)).unwrap();
        let names: Vec<&str> = to.models.values().map(|model| model.name.as_str()).collect();
        assert_eq!(names, ["man", "pole", "man-2"]);
        assert_eq!(to.models.values().nth(2).unwrap().file, "/here/man.glb");
        let [flag, walks, away] = added.instances[..] else { panic!("{added:?}") };
        let of = |id| to.instances.get(id).unwrap();
        assert_eq!(of(flag).model_id(), to.models.at(1));
        assert_eq!((of(walks).target, of(away).target), (Some(flag), None));
        assert_eq!(of(walks).behavior, to.behaviors.at(0));
        assert_eq!(of(walks).position, Vec3::X);
    }

    #[test]
    fn pasted_where_it_was_copied_it_stands_beside() {
        let mut here = scene(&["man"]);
        let man = place(&mut here, 0, 1.0, None);
        let text = copy(&here, &[man], Path::new("/there"));
        let edits = paste(&here, &text, there).unwrap();
        assert_eq!(edits.len(), 1, "the model is known: {edits:?}");
        let added = here.apply(&Edit::Many(edits)).unwrap();
        assert_eq!(here.instances.get(added.instances[0]).unwrap().position, Vec3::X * 2.0);
        let edits = paste(&here, &text, there).unwrap();
        let again = here.apply(&Edit::Many(edits)).unwrap();
        assert_eq!(here.instances.get(again.instances[0]).unwrap().position, Vec3::X * 3.0, "nor on the first copy");
    }

    #[test]
    fn clips_and_sounds_of_models_come_along() {
        let mut from = scene(&["man"]);
        let model = Arc::make_mut(from.models.get_mut(from.models.at(0).unwrap()).unwrap());
        model.clip_sources.files = vec![ClipSource { file: "walk.bvh".into(), ..ClipSource::default() }];
        let sound = ClipEvent { kind: ClipEventKind::Sound, file: "clap.ogg".into(), ..ClipEvent::default() };
        model.clip_events = vec![sound];
        let man = place(&mut from, 0, 1.0, None);
        let mut to = scene(&[]);
        let edits = paste(&to, &copy(&from, &[man], Path::new("/here")), there).unwrap();
        to.apply(&Edit::Many(edits)).unwrap();
        let pasted = to.models.values().next().unwrap();
        assert_eq!(pasted.clip_sources.files[0].file, "/here/walk.bvh");
        assert_eq!(pasted.clip_events[0].file, "/here/clap.ogg");
        let edits = paste(&from, &copy(&from, &[man], Path::new("/there")), there).unwrap();
        assert_eq!(edits.len(), 1, "where it is from, the model is known: {edits:?}");
    }

    #[test]
    fn of_two_models_of_one_file_the_copied_one_is_pasted() {
        let mut here = scene(&["man"]);
        let guard = SceneModel { name: "guard".into(), file: "man.glb".into(), ..SceneModel::default() };
        here.models.insert(Arc::new(SceneModel { forward_speed_factor: 2.0, ..guard }));
        let guard = place(&mut here, 1, 1.0, None);
        let text = copy(&here, &[guard], Path::new("/there"));
        for mut to in [here, scene(&["man"])] {
            let edits = paste(&to, &text, there).unwrap();
            let added = to.apply(&Edit::Many(edits)).unwrap();
            assert_eq!(to.instances.get(added.instances[0]).unwrap().model_id(), to.models.at(1));
            assert_eq!((to.models.len(), to.models.values().nth(1).unwrap().name.as_str()), (2, "guard"));
        }
    }

    #[test]
    fn nodes_are_the_same_after_a_way_through_text() {
        let node = |kind, id| GraphNode {
            kind,
            id,
            properties: vec![("key: odd".into(), "\"a\" #b\n- c".into())],
            ..GraphNode::default()
        };
        let graph = BehaviorGraph {
            name: "greet".into(),
            editor_settings: "[node.3]\norigin=5,-6\n\n".into(),
            nodes: vec![node(3, 3), node(5, 9)],
            links: vec![GraphLink { id: 10_000, from_pin: 3200, to_pin: 9000 }],
            comments: vec![GraphComment { at: [1.0, -2.0], text: "why".into() }],
            ..BehaviorGraph::default()
        };
        let text = copy_nodes(&graph);
        assert_eq!(nodes(&text), Some(graph.clone()));
        let mut here = scene(&["man"]);
        assert!(matches!(paste(&here, &text, there), Err(PasteError::Nodes)), "they are no instances");
        // Instances come with their behaviours, but are no nodes.
        let graph = here.behaviors.insert(Arc::new(graph));
        let man = place(&mut here, 0, 1.0, None);
        Arc::make_mut(here.instances.get_mut(man).unwrap()).behavior = Some(graph);
        assert_eq!(nodes(&copy(&here, &[man], Path::new("/there"))), None);
        for text in ["", "hello", "version: 9.0\n"] {
            assert_eq!(nodes(text), None, "{text:?}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        let here = scene(&[]);
        for text in ["", "hello", "a: [b", "version: 9.0\n", "\u{0}"] {
            assert!(paste(&here, text, there).is_err(), "{text:?}");
        }
    }
}
