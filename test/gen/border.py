#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Brook kernels as filters of a stream program, against the evaluator of brook.py.

Each stream program has a branch for each kernel of a random file, whose elements come from a table; what the branches
give is written as raw floats and compared, scalar by scalar, with what the kernels give for host code. Reductions
likewise. Elements for which an operation gives an infinity or no number are not compared.

    border.py --count=100 --kernels=20"""

import argparse
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import brook

brook.EXTENTS = [(70,)]  # a channel has one dimension


class Program(brook.Program):
    """The kernels, without host code and without calls of what others give."""

    def add_calls(self, name, width, values, helpers):
        self.expected.append((name, width, [x for v in values for x in (v if v is not None else [None] * width)]))

    def add_reduction(self, name, helpers):
        super().add_reduction(name, helpers)
        self.folded = self.expected.pop()[1]

    def kernels(self):
        return '\n'.join(self.text) + '\n'

    def streams(self, file):
        listed = lambda v: '{' + ', '.join(repr(x) for x in v) + '}'
        a, b, h = self.data['a'], self.data['b'], self.data['h']
        both = []
        for at in range(self.count):
            small = at * self.half[0] // self.count
            both += a[4 * at:4 * at + 4] + b[2 * small:2 * small + 2]
        rows = '{' + ', '.join(listed(h[4 * i:4 * i + 4]) for i in range(3)) + '}'
        lines = [f'import "{file}";', 'static {', f'    float[{len(both)}] both = {listed(both)};',
                 f'    float[{len(a)}] alone = {listed(a)};', f'    float[6] g = {listed(self.data["g"])};',
                 f'    float[3][4] h = {rows};', f'    float[2] ut = {listed(self.ut)};', '}']
        for source, table, items in (('Both', 'both', 6), ('Alone', 'alone', 4)):
            lines += [f'void->float filter {source} {{', '    int at;', f'    work push {items} {{',
                      f'        for (int i = 0; i < {items}; i++)', f'            push({table}[at * {items} + i]);',
                      f'        at = (at + 1) % {self.count};', '    }', '}']
        lines += ['void->float splitjoin Maps {', '    split roundrobin(0);']
        for name, _, _ in self.expected:
            lines.append(f'    add pipeline {{ add Both; add {name}({self.us[0]!r}, ut, g, h); }};')
        widths = ', '.join(str(width) for _, width, _ in self.expected)
        lines += [f'    join roundrobin({widths});', '}',
                  f'void->float pipeline Fold {{ add Alone; add fold({self.count}); }}', '']
        return '\n'.join(lines)

    def wanted(self):
        """What comes out: of each element the kernels' outputs, one after the other."""
        out = []
        for at in range(self.count):
            for name, width, values in self.expected:
                out += [(name, at, v) for v in values[at * width:at * width + width]]
        return out


def execute(options, way, source, top, out, states):
    """What went wrong, or nothing."""
    if way == '--interpret':
        return subprocess.run([options.svmc, '-w', '--interpret', f'--top={top}', source, f'-i{states}', f'--out={out}'],
                              capture_output=True, text=True).stderr
    program = out + '.exe'
    said = subprocess.run([options.svmc, '-w'] + way.split() + [f'--top={top}', source, '-o', program],
                          capture_output=True, text=True).stderr
    if said == '':
        said = subprocess.run([program, '-i', str(states), f'--out={out}'], capture_output=True, text=True).stderr
    return said


def compare(out, wanted):
    with open(out, 'rb') as f:
        given = f.read()
    values = struct.unpack(f'<{len(given) // 4}f', given)
    if len(values) < len(wanted):
        return f'{len(values)} of {len(wanted)} numbers'
    for (name, at, want), got in zip(wanted, values):
        if want is not None and got != want:
            return f'{name}: element {at} is {got!r}, expected {want!r}'
    return ''


def check(seed, options, folder):
    program = Program(seed, options.kernels)
    kernels, source = os.path.join(folder, 'kernels.br'), os.path.join(folder, 'program.str')
    with open(kernels, 'w') as f:
        f.write(program.kernels())
    with open(source, 'w') as f:
        f.write(program.streams('kernels.br'))
    maps, fold = program.wanted(), [('fold', 0, v) for v in program.folded]
    failures = []
    for way in options.ways:
        for top, wanted, states in (('Maps', maps, program.count), ('Fold', fold, 1)):
            out = os.path.join(folder, 'out.raw')
            said = execute(options, way, source, top, out, states) or compare(out, wanted)
            if said:
                failures.append(f'{way}: {top}: {said[:500]}')
    numbers = [v for _, _, v in maps + fold]
    return failures, sum(v is not None for v in numbers), len(numbers), program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--svmc', default='svmc')
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--count', type=int, default=10, help='of programs')
    parser.add_argument('--kernels', type=int, default=8, help='of each program')
    parser.add_argument('--way', dest='ways', action='append', help='--interpret or options of svmc; several: each in turn')
    parser.add_argument('--keep', help='a folder for programs that fail')
    options = parser.parse_args()
    options.ways = options.ways or ['--interpret', '-O0', '-O3']
    failed = compared = numbers = 0
    for seed in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory(prefix='svmc-border-') as folder:
            failures, some, all_of_them, program = check(seed, options, folder)
            for f in failures:
                print(f'seed {seed}: {f}', flush=True)
            if failures and options.keep:
                os.makedirs(options.keep, exist_ok=True)
                for name, text in ((f'{seed}.br', program.kernels()), (f'{seed}.str', program.streams(f'{seed}.br'))):
                    with open(os.path.join(options.keep, name), 'w') as f:
                        f.write(text)
        failed, compared, numbers = failed + bool(failures), compared + some, numbers + all_of_them
    print(f'{options.count} programs of {options.kernels} kernels, {failed} failed; '
          f'{compared} of {numbers} numbers were compared')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
