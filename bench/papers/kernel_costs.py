# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The linear cost functions of the kernels of svm/*.c, as the SVM paper makes them for the graphics processors (section 5.1):
from a kernel's arithmetic, its live registers and how it reads and writes streams, with the machine file's numbers.

A firing takes the longer of its arithmetic and its accesses to local memory, which go on at the same time in both kinds of
machine (many fragments in flight; a software pipeline):

    arithmetic = sum of operations x the machine's cost of each x its factor for so many live registers
    accesses   = in order / sequential bandwidth + small tables and neighbours / bandwidth of the cache in front of the memory

The costs of starting and stopping a kernel are the machine file's, and the simulator adds them.

What a firing needs is counted by hand from the C text, once as a fragment program and once for a cluster of Imagine:

Fragment programs. An operation works on a register of four floats. A fragment writes one place, so that a butterfly with its two
results takes two fragments. A multiplication with an addition is one instruction, counted as a multiplication. Coordinates of what
is fetched, other than the fragment's own place, are computed.

Imagine. Eight firings at a time, one in each cluster, on words; adders, multipliers, the divider and the stream register file work
side by side in the schedule of a loop, so that the busiest of them counts. Registers are plenty (272 words a cluster).
"""
from collections import namedtuple

# Operations by class of the machine file; registers live at once; bytes read or written in order; bytes read from small tables or
# of neighbours, which the texture cache holds.
Firing = namedtuple("Firing", "operations live in_order cached note")

FRAGMENTS = {
    "multiply": Firing({"float-mul": 1}, 2, 4 + 4 + 4, 0, "two inputs at unit stride, one output"),
    "reduce": Firing({"float-add": 3, "int-add": 2}, 2, 16 + 4, 0, "four neighbours, two coordinates; one output"),
    # Twice: place in the transform (scaled, floor, difference), a + b or a - b, complex product, choice of one of the two.
    "row stage": Firing({"float-mul": 2 * (2 + 2), "float-add": 2 * (1 + 2), "convert": 2 * 1, "select": 2 * 1}, 4, 2 * (8 + 8 + 8), 2 * 8,
                        "two inputs and a factor of the table for each of two outputs"),
    # Four neighbours in the four lanes: coordinates, packing of image and label, differences, conduction, sum over the lanes.
    "diffuse": Firing({"float-add": 2 + 1 + 1 + 1, "select": 8, "float-mul": 1 + 1 + 1 + 1, "float-div": 1}, 6, 4 + 4 + 4, 8 * 4,
                      "the pixel in order, its neighbours cached"),
}
FRAGMENTS["column stage"] = FRAGMENTS["row stage"]

ADDER, MULTIPLIER, DIVIDER = "adder", "multiplier", "divider"
UNIT_OF = {"float-add": ADDER, "int-add": ADDER, "compare": ADDER, "select": ADDER, "float-mul": MULTIPLIER, "float-div": DIVIDER}
CLUSTERS = {
    "dot": Firing({"float-mul": 1, "float-add": 1}, 4, 4 + 4, 0, "the row and x; the sum stays in a register"),
    "rows": Firing({"float-add": 6, "float-mul": 4}, 16, 16 + 16, 0, "two inputs, two outputs; factors in the scratchpad"),
    # For each of four neighbours: two differences, 1 + dd, a sum; slope, dd, the product; a reciprocal.
    "diffuse": Firing({"float-add": 16, "float-mul": 13, "float-div": 4}, 24, 4 + 4 + 4, 0, "rows before and after kept in the clusters"),
}
CLUSTERS["columns"] = CLUSTERS["rows"]

FIRINGS = {"ati-9800pro": FRAGMENTS, "geforce-fx5900": FRAGMENTS, "imagine": CLUSTERS}
PROCESSOR, MEMORY, ITEM = "CORE0", "LMEM0", 4


def arithmetic(m, firing):
    seconds = {}
    wide = FIRINGS[m["machine"]] is CLUSTERS
    for name, count in firing.operations.items():
        unit = UNIT_OF[name] if wide else "all"
        seconds[unit] = seconds.get(unit, 0.0) + count * m.operation(PROCESSOR, name)
    return max(seconds.values()) * m.pressure(PROCESSOR, firing.live) / (m.lanes(PROCESSOR, ITEM) if wide else 1)


def accesses(m, firing):
    return firing.in_order / m.bandwidth(MEMORY) + firing.cached / m.bandwidth(m.cache(MEMORY))


def profile(m):
    """The profile file for the simulating runtime, with the derivation of each line."""
    lines = ["svm-profile 1", f"# derived for {m['machine']} by bench/papers/kernel_costs.py"]
    for kernel, firing in FIRINGS[m["machine"]].items():
        a, b = arithmetic(m, firing), accesses(m, firing)
        counted = ", ".join(f"{n} {name}" for name, n in firing.operations.items())
        lines.append(f"# {kernel}: {counted}, {firing.live} live: {a * 1e9:.4g} ns; {firing.in_order} B in order, {firing.cached} B cached: "
                     f"{b * 1e9:.4g} ns ({firing.note})")
        lines.append(f'kernel "{kernel}" processor "{PROCESSOR}" unit firings runs 0 start 0 per-unit {max(a, b):.9g} total 0')
    return "\n".join(lines) + "\n"
