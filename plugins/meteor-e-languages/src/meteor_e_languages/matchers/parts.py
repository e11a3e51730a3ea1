"""Words that share parts: those of compounds, and pieces that are learned."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from meteor_e.api import ComponentOptions, ConfigError, FilePath, InputError, MatcherContext, Meta, PluginError, Token
from meteor_e.api.matchers import OverlapMatcher
from meteor_e_languages.words import LONGEST, word_counts

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from typing_extensions import Self

_LINKS = {
    "da": ("s", "e"),
    "de": ("s", "es", "n", "en", "e", "er", "ens"),
    "nl": ("s", "e", "en", "er"),
    "no": ("s", "e"),
    "sv": ("s",),
}
"""Letters that link the parts of a compound and belong to neither; a hyphen does so in every language."""

_THRESHOLD = Meta(ge=0, le=1, description="Lowest share of common characters of a match.")
_MOST_PARTS = 4
_LONGEST_COMPOUND = 60
_WORDS = 1_000_000
_MODEL_BYTES = 1 << 26


class PartsMatcher(OverlapMatcher):
    """Base of matchers whose words share parts: each part counts as many characters as it has."""

    source: str

    def parts(self, word: str) -> Iterable[str]:
        """Return the parts of a word in lower case."""
        raise NotImplementedError

    def pieces(self, token: Token) -> Iterator[tuple[str, int]]:
        """Return each part as often as it has characters."""
        for part in self.parts(token.form[:LONGEST].lower()):
            for place in range(len(part)):
                yield part, place

    def describe(self) -> str:
        """Name the options, the words and the library's version."""
        return " ".join(filter(None, (super().describe(), self.source)))


class CompoundMatcher(PartsMatcher):
    """Words match as far as they share parts of compounds: Haustür and Tür, by characters.

    A word is split where the geometric mean of its parts' frequencies is highest, and higher than its own (Koehn and
    Knight 2003, "Empirical methods for compound splitting", section 3).
    """

    name: ClassVar[str] = "compound"
    requires: ClassVar[tuple[str, ...]] = ("wordfreq",)

    class Options(ComponentOptions):
        """What matches, and what the parts are."""

        threshold: Annotated[float, _THRESHOLD] = 0.3
        shortest: Annotated[int, Meta(ge=1, le=20, description="Characters of the shortest part.")] = 4
        text: (
            Annotated[FilePath, Meta(description="A text whose words may be parts; without it, those of wordfreq.")]
            | None
        ) = None

    @classmethod
    def from_options(cls, context: MatcherContext, options: Any) -> Self:
        """Read the words of the language, or of a text.

        Raises:
            InputError: if the text cannot be read.
            ResourceError: if there is no text, and wordfreq is not installed or does not know the language.
        """
        made = super().from_options(context, options)
        counts, made.source = word_counts("matcher 'compound'", context.language, options.text)
        total = sum(counts.values())
        made._links = tuple(link + end for link in ("", *_LINKS.get(context.language.code, ())) for end in ("", "-"))
        made._logs = {
            word: math.log(count / total)
            for word, count in counts.items()
            if len(word) >= options.shortest and word.isalpha()
        }
        return made

    _links: tuple[str, ...] = ("", "-")
    _logs: dict[str, float]

    def parts(self, word: str) -> Iterable[str]:
        """Return the parts of a compound, without what links them; another word is its own part."""
        shortest, length = self.options.shortest, len(word)
        if not 2 * shortest <= length <= _LONGEST_COMPOUND:
            return (word,)
        # Of each place and number of parts that end there, the best sum of logarithms and these parts.
        ends: list[dict[int, tuple[float, tuple[str, ...]]]] = [{} for _ in range(length + 1)]
        ends[0][0] = (0.0, ())
        for start in range(length - shortest + 1):
            for end in range(start + shortest, length + 1) if ends[start] else ():
                logarithm = self._logs.get(word[start:end])
                if logarithm is None:
                    continue
                next_starts = [end + len(link) for link in self._links if end < length and word.startswith(link, end)]
                for number, (total, parts) in ends[start].items():
                    found = (total + logarithm, (*parts, word[start:end]))
                    for place in next_starts or [length] if number + 1 < _MOST_PARTS or end == length else ():
                        best = ends[place].get(number + 1)
                        if (place < length or end == length) and (best is None or best[0] < found[0]):
                            ends[place][number + 1] = found
        splits = [(total / number, parts) for number, (total, parts) in ends[length].items()]
        return max(splits, default=(0.0, (word,)))[1]


