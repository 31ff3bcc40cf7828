#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares each format with `report --json`: each stack, and so all sums, to the byte.

    totals.py TOOL RECORDING...

Prints a line for each difference, and then exits with 1. A recording that report cannot
read must be refused.
"""
import json
import re
import sys

from readers import (CLASSES, VALUES, pprof_parts, read_flame, read_flame_frames,
                     read_folded, read_pprof, sums)
from tool import end, fail, run


def add(found, rows, value, key):
    """Adds a column of a report; its names are (kind, stack or site)."""
    found[value] = sums()
    for row in rows:
        if row[key] is None:
            del found[value]
            return
        stack = list(reversed(row["stack"] or [])) or [row["site"]]
        found[value][(CLASSES[row["kind"]], *stack)] += row[key]


def reported(path):
    """The same dictionary as that of the readers, from reports; None if there is none."""
    found = {}
    by = ["--json", "--top", "0", "--by", "stack,site", path]
    text, status = run("report", *by)
    if status == 1:
        return None, status
    report = json.loads(text)
    for value in "live", "objects", "allocs":
        add(found, report["rows"], value, value)
    add(found, report["rows"], "alloc", "total_allocated")
    if "no_live" in report:
        for value in "live", "objects":
            found.pop(value, None)
        return found, status
    text, peak = run("report", "--at", "peak", *by)
    rows = json.loads(text)["rows"] if peak != 1 else []
    add(found, rows, "peak", "live")
    add(found, rows, "peak_objects", "objects")
    rows = json.loads(run("report", "--temporary", *by)[0])["rows"]
    add(found, rows, "temporary", "temporary_bytes")
    add(found, rows, "temporary_objects", "temporary")
    return found, status


def clean(stacks):
    return {stack: number for stack, number in stacks.items() if number}


def compare(name, expected, found):
    for value, stacks in found.items():
        if value not in expected:
            fail(name, "has", value)
        elif clean(stacks) != clean(expected[value]):
            fail(name, value, clean(stacks), "instead of", clean(expected[value]))


def folded(stacks):
    """A semicolon in a name is a comma in this format."""
    renamed = sums()
    for stack, number in stacks.items():
        renamed[tuple(name.replace(";", ",") for name in stack)] += number
    return renamed


def check_folded(path, expected):
    for value in VALUES:
        data, status = run("export", "--to", "folded", "--value", value, path)
        if (status == 1) != (value not in expected):
            fail(path, "folded", value, "has the exit status", status)
        elif status != 1:
            compare(f"{path} folded", {value: folded(expected[value])},
                    read_folded(data, value))


def check_flame(path, expected):
    for value in VALUES:
        flame = ["flame", "-o", "-", "--value", value, path]
        data, status = run(*flame, "--min", "0")
        if (status == 1) != (value not in expected):
            fail(path, "flame", value, "has the exit status", status)
        elif status != 1:
            compare(f"{path} flame", {value: expected[value]}, read_flame(data, value))
            check_small(path, expected[value], read_flame_frames(run(*flame, "--min", "4")[0]))


def check_small(path, stacks, frames):
    """With --min 4: functions with 4 % of their kind of memory, and a frame for the others."""
    whole = sums()
    for stack, number in stacks.items():
        for depth in range(len(stack)):
            whole[stack[:depth + 1]] += number


    def is_large(stack, number):
        return number and (len(stack) == 1 or number * 100 >= whole[stack[:1]] * 4)

    large = {stack for stack, number in whole.items() if is_large(stack, number)}
    wanted, small = {}, sums()
    for stack, number in whole.items():
        if stack in large:
            wanted[stack] = number
        elif stack[:-1] in large:
            small[stack[:-1] + (None,)] += number
    wanted |= {stack: number for stack, number in small.items() if is_large(stack, number)}
    if wanted != frames:
        fail(path, "flame --min 4", frames, "instead of", wanted)


def check_bounds(path, data):
    """The error bounds of a profile are those of report, which has call sites."""
    report = json.loads(run("report", "--json", path)[0])
    parts = pprof_parts(data)
    text = "; ".join(parts[6][i] for i in parts[13])
    found = re.findall(r"live (\w+): \d+ bytes? in \d+ allocations?, uncertain (\d+)", text)
    for live, number in found:
        if int(number) != report["live"][live]["uncertain"]:
            fail(path, "pprof", live, "is uncertain by", number, "instead of",
                 report["live"][live]["uncertain"])


for file in sys.argv[2:]:
    wanted, code = reported(file)
    output, status = run("export", "--to", "pprof", file)
    if status != code:
        fail(file, "pprof has the exit status", status, "and not", code)
    elif wanted is not None:
        result = read_pprof(output)
        compare(f"{file} pprof", wanted, result)
        missing = wanted.keys() - result.keys()
        if missing:
            fail(file, "pprof lacks", missing)
        check_folded(file, wanted)
        check_flame(file, wanted)
        check_bounds(file, output)
end()
