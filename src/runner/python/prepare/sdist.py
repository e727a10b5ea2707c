"""Downloads the archive of the sources of a package, and says what its build asks for; runs nothing of it.

Called by a pip's own interpreter, in the folder where the archive is to lie, with one JSON object to read: `name`, `wanted`
(what versions have to fit), `day` or null, `python` (a version), `is_offline` (take what lies there). Prints one JSON object.
"""

import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile

from pip._internal.models.index import PyPI
from pip._vendor import requests
from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet
from pip._vendor.packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename

ACCEPT = "application/vnd.pypi.simple.v1+json"
DEFAULT = ["setuptools>=40.8.0", "wheel"]
N_BYTES_MAX = 1 << 30


def version_of(name, file_name):
    try:
        found, version = parse_sdist_filename(file_name)
    except (InvalidSdistFilename, ValueError):
        return None
    return version if found == canonicalize_name(name) else None


def ask(url, **more):
    verify = os.environ.get("PIP_CERT") or True
    answer = requests.get(url, timeout=float(os.environ.get("PIP_DEFAULT_TIMEOUT") or 60), verify=verify, **more)
    answer.raise_for_status()
    return answer


def listed(name):
    """Returns what registries have of a package, as they say it (PEP 691)."""
    urls = [os.environ.get("PIP_INDEX_URL") or PyPI.simple_url]
    urls += (os.environ.get("PIP_EXTRA_INDEX_URL") or "").split()
    found = []
    for url in urls:
        page = "%s/%s/" % (url.rstrip("/"), canonicalize_name(name))
        try:
            answer = ask(page, headers={"Accept": ACCEPT})
            for file in answer.json()["files"]:
                file["url"] = requests.compat.urljoin(answer.url, file["url"])
                found.append(file)
        except (requests.RequestException, ValueError, KeyError) as error:
            print("%s: %s" % (canonicalize_name(name), type(error).__name__), file=sys.stderr)
    return found


def fits(file, asked):
    requires = file.get("requires-python")
    try:
        if requires and asked["python"] not in SpecifierSet(requires):
            return False
    except InvalidSpecifier:
        pass
    day, uploaded = asked["day"], file.get("upload-time")
    # Who does not say when, says nothing of that day.
    return not day or bool(uploaded) and uploaded[:10] <= day


def choose(files, asked):
    """Returns the newest that fits; one that was taken back only where it is named."""
    wanted = SpecifierSet(asked["wanted"])
    known = [(version_of(asked["name"], it["filename"]), it) for it in files]
    known = [it for it in known if it[0] is not None and fits(it[1], asked)]
    if "==" not in asked["wanted"]:
        known = [it for it in known if not it[1].get("yanked")]
    for prereleases in (None, True):
        there = [it for it in known if wanted.contains(it[0], prereleases=prereleases)]
        if there:
            return max(there, key=lambda it: (it[0], it[1]["filename"].endswith(".tar.gz")))[1]
    return None


def download(file):
    name = os.path.basename(file["filename"])
    content = ask(file["url"], stream=True).raw.read(N_BYTES_MAX + 1, decode_content=False)
    if len(content) > N_BYTES_MAX:
        return None
    expected = (file.get("hashes") or {}).get("sha256")
    if expected and hashlib.sha256(content).hexdigest() != expected:
        return None
    with open(name, "wb") as out:
        out.write(content)
    return name


def requires(name):
    """Returns what an archive's build asks for (PEP 518)."""
    try:
        if name.endswith(".zip"):
            with zipfile.ZipFile(name) as archive:
                texts = [archive.read(it) for it in archive.namelist() if is_settings(it)]
        else:
            with tarfile.open(name) as archive:
                texts = [archive.extractfile(it).read() for it in archive if it.isfile() and is_settings(it.name)]
        try:
            import tomllib as reader
        except ImportError:
            import pip._vendor.tomli as reader
        found = reader.load(io.BytesIO(texts[0]))["build-system"]["requires"]
        return [it for it in found if isinstance(it, str)]
    except Exception:
        # It says nothing that can be read.
        return DEFAULT


def is_settings(name):
    return name.count("/") == 1 and name.endswith("/pyproject.toml")


def main():
    asked = json.load(sys.stdin)
    if asked["is_offline"]:
        files = [{"filename": it} for it in sorted(os.listdir("."))]
        # What lies there was right on some day.
        file = choose(files, dict(asked, day=None))
        name = file and file["filename"]
    else:
        file = choose(listed(asked["name"]), asked)
        name = file and download(file)
    if not name:
        sys.exit("no archive of the sources of %s%s" % (asked["name"], asked["wanted"]))
    print(json.dumps({"file": name, "requires": requires(name)}))


main()
