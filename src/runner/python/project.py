"""Says what a project's files say of its tests and of what they need; imports and runs nothing of it.

Called with the folder; prints one JSON object.
"""

import ast
import configparser
import json
import os
import re
import shlex
import sys

TESTS = re.compile(r"(^|[-_.])(tests?|testing|dev|develop|development|pytest)($|[-_.])", re.I)
NOT_TESTS = re.compile(r"(^|[-_./])(docs?|lint|linters?|typing|types|mypy|build|release|publish|pre-commit|gha-update|bench\w*|perf)($|[-_./])", re.I)
# Words of a path that name a version of Python: `py27`, `python3.9`; and those that do beside words of no other package: `3.3`.
PY_VERSION = re.compile(r"py(?:thon)?([23])\.?(\d{1,2})", re.I)
BARE_VERSION = re.compile(r"(2)\.?(7)|(3)\.?([3-9]|1\d)")
OF_TESTS = {"requirements", "requirement", "python", "py", "test", "tests", "testing", "dev", "development", "ci"}
GROUPS = ("test", "tests", "testing", "dev")
# Folders at the top that are no part of what is tested.
NO_SOURCE = {
    "test", "tests", "testing", "doc", "docs", "example", "examples", "bench", "benchmark", "benchmarks", "script",
    "scripts", "tool", "tools", "tasks", "build", "dist", "ci", "release-notes", "changelog", "typing_tests", "ext",
    "perf", "node_modules", "venv", "env", "sample", "samples", "demo", "demos", "tutorials", "notebooks",
}
NO_MODULE = {"setup", "conftest", "noxfile", "tasks", "fabfile", "versioneer", "dodo", "hatch_build", "build", "manage"}
# Programs that look at code or publish it: tests need none of them, and a test that does says so when it is collected.
TOOLS = re.compile(r"(ruff|tox|tox-.*|pyright|pyrefly|ty|prek|pre-commit|pre-commit-.*|mkdocs|mkdocs[-_].*|mkautodoc|twine"
                   r"|black|isort|flake8|flake8-.*|pylint|asv|nox|bump2version|towncrier|sphinx|sphinx[-_].*)$", re.I)
NOTES = []
# Extras of the project that its files of requirements ask for.
EXTRAS = []


def needed(listed):
    return [it for it in listed if not TOOLS.match(re.split(r"[\s\[<>=!~;@(]", it.strip(), maxsplit=1)[0])]


def text_of(*parts):
    path = os.path.join(*parts)
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def toml_of(text, name):
    if text is None:
        return {}
    try:
        import tomllib as reader
    except ImportError:
        try:
            import pip._vendor.tomli as reader
        except ImportError:
            NOTES.append("%s cannot be read by this Python" % name)
            return {}
    try:
        return reader.loads(text)
    except Exception as error:
        NOTES.append("%s cannot be read: %s" % (name, error))
        return {}


def ini_of(text, name):
    parser = configparser.RawConfigParser(strict=False)
    if text is not None:
        try:
            parser.read_string(text)
        except configparser.Error as error:
            NOTES.append("%s cannot be read: %s" % (name, error))
    return parser


def table(value, *keys):
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def strings(value):
    if isinstance(value, str):
        return [value]
    return [it for it in value if isinstance(it, str)] if isinstance(value, (list, tuple)) else []


def lines(text):
    return [it.strip() for it in (text or "").splitlines() if it.strip() and not it.strip().startswith("#")]


def requirements(root, path, seen=None):
    """Returns the requirements of a file and of those that it names, without the project itself and without hashes."""
    seen = seen if seen is not None else set()
    full = os.path.normpath(os.path.join(root, path))
    if full in seen or not full.startswith(os.path.normpath(root)):
        return []
    seen.add(full)
    found = []
    text = (text_of(full) or "").replace("\\\n", " ")
    for line in lines(text):
        line = re.sub(r"\s+#.*$", "", line)
        line = re.sub(r"\s--hash[= ]\S+", "", line).strip()
        nested = re.match(r"(?:-r|--requirement)[ =]\s*(\S+)", line)
        if nested:
            found += requirements(root, os.path.relpath(os.path.join(os.path.dirname(full), nested.group(1)), root), seen)
        elif line.startswith("-") or line.startswith("."):
            continue
        elif line:
            found.append(line)
    return found


