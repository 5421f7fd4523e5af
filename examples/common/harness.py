# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the examples' check.py scripts share: input and output files of 4-byte items, sound files, and the command line.

    check.py input FILE           writes the example's input
    check.py check INPUT OUTPUT   compares a program's output with an independent computation; exit code 1 if it differs
"""
import array
import struct
import sys
import wave


def write_items(path, code, values):
    with open(path, "wb") as f:
        array.array(code, values).tofile(f)


def read_items(path, code):
    a = array.array(code)
    with open(path, "rb") as f:
        a.frombytes(f.read())
    return a


def is_wav(path):
    return path.lower().endswith(".wav")


def write_sound(path, samples, rate, channels=1):
    """Samples in [-1, 1]: a WAV file of 16 bits if the name says so, else raw floats."""
    if not is_wav(path):
        return write_items(path, "f", samples)
    with wave.open(path, "wb") as f:
        f.setnchannels(channels)
        f.setsampwidth(2)
        f.setframerate(rate)
        f.writeframes(array.array("h", [max(-32768, min(32767, round(v * 32767))) for v in samples]).tobytes())


def wav_chunks(data, path):
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        sys.exit(f"check: '{path}' is no WAV file")
    at = 12
    while at + 8 <= len(data):
        size = struct.unpack_from("<I", data, at + 4)[0]
        yield data[at:at + 4], data[at + 8:at + 8 + size]
        at += 8 + size + size % 2


def read_sound(path):
    """(samples, sampling rate or None, channels or None) of a WAV file of 16 bits or floats, or of raw floats."""
    if not is_wav(path):
        return read_items(path, "f"), None, None
    with open(path, "rb") as f:
        chunks = dict(wav_chunks(f.read(), path))
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunks[b"fmt "])
    if kind == 0xFFFE:  # the kind is in the extension
        kind = struct.unpack_from("<H", chunks[b"fmt "], 24)[0]
    if (kind, bits) not in ((1, 16), (3, 32)):
        sys.exit(f"check: '{path}' holds samples of kind {kind} and {bits} bits; 16-bit integers or 32-bit floats can be read")
    samples = array.array("h" if kind == 1 else "f")
    samples.frombytes(chunks[b"data"])
    return (array.array("f", [v / 32768 for v in samples]) if kind == 1 else samples), rate, channels


class Random:
    """A small linear congruential generator, so that inputs are the same everywhere."""

    def __init__(self, seed=12345):
        self.state = seed

    def bits(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> (64 - n)

    def uniform(self):
        return self.bits(24) / 2**23 - 1.0


def expect_close(got, wanted, tolerance, what):
    """Every value within tolerance (absolute); says which is not."""
    if len(got) != len(wanted):
        sys.exit(f"check: {what}: {len(got)} values, expected {len(wanted)}")
    worst = 0.0
    for i, (g, w) in enumerate(zip(got, wanted)):
        if not abs(g - w) <= tolerance:
            sys.exit(f"check: {what}: value {i} is {g}, expected {w} within {tolerance}")
        worst = max(worst, abs(g - w))
    print(f"ok: {what}: {len(got)} values, largest difference {worst:.2g}")


def expect_equal(got, wanted, what):
    if len(got) != len(wanted):
        sys.exit(f"check: {what}: {len(got)} values, expected {len(wanted)}")
    for i, (g, w) in enumerate(zip(got, wanted)):
        if g != w:
            sys.exit(f"check: {what}: value {i} is {g}, expected {w}")
    print(f"ok: {what}: {len(got)} values equal")


def main(make_input, check):
    if len(sys.argv) == 3 and sys.argv[1] == "input":
        make_input(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        check(sys.argv[2], sys.argv[3])
    else:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
