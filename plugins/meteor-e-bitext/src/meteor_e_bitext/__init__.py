"""Packs from bitext: function words and paraphrases of any language, from two text files.

>>> from meteor_e_bitext.texts import language_text
>>> from meteor_e_bitext.build import build_from_bitext
>>> build_from_bitext("fr-bitext", language_text("fr"), language_text("en"), ("europarl.fr", "europarl.en"))

``meteor-e pack build`` is the same on the command line. Importing the package alone imports nothing heavy.
"""
