//! `walkabout convert`: writes a scene anew in the current version, or a navigation mesh in another format.

use super::error::ArgError;
use super::level::check_scale;
use super::output::{check_ending, check_folder, is_standard_output, print_line, print_written};
use crate::disk::write::write_or_print;
use crate::nav::bake::BakeSettings;
use crate::nav::exchange::{
    ExchangeAgent, FileAxes, MeshPlacement, is_written_name, read_placed, unknown_ending, write_joined,
};
use crate::scene::file::{self, is_scene_file};
use crate::vocab::counted;
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  walkabout convert old.acfg new.acfg
  walkabout convert yard.gset yard.acfg
  walkabout convert all_tiles_navmesh.bin yard.navmesh
  walkabout convert yard.navmesh yard.bin --agent 1.8,0.3,0.4
  walkabout convert yard.navmesh yard.tres
  walkabout convert yard.obj yard.navmesh --axes x,z,-y --scale 0.01

Navigation meshes are told by their content: .navmesh of this program, its JSON (verts, polys), Detour's mesh sets
(MSET), tiles (DNAV) and tile caches (TSET) with the meshes of recast4j, DotRecast and KBEngine, tiles of World of Warcraft servers (.mmtile), .nav of the
Source engine, Godot's NavigationMesh (.tres, .tscn), Unity's triangulation as JSON (vertices, indices, areas), .mesh and
.map of the path benchmarks; models (OBJ, PLY, glTF) are taken as meshes, Unreal Engine's export among them. They are written by the ending of the name: .navmesh, .bin (a mesh set of Detour), .tres (Godot),
.unity.json (Unity), .json, .mesh, .obj, .glb (glTF). What a format cannot hold is said.";

/// Write a scene anew in the current version, or a navigation mesh in another format.
///
/// Reads any version of a scene that the original wrote, and RecastDemo's (.gset). The output is written whole or not at all; a scene that is
/// already there stays beside it as NAME.acfg.bak. Names of models stay as they are, so keep the output in the same folder
/// as the input, or in one beside it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// Scene (.acfg, .gset) or navigation mesh to read.
    pub input: PathBuf,

    /// File to write; for a scene - is standard output.
    pub output: PathBuf,

    /// Height, radius and highest step of the agents that a mesh for Detour was made for, metres [default: those of a mesh
    /// of Detour's, else of the bake].
    #[arg(long, value_name = "H,R,STEP", value_parser = parse_agent)]
    pub agent: Option<ExchangeAgent>,

    /// Axes of a mesh's file that are right, up and towards the viewer, on top of its format's [default: x,y,z].
    #[arg(long, value_name = "AXES", allow_hyphen_values = true)]
    pub axes: Option<FileAxes>,

    /// Factor on the size of a mesh, such as 0.01 for centimetres [default: 1].
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub scale: Option<f64>,
}

fn parse_agent(text: &str) -> Result<ExchangeAgent, ArgError> {
    let number = |part: &str| part.trim().parse::<f32>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    let numbers: Option<Vec<f32>> = text.split(',').map(number).collect();
    match numbers.as_deref() {
        Some(&[height, radius, climb]) => Ok(ExchangeAgent { height, radius, climb }),
        _ => Err(ArgError::Agent(text.to_owned())),
    }
}

/// Writes a navigation mesh in another format.
fn convert_mesh(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let bake = BakeSettings::default();
    let usual = ExchangeAgent { height: bake.agent_height, radius: bake.agent_radius, climb: bake.agent_climb };
    let placement = MeshPlacement { axes: args.axes.unwrap_or_default(), scale: args.scale.unwrap_or(1.0) };
    check_scale(placement.scale)?;
    let mesh = read_placed(&args.input, &placement)
        .with_context(|| format!("mesh not loaded. File: {}", args.input.display()))?;
    if !is_written_name(&args.output) {
        let file = args.output.display();
        super::output::misused!("mesh not written: {}. File: {file}", unknown_ending());
    }
    let say = || format!("mesh not written. File: {}", args.output.display());
    let written = write_joined(&mesh, &args.output, args.agent.as_ref(), &usual).with_context(say)?;
    for note in mesh.notes.iter().chain(&written.notes) {
        tracing::warn!("{note}");
    }
    write_or_print(&args.output, &written.bytes).with_context(say)?;
    let polygons = counted(mesh.mesh.len(), "polygon");
    let islands = counted(mesh.mesh.island_count() as usize, "island");
    let links = counted(mesh.file.links.len(), "link");
    // What of it the output cannot hold is in the notes.
    let text = format!("{}: read from {}: {polygons}, {islands}, {links}", args.output.display(), mesh.format);
    print_written(&args.output, &text)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the command.
///
/// # Errors
/// When the input cannot be read or the output cannot be written.
pub fn run(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    check_folder(Some(&args.output))?;
    if !is_scene_file(&args.input) {
        return convert_mesh(args);
    }
    if args.agent.is_some() || args.axes.is_some() || args.scale.is_some() {
        let file = args.input.display();
        super::output::misused!("--agent, --axes and --scale are for navigation meshes. File: {file}");
    }
    let loaded = file::load(&args.input)?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    if is_standard_output(&args.output) {
        return print_line(file::to_string(&loaded.scene, &loaded.selection).trim_end()).map(|()| ExitCode::SUCCESS);
    }
    if is_written_name(&args.output) {
        let file = args.output.display();
        super::output::misused!(
            "a scene is written as .acfg; `walkabout bake` makes its navigation mesh. File: {file}"
        );
    }
    check_ending("the output", Some(&args.output), "scene", "acfg")?;
    file::save(&loaded.scene, &loaded.selection, &args.output)?;
    print_line(&format!("{}: {}", args.output.display(), counted(loaded.scene.instances.len(), "instance")))?;
    Ok(ExitCode::SUCCESS)
}
