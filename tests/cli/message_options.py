#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that each option which an expected output names belongs to its command.

  tests/cli/message_options.py TOOL EXPECTED

EXPECTED is the folder of expected outputs. An option after the name of a command, as
"record --flight", is one of that command. Prints a line for each other option, and then
exits with 1.
"""

import glob
import os
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
# they name options of another command, or none
ODD = re.compile(r"there is no option|^-. is now --|needs a value|did you mean|may be one of")


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def options_of(tool):
    """The options of each command, by its help."""
    commands = [word for word in run(tool, "--complete").split() if word[0] != "-"]
    found = {}
    for command in commands:
        text = run(tool, "help", command)
        found[command] = set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", text, re.M))
        found[command] |= {"--help"}
    return found


def texts_of(path, options):
    """Yields the command and the text of each message and line."""
    command = os.path.basename(path)[: -len(".txt")]
    whole = command in ("leaks", "why", "waste")
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            row = re.match(r"\S+ +(\S+) .*=> [12], (.*)", line)
            said = re.match(r"kmemtrace-user(?: ([a-z-]+))?: (.*)", line)
            if row:
                yield row[1] if row[1] in options else command, row[2]
            elif said:
                yield said[1] or command, said[2]
            elif whole and line[0] not in "$#=":
                yield command, line.strip()


def is_known(command, option, before, options):
    if option in options[command]:
        return True
    named = [word for word in re.findall(r"[a-z-]+", before) if word in options]
    return bool(named) and option in options[named[-1]]


def main(tool, expected):
    options = options_of(tool)
    checked, wrong = 0, set()
    for path in glob.glob(os.path.join(expected, "*.txt")):
        for command, text in texts_of(path, options):
            if command not in options or ODD.search(text):
                continue
            for found in OPTION.finditer(text):
                checked += 1
                if not is_known(command, found[0], text[: found.start()], options):
                    wrong.add(f"{command} has no {found[0]}: {text}")
    for line in sorted(wrong):
        print(line)
    if checked < 100:
        print(f"only {checked} options were found")
    return bool(wrong) or checked < 100


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