class SubwordMatcher(PartsMatcher):
    """Words match as far as they share pieces that are learned by byte pair encoding, by characters.

    The pieces are those of a text, such as the references, of wordfreq's words, or of a model that is given. A score
    depends on them: the signature has their digest. (Sennrich et al. 2016, "Neural machine translation of rare words
    with subword units", section 3.2.)
    """

    name: ClassVar[str] = "subword"
    requires: ClassVar[tuple[str, ...]] = ("tokenizers", "wordfreq")
    _tokenizer: Tokenizer
    _begin = ""

    class Options(ComponentOptions):
        """What matches, and where the pieces are from."""

        threshold: Annotated[float, _THRESHOLD] = 0.1
        pieces: Annotated[
            int, Meta(ge=1, le=100_000, description="Pieces that are learned, beside single characters.")
        ] = 500
        text: (
            Annotated[
                FilePath,
                Meta(description="A text to learn pieces from, such as the references; without it, wordfreq's words."),
            ]
            | None
        ) = None
        model: (
            Annotated[FilePath, Meta(description="A tokenizer.json of Hugging Face with a model BPE or Unigram.")]
            | None
        ) = None

    @classmethod
    def from_options(cls, context: MatcherContext, options: Any) -> Self:
        """Learn the pieces, or read the model.

        Raises:
            ConfigError: for both a text and a model.
            InputError: if the file cannot be read.
            ResourceError: if there is neither, and wordfreq is not installed or does not know the language.
        """
        if options.text and options.model:
            raise ConfigError("matcher 'subword' takes a text to learn from, or a model, not both")
        try:
            import tokenizers  # noqa: F401
        except ImportError as error:
            raise PluginError(
                "matcher 'subword' needs the library tokenizers; run: pip install 'meteor-e-languages[matchers]'"
            ) from error
        made = super().from_options(context, options)
        if options.model:
            made._tokenizer, made._begin = _read(options.model)
            made.source = f"tokenizers={metadata.version('tokenizers')}"
            return made
        counts, source = word_counts("matcher 'subword'", context.language, options.text)
        made._tokenizer = _learn(counts, options.pieces)
        model = json.loads(made._tokenizer.to_str())["model"]
        digest = hashlib.sha256(json.dumps((sorted(model["vocab"]), model["merges"])).encode()).hexdigest()
        made.source = f"{source} {len(model['merges'])} merges@{digest[:12]}".strip()
        return made

    def parts(self, word: str) -> Iterator[str]:
        """Yield the pieces of a word, as they are written in it; characters that no piece has stand alone."""
        whole = word.encode("utf-8", "replace").decode()
        done = 0
        for start, end in self._tokenizer.encode(self._begin + whole, add_special_tokens=False).offsets:
            start, end = max(0, start - len(self._begin)), max(0, end - len(self._begin))
            yield from whole[done:start]
            yield whole[start:end]
            done = end
        yield from whole[done:]


def _learn(counts: dict[str, int], pieces: int) -> Tokenizer:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    alphabet = set().union(*counts) if counts else set()
    trainer = trainers.BpeTrainer(vocab_size=pieces + len(alphabet), min_frequency=2, show_progress=False)
    share = min(1.0, _WORDS / max(1, sum(counts.values())))
    repeated = (f"{word} " * max(1, round(count * share)) for word, count in counts.items())
    tokenizer.train_from_iterator(repeated, trainer)
    return tokenizer


class _Bpe(msgspec.Struct, tag="BPE", tag_field="type"):
    vocab: dict[str, Annotated[int, Meta(ge=0, lt=1 << 24)]]
    merges: list[tuple[str, str] | str]


class _Unigram(msgspec.Struct, tag="Unigram", tag_field="type"):
    vocab: list[tuple[str, float]]


class _File(msgspec.Struct):
    model: _Bpe | _Unigram


def _pair(merge: tuple[str, str] | str) -> tuple[str, str]:
    if not isinstance(merge, str):
        return merge
    first, _, second = merge.partition(" ")
    return first, second


def _read(path: str) -> tuple[Tokenizer, str]:
    """Return a tokenizer with the model of a file, and nothing else of it, and what begins a word."""
    from tokenizers import Tokenizer, models

    try:
        with Path(path).open("rb") as stream:
            data = stream.read(_MODEL_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > _MODEL_BYTES:
        raise InputError(f"{path}: larger than {_MODEL_BYTES >> 20} MB")
    try:
        model = msgspec.json.decode(data, type=_File).model
        pieces = [piece for piece, _ in model.vocab] if isinstance(model, _Unigram) else list(model.vocab)
        if any(piece.startswith("\u0120") for piece in pieces):
            raise ValueError("its pieces are bytes, not characters")
        if isinstance(model, _Unigram):
            lowest = min((score for _, score in model.vocab), default=0.0)
            made: models.Model = models.Unigram([*model.vocab, ("\0", lowest - 10)], unk_id=len(pieces))
        else:
            made = models.BPE(vocab=model.vocab, merges=[_pair(pair) for pair in model.merges])
    except Exception as error:
        raise InputError(f"{path}: not a tokenizer.json with a model BPE or Unigram ({error})") from error
    return Tokenizer(made), "\u2581" if any(piece.startswith("\u2581") for piece in pieces) else ""
