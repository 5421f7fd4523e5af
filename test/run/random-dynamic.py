#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with dynamic rates: the interpreter and compiled programs must agree, actor by actor.

    random-dynamic.py --svmc=PATH [--count=N] [--seed=N] [--keep=FOLDER] [--bits]

Programs are chains of static filters, filters with dynamic rates, splitjoins and feedback loops of both, between a source
and a sink or between standard input and output. Those that are an error for the interpreter are skipped, but for
deadlocks, which must be deadlocks in compiled programs too. Each runs at one level, for a number of steady
states or until its input ends. A program that differs is printed, and kept in FOLDER if that is given.
--bits: mostly of filters that take bits.
"""
import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

LEVELS = ["-O0", "-O2", "-O3", "-O2 --strip=1", "-O2 --strip=3"]
SECONDS = 60

SOURCES = ["work push 1 { push(n); n = (n * 7 + 3) % 101; }", "work push [1,3] { push(n); n = (n + 1) % 50; if (n % 3 == 0) push(n); }"]
SINKS = ["work pop 1 { println(pop()); }", "work pop [1,2] { n++; if (n % 2 == 0) println(pop() + pop()); else println(pop()); }"]
STATIC = [  # an item for an item
    "work pop 1 push 1 { push(pop() + 3); }",
    "work pop 1 push 1 peek 3 { push(peek(0) + peek(2)); pop(); }",
    "prework push 2 { push(0); push(1); } work pop 1 push 1 { push(pop()); }",
    "prework pop 1 push 1 peek 2 { push(peek(1)); pop(); } work pop 1 push 1 { push(pop() - 1); }",
    "work pop 1 push 1 { int v = pop(); n = (n + v) % 1000; println(v); push(n); }",
    "work pop 1 push 1 { int v = pop(); n++; if (n % 3 == 0) { print(v); print(\" \"); } push(v); }",
]
UNEVEN = [
    "work pop 2 push 1 { push(pop() + pop()); }",
    "work pop 1 push 2 { int v = pop(); push(v); push(v + 1); }",
    "work pop 3 push 2 peek 5 { push(peek(4)); push(peek(0)); pop(); pop(); pop(); }",
]
DYNAMIC = [
    "work pop 1 push [0,2] { int v = pop(); if (v % 3 != 0) push(v); if (v % 4 == 1) push(v + 7); }",
    "work pop * push 1 { int v = pop(); int k = (v & 63) % 3; int s = v; for (int i = 0; i < k; i++) s += pop(); push(s); }",
    "work pop [0,2] push [0,1] { int c = n % 3; n++; int s = 0; for (int i = 0; i < c; i++) s += pop(); if (c != 1) push(s + n); }",
    "prework push [1,3] { push(1); push(2); } work pop 1 push 1 { push(pop() + n); n = (n + 1) % 5; }",
    "work pop * push * { int v = pop(); int k = 1; while (k < 5 && peek(0) == v) { pop(); k++; } push(v); push(k); }",
    "work pop 2 push * { int a = pop(); int b = (pop() & 63) % 4; for (int i = 0; i < b; i++) push(a + i); }",
    "int take(int c) pop * { int s = 0; for (int i = 0; i < c; i++) s += pop(); return s; } work pop [1,4] push 1 { n = (n + 1) % 4; push(take(n + 1)); }",
    "work pop [1,2] push 1 peek [2,*] { int v = pop(); println(v); n++; push(v + peek((v & 63) % 3)); }",
    "work pop * push * { int v = pop(); print(\"got \"); println(v); push(v); if (n % 2 == 0) push(pop()); n++; }",
]
BITS = [
    "work pop 1 push 3 { int v = pop(); for (int i = 0; i < 3; i++) push((bit)((v >> i) & 1)); }",
    "work pop 1 push [0,9] { int v = pop(); int k = (v & 63) % 10; for (int i = 0; i < k; i++) push((bit)((v >> (i & 3)) & 1)); }",
]
DECODERS = [  # of bits, beside random trees and sums
    "work pop [1,4] push 1 { int c = 0; int k = 0; while (k < 4) { c = c * 2 + pop(); k++; if (c == 1 || c == 6) break; } push(c + 16 * k); }",
    "work pop * push 1 { int k = 0; bit b = 0; while (k < 9 && b == 0) { b = pop(); k++; } push(k); }",
    "work pop * push [0,7] { int k = 1 + 2 * pop(); k += pop(); int s = 0; for (int i = 0; i < k; i++) { s = 2 * s + pop(); if (i % 2 == 1) push(s); } push(-s); }",
    "int[2] last; work pop 1 push [0,2] { int b = pop(); if (b != last[1]) { push(last[0]); if (b == 1) push(300); } last[0] = (last[0] + 1) % 3; last[1] = b; }",
    "work pop [3,6] push [1,2] { int s = pop() + pop() + pop(); push(s); if (s == 2) push(100000 + pop()); }",
    "work pop [2,3] push 1 { int b = pop(); push(b); }",
    "work pop [2,3] push 1 { int b = pop() * 2 + pop(); if (b == 3) b += pop(); push(b); }",
    "work pop * push * { int s = 0; while (n < 40 + pop()) n++; push(n); n = 0; }",
]
BODIES = [  # of feedback loops: two items for two
    "work pop * push * { int a = pop(); int b = pop(); push((a + b) % 997); push(a); }",
    "work pop 2 push 2 { int a = pop(); int b = pop(); push((a + b) % 997); push(a); }",
]


class Generator:
    def __init__(self, seed, with_bits):
        self.random, self.declarations, self.count, self.with_bits = random.Random(seed), [], 0, with_bits

    def declare(self, kind, types, body):
        self.count += 1
        name = f"N{self.count}"
        self.declarations.append(f"{types} {kind} {name} {{ {body} }}")
        return name

    def filter(self, bodies, types="int->int"):
        return self.declare("filter", types, "int n; " + self.random.choice(bodies))

    def tree(self, depth):
        if depth == 0 or self.random.random() < 0.2:
            return "".join(f"push({self.random.randrange(-3, 60)}); " for _ in range(self.random.choice([0, 1, 1, 2])))
        return f"if (pop() == 1) {{ {self.tree(depth - 1)} }} else {{ {self.tree(depth - 1)} }} "

    def decoder(self):
        """What takes bits and gives ints, mostly as a machine of few states."""
        r = self.random.random()
        if r < 0.3:
            return f"work pop * push * {{ n = pop(); {self.tree(self.random.randrange(1, 6))} }}"
        if r < 0.5:
            a, b, c, m = (self.random.randrange(1, 12) for _ in range(4))
            return f"work pop 1 push [0,3] {{ n = (n * {a} + {b} * pop() + {c}) % {m}; for (int i = {m // 2}; i < n && i < {m // 2 + 3}; i++) push(n + i); }}"
        return self.random.choice(DECODERS)

    def bits(self):
        children = [self.filter(BITS, "int->bit"), self.filter([self.decoder()], "bit->int")]
        if self.random.random() < 0.3:
            children[1:1] = [self.filter(["work pop [1,3] push [0,3] { bit b = pop(); push(b); if (b == 1) { push(pop()); if (n == 2) push(pop()); } n = (n + 1) % 4; }"], "bit->bit")]
        return self.declare("pipeline", "int->int", " ".join(f"add {c};" for c in children))

    def child(self, depth):
        r = self.random.random()
        if self.random.random() < (0.7 if self.with_bits else 0.15):
            return self.bits()
        if depth > 0 and r < 0.22:
            return self.splitjoin(depth - 1)
        if depth > 0 and r < 0.32:
            return self.loop()
        return self.filter(STATIC if r < 0.6 else UNEVEN if r < 0.7 else DYNAMIC)

    def chain(self, depth):
        return " ".join(f"add {self.child(depth)};" for _ in range(self.random.randrange(1, 5)))

    def splitjoin(self, depth):
        children = []
        for _ in range(self.random.randrange(2, 4)):
            r = self.random.random()
            children.append(self.declare("pipeline", "int->int", self.chain(depth)) if r > 0.75 else self.filter(STATIC if r < 0.4 else DYNAMIC))
        weight = self.random.choice([1, 1, 1, 2])
        weights = ",".join([str(weight)] * len(children))
        split = "duplicate" if self.random.random() < 0.5 else f"roundrobin({weights})"
        return self.declare("splitjoin", "int->int", f"split {split}; {' '.join(f'add {c};' for c in children)} join roundrobin({weights});")

    def loop(self):
        body, back = self.filter(BODIES), self.random.choice(["Identity<int>", self.filter(DYNAMIC), self.filter(STATIC)])
        items = " ".join(f"enqueue {self.random.randrange(9)};" for _ in range(self.random.randrange(1, 6)))
        return self.declare("feedbackloop", "int->int", f"join roundrobin(1,1); body {body}; loop {back}; split roundrobin(1,1); {items}")

    def program(self):
        """The text, its options, and what it reads."""
        chain, count = self.chain(2), self.random.choice([0, 1, 2, 7, 30, 300, 3000])
        if self.random.random() < 0.6:
            source, sink = self.filter(SOURCES, "void->int"), self.filter(SINKS, "int->void")
            self.declarations.append(f"void->void pipeline Main {{ add {source}; {chain} add {sink}; }}")
            return "\n".join(self.declarations) + "\n", ["-i", str(count)], b""
        self.declarations.append(f"int->int pipeline Main {{ {chain} }}")
        items = self.random.choice([0, 1, 2, 5, 40, 700, 5000])
        data = b"".join(struct.pack("<i", self.random.randrange(-5, 30)) for _ in range(items))
        options = [] if self.random.random() < 0.7 else ["-i", str(count)]
        return "\n".join(self.declarations) + "\n", options + ["--out=out"], data


def execute(command, folder, data=b""):
    try:
        return subprocess.run(command, cwd=folder, input=data, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None


def results(run, folder):
    """What each actor printed, and what was written."""
    actors, path = {}, os.path.join(folder, "out")
    for line in run.stdout.splitlines():
        actor, _, text = line.partition(b": ")
        actors.setdefault(actor, []).append(text)
    written = open(path, "rb").read() if os.path.exists(path) else b""
    if os.path.exists(path):
        os.remove(path)
    return actors, written


def check(svmc, seed, folder, with_bits):
    """None: the program is not one to compare; else what is wrong, or ''."""
    text, options, data = Generator(seed, with_bits).program()
    if not any(body in text for body in DYNAMIC + BITS[1:] + DECODERS + BODIES[:1] + SOURCES[1:] + SINKS[1:]):
        return None
    options.append("--tag-prints")
    with open(os.path.join(folder, "program.str"), "w", encoding="utf-8") as f:
        f.write(text)
    wanted = execute([svmc, "--interpret", *options, "program.str"], folder, data)
    if wanted is None or (wanted.returncode != 0 and b"deadlock: '" not in wanted.stderr):
        return None
    wanted_results = results(wanted, folder)
    level = LEVELS[seed % len(LEVELS)]
    built = execute([svmc, *level.split(), "program.str", "-o", "program"], folder)
    if built is None or built.returncode != 0:
        return f"{level}: " + (built.stderr.decode(errors="replace") if built else "compiling it takes too long")
    got = execute(["./program", *options], folder, data)
    if got is not None and b"unknown option '--tag-prints'" in got.stderr:
        return None  # what has dynamic rates is declared and not used
    if got is None:
        return f"{level} {' '.join(options)}: still running after {SECONDS} s"
    if got.returncode != wanted.returncode or (got.returncode == 0 and results(got, folder) != wanted_results):
        return f"{level} {' '.join(options)}: exit code {got.returncode}, interpreted {wanted.returncode}; {got.stderr.decode(errors='replace')}"
    return ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--bits", action="store_true")
    args = parser.parse_args()
    compared, failed, seed = 0, 0, args.seed
    while compared < args.count:
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(os.path.abspath(args.svmc), seed, folder, args.bits)
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
