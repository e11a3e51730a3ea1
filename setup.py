"""The native core: built where a C++ compiler is; without one, the package installs and runs in pure Python.

Environment: ``METEOR_E_REQUIRE_NATIVE`` makes a core that cannot be built an error, as wheels need it;
``METEOR_E_SANITIZE`` builds it with AddressSanitizer and UndefinedBehaviorSanitizer, for tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import Extension, find_packages, setup

if sys.platform == "win32":
    COMPILE, LINK = ["/std:c++17", "/O2", "/EHsc", "/fp:precise", "/utf-8"], []
else:
    # A fused multiply-add would change the last digit of a score.
    COMPILE = ["-std=c++17", "-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden", "-pthread"]
    LINK = ["-pthread"]
    if os.environ.get("METEOR_E_SANITIZE"):
        SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        COMPILE += ["-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS", *SANITIZE]
        LINK += SANITIZE


def files(pattern: str) -> list[str]:
    """Return files as setuptools wants them: relative, with slashes."""
    return sorted(path.as_posix() for path in Path("meteor_e/native").glob(pattern))


OPTIONS: dict[str, dict[str, object]] = {}
if os.environ.get("METEOR_E_SANITIZE"):
    # Objects built with other flags must not be taken for up to date.
    OPTIONS["build"] = {"build_base": "build/sanitize"}

setup(
    options=OPTIONS,
    # The resources lie beside the package, and are installed in it: see package-dir in pyproject.toml.
    packages=[
        *find_packages(include=["meteor_e", "meteor_e.*"]),
        *(f"meteor_e.{name}" for name in ("resources", "resources.chains", "resources.languages")),
    ],
    ext_modules=[
        Extension(
            "meteor_e._native",
            files("*.cpp"),
            depends=files("*.hpp"),
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
            language="c++",
            optional=not os.environ.get("METEOR_E_REQUIRE_NATIVE"),
        )
    ],
)
