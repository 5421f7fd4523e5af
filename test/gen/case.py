# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program to compare: its text, how its comments say it is run, and what a run of it gave."""
import os
import re
import shlex
import struct
import subprocess
import tempfile

RUN_SECONDS = 20


class Failure(Exception):
    """kind: what is wrong, in a word; how: the way it was compiled; detail: for the reader."""

    def __init__(self, kind, how, detail):
        super().__init__(f"{kind}: {how}: {detail}")
        self.kind, self.how, self.detail = kind, how, detail

    def __reduce__(self):  # it travels between processes
        return Failure, (self.kind, self.how, self.detail)

    def signature(self):
        """What a smaller program must show to be the same failure."""
        first = next((l for l in self.detail.splitlines() if "error:" in l or "warning:" in l), "")
        first = re.sub(r"'[^']*'|\d+|\b\w+_\w+\b", "#", re.sub(r"^.*?(error|warning):", r"\1:", first))
        return self.kind, re.sub(r" (-i|--in|--cut|--adversary).*", "", self.how), first


class Rejected(Exception):
    """The program is not one to compare."""


def adversaries(text, base=0):
    """Values of --adversary for a program: text says how many seeds, and whether new memory stays zeroed (3, 3,zeroes); base tells the
    programs' seeds apart."""
    count, comma, more = text.partition(",")
    return [f"{base * int(count) + n}{comma}{more}" for n in range(1, int(count) + 1)]


def pack(kind, text):
    words = text.split()
    if kind == "hex":
        return bytes(int(w, 16) for w in words)
    if kind == "text":
        return text.encode().decode("unicode_escape").encode("latin-1")
    if kind == "bit":
        bits = "".join(words) + "0" * (-len(words) % 8)
        return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    form = {"int": "<i", "float": "<f", "double": "<d", "complex": "<f"}[kind]
    return b"".join(struct.pack(form, int(w) if kind == "int" else float(w)) for w in words)


