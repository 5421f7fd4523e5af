#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs in the reference interpreter and compiled in many ways, and reports where they differ.

    differential.py --svmc=PATH [--first=N] [--count=N] [--seconds=N] [--size=N[-M]] [--jobs=N] [--keep=DIR] [--rejected=N]
                    [--thorough]
    differential.py --svmc=PATH PROGRAM.str...

Without files, programs are generated from seeds. Every program goes through these checks:
  - the interpreter runs it;
  - svmc makes C of it at several levels and strips, with --verify-each; clang takes the C without a warning; what it prints, the
    files it writes and its exit status are the interpreter's (a nan is a nan);
  - its stream IR and plan, read again and printed, are the same text;
  - its canonical form gives the same output in the interpreter.
Some of them also go through svmc's own way to an executable, and through the address and undefined-behaviour sanitizers. A program
that fails is kept in DIR with what is wrong as its first line. Programs that svmc refuses count as rejected; more than the given
percentage of them is a failure too, for the generator's sake.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import traceback

from generate import generate

RUN_SECONDS, COMPILE_SECONDS = 20, 60
# That a comparison is always true is what the program itself says.
WARNINGS = ["-Wall", "-Wextra", "-Wno-tautological-compare", "-Wno-unused-command-line-argument"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=float-divide-by-zero"]


class Failure(Exception):
    """kind: what is wrong, in a word; how: the way it was compiled; detail: for the reader."""

    def __init__(self, kind, how, detail):
        super().__init__(f"{kind}: {how}: {detail}")
        self.kind, self.how, self.detail = kind, how, detail

    def signature(self):
        """What a smaller program must show to be the same failure."""
        first = next((l for l in self.detail.splitlines() if "error:" in l or "warning:" in l), "")
        first = re.sub(r"'[^']*'|\d+|\b\w+_\w+\b", "#", re.sub(r"^.*?(error|warning):", r"\1:", first))
        return self.kind, self.how, first


class Rejected(Exception):
    pass


class Way:
    """A way to compile: options of svmc, and of clang."""

    def __init__(self, svmc, clang):
        self.svmc, self.clang = svmc, clang

    def __str__(self):
        return f"svmc {' '.join(self.svmc)}" + (f" / clang {' '.join(self.clang)}" if self.clang else "")


class Case:
    """A program's text, and how to run it, from its comments."""

    def __init__(self, text):
        self.text, self.options, self.files, self.input = text, [], {}, b""
        for line in text.splitlines():
            m = re.match(r"// (RUN: %run-all %s|FILE (\S+) (\w+):|IN (\w+):) ?(.*)$", line)
            if not m:
                continue
            if line.startswith("// RUN"):
                self.options = shlex.split(m.group(5))
            elif line.startswith("// FILE"):
                self.files[m.group(2)] = pack(m.group(3), m.group(5))
            else:
                self.input += pack(m.group(4), m.group(5))


def pack(kind, text):
    words = text.split()
    if kind == "hex":
        return bytes(int(w, 16) for w in words)
    if kind == "bit":
        bits = "".join(words) + "0" * (-len(words) % 8)
        return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    form = {"int": "<i", "float": "<f", "double": "<d", "complex": "<f"}[kind]
    return b"".join(struct.pack(form, int(w) if kind == "int" else float(w)) for w in words)


def is_nan(data, at, size):
    at -= at % size
    word = data[at:at + size]
    return len(word) == size and struct.unpack("<f" if size == 4 else "<d", word)[0] != struct.unpack("<f" if size == 4 else "<d", word)[0]


def same_items(a, b):
    """Byte for byte, but for the sign and payload of a nan; what the items are is not known here."""
    if a == b or len(a) != len(b):
        return a == b
    return all(x == y or any(is_nan(a, i, n) and is_nan(b, i, n) for n in (4, 8)) for i, (x, y) in enumerate(zip(a, b)))


class Result:
    def __init__(self, status, out, err, files):
        self.status, self.out, self.err, self.files = status, out, err, files

    def difference(self, other):
        """How another run differs from this one; None where it does not."""
        if (self.status != 0) != (other.status != 0) or other.status not in (0, 1):
            return f"exit status {other.status}, expected {self.status}\n{other.err}"
        if self.status != 0:
            return None  # how much was printed before is not defined
        if self.out != other.out:
            return "standard output\n" + first_difference(self.out, other.out)
        for name in sorted(set(self.files) | set(other.files)):
            a, b = self.files.get(name), other.files.get(name)
            if a is None or b is None:
                return f"file '{name}' is {'not ' if b is None else ''}written"
            if not same_items(a, b):
                at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                return f"file '{name}': {len(b)} bytes, expected {len(a)}; first difference at byte {at}: {b[at:at + 8].hex()}, expected {a[at:at + 8].hex()}"
        return None


def first_difference(a, b):
    x, y = a.split("\n"), b.split("\n")
    for i in range(max(len(x), len(y))):
        if x[i:i + 1] != y[i:i + 1]:
            return f"line {i + 1}: got {y[i:i + 1]}, expected {x[i:i + 1]} ({len(y)} lines, expected {len(x)})"
    return ""


class Tools:
    def __init__(self, svmc):
        self.svmc = os.path.abspath(svmc)
        self.bin = os.path.dirname(self.svmc)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "empty.c")
            with open(source, "w", encoding="ascii") as f:
                f.write('#include "svm/svm.h"\nSVM_MACHINE("host");\nint main(void) { return 0; }\n')
            shown = subprocess.run([os.path.join(self.bin, "svm-llc"), "-###", "--emit=obj", "-O1", source], capture_output=True,
                                   text=True, check=True)
        words = shlex.split(shown.stdout + shown.stderr)
        self.compile = [w for w in words[:words.index("-c")] if not w.startswith(("-DSVM_MACHINE_TABLE", "-O")) and w != "-w"]
        self.library = os.path.join(self.bin, "../lib/libsvm-host.a")

    def tool(self, name):
        return os.path.join(self.bin, name)


