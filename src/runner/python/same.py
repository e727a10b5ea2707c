"""Says which changes of a file leave its code as it is, or make the same code as another change does; stands before the program
that runs test files.
"""

import os


def compared(root, path, edits):
    """Says of changes of a file, each first byte, end and replacement, what they compile to: `broken`, `same` code, or a hash.

    Hashes can be compared of changes in one function or class of the file: mostly only that is compiled.
    """
    import warnings

    name = os.path.join(root, path)
    with open(name, "rb") as file:
        text = file.read()
    said, known = [], {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            bodies = Bodies(name)
        except (Unfit, SyntaxError, ValueError, RecursionError, MemoryError):
            bodies = None
        for start, end, replacement in edits:
            part = bodies and bodies.definition(start, end)
            first, last, flags = part or (0, len(text), 0)
            if (first, last) not in known:
                known[first, last] = code_hash(text[first:last], path, flags)
            changed = text[first:start] + replacement.encode("utf-8") + text[end:last]
            try:
                after = code_hash(changed, path, flags)
            except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
                said.append("broken")
                continue
            said.append("same" if after == known[first, last] else {"other": after})
    return said


def code_hash(text, path, flags):
    """Returns a hash of the code that a text compiles to, without the lines that it stands on."""
    import hashlib

    code = essence(compile(text, path, "exec", flags=flags, dont_inherit=True))
    return hashlib.blake2b(ascii(code).encode("ascii"), digest_size=16).hexdigest()


def essence(value):
    """Returns what code does, without the lines that it stands on. Constants that are equal may be of different types."""
    if isinstance(value, type(essence.__code__)):
        parts = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars, value.co_flags, value.co_argcount)
        more = (value.co_posonlyargcount, value.co_kwonlyargcount, value.co_name, getattr(value, "co_exceptiontable", b""))
        return (value.co_code, parts, more, essence(value.co_consts))
    if isinstance(value, tuple):
        return tuple(essence(it) for it in value)
    if isinstance(value, frozenset):
        return sorted(repr((type(it).__name__, it)) for it in value)
    return (type(value).__name__, repr(value))
