# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random composites whose rates balance: pipelines, splitjoins, feedback loops, recursion."""
from fractions import Fraction
from math import gcd, lcm

from gen_bits import Bits, fits_bits
from gen_blocks import blocks
from gen_body import Body
from gen_equal import EqualBranches, fits_equal
from gen_siblings import Siblings
from gen_expr import COND, Var, wrap
from gen_filter import FilterMaker, Rates, Unit, named_add, scaled_filter
from gen_frames import fits_frames, frame
from gen_kernel import KernelMaker, fits
from gen_types import BOOLEAN, FLOAT, INT, VOID, Type, array

MOST_WEIGHT = 24


class TooLarge(Exception):
    """The rates that came out would make a steady state too long."""


class Composite(Body):
    """The body of a composite being written: lines, and the variables that elaboration knows there."""

    def __init__(self, program, scopes, unique, static=False):
        super().__init__(program, scopes, "composite")
        self.static = static  # nothing in it may have dynamic rates
        self.unique = unique  # it runs once, so that what it adds may write a file of its own

    def argument(self, t, lines):
        """The text of an argument of type t; lines gets what must stand before."""
        if t.scalar:
            return self.value(t, 2)
        self.out, kept = lines, self.out
        place = self.place(t, depth=1)
        if not place:
            place = self.fresh_local(t)
        self.out = kept
        return place

    def captured(self):
        return [Var(v.name, v.type, rw=False, span=v.span) for v in self.visible() if v not in self.program.globals]


def whole(fractions):
    """The least whole numbers in the same proportion."""
    scale = lcm(*[f.denominator for f in fractions])
    numbers = [int(f * scale) for f in fractions]
    divisor = gcd(*numbers)
    return [n // divisor for n in numbers]


class Messages:
    """Portals of a pipeline, and the filter that receives from them; the children send. What is between them has static rates."""

    def __init__(self, graph, body, place):
        self.graph, self.body, self.place, self.made = graph, body, place, None
        program, rng = graph.program, graph.rng
        self.type = Type("portal", name=program.name("F", upper=True))
        program.portals += 1
        self.type.number = program.portals
        self.type.handlers = [(program.name("on"), [program.pick_type() for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))])
                              for _ in range(rng.choice([1, 1, 2]))]
        body.static = True
        self.names = []
        for _ in range(rng.choice([1, 1, 1, 2])):
            self.names.append(program.name("portal"))
            body.out.append(f"{self.type.text()} {self.names[-1]};")
            body.declare(self.names[-1], self.type, rw=False)

    def here(self, k, in_t, out_t):
        """Whether the child with this number is a receiver."""
        if self.made:
            return k > self.place and (self.made.in_t, self.made.out_t) == (in_t, out_t) and self.graph.rng.random() < 0.3
        return k == self.place

    def receiver(self, in_t, out_t):
        graph, rng, body = self.graph, self.graph.rng, self.body
        if not self.made:
            portals = [v for v in body.visible() if v.type.kind == "portal"] if rng.random() < 0.3 else []
            self.made = FilterMaker(graph.program, in_t, out_t, None, None, prints=out_t == VOID and in_t != VOID or rng.random() < 0.2,
                                    portals=portals, receives=self.type).make()
        to = " to " + ", ".join(rng.sample(self.names, rng.randint(1, len(self.names))))
        if in_t == out_t and rng.random() < 0.2 and self.made.i == self.made.o:
            i, n = body.name("i"), rng.randint(2, 3)
            body.scopes.append([Var(i, INT, rw=False, span=(0, n - 1))])
            text = self.made.text("add", body, to)
            body.scopes.pop()
            body.out += [f"for (int {i} = 0; {i} < {n}; {i}++) {{", *text, "}"]
            return [self.made] * n
        body.out += self.made.text("add", body, to)
        return [self.made]


