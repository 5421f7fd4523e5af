#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds faults into the source, one at a time, and sees which the tests find.

    mutate.py --list FILE...                          what could be changed in these files
    mutate.py [--rooms=hlc/schedule,sim] [--each=6] [--seed=N] [--jobs=N] [--work=FOLDER] [--results=FILE] [--own | --suite]
    mutate.py --again [--rooms=...]                   tries once more what survived (say with --most=5 before)
    mutate.py --summary                               what is known, by rooms
    mutate.py --faults [WORDS]                        seeds the faults of faults.txt (those with WORDS in their names)

Everything happens in copies of the tracked files in FOLDER, a copy for each of --jobs, with builds of their own (ccache makes them cheap);
the tree is not touched. Changes are drawn by chance, --each from each room. One that does not compile, or that gives the same object
file, does not count and is replaced by another. Then tests run until one fails, which kills the mutant: those of the room and of the
rooms that use it (ROOMS), cheapest first, with random programs between for rooms of the compiler; with --own only the room's own tests,
with --suite all others too. How long tests take is known from the tree's own build (build/test/.lit_test_times.txt).

Each result is written to FILE (results.csv beside this script) at once, and what is there is not tried again: a run that is
ended goes on where it was. equivalent.txt has the reasons of what survives because it changes nothing that can be seen. Exit code 1:
something survived that is not explained.
"""
import argparse
import csv
import glob
import hashlib
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict, namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join("test", "mutate")

# The tests of each room: its own first. The longest name that a path begins with counts.
ROOMS = {
    "support": ["support", "lang", "driver"],
    "lang": ["lang", "hlc/elaborate"],
    "lang/brook": ["lang/brook", "brook"],
    "lang/streamit": ["lang", "hlc/elaborate", "run", "driver"],
    "targets": ["targets", "sim", "driver"],
    "hlc": ["driver", "hlc", "run"],
    "hlc/brook": ["brook"],
    "hlc/ir": ["hlc/ir", "hlc/passes", "hlc/interp", "run", "lang"],
    "hlc/elaborate": ["hlc/elaborate", "lang", "run", "driver"],
    "hlc/schedule": ["hlc/schedule", "hlc/interp", "run", "hlc/plan"],
    "hlc/interp": ["hlc/interp", "run", "memory", "driver"],
    "hlc/passes": ["hlc/passes", "run", "examples", "hlc/plan"],
    "hlc/plan": ["hlc/plan", "run", "examples", "diff", "softproc"],
    "hlc/map": ["hlc/map", "hlc/plan", "diff"],
    "hlc/taskmap": ["sim", "hlc/map"],
    "hlc/emit": ["hlc/emit", "run", "examples", "diff", "brook", "softproc", "library"],
    "hlc/report": ["driver", "hlc/map", "hlc/plan"],
    "llc": ["llc", "driver", "softproc", "check", "runtime"],
    "llc/cell": ["cell"],
    "llc/check": ["check"],
    "llc/sim": ["llc", "sim", "softproc"],
    "llc/softproc": ["softproc"],
    "sim": ["sim", "papers", "llc"],
    "runtime/common": ["runtime", "run", "library", "memory", "brook", "conformance"],
    "runtime/cell": ["cell"],
    "runtime/host": ["runtime", "run", "conformance"],
    "runtime/interpret": ["brook"],
    "runtime/sim": ["sim", "runtime", "papers", "llc", "conformance", "softproc"],
    "runtime/softproc": ["softproc"],
    "characterize": ["characterize"],
    "driver": ["driver", "run"],
}
# Random programs, which find what no test was written for; they take about as long as RANDOM_SECONDS says.
RANDOM_ROOMS = ("lang/streamit", "hlc/ir", "hlc/elaborate", "hlc/schedule", "hlc/interp", "hlc/passes", "hlc/plan", "hlc/map", "hlc/emit", "runtime/common",
                "runtime/host")
RANDOM = ["--quick=3", "--first=9600", "--count=60", "--jobs=1", "--machine=host-4,cell-qs20", "--adversary=1,zeroes"]
RANDOM_SECONDS = 4
OWN = 5                # a test of another room comes when five times as long ones of the room's own have run
BATCHES = (0.3, 2, 6, 20)  # seconds: tests up to so long go to lit together
SECONDS = 60           # a test that takes longer than that and ten times as long as usual kills the mutant
MOST_MEMORY = 4 << 20  # kilobytes: a process that has more is ended
MOST_FILE = 2 << 30    # bytes
FIELDS = ("room", "path", "function", "at", "operator", "old", "new", "text", "result", "by")

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


class Trouble(Exception):
    """Something other than a mutant is wrong."""


class Copy:
    def __init__(self, folder, jobs):
        self.source, self.build, self.jobs = os.path.join(folder, "source"), os.path.join(folder, "source", "build"), jobs
        self.environment = dict(os.environ, CCACHE_BASEDIR=self.source, CCACHE_NOHASHDIR="1", TMPDIR=os.path.join(folder, "tmp"))
        os.makedirs(self.environment["TMPDIR"], exist_ok=True)

    def make(self):
        files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
        names = [n for n in files.stdout.decode().split("\0") if n and os.path.isfile(os.path.join(ROOT, n))]
        for name in names:
            self.update(os.path.join(ROOT, name), os.path.join(self.source, name))
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            self.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSVMC_WERROR=OFF", *launcher], True)
        if not self.compile(jobs=self.jobs):
            raise Trouble("the copy does not build: " + os.path.join(self.build, "build.log"))

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

    def run(self, command, must=False, seconds=1200):
        """The exit code and what was printed; a command that takes too long ends with all that it started."""
        with subprocess.Popen(command, env=self.environment, preexec_fn=limit, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as p:
            try:
                text = p.communicate(timeout=seconds)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                text = p.communicate()[0].decode(errors="replace")
        if must and p.returncode != 0:
            raise Trouble(f"{' '.join(command)}\n{text[-4000:]}")
        return p.returncode, text

    def compile(self, *targets, jobs=1):
        code, text = self.run(["ninja", "-C", self.build, f"-j{jobs}", *targets])
        with open(os.path.join(self.build, "build.log"), "w", encoding="utf-8") as f:
            f.write(text)
        return code == 0

    def objects(self, path):
        """The object files that ninja makes of a source, as targets."""
        _, text = self.run(["ninja", "-C", self.build, "-t", "query", os.path.join(self.source, path)])
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

    def tests(self):
        """The names of all tests, from the folder of tests."""
        _, text = self.run([os.path.join(self.build, "bin", "lit"), "--show-tests", os.path.join(self.build, "test")], True)
        return re.findall(r"^\s+svmc :: (\S+)", text, re.M)

    def test(self, names, seconds):
        """The first of these tests that fails, or None."""
        self.environment["SVMC_SECONDS_PER_TEST"] = str(seconds)
        code, text = self.run([os.path.join(self.build, "bin", "lit"), "-j1", "-q", "--max-failures=1", *[os.path.join(self.build, "test", n) for n in names]])
        failed = re.findall(r"^\s+svmc :: (\S+)", text, re.M)
        if not re.search(r"Total Discovered Tests: [1-9]", text) or (code != 0) != bool(failed):
            raise Trouble("lit\n" + text[-4000:])
        return failed[0] if failed else None

    def random_programs(self):
        code, _ = self.run([sys.executable, os.path.join(self.source, "test/gen/differential.py"), "--svmc=" + os.path.join(self.build, "bin/svmc"), *RANDOM],
                           seconds=SECONDS + 10 * RANDOM_SECONDS)
        return code == 0


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


def function_of(text, line):
    """The function that the line is in."""
    for above in reversed(text.splitlines()[:line]):
        m = re.match(r"(?![#/ }])\S.*?\b(\w+)\((?!.*;$)", above)
        if m:
            return m.group(1)
    return ""


class Results:
    """What is known of mutants, in a file; a row is written as soon as it is known."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as f:
                self.rows = {self.key(row): row for row in csv.DictReader(f)}

    @staticmethod
    def key(row):
        return tuple(str(row[field]) for field in ("path", "function", "at", "old", "new", "text"))

    @staticmethod
    def row(room, m, source):
        full = source.splitlines()[m.line - 1]
        at = m.column - 1 - (len(full) - len(full.lstrip()))
        return {"room": room, "path": m.path, "function": function_of(source, m.line), "at": str(at), "operator": m.operator, "old": m.old, "new": m.new,
                "text": m.text, "result": "", "by": ""}

    def add(self, row):
        self.rows[self.key(row)] = row
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(self.rows.values(), key=self.key))
        os.replace(self.path + ".new", self.path)

    def summary(self):
        """Prints it; how many survive without a reason."""
        known, table = explained(), defaultdict(lambda: defaultdict(int))
        survivors = []
        for row in self.rows.values():
            result = row["result"]
            if result == "deleted": # the code was not needed
                result = "explained"
            if result == "survived" and (row["path"], row["text"], row["old"], row["new"]) in known:
                result = "explained"
            table[row["room"]][result] += 1
            if result == "survived":
                survivors.append(row)
        table["all"] = {r: sum(t[r] for t in list(table.values())) for r in ("killed", "explained", "survived")}
        print(f"{'room':<18} mutants  killed  explained  survived")
        for room in [*sorted(set(table) - {"all"}), "all"]:
            t = table[room]
            killed, why, lived = t["killed"], t["explained"], t["survived"]
            print(f"{room:<18} {killed + why + lived:7}  {killed:6}  {why:9}  {lived:8}" + (f"   {100 * killed / max(killed + lived, 1):.1f} % of those that change something" if room == "all" else ""))
        for row in survivors:
            print(f"survived  {row['path']}: {row['function']}: {row['operator']}: '{row['old']}' becomes '{row['new']}': {row['text']}")
        return len(survivors)


