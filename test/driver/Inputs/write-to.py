# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""write-to.py full|pipe COMMAND...: runs it with a full disk or a closed pipe as its standard output; prints its exit code
and its first message from "error:" on."""
import os
import subprocess
import sys

if sys.argv[1] == "full":
    output = os.open("/dev/full", os.O_WRONLY)
else:
    reader, output = os.pipe()
    os.close(reader)
r = subprocess.run(sys.argv[2:], stdout=output, stderr=subprocess.PIPE, text=True, errors="replace", timeout=100)
print("code %d" % r.returncode)
for line in r.stderr.splitlines():
    if "error:" in line:
        print(line[line.index("error:"):])
        break
