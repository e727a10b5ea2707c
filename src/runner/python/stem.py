"""A file of tests that is collected once, and whose tests run many times, each time in a process of its own, with a function of
the project changed in place; stands before the program that runs test files.

The child that has collected it is the stem. What it cannot run as a process that imports the changed file would is unfit, and is
left to such a process.
"""

import os
import re
import sys

RECORD, END, UNFIT = b"R", b"E", b"U"
# How a test ends that has entered a function in whose place there is nothing else.
ENTERED = 77


class Unfit(Exception):
    """Says why only a process that imports the changed file can tell."""


class Bodies:
    """The functions of a file whose bodies can be changed in place: those of modules and classes, as far as they are read here."""

    def __init__(self, path):
        import ast

        self.path = path
        self.flags = 0
        self.imported = []
        self.functions = []
        # Where the functions and classes of the module begin and end.
        self.definitions = []
        with open(path, "rb") as file:
            self.text = file.read()
        said = re.search(rb"coding[=:]\s*([-\w.]+)", b"\n".join(self.text.split(b"\n")[:2]))
        if re.search(rb"[\r\f]|^\xef\xbb\xbf", self.text) or said and said.group(1).lower() not in (b"utf-8", b"utf8"):
            raise Unfit("its file is not read by bytes and lines")
        self.starts = [0, *(it.end() for it in re.finditer(rb"\n", self.text)), len(self.text)]
        tree = ast.parse(self.text)
        self.visit(tree, [])
        for it in tree.body:
            if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.definitions.append((self.at(first_line(it)), self.at(it.end_lineno, it.end_col_offset)))

    def visit(self, node, around):
        import ast

        for it in ast.iter_child_nodes(node):
            if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.append((it, around, self.body(it)))
            elif isinstance(it, ast.ImportFrom) and it.module == "__future__":
                self.flags |= flags_of(it)
            elif isinstance(it, (ast.Import, ast.ImportFrom)):
                if not any(isinstance(it, ast.ClassDef) for it in around):
                    self.imported += [name.asname or name.name.partition(".")[0] for name in it.names if name.name != "*"]
            elif isinstance(it, ast.stmt):
                self.visit(it, [*around, it])
            elif not isinstance(it, ast.expr):
                # Handlers and cases.
                self.visit(it, around)

    def at(self, line, column=0):
        return self.starts[line - 1] + column

    def body(self, node):
        """Returns the first line of a function, the first of its body, and the bytes of that; not the text that documents it."""
        import ast

        first = first_line(node)
        is_text = isinstance(node.body[0], ast.Expr) and isinstance(getattr(node.body[0].value, "value", None), str)
        inner = node.body[1:] if is_text else node.body
        if not inner:
            return first, node.end_lineno + 1, 0, 0
        inner_line = first_line(inner[0])
        start = self.at(inner_line, inner[0].col_offset if inner_line == inner[0].lineno else 0)
        return first, inner_line, start, self.at(node.end_lineno, node.end_col_offset)

    def definition(self, start, end):
        """Returns where the function or class of the module begins and ends in which a change is, and how it is compiled by itself;
        nothing where there is none.
        """
        for first, last in self.definitions:
            if first <= start <= end <= last:
                return first, last, self.flags
        return None

    def place(self, start, end, replacement):
        """Returns the function in whose body a change is, as it is and as it is to be; each stands at its own lines."""
        import ast

        for node, around, (first, inner, at, to) in self.functions:
            if not at <= start <= end <= to:
                continue
            if replacement.count("\n") != self.text[start:end].count(b"\n"):
                raise Unfit("what stands below moves to other lines")
            segment = self.at(first), self.at(node.end_lineno + 1)
            # `elif` stands where its `if` does: the inner one is enough.
            outer = [it for it, inner in zip(around, [*around[1:], node]) if it.col_offset < inner.col_offset]
            heads = [self.head(it, ast) for it in outer]
            before = b"\n" * (first - 1 - len(heads)) + b"".join(heads)
            # What a module imports is called by other code, wherever it does so.
            after = "\nimport %s\n" % ", ".join(self.imported) if self.imported else ""
            old = self.text[segment[0]:segment[1]]
            new = self.text[segment[0]:start] + replacement.encode("utf-8") + self.text[end:segment[1]]
            return {
                "path": self.path,
                "first": first,
                "inner": [inner, node.end_lineno],
                "classes": [it.name for it in around if isinstance(it, ast.ClassDef)],
                "name": node.name,
                "flags": self.flags,
                "old": (before + old).decode("utf-8") + after,
                "new": (before + new).decode("utf-8") + after,
            }
        raise Unfit("the change is in no body of a function")

    def head(self, node, ast):
        indent = self.text[self.at(node.lineno):self.at(node.lineno, node.col_offset)]
        what = "class %s:\n" % node.name if isinstance(node, ast.ClassDef) else "if 1:\n"
        return indent + what.encode("utf-8")