Fault = namedtuple("Fault", "name path changes tests")


def known_faults():
    found = []
    with open(os.path.join(ROOT, HERE, "faults.txt"), encoding="utf-8") as f:
        for line in f:
            kind, _, rest = line.strip().partition(" ")
            if kind == "fault:":
                found.append(Fault(rest, [], [], []))
            elif kind == "path:":
                found[-1].path.append(rest)
            elif kind == "-":
                found[-1].changes.append([rest])
            elif kind == "+":
                found[-1].changes[-1].append(rest)
            elif kind == "test:":
                found[-1].tests.append(rest)
            elif kind and kind[0] != "#":
                sys.exit(f"mutate: error: faults.txt: {line}")
    return found


def with_fault(text, fault):
    """The text with the fault, or None where one of its lines is not there once."""
    for old, new in fault.changes:
        text, count = re.subn("^( *)" + re.escape(old) + "$", lambda m: m.group(1) + new, text, flags=re.M)
        if count != 1:
            return None
    return text


def check_faults():
    gone = 0
    for fault in known_faults():
        with open(os.path.join(ROOT, fault.path[0]), encoding="utf-8") as f:
            there = with_fault(f.read(), fault) is not None
        missing = [t for t in fault.tests if not os.path.exists(os.path.join(ROOT, "test", t))]
        if not there or missing or not fault.tests:
            print(f"fault '{fault.name}': " + (f"no test {missing}" if there else f"its lines are not in {fault.path[0]}"))
            gone += 1
    print(f"{len(known_faults())} faults, {gone} without their lines or tests")
    return 1 if gone else 0


