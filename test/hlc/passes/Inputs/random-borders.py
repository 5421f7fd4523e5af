# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops whose first and last trips differ: pictures and rows with borders, compiled and compared with the interpreter.

    random-borders.py FIRST COUNT FOLDER
"""
import random
import struct

from compare import compare, seeds


class Program:
    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.kind = r.choice(('int', 'float'))
        self.w, self.h = r.choice((12, 15, 33, 40)), r.choice((5, 12, 14))
        self.reach = r.choice((1, 1, 2, 3))
        self.names = 0

    def name(self):
        self.names += 1
        return f'v{self.names}'

    def place(self, v, n):
        """Statements, and an expression that is inside 0 .. n - 1, or a condition that it is."""
        r, k = self.r, self.name()
        by = r.choice((v, f'{v} + d', f'{v} - d', f'{v} + d - 1', f'd + {v} + 1'))
        how = r.choice(('wrap', 'wrap', 'ifs', 'ifs', 'select', 'guard', 'guard', 'mirror', 'mask', 'quotient', 'early'))
        if how == 'wrap':
            return [], f'(({by} + {4 * n}) % {n})', None
        if how == 'ifs':
            low, high = r.choice((f'{k} < 0', f'0 > {k}', f'{k} <= -1')), r.choice((f'{k} >= {n}', f'{k} > {n - 1}', f'!({k} < {n})'))
            lines = [f'int {k} = {by};', f'if ({low}) {k} = 0;', f'if ({high}) {k} = {n - 1};']
            return lines, k, None
        if how == 'select':
            return [f'int {k} = {by};'], f'({k} < 0 ? 0 : {k} >= {n} ? {n - 1} : {k})', None
        if how == 'guard':
            return [f'int {k} = {by};'], k, r.choice((f'{k} >= 0 && {k} < {n}', f'!({k} < 0 || {k} >= {n})'))
        if how == 'mirror':
            lines = [f'int {k} = {by};', f'if ({k} < 0) {k} = -{k}; else if ({k} >= {n}) {k} = {2 * n - 2} - {k};']
            return lines, k, None
        if how == 'mask':
            return [], f'(({by} + {r.choice((0, 64))}) & {r.choice((3, 7))}) % {n}', None
        if how == 'quotient':
            return [], f'(({by} + {8 * n}) / {r.choice((2, 8, n))}) % {n}', None
        q = r.randint(0, n - 1)
        lines = [f'int {k} = {q};', f'if ({v} {r.choice(("==", "!=", "<", ">"))} {r.choice((0, 1, q, n - 1))}) {k} = {v};']
        return lines, k, None

    def body(self):
        """What is done at (y, x): a sum over what is around it."""
        r = self.r
        span = r.choice((f'int d = {-self.reach}; d <= {self.reach}; d++', f'int d = {self.reach}; d >= {-self.reach}; d--', 'int d = 0; d < 9; d++'))
        lines, xs, inside = self.place('x', self.w)
        ys, guard = 'y', inside
        if r.random() < 0.5:
            more, ys, other = self.place('y', self.h)
            lines += more
            guard = inside if other is None else other if inside is None else f'({inside}) && {other}'
        item = f'peek({ys} * {self.w} + {xs})' if r.random() < 0.6 else f'a[{ys}][{xs}]'
        term = f's = s {r.choice("+-")} {item}' + r.choice(('', ' * 3', f' * w[(x + y) % 5]')) + ';'
        if guard is not None:
            term = f'if ({guard}) {{ {term} }}' + r.choice(('', ' else s = s + 1;'))
        s = [f'{self.kind} s = {r.choice(("0", "x", "y"))};', f'for ({span}) {{', *lines, term, '}']
        if r.random() < 0.3:
            s.append(f'if (x == {r.choice((0, self.w - 1, self.w // 2))} || y == 0) s = s * 2;')
        if r.random() < 0.3:
            s.append(f'if (x < {r.choice((1, 3, self.w // 2))}) {{ push(s); }} else {{ push(s + t); }}')
        elif r.random() < 0.2:
            s.append('t = t + s; push(t);')
        else:
            s.append('push(s);')
        return s

    def text(self):
        r, n = self.r, self.w * self.h
        xs = r.choice((f'int x = 0; x < {self.w}; x++', f'int x = 0; x < {self.w}; x++', f'int x = {self.w - 1}; x >= 0; x--'))
        ys = f'int y = 0; y < {self.h}; y++'
        pushes = n
        state = f'{self.kind} t;'
        # Firings of most programs are too large to go side by side.
        large = r.random() < 0.8
        field, local = (state, '') if r.random() < 0.3 else ('', state)
        return '\n'.join([
            f'{self.kind}->{self.kind} filter Borders {{', f'    int[5] w = {{1, -2, 3, 0, 5}}; {field}',
            f'    work pop {n} push {pushes} {{', f'        {self.kind}[{self.h}][{self.w}] a; {local}',
            f'        for ({ys}) for (int x = 0; x < {self.w}; x++) a[y][x] = peek(y * {self.w} + x);',
            *(['        %s[1100] more;' % self.kind, '        for (int i = 0; i < 1100; i++) more[i] = peek(i %% %d);' % n] if large else []),
            f'        for ({ys}) for ({xs}) {{', *['            ' + line for line in self.body()],
            *(['            t = more[x * y];'] if large else []), '        }',
            f'        for (int i = 0; i < {n}; i++) pop();', '    }', '}',
            f'{self.kind}->{self.kind} pipeline Main {{ add Borders; }}', ''])


def main():
    numbers, changed = seeds(), 0
    items = random.Random(numbers.start)
    inputs = {'int': struct.pack('<1500i', *[items.randint(-1000, 1000) for _ in range(1500)]),
              'float': struct.pack('<1500f', *[items.uniform(-1, 1) for _ in range(1500)])}
    for seed in numbers:
        p = Program(seed)
        passed, _ = compare(seed, p.text(), inputs[p.kind], 'canonicalize,borders')
        changed += '[borders]' in passed
    print(f'{len(numbers)} programs, {changed} changed')


main()
