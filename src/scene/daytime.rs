//! The time of day: the original's table of lights and the clock that mixes them.

use super::settings::Environment;
use crate::vocab::DayPreset;
use glam::Vec3;

/// Minutes of a day.
const DAY_MINUTES: f64 = 1440.0;
/// The minute at which the clock starts: noon.
const START_MINUTE: f64 = 720.0;

/// The light that a time of day sets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DayLight {
    preset: DayPreset,
    /// Minute of the day.
    minute: f32,
    east_west_deg: f32,
    north_south_deg: f32,
    intensity: f32,
    color: [f32; 3],
}

/// One row of the table.
const fn row(preset: DayPreset, minute: f32, angles_deg: [f32; 2], intensity: f32, color: [f32; 3]) -> DayLight {
    DayLight { preset, minute, east_west_deg: angles_deg[0], north_south_deg: angles_deg[1], intensity, color }
}

const NIGHT_COLOR: [f32; 3] = [0.28, 0.27, 0.6];

/// The lights through which the clock runs, by their minutes.
const DAY: [DayLight; 7] = [
    row(DayPreset::Midnight, 0.0, [80.0, 75.0], 0.1, NIGHT_COLOR),
    row(DayPreset::PreMorning, 300.0, [80.0, 75.0], 0.2, NIGHT_COLOR),
    row(DayPreset::Morning, 360.0, [30.0, 40.0], 0.8, [1.0, 0.5, 0.0]),
    row(DayPreset::Noon, 720.0, [90.0, 40.0], 0.96, [1.0, 0.87, 0.75]),
    row(DayPreset::Evening, 1080.0, [150.0, 40.0], 0.75, [0.93, 0.36, 0.43]),
    row(DayPreset::PostEvening, 1140.0, [80.0, 75.0], 0.2, NIGHT_COLOR),
    row(DayPreset::PreMidnight, 1440.0, [80.0, 75.0], 0.1, NIGHT_COLOR),
];

/// The light outside the day, to which no minute belongs.
const FULL_LIGHT: DayLight = row(DayPreset::FullLight, 0.0, [40.0, 90.0], 1.0, [1.0; 3]);

impl DayLight {
    /// Linear mix, `t` 0…1 from `self` to `other`.
    fn mix(&self, other: &Self, t: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * t;
        Self {
            preset: self.preset,
            minute: mix(self.minute, other.minute),
            east_west_deg: mix(self.east_west_deg, other.east_west_deg),
            north_south_deg: mix(self.north_south_deg, other.north_south_deg),
            intensity: mix(self.intensity, other.intensity),
            color: std::array::from_fn(|c| mix(self.color[c], other.color[c])),
        }
    }

    /// The light at a minute of the day, mixed from the row before and the row after.
    fn at(minute: f32) -> Self {
        let after = DAY.iter().position(|light| light.minute > minute).unwrap_or(DAY.len() - 1).max(1);
        let (from, to) = (&DAY[after - 1], &DAY[after]);
        from.mix(to, (minute - from.minute) / (to.minute - from.minute))
    }

    fn apply_to(&self, environment: &mut Environment) {
        environment.light_east_west_deg = self.east_west_deg;
        environment.light_north_south_deg = self.north_south_deg;
        environment.light_intensity = self.intensity;
        environment.light_color = self.color;
    }
}

impl Environment {
    /// Sets direction, intensity and colour of the light to those of a preset.
    pub fn apply_preset(&mut self, preset: DayPreset) {
        self.day_preset = preset;
        DAY.iter().find(|light| light.preset == preset).unwrap_or(&FULL_LIGHT).apply_to(self);
    }

    /// The minute of the day after `secs` of simulated time, 0…1440; `None` while the clock is off.
    pub fn minute(&self, secs: f64) -> Option<f32> {
        let minute = (START_MINUTE + secs * f64::from(self.day_minutes_per_sec)).rem_euclid(DAY_MINUTES);
        self.day_enabled.then_some(if minute.is_finite() { minute } else { START_MINUTE } as f32)
    }

    /// The environment after `secs` of simulated time: with the clock on, the light is that of the minute.
    pub fn at(&self, secs: f64) -> Self {
        let mut out = self.clone();
        if let Some(minute) = self.minute(secs) {
            DayLight::at(minute).apply_to(&mut out);
        }
        out
    }

    /// Unit direction towards the light. East is +X, north is -Z. Angles that are not finite count as 0.
    pub fn to_light(&self) -> Vec3 {
        let radians = |deg: f32| if deg.is_finite() { deg.to_radians() } else { 0.0 };
        let (east_west, north_south) = (radians(self.light_east_west_deg), radians(self.light_north_south_deg));
        let (sin, cos) = east_west.sin_cos();
        Vec3::new(cos, sin * north_south.sin(), north_south.cos()).normalize_or(Vec3::Y)
    }

