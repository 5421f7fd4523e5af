# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stepwise.py SVM-HLC SVM-OPT SCRATCH MACHINES PROGRAM...: each pass over plans, run alone on the text that the one before printed, reads that text back as it was, and
all of them one by one give the plan that they give together."""
import os
import subprocess
import sys

hlc, opt, scratch, machines, programs = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4].split(","), sys.argv[5:]
BEFORE = "siblings,canonicalize,inline,privatize,rings,windows,tabulate,orbit,int-bits,linear-bits,share,decimate,sever,chain,abreast,reorder,bundle,parts,moves,schedule,pack-bits,polyphase,interchange,map"
PASSES = ["sync-elim", "coalesce", "fuse", "fiss", "transfer", "strip-mine", "allocate"]
os.makedirs(scratch, exist_ok=True)


def plan(command, name):
    path = os.path.join(scratch, name + ".plan")
    done = subprocess.run(command + ["-o", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    with open(path) as file:
        return path, file.read()


changed = {name: 0 for name in PASSES}
for program in programs:
    for machine in machines:
        start = [hlc, "-w", "--machine=" + machine, "--emit=plan", program]
        _, whole = plan(start, "whole")
        path, text = plan(start + ["--passes=" + BEFORE], "map")
        for name in PASSES:
            before = text
            path, text = plan([opt, "-w", "--verify-each", "--passes=" + name, "--emit=plan", path], name)
            changed[name] += text != before
            if plan([opt, "-w", path], "again")[1] != text:
                sys.exit(f"{program}, {machine}: the plan after {name} does not read back as it was")
        if text != whole:
            sys.exit(f"{program}, {machine}: passes one by one do not give what they give together")
idle = [name for name, count in changed.items() if count == 0]
if idle:
    sys.exit(f"nothing here shows what {', '.join(idle)} does")
print(len(programs) * len(machines), "plans")
