//! Software prefetch: hints that bring memory into a cache before it is read.
//!
//! Characters and voxels of large scenes do not fit a core's own cache. Their addresses are known in advance, so the fetch
//! overlaps the work on other items. Results do not depend on it. Without it a step of 10,000 characters takes a tenth
//! longer (`walkabout bench SCENE --instances 10000`).

/// Size of a cache line, bytes.
const LINE: usize = 64;

/// Locality hint for what is read next: into the level 1 cache.
const NEXT: i32 = 3;
/// Locality hint for what is read later: into the level 2 cache.
const LATER: i32 = 2;

/// Prefetches one cache line. Any address is valid: nothing is read from it.
#[inline]
fn line<const WHEN: i32>(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint. It does not fault, whatever the address, and changes nothing but caches.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<WHEN>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches all of a value that is read next.
#[inline]
pub fn value<T>(value: &T) {
    let at = std::ptr::from_ref(value).cast::<u8>();
    let mut offset = 0;
    while offset < size_of::<T>() {
        line::<NEXT>(at.wrapping_add(offset));
        offset += LINE;
    }
    // A value that begins in the middle of a line ends in one more.
    line::<NEXT>(at.wrapping_add(size_of::<T>().saturating_sub(1)));
}

/// Prefetches the line in which an element of a slice begins. The index may be out of range.
#[inline]
pub fn element<T>(list: &[T], i: usize) {
    line::<NEXT>(list.as_ptr().wrapping_add(i).cast());
}

/// Prefetches the first `max_bytes` bytes of a slice.
#[inline]
pub fn slice<T>(list: &[T], max_bytes: usize) {
    let bytes = size_of_val(list).min(max_bytes);
    (0..bytes).step_by(LINE).for_each(|offset| line::<NEXT>(list.as_ptr().cast::<u8>().wrapping_add(offset)));
}

/// Prefetches chunk `part` of `parts` equal chunks of the value at `at`, which is read later.
#[inline]
pub fn chunk<T>(at: *const T, part: usize, parts: usize) {
    let lines = size_of::<T>().div_ceil(LINE) + 1;
    for i in lines * part / parts..lines * (part + 1) / parts {
        line::<LATER>(at.cast::<u8>().wrapping_add(i * LINE));
    }
}