def first_line(node):
    """Returns the line that a statement begins on, with what decorates it."""
    return min([node.lineno, *(it.lineno for it in getattr(node, "decorator_list", []))])


def flags_of(future):
    """Returns what an import of features leaves in code; the compiler takes no note of those that all versions have by now."""
    import __future__
    import ast

    known = 0
    for name in __future__.all_feature_names:
        known |= getattr(__future__, name).compiler_flag
    return compile(ast.Module([future], []), "", "exec", dont_inherit=True).co_flags & known


def code_of(place, source):
    """Compiles a function at its lines, and returns its code."""
    found = []

    def look(code):
        for it in code.co_consts:
            if isinstance(it, type(code)):
                if (it.co_name, it.co_firstlineno) == (place["name"], place["first"]):
                    found.append(it)
                look(it)

    look(compile(source, place["path"], "exec", flags=place["flags"], dont_inherit=True))
    if len(found) != 1:
        raise Unfit("its code is not found")
    return found[0]


def changed_code(place):
    """Compiles the changed function; whoever imports its file might be told of it by a warning."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            code = code_of(place, place["new"])
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            raise Unfit("it does not compile")
    if caught:
        raise Unfit("the compiler warns")
    return code


def shape(code):
    """Returns what others may know of a function without calling it, but for what stands in its body."""
    # Arguments without a name, generators and coroutines.
    flags = code.co_flags & 0x3AC
    n_arguments = code.co_argcount + code.co_kwonlyargcount + bin(flags & 0xC).count("1")
    counts = code.co_argcount, code.co_kwonlyargcount, getattr(code, "co_posonlyargcount", 0)
    return flags, counts, code.co_varnames[:n_arguments], code.co_freevars


def entering(n_free):
    """Returns code that ends the process; it has as many free variables as that in whose place it is put."""
    names = ["free%d" % it for it in range(n_free)]
    source = "def around(%s):\n def entered(*_, **__):\n  __import__('os')._exit(%d)\n  return [%s]\n return entered"
    known = {}
    exec(source % (", ".join(names), ENTERED, ", ".join(names)), known)
    return known["around"](*names).__code__


def functions_in(place):
    """Returns the functions that a place stands for, each module's; nothing where no module has them yet.

    They are what they were read as, and nothing but they has their code.
    """
    import gc
    import linecache

    path = os.path.realpath(place["path"])
    modules = [it for it in list(sys.modules.values()) if type(it) is type(sys) and is_file(vars(it).get("__file__"), path)]
    if not modules:
        if place["is_loaded"]:
            raise Unfit("its module is gone")
        return []
    if any(is_file(it, path) for it in list(linecache.cache)):
        raise Unfit("its source has been read")
    if not place["is_loaded"]:
        raise Unfit("nobody has seen it loaded")
    old = code_of(place, place["old"])
    known = {id(it): it for module in modules for it in named(module, place)}
    if not known and not place["is_looked_at"]:
        known = {id(it): it for module in modules for it in below_decorators(module, place)}
    if not known:
        raise Unfit("it is not found in its module")
    functions = list(known.values())
    if any(it.__code__ != old for it in functions):
        raise Unfit("what is there is not what was read")
    codes = list({id(it.__code__): it.__code__ for it in functions}.values())
    for it in gc.get_referrers(*codes):
        if type(it) is FUNCTION:
            known[id(it)] = it
        elif it is not codes and type(it) not in (type(sys._getframe()), tuple):
            raise Unfit("somebody keeps its code")
    return list(known.values())


# Paths without links, by names of files.
REAL_PATHS = {}


def is_file(name, path):
    """Returns whether a name is that of a file whose path has no links."""
    if not isinstance(name, str):
        return False
    if name not in REAL_PATHS:
        REAL_PATHS[name] = os.path.realpath(name)
    return REAL_PATHS[name] == path


def value_of(module, place):
    """Returns what a name stands for in a module; nothing where it is not there."""
    value = vars(module)
    for name in [*place["classes"], place["name"]]:
        if issubclass(type(value), type):
            value = vars(value)
        value = value.get(name) if type(value) in (dict, type(vars(type))) else None
    return value


def is_at(function, place):
    return function.__code__.co_firstlineno == place["first"] and function.__code__.co_name == place["name"]


# How much is looked at below a name.
N_BELOW_MAX = 2000


def below_decorators(module, place):
    """Returns the functions of a place that what its name stands for keeps, whatever has decorated them.

    Who has decorated them calls them, and nothing of the project that is loaded looks at what they do. What modules and classes
    hold belongs to other names.
    """
    import gc

    shared = {id(vars(it)) for it in list(sys.modules.values()) if type(it) is type(sys)}
    found, left, seen = [], [value_of(module, place)], set()
    while left and len(seen) < N_BELOW_MAX:
        it = left.pop()
        if id(it) in seen or id(it) in shared or issubclass(type(it), (type, type(sys))):
            continue
        seen.add(id(it))
        if type(it) is not FUNCTION:
            left += gc.get_referents(it)
        elif is_at(it, place):
            found.append(it)
        else:
            left += [vars(it), it.__closure__, it.__defaults__, it.__kwdefaults__]
    return found


def named(module, place):
    """Returns the functions that a name stands for in a module, also below what the interpreter's own decorators make of them."""
    found, left, seen = [], [value_of(module, place)], set()
    while left:
        it = left.pop()
        if id(it) in seen:
            continue
        seen.add(id(it))
        if type(it) in (staticmethod, classmethod):
            left.append(it.__func__)
        elif type(it) is property:
            left += [it.fget, it.fset, it.fdel]
        elif type(it).__name__ == "_lru_cache_wrapper" and type(it).__module__ == "functools":
            left.append(it.__wrapped__)
        elif type(it).__name__ == "cached_property" and type(it).__module__ == "functools":
            left.append(it.func)
        elif type(it) is FUNCTION:
            below = vars(it).get("__wrapped__")
            left += [below] if below is not None else []
            if is_at(it, place):
                found.append(it)
    return found