    /// The two angles of the light, degrees, for a unit direction towards it: the inverse of [`Self::to_light`] for
    /// directions above the horizon.
    pub fn angles_deg(to_light: Vec3) -> [f32; 2] {
        // With k the length before normalising, cos² of both angles are (k x)² and (k z)², and the product of their
        // sines is k y: (1 - k²x²)(1 - k²z²) = k²y², a quadratic in k².
        let product = f64::from(to_light.x * to_light.z).powi(2);
        let squared =
            if product < 1e-12 { 1.0 } else { (1.0 - (1.0 - 4.0 * product).max(0.0).sqrt()) / (2.0 * product) };
        let length = squared.sqrt();
        [to_light.x, to_light.z].map(|v| (length * f64::from(v)).clamp(-1.0, 1.0).acos().to_degrees() as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_to(preset: DayPreset) -> Environment {
        let mut environment = Environment::default();
        environment.apply_preset(preset);
        environment
    }

    #[test]
    fn presets_have_the_numbers_and_lights_of_the_original() {
        let of = |number: i64| set_to(DayPreset::from_file(number).unwrap());
        let night = [0.28, 0.27, 0.6];
        let table: [(f32, f32, f32, [f32; 3]); 8] = [
            (80.0, 75.0, 0.1, night),
            (80.0, 75.0, 0.2, night),
            (30.0, 40.0, 0.8, [1.0, 0.5, 0.0]),
            (90.0, 40.0, 0.96, [1.0, 0.87, 0.75]),
            (150.0, 40.0, 0.75, [0.93, 0.36, 0.43]),
            (80.0, 75.0, 0.2, night),
            (80.0, 75.0, 0.1, night),
            (40.0, 90.0, 1.0, [1.0; 3]),
        ];
        for (number, row) in table.into_iter().enumerate() {
            let e = of(number as i64);
            assert_eq!((e.light_east_west_deg, e.light_north_south_deg, e.light_intensity, e.light_color), row);
            assert_eq!(e.day_preset.to_file(), number as i64);
        }
    }

    #[test]
    fn the_clock_runs_from_noon_and_mixes_linearly() {
        let going = Environment { day_enabled: true, day_minutes_per_sec: 30.0, ..set_to(DayPreset::Evening) };
        let lights =
            |e: &Environment| (e.light_east_west_deg, e.light_north_south_deg, e.light_intensity, e.light_color);
        assert_eq!(lights(&going.at(0.0)), lights(&set_to(DayPreset::Noon)));
        // Half an hour before post-evening.
        let dusk = going.at((1110.0 - 720.0) / 30.0);
        assert_eq!((dusk.light_east_west_deg, dusk.light_north_south_deg), (115.0, 57.5));
        assert!((dusk.light_intensity - 0.475).abs() < 1e-6 && (dusk.light_color[1] - 0.315).abs() < 1e-6, "{dusk:?}");
        // A day later it is noon again, and the preset stays as it is set.
        assert_eq!(lights(&going.at(48.0)), lights(&going.at(0.0)));
        assert_eq!(dusk.day_preset, DayPreset::Evening);
        assert_eq!((going.minute(24.0), going.minute(23.9).map(|m| m > 1430.0)), (Some(0.0), Some(true)));
        assert_eq!(lights(&going.at(24.0)), lights(&set_to(DayPreset::Midnight)));
        for odd in [f32::NAN, f32::INFINITY, -1e30] {
            let odd = Environment { day_minutes_per_sec: odd, ..going.clone() };
            assert!(odd.minute(3.0).is_some_and(|m| (0.0..=1440.0).contains(&m)));
        }
    }

    #[test]
    fn without_the_clock_the_light_stays_as_it_is_set() {
        let set = Environment { light_intensity: 0.3, day_preset: DayPreset::Morning, ..Environment::default() };
        assert_eq!((set.at(1e6), set.minute(5.0)), (set.clone(), None));
    }

    #[test]
    fn light_comes_from_where_the_angles_say() {
        let near = |preset, x: f32, y: f32, z: f32| {
            let to_light = set_to(preset).to_light();
            assert!(to_light.distance(Vec3::new(x, y, z).normalize()) < 1e-4, "{preset:?}: {to_light}");
        };
        near(DayPreset::Noon, 0.0, 0.642_787_6, 0.766_044_4);
        near(DayPreset::Morning, 0.866_025_4, 0.321_393_8, 0.766_044_4);
        near(DayPreset::Evening, -0.866_025_4, 0.321_393_8, 0.766_044_4);
        near(DayPreset::FullLight, 0.766_044_4, 0.642_787_6, 0.0);
    }

    #[test]
    fn angles_of_a_direction_give_that_direction() {
        for to_light in
            [Vec3::Y, Vec3::X, Vec3::new(0.5, 0.7, -0.4), Vec3::new(-0.7, 0.02, 0.7), Vec3::new(0.0, 0.6, 0.8)]
        {
            let to_light = to_light.normalize();
            let [light_east_west_deg, light_north_south_deg] = Environment::angles_deg(to_light);
            let e = Environment { light_east_west_deg, light_north_south_deg, ..Environment::default() };
            assert!(e.to_light().distance(to_light) < 1e-3, "{to_light}: {}", e.to_light());
        }
    }
}
