# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a timeline (Chrome's trace events) has: groups, rows, kinds of events.
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
for e in events:
    if e["name"] == "process_name":
        print("group:", e["args"]["name"])
    if e["name"] == "thread_name":
        print(f"row {e['tid']}: {e['args']['name']}")
runs = [e for e in events if e["ph"] == "X"]
for kind in sorted({(e["cat"], e["name"], e["args"].get("about", "") if e["cat"] == "compute" else "") for e in runs}):
    print(kind[0] if kind[0] == kind[1] else f"{kind[0]}: {kind[1]}", kind[2] and f"fires {kind[2]}")
ordered = True
for row in {(e["pid"], e["tid"]) for e in runs}:
    times = sorted((e["ts"], e["ts"] + e["dur"]) for e in runs if (e["pid"], e["tid"]) == row)
    ordered = ordered and all(a[1] <= b[0] + 0.0005 for a, b in zip(times, times[1:]))
print("events in rows lie one after the other:", ordered)
print("dropped:", [e["args"]["count"] for e in events if e["name"] == "dropped_intervals"][0])
