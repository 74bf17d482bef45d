//! Scenes that are stepped, and the triangles of levels.

use crate::mesh::{Mesh, points_array};
use crate::{Error, fault, fault_of};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use walkabout::asset::{AssetStore, level};
use walkabout::scene::{Scene, file};
use walkabout::sim::{NavStatus, STEP_SECS, World};

/// Longest simulation of one call, seconds: a month.
const MAX_SECS: f64 = 2_678_400.0;

/// The triangles of a level or model: corners (3 m, 3), three to each triangle, in metres.
#[pyfunction]
pub fn load_level(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let say = fault_of(&path);
    let model = py.detach(|| walkabout::asset::load_model(&path)).map_err(|error| say(&error))?;
    points_array(py, level::corners(&model).into_iter().flatten().map(|p| p.as_dvec3()))
}

struct State {
    scene: Scene,
    world: World,
    assets: AssetStore,
}

/// A scene that is simulated.
#[pyclass(frozen, module = "walkabout")]
pub struct Simulation {
    state: Mutex<State>,
    warnings: Vec<String>,
}

impl Simulation {
    fn with<T>(&self, read: impl FnOnce(&mut State) -> T) -> T {
        read(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let loaded = py.detach(|| file::load(&path)).map_err(fault)?;
        let mut warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
        let scene = loaded.scene;
        let (world, assets, failures) = py.detach(|| {
            let mut assets = AssetStore::default();
            assets.set_root(loaded.root);
            let ids = scene.request_assets(&mut assets);
            assets.wait();
            let failures: Vec<String> = ids.into_iter().filter_map(|id| assets.failure(id)).collect();
            let mut world = World::default();
            world.reconcile(&scene, &assets);
            (world, assets, failures)
        });
        warnings.extend(failures);
        Ok(Self { state: Mutex::new(State { scene, world, assets }), warnings })
    }

    /// What the scene's file says that is not understood, and which of its models and levels could not be loaded.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Steps for so many seconds, rounded to whole steps; the events of that time, each with second and name.
    fn step(&self, py: Python<'_>, secs: f64) -> PyResult<Vec<(f64, &'static str)>> {
        if !(0.0..=MAX_SECS).contains(&secs) {
            return Err(Error::new_err(format!("{secs} seconds; give 0 to {MAX_SECS}")));
        }
        let steps = (secs / f64::from(STEP_SECS)).round() as u64;
        let mut events = Vec::new();
        // In parts, so that Ctrl+C is heard.
        for begin in (0..steps).step_by(60) {
            py.detach(|| {
                self.with(|State { scene, world, assets }| {
                    for _ in begin..steps.min(begin + 60) {
                        world.advance(scene, assets);
                        let now = world.secs();
                        let happened = world.delete_lost(scene, assets);
                        events.extend(happened.into_iter().map(|event| (now, event.kind.name())));
                    }
                });
            });
            py.check_signals()?;
        }
        Ok(events)
    }

    /// Simulated seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.with(|state| state.world.secs())
    }

    /// A number that two runs share only if they went alike.
    #[getter]
    fn hash(&self) -> u64 {
        self.with(|state| state.world.hash())
    }

    fn __len__(&self) -> usize {
        self.with(|state| state.world.len())
    }

    /// Names of the instances, in the order of all arrays.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.with(|State { scene, world, .. }| {
            let name = |(id, _)| scene.instances.get(id).map_or(String::new(), |instance| instance.name.clone());
            world.iter().map(name).collect()
        })
    }

    /// Positions between the feet, metres, (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let all: Vec<_> = self.with(|state| state.world.iter().map(|(_, i)| i.now.position.as_dvec3()).collect());
        points_array(py, all.into_iter())
    }

    /// Velocities, metres per second, (n, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let all: Vec<_> = self.with(|state| state.world.iter().map(|(_, i)| i.now.velocity.as_dvec3()).collect());
        points_array(py, all.into_iter())
    }

    /// Headings about +Y, radians; 0 faces +Z.
    #[getter]
    fn yaws<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_vec(py, self.with(|state| state.world.iter().map(|(_, i)| i.now.yaw_rad).collect()))
    }

    /// How the navigation of each stands, and why where it failed.
    #[getter]
    fn states(&self) -> Vec<String> {
        let name = |status: &NavStatus| match status {
            NavStatus::Off => "off".to_owned(),
            NavStatus::Waiting => "waiting".to_owned(),
            NavStatus::Walking => "walking".to_owned(),
            NavStatus::Arrived => "arrived".to_owned(),
            NavStatus::Failed(reason) => format!("failed: {reason}"),
        };
        self.with(|state| state.world.iter().map(|(_, instance)| name(&instance.nav)).collect())
    }

    /// The navigation mesh that the scene's characters walk on, as it was built: without what obstacles and doors bar; `None`
    /// where it has none.
    fn mesh(&self) -> PyResult<Option<Mesh>> {
        let file = self.with(|state| state.world.mesh().built().map(|built| built.file()));
        file.map(|file| Mesh::of(file, "of a scene")).transpose()
    }
}
