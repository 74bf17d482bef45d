//! Wakes the window's loop where another thread has something for the next frame.

use std::sync::Mutex;
use winit::event_loop::EventLoopProxy;

/// Another thread has something for the next frame: the window may rest, and draws one.
#[derive(Clone, Copy, Debug)]
pub(super) struct WakeUp;

/// Calls `wake` where another thread than this one asks for a frame. What the frames themselves ask for they say when they
/// end.
fn wake_from_threads(context: &egui::Context, wake: impl Fn() + Send + Sync + 'static) {
    let own = std::thread::current().id();
    context.set_request_repaint_callback(move |_| {
        if std::thread::current().id() != own {
            wake();
        }
    });
}

/// Lets requests of other threads wake the loop.
pub(super) fn wake_loop(context: &egui::Context, proxy: &EventLoopProxy<WakeUp>) {
    let proxy = Mutex::new(proxy.clone());
    wake_from_threads(context, move || {
        if let Ok(proxy) = proxy.lock() {
            // A loop that has ended needs no frame.
            _ = proxy.send_event(WakeUp);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_window_that_rests_is_woken_from_other_threads() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let context = egui::Context::default();
        let woken = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&woken);
        wake_from_threads(&context, move || _ = counted.fetch_add(1, Ordering::SeqCst));
        // Until nothing is left to be drawn.
        let rest = || (0..8).for_each(|_| context.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear());
        rest();
        context.request_repaint();
        assert_eq!(woken.load(Ordering::SeqCst), 0, "the frame itself says what it wants");
        for times in 1..4 {
            rest();
            let other = context.clone();
            std::thread::spawn(move || other.request_repaint()).join().unwrap();
            assert_eq!(woken.load(Ordering::SeqCst), times);
        }
    }
}
