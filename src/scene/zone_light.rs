//! The light and fog that an eye in the zones of a scene sees.

use super::settings::Environment;
use super::zones::SceneZone;
use glam::Vec3;

impl Environment {
    /// The environment that an eye at a place sees: that of the zones that it is in, the later over the earlier.
    pub fn in_zones(mut self, zones: &[SceneZone], eye: Vec3) -> Self {
        for zone in zones {
            let weight = zone.weight(eye);
            let mix = |from: f32, to: f32| from + (to - from) * weight;
            self.fog_density = mix(self.fog_density, zone.fog_density.unwrap_or(self.fog_density));
            self.light_intensity = mix(self.light_intensity, zone.light_intensity.unwrap_or(self.light_intensity));
            let color = zone.light_color.unwrap_or(self.light_color);
            self.light_color = std::array::from_fn(|i| mix(self.light_color[i], color[i]));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_zone_says_takes_the_place_of_the_scenes() {
        let zone = SceneZone {
            center: Vec3::X * 10.0,
            size: Vec3::splat(4.0),
            fade: 2.0,
            fog_density: Some(0.2),
            light_color: Some([1.0, 0.5, 0.0]),
            ..SceneZone::default()
        };
        let (open, zones) = (Environment { fog_density: 0.1, ..Environment::default() }, [zone]);
        assert_eq!(open.clone().in_zones(&zones, Vec3::ZERO), open);
        let inside = open.clone().in_zones(&zones, Vec3::X * 10.0);
        assert_eq!((inside.fog_density, inside.light_color), (0.2, [1.0, 0.5, 0.0]));
        assert_eq!(inside.light_intensity, open.light_intensity, "what it does not say stays");
        let between = open.in_zones(&zones, Vec3::X * 7.0);
        assert!((between.fog_density - 0.15).abs() < 1e-6);
    }
}
