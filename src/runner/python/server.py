"""Runs test files in one pytest session that forks, and says what became of each.

The first line of the input says what is to be done; the program says lines of JSON on its output, each behind a prefix that
only it and its reader know. Started inside a sandbox; it trusts nothing that runs in its children.
"""

import json
import os
import re
import sys

# What the interpreter puts there for a program is nothing that the project should find.
sys.path[:] = [it for it in sys.path if it != os.path.dirname(os.path.abspath(__file__))]


def _apart(descriptor, replacement):
    """Takes a descriptor away to a number that nobody expects, and leaves nothing in its place."""
    import fcntl

    kept = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 64)
    os.dup2(replacement, descriptor)
    return kept


_NULL = os.open(os.devnull, os.O_RDWR)
_INPUT = _apart(0, _NULL)
# What is printed is for whoever asks why it did not start.
_OUTPUT = _apart(1, 2)
_PREFIX = os.urandom(16).hex()

N_RECORD_MAX = 32 << 20


class Lines:
    """Lines of a descriptor, read without a buffer that a child would share."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.rest = b""

    def next(self):
        while b"\n" not in self.rest:
            chunk = os.read(self.descriptor, 1 << 16)
            if not chunk:
                return None
            self.rest += chunk
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line.decode("utf-8"))


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]


def say(what):
    # Names of others may have halves of characters, which are no text for whoever reads this.
    text = json.dumps(what, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    write_all(_OUTPUT, ("\n" + _PREFIX + text + "\n").encode("utf-8", "replace"))


class Recorder:
    """What pytest reports, whatever shows it."""

    def __init__(self, stream=None):
        import time

        # A test may set the clock that it finds there.
        self.clock = time.monotonic
        self.began = None
        self.items = {}
        self.errors = []
        self.ended = None
        self.stream = stream
        self.n_started = 0

    def note(self, nodeid, outcome, kind, message):
        worse = ["skipped", "xfailed", "passed", "xpassed", "failed", "error"]
        before = self.items.get(nodeid)
        if before is None or worse.index(outcome) > worse.index(before[0]) or before[0] == "passed" and outcome == "xfailed":
            self.items[nodeid] = [outcome, kind, message]

    def pytest_runtest_logstart(self, nodeid, location):
        if not self.n_started:
            self.began = self.clock()
        self.n_started += 1
        if self.stream:
            self.stream({"start": nodeid})

    def pytest_runtest_logreport(self, report):
        kind, message = None, None
        if report.outcome not in ("passed", "failed", "skipped"):
            return
        if report.failed or report.skipped:
            kind, message = reason_of(report)
        if hasattr(report, "wasxfail"):
            self.note(report.nodeid, "xfailed" if report.skipped else "xpassed", None, None)
        elif report.failed:
            self.note(report.nodeid, "failed" if report.when == "call" else "error", kind, message)
        elif report.skipped:
            self.note(report.nodeid, "skipped", "skipped", message)
        elif report.when == "call":
            self.note(report.nodeid, "passed", None, None)

    def pytest_runtest_logfinish(self, nodeid, location):
        if self.stream and nodeid in self.items:
            self.stream({"item": [nodeid, *self.items[nodeid]]})

    def pytest_collectreport(self, report):
        if report.failed:
            kind, message = reason_of(report)
            self.errors.append([report.nodeid, kind, message])
        elif report.skipped:
            kind, message = reason_of(report)
            self.errors.append([report.nodeid, "skipped", message])

    def pytest_keyboard_interrupt(self, excinfo):
        self.ended = [excinfo.typename, clean(excinfo.value)]

    def pytest_internalerror(self, excrepr, excinfo):
        self.ended = [excinfo.typename, clean(excinfo.value)]

    def steps(self, started, ended):
        """Returns the seconds until the first test began, and those of the tests."""
        began = ended if self.began is None else self.began
        return [began - started, ended - began]

    def record(self):
        return {
            "items": [[nodeid, *it] for nodeid, it in self.items.items()],
            "errors": self.errors,
            "ended": self.ended,
            "started": self.n_started,
        }


# They are compiled here, once for all children.
THROWN = re.compile(r"(?m)^(?:E\s+)?((?:\w+\.)*\w*(?:Error|Exception|Warning|Exit|Interrupt|Failed)\w*)(?::|$)")
NAMED = re.compile(r"((?:\w+\.)*\w+)(?::|$)")
MARKED = re.compile(r"(?m)^E\s+(.*)$")


def reason_of(report):
    """Returns the name of what was thrown and what it says."""
    longrepr = report.longrepr
    if isinstance(longrepr, tuple) and len(longrepr) == 3:
        return "skipped", clean(longrepr[2])
    crash = getattr(longrepr, "reprcrash", None)
    text = str(getattr(crash, "message", "") or "")
    if not text:
        try:
            text = str(longrepr)
        except Exception as error:
            text = type(error).__name__
    thrown = THROWN.findall(text)
    if crash is not None:
        first = NAMED.match(text)
        if first:
            thrown = [first.group(1)]
        if text.startswith("assert "):
            thrown = ["AssertionError"]
    kind = thrown[-1] if thrown else None
    if crash is None:
        marked = MARKED.findall(text)
        text = "\n".join(marked) if marked else text
    return kind, clean(text)


def compiles(path):
    """Returns why a file is no Python, or nothing."""
    import warnings

    try:
        with open(path, "rb") as file:
            text = file.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return [type(error).__name__, clean(error), getattr(error, "lineno", None)]
    return None


def counts_by_namespace():
    """Before Linux 5.14 processes of the same user outside would count."""
    numbers = re.findall(r"\d+", os.uname().release)
    return [int(it) for it in numbers[:2]] >= [5, 14]


def limit(order):
    import resource

    for name, value in (order.get("limits") or {}).items():
        which = getattr(resource, "RLIMIT_" + name, None)
        if which is None or name == "NPROC" and not counts_by_namespace():
            continue
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError):
            continue


def limit_cpu(request, more=0):
    """Ends this process when it has used up its processor time; it is told so before, as `SIGXCPU` says to others."""
    import resource

    seconds = request.get("cpu")
    if seconds:
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        last = seconds + more + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + more, last if hard == resource.RLIM_INFINITY else min(last, hard)))


class Watch:
    """Sees whether a test starts a process, or traces calls itself: lines that run then are not all seen."""

    EVENTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.spawn", "os.system", "sys.settrace"}

    def __init__(self):
        self.is_blind = False
        sys.addaudithook(self.hear)

    def hear(self, event, _):
        if event in self.EVENTS:
            self.is_blind = True


def is_loaded(root, changed):
    """Returns whether a file of the project was imported here, so that no child would see that it reads otherwise."""
    if not changed:
        return False
    path = os.path.realpath(os.path.join(root, changed))
    for module in list(sys.modules.values()):
        # Some stand for others, and import them when they are asked.
        name = vars(module).get("__file__") if type(module) is type(sys) else None
        if isinstance(name, str) and os.path.realpath(name) == path:
            return True
    return False


class Shaker:
    """Has some tests of a file run, or all of them in another order, or in another folder, or a second time."""

    def __init__(self, asked):
        self.asked = asked
        self.is_again = False

    def pytest_collection_modifyitems(self, items):
        only = self.asked.get("only")
        if only:
            # What it is called in a class stands behind the file, and its parameters behind that.
            items[:] = [it for it in items if it.nodeid.partition("::")[2].partition("[")[0] == only]
        if self.asked.get("reversed"):
            items.reverse()

    def pytest_runtestloop(self, session):
        if self.asked.get("folder") and not self.is_again:
            os.chdir(self.asked["folder"])
        if self.asked.get("twice") and not self.is_again:
            self.is_again = True
            pid = os.fork()
            if pid == 0:
                try:
                    session.config.hook.pytest_runtestloop(session=session)
                finally:
                    # What it leaves in folders is there when the others come.
                    os._exit(0)
            os.waitpid(pid, 0)


class Server:
    """The plugin: where its session would collect it forks instead, for every file that it is asked for.

    Nothing is collected in the parent: since pytest 9.1 fixtures belong to the nodes that were there when they were found.
    """

    # A thirtieth of those that the kernel has to choose from.
    N_PORTS_MAX = 1000
    # How often is looked who is left, until they are given up.
    N_ROUNDS = 10_000

    def __init__(self, order, requests, measured):
        self.order = order
        self.requests = requests
        self.measured = measured
        self.open_to_others = opener()
        self.before = {}
        self.own_ports = set()
        self.handlers = {}
        self.capture = None
        self.is_child = False
        self.session = None
        self.is_lone = False
        self.warm = Warm(order["root"])
        self.stem = None
        self.bodies = {}
        self.texts = {}
        # Folders that are this run's alone: what a case leaves in them goes.
        places = [os.environ["TMPDIR"], os.environ["HOME"]] if order.get("is_private") else []
        self.places = [*places, "/dev/shm", "/dev/mqueue"] if order.get("is_alone") else places
        self.is_alone = bool(order.get("is_alone")) and os.getpid() == 2

    def pytest_collection(self, session):
        if self.is_child:
            return None
        self.session = session
        self.is_lone = is_only_pytests(session.config)
        self.settle(self.order.get("imports") or [])
        if self.measured:
            self.measured.base = self.measured.taken()
        self.before, self.own_ports = self.left(), self.ports()
        if self.measured and self.measured.under:
            self.measured.add_to_base(self.end_of(session))
        self.handlers = self.unheard() if self.is_alone else {}
        # Whatever runs in a child is of the same user.
        is_closed = bool(self.open_to_others) and self.open_to_others(False)
        say({"ready": True, "others": others(), "closed": is_closed})
        while True:
            request = self.requests.next()
            if request is None:
                break
            if "statements" in request:
                say({"n": request["n"], "statements": {it: self.measured.statements(it) for it in request["statements"]}})
                continue
            if "maps" in request:
                say({"n": request["n"], "maps": self.measured.told_maps()})
                continue
            if "imports" in request:
                self.end_stem()
                say({"n": request["n"], "imports": self.warm_up(session, request["imports"])})
                continue
            if "compile" in request:
                say({"n": request["n"], "compiled": {it: compared(self.order["root"], it, edits) for it, edits in request["compile"].items()}})
                continue
            if "stem" in request:
                say(self.open_stem(session, request))
                continue
            if "graft" in request:
                say(self.in_stem(request))
                continue
            self.end_stem()
            if is_loaded(self.order["root"], request.get("changed")):
                say({"n": request["n"], "loaded": True})
                continue
            say(self.answer(session, request))
        # Nothing of the project's that ends sessions is asked any more.
        os._exit(0)

    def end_of(self, session):
        """Returns what the end of a session runs, as bits by file: no case comes to it here, and one alone does."""
        def end(writing):
            try:
                session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)
                session.config._ensure_unconfigure()
            finally:
                self.measured.cov.stop()
                write_all(writing, json.dumps(packed(self.measured.taken())).encode())

        try:
            return unpacked(json.loads(self.told(end, self.warm.PROBE_S)))
        except ValueError:
            # It took too long, or left something: then it is not known.
            return {}

    def unheard(self):
        """Hears no more of what a test tells all of its group, to which this process belongs; returns what was done about it."""
        import signal

        names = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP", "SIGALRM", "SIGUSR1", "SIGUSR2")
        numbers = [getattr(signal, name) for name in names]
        # What no Python has set cannot be set again.
        return {it: signal.signal(it, signal.SIG_IGN) for it in numbers if signal.getsignal(it) is not None}

    def warm_up(self, session, paths):
        """Imports what the project's own tests in some files import, and returns the names."""
        def collect(writing):
            known = set(sys.modules)
            session.config.args = [os.path.join(self.order["root"], it) for it in paths]
            self.is_child = True
            try:
                session.config.hook.pytest_collection(session=session)
            finally:
                # Also where one of them could not be collected.
                write_all(writing, json.dumps({"fine": self.warm.new(known)}).encode())

        def probed(names, watched):
            return self.told(lambda writing: self.warm.probe(names, watched, writing), self.warm.PROBE_S)

        names, _ = self.warm.said(self.told(collect, self.warm.COLLECT_S))
        fine = self.warm.fine(names, probed) if names else []
        self.settle(fine)
        return fine

    def settle(self, names):
        """Imports modules, and leaves nothing for the children to collect."""
        import gc

        self.warm.take(names)
        # Not frozen: a test sees what is, where it asks who refers to something.
        gc.collect()

    def told(self, work, seconds):
        """Returns what a child writes that does a piece of work; nothing where it fails, takes too long or leaves anything."""
        import signal
        import time

        reading, writing = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            return b""
        if pid == 0:
            try:
                os.close(reading)
                self.apart()
                work(writing)
            finally:
                os._exit(0)
        os.close(writing)
        data = self.read_all(reading, time.monotonic() + seconds)
        os.close(reading)
        is_clean = self.left() == self.before
        self.clear(pid, signal.SIGKILL)
        return data if is_clean else b""

    def read_all(self, reading, until):
        """Returns all that is written, or nothing where that takes too long."""
        import select
        import time

        data = b""
        while True:
            ready, _, _ = select.select([reading], [], [], max(until - time.monotonic(), 0))
            if not ready:
                return b""
            chunk = os.read(reading, 1 << 16)
            if not chunk:
                return data
            data += chunk

    def apart(self):
        """Takes from a child what leads out of it, and sets its limits."""
        import signal

        if not self.is_alone:
            # Nothing else tells what it starts from others. Who leads a session cannot make one, and tests do.
            os.setsid()
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        os.close(_INPUT)
        os.close(_OUTPUT)
        # What is closed to others has files in `/proc` that belong to root, its own too, and tests open these.
        self.open_to_others(True)
        os.dup2(_NULL, 1)
        os.dup2(_NULL, 2)
        limit(self.order)

    def pytest_ignore_collect(self, collection_path):
        """Leaves out what lies beside the file: pytest makes nodes of it, and drops them for that of the file."""
        if self.is_child and self.is_lone and not self.session.isinitpath(collection_path, with_parents=True):
            return True
        return None

    def answer(self, session, request):
        import signal
        import time

        prefix = os.urandom(16)
        reading, writing = os.pipe()
        ports = self.ports()
        started = time.monotonic()
        try:
            pid = os.fork()
        except OSError as error:
            os.close(reading)
            os.close(writing)
            return {"n": request["n"], "broken": clean(error)}
        if pid == 0:
            os.close(reading)
            self.child(session, request, prefix, writing, started)
        os.close(writing)
        record, status = self.wait(pid, reading, prefix, started + request["seconds"])
        os.close(reading)
        seconds = time.monotonic() - started
        self.clear(pid, signal.SIGKILL)
        return self.answered(request, record, status, seconds, ports)

    def answered(self, request, record, status, seconds, ports):
        """Returns the answer to a request: what a child has recorded, and how it ended where that is nothing."""
        import time

        is_dirty = self.left() != self.before or self.has_port_of_others()
        answer = {"n": request["n"], "seconds": round(seconds, 4), "dirty": is_dirty, "met_ports": ports != self.own_ports}
        if record is None:
            if status is None:
                answer["timeout"] = True
            else:
                answer["status"] = status
            return answer
        try:
            answer.update(self.read(request, json.loads(record.decode("utf-8")), time.monotonic))
        except Exception:
            # It was not ours: whoever runs in the child can write one, too.
            answer["unreadable"] = True
        return answer

    def open_stem(self, session, request):
        """Has a child collect a file and run a test of it once, measured; says what came of that."""
        import time

        self.end_stem()
        started = time.monotonic()
        until = started + request["seconds"]
        if not (self.is_alone and self.measured):
            return {"n": request["n"], "unfit": "others are around"}
        asked, asking = os.pipe()
        hearing, saying = os.pipe()
        prefix = os.urandom(16)
        try:
            pid = os.fork()
        except OSError as error:
            for it in (asked, asking, hearing, saying):
                os.close(it)
            return {"n": request["n"], "broken": clean(error)}
        if pid == 0:
            os.close(asking)
            os.close(hearing)
            Sprout(self, session, request["stem"], asked, saying).grow(prefix)
        os.close(asked)
        os.close(saying)
        self.stem = Stem(pid, request["stem"], asking, hearing)
        try:
            said = self.heard(self.stem.heard(prefix, until))
            if "late" in said or self.left() != self.before:
                raise Unfit("it leaves something when it is collected, or takes too long")
            self.stem.raw = both(self.measured.base, unpacked(json.loads(said[RECORD].decode("utf-8"))))
            self.stem.before = self.measured.told(self.stem.raw)
            loaded = [request["stem"], *self.stem.before]
            if any(self.says_of(it, OF_PROCESS) for it in loaded):
                raise Unfit("what is loaded may be of its process")
            self.stem.looks_at_code = any(self.says_of(it, OF_CODE) for it in loaded)
            self.stem.seconds = time.monotonic() - started
            return self.begin_in_stem(request)
        except Exception as error:
            self.end_stem()
            return {"n": request["n"], "unfit": clean(error)}

    def begin_in_stem(self, request):
        """Has the stem run a test on the code as it is, measured, before any is run on changed files.

        To collect its file counts for each of its tests: how long one may take does not depend on which is the first.
        """
        import time

        self.read_bodies(request["files"])
        collecting = self.stem.seconds
        answer = self.run_stem(request, {"measured": True, "lone": request["lone"]}, time.monotonic() - collecting)
        return {**answer, "own": round(max(answer["seconds"] - collecting, 0), 4)}

    def says_of(self, path, pattern):
        """Returns whether a file of the project has words of a kind."""
        name = os.path.join(self.order["root"], path)
        if path == self.stem.path:
            # The test's file is another one each time.
            return bool(pattern.search(read(name)))
        if (name, pattern) not in self.texts:
            self.texts[name, pattern] = bool(pattern.search(read(name)))
        return self.texts[name, pattern]

    def in_stem(self, request):
        """Has the stem run a test on the code as it is, or with a change in place."""
        import time

        try:
            if self.stem is None:
                raise Unfit("it is not collected")
            if "files" in request:
                return self.begin_in_stem(request)
            order, asked = {"cpu": request.get("cpu"), "lone": request["lone"]}, request["graft"]
            if asked:
                order["place"] = self.place(asked)
                return self.run_changed(request, order)
            return self.run_stem(request, order, time.monotonic())
        except Unfit as error:
            return {"n": request["n"], "unfit": clean(error), "stem": self.stem is not None}
        except Exception as error:
            self.end_stem()
            return {"n": request["n"], "unfit": clean(error), "stem": False}

    def place(self, asked):
        """Returns where a change is put; none of it has run before the test."""
        name = os.path.join(self.order["root"], asked["path"])
        if name not in self.bodies:
            raise Unfit("its file was not read before it was changed")
        if self.bodies[name] is None:
            raise Unfit("its file cannot be read")
        place = self.bodies[name].place(asked["start"], asked["end"], asked["replacement"])
        first, last = place.pop("inner")
        before = of_numbits(self.stem.raw.get(name, b""))
        inside = any(first <= it <= last for it in self.measured.reporter(name).lines())
        if not inside or before >> first & (1 << last - first + 1) - 1:
            raise Unfit("it has run before the test, or nobody knows")
        place["is_loaded"] = bool(before)
        place["is_looked_at"] = self.stem.looks_at_code
        return place

    def read_bodies(self, paths):
        """Reads files that are to be changed, while they are as they were."""
        for path in paths:
            name = os.path.join(self.order["root"], path)
            if name not in self.bodies:
                try:
                    self.bodies[name] = Bodies(name)
                    self.measured.reporter(name).lines()
                except Exception:
                    self.bodies[name] = None

    def run_changed(self, request, order):
        """Has the stem run a test with a change in place.

        A test that does not pass has entered what is there, since it passes without; one that passes may not have.
        """
        import time

        answer = self.run_stem(request, order, time.monotonic())
        if not has_passed(answer):
            return answer
        try:
            self.probe(request, order)
        except Unfit as error:
            # What the run has left stays to be known.
            answer = {**answer, "record": None, "unfit": clean(error)}
        return {**answer, "stem": self.stem is not None}

    def probe(self, request, order):
        """Makes sure that the test enters what is put in a place."""
        import time

        place = order["place"]
        key = place["path"], place["first"], order["lone"]
        if not place["is_loaded"]:
            return
        if key not in self.stem.entered:
            until = time.monotonic() + request["seconds"]
            said = self.heard(self.stem.ask({**order, "probe": True}, until))
            if "late" in said:
                raise Unfit("it takes too long")
            self.stem.entered[key] = RECORD not in said and said[END] == (ENTERED << 8).to_bytes(4, "big")
        if not self.stem.entered[key]:
            raise Unfit("the test does not enter what is put in its place")

    def heard(self, said):
        """Leaves the stem alone again, and returns what it has said of a run, where that was to its end."""
        if said is None:
            self.end_stem()
            raise Unfit("it has ended by itself")
        if not self.end_others() or "late" in said:
            self.end_stem()
        if UNFIT in said:
            raise Unfit(said[UNFIT].decode("utf-8", "replace"))
        if "late" not in said and self.stem is None:
            raise Unfit("somebody is left")
        return said

    def run_stem(self, request, order, started):
        import time

        ports = self.ports()
        said = self.heard(self.stem.ask(order, started + request["seconds"]))
        seconds = time.monotonic() - started
        status = None if "late" in said else int.from_bytes(said[END], "big")
        answer = self.answered(request, said.get(RECORD), status, seconds, ports)
        return {**answer, "stem": self.stem is not None}

    def end_others(self):
        """Ends all but the stem, and removes what they have left; returns whether nobody else is there any more."""
        import signal

        own = {1, os.getpid(), self.stem.pid}
        for _ in range(self.N_ROUNDS):
            left = [it for it in map(int, filter(str.isdigit, os.listdir("/proc"))) if it not in own and is_alive(it)]
            if not left:
                self.sweep()
                return True
            for it in left:
                try:
                    os.kill(it, signal.SIGKILL)
                except OSError:
                    pass
        return False

    def end_stem(self):
        import signal

        stem, self.stem = self.stem, None
        if stem:
            stem.leave()
            self.clear(stem.pid, signal.SIGKILL)

    def read(self, request, record, clock):
        """Returns what a record says, and fails where it is none."""
        reading = clock()
        bits, called, steps = record.pop("lines", None), record.pop("called", {}), record.pop("steps", None)
        said = {"record": checked(record)}
        if bits is not None:
            said["lines"] = self.measured.told(unpacked(bits))
            if request.get("focal"):
                said["focal"] = self.measured.focal(request["focal"], said["lines"], unpacked(called))
        if steps is not None:
            load, test, coverage = times(steps)
            said["steps"] = [load, test, coverage + clock() - reading]
        return said

    def wait(self, pid, reading, prefix, until):
        """Returns a whole record or none, and how the child ended where it did."""
        import select
        import time

        poll = select.poll()
        poll.register(reading, select.POLLIN | select.POLLHUP)
        data, is_found, status = b"", False, None
        while True:
            left = until - time.monotonic()
            if left <= 0:
                return None, None
            ready = poll.poll(min(left, 0.05) * 1000)
            if ready:
                chunk = os.read(reading, 1 << 20)
                data += chunk
                if not is_found:
                    at = data.find(prefix)
                    is_found = at >= 0
                    data = data[at + 16:] if is_found else data[-15:]
                if is_found and len(data) >= 4:
                    size = int.from_bytes(data[:4], "big")
                    if size > N_RECORD_MAX:
                        return b"", 0
                    if len(data) >= 4 + size:
                        return data[4:4 + size], 0
                if chunk:
                    continue
                # Nobody can write any more.
                if status is None:
                    status = self.reap(pid, until)
                return None, status
            if status is not None:
                return None, status
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                # What it has written is still to be read, once.
                status = code

    def reap(self, pid, until):
        import time

        while time.monotonic() < until:
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                return code
            time.sleep(0.002)
        return None

    def clear(self, pid, kill):
        """Ends all that a child has started, and removes what it has left in memory."""
        for target in (lambda: os.kill(pid, kill), lambda: os.killpg(pid, kill)):
            try:
                target()
            except OSError:
                pass
        if self.is_alone:
            try:
                os.kill(-1, kill)
            except OSError:
                pass
        for how in (0, os.WNOHANG):
            try:
                # Whoever is killed ends at once; its own children go to the first process.
                os.waitpid(pid if how == 0 else -1, how)
            except OSError:
                pass
        self.sweep()

    def sweep(self):
        """Removes what was left in folders that are this run's alone."""
        import shutil

        for place in self.places:
            try:
                names = os.listdir(place)
            except OSError:
                continue
            for name in names:
                path = os.path.join(place, name)
                if path in self.before:
                    continue
                if os.path.isdir(path) and not os.path.islink(path):
                    for folder, _, _ in os.walk(path):
                        try:
                            os.chmod(folder, 0o700)
                        except OSError:
                            pass
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    try:
                        os.unlink(path)
                    except OSError:
                        pass
        self.empty_capture()

    def empty_capture(self):
        try:
            capture = self.capture._global_capturing
            for it in (capture.out, capture.err):
                it.tmpfile.seek(0)
                it.tmpfile.truncate()
        except (AttributeError, OSError, ValueError):
            # Nothing is captured in files.
            pass

    def left(self):
        """Returns what a child could change here from outside: what it leaves in memory, and what the next ones inherit."""
        found = {"": [inherited(), numbered() if self.is_alone else None]}
        for place in self.places:
            try:
                device = os.lstat(place).st_dev
            except OSError:
                continue
            for folder, folders, names in os.walk(place):
                for name in [*folders, *names]:
                    path = os.path.join(folder, name)
                    try:
                        it = os.lstat(path)
                    except OSError:
                        continue
                    if it.st_dev != device:
                        # What is mounted below, as the project is where the cache lies in such a folder, is not a case's.
                        if name in folders:
                            folders.remove(name)
                        continue
                    is_folder = os.path.isdir(path)
                    found[path] = None if is_folder else (it.st_size, it.st_mtime_ns, it.st_ino)
        return found

    def ports(self):
        return kept_ports() if self.is_alone else set()

    def has_port_of_others(self):
        """Returns whether a port is kept that a test may ask for by its number, or so many that one may not get any.

        Those that the kernel chooses are kept after most tests with sockets, and hardly ever asked for by their number. Where
        they are, a test that does not pass is run again where none is kept.
        """
        ports = self.ports() - self.own_ports
        if not ports:
            return False
        try:
            with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
                first, last = map(int, file.read().split())
        except OSError:
            return True
        return len(ports) > self.N_PORTS_MAX or not all(first <= it <= last for it in ports)

    def child(self, session, request, prefix, writing, started):
        code = 1
        try:
            self.apart()
            limit_cpu(request)
            watch = Watch() if request.get("watched") else None
            is_measured = self.measured and request.get("lines", True)
            is_under = is_measured and self.measured.is_under(request.get("focal"))
            if is_under:
                self.measured.start_again(os.path.join(self.order["root"], request["path"]))
            recorder = Recorder()
            record = self.run(session, request, recorder)
            ended = recorder.clock()
            if watch:
                # Before anything of ours ends tracing.
                record["blind"] = watch.is_blind
            if is_measured:
                self.measured.cov.stop()
                record["lines"] = packed(self.measured.taken())
            if is_under:
                record["called"] = packed(self.measured.called())
            record["steps"] = [*recorder.steps(started, ended), recorder.clock() - ended]
            data = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii", "replace")
            write_all(writing, prefix + len(data).to_bytes(4, "big") + data)
            code = 0
        finally:
            os._exit(code)

    def run(self, session, request, recorder):
        self.enter(session, request, recorder)
        self.call(session, recorder, ["pytest_collection", "pytest_runtestloop"])
        # Of a file that does not compile nothing has run.
        wrong = None if recorder.n_started else compiles(os.path.join(self.order["root"], request["path"]))
        return {"unparsable": wrong} if wrong else recorder.record()

    def enter(self, session, request, recorder):
        """Has the session of a child be about one file, and what it says be heard."""
        config = session.config
        config.pluginmanager.register(recorder, "focalist-recorder")
        if request.get("shaken"):
            config.pluginmanager.register(marked(Shaker)(request["shaken"]), "focalist-shaker")
        config.args = [os.path.join(self.order["root"], request["path"])]
        self.is_child = True

    def call(self, session, recorder, hooks):
        """Calls what a session consists of, and takes note of what ends it."""
        try:
            for name in hooks:
                getattr(session.config.hook, name)(session=session)
        except session.Interrupted as error:
            # So a session ends whose file cannot be collected; that is said already.
            if not recorder.errors:
                recorder.ended = ["Stop", clean(error)]
        except session.Failed as error:
            recorder.ended = ["Stop", clean(error)]
        except BaseException as error:
            recorder.ended = [type(error).__name__, clean(error)]


