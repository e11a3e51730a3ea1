"""Define the sample sentences and unusual words with which components of plugins are tested."""

from __future__ import annotations

from meteor_e.api.tokens import Token

SENTENCES = (
    "the old harbour master counted nine grey boats before supper",  # codespell:ignore grey
    "nine grey boats were counted by the elderly harbor masters , before the supper",  # codespell:ignore grey
    "she sells two baskets of ripe plums and one jar of honey every tuesday",
    "on tuesdays 2 baskets of ripe plum and 1 jar of honey are sold",
    "der alte Hafenmeister zählte neun graue Boote vor dem Abendessen",
    "le capitaine du port a compté neuf bateaux gris avant le souper",
    "старый смотритель гавани пересчитал девять серых лодок",
    "boat the boat the the boat boats boat",
)

ODD_WORDS = (
    *("\x00", "\x0b", "\x7f", "\x85", "\xa0", "\xad", "\u200b", "\u2028", "\ufeff", "\ufffd", "\ud800"),
    *("\U0001d4b3", "👩‍🚀", "🇫🇷", "e\u0301\u0301", "\u0301", "ﬁ", "ß", "İ", "ς", "١٢٣", "½", "अक्षर", "文字", "אבג"),
    *("-", "'", "''", "…", ".", "...", "a", "I", "0", "-1", "1e308", "nan", "__class__", "%s", "{0}", "\\", '"'),
    *("<b>", "../..", "x" * 10_000, "ab" * 2_000),
)

ANALYZED = (
    *(Token("boats", "boat", "NOUN"), Token("counted", "count", "VERB"), Token("boat", "boat", "NOUN")),
    *(Token("went", "go"), Token("'s", "be", "VERB"), Token("odd", "", ""), Token("the", "the", "DET")),
)
