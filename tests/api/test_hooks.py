from __future__ import annotations

import inspect

import pytest

from meteor_e.api import hooks
from meteor_e.plugins.registry import plugin_registry

HOOKS = [name for name in vars(hooks) if name.startswith("meteor_e_")]


def test_there_is_a_hook_for_each_kind():
    assert sorted(HOOKS) == sorted(registry.hook for registry in plugin_registry().kinds.values())


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_are_documented(hook):
    function = getattr(hooks, hook)
    assert inspect.getdoc(function).startswith("Return ")
    assert not inspect.signature(function).parameters


FROM_PLUGINS = {"estimator", "feature", "java module", "measure", "perturbation", "runner"}
"""Kinds that only plugins bring: they stand on libraries that the core does not have, or only plugins use them."""


def test_core_has_components_of_the_other_kinds():
    empty = {kind for kind, registry in plugin_registry().kinds.items() if not registry.builtins}
    assert empty == FROM_PLUGINS
