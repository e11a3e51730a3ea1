"""Chinese words by jieba."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import metadata
from typing import Any

from meteor_e.api import PluginError, Segmenter
from meteor_e_languages.segmenters.checks import check_words, spaced


@cache
def _load() -> Any:
    """Return jieba's tokenizer with its own dictionary, read once a process (about a second)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old Python that it is written in
            import jieba
    except ImportError as error:
        raise PluginError(
            "segmenter 'jieba' needs the library jieba; pip install './plugins/meteor-e-languages[chinese]'"
        ) from error
    tokenizer = jieba.Tokenizer()
    # Its cache is a file in the common temporary folder, which anybody may have put there.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


class JiebaSegmenter(Segmenter):
    """Chinese words, by jieba's dictionary and its model of unknown words."""

    name = "jieba"
    requires = ("jieba",)

    def __init__(self) -> None:
        _load()

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return check_words("jieba", text, _load().lcut(spaced(text)))

    def describe(self) -> str:
        """Return the library's version, which its dictionary comes with."""
        return f"jieba={metadata.version('jieba')}"
