//! Little-endian numbers at places of a file.

/// The number of 16 bits at a place; `None` where the file ends before.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The number of 32 bits at a place; `None` where the file ends before.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The count, length or place of 32 bits at a place; `None` where the file ends before.
pub(super) fn length_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, at)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_with_the_file() {
        let bytes = [1, 2, 3, 4, 5];
        assert_eq!((u16_at(&bytes, 3), u16_at(&bytes, 4)), (Some(0x0504), None));
        assert_eq!((u32_at(&bytes, 1), u32_at(&bytes, 2)), (Some(0x0504_0302), None));
        assert_eq!((length_at(&bytes, 0), length_at(&bytes, usize::MAX)), (Some(0x0403_0201), None));
    }
}
