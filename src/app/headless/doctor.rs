//! `walkabout doctor`: says what is wrong with a level, a scene or a navigation mesh, and why there is no path.

use super::level::{check_scale, triangles_to_bake};
use super::mesh::is_taken_as_mesh;
use super::mesh_file_args::MeshFileArgs;
use super::output::{Usage, print_line};
use super::path_args::parse_point;
use super::progress::ProgressLine;
use crate::inspect::doctor::{Diagnosis, Patient, note_on};
use crate::nav::bake::{BakeError, BakeSettings};
use crate::nav::doctor::{
    AgentLimits, DoctorError, DoctorStep, DoctorWatch, PathAnswer, examine_level_until, examine_mesh_until,
    why_no_path_on_placed, why_no_path_until,
};
use crate::nav::exchange::{UncheckedMesh, read_unchecked};
use crate::scene;
use crate::scene::file::is_scene_file;
use crate::sim::World;
use crate::vocab::counted;
use anyhow::{Context, bail};
use glam::Vec3;
use serde_json::json;
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  walkabout doctor config/plaza.acfg
  walkabout doctor assets/levels/arena.obj --radius 0.4 --step 0.3 --json
  walkabout doctor yard.navmesh
  walkabout doctor assets/levels/plaza.glb --from -22,0,27 --to 16.6,2.4,-28.5
  walkabout doctor yard.navmesh --from 1,0,2 --to 20,0,8
  walkabout doctor exported.obj --as-mesh --axes x,z,-y

Exit codes: 0 nothing found (or there is a way), 1 findings (or no way), 2 wrong usage.";

/// Find what is wrong with a level, a scene or a navigation mesh, and say what to do.
///
/// A level is examined for one size of agent: steps, slopes, passages, ceilings and gaps that part its ground a little
/// beyond what the agent can do, holes, triangles that face down or lie upon each other, units. A mesh is examined as it
/// lies in the file, also where it is damaged: polygons, seams, overlaps, islands, links. A scene is both, and its
/// targets. With --from and --to the answer is what parts the two places. --scale holds for levels as it does for meshes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// A scene (.acfg), a level (glb, gltf, fbx, obj, dae) or a navigation mesh.
    pub input: PathBuf,

    #[command(flatten)]
    file: MeshFileArgs,

    /// The agent's radius in metres [default: the scene's bake settings, what a mesh tells that it was made for, that of
    /// `walkabout bake` for others]. Of a mesh made for a smaller one, passages that are too narrow for it are found.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub radius: Option<f32>,

    /// The agent's height in metres.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub height: Option<f32>,

    /// Highest step in metres.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub step: Option<f32>,

    /// Steepest slope in degrees.
    #[arg(long, value_name = "DEG", allow_negative_numbers = true)]
    pub slope: Option<f32>,

    /// Widest gap that the agent jumps, in metres.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub jump: Option<f32>,

    /// Why is there no path from here?
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "to")]
    pub from: Option<Vec3>,

    /// To here?
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "from")]
    pub to: Option<Vec3>,

    /// Print JSON to standard output.
    #[arg(long)]
    pub json: bool,
}

impl DoctorArgs {
    /// Whether the input is a navigation mesh, by itself or because an option takes it as one.
    fn holds_mesh(&self) -> bool {
        is_taken_as_mesh(&self.input, self.file.as_mesh)
    }

    /// The factor on the size of a level or mesh.
    fn scale(&self) -> f64 {
        self.file.scale.unwrap_or(1.0)
    }

    /// Checks what is said of the agent, before anything is loaded.
    ///
    /// # Errors
    /// A length or an angle is out of range.
    fn check_agent(&self) -> anyhow::Result<()> {
        let given = [
            ("--radius", self.radius, 10.0),
            ("--height", self.height, 100.0),
            ("--step", self.step, 50.0),
            ("--slope", self.slope, 89.0),
            ("--jump", self.jump, 50.0),
        ];
        for (name, value, most) in given {
            if let Some(value) = value.filter(|v| !(*v >= 0.0 && *v <= most)) {
                super::output::misused!("{name} is {value}; give a number from 0 to {most}");
            }
        }
        Ok(())
    }

