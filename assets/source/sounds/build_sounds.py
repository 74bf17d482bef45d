"""Makes the sounds in assets/sounds: four footsteps on stone and a piece of music that repeats. Needs numpy only."""

import wave
from pathlib import Path

import numpy as np

RATE = 22050
OUT = Path(__file__).resolve().parents[2] / "sounds"
rng = np.random.default_rng(14)


def save(name, samples, peak):
    """Writes mono samples as 16 bits, their loudest at `peak`."""
    samples = samples * (peak / np.max(np.abs(samples)))
    with wave.open(str(OUT / name), "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(RATE)
        f.writeframes((samples * 32767.0).astype("<i2").tobytes())


def band(samples, low, high):
    """Keeps the frequencies between two bounds, with soft edges."""
    spectrum = np.fft.rfft(samples)
    hz = np.fft.rfftfreq(len(samples), 1.0 / RATE)
    keep = 1.0 / (1.0 + (low / np.maximum(hz, 1.0)) ** 4) / (1.0 + (hz / high) ** 4)
    return np.fft.irfft(spectrum * keep, len(samples))


def footstep(heel_hz, gap):
    """A heel that thumps, the ball that follows, and grit between shoe and stone."""
    n = int(0.19 * RATE)
    t = np.arange(n) / RATE
    hit = lambda at, decay: np.where(t >= at, np.exp(-np.maximum(t - at, 0.0) / decay), 0.0)
    noise = rng.standard_normal(n)
    thump = np.sin(2 * np.pi * heel_hz * t * (1.0 - 0.8 * t)) * hit(0.0, 0.018)
    click = band(noise, 900.0, 4200.0) * (hit(0.0, 0.006) + 0.55 * hit(gap, 0.011))
    grit = band(rng.standard_normal(n), 2500.0, 8000.0) * hit(gap, 0.03) * 0.16
    sound = 0.9 * thump + 0.7 * click + grit
    return sound * np.minimum(1.0, (n - np.arange(n)) / (0.03 * RATE))


def add(track, sound, at):
    """Lays a sound on a track that goes round: what passes the end comes again at the start."""
    index = (int(at * RATE) + np.arange(len(sound))) % len(track)
    np.add.at(track, index, sound)


def pluck(hz, secs):
    """A plucked string (Karplus and Strong, 1983)."""
    size = int(RATE / hz)
    line = band(rng.uniform(-1.0, 1.0, size), 40.0, 3500.0)
    out = np.empty(int(secs * RATE))
    for i in range(len(out)):
        k = i % size
        out[i] = line[k]
        line[k] = 0.4985 * (line[k] + line[(k + 1) % size])
    return out * np.minimum(1.0, (len(out) - np.arange(len(out))) / (0.1 * RATE))


def pad(hz, secs):
    """A soft chord tone that swells and fades."""
    t = np.arange(int(secs * RATE)) / RATE
    tone = sum(np.sin(2 * np.pi * hz * k * (1.0 + 0.0009 * d) * t) / k**1.7 for k in (1, 2, 3) for d in (-1, 1))
    return tone * np.sin(np.pi * t / secs) ** 1.5


def music():
    beat = 0.55
    bars = [(57, 60, 64), (53, 57, 60), (48, 55, 64), (55, 59, 62)] * 2
    scale = [57, 60, 62, 64, 67, 69, 72, 74]
    hz = lambda note: 440.0 * 2 ** ((note - 69) / 12)
    track = np.zeros(int(len(bars) * 8 * beat * RATE / 2))
    step = 4
    for i, chord in enumerate(bars):
        start = i * 4 * beat
        for note in chord:
            add(track, 0.12 * pad(hz(note), 5.5 * beat), start)
        add(track, 0.5 * pluck(hz(chord[0] - 12), 2.0), start)
        for half in range(8):
            if rng.random() < (0.85 if half % 2 == 0 else 0.4):
                step = int(np.clip(step + rng.integers(-2, 3), 0, len(scale) - 1))
                add(track, rng.uniform(0.22, 0.4) * pluck(hz(scale[step]), 1.6), start + half * beat / 2)
    for delay, gain in ((0.31, 0.22), (0.47, 0.15), (0.73, 0.08)):
        track = track + gain * np.roll(track, int(delay * RATE))
    return band(track, 40.0, 6000.0)


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for i, (hz, gap) in enumerate([(92, 0.045), (84, 0.052), (98, 0.04), (88, 0.048)]):
        save(f"step_{i + 1}.wav", footstep(hz, gap), 0.8)
    save("music.wav", music(), 0.5)
