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
    COMPILE, LINK = ["-std=c++17", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-pthread"], ["-pthread"]
    if os.environ.get("METEOR_E_SANITIZE"):
        SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        COMPILE += ["-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS", *SANITIZE]
        LINK += SANITIZE


def extension(name: str, folder: str, shared: str = "") -> Extension:
    """Return an extension made of the files in a folder, which may include headers of another one."""

    def files(place: str, pattern: str) -> list[str]:
        """Return files as setuptools wants them: relative, with slashes."""
        return sorted(path.as_posix() for path in Path(place).glob(pattern))

    return Extension(
        name,
        files(folder, "*.cpp"),
        depends=files(folder, "*.hpp") + (files(shared, "*.hpp") if shared else []),
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
        language="c++",
        optional=not os.environ.get("METEOR_E_REQUIRE_NATIVE"),
    )


# The two extensions side by side, which saves a third of the time.
OPTIONS: dict[str, dict[str, object]] = {"build_ext": {"parallel": True}}
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
        extension("meteor_e._native", "meteor_e/native"),
        extension("meteor_e._bitext", "meteor_e/bitext/native", shared="meteor_e/native"),
    ],
)
