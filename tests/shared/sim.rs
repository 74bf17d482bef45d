//! The original's scene runs for two minutes and none gets lost, as it is and with navigation switched on.

use crate::trial;
use libtest_mimic::Trial;
use std::path::Path;
use std::process::Command;

/// All trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("sim::nobody_is_lost_as_the_scene_is", |data| nobody_is_lost(&data, "off")),
        trial("sim::nobody_is_lost_while_navigating", |data| nobody_is_lost(&data, "on")),
    ]
}

fn nobody_is_lost(data: &Path, navigation: &str) {
    let ground: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("original/ground.json")).unwrap()).unwrap();
    let corner = |which: &str| -> Vec<f64> {
        ground["world_aabb"][which].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let (low, high) = (corner("min"), corner("max"));
    let output = Command::new(env!("CARGO_BIN_EXE_walkabout"))
        .arg("simulate")
        .arg(data.join("original/config/de_dust_nav.acfg"))
        .args(["--seconds", "120", "--json", "--navigation", navigation])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["lost"].as_u64(), Some(0));
    assert_eq!(report["steps"].as_u64(), Some(7200));
    let instances = report["instances"].as_array().unwrap();
    assert_eq!(instances.len(), 13);
    for instance in instances {
        for axis in 0..3 {
            let at = instance["position"][axis].as_f64().unwrap();
            assert!(at >= low[axis] - 0.1 && at <= high[axis] + 0.1, "{instance} left the level");
        }
    }
    if navigation == "on" {
        let arrived = instances.iter().filter(|i| i["arrived"] == true).count();
        assert_eq!(arrived, 3, "everyone with a target reaches it");
    }
}
