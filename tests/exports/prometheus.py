#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads exports of states with the programs that they are made for: promtool, the parsers of
python3-prometheus-client, and a Prometheus that scrapes two node_exporters. Prints KTAP.

    prometheus.py TOOL PROMETHEUS NODE_EXPORTER WORK DOCUMENT STATE...

PROMETHEUS and NODE_EXPORTER are the directories of these programs. All queries of DOCUMENT
are run, on two machines. On one of them, one site leaks.
"""
import json
import os
import sys
import urllib.parse

from ktap import examples, finish, free_port, get, result, run, serve, wait_for
from prometheus_client import parser
from readers import read_metrics

TOOL, PROMETHEUS, NODE_EXPORTER, WORK, DOCUMENT = sys.argv[1:6]
STATES = sys.argv[6:]
TEXTFILES = "node_textfile_scrape_error"
LEAK = "drivers/leak.c:7 [leaky] func:leak_alloc"


def export(form, *words):
    return run(TOOL, "export", "--to", form, *words)[0]


# --- parsers --------------------------------------------------------------------------


def samples(families):
    """The samples of a parser, and the types of their families."""
    found, types = {}, {}
    for family in families:
        for sample in family.samples:
            found[(sample.name, *sorted(sample.labels.items()))] = float(sample.value)
            types[sample.name] = (family.type, bool(family.documentation))
    return found, types


def check_parsers(state):
    name = os.path.basename(state)
    text = export("prometheus", state)
    result(f"promtool check metrics {name}", ("", "", 0),
           run(f"{PROMETHEUS}/promtool", "check", "metrics", input=text.encode()))
    expected = {(metric, *sorted(labels.items())): float(value)
                for metric, rows in read_metrics(text.encode()).items()
                for labels, value in rows}
    found, types = samples(parser.text_string_to_metric_families(text))
    result(f"{name}: samples", expected, found)
    result(f"{name}: each metric has its type and a help", set(), {
        (metric, about) for metric, about in types.items()
        if about != ("counter" if metric.endswith("_total") else "gauge", True)})


# --- a fleet of two machines ------------------------------------------------------------


def state(path, kernel, leaked):
    """A state in which one site has leaked so many objects, and another one is in use."""
    lines = ["kmemtrace tags - version: 1"]
    for i in range(30):
        lines.append(f"slab {6400 + i} 100 6000 {900 + leaked} {800 + leaked} 9000 - "
                     f"ffffffff8100{i:04x} {i + 1} fs/part{i}.c:{i} func:user{i}")
    lines.append(f"slab {1024 * leaked} {leaked} {1000 * leaked} {leaked} 0 "
                 f"{1024 * leaked} - ffffffffc0000000 40 {LEAK}")
    lines += ["# stat accounting 1", f"# stat kernel {kernel}"]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


class Machine:
    """A node_exporter with the text file of a machine."""

    def __init__(self, name, kernel):
        self.name, self.kernel, self.port = name, kernel, free_port()
        self.directory = f"{WORK}/{name}"
        os.mkdir(self.directory)

    def start(self):
        serve(f"{WORK}/{self.name}.log", f"{NODE_EXPORTER}/prometheus-node-exporter",
              "--collector.disable-defaults", "--collector.textfile",
              f"--collector.textfile.directory={self.directory}",
              f"--web.listen-address=127.0.0.1:{self.port}")

    def write(self, leaked):
        """As the service does it."""
        state(f"{WORK}/{self.name}.tags", self.kernel, leaked)
        with open(f"{self.directory}/kmemtrace.tmp", "w") as file:
            file.write(export("prometheus", f"{WORK}/{self.name}.tags"))
        os.rename(f"{self.directory}/kmemtrace.tmp", f"{self.directory}/kmemtrace.prom")


class Server:
    def __init__(self, machines):
        self.url = f"http://127.0.0.1:{free_port()}"
        with open(f"{WORK}/prometheus.yml", "w") as file:
            file.write("global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
                       "scrape_configs: [{job_name: node, static_configs: [\n")
            for m in machines:
                file.write(f'  {{targets: ["127.0.0.1:{m.port}"], labels: '
                           f"{{machine: {m.name}}}}},\n")
            file.write("]}]\n")
        serve(f"{WORK}/prometheus.log", f"{PROMETHEUS}/prometheus",
              f"--config.file={WORK}/prometheus.yml", f"--storage.tsdb.path={WORK}/tsdb",
              f"--web.listen-address={self.url[7:]}")

    def ask(self, path, **what):
        return json.loads(get(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(what)}"))

    def query(self, text):
        """A list of (labels, value)."""
        answer = self.ask("query", query=text)
        assert answer["status"] == "success", answer
        return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]


def check_growth(server, machines):
    """Writes states until the server has seen three, and runs the queries."""
    for leaked in 0, 100, 5000:
        for m in machines:
            m.write(leaked if m.name == "leaks" else 0)
        metric = 'kmemtrace_site_allocations_total{machine="leaks",function="leak_alloc"}'
        wanted = [float(leaked)] if leaked else []
        seen = wait_for(f"{leaked} leaked", lambda: wanted == [
            v for _, v in server.query(metric)] and len(server.query(
                "kmemtrace_kernel_info")) == 2)
        result(f"Prometheus has scraped the state with {leaked} leaked objects", True, seen)
    result("node_exporter has read all files without error", [0.0, 0.0],
           [value for _, value in server.query(TEXTFILES)])
    result("node_exporter keeps the type", {"counter"}, {
        row["type"] for row in server.ask(
            "targets/metadata", metric="kmemtrace_site_allocations_total")["data"]})


def check_sums(server, machine):
    shown = json.loads(run(TOOL, "allocinfo", "--json", "--input",
                           f"{WORK}/{machine.name}.tags")[0])
    query = f'sum(kmemtrace_%s{{machine="{machine.name}",kind="slab"}})'
    for metric in "live_bytes", "site_live_bytes", "module_live_bytes":
        result(f"the sum of {metric} is that of allocinfo on {machine.name}",
               float(shown["totals"]["slab"]["live"]), server.query(query % metric)[0][1])


def check_document(server):
    """What the queries find first: labels of the first row."""
    expected = [
        {"machine": "leaks", "site": LEAK},
        {"machine": "leaks", "site": LEAK},
        {"function": "leak_alloc", "module": "leaky", "release": "6.12.0-leaky"},
        {"function": "leak_alloc", "module": "leaky"},
        {"module": "leaky"},
        None,
        None,
    ]
    queries = examples(DOCUMENT, "PromQL")
    result("the queries of the document are known", len(expected), len(queries))
    for query, labels in zip(queries, expected):
        rows = server.query(query)
        rows.sort(key=lambda row: -row[1])
        first = rows[0][0] if rows else None
        result(f"query: {' '.join(query.split())}", labels,
               first if not labels or not first else {k: first.get(k) for k in labels})
        if labels and "min_over_time" in query:
            result("... with the bytes that leaked", 4900 * 1024.0, rows[0][1])


print("KTAP version 1")
for path in STATES:
    check_parsers(path)
fleet = [Machine("leaks", "6.12.0-leaky"), Machine("sound", "6.1.0")]
for machine in fleet:
    machine.start()
server = Server(fleet)
check_growth(server, fleet)
for machine in fleet:
    check_sums(server, machine)
check_document(server)
with open(f"{WORK}/prometheus.log", encoding="utf-8") as log:
    result("Prometheus complains of nothing", [],
           [line for line in log if "level=warn" in line or "level=error" in line])
finish()
