# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random filters of few states that take ints which are 0 or 1, mostly, behind and beside others, compiled and compared with the interpreter.

    random-int-bits.py FIRST COUNT FOLDER
"""
import random
import struct

from compare import compare, seeds


def bits(r, name):
    n = r.choice((1, 3, 8, 8, 32))
    item = r.choice(('(x >> i) & 1', '(x >> i) & 1', '((x >> i) & 3) > 1 ? 1 : 0', '(x & (1 << i)) != 0 ? 1 : 0', '1 - ((x >> i) & 1)', '(x >> i) & 3'))
    return f'int->int filter {name} {{ work pop 1 push {n} {{ int x = pop(); for (int i = 0; i < {n}; i++) push({item}); }} }}'


def tree(r, name):
    # A decoder: a tree of so many inner nodes, each of which has two children.
    nodes, table = r.randint(1, 9), []
    open_nodes = [0]
    table = [None] * (2 * nodes)
    made = 1
    leaves = 0
    for node in range(nodes):
        for side in range(2):
            if made < nodes and (r.random() < 0.6 or (side == 1 and made == node + 1)):
                table[2 * node + side] = 2 * made
                made += 1
            else:
                table[2 * node + side] = 64 + leaves
                leaves += 1
    text = ', '.join(map(str, table))
    pop = r.choice(('*', f'[1, {nodes}]'))
    take = r.choice(('pop()', 'pop()', '(peek(0) + 0 * pop())' if pop != '*' else 'pop()'))
    return f'''int->int filter {name} {{
    int[{2 * nodes}] tree = {{{text}}};
    work pop {pop} push 1 {{ int node = 0; while (node < 64) node = tree[node + ({take} & 1)]; push(node - 64); }}
}}'''


def runs(r, name):
    limit = r.randint(1, 6)
    push = r.choice(('n', 'n * 3 - 7', 'n + 100000'))
    return f'int->int filter {name} {{ int n; work pop 1 push [0, 1] {{ if (pop() == 1) n = n + 1; else n = 0; if (n > {limit}) {{ push({push}); n = {r.randint(0, 1)}; }} }} }}'


def level(r, name):
    new = r.choice(('1 - level', '(level + b) % 3', 'level ^ b', 'b'))
    return f'int->int filter {name} {{ int level; work pop 1 push {r.choice((1, 2))} {{ int b = pop(); if (b == {r.randint(0, 1)}) level = {new}; push(level); PUSH }} }}'


def fixed(text):
    return text.replace('PUSH', 'push(1 - level);' if 'push 2' in text else '')


def words(r, name):
    return f'int->int filter {name} {{ int s; work pop 2 peek 3 push 2 {{ s = s * 3 + peek(2); int a = pop(); push(s + a); push(pop() + 1); }} }}'


def program(seed):
    r = random.Random(seed)
    filters, body = [bits(r, 'A')], ['add A;']
    filters.append(fixed(r.choice((tree, runs, level))(r, 'B')))
    filters.append(fixed(r.choice((tree, runs, level, words))(r, 'C')))
    filters.append(bits(r, 'D'))
    middle = r.random()
    if middle < 0.3:
        body.append('add Identity<int>;')
    elif middle < 0.5:
        body.append('add splitjoin { split roundrobin; add Identity<int>; add Identity<int>; join roundrobin; }')
    end = r.random()
    if end < 0.4:
        body.append('add B;')
    elif end < 0.7:
        body.append('add splitjoin { split duplicate; add B; add C; join roundrobin; }')
    else:
        body.append('add splitjoin { split duplicate; add B; add pipeline { add C; add D; add B; } join roundrobin(1, 2); }')
    return '\n'.join(filters) + '\nint->int pipeline Main { ' + ' '.join(body) + ' }\n'


# A firing that takes more items than it declares stops all; branches whose rates do not fit are refused.
def main():
    numbers = seeds()
    items = random.Random(numbers.start)
    given = struct.pack('<700i', *[items.randrange(-2 ** 31, 2 ** 31) for _ in range(700)])
    changed = looked_up = 0
    for seed in numbers:
        said = compare(seed, program(seed), given, 'canonicalize,int-bits', lambda said: True)
        if said is not None:
            changed += '[int-bits]' in said[0]
            looked_up += '[steps]' in said[1]
    print(f'{len(numbers)} programs, {changed} changed, {looked_up} look up')


main()
