"""Synonyms from Princeton WordNet and the Open Multilingual WordNet for meteor_e.

:mod:`~meteor_e_languages.wordnet.sources` finds the data, :mod:`~meteor_e_languages.wordnet.princeton` and
:mod:`~meteor_e_languages.wordnet.multilingual` read it, :mod:`~meteor_e_languages.wordnet.matcher` has the matcher.
"""
