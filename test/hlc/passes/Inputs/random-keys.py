# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random branches that do the same but for look-ups by a number of few values, compiled and compared with the interpreter.

    random-keys.py FIRST COUNT FOLDER
"""
import random
import struct

from compare import compare, seeds


def program(seed):
    r = random.Random(seed)
    n, m, bits = r.choice((13, 24, 40)), r.choice((4, 9, 16)), r.choice((3, 5, 8, 8))
    values = 1 << bits
    w, v = ([r.randint(0, values - 1) if r.random() < 0.9 else r.randint(-9, values) for _ in range(size)] for size in (values, values + 64))
    ask = r.choice(('f != 0', 'f == 0', f'f > {r.randint(0, values)}', f'f <= {r.randint(0, values)}', 'f < 0'))
    product = r.choice(('v[w[f] & 31]', 'v[(w[f] & 31) + j]', 'v[f]', 'w[f] * v[j]', 'w[f] / v[f]', 'v[f + j]', 'by ^ j', 'v[(by + j) & 31]', 'peek(0) & 3'))
    op = r.choice(('^', '^', '+', '|', '-', '*'))
    up = r.random() < 0.5
    head = r.choice((f'for (int j = {m - 1}; j > 0; j--)', f'for (int j = 1; j < {m}; j++)'))
    at, of = ('b[j]', 'b[j - 1]') if r.random() < 0.7 else ('b[j]', 'b[j]')
    if r.random() < 0.3:
        head, at, of = f'for (int j = 0; j < {m - 1}; j++)', 'b[j]', 'b[j + 1]'
    last = product.replace('j', str(r.randint(0, m - 1)))
    one = [f'int by = w[f];', f'{head} {at} = {of} {op} {product};', f'b[0] = {last};']
    two = [f'{head} {at} = {of};', f'b[0] = {r.choice(("0", "f", "1"))};']
    if r.random() < 0.25: # nothing else
        one, two = [f'int by = w[f];', f's = s {op} {last};'], []
    if r.random() < 0.2:
        two = two[::-1]
    if up:
        one, two = two, one
    other = f' else {{ {" ".join(two)} }}' if two else ''
    if not one:
        one, other = ['s = s;'], f' else {{ {" ".join(two)} }}'
    key = r.choice((f'(x ^ b[{m - 1}]) & {values - 1}', f'(x & {values - 1}) ^ b[{m - 1}]', f'x & {values - 1}', f'(x >> 3) & {values - 1}'))
    mask = f'b[0] = b[0] & {values - 1};' if r.random() < 0.5 else ''
    field, local = (f'int[{m}] b;', '') if r.random() < 0.15 else ('', f'int[{m}] b;')
    # Elements of another array as keys, now and then of one that is used otherwise, too.
    elements, each = '', ''
    if r.random() < 0.5:
        made = product.replace('peek(0)', 'f').replace('by', 'e[j]').replace('f', 'e[j]')
        asked = ask.replace('f', 'e[j]')
        rest = r.choice(('', f' else e[j] = {r.choice(("3", "e[j] + 1", "j"))};', f' else e[{r.randint(0, 2)}] = 1;' if r.random() < 0.4 else ''))
        elements = 'int[3] e; for (int i = 0; i < 3; i++) e[i] = i;'
        each = f'for (int j = 0; j < 3; j++) {{ if ({asked}) e[j] = ({made}) & {values - 1};{rest} e[j] = (e[j] ^ x) & {values - 1}; s = s * 3 + e[j]; }}'
    table = lambda t: '{' + ', '.join(map(str, t)) + '}'
    return f"""int->int filter Keys {{
    int[{values}] w = {table(w)}; int[{values + 64}] v = {table(v)}; {field}
    work pop {n} peek {n + 1} push {n + m} {{
        {local} int s = 0; {elements}
        for (int i = 0; i < {m}; i++) b[i] = 0;
        for (int i = 0; i < {n}; i++) {{
            int x = pop();
            int f = {key};
            if ({ask}) {{ {' '.join(one)} }}{other}
            {mask} {each}
            push(s + b[{m - 1}]);
        }}
        for (int i = 0; i < {m}; i++) push(b[i]);
    }}
}}
int->int pipeline Main {{ add Keys; }}
"""


# A division by zero or a subscript outside stops all: what they say is not compared.
def is_stop(said):
    return 'zero' in said or 'outside' in said or 'out of' in said


def main():
    numbers = seeds()
    items = random.Random(numbers.start)
    given = struct.pack('<1201i', *[items.choice((0, items.randint(-2 ** 31, 2 ** 31 - 1))) for _ in range(1201)])
    changed = jammed = 0
    for seed in numbers:
        said = compare(seed, program(seed), given, 'canonicalize,tabulate', is_stop)
        if said is not None:
            changed += 'both branches' in said[0]
            jammed += 'wait together' in said[1]
    print(f'{len(numbers)} programs, {changed} changed, {jammed} wait together')


main()
