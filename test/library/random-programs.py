#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs (test/gen) that take items, as libraries and as executables: drive.py compares them.

    random-programs.py --first=SEED --count=N OPTION...     the options are drive.py's
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GEN = os.path.join(HERE, "../gen")
sys.dont_write_bytecode = True
sys.path.insert(0, GEN)
from case import Case, pack


def program(seed):
    """The text of a program that takes items, or None."""
    command = [sys.executable, os.path.join(GEN, "generate.py"), f"--seed={seed}", "--without=traps,messages,lazypops"]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return text if re.search(r"^// IN \w+:", text, re.M) else None


def compare(text, options):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.str"), "w", encoding="utf-8") as f:
            f.write(text)
        for name, data in Case(text).files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        kind, items = re.search(r"^// IN (\w+): ?(.*)$", text, re.M).groups()
        with open(os.path.join(folder, "input"), "wb") as f:
            f.write(pack(kind, items))
        command = [sys.executable, os.path.join(HERE, "drive.py"), "program.str", "--input=input", "--bytes=0", "--level=-O1 -w", *options]
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    args, options = parser.parse_known_args()
    seed, compared, wrong, size = args.first, 0, 0, 0
    while compared < args.count:
        text = program(seed)
        if text is not None:
            r = compare(text, options)
            compared += 1
            if r.returncode != 0:
                wrong += 1
                print(f"seed {seed}:\n{r.stdout}")
            else:
                size += sum(map(int, re.findall(r"(\d+) bytes", r.stdout)))
        seed += 1
    print(f"{compared} programs, {wrong} wrong, {size} bytes")
    sys.exit(wrong != 0)


main()
