"""Packs from bitext: function words and paraphrases of any language, from two text files.

>>> from meteor_e.chains import language_text
>>> from meteor_e_bitext import BitextOptions, build_from_bitext
>>> build_from_bitext("fr-bitext", language_text("fr"), language_text("en"), ("europarl.fr", "europarl.en"))
"""

from __future__ import annotations

from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.build import build_from_bitext
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import PivotOptions

__all__ = ["AlignmentOptions", "BitextOptions", "PivotOptions", "build_from_bitext"]
