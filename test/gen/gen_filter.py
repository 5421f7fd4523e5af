# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random filters: parameters, fields, init, functions, prework, work."""
from gen_body import Body
from gen_expr import COND, Function, Var, wrap
from gen_types import BOOLEAN, FLOAT, INT, VOID, array


class Unit:
    """A stream that can be added. In its least steady state it takes I items and gives O; it runs cost statements.

    lag: steady states of input that may go in before the first output, at most (prework, windows).
    text(word, composite): the lines of 'add NAME(...);' or of the stream itself. dynamic: something in it has dynamic rates, so
    that the numbers say only about how much goes through. file: it reads or writes a file.
    """
    dynamic = file = False

    def __init__(self, in_t, out_t, i, o, cost, lag, text):
        self.in_t, self.out_t, self.i, self.o, self.cost, self.lag, self.text = in_t, out_t, i, o, cost, lag, text


def rate_text(rng, value, known):
    """An int expression with this value, over names whose values are known."""
    if not known or rng.random() < 0.6:
        return str(value)
    name, v = rng.choice(known)
    if v == value:
        return name
    if v > 0 and value % v == 0 and rng.random() < 0.5:
        return f"{value // v} * {name}"
    return f"{name} + {value - v}" if value > v else f"{name} - {v - value}"


