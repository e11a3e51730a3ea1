"""Much text as numbers of words, in the native core where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from meteor_e.api.languages import Parameters
from meteor_e.api.tokens import split_words
from meteor_e.engine.native import native_module
from meteor_e.engine.native_plan import core_limits
from meteor_e.engine.protocol import EngineSettings
from meteor_e.text.normalization import Normalizer

if TYPE_CHECKING:
    from meteor_e._native import Core


class Tokenizer:
    """Turns lines into the numbers of their words; numbers follow the words' first appearance.

    Args:
        normalizer: the language's, ``None`` to split on white space and leave words as they are.
        segment: applied to each line before that, for languages that write no spaces: it puts spaces between words.
        threads: how many threads the native core normalizes with.
    """

    def __init__(
        self, normalizer: Normalizer | None, segment: Callable[[str], str] | None = None, threads: int = 1
    ) -> None:
        self._normalizer = normalizer
        self._segment = segment
        self._threads = threads
        self._numbers: dict[str, int] = {}
        self._forms: list[str] = []  # by the core's number
        self._ours: Any = ()  # our number of each, -1 if it has none yet
        module = native_module()
        self._core: Core | None = None
        if normalizer is not None and module is not None:
            # It only reads, so it needs no matcher; the parameters are never used.
            settings = EngineSettings(Parameters(0.5, 1.0, 0.5, 0.5, ()), beam=1, character_mode=False)
            self._core = module.Core(settings=settings, matchers=(), normalizer=normalizer, limits=core_limits())

    @property
    def words(self) -> list[str]:
        """All words so far, by number."""
        return list(self._numbers)

    def __call__(self, lines: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the words of each line."""
        if self._segment is not None:
            lines = [self._segment(line) for line in lines]
        core, numbers = self._core, self._numbers
        if core is None:
            return [[numbers.setdefault(word, len(numbers)) for word in self._split(line)] for line in lines]
        batch = core.read(lines, self._threads, None)
        for number in batch.irregular():
            batch.set_words(number, self._split(lines[number]))
        if batch.intern():
            forms = core.undescribed()
            self._forms.extend(forms)
            core.describe(bytes(len(forms)), [], None)
        return self._renumbered([batch.types(number) for number in range(len(lines))])

    def _renumbered(self, rows: list[list[int]]) -> list[list[int]]:
        """Return the core's numbers of words as ours: the core's depend on which thread came first."""
        import numpy as np

        ours = np.full(len(self._forms), -1, np.int64)
        ours[: len(self._ours)] = self._ours
        flat = np.fromiter(chain.from_iterable(rows), np.uint32, sum(map(len, rows)))
        found, places = np.unique(flat, return_index=True)
        fresh = ours[found] < 0
        for number in found[fresh][np.argsort(places[fresh])].tolist():
            ours[number] = self._numbers.setdefault(self._forms[number], len(self._numbers))
        self._ours = ours
        words = iter(ours[flat].tolist())
        return [list(islice(words, len(row))) for row in rows]

    def _split(self, line: str) -> list[str]:
        return split_words(line if self._normalizer is None else self._normalizer(line))
