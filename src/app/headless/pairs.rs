//! Files of many queries, and how long queries took.

use crate::disk::excerpt::shortened;
use crate::disk::read_text;
use crate::math::Percentiles;
use crate::nav::exchange::grid_map_size;
use anyhow::{Context, bail};
use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One query of a file; other keys are passed over.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Pair {
    #[serde(alias = "from")]
    pub start: End,
    #[serde(alias = "to", alias = "target")]
    pub end: End,
    /// Polygons of the ends, as the mesh's file numbers them.
    pub start_poly: Option<u32>,
    pub end_poly: Option<u32>,
    /// The true length in the plane, where the file knows it; negative without a path.
    #[serde(skip)]
    pub length: Option<f64>,
    /// Width and height of the grid map that it is for, where the file tells, and the line that does.
    #[serde(skip)]
    pub map: Option<([usize; 2], usize)>,
}

/// Where a path starts or ends.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a start or an end is neither a point [x, y, z] of three numbers nor the number of a triangle"
)]
pub(super) enum End {
    /// At the centre of a level's triangle, by its number.
    Triangle(u32),
    /// At a point in the world.
    Point([f64; 3]),
}

impl Pair {
    /// The query between two points.
    pub fn between(from: Vec3, to: Vec3) -> Self {
        let point = |p: Vec3| End::Point(p.as_dvec3().to_array());
        Self { start: point(from), end: point(to), start_poly: None, end_poly: None, length: None, map: None }
    }
}

/// Largest file of pairs that is read, bytes.
const MAX_PAIRS_BYTES: u64 = 64 << 20;

/// The queries of a pairs file.
///
/// # Errors
/// The file cannot be read, is too large, or holds something else or nothing.
pub(super) fn read_pairs(file: &Path) -> anyhow::Result<Vec<Pair>> {
    let say = || format!("pairs not read. File: {}", file.display());
    let text = read_text(file, MAX_PAIRS_BYTES).with_context(say)?;
    let pairs = if text.trim_start().starts_with(['[', '{']) {
        let queries = serde_json::from_str(&text).map_err(|e| anyhow::Error::msg(shortened(&e)));
        queries.context("the file must hold a JSON array of queries").with_context(say)?
    } else {
        benchmark_pairs(&text).with_context(say)?
    };
    if pairs.is_empty() {
        return Err(anyhow::anyhow!("the file holds no query; {ROW}")).with_context(say);
    }
    Ok(pairs)
}

/// As [`read_pairs`], for a map: queries for a grid of another size are refused.
///
/// # Errors
/// As for [`read_pairs`]; a query is for another map.
pub(super) fn read_pairs_for(map: &Path, file: &Path) -> anyhow::Result<Vec<Pair>> {
    let pairs = read_pairs(file)?;
    if let Some(own) = grid_map_size(map)
        && let Some((size, line)) = pairs.iter().filter_map(|pair| pair.map).find(|(size, _)| *size != own)
    {
        let [[x, y], [width, height]] = [own, size];
        bail!(
            "line {line} is for a map of {width} x {height} cells, {} has {x} x {y}; give the map's own file of pairs. \
             File: {}",
            map.display(),
            file.display()
        );
    }
    Ok(pairs)
}

/// Refuses ends that there are not, by the number of their query from 1 on. `triangles` is how many the level has; `None` where ends
/// have to be points.
///
/// # Errors
/// The first such end, with the file that the pairs are from.
pub(super) fn check_pairs(pairs: &[Pair], triangles: Option<usize>, file: &Path) -> anyhow::Result<()> {
    let fault = |end: End| match (end, triangles) {
        (End::Triangle(number), None) => Some(format!("names triangle {number} of a level; give points")),
        (End::Triangle(number), Some(count)) if number as usize >= count => {
            Some(format!("names triangle {number}; the level's triangles are 0 to {}", count.saturating_sub(1)))
        }
        (End::Point(p), _) if !p.iter().all(|v| v.is_finite()) => {
            Some("has a coordinate that is not a finite number".to_owned())
        }
        _ => None,
    };
    for (i, pair) in (1..).zip(pairs) {
        if let Some(fault) = [pair.start, pair.end].into_iter().find_map(fault) {
            return Err(anyhow::anyhow!("query {i} {fault}"))
                .with_context(|| format!("no path was looked for. File: {}", file.display()));
        }
    }
    Ok(())
}

