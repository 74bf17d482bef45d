//! `walkabout check`: says what is wrong with scenes and models.

use super::mesh::is_taken_as_mesh;
use super::mesh_file_args::MeshFileArgs;
use super::{print_line, targets};
use crate::asset::fit_guess::FitGuess;
use crate::asset::{AssetState, AssetStore, ClipEdit, ClipSources, Model, load_model};
use crate::behavior::Severity;
use crate::debug::Layer;
use crate::disk::read::{self, ReadFault};
use crate::ids::ModelId;
use crate::nav::exchange::read_placed;
use crate::scene::nav::MeshSource;
use crate::scene::{ClipEventKind, Scene, SceneInstance, SceneModel, file};
use crate::sim::LevelParts;
use crate::sim::model_rig::ModelRig;
use crate::sim::nav_mesh::MeshState;
use crate::ui::names::capitalized;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Check scenes, models and navigation meshes and print each problem.
///
/// A scene is read in full, and so is all that it names: models, the picture of its sky, its navigation mesh. Clips that
/// a model does not have are problems too, and so are navigation targets that an instance cannot reach. What `walkabout
/// render` or `walkabout path` would refuse is an error. The exit code is 1 when there is an error in any file; warnings
/// alone leave it at 0.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Scene (.acfg) and model files, and navigation meshes.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    meshes: MeshFileArgs,

    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// What was found in one file.
#[derive(Debug, Default)]
struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

/// Checks all files.
///
/// # Errors
/// Options of meshes are given for other files, or standard output cannot be written: what is wrong with a file is printed and
/// gives exit code 1.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    for path in args.files.iter().filter(|path| !is_mesh_file(path, &args.meshes)) {
        args.meshes.refuse_for(path)?;
    }
    let all: Vec<(&PathBuf, Findings)> = args.files.iter().map(|path| (path, check(path, &args.meshes))).collect();
    if args.json {
        let files: Vec<_> = all
            .iter()
            .map(|(path, found)| {
                json!({ "file": path.display().to_string(), "errors": found.errors, "warnings": found.warnings })
            })
            .collect();
        print_line(&serde_json::to_string_pretty(&json!({ "files": files }))?)?;
    } else {
        for (path, found) in &all {
            for error in &found.errors {
                print_line(&format!("error: {}", named(error, path)))?;
            }
            for warning in &found.warnings {
                print_line(&format!("warning: {}", named(warning, path)))?;
            }
            if found.errors.is_empty() && found.warnings.is_empty() {
                print_line(&format!("ok: {}", path.display()))?;
            }
        }
    }
    let failed = all.iter().any(|(_, found)| !found.errors.is_empty());
    Ok(ExitCode::from(u8::from(failed)))
}

/// A problem as a sentence, with the file that was checked where it names none, or only what that file names.
fn named(problem: &str, path: &Path) -> String {
    let path = path.display().to_string();
    if problem.contains(&path) {
        problem.to_owned()
    } else if problem.contains("File: ") {
        format!("{problem} In: {path}")
    } else {
        format!("{}. File: {path}", problem.trim_end_matches('.'))
    }
}

fn is_mesh_file(path: &Path, meshes: &MeshFileArgs) -> bool {
    !file::is_scene_file(path) && is_taken_as_mesh(path, meshes.as_mesh)
}

fn check(path: &Path, meshes: &MeshFileArgs) -> Findings {
    match () {
        () if file::is_scene_file(path) => check_scene(path),
        () if is_mesh_file(path, meshes) => check_mesh_file(path, meshes),
        () => check_model(path),
    }
}

/// A navigation mesh: whether it is read, and what of it is not.
fn check_mesh_file(path: &Path, meshes: &MeshFileArgs) -> Findings {
    match read_placed(path, &meshes.placement()) {
        Ok(mesh) => Findings { warnings: mesh.notes, ..Findings::default() },
        Err(error) => Findings { errors: vec![format!("mesh not loaded: {error}.")], ..Findings::default() },
    }
}

fn check_model(path: &Path) -> Findings {
    match load_model(path) {
        Ok(mut model) => {
            // As sentences: the file's name follows.
            let fit = FitGuess::warning(&model).map(|said| format!("{}.", capitalized(&said)));
            model.warnings.extend(fit);
            Findings { warnings: model.warnings, ..Findings::default() }
        }
        Err(error) => Findings { errors: vec![error.to_string()], ..Findings::default() },
    }
}

