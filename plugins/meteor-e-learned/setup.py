"""The extension that counts: built where a C++ compiler is; without one, numpy counts, several times as slow.

Environment: ``METEOR_E_REQUIRE_NATIVE`` makes an extension that cannot be built an error, as wheels need it;
``METEOR_E_SANITIZE`` builds it with AddressSanitizer and UndefinedBehaviorSanitizer, for tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pybind11
from setuptools import Extension, setup

OPTIONS: dict[str, dict[str, object]] = {}
if sys.platform == "win32":
    COMPILE, LINK = ["/std:c++17", "/O2", "/EHsc", "/utf-8"], []
else:
    COMPILE, LINK = ["-std=c++17", "-O3", "-g0", "-fvisibility=hidden"], []
    if os.environ.get("METEOR_E_SANITIZE"):
        SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        COMPILE += ["-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS", *SANITIZE]
        LINK += SANITIZE
        # Objects built with other flags must not be taken for up to date.
        OPTIONS["build"] = {"build_base": "build/sanitize"}

setup(
    options=OPTIONS,
    ext_modules=[
        Extension(
            "meteor_e_learned._native",
            sorted(path.as_posix() for path in Path("native").glob("*.cpp")),
            depends=sorted(path.as_posix() for path in Path("native").glob("*.hpp")),
            include_dirs=[pybind11.get_include()],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
            language="c++",
            optional=not os.environ.get("METEOR_E_REQUIRE_NATIVE"),
        )
    ],
)
