//! SplitMix64, a small seeded generator with the same sequence on every machine.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A uniform number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A uniform number between `a` and `b`, in either order.
    pub fn between(&mut self, a: f32, b: f32) -> f32 {
        a + (b - a) * self.unit()
    }

    /// A uniform number below `count`; 0 for a count of 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// The internal state, for state hashes.
    pub fn state(self) -> u64 {
        self.0
    }
}

/// The finaliser of the generator: each bit of the result depends on all bits of `x`.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range_and_reach_all_of_it() {
        let mut random = SplitMix64::new(7);
        let (mut low, mut high, mut seen) = (f32::MAX, f32::MIN, [0; 5]);
        for _ in 0..5000 {
            let x = random.between(4.0, -2.0);
            (low, high) = (low.min(x), high.max(x));
            seen[random.below(5)] += 1;
        }
        assert!((-2.0..-1.9).contains(&low) && (3.9..=4.0).contains(&high), "{low} {high}");
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert_eq!((random.below(0), SplitMix64::new(3).bits()), (0, SplitMix64::new(3).bits()));
    }
}
