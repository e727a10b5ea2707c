"""Writes the names of `names.txt`: python3 names.py > names.txt, with pytest installed.

Public names of the language and its standard library, one level into classes, and what pytest gives to tests.
"""

import builtins
import importlib
import inspect
import keyword
import pkgutil
import sys
import warnings

SKIPPED = {"antigravity", "this", "idlelib", "test", "lib2to3", "turtledemo", "tkinter", "turtle", "pydoc_data"}
OTHERS = ["os.path", "collections.abc", "unittest.mock", "unittest.case", "urllib.parse", "urllib.request",
          "urllib.error", "concurrent.futures", "importlib.metadata", "importlib.resources", "importlib.util",
          "xml.etree.ElementTree", "email.message", "logging.handlers", "http.client", "http.server",
          "multiprocessing.pool", "json.decoder", "asyncio.subprocess", "xml.dom.minidom", "html.parser"]
FIXTURES = ["cache", "capfd", "capfdbinary", "caplog", "capsys", "capsysbinary", "doctest_namespace", "mocker",
            "monkeypatch", "pytestconfig", "pytester", "record_property", "record_testsuite_property",
            "record_xml_attribute", "recwarn", "request", "testdir", "tmp_path", "tmp_path_factory", "tmpdir",
            "tmpdir_factory", "cls", "self", "__name__", "__file__", "setUp", "tearDown", "setup_method",
            "teardown_method", "excinfo", "np", "pd", "plt", "_"]
# Of assertpy and nose.
ASSERTING = ["assert_that", "is_equal_to", "is_not_equal_to", "is_same_as", "is_true", "is_false",
             "is_none", "is_not_none", "is_instance_of", "is_in", "is_not_in", "contains",
             "does_not_contain", "is_length", "has_length", "eq_", "ok_"]

names = set(FIXTURES) | set(ASSERTING) | set(keyword.softkwlist) | set(sys.stdlib_module_names) | set(dir(builtins))


def add(value):
    for name in dir(value):
        if not name.startswith("_") or (name.startswith("__") and name.endswith("__")):
            names.add(name)
            yield name


def walk(module):
    for name in add(module):
        member = getattr(module, name, None)
        if inspect.isclass(member):
            for _ in add(member):
                pass


warnings.simplefilter("ignore")
walk(builtins)
modules = [name for name in sys.stdlib_module_names if not name.startswith("_") and name not in SKIPPED]
for name in sorted(modules) + OTHERS + ["pytest", "_pytest._code.code", "_pytest.monkeypatch", "_pytest.recwarn",
                                        "_pytest.capture", "_pytest.logging"]:
    try:
        walk(importlib.import_module(name))
    except Exception as error:
        print(name, error, file=sys.stderr)
try:
    names.update(name for name in dir(importlib.import_module("numpy.testing")) if name.startswith("assert"))
except ImportError:
    print("numpy is missing", file=sys.stderr)
print("\n".join(sorted(name for name in names if name.isidentifier())))
