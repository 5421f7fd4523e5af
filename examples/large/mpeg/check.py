#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MPEG-1 video: the decoder's pictures must be those that ffmpeg made of the files in videos/ (see the README), and those
that ffmpeg makes where it is installed.

    check.py input FILE.m1v          writes a stream
    check.py check INPUT OUTPUT.y4m
    check.py video NAME FILE.yuv     writes what videos/NAME.m1v was made of: planes of 8 bits, 4:2:0
"""
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "common"))
import harness

VIDEOS = os.path.join(HERE, "videos")
TOLERANCE = 1  # of 255: the last bit of a sum in the transform


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def byte(v):
    return max(0, min(255, round(v)))


def ball(t):
    """50 x 36: a ball that moves and then rests, before a background that moves more slowly. Planes of picture t of 9."""
    t = min(t, 6)
    at_x, at_y = 12 + 3.5 * t, 14 + 2 * math.sin(t)
    inside = {(x, y) for y in range(36) for x in range(50) if (x - at_x) ** 2 + (y - at_y) ** 2 < 70}
    y_plane = [210 - 6 * math.hypot(x - at_x + 3, y - at_y + 3) + 15 * math.sin(x - at_x) if (x, y) in inside else
               110 + 50 * math.sin((x + 1.5 * t) / 5) * math.cos(y / 7) + (30 if x > 25 and (x // 6 + y // 6) % 2 else 0)
               for y in range(36) for x in range(50)]
    colours = [[values[0] if (2 * x, 2 * y) in inside else values[1] + values[2] * (x % 5) + values[3] * y
                for y in range(18) for x in range(25)] for values in ((90, 140, 3, 0), (190, 110, 0, 1))]
    return [y_plane] + colours


def pan(t):
    """80 x 48: a pattern that moves by 20 and 3 samples a picture. Planes of picture t of 4."""
    def sample(x, y, k):
        return byte(128 + 60 * math.sin((x + .3 * y) / k) + 40 * math.sin((x * x / 50 + 3 * y) / 9) * math.cos(y / 5))
    y_plane = [sample(x + 20 * t, y + 3 * t, 6) for y in range(48) for x in range(80)]
    return [y_plane] + [[sample(x + 10 * t + shift, y + 3 * t // 2, 9) // 2 + 64 for y in range(24) for x in range(40)]
                        for shift in (0, 30)]


def draw(name, path):
    picture, count = {"ball": (ball, 9), "pan": (pan, 4)}[name]
    with open(path, "wb") as f:
        for t in range(count):
            for plane in picture(t):
                f.write(bytes(byte(v) for v in plane))


def read_video(data):
    """Width, height, pictures of a YUV4MPEG2 file."""
    title, data = data.split(b"\n", 1)
    words = title.split()
    if words[0] != b"YUV4MPEG2":
        sys.exit("check: no YUV4MPEG2 file")
    width, height = (int(next(w for w in words if w.startswith(letter))[1:]) for letter in (b"W", b"H"))
    size = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
    pictures = []
    while data:
        frame, data = data.split(b"\n", 1)
        if not frame.startswith(b"FRAME") or len(data) < size:
            sys.exit(f"check: picture {len(pictures)} is damaged")
        pictures.append(data[:size])
        data = data[size:]
    return width, height, pictures


def compare(got, wanted, what):
    if got[:2] != wanted[:2] or len(got[2]) != len(wanted[2]):
        sys.exit(f"check: {len(got[2])} pictures of {got[0]} x {got[1]}, expected {len(wanted[2])} of {wanted[0]} x {wanted[1]}")
    harness.expect_close(b"".join(got[2]), b"".join(wanted[2]), TOLERANCE, f"{what}, {len(got[2])} pictures")


def ffmpeg(source):
    command = ["ffmpeg", "-v", "error", "-idct", "faani", "-f", "mpegvideo", "-i", source, "-vsync", "0", "-f", "yuv4mpegpipe", "-"]
    r = subprocess.run(command, capture_output=True, check=False)
    if r.returncode != 0:
        sys.exit(f"check: ffmpeg: {r.stderr.decode()}")
    return r.stdout


def make_input(path):
    shutil.copyfile(os.path.join(VIDEOS, "ball.m1v"), path)


def check(source, result):
    got, checked = read_video(contents(result)), False
    for name in sorted(os.listdir(VIDEOS)):
        if name.endswith(".m1v") and contents(os.path.join(VIDEOS, name)) == contents(source):
            compare(got, read_video(contents(os.path.join(VIDEOS, name[:-4] + ".y4m"))), f"what ffmpeg has made of {name}")
            checked = True
    if shutil.which("ffmpeg"):
        compare(got, read_video(ffmpeg(source)), "ffmpeg")
        checked = True
    if not checked:
        sys.exit("check: a stream that is not in videos/, and there is no ffmpeg to decode it")


if len(sys.argv) == 4 and sys.argv[1] == "video":
    draw(sys.argv[2], sys.argv[3])
else:
    try:
        harness.main(make_input, check)
    except (ValueError, IndexError, StopIteration) as e:
        sys.exit(f"check: the output is damaged: {type(e).__name__}: {e}")