def is_for_another_python(stem):
    """Returns whether a path names versions of Python, and this one is none of them."""
    named = set()
    for part in stem.split(os.sep):
        words = [it for it in re.split(r"[-_]", part) if it]
        bare = [BARE_VERSION.fullmatch(it) for it in words]
        is_own = all(match or it.lower() in OF_TESTS for it, match in zip(words, bare))
        found = [PY_VERSION.fullmatch(it) for it in words] + (bare if is_own else [])
        named.update(tuple(int(it) for it in match.groups() if it) for match in found if match)
    return bool(named) and sys.version_info[:2] not in named


def requirement_files(root):
    """Returns files of requirements for tests: the path says so, or they name pytest."""
    found = []
    for folder, folders, names in os.walk(root):
        depth = os.path.relpath(folder, root).count(os.sep)
        folders[:] = sorted(it for it in folders if not it.startswith(".") and it not in ("node_modules", "docs", "doc"))
        if depth >= 2:
            folders[:] = []
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            stem = path[:-4]
            if not name.endswith(".txt") or "requirement" not in path.lower() and "constraints" not in path.lower():
                continue
            if NOT_TESTS.search(stem.replace("requirements", "")) or "constraints" in path.lower():
                continue
            if is_for_another_python(stem):
                NOTES.append("%s is left out: it is for another Python" % path)
                continue
            listed = requirements(root, path)
            says = any(TESTS.search(it) for it in stem.split(os.sep))
            if listed and (says or any(re.match(r"pytest\b", it, re.I) for it in listed)):
                named = re.findall(r"(?m)^(?:-e|--editable)\s+\.\[([^\]]+)\]", text_of(root, path) or "")
                EXTRAS.extend(it.strip() for part in named for it in part.split(","))
                is_pinned = sum("==" in it for it in listed) * 2 > len(listed)
                found.append({"path": path, "requirements": needed(listed), "pinned": is_pinned})
    found.sort(key=lambda it: (not it["pinned"], it["path"]))
    return found


def expanded(groups, name, seen=()):
    found = []
    for it in groups.get(name) or []:
        if isinstance(it, str):
            found.append(it)
        elif isinstance(it, dict) and it.get("include-group") and it["include-group"] not in seen:
            found += expanded(groups, it["include-group"], (*seen, name))
    return found


def of_poetry(table_of):
    found = []
    for name, wanted in (table_of or {}).items():
        if name.lower() == "python":
            continue
        if isinstance(wanted, list):
            wanted = wanted[-1] if wanted else "*"
        extras = ""
        if isinstance(wanted, dict):
            if "path" in wanted or "git" in wanted or "url" in wanted:
                continue
            extras = "[%s]" % ",".join(wanted["extras"]) if wanted.get("extras") else ""
            wanted = wanted.get("version", "*")
        wanted = str(wanted).strip()
        if wanted == "*":
            found.append(name + extras)
        elif wanted[:1] in "^~" and not wanted.startswith("~="):
            number = wanted[1:]
            parts = number.split(".")
            upper = str(int(parts[0]) + 1) if wanted[0] == "^" and parts[0].isdigit() and parts[0] != "0" else None
            found.append("%s%s>=%s%s" % (name, extras, number, ",<" + upper if upper else ""))
        elif wanted[:1].isdigit():
            found.append("%s%s==%s" % (name, extras, wanted))
        else:
            found.append(name + extras + wanted)
    return found


def from_setup_py(text):
    """Returns what `setup(…)` is given as literals."""
    found = {}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in ast.walk(tree):
        name = getattr(getattr(node, "func", None), "attr", None) or getattr(getattr(node, "func", None), "id", None)
        if isinstance(node, ast.Call) and name == "setup":
            for keyword in node.keywords:
                try:
                    found[keyword.arg] = ast.literal_eval(keyword.value)
                except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    continue
    return found


def addopts(pyproject, root):
    """Returns pytest's own options of the project, and whether it says where tests are, from the file that pytest takes."""
    for name, section in (("pytest.ini", "pytest"), (".pytest.ini", "pytest")):
        text = text_of(root, name)
        if text is not None:
            ini = ini_of(text, name)
            return ini.get(section, "addopts", fallback=""), bool(ini.get(section, "testpaths", fallback="").strip())
    options = table(pyproject, "tool", "pytest", "ini_options") or table(pyproject, "tool", "pytest")
    if isinstance(options, dict):
        value = options.get("addopts", "")
        return value if isinstance(value, list) else str(value), bool(options.get("testpaths"))
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        ini = ini_of(text_of(root, name), name)
        if ini.has_section(section):
            return ini.get(section, "addopts", fallback=""), bool(ini.get(section, "testpaths", fallback="").strip())
    return "", False


