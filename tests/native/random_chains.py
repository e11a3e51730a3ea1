"""Random segments, and chains with a matcher of each family, for comparisons of the engines."""

from __future__ import annotations

import dataclasses
import random
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from meteor_e import Meteor
from meteor_e.api.languages import NonbreakingPrefixes, Normalization, Parameters
from meteor_e.api.matchers import ContextualMatcher, KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.matchers.modules import ExactMatcher, ParaphraseMatcher, StemMatcher, SynonymMatcher
from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex
from meteor_e.packs.resources import LanguageResources
from meteor_e.text.normalization import Normalizer

WORDS = [
    "go",
    "goes",
    "going",
    "gone",
    "went",
    "walk",
    "walks",
    "walked",
    "big",
    "bigger",
    "biggest",
    "large",
    "the",
    "a",
    "of",
    "in",
    "end",
    "ends",
    "finally",
    "last",
    "Mr.",
    "No.",
    "U.S.",
    "cats",
    "cat's",
    "don't",
    "3,000",
    "1990's",
    "well-known",
    "...",
    "ÉTÉ",
    "straße",
    "naïve",
    "𝔘𝔫𝔦",
    "ΣΑΣ",
    "İ",
    "�",
    "—",
]
FUNCTION_WORDS = frozenset({"the", "a", "of", "in"})


class Letters(KeyMatcher):
    """Words match if they share a letter after the third letter, so a word has several keys."""

    name = "letters"

    def keys(self, token):
        return list(token.form[3:])


class Sounds(SimilarityMatcher):
    """Words match by made-up vectors, which some words do not have."""

    name = "sounds"

    def vectors(self, tokens):
        rows = np.zeros((len(tokens), 6), np.float32)
        for row, token in zip(rows, tokens, strict=True):
            numbers = random.Random(zlib.crc32(token.form.encode("utf-8", "surrogatepass")))
            if numbers.random() < 0.8:
                row[:] = [numbers.gauss(0, 1) for _ in row]
                row /= np.linalg.norm(row)
        return rows


class Neighbors(ContextualMatcher):
    """Words match by made-up vectors that depend on the neighboring words."""

    name = "neighbors"

    def encode(self, sentences):
        parts = []
        for sentence in sentences:
            rows = Sounds().vectors(sentence)
            mixed = rows.copy()
            mixed[1:] += 0.3 * rows[:-1]
            mixed[rows.any(axis=1) == 0] = 0
            parts.append(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9))
        return np.concatenate(parts).astype(np.float32), np.cumsum([0, *map(len, sentences)])


class Whims(Matcher):
    """A matcher of phrases that proposes random matches, which depend only on the words."""

    name = "whims"
    search_weight = 0.7

    def match(self, hypothesis, reference) -> Iterator[Match]:
        numbers = random.Random(zlib.crc32(repr((hypothesis, reference)).encode()))
        for _ in range(numbers.randrange(4) if hypothesis and reference else 0):
            j, i = numbers.randrange(len(reference)), numbers.randrange(len(hypothesis))
            yield Match(
                j,
                i,
                min(numbers.randint(1, 3), len(reference) - j),
                min(numbers.randint(1, 3), len(hypothesis) - i),
                numbers.random(),
            )


class OwnTable(PhraseMatcher):
    """A matcher with a phrase table that only Python can read."""

    name = "own-table"

    def __init__(self, index: ParaphraseIndex) -> None:
        self._table = _Wrapped(index)

    @property
    def table(self):
        return self._table


class _Wrapped:
    def __init__(self, index: ParaphraseIndex) -> None:
        self.word_id, self.phrases_at, self.paraphrases = index.word_id, index.phrases_at, index.paraphrases


