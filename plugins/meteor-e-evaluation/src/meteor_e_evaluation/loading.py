"""Test sets from indexes, for commands that take several."""

from __future__ import annotations

from collections.abc import Sequence

from meteor_e.api import InputError
from meteor_e_evaluation.data import TestSet, load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.mtme import mtme_index


def load_tests(paths: Sequence[str], language: str, pairs: Sequence[str], *, root: str | None = None) -> list[TestSet]:
    """Load the test sets of indexes that are in a language, or those of the pairs that are named.

    Raises:
        InputError: if there are none.
    """

    tests: list[TestSet] = []
    for path in paths:
        index = mtme_index(path.removeprefix("mtme:")) if path.startswith("mtme:") else load_index(path, root=root)
        wanted = [pair for pair in index.pairs if pair in pairs] if pairs else index.pairs_into(language)
        tests += [load_test_set(index, pair) for pair in wanted]
    if not tests:
        raise InputError(f"{', '.join(paths)}: no language pair {' or '.join(pairs) or f'into {language!r}'}")
    return tests
