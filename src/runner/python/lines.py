"""Which lines of a project run, as `coverage` counts them; stands before the program that runs test files."""

import os
import re

N_MESSAGE_MAX = 4000


def clean(text):
    text = str(text)
    return text.encode("utf-8", "replace").decode("utf-8")[:N_MESSAGE_MAX]


class Measured:
    """Which lines of the project's own files run, as `coverage` counts them."""

    def __init__(self, order):
        self.root = order["root"]
        self.sources = order["sources"]
        self.omitted = order.get("omit") or []
        self.cov = None
        self.base = {}
        self.reporters = {}
        self.known = {}
        self.asked = {}
        self.maps = {}
        self.order = order
        self.trees = {}
        # Files that ran before anything of the project's tests was asked for: pytest and its plugins stand on them.
        self.under = set()

    def start(self, test_path=None):
        """Measures from here on; with the path of a test's file also what that file calls, apart from the rest.

        It has to begin before pytest is there. Pytest and its plugins import what some projects are made of, and a module is
        imported once: what ran then would be missing ever after.
        """
        os.environ["COVERAGE_CORE"] = "ctrace"
        import coverage

        folders = [os.path.join(self.root, it) for it in self.sources]
        # A single module is found in its folder; what else lies there is not asked for.
        folders = sorted({it if os.path.isdir(it) else os.path.dirname(it) for it in folders})
        self.cov = coverage.Coverage(config_file=False, data_file=None, branch=False, source=folders)
        self.cov.set_option(
            "run:disable_warnings",
            ["module-not-imported", "already-imported", "no-data-collected", "module-not-measured", "couldnt-parse"],
        )
        with Calls(test_path, self.cov):
            self.cov.start()

    def note_under(self):
        """Takes note of the files that have run by now."""
        self.under |= {it for it in self.taken() if self.is_asked(it)}

    def is_under(self, wanted):
        """Returns whether pytest itself may run the file of a function, so that lines that ran do not say that a test did."""
        return bool(wanted) and os.path.join(self.root, wanted[0]) in self.under

    def start_again(self, path):
        """Measures anew from here on, with what the test's file calls apart."""
        self.cov.stop()
        self.start(path)

    def called(self):
        """Returns what ran below the test's file, as bits by file."""
        data = self.cov.get_data()
        data.set_query_contexts([Calls.NAME])
        try:
            return self.taken()
        finally:
            data.set_query_contexts(None)

    def taken(self):
        """Returns what ran since the last time in this process, as bits by file."""
        from coverage.numbits import nums_to_numbits

        data = self.cov.get_data()
        found = {}
        for name in data.measured_files():
            lines = data.lines(name)
            if lines:
                found[name] = nums_to_numbits(lines)
        return found

    def add_to_base(self, found):
        """Counts what ran as well as what runs before any case."""
        self.base = both(self.base, found)

    def is_asked(self, name):
        path = os.path.relpath(name, self.root)
        return any(path == it or path.startswith(it + os.sep) for it in self.sources) and path not in self.omitted

    def reporter(self, name):
        from coverage.python import PythonFileReporter

        if name not in self.reporters:
            self.reporters[name] = PythonFileReporter(name, self.cov)
        return self.reporters[name]

    def told(self, found):
        """Returns lines by file, as ranges, of what ran before and of what a child has run."""
        lines = {}
        for name in sorted({*self.base, *found}):
            if name not in self.asked:
                self.asked[name] = self.is_asked(name)
            if not self.asked[name]:
                continue
            bits = of_numbits(self.base.get(name, b"")) | of_numbits(found.get(name, b""))
            key = (name, bits)
            if key not in self.known:
                self.known[key] = self.executed(name, bits)
            if self.known[key]:
                lines[os.path.relpath(name, self.root)] = self.known[key]
        return lines

    def executed(self, name, bits):
        """Returns the statements among lines that ran, as `coverage` reports them; a statement of many lines ran with any."""
        try:
            plain, further = self.map_of(name)
        except unreadable():
            # What cannot be parsed is said as it ran.
            return ranges_of(bits)
        ran = bits & plain
        for lines, first in further:
            if bits & lines:
                ran |= first
        return ranges_of(ran)

    def map_of(self, name):
        """Returns the lines that stand for themselves, and which others stand for the first of their statement.

        `coverage` takes half a second to find it out for a project, so that it is told where it is known already.
        """
        if name not in self.maps:
            told = (self.order.get("maps") or {}).get(os.path.relpath(name, self.root))
            if told:
                plain, further = of_ranges(told[0]), [(of_ranges(lines), 1 << first) for lines, first in told[1]]
            else:
                plain, further = self.read_map(name)
            self.maps[name] = plain, further
        return self.maps[name]

    def read_map(self, name):
        reporter = self.reporter(name)
        statements = reporter.lines()
        plain, others = 0, {}
        for line in range(1, reporter.source().count("\n") + 2):
            for first in reporter.translate_lines([line]) & statements:
                if first == line:
                    plain |= 1 << line
                else:
                    others[first] = others.get(first, 0) | 1 << line
        return plain, [(lines, 1 << first) for first, lines in sorted(others.items())]

    def told_maps(self):
        """Returns what is known of the files that are there before any case, for the next server."""
        found = {}
        for name in filter(self.is_asked, self.base):
            try:
                plain, further = self.map_of(name)
            except unreadable():
                continue
            further = [[ranges_of(lines), first.bit_length() - 1] for lines, first in further]
            found[os.path.relpath(name, self.root)] = [ranges_of(plain), further]
        return found

    def focal(self, wanted, lines, called=None):
        """Returns of one function, named by its file and a line of its head, which of its lines ran.

        Whether it was called is told by `called`, what ran below the test's file, where pytest itself may call it.
        """
        path, line = wanted
        try:
            body = self.body(path, line)
            statements = self.reporter(os.path.join(self.root, path)).lines()
        except Exception as error:
            return {"error": clean(error)}
        if body is None:
            return {"error": "there is no function at line %d" % line}
        name, first, last, is_apart = body
        ran = numbers(lines.get(path, ""))
        inside = sorted(it for it in statements if first <= it <= last)
        entered = ran
        if self.is_under(wanted):
            bits = (called or {}).get(os.path.join(self.root, path), b"")
            entered = numbers(self.executed(os.path.join(self.root, path), of_numbits(bits)))
        return {
            "name": name,
            "lines": [[it, it in ran] for it in inside],
            # Where the body stands on the line of its head, that line has run when the function was made; where it is a
            # docstring and no more, there is no line that says it.
            "called": any(it in entered for it in inside) if is_apart and inside else None,
        }

    def body(self, path, line):
        import ast

        if path not in self.trees:
            with open(os.path.join(self.root, path), "rb") as file:
                self.trees[path] = ast.parse(file.read())
        found = None
        for node in ast.walk(self.trees[path]):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                head = min([node.lineno, *[it.lineno for it in node.decorator_list]])
                if head <= line < max(node.body[0].lineno, node.lineno + 1):
                    found = node.name, node.body[0].lineno, node.end_lineno, node.body[0].lineno > node.lineno
        return found

    def statements(self, path):
        name = os.path.join(self.root, path)
        try:
            reporter = self.reporter(name)
            return {"statements": ranges_of(of_lines(reporter.lines())), "excluded": ranges_of(of_lines(reporter.excluded_lines()))}
        except Exception as error:
            return {"error": clean(error)}