/// The ends of pairs as points in the world; of the triangles of a level the `centers` serve, where it has some.
///
/// # Errors
/// As for [`check_pairs`].
pub(super) fn points_of(pairs: &[Pair], centers: Option<&[DVec3]>, file: &Path) -> anyhow::Result<Vec<[DVec3; 2]>> {
    check_pairs(pairs, centers.map(<[DVec3]>::len), file)?;
    let point = |end: End| match end {
        End::Point(point) => DVec3::from(point),
        End::Triangle(number) => centers.unwrap_or_default()[number as usize],
    };
    Ok(pairs.iter().map(|pair| [pair.start, pair.end].map(point)).collect())
}

/// What a file of pairs holds.
const ROW: &str = "give lines of start x and y, end x and y and maybe the true length, a scenario of MovingAI, or a JSON array of queries";

/// Columns of a scenario up to the end of a query: bucket, map, width, height, start, end.
const SCENARIO_COLUMNS: usize = 8;

/// The queries of the path benchmarks, by line: start x and y, end x and y and maybe the true length; or those of
/// MovingAI's scenarios, whose lengths are those of a grid and say nothing here. The first line may name the columns.
fn benchmark_pairs(text: &str) -> anyhow::Result<Vec<Pair>> {
    let is_scenario = text.trim_start().starts_with("version");
    let mut pairs = Vec::new();
    // Blank lines may go before the head of a scenario.
    let blank = text.lines().take_while(|row| row.trim().is_empty()).count();
    for (line, row) in (1..).zip(text.lines()).skip(if is_scenario { blank + 1 } else { 0 }) {
        // Maps of scenarios may have blanks and commas in their names, where tabs lie between the columns.
        let has_tabs = is_scenario && row.split('\t').count() >= SCENARIO_COLUMNS;
        let is_between = |c: char| c == '\t' || (!has_tabs && matches!(c, ',' | ' '));
        let words: Vec<&str> = row.split(is_between).map(str::trim).filter(|word| !word.is_empty()).collect();
        let names_columns = line == 1 && words.iter().all(|word| word.parse::<f64>().is_err());
        if words.is_empty() || names_columns {
            continue;
        }
        // Bucket, name, width and height go before in a scenario.
        let before = words.get(..4).filter(|_| is_scenario).unwrap_or_default();
        let number = |word: &&str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(anyhow::anyhow!("line {line}: '{}' is no finite number; {ROW}", shortened(word))),
        };
        let numbers: Vec<f64> = words[before.len()..].iter().take(5).map(number).collect::<Result<_, _>>()?;
        let [x, y, to_x, to_y, rest @ ..] = &numbers[..] else {
            bail!("line {line} has {} numbers of four; {ROW}", numbers.len());
        };
        let (start, end) = (End::Point([*x, 0.0, *y]), End::Point([*to_x, 0.0, *to_y]));
        let length = rest.first().copied().filter(|_| !is_scenario);
        let map = match before {
            [_, _, width, height] => width.parse().ok().zip(height.parse().ok()).map(|(w, h)| ([w, h], line)),
            _ => None,
        };
        pairs.push(Pair { start, end, start_poly: None, end_poly: None, length, map });
    }
    Ok(pairs)
}

/// Relative difference up to which two lengths are the same.
const SAME_LENGTH: f64 = 1e-5;

/// Whether a length is another than the true one, both negative where there is no path.
pub(super) fn differs(length: f64, truth: f64) -> bool {
    (length < 0.0) != (truth < 0.0) || truth >= 0.0 && (length - truth).abs() > SAME_LENGTH * truth.max(1.0)
}

/// Microseconds of many queries.
#[derive(Serialize)]
pub(super) struct QueryTimes {
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
}

impl QueryTimes {
    pub fn of(micros: Vec<f64>) -> Self {
        let Percentiles { mean, p50, p99 } = Percentiles::of(micros);
        Self { mean_us: mean, p50_us: p50, p99_us: p99 }
    }
}

