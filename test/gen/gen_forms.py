# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters, pairs of them, splitjoins and loops of the forms that single passes look for, with random parts: large frames that are only read,
banks of sums, cascades of recursive filters, registers of bits, scramblers, zeros between items, delays, echoes, combs, transforms.

Random statements come upon these forms too seldom for what is made of them to be seen wrong.
"""

from gen_frames import Frames
from gen_types import FLOAT, INT


class Forms(Frames):
    """A pipeline of such forms, between them filters of gen_frames.py."""

    most_items = 4000

    # ---- Parts ----

    def number(self, t):
        return str(self.rng.randint(-4, 6)) if t == INT else self.rng.choice(["0.5", "-0.25", "1.5", "0.75", "-1.0", "0.125"])

    def filter(self, in_t, out_t, rates, fields, work):
        """Declares a filter; the lines that add it."""
        name = self.program.name("F", upper=True)
        self.program.decls.append([f"{in_t.text()}->{out_t.text()} filter {name} {{", *fields, f"work {rates} {{", *work, "}", "}"])
        return [f"add {name};"]

    @staticmethod
    def given(text, t, out_t):
        """A push of a value of type t."""
        return f"push({text});" if out_t in (t, FLOAT) else f"push((int)({text}));"

    def table(self, t, name, *dims):
        """A field with numbers that init computes."""
        names = ["i", "j"][:len(dims)]
        value = self.rng.choice([f"({names[0]} * 7 + {names[-1]} * 3) % {self.rng.randint(3, 9)} - 2", f"{names[0]} - {names[-1]} % 3", f"{names[-1]} % 4 - 1"])
        return [f"{t.text()}{''.join(f'[{d}]' for d in dims)} {name};", "init {", *[f"for (int {i} = 0; {i} < {d}; {i}++)" for i, d in zip(names, dims)],
                f"{name}{''.join(f'[{i}]' for i in names)} = {f'({value}) * 0.25' if t == FLOAT else value};", "}"]

    # ---- Frames and sums ----

    def large(self, in_t, out_t):
        """A large frame in an array of two dimensions, read by rows or by columns."""
        rng, t = self.rng, in_t.text()
        r, c = rng.choice([(16, 16), (32, 16), (16, 64), (32, 32), (20, 30)])
        rows = rng.random() < 0.5
        outer, inner = (r, c) if rows else (c, r)
        at = "a[u][i]" if rows else "a[i][u]"
        step = rng.choice([f"s += {at} * h[i];", f"s += {at} * h[i];", f"if ({at} > s) s = {at};", f"if (i > u % {inner}) s -= {at};", f"s = s * 3 - {at};"])
        lines = [f"{t}[{r}][{c}] a;", f"for (int i = 0; i < {r}; i++)", f"for (int j = 0; j < {c}; j++)", "a[i][j] = pop();",
                 *([f"a[{rng.randrange(r)}][{rng.randrange(c)}] = 1;"] if rng.random() < 0.2 else []), f"for (int u = 0; u < {outer}; u++) {{", f"{t} s = {rng.randint(0, 2)};",
                 f"for (int i = 0; i < {inner}; i++)", step, self.given("s", in_t, out_t), "}"]
        return self.filter(in_t, out_t, f"pop {r * c} push {outer}", self.table(in_t, "h", inner), lines), r * c, outer, 0

    def bank(self, in_t, out_t):
        """Sums of the same items with the rows of a table."""
        rng, t, rows, n = self.rng, self.in_sum(in_t), self.rng.choice([4, 8, 16, 32, 33, 64]), self.rng.choice([8, 16, 20, 32, 64])
        extra = rng.choice([0, 0, 0, 3])
        terms = rng.choice(["s += h[u][i] * peek(i);", "s += peek(i) * h[u][i];", f"s += h[u][i] * peek(i + {extra});", f"s += h[u][i] * peek({n - 1} - i);",
                            "if (h[u][i] > 0) s += peek(i);", "s += h[u][i] * (peek(i) - 1);"])
        first, table = (("u", "h"), self.table(t, "h", rows, n)) if rng.random() < 0.7 else (("i", "h"), self.table(t, "h", n, rows))
        terms = terms if first[0] == "u" else terms.replace("h[u][i]", "h[i][u]")
        lines = [f"for (int u = 0; u < {rows}; u++) {{", f"{t.text()} s = {rng.choice(['0', '0', '1'])};", f"for (int i = 0; i < {n}; i++)", terms, self.given("s", t, out_t), "}",
                 f"for (int i = 0; i < {n}; i++)", "pop();"]
        return self.filter(in_t, out_t, f"pop {n} push {rows}" + (f" peek {n + extra}" if extra else ""), table, lines), n, rows, extra

    def in_sum(self, in_t):
        return FLOAT if in_t == FLOAT or self.rng.random() < 0.3 else INT

    def transform(self, in_t, out_t):
        """Items in the order of their reversed numbers, and passes of butterflies of neighbours that get farther apart."""
        rng, n = self.rng, self.rng.choice([4, 8, 16, 32])

        def ordered(k):
            """Splitters that put the even items before the odd ones."""
            if k == 2:
                return [f"add Identity<{in_t.text()}>;"]
            return ["add splitjoin {", "split roundrobin(1, 1);", *ordered(k // 2), *ordered(k // 2), f"join roundrobin({k // 2}, {k // 2});", "};"]
        lines, half, t = ordered(n), 1, in_t
        passes = rng.randint(1, n.bit_length() - 1)
        for number in range(passes):
            to = out_t if number == passes - 1 else t
            work = [f"for (int i = 0; i < {half}; i++)", self.given(f"peek(i) + peek(i + {half}) * {self.number(t)}", t, to), f"for (int i = 0; i < {half}; i++)",
                    self.given(f"peek(i) - peek(i + {half}){rng.choice(['', ' * w[i]'])}", t, to), f"for (int i = 0; i < {2 * half}; i++)", "pop();"]
            lines += self.filter(t, to, f"pop {2 * half} push {2 * half}", self.table(t, "w", half), work)
            half *= 2
        return lines, n, n, 0

    # ---- States ----

    def cascade(self, in_t, out_t):
        """Each trip of a loop has a state of its own, through which an item goes."""
        rng, t, m = self.rng, in_t.text(), self.rng.choice([2, 4, 8, 12, 16])
        step = rng.choice([[f"{t} y = b[m] * x + p[m];", "p[m] = q[m] - b[m] * y;", f"q[m] = x * {self.number(in_t)};", "x = y;"],
                           [f"{t} y = p[m] + x * b[m];", "p[m] = x - y * b[m];", "x = y;"], ["q[m] = p[m];", "p[m] = x;", "x = x - q[m] * b[m];"],
                           [f"{t} y = x + p[m] * b[m];", f"p[m] = y > {rng.randint(1, 30)} ? x : y;", "x = y - q[m];", "q[m] = p[m];"]])
        fields = [f"{t}[{m}] p;", f"{t}[{m}] q;", *self.table(in_t, "b", m)]
        lines = [f"{t} x = pop();", f"for (int m = 0; m < {m}; m++) {{", *step, "}", self.given("x", in_t, out_t)]
        return self.filter(in_t, out_t, "pop 1 push 1", fields, lines), 1, 1, 0

    def after_frame(self, in_t, out_t):
        """A filter whose frame goes through a loop with a state, beside one that goes item by item."""
        rng, t, n = self.rng, in_t.text(), self.rng.choice([4, 8, 16])
        frame = self.filter(in_t, in_t, f"pop {n} push {n}", [f"{t} s;", *self.table(in_t, "h", n)],
                            [f"for (int i = 0; i < {n}; i++) {{", f"s = {rng.choice(['pop() + s * h[i]', 'pop() - s', 's * h[i] - pop()'])};", rng.choice(["push(s);", "push(s * h[i]);"]), "}"])
        item = self.filter(in_t, out_t, "pop 1 push 1", [f"{t} y;"], [f"y = {rng.choice([f'pop() + y * {self.number(in_t)}', 'pop() - y'])};", self.given("y", in_t, out_t)])
        if in_t == out_t and rng.random() < 0.4:
            frame, item = item, frame
        return [*frame, *item], n, n, 0

    def register(self, in_t, out_t):
        """An int into which bits of items are shifted."""
        rng, bits, b = self.rng, self.rng.choice([2, 3, 4, 7, 8]), self.rng.choice([1, 1, 1, 2])
        mask, pushes = (1 << bits * b) - 1, self.rng.choice([1, 1, 2, 3])
        item = f"((int)pop() & {(1 << b) - 1})"
        shift = rng.choice([f"s = ((s << {b}) | {item}) & {mask};", f"s = (s >> {b}) | ({item} << {(bits - 1) * b});"])
        out = [self.given(rng.choice([f"(s ^ (s >> {rng.randint(1, 3)})) & {rng.choice([1, 1, mask])}", f"s & {rng.randint(1, mask)}", "s", f"s == {rng.randint(0, mask)} ? 1 : 0"]), INT, out_t)
               for _ in range(pushes)]
        return self.filter(in_t, out_t, f"pop 1 push {pushes}", [f"int s = {rng.choice([0, 0, mask])};"], [shift, *out]), 1, pushes, 0

    def scrambler(self, in_t, out_t):
        """A state that goes round by itself, of which an item gets some bits."""
        rng, bits, steps = self.rng, self.rng.choice([4, 5, 7]), self.rng.choice([1, 2, 8])
        lines = [f"int v = (int)pop() & {(1 << steps) - 1};", f"for (int k = 0; k < {steps}; k++) {{", f"int b = (s ^ (s >> {rng.randint(1, bits - 1)})) & 1;",
                 f"s = (s >> 1) | (b << {bits - 1});", rng.choice(["v = v ^ (b << k);", "v = (v << 1) ^ b;"]), "}", self.given("v", INT, out_t)]
        return self.filter(in_t, out_t, "pop 1 push 1", [f"int s = {rng.randint(1, (1 << bits) - 1)};"], lines), 1, 1, 0

    # ---- Pairs, splitjoins and loops ----

    def zeros(self, in_t, out_t):
        """Zeros between the items, and sums over a window of them."""
        rng, n, window = self.rng, self.rng.choice([2, 3, 4, 8]), self.rng.choice([8, 16, 24, 9])
        expand = self.filter(in_t, in_t, f"pop 1 push {n}", [], ["push(pop());", f"for (int i = 1; i < {n}; i++)", "push(0);"])
        t = self.in_sum(in_t)
        lines = [f"{t.text()} s = 0;", f"for (int i = 0; i < {window}; i++)", rng.choice(["s += peek(i) * h[i];", "s += h[i] * peek(i);"]), self.given("s", t, out_t), "pop();"]
        return [*expand, *self.filter(in_t, out_t, f"pop 1 push 1 peek {window}", self.table(t, "h", window), lines)], 1, n, -(-window // n)

    def delays(self, in_t, out_t):
        """Items that a splitjoin delays, beside others that it does not, and a filter of both."""
        rng, t, n = self.rng, in_t.text(), self.rng.choice([2, 2, 3])
        branches = []
        for _ in range(n):
            if rng.random() < 0.5:
                branches.append(f"add Identity<{t}>;")
                continue
            name, d = self.program.name("F", upper=True), rng.choice([1, 1, 2, 5, 16])
            self.program.decls.append([f"{t}->{t} filter {name} {{", f"prework push {d} {{", f"for (int i = 0; i < {d}; i++)", f"push({rng.choice(['0', 'i'])});", "}", "work pop 1 push 1 {", "push(pop());", "}", "}"])
            branches.append(f"add {name};")
        copies = rng.random() < 0.4
        names = [f"v{k}" for k in range(n)]
        lines = [*[f"{t} {v} = pop();" for v in names], *[self.given(f"{rng.choice(names)} {rng.choice('+-*')} {rng.choice(names)} * {self.number(in_t)}", in_t, out_t) for _ in range(rng.choice([1, n]))]]
        pushes = len(lines) - n
        joined = ["add splitjoin {", "split duplicate;" if copies else "split roundrobin(1);", *branches, "join roundrobin(1);", "};"]
        return [*joined, *self.filter(in_t, out_t, f"pop {n} push {pushes}", [], lines)], 1 if copies else n, pushes, 1

    def echo(self, in_t, out_t):
        """A loop that gives what it makes back some items later."""
        rng, t, d = self.rng, in_t.text(), self.rng.choice([1, 3, 8, 17, 40, 100])
        body = self.filter(in_t, in_t, "pop 2 push 2", [], [f"{t} x = pop();", f"{t} d = pop();", rng.choice(["push(x + d);", "push(d);", "push(x - d * 2);"]),
                                                           f"push({rng.choice(['x', 'x + d * ' + self.number(in_t), 'd - x'])});"])
        lines = ["add feedbackloop {", "join roundrobin(1, 1);", body[0].replace("add", "body"), "split roundrobin(1, 1);", f"loop Identity<{t}>;",
                 f"for (int i = 0; i < {d}; i++)", f"enqueue {rng.choice(['0', 'i', 'i - 3'])};", "};"]
        return [*lines, *self.filter(in_t, out_t, "pop 1 push 1", [], [self.given("pop()", in_t, out_t)])], 1, 1, 0

    def combs(self, in_t, out_t):
        """Filters with rings of their own for the same items, and the sum of what they give."""
        rng, t, n = self.rng, in_t.text(), self.rng.choice([2, 3, 4])
        adds, alike, d = [], rng.random() < 0.5, rng.choice([2, 5, 8])
        for _ in range(n):
            d = d if alike else rng.choice([1, 3, 7, 8])
            adds += self.filter(in_t, in_t, "pop 1 push 1", [f"{t}[{d}] r;", "int at;"], [f"{t} y = r[at];", rng.choice([f"r[at] = pop() + y * {self.number(in_t)};", "r[at] = pop() - y;"]),
                                                                                          rng.choice([f"at = at == {d - 1} ? 0 : at + 1;", f"at = (at + 1) % {d};", f"at++; if (at == {d}) at = 0;"]), "push(y);"])
        sums = self.filter(in_t, out_t, f"pop {n} push 1", [], [f"{t} s = 0;", f"for (int i = 0; i < {n}; i++)", "s += pop();", self.given("s", in_t, out_t)])
        return ["add splitjoin {", "split duplicate;", *adds, "join roundrobin(1);", "};", *sums], 1, 1, 0

    # ---- Choosing ----

    def stage(self, in_t, out_t):
        forms = [self.large, self.bank, self.transform, self.cascade, self.after_frame, self.register, self.scrambler, self.zeros, self.delays, self.echo, self.combs]
        if self.rng.random() < 0.25:
            return super().stage(in_t, out_t)
        return self.rng.choice(forms)(in_t, out_t)
