#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds faults into the source, one at a time, and sees which the tests find.

    mutate.py --list FILE...                                    what could be changed in these files
    mutate.py [--rooms=hlc/schedule,sim] [--count=40] [--seed=N] [--work=FOLDER] [--report=FILE] [--own | --suite]

Everything happens in a copy of the tracked files in FOLDER, with a build of its own (ccache makes it cheap); the tree is not
touched. Changes are drawn by chance, as many from each room. One that does not compile, or that gives the same object file, does
not count and is replaced by another. Then the room's tests run, then, unless --own, those of the rooms that use it (ROOMS), and with
--suite all others; the first test that fails kills the mutant. What survives is in the report with its line; those in equivalent.txt, where the
reason stands, are counted apart. Exit code 1: something survived that is not explained.
"""
import argparse
import glob
import hashlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join("test", "mutate")

# The tests of each room, in the order in which they run: its own first. The longest name that a path begins with counts.
ROOMS = {
    "support": ["support", "lang"],
    "lang": ["lang"],
    "targets": ["targets", "sim"],
    "hlc/ir": ["hlc/ir", "hlc/passes", "hlc/interp", "run"],
    "hlc/elaborate": ["hlc/elaborate", "lang", "run"],
    "hlc/schedule": ["hlc/schedule", "hlc/interp", "run"],
    "hlc/interp": ["hlc/interp", "run", "memory"],
    "hlc/passes": ["hlc/passes", "run"],
    "hlc/plan": ["hlc/plan", "run", "examples", "diff"],
    "hlc/map": ["hlc/map", "hlc/plan"],
    "hlc/taskmap": ["sim"],
    "hlc/emit": ["hlc/emit", "run", "examples", "diff"],
    "hlc/report": ["driver"],
    "llc": ["llc"],
    "llc/check": ["check"],
    "llc/sim": ["llc", "sim"],
    "llc/softproc": ["softproc"],
    "sim": ["sim", "papers"],
    "runtime/common": ["runtime", "run", "library", "memory"],
    "runtime/host": ["runtime", "run"],
    "runtime/sim": ["sim", "runtime", "papers"],
    "runtime/softproc": ["softproc"],
    "characterize": ["characterize"],
    "driver": ["driver"],
}
SECONDS = 240          # a test that takes longer kills the mutant
MOST_MEMORY = 4 << 20  # kilobytes: a process that has more is ended
MOST_FILE = 2 << 30    # bytes

Mutant = namedtuple("Mutant", "path line column operator old new text")


# ---- What can be changed ----

TOKEN = re.compile(r"""(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
    |(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)
    |(?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])""", re.S | re.M | re.X)

SWAPS = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
         "+=": ["-="], "-=": ["+="], "|=": ["="], "++": ["--"], "--": ["++"]}
VALUE = {"name", "number"}


def tokens_of(text):
    return [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]


def is_value(token):
    return token[0] in VALUE or token[1] in (")", "]")


def swaps(tokens):
    """An operator for another, a constant for its neighbour."""
    for before, (kind, text, at), after in zip(tokens, tokens[1:], tokens[2:]):
        if text in SWAPS:
            for other in SWAPS[text]:
                yield at, "operator", text, other
        elif text in ("+", "-") and is_value(before) and before[1] not in ("return", "case"):
            yield at, "operator", text, "-" if text == "+" else "+"
        elif text in ("/", "%") and is_value(before):
            yield at, "operator", text, "*"
        elif kind == "number" and re.fullmatch(r"[0-9]", text) and before[1] not in ("[", "case", "enum", "<<") and after[1] != "]":
            yield at, "constant", text, str(int(text) + 1)
            if text == "1":
                yield at, "constant", text, "0"
        elif text in ("true", "false"):
            yield at, "constant", text, "false" if text == "true" else "true"
        elif text == "!" and after[0] == "name" or text == "!" and after[1] == "(":
            yield at, "negation", "!", ""


def closing(tokens, i):
    """The index of the bracket that ends what tokens[i] begins."""
    depth = 0
    for k in range(i, len(tokens)):
        depth += (tokens[k][1] in "([{") - (tokens[k][1] in ")]}")
        if depth == 0:
            return k
    return len(tokens) - 1


def conditions(tokens, text):
    """if (c): as if c were true, and false."""
    for i, (_, word, _) in enumerate(tokens[:-1]):
        if word != "if" or tokens[i + 1][1] != "(":
            continue
        end = closing(tokens, i + 1)
        at, stop = tokens[i + 1][2] + 1, tokens[end][2]
        old = text[at:stop]
        if "\n" not in old:
            yield at, "condition", old, f"({old}) || 1"
            yield at, "condition", old, f"({old}) && 0"


STATEMENT = re.compile(r"^( +)([a-z_]\w*(?:(?:->|\.)\w+|\[[^\]\n]*\])*(?:\([^;{}\n]*\)| [-+|&*]?= [^;{}\n]*|\+\+|--));$", re.M)


def statements(text):
    """A call or an assignment on a line of its own, left out."""
    for m in STATEMENT.finditer(text):
        if not re.match(r"(return|goto|break|continue|else|case)\b", m.group(2)) and "\n" not in m.group(2):
            yield m.start(2), "statement", m.group(2), "(void)0"


def mutants_of(path, text):
    tokens = [t for t in tokens_of(text)]
    found = [*swaps(tokens), *conditions(tokens, text), *statements(text)]
    lines = text.splitlines()
    for at, operator, old, new in sorted(found):
        line = text.count("\n", 0, at) + 1
        source = lines[line - 1]
        if re.match(r"\s*(_Static_assert|static const|#)", source):
            continue
        if old in ("++", "--") and re.match(r"\s*for \(", source): # every loop would crash, or not end
            continue
        yield Mutant(path, line, at - (text.rfind("\n", 0, at) + 1) + 1, operator, old, new, source.strip())


def change(text, m):
    at = sum(len(line) for line in text.splitlines(keepends=True)[:m.line - 1]) + m.column - 1
    assert text[at:at + len(m.old)] == m.old
    return text[:at] + m.new + text[at + len(m.old):]


def describe(m):
    return f"{m.path}:{m.line}:{m.column}: {m.operator}: '{m.old}' becomes '{m.new}': {m.text}"


# ---- The copy and its build ----


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Watch(threading.Thread):
    """Ends processes below this one that take too much memory, which a fault may make them do."""

    def __init__(self):
        super().__init__(daemon=True)

    def run(self):
        while True:
            time.sleep(3)
            parents, memory = {}, {}
            for path in glob.glob("/proc/[0-9]*/status"):
                try:
                    with open(path, encoding="utf-8", errors="replace") as f:
                        fields = dict(line.split(":", 1) for line in f if ":" in line)
                except OSError:
                    continue
                pid = int(path.split("/")[2])
                parents[pid] = int(fields["PPid"])
                memory[pid] = int(fields.get("VmRSS", "0 kB").split()[0])
            for pid, kilobytes in memory.items():
                up = pid
                while up not in (0, 1, os.getpid()):
                    up = parents.get(up, 0)
                if up == os.getpid() and pid != up and kilobytes > MOST_MEMORY:
                    try:
                        os.kill(pid, 9)
                    except ProcessLookupError:
                        pass


class Copy:
    def __init__(self, folder, jobs):
        self.source, self.build, self.jobs = os.path.join(folder, "source"), os.path.join(folder, "source", "build"), jobs
        self.environment = dict(os.environ, CCACHE_BASEDIR=self.source, CCACHE_NOHASHDIR="1", SVMC_SECONDS_PER_TEST=str(SECONDS))

    def make(self):
        files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
        names = [n for n in files.stdout.decode().split("\0") if n and os.path.isfile(os.path.join(ROOT, n))]
        for name in names:
            self.update(os.path.join(ROOT, name), os.path.join(self.source, name))
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            self.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSVMC_WERROR=OFF", *launcher], True)
        if not self.compile():
            sys.exit("mutate: error: the copy does not build: " + os.path.join(self.build, "build.log"))

    @staticmethod
    def update(of, to):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(of, "rb") as a:
            data = a.read()
        if os.path.exists(to):
            with open(to, "rb") as b:
                if b.read() == data:
                    return
        shutil.copyfile(of, to)
        shutil.copymode(of, to)

    def run(self, command, must=False):
        p = subprocess.run(command, env=self.environment, preexec_fn=limit, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
        if must and p.returncode != 0:
            sys.exit(f"mutate: error: {' '.join(command)}\n{p.stdout.decode(errors='replace')[-4000:]}")
        return p.returncode, p.stdout.decode(errors="replace")

    def compile(self, *targets):
        code, text = self.run(["ninja", "-C", self.build, f"-j{self.jobs}", *targets])
        with open(os.path.join(self.build, "build.log"), "w", encoding="utf-8") as f:
            f.write(text)
        return code == 0

    def objects(self, path):
        """The object files that ninja makes of a source, as targets."""
        _, text = self.run(["ninja", "-C", self.build, "-t", "query", os.path.join(self.source, path)], True)
        return sorted(set(re.findall(r"^ +(\S+\.o)$", text, re.M)))

    def digest(self, objects):
        d = hashlib.sha256()
        for name in objects:
            with open(os.path.join(self.build, name), "rb") as f:
                d.update(f.read())
        return d.digest()

    def write(self, path, text):
        with open(os.path.join(self.source, path), "w", encoding="utf-8") as f:
            f.write(text)

    def test(self, folders):
        """The first tests that fail."""
        code, text = self.run([os.path.join(self.build, "bin", "lit"), f"-j{self.jobs}", "-q", "--max-failures=1",
                               *[os.path.join(self.build, "test", f) for f in folders]])
        failed = re.findall(r"^\s+svmc :: (\S+)", text, re.M)
        if not re.search(r"Total Discovered Tests: [1-9]", text) or (code != 0) != bool(failed):
            sys.exit("mutate: error: lit\n" + text[-4000:])
        return failed


# ---- Runs ----


def room_of(path):
    return max((r for r in ROOMS if path.startswith(r + "/")), key=len, default=None)


def explained():
    """(path, line's text, old, new) of what is known to change nothing."""
    known = set()
    with open(os.path.join(ROOT, HERE, "equivalent.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                known.add(tuple(part.strip() for part in line.split(" | ")[:4]))
    return known


def check_explained():
    known, gone = explained(), 0
    for path, line, old, new in sorted(known):
        full = os.path.join(ROOT, path)
        there = False
        if os.path.exists(full):
            with open(full, encoding="utf-8") as f:
                there = any((m.text, m.old, m.new) == (line, old, new) for m in mutants_of(path, f.read()))
        if not there:
            print(f"{path}: no longer: '{old}' becomes '{new}': {line}")
            gone += 1
    print(f"{len(known)} explanations, {gone} of lines that are gone")
    return 1 if gone else 0


class Run:
    def __init__(self, args):
        self.args, self.copy, self.random = args, Copy(args.work, args.jobs), random.Random(args.seed)
        self.clean = set() # folders whose tests pass without a fault
        self.known, self.lines, self.count = explained(), [], dict.fromkeys(("killed", "survived", "explained", "same object", "no object"), 0)

    def say(self, text):
        print(text, flush=True)
        self.lines.append(text)

    def stages(self, room):
        folders = [[f] for f in (ROOMS[room][:1] if self.args.own else ROOMS[room])]
        if self.args.suite:
            tests = os.path.join(self.copy.source, "test")
            folders.append(sorted(f for f in os.listdir(tests) if os.path.isdir(os.path.join(tests, f)) and f not in ROOMS[room]))
        return folders

    def judge(self, m, room):
        """What becomes of a mutant; the original is back afterwards."""
        with open(os.path.join(self.copy.source, m.path), encoding="utf-8") as f:
            text = f.read()
        objects = self.copy.objects(m.path)
        if not objects or not self.copy.compile(*objects):
            return "no object", ""
        before = self.copy.digest(objects)
        try:
            self.copy.write(m.path, change(text, m))
            if not self.copy.compile(*objects):
                return "no object", ""
            if self.copy.digest(objects) == before:
                return "same object", ""
            if not self.copy.compile():
                return "killed", "the build"
            for folders in self.stages(room):
                failed = self.copy.test(folders)
                if failed:
                    return "killed", failed[0]
        finally:
            self.copy.write(m.path, text)
        return ("explained" if (m.path, m.text, m.old, m.new) in self.known else "survived"), ""

    def room(self, room, count):
        files = sorted(p for p in glob.glob(os.path.join(self.copy.source, room, "**", "*.c"), recursive=True))
        paths = [os.path.relpath(p, self.copy.source) for p in files]
        mutants = []
        for path in (p for p in paths if room_of(p) == room):
            with open(os.path.join(self.copy.source, path), encoding="utf-8") as f:
                mutants += mutants_of(path, f.read())
        self.random.shuffle(mutants)
        self.copy.compile()
        for folders in self.stages(room):
            failing = [] if tuple(folders) in self.clean else self.copy.test(folders)
            if failing:
                sys.exit(f"mutate: error: without a fault {failing[0]} fails already")
            self.clean.add(tuple(folders))
        done = 0
        for m in mutants:
            if done == count:
                break
            start = time.monotonic()
            result, by = self.judge(m, room)
            self.count[result] += 1
            done += result in ("killed", "survived", "explained")
            if result not in ("same object", "no object"):
                self.say(f"{result:<9} {describe(m)}" + (f" [{by}, {time.monotonic() - start:.0f} s]" if by else ""))
        self.copy.compile()

    def run(self):
        rooms = self.args.rooms.split(",")
        Watch().start()
        self.copy.make()
        for i, room in enumerate(rooms):
            self.room(room, self.args.count // len(rooms) + (i < self.args.count % len(rooms)))
        c = self.count
        counted = c["killed"] + c["survived"]
        self.say(f"{c['killed']} of {counted} killed ({100 * c['killed'] / max(counted, 1):.0f} %), {c['survived']} survived, {c['explained']} explained; "
                 f"not counted: {c['same object']} that gave the same object file, {c['no object']} that gave none")
        if self.args.report:
            with open(self.args.report, "w", encoding="utf-8") as f:
                f.write("\n".join(self.lines) + "\n")
        return 1 if c["survived"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", nargs="+", metavar="FILE")
    parser.add_argument("--explained", action="store_true", help="check equivalent.txt")
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", default=os.path.join(os.environ.get("TMPDIR", "/tmp"), "svmc-mutate"))
    parser.add_argument("--report")
    parser.add_argument("--own", action="store_true", help="only the room's own tests: quick, and stricter")
    parser.add_argument("--suite", action="store_true", help="the whole suite after the room's tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.list:
        for path in args.list:
            with open(path, encoding="utf-8") as f:
                for m in mutants_of(os.path.basename(path), f.read()):
                    print(describe(m))
        return 0
    if args.explained:
        return check_explained()
    args.work = os.path.abspath(args.work)
    if os.path.commonpath([args.work, ROOT]) == ROOT:
        sys.exit("mutate: error: --work must lie outside of the tree")
    unknown = [r for r in args.rooms.split(",") if r not in ROOMS]
    if unknown:
        sys.exit(f"mutate: error: unknown room '{unknown[0]}'; there are {', '.join(ROOMS)}")
    return Run(args).run()


if __name__ == "__main__":
    sys.exit(main())
