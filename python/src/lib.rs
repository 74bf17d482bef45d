//! Python's view of Walkabout: navigation meshes and scenes as classes, NumPy arrays in and out. What is convenient in
//! Python is written there (`walkabout/__init__.py`); here is what needs Rust.

mod mesh;
mod scene;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::fmt::Display;
use walkabout::nav::planner::Planner;

create_exception!(walkabout, Error, PyException, "What Walkabout refuses, with file, element and remedy.");
create_exception!(walkabout, NoPath, Error, "There is no path, and why.");

/// An error of the library, with its causes.
fn fault(error: impl Into<Box<dyn std::error::Error>>) -> PyErr {
    let error = error.into();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text += &format!(": {inner_text}");
        }
        cause = inner.source();
    }
    Error::new_err(text)
}

/// An error about a file.
fn fault_of(file: &std::path::Path) -> impl Fn(&dyn Display) -> PyErr + '_ {
    move |error| Error::new_err(format!("{error}. File: {}", file.display()))
}

/// The names of the planners that search a mesh.
#[pyfunction]
fn planners() -> Vec<&'static str> {
    Planner::ON_MESH.iter().map(|planner| planner.name()).collect()
}

#[pymodule]
fn _walkabout(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("NoPath", module.py().get_type::<NoPath>())?;
    module.add_class::<mesh::Mesh>()?;
    module.add_class::<scene::Simulation>()?;
    module.add_function(wrap_pyfunction!(planners, module)?)?;
    module.add_function(wrap_pyfunction!(scene::load_level, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
