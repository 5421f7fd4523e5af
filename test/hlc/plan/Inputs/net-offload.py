#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what programs do, offloaded to processors with memories of their own, with what the interpreter does: natively, under the
adversary, and in simulation, with inputs of several lengths and strips of several."""
import argparse
import json
import os
import random
import struct
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--svmc", required=True)
parser.add_argument("--svm-sim", required=True)
parser.add_argument("--svm-check", required=True)
parser.add_argument("--machine", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("--items", help="a file of input, instead of made-up floats")
parser.add_argument("programs", nargs="+")
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)
chance = random.Random(1)
FLOATS = [chance.uniform(-1, 1) for _ in range(9000)]


def output(*command, seed=None):
    environment = {**os.environ, "SVM_ADVERSARY": f"{seed},zeroes"} if seed else os.environ
    done = subprocess.run(command, capture_output=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stdout.decode(errors='replace')}{done.stderr.decode()}")
    return done.stdout


def run(*command, items, seed=None):
    """What a program prints, and what it writes."""
    given, got = os.path.join(options.work, "in.raw"), os.path.join(options.work, "out.raw")
    with open(given, "wb") as f:
        f.write(items)
    printed = output(*command, f"--in={given}", f"--out={got}", seed=seed)
    with open(got, "rb") as f:
        return printed, f.read()


def inputs():
    if options.items:
        with open(options.items, "rb") as f:
            return [f.read()]
    return [struct.pack(f"{length}f", *FLOATS[:length]) for length in (40, 777, 9000)]


for program in options.programs:
    name = os.path.splitext(os.path.basename(program))[0]
    regions = set()
    for way in ([], ["--strip=100", "--processors=3"] if "cell" in options.machine else ["--max-latency=70"]):
        executable, made = os.path.join(options.work, name), os.path.join(options.work, name + ".svm.c")
        flags = [f"--machine={options.machine}", "--offload=all", *way]
        output(options.svmc, *flags, "--emit=svm-c", program, "-o", made)
        text = open(made, encoding="utf-8").read()
        regions.add(text.count("svm_offloadCreate("))
        if output(options.svm_check, made):
            sys.exit(f"{name}: svm-check finds something")
        output(options.svmc, *flags, program, "-o", executable)
        for items in inputs():
            wanted = run(options.svmc, "--interpret", program, items=items)
            for seed in (None, 1, 2):
                if run(executable, items=items, seed=seed) != wanted:
                    sys.exit(f"{name}: {way}, {len(items)} bytes, seed {seed}: compiled, it does something else")
            if run(options.svm_sim, "-o", os.devnull, made, "--", items=items) != wanted:
                sys.exit(f"{name}: {way}, {len(items)} bytes: simulated, it does something else")
    times = []
    for flags in ([], ["--processors=1"]):
        output(options.svmc, f"--machine={options.machine}", *flags, "--emit=svm-c", program, "-o", made)
        report = os.path.join(options.work, name + ".sim.json")
        run(options.svm_sim, f"--json={report}", made, "--", items=inputs()[-1])
        with open(report, encoding="utf-8") as f:
            times.append(json.load(f)["seconds"])
    print(f"{name}: {'-'.join(map(str, sorted(regions)))} regions offloaded on {options.machine}, the same", flush=True)
    print(f"{name}: {times[1] / times[0]:.1f} times faster on {options.machine} than with --processors=1, simulated", flush=True)
