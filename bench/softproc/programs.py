# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs on the soft processor, for run: a row for each.

  launched, host   actors' thread functions, and filters that stayed on the host's core; --reasons prints why
  equal            the output is the interpreter's, byte for byte; or, with --fp=target, so many of a hundred bytes are
  used             of the arithmetic pipeline, in all launches together; at least the limit beside it
  busy             of the simulated time that the soft processor was at work
  predicted        cycles that the compiler expected over those that launches took: the least and the most of the thread
                   functions; within 15 %
"""
import os
import random
import re
import struct
import subprocess
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ITEMS, MOST_OFF = 60000, 0.15

# letter: of the items; used: the least; options: of svmc; differing: the largest part of the output's bytes that may be others than the
# interpreter's, of what is not rounded as C's
Program = namedtuple("Program", "path letter used options differing", defaults=((), 0))
PROGRAMS = {
    "dct": Program("examples/dct/dct.str", "f", 0.95),
    "filter-bank": Program("examples/filter-bank/filterbank.str", "f", 0.95),
    "beamformer": Program("examples/beamformer/beamformer.str", "f", 0.9),
    "fft": Program("examples/fft/fft.str", "f", 0.93),
    "fm-receiver": Program("examples/fm-receiver/fm.str", "f", 0.95),
    "matrix-multiply": Program("examples/matrix-multiply/matmul.str", "f", 0.95),
    "bitonic-sort": Program("examples/bitonic-sort/bitonic.str", "i", 0.9),
    "edge-detector": Program("examples/edge-detector/edges.str", "i", 0.95),
    "edges-target": Program("examples/edge-detector/edges.str", "i", 0.95, ("--fp=target",), 0.01),
    "loops": Program("bench/softproc/loops.str", "f", 0.95),
    "tables": Program("bench/softproc/tables.str", "f", 0.95),
    "ints": Program("bench/softproc/ints.str", "i", 0.95),
}
Row = namedtuple("Row", "name launches threads cycles predicted used")


class Wrong(Exception):
    pass


def execute(*command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "SVMC_CACHE": "", **variables})
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stderr


def write_items(path, letter):
    rng = random.Random(3)
    items = [rng.uniform(-2, 2) if letter == "f" else rng.randrange(-5000, 5000) for _ in range(ITEMS)]
    with open(path, "wb") as f:
        f.write(struct.pack(f"<{ITEMS}{letter}", *items))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def launches(path):
    """The rows of SVM_LAUNCHES; predicted is None where nobody said."""
    if not os.path.exists(path):
        return []
    rows = []
    for line in read(path).decode().splitlines()[1:]:
        words = line.split()
        rows.append(Row(words[0], int(words[1]), int(words[2]), int(words[3]), None if words[4] == "-" else int(words[4]), float(words[9]) / 100))
    return rows


def measure(bin_folder, program, folder):
    source, exe = f"{ROOT}/{program.path}", f"{folder}/program"
    write_items(f"{folder}/in.raw", program.letter)
    if os.path.exists(f"{folder}/launches.txt"):
        os.remove(f"{folder}/launches.txt")
    remarks = execute(f"{bin_folder}/svmc", "--target=softproc", "--machine=xd1000", *program.options, "--remarks", source, "-o", exe)
    execute(exe, f"--in={folder}/in.raw", f"--out={folder}/out.raw", SVM_LAUNCHES=f"{folder}/launches.txt", SVM_SIM_REPORT=f"{folder}/report.txt")
    execute(f"{bin_folder}/svmc", "--interpret", source, f"--in={folder}/in.raw", f"--out={folder}/expected.raw")
    got, expected = read(f"{folder}/out.raw"), read(f"{folder}/expected.raw")
    differing = sum(a != b for a, b in zip(got, expected)) / max(len(expected), 1) if len(got) == len(expected) else 1
    rows = launches(f"{folder}/launches.txt")
    cycles = sum(r.cycles for r in rows)
    busy = re.search(r"^CORE0 +([\d.]+)%", read(f"{folder}/report.txt").decode(), re.M)
    return {"rows": [r._asdict() for r in rows], "differing": differing,
            "used": sum(r.used * r.cycles for r in rows) / cycles if cycles else 0, "busy": float(busy.group(1)) / 100 if busy else 0,
            "ratios": [r.predicted / r.cycles for r in rows if r.predicted is not None and r.cycles],
            "reasons": sorted(set(re.findall(r"(?:stays on one processor|so does '[^']*'): ('.*?|it writes.*?) \[fiss\]", remarks)))}


def misses(program, m):
    found = [] if m["differing"] <= program.differing else ["result"]
    if program.used is not None and m["used"] < program.used:
        found.append("use")
    if any(abs(r - 1) > MOST_OFF for r in m["ratios"]):
        found.append("prediction")
    return found


def print_row(name, program, m, missed):
    ratios = m["ratios"]
    predicted = f"{min(ratios):4.2f} to {max(ratios):4.2f}" if ratios else "-"
    limit = "-" if program.used is None else f"{100 * program.used:.0f}"
    equal = "bytes" if m["differing"] == 0 else f"{100 * (1 - m['differing']):.1f}"
    print(f"{name:16} {len(m['rows']):8} {len(m['reasons']):5}  {equal:>5}  {100 * m['used']:5.1f} {limit:>4} %  {100 * m['busy']:5.1f} %  "
          f"{predicted:>12}  {'ok' if not missed else 'MISSED: ' + ', '.join(missed)}", flush=True)


def run(options, names, folder):
    """Prints the rows; gives the numbers, and how many missed a limit."""
    print(f"{'program':16} {'launched':8} {'host':>5}  {'equal':>5}  {'used, least':12}  {'busy':6}  {'predicted':>12}")
    bad, numbers = 0, {}
    for name in names:
        m = numbers[name] = measure(options.bin, PROGRAMS[name], folder)
        missed = misses(PROGRAMS[name], m)
        bad += bool(missed)
        print_row(name, PROGRAMS[name], m, missed)
        for reason in m["reasons"] if options.reasons else ():
            print(f"    host: {reason}")
    return numbers, bad
