//! Lets models play the clips of other files: on request, and those of the people that come with the program where a
//! model of a human body has none.

use super::files::sample;
use super::state::App;
use crate::asset::human_bone::{HumanBone, Limb, Side};
use crate::asset::humanoid::Humanoid;
use crate::asset::retarget::is_motion;
use crate::asset::{BoneNames, ClipSource, Model};
use crate::disk::stem_of;
use crate::ids::ModelId;
use crate::scene::SceneModel;
use crate::scene::edit::Edit;
use crate::ui::command::{EditStep, Purpose};
use crate::ui::names::without_extension;
use std::path::Path;

/// The file whose clips a human body without any plays.
const PEOPLE: &str = "assets/people/ada.glb";

/// Whether a model is a human body that has nothing to play.
fn needs_clips(model: &SceneModel, file: &Model) -> bool {
    model.clip_sources.files.is_empty()
        && file.is_skinned()
        && !file.clips.iter().any(is_motion)
        && Humanoid::of(file, &model.clip_sources.bones).is_some()
}

/// The chain of a leg as leg IK takes it, foot first; empty where the foot does not hang from the shin.
pub(super) fn foot_chain(file: &Model, bones: &BoneNames, side: Side) -> Vec<u32> {
    let Some(body) = Humanoid::of(file, bones) else { return Vec::new() };
    let limbs = [Limb::Foot, Limb::LowerLeg, Limb::UpperLeg].map(|limb| HumanBone::Limb(side, limb));
    let is_one_chain = limbs[..2].iter().all(|bone| body.hangs_from_parent(&file.skeleton, *bone));
    let nodes = limbs.iter().filter_map(|bone| Some(body.node(*bone)?.0));
    if is_one_chain { nodes.collect() } else { Vec::new() }
}

impl App {
    /// Lets a human body that has nothing to play take the clips of the program's people. Returns whether it does.
    pub(super) fn lend_clips(&mut self, id: ModelId) -> bool {
        let Some(model) = self.scene.models.get(id) else { return false };
        let needs = self.assets.by_file(model).is_some_and(|(_, file)| needs_clips(model, file));
        let Some(people) = sample(PEOPLE).filter(|_| needs) else { return false };
        self.play_clips(id, Some(&people));
        true
    }

    /// Lets a model play the clips of a file, after its own and those of others; without a file, asks for one.
    pub(super) fn play_clips(&mut self, id: ModelId, path: Option<&Path>) {
        let Some(path) = path else { return self.ask(Purpose::Clips(id)) };
        let Some(model) = self.scene.models.get(id) else { return };
        let mut to = (**model).clone();
        to.clip_sources.files.push(ClipSource { file: self.name_in_scene(path), bones: BoneNames::new() });
        let name = format!("give {} the clips of {}", without_extension(&to.name), stem_of(path));
        self.edit(EditStep { name, edit: Edit::SetModel { id, to }, merge: None });
        // Gaits and actions are set up when its clips are there.
        self.importing_models.push(id);
    }
}
