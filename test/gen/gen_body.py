# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random bodies of functions. Every path pops and pushes exactly what it is told to, and peeks only inside the window.

The budget (p, q) is what the present block still has to pop and push; frames holds what the blocks around it have left. avail
is how many items can certainly be peeked at: the least over all ways that lead here. more_p and more_q are what the body may pop
and push besides, as the data have it: only statements outside of all blocks draw on them.
"""
from gen_expr import COND, EQ, LOR, Expressions, Var, wrap
from gen_types import BOOLEAN, COMPLEX, FLOAT, INT, VOID

MAX_EXPR = 3


class Body(Expressions):
    def __init__(self, program, scopes, kind, in_type=VOID, out_type=VOID, functions=(), window=0, limit=60, iter_ok=False,
                 random_ok=False, prints=False, result=VOID):
        self.program, self.rng, self.features, self.types = program, program.rng, program.features, program.types
        self.scopes = [list(s) for s in scopes] + [[]]
        self.kind, self.in_type, self.out_type, self.functions = kind, in_type, out_type, list(functions)
        self.window = self.avail = window
        self.p = self.q = self.more_p = self.more_q = 0
        self.paired = False  # whatever is popped besides, as much is pushed
        self.may_send = None  # whether it may send messages to a portal, by the portal's type
        self.sent = self.lazy = False
        self.unwritten = 0  # variables at the end of the innermost scope whose declaration is still being made
        self.frames, self.loops = [], []
        self.mult, self.limit = 1, limit
        self.tape, self.effects = True, kind != "composite"
        self.iter_ok, self.random_ok, self.prints, self.result = iter_ok, random_ok, prints, result
        self.out, self.cost = [], 0

    # ---- Blocks and budgets ----

    def emit(self, text):
        self.out.append(text)
        self.cost += self.mult

    def name(self, stem):
        return self.program.name(stem)

    def declare(self, name, t, **more):
        v = Var(name, t, **more)
        self.scopes[-1].append(v)
        return v

    def body(self, p, q, size):
        """A whole body: the lines of its statements."""
        self.p, self.q = p, q
        for _ in range(size):
            self.statement()
        if self.may_send and self.rng.random() < 0.7:
            self.send()
        if self.more_p + self.more_q:
            self.dynamic_tape()
        if self.lazy:
            self.p = self.rng.randint(0, self.p)  # the rest is discarded after the firing
        self.spend()
        if self.result != VOID:
            self.emit(f"return {self.value(self.result, MAX_EXPR)};")
        return self.out

    def statements(self, size):
        for _ in range(size):
            self.statement()
        self.spend()

    def nested(self, p, q, size, head=None, loop=None):
        """The lines of a block with a budget of its own; head writes what comes first in it."""
        lines, self.out = self.out, []
        self.frames.append((self.p, self.q))
        self.p, self.q = p, q
        self.scopes.append([])
        if loop is not None:
            self.loops.append({"tape": p + q > 0, "depth": len(self.frames), **loop})
        if head:
            head()
        self.statements(size)
        if loop is not None:
            self.loops.pop()
        self.scopes.pop()
        self.p, self.q = self.frames.pop()
        inner, self.out = self.out, lines
        return inner

    def block_text(self, lines):
        """A statement made of lines: braces may be left out around a single one."""
        if len(lines) == 1 and self.rng.random() < 0.6 and self.is_plain(lines[0]):
            return [lines[0]]
        return ["{", *lines, "}"]

    def is_plain(self, line):
        return line.endswith(";") and not any(line.startswith(t.text() + " ") for t in self.program.all_types)

    def add_block(self, head, lines, tail=None):
        text = self.block_text(lines)
        if text[0] == "{":
            self.out.append(head + " {")
            self.out += text[1:-1]
            self.out.append("}" + (" " + tail if tail else ""))
        else:
            self.out.append(head + " " + text[0])
            if tail:
                self.out.append(tail)

    def split_budget(self, trips=1):
        """A share of the budget for a block that runs so many times."""
        def share(n):
            most = n // trips
            return self.rng.choice([0, most, self.rng.randint(0, most)]) if most else 0
        return share(self.p), share(self.q)

    def spend(self):
        """Pops and pushes what is left of the budget."""
        while self.p > 0 or self.q > 0:
            most = max(self.p, self.q)
            if most > 3 and self.rng.random() < 0.7:
                n = self.rng.choice([n for n in range(2, most + 1) if most % n == 0])
                self.counted_loop(n, self.p // n, self.q // n, 0)
            elif self.q > 0 and (self.p == 0 or self.rng.random() < 0.6):
                self.push()
            else:
                self.pop_statement()

    def plain_spend(self, p, q):
        """Lines that pop and push so much and do nothing else."""
        lines = []
        for n, text in ((q, "push"), (p, "pop();")):
            if text == "push":
                text = f"push({wrap(self.quietly(lambda: self.expr(self.out_type, 1)), COND)});" if n else ""
            if n > 2:
                k = self.name("k")
                lines.append(f"for (int {k} = 0; {k} < {n}; {k}++) {text}")
            else:
                lines += [text] * n
        return lines

    def push(self):
        self.q -= 1
        self.emit(f"push({self.value(self.out_type, MAX_EXPR)});")

    def pop_statement(self):
        r = self.rng.random()
        t = self.in_type
        if r < 0.5:
            text, _ = self.pop_expr()
            self.emit(f"{t.text()} {self.new_local(t)} = {text};")
        elif r < 0.65:
            place = self.place(t, write=True, depth=0)
            text, _ = self.pop_expr()
            self.emit(f"{place} = {text};" if place else f"{text};")
        elif r < 0.8:
            self.emit(f"{self.pop_expr()[0]};")
        else:
            self.assign()

    def new_local(self, t, **more):
        hidden = [v for s in self.scopes for v in s if v.field]
        inner = {v.name for v in self.visible() if not v.field}
        if hidden and self.rng.random() < 0.04 and not any(v.name in inner for v in hidden):
            name = self.rng.choice(hidden).name
            if name not in self.program.shadowed:
                self.program.shadowed.add(name)
                return self.declare(name, t, **more).name
        return self.declare(self.name("v"), t, **more).name

    def fresh_local(self, t):
        """A new local of an aggregate type with something in it, written before the present statement."""
        tape, self.tape = self.tape, False
        unwritten = self.scopes[-1][len(self.scopes[-1]) - self.unwritten:]
        self.scopes[-1] = self.scopes[-1][:len(self.scopes[-1]) - self.unwritten]
        name = self.name("v")
        self.emit(f"{t.text()} {name};")
        self.fill(name, t)
        self.tape = tape
        self.declare(name, t)
        self.scopes[-1] += unwritten
        return name

    def fill(self, name, t):
        if t.kind == "array":
            k = self.name("k")
            if t.element.scalar and self.rng.random() < 0.7:
                self.scopes.append([Var(k, INT, rw=False, span=(0, t.length - 1))])
                self.emit(f"for (int {k} = 0; {k} < {t.length}; {k}++) {name}[{k}] = {self.value(t.element, 1)};")
                self.scopes.pop()
            else:
                for i in range(min(t.length, 3)):
                    self.fill(f"{name}[{i}]", t.element)
        elif t.kind == "struct":
            for field, ft in t.fields:
                self.fill(f"{name}.{field}", ft)
        else:
            self.emit(f"{name} = {self.value(t, 1)};")

    # ---- Statements ----

    def statement(self):
        kinds = [(self.declaration, 4), (self.assign, 5), (self.compound, 3), (self.step, 1.5), (self.branch, 2.5), (self.loop, 2.5),
                 (self.call_statement, 1.5), (self.print_statement, 1.2 if self.prints else 0), (self.oddity, 0.6),
                 (self.leave, 0.7), (self.cursor, 0.6), (self.tape_statement, 2.5), (self.dependent_tape, 0.7),
                 (self.dynamic_tape, 4 if self.more_p + self.more_q and not self.frames else 0), (self.send, 2.5 if self.may_send else 0)]
        total = sum(w for _, w in kinds)
        r = self.rng.random() * total
        for make, weight in kinds:
            r -= weight
            if r < 0:
                make()
                return

    def pick_type(self, scalars_only=False):
        return self.program.pick_type(scalars_only)

    def declaration(self):
        t = self.pick_type()
        r = self.rng.random()
        if not t.scalar:
            if r < 0.35 and self.in_type == t and self.p > 0 and self.tape:
                text = self.pop_expr()[0]
                self.emit(f"{t.text()} {self.new_local(t)} = {text};")
            elif r < 0.6 and t.kind == "array":
                text = self.array_init(t)
                self.emit(f"{t.text()} {self.new_local(t)} = {text};")
            elif r < 0.8:
                text = wrap(self.aggregate(t, 2), COND)
                self.emit(f"{t.text()} {self.new_local(t)} = {text};")
            else:
                self.emit(f"{t.text()} {self.new_local(t)};")
            return
        parts = []
        for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
            value = f" = {self.value(t, MAX_EXPR)}" if self.rng.random() < 0.85 else ""
            parts.append(self.new_local(t) + value)
            self.unwritten += 1
        self.unwritten = 0
        self.emit(f"{t.text()} {', '.join(parts)};")

    def array_init(self, t):
        if t.kind == "array":
            return "{" + ", ".join(self.array_init(t.element) for _ in range(t.length)) + "}"
        return self.value(t, 1)

    def target(self, t):
        return self.place(t, write=True, depth=2)

    def assign(self):
        t = self.pick_type()
        place = self.target(t)
        if place is None:
            self.declaration()
            return
        self.emit(f"{place} = {self.value(t, MAX_EXPR)};")

    def compound(self):
        t = self.pick_type(scalars_only=True)
        place = self.target(t) if t.numeric and t.kind != "bit" else None
        if place is None:
            self.assign()
            return
        ops = ["+=", "-=", "*="]
        if t == INT:
            op = self.rng.choice(ops + ["<<=", ">>=", "/="])
            if op == "/=":
                self.emit(f"{place} /= {self.rng.choice(['3', '7', '-2', '(-1)'])};" if self.rng.random() < 0.6 else
                          f"{place} /= ({self.value(INT, 2, EQ)} & 7) + 1;")
            else:
                self.emit(f"{place} {op} {self.value(INT, MAX_EXPR)};")
            return
        self.emit(f"{place} {self.rng.choice(ops + ['/='])} {self.value(t, MAX_EXPR)};")

    def step(self):
        t = self.types[self.rng.choice([k for k in ("int", "int", "float", "bit", "double") if k in self.features and k != "bit"])]
        place = self.target(t)
        if place is None:
            self.declaration()
            return
        self.emit(self.rng.choice([f"{place}++;", f"{place}--;", f"++{place};", f"--{place};"]))

    def branch(self):
        c = wrap(self.expr(BOOLEAN, MAX_EXPR), COND)
        p, q = self.split_budget()
        self.p -= p
        self.q -= q
        avail = self.avail
        size = self.rng.randint(1, 2)
        then = self.nested(p, q, size)
        self.avail = avail
        other = self.nested(p, q, self.rng.randint(0, 2)) if p + q or self.rng.random() < 0.5 else []
        self.avail = avail - p
        if not then:
            then = [";"]
        if other and len(then) == 1 and then[0].startswith("if"):
            then = ["{", *then, "}"]
        if other and other[0].startswith("if (") and self.is_one_if(other):
            self.out.append(f"if ({c}) {{")
            self.out += then + ["} else " + other[0]] + other[1:]
            return
        if not other:
            self.add_block(f"if ({c})", then)
            return
        self.out.append(f"if ({c}) {{")
        self.out += then
        self.out.append("} else {")
        self.out += other + ["}"]

    @staticmethod
    def is_one_if(lines):
        """Whether lines are a single statement 'if (...) { ... }' in braces throughout."""
        depth = 0
        for i, line in enumerate(lines):
            depth += line.count("{") - line.count("}")
            if depth == 0 and i < len(lines) - 1:
                return False
        return lines[0].endswith("{") and lines[-1] == "}"

    def print_statement(self):
        if self.mult > 8:
            return
        self.emit(self.print_text())

    def print_text(self):
        word = self.rng.choice(["println", "println", "print"])
        r = self.rng.random()
        if r < 0.3:
            t = self.types[self.rng.choice([k for k in ("int", "float", "boolean", "double", "bit") if k in self.features])]
            return f"{word}({wrap(self.expr(t, 2), COND)});"
        parts = ['"' + self.rng.choice(["a=", "x ", "", "", "\\t", "v: ", "(", "%d ", "100%"]) + '"']
        if r > 0.92:
            parts.append(f'({wrap(self.expr(BOOLEAN, 1), LOR)} ? "yes" : "no")')
        for _ in range(self.rng.randint(1, 3)):
            t = self.types[self.rng.choice([k for k in ("int", "float", "boolean", "double", "bit", "int") if k in self.features])]
            parts.append(wrap(self.expr(t, 2), 8))
            parts.append('" "')
        if word == "print":
            parts[-1] = '"\\n"' if self.rng.random() < 0.7 else '";"'
        return f"{word}({' + '.join(parts)});"

    def show(self, name, t):
        """Statements that print all of a variable."""
        if t.kind == "array":
            for i in range(t.length):
                self.show(f"{name}[{i}]", t.element)
        elif t.kind == "struct":
            for field, ft in t.fields:
                self.show(f"{name}.{field}", ft)
        elif t == COMPLEX:
            self.emit(f'print("" + {name}.real + " " + {name}.imag + " ");')
        else:
            self.emit(f'print("" + {name} + " ");')

    def oddity(self):
        r = self.rng.random()
        if r < 0.2:
            self.emit(";")
        elif r < 0.4 and self.iter_ok:
            self.emit("iter();")
        elif r < 0.6 and self.avail > 0 and self.window > 0:
            self.emit(f"peek({self.rng.randrange(self.avail)});")
        else:
            p, q = self.split_budget()
            self.p -= p
            self.q -= q
            avail = self.avail
            inner = self.nested(p, q, 1)
            self.avail = avail - p
            self.out += ["{", *inner, "}"]

    def tape_statement(self):
        if self.q > 0 and (self.p == 0 or self.rng.random() < 0.5):
            self.push()
        elif self.p > 0:
            self.pop_statement()
        else:
            self.assign()

    def call_statement(self):
        functions = [f for f in self.functions if self.may_call(f)]
        if not functions:
            self.assign()
            return
        f = self.rng.choice(functions)
        text, _ = self.call_text(f, MAX_EXPR)
        self.cost += self.mult * f.cost
        if f.result != VOID and self.rng.random() < 0.6:
            self.emit(f"{f.result.text()} {self.new_local(f.result)} = {text};")
        else:
            self.emit(text + ";")

    def leave(self):
        """break, continue or return under a condition, after doing what must still be done."""
        loop = self.loops[-1] if self.loops else None
        r = self.rng.random()
        if loop and r < 0.75:
            inner = self.frames[loop["depth"]:]
            p, q = self.p + sum(f[0] for f in inner), self.q + sum(f[1] for f in inner)
            word = "continue" if loop["tape"] or self.rng.random() < 0.5 else "break"
            if word == "continue" and not loop.get("continue", True):
                word = "break"
            if loop["tape"] and word == "break":
                return
        elif self.kind in ("work", "prework", "helper", "init"):
            if any(l["tape"] for l in self.loops):
                return
            p, q = self.p + sum(f[0] for f in self.frames), self.q + sum(f[1] for f in self.frames)
            word = "return"
        else:
            return
        c = wrap(self.quietly(lambda: self.expr(BOOLEAN, MAX_EXPR)), COND)
        lines = self.plain_spend(p, q)
        if word == "return" and self.result != VOID:
            word += " " + wrap(self.quietly(lambda: self.expr(self.result, 1)), COND)
        self.add_block(f"if ({c})", lines + [word + ";"])

    def cursor(self):
        """a[i++] = ...: an index that moves with every use."""
        arrays = [v for v in self.visible() if v.type.kind == "array" and v.rw and v.type.length > 1]
        if not arrays:
            return
        a = self.rng.choice(arrays)
        i = self.name("i")
        self.emit(f"int {i} = 0;")
        at = 0
        for _ in range(self.rng.randint(1, 3)):
            if at >= a.type.length - 1:
                break
            use = self.rng.choice(["put", "get", "both", "pre"])
            t = a.type.element
            if a not in self.visible():  # the value of the last one has hidden it
                break
            if use == "put":
                self.emit(f"{a.name}[{i}++] = {self.value(t, 2)};")
                at += 1
            elif use == "pre":
                self.emit(f"{a.name}[++{i}] = {self.value(t, 2)};")
                at += 1
            elif use == "get":
                self.emit(f"{t.text()} {self.declare(self.name('v'), t).name} = {a.name}[{i}++];")
                at += 1
            elif at + 2 <= a.type.length:
                self.emit(f"{a.name}[{i}++] = {a.name}[{i}++];")
                at += 2
        self.declare(i, INT)

    # ---- Loops ----

    def trips(self):
        most = min(6, self.limit // self.mult)
        return self.rng.randint(1, most) if most >= 1 else 0

    def loop(self):
        n = self.trips()
        if n < 1:
            self.assign()
            return
        r = self.rng.random()
        if r < (0.5 if "fieldloops" in self.features and self.rng.random() < 0.5 else 0.08):
            self.real_loop(n)
            return
        p, q = self.split_budget(n)
        if r < 0.5:
            self.counted_loop(n, p, q, self.rng.randint(1, 2))
        elif r < 0.75:
            self.while_loop(n, p, q)
        else:
            self.computed_loop(n)

    def run_loop(self, n, p, q, size, head=None, var=None, **loop):
        """The lines of the body of a loop that runs n times."""
        self.p -= n * p
        self.q -= n * q
        avail = self.avail
        self.avail = avail - (n - 1) * p
        self.mult *= n
        self.scopes.append([var] if var else [])
        lines = self.nested(p, q, size, head, loop)
        self.scopes.pop()
        self.mult //= n
        self.avail = avail - n * p
        return lines

    def counted_loop(self, n, p, q, size):
        i = self.name("i")
        lo, step = self.rng.choice([0, 0, 0, 1, -2, 5]), self.rng.choice([1, 1, 1, 2, 3])
        last = lo + (n - 1) * step
        r = self.rng.random()
        if r < 0.7:
            end = self.rng.randint(last + 1, last + step)
            test = f"{i} < {end}" if self.rng.random() < 0.7 else f"{i} <= {end - 1}"
            if step == 1 and self.rng.random() < 0.1:
                test = f"{i} != {end}"
            advance = self.rng.choice([f"{i}++", f"++{i}"]) if step == 1 else self.rng.choice([f"{i} += {step}", f"{i} = {i} + {step}"])
            start, span, after = lo, (lo, last), lo + n * step
        else:
            end = self.rng.randint(lo - step, lo - 1)
            test = f"{i} > {end}" if self.rng.random() < 0.7 else f"{i} >= {end + 1}"
            advance = self.rng.choice([f"{i}--", f"--{i}"]) if step == 1 else self.rng.choice([f"{i} -= {step}", f"{i} = {i} - {step}"])
            start, span, after = last, (lo, last), lo - step
        var = Var(i, INT, rw=False, span=span)
        lines = self.run_loop(n, p, q, size, var=var)
        r = self.rng.random()
        if r < 0.75:
            self.add_block(f"for (int {i} = {start}; {test}; {advance})", lines or [";"])
        elif r < 0.9:
            self.out.append(f"int {i}{self.rng.choice(['', f' = {start + 1}'])};")
            self.add_block(f"for ({i} = {start}; {test}; {advance})", lines or [";"])
            self.declare(i, INT, rw=self.rng.random() < 0.5)
        else:
            j = self.name("j")
            self.add_block(f"for (int {j} = 3, {i} = {start}; {test}; {advance})", lines or [";"])
        return after

    def real_loop(self, n):
        """A loop that counts with a real variable or with a field."""
        fields = [v for v in self.visible() if v.field and v.rw and v.type == INT]
        if fields and self.rng.random() < 0.5:
            v = self.rng.choice(fields)
            rw, functions = v.rw, self.functions
            v.rw, self.functions = False, []
            tape = "fieldloops" in self.features and self.kind in ("work", "prework") and self.tape
            p, q = self.split_budget(n) if tape else (0, 0)
            lines = self.run_loop(n, p, q, 1)
            v.rw, self.functions = rw, functions
            wrong = "traps" in self.features and q > 0 and self.rng.random() < 0.5  # pushes that are not what is declared
            self.add_block(f"for ({v.name} = 0; {v.name} < {n + wrong * self.rng.choice([-1, 1])}; {v.name}++)", lines or [";"])
            return
        t = self.types["double" if "double" in self.features and self.rng.random() < 0.5 else "float"]
        x, step = self.name("x"), self.rng.choice(["0.25", "0.1", "1", "0.3"])
        lines = self.run_loop(n, 0, 0, 1, var=Var(x, t, rw=False))
        self.add_block(f"for ({t.text()} {x} = 0; {x} < {int(n * float(step) * 100) / 100}; {x} += {step})", lines or [";"])

    def while_loop(self, n, p, q):
        w = self.name("w")
        var = Var(w, INT, rw=False)
        self.out.append(f"int {w} = 0;")
        r = self.rng.random()
        advance = self.rng.choice([f"{w}++;", f"{w} += 1;", f"++{w};"])

        def head():
            self.emit(advance)
        if r < 0.3:
            lines = self.run_loop(n, p, q, 1, head, var)
            self.add_block(f"while ({w} < {n})", lines)
        elif r < 0.45:
            lines = self.run_loop(n, p, q, 1, None, var)
            self.add_block(f"while ({w}++ < {n})", lines or [";"])
        elif r < 0.7:
            lines = self.run_loop(n, p, q, 1, head, var)
            test = self.rng.choice([f"{w} < {n}", f"{w} != {n}", f"!({w} >= {n})"])
            self.out += ["do {", *lines, f"}} while ({test});"]
        else:
            def guard():
                self.emit(f"if ({w} >= {n}) break;")
                self.emit(advance)
            lines = self.run_loop(n, p, q, 1, guard, var)
            self.add_block(self.rng.choice(["for (;;)", "while (true)", "while (1 == 1)"]), lines)
        self.declare(w, INT)

    def computed_loop(self, n):
        """A loop whose number of turns depends on data, and that leaves the tape alone."""
        i = self.name("i")
        mask = {1: 1, 2: 1, 3: 3, 4: 3, 5: 3, 6: 3}[n]
        r = self.rng.random()
        if r < 0.12:
            self.carried_loop(n, i)
        elif r < 0.35:
            m = self.name("n")
            self.emit(f"int {m} = {self.value(INT, 2, EQ)} & {mask};")
            self.declare(m, INT, rw=False, span=(0, mask))
            lines = self.run_loop(mask, 0, 0, 1, var=Var(i, INT, rw=False, span=(0, mask - 1)))
            self.add_block(f"for (int {i} = 0; {i} < {m}; {i}++)", lines or [";"])
        elif r < 0.55:
            avail, p, tape = self.avail, self.p, self.tape
            self.tape = False
            test = f"{i} < ({self.value(INT, 2, EQ)} & {mask})"
            self.avail, self.p, self.tape = avail, p, tape
            lines = self.run_loop(mask, 0, 0, 1, var=Var(i, INT, rw=False, span=(0, mask - 1)))
            self.add_block(f"for (int {i} = 0; {test}; {i}++)", lines or [";"])
        elif r < 0.75:
            def skip():
                c = wrap(self.quietly(lambda: self.expr(BOOLEAN, 1)), COND)
                self.emit(f"if ({c}) {i} += {self.rng.randint(1, 2)};")
            lines = self.run_loop(n, 0, 0, 1, skip, Var(i, INT, rw=False))
            self.add_block(f"for (int {i} = 0; {i} < {n}; {i}++)", lines)
        elif r < 0.9:
            c = wrap(self.quietly(lambda: self.expr(BOOLEAN, 2)), LOR)
            lines = self.run_loop(n, 0, 0, 1, var=Var(i, INT, rw=False, span=(0, n - 1)))
            self.add_block(f"for (int {i} = 0; {i} < {n} && ({c}); {i}++)", lines or [";"])
        else:
            lines = self.run_loop(n, 0, 0, 1, var=Var(i, INT, rw=False))
            self.add_block(f"for (int {i} = 1; {i} < {1 << n}; {i} <<= 1)", lines or [";"])

    def carried_loop(self, n, i):
        """A loop whose test or step needs what its body has given a variable from a local of its own."""
        m, x = self.name("n"), self.name("x")
        self.emit(f"int {m} = {self.value(INT, 2, EQ)};")
        self.declare(m, INT, rw=False)
        test = self.rng.random() < 0.5

        def carry():
            self.emit(f"int {x} = {self.value(INT, 2, EQ)} & {self.rng.choice([1, 3, 7])};")
            self.emit(f"{m} = {x};")
            if test:
                self.emit(f"{i}++;")
        if test:
            self.out.append(f"int {i} = 0;")
        lines = self.run_loop(n, 0, 0, 1, carry, Var(i, INT, rw=False))
        if test:
            self.out += ["do {", *lines, f"}} while ({i} < {n} && {m} != {self.rng.randint(0, 3)});"]
        else:
            self.add_block(f"for (int {i} = 0; {i} < {n}; {i} += 1 + ({m} & 1))", lines)

    def dependent_tape(self):
        """Two loops that together pop or push a fixed number, however the data divide it."""
        n = self.rng.choice([1, 2, 3, 3])
        pop = self.p >= n and (self.q < n or self.rng.random() < 0.5)
        if (not pop and self.q < n) or self.mult * n > self.limit:
            self.tape_statement()
            return
        k, mask = self.name("n"), {1: 1, 2: 1, 3: 3}[n]
        self.emit(f"int {k} = {self.value(INT, 2, EQ)} & {mask};")
        if (self.p if pop else self.q) < n:  # the bound itself has used some
            return
        p, q = (1, 0) if pop else (0, 1)
        frame = self.p, self.q
        self.declare(k, INT, rw=False, span=(0, mask))
        for bounds in (("0", k), (k, str(n))):
            i = self.name("i")
            self.p, self.q = frame
            avail = self.avail
            if bounds[0] == k:
                self.avail += n * p  # the second starts where the first began in the worst case
            lines = self.run_loop(n, p, q, 0, var=Var(i, INT, rw=False, span=(0, n - 1)))
            self.avail = avail if bounds[0] == k else avail - n * p
            self.add_block(f"for (int {i} = {bounds[0]}; {i} < {bounds[1]}; {i}++)", lines)

    def dynamic_tape(self):
        """Pops and pushes as many items as the data say, up to what may be popped and pushed besides."""
        rng, i = self.rng, self.name("i")
        p, q = (1, 1) if self.paired else rng.choice([(1, 0), (0, 1), (1, 1)])
        p, q = min(p, self.more_p), min(q, self.more_q)
        if not p + q:
            p, q = min(1, self.more_p), min(1, self.more_q)
        most = min(self.more_p // p if p else 9, self.more_q // q if q else 9)
        if most < 1 or not self.tape:
            return
        r = rng.random()
        n = rng.randint(1, most) if r < 0.4 else 3 if most >= 3 and r > 0.5 else 1
        self.more_p -= n * p
        self.more_q -= n * q
        if r < 0.4:  # all or nothing
            c = wrap(self.expr(BOOLEAN, MAX_EXPR), COND)
            avail = self.avail
            lines = self.nested(n * p, n * q, rng.randint(0, 1))
            self.avail = avail - n * p
            self.add_block(f"if ({c})", lines)
            return
        self.p += n * p  # the loop takes it away
        self.q += n * q
        self.avail -= n * p  # the bound may be computed after each turn
        bound = f"({wrap(self.quietly(lambda: self.expr(INT, 2)), EQ)} & {n})"
        self.avail += n * p
        if r < 0.75 or self.in_type.kind not in ("int", "float", "double"):
            lines = self.run_loop(n, p, q, rng.randint(0, 1), var=Var(i, INT, rw=False, span=(0, n - 1)))
            if rng.random() < 0.5:
                m = self.name("n")
                self.emit(f"int {m} = {bound};")
                bound = m
            self.add_block(f"for (int {i} = 0; {i} < {bound}; {i}++)", lines or [";"])
            return
        avail = self.avail
        self.avail -= n * p
        c = wrap(self.quietly(lambda: self.expr(BOOLEAN, 1)), LOR)
        if self.avail > 0 and self.window > 0:
            c += f" && peek({rng.randrange(self.avail)}) > {rng.randint(-2, 3)}"
        self.avail = avail
        self.out.append(f"int {i} = 0;")

        def head():
            self.emit(f"{i}++;")
        lines = self.run_loop(n, p, q, 0, head, Var(i, INT, rw=False))
        self.add_block(f"while ({i} < {n} && ({c}))", lines)

    # ---- Messages ----

    def send(self):
        """A message to the receivers of a portal."""
        rng = self.rng
        portals = [v for v in self.visible() if v.type.kind == "portal" and self.may_send(v.type)]
        if not portals or self.mult > 4:
            self.assign()
            return
        portal = rng.choice(portals)
        handler, types = rng.choice(portal.type.handlers)
        guarded = rng.random() < 0.7

        def arguments():
            return ", ".join(self.value(t, 2) if t.scalar else self.place(t, depth=1) or self.fresh_local(t) for t in types)
        c = wrap(self.expr(BOOLEAN, 2), COND) if guarded else ""
        args = self.quietly(arguments) if guarded else arguments()
        text = f"{portal.name}.{handler}({args}){self.latency(guarded)};"
        self.cost += 3 * self.mult
        self.sent = True
        self.emit(f"if ({c}) {text}" if guarded else text)

    def latency(self, guarded):
        """Those that cannot be kept only where the send is certain to remain: it is no error that a message that is never sent is late."""
        rng = self.rng
        r, n = rng.random(), rng.choice([0, 0, 1, 1, 2, 3, 5, 9])
        if r < 0.3:
            return ""
        if r < 0.4:
            return " [*]"
        if r < 0.43 and not guarded and not self.frames and self.kind in ("work", "prework"):
            n = rng.choice([-1, -2, -3])
        return rng.choice([f" [{n}:{n}]", f" [{n}:]", f" [{min(n, 0)}:{n}]", f"[{n}:{n}]"] + ([f" [:{n}]"] if n >= 0 else []))
