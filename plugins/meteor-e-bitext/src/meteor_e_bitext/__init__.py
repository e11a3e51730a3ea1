"""Build packs from bitext: function words and paraphrases of any language, from two text files.

>>> from meteor_e_bitext.texts import language_text
>>> from meteor_e_bitext.build import build_from_bitext
>>> build_from_bitext("fr-bitext", language_text("fr"), language_text("en"), ("europarl.fr", "europarl.en"))

The command ``meteor-e pack build`` does the same. This package does not import NumPy or the extension by itself.
"""
