"""``python -m meteor_e`` is ``meteor-e``."""

import atexit
import contextlib
import os
import sys

from meteor_e.cli.program import main

if __name__ == "__main__":
    try:
        main()
    except SystemExit as stop:
        if stop.code not in (130, 143):
            raise
        # Where an interrupt went through exec of a text, as in many imports, Python would end itself by SIGINT.
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(stop.code)
