#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of the host runtime with the simulating one: the RUN lines of each C program in a folder, with %host meaning
a program linked with it. Lines about other compilers, sanitizers or the host's own library are left out.

    host-tests.py --sim='COMMAND to compile, with @FILE@ for the source' --folder=test/runtime --scratch=DIR [--root=DIR]
                  [--described=FILE.c] [--skip=NAME=REASON]... [--only=NAME]

FILE.c describes machines of the tests' own; it is linked with those that use one.
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SECONDS = 120
LEFT_OUT = re.compile(r"%host-|%cc\b|SVMR_|%sim\b|%svm|%if\b")


def run_lines(path):
    lines, part = [], ""
    with open(path, encoding="utf-8") as f:
        for text in f:
            found = re.search(r"RUN:\s*(.*)", text)
            if not found:
                continue
            line = part + found.group(1).rstrip()
            if line.endswith("\\"):
                part = line[:-1]
                continue
            part = ""
            lines.append(line)
    return lines


OWN_MACHINE = re.compile(r'svm_machineTable = |#include "smp.h"')


def run(options, name):
    source = os.path.join(options.folder, name)
    with open(source, encoding="utf-8") as f:
        text = f.read()
    own = options.described and OWN_MACHINE.search(text) and "svm_simTable" not in text
    sim = options.sim.replace("@FILE@", "@FILE@ " + options.described) if own else options.sim
    scratch = os.path.join(options.scratch, name + ".tmp")
    words = {"%s": source, "%S": options.folder, "%t": scratch, "%root": options.root}
    pattern = re.compile(r"%(?:root|s|S|t)\b")
    ran = []
    for line in run_lines(source):
        if LEFT_OUT.search(line):
            continue
        line = re.sub(r"(env )?SVM_WORKERS=\w+ ", "", line)  # there are none
        line = re.sub(r"%host\b", lambda m: sim.replace("@FILE@", source), line)
        line = pattern.sub(lambda m: words[m.group(0)], line)
        ran.append(line)
    if not ran:
        return name, "nothing", ""
    # As in lit's shell, a pipeline fails if one of its commands does; each test has one working folder.
    script = "set -e -o pipefail\n" + "\n".join(ran)
    try:
        result = subprocess.run(["bash", "-c", script], cwd=options.scratch, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as e:
        return name, "FAILED", (e.stdout or b"").decode("utf-8", "replace") + f"\nno end after {SECONDS} seconds"
    return name, "passed" if result.returncode == 0 else "FAILED", result.stdout.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sim", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--root", default=".")
    parser.add_argument("--described")
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--only")
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    options.scratch = os.path.abspath(options.scratch)
    os.makedirs(options.scratch, exist_ok=True)
    skipped = dict(s.split("=", 1) for s in options.skip)
    names = sorted(n for n in os.listdir(options.folder) if n.endswith(".c"))
    for name in skipped:
        if name not in names:
            sys.exit(f"host-tests.py: there is no test '{name}' to be skipped")
    for name in names:
        if name in skipped:
            print(f"{name}: skipped: {skipped[name]}")
    names = [n for n in names if n not in skipped and (not options.only or n == options.only)]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for name, state, output in pool.map(lambda n: run(options, n), names):
            print(f"{name}: {state}")
            if state == "FAILED":
                failed += 1
                print(output)
    print(f"{len(names) - failed} of {len(names)} passed")
    sys.exit(failed > 0)


main()
