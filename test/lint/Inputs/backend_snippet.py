# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""backend_snippet.py ROOT FILE: the template of a backend with HACKING's record in place of its own."""
import os
import re
import sys

root, path = sys.argv[1:]
with open(os.path.join(root, "HACKING.md"), encoding="utf-8") as f:
    record = re.search(r"^ +const llc_backend llc_backend_trace = \{.*?^ +\};$", f.read(), re.M | re.S)[0]
with open(os.path.join(root, "llc/template/template.c"), encoding="utf-8") as f:
    template = f.read()
with open(path, "w", encoding="utf-8") as f:
    f.write(template[:template.index("const llc_backend ")].replace("BACKEND(", "") + "extern const llc_backend llc_backend_trace;\n" + record + "\n")