class Graph:
    def __init__(self, program):
        self.program, self.rng = program, program.rng
        large = program.features & {"equal", "bits"}
        self.most_items, self.most_cost = (4000, 60000) if large else (400, 4000)

    # ---- Choosing ----

    def other_top(self, in_t, out_t, size, body):
        """The kind of a top-level composite that is no pipeline, and what its body gives."""
        if self.rng.random() < 0.5:
            return "splitjoin", self.splitjoin_body(in_t, out_t, size, body, False)
        return "feedbackloop", self.feedback_body(in_t, out_t, in_t, out_t, size, body)

    def stream(self, in_t, out_t, size, composite, loop_part=False):
        """A unit of these types, to be added in the composite."""
        for _ in range(20):
            try:
                unit = self.try_stream(in_t, out_t, size, composite, loop_part)
                if max(unit.i, unit.o) <= self.most_items and unit.cost <= self.most_cost:
                    return unit
            except TooLarge:
                pass
            size = max(1, size - 1)
        return self.filter(in_t, out_t, composite, loop_part)

    def try_stream(self, in_t, out_t, size, composite, loop_part):
        f = self.program.features
        if "equal" in f and fits_equal(in_t, out_t) and self.rng.random() < 0.4:
            return self.equal(in_t, out_t, size, composite, loop_part)
        if "siblings" in f and fits_equal(in_t, out_t) and not loop_part and self.rng.random() < 0.4:
            return self.composite("splitjoin", in_t, out_t, composite, Siblings(self, in_t, out_t).write)
        if "blocks" in f and fits_equal(in_t, out_t) and not loop_part and self.rng.random() < 0.4:
            return blocks(self, in_t, out_t)
        if "frames" in f and fits_frames(in_t, out_t) and not loop_part and self.rng.random() < 0.4:
            return frame(self, in_t, out_t)
        if "bits" in f and fits_bits(in_t, out_t) and self.rng.random() < 0.5:
            return self.composite("pipeline", in_t, out_t, composite, Bits(self, in_t, out_t).write)
        if size <= 1:
            return self.filter(in_t, out_t, composite, loop_part)
        kinds = [(self.pipeline, 3), (self.splitjoin, 3 if "splitjoin" in f else 0),
                 (self.feedback, 1.5 if "feedback" in f and in_t != VOID else 0),
                 (self.shuffle, 0.8 if "splitjoin" in f and in_t == out_t else 0),
                 (self.recursion, 0.6 if "recursion" in f and in_t == out_t else 0), (self.filter_of_size, 1)]
        make = self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        return make(in_t, out_t, size, composite, loop_part)

    def filter_of_size(self, in_t, out_t, size, composite, loop_part):
        return self.filter(in_t, out_t, composite, loop_part)

    def filter(self, in_t, out_t, composite, loop_part=False, rates=None):
        rng, program = self.rng, self.program
        if in_t == out_t and in_t != VOID and rates is None and rng.random() < 0.08:
            return Unit(in_t, out_t, 1, 1, 1, 1, lambda w, c: [f"{w} Identity<{in_t.text()}>{rng.choice(['', '()'])};"])
        if rates is None and "sidefiles" in program.features and rng.random() < 0.3 and composite.unique and VOID in (in_t, out_t):
            return self.file_end(in_t, out_t, composite)
        if rates is None and rng.random() < 0.25:
            again = [u for u in program.named if u.in_t == in_t and u.out_t == out_t and not (u.dynamic and (composite.static or loop_part))]
            if again:
                unit = rng.choice(again)
                program.dynamics += unit.dynamic
                return unit
        dynamic = rates is None and "dynamic" in program.features and not composite.static and rng.random() < (0.1 if loop_part else 0.35)
        if loop_part and VOID in (in_t, out_t):
            dynamic = False
        portals = [v for v in composite.visible() if v.type.kind == "portal"] if rng.random() < 0.5 else []
        captured = composite.captured() if rng.random() < 0.4 else None
        if rates is None and not dynamic and not portals and fits(in_t, out_t) and rng.random() < self.program.kernels:
            return KernelMaker(program, in_t, out_t, None, captured, loop_part=loop_part).make()
        return FilterMaker(program, in_t, out_t, rates, captured, prints=out_t == VOID and in_t != VOID, loop_part=loop_part,
                           dynamic=dynamic, portals=portals).make()

    def file_end(self, in_t, out_t, composite):
        """A FileReader or FileWriter somewhere in the graph."""
        program = self.program
        name = program.reader(out_t) if in_t == VOID else program.name("out") + ".bin"
        known = [v for v in composite.visible() if v.type == INT and v.span and v.span[0] == v.span[1] and str(v.span[0]) in name]
        if known and self.rng.random() < 0.7:  # a name that elaboration computes
            v = self.rng.choice(known)
            text = '"' + name.replace(str(v.span[0]), f'" + {v.name} + "', 1) + '"'
        else:
            text = f'"{name}"'
        if in_t == VOID:
            program.file_texts[name] = text
            unit = Unit(in_t, out_t, 0, 1, 1, 1, lambda w, c: [f'{w} FileReader<{out_t.text()}>({text});'])
        else:
            unit = Unit(in_t, out_t, 1, 0, 1, 1, lambda w, c: [f'{w} FileWriter<{in_t.text()}>({text});'])
        unit.file = True
        return unit

    # ---- Writing ----

    def composite(self, kind, in_t, out_t, outer, write, typed=False):
        """A named or anonymous composite; write(body) writes its statements and gives (I, O, cost, lag)."""
        rng, program = self.rng, self.program
        anonymous, before, portals = rng.random() < 0.55, program.dynamics, []
        params = []
        if anonymous:
            body = Composite(program, outer.scopes, outer.unique, outer.static)
        else:
            if rng.random() < 0.7:
                portals = [Var(program.name("p"), v.type, rw=False) for v in outer.visible() if v.type.kind == "portal"]
            params = portals + [Var(program.name("p"), rng.choice([INT, INT, FLOAT, BOOLEAN, array(INT, 2)]), rw=False)
                      for _ in range(rng.choice([0, 0, 1, 2]))]
            body = Composite(program, [program.globals, params], False, outer.static)
        i, o, cost, lag = write(body)
        dynamic = program.dynamics > before
        lines = body.out
        types = f"{in_t.text()}->{out_t.text()} "
        if anonymous:
            head = types if typed or rng.random() < 0.6 or "untyped" not in program.features else ""
            end = rng.choice(["}", "};"])
            unit = Unit(in_t, out_t, i, o, cost, lag, lambda w, c: [f"{w} {head}{kind} {{", *lines, end])
            unit.dynamic = dynamic
            return unit
        name = program.name("S", upper=True)
        text = ", ".join(f"{v.type.text()} {v.name}" for v in params)
        program.decls.append([f"{types}{kind} {name}" + (f"({text})" if text else "") + " {", *lines, "}"])
        arg_types = [v.type for v in params]
        unit = Unit(in_t, out_t, i, o, cost, lag, lambda w, c: named_add(w, name, arg_types, c))
        unit.dynamic = dynamic
        if not portals:
            program.named.append(unit)
        return unit

    def locals(self, body):
        """Sometimes a local that children's arguments and captures can use."""
        if self.rng.random() < 0.3:
            t = self.rng.choice([INT, INT, FLOAT, BOOLEAN])
            name = body.name("c")
            body.out.append(f"{t.text()} {name} = {wrap(body.expr(t, 2), COND)};")
            body.declare(name, t)
        ints = [v for v in body.scopes[-1] if v.type == INT and v.rw]
        if ints and self.rng.random() < 0.3:
            v = self.rng.choice(ints)
            body.out.append(self.rng.choice([f"{v.name}++;", f"{v.name} = {v.name} * 2;", f"{v.name} -= 3;"]))

    # ---- Pipelines ----

    def pipeline(self, in_t, out_t, size, outer, loop_part=False):
        def write(body):
            return self.pipeline_body(in_t, out_t, size, body, loop_part)
        return self.composite("pipeline", in_t, out_t, outer, write)

    def pipeline_body(self, in_t, out_t, size, body, loop_part=False):
        rng = self.rng
        count = rng.randint(1 if size < 3 and in_t != out_t else 2, max(2, min(5, size)))
        sizes = [1] * count
        for _ in range(size - count):
            sizes[rng.randrange(count)] += 1
        reps, units, t = [Fraction(1)], [], in_t
        static, messages = body.static, None
        if "messages" in self.program.features and size > 1 and not loop_part and rng.random() < 0.5:
            messages = Messages(self, body, rng.randrange(count))
        for k in range(count):
            self.locals(body)
            last = k == count - 1
            next_t = out_t if last else rng.choice([t, self.program.pick_item()]) if t != VOID else self.program.pick_item()
            repeated = next_t == t and t != VOID and rng.random() < 0.2
            if messages and messages.here(k, t, next_t):
                made = messages.receiver(t, next_t)
            else:
                made = self.repeated(t, body, loop_part) if repeated else self.one_child(t, next_t, sizes[k], body, loop_part)
            for u in made:
                if units:
                    before = units[-1]
                    reps.append(reps[-1] * before.o / u.i)
                units.append(u)
            t = next_t
        body.static = static
        reps = whole(reps)
        cost = sum(r * u.cost for r, u in zip(reps, units))
        lag = sum(-(-u.lag // r) for r, u in zip(reps, units)) + 1
        i, o = reps[0] * units[0].i, reps[-1] * units[-1].o
        if max(i, o) > self.most_items or cost > self.most_cost:
            raise TooLarge
        return i, o, cost, lag

    def one_child(self, in_t, out_t, size, body, loop_part):
        rng = self.rng
        unit = self.stream(in_t, out_t, size, body, loop_part)
        if unit.i + unit.o and not unit.file and size == 1 and rng.random() < 0.12 and unit.i < 7 and unit.o < 7:
            # One of two filters with the same rates; which is known when the graph is built.
            rates = Rates(unit.i, unit.o, unit.i + rng.choice([0, 0, 2]) if unit.i else 0)
            other = self.filter(in_t, out_t, body, loop_part, rates)
            c = wrap(body.expr(BOOLEAN, 2), COND)
            first, second = self.text_in_block(unit, body), self.text_in_block(other, body)
            body.out += [f"if ({c}) {{", *first, "} else {", *second, "}"]
            return [Unit(in_t, out_t, unit.i, unit.o, max(unit.cost, other.cost), max(unit.lag, other.lag), None)]
        body.out += unit.text("add", body)
        return [unit]

    @staticmethod
    def text_in_block(unit, body):
        body.scopes.append([])
        lines = unit.text("add", body)
        body.scopes.pop()
        return lines

    def repeated(self, t, body, loop_part):
        """A loop that adds filters with as many pushes as pops."""
        rng = self.rng
        n, r = rng.randint(1, 3), rng.choice([1, 1, 2, 3])
        i = body.name("i")
        body.scopes.append([Var(i, INT, rw=False, span=(0, n - 1))])
        unique, body.unique = body.unique, False
        unit = self.filter(t, t, body, loop_part, Rates(r, r, r + rng.choice([0, 0, 1])))
        text = unit.text("add", body)
        body.unique = unique
        body.scopes.pop()
        if rng.random() < 0.7:
            body.out += [f"for (int {i} = 0; {i} < {n}; {i}++) {{", *text, "}"]
        else:
            body.out += [f"int {i} = 0;", "while (true) {", f"if ({i} == {n}) break;", *text, f"{i}++;", "}"]
        return [unit] * n

    # ---- Splitjoins ----

    def splitjoin(self, in_t, out_t, size, outer, loop_part=False):
        if in_t == VOID and out_t == VOID:
            raise TooLarge

        def write(body):
            return self.splitjoin_body(in_t, out_t, size, body, loop_part)
        return self.composite("splitjoin", in_t, out_t, outer, write)

    def splitjoin_body(self, in_t, out_t, size, body, loop_part):
        rng = self.rng
        body.out.append("SPLIT")
        if in_t != VOID and out_t != VOID and rng.random() < 0.15:
            units = self.scaled_children(in_t, out_t, body)
        else:
            units = self.children(in_t, out_t, size, body, loop_part)
        split, weights = self.choose_split(in_t, units)
        return self.finish_splitjoin(split, weights, units, out_t, body)

    def finish_splitjoin(self, split, weights, units, out_t, body):
        rng = self.rng
        x, y, reps, joins = self.balance(units, weights, out_t)
        body.out[body.out.index("SPLIT")] = f"split {split};"
        if rng.random() < 0.2:
            self.locals(body)
        body.out.append(f"join {self.weights_text(joins, len(units), out_t)};")
        i = x * (1 if split.startswith("dup") else sum(weights))
        o = y * sum(joins)
        cost = sum(r * u.cost for r, u in zip(reps, units)) + i + o
        if max(i, o) > self.most_items or cost > self.most_cost or max(joins) > MOST_WEIGHT:
            raise TooLarge
        return i, o, cost, max(-(-u.lag // r) for r, u in zip(reps, units)) + 2

    def children(self, in_t, out_t, size, body, loop_part):
        rng = self.rng
        count = rng.randint(1 if size < 3 else 2, max(2, min(5, size)))
        units, through, before = [], 0, self.program.dynamics
        while len(units) < count:
            self.locals(body)
            a, b = in_t, out_t
            # A source beside dynamic rates would wait for ever for the joiner's other inputs.
            voids = "voids" in self.program.features and len(units) and not loop_part and self.program.dynamics == before
            if voids and in_t != VOID and out_t != VOID and rng.random() < 0.2:
                if rng.random() < 0.5:
                    a, body.static = VOID, True
                else:
                    b = VOID
            if a == b and a != VOID and rng.random() < 0.2:
                made = self.repeated_branches(a, b, body, loop_part)
            else:
                unit = self.stream(a, b, max(1, size // count), body, loop_part)
                body.out += unit.text("add", body)
                made = [unit]
            through += sum(u.in_t == in_t and u.out_t == out_t for u in made)
            units += made
        assert through
        return units

    def repeated_branches(self, a, b, body, loop_part):
        n = self.rng.randint(2, 4)
        i = body.name("i")
        body.scopes.append([Var(i, INT, rw=False, span=(0, n - 1))])
        unique, body.unique = body.unique, False
        unit = self.filter(a, b, body, loop_part)
        text = unit.text("add", body)
        body.unique = unique
        body.scopes.pop()
        body.out += [f"for (int {i} = 0; {i} < {n}; {i}++) {{", *text, "}"]
        return [unit] * n

    def equal(self, in_t, out_t, size, outer, loop_part=False):
        branches = EqualBranches(self, in_t, out_t, loop_part)
        return self.composite("splitjoin", in_t, out_t, outer, branches.write)

    def scaled_children(self, in_t, out_t, body):
        """Branches whose rates depend on the loop variable."""
        rng = self.rng
        name, rates, cost, extra = scaled_filter(self.program, in_t, out_t)
        n, first, i = rng.randint(2, 4), rng.choice([0, 1]), body.name("i")
        units = []
        for k in range(first, first + n):
            pop, push = rates(k)
            if pop == 0 or push == 0:
                raise TooLarge
            units.append(Unit(in_t, out_t, pop, push, cost, extra + 3, None))
        body.out += [f"for (int {i} = {first}; {i} < {first + n}; {i}++)", f"add {name}({i});"]
        return units

    def shuffle(self, in_t, out_t, size, outer, loop_part=False):
        """Splitters and joiners that mostly move items."""
        rng = self.rng

        def write(body):
            body.out.append("SPLIT")
            units = []
            for _ in range(rng.randint(2, 5)):
                r = rng.random()
                if r < 0.6:
                    unit = Unit(in_t, in_t, 1, 1, 1, 1, lambda w, c: [f"{w} Identity<{in_t.text()}>;"])
                elif r < 0.8 and size > 2:
                    unit = self.shuffle(in_t, in_t, size - 2, body, loop_part)
                else:
                    n = rng.randint(1, 3)
                    unit = self.filter(in_t, in_t, body, loop_part, Rates(n, n, n))
                body.out += unit.text("add", body)
                units.append(unit)
            split, weights = self.choose_split(in_t, units)
            return self.finish_splitjoin(split, weights, units, in_t, body)
        return self.composite("splitjoin", in_t, in_t, outer, write)

    def choose_split(self, in_t, units):
        """The text of the splitter and its weights."""
        rng = self.rng
        if in_t == VOID:
            return rng.choice(["roundrobin(0)", "roundrobin(0)", "roundrobin", "roundrobin()"]), [0] * len(units)
        if all(u.in_t != VOID for u in units) and rng.random() < 0.5:
            return rng.choice(["duplicate", "duplicate()"]), [1] * len(units)
        r = rng.random()
        if all(u.in_t != VOID for u in units) and r < 0.5:
            w = rng.choice([1, 1, 1, 2, 3])
            weights = [w] * len(units)
        elif r < 0.8:  # what the children take, so that one round is one steady state
            weights = [u.i for u in units]
        else:
            weights = [rng.choice([1, 1, 2, 3, 5, 7]) if u.in_t != VOID else 0 for u in units]
        if max(weights) > MOST_WEIGHT:
            raise TooLarge
        return self.weights_text(weights, len(units), in_t), weights

    def weights_text(self, weights, count, t):
        rng = self.rng
        if t == VOID:
            return rng.choice(["roundrobin(0)", "roundrobin(0)", "roundrobin(" + ", ".join(["0"] * count) + ")"])
        if all(w == 1 for w in weights) and rng.random() < 0.6:
            return rng.choice(["roundrobin", "roundrobin()", "roundrobin(1)"])
        if len(set(weights)) == 1 and rng.random() < 0.6:
            return f"roundrobin({weights[0]})"
        return f"roundrobin({', '.join(map(str, weights))})"

    def balance(self, units, weights, out_t):
        """Rounds of the splitter and of the joiner, firings of the children, and the joiner's weights."""
        rng = self.rng
        x = Fraction(1)
        reps = [Fraction(w) / u.i if u.i else None for w, u in zip(weights, units)]
        flows = [r * u.o for r, u in zip(reps, units) if r is not None and u.o]
        joins, y = [0] * len(units), Fraction(1)
        if out_t == VOID:
            y = Fraction(0)
        elif flows:
            scale = lcm(*[f.denominator for f in flows])
            divisor = gcd(*[int(f * scale) for f in flows])
            multiple = rng.choice([1, 1, 1, 1, 2, 3])
            y = Fraction(divisor, scale * multiple)
        elif any(r is not None for r in reps):
            raise TooLarge  # nothing goes through
        for k, u in enumerate(units):
            if u.o and reps[k] is not None:
                joins[k] = int(reps[k] * u.o / y)
            elif u.o:
                joins[k] = rng.choice([1, 1, 2, 3, u.o if u.o <= MOST_WEIGHT else 1])
                reps[k] = joins[k] * y / u.o
        if units[0].in_t == VOID and all(u.in_t == VOID for u in units):
            x = Fraction(0)
        x, y, *reps = whole([x, y, *reps])
        return x, y, reps, joins

    # ---- Feedback loops ----

    def feedback(self, in_t, out_t, size, outer, loop_part=False):
        rng = self.rng
        ins = in_t if in_t != VOID else self.program.pick_item()
        outs = out_t if out_t != VOID else self.program.pick_item()

        def write(body):
            return self.feedback_body(in_t, out_t, ins, outs, size, body)
        return self.composite("feedbackloop", in_t, out_t, outer, write, typed=VOID in (in_t, out_t))

    def feedback_body(self, in_t, out_t, ins, outs, size, body):
        rng = self.rng
        self.locals(body)
        inner = max(1, size // 2)
        main = self.stream(ins, outs, inner, body, True)
        if ins == outs and rng.random() < 0.4:
            back = Unit(ins, outs, 1, 1, 1, 1, lambda w, c: [f"{w} Identity<{ins.text()}>;"])
        else:
            back = self.stream(outs, ins, 1, body, True)
        rb, rl = Fraction(main.o, main.i), Fraction(back.o, back.i)
        for _ in range(30):
            a = rng.choice([1, 1, 1, 2, 3]) if in_t != VOID else 0
            b = rng.choice([1, 1, 2, 3, 4])
            share = Fraction(b) / ((a + b) * rb * rl)  # of the splitter's items, for the loop
            if out_t != VOID and a and rng.random() < 0.3 and (a + b) * rb * rl == b:
                c = d = 0  # duplicate
                break
            if not 0 < share <= 1 or (share == 1) != (out_t == VOID):
                continue
            multiple = rng.choice([1, 1, 2])
            d, c = share.numerator * multiple, (share.denominator - share.numerator) * multiple
            if max(c, d) <= MOST_WEIGHT:
                break
        else:
            raise TooLarge
        per = Fraction(d, c + d) if d else Fraction(1)
        j = Fraction(1)
        n_main = j * (a + b) / main.i
        s = n_main * main.o / ((c + d) or 1)
        n_back = s * (d or 1) / back.i
        j, n_main, s, n_back = whole([j, n_main, s, n_back])
        least = b * j
        items = least * (2 + main.lag // n_main + back.lag // n_back)
        if items > 300:
            raise TooLarge
        if rng.random() < self.program.tightness:
            items = rng.randint((items + 1) // 2, items)
        split = f"roundrobin({c}, {d})" if d else "duplicate"
        if (c, d) == (1, 1) and rng.random() < 0.5:
            split = "roundrobin"
        join = "roundrobin" if (a, b) == (1, 1) and rng.random() < 0.5 else f"roundrobin({a}, {b})"
        body.out.append(f"join {join};")
        body.out += main.text("body", body)
        body.out += back.text("loop", body)
        body.out.append(f"split {split};")
        self.enqueue(ins, items, body)
        i, o = a * j, s * (c or (0 if d else 1))
        if out_t == VOID:
            o = 0
        cost = n_main * main.cost + n_back * back.cost + j * (a + b) + items // 4
        if max(i, o) > self.most_items or cost > self.most_cost:
            raise TooLarge
        return i, o, cost, 3 + main.lag // n_main

    def enqueue(self, t, items, body):
        rng = self.rng
        while items > 0:
            n = items if items > 4 or rng.random() < 0.3 else 1
            if n > 1 and rng.random() < 0.3:
                n = rng.randint(1, n)
            i = body.name("i")
            body.scopes.append([Var(i, INT, rw=False, span=(0, n - 1))])
            text = body.argument(t, lines := [])
            body.scopes.pop()
            lines.append(f"enqueue {text};" if rng.random() < 0.6 else f"enqueue({text});")
            if n > 1:
                body.out += [f"for (int {i} = 0; {i} < {n}; {i}++) {{", *lines, "}"]
            else:
                body.out += [f"{{ int {i} = 0;", *lines, "}"]
            items -= n

    # ---- Recursion ----

    def recursion(self, in_t, out_t, size, outer, loop_part=False):
        rng, program = self.rng, self.program
        name, n, depth = program.name("R", upper=True), program.name("n"), rng.randint(1, 3)
        r = rng.choice([1, 1, 2])
        body = Composite(program, [program.globals, [Var(n, INT, rw=False)]], False)
        unit = self.filter(in_t, in_t, body, loop_part, Rates(r, r, r + rng.choice([0, 0, 1])))
        one = unit.text("add", body)
        head = f"{in_t.text()}->{in_t.text()}"
        if rng.random() < 0.5:
            lines = [f"{head} pipeline {name}(int {n}) {{", *one, f"if ({n} > 1)", f"add {name}({n} - 1);", "}"]
            if rng.random() < 0.3:
                lines = [f"{head} pipeline {name}(int {n}) {{", f"if ({n} > 1)", f"add {name}({n} - 1);", *one, "}"]
            i, cost, lag = r, unit.cost * depth, unit.lag * depth + 1
        else:
            i_name = program.name("i")
            w = rng.choice([1, 2, 3])
            split = rng.choice(["duplicate", f"roundrobin({w})"])
            lines = [f"{head} splitjoin {name}(int {n}) {{", f"split {split};", f"for (int {i_name} = 0; {i_name} < 2; {i_name}++) {{",
                     f"if ({n} > 1) {{", f"add {name}({n} - 1);", "} else {", *one, "}", "}", f"join roundrobin({w});", "}"]
            i, o, cost, lag = r, r, unit.cost, unit.lag
            for _ in range(depth):
                child = Unit(in_t, in_t, i, o, cost, lag, None)
                if split == "duplicate":
                    rounds, y, *_ = whole([Fraction(1), Fraction(o, i) / w, Fraction(1, i)])
                    i, o, reps = rounds, y * 2 * w, rounds // i
                else:
                    rounds, y, reps = whole([Fraction(1), Fraction(o * w, i * w), Fraction(w, i)])
                    i, o = rounds * 2 * w, y * 2 * w
                cost, lag = 2 * reps * child.cost + i, child.lag + 3
            program.decls.append(lines)
            made = Unit(in_t, in_t, i, o, cost, lag, lambda w_, c: [f"{w_} {name}({depth});"])
            if max(i, o) > self.most_items:
                raise TooLarge
            return made
        program.decls.append(lines)
        return Unit(in_t, in_t, i, i, cost, lag, lambda w_, c: [f"{w_} {name}({depth});"])
