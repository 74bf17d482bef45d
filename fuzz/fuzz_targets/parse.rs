#![no_main]

#[path = "../../tests/common/counted.rs"]
#[allow(dead_code, reason = "bytes that are taken now serve other trials")]
mod counted;
#[path = "../src/targets.rs"]
#[allow(dead_code, reason = "each program runs one of them")]
mod targets;

/// Most memory that opening one file of at most 20 KB may take, bytes.
const MAX_BYTES: usize = 256 << 20;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let ((), most) = counted::most_during(|| targets::parse(bytes));
    assert!(most <= MAX_BYTES, "{} bytes took {} MB", bytes.len(), most >> 20);
});