def build_indexes(folder: Path, seed: int = 7) -> tuple[ParaphraseIndex, SynonymIndex]:
    """Build indexes of paraphrases and synonyms of the lowercased words."""
    numbers = random.Random(seed)
    words = [word.lower() for word in WORDS if word.isalpha()]
    lines = []
    for _ in range(150):
        left, right = (" ".join(numbers.choices(words, k=numbers.randint(1, 3))) for _ in range(2))
        lines += ["0.5", left, right]
        if numbers.random() < 0.3:
            lines += ["0.5", right, left]
    (folder / "table").write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
    synsets = [
        f"{word}\n{' '.join(str(numbers.randrange(12)) for _ in range(numbers.randint(1, 3)))}" for word in words
    ]
    (folder / "synsets").write_text("\n".join(synsets) + "\n", encoding="utf-8")
    (folder / "exceptions").write_text("go\ngone went\nend\nlast finally\n", encoding="utf-8")
    build_paraphrase_index(folder / "table", folder / "paraphrases.idx")
    build_synonym_index(folder / "synsets", folder / "exceptions", folder / "synonyms.idx")
    return ParaphraseIndex(folder / "paraphrases.idx"), SynonymIndex(folder / "synonyms.idx")


def chains(folder: Path) -> dict[str, list[Matcher]]:
    """Return chains that together contain all families of matchers, in several orders."""
    paraphrases, synonyms = build_indexes(folder)
    exact, stem = ExactMatcher(), StemMatcher("english")
    synonym, paraphrase = SynonymMatcher(synonyms), ParaphraseMatcher(paraphrases)
    return {
        "meteor": [exact, stem, synonym, paraphrase],
        "exact": [exact],
        "no-exact": [paraphrase, stem, synonym],
        "keys": [exact, Letters(), Sounds.make(threshold=0.7), Sounds.make(threshold=0.4, below=0.7)],
        "python": [Whims(), exact, OwnTable(paraphrases)],
        "contextual": [
            exact,
            Neighbors.make(threshold=0.8),
            synonym,
            Neighbors.make(threshold=0.5, below=0.8),
            Whims(),
        ],
        "all": [exact, stem, synonym, paraphrase, Sounds.make(threshold=0.8), Whims(), Letters()],
        "no-table": [exact, ParaphraseMatcher(None)],
    }


def engines(
    matchers: Sequence[Matcher],
    *,
    beam: int = 40,
    character_mode: bool = False,
    normalization: Normalization = Normalization.FULL,
    apostrophes: str = "english",
    parameters: tuple[float, float, float, float] = (0.85, 0.2, 0.6, 0.75),
    lemmatizer: object = None,
    threads: int = 2,
) -> tuple[Meteor, Meteor]:
    """Return the same metric with the native engine and with the Python engine."""
    pair = []
    for native in (True, False):
        meteor = Meteor("other", matchers=["exact"], resources=LanguageResources(), threads=threads)
        weights = tuple(1 - 0.1 * place for place in range(len(matchers)))
        meteor.chain = dataclasses.replace(
            meteor.chain,
            matchers=tuple(dataclasses.replace(meteor.chain.matchers[0], name=m.name) for m in matchers),
            parameters=Parameters(*parameters, weights),
            beam=beam,
            character_mode=character_mode,
        )
        meteor.matchers = tuple(matchers)
        prefixes = NonbreakingPrefixes(frozenset({"Mr", "etc"}), frozenset({"No", "pp"}))
        meteor.normalizer = Normalizer(normalization, apostrophes, prefixes)
        meteor._function_words = FUNCTION_WORDS
        meteor._lemmatizer = lemmatizer
        meteor._start_engine()
        if native:
            assert meteor.engine == "native"
        else:
            meteor.engine = "python"
        pair.append(meteor)
    return pair[0], pair[1]


def segment(numbers: random.Random, words: Sequence[str] = WORDS, longest: int = 12) -> str:
    return " ".join(numbers.choices(words, k=numbers.randrange(longest + 1)))


def hypotheses_and_references(
    numbers: random.Random, count: int, longest: int = 12
) -> tuple[list[str], list[list[str]]]:
    """Return random pairs. Words are repeated within pairs, and some pairs are repeated."""
    hypotheses, references = [], []
    for _ in range(count):
        if hypotheses and numbers.random() < 0.05:
            at = numbers.randrange(len(hypotheses))
            hypotheses.append(hypotheses[at])
            references.append(references[at])
            continue
        words = numbers.choices(WORDS, k=numbers.randint(1, 10))
        hypotheses.append(segment(numbers, words, longest))
        others = [segment(numbers, words, longest) for _ in range(numbers.choice((1, 1, 2, 3)))]
        references.append([hypotheses[-1], *others] if numbers.random() < 0.05 else others)
    return hypotheses, references
