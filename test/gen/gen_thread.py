# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random filters that can be threads of a processor with a pipeline (docs/softproc.md), many in one program.

A program is a duplicate splitter, so many filters with the same pop, and a joiner that takes all that each pushes: with the
rates of the filters its output says what each one computed. Their bodies have floats, whole numbers that become constant when loops are unrolled,
ints as items, booleans, conditions, loops in loops, some too long to be unrolled, local arrays, constant tables with constant or computed
subscripts, and helper functions. Some are nests of loops that push more
than a thread has outputs for. Values stay finite:
products of items are halved until they are small, as selections by comparisons are exact for finite numbers alone."""
import random

FLOAT, INT, BOOLEAN = "float", "int", "boolean"
COMPARE = ["<", "<=", ">", ">=", "==", "!="]


class ThreadFilter:
    """A filter of a seed; pop is the program's."""

    def __init__(self, seed, pop, source):
        self.rng = rng = random.Random(f"{seed}/{pop}/{source}")
        self.name, self.pop, self.source = f"F{seed}", pop, source
        self.target = source if rng.random() < 0.85 else FLOAT if source == INT else INT
        self.peek = pop + rng.choice([0, 0, 0, 1, 2, 3, 5, 9])
        self.push = rng.choice([1, 1, 2, 2, 3, 4, 4, 6, 8, 12, 16])
        self.scopes = [{FLOAT: [], BOOLEAN: [], INT: []}]  # locals that can be read
        self.indices = []  # whole numbers that are known: a loop's variable and its greatest value
        self.arrays, self.fixed, self.lines, self.helpers, self.counter = [], set(), [], [], 0
        self.depth, self.budget = 0, rng.choice([6, 12, 12, 25])
        self.long = False  # within a loop that is too long to be unrolled
        self.tables = [(f"t{i}", rng.choice([2, 3, 4, 7, 16])) for i in range(rng.choice([0, 1, 1, 2]))]
        self.ints = [("u0", rng.choice([3, 8, 16]))] if rng.random() < 0.3 else []
        self.looked_up = 3 if rng.random() < 0.5 else 0  # so many subscripts may be computed
        self.squares = [("q0", rng.choice([2, 3]), rng.choice([2, 4]))] if rng.random() < 0.3 else []
        self.nest = []  # loops around all of the body, of which each trip pushes one item: names and trips, outermost first
        if rng.random() < 0.15:
            outer = rng.choice([[], [], [2], [3], [5], [2, 3]])
            self.nest = [(f"n{i}", trips) for i, trips in enumerate(outer + [16 * rng.randrange(2, 4)])]
            self.peek = 4 * rng.randrange(12, 33)
            self.push = self.nest[0][1] if not outer else outer[0] * (outer + [1])[1] * self.nest[-1][1]

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def line(self, text):
        self.lines.append("    " * (2 + self.depth) + text)

    def known(self, type_):
        return [name for scope in self.scopes for name in scope[type_]]

    # ---- Whole numbers that unrolling makes constants ----

    def index(self, length):
        """An expression of 0 to length - 1."""
        rng = self.rng
        if length == 1 or not self.indices or rng.random() < 0.3:
            return str(rng.randrange(length))
        name, most = rng.choice(self.indices)
        pick = rng.random()
        if most < length and pick < 0.5:
            return name
        if pick < 0.7:
            return f"({name} * {rng.randrange(1, 4)} + {rng.randrange(length)}) % {length}"
        if pick < 0.8:
            return f"({name} ^ {rng.randrange(4)}) % {length}"
        if pick < 0.9:
            return f"({name} >> 1) % {length}"
        return f"{length - 1} - {name} % {length}"

    def subscript(self, length):
        """Of a table, of 0 to length - 1: constant when loops are unrolled, or computed."""
        rng = self.rng
        if self.looked_up == 0 or self.source is None or rng.random() < 0.4:
            return self.index(length)
        self.looked_up -= 1
        if self.source == INT and length & (length - 1) == 0 and rng.random() < 0.5:
            return f"{self.whole(1)} & {length - 1}"
        names, scale = self.known(FLOAT), rng.choice(["", "", " * 2", " * 0.5", f" + {rng.randrange(length)}"])
        value = self.item() if not names or rng.random() < 0.6 else rng.choice(names)
        most = rng.choice([length - 1, length - 1, f"{length - 1}.5", f"{length - 1}.25"])
        return f"(int) min(max({value}{scale}, 0), {most})" if rng.random() < 0.6 else f"(int) max(min({value}{scale}, {most}), 0.0)"

    def item(self):
        """A peek. In a nest it moves with counters, those of outer loops by whole elements."""
        if not self.nest:
            return f"peek({self.index(self.peek)})"
        rng, room, sum_ = self.rng, self.peek - 1, []
        for i, (name, trips) in enumerate(self.nest):
            by = rng.choice([0, 4, 8, 12]) if i + 1 < len(self.nest) else rng.choice([0, 1, 1, 1, 2, 3])
            if by > 0 and by * (trips - 1) <= room:
                room -= by * (trips - 1)
                sum_.append(f"{by} * {name}" if rng.random() < 0.5 else f"{name} * {by}")
        if self.indices and rng.random() < 0.5:
            name, most = rng.choice(self.indices)
            if most <= room:
                room -= most
                sum_.append(name)
        return f"peek({' + '.join(sum_ + [str(rng.randrange(room + 1))])})"

    # ---- Floats ----

    def leaf(self):
        rng, pick = self.rng, self.rng.random()
        names = self.known(FLOAT)
        if pick < 0.4 and self.source == FLOAT:
            return self.item()
        if pick < 0.4 and self.source == INT and rng.random() < 0.4:
            return f"(float) {self.item()}"
        if pick < 0.65 and names:
            return rng.choice(names)
        if pick < 0.75 and self.tables:
            name, length = rng.choice(self.tables)
            return f"{name}[{self.subscript(length)}]"
        if pick < 0.8 and self.squares:
            name, rows, columns = self.squares[0]
            return f"{name}[{self.subscript(rows)}][{self.subscript(columns)}]"
        if pick < 0.82 and self.ints:
            name, length = self.ints[0]
            return f"(float) {name}[{self.subscript(length)}]"
        if pick < 0.88 and self.arrays:
            name, length = rng.choice(self.arrays)
            return f"{name}[{self.index(length)}]"
        if pick < 0.92 and self.indices:
            return f"(float) {rng.choice(self.indices)[0]}"
        return rng.choice(["0.0", "-0.0", "1.0", "0.5", "-1.0", "2.0", "0.25"]) if rng.random() < 0.5 else f"{rng.uniform(-3, 3):.3f}"

    def value(self, depth):
        """An expression of type float."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.12:
            return self.leaf()
        pick, one = rng.randrange(20), self.value(depth - 1)
        if pick < 7:
            return f"({one} {rng.choice('+-')} {self.value(depth - 1)})"
        if pick < 11:
            return f"({one} * {self.leaf()})"
        if pick < 13:
            return f"{rng.choice(['min', 'max'])}({one}, {self.value(depth - 1)})"
        if pick == 13:
            return f"abs({one})"
        if pick == 14:
            return f"floor({one})"
        if pick == 15:
            return f"(-({one}))"
        if pick == 16 and self.helpers:
            return f"{rng.choice(self.helpers)}({one}, {self.leaf()})"
        return f"({self.condition(depth - 1)} ? {one} : {self.value(depth - 1)})"

    def condition(self, depth):
        rng, pick = self.rng, self.rng.random()
        names = self.known(BOOLEAN)
        if pick < 0.15 and names:
            return rng.choice(names)
        if pick < 0.25 and self.indices:
            name, most = rng.choice(self.indices)
            return f"{name} {rng.choice(COMPARE)} {rng.randrange(most + 1)}"
        if pick < 0.3 and self.source == INT:  # of one item, so that compilers join them
            item, least = self.item(), rng.randrange(-40, 40)
            return f"((float) {item} {rng.choice(COMPARE)} {least} {rng.choice(['&&', '||'])} (float) {item} {rng.choice(COMPARE)} {least + rng.choice([1, 2, 4, 9, 64])})"
        if depth > 0 and pick < 0.4:
            return f"({self.condition(depth - 1)} {rng.choice(['&&', '||'])} {self.condition(0)})"
        if depth > 0 and pick < 0.47:
            return f"!({self.condition(depth - 1)})"
        kind = self.whole if self.source == INT and rng.random() < 0.6 else self.value
        return f"({kind(min(depth, 1))} {rng.choice(COMPARE)} {kind(min(depth, 2))})"

    # ---- Ints: items, and what is computed of them ----

    def whole(self, depth):
        rng, names = self.rng, self.known(INT)
        if self.ints and self.source == INT and rng.random() < 0.1:
            return f"{self.ints[0][0]}[{self.subscript(self.ints[0][1])}]"
        if depth == 0 or rng.random() < 0.2:
            if self.source == INT and rng.random() < 0.1:
                return rng.choice([str(rng.randrange(-40, 41)), f"(int) ((float) {self.item()} * {rng.uniform(-2, 2):.3f})"])
            return rng.choice(names) if names and rng.random() < 0.4 or self.source == FLOAT else self.item()
        one, pick = self.whole(depth - 1), rng.random()
        if pick < 0.4:
            return f"({self.condition(depth - 1)} ? {one} : {self.whole(depth - 1)})"
        if pick < 0.6:
            return f"({one} {rng.choice('+-')} {self.whole(depth - 1)})"
        if pick < 0.85:
            by = rng.choice([1, 2, 3, 4, 5, 7, 8, 10, 16, 100, 255])
            return rng.choice([f"({one} * {rng.choice([-5, -1, 2, 3, 4, 7])})", f"({one} >> {rng.randrange(9)})", f"({one} << {rng.randrange(4)})",
                               f"({one} & {rng.choice([1, 3, 12, 15, 22, 255, -8])})", f"({one} / {by})", f"({one} % {by})", f"({one} / -{by})",
                               f"({one} ^ {rng.choice([-1, 1, 5, 12, 255, -7])})", f"({one} | {rng.choice([1, 6, 8, 255, -16])})"])
        if pick < 0.95:
            return f"(int) {rng.choice(['min', 'max'])}({one}, {self.whole(depth - 1)})"  # these are floats
        return rng.choice([f"(int) abs({one})", f"(-({one}))", f"(~({one}))"])

    def of_type(self, type_, depth):
        return {FLOAT: self.value, BOOLEAN: self.condition, INT: self.whole}[type_](depth)

    # ---- Statements ----

    def local(self):
        type_ = self.rng.choice([FLOAT, FLOAT, BOOLEAN] + ([INT] * 2 if self.source == INT else []))
        name = self.fresh({FLOAT: "a", BOOLEAN: "c", INT: "k"}[type_])
        self.line(f"{type_} {name} = {self.of_type(type_, 2)};")
        self.scopes[-1][type_].append(name)

    def assignment(self):
        rng = self.rng
        choices = [(t, n) for t in (FLOAT, BOOLEAN, INT) for n in self.known(t) if n not in self.fixed]
        if self.arrays and rng.random() < 0.4:
            name, length = rng.choice(self.arrays)
            self.line(f"{name}[{self.index(length)}] = {self.damped(f'{name}[0]')};")
        elif choices:
            type_, name = rng.choice(choices)
            self.line(f"{name} = {self.damped(name) if type_ == FLOAT else self.of_type(type_, 2)};")

    def damped(self, name):
        """A value that loops may give time and again."""
        if not self.indices and not self.long:
            return self.value(3)
        pick = self.rng.random()
        if pick < 0.5:
            return f"{name} * 0.5 + {self.bounded()}"
        return f"{name} + {self.bounded()}" if pick < 0.8 else self.bounded()

    def bounded(self):
        """A value that reads no local which grows: items and tables."""
        table = f"t0[{self.index(self.tables[0][1])}]" if self.tables else f"{self.rng.uniform(-1, 1):.2f}"
        item = self.item()
        if self.source == INT:
            item = f"(float) {item}"
        pick = self.rng.randrange(4)
        return [f"{table} * {item}", f"{item} - {table}", f"min({item}, {table})", f"({self.condition(1)} ? {item} : {table})"][pick]

    def array(self):
        name, length = self.fresh("w"), self.rng.choice([2, 3, 4, 5, 8])
        self.line(f"float[{length}] {name};")
        index = self.fresh("i")
        self.indices.append((index, length - 1))
        self.line(f"for (int {index} = 0; {index} < {length}; {index}++)\n            {name}[{index}] = {self.value(2)};")
        self.indices.pop()
        self.arrays.append((name, length))

    def loop(self):
        rng = self.rng
        inner = self.rng.randrange(1, 6) if len(self.indices) < 2 else rng.randrange(1, 3)
        index, start = self.fresh("i"), rng.choice([0, 0, 0, 1, 2])
        most, step = start + inner - 1, rng.choice([1, 1, 1, 2])
        if rng.random() < 0.15:
            self.line(f"for (int {index} = {most}; {index} >= {start}; {index}--) {{")
        elif rng.random() < 0.15:
            self.line(f"int {index} = {start};\n        while ({index} <= {most}) {{")
            step = 0
        else:
            self.line(f"for (int {index} = {start}; {index} <= {most}; {index} {f'+= {step}' if step > 1 else '= ' + index + ' + 1'}) {{")
        self.indices.append((index, most))
        self.block(rng.randrange(1, 3))
        self.indices.pop()
        if step == 0:
            self.line(f"    {index}++;")
        self.line("}")

    def long_loop(self):
        """Of a counter that nothing but a sum may read."""
        rng, index = self.rng, self.fresh("i")
        rounds = rng.choice([90, 130, 200, 255, 256, 300])
        sums = [n for n in self.known(FLOAT) if n not in self.fixed]
        if not sums:
            sums = [self.fresh("a")]
            self.line(f"float {sums[0]} = {self.value(1)};")
            self.scopes[-1][FLOAT] += sums
        self.line(f"for (int {index} = 0; {index} < {rounds}; {index}++) {{")
        self.long = True
        self.line(f"    {sums[0]} = {self.damped(sums[0])};")
        if rng.random() < 0.3:
            self.line(f"    {sums[-1]} = {sums[-1]} * 0.5 + {index};")
        self.block(rng.randrange(1, 4))
        self.long = False
        self.line("}")

    def branch(self):
        self.line(f"if ({self.condition(2)}) {{")
        self.block(self.rng.randrange(1, 3))
        if self.rng.random() < 0.6:
            self.line("} else {")
            self.block(self.rng.randrange(1, 3))
        self.line("}")

    def block(self, statements):
        self.depth += 1
        self.scopes.append({FLOAT: [], BOOLEAN: [], INT: []})
        arrays = list(self.arrays)
        for _ in range(statements):
            self.statement()
        self.arrays = arrays
        self.scopes.pop()
        self.depth -= 1

    def statement(self):
        if self.budget <= 0:
            return
        self.budget -= 1
        pick = self.rng.randrange(12)
        if pick < 4:
            self.local()
        elif pick < 7:
            self.assignment()
        elif pick == 7 and self.depth == 0:
            self.array()
        elif pick < 10 and self.depth < 3:
            self.branch()
        elif self.depth < 3:
            self.long_loop() if self.depth == 0 and not self.nest and self.rng.random() < 0.15 else self.loop()

    # ---- The filter ----

    def helper(self, name):
        kept = self.lines, self.source, self.scopes, self.tables, self.squares, self.ints
        self.lines, self.source, self.scopes, self.tables, self.squares, self.ints = [], None, [{FLOAT: ["u", "v"], BOOLEAN: [], INT: []}], [], [], []
        text = [f"    float {name}(float u, float v) {{"]
        if self.rng.random() < 0.5:
            text.append(f"        if ({self.condition(1)})\n            u = {self.value(1)};")
        text.append(f"        return {self.value(2)};\n    }}")
        self.lines, self.source, self.scopes, self.tables, self.squares, self.ints = kept
        self.helpers.append(name)
        return text

    def result(self):
        return self.value(3) if self.target == FLOAT else self.whole(2) if self.source == INT else None

    def pushes(self):
        """Pushed in a loop, or one by one."""
        rng = self.rng
        if self.target == FLOAT and self.push > 2 and rng.random() < 0.5:
            index = self.fresh("i")
            self.indices.append((index, self.push - 1))
            self.line(f"for (int {index} = 0; {index} < {self.push}; {index}++)\n            push({self.value(2)});")
            self.indices.pop()
        else:
            for _ in range(self.push):
                self.line(f"push({self.result()});")

    def text(self):
        """The filter's source."""
        rng = self.rng
        if self.source == FLOAT:
            self.target = FLOAT  # no ints come of floats
        window = f" peek {self.peek}" if self.peek > self.pop else ""
        head = [f"{self.source}->{self.target} filter {self.name} {{"]
        head += [f"    float[{n}] {t};" for t, n in self.tables] + [f"    float[{r}][{c}] {q};" for q, r, c in self.squares]
        head += [f"    int[{n}] {u};" for u, n in self.ints]
        if self.tables or self.squares or self.ints:
            head.append("    init {")
            for u, n in self.ints:
                head.append(f"        for (int i = 0; i < {n}; i++)\n            {u}[i] = {rng.choice([1, 3, -7, 100, 1009])} * i - {rng.choice([0, 5, 40, 3000])};")
            for t, n in self.tables:
                head.append(f"        for (int i = 0; i < {n}; i++)\n            {t}[i] = {rng.uniform(-1, 1):.3f} * i + {rng.choice(['0.5', '-1', '0', '0.125'])};")
            for q, r, c in self.squares:
                head.append(f"        for (int i = 0; i < {r}; i++)\n            for (int j = 0; j < {c}; j++)\n                {q}[i][j] = i - j * 0.5;")
            head.append("    }")
        if rng.random() < 0.2:
            head += self.helper("part")
        head.append(f"    work pop {self.pop}{window} push {self.push} {{")
        type_ = self.source
        for name, trips in self.nest:
            self.line(f"for (int {name} = 0; {name} < {trips}; {name}++) {{")
            self.depth += 1
        self.line(f"{type_} first = {self.item() if self.nest else 'peek(0)'};")
        self.scopes[0][type_].append("first")
        for _ in range(rng.randrange(0, 6)):
            self.statement()
        if self.nest:
            self.line(f"push({self.result()});")
        else:
            self.pushes()
        for _ in self.nest:
            self.depth -= 1
            self.line("}")
        self.line(f"for (int i = 0; i < {self.pop}; i++)\n            pop();")
        return "\n".join(head + self.lines + ["    }", "}"])


