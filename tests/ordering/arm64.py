# SPDX-License-Identifier: GPL-2.0-only
"""All executions of small programs on a CPU of arm64.

A program is a list of threads. A thread is a generator: it yields accesses, and gets the
values that it reads:

    def reader():
        flag = yield R("flag", ACQUIRE)
        if branch(flag):
            data = yield R("data")

The result of a thread is what it returns. executions() yields the results of all threads,
and the final memory, of each execution that the architecture allows.

The rules are those of the Arm Architecture Reference Manual (DDI 0487, B2.3, "Definition of
the Arm memory model"): the internal and the external visibility requirement and atomicity,
without instruction fetches, translation and accesses of different sizes. The names of
relations are those of the manual.
"""

import itertools

# smp_load_acquire() may be LDAPR (Q); atomic instructions have the stronger order A
RELAXED, ACQUIRE, ATOMIC_ACQUIRE, RELEASE = "", "Q", "A", "L"
ACQUIRES = (ACQUIRE, ATOMIC_ACQUIRE)


class Value(int):
    """A number, and the reads of the thread on which it depends."""

    def __new__(cls, number, reads=frozenset()):
        value = super().__new__(cls, number)
        value.reads = frozenset(reads)
        return value


def reads_of(value):
    return getattr(value, "reads", frozenset())


class Access:
    """An access or a barrier of a thread, as the thread yields it."""

    def __init__(self, kind, place=None, value=None, order=RELAXED, address=0, rmw=False):
        self.kind = kind  # R, W, or the name of a barrier
        self.place = place
        self.value = value
        self.order = order
        self.address = reads_of(address)  # reads on which the address depends
        self.data = reads_of(value)
        self.rmw = rmw  # a write: of the same instruction as the read before


def R(place, order=RELAXED, address=0):
    """Read a place. Its address depends on what @address depends on."""
    return Access("R", place, None, order, address)


def W(place, value, order=RELAXED, address=0, rmw=False):
    """Write a place; @rmw: with the instruction of the read before."""
    return Access("W", place, value, order, address, rmw)


MB, RMB, WMB = Access("full"), Access("ld"), Access("st")


class Branch:
    def __init__(self, value):
        self.value = value


def branch(value):
    """Decide by a value: what follows in the thread has a control dependency on it."""
    yield Branch(value)
    return bool(value)


def add(place, n):
    """An atomic instruction that adds without an order, and returns the old value."""
    old = yield R(place)
    write = W(place, Value(old + n, reads_of(old)))
    write.rmw = True
    yield write
    return old


def add_fully_ordered(place, n):
    """The same, as the kernel's atomic_fetch_add() and similar functions."""
    yield MB
    old = yield from add(place, n)
    yield MB
    return old


def lock(place):
    """Take a spin lock that is free; executions in which it is not are left out."""
    old = yield R(place, ATOMIC_ACQUIRE)
    if old:
        yield None
    write = W(place, Value(1))
    write.rmw = True
    yield write


def unlock(place):
    yield W(place, 0, RELEASE)


# --- executions of one thread -----------------------------------------------------------


class Event:
    """An access in an execution."""

    def __init__(self, access, thread, control):
        self.kind = access.kind
        self.place = access.place
        self.value = access.value
        self.order = access.order
        self.address = access.address
        self.data = access.data
        self.control = control
        self.rmw = access.rmw
        self.thread = thread


def thread_executions(make, thread, values):
    """Yield (events, result) for each way in which the reads may have values."""

    def run(choices):
        # the generator cannot be copied, so it runs again from its start
        generator, events, control, reply, used = make(), [], frozenset(), None, 0
        while True:
            try:
                access = generator.send(reply)
            except StopIteration as stop:
                yield events, stop.value
                return
            reply = None
            if access is None:
                return
            if isinstance(access, Branch):
                control = control | reads_of(access.value)
                continue
            event = Event(access, thread, control)
            if event.kind == "R":
                if used == len(choices):
                    for value in values[event.place]:
                        yield from run(choices + [value])
                    return
                event.value = choices[used]
                used += 1
                reply = Value(event.value, {len(events)})
            events.append(event)

    yield from run([])


# --- executions of all threads ------------------------------------------------------------


def is_acyclic(edges, count):
    """Whether the graph has no cycle. edges[i] is a set of bits."""
    left, changed = (1 << count) - 1, True
    while changed and left:
        changed = False
        for i in range(count):
            if left >> i & 1 and not edges[i] & left:
                left &= ~(1 << i)
                changed = True
    return not left


