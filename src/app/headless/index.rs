//! `walkabout index`: the index of exact paths of a navigation mesh, built and saved.

use super::mesh::{self, MeshInputArgs};
use super::output::{check_output, print_line, print_written};
use super::path_args::parse_filter;
use super::progress::ProgressLine;
use crate::nav::mesh::{Filter, NavMesh};
use crate::nav::query::polyanya::index::{CornerIndex, IndexTooLarge};
use anyhow::Context;
use glam::DVec3;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  walkabout index plaza.navmesh --out plaza.index
  walkabout index plaza.navmesh --mb 64 --json
  walkabout path plaza.navmesh --planner exact-index --index plaza.index --from -5,0,10 --to 20,0,10

The planner 'exact-index' builds the same index by itself where it is given none; a file saves that time. It belongs to
one mesh: after another bake it is refused.";

/// Build the index of exact paths of a navigation mesh.
///
/// Prints its size and the time; saves it with --out. Paths by the planner 'exact-index' then take microseconds.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct IndexArgs {
    #[command(flatten)]
    pub(in crate::app) input: MeshInputArgs,

    /// File to write (.index); - is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Most memory that the index may take, MB.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536), allow_negative_numbers = true)]
    mb: u32,

    /// Use only polygons with one of these flags, and none of those after a slash (hexadecimal), such as 1 or ffff/4.
    #[arg(long, value_name = "FLAGS", value_parser = parse_filter)]
    filter: Option<Filter>,

    /// Print JSON to standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A mesh that does not load, an index above the budget, a file that cannot be written.
pub fn run(args: &IndexArgs) -> anyhow::Result<ExitCode> {
    check_output("--out", args.out.as_deref(), ["index", "index"], args.json)?;
    let say = || format!("File: {}", args.input.level.input.display());
    let (mesh, filter) = (mesh::load(&args.input, DVec3::ZERO)?.mesh, args.filter.clone().unwrap_or_default());
    let begin = Instant::now();
    let index = build(&mesh, &filter, args.mb as usize * 1_000_000)
        .with_context(|| format!("index not built within --mb {}. {}", args.mb, say()))?;
    let secs = begin.elapsed().as_secs_f64();
    let (corners, labels, bytes) = (index.corners(), index.label_count(), index.bytes());
    let mut written = None;
    if let Some(out) = &args.out {
        index.save(&mesh, out).with_context(|| format!("index not saved. File: {}", out.display()))?;
        written = Some(out);
    }
    let megabytes = bytes as f64 / 1e6;
    if args.json {
        let report = json!({ "corners": corners, "labels": labels, "bytes": bytes, "seconds": secs });
        print_line(&report.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = format!("{corners} corners, {labels} labels, {megabytes:.1} MB, built in {secs:.2} s");
    match written {
        Some(out) => print_written(out, &format!("{}: {text}", out.display()))?,
        None => print_line(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds an index while a line tells how far it is.
fn build(mesh: &NavMesh, filter: &Filter, max_bytes: usize) -> Result<CornerIndex, IndexTooLarge> {
    let (told, heard) = mpsc::channel();
    // A closed channel only means that the line is no longer shown.
    let tell = move |part, share| {
        let _ = told.send((part, share));
    };
    std::thread::scope(|scope| {
        let building = scope.spawn(move || CornerIndex::build_and_tell(mesh, filter, max_bytes, &tell));
        let mut line = ProgressLine::new();
        // Ends when the thread does, which owns the other end.
        for (part, share) in heard {
            line.tell(|| format!("index of exact paths: {part}, {:.0} %", share * 100.0));
        }
        building.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
