#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares recordings with their copies without addresses and names.

    no_addresses.py TOOL RECORDING...

In a copy, each record has the same values, but for addresses and names of processes.
These correspond to those of the recording, one to one. No address, no name of a process
and no needless symbol of the recording is in the copy, or in any export with the options
--no-addresses and --hash-names. Nor is the name of the file, which may be that of a host.
Prints a line for each difference, and then exits with 1.
"""
import ctypes
import gzip
import json
import os
import re
import shutil
import struct
import sys
import tempfile

from tool import end, fail, run

OPTIONS = ["--no-addresses", "--hash-names", "a key"]
HOST = "db7.example.com"
BLOCK = 4 << 20
ZSTD = ctypes.CDLL("libzstd.so.1")


def records(path, *options):
    text, status = run("script", "--json", *options, path)
    return [json.loads(line) for line in text.splitlines()[1:]], status


class OneToOne:
    """Pairs of an old and a new value."""

    def __init__(self, what):
        self.what = what
        self.new = {}
        self.old = {}

    def add(self, where, old, new):
        if self.new.setdefault(old, new) != new or self.old.setdefault(new, old) != old:
            fail(where, self.what, old, "became", new)


def is_address(text):
    return re.fullmatch("0x[0-9a-f]+", text)


def function(names, where, old, new):
    """Functions are equal; an address without a function has another one."""
    if is_address(old):
        names.add(where, old, new)
    elif old != new:
        fail(where, "function", old, "became", new)


def compare(path, olds, news):
    blocks, code, names = OneToOne("block"), OneToOne("address"), OneToOne("name")
    if len(olds) != len(news):
        fail(path, len(olds), "records became", len(news))
    for old, new in zip(olds, news):
        if "lost" in old or "lost" in new:
            if old != new:
                fail(path, old, "became", new)
            continue
        where = f"{path}: record {old.get('common_seq')}:"
        ptr, to = int(old.pop("ptr"), 16), int(new.pop("ptr"), 16)
        if bool(ptr) != bool(to) or ptr % BLOCK != to % BLOCK:
            fail(where, "memory", hex(ptr), "became", hex(to))
        if ptr:
            blocks.add(where, ptr // BLOCK, to // BLOCK)
        code.add(where, old.pop("call_site"), new.pop("call_site"))
        function(code, where, old.pop("function"), new.pop("function"))
        if "comm" in old:
            names.add(where, old.pop("comm"), new.pop("comm"))
        stack, other = old.pop("stack", []), new.pop("stack", [])
        if len(stack) != len(other):
            fail(where, "stack", stack, "became", other)
        for one, two in zip(stack, other):
            function(code, where, one, two)
        if "mm_page" not in old["event"]:
            # a record of another kind that has them violates the ABI
            old.pop("order", None)
            old.pop("migratetype", None)
        if old != new:
            fail(where, old, "became", new)


def texts(path):
    """The chunks of text of a recording, with their types."""
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[8:12] == b"\x04\x03\x02\x01" else ">"
    at = struct.unpack(order + "H", data[14:16])[0]
    while at + 48 <= len(data):
        head = struct.unpack(order + "IHBBIIIIII", data[at:at + 32])
        kind, codec, stored, raw = head[1], head[2], head[5], head[6]
        body = data[at + 48:at + 48 + stored]
        at += 48 + (stored + 7 & ~7)
        if codec == 1:
            room = ctypes.create_string_buffer(raw)
            size = ZSTD.ZSTD_decompress(room, ctypes.c_size_t(raw), body,
                                        ctypes.c_size_t(stored))
            assert size == raw
            body = room.raw
        if codec < 2 and kind not in (6, 8, 11):
            yield kind, body


def secrets(path, olds):
    """Numbers and names that must not be in any output."""
    numbers, names = set(), set()
    raw, _ = records(path, "--raw-ip")
    for record in raw:
        if "lost" in record:
            continue
        for text in (record["ptr"], record["call_site"], *record.get("stack", [])):
            if int(text, 16) >= 1 << 24:
                numbers.add(int(text, 16))
    for record in olds:
        if len(record.get("comm", "")) > 3:
            names.add(record["comm"])
    for kind, body in texts(path):
        if kind in (2, 3, 10):
            numbers |= {int(word, 16) for word in
                        re.findall(rb"^(?:.*0x)?([0-9a-f]{16})\b", body, re.M)}
        if kind == 1:
            names |= {word.decode() for word in
                      re.findall(rb"^(?:hostname|boot_id)=(.{4,})", body, re.M)}
            names |= {word.decode() for word in re.findall(rb"secretproc.", body)}
            if b"16777098T" in body:
                names.add("16777098T")
    names.add(HOST)
    numbers.discard(0)
    return numbers, names


def search(where, output, numbers, names):
    if HOST.encode() in output:
        fail(where, "has the name of the file")
    found = {int(word, 16) for word in re.findall(rb"(?:0x)?([0-9a-f]{6,16})\b", output)}
    found |= {int(word) for word in re.findall(rb"\b[0-9]{7,20}\b", output)}
    for number in sorted(found & numbers):
        fail(where, "has the address", hex(number))
    for name in names:
        if re.search(rb"(?<![\w/.])" + re.escape(name.encode()) + rb"(?![\w/.])", output):
            fail(where, "has the name", name)


def without_symbols(path, copy):
    """The copy has the symbols that it needs, and no others."""
    rows, _ = records(copy)
    used = {"_text", "_stext", "_etext", "_einittext"}
    functions = []
    for row in rows:
        if "lost" in row:
            continue
        for text in (row["function"], *row.get("stack", [])):
            used.add(text.split("+")[0])
    for kind, body in texts(copy):
        if kind in (2, 10):
            functions += re.findall(rb"^([0-9a-f]+) . (\S+)", body, re.M)
    # a function may have several names; script prints a name with other bytes otherwise
    needed = {start for start, name in functions if name.decode(errors="replace") in used}
    for start, name in functions:
        if name.isalnum() and start not in needed:
            fail(path, "needless symbol", name.decode())


def values(format_, path, *options):
    """The output of a format, in a form that can be searched."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out")
        _, status = run("export", "--to", format_, "-o", out, *options, path)
        if status == 1:
            return None
        data = b""
        for root, _, files in os.walk(directory):
            for name in sorted(files):
                with open(os.path.join(root, name), "rb") as file:
                    data += file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def formats():
    lines = run("export", "--list")[0].decode().splitlines()
    return [line.split()[0] for line in lines
            if "states of accounting only" not in line and not line.startswith("recording")]