def execute(command, folder, seconds, data=b""):
    try:
        r = subprocess.run(command, cwd=folder, input=data, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as e:
        raise Failure("hang", os.path.basename(command[0]), shlex.join(command)) from e
    return r.returncode, r.stdout.decode("latin-1"), r.stderr.decode(errors="replace")


class Checker:
    """Checks one program in a folder of its own."""

    def __init__(self, tools, text, folder):
        self.tools, self.case, self.folder = tools, Case(text), folder
        self.texts = {}
        self.warning = None  # reported last: what a program does matters more
        self.write("p.str", text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def run(self, command, how):
        """A run of the program: command with its options, in a fresh folder with its files."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            for name, data in {**self.case.files, "in.bin": self.case.input}.items():
                with open(os.path.join(place, name), "wb") as f:
                    f.write(data)
            before = {n: os.stat(os.path.join(place, n)).st_mtime_ns for n in os.listdir(place)}
            if "// IN" in self.case.text:
                command = command + ["--in=in.bin"]
            if re.search(r"^[^/\n]*->(?!void)\S+ (pipeline|splitjoin|feedbackloop) Main_", self.case.text, re.M):
                command = command + ["--out=out.bin"]
            try:
                status, out, err = execute(command + self.case.options, place, RUN_SECONDS)
            except Failure as f:
                raise Failure(f.kind, how, f.detail) from f
            files = {}
            for name in os.listdir(place):
                if name not in before:
                    with open(os.path.join(place, name), "rb") as f:
                        files[name] = f.read()
        if status < 0 or status > 2 or status == 2:
            raise Failure("crash", how, f"exit status {status}\n{err[-3000:]}")
        return Result(status, out, err, files)

    def tool(self, name, options, how):
        """A run of one of the compiler's tools; it must succeed."""
        command = [self.tools.tool(name), *options]
        status, out, err = execute(command, self.folder, COMPILE_SECONDS)
        if status not in (0, 1):
            raise Failure("crash", how, f"exit status {status}: {shlex.join(command)}\n{err[-3000:]}")
        if status == 1:
            raise Failure("error", how, f"{shlex.join(command)}\n{err[-3000:]}")
        return out

    def reference(self):
        result = self.run([self.tools.svmc, "--interpret", os.path.join(self.folder, "p.str")], "svmc --interpret")
        if result.status == 1:
            located = re.search(r"p\.str:\d+:\d+: error: (.*)", result.err)
            if not located:
                raise Failure("error", "svmc --interpret", result.err[-2000:])
            if not re.search("divi|remainder|rate|pops|pushes|peek", located.group(1)) or "error: " not in result.err:
                raise Rejected(located.group(1))
        return result

    def compiled(self, way, number, expected):
        self.tool("svmc", ["--emit=svm-c", "--verify-each", *way.svmc, "p.str", "-o", f"p{number}.c"], str(way))
        text = self.read(f"p{number}.c")
        key = (text, " ".join(way.clang))
        if key in self.texts:
            return
        self.texts[key] = way
        exe = os.path.join(self.folder, f"p{number}")
        command = [*self.tools.compile, *WARNINGS, *way.clang, exe + ".c", self.tools.library, "-lm", "-ldl", "-o", exe]
        status, _, err = execute(command, self.folder, COMPILE_SECONDS)
        if status != 0:
            raise Failure("C does not compile", str(way), err[-3000:])
        if "warning:" in err:
            self.warning = self.warning or Failure("C with warnings", str(way), err[-3000:])
        self.compare(expected, [exe], way)
        os.unlink(exe)

    def compare(self, expected, command, way):
        difference = expected.difference(self.run(command, str(way)))
        if difference:
            raise Failure("difference", str(way), difference)

    def whole(self, way, expected):
        """svmc's own way to an executable."""
        exe = os.path.join(self.folder, "whole")
        self.tool("svmc", [*way.svmc, "p.str", "-o", exe], f"whole {way}")
        self.compare(expected, [exe], f"whole {way}")

    def texts_again(self, expected):
        self.tool("svmc", ["--emit=sir", "p.str", "-o", "p.sir"], "--emit=sir")
        self.tool("svm-opt", ["p.sir", "-o", "q.sir"], "svm-opt")
        if self.read("p.sir") != self.read("q.sir"):
            raise Failure("text changes", "svm-opt p.sir", "stream IR, read and printed again, differs")
        self.tool("svmc", ["--emit=plan", "p.str", "-o", "p.plan"], "--emit=plan")
        self.tool("svm-opt", ["p.plan", "-o", "q.plan"], "svm-opt")
        if self.read("p.plan") != self.read("q.plan"):
            raise Failure("text changes", "svm-opt p.plan", "a plan, read and printed again, differs")
        how = "svmc --interpret --passes=canonicalize"
        self.compare(expected, [self.tools.svmc, "--interpret", "--passes=canonicalize", "--verify-each", os.path.join(self.folder, "p.str")], how)


def ways_of(rng, thorough):
    """The ways in which one program is compiled: clang's cheap levels for most."""
    strip = rng.choice([1, 2, 3, 5, 7, 8, 16, 100])
    ways = [Way(["-O0"], ["-O0"]), Way(["-O2"], [rng.choice(["-O0", "-O1"])]), Way(["-O3", f"--strip={strip}"], ["-O0"])]
    if rng.random() < 0.3:
        ways.append(Way(["-O0", f"--strip={rng.choice([1, 2, 3, 7])}"], ["-O0"]))
    if thorough or rng.random() < 0.1:
        ways.append(Way(["-O2"], ["-O2"]))
        ways.append(Way([rng.choice(["-O0", "-O2"]), f"--strip={rng.choice([1, 3, 7])}"], ["-O1", *SANITIZERS]))
    if thorough or rng.random() < 0.05:
        ways.append(Way(["-O3"], ["-O3", "-march=native"]))
    return ways


def check(tools, text, seed=0, ways=None, thorough=False):
    """Checks a program: None, a Failure or a Rejected."""
    rng = random.Random(seed)
    try:
        with tempfile.TemporaryDirectory(prefix="svmc-gen-") as folder:
            checker = Checker(tools, text, folder)
            expected = checker.reference()
            chosen = ways_of(rng, thorough) if ways is None else [w for w in ways if isinstance(w, Way) and not getattr(w, "whole", False)]
            for number, way in enumerate(chosen):
                checker.compiled(way, number, expected)
            if ways is None or "texts" in ways:
                checker.texts_again(expected)
            if ways is None and (thorough or rng.random() < 0.05):
                checker.whole(Way([rng.choice(["-O2", "-O3"])], []), expected)
            if ways is None and (thorough or rng.random() < 0.05):
                checker.whole(Way(["-O2", "--target=sim"], []), expected)
            for w in ways or []:
                if isinstance(w, Way) and getattr(w, "whole", False):
                    checker.whole(w, expected)
            return checker.warning
    except (Failure, Rejected) as e:
        return e


def ways_for(failure):
    """The checks that show a failure again."""
    how = failure.how
    m = re.match(r"(whole )?svmc (-O.*?)(?: / clang (.*))?$", how)
    if not m:
        return [] if how == "svmc --interpret" else ["texts"]
    way = Way(m.group(2).split(), (m.group(3) or "").split())
    way.whole = bool(m.group(1))
    return [way]


# ---- Many programs ----

class Tally:
    def __init__(self, keep):
        self.keep, self.run, self.rejections, self.failures = keep, 0, {}, {}

    def take(self, seed, text, outcome):
        self.run += 1
        if isinstance(outcome, Rejected):
            reason = re.sub(r"'[^']*'|\d+", "#", str(outcome))
            self.rejections.setdefault(reason, []).append(seed)
        elif outcome is not None:
            signature = outcome.signature()
            self.failures.setdefault(signature, []).append(seed)
            if len(self.failures[signature]) <= 3:
                print(f"seed {seed}: {outcome}", flush=True)
            if self.keep:
                os.makedirs(self.keep, exist_ok=True)
                with open(os.path.join(self.keep, f"{seed}.str"), "w", encoding="utf-8") as f:
                    f.write("".join(f"//! {line}\n" for line in str(outcome).splitlines()) + text)

    def progress(self):
        print(f"{self.run} programs, {sum(map(len, self.failures.values()))} failures", file=sys.stderr, flush=True)

    def report(self, seconds):
        rejected = sum(map(len, self.rejections.values()))
        print(f"{self.run} programs in {seconds:.0f} s, {rejected} rejected, {sum(map(len, self.failures.values()))} failures")
        for reason, seeds in sorted(self.rejections.items(), key=lambda item: -len(item[1])):
            print(f"  rejected {len(seeds)} (seed {seeds[0]}): {reason}")
        for signature, seeds in sorted(self.failures.items(), key=lambda item: -len(item[1])):
            print(f"  FAILED {len(seeds)} (seeds {' '.join(map(str, seeds[:8]))}): {' | '.join(signature)}")
        return rejected


def one_seed(tools, seed, sizes, thorough):
    size = random.Random(seed).randint(*sizes)
    try:
        text = generate(seed, size)
    except Exception:  # a defect of the generator
        return "", Failure("generator", f"size {size}", traceback.format_exc())
    return text, check(tools, text, seed, thorough=thorough)


def run_seeds(tools, args):
    sizes = [int(n) for n in args.size.split("-")]
    sizes = (sizes[0], sizes[-1])
    tally, start, seed = Tally(args.keep), time.monotonic(), args.first
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        pending = {}
        while True:
            more = (seed < args.first + args.count if args.count else True) and \
                   (time.monotonic() - start < args.seconds if args.seconds else True)
            while more and len(pending) < 2 * args.jobs:
                pending[pool.submit(one_seed, tools, seed, sizes, args.thorough)] = seed
                seed += 1
                more = seed < args.first + args.count if args.count else True
            if not pending:
                break
            done, _ = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                text, outcome = future.result()
                tally.take(pending.pop(future), text, outcome)
                if tally.run % 100 == 0:
                    tally.progress()
    rejected = tally.report(time.monotonic() - start)
    return bool(tally.failures) or rejected * 100 > tally.run * args.rejected


def run_files(tools, args):
    failed = False
    for path in args.programs:
        with open(path, encoding="utf-8") as f:
            outcome = check(tools, f.read(), thorough=True)
        if outcome is not None:
            failed |= isinstance(outcome, Failure)
            print(f"{path}: {'rejected: ' if isinstance(outcome, Rejected) else ''}{outcome}")
    return failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--size", default="1-10")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--rejected", type=float, default=5)
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    if not args.programs and not args.count and not args.seconds:
        parser.error("how many? --count or --seconds")
    tools = Tools(args.svmc)
    sys.exit(run_files(tools, args) if args.programs else run_seeds(tools, args))


if __name__ == "__main__":
    main()