def has_passed(answer):
    """Returns whether a test has come to its end in a run, and nothing in it has failed."""
    record = answer.get("record")
    return bool(record) and not record["errors"] and all(it[1] not in ("failed", "error") for it in record["items"])


def read(path):
    with open(path, "rb") as file:
        return file.read()


def is_alive(pid):
    """Returns whether a process is there that still does something."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def packed(found):
    return {it: bits.hex() for it, bits in found.items()}


def unpacked(said):
    return {text(it): bytes.fromhex(hexed) for it, hexed in said.items()}


def text(value, is_needed=True):
    if not isinstance(value, str) and (is_needed or value is not None):
        raise ValueError("no text")
    return value


def checked(record):
    """Returns a record as a child writes one, and nothing else that may stand in it."""
    if "unparsable" in record:
        kind, message, line = record["unparsable"]
        return {"unparsable": [text(kind), text(message), None if line is None else abs(int(line))]}
    ended = record["ended"]
    return {
        "items": [[text(it), text(outcome), text(kind, False), text(message, False)] for it, outcome, kind, message in record["items"]],
        "errors": [[text(it), text(kind, False), text(message, False)] for it, kind, message in record["errors"]],
        "ended": None if ended is None else [text(it) for it in ended[:2]],
        "started": abs(int(record["started"])),
        "blind": bool(record.get("blind")),
    }


def times(steps):
    """Returns seconds as a child says them, and fails where these are none."""
    found = [float(it) for it in steps]
    if not all(0 <= it < float("inf") for it in found):
        raise ValueError("no time")
    return found


def inherited():
    """Returns how much a process may use and how it is scheduled, which any process of its user can set."""
    import resource

    names = [it for it in dir(resource) if it.startswith("RLIMIT_")]
    limits = {it: resource.getrlimit(getattr(resource, it)) for it in names}
    return [limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0)]


def numbered():
    """Returns what System V keeps by a number until it is removed: memory, semaphores, and queues of messages."""
    found = []
    for name in ("shm", "sem", "msg"):
        try:
            with open("/proc/sysvipc/" + name) as file:
                found.append(sorted(line.split()[:2] for line in file.readlines()[1:]))
        except OSError:
            # This kernel has none.
            continue
    return found


def kept_ports():
    """Returns the ports of connections, also of closed ones: for a minute, nobody is given the one of who closed first."""
    found = set()
    try:
        with open("/proc/net/sockstat") as four, open("/proc/net/sockstat6") as six:
            counts = re.findall(r"^TCP6?: inuse (\d+)(?:.* tw (\d+))?", four.read() + six.read(), re.M)
        # Mostly there are none; to look for them in the tables takes a hundred times as long.
        if not any(int(it or 0) for row in counts for it in row):
            return found
        for name in ("tcp", "tcp6"):
            with open("/proc/net/" + name) as file:
                found.update(int(line.split()[1].rpartition(":")[2], 16) for line in file.readlines()[1:])
    except OSError:
        # This kernel has no network, or no part of it.
        pass
    return found


def opener():
    """Returns what opens this process to others of its user, or closes it: its memory, and what it has open.

    Only `ctypes` can do that, and nothing of it stays where a project would find it. None where there is no `ctypes`.
    """
    known = set(sys.modules)
    try:
        import ctypes

        call = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    finally:
        for name in set(sys.modules) - known:
            del sys.modules[name]
    set_dumpable = 4
    return lambda is_open: call(set_dumpable, int(is_open), 0, 0, 0) == 0


def is_only_pytests(config):
    """Returns whether nobody but pytest itself is asked about each file of a folder, so that not asking changes nothing."""
    for name in ("pytest_ignore_collect", "pytest_collect_file", "pytest_collect_directory"):
        caller = getattr(config.pluginmanager.hook, name, None)
        for it in caller.get_hookimpls() if caller else []:
            module = getattr(it.plugin, "__name__", None) or type(it.plugin).__module__
            if not module.startswith("_pytest.") and not isinstance(it.plugin, Server):
                return False
    return True


def others():
    """Returns how many threads and processes there are besides this one: a fork would lose them, or end them."""
    tasks = os.listdir("/proc/self/task")
    n_children = 0
    for task in tasks:
        try:
            with open("/proc/self/task/%s/children" % task) as file:
                n_children += len(file.read().split())
        except OSError:
            continue
    return len(tasks) - 1 + n_children


class Starter:
    """Takes note of what has run where nothing of the project's tests is loaded yet."""

    def __init__(self, measured):
        self.measured = measured

    def pytest_load_initial_conftests(self, early_config, parser, args):
        if self.measured:
            self.measured.note_under()