fn check_scene(path: &Path) -> Findings {
    let loaded = match file::load(path) {
        Ok(loaded) => loaded,
        Err(error) => return Findings { errors: vec![error.to_string()], ..Findings::default() },
    };
    let mut found = Findings { warnings: loaded.warnings, ..Findings::default() };
    check_behaviors(&loaded.scene, path, &mut found);
    let overlays = loaded.scene.settings.overlays.iter().map(|name| name.parse::<Layer>());
    found.warnings.extend(overlays.filter_map(|known| Some(format!("{}; it shows nothing.", known.err()?))));
    let mut assets = AssetStore::default();
    assets.set_root(loaded.root);
    let levels = loaded.scene.levels.values().map(|l| (format!("Level {:?}", l.name), assets.request(l)));
    let levels: Vec<_> = levels.collect();
    let models: Vec<_> = loaded.scene.models.iter().map(|(id, m)| (id, m, assets.request(m))).collect();
    let sky = &loaded.scene.settings.environment.sky_picture;
    if !sky.is_empty() {
        assets.request_sky(sky);
    }
    assets.wait();
    let mut has_levels = true;
    for (name, id) in levels {
        // `walkabout path` refuses a scene whose level is not there.
        if let Some(AssetState::Failed(error)) = assets.state(id) {
            found.errors.push(format!("{name}: {error}"));
            has_levels = false;
        }
    }
    check_sounds(&loaded.scene, &assets, &mut found.warnings);
    if let Some(Err(error)) = assets.sky(sky) {
        found.warnings.push(error.to_string());
    }
    for (model_id, entry, asset) in models {
        match assets.state(asset) {
            Some(AssetState::Failed(error)) => found.warnings.push(format!("Model {:?}: {error}", entry.name)),
            Some(AssetState::Ready(model)) => {
                let is_of_scene = |text: &&String| ClipSources::is_warning(text) || ClipEdit::is_warning(text);
                let lacks = model.warnings.iter().filter(is_of_scene);
                found.warnings.extend(lacks.map(|warning| format!("Model {:?} {warning}.", entry.name)));
                check_clips(entry, model, &mut found.warnings);
                check_matching(entry, model, &mut found.warnings);
                check_events(entry, model, &mut found.warnings);
                check_layers(&loaded.scene, (model_id, entry.name.as_str()), model, &mut found.warnings);
                check_variants(&loaded.scene, (model_id, entry.name.as_str()), model, &mut found.warnings);
            }
            Some(AssetState::Loading) | None => {}
        }
    }
    if has_levels {
        check_mesh(&loaded.scene, &assets, path, &mut found);
    }
    targets::check(&loaded.scene, &assets, &mut found.warnings);
    found
}

/// Files of sounds and the folder of music that are not there, or are something else.
fn check_sounds(scene: &Scene, assets: &AssetStore, warnings: &mut Vec<String>) {
    let sounds = &scene.settings.sounds;
    let of_zones = scene.settings.zones.iter().map(|zone| zone.music.as_str()).filter(|file| !file.is_empty());
    let events = scene.models.values().flat_map(|model| &model.clip_events);
    let of_clips = events.map(|event| event.file.as_str()).filter(|file| !file.is_empty());
    for file in sounds.files().chain(of_zones).chain(of_clips) {
        let fault = read::open(&assets.resolve(file), u64::MAX).err();
        warnings.extend(fault.map(|fault| match fault {
            ReadFault::Missing => format!("The sound {file:?} is not there."),
            fault => format!("The sound {file:?} is not played: {fault}."),
        }));
    }
    let music = &sounds.music_folder;
    let is_odd = |kind: &std::fs::FileType| !kind.is_dir();
    if let Some(kind) = assets.resolve(music).metadata().ok().map(|data| data.file_type()).filter(is_odd) {
        let what = read::kind_name(kind).unwrap_or("a file");
        warnings.push(format!("The music folder {music:?} is {what}, not a folder: no music is played."));
    }
}

/// The navigation mesh, made or read as `walkabout path` does it; what that refuses is an error.
fn check_mesh(scene: &Scene, assets: &AssetStore, path: &Path, found: &mut Findings) {
    if scene.nav.mesh == MeshSource::Triangles && scene.levels.is_empty() {
        return;
    }
    let mut state = MeshState::default();
    state.reconcile(scene, assets, &LevelParts::of(scene, assets));
    let said = |fault| format!("mesh not loaded: {fault}. File: {}", path.display());
    found.errors.extend(state.faults().map(said));
}

/// Behaviours of which a part does not run: these warnings of the loader are errors here.
fn check_behaviors(scene: &Scene, path: &Path, found: &mut Findings) {
    let problems = scene.behaviors.values().flat_map(|graph| crate::behavior::compile(graph).1);
    for problem in problems.filter(|p| p.severity == Severity::Error).map(|p| p.to_string()) {
        found.warnings.retain(|warning| *warning != problem);
        found.errors.push(format!("{problem} File: {}", path.display()));
    }
}

