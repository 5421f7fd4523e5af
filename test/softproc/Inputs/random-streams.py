# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random stream programs of filters that can be threads: random-streams.py SEED COUNT FOLDER writes r1.str, ... for test/gen/machines.py.
Rates, windows, loops, conditions, branches of round-robin and duplicate splitters; a few filters that cannot be threads between."""
import os
import random
import sys


class Filter:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.pop = rng.choice([1, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 12])
        self.push = rng.choice([1, 1, 1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16])
        self.peek = self.pop + rng.choice([0, 0, 0, 1, 2, 3, 5, 9, 16])
        self.kind = rng.choice(["float", "float", "float", "float", "float", "state", "divide"])

    def value(self, depth, index=None):
        """An expression of type float."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            pick = rng.random()
            if pick < 0.6:
                offset = rng.randrange(self.peek)
                return f"peek({offset})" if index is None or rng.random() < 0.4 else f"peek(({index} * {rng.randrange(1, 4)} + {offset}) % {self.peek})"
            if pick < 0.8:
                return rng.choice(["a", "b", "h[2]", "h[0]"]) if index is None else f"h[{index} % 4]"
            return f"{rng.uniform(-3, 3):.3f}" if index is None or rng.random() < 0.6 else f"(float) {index}"
        shape = rng.randrange(9)
        one = self.value(depth - 1, index)
        if shape < 5:
            return f"({one} {rng.choice('+-*')} {self.value(depth - 1, index)})"
        if shape == 5:
            return f"{rng.choice(['min', 'max'])}({one}, {self.value(depth - 1, index)})"
        if shape == 6:
            return f"{rng.choice(['abs', 'floor', '-'])}({one})"
        return f"({self.condition(depth - 1)} ? {one} : {self.value(depth - 1, index)})"

    def condition(self, depth):
        rng = self.rng
        text = f"{self.value(depth)} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {self.value(depth)}"
        return text if depth == 0 or rng.random() < 0.7 else f"({text}) {rng.choice(['&&', '||'])} ({self.condition(0)})"

    def whole(self, depth):
        """An expression of type int, of comparisons and choices."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return f"peek({rng.randrange(self.peek)})" if rng.random() < 0.8 else rng.choice(["a", "b"])
        one, two = self.whole(depth - 1), self.whole(depth - 1)
        if rng.random() < 0.5:
            return f"({one} {rng.choice('<>')} {two} ? {one} : {two})"
        return f"({self.whole(0)} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {self.whole(depth - 1)} ? {one} : {two})"

    def int_text(self):
        rng = self.rng
        last = f" + {rng.randrange(9)}" if self.kind != "float" else ""
        lines = [f"int->int filter {self.name} {{", f"    work pop {self.pop} peek {self.peek} push {self.push} {{",
                 f"        int a = peek(0), b = peek(0);"]
        if rng.random() < 0.5:
            lines.append(f"        if ({self.whole(1)} < {self.whole(1)})\n            b = {self.whole(2)};\n        else\n            a = {self.whole(1)};")
        lines += [f"        push({self.whole(2)}{last});" for _ in range(self.push)]
        lines.append(f"        for (int i = 0; i < {self.pop}; i++)\n            pop();\n    }}\n}}")
        return "\n".join(lines)

    def text(self):
        rng = self.rng
        lines = [f"float->float filter {self.name} {{", "    float[4] h;"]
        if self.kind == "state":
            lines.append("    float kept;")
        lines.append("    init {\n        for (int i = 0; i < 4; i++)\n            h[i] = 0.25 * i - 0.375;\n    }")
        window = f" peek {self.peek}" if self.peek > self.pop else ""
        lines.append(f"    work pop {self.pop}{window} push {self.push} {{")
        lines.append(f"        float a = peek(0), b = h[3];")
        if rng.random() < 0.5:
            lines.append(f"        for (int i = 0; i < {rng.randrange(1, 7)}; i++)\n            a = a * 0.5 + {self.value(2, 'i')};")
        if rng.random() < 0.5:
            lines.append(f"        if ({self.condition(1)})\n            b = {self.value(2)};\n        else\n            a = {self.value(1)};")
        if self.kind == "state":
            lines.append("        kept = kept * 0.5 + a;\n        b = b - kept;")
        if self.kind == "divide":
            lines.append("        b = b / (abs(a) + 1);")
        if rng.random() < 0.4:
            lines.append(f"        for (int i = 0; i < {self.push}; i++)\n            push({self.value(2, 'i')} + a);")
        else:
            lines += [f"        push({self.value(2)});" for _ in range(self.push)]
        lines.append(f"        for (int i = 0; i < {self.pop}; i++)\n            pop();\n    }}\n}}")
        return "\n".join(lines)


def branch(rng, filters):
    """A splitjoin of branches with equal rates, so that it balances."""
    names = []
    pop, push = rng.choice([1, 2, 4, 8]), rng.choice([1, 2, 3, 4, 8])
    equal = rng.random() < 0.5  # such branches become a gang
    for _ in range(rng.randrange(2, 9 if equal else 4)):
        if not equal or not names:
            f = Filter(rng, f"F{len(filters)}")
            f.pop, f.push, f.peek = pop, push, pop + rng.choice([0, 0, 2, 7])
            filters.append(f)
        names.append(f.name)
    split = "duplicate" if rng.random() < 0.5 else f"roundrobin({rng.choice([1, 2, 4, 8])})"
    return f"splitjoin {{ split {split}; " + " ".join(f"add {n};" for n in names) + f" join roundrobin({rng.choice([1, 1, 2, 3, 4, 8])}); }}"


def program(seed):
    rng = random.Random(seed)
    filters, stages = [], []
    for _ in range(rng.randrange(1, 4)):
        if rng.random() < 0.45:
            stages.append(branch(rng, filters))
        else:
            filters.append(Filter(rng, f"F{len(filters)}"))
            stages.append(filters[-1].name)
    adds = "\n".join(f"    add {s};" if not s.startswith("splitjoin") else f"    add {s}" for s in stages)
    source = """void->float filter Numbers {
    int n;
    work push 1 {
        push((n * 37 % 256 - 128) / 32.0);
        n = (n + 1) % 4099;
    }
}
float->void filter Show {
    work pop 1 {
        println(pop());
    }
}
"""
    ints = rng.random() < 0.3  # some beyond what a float has exactly
    if ints:
        far = rng.choice(["", "", " * 300000"])
        source = source.replace("float", "int").replace("(n * 37 % 256 - 128) / 32.0", f"(n * 37 % 256 - 128){far}")
    return (f"// RUN: %run-all %s -i {rng.choice([40, 300, 1200])}\n" + source + "\n".join(f.int_text() if ints else f.text() for f in filters) +
            f"\nvoid->void pipeline Main {{\n    add Numbers;\n{adds}\n    add Show;\n}}\n")


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for seed in range(first, first + count):
        with open(os.path.join(folder, f"r{seed}.str"), "w", encoding="ascii") as f:
            f.write(program(seed))


main()
