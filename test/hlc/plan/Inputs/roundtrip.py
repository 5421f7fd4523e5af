# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""roundtrip.py SVM-HLC SVM-OPT SCRATCH FOLDER...: plans of all programs in the folders, printed, read and printed again."""
import glob
import os
import subprocess
import sys

hlc, opt, scratch, folders = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
os.makedirs(scratch, exist_ok=True)
first, second = os.path.join(scratch, "first.plan"), os.path.join(scratch, "second.plan")


def text(command):
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


count = 0
for source in sorted(path for folder in folders for path in glob.glob(os.path.join(folder, "*.str"))):
    for level in ("-O0", "-O2"):
        status, message = text([hlc, level, "-w", "--elaboration-steps=1000000", "--emit=plan", source, "-o", first])
        if status == 1:  # a program that is an error
            continue
        if status != 0:
            sys.exit(f"{source} {level}: {message.decode()}")
        status, message = text([opt, "-w", first, "-o", second])
        if status != 0:
            sys.exit(f"{source} {level}: the plan does not read back: {message.decode()}")
        with open(first, "rb") as a, open(second, "rb") as b:
            if a.read() != b.read():
                sys.exit(f"{source} {level}: the round trip changes the plan")
        from_plan = text([hlc, level, "-w", first, "-o", "-"])
        direct = text([hlc, level, "-w", source, "-o", "-"])
        if from_plan[0] != 0 or direct[0] != 0 or from_plan[1].split(b"*/", 1)[1] != direct[1].split(b"*/", 1)[1]:
            sys.exit(f"{source} {level}: the plan's SVM C is not the program's: {from_plan[1][:2000].decode(errors='replace')}")
        count += 1
if count < 100:
    sys.exit(f"only {count} plans")
print(f"{count} plans")
