# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of stages without state over bits and small ints: permutations, sums modulo 2, tables, masks, packing, splitjoins of them."""
from math import gcd

from gen_types import INT, SCALARS

BIT = SCALARS["bit"]


def fits_bits(in_t, out_t):
    return in_t in (INT, BIT) and out_t in (INT, BIT)


class Bits:
    def __init__(self, graph, in_t, out_t):
        self.program, self.rng = graph.program, graph.rng
        self.in_t, self.out_t = in_t, out_t

    def table(self, count, most):
        return "{" + ", ".join(str(self.rng.randint(0, most)) for _ in range(count)) + "}"

    def declare(self, in_t, out_t, pop, push, lines, fields=()):
        name = self.program.name("F", upper=True)
        self.program.decls.append([f"{in_t.text()}->{out_t.text()} filter {name} {{", *fields, f"work pop {pop} push {push} {{", *lines, "}", "}"])
        return name, pop, push

    # ---- Stages: (name, pop, push) ----

    def permute(self, in_t, out_t):
        rng = self.rng
        pop, push = rng.choice([4, 8, 16, 20, 32, 33]), rng.choice([4, 8, 16, 20, 32])
        cast = f"({out_t.text()})" if in_t != out_t else ""
        mask = f" ^ {rng.randint(0, 1)}" if rng.random() < 0.3 else ""
        lines = [f"for (int i = 0; i < {push}; i++)", f"    push({cast}(peek(order[i]){mask}));", f"for (int i = 0; i < {pop}; i++) pop();"]
        return self.declare(in_t, out_t, pop, push, lines, [f"int[{push}] order = {self.table(push, pop - 1)};"])

    def add_key(self, in_t, out_t):
        rng = self.rng
        n = rng.choice([1, 4, 8, 16, 24])
        op = rng.choice(["^", "^", "&", "|"])
        lines = [f"for (int i = 0; i < {n}; i++)", f"    push(({out_t.text()})(pop() {op} key[i]));"]
        return self.declare(in_t, out_t, n, n, lines, [f"int[{n}] key = {self.table(n, 1 if rng.random() < 0.7 else 255)};"])

    def look_up(self, in_t, out_t):
        rng = self.rng
        bits, push = rng.randint(1, 7), rng.randint(1, 5)
        index = " + ".join(f"((int)peek({i}) & 1) * {1 << i}" for i in rng.sample(range(bits), bits))
        if rng.random() < 0.3:
            index = f"({index}) ^ {rng.randint(0, (1 << bits) - 1)}"
        lines = [f"int v = box[{index}];", f"for (int i = {push - 1}; i >= 0; i--)", f"    push(({out_t.text()})((v >> i) & 1));", f"for (int i = 0; i < {bits}; i++) pop();"]
        return self.declare(in_t, out_t, bits, push, lines, [f"int[{1 << bits}] box = {self.table(1 << bits, (1 << push) - 1)};"])

    def small(self, names):
        rng = self.rng
        a, b = rng.choice(names), rng.choice(names)
        return rng.choice([f"{a} ^ {b}", f"{a} & {b}", f"{a} | {b}", f"{a} + {b}", f"{a} - {b}", f"({a} & 7) * ({b} & 3)", f"{a} * {rng.randint(-3, 9)}", f"{a} >> {rng.randint(0, 33)}",
                           f"{a} << {rng.randint(0, 5)}", f"~{a}", f"-{a}", f"({a} & 15) % {rng.randint(1, 9)}", f"({a} & 31) / {rng.randint(1, 9)}", f"({a} < {b} ? {a} : {b})",
                           f"({a} == {b} ? 1 : {rng.randint(-4, 4)})", f"({a} > {rng.randint(-2, 5)} ? {b} : {a})", f"1 << ({a} & 3)", f"box[{a} & 15]"])

    def compute(self, in_t, out_t):
        rng = self.rng
        pop, push, names = rng.choice([1, 2, 4, 8]), rng.choice([1, 2, 4]), []
        mask = rng.choice([1, 1, 3, 7, 15, -1])
        lines = []
        for k in range(pop):
            lines.append(f"int a{k} = (int)pop() & {mask};")
            names.append(f"a{k}")
        for k in range(rng.randint(0, 3)):
            if rng.random() < 0.5:
                lines += [f"int b{k} = {self.small(names)};"]
            else:
                lines += [f"int b{k} = 0;", f"if (({self.small(names)}) > {rng.randint(-1, 3)})", f"    b{k} = {self.small(names)};"]
                lines += rng.choice([[], ["else", f"    b{k} = {self.small(names)};"]])
            names.append(f"b{k}")
        if rng.random() < 0.3:
            n = rng.randint(1, 8)
            lines += ["int c = 0;", f"for (int i = 0; i < {n}; i++)", f"    c = ((c << 1) | (({rng.choice(names)} >> i) & 1)) ^ ({rng.choice(names)} & i);"]
            names.append("c")
        if rng.random() < 0.2:
            lines += ["int[4] d;", f"d[{rng.choice(names)} & 3] = {rng.choice(names)};", f"d[{rng.randint(0, 3)}] = {rng.choice(names)};", f"int e = d[{rng.choice(names)} & 3];"]
            names.append("e")
        out = 1 if out_t == BIT and rng.random() < 0.8 else rng.choice([1, 3, 255, -1])
        lines += [f"push(({out_t.text()})(({self.small(names)}) & {out}));" for _ in range(push)]
        return self.declare(in_t, out_t, pop, push, lines, [f"int[16] box = {self.table(16, 9)};"])

    def pack(self, in_t, out_t):
        n = self.rng.choice([2, 4, 8, 16])
        lines = ["int v = 0;", f"for (int i = 0; i < {n}; i++)", "    v = (v << 1) | ((int)pop() & 1);", f"push(({out_t.text()})v{' & 1' if out_t == BIT else ''});"]
        return self.declare(in_t, out_t, n, 1, lines)

    def unpack(self, in_t, out_t):
        n = self.rng.choice([1, 2, 4, 8, 16])
        lines = ["int v = (int)pop();", f"for (int i = 0; i < {n}; i++)", f"    push(({out_t.text()})((v >> i) & 1));"]
        return self.declare(in_t, out_t, 1, n, lines)

    def stage(self, in_t, out_t):
        make = self.rng.choice([self.permute, self.permute, self.add_key, self.add_key, self.look_up, self.look_up, self.compute, self.pack, self.unpack])
        return make(in_t, out_t)

    def split(self, in_t, out_t):
        """A splitjoin of stages with rates alike: its text, pop and push."""
        rng = self.rng
        copies = rng.random() < 0.4
        first = self.stage(in_t, out_t)
        same, weight, joined = [first], first[1] * rng.choice([1, 1, 2]), first[2] * rng.choice([1, 1, 2])
        for _ in range(20):
            s = self.stage(in_t, out_t)
            if s[1:] == first[1:] and len(same) < 5:
                same.append(s)
        firings = weight // first[1] if not copies else 1
        rounds = joined // gcd(joined, firings * first[2])
        text = ["add splitjoin {", "split duplicate;" if copies else f"split roundrobin({weight});", *[f"add {s[0]};" for s in same], f"join roundrobin({joined});", "};"]
        pop = rounds * (first[1] if copies else weight * len(same))
        return text, pop, rounds * firings * first[2] * len(same)

    # ---- The pipeline ----

    def write(self, body, between=(0, 1, 1, 2, 3, 5)):
        """The body of the pipeline; gives (I, O, cost, lag)."""
        rng, pop, push, cost = self.rng, 1, 1, 0
        types = [self.in_t, *[rng.choice([INT, BIT] if "bit" in self.program.features else [INT]) for _ in range(rng.choice(between))], self.out_t]
        for in_t, out_t in zip(types, types[1:]):
            if rng.random() < 0.35:
                text, i, o = self.split(in_t, out_t)
            else:
                name, i, o = self.stage(in_t, out_t)
                text = [f"add {name};"]
            body.out += text
            factor = i // gcd(i, push)
            pop, push, cost = pop * factor, push * factor // i * o, cost * factor + push * factor // i * 3 * (i + o)
        return pop, push, cost, 2
