# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compilers, built with sanitizers, over whole programs: compilers.py --source=ROOT --bin=FOLDER --work=FOLDER.

Every program goes through the high-level compiler, whose outputs and levels the programs take in turn (each takes all
with --all), and a few steady states of the interpreter; stream IR and plans go through svm-opt, which must give them
back unchanged. Source texts that are errors, and SVM C, are checked.
Whether a program is right is not asked here: exit codes are 0 or 1, and no sanitizer has anything to say.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SECONDS = 120
SANITIZER_EXIT = 99
STEPS = "--elaboration-steps=100000"
# Of each row a program takes one in turn, or all.
MODES = [
    [["--emit=ast"], ["--emit=graph"]],
    [["--emit=svm-c", "-O0"], ["--emit=svm-c", "-O3", "--strip=3", "--remarks", "--diagnostics-format=json"]],
    [["--interpret", "-i", "2"]],
]
# What is printed, and how svm-opt reads it.
ROUND_TRIPS = [("sir", "-O0"), ("plan", "-O0"), ("plan", "-O2")]


class Tester:
    def __init__(self, args):
        self.bin, self.work = args.bin.resolve(), args.work.resolve()
        self.all = args.all
        self.failures = []
        self.count = 0
        options = "exitcode=%d:detect_leaks=1:allocator_may_return_null=1" % SANITIZER_EXIT
        self.environment = dict(os.environ, ASAN_OPTIONS=options, UBSAN_OPTIONS=options + ":print_stacktrace=1")
        self.input = bytes(range(256)) * 32

    def run(self, tool, *arguments, data=None):
        """Standard output; None when the tool said that the input is wrong."""
        command = [str(self.bin / tool), *arguments]
        self.count += 1
        try:
            r = subprocess.run(command, input=data, cwd=self.work, env=self.environment, capture_output=True, timeout=SECONDS)
            status, text = r.returncode, r.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            status, text = "none after %d s" % SECONDS, ""
        if status not in (0, 1) or re.search(r"Sanitizer|runtime error:|internal error", text):
            self.failures.append("%s: exit code %s\n%s" % (shlex.join(command), status, text[-5000:]))
        return r.stdout if status == 0 else None

    def turn(self, row, number):
        return row if self.all else [row[number % len(row)]]

    def program(self, path, number):
        for mode in [mode for row in MODES for mode in self.turn(row, number)]:
            if self.run("svmc", *mode, "-w", STEPS, str(path), data=self.input) is None and mode[0] != "--interpret":
                return
        for what, level in self.turn(ROUND_TRIPS, number):
            text = self.run("svm-hlc", "--emit=" + what, level, "-w", STEPS, str(path))
            again = text and self.run("svm-opt", "-w", "-x", what, "-", data=text)
            if text and again != text:
                self.failures.append("%s: svm-opt changes the %s text of %s" % (path, what, level))

    def text(self, path, _):
        self.run("svmc", "--emit=svm-c", "--emit=tokens", str(path))
        self.run("svmc", "--emit=svm-c", STEPS, str(path))

    def stream_ir(self, path, _):
        self.run("svm-opt", "-w", str(path))
        self.run("svm-opt", "-w", "--emit=graph", str(path))

    def svm_c(self, path, _):
        self.run("svm-llc", "-fsyntax-only", "-I", str(path.parent), str(path))

    def machine(self, path, _):
        self.run("svmc", "--print-machine=" + str(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the tools are")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="made anew; programs run there")
    parser.add_argument("--all", action="store_true", help="every program takes all outputs and levels")
    args = parser.parse_args()
    shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True)
    root = args.source.resolve()
    tester = Tester(args)
    groups = [
        (tester.program, ["examples/*/*.str", "test/run/*.str", "test/lang/programs/*.str"]),
        (tester.text, ["test/lang/*.str", "test/hlc/**/*.str"]),
        (tester.stream_ir, ["test/hlc/**/*.sir"]),
        (tester.svm_c, ["examples/svm-c/*.c", "test/llc/*.c"]),
        (tester.machine, ["targets/*.yaml", "test/targets/**/*.yaml"]),
    ]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for check, patterns in groups:
            paths = [path for pattern in patterns for path in sorted(root.glob(pattern))]
            if not paths:
                sys.exit("no files match %s" % patterns)
            jobs += [pool.submit(check, path, number) for number, path in enumerate(paths)]
        for job in jobs:
            job.result()
    for failure in tester.failures:
        print(failure)
    print("%d files, %d runs, %d failures" % (len(jobs), tester.count, len(tester.failures)))
    sys.exit(len(tester.failures) > 0)


if __name__ == "__main__":
    main()