class Calls:
    """While a measurement begins, has it keep apart what runs below a test's file; does nothing where there is no such file.

    `coverage` takes its plugins by the names of modules.
    """

    NAME = "focalist"
    MODULE = "focalist_calls"

    def __init__(self, path, cov):
        self.path = path
        self.cov = cov

    def __enter__(self):
        if self.path is None:
            return
        import sys

        import coverage

        path, name = self.path, self.NAME

        class Below(coverage.CoveragePlugin):
            def dynamic_context(self, frame):
                return name if frame.f_code.co_filename == path else None

        module = type(sys)(self.MODULE)
        module.coverage_init = lambda registry, options: registry.add_dynamic_context(Below())
        sys.modules[self.MODULE] = module
        self.cov.set_option("run:plugins", [self.MODULE])

    def __exit__(self, *_):
        import sys

        # Nothing of it is left where a project would find it.
        sys.modules.pop(self.MODULE, None)


def unreadable():
    """Returns what is thrown at a file that is no Python; anything else is a mistake of ours, and nothing to be quiet about."""
    from coverage.exceptions import CoverageException

    return CoverageException, OSError, SyntaxError, ValueError, RecursionError, MemoryError


def numbers(text):
    found = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def of_numbits(numbits):
    """Returns bits as `coverage` packs them, as one number: line n is its bit n."""
    return int.from_bytes(numbits, "little")


def both(found, more):
    """Returns what ran in either, as bits by file."""
    all_bits = {}
    for name in {**found, **more}:
        bits = of_numbits(found.get(name, b"")) | of_numbits(more.get(name, b""))
        all_bits[name] = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    return all_bits


def of_lines(lines):
    bits = 0
    for it in lines:
        bits |= 1 << it
    return bits


def of_ranges(text):
    return of_lines(numbers(text))


def ranges_of(bits):
    found = ((it.start(), it.end() - 1) for it in re.finditer("1+", bin(bits)[:1:-1]))
    return ",".join("%d" % first if first == last else "%d-%d" % (first, last) for first, last in found)
