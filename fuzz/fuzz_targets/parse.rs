#![no_main]

#[path = "../src/targets.rs"]
#[allow(dead_code, reason = "each program runs one of them")]
mod targets;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Most memory that opening one file of at most 20 KB may take, bytes.
const MAX_BYTES: usize = 256 << 20;

/// The system's allocator, with a count of what is taken now and of the most since the last input.
struct Counted;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(taken, Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let before = TAKEN.load(Relaxed);
    PEAK.store(before, Relaxed);
    targets::parse(bytes);
    let most = PEAK.load(Relaxed).saturating_sub(before);
    assert!(most <= MAX_BYTES, "{} bytes took {} MB", bytes.len(), most >> 20);
});
