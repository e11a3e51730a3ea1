"""Greedy matching of words in context: a sentence encoder in ONNX's form, run by ONNX Runtime.

Any encoder will do that takes ``input_ids`` and ``attention_mask`` (and ``token_type_ids``, if it wants them) and whose
first output is one vector per token, with its tokenizer in the form of Hugging Face (``tokenizer.json``).
Nothing is downloaded.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, FilePath, InputError, Meta, PluginError, ReferenceFeature, ResourceError
from meteor_e.base.errors import near_miss
from meteor_e.base.extras import comes_with_plugin
from meteor_e.base.memory import Memory
from meteor_e_papers.features.vocabulary import Frequencies, LanguageOptions

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

_WAYS = tuple(f"{way}_{what}" for way in ("plain", "weighted") for what in ("precision", "recall", "f"))
_WORST = ("worst_recall", "worst_precision", "second_worst_recall", "second_worst_precision")
COLUMNS = (*_WAYS, "cosine", "missing", "added", *_WORST)
"""Precision, recall and F, plain and weighted; the cosine of the segments; what has no match, and the worst matches."""

KEPT = 4096
"""Encoded references that are kept in memory: those of a test set, of which each system's output is compared."""

Floats32 = NDArray[np.float32]


@dataclass(frozen=True)
class _Encoder:
    session: Any
    tokenizer: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    digest: str


@dataclass(frozen=True)
class _Encoded:
    """A segment: vectors of its tokens, of length 1; what each token tells; the vectors of the whole.

    ``inner`` is of an inner layer, of length 1; empty if none is asked for.
    """

    unit: Floats32
    information: NDArray[np.float64]
    whole: Floats32
    inner: Floats32


def _contextual(encoder: str) -> Any:
    """Return the plugin that knows an installed encoder."""
    try:
        return import_module("meteor_e_vectors.contextual")
    except ImportError as error:
        raise PluginError(
            f"{comes_with_plugin(f'the encoder {encoder!r}', 'meteor-e-vectors[encoder]')}; "
            f"then run: meteor-e encoder install {encoder}"
        ) from error


def _tensor(encoder: str | None, layer: int) -> str:
    """Return the tensor that holds the rows of an installed encoder's layer."""
    if encoder is None:
        raise ConfigError("feature 'encoder-matching': the layers of an installed encoder are known (encoder: minilm)")
    layers: list[str] = _contextual(encoder).encoder_layers(encoder)
    if not 1 <= layer <= len(layers):
        raise ConfigError(f"encoder {encoder!r} has no layer {layer}; it has {len(layers)}, from 1")
    return layers[layer - 1]


