#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel whose struct has random fields, all of which it reads and changes; the program prints them.

    structs.py SEED > FILE.c
"""
import random
import sys

# Type, how it is printed, as what.
SCALARS = [("char", "%d", "(int)"), ("signed char", "%d", "(int)"), ("unsigned char", "%d", "(int)"), ("short", "%d", "(int)"),
           ("unsigned short", "%d", "(int)"), ("int", "%d", ""), ("unsigned", "%u", ""), ("long", "%ld", ""), ("unsigned long", "%lu", ""),
           ("long long", "%lld", ""), ("uint64_t", "%llu", "(unsigned long long)"), ("float", "%g", ""), ("double", "%g", ""),
           ("size_t", "%zu", ""), ("ptrdiff_t", "%td", ""), ("bool", "%d", "(int)"), ("enum colour", "%d", "(int)")]
HEAD = """#include <stdio.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);

enum colour { RED, GREEN, BLUE };
"""


class Struct:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.leaves = []  # path, scalar, bits or None
        self.body = self.fields(0, "", self.r.randint(3, 14))

    def fields(self, depth, prefix, count):
        return " ".join(self.field(depth, f"f{n}", prefix) for n in range(count))

    def leaf(self, path, scalar, bits=None):
        self.leaves.append((path, scalar, bits))

    def field(self, depth, name, prefix):
        kind = self.r.random()
        if kind < 0.18 and depth < 3:
            return self.nested(depth, name, prefix, self.r.randint(1, 3) if kind < 0.06 else None)
        if kind < 0.24:
            bits = self.r.randint(1, 9)
            self.leaf(prefix + name, ("unsigned", "%u", ""), bits)
            return f"unsigned {name} : {bits};"
        if kind < 0.28:
            scalar = self.r.choice([s for s in SCALARS if s[0] in ("long", "size_t", "double")])
            for i in range(2):
                self.leaf(f"{prefix}{name}.all[{i}]", scalar)
            return f"union {{ {scalar[0]} all[2]; struct {{ {scalar[0]} a, b; }} each; }} {name};"
        scalar, count = self.r.choice(SCALARS), self.r.randint(1, 5) if self.r.random() < 0.2 else None
        for i in range(count or 1):
            self.leaf(prefix + name + (f"[{i}]" if count else ""), scalar)
        return f"{scalar[0]} {name}{f'[{count}]' if count else ''};"

    def nested(self, depth, name, prefix, count):
        begin = len(self.leaves)
        body = self.fields(depth + 1, "", self.r.randint(1, 4))
        inside, self.leaves[begin:] = self.leaves[begin:], []
        for i in range(count or 1):
            for path, scalar, bits in inside:
                self.leaf(f"{prefix}{name}{f'[{i}]' if count else ''}.{path}", scalar, bits)
        return f"struct {{ {body} }} {name}{f'[{count}]' if count else ''};"

    def value(self, scalar, bits):
        if bits:
            return str(self.r.randrange(1 << bits))
        limits = {"bool": 1, "enum colour": 2, "unsigned": 4000000000, "unsigned long": 4000000000, "size_t": 4000000000, "uint64_t": 1 << 60}
        if scalar in limits:
            return f"{self.r.randint(0, limits[scalar])}u"
        if "char" in scalar or "short" in scalar:
            return str(self.r.randint(0, 90))
        most = 1000 if scalar in ("float", "double") else 2000000000
        return f"{self.r.randint(-most, most)}" + (".5" if most == 1000 else "")


def main():
    s = Struct(int(sys.argv[1]))
    print(HEAD)
    print(f"typedef struct {{\n    svm_Kernel kernel;\n    svm_Block *block;\n    {s.body}\n}} Kernel;\n")
    print("SVM_KERNEL()\nstatic void run(svm_Kernel *kernel)\n{\n    Kernel *s = (Kernel *)kernel;\n    double *out = svm_blockData(s->block), sum = 0;")
    change = {"bool": "s->{0} = !s->{0};", "enum colour": "s->{0} = (enum colour)((s->{0} + 1) % 3);"}
    for path, scalar, _ in s.leaves:
        print(f"    sum = sum * 0.5 + (double)s->{path};\n    " + change.get(scalar[0], "s->{0} += 1;").format(path))
    print("    out[0] = sum;\n}\n\nint main(void)\n{\n    static Kernel k;\n    svm_Block b;\n    svm_blockInit(&b, &LS0, 16, 2, 8);\n"
          "    svm_kernelInit(&k.kernel, &SPE0, run, \"run\");\n    svm_kernelNeverBlocks(&k.kernel);\n    k.block = &b;")
    for path, scalar, bits in s.leaves:
        print(f"    k.{path} = {s.value(scalar[0], bits)};")
    print("    for (int i = 0; i < 2; i++) {\n        svm_kernelRun(&k.kernel);\n        svm_kernelWait(&k.kernel);\n"
          "        printf(\"%a\\n\", *(double *)svm_blockData(&b));")
    for path, scalar, _ in s.leaves:
        print(f"        printf(\"{path} {scalar[1]}\\n\", {scalar[2]}k.{path});")
    print("    }\n    return 0;\n}")


main()
