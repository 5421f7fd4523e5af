#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs in the reference interpreter and compiled in many ways, and reports where they differ.

    differential.py --svmc=PATH [--first=N] [--count=N] [--seconds=N] [--size=N[-M]] [--only=FEATURES] [--without=FEATURES]
                    [--batch=N] [--jobs=N] [--keep=DIR] [--rejected=PERCENT] [--machine=LIST] [--refused=PERCENT]
                    [--adversary=N[,zeroes]] [--thorough] [--quick=N [--vectors]] [--long=N] [--target=sim]
                    [--target=cell [--spes=LIST] [--streams]]
    differential.py --svmc=PATH [--machine=LIST] [--adversary=N[,zeroes]] PROGRAM.str...

Without files, programs are generated from seeds (generate.py says what FEATURES are). Every program goes through these checks:
  - the interpreter runs it, also with other numbers of steady states and with less input;
  - svmc makes C of it at -O0, -O0 -g, -O2 and -O3 and with several strips, with --verify-each; clang takes the C without a warning, that of
    many programs (--batch) at once; what it prints, the files it writes and its exit status are the interpreter's in every run (a nan
    is a nan; with dynamic rates, what each actor prints);
  - where the interpreter stops with an error, svmc refuses the program or it stops with an error too.
Some of them also go through the simulator's runtime, through svmc's own way to an executable, through the address and
undefined-behaviour sanitizers; are given as two files; have their stream IR and plan printed and read again; or are interpreted in
their canonical form. With --machine each is also mapped to these machines (commas between), often with other strips, processors or mappings
than the compiler's choice, and runs in the simulator, or with --target=cell on the Cell emulation alone, which compiles for a machine only, with --check-dma; refusals.py has the errors that tell why a machine cannot run it. More refusals
than the given percentage of what was to be mapped are a failure, and so is a machine on which nothing ran. With --adversary
each run of a compiled program is made N times more, under the adversary (docs/adversary.md) with seeds of the program's own. With --long
a run has N items of input, and programs that read none are left out; on the Cell rounds are mostly small then, so that there are many and SPEs repeat them. With --spes=LIST (commas between) each program runs
on each of these numbers of SPEs, and --adversary's seeds, three if it does not say, are all runs that there are: the program as it is under each of them,
with less input or other numbers of steady states under one; with --streams as --transfer=stream maps it, where it can be. With --quick=N
each program goes through N ways to compile, of all levels, strips and the given machines, with tcc as the C compiler (quick.py; gcc with --vectors, since tcc sees one lane in svm/lanes.h). A program that
fails is kept in DIR with what is wrong as its first line, ready for reduce.py. Programs that are an error by accident count as
rejected; more than the given percentage of them is a failure too, for the generator's sake.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
import traceback

from batch import header_names, header_own_names, write_batch
from case import Case, Failure, Rejected, adversaries, execute
from generate import Features, generate
from quick import Tcc, quick_ways
from refusals import kind_of_refusal

COMPILE_SECONDS = 600
# That a comparison is always true or false, or that | joins booleans, is what the program itself says.
WARNINGS = ["-Wall", "-Wextra", "-Wno-tautological-compare", "-Wno-bitwise-instead-of-logical", "-Wno-literal-range",
            "-Wno-unused-command-line-argument"]
# All that the program says is kept, whether anything uses it or not.
FOR_DEBUGGER = ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-but-set-parameter", "-Wno-self-assign"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=float-divide-by-zero"]
STRIPS = [1, 2, 3, 5, 7, 8, 16, 64, 100, 1000]
# Errors of a run that programs are meant to show now and then.
MEANT = "divi|remainder|is outside|deadlock|more than|fewer|latency|pushed \\d+ items? in a firing"


