"""Output formats of plugins."""

from __future__ import annotations

import types

import pytest
from click.testing import CliRunner

from meteor_e import hookimpl
from meteor_e.api import OutputFormat
from meteor_e.cli.mbr import mbr
from meteor_e.cli.score import score
from meteor_e.plugins.registry import PluginRegistry, plugin_registry
from meteor_e.render.plain import display_width


class OrgOutput(OutputFormat):
    """An output format with the tables of Emacs Org mode."""

    name = "org"

    def write(self, result, stream, options):
        for table in result.grids(options.digits):
            for row in (table.header, *table.rows):
                stream.write("| " + " | ".join(row) + " |\n")


@pytest.fixture
def files(monkeypatch, tmp_path):
    """A hypothesis file and a reference file. A plugin with the format ``org`` is registered during the test."""
    monkeypatch.setattr("meteor_e.plugins.registry._registry", PluginRegistry())
    module = types.ModuleType("org_plugin")

    @hookimpl
    def meteor_e_output_formats():
        return [OrgOutput]

    module.meteor_e_output_formats = meteor_e_output_formats
    plugin_registry().register(module, "org")
    (tmp_path / "hyp").write_text("a b\n", encoding="utf-8")
    (tmp_path / "ref").write_text("a b\n", encoding="utf-8")
    return [str(tmp_path / "hyp"), str(tmp_path / "ref")]


def test_score_writes_the_format_of_a_plugin(files):
    arguments = [*files, "-l", "other", "-m", "exact", "-f", "org", "--digits", "1"]
    result = CliRunner().invoke(score, arguments, catch_exceptions=False)
    assert result.output.splitlines()[0] == "| system | METEOR | precision | recall | F1 | Fmean | penalty | segments |"
    assert result.output.splitlines()[1] == "| hyp | 1.0 | 1.0 | 1.0 | 1.0 | 1.0 | 0.0 | 1 |"


def test_mbr_writes_the_format_of_a_plugin(files):
    arguments = [files[0], "--candidates", "1", "-l", "other", "-m", "exact", "-f", "org"]
    result = CliRunner().invoke(mbr, arguments, catch_exceptions=False)
    assert result.output.splitlines() == ["| source | candidate | expected | text |", "| 1 | 1 | 1.0000 | a b |"]


def test_score_rejects_segments_if_the_format_has_none(files):
    result = CliRunner().invoke(score, [*files, "-l", "other", "-f", "org", "--segments"])
    assert "--segments does not go with --format without segments" in str(result.exception)


def test_display_width_counts_terminal_columns():
    assert [display_width(text) for text in ("", "cat", "猫", "e\u0301", "a\u200db")] == [0, 3, 2, 1, 2]
