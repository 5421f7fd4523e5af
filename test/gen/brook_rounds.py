# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Brook host programs whose calls in loops may wait for the next one: brook.py --kind=rounds.

Streams of about 64 KiB go through kernels that gather rows, in loops that also swap, read, write and copy streams, and that
end early. Numbers are small whole ones, so that Python has the sums that floats have. What is in each stream behind a loop is
printed as a checksum."""

import random


class Kernel:
    """Each output is a sum of rows that it gathers, times numbers, of its column and of other streams at its row."""

    def __init__(self, r, name, width, rows):
        self.name, self.width = name, width
        self.outputs = r.choice((1, 1, 1, 2, 2, 4))
        self.rows = rows // self.outputs  # of each
        self.shape = r.choice(('one', 'xor', 'clamped')) if self.outputs == 1 else r.choice(('halves', 'stage', 'blocks'))
        self.lines = {'one': 1, 'xor': 2, 'clamped': r.randint(1, 2)}.get(self.shape, self.outputs)
        self.weights = [[r.choice((-1, 1)) for _ in range(self.lines)] for _ in range(self.outputs)]
        self.column, self.table = r.choice((0, 0, 1)), r.random() < 0.4
        self.other, self.test = r.random() < 0.3, r.random() < 0.3
        self.shift = r.choice((0, -3, 5))

    # What is gathered at row y; k is the call's number. Those of 'other' are at the row itself.
    def row(self, line, y, k):
        n = self.rows
        if self.shape == 'one':
            return n - 1 - y + self.shift
        if self.shape == 'clamped':
            return y + (k if line else -k)
        if self.shape == 'xor':
            return y if line == 0 else y + k - 2 * k * (y // k - 2 * (y // (2 * k)))
        if self.shape == 'halves':
            return y + line * n
        if self.shape == 'stage':
            return y + y // k * k * (self.lines - 1) + line * k
        return y * self.lines + line

    def text(self):
        t = 'float' if self.width == 1 else f'float{self.width}'
        rows = {'one': [f'{self.rows - 1 + self.shift} - p.y'], 'clamped': ['p.y - k', 'p.y + k'],
                'xor': ['p.y', 'p.y + k - 2 * k * (floor(p.y / k) - 2 * floor(p.y / (2 * k)))'],
                'halves': [f'p.y + {i * self.rows}' for i in range(self.lines)],
                'stage': [f'p.y + floor(p.y / k) * k * {self.lines - 1} + {i} * k' for i in range(self.lines)],
                'blocks': [f'p.y * {self.lines} + {i}' for i in range(self.lines)]}[self.shape]
        params = ['float k', 'float add', f'{t} t[][]', f'{t} w[]' if self.table else '', f'{t} u[][]' if self.other else '']
        params += [f'out {t} o{i}<>' for i in range(self.outputs)]
        lines = [f'kernel void {self.name}({", ".join(p for p in params if p)}) {{', '    float2 p = indexof(o0).xy;']
        lines += [f'    {t} v{i} = t[float2(p.x, {rows[i]})];' for i in range(self.lines)]
        for i, weights in enumerate(self.weights):
            value = ' + '.join(f'{w} * v{k}' for k, w in enumerate(weights)).replace('+ -', '- ')
            value += ' + add' + ' + p.x' * self.column + ' + w[p.y]' * self.table + ' + u[p]' * self.other
            lines.append(f'    {t} s{i} = {value};')
            lines.append(f'    if (p.y > k) o{i} = s{i}; else o{i} = s{i} - 1;' if self.test else f'    o{i} = s{i};')
        return lines + ['}']

    def compute(self, k, add, t, w, u, order, target):
        """Rows of `target`, which are lists; outputs take its places in the order given."""
        columns, most = len(t[0]) // self.width, len(t) - 1
        across = [add + (c if self.column else 0) for c in range(columns) for _ in range(self.width)]
        made = [None] * len(target)
        for y in range(self.rows):
            base = across if not self.test or y > k else [x - 1 for x in across]
            if self.table:
                base = [x + f for x, f in zip(base, w[min(y, len(w) - 1)] * columns)]
            if self.other:
                base = [x + f for x, f in zip(base, u[min(y, len(u) - 1)])]
            values = [t[min(max(self.row(i, y, k), 0), most)] for i in range(self.lines)]
            for place, weights in zip(order, self.weights):
                row = base
                for weight, v in zip(weights, values):
                    row = [x + e for x, e in zip(row, v)] if weight > 0 else [x - e for x, e in zip(row, v)]
                made[place * self.rows + y] = row
        target[:] = made


class RoundsProgram:
    MOST = 1 << 21  # numbers from which sums would round

    def __init__(self, seed, kernels):
        self.r = random.Random(seed ^ 0x4057)
        self.text, self.functions, self.main, self.expected = [], [], [], []
        self.compares = 0
        for n in range(max(1, kernels // 2)):
            self.function(n)

    def function(self, n):
        r = self.r
        self.width = r.choice((1, 2, 4))
        self.rows = r.choice((128, 128, 256, 64))
        columns = max(64 // self.width, (65536 // (self.rows * self.width * 4)) + r.choice((0, 0, 0, 1, 3, 32)))
        t = 'float' if self.width == 1 else f'float{self.width}'
        self.name, self.wide = f'f{n}', columns * self.width
        self.kernels = [Kernel(r, f'k{n}_{i}', self.width, self.rows) for i in range(r.randint(1, 2))]
        for k in self.kernels:
            self.text += k.text()
        self.text.append(f'kernel void copy{n}({t} a<>, out {t} o<>) {{ o = a; }}')
        self.text.append(f'reduce void least{n}({t} a<>, reduce {t} r<>) {{ r = min(a, r); }}')
        self.columns = columns
        self.streams = {s: [self.filled(y, i) for y in range(self.rows)] for i, s in enumerate('abc')}
        self.table = [self.filled(y, 9)[:self.width] for y in range(self.rows)]
        self.largest = 20
        self.lines = [f'static void f{n}(void)', '{', f'    {t} a<{self.rows},{columns}>, b<{self.rows},{columns}>, '
                      f'c<{self.rows},{columns}>, w<{self.rows}>, x;', '    int i, j, n = 0;']
        self.lines += [f'    fill({self.rows}, {self.wide}, {i}); streamRead({s}, host);' for i, s in enumerate('abc')]
        self.lines += [f'    fill({self.rows}, {self.width}, 9); streamRead(w, host); fill({self.rows}, {self.wide}, 4);',
                       '    (void)i; (void)j; (void)x; (void)n;']
        for k in range(r.randint(1, 3)):
            self.loop(k)
        self.functions += self.lines + ['}']
        self.main.append(f'    f{n}();')

    def filled(self, y, what):
        return [(y * 7 + x * 5 + what * 3) % 41 - 20 for x in range(self.wide)]

    # A statement is its text and what it does in trip i.
    def call(self):
        r, k = self.r, self.r.choice(self.kernels)
        source, target = r.sample('abc', 2)
        other = r.choice([s for s in 'abc' if s != target])
        order = list(range(k.outputs))
        if r.random() < 0.3:
            r.shuffle(order)
        powers = k.shape in ('xor', 'stage')
        step = r.choice((1, 2, 4, 8)) if powers else r.randint(0, 4)
        halves = powers and r.random() < 0.5
        number = f'({k.rows // 2} >> i)' if halves else str(step)
        views = [target] if k.outputs == 1 else [
            f'{target}.domain(int2(0, {p * k.rows}), int2({self.columns}, {(p + 1) * k.rows}))' for p in order]
        args = [f'(float){number}', '(float)i', source] + ['w'] * k.table + [other] * k.other + views

        def do(i):
            count = k.lines + 2
            self.largest = self.largest * count + self.columns + i
            if self.largest > self.MOST:
                raise OverflowError
            s = self.streams
            k.compute(k.rows // 2 >> i if halves else step, i, s[source], self.table, s[other], order, s[target])
        return f'{k.name}({", ".join(args)});', do

    def swap(self):
        a, b = self.r.sample('abc', 2)

        def do(i):
            self.streams[a], self.streams[b] = self.streams[b], self.streams[a]
        return f'streamSwap({a}, {b});', do

    def read(self):
        s, first, rows = self.r.choice('abc'), self.r.randrange(self.rows), self.r.randint(1, 3)
        last = min(self.rows, first + rows) if self.r.random() < 0.7 else self.rows
        if self.r.random() < 0.2:
            first, last = 0, self.rows

        def do(i):
            for y in range(first, last):
                self.streams[s][y] = self.filled(y - first, 4)
        view = s if (first, last) == (0, self.rows) else f'{s}.domain(int2(0, {first}), int2({self.columns}, {last}))'
        return f'streamRead({view}, host);', do

    def table_read(self):
        def do(i):
            flat = [v for y in range(self.rows) for v in self.filled(y, 4)][:self.rows * self.width]
            self.table = [flat[y * self.width:(y + 1) * self.width] for y in range(self.rows)]
        return 'streamRead(w, host);', do

    def write(self):
        s = self.r.choice('abc')
        return f'streamWrite({s}, other);', lambda i: None

    def copy(self):
        a, b = self.r.sample('abc', 2)
        y, to = self.r.randrange(self.rows), self.r.randrange(self.rows)

        def do(i):
            self.streams[b][to] = list(self.streams[a][y])
        row = lambda s, at: f'{s}.domain(int2(0, {at}), int2({self.columns}, {at + 1}))'
        return f'copy{self.name[1:]}({row(a, y)}, {row(b, to)});', do

    def reduced(self):
        return f'least{self.name[1:]}({self.r.choice("abc")}, x);', lambda i: None

    def loop(self, k):
        r = self.r
        trips = r.randint(2, 5)
        body = [self.call()]
        for _ in range(r.randint(1, 4)):
            others = (self.read, self.table_read, self.write, self.copy, self.reduced)
            body.append(r.choices((self.call, self.swap) + others, (8, 8, 1, 1, 1, 1, 1))[0]())
        r.shuffle(body)
        when, at = r.randint(0, trips), r.randint(0, len(body))
        way = r.choice(('break', 'continue', f'goto out{k}', None, None))
        guarded = {r.randrange(len(body)): r.randint(0, trips - 1)} if r.random() < 0.3 else {}
        kept = {s: [list(row) for row in v] for s, v in self.streams.items()}
        table, largest = self.table, self.largest
        try:
            for i in range(trips):
                left = self.trip(i, body, guarded, at if way and i == when else None)
                if left and way != 'continue':
                    break
        except OverflowError:
            self.streams, self.table, self.largest = kept, table, largest
            return
        head = f'for (i = 0; i < {trips}; i++) {{'
        if way != 'continue':
            head = r.choice((head, f'i = 0; while (i < {trips}) {{', 'i = 0; do {'))
        lines = [f'    {head}']
        for n, (text, _) in enumerate(body):
            if way and n == at:
                lines.append(f'        if (i == {when}) {way};')
            lines.append(f'        {f"if (i == {guarded[n]}) " if n in guarded else ""}{text}')
        end = {'f': '    }', 'i': '        i++; }'}[head[0]]
        lines.append(end + f' while (i < {trips});' * head.endswith('do {'))
        self.lines += lines + ([f'out{k}: ;'] if way and way.startswith('goto') else [])
        self.show()

    @staticmethod
    def trip(i, body, guarded, end):
        """Whether it ends before the statement `end`."""
        for n, (_, do) in enumerate(body):
            if n == end:
                return True
            if n not in guarded or guarded[n] == i:
                do(i)
        return False

    def show(self):
        for s in self.r.sample('abc', 3):
            what = f'{self.name}_{s}_{len(self.expected)}'
            self.lines.append(f'    streamWrite({s}, other); show("{what}", {self.rows * self.wide});')
            h = 0
            for row in self.streams[s]:
                for v in row:
                    h = (h * 31 + v) & 0xffffffff
            self.expected.append((what, h))
            self.compares += self.rows * self.wide

    def source(self):
        head = ['#include <stdio.h>', 'static float host[65536], other[65536];'] + self.text
        head += ['static void fill(int rows, int wide, int what)', '{', '    int x, y;',
                 '    for (y = 0; y < rows; y++)', '        for (x = 0; x < wide; x++)',
                 '            host[y * wide + x] = (float)((y * 7 + x * 5 + what * 3) % 41 - 20);', '}',
                 'static void show(const char *what, int n)', '{', '    unsigned h = 0;', '    int i;',
                 '    for (i = 0; i < n; i++)', '        h = h * 31 + (unsigned)(int)other[i];',
                 '    printf("%s %u\\n", what, h);', '}']
        return '\n'.join(head + self.functions + ['int main(void)', '{'] + self.main + ['    return 0;', '}', ''])

    def problems(self, printed):
        lines = [line.split() for line in printed.splitlines()]
        if [line[0] for line in lines] != [name for name, _ in self.expected]:
            return ['the program ended early']
        return [f'{name}: {line[1]}, expected {value}' for line, (name, value) in zip(lines, self.expected)
                if int(line[1]) != value]

    def compared(self):
        return self.compares, self.compares
