# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs through a pass, and some compiled, whose output is compared with the interpreter's."""
import os
import random
import subprocess
import sys


class Stopped(Exception):
    """A command failed; what it said."""


def run(*command):
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Stopped(f'{command[0]}: {done.stderr}')
    return done.stderr


def content(path):
    with open(path, 'rb') as f:
        return f.read()


def compare(seed, text, items, passes, is_stop=lambda said: False):
    """Ends with an error where seed's program gives anything but what the interpreter gives. text, items: the program and
    its input; passes: what svm-opt runs; is_stop: whether the interpreter may stop and say that. Returns what svm-opt says,
    and svmc of each fourth program (else ''); None: the interpreter stopped."""
    with open('random.str', 'w') as f:
        f.write(text)
    with open('in', 'wb') as f:
        f.write(items)
    try:
        run('svmc', '--interpret', 'random.str', '--in=in', '--out=expected')
    except Stopped as stop:
        if is_stop(str(stop)):
            return None
        sys.exit(f'seed {seed}: {stop}')
    try:
        passed = run('svm-opt', f'--passes={passes}', '--verify-each', '--remarks', 'random.str', '-o', 'random.sir')
        compiled = ''
        outputs = [('svm-opt', '--interpret', 'random.sir', '--in=in', '--out=out')]
        if seed % 4 == 0:
            level = random.Random(seed).choice((['-O3', '-march=native'], ['-O2']))
            compiled = run('svmc', *level, '--remarks', 'random.str', '-o', 'random')
            outputs.append(('./random', '--in=in', '--out=out'))
        for command in outputs:
            run(*command)
            if content('out') != content('expected'):
                sys.exit(f'seed {seed}: {command[0]} differs from the interpreter')
    except Stopped as stop:
        sys.exit(f'seed {seed}: {stop}')
    return passed, compiled


def seeds():
    """Of the arguments FIRST COUNT FOLDER, in that folder."""
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    return range(first, first + count)
