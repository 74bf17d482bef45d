//! Contact between characters, level and each other.
