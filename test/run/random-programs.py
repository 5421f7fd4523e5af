#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential test with random programs: the interpreter's output is the reference for compiled programs.

    random-programs.py --svmc=PATH [--seed=N] [--count=N] [--kind=graph|prints|body] [--show]

Seeds N, N+1, ... make programs of three kinds in turn: graphs of filters of many rates (run on inputs of several lengths), the
same with a source and filters that print (run for several numbers of steady states), and single filters with involved bodies.
--show prints the programs and runs nothing. A failing program is kept in the current folder.
"""
import argparse
import math
import os
import random
import shlex
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

LEVELS = [["-O0"], ["-O2", "--strip=3"], ["-O3"]]
SECONDS = 120
KINDS = ["graph", "prints", "body"]


class Graph:
    """Streams of int->int whose rates balance: each generator gives a name and how many items go out for one that comes in."""

    def __init__(self, rng, prints):
        self.rng, self.prints = rng, prints
        self.texts, self.count = [], 0

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def declare(self, text):
        self.texts.append(text)

    # ---- Filters ----

    def operand(self, window, names):
        r = self.rng
        if r.random() < 0.5:
            return f"peek({r.randrange(window)})"
        return r.choice([*names, str(r.randrange(-9, 99)), "0x7fffffff"])

    def expression(self, window, names, depth=2):
        r = self.rng
        if depth == 0 or r.random() < 0.3:
            return self.operand(window, names)
        a, b = (self.expression(window, names, depth - 1) for _ in range(2))
        return r.choice([
            f"({a} {r.choice(['<<', '>>'])} {r.randrange(40)})",
            f"({a} {r.choice('/%')} {r.choice([3, 7, -5])})",
            f"({a} {r.choice(['<', '>', '=='])} {b} ? {b} : {a})",
            f"(int)((float)({a}) * 0.75)",
            *[f"({a} {op} {b})" for op in "+-*^|&"],
        ])

    def prework(self, pop, push):
        r = self.rng
        pops, pushes = r.choice([0, 0, 1, pop]), r.choice([0, 1, push, 2 * push])
        rates = (f" pop {pops}" if pops else "") + (f" push {pushes}" if pushes else "")
        body = [f"push({i} + k);" for i in range(pushes)] + ["pop();"] * pops
        return [f"    prework{rates} {{"] + ["        " + line for line in body] + ["    }"]

    def work(self, pop, push, window, names, state):
        """The lines of a work function: pushes first, or pops first, or in the branches of an if."""
        r = self.rng
        style = r.choice(["expressions", "loop", "pops", "branches"])
        pushes = [[f"push({self.expression(window, names)});" for _ in range(push)] for _ in range(2)]
        if style == "expressions":
            return pushes[0] + state + [f"for (int i = 0; i < {pop}; i++)", "    pop();"]
        if style == "loop":
            return [f"int a = {self.expression(window, names)};", "int m = 0;", f"for (int i = 0; i < {window}; i++)",
                    "    m += peek(i) * (i + 1);", f"for (int i = 0; i < {push}; i++) {{", "    if (i % 2 == 1)", "        m = m - a;",
                    "    push(m + i);", "}"] + state + ["pop();"] * pop
        if style == "pops":
            return ["int v = 0;"] + ["v = v * 3 + pop();"] * pop + ["int j = 0;", f"while (j < {push}) {{", "    push(v >> j);", "    j++;",
                                                                  "}"] + (["s = s ^ v;"] if state else [])
        return [f"if (peek({r.randrange(window)}) > k) {{", *["    " + p for p in pushes[0]], "} else {", *["    " + p for p in pushes[1]],
                "}"] + state + ["pop();"] * pop

    def filter(self, pop, push, peeks=True):
        r, name = self.rng, self.name("F")
        window = pop + (r.choice([0, 0, 0, 1, 2, 5]) if peeks else 0)
        names, fields, state = ["k"], [], []
        if r.random() < 0.35:
            fields, names, state = ["    int s = k;"], names + ["s"], [f"s = {self.expression(window, ['s', 'k'])};"]
        if r.random() < 0.3:
            fields.append("    int[4] t = {3, 1, 4, 1};")
            names.append(f"t[peek({r.randrange(window)}) & 3]")
        if r.random() < 0.15:
            names.append("iter()")
        prework = self.prework(pop, push) if peeks and r.random() < 0.15 else []
        told = [f'println("{name} " + k + " " + peek(0));'] if self.prints and r.random() < 0.4 else []
        lines = told + self.work(pop, push, window, names, state)
        rates = f"pop {pop} push {push}" + (f" peek {window}" if window > pop else "")
        text = [f"int->int filter {name}(int k) {{", *fields, *prework, f"    work {rates} {{", *["        " + line for line in lines],
                "    }", "}"]
        self.declare("\n".join(text))
        return name

    def leaf(self, gain=None):
        r = self.rng
        if gain is None:
            gain = Fraction(r.choice([1, 1, 1, 2, 2, 3, 4]), r.choice([1, 1, 1, 2, 2, 3, 4]))
        k = r.choice([1, 1, 2])
        return f"{self.filter(gain.denominator * k, gain.numerator * k)}({r.randrange(-5, 20)})", gain

    # ---- Composites ----

    def pipeline(self, depth):
        name, gain, children = self.name("P"), Fraction(1), []
        for _ in range(self.rng.randrange(1, 4)):
            child, g = self.stream(depth - 1)
            children.append(f"    add {child};")
            gain *= g
        self.declare("\n".join([f"int->int pipeline {name} {{", *children, "}"]))
        return name, gain

    def splitjoin(self, depth):
        r, name = self.rng, self.name("S")
        children = [self.stream(depth - 1) for _ in range(r.randrange(1, 4))]
        shares, split, taken = [1] * len(children), "duplicate", 1
        if r.random() < 0.5:
            shares = [r.choice([1, 1, 2, 3]) for _ in children]
            split, taken = f"roundrobin({', '.join(map(str, shares))})", sum(shares)
        scale = math.lcm(*[(g * s).denominator for (_, g), s in zip(children, shares)])
        weights = [int(g * s * scale) for (_, g), s in zip(children, shares)]
        self.declare("\n".join([f"int->int splitjoin {name} {{", f"    split {split};", *[f"    add {c};" for c, _ in children],
                                f"    join roundrobin({', '.join(map(str, weights))});", "}"]))
        return name, Fraction(sum(weights), taken * scale)

    def loop(self):
        r, name = self.rng, self.name("L")
        outside, inside = r.choice([(1, 1), (2, 1), (1, 2)])
        body = self.filter(outside + inside, outside + inside, False)
        back = self.filter(inside, inside, False) + "(2)" if r.random() < 0.5 else "Identity<int>"
        self.declare("\n".join([
            f"int->int feedbackloop {name} {{", f"    join roundrobin({outside}, {inside});", f"    body {body}(1);", f"    loop {back};",
            f"    split roundrobin({outside}, {inside});", f"    for (int i = 0; i < {inside * r.randrange(1, 4)}; i++)", "        enqueue i;", "}"]))
        return name, Fraction(1)

    def stream(self, depth):
        kind = self.rng.randrange(10)
        if depth == 0 or kind < 3:
            return self.leaf()
        return self.pipeline(depth) if kind < 6 else self.splitjoin(depth) if kind < 9 else self.loop()

    def program(self):
        top, _ = self.stream(3)
        if self.prints:
            self.declare("void->int filter Source {\n    int n;\n    work push 1 {\n        n = n * 5 + 3;\n        push((n >> 3) % 100);\n    }\n}")
            self.declare("int->void filter Sink {\n    work pop 1 {\n        println(pop());\n    }\n}")
            self.declare(f"void->void pipeline Main {{\n    add Source;\n    add {top};\n    add Sink;\n}}")
        else:
            self.declare(f"int->int pipeline Main {{\n    add Identity<int>;\n    add {top};\n}}")
        return "\n".join(self.texts) + "\n"


class Scope:
    """The names that code may use: ints and floats, those of them that it may change, arrays of four ints, functions."""

    def __init__(self, ints, own_ints, floats, arrays, functions=(), procedures=(), tape=False):
        self.ints, self.own_ints, self.floats = list(ints), list(own_ints), list(floats)
        self.arrays, self.functions, self.procedures, self.tape = list(arrays), list(functions), list(procedures), tape

    def copy(self, *more):
        return Scope([*self.ints, *more], self.own_ints, self.floats, self.arrays, self.functions, self.procedures, self.tape)


class Body:
    """One filter with involved functions: loops, jumps, side effects in expressions, arrays by reference."""

    def __init__(self, rng):
        self.rng, self.count = rng, 0

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    # ---- Expressions ----

    def int_leaf(self, s):
        r = self.rng
        choices = [r.choice(s.ints)] * 3 + [str(r.choice([0, 1, 2, 3, 7, -1, 100, 2147483647, -2147483647])), str(r.randrange(10))]
        choices.append(f"{r.choice(s.arrays)}[{r.choice(s.ints)} & 3]")
        choices.append(r.choice(["{}++", "++{}", "{}--", "--{}"]).format(r.choice(s.own_ints)))
        if s.tape:
            choices.append(f"peek({r.choice(s.ints)} & 3)")
        return r.choice(choices)

    def int(self, s, depth=3):
        r = self.rng
        if depth <= 0 or r.random() < 0.25:
            return self.int_leaf(s)
        kind, a = r.randrange(12), self.int(s, depth - 1)
        if kind == 0:
            return f"({a} {r.choice('/%')} (({self.int(s, depth - 2)} & 15) | 1))"
        if kind == 1:
            return f"({a} {r.choice(['<<', '>>'])} {self.int(s, depth - 2)})"
        if kind == 2:
            return f"({self.boolean(s, depth - 1)} ? {a} : {self.int(s, depth - 1)})"
        if kind == 3:
            return f"(int)({self.float(s, depth - 1)})"
        if kind in (4, 5):
            return f"{'~-'[kind - 4]}({a})"
        if kind == 6 and s.functions:
            return f"{r.choice(s.functions)}({a}, {self.int(s, depth - 1)})"
        return f"({a} {r.choice('+-*&|^')} {self.int(s, depth - 1)})"

    def boolean(self, s, depth=2):
        r, kind = self.rng, self.rng.randrange(6)
        if depth <= 0 or kind < 3:
            return f"({self.int(s, depth - 1)} {r.choice(['<', '>', '==', '!=', '<=', '>='])} {self.int(s, depth - 1)})"
        if kind == 3:
            return f"({self.boolean(s, depth - 1)} {r.choice(['&&', '||', '^', '&', '|'])} {self.boolean(s, depth - 1)})"
        if kind == 4:
            return f"!({self.boolean(s, depth - 1)})"
        return f"({self.float(s, depth - 1)} < {self.float(s, depth - 1)})"

    def float(self, s, depth=2):
        r = self.rng
        if depth <= 0 or r.random() < 0.3:
            return r.choice([r.choice(s.floats), r.choice(["0.5", "-2.25", "1e9", "3.0e-3", "pi"]), f"(float)({self.int(s, depth - 1)})"])
        a, b, kind = self.float(s, depth - 1), self.float(s, depth - 1), r.randrange(8)
        if kind == 0:
            return f"{r.choice(['max', 'min', 'atan2'])}({a}, {b})"
        if kind == 1:
            return f"{r.choice(['abs', 'floor', 'ceil', 'round', 'rint', 'sqrt', 'sin', 'exp', 'atan'])}({a})"
        return f"({a} {r.choice('/+-*')} {b})"

    # ---- Statements ----

    def block(self, s, depth, loop, result):
        s, lines = s.copy(), []
        for _ in range(self.rng.randrange(1, 5)):
            lines += self.statement(s, depth, loop, result)
        return ["    " + line for line in lines]

    def declaration(self, s):
        r = self.rng
        kind = r.choice(["int", "int", "float", "array"])
        name = self.name(kind[0])
        if kind == "int":
            line = f"int {name} = {self.int(s)};" if r.random() < 0.8 else f"int {name};"
            s.ints.append(name)
            s.own_ints.append(name)
        elif kind == "float":
            line = f"float {name} = {self.float(s)};"
            s.floats.append(name)
        else:
            line = f"int[4] {name} = {r.choice(s.arrays)};" if r.random() < 0.5 else f"int[4] {name};"
            s.arrays.append(name)
        return [line]

    def assignment(self, s):
        r = self.rng
        return r.choice([
            [f"{r.choice(s.own_ints)} {r.choice(['=', '+=', '-=', '*=', '<<=', '>>='])} {self.int(s)};"],
            [f"{r.choice(s.arrays)}[{self.int(s, 1)} & 3] {r.choice(['=', '+=', '-='])} {self.int(s)};"],
            [f"{r.choice(s.floats)} {r.choice(['=', '+=', '*='])} {self.float(s)};"],
        ])

    def loop(self, s, depth, result):
        r, name = self.rng, self.name("n")
        body = self.block(s.copy(name), depth - 1, True, result)
        kind = r.choice(["for", "while", "do"])
        if kind == "for":
            return [f"for (int {name} = {r.randrange(3)}; {name} < {r.randrange(1, 6)}; {name}++) {{", *body, "}"]
        body = [f"    {name}--;", *body]
        if kind == "while":
            return [f"int {name} = {r.randrange(1, 6)};", f"while ({name} > 0 && {self.boolean(s)}) {{", *body, "}"]
        return [f"int {name} = {r.randrange(1, 4)};", "do {", *body, f"}} while ({name} > 0);"]

    def statement(self, s, depth, loop, result):
        """Lines; result: what a return must give ('int', 'void'), or None where there may be none."""
        r, kind = self.rng, self.rng.randrange(14)
        if kind < 3:
            return self.declaration(s)
        if kind < 7 or depth == 0:
            return self.assignment(s)
        if kind < 9:
            lines = [f"if ({self.boolean(s)}) {{", *self.block(s, depth - 1, loop, result), "}"]
            if r.random() < 0.5:
                lines[-1:] = ["} else {", *self.block(s, depth - 1, loop, result), "}"]
            return lines
        if kind < 11:
            return self.loop(s, depth, result)
        if kind == 11 and loop:
            return [f"if ({self.boolean(s, 1)})", f"    {r.choice(['break', 'continue'])};"]
        if kind == 12 and result:
            return [f"if ({self.boolean(s, 1)})", "    return;" if result == "void" else f"    return {self.int(s, 1)};"]
        if kind == 13 and s.procedures:
            return [f"{r.choice(s.procedures)}({r.choice(s.arrays)}, {self.int(s, 1)});"]
        return [f"{r.choice(s.own_ints)}++;"]

    def program(self):
        fields = Scope(["k", "s", "u"], ["s", "u"], ["g"], ["t"])
        function = Scope(["k", "s", "u", "x", "y"], ["s", "u", "x"], ["g"], ["t"])
        procedure = Scope(["k", "s", "u", "x"], ["s", "u"], ["g"], ["t", "b"], ["f"])
        work = Scope([*fields.ints, "q", "G[2]"], ["s", "u", "q"], ["g"], ["t"], ["f"], ["p"], True)
        lines = ["    int f(int x, int y) {", *["    " + line for line in self.block(function, 2, False, "int")],
                 f"        return {self.int(function)};", "    }",
                 "    void p(int[4] b, int x) {", *["    " + line for line in self.block(procedure, 2, False, "void")], "    }",
                 "    work pop 1 push 3 peek 4 {", "        int q = peek(0);"]
        for _ in range(self.rng.randrange(3, 8)):
            lines += ["        " + line for line in self.statement(work, 3, False, None)]
        lines += [f"        push({self.int(work)});", "        push(s ^ u + t[0] ^ t[3]);", "        push((int)(g * 16));",
                  "        if (!(abs(g) < 1e6))", "            g = 0.5;", "        pop();", "    }"]
        return "\n".join(["static {", "    int[4] G = {5, -6, 7, 2147483647};", "}", "int->int filter F(int k) {", "    int s = k;",
                          "    int u;", "    float g = 1.25;", "    int[4] t = {3, 1, 4, 1};", *lines, "}", "int->int pipeline Main {",
                          "    add F(3);", "}"]) + "\n"


def generate(seed, kind):
    rng = random.Random(seed)
    return Body(rng).program() if kind == "body" else Graph(rng, kind == "prints").program()


class Failure(Exception):
    pass


def run(command, folder):
    try:
        r = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"{shlex.join(command)}: still running after {SECONDS} s") from None
    if r.returncode != 0:
        raise Failure(f"{shlex.join(command)}: exit code {r.returncode}\n{r.stderr.decode(errors='replace')}")
    return r.stdout


def runs_of(seed, kind, folder):
    """The options of each run; the files of input are there then."""
    if kind == "prints":
        return [["-i", str(n)] for n in (0, 1, 3, 10)]
    rng = random.Random(seed)
    options = []
    for n in (0, 1, rng.randrange(2, 20), rng.randrange(20, 90), 500):
        with open(os.path.join(folder, f"input{n}"), "wb") as f:
            f.write(struct.pack(f"<{n}i", *[rng.randrange(-100, 100) for _ in range(n)]))
        options.append([f"--in=input{n}"])
    return options


def test(svmc, seed, kind, source, folder):
    with open(os.path.join(folder, "program.str"), "w", encoding="utf-8") as f:
        f.write(source)
    runs = runs_of(seed, kind, folder)
    wanted = [run([svmc, "--interpret", *options, "program.str"], folder) for options in runs]
    for level in LEVELS:
        run([svmc, *level, "program.str", "-o", "program"], folder)
        for options, reference in zip(runs, wanted):
            got = run(["./program", *options], folder)
            if got != reference:
                raise Failure(f"svmc {shlex.join(level)} program.str -o program; ./program {shlex.join(options)}: {len(got)} bytes, "
                              f"the interpreter gives {len(reference)}; or they differ")
    return sum(map(len, wanted))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    failed = size = 0
    for seed in range(args.seed, args.seed + args.count):
        kind = args.kind or KINDS[seed % len(KINDS)]
        source = generate(seed, kind)
        if args.show:
            print(source)
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                size += test(os.path.abspath(args.svmc), seed, kind, source, folder)
            except Failure as failure:
                failed += 1
                kept = f"random-{kind}-{seed}.str"
                with open(kept, "w", encoding="utf-8") as f:
                    f.write(source)
                print(f"FAILED: seed {seed}, kind {kind}, kept as {kept}: {failure}")
    if not args.show:
        print(f"{args.count} programs, {failed} failed, {size} bytes of output compared")
        sys.exit(failed > 0 or size == 0)


main()
