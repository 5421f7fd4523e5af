# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters whose firings work on frames of items in local arrays, and pipelines of them with so much input that firings go side by side.

Splitjoins have the same filter with other constants in each branch, for the same items or for others.
"""
from math import gcd

from gen_idioms import Idioms
from gen_steps import Name
from gen_types import BOOLEAN, FLOAT, INT


def fits_frames(in_t, out_t):
    return in_t in (INT, FLOAT) and out_t in (INT, FLOAT)


class Frame(Idioms):
    """A named filter with parameters for constants. pop, push and peek are its rates."""

    def __init__(self, program, in_t, out_t, pop=None):
        super().__init__(program, in_t, [])
        rng = self.rng
        self.out, self.name = out_t, program.name("F", upper=True)
        self.pop = pop or rng.choice([1, 2, 3, 4, 4, 6, 8, 8, 12, 16, 16, 24])
        self.peek_rate = self.pop + rng.choice([0, 0, 0, 0, 0, 1, 3, 8])
        self.push = rng.choice([1, 1, 2, 3, 4, 6, self.pop, self.pop, self.pop, max(1, self.pop // 2)])
        self.params, self.fields, self.init, self.functions = [], [], [], []
        self.stateful = "state" in program.features and rng.random() < 0.12
        self.make_constants()
        self.constants = list(self.scopes[0])
        self.make_helpers()
        self.work = self.make_work()

    # ---- Constants, fields and functions ----

    def make_constants(self):
        rng = self.rng
        for t in rng.choice([[], [INT], [INT], [FLOAT], [INT, FLOAT]]):
            self.params.append(self.declare(Name(self.fresh("c"), t, span=(0, 7) if t == INT else None, fixed=True)))
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            self.table(rng.choice([INT, INT, FLOAT]), rng.choice([(2,), (4,), (8,), (16,), (5,), (2, 2), (2, 4), (4, 2), (4, 4), (3, 5)]))
        if rng.random() < 0.3:
            value = rng.randint(0, 5)
            self.fields.append(f"int {(name := self.fresh('k'))} = {value};")
            self.declare(Name(name, INT, span=(value, value), fixed=True))
        for _ in range(rng.randint(1, 2) if self.stateful else 0):
            t, dims = rng.choice([INT, FLOAT]), rng.choice([(), (), (2,), (4,)])
            self.fields.append(f"{t.text()}{''.join(f'[{d}]' for d in dims)} {(name := self.fresh('f'))};")
            self.declare(Name(name, t, dims))

    def table(self, type_, dims):
        """A field that nothing assigns: its elements are written out, or init computes them."""
        rng, name = self.rng, self.fresh("h")
        sizes = "".join(f"[{d}]" for d in dims)
        most = rng.choice([1, 1, 3, 7, 100])

        def number():
            return str(rng.randint(0 if rng.random() < 0.5 else -most, most)) if type_ == INT else rng.choice(["1.0", "-1.0", "0.5", f"{rng.uniform(-2, 2):.3f}"])
        if rng.random() < 0.6:
            rows = ["{" + ", ".join(number() for _ in range(dims[-1])) + "}" for _ in range(dims[0] if len(dims) > 1 else 1)]
            self.fields.append(f"{type_.text()}{sizes} {name} = {'{' + ', '.join(rows) + '}' if len(dims) > 1 else rows[0]};")
        else:
            names = ["i", "j"][:len(dims)]
            loops = [f"for (int {i} = 0; {i} < {d}; {i}++)" for i, d in zip(names, dims)]
            constant = rng.choice([p.text for p in self.params if p.type == INT] + [str(rng.randint(1, 5))])
            value = rng.choice([f"{names[0]} * {constant} - {names[-1]}", f"({names[0]} + {constant}) * {names[-1]} - 2", f"{names[-1]} * {constant} % 3"])
            self.fields.append(f"{type_.text()}{sizes} {name};")
            self.init += [*loops, f"{name}{''.join(f'[{i}]' for i in names)} = {value}{' * 0.25' if type_ == FLOAT else ''};"]
        self.declare(Name(name, type_, dims, fixed=True))

    def function(self, result, params, write):
        """Adds a function of the filter, whose body write() makes; gives its name."""
        kept = self.lines, self.scopes, self.window, self.depth, self.mult, self.helpers
        self.lines, self.scopes, self.window, self.depth, self.mult = [], [self.constants, list(params)], 0, 1, 8
        name = self.fresh("fun")
        write()
        text = ", ".join(f"{p.type.text()}{''.join(f'[{d}]' for d in p.dims)} {p.text}" for p in params)
        self.functions += [f"{result} {name}({text}) {{", *self.lines, "}"]
        self.lines, self.scopes, self.window, self.depth, self.mult, self.helpers = kept
        return name

    def make_helpers(self):
        """Functions of scalars."""
        for _ in range(self.rng.choice([0, 0, 0, 0, 1, 2])):
            types = [self.rng.choice([self.item, INT, FLOAT]) for _ in range(self.rng.randint(1, 2))]
            result = self.rng.choice([self.item, INT, FLOAT])

            def write(result=result):
                self.statements(self.rng.choice([0, 0, 1, 2]))
                if self.rng.random() < 0.3:
                    self.line(f"if ({self.condition(1)}) return {self.of(result, 1)};")
                self.line(f"return {self.of(result)};")
            name = self.function(result.text(), [Name(self.fresh("x"), t) for t in types], write)
            self.helpers = [*self.helpers, (name, result, types)]

    def array_call(self):
        """A call of a function that reads an array, writes to one or gives one."""
        rng, arrays = self.rng, [a for a in self.arrays(rank=1, writable=True) if a.dims[0] <= 16]
        if not arrays:
            return self.statement()
        a, number = rng.choice(arrays), Name(self.fresh("x"), INT)
        param = Name(self.fresh("a"), a.type, a.dims)
        kind = rng.choice(["reads", "writes", "gives"])

        def write():
            n, t = a.dims[0], a.type
            if kind == "reads":
                s = self.local(t)
                with self.trips(n) as i:
                    self.line(rng.choice([f"{s.text} += {param.text}[{i}];", f"if ({param.text}[{i}] > {s.text}) {s.text} = {param.text}[{i}];",
                                          f"if ({self.condition(1)}) {s.text} -= {param.text}[{i}];"]))
                    self.maybe()
                self.line(f"return {s.text};")
                return
            to = param if kind == "writes" else self.array(t, n)
            with self.trips(n) as i:
                self.line(f"{to.text}[{i}] = {self.of(t)};")
                self.maybe()
            if kind == "gives":
                self.line(f"return {to.text};")
        sized = f"{a.type.text()}[{a.dims[0]}]"
        name = self.function({"reads": a.type.text(), "writes": "void", "gives": sized}[kind], [param, number], write)
        call = f"{name}({a.text}, {self.whole(1)})"
        if kind == "reads":
            return self.local(a.type, call)
        if kind == "writes":
            return self.line(f"{call};")
        made = Name(self.fresh("a"), a.type, a.dims)
        if rng.random() < 0.4:
            return self.line(f"{a.text} = {call};")
        self.line(f"{sized} {made.text} = {call};")
        return self.declare(made)

    # ---- Work ----

    def take(self):
        """Pops the frame into an array of one or two dimensions, all or a part of it; or leaves it to the loops that come."""
        rng, n = self.rng, self.pops
        r = rng.random()
        if n < 2 or r < 0.45:
            return
        if r < 0.6 and n > 2:
            n = rng.randint(2, n - 1)
        rows = [d for d in (2, 3, 4) if n % d == 0 and n // d > 1]
        r = rng.choice(rows) if rows and rng.random() < 0.3 else 1
        dims = (r, n // r) if r > 1 else (n,)
        type_ = self.item if rng.random() < 0.75 else rng.choice([INT, FLOAT])
        value = "pop()" if type_ == self.item else f"({type_.text()})pop()"
        made = Name(self.fresh("a"), type_, dims)
        if type_ != self.item and rng.random() < 0.4:
            value = f"({type_.text()})(pop() * {rng.choice(['2', '0.5'] if self.item == FLOAT else ['2', '3'])})"
        self.pops -= n
        self.line(f"{type_.text()}{''.join(f'[{d}]' for d in dims)} {made.text};")
        if len(dims) == 2 and rng.random() < 0.5:  # its columns, one after the other
            with self.trips(dims[1]) as j, self.trips(dims[0]) as i:
                self.line(f"{made.text}[{i}][{j}] = {value};")
        else:
            self.fill(made, lambda: value)
        self.window -= n
        self.declare(made)

    def give(self, count):
        """Pushes so many items."""
        rng = self.rng
        arrays = [a for a in self.arrays(self.out, 1) if not a.fixed and 1 < a.dims[0] <= count]
        if arrays and rng.random() < 0.4:  # a whole one
            a = rng.choice(arrays)
            with self.trips(a.dims[0]) as i:
                self.line(f"push({a.text}[{i}]);")
            count -= a.dims[0]
        if count in (3, 6, 10) and rng.random() < 0.3:  # a triangle
            i, j, n = self.fresh("i"), self.fresh("j"), {3: 2, 6: 3, 10: 4}[count]
            with self.block(f"for (int {i} = 0; {i} < {n}; {i}++)", Name(i, INT, span=(0, n - 1), fixed=True), trips=n):
                with self.block(f"for (int {j} = 0; {j} <= {i}; {j}++)", Name(j, INT, span=(0, n - 1), fixed=True), trips=n):
                    self.push_one()
            return
        while count > 0:
            n = rng.choice([n for n in range(1, count + 1) if count % n == 0]) if rng.random() < 0.8 else 1
            if n > 1:
                with self.trips(n):
                    self.maybe(share=0.15)
                    self.push_one()
            else:
                self.push_one()
            count -= n

    def push_one(self):
        """Pushes something computed, mostly of one of the work's variables, in turn."""
        a, b = self.of(self.out), self.of(self.out, 1)
        results = [n for scope in self.scopes[1:2] for n in scope if not n.fixed and not n.fields]
        if results and self.rng.random() < 0.8:
            self.given += 1
            a = self.result(results[-self.given % len(results)], a)
        if self.rng.random() < 0.1:
            with self.block(f"if ({self.condition(1)})"):
                self.line(f"push({a});")
            self.lines.pop()
            with self.block("} else"):
                self.line(f"push({b});")
        else:
            self.line(f"push({a});")

    def result(self, n, other):
        """A variable or an element as an item, sometimes with another value."""
        text = self.plain_element(n) if n.dims else n.text
        if n.type == BOOLEAN:
            return f"({text} ? {other} : {'1' if self.out == INT else '1.0'})"
        if n.type != self.out:
            text = f"((int){text})" if self.out == INT else f"((float){text} * 0.25)"
        return text if self.rng.random() < 0.5 else f"({text} {self.rng.choice('+-*^' if self.out == INT else '+-*')} {other})"

    def drop(self, n):
        """Pops what no loop has popped."""
        if n > 2 or (n and self.rng.random() < 0.5):
            k = self.fresh("k")
            self.line(f"for (int {k} = 0; {k} < {n}; {k}++) pop();")
        else:
            self.lines += ["pop();"] * n
        self.window -= n

    def make_work(self):
        rng, early = self.rng, self.rng.choice([0, 0, 0, self.push // 2])
        self.lines, self.pops, self.window, self.given = [], self.pop, self.peek_rate, 0
        self.scopes.append([])
        self.take()
        steps = [self.idiom] * rng.choice([1, 1, 1, 2]) + [self.statement] * rng.choice([0, 1, 2]) + [self.array_call] * (rng.random() < 0.15)
        rng.shuffle(steps)
        for k, step in enumerate(steps):
            step()
            if k == 0:
                self.give(early)
        late = rng.random() < 0.5
        if not late:
            self.drop(self.pops)
        self.give(self.push - early)
        if late:
            self.drop(self.pops)
        return self.lines

    # ---- The whole ----

    def declaration(self):
        """The lines of the filter."""
        params = ", ".join(f"{p.type.text()} {p.text}" for p in self.params)
        rates = f"pop {self.pop} push {self.push}" + (f" peek {self.peek_rate}" if self.peek_rate > self.pop else "")
        return [f"{self.item.text()}->{self.out.text()} filter {self.name}" + (f"({params})" if params else "") + " {", *self.fields,
                *(["init {", *self.init, "}"] if self.init else []), *self.functions, f"work {rates} {{", *self.work, "}", "}"]

    def added(self):
        """An 'add' of the filter with constants of this place."""
        rng = self.rng
        args = ", ".join(str(rng.randint(0, 7)) if p.type == INT else rng.choice(["0.5", "-1.25", "2.0", "0.75"]) for p in self.params)
        return f"add {self.name}" + (f"({args})" if args else "") + ";"


class Sums(Frame):
    """A filter of sums of one block of items, each with numbers that its constants give."""

    def __init__(self, program, in_t, out_t, pop):
        super().__init__(program, in_t, out_t, pop)
        self.peek_rate = pop

    def make_constants(self):
        self.params.append(self.declare(Name(self.fresh("c"), INT, span=(0, 7), fixed=True)))
        for _ in range(self.rng.randint(1, 2)):
            self.table(self.rng.choice([INT, FLOAT]), (self.pop,))

    def make_helpers(self):
        pass

    def make_work(self):
        rng, self.lines, sums = self.rng, [], []
        popped = rng.random() < 0.4
        self.push = 1 if popped else rng.choice([1, 1, 2, 4])
        tables = self.arrays(rank=1)
        for q in range(self.push):
            s, i, a = self.fresh("v"), self.fresh("i"), rng.choice(tables)
            t = FLOAT if FLOAT in (self.item, a.type) else INT
            item = "pop()" if popped else f"peek({i})"
            self.line(f"{t.text()} {s} = {q};")
            self.line(f"for (int {i} = 0; {i} < {self.pop}; {i}++) {s} += {rng.choice([f'{item} * {a.text}[{i}]', f'{a.text}[{i}] * {item}', f'{a.text}[{i}] * {item}'])};")
            sums.append((s, t))
        for s, t in sums:
            self.line(f"push({s});" if t == self.out or self.out == FLOAT else f"push((int){s});")
        self.window = self.pop
        self.drop(0 if popped else self.pop)
        return self.lines


class Frames:
    """A pipeline of such filters and of splitjoins of them. most_items: of a steady state of a whole program."""

    most_items = 400

    def __init__(self, graph, in_t, out_t):
        self.program, self.rng = graph.program, graph.rng
        self.in_t, self.out_t = in_t, out_t

    def stage(self, in_t, out_t):
        """The lines that add a stage, how many items it pops and pushes, and how many it looks ahead."""
        rng = self.rng
        block = rng.random() < 0.15
        frame = Sums(self.program, in_t, out_t, rng.choice([4, 8, 8, 16, 12])) if block else Frame(self.program, in_t, out_t)
        self.program.decls.append(frame.declaration())
        pop, push, ahead = frame.pop, frame.push, frame.peek_rate - frame.pop
        if not block and rng.random() < 0.75:
            return [frame.added()], pop, push, ahead
        n, copies = rng.choice([2, 3, 4, 4, 8]), rng.random() < 0.6
        adds = [frame.added() for _ in range(n)]
        if copies and not block and rng.random() < 0.3 and not frame.stateful:  # one that is unlike the others
            other = Frame(self.program, in_t, out_t, pop)
            if other.push == push:
                self.program.decls.append(other.declaration())
                adds[rng.randrange(n)], ahead = other.added(), max(ahead, other.peek_rate - pop)
        weight, joined = rng.choice([pop, pop, pop, 1, 2 - pop % 2]), rng.choice([push, push, push, 1, 2 - push % 2])
        lines = ["add splitjoin {", "split duplicate;" if copies else f"split roundrobin({weight});", *adds, f"join roundrobin({joined});", "};"]
        return lines, pop if copies else n * pop, n * push, ahead

    def write(self, body, most=3):
        """The body of the pipeline; gives (I, O, cost, lag)."""
        rng, pop, push, cost, lag = self.rng, 1, 1, 0, 2
        types = [self.in_t, *[rng.choice([INT, FLOAT, self.in_t]) for _ in range(rng.randrange(most))], self.out_t]
        for in_t, out_t in zip(types, types[1:]):
            lines, i, o, ahead = self.stage(in_t, out_t)
            body.out += lines
            factor = i // gcd(i, push)
            pop, push, cost = pop * factor, push * factor // i * o, cost * factor + push * factor // i * 20 * (i + o)
            lag += 2 + ahead
        return pop, push, cost, lag


def frame(graph, in_t, out_t):
    """A unit of one such filter."""
    from gen_filter import Unit
    made = Frame(graph.program, in_t, out_t)
    graph.program.decls.append(made.declaration())
    return Unit(in_t, out_t, made.pop, made.push, 20 * (made.pop + made.push), 2 + made.peek_rate, lambda w, c: [made.added().replace("add", w, 1)])
