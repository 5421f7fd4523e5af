# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of a wanted type, with every side effect in the order in which the text has it.

An expression is a pair (text, level): its level in StreamIt's table of precedences, so that parentheses are written only where
they are needed, and sometimes where not.
"""
from gen_types import BIT, BOOLEAN, COMPLEX, DOUBLE, FLOAT, INT, PROMOTES

COND, LOR, LAND, BITS, EQ, REL, SUM, MUL, CAST, INCDEC, PREFIX, PRIMARY = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
UNARY_MATH = ("sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt floor ceil round rint abs sqrt floor abs round").split()
BINARY_MATH = ["atan2", "pow", "max", "min", "max", "min"]
COMPLEX_MATH = ["exp", "log", "sin", "cos", "sqrt", "csqrt"]
INT_LITERALS = ["2147483647", "0x80000000", "0xFFFFFFFF", "0x7fff", "65536", "0x55aa55aa", "012", "255", "46341"]
FLOAT_LITERALS = ["0.5", "1.5f", "2f", "1e3", "0.1", "0.0", "1.0", "3.25", "1e-3f", "16777216.0", "2147483648", "1e38", "1e-40", "pi",
                  "0.333333", "100.0"]


class Var:
    """A name that expressions can use. rw: may be assigned; span: the least and greatest value of an int, if known.

    Of a parameter, argument: what is always passed for it, and written: its type in the text, where they are not as usual.
    """
    argument = written = None

    def __init__(self, name, type_, rw=True, span=None, field=False):
        self.name, self.type, self.rw, self.span, self.field = name, type_, rw, span, field


class Function:
    """A function that bodies can call. impure: changes fields or its array arguments, prints or moves the tape.

    more_pop, more_push: what it may pop and push besides pop and push, as the data have it; peek covers that.
    """

    def __init__(self, name, params, result, pop=0, push=0, peek=0, cost=1, impure=False, bounded=None, more_pop=0, more_push=0, sends=False):
        self.name, self.params, self.result = name, params, result
        self.pop, self.push, self.peek, self.cost, self.impure = pop, push, max(peek, pop), cost, impure
        self.bounded = bounded  # the index of an int argument that must be small (recursion depth)
        self.more_pop, self.more_push, self.sends = more_pop, more_push, sends


def wrap(node, level):
    return node[0] if node[1] >= level else f"({node[0]})"


def paths(t, goal, known):
    """Ways from a value of type t to parts of type goal: lists of steps, a step being '.name' or an array length."""
    key = (t.text(), goal.text())
    if key not in known:
        found = [[]] if t == goal else []
        if t.kind == "array":
            found += [[t.length] + p for p in paths(t.element, goal, known)]
        elif t.kind == "struct":
            found += [["." + name] + p for name, ft in t.fields for p in paths(ft, goal, known)]
        elif t.kind == "complex" and goal.kind == "float":
            found += [[".real"], [".imag"]]
        known[key] = found
    return known[key]


class Expressions:
    """Mixin of Body: needs rng, features, scopes(), p, avail, tape, in_type, functions, mult."""

    # ---- Names ----

    def visible(self):
        seen, found = set(), []
        for scope in reversed(self.scopes):
            for v in reversed(scope):
                if v.name not in seen:
                    seen.add(v.name)
                    found.append(v)
        return found

    def place(self, t, write=False, depth=1):
        """The text of a variable or a part of one with type t; None if there is none."""
        choices = [(v, p) for v in self.visible() if (v.rw or not write) for p in paths(v.type, t, self.program.paths)]
        if not choices:
            return None
        locals_first = [c for c in choices if not c[0].field]
        if locals_first and self.rng.random() < 0.5:
            choices = locals_first
        if t.kind in ("float", "int"):  # parts are many: the whole ones get their share
            whole = [c for c in choices if not c[1]]
            if whole and self.rng.random() < 0.5:
                choices = whole
        v, path = self.rng.choice(choices)
        return self.path_text(v, path, depth)

    def path_text(self, v, path, depth):
        return v.name + "".join(s if isinstance(s, str) else f"[{self.index(s, depth)}]" for s in path)

    def index(self, n, depth):
        """An int expression from 0 to n - 1."""
        r = self.rng.random()
        ranged = [v for v in self.visible() if v.span and v.span[0] >= 0 and v.span[1] < n and v.type == INT]
        if ranged and r < 0.5:
            return self.rng.choice(ranged).name
        if r < 0.7 or depth <= 0:
            return str(self.rng.randrange(n))
        near = [v for v in self.visible() if v.span and v.type == INT and v.span[0] > -n]
        if near and r < 0.8:
            v = self.rng.choice(near)
            if v.span[1] < n and v.span[0] < 0:
                return f"{v.name} + {-v.span[0]}" if v.span[1] - v.span[0] < n else f"({v.name} + {n}) % {n}"
            if v.span[0] >= 0:
                return f"{v.name} % {n}"
        e = self.expr(INT, depth - 1)
        if n & (n - 1) == 0:
            return f"{wrap(e, EQ)} & {n - 1}"
        if self.rng.random() < 0.5:
            return f"({wrap(e, MUL)} % {n} + {n}) % {n}"
        return f"({wrap(e, EQ)} & 0x7fffffff) % {n}"

    # ---- Values ----

    def convertible(self, t, depth):
        """An expression that may stand where a value of type t is wanted: of t, or of a type that promotes to it."""
        kinds = PROMOTES.get(t.kind)
        if kinds and self.rng.random() < 0.2:
            kind = self.rng.choice(kinds)
            if kind in self.features:
                return self.expr(self.types[kind], depth)
        return self.expr(t, depth)

    def value(self, t, depth, level=COND):
        return wrap(self.convertible(t, depth), level)

    def expr(self, t, depth):
        node = self.raw_expr(t, depth)
        if node[1] < PRIMARY and self.rng.random() < 0.07:
            return f"({node[0]})", PRIMARY
        return node

    def raw_expr(self, t, depth):
        if not t.scalar:
            return self.aggregate(t, depth)
        tape = self.tape_read(t, depth)
        if tape and self.rng.random() < 0.45:
            return tape()
        if depth <= 0 or self.rng.random() < 0.12:
            return self.leaf(t)
        r = self.rng.random()
        if r < 0.08:
            return self.conditional(t, depth)
        if r < 0.16:
            call = self.call(t, depth)
            if call:
                return call
        if r < 0.30:
            place = self.place(t, depth=depth - 1)
            if place:
                return place, PRIMARY
        if r < 0.33 and t.real and t != BIT and self.effects:
            place = self.place(t, write=True, depth=depth - 1)
            if place:
                return self.rng.choice([(f"{place}++", INCDEC), (f"{place}--", INCDEC), (f"++{place}", INCDEC), (f"--{place}", INCDEC)])
        return getattr(self, t.kind + "_expr")(depth)

    def leaf(self, t):
        if self.rng.random() < 0.75:
            place = self.place(t, depth=0)
            if place:
                return place, PRIMARY
        if t == INT:
            r = self.rng.random()
            if r < 0.1 and self.iter_ok:
                return "iter()", PRIMARY
            if r < 0.25:
                return self.rng.choice(INT_LITERALS), PRIMARY
            if r < 0.4:
                return f"-{self.rng.randint(1, 9)}", PREFIX
            return str(self.rng.randint(0, 20)), PRIMARY
        if t == FLOAT:
            return self.rng.choice(FLOAT_LITERALS + [f"{self.rng.randint(0, 9)}.{self.rng.randint(0, 99)}"]), PRIMARY
        if t == BOOLEAN:
            return self.rng.choice(["true", "false"]), PRIMARY
        if t == BIT:
            return self.rng.choice(["0", "1"]), PRIMARY
        if t == DOUBLE:
            return f"(double){self.rng.choice(FLOAT_LITERALS)}", CAST
        return f"{self.rng.choice(['1', '0.5', '2.0', '0.0', '3'])} {self.rng.choice('+-')} {self.rng.choice(['1i', '0.5i', '2i', '0.25i'])}", SUM

    def tape_read(self, t, depth):
        """A function that writes a pop or a peek giving t; None where neither is possible."""
        if self.in_type != t:
            return None
        can_pop = self.p > 0 and self.avail > 0 and self.tape and self.effects # not what a call needs whose arguments are written
        can_peek = self.avail > 0 and self.window > 0
        if can_pop and (not can_peek or self.rng.random() < 0.55):
            return self.pop_expr
        return (lambda: self.peek_expr(depth)) if can_peek else None

    def pop_expr(self):
        self.p -= 1
        self.avail -= 1
        return "pop()", PRIMARY

    def peek_expr(self, depth):
        r = self.rng.random()
        spans = [v for v in self.visible() if v.span and v.span[0] >= 0 and v.span[1] < self.avail]
        if spans and r < 0.5:
            v = self.rng.choice(spans)
            room = self.avail - 1 - v.span[1]
            if room and self.rng.random() < 0.5:
                return f"peek({v.name} + {self.rng.randint(1, room)})", PRIMARY
            return f"peek({v.name})", PRIMARY
        if r < 0.7 and spans:
            pairs = [(a, b) for a in spans for b in spans if a.span[1] + b.span[1] < self.avail]
            if pairs:
                a, b = self.rng.choice(pairs)
                return f"peek({a.name} + {b.name})", PRIMARY
        if r < 0.9 or depth <= 0 or self.avail < 2:
            return f"peek({self.rng.randrange(self.avail)})", PRIMARY
        before = self.p, self.q, self.avail, self.more_p, self.more_q
        e = self.expr(INT, 1)  # may pop, so that the window behind it is smaller
        if self.avail < 1:
            self.p, self.q, self.avail, self.more_p, self.more_q = before
            return f"peek({self.rng.randrange(self.avail)})", PRIMARY
        return f"peek(({wrap(e, EQ)} & 0x7fffffff) % {self.avail})", PRIMARY

    def quietly(self, make):
        """Runs make where it is not certain that what it writes is evaluated: nothing may be popped or pushed."""
        tape, self.tape = self.tape, False
        node = make()
        self.tape = tape
        return node

    def conditional(self, t, depth):
        c = self.expr(BOOLEAN, depth - 1)
        if t == self.in_type and self.p > 0 and self.avail > 0 and self.tape and self.effects and self.rng.random() < 0.3:
            self.p -= 1
            self.avail -= 1
            other = self.quietly(lambda: self.expr(t, 0))
            sides = self.rng.choice([("pop()", "pop()"), (f"pop() {self.rng.choice('+-')} {wrap(other, MUL)}" if t in (INT, FLOAT) else "pop()", "pop()")])
            return f"{wrap(c, LOR)} ? {sides[0]} : {sides[1]}", COND
        a = self.quietly(lambda: self.expr(t, depth - 1))
        b = self.quietly(lambda: self.expr(t, depth - 1))
        return f"{wrap(c, LOR)} ? {wrap(a, COND)} : {wrap(b, COND)}", COND

    def call(self, t, depth):
        """A call that gives t; None if no function fits."""
        choices = [f for f in self.functions if f.result == t and self.may_call(f)]
        return self.call_text(self.rng.choice(choices), depth) if choices else None

    def may_call(self, f):
        if f.impure and not self.effects or self.mult * f.cost > self.limit:
            return False
        if f.more_pop or f.more_push:
            if not self.tape or self.frames or f.more_pop > self.more_p or f.more_push > self.more_q:
                return False
        if f.sends and self.kind not in ("work", "prework", "helper"):
            return False
        if f.pop or f.push or f.peek:
            if not self.tape or f.pop > self.p or f.push > self.q or f.peek > self.avail:
                return False
        return all(pt.kind != "array" or self.place(pt, write=f.impure, depth=0) for pt in f.params)

    def call_text(self, f, depth):
        p, avail = self.p, self.avail
        self.sent |= f.sends
        self.p -= f.pop  # what the function needs is kept back while its arguments are written
        self.q -= f.push
        self.more_p -= f.more_pop
        self.more_q -= f.more_push
        self.avail -= f.peek
        args = []
        for i, pt in enumerate(f.params):
            if pt.kind == "array":
                args.append(self.place(pt, write=f.impure, depth=depth - 1))
            elif i == f.bounded:
                args.append(f"{wrap(self.expr(INT, depth - 2), EQ)} & {self.rng.choice([1, 3, 3, 7])}")
            else:
                args.append(self.value(pt, depth - 1))
        self.avail = avail - (p - self.p) - f.more_pop
        return f"{f.name}({', '.join(args)})", PRIMARY

    def binary(self, op, level, left, right):
        """left and right make the operands; the left one first."""
        a = wrap(left(), level)
        return f"{a} {op} {wrap(right(), level + 1)}", level

    # ---- By type ----

    def int_expr(self, d):
        def sub():
            return self.expr(INT, d - 1)
        r = self.rng.random()
        if r < 0.30:
            op = self.rng.choice("++--*")
            return self.binary(op, MUL if op == "*" else SUM, sub, sub)
        if r < 0.42:
            return self.int_division(d)
        if r < 0.54:
            return self.binary(self.rng.choice("&|^"), BITS, sub, sub)
        if r < 0.64:
            return self.binary(self.rng.choice(["<<", ">>"]), MUL, sub, self.rng.choice([sub, lambda: (str(self.rng.randint(0, 33)), PRIMARY)]))
        if r < 0.72:
            return self.rng.choice("-~") + wrap(sub(), PRIMARY), PREFIX
        if r < 0.84:
            kind = self.rng.choice([k for k in ("float", "double", "bit", "int") if k in self.features])
            return f"(int){wrap(self.expr(self.types[kind], d - 1), INCDEC)}", CAST
        if r < 0.90 and "bit" in self.features:
            op = self.rng.choice("+-&^")
            return self.binary(op, SUM if op in "+-" else BITS, lambda: self.expr(BIT, d - 1), sub)
        if r < 0.95:
            c = wrap(self.expr(BOOLEAN, d - 1), LOR)
            return f"{c} ? 1 : 0", COND
        return self.leaf(INT)

    def int_division(self, d):
        op = self.rng.choice("/%")
        a = wrap(self.expr(INT, d - 1), MUL)
        r = self.rng.random()
        if r < 0.4:
            return f"{a} {op} {self.rng.choice(['2', '3', '7', '16', '(-1)', '(-3)', '5', '10'])}", MUL
        if r >= 0.9:
            v = self.place(INT, depth=0)
            return f"{v} != 0 ? {a} {op} {v} : {v}" if v and "[" not in v else f"{a} {op} 9", COND if v and "[" not in v else MUL
        b = self.expr(INT, d - 2)
        if "traps" in self.features and self.kind in ("work", "prework") and self.rng.random() < 0.2:
            return f"{a} {op} {wrap(b, CAST)}", MUL
        if r < 0.7:
            return f"{a} {op} (({wrap(b, EQ)} & {self.rng.choice([1, 7, 15])}) + {self.rng.randint(1, 3)})", MUL
        return f"{a} {op} ({wrap(b, BITS)} | 1)", MUL

    def float_like(self, t, d):
        """Arithmetic that is the same for float and double."""
        def sub():
            return self.expr(t, d - 1)

        def any_real():
            kinds = [k for k in PROMOTES[t.kind] + [t.kind] * 3 if k in self.features]
            return self.expr(self.types[self.rng.choice(kinds)], d - 1)
        r = self.rng.random()
        if r < 0.5:
            op = self.rng.choice("++--**/")
            left, right = (sub, any_real) if self.rng.random() < 0.6 else (any_real, sub)
            return self.binary(op, SUM if op in "+-" else MUL, left, right)
        if r < 0.6:
            return "-" + wrap(sub(), PRIMARY), PREFIX
        if r < 0.8:
            return self.math(t, d)
        return None

    def math(self, t, d):
        if self.rng.random() < 0.3:
            a = wrap(self.expr(t, d - 1), COND)
            return f"{self.rng.choice(BINARY_MATH)}({a}, {self.value(t, d - 1)})", PRIMARY
        return f"{self.rng.choice(UNARY_MATH)}({wrap(self.expr(t, d - 1), COND)})", PRIMARY

    def float_expr(self, d):
        node = self.float_like(FLOAT, d)
        if node:
            return node
        r = self.rng.random()
        if r < 0.1:
            f = self.rng.choice(["abs", "max", "sqrt"])
            a = wrap(self.expr(INT, d - 1), COND)
            return f"{f}({a})" if f != "max" else f"max({a}, {wrap(self.expr(INT, d - 1), COND)})", PRIMARY
        if r < 0.2 and "complex" in self.features:
            return f"{self.rng.choice(['abs', 'arg'])}({wrap(self.expr(COMPLEX, d - 1), COND)})", PRIMARY
        kinds = [k for k in ("int", "double", "bit", "int", "float") if k in self.features]
        return f"(float){wrap(self.expr(self.types[self.rng.choice(kinds)], d - 1), INCDEC)}", CAST

    def double_expr(self, d):
        node = self.float_like(DOUBLE, d)
        if node:
            return node
        if self.rng.random() < 0.1 and self.random_ok and self.effects:
            return "random()", PRIMARY
        kinds = [k for k in ("int", "float", "bit", "double") if k in self.features]
        return f"(double){wrap(self.expr(self.types[self.rng.choice(kinds)], d - 1), INCDEC)}", CAST

    def complex_expr(self, d):
        def sub():
            return self.expr(COMPLEX, d - 1)

        def any_kind():
            kind = self.rng.choice(["complex", "complex", "float", "int"])
            return self.expr(self.types[kind], d - 1)
        r = self.rng.random()
        if r < 0.5:
            op = self.rng.choice("++--**/")
            left, right = (sub, any_kind) if self.rng.random() < 0.6 else (any_kind, sub)
            return self.binary(op, SUM if op in "+-" else MUL, left, right)
        if r < 0.6:
            return "-" + wrap(sub(), PRIMARY), PREFIX
        if r < 0.75:
            return f"{self.rng.choice(COMPLEX_MATH)}({wrap(sub(), COND)})", PRIMARY
        if r < 0.8:
            return f"pow({wrap(sub(), COND)}, {self.value(COMPLEX, d - 1)})", PRIMARY
        a = wrap(self.expr(FLOAT, d - 1), SUM)
        return f"{a} {self.rng.choice('+-')} {wrap(self.expr(FLOAT, d - 1), MUL)} * 1i", SUM

    def bit_expr(self, d):
        def sub():
            return self.expr(BIT, d - 1)
        r = self.rng.random()
        if r < 0.6:
            return self.binary(self.rng.choice("&|^^"), BITS, sub, sub)
        return f"(bit)({wrap(self.expr(INT, d - 1), EQ)} & 1)", CAST

    def boolean_expr(self, d):
        def sub():
            return self.expr(BOOLEAN, d - 1)
        r = self.rng.random()
        if r < 0.45:
            kinds = [k for k in ("int", "int", "int", "float", "float", "double", "bit") if k in self.features]
            types = [self.types[self.rng.choice(kinds)] for _ in range(2)]
            if self.rng.random() < 0.6:
                types[1] = types[0]
            op = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
            return self.binary(op, EQ if op in ("==", "!=") else REL, lambda: self.expr(types[0], d - 1), lambda: self.expr(types[1], d - 1))
        if r < 0.65:
            op = self.rng.choice(["&&", "||"])
            return self.binary(op, LAND if op == "&&" else LOR, sub, lambda: self.quietly(sub))
        if r < 0.75:
            return "!" + wrap(sub(), PRIMARY), PREFIX
        if r < 0.85:
            return self.binary(self.rng.choice("&|^"), BITS, sub, sub)
        if r < 0.9 and "complex" in self.features:
            return self.binary(self.rng.choice(["==", "!="]), EQ, lambda: self.expr(COMPLEX, d - 1), lambda: self.expr(COMPLEX, d - 1))
        return self.binary(self.rng.choice(["==", "!="]), EQ, sub, sub)

    def aggregate(self, t, depth):
        tape = self.tape_read(t, depth)
        r = self.rng.random()
        if tape and r < 0.6:
            return tape()
        if r < 0.75 and depth > 0:
            call = self.call(t, depth)
            if call:
                return call
        place = self.place(t, depth=depth - 1)
        if place and r > 0.92 and depth > 0 and t.kind == "struct":
            other = self.place(t, depth=0)
            c = wrap(self.quietly(lambda: self.expr(BOOLEAN, 1)), LOR)
            return f"{c} ? {place} : {other}", COND
        if place:
            return place, PRIMARY
        return self.fresh_local(t), PRIMARY
