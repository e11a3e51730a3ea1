"""The file that says which distribution brings what agrees with the distributions."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

from meteor_e.plugins.distributions import listed, missing
from meteor_e.plugins.registry import plugin_registry

ASKED_OF_THE_CORE = {"chain", "command", "lemmatizer", "matcher", "metric", "runner", "segmenter", "table format"}
"""Kinds of things that the core is asked for; a plugin that is there asks for the others."""
INSTALLED = {entry_point.dist.name for entry_point in entry_points(group="meteor_e") if entry_point.dist}


@pytest.mark.parametrize("distribution", sorted({name.partition("[")[0] for name in listed()}))
def test_the_file_says_what_a_distribution_brings(distribution):
    if distribution not in INSTALLED:
        pytest.skip(f"{distribution} is not installed")
    entries = [
        entry
        for kind in sorted(ASKED_OF_THE_CORE)
        for entry in plugin_registry().entries(kind)
        if entry.distribution == distribution
    ]
    ours = [brought for name, brought in listed().items() if name.partition("[")[0] == distribution]
    noted = {(kind, name) for brought in ours for kind, names in brought.items() for name in names}
    assert noted == {(entry.kind, entry.name) for entry in entries}
    summaries = {name: note[1] for brought in ours for name, note in brought.get("command", {}).items()}
    assert summaries == {entry.name: entry.summary for entry in entries if entry.kind == "command"}


def test_what_is_missing_names_the_distribution_and_the_command():
    assert missing(("matcher",), "dbnary", "the matcher 'dbnary'") == (
        "the matcher 'dbnary' comes with the plugin meteor-e-languages, which is not installed: "
        "in a clone of meteor_e, run: pip install ./plugins/meteor-e-languages"
    )
    assert "'./plugins/meteor-e-languages[chinese]'" in missing(("segmenter",), "jieba", "jieba")
    assert missing(("metric",), "dbnary", "x") == ""
