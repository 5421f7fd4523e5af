#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Brook kernels, against an evaluator of their own.

Each program has some kernels and reduce functions, correct by construction and the same for the same seed. What they
give is computed here as well, element by element, with floats of 32 bits; a program is compiled in each of the ways
and must print the same numbers. Elements for which an operation gives an infinity or no number are not compared.

Host programs are in brook_hosts.py, loops whose calls wait in brook_rounds.py.

A hundred thousand kernels take some minutes:    brook.py --count=500 --kernels=110 --way='apart -O2' --jobs=8"""

import argparse
import math
import multiprocessing
import os
import random
import struct
import subprocess
import sys
import tempfile

LETTERS = 'xyzw'
NUMBERS = [0, 1, 2, 3, 0.5, -1.5, 0.25, 7, 0.1, -3]
EXTENTS = [(70,), (3, 37), (4, 18)]


class Wild(Exception):
    """An operation left the finite numbers."""


class Leave(Exception):
    def __init__(self, how):
        self.how = how


def f32(x):
    if x != x or abs(x) > 3e38:
        raise Wild
    return struct.unpack('f', struct.pack('f', x))[0]


def spread(v, width):
    return v * width if len(v) == 1 else v


def each(f):
    """A function of numbers as one of vectors; scalars go with each component."""

    def on_vectors(*args):
        width = max(len(a) for a in args)
        return [f(*xs) for xs in zip(*[spread(a, width) for a in args])]

    return on_vectors


def divide(x, y):
    if y == 0:
        raise Wild
    return f32(x / y)


def remainder(x, y):
    if y == 0:
        raise Wild
    return math.fmod(x, y)


def dot(a, b):
    total = None
    for x, y in zip(a, b):
        total = f32(x * y) if total is None else f32(total + f32(x * y))
    return [total]


ARITHMETIC = {
    '+': each(lambda x, y: f32(x + y)),
    '-': each(lambda x, y: f32(x - y)),
    '*': each(lambda x, y: f32(x * y)),
    '/': each(divide),
}
COMPARISONS = {
    '<': each(lambda x, y: float(x < y)),
    '<=': each(lambda x, y: float(x <= y)),
    '==': each(lambda x, y: float(x == y)),
    '!=': each(lambda x, y: float(x != y)),
    '>': each(lambda x, y: float(x > y)),
    '&&': each(lambda x, y: float(x != 0 and y != 0)),
    '||': each(lambda x, y: float(x != 0 or y != 0)),
}
FUNCTIONS = {
    'abs': (1, each(abs)),
    'floor': (1, each(lambda x: float(math.floor(x)))),
    'ceil': (1, each(lambda x: float(math.ceil(x)))),
    'saturate': (1, each(lambda x: min(max(x, 0.0), 1.0))),
    'sign': (1, each(lambda x: float((x > 0) - (x < 0)))),
    'min': (2, each(min)),
    'max': (2, each(max)),
    'fmod': (2, each(remainder)),
    'step': (2, each(lambda edge, x: float(x >= edge))),
    'clamp': (3, each(lambda x, lo, hi: lo if x < lo else hi if x > hi else x)),
}


def type_name(width):
    return 'float' if width == 1 else f'float{width}'


def holds(v):
    return any(x != 0 for x in v)


class Body:
    """Statements and expressions of one function, as text and as functions of what its names are."""

    def __init__(self, r, names, fixed, gathers, helpers, place):
        self.r = r
        self.names = dict(names)  # visible: their widths
        self.fixed = set(fixed)  # not assigned
        self.uniform = {n for n in fixed if n.startswith('u')}  # the same for all elements
        self.gathers = gathers
        self.helpers = helpers
        self.place = place  # a name that 'indexof' takes, or None
        self.made = 0
        self.depth = 0  # of loops
        self.ways_out = []  # of the loop around

    def new_name(self, prefix):
        self.made += 1
        return f'{prefix}{self.made}'

    # ---- Expressions: (text, function) ----

    def leaf(self, width, pool):
        r = self.r
        known = [n for n, w in self.names.items() if w == width and (pool is None or n in pool)]
        if known and r.random() < 0.8:
            name = r.choice(known)
            return name, lambda e: list(e[name])
        wider = [n for n, w in self.names.items() if w > 1 and (pool is None or n in pool)]
        if wider and r.random() < 0.5:
            name = r.choice(wider)
            index = [r.randrange(self.names[name]) for _ in range(width)]
            return f'{name}.' + ''.join(LETTERS[i] for i in index), lambda e: [e[name][i] for i in index]
        if width == 1:
            v = r.choice(NUMBERS)
            return (f'({v})' if v < 0 else str(v)), lambda e: [f32(v)]
        parts = [self.leaf(1, pool) for _ in range(width)]
        return f'{type_name(width)}({", ".join(p[0] for p in parts)})', lambda e: [p[1](e)[0] for p in parts]

    def gather(self, depth, pool):
        name, extents = self.r.choice(self.gathers)
        subscripts = [self.expr(depth - 1, 1, pool) for _ in extents]
        if len(extents) == 2 and self.r.random() < 0.5:
            text = f'{name}[float2({subscripts[1][0]}, {subscripts[0][0]})]'
        else:
            text = name + ''.join(f'[{s[0]}]' for s in subscripts)

        def value(e):
            at = 0
            for s, extent in zip(subscripts, extents):
                i = math.floor(f32(s[1](e)[0] + 0.25))
                if abs(i) > 1e9:
                    raise Wild
                at = at * extent + min(max(i, 0), extent - 1)
            return [e[name][at]]

        return text, value

    def expr(self, depth, width, pool=None):
        r = self.r
        kind = r.choices(('leaf', 'arithmetic', 'choice', 'comparison', 'swizzle', 'function', 'not', 'gather', 'dot',
                          'place', 'helper'), (4, 8, 1.5, 1.5, 2, 3, 0.7, 1.5, 0.7, 0.7, 1))[0]
        if depth <= 0 or kind == 'leaf':
            return self.leaf(width, pool)
        sub = lambda w: self.expr(depth - 1, w, pool)
        if kind == 'arithmetic':
            a, b = sub(r.choice([1, width])), sub(width)
            if r.random() < 0.5:
                a, b = b, a
            op = r.choice('++--**/')
            return f'({a[0]} {op} {b[0]})', lambda e: ARITHMETIC[op](a[1](e), b[1](e))
        if kind == 'comparison':
            op = r.choice(list(COMPARISONS))
            a, b = sub(width), sub(r.choice([1, width]))
            return f'({a[0]} {op} {b[0]})', lambda e: COMPARISONS[op](a[1](e), b[1](e))
        if kind == 'choice':
            c, a, b = sub(r.choice([1, width])), sub(width), sub(width)
            pick = each(lambda x, y, z: y if x != 0 else z)
            return f'({c[0]} ? {a[0]} : {b[0]})', lambda e: pick(c[1](e), a[1](e), b[1](e))
        if kind == 'swizzle':
            from_width = r.randint(2, 4)
            a, index = sub(from_width), [r.randrange(from_width) for _ in range(width)]
            return f'({a[0]}).' + ''.join(LETTERS[i] for i in index), lambda e: (lambda v: [v[i] for i in index])(a[1](e))
        if kind == 'function':
            name = r.choice(list(FUNCTIONS))
            count, f = FUNCTIONS[name]
            args = [sub(width) for _ in range(count)]
            return f'{name}({", ".join(a[0] for a in args)})', lambda e: f(*[a[1](e) for a in args])
        if kind == 'not':
            a = sub(width)
            return f'(!{a[0]})', lambda e: [float(x == 0) for x in a[1](e)]
        if kind == 'helper' and self.helpers:
            h = r.choice([h for h in self.helpers if h.width == width] or [None])
            if h is not None:
                args = [self.expr(depth - 2, w, pool) for w in h.takes]
                return f'{h.name}({", ".join(a[0] for a in args)})', lambda e: h.value([a[1](e) for a in args])
        if width == 1 and kind == 'gather' and self.gathers:
            return self.gather(depth, pool)
        if width == 1 and kind == 'dot':
            w = r.randint(2, 4)
            a, b = sub(w), sub(w)
            return f'dot({a[0]}, {b[0]})', lambda e: dot(a[1](e), b[1](e))
        if width == 1 and kind == 'place' and self.place and pool is None:
            i = r.randrange(2)
            return f'indexof({self.place}).{LETTERS[i]}', lambda e: [float(e['indexof'][i])]
        return self.expr(depth - 1, width, pool)

    def condition(self):
        """Half of them are the same for all elements."""
        pool = self.uniform if self.r.random() < 0.5 else None
        a, b = self.expr(2, 1, pool), self.expr(1, 1, pool)
        op = self.r.choice(list(COMPARISONS))
        return f'{a[0]} {op} {b[0]}', lambda e: holds(COMPARISONS[op](a[1](e), b[1](e))), pool is not None

    # ---- Statements: (lines, function) ----

    def declare(self, pad):
        pool = self.uniform if self.r.random() < 0.4 else None
        width = self.r.randint(1, 4)
        value = self.expr(3, width, pool)
        name = self.new_name('v')
        self.names[name] = width
        if pool is not None:
            self.uniform.add(name)

        def run(e):
            e[name] = value[1](e)

        return [f'{pad}{type_name(width)} {name} = {value[0]};'], run

    def assign(self, pad):
        r = self.r
        name = r.choice([n for n in self.names if n not in self.fixed])
        width = self.names[name]
        mask, text = list(range(width)), name
        if width > 1 and r.random() < 0.5:
            mask = r.sample(range(width), r.randint(1, width))
            text += '.' + ''.join(LETTERS[i] for i in mask)
        op = r.choice(['=', '=', '+=', '-=', '*='])
        pool = self.uniform if name in self.uniform else None
        value = self.expr(3, r.choice([1, len(mask)]), pool)

        def run(e):
            new = spread(value[1](e), len(mask))
            old = [e[name][i] for i in mask]
            if op != '=':
                new = ARITHMETIC[op[0]](old, new)
            for i, x in zip(mask, new):
                e[name][i] = x

        return [f'{pad}{text} {op} {value[0]};'], run

    def block(self, count, depth, pad):
        """Statements in braces: what they declare ends there."""
        names, uniform = dict(self.names), set(self.uniform)
        out = self.statements(count, depth, pad)
        self.names, self.uniform = names, self.uniform & uniform
        return out

    def branch(self, depth, pad):
        text, test, same = self.condition()
        if not same:
            uniform, self.uniform = self.uniform, set(self.uniform)
            frozen = {n for n in uniform if n not in self.fixed}
            self.fixed |= frozen  # what is assigned here would no longer be the same
        then, do_then = self.block(self.r.randint(1, 2), depth - 1, pad + '    ')
        otherwise, do_otherwise = self.block(self.r.randint(1, 2), depth - 1, pad + '    ')
        if not same:
            self.fixed -= frozen
            self.uniform = uniform
        lines = [f'{pad}if ({text}) {{'] + then + [f'{pad}}} else {{'] + otherwise + [f'{pad}}}']
        return lines, lambda e: (do_then if test(e) else do_otherwise)(e)

    def leave(self, pad):
        text, test, _ = self.condition()
        how = self.r.choice(self.ways_out)

        def run(e):
            if test(e):
                raise Leave(how)

        return [f'{pad}if ({text}) {how};'], run

    def loop(self, depth, pad):
        r = self.r
        i, most = self.new_name('i'), r.randint(1, 5)
        endless = r.random() < 0.4
        inner = pad + '    '
        names, uniform = dict(self.names), set(self.uniform)
        self.names[i] = 1
        self.fixed.add(i)
        self.uniform.add(i)
        self.depth += 1
        outer, self.ways_out = self.ways_out, ['break'] if endless else ['break', 'continue']
        first, do_first = self.block(r.randint(1, 2), depth - 1, inner)
        self.ways_out = ['break', 'continue']
        then, do_then = self.block(r.randint(0, 2), depth - 1, inner)
        self.ways_out = outer
        self.depth -= 1
        self.names, self.uniform = names, self.uniform & uniform
        if endless:
            lines = [f'{pad}{{', f'{inner}float {i} = 0;', f'{inner}while (1) {{', f'{inner}if ({i} >= {most}) break;']
            lines += first + [f'{inner}{i} += 1;'] + then + [f'{inner}}}', f'{pad}}}']
        else:
            lines = [f'{pad}{{', f'{inner}float {i};', f'{inner}for ({i} = 0; {i} < {most}; {i}++) {{']
            lines += first + then + [f'{inner}}}', f'{pad}}}']

        def run(e):
            e[i] = [0.0]
            while e[i][0] < most:
                try:
                    do_first(e)
                    if endless:
                        e[i] = [e[i][0] + 1]
                    do_then(e)
                except Leave as leave:
                    if leave.how == 'break':
                        break
                if not endless:
                    e[i] = [e[i][0] + 1]

        return lines, run

    def statements(self, count, depth, pad):
        lines, runs = [], []
        for _ in range(count):
            kind = self.r.choices(('declare', 'assign', 'branch', 'loop', 'leave'), (3, 5, 2, 2, 1))[0]
            if kind == 'leave' and self.ways_out:
                text, run = self.leave(pad)
            elif kind == 'branch' and depth > 0:
                text, run = self.branch(depth, pad)
            elif kind == 'loop' and depth > 0 and self.depth < 2:
                text, run = self.loop(depth, pad)
            elif kind == 'declare' or all(n in self.fixed for n in self.names):
                text, run = self.declare(pad)
            else:
                text, run = self.assign(pad)
            lines += text
            runs.append(run)

        def all_of_them(e):
            for run in runs:
                run(e)

        return lines, all_of_them


class Helper:
    """A kernel that returns a value."""

    def __init__(self, r, name):
        self.name, self.width = name, r.randint(1, 4)
        self.takes = [r.randint(1, 4) for _ in range(r.randint(1, 2))]
        names = {f'p{i}': w for i, w in enumerate(self.takes)}
        body = Body(r, names, (), (), (), None)
        lines, self.run = body.statements(r.randint(0, 2), 1, '    ')
        self.result = body.expr(2, self.width)
        params = ', '.join(f'{type_name(w)} {n}' for n, w in names.items())
        self.text = [f'kernel {type_name(self.width)} {name}({params}) {{'] + lines + [f'    return {self.result[0]};', '}']

    def value(self, args):
        e = {f'p{i}': list(a) for i, a in enumerate(args)}
        self.run(e)
        return self.result[1](e)


class Program:
    def __init__(self, seed, kernels):
        r = self.r = random.Random(seed)
        self.extents = r.choice(EXTENTS)
        self.count = math.prod(self.extents)
        self.text, self.main, self.expected = [], [], []
        number = lambda: f32(r.choice(NUMBERS) if r.random() < 0.5 else r.uniform(-4, 9))
        fill = lambda count: [number() for _ in range(count)]
        self.half = tuple(e // 2 if e % 2 == 0 else e for e in self.extents)
        self.data = {'a': fill(4 * self.count), 'b': fill(2 * math.prod(self.half)), 'g': fill(6), 'h': fill(12)}
        self.gathers = (('g', (6,)), ('h', (3, 4)))
        self.us, self.ut = [number()], fill(2)
        helpers = [Helper(r, f'help{i}') for i in range(2)]
        for h in helpers:
            self.text += h.text
        for i in range(kernels):
            self.add_kernel(f'k{i}', helpers)
        self.add_reduction('fold', helpers)

    def stream_extents(self, extents):
        return ', '.join(str(e) for e in extents)

    def environment(self, at):
        """Of the element at that place."""
        place = [at] if len(self.extents) == 1 else [at // self.extents[1], at % self.extents[1]]
        small = 0
        for p, extent, half in zip(place, self.extents, self.half):
            small = small * half + p * half // extent
        e = {'a': self.data['a'][4 * at:4 * at + 4], 'b': self.data['b'][2 * small:2 * small + 2], 'g': self.data['g'],
             'h': self.data['h'], 'us': list(self.us), 'ut': list(self.ut), 'indexof': (place[::-1] + [0, 0])[:4]}
        return e

    def add_kernel(self, name, helpers):
        r, width = self.r, self.r.randint(1, 4)
        fixed = {'a', 'b', 'us', 'ut'}
        body = Body(r, {'a': 4, 'b': 2, 'us': 1, 'ut': 2}, fixed, self.gathers, helpers, 'o')
        start = body.expr(2, width)
        body.names['o'] = width
        lines, run = body.statements(r.randint(3, 6), 3, '    ')
        gone = body.condition() if r.random() < 0.3 else None
        last = body.expr(2, width)
        self.text += [f'kernel void {name}(float4 a<>, float2 b<>, float us, float2 ut, float g[], float h[][], '
                      f'out {type_name(width)} o<>) {{', f'    o = {start[0]};'] + lines
        if gone is not None:
            self.text += [f'    if ({gone[0]}) return;']
        self.text += [f'    o += {last[0]};', '}']
        values = []
        for at in range(self.count):
            e = self.environment(at)
            try:
                e['o'] = start[1](e)
                run(e)
                if gone is None or not gone[1](e):
                    e['o'] = ARITHMETIC['+'](e['o'], last[1](e))
                values.append(e['o'])
            except Wild:
                values.append(None)
        self.add_calls(name, width, values, helpers)

    def add_calls(self, name, width, values, helpers):
        """The call of a kernel, and maybe others that take what it gives: calls that can become one kernel."""
        r, extents = self.r, self.stream_extents(self.extents)
        streams, calls = [], []
        to = 's0'
        calls.append(f'{name}(a, b, us, ut, g, h, {to});')
        streams.append(f'{type_name(width)} {to}<{extents}>;')
        for i in range(r.choice((0, 0, 1, 1, 2, 3))):
            follower, given = f'{name}_{i + 1}', width
            width, values = self.add_follower(follower, width, values, helpers)
            again = given == width and r.random() < 0.3  # to where it comes from
            before, to = to, to if again else f's{i + 1}'
            if not again:
                streams.append(f'{type_name(width)} {to}<{extents}>;')
            calls.append(f'{follower}({before}, a, us, g, {to});')
        shown = [x for v in values for x in (v if v is not None else [None] * width)]
        self.main += ['    {', f'        {" ".join(streams)}', f'        {" ".join(calls)}',
                      f'        streamWrite({to}, out); show("{name}", {width * self.count});', '    }']
        self.expected.append((name, shown))

    def add_follower(self, name, given, values, helpers):
        r, width = self.r, self.r.randint(1, 4)
        place = r.choice(('s', 'o'))
        body = Body(r, {'s': given, 'a': 4, 'us': 1}, {'s', 'a', 'us'}, self.gathers[:1], helpers, place)
        start = body.expr(2, width)
        body.names['o'] = width
        lines, run = body.statements(r.randint(0, 2), 2, '    ')
        self.text += [f'kernel void {name}({type_name(given)} s<>, float4 a<>, float us, float g[], '
                      f'out {type_name(width)} o<>) {{', f'    o = {start[0]};'] + lines + ['}']
        made = []
        for at, value in enumerate(values):
            try:
                if value is None:
                    raise Wild
                e = self.environment(at)
                e['s'] = list(value)
                e['o'] = start[1](e)
                run(e)
                made.append(e['o'])
            except Wild:
                made.append(None)
        return width, made

    def add_reduction(self, name, helpers):
        body = Body(self.r, {'v': 4, 'r': 4}, {'v'}, (), helpers, None)
        lines, run = body.statements(self.r.randint(1, 3), 2, '    ')
        self.text += [f'reduce void {name}(float4 v<>, reduce float4 r<>) {{'] + lines
        self.text += ['    r = clamp(r, float4(-9, -9, -9, -9), float4(9, 9, 9, 9));', '}']
        self.main += [f'    {{ float4 r; {name}(a, r); memcpy(out, &r, sizeof r); show("{name}", 4); }}']
        e = {'r': self.data['a'][:4]}
        try:
            for at in range(1, self.count):
                e['v'] = self.data['a'][4 * at:4 * at + 4]
                run(e)
                e['r'] = [min(max(x, -9.0), 9.0) for x in e['r']]
            self.expected.append((name, e['r']))
        except Wild:
            self.expected.append((name, [None] * 4))

    def source(self):
        number = lambda x: repr(x) + 'f'
        table = lambda n: f'static float {n}_data[] = {{{", ".join(number(x) for x in self.data[n])}}};'
        n = self.stream_extents(self.extents)
        return '\n'.join(
            ['#include <stdio.h>', '#include <string.h>'] + self.text + [table(n) for n in 'abgh'] +
            [f'static float out[{4 * self.count}];',
             'static void show(const char *name, int n)', '{', '    int i;', '    printf("%s", name);',
             '    for (i = 0; i < n; i++)', '        printf(" %.9g", out[i]);', '    printf("\\n");', '}',
             'int main(void)', '{', f'    float4 a<{n}>; float2 b<{self.stream_extents(self.half)}>, ut; '
             'float g<6>, h<3, 4>, us;', '    streamRead(a, a_data); streamRead(b, b_data);',
             '    streamRead(g, g_data); streamRead(h, h_data);',
             f'    us = {number(self.us[0])}; ut = float2({number(self.ut[0])}, {number(self.ut[1])});'] + self.main +
            ['    return 0;', '}', ''])

    def problems(self, printed):
        lines = [line.split() for line in printed.splitlines()]
        if [line[0] for line in lines] != [name for name, _ in self.expected]:
            return ['the program ended early']
        out = []
        for line, (name, values) in zip(lines, self.expected):
            for i, (text, value) in enumerate(zip(line[1:], values)):
                if value is not None and f32_or_wild(text) != value:
                    out.append(f'{name}: number {i} is {text}, expected {value!r}')
                    break
        return out

    def compared(self):
        numbers = [v for _, values in self.expected for v in values]
        return sum(v is not None for v in numbers), len(numbers)


def f32_or_wild(text):
    try:
        return f32(float(text))
    except Wild:
        return None


def compile(options, way, path, out):
    """What went wrong, or nothing. 'apart WAY': to C that way, which is then compiled without optimisation, and quickly."""
    if not way.startswith('apart '):
        return subprocess.run([options.svmc, '-w'] + way.split() + [path, '-o', out], capture_output=True, text=True).stderr
    texts = [f'{out}.svm.c', f'{out}.host.c']
    stages = [[options.svmc, '-w'] + way.split()[1:] + [f'--emit={kind}', path, '-o', text]
              for kind, text in zip(('svm-c', 'host-c'), texts)]
    stages.append([os.path.join(os.path.dirname(options.svmc), 'svm-llc'), '-w', '-O0'] + texts + ['-o', out])
    said = ''.join(subprocess.run(stage, capture_output=True, text=True).stderr for stage in stages)
    for text in texts:
        if os.path.exists(text):
            os.remove(text)
    return said


def check(program, seed, options, folder):
    path, out = os.path.join(folder, f'{seed}.br'), os.path.join(folder, str(seed))
    with open(path, 'w') as f:
        f.write(program.source())
    failures = []
    for way in options.ways:
        said = compile(options, way, path, out)
        if said:
            failures.append(f'{way}: {said[:500]}')
            continue
        ran = subprocess.run([out], capture_output=True, text=True, timeout=60)
        failures += [f'{way}: {p}' for p in program.problems(ran.stdout)]
        if ran.returncode != 0:
            failures.append(f'{way}: exit status {ran.returncode}, {ran.stderr[:200]}')
    for leftover in (path, out):
        if os.path.exists(leftover):
            os.remove(leftover)
    return failures


def make(options, seed):
    if options.kind == 'kernels':
        return Program(seed, options.kernels)
    if options.kind == 'rounds':
        from brook_rounds import RoundsProgram
        return RoundsProgram(seed, options.kernels)
    from brook_hosts import HostProgram  # takes from this file
    return HostProgram(seed, options.kernels)


def run(job):
    """The failures of a seed, how many numbers were compared of how many, and how many kernels there were."""
    seed, options, folder = job
    program = make(options, seed)
    failures = check(program, seed, options, folder)
    if failures and options.keep:
        os.makedirs(options.keep, exist_ok=True)
        with open(os.path.join(options.keep, f'{seed}.br'), 'w') as f:
            f.write(program.source())
    return seed, failures, program.compared(), sum(line.startswith('kernel') for line in program.text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--svmc', default='svmc')
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--count', type=int, default=10, help='of programs')
    parser.add_argument('--kind', choices=('kernels', 'hosts', 'rounds'), default='kernels',
                        help='of programs: expressions and statements of kernels, shapes and types of streams, or calls in '
                             'loops that wait for the next one')
    parser.add_argument('--kernels', type=int, default=8, help='of each program, without those that take what others give')
    parser.add_argument('--way', dest='ways', action='append', help='options of svmc; several: each in turn')
    parser.add_argument('--jobs', type=int, default=1, help='programs at a time')
    parser.add_argument('--print', action='store_true', help='print the programs only')
    parser.add_argument('--keep', help='a folder for programs that fail')
    options = parser.parse_args()
    options.ways = options.ways or ['-O0', '-O3', '--interpret-kernels']
    seeds = range(options.first, options.first + options.count)
    if options.print:
        for seed in seeds:
            print(make(options, seed).source())
        return 0
    failed = compared = numbers = kernels = 0
    with tempfile.TemporaryDirectory(prefix='svmc-brook-') as folder, multiprocessing.Pool(options.jobs) as pool:
        for seed, failures, some, made in pool.imap(run, [(seed, options, folder) for seed in seeds]):
            for f in failures:
                print(f'seed {seed}: {f}', flush=True)
            failed += bool(failures)
            compared, numbers, kernels = compared + some[0], numbers + some[1], kernels + made
    print(f'{options.count} programs of {kernels} kernels, {failed} failed; '
          f'{compared} of {numbers} numbers were compared')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
