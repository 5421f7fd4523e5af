# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A machine file's key that nobody reads is an error: each row of machine_keys.def names the rooms that read its field, and
each of those rooms that exists must do so. Usage: check-readers.py ROOT"""
import pathlib
import re
import sys

ROOMS = {"R_HLC": ["hlc"], "R_LLC": ["llc"], "R_SIM": ["sim", "runtime/sim"], "R_SOFTPROC": ["runtime/softproc"]}
# What the queries of targets/ read for whoever calls them.
QUERIES = {
    "machine_reaches": {"memories"},
    "machine_usable": {"size", "reserved"},
    "machine_can_run": {"operations"},
    "machine_operation_seconds": {"operations", "clock"},
    "machine_emit_table": {"name", "kind", "size", "reserved", "alignment", "memories"},
}


def words_of(folders):
    """Fields that the files of the room's folders which know machines mention."""
    fields = set()
    for path in sorted(p for folder in folders for p in folder.rglob("*.[cdh]*")):
        text = path.read_text()
        if path.suffix == ".def":  # PARAMETER(kind, "key", field, ...)
            fields.update(w for path in re.findall(r"\bpipeline\.[a-z_]+", text) for w in path.split("."))
        if not re.search(r"\bmachine_(processor|memory|link|nodes|emit|reaches|usable|can_run|operation|find)", text):
            continue
        fields.update(re.findall(r"(?:->|\.)([a-z_]+)", text))
        for query, read in QUERIES.items():
            if query in text:
                fields |= read
    return fields


def main():
    root = pathlib.Path(sys.argv[1])
    table = (root / "targets/machine_keys.def").read_text()
    rows = re.findall(r'^KEY\((\w+), *([\w\[\]#]+), *"?([\w-]+)"?,.*?((?:R_\w+(?: \| )?)+), "', table, re.M)
    known = {flag: words_of([root / f for f in room]) for flag, room in ROOMS.items() if (root / room[0]).is_dir()}
    faults = 0
    if len(rows) < 60:
        print(f"only {len(rows)} rows were understood")
        faults += 1
    for section, field, key, readers in rows:
        rooms = readers.split(" | ")
        field = "operations" if field.startswith("of[") else field
        for room in rooms:
            if room in known and field not in known[room]:
                print(f"{section} '{key}': {ROOMS[room][0]}/ is said to read '{field}' and does not")
                faults += 1
    print(f"{len(rows)} keys, {faults} without their readers")
    return faults != 0


sys.exit(main())
