"""Build packs that contain the function words and paraphrases of a language from a text and its translation.

>>> from meteor_e_bitext.texts import language_text
>>> from meteor_e_bitext.build import build_from_bitext
>>> build_from_bitext("fr-bitext", language_text("fr"), language_text("en"), ("europarl.fr", "europarl.en"))

The command ``meteor-e pack build`` calls the function ``build_from_bitext``. Importing this package does not import
NumPy or the extension module.
"""
