"""Characters that cannot be seen, or would reorder what is around them, made visible, as the page's script does."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\ud800-\\udfff]"
)

_NAMES = {
    "\u061c": "ALM",
    "\u200b": "ZWSP",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\ufeff": "BOM",
}


def visible(text: str) -> str:
    """Return a text with a name or a symbol instead of each character that cannot be seen."""
    return _HIDDEN.sub(_symbol, text)


def _symbol(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code < 0xE000:
        return "\ufffd"
    return f"[{_NAMES.get(character, f'U+{code:04X}')}]"
