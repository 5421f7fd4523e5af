#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs on every machine in the simulator, compares each run with the interpreter's, and prints a table.

    machines.py --svmc=PATH [--machine=LIST] [--options=TEXT] [--target=sim] [--more=N] [--adversary=N[,zeroes]] [--jobs=N] [--batch=N]
                [--compile-only] [--thorough] [PROGRAM.str|FOLDER...]

Programs: unless told, all of examples/, test/run and test/diff. An example's input is what its check.py makes (EXAMPLES has the exceptions);
other programs have theirs in comments, and run as their lines with %run-all say, those that sed makes of them included. --more=N runs each
program N times more, with other numbers of steady states or less input. Machines: names or files with commas between; unless told, all of targets/.
TEXT goes to svmc with each machine. --target=host runs what was mapped on this computer instead of in the simulator. --adversary=N makes
each run N times more, under the adversary (docs/adversary.md) with seeds 1 to N. --compile-only makes SVM C and runs nothing, for a svmc with sanitizers. --thorough has svm-llc optimise,
and clang look for what it would warn of.

Every pair of a program and a machine agrees, is refused, or fails. It agrees where all that is printed and written is the interpreter's, or
both stop with an error. It is refused where svmc tells, with one of the errors of refusals.py, why the machine cannot run it; refusals are counted by reason.
All else is a failure: another error, C that does not compile, a crash, a run that does not end, another result.
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

from batch import write_batch
from case import Case, Failure, Run, adversaries, execute
from differential import COMPILE_SECONDS, WARNINGS, Checker, Tools, Way
from refusals import kind_of_refusal

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN_SECONDS = 60
# Commands that make an example's input "$out", in its folder; unless told "python3 check.py input $out".
EXAMPLES = {
    "fm": '"$CC" -O2 modulate.c -lm -o "$out.modulate" && "$out.modulate" 0.13 1000 400 >"$out"',
    "decoder": 'cp pictures/420.jpg "$out"',
    "mpeg": 'cp videos/pan.m1v "$out"',
}
MARKS = {"agree": ".", "refused": "-", "failed": "F"}


class Program:
    """A program as it is run in one way. interpreted, compiled: options for each; stops: texts that its error has, if it stops with one."""

    def __init__(self, name, text, runs, interpreted=(), compiled=(), stops=()):
        self.name, self.text, self.runs, self.stops = name, text, runs, list(stops)
        self.file = name.replace(":", ".") + ".str"  # errors have it
        self.interpreted, self.compiled = list(interpreted), list(compiled)
        self.tables = {n: d for n, d in runs[0].files.items() if n.endswith(".txt")}
        self.tagged = any("--tag-prints" in run.options for run in runs)
        self.expected, self.untagged = [], {}


class OnMachine(Checker):
    """A program whose results are known already, on one machine."""

    def __init__(self, tools, program, folder):
        super().__init__(tools, program.text, folder)
        self.program, self.runs, self.expected, self.untagged = program, program.runs, program.expected, program.untagged
        self.case.tagged = program.tagged
        self.sources = [program.file]
        self.write(program.file, program.text)
        for name, data in program.tables.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)


# ---- Programs and their input ----