def test_folders(root):
    """Returns where tests are by custom, for a project that does not say it."""
    found = [it for it in ("tests", "test", "testing") if os.path.isdir(os.path.join(root, it))]
    return found if any(has_python(os.path.join(root, it)) for it in found) else []


def split(text):
    if isinstance(text, list):
        return strings(text)
    try:
        return shlex.split(text or "", comments=False)
    except ValueError:
        return (text or "").split()


# Options that are dropped with their value: they measure, spread, stop early or report elsewhere.
DROPPED_WITH_VALUE = {
    "-n", "--numprocesses", "--dist", "--maxfail", "--junitxml", "--junit-xml", "--html", "--cov-report", "--cov-config",
    "--cov-fail-under", "--cov-context", "--tx", "--basetemp", "--log-file", "--report-log", "--json-report-file",
    "--junit-prefix", "--durations", "--durations-min", "--resultlog",
}
DROPPED = {
    "-x", "--exitfirst", "--no-cov", "--cov-branch", "--cov-append", "--cov-reset", "--no-cov-on-fail",
    "--self-contained-html", "--json-report", "--ff", "--lf", "--failed-first", "--last-failed", "--nf", "--sw", "--stepwise",
    "--pdb", "--looponfail", "-f", "--benchmark-only", "--codspeed", "--profile", "--memray",
}
# Options whose value is the next word, also where the project has a path of that name.
WITH_VALUE = {
    "-p", "-W", "-k", "-m", "-o", "-c", "-r", "--ignore", "--ignore-glob", "--deselect", "--rootdir", "--confcutdir", "--config-file",
    "--import-mode", "--override-ini", "--pythonwarnings", "--doctest-glob", "--doctest-report", "--assert", "--capture", "--color",
    "--code-highlight", "--tb", "--show-capture", "--log-level", "--log-format", "--log-date-format", "--log-cli-level",
    "--log-cli-format", "--log-cli-date-format", "--log-file-level", "--log-auto-indent", "--verbosity",
}
# Long options of pytest without a value: what follows one is a path.
WITHOUT_VALUE = {
    "--verbose", "--quiet", "--no-header", "--no-summary", "--no-fold-skipped", "--showlocals", "--no-showlocals",
    "--disable-warnings", "--disable-pytest-warnings", "--full-trace", "--strict", "--strict-markers", "--strict-config",
    "--runxfail", "--xfail-tb", "--continue-on-collection-errors", "--pyargs", "--noconftest", "--keep-duplicates",
    "--collect-in-virtualenv", "--doctest-modules", "--doctest-ignore-import-errors", "--doctest-continue-on-failure",
    "--setup-show", "--cache-clear", "--trace-config", "--force-short-summary", "--require-hashes", "--force-sugar",
}


def kept_options(options, root):
    """Returns the options without what measures, spreads, stops early or reports elsewhere, and without what is to be run."""
    kept, idx = [], 0
    while idx < len(options):
        it, following = options[idx], options[idx + 1] if idx + 1 < len(options) else "-"
        idx += 1
        name = it.split("=", 1)[0]
        is_value = "=" not in it and not following.startswith("-")
        if name in DROPPED_WITH_VALUE:
            idx += "=" not in it
        elif name == "--cov":
            idx += is_value
        elif name in DROPPED or re.match(r"-n(\d|auto|logical)", it) or name.startswith("--cov"):
            continue
        elif it in WITH_VALUE:
            kept += options[idx - 1:idx + 1]
            idx += 1
        elif it.startswith("--") and it not in WITHOUT_VALUE and is_value and not is_place(root, following):
            # One that is not known, and what belongs to it: half of it is no option.
            kept += [it, following]
            idx += 1
        elif it.startswith("-"):
            kept.append(it)
        # Else it is a path: what is to be run is ours to say.
    return kept


def is_place(root, text):
    return os.path.exists(os.path.join(root, text.split("::", 1)[0]))


def is_package(folder):
    return os.path.isfile(os.path.join(folder, "__init__.py"))


