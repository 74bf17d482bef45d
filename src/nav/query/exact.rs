//! The shortest path over a mesh seen from above, through any angle.
