"""The plugin hooks: documentation, and one hook per kind of component."""

from __future__ import annotations

import inspect

import pytest

from meteor_e.api import hooks
from meteor_e.plugins.registry import plugin_registry

HOOKS = [name for name in vars(hooks) if name.startswith("meteor_e_")]


def test_each_component_kind_has_a_hook():
    assert sorted(HOOKS) == sorted(registry.hook for registry in plugin_registry().kinds.values())


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_are_documented(hook):
    function = getattr(hooks, hook)
    assert inspect.getdoc(function).startswith("Return ")
    assert not inspect.signature(function).parameters


PLUGIN_KINDS = {"estimator", "feature", "java module", "measure", "perturbation", "runner"}
"""The kinds of which only plugins have components: they need additional libraries, or only plugins use them."""


def test_core_has_components_of_all_kinds_except_plugin_kinds():
    kinds_without_builtins = {kind for kind, registry in plugin_registry().kinds.items() if not registry.builtins}
    assert kinds_without_builtins == PLUGIN_KINDS
