//! `walkabout bench --paths`: exact paths on the maps of a public benchmark, beside their true lengths.

use super::output::{check_folder, is_standard_output, print_line};
use super::pairs::{Pair, QueryTimes, differs, points_of, read_pairs_for};
use crate::disk::write::write_or_print;
use crate::disk::{has_extension, stem_of};
use crate::nav::exchange::read_mesh;
use crate::nav::mesh::{Filter, NavMesh, NavPoint};
use crate::nav::query::QueryError;
use crate::nav::query::nearest::{SearchExtents, nearest};
use crate::nav::query::polyanya::index::{CornerIndex, IndexScratch};
use crate::nav::query::polyanya::{Polyanya, PolyanyaMesh, ShortestPath};
use crate::vocab::counted;
use anyhow::{Context, bail};
use glam::DVec3;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Budget of an index, bytes.
const MAX_INDEX_BYTES: usize = 256_000_000;
/// Passes over all queries, of which each query's fastest counts.
const PASSES: usize = 3;

#[derive(Serialize)]
struct MapReport {
    map: String,
    polygons: usize,
    corners: usize,
    queries: usize,
    exact: PlannerReport,
    /// Nothing where the index would be above its budget.
    index: Option<PlannerReport>,
}

#[derive(Serialize)]
struct PlannerReport {
    /// Milliseconds before the first query.
    prepare_ms: f64,
    /// Size in memory of what was prepared: the mesh of the search; the index.
    bytes: usize,
    /// How many lengths are others than the true ones.
    differ: usize,
    #[serde(flatten)]
    times: QueryTimes,
}

/// A query with the true length, negative without a path.
struct MapQuery {
    start: NavPoint,
    end: NavPoint,
    length: Option<f64>,
}

/// How the figures are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BenchOutput {
    /// One JSON array of all maps on standard output.
    pub json: bool,
    /// Comma-separated values, a row for each map and planner under a head: into a file, or with `-` on standard output.
    /// Without this and JSON: sentences, and the means of all maps at the end.
    pub csv: Option<PathBuf>,
}

/// The head of the comma-separated rows.
const COLUMNS: &str = "map,polygons,corners,queries,planner,mean_us,p50_us,p99_us,prepare_ms,bytes,differ";

/// Measures all maps of a folder, and prints a row for each.
///
/// # Errors
/// There is no map, or one without queries, or with a query off it; the rows cannot be written.
pub(super) fn run(folder: &Path, output: &BenchOutput) -> anyhow::Result<ExitCode> {
    let say = || format!("Folder: {}", folder.display());
    if output.json && output.csv.as_ref().is_some_and(|file| file.as_os_str() == "-") {
        super::output::misused!("--json and --csv both print to standard output; give the rows a file: --csv FILE");
    }
    check_folder(output.csv.as_deref())?;
    let entries = std::fs::read_dir(folder).with_context(|| {
        format!("maps not found; give a folder of .mesh or .map files beside their queries. {}", say())
    })?;
    let mut maps: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    maps.retain(|path| has_extension(path, &["mesh", "map"]));
    maps.sort();
    if maps.is_empty() {
        bail!("there is no .mesh or .map file; give a folder of maps beside their queries. {}", say());
    }
    let (is_text, mut csv) = (!output.json && output.csv.is_none(), format!("{COLUMNS}\n"));
    let mut reports = Vec::new();
    for map in maps {
        let report = measure(&map).with_context(|| format!("map not measured. File: {}", map.display()))?;
        if is_text {
            print_line(&as_text(&report))?;
        }
        csv += &(as_csv(&report) + "\n");
        reports.push(report);
    }
    if let Some(file) = &output.csv {
        write_or_print(file, csv.as_bytes()).with_context(|| format!("rows not written. File: {}", file.display()))?;
        if !output.json && !is_standard_output(file) {
            print_line(&format!("{}: {}", file.display(), counted(reports.len(), "map")))?;
        }
    }
    if output.json {
        print_line(&serde_json::to_string_pretty(&reports)?)?;
    } else if is_text {
        print_line(&summary(&reports))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The means over the queries of all maps; that of the index over the maps that have one.
fn summary(reports: &[MapReport]) -> String {
    let mean = |times: &dyn Fn(&MapReport) -> Option<f64>| {
        let known = || reports.iter().filter_map(|r| Some((times(r)?, r.queries as f64)));
        let count = known().map(|k| k.1).sum::<f64>();
        (count > 0.0).then(|| known().map(|(mean, count)| mean * count).sum::<f64>() / count)
    };
    let exact = mean(&|r| Some(r.exact.times.mean_us)).unwrap_or_default();
    let index = mean(&|r| r.index.as_ref().map(|i| i.times.mean_us));
    let index = index.map_or("without an index".to_owned(), |index| format!("exact-index {index:.2} µs"));
    format!("all queries: exact {exact:.2} µs in the mean, {index}")
}

/// The file of a map's queries: as a Polyanya mesh has it, or a scenario of MovingAI.
fn queries_file(map: &Path) -> anyhow::Result<PathBuf> {
    let beside = [map.with_extension("csv"), map.with_added_extension("scen"), map.with_extension("scen")];
    let found = beside.iter().find(|file| file.is_file()).cloned();
    found.with_context(|| {
        let names = beside.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy())).collect::<Vec<_>>();
        format!("it has no queries; put them beside it as {}", names.join(" or "))
    })
}

