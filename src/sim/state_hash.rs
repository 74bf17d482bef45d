//! Hashes of states, which are equal for equal runs.

/// FNV-1a over 64-bit words, byte by byte.
#[derive(Clone, Copy, Debug)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StateHash {
    /// Continues a hash from its value.
    pub fn resume(value: u64) -> Self {
        Self(value)
    }

    /// The hash of what was added.
    pub fn value(self) -> u64 {
        self.0
    }

    /// Adds a word.
    pub fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
