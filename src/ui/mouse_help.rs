//! What the mouse and the keys that are held do, for the help window.

/// Each gesture with its effect.
pub const MOUSE: &[(&str, &str)] = &[
    ("W A S D", "Fly forward, left, back, right."),
    ("E / Q", "Fly up / down."),
    ("Shift", "Fly, or turn the wheel, four times faster."),
    ("W A S D in view mode", "Steer the selected character; Shift runs."),
    ("Mouse in view mode", "Turn the selected character, and tilt the view; the wheel goes nearer."),
    ("R E Q F P U Space there", "Roll, punch, kick, wave, pick up, interact, jump."),
    ("Right drag", "Look around."),
    ("Right drag in view mode", "Orbit what is watched and cannot walk; the wheel goes nearer."),
    ("Middle drag, nothing selected", "Orbit the middle of the viewport; with Shift, shift the view."),
    (
        "O and left drag",
        "Orbit what is selected, or the middle of the viewport; with Shift, shift the view. Alt does as O.",
    ),
    ("Drag the axes in the corner", "Orbit; a click on an axis looks along it."),
    ("O and wheel, O and right drag", "Go nearer to it, or farther away. Alt does as O."),
    ("Wheel", "Zoom."),
    ("Ctrl and + - 0", "Make the interface larger, smaller, of its usual size."),
    ("Drag a handle", "Move, turn or scale; Ctrl goes by steps, typed numbers count in place of the mouse."),
    (
        "Middle drag",
        "Move, turn or scale what is selected, as 1, 2 and 3 choose; Shift goes up or round, Ctrl by steps.",
    ),
    ("Escape while dragging", "Put all back to where it was."),
    ("Shift and drag a handle", "Drag a copy."),
    ("Left click", "Select what is under the cursor; with a tool of the workbench, use it."),
    ("Shift or Ctrl click", "Add it to what is selected, or take it out."),
    ("Shift or Ctrl drag", "Do so with all in a box."),
];
