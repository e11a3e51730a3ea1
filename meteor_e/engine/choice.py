"""Which engine runs a chain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import Matcher
from meteor_e.api.tokens import Token, plain_tokens
from meteor_e.base.errors import ConfigError
from meteor_e.engine.native import NativeEngine
from meteor_e.engine.protocol import Engine, EngineSettings
from meteor_e.engine.python import PythonEngine
from meteor_e.text.normalization import Normalizer

ENGINES = ("native", "python")


def make_engine(
    settings: EngineSettings,
    matchers: Sequence[Matcher],
    normalizer: Normalizer,
    function_words: Collection[str],
    tokenize: Callable[[str], Sequence[Token]],
    lemmatizer: Lemmatizer | None = None,
    *,
    segment: Callable[[str], str] | None = None,
    wanted: str | None = None,
) -> Engine:
    """Make the engine for a chain: the native one, or the one in Python where that cannot run.

    Args:
        settings: parameters, beam and units.
        matchers: the chain.
        normalizer: how a raw segment becomes words.
        function_words: the language's function words.
        tokenize: a raw segment's tokens.
        lemmatizer: what makes tokens of words; ``None`` for tokens that carry their form alone.
        segment: changes a raw segment before it is normalized, where the chain has a segmenter.
        wanted: ``native`` or ``python``.

    Raises:
        ConfigError: if the engine that is wanted cannot run the chain.
    """
    if wanted not in (None, *ENGINES):
        raise ConfigError(f"unknown engine {wanted!r}; there are {' and '.join(ENGINES)}")
    native = None
    if wanted != "python":
        # Where a token depends on its word alone, the engine asks once for each word type, and not for each segment.
        by_word = lemmatizer is None or lemmatizer.scope == "word"
        native = NativeEngine.make(
            settings,
            matchers,
            normalizer,
            function_words,
            None if by_word else tokenize,
            plain_tokens if lemmatizer is None else lemmatizer.analyze,
            segment,
        )
    if native is None and wanted == "native":
        raise ConfigError("the native core is not built, METEOR_E_PURE is set, or this chain cannot run in it")
    return native or PythonEngine(settings, matchers, function_words, tokenize)
