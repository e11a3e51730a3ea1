"""Reported numbers: what values their digits allow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from meteor_e.api import ConfigError

SCALES = ("auto", "percent", "fraction")
WHAT = ("corpus", "segments", "precision", "recall", "f1", "fmean")
"""What a number can be said to be of, as in ``corpus=27.3``."""
_NUMBER = re.compile(r"(?:(?P<what>[a-z0-9]+)\s*=\s*)?(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?P<percent>%?)")
_NOISE = 1e-12  # sums in another order, and powers of another library


@dataclass(frozen=True)
class Reported:
    """A reported number.

    Attributes:
        text: as it was given.
        value: as a share of 1.
        half: half a unit of its last digit, as a share of 1.
        percent: whether the number is in percent.
        decimals: digits after its point.
        what: what it is of, one of :data:`WHAT`; empty where that was not said: the score of the corpus or the mean of
            segments.
    """

    text: str
    value: float
    half: float
    percent: bool
    decimals: int
    what: str = ""

    @classmethod
    def parse(cls, text: str, scale: str = "auto") -> Reported:
        """Read a number such as ``27.3``, ``.273``, ``0.2731`` or ``27.3 %``; the digits given are those that count.

        Args:
            text: the number; before it may stand what it is of, as in ``corpus=27.3`` or ``precision=61.2``.
            scale: ``percent``, ``fraction``, or ``auto``: percent with a percent sign or above 1.

        Raises:
            ConfigError: for what is not a number, or not a score.
        """
        if scale not in SCALES:
            raise ConfigError(f"scale is {scale!r}; there are {', '.join(SCALES)}")
        found = _NUMBER.fullmatch(text.strip())
        if found is None:
            raise ConfigError(
                f"{text!r} is not a reported score; give a number as it was printed, such as 27.3 or .273"
            )
        what = found["what"] or ""
        if what and what not in WHAT:
            raise ConfigError(f"{text!r}: a number is of {', '.join(WHAT)}, not of {what!r}")
        number = Decimal(found["digits"])
        if found["percent"] and scale == "fraction":
            raise ConfigError(f"{text!r} has a percent sign, so that its scale is not 'fraction'")
        percent = scale == "percent" or bool(found["percent"]) or (scale == "auto" and number > 1)
        decimals = len(found["digits"].partition(".")[2])
        unit = Decimal(1) / 100 if percent else Decimal(1)
        if number * unit > 1:
            raise ConfigError(f"{text!r} is not a METEOR score: it is above {'100' if percent else '1'}")
        half = Decimal(5) * Decimal(10) ** -(decimals + 1) * unit
        return cls(text.strip(), float(number * unit), float(half), percent, decimals, what)

    def distance(self, score: float) -> float:
        """Return how far a score is from what rounds to the number: 0 if it rounds to it, either way at a tie."""
        beyond = abs(score - self.value) - self.half
        return beyond if beyond > _NOISE else 0.0

    def spell(self, score: float, more: int = 2) -> str:
        """Return a score on the scale of the number, with more digits than it has."""
        return f"{score * (100 if self.percent else 1):.{min(self.decimals + more, 15)}f}"

    @property
    def level(self) -> str:
        """What level it is known to be of: the Java program prints parts of the score for the corpus."""
        return self.what if self.what in ("", "corpus", "segments") else "corpus"
