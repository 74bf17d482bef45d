//! `walkabout import`: reads a model file and says what is in it.

use super::output::print_line;
use crate::asset::fit_guess::FitGuess;
use crate::asset::humanoid::Humanoid;
use crate::asset::{BoneNames, Model, load_model};
use anyhow::Context;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Read a model file and say what is in it.
///
/// Reads glTF, GLB, VRM, FBX, OBJ, DAE, STL, PLY, BVH, MDL and MD3. The import runs in a process of its own under time and memory limits, and
/// its result is kept, so that the next load is instant.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// Model file.
    pub model: PathBuf,

    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be imported.
pub fn run(args: ImportArgs) -> anyhow::Result<ExitCode> {
    let model = load_model(&args.model)?;
    let text = if args.json {
        serde_json::to_string_pretty(&as_json(&model)).context("The report cannot be written as JSON")?
    } else {
        as_text(&model)
    };
    print_line(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn bones(model: &Model) -> usize {
    model.joints.iter().map(|j| j.node).collect::<std::collections::BTreeSet<_>>().len()
}

/// The bones of a human body that names tell, with the names of their nodes; none where they make no body.
fn body(model: &Model) -> Vec<(String, serde_json::Value)> {
    let body = Humanoid::of(model, &BoneNames::new()).unwrap_or_default();
    body.bones().map(|(bone, node)| (bone.to_string(), json!(model.skeleton.names[node.0 as usize]))).collect()
}

fn as_json(model: &Model) -> serde_json::Value {
    json!({
        "name": model.name,
        "nodes": model.skeleton.len(),
        "meshes": model.meshes.len(),
        "vertices": model.meshes.iter().map(|m| m.vertices.len()).sum::<usize>(),
        "triangles": model.triangle_count(),
        "materials": model.materials.len(),
        "bones": bones(model),
        "clips": model.clips.iter().map(|c| json!({ "name": c.name, "seconds": c.duration_secs })).collect::<Vec<_>>(),
        "morphs": model.morph_names(),
        "bones_of_a_body": body(model).into_iter().collect::<serde_json::Map<_, _>>(),
        "material_variants": model.material_variants,
        "textures": model.images.iter()
            .map(|i| json!({ "name": i.name, "width": i.width, "height": i.height }))
            .collect::<Vec<_>>(),
        "bounds": { "min": model.rest_bounds.min.to_array(), "max": model.rest_bounds.max.to_array() },
        "warnings": model.warnings,
        "fit": FitGuess::warning(model),
    })
}

fn as_text(model: &Model) -> String {
    let size = model.rest_bounds.size();
    let mut lines = vec![
        format!("{}  ({:.2} × {:.2} × {:.2} m)", model.name, size.x, size.y, size.z),
        format!(
            "  {} nodes, {} meshes, {} triangles, {} materials, {} bones",
            model.skeleton.len(),
            model.meshes.len(),
            model.triangle_count(),
            model.materials.len(),
            bones(model)
        ),
    ];
    lines.extend(
        model.clips.iter().enumerate().map(|(i, c)| format!("  clip {i}: {} ({:.2} s)", c.name, c.duration_secs)),
    );
    let body = body(model);
    if !body.is_empty() {
        let bones = body.iter().map(|(bone, node)| format!("{bone} {node}")).collect::<Vec<_>>().join(", ");
        lines.push(format!("  human body of {} bones: {bones}", body.len()));
    }
    lines.extend(model.morph_names().iter().map(|name| format!("  morph: {name}")));
    lines.extend(model.material_variants.iter().map(|name| format!("  material variant: {name}")));
    lines.extend(model.images.iter().map(|i| format!("  texture: {} ({} × {})", i.name, i.width, i.height)));
    let fit = FitGuess::warning(model);
    lines.extend(model.warnings.iter().chain(&fit).map(|warning| format!("  warning: {warning}")));
    lines.join("\n")
}
