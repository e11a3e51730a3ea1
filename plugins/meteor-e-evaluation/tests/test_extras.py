from __future__ import annotations

import pytest

from meteor_e.base.errors import ConfigError
from meteor_e_evaluation.extras import require


def test_a_missing_library_is_named_with_the_command_that_brings_it():
    with pytest.raises(ConfigError, match=r"drawing needs no_such_library, .* pip install 'meteor_e\[evaluation\]'"):
        require("no_such_library", "drawing")


def test_what_is_there_is_imported():
    assert require("math", "arithmetic").pi > 3