class Candidate:
    """The events of an execution with those orders that do not depend on reads-from."""

    def __init__(self, threads, initial):
        self.events = [Event(W(place, value), -1, frozenset()) for place, value in initial.items()]
        self.po = []
        for events in threads:
            base = len(self.events)
            self.events += events
            for i in range(len(events)):
                for j in range(i + 1, len(events)):
                    self.po.append((base + i, base + j))
        self.base = {}
        for i, event in enumerate(self.events):
            self.base.setdefault(event.thread, i)
        self.writes = {}
        for i, event in enumerate(self.events):
            if event.kind == "W":
                self.writes.setdefault(event.place, []).append(i)
        self.rmw = [(i - 1, i) for i, event in enumerate(self.events) if event.rmw]
        self.local = self.po_local()
        self.ordered = self.fixed_order()

    def po_local(self):
        e = self.events
        return [(i, j) for i, j in self.po if e[i].place and e[i].place == e[j].place]

    def fixed_order(self):
        """dob, aob and bob, but for those parts that need reads-from."""
        e, order = self.events, set(self.rmw)
        for j, event in enumerate(e):
            base = self.base[event.thread]
            for i in event.address:
                order.add((base + i, j))
                # addr;po;[W]
                order |= {(base + i, k) for h, k in self.po if h == j and e[k].kind == "W"}
            order |= {(base + i, j) for i in event.data}
            if event.kind == "W":
                order |= {(base + i, j) for i in event.control}
        for i, j in self.po:
            if e[i].order in ACQUIRES or e[j].order == RELEASE:
                order.add((i, j))
            if e[i].order == RELEASE and e[j].order == ATOMIC_ACQUIRE:
                order.add((i, j))
        for barrier, event in enumerate(e):
            if event.kind not in ("full", "ld", "st"):
                continue
            for i, _ in [p for p in self.po if p[1] == barrier]:
                for _, j in [p for p in self.po if p[0] == barrier]:
                    if (
                        event.kind == "full"
                        or (event.kind == "ld" and e[i].kind == "R")
                        or (event.kind == "st" and e[i].kind == e[j].kind == "W")
                    ):
                        order.add((i, j))
        return order

    def reads_from(self):
        """Yield each list of pairs of a write and the read that gets its value."""
        e = self.events
        choices = [
            [(w, r) for w in self.writes.get(event.place, []) if e[w].value == event.value]
            for r, event in enumerate(e)
            if event.kind == "R"
        ]
        yield from itertools.product(*choices)

    def coherence(self):
        """Yield each order of the writes of each place, as a list of lists."""
        places = []
        for writes in self.writes.values():
            first, rest = writes[0], writes[1:]
            places.append([(first, *order) for order in itertools.permutations(rest)])
        yield from itertools.product(*places)

    def allows(self, rf, co):
        e, count = self.events, len(self.events)
        coe = [(a, b) for order in co for n, a in enumerate(order) for b in order[n + 1 :]]
        fr = [(r, b) for w, r in rf for a, b in coe if a == w]
        internal, external = [0] * count, [0] * count
        for a, b in itertools.chain(self.local, coe, rf, fr):
            internal[a] |= 1 << b
        if not is_acyclic(internal, count):
            return False
        between = set(coe)
        for a, b in self.rmw:
            if any(
                (a, w) in fr and (w, b) in between and e[w].thread != e[a].thread for w in range(count)
            ):
                return False
        for a, b in itertools.chain(coe, rf, fr):
            if e[a].thread != e[b].thread:  # obs
                external[a] |= 1 << b
        for a, b in self.ordered:
            external[a] |= 1 << b
        written = {b for _, b in self.rmw}
        for w, r in rf:
            if e[w].thread != e[r].thread:
                continue
            # (addr|data);rfi
            for i in e[w].address | e[w].data:
                external[self.base[e[w].thread] + i] |= 1 << r
            # [range(rmw)];rfi;[A|Q]
            if w in written and e[r].order in ACQUIRES:
                external[w] |= 1 << r
        return is_acyclic(external, count)


def values_of(threads, initial):
    """The values that each place can have.

    A value is computed from those of other writes, so there are as many steps as writes.
    """
    values = {place: {int(value)} for place, value in initial.items()}
    steps, done = 1, 0
    while done < steps:
        found, steps = {place: set(old) for place, old in values.items()}, 0
        for thread in threads:
            most = 0
            for events, _ in thread_executions(thread, 0, values):
                writes = [event for event in events if event.kind == "W"]
                most = max(most, len(writes))
                for event in writes:
                    found[event.place].add(int(event.value))
            steps += most
        if found == values:
            break
        values, done = found, done + 1
    return values


def executions(threads, initial):
    """Yield (results, memory) of each allowed execution."""
    values = values_of(threads, initial)
    each = [list(thread_executions(thread, n, values)) for n, thread in enumerate(threads)]
    for chosen in itertools.product(*each):
        candidate = Candidate([events for events, _ in chosen], initial)
        results = tuple(result for _, result in chosen)
        orders = list(candidate.coherence())
        for rf in candidate.reads_from():
            for co in orders:
                if candidate.allows(rf, co):
                    memory = {
                        place: int(candidate.events[order[-1]].value)
                        for place, order in zip(candidate.writes, co)
                    }
                    yield results, memory
