//! Decompression of FastLZ, both levels of its block format: literal runs and matches in what was written before.

/// Bits of a literal run's length, and of the upper part of a match's distance.
const LOW_BITS: u8 = 31;
/// Distance from which level 2 counts far matches.
const FAR_DISTANCE: usize = 8191;

/// Decompresses into exactly `length` bytes; `None` where the block is damaged or holds another number of bytes.
pub fn decompress(block: &[u8], length: usize) -> Option<Vec<u8>> {
    let has_long_matches = match block.first()? >> 5 {
        0 => false,
        1 => true,
        _ => return None,
    };
    let mut rest = block.iter().copied();
    let mut out = Vec::with_capacity(length);
    let mut opcode = rest.next()? & LOW_BITS;
    loop {
        if opcode >> 5 == 0 {
            for _ in 0..=opcode {
                out.push(rest.next()?);
            }
        } else {
            copy_match(opcode, &mut rest, &mut out, has_long_matches, length)?;
        }
        if out.len() > length {
            return None;
        }
        match rest.next() {
            Some(next) => opcode = next,
            None => return (out.len() == length).then_some(out),
        }
    }
}

/// Repeats bytes that were written before.
fn copy_match(
    opcode: u8,
    rest: &mut impl Iterator<Item = u8>,
    out: &mut Vec<u8>,
    is_level_2: bool,
    length: usize,
) -> Option<()> {
    let mut count = usize::from(opcode >> 5) + 2;
    if opcode >> 5 == 7 {
        loop {
            let more = rest.next()?;
            count += usize::from(more);
            if !is_level_2 || more != u8::MAX {
                break;
            }
        }
    }
    let (high, low) = (opcode & LOW_BITS, rest.next()?);
    let mut distance = usize::from(high) << 8 | usize::from(low);
    if is_level_2 && high == LOW_BITS && low == u8::MAX {
        distance = FAR_DISTANCE + (usize::from(rest.next()?) << 8 | usize::from(rest.next()?));
    }
    let from = out.len().checked_sub(distance + 1)?;
    if out.len() + count > length {
        return None;
    }
    for at in from..from + count {
        out.push(out[at]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::decompress;

    #[test]
    fn runs_and_matches_of_both_levels_decompress() {
        // Four literals, a match of three at distance four, one of nine and two more at distance one.
        let level_1 = [3, b'a', b'b', b'c', b'd', 1 << 5, 3, 7 << 5, 2, 0];
        assert_eq!(decompress(&level_1, 18).unwrap(), b"abcdabcccccccccccc");
        let mut level_2 = vec![1 << 5, b'x', 7 << 5, 255, 3, 0];
        assert_eq!(decompress(&level_2, 268).unwrap(), [b'x'; 268]);
        // Far matches count from 8191 on.
        level_2.splice(2.., [7 << 5, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0]);
        for _ in 0..32 {
            level_2.extend([7 << 5, 255, 0, 0]);
        }
        level_2.extend([1 << 5 | 31, 255, 0, 9]);
        let long = decompress(&level_2, 1 + 9 + 255 * 9 + 32 * 264 + 3).unwrap();
        assert!(long.iter().all(|&b| b == b'x'));
    }

    #[test]
    fn damaged_blocks_are_refused() {
        let block = [3, b'a', b'b', b'c', b'd', 1 << 5, 3];
        assert_eq!(decompress(&block, 7).unwrap(), b"abcdabc");
        for end in 0..block.len() {
            assert_eq!(decompress(&block[..end], 7), None, "cut at {end}");
        }
        assert_eq!(decompress(&block, 6), None, "longer than it says");
        assert_eq!(decompress(&block, 8), None, "shorter than it says");
        assert_eq!(decompress(&[0, b'a', 1 << 5, 1], 4), None, "before the first byte");
        assert_eq!(decompress(&[7 << 5, 0, 0], 9), None, "no level");
    }
}
