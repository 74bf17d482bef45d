//! A checked navigation mesh with its links, and all that is asked of it.

use crate::{Error, NoPath, fault, fault_of};
use glam::{DVec3, Vec3};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;
use walkabout::behavior::split_mix::SplitMix64;
use walkabout::disk;
use walkabout::nav::bake::{BakeSettings, bake, silent};
use walkabout::nav::doctor::{AgentLimits, examine_mesh, why_no_path_on_mesh};
use walkabout::nav::exchange::{ExchangeAgent, MeshPlacement, read_placed, write_as};
use walkabout::nav::mesh::off_mesh::OffMeshLinks;
use walkabout::nav::mesh::{DetourValues, Filter, MeshFile, NavMesh, RawMesh, RawPolygon};
use walkabout::nav::planner::{Metric, PathResult, Planner, PlannerContext, Query, find_all};
use walkabout::nav::query::nearest::{SearchExtents, nearest};
use walkabout::nav::query::random::random_point;
use walkabout::nav::query::raycast::raycast;

/// A navigation mesh.
#[pyclass(frozen, module = "walkabout")]
pub struct Mesh {
    file: MeshFile,
    mesh: NavMesh,
    links: OffMeshLinks,
    format: String,
    notes: Vec<String>,
    /// Working memory of planners, kept between calls.
    contexts: Mutex<Vec<PlannerContext>>,
}

/// The rows of an array of points, shape (n, 3).
fn rows(points: &PyReadonlyArray2<'_, f64>, what: &str) -> PyResult<Vec<DVec3>> {
    let view = points.as_array();
    if view.ncols() != 3 {
        return Err(Error::new_err(format!("{what} has shape {:?}; give (n, 3)", view.shape())));
    }
    Ok(view.rows().into_iter().map(|row| DVec3::new(row[0], row[1], row[2])).collect())
}

/// Points as an array of shape (n, 3).
pub fn points_array(py: Python<'_>, points: impl Iterator<Item = DVec3>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let flat: Vec<f64> = points.flat_map(|p| p.to_array()).collect();
    let count = flat.len() / 3;
    PyArray1::from_vec(py, flat).reshape([count, 3])
}

fn planner_of(name: &str) -> PyResult<Planner> {
    let planner: Planner = name.parse().map_err(|error: walkabout::nav::planner::UnknownPlanner| fault(error))?;
    if !Planner::ON_MESH.contains(&planner) {
        let names = Planner::ON_MESH.map(|planner| planner.name()).join(", ");
        return Err(Error::new_err(format!("the planner '{name}' searches no mesh; choose one of {names}")));
    }
    Ok(planner)
}

/// How paths are searched: planner, radius in metres, costs by area, whether lengths count along the surface.
type PathOptions = (String, f32, Vec<(u8, f32)>, bool);

/// The filter of these costs by area; the length of a metre elsewhere is 1.
fn filter_of(costs: Vec<(u8, f32)>) -> PyResult<Filter> {
    let mut filter = Filter::default();
    for (area, cost) in costs {
        let slot = filter.cost.get_mut(usize::from(area)).filter(|_| cost >= 1.0 && cost.is_finite());
        *slot.ok_or_else(|| {
            Error::new_err(format!("area {area} at cost {cost}; areas are 0 to 63, costs 1 or more"))
        })? = cost;
    }
    Ok(filter)
}

impl Mesh {
    /// A mesh from what a file holds, checked.
    pub fn of(file: MeshFile, format: &str) -> PyResult<Self> {
        let (mesh, links) = file.check().map_err(fault)?;
        let (format, notes) = (format.to_owned(), Vec::new());
        Ok(Self { file, mesh, links, format, notes, contexts: Mutex::default() })
    }

    fn query<'a>(
        &'a self,
        [from, to]: [DVec3; 2],
        filter: &'a Filter,
        radius: f32,
        along_surface: bool,
    ) -> Result<Query<'a>, walkabout::nav::query::QueryError> {
        let links = Some(&self.links).filter(|links| !links.all().is_empty());
        let metric = Metric::along_surface(along_surface);
        Ok(Query { radius, metric, links, ..Query::between(&self.mesh, from, to, filter)? })
    }

    /// Runs with so many contexts, which are kept.
    fn with_contexts<T>(&self, count: usize, work: impl FnOnce(&mut [PlannerContext]) -> T) -> T {
        let lock = || self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken: Vec<PlannerContext> = {
            let mut kept = lock();
            let from = kept.len().saturating_sub(count);
            kept.drain(from..).collect()
        };
        taken.resize_with(count, PlannerContext::new);
        let answer = work(&mut taken);
        lock().append(&mut taken);
        answer
    }

    /// The agent that it was baked or saved for; the usual one where that is not known.
    fn agent(&self) -> ExchangeAgent {
        self.file.values.as_ref().map_or_else(|| agent_of(&BakeSettings::default()), |values| values.agent)
    }

    /// The agent by whose measures it is examined, as `walkabout doctor` takes it.
    fn limits(&self) -> AgentLimits {
        AgentLimits::from(&BakeSettings { agent_radius: self.agent().radius, ..BakeSettings::default() })
    }

    /// A polygon's number in the file; -1 where it is unknown.
    fn number(&self, polygon: walkabout::nav::mesh::PolyId) -> i64 {
        i64::from(self.mesh.source(polygon))
    }
}

