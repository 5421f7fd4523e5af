# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the traces of a run of one batch: check-trace.py TRACE.json TRACE.vcd STATS.json"""
import json
import re
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
batches = [e for e in events if e["name"] == "batch"]
alu = [e for e in events if e["name"].startswith("ALU")]
begin = [e for e in events if e["ph"] == "b"]
end = [e for e in events if e["ph"] == "e"]
assert len(begin) == len(end)
lookup = end[0]["ts"] - begin[0]["ts"]
assert alu[0]["ts"] >= end[0]["ts"], "arithmetic before its operand"
text = open(sys.argv[2]).read()
signals = re.findall(r"\$var wire \d+ (\S) (\w+) \$end", text)
times = [int(t) for t in re.findall(r"^#(\d+)$", text, re.M)]
assert times == sorted(times)
# What lasts a cycle: up where the event begins, and down the cycle after.
letter = next(c for c, name in signals if name == "tex_issue")
changes = [(int(t), v) for t, lines in re.findall(r"^#(\d+)\n((?:[^#].*\n)*)", text.split("$end\n")[-1], re.M)
           for v in re.findall(r"^([01])" + re.escape(letter) + "$", lines, re.M)]
assert changes == [(t, v) for b in begin for t, v in ((b["ts"] * 10, "1"), (b["ts"] * 10 + 10, "0"))], changes
stats = json.loads(open(sys.argv[3]).readline())["whole"]
assert stats["alu"] == 4 and stats["tex"] == 4 and stats["reads"] == 4, stats
last = batches[0]["ts"] + batches[0]["dur"]
assert times[-1] >= last * 10
print(f"{len(batches)} batch, {len(alu)} ALU, {len(begin)} TEX; lookup of {lookup} cycles; ALU of {alu[0]['dur']} cycles; "
      f"waveform of {len(signals)} signals ends after the batch")
