"""Texts and what the perturbations make of them; the sentences that come with the stress test."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, Perturbation, SystemOutputs
from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import Progress, silent
from meteor_e_evaluation.stress.general import Draft, slightly_changed
from meteor_e_evaluation.stress.rules import perturbations


class Examples(NamedTuple):
    """Right translations in other words, and for each a list of a single reference."""

    references: list[list[str]]
    hypotheses: list[str]


def bundled_examples(language: str = "en") -> Examples:
    """Return the sentences of a language, written for this test: 122 for English, some eight for others.

    Raises:
        ConfigError: for a language that has none.
    """
    text = (files("meteor_e_evaluation.stress") / "texts.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    found = [row for row in rows if row[0] == language]
    if not found:
        known = ", ".join(dict.fromkeys(row[0] for row in rows))
        raise ConfigError(f"sentences come with the stress test in {known}, not in {language!r}; give --reference FILE")
    return Examples([[row[1]] for row in found], [row[2] for row in found])


@dataclass(frozen=True)
class StressSuite:
    """Texts, and what each perturbation makes of them.

    Attributes:
        language: ISO code.
        rules: the perturbations.
        texts: the unchanged texts.
        references: for each text its references.
        sources: for each text its source; ``None`` if they are not known.
        changed: by the name of a perturbation, for each text what became of it; ``None`` where it was not applied.
        origin: how the texts were made, where they are not a system's output; empty otherwise.
        seed: of all choices.
    """

    language: str
    rules: tuple[Perturbation, ...]
    texts: list[str]
    references: list[list[str]]
    sources: list[str] | None
    changed: dict[str, list[str | None]]
    origin: str
    seed: int

    @cached_property
    def applied(self) -> dict[str, NDArray[np.bool_]]:
        """Which texts each perturbation changed."""
        return {name: np.array([text is not None for text in texts]) for name, texts in self.changed.items()}

    def outputs(self) -> SystemOutputs:
        """Return the suite as a test set: the system ``original``, and one per perturbation."""
        most = max(map(len, self.references))
        filled = [
            [own if new is None else new for own, new in zip(self.texts, texts, strict=True)]
            for texts in self.changed.values()
        ]
        return SystemOutputs(
            "stress",
            f"xx-{self.language}",
            self.language,
            ("original", *self.changed),
            (list(self.texts), *filled),
            tuple([each[min(at, len(each) - 1)] for each in self.references] for at in range(most)),
            self.sources,
        )


def make_suite(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    *,
    language: str = "en",
    rules: Sequence[Perturbation] | None = None,
    pairs: int = 200,
    seed: int = DEFAULT_SEED,
    progress: Progress = silent,
) -> StressSuite:
    """Make the pairs.

    Without hypotheses, the last of several references is taken for one, or the only reference with one word in eight
    missing, replaced or swapped: a text that equals its reference would be too easy.

    Args:
        references: for each segment its references.
        hypotheses: one translation per segment, as good as can be had.
        sources: for each segment its source.
        language: ISO code of the texts.
        rules: by default all of the language.
        pairs: the most pairs per perturbation.
        seed: of all choices.
        progress: told about the work.

    Raises:
        InputError: if there are no segments, or they differ in number.
    """
    lists = [list(each) for each in references]
    for what, found in (("hypotheses", hypotheses), ("sources", sources)):
        if found is not None and len(found) != len(lists):
            raise InputError(f"there are {len(found)} {what} and {len(lists)} segments of references")
    if not lists:
        raise InputError("there are no segments to perturb")
    origin = ""
    if hypotheses is not None:
        texts = list(hypotheses)
    elif all(len(each) > 1 for each in lists):
        origin = "the last reference, scored against the others"
        texts, lists = [each[-1] for each in lists], [each[:-1] for each in lists]
    else:
        origin = "references with one word in eight missing, replaced or swapped"
        firsts = [each[0] for each in lists]
        contexts = [PerturbationContext(language, firsts, at) for at in range(len(firsts))]
        drafts = [Draft(firsts[at], random.Random(f"{seed} mild {at}"), own) for at, own in enumerate(contexts)]
        texts = [slightly_changed(draft) for draft in drafts]
    chosen = tuple(perturbations(language) if rules is None else rules)
    order = list(range(len(texts)))
    random.Random(seed).shuffle(order)
    changed: dict[str, list[str | None]] = {}
    for done, rule in enumerate(chosen, 1):
        row = changed[rule.name] = [None] * len(texts)
        for at in order:
            if len(texts) - row.count(None) == pairs:
                break
            if texts[at].strip():
                source = None if sources is None else sources[at]
                context = PerturbationContext(language, texts, at, source, lists[at][0])
                new = rule.apply(texts[at], random.Random(f"{seed} {rule.name} {at}"), context)
                row[at] = None if new == texts[at] else new
        progress("perturbing", done, len(chosen))
    given = None if sources is None else list(sources)
    return StressSuite(language, chosen, texts, lists, given, changed, origin, seed)
