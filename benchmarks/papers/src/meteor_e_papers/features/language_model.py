"""How fluent a hypothesis is: an n-gram language model, read by KenLM."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from typing import Annotated, Any, ClassVar

from meteor_e_learned.splitting import split

from meteor_e.api import ComponentOptions, FilePath, InputError, Meta, PluginError, ReferenceFeature, ResourceError

WINDOW = 3


@functools.lru_cache(maxsize=2)
def _open(path: str, size: int, changed: int) -> tuple[Any, str]:
    """Return a model and the beginning of its file's SHA-256; KenLM maps binary files into memory."""
    try:
        import kenlm  # type: ignore[import-not-found]
    except ImportError as error:
        raise PluginError(
            "feature 'language-model' needs kenlm: pip install './benchmarks/papers[language-model]'"
        ) from error
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise ResourceError(f"language model {path!r} cannot be read: {error.strerror or error}") from error
    options = kenlm.Config()
    options.show_progress = False
    try:
        return kenlm.Model(path, options), digest.hexdigest()[:12]
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path}: not a language model in ARPA's or KenLM's form: {reason}") from error


class LanguageModelFeature(ReferenceFeature):
    """Probabilities of a hypothesis's words in an n-gram language model, as logarithms to base 10.

    Some look at all words; ``added`` ones look at those that the reference does not have, where fluency is all that
    there is to judge by; ``difference`` is relative to the reference's own probability a word.

    Args:
        file: a model in ARPA's form or KenLM's binary one, of text split as
            :func:`meteor_e_learned.splitting.split` does, words with spaces between.
    """

    name: ClassVar[str] = "language-model"
    requires: ClassVar[tuple[str, ...]] = ("kenlm", "a language model")
    columns = (
        *("total", "per_word", "unknown", "unknown_added", "worst_word", "worst_window", "mean_order"),
        *("added", "added_per_word", "difference"),
    )

    class Options(ComponentOptions):
        """What a recipe may say."""

        file: Annotated[FilePath, Meta(description="A language model, ARPA's form or KenLM's binary one.")]

    def __init__(self, file: str) -> None:
        self._file = os.fspath(file)
        self._load()

    def _load(self) -> None:
        try:
            found = Path(self._file).stat()
        except OSError as error:
            raise ResourceError(f"language model {self._file!r} cannot be read: {error.strerror or error}") from error
        self._model, self._digest = _open(self._file, found.st_size, found.st_mtime_ns)

    def __getstate__(self) -> dict[str, Any]:
        return {"_file": self._file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._load()

    def _scored(self, words: list[str]) -> list[tuple[float, int, bool]]:
        """Return of each word, and of the end, its probability, the length of its n-gram, and whether it is unknown."""
        return list(self._model.full_scores(" ".join(words), bos=True, eos=True))

    def _per_word(self, words: list[str]) -> float:
        return sum(probability for probability, _, _ in self._scored(words)) / (len(words) + 1)

    def row(self, hypothesis: str, reference: str) -> list[float]:
        """Look the words up; the end of the segment is a word of its total, not of the others."""
        left, right = split(hypothesis), split(reference)
        scored = self._scored(left)
        total = sum(probability for probability, _, _ in scored)
        there = set(right)
        words = list(zip(left, scored, strict=False))
        added = [found for word, found in words if word not in there]
        own = [probability for _, (probability, _, _) in words]
        windows = [sum(own[at : at + WINDOW]) / WINDOW for at in range(len(own) - WINDOW + 1)]
        worst = min(own, default=0.0)
        per_word = total / len(scored)
        added_total = sum(probability for probability, _, _ in added)
        return [
            total,
            per_word,
            float(sum(unknown for _, _, unknown in scored)),
            float(sum(unknown for _, _, unknown in added)),
            worst,
            min(windows, default=worst),
            sum(order for _, order, _ in scored) / len(scored),
            added_total,
            added_total / max(1, len(added)),
            per_word - self._per_word(right),
        ]

    def describe(self) -> str:
        """Return the digest of the file."""
        return f"@{self._digest}"
