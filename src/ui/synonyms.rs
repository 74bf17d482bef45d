//! Words that people type for what is called otherwise.

/// Beginnings of labels in the command palette, each with the words that mean it too.
const SYNONYMS: &[(&str, &str)] = &[
    ("View: From above", "top plan bird overhead topdown map"),
    ("View: From below", "bottom underside"),
    ("View: From the front", "front elevation"),
    ("View: From behind", "back rear"),
    ("View: From the right", "right side"),
    ("View: From the left", "left side"),
    ("View: Orthographic", "ortho parallel isometric perspective projection"),
    ("View: Show all", "frame fit reset home overview everything zoom"),
    ("View: Focus selection", "zoom goto center centre look"),
    ("View: Full screen", "maximize fullscreen"),
    ("View: View mode", "play game walk third person first watch"),
    ("Light: Midnight", "night dark moon"),
    ("Light: Noon", "day sun bright daylight"),
    ("Light: Morning", "dawn sunrise day"),
    ("Light: Evening", "dusk sunset"),
    ("Light: Full light", "day bright white"),
    ("Panels: Profiler", "fps performance speed timing frame rate gpu cpu memory"),
    ("Panels: Differences", "diff compare changes before after"),
    ("Panels: Doctor", "check problems reachability island why unreachable"),
    ("Panels: Animation", "clips gaits retarget bones rig root motion"),
    ("Panels: Log", "console messages errors warnings"),
    ("Panels: Assets", "models library characters content"),
    ("Panels: Navigation workbench", "navmesh recast test tools"),
    ("Panels: Behaviour editor", "graph nodes tree ai"),
    ("Panels: Reset layout", "panels windows default"),
    ("Simulation: Play / pause", "start stop run hold"),
    ("Simulation: Restart", "reset"),
    ("Simulation: Bake navigation mesh", "navmesh build generate recast compute"),
    ("Edit: Create many", "crowd people scatter spawn populate"),
    ("Edit: Drop on ground", "snap floor"),
    ("Edit: Delete", "remove erase"),
    ("Edit: Duplicate", "clone copy"),
    ("File: Export image", "screenshot picture photo capture png"),
    ("File: Export frames", "video movie film gif animation sequence record"),
    ("File: Open", "load import"),
    ("Help: Keys and mouse", "shortcuts hotkeys controls"),
    ("Help: Guide", "tutorial manual documentation"),
    ("Help: Report a problem", "bug issue crash"),
    ("Tool: Link", "jump ladder drop teleport door offmesh connection"),
    ("Tool: Crowd", "agents people group"),
    ("Tool: Path", "route pathfinding astar polyanya query test"),
    ("Tool: Obstacle", "block box barrier wall"),
    ("Tool: Threat", "enemy danger tactical cover"),
    ("Tool: Raycast", "line sight visibility"),
    ("Tool: Volume", "area cost water mud region"),
    ("Sample: ", "example demo stairs scene"),
    ("Camera: New", "add"),
];

/// Whether every word that was typed begins a synonym of what has this label.
pub fn fit(text: &str, label: &str) -> bool {
    let typed = text.to_lowercase();
    let begins =
        |words: &str| typed.split_whitespace().all(|typed| words.split(' ').any(|word| word.starts_with(typed)));
    SYNONYMS.iter().any(|(of, words)| label.starts_with(of) && begins(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::command::COMMANDS;
    use crate::ui::nav_tools::TOOLS;

    #[test]
    fn words_of_other_programs_are_understood() {
        assert!(fit("top", "View: From above") && fit("Night", "Light: Midnight") && fit("fps", "Panels: Profiler"));
        assert!(fit("stairs", "Sample: Plaza") && !fit("stairs", "View: From above"));
    }

    #[test]
    fn every_synonym_belongs_to_something() {
        let commands = COMMANDS.iter().map(|row| format!("{}: {}", row.menu, row.label));
        let all: Vec<String> = commands.chain(TOOLS.iter().map(|tool| format!("Tool: {}", tool.label))).collect();
        for (of, _) in SYNONYMS.iter().filter(|(of, _)| !["Light", "Sampl", "Camer"].contains(&&of[..5])) {
            assert!(all.iter().any(|label| label.starts_with(of)), "{of}");
        }
    }
}
