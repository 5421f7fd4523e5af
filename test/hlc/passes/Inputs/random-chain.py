# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random rows and splitjoins of small filters with state, chained and compared with the interpreter.

    random-chain.py FIRST COUNT FOLDER
"""
import math
import random
import struct

from compare import compare, seeds


class Graph:
    """Streams whose items go through filters; each tells how many items it takes and gives."""

    def __init__(self, r):
        self.r, self.filters = r, []

    def filter(self, pop, push):
        """One with state, without, or one that keeps an item; it looks at its items before it takes them, or behind.

        Some look at those of the next firings, too.
        """
        r, name = self.r, f'F{len(self.filters)}'
        kind = r.choice(('waits', 'waits', 'waits', 'plain', 'keeps', 'counts'))
        lines, values = [], []
        first = r.randint(0, pop)
        ahead = r.randint(1, 4) if r.random() < 0.2 else 0
        if ahead:
            lines.append(f'float far = peek({pop + ahead - 1}) - 0.5 * peek({r.randint(0, pop)});')
        for i in range(pop):
            if i == first:
                lines += [f'float p{k} = peek({k - i});' for k in range(i, pop)]
            lines.append(f'float x{i} = pop();')
            values.append(f'x{i}' if i < first or r.random() < 0.5 else f'p{i}')
        if ahead:
            values[r.randrange(pop)] = 'far'
        total = ' + '.join(f'{r.randint(1, 9) / 8} * {v}' for v in values)
        if kind == 'waits':
            lines.append(f's = {r.randint(-7, 7) / 8} * s + {total};')
            if r.random() < 0.3:
                lines.append(f'if (s > {r.randint(1, 5)}) s -= {r.randint(1, 3)};')
        elif kind == 'counts':
            lines.append('n++; if (n == 5) n = 0;')
        result = {'waits': 's', 'plain': '1', 'keeps': 's', 'counts': 'n'}[kind]
        for i in range(push):
            lines.append(f'push({r.randint(1, 5) / 4} * {values[i % pop]} - {result});')
        if kind == 'keeps':
            lines.append(f's = {r.choice(values)};')
        self.filters.append(f'float->float filter {name} {{ float s = {r.randint(0, 4) / 4}; int n; '
                            f'work pop {pop} push {push}{f" peek {pop + ahead}" if ahead else ""} '
                            f'{{ {" ".join(lines)} }} }}')
        return f'add {name};', pop, push

    def special(self):
        r = self.r
        kind = r.randint(0, 3)
        if kind == 3:
            n = r.randint(2, 5)
            return f'add Frame({n}, {r.randint(1, 7) / 8});', n + 1, n + 1
        if kind == 0:
            return 'add Identity<float>;', 1, 1
        if kind == 1:
            return f'add Delay({r.randint(1, 3)});', 1, 1
        return f'add Ring({r.randint(1, 3)}, {r.randint(1, 7) / 8});', 1, 1

    def stream(self, depth):
        r = self.r
        if depth > 0 and r.random() < 0.3:
            return self.splitjoin(depth - 1)
        if depth > 1 and r.random() < 0.4:
            return self.row(r.randint(1, 3), depth - 1)
        if r.random() < 0.25:
            return self.special()
        pop, push = r.choice(((1, 1), (1, 1), (1, 1), (2, 2), (2, 1), (1, 2), (3, 2), (2, 3)))
        return self.filter(pop, push)

    def row(self, count, depth):
        text, takes, gives = '', 1, 1
        for _ in range(count):
            own, pop, push = self.stream(depth)
            common = math.lcm(gives, pop)
            takes, gives = takes * common // gives, push * common // pop
            text += own + ' '
        return f'add pipeline {{ {text}}};', takes, gives

    def splitjoin(self, depth):
        r = self.r
        branches = [self.stream(depth) for _ in range(r.randint(2, 3))]
        takes = math.lcm(*[b[1] for b in branches])
        weights = [b[2] * takes // b[1] for b in branches]
        d = math.gcd(*weights) if r.random() < 0.5 else 1
        weights = [w // d for w in weights]
        text = ' '.join(b[0] for b in branches)
        split = 'duplicate' if r.random() < 0.9 else 'roundrobin(' + ', '.join(str(b[1]) for b in branches) + ')'
        if split != 'duplicate':
            weights = [b[2] for b in branches]
            takes, d = sum(b[1] for b in branches), 1
        # In a firing of the joiner, or of several that give what comes of `takes` items.
        return (f'add splitjoin {{ split {split}; {text} join roundrobin({", ".join(map(str, weights))}); }};', takes,
                sum(weights) * d)


def program(seed):
    r = random.Random(seed)
    g = Graph(r)
    text = g.row(r.randint(2, 5), 3)[0]
    return f"""float->float filter Delay(int n) {{
    prework push n {{ for (int i = 0; i < n; i++) push(0.25); }}
    work pop 1 push 1 {{ push(pop()); }}
}}
float->float feedbackloop Ring(int n, float a) {{
    join roundrobin(1, 1);
    body float->float filter {{ work pop 2 push 1 {{ float x = pop(); push(x - a * pop()); }} }};
    loop Identity<float>;
    split duplicate;
    for (int i = 0; i < n; i++) enqueue 0.5 * i;
}}
float->float filter Frame(int n, float a) {{
    float s;
    work pop n + 1 push n + 1 {{
        float g = pop();
        for (int i = 0; i < n; i++) {{
            s = a * s + pop() * g;
            if (s > 2) s -= 1.5;
            push(s);
        }}
        push(g - s);
    }}
}}
{chr(10).join(g.filters)}
float->float pipeline Main {{ {text} }}
"""


def main():
    numbers = seeds()
    items = random.Random(numbers.start)
    changed = 0
    for seed in numbers:
        given = struct.pack('<301f', *[items.uniform(-2, 2) for _ in range(301)])[:4 * items.choice((0, 1, 2, 5, 7, 40, 301))]
        said = compare(seed, program(seed), given, 'canonicalize,rings,windows,chain', lambda text: False)
        changed += said is not None and ('in locals [chain]' in said[0] or 'frame\'s items' in said[0])
    print(f'{len(numbers)} programs, {changed} changed')


main()
