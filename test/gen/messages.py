#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that send messages: each must arrive at the firing that stream dependence says.

    messages.py --svmc=PATH [--first=N] [--count=N] [--levels=LIST] [--keep=DIR]

The graphs are pipelines of filters and splitjoins with random rates, windows and preworks. One filter sends, one receives, up- or
downstream, and prints its firings and the messages between them. What it must print is computed here, from the definition:
sdep(A, B, n) is the least number of firings of A that let B fire n times. Levels are "interpret" and options of svmc, with commas
between.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

SECONDS = 60


class Actor:
    """ins: (producer, its output, pop, peek, first pop, first peek) of each input; outs: (push, first push) of each output."""

    def __init__(self, name, ins, outs):
        self.name, self.ins, self.outs = name, ins, outs

    def pushed(self, port, n):
        push, first = self.outs[port]
        return first + (n - 1) * push if n else 0

    def firings_for(self, port, items):
        """The least number of firings that push so many items."""
        push, first = self.outs[port]
        return 0 if items <= 0 else 1 if items <= first else 1 + -(-(items - first) // push)

    @staticmethod
    def wanted(way, n):
        """Items that the first n firings take or look at."""
        _, _, pop, peek, first_pop, first_peek = way
        if n == 0:
            return 0
        return max(first_peek, first_pop + (n - 2) * pop + peek if n > 1 else 0)


def sdep(a, b, n):
    """The least number of firings of a that let b fire n times; None: a is not upstream of b."""
    if a is b:
        return n
    least = None
    for way in b.ins:
        producer, port = way[0], way[1]
        count = sdep(a, producer, producer.firings_for(port, Actor.wanted(way, n)))
        if count is not None:
            least = max(least or 0, count)
    return least


class Program:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.declarations, self.filters, self.count = [], [], 0
        out = self.filter("void", None)
        lines = [f"add {out[0].name};"]
        for _ in range(rng.randint(1, 4)):
            out, text = self.splitjoin(out) if rng.random() < 0.35 else self.child(out)
            lines += text
        sink = self.filter("int", out, last=True)
        lines.append(f"add {sink[0].name};")
        self.choose()
        self.lines = lines

    def rates(self):
        rng = self.rng
        pop, push = rng.choice([1, 1, 1, 2, 3]), rng.choice([1, 1, 1, 2, 3])
        return pop, pop + rng.choice([0, 0, 0, 1, 3]), push

    def filter(self, in_t, source, last=False):
        """A filter, and its output: (actor, port). source: (actor, port) before it."""
        rng = self.rng
        pop, peek, push = self.rates()
        prework = rng.random() < 0.3
        first_pop, first_push = (rng.randint(0, 3), rng.randint(0, 4)) if prework else (pop, push)
        first_peek = first_pop + rng.choice([0, 0, 2]) if prework else peek
        self.count += 1
        actor = Actor(f"F{self.count}", [(*source, pop, peek, first_pop, first_peek)] if source else [], [] if last else [(push, first_push)])
        actor.prework = prework
        self.filters.append(actor)
        return actor, 0

    def child(self, source):
        out = self.filter("int", source)
        return out, [f"add {out[0].name};"]

    def splitjoin(self, source):
        """Two branches of one or two filters; the joiner's weights are what comes."""
        rng = self.rng
        duplicate, weights = rng.random() < 0.5, (rng.choice([1, 2]), rng.choice([1, 2]))
        self.count += 1
        if duplicate:
            split = Actor("split", [(*source, 1, 1, 1, 1)], [(1, 1), (1, 1)])
        else:
            total = sum(weights)
            split = Actor("split", [(*source, total, total, total, total)], [(w, w) for w in weights])
        lines = ["add splitjoin {", "split duplicate;" if duplicate else f"split roundrobin({weights[0]}, {weights[1]});"]
        ends, flows = [], []
        for k in range(2):
            end, text = self.child((split, k))
            flow = split.outs[k][0] * end[0].outs[0][0] * 6 // end[0].ins[0][2]
            lines += text
            ends.append(end)
            flows.append(flow)
        divisor = next(d for d in range(min(flows), 0, -1) if all(f % d == 0 for f in flows))
        joins = [f // divisor for f in flows]
        join = Actor("join", [(*end, w, w, w, w) for end, w in zip(ends, joins)], [(sum(joins), sum(joins))])
        lines += [f"join roundrobin({joins[0]}, {joins[1]});", "};"]
        return (join, 0), lines

    def choose(self):
        """Who sends to whom, and when."""
        rng = self.rng
        while True:
            self.sender, self.receiver = rng.sample(self.filters, 2)
            self.down = sdep(self.sender, self.receiver, 1) is not None
            if self.down or sdep(self.receiver, self.sender, 1) is not None:
                break
        self.every, self.phase, self.latency = rng.randint(1, 4), rng.randint(0, 3), rng.choice([0, 0, 1, 2, 5])
        self.twice = rng.random() < 0.2

    def sends(self, n):
        return (n + self.phase) % self.every == 0

    def text(self):
        for actor in self.filters:
            self.declare(actor)
        return "\n".join(self.declarations + ["void->void pipeline Main {", f"portal<{self.receiver.name}> p;", *self.lines, "}"]) + "\n"

    def declare(self, actor):
        way = actor.ins[0] if actor.ins else None
        push = actor.outs[0] if actor.outs else (0, 0)
        lines = [f"{'int' if way else 'void'}->{'int' if actor.outs else 'void'} filter {actor.name}" +
                 (f"(portal<{self.receiver.name}> p)" if actor is self.sender else "") + " {", "int n;"]
        if actor is self.receiver:
            lines.append('handler on(int v) { print("got "); println(v); }')
        for kind, pop, peek, give in ([("prework", way[4], way[5], push[1]) if way else ("prework", 0, 0, push[1])] if actor.prework else []) + \
                [("work", way[2], way[3], push[0]) if way else ("work", 0, 0, push[0])]:
            rates = "".join(f" {w} {k}" for w, k in (("pop", pop), ("peek", peek if peek > pop else 0), ("push", give)) if k)
            lines += [f"{kind}{rates} {{", "n++;"]
            if actor is self.receiver:
                lines.append('print("fires "); println(n);')
            if actor is self.sender:
                latency = f" [{self.latency}:{self.latency}]" if self.latency else ""
                send = f"p.on(n){latency};" + (f" p.on(-n){latency};" if self.twice else "")
                lines.append(f"if ((n + {self.phase}) % {self.every} == 0) {{ {send} }}")
            lines += ["push(n);"] * give + ["pop();"] * pop + ["}"]
        self.declarations.append("\n".join(lines + ["}"]))

    def main_lines(self):
        """The program's text; the arguments of adds depend on who sends."""
        self.lines = [self.add(line) for line in self.lines]

    def add(self, line):
        words = line.split()
        if len(words) != 2 or words[0] != "add":
            return line
        name = words[1].rstrip(";")
        if name == self.sender.name:
            return f"add {name}(p);"
        return f"add {name} to p;" if name == self.receiver.name else line

    def expected(self, firings):
        """What the receiver prints in so many firings, and what may follow."""
        due = {}  # firing: messages just before it
        n = 0
        while True:
            n += 1
            if self.down:
                m = 1
                while sdep(self.sender, self.receiver, m) < n + self.latency:
                    m += 1
            else:
                m = sdep(self.receiver, self.sender, n + self.latency) + 1
            if m > firings + 1 or n > 4000:
                break
            if self.sends(n):
                due.setdefault(m, []).extend([n, -n] if self.twice else [n])
        lines = []
        for k in range(1, firings + 1):
            lines += [f"got {v}" for v in due.get(k, [])] + [f"fires {k}"]
        return lines, [f"got {v}" for v in due.get(firings + 1, [])]


def run(command, folder):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None


def wrong(program, level, svmc, steady, folder):
    """What is wrong with a run at a level; None: nothing."""
    command = [svmc, "--interpret", "-i", str(steady), "p.str"]
    if level != "interpret":
        built = run([svmc, *level.split(), "p.str", "-o", "p"], folder)
        if built is None or built.returncode != 0:
            return "does not compile: " + (built.stderr if built else "takes too long")
        command = ["./p", "-i", str(steady)]
    result = run(command, folder)
    if result is None or result.returncode != 0:
        return result.stderr if result else f"still running after {SECONDS} s"
    got = result.stdout.splitlines()
    expected, rest = program.expected(sum(line.startswith("fires") for line in got))
    for i, line in enumerate(expected):
        if i >= len(got) or got[i] != line:
            return f"line {i + 1}: got {got[i:i + 1]}, expected '{line}'"
    if got[len(expected):] != rest[:len(got) - len(expected)]:
        return f"at the end: got {got[len(expected):]}, expected {rest}"
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svmc", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--levels", default="interpret")
    parser.add_argument("--keep")
    args = parser.parse_args()
    failed = 0
    for seed in range(args.first, args.first + args.count):
        program = Program(seed)
        program.main_lines()
        text, steady = program.text(), random.Random(seed).choice([0, 1, 3, 20])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "p.str"), "w", encoding="utf-8") as f:
                f.write(text)
            for level in args.levels.split(","):
                problem = wrong(program, level, os.path.abspath(args.svmc), steady, folder)
                if problem:
                    failed += 1
                    print(f"FAILED: seed {seed}, {level} -i {steady}: {problem}\n{text}")
                    if args.keep:
                        os.makedirs(args.keep, exist_ok=True)
                        with open(os.path.join(args.keep, f"{seed}.str"), "w", encoding="utf-8") as f:
                            f.write(text)
                    break
    print(f"{args.count} programs, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
