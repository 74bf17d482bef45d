//! Cameras: how each kind turns its settings into a view.