/// The instances of a model, each with its number among all of the scene, from 1 on.
fn instances_of(scene: &Scene, id: ModelId) -> impl Iterator<Item = (usize, &SceneInstance)> {
    let numbered = (1..).zip(scene.instances.values());
    numbered.filter(move |(_, one)| one.model_id() == Some(id)).map(|(number, one)| (number, &**one))
}

/// Material variants of instances that their model does not have.
fn check_variants(scene: &Scene, (id, name): (ModelId, &str), model: &Model, warnings: &mut Vec<String>) {
    for (number, instance) in instances_of(scene, id) {
        let Some(variant) = instance.material_variant.as_ref() else { continue };
        if !model.material_variants.contains(variant) {
            warnings.push(format!(
                "Instance {number}: model {name:?} has no material variant {variant:?}; it is drawn without one."
            ));
        }
    }
}

/// Layers of instances that their model cannot play.
fn check_layers(scene: &Scene, (id, name): (ModelId, &str), model: &Model, warnings: &mut Vec<String>) {
    for (number, instance) in instances_of(scene, id) {
        for layer in &instance.layers {
            if layer.clip as usize >= model.clips.len() {
                let clip = layer.clip;
                warnings
                    .push(format!("Instance {number}: model {name:?} has no clip {clip} for a layer; it is left out."));
            } else if !layer.joint.is_empty() && !model.skeleton.names.contains(&layer.joint) {
                let joint = &layer.joint;
                warnings.push(format!(
                    "Instance {number}: model {name:?} has no joint {joint:?} for a layer; it is left out."
                ));
            }
        }
    }
}

/// Motion matching that a model lacks something for, or clips of it that are not there.
fn check_matching(entry: &SceneModel, model: &Arc<Model>, warnings: &mut Vec<String>) {
    let (name, count) = (&entry.name, model.clips.len());
    for clip in entry.matching_clips.iter().filter(|&&clip| clip as usize >= count) {
        warnings.push(format!("Model {name:?} has no clip {clip} for motion matching, only {count}; it is left out."));
    }
    let walks_otherwise = entry.clip_sources.root_tracks && ModelRig::new(entry, Some(model), None).matching.is_none();
    if walks_otherwise && !model.warnings.iter().any(|warning| ClipSources::is_warning(warning)) {
        warnings.push(format!(
            "Model {name:?} walks by its gaits: motion matching needs foot chains (left-foot-ik-chain) and clips that move."
        ));
    }
}

/// Clips that a scene asks for and a model does not have.
fn check_clips(entry: &SceneModel, model: &Model, warnings: &mut Vec<String>) {
    let sets = entry.blend_sets.iter().flat_map(|set| [set.idle.clip, set.walk.clip, set.run.clip]);
    let actions = entry.actions.iter().map(|action| action.clip.clip);
    let mut wanted: Vec<u32> = sets.chain(actions).chain(entry.head_clips.iter().map(|(_, clip)| *clip)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let count = model.clips.len();
    for clip in wanted.into_iter().filter(|&clip| clip as usize >= count) {
        warnings.push(format!("Model {:?} has no clip {clip}, only {count}; its rest pose is shown.", entry.name));
    }
}

/// Events and curves of clips that are not there, that never come, or that move nothing.
fn check_events(entry: &SceneModel, model: &Model, warnings: &mut Vec<String>) {
    let (name, count) = (&entry.name, model.clips.len());
    for event in &entry.clip_events {
        let (clip, time) = (event.clip, event.time);
        match model.clips.get(clip as usize) {
            None => {
                warnings.push(format!("Model {name:?} has no clip {clip} for an event, only {count}; it is left out."))
            }
            Some(of) if time > of.duration_secs => {
                let secs = of.duration_secs;
                warnings.push(format!(
                    "Model {name:?}: an event at {time} s never comes, for clip {clip} lasts {secs:.3} s."
                ));
            }
            Some(_) if event.kind == ClipEventKind::Sound && event.file.is_empty() => {
                warnings.push(format!("Model {name:?}: the sound at {time} s of clip {clip} has no file."));
            }
            Some(_) => {}
        }
    }
    let morphs = model.morph_names();
    for curve in &entry.clip_curves {
        let (clip, morph) = (curve.clip, &curve.morph);
        if clip as usize >= count {
            warnings.push(format!("Model {name:?} has no clip {clip} for a curve, only {count}; it is left out."));
        } else if !morphs.contains(&morph.as_str()) {
            warnings.push(format!(
                "Model {name:?} has no morph target {morph:?} for a curve of clip {clip}; it moves nothing."
            ));
        }
    }
}
