"""Split Chinese text into words with jieba."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import check_words, normalize_spaces


@cache
def _load_jieba() -> Any:
    """Return jieba's tokenizer with its dictionary. Loading the dictionary takes about a second."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about outdated syntax
            import jieba
    except ImportError as error:
        raise PluginError(
            "segmenter 'jieba' needs the library jieba; pip install './plugins/meteor-e-languages[chinese]'"
        ) from error
    tokenizer = jieba.Tokenizer()
    # jieba's cache is not used, because other users can write to the temporary folder that contains it.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


class JiebaSegmenter(Segmenter):
    """A segmenter for Chinese that uses jieba's dictionary, and jieba's model for unknown words."""

    name = "jieba"
    requires = ("jieba",)

    def __init__(self) -> None:
        _load_jieba()

    def segment(self, text: str) -> list[str]:
        """Return the words of a text."""
        return check_words("jieba", text, _load_jieba().lcut(normalize_spaces(text)))

    def describe(self) -> str:
        """Return the version of jieba, which determines the dictionary."""
        return f"jieba={metadata.version('jieba')}"