def has_python(folder):
    for _, folders, names in os.walk(folder):
        folders[:] = [it for it in folders if not it.startswith(".")]
        if any(it.endswith(".py") for it in names):
            return True
    return False


def sources(root, pyproject, setup):
    """Returns folders and single modules that are the project's own code."""
    homes = []
    package_dir = table(pyproject, "tool", "setuptools", "package-dir") or setup.get("package_dir") or {}
    if isinstance(package_dir, dict):
        homes += [it for it in package_dir.values() if isinstance(it, str)]
    homes += strings(table(pyproject, "tool", "setuptools", "packages", "find", "where") or [])
    homes += [it for it in ("src", "lib") if os.path.isdir(os.path.join(root, it))]
    found = []
    for home in dict.fromkeys(it.strip("/") for it in homes):
        if home in ("", ".") or not os.path.isdir(os.path.join(root, home)):
            continue
        if is_package(os.path.join(root, home)):
            found.append(home)
            continue
        for name in sorted(os.listdir(os.path.join(root, home))):
            path = os.path.join(home, name)
            full = os.path.join(root, path)
            if os.path.isdir(full) and not name.startswith(".") and not name.endswith((".egg-info", "-info")):
                if name not in ("__pycache__", "tests", "test") and has_python(full):
                    found.append(path)
            elif name.endswith(".py"):
                found.append(path)
    if found:
        return list(dict.fromkeys(found))
    named = re.sub(r"[-_.]+", "_", str(table(pyproject, "project", "name") or setup.get("name") or "")).lower()
    for name in sorted(os.listdir(root)):
        full = os.path.join(root, name)
        if os.path.isdir(full) and name.lower() not in NO_SOURCE and not name.startswith("."):
            if is_package(full) or (name.lower() == named and has_python(full)):
                found.append(name)
        elif name.endswith(".py") and name[:-3] not in NO_MODULE and not re.match(r"test_|.*_test\.py$", name):
            found.append(name)
    return found


def test_files(root, found):
    """Returns files of tests among the sources: they are not what is tested."""
    tests = []
    for place in found:
        for folder, _, names in os.walk(os.path.join(root, place)):
            path = os.path.relpath(folder, root)
            is_inside = bool({"test", "tests"} & set(path.split(os.sep)[1:]))
            for name in names:
                if name.endswith(".py") and (is_inside or re.match(r"test_.*\.py$|.*_test\.py$|conftest\.py$", name)):
                    tests.append(os.path.join(path, name))
    return sorted(tests)


def tox_deps(root):
    text = text_of(root, "tox.ini")
    ini = ini_of(text, "tox.ini")
    found = []
    if not ini.has_section("testenv"):
        return found
    for line in lines(ini.get("testenv", "deps", fallback="")):
        factor = re.match(r"[\w{}!,.-]+:\s+(.*)$", line)
        line = factor.group(1) if factor and "://" not in line else line
        nested = re.match(r"-r\s*(\S+)", line)
        if nested:
            found += requirements(root, nested.group(1).replace("{toxinidir}/", ""))
        elif "{" not in line and not line.startswith("-") and not line.startswith("."):
            found.append(line)
    return found


def optional(root, places):
    """Returns places of the project that name packages for some of its tests, with these."""
    ini = ini_of(text_of(root, "tox.ini"), "tox.ini")
    for section in ini.sections():
        kind, _, name = section.partition(":")
        # One with commands of its own that are not pytest's runs no tests.
        runs_tests = "pytest" in ini.get(section, "commands", fallback="pytest")
        if kind == "testenv" and name and runs_tests and not NOT_TESTS.search(name):
            listed = [it for it in lines(ini.get(section, "deps", fallback="")) if not it.startswith("-")]
            places["tox environment `%s`" % name] = listed
    found = []
    for place, listed in places.items():
        packages = [it for it in needed(listed) if "://" not in it and "{" not in it]
        if packages:
            found.append({"place": place, "requirements": packages})
    return found


