#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares `export --to ctf` with `script --json`: each field of each event, their order, and
the losses.

    traces.py TOOL READER RECORDING...

READER is `own`, a small reader of the traces that the tool writes, or `bt2`, that of
babeltrace2. Prints a line for each difference, and then exits with 1. A recording that script
cannot read must be refused.
"""
import json
import os
import re
import shutil
import struct
import sys

from tool import end, fail, run

READER = sys.argv[2]
DIRECTORY = "trace.ctf"
# numbers that script prints as text
HEX = ("call_site", "ptr")


# --- a small reader -----------------------------------------------------------------


class Stream:
    """A stream and the declarations of its events."""
    def __init__(self, path):
        with open(f"{path}/metadata", encoding="ascii") as file:
            text = file.read()
        assert text.startswith("/* CTF 1.8 */")
        self.order = {"le": "<", "be": ">"}[re.search(r"byte_order = (..);", text)[1]]
        self.env = dict(re.findall(r'^\t(\w+) = (.*);$', re.search(
            r"^env \{\n(.*?)^\};", text, re.M | re.S)[1], re.M))
        self.classes = {}
        for event in re.findall(r"^event \{\n(.*?)^\};", text, re.M | re.S):
            name, = re.findall(r'\tname = "(.*)";', event)
            number, = re.findall(r"\tid = (\d+);", event)
            fields = re.findall(r"^\t\t(\w+) _(\w+)(?:\[_(\w+)\])?;$", event, re.M)
            self.classes[int(number)] = name, fields
        with open(f"{path}/events", "rb") as file:
            self.data = file.read()
        self.at = 0

    def number(self, kind):
        code = {"8": "b", "16": "h", "32": "i", "64": "q"}[re.search(r"\d+", kind)[0]]
        code = self.order + (code.upper() if kind.startswith("u") else code)
        value, = struct.unpack_from(code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def text(self):
        end = self.data.index(b"\0", self.at)
        text = self.data[self.at:end].decode("utf-8")
        self.at = end + 1
        return text

    def event(self):
        name, fields = self.classes[self.number("uint16_t")]
        found = {"event": name}
        time = self.number("uint64_t")
        for kind, field, length in fields:
            if length:
                found[field] = [self.text() for _ in range(found[length])]
            else:
                found[field] = self.text() if kind == "string" else self.number(kind)
        return found, time

    def packet(self, number, last, lost):
        start = self.at
        assert self.number("uint32_t") == 0xC1FC1FC1 and self.number("uint32_t") == 0
        begin, end, content, size, this, discarded = (self.number("uint64_t") for _ in range(6))
        assert this == number and size % 64 == 0 and content <= size
        assert last <= begin <= end and discarded >= lost
        if discarded > lost:
            yield {"lost": discarded - lost}, begin, discarded
        while self.at < start + content // 8:
            event, time = self.event()
            assert begin <= time <= end
            yield event, time, discarded
        assert self.at == start + content // 8
        self.at = start + size // 8


def read_own(path):
    stream = Stream(path)
    number = time = lost = 0
    found = []
    while stream.at < len(stream.data):
        for event, time, lost in stream.packet(number, time, lost):
            found.append(event)
        number += 1
    assert number
    return found, {key: value.strip('"') for key, value in stream.env.items()}


# --- babeltrace2 --------------------------------------------------------------------


def plain(bt2, value):
    """A field as a plain value of Python."""
    if isinstance(value, bt2._ArrayFieldConst):
        return [plain(bt2, element) for element in value]
    return str(value) if isinstance(value, bt2._StringFieldConst) else int(value)


def read_bt2(path):
    import bt2
    found, env = [], {}
    for message in bt2.TraceCollectionMessageIterator(path):
        if isinstance(message, bt2._DiscardedEventsMessageConst):
            found.append({"lost": int(message.count)})
        elif isinstance(message, bt2._StreamBeginningMessageConst):
            env = {key: str(value) for key, value in message.stream.trace.environment.items()}
        elif isinstance(message, bt2._EventMessageConst):
            fields = message.event.payload_field
            found.append({"event": message.event.name,
                          **{key: plain(bt2, fields[key]) for key in fields}})
    return found, env


# --- comparison ---------------------------------------------------------------------


def translate(event):
    """An event with the values of script --json."""
    if "lost" in event:
        return event
    return {key: hex(value) if key in HEX else value for key, value in event.items()
            if key != "stack_depth"}


def check(path):
    text, code = run("script", "--json", path)
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    status = run("export", "--to", "ctf", "-o", DIRECTORY, path)[1]
    if status != code:
        fail(path, "has the exit status", status, "and not", code)
    if code == 1 or status == 1:
        if os.path.exists(DIRECTORY) or os.path.exists(DIRECTORY + ".part"):
            fail(path, "left a directory")
        return
    expected = [json.loads(line) for line in text.splitlines()][1:]
    found, env = (read_own if READER == "own" else read_bt2)(DIRECTORY)
    found = [translate(event) for event in found]
    if len(expected) != len(found):
        fail(path, "has", len(found), "events and losses, and not", len(expected))
    for wanted, got in zip(expected, found):
        if wanted != got:
            fail(path, "expected", wanted, "\n  found", got)
            break
    report, code = run("report", "--json", path)
    if code == 1: # cut before the first record
        return
    kernel = json.loads(report)["kernel"]
    if env.get("kernel_release", "") != kernel:
        fail(path, "has the kernel", env.get("kernel_release"), "and not", kernel)


for file in sys.argv[3:]:
    check(file)
end()
