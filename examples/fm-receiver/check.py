#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the receiver's sound (stereo floats at 48 kHz, raw or WAV): tone frequency, channel separation, signal to noise.

check.py FILE LEFT_HZ RIGHT_HZ      0 Hz: that channel must be silent; exit code 1 when a limit is missed
"""
import cmath
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import harness

RATE = 48000.0
MIN_SEPARATION_DB = 35.0
MIN_SNR_DB = 45.0


def read(path):
    samples, rate, channels = harness.read_sound(path)
    if (rate, channels) not in ((None, None), (RATE, 2)):
        sys.exit(f"check: '{path}' has {channels} channels at {rate} Hz, expected 2 at {RATE:.0f}")
    return samples[0::2], samples[1::2]


def amplitude(x, hz):
    """Amplitude of the sine of that frequency, through a Hann window."""
    n = len(x)
    total = 0j
    for k, v in enumerate(x):
        total += v * (1 - math.cos(2 * math.pi * k / n)) * cmath.exp(-2j * math.pi * hz * k / RATE)
    return 2 * abs(total) / n


def peak_frequency(x, around):
    """The frequency of the strongest sine near a guess, on a grid."""
    step = RATE / len(x)
    best = max((amplitude(x, around + k * step / 4), around + k * step / 4) for k in range(-8, 9))
    return best[1]


def solve(m, y):
    """x with m x = y, by elimination (m is small and well conditioned)."""
    n = len(y)
    rows = [row[:] + [v] for row, v in zip(m, y)]
    for i in range(n):
        for j in range(n):
            if j != i:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def sine_and_rest(x, hz):
    """Power of the sine of that frequency that fits best, and of what is left without it (and without a constant)."""
    turn = 2 * math.pi * hz / RATE
    basis = [[1.0] * len(x), [math.cos(turn * k) for k in range(len(x))], [math.sin(turn * k) for k in range(len(x))]]
    products = [[sum(map(float.__mul__, a, b)) for b in basis] for a in basis]
    c = solve(products, [sum(map(float.__mul__, a, x)) for a in basis])
    rest = sum((v - c[0] - c[1] * p - c[2] * q) ** 2 for v, p, q in zip(x, basis[1], basis[2])) / len(x)
    return (c[1] ** 2 + c[2] ** 2) / 2, rest


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    path, wanted = sys.argv[1], [float(a) for a in sys.argv[2:4]]
    channels = [list(c[2000:2000 + 24000]) for c in read(path)]  # without the start, where the filters fill
    if min(map(len, channels)) < 4000:
        sys.exit(f"check: '{path}' holds too little sound ({len(channels[0])} samples after the start)")
    ok = True
    for name, x, own in zip(("left", "right"), channels, wanted):
        if own == 0:
            continue
        level = amplitude(x, own)
        frequency = peak_frequency(x, own)
        signal, noise = sine_and_rest(x, own)
        snr = 10 * math.log10(signal / max(noise, 1e-20))
        line = f"{name}: {frequency:.1f} Hz (sent {own:.1f}), level {level:.3f}, signal to noise {snr:.1f} dB"
        ok &= abs(frequency - own) < 2.0 and snr >= MIN_SNR_DB and level > 0.1
        across = channels[1 if name == "left" else 0]
        leak = amplitude(across, own)
        separation = 20 * math.log10(level / max(leak, 1e-9))
        line += f", separation {separation:.1f} dB"
        ok &= separation >= MIN_SEPARATION_DB
        print(line)
    print("ok" if ok else f"FAILED: wanted at least {MIN_SNR_DB:.0f} dB signal to noise and {MIN_SEPARATION_DB:.0f} dB separation")
    sys.exit(0 if ok else 1)


main()
