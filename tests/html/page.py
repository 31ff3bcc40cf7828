# SPDX-License-Identifier: GPL-2.0-only
"""The document in a page of `kmemtrace-user html`.

As a program, prints the document of the page at standard input, one member in a line. Long
arrays of numbers are shortened: "0*3 4096" are three zeros and one 4096. With the argument
"keys", prints the keys of all objects instead, without those of the documents of other
commands.
"""
import itertools
import json
import re
import sys

BEGIN = '<script type="application/json" id="data">'


def document(page):
    """The document; the page must have it in one line, and nothing in it may end it."""
    lines = [line for line in page.splitlines() if BEGIN in line]
    assert len(lines) == 1, "not one document"
    text = lines[0].removeprefix(BEGIN)
    assert text.endswith("</script>") and lines[0].startswith(BEGIN), "not alone in its line"
    text = text.removesuffix("</script>")
    assert "<" not in text and text.isascii(), "characters that must be escaped"
    return json.loads(text)


def shortened(value):
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) <= 24 or any(isinstance(item, (list, dict, str)) for item in value):
        return [shortened(item) for item in value]
    runs = [(key, len(list(run))) for key, run in itertools.groupby(value)]
    text = " ".join(str(key) if count == 1 else f"{key}*{count}" for key, count in runs[:40])
    return f"{text} ... ({len(runs)} runs)" if len(runs) > 40 else text


described = set()


def print_lines(name, value, depth):
    """Arrays of arrays or objects have a line for each element; equal columns have one."""
    indent = " " * depth
    if isinstance(value, dict) and depth < 1:
        print(f"{indent}{name}:")
        for key, item in value.items():
            print_lines(key, item, depth + 1)
    elif name == "columns":
        print(f"{indent}{name}: {' '.join(column[0] for column in value)}")
        for text in map(json.dumps, value):
            if text not in described:
                print(f"{indent} {text}")
                described.add(text)
    elif isinstance(value, list) and value and isinstance(value[0], (list, dict)):
        print(f"{indent}{name}:")
        for item in value:
            print(f"{indent} {json.dumps(item)}")
    else:
        print(f"{indent}{name}: {json.dumps(value)}")


def keys(value):
    """All keys in a value; those of the documents of other commands are in their sections."""
    found = set()
    if isinstance(value, dict):
        found |= set(value)
        for name, item in value.items():
            if name not in ("report", "waste", "leaks"):
                found |= keys(item)
    elif isinstance(value, list):
        for item in value:
            found |= keys(item)
    return found


if __name__ == "__main__":
    text = sys.stdin.buffer.read().decode("utf-8")
    found = re.findall("^kmemtrace-user.*", text, re.M)
    if BEGIN in text and sys.argv[1:] == ["keys"]:
        found = sorted(keys(document(text)))
    elif BEGIN in text:
        for name, value in shortened(document(text)).items():
            print_lines(name, value, 0)
    print("".join(line + "\n" for line in found), end="")