def marked(plugin_class):
    """Says of hooks when they are called; pytest is imported late, as it would be."""
    import pytest

    if plugin_class is Starter:
        Starter.pytest_load_initial_conftests = pytest.hookimpl(tryfirst=True)(Starter.pytest_load_initial_conftests)
    if plugin_class is Shaker:
        # The order is the last word.
        Shaker.pytest_collection_modifyitems = pytest.hookimpl(trylast=True)(Shaker.pytest_collection_modifyitems)
        Shaker.pytest_runtestloop = pytest.hookimpl(tryfirst=True)(Shaker.pytest_runtestloop)
    if plugin_class is Server:
        Server.pytest_collection = pytest.hookimpl(tryfirst=True)(Server.pytest_collection)
        if int(pytest.__version__.split(".")[0]) >= 8:
            Server.pytest_ignore_collect = pytest.hookimpl(tryfirst=True)(Server.pytest_ignore_collect)
        else:
            # Before, folders were no nodes.
            del Server.pytest_ignore_collect
    return plugin_class


def options_of(order):
    scratch = os.environ.get("TMPDIR", "/tmp")
    return [
        "-o", "addopts=" + order["addopts"],
        "-o", "cache_dir=" + os.path.join(scratch, "focalist-cache"),
        "--basetemp=" + os.path.join(scratch, "focalist-base"),
    ]


