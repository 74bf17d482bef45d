//! What the header of a PLY file declares: its elements, and the types of their numbers.

/// A type of numbers, by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyNumber {
    /// Whole numbers with a sign.
    Signed(usize),
    /// Whole numbers without a sign.
    Unsigned(usize),
    /// Fractions.
    Float(usize),
}

impl PlyNumber {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::Signed(1),
            "short" | "int16" => Self::Signed(2),
            "int" | "int32" => Self::Signed(4),
            "uchar" | "uint8" => Self::Unsigned(1),
            "ushort" | "uint16" => Self::Unsigned(2),
            "uint" | "uint32" => Self::Unsigned(4),
            "float" | "float32" => Self::Float(4),
            "double" | "float64" => Self::Float(8),
            _ => return None,
        })
    }

    /// Bytes of a number in a binary file, at most 8.
    pub fn bytes(self) -> usize {
        let (Self::Signed(bytes) | Self::Unsigned(bytes) | Self::Float(bytes)) = self;
        bytes
    }

    /// The number of these bytes, the lowest first and zeros behind them. It may not be finite.
    pub fn value(self, bytes: [u8; 8]) -> f64 {
        let bits = u64::from_le_bytes(bytes);
        match self {
            Self::Float(8) => f64::from_bits(bits),
            Self::Float(_) => f64::from(f32::from_bits(bits as u32)),
            Self::Unsigned(_) => bits as f64,
            Self::Signed(1) => f64::from(bits as u8 as i8),
            Self::Signed(2) => f64::from(bits as u16 as i16),
            Self::Signed(_) => f64::from(bits as u32 as i32),
        }
    }
}

/// A property of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyProperty<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its numbers.
    pub kind: PlyNumber,
    /// The type of how many there are, of a list.
    pub counted_by: Option<PlyNumber>,
}

/// An element and how often it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlyElement<'a> {
    /// Its name.
    pub name: &'a str,
    /// How often it comes; a file may declare any number.
    pub count: usize,
    /// In the order of the file.
    pub properties: Vec<PlyProperty<'a>>,
}

/// The elements that the lines of a header declare; other lines are passed over.
///
/// # Errors
/// The number, from 0, of the first line that declares what cannot be read.
pub fn elements_of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Vec<PlyElement<'a>>, usize> {
    let mut elements: Vec<PlyElement<'a>> = Vec::new();
    for (number, line) in lines.into_iter().enumerate() {
        let words: Vec<&'a str> = line.split_whitespace().collect();
        let (name, kind, counted_by) = match words[..] {
            ["element", name, count] => {
                let count = count.parse().map_err(|_| number)?;
                elements.push(PlyElement { name, count, properties: Vec::new() });
                continue;
            }
            ["property", "list", count, kind, name] => (name, kind, Some(PlyNumber::named(count).ok_or(number)?)),
            ["property", kind, name] => (name, kind, None),
            ["element" | "property", ..] => return Err(number),
            _ => continue,
        };
        let kind = PlyNumber::named(kind).ok_or(number)?;
        elements.last_mut().ok_or(number)?.properties.push(PlyProperty { name, kind, counted_by });
    }
    Ok(elements)
}