class Case:
    """A program's text, and how to run it, from its comments (those of test/run/run-all.py, and the sizes of files' items)."""

    def __init__(self, text):
        self.text, self.options, self.files, self.sizes = text, [], {}, {}
        for line in text.splitlines():
            m = re.match(r"// (RUN: %run-all %s|FILE (\S+) (\w+):|IN (\w+):|SIZES) ?(.*)$", line)
            if not m:
                continue
            if line.startswith("// RUN"):
                self.options = shlex.split(m.group(5))
            elif line.startswith("// SIZES"):
                self.sizes = {name: int(size) for name, size in (word.split("=") for word in m.group(5).split())}
            elif line.startswith("// FILE"):
                self.files[m.group(2)] = pack(m.group(3), m.group(5))
            else:
                self.files["in.bin"] = self.files.get("in.bin", b"") + pack(m.group(4), m.group(5))
        # What elaboration reads is there when it compiles.
        self.tables = {n: d for n, d in self.files.items() if n.endswith(".txt")}
        if "in.bin" in self.files:
            self.options.append("--in=in.bin")
        if re.search(r"^\S+->(?!void)\S+ (pipeline|splitjoin|feedbackloop) Main_\d+ \{", text, re.M):
            self.options.append("--out=out.bin")
        self.tagged = "--tag-prints" in self.options
        # What came out before an error is the same in all runs, but where texts come region by region.
        self.exact = not self.tagged and not re.search(r"^\s*handler ", text, re.M)
        self.checks = ["-fcheck-bounds", "-fcheck-rates"] if re.search(r"^// CHECKED$", text, re.M) else []

    def runs(self, rng, more):
        """Ways to run it: as it says, and some with another number of steady states or less input."""
        runs = [Run("", self.options, self.files)]
        for _ in range(more):
            files, options, how = dict(self.files), list(self.options), ""
            names = [n for n in self.sizes if len(files.get(n, b"")) > self.sizes[n]]
            if "-i" in options and (not names or rng.random() < 0.4):
                at = options.index("-i") + 1
                old = int(options[at])
                options[at] = str(rng.choice([n for n in (0, 1, 2, old - 1, old // 2, old + 1, 2 * old + 1) if n >= 0 and n != old]))
                how = f" -i {options[at]}"
            elif names:
                name = rng.choice(names)
                count = len(files[name]) // self.sizes[name]
                left = rng.choice([0 if "--loop-input" not in options else 1, 1, rng.randrange(1, count), count - 1])
                files[name] = files[name][:left * self.sizes[name]]
                how = f" --cut={name}:{len(files[name])}"
            if how and all(how != r.how for r in runs):
                runs.append(Run(how, options, files))
        return runs


    def long_run(self, items):
        """A run whose input comes again and again, so many items of each file; None where it reads none, or is looped anyway."""
        counts = [len(self.files[name]) // size for name, size in self.sizes.items()]
        if not items or not counts or min(counts) == 0 or "--loop-input" in self.options:
            return None
        times = -(-items // min(counts))
        options = list(self.options)
        if "-i" in options:
            at = options.index("-i") + 1
            options[at] = str(int(options[at]) * times)
        files = {name: self.again(name, data, items) if name in self.sizes else data for name, data in self.files.items()}
        return Run(f" --long={items}", options, files, 6 * RUN_SECONDS)

    def again(self, name, data, items):
        whole = data[:len(data) // self.sizes[name] * self.sizes[name]]
        return (whole * (items * self.sizes[name] // len(whole) + 1))[:items * self.sizes[name]]


def bake(text, how):
    """The program's text with what tells one of its runs from the others."""
    how = re.sub(r" (--adversary=\S+|SVM_WORKERS=\d+)$", "", how)
    m = re.search(r" --long=(\d+)$", how)
    if m:
        run = Case(text).long_run(int(m.group(1)))
        if "-i" in run.options:
            text = bake(text, f" -i {run.options[run.options.index('-i') + 1]}")
        for name in Case(text).sizes:
            text = with_input(text, name, run.files[name])
        return text
    m = re.search(r" -i (\d+)$", how)
    if m:
        return re.sub(r"^(// RUN.* -i )\d+", rf"\g<1>{m.group(1)}", text, count=1, flags=re.M)
    m = re.search(r" --cut=(\S+):(\d+)$", how)
    if not m:
        return text
    name, size = m.group(1), int(m.group(2))
    return with_input(text, name, Case(text).files[name][:size])


def with_input(text, name, data):
    """The program's text with other bytes in a file that it reads."""
    head = "// IN" if name == "in.bin" else f"// FILE {name}"
    return re.sub(rf"^{re.escape(head)} \w+:.*$", f"{head} hex: {data.hex(' ')}", text, count=1, flags=re.M)


class Run:
    """One way to run a program. how: what tells it from the others, for messages."""

    def __init__(self, how, options, files, seconds=RUN_SECONDS, variables=None):
        self.how, self.options, self.files, self.seconds, self.variables = how, options, files, seconds, variables

    def under(self, seed):
        """The same run of a compiled program under the adversary (docs/adversary.md)."""
        return Run(f"{self.how} --adversary={seed}", [*self.options, f"--adversary={seed}"], self.files, self.seconds)

    def with_workers(self, count):
        """The same run of a compiled program with threads from the beginning."""
        return Run(f"{self.how} SVM_WORKERS={count}", self.options, self.files, self.seconds, {"SVM_WORKERS": str(count)})

    def execute(self, command, folder, how, tagged=True, seconds=None):
        """The result of a command with the run's options, in a fresh folder with its files."""
        options = [o for o in self.options if tagged or o != "--tag-prints"]
        with tempfile.TemporaryDirectory(dir=folder) as place:
            for name, data in self.files.items():
                with open(os.path.join(place, name), "wb") as f:
                    f.write(data)
            try:
                status, out, err = execute(command + options, place, seconds or self.seconds, self.variables)
            except Failure as f:
                raise Failure(f.kind, how + self.how, f.detail) from f
            files = {}
            for name in os.listdir(place):
                with open(os.path.join(place, name), "rb") as f:
                    data = f.read()
                if name not in self.files or data != self.files[name]:
                    files[name] = data
        if status < 0 or status > 1:
            raise Failure("crash", how + self.how, f"exit status {status}\n{err[-3000:]}")
        return Result(status, out, err, files, tagged and "--tag-prints" in self.options)


def execute(command, folder, seconds, variables=None):
    environment = {**os.environ, **variables} if variables else None
    try:
        r = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, env=environment)
    except subprocess.TimeoutExpired as e:
        raise Failure("hang", os.path.basename(command[0]), shlex.join(command)) from e
    return r.returncode, r.stdout.decode("latin-1"), r.stderr.decode(errors="replace")


def is_nan(data, at, size):
    at -= at % size
    word = data[at:at + size]
    if len(word) != size:
        return False
    value = struct.unpack("<f" if size == 4 else "<d", word)[0]
    return value != value


def same_items(a, b):
    """Byte for byte, but for the sign and payload of a nan; what the items are is not known here."""
    if a == b or len(a) != len(b):
        return a == b
    return all(x == y or any(is_nan(a, i, n) and is_nan(b, i, n) for n in (4, 8)) for i, (x, y) in enumerate(zip(a, b)))


def by_actor(text):
    """What each actor printed, of a run with --tag-prints; under "" what stands before the first name: a line that was not ended while the graph was built."""
    actors = {}
    lines = text.split("\n")
    names = {line.partition(": ")[0] for line in lines[1:]}
    for number, line in enumerate(lines):
        actor, _, rest = line.partition(": ")
        if number == 0 and actor not in names:
            identifier = re.search(r"[A-Za-z_]\w*$", actor)
            name = max((n for n in names if n and actor.endswith(n)), key=len, default=identifier.group() if identifier else actor)
            actors[""] = actor[:len(actor) - len(name)]
            actor = name
        actors[actor] = actors.get(actor, "") + rest + "\n"
    return actors


def first_difference(a, b):
    x, y = a.split("\n"), b.split("\n")
    for i in range(max(len(x), len(y))):
        if x[i:i + 1] != y[i:i + 1]:
            return f"line {i + 1}: got {y[i:i + 1]}, expected {x[i:i + 1]} ({len(y)} lines, expected {len(x)})"
    return ""


class Result:
    def __init__(self, status, out, err, files, tagged=False):
        self.status, self.out, self.err, self.files, self.tagged = status, out, err, files, tagged

    def difference(self, other, exact=True):
        """How another run differs from this one; None where it does not. exact: also where it stops with an error."""
        if (self.status != 0) != (other.status != 0):
            return f"exit status {other.status}, expected {self.status}\n{other.err}{self.err}"
        if self.status != 0 and not exact:
            return None
        if self.out != other.out:
            difference = self.text_difference(other)
            if difference:
                return "standard output\n" + difference
        for name in sorted(set(self.files) | set(other.files)):
            a, b = self.files.get(name), other.files.get(name)
            if a is None or b is None:
                return f"file '{name}' is {'not ' if b is None else ''}written"
            if not same_items(a, b):
                at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                return f"file '{name}': {len(b)} bytes, expected {len(a)}; first difference at byte {at}: {b[at:at + 8].hex()}, expected {a[at:at + 8].hex()}"
        return None

    def text_difference(self, other):
        if not self.tagged:
            return first_difference(self.out, other.out)
        a, b = by_actor(self.out), by_actor(other.out)
        for actor in sorted(set(a) | set(b)):
            if a.get(actor) != b.get(actor):
                return f"'{actor}': " + first_difference(a.get(actor, ""), b.get(actor, ""))
        return None
