//! The front door: window, frame loop, headless commands.