class Rates:
    """more_pop, more_push: what a firing may pop and push besides, as its data have it."""

    def __init__(self, pop, push, peek, more_pop=0, more_push=0):
        self.pop, self.push, self.more_pop, self.more_push = pop, push, more_pop, more_push
        self.peek = max(peek, pop + more_pop)

    @property
    def dynamic(self):
        return self.more_pop + self.more_push > 0

    def nominal(self):
        """What a firing pops and pushes in the middle."""
        return (self.pop + (self.more_pop + 1) // 2, self.push + (self.more_push + 1) // 2)


class FilterMaker:
    def __init__(self, program, in_t, out_t, rates=None, captured=None, prints=False, loop_part=False, dynamic=False, portals=(), receives=None):
        """captured: variables that an anonymous filter sees; None for a named one. loop_part: in a feedback loop.

        portals: those to which it may send. receives: the type of the portal whose messages it handles.
        """
        self.program, self.rng = program, program.rng
        self.in_t, self.out_t, self.captured, self.prints, self.loop_part = in_t, out_t, captured, prints, loop_part
        self.lines, self.fields, self.functions, self.params = [], [], [], []
        self.first = []  # what work begins with
        self.known = list(program.known)
        self.dynamic, self.portals, self.receives = dynamic, list(portals), receives
        self.rates = rates or self.pick_rates()
        if dynamic and rates is None:
            self.rates = self.dynamic_rates(self.rates)

    def pick_rates(self):
        rng = self.rng
        pop = rng.choice([1, 1, 1, 2, 2, 3, 4, 5]) if self.in_t != VOID else 0
        push = rng.choice([1, 1, 1, 2, 2, 3, 4, 6]) if self.out_t != VOID else 0
        if self.in_t != VOID and self.out_t != VOID and rng.random() < 0.35:
            push = pop
        extra = rng.choice([1, 1, 2, 3, 5, 8]) if pop and "peek" in self.program.features and rng.random() < 0.35 else 0
        return Rates(pop, push, pop + extra)

    def dynamic_rates(self, r):
        rng = self.rng
        if self.loop_part:  # as many items out as in
            n = rng.choice([1, 2, 3])
            return Rates(1, 1, 1, n, n)
        pop, push = min(r.pop, rng.choice([0, 1, 1, 2])), min(r.push, rng.choice([0, 0, 1, 2]))
        if r.pop and not pop:  # one that pops nothing could fire for ever
            pop = 1
        more_pop = rng.choice([0, 1, 2, 3, 5]) if r.pop else 0
        more_push = rng.choice([0, 1, 2, 3, 5]) if r.push else 0
        if r.pop and not pop + more_pop:
            pop = 1
        if r.push and not push + more_push:
            push = 1
        if not more_pop + more_push:
            more_pop, more_push = (1, 0) if r.pop else (0, 1)
        return Rates(pop, push, pop + more_pop + max(0, r.peek - r.pop), more_pop, more_push)

    # ---- Parts ----

    def may_send(self, kind):
        """What Body.may_send is for a body: handlers answer only to what has been declared before, so that answers end."""
        if not self.portals or kind not in ("work", "prework", "helper", "handler"):
            return None
        if self.receives is None:
            return lambda t: True
        return (lambda t: t.number < self.receives.number) if kind in ("handler", "helper") else (lambda t: t.number != self.receives.number)

    def outer(self):
        return [self.program.globals, list(self.captured or []) + self.params]

    def make_params(self):
        rng = self.rng
        self.params += [Var(self.program.name("p"), v.type, rw=False) for v in self.portals]
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            r = rng.random()
            if r > 0.93 and self.program.structs:
                self.params.append(Var(self.program.name("p"), rng.choice(self.program.structs), rw=False))
                continue
            if r > 0.85:
                self.sized_param()
                continue
            if r < 0.5:
                v = Var(self.program.name("p"), INT, rw=False)
            elif r < 0.8:
                v = Var(self.program.name("p"), self.program.pick_scalar(), rw=False)
            else:
                v = Var(self.program.name("p"), array(rng.choice([INT, FLOAT]), rng.randint(1, 4)), rw=False)
            self.params.append(v)

    def sized_param(self):
        """An array and, before it, its length."""
        n, v, size = self.program.name("p"), self.program.name("p"), self.rng.randint(1, 4)
        self.params += [Var(n, INT, rw=False, span=(size, size)), Var(v, array(self.rng.choice([INT, FLOAT]), size), rw=False)]
        self.params[-2].argument = str(size)
        self.params[-1].written = f"{self.params[-1].type.element.text()}[{n}]"
        self.known.append((n, size))

    def make_table(self):
        """An array with numbers from a file that is read while the graph is built."""
        rng, program = self.rng, self.program
        t, n = rng.choice([INT, FLOAT]), rng.randint(1, 5)
        numbers = [str(rng.randint(-99, 99)) if t == INT else f"{rng.uniform(-4, 4):.6g}" for _ in range(n)]
        name = program.table(numbers)
        v = Var(program.name("f"), array(t, n), rw=False, field=True)
        self.lines.append(f'{v.type.text()} {v.name} = init_array_1D_{t.text()}("{name}", {n});')
        return v

    def make_fields(self):
        rng, program = self.rng, self.program
        self.stateful = "state" in program.features and rng.random() < (0.55 if self.in_t != VOID else 0.9) or self.receives is not None
        body = Body(program, self.outer(), "composite")
        if rng.random() < 0.25:
            n, v = program.name("N"), rng.randint(1, 6)
            self.lines.append(f"int {n} = {v};")
            self.known.append((n, v))
            body.scopes[-1].append(Var(n, INT, rw=False, span=(v, v), field=True))
            self.fields.append(body.scopes[-1][-1])
        if "tables" in program.features and rng.random() < 0.3:
            self.fields.append(self.make_table())
            body.scopes[-1].append(self.fields[-1])
        if "bigstate" in program.features and self.in_t != VOID and rng.random() < 0.6:
            self.make_big_state()
            body.scopes[-1].append(self.fields[-1])
        for _ in range(rng.choice([0, 1, 1, 2, 3]) + (self.in_t == VOID) + (self.receives is not None)):
            t = program.pick_type()
            v = Var(program.name("f"), t, rw=self.stateful and rng.random() < 0.8, field=True)
            r = rng.random()
            if r < 0.65 and (t.scalar or t.kind == "array" and all(leaf.scalar for leaf in [t.element])):
                text = body.array_init(t) if t.kind == "array" else body.value(t, 2)
                self.lines.append(f"{t.text()} {v.name} = {text};")
            else:
                self.lines.append(f"{t.text()} {v.name};")
            body.scopes[-1].append(v)
            self.fields.append(v)

    def make_big_state(self):
        """An array that takes much of a local memory; a firing changes one of its elements, which others may read as a field."""
        rng, program = self.rng, self.program
        a, at, seen, n = program.name("f"), program.name("f"), program.name("f"), rng.choice([1000, 3000, 6000, 12000, 20000, 50000])
        self.lines += [f"int[{n}] {a};", f"int {at};", f"int {seen};"]
        self.fields.append(Var(seen, INT, rw=False, field=True))
        self.first += [f"{a}[{at}] += {at} + 1;", f"{seen} = {a}[{at}];", f"{at} = ({at} * 7 + 3) % {n};"]

    def make_failure(self):
        """What stops the program in some firing: by its number, or by what it takes."""
        rng, program, t = self.rng, self.program, self.in_t
        if "failing" not in program.features or rng.random() < 0.5:
            return
        value = {"int": "peek(0)", "float": "(int)(peek(0) * 16)", "bit": "peek(0)"}.get(t.kind) if self.rates.peek and not self.dynamic else None
        k, x = rng.choice([rng.randint(0, 5), rng.randint(0, 40), rng.randint(0, 400)]), program.name("v")
        if value is None or rng.random() < 0.6:
            value, field = str(k), program.name("f")
            self.lines.append(f"int {field};")
            self.first.append(f"{field}++;")
            divisor = f"({k} - {field})"
        else:
            divisor = f"(({value} & {rng.choice([15, 63, 255, 1023])}) - {k})"
        if rng.random() < 0.2:
            program.checked = True
            a = program.name("v")
            self.first += [f"int[3] {a};", f"int {x} = {a}[{divisor} == 0 ? {rng.choice([3, -1, 1000])} : 1];"]
        else:
            self.first.append(f"int {x} = {value} {rng.choice('/%')} {divisor};")
        if rng.random() < 0.7:
            kept = program.name("f")
            self.lines.append(f"int {kept};")
            self.first.append(f"{kept} = {x};" if rng.random() < 0.5 else f"{kept} += {x};")

    def make_init(self):
        if not self.fields or self.rng.random() < 0.5:
            return
        writable = [Var(v.name, v.type, rw=v.span is None, field=True) for v in self.fields]
        body = Body(self.program, self.outer() + [writable], "init", functions=[f for f in self.functions if not (f.pop or f.push)],
                    prints="initprint" in self.program.features and self.rng.random() < 0.2)
        self.lines += ["init {", *body.body(0, 0, self.rng.randint(1, 4)), "}"]

    def make_functions(self):
        rng = self.rng
        if "functions" not in self.program.features:
            return
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            if rng.random() < 0.25:
                self.recursive_function()
            else:
                self.plain_function()

    def plain_function(self):
        rng, program = self.rng, self.program
        r = self.rates
        taped = rng.random() < 0.4 and (r.pop or r.push or r.dynamic)
        pop = rng.randint(0, min(2, r.pop)) if taped else 0
        push = rng.randint(0, min(2, r.push)) if taped else 0
        peek = pop + (rng.randint(0, r.peek - pop) if pop and rng.random() < 0.5 else 0)
        more_pop, more_push = (rng.randint(0, r.more_pop), rng.randint(0, r.more_push)) if taped else (0, 0)
        if self.loop_part:
            more_pop = more_push = 0
        peek = max(peek, pop) + more_pop if pop + more_pop else 0
        impure = rng.random() < 0.6
        structs = program.structs
        result = rng.choice([VOID, program.pick_scalar(), program.pick_scalar()] + ([rng.choice(structs)] if structs else []))
        params = []
        for _ in range(rng.choice([0, 1, 2, 2, 3])):
            t = program.pick_type()
            params.append(Var(program.name("a"), t, rw=t.scalar or t.kind == "struct" or impure))
        fields = [Var(v.name, v.type, rw=v.rw and impure, span=v.span, field=True) for v in self.fields]
        body = Body(program, self.outer() + [fields, params], "helper", self.in_t, self.out_t,
                    [f for f in self.functions if (impure or not f.impure) and f.pop <= pop and f.push <= push and
                     not f.more_pop + f.more_push],
                    window=peek, limit=12, prints=impure and self.prints and rng.random() < 0.3, result=result, iter_ok=bool(pop + push))
        body.more_p, body.more_q = more_pop, more_push
        if impure:
            body.may_send = self.may_send("helper")
        name = program.name("fun")
        lines = body.body(pop, push, rng.randint(0, 3))
        rates = "".join(f" {word} {self.rate_word(n, more)}"
                        for word, n, more in (("pop", pop, more_pop), ("push", push, more_push), ("peek", peek if peek > pop + more_pop else 0, 0))
                        if n + more)
        text = ", ".join(f"{v.type.text()} {v.name}" for v in params)
        self.lines += [f"{result.text()} {name}({text}){rates} {{", *lines, "}"]
        self.functions.append(Function(name, [v.type for v in params], result, pop, push, peek, body.cost + 1,
                                       impure or bool(pop + push + more_pop + more_push), None, more_pop, more_push, body.sent))

    def recursive_function(self):
        rng, program = self.rng, self.program
        name, n, a = program.name("rec"), program.name("n"), program.name("a")
        t = rng.choice([INT, FLOAT, BOOLEAN, INT])
        fields = [Var(v.name, v.type, rw=False, span=v.span, field=True) for v in self.fields]
        body = Body(program, self.outer() + [fields, [Var(n, INT, rw=False), Var(a, t, rw=True)]], "helper", result=t)
        end, step = body.value(t, 1), body.value(t, 2)
        if t == BOOLEAN:
            again = f"return {rng.choice(['', '!'])}{name}({n} - 1, {step});"
        else:
            op = rng.choice("+-*")
            again = rng.choice([f"return {name}({n} - 1, {step}) {op} {wrap(body.expr(t, 1), 12)};",
                                f"return {wrap(body.expr(t, 1), 12)} {op} {name}({n} - 1, {step});",
                                f"return {name}({n} - 1, {step});",
                                f"return {name}({n} - 1, {a}) {op} {name}({n} - 2, {step});"])
        self.lines += [f"{t.text()} {name}(int {n}, {t.text()} {a}) {{", f"if ({n} <= 0)", f"return {end};", again, "}"]
        self.functions.append(Function(name, [INT, t], t, cost=20, bounded=0))

    def tape_body(self, kind, rates, size):
        program = self.program
        fields = [Var(v.name, v.type, rw=v.rw, span=v.span, field=True) for v in self.fields]
        shown = self.prints or (program.prints_left > 0 and self.rng.random() < 0.1)
        body = Body(program, self.outer() + [fields], kind, self.in_t, self.out_t, self.functions + program.functions,
                    window=rates.peek, iter_ok="iter" in program.features,
                    random_ok="random" in program.features and self.rng.random() < 0.5, prints=shown)
        body.more_p, body.more_q, body.paired = rates.more_pop, rates.more_push, self.loop_part
        body.may_send = self.may_send(kind)
        body.lazy = "lazypops" in program.features and not rates.dynamic and self.rng.random() < 0.2
        if shown:
            program.prints_left -= 1
        if self.out_t == VOID or (shown and self.rng.random() < 0.5):
            return self.sink_body(body, rates, size), body.cost
        return body.body(rates.pop, rates.push, size), body.cost

    def sink_body(self, body, rates, size):
        """Work that shows what it popped."""
        if self.in_t == VOID:
            body.p, body.q = 0, rates.push
            body.statements(size)
            if body.may_send:
                body.send()
            if rates.dynamic:
                body.dynamic_tape()
            body.emit(body.print_text())
            return body.out
        keep = rates.pop > 0 and self.rng.random() < 0.7
        body.p, body.q = rates.pop - keep, rates.push
        body.window = body.avail = rates.peek - keep
        body.statements(size)
        if body.may_send:
            body.send()
        if rates.dynamic:
            body.dynamic_tape()
        if keep:
            name = body.name("v")
            body.emit(f"{self.in_t.text()} {name} = pop();")
            body.show(name, self.in_t)
            body.emit(self.rng.choice(['println("");', 'print("\\n");']))
        else:
            body.emit(body.print_text())
            body.spend()
        return body.out

    def rate_word(self, n, more):
        """The text of a rate from n to n + more."""
        if not more:
            return rate_text(self.rng, n, self.known)
        least, most = (rate_text(self.rng, v, self.known) for v in (self.rng.randint(0, n) if self.rng.random() < 0.3 else n, n + more))
        return self.rng.choice(["*", "*", f"[{least},*]", f"[{least},{most}]", f"[{least}, {most}]", f"[{least},{n + (more + 1) // 2},{most}]",
                                f"[{least},*,{most}]"])

    def rates_words(self, rates, kind):
        words = []
        if rates.push + rates.more_push:
            words.append(f"push {self.rate_word(rates.push, rates.more_push)}")
        if rates.pop + rates.more_pop:
            words.append(f"pop {self.rate_word(rates.pop, rates.more_pop)}")
        if rates.peek > rates.pop + rates.more_pop or (rates.peek and self.rng.random() < 0.1):
            words.append(f"peek {rate_text(self.rng, rates.peek, self.known)}")
        self.rng.shuffle(words)
        return " ".join([kind] + words)

    def make_prework(self):
        """Gives how much lag it makes."""
        rng, r = self.rng, self.rates
        if "prework" not in self.program.features or rng.random() > (0.1 if self.loop_part else 0.22):
            return 0
        pop = rng.choice([0, r.pop, rng.randint(0, r.pop + 2)]) if r.pop else 0
        push = rng.choice([0, r.push, rng.randint(0, r.push + 3)]) if r.push else 0
        peek = pop + rng.choice([0, 0, r.peek - r.pop, rng.randint(0, 4)]) if r.pop else 0
        rates = Rates(pop, push, peek)
        if self.dynamic and not self.loop_part and rng.random() < 0.5:
            rates = Rates(pop, push, peek + (self.in_t != VOID), rng.choice([0, 1]) if r.pop else 0, rng.choice([0, 1, 2]) if r.push else 0)
        lines, _ = self.tape_body("prework", rates, rng.randint(0, 3))
        self.lines += [self.rates_words(rates, "prework") + " {", *lines, "}"]
        return 2 + (rates.peek // r.pop if r.pop else 0)

    def make_handlers(self):
        rng, program = self.rng, self.program
        for name, types in self.receives.handlers:
            params = [Var(program.name("a"), t, rw=t.scalar or rng.random() < 0.5) for t in types]
            fields = [Var(v.name, v.type, rw=v.rw, span=v.span, field=True) for v in self.fields]
            body = Body(program, self.outer() + [fields, params], "handler", limit=10,
                        functions=[f for f in self.functions + program.functions if not f.pop + f.push + f.more_pop + f.more_push],
                        prints=self.prints or rng.random() < 0.2)
            body.may_send = self.may_send("handler")
            for v in params:
                target = [f for f in fields if f.rw and f.type == v.type]
                if target:
                    body.emit(f"{rng.choice(target).name} = {v.name};")
            lines = body.body(0, 0, rng.randint(1, 3))
            text = ", ".join(f"{v.type.text()} {v.name}" for v in params)
            self.lines += [f"handler {name}({text}) {{", *lines, "}"]

    # ---- The whole ----

    def make(self):
        rng, program = self.rng, self.program
        if self.captured is None:
            self.make_params()
        self.make_fields()
        self.make_functions()
        self.make_init()
        if self.receives is not None:
            self.make_handlers()
        lag = self.make_prework()
        self.make_failure()
        size = rng.randint(0, 2 + program.size // 4)
        lines, cost = self.tape_body("work", self.rates, size)
        self.lines += [self.rates_words(self.rates, "work") + " {", *self.first, *lines, "}"]
        return self.unit(self.lines, cost + 1, lag)

    def unit(self, lines, cost, lag):
        program, r = self.program, self.rates
        word = "stateful filter" if self.stateful and self.rng.random() < 0.3 else "filter"
        kind = f"{self.in_t.text()}->{self.out_t.text()} {word}"
        lag += (r.peek + r.pop - 1) // r.pop + 1 if r.pop else 1
        pop, push = r.nominal()
        if self.dynamic:
            program.dynamics += 1
            lag += r.more_pop + 2
        if self.captured is not None:
            end = self.rng.choice(["}", "};"])
            unit = Unit(self.in_t, self.out_t, pop, push, cost, lag, lambda w, c: [f"{w} {kind} {{", *lines, end])
            unit.dynamic = self.dynamic
            return unit
        name = self.receives.name if self.receives is not None else program.name("F", upper=True)
        params = ", ".join(f"{v.written or v.type.text()} {v.name}" for v in self.params)
        head = f"{kind} {name}" + (f"({params})" if params or self.rng.random() < 0.2 else "")
        program.decls.append([head + " {", *lines, "}"])
        types = [v.argument or v.type for v in self.params]
        unit = Unit(self.in_t, self.out_t, pop, push, cost, lag, lambda w, c, to="": named_add(w, name, types, c, to))
        unit.dynamic = self.dynamic
        if not self.portals and self.receives is None:
            program.named.append(unit)
        return unit


def named_add(word, name, types, composite, to=""):
    """Lines that add a named stream with arguments of these types (or written out), written in the body of a composite."""
    lines, args = [], []
    for t in types:
        args.append(t if isinstance(t, str) else composite.argument(t, lines))
    if not args:
        return lines + [f"{word} {name}{composite.rng.choice(['', '()'])}{to};"]
    return lines + [f"{word} {name}({', '.join(args)}){to};"]


def scaled_filter(program, in_t, out_t):
    """A named filter F(int n) with rates a*n+b and c*n+d: what it does, and how many items for which n."""
    rng = program.rng
    a, c = rng.choice([(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)])
    b, d = rng.randint(0 if a else 1, 2), rng.randint(0 if c else 1, 2)
    extra = rng.choice([0, 0, 1, 3])
    n, k = program.name("n"), program.name("k")
    maker = FilterMaker(program, in_t, out_t, Rates(b, d, b + extra))
    maker.params = [Var(n, INT, rw=False)]
    maker.make_fields()
    fields = [Var(v.name, v.type, rw=v.rw, span=v.span, field=True) for v in maker.fields]
    body = Body(program, maker.outer() + [fields], "work", in_t, out_t, program.functions, window=b + extra)
    body.p, body.q = b, d
    body.scopes.append([Var(k, INT, rw=False)])
    body.frames.append((b, d))
    body.loops.append({"tape": True, "depth": 1})
    outer, body.out = body.out, []
    body.p, body.q, body.window, body.avail = a, c, b + extra + a, b + extra + a
    body.statements(rng.randint(0, 2))
    inner, body.out = body.out, outer
    body.loops.pop()
    body.frames.pop()
    body.scopes.pop()
    body.add_block(f"for (int {k} = 0; {k} < {n}; {k}++)", inner)
    body.p, body.q, body.avail = b, d, b + extra
    body.statements(rng.randint(0, 2))

    def rate(x, y):
        return f"{n} * {x} + {y}" if x else str(y)
    head = f"work pop {rate(a, b)} push {rate(c, d)}" + (f" peek {rate(a, b + extra)}" if extra else "")
    name = program.name("F", upper=True)
    program.decls.append([f"{in_t.text()}->{out_t.text()} filter {name}(int {n}) {{", *maker.lines, head + " {", *body.out, "}", "}"])
    return name, (lambda i: (a * i + b, c * i + d)), body.cost * 2 + 1, extra