class ThreadProgram:
    """Filters of seeds that follow each other."""

    def __init__(self, first, count):
        rng = random.Random(first)
        self.views = rng.random() < 0.3  # whether the joiner may be a view
        self.source = INT if rng.random() < 0.3 else FLOAT
        self.most = rng.choice([9, 200, 4000, 60000, 1 << 20, 1 << 24])  # of ints
        self.pop = rng.choice([1, 1, 1, 2, 3, 4, 4, 6, 8])
        self.filters = [ThreadFilter(seed, self.pop, self.source) for seed in range(first, first + count)]
        self.texts = {f: f.text() for f in self.filters}
        floats = [f for f in self.filters if f.target == FLOAT]
        # Joiners have one type: the larger group stays.
        self.target = FLOAT if 2 * len(floats) >= len(self.filters) else INT
        self.filters = [f for f in self.filters if f.target == self.target]

    def text(self, filters):
        """The program of some of the filters."""
        names = [f.name for f in filters]
        stage = f"    add {names[0]};" if len(names) == 1 else "\n".join(
            ["    add splitjoin {", "        split duplicate;"] + [f"        add {n};" for n in names] +
            [f"        join roundrobin({', '.join(str(f.push) for f in filters)});", "    };"])
        return "\n".join(self.texts[f] for f in filters) + f"\n{self.source}->{self.target} pipeline Main {{\n{stage}\n}}\n"

    def items(self, firings):
        """The program's input, as numbers: so many firings of each filter, and what they look ahead."""
        rng = random.Random(f"items {self.filters[0].name}")
        count = firings * self.pop + max(f.peek for f in self.filters) - self.pop
        if self.source == INT:
            return [rng.choice([rng.randrange(-9, 10), rng.randrange(-self.most, self.most + 1)]) for _ in range(count)]
        return [rng.choice([0.0, -0.0, 1.0, -1.0, 2.0]) if rng.random() < 0.25 else rng.randrange(-4096, 4097) / 1024 for _ in range(count)]
