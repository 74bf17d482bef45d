//! The system's allocator with a count of the bytes that are taken, for the whole program that includes this file.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// The most that was taken at once since the last call of `most_during`.
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn take(bytes: usize) {
    let taken = TAKEN.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(taken, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old block and the new one at once, which they are where it cannot grow in place.
        take(size);
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Bytes that are taken now.
pub fn taken() -> usize {
    TAKEN.load(Relaxed)
}

/// What a function gives, and the most bytes that were taken at once while it ran, over those before it.
pub fn most_during<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = taken();
    PEAK.store(before, Relaxed);
    let given = run();
    (given, PEAK.load(Relaxed).saturating_sub(before))
}
