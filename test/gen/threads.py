#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random thread functions: what the interpreter gives, the same text as loops on this computer, the soft processor's functional
model and its cycle model must leave, bit for bit.

    threads.py --svmc=PATH [--first=N] [--count=N] [--batch=N] [--jobs=N] [--firings=N] [--seconds=N] [--keep=FOLDER]

Filters of gen_thread.py with the seeds from --first on, so many in one program that compilers start rarely. A program that differs or does not compile
is cut down to one filter, which is printed and kept as FOLDER/F<seed>.str with its input. What is no thread (the compiler tells why with --remarks)
runs as loops and is counted apart; so is what the machine's compiler cannot do, which needs more instructions, say. By hand: threads.py --count=100000.
"""
import argparse
import concurrent.futures
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from gen_thread import INT, ThreadProgram

SECONDS = 300
# Without sync-elim: a joiner copies, so items of any number lie together and all can be threads. Those of a view are apart.
PASSES = "--passes=canonicalize,inline,privatize,tabulate,share,decimate,interchange,schedule,map,coalesce,fuse,fiss,transfer,strip-mine,allocate"


class Failed(Exception):
    pass


class Tools:
    def __init__(self, svmc, machine, firings, keep):
        self.svmc, self.machine, self.firings, self.keep = svmc, machine, firings, keep
        self.llc = os.path.join(os.path.dirname(svmc), "svm-llc")


def execute(folder, *command, **variables):
    """What the command wrote to the standard error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False, env={**os.environ, **variables})
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-3000:]}")
    return done.stderr


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def run_filters(tools, program, filters, folder):
    """The numbers of filters that were launched, and of those that could not be compiled. Failed, where results differ."""
    data = program.items(tools.firings)
    with open(os.path.join(folder, "in.raw"), "wb") as f:
        f.write(struct.pack(f"<{len(data)}{'i' if program.source == INT else 'f'}", *data))
    with open(os.path.join(folder, "p.str"), "w", encoding="ascii") as f:
        f.write(program.text(filters))
    execute(folder, tools.svmc, "--interpret", "p.str", "--in=in.raw", "--out=expected.raw")
    options = [] if program.views else [PASSES]
    execute(folder, tools.svmc, f"--machine={tools.machine}", *options, "--emit=svm-c", "p.str", "-o", "p.svm.c")
    execute(folder, tools.llc, "--target=host", "-O0", "-w", "p.svm.c", "-o", "host")
    execute(folder, "./host", "--in=in.raw", "--out=host.raw")
    said = execute(folder, tools.llc, "--target=softproc", "-O0", "-Wno-clang", "p.svm.c", "-o", "soft")
    execute(folder, "./soft", "--in=in.raw", "--out=soft.raw", SVM_LAUNCHES="launches.txt", SVM_LAUNCH_CHECK="1")
    expected = read(folder, "expected.raw")
    for way in ("host", "soft"):
        if read(folder, way + ".raw") != expected:
            raise Failed(f"{way}: {difference(program, filters, expected, read(folder, way + '.raw'))}")
    path = os.path.join(folder, "launches.txt")
    launched = len(re.findall(rb"^F\d+_thread +[1-9]", read(folder, "launches.txt"), re.M)) if os.path.exists(path) else 0
    return launched, len(re.findall(r"\[-Wthread\]", said))


def difference(program, filters, expected, got):
    """The first one, with the filter's name."""
    if len(expected) != len(got):
        return f"{len(got)} bytes, expected {len(expected)}"
    at = next(i for i in range(0, len(got), 4) if got[i:i + 4] != expected[i:i + 4])
    word, period = at // 4, sum(f.push for f in filters)
    place, letter = word % period, "i" if program.target == INT else "f"
    for f in filters:
        if place < f.push:
            return (f"{f.name}, firing {word // period}, item {place}: {struct.unpack('<' + letter, got[at:at + 4])[0]!r}, "
                    f"expected {struct.unpack('<' + letter, expected[at:at + 4])[0]!r}")
        place -= f.push
    return "?"


def run_some(tools, program, filters, counts):
    """Runs them together; where that fails, in halves, down to one."""
    with tempfile.TemporaryDirectory(prefix="svmc-threads-") as folder:
        try:
            launched, large = run_filters(tools, program, filters, folder)
        except (Failed, subprocess.TimeoutExpired) as e:
            if len(filters) == 1:
                note_failure(tools, program, filters[0], str(e), folder, counts)
                return
        else:
            counts["launched"] += launched
            counts["loops"] += len(filters) - launched - large
            counts["large"] += large
            return
    half = len(filters) // 2
    run_some(tools, program, filters[:half], counts)
    run_some(tools, program, filters[half:], counts)


def note_failure(tools, program, one, text, folder, counts):
    counts["failures"].append(f"FAILED {one.name}: {text}\n{program.text([one])}")
    if tools.keep:
        os.makedirs(tools.keep, exist_ok=True)
        for name, kept in (("p.str", one.name + ".str"), ("in.raw", one.name + ".in")):
            with open(os.path.join(tools.keep, kept), "wb") as f:
                f.write(read(folder, name))


def run_batch(tools, first, count):
    program = ThreadProgram(first, count)
    counts = {"launched": 0, "loops": 0, "large": 0, "other": count - len(program.filters), "failures": []}
    run_some(tools, program, program.filters, counts)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--machine", default="xd1000")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="filters that are launched, at least")
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--firings", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so many, with what has been done")
    parser.add_argument("--keep")
    args = parser.parse_args()
    tools = Tools(os.path.abspath(args.svmc), args.machine, args.firings, args.keep)
    total = {"launched": 0, "loops": 0, "large": 0, "other": 0}
    start, first, failures, waiting = time.monotonic(), args.first, 0, set()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while waiting or total["launched"] < args.count:
            late = time.monotonic() - start > args.seconds
            if late and not waiting:
                break
            while not late and len(waiting) < args.jobs and total["launched"] + len(waiting) * args.batch * 3 // 4 < args.count:
                waiting.add(pool.submit(run_batch, tools, first, min(args.batch, args.count + args.count // 4 + 1)))
                first += args.batch
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for counts in (f.result() for f in done):
                failures += len(counts["failures"])
                for text in counts.pop("failures"):
                    print(text, flush=True)
                for kind, number in counts.items():
                    total[kind] += number
            if failures > 20:
                print("too many failures")
                break
    print(f"{total['launched']} thread functions agree in {time.monotonic() - start:.0f} s; seeds {args.first} to {first - 1}: "
          f"{total['loops']} are loops, {total['large']} could not be compiled, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    os.environ["SVMC_CACHE"] = ""
    main()
