//! Zones of a scene: boxes in which fog, light and music are others, with a seam over which they change.

use crate::math::smoothstep;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// A box, seen by the eye of the camera.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneZone {
    /// Name for people.
    pub name: String,
    /// Its middle, world space.
    pub center: Vec3,
    /// Width, height and depth, metres.
    pub size: Vec3,
    /// How far around it the change reaches, metres.
    pub fade: f32,
    /// Fog density per metre in it; none leaves that of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fog_density: Option<f32>,
    /// Strength of the light.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light_intensity: Option<f32>,
    /// Linear RGB colour of the light.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light_color: Option<[f32; 3]>,
    /// Track that is played in it, over and over, in place of those of the scene; empty for these.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub music: String,
}

impl Default for SceneZone {
    fn default() -> Self {
        Self {
            name: String::new(),
            center: Vec3::ZERO,
            size: Vec3::new(10.0, 4.0, 10.0),
            fade: 2.0,
            fog_density: None,
            light_intensity: None,
            light_color: None,
            music: String::new(),
        }
    }
}

impl SceneZone {
    /// How much of the zone holds at a place: 1 inside, 0 beyond the seam.
    pub fn weight(&self, at: Vec3) -> f32 {
        let outside = ((at - self.center).abs() - self.size * 0.5).max(Vec3::ZERO).length();
        smoothstep(1.0 - outside / self.fade.max(1e-6))
    }
}

/// The track of the zones that an ear at a place is in: of the last of those that hold most.
pub fn music_at(zones: &[SceneZone], ear: Vec3) -> Option<&str> {
    let heard = zones.iter().filter(|zone| !zone.music.is_empty()).map(|zone| (zone.weight(ear), zone));
    let most = heard.filter(|(weight, _)| *weight >= 0.5).max_by(|a, b| a.0.total_cmp(&b.0));
    most.map(|(_, zone)| zone.music.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cellar() -> SceneZone {
        SceneZone {
            center: Vec3::new(10.0, 0.0, 0.0),
            size: Vec3::splat(4.0),
            fade: 2.0,
            fog_density: Some(0.2),
            light_color: Some([1.0, 0.5, 0.0]),
            music: "drip.ogg".into(),
            ..SceneZone::default()
        }
    }

    #[test]
    fn zones_hold_inside_and_fade_around() {
        let zone = cellar();
        assert_eq!([10.0, 8.0, 7.0, 6.0, 0.0].map(|x| zone.weight(Vec3::X * x)), [1.0, 1.0, 0.5, 0.0, 0.0]);
        let hard = SceneZone { fade: 0.0, ..cellar() };
        assert_eq!([8.1, 7.9].map(|x| hard.weight(Vec3::X * x)), [1.0, 0.0]);
    }

    #[test]
    fn the_zone_that_holds_most_is_heard() {
        let loud = SceneZone { music: "hall.ogg".into(), size: Vec3::splat(40.0), ..cellar() };
        let zones = [loud, cellar()];
        assert_eq!(music_at(&zones, Vec3::X * 10.0), Some("drip.ogg"), "the later of two");
        assert_eq!(music_at(&zones, Vec3::X * 20.0), Some("hall.ogg"));
        assert_eq!(music_at(&zones, Vec3::X * 99.0), None);
    }
}