def example(tools, path, work):
    name, folder = os.path.splitext(os.path.basename(path))[0], os.path.dirname(path)
    made = os.path.join(work, name + ".in")
    command = EXAMPLES.get(name, f'"{sys.executable}" check.py input "$out"')
    environment = {**os.environ, "out": made, "CC": tools.compile[0]}
    subprocess.run(command, shell=True, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    with open(made, "rb") as f:
        data = f.read()
    with open(path, encoding="utf-8") as f:
        return Program(name, f.read(), [Run("", ["--in=in.bin", "--out=out.bin"], {"in.bin": data})])


def run_lines(text):
    """What runs the program: for each such line its levels, keys, the program's name (%s or a variant's) and options."""
    text = re.sub(r"\\\n// RUN:", " ", text)
    macros = dict(re.findall(r"^// DEFINE: (%\{\w+\}) = (.*)$", text, re.M))
    for line in re.findall(r"^// RUN: (.*)$", text, re.M):
        for macro, value in macros.items():
            line = line.replace(macro, value)
        words = shlex.split(line)
        if words and words[0] == "%run-all":
            values = dict(re.match(r"--(\w+)=(.*)", w).groups() for w in words[1:] if re.match(r"--\w+=", w))
            at = next(i for i, w in enumerate(words) if re.match(r"%s$|%t", w))
            yield values.get("levels", "-O2").split(","), values.get("keys"), words[at], words[at + 1:]


def variants(path, text):
    """The texts that lines with sed make of a program, by their names."""
    found = {"%s": text}
    for script, name in re.findall(r"^// RUN: (sed .* %s) > (%t\S*)$", text, re.M):
        script = script.replace("%s", shlex.quote(path))
        found[name] = subprocess.run(script, shell=True, check=True, capture_output=True, text=True).stdout
    return found


def with_keys(text, keys):
    """The text with the expectations of these keys alone, on the same lines."""
    expected = r"(PRINTS|OUT-ESCAPED|OUT-UNENDED|OUT-PREFIX|OUT|ITEMS|NO-OUTPUT|IN|FILE|MAKES|FAILS)\b"
    if keys:
        text = re.sub(rf"^// {expected}.*$", "//", text, flags=re.M)
        text = re.sub(rf"^// {keys}-{expected}", r"// \1", text, flags=re.M)
    return text


def checks_of(levels):
    """The options among levels that have a run checked; of the level that checks most."""
    return max(([o for o in level.split() if o.startswith("-fcheck")] for level in levels), key=len, default=[])


def tested(path):
    """A program of the tests, in each way that it is run. Lines for the interpreter alone are of programs that no compiled one checks."""
    with open(path, encoding="latin-1") as f:
        text = f.read()
    texts, found = variants(path, text), {}
    for levels, keys, variant, options in run_lines(text):
        compiled = [level for level in levels if not level.startswith("interpret")]
        if not compiled or variant not in texts:
            continue
        own = with_keys(texts[variant], keys)
        files, options = Case(own).files, list(options)
        if re.search(r"^// IN ", own, re.M):
            options.append("--in=in.bin")
        if re.search(r"^// ITEMS ", own, re.M):
            options.append("--out=out.bin")
        if re.search(r"^// PRINTS", own, re.M):
            options.append("--tag-prints")
        stops = re.findall(r"^// FAILS: (.*)$", own, re.M)
        names = [os.path.splitext(os.path.basename(path))[0], variant[2:].removesuffix(".str").lstrip("."), keys]
        name, base = ":".join(filter(None, names)), ":".join(filter(None, names[:2]))
        program = Program(name, own, [Run("", options, files)], checks_of(set(levels) - set(compiled)), checks_of(compiled), stops)
        program.file = base.replace(":", ".") + ".str"
        found.setdefault((own, *options, *program.compiled), program)
    return list(found.values())


def programs_of(tools, paths, work):
    """The programs, and the files that have none to run."""
    files, found, none = [], [], []
    for path in paths:
        if os.path.isdir(path):
            files += sorted(os.path.join(folder, n) for folder, _, names in os.walk(path) for n in names if n.endswith(".str"))
        else:
            files.append(path)
    for path in files:
        is_example = os.path.exists(os.path.join(os.path.dirname(path), "check.py"))
        some = [example(tools, path, work)] if is_example else tested(path)
        found += some
        if not some:
            none.append(os.path.relpath(path, ROOT))
    return found, none


def more_runs(program, count):
    """Other lengths of input, and numbers of steady states."""
    rng, first = random.Random(program.name), program.runs[0]
    for _ in range(count):
        options, files, how = list(first.options), dict(first.files), ""
        if "-i" in options:
            at = options.index("-i") + 1
            options[at] = str(rng.choice([0, 1, int(options[at]) + 1, 2 * int(options[at]) + 30, rng.randrange(100, 400)]))
            how = f" -i {options[at]}"
        elif files.get("in.bin"):
            files["in.bin"] = files["in.bin"][:rng.randrange(len(files["in.bin"])) // 4 * 4]
            how = f" --cut=in.bin:{len(files['in.bin'])}"
        if how and all(how != run.how for run in program.runs):
            program.runs.append(Run(how, options, files))


def interpret(tools, program, folder):
    """Finds what the interpreter gives. The failure, if it does not end."""
    checker = OnMachine(tools, program, folder)
    command = checker.interpreter(program.interpreted)
    try:
        for run in program.runs:
            program.expected.append(run.execute(command, folder, "svmc --interpret", seconds=2 * RUN_SECONDS))
            if program.tagged:
                program.untagged[len(program.untagged)] = run.execute(command, folder, "svmc --interpret", False)
    except Failure as f:
        return f
    return None


# ---- Machines ----

class Settings:
    def __init__(self, args):
        self.tools = Tools(args.svmc)
        self.options, self.compile_only, self.thorough = shlex.split(args.options), args.compile_only, args.thorough
        self.target, self.seeds = args.target, adversaries(args.adversary)


class Group:
    """Programs on one machine that are compiled together."""

    def __init__(self, settings, machine, programs, folder):
        self.settings, self.tools, self.machine, self.folder = settings, settings.tools, machine, folder
        self.outcomes, self.checkers = {}, {}
        for number, program in enumerate(programs):
            place = os.path.join(folder, str(number))
            os.mkdir(place)
            self.checkers[number] = OnMachine(self.tools, program, place)

    def way(self, number):
        optimise = "-O1" if self.settings.thorough else "-O0"
        program = self.checkers[number].program
        return Way(["-O2", f"--machine={self.machine}", *self.settings.options, *program.compiled], llc=[f"--target={self.settings.target}", optimise, f"--machine={self.machine}"])

    def attempt(self, number, step):
        """A step for one program; what it gives, or None if it has failed."""
        try:
            return step()
        except Failure as f:
            self.outcomes[number] = f
            return None

    def emit(self, number):
        """Whether there is C to run. False also where svmc refuses the program or finds the error that a run would."""
        checker = self.checkers[number]
        command = [self.tools.svmc, "--emit=svm-c", "--verify-each", *self.way(number).svmc, *checker.sources, "-o", "p.c"]
        status, _, err = execute(command, checker.folder, COMPILE_SECONDS)
        if status == 0:
            return True
        if status != 1:
            raise Failure("crash", str(self.way(number)), f"exit status {status}: {shlex.join(command)}\n{err[-3000:]}")
        reason = kind_of_refusal(err)
        if reason:
            self.outcomes[number] = (reason, re.search(r"error: (.*)", err).group(1))
        elif not checker.program.stops and not any(e.status for e in checker.expected):
            raise Failure("error", str(self.way(number)), f"{shlex.join(command)}\n{err[-3000:]}")
        return False

    def run(self):
        emitted = [n for n in self.checkers if self.attempt(n, lambda n=n: self.emit(n))]
        if emitted and not self.settings.compile_only:
            left_out = write_batch(self.folder, "all", [(n, os.path.join(str(n), "p.c")) for n in emitted], self.tools.headers, self.tools.own, self.tools.include)
            together = [n for n in emitted if n not in left_out]
            if together and not self.compile("all", together):
                left_out, together = emitted, []
            for n in together:
                self.attempt(n, lambda n=n: self.compare(n, [os.path.join(self.folder, "all"), str(n)]))
            for n in left_out:
                self.attempt(n, lambda n=n: self.alone(n))
        return [(c.program.name, self.outcomes.get(n)) for n, c in self.checkers.items()]

    def compile(self, name, numbers):
        """Whether the C of these compiles; warnings are theirs."""
        way, source = self.way(numbers[0]), os.path.join(self.folder, name + ".c")
        status, _, err = execute(way.command(self.tools, source, source[:-2]), self.folder, COMPILE_SECONDS)
        if status == 0 and self.settings.thorough:
            _, _, warnings = execute([*self.tools.compile, *WARNINGS, "-fsyntax-only", source], self.folder, COMPILE_SECONDS)
            for line in warnings.splitlines():
                m = re.match(r"\S*?(\d+)/p\.c:.*(warning|error):", line)
                if m and int(m.group(1)) in self.checkers:
                    n = int(m.group(1))
                    self.outcomes.setdefault(n, Failure("C with warnings", str(self.way(n)), line))
        return status == 0

    def alone(self, number):
        """A program whose C goes with no other's."""
        way, checker = self.way(number), self.checkers[number]
        exe = os.path.join(checker.folder, "p")
        status, _, err = execute(way.command(self.tools, exe + ".c", exe), checker.folder, COMPILE_SECONDS)
        if status != 0:
            reason = kind_of_refusal(err)
            if reason is None:
                raise Failure("C does not compile", str(way), err[-3000:])
            self.outcomes[number] = (reason, re.search(r"error: (.*)", err).group(1))
        else:
            self.compare(number, [exe])

    def compare(self, number, command):
        checker = self.checkers[number]
        knows_tags = "tagPrints" in checker.read("p.c")
        for i, (run, expected) in enumerate(zip(checker.runs, checker.expected)):
            if checker.case.tagged and not knows_tags:
                expected = checker.untagged[i]
            for one in [run, *map(run.under, self.settings.seeds)]:
                got = one.execute(command, checker.folder, str(self.way(number)), knows_tags, RUN_SECONDS)
                reason = kind_of_refusal(got.err) if got.status == 1 and expected.status == 0 else None
                if reason:
                    self.outcomes[number] = (reason, re.search(r"error: (.*)", got.err).group(1))
                    return
                difference = expected.difference(got, False)
                missing = [text for text in checker.program.stops if i == 0 and expected.status != 0 and text not in got.err]
                if difference or missing:
                    raise Failure("difference", str(self.way(number)) + one.how, difference or f"its error lacks '{missing[0]}':\n{got.err[-2000:]}")


def run_group(settings, machine, programs):
    with tempfile.TemporaryDirectory(prefix="svmc-machines-") as folder:
        return machine, Group(settings, machine, programs, folder).run()


# ---- The table ----

class Table:
    def __init__(self, machines, names):
        self.machines, self.names, self.cells = machines, names, {}

    def take(self, machine, results):
        for name, outcome in results:
            self.cells[name, machine] = outcome
            if isinstance(outcome, Failure):
                print(f"FAILED {name} on {machine}: {outcome}\n", flush=True)

    def cell(self, name, machine):
        outcome = self.cells[name, machine]
        return "agree" if outcome is None else "failed" if isinstance(outcome, Failure) else "refused"

    def print(self):
        width = max(map(len, self.names))
        short = [os.path.splitext(os.path.basename(m))[0] for m in self.machines]
        print(f"{'':{width}} " + " ".join(short))
        for name in self.names:
            print(f"{name:{width}} " + " ".join(f"{MARKS[self.cell(name, m)]:^{len(s)}}" for m, s in zip(self.machines, short)))
        for kind, mark in MARKS.items():
            counts = [sum(self.cell(n, m) == kind for n in self.names) for m in self.machines]
            print(f"{kind + ' (' + mark + ')':{width}} " + " ".join(f"{c:^{len(s)}}" for c, s in zip(counts, short)))
        reasons = {}
        for (name, machine), outcome in self.cells.items():
            if isinstance(outcome, tuple):
                reasons.setdefault(outcome[0], []).append((name, machine, outcome[1]))
        for reason, cases in sorted(reasons.items(), key=lambda item: -len(item[1])):
            machines = sorted({m for _, m, _ in cases}, key=self.machines.index)
            print(f"refused {len(cases)}: {reason} ({', '.join(machines)})\n    {cases[0][0]} on {cases[0][1]}: {cases[0][2]}")

    def count(self, kind):
        return sum(self.cell(*pair) == kind for pair in self.cells)


def machine_names(text):
    if not text:
        return sorted(n[:-5] for n in os.listdir(os.path.join(ROOT, "targets")) if n.endswith(".yaml"))
    return [os.path.abspath(m) if m.endswith(".yaml") else m for m in text.split(",")]


def prepare(settings, args, work):
    """The programs with the interpreter's results, those that it does not run, and the files without any."""
    paths = args.programs or [os.path.join(ROOT, p) for p in ["examples", "test/run", "test/diff"]]
    programs, none = programs_of(settings.tools, paths, work)
    endless = []
    for number, program in enumerate(programs):
        more_runs(program, args.more)
        place = os.path.join(work, str(number))
        os.mkdir(place)
        failure = None if args.compile_only else interpret(settings.tools, program, place)
        if failure:
            endless.append(program)
            print(f"FAILED {program.name} in the interpreter: {failure}")
    return [p for p in programs if p not in endless], endless, none


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--machine")
    parser.add_argument("--options", default="")
    parser.add_argument("--target", default="sim")
    parser.add_argument("--more", type=int, default=1)
    parser.add_argument("--adversary", default="0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    machines, settings, start = machine_names(args.machine), Settings(args), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="svmc-machines-") as work, concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        programs, endless, none = prepare(settings, args, work)
        if not programs:
            sys.exit("no programs to run")
        table = Table(machines, [p.name for p in programs])
        groups = [programs[at:at + args.batch] for at in range(0, len(programs), args.batch)]
        futures = [pool.submit(run_group, settings, machine, group) for machine in machines for group in groups]
        for future in concurrent.futures.as_completed(futures):
            table.take(*future.result())
    table.print()
    failed = table.count("failed") + len(endless)
    print(f"{len(programs)} programs, {len(machines)} machines, {time.monotonic() - start:.0f} s: {table.count('agree')} agree, "
          f"{table.count('refused')} refused, {failed} failed")
    if none:
        print(f"without a run: {len(none)} files ({', '.join(none)})")
    sys.exit(failed > 0)


if __name__ == "__main__":
    os.environ["SVMC_CACHE"] = ""  # what is measured or checked is made
    main()
