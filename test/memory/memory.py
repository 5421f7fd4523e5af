#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the peak memory of a run with that of one ten times as long: it must not depend on the length.

    memory.py --svmc=PATH [--cc=CC --lib=DIR] [--level="-O2 ..."] [--items=N] [PROGRAM...]
    memory.py --svmc=PATH [--level="-O2 ..."] --whole[=ITEMS] [PROGRAM...]

--level: options of svmc, "interpret", or "library": a C program that calls a library (Inputs/library.c). PROGRAMs are those of
Inputs without their ".str", all unless told. Such a file's first line says what it shows; "// OPTIONS:" are those of its runs,
and %n in it, or in the program, is the number of items. in.raw has as many; a program may read it and write out.raw. The
output of the shorter run must be that of the interpreter: with --tag-prints line by line of each filter, else byte by byte.

--whole runs each program with a million, ten million, .. ITEMS, a thousand million unless told, and prints what each run took, in kilobytes, how many
bytes came out of the longest and its seconds. Nothing is kept or compared: in.raw has zeros, out.raw is /dev/null. PATH's
folder has the test programs' folder beside it, or peak-memory is on PATH.
"""
import argparse
import array
import os
import re
import subprocess
import sys
import tempfile
import time

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
LONGER = 10
SHORTEST, LONGEST = 10**6, 10**9 # runs of --whole
NOISE = 1024  # kilobytes by which two runs may differ: what is loaded and where the system puts it


def run(command, **options):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if p.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {p.returncode}\n{p.stderr.decode()}")
    return p.stdout


class Program:
    def __init__(self, args, name, folder):
        self.args, self.name, self.folder, self.compiled = args, name, folder, {}
        with open(os.path.join(INPUTS, name + ".str"), encoding="utf-8") as f:
            self.text = f.read()
        m = re.search(r"^// OPTIONS: (.*)$", self.text, re.M)
        self.options = m.group(1) if m else ""

    def source(self, items):
        path = os.path.join(self.folder, "program.str")
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.text.replace("%n", str(items)))
        return path

    def command(self, items, level):
        """What is run; only a program that has the number of items in it is compiled for each."""
        options = self.options.replace("%n", str(items)).split()
        if level == "interpret":
            return [self.args.svmc, "--interpret", self.source(items), *options]
        key = items if "%n" in re.sub("//.*", "", self.text) else 0
        if key not in self.compiled:
            executable = os.path.join(self.folder, f"program-{key}")
            if level == "library":
                self.library(items, executable)
            else:
                run([self.args.svmc, *level.split(), self.source(items), "-o", executable])
            self.compiled[key] = executable
        return [self.compiled[key], *([str(items)] if level == "library" else options)]

    def library(self, items, executable):
        compiled = os.path.join(self.folder, "program.o")
        run([self.args.svmc, "-O2", self.source(items), "--emit=lib", "--prefix=program", "-o", compiled])
        run([self.args.cc, "-std=c11", "-O1", "-I" + self.folder, os.path.join(INPUTS, "library.c"), compiled,
             os.path.join(self.args.lib, "libsvm-host.a"), "-lm", "-ldl", "-pthread", "-o", executable])

    def run(self, items, level):
        """Kilobytes, and what came out."""
        if "in.raw" in self.text:
            with open(os.path.join(self.folder, "in.raw"), "wb") as f:
                (array.array("i", (i * 7919 % 1009 for i in range(1009))) * (items // 1009 + 1))[:items].tofile(f)
        out = os.path.join(self.folder, "out.raw")
        if os.path.exists(out):
            os.remove(out)
        text = run(["peak-memory", "peak", *self.command(items, level)], cwd=self.folder)
        with open(os.path.join(self.folder, "peak"), encoding="utf-8") as f:
            peak = int(f.read())
        if os.path.exists(out):
            with open(out, "rb") as f:
                text += f.read()
        if "--tag-prints" in self.options:
            text = b"\n".join(sorted(text.splitlines(), key=lambda line: line.split(b":")[0]))
        return peak, text

    def measure(self, items, level):
        """Kilobytes, the number of bytes that came out, and seconds."""
        with open(os.path.join(self.folder, "in.raw"), "wb") as f:
            f.truncate(4 * items)
        out = os.path.join(self.folder, "out.raw")
        if not os.path.exists(out):
            os.symlink("/dev/null", out)
        command = ["peak-memory", "peak", *self.command(items, level)]
        count, start = 0, time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=self.folder) as p:
            while data := p.stdout.read1(1 << 20):
                count += len(data)
        if p.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {p.returncode}")
        with open(os.path.join(self.folder, "peak"), encoding="utf-8") as f:
            return int(f.read()), count, time.monotonic() - start

    def whole(self):
        """An error's text, or None."""
        rows = [self.measure(items, self.args.level) for items in self.args.lengths]
        print(f"{self.name:<18}" + "".join(f" {peak:>9}" for peak, _, _ in rows) + f" {rows[-1][1]:>12} {rows[-1][2]:>8.1f}", flush=True)
        # The shortest may not touch all of its buffers; which pages of them are touched when, and by which core, varies.
        before, most = rows[1][0], max(peak for peak, _, _ in rows[2:])
        if most > before + max(NOISE, before // 4):
            return f"{self.name}: takes {most} kB, and {before} for {self.args.lengths[1]} items"
        return None

    def check(self):
        """An error's text, or None."""
        level, items = self.args.level, self.args.items
        short, text = self.run(items, level)
        long, longer = self.run(LONGER * items, level)
        print(f"{self.name}: {short} kB, {long} kB", flush=True)
        if len(text) == 0 or len(longer) <= len(text):
            return f"{self.name}: {len(text)} and {len(longer)} bytes came out: no longer run"
        if level != "interpret" and text != self.run(items, "interpret")[1]:
            return f"{self.name}: gives something else than in the interpreter"
        if long > short + NOISE:
            return f"{self.name}: takes {long} kB for {LONGER * items} items, {short} for {items}"
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--cc", default="clang")
    parser.add_argument("--lib", default="")
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--items", type=int, default=100000)
    parser.add_argument("--whole", nargs="?", type=int, const=LONGEST, metavar="ITEMS")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    args = parser.parse_args()
    names = args.programs or sorted(f[:-4] for f in os.listdir(INPUTS) if f.endswith(".str"))
    failed = 0
    if args.whole:
        args.lengths = [SHORTEST]
        while len(args.lengths) < 3 or args.lengths[-1] < args.whole:
            args.lengths.append(10 * args.lengths[-1])
        beside = os.path.join(os.path.dirname(os.path.abspath(args.svmc)), "..", "test", "bin")
        os.environ["PATH"] = beside + os.pathsep + os.environ["PATH"]
        print(f"{'kB at':<18}" + "".join(f" {'10^' + str(len(str(n)) - 1):>9}" for n in args.lengths) + "    bytes out  seconds")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            program = Program(args, name, folder)
            error = program.whole() if args.whole else program.check()
        if error:
            print(error)
            failed += 1
    print(f"{len(names)} programs, {failed} grow or differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
