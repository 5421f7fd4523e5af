# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What firings on frames of items do, with random parts: trellises, searches, counters, tables of costs, packed ints, orders, machines of states."""
from collections import namedtuple
from contextlib import contextmanager

from gen_steps import COMPARE, Name, Steps
from gen_types import FLOAT, INT


Trip = namedtuple("Trip", "at item count pops")  # the text of its number, a Name, how many there are; whether the loop pops


class Idioms(Steps):
    """pops: so many items are still to be popped. They are those of the window first, so that a loop may take them one by one."""

    pops = 0

    # ---- Items ----

    @contextmanager
    def over(self, most=64, upwards=True):
        """A loop over what it pops, the window or an array, which gives a Trip."""
        rng, type_ = self.rng, self.item
        arrays, pops = [a for a in self.arrays(rank=1) if not a.fixed and a.dims[0] <= most], False
        if 0 < self.pops <= most and self.room(self.pops) and self.depth == 0 and rng.random() < 0.6:
            n, pops = self.pops, True
            self.pops, self.window = 0, self.window - n
        elif self.window > 1 and (not arrays or rng.random() < 0.4):
            n, a = min(most, self.window), None
        elif arrays:
            a = rng.choice(arrays)
            n, type_ = a.dims[0], a.type
        else:
            a = self.array(n=min(most, 4))
            n, type_ = a.dims[0], a.type
        x = self.fresh("x")
        with self.through(n, upwards) as i:
            self.maybe(share=0 if pops else 0.1)
            self.line(f"{type_.text()} {x} = {'pop()' if pops else f'{a.text}[{i}]' if a else f'peek({i})'};")
            if rng.random() < 0.06:
                self.line(f"if ({self.condition(1)}) continue;")
            yield Trip(i, self.declare(Name(x, type_)), n, pops)

    @contextmanager
    def through(self, n, upwards):
        """A loop of so many trips, or one in another; gives the number of the trip."""
        rows = [d for d in (2, 3, 4) if n % d == 0 and n // d > 1]
        if not rows or self.rng.random() < 0.85:
            with self.trips(n, upwards) as i:
                yield i
            return
        columns = n // self.rng.choice(rows)
        with self.trips(n // columns, True) as i, self.trips(columns, True) as j:
            yield f"({i} * {columns} + {j})"

    def converted(self, name, type_):
        """The value of a name as another type."""
        if name.type == type_:
            return name.text
        return f"(int)({name.text} * {self.rng.choice(['4', '1', '0.5'])})" if type_ == INT else f"((float){name.text} * {self.rng.choice(['0.5', '0.25', '1'])})"

    def maybe(self, count=1, share=0.25):
        if self.rng.random() < share:
            self.statements(count)

    # ---- Searches ----

    def search(self):
        """The best value, where it is, and sometimes the second best."""
        rng = self.rng
        type_ = rng.choice([self.item, self.item, INT, FLOAT])
        top, at, op = self.fresh("v"), self.fresh("v"), rng.choice(["<", ">", "<=", ">="])
        second = self.fresh("v") if rng.random() < 0.3 else None
        start = ("1000000" if "<" in op else "-1000000") if rng.random() < 0.7 else "0"
        self.line(f"{type_.text()} {top} = {start};")
        if second:
            self.line(f"{type_.text()} {second} = {start};")
        self.line(f"int {at} = 0;")
        with self.over() as trip:
            value = self.converted(trip.item, type_) if rng.random() < 0.5 else self.of(type_)
            if rng.random() < 0.5:
                value = self.local(type_, value).text
            more = rng.choice(["", "", "", f" && {self.condition(0)}"])
            with self.block(f"if ({value} {op} {top}{more})"):
                if second:
                    self.line(f"{second} = {top};")
                self.line(f"{top} = {value};")
                self.line(f"{at} = {trip.at};")
            if second:
                self.lines.pop()
                with self.block(f"}} else if ({value} {op} {second})"):
                    self.line(f"{second} = {value};")
            if not trip.pops and rng.random() < 0.12:
                self.line(f"if ({top} {rng.choice(COMPARE)} {self.of(type_, 0)}) break;")
        self.declare(Name(top, type_))
        self.declare(Name(at, INT, span=(0, trip.count - 1)))
        if second:
            self.declare(Name(second, type_))

    def place(self):
        """Where the best element of an array is, and what lies there."""
        rng, arrays = self.rng, self.arrays(rank=1)
        if not arrays:
            return self.search()
        a, at = rng.choice(arrays), self.fresh("v")
        n, i = a.dims[0], self.fresh("i")
        self.line(f"int {at} = {rng.choice(['0', '0', str(n - 1)])};")
        with self.block(f"for (int {i} = {rng.choice([0, 1])}; {i} < {n}; {i}++)", Name(i, INT, span=(0, n - 1), fixed=True), trips=n):
            more = rng.choice(["", "", "", f" && {self.condition(0)}"])
            self.line(f"if ({a.text}[{i}] {rng.choice(['<', '>', '<=', '>='])} {a.text}[{at}]{more}) {at} = {i};")
        self.declare(Name(at, INT, span=(0, n - 1)))
        return self.local(a.type, f"{a.text}[{at}]")

    def sums(self):
        """Sums in several variables of one loop."""
        rng = self.rng
        sums = [(self.fresh("v"), rng.choice([self.item, INT, FLOAT])) for _ in range(rng.randint(2, 4))]
        for name, t in sums:
            self.line(f"{t.text()} {name} = {rng.choice(['0', '0', '1', '-3'])};")
        with self.over(upwards=False) as trip:
            for name, t in sums:
                value = f"{self.converted(trip.item, t)} * {self.leaf(t)}" if rng.random() < 0.5 else self.of(t, 1)
                r = rng.random()
                if r < 0.6:
                    self.line(f"{name} {rng.choice(['+=', '+=', '-='])} {value};")
                elif r < 0.8:
                    self.line(f"if ({self.condition(1)}) {name} += {value};")
                else:
                    self.line(f"{name} = {name} * {'3' if t == INT else '0.5'} + {value};")
        for name, t in sums:
            self.declare(Name(name, t))

    def windows(self):
        """Of each place of an array the least or the greatest of those around it."""
        rng, arrays = self.rng, [a for a in self.arrays(rank=1) if a.dims[0] >= 4]
        if not arrays:
            return self.sums()
        a = rng.choice(arrays)
        w, t = rng.randint(2, 4), a.type
        n = a.dims[0] - w + 1
        made, m, op = Name(self.fresh("a"), t, (n,)), self.fresh("v"), rng.choice("<>")
        self.line(f"{t.text()}[{n}] {made.text};")
        with self.trips(n) as i:
            self.line(f"{t.text()} {m} = {a.text}[{i}];")
            with self.trips(w - 1) as j:
                value = f"{a.text}[{i} + {j} + 1]"
                self.line(rng.choice([f"if ({value} {op} {m}) {m} = {value};", f"{m} = {value} {op} {m} ? {value} : {m};",
                                      f"{m} = {'(int)' if t == INT else ''}{'min' if op == '<' else 'max'}({m}, {value});"]))
            self.declare(Name(m, t))
            self.maybe()
            self.line(f"{made.text}[{i}] = {m};")
        self.declare(made)

    # ---- Arrays ----

    def counted(self):
        """How often each value comes, then their sums or the one that comes most often."""
        rng, n, counts = self.rng, self.rng.choice([2, 4, 8, 16]), self.fresh("a")
        self.line(f"int[{n}] {counts};")
        with self.over() as trip:
            value = f"{self.converted(trip.item, INT)} & {n - 1}" if n > 2 or rng.random() < 0.5 else f"{self.condition(1)} ? 1 : 0"
            r = rng.random()
            if r < 0.5:
                self.line(f"{counts}[{value}]++;" if "?" not in value else f"{counts}[{value}] += 1;")
            elif r < 0.8:
                self.line(f"{counts}[{value}] += {self.whole(1)};")
            else:
                self.line(f"{counts}[{value}] = {trip.at};")
        self.declare(Name(counts, INT, (n,)))
        if rng.random() < 0.4:
            with self.trips(n - 1, upwards=True) as i:
                self.line(f"{counts}[{i} + 1] += {counts}[{i}];")

    def sorted(self):
        """An array in order, by insertion or exchange; sometimes only its first places."""
        rng, arrays = self.rng, [a for a in self.arrays(rank=1, writable=True) if 3 <= a.dims[0] <= 12]
        if not arrays or not self.room(arrays[0].dims[0] ** 2):
            return self.counted()
        a = rng.choice(arrays)
        n, x, j, op = a.dims[0], self.fresh("x"), self.fresh("j"), rng.choice("<>")
        if rng.random() < 0.5:
            i, by = self.fresh("i"), rng.choice([0, 1])  # whether j is the place that is looked at, or the one behind it
            before, here = (f"{j} - 1", j) if by == 0 else (j, f"{j} + 1")
            with self.block(f"for (int {i} = 1; {i} < {n}; {i}++)", trips=n):
                self.line(f"{a.type.text()} {x} = {a.text}[{i}];")
                self.line(f"int {j} = {i}{' - 1' if by else ''};")
                with self.block(f"while ({before} >= 0 && {a.text}[{before}] {op} {x})"):
                    self.line(f"{a.text}[{here}] = {a.text}[{before}];")
                    self.line(f"{j}{rng.choice(['--', ' = ' + j + ' - 1'])};")
                self.line(f"{a.text}[{here}] = {x};")
            return None
        with self.trips(rng.choice([n, n, 2]), upwards=True) as i:
            with self.block(f"for (int {j} = {i} + 1; {j} < {n}; {j}++)", trips=n):
                with self.block(f"if ({a.text}[{j}] {op} {a.text}[{i}])"):
                    self.line(f"{a.type.text()} {x} = {a.text}[{i}];")
                    self.line(f"{a.text}[{i}] = {a.text}[{j}];")
                    self.line(f"{a.text}[{j}] = {x};")
        return None

    def costs(self):
        """A table of two dimensions whose elements come of those above and to the left."""
        rng, t = self.rng, self.rng.choice([self.item, INT, FLOAT])
        r, c = rng.choice([(3, 3), (4, 4), (3, 5), (5, 4), (2, 8)])
        if not self.room(r * c):
            return self.counted()
        d = Name(self.fresh("a"), t, (r, c))
        self.line(f"{t.text()}[{r}][{c}] {d.text};")
        with self.trips(r, upwards=True) as i, self.trips(c, upwards=True) as j:
            value, up, left = self.of(t, 1), f"{d.text}[{i} - 1][{j}]", f"{d.text}[{i}][{j} - 1]"
            here, cast, op = f"{d.text}[{i}][{j}]", "(int)" if t == INT else "", rng.choice(["min", "max"])
            chain = [(f"{i} == 0 && {j} == 0", f"{here} = {value};"), (f"{i} == 0", f"{here} = {left} + {value};"), (f"{j} == 0", f"{here} = {up} + {value};")]
            if rng.random() < 0.3:
                chain = [(f"{i} == 0 || {j} == 0", f"{here} = {rng.choice([i, j, value])};")]
            if rng.random() < 0.6:
                chain.append((self.condition(1), f"{here} = {d.text}[{i} - 1][{j} - 1] + {self.of(t, 0)};"))
            for k, (test, line) in enumerate(chain):
                if k:
                    self.lines.pop()
                with self.block(f"{'} else ' if k else ''}if ({test})"):
                    self.line(line)
            self.lines.pop()
            with self.block("} else"):
                if rng.random() < 0.4:
                    self.line(f"if ({up} {rng.choice(COMPARE)} {left}) {here} = {up} + {value};")
                    self.line(f"else {here} = {left} - {value};")
                else:
                    self.line(f"{here} = {cast}{op}({up}, {left}) + {value};")
        return self.declare(d)

    def structures(self):
        """An array of structures, filled and looked through."""
        rng, program, n = self.rng, self.program, self.rng.choice([2, 3, 4, 8])
        s, w, t = program.name("S", upper=True), self.fresh("w"), self.rng.choice([self.item, INT, FLOAT])
        fields = [(self.fresh("m"), t), (self.fresh("m"), INT)] + ([(self.fresh("m"), FLOAT)] if rng.random() < 0.4 else [])
        program.decls.append([f"struct {s} {{", *[f"{ft.text()} {name};" for name, ft in fields], "}"])
        made = Name(w, None, (n,), fields=fields)
        self.line(f"{s}[{n}] {w};")
        with self.trips(n) as i:
            for name, ft in fields:
                self.line(f"{w}[{i}].{name} = {self.of(ft, 1)};")
        value, number = fields[0][0], fields[1][0]
        if rng.random() < 0.6:
            with self.trips(n - 1, upwards=True) as i:
                with self.block(f"if ({w}[{i}].{value} {rng.choice('<>')} {w}[{i} + 1].{value})"):
                    x = self.fresh("x")
                    for line in rng.choice([[f"{s} {x} = {w}[{i}];", f"{w}[{i}] = {w}[{i} + 1];", f"{w}[{i} + 1] = {x};"], [f"{w}[{i} + 1] = {w}[{i}];"],
                                            [f"{w}[{i} + 1].{value} = {w}[{i}].{value};", f"{w}[{i} + 1].{number} += {i};"]]):
                        self.line(line)
        self.declare(made)
        if rng.random() < 0.5:
            with self.trips(n):
                self.statements(1)

    # ---- Trellises and machines ----

    def trellis(self):
        """Costs of states that two arrays exchange in each trip, with the way that each state came, and the way back."""
        rng = self.rng
        s, t = rng.choice([2, 4, 4, 8]), rng.choice([self.item, INT, FLOAT])
        if not self.room(s * 8):
            return self.search()
        old, new, ways, kept = (self.fresh("a") for _ in range(4))
        keeps = rng.choice(["bits", "table", "none"])
        far = "1000" if t == INT else "1000.0"
        self.line(f"{t.text()}[{s}] {old};")
        self.line(f"{t.text()}[{s}] {new};")
        if rng.random() < 0.7:
            with self.trips(s) as j:
                self.line(f"{old}[{j}] = {j} == 0 ? 0 : {far};")
        names = [Name(old, t, (s,)), Name(new, t, (s,))]
        if keeps == "bits":
            self.line(f"int[{s}] {ways};")
            self.line(f"int[{s}] {kept};")
        elif keeps == "table":
            self.line(f"int[64][{s}] {ways};")
        with self.over(most=max(2, 160 // (s * self.mult))) as trip:
            i = trip.at
            self.step(names, s, t, trip.item, {"bits": lambda p, j, b: f"{kept}[{j}] = ({ways}[{p}] << 1) | {b};", "table": lambda p, j, b: f"{ways}[{i}][{j}] = {b};",
                                       "none": lambda p, j, b: None}[keeps])
            self.exchange(old, new, s)
            if keeps == "bits":
                self.exchange(ways, kept, s)
        self.scopes[-1] += names[:1]
        if keeps == "bits":
            self.declare(Name(ways, INT, (s,)))
        elif keeps == "table" and self.room(trip.count):
            self.way_back(ways, s, trip.count)
        return None

    def step(self, names, s, t, x, keep):
        """One trip: of each state the better one of two that lead to it."""
        rng, old, new = self.rng, names[0].text, names[1].text
        op, value = rng.choice(["<", "<", ">", "<="]), self.converted(x, t)
        with self.trips(s) as j:
            p = rng.choice([(f"{j} >> 1", f"({j} >> 1) + {s // 2}"), (f"({j} * 2) & {s - 1}", f"(({j} * 2) & {s - 1}) + 1")])
            signs = [rng.choice([f"({j} & 1) * {value}", f"{value} * {self.leaf(t)}", value, self.of(t, 1)]) for _ in range(2)]
            if rng.random() < 0.4:  # a loop over the two
                b, g = self.fresh("i"), self.fresh("v")
                self.line(f"{new}[{j}] = {'100000' if '<' in op else '-100000'};")
                with self.block(f"for (int {b} = 0; {b} < 2; {b}++)", Name(b, INT, span=(0, 1), fixed=True), trips=2):
                    before = f"({j} >> 1) + {b} * {s // 2}"
                    self.line(f"{t.text()} {g} = {old}[{before}] + {signs[0]};")
                    if rng.random() < 0.3:
                        self.line(f"if ({b} == 0) {g} -= {self.of(t, 1)};")
                    self.choice(f"{g} {op} {new}[{j}]", [f"{new}[{j}] = {g};", keep(before, j, b)], [])
                return
            g = [self.local(t, f"{old}[{p[k]}] {rng.choice('+-')} {signs[k]}").text for k in range(2)]
            if rng.random() < 0.2 and keep(p[0], j, "0") is None:
                cast = "(int)" if t == INT else ""
                self.line(rng.choice([f"{new}[{j}] = {cast}{'min' if '<' in op else 'max'}({g[0]}, {g[1]});", f"{new}[{j}] = {g[0]} {op} {g[1]} ? {g[0]} : {g[1]};"]))
                return
            self.choice(f"{g[0]} {op} {g[1]}", [f"{new}[{j}] = {g[0]};", keep(p[0], j, "0")], [f"{new}[{j}] = {g[1]};", keep(p[1], j, "1")])

    def choice(self, test, yes, no):
        """An if; sometimes it stands alone in a branch of another one."""
        same = self.same() if self.rng.random() < 0.25 else None
        if same:
            self.line(f"if {same} {{")
            self.statement()
            self.line("} else {")
        with self.block(f"if ({test})"):
            self.lines += filter(None, yes)
        if no:
            self.lines.pop()
            with self.block("} else"):
                self.lines += filter(None, no)
        if same:
            self.line("}")

    def exchange(self, old, new, s):
        if self.rng.random() < 0.3:
            self.line(f"{old} = {new};")
            return
        with self.trips(s) as j:
            self.line(f"{old}[{j}] = {new}[{j}];")

    def way_back(self, ways, s, trips):
        """From the last step to the first one: which way each of them went."""
        state, i, out = self.fresh("v"), self.fresh("i"), Name(self.fresh("a"), INT, (trips,))
        self.line(f"int[{trips}] {out.text};")
        self.line(f"int {state} = {self.index(s, 0.6)};")
        with self.block(f"for (int {i} = {trips - 1}; {i} >= 0; {i}--)", trips=trips):
            self.line(f"{out.text}[{i}] = {self.rng.choice([f'{state} & 1', f'{ways}[{i}][{state}]', state])};")
            self.line(f"{state} = ({state} >> 1) + ({ways}[{i}][{state}] & 1) * {s // 2};")
        self.declare(out)

    def machine(self):
        """A machine whose next state a small table or a chain gives."""
        rng, n = self.rng, self.rng.choice([2, 4, 4, 8])
        state, tables = self.fresh("v"), [a for a in self.arrays(INT) if a.fixed and len(a.dims) == 2]
        self.line(f"int {state} = {rng.choice(['0', '1', self.index(n, 0.5)])};")
        with self.over() as trip:
            value = self.converted(trip.item, INT)
            if tables and rng.random() < 0.6:
                a = rng.choice(tables)
                text = f"{a.text}[{self.within(state, n, a.dims[0])}][{self.within(value, 0, a.dims[1])}] & {n - 1}"
                self.line(f"{state} = {text};")
            else:
                for k in range(rng.randint(2, min(n, 4))):
                    if k:
                        self.lines.pop()
                    with self.block(f"{'} else ' if k else ''}if ({state} == {k})"):
                        nexts = rng.randrange(n), rng.randrange(n)
                        self.line(f"{state} = {value} {rng.choice(COMPARE)} {self.whole(0)} ? {nexts[0]} : {nexts[1]};" if rng.random() < 0.6 else f"{state} = {nexts[0]};")
                        self.maybe()
                if rng.random() < 0.7:
                    self.lines.pop()
                    with self.block("} else"):
                        self.line(f"{state} = {value} & {n - 1};")
            self.maybe(share=0.4)
        self.declare(Name(state, INT, span=(0, n - 1)))

    def within(self, text, n, most):
        """A subscript below `most` of what is below n, or anything where n is 0."""
        if 0 < n <= most:
            return text
        return f"({text}) & {most - 1}" if most & (most - 1) == 0 else f"(({text}) & 1023) % {most}"

    # ---- What goes on from trip to trip ----

    def moves(self):
        """Numbers that move on from trip to trip, and the next one that they give."""
        rng, t = self.rng, self.rng.choice([self.item, INT, FLOAT])
        names = [self.local(t, self.leaf(t) if rng.random() < 0.5 else str(k)) for k in range(rng.randint(2, 4))]
        with self.over() as trip:
            value = self.of(t) if rng.random() < 0.4 else f"{self.converted(trip.item, t)} {rng.choice('+-')} {rng.choice(names).text} {rng.choice('+-')} {rng.choice(names).text}"
            after = self.local(t, value)
            for n, m in zip(names, [*names[1:], after]):
                self.line(f"{n.text} = {m.text};")
            self.maybe()

    def merge(self):
        """Two runs of an array, or an array and the window, become one in order."""
        rng, arrays = self.rng, [a for a in self.arrays(rank=1) if a.dims[0] >= 4 and a.dims[0] % 2 == 0 and a.dims[0] <= 16]
        if not arrays:
            return self.moves()
        a, i, j = rng.choice(arrays), self.fresh("k"), self.fresh("k")
        n, out = a.dims[0], Name(self.fresh("a"), a.type, a.dims)
        self.line(f"{a.type.text()}[{n}] {out.text};")
        self.line(f"int {i} = 0;")
        self.line(f"int {j} = {n // 2};")
        with self.trips(n, upwards=True) as k:
            with self.block(f"if ({j} >= {n} || ({i} < {n // 2} && {a.text}[{i}] {rng.choice(['<', '<=', '>'])} {a.text}[{j}]))"):
                self.line(f"{out.text}[{k}] = {a.text}[{i}];")
                self.line(f"{i}++;")
            self.lines.pop()
            with self.block("} else"):
                self.line(f"{out.text}[{k}] = {a.text}[{j}];")
                self.line(f"{j}++;")
        self.declare(out)
        return self.declare(Name(i, INT, fixed=True))

    def butterflies(self):
        """Sums and differences in an array, of places that come nearer or go farther from pass to pass."""
        rng, arrays = self.rng, [a for a in self.arrays(rank=1, writable=True) if a.dims[0] in (4, 8, 16)]
        if not arrays:
            return self.sums()
        a, h, i, j, x, y = rng.choice(arrays), self.fresh("n"), self.fresh("i"), self.fresh("j"), self.fresh("x"), self.fresh("y")
        n, t = a.dims[0], a.type.text()
        near = rng.random() < 0.5
        factor = rng.choice(["", "", f" * {self.leaf(a.type)}"])
        with self.block(f"for (int {h} = {1 if near else n // 2}; {f'{h} < {n}' if near else f'{h} > 0'}; {h} {'*=' if near else '/='} 2)", trips=n):
            with self.block(f"for (int {i} = 0; {i} < {n}; {i} += 2 * {h})"), self.block(f"for (int {j} = {i}; {j} < {i} + {h}; {j}++)"):
                self.line(f"{t} {x} = {a.text}[{j}];")
                self.line(f"{t} {y} = {a.text}[{j} + {h}]{factor};")
                if rng.random() < 0.3:
                    self.line(f"if ({x} {rng.choice(COMPARE)} {y}) {{")
                    self.lines += [f"{a.text}[{j}] = {y};", f"{a.text}[{j} + {h}] = {x};", "}"]
                else:
                    self.lines += [f"{a.text}[{j}] = {x} + {y};", f"{a.text}[{j} + {h}] = {x} - {y};"]
        return None

    def halved(self):
        """How often a number can be halved, or two numbers be divided by each other."""
        rng = self.rng
        v, n = self.local(INT, f"{self.whole(1)} & {rng.choice([255, 4095, 65535])}"), self.local(INT, "0")
        v.fixed = n.fixed = True
        if rng.random() < 0.7:
            with self.block(f"while ({v.text} > {rng.choice([0, 0, 1, 3, 16])})"):
                self.line(rng.choice([f"{v.text} >>= 1;", f"{v.text} = {v.text} / 2;", f"{v.text} = {v.text} / 3;"]))
                self.line(f"{n.text} += {rng.choice(['1', '1', '2', self.whole(0)])};")
        else:
            w, x = self.local(INT, f"{self.whole(1)} & 255"), self.fresh("x")
            w.fixed = True
            with self.block(f"while ({w.text} != 0)"):
                self.lines += [f"int {x} = {v.text} % {w.text};", f"{v.text} = {w.text};", f"{w.text} = {x};"]
                self.line(f"{n.text}++;")

    # ---- Packed ints ----

    def packed(self):
        """An int of a few bits of each item, and such bits taken out of one."""
        rng, word, b = self.rng, self.fresh("v"), self.rng.choice([1, 1, 2, 4, 8])
        self.line(f"int {word} = 0;")
        with self.over(most=max(2, 32 // b)) as trip:
            i, bits = trip.at, f"{self.converted(trip.item, INT)} & {(1 << b) - 1}" if b > 1 or rng.random() < 0.5 else f"{self.condition(1)} ? 1 : 0"
            r = rng.random()
            if r < 0.5:
                self.line(f"{word} = ({word} << {b}) | ({bits});")
            elif r < 0.8:
                self.line(f"{word} = {word} | (({bits}) << ({i} * {b}));")
            else:
                self.line(f"if ({self.condition(1)}) {word} = {word} ^ (1 << {i});")
        self.declare(Name(word, INT))
        if rng.random() < 0.5:
            out = Name(self.fresh("a"), INT, (rng.choice([4, 8]),))
            self.line(f"int[{out.dims[0]}] {out.text};")
            with self.trips(out.dims[0]) as i:
                self.line(f"{out.text}[{i}] = ({word} >> {rng.choice([i, f'({i} * {b})'])}) & {rng.choice([1, 3, 15, 255])};")
            self.declare(out)
        if rng.random() < 0.3:
            ones = self.local(INT, "0")
            k = self.local(INT, f"{word} & {rng.choice([255, 4095])}")
            k.fixed = True
            with self.block(f"while ({k.text} != 0)"):
                self.line(f"{ones.text} += {k.text} & 1;")
                self.line(f"{k.text} >>= 1;")

    def idiom(self):
        rng = self.rng
        shapes = [(self.trellis, 3), (self.search, 2.5), (self.place, 1), (self.sums, 2), (self.windows, 1), (self.counted, 1.5), (self.sorted, 1), (self.costs, 2),
                  (self.structures, 1), (self.machine, 1.5), (self.packed, 1.5), (self.moves, 1), (self.merge, 1), (self.butterflies, 1),
                  (self.halved, 0.7)]
        rng.choices([s for s, _ in shapes], [w for _, w in shapes])[0]()