def held():
    """Returns what runs would share that are forked from here: open files, and memory."""
    with open("/proc/self/maps") as file:
        shared = [line for line in file if line.split()[1].endswith("s")]
    return sorted(os.listdir("/proc/self/fd")), shared


# What a module keeps by these holds for the process that loads it, or says that it is loaded more than once.
OF_PROCESS = re.compile(rb"getpid|register_at_fork|process_time|thread_time|reload\(|del sys\.modules|sys\.modules\.pop")
# Who decorates with these may look at what a function does without calling it.
OF_CODE = re.compile(rb"__code__|function_code|co_code|co_consts|co_names|\bdis\b|marshal|getsource|getclosurevars")


def frame(prefix, kind, data=b""):
    return prefix + kind + len(data).to_bytes(4, "big") + data


class Stem:
    """The child that has collected a file, as its parent sees it."""

    def __init__(self, pid, path, asking, hearing):
        self.pid = pid
        self.path = path
        self.asking = asking
        self.hearing = hearing
        # What ran before any test, as ranges by file.
        self.before = {}
        # The same as bits of lines, of those that nobody counts, too.
        self.raw = {}
        # By place and test, whether the test enters a function that is put there.
        self.entered = {}
        # Whether anything that is loaded may look at code.
        self.looks_at_code = True
        # How long it took to collect the file.
        self.seconds = 0.0
        os.set_blocking(asking, False)
        os.set_blocking(hearing, False)

    def ask(self, order, until):
        """Has it run a test; returns what is heard by kind, none where it has come to its end, and `late` where time was up."""
        prefix = os.urandom(16)
        try:
            while os.read(self.hearing, 1 << 16):
                # Somebody's last words, who was ended before.
                continue
        except BlockingIOError:
            pass
        data = (json.dumps({**order, "prefix": prefix.hex()}) + "\n").encode("utf-8")
        if not self.write(data, until):
            return None
        return self.heard(prefix, until)

    def write(self, data, until):
        import select
        import time

        view = memoryview(data)
        while view:
            _, ready, _ = select.select([], [self.asking], [], max(until - time.monotonic(), 0))
            if not ready:
                return False
            try:
                view = view[os.write(self.asking, view):]
            except BlockingIOError:
                continue
            except OSError:
                return False
        return True

    def heard(self, prefix, until):
        import select
        import time

        poll = select.poll()
        poll.register(self.hearing, select.POLLIN | select.POLLHUP)
        data, said = b"", {}
        while END not in said:
            left = until - time.monotonic()
            if left <= 0:
                return {**said, "late": True}
            if not poll.poll(left * 1000):
                continue
            chunk = os.read(self.hearing, 1 << 20)
            if not chunk:
                return None
            data += chunk
            while len(data) >= 21 and END not in said:
                kind, size = data[16:17], int.from_bytes(data[17:21], "big")
                size_max = {RECORD: N_RECORD_MAX, END: 4, UNFIT: 1000}.get(kind, -1)
                if data[:16] != prefix or kind in said or size > size_max:
                    # Not what was asked for.
                    return None
                if len(data) < 21 + size:
                    break
                said[kind] = data[21:21 + size]
                data = data[21 + size:]
        return said

    def leave(self):
        os.close(self.asking)
        os.close(self.hearing)


