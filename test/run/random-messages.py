#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with messages: the interpreter and compiled programs must agree byte for byte.

    random-messages.py --svmc=PATH [--count=N] [--seed=N] [--keep=FOLDER]

Programs are chains, splitjoins and feedback loops of filters some of which send messages to others, upstream, downstream
or beside, with latencies of all kinds; sometimes with a filter of dynamic rates, when actors are compared one by one. Those
that are an error for the interpreter when it begins are skipped; what it finds while it runs compiled programs must find.
Each runs at one level, for a number of steady states or until its input ends. A program that differs is printed, and kept
in FOLDER if that is given.
"""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

LEVELS = ["-O0", "-O2", "-O3", "-O2 --strip=1", "-O2 --strip=3", "-O1 --strip=50"]
SECONDS = 60

# Rates and work of filters: {v} is an int that the filter's state has a part in.
EVEN = [
    ("pop 1 push 1", "push(pop() + {v});"),
    ("pop 1 push 1 peek 3", "push(peek(0) + peek(2) * {v}); pop();"),
    ("pop 2 push 2", "int a = pop(); push(pop() - {v}); push(a);"),
    ("pop 3 push 3 peek 4", "push(peek(3)); push(pop() + {v}); push(pop()); pop();"),
]
UNEVEN = [
    ("pop 2 push 1", "push(pop() + pop() * {v});"),
    ("pop 1 push 2", "int a = pop(); push(a); push(a + {v});"),
    ("pop 3 push 2 peek 5", "push(peek(4)); push(peek(0) - {v}); pop(); pop(); pop();"),
    ("pop 2 push 3", "int a = pop(); push(a); push(pop()); push({v});"),
    ("pop 1 push 4", "int a = pop(); push(a); push({v}); push(a); push(a);"),
]
PREWORKS = ["", "", "", "prework push 2 { push(0); push(n); }", "prework pop 1 push 1 peek 2 { push(peek(1)); pop(); }",
            "prework pop 3 push 1 { push(pop()); pop(); pop(); }"]
LATENCIES = ["", "", "[0:0]", "[1:1]", "[2:2]", "[0:5]", "[7:7]", "[40:40]", "[*]", "[-1:-1]", "[-2:3]", "[n % 3:n % 4]", "[:3]"]
DYNAMIC = [
    "work pop 1 push [0,2] { int v = pop(); n++; if (n % 3 != 0) push(v); if (n % 4 == 1) push(v + 7); }",
    "work pop * push 1 { int v = pop(); int k = abs(v) % 3; int s = v; for (int i = 0; i < k; i++) s += pop(); push(s); }",
]


class Generator:
    def __init__(self, seed):
        self.random, self.declarations, self.count, self.portals, self.dynamic = random.Random(seed), [], 0, [], False
        # Receivers and the portals that reach them are known before any sender is.
        self.kinds = [f"R{i}" for i in range(self.random.randrange(1, 4))]

    def pick(self, choices):
        return self.random.choice(choices)

    def body(self, uneven):
        rates, work = self.pick(UNEVEN if uneven else EVEN)
        return rates, work.replace("{v}", self.pick(["g", "g % 7", "(g + n)"]))

    def handlers(self, send):
        prints = 'print("h"); println(v);' if self.random.random() < 0.15 else ""
        return (f"handler set(int v) {{ g = (g * 3 + v) % 1009; {prints} {send} }} "
                "handler all(int[3] a, float f) { for (int i = 0; i < 3; i++) g = (g * 5 + a[i]) % 1013; a[0] = 9; g += (int)f; }")

    def send(self, portal):
        return self.pick([f"{portal}.set(n){self.pick(LATENCIES)};", f"{{ int[3] a = {{n, g, 3}}; {portal}.all(a, n * 0.5){self.pick(LATENCIES)}; }}"])

    def sending(self, portal, body):
        """Fields, functions and work of a filter that sends."""
        every = self.pick([1, 2, 5, 7, 20])
        rates, work = body
        send, function = self.send(portal), ""
        if self.random.random() < 0.2:
            function, send = f"void tell() {{ {send} }}", "tell();"
        prework = ""
        if self.random.random() < 0.15:
            prework = f"prework pop 1 push 1 {{ {portal}.set(77){self.pick(LATENCIES)}; push(pop()); }}"
        when = f"n++; if (n % {every} == {self.random.randrange(every)}) {send}"
        order = f"{when} {work}" if self.random.random() < 0.5 else f"{work} {when}"
        return f"{function} {prework} work {rates} {{ {order} }}"

    def print(self):
        return "println(n + g);" if self.random.random() < 0.1 else ""

    def child(self, depth, uneven=True):
        """The text behind 'add'."""
        r = self.random.random()
        body = self.body(uneven and self.random.random() < 0.4)
        if depth > 0 and r < 0.2:
            return self.splitjoin(depth - 1)
        if depth > 0 and r < 0.28:
            return self.loop()
        if r < 0.5:
            kind = self.pick(self.kinds)
            return f"{kind}({', '.join('p' + k for k in self.kinds)}) to p{kind}"
        if r < 0.75:
            kind = self.pick(self.kinds)
            self.count += 1
            self.declarations.append(f"int->int filter S{self.count}(portal<{kind}> p) {{ int n; int g = {self.count}; {self.sending('p', body)} }}")
            return f"S{self.count}(p{kind})"
        self.count += 1
        if uneven and r > 0.97:
            self.dynamic = True
            self.declarations.append(f"int->int filter N{self.count} {{ int n; {self.pick(DYNAMIC)} }}")
            return f"N{self.count}"
        prework = self.pick(PREWORKS) if self.random.random() < 0.5 else ""
        self.declarations.append(f"int->int filter N{self.count} {{ int n; int g; {prework} work {body[0]} {{ n++; {self.print()} {body[1]} }} }}")
        return f"N{self.count}"

    def add(self, child):
        name, _, to = child.partition(" to ")
        return f"add {name}{' to ' + to if to else ''};"

    def receivers(self):
        """The filters that messages go to: their rates are even, so that they may stand anywhere."""
        parameters = ", ".join(f"portal<{k}> p{k}" for k in self.kinds)
        for i, kind in enumerate(self.kinds):
            rates, work = self.body(False)
            relays = i > 0 and self.random.random() < 0.4
            to = f"p{self.kinds[i - 1]}"
            sends = self.pick(["", f"if (v % 3 == 0) {to}.set(v + n){self.pick(LATENCIES)};"]) if relays else ""
            prework = self.pick(PREWORKS) if self.random.random() < 0.3 else ""
            work = f"{prework} work {rates} {{ n++; {self.print()} {work} }}"
            self.declarations.append(f"int->int filter {kind}({parameters}) {{ int n; int g = 1; {work} {self.handlers(sends)} }}")

    def chain(self, depth, uneven=True):
        return " ".join(self.add(self.child(depth, uneven)) for _ in range(self.random.randrange(1, 5)))

    def wrap(self, kind, body):
        self.count += 1
        parameters = ", ".join(f"portal<{k}> p{k}" for k in self.kinds)
        self.declarations.append(f"int->int {kind} C{self.count}({parameters}) {{ {body} }}")
        return f"C{self.count}({', '.join('p' + k for k in self.kinds)})"

    def splitjoin(self, depth):
        children = [self.wrap("pipeline", self.chain(depth, False)) for _ in range(self.random.randrange(2, 4))]
        weights = ",".join([str(self.pick([1, 1, 2]))] * len(children))
        split = "duplicate" if self.random.random() < 0.5 else f"roundrobin({weights})"
        return self.wrap("splitjoin", f"split {split}; {' '.join(f'add {c};' for c in children)} join roundrobin({weights});")

    def loop(self):
        back = self.pick(["loop Identity<int>;", "loop " + self.add(self.child(0, False))[4:]])
        self.count += 1
        self.declarations.append(f"int->int filter B{self.count} {{ work pop 2 push 2 {{ int a = pop(); int b = pop(); push((a + b) % 997); push(a); }} }}")
        first = f"add B{self.count};"
        if self.random.random() < 0.5:
            first += " " + self.add(self.child(0, False))
        body = self.wrap("pipeline", first)
        items = " ".join(f"enqueue {self.random.randrange(9)};" for _ in range(self.random.randrange(4, 14)))
        return self.wrap("feedbackloop", f"join roundrobin(1,1); body {body}; {back} split roundrobin(1,1); {items}")

    def program(self):
        """The text, its options, and what it reads."""
        self.receivers()
        chain, count = self.chain(2), self.pick([0, 1, 2, 7, 30, 300, 2000])
        portals = " ".join(f"portal<{k}> p{k};" for k in self.kinds)
        if self.random.random() < 0.5:
            self.declarations.append("void->int filter Source { int n; int g; work push 1 { push(n); n = (n * 7 + 3) % 101; } }")
            self.declarations.append("int->void filter Sink { work pop 1 { println(pop()); } }")
            self.declarations.append(f"void->void pipeline Main {{ {portals} add Source; {chain} add Sink; }}")
            return "\n".join(self.declarations) + "\n", ["-i", str(count)], b""
        self.declarations.append(f"int->int pipeline Main {{ {portals} {chain} }}")
        items = self.pick([0, 1, 2, 5, 40, 700, 3000])
        data = b"".join(struct.pack("<i", self.random.randrange(-5, 30)) for _ in range(items))
        options = [] if self.random.random() < 0.7 else ["-i", str(count)]
        return "\n".join(self.declarations) + "\n", options + ["--out=out"], data


def execute(command, folder, data=b""):
    try:
        return subprocess.run(command, cwd=folder, input=data, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None


def results(run, folder, tagged):
    """What was printed, by each actor where it is tagged, and what was written."""
    path, printed = os.path.join(folder, "out"), run.stdout
    if tagged:
        printed = {}
        for line in run.stdout.splitlines():
            actor, _, text = line.partition(b": ")
            printed.setdefault(actor, []).append(text)
    written = open(path, "rb").read() if os.path.exists(path) else b""
    if os.path.exists(path):
        os.remove(path)
    return printed, written


def first_error(run):
    """Its text, without the column."""
    lines = [line for line in run.stderr.decode(errors="replace").splitlines() if "error: " in line]
    return re.sub(r"^(.*?:\d+):\d+:", r"\1:", lines[0]) if lines else ""


def check(svmc, seed, folder):
    """None: the program is not one to compare; else what is wrong, or ''."""
    generator = Generator(seed)
    text, options, data = generator.program()
    if ".set(" not in text.replace("handler", "") and ".all(" not in text:
        return None
    if generator.dynamic:
        options.append("--tag-prints")
    with open(os.path.join(folder, "program.str"), "w", encoding="utf-8") as f:
        f.write(text)
    wanted = execute([svmc, "--interpret", *options, "program.str"], folder, data)
    if wanted is None:
        return None
    if wanted.returncode != 0 and not re.search(rb"error: (deadlock: '|missed message)", wanted.stderr):
        return None
    wanted_results = results(wanted, folder, generator.dynamic)
    level = LEVELS[seed % len(LEVELS)]
    built = execute([svmc, *level.split(), "program.str", "-o", "program"], folder)
    if built is None or built.returncode != 0:
        return f"{level}: " + (built.stderr.decode(errors="replace") if built else "compiling it takes too long")
    got = execute(["./program", *options], folder, data)
    if got is None:
        return f"{level} {' '.join(options)}: still running after {SECONDS} s"
    same = got.returncode == 0 and results(got, folder, generator.dynamic) == wanted_results
    if got.returncode != wanted.returncode or not (same or (wanted.returncode != 0 and first_error(got) == first_error(wanted))):
        return (f"{level} {' '.join(options)}: exit code {got.returncode}, interpreted {wanted.returncode}; "
                f"{got.stderr.decode(errors='replace')}; interpreted: {wanted.stderr.decode(errors='replace')}")
    return ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    args = parser.parse_args()
    compared, failed, seed = 0, 0, args.seed
    while compared < args.count:
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(os.path.abspath(args.svmc), seed, folder)
            compared += wrong is not None
            if wrong:
                failed += 1
                print(f"FAILED: seed {seed}: {wrong}\n{open(os.path.join(folder, 'program.str'), encoding='utf-8').read()}")
                if args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    shutil.copy(os.path.join(folder, "program.str"), os.path.join(args.keep, f"{seed}.str"))
        seed += 1
    print(f"{compared} programs compared, {failed} differ")
    sys.exit(failed > 0)


main()
