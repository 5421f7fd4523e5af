# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters that keep their last items in arrays and set these to zero where a block ends: every so many firings, mostly."""
from gen_filter import Unit
from gen_types import FLOAT


def blocks(graph, in_t, out_t):
    """A unit of such a filter."""
    program, rng = graph.program, graph.rng
    name = program.name("F", upper=True)
    kind, out = in_t.text(), out_t.text()
    arrays = ["x", "y"][:rng.choice([1, 1, 2])]
    pop, extra = rng.choice([1, 1, 1, 2, 3]), rng.choice([0, 0, 2])
    pop = max(pop, len(arrays))
    n = rng.choice([2, 3, 4, 4, 7, 8, 8, 16])
    every = rng.choice([1, 2, 4, 8, 8, 16, 32, 32, 64, 3, 12])
    style = rng.choice(["round", "round", "back", "moved"])
    cast = f"({out})" if (kind, out) == ("float", "int") else ""
    ends = "c == 0" if rng.random() < 0.95 else f"c == 0 && {arrays[0]}[0] > 0"
    count, value = n if rng.random() < 0.9 else n // 2, 0 if rng.random() < 0.93 else 1
    cleared = [a for a in arrays if rng.random() < 0.9] or arrays[:1]
    clear = [f"if ({ends})", f"    for (int i = 0; i < {count}; i++) {{", *[f"        {a}[i] = {value};" for a in cleared], *(["        at = i * 0;"] if rng.random() < 0.3 else []), "    }"]
    item = [f"{a}[{'0' if style == 'moved' else 'at'}] = pop();" for a in arrays]
    move = [f"for (int i = {n - 1}; i > 0; i--) {a}[i] = {a}[i - 1];" for a in arrays] if style == "moved" else []
    step = [] if style == "moved" else [f"at = at == {n - 1} ? 0 : at + 1;"] if style == "round" else [f"at = (at + {n - 1}) % {n};"]

    def element(a, i):
        if style == "moved":
            return f"{a}[{i}]"
        return f"{a}[(at + {n} - {i}) % {n}]" if style == "round" else f"{a}[(at + {i}) % {n}]"

    first, last = rng.choice([(0, n), (0, n), (1, n), (0, n - 1)])
    lines = [f"{kind} {v} = {rng.randint(0, 3)};" for v in ("s", "t")]
    loop = []
    for v in ("s", "t")[:rng.randint(1, 2)]:
        a = element(rng.choice(arrays), "i")
        loop.append(rng.choice([f"{v} += {a} * (i + 1);", f"{v} = {v} * 2 - {a};", f"if ({a} > 1) {v} += {a};", f"{v} += h[i] * {a};", f"{v} += h[i] * {a} - {element(arrays[-1], 'i')};"]))
    body = [f"for (int i = {first}; i < {last}; i++) {{", *["    " + line for line in loop], "}"]
    if rng.random() < 0.4:
        body.append(f"t += {element(rng.choice(arrays), rng.randint(0, n - 1))};")
    if extra:
        body.append(f"t -= peek({rng.randint(0, extra - 1)});")
    pushes = [f"push({cast}(s {rng.choice('+-')} t));"] + ["push(" + cast + "(t));"] * rng.randint(0, 1)
    tick = [f"c++;", f"if (c == {every}) c = 0;"] if rng.random() < 0.7 else [f"c = (c + 1) % {every};"]
    pops = ["pop();"] * (pop - len(arrays))
    middle = [pushes, pops, step] if rng.random() < 0.7 else [step, pushes, pops]
    parts = [lines, move, item, body, *middle, tick, clear]
    if rng.random() < 0.12: # a block begins in the middle of a firing
        parts.remove(clear)
        parts.insert(rng.randint(0, len(parts)), clear)
    fields = [f"{kind}[{n}] h;", *[f"{kind}[{n}] {a};" for a in arrays], "int at;", "int c;"]
    init = [f"init {{ for (int i = 0; i < {n}; i++) h[i] = i * {'0.25f' if in_t == FLOAT else '3'} - 1;" + (f" {arrays[0]}[0] = 2;" if rng.random() < 0.1 else "") + " }"]
    rates = f"work pop {pop} push {len(pushes)}" + (f" peek {pop + extra}" if extra else "")
    program.decls.append([f"{kind}->{out} filter {name} {{", *fields, *init, rates + " {", *[line for p in parts for line in p], "}", "}"])
    return Unit(in_t, out_t, pop, len(pushes), 4 * n + 10, 4 + extra, lambda w, c: [f"{w} {name}();"])
