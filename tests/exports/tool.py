# SPDX-License-Identifier: GPL-2.0-only
"""What scripts that compare outputs of the tool have in common. Their first argument is the
tool. They print a line for each difference, and then exit with 1."""
import subprocess
import sys

TOOL = sys.argv[1]
_differences = []


def fail(*words):
    _differences.append(words)
    print(*words)


def run(*words):
    """Standard output and exit status of a command, which must not crash."""
    done = subprocess.run([TOOL, *words], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode in (0, 1, 3), (words, done.stderr)
    return done.stdout, done.returncode


def end():
    sys.exit(bool(_differences))
