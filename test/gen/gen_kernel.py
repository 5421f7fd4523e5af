# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters as signal processing writes them: sums over windows, blocks in local arrays, products of matrices.

What compilers transform in them (firings side by side, items read where they lie) hardly occurs in random statements.
"""
from gen_body import Body
from gen_expr import COND, Var, wrap
from gen_filter import FilterMaker, Rates
from gen_types import INT, VOID, array


class KernelMaker(FilterMaker):
    """A filter between channels of numbers, whose work is one of a few loops with random parts."""

    def make_functions(self):
        pass

    def make_prework(self):
        return 0 if self.rng.random() < 0.8 else super().make_prework()

    def pick_rates(self):
        rng = self.rng
        self.shape = rng.choice([self.window_sum, self.window_sum, self.block, self.popped_sum, self.product, self.butterfly])
        self.size = rng.choice([2, 3, 4, 5, 8, 12, 16, 17] if self.program.size < 8 else [2, 3, 4, 5, 8, 12, 16, 24, 33])
        if self.shape in (self.window_sum, self.popped_sum) and rng.random() < 0.5:
            self.size = rng.choice([12, 13, 16, 24, 33])  # long enough for firings side by side
        if self.shape == self.window_sum:
            pop = rng.choice([1, 1, 1, 2, 3])
            return Rates(pop, rng.choice([1, 1, 2]), max(pop, self.size))
        if self.shape == self.product:
            self.rows, self.columns, self.inner = (rng.randint(1, 4) for _ in range(3))
            return Rates((self.rows + self.columns) * self.inner, self.rows * self.columns, 0)
        if self.shape == self.butterfly:
            self.size = rng.choice([1, 2, 4])
            return Rates(2 * self.size, 2 * self.size, 0)
        return Rates(self.size, 1 if self.shape == self.popped_sum else self.size, self.size + rng.choice([0, 0, 0, 1, 3]))

    def make_fields(self):
        self.stateful = "state" in self.program.features and self.rng.random() < 0.2
        t = self.in_t if self.in_t.kind != "bit" else INT
        self.table = self.program.name("h")
        body = Body(self.program, self.outer(), "composite")
        n = max(2, self.size)
        self.lines.append(f"{array(t, n).text()} {self.table};")
        self.fields = [Var(self.table, array(t, n), rw=False, field=True)]
        k = self.program.name("k")
        body.scopes.append([Var(k, INT, rw=False, span=(0, n - 1))])
        self.lines += ["init {", f"for (int {k} = 0; {k} < {n}; {k}++)", f"{self.table}[{k}] = {body.value(t, 2)};", "}"]
        self.state = None
        if self.stateful:
            self.state = self.program.name("f")
            self.lines.append(f"{t.text()} {self.state};")

    def make_init(self):
        pass

    def tape_body(self, kind, rates, size):
        if kind != "work":
            return super().tape_body(kind, rates, 0)
        self.body = Body(self.program, self.outer() + [self.fields], "composite")
        lines = self.shape()
        return lines, 4 * self.size

    # ---- Parts ----

    def name(self, stem):
        return self.program.name(stem)

    def sum_type(self):
        return self.in_t if self.in_t.kind != "bit" else INT

    def zero(self):
        return self.rng.choice(["0", "0", "1"]) if self.in_t.kind != "boolean" else "false"

    def term(self, item, k):
        """What an item adds to a sum."""
        rng = self.rng
        index = k if rng.random() < 0.8 else f"{self.size - 1} - {k}"
        return rng.choice([f"{item} * {self.table}[{index}]", f"{self.table}[{index}] * {item}", f"{item} * {self.table}[{index}]", item,
                           f"{item} * {rng.randint(1, 5)}", f"({item} - {self.table}[{index}])"])

    def result(self, text):
        """A sum as an item of the output."""
        t, out = self.sum_type(), self.out_t
        if self.state and self.rng.random() < 0.7:
            text = f"{text} + {self.state}"
        if t == out:
            return text
        if out.kind == "bit":
            return f"(bit)((int)({text}) & 1)" if t.kind != "complex" else f"(bit)((int)abs({text}) & 1)"
        if t.kind == "complex":
            return f"({out.kind})abs({text})"
        return f"({out.kind})({text})"

    def remember(self, text):
        return [f"{self.state} = {text};"] if self.state else []

    def pops(self, n):
        if n == 0:
            return []
        if n < 4 and self.rng.random() < 0.6:
            return ["pop();"] * n
        k = self.name("k")
        return [f"for (int {k} = 0; {k} < {n}; {k}++) pop();"]

    # ---- Shapes ----

    def window_sum(self):
        rng, t, lines = self.rng, self.sum_type().text(), []
        early = rng.choice([0, 0, self.rates.pop]) if self.size > self.rates.pop else 0
        pops = self.pops(self.rates.pop)
        for q in range(self.rates.push):
            s, k = self.name("s"), self.name("k")
            lines.append(f"{t} {s} = {self.zero()};")
            span = self.size - early if q else self.size
            if early and q == 1:
                lines += pops
            forms = [(f"for (int {k} = 0; {k} < {span}; {k}++)", f"peek({k})"),
                     (f"for (int {k} = {span - 1}; {k} >= 0; {k}--)", f"peek({k})"),
                     (f"for (int {k} = 0; {k} < {span}; {k}++)", f"peek({span - 1} - {k})"),
                     (f"for (int {k} = 0; {k} < {span}; {k} += 2)", f"peek({k})")]
            head, item = rng.choice(forms)
            lines.append(f"{head} {s} += {self.term(item, k)};")
            lines.append(f"push({self.result(s)});")
            lines += self.remember(s)
        if not (early and self.rates.push > 1):
            lines += pops
        return lines

    def popped_sum(self):
        s, k, t = self.name("s"), self.name("k"), self.sum_type().text()
        lines = [f"{t} {s} = {self.zero()};", f"for (int {k} = 0; {k} < {self.size}; {k}++) {s} += {self.term('pop()', k)};"]
        if self.rng.random() < 0.3 and self.sum_type().kind != "complex":
            m = self.name("m")
            lines = [f"{t} {m} = peek(0);", f"for (int {k}0 = 1; {k}0 < {self.size}; {k}0++) if (peek({k}0) > {m}) {m} = peek({k}0);", *lines, f"{s} -= {m};"]
        return lines + [f"push({self.result(s)});"] + self.remember(s)

    def block(self):
        rng, n, t = self.rng, self.size, self.in_t
        a, i, j = self.name("a"), self.name("i"), self.name("j")
        lines = [f"{array(t, n).text()} {a};", f"for (int {i} = 0; {i} < {n}; {i}++) {a}[{i}] = pop();"]
        r = rng.random()
        if r < 0.3 and t.kind not in ("complex", "boolean"):
            x = self.name("x")
            lines += [f"for (int {i} = 0; {i} < {n}; {i}++)", f"for (int {j} = {i} + 1; {j} < {n}; {j}++)", f"if ({a}[{j}] < {a}[{i}]) {{",
                      f"{t.text()} {x} = {a}[{i}];", f"{a}[{i}] = {a}[{j}];", f"{a}[{j}] = {x};", "}"]
        elif r < 0.6:
            lines += [f"for (int {i} = 1; {i} < {n}; {i}++) {a}[{i}] = {a}[{i} - 1];"] if t.kind in ("bit", "boolean") else \
                     [f"for (int {i} = 1; {i} < {n}; {i}++) {a}[{i}] += {a}[{i} - 1];"]
        index = rng.choice([f"{n - 1} - {j}", j, f"({j} * {rng.choice([1, 3, 5, 7])} + 1) % {n}"])
        lines.append(f"for (int {j} = 0; {j} < {n}; {j}++) push({self.item(f'{a}[{index}]')});")
        return lines

    def item(self, text):
        t, self.state_kept = self.in_t, self.state
        self.state = None
        text = text if t == self.out_t else self.result(text)
        self.state = self.state_kept
        return text

    def product(self):
        r, c, n, t = self.rows, self.columns, self.inner, self.sum_type().text()
        i, j, k, s = self.name("i"), self.name("j"), self.name("k"), self.name("s")
        second = self.rng.choice([f"{r * n} + {k} * {c} + {j}", f"{r * n} + {j} * {n} + {k}"])
        return [f"for (int {i} = 0; {i} < {r}; {i}++) {{", f"for (int {j} = 0; {j} < {c}; {j}++) {{", f"{t} {s} = 0;",
                f"for (int {k} = 0; {k} < {n}; {k}++) {s} += peek({i} * {n} + {k}) * peek({second});", f"push({self.result(s)});", "}", "}",
                *self.pops(self.rates.pop)]

    def butterfly(self):
        n, t = self.size, self.sum_type().text()
        i, x, y = self.name("i"), self.name("x"), self.name("y")
        if self.rng.random() < 0.5:
            return [f"for (int {i} = 0; {i} < {n}; {i}++) {{", f"{t} {x} = pop();", f"{t} {y} = pop();", f"push({self.result(f'{x} + {y}')});",
                    f"push({self.result(f'{x} - {y} * {self.table}[{i}]')});", "}"]
        return [f"for (int {i} = 0; {i} < {n}; {i}++) push({self.result(f'peek({i}) + peek({i} + {n})')});",
                f"for (int {i} = 0; {i} < {n}; {i}++) {{", f"push({self.result(f'peek(0) - peek({n}) * {self.table}[{i}]')});", "pop();", "}", *self.pops(n)]


def fits(in_t, out_t):
    """Whether a kernel can stand between these types."""
    return in_t.kind in ("int", "float", "double", "complex") and out_t.kind in ("int", "float", "double", "bit") or \
        in_t == out_t and in_t.kind == "complex"
