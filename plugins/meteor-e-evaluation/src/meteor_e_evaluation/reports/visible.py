"""Replaces invisible characters and control characters of bidirectional text by visible symbols."""

from __future__ import annotations

_UNNAMED_RANGES = (range(0x80, 0xA0), range(0x2028, 0x202F), range(0x2060, 0x206A), range(0xFFF9, 0xFFFC))
"""Ranges of invisible characters that are shown by their code, unless they have a name."""

_NAMES = {
    0x061C: "ALM",
    0x200B: "ZWSP",
    0x200E: "LRM",
    0x200F: "RLM",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
_SYMBOLS = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **{code: f"[U+{code:04X}]" for codes in _UNNAMED_RANGES for code in codes},
    **{code: f"[{name}]" for code, name in _NAMES.items()},
}


def visible(text: str) -> str:
    """Replace each invisible character of a string by its name or by a visible symbol."""
    return text.translate(_SYMBOLS)