    /// The agent, with what is given in place of `usual`.
    fn limits(&self, usual: AgentLimits) -> AgentLimits {
        AgentLimits {
            radius: self.radius.unwrap_or(usual.radius),
            mesh_radius: usual.mesh_radius,
            height: self.height.unwrap_or(usual.height),
            climb: self.step.unwrap_or(usual.climb),
            slope_rad: self.slope.map_or(usual.slope_rad, f32::to_radians),
            jump: self.jump.unwrap_or(usual.jump),
            has_links: usual.has_links,
            cells: usual.cells,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// An option out of range, an input that cannot be read, a level that is too large for the agent's size.
pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    args.check_agent()?;
    if args.file.axes.is_some() && !args.holds_mesh() {
        super::output::misused!("--axes is for the file of a mesh. File: {}", args.input.display());
    }
    let line = RefCell::new(ProgressLine::new());
    let tell = |step: DoctorStep| line.borrow_mut().say(step.label());
    // Ctrl-C ends the process.
    let never = AtomicBool::new(false);
    let watch = DoctorWatch::new(&tell, &never);
    let wipe = || drop(line.replace(ProgressLine::new()));
    if let (Some(from), Some(to)) = (args.from, args.to) {
        let ends = [from.as_dvec3(), to.as_dvec3()];
        if args.holds_mesh() {
            let (mesh, limits) = mesh(args)?;
            return print_answer(args, &why_no_path_on_placed((&mesh.file, &args.file.placement()), &limits, ends));
        }
        let unread = || format!("level not examined. File: {}", args.input.display());
        let (answer, note) = if is_scene_file(&args.input) {
            let patient = scene_patient(args)?;
            let answer = patient.why_no_path(ends, &watch).map_err(told_by_option).with_context(unread)?;
            (answer, note_on(patient.triangles(), patient.limits()))
        } else {
            let (triangles, limits) = level(args)?;
            let answer = why_no_path_until(&triangles, &[], &limits, ends, &watch);
            let answer = answer.map_err(told_by_option).with_context(unread)?;
            (answer, note_on(&triangles, &limits))
        };
        wipe();
        warn(note);
        return print_answer(args, &answer);
    }
    let diagnosis = if args.holds_mesh() {
        let (mesh, limits) = mesh(args)?;
        let found =
            examine_mesh_until((&mesh.file, &args.file.placement()), mesh.listed.as_ref(), &limits, &[], &watch)?;
        Ok(Diagnosis { findings: found.findings, note: found.passed_over, ..Diagnosis::default() })
    } else if is_scene_file(&args.input) {
        scene_patient(args)?.examine(&watch)
    } else {
        let (triangles, limits) = level(args)?;
        let note = note_on(&triangles, &limits);
        examine_level_until(&triangles, &[], &limits, &watch).map(|findings| Diagnosis {
            findings,
            note,
            ..Diagnosis::default()
        })
    };
    let unread = || format!("level not examined. File: {}", args.input.display());
    let diagnosis = diagnosis.map_err(told_by_option).with_context(unread)?;
    wipe();
    match &diagnosis.error {
        Some(error) if diagnosis.findings.is_empty() => {
            bail!("level not examined: {error}. File: {}", args.input.display());
        }
        // What was found may be why there is no mesh, such as a level in another unit.
        Some(error) => tracing::warn!("{error}"),
        None => {}
    }
    print_diagnosis(args, &diagnosis, start.elapsed().as_secs_f64() * 1e3)
}

/// An error about the agent, by the option that gives what is wrong with it.
fn told_by_option(error: DoctorError) -> anyhow::Error {
    const OPTIONS: [[&str; 2]; 3] =
        [["agent_height", "--height"], ["agent_climb", "--step"], ["agent_radius", "--radius"]];
    if let DoctorError::Level(BakeError::Setting { name, value, low, high }) = &error
        && let Some([_, option]) = OPTIONS.iter().find(|[setting, _]| setting == name)
    {
        return Usage(format!("{option} is {value}; give a number from {low} to {high}")).into();
    }
    error.into()
}

fn warn(note: Option<String>) {
    if let Some(note) = note {
        tracing::warn!("{note}");
    }
}

/// A mesh as it lies in its file, and the agent.
fn mesh(args: &DoctorArgs) -> anyhow::Result<(UncheckedMesh, AgentLimits)> {
    let say = || format!("mesh not loaded. File: {}", args.input.display());
    check_scale(args.scale())?;
    let mesh = read_unchecked(&args.input, &args.file.placement()).with_context(say)?;
    mesh.notes.iter().for_each(|note| tracing::warn!("{note}"));
    let usual = BakeSettings::default();
    let agent_radius = mesh.agent_radius.unwrap_or(usual.agent_radius);
    let limits = args.limits(AgentLimits::from(&BakeSettings { agent_radius, ..usual }));
    Ok((mesh, limits))
}

/// The triangles of a level or scene, and the agent.
fn level(args: &DoctorArgs) -> anyhow::Result<(Vec<[Vec3; 3]>, AgentLimits)> {
    ProgressLine::new().say("importing the level");
    let (triangles, bake) = triangles_to_bake(&args.input, args.scale())?;
    let limits = args.limits(AgentLimits::from(&bake.unwrap_or_default()));
    Ok((triangles, limits))
}

fn scene_patient(args: &DoctorArgs) -> anyhow::Result<Patient> {
    if args.scale() != 1.0 {
        super::output::misused!("--scale is for levels; a scene's keep their sizes. File: {}", args.input.display());
    }
    let loaded = scene::file::load(&args.input)?;
    let assets = super::assets::load(&loaded.scene, loaded.root, &mut ProgressLine::new());
    let mut world = World::default();
    world.reconcile(&loaded.scene, &assets);
    let patient = Patient::of(&loaded.scene, &world);
    let limits = args.limits(patient.limits().clone());
    Ok(patient.with_limits(limits))
}

fn print_diagnosis(args: &DoctorArgs, diagnosis: &Diagnosis, millis: f64) -> anyhow::Result<ExitCode> {
    let (findings, note) = (&diagnosis.findings, &diagnosis.note);
    let code = ExitCode::from(u8::from(!findings.is_empty()));
    let count: usize = findings.iter().map(|f| f.unlisted.max(1)).sum();
    if args.json {
        let text = json!({
            "file": args.input.display().to_string(), "findings": findings, "count": count,
            "note": note, "error": diagnosis.error, "millis": millis
        });
        print_line(&serde_json::to_string(&text)?)?;
        return Ok(code);
    }
    for finding in findings {
        let p = finding.place;
        if finding.unlisted > 0 {
            print_line(&format!("{}: {}", finding.fault.label(), finding.cause))?;
            continue;
        }
        print_line(&format!("{} at ({:.2}, {:.2}, {:.2})", finding.fault.label(), p.x, p.y, p.z))?;
        print_line(&format!("    {}", finding.cause))?;
        print_line(&format!("    {}", finding.remedy))?;
    }
    if let Some(note) = note {
        print_line(&format!("Note: {note}"))?;
    }
    let count = if count == 0 { "nothing found".to_owned() } else { counted(count, "finding") };
    print_line(&format!("{}: {count}, {millis:.0} ms", args.input.display()))?;
    Ok(code)
}

fn print_answer(args: &DoctorArgs, answer: &PathAnswer) -> anyhow::Result<ExitCode> {
    use crate::nav::doctor::Barrier;
    if args.json {
        let text = json!({ "file": args.input.display().to_string(), "answer": answer });
        print_line(&serde_json::to_string(&text)?)?;
    } else {
        print_line(&answer.text)?;
        if let Barrier::Findings(findings) = &answer.barrier {
            for finding in findings {
                let p = finding.place;
                print_line(&format!("    ({:.2}, {:.2}, {:.2}) {} {}", p.x, p.y, p.z, finding.cause, finding.remedy))?;
            }
        }
    }
    Ok(ExitCode::from(u8::from(answer.barrier != Barrier::None)))
}