def main():
    root = sys.argv[1]
    pyproject = toml_of(text_of(root, "pyproject.toml"), "pyproject.toml")
    setup_cfg = ini_of(text_of(root, "setup.cfg"), "setup.cfg")
    setup_text = text_of(root, "setup.py")
    setup = from_setup_py(setup_text) if setup_text is not None else {}
    requires = table(pyproject, "project", "requires-python") or setup.get("python_requires")
    requires = requires or setup_cfg.get("options", "python_requires", fallback=None)
    poetry = table(pyproject, "tool", "poetry") or {}
    if not requires and isinstance(table(poetry, "dependencies", "python"), str):
        requires = of_poetry({"x": poetry["dependencies"]["python"]})[0][1:]
    extras = list(table(pyproject, "project", "optional-dependencies") or {})
    if isinstance(setup.get("extras_require"), dict):
        extras += [it for it in setup["extras_require"] if isinstance(it, str)]
    if setup_cfg.has_section("options.extras_require"):
        extras += setup_cfg.options("options.extras_require")
    extras += list(poetry.get("extras") or {})
    extras = [it for it in dict.fromkeys(extras) if not it.startswith(":")]
    groups = {}
    for name, listed in (pyproject.get("dependency-groups") or {}).items():
        groups[name] = expanded(pyproject["dependency-groups"], name)
    for name, group in (table(poetry, "group") or {}).items():
        groups.setdefault(name, []).extend(of_poetry(table(group, "dependencies")))
    groups.setdefault("dev", []).extend(of_poetry(poetry.get("dev-dependencies")))
    groups["dev"] += strings(table(pyproject, "tool", "uv", "dev-dependencies") or [])
    for name, listed in (table(pyproject, "tool", "pdm", "dev-dependencies") or {}).items():
        groups.setdefault(name, []).extend(strings(listed))
    for name in ("default", *GROUPS, "hatch-test"):
        env = table(pyproject, "tool", "hatch", "envs", name) or {}
        listed = strings(env.get("dependencies") or []) + strings(env.get("extra-dependencies") or [])
        groups.setdefault("test" if name == "default" else name, []).extend(listed)
    groups.setdefault("tests", []).extend(strings(setup.get("tests_require") or []))
    wanted = []
    for name in groups:
        if name in GROUPS or name == "hatch-test":
            wanted += [it for it in groups[name] if not it.startswith("-") and "{" not in it]
    own = sources(root, pyproject, setup)
    files = requirement_files(root)
    places = {}
    for name, listed in (table(pyproject, "project", "optional-dependencies") or {}).items():
        if name.lower() not in GROUPS and name not in EXTRAS and not NOT_TESTS.search(name):
            places["extra `%s`" % name] = strings(listed)
    for name, listed in groups.items():
        if name not in GROUPS and name != "hatch-test" and not NOT_TESTS.search(name):
            places["group `%s`" % name] = [it for it in listed if not it.startswith("-") and "{" not in it]
    has_metadata = bool(pyproject.get("project") or poetry or pyproject.get("build-system") or setup_text is not None
                        or setup_cfg.has_section("metadata"))
    options, has_paths = addopts(pyproject, root)
    name = table(pyproject, "project", "name") or poetry.get("name") or setup.get("name")
    name = name or setup_cfg.get("metadata", "name", fallback=None)
    build = strings(table(pyproject, "build-system", "requires") or ["setuptools>=40.8.0", "wheel"])
    # Older builds say in their own files what they need before they say anything else.
    build += strings(setup.get("setup_requires") or []) + lines(setup_cfg.get("options", "setup_requires", fallback=""))
    found = {
        "name": name if isinstance(name, str) else None,
        "requires_python": requires,
        "has_metadata": has_metadata,
        "build_requires": build,
        "requirement_files": files,
        "test_extras": [it for it in extras if it.lower() in GROUPS or it in EXTRAS],
        "other_extras": [it for it in extras if it.lower() not in GROUPS and it not in EXTRAS and not NOT_TESTS.search(it)],
        "group_requirements": needed(dict.fromkeys(wanted)),
        "tox": needed(tox_deps(root)),
        "addopts": " ".join(shlex.quote(it) for it in kept_options(split(options), root)),
        "test_folders": [] if has_paths else test_folders(root),
        "sources": own,
        "optional": optional(root, places),
        "test_files": test_files(root, own),
        "notes": NOTES,
    }
    print(json.dumps(said(found)))


def said(value):
    """Returns the same without names of files that are no text: nobody can be told of them."""
    if isinstance(value, dict):
        return {name: said(it) for name, it in value.items()}
    if isinstance(value, list):
        return [said(it) for it in value if not isinstance(it, str) or is_text(it)]
    return value if not isinstance(value, str) or is_text(value) else None


def is_text(value):
    return not any("\ud800" <= it <= "\udfff" for it in value)


main()
