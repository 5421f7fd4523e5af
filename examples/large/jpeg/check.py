#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JPEG: what decoder.str makes of a .jpg file, and encoder.str of a .ppm file, against jpeg.py's decoder, the pictures in
pictures/ (JPEG files by cjpeg, decoded by djpeg, see the README) and djpeg itself if it is installed.

    check.py input FILE.ppm|FILE.jpg   writes an input
    check.py check INPUT OUTPUT        INPUT.jpg and decoder.str's PPM file, or INPUT.ppm and encoder.str's JPEG file
"""
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "common"))
import harness
import jpeg

PICTURES = os.path.join(HERE, "pictures")
LEAST_PSNR = 28  # dB; for the picture of `input`, cjpeg of the same quality gives 29.2


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def draw(width, height):
    """A ball before a sky over a striped field: smooth, sharp and coloured parts."""
    samples = []
    for y in range(height):
        for x in range(width):
            px, py = x / width, y / height
            if (px - 0.35) ** 2 + (py - 0.4) ** 2 < 0.05:
                light = 1 - 2 * math.hypot(px - 0.28, py - 0.3)
                colour = 200 * light, 120 * light, 90 * light
            elif py > 0.65:
                colour = (70, 140, 50) if int(6 * px + 4 * py) % 2 else (90, 125, 45)
            else:
                colour = 120 + 90 * py, 160 + 70 * py, 250 - 20 * px
            samples += [round(v) for v in colour]
    return jpeg.Picture(width, height, samples)


def make_input(path):
    with open(path, "wb") as f:
        f.write(contents(os.path.join(PICTURES, "420.jpg")) if path.endswith(".jpg") else jpeg.portable(draw(61, 43)))


def djpeg(path):
    """djpeg's picture, without smoothing between samples; None if there is no djpeg."""
    if not shutil.which("djpeg"):
        return None
    r = subprocess.run(["djpeg", "-nosmooth", "-dct", "float", "-pnm", path], capture_output=True, check=False)
    if r.returncode != 0 or r.stderr:
        sys.exit(f"check: djpeg does not like {path}: {r.stderr.decode()}")
    return jpeg.read_portable(r.stdout)


def published(data):
    """djpeg's picture of one of ours in pictures/, or None."""
    for name in sorted(os.listdir(PICTURES)):
        if name.endswith(".jpg") and contents(os.path.join(PICTURES, name)) == data:
            return jpeg.read_portable(contents(os.path.join(PICTURES, name[:-4] + ".pnm")))
    return None


def same_size(got, wanted, what):
    if (got.width, got.height) != (wanted.width, wanted.height):
        sys.exit(f"check: {what}: {got.width} x {got.height} pixels, expected {wanted.width} x {wanted.height}")


def compare(got, wanted, tolerance, what):
    same_size(got, wanted, what)
    harness.expect_close(got.samples, wanted.samples, tolerance, what)


def check_decoder(source, result):
    got = jpeg.read_portable(contents(result))
    compare(got, jpeg.decode(contents(source)), 2, "the decoder of the check")
    for wanted, what in [(published(contents(source)), "what djpeg has made of it"), (djpeg(source), "djpeg")]:
        if wanted:
            compare(got, wanted, 2, what)


def check_encoder(source, result):
    wanted, got = jpeg.read_portable(contents(source)), jpeg.decode(contents(result))
    reference = djpeg(result)
    if reference:
        compare(reference, got, 2, "djpeg's picture and that of the check's decoder")
    same_size(got, wanted, "the encoded picture")
    error = sum((g - w) ** 2 for g, w in zip(got.samples, wanted.samples)) / len(got.samples)
    psnr = 10 * math.log10(255 * 255 / error) if error else math.inf
    sizes = f"{os.path.getsize(source)} bytes became {os.path.getsize(result)}"
    if psnr < LEAST_PSNR:
        sys.exit(f"check: {psnr:.1f} dB of noise, expected at least {LEAST_PSNR} ({sizes})")
    print(f"ok: {psnr:.1f} dB above the noise, {sizes}")


def check(source, result):
    (check_decoder if contents(source)[:2] == b"\xff\xd8" else check_encoder)(source, result)


try:
    harness.main(make_input, check)
except (jpeg.Damaged, IndexError, ValueError, KeyError, UnboundLocalError) as e:
    sys.exit(f"check: the output is damaged: {type(e).__name__}: {e}")