def seed_faults(args):
    copy, unseen = Copy(os.path.join(args.work, "0"), args.jobs), 0
    copy.make()
    for fault in known_faults():
        if args.faults not in fault.name:
            continue
        with open(os.path.join(copy.source, fault.path[0]), encoding="utf-8") as f:
            text = f.read()
        try:
            copy.write(fault.path[0], with_fault(text, fault))
            if not copy.compile():
                raise Trouble(f"does not build: {fault.name}")
            blind = [t for t in fault.tests if copy.test([t], 10 * SECONDS) is None]
        finally:
            copy.write(fault.path[0], text)
        unseen += len(blind) != 0
        print(f"{fault.name}: " + ("passed: " + ", ".join(blind) if blind else "seen by " + ", ".join(fault.tests)), flush=True)
    copy.compile()
    return 1 if unseen else 0


class Run:
    def __init__(self, args):
        self.args, self.random, self.results, self.lock = args, random.Random(args.seed), Results(args.results), threading.Lock()
        self.times, self.tests = {}, []
        self.sound = set() # tests that pass without a fault
        self.faulty = set() # tests that fail without one
        self.work = queue.SimpleQueue() # rooms, one for each mutant that is wanted
        self.mutants = {} # by room
        self.troubles = []

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def read_times(self):
        path = os.path.join(ROOT, "build", "test", ".lit_test_times.txt")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.times = {name.strip(): abs(float(seconds)) for seconds, _, name in (line.partition(" ") for line in f)}

    def batches(self, room):
        """Lists of tests with how long one may take; None: random programs. Cheap ones first."""
        if self.args.tests:
            yield self.args.tests.split(","), 10 * SECONDS
            return
        def under(name, folders):
            return any(name.startswith(f + "/") for f in folders)
        mine, others = ROOMS[room][:1], ([] if self.args.own else ROOMS[room][1:])
        found, cost = defaultdict(list), {}
        for name in self.tests:
            own = under(name, mine)
            if name in self.faulty or not own and not self.args.suite and not under(name, others):
                continue
            seconds = self.times.get(name, 1.0) * (1 if own else OWN if under(name, others) else 4 * OWN)
            if seconds > self.args.most:
                continue
            cost[name] = seconds
            found[next((i for i, limit in enumerate(BATCHES) if cost[name] <= limit), len(BATCHES))].append(name)
        for i in range(len(BATCHES) + 1):
            if found[i]:
                names = sorted(found[i], key=cost.get)
                yield names, max(SECONDS, int(10 * max(self.times.get(n, 1.0) for n in names)))
            if BATCHES[min(i, len(BATCHES) - 1)] == 2 and not self.args.own and room in RANDOM_ROOMS:
                yield None, 0

    def kill(self, copy, room):
        """What kills the mutant that is built."""
        for names, seconds in self.batches(room):
            if names is None:
                if not copy.random_programs():
                    return "random programs"
                continue
            failed = copy.test(names, seconds)
            if failed:
                return failed
        return None

    def judge(self, copy, m, room):
        """What becomes of a mutant; the original is back afterwards."""
        with open(os.path.join(copy.source, m.path), encoding="utf-8") as f:
            text = f.read()
        objects = copy.objects(m.path)
        if not objects or not copy.compile(*objects):
            return "no object", ""
        before = copy.digest(objects)
        try:
            copy.write(m.path, change(text, m))
            if not copy.compile(*objects):
                return "no object", ""
            if copy.digest(objects) == before:
                return "same object", ""
            if not copy.compile():
                return "killed", "the build"
            by = self.kill(copy, room)
        finally:
            copy.write(m.path, text)
        return ("killed", by) if by else ("survived", "")

    def sure(self, copy, by):
        """Does what killed a mutant pass without one?"""
        if by in self.sound or by == "the build":
            return True
        if not copy.compile():
            raise Trouble("the copy does not build any more")
        if copy.random_programs() if by == "random programs" else copy.test([by], 10 * SECONDS) is None:
            self.sound.add(by)
            return True
        if by == "random programs":
            raise Trouble("random programs fail without a fault")
        self.say(f"{by} fails without a fault, so it does not count")
        self.faulty.add(by)
        return False

    def one(self, copy, room):
        """Judges mutants of a room until one counts."""
        while True:
            with self.lock:
                if not self.mutants[room]:
                    return
                m = self.mutants[room].pop()
            start = time.monotonic()
            with open(os.path.join(copy.source, m.path), encoding="utf-8") as f:
                row = Results.row(room, m, f.read())
            if not self.args.again and Results.key(row) in self.results.rows:
                continue
            while True:
                row["result"], row["by"] = self.judge(copy, m, room)
                if row["result"] != "killed" or self.sure(copy, row["by"]):
                    break
            if row["result"] in ("killed", "survived"):
                with self.lock:
                    self.results.add(row)
                self.say(f"{row['result']:<9} {describe(m)} [{row['by']}{', ' if row['by'] else ''}{time.monotonic() - start:.0f} s]")
                return

    def worker(self, copy):
        try:
            while True:
                self.one(copy, self.work.get_nowait())
        except queue.Empty:
            pass
        except Trouble as e:
            self.troubles.append(e)

    def draw(self, copy, rooms):
        """Fills self.mutants and self.work."""
        wanted = {}
        for room in rooms:
            files = sorted(glob.glob(os.path.join(copy.source, room, "**", "*.c"), recursive=True))
            found = []
            for path in (os.path.relpath(p, copy.source) for p in files):
                if room_of(path) == room:
                    with open(os.path.join(copy.source, path), encoding="utf-8") as f:
                        text = f.read()
                    found += [(Results.key(Results.row(room, m, text)), m) for m in mutants_of(path, text)] if self.args.again else [(None, m) for m in mutants_of(path, text)]
            known = [row for row in self.results.rows.values() if row["room"] == room]
            if self.args.again:
                why = explained()
                lived = {Results.key(row) for row in known if row["result"] == "survived" and (row["path"], row["text"], row["old"], row["new"]) not in why}
                found = [(key, m) for key, m in found if key in lived]
            self.random.shuffle(found)
            self.mutants[room] = [m for _, m in found]
            wanted[room] = len(found) if self.args.again else self.args.each - len(known)
        for i in range(max(wanted.values(), default=0)):
            for room in rooms:
                if wanted[room] > i:
                    self.work.put(room)

    def run(self):
        Watch().start()
        copies = [Copy(os.path.join(self.args.work, str(i)), self.args.jobs) for i in range(self.args.jobs)]
        try:
            for copy in copies:
                copy.make()
            self.tests = copies[0].tests()
            self.read_times()
            self.draw(copies[0], self.args.rooms.split(","))
            threads = [threading.Thread(target=self.worker, args=(copy,), daemon=True) for copy in copies]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        except Trouble as e:
            self.troubles.append(e)
        for e in self.troubles:
            print(f"mutate: error: {e}")
        return 1 if self.results.summary() or self.troubles else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", nargs="+", metavar="FILE")
    parser.add_argument("--explained", action="store_true", help="check equivalent.txt and faults.txt")
    parser.add_argument("--faults", nargs="?", const="", metavar="WORDS")
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--each", type=int, default=6, metavar="N", help="how many mutants of each room there shall be (6)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", default=os.path.join(os.environ.get("TMPDIR", "/tmp"), "svmc-mutate"))
    parser.add_argument("--results", default=os.path.join(ROOT, HERE, "results.csv"))
    parser.add_argument("--summary", action="store_true", help="print what is known, and change nothing")
    parser.add_argument("--again", action="store_true", help="only what survived before")
    parser.add_argument("--own", action="store_true", help="only the room's own tests, of its first folder: quick, and stricter")
    parser.add_argument("--suite", action="store_true", help="the whole suite: all other tests too")
    parser.add_argument("--tests", metavar="TEST,..", help="only these tests, as 'run/x.str'")
    parser.add_argument("--most", type=float, default=1e9, metavar="SECONDS", help="leave out tests that take longer, those of other rooms if a fifth as long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.list:
        for path in args.list:
            with open(path, encoding="utf-8") as f:
                for m in mutants_of(os.path.basename(path), f.read()):
                    print(describe(m))
        return 0
    if args.explained:
        return check_explained() | check_faults()
    if args.faults is not None:
        args.work = os.path.abspath(args.work)
        try:
            return seed_faults(args)
        except Trouble as e:
            sys.exit(f"mutate: error: {e}")
    if args.summary:
        return 1 if Results(args.results).summary() else 0
    args.work = os.path.abspath(args.work)
    if os.path.commonpath([args.work, ROOT]) == ROOT:
        sys.exit("mutate: error: --work must lie outside of the tree")
    unknown = [r for r in args.rooms.split(",") if r not in ROOMS]
    if unknown:
        sys.exit(f"mutate: error: unknown room '{unknown[0]}'; there are {', '.join(ROOMS)}")
    return Run(args).run()


if __name__ == "__main__":
    sys.exit(main())
