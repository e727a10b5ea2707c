"""Says where the functions and classes of Python files lie; imports and runs nothing of them.

Called with the project's folder; reads paths, a line each, and prints a JSON object for each.
"""

import ast
import json
import os
import sys
import warnings


def span(node):
    first = min([node.lineno, *[it.lineno for it in getattr(node, "decorator_list", [])]])
    return [first, node.end_lineno]


def names_of(node):
    """Returns what a statement names, also within annotations and decorators."""
    found = set()
    for it in ast.walk(node):
        if isinstance(it, ast.Name):
            found.add(it.id)
        elif isinstance(it, ast.arg):
            # Fixtures are asked for by their names.
            found.add(it.arg)
        elif isinstance(it, ast.Attribute) and isinstance(it.value, ast.Name):
            found.add(it.value.id)
            found.add(it.attr)
        elif isinstance(it, ast.Constant) and isinstance(it.value, str) and it.value.isidentifier():
            found.add(it.value)
    return sorted(found)


def is_fixture(node):
    for it in node.decorator_list:
        it = it.func if isinstance(it, ast.Call) else it
        name = it.attr if isinstance(it, ast.Attribute) else getattr(it, "id", "")
        if name in ("fixture", "yield_fixture") or name.endswith("_fixture"):
            return True
    return False


BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


class Facts:
    def __init__(self):
        self.functions = []
        self.classes = []
        self.bodies = []
        self.statements = []

    def body(self, statements, nesting):
        if not statements:
            return
        self.bodies.append({"column": statements[0].col_offset, "parts": [span(it) for it in statements]})
        for node in statements:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first, last = span(node)
                self.functions.append({
                    "id": "::".join([*nesting, node.name]), "name": node.name, "nesting": nesting, "first": first,
                    "last": last, "column": node.col_offset, "fixture": is_fixture(node), "names": names_of(node),
                })
            elif isinstance(node, ast.ClassDef):
                first, last = span(node)
                heads = set()
                for it in [*node.bases, *node.keywords, *node.decorator_list]:
                    heads.update(names_of(it))
                self.classes.append({"id": "::".join([*nesting, node.name]), "name": node.name, "nesting": nesting,
                                     "first": first, "last": last, "names": sorted(heads)})
                self.body(node.body, [*nesting, node.name])
            elif isinstance(node, BLOCKS):
                for part in ("body", "orelse", "finalbody"):
                    self.body(getattr(node, part, []), nesting)
                for handler in getattr(node, "handlers", []):
                    self.body(handler.body, nesting)
                for part in ("test", "iter", "items"):
                    it = getattr(node, part, None)
                    for it in it if isinstance(it, list) else [it] if it is not None else []:
                        self.statements.append({"first": node.lineno, "last": node.lineno, "names": names_of(it)})
            else:
                first, last = span(node)
                self.statements.append({"first": first, "last": last, "names": names_of(node)})


def main():
    root = sys.argv[1]
    warnings.simplefilter("ignore")
    for path in sys.stdin.read().splitlines():
        try:
            with open(os.path.join(root, path), "rb") as file:
                tree = ast.parse(file.read())
            facts = Facts()
            facts.body(tree.body, [])
            print(json.dumps({"path": path, "error": None, **vars(facts)}))
        except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as error:
            print(json.dumps({"path": path, "error": "%s: %s" % (type(error).__name__, error)}))


main()
