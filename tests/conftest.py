from __future__ import annotations

import sys
import textwrap
from importlib.metadata import distributions
from pathlib import Path

import pytest

from meteor_e.registry import Registry


class PluginSite:
    """A folder of installed distributions, each with one module and an entry point of our group."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: list[str] = []

    def add(
        self,
        distribution: str,
        code: str,
        *,
        version: str = "1.0",
        module: str | None = None,
        entry_point: str | None = None,
        value: str | None = None,
    ) -> str:
        """Install a distribution; return its module's name."""
        module = module or distribution.replace("-", "_")
        self.modules.append(module)
        (self.folder / f"{module}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[meteor_e]\n{entry_point or module} = {value or module}\n")
        return module

    def entry_points(self):
        return [
            entry_point
            for distribution in distributions(path=[str(self.folder)])
            for entry_point in distribution.entry_points
            if entry_point.group == "meteor_e"
        ]

    def registry(self) -> Registry:
        return Registry(self.entry_points)


@pytest.fixture
def plugin_site(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    site = PluginSite(folder)
    yield site
    for module in site.modules:
        sys.modules.pop(module, None)
