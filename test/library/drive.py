#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a stream program as a library and as an executable, and compares what they give.

    drive.py PROGRAM --lib=DIR [--svmc=PATH] [--cc=CC] [--input=FILE] [--limit=N] [--iterations=N] [--bytes=N]
             [--modes=once,reset,two,threads] [--most=1,2,7,...] [--level="-O1 ..."]

FILE is the input as an executable reads it; bits are packed there and unpacked here. --most: items of a portion, at most, by
chance. --limit: items to be taken of a program that does not end, whose executable runs --iterations. --bytes: what must come
out at least, so that something is compared.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SIZES = {"float": 4, "int": 4, "double": 8, "bool": 1, "program_Complex": 8}


def run(command, **options):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if p.returncode != 0 or p.stderr:
        sys.exit(f"{' '.join(command)}: {p.returncode}\n{p.stderr.decode()}")
    return p.stdout


def unpack(data, count):
    return b"".join(bytes([data[i // 8] >> (7 - i % 8) & 1, 0, 0, 0]) for i in range(count))


def pack(data):
    bits = [data[i] & 1 for i in range(0, len(data), 4)]  # as files have them: items may be any int
    bits += [0] * (-len(bits) % 8)
    return bytes(sum(bits[i + k] << (7 - k) for k in range(8)) for i in range(0, len(bits), 8))


class Program:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.executable = os.path.join(folder, "executable")
        self.drive = os.path.join(folder, "drive")
        self.header = os.path.join(folder, "program.h")
        run([args.svmc, *args.level.split(), args.program, "-o", self.executable])
        run([args.svmc, *args.level.split(), args.program, "--emit=lib", "--prefix=program", "-o", os.path.join(folder, "program.o")])
        with open(self.header, encoding="utf-8") as f:
            text = f.read()
        self.types = {}
        # "items of float[3][2], each 6 float side by side", and of bits
        about = re.findall(r"(takes|gives) items of ([^\n]*?)(?:, each (\d+) (\w+) side by side)?( \(0 or 1\))?\.?\n", text)
        for way, _, count, _, bit in about:
            pattern = r"const (\w+) \*in" if way == "takes" else r"(?<!const )\b(\w+) \*out"
            self.types[way] = (re.search(pattern, text).group(1), int(count or 1), bool(bit) and not count)
        flags = [f'-DHEADER="{self.header}"', "-DNAME=program"]
        for way, macro in [("takes", "IN"), ("gives", "OUT")]:
            if way in self.types:
                unit, count, _ = self.types[way]
                flags += [f"-D{macro}={unit}", f"-DSIZE_{macro}=({count}*sizeof({unit}))"]
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs/drive.c")
        run([*args.cc.split(), "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, here,
             os.path.join(folder, "program.o"), os.path.join(args.lib, "libsvm-host.a"), "-lm", "-ldl", "-pthread",
             "-o", self.drive])

    def is_bit(self, way):
        return way in self.types and self.types[way][2]

    def reference(self):
        """What the executable prints and gives."""
        a = self.args
        out = os.path.join(self.folder, "reference")
        command = [self.executable]
        if "takes" in self.types:
            command.append("--in=" + a.input)
        if "gives" in self.types:
            command.append("--out=" + out)
        if a.iterations:
            command += ["-i", str(a.iterations)]
        text, given = run(command), b""
        if "gives" in self.types:
            with open(out, "rb") as f:
                given = f.read()
        return text, given

    def library(self, mode, seed, most):
        a = self.args
        data = a.input or "/dev/null"
        if self.is_bit("takes"):
            with open(a.input, "rb") as f:
                raw = f.read()
            data = os.path.join(self.folder, "bits")
            with open(data, "wb") as f:
                f.write(unpack(raw, 8 * len(raw)))
        out = os.path.join(self.folder, "output")
        command = [self.drive, mode, str(seed), str(most), data, out]
        if a.limit:
            command.append(str(a.limit))
        text = run(command)
        with open(out, "rb") as f:
            given = f.read()
        return text, pack(given) if self.is_bit("gives") else given


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--svmc", default="svmc")
    parser.add_argument("--lib", required=True)
    parser.add_argument("--cc", default="clang")
    parser.add_argument("--input")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--modes", default="once,reset,two")
    parser.add_argument("--most", default="1,2,7,100,100000")
    parser.add_argument("--level", default="-O1")
    parser.add_argument("--bytes", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(args, folder)
        text, given = program.reference()
        if args.limit:
            given = given[:args.limit * SIZES[program.types["gives"][0]] * program.types["gives"][1]]
        if len(given) + len(text) < args.bytes:
            sys.exit(f"{len(given)} bytes came out and {len(text)} were printed, and {args.bytes} were expected")
        for mode in args.modes.split(","):
            for seed, most in enumerate(map(int, args.most.split(","))):
                library_text, library_given = program.library(mode, seed, most)
                if library_given != given:
                    sys.exit(f"{mode}, pieces of up to {most}: the library's output differs from the executable's "
                             f"({len(library_given)} and {len(given)} bytes)")
                if mode == "once" and library_text != text:
                    sys.exit(f"{mode}, pieces of up to {most}: the library prints\n{library_text.decode()}\nand the "
                             f"executable\n{text.decode()}")
    print(f"{os.path.basename(args.program)}: {len(given)} bytes, {len(text)} bytes of text")


main()