fn agent_of(settings: &BakeSettings) -> ExchangeAgent {
    let BakeSettings { agent_height, agent_radius, agent_climb, .. } = *settings;
    ExchangeAgent { height: agent_height, radius: agent_radius, climb: agent_climb }
}

fn is_radius(radius: f32) -> PyResult<()> {
    if radius >= 0.0 && radius.is_finite() {
        return Ok(());
    }
    Err(Error::new_err(format!("radius is {radius}; give 0 or more, metres")))
}

#[pymethods]
impl Mesh {
    /// Bakes triangles; `settings` is JSON.
    #[staticmethod]
    fn bake(
        py: Python<'_>,
        vertices: PyReadonlyArray2<'_, f64>,
        triangles: PyReadonlyArray2<'_, i64>,
        settings: &str,
    ) -> PyResult<Self> {
        let vertices: Vec<Vec3> = rows(&vertices, "vertices")?.into_iter().map(|p| p.as_vec3()).collect();
        let view = triangles.as_array();
        if view.ncols() != 3 {
            return Err(Error::new_err(format!("triangles has shape {:?}; give (m, 3)", view.shape())));
        }
        let corner = |i: i64| usize::try_from(i).ok().and_then(|i| vertices.get(i).copied());
        let mut level = Vec::with_capacity(view.nrows());
        for (i, row) in view.rows().into_iter().enumerate() {
            match [row[0], row[1], row[2]].map(corner) {
                [Some(a), Some(b), Some(c)] => level.push([a, b, c]),
                _ => {
                    let count = vertices.len();
                    return Err(Error::new_err(format!("triangle {i} names a vertex that is not among the {count}")));
                }
            }
        }
        let settings: BakeSettings =
            serde_json::from_str(settings).map_err(|error| Error::new_err(format!("settings: {error}")))?;
        let baked = py.detach(|| bake(&level, &settings, &mut silent)).map_err(fault)?;
        let cell = Some([settings.cell_size, settings.cell_height]);
        let values = Some(DetourValues { cell, ..DetourValues::new(agent_of(&settings)) });
        Self::of(MeshFile { mesh: baked.mesh, detail: baked.detail, links: baked.links, values }, "baked")
    }

