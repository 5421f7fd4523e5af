#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GSM 06.10: the decoder must give, bit for bit, what untoast (libgsm 1.0.22) made of speech/frames.gsm, and what
untoast gives where it is installed.

    check.py input FILE          writes frames
    check.py check INPUT OUTPUT  OUTPUT: floats, or a WAV file
    check.py sound FILE.raw      writes what the first 30 frames of speech/frames.gsm were made of: 16-bit samples
    check.py random FILE.gsm     writes the other 20
"""
import array
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "common"))
import harness

SPEECH = os.path.join(HERE, "speech")
VOWELS = [(700, 1200, 2600), (300, 2300, 3000), (350, 800, 2400), (500, 1800, 2500)]  # Hz


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def draw_vowels(path):
    """Four vowels, each a decaying tone at three formants after every pulse of the glottis, and breath between them."""
    random, out = harness.Random(7), [0.0] * 4800
    for at in range(0, 4800):
        out[at] += 60 * random.uniform()
    for number, formants in enumerate(VOWELS):
        at = 1200 * number
        while at < 1200 * number + 1000:
            for k in range(min(200, 4800 - at)):
                for f, size in zip(formants, (4000, 2500, 1000)):
                    out[at + k] += size * math.exp(-k / 40) * math.sin(2 * math.pi * f * k / 8000)
            at += 64 + 6 * number + at // 300
    with open(path, "wb") as f:
        f.write(array.array("h", [max(-32768, min(32767, round(v))) for v in out]).tobytes())


def write_random_frames(path):
    """Any bits are a frame."""
    random = harness.Random(2)
    with open(path, "wb") as f:
        for _ in range(20):
            f.write(bytes([0xD0 | random.bits(4)] + [random.bits(8) for _ in range(32)]))


def make_input(path):
    shutil.copyfile(os.path.join(SPEECH, "frames.gsm"), path)


def untoast(frames):
    """Of libgsm; its output is 16-bit samples."""
    r = subprocess.run(["untoast", "-l", "-c"], input=frames, capture_output=True, check=False)
    if r.returncode != 0:
        sys.exit(f"check: untoast: {r.stderr.decode()}")
    return r.stdout


def compare(got, wanted, what):
    samples = array.array("h")
    samples.frombytes(wanted)
    harness.expect_equal([round(v * 32768) for v in got], list(samples), what)


def check(source, result):
    frames = contents(source)
    got, _, _ = harness.read_sound(result)
    if any(v * 32768 != round(v * 32768) for v in got):
        sys.exit("check: the samples are no multiples of 1/32768")
    if len(got) != len(frames) // 33 * 160:
        sys.exit(f"check: {len(got)} samples, expected 160 for each of {len(frames) // 33} frames")
    published, ours = (contents(os.path.join(SPEECH, name)) for name in ("frames.gsm", "frames.raw"))
    here = bool(shutil.which("untoast"))
    if frames == published:
        compare(got, ours, "samples that libgsm has made of these frames")
    elif not here:
        sys.exit("check: other frames than those in speech/, and there is no untoast to decode them")
    if here:
        compare(got, untoast(frames), "samples of libgsm")


if len(sys.argv) == 3 and sys.argv[1] in ("sound", "random"):
    (draw_vowels if sys.argv[1] == "sound" else write_random_frames)(sys.argv[2])
else:
    harness.main(make_input, check)
