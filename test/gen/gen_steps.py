# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions and statements of a firing that computes on whole numbers and floats in local arrays.

Unlike those of gen_body.py these are what firings side by side do in vectors, so that conditions, subscripts and trips that are the same for
all firings meet those that are not. Every expression is in parentheses or a primary one.
"""
from contextlib import contextmanager

from gen_types import BOOLEAN, FLOAT, INT

COMPARE = ["<", "<=", ">", ">=", "==", "!="]
MOST_TRIPS = 200  # of a statement in a firing


class Name:
    """What a firing can use. dims: the lengths of an array. span: the least and greatest value of a whole number; fixed: not assigned.
    fields: of an array of structures, each with its type."""

    def __init__(self, text, type_, dims=(), span=None, fixed=False, fields=None):
        self.text, self.type, self.dims, self.span, self.fixed, self.fields = text, type_, tuple(dims), span, fixed, fields


class Steps:
    """What writes the lines of a body. item: the type of the input's items."""

    def __init__(self, program, item, names):
        self.program, self.rng, self.item = program, program.rng, item
        self.lines, self.scopes, self.mult = [], [list(names)], 1
        self.window = 0  # so many items can certainly be peeked at
        self.helpers = []  # (name, result, parameters' types) of functions of scalars
        self.depth = 0  # of statements within statements
        self.plain = False  # whether nothing may be about arrays

    # ---- Names and blocks ----

    def fresh(self, stem):
        return self.program.name(stem)

    def line(self, text):
        self.lines.append(text)

    def declare(self, name):
        self.scopes[-1].append(name)
        return name

    def known(self, type_, wanted=lambda n: True):
        return [n for scope in self.scopes for n in scope if n.type == type_ and not n.dims and wanted(n)]

    def arrays(self, type_=None, rank=None, writable=False):
        return [] if self.plain else [n for scope in self.scopes for n in scope if n.dims and not n.fields and type_ in (None, n.type) and
                rank in (None, len(n.dims)) and not (writable and n.fixed)]

    def counters(self):
        """Whole numbers that are the same for all firings."""
        return self.known(INT, lambda n: n.fixed and n.span)

    @contextmanager
    def block(self, head, *names, trips=1):
        self.line(head + " {")
        self.scopes.append(list(names))
        self.mult *= trips
        self.depth += 1
        yield
        self.depth -= 1
        self.mult //= trips
        self.scopes.pop()
        self.line("}")

    @contextmanager
    def trips(self, n, upwards=False):
        """A loop of so many trips, which gives the text of its variable."""
        i, by = self.fresh("i"), self.rng.choice([0, 0, 0, 0, 0, 1]) if not upwards else 0
        head = f"for (int {i} = {n - 1}; {i} >= 0; {i}--)" if by else f"for (int {i} = 0; {i} < {n}; {i}++)"
        with self.block(head, Name(i, INT, span=(0, n - 1), fixed=True), trips=n):
            yield i

    def room(self, n):
        """Whether a loop of so many trips may stand here."""
        return self.mult * n <= MOST_TRIPS

    # ---- Subscripts ----

    def index(self, n, data=0.25):
        """From 0 to n - 1: mostly the same for all firings; with that share by what is computed."""
        rng = self.rng
        if rng.random() < data:
            value = self.leaf(INT) if self.item == INT or rng.random() < 0.5 else f"((int){self.leaf(FLOAT)})"
            return f"{value} & {n - 1}" if n & (n - 1) == 0 else f"({value} & 4095) % {n}"
        inside = [c for c in self.known(INT, lambda c: c.span) if c.span[0] >= 0 and c.span[1] < n]
        if inside and rng.random() < 0.75:
            c = rng.choice(inside[-3:])
            return rng.choice([c.text] * 5 + [f"{n - 1} - {c.text}", f"({c.text} + {rng.randint(1, n)}) % {n}", f"{c.text} / 2", f"{c.text} >> 1"])
        near = [c for c in self.counters() if c.span[0] >= 0]
        if near and rng.random() < 0.5:
            c = rng.choice(near)
            return rng.choice([f"{c.text} % {n}", f"({c.text} * {rng.randint(2, 5)} + {rng.randint(0, 3)}) % {n}", f"({c.text} ^ {rng.randint(1, 3)}) % {n}"])
        return str(rng.randrange(n))

    def element(self, a, data=0.15):
        return a.text + "".join(f"[{self.index(n, data)}]" for n in a.dims)

    def peek(self):
        """An item of the window, or one of its loops' sums of subscripts."""
        rng, room = self.rng, self.window - 1
        inside = [c for c in self.counters() if c.span[0] >= 0 and c.span[1] <= room]
        if not inside or rng.random() < 0.25:
            return f"peek({self.index(self.window, 0.1)})"
        first = rng.choice(inside)
        room, text = room - first.span[1], first.text
        second = [c for c in inside if c is not first and c.span[1] <= room]
        if second and rng.random() < 0.5:
            c = rng.choice(second)
            by = rng.randint(1, max(1, room // max(1, c.span[1])))
            room, text = room - by * c.span[1], f"{text} + {c.text} * {by}" if by > 1 else f"{text} + {c.text}"
        return f"peek({text} + {rng.randint(1, room)})" if room > 0 and rng.random() < 0.3 else f"peek({text})"

    # ---- Values ----

    def of(self, type_, depth=2):
        return {INT: self.whole, FLOAT: self.real, BOOLEAN: self.condition}[type_](depth)

    def leaf(self, type_):
        rng, pick = self.rng, self.rng.random()
        if pick < 0.3 and self.window > 0 and self.item == type_:
            return self.peek()
        if pick < 0.6 and (arrays := self.arrays(type_)):
            return self.plain_element(rng.choice(arrays))
        if pick < 0.65 and (members := self.members(type_)):
            n, field = rng.choice(members)
            return f"{n.text}[{self.index(n.dims[0], 0.1)}].{field}"
        if pick < 0.85 and (computed := self.known(type_, lambda n: not n.fixed)):
            return rng.choice(computed[-4:]).text
        if pick < 0.92 and (scalars := self.known(type_)):
            return rng.choice(scalars).text
        if pick < 0.97 and (other := self.of_other(type_)):
            return other
        if type_ == INT:
            return str(rng.choice([0, 1, 2, 3, 5, 7, 12, 100, 255, 1024]))
        return rng.choice(["0.5", "0.25", "1.5", "3.0", "0.0", "0.1", "10.0"])

    def members(self, type_):
        return [(n, f) for scope in self.scopes for n in scope if n.fields for f, t in n.fields if t == type_]

    def of_other(self, type_):
        """A float as a whole number, or the other way round; None where there is none."""
        rng, other = self.rng, INT if type_ == FLOAT else FLOAT
        names, arrays = self.known(other, lambda n: not n.fixed), self.arrays(other)
        if self.window > 0 and self.item == other and rng.random() < 0.5:
            text = self.peek()
        elif arrays and rng.random() < 0.5:
            text = self.plain_element(rng.choice(arrays))
        elif names:
            text = rng.choice(names).text
        else:
            return None
        return f"((int)({text} * {rng.choice(['2', '8', '0.5'])}))" if type_ == INT else f"((float){text} * {rng.choice(['0.5', '0.125'])})"

    def plain_element(self, a):
        """An element whose subscripts need no further expression."""
        inside = {n: [c.text for c in self.known(INT, lambda c, n=n: c.span) if c.span[0] >= 0 and c.span[1] < n] for n in a.dims}
        return a.text + "".join(f"[{self.rng.choice(inside[n] * 3 + [str(self.rng.randrange(n))])}]" for n in a.dims)

    def whole(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.leaf(INT)
        a, b, pick = self.whole(depth - 1), self.whole(depth - 1), rng.randrange(18)
        if pick < 4:
            return f"({a} {rng.choice('+-')} {b})"
        if pick < 6:
            return f"({a} * {rng.choice([2, 3, 5, -1, -7])})" if rng.random() < 0.7 else f"({a} * {b})"
        if pick < 8:
            return f"({a} {rng.choice('&|^')} {b})" if rng.random() < 0.5 else f"({a} & {rng.choice([1, 3, 7, 15, 255, 6, -4])})"
        if pick == 8:
            return f"({a} {rng.choice(['<<', '>>'])} {rng.choice([1, 1, 2, 3, 8, 16, 31])})"
        if pick == 9:
            count = [c.text for c in self.counters()]
            return f"({a} {rng.choice(['<<', '>>'])} {rng.choice(count) if count else f'({b} & 3)'})"
        if pick == 10 and rng.random() < 0.2:  # a rotation
            n = rng.choice([str(k) for k in (1, 5, 7, 24)] + [f"({b} & 31)"])
            return f"(({a} << {n}) | (({a} >> (32 - {n})) & ((1 << {n}) - 1)))"
        if pick == 10:
            return f"(({a} & 1023) {rng.choice('/%')} {rng.choice([2, 3, 5, 8, 10])})" if rng.random() < 0.6 else f"({a} {rng.choice('/%')} (({b} & 7) + 1))"
        if pick == 11:
            return f"((int){rng.choice(['min', 'max'])}({a}, {b}))"
        if pick == 12:
            return rng.choice([f"((int)abs({a}))", f"(-{a})", f"(~{a})"])
        if pick == 13:
            return f"((int){self.real(depth - 1)})"
        if pick == 14 and self.arrays(INT):
            return self.element(rng.choice(self.arrays(INT)), 0.5)
        return self.call(INT, depth) or self.chosen(a, b, depth)

    def real(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.leaf(FLOAT)
        a, b, pick = self.real(depth - 1), self.real(depth - 1), rng.randrange(16)
        if pick < 5:
            return f"({a} {rng.choice('+-')} {b})"
        if pick < 8:
            return f"({a} * {b})" if rng.random() < 0.6 else f"({a} * {rng.choice(['0.5', '0.25', '2', '-1.5'])})"
        if pick == 8:
            return f"{rng.choice(['min', 'max'])}({a}, {b})"
        if pick == 9:
            return rng.choice([f"abs({a})", f"(-{a})", f"floor({a})", f"({a} / {rng.choice(['2', '3.0', '0.5'])})", f"sqrt(abs({a}))"])
        if pick == 10:
            return f"((float){self.whole(depth - 1)})"
        if pick == 11:
            return f"({a} {rng.choice('+-*')} {self.whole(depth - 1)})"
        if pick == 12 and self.arrays(FLOAT):
            return self.element(rng.choice(self.arrays(FLOAT)), 0.5)
        return self.call(FLOAT, depth) or self.chosen(a, b, depth)

    def chosen(self, a, b, depth):
        """One of two values; or a chain of choices."""
        if self.rng.random() < 0.2:
            b = f"{self.condition(0)} ? {b} : {self.condition(0)} ? {a} : {b}"
        return f"({self.condition(depth - 1)} ? {a} : {b})"

    def call(self, type_, depth):
        fits = [h for h in self.helpers if h[1] == type_]
        if not fits or self.rng.random() < 0.4:
            return None
        name, _, params = self.rng.choice(fits)
        return f"{name}({', '.join(self.of(t, depth - 1) for t in params)})"

    # ---- Conditions ----

    def same(self):
        """A condition that is the same for all firings; None where nothing is that it could be about."""
        rng, counters = self.rng, self.counters()
        tables = [a for a in self.arrays(INT) if a.fixed]
        if not counters:
            return None
        c = rng.choice(counters)
        pick = rng.randrange(6)
        if pick == 0 and len(counters) > 1:
            return f"({c.text} {rng.choice(COMPARE)} {rng.choice(counters).text})"
        if pick == 1:
            return f"({rng.choice(['', '!'])}(({c.text} & {rng.choice([1, 1, 2, 3])}) == 0))"
        if pick == 2 and tables:
            a = rng.choice(tables)
            return f"({a.text}{''.join(f'[{self.index(n, 0)}]' for n in a.dims)} {rng.choice(COMPARE)} {rng.randint(-2, 6)})"
        return f"({c.text} {rng.choice(COMPARE)} {rng.randint(c.span[0], c.span[1])})"

    def guarded(self):
        """A load that && lets happen only where its subscript is inside."""
        rng, arrays = self.rng, self.arrays(rank=1)
        at = self.known(INT, lambda n: n.text.isidentifier())
        if not arrays or not at:
            return None
        a, i = rng.choice(arrays), rng.choice(at)
        n, by = a.dims[0], rng.choice([0, 1, 1, 2, -1, -1])
        k = f"{i.text} {'+' if by > 0 else '-'} {abs(by)}" if by else i.text
        span = (i.span[0] + by, i.span[1] + by) if i.span else (-1, n)
        tests = ([f"{k} >= 0"] if span[0] < 0 else []) + ([f"{k} < {n}"] if span[1] >= n else [])
        return f"({' && '.join(tests + [f'{a.text}[{k}] {rng.choice(COMPARE)} {self.of(a.type, 1)}'])})"

    def condition(self, depth):
        rng, pick = self.rng, self.rng.random()
        flags = self.known(BOOLEAN)
        if pick < 0.3:
            same = self.same()
            if same:
                return same
        if pick < 0.42:
            guarded = self.guarded()
            if guarded:
                return guarded
        if pick < 0.5 and flags:
            return rng.choice(["", "!"]) + rng.choice(flags).text
        if pick < 0.65 and depth > 0:
            return f"({self.condition(depth - 1)} {rng.choice(['&&', '||'])} {self.condition(depth - 1)})"
        type_ = rng.choice([self.item, self.item, INT, FLOAT])
        return f"({self.of(type_, min(depth, 1))} {rng.choice(COMPARE)} {self.of(type_, min(depth, 1))})"

    # ---- Statements ----

    def local(self, type_=None, value=None):
        type_ = type_ or self.rng.choice([self.item, self.item, INT, FLOAT, BOOLEAN])
        name = self.fresh("b" if type_ == BOOLEAN else "v")
        self.line(f"{type_.text()} {name} = {value or self.of(type_)};")
        return self.declare(Name(name, type_))

    def array(self, type_=None, n=None):
        """A local array, of one or two dimensions, with something in it."""
        rng, name = self.rng, self.fresh("a")
        type_ = type_ or rng.choice([self.item, self.item, INT, FLOAT])
        dims = (n,) if n else rng.choice([(2,), (3,), (4,), (4,), (8,), (7,), (16,), (2, 2), (2, 4), (3, 4), (4, 4), (4, 2), (2, 8)])
        made = Name(name, type_, dims)
        self.line(f"{type_.text()}{''.join(f'[{d}]' for d in dims)} {name};")
        if self.room(dims[0] * dims[-1]) and rng.random() < 0.8:
            self.fill(made, lambda: self.of(type_, 1))
        return self.declare(made)

    def fill(self, a, value, at=()):
        """Loops that give each element a value."""
        if len(at) == len(a.dims):
            self.line(f"{a.text}{''.join(f'[{i}]' for i in at)} = {value()};")
            return
        with self.trips(a.dims[len(at)]) as i:
            self.fill(a, value, (*at, i))

    def target(self):
        """A variable or an element to write to: its text and type, and the span of what it may become."""
        rng, arrays = self.rng, self.arrays(writable=True)
        structs = [n for scope in self.scopes for n in scope if n.fields]
        names = [n for t in (INT, FLOAT, BOOLEAN) for n in self.known(t, lambda n: not n.fixed)]
        if structs and rng.random() < 0.15:
            n = rng.choice(structs)
            field, t = rng.choice(n.fields)
            return f"{n.text}[{self.index(n.dims[0])}].{field}", t, None
        if arrays and (not names or rng.random() < 0.4):
            a = rng.choice(arrays)
            return self.element(a, 0.2), a.type, None
        if not names:
            return None
        n = rng.choice(names)
        return n.text, n.type, n.span

    def assign(self):
        rng, target = self.rng, self.target()
        if target is None:
            self.local()
            return
        text, type_, span = target
        if span:
            self.line(f"{text} = {self.index(span[1] + 1, 0.5)};")
        elif type_ == BOOLEAN or rng.random() < 0.5:
            self.line(f"{text} = {self.of(type_)};")
        elif type_ == INT and rng.random() < 0.3:
            self.line(rng.choice([f"{text}++;", f"{text}--;", f"{text} = ({text} << {rng.randint(1, 4)}) | ({self.whole(1)} & {rng.choice([1, 3, 15])});",
                                  f"{text} >>= {rng.randint(1, 3)};"]))
        else:
            self.line(f"{text} {rng.choice(['+=', '+=', '-=', '*='])} {self.of(type_, 1)};")

    def best(self):
        """What is smaller or larger than what a variable or an element has takes its place."""
        target = self.target()
        if target is None or target[2] or target[1] == BOOLEAN:
            self.assign()
            return
        text, type_, _ = target
        value = self.of(type_)
        self.line(self.rng.choice([f"if ({value} > {text}) {text} = {value};", f"if ({value} < {text}) {text} = {value};", f"{text} = {value} < {text} ? {value} : {text};",
                                   f"{text} = {'(int)' if type_ == INT else ''}{self.rng.choice(['min', 'max'])}({text}, {value});"]))

    def branch(self):
        """An if with any number of further ones behind its else, or with one that stands alone there, in braces."""
        rng = self.rng
        with self.block(f"if ({self.condition(1)})"):
            if self.room(8) and rng.random() < 0.08:
                self.counted_down()
            self.statements(rng.randint(1, 2))
        r = rng.random()
        if r < 0.35:
            for _ in range(rng.choice([1, 1, 2, 3])):
                self.lines.pop()
                with self.block(f"}} else if ({self.condition(1)})"):
                    self.statements(1)
        if r < 0.55:
            self.lines.pop()
            with self.block("} else"):
                self.statements(rng.randint(1, 2))
        elif r < 0.75:
            self.lines.pop()
            with self.block("} else"):
                self.branch()

    def loop(self):
        rng = self.rng
        n = rng.choice([2, 2, 3, 4, 4, 5, 8, 12])
        if not self.room(n):
            self.assign()
            return
        r = rng.random()
        if r < 0.6:
            with self.trips(n):
                self.statements(rng.randint(1, 3))
                if rng.random() < 0.15:
                    self.line(f"if ({self.condition(1)}) {rng.choice(['break', 'continue'])};")
                    self.statements(1)
        elif r < 0.8:
            self.ended_by_data(n)
        else:
            outer = [c for c in self.counters() if c.span[0] >= 0 and c.span[1] < 12]
            i = self.fresh("i")
            if outer and rng.random() < 0.7:  # a triangle
                c = rng.choice(outer)
                if rng.random() < 0.5:
                    head, span = f"for (int {i} = 0; {i} <= {c.text}; {i}++)", (0, c.span[1])
                else:
                    head, span = f"for (int {i} = {c.text} + 1; {i} < {c.span[1] + 1}; {i}++)", (c.span[0] + 1, c.span[1])
            else:
                low, by = rng.randint(0, 3), rng.choice([1, 2, 2, 3])
                head, span = f"for (int {i} = {low}; {i} < {low + n}; {i} += {by})", (low, low + n - 1)
            if span[0] > span[1] or not self.room(span[1] + 1):
                self.assign()
                return
            with self.block(head, Name(i, INT, span=span, fixed=True), trips=span[1] + 1):
                self.statements(rng.randint(1, 2))

    def ended_by_data(self, n):
        """A loop of at most so many trips, which data end."""
        rng, k = self.rng, self.fresh("k")
        counter = Name(k, INT, span=(0, n - 1), fixed=True)
        arrays = [a for a in self.arrays(rank=1) if a.dims[0] >= n]
        self.scopes.append([counter])
        goes_on = f"{(a := rng.choice(arrays)).text}[{k}] {rng.choice(COMPARE)} {self.of(a.type, 1)}" if arrays and rng.random() < 0.6 else self.condition(1)
        self.scopes.pop()
        r = rng.random()
        if r < 0.4:
            with self.block(f"for (int {k} = 0; {k} < {n} && {goes_on}; {k}++)", counter, trips=n):
                self.statements(1)
        elif r < 0.7:
            self.line(f"int {k} = 0;")
            with self.block(f"while ({k} < {n} && {goes_on})", counter, trips=n):
                self.statements(1)
                self.line(f"{k}++;")
            self.declare(Name(k, INT, fixed=True))
        elif r < 0.85:
            m = self.fresh("n")
            most = 1 << (n.bit_length() - 1)
            self.line(f"int {m} = {self.whole(1)} & {most - 1};")
            with self.block(f"for (int {k} = 0; {k} < {m}; {k}++)", counter, trips=n):
                self.statements(rng.randint(1, 2))
        else:
            v = self.local(INT, f"{self.whole(1)} & {(1 << n) - 1}")
            v.fixed = True
            with self.block(f"while ({v.text} != 0)", trips=n):
                self.statements(1)
                self.line(rng.choice([f"{v.text} >>= 1;", f"{v.text} = {v.text} & ({v.text} - 1);"]))

    def counted_down(self):
        """A loop without arrays that ends for each firing when a number of its own has become small; what it does may be about others."""
        rng, outer = self.rng, self.plain
        n = self.local(INT, f"{self.whole(1)} & {rng.choice([7, 15, 63])}")
        n.fixed, self.plain = True, True
        more = f" && {self.condition(1)}" if rng.random() < 0.3 else ""
        test, after = f"({n.text} > {rng.choice([0, 0, 0, 1, 3])}{more})", rng.random() < 0.3
        with self.block("do" if after else f"while {test}", trips=8):
            self.statements(rng.randint(1, 2))
            self.line(rng.choice([f"{n.text} >>= 1;", f"{n.text} = {n.text} / {rng.choice([2, 3])};", f"{n.text} -= 1 + ({self.whole(0)} & 3);"]))
        if after:
            self.lines[-1] = f"}} while {test};"
        self.plain = outer

    def statement(self):
        rng = self.rng
        pick = rng.random()
        if self.depth > 3 or pick < 0.3:
            self.assign()
        elif pick < 0.42:
            self.local()
        elif pick < 0.54:
            self.best()
        elif pick < 0.78:
            self.branch()
        elif pick < 0.91:
            self.loop()
        elif pick < 0.96 and self.room(8):
            self.counted_down()
        elif not self.plain:
            self.array()

    def statements(self, count):
        for _ in range(count):
            self.statement()
