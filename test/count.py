#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what lit says of the tests: count.py REPORT.xml [--all]

Prints which tests were skipped, as something that they need is not built or installed, and, as the last line, "N passed, N failed".
Fails when a test failed or none ran. With --all (bootstrap.sh gives it where CI=true) every skipped test counts as failed.
"""
import argparse
import sys
import xml.etree.ElementTree as xml


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("report")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    passed = failed = 0
    skipped = []
    for case in xml.parse(args.report).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            why = case.find("skipped").get("message", "")
            skipped.append(f"{case.get('classname', '')} {case.get('name')}: {why or 'its folder needs what is not there'}")
        else:
            passed += 1
    for line in skipped:
        print(f"skipped: {line}")
    if skipped:
        print(f"{len(skipped)} skipped" + (", which is a failure here: every test must run" if args.all else ""))
    failed += len(skipped) if args.all else 0
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


main()
