//! The time of day: where the sun stands, how strong it is and what colour it has.

use super::settings::Environment;
use crate::vocab::DayPreset;

/// Latitude of the sun's course, degrees north.
const LATITUDE_DEG: f32 = 45.0;
/// The sun's height over the equator at noon, degrees: late spring.
const DECLINATION_DEG: f32 = 14.0;
/// Hours of a day.
const DAY_HOURS: f64 = 24.0;

impl DayPreset {
    /// The hour of it, 0…24; none for the light as it is set.
    pub fn hour(self) -> Option<f32> {
        match self {
            Self::FullLight => None,
            Self::Morning => Some(7.0),
            Self::Noon => Some(12.0),
            Self::Evening => Some(18.5),
            Self::Night => Some(23.0),
        }
    }
}

impl Environment {
    /// The hour after `secs` of simulated time, 0…24; `None` while the light stays as it is set.
    pub fn hour(&self, secs: f64) -> Option<f32> {
        let begin = self.day_preset.hour();
        if !self.day_enabled {
            return begin;
        }
        let gone = secs * f64::from(self.day_minutes_per_sec) / 60.0;
        let hour = (f64::from(begin.unwrap_or(12.0)) + gone).rem_euclid(DAY_HOURS);
        Some(if hour.is_finite() { hour as f32 } else { 12.0 })
    }

    /// The environment as it is after `secs` of simulated time.
    pub fn at(&self, secs: f64) -> Self {
        let mut out = self.clone();
        if let Some(hour) = self.hour(secs) {
            (out.light_east_west_deg, out.light_north_south_deg) = sun_at(hour);
        }
        out
    }
}

/// Turn and height of the sun at an hour, degrees as in [`Environment`]: it rises in the east, stands highest in the
/// south at noon and sets in the west.
fn sun_at(hour: f32) -> (f32, f32) {
    let (latitude, declination) = (LATITUDE_DEG.to_radians(), DECLINATION_DEG.to_radians());
    let angle = ((hour - 12.0) * 15.0).to_radians();
    let up = latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * angle.cos();
    let east = -declination.cos() * angle.sin();
    let north = latitude.cos() * declination.sin() - latitude.sin() * declination.cos() * angle.cos();
    (north.atan2(east).to_degrees(), up.clamp(-1.0, 1.0).asin().to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_rises_in_the_east_and_sets_in_the_west() {
        let (morning, noon, evening, night) = (sun_at(7.0), sun_at(12.0), sun_at(17.0), sun_at(0.0));
        assert!(morning.0.abs() < 15.0 && morning.1 > 5.0, "{morning:?}");
        assert!((noon.0 + 90.0).abs() < 0.1 && (noon.1 - (90.0 - LATITUDE_DEG + DECLINATION_DEG)).abs() < 0.1);
        assert!(evening.0.abs() > 165.0 && (evening.1 - morning.1).abs() < 0.1, "{evening:?}");
        assert!(night.1 < -25.0, "{night:?}");
        let highest = (0..240).map(|i| sun_at(i as f32 * 0.1).1).fold(f32::MIN, f32::max);
        assert!(highest <= noon.1 + 1e-3);
    }

    #[test]
    fn the_clock_goes_only_when_it_is_on_and_comes_round() {
        let set = Environment::default();
        assert_eq!(set.at(1e6), set);
        let evening = Environment { day_preset: DayPreset::Evening, ..set.clone() };
        assert_eq!(evening.hour(0.0), evening.hour(500.0));
        assert_ne!(evening.at(0.0).light_north_south_deg, set.light_north_south_deg);
        let going = Environment { day_enabled: true, day_minutes_per_sec: 30.0, ..evening };
        assert_eq!((going.hour(0.0), going.hour(4.0), going.hour(48.0)), (Some(18.5), Some(20.5), Some(18.5)));
        // From the light as it is set, the clock begins at noon.
        let noon = Environment { day_preset: DayPreset::FullLight, ..going.clone() };
        assert_eq!(noon.hour(2.0), Some(13.0));
        for odd in [f32::NAN, f32::INFINITY, -1e30] {
            let odd = Environment { day_minutes_per_sec: odd, ..going.clone() };
            assert!(odd.hour(3.0).is_some_and(|h| (0.0..=24.0).contains(&h)));
        }
    }
}