class Way:
    """A way to compile: options of svmc, and of clang or, for the simulator, svm-llc. whole: svmc calls svm-llc itself. seeds: of the
    adversary, under which what was compiled runs as well; once: no run is made without a seed, and the first is under all of them."""

    def __init__(self, svmc, clang=(), llc=None, whole=False, seeds=(), once=False):
        self.svmc, self.clang, self.llc, self.whole, self.seeds, self.once = list(svmc), list(clang), llc, whole, seeds, once

    def __str__(self):
        text = f"{'whole ' if self.whole else ''}svmc {' '.join(self.svmc)}"
        return text if self.whole else f"{text} / " + (f"clang {' '.join(self.clang)}" if self.llc is None else f"svm-llc {' '.join(self.llc)}")

    def compiler(self):
        """What programs that are compiled together have in common."""
        return " ".join(self.clang if self.llc is None else ["svm-llc", *self.llc])

    def command(self, tools, source, exe):
        if self.llc is not None:
            return [tools.tool("svm-llc"), "-w", *self.llc, source, "-o", exe]
        link = [] if any(w.startswith("-fsanitize") for w in self.clang) else tools.link  # gold warns of clang's
        return [*tools.compile, *WARNINGS, *self.clang, *link, source, tools.library, "-lm", "-ldl", "-o", exe]


class Tools:
    def __init__(self, svmc):
        self.svmc = os.path.abspath(svmc)
        self.bin = os.path.dirname(self.svmc)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "empty.c")
            with open(source, "w", encoding="ascii") as f:
                f.write('#include "svm/svm.h"\nSVM_MACHINE("host");\nint main(void) { return 0; }\n')
            shown = subprocess.run([os.path.join(self.bin, "svm-llc"), "-###", "--emit=exe", "-O1", source], capture_output=True,
                                   text=True, check=True)
        words = shlex.split(shown.stdout + shown.stderr)
        self.compile = [w for w in words[:words.index("-c")] if not w.startswith(("-DSVM_MACHINE_TABLE", "-O")) and w != "-w"]
        self.link = [w for w in words if w.startswith("-fuse-ld=")]
        self.library = os.path.join(self.bin, "../lib/libsvm-host.a")
        self.include = os.path.join(self.bin, "../include/svm")
        self.own = header_own_names(self.include)
        self.headers = header_names(self.include) - self.own

    def tool(self, name):
        return os.path.join(self.bin, name)


