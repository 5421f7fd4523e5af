# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splitjoins whose branches differ in constants and state alone: banks of recursive filters, of counters, of correlators; and
such whose branches are unlike sums over one window."""
from math import gcd

from gen_expr import Var
from gen_filter import Unit
from gen_types import FLOAT, INT


class Siblings:
    def __init__(self, graph, in_t, out_t):
        self.program, self.rng = graph.program, graph.rng
        self.in_t, self.out_t = in_t, out_t

    # ---- A stage ----

    def term(self, names):
        rng = self.rng
        a, b = rng.choice(names), rng.choice(names)
        return rng.choice([f"{a} {rng.choice('+-*')} {b}", f"{a} * c - {b}", f"{a} + {rng.randint(1, 9)}", f"({a} > {b} ? {a} : c)", f"{a} * {rng.randint(2, 5)} + c"])

    def stage(self, in_t, out_t, pop, push, first):
        """A filter with a parameter c and two fields; how many items it looks at."""
        rng, program = self.rng, self.program
        name = program.name("F", upper=True)
        kind = "float" if FLOAT in (in_t, out_t) else "int"
        cast = "(int)" if out_t == INT and kind == "float" else ""
        names, lines = ["s", "t", "h[0]", "h[1]"], []
        extra = rng.choice([0, 0, 0, 1, 3]) if first else 0
        if extra and rng.random() < 0.5:
            lines.append(f"{kind} w = peek({rng.randint(0, pop - 1 + extra)});")
            names.append("w")
        rest = rng.randint(0, pop) if rng.random() < 0.3 else 0 # popped by a loop at the end
        for k in range(pop - rest):
            if rng.random() < 0.15:
                lines.append("pop();")
                continue
            lines.append(f"{kind} a{k} = pop();")
            names.append(f"a{k}")
        for k in range(push):
            for _ in range(rng.randint(0, 2)):
                target = rng.choice(["s", "t", "h[0]", "h[1]"])
                lines.append(f"{target} = {self.term(names)};")
            if rng.random() < 0.4:
                lines += [f"if ({self.term(names)} > {rng.randint(-5, 20)})", f"    s = {self.term(names)};"]
                lines += rng.choice([[], ["else {", f"    t = {self.term(names)};", f"    h[1] = {self.term(names)};", "}"]])
            if rng.random() < 0.3:
                lines += [f"for (int i = {rng.choice([0, 1])}; i < 2; i++)", f"    h[i] = h[{rng.choice(['i', '1 - i', '0'])}] + {self.term(names)};"]
            lines.append(f"push({cast}({self.term(names)}));")
        if rest:
            lines.append(f"for (int i = 0; i < {rest}; i++) pop();")
        fields = [f"{kind} s = c;", f"{kind} t = {rng.randint(0, 3)};", f"{kind}[2] h;", "init { h[1] = c * 2; }"]
        head = f"work pop {pop} push {push}" + (f" peek {pop + extra}" if extra else "")
        program.decls.append([f"{in_t.text()}->{out_t.text()} filter {name}({kind} c) {{", *fields, head + " {", *lines, "}", "}"])
        return name, kind, extra

    # ---- Sums over one window ----

    def loop(self, peek):
        """The ends of a loop over the window, and the item that a trip looks at."""
        rng = self.rng
        return *rng.choice([(0, peek)] * 3 + [(1, peek), (0, peek - 1)]), rng.choice(["k", "k", "k", f"{peek - 1} - k"])

    def sums(self, pop, peek, loop):
        """A filter of sums over its window; how many items it pushes."""
        rng, program = self.rng, self.program
        name = program.name("F", upper=True)
        kind = "float" if FLOAT in (self.in_t, self.out_t) else "int"
        cast = "(int)" if self.out_t == INT and kind == "float" else ""
        names = ["a", "b"][:rng.randint(1, 2)]
        low, high, at = loop
        lines = [f"{kind} {v} = {rng.randint(0, 3)};" for v in names]
        lines.append(f"for (int k = {low}; k < {high}; k++) {{")
        for v in names:
            x = rng.choice([f"peek({at}) * c", f"peek({at}) * h[k]", f"(peek({at}) > {v} ? c : 1)", "h[k] - c"])
            lines.append(rng.choice([f"{v} += {x};", f"{v} = {v} * 3 - {x};", f"if (peek({at}) > c) {v} += {x};"]))
        lines.append("}")
        pushes = rng.randint(1, 3)
        out = [f"push({cast}({rng.choice(names)} + {rng.randint(0, 3)}));" for _ in range(pushes)]
        pops = rng.choice([["pop();"] * pop, [f"for (int k = 0; k < {pop}; k++) pop();"]])
        lines += out + pops if rng.random() < 0.8 else pops + out
        init = f"init {{ for (int k = 0; k < {peek}; k++) h[k] = k * c + 1; }}"
        program.decls.append([f"{self.in_t.text()}->{self.out_t.text()} filter {name}({kind} c) {{", f"{kind}[{peek}] h;", init,
                              f"work pop {pop} peek {peek} push {pushes} {{", *lines, "}", "}"])
        return f"add {name}({rng.randint(1, 9)});", pushes

    def write_sums(self, body):
        rng, pop, extra = self.rng, self.rng.randint(1, 3), self.rng.choice([4, 9, 16, 20])
        same = self.loop(pop + extra)
        branches = []
        for _ in range(rng.randint(2, 6)):
            peek = pop + extra + (rng.random() < 0.1)
            branches.append(self.sums(pop, peek, same if rng.random() < 0.9 else self.loop(peek)))
        rounds = rng.choice([1, 1, 2]) # of a filter that the joiner takes at once
        body.out += ["split duplicate;", *[text for text, _ in branches], f"join roundrobin({', '.join(str(n * rounds) for _, n in branches)});"]
        return pop * rounds, sum(n for _, n in branches) * rounds, len(branches) * 12 * extra * rounds, 2 * extra + 6

    # ---- The splitjoin ----

    def write(self, body):
        """The body of the splitjoin; gives (I, O, cost, lag)."""
        if self.rng.random() < 0.3:
            return self.write_sums(body)
        rng, n, i = self.rng, self.rng.choice([2, 4, 4, 5, 8, 16]), body.name("i")
        rates = [rng.choice([1, 1, 1, 2, 3, 4]) for _ in range(rng.choice([2, 2, 3, 4]))]
        stages, window, cost = [], 0, 0
        for k, (pop, push) in enumerate(zip(rates, rates[1:])):
            name, kind, extra = self.stage(self.in_t if k == 0 else self.out_t, self.out_t, pop, push, k == 0)
            number = rng.choice([f"{i} + {k}", f"{i} * {i}", "3", f"{i} % 2"])
            stages.append(f"add {name}({number if kind == 'int' else f'({number}) * 0.25f'});")
            window, cost = window + extra, cost + 12 * (pop + push)
        pop, push = rates[0], rates[-1]
        copies = rng.random() < 0.5
        weight = 1 if copies else rng.choice([1, pop, pop, 2 * pop])
        joined = rng.choice([1, push, push, 2 * push])
        x, y = weight // gcd(weight, pop), joined // gcd(joined, push)
        firings = x * y // gcd(x, y)
        body.out.append("split duplicate;" if copies else f"split roundrobin({weight});")
        body.scopes.append([Var(i, INT, rw=False, span=(0, n - 1))])
        body.scopes.pop()
        text = stages if len(stages) == 1 else ["add pipeline {", *stages, "};"]
        body.out += [f"for (int {i} = 0; {i} < {n}; {i}++) {{", *text, "}"]
        body.out.append(f"join roundrobin({joined});")
        items = firings * pop
        return items if copies else n * items, n * firings * push, n * firings * cost, 2 * window + 4
