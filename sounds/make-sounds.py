#!/usr/bin/env python3
"""Makes the two sounds: success rises, failure is low and doubled.

They differ in pitch, direction and rhythm, so that a person who hears only part of that still tells them apart. Energy
lies between 200 and 2000 Hz, where age takes least. Deterministic: the same bytes every time.

    make-sounds.py FOLDER
"""

import math
import struct
import sys
import wave

RATE = 48000
PEAK = 0.707  # -3 dBFS


def tone(frequency, seconds, harmonics):
    """Samples of one tone with soft edges: a sum of (multiple, strength)."""
    count = int(RATE * seconds)
    edge = int(RATE * 0.015)
    total = sum(strength for _, strength in harmonics)
    samples = []
    for n in range(count):
        value = sum(s * math.sin(2 * math.pi * frequency * m * n / RATE) for m, s in harmonics) / total
        gain = min(1.0, n / edge, (count - 1 - n) / edge)
        samples.append(value * math.sin(gain * math.pi / 2))
    return samples


def silence(seconds):
    return [0.0] * int(RATE * seconds)


def write(path, samples):
    top = max(abs(s) for s in samples)
    data = b"".join(struct.pack("<h", int(round(s / top * PEAK * 32767))) for s in samples)
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(data)


BELL = [(1, 1.0), (2, 0.4), (3, 0.15)]
BUZZ = [(1, 1.0), (2, 0.8), (3, 0.6), (4, 0.4), (5, 0.3)]

folder = sys.argv[1] if len(sys.argv) > 1 else "."
success = tone(587.33, 0.16, BELL) + tone(783.99, 0.16, BELL) + tone(1174.66, 0.38, BELL)
failure = tone(220.0, 0.28, BUZZ) + silence(0.12) + tone(207.65, 0.36, BUZZ)
write(f"{folder}/success.wav", success)
write(f"{folder}/failure.wav", failure)
