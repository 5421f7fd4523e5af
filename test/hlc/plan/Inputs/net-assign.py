#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what programs do on host-4, mapped to its processors, with what the interpreter does."""
import argparse
import os
import random
import re
import struct
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--svmc", required=True)
parser.add_argument("--svm-sim", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("programs", nargs="+")
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)
chance = random.Random(1)
items = struct.pack("20000f", *[chance.uniform(-1, 1) for _ in range(20000)])


def output(*command):
    done = subprocess.run(command, input=items, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr.decode()}")
    return done.stdout


def by_actor(text, prints):
    """What each actor prints is in order; texts of different actors are not."""
    return sorted(text.split(b"\n"), key=lambda line: line.split(b":")[0]) if prints else text


for program in options.programs:
    name = os.path.splitext(os.path.basename(program))[0]
    executable, made = os.path.join(options.work, name), os.path.join(options.work, name + ".svm.c")
    prints = not name.startswith("net-")
    run = (["-i", "3000"] if prints else []) + (["--tag-prints"] if name.startswith("dynamic") else [])
    wanted = by_actor(output(options.svmc, "--interpret", *run, program), prints)
    output(options.svmc, "--machine=host-4", "--emit=svm-c", program, "-o", made)
    processors = len(set(re.findall(r"SVM_PROCESSOR\((CORE\d)\)", open(made).read())))
    output(options.svmc, "--machine=host-4", program, "-o", executable)
    for _ in range(3):
        if by_actor(output(executable, *run), prints) != wanted:
            sys.exit(f"{name}: compiled, it does something else")
    if by_actor(output(options.svm_sim, "--machine=host-4", made, "--", *run), prints) != wanted:
        sys.exit(f"{name}: simulated, it does something else")
    print(f"{name}: {processors} processors, the same", flush=True)
