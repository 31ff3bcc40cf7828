#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Loads recordings of several machines into a ClickHouse, as fleet.rst says, and compares the
queries of this document with `report --json`. Prints KTAP.

    clickhouse.py TOOL SERVER WORK DOCUMENT RECORDING...

SERVER is the program clickhouse-server. A recording is WORK/MACHINE/kmemtrace.kmt, so that
all have the same name. On the machines guest-KERNEL, the module kmt_grows leaks.
"""
import collections
import json
import os
import subprocess
import sys

from ktap import examples, finish, free_port, get, result, run, serve, wait_for

TOOL, SERVER, WORK, DOCUMENT = sys.argv[1:5]
RECORDINGS = sys.argv[5:]
URL = f"http://127.0.0.1:{free_port()}"
CONFIG = """<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{port}</http_port>
  <path>{work}/clickhouse/</path>
  <tmp_path>{work}/clickhouse-tmp/</tmp_path>
  <mark_cache_size>1048576</mark_cache_size>
  <users_config>{work}/clickhouse.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password/>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </default></users>
</yandex>
"""


def start():
    os.mkdir(f"{WORK}/clickhouse")
    with open(f"{WORK}/clickhouse.xml", "w") as file:
        file.write(CONFIG.format(port=URL.rsplit(":", 1)[1], work=WORK))
    serve(f"{WORK}/clickhouse.log", SERVER, f"--config-file={WORK}/clickhouse.xml")
    result("ClickHouse has started", "1\n", wait_for("start", lambda: get(URL, b"SELECT 1")))


def query(text):
    """The rows, without the names of the columns."""
    answer = get(URL, (text + " FORMAT JSONCompact").encode())
    # numbers of 64 bits are strings
    return [[int(cell) if str(cell).isdigit() else cell for cell in row]
            for row in json.loads(answer)["data"]]


def load(path, script):
    script = script.replace("server=http://localhost:8123", f"server={URL}")
    bin_directory = f"{WORK}/bin"
    if not os.path.exists(bin_directory):
        os.mkdir(bin_directory)
        os.symlink(TOOL, f"{bin_directory}/kmemtrace-user")
    return run("bash", "-c", script, cwd=os.path.dirname(path), env=os.environ | {
        "PATH": f"{bin_directory}:{os.environ['PATH']}"})


def load_all(paths, script):
    for path in paths:
        out, errors, status = load(path, script)
        result(f"{machine(path)} is loaded", ("", 0), (out, status))
        print(*(f"# {line}" for line in errors.splitlines()), sep="\n", end="\n"[:len(errors)])


def machine(path):
    return os.path.basename(os.path.dirname(path))


def events_of(path):
    """The events as `script --json` has them, in their order."""
    with subprocess.Popen([TOOL, "script", "--json", path], stdout=subprocess.PIPE) as script:
        for line in script.stdout:
            event = json.loads(line)
            if "event" in event:
                yield event


def report(path):
    """The rows of slab memory, with the machine."""
    meta = json.loads(run(TOOL, "info", "--json", path)[0])["meta"]
    rows = json.loads(run(TOOL, "report", "--json", "--top", "0", path)[0])["rows"]
    return [row | {"host": meta.get("hostname", "unknown"), "kernel": meta["release"]}
            for row in rows if row["kind"] in ("kmalloc", "cache")]


def add_up(rows, keys, figures):
    """As the queries do: largest first, without rows of 0."""
    sums, hosts = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for row in rows:
        if row[figures[1]]:
            key = tuple(row[k] for k in keys)
            sums[key].update({f: row[f] for f in figures})
            hosts[key].add(row["host"])
    table = [[*key, *(s[f] for f in figures), len(hosts[key])] for key, s in sums.items()]
    return sorted(table, key=lambda row: (-row[len(keys)], *row[:len(keys)]))


def steady(path):
    """Sites and stacks that, in each tenth of the recording, allocated what is live at its
    end, with the machine."""
    live, times, meta = {}, [], json.loads(run(TOOL, "info", "--json", path)[0])["meta"]
    for event in events_of(path):
        times.append(event.get("time", 0))
        if event["event"] in ("kmem:kmalloc", "kmem:kmem_cache_alloc"):
            live[event["ptr"]] = event
        elif event["event"] in ("kmem:kfree", "kmem:kmem_cache_free"):
            live.pop(event["ptr"], None)
    live.pop("0x0", None)
    first, length = min(times), max(times) - min(times) + 1
    places = collections.defaultdict(list)
    for event in live.values():
        places[event["function"], " < ".join(event.get("stack", []))].append(event)
    return [{"kernel": meta["release"], "host": meta.get("hostname", "unknown"), "path": stack,
             "live": sum(event["bytes_alloc"] for event in events), "objects": len(events)}
            for (_, stack), events in places.items()
            if len({(event.get("time", 0) - first) * 10 // length for event in events}) == 10]


def expected_answers():
    rows = [row for path in RECORDINGS for row in report(path)]
    leaks = [row for path in RECORDINGS for row in steady(path)]
    return [
        add_up(rows, ["kernel", "site"], ["live", "objects"]),
        [row[:-1] for row in add_up(rows, ["host", "kernel", "site"], ["live", "objects"])],
        add_up(leaks, ["kernel", "path"], ["live", "objects"]),
        [row[:-1] for row in add_up(rows, ["kernel", "site"], ["total_allocated", "allocs"])],
    ]


def check_answers(what, queries, answers):
    for text, rows in zip(queries, answers):
        result(f"{what}: {' '.join(text.split())}", rows[:100], query(text))


def check_leaks(rows):
    """The first row of each kernel of a guest is the function that leaks."""
    guests = [json.loads(run(TOOL, "info", "--json", path)[0])["meta"]["release"]
              for path in RECORDINGS if machine(path).startswith("guest-")]
    result("there are guests with several kernels", True, len(set(guests)) > 1)
    for kernel in guests:
        path = next((row[1] for row in rows if row[0] == kernel), "no row")
        result(f"the function that leaks on {kernel}", ["grows_get", "grows_lose"],
               [name.split("+")[0] for name in path.split(" < ")[:2]])


def check_no_time(script):
    """A recording without a time of day cannot be told from others: it is refused."""
    before = query("SELECT count() FROM events")
    _, errors, status = load(f"{WORK}/no-time/kmemtrace.kmt", script)
    result("a recording without a time of day is refused", (True, True, before), (
        status != 0, "the recording has no time of day" in errors,
        query("SELECT count() FROM events")))


print("KTAP version 1")
start()
tables, *queries = examples(DOCUMENT, "SQL")
loading, = examples(DOCUMENT, "bash")
for statement in tables.split(";"):
    if statement.strip():
        get(URL, statement.encode())
get(URL, b"SYSTEM STOP MERGES") # only the queries may ignore what is there twice
load_all(RECORDINGS, loading)
counts = [sum(1 for _ in events_of(path)) for path in RECORDINGS]
result("all events are loaded", [[sum(counts)]], query("SELECT count() FROM events"))
expected = expected_answers()
result("the queries of the document are known", len(expected), len(queries))
check_answers("once", queries, expected)
again = [path for path in RECORDINGS if os.path.getsize(path) < 1 << 16]
load_all(again, loading)
twice = sum(n for n, path in zip(counts, RECORDINGS) if path in again)
result("some events are there twice", [[sum(counts) + twice]],
       query("SELECT count() FROM events"))
check_answers("twice", queries, expected)
get(URL, b"SYSTEM START MERGES")
get(URL, b"OPTIMIZE TABLE events FINAL")
result("ClickHouse removes equal rows", [[sum(counts)]], query("SELECT count() FROM events"))
check_leaks(query(queries[2]))
check_no_time(loading)
finish()
