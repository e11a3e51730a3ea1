"""The entry point of ``python -m meteor_e``, which runs the program ``meteor-e``."""

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
        # Python would report SIGINT after an interrupted import, but os._exit() always reports this exit code.
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(stop.code)
