//! Reading numbers from untrusted bytes.

/// The unread rest of a file, little-endian unless told otherwise. Every read answers `None` where the bytes end.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Bytes<'a> {
    /// Reads little-endian numbers.
    pub fn new(rest: &'a [u8]) -> Self {
        Self { rest, big_endian: false }
    }

    /// Reads big-endian numbers from here on.
    pub fn big_endian(self) -> Self {
        Self { big_endian: true, ..self }
    }

    /// Whether a file begins with this number, in either byte order.
    pub fn begin_with(begin: &[u8], magic: u32) -> bool {
        begin.starts_with(&magic.to_le_bytes()) || begin.starts_with(&magic.to_be_bytes())
    }

    /// What follows the number that a file begins with, in the byte order of that number.
    pub fn after_magic(bytes: &'a [u8], magic: u32) -> Option<Self> {
        let mut rest = Self { rest: bytes, big_endian: bytes.starts_with(&magic.to_be_bytes()) };
        (rest.u32()? == magic).then_some(rest)
    }

    /// Reads other bytes in the same byte order.
    pub fn with(self, rest: &'a [u8]) -> Self {
        Self { rest, ..self }
    }

    /// What is unread.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(first)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = <[u8; N]>::try_from(self.take(N)?).ok()?;
        if self.big_endian {
            bytes.reverse();
        }
        Some(bytes)
    }

    /// The bytes of a number of at most 8, the lowest first and zeros behind them.
    pub fn low_first(&mut self, count: usize) -> Option<[u8; 8]> {
        let mut bytes = [0; 8];
        let own = bytes.get_mut(..count)?;
        own.copy_from_slice(self.take(count)?);
        if self.big_endian {
            own.reverse();
        }
        Some(bytes)
    }

    /// One byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[b]| b)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Four bytes.
    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    /// Four bytes, finite.
    pub fn f32(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes).filter(|v| v.is_finite())
    }

    /// Three numbers of four bytes each, finite.
    pub fn vec3(&mut self) -> Option<glam::DVec3> {
        Some(glam::DVec3::new(self.f32()?.into(), self.f32()?.into(), self.f32()?.into()))
    }

    /// A count of four bytes, of elements of at least `bytes` bytes each that still follow.
    pub fn count(&mut self, bytes: usize) -> Option<usize> {
        let count = self.u32()? as usize;
        (count <= self.rest.len() / bytes.max(1)).then_some(count)
    }
}
