#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential tests of the examples: the interpreter is the reference for every level, strip, length of input, and
for the simulator.

    examples.py levels  TOOLS PROGRAM.str INPUT OUTPUT [BYTES..]  all levels and strips give the interpreter's bytes, which go to OUTPUT;
                                                                  some the same for prefixes of the input
    examples.py mapped  TOOLS PROGRAM.str INPUT BYTES..  the same on several processors, with and without memories of their own
    examples.py four    TOOLS PROGRAM.str INPUT BYTES..  the same with --mapping=time|space and --transfer=block|stream
    examples.py emitted TOOLS PROGRAM.str                the emitted SVM C gives no warning with gcc and clang

TOOLS: --svmc=PATH --include=FOLDER --clang=PATH
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

# One of each kind is left to the C compiler's optimiser; of the others it is what svmc made that is compared.
LEVELS = ["-O0", "-O3", "-O2 --strip=1 --c-level=0", "-O2 --strip=7 --c-level=0", "-O2 --strip=64", "-O2 --target=sim"]
DRAIN_LEVELS = ["-O0", "-O3", "-O1 --strip=7 --c-level=0"]
MAPPED_LEVELS = ["-O2 --machine=host-4 --processors=2", "-O0 --machine=host-4 --strip=5", "-O2 --target=sim --machine=cell-qs20"]
FOUR_LEVELS = ["--c-level=0 --target=sim --machine=simple-svm --mapping=time --transfer=block",
               "--c-level=0 --target=sim --machine=simple-svm --mapping=time --transfer=stream",
               "--c-level=0 --target=sim --machine=simple-svm --mapping=space --transfer=block",
               "--target=sim --machine=simple-svm --mapping=space --transfer=stream",
               "--c-level=0 --target=sim --machine=cell-qs20 --mapping=space --transfer=stream",
               "--c-level=0 --target=sim --machine=imagine --transfer=stream",
               "-O0 --machine=host-4 --mapping=space --transfer=stream --strip=5",
               "--machine=host-4 --mapping=space"]
# Programs that simple-svm refuses so, as its local memories hold 128 KiB; all others it takes.
SIMPLE_LEVEL = "--machine=simple-svm --mapping=space --transfer=stream"
TOO_LARGE = ["vocoder.str"]
MOST_OPERATIONS = 2 * 10**8
WARNINGS = "-std=c11 -Wall -Wextra -Wpedantic -Werror"
SECONDS = 120


def run(command, **options):
    r = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, **options)
    if r.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit code {r.returncode}\n{r.stdout}{r.stderr}")
    return r


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def interpret(args, source, result):
    r = run([args.svmc, "--interpret", "--count-operations", f"--in={source}", f"--out={result}", args.program])
    count = re.search(r"(\d+)", r.stderr)
    if not count:
        sys.exit(f"--count-operations printed no number: {r.stderr!r}")
    return int(count.group(1))


def compile_all(args, folder, levels):
    programs = []
    for number, level in enumerate(levels):
        path = os.path.join(folder, f"program{number}")
        run([args.svmc, *level.split(), args.program, "-o", path])
        programs.append((level, path))
    return programs


def compare(args, programs, folder, source, reference):
    """The programs' outputs for one input, with the interpreter's."""
    wanted = contents(reference)
    for level, program in programs:
        result = os.path.join(folder, "result")
        run([program, f"--in={source}", f"--out={result}"])
        got = contents(result)
        if got != wanted:
            at = next((i for i, (g, w) in enumerate(zip(got, wanted)) if g != w), min(len(got), len(wanted)))
            sys.exit(f"{args.program} at {level}, input of {os.path.getsize(source)} bytes: {len(got)} bytes of output, the "
                     f"interpreter's has {len(wanted)}; they differ from byte {at} on")


def levels(args, folder):
    source, result, *lengths = args.rest
    operations = interpret(args, source, result)
    if operations > MOST_OPERATIONS:
        sys.exit(f"{operations} operations are too many for a short input (at most {MOST_OPERATIONS})")
    programs = compile_all(args, folder, [*LEVELS, *(level for level in DRAIN_LEVELS if lengths and level not in LEVELS)])
    compare(args, programs[:len(LEVELS)], folder, source, result)
    print(f"{len(LEVELS)} compilations equal the interpreter: {os.path.getsize(result)} bytes, {operations} operations")
    if lengths:
        prefixes(args, folder, source, lengths, [p for p in programs if p[0] in DRAIN_LEVELS])


def mapped(args, folder):
    prefixes(args, folder, args.rest[0], args.rest[1:], compile_all(args, folder, MAPPED_LEVELS))


def four(args, folder):
    prefixes(args, folder, args.rest[0], args.rest[1:], compile_all(args, folder, FOUR_LEVELS))


def prefixes(args, folder, whole, lengths, programs):
    data = contents(whole)
    source, reference = os.path.join(folder, "prefix"), os.path.join(folder, "reference")
    lengths = [int(n) for n in lengths]
    if not lengths or max(lengths) > len(data):
        sys.exit(f"prefixes need lengths of at most {len(data)} bytes")
    some = set()
    for n in lengths:
        with open(source, "wb") as f:
            f.write(data[:n])
        interpret(args, source, reference)
        some.add(os.path.getsize(reference))
        compare(args, programs, folder, source, reference)
    if len(some) < 2:
        sys.exit("all prefixes gave outputs of one length: choose others")
    print(f"{len(lengths)} prefixes of the input, {len(programs)} compilations each: equal to the interpreter")


def emitted(args, folder):
    path = os.path.join(folder, "emitted.c")
    for level in ["-O0", "-O2", "-O3", "-O2 --machine=cell-qs20", SIMPLE_LEVEL]:
        command = [args.svmc, *level.split(), "--emit=svm-c", args.program, "-o", path]
        if level == SIMPLE_LEVEL and os.path.basename(args.program) in TOO_LARGE:
            if "mapped with it do not fit: they need" not in subprocess.run(command, capture_output=True, text=True, check=False).stderr:
                sys.exit(f"{args.program} is among TOO_LARGE, and is not refused as too large for simple-svm")
            print("too large for simple-svm")
            continue
        run(command)
        for compiler in ["gcc", args.clang]:
            run([compiler, *WARNINGS.split(), f"-I{args.include}", "-c", path, "-o", os.path.join(folder, "emitted.o")])
    print("no warnings")


def main():
    commands = {"levels": levels, "mapped": mapped, "four": four, "emitted": emitted}
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", choices=commands)
    for tool in ["svmc", "include", "clang"]:
        parser.add_argument(f"--{tool}", required=True)
    parser.add_argument("program")
    parser.add_argument("rest", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands[args.command](args, folder)


main()
