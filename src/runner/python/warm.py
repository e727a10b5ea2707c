"""What can be there before any case because it changes nothing for who does not ask for it; stands before the program that
runs test files."""

import json
import os
import sys


class Changes:
    """Sees which modules are changed by others once they are loaded.

    A module is as it is when it has been executed; one of a package, when the whole package has been: what a package does to
    itself while it is imported, it does for everybody. So it makes no difference who loads a module first, and when.
    """

    def __init__(self, names=None):
        self.names = names and set(names)
        self.known = {}
        self.hook()
        for name in list(sys.modules):
            self.keep(name)

    def hook(self):
        import importlib

        inner = importlib._bootstrap
        # All modules pass by there, and nothing public is told when one has been executed.
        load = inner._load_unlocked

        def loaded(spec):
            module = load(spec)
            self.keep(spec.name)
            if "." not in spec.name:
                for name in list(sys.modules):
                    if name.startswith(spec.name + "."):
                        self.keep(name)
            return module

        inner._load_unlocked = loaded

    def keep(self, name):
        module = sys.modules.get(name)
        # The first is this program.
        is_asked = name not in ("__main__", "__mp_main__") and (self.names is None or name in self.names)
        if is_asked and type(module) is type(sys):
            self.known[name] = module, parts(module)

    def found(self):
        """Returns the modules that have changed since the last time, or in whose place there is another one."""
        changed = []
        for name, (module, before) in list(self.known.items()):
            if sys.modules.get(name) is module and is_same(before, parts(module)):
                continue
            changed.append(name)
            self.keep(name)
        return changed


def parts(module):
    """Returns what a module is made of, as far as others see it, by where it stands.

    Values are asked for nothing: some stand for others, and answer or fail in their place.
    """
    found, own = {}, vars(module).get("__name__")
    for name, value in list(vars(module).items()):
        if name.startswith("__") or sys.modules.get("%s.%s" % (own, name)) is value:
            continue
        if name.startswith("_") and not is_code(value):
            # What is private changes as it is used.
            continue
        found[name] = value
        if type(value) is FUNCTION:
            found[name, "code"] = value.__code__
        elif issubclass(type(value), type):
            if vars(value).get("__module__") == own:
                found.update(parts_of_class(name, value))
        elif "cache" not in name.lower() and not (own == "sys" and name == "modules"):
            if type(value) is dict:
                found.update({(name, id(key)): it for key, it in list(value.items())})
            elif type(value) in (list, set):
                found.update({(name, id(it)): it for it in list(value)})
    return found


def parts_of_class(name, of):
    found = {}
    for member, value in list(vars(of).items()):
        if (name.startswith("_") or member.startswith("_")) and not is_code(value):
            continue
        found[name, member] = value
        if type(value) is FUNCTION:
            found[name, member, "code"] = value.__code__
    return found


FUNCTION = type(clean)


def is_code(value):
    return issubclass(type(value), (FUNCTION, type, type(len), classmethod, staticmethod, property))


def is_same(before, now):
    return before.keys() == now.keys() and all(now[place] is value for place, value in before.items())


