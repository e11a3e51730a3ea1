"""The native core: built where a C++ compiler is; without one, the package installs and runs in pure Python.

Environment: ``METEOR_E_REQUIRE_NATIVE`` makes a core that cannot be built an error, as wheels need it;
``METEOR_E_SANITIZE`` builds it with AddressSanitizer and UndefinedBehaviorSanitizer, for tests.
"""

from __future__ import annotations

import os
import sys
from glob import glob

from setuptools import Extension, setup

if sys.platform == "win32":
    COMPILE, LINK = ["/std:c++17", "/O2", "/EHsc", "/fp:precise", "/utf-8"], []
else:
    # A fused multiply-add would change the last digit of a score.
    COMPILE, LINK = ["-std=c++17", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-pthread"], ["-pthread"]
    if os.environ.get("METEOR_E_SANITIZE"):
        SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        COMPILE += ["-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS", *SANITIZE]
        LINK += SANITIZE

setup(
    ext_modules=[
        Extension(
            "meteor_e._native",
            sorted(glob("meteor_e/native/*.cpp")),
            depends=sorted(glob("meteor_e/native/*.hpp")),
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
            language="c++",
            optional=not os.environ.get("METEOR_E_REQUIRE_NATIVE"),
        )
    ]
)
