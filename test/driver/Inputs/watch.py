# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""watch.py HOW COMMAND...: prints what an endless command shows and ends it. HOW: a text is waited for on standard error, a terminal; quiet looks for some seconds at a terminal that should show nothing, pipe at a pipe, both at a terminal that is standard output
too."""
import os
import pty
import re
import select
import subprocess
import sys
import time

how, command = sys.argv[1], sys.argv[2:]
ours, theirs = os.pipe() if how == "pipe" else pty.openpty()
env = {**os.environ, "TERM": "xterm"}
with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=theirs if how == "both" else subprocess.DEVNULL, stderr=theirs) as p:
    os.close(theirs)
    seen, until = b"", time.monotonic() + (3 if how in ["quiet", "pipe", "both"] else 300)
    while time.monotonic() < until and not re.search(re.escape(how.encode()) + rb".* s\r", seen):
        if select.select([ours], [], [], 0.2)[0]:
            seen += os.read(ours, 4096)
    p.terminate()
print(re.sub(r"\x1b\[K|\r", "\n", seen.decode()).strip())
