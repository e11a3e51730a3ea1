from __future__ import annotations

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest

OWN = Path(__file__).parents[1] / "parity" / "own"

NEURAL = ("bert_score", "bleurt_pytorch", "comet", "sentencepiece", "transformers")
"""What mbrs's neural metrics need."""


class EmptyClasses(MetaPathFinder, Loader):
    """Stands in for the packages of neural metrics while mbrs is imported: any class in them is empty."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in NEURAL else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__getattr__ = lambda name: type(name, (), {}) if name[0].isupper() else Mock()  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing in it."""


@pytest.fixture(scope="session")
def mbrs_metrics() -> ModuleType:
    """``mbrs.metrics``, installed with its neural metrics' packages or without (``pip install --no-deps mbrs``)."""
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("mbrs", reason="mbrs is not installed")
    before, finder = {*sys.modules}, EmptyClasses()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module("mbrs.metrics")
    finally:
        sys.meta_path.remove(finder)
        for name in {*sys.modules} - before:
            if name.partition(".")[0] in NEURAL:
                del sys.modules[name]


@pytest.fixture(scope="session")
def tiny_pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of our own data, so that no third party's is needed."""
    from meteor_e.packs.build import build_pack

    folder = tmp_path_factory.mktemp("packs") / "tiny"
    build_pack(
        folder,
        language="en",
        function_words=OWN / "function.words",
        synonyms=OWN / "english.synsets",
        exceptions=OWN / "english.exceptions",
        paraphrases=OWN / "paraphrases.txt",
    )
    return folder
