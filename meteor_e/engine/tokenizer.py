"""Convert the words of large texts to integer ids, with the C++ core if it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from meteor_e.api.languages import Parameters
from meteor_e.api.tokens import split_words
from meteor_e.engine.native import native_module
from meteor_e.engine.native_plan import core_limits
from meteor_e.engine.protocol import EngineSettings
from meteor_e.text.normalization import Normalizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from meteor_e._native import Core


class Tokenizer:
    """Convert words to integer ids. Ids are assigned in the order in which distinct words first occur, starting at 0.

    Args:
        normalizer: the language's normalizer; ``None`` to split lines at white space without normalization.
        segment: function that inserts spaces between the words of a line, for languages that are written without
            spaces. It is applied before the normalizer.
        threads: number of threads in which the native core normalizes lines.
    """

    def __init__(
        self, normalizer: Normalizer | None, segment: Callable[[str], str] | None = None, threads: int = 1
    ) -> None:
        self._normalizer = normalizer
        self._segment = segment
        self._threads = threads
        self._word_ids: dict[str, int] = {}
        self._core_forms: list[str] = []
        """The words in the order of the core's ids."""
        self._id_table: NDArray[np.int64] | tuple[()] = ()
        """The word id for each id of the core, or -1 if the word has not occurred in a line yet."""
        self._core = None if normalizer is None else _make_tokenizing_core(normalizer)

    @property
    def words(self) -> list[str]:
        """Return the distinct words of all lines so far, in the order of their ids."""
        return list(self._word_ids)

    def __call__(self, lines: Sequence[str]) -> list[list[int]]:
        """Return the ids of the words of each line."""
        if self._segment is not None:
            lines = [self._segment(line) for line in lines]
        if self._core is None:
            return [self._assign_ids(self._split(line)) for line in lines]
        return self._convert_core_ids(self._read_core_ids(self._core, lines))

    def _assign_ids(self, words: Iterable[str]) -> list[int]:
        """Return the ids of words. New words get the next ids."""
        word_ids = self._word_ids
        return [word_ids.setdefault(word, len(word_ids)) for word in words]

    def _read_core_ids(self, core: Core, lines: Sequence[str]) -> list[list[int]]:
        """Tokenize lines with the C++ core, and return the ids that the core assigns to the words of each line."""
        batch = core.read(lines, self._threads, None)
        for index in batch.irregular():
            batch.set_words(index, self._split(lines[index]))
        if batch.intern():
            new_forms = core.undescribed()
            self._core_forms.extend(new_forms)
            core.describe(bytes(len(new_forms)), [], None)
        return [batch.types(index) for index in range(len(lines))]

    def _convert_core_ids(self, lines: list[list[int]]) -> list[list[int]]:
        """Renumber the word ids of the C++ core, because they depend on the timing of its threads."""
        import numpy as np

        # The ids of all lines are concatenated, because one array operation is faster than an operation for each line.
        core_ids = np.fromiter(chain.from_iterable(lines), np.uint32, sum(map(len, lines)))
        id_table = self._extend_id_table(core_ids)
        word_ids = iter(id_table[core_ids].tolist())
        return [list(islice(word_ids, len(line))) for line in lines]

    def _extend_id_table(self, core_ids: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Assign ids to words that are new, in the order in which the words first occur.

        Args:
            core_ids: the core's ids of all words of the lines.

        Returns:
            The word id for each id of the core, or -1 if the word has not occurred in a line yet.
        """
        import numpy as np

        unassigned_ids = np.full(len(self._core_forms) - len(self._id_table), -1)
        id_table = np.concatenate([self._id_table, unassigned_ids]).astype(np.int64)
        is_new_word = id_table[core_ids] < 0
        # A dictionary removes repeated ids, and keeps the order in which the ids first occur.
        new_core_ids = list(dict.fromkeys(core_ids[is_new_word].tolist()))
        new_words = [self._core_forms[core_id] for core_id in new_core_ids]
        id_table[new_core_ids] = self._assign_ids(new_words)
        self._id_table = id_table
        return id_table

    def _split(self, line: str) -> list[str]:
        return split_words(line if self._normalizer is None else self._normalizer(line))


def _make_tokenizing_core(normalizer: Normalizer) -> Core | None:
    """Create a C++ core that only tokenizes, or return ``None`` if the extension is not available."""
    module = native_module()
    if module is None:
        return None
    # The core requires parameters of the formula, although they do not affect the tokenization.
    parameters = Parameters(alpha=0.5, beta=1.0, gamma=0.5, delta=0.5, weights=())
    settings = EngineSettings(parameters, beam=1, character_mode=False)
    core: Core = module.Core(settings=settings, matchers=(), normalizer=normalizer, limits=core_limits())
    return core