def main():
    say_hello = {"hello": _PREFIX, "python": sys.version.split()[0]}
    write_all(_OUTPUT, (json.dumps(say_hello) + "\n").encode())
    requests = Lines(_INPUT)
    order = requests.next()
    if order is None:
        return 0
    os.chdir(order["root"])
    import time

    opened = time.monotonic()
    mode = order["mode"]
    request = requests.next() if mode == "fresh" else None
    measured = Measured(order) if order.get("lines") else None
    if measured:
        is_asked = request is not None and request.get("focal")
        measured.start(os.path.join(order["root"], request["path"]) if is_asked else None)
    import pytest

    plugins = [marked(Starter)(measured)]
    if mode == "serve":
        server = marked(Server)(order, requests, measured)
        plugins.append(server)
        holder = type("Holder", (), {"pytest_configure": staticmethod(
            lambda config: setattr(server, "capture", config.pluginmanager.getplugin("capturemanager")))})
        plugins.append(holder())
        code = pytest.main([*options_of(order), "-q", os.path.join(order["root"], order["anchor"])], plugins=plugins)
        # It is here only when the session did not come to its loop.
        say({"failed": int(code)})
        return 1
    recorder = Recorder(stream=say if mode == "suite" else None)
    plugins.append(recorder)
    if mode == "fresh":
        if request.get("shaken"):
            plugins.append(marked(Shaker)(request["shaken"]))
        wrong = compiles(os.path.join(order["root"], request["path"]))
        if wrong:
            say({"n": request["n"], "seconds": 0, "record": {"unparsable": wrong}})
            return 0
        limit(order)
        limit_cpu(request, 5)
        watch = Watch() if request.get("watched") else None
        started = recorder.clock()
        pytest.main([*options_of(order), "-q", os.path.join(order["root"], request["path"])], plugins=plugins)
        ended = recorder.clock()
        seconds = ended - started
        answer = {"n": request["n"], "seconds": round(seconds, 4), "dirty": True, "record": recorder.record()}
        if watch:
            answer["record"]["blind"] = watch.is_blind
        if measured and measured.cov:
            measured.cov.stop()
            answer["lines"] = measured.told(measured.taken())
            if request.get("focal"):
                answer["focal"] = measured.focal(request["focal"], answer["lines"], measured.called())
        answer["steps"] = [*recorder.steps(opened, ended), recorder.clock() - ended]
        say(answer)
        # Threads that were left do not hold it up.
        os._exit(0)
    arguments = [*options_of(order), "-q", *order.get("arguments", [])]
    if mode == "collect":
        arguments.append("--collect-only")
        collected = []
        finisher = type("Finisher", (), {"pytest_collection_finish": staticmethod(
            lambda session: collected.extend(it.nodeid for it in session.items))})
        plugins.append(finisher())
    if mode == "suite":
        arguments.append("--continue-on-collection-errors")
    code = pytest.main(arguments, plugins=plugins)
    answer = {"end": int(code), "errors": recorder.errors, "ended": recorder.ended}
    if mode == "collect":
        import importlib.metadata as metadata

        answer["collected"] = collected
        answer["installed"] = sorted({"%s==%s" % (it.metadata["Name"], it.version) for it in metadata.distributions()})
    say(answer)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