class Checker:
    """Checks one program in a folder of its own."""

    def __init__(self, tools, text, folder, seed=0, more=0, long=0):
        self.tools, self.folder, self.rng = tools, folder, random.Random(f"check {seed}")
        self.case, self.seed = Case(text), seed
        self.runs = self.case.runs(self.rng, more)
        self.runs += filter(None, [self.case.long_run(long)])
        self.expected, self.untagged, self.texts, self.compared = [], {}, set(), 0
        self.rejected = self.unmapped = None
        self.mapped = {}  # by machine: [how often the program ran there, how often it was refused]
        self.noted = False  # in some run SPEs repeated rounds by themselves; with --streams: all was the SPEs', streams too
        self.promises = None  # with --streams: whether its kernels promise that only SPEs use streams
        self.sources = ["p.str"]
        self.write("p.str", text)
        for name, data in self.case.tables.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)

    def note_mapped(self, how, refusal):
        """What became of the program on the machine that `how` (a Way, or its text) names, if it names one."""
        machine = re.search(r"--machine=(\S+)", str(how))
        if machine:
            self.mapped.setdefault(machine.group(1), [0, 0])[refusal is not None] += 1
        self.unmapped = refusal or self.unmapped

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def split_sources(self):
        """The program as two files: the declarations of the second file come from the first's middle on."""
        parts = re.split(r"(?<=\n\}\n)(?=\S)", self.case.text)
        if len(parts) > 1:
            at = self.rng.randrange(1, len(parts))
            self.write("a.str", "".join(parts[:at]))
            self.write("b.str", "".join(parts[at:]))
            self.sources = self.rng.sample(["a.str", "b.str"], 2)

    def interpreter(self, options=()):
        return [self.tools.svmc, "--interpret", *options, *(os.path.join(self.folder, s) for s in self.sources)]

    def reference(self):
        for run in self.runs:
            result = run.execute(self.interpreter(), self.folder, "svmc --interpret")
            if result.status == 1:
                located = re.search(r"error: (.*)", result.err)
                if not located:
                    raise Failure("error", "svmc --interpret" + run.how, result.err[-2000:])
                if not self.expected and not re.search(MEANT, located.group(1)):
                    self.rejected = Rejected(located.group(1))
            self.expected.append(result)

    def tool(self, name, options, how):
        """Whether a run of one of the compiler's tools succeeds; it may fail only if the program is wrong."""
        command = [self.tools.tool(name), *options]
        status, _, err = execute(command, self.folder, COMPILE_SECONDS)
        if status not in (0, 1):
            raise Failure("crash", how, f"exit status {status}: {shlex.join(command)}\n{err[-3000:]}")
        if status == 1 and kind_of_refusal(err) and any(o.startswith("--machine=") for o in options):
            self.note_mapped(how, re.search(r"error: (.*)", err).group(1))
        elif status == 1 and not any(e.status for e in self.expected):
            raise Failure("error", how, f"{shlex.join(command)}\n{err[-3000:]}")
        return status == 0

    def emit(self, way, name):
        """Whether there is C to compile for this way: not if it is the same as that of another."""
        if not self.tool("svmc", ["--emit=svm-c", "--verify-each", *self.case.checks, *way.svmc, *self.sources, "-o", name], str(way)):
            return False
        text = re.sub(r"/\*.*?\*/", "", self.read(name), count=1, flags=re.S)  # the head says how it was made
        key = text, way.compiler()
        new = key not in self.texts
        self.texts.add(key)
        return new

    def compare(self, command, how, tagged=True):
        """All runs of an executable. tagged: whether it knows --tag-prints, if that is asked for."""
        for number, (run, expected) in enumerate(zip(self.runs, self.expected)):
            if not tagged and self.case.tagged:
                if number not in self.untagged:
                    self.untagged[number] = run.execute(self.interpreter(), self.folder, "svmc --interpret", False)
                expected = self.untagged[number]
            for one in runs_of(run, number, how, self.seed):
                got = one.execute(command, self.folder, str(how), tagged)
                if got.status == 1 and kind_of_refusal(got.err):
                    self.note_mapped(how, re.search(r"error: (.*)", got.err).group(1))
                    return
                difference = expected.difference(got, self.case.exact and goes_back(how))
                self.compared += 1
                said = r"repeats [1-9]" if self.promises is None else r"kernels 0, transfers 0,"
                self.noted |= self.promises is not False and bool(re.search(rf"^svm-cell: PPE: .*{said}", got.err, re.M))
                if difference:
                    raise Failure("difference", str(how) + one.how, difference)
        self.note_mapped(how, None)

    def compare_c(self, command, way, name):
        self.compare(command, way, "tagPrints" in self.read(name))

    def compiled(self, way):
        """One way to compile, for this program alone. Gives what the compiler warns of."""
        if way.whole:
            return self.whole(way)
        if not self.emit(way, "p.c"):
            return None
        exe = os.path.join(self.folder, "p")
        status, _, err = execute(way.command(self.tools, os.path.join(self.folder, "p.c"), exe), self.folder, COMPILE_SECONDS)
        if status != 0:
            raise Failure("C does not compile", str(way), err[-3000:])
        self.compare_c([exe], way, "p.c")
        os.unlink(exe)
        return Failure("C with warnings", str(way), err[-3000:]) if "warning:" in err else None

    def whole(self, way):
        """svmc's own way to an executable."""
        exe = os.path.join(self.folder, "whole")
        if self.tool("svmc", [*self.case.checks, *way.svmc, *self.sources, "-o", exe], str(way)) and \
                self.tool("svmc", [*self.case.checks, *way.svmc, "--emit=svm-c", *self.sources, "-o", "whole.c"], str(way)):
            self.compare_c([exe], way, "whole.c")

    def texts_again(self):
        for kind in ("sir", "plan"):
            if self.tool("svmc", [f"--emit={kind}", *self.sources, "-o", f"p.{kind}"], f"--emit={kind}"):
                self.tool("svm-opt", [f"p.{kind}", "-o", f"q.{kind}"], f"svm-opt {kind}")
                if self.read(f"p.{kind}") != self.read(f"q.{kind}"):
                    raise Failure("text changes", f"svm-opt {kind}", "a text, read and printed again, differs")
        # What nothing reads is not checked there, unless that is asked for.
        checks = ["-fcheck-bounds"] if any("is outside" in e.err for e in self.expected) else []
        self.compare(self.interpreter(["--passes=canonicalize", "--verify-each", *checks]), "svmc --interpret --passes=canonicalize")


