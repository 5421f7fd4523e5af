# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loop nests that go on with sums in an array's elements, compiled and compared with the interpreter.

    random-nests.py FIRST COUNT FOLDER
"""
import random
import struct

from compare import compare, seeds


def loops(r, sizes):
    """The heads of a nest over the variables, some by blocks, in an order in which blocks come before what is in them."""
    heads = []
    for v, n in sizes.items():
        blocks = [b for b in (4, 8, 16, n // 2) if n % b == 0]
        if r.random() < 0.6:
            b = r.choice(blocks)
            heads.append((v, [f'for (int {v}{v} = 0; {v}{v} < {n}; {v}{v} += {b})',
                              f'for (int {v} = {v}{v}; {v} < {v}{v} + {b}; {v}++)']))
        else:
            heads.append((v, [f'for (int {v} = 0; {v} < {n}; {v}++)']))
    return heads


def program(seed):
    r = random.Random(seed)
    sizes = {'i': r.choice((8, 24, 32)), 'j': r.choice((16, 32, 48)), 'k': r.choice((8, 32, 36))}
    if r.random() < 0.2:
        sizes['l'] = r.choice((4, 8))
    n, m, k = sizes['i'], sizes['j'], sizes['k']
    heads = loops(r, sizes)
    a, b, c = r.choice(('a[i][k]', 'a[i][k]', 'peek(i)')), r.choice(('b[k][j]', 'b[k][j]', 'b[j][k]')), 'c[i][j]'
    if r.random() < 0.1:
        a = 'c[i][(j + 1) % 16]'
    by_blocks = any(v == 'i' and len(parts) > 1 for v, parts in heads)
    term = f'{a} * {b}' + (' + l' if 'l' in sizes else '') + r.choice(('', '', ' - ii') if by_blocks else ('',))
    swapped = b == 'b[j][k]'
    form = r.choice(('sum', 'direct', 'direct', 'if', 'two'))
    last = None
    if form == 'sum':
        last = next(h for h in heads if h[0] == 'k')
        if len(last[1]) == 1:
            heads.remove(last)
            order = []
        else:
            order = [last[1][0]]
            heads.remove(last)
    else:
        order = []
    waiting = [list(h[1]) for h in heads]
    merged = [[h] for h in order]
    queues = waiting + merged
    order = []
    while any(queues):
        q = r.choice([q for q in queues if q])
        order.append(q.pop(0))
    if form == 'sum':
        body = f'{{ float sum = {c}; {last[1][-1]} sum += {term}; {c} = sum; }}'
    elif form == 'direct':
        body = f'{c} = {c} + {term};'
    elif form == 'if':
        body = f'if ({b} > 0.3) {c} += {term}; else {c} -= 0.5;'
    else:
        body = f'{{ float t = {term}; {c} += t; {c} *= 0.96875; }}'
    array = r.random() < 0.25
    field = f'float[{n}][{m}] c;' if array else ''
    local = '' if array else f'float[{n}][{m}] c;'
    # Half of the programs pop what fills the arrays, and go on with the pass 'in-place'.
    pops = 'peek' not in term and r.random() < 0.5
    item_a, item_b = ('pop()', 'pop()') if pops else (f'peek(i * {k} + k)', f'peek({n * k} + i * {k if swapped else m} + j)')
    more = 'i * 0.5' if pops else f'peek(i % {n * k})'
    end = '' if pops else f'for (int i = 0; i < {n * k + m * k}; i++) pop();'
    return f"""float->float filter Nest {{
    {field}
    work pop {n * k + m * k} push {n * m} {{
        float[{n}][{k}] a; float[{m if swapped else k}][{k if swapped else m}] b; {local} float[1100] more;
        for (int i = 0; i < {n}; i++) for (int k = 0; k < {k}; k++) a[i][k] = {item_a};
        for (int i = 0; i < {m if swapped else k}; i++)
            for (int j = 0; j < {k if swapped else m}; j++) b[i][j] = {item_b};
        for (int i = 0; i < {n}; i++) for (int j = 0; j < {m}; j++) c[i][j] = a[i][j % {k}] * 0.25;
        for (int i = 0; i < 1100; i++) more[i] = {more};
        {' '.join(order)} {body}
        for (int i = 0; i < {n}; i++) for (int j = 0; j < {m}; j++) push(c[i][j] + more[i * {m} + j & 1023]);
        {end}
    }}
}}
float->float pipeline Main {{ add Nest; }}
"""


def main():
    numbers, changed = seeds(), 0
    items = random.Random(numbers.start)
    given = struct.pack('<12000f', *[items.uniform(-1, 1) for _ in range(12000)])
    for seed in numbers:
        passed, _ = compare(seed, program(seed), given, 'canonicalize,in-place,interchange')
        changed += 'in one go [interchange]' in passed
    print(f'{len(numbers)} nests, {changed} changed')


main()