def binary(numbers):
    """Numbers as they are in a binary format: 8 bytes of either byte order."""
    return {struct.pack(order + "Q", n) for n in numbers if n >= 1 << 32 for order in "<>"}


def varint(number):
    out = bytearray()
    while number >= 128:
        out.append(number % 128 | 128)
        number //= 128
    return bytes(out) + bytes([number])


def timelines(path, directory, numbers, names):
    picture = os.path.join(directory, "timeline.svg")
    drawings = [["--svg", "-o", picture], ["--json"], ["--csv"], []]
    for options in drawings:
        for by in ("site", "process", "stack"):
            output, status = run("timeline", "--raw-ip", "--by", by, *options, *OPTIONS, path)
            if status == 1:
                continue
            if "--svg" in options:
                with open(picture, "rb") as file:
                    output = re.sub(rb"<style.*?</style>", b"", file.read(), flags=re.S)
            search(f"{path}: timeline --by {by} {options[:1]}", output, numbers, names)


def check(original, directory):
    path = os.path.join(directory, f"{HOST}.kmt")
    shutil.copy(original, path)
    check_file(path, original, directory)


def check_file(path, original, directory):
    olds, status = records(path)
    copy = os.path.join(directory, "copy.kmt")
    _, copied = run("export", "--to", "recording", *OPTIONS, "-o", copy, path)
    if copied == 1:
        if status != 1:
            fail(original, "was not copied")
        return
    news, _ = records(copy)
    numbers, names = secrets(path, olds)
    without_symbols(original, copy)
    for kind, body in texts(copy):
        search(f"{original}: copy, text {kind}", body, numbers, names)
    search(f"{original}: copy", json.dumps(news).encode(), numbers, names)
    for format_ in formats():
        output = values(format_, path, *OPTIONS)
        if output is None:
            continue
        search(f"{original}: {format_}", output, numbers, names)
        for number in binary(numbers) | {varint(n) for n in numbers if n >= 1 << 32}:
            if number in output:
                fail(f"{original}: {format_} has the bytes {number.hex()}")
    picture = os.path.join(directory, "picture.svg")
    if run("flame", *OPTIONS, "-o", picture, path)[1] != 1:
        with open(picture, "rb") as file:
            data = re.sub(rb"<(script|style).*?</\1>", b"", file.read(), flags=re.S)
        search(f"{original}: flame", data, numbers, names)
    page = os.path.join(directory, "page.html")
    if run("html", *OPTIONS, "-o", page, path)[1] != 1:
        with open(page, "rb") as file:
            data = re.search(rb"<script[^>]*application/json.*?</script>", file.read(), re.S)
        search(f"{original}: html", data[0], numbers, names)
    timelines(path, directory, numbers, names)
    compare(original, olds, news)


with tempfile.TemporaryDirectory() as scratch:
    for recording in sys.argv[2:]:
        check(recording, scratch)
end()
