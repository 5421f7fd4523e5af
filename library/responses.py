#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""responses.py SVMC FOLDER: draws the gain of filters of the library over frequency, as SVG files in FOLDER.

Each curve is the Fourier transform of an impulse response that the interpreter computes; gains are in decibels, from -80 to 10.
"""
import cmath
import math
import os
import struct
import subprocess
import sys
import tempfile

LIBRARY = os.path.dirname(os.path.abspath(__file__))
POINTS, LENGTH = 257, 1024
LOW, HIGH = -80.0, 10.0
LEFT, TOP, WIDTH, HEIGHT = 48, 14, 560, 220
COLORS = ["#1f6fb2", "#c2410c", "#15803d", "#7e22ce", "#db2777"]
# picture: (file to import, title, curves)
PICTURES = {
    "fir.svg": ("dsp/fir.str", "31 taps, Hamming window", ["LowPass(0.1, 31, 3)", "HighPass(0.4, 31, 3)", "BandPass(0.2, 0.3, 31, 3)", "BandStop(0.2, 0.3, 31, 3)"]),
    "windows.svg": ("dsp/fir.str", "LowPass(0.1, 31, window)", ["LowPass(0.1, 31, %d)" % kind for kind in range(5)]),
    "biquads.svg": ("dsp/iir.str", "biquads", ["BiquadLowPass(0.1, 0.7071)", "BiquadHighPass(0.1, 0.7071)", "BiquadBandPass(0.2, 4)", "BiquadNotch(0.3, 4)", "BiquadPeak(0.4, 4, 6)"]),
}
NAMES = {"windows.svg": ["rectangular", "Bartlett", "Hann", "Hamming", "Blackman"]}


def impulse_response(svmc, file, stream, folder):
    """LENGTH numbers, of an input of 64 zeros, a one and more zeros: what a window has to see first is zeros."""
    program, source, result = (os.path.join(folder, n) for n in ["p.str", "in.raw", "out.raw"])
    with open(program, "w", encoding="utf-8") as f:
        f.write(f'import "{os.path.join(LIBRARY, file)}";\nfloat->float pipeline Main {{ add {stream}; }}\n')
    with open(source, "wb") as f:
        f.write(struct.pack("<%df" % (64 + LENGTH), *[0.0] * 64, 1.0, *[0.0] * (LENGTH - 1)))
    subprocess.run([svmc, "--interpret", f"--in={source}", f"--out={result}", program], check=True)
    with open(result, "rb") as f:
        data = f.read()
    return struct.unpack("<%df" % (len(data) // 4), data)


def gains(h):
    used = [(n, v) for n, v in enumerate(h) if v != 0.0]
    for k in range(POINTS):
        step = -1j * math.pi * k / (POINTS - 1)
        z = abs(sum(v * cmath.exp(step * n) for n, v in used))
        yield max(LOW, min(HIGH, 20 * math.log10(z) if z > 1e-9 else LOW))


def at(k, db):
    x = LEFT + WIDTH * k / (POINTS - 1)
    return "%.1f,%.1f" % (x, TOP + HEIGHT * (HIGH - db) / (HIGH - LOW))


def picture(title, curves):
    """curves: (name, gains)"""
    s = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 16} {TOP + HEIGHT + 50 + 16 * ((len(curves) + 1) // 2)}"'
         ' font-family="Helvetica, Arial, sans-serif" font-size="11">',
         f"<title>{title}</title>", '<rect width="100%" height="100%" fill="white"/>']
    for db in range(int(LOW), int(HIGH) + 1, 20):
        y = TOP + HEIGHT * (HIGH - db) / (HIGH - LOW)
        s.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" stroke="#d4d4d8"/>')
        s.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{db} dB</text>')
    for tenth in range(6):
        x = LEFT + WIDTH * tenth / 5
        s.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#d4d4d8"/>')
        s.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 15}" text-anchor="middle">{tenth / 10}</text>')
    s.append(f'<text x="{LEFT + WIDTH}" y="{TOP + HEIGHT + 30}" text-anchor="end">frequency / sampling rate</text>')
    for i, (name, values) in enumerate(curves):
        points = " ".join(at(k, db) for k, db in enumerate(values))
        s.append(f'<polyline fill="none" stroke="{COLORS[i]}" stroke-width="1.6" points="{points}"/>')
        x, y = LEFT + WIDTH // 2 * (i % 2), TOP + HEIGHT + 46 + 16 * (i // 2)
        s.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 18}" y2="{y - 4}" stroke="{COLORS[i]}" stroke-width="2"/><text x="{x + 24}" y="{y}">{name}</text>')
    return "\n".join(s + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    svmc, to = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name, (file, title, streams) in PICTURES.items():
            labels = NAMES.get(name, streams)
            curves = [(label, gains(impulse_response(svmc, file, stream, folder))) for label, stream in zip(labels, streams)]
            with open(os.path.join(to, name), "w", encoding="utf-8") as f:
                f.write(picture(title, curves))


main()
