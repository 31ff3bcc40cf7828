# SPDX-License-Identifier: GPL-2.0-only
"""Readers of the formats of `kmemtrace-user export`, independent of the tool.

Each returns a dictionary: the name of a value -> a dictionary of the sums of each stack.
A stack is a tuple of the kind of memory and the functions, the outermost first. Each
raises AssertionError if the file violates the format.
"""
import collections
import gzip
import re
import xml.etree.ElementTree

CLASSES = {"kmalloc": "slab", "cache": "slab", "slab": "slab", "pages": "pages",
           "page": "pages", "percpu": "percpu"}


def sums():
    return collections.defaultdict(int)


def located(name, file, line):
    """A name as report prints it, with the source line."""
    return f"{name} {file}:{line}" if file else name


def read_folded(data, value):
    """Lines "a;b;c N"."""
    found = sums()
    for line in data.decode("utf-8").split("\n")[:-1]:
        stack, number = line.rsplit(" ", 1)
        assert number.isdigit() and stack, line
        key = tuple(stack.split(";"))
        assert key not in found, "twice: " + line
        found[key] = int(number)
    return {value: found}


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def fields(data):
    """The fields of a message: (number, value); the value is a number or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 2)
        number, at = varint(data, at)
        if key & 7 == 2:
            assert at + number <= len(data)
            number, at = data[at:at + number], at + number
        yield key >> 3, number


def packed(data):
    at, numbers = 0, []
    while at < len(data):
        number, at = varint(data, at)
        numbers.append(number)
    return numbers


def pprof_parts(data):
    """The fields of a profile, by number; messages are dictionaries."""
    parts = collections.defaultdict(list)
    for number, value in fields(gzip.decompress(data)):
        if number in (1, 3, 4, 5):
            value = dict(fields(value))
        parts[number].append(value)
    parts[6] = [text.decode("utf-8") for text in parts[6]]
    assert parts[6][0] == "" and len(parts[6]) == len(set(parts[6]))
    return parts


PPROF = {"inuse_space": "live", "inuse_objects": "objects", "peak_space": "peak",
         "peak_objects": "peak_objects", "alloc_space": "alloc", "alloc_objects": "allocs",
         "temporary_space": "temporary", "temporary_objects": "temporary_objects"}


def read_pprof(data):
    parts = pprof_parts(data)
    text = parts[6]
    types = [text[t[1]] for t in parts[1]]
    assert text[parts[14][0]] == ("inuse_space" if "inuse_space" in types else "alloc_space")
    functions = {f[1]: (text[f[2]], text[f.get(4, 0)]) for f in parts[5]}
    mappings = {m[1] for m in parts[3]}
    # viewers take the first mapping for the program
    assert text[parts[3][0][5]] == "[kernel.kallsyms]"
    locations = {}
    for location in parts[4]:
        assert location.get(2) in mappings | {None}
        name = functions[dict(fields(location[4]))[1]][0]
        assert 2 in location or name.startswith("0x") or name == "(unknown)"
        line = dict(fields(location[4]))
        locations[location[1]] = located(*functions[line[1]], line[2])
    found = {PPROF[t]: sums() for t in types}
    for sample in parts[2]:
        ids, values, labels = [], [], {}
        for number, value in fields(sample):
            if number == 3:
                label = dict(fields(value))
                labels[text[label[1]]] = text[label[2]]
            elif number == 1:
                ids = packed(value)
            else:
                values = packed(value)
        assert len(values) == len(types) and ids
        assert CLASSES[labels.get("kind", labels["class"])] == labels["class"]
        stack = (labels["class"],) + tuple(locations[i] for i in reversed(ids))
        for t, value in zip(types, values):
            found[PPROF[t]][stack] += value
    return found


SVG = "{http://www.w3.org/2000/svg}"


def flame_frame(element):
    """Name, value, x and width of a frame of a flame graph."""
    title, rect = element.find(SVG + "title"), element.find(SVG + "rect")
    name, text = title.text.split("\n")
    value = int(element.get("data-value"))
    assert int(text.split()[0]) == value > 0, text
    return name, value, float(rect.get("x")), float(rect.get("width"))


def read_flame_frames(data):
    """A flame graph: a dictionary of the sum of each frame, by its path. The path of the
    frames that are too small ends in None. A frame is as wide as its value in its kind of
    memory, and inside of its caller. All kinds have room, the larger ones more."""
    frames, tops = {}, []
    root = xml.etree.ElementTree.fromstring(data)

    def add(element, path, left, right, kind=None):
        name, value, x, width = flame_frame(element)
        assert left - 0.02 <= x and x + width <= right + 0.02, name
        below = element.findall(SVG + "g")
        if not path:
            tops.append((value, width))
        kind = kind or (value, width)
        assert abs(width - kind[1] * value / kind[0]) < 0.02, name
        small = re.fullmatch(r"\(\d+ small\)", name)
        path += (None if small else name,)
        assert path not in frames and not (small and below), path
        frames[path] = value
        end = x
        for callee in below:
            end = add(callee, path, end, x + width, kind)
        return x + width

    end = 0
    for element in root.findall(SVG + "g"):
        if element.get("class") == "frame":
            end = add(element, (), end, float(root.get("width")))
    room = float(root.get("width")) - 24
    assert not tops or abs(sum(width for _, width in tops) - room) < 0.05
    assert [width for _, width in sorted(tops)] == sorted(width for _, width in tops)
    assert all(width > 0.127 * room for _, width in tops)
    assert end <= float(root.get("width")) - 12 + 0.02
    return frames


def read_flame(data, value):
    """The sum of each stack: what its callees do not have."""
    stacks = sums()
    for path, number in read_flame_frames(data).items():
        stacks[path] += number
        if len(path) > 1:
            stacks[path[:-1]] -= number
    return {value: stacks}


VALUES = sorted(PPROF.values())


# Like the parsers of mainline's /proc/allocinfo: "<bytes> <calls> <file>:<line> [module]
# func:<function> <key>:<value>..."; a place without a source file has the line 0.
ALLOCINFO = re.compile(r" *(-?\d+) +(-?\d+) (.*?):(\d+)((?: \[.*?\])? func:.*) ")


def read_allocinfo(data):
    """Returns for each line (location, bytes, calls), in the words of allocinfo --json."""
    lines = data.decode("utf-8").split("\n")
    assert lines[0] == "allocinfo - version: 2.0", lines[0]
    assert lines[1] == "#     <size>  <calls> <tag info>" and lines.pop() == ""
    rows = []
    for line in lines[2:]:
        size, calls, file, number, rest = ALLOCINFO.fullmatch(line).groups()
        is_offset = re.search(r"\+0x[0-9a-f]+$", file) and number == "0"
        place = file if is_offset else f"{file}:{number}"
        rows.append((place + rest, int(size), int(calls)))
    return rows


LABEL = re.compile(r'([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
SAMPLE = re.compile(r"([a-z_]+)(?:\{(.*)\})? (-?\d+)")


def read_labels(text):
    found, at = {}, 0
    while at < len(text):
        label = LABEL.match(text, at)
        assert label and label[1] not in found, text
        found[label[1]] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], label[2])
        at = label.end()
    return found


def read_metrics(data):
    """Returns for each metric its samples: a list of (labels, value). Each metric must have
    a help and a type before its samples."""
    lines = data.decode("utf-8").split("\n")
    assert lines.pop() == ""
    found, about, seen = {}, {}, set()
    for line in lines:
        if line.startswith("# "):
            _, key, name, value = line.split(" ", 3)
            about = about if about.get("name") == name else {"name": name}
            assert key in ("HELP", "TYPE") and key not in about and value, line
            about[key] = value
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        assert about["name"] == name and "HELP" in about, line
        assert about["TYPE"] == ("counter" if name.endswith("_total") else "gauge"), line
        labels = read_labels(labels or "")
        key = (name, *sorted(labels.items()))
        assert key not in seen, "twice: " + line
        assert name not in found or name == last, "not together: " + line
        seen.add(key)
        last = name
        found.setdefault(name, []).append((labels, int(value)))
    return found
