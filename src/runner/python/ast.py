"""Says of texts whether `ast.parse` takes them.

A question is a line with a number of bytes, then so many bytes of UTF-8. An answer is a line: `ok`, or the line and the
column where it fails, from 1, and why. The first line of all is the version.

Whatever parsing prints, as warnings do, is no answer. Everything is at the module's level: how deep a text may nest
depends on how deep its caller is.
"""

import ast
import os
import platform
import sys
import warnings

warnings.simplefilter("ignore")
questions = sys.stdin.buffer
answers = os.fdopen(os.dup(1), "wb", buffering=0)
os.dup2(2, 1)
answers.write(platform.python_version().encode() + b"\n")
while header := questions.readline():
    text = questions.read(int(header)).decode("utf-8")
    try:
        ast.parse(text)
        answer = "ok"
    except SyntaxError as error:
        answer = f"{max(error.lineno or 1, 1)} {max(error.offset or 1, 1)} {error.msg}"
    except Exception as error:
        # A byte that may not be there, nesting that is too deep: what it is differs between versions.
        answer = f"1 1 {type(error).__name__}: {error}"
    answer = " ".join(answer[:400].split())
    answers.write(answer.encode("utf-8", "backslashreplace") + b"\n")
