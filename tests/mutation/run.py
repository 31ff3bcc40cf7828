#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Changes one operator, constant or condition at a time, and runs the unit tests.

    tests/mutation/run.py [-n COUNT] [-s SEED] COMPILER LIBRARIES FILE...

make mutation calls it. A change that no test notices shows what is not tested. COUNT changes
of each file (40) are chosen by SEED. Changes in equivalent.txt, which alter no result, are
left out. A change that does not compile does not count.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile

# a token, and what takes its place
OPERATORS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||",
    "||": "&&", "+": "-", "-": "+", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=",
    "-=": "+=", "|=": "&=", "&=": "|=", "++": "--", "--": "++", "true": "false",
    "false": "true",
}
TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|^[ \t]*#(?:\\\n|[^\n])*|'
    r"0x[0-9a-fA-F]+\w*|\b\d+\w*|\bif \(|\bwhile \(|\b\w+|<<=|>>=|->|\+\+|--|[-+|&=!<>]=|"
    r"&&|\|\||<<|>>|[-+<>&|]", re.S | re.M)
# an operator after one of these has one operand
UNARY = re.compile(r"(?:^|[-+*/%&|^<>=!~?:,;({]|\breturn|\bcase|\bsizeof)\s*$")
CPU_SECONDS = 60
# a test that takes longer is not used
SLOW_SECONDS = 15


def mutants(text):
    """Yield (start, end, replacement) for each change."""
    for found in TOKEN.finditer(text):
        token, start, end = found.group(), found.start(), found.end()
        if token in ("if (", "while ("):
            yield start, end, token + "!"
        elif re.fullmatch(r"\d+\w*|0x\w+", token):
            yield start, end, "(%s + 1)" % token
        elif token in OPERATORS and not (
                token in "+-&" and UNARY.search(text[max(0, start - 80):start])):
            yield start, end, OPERATORS[token]


def negate(text, start, end):
    """Put the condition that begins at the end of the token into parentheses."""
    depth, at = 1, end
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[:end] + "!(" + text[end:at] + ")" + text[at:]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def run(program):
    """Run a test. Return whether it passes, and its seconds of CPU time."""
    test = subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            stdin=subprocess.DEVNULL, preexec_fn=limit,
                            env={**os.environ, "QUICK": "1", "LEAKS_SEEDS": "20",
                                 "CK_DEFAULT_TIMEOUT": str(10 * CPU_SECONDS)})
    _, status, used = os.wait4(test.pid, 0)
    test.returncode = os.waitstatus_to_exitcode(status)
    return test.returncode == 0, used.ru_utime + used.ru_stime


class Tests:
    """All unit tests, as objects."""

    def __init__(self, compiler, libraries, directory, pool):
        self.compiler, self.libraries, self.directory = compiler, libraries, directory
        self.test = {}  # name: (seconds of CPU time, text of the linker's map)
        names = sorted(glob.glob("tests/unit/*/test_*.c"))
        for name, made in zip(names, pool.map(self.prepare, names)):
            if made:
                self.test[name] = made
            else:
                print("# %s is left out: it does not run by itself, or takes too long" % name)

    def test_object(self, name):
        return "%s/%s.o" % (self.directory, name[len("tests/unit/"):-2].replace("/", "-"))

    def link(self, place, test, arguments):
        """Link a test. Return the program; None if it cannot be linked."""
        with open(test) as file:
            wrapped = set(re.findall(r"\b__wrap_(\w+)", file.read()))
        made = self.test_object(test)
        linked = subprocess.run(
            self.compiler + ["-o", place + "/test", made] + arguments + ["build/obj/parts.a"] +
            ["-Wl,--wrap=" + name for name in sorted(wrapped)] + self.libraries,
            stderr=subprocess.DEVNULL, check=False)
        return place + "/test" if linked.returncode == 0 else None

    def prepare(self, name):
        """Compile a test, and run it once."""
        made = self.test_object(name)
        if not os.path.exists(made) or os.path.getmtime(made) < os.path.getmtime(name):
            subprocess.run(self.compiler + ["-O1", "-c", "-o", made, name], check=True)
        with tempfile.TemporaryDirectory(dir=self.directory) as place:
            program = self.link(place, name, ["-Wl,-Map," + place + "/map"])
            passed, seconds = run(program) if program else (False, 0)
            if not passed or seconds > SLOW_SECONDS:
                return None
            with open(place + "/map") as file:
                return seconds, file.read()

    def of(self, source):
        """Return the tests that have the code of a source, those of its folder first."""
        room = "/%s/" % ("lib" if source.startswith("lib/") else source.split("/")[-2])
        stem = os.path.basename(source)[:-2].replace("kmt_", "")
        names = [name for name in self.test if source[:-2] + ".o" in self.test[name][1]]
        names.sort(key=lambda name: (room not in name, stem not in name, self.test[name][0]))
        return names

    def notice(self, source, text, tests):
        """Return whether a test fails with this text; None: it does not compile."""
        with tempfile.TemporaryDirectory(dir=self.directory) as place:
            path, mutant = place + "/" + os.path.basename(source), place + "/mutant.o"
            with open(path, "w") as out:
                out.write('#line 1 "%s"\n' % source + text)
            compiled = subprocess.run(
                self.compiler + ["-w", "-O1", "-I" + os.path.dirname(source), "-c", "-o", mutant,
                                 path], stderr=subprocess.DEVNULL, check=False)
            if compiled.returncode:
                return None
            for test in tests:
                program = self.link(place, test, [mutant])
                if not program or not run(program)[0]:
                    return True
            return False


def describe(source, text, start, end, new):
    line = text.count("\n", 0, start) + 1
    code = text.split("\n")[line - 1].strip()
    old = text[start:end]
    return "%s:%d" % (source, line), "%s: %s -> %s: %s" % (source, old, new, code)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=40)
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("compiler")
    parser.add_argument("libraries")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    directory = "build/mutation"
    os.makedirs(directory, exist_ok=True)
    with open(os.path.dirname(__file__) + "/equivalent.txt") as file:
        equivalent = {line.strip() for line in file if not line.startswith("#")}
    noticed = survived = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_tests = Tests(shlex.split(options.compiler), options.libraries.split(), directory, pool)
        for source in options.files:
            with open(source) as file:
                text = file.read()
            tests = all_tests.of(source)
            chosen = list(mutants(text))
            random.Random(options.s).shuffle(chosen)
            chosen = [m for m in chosen
                      if describe(source, text, *m)[1] not in equivalent][:options.n]
            changed = [negate(text, m[0], m[1]) if m[2].endswith("(!") else
                       text[:m[0]] + m[2] + text[m[1]:] for m in chosen]
            results = list(pool.map(all_tests.notice, [source] * len(changed), changed,
                                    [tests] * len(changed)))
            count = results.count(True)
            total = count + results.count(False)
            noticed, survived = noticed + count, survived + total - count
            print("%s: %d of %d changes noticed" % (source, count, total))
            for mutant, result in zip(chosen, results):
                if result is False:
                    where, what = describe(source, text, *mutant)
                    print("    %s: %s" % (where, what))
            sys.stdout.flush()
    total = noticed + survived
    print("%d of %d changes noticed, %.1f %%" % (noticed, total, 100 * noticed / max(total, 1)))
    return 0 if total and noticed >= 0.85 * total else 1


if __name__ == "__main__":
    sys.exit(main())