class Warm:
    """Imports in the parent what the project's own tests import, so that no child need do it.

    Which modules these are is asked of a child that collects tests of the project and nothing else: a test of somebody else
    is to choose nothing for the next one. Only modules that are installed count, and only where a child that imports them
    first sees that nothing else comes of it: no warning, which a test may take for an error, no module of the project, no
    change of what all share, and none of another module, the library's above all.
    """

    N_NAMES_MAX = 5000
    COLLECT_S = 20
    PROBE_S = 20
    N_ROUNDS = 3

    def __init__(self, root):
        self.root = root + os.sep

    def is_installed(self, module):
        """Returns whether a module is the interpreter's or its environment's; a text that stands for one is none."""
        spec = vars(module).get("__spec__") if type(module) is type(os) else None
        origin = getattr(spec, "origin", None)
        if origin in ("built-in", "frozen"):
            return True
        if not isinstance(origin, str) or origin.startswith(self.root):
            return False
        return any(origin.startswith(it + os.sep) for it in {sys.prefix, sys.base_prefix, sys.base_exec_prefix})

    def new(self, known):
        """Returns the names of installed modules that are there now and were not before, in their order."""
        return [name for name, it in list(sys.modules.items()) if name not in known and self.is_installed(it)]

    def names(self, said):
        """Returns names that a child has said, where it has said any."""
        return [it for it in said[:self.N_NAMES_MAX] if isinstance(it, str)] if isinstance(said, list) else []

    def fine(self, names, probed):
        """Returns those of some names that change nothing. `probed` has a child import some and returns what that says.

        Where one has changed a module, another child looks at that one after each import. Who imports what was left out
        does not change anything only because that is there already, so all that is left is looked at again.
        """
        for _ in range(self.N_ROUNDS):
            asked = names
            names, changed = self.said(probed(asked, None))
            if changed:
                names, _ = self.said(probed(names, changed))
            elif names == asked:
                return names
        return []

    def said(self, data):
        """Returns which names a child has found to be fine, and which modules have changed."""
        try:
            said = json.loads(data)
        except (ValueError, RecursionError):
            return [], []
        return (self.names(said.get("fine")), self.names(said.get("changed"))) if isinstance(said, dict) else ([], [])

    def take(self, names):
        """Imports modules here, once a child has found that they are fine."""
        import importlib

        for name in names:
            try:
                importlib.import_module(name)
            except Exception:
                # The child could; whoever needs it says why.
                continue

    def probe(self, names, watched, writing):
        """Imports modules in a child, and says which of them change nothing, but for modules; and which of these changed.

        Where it is known which modules change, whoever changes them is no longer among the former.
        """
        import importlib
        import warnings

        changes = Changes(watched)
        fine, bad = [], set()
        before = shared()
        for name in names:
            if name in sys.modules:
                if name not in bad:
                    fine.append(name)
                continue
            known = set(sys.modules)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                filters = list(warnings.filters)
                try:
                    importlib.import_module(name)
                    is_fine = not caught and warnings.filters == filters
                except BaseException:
                    is_fine = False
            new = {it: sys.modules[it] for it in list(sys.modules) if it not in known}
            now = shared()
            is_fine = is_fine and before == now and not any(self.is_of_project(it) for it in new.values())
            before = now
            if watched and changes.found():
                is_fine = False
            if is_fine and name not in bad:
                fine.append(name)
            elif not is_fine:
                # Whatever it brought along may be what did it.
                bad.update({name, *new})
        said = {"fine": fine, "changed": [] if watched else changes.found()}
        write_all(writing, json.dumps(said).encode())

    def is_of_project(self, module):
        spec = getattr(module, "__spec__", None)
        return str(getattr(spec, "origin", None)).startswith(self.root)


def shared():
    """Returns what every test of a process sees."""
    import builtins
    import gc
    import signal
    import _locale

    logging, random, decimal, socket = (sys.modules.get(it) for it in ("logging", "random", "decimal", "socket"))
    with open("/proc/self/status") as file:
        mask = [line for line in file if line.startswith("Umask:")]
    return [
        mask,
        sys.getswitchinterval(),
        [id(it) for it in gc.callbacks],
        decimal and str(decimal.getcontext()),
        socket and socket.getdefaulttimeout(),
        dict(os.environ),
        os.getcwd(),
        len(os.listdir("/proc/self/fd")),
        others(),
        list(sys.path),
        [id(it) for it in [*sys.meta_path, *sys.path_hooks]],
        [id(it) for it in (sys.excepthook, sys.displayhook, sys.stdin, sys.stdout, sys.stderr, sys.gettrace(), sys.getprofile())],
        sys.getrecursionlimit(),
        {name: id(it) for name, it in vars(builtins).items()},
        [id(signal.getsignal(it)) for it in range(1, signal.NSIG)],
        (gc.isenabled(), gc.get_threshold()),
        _locale.setlocale(_locale.LC_ALL, None),
        logging and [logging.root.level, logging.root.disabled, list(logging.root.handlers), logging.getLoggerClass()],
        random and random.getstate(),
    ]
