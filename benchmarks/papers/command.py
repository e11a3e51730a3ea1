"""Functions for the command lines of several benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

from meteor_e.base.errors import MeteorError

sys.path.append(str(Path(__file__).parents[1]))

from sample_data import add_sample_option as add_sample_option
from sample_data import sample_folder as sample_folder
from sample_data import write_sample_vectors as write_sample_vectors

P = ParamSpec("P")


def exit_code(run: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> int:
    """Call a function, print an error of meteor_e on one line, and return the exit code of the program."""
    try:
        run(*args, **kwargs)
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
