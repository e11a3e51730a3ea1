"""Feature that compares the sentence vectors of a hypothesis and its reference."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Feature, FeatureBatch, Meta
from meteor_e.base.array_cache import Floats
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.extras import require
from meteor_e.base.thread_pool import ThreadPool
from meteor_e_learned.features.references import mean_over_references, segment_pairs

Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]

CACHE_SIZE = 16_384
"""Number of sentences whose vectors are cached. Caching the references saves time, as all systems share them."""
MAX_PIECES = 256
"""Number of word pieces after which a sentence is truncated."""
BATCH_SIZE = 8
"""Maximum number of sentences of equal length in a batch of the network."""


class _TokenizedSentence(NamedTuple):
    """A sentence, and its tokens as an ``Encoding`` object of the Python library ``tokenizers``."""

    text: str
    encoding: Any


class EncoderFeature(Feature):
    """The cosine of two sentence vectors, and the difference between the sentence vectors from an inner layer.

    Each layer of the encoder, a neural network, computes a vector for every token. A sentence vector is the mean of the
    token vectors from one layer. The cosine compares sentence vectors from the last layer. The difference compares
    sentence vectors from an inner layer, which are scaled to length 1. Inner layers represent wording and grammar more
    than meaning. Therefore, a model can learn from the difference how system outputs differ in wording from human
    references.

    Values do not depend on the other sentences of a batch. Sentences are never padded. Sentences with equal numbers of
    word pieces are batched if a trial shows that the network then computes bit-identical vectors. Each distinct
    sentence is encoded once, and several threads encode sentences at a time. With several references, each value is the
    mean over the references.

    Raises:
        ConfigError: if the encoder does not have the layer.
        PluginError: if meteor-e-vectors or ONNX Runtime is not installed.
        ResourceError: if the encoder is not installed.
    """

    name: ClassVar[str] = "encoder"
    requires: ClassVar[tuple[str, ...]] = ("onnxruntime", "tokenizers", "an encoder")
    tolerance: ClassVar[float] = 1e-3
    """Maximum difference of values between processors, which add numbers in different orders."""

    class Options(ComponentOptions):
        """The encoder, and the inner layer."""

        encoder: Annotated[str, Meta(description="An installed encoder.")] = "minilm"
        layer: Annotated[int, Meta(ge=1, description="Number of the layer, from 1, whose vectors are subtracted.")] = 4

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._cache: BoundedCache[str, Vectors] = BoundedCache(CACHE_SIZE)
        self._load()
        self._try_encoder()

    def _load(self) -> None:
        """Load the network and the tokenizer of the encoder.

        Raises:
            ConfigError: if the encoder does not have the layer.
        """
        require("meteor_e_vectors.contextual.encoder", f"feature {self.name!r}", "encoder", "meteor-e-vectors")
        from meteor_e_vectors.contextual.encoder import make_session
        from meteor_e_vectors.contextual.store import encoder_folder, read_encoder
        from meteor_e_vectors.contextual.tokenizer import make_tokenizer

        folder = encoder_folder(self.options.encoder)
        files = read_encoder(folder)
        layers = files.description.layers
        self._digest = files.description.digest
        self._layer_names = [layers[-1], self._select_inner_layer(layers)]
        self._session = make_session(files.network, self._layer_names, folder)
        self._tokenizer = make_tokenizer(files.tokenizer, folder)
        self._tokenizer.enable_truncation(min(MAX_PIECES, files.description.pieces))

    def _select_inner_layer(self, layers: Sequence[str]) -> str:
        """Return the name of the layer that the options select. Raise ConfigError if the layer does not exist."""
        number: int = self.options.layer
        if number > len(layers):
            raise ConfigError(f"encoder {self.options.encoder!r} has no layer {number}; it has {len(layers)}, from 1")
        return layers[number - 1]

    def _try_encoder(self) -> None:
        """Test whether batching changes sentence vectors, and set the batch size and the vector size.

        Batches are used only if batching does not change the sentence vectors at all.
        """
        first, second = self._tokenizer.encode("A dog."), self._tokenizer.encode("The cat.")
        vectors = [*self._encode([first]), *self._encode([second])]
        can_batch = len(first.ids) == len(second.ids) and _are_equal(self._encode([first, second]), vectors)
        self._batch_size = BATCH_SIZE if can_batch else 1
        _, inner_vector = vectors[0]
        self._size = len(inner_vector)

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["options"])  # type: ignore[misc]

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names: ``cosine``, and one name such as ``difference-1`` for each vector dimension."""
        return ("cosine", *(f"difference-{number}" for number in range(1, self._size + 1)))

    @property
    def dimension(self) -> int:
        """Number of columns."""
        return 1 + self._size

    def compute(self, batch: FeatureBatch) -> Floats:
        """Compare the sentence vector of each hypothesis with the sentence vectors of its references."""
        hypotheses, references = segment_pairs(batch)
        vectors = self._cache.get_or_make_items([*hypotheses, *references], self._encode_texts)
        rows = np.empty((len(hypotheses), self.dimension))
        for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
            hypothesis_vector, hypothesis_inner_vector = vectors[hypothesis]
            reference_vector, reference_inner_vector = vectors[reference]
            norms = float(np.linalg.norm(hypothesis_vector) * np.linalg.norm(reference_vector))
            row[0] = float(hypothesis_vector @ reference_vector) / norms if norms > 0 else 0.0
            row[1:] = hypothesis_inner_vector - reference_inner_vector
        return mean_over_references(rows, batch)

    def _encode_texts(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the sentence vectors of distinct texts. Several threads encode batches of texts in parallel."""
        vectors: dict[str, Vectors] = {}
        with ThreadPool(os.cpu_count() or 1) as pool:
            for batch_vectors in pool.map(self._encode_batch, self._make_batches(texts)):
                vectors.update(batch_vectors)
        return [vectors[text] for text in texts]

    def _make_batches(self, texts: Sequence[str]) -> list[list[_TokenizedSentence]]:
        """Tokenize sentences, and group sentences with the same number of tokens into batches."""
        sentences_by_length: dict[int, list[_TokenizedSentence]] = {}
        for text, encoding in zip(texts, self._tokenizer.encode_batch(texts), strict=True):
            sentences_by_length.setdefault(len(encoding.ids), []).append(_TokenizedSentence(text, encoding))
        batches = []
        # Long sentences are encoded first, so that all threads finish at about the same time.
        for length in sorted(sentences_by_length, reverse=True):
            sentences = sentences_by_length[length]
            for start in range(0, len(sentences), self._batch_size):
                batches.append(sentences[start : start + self._batch_size])
        return batches

    def _encode_batch(self, batch: Sequence[_TokenizedSentence]) -> dict[str, Vectors]:
        """Encode a batch, and return a dictionary from each sentence to its vectors."""
        batch_vectors = self._encode([sentence.encoding for sentence in batch])
        return {sentence.text: vectors for sentence, vectors in zip(batch, batch_vectors, strict=True)}

    def _encode(self, encodings: Sequence[Any]) -> list[Vectors]:
        """Encode a batch of tokenized sentences, which must all have the same number of tokens."""
        ids = np.array([encoding.ids for encoding in encodings], np.int64)
        possible_inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        inputs = {tensor.name: possible_inputs[tensor.name] for tensor in self._session.get_inputs()}
        # Each array contains token vectors, (sentences, tokens, dimension).
        last_layers, inner_layers = self._session.run(self._layer_names, inputs)
        vectors = []
        for encoding, last_layer, inner_layer in zip(encodings, last_layers, inner_layers, strict=True):
            # The mean excludes special tokens, such as [CLS] and [SEP].
            is_text = np.array(encoding.special_tokens_mask) == 0
            last_vector = _average_tokens(last_layer, is_text)
            inner_vector = _average_tokens(inner_layer, is_text)
            # Only the inner vectors are normalized, because a cosine does not depend on the lengths of vectors.
            vectors.append((last_vector, _normalize(inner_vector)))
        return vectors

    def describe(self) -> str:
        """Return a string that identifies the encoder, the layer, and the versions of the libraries."""
        from importlib.metadata import version

        return f"{self.definition()}|onnxruntime-{version('onnxruntime')}|tokenizers-{version('tokenizers')}"

    def definition(self) -> str:
        """Return a string that identifies the encoder, its tokenizer and the layer."""
        return f"@{self._digest}:layer-{self.options.layer}"


def _average_tokens(token_vectors: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Average the token vectors that a mask selects. If the mask does not select any token, return a zero vector."""
    if not mask.any():
        return np.zeros(token_vectors.shape[1], np.float32)
    mean: NDArray[np.float32] = np.asarray(token_vectors, np.float32)[mask].mean(axis=0)
    return mean


def _normalize(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale a vector to length 1. A zero vector is returned unchanged."""
    norm = np.linalg.norm(vector)
    return (vector / norm).astype(np.float32) if norm > 0 else vector


def _are_equal(first: Sequence[Vectors], second: Sequence[Vectors]) -> bool:
    """Return whether two lists of vectors are bit-identical."""
    return all(
        np.array_equal(first_vector, second_vector)
        for first_pair, second_pair in zip(first, second, strict=True)
        for first_vector, second_vector in zip(first_pair, second_pair, strict=True)
    )
