#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""extract.py PAGE FOLDER: writes the fenced blocks of a page that follow a line "`name`:" as files of that name."""
import os
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    text = f.read()
for name, block in re.findall(r"^`([\w.-]+)`:\n\n```\w*\n(.*?)^```$", text, re.M | re.S):
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as f:
        f.write(block)
    print(name)