    /// Reads a file of any format.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, axes: Option<&str>, scale: f64) -> PyResult<Self> {
        let say = fault_of(&path);
        let axes = axes.map_or(Ok(Default::default()), |axes| axes.parse().map_err(|error| say(&error)))?;
        let placement = MeshPlacement { axes, scale };
        let read = py.detach(|| read_placed(&path, &placement)).map_err(|error| say(&error))?;
        let file = MeshFile { values: read.detour, ..read.file };
        let (mesh, links, format, notes) = (read.mesh, read.links, read.format, read.notes);
        Ok(Self { file, mesh, links, format, notes, contexts: Mutex::default() })
    }

    /// From vertices and polygons, whose corners stand one after the other.
    #[staticmethod]
    fn from_polygons(
        vertices: PyReadonlyArray2<'_, f64>,
        corners: PyReadonlyArray1<'_, u32>,
        counts: PyReadonlyArray1<'_, u32>,
        areas: Option<PyReadonlyArray1<'_, u8>>,
    ) -> PyResult<Self> {
        let vertices = rows(&vertices, "vertices")?;
        let (corners, counts) = (corners.as_array().to_vec(), counts.as_array().to_vec());
        let areas = areas.map(|areas| areas.as_array().to_vec());
        let mut rest = corners.as_slice();
        let mut polygons = Vec::with_capacity(counts.len());
        for (i, count) in counts.into_iter().enumerate() {
            let (own, after) = rest
                .split_at_checked(count as usize)
                .ok_or_else(|| Error::new_err(format!("polygon {i} has more corners than are given")))?;
            rest = after;
            let mut polygon = RawPolygon::new(own);
            if let Some(areas) = &areas {
                polygon.area = *areas
                    .get(i)
                    .ok_or_else(|| Error::new_err(format!("polygon {i} has no area; give one for each")))?;
            }
            polygons.push(polygon);
        }
        Self::of(MeshFile { mesh: RawMesh { vertices, polygons }, ..MeshFile::default() }, "polygons")
    }

    /// Writes the mesh in the format of the name's ending; what that cannot hold is answered.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        let agent = self.agent();
        let say = fault_of(&path);
        let written =
            py.detach(|| write_as(&self.mesh, &self.file, Path::new(&path), &agent)).map_err(|error| say(&error))?;
        disk::write(&path, &written.bytes).map_err(|error| say(&error))?;
        Ok(written.notes)
    }

    /// Its format in words.
    #[getter]
    fn format(&self) -> &str {
        &self.format
    }

    /// What reading left out or changed.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    #[getter]
    fn island_count(&self) -> u32 {
        self.mesh.island_count()
    }

    #[getter]
    fn link_count(&self) -> usize {
        self.links.all().len()
    }

    fn __len__(&self) -> usize {
        self.mesh.len()
    }

    /// Vertices (n, 3); the corners of all polygons one after the other; how many each has; areas; flags; islands.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let polygons = &self.file.mesh.polygons;
        let mut islands = vec![-1i64; polygons.len()];
        for id in self.mesh.live_polygons() {
            islands[self.mesh.source(id) as usize] = i64::from(self.mesh.polygon(id).island);
        }
        let corners = polygons.iter().flat_map(|p| p.vertices.iter().copied());
        let all = PyDict::new(py);
        all.set_item("vertices", points_array(py, self.file.mesh.vertices.iter().copied())?)?;
        all.set_item("corners", PyArray1::from_vec(py, corners.collect()))?;
        let counts: Vec<u32> = polygons.iter().map(|p| p.vertices.len() as u32).collect();
        all.set_item("counts", PyArray1::from_vec(py, counts))?;
        all.set_item("areas", PyArray1::from_vec(py, polygons.iter().map(|p| p.area).collect()))?;
        all.set_item("flags", PyArray1::from_vec(py, polygons.iter().map(|p| p.flags).collect()))?;
        all.set_item("islands", PyArray1::from_vec(py, islands))?;
        Ok(all)
    }

    /// One path.
    fn path<'py>(&self, py: Python<'py>, ends: [[f64; 3]; 2], options: PathOptions) -> PyResult<Bound<'py, PyDict>> {
        let (planner, radius, costs, along_surface) = options;
        let (planner, filter) = (planner_of(&planner)?, filter_of(costs)?);
        is_radius(radius)?;
        let query = self
            .query(ends.map(DVec3::from_array), &filter, radius, along_surface)
            .map_err(|error| NoPath::new_err(error.to_string()))?;
        let found = py.detach(|| self.with_contexts(1, |contexts| planner.find(&mut contexts[0], &self.mesh, &query)));
        if let Some(reason) = found.reason {
            return Err(NoPath::new_err(reason.to_string()));
        }
        let answer = PyDict::new(py);
        answer.set_item("points", points_array(py, found.points.iter().map(|p| self.mesh.world(*p)))?)?;
        let polygons: Vec<i64> = found.polygons.iter().map(|id| self.number(*id)).collect();
        answer.set_item("polygons", PyArray1::from_vec(py, polygons))?;
        answer.set_item("length", found.length)?;
        answer.set_item("length_2d", found.length_2d)?;
        answer.set_item("expanded", found.expanded)?;
        answer.set_item("links", found.links.iter().map(|(at, _)| *at).collect::<Vec<_>>())?;
        answer.set_item("notes", found.notes)?;
        answer.set_item("cost", found.cost.map(|c| c.cost))?;
        answer.set_item("lower_bound", found.cost.map(|c| c.lower_bound))?;
        Ok(answer)
    }

    /// Many paths on several threads: lengths, points one after the other, how many each has, and why there is none.
    fn paths<'py>(
        &self,
        py: Python<'py>,
        starts: PyReadonlyArray2<'_, f64>,
        ends: PyReadonlyArray2<'_, f64>,
        options: PathOptions,
        threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (planner, radius, costs, along_surface) = options;
        let (planner, filter) = (planner_of(&planner)?, filter_of(costs)?);
        is_radius(radius)?;
        let (starts, ends) = (rows(&starts, "starts")?, rows(&ends, "ends")?);
        if starts.len() != ends.len() {
            return Err(Error::new_err(format!("{} starts, {} ends; give as many of both", starts.len(), ends.len())));
        }
        let threads = if threads == 0 { available_parallelism().map_or(1, |count| count.get()) } else { threads };
        let (found, reasons) = py.detach(|| {
            let mut reasons: Vec<Option<String>> = vec![None; starts.len()];
            let (mut places, mut queries) = (Vec::new(), Vec::new());
            for (i, (start, end)) in starts.iter().zip(&ends).enumerate() {
                match self.query([*start, *end], &filter, radius, along_surface) {
                    Ok(query) => {
                        places.push(i);
                        queries.push(Query { skip_polygons: true, ..query });
                    }
                    Err(error) => reasons[i] = Some(error.to_string()),
                }
            }
            let answers = self.with_contexts(threads.min(256), |all| find_all(all, planner, &self.mesh, &queries));
            let mut found: Vec<PathResult> = vec![PathResult::default(); starts.len()];
            for (i, answer) in places.into_iter().zip(answers) {
                reasons[i] = answer.reason.as_ref().map(ToString::to_string);
                found[i] = answer;
            }
            (found, reasons)
        });
        let length = |(found, reason): (&PathResult, &Option<String>)| match reason {
            None => found.length,
            Some(_) => f64::NAN,
        };
        let all = PyDict::new(py);
        let lengths: Vec<f64> = found.iter().zip(&reasons).map(length).collect();
        all.set_item("lengths", PyArray1::from_vec(py, lengths))?;
        let points = found.iter().flat_map(|found| found.points.iter().map(|p| self.mesh.world(*p)));
        all.set_item("points", points_array(py, points)?)?;
        let counts: Vec<u32> = found.iter().map(|found| found.points.len() as u32).collect();
        all.set_item("counts", PyArray1::from_vec(py, counts))?;
        all.set_item("reasons", reasons)?;
        Ok(all)
    }

    /// The nearest ground to each point, and its polygon; NaN and -1 where there is none within the reach.
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'_, f64>,
        half_extents: [f32; 3],
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>)> {
        let points = rows(&points, "points")?;
        let extents = SearchExtents { half_extents: half_extents.into(), ..SearchExtents::default() };
        let filter = Filter::default();
        let near = |p: &DVec3| {
            let found = nearest(&self.mesh, self.mesh.local(*p), &extents, &filter);
            found.map_or((DVec3::NAN, -1), |found| (self.mesh.world(found.point), self.number(found.polygon)))
        };
        let found: Vec<(DVec3, i64)> = py.detach(|| points.iter().map(near).collect());
        let polygons = found.iter().map(|(_, polygon)| *polygon).collect();
        Ok((points_array(py, found.iter().map(|(p, _)| *p))?, PyArray1::from_vec(py, polygons)))
    }

    /// The free share of the way from a point to others, 0 to 1, and where it ends.
    fn raycast<'py>(
        &self,
        py: Python<'py>,
        start: [f64; 3],
        ends: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        let (ends, filter) = (rows(&ends, "ends")?, Filter::default());
        let local = self.mesh.local(DVec3::from_array(start));
        let ground = nearest(&self.mesh, local, &SearchExtents::default(), &filter)
            .ok_or_else(|| Error::new_err("nothing of the mesh is near the start"))?
            .nav_point();
        let mut shares = Vec::with_capacity(ends.len());
        let mut places = Vec::with_capacity(ends.len());
        for end in ends {
            let end = self.mesh.local(end);
            let hit = raycast(&self.mesh, ground, end, &filter, |_| {});
            shares.push(f64::from(hit.share));
            places.push(self.mesh.world(hit.point(&self.mesh, ground.point, end)));
        }
        Ok((PyArray1::from_vec(py, shares), points_array(py, places.into_iter())?))
    }

    /// Random places on the mesh; the same seed gives the same ones.
    fn random_points<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (mut random, filter) = (SplitMix64::new(seed), Filter::default());
        let mut one = |_| random_point(&self.mesh, &filter, &mut || random.unit());
        let found: Vec<_> = (0..count).map_while(&mut one).collect();
        points_array(py, found.into_iter().map(|place| self.mesh.world(place.point)))
    }

    /// The doctor's findings, JSON.
    fn examine(&self, py: Python<'_>) -> PyResult<String> {
        let limits = self.limits();
        let findings = py.detach(|| examine_mesh(&self.file, &limits, &[]));
        serde_json::to_string(&findings).map_err(fault)
    }

    /// Why there is no path, a sentence; `None` where both places are on joined ground.
    fn why_no_path(&self, py: Python<'_>, start: [f64; 3], end: [f64; 3]) -> Option<String> {
        let limits = self.limits();
        let ends = [start, end].map(DVec3::from_array);
        let answer = py.detach(|| why_no_path_on_mesh(&self.file, &limits, ends));
        (answer.barrier != walkabout::nav::doctor::Barrier::None).then_some(answer.text)
    }
}
