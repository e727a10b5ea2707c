"""Says what an installed project needs: reads its metadata, and imports nothing of it.

Called by a pip's own interpreter with one JSON object to read: `metadata` (the text), `extras` (names). Prints a JSON list of
requirements, without conditions, with those that the extras add.
"""

import email.parser
import json
import sys

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name


def holds(marker, extra):
    """Returns whether a condition holds for an extra, and not without it; for none, whether it holds at all."""
    is_always = marker is None or marker.evaluate({"extra": ""})
    if not extra:
        return is_always
    return not is_always and any(marker.evaluate({"extra": it}) for it in (extra, canonicalize_name(extra)))


def needed(requirements, own, extras, seen):
    found = []
    for extra in extras:
        if extra in seen:
            continue
        seen.add(extra)
        for it in requirements:
            if not holds(it.marker, extra):
                continue
            if canonicalize_name(it.name) == own:
                # An extra that is made of others.
                found += needed(requirements, own, sorted(it.extras), seen)
            else:
                found.append(it)
    return found


def requirement(line):
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def main():
    asked = json.load(sys.stdin)
    metadata = email.parser.Parser().parsestr(asked["metadata"])
    own = canonicalize_name(metadata.get("Name") or "")
    read = [requirement(it) for it in metadata.get_all("Requires-Dist") or []]
    found = needed([it for it in read if it], own, ["", *asked["extras"]], set())
    for it in found:
        it.marker = None
    print(json.dumps(list(dict.fromkeys(str(it) for it in found))))


main()
