"""Write the version of ``meteor_e/_version.py`` into the ``pyproject.toml`` of each distribution.

    python .ci/version.py            # update all files after a change of meteor_e/_version.py
    python .ci/version.py --check    # fail if a file contains another version

The distributions import each other's packages directly, so each of them requires exactly this version of the others.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r'(?m)^(version = ")[^"]*(")$')
REQUIREMENT = re.compile(r'("(?:meteor_e|meteor-e-[a-z]+)(?:\[[^\]"]*\])?==)[^"]*(")')
"""A requirement on one of our distributions, with or without extras."""


def projects() -> list[Path]:
    """Return the pyproject files of the core and of the plugins."""
    return [ROOT / "pyproject.toml", *sorted(ROOT.glob("plugins/meteor-e-*/pyproject.toml"))]


def replace_version(text: str, version: str) -> str:
    """Replace the version of a pyproject file, and the versions of our distributions that it requires."""
    return REQUIREMENT.sub(rf"\g<1>{version}\g<2>", VERSION.sub(rf"\g<1>{version}\g<2>", text))


def main() -> int:
    """Write the version into all files, or check it. Return the exit status."""
    source = (ROOT / "meteor_e" / "_version.py").read_text()
    version_line = re.search(r'__version__ = "([^"]+)"', source)
    assert version_line is not None
    version = version_line[1]
    outdated_files = []
    for path in projects():
        text = path.read_text(encoding="utf-8")
        if replace_version(text, version) != text:
            outdated_files.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv[1:]:
                path.write_text(replace_version(text, version), encoding="utf-8")
    if outdated_files:
        print(f"not version {version} everywhere: {', '.join(outdated_files)}", file=sys.stderr)
        if "--check" in sys.argv[1:]:
            print("run: python .ci/version.py", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
