//! Memory that is asked for before it is needed.
//!
//! What a thousand characters are made of lies in a core's own cache; ten thousand are read from farther away in every
//! step, and so are the voxels of a large level. Their places are known beforehand, so the way is gone while others are
//! worked on. Nothing that is computed depends on this.

/// Bytes that caches move at a time.
const LINE: usize = 64;

/// What is needed at once, for the first cache.
const AT_ONCE: i32 = 3;
/// What is needed a little later, for the second one.
const LATER: i32 = 2;

/// Asks for one line of memory. The address may be any: nothing is read from it for the program.
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

/// Asks for a value that is needed at once.
#[inline]
pub fn of<T>(value: &T) {
    let at = std::ptr::from_ref(value).cast::<u8>();
    let mut offset = 0;
    while offset < size_of::<T>() {
        line::<AT_ONCE>(at.wrapping_add(offset));
        offset += LINE;
    }
    // A value that begins in the middle of a line ends in one more.
    line::<AT_ONCE>(at.wrapping_add(size_of::<T>().saturating_sub(1)));
}

/// Asks for an element of a list that is needed at once, one line of memory; any number is good.
#[inline]
pub fn of_element<T>(list: &[T], i: usize) {
    line::<AT_ONCE>(list.as_ptr().wrapping_add(i).cast());
}

/// Asks for the beginning of a list, `most` bytes of it.
#[inline]
pub fn of_list<T>(list: &[T], most: usize) {
    let bytes = size_of_val(list).min(most);
    (0..bytes).step_by(LINE).for_each(|offset| line::<AT_ONCE>(list.as_ptr().cast::<u8>().wrapping_add(offset)));
}

/// Asks for the `part`th of `parts` equal pieces of what lies at `at` and is needed a little later.
#[inline]
pub fn piece<T>(at: *const T, part: usize, parts: usize) {
    let lines = size_of::<T>().div_ceil(LINE) + 1;
    for i in lines * part / parts..lines * (part + 1) / parts {
        line::<LATER>(at.cast::<u8>().wrapping_add(i * LINE));
    }
}
