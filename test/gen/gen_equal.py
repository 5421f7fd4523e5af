# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splitjoins of equal branches with large rates, which share buffers and become one stage of a kernel; weights above 100."""
from math import gcd

from gen_expr import Var
from gen_filter import FilterMaker, Rates, Unit
from gen_types import FLOAT, INT

POPS = [12, 16, 16, 17, 18, 20, 20, 24, 24, 32, 40, 64, 100, 130]


def fits_equal(in_t, out_t):
    return in_t in (INT, FLOAT) and out_t in (INT, FLOAT)


class EqualBranches:
    def __init__(self, graph, in_t, out_t, loop_part):
        self.graph, self.program, self.rng = graph, graph.program, graph.rng
        self.in_t, self.out_t, self.loop_part = in_t, out_t, loop_part

    # ---- The filter of the branches ----

    def plain_filter(self, in_t, pop, push):
        """Moves, sums or reorders items, and keeps nothing."""
        rng, program, out_t = self.rng, self.program, self.out_t
        name, i = program.name("F", upper=True), program.name("i")
        cast = "(int)" if out_t == INT and in_t == FLOAT else ""
        extra = rng.choice([0, 0, 0, 0, 3])
        peek = pop + extra
        lines, k = [], rng.choice([3, 7, 11])
        kind = rng.choice(["sum", "sum", "move", "permute"])
        if kind == "sum":
            s = program.name("v")
            for at in range(push):
                lines += [f"{in_t.text()} {s}_{at} = {at};", f"for (int {i} = 0; {i} < {peek}; {i}++) {s}_{at} += peek({i}) * ({i} % {k} + {at + 1});",
                          f"push({cast}{s}_{at});"]
            lines.append(f"for (int {i} = 0; {i} < {pop}; {i}++) pop();")
        elif kind == "move" and push <= pop:
            lines += [f"for (int {i} = 0; {i} < {push}; {i}++) push({cast}pop());", f"for (int {i} = {push}; {i} < {pop}; {i}++) pop();"]
        else:
            lines += [f"for (int {i} = 0; {i} < {push}; {i}++) push({cast}peek({i} * {k} % {pop}));",
                      f"for (int {i} = 0; {i} < {pop}; {i}++) pop();"]
        head = f"work pop {pop} push {push}" + (f" peek {peek}" if extra else "")
        program.decls.append([f"{in_t.text()}->{out_t.text()} filter {name} {{", head + " {", *lines, "}", "}"])
        unit = Unit(in_t, out_t, pop, push, (push if kind == "sum" else 1) * peek, 2 + extra, lambda w, c: [f"{w} {name};"])
        program.named.append(unit)
        return unit

    def branch(self, body):
        rng = self.rng
        pop = rng.choice(POPS)
        push = rng.choice([1, 1, 2, 3, pop // 2, pop])
        if rng.random() < 0.7:
            push = min(push, 4) if rng.random() < 0.5 else push
            return self.plain_filter(self.in_t, pop, push)
        return FilterMaker(self.program, self.in_t, self.out_t, Rates(pop, push, pop), None, loop_part=self.loop_part).make()

    # ---- The splitjoin ----

    def write(self, body):
        """The body of the splitjoin; gives (I, O, cost, lag)."""
        rng, n, i = self.rng, self.rng.randint(2, 5), body.name("i")
        unit = self.branch(body)
        firings = rng.choice([1, 1, 2, 2, 3, 4])
        copies = rng.random() < 0.2
        joined = rng.choice([firings * unit.o, unit.o, 1, 2 * unit.o])
        x = joined // gcd(joined, firings * unit.o)  # rounds of the splitter
        y = x * firings * unit.o // joined
        weight = firings * unit.i
        body.out.append(f"split {'duplicate' if copies and firings == 1 else f'roundrobin({weight})'};")
        body.scopes.append([Var(i, INT, rw=False, span=(0, n - 1))])
        text = unit.text("add", body)
        body.scopes.pop()
        body.out += [f"for (int {i} = 0; {i} < {n}; {i}++) {{", *text, "}"]
        body.out.append(f"join roundrobin({joined});")
        if copies and firings == 1:
            # Each item goes to all: a round of the splitter is one item.
            return x * unit.i, n * y * joined, n * x * unit.cost, unit.lag + 2
        return n * x * weight, n * y * joined, n * x * firings * unit.cost, -(-unit.lag // firings) + 2