def _stat(path: str, what: str) -> tuple[int, int]:
    try:
        found = Path(path).stat()
    except OSError as error:
        raise ResourceError(f"{what} {path!r} cannot be read: {error.strerror or error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise ResourceError(f"{what} {path!r} is not a regular file")
    return found.st_size, found.st_mtime_ns


@functools.lru_cache(maxsize=2)
def _open(model: str, tokenizer: str, longest: int, inner: str | None, changed: tuple[int, ...]) -> _Encoder:
    """Read encoder and tokenizer; ``inner`` is a tensor that is wanted, too, ``changed`` is there for the cache."""
    try:
        onnxruntime: Any = import_module("onnxruntime")
        tokenizers: Any = import_module("tokenizers")
    except ImportError as error:
        raise PluginError(
            "encoder-matching needs onnxruntime and tokenizers: pip install './plugins/meteor-e-learned[encoder]'"
        ) from error
    digest = hashlib.sha256()
    contents = []
    for path, what in ((model, "encoder"), (tokenizer, "tokenizer")):
        try:
            contents.append(Path(path).read_bytes())
        except OSError as error:
            raise ResourceError(f"{what} {path!r} cannot be read: {error.strerror or error}") from error
        digest.update(contents[-1])
    options = onnxruntime.SessionOptions()
    # One thread and one segment at a time: the same digits whatever else is computed.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(contents[0], options, providers=["CPUExecutionProvider"])
        outputs = [session.get_outputs()[0].name]
        if inner is not None:
            outputs.append(inner)
            if inner not in {given.name for given in session.get_outputs()}:
                wider = contents[0] + import_module("meteor_e_vectors.contextual").with_outputs([inner])
                session = onnxruntime.InferenceSession(wider, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{model}: not an encoder in ONNX's form: {reason}") from error
    names = tuple(entry.name for entry in session.get_inputs())
    unknown = [name for name in names if name not in ("input_ids", "attention_mask", "token_type_ids")]
    if unknown or "input_ids" not in names:
        raise InputError(f"{model}: an encoder takes input_ids and attention_mask; this takes {', '.join(names)}")
    try:
        words = tokenizers.Tokenizer.from_file(tokenizer)
        words.no_padding()
        words.enable_truncation(longest)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{tokenizer}: not a tokenizer of Hugging Face's form: {reason}") from error
    return _Encoder(session, words, names, tuple(outputs), digest.hexdigest()[:12])


class EncoderMatchingFeature(ReferenceFeature):
    """Greedy matching of tokens by the cosine of their vectors in context (as BERTScore: Zhang et al., 2020).

    Each token goes with the most similar one of the other side. Plain; weighted by what the token's word tells (its
    frequency in wordfreq's list); and the segments' mean vectors. With ``layer``, also the difference of the segments'
    mean vectors of that layer, scaled to length 1, number by number: weights of these learn in which ways systems put
    things otherwise than people (inner layers hold wording and grammar rather than meaning).

    Args:
        model_file: the encoder, ONNX.
        tokenizer_file: its tokenizer, ``tokenizer.json``.
        language: of hypotheses and references.
        longest: tokens of a segment that are looked at; encoders have a limit.
        encoder: name of an encoder that ``meteor-e encoder install`` installed, instead of the two files.
        only: which of its numbers; by default all. ``cosine`` alone matches no tokens, and needs no wordfreq.
        layer: of an installed encoder, from 1: its difference comes behind the other numbers. By default none.

    Raises:
        ConfigError: unless there is either an encoder or both files; for a number or a layer that it does not have.
        ResourceError: if a file cannot be read.
        InputError: if a file is no encoder, or no tokenizer.
        PluginError: if ONNX Runtime or tokenizers is not installed.
    """

    name: ClassVar[str] = "encoder-matching"
    requires: ClassVar[tuple[str, ...]] = ("onnxruntime", "tokenizers", "wordfreq", "an encoder")

    class Options(LanguageOptions):
        """What a recipe may say."""

        model_file: Annotated[FilePath, Meta(description="The encoder, ONNX.")] | None = None
        tokenizer_file: Annotated[FilePath, Meta(description="Its tokenizer, tokenizer.json.")] | None = None
        longest: Annotated[int, Meta(ge=3, description="Tokens of a segment that are looked at, at most.")] = 256
        encoder: (
            Annotated[str, Meta(description="An installed encoder, such as minilm, instead of the two files.")] | None
        ) = None
        only: Annotated[list[str], Meta(min_length=1, description="Which of its numbers; by default all.")] | None = (
            None
        )
        layer: (
            Annotated[int, Meta(ge=1, description="Layer of an installed encoder, whose difference is added.")] | None
        ) = None

    tolerance: ClassVar[float] = 1e-3
    """By how much numbers may differ between processors, which add up in another order."""

    def __init__(
        self,
        model_file: str | None = None,
        tokenizer_file: str | None = None,
        language: str = "en",
        longest: int = 256,
        encoder: str | None = None,
        only: Sequence[str] | None = None,
        layer: int | None = None,
    ) -> None:
        self._only = COLUMNS if only is None else tuple(only)
        for name in self._only:
            if name not in COLUMNS:
                raise ConfigError(
                    f"feature 'encoder-matching' has no number {name!r}{near_miss(name, COLUMNS)}; it has "
                    f"{', '.join(COLUMNS)}"
                )
        if encoder is not None and model_file is None and tokenizer_file is None:
            model_file, tokenizer_file = map(str, _contextual(encoder).encoder_paths(encoder))
        elif encoder is not None or model_file is None or tokenizer_file is None:
            raise ConfigError(
                "feature 'encoder-matching' needs an installed encoder (encoder: minilm), or model_file and "
                "tokenizer_file"
            )
        self._model_file, self._tokenizer_file = os.fspath(model_file), os.fspath(tokenizer_file)
        self._longest = longest
        self._layer, self._inner = layer, None if layer is None else _tensor(encoder, layer)
        self._frequencies = None if self._only == ("cosine",) else Frequencies(language)
        self._references = Memory[str, _Encoded](KEPT)
        self._load()
        self._differences = 0 if layer is None else len(self._encode("").inner)

    def _load(self) -> None:
        changed = (*_stat(self._model_file, "encoder"), *_stat(self._tokenizer_file, "tokenizer"))
        self._encoder = _open(self._model_file, self._tokenizer_file, self._longest, self._inner, changed)

    @classmethod
    def from_options(cls, context: MatcherContext, options: LanguageOptions) -> Self:
        """Take the recipe's language where no option names another."""
        return super().from_options(context, options.within(context))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_encoder": None, "_references": Memory(KEPT)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._load()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that ``only`` names, or all; then the differences."""
        return (*self._only, *(f"difference-{number}" for number in range(1, self._differences + 1)))

    def _encode(self, text: str) -> _Encoded:
        encoder = self._encoder
        found = encoder.tokenizer.encode(text)
        given = {
            "input_ids": found.ids,
            "attention_mask": [1] * len(found.ids),
            "token_type_ids": [0] * len(found.ids),
        }
        try:
            outputs = encoder.session.run(
                list(encoder.outputs), {name: np.array([given[name]], np.int64) for name in encoder.inputs}
            )
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(
                f"{self._model_file}: the encoder fails on a segment of {len(found.ids)} tokens; "
                f"if it does not take as many, make 'longest' smaller: {reason}"
            ) from error
        if any(states.ndim != 3 or states.shape[1] != len(found.ids) for states in outputs):
            raise InputError(f"{self._model_file}: its first output is no vector a token")
        places = [place for place, special in enumerate(found.special_tokens_mask) if not special]
        vectors, *inner = (np.asarray(states[0], np.float32)[places] for states in outputs)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        information = np.zeros(0)
        if self._frequencies is not None:
            words = [text[slice(*found.word_to_chars(found.word_ids[place]))].lower() for place in places]
            information = np.array([self._frequencies.information(word) for word in words])
        return _Encoded(
            (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32),
            information,
            _mean(vectors),
            _unit(_mean(inner[0])) if inner else np.zeros(0, np.float32),
        )

    def _reference(self, text: str) -> _Encoded:
        found = self._references.get(text)
        if found is None:
            found = self._references[text] = self._encode(text)
        return found

    def row(self, hypothesis: str, reference: str) -> list[float]:
        """Match."""
        left, right = self._encode(hypothesis), self._reference(reference)
        lengths = float(np.linalg.norm(left.whole) * np.linalg.norm(right.whole))
        cosine = float(left.whole @ right.whole) / lengths if lengths > 0 else 0.0
        differences = (left.inner - right.inner).tolist()
        if self._frequencies is None:
            return [*[cosine] * len(self._only), *differences]
        found = dict(zip(COLUMNS, self._matched(left, right, cosine), strict=True))
        return [*(found[name] for name in self._only), *differences]

    @staticmethod
    def _matched(left: _Encoded, right: _Encoded, cosine: float) -> list[float]:
        """Return all numbers."""
        if not len(left.unit) or not len(right.unit):
            return [0.0] * 7 + [float(right.information.sum()), float(left.information.sum()), 0.0, 0.0, 0.0, 0.0]
        similar = np.clip((left.unit @ right.unit.T).astype(float), -1, 1)
        best = similar.max(axis=1), similar.max(axis=0)
        weights = left.information, right.information
        row: list[float] = []
        plain = [float(side.mean()) for side in best]
        weighted = [float(side @ weight / weight.sum()) for side, weight in zip(best, weights, strict=True)]
        for precision, recall in (plain, weighted):
            total = precision + recall
            row += [precision, recall, 2 * precision * recall / total if total > 0 else 0.0]
        row.append(cosine)
        extra, lost = ((1 - side) * weight for side, weight in zip(best, weights, strict=True))
        row += [float(lost.sum()), float(extra.sum())]
        for place in (1, 2):
            row += [-float(np.sort(side)[-place]) if len(side) >= place else 0.0 for side in (lost, extra)]
        return row

    def describe(self) -> str:
        """Return the digest of encoder and tokenizer, and the versions of what runs them."""
        from importlib.metadata import version

        runs = f"onnxruntime-{version('onnxruntime')}|tokenizers-{version('tokenizers')}"
        layer = "" if self._layer is None else f"|layer-{self._layer}"
        if self._frequencies is None:
            return f"@{self._encoder.digest}:{self._longest}|{runs}|{','.join(self._only)}{layer}"
        only = "" if self._only == COLUMNS else f"|{','.join(self._only)}"
        return (
            f"@{self._encoder.digest}:{self._longest}|{runs}|wordfreq-{version('wordfreq')}"
            f":{self._frequencies.language}{only}{layer}"
        )

    def definition(self) -> str:
        """Return the digest of encoder and tokenizer, without the versions of what runs them."""
        language = "" if self._frequencies is None else f":{self._frequencies.language}"
        only = "" if self._only == COLUMNS else f":{','.join(self._only)}"
        layer = "" if self._layer is None else f":layer-{self._layer}"
        return f"@{self._encoder.digest}:{self._longest}{language}{only}{layer}"


def _mean(rows: Floats32) -> Floats32:
    """Return the mean row; zeros where there are none."""
    result: Floats32 = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1], np.float32)
    return result


def _unit(row: Floats32) -> Floats32:
    """Return a row scaled to length 1; zeros stay zeros."""
    length = float(np.linalg.norm(row))
    result: Floats32 = row / np.float32(length) if length > 0 else row
    return result
