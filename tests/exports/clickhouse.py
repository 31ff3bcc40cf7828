#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Loads recordings of several machines into a ClickHouse, as fleet.rst says, and compares the
queries of this document with `report --json`. Prints KTAP.

    clickhouse.py TOOL SERVER WORK DOCUMENT RECORDING...

SERVER is the program clickhouse-server.
"""
import collections
import json
import os
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
    script = script.replace("file=kmemtrace.kmt server=http://localhost:8123",
                            f"file={os.path.basename(path)} server={URL}")
    bin_directory = f"{WORK}/bin"
    if not os.path.exists(bin_directory):
        os.mkdir(bin_directory)
        os.symlink(TOOL, f"{bin_directory}/kmemtrace-user")
    out, errors, status = run("bash", "-c", script, cwd=WORK, env=os.environ | {
        "PATH": f"{bin_directory}:{os.environ['PATH']}"})
    result(f"{os.path.basename(path)} is loaded", ("", 0), (out, status))
    if status:
        print("#", errors.replace("\n", "\n# "))


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


print("KTAP version 1")
start()
tables, *queries = examples(DOCUMENT, "SQL")
loading, = examples(DOCUMENT, "shell")
for statement in tables.split(";"):
    if statement.strip():
        get(URL, statement.encode())
reported = []
for recording in RECORDINGS:
    load(recording, loading)
    reported += report(recording)
events = sum(run(TOOL, "script", "--json", r)[0].count('{"event":') for r in RECORDINGS)
result("all events are loaded", [[events]], query("SELECT count() FROM events"))
expected = [
    add_up(reported, ["kernel", "site"], ["live", "objects"]),
    [row[:-1] for row in add_up(reported, ["host", "kernel", "site"], ["live", "objects"])],
    [row[:-1] for row in add_up(reported, ["kernel", "site"], ["alloc", "allocs"])],
]
result("the queries of the document are known", len(expected), len(queries))
for text, rows in zip(queries, expected):
    result(" ".join(text.split()), rows, query(text))
result("the recordings are of several kernels and machines", [True, True],
       [len({row[key] for row in reported}) > 2 for key in ("kernel", "host")])
finish()