impl std::fmt::Display for QueryTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let Self { mean_us, p50_us, p99_us } = self;
        write!(f, "mean {mean_us:.digits$} µs, median {p50_us:.digits$} µs, 99 % within {p99_us:.digits$} µs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        benchmark_pairs(text).unwrap_err().to_string()
    }

    #[test]
    fn rows_that_are_no_queries_are_named() {
        assert_eq!(benchmark_pairs("from x,from y,to x,to y,length\n1,2,3,4,5\n\n1 2 3 4\n").unwrap().len(), 2);
        assert!(error("1,1,9,9,11.66\nx,1,2,3,4\n").starts_with("line 2: 'x' is no finite number; give lines of"));
        assert!(error("nan,1,9,9,1\n").starts_with("line 1: 'nan' is no finite number"));
        assert!(error("1,1,9,9,inf\n").starts_with("line 1: 'inf' is no finite number"));
        assert!(error("1,1,9,9\n1,1,9\n").starts_with("line 2 has 3 numbers of four"));
        assert!(error("version 1\n0 m.map 6 4 0 0 5\n").starts_with("line 2 has 3 numbers of four"));
    }

    #[test]
    fn queries_with_ends_that_there_are_not_are_named() {
        let pair = |start| Pair { start, ..Pair::between(Vec3::ZERO, Vec3::X) };
        let good = pair(End::Triangle(4));
        let said = |bad: End, triangles: Option<usize>| {
            let pairs = [good, pair(bad)];
            let pairs = if triangles.is_none() { &pairs[1..] } else { &pairs };
            format!("{:#}", check_pairs(pairs, triangles, Path::new("pairs.json")).unwrap_err())
        };
        assert!(check_pairs(&[good], Some(5), Path::new("pairs.json")).is_ok());
        assert_eq!(
            said(End::Triangle(5), Some(5)),
            "no path was looked for. File: pairs.json: query 2 names triangle 5; the level's triangles are 0 to 4"
        );
        assert!(said(End::Triangle(0), None).ends_with("query 1 names triangle 0 of a level; give points"));
        assert!(said(End::Point([f64::NAN, 0.0, 0.0]), Some(5)).contains("query 2 has a coordinate"));
        let centers = [DVec3::X, DVec3::Y];
        let ends = points_of(&[pair(End::Triangle(1))], Some(&centers), Path::new("pairs.json")).unwrap();
        assert_eq!(ends, [[DVec3::Y, DVec3::X]]);
    }

    #[test]
    fn maps_of_scenarios_may_have_blanks_in_their_names() {
        let rows = "\nversion 1\n0\tmy map, old.map\t6\t4\t1\t2\t5\t3\t7 \n0 m.map 6 4 1 2 5 3 7\n";
        let pairs = benchmark_pairs(rows).unwrap();
        assert_eq!(pairs.len(), 2);
        for pair in pairs {
            assert!(matches!(pair.start, End::Point([1.0, 0.0, 2.0])), "{pair:?}");
            assert!(matches!(pair.end, End::Point([5.0, 0.0, 3.0])), "{pair:?}");
            assert_eq!(pair.map.map(|(size, _)| size), Some([6, 4]), "{pair:?}");
        }
    }

    #[test]
    fn files_without_a_query_or_for_another_map_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        for (name, text) in [("a.csv", ""), ("b.json", "[]"), ("c.csv", "x,y,to x,to y\n"), ("d.scen", "version 1\n")] {
            let error = format!("{:#}", read_pairs(&file(name, text)).unwrap_err());
            assert!(error.contains(name) && error.contains("holds no query; give lines"), "{error}");
        }
        let map = file("m.map", "type octile\nheight 1\nwidth 3\nmap\n...\n");
        let own = file("m.scen", "version 1\n0\tm.map\t3\t1\t0\t0\t2\t0\t2\n");
        assert_eq!(read_pairs_for(&map, &own).unwrap().len(), 1);
        let other = file("o.scen", "version 1\n0\to.map\t3\t1\t0\t0\t2\t0\t2\n0\to.map\t512\t9\t0\t0\t5\t3\t9\n");
        let error = read_pairs_for(&map, &other).unwrap_err().to_string();
        assert!(error.starts_with("line 3 is for a map of 512 x 9 cells") && error.contains("has 3 x 1"), "{error}");
    }

    #[test]
    fn lengths_differ_by_a_part_in_100_000_or_a_missing_path() {
        assert!(!differs(100.0005, 100.0) && differs(100.002, 100.0) && differs(99.998, 100.0));
        assert!(!differs(-1.0, -1.0) && differs(-1.0, 3.0) && differs(3.0, -1.0));
    }
}
