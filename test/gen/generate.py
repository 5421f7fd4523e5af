#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a random StreamIt program that is correct and whose meaning is fully defined.

    generate.py --seed=N [--size=N] [--only=FEATURES] [--without=FEATURES]

FEATURES are names of the table OPTIONAL, with commas between: programs use all of --only and no others, or none of --without.
The same seed, size and features give the same program. How to run it stands in its comments, in the words of test/run/run-all.py:
RUN (its options), FILE (files that it reads) and IN (its own input).
"""
import argparse
import random
import re
import sys

from gen_bits import Bits
from gen_body import Body
from gen_expr import COND, Function, Var, wrap
from gen_forms import Forms
from gen_frames import Frames
from gen_graph import Composite, Graph
from gen_types import BOOLEAN, FLOAT, INT, SCALARS, VOID, Type, array, file_text

# Each program uses only some of these: rare combinations come up more often, and what fails is smaller.
OPTIONAL = {"bit": 0.4, "double": 0.4, "complex": 0.4, "boolean": 0.6, "struct": 0.4, "arrays": 0.7, "state": 0.8, "peek": 0.7,
            "prework": 0.5, "splitjoin": 0.8, "feedback": 0.5, "recursion": 0.4, "voids": 0.5, "functions": 0.7, "iter": 0.4,
            "random": 0.2, "initprint": 0.3, "untyped": 0.6, "helper": 0.3, "globals": 0.5, "arrayitems": 0.4, "traps": 0.04, "sidefiles": 0.4, "names": 0.3,
            "dynamic": 0.25, "messages": 0.25, "tables": 0.1, "lazypops": 0.08, "equal": 0.12, "fieldloops": 0.2, "bigstate": 0.05, "siblings": 0.12, "bits": 0.08, "blocks": 0.08, "failing": 0.08, "frames": 0.08, "forms": 0.06}
# Chosen by a seed of their own: a program without them is the one that this seed gave before they were there.
APART = {"frames", "forms"}


# Names that mean something in C, in the SVM headers, in libm or in what is emitted, and nothing in StreamIt.
HARD_NAMES = """auto char const continue_ enum extern goto inline long register restrict short signed sizeof typedef union unsigned
volatile _Bool bool NULL asm typeof main linux unix in out random log self kernel n_in n_out result index gamma y0 y1 j0 jn errno
memcpy memset printf exit malloc free abort size_t ptrdiff_t int32_t uint8_t INT_MAX svm_Log SVM_FIRE svm_printInt svm_main
state steady count whole fire run strip init_ lane lane_2 t1 t_1 t2 i j k x_y NAN INFINITY nan inf infd M_PI e1 e f0 x1 b d fmod
remainder hypot signgam stdin isnan real imag create destroy drain control instance program settings counts phase base begin end
uninitialised var field by peek_ select const_ work_ local global actor filter_ F_fire F_1_fire Main_control Main_Instance""".split()


def rename(rng, text, share):
    """Gives some of the names that the generator made a harder one."""
    made = sorted(set(re.findall(r"\b[a-z]+\d+\b|\b[A-Z][a-z]*_\d+\b", text)) - {"float2", "float3", "float4", "atan2", "log10"})
    made = [n for n in made if not re.match(r"(in|out|table)\d+$|[ef]\d+$|Main_", n)]
    words = set(re.findall(r"\w+", text))
    free = [n for n in HARD_NAMES if n not in words]
    rng.shuffle(free)
    new = {old: free.pop() for old in made if free and rng.random() < share}
    return re.sub(r"[A-Za-z_]\w*", lambda m: new.get(m.group(), m.group()), text)


def indent(lines):
    text, depth = [], 0
    for line in lines:
        closing = len(line) - len(line.lstrip("}"))
        depth -= closing
        text.append("    " * max(depth, 0) + line)
        depth += closing + line.count("{") - line.count("}")
    return text


MOST_BITS = 1000  # items of a steady state of a whole program over bits


class Features:
    """Which optional features programs may have, as the options say."""

    def __init__(self, only=None, without=None):
        self.only, self.without = (None if text is None else self.names(text) for text in (only, without))

    @staticmethod
    def names(text):
        names = {n for n in text.split(",") if n}
        if names - OPTIONAL.keys():
            sys.exit(f"unknown feature '{min(names - OPTIONAL.keys())}'; there are {', '.join(OPTIONAL)}")
        return names

    def pick(self, rng, seed):
        chosen = {f for f, p in OPTIONAL.items() if (random.Random(f"{f} {seed}") if f in APART else rng).random() < p}
        return {"int", "float", "boolean"} | ((chosen if self.only is None else self.only) - (self.without or set()))


class Program:
    def __init__(self, seed, size, features):
        self.rng = random.Random(f"{seed}/{size}")
        self.seed, self.size, self.allowed = seed, size, features
        self.features = features.pick(self.rng, seed)
        self.types = SCALARS
        self.names = 0
        self.decls, self.named, self.structs, self.globals, self.known, self.functions = [], [], [], [], [], []
        self.shadowed, self.paths = set(), {}
        self.prints_left = self.rng.choice([0, 0, 1, 2])
        self.kernels = self.rng.choice([0.0, 0.2, 0.4, 0.9])
        self.signal = self.kernels > 0.1 and self.rng.random() < 0.6  # most items are floats
        self.tightness = self.rng.choice([0.0, 0.0, 0.3])
        self.files, self.file_texts, self.tables = [], {}, []
        self.checked = False  # a subscript may be outside of its array
        self.dynamics = self.portals = 0  # filters with dynamic rates, and portals, so far
        self.all_types = list(SCALARS.values())

    # ---- Names and types ----

    def name(self, stem, upper=False):
        self.names += 1
        return f"{stem}{self.names}" if not upper else f"{stem}_{self.names}"

    def pick_scalar(self):
        kinds = [k for k in ("int", "int", "int", "float", "float", "boolean", "bit", "double", "complex") if k in self.features]
        return SCALARS[self.rng.choice(kinds)]

    def pick_type(self, scalars_only=False):
        r = self.rng.random()
        if scalars_only or r < 0.72:
            return self.pick_scalar()
        if self.structs and r < 0.85:
            return self.rng.choice(self.structs)
        if "arrays" not in self.features:
            return self.pick_scalar()
        return self.pick_array()

    def pick_array(self):
        element = self.pick_scalar()
        if self.structs and self.rng.random() < 0.15:
            element = self.rng.choice(self.structs)
        t = array(element, self.rng.choice([1, 2, 2, 3, 4, 5, 8]))
        if self.rng.random() < 0.2 and element.scalar:
            t = array(t, self.rng.choice([1, 2, 3]))
        return t

    def pick_item(self):
        """The type of the items of a channel."""
        if self.signal and self.rng.random() < 0.8:
            return SCALARS["double" if "double" in self.features and self.rng.random() < 0.2 else "float"]
        if "bits" in self.features and self.rng.random() < 0.7:
            return SCALARS[self.rng.choice(["int", "bit"] if "bit" in self.features else ["int"])]
        r = self.rng.random()
        if "arrayitems" in self.features and r < 0.2:
            return self.pick_array()
        if self.structs and r < 0.35:
            return self.rng.choice(self.structs)
        return self.pick_scalar()

    # ---- What stands beside the streams ----

    def make_structs(self):
        if "struct" not in self.features:
            return []
        lines = []
        for _ in range(self.rng.randint(1, 2)):
            name = self.name("T", upper=True)
            fields = []
            for _ in range(self.rng.randint(1, 4)):
                t = self.pick_scalar()
                if self.rng.random() < 0.2:
                    t = array(t, self.rng.randint(1, 3))
                elif self.structs and self.rng.random() < 0.2:
                    t = self.rng.choice(self.structs)
                fields.append((self.name("m"), t))
            self.structs.append(Type("struct", name=name, fields=fields))
            lines += [f"struct {name} {{", *(f"{t.text()} {n};" for n, t in fields), "}"]
        self.all_types += self.structs
        return lines

    def make_globals(self):
        if "globals" not in self.features:
            return []
        rng, lines, body = self.rng, [], Body(self, [], "composite")
        made = []
        for _ in range(rng.randint(1, 3)):
            r = rng.random()
            if r < 0.5:
                n, v = self.name("G", upper=True), rng.randint(1, 6)
                lines.append(f"int {n} = {v};")
                self.known.append((n, v))
                made.append(Var(n, INT, rw=False, span=(v, v)))
                body.scopes[-1].append(made[-1])
                continue
            t = self.pick_type()
            v = Var(self.name("G", upper=True), t)
            if t.scalar or (t.kind == "array" and t.element.scalar and rng.random() < 0.5):
                lines.append(f"{t.text()} {v.name} = {body.array_init(t)};")
            else:
                lines.append(f"{t.text()} {v.name};")
            made.append(v)
            body.scopes[-1].append(v)
        if rng.random() < 0.6:
            init = Body(self, [made], "init")
            lines += ["init {", *init.body(0, 0, rng.randint(1, 3)), "}"]
        self.globals[:] = [Var(v.name, v.type, rw=False, span=v.span) for v in made]
        return ["static {", *lines, "}"]

    def make_helpers(self):
        if "helper" not in self.features:
            return []
        module, lines, made = self.name("H", upper=True), [], []
        for _ in range(self.rng.randint(1, 2)):
            params = [Var(self.name("a"), self.pick_type()) for _ in range(self.rng.randint(1, 3))]
            result = self.pick_scalar()
            body = Body(self, [params], "helper", result=result, limit=10)
            name = self.name("fun")
            text = body.body(0, 0, self.rng.randint(0, 3))
            lines += [f"{result.text()} {name}({', '.join(f'{v.type.text()} {v.name}' for v in params)}) {{", *text, "}"]
            made.append(Function(f"{module}.{name}", [v.type for v in params], result, cost=body.cost + 1, impure=True))
        self.functions += made
        return [f"helper {module} {{", *lines, "}"]

    # ---- Top ----

    def reader(self, t):
        """The name of a new file to read."""
        name = f"in{len(self.files)}.bin"
        self.files.append((name, t))
        return name

    def table(self, numbers):
        """The name of a new text file with numbers."""
        self.tables.append((f"table{len(self.tables)}.txt", numbers))
        return self.tables[-1][0]

    def file_type(self):
        while True:
            t = self.pick_item()
            if t.kind != "struct" or "bit" not in [leaf.kind for leaf in t.leaves()]:
                return t

    def make_top(self, graph):
        """The lines of the top-level stream; sets in_t, out_t and the unit."""
        rng = self.rng
        mode = rng.choice(["void", "void", "void", "items", "items", "in", "out", "files", "files"])
        in_t = self.file_type() if mode in ("items", "in") else VOID
        out_t = self.file_type() if mode in ("items", "out") else VOID
        name = self.name("Main", upper=True)
        body = Composite(self, [self.globals], True)
        first, last = in_t, out_t
        if mode == "files":
            first = self.file_type()
            body.out.append(f'add FileReader<{first.text()}>("{self.reader(first)}");')
            if rng.random() < 0.6:
                last = self.file_type()
        if mode == "void" and rng.random() < 0.08:
            return self.lone_filter(name)
        if "bits" in self.features and rng.random() < 0.6:
            return self.bits_top(graph, name)
        for feature, kind in (("frames", Frames), ("forms", Forms)):
            if feature in self.features and rng.random() < 0.85:
                return self.frames_top(graph, name, kind)
        kind = "pipeline"
        if mode == "items" and rng.random() < 0.3:
            kind, (i, o, cost, _) = graph.other_top(first, last, self.size, body)
        else:
            i, o, cost, _ = graph.pipeline_body(first, last, self.size, body)
        if mode == "files" and last != VOID:
            body.out.append(f'add FileWriter<{last.text()}>("out0.bin");')
        self.in_t, self.out_t, self.i, self.cost = in_t, out_t, i, cost
        return [f"{in_t.text()}->{out_t.text()} {kind} {name} {{", *body.out, "}"]

    def bits_top(self, graph, name):
        """A whole program over bits, with much input: firings fill vectors."""
        t = SCALARS["bit"] if "bit" in self.features and self.rng.random() < 0.7 else INT
        self.i = MOST_BITS + 1
        while self.i > MOST_BITS:
            body = Composite(self, [self.globals], True)
            self.i, _, self.cost, _ = Bits(graph, t, t).write(body, (2, 4, 6, 8))
        self.in_t = self.out_t = t
        return [f"{t.text()}->{t.text()} pipeline {name} {{", *body.out, "}"]

    def frames_top(self, graph, name, kind):
        """A whole program of ints and floats alone, with much input: firings fill vectors."""
        self.in_t, self.out_t = (self.rng.choice([INT, FLOAT]) for _ in range(2))
        self.i = kind.most_items + 1
        while self.i > kind.most_items:
            body = Composite(self, [self.globals], True)
            self.i, _, self.cost, _ = kind(graph, self.in_t, self.out_t).write(body)
        return [f"{self.in_t.text()}->{self.out_t.text()} pipeline {name} {{", *body.out, "}"]

    def lone_filter(self, name):
        from gen_filter import FilterMaker, Rates
        maker = FilterMaker(self, VOID, VOID, Rates(0, 0, 0), [], prints=True)
        unit = maker.make()
        lines = unit.text("", None)
        self.in_t, self.out_t, self.i, self.cost = VOID, VOID, 0, unit.cost
        lines[0] = lines[0].strip().replace("filter {", f"filter {name} {{")
        lines[-1] = "}"
        return lines

    def make(self):
        while True:
            try:
                return self.try_make()
            except TooLargeTop:
                self.size = max(1, self.size - 1)
                names = self.names
                self.__init__(f"{self.seed}+", self.size, self.allowed)
                self.names = names

    def try_make(self):
        from gen_graph import TooLarge
        lines = self.make_structs() + self.make_globals() + self.make_helpers()
        try:
            top = self.make_top(Graph(self))
        except TooLarge as e:
            raise TooLargeTop from e
        used = self.used_decls(top)
        self.files = [f for f in self.files if any(self.file_texts.get(f[0], f'"{f[0]}"') in line for part in used + [top] for line in part)]
        # Without a void->void stream one that nothing adds would be the program.
        parts = (self.decls if self.in_t == VOID and self.out_t == VOID else used) + [top]
        self.rng.shuffle(parts)
        for part in parts:
            lines += part
        text = "\n".join(indent(lines)) + "\n"
        if "names" in self.features:
            text = rename(self.rng, text, self.rng.choice([0.1, 0.5, 1]))
        return "\n".join(self.header()) + "\n" + text

    def used_decls(self, top):
        """What the top adds, and what that adds."""
        words = set(re.findall(r"\w+", "\n".join(top)))
        used = []
        for decl in reversed(self.decls):  # what one adds stands before it, or is itself
            if re.search(r"(\w+)(\(.*\))? \{$", decl[0]).group(1) in words:
                used.append(decl)
                words |= set(re.findall(r"\w+", "\n".join(decl)))
        return used[::-1]

    def header(self):
        rng = self.rng
        steady = max(1, min(rng.choice([1, 3, 10, 30, 30, 100, 400]), 30000 // max(1, self.cost)))
        if "equal" in self.features:  # strips that leave something over
            steady = max(steady, min(rng.choice([7, 20, 50]), 20000 // max(1, self.i)))
        if self.features & {"frames", "forms"}:  # firings that fill vectors
            steady = max(steady, min(rng.choice([9, 37, 70, 140]), 5000 // max(1, self.i)))
        options, reads = ["--tag-prints"] if self.dynamics else [], self.in_t != VOID or self.files
        if not reads or rng.random() < 0.35:
            options.append(f"-i {rng.choice([0] + [steady] * 11)}")
        lines = []
        count = self.i * steady + rng.choice([0, 0, 1, -1, rng.randint(0, max(1, self.i)), rng.randint(0, 3 * self.i)])
        count = rng.choice([count] * 12 + [0, 1])
        looped = bool("-i" in " ".join(options) and reads and rng.random() < 0.3)
        if looped:
            options.append("--loop-input")
            count = rng.randint(1, max(1, count))
        for number, (name, t) in enumerate(self.files):
            items = count if number == 0 and self.i else rng.choice([rng.randint(0, 40), steady, 2 * steady, 50 + rng.randint(0, 400)])
            kind, text = file_text(rng, t, max(items, looped))
            lines.append(f"// FILE {name} {kind}: {text}")
        for name, numbers in self.tables:
            lines.append(f"// FILE {name} text: " + self.rng.choice(["\\n", " \\n", "\\n"]).join(numbers) + "\\n")
        if self.in_t != VOID:
            kind, text = file_text(rng, self.in_t, max(count, looped))
            lines.append(f"// IN {kind}: {text}")
        sizes = self.files + ([("in.bin", self.in_t)] if self.in_t != VOID else [])
        if sizes:
            lines.append("// SIZES " + " ".join(f"{name}={1 if t.kind == 'bit' else t.pieces()[1]}" for name, t in sizes))
        checked = ["// CHECKED"] if self.checked else []
        return [f"// Program {self.seed} of size {self.size}.", " ".join(["// RUN: %run-all %s", *options]), *checked, *lines]


class TooLargeTop(Exception):
    pass


def generate(seed, size, features=Features()):
    """The text of a program."""
    return Program(seed, size, features).make()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--size", type=int, default=6)
    parser.add_argument("--only")
    parser.add_argument("--without")
    args = parser.parse_args()
    print(generate(args.seed, args.size, Features(args.only, args.without)), end="")


if __name__ == "__main__":
    main()
