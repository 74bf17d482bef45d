//! Sounds that are read and decoded beside the frame.

use super::error::SoundError;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// A sound that is decoded on another thread.
pub(super) struct Decoding<T> {
    path: PathBuf,
    receive: Receiver<Result<T, SoundError>>,
}

impl<T: Send + 'static> Decoding<T> {
    /// Begins to decode the sound of a file.
    pub(super) fn start(path: PathBuf, decode: impl FnOnce() -> Result<T, SoundError> + Send + 'static) -> Self {
        let (send, receive) = channel();
        // A sound that is not wanted any more is dropped with its channel. Where the system has no thread left, the
        // channel is closed at once, which `take` reports.
        drop(std::thread::Builder::new().spawn(move || drop(send.send(decode()))));
        Self { path, receive }
    }

    /// Its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The sound, once it is decoded; where it `waits`, it is waited for. A decoder that broke down is an error.
    pub(super) fn take(&self, waits: bool) -> Option<Result<T, SoundError>> {
        let received = if waits { self.receive.recv().map_err(TryRecvError::from) } else { self.receive.try_recv() };
        match received {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(SoundError::Broken { path: self.path.clone() })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_that_breaks_down_is_an_error() {
        let decoding = Decoding::<()>::start("a.ogg".into(), || panic!("a broken decoder"));
        let error = decoding.take(true).unwrap().unwrap_err();
        assert!(matches!(error, SoundError::Broken { .. }) && error.to_string().contains("a.ogg"), "{error}");
        assert!(matches!(decoding.take(false), Some(Err(SoundError::Broken { .. }))), "it is not waited for any more");
        let decoding = Decoding::start("b.ogg".into(), || Ok(7));
        assert_eq!(decoding.take(true).unwrap().unwrap(), 7);
    }
}
