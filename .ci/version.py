"""One version for all distributions: that of ``meteor_e/_version.py``, written wherever another file must name it.

    python .ci/version.py            # after a change of meteor_e/_version.py: write it everywhere
    python .ci/version.py --check    # fail if a file names another one

Each distribution requires the others by this very version, since they import its packages directly.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r'(?m)^(version = ")[^"]*(")$')
REQUIREMENT = re.compile(r'("(?:meteor_e|meteor-e-[a-z]+)(?:\[[^\]"]*\])?==)[^"]*(")')
"""A distribution of ours in a list of requirements, with or without extras."""


def projects() -> list[Path]:
    """Return the pyproject files of the core, the plugins and the papers' reproductions."""
    found = sorted(ROOT.glob("plugins/meteor-e-*/pyproject.toml"))
    return [ROOT / "pyproject.toml", *found, ROOT / "benchmarks" / "papers" / "pyproject.toml"]


def with_version(text: str, version: str) -> str:
    """Return a pyproject file that has a version, and requires our distributions in it."""
    return REQUIREMENT.sub(rf"\g<1>{version}\g<2>", VERSION.sub(rf"\g<1>{version}\g<2>", text))


def main() -> int:
    """Write the version, or check it."""
    source = (ROOT / "meteor_e" / "_version.py").read_text()
    found = re.search(r'__version__ = "([^"]+)"', source)
    assert found is not None
    wrong = []
    for path in projects():
        text = path.read_text(encoding="utf-8")
        if with_version(text, found[1]) != text:
            wrong.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv[1:]:
                path.write_text(with_version(text, found[1]), encoding="utf-8")
    if wrong:
        print(f"not version {found[1]} everywhere: {', '.join(wrong)}", file=sys.stderr)
        if "--check" in sys.argv[1:]:
            print("run: python .ci/version.py", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
