# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A filter of 600 locals, and a loop of TRIPS trips in which COUNT ifs assign one each: borders-memory.py TRIPS COUNT"""
import sys

trips, count, names = int(sys.argv[1]), int(sys.argv[2]), 600
print('\n'.join([
    'int->int filter F {', f'    work pop {trips} push {names} {{',
    *[f'        int q{i} = peek({i});' for i in range(names)],
    f'        for (int i = 0; i < {trips}; i++) {{',
    *[f'            if (peek(i) > {k}) q{k} += i;' for k in range(count)],
    '            if (i > 3) q0 += 3;', '        }',
    *[f'        push(q{i});' for i in range(names)],
    f'        for (int i = 0; i < {trips}; i++) pop();', '    }', '}', 'int->int pipeline Main { add F; }']))
