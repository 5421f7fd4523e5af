# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements of numbers of few values, compiled and compared with the interpreter.

    random-regions.py FIRST COUNT FOLDER
"""
import random
import struct

from compare import compare, seeds


class Body:
    """Statements over ints that are in scope; what they set has few bits more often than not."""

    def __init__(self, r):
        self.r, self.names, self.loops, self.number = r, ['k', 'm'], [], 0

    def new(self):
        self.number += 1
        return f'v{self.number}'

    def value(self, depth=0):
        r = self.r
        if depth > 3 or r.random() < 0.25:
            return r.choice([str(r.randint(-3, 40)), r.choice(self.names), r.choice(self.names), *self.loops])
        a, b = self.value(depth + 1), self.value(depth + 1)
        return r.choice((f'({a} + {b})', f'({a} ^ {b})', f'({a} & {b})', f'({a} | {b})', f'({a} - {b})', f'({a} * {r.randint(2, 5)})',
                         f'({a} >> {r.randint(0, 6)})', f'({a} << {r.randint(0, 3)})', f'w[({a}) & 15]', f'w[({a}) & 15]',
                         f'({a} % {r.randint(1, 9)})', f'({a} / {r.choice((1, 3, 7))})', f'({a} > {b} ? {a} : {b})',
                         f'({a} / ({b}))' if r.random() < 0.03 else f'({a} & {r.randint(1, 31)})'))

    def condition(self):
        return f'{self.value(2)} {self.r.choice(("==", "!=", "<", ">", "<=", ">="))} {self.value(2)}'

    def statements(self, depth=0):
        r, lines = self.r, []
        scope = len(self.names)
        for _ in range(r.randint(1, 4)):
            kind = r.random()
            if kind < 0.35:
                name, value = self.new(), self.value()
                lines.append(f'int {name} = {value}{r.choice(("", "", f" & {r.choice((1, 3, 7, 15, 63))}"))};')
                self.names.append(name)
            elif kind < 0.65:
                name = r.choice(self.names[2:] or ['k'])
                value = self.value()
                lines.append(f'{name} = {value}{r.choice(("", f" & {r.choice((1, 7, 15, 31))}", f" & {r.choice((3, 15, 255))}"))};'.replace(f'= {value} &', f'= ({value}) &'))
            elif kind < 0.8 and depth < 3:
                lines.append(f'if ({self.condition()}) {{ {self.statements(depth + 1)} }}')
                if r.random() < 0.5:
                    lines[-1] += f' else {{ {self.statements(depth + 1)} }}'
            elif kind < 0.92 and depth < 3:
                i = f'i{self.number}'
                self.number += 1
                self.loops.append(i)
                lines.append(f'for (int {i} = {r.randint(0, 2)}; {i} < {r.randint(2, 9)}; {i}++) {{ {self.statements(depth + 1)} }}')
                self.loops.pop()
            elif depth < 3:
                name = self.new()
                lines.append(f'int {name} = ({self.value()}) & {r.choice((7, 31))}; while ({name} > {r.randint(0, 3)}) {{ {self.halving(name)} }}')
                self.names.append(name)
        self.names = self.names[:scope]
        return ' '.join(lines)

    def halving(self, name):
        other = self.r.choice(self.names)
        return self.r.choice((f'{name} = {name} >> 1; {other} = ({other} + 1) & 15;', f'{name}--;', f'{name} = {name} / 2; {other} = {other} ^ 1;'))


def program(seed):
    r = random.Random(seed)
    b = Body(r)
    w = ', '.join(str(r.randint(0, 63) if r.random() < 0.9 else r.randint(-9, 300)) for _ in range(16))
    masks = r.choice((3, 15, 63)), r.choice((1, 7, 15, 63, 1023))
    carried = r.random() < 0.4
    first, second = b.statements(), b.statements(1)
    declare = f'int c = {r.randint(0, 3)};' if carried else ''
    return f"""int->int filter Regions {{
    int[16] w = {{{w}}};
    int more;
    work pop 6 push 7 {{
        {declare}
        for (int t = 0; t < 6; t++) {{
            int x = pop();
            int k = x & {masks[0]};
            int m = (x >> 6) & {masks[1]};
            {'k = (k ^ c) & ' + str(masks[0]) + ';' if carried else ''}
            {first}
            {second}
            {'c = (k + t) & 7;' if carried else ''}
            push({r.choice(('k', 'm', 'k + 64 * m', 'k ^ m'))} + more);
            {'more = (more + m) & 7;' if r.random() < 0.3 else ''}
        }}
        push({'c' if carried else '0'});
    }}
}}
int->int pipeline Main {{ add Regions; }}
"""


# A division by zero or a subscript outside stops all: what they say is not compared.
def is_stop(said):
    return 'zero' in said or 'outside' in said or 'out of' in said


def main():
    numbers = seeds()
    items = random.Random(numbers.start)
    given = struct.pack('<301i', *[items.randint(-2 ** 31, 2 ** 31 - 1) for _ in range(301)])
    changed = stopped = 0
    for seed in numbers:
        said = compare(seed, program(seed), given, 'canonicalize,tabulate', is_stop)
        stopped += said is None
        changed += said is not None and 'is looked up' in said[0]
    print(f'{len(numbers)} programs, {changed} changed, {stopped} stopped')


main()