# ---- One program, and many ----

def runs_of(run, number, how, seed=0):
    """What is run of an executable for the run with this number, and in which order transfers complete. Inputs are so small that mapped programs
    do not begin threads by themselves: natively every second run, or program of one run, has them from the beginning."""
    seeds = getattr(how, "seeds", ())
    if getattr(how, "once", False):
        return [run.under(s) for s in (seeds if number == 0 else [seeds[number % len(seeds)]])]
    native = getattr(how, "llc", "") is None and any(o.startswith("--machine=") for o in how.svmc)
    return [run.with_workers(2 + (number + seed) // 2 % 3) if native and (number + seed) % 2 else run, *map(run.under, seeds)]


def goes_back(how):
    """Whether what came out before an error is what the interpreter gives: not where processors have memories of their own, or
    kernels streams."""
    machine = re.search(r"--machine=(\S+)", str(how))
    return (not machine or machine.group(1).startswith("host")) and "--transfer=stream" not in str(how)


def mapped(rng):
    """Options for a program on several processors: often none."""
    options = [[], [], [f"--strip={rng.choice(STRIPS)}"], [f"--max-latency={rng.choice(STRIPS)}"], [f"--processors={rng.choice([1, 2, 3, 4])}"],
               ["--strip=2", f"--max-latency={rng.choice([2, 4, 40])}", "--processors=2"]]
    return [*rng.choice(options), *rng.choice([[], [], ["--mapping=space"], ["--transfer=stream"], ["--mapping=space", "--transfer=stream"]]),
            *rng.choice([[], ["--offload=all"]])]


def on_cell(rng, long):
    """The same for a Cell, mostly with a number of SPEs; for long inputs mostly with small rounds, of a kind that SPEs can repeat."""
    spes = [o for o in mapped(rng) if not o.startswith("--processors")]
    if long and rng.random() < 0.9:
        spes = [o for o in spes if not o.startswith(("--strip", "--max-latency", "--transfer"))] + [f"--strip={rng.choice([1, 1, 2, 3, 8])}"]
    return [*spes, f"--processors={rng.choice([1, 2, 6, 8, 16])}"] if rng.random() < 0.9 else spes


def on_each(spes, machine, streams):
    """The same for each of these numbers of SPEs."""
    more = ["--transfer=stream"] if streams else []
    return [([], ["--target=cell", "-O0", f"--machine={machine}"], lambda n=n: ["-O2", f"--machine={machine}", f"--processors={n}", *more]) for n in spes]


def compilers_of(rng, machines, target, long=0, spes=(), streams=False):
    """How the programs of a batch are compiled: for each way options of clang or svm-llc, and a choice of options of svmc."""
    if spes:
        return [way for m in machines for way in on_each(spes, m, streams)]
    if target == "cell":
        return [([], ["--target=cell", "-O1", f"--machine={m}"], lambda m=m: [rng.choice(["-O2", "-O2", "-O3"]), f"--machine={m}", *on_cell(rng, long)])
                for m in machines]

    def strip():
        return [f"--strip={rng.choice(STRIPS)}"]
    ways = [(["-O0", *FOR_DEBUGGER], None, lambda: rng.choice([["-O0"], ["-O0", "-g"]])), ([rng.choice(["-O0", "-O1"])], None, lambda: ["-O2"]),
            (["-O0"], None, lambda: ["-O3", *strip()])]
    r = rng.random()
    if r < 0.3:
        ways.append((["-O0"], None, lambda: [rng.choice(["-O0", "-O2"]), *strip()]))
    elif r < 0.45:
        ways.append((["-O2"], None, lambda: [rng.choice(["-O2", "-O3"])]))
    elif r < 0.5:
        ways.append((["-O3", "-march=native"], None, lambda: rng.choice([["-O3"], ["-O3", "-march=native"], ["-O2", "-march=native"]])))
    elif r < 0.6:
        ways.append((["-O1", *SANITIZERS], None, lambda: [rng.choice(["-O0", "-O2", "-O3"]), *strip()]))
    elif r < 0.7:
        ways.append(([], ["--target=sim", "-O1"], lambda: [rng.choice(["-O0", "-O2", "-O3"]), *(strip() if rng.random() < 0.5 else [])]))
    for machine in machines:
        ways.append(([], ["--target=sim", "-O1", f"--machine={machine}"], lambda m=machine: [rng.choice(["-O2", "-O2", "-O3"]), f"--machine={m}", *mapped(rng)]))
    return ways


def thorough_ways(rng, machines, target="sim"):
    """All ways, for a program that is checked alone."""
    s = rng.choice(STRIPS)
    if target == "cell":
        return [Way(["-O2", f"--machine={m}", f"--processors={n}"], llc=["--target=cell", "-O1", f"--machine={m}"]) for m in machines for n in (1, 2, 6, 8, 16)]
    ways = [Way(["-O0"], ["-O0"]), Way(["-O0", "-g"], ["-O0", *FOR_DEBUGGER]), Way(["-O2"], ["-O1"]), Way(["-O3", f"--strip={s}"], ["-O0"]), Way(["-O0", "--strip=3"], ["-O0"]),
            Way(["-O2"], ["-O2"]), Way(["-O2", "--strip=3"], ["-O1", *SANITIZERS]), Way(["-O3"], ["-O3", "-march=native"]),
            Way(["-O3", "-march=native"], ["-O1", "-march=native"]),
            Way(["-O2"], llc=["--target=sim", "-O1"])]
    ways += [Way(["-O2", f"--machine={m}"], llc=["--target=sim", "-O1", f"--machine={m}"]) for m in machines]
    return ways + [Way(["-O2"], whole=True), "texts"]


def check(tools, text, seed=0, ways=None, machines=(), more=0, adversary="0", target="sim", long=0):
    """Checks a program alone: None, a Failure or a Rejected."""
    try:
        with tempfile.TemporaryDirectory(prefix="svmc-gen-") as folder:
            checker = Checker(tools, text, folder, seed, more, long)
            checker.reference()
            warning = None  # reported last: what a program does matters more
            for way in thorough_ways(checker.rng, machines, target) if ways is None else ways:
                if way == "texts":
                    checker.texts_again()
                else:
                    way.seeds = way.seeds or adversaries(adversary, seed)
                    warning = checker.compiled(way) or warning
            return warning or checker.rejected
    except Failure as e:
        return e


def ways_for(how):
    """The checks that show a failure again, by how it was shown."""
    seeds = re.findall(r" --adversary=(\S+)$", how)
    how = re.sub(r" (--adversary=\S+|SVM_WORKERS=\d+)$", "", how)
    m = re.match(r"(whole )?svmc (-O.*?)(?: / (clang|svm-llc) ?(.*))?$", re.sub(r" (-i \d+|--cut=\S+|--long=\d+)$", "", how))
    if not m:
        return [] if how.startswith("svmc --interpret") and "--passes" not in how else ["texts"]
    words = (m.group(4) or "").split()
    return [Way(m.group(2).split(), words if m.group(3) != "svm-llc" else (), words if m.group(3) == "svm-llc" else None, bool(m.group(1)), seeds)]


class Batch:
    """Checks programs together, in a folder with one for each of them."""

    def __init__(self, settings, texts, folder):
        tools, self.tools, self.folder, self.machines = settings.tools, settings.tools, folder, settings.machines
        self.adversary, self.target, self.long = settings.adversary, settings.target, settings.long
        self.spes, self.streams = settings.spes, settings.streams
        self.rng = random.Random(f"batch {min(texts)}")
        self.seeds, self.outcomes, self.checkers, self.warnings, self.compiles = sorted(texts), {}, {}, {}, 0
        for seed in self.seeds:
            place = os.path.join(folder, str(seed))
            os.mkdir(place)
            self.checkers[seed] = Checker(tools, texts[seed], place, seed, 2, self.long)

    def each(self, seeds, step):
        """Does a step for these programs; those whose step gives true."""
        found = []
        for seed in seeds:
            try:
                if seed not in self.outcomes and step(seed, self.checkers[seed]):
                    found.append(seed)
            except Failure as f:
                self.outcomes[seed] = f
        return found

    def check(self):
        self.each(self.seeds, lambda seed, checker: (checker.rng.random() < 0.1 and checker.split_sources(), checker.reference()))
        for number, (clang, llc, options) in enumerate(compilers_of(self.rng, self.machines, self.target, self.long, self.spes, self.streams)):
            ways = {seed: Way(options(), clang, llc, seeds=adversaries(self.adversary, seed), once=bool(self.spes)) for seed in self.seeds}
            new = self.each(self.seeds, lambda seed, checker: checker.emit(ways[seed], f"w{number}.c"))
            for group in self.groups(new, f"w{number}.c"):
                self.compile(f"w{number}", group, ways)
        if self.target == "sim":
            self.each(self.seeds, lambda seed, checker: checker.rng.random() < 0.15 and checker.texts_again())
            self.each(self.seeds, lambda seed, checker: checker.rng.random() < 0.02 and checker.whole(Way([self.rng.choice(["-O2", "-O3"])], whole=True)))
        for seed, checker in self.checkers.items():
            self.outcomes.setdefault(seed, self.warnings.get(seed) or checker.rejected)

    def groups(self, seeds, name):
        """Those that are compiled together: on the Cell a unit's streams are all SPEs' or all the PPE's, by what all of it does."""
        if self.target != "cell":
            return [seeds] if seeds else []
        promises = [s for s in seeds if "holds_processor" in self.checkers[s].read(name)]
        for seed in seeds if self.streams else []:
            self.checkers[seed].promises = seed in promises
        return [group for group in (promises, [s for s in seeds if s not in promises]) if group]

    def compile(self, name, seeds, ways):
        """One executable of all, and its runs; where that does not compile, each alone."""
        numbers = {seed: n for n, seed in enumerate(seeds)}
        parts = [(n, os.path.join(str(seed), name + ".c")) for seed, n in numbers.items()]
        left_out = [seeds[n] for n in write_batch(self.folder, name, parts, self.tools.headers, self.tools.own, self.tools.include)]
        self.each(left_out, lambda seed, checker: self.alone(seed, checker, ways[seed]))
        seeds = [s for s in seeds if s not in left_out]
        exe = os.path.join(self.folder, name)
        status, _, err = execute(ways[seeds[0]].command(self.tools, exe + ".c", exe), self.folder, COMPILE_SECONDS)
        self.compiles += 1
        for line in err.splitlines():
            m = re.match(r"\S*?(\d+)/w\d+\.c:.*warning:", line)
            if m and int(m.group(1)) in ways:
                seed = int(m.group(1))
                self.warnings.setdefault(seed, Failure("C with warnings", str(ways[seed]), line))
        if status != 0:
            wrong = self.each(seeds, lambda seed, checker: self.alone(seed, checker, ways[seed]))
            if not any(isinstance(self.outcomes.get(s), Failure) for s in seeds):
                self.outcomes[seeds[0]] = Failure("batch does not compile", str(ways[seeds[0]]), err[-3000:])
            return wrong
        self.each(seeds, lambda seed, checker: checker.compare_c([exe, str(numbers[seed])], ways[seed], name + ".c"))
        os.unlink(exe)
        return []

    def alone(self, seed, checker, way):
        checker.texts = set()
        warning = checker.compiled(way)
        if warning:
            self.warnings.setdefault(seed, warning)


# ---- Many batches ----

class Settings:
    """What the processes that check batches need to know."""

    def __init__(self, args):
        self.tools = Tools(args.svmc)
        sizes = [int(n) for n in args.size.split("-")]
        self.sizes = sizes[0], sizes[-1]
        self.features = Features(args.only, args.without)
        self.machines = [m for m in (args.machine or "").split(",") if m]
        self.thorough, self.adversary, self.quick = args.thorough, args.adversary, args.quick
        self.vectors, self.target, self.long = args.vectors, args.target, args.long
        self.spes, self.streams = args.spes, args.streams
        self.tcc = Tcc(self.tools.bin, args.quick_folder, self.machines, self.tools.compile[0]) if args.quick else None

    def text(self, seed):
        return generate(seed, random.Random(seed).randint(*self.sizes), self.features)


def check_quickly(settings, seed, text):
    """What run_batch says of a program, and how many comparisons there were."""
    with tempfile.TemporaryDirectory(prefix="svmc-gen-") as folder:
        checker = Checker(settings.tools, text, folder, seed, 1)
        outcome = None
        try:
            checker.reference()
            for way in quick_ways(settings.tcc, checker.rng, settings.machines, settings.quick, adversaries(settings.adversary, seed), mapped,
                                  settings.vectors):
                compilers = ["tcc", "gcc", "clang"]
                for compiler in compilers[compilers.index(way.compiler_name):]:
                    way.compiler_name = compiler
                    try:
                        checker.compiled(way)
                        break
                    except Failure:
                        checker.texts = set()
                        if compiler == "clang":
                            raise
        except Failure as f:
            outcome = f
        return (seed, text, outcome or checker.rejected, checker.unmapped, checker.mapped, checker.noted), checker.compared


def fits_long(text, items, target):
    """Whether a program has a long run; and on the Cell prints nothing, as SPEs repeat no rounds of those that do."""
    return Case(text).long_run(items) is not None and not (target == "cell" and re.search(r"\bprint(ln)?\(", text))


def run_batch(settings, first, last):
    """Outcomes of these seeds: (seed, text, outcome, why it was not mapped, counts by machine), and how many comparisons and compiles
    there were."""
    texts, results = {}, []
    for seed in range(first, last):
        try:
            text = settings.text(seed)
            if not settings.long or fits_long(text, settings.long, settings.target):
                texts[seed] = text
        except Exception:  # a defect of the generator
            results.append((seed, "", Failure("generator", "", traceback.format_exc()), None, {}, False))
    if settings.thorough:
        return results + [(s, t, check(settings.tools, t, s, None, settings.machines, 2, settings.adversary, settings.target, settings.long), None, {}, False) for s, t in texts.items()], 0, 0
    if settings.quick:
        counted = [check_quickly(settings, seed, text) for seed, text in texts.items()]
        return results + [c[0] for c in counted], sum(c[1] for c in counted), 0
    if not texts:
        return results, 0, 0
    with tempfile.TemporaryDirectory(prefix="svmc-gen-") as folder:
        batch = Batch(settings, texts, folder)
        batch.check()
        results += [(s, texts[s], batch.outcomes[s], c.unmapped, c.mapped, c.noted) for s, c in batch.checkers.items() if not is_crowded(batch, s)]
        compared, compiles = sum(c.compared for c in batch.checkers.values()), batch.compiles
        crowded = [s for s in batch.checkers if is_crowded(batch, s)]
    for seed in crowded:
        alone, more, compiled = run_batch(settings, seed, seed + 1)
        results, compared, compiles = results + alone, compared + more, compiles + compiled
    return results, compared, compiles


def is_crowded(batch, seed):
    """Whether the program lacks room in a local store that tables of the batch's others take."""
    return len(batch.checkers) > 1 and "code, stack and data of the SPE's program take the rest" in str(batch.outcomes[seed])


class Tally:
    def __init__(self, keep):
        self.keep, self.run, self.compared, self.compiles, self.noted = keep, 0, 0, 0, 0
        self.rejections, self.failures, self.unmapped, self.mapped = {}, {}, {}, {}

    def take(self, seed, text, outcome, unmapped, mapped, noted):
        self.run += 1
        self.noted += noted
        for machine, (ran, refused) in mapped.items():
            counts = self.mapped.setdefault(machine, [0, 0])
            counts[0] += ran
            counts[1] += refused
        if unmapped:
            self.unmapped.setdefault(re.sub(r"'[^']*'|\d+", "#", unmapped), []).append(seed)
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

    def too_few(self, machines, percent):
        """What is said of machines on which nothing ran, or that refused more than so many percent."""
        wrong = []
        for machine in machines:
            ran, refused = self.mapped.get(machine, [0, 0])
            print(f"  on {machine}: {ran} ran, {refused} refused")
            if ran == 0 or refused * 100 > (ran + refused) * percent:
                wrong.append(f"on {machine} {ran} ran and {refused} were refused, of which {percent:g} % are expected at most")
        return wrong

    def failed(self):
        return sum(map(len, self.failures.values()))

    def report(self, seconds):
        rejected = sum(map(len, self.rejections.values()))
        print(f"{self.run} programs, {self.compared} comparisons, {self.compiles} batches compiled, {seconds:.0f} s: "
              f"{rejected} rejected, {self.failed()} failures")
        for title, lists in (("not mapped", self.unmapped), ("rejected", self.rejections)):
            for reason, seeds in sorted(lists.items(), key=lambda item: -len(item[1])):
                print(f"  {title} {len(seeds)} (seed {seeds[0]}): {reason}")
        for signature, seeds in sorted(self.failures.items(), key=lambda item: -len(item[1])):
            print(f"  FAILED {len(seeds)} (seeds {' '.join(map(str, seeds[:8]))}): {' | '.join(signature)}")
        return rejected


def run_seeds(settings, args):
    tally, start, seed = Tally(args.keep), time.monotonic(), args.first
    end = args.first + args.count if args.count else None
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        pending = set()
        while True:
            while len(pending) <= args.jobs and (end is None or seed < end) and (not args.seconds or time.monotonic() - start < args.seconds):
                last = seed + args.batch if end is None else min(end, seed + args.batch)
                pending.add(pool.submit(run_batch, settings, seed, last))
                seed = last
            if not pending:
                break
            done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                results, compared, compiles = future.result()
                tally.compared += compared
                tally.compiles += compiles
                for result in results:
                    tally.take(*result)
            print(f"{tally.run} programs, {tally.failed()} failures", file=sys.stderr, flush=True)
    rejected = tally.report(time.monotonic() - start)
    wrong = [] if args.thorough else tally.too_few(settings.machines, args.refused)
    if args.target == "cell" and args.long and not args.streams:
        print(f"  in {tally.noted} programs SPEs repeated rounds by themselves")
        wrong += [] if tally.noted else ["no SPE repeated rounds by itself"]
    if args.streams:
        print(f"  in {tally.noted} programs streams and all kernels are SPEs' alone")
        wrong += [] if tally.noted else ["in no program streams and all kernels are SPEs' alone"]
    for line in wrong:
        print(f"  FAILED: {line}")
    return bool(tally.failures or wrong) or rejected * 100 > tally.run * args.rejected


def run_files(settings, args):
    failed = False
    for path in args.programs:
        with open(path, encoding="utf-8") as f:
            outcome = check(settings.tools, f.read(), machines=settings.machines, more=2, adversary=settings.adversary, target=settings.target, long=settings.long)
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
    parser.add_argument("--only")
    parser.add_argument("--without")
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--rejected", type=float, default=5)
    parser.add_argument("--machine")
    parser.add_argument("--adversary", default="0")
    parser.add_argument("--refused", type=float, default=50)
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--quick", type=int, default=0)
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--long", type=int, default=0)
    parser.add_argument("--target", choices=["sim", "cell"], default="sim")
    parser.add_argument("--spes", type=lambda text: [int(n) for n in text.split(",")], default=[])
    parser.add_argument("--streams", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    if not args.programs and not args.count and not args.seconds:
        parser.error("how many? --count or --seconds")
    if (args.spes or args.streams) and (args.target != "cell" or not args.spes):
        parser.error("--spes is for --target=cell, and --streams for --spes")
    if args.spes and args.adversary == "0":
        args.adversary = "3"
    if args.target == "cell":  # each access of an SPE checked, in code that is made quickly
        args.machine = args.machine or "cell-qs20"
        os.environ.update(SVM_CELL_CHECK_DMA="1", SVM_CELL_COUNT="1", SVM_SPU_HOST_CFLAGS=os.environ.get("SVM_SPU_HOST_CFLAGS", "-O0"))
    with tempfile.TemporaryDirectory(prefix="svmc-quick-") as args.quick_folder:
        settings = Settings(args)
        sys.exit(run_files(settings, args) if args.programs else run_seeds(settings, args))


if __name__ == "__main__":
    os.environ["SVMC_CACHE"] = ""  # what is measured or checked is made
    main()
