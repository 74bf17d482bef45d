//! Sound without a device: what is heard is rendered into samples, and written as a WAV file.

use kira::backend::{Backend, Renderer};
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Samples per second and channel.
pub const SAMPLE_RATE: u32 = 48_000;
const CHANNELS: u16 = 2;

/// A backend that renders when it is asked to.
#[derive(Default)]
pub struct Offline {
    renderer: Option<Mutex<Renderer>>,
}

impl Backend for Offline {
    type Settings = ();
    type Error = Infallible;

    fn setup((): (), _: usize) -> Result<(Self, u32), Infallible> {
        Ok((Self::default(), SAMPLE_RATE))
    }

    fn start(&mut self, renderer: Renderer) -> Result<(), Infallible> {
        self.renderer = Some(Mutex::new(renderer));
        Ok(())
    }
}

impl Offline {
    /// Appends so many moments, left and right in turn, to `out`.
    pub fn render(&mut self, moments: usize, out: &mut Vec<f32>) {
        let start = out.len();
        out.resize(start + moments * usize::from(CHANNELS), 0.0);
        if let Some(renderer) = &mut self.renderer {
            let renderer = renderer.get_mut().unwrap_or_else(PoisonError::into_inner);
            renderer.on_start_processing();
            renderer.process(&mut out[start..], CHANNELS);
        }
    }
}

/// Writes samples, left and right in turn, as a WAV file of 16-bit PCM.
///
/// # Errors
/// The system's.
pub fn write_wav(path: &Path, samples: &[f32]) -> io::Result<()> {
    let bytes = u32::try_from(samples.len() * 2).map_err(|_| io::Error::other("more than 4 GB of samples"))?;
    let frame_bytes = CHANNELS * 2;
    let mut out = io::BufWriter::new(std::fs::File::create(path)?);
    out.write_all(b"RIFF")?;
    out.write_all(&(36 + bytes).to_le_bytes())?;
    out.write_all(b"WAVEfmt ")?;
    out.write_all(&16_u32.to_le_bytes())?;
    // PCM.
    out.write_all(&1_u16.to_le_bytes())?;
    out.write_all(&CHANNELS.to_le_bytes())?;
    out.write_all(&SAMPLE_RATE.to_le_bytes())?;
    out.write_all(&(SAMPLE_RATE * u32::from(frame_bytes)).to_le_bytes())?;
    out.write_all(&frame_bytes.to_le_bytes())?;
    out.write_all(&16_u16.to_le_bytes())?;
    out.write_all(b"data")?;
    out.write_all(&bytes.to_le_bytes())?;
    for sample in samples {
        out.write_all(&((sample.clamp(-1.0, 1.0) * 32_767.0).round() as i16).to_le_bytes())?;
    }
    out.flush()
}