fn measure(map: &Path) -> anyhow::Result<MapReport> {
    let (mesh, filter) = (read_mesh(map)?.mesh, Filter::default());
    let queries = queries(&mesh, &filter, map)?;
    let begin = Instant::now();
    let net = PolyanyaMesh::build(&mesh, &filter);
    let prepare_ms = begin.elapsed().as_secs_f64() * 1e3;
    let (corners, bytes, mut search) = (net.corner_count(), net.bytes(), Polyanya::new());
    search.adopt(net);
    let ask = |query: &MapQuery, path: &mut ShortestPath| search.find(&mesh, query.start, query.end, &filter, path);
    let exact = clock(&queries, prepare_ms, bytes, ask);
    let begin = Instant::now();
    let index = CornerIndex::build(&mesh, &filter, MAX_INDEX_BYTES).ok();
    let index = index.map(|index| {
        let (prepare_ms, mut scratch) = (begin.elapsed().as_secs_f64() * 1e3, IndexScratch::default());
        let ask =
            |query: &MapQuery, path: &mut ShortestPath| index.find(&mesh, query.start, query.end, &mut scratch, path);
        clock(&queries, prepare_ms, index.bytes(), ask)
    });
    let name = stem_of(map);
    Ok(MapReport { map: name, polygons: mesh.len(), corners, queries: queries.len(), exact, index })
}

fn queries(mesh: &NavMesh, filter: &Filter, map: &Path) -> anyhow::Result<Vec<MapQuery>> {
    let file = &queries_file(map)?;
    let place = |point: DVec3| {
        let near = nearest(mesh, mesh.local(point), &SearchExtents::default(), filter);
        let DVec3 { x, z: y, .. } = point;
        near.map(|n| n.nav_point()).with_context(|| format!("({x}, {y}) lies off the map. File: {}", file.display()))
    };
    let pairs = read_pairs_for(map, file)?;
    let query = |([start, end], pair): ([DVec3; 2], &Pair)| {
        Ok(MapQuery { start: place(start)?, end: place(end)?, length: pair.length })
    };
    points_of(&pairs, None, file)?.into_iter().zip(&pairs).map(query).collect()
}

fn clock(
    queries: &[MapQuery],
    prepare_ms: f64,
    bytes: usize,
    mut ask: impl FnMut(&MapQuery, &mut ShortestPath) -> Result<(), QueryError>,
) -> PlannerReport {
    let mut path = ShortestPath::default();
    let mut differ = 0;
    let mut micros = Vec::with_capacity(queries.len());
    for query in queries {
        let mut least = f64::INFINITY;
        for _ in 0..PASSES {
            let begin = Instant::now();
            let found = ask(query, &mut path).is_ok();
            least = least.min(begin.elapsed().as_secs_f64() * 1e6);
            let length = if found { path.length_2d } else { -1.0 };
            differ += usize::from(query.length.is_some_and(|truth| differs(length, truth)));
        }
        micros.push(least);
    }
    PlannerReport { prepare_ms, bytes, differ: differ / PASSES, times: QueryTimes::of(micros) }
}

fn as_text(report: &MapReport) -> String {
    let MapReport { map, polygons, corners, queries, exact, index } = report;
    let times = |planner: &PlannerReport| format!("{:.2}, {} differ", planner.times, planner.differ);
    let index = index.as_ref().map_or("no index within the budget".to_owned(), |index| {
        let megabytes = index.bytes as f64 / 1e6;
        format!("{}; built in {:.0} ms, {megabytes:.1} MB", times(index), index.prepare_ms)
    });
    format!(
        "{map}: {polygons} polygons, {corners} corners, {queries} queries\n  exact        {}\n  exact-index  {index}",
        times(exact)
    )
}

/// The rows of a map, without a line's end.
fn as_csv(report: &MapReport) -> String {
    let MapReport { map, polygons, corners, queries, exact, index } = report;
    // A name with commas or quotes is quoted, its quotes doubled (RFC 4180).
    let name = if map.contains([',', '"', '\n']) { format!("\"{}\"", map.replace('"', "\"\"")) } else { map.clone() };
    let row = |planner: &str, report: &PlannerReport| {
        let PlannerReport { prepare_ms, bytes, differ, times } = report;
        let QueryTimes { mean_us, p50_us, p99_us } = times;
        let own = format!("{mean_us:.3},{p50_us:.3},{p99_us:.3},{prepare_ms:.3},{bytes},{differ}");
        format!("{name},{polygons},{corners},{queries},{planner},{own}")
    };
    let rows = std::iter::once(row("exact", exact)).chain(index.iter().map(|index| row("exact-index", index)));
    rows.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planner(bytes: usize) -> PlannerReport {
        let times = QueryTimes { mean_us: 1.5, p50_us: 1.0, p99_us: 9.0 };
        PlannerReport { prepare_ms: 2.0, bytes, differ: 0, times }
    }

    fn report(index: Option<PlannerReport>) -> MapReport {
        MapReport { map: "den,1".to_owned(), polygons: 3, corners: 4, queries: 5, exact: planner(32), index }
    }

    #[test]
    fn maps_without_an_index_have_no_mean_of_it() {
        let mean = "all queries: exact 1.50 µs in the mean, ";
        assert_eq!(summary(&[report(None)]), format!("{mean}without an index"));
        assert_eq!(summary(&[report(None), report(Some(planner(64)))]), format!("{mean}exact-index 1.50 µs"));
    }

    #[test]
    fn rows_have_the_columns_of_their_head() {
        let text = as_csv(&report(Some(planner(64))));
        let expected = "\"den,1\",3,4,5,exact,1.500,1.000,9.000,2.000,32,0\n\"den,1\",3,4,5,exact-index,1.500,1.000,9.000,2.000,64,0";
        assert_eq!(text, expected);
        assert_eq!(COLUMNS.split(',').count() + 1, expected.lines().next().map_or(0, |l| l.split(',').count()));
    }
}
