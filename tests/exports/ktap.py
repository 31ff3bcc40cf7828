# SPDX-License-Identifier: GPL-2.0-only
"""KTAP, and the servers of a test: each listens on a free port of 127.0.0.1, and ends with
the test."""
import atexit
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

number = failures = 0
SECONDS = 120 # a server that is slow may answer until then
servers = []


def result(name, expected, found):
    global number, failures
    number += 1
    if expected == found:
        print(f"ok {number} {name}")
        return
    failures += 1
    print(f"not ok {number} {name}\n# expected {expected}\n# found {found}")


def finish():
    print(f"1..{number}")
    sys.exit(failures > 0)


def run(*words, **more):
    if "input" not in more:
        more["stdin"] = subprocess.DEVNULL
    done = subprocess.run(words, capture_output=True, **more)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve(log, *words):
    """Starts a server that writes to a file."""
    with open(log, "wb") as out:
        servers.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out,
                                        stderr=out))


@atexit.register
def end_servers():
    for server in servers:
        server.terminate()
    for server in servers:
        server.wait()


def get(url, data=None):
    with urllib.request.urlopen(url, data, timeout=SECONDS) as answer:
        return answer.read().decode()


def wait_for(name, ask):
    """Asks until the answer is true; the answer. Errors of the network are no answer."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            answer = ask()
            if answer:
                return answer
        except (urllib.error.URLError, ConnectionError, json.JSONDecodeError):
            pass
        if any(server.poll() is not None for server in servers):
            break
        time.sleep(0.1)
    print(f"# no answer: {name}")
    return None


def examples(document, language):
    """The literal blocks of a document after paragraphs that end in "(LANGUAGE)::"."""
    with open(document, encoding="ascii") as file:
        text = file.read()
    found = re.findall(r"\(%s\)::\n\n((?:  .*\n|\n)+)" % language, text)
    return [re.sub("(?m)^  ", "", block).strip() for block in found]