class Sprout:
    """The stem as it sees itself."""

    def __init__(self, server, session, path, asked, saying):
        self.server = server
        self.session = session
        self.path = path
        self.orders = Lines(asked)
        self.saying = saying
        self.recorder = Recorder()
        self.known = {}
        self.state = None
        self.watch = None
        # Lines that ran before the test.
        self.before = {}

    def say(self, prefix, kind, data=b""):
        write_all(self.saying, frame(prefix, kind, data))

    def grow(self, prefix):
        """Collects the file, and then runs its tests as often as it is asked to."""
        try:
            self.server.apart()
            try:
                self.collect()
                self.before = self.server.measured.taken()
                self.say(prefix, RECORD, json.dumps(packed(self.before)).encode())
            except Unfit as error:
                self.say(prefix, UNFIT, str(error).encode())
            self.say(prefix, END)
            while True:
                order = self.orders.next()
                if order is None:
                    break
                self.fork(order, bytes.fromhex(order["prefix"]))
        finally:
            os._exit(0)

    def collect(self):
        before = held()
        self.watch = Watch()
        self.server.enter(self.session, {"path": self.path}, self.recorder)
        self.server.call(self.session, self.recorder, ["pytest_collection"])
        if self.recorder.errors or self.recorder.ended or not self.session.items:
            raise Unfit("it is not collected")
        if others():
            raise Unfit("it starts threads or processes when it is collected")
        if held() != before:
            raise Unfit("it keeps files open, or memory that others share, when it is collected")
        random = sys.modules.get("random")
        # A process that is forked draws anew.
        self.state = random and random.getstate()
        # One run is to change nothing here for the next.
        self.server.open_to_others(False)

    def fork(self, order, prefix):
        place = order.get("place")
        try:
            functions = self.functions(place) if place else []
        except Exception as error:
            self.say(prefix, UNFIT, clean(error).encode()[:1000])
            self.say(prefix, END)
            return
        is_blind = self.watch.is_blind
        pid = os.fork()
        if pid == 0:
            self.watch.is_blind = is_blind
            self.run(order, functions, prefix)
        self.watch.is_blind = is_blind
        _, status = os.waitpid(pid, 0)
        self.say(prefix, END, status.to_bytes(4, "big"))

    def functions(self, place):
        key = place["path"], place["first"]
        if key not in self.known:
            self.known[key] = functions_in(place)
        return self.known[key]

    def run(self, order, functions, prefix):
        """Runs a test in this process, and ends it."""
        measured, is_measured = self.server.measured, order.get("measured")
        code = 1
        try:
            self.leave_only(order["lone"])
            self.server.open_to_others(True)
            os.close(self.orders.descriptor)
            if self.state:
                sys.modules["random"].setstate(self.state)
            limit_cpu(order)
            # Where a test fails is read from no file: what it throws says all that is asked.
            self.session.config.option.tbstyle = "line"
            if not is_measured:
                measured.cov.stop()
            if functions:
                self.change(order, functions)
            started = self.recorder.clock()
            self.server.call(self.session, self.recorder, ["pytest_runtestloop"])
            ended = self.recorder.clock()
            record = self.recorder.record()
            record["blind"] = self.watch.is_blind
            if is_measured:
                measured.cov.stop()
                # A process that is forked forgets what was measured.
                record["lines"] = packed(both(self.before, measured.taken()))
            record["steps"] = [0, ended - started, self.recorder.clock() - ended]
            data = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii", "replace")
            self.say(prefix, RECORD, data)
            code = 0
        except Unfit as error:
            self.say(prefix, UNFIT, str(error).encode())
        finally:
            os._exit(code)

    def leave_only(self, lone):
        """Leaves out all tests but one, by what pytest calls it in its file; it may have parameters."""
        items = self.session.items
        if lone is not None:
            items[:] = [it for it in items if it.nodeid.partition("::")[2].partition("[")[0] == lone]
        if not items:
            raise Unfit("it is not collected")

    def change(self, order, functions):
        old = functions[0].__code__
        if order.get("probe"):
            new = entering(len(old.co_freevars))
        else:
            new = changed_code(order["place"])
            if shape(new) != shape(old):
                raise Unfit("it is no longer called in the same way")
        for it in functions:
            it.__code__ = new


