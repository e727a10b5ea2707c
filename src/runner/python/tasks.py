"""Says what tasks can be made of test functions, and what answers to them hold; imports and runs nothing of them.

Called with the project's folder; reads questions, a JSON object a line, and prints an answer for each, in order.
"""

import ast
import io
import json
import os
import re
import sys
import tokenize
import warnings

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TRIES = tuple(getattr(ast, it) for it in ("Try", "TryStar") if hasattr(ast, it))
UNARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await)
WRONG = (SyntaxError, ValueError, RecursionError, MemoryError)
IGNORED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


class Text:
    """A text with the places of its nodes as offsets in bytes."""

    def __init__(self, text):
        self.bytes = text.encode("utf-8", "surrogatepass")
        self.starts = [0, *[it.end() for it in re.finditer(rb"\r\n|\r|\n", self.bytes)]]

    def start(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def between(self, start, end):
        return self.bytes[start:end].decode("utf-8", "surrogatepass")


def first_line(node):
    return min([node.lineno, *[it.lineno for it in getattr(node, "decorator_list", [])]])


def function_of(tree, name):
    """Returns the last function that is called `Class::name`, also below conditions."""
    found = None

    def look(statements, nesting):
        nonlocal found
        for node in statements:
            if isinstance(node, FUNCTIONS):
                if "::".join([*nesting, node.name]) == name:
                    found = node
            elif isinstance(node, ast.ClassDef):
                look(node.body, [*nesting, node.name])
            else:
                for part in ("body", "orelse", "finalbody"):
                    look(getattr(node, part, None) or [], nesting)
                for handler in getattr(node, "handlers", []):
                    look(handler.body, nesting)

    look(tree.body, [])
    return found


def asserts_of(function):
    """Returns the statements of a function that assert, each with why it is no question, if so."""
    found = []

    def look(node, why):
        for name, value in ast.iter_fields(node):
            for it in value if isinstance(value, list) else [value]:
                if not isinstance(it, ast.AST):
                    continue
                reason = why
                if isinstance(it, FUNCTIONS):
                    reason = why or "in a nested function"
                elif isinstance(node, TRIES) and name == "body":
                    reason = why or "in the body of a `try`"
                if isinstance(it, ast.Assert):
                    found.append((it, reason))
                look(it, reason)

    look(function, None)
    found.sort(key=lambda it: (it[0].lineno, it[0].col_offset))
    return found


def operands_of(test):
    """Returns the kind of an assertion and what can be asked for, or why nothing can."""
    if isinstance(test, ast.Compare):
        if len(test.ops) > 1:
            return None, "a chain"
        return "binary", [("left", test.left), ("right", test.comparators[0])]
    if isinstance(test, ast.BoolOp):
        return None, "`and` or `or`"
    operand = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    if isinstance(operand, UNARY):
        return "unary", [("operand", operand)]
    return None, "another expression"


def tokens_of(text):
    """Returns the tokens of the logical line at the beginning of a text, up to what is none."""
    found = []
    try:
        for it in tokenize.generate_tokens(io.StringIO(text).readline):
            if it.type in (tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.ERRORTOKEN) or it.string == ";":
                break
            if it.type not in IGNORED:
                found.append(it)
    except (tokenize.TokenError, SyntaxError, IndentationError):
        pass
    return found


def without_message(tokens):
    """Returns the tokens of an assertion up to the comma that begins its message."""
    depth, functions = 0, 0
    for idx, it in enumerate(tokens):
        if it.string in ("(", "[", "{"):
            depth += 1
        elif it.string in (")", "]", "}"):
            depth -= 1
        elif it.string == "lambda" and depth == 0:
            functions += 1
        elif it.string == ":" and depth == 0 and functions:
            functions -= 1
        elif it.string == "," and depth == 0 and functions == 0:
            return tokens[:idx]
    return tokens


def slice_of(text, first, last):
    lines = text.splitlines(keepends=True)
    if first.start[0] == last.end[0]:
        return lines[first.start[0] - 1][first.start[1]:last.end[1]]
    inner = lines[first.start[0]:last.end[0] - 1]
    return "".join([lines[first.start[0] - 1][first.start[1]:], *inner, lines[last.end[0] - 1][:last.end[1]]])


def problem(question):
    """Says what a test function asserts and names."""
    code = question["code"]
    tree = ast.parse(code)
    function = function_of(tree, question["name"])
    if function is None:
        return {"error": "the function is not there"}
    text = Text(code)
    asserts, left_out = [], []
    for node, why in asserts_of(function):
        kind, operands = operands_of(node.test)
        why = why or (operands if kind is None else None)
        if why:
            left_out.append([node.lineno, why])
            continue
        start, end = text.start(node), text.end(node)
        if node.msg is not None:
            # A parenthesis around what is asserted is no part of it.
            whole = text.between(start, end)
            kept = without_message(tokens_of(whole))
            end = start + len(slice_of(whole, kept[0], kept[-1]).encode("utf-8", "surrogatepass"))
        asserts.append({
            "line": node.lineno, "start": start, "end": end, "kind": kind,
            "operands": [{"part": part, "start": text.start(it), "end": text.end(it)} for part, it in operands],
        })
    head_end = text.start(function.body[0])
    if function.body[0].lineno > function.lineno:
        head_end = text.starts[first_line(function.body[0]) - 1]
    head = text.between(text.starts[first_line(function) - 1], head_end).rstrip().splitlines()
    while len(head) > 1 and (not head[-1].strip() or head[-1].strip().startswith("#")):
        head.pop()
    attributes = sorted({it.attr for it in ast.walk(function) if isinstance(it, ast.Attribute)})
    return {
        "asserts": asserts, "left_out": left_out, "attributes": attributes, "head": "\n".join(head),
        "first": first_line(function), "last": function.end_lineno,
    }


def definitions(question):
    """Says which functions and classes a file of the project has, and where their bodies are."""
    with open(os.path.join(sys.argv[1], question["path"]), "rb") as file:
        tree = ast.parse(file.read())
    found, ends = [], {}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            bodies = [[first_line(node.body[0]), node.end_lineno]]
            found.append({"name": node.name, "type": "function", "line": node.lineno, "bodies": bodies})
        elif isinstance(node, ast.ClassDef):
            inner = [it for it in ast.walk(node) if isinstance(it, FUNCTIONS)]
            bodies = [[first_line(it.body[0]), it.end_lineno] for it in inner]
            found.append({"name": node.name, "type": "class", "line": node.lineno, "bodies": bodies})
        if isinstance(node, (ast.stmt, ast.ExceptHandler)):
            body = getattr(node, "body", None)
            end = node.end_lineno
            if isinstance(body, list) and body:
                end = max(node.lineno, first_line(body[0]) - 1)
            ends[node.lineno] = max(ends.get(node.lineno, 0), end)
            for it in getattr(node, "decorator_list", []):
                ends[it.lineno] = it.end_lineno
    found.sort(key=lambda it: (it["line"], it["name"]))
    return {"definitions": found, "ends": sorted(ends.items())}


def said(answer, before, after):
    """Returns the last assertion of an answer that is the question but for its blank, and what stands there."""
    blank = "blank"
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    asked = tokens_of(before + blank + after)
    at = [idx for idx, it in enumerate(asked) if it.start == (line, column) and it.string == blank]
    if not at:
        return None
    head, tail = [it.string for it in asked[:at[0]]], [it.string for it in asked[at[0] + 1:]]
    for match in reversed(list(re.finditer(r"\bassert\b", answer))):
        # A statement may go on over many lines, but not over all of a long answer.
        rest = answer[match.start():match.start() + 20_000]
        if answer[:match.start()].endswith("`"):
            rest = rest.split("`", 1)[0]
        tokens = without_message(tokens_of(rest))
        words = [it.string for it in tokens]
        n_blank = len(words) - len(head) - len(tail)
        if n_blank < 1 or words[:len(head)] != head or words[len(words) - len(tail):] != tail:
            continue
        there = tokens[len(head):len(head) + n_blank]
        return slice_of(rest, tokens[0], tokens[-1]), slice_of(rest, there[0], there[-1])
    return None


def is_trivial(statement, blank, question):
    """Says why an assertion does not count, if so."""
    node = ast.parse(statement.strip()).body[0]
    if not isinstance(node, ast.Assert):
        return "it is not an assertion"
    test = node.test
    if question["kind"] == "binary":
        kind, operands = operands_of(test)
        mine = dict(operands).get(question["part"]) if kind == "binary" else None
        # `a or b` in the place of an operand makes another statement of it.
        if mine is None or ast.dump(ast.parse("(" + blank + "\n)", mode="eval").body) != ast.dump(mine):
            return "it is not an operand"
    inner = test
    while isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
        inner = inner.operand
    if isinstance(inner, ast.Constant):
        return "it is a constant"
    if isinstance(inner, ast.Compare) and len(inner.ops) == 1:
        left, right = inner.left, inner.comparators[0]
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return "both sides are constants"
        if isinstance(inner.ops[0], ast.Eq) and ast.dump(left) == ast.dump(right):
            return "both sides are the same"
    for it in ast.walk(ast.parse(question["code"])):
        if isinstance(it, ast.Assert) and ast.dump(it.test) == ast.dump(test):
            return "it is already there"
    return None


def cloze(question):
    """Says what an answer puts into the blank, and why it does not count, if so."""
    found = said(question["answer"], question["before"], question["after"])
    if found is None:
        return {"statement": None}
    statement, blank = found
    try:
        trivial = is_trivial(statement, blank, question)
    except WRONG:
        trivial = "it cannot be read"
    return {"statement": statement, "said": blank, "trivial": trivial}


def whole(question):
    """Says whether a file has a function, and whether this names what is asked for."""
    function = function_of(ast.parse(question["code"]), question["name"])
    if function is None:
        return {"found": False}
    wanted = question.get("wanted")
    names = {it.id for it in ast.walk(function) if isinstance(it, ast.Name)}
    names |= {it.attr for it in ast.walk(function) if isinstance(it, ast.Attribute)}
    return {"found": True, "names": wanted is None or wanted in names}


def part(question):
    """Returns a function's lines out of an answer, moved to a column; what strings hold stays where it is."""
    code = question["code"]
    try:
        tree = ast.parse(code)
    except IndentationError:
        # As it stands in a class.
        code = "if True:\n" + code
        tree = ast.parse(code)
    name = question["name"].rsplit("::", 1)[-1]
    found = [it for it in ast.walk(tree) if isinstance(it, FUNCTIONS) and it.name == name]
    if not found:
        return {"text": None}
    function, inside = found[-1], set()
    for it in ast.walk(function):
        is_text = isinstance(it, ast.JoinedStr) or isinstance(it, ast.Constant) and isinstance(it.value, (str, bytes))
        if is_text and it.end_lineno > it.lineno:
            inside.update(range(it.lineno + 1, it.end_lineno + 1))
    lines = re.split(r"\r\n|\r|\n", code)
    moved = []
    for number in range(first_line(function), function.end_lineno + 1):
        line = lines[number - 1]
        if number not in inside:
            n_space = len(line) - len(line.lstrip())
            line = " " * question["column"] + line[min(function.col_offset, n_space):] if line.strip() else ""
        moved.append(line)
    return {"text": "\n".join(moved)}


ASKED = {"problem": problem, "definitions": definitions, "cloze": cloze, "whole": whole, "part": part}


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        try:
            question = json.loads(line)
            answer = ASKED[question["ask"]](question)
        except (*WRONG, OSError) as error:
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer))


main()
