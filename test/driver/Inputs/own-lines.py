# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the #line directives of a file that are about itself, and says which of them are wrong."""
import os
import re
import sys

path, right = sys.argv[1], 0
with open(path, encoding="utf-8") as f:
    for number, line in enumerate(f, 1):
        m = re.match(r'#line (\d+) "(.*)"', line)
        if m and m[2] == path:
            right += int(m[1]) == number + 1
            if int(m[1]) != number + 1:
                print("%s:%d: says %s" % (path, number, m[1]))
print("%d directives right" % right)
