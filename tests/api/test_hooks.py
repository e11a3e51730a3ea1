from __future__ import annotations

import inspect

import pytest

from meteor_e.api import hooks
from meteor_e.plugins import builtin
from meteor_e.plugins.registry import KINDS

HOOKS = [name for name in vars(hooks) if name.startswith("meteor_e_")]


def test_there_is_a_hook_for_each_kind():
    assert sorted(HOOKS) == sorted(kind.hook for kind in KINDS.values())


EMPTY = (
    "meteor_e_estimators",
    "meteor_e_features",
    "meteor_e_java_modules",
    "meteor_e_measures",
    "meteor_e_perturbations",
    "meteor_e_runners",
)
"""What comes from our plugins: it stands on libraries that the core does not have, or only they use it."""


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_and_used_by_ourselves(hook):
    function = getattr(hooks, hook)
    assert inspect.getdoc(function).startswith("Return ")
    assert not inspect.signature(function).parameters
    ours = getattr(builtin, hook, None)
    assert (ours is None) == (hook in EMPTY)
    assert ours is None or (inspect.getdoc(ours) and len(ours()))
