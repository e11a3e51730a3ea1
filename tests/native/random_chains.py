"""Generate random segments and chains of matchers for tests that compare the native engine with the Python engine.

Together, the chains contain every family of matchers.
"""

from __future__ import annotations

import dataclasses
import random
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from meteor_e import Meteor
from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.languages import NonbreakingPrefixes, Normalization, Parameters
from meteor_e.api.matchers import KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
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


class LetterMatcher(KeyMatcher):
    """A matcher whose words match if they share a letter after their third letter, so that a word has several keys."""

    name = "letters"

    def keys(self, token):
        return list(token.form[3:])


class SoundMatcher(SimilarityMatcher):
    """A matcher that compares random vectors of words. A fifth of the words do not have a vector."""

    name = "sounds"

    def vectors(self, tokens):
        rows = np.zeros((len(tokens), 6), np.float32)
        for row, token in zip(rows, tokens, strict=True):
            rng = random.Random(zlib.crc32(token.form.encode("utf-8", "surrogatepass")))
            if rng.random() < 0.8:
                row[:] = [rng.gauss(0, 1) for _ in row]
                row /= np.linalg.norm(row)
        return rows


class NeighborMatcher(ContextualMatcher):
    """A matcher that compares random vectors that depend on the preceding word."""

    name = "neighbors"

    def encode(self, sentences):
        matrices = []
        for sentence in sentences:
            word_vectors = SoundMatcher().vectors(sentence)
            vectors = word_vectors.copy()
            vectors[1:] += 0.3 * word_vectors[:-1]
            vectors[word_vectors.any(axis=1) == 0] = 0
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            matrices.append(vectors / np.maximum(norms, 1e-9))
        return np.concatenate(matrices).astype(np.float32), np.cumsum([0, *map(len, sentences)])


class RandomPhraseMatcher(Matcher):
    """A matcher that proposes random matches of phrases. The matches depend only on the words of the segment."""

    name = "random-phrases"
    search_weight = 0.7

    def match(self, hypothesis, reference) -> Iterator[Match]:
        rng = random.Random(zlib.crc32(repr((hypothesis, reference)).encode()))
        for _ in range(rng.randrange(4) if hypothesis and reference else 0):
            reference_start = rng.randrange(len(reference))
            hypothesis_start = rng.randrange(len(hypothesis))
            yield Match(
                reference_start,
                hypothesis_start,
                min(rng.randint(1, 3), len(reference) - reference_start),
                min(rng.randint(1, 3), len(hypothesis) - hypothesis_start),
                rng.random(),
            )


class PythonTableMatcher(PhraseMatcher):
    """A phrase matcher whose table is a Python object, which the native core cannot read."""

    name = "python-table"

    def __init__(self, index: ParaphraseIndex) -> None:
        self._table = PythonTable(index)

    @property
    def table(self):
        return self._table


class PythonTable:
    """A table of phrases with the attributes of an index, but of another class."""

    def __init__(self, index: ParaphraseIndex) -> None:
        self.word_id, self.phrases_at, self.paraphrases = index.word_id, index.phrases_at, index.paraphrases


def build_indexes(folder: Path, seed: int = 7) -> tuple[ParaphraseIndex, SynonymIndex]:
    """Build random indexes of paraphrases and synonyms for the lowercased words of WORDS."""
    rng = random.Random(seed)
    words = [word.lower() for word in WORDS if word.isalpha()]
    lines = []
    for _ in range(150):
        phrase, paraphrase = (" ".join(rng.choices(words, k=rng.randint(1, 3))) for _ in range(2))
        lines += ["0.5", phrase, paraphrase]
        if rng.random() < 0.3:
            lines += ["0.5", paraphrase, phrase]
    (folder / "table").write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
    synsets = [f"{word}\n{' '.join(str(rng.randrange(12)) for _ in range(rng.randint(1, 3)))}" for word in words]
    (folder / "synsets").write_text("\n".join(synsets) + "\n", encoding="utf-8")
    (folder / "exceptions").write_text("go\ngone went\nend\nlast finally\n", encoding="utf-8")
    build_paraphrase_index(folder / "table", folder / "paraphrases.idx")
    build_synonym_index(folder / "synsets", folder / "exceptions", folder / "synonyms.idx")
    return ParaphraseIndex(folder / "paraphrases.idx"), SynonymIndex(folder / "synonyms.idx")


def make_chains(folder: Path) -> dict[str, list[Matcher]]:
    """Return chains of matchers by name. Together, they contain all families of matchers, in several orders."""
    paraphrases, synonyms = build_indexes(folder)
    exact, stem = ExactMatcher(), StemMatcher("english")
    synonym, paraphrase = SynonymMatcher(synonyms), ParaphraseMatcher(paraphrases)
    return {
        "meteor": [exact, stem, synonym, paraphrase],
        "exact": [exact],
        "no-exact": [paraphrase, stem, synonym],
        "keys": [exact, LetterMatcher(), SoundMatcher.make(threshold=0.7), SoundMatcher.make(threshold=0.4, below=0.7)],
        "python": [RandomPhraseMatcher(), exact, PythonTableMatcher(paraphrases)],
        "contextual": [
            exact,
            NeighborMatcher.make(threshold=0.8),
            synonym,
            NeighborMatcher.make(threshold=0.5, below=0.8),
            RandomPhraseMatcher(),
        ],
        "all": [
            exact,
            stem,
            synonym,
            paraphrase,
            SoundMatcher.make(threshold=0.8),
            RandomPhraseMatcher(),
            LetterMatcher(),
        ],
        "no-table": [exact, ParaphraseMatcher(None)],
    }


def make_engines(
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
    """Return the same metric twice: first with the native engine, then with the Python engine."""
    metrics = []
    for native in (True, False):
        meteor = Meteor("other", matchers=["exact"], resources=LanguageResources(), threads=threads)
        weights = tuple(1 - 0.1 * index for index in range(len(matchers)))
        description = meteor.chain.matchers[0]
        meteor.chain = dataclasses.replace(
            meteor.chain,
            matchers=tuple(dataclasses.replace(description, name=matcher.name) for matcher in matchers),
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
        metrics.append(meteor)
    return metrics[0], metrics[1]


def generate_segment(rng: random.Random, words: Sequence[str] = WORDS, longest: int = 12) -> str:
    """Return a random segment of at most ``longest`` words."""
    return " ".join(rng.choices(words, k=rng.randrange(longest + 1)))


def generate_segments(rng: random.Random, count: int, longest: int = 12) -> tuple[list[str], list[list[str]]]:
    """Return random hypotheses and their references.

    A hypothesis and its references share words, some segments are repeated, and some references equal the hypothesis.
    """
    hypotheses, references = [], []
    for _ in range(count):
        if hypotheses and rng.random() < 0.05:
            index = rng.randrange(len(hypotheses))
            hypotheses.append(hypotheses[index])
            references.append(references[index])
            continue
        words = rng.choices(WORDS, k=rng.randint(1, 10))
        hypotheses.append(generate_segment(rng, words, longest))
        texts = [generate_segment(rng, words, longest) for _ in range(rng.choice((1, 1, 2, 3)))]
        if rng.random() < 0.05:
            texts.insert(0, hypotheses[-1])
        references.append(texts)
    return hypotheses, references
