# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors with which svmc and svm-llc tell why a machine cannot run a program that others can (docs/mapping.md)."""
import re

# What is counted together: a short name, and what the error's text has.
REFUSALS = [
    ("needs a kernel processor beside the control processor's memory", r"'.*' cannot be mapped to machine '.*': .*, which needs a kernel processor"),
    ("does not fit a local memory", r"'.*' (does|and the \d+ actors? mapped with it do) not fit: (it|they) needs? \d+ bytes of memory '.*'"),
    ("needs what no one processor can do", r"the kernel of \d+ actors? from '.*' on can run on no kernel processor of machine '.*'"),
    ("keeps state, which the machine cannot", r"'.*' .*, and no kernel processor of machine '.*' keeps state from firing to firing"),
    ("cannot keep --max-latency", r"--max-latency=\d+ cannot be kept on \d+ processors? of '.*'"),
    ("has fewer processors than --processors", r"--processors=\d+ asks for more than machine '.*' has"),
    ("does not fit with this --strip", r"a strip of \d+ steady states of '.*' needs \d+ bytes of memory '.*' of processor '.*'"),
    ("moves too little with this --strip", r"channels of '.*' keep more items than a round of strips of \d+ steady states moves"),
    ("cannot have --mapping=space or --transfer=stream", r"'.*' cannot be mapped as --(mapping=space|transfer=stream) asks: "),
    ("has nothing for --mapping or --transfer", r"--(mapping|transfer)=\w+ (contradicts --processors=|needs |has nothing to move)"),
    ("does not fit a local memory as a whole", r"--mapping=time has each processor run all of '.*', whose code and state leave too little"),
    ("needs operations that the machine lacks", r"the kernel '.*' needs operations of the class '.*', which the processor '.*' of the machine '.*' cannot run"),
]


def kind_of_refusal(errors):
    """The short name of the refusal that a tool's errors begin with; None: they are no refusal."""
    first = re.search(r"error: (.*)", errors)
    return next((name for name, pattern in REFUSALS if first and re.match(pattern, first.group(1))), None)
